//! Small programs whose answers are known, and random ones that the interpreter answers by trying everything.

use super::Bmc;
use crate::explicit::agrees::{SETS, program};
use crate::{Budget, Engine, Run, decide};
use ir::build::{Body, Builder};
use ir::interp::{Domain, Limits, enumerate};
use ir::{Model, Program, Properties, Property, Task, Verdict, Why};
use logic::VarId;
use std::time::Duration;

pub(super) const PROCEDURES: [[&str; 2]; 4] = [["theory", "on"], ["theory", "off"], ["basic", "on"], ["basic", "off"]];

pub(super) fn run(program: &Program, properties: Properties, [procedure, conflicts]: [&str; 2]) -> (Verdict, Run) {
    let task = Task { program: program.clone(), properties };
    let knobs = [("procedure", procedure), ("conflicts", conflicts)];
    let mut run = Run::of(Bmc.about(), Budget::unlimited(), &knobs).expect("the knobs are declared");
    let decided = decide(&Bmc, &task, &mut run);
    (decided.verdict(), run)
}

fn check(program: &Program, is_safe: bool) {
    for procedure in PROCEDURES {
        let (verdict, _) = run(program, Properties::of(&[Property::Assertion]), procedure);
        match verdict {
            Verdict::Safe(_) => assert!(is_safe, "{procedure:?} misses it"),
            Verdict::Unsafe(_) => assert!(!is_safe, "{procedure:?} finds what is not there"),
            Verdict::Unknown(why) => panic!("{procedure:?}: {why:?}"),
        }
    }
}

/// Threads that run side by side; what they read is asserted about once they have ended.
fn parallel(globals: usize, threads: &[Vec<Access>], bad: &[(usize, i64)]) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let names: Vec<VarId> = (0..globals).map(|index| builder.global(&format!("x{index}"), 0)).collect();
    let n_reads = threads.iter().flatten().filter(|access| matches!(access, Access::Read(_))).count();
    let seen: Vec<VarId> = (0..n_reads).map(|index| builder.global(&format!("seen{index}"), 0)).collect();
    let mut next = 0;
    let procs: Vec<_> = threads
        .iter()
        .enumerate()
        .map(|(index, accesses)| {
            builder.define(&format!("t{index}"), |body| {
                for access in accesses {
                    match *access {
                        Access::Write(place, value) => body.set(names[place], value),
                        Access::Read(place) => {
                            let local = body.local(&format!("r{next}"));
                            body.load(local, names[place]);
                            let value = body.var(local);
                            body.store(seen[next], value);
                            next += 1;
                        }
                    }
                }
            })
        })
        .collect();
    builder.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
        assert_not_all(body, &seen, bad);
    });
    builder.finish(main)
}

#[derive(Clone, Copy)]
enum Access {
    Write(usize, i64),
    Read(usize),
}
use Access::{Read as R, Write as W};

fn assert_not_all(body: &mut Body<'_>, seen: &[VarId], bad: &[(usize, i64)]) {
    let mut all = Vec::new();
    for (read, value) in bad {
        let local = body.local(&format!("s{read}"));
        body.load(local, seen[*read]);
        all.push(body.is(local, *value));
    }
    let all = body.pool().and_all(&all);
    let cond = body.pool().not(all);
    body.check(cond);
}

#[test]
fn litmus_tests_have_their_sequentially_consistent_outcomes() {
    let store_buffering = vec![vec![W(0, 1), R(1)], vec![W(1, 1), R(0)]];
    check(&parallel(2, &store_buffering, &[(0, 0), (1, 0)]), true);
    check(&parallel(2, &store_buffering, &[(0, 0), (1, 1)]), false);
    let message = vec![vec![W(0, 1), W(1, 1)], vec![R(1), R(0)]];
    check(&parallel(2, &message, &[(0, 1), (1, 0)]), true);
    let coherence = vec![vec![W(0, 1)], vec![W(0, 2)], vec![R(0), R(0)], vec![R(0), R(0)]];
    check(&parallel(1, &coherence, &[(0, 1), (1, 2), (2, 2), (3, 1)]), true);
    check(&parallel(1, &coherence, &[(0, 1), (1, 2), (2, 1), (3, 2)]), false);
}

