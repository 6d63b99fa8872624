//! Which steps matter, and what is said about them? From the interpreter's log to a story.
//!
//! Consecutive steps of one thread on one source line become one row. What a library model does inside is told as the user's call: locks,
//! threads and objects by name, its own variables not at all. A step that changes nothing that anybody could notice
//! makes no row. Rows are numbered as they are shown, and every read of what somebody wrote names the row that wrote it.

use crate::story::{Detail, Effect, Ending, Row, Story};
use crate::style::printable;
use ir::interp::{self, ASSERTION_FAILED, Details, InputKind, Log, LogStep, RaceAccess, Violation, Waiter};
use ir::{HavocKind, Order, Program, Property, Span};
use std::collections::BTreeSet;
use std::ops::Range;

/// Heap objects are named by the line that made them; the file's name is left out where there is only one.
fn shorten(program: &Program, text: &str) -> String {
    if !text.contains(HEAP) {
        return text.to_string();
    }
    let spans = program.procs.iter().map(|proc| proc.span).filter(|span| is_users(program, *span));
    let users: BTreeSet<&str> = spans.map(|span| program.sources.path(span)).collect();
    let mut text = text.to_string();
    for path in &users {
        let base = path.rsplit('/').next().unwrap_or(path);
        let short = if users.len() == 1 { HEAP.to_string() } else { format!("{HEAP}{base}:") };
        text = text.replace(&format!("{HEAP}{path}:"), &short);
    }
    text
}

/// How names of heap objects begin.
const HEAP: &str = "malloc@";

/// The story of a log that ends with a violation, and how it ends.
pub fn tell(program: &Program, log: &Log, violation: &Violation, detail: bool) -> (Story, Ending) {
    let mut story = story(program, log, detail);
    let ending = ending(program, log, &story, violation);
    // What happened on the last line may have had no effect but to go wrong.
    if let (Details::None | Details::Race(_), Some(thread)) = (&violation.details, ending.thread) {
        let line = (thread, ending.span.file, ending.span.line);
        let is_told = story.rows.last().is_some_and(|row| (row.thread, row.span.file, row.span.line) == line);
        if !is_told && ending.span.is_known() {
            let step = story.rows.len() + 1;
            story.rows.push(Row { step, ..row(program, thread, ending.span) });
        }
    }
    (story, ending)
}

fn row(program: &Program, thread: usize, span: Span) -> Row {
    let source = program.sources.line(span).map(|line| printable(line.trim())).unwrap_or_default();
    Row { step: 0, thread, span, source, effects: Vec::new() }
}

/// The story of a log. With `detail` everything is told that has a place in the user's text.
pub fn story(program: &Program, log: &Log, detail: bool) -> Story {
    let mut teller = Teller { program, threads: labels(program, log), rows: Vec::new(), row_of: Vec::new(), detail };
    let n_threads = teller.threads.len();
    let last = log.steps.len().saturating_sub(1);
    for (index, step) in log.steps.iter().enumerate() {
        // A lone thread's reads of what it wrote itself are the whole story; beside others they only distract.
        teller.tell(step, log, detail || n_threads == 1 || index == last);
    }
    let Teller { threads, mut rows, .. } = teller;
    if !detail && n_threads > 1 {
        drop_prelude(&mut rows);
    }
    number(&mut rows);
    Story { threads, rows }
}

/// What has been told so far.
struct Teller<'a> {
    program: &'a Program,
    threads: Vec<String>,
    rows: Vec<Row>,
    /// The rows in which each step wrote; reads refer to the steps that wrote.
    row_of: Vec<Option<usize>>,
    detail: bool,
}

