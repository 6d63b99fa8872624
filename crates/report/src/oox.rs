//! What is told of an execution of an OOX program? The same story as for others, from the steps of its replay.
//!
//! Steps of one thread on one line become one row. The heap at the start belongs to the ending's details when it decides anything, so that
//! the inputs can be seen; for a deadlock the details say who holds what and who waits.

use crate::story::{Detail, Effect, Ending, Role, Row, Story};
use ir::oox::{Event, Followed, Program, Replayed, ReplayedStep, ThreadName, ViolationKind, thread_label};
use ir::{Property, Span};

/// A row with more effects is shortened unless details are wanted.
const MAX_EFFECTS: usize = 16;

/// The story of a replay and how it ends. With `detail`, steps without an effect are told too.
pub fn tell_oox(program: &Program, replayed: &Replayed, detail: bool) -> (Story, Ending) {
    let mut story = story_oox(program, &replayed.followed, true);
    if let Some(last) = story.rows.last_mut()
        && last.effects.is_empty()
        && replayed.culprit.is_some()
    {
        last.effects.push(Effect::Note(replayed.violation.kind.describe().to_string()));
    }
    if !detail {
        shorten(&mut story.rows);
    }
    let threads = &replayed.followed.threads;
    let index = |name: &ThreadName| threads.iter().position(|(other, _)| other == name).unwrap_or(0);
    (story, ending(replayed, index))
}

/// The steps of a schedule; with `detail` also those that change nothing.
pub fn story_oox(program: &Program, followed: &Followed, detail: bool) -> Story {
    let label = |(name, method): &(ThreadName, ir::oox::MethodId)| {
        let method = program.method_name(*method);
        format!("{} {method}", thread_label(name))
    };
    let index = |name: &ThreadName| followed.threads.iter().position(|(other, _)| other == name).unwrap_or(0);
    let mut rows: Vec<Row> = Vec::new();
    for step in &followed.steps {
        let effects: Vec<Effect> = step.events.iter().filter_map(effect).collect();
        let thread = index(&step.thread);
        match rows.last_mut() {
            Some(row) if row.thread == thread && is_same_line(row.span, step) => row.effects.extend(effects),
            _ => {
                let source = program.sources.line(step.span).unwrap_or("").trim().to_string();
                rows.push(Row { step: 0, thread, span: step.span, source, effects });
            }
        }
    }
    number(&mut rows);
    if !detail {
        shorten(&mut rows);
    }
    Story { threads: followed.threads.iter().map(label).collect(), rows }
}

fn number(rows: &mut [Row]) {
    rows.iter_mut().enumerate().for_each(|(at, row)| row.step = at + 1);
}

/// Leaves out steps that change nothing, and of a line that changes very much (a loop) the middle.
fn shorten(rows: &mut Vec<Row>) {
    rows.retain(|row| !row.effects.is_empty());
    for row in rows.iter_mut().filter(|row| row.effects.len() > MAX_EFFECTS) {
        let n_left_out = row.effects.len() - MAX_EFFECTS;
        let note = Effect::Note(format!("... {n_left_out} more (-v shows them) ..."));
        row.effects.splice(MAX_EFFECTS / 2..MAX_EFFECTS / 2 + n_left_out, [note]);
    }
    number(rows);
}

fn is_same_line(span: Span, step: &ReplayedStep) -> bool {
    span.file == step.span.file && span.line == step.span.line
}

fn effect(event: &Event) -> Option<Effect> {
    Some(match event {
        Event::Read(name, value) => Effect::Read { name: name.clone(), value: value.clone(), written_at: None },
        Event::Write(name, old, new) => Effect::Write { name: name.clone(), old: Some(old.clone()), new: new.clone() },
        Event::Set(name, _) if name.is_empty() => return None,
        Event::Set(name, value) => Effect::Set { name: name.clone(), value: value.clone() },
        Event::Start(name) => Effect::Start { thread: thread_label(name) },
        Event::Join => Effect::Note("all its threads have ended".to_string()),
        Event::Lock(name) => Effect::Lock { name: name.clone(), is_shared: false },
        Event::Unlock(name) => Effect::Unlock { name: name.clone() },
        Event::Note(text) => Effect::Note(text.clone()),
    })
}

fn ending(replayed: &Replayed, index: impl Fn(&ThreadName) -> usize) -> Ending {
    let violation = replayed.violation;
    let mut details: Vec<Detail> = Vec::new();
    for waiting in &replayed.waiting {
        let role = Role::Waits {
            on: waiting.lock.clone(),
            by: waiting.by.iter().map(&index).collect(),
            locks: waiting.holds.clone(),
        };
        let (thread, message) = (Some(index(&waiting.thread)), waiting.what.clone());
        details.push(Detail { thread, message, span: waiting.span, calls: Vec::new(), role });
    }
    let mut say = |thread: Option<usize>, message: String, span: Span, role: Role| {
        details.push(Detail { thread, message, span, calls: Vec::new(), role })
    };
    if replayed.waiting.is_empty() {
        say(replayed.culprit.as_ref().map(&index), violation.kind.describe().to_string(), violation.span, Role::Told);
    }
    if !replayed.followed.arguments.is_empty() {
        let arguments: Vec<String> =
            replayed.followed.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        say(None, format!("the arguments: {}", arguments.join(", ")), Span::NOWHERE, Role::Told);
    }
    for (when, heap) in
        [("at the start", &replayed.followed.heap_before), ("at the end", &replayed.followed.heap_after)]
    {
        for object in heap.iter() {
            say(None, format!("{when}: {object}"), Span::NOWHERE, Role::Object);
        }
    }
    let property = match violation.kind {
        ViolationKind::Deadlock => Property::Deadlock,
        _ => Property::Assertion,
    };
    Ending {
        property,
        message: violation.kind.describe().to_string(),
        span: violation.span,
        thread: replayed.culprit.as_ref().map(&index),
        details,
    }
}
