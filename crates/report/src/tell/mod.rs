//! Which steps matter, and what is said about them? From the interpreter's log to a story.
//!
//! Consecutive steps of one thread on one source line, or in one statement where a line has several, become one row. What a library model does inside is told as
//! the user's call: locks, condition variables, threads and objects by name, its own variables and files not at all. A step that changes
//! nothing that anybody could notice makes no row. Rows are numbered as they are shown, and every read of what somebody wrote names the row that wrote it.

mod ending;
mod explain;
pub(crate) mod statements;

use crate::story::{Effect, Ending, Row, Story};
use crate::style::printable;
use ending::ending;
pub use explain::explain;
use ir::interp::{self, Details, InputKind, Log, LogStep, Violation};
use ir::{HavocKind, Mark, Program, Span, message};
use logic::VarId;
use statements::{statement_at, text_of};
use std::collections::{BTreeMap, BTreeSet};

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
        let last = row(program, thread, ending.span);
        let is_told = story.rows.last().is_some_and(|told| is_same(program, told, &last));
        if !is_told && is_users(program, ending.span) {
            let step = story.rows.len() + 1;
            story.rows.push(Row { step, ..last });
        }
    }
    (story, ending)
}

fn row(program: &Program, thread: usize, span: Span) -> Row {
    let line = program.sources.line(span).unwrap_or_default();
    let (span, source) = match statement_at(line, span.column) {
        Some(found) => {
            let span = Span { column: found.start as u32, end_column: found.end as u32, ..span };
            (span, printable(&text_of(line, found)))
        }
        None => (span, printable(line.trim())),
    };
    Row { step: 0, thread, span, source, effects: Vec::new() }
}

/// Whether two rows are about the same thread and the same statement.
fn is_same(program: &Program, a: &Row, b: &Row) -> bool {
    let statement = |row: &Row| program.sources.line(row.span).and_then(|line| statement_at(line, row.span.column));
    (a.thread, a.span.file, a.span.line) == (b.thread, b.span.file, b.span.line) && statement(a) == statement(b)
}

/// The story of a log. With `detail` everything is told that has a place in the user's text.
pub fn story(program: &Program, log: &Log, detail: bool) -> Story {
    let mut teller = Teller {
        program,
        threads: labels(program, log),
        of_models: variables_of_models(program),
        rows: Vec::new(),
        row_of: Vec::new(),
        waiting: BTreeMap::new(),
        detail,
    };
    let n_threads = teller.threads.len();
    let last = log.steps.len().saturating_sub(1);
    for (index, step) in log.steps.iter().enumerate() {
        // A lone thread's reads of what it wrote itself are the whole story; beside others they only distract.
        teller.tell(step, log, detail || n_threads == 1 || index == last);
    }
    let Teller { threads, mut rows, .. } = teller;
    if !detail {
        drop_rows(&mut rows, n_threads > 1);
    }
    number(&mut rows);
    Story { threads, rows }
}

