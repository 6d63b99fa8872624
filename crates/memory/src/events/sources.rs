//! Which write may a read take its value from?
//!
//! One to the same place, not after the read, not on a branch that excludes it, not surely overwritten before the read, and not with a
//! value that keeps the read from happening (a lock is not taken from a lock that is held). What is left becomes a literal of the solver each,
//! so this decides how hard the question is. A rival is a write that can come between.

use super::{Events, Read, START, Write};
use crate::order::Closure;
use logic::{Pool, TermId, Value};
use rustc_hash::FxHashMap;

/// A write that a read may take its value from.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// The write; `None` is the initial value.
    pub write: Option<u32>,
    /// What must hold besides that both happen: that the addresses are equal.
    pub same: TermId,
}

/// A write that may touch what is read.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// The write.
    pub write: u32,
    /// Whether it does; `None` if it does whenever the read happens.
    pub active: Option<TermId>,
}

/// Candidates and rivals of one read.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// What it may read.
    pub candidates: Vec<Candidate>,
    /// What may come between.
    pub rivals: Vec<Rival>,
    /// The writes of the read's own thread before it that may reach memory after it, ascending.
    pub own: Vec<u32>,
}

/// What is known of the control flow and of critical sections.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Whether control has passed the first point whenever it gets to the second.
    pub surely: &'a dyn Fn(u32, u32) -> bool,
    /// Whether critical sections keep a read from reading, and being disturbed by, a write of another thread.
    pub excludes: &'a dyn Fn(usize, usize) -> bool,
    /// Whether nobody waits for the answer any more; asked once for each read.
    pub stops: &'a dyn Fn() -> bool,
}

/// The sources of every read, and how many writes critical sections have ruled out; none if it was stopped.
pub fn find_sources(
    events: &Events,
    closure: &Closure,
    pool: &mut Pool,
    known: Known<'_>,
) -> Option<(Vec<Sources>, usize)> {
    let mut writes_of: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (index, write) in events.writes.iter().enumerate() {
        if pool.as_const(write.guard) != Some(&Value::Bool(false)) {
            writes_of.entry(write.place).or_default().push(index as u32);
        }
    }
    let none = Vec::new();
    let mut n_excluded = 0;
    let mut all = Vec::with_capacity(events.reads.len());
    for (index, read) in events.reads.iter().enumerate() {
        if (known.stops)() {
            return None;
        }
        let writes = writes_of.get(&read.place).unwrap_or(&none);
        let excludes = |write: u32| {
            let is_other = events.writes[write as usize].thread != read.thread && read.thread != u32::MAX;
            is_other && (known.excludes)(index, write as usize)
        };
        let sources = sources_of(events, closure, pool, known.surely, (read, &excludes), writes, &mut n_excluded);
        all.push(sources);
    }
    Some((all, n_excluded))
}

fn sources_of(
    events: &Events,
    closure: &Closure,
    pool: &mut Pool,
    surely: &dyn Fn(u32, u32) -> bool,
    (read, excludes): (&Read, &dyn Fn(u32) -> bool),
    writes: &[u32],
    n_excluded: &mut usize,
) -> Sources {
    let mut sources = Sources::default();
    let mut possible: Vec<(u32, TermId)> = Vec::new();
    let yes = pool.bool(true);
    for index in writes {
        let write = &events.writes[*index as usize];
        let is_before = closure.is_before(write.node, read.node);
        let is_own = !is_before && write.thread == read.thread && events.is_earlier(write.node, read.node);
        let is_elsewhere = write.thread == read.thread && !is_before && !is_own;
        // Cells of one place that differ in size are never at the same address: no two accesses overlap in part.
        let is_apart = pool.sort(write.value) != pool.sort(read.value);
        if write.node == read.node || closure.is_before(read.node, write.node) || is_elsewhere || is_apart {
            continue;
        }
        let same = match (write.addr, read.addr) {
            (Some(a), Some(b)) => pool.eq(a, b),
            _ => yes,
        };
        if pool.as_const(same) == Some(&Value::Bool(false)) {
            continue;
        }
        let happens = write.guard == yes || (!write.is_hidden && surely(write.point, read.point));
        let active = if happens { same } else { pool.and(write.guard, same) };
        match pool.as_const(active) {
            Some(Value::Bool(false)) => continue,
            Some(_) => sources.rivals.push(Rival { write: *index, active: None }),
            None => sources.rivals.push(Rival { write: *index, active: Some(active) }),
        }
        if is_own {
            sources.own.push(*index);
        }
        if excludes(*index) {
            *n_excluded += 1;
        } else if accepts(pool, read, write) {
            possible.push((*index, same));
        }
    }
    let certain: Vec<u32> = sources
        .rivals
        .iter()
        .filter(|rival| rival.active.is_none())
        .map(|rival| (rival.write, events.writes[rival.write as usize].node))
        .filter(|(write, node)| closure.is_before(*node, read.node) || sources.own.contains(write))
        .map(|(_, node)| node)
        .collect();
    let is_overwritten = |node: u32| {
        let is_own = events.thread_of[node as usize] == read.thread && node != START;
        certain.iter().any(|other| closure.is_before(node, *other) || is_own && events.is_earlier(node, *other))
    };
    for (index, same) in possible {
        if !is_overwritten(events.writes[index as usize].node) {
            sources.candidates.push(Candidate { write: Some(index), same });
        }
    }
    if !is_overwritten(START) {
        sources.candidates.push(Candidate { write: None, same: yes });
    }
    sources
}

/// Whether the read can happen with the value of the write.
fn accepts(pool: &mut Pool, read: &Read, write: &Write) -> bool {
    let (Some(condition), Some(var)) = (read.accepts, pool.as_var(read.value)) else { return true };
    let held = pool.substitute(condition, &|other| (other == var).then_some(write.value));
    pool.as_const(held) != Some(&Value::Bool(false))
}
