//! Which steps matter, and what is said about them? From the interpreter's log to a story.
//!
//! Consecutive steps of one thread on one source line become one row. What a library model does inside is told as the user's call: locks,
//! threads and objects by name, its own variables not at all. A step that changes nothing that anybody could notice
//! makes no row. Rows are numbered as they are shown, and every read of what somebody wrote names the row that wrote it.

use crate::story::{Detail, Effect, Ending, Row, Story};
use crate::style::printable;
use ir::interp::{self, Details, InputKind, Log, LogStep, RaceAccess, Violation, Waiter};
use ir::{HavocKind, Order, Program, Span};

/// The story of a log.
pub fn story(program: &Program, log: &Log) -> Story {
    let threads = labels(program, log);
    let mut rows: Vec<Row> = Vec::new();
    // The row of each step, once it has one; reads refer to the steps that wrote.
    let mut row_of: Vec<Option<usize>> = Vec::with_capacity(log.steps.len());
    for step in &log.steps {
        let line = (step.thread as usize, step.user_span.file, step.user_span.line);
        let is_same_line = |row: &&mut Row| (row.thread, row.span.file, row.span.line) == line;
        if !matters(program, step) {
            // Still the same visit to the line, if more comes: a temporary between two accesses does not end a row.
            row_of.push(None);
            continue;
        }
        let index = match rows.last_mut().filter(is_same_line) {
            Some(_) => rows.len() - 1,
            None => {
                rows.push(row(program, step, rows.len() + 1));
                rows.len() - 1
            }
        };
        row_of.push(Some(index));
        for effect in &step.effects {
            let Some(effect) = told(program, &threads, step, effect, index, &row_of) else { continue };
            if rows[index].effects.last() != Some(&effect) {
                rows[index].effects.push(effect);
            }
        }
    }
    Story { threads, rows }
}

fn row(program: &Program, step: &LogStep, number: usize) -> Row {
    let source = program.sources.line(step.user_span).map(|line| printable(line.trim())).unwrap_or_default();
    Row { step: number, thread: step.thread as usize, span: step.user_span, source, effects: Vec::new() }
}

/// What the threads are called: by the user's function that they run.
fn labels(program: &Program, log: &Log) -> Vec<String> {
    let n_threads = log.steps.iter().map(|step| step.thread as usize + 1).max().unwrap_or(1);
    let started = log.steps.iter().flat_map(|step| &step.effects).filter_map(|effect| match effect {
        interp::Effect::Started { thread, proc } => Some((*thread as usize, proc.as_str())),
        _ => None,
    });
    let mut names: Vec<Option<&str>> = vec![None; n_threads];
    for (thread, proc) in started {
        if thread >= names.len() {
            names.resize(thread + 1, None);
        }
        names[thread] = Some(proc);
    }
    for (thread, name) in names.iter_mut().enumerate() {
        let is_user = |proc: &str| program.proc_named(proc).is_some_and(|id| is_users(program, program.proc(id).span));
        let own = || log.steps.iter().filter(|step| step.thread as usize == thread);
        let first =
            own().find_map(|step| step.stack.iter().map(|frame| frame.proc.as_str()).find(|proc| is_user(proc)));
        *name = first.or(*name);
    }
    let label = |(thread, name): (usize, Option<&str>)| match (thread, name) {
        (0, name) => name.unwrap_or("main").to_string(),
        (thread, Some(name)) => format!("T{thread} {name}"),
        (thread, None) => format!("T{thread}"),
    };
    names.into_iter().enumerate().map(label).collect()
}

/// Whether a place is in the user's own text.
fn is_users(program: &Program, span: Span) -> bool {
    span.is_known() && !program.sources.is_model(span)
}

/// Whether a step makes a row: somebody could notice what it did.
fn matters(program: &Program, step: &LogStep) -> bool {
    let is_model = !is_users(program, step.span);
    step.user_span.is_known()
        && step.effects.iter().any(|effect| match effect {
            interp::Effect::Called { .. } | interp::Effect::Returned { .. } => false,
            interp::Effect::Assigned { .. } => !is_model,
            interp::Effect::Input { kind, .. } => !is_model || matches!(kind, InputKind::Havoc(HavocKind::Input)),
            _ => true,
        })
}