impl Teller<'_> {
    /// Adds a step: its effects go to rows by their lines.
    fn tell(&mut self, step: &LogStep, log: &Log, tells_own_reads: bool) {
        let mut last_write = None;
        for (index, (effect, place)) in step.effects.iter().zip(&step.places).enumerate() {
            if !place.is_known() || !self.matters(step, effect) {
                continue;
            }
            // What was chosen for an unwritten variable stands right before the effect that uses it.
            let about = match effect {
                interp::Effect::Input { .. } => step.effects.get(index + 1),
                _ => Some(effect),
            };
            if !self.detail && about.is_some_and(is_of_a_macro) {
                continue;
            }
            let is_own = |from: &usize| log.steps.get(*from).is_some_and(|writer| writer.thread == step.thread);
            if let interp::Effect::Read { from: Some(from), .. } = effect
                && !tells_own_reads
                && is_own(from)
            {
                continue;
            }
            let row = self.row(step, *place);
            let told = self.told(step, effect);
            let writes = matches!(
                effect,
                interp::Effect::Write { .. } | interp::Effect::Buffered { .. } | interp::Effect::Committed { .. }
            );
            if writes {
                last_write = Some(row);
            }
            if let Some(told) = told
                && self.rows[row].effects.last() != Some(&told)
            {
                self.rows[row].effects.push(told);
            }
        }
        self.row_of.push(last_write);
    }

    /// The row for a line: the last one, if it is the same thread's on the same line.
    fn row(&mut self, step: &LogStep, place: Span) -> usize {
        let line = (step.thread as usize, place.file, place.line);
        if self.rows.last().is_none_or(|row| (row.thread, row.span.file, row.span.line) != line) {
            self.rows.push(row(self.program, step.thread as usize, place));
        }
        self.rows.len() - 1
    }

    /// Whether an effect makes a row: somebody could notice it.
    fn matters(&self, step: &LogStep, effect: &interp::Effect) -> bool {
        let is_model = !is_users(self.program, step.span);
        match effect {
            interp::Effect::Called { .. } | interp::Effect::Returned { .. } => self.detail && !is_model,
            interp::Effect::Failed { .. } => false,
            interp::Effect::Assigned { .. } => !is_model,
            interp::Effect::Input { kind, .. } => !is_model || matches!(kind, InputKind::Havoc(HavocKind::Input)),
            _ => true,
        }
    }

    fn short(&self, text: &str) -> String {
        shorten(self.program, text)
    }

    /// What is said about an effect, if anything.
    fn told(&self, step: &LogStep, effect: &interp::Effect) -> Option<Effect> {
        let is_model = !is_users(self.program, step.span);
        let label = |thread: u32| self.threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"));
        Some(match effect {
            interp::Effect::Read { .. }
            | interp::Effect::Write { .. }
            | interp::Effect::Buffered { .. }
            | interp::Effect::Committed { .. }
            | interp::Effect::Assigned { .. }
                if is_model =>
            {
                return None;
            }
            interp::Effect::Read { place, value, from } => {
                let writer = from.and_then(|step| self.row_of.get(step).copied().flatten());
                Effect::Read { name: self.short(place), value: self.short(value), written_at: writer }
            }
            interp::Effect::Write { place, old, new } => Effect::Write {
                name: self.short(place),
                old: old.as_ref().map(|old| self.short(old)),
                new: self.short(new),
            },
            interp::Effect::Buffered { place, new } => Effect::Buffer { name: self.short(place), new: self.short(new) },
            interp::Effect::Committed { thread, place, old, new } => Effect::Commit {
                thread: label(*thread),
                name: self.short(place),
                old: old.as_ref().map(|old| self.short(old)),
                new: self.short(new),
            },
            interp::Effect::Assigned { name, new, .. } => Effect::Set { name: name.clone(), value: self.short(new) },
            interp::Effect::Input { kind: InputKind::Havoc(HavocKind::Input), value } => {
                Effect::Input { value: value.clone() }
            }
            interp::Effect::Input { kind: InputKind::Havoc(HavocKind::Choice), .. } => return None,
            interp::Effect::Input { value, .. } => Effect::Note(format!("not initialised; here it is {value}")),
            interp::Effect::Started { thread, .. } => Effect::Start { thread: label(*thread) },
            interp::Effect::Joined { thread } => Effect::Join { thread: label(*thread) },
            interp::Effect::Locked { lock, is_shared } => {
                Effect::Lock { name: self.short(lock), is_shared: *is_shared }
            }
            interp::Effect::Unlocked { lock } => Effect::Unlock { name: self.short(lock) },
            interp::Effect::Allocated { object, size } if object.starts_with(HEAP) => {
                Effect::Alloc { name: self.short(object), size: *size }
            }
            interp::Effect::Freed { object } if object.starts_with(HEAP) => Effect::Free { name: self.short(object) },
            interp::Effect::Finished => Effect::Note("ends".to_string()),
            interp::Effect::ProcessEnded(interp::End::Normal) => Effect::Note("the process ends".to_string()),
            interp::Effect::ProcessEnded(interp::End::Abort) => Effect::Note("the process aborts".to_string()),
            interp::Effect::ProcessEnded(interp::End::Crash) => Effect::Note("the process crashes".to_string()),
            interp::Effect::AtomicBegin if !is_model => Effect::Note("atomic section begins".to_string()),
            interp::Effect::AtomicEnd if !is_model => Effect::Note("atomic section ends".to_string()),
            interp::Effect::Called { proc, args } => Effect::Note(format!("calls {proc}({})", args.join(", "))),
            interp::Effect::Returned { proc } => Effect::Note(format!("returns from {proc}")),
            interp::Effect::Allocated { .. }
            | interp::Effect::Freed { .. }
            | interp::Effect::AtomicBegin
            | interp::Effect::AtomicEnd
            | interp::Effect::Failed { .. } => return None,
        })
    }
}

