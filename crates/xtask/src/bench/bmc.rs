//! How does the bounded model checker grow? Ten families of programs in growing sizes, with the time of each phase.
//!
//! The programs are written here, since their size is a number in them. Growth is the factor from one size to the next. Times are those of the
//! processor, so that a busy machine does not matter.

use engines::{Budget, Run, decide, engine_named, processor_seconds};
use frontend::Options;
use ir::{Properties, Property, Task, Verdict};
use std::fmt::Write;
use std::time::Duration;

/// A family: its name, its sizes, and the program of a size.
type Family = (&'static str, &'static [u32], fn(u32) -> String);

const FAMILIES: [Family; 10] = [
    ("fib", &[2, 4, 6], fib),
    ("triangular", &[2, 4, 6], triangular),
    ("queue", &[2, 4, 6], queue),
    ("stack", &[2, 4, 6], stack),
    ("ring", &[2, 3, 4], ring),
    ("szymanski", &[1, 2, 3], szymanski),
    ("ticket lock", &[2, 3, 4], ticket),
    ("writers and readers", &[2, 3, 4], readers),
    ("mutex chain", &[2, 4, 6], chain),
    ("sigma", &[2, 4, 6], sigma),
];

const LIMIT: Duration = Duration::from_secs(60);
/// The largest Fibonacci program must be decided in this time.
const FIB_LIMIT: f64 = 5.0;

/// Prints the table; true if no answer is wrong and fib is fast enough.
pub(crate) fn run() -> bool {
    println!(
        "{:20} {:>5} {:>8} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7}",
        "family", "size", "answer", "events", "rf", "unroll s", "encode s", "solve s", "total s", "growth"
    );
    let mut is_fine = true;
    for (name, sizes, write) in FAMILIES {
        let mut before: Option<f64> = None;
        for size in sizes {
            let (word, figures, seconds) = measure(&write(*size));
            let figure = |name: &str| figures.get(name).copied().unwrap_or(0.0);
            let growth = before.map_or("-".to_string(), |before| format!("{:.1}", seconds / before.max(1e-3)));
            println!(
                "{name:20} {size:>5} {word:>8} {:>7} {:>8} {:>8.3} {:>8.3} {:>8.3} {seconds:>8.3} {growth:>7}",
                figure("reads") + figure("writes"),
                figure("rf variables"),
                figure("seconds: unroll"),
                figure("seconds: encode"),
                figure("seconds: solve"),
            );
            before = Some(seconds);
            is_fine &= word != "unsafe" && !(name == "fib" && seconds > FIB_LIMIT);
        }
    }
    is_fine
}

fn measure(text: &str) -> (&'static str, std::collections::BTreeMap<&'static str, f64>, f64) {
    let file = std::env::temp_dir().join(format!("ravel-bench-bmc-{}.c", std::process::id()));
    std::fs::write(&file, text).expect("the temporary folder can be written");
    let loaded = frontend::load(&[file], &Options::default()).expect("the front end knows all that is used here");
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    let task = Task { program: loaded.program, properties };
    let mut run = Run::new(Budget::of_time(LIMIT));
    let started = processor_seconds().unwrap_or_default();
    let verdict = decide(engine_named("bmc").expect("the engine is in the table"), &task, &mut run).verdict();
    let word = match verdict {
        Verdict::Safe(_) => "safe",
        Verdict::Unsafe(_) => "unsafe",
        Verdict::Unknown(_) => "unknown",
    };
    (word, run.statistics.0, processor_seconds().unwrap_or_default() - started)
}

/// A program: globals and functions, the functions that threads run, and what is asserted at the end.
pub(super) fn program(globals: &str, threads: &[String], assertion: &str) -> String {
    let mut text = format!("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n{globals}\n");
    let _ = writeln!(text, "int main(void) {{ pthread_t handles[{}];", threads.len());
    for (index, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "  pthread_create(&handles[{index}], 0, {thread}, 0);");
    }
    for index in 0..threads.len() {
        let _ = writeln!(text, "  pthread_join(handles[{index}], 0);");
    }
    let _ = writeln!(text, "  {assertion}\n  return 0; }}");
    text
}

pub(super) fn names(prefix: &str, n: u32) -> Vec<String> {
    (0..n).map(|index| format!("{prefix}{index}")).collect()
}

pub(super) fn fib(n: u32) -> String {
    let (mut a, mut b) = (1u64, 1u64);
    for _ in 0..2 * n {
        (a, b) = (b, a + b);
    }
    let globals = format!(
        "int i = 1, j = 1;\nvoid *f(void *a) {{ for (int k = 0; k < {n}; k++) i += j; return 0; }}\n\
         void *g(void *a) {{ for (int k = 0; k < {n}; k++) j += i; return 0; }}"
    );
    program(&globals, &["f".into(), "g".into()], &format!("assert(i <= {b} && j <= {b});"))
}