/// What is said about an effect, if anything.
fn told(
    program: &Program,
    threads: &[String],
    step: &LogStep,
    effect: &interp::Effect,
    row: usize,
    row_of: &[Option<usize>],
) -> Option<Effect> {
    let is_model = !is_users(program, step.span);
    let label = |thread: u32| threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"));
    Some(match effect {
        interp::Effect::Read { .. } | interp::Effect::Write { .. } | interp::Effect::Assigned { .. } if is_model => {
            return None;
        }
        interp::Effect::Read { place, value, from } => {
            let writer = from.and_then(|step| row_of.get(step).copied().flatten()).filter(|writer| *writer != row);
            Effect::Read { name: place.clone(), value: value.clone(), written_at: writer.map(|writer| writer + 1) }
        }
        interp::Effect::Write { place, old, new } => {
            Effect::Write { name: place.clone(), old: old.clone(), new: new.clone() }
        }
        interp::Effect::Assigned { name, new, .. } => Effect::Set { name: name.clone(), value: new.clone() },
        interp::Effect::Input { kind: InputKind::Havoc(HavocKind::Input), value } => {
            Effect::Input { value: value.clone() }
        }
        interp::Effect::Input { kind: InputKind::Havoc(HavocKind::Choice), .. } => return None,
        interp::Effect::Input { value, .. } => Effect::Note(format!("reads what was never written: {value}, say")),
        interp::Effect::Started { thread, .. } => Effect::Start { thread: label(*thread) },
        interp::Effect::Joined { thread } => Effect::Join { thread: label(*thread) },
        interp::Effect::Locked { lock, is_shared } => Effect::Lock { name: lock.clone(), is_shared: *is_shared },
        interp::Effect::Unlocked { lock } => Effect::Unlock { name: lock.clone() },
        interp::Effect::Allocated { object, size } if object.starts_with("malloc@") => {
            Effect::Alloc { name: object.clone(), size: *size }
        }
        interp::Effect::Freed { object } if object.starts_with("malloc@") => Effect::Free { name: object.clone() },
        interp::Effect::Finished => Effect::Note("ends".to_string()),
        interp::Effect::ProcessEnded(interp::End::Normal) => Effect::Note("the process ends".to_string()),
        interp::Effect::ProcessEnded(interp::End::Abort) => Effect::Note("the process aborts".to_string()),
        interp::Effect::ProcessEnded(interp::End::Crash) => Effect::Note("the process crashes".to_string()),
        interp::Effect::AtomicBegin if !is_model => Effect::Note("atomic section begins".to_string()),
        interp::Effect::AtomicEnd if !is_model => Effect::Note("atomic section ends".to_string()),
        interp::Effect::Allocated { .. }
        | interp::Effect::Freed { .. }
        | interp::Effect::AtomicBegin
        | interp::Effect::AtomicEnd
        | interp::Effect::Called { .. }
        | interp::Effect::Returned { .. }
        | interp::Effect::Failed { .. } => return None,
    })
}

/// How a log ends.
pub fn ending(program: &Program, log: &Log, story: &Story, violation: &Violation) -> Ending {
    let label = |thread: u32| story.threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"));
    let last_of_thread = log.steps.iter().rev().find(|step| step.thread == violation.thread);
    let span = match last_of_thread {
        Some(step) if !is_users(program, violation.span) => step.user_span,
        _ => violation.span,
    };
    let mut ending = Ending {
        property: violation.property,
        message: violation.message.clone(),
        span,
        thread: Some(violation.thread as usize),
        details: Vec::new(),
    };
    match &violation.details {
        Details::None => {}
        Details::Race(accesses) => {
            let [first, second] = accesses.as_ref();
            ending.message = format!(
                "data race on {}: {} {} and {} {}, in no order",
                second.place,
                label(first.thread),
                verb(first),
                label(second.thread),
                verb(second)
            );
            ending.span = user_place(program, second.span, &second.calls);
            ending.details = accesses.iter().map(|access| race_detail(program, access)).collect();
        }
        Details::Deadlock(waiters) => {
            ending.message = match waiters.len() {
                1 => format!("deadlock: {} waits for ever", label(waiters[0].thread)),
                n => format!("deadlock: {n} threads wait for ever"),
            };
            ending.thread = None;
            ending.details = waiters.iter().map(|waiter| wait_detail(program, waiter, &label)).collect();
        }
        Details::Leak(objects) => {
            let detail = |(name, span): &(String, Span)| Detail {
                thread: None,
                message: format!("{name} is allocated here and never freed"),
                span: *span,
            };
            ending.details = objects.iter().map(detail).collect();
        }
        Details::Lasso { start } => {
            let place = log.steps.get(*start).map_or(Span::NOWHERE, |step| step.user_span);
            let message = "from here on the same steps can repeat for ever".to_string();
            ending.details = vec![Detail { thread: Some(violation.thread as usize), message, span: place }];
        }
    }
    ending
}

fn verb(access: &RaceAccess) -> &'static str {
    match (access.is_free, access.is_write) {
        (true, _) => "frees it",
        (false, true) => "writes it",
        (false, false) => "reads it",
    }
}

