//! What is in the buffers of a state, what do reads see of them, and which store can reach memory next? The rules are in `crate::model`.
//!
//! Invariant: a buffer neither begins nor ends with a barrier that says nothing: barriers at its front are dropped, and there are no two in a row. So
//! equal buffers behave the same, and one without stores is empty.

use super::event::{Cell, Event, What};
use super::exec::{Exec, Spot};
use super::memory::{from_bytes, to_bytes};
use super::state::{Pending, State};
use crate::interp::machine::program::Machine;
use crate::model::Model;
use crate::program::EdgeRef;
use crate::source::Span;
use crate::stmt::{Order, SiteId};
use logic::{Scalar, Value, VarId};

/// Adds a store; its number among the stores of the buffer.
pub(in crate::interp) fn push_store(buffer: &mut Vec<Pending>, cell: Cell, base: u64, value: Value) -> usize {
    buffer.push(Pending::Store { cell, base, value });
    n_stores(buffer) - 1
}

/// Adds a barrier, where it says something.
pub(in crate::interp) fn push_barrier(buffer: &mut Vec<Pending>) {
    if matches!(buffer.last(), Some(Pending::Store { .. })) {
        buffer.push(Pending::Barrier);
    }
}

fn n_stores(buffer: &[Pending]) -> usize {
    buffer.iter().filter(|pending| matches!(pending, Pending::Store { .. })).count()
}

/// The value that the thread itself finds in a variable, if it is in the buffer.
pub(in crate::interp) fn forwarded_var(buffer: &[Pending], var: VarId) -> Option<&Value> {
    buffer.iter().rev().find_map(|pending| match pending {
        Pending::Store { cell: Cell::Var(other), value, .. } if *other == var => Some(value),
        _ => None,
    })
}

/// Replaces the bytes from an address on by those in the buffer; tells which were.
pub(in crate::interp) fn forward_bytes(buffer: &[Pending], addr: u64, bytes: &mut [Option<u8>]) -> Vec<bool> {
    let mut is_forwarded = vec![false; bytes.len()];
    for pending in buffer {
        let Pending::Store { cell: Cell::Bytes { addr: start, .. }, value, .. } = pending else { continue };
        for (i, byte) in to_bytes(value).into_iter().enumerate() {
            let offset = (start + i as u64).wrapping_sub(addr) as usize;
            if offset < bytes.len() {
                (bytes[offset], is_forwarded[offset]) = (Some(byte), true);
            }
        }
    }
    is_forwarded
}

fn overlap(a: Cell, b: Cell) -> bool {
    match (a, b) {
        (Cell::Var(a), Cell::Var(b)) => a == b,
        (Cell::Bytes { addr: a, len: m }, Cell::Bytes { addr: b, len: n }) => a < b + n && b < a + m,
        _ => false,
    }
}

/// The first entry in front of this one that must leave before it.
pub(in crate::interp) fn blocker(model: Model, buffer: &[Pending], at: usize) -> Option<usize> {
    if model == Model::Tso {
        return (at > 0).then_some(0);
    }
    let Pending::Store { cell, .. } = &buffer[at] else { return None };
    let barrier = buffer[..at].iter().rposition(|pending| *pending == Pending::Barrier);
    if barrier.is_some() {
        return Some(0);
    }
    buffer[..at].iter().position(|pending| match pending {
        Pending::Store { cell: other, .. } => overlap(*cell, *other),
        Pending::Barrier => false,
    })
}

/// Takes a store out of a buffer and writes it to memory, whether it is its turn or not.
pub(in crate::interp) fn write_out(machine: &Machine<'_>, state: &mut State, thread: usize, at: usize) -> What {
    let buffer = &mut state.threads[thread].buffer;
    let number = number_of(buffer, at);
    let Pending::Store { cell, base, value: new } = buffer.remove(at) else {
        unreachable!("only stores are committed")
    };
    if at > 0 && matches!(buffer.get(at), Some(Pending::Barrier)) && buffer[at - 1] == Pending::Barrier {
        buffer.remove(at);
    }
    let n_front = buffer.iter().take_while(|pending| **pending == Pending::Barrier).count();
    buffer.drain(..n_front);
    let mut is_dropped = false;
    let old = match cell {
        Cell::Var(var) => {
            let slot = &mut state.globals[machine.slot_of[var.index()]];
            slot.replace(new.clone())
        }
        Cell::Bytes { addr, len } if state.memory.live.contains_key(&base) => {
            let old = state.memory.read(base, addr, len).into_iter().collect::<Option<Vec<u8>>>();
            state.memory.write(base, addr, &to_bytes(&new));
            old.zip(new.sort().scalar()).map(|(bytes, sort): (Vec<u8>, Scalar)| from_bytes(sort, &bytes))
        }
        Cell::Bytes { .. } => {
            is_dropped = true;
            None
        }
    };
    What::Committed { thread: thread as u32, number, cell, old, new, is_dropped }
}

