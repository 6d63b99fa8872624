//! What do the names that models may use mean in an execution?
//!
//! Sets follow from what events do and from their tags (compared regardless of case); relations from the skeleton and the places.
//! `rf` and `co` are chosen by an engine and are not here.

use ir::litmus::Dialect;

use super::path::{Kind, Role};
use super::skeleton::{Event, Skeleton};
use crate::relation::{EventSet, Relation};

impl Skeleton<'_> {
    /// The events of a named set, given the cells of events. `FW` depends on `co`: it is empty here.
    pub fn named_set(&self, name: &str, cells: &[Option<u64>]) -> EventSet {
        let n = self.events.len();
        let select =
            |keep: &dyn Fn(&Event<'_>) -> bool| EventSet::of(n, (0..n).filter(|&index| keep(&self.events[index])));
        let tagged = |tag: &str| select(&|event| event.tags.iter().any(|other| other.eq_ignore_ascii_case(tag)));
        match name {
            "R" => select(&|event| event.kind == Kind::Read),
            "W" => select(&|event| event.kind == Kind::Write),
            "M" | "Exp" | "VISIBLE" => select(&|event| event.kind != Kind::Fence),
            "F" => select(&|event| event.kind == Kind::Fence && event.role != Role::Branch),
            "B" => select(&|event| event.role == Role::Branch),
            "IW" | "Init" | "INIT" | "I" => select(&|event| event.thread.is_none()),
            "FW" => EventSet::empty(n),
            // Lock operations have sets of their own and are no read-modify-writes to a model.
            "RMW" => {
                let mut set = tagged("RMW");
                set.union(&select(&|event| event.role == Role::Amo && !is_lock(event)));
                set
            }
            "X" => {
                let mut set = tagged("X");
                set.union(&select(&|event| event.role == Role::Amo));
                set
            }
            "EX" => select(&|event| event.role == Role::Exclusive),
            "A" if matches!(self.test.dialect, Dialect::X86 | Dialect::X86_64) => tagged("X"),
            // Accesses of places that are declared without atomics, initial writes included.
            "NAL" => EventSet::of(n, (0..n).filter(|&index| cells[index].is_some_and(|cell| self.is_plain(cell)))),
            "NExp" | "Imp" => EventSet::empty(n),
            _ => tagged(name),
        }
    }

    fn on_one_host(&self, a: Option<usize>, b: Option<usize>) -> bool {
        let place = |thread: Option<usize>| thread.map(|thread| &self.test.threads[thread].place);
        let (a, b) = (place(a), place(b));
        a == b && (!self.test.dialect.has_messages() || a.is_some_and(|place| place.host.is_some()))
    }

    fn on_one_segment(&self, a: Option<usize>, b: Option<usize>) -> bool {
        let segment =
            |thread: Option<usize>| thread.and_then(|thread| self.test.threads[thread].place.segment.as_ref());
        segment(a) == segment(b)
    }

    fn is_plain(&self, cell: u64) -> bool {
        self.test.locate(cell).is_some_and(|(location, _)| !self.test.locations[location.0 as usize].is_atomic)
    }

    /// A named relation, given the cells of events. `rf` and `co` are empty here.
    pub fn named_relation(&self, name: &str, cells: &[Option<u64>]) -> Relation {
        let n = self.events.len();
        let all = |keep: &dyn Fn(usize, usize) -> bool| {
            let mut relation = Relation::empty(n);
            for a in 0..n {
                for b in 0..n {
                    if keep(a, b) {
                        relation.insert(a, b);
                    }
                }
            }
            relation
        };
        let thread = |index: usize| self.events[index].thread;
        match name {
            "po" => self.po.clone(),
            "addr" => self.addr.clone(),
            "data" => self.data.clone(),
            "ctrl" => self.ctrl.clone(),
            "casdep" => self.casdep.clone(),
            "pick" => self.pick.clone(),
            "amo" => self.amo.clone(),
            "lxsx" => self.lxsx.clone(),
            "rmw" | "instr-rmw" => {
                let mut rmw = self.amo.clone();
                rmw.union(&self.lxsx);
                rmw
            }
            "si" | "sm" | "sca-class" => self.si.clone(),
            "id" => Relation::identity(n),
            "int" => all(&|a, b| thread(a) == thread(b)),
            "ext" => all(&|a, b| thread(a) != thread(b)),
            // Processes without a host are each on their own; those without a segment are on the same one. Other tests have one machine.
            "same-host" => all(&|a, b| thread(a) == thread(b) || self.on_one_host(thread(a), thread(b))),
            "same-segment" => all(&|a, b| self.on_one_segment(thread(a), thread(b))),
            "loc" => all(&|a, b| cells[a].is_some() && cells[a] == cells[b]),
            "same-instance" => all(&|a, b| {
                let (a, b) = (&self.events[a], &self.events[b]);
                a.thread.is_some() && a.thread == b.thread && a.instance == b.instance
            }),
            _ => Relation::empty(n),
        }
    }
}

fn is_lock(event: &Event<'_>) -> bool {
    event.tags.iter().any(|tag| matches!(tag.as_str(), "LKR" | "LKW" | "LF" | "UL" | "RL" | "RU"))
}