fn race_detail(program: &Program, access: &RaceAccess) -> Detail {
    let how = if access.order == Order::Plain { "" } else { " atomically" };
    let locks = if access.locks.is_empty() { "no lock".to_string() } else { access.locks.join(", ") };
    Detail {
        thread: Some(access.thread as usize),
        message: format!("{}{how}, holding {locks}", verb(access).replace("it", &access.place)),
        span: user_place(program, access.span, &access.calls),
    }
}

fn wait_detail(program: &Program, waiter: &Waiter, label: &dyn Fn(u32) -> String) -> Detail {
    let is_thread = waiter.on.starts_with("thread ");
    let waits = match waiter.holder {
        Some(holder) if is_thread => format!("waits for {} to end", label(holder)),
        Some(holder) => format!("waits for {}, which {} holds", waiter.on, label(holder)),
        None => format!("waits for {}", waiter.on),
    };
    let holds = if waiter.locks.is_empty() { String::new() } else { format!("; holds {}", waiter.locks.join(", ")) };
    Detail {
        thread: Some(waiter.thread as usize),
        message: waits + &holds,
        span: user_place(program, waiter.span, &waiter.calls),
    }
}

/// The innermost place in the user's text.
fn user_place(program: &Program, span: Span, calls: &[Span]) -> Span {
    let mut places = std::iter::once(span).chain(calls.iter().rev().copied());
    places.find(|place| is_users(program, *place)).unwrap_or(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::build::Builder;
    use ir::interp::{Outcome, run_random};
    use ir::{Properties, Property};

    /// The story of the first random run that goes wrong.
    fn bad_run(program: &Program, property: Property) -> (Story, Ending) {
        for seed in 0..1000 {
            let run = run_random(program, Properties::of(&[property]), seed, 1000);
            if let Outcome::Violation(violation) = &run.outcome {
                let story = story(program, &run.log);
                let ending = ending(program, &run.log, &story, violation);
                return (story, ending);
            }
        }
        panic!("no run goes wrong");
    }

    fn lost_update() -> Program {
        let mut builder = Builder::new();
        let counter = builder.global("counter", 0);
        let worker = builder.define("worker", |body| {
            let old = body.local("old");
            body.load(old, counter);
            let new = body.plus(old, 1);
            body.store(counter, new);
        });
        let main = builder.define("main", |body| {
            let handles = body.start_all(&[worker, worker]);
            for handle in handles {
                body.join(handle);
            }
            let end = body.local("end");
            body.load(end, counter);
            let cond = body.is(end, 2);
            body.check(cond);
        });
        builder.finish(main)
    }

    #[test]
    fn a_lost_update_is_told() {
        let (story, ending) = bad_run(&lost_update(), Property::Assertion);
        assert_eq!(story.threads, ["main", "T1 worker", "T2 worker"]);
        let effects: Vec<&Effect> = story.rows.iter().flat_map(|row| &row.effects).collect();
        let written: Vec<&&Effect> = effects.iter().filter(|effect| matches!(effect, Effect::Write { .. })).collect();
        assert_eq!(written.len(), 2, "{effects:?}");
        let last_read = effects.iter().rev().find_map(|effect| match effect {
            Effect::Read { value, written_at, .. } => Some((value.as_str(), *written_at)),
            _ => None,
        });
        let (value, written_at) = last_read.expect("main reads the counter");
        assert_eq!(value, "1");
        let writer = &story.rows[written_at.expect("somebody wrote it") - 1];
        assert!(writer.effects.iter().any(|effect| matches!(effect, Effect::Write { .. })), "{writer:?}");
        assert!(story.rows.iter().enumerate().all(|(index, row)| row.step == index + 1));
        assert_eq!((ending.property, ending.thread), (Property::Assertion, Some(0)));
    }

    #[test]
    fn a_race_names_both_accesses() {
        let (_, ending) = bad_run(&lost_update(), Property::Race);
        assert!(ending.message.starts_with("data race on counter: T"), "{}", ending.message);
        assert_eq!(ending.details.len(), 2);
        assert!(ending.details.iter().all(|detail| detail.message.ends_with("holding no lock")), "{ending:?}");
    }

    #[test]
    fn a_deadlock_names_who_waits() {
        let mut builder = Builder::new();
        let gate = builder.global("gate", 0);
        let worker = builder.define("worker", |body| {
            let old = body.local("old");
            body.await_change(old, gate, 1, 0);
        });
        let main = builder.define("main", |body| {
            for handle in body.start_all(&[worker]) {
                body.join(handle);
            }
        });
        let (_, ending) = bad_run(&builder.finish(main), Property::Deadlock);
        let messages: Vec<&str> = ending.details.iter().map(|detail| detail.message.as_str()).collect();
        assert_eq!(messages, ["waits for T1 worker to end", "waits for gate"]);
        assert_eq!(ending.message, "deadlock: 2 threads wait for ever");
    }
}
