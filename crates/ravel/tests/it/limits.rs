//! Are limits kept? Time within a second, memory without being killed, ^C with an answer.

use crate::process::{Scratch, complaint, ravel, run, text};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program with far more states than can be visited in a test. The assertions make its numbers matter, and hold; an
/// engine that abstracts proves them at once.
const HUGE: &str = "\
#include <assert.h>
#include <pthread.h>
_Atomic unsigned a, b, c;
void *one(void *arg) { for (;;) { a++; b += a; assert(a * 2 % 2 == 0); } return 0; }
void *two(void *arg) { for (;;) { b++; c += b; assert(b * 2 % 2 == 0); } return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    for (;;) { c++; a += c; assert(c * 2 % 2 == 0); }
    return 0;
}
";

/// Likewise in OOX: every path has a million steps.
const HUGE_OOX: &str = "class Main { static void main(int x) { int i := x; while (true) { if (i > 5) { i := i + 2; } else { i := i + 1; } } } }\n";

/// Likewise as a litmus test: nine threads that write and read one place.
fn huge_litmus() -> String {
    let line = |cell: &dyn Fn(usize) -> String| format!(" {} ;\n", (0..9).map(cell).collect::<Vec<_>>().join(" | "));
    let mut text = format!("X86 huge\n{{ }}\n{}", line(&|thread| format!("P{thread}")));
    for round in 0..4 {
        text += &line(&|thread| format!("MOV [x],${}", thread + round + 1));
        text += &line(&|_| "MOV EAX,[x]".to_string());
    }
    text + "exists (0:EAX=77)\n"
}

/// A program in each language that takes too long, with the options that make it so.
fn all_languages(name: &str) -> Vec<(Scratch, &'static [&'static str])> {
    vec![
        (Scratch::new(&format!("{name}.c"), HUGE.as_bytes()), &["--engine=explicit"]),
        (
            Scratch::new(&format!("{name}.oox"), HUGE_OOX.as_bytes()),
            &["--entry=Main.main", "--depth=1000000", "--symbolic.match=off"],
        ),
        (Scratch::new(&format!("{name}.litmus"), huge_litmus().as_bytes()), &["--axiomatic.method=enumerate"]),
    ]
}

#[test]
fn the_time_limit_is_kept() {
    for (file, options) in all_languages("time") {
        let started = Instant::now();
        let words = [&["verify", file.path(), "--time-limit=2s", "--memory-limit=none"], options].concat();
        let output = run(&words);
        let took = started.elapsed();
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        let said = text(&output);
        assert!(said.ends_with("RESULT: unknown\n") && said.contains("time limit of 2 s"), "{said}");
        assert!(took < Duration::from_millis(3500), "{} took {took:?}", file.path());
    }
}

#[test]
fn the_memory_limit_is_kept() {
    for (file, options) in all_languages("memory") {
        // C programs need some to be read.
        let limit = if file.path().ends_with(".c") { "--memory-limit=100M" } else { "--memory-limit=8M" };
        let output = run(&[&["verify", file.path(), "--time-limit=60s", limit], options].concat());
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        assert!(text(&output).contains("memory limit"), "{}", text(&output));
    }
    let file = Scratch::new("memory_of_all.litmus", huge_litmus().as_bytes());
    let output = run(&["litmus", file.path(), "--method=enumerate", "--memory-limit=8M"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(complaint(&output).contains("the memory limit of 8 MiB was reached"), "{}", complaint(&output));
}

/// What a process says that is interrupted after a while.
fn interrupted(words: &[&str]) -> std::process::Output {
    let child = ravel(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    std::thread::sleep(Duration::from_millis(1500));
    let started = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill is there");
    let output = child.wait_with_output().expect("it ends");
    assert!(started.elapsed() < Duration::from_secs(2), "{words:?} took {:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(3), "{words:?}");
    output
}

#[test]
fn an_interrupt_gives_an_answer() {
    for (file, options) in all_languages("interrupt") {
        let output = interrupted(&[&["verify", file.path(), "--time-limit=60s"], options].concat());
        let said = text(&output);
        assert!(said.contains("interrupted") && said.ends_with("RESULT: unknown\n"), "{said}");
    }
    // Of several litmus tests those that are done are told.
    let file = Scratch::new("interrupt_of_all.litmus", huge_litmus().as_bytes());
    let done = "cases/litmus/x86/store-buffering.litmus";
    let output = interrupted(&["litmus", done, file.path(), "--method=enumerate"]);
    assert!(text(&output).contains("Observation store-buffering Sometimes 1 3"), "{}", text(&output));
    assert!(complaint(&output).contains("interrupt_of_all.litmus: interrupted"), "{}", complaint(&output));
}