/// What has been told so far.
struct Teller<'a> {
    program: &'a Program,
    threads: Vec<String>,
    /// Variables that only library models have.
    of_models: BTreeSet<String>,
    rows: Vec<Row>,
    /// The rows in which each step wrote; reads refer to the steps that wrote.
    row_of: Vec<Option<usize>>,
    /// Who waits on which condition variable, and whether somebody has signalled it since.
    waiting: BTreeMap<u32, (String, bool)>,
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
            let Some(place) = self.user_place(step, *place, effect) else { continue };
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
            let row = self.row(step, place);
            let told = match effect {
                interp::Effect::Synchronised { mark, object } => {
                    Some(self.synchronised(step.thread, *mark, object.as_deref()))
                }
                effect => self.told(step, effect),
            };
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

    /// Where an effect is told. What happens outside of the user's text is not, but that a thread ends: that is told where it was last.
    fn user_place(&self, step: &LogStep, place: Span, effect: &interp::Effect) -> Option<Span> {
        if is_users(self.program, place) {
            return Some(place);
        }
        let last = self.rows.iter().rev().find(|row| row.thread == step.thread as usize);
        last.filter(|_| matches!(effect, interp::Effect::Finished)).map(|row| row.span)
    }

    /// The row for a place: the last one, if it is the same thread's in the same statement.
    fn row(&mut self, step: &LogStep, place: Span) -> usize {
        let new = row(self.program, step.thread as usize, place);
        if self.rows.last().is_none_or(|last| !is_same(self.program, last, &new)) {
            self.rows.push(new);
        }
        self.rows.len() - 1
    }

    /// What is said about an object of the thread library.
    fn synchronised(&mut self, thread: u32, mark: Mark, object: Option<&str>) -> Effect {
        let name = object.map(|object| self.short(object));
        let shown = name.clone().unwrap_or_default();
        let (kind, text) = match mark {
            Mark::Waits => {
                self.waiting.insert(thread, (shown.clone(), false));
                ("wait", format!("waits on {shown}"))
            }
            Mark::Woken | Mark::WokenEarly => {
                let is_signalled = self.waiting.remove(&thread).is_some_and(|(_, is_signalled)| is_signalled);
                let text = match (mark, &name) {
                    (Mark::Woken, None) => "stops waiting: time runs out".to_string(),
                    (Mark::Woken, Some(_)) => format!("is woken by a signal on {shown}"),
                    _ if is_signalled => format!("wakes up on {shown}"),
                    _ => format!("wakes up on {shown} without a signal"),
                };
                ("wake", text)
            }
            Mark::Signals | Mark::Broadcasts => {
                let mut reached = self.waiting.values_mut().filter(|(on, _)| *on == shown).peekable();
                let nobody = if reached.peek().is_none() { ", where nobody waits" } else { "" };
                reached.for_each(|(_, is_signalled)| *is_signalled = true);
                let (kind, verb) =
                    if mark == Mark::Signals { ("signal", "signals") } else { ("broadcast", "wakes all on") };
                (kind, format!("{verb} {shown}{nobody}"))
            }
            Mark::Busy => ("busy", format!("finds {shown} locked")),
            Mark::Down if name.is_none() => ("busy", "finds the semaphore at 0".to_string()),
            Mark::Down => ("down", format!("takes one from {shown}")),
            Mark::Up => ("up", format!("adds one to {shown}")),
            Mark::Arrives => ("arrive", format!("comes to {shown}")),
            Mark::Passes => ("pass", format!("goes on from {shown}")),
            Mark::Locked | Mark::ReadLocked => ("lock", format!("locks {shown}")),
            Mark::Unlocked => ("unlock", format!("unlocks {shown}")),
        };
        Effect::Sync { kind, name, text }
    }

    /// Whether an effect makes a row: somebody could notice it.
    fn matters(&self, step: &LogStep, effect: &interp::Effect) -> bool {
        let is_model = !is_users(self.program, step.span);
        match effect {
            interp::Effect::Called { .. } | interp::Effect::Returned { .. } => self.detail && !is_model,
            interp::Effect::Failed { .. } => false,
            interp::Effect::Assigned { name, .. } => !is_model && !self.of_models.contains(name),
            interp::Effect::Input { kind, .. } => !is_model || matches!(kind, InputKind::Havoc(HavocKind::Input)),
            _ => true,
        }
    }

    /// Whether a place is in an object of a library model.
    fn is_of_models(&self, place: &str) -> bool {
        self.of_models.contains(place.split(['[', '.']).next().unwrap_or(place))
    }

    /// Whether an effect is on a variable that nobody has declared, of which passes speak. Their names may be those of the program's, too: then all are told.
    fn is_of_ghost(&self, effect: &interp::Effect) -> bool {
        let (interp::Effect::Read { place, .. }
        | interp::Effect::Write { place, .. }
        | interp::Effect::Buffered { place, .. }
        | interp::Effect::Committed { place, .. }) = effect
        else {
            return false;
        };
        let is_named = |var: VarId| self.program.pool.var_name(var) == place.as_str();
        let is_declared =
            |(index, var): (usize, &ir::Variable)| is_named(VarId(index as u32)) && is_users(self.program, var.span);
        self.program.ghosts.iter().any(|var| is_named(*var)) && !self.program.vars.iter().enumerate().any(is_declared)
    }

    fn short(&self, text: &str) -> String {
        shorten(self.program, text)
    }

    /// What is said about a message that is sent or received.
    fn told_message(&self, effect: &interp::Effect) -> Option<Effect> {
        let topic = |place: &str| self.short(place.trim_end_matches(message::FIELD));
        Some(Effect::Note(match effect {
            interp::Effect::Write { place, new, .. } => format!("sends {} = {new}", topic(place)),
            interp::Effect::Read { place, value, .. } if *value == message::NONE.to_string() => {
                format!("receives nothing on {}", topic(place))
            }
            interp::Effect::Read { place, value, from } => {
                let sender = from.and_then(|step| self.row_of.get(step).copied().flatten());
                let sent = sender.map_or_else(String::new, |row| format!(" (sent at step {row})"));
                format!("receives {} = {value}{sent}", topic(place))
            }
            _ => return None,
        }))
    }

    /// What is said about an effect, if anything.
    fn told(&self, step: &LogStep, effect: &interp::Effect) -> Option<Effect> {
        let is_model = !is_users(self.program, step.span);
        let label = |thread: u32| self.threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"));
        Some(match effect {
            // Texts are what the functions for texts are about.
            interp::Effect::Write { place, is_character: true, old, new }
                if is_model && !place.contains("__") && !place.starts_with(HEAP) && !self.is_of_models(place) =>
            {
                Effect::Write { name: self.short(place), old: old.clone(), new: new.clone() }
            }
            interp::Effect::Read { .. }
            | interp::Effect::Write { .. }
            | interp::Effect::Buffered { .. }
            | interp::Effect::Committed { .. }
            | interp::Effect::Assigned { .. }
                if is_model || self.is_of_ghost(effect) =>
            {
                return None;
            }
            interp::Effect::Read { place, .. } | interp::Effect::Write { place, .. }
                if place.ends_with(message::FIELD) =>
            {
                return self.told_message(effect);
            }
            interp::Effect::Read { place, value, from } => {
                let writer = from.and_then(|step| self.row_of.get(step).copied().flatten());
                Effect::Read { name: self.short(place), value: self.short(value), written_at: writer }
            }
            interp::Effect::Write { place, old, new, .. } => Effect::Write {
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
            interp::Effect::Input { kind: InputKind::Havoc(HavocKind::Choice | HavocKind::Approximation), .. } => {
                return None;
            }
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
            | interp::Effect::Synchronised { .. }
            | interp::Effect::AtomicBegin
            | interp::Effect::AtomicEnd
            | interp::Effect::Failed { .. } => return None,
        })
    }
}

