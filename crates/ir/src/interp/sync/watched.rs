//! Which places can threads race for at all? Found out before it is asked who knows of which access, so that states need not tell of others.
//!
//! The interleavings of a program do not depend on what its threads know of each other. So a first search notes who touches what, and of all the places only those are watched in a second one
//! that two threads touch, one of them writing, one of them not atomically. Bytes that are always touched together are watched by the first of them.

use super::happens_before::{Unit, units};
use crate::interp::machine::event::{Cell, What};
use crate::stmt::{AllocKind, Order};
use std::collections::{BTreeMap, BTreeSet};

/// Places that threads may race for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watched {
    units: BTreeSet<Unit>,
}

impl Watched {
    /// Whether accesses of a variable or a byte are noted.
    pub(in crate::interp) fn has(&self, unit: &Unit) -> bool {
        self.units.contains(unit)
    }
}

/// An access as far as races go: whose, whether it writes, whether it is atomic.
type Class = (u32, bool, bool);

#[derive(Clone, Debug, Default)]
struct Uses {
    classes: BTreeSet<Class>,
    cells: BTreeSet<Cell>,
}

/// Who touches what, in all executions.
#[derive(Clone, Debug, Default)]
pub(in crate::interp) struct Footprints {
    of: BTreeMap<Unit, Uses>,
    /// Blocks that are freed, and by whom.
    freed: BTreeSet<(u64, u64, u32)>,
}

impl Footprints {
    /// Something happens in a thread. What it does inside of an atomic section counts as if it were outside, which only means to watch more.
    pub(in crate::interp) fn note(&mut self, thread: u32, what: &What) {
        let mut touch = |cell: Cell, is_write: bool, order: Order| {
            for unit in units(cell) {
                let uses = self.of.entry(unit).or_default();
                uses.classes.insert((thread, is_write, order.is_atomic()));
                uses.cells.insert(cell);
            }
        };
        match *what {
            What::Read { cell, order, .. } => touch(cell, false, order),
            What::Write { cell, order, .. } | What::Buffered { cell, order, .. } | What::Update { cell, order, .. } => {
                touch(cell, true, order);
            }
            What::Attempted { base, is_write } => touch(Cell::Bytes { addr: base, len: 1 }, is_write, Order::Plain),
            What::Ended { base, size, kind: AllocKind::Heap } => {
                touch(Cell::Bytes { addr: base, len: 1 }, true, Order::Plain);
                self.freed.insert((base, size, thread));
            }
            _ => {}
        }
    }

    /// What is worth watching.
    pub(in crate::interp) fn watched(mut self) -> Watched {
        for (base, size, thread) in self.freed {
            let bytes = Unit::Byte(base)..Unit::Byte(base.saturating_add(size.max(1)));
            for (_, uses) in self.of.range_mut(bytes) {
                uses.classes.insert((thread, true, false));
            }
        }
        let conflict = |a: &Class, b: &Class| a.0 != b.0 && (a.1 || b.1) && !(a.2 && b.2);
        let is_raced_for = |uses: &Uses| uses.classes.iter().any(|a| uses.classes.iter().any(|b| conflict(a, b)));
        let is_first = |unit: &Unit, uses: &Uses| match unit {
            Unit::Byte(addr) if *addr > 0 => {
                self.of.get(&Unit::Byte(addr - 1)).is_none_or(|before| before.cells != uses.cells)
            }
            _ => true,
        };
        let worth = self.of.iter().filter(|(unit, uses)| is_raced_for(uses) && is_first(unit, uses));
        Watched { units: worth.map(|(unit, _)| *unit).collect() }
    }
}
