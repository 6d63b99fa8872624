//! Are limits kept? Time within a second, memory without being killed, ^C with an answer.

use crate::process::{Scratch, ravel, run, text};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program with far more states than can be visited in a test. The assertions make its numbers matter, and hold; an
/// engine that abstracts proves them at once.
const HUGE: &str = "\
#include <assert.h>
#include <pthread.h>
unsigned a, b, c;
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

#[test]
fn the_time_limit_is_kept() {
    let file = Scratch::new("huge_time.c", HUGE.as_bytes());
    let started = Instant::now();
    let output = run(&["verify", file.path(), "--engine=explicit", "--time-limit=2s", "--memory-limit=none"]);
    let took = started.elapsed();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).ends_with("RESULT: unknown\n") && text(&output).contains("time limit"), "{}", text(&output));
    assert!(took < Duration::from_millis(3500), "it took {took:?}");
}

#[test]
fn the_memory_limit_is_kept() {
    let file = Scratch::new("huge_memory.c", HUGE.as_bytes());
    let output = run(&["verify", file.path(), "--engine=explicit", "--time-limit=60s", "--memory-limit=100M"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output));
    assert!(text(&output).contains("memory limit"), "{}", text(&output));
}

#[test]
fn an_interrupt_gives_an_answer() {
    let file = Scratch::new("huge_interrupt.c", HUGE.as_bytes());
    let child = ravel(&["verify", file.path(), "--engine=explicit", "--time-limit=60s"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_millis(1500));
    let started = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "kill is there");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output).contains("interrupted") && text(&output).ends_with("RESULT: unknown\n"), "{}", text(&output));
    assert!(started.elapsed() < Duration::from_secs(2), "it took {:?}", started.elapsed());
}
