//! How does a thread read and write? From its own log where nobody else can notice, else by events.
//!
//! While main is alone it writes to a log that later gives the initial values of what threads share. What one thread has to itself stays in a log of
//! its own. All else becomes events; inside of an atomic section they are on one node, so a read there first looks for what the
//! section itself has written, and a later write of the section hides an earlier one from the others.

use super::event_graph::EventGraph;
use super::locate::Spot;
use super::places::{PlaceKey, cell, word};
use super::write_log::{Entry, Found, INITIAL, value_of};
use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::Walk;
use ir::Property;
use logic::{Scalar, Sort, TermId, Value, VarId};
use memory::events::{Read, Write};

impl Executor<'_> {
    /// Reads a place.
    pub(crate) fn read(&mut self, walk: &mut Walk, spot: Spot, accepts: Option<(VarId, TermId)>) -> TermId {
        if spot.is_var {
            let PlaceKey::Var(var) = spot.key else { unreachable!("a variable's place is its own") };
            let sort = self.graph.pool.var_sort(var);
            return self.read_cell(walk, (spot.key, None, sort), spot.is_shared, accepts);
        }
        let addr = spot.addr.expect("memory has addresses");
        let bits = if spot.in_bytes {
            let width = self.program.data_model.word_bits();
            let mut whole: Option<TermId> = None;
            for at in 0..spot.n_bytes {
                let offset = self.graph.pool.bv(width, at);
                let addr = self.graph.pool.add(addr, offset);
                let byte = self.read_cell(walk, (spot.key, Some(addr), Sort::Bv(8)), spot.is_shared, None);
                whole = Some(match whole {
                    None => byte,
                    Some(low) => self.graph.pool.concat(byte, low),
                });
            }
            whole.expect("an access has bytes")
        } else {
            let sort = Sort::Bv(8 * spot.n_bytes as u32);
            let accepts =
                accepts.filter(|_| matches!(spot.sort, Scalar::Bv(width) if u64::from(width) == 8 * spot.n_bytes));
            self.read_cell(walk, (spot.key, Some(addr), sort), spot.is_shared, accepts)
        };
        match spot.sort {
            Scalar::Bool => {
                let zero = self.graph.pool.bv(8 * spot.n_bytes as u32, 0);
                self.graph.pool.ne(bits, zero)
            }
            Scalar::Bv(width) => self.graph.pool.resize(bits, false, width),
            Scalar::F32 | Scalar::F64 => self.graph.pool.float_from_bits(bits),
        }
    }

    /// Writes a place.
    pub(crate) fn write(&mut self, walk: &mut Walk, spot: Spot, value: TermId) {
        if spot.is_var {
            self.write_cell(walk, (spot.key, None), value, spot.is_shared);
            return;
        }
        let addr = spot.addr.expect("memory has addresses");
        let n_bits = 8 * spot.n_bytes as u32;
        let bits = match spot.sort {
            Scalar::Bool => {
                let (one, zero) = (self.graph.pool.bv(n_bits, 1), self.graph.pool.bv(n_bits, 0));
                self.graph.pool.ite(value, one, zero)
            }
            Scalar::Bv(_) => self.graph.pool.resize(value, false, n_bits),
            Scalar::F32 | Scalar::F64 => self.graph.pool.float_to_bits(value),
        };
        if !spot.in_bytes {
            self.write_cell(walk, (spot.key, Some(addr)), bits, spot.is_shared);
            return;
        }
        let width = self.program.data_model.word_bits();
        for at in 0..spot.n_bytes {
            let offset = self.graph.pool.bv(width, at);
            let addr = self.graph.pool.add(addr, offset);
            let byte = self.graph.pool.extract(bits, 8 * at as u32 + 7, 8 * at as u32);
            self.write_cell(walk, (spot.key, Some(addr)), byte, spot.is_shared);
        }
    }

    /// Reads a cell. `accepts` is a variable and what must hold of it for the read to happen.
    pub(crate) fn read_cell(
        &mut self,
        walk: &mut Walk,
        (key, addr, sort): (PlaceKey, Option<TermId>, Sort),
        is_shared: bool,
        accepts: Option<(VarId, TermId)>,
    ) -> TermId {
        let (point, thread) = (walk.state.point, walk.thread);
        if !is_shared {
            let into = if walk.state.alone { INITIAL } else { thread };
            return self.read_logs((&[thread, INITIAL], Some(into)), (key, addr, sort), Some(point));
        }
        let cell = cell(&self.graph.pool, key, addr);
        if accepts.is_none() && self.forwarding.finds(&self.known.writers, thread, cell) {
            let owners = self.forwarding.logs_of(thread);
            return self.read_logs((&owners, Some(thread)), (key, addr, sort), Some(point));
        }
        let section = self.put_off.section_for(&self.graph, &self.known.lock_sets, walk, (key, addr));
        if let Some(section) = section.filter(|_| accepts.is_none()) {
            return self.put_off.read(&mut self.graph, walk, section, (key, addr, sort));
        }
        let node = self.graph.node(walk);
        let place = self.graph.places.number(key);
        let (own, is_complete) = self.read_own_section((node, point), (place, addr, sort));
        if let (true, Some((_, last))) = (is_complete, own.last()) {
            return value_of(&mut self.graph.pool, &own, *last);
        }
        let mut guard = self.graph.points.guard(point);
        for (cond, _) in &own {
            let not = self.graph.pool.not(*cond);
            guard = self.graph.pool.and(guard, not);
        }
        let value = self.graph.fresh("read", sort);
        let with_value = |(var, cond)| self.graph.pool.substitute(cond, &|other| (other == var).then_some(value));
        let accepts = accepts.map(with_value);
        walk.reads.push(self.graph.events.reads.len());
        let read = Read { node, thread, place, addr, guard, value, accepts, point, how: walk.how };
        self.graph.add_read(&walk.state.held, key, read);
        value_of(&mut self.graph.pool, &own, value)
    }

    /// What the atomic section of a node has written to a cell itself.
    fn read_own_section(
        &mut self,
        (node, point): (u32, u32),
        (place, addr, sort): (u32, Option<TermId>, Sort),
    ) -> Found {
        let EventGraph { pool, points, events, atomic, .. } = &mut self.graph;
        let mut own: Vec<(TermId, TermId)> = Vec::new();
        for index in atomic.writes(node).iter().rev() {
            let write = events.writes[*index];
            if write.place != place || pool.sort(write.value) != sort {
                continue;
            }
            let same = match (write.addr, addr) {
                (Some(a), Some(b)) => pool.eq(a, b),
                _ => pool.bool(true),
            };
            let is_sure = points.dominates(write.point, point);
            let cond = if is_sure { same } else { pool.and(points.guard(write.point), same) };
            match pool.as_const(cond) {
                Some(Value::Bool(false)) => {}
                Some(_) => {
                    own.push((cond, write.value));
                    return (own, true);
                }
                None => own.push((cond, write.value)),
            }
        }
        (own, false)
    }

    /// What is found in the first of these logs that has something, or what nobody has written; what has to be put together is added to the
    /// log of `into`.
    pub(crate) fn read_logs(
        &mut self,
        (owners, into): (&[u32], Option<u32>),
        (key, addr, sort): (PlaceKey, Option<TermId>, Sort),
        point: Option<u32>,
    ) -> TermId {
        let EventGraph { pool, points, .. } = &mut self.graph;
        let (found, is_complete) = self.memory.logs.read(pool, points, owners, (key, addr, sort), point);
        let last = match found.last() {
            Some((_, value)) if is_complete => *value,
            _ => self.memory.objects.initial(self.program, pool, key, addr, sort),
        };
        let value = value_of(pool, &found, last);
        let is_fixed = addr.is_none_or(|addr| word(pool, addr).is_some());
        if let (Some(point), Some(into), true, true) = (point, into, is_fixed, found.len() > 1) {
            self.memory.logs.push(pool, into, key, Entry { point, addr, value });
        }
        value
    }

    /// Writes a cell.
    pub(crate) fn write_cell(
        &mut self,
        walk: &mut Walk,
        (key, addr): (PlaceKey, Option<TermId>),
        value: TermId,
        is_shared: bool,
    ) {
        let (point, thread) = (walk.state.point, walk.thread);
        let entry = Entry { point, addr, value };
        if !is_shared {
            let owner = if walk.state.alone { INITIAL } else { thread };
            self.memory.logs.push(&self.graph.pool, owner, key, entry);
            return;
        }
        if self.known.writers.is_known(key) {
            self.memory.logs.push(&self.graph.pool, thread, key, entry);
        }
        if let Some(section) = self.put_off.section_for(&self.graph, &self.known.lock_sets, walk, (key, addr)) {
            self.put_off.write(&mut self.graph, section, key, entry);
            return;
        }
        let node = self.graph.write_node(walk);
        let place = self.graph.places.number(key);
        let guard = self.graph.points.guard(point);
        walk.writes.push(self.graph.events.writes.len());
        let write = Write { node, thread, place, addr, guard, is_hidden: false, value, point, how: walk.how };
        self.graph.add_write(&walk.state.held, write, walk.is_inside());
    }

    /// What a thread finds in a lock that it holds: what it has left there. This must be judged later.
    pub(crate) fn own_lock(&mut self, walk: &Walk, spot: &Spot, var: VarId) -> Option<TermId> {
        let is_trusting = self.graph.locks.is_trusting() && !walk.is_inside() && !spot.in_bytes;
        if !is_trusting || self.properties.has(Property::Race) {
            return None;
        }
        let (lock, value) = self.graph.locks.own_value(&walk.state.held, spot.key, spot.addr)?;
        if self.graph.pool.sort(value) != self.graph.pool.var_sort(var) {
            return None;
        }
        self.graph.locks.trust(lock);
        Some(value)
    }
}
