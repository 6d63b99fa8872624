//! How does a thread read and write? From its own log where nobody else can notice, else by events.
//!
//! While main is alone it writes to a log that later gives the initial values of what threads share. What one thread has to itself stays in a log of
//! its own. All else becomes events; inside of an atomic section they are on one node, so a read there first looks for what the
//! section itself has written, and a later write of the section hides an earlier one from the others.

use crate::bmc::accesses::places::{Ends, PlaceKey};
use crate::bmc::accesses::write_log::{Entry, value_of, word};
use crate::bmc::unroll::step::{Go, Stop, Walk};
use crate::bmc::unroll::symbolic_execution::{Executor, INITIAL, State};
use crate::bmc::unrolled::{Access, BadKind};
use ir::access::bytes_of;
use ir::{Order, Place, Property, RegionId, Span, Why};
use logic::{Scalar, Sort, TermId, Value};
use memory::events::{Kind, Read, Write};

/// A place that an access has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) key: PlaceKey,
    pub(crate) addr: Option<TermId>,
    sort: Scalar,
    n_bytes: u64,
    pub(crate) in_bytes: bool,
    /// Whether others may notice.
    pub(crate) is_shared: bool,
    is_var: bool,
    /// The start of the object, if another thread may free it.
    base: Option<TermId>,
}

/// How a place is accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) is_write: bool,
    pub(crate) waits: bool,
    pub(crate) order: Order,
}

