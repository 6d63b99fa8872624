//! What is an execution, as far as it has got? Rows of events, one for each thread, who reads from whom, and the writes of each cell in their order.
//!
//! Known as: execution graphs \[Kokologiannakis22]. Events are numbered within their row; a stamp says when each was added. Every event carries the events of each row that come
//! before it by program order and reads-from (its past, as a clock), and those that happen before it for certain (by program order, starting and joining, and under RC11 by what
//! a read acquires from the write it reads; fences are left out). An event never changes: a read that gets another source is a new event.
//!
//! Invariants: the past of every event is in the graph, stamps grow along each row, and the rows of threads whose start is not in the graph are empty.

use super::code::local::Here;
use ir::interp::Memory;
use ir::{AllocKind, EdgeId, Order, SiteId, Span};
use logic::Value;
use smallvec::SmallVec;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Names an event: its row and its number in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Id {
    pub(super) row: u32,
    pub(super) at: u32,
}

/// How many events of each row come before something, itself included.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Clock(SmallVec<[u32; 10]>);

impl Clock {
    pub(super) fn of(&self, row: u32) -> u32 {
        self.0.get(row as usize).copied().unwrap_or(0)
    }

    pub(super) fn has(&self, event: Id) -> bool {
        event.at < self.of(event.row)
    }

    pub(super) fn set(&mut self, row: u32, n: u32) {
        if self.0.len() <= row as usize {
            self.0.resize(row as usize + 1, 0);
        }
        self.0[row as usize] = n;
    }

    pub(super) fn join(&mut self, other: &Clock) {
        for (row, n) in other.0.iter().enumerate() {
            if *n > self.of(row as u32) {
                self.set(row as u32, *n);
            }
        }
    }
}

/// What an event is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The thread begins.
    Begin,
    /// Reads a cell from a write, or what was there at first. `is_update` if it is the first half of an update, done or waiting.
    Read {
        cell: u32,
        source: Option<Id>,
        order: Order,
        is_update: bool,
    },
    /// Writes a cell. `is_update` if it is the second half of an update.
    Write {
        cell: u32,
        value: Value,
        order: Order,
        is_update: bool,
    },
    Fence(Order),
    /// An input gets the value with this number.
    Input {
        value: Value,
        number: usize,
    },
    /// Starts the thread of this row.
    Start(u32),
    /// Has seen the end of the thread of this row.
    Join(u32),
    /// The thread ends.
    End(Value),
    /// Makes an object.
    Made {
        base: u64,
        size: u64,
        kind: AllocKind,
        zeroed: bool,
    },
    /// Ends the object that was made there.
    Freed {
        base: u64,
    },
}

/// An event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) kind: Kind,
    pub(super) stamp: u32,
    pub(super) past: Clock,
    /// What happens before it, as far as that is easily known.
    pub(super) settled: Clock,
    /// The thread before it.
    pub(super) before: Rc<Here>,
}

impl Event {
    pub(super) fn site(&self) -> SiteId {
        self.before.site
    }

    pub(super) fn span(&self) -> Span {
        self.before.span
    }
}

/// A thread of an execution.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The row of whoever starts it, and which of the threads it starts this one is.
    pub(super) started: (u32, u32),
    pub(super) events: Vec<Rc<Event>>,
    /// Where the thread stands; nothing if it is not started.
    pub(super) here: Option<Rc<Here>>,
}

/// What the first thread did before there was another one, and what memory holds then.
#[derive(Clone, Debug)]
pub(super) struct Early {
    /// The edges that it took.
    pub(super) edges: Vec<EdgeId>,
    /// The inputs that it read: the number of the edge, the statement and the value.
    pub(super) inputs: Vec<(u32, SiteId, Value)>,
    pub(super) memory: Memory,
    /// Global variables, by their numbers.
    pub(super) globals: Vec<Option<Value>>,
}

