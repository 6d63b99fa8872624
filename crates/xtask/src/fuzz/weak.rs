//! Does the bounded model checker say what a store-buffer interpreter says? Random programs under `tso` and `pso`, both procedures in turn.
//!
//! The interpreter visits every state of the lowered program, buffers included, so it is right by construction. Most programs are small
//! and made for the purpose: plain and atomic stores and loads of all orders, fences, some of them passed by, updates, sections, elements whose index was
//! read, and accesses that overlap in part; what each thread read is asserted about at the end. Every fourth is one of those that
//! the other comparisons use.

use super::generate::{Generated, Piece, generate};
use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::interp::{Domain, Limits, enumerate};
use ir::{Model, Properties, Property, Task, Verdict, Why};
use logic::Prng;
use std::time::{Duration, Instant};

const QUESTION: &[Property] = &[Property::ErrorCall, Property::Assertion, Property::Deadlock];

/// How long the engine may think about one question.
const LIMIT: Duration = Duration::from_secs(10);
/// How many states the interpreter visits at most.
const MAX_STATES: usize = 15_000;

enum Outcome {
    /// Both say the same.
    Agree {
        is_bad: bool,
    },
    /// There are too many states, or the engine gave no answer.
    Undecided,
    /// The front end does not take it.
    Refused(String),
    Differ(String),
}

/// `cargo xtask fuzz --engine bmc --model tso|pso [--count N] [--seed S]`; true if nothing differs.
pub(crate) fn run(model: Model, count: u64, first: u64) -> bool {
    let started = Instant::now();
    let (mut n_agree, mut n_undecided, mut n_differ, mut n_unsafe, mut n_weak) = (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut seed = first;
    while n_agree + n_differ < count {
        let program = program(seed);
        match compare(&program, seed, model) {
            Outcome::Agree { is_bad } => {
                n_agree += 1;
                n_unsafe += u64::from(is_bad);
                n_weak += u64::from(is_bad && is_safe_at_once(&program));
            }
            Outcome::Undecided => n_undecided += 1,
            Outcome::Refused(what) | Outcome::Differ(what) => {
                n_differ += 1;
                let small = shrink(program, seed, model);
                println!("seed {seed}: {what}\n{}", small.text());
            }
        }
        seed += 1;
    }
    println!(
        "{model}: {n_agree} programs agree ({n_unsafe} are unsafe, {n_weak} of these safe under sc), {n_differ} differ, \
         {n_undecided} undecided, in {:.1} s",
        started.elapsed().as_secs_f64()
    );
    n_differ == 0
}

fn shrink(program: Generated, seed: u64, model: Model) -> Generated {
    let differs = |program: &Generated| matches!(compare(program, seed, model), Outcome::Differ(_));
    let mut small = program;
    while let Some(less) = small.smaller().into_iter().find(differs) {
        small = less;
    }
    small
}

fn load(generated: &Generated) -> Result<ir::Program, String> {
    let file = std::env::temp_dir().join(format!("ravel-fuzz-weak-{}.c", std::process::id()));
    std::fs::write(&file, generated.text())
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    let loaded = frontend::load(&[file], &Options::default()).map_err(|rejected| {
        let said: Vec<String> = rejected.diagnostics.iter().map(ToString::to_string).collect();
        format!("the front end refuses it: {}", said.join("; "))
    })?;
    Ok(loaded.program)
}

fn limits() -> Limits {
    Limits { max_states: MAX_STATES, domain: Domain::Bits(8), first_only: true, ..Limits::default() }
}

/// Whether nothing goes wrong where stores are in memory at once.
fn is_safe_at_once(generated: &Generated) -> bool {
    let properties = Properties::of(QUESTION);
    load(generated).is_ok_and(|program| enumerate(&program, properties, &limits()).is_safe())
}

fn compare(generated: &Generated, seed: u64, model: Model) -> Outcome {
    let mut program = match load(generated) {
        Ok(program) => program,
        Err(what) => return Outcome::Refused(what),
    };
    program.model = model;
    let procedure = if seed.is_multiple_of(3) { "basic" } else { "theory" };
    let conflicts = if seed.is_multiple_of(2) { "on" } else { "off" };
    let task = Task { program, properties: Properties::of(QUESTION) };
    let truth = enumerate(&task.program, task.properties, &limits());
    let is_bad = !truth.violations.is_empty();
    if truth.incomplete.is_some() && !is_bad {
        return Outcome::Undecided;
    }
    for trace in truth.violations.values() {
        if let Err(error) = ir::replay(&task, trace) {
            return Outcome::Differ(format!("a trace of the interpreter does not replay: {error}"));
        }
    }
    let engine = engine_named("bmc").expect("the engine is in the table");
    let knobs = [("procedure", procedure), ("conflicts", conflicts)];
    let mut run = Run::of(engine.about(), Budget::of_time(LIMIT), &knobs).expect("the knobs are declared");
    match decide(engine, &task, &mut run).verdict() {
        Verdict::Safe(_) if !is_bad => Outcome::Agree { is_bad },
        Verdict::Unsafe(_) if is_bad => Outcome::Agree { is_bad },
        Verdict::Unknown(Why::NotReplayed(what)) => {
            Outcome::Differ(format!("a trace of {procedure} does not replay: {what}"))
        }
        Verdict::Unknown(_) => Outcome::Undecided,
        said => {
            let truth = if is_bad { "unsafe" } else { "safe" };
            let said = if matches!(said, Verdict::Safe(_)) { "safe" } else { "unsafe" };
            Outcome::Differ(format!("the interpreter says {truth}, {procedure} says {said}"))
        }
    }
}

const PLAIN: [&str; 4] = ["x", "y", "x", "z"];
const ATOMIC: [&str; 2] = ["p", "q"];
const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 4] = ["relaxed", "release", "release", "seq_cst"];
const FENCES: [&str; 5] = ["acquire", "release", "acq_rel", "seq_cst", "seq_cst"];