/// Each thread writes to both places and reads back what the other wrote to one of them: every pair of reads is weakly consistent, but
/// together they order the writes in a circle.
#[test]
fn what_is_only_weakly_sequentially_consistent_is_not_reported() {
    let circle = |n: usize| -> (Vec<Vec<Access>>, Vec<(usize, i64)>) {
        let mut threads = Vec::new();
        for index in 0..n {
            let next = (index + 1) % n;
            threads.push(vec![W(index, 1), W(next, 2)]);
        }
        // All observers agree that each thread's second write is before the next thread's first one.
        let mut bad = Vec::new();
        for index in 0..n {
            threads.push(vec![R(index), R(index)]);
            bad.extend([(2 * index, 2), (2 * index + 1, 1)]);
        }
        (threads, bad)
    };
    for n in 2..4 {
        let (threads, bad) = circle(n);
        check(&parallel(n, &threads, &bad), true);
        let (threads, bad) = circle(n);
        check(&parallel(n, &threads, &bad[2..]), false);
    }
    // Without anybody watching, only the last values tell: each place ends with the first write to it.
    for (n, is_safe) in [(2, true), (3, true)] {
        let mut threads = circle(n).0;
        threads.truncate(n);
        check(&ends(n, &threads, &vec![1; n]), is_safe);
        let mut some = vec![1; n];
        some[0] = 2;
        check(&ends(n, &threads, &some), false);
    }
}

/// Threads without reads; main asserts that the places do not all end with these values.
fn ends(globals: usize, threads: &[Vec<Access>], values: &[i64]) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let names: Vec<VarId> = (0..globals).map(|index| builder.global(&format!("x{index}"), 0)).collect();
    let procs: Vec<_> = threads
        .iter()
        .enumerate()
        .map(|(index, accesses)| {
            builder.define(&format!("t{index}"), |body| {
                for access in accesses {
                    if let W(place, value) = *access {
                        body.set(names[place], value);
                    }
                }
            })
        })
        .collect();
    builder.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
        let bad: Vec<(usize, i64)> = values.iter().copied().enumerate().collect();
        assert_not_all(body, &names, &bad);
    });
    builder.finish(main)
}

/// Figure 5.3: `if (y == 1) x = 1; else x = 1 - y` beside `y = x; x = 1 - y; assert(x == 1 || y == 1)`.
#[test]
fn the_running_example_has_its_answer() {
    for (is_weaker, is_safe) in [(true, false), (false, true)] {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let (x, y) = (builder.global("x", 0), builder.global("y", 0));
        let first = builder.define("first", |body| {
            let a = body.local("a");
            body.load(a, y);
            let is_one = body.is(a, 1);
            body.branch(
                is_one,
                |body| body.set(x, 1),
                |body| {
                    let b = body.local("b");
                    body.load(b, y);
                    let (one, b) = (body.int(1), body.var(b));
                    let value = body.pool().sub(one, b);
                    body.store(x, value);
                },
            );
        });
        let second = builder.define("second", |body| {
            let (a, b) = (body.local("a"), body.local("b"));
            body.load(a, x);
            let value = body.var(a);
            body.store(y, value);
            body.load(b, y);
            let (one, b) = (body.int(1), body.var(b));
            let value = body.pool().sub(one, b);
            body.store(x, value);
            let (c, d) = (body.local("c"), body.local("d"));
            body.load(c, x);
            body.load(d, y);
            // What the first thread writes may be the last thing in x: 0 after y became 1, and x was 1 before.
            let (is_x, is_y) = (body.is(c, 1), body.is(d, 1));
            let is_none = if is_weaker { is_x } else { body.pool().or(is_x, is_y) };
            body.check(is_none);
        });
        builder.body(main, |body| {
            for handle in body.start_all(&[first, second]) {
                body.join(handle);
            }
        });
        check(&builder.finish(main), is_safe);
    }
}

/// Two threads write the same place, or one fails; the second one is started inside of an atomic section, before a loop of at least `least` rounds.
fn started_in_a_section(least: i64, fails: bool) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let (x, total) = (builder.global("x", 0), builder.global("total", 0));
    let writer = builder.define("writer", |body| body.set(x, 1));
    let second = match fails {
        true => builder.define("failing", |body| {
            let no = body.pool().bool(false);
            body.check(no);
        }),
        false => writer,
    };
    builder.body(main, |body| {
        let [n, i, sum] = ["n", "i", "sum"].map(|name| body.local(name));
        let [first_handle, second_handle] = ["first", "second"].map(|name| body.pointer(name));
        body.input(n);
        let (rounds, least) = (body.var(n), body.int(least));
        let is_less = body.pool().slt(rounds, least);
        let is_long = body.pool().not(is_less);
        body.assume(is_long);
        body.start(first_handle, writer, &[]);
        body.atomically(|body| {
            body.start(second_handle, second, &[]);
            let goes_on = |body: &mut Body<'_>| {
                let (i, n) = (body.var(i), body.var(n));
                body.pool().slt(i, n)
            };
            body.repeat(goes_on, |body| {
                body.load(sum, total);
                let more = body.plus(sum, 1);
                body.store(total, more);
                let next = body.plus(i, 1);
                body.assign(i, next);
            });
        });
    });
    builder.finish(main)
}

