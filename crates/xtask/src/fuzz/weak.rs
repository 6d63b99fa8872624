//! Does the bounded model checker say what a store-buffer interpreter says? Random programs under `tso` and `pso`, both procedures in turn.
//!
//! The interpreter visits every state of the lowered program, buffers included, so it is right by construction. Most programs are small
//! and made for the purpose: plain and atomic stores and loads of all orders, fences, some of them passed by, updates, sections, elements whose index was
//! read, and accesses that overlap in part; what each thread read is asserted about at the end. Every fourth is one of those that
//! the other comparisons use.

use super::generate::{Generated, Piece, generate};
use engines::{Run, decide, engine_named};
use frontend::Options;
use ir::interp::{Domain, Limits, enumerate};
use ir::{Model, Properties, Property, Task, Verdict, Why};
use logic::Prng;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const QUESTIONS: [(&str, &[Property]); 2] =
    [("assertions", &[Property::ErrorCall, Property::Assertion]), ("deadlock", &[Property::Deadlock])];

/// How long the engine may think about one question.
const LIMIT: Duration = Duration::from_secs(10);
/// How many states the interpreter visits at most.
const MAX_STATES: usize = 60_000;

enum Outcome {
    /// All answers agree; how many were violations.
    Agree(usize),
    /// There are too many states, or the engine gave no answer.
    Undecided,
    /// The front end does not take it.
    Refused(String),
    Differ(String),
}

/// `cargo xtask fuzz --engine bmc --model tso|pso [--count N] [--seed S]`; true if nothing differs.
pub(crate) fn run(model: Model, count: u64, first: u64) -> bool {
    let started = Instant::now();
    let (mut n_agree, mut n_undecided, mut n_differ, mut n_unsafe, mut n_weak) = (0u64, 0u64, 0u64, 0usize, 0u64);
    let mut seed = first;
    while n_agree + n_differ < count {
        let program = program(seed);
        match compare(&program, seed, model) {
            Outcome::Agree(violations) => {
                n_agree += 1;
                n_unsafe += violations;
                n_weak += u64::from(violations > 0 && is_safe_at_once(&program));
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
        "{model}: {n_agree} programs agree ({n_unsafe} violations among {} answers; {n_weak} programs are safe under sc), {n_differ} differ, \
         {n_undecided} undecided, in {:.1} s",
        n_agree as usize * QUESTIONS.len(),
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
    Limits { max_states: MAX_STATES, domain: Domain::Bits(8), first_only: true }
}

/// Whether nothing goes wrong where stores are in memory at once.
fn is_safe_at_once(generated: &Generated) -> bool {
    let properties = Properties::of(QUESTIONS[0].1);
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
    let mut n_unsafe = 0;
    for (question, properties) in QUESTIONS {
        let task = Task { program: program.clone(), properties: Properties::of(properties) };
        let truth = enumerate(&task.program, task.properties, &limits());
        let is_bad = !truth.violations.is_empty();
        if truth.incomplete.is_some() && !is_bad {
            return Outcome::Undecided;
        }
        for trace in truth.violations.values() {
            if let Err(error) = ir::replay(&task, trace) {
                return Outcome::Differ(format!("{question}: a trace of the interpreter does not replay: {error}"));
            }
        }
        let engine = engine_named("bmc").expect("the engine is in the table");
        let mut run = Run::new(Some(LIMIT), None, Arc::new(AtomicBool::new(false)));
        run.knobs = [("procedure", procedure), ("conflicts", conflicts)]
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .into();
        match decide(engine, &task, &mut run).verdict {
            Verdict::Safe(_) if !is_bad => {}
            Verdict::Unsafe(_) if is_bad => n_unsafe += 1,
            Verdict::Unknown(Why::NotReplayed(what)) => {
                return Outcome::Differ(format!("{question}: a trace of {procedure} does not replay: {what}"));
            }
            Verdict::Unknown(_) => return Outcome::Undecided,
            said => {
                let truth = if is_bad { "unsafe" } else { "safe" };
                let said = if matches!(said, Verdict::Safe(_)) { "safe" } else { "unsafe" };
                return Outcome::Differ(format!("{question}: the interpreter says {truth}, {procedure} says {said}"));
            }
        }
    }
    Outcome::Agree(n_unsafe)
}

const PLAIN: [&str; 3] = ["x", "y", "z"];
const ATOMIC: [&str; 2] = ["p", "q"];
const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 4] = ["relaxed", "release", "release", "seq_cst"];
const FENCES: [&str; 5] = ["acquire", "release", "acq_rel", "seq_cst", "seq_cst"];

fn program(seed: u64) -> Generated {
    if seed.is_multiple_of(4) {
        return generate(seed);
    }
    let mut random = Prng::new(seed);
    let n_threads = 2 + usize::from(random.below(5) == 0);
    let threads: Vec<Vec<Piece>> = (0..n_threads)
        .map(|index| {
            let size = if n_threads == 2 { 3 + random.below(3) } else { 2 + random.below(2) };
            let mut body = vec![Piece::Line("int r0 = 0, r1 = 0;".to_string())];
            body.extend((0..size).map(|_| statement(&mut random, 0)));
            body.push(Piece::Line(format!("o{index} = (r0 & 3) | (r1 & 3) << 2;")));
            body
        })
        .collect();
    let mut wrong: Vec<String> = Vec::new();
    for index in 0..n_threads {
        let (shift, value) = (2 * random.below(2), random.below(3));
        if wrong.len() < 2 || random.below(2) == 0 {
            wrong.push(format!("(o{index} >> {shift} & 3) == {value}"));
        }
    }
    if random.below(3) == 0 {
        wrong.push(format!("{} == {}", random.pick(&PLAIN), random.below(3)));
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
