//! `ravel doctor`: is all there that ravel needs on this machine, and how much may it use?
//!
//! What is needed is tried, not looked up: the headers are read by the front end, and a small program is decided. What is only good to know (cores, memory) never fails.

use crate::deliver::Folder;
use crate::exit::Exit;
use crate::screen;
use engines::{Budget, Decided, How, portfolio, schedule};
use frontend::Options;
use ir::{Properties, Property, Task};
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Headers of programs with threads.
const HEADERS: [&str; 5] = ["pthread.h", "stdatomic.h", "threads.h", "semaphore.h", "assert.h"];

/// A program in which an update is lost.
const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\nint n;\nvoid *add(void *p) { n = n + 1; return p; }\n\
    int main(void) {\n  pthread_t a, b;\n  pthread_create(&a, 0, add, 0);\n  pthread_create(&b, 0, add, 0);\n\
    \x20 pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(n == 2);\n}\n";

/// Looks at everything and says what is missing.
pub(crate) fn doctor() -> Exit {
    let mut report = Report { text: format!("ravel {}\n", env!("CARGO_PKG_VERSION")), is_well: true };
    for (name, version) in engines::solver_versions() {
        report.fine(name, &version);
    }
    match frontend::c::preprocess::compiler() {
        Ok((program, said)) => report.fine("C compiler", &format!("{program}{}: {said}", found(&program))),
        Err(tried) => report
            .missing("C compiler", &format!("none ({tried}); set CC or install gcc or clang; .i files work without")),
    }
    match Folder::new("doctor") {
        Ok(folder) => try_out(&folder, &mut report),
        Err(error) => report.missing("temporary files", &format!("cannot be written: {error}")),
    }
    let cores = engines::cores::available();
    report.fine("cores", &format!("{cores}{}", if cores == 1 { "; engines take turns" } else { "" }));
    report.fine("memory", &memory());
    screen::print(&report.text);
    screen::print(if report.is_well { "all is there\n" } else { "something is missing\n" });
    if report.is_well { Exit::Safe } else { Exit::Unsafe }
}

struct Report {
    text: String,
    is_well: bool,
}

impl Report {
    fn fine(&mut self, what: &str, how: &str) {
        let _ = writeln!(self.text, "  ok       {what}: {how}");
    }

    fn missing(&mut self, what: &str, how: &str) {
        self.is_well = false;
        let _ = writeln!(self.text, "  MISSING  {what}: {how}");
    }
}

/// Reads the headers and decides a program.
fn try_out(folder: &Folder, report: &mut Report) {
    let is_there = |header: &&&str| {
        let text = format!("#include <{header}>\nint main(void) {{ return 0; }}\n");
        folder.file("header.c", &text).is_ok_and(|path| load(&path).is_ok())
    };
    let (there, missing): (Vec<&str>, Vec<&str>) = HEADERS.iter().partition(|header| is_there(header));
    match missing.is_empty() {
        true => report.fine("headers", &there.join(", ")),
        false => report.missing("headers", &format!("{} cannot be read (apt install libc6-dev)", missing.join(", "))),
    }
    let started = Instant::now();
    let decided =
        folder.file("lost_update.c", PROGRAM).map_err(|error| error.to_string()).and_then(|path| decide(&path));
    match decided {
        Ok(true) => {
            report.fine("self test", &format!("a lost update is found in {:.2} s", started.elapsed().as_secs_f64()))
        }
        Ok(false) => report.missing("self test", "a lost update is not found; please report this"),
        Err(problem) => report.missing("self test", &problem),
    }
}

fn load(path: &Path) -> Result<ir::Program, String> {
    let options = Options {
        properties: Properties::of(&[Property::Assertion]),
        entries: vec!["main".to_string()],
        ..Options::default()
    };
    match frontend::load(&[path.to_path_buf()], &options) {
        Ok(loaded) => Ok(loaded.program),
        Err(rejected) => Err(rejected.diagnostics.first().map_or_else(String::new, |first| first.message.clone())),
    }
}

/// Whether the program is found unsafe.
fn decide(path: &Path) -> Result<bool, String> {
    let task = Task { program: load(path)?, properties: Properties::of(&[Property::Assertion]) };
    let asks = portfolio::asks(portfolio::ABOUT.name, &task, &[])?;
    let budget = Budget::of_time(Duration::from_secs(30));
    let found = schedule(&asks, task.properties, How::default(), &budget, |_| (None, String::new()));
    Ok(matches!(found.decided, Decided::Unsafe(_)))
}

/// Where a program is found, if its name does not say.
fn found(program: &str) -> String {
    let name = program.split_whitespace().next().unwrap_or(program);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let place = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    place.filter(|_| !name.contains('/')).map_or_else(String::new, |path| format!(" ({})", path.display()))
}

/// How much memory there is, and how much of it this process may have, where the system tells.
fn memory() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let kilobytes = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let info = read("/proc/meminfo");
    let (Some(total), Some(free)) = (kilobytes(&info, "MemTotal"), kilobytes(&info, "MemAvailable")) else {
        return "the system does not tell".to_string();
    };
    let gigabytes = |kilobytes: u64| kilobytes as f64 / f64::from(1 << 20);
    let mut text = format!("{:.1} GiB, {:.1} of them free", gigabytes(total), gigabytes(free));
    let limits = read("/proc/self/limits");
    let space = limits.lines().find_map(|line| line.strip_prefix("Max address space")?.split_whitespace().next());
    let group = read("/sys/fs/cgroup/memory.max");
    if let Some(bytes) = space.and_then(|limit| limit.parse::<u64>().ok()) {
        let _ = write!(text, "; this process may map {:.1} GiB (ulimit -v)", gigabytes(bytes >> 10));
    }
    if let Ok(bytes) = group.trim().parse::<u64>() {
        let _ = write!(text, "; its group may use {:.1} GiB", gigabytes(bytes >> 10));
    }
    text + "; ravel stops at 4 GiB unless --memory-limit says otherwise"
}