/// Whether an effect is on a variable that a macro of `<stdatomic.h>` declares: the user has never heard of it.
fn is_of_a_macro(effect: &interp::Effect) -> bool {
    match effect {
        interp::Effect::Assigned { name, .. } => name.starts_with("__atomic_"),
        interp::Effect::Read { place, .. } | interp::Effect::Write { place, .. } => place.starts_with("__atomic_"),
        _ => false,
    }
}

/// Before the first thread is started there is nothing to interleave: only what others can see later is told.
fn drop_prelude(rows: &mut Vec<Row>) {
    let starts = |row: &Row| row.effects.iter().any(|effect| matches!(effect, Effect::Start { .. }));
    let first = rows.iter().position(starts).unwrap_or(0);
    let is_private = |effect: &Effect| matches!(effect, Effect::Set { .. } | Effect::Note(_));
    let mut kept = vec![0; rows.len()];
    let mut n_kept = 0;
    for (index, row) in rows.iter().enumerate() {
        kept[index] = n_kept;
        n_kept += usize::from(index >= first || !row.effects.iter().all(is_private));
    }
    let writer = |effect: &mut Effect| {
        if let Effect::Read { written_at: Some(row), .. } = effect {
            *row = kept[*row];
        }
    };
    rows.iter_mut().flat_map(|row| &mut row.effects).for_each(writer);
    let mut index = 0;
    rows.retain(|row| {
        index += 1;
        index > first || !row.effects.iter().all(is_private)
    });
}

