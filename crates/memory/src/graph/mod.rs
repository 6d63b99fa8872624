//! What is an execution of a program, as a memory model sees it? Events with tags, and the relations that the program gives them.
//!
//! Known as: execution graphs, candidate executions. The same for what may happen (all ways of an unrolled program at once, where an event may not happen
//! and a failed attempt has other tags) and for what did (one execution, replayed): `Shape` is what both have, and says what the names of sets and relations
//! mean that do not depend on choices. `reads-from`, coherence and who meets whom (`loc`) are added by whoever knows them: [`judge`] for an execution,
//! an engine for all at once.
//!
//! Threads begin and end by messages: whoever starts a thread writes a cell of its own with release order, the thread reads it with acquire order before anything else;
//! likewise at its end and for whoever joins it. So every model says itself what starting and joining orders, by way of its mapping.

pub mod judge;
pub mod mapping;

use crate::relation::{EventSet, Relation};
use ir::Marks;
use mapping::Tags;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Orders others.
    Fence,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The thread; none for initial writes.
    pub thread: Option<u32>,
    /// What it does.
    pub kind: Kind,
    /// Its tags.
    pub tags: Tags,
    /// Whether it is part of a read-modify-write.
    pub is_update: bool,
    /// For the read of an attempt to update: its tags if that fails, and it is but a load.
    pub failed: Option<Tags>,
    /// Whether it is no atomic access, or the initial write of a place without any.
    pub is_plain: bool,
    /// The tags of a message, if it sends or receives one.
    pub message: Option<Marks>,
}

impl Event {
    fn has_tag(&self, name: &str, has_failed: bool) -> bool {
        let tags = self.failed.filter(|_| has_failed).unwrap_or(self.tags);
        tags.iter().any(|tag| tag.eq_ignore_ascii_case(name))
    }

    /// Whether it belongs to a named set, given whether the attempt that it is part of fails.
    fn is_in(&self, name: &str, has_failed: bool) -> bool {
        let is_update = self.is_update && !(has_failed && self.failed.is_some());
        match name {
            "R" => self.kind == Kind::Read,
            "W" => self.kind == Kind::Write,
            "M" | "Exp" | "VISIBLE" => self.kind != Kind::Fence,
            "F" => self.kind == Kind::Fence,
            "IW" | "Init" | "INIT" | "I" => self.thread.is_none(),
            "RMW" => is_update || self.has_tag("RMW", has_failed),
            "X" => is_update || self.has_tag("X", has_failed),
            "NAL" => self.kind != Kind::Fence && self.is_plain,
            "Message" => self.message.is_some(),
            _ => self.has_tag(name, has_failed) || self.message.is_some_and(|marks| marks.has(name)),
        }
    }
}

/// Events and what the program says about them.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The events, initial writes first.
    pub events: Vec<Event>,
    /// Program order.
    pub po: Relation,
    /// The pairs of read-modify-writes.
    pub rmw: Relation,
    /// Whether these are exclusive pairs.
    pub uses_exclusives: bool,
}

/// What the names of a relation that a program gives mean.
pub enum Named {
    /// These pairs, whatever is chosen.
    Fixed(Relation),
    /// Dependencies, by name.
    Dependency(Dependency),
    /// Depends on choices, or on places.
    Chosen,
}

/// Kinds of dependencies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dependency {
    /// Of an address.
    Address,
    /// Of a value.
    Data,
    /// Of a branch.
    Control,
    /// Of the expected value of a compare-and-swap.
    Compare,
    /// Of what chose the value that is written.
    Pick,
}

impl Dependency {
    /// The kind that models call by this name.
    pub fn named(name: &str) -> Option<Dependency> {
        match name {
            "addr" => Some(Dependency::Address),
            "data" => Some(Dependency::Data),
            "ctrl" => Some(Dependency::Control),
            "casdep" => Some(Dependency::Compare),
            "pick" => Some(Dependency::Pick),
            _ => None,
        }
    }
}

impl Shape {
    /// How many events there are.
    pub fn n(&self) -> usize {
        self.events.len()
    }

    /// The events of a named set if no attempt fails, and if all do. `FW` depends on coherence, and is not here.
    pub fn named_set(&self, name: &str) -> [EventSet; 2] {
        [false, true].map(|has_failed| {
            let members = (0..self.n()).filter(|&index| self.events[index].is_in(name, has_failed));
            EventSet::of(self.n(), members)
        })
    }

    /// A named relation.
    pub fn named_relation(&self, name: &str) -> Named {
        let n = self.n();
        let thread = |index: usize| self.events[index].thread;
        let all = |keep: &dyn Fn(usize, usize) -> bool| {
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            Relation::of(n, pairs.filter(|&(a, b)| keep(a, b)))
        };
        Named::Fixed(match name {
            "po" => self.po.clone(),
            "rmw" | "instr-rmw" => self.rmw.clone(),
            "amo" if !self.uses_exclusives => self.rmw.clone(),
            "lxsx" if self.uses_exclusives => self.rmw.clone(),
            "si" | "sm" | "sca-class" | "id" => Relation::identity(n),
            "int" => all(&|a, b| thread(a) == thread(b)),
            "ext" => all(&|a, b| thread(a) != thread(b)),
            // Threads of a program are processes, each alone on a host, in one segment.
            "same-host" => all(&|a, b| thread(a) == thread(b)),
            "same-segment" => all(&|_, _| true),
            "rf" | "co" | "loc" => return Named::Chosen,
            // The halves of one instruction; all others of one are events of instructions that programs do not have.
            "same-instance" => {
                let mut same = Relation::identity(n);
                for (a, b) in self.rmw.iter() {
                    same.insert(a, b);
                    same.insert(b, a);
                }
                same
            }
            _ => match Dependency::named(name) {
                Some(dependency) => return Named::Dependency(dependency),
                None => Relation::empty(n),
            },
        })
    }
}
