//! `cargo xtask fuzz --orders [--count N] [--seed S] [--time SECONDS] [--show SEED]`: are races found as C11 defines them?
//!
//! Two or three threads with atomic accesses of all memory orders, updates, compare-exchanges, fences and plain accesses that depend on what was read. Each program is
//! written twice: as a C program with threads, of which the engines are asked whether there is a data race, and as a litmus test, which the
//! axiomatic engine judges by the axioms of RC11 (`models/rc11.cat`). The two share neither front end nor semantics nor search.
//! An engine may not know; it may not say "safe" of a program that the axioms flag, nor "unsafe" of one that they do not.

use engines::axiomatic::{self, Question};
use engines::{Budget, Run, decide, engine_named};
use ir::{Properties, Property, Task, Verdict};
use logic::Prng;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Who is asked.
const ENGINES: [&str; 2] = ["explicit", "bmc"];
/// How long an engine may think about one program.
const LIMIT: Duration = Duration::from_secs(10);

/// One statement of a thread.
#[derive(Clone, Debug)]
enum Do {
    /// `r = load(cell)`.
    Load(char, &'static str),
    /// `store(cell, value)`.
    Store(char, u64, &'static str),
    /// `r = exchange(cell, value)` or `r = fetch_add(cell, value)`.
    Update(char, u64, &'static str, bool),
    Fence(&'static str),
    /// A plain read or write, if the last read gave a number or without condition.
    Plain(char, bool, Option<u64>),
}

const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];

fn threads(seed: u64) -> Vec<Vec<Do>> {
    let mut random = Prng::new(seed);
    let n_threads = if random.percent(25) { 3 } else { 2 };
    let cells: &[char] = if random.percent(50) { &['x'] } else { &['x', 'y'] };
    let mut thread = || {
        let mut has_read = false;
        let n = 2 + random.below(if n_threads == 3 { 2 } else { 3 });
        (0..n)
            .map(|_| {
                let cell = random.pick(cells);
                match random.below(10) {
                    0 | 1 => {
                        has_read = true;
                        Do::Load(cell, random.pick(&LOADS))
                    }
                    2 | 3 => Do::Store(cell, 1 + random.below(2), random.pick(&STORES)),
                    4 => {
                        has_read = true;
                        Do::Update(cell, 1 + random.below(2), random.pick(&UPDATES), random.percent(50))
                    }
                    5 => Do::Fence(random.pick(&FENCES)),
                    _ => Do::Plain('d', random.percent(60), (has_read && random.percent(80)).then(|| random.below(3))),
                }
            })
            .collect()
    };
    (0..n_threads).map(|_| thread()).collect()
}

/// The statements of a thread; `at` is how an object is named by its address, `plain` how a plain one is used.
fn body(thread: &[Do], at: &dyn Fn(char) -> String, plain: &dyn Fn(char) -> String) -> String {
    let (mut text, mut n_reads) = (String::new(), 0);
    for act in thread {
        let _ = match act {
            Do::Load(cell, order) => {
                n_reads += 1;
                let (cell, r) = (at(*cell), n_reads - 1);
                writeln!(text, "  int r{r} = atomic_load_explicit({cell}, memory_order_{order});")
            }
            Do::Store(cell, value, order) => {
                writeln!(text, "  atomic_store_explicit({}, {value}, memory_order_{order});", at(*cell))
            }
            Do::Update(cell, value, order, is_exchange) => {
                n_reads += 1;
                let (cell, r) = (at(*cell), n_reads - 1);
                let name = if *is_exchange { "exchange" } else { "fetch_add" };
                writeln!(text, "  int r{r} = atomic_{name}_explicit({cell}, {value}, memory_order_{order});")
            }
            Do::Fence(order) => writeln!(text, "  atomic_thread_fence(memory_order_{order});"),
            Do::Plain(object, is_write, condition) => {
                let object = plain(*object);
                let inner = if *is_write { format!("{object} = 1;") } else { format!("int p = {object};") };
                match condition {
                    Some(value) => writeln!(text, "  if (r{} == {value}) {{ {inner} }}", n_reads - 1),
                    None => writeln!(text, "  {{ {inner} }}"),
                }
            }
        };
    }
    text
}

/// As a C program.
fn program(threads: &[Vec<Do>]) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y;\nint d;\n");
    for (index, thread) in threads.iter().enumerate() {
        let body = body(thread, &|cell| format!("&{cell}"), &|object| object.to_string());
        let _ = writeln!(text, "void *P{index}(void *unused) {{\n{body}  return 0;\n}}");
    }
    let n = threads.len();
    let _ = writeln!(text, "int main(void) {{\n  pthread_t t[{n}];");
    (0..n).for_each(|i| text.push_str(&format!("  pthread_create(&t[{i}], 0, P{i}, 0);\n")));
    (0..n).for_each(|i| text.push_str(&format!("  pthread_join(t[{i}], 0);\n")));
    text + "  return 0;\n}\n"
}

/// As a litmus test.
fn litmus(threads: &[Vec<Do>]) -> String {
    let mut text = String::from("C orders\n{ x = 0; y = 0; d = 0; }\n");
    for (index, thread) in threads.iter().enumerate() {
        let body = body(thread, &|cell| cell.to_string(), &|object| format!("*{object}"));
        let _ = writeln!(text, "\nP{index}(atomic_int *x, atomic_int *y, int *d) {{\n{body}}}");
    }
    text + "\nexists (d=7)\n"
}

/// Whether the axioms flag a race; none if the test is too large.
fn is_flagged(threads: &[Vec<Do>], model: &memory::cat::Model) -> Result<Option<bool>, String> {
    let test = frontend::litmus::parse("orders.litmus", &litmus(threads), &Default::default());
    let test = test.map_err(|rejected| format!("the litmus front end refuses it: {:?}", rejected.diagnostics))?;
    let answer = axiomatic::answer(&test, model, &Question::default(), &|| false);
    Ok(answer.ok().map(|answer| answer.flags.iter().any(|flag| flag.contains("race"))))
}

/// What an engine says: whether there is a race; none if it does not know.
fn asked(engine: &str, text: &str) -> Result<Option<bool>, String> {
    let file = std::env::temp_dir().join(format!("ravel-orders-{}.c", std::process::id()));
    std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    let loaded = frontend::load(std::slice::from_ref(&file), &Default::default());
    let _ = std::fs::remove_file(&file);
    let loaded = loaded.map_err(|rejected| format!("the front end refuses it: {:?}", rejected.diagnostics))?;
    let task = Task { program: loaded.program, properties: Properties::of(&[Property::Race]) };
    let mut run = Run::new(Budget::of_time(LIMIT));
    let engine = engine_named(engine).expect("the engine is in the table");
    match decide(engine, &task, &mut run).verdict() {
        Verdict::Safe(_) => Ok(Some(false)),
        Verdict::Unsafe(_) => Ok(Some(true)),
        Verdict::Unknown(ir::Why::NotReplayed(what)) => Err(format!("a trace does not replay: {what}")),
        Verdict::Unknown(_) => Ok(None),
    }
}

/// Compares; whether nothing is wrong.
pub(crate) fn run(args: &[String]) -> bool {
    let option = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let number = |name: &str| option(name).and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = number("--show") {
        println!("{}\n{}", program(&threads(seed)), litmus(&threads(seed)));
        return true;
    }
    let model = memory::cat::load("rc11", &|_| None, &Default::default()).expect("our models load");
    let (first, started) = (number("--seed").unwrap_or(1), Instant::now());
    let time = number("--time").map(Duration::from_secs);
    let count = number("--count").unwrap_or(if time.is_some() { u64::MAX } else { 200 });
    let (mut n_programs, mut n_racy, mut n_known, mut n_unknown, mut n_wrong) = (0, 0, 0, 0, 0);
    for seed in first..first.saturating_add(count) {
        if time.is_some_and(|time| started.elapsed() >= time) {
            break;
        }
        let threads = threads(seed);
        let text = program(&threads);
        let truth = match is_flagged(&threads, &model) {
            Ok(Some(truth)) => truth,
            Ok(None) => continue,
            Err(what) => {
                eprintln!("seed {seed}: {what}\n{}", litmus(&threads));
                n_wrong += 1;
                continue;
            }
        };
        n_programs += 1;
        n_racy += usize::from(truth);
        for engine in ENGINES {
            match asked(engine, &text) {
                Ok(None) => n_unknown += 1,
                Ok(Some(said)) if said == truth => n_known += 1,
                Ok(Some(said)) => {
                    n_wrong += 1;
                    let word = |races| if races { "a race" } else { "no race" };
                    eprintln!("seed {seed}: {engine} says {}, the axioms {}\n{text}", word(said), word(truth));
                }
                Err(what) => {
                    n_wrong += 1;
                    eprintln!("seed {seed}: {engine}: {what}\n{text}");
                }
            }
        }
    }
    println!(
        "{n_programs} programs, {n_racy} with a race: {n_known} answers agree, {n_unknown} unknown, {n_wrong} wrong; in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    n_wrong == 0
}

#[cfg(test)]
mod tests {
    #[test]
    fn races_are_those_of_the_axioms() {
        assert!(super::run(&["--count".to_string(), "40".to_string()]));
    }
}
