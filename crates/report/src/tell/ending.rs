//! How does an execution end? What goes wrong in one sentence, where, and what belongs to it: the other access of a race, who waits for what,
//! who ended an object that is used, and how the calls lead there.

use super::{is_users, shorten};
use crate::story::{Call, Detail, Ending, Role, Story};
use crate::style::printable;
use ir::interp::{self, ASSERTION_FAILED, Details, Log, LogStep, RaceAccess, Violation, Waiter};
use ir::{Order, Program, Property, Span};
use std::ops::Range;

/// How a log ends.
pub(super) fn ending(program: &Program, log: &Log, story: &Story, violation: &Violation) -> Ending {
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
        Details::None => ending.details = lifetime(program, log, violation, span),
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
                calls: Vec::new(),
                role: Role::Told,
            };
            ending.details = objects.iter().map(detail).collect();
        }
        Details::Lasso { start } => {
            let place = log.steps.get(*start).map_or(Span::NOWHERE, |step| step.user_span);
            let message = "from here on the same steps can repeat for ever".to_string();
            let thread = Some(violation.thread as usize);
            ending.details = vec![Detail { thread, message, span: place, calls: Vec::new(), role: Role::Told }];
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
        calls: call_stack(program, access.span, &access.calls),
        role: Role::Access {
            name: shorten(program, &access.place),
            verb: verb(access),
            locks: access.locks.iter().map(|lock| shorten(program, lock)).collect(),
        },
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
        calls: call_stack(program, waiter.span, &waiter.calls),
        role: Role::Waits {
            on: (!is_thread).then(|| shorten(program, &waiter.on)),
            by: waiter.holder.iter().map(|holder| *holder as usize).collect(),
            locks: waiter.locks.iter().map(|lock| shorten(program, lock)).collect(),
        },
    }
}

/// The innermost place in the user's text.
fn user_place(program: &Program, span: Span, calls: &[Span]) -> Span {
    let mut places = std::iter::once(span).chain(calls.iter().rev().copied());
    places.find(|place| is_users(program, *place)).unwrap_or(span)
}

/// The user's functions on the way to a place, innermost first, each with where it is called; nothing if there is no call on the way.
fn call_stack(program: &Program, span: Span, calls: &[Span]) -> Vec<Call> {
    let places = calls.iter().copied().chain([span]).filter(|place| is_users(program, *place));
    let places: Vec<Span> = places.collect();
    let call = |pair: &[Span]| Some(Call { function: function_at(program, pair[1])?, place: pair[0] });
    places.windows(2).rev().map_while(call).collect()
}

/// The function that a place lies in.
fn function_at(program: &Program, place: Span) -> Option<String> {
    let stands_in = |proc: &&ir::Proc| proc.edges.iter().flat_map(|edge| &edge.stmts).any(|stmt| stmt.span == place);
    program.procs.iter().find(stands_in).map(|proc| proc.name.clone())
}

/// The life of an object that is gone when it is used: the use itself, and who ended it.
fn lifetime(program: &Program, log: &Log, violation: &Violation, span: Span) -> Vec<Detail> {
    let is_freed = violation.message.contains("freed");
    if !is_freed || !matches!(violation.property, Property::Deref | Property::Free) {
        return Vec::new();
    }
    let about = |name: &str| {
        let behind = violation.message.split(name).nth(1);
        behind.is_some_and(|rest| !rest.starts_with(|c: char| c == '#' || c.is_ascii_digit()))
    };
    let ends = |step: &&LogStep| {
        step.effects.iter().any(|effect| matches!(effect, interp::Effect::Freed { object } if about(object)))
    };
    let Some(end) = log.steps.iter().rev().find(ends) else { return Vec::new() };
    let stack = |step: &LogStep| -> Vec<Span> { step.stack.iter().map(|frame| frame.span).collect() };
    let this = log.steps.iter().rev().find(|step| step.thread == violation.thread);
    let calls = this.map_or(Vec::new(), |step| call_stack(program, span, &outside(&stack(step), span)));
    let use_ = if violation.property == Property::Free { "frees it again" } else { "uses it" };
    let detail = |thread: u32, message: &str, span, calls| Detail {
        thread: Some(thread as usize),
        message: message.to_string(),
        span,
        calls,
        role: Role::Told,
    };
    let is_free = |effect: &interp::Effect| matches!(effect, interp::Effect::Freed { object } if about(object));
    let freed_at = end.effects.iter().position(is_free).map_or(end.user_span, |at| end.places[at]);
    let freed_by = call_stack(program, freed_at, &outside(&stack(end), freed_at));
    vec![detail(violation.thread, use_, span, calls), detail(end.thread, "has freed it before", freed_at, freed_by)]
}

/// The calls around a place, without the one that it is itself.
fn outside(calls: &[Span], place: Span) -> Vec<Span> {
    calls.iter().copied().filter(|call| *call != place).collect()
}