/// An execution so far.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) rows: Vec<Row>,
    /// The writes of each cell, in coherence order.
    pub(super) co: Vec<Vec<Id>>,
    pub(super) n_stamps: u32,
    pub(super) early: Rc<Early>,
    /// Whether release and acquire are known to synchronise, as they do in models of C.
    pub(super) synchronises: bool,
}

impl Graph {
    pub(super) fn event(&self, id: Id) -> &Event {
        &self.rows[id.row as usize].events[id.at as usize]
    }

    /// All events.
    pub(super) fn events(&self) -> impl Iterator<Item = (Id, &Event)> {
        self.rows.iter().enumerate().flat_map(|(row, this)| {
            this.events.iter().enumerate().map(move |(at, event)| (Id { row: row as u32, at: at as u32 }, &**event))
        })
    }

    /// The past of what a thread does next, without itself.
    pub(super) fn past_of(&self, row: usize) -> Clock {
        self.rows[row].events.last().map(|event| event.past.clone()).unwrap_or_default()
    }

    /// The writes of a cell.
    pub(super) fn writes(&self, cell: u32) -> &[Id] {
        self.co.get(cell as usize).map_or(&[], |writes| writes)
    }

    /// The place of a source among the writes of its cell: 0 for what was there at first.
    pub(super) fn place(&self, cell: u32, source: Option<Id>) -> usize {
        let Some(source) = source else { return 0 };
        1 + self.writes(cell).iter().position(|write| *write == source).expect("a source is one of the writes")
    }

    /// The source at a place.
    pub(super) fn source(&self, cell: u32, place: usize) -> Option<Id> {
        place.checked_sub(1).map(|at| self.writes(cell)[at])
    }

    /// The first place among the writes of a cell that a thread can read or write behind (coherence): behind all that was written or read there before, as far as that is settled.
    pub(super) fn floor(&self, row: usize, cell: u32) -> usize {
        self.rows[row].events.last().map_or(0, |last| self.floor_of(&last.settled, None, cell))
    }

    /// The places for a write that is in its row already: right behind what it has read, if it is the second half of an update.
    pub(super) fn places(&self, write: Id, cell: u32) -> RangeInclusive<usize> {
        if let Kind::Write { is_update: true, .. } = self.event(write).kind
            && let Kind::Read { source, .. } = self.event(Id { row: write.row, at: write.at - 1 }).kind
        {
            let place = self.place(cell, source);
            return place..=place;
        }
        self.floor_of(&self.event(write).settled, Some(write), cell)..=self.writes(cell).len()
    }

    fn floor_of(&self, settled: &Clock, but: Option<Id>, cell: u32) -> usize {
        let mut floor = 0;
        for (row, this) in self.rows.iter().enumerate() {
            let n = settled.of(row as u32) as usize;
            // The last access of a row is behind those before it.
            for (at, event) in this.events[..n.min(this.events.len())].iter().enumerate().rev() {
                let id = Id { row: row as u32, at: at as u32 };
                let place = match event.kind {
                    Kind::Read { cell: other, source, .. } if other == cell => self.place(cell, source),
                    Kind::Write { cell: other, .. } if other == cell && but != Some(id) => self.place(cell, Some(id)),
                    _ => continue,
                };
                floor = floor.max(place);
                break;
            }
        }
        floor
    }

    /// What happens before a read of this order because of its source: all that happens before the releases that head a sequence with it.
    pub(super) fn acquired(&self, source: Option<Id>, order: Order) -> Option<Clock> {
        let mut at = source.filter(|_| self.synchronises && order.acquires())?;
        let mut found: Option<Clock> = None;
        loop {
            let Kind::Write { order, is_update, .. } = self.event(at).kind else { return found };
            if order.releases() {
                found.get_or_insert_with(Clock::default).join(&self.event(at).settled);
            }
            if !is_update {
                return found;
            }
            let Kind::Read { source: Some(before), .. } = self.event(Id { row: at.row, at: at.at - 1 }).kind else {
                return found;
            };
            at = before;
        }
    }