/// Shapes in which the models differ: what each of two threads does first and last, and what it must not have read.
const SHAPES: [[(&str, &str, &str); 2]; 4] = [
    [("x = 1;", "r1 = y;", "o0 >> 2 == 0"), ("y = 1;", "r1 = x;", "o1 >> 2 == 0")],
    [("x = 1;", "y = 1;", "1"), ("r0 = y;", "r1 = x;", "(o1 & 3) == 1 && o1 >> 2 == 0")],
    [("x = 1;", "y = 2;", "x == 1"), ("y = 1;", "x = 2;", "y == 1")],
    [("x = 1;", "y = 1;", "1"), ("y = 2;", "r1 = x;", "y == 2 && o1 >> 2 == 0")],
];

fn program(seed: u64) -> Generated {
    if seed.is_multiple_of(8) {
        return generate(seed);
    }
    let mut random = Prng::new(seed);
    let shape = random.below(6) as usize;
    let n_threads = 2 + usize::from(shape >= SHAPES.len() && random.below(4) == 0);
    let mut wrong: Vec<String> = Vec::new();
    let mut threads: Vec<Vec<Piece>> = Vec::new();
    for index in 0..n_threads {
        let mut body = vec![Piece::Line("int r0 = 0, r1 = 0;".to_string())];
        if let Some(shape) = SHAPES.get(shape) {
            let (first, last, bad) = shape[index];
            body.push(Piece::Line(first.to_string()));
            body.extend((0..random.below(3)).map(|_| statement(&mut random, 0)));
            body.push(Piece::Line(last.to_string()));
            wrong.push(bad.to_string());
        } else {
            let size = if n_threads == 2 { 3 + random.below(2) } else { 2 };
            body.extend((0..size).map(|_| statement(&mut random, 0)));
            wrong.push(format!("(o{index} >> {} & 3) == {}", 2 * random.below(2), random.below(3)));
        }
        body.push(Piece::Line(format!("o{index} = (r0 & 3) | (r1 & 3) << 2;")));
        threads.push(body);
    }
    let finale = vec![Piece::Line(format!("assert(!({}));", wrong.join(" && ")))];
    let globals = "union { unsigned short w; unsigned char c[2]; } u;\nint o0, o1, o2;\n";
    Generated { globals, starts: (0..n_threads).collect(), threads, joins: true, finale }
}

fn statement(random: &mut Prng, depth: u32) -> Piece {
    let line = |text: String| Piece::Line(text);
    let target = random.pick(&["r0", "r1"]).to_string();
    let (plain, atomic, value) = (random.pick(&PLAIN), random.pick(&ATOMIC), 1 + random.below(3));
    match random.below(if depth == 0 { 20 } else { 15 }) {
        0..=3 => line(format!("{plain} = {value};")),
        4..=6 => line(format!("{target} = {plain};")),
        7 => line(format!("atomic_store_explicit(&{atomic}, {value}, memory_order_{});", random.pick(&STORES))),
        8 => line(format!("{target} = atomic_load_explicit(&{atomic}, memory_order_{});", random.pick(&LOADS))),
        9 | 10 => line(format!("atomic_thread_fence(memory_order_{});", random.pick(&FENCES))),
        11 => line(match random.below(3) {
            0 => format!("a[{target} & 1] = {value};"),
            1 => format!("a[{}] = {value};", random.below(2)),
            _ => format!("{target} = a[{}];", random.below(2)),
        }),
        12 => line(match random.below(4) {
            0 => "u.w = 0x0102;".to_string(),
            1 => format!("u.c[{}] = {value};", random.below(2)),
            2 => format!("{target} = u.w;"),
            _ => format!("{target} = u.w >> 8;"),
        }),
        13 => line(format!("{target} = atomic_fetch_add_explicit(&{atomic}, 1, memory_order_relaxed);")),
        14 => line(format!("{plain} = {target} + 1 & 3;")),
        15..=17 => {
            let size = 1 + random.below(2);
            let inside = (0..size).map(|_| statement(random, depth + 1)).collect();
            Piece::Block(format!("if ({target} {} {})", random.pick(&["==", "!="]), random.below(2)), inside)
        }
        18 => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Section("__VERIFIER_atomic_begin();".into(), inside, "__VERIFIER_atomic_end();".into())
        }
        _ => {
            let inside = vec![statement(random, depth + 1)];
            Piece::Section("pthread_mutex_lock(&m);".into(), inside, "pthread_mutex_unlock(&m);".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_programs_agree() {
        for model in [Model::Tso, Model::Pso] {
            assert!(run(model, 12, 70_000), "see above");
        }
    }
}