impl Executor<'_> {
    /// The place of an access, which is a valid one from here on.
    pub(crate) fn locate(&mut self, walk: &mut Walk, place: &Place, is_write: bool, span: Span) -> Go<Spot> {
        let is_shared = !walk.state.alone && self.sharing.is_shared(place);
        match *place {
            Place::Var(var) => {
                let sort = self.pool.var_sort(var).scalar().unwrap_or(Scalar::Bool);
                Ok(Spot {
                    key: PlaceKey::Var(var),
                    addr: None,
                    sort,
                    n_bytes: 0,
                    in_bytes: false,
                    is_shared,
                    is_var: true,
                    base: None,
                })
            }
            Place::Mem { addr, sort, region } => {
                let expected = self.places.expected(self.program, region, addr);
                let addr = self.eval(walk, addr);
                if let Some(expected) = expected {
                    let low = self.program.data_model.granule_bits();
                    let (own, expected) = (self.pool.extract(addr, low - 1, 0), self.pool.bv(low, expected));
                    let is_there = self.pool.eq(own, expected);
                    self.bad_unless(walk, is_there, BadKind::Misplaced);
                    self.require(walk, is_there)?;
                }
                let n_bytes = bytes_of(sort);
                let valid = self.valid(walk, addr, n_bytes, region, is_write);
                let what = if self.properties.has(Property::Deref) {
                    BadKind::Violation(Property::Deref)
                } else {
                    let verb = if is_write { "write" } else { "read" };
                    BadKind::Beyond(Why::Undefined { span, what: format!("invalid {verb}") })
                };
                self.bad_unless(walk, valid, what);
                self.require(walk, valid)?;
                let in_bytes = self.places.in_bytes(region);
                let key = self.places.cells(region);
                let base = (self.places.ends(region) == Ends::Shared).then(|| self.base_of(addr));
                Ok(Spot { key, addr: Some(addr), sort, n_bytes, in_bytes, is_shared, is_var: false, base })
            }
        }
    }

    /// Whether bytes are inside of a live object.
    fn valid(&mut self, walk: &mut Walk, addr: TermId, n: u64, region: RegionId, is_write: bool) -> TermId {
        let place = (!self.places.is_one()).then_some(region);
        let known = word(&self.pool, addr).map(|addr| self.objects.contains(&mut self.pool, addr, n, is_write));
        let (inside, may_end) = match known {
            Some(Some((fits, object))) => {
                let (may_end, guard) = (object.made.is_some(), object.guard);
                (if fits { guard } else { self.pool.bool(false) }, may_end)
            }
            _ if word(&self.pool, addr) == Some(0) => (self.pool.bool(false), false),
            _ => {
                // Objects that are made later, by other threads, count too.
                let valid = self.fresh("valid", Sort::Bool);
                self.objects_to_check.push((valid, addr, n, place, is_write));
                (valid, true)
            }
        };
        if self.pool.as_const(inside) == Some(&Value::Bool(false)) || !may_end {
            return inside;
        }
        let ends = self.places.ends(region);
        if ends == Ends::Never {
            return inside;
        }
        let base = self.base_of(addr);
        let is_shared = !walk.state.alone && ends == Ends::Shared;
        let live = self.read_cell(walk, PlaceKey::Live, Some(base), Sort::Bool, is_shared, None);
        self.pool.and(inside, live)
    }

    /// The first address of the granule that an address is in: the base of an object that is not larger.
    pub(crate) fn base_of(&mut self, addr: TermId) -> TermId {
        let width = self.program.data_model.word_bits();
        let low = self.program.data_model.granule_bits();
        let high = self.pool.extract(addr, width - 1, low);
        let zero = self.pool.bv(low, 0);
        self.pool.concat(high, zero)
    }

    /// Reads a place.
    pub(crate) fn read(&mut self, walk: &mut Walk, spot: Spot, accepts: Option<(logic::VarId, TermId)>) -> TermId {
        if spot.is_var {
            let PlaceKey::Var(var) = spot.key else { unreachable!("a variable's place is its own") };
            let sort = self.pool.var_sort(var);
            return self.read_cell(walk, spot.key, None, sort, spot.is_shared, accepts);
        }
        let addr = spot.addr.expect("memory has addresses");
        let bits = if spot.in_bytes {
            let width = self.program.data_model.word_bits();
            let mut whole: Option<TermId> = None;
            for at in 0..spot.n_bytes {
                let offset = self.pool.bv(width, at);
                let addr = self.pool.add(addr, offset);
                let byte = self.read_cell(walk, spot.key, Some(addr), Sort::Bv(8), spot.is_shared, None);
                whole = Some(match whole {
                    None => byte,
                    Some(low) => self.pool.concat(byte, low),
                });
            }
            whole.expect("an access has bytes")
        } else {
            let sort = Sort::Bv(8 * spot.n_bytes as u32);
            let accepts =
                accepts.filter(|_| matches!(spot.sort, Scalar::Bv(width) if u64::from(width) == 8 * spot.n_bytes));
            self.read_cell(walk, spot.key, Some(addr), sort, spot.is_shared, accepts)
        };
        match spot.sort {
            Scalar::Bool => {
                let zero = self.pool.bv(8 * spot.n_bytes as u32, 0);
                self.pool.ne(bits, zero)
            }
            Scalar::Bv(width) => self.pool.resize(bits, false, width),
            Scalar::F32 | Scalar::F64 => self.pool.float_from_bits(bits),
        }
    }

    /// Writes a place.
    pub(crate) fn write(&mut self, walk: &mut Walk, spot: Spot, value: TermId) {
        if spot.is_var {
            self.write_cell(walk, spot.key, None, value, spot.is_shared);
            return;
        }
        let addr = spot.addr.expect("memory has addresses");
        let n_bits = 8 * spot.n_bytes as u32;
        let bits = match spot.sort {
            Scalar::Bool => {
                let (one, zero) = (self.pool.bv(n_bits, 1), self.pool.bv(n_bits, 0));
                self.pool.ite(value, one, zero)
            }
            Scalar::Bv(_) => self.pool.resize(value, false, n_bits),
            Scalar::F32 | Scalar::F64 => self.pool.float_to_bits(value),
        };
        if !spot.in_bytes {
            self.write_cell(walk, spot.key, Some(addr), bits, spot.is_shared);
            return;
        }
        let width = self.program.data_model.word_bits();
        for at in 0..spot.n_bytes {
            let offset = self.pool.bv(width, at);
            let addr = self.pool.add(addr, offset);
            let byte = self.pool.extract(bits, 8 * at as u32 + 7, 8 * at as u32);
            self.write_cell(walk, spot.key, Some(addr), byte, spot.is_shared);
        }
    }

    /// The node of the step; all its accesses are one.
    pub(crate) fn node(&mut self, walk: &mut Walk) -> u32 {
        if let Some(node) = walk.node {
            return node;
        }
        let is_inside = walk.state.depth > 0 || walk.is_group;
        let node = match walk.state.section {
            Some(node) if is_inside => node,
            _ => {
                let kind = if is_inside || walk.is_fence { Kind::Fence } else { Kind::Run };
                self.node_after(walk.thread, &mut walk.state, kind)
            }
        };
        if is_inside {
            walk.state.section = Some(node);
            self.section_nodes.push(node);
        }
        walk.node = Some(node);
        walk.record.node = Some(node);
        node
    }

    /// Reads a cell. `accepts` is a variable and what must hold of it for the read to happen.
    pub(crate) fn read_cell(
        &mut self,
        walk: &mut Walk,
        key: PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
        is_shared: bool,
        accepts: Option<(logic::VarId, TermId)>,
    ) -> TermId {
        let point = walk.state.point;
        if !is_shared {
            let into = if walk.state.alone { INITIAL } else { walk.thread };
            return self.read_logs_of((&[walk.thread, INITIAL], Some(into)), key, addr, sort, Some(point));
        }
        if accepts.is_none() && self.finds_known(walk.thread, key, addr) {
            let owners = self.ancestry(walk.thread);
            return self.read_logs_of((&owners, Some(walk.thread)), key, addr, sort, Some(point));
        }
        if let Some(section) = self.section_for(walk, key, addr).filter(|_| accepts.is_none()) {
            return self.read_inside(walk, section, key, addr, sort);
        }
        let node = self.node(walk);
        let place = self.places.number(key);
        let mut own: Vec<(TermId, TermId)> = Vec::new();
        let mut is_own = false;
        for index in self.section_writes.get(&node).cloned().unwrap_or_default().into_iter().rev() {
            let write = self.events.writes[index];
            let happens = self.points.guard(write.point);
            if write.place != place || self.pool.sort(write.value) != sort {
                continue;
            }
            let same = match (write.addr, addr) {
                (Some(a), Some(b)) => self.pool.eq(a, b),
                _ => self.pool.bool(true),
            };
            let cond = if self.points.dominates(write.point, point) { same } else { self.pool.and(happens, same) };
            match self.pool.as_const(cond) {
                Some(Value::Bool(false)) => {}
                Some(_) => {
                    own.push((cond, write.value));
                    is_own = true;
                    break;
                }
                None => own.push((cond, write.value)),
            }
        }
        if is_own {
            let last = own.last().expect("one was found").1;
            return value_of(&mut self.pool, &own, last);
        }
        let mut guard = self.points.guard(point);
        for (cond, _) in &own {
            let not = self.pool.not(*cond);
            guard = self.pool.and(guard, not);
        }
        let value = self.fresh("read", sort);
        let accepts = accepts.map(|(var, cond)| self.pool.substitute(cond, &|other| (other == var).then_some(value)));
        walk.reads.push(self.events.reads.len());
        self.events.reads.push(Read { node, thread: walk.thread, place, addr, guard, value, accepts, point });
        self.read_keys.push(key);
        self.note_sections(&walk.state, true);
        value_of(&mut self.pool, &own, value)
    }

    /// What a thread finds in its own log, in that of main when it was alone, or in what nobody has written.
    pub(crate) fn read_logs(
        &mut self,
        thread: u32,
        key: PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
        point: Option<u32>,
    ) -> TermId {
        self.read_logs_of((&[thread, INITIAL], None), key, addr, sort, point)
    }

    /// What is found in the first of these logs that has something; what has to be put together is added to the log of `into`.
    fn read_logs_of(
        &mut self,
        (owners, into): (&[u32], Option<u32>),
        key: PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
        point: Option<u32>,
    ) -> TermId {
        let mut found: Vec<(TermId, TermId)> = Vec::new();
        let mut is_complete = false;
        for owner in owners {
            if is_complete {
                break;
            }
            if let Some(log) = self.logs.get(&(*owner, key)) {
                let (mut more, complete) = log.read(&mut self.pool, &self.points, addr, point);
                more.retain(|(_, value)| self.pool.sort(*value) == sort);
                found.append(&mut more);
                is_complete = complete;
            }
        }
        let last = match found.last() {
            Some((_, value)) if is_complete => *value,
            _ => self.objects.initial(self.program, &mut self.pool, key, addr, sort),
        };
        let value = value_of(&mut self.pool, &found, last);
        let is_fixed = addr.is_none_or(|addr| word(&self.pool, addr).is_some());
        if let (Some(point), Some(into), true, true) = (point, into, is_fixed, found.len() > 1) {
            self.logs.entry((into, key)).or_default().push(&self.pool, Entry { point, addr, value });
        }
        value
    }

    /// Writes a cell.
    pub(crate) fn write_cell(
        &mut self,
        walk: &mut Walk,
        key: PlaceKey,
        addr: Option<TermId>,
        value: TermId,
        is_shared: bool,
    ) {
        let point = walk.state.point;
        let guard = self.points.guard(point);
        if !is_shared {
            let owner = if walk.state.alone { INITIAL } else { walk.thread };
            let log = self.logs.entry((owner, key)).or_default();
            log.push(&self.pool, Entry { point, addr, value });
            return;
        }
        if self.known.is_known(key) {
            let log = self.logs.entry((walk.thread, key)).or_default();
            log.push(&self.pool, Entry { point, addr, value });
        }
        if let Some(section) = self.section_for(walk, key, addr) {
            self.write_inside(walk, section, key, Entry { point, addr, value });
            return;
        }
        let node = self.write_node(walk);
        let place = self.places.number(key);
        let is_inside = walk.state.depth > 0 || walk.is_group;
        walk.writes.push(self.events.writes.len());
        let write = Write { node, thread: walk.thread, place, addr, guard, is_hidden: false, value, point };
        self.push_write(&walk.state, write, is_inside);
    }

    /// Adds a write; if others of the same node may be to the same cell, it hides them.
    pub(crate) fn push_write(&mut self, state: &State, new: Write, hides: bool) {
        if hides {
            for index in self.section_writes.get(&new.node).cloned().unwrap_or_default() {
                let write = self.events.writes[index];
                if write.place != new.place || self.pool.sort(write.value) != self.pool.sort(new.value) {
                    continue;
                }
                let same = match (write.addr, new.addr) {
                    (Some(a), Some(b)) => self.pool.eq(a, b),
                    _ => self.pool.bool(true),
                };
                let hides = self.pool.and(new.guard, same);
                if self.pool.as_const(hides) == Some(&Value::Bool(false)) {
                    continue;
                }
                let not = self.pool.not(hides);
                let write = &mut self.events.writes[index];
                write.guard = self.pool.and(write.guard, not);
                write.is_hidden = true;
            }
            self.section_writes.entry(new.node).or_default().push(self.events.writes.len());
        }
        self.events.writes.push(new);
        self.note_sections(state, false);
    }

    /// Notes an access that may race. Others may also race to free the object.
    pub(crate) fn note_access(&mut self, walk: &mut Walk, spot: Spot, before: &[u32], how: How) {
        if !spot.is_shared || !self.properties.has(Property::Race) {
            return;
        }
        self.note(walk, (spot.key, spot.addr, spot.n_bytes), before, how);
        if let Some(base) = spot.base {
            let how = How { is_write: false, ..how };
            self.note(walk, (PlaceKey::Live, Some(base), 1), before, how);
        }
    }

    /// Notes that an object is freed, which may race with all that is done to it.
    pub(crate) fn note_free(&mut self, walk: &mut Walk, addr: TermId, before: &[u32]) {
        if self.properties.has(Property::Race) {
            let how = How { is_write: true, waits: false, order: Order::Plain };
            let zero = self.pool.bv(self.program.data_model.word_bits(), 0);
            let is_object = self.pool.ne(addr, zero);
            let access = self.out.accesses.len();
            self.note(walk, (PlaceKey::Live, Some(addr), 1), before, how);
            let guard = &mut self.out.accesses[access].guard;
            *guard = self.pool.and(*guard, is_object);
        }
    }

    fn note(&mut self, walk: &mut Walk, place: (PlaceKey, Option<TermId>, u64), before: &[u32], how: How) {
        let (key, addr, bytes) = place;
        let node = self.node(walk);
        let place = self.places.number(key);
        let guard = self.points.guard(walk.state.point);
        let is_inside = walk.state.depth > 0 || walk.is_group || how.waits;
        let racing = is_inside.then(|| {
            let racing = self.fresh("racing", Sort::Bool);
            let here = self.pool.and(guard, racing);
            self.section_ends.entry(node).or_default().1.push(here);
            racing
        });
        let is_atomic = how.order.is_atomic() || walk.state.depth > 0;
        let n_started = walk.record.starts.len();
        self.out.accesses.push(Access {
            n_started,
            thread: walk.thread,
            node,
            after: before.into(),
            place,
            addr,
            bytes,
            is_write: how.is_write,
            is_atomic,
            is_inside,
            racing,
            guard,
            record: self.out.threads[walk.thread as usize].records.len() as u32,
            stmt: walk.stmt,
        });
    }

    /// An execution that leaves the model here.
    pub(crate) fn beyond(&mut self, walk: &Walk, why: Why) -> Stop {
        let no = self.pool.bool(false);
        self.bad_unless(walk, no, BadKind::Beyond(why));
        Stop::End
    }
}