    /// Whether a write at this place would come between the halves of an update.
    pub(super) fn splits_update(&self, cell: u32, place: usize) -> bool {
        let Some(next) = self.writes(cell).get(place) else { return false };
        if !matches!(self.event(*next).kind, Kind::Write { is_update: true, .. }) {
            return false;
        }
        let read = Id { row: next.row, at: next.at - 1 };
        matches!(self.event(read).kind, Kind::Read { source, .. } if self.place(cell, source) == place)
    }

    /// Adds an event to a row; its past is that of its thread and of the event `by`, which it sees. The thread then stands `after` it.
    pub(super) fn add(&mut self, row: usize, kind: Kind, by: Option<Id>, after: Here) -> Id {
        let at = self.rows[row].events.len() as u32;
        let last = self.rows[row].events.last();
        let (mut past, mut settled) =
            last.map_or_else(Default::default, |last| (last.past.clone(), last.settled.clone()));
        if let Some(by) = by {
            past.join(&self.event(by).past);
            match kind {
                Kind::Read { source, order, .. } => {
                    self.acquired(source, order).into_iter().for_each(|more| settled.join(&more));
                }
                _ => settled.join(&self.event(by).settled),
            }
        }
        past.set(row as u32, at + 1);
        settled.set(row as u32, at + 1);
        let before = self.rows[row].here.clone().expect("a thread that is not started does nothing");
        let stamp = self.n_stamps;
        self.n_stamps += 1;
        self.rows[row].events.push(Rc::new(Event { kind, stamp, past, settled, before }));
        self.rows[row].here = Some(Rc::new(after));
        Id { row: row as u32, at }
    }

    /// Puts a write at a place of its cell's order, behind that many writes.
    pub(super) fn put(&mut self, cell: u32, place: usize, write: Id) {
        if self.co.len() <= cell as usize {
            self.co.resize(cell as usize + 1, Vec::new());
        }
        self.co[cell as usize].insert(place, write);
    }

    /// Keeps so many events of each row, which must be closed under pasts. Threads stand before the first event that is gone.
    pub(super) fn keep(&mut self, n: &[u32]) {
        for (row, keep) in self.rows.iter_mut().zip(n) {
            if let Some(first) = row.events.get(*keep as usize) {
                row.here = Some(first.before.clone());
                row.events.truncate(*keep as usize);
            }
        }
        for at in 0..self.rows.len() {
            let (by, number) = self.rows[at].started;
            let starter = &self.rows[by as usize].here;
            let is_started = at == 0 || starter.as_ref().is_some_and(|here| here.local.n_started > number);
            if !is_started {
                self.rows[at].here = None;
                self.rows[at].events.clear();
            }
        }
        for writes in &mut self.co {
            writes.retain(|write| write.at < n[write.row as usize]);
        }
    }

    /// The value of a write, if it is known.
    pub(super) fn written(&self, write: Id) -> &Value {
        match &self.event(write).kind {
            Kind::Write { value, .. } => value,
            other => unreachable!("a source is a write: {other:?}"),
        }
    }

    /// Whether a thread has ended, and with which word.
    pub(super) fn ended(&self, row: usize) -> Option<(&Value, Id)> {
        let events = &self.rows.get(row)?.events;
        match &events.last()?.kind {
            Kind::End(value) => Some((value, Id { row: row as u32, at: events.len() as u32 - 1 })),
            _ => None,
        }
    }

    /// The object that contains an address, if a thread has made one there since there are several: its base, its size, whether it is zero at first, and its event.
    pub(super) fn made(&self, addr: u64) -> Option<(u64, u64, bool, Id)> {
        self.events().find_map(|(id, event)| match event.kind {
            Kind::Made { base, size, zeroed, .. } if base <= addr && addr - base <= size => {
                Some((base, size, zeroed, id))
            }
            _ => None,
        })
    }

    /// Whether some object was ended since there are several threads: the events that did it.
    pub(super) fn frees(&self) -> impl Iterator<Item = (Id, u64)> {
        self.events().filter_map(|(id, event)| match event.kind {
            Kind::Freed { base } => Some((id, base)),
            _ => None,
        })
    }
}
