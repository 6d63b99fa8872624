//! How much faster is `bmc` when several threads share one hard question?
//!
//! Ten programs whose question takes seconds, all of them safe, so that every part has to be refuted. Each is asked with one thread and with several, one after the other,
//! some times; the best time counts. Times are those of the wall, since several threads compute at once: where the cores are not free, say so beside the figures. The processor time of all threads
//! together, as a multiple of what one needs, does not depend on that: with two threads that have something to do all the time, 1.25 times the work is a speed-up of 1.6.

use super::bmc::{fib, names, program, ticket, triangular};
use engines::{Budget, Run, decide, engine_named};
use frontend::Options;
use ir::{Properties, Property, Task, Verdict};
use std::fmt::Write;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(300);

/// The programs.
fn hard() -> [(&'static str, String); 10] {
    [
        ("lost updates, 3 threads of 3", lost_updates(3, 3)),
        ("lost updates, 4 threads of 2", lost_updates(4, 2)),
        ("lost updates, 2 threads of 7", lost_updates(2, 7)),
        ("tickets, 4 threads of 2", tickets(4, 2)),
        ("tickets, 3 threads of 4", tickets(3, 4)),
        ("ticket lock, 8 threads", ticket(8)),
        ("mixed sums, 4 threads", mixed_sums(4)),
        ("fib, 9 rounds", fib(9)),
        ("triangular, 12 rounds", triangular(12)),
        ("crossing, 7 threads", crossing(7)),
    ]
}

/// Prints the table; true if all answers are safe.
pub(super) fn run(threads: usize, rounds: usize) -> bool {
    println!("{:30} {:>9} {:>9} {:>8} {:>6} {:>6}", "program", "1 thread", "threads", "speed-up", "work", "parts");
    let mut is_fine = true;
    let mut logarithms = (Vec::new(), Vec::new());
    for (name, text) in hard() {
        let (mut one, mut many) = (Measured::NONE, Measured::NONE);
        for _ in 0..rounds {
            let (alone, together) = (measure(&text, 1), measure(&text, threads));
            is_fine &= alone.is_some() && together.is_some();
            one = one.better(alone.unwrap_or(Measured::NONE));
            many = many.better(together.unwrap_or(Measured::NONE));
        }
        let (speed_up, work) = (one.seconds / many.seconds, many.work / one.work);
        logarithms.0.push(speed_up.ln());
        logarithms.1.push(work.ln());
        let (one, many, n_parts) = (one.seconds, many.seconds, many.n_parts);
        println!("{name:30} {one:>8.2}s {many:>8.2}s {speed_up:>8.2} {work:>6.2} {n_parts:>6}");
    }
    let mean = |logarithms: &[f64]| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
    let (speed_up, work) = (mean(&logarithms.0), mean(&logarithms.1));
    println!("bmc, {threads} threads, geometric means: speed-up {speed_up:.2}, work {work:.2}");
    is_fine
}

/// What a proof took.
#[derive(Clone, Copy)]
struct Measured {
    /// Seconds that pass, and seconds of all processors.
    seconds: f64,
    work: f64,
    n_parts: f64,
}

impl Measured {
    const NONE: Measured = Measured { seconds: f64::INFINITY, work: f64::INFINITY, n_parts: 0.0 };

    fn better(self, other: Measured) -> Measured {
        if other.seconds < self.seconds { other } else { self }
    }
}

/// Seconds that all threads of this process have had of a processor.
fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What a proof took; nothing if there is none.
fn measure(text: &str, threads: usize) -> Option<Measured> {
    let file = std::env::temp_dir().join(format!("ravel-bench-cubes-{}.c", std::process::id()));
    std::fs::write(&file, text).ok()?;
    let program = frontend::load(&[file], &Options::default()).ok()?.program;
    let task = Task { program, properties: Properties::of(&[Property::ErrorCall, Property::Assertion]) };
    let engine = engine_named("bmc")?;
    let threads = threads.to_string();
    let mut run = Run::of(engine.about(), Budget::of_time(LIMIT), &[("threads", &threads)]).ok()?;
    let (started, before) = (Instant::now(), processor_time());
    let verdict = decide(engine, &task, &mut run).verdict();
    let n_parts = run.statistics.0.get("cubes").copied().unwrap_or(0.0);
    let measured = Measured { seconds: started.elapsed().as_secs_f64(), work: processor_time() - before, n_parts };
    matches!(verdict, Verdict::Safe(_)).then_some(measured)
}

/// Threads that add one by a read and a write; two at least get through, and nothing is added twice.
fn lost_updates(threads: u32, rounds: u32) -> String {
    let globals = format!(
        "atomic_int c;\nvoid *t(void *a) {{ for (int k = 0; k < {rounds}; k++) {{ int now = c; c = now + 1; }} return 0; }}"
    );
    let names = vec!["t".to_string(); threads as usize];
    program(&globals, &names, &format!("assert(c >= 2 && c <= {});", threads * rounds))
}

/// A ticket lock that each thread takes several times.
fn tickets(threads: u32, rounds: u32) -> String {
    let globals = format!(
        "atomic_int next, serving, count;\nvoid *t(void *a) {{ for (int k = 0; k < {rounds}; k++) {{ \
         int mine = atomic_fetch_add(&next, 1); while (serving != mine) ; count = count + 1; serving = serving + 1; }} return 0; }}"
    );
    let names = vec!["t".to_string(); threads as usize];
    program(&globals, &names, &format!("assert(count == {});", threads * rounds))
}

/// Threads that mix small inputs into one word.
fn mixed_sums(threads: u32) -> String {
    let mut globals = "extern int __VERIFIER_nondet_int(void);\natomic_uint s;\n".to_string();
    for index in 0..threads {
        let _ = writeln!(
            globals,
            "unsigned v{index}; void *t{index}(void *a) {{ v{index} = __VERIFIER_nondet_int() & 7; \
             unsigned now = s; s = now ^ (v{index} * 3u); s = s + v{index}; return 0; }}"
        );
    }
    let sum: Vec<String> = (0..threads).map(|index| format!("v{index} * 20")).collect();
    program(&globals, &names("t", threads), &format!("assert(s <= {} + 31);", sum.join(" + ")))
}

/// Each thread writes its number to its own place and its neighbour's, and counts what it sees of others.
fn crossing(threads: u32) -> String {
    let mut globals = format!("atomic_int x[{threads}]; atomic_int seen;\n");
    for index in 0..threads {
        let next = (index + 1) % threads;
        let _ = writeln!(
            globals,
            "void *t{index}(void *a) {{ x[{index}] = {index} + 1; x[{next}] = {index} + 1; \
             if (x[{index}] != {index} + 1) {{ int now = seen; seen = now + 1; }} return 0; }}"
        );
    }
    program(&globals, &names("t", threads), &format!("assert(seen <= {threads} && x[0] != 0);"))
}
