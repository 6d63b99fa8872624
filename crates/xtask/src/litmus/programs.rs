//! `cargo xtask litmus-programs [--count N] [--seed S] [--model sc|tso|pso | --assembly]`: do litmus tests mean the same as C programs?
//!
//! A line of `engines::axiomatic::shapes` is asked of the axiomatic engine under a model in cat, and, written as a C program with threads and relaxed
//! atomics whose assertion fails exactly if the condition holds, of the engine `bmc` under its own model of that name. The two share neither front end nor semantics nor
//! search, so an answer that differs is a mistake of one of them. Half of the lines come from cycles (which sequential
//! consistency forbids and store buffers sometimes allow), half are random (of which all models allow many).
//!
//! With `--assembly` cycles are tests in the assembly of x86, Armv8, Power and RISC-V, and C programs whose threads are the same instructions as
//! inline assembly: what an instruction means is said twice here, too.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use engines::axiomatic::shapes::{shape, tags};
use engines::axiomatic::{self, Goal, Question};
use engines::{Budget, Run, decide, engine_named};
use ir::litmus::Dialect;
use ir::{Axioms, Model, Properties, Property, Task, Verdict};

use super::agree::random_line;
use crate::cycle;

/// How long `bmc` may think about one program.
const LIMIT: Duration = Duration::from_secs(20);

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many programs
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// The seed of the first one
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Only under this model: sc, tso or pso
    #[arg(long, value_parser = |name: &str| Model::named(name).ok_or("there is no such model"))]
    model: Option<Model>,
    /// Instead: tests of machines, and programs in their inline assembly
    #[arg(long, conflicts_with = "model")]
    assembly: bool,
}

/// Compares; whether they agree.
pub(crate) fn run(options: &Options) -> bool {
    let Options { count, seed, model: only, assembly } = *options;
    if assembly {
        return MACHINES.iter().fold(true, |is_fine, machine| compare_assembly(*machine, count, seed) & is_fine);
    }
    let models = Model::ALL.into_iter().filter(|model| only.is_none_or(|only| only == *model));
    models.fold(true, |is_fine, model| compare(model, count, seed) & is_fine)
}

fn compare(model: Model, count: u64, seed: u64) -> bool {
    let name = model.to_string();
    let in_cat = memory::cat::load(&name, &|_| None, &Default::default()).expect("our models load");
    let (accesses, fences) = tags(&name);
    let (mut n_allowed, mut n_forbidden, mut n_undecided, mut n_differ) = (0, 0, 0, 0);
    for index in 0..count {
        let line = if index % 2 == 0 { cycle::line(seed + index) } else { random_line(seed + index) };
        let test = shape("line", &line, accesses, fences);
        let question = Question { goal: Goal::Verdict, ..Question::default() };
        let answer = axiomatic::answer(&test, &in_cat, &question, &|| false).expect("lines are small");
        let is_allowed = answer.n_positive > 0;
        let program = program(&line);
        match (violates(&program, model, None), is_allowed) {
            (Ok(Some(true)), true) => n_allowed += 1,
            (Ok(Some(false)), false) => n_forbidden += 1,
            (Ok(None), _) => n_undecided += 1,
            (Ok(Some(_)), _) => {
                n_differ += 1;
                let word = if is_allowed { "allowed" } else { "forbidden" };
                eprintln!("{line}\nis {word} under {model}, but bmc says the opposite of\n{program}");
            }
            (Err(reason), _) => {
                n_differ += 1;
                eprintln!("{reason}\n{program}");
            }
        }
    }
    println!(
        "{count} programs under {model}: {n_allowed} allowed and {n_forbidden} forbidden by both, {n_undecided} undecided by bmc, {n_differ} differ"
    );
    n_differ == 0
}

/// Machines with the models of their litmus tests.
const MACHINES: [(Dialect, &str); 4] =
    [(Dialect::X86, "tso"), (Dialect::AArch64, "aarch64"), (Dialect::Ppc, "power"), (Dialect::RiscV, "riscv")];