/// Gives rows their numbers, and reads the numbers of the rows that wrote; a row's own writes need none.
fn number(rows: &mut [Row]) {
    for (index, row) in rows.iter_mut().enumerate() {
        row.step = index + 1;
        for effect in &mut row.effects {
            if let Effect::Read { written_at, .. } = effect {
                *written_at = written_at.filter(|writer| *writer != index).map(|writer| writer + 1);
            }
        }
    }
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

/// How a log ends.
fn ending(program: &Program, log: &Log, story: &Story, violation: &Violation) -> Ending {
    let label = |thread: u32| story.threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"));
    let last_of_thread = log.steps.iter().rev().find(|step| step.thread == violation.thread);
    let span = match last_of_thread {
        Some(step) if !is_users(program, violation.span) => step.user_span,
        _ => violation.span,
    };
    let mut ending = Ending {
        property: violation.property,
        message: message(program, violation, span),
        span,
        thread: Some(violation.thread as usize),
        details: Vec::new(),
    };
    match &violation.details {
        Details::None => {}
        Details::Race(accesses) => {
            let [first, second] = accesses.as_ref();
            ending.message = format!(
                "data race on {}: {} {} it and {} {} it, in no order",
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
    ending.span = on_text(program, ending.span);
    if ending.property == Property::Assertion {
        ending.span = on_assertion(program, ending.span, &ending.message);
    }
    ending.message = shorten(program, &ending.message);
    for detail in &mut ending.details {
        detail.message = shorten(program, &detail.message);
        detail.span = on_text(program, detail.span);
    }
    ending
}

/// A place behind the text of its line (what comes from a macro can have one) becomes the whole line.
fn on_text(program: &Program, span: Span) -> Span {
    let line = program.sources.line(span).unwrap_or("");
    let (start, end) = (line.len() - line.trim_start().len(), line.trim_end().chars().count());
    if end == 0 || (span.column as usize) <= end {
        return span;
    }
    Span { column: start as u32 + 1, end_column: end as u32 + 1, ..span }
}

/// The macro `assert` hides where its parts stand; its own text on the line is what is meant. Of several on a line it is the
/// one with the text that failed, or else the last one that starts before the place.
fn on_assertion(program: &Program, span: Span, message: &str) -> Span {
    let line = program.sources.line(span).unwrap_or("");
    let column = |byte: usize| line[..byte].chars().count() as u32 + 1;
    let found = assertions_of(line);
    let text = message.strip_prefix(ASSERTION_FAILED).map(|text| text.trim_start_matches(": "));
    let same = |place: &&Range<usize>| {
        let condition = parenthesised(&line[(*place).clone()]).map(|inner| &line[(*place).clone()][inner]);
        condition.is_some_and(|condition| text.is_some_and(|text| without_blanks(condition) == without_blanks(text)))
    };
    let is_before = |place: &&Range<usize>| column(place.start) <= span.column.max(1);
    let named = text.is_some_and(|text| !text.is_empty());
    let meant = if named {
        found.iter().filter(same).rfind(is_before).or_else(|| found.iter().find(same))
    } else {
        found.iter().rfind(is_before).or(found.first())
    };
    match meant {
        Some(place) => Span { column: column(place.start), end_column: column(place.end), ..span },
        None => span,
    }
}

/// Where the words with `assert` in them and the parentheses after them stand on a line.
fn assertions_of(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = line[from..].find("assert").map(|at| from + at) {
        let Some(condition) = parenthesised(&line[start..]) else { break };
        from = start + condition.end + 1;
        found.push(start..from);
    }
    found
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What went wrong, with the text of a failing assertion: as the assertion itself tells it, or else as the line has it.
fn message(program: &Program, violation: &Violation, span: Span) -> String {
    match violation.property {
        Property::Assertion if violation.message.starts_with(ASSERTION_FAILED) => printable(&violation.message),
        Property::Assertion => {
            let line = program.sources.line(span).unwrap_or("");
            let place = on_assertion(program, span, "");
            let starts = |range: &&Range<usize>| line[..range.start].chars().count() as u32 + 1 == place.column;
            let found = assertions_of(line);
            let text = found.iter().find(starts).map_or("", |range| &line[range.clone()]);
            match parenthesised(text) {
                Some(condition) => format!("{ASSERTION_FAILED}: {}", printable(text[condition].trim())),
                None => ASSERTION_FAILED.to_string(),
            }
        }
        Property::ErrorCall => "the error call is reached".to_string(),
        _ => violation.message.clone(),
    }
}

/// Where the text between the first parenthesis and the one that closes it stands.
fn parenthesised(text: &str) -> Option<Range<usize>> {
    let start = text.find('(')? + 1;
    let mut depth = 1usize;
    for (index, c) in text[start..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(start..start + index);
        }
    }
    None
}

fn verb(access: &RaceAccess) -> &'static str {
    match (access.is_free, access.is_write) {
        (true, _) => "frees",
        (false, true) => "writes",
        (false, false) => "reads",
    }
}

fn race_detail(program: &Program, access: &RaceAccess) -> Detail {
    let how = if access.order == Order::Plain { "" } else { " atomically" };
    let locks = if access.locks.is_empty() { "no lock".to_string() } else { access.locks.join(", ") };
    Detail {
        thread: Some(access.thread as usize),
        message: format!("{} {}{how}, holding {locks}", verb(access), access.place),
        span: user_place(program, access.span, &access.calls),
    }
}

fn wait_detail(program: &Program, waiter: &Waiter, label: &dyn Fn(u32) -> String) -> Detail {
    let is_thread = waiter.on.starts_with("thread ");
    let waits = match waiter.holder {
        Some(holder) if is_thread => format!("waits for {} to end", label(holder)),
        Some(holder) if waiter.is_over => {
            format!("waits for {}, which {} holds and has ended", waiter.on, label(holder))
        }
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
    use ir::Properties;
    use ir::build::Builder;
    use ir::interp::{RunEnd, run_random};

    /// The story of the first random run that goes wrong.
    fn bad_run(program: &Program, property: Property) -> (Story, Ending) {
        for seed in 0..1000 {
            let run = run_random(program, Properties::of(&[property]), seed, 1000);
            if let RunEnd::Violation(violation) = &run.outcome {
                return tell(program, &run.log, violation, false);
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