/// The names of variables and objects that are declared in library models alone: a call may return its value into one.
fn variables_of_models(program: &Program) -> BTreeSet<String> {
    let named = |is_model: bool| {
        let is_declared = move |span| program.sources.is_model(span) == is_model;
        let vars = program.vars.iter().enumerate().filter(move |(_, var)| is_declared(var.span));
        let objects = program.objects.iter().filter(move |object| is_declared(object.span));
        vars.map(|(index, _)| program.pool.var_name(VarId(index as u32)).to_string())
            .chain(objects.map(|object| object.name.clone()))
    };
    let users: BTreeSet<String> = named(false).collect();
    named(true).filter(|name| !users.contains(name)).collect()
}

/// Whether an effect is on a variable that a macro of `<stdatomic.h>` declares: the user has never heard of it.
fn is_of_a_macro(effect: &interp::Effect) -> bool {
    match effect {
        interp::Effect::Assigned { name, .. } => name.starts_with("__atomic_"),
        interp::Effect::Read { place, .. } | interp::Effect::Write { place, .. } => place.starts_with("__atomic_"),
        _ => false,
    }
}

/// Leaves out rows that say nothing. Before the first thread of several is started there is nothing to interleave: only what others can see later is told.
fn drop_rows(rows: &mut Vec<Row>, has_prelude: bool) {
    let starts = |row: &Row| row.effects.iter().any(|effect| matches!(effect, Effect::Start { .. }));
    let first = rows.iter().position(starts).filter(|_| has_prelude).unwrap_or(0);
    let is_private = |effect: &Effect| matches!(effect, Effect::Set { .. } | Effect::Note(_));
    let writers: BTreeSet<usize> = rows.iter().flat_map(|row| &row.effects).filter_map(writer).collect();
    let says_nothing = |(index, row): (usize, &Row)| {
        let is_silent = row.effects.is_empty() && index + 1 < rows.len() && !writers.contains(&index);
        is_silent || index < first && row.effects.iter().all(is_private) && !writers.contains(&index)
    };
    let is_dropped: Vec<bool> = rows.iter().enumerate().map(says_nothing).collect();
    let before = is_dropped.iter().scan(0, |n, dropped| Some(std::mem::replace(n, *n + usize::from(!dropped))));
    let kept: Vec<usize> = before.collect();
    for effect in rows.iter_mut().flat_map(|row| &mut row.effects) {
        if let Effect::Read { written_at: Some(row), .. } = effect {
            *row = kept[*row];
        }
    }
    let mut dropped = is_dropped.into_iter();
    rows.retain(|_| dropped.next() == Some(false));
}

/// The row whose write an effect reads.
fn writer(effect: &Effect) -> Option<usize> {
    match effect {
        Effect::Read { written_at, .. } => *written_at,
        _ => None,
    }
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

/// How far each thread came in a log, in words: `T1 worker ended`, `main is at a.c:12`.
pub fn thread_ends(program: &Program, log: &Log) -> Vec<String> {
    let end = |(thread, name): (usize, String)| {
        let own = || log.steps.iter().filter(|step| step.thread as usize == thread);
        let has_ended = own().flat_map(|step| &step.effects).any(|effect| matches!(effect, interp::Effect::Finished));
        let ends_all = own().flat_map(|step| &step.effects).find_map(|effect| match effect {
            interp::Effect::ProcessEnded(interp::End::Normal) => Some("ends the process"),
            interp::Effect::ProcessEnded(interp::End::Abort) => Some("aborts the process"),
            interp::Effect::ProcessEnded(interp::End::Crash) => Some("crashes the process"),
            _ => None,
        });
        let last = own().map(|step| step.user_span).rfind(|place| is_users(program, *place));
        match (ends_all, has_ended, last) {
            (Some(how), ..) => format!("{name} {how}"),
            (_, true, _) => format!("{name} ended"),
            (_, _, Some(place)) => format!("{name} was last at {}", program.sources.place(place)),
            _ => format!("{name} did not run"),
        }
    };
    labels(program, log).into_iter().enumerate().map(end).collect()
}

/// Whether a place is in the user's own text.
fn is_users(program: &Program, span: Span) -> bool {
    span.is_known() && !program.sources.is_model(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::build::Builder;
    use ir::interp::{RunEnd, run_random};
    use ir::{Properties, Property};

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