/// Compares litmus tests in the assembly of a machine with C programs in its inline assembly.
fn compare_assembly((dialect, model): (Dialect, &str), count: u64, seed: u64) -> bool {
    let in_cat = memory::cat::load(model, &|_| None, &Default::default()).expect("our models load");
    let (mut n_allowed, mut n_forbidden, mut n_undecided, mut n_differ) = (0, 0, 0, 0);
    for index in 0..count {
        let (text, program) = cycle::assembly(dialect, seed + index);
        let test = frontend::litmus::parse("generated", &text, &Default::default()).expect("cycles are read");
        let question = Question { goal: Goal::Verdict, ..Question::default() };
        let answer = axiomatic::answer(&test, &in_cat, &question, &|| false).expect("cycles are small");
        let is_allowed = answer.n_positive > 0;
        match violates(&program, Model::Cat, Some(model)) {
            Ok(Some(true)) if is_allowed => n_allowed += 1,
            Ok(Some(false)) if !is_allowed => n_forbidden += 1,
            Ok(None) => n_undecided += 1,
            other => {
                n_differ += 1;
                let word = if is_allowed { "allowed" } else { "forbidden" };
                eprintln!("{text}\nis {word} under {model}, but bmc says {other:?} of\n{program}");
            }
        }
    }
    println!(
        "{count} programs in assembly under {model}: {n_allowed} allowed and {n_forbidden} forbidden by both, {n_undecided} undecided by bmc, {n_differ} differ"
    );
    n_differ == 0
}

/// Whether the assertion of a program can fail; none if `bmc` does not know. A model in cat is named.
fn violates(program: &str, model: Model, in_cat: Option<&str>) -> Result<Option<bool>, String> {
    let file = std::env::temp_dir().join(format!("ravel-litmus-{}.c", std::process::id()));
    std::fs::write(&file, program).map_err(|error| format!("{}: {error}", file.display()))?;
    let options = frontend::Options { has_axioms: in_cat.is_some(), ..Default::default() };
    let loaded = frontend::load(std::slice::from_ref(&file), &options);
    let _ = std::fs::remove_file(&file);
    let mut loaded = loaded.map_err(|rejected| format!("the front end refuses it: {:?}", rejected.diagnostics))?;
    loaded.program.model = model;
    loaded.program.axioms = in_cat.map(|name| Arc::new(Axioms { name: name.to_string(), ..Axioms::default() }));
    let task = Task { program: loaded.program, properties: Properties::of(&[Property::Assertion]) };
    let engine = engine_named("bmc").expect("the engine is in the table");
    let mut run = Run::new(Budget::of_time(LIMIT));
    Ok(match decide(engine, &task, &mut run).verdict() {
        Verdict::Safe(_) => Some(false),
        Verdict::Unsafe(_) => Some(true),
        Verdict::Unknown(_) => None,
    })
}

/// A line as a C program whose assertion fails if the condition holds.
fn program(line: &str) -> String {
    let (threads, condition) = line.split_once(':').expect("a line has a condition");
    let mut places: Vec<&str> = Vec::new();
    let mut functions = String::new();
    let mut n_reads = 0;
    let mut n_threads = 0;
    for column in threads.split('|') {
        let _ = writeln!(functions, "void *P{n_threads}(void *unused) {{");
        for word in column.split(';').map(str::trim) {
            if word == "F" {
                functions.push_str("    atomic_thread_fence(memory_order_seq_cst);\n");
                continue;
            }
            let place = &word[1..2];
            if !places.contains(&place) {
                places.push(place);
            }
            let _ = if word.starts_with('W') {
                writeln!(functions, "    atomic_store_explicit(&{place}, {}, memory_order_relaxed);", &word[2..])
            } else {
                n_reads += 1;
                writeln!(functions, "    r{} = atomic_load_explicit(&{place}, memory_order_relaxed);", n_reads - 1)
            };
        }
        functions.push_str("    return 0;\n}\n\n");
        n_threads += 1;
    }
    let mut parts = Vec::new();
    for (index, word) in condition.split_whitespace().enumerate() {
        parts.push(match word.parse::<u64>() {
            Ok(value) => format!("r{index} == {value}"),
            Err(_) => format!("{} == {}", &word[..1], &word[1..]),
        });
    }
    if parts.is_empty() {
        parts.push("1".to_string());
    }
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\n");
    places.iter().for_each(|place| text.push_str(&format!("atomic_int {place};\n")));
    (0..n_reads).for_each(|read| text.push_str(&format!("int r{read};\n")));
    let _ = write!(text, "\n{functions}int main(void) {{\n    pthread_t thread[{n_threads}];\n");
    for number in 0..n_threads {
        let _ = writeln!(text, "    pthread_create(&thread[{number}], 0, P{number}, 0);");
    }
    for number in 0..n_threads {
        let _ = writeln!(text, "    pthread_join(thread[{number}], 0);");
    }
    let _ = write!(text, "    assert(!({}));\n}}\n", parts.join(" && "));
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn some_programs_do_what_the_tests_say() {
        assert!(super::run(&super::Options { count: 8, seed: 0, model: None, assembly: false }));
    }

    #[test]
    fn inline_assembly_means_what_litmus_tests_mean() {
        assert!(super::run(&super::Options { count: 8, seed: 0, model: None, assembly: true }));
    }
}
