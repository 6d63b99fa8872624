//! `cargo xtask bench weak`: programs under memory models. Families that grow, by symbols and by enumeration; implementations of locks; chains of updates.
//!
//! Symbolic questions go to `bmc` under rc11, enumerations to `graphs`; the sizes are those at which the best published stateless checker was last measured to finish in half a minute of the
//! processor, and eight for the symbolic side. Locks are the cases of `cases/locks`, three threads each, with and without the orders that they need. A chain is one increment of one cell by each of many threads, as a C
//! program and as a litmus test, under every model: what a solver would go through all orders for.
//!
//! Times and limits are those of the processor, so that a busy machine does not matter. A wrong answer is a failure; what is not decided in time is printed as unknown or late, and is one, too.

use super::bmc::{names, program};
use engines::axiomatic::{self, Goal, Question};
use engines::{Budget, Decided, Run, decide, engine_named, processor_seconds};
use ir::{Axioms, Model, Properties, Property, Task};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A family: its name, its size by symbols and by enumeration, and the program of a size.
type Family = (&'static str, u32, u32, fn(u32) -> String);

const FAMILIES: [Family; 5] = [
    ("writers and readers", 8, 5, readers),
    ("ticket lock", 8, 8, ticket),
    ("Treiber stack", 8, 5, treiber),
    ("store-buffering ring", 8, 8, ring),
    ("fib", 8, 6, fib),
];

const LOCKS: [&str; 7] = ["ttas", "ticket", "mcs", "clh", "qspin", "rwlock", "seqlock"];
const LOCK_MODELS: [&str; 4] = ["rc11", "imm", "aarch64", "power"];

const MODELS: [&str; 10] =
    ["sc.cat", "tso.cat", "pso.cat", "power", "aarch64", "riscv", "c11", "rc11", "imm", "linux-kernel"];
/// Threads of a chain.
const LONGEST: u32 = 16;

const FAMILY_LIMIT: Duration = Duration::from_secs(30);
const LOCK_LIMIT: Duration = Duration::from_secs(60);
const CHAIN_LIMIT: Duration = Duration::from_secs(10);
/// How much longer than the processor's time it may take, on a machine that does other things.
const BUSY: u32 = 8;

/// Prints the tables; true if everything is decided, and right.
pub(crate) fn run() -> bool {
    println!("{:34} {:>14} {:>8} {:>8} {:>8}", "what", "model", "expected", "answer", "s");
    let mut is_fine = true;
    for (name, symbolic, enumerated, write) in FAMILIES {
        for (engine, n) in [("bmc", symbolic), ("graphs", enumerated)] {
            let answer = measure(&written(&write(n)), "rc11", engine, FAMILY_LIMIT);
            is_fine &= told(&format!("{name} {n} by {engine}"), "rc11", "safe", &answer);
        }
    }
    for lock in LOCKS {
        for (file, expected) in [(lock.to_string(), "safe"), (format!("{lock}_relaxed"), "unsafe")] {
            for model in LOCK_MODELS {
                let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../cases/locks/{file}.c"));
                is_fine &= told(&format!("lock {file}"), model, expected, &measure(&path, model, "bmc", LOCK_LIMIT));
            }
        }
    }
    for model in MODELS {
        let answer = measure(&written(&chain(LONGEST)), model, "bmc", CHAIN_LIMIT);
        is_fine &= told(&format!("chain of {LONGEST}, C"), model, "safe", &answer);
        let answer = litmus(&chain_test(LONGEST, model), model);
        is_fine &= told(&format!("chain of {LONGEST}, litmus test"), model, "safe", &answer);
    }
    is_fine
}

type Answer = (&'static str, f64);

fn told(what: &str, model: &str, expected: &str, (said, seconds): &Answer) -> bool {
    println!("{what:34} {model:>14} {expected:>8} {said:>8} {seconds:>8.2}");
    *said == expected
}

fn written(text: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!("ravel-bench-weak-{}.c", std::process::id()));
    std::fs::write(&file, text).expect("the temporary folder can be written");
    file
}

fn measure(file: &Path, model: &str, engine: &str, limit: Duration) -> Answer {
    let options = frontend::Options::default();
    let loaded = frontend::load(&[file.to_path_buf()], &options).expect("the front end knows all that is used here");
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    let mut task = Task { program: loaded.program, properties };
    let axioms = Axioms { name: model.to_string(), ..Axioms::default() };
    (task.program.model, task.program.axioms) = (Model::Cat, Some(Arc::new(axioms)));
    let started = processor_seconds().unwrap_or_default();
    let mut run = Run::new(Budget::of_time(limit * BUSY));
    let word = match decide(engine_named(engine).expect("the engine is in the table"), &task, &mut run) {
        Decided::Safe(..) => "safe",
        Decided::Unsafe(_) => "unsafe",
        Decided::Unknown(_) => "unknown",
    };
    in_time(word, processor_seconds().unwrap_or_default() - started, limit)
}

/// An answer that took too much of the processor is none.
fn in_time(word: &'static str, seconds: f64, limit: Duration) -> Answer {
    (if seconds > limit.as_secs_f64() { "late" } else { word }, seconds)
}

/// What is said of a litmus test that asks for a lost update.
fn litmus(text: &str, model: &str) -> Answer {
    let started = processor_seconds().unwrap_or_default();
    let test = frontend::litmus::parse("chain.litmus", text, &Default::default()).expect("it is a litmus test");
    let cat = memory::cat::load(model, &|_| None, &Default::default()).expect("our models load");
    let question = Question { goal: Goal::Verdict, with_flags: false, ..Question::default() };
    let begun = Instant::now();
    let answer = axiomatic::answer(&test, &cat, &question, &|| begun.elapsed() >= CHAIN_LIMIT * BUSY);
    let word = match answer.ok().and_then(|answer| answer.decided(&test)) {
        Some(true) => "unsafe",
        Some(false) => "safe",
        None => "unknown",
    };
    in_time(word, processor_seconds().unwrap_or_default() - started, CHAIN_LIMIT)
}

/// The same thread many times.
fn alike(globals: &str, body: &str, n: u32, assertion: &str) -> String {
    let threads = vec!["run".to_string(); n as usize];
    program(&format!("{globals}\nvoid *run(void *a) {{ {body} return 0; }}"), &threads, assertion)
}

fn chain(n: u32) -> String {
    let body = "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);";
    alike("atomic_int x;", body, n, &format!("assert(atomic_load_explicit(&x, memory_order_relaxed) == {n});"))
}

/// A chain as a test in a dialect that the model is for.
fn chain_test(n: u32, model: &str) -> String {
    let mut text = String::new();
    let columns = |of: &dyn Fn(u32) -> String| (0..n).map(of).collect::<Vec<_>>().join(" | ");
    let rows = |head: &str, registers: &dyn Fn(u32) -> String, lines: &[&str], condition: &str| {
        let mut text = format!("{head}\n{{\n");
        (0..n).for_each(|thread| text.push_str(&registers(thread)));
        let _ = writeln!(text, "}}\n{} ;", columns(&|thread| format!("P{thread}")));
        for line in lines {
            let _ = writeln!(text, "{} ;", columns(&|_| (*line).to_string()));
        }
        let _ = writeln!(text, "exists (~({condition}={n}))");
        text
    };
    match model {
        "aarch64" => {
            let registers = |thread| format!("{thread}:X1=x;\n");
            text = rows("AArch64 chain", &registers, &["MOV W0,#1", "LDADD W0,W2,[X1]"], "x");
        }
        "riscv" => {
            let registers = |thread| format!("{thread}:x6=x;\n");
            text = rows("RISCV chain", &registers, &["ori x5,x0,1", "amoadd.w x7,x5,(x6)"], "x");
        }
        "tso.cat" | "pso.cat" | "sc.cat" => {
            let registers = |_| String::new();
            text = rows("X86 chain", &registers, &["MOV EAX,$1", "LOCK XADD [x],EAX"], "x");
        }
        "linux-kernel" => {
            text.push_str("C chain\n\n{}\n\n");
            (0..n).for_each(|thread| {
                let _ = writeln!(text, "P{thread} (atomic_t *x) {{ atomic_inc(x); }}\n");
            });
            let _ = writeln!(text, "exists (~(x={n}))");
        }
        _ => {
            text.push_str("C chain\n\n{}\n\n");
            (0..n).for_each(|thread| {
                let body = "int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);";
                let _ = writeln!(text, "P{thread} (atomic_int *x) {{ {body} }}\n");
            });
            let _ = writeln!(text, "exists (~([x]={n}))");
        }
    }
    text
}

fn readers(n: u32) -> String {
    let mut globals = "atomic_int x;\n".to_string();
    for value in 0..n {
        let _ = writeln!(
            globals,
            "void *w{value}(void *a) {{ atomic_store_explicit(&x, {value} + 1, memory_order_relaxed); return 0; }}\n\
             void *r{value}(void *a) {{ assert(atomic_load_explicit(&x, memory_order_relaxed) <= {n}); return 0; }}"
        );
    }
    program(&globals, &[names("w", n), names("r", n)].concat(), "")
}

fn ticket(n: u32) -> String {
    let body = "int t = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);\n\
                while (atomic_load_explicit(&serving, memory_order_acquire) != t);\n\
                c++; atomic_store_explicit(&serving, t + 1, memory_order_release);";
    alike("atomic_int next, serving; int c;", body, n, &format!("assert(c == {n});"))
}

fn treiber(n: u32) -> String {
    let mut globals = format!(
        "struct node {{ int value; struct node *next; }};\nstruct node nodes[{n}];\n_Atomic(struct node *) top;\n\
         void push(struct node *x) {{ struct node *t; do {{ t = atomic_load_explicit(&top, memory_order_acquire); x->next = t; }}\n\
         while (!atomic_compare_exchange_strong_explicit(&top, &t, x, memory_order_release, memory_order_relaxed)); }}\n\
         struct node *pop(void) {{ struct node *t, *n; do {{ t = atomic_load_explicit(&top, memory_order_acquire); if (!t) return 0; n = t->next; }}\n\
         while (!atomic_compare_exchange_strong_explicit(&top, &t, n, memory_order_acq_rel, memory_order_relaxed)); return t; }}\n"
    );
    for thread in 0..n {
        let body = if thread % 2 == 0 {
            format!("nodes[{thread}].value = 1; push(&nodes[{thread}]);")
        } else {
            "struct node *p = pop(); if (p) assert(p->value > 0);".to_string()
        };
        let _ = writeln!(globals, "void *t{thread}(void *a) {{ {body} return 0; }}");
    }
    program(&globals, &names("t", n), "")
}

fn ring(n: u32) -> String {
    let mut globals = format!("atomic_int x[{n}];\n");
    for thread in 0..n {
        let next = (thread + 1) % n;
        let _ = writeln!(
            globals,
            "void *t{thread}(void *a) {{ atomic_store_explicit(&x[{thread}], 1, memory_order_relaxed);\n\
             assert(atomic_load_explicit(&x[{next}], memory_order_relaxed) <= 1); return 0; }}"
        );
    }
    program(&globals, &names("t", n), "")
}

fn fib(n: u32) -> String {
    let (mut a, mut b) = (1u64, 1u64);
    for _ in 0..2 * n {
        (a, b) = (b, a + b);
    }
    let thread = |name: &str, own: &str, other: &str| {
        format!(
            "void *{name}(void *z) {{ for (int k = 0; k < {n}; k++) {{ int a = atomic_load_explicit(&{own}, memory_order_relaxed);\n\
             int b = atomic_load_explicit(&{other}, memory_order_relaxed);\n\
             atomic_store_explicit(&{own}, a + b, memory_order_relaxed); }} return 0; }}\n"
        )
    };
    let globals = format!("atomic_int i = 1, j = 1;\n{}{}", thread("f", "i", "j"), thread("g", "j", "i"));
    program(&globals, &["f".into(), "g".into()], &format!("assert(i <= {b} && j <= {b});"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_of_every_dialect_are_tests_that_lose_no_update() {
        for model in MODELS {
            assert_eq!(litmus(&chain_test(3, model), model).0, "safe", "{model}");
        }
        assert_eq!(litmus(&chain_test(LONGEST, "rc11"), "rc11").0, "safe", "not by going through all orders");
    }
}