/// The number of the store that stands here.
pub(in crate::interp) fn number_of(buffer: &[Pending], at: usize) -> usize {
    n_stores(&buffer[..at])
}

/// Where the store with this number stands in a buffer.
pub(in crate::interp) fn place_of(buffer: &[Pending], number: usize) -> Option<usize> {
    let stores = buffer.iter().enumerate().filter(|(_, pending)| matches!(pending, Pending::Store { .. }));
    stores.map(|(at, _)| at).nth(number)
}

impl Machine<'_> {
    /// The stores that can reach memory next: thread, and number among the stores of its buffer.
    pub fn commits(&self, state: &State) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        if state.end.is_some() || state.threads.iter().all(|thread| thread.buffer.is_empty()) {
            return found;
        }
        if self.excludes_others(state).is_some() {
            return found;
        }
        for (index, thread) in state.threads.iter().enumerate() {
            let mut number = 0;
            for (at, pending) in thread.buffer.iter().enumerate() {
                if *pending == Pending::Barrier {
                    continue;
                }
                if blocker(self.program.model, &thread.buffer, at).is_none() {
                    found.push((index as u32, number));
                }
                number += 1;
            }
        }
        found
    }

    /// A store reaches memory, if it can be next; tells whether it does.
    pub fn commit(&self, state: &mut State, thread: u32, number: usize, events: Option<&mut Vec<Event>>) -> bool {
        if !self.commits(state).contains(&(thread, number)) {
            return false;
        }
        let at = place_of(&state.threads[thread as usize].buffer, number).expect("the store was just found");
        let what = write_out(self, state, thread as usize, at);
        if let Some(events) = events {
            events.push(Event { span: Span::NOWHERE, site: SiteId(0), what });
        }
        true
    }

    /// The state in which all stores of all buffers have reached memory, if it is another one.
    pub(in crate::interp) fn all_committed(&self, state: &State) -> Option<State> {
        if state.threads.iter().all(|thread| thread.buffer.is_empty()) {
            return None;
        }
        let mut last = state.clone();
        for thread in 0..last.threads.len() {
            while !last.threads[thread].buffer.is_empty() {
                write_out(self, &mut last, thread, 0);
            }
        }
        Some(last)
    }
}

impl Exec<'_, '_> {
    /// A store goes to the buffer.
    pub(in crate::interp) fn store_later(&mut self, spot: Spot, new: Value, order: Order) {
        if order.releases() {
            self.barrier();
        }
        let base = match spot {
            Spot::Var(_) => 0,
            Spot::Mem { base, .. } => base,
        };
        let buffer = &mut self.state.threads[self.thread].buffer;
        let number = push_store(buffer, spot.cell(), base, new.clone());
        self.note(What::Buffered { cell: spot.cell(), new, order, number });
    }

    /// The thread's stores reach memory.
    pub(in crate::interp) fn drain(&mut self) {
        while !self.state.threads[self.thread].buffer.is_empty() {
            let what = write_out(self.machine, self.state, self.thread, 0);
            self.note(what);
        }
    }

    pub(in crate::interp) fn fence(&mut self, order: Order) {
        match order {
            Order::SeqCst => self.drain(),
            _ if order.releases() => self.barrier(),
            _ => {}
        }
        self.note(What::Fence(order));
    }

    fn barrier(&mut self) {
        if self.machine.program.model == Model::Pso {
            push_barrier(&mut self.state.threads[self.thread].buffer);
        }
    }

    /// Bytes that a read has chosen have that value from then on; bytes that came from the buffer are not in memory yet.
    pub(in crate::interp) fn keep_choice(&mut self, spot: Spot, value: &Value) {
        let Spot::Mem { base, addr, .. } = spot else {
            self.write(spot, value);
            return;
        };
        let chosen = to_bytes(value);
        let mut bytes = self.state.memory.read(base, addr, chosen.len() as u64);
        let is_forwarded = forward_bytes(&self.state.threads[self.thread].buffer, addr, &mut bytes);
        for (i, byte) in chosen.into_iter().enumerate() {
            if !is_forwarded[i] {
                self.state.memory.write(base, addr + i as u64, &[byte]);
            }
        }
    }
}

/// Whether more than one statement of the edge touches what threads share.
pub(in crate::interp) fn has_several_accesses(machine: &Machine<'_>, edge: EdgeRef) -> bool {
    machine.program.edge(edge).stmts.iter().filter(|stmt| !stmt.accesses().is_empty()).count() > 1
}
