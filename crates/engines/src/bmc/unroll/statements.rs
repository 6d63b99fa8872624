//! What does each statement do to a state? The meaning is that of `ir::interp`, on terms.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::accesses::read_and_write::How;
use crate::bmc::accesses::write_log::word;
use crate::bmc::unroll::spin_loops::Did;
use crate::bmc::unroll::step::{Go, Stop, Variant, Walk};
use crate::bmc::unroll::symbolic_execution::Executor;
use crate::bmc::unrolled::{BadKind, Waiting};
use ir::{AllocKind, CheckKind, Fill, Op, Order, Place, Property, Stmt, Why};
use logic::{Sort, TermId, Value, VarId};
use memory::events::Kind;

impl Executor<'_> {
    /// Executes a statement.
    pub(crate) fn stmt(&mut self, walk: &mut Walk, stmt: &Stmt) -> Go {
        walk.did = walk.did.and(match stmt.op {
            // What stores and updates do is noted where their values are known.
            Op::Assign { .. } | Op::Havoc { .. } | Op::Assume(_) | Op::Check { .. } => Did::Nothing,
            Op::Store { .. } | Op::Rmw { .. } | Op::Fence(_) | Op::Mark(..) => Did::Nothing,
            Op::Call { .. } | Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. } => Did::Nothing,
            Op::Load { .. } | Op::Join { .. } => Did::Reads,
            Op::Alloc { .. } | Op::Free { .. } | Op::Start { .. } | Op::AtomicBegin | Op::AtomicEnd => Did::Other,
        });
        match &stmt.op {
            Op::Assign { var, value } => {
                let value = self.eval(walk, *value);
                self.set(walk, *var, value);
                Ok(())
            }
            Op::Havoc { var, .. } => {
                let sort = self.pool.var_sort(*var);
                let value = self.fresh("input", sort);
                walk.record.inputs.push((stmt.site, value));
                self.set(walk, *var, value);
                Ok(())
            }
            Op::Assume(cond) => {
                let cond = self.eval(walk, *cond);
                self.assume(walk, cond)
            }
            Op::Check { cond, kind } => self.check(walk, stmt, *cond, kind),
            Op::Load { dst, place, order } => {
                let before = walk.state.frontier.clone();
                let spot = self.locate(walk, place, false, stmt.span)?;
                let value = match self.own_lock(walk, &spot, *dst) {
                    Some(value) => value,
                    None => self.read(walk, spot, None),
                };
                self.note_access(walk, spot, &before, How { is_write: false, waits: false, order: *order });
                walk.record.inputs.push((stmt.site, value));
                self.set(walk, *dst, value);
                Ok(())
            }
            Op::Store { place, value, order } => {
                let value = self.eval(walk, *value);
                let before = walk.state.frontier.clone();
                let spot = self.locate(walk, place, true, stmt.span)?;
                self.note_access(walk, spot, &before, How { is_write: true, waits: false, order: *order });
                let lock = self.lock_given(spot.key, spot.addr, value);
                let is_alone = walk.state.depth == 0 && self.relies_on.is_some();
                walk.did = walk.did.and(lock.filter(|_| is_alone).map_or(Did::Other, Did::Gives));
                let before = (self.events.reads.len(), self.events.writes.len());
                walk.store = Some(stmt.site);
                self.write(walk, spot, value);
                walk.store = None;
                if let Some(lock) = lock.filter(|_| spot.is_shared) {
                    self.give_lock(walk, lock, before);
                }
                Ok(())
            }
            Op::Rmw { dst, place, wait, owner, new, order, .. } => {
                self.rmw(walk, stmt, (*dst, *wait, *owner, *new), place, *order)
            }
            Op::Alloc { dst, size, kind, zeroed } => self.alloc(walk, stmt, *dst, *size, (*kind, *zeroed)),
            Op::Free { addr, kind } => self.free(walk, stmt, *addr, *kind),
            Op::Start { dst, callee, args } => self.start(walk, stmt, *dst, *callee, args),
            Op::Join { thread, result } => self.join(walk, *thread, *result),
            Op::AtomicBegin => {
                self.fence(walk, Order::SeqCst);
                walk.state.depth += 1;
                Ok(())
            }
            Op::AtomicEnd => {
                walk.state.depth = walk.state.depth.saturating_sub(1);
                if walk.state.depth == 0 && !walk.is_group {
                    self.leave_section(walk);
                }
                Ok(())
            }
            Op::Return(value) => {
                let value = value.map(|value| self.eval(walk, value));
                self.end_thread(walk, value, walk.thread == 0)
            }
            Op::ExitThread(value) => {
                let value = self.eval(walk, *value);
                self.end_thread(walk, Some(value), false)
            }
            Op::ExitProcess { .. } => Err(Stop::End),
            Op::Call { .. } => {
                let what = "a call that could not be inlined".to_string();
                Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }))
            }
            Op::Fence(order) => {
                self.fence(walk, *order);
                Ok(())
            }
            Op::Mark(..) => Ok(()),
        }
    }

    fn end_thread(&mut self, walk: &mut Walk, value: Option<TermId>, is_process: bool) -> Go {
        if is_process {
            return Err(Stop::End);
        }
        let width = self.program.data_model.word_bits();
        let value = match value {
            Some(value) if matches!(self.pool.sort(value), Sort::Bv(_)) => self.pool.resize(value, false, width),
            _ => self.pool.bv(width, 0),
        };
        // Whoever joins the thread comes after this step, and after the thread's stores.
        if !self.program.model.has_buffers() || walk.state.depth > 0 {
            self.node(walk);
            self.settle_all(walk);
        }
        if self.program.model.has_buffers() {
            let end = self.node_after(walk.thread, &mut walk.state, Kind::Fence);
            walk.record.node.get_or_insert(end);
        }
        self.leave_section(walk);
        self.finished.push((walk.state.point, value, walk.state.frontier.clone()));
        Err(Stop::End)
    }

    fn check(&mut self, walk: &mut Walk, stmt: &Stmt, cond: TermId, kind: &CheckKind) -> Go {
        let cond = self.eval(walk, cond);
        let property = Property::of_check(kind);
        let what = match (kind, property) {
            (CheckKind::Unsupported(what), _) => {
                BadKind::Beyond(Why::Unsupported { span: stmt.span, what: what.to_string() })
            }
            (CheckKind::Bound(what), _) => BadKind::Beyond(Why::Bound(what.to_string())),
            (_, Some(property)) if self.properties.has(property) => BadKind::Violation(property),
            (CheckKind::Overflow, _) => return Ok(()),
            (_, Some(property)) if property.is_undefined() => {
                BadKind::Beyond(Why::Undefined { span: stmt.span, what: property.describe().to_string() })
            }
            _ => return self.require(walk, cond),
        };
        self.bad_unless(walk, cond, what);
        self.require(walk, cond)
    }

    fn rmw(
        &mut self,
        walk: &mut Walk,
        stmt: &Stmt,
        (dst, wait, owner, new): (VarId, Option<TermId>, Option<TermId>, TermId),
        place: &Place,
        order: Order,
    ) -> Go {
        if wait.is_some() && walk.state.depth > 0 && !(walk.reads.is_empty() && walk.writes.is_empty()) {
            let what = "waiting in an atomic section, in a step that has accessed something else".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        }
        let before = walk.state.frontier.clone();
        let spot = self.locate(walk, place, true, stmt.span)?;
        // What waits and writes may mention the value read, under the name of the destination.
        let mark = self.fresh("old", self.pool.var_sort(dst));
        let old_mark = self.value_of_var(walk, dst);
        self.set(walk, dst, mark);
        let wait = wait.map(|wait| self.eval(walk, wait));
        let owner = owner.map(|owner| self.eval(walk, owner));
        let new = self.eval(walk, new);
        if let Some(old) = old_mark {
            self.set(walk, dst, old);
        }
        let mark_var = self.pool.as_var(mark).expect("a fresh variable is one");
        let lock = wait.and_then(|wait| self.lock_taken((spot.key, spot.addr), mark_var, wait, new));
        let lock = lock.filter(|_| walk.variant == Variant::Any);
        // What whoever takes it leaves there.
        let left = lock.map_or(new, |lock| lock.left(&self.pool, mark_var, new));
        let given = if wait.is_none() { self.lock_given(spot.key, spot.addr, new) } else { None };
        let given = given.filter(|lock| walk.state.held.iter().any(|(other, _)| other == lock));
        let is_alone = walk.state.depth == 0 && self.relies_on.is_some();
        let did = lock.map(Did::Takes).or(given.map(Did::Gives));
        walk.did = walk.did.and(did.filter(|_| is_alone).unwrap_or(Did::Other));
        let n_events = (self.events.reads.len(), self.events.writes.len());
        let with = |this: &mut Self, term: TermId, value: TermId| {
            this.pool.substitute(term, &|var| (var == mark_var).then_some(value))
        };
        if let (Some(wait), Variant::Opens) = (wait, walk.variant) {
            // The section opens only if the thread has to wait.
            let value = self.read(walk, spot, None);
            let goes_on = with(self, wait, value);
            let waits = self.pool.not(goes_on);
            self.assume(walk, waits)?;
            walk.reads.clear();
            walk.node = None;
            self.leave_section(walk);
        }
        let reached = self.points.guard(walk.state.point);
        let accepts = wait.map(|wait| (mark_var, wait));
        let own = if given.is_some() { self.own_lock(walk, &spot, dst) } else { None };
        let value = match own {
            Some(value) => value,
            None => self.read(walk, spot, accepts),
        };
        walk.record.inputs.push((stmt.site, value));
        if let Some(wait) = wait {
            let cond = with(self, wait, value);
            let thread = walk.thread;
            // A section that stays closed does not wait.
            let blocked = match walk.variant {
                Variant::AtOnce => None,
                _ => self.blocked_at_end(walk, spot, reached, cond, (mark_var, wait, owner)),
            };
            self.assume(walk, cond).inspect_err(|_| {
                if let Some((blocked, owner)) = blocked {
                    let passed = self.pool.bool(false);
                    self.out.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join: false });
                }
            })?;
            if let Some((blocked, owner)) = blocked {
                let passed = self.points.guard(walk.state.point);
                self.out.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join: false });
            }
        }
        let new = with(self, new, value);
        self.note_access(walk, spot, &before, How { is_write: true, waits: wait.is_some(), order });
        self.write(walk, spot, new);
        if let Some(lock) = lock.filter(|_| spot.is_shared) {
            self.take_lock(walk, lock, left, n_events);
        }
        if let Some(lock) = given.filter(|_| spot.is_shared) {
            self.give_lock(walk, lock, n_events);
        }
        self.set(walk, dst, value);
        Ok(())
    }

    fn value_of_var(&mut self, walk: &Walk, var: VarId) -> Option<TermId> {
        let term = self.pool.var(var);
        Some(self.eval(walk, term))
    }

    fn alloc(
        &mut self,
        walk: &mut Walk,
        stmt: &Stmt,
        dst: VarId,
        size: TermId,
        (kind, zeroed): (AllocKind, bool),
    ) -> Go {
        let model = self.program.data_model;
        let is_fixed = word(&self.program.pool, size).is_some();
        let size = self.eval(walk, size);
        // What has no constant size gets room for the largest that fits into a granule.
        let room = word(&self.pool, size);
        let reserved = room.unwrap_or((1 << model.granule_bits()) - 1);
        let Some(base) = model.dynamic_base(u64::from(walk.thread), walk.state.n_granules, reserved) else {
            let what = "no addresses are left for an object".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        };
        if !is_fixed && room.is_some_and(|room| room >> model.granule_bits() > 0) {
            let what = "an object of computed size that is very large".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        }
        if room.is_none() {
            let most = self.pool.bv(model.word_bits(), reserved);
            let small = self.pool.ule(size, most);
            let what = "an object of unknown size that may be very large".to_string();
            self.bad_unless(walk, small, BadKind::Beyond(Why::Unsupported { span: stmt.span, what }));
            self.require(walk, small)?;
        }
        walk.state.n_granules += model.granules(reserved);
        let guard = self.points.guard(walk.state.point);
        let fill = if zeroed { Fill::Zero } else { Fill::Any };
        self.objects.make(base, size, guard, fill, (stmt.site, kind));
        let base = self.pool.bv(model.word_bits(), base);
        self.set(walk, dst, base);
        Ok(())
    }

    fn free(&mut self, walk: &mut Walk, stmt: &Stmt, addr: TermId, kind: AllocKind) -> Go {
        let is_shared = !walk.state.alone && self.places.frees_shared(addr);
        let may_be_large = self.places.frees_large(addr);
        let addr = self.eval(walk, addr);
        let zero = self.pool.bv(self.program.data_model.word_bits(), 0);
        let is_null = match kind {
            AllocKind::Heap => self.pool.eq(addr, zero),
            AllocKind::Stack => self.pool.bool(false),
        };
        if self.pool.as_const(is_null) == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let known = word(&self.pool, addr)
            .and_then(|addr| self.objects.made().find(|object| object.base == addr).map(|object| object.made));
        let starts = match known {
            Some(Some((_, made))) => self.pool.bool(made == kind),
            _ => {
                let valid = self.fresh("valid", Sort::Bool);
                self.starts_to_check.push((valid, addr, kind));
                valid
            }
        };
        let before = walk.state.frontier.clone();
        let live = self.read_cell(walk, PlaceKey::Live, Some(addr), Sort::Bool, is_shared, None);
        let valid = self.pool.and(starts, live);
        let valid = self.pool.or(is_null, valid);
        let what = if self.properties.has(Property::Free) {
            BadKind::Violation(Property::Free)
        } else {
            BadKind::Beyond(Why::Undefined { span: stmt.span, what: Property::Free.describe().to_string() })
        };
        self.bad_unless(walk, valid, what);
        self.require(walk, valid)?;
        if is_shared && kind == AllocKind::Heap {
            self.note_free(walk, addr, &before);
        }
        let n_granules = if may_be_large { self.granules_at(walk, stmt, addr)? } else { 1 };
        let no = self.pool.bool(false);
        let model = self.program.data_model;
        for at in 0..n_granules {
            // An access knows an object by the granule that it is in.
            let offset = self.pool.bv(model.word_bits(), at << model.granule_bits());
            let addr = self.pool.add(addr, offset);
            self.write_cell(walk, PlaceKey::Live, Some(addr), no, is_shared);
        }
        Ok(())
    }

    /// How many granules the object at an address has bytes in.
    fn granules_at(&mut self, walk: &Walk, stmt: &Stmt, addr: TermId) -> Go<u64> {
        let addr = word(&self.pool, addr);
        let object = addr.and_then(|addr| self.objects.made().find(|object| object.base == addr));
        match object.and_then(|object| word(&self.pool, object.size)) {
            Some(size) => Ok((size >> self.program.data_model.granule_bits()) + 1),
            None => {
                let what = "the end of one of several objects, some of which are very large".to_string();
                Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }))
            }
        }
    }
}