/// A section whose loop is cut does not come to its end, so what it has started does not run: neither is there a race with it, nor does it fail.
#[test]
fn threads_of_sections_that_do_not_end_are_not_started() {
    for (fails, property) in [(false, Property::Race), (true, Property::Assertion)] {
        for (least, is_found) in [(0, true), (3, false)] {
            let task = Task { program: started_in_a_section(least, fails), properties: Properties::of(&[property]) };
            let mut run = Run::of(Bmc.about(), Budget::of_time(Duration::from_secs(20)), &[("unwind", "1")])
                .expect("the knobs are declared");
            match decide(&Bmc, &task, &mut run).verdict() {
                Verdict::Unsafe(trace) => assert!(is_found && trace.violation == property, "{property:?}, {least}"),
                Verdict::Unknown(Why::Bound(_)) => assert!(!is_found, "{property:?}, {least}"),
                other => panic!("{property:?}, {least}: {other:?}"),
            }
        }
    }
}

/// A section reads 0 or 1 and goes round as long as it is more. That a bound is too small must follow from what was read, although the section does not end.
#[test]
fn loops_in_sections_are_too_long_only_for_what_was_read() {
    for (written, is_short) in [(1, true), (5, false)] {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let x = builder.global("x", 0);
        let writer = builder.define("writer", |body| body.set(x, written));
        builder.body(main, |body| {
            let a = body.local("a");
            body.start_all(&[writer]);
            let is_more = |body: &mut Body<'_>| {
                let (one, a) = (body.int(1), body.var(a));
                body.pool().slt(one, a)
            };
            body.atomically(|body| {
                body.load(a, x);
                body.repeat(is_more, |body| {
                    let less = body.plus(a, -1);
                    body.assign(a, less);
                });
            });
            let more = is_more(body);
            let is_less = body.pool().not(more);
            body.check(is_less);
        });
        let task = Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) };
        let budget = Budget::of_time(Duration::from_secs(20));
        let mut run = Run::of(Bmc.about(), budget, &[("unwind", "1")]).expect("the knobs are declared");
        match decide(&Bmc, &task, &mut run).verdict() {
            Verdict::Safe(_) => assert!(is_short),
            Verdict::Unknown(Why::Bound(_)) => assert!(!is_short),
            other => panic!("{written}: {other:?}"),
        }
    }
}

/// Whether the interpreter and the engine could be compared; what they differ in.
pub(super) fn agree(seed: u64, size: u64, model: Model) -> Result<bool, String> {
    let properties = Properties::of(SETS[seed as usize % SETS.len()]);
    if properties.has(Property::Termination) || properties.has(Property::MemTrack) {
        return Ok(false);
    }
    let properties = if model.has_buffers() { properties.without(Property::Race) } else { properties };
    let mut program = program(seed, size, properties);
    program.model = model;
    let limits = Limits { max_states: 4_000, domain: Domain::Bits(4), first_only: false, ..Limits::default() };
    let oracle = enumerate(&program, properties, &limits);
    if oracle.incomplete.is_some() && oracle.violations.is_empty() {
        return Ok(false);
    }
    let found: Vec<&Property> = oracle.violations.keys().collect();
    let task = Task { program, properties };
    let budget = Budget::of_time(Duration::from_secs(3));
    let threads = if seed.is_multiple_of(3) { "3" } else { "1" };
    let knobs = [("unwind", "4"), ("threads", threads)];
    let verdict = match seed % 3 {
        2 => decide_by_parts(&task, &budget, &knobs, 4).0,
        _ => decide(&Bmc, &task, &mut Run::of(Bmc.about(), budget, &knobs).expect("they are declared")).verdict(),
    };
    match verdict {
        Verdict::Safe(_) if found.is_empty() => Ok(true),
        Verdict::Safe(_) => Err(format!("{seed}: safe, but the interpreter finds {found:?}")),
        Verdict::Unsafe(trace) if found.contains(&&trace.violation) || oracle.incomplete.is_some() => Ok(true),
        Verdict::Unsafe(trace) => Err(format!("{seed}: finds {:?}, the interpreter {found:?}", trace.violation)),
        Verdict::Unknown(Why::Bound(_) | Why::TimeLimit(_)) => Ok(false),
        Verdict::Unknown(why) => Err(format!("{seed}: {why:?}, the interpreter finds {found:?}")),
    }
}

