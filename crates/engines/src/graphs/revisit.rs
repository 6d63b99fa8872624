//! Which reads could have read a write that comes later? Each such read gets it as its source in a graph of its own, in which all that came after the read is gone but the past of the write.
//!
//! Known as: backward revisits, with the maximality condition of TruSt \[Kokologiannakis22, algorithm 2]: of all graphs that lead to the same result by such a step only one is allowed to take it.
//! It is the one in which everything that is taken away, and the read itself, was added last where it stands: a read reads the last write that was there when it was added, or is in the past
//! of the new write; a write was put last, and no earlier read has it as its source; an input has its first value.

use super::code::local::Next;
use super::explore::Explorer;
use super::graph::{Clock, Event, Graph, Id, Kind};
use std::rc::Rc;

impl Explorer<'_> {
    /// Offers a write, the last event of its row and in no coherence order yet, to the reads of its cell that are not in its past.
    pub(super) fn revisit(&mut self, graph: &Graph, write: Id, cell: u32) {
        let past = graph.event(write).past.clone();
        let reads: Vec<Id> = graph
            .events()
            .filter(|(id, event)| {
                matches!(event.kind, Kind::Read { cell: other, .. } if other == cell) && !past.has(*id)
            })
            .map(|(id, _)| id)
            .collect();
        for read in reads {
            if self.is_over() {
                return;
            }
            if let Some(kept) = kept(graph, read, &past) {
                self.give(graph, read, write, cell, &kept);
            }
        }
    }

    /// The graphs in which a read reads a write, and so many events of each row are kept.
    fn give(&mut self, graph: &Graph, read: Id, write: Id, cell: u32, kept: &[u32]) {
        let mut base = graph.clone();
        base.keep(kept);
        let old = graph.event(read);
        let Next::Read { spot } = old.before.next else { unreachable!("it is a read") };
        let (kind, after) = self.after_read(&base, &old.before, spot, (cell, Some(write)));
        let row = read.row as usize;
        let mut past =
            read.at.checked_sub(1).map_or_else(Clock::default, |at| base.rows[row].events[at as usize].past.clone());
        past.join(&base.event(write).past);
        past.set(read.row, read.at + 1);
        let before = read.at.checked_sub(1).map(|at| base.rows[row].events[at as usize].settled.clone());
        let mut settled = before.unwrap_or_default();
        if let Kind::Read { order, .. } = kind {
            base.acquired(Some(write), order).into_iter().for_each(|more| settled.join(&more));
        }
        settled.set(read.row, read.at + 1);
        let new = Event { kind, stamp: old.stamp, past, settled, before: old.before.clone() };
        base.rows[row].events[read.at as usize] = Rc::new(new);
        base.rows[row].here = Some(Rc::new(after));
        for place in base.places(write, cell) {
            if base.splits_update(cell, place) || self.is_over() {
                continue;
            }
            // As with a read that is added: it would never read anything else, and its thread stands still.
            let has_older = base.writes(cell)[place..].iter().any(|later| base.event(*later).stamp <= old.stamp);
            if has_older && self.is_idle(&base, row, cell) {
                continue;
            }
            let mut other = base.clone();
            other.put(cell, place, write);
            if self.judge.allows(&other, &[write, read]) {
                self.counts.revisits += 1;
                self.stack.push(other);
            }
        }
    }
}

/// How many events of each row are kept if a read gets a write with this past as its source; nothing if another graph leads to the same.
fn kept(graph: &Graph, read: Id, past: &Clock) -> Option<Vec<u32>> {
    let stamp = graph.event(read).stamp;
    let mut kept = Vec::with_capacity(graph.rows.len());
    for (row, this) in graph.rows.iter().enumerate() {
        let n_before = this.events.partition_point(|event| event.stamp <= stamp) as u32;
        kept.push(n_before.max(past.of(row as u32)));
    }
    if !is_last(graph, read, past) {
        return None;
    }
    for (row, n) in kept.iter().enumerate() {
        for at in *n..graph.rows[row].events.len() as u32 {
            if !is_last(graph, Id { row: row as u32, at }, past) {
                return None;
            }
        }
    }
    Some(kept)
}

/// Whether an event is what it would be if it were added last to the events before it and those of a past.
fn is_last(graph: &Graph, id: Id, past: &Clock) -> bool {
    let event = graph.event(id);
    let is_before = |other: Id| graph.event(other).stamp <= event.stamp || past.has(other);
    match event.kind {
        Kind::Read { cell, source, .. } => {
            let later = &graph.writes(cell)[graph.place(cell, source)..];
            !later.iter().any(|write| is_before(*write))
        }
        Kind::Write { cell, .. } => {
            let later = &graph.writes(cell)[graph.place(cell, Some(id))..];
            let has_reader = |(_, other): (Id, &Event)| {
                other.stamp <= event.stamp && matches!(other.kind, Kind::Read { source, .. } if source == Some(id))
            };
            !later.iter().any(|write| is_before(*write)) && !graph.events().any(has_reader)
        }
        Kind::Input { number, .. } => number == 0,
        _ => true,
    }
}
