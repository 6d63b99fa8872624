//! How fast does the explicit engine visit states, beside SPIN on the same model?
//!
//! Three classic programs, each once in C and once in Promela (`crates/xtask/spin`), with the same steps and no reduction, of
//! order or of like threads, on either side. SPIN's verifier is compiled with the options its users use for speed
//! (`-O2 -DSAFETY -DNOREDUCE`). What is compared is states per second of the search alone; parsing and compiling the program
//! are left out on both sides. The numbers of states differ: the two languages cut steps differently, and of ours variables are no part
//! where they do not matter, so there are fewer. Both run five times, one after the other, and the best run of each counts.

use engines::{Budget, Decided, Run, decide, engine_named};
use frontend::Options;
use ir::{Properties, Property, Task};
use std::path::{Path, PathBuf};
use std::process::Command;

const MODELS: [&str; 3] = ["filter", "philosophers", "buffer"];
const ROUNDS: usize = 5;

/// States, seconds and bytes per state of one search.
#[derive(Clone, Copy)]
pub(super) struct Figures {
    pub(super) states: f64,
    pub(super) seconds: f64,
    bytes: f64,
}

impl Figures {
    pub(super) fn rate(self) -> f64 {
        self.states / self.seconds.max(1e-9)
    }

    pub(super) fn better(self, other: Figures) -> Figures {
        if other.rate() > self.rate() { other } else { self }
    }
}

/// Prints the table; true if all searches ended as they should.
pub(crate) fn run() -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("spin");
    println!(
        "{:14} {:>10} {:>12} {:>12} | {:>10} {:>12} {:>12} | {:>6}",
        "program", "states", "states/s", "bytes/state", "spin", "states/s", "bytes/state", "ratio"
    );
    let mut is_fine = true;
    for model in MODELS {
        let pan = build_spin(&folder.join(format!("{model}.pml")), &["-DSAFETY", "-DNOREDUCE"]);
        let (mut ours, mut theirs): (Option<Figures>, Option<Figures>) = (None, None);
        for _ in 0..ROUNDS {
            let Some(figures) = run_ravel(&folder.join(format!("{model}.c")), &[]) else {
                println!("{model}: not proven safe");
                is_fine = false;
                break;
            };
            ours = Some(ours.map_or(figures, |best| best.better(figures)));
            if let Some(figures) = pan.as_deref().and_then(|pan| run_spin(pan, &["-m10000000"])) {
                theirs = Some(theirs.map_or(figures, |best| best.better(figures)));
            }
        }
        let Some(ours) = ours else { continue };
        print!("{model:14} {:>10} {:>12.0} {:>12.1} | ", ours.states, ours.rate(), ours.bytes);
        match theirs {
            Some(theirs) => println!(
                "{:>10} {:>12.0} {:>12.1} | {:>6.2}",
                theirs.states,
                theirs.rate(),
                theirs.bytes,
                ours.rate() / theirs.rate()
            ),
            None => println!("spin is not installed (Debian package spin)"),
        }
    }
    is_fine
}

/// Runs `explicit` without reductions and with further settings; none if it does not prove the program safe.
pub(super) fn run_ravel(path: &Path, settings: &[(&str, &str)]) -> Option<Figures> {
    let program = frontend::load(&[path.to_path_buf()], &Options::default()).ok()?.program;
    let task = Task { program, properties: Properties::of(&[Property::ErrorCall, Property::Assertion]) };
    let engine = engine_named("explicit")?;
    let settings = [&[("por", "none"), ("symmetry", "off")], settings].concat();
    let mut run = Run::of(engine.about(), Budget::unlimited(), &settings).ok()?;
    let decided = decide(engine, &task, &mut run);
    let count = |name: &str| run.statistics.0.get(name).copied().unwrap_or(0.0);
    // The search alone, since the other side's clock leaves out what its generator and compiler did, too.
    let seconds = count("states") / count("states per second").max(1e-9);
    let figures = Figures { states: count("states"), seconds, bytes: count("bytes per state") };
    matches!(decided, Decided::Safe(..)).then_some(figures)
}

/// Compiles SPIN's verifier for a model; `None` without SPIN.
pub(super) fn build_spin(model: &Path, options: &[&str]) -> Option<PathBuf> {
    let folder = std::env::temp_dir().join(format!("ravel-spin-{}", std::process::id())).join(model.file_stem()?);
    std::fs::create_dir_all(&folder).ok()?;
    let generated = Command::new("spin").arg("-a").arg(model).current_dir(&folder).status().ok()?;
    let compiled = Command::new("cc")
        .args(["-O2", "-w", "-o", "pan", "pan.c"])
        .args(options)
        .current_dir(&folder)
        .status()
        .ok()?;
    (generated.success() && compiled.success()).then(|| folder.join("pan"))
}

fn run_spin(pan: &Path, options: &[&str]) -> Option<Figures> {
    let output = Command::new(pan).args(options).current_dir(pan.parent()?).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = |before: &str, after: &str| {
        let line = text.lines().find(|line| line.contains(before) && line.contains(after))?;
        line.split_once(before)?.1.split_whitespace().next()?.parse::<f64>().ok()
    };
    // The verifier's own clock leaves out the time it takes to lay out its search stack.
    let states = number("", "states, stored")?;
    let seconds = number("pan: elapsed time ", "seconds")?;
    let vector = number("State-vector ", "byte")?;
    Some(Figures { states, seconds, bytes: vector })
}