/// What comes of cutting a question into parts, looking at each with a run of its own, and putting the answers together; and how many parts there were.
fn decide_by_parts(task: &Task, budget: &Budget, knobs: &[(&str, &str)], n: usize) -> (Verdict, usize) {
    let run_with = |name, value: &str| {
        let knobs: Vec<(&str, &str)> = knobs.iter().copied().chain([(name, value), ("hard", "1")]).collect();
        let mut run = Run::of(Bmc.about(), budget.clone(), &knobs).expect("they are declared");
        let verdict = decide(&Bmc, task, &mut run).verdict();
        (verdict, run.parts)
    };
    let (verdict, parts) = run_with("cubes", &n.to_string());
    if parts.open.is_empty() {
        return (verdict, 0);
    }
    let mut refuted = parts.refuted;
    let mut open = None;
    for part in &parts.open {
        let (verdict, of_part) = run_with("cube", part);
        match verdict {
            Verdict::Unsafe(_) => return (verdict, parts.open.len()),
            Verdict::Safe(_) => panic!("one part says nothing of the others"),
            Verdict::Unknown(_) if !of_part.refuted.is_empty() => refuted.extend(of_part.refuted),
            Verdict::Unknown(why) => open = Some(why),
        }
    }
    let verdict = match open {
        Some(why) => Verdict::Unknown(why),
        None => {
            assert!(super::cover_everything(&refuted), "{refuted:?}");
            Verdict::Safe(ir::Proof::Unrolled { events: 0 })
        }
    };
    (verdict, parts.open.len())
}

/// Two threads add 1 so many times, each by a read and a write; afterwards the sum is not this.
fn lost_updates(rounds: usize, sum: i64) -> Program {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let x = builder.global("x", 0);
    let adds = builder.define("adds", |body| {
        for round in 0..rounds {
            let local = body.local(&format!("r{round}"));
            body.load(local, x);
            let more = body.plus(local, 1);
            body.store(x, more);
        }
    });
    builder.body(main, |body| {
        for handle in body.start_all(&[adds, adds]) {
            body.join(handle);
        }
        let end = body.local("end");
        body.load(end, x);
        let is_it = body.is(end, sum);
        let cond = body.pool().not(is_it);
        body.check(cond);
    });
    builder.finish(main)
}

#[test]
fn workers_that_share_a_question_answer_as_one_does() {
    let rounds = 4;
    for sum in [1, 2, 3, 2 * rounds, 2 * rounds + 1] {
        let is_safe = sum == 1 || sum > 2 * rounds;
        let task =
            Task { program: lost_updates(rounds as usize, sum), properties: Properties::of(&[Property::Assertion]) };
        for procedure in ["theory", "basic"] {
            let knobs = [("threads", "3"), ("procedure", procedure)];
            let mut run = Run::of(Bmc.about(), Budget::unlimited(), &knobs).expect("they are declared");
            let verdict = decide(&Bmc, &task, &mut run).verdict();
            assert_eq!(matches!(verdict, Verdict::Safe(_)), is_safe, "{sum} {procedure}: {verdict:?}");
            assert_eq!(matches!(verdict, Verdict::Unsafe(_)), !is_safe, "{sum} {procedure}: {verdict:?}");
            let n_cubes = run.statistics.0.get("cubes").copied().unwrap_or(0.0);
            assert!(!is_safe || n_cubes > 1.0, "{sum} {procedure}: it is shared out, {n_cubes} parts");
            let knobs = [("procedure", procedure)];
            let (verdict, n_parts) = decide_by_parts(&task, &Budget::unlimited(), &knobs, 8);
            assert_eq!(matches!(verdict, Verdict::Safe(_)), is_safe, "{sum} {procedure}: {verdict:?}");
            assert!(!is_safe || n_parts > 1, "{sum} {procedure}: it is cut up, {n_parts} parts");
        }
    }
}

#[test]
fn random_programs_have_the_answers_of_trying_everything() {
    let results: Vec<Result<bool, String>> = (0..400).map(|seed| agree(seed, 3, Model::Sc)).collect();
    let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(wrong.is_empty(), "{} differ:\n{wrong:#?}", wrong.len());
    let n_compared = results.iter().filter(|result| **result == Ok(true)).count();
    assert!(n_compared > 100, "only {n_compared} programs could be compared");
}