pub(super) fn triangular(n: u32) -> String {
    let limit = 2 * n + 6;
    let globals = format!(
        "int i = 3, j = 6;\nvoid *f(void *a) {{ for (int k = 0; k < {n}; k++) i = j + 1; return 0; }}\n\
         void *g(void *a) {{ for (int k = 0; k < {n}; k++) j = i + 1; return 0; }}"
    );
    program(&globals, &["f".into(), "g".into()], &format!("assert(i <= {limit} + 1 && j <= {limit} + 1);"))
}

fn queue(n: u32) -> String {
    let globals = format!(
        "int q[{n}], head, tail, sum; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *put(void *a) {{ for (int k = 0; k < {n}; k++) {{ pthread_mutex_lock(&m); q[tail++] = k; pthread_mutex_unlock(&m); }} return 0; }}\n\
         void *get(void *a) {{ for (int k = 0; k < {n}; k++) {{ pthread_mutex_lock(&m); if (head < tail) {{ assert(q[head] == head); head++; }} pthread_mutex_unlock(&m); }} return 0; }}"
    );
    program(&globals, &["put".into(), "get".into()], &format!("assert(tail == {n} && head <= tail);"))
}

fn stack(n: u32) -> String {
    let globals = format!(
        "int s[{n}], top; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         void *push(void *a) {{ for (int k = 0; k < {n}; k++) {{ pthread_mutex_lock(&m); s[top++] = 7; pthread_mutex_unlock(&m); }} return 0; }}\n\
         void *pop(void *a) {{ for (int k = 0; k < {n}; k++) {{ pthread_mutex_lock(&m); if (top > 0) {{ top--; assert(s[top] == 7); }} pthread_mutex_unlock(&m); }} return 0; }}"
    );
    program(&globals, &["push".into(), "pop".into()], "assert(top >= 0);")
}

fn ring(n: u32) -> String {
    let mut globals = format!("atomic_int slot[{n}];\n");
    for index in 0..n {
        let next = (index + 1) % n;
        let _ = writeln!(
            globals,
            "void *t{index}(void *a) {{ int v = slot[{index}]; if (v > 0 || {index} == 0) slot[{next}] = v + 1; return 0; }}"
        );
    }
    program(&globals, &names("t", n), &format!("assert(slot[0] <= {n});"))
}

fn szymanski(rounds: u32) -> String {
    let mut globals = "atomic_int flag[2]; int inside;\n".to_string();
    for me in 0..2 {
        let other = 1 - me;
        let _ = writeln!(
            globals,
            "void *t{me}(void *a) {{ for (int k = 0; k < {rounds}; k++) {{ flag[{me}] = 1; while (flag[{other}] >= 3) ; flag[{me}] = 3; \
             if (flag[{other}] == 1) {{ flag[{me}] = 2; while (flag[{other}] != 4) ; }} flag[{me}] = 4; while (flag[{other}] >= 2) ; \
             inside = {me}; assert(inside == {me}); flag[{me}] = 0; }} return 0; }}"
        );
    }
    program(&globals, &names("t", 2), "assert(1);")
}

pub(super) fn ticket(n: u32) -> String {
    let globals = "atomic_int next, serving; int count;\n\
         void *t(void *a) { int mine = atomic_fetch_add(&next, 1); while (serving != mine) ; count++; serving = mine + 1; return 0; }";
    let threads: Vec<String> = (0..n).map(|_| "t".to_string()).collect();
    program(globals, &threads, &format!("assert(count == {n});"))
}

fn readers(n: u32) -> String {
    let mut globals = "int x, y; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\n".to_string();
    globals
        .push_str("void *w(void *a) { pthread_rwlock_wrlock(&l); x++; y++; pthread_rwlock_unlock(&l); return 0; }\n");
    globals.push_str(
        "void *r(void *a) { pthread_rwlock_rdlock(&l); assert(x == y); pthread_rwlock_unlock(&l); return 0; }",
    );
    let threads: Vec<String> = (0..n).flat_map(|_| ["w".to_string(), "r".to_string()]).collect();
    program(&globals, &threads, &format!("assert(x == {n});"))
}

fn chain(n: u32) -> String {
    let mut globals = format!("pthread_mutex_t m[{n}]; int c[{n}];\n");
    let _ = writeln!(
        globals,
        "void *t(void *a) {{ for (int k = 0; k < {n}; k++) {{ pthread_mutex_lock(&m[k]); c[k]++; pthread_mutex_unlock(&m[k]); }} return 0; }}"
    );
    program(&globals, &["t".into(), "t".into()], &format!("for (int k = 0; k < {n}; k++) assert(c[k] == 2);"))
}

fn sigma(n: u32) -> String {
    let mut globals = format!("int a[{n}]; atomic_int at;\n");
    let _ = writeln!(globals, "void *t(void *x) {{ a[atomic_fetch_add(&at, 1)] = 1; return 0; }}");
    let threads: Vec<String> = (0..n).map(|_| "t".to_string()).collect();
    program(&globals, &threads, &format!("int s = 0; for (int k = 0; k < {n}; k++) s += a[k]; assert(s == {n});"))
}
