//! What does each statement do to a state? The meaning is that of `ir::interp`, on terms.

use super::executor::Executor;
use super::state::{Go, Stop, Variant, Walk};
use crate::bmc::accesses::race_candidates::How;
use crate::bmc::locks::acquire_and_release::{acquire, release};
use crate::bmc::locks::lock::Lock;
use crate::bmc::reductions::spin_loops::Did;
use crate::bmc::unrolled::{BadKind, Reads, Target, Waiting};
use ir::{CheckKind, Failure, Model, Op, Order, Place, Property, Stmt, Why};
use logic::{Sort, TermId, VarId};
use memory::events::Kind;
use memory::graph::Dependency;

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
                let flows = self.flows_into(&walk.state, *value, None);
                let value = self.eval(walk, *value);
                walk.state.set(*var, value);
                self.flow(walk, *var, flows);
                Ok(())
            }
            Op::Havoc { var, .. } => {
                let sort = self.graph.pool.var_sort(*var);
                let value = self.graph.fresh("input", sort);
                walk.record.inputs.push((stmt.site, value));
                walk.state.laps.iter_mut().for_each(|lap| lap.since.note_input(stmt.site, value));
                walk.state.set(*var, value);
                self.flow(walk, *var, Reads::default());
                Ok(())
            }
            Op::Assume(cond) => {
                let flows = self.flows_into(&walk.state, *cond, None);
                self.branch(walk, &flows);
                let cond = self.eval(walk, *cond);
                self.assume(walk, cond)
            }
            Op::Check { cond, kind } => self.check(walk, stmt, *cond, kind),
            Op::Load { dst, place, order } => {
                walk.how.order = *order;
                let before = walk.state.frontier.clone();
                let (n_events, address) = (self.graph.n_events(), self.address_flows(walk, place));
                let spot = self.locate(walk, place, false, stmt.span)?;
                let value = match self.own_lock(walk, &spot, *dst) {
                    Some(value) => value,
                    None => self.read(walk, spot, None),
                };
                self.note_access(walk, spot, &before, How { is_write: false, waits: false, order: *order });
                walk.record.inputs.push((stmt.site, value));
                walk.state.set(*dst, value);
                self.note_flows(walk, n_events, &address);
                let flows = self.read_flows(n_events.0, &address);
                self.flow(walk, *dst, flows);
                Ok(())
            }
            Op::Store { place, value, order } => {
                walk.how.order = *order;
                let data = self.flows_into(&walk.state, *value, None);
                let value = self.eval(walk, *value);
                let before = walk.state.frontier.clone();
                let (n_events, address) = (self.graph.n_events(), self.address_flows(walk, place));
                let spot = self.locate(walk, place, true, stmt.span)?;
                self.note_access(walk, spot, &before, How { is_write: true, waits: false, order: *order });
                let lock = Lock::given(&self.graph.pool, spot.key, spot.addr, value);
                let is_alone = walk.state.depth == 0 && self.graph.locks.is_trusting();
                walk.did = walk.did.and(lock.filter(|_| is_alone).map_or(Did::Other, Did::Gives));
                let before = self.graph.n_events();
                walk.store = Some(stmt.site);
                let n_writes = self.graph.events.writes.len();
                self.write(walk, spot, value);
                walk.store = None;
                self.note_flows(walk, n_events, &address);
                for write in n_writes..self.graph.events.writes.len() {
                    self.depend(Dependency::Data, &data, Target::Write(write));
                }
                if let Some(lock) = lock.filter(|_| spot.is_shared) {
                    release(&mut self.graph, &mut self.put_off, walk, lock, before);
                }
                Ok(())
            }
            Op::Rmw { dst, place, wait, owner, new, order, failure } => {
                walk.how.order = *order;
                self.rmw(walk, stmt, (*dst, *wait, *owner, *new), place, (*order, *failure))
            }
            Op::Alloc { dst, size, kind, zeroed, .. } => self.alloc(walk, stmt, *dst, *size, (*kind, *zeroed)),
            Op::Free { addr, kind } => self.free(walk, stmt, *addr, *kind),
            Op::Start { dst, callee, args } => self.start(walk, stmt, *dst, *callee, args),
            Op::Join { thread, result } => self.join(walk, *thread, *result),
            Op::AtomicBegin if self.program.model == Model::Cat && !walk.state.alone => {
                let what = "an atomic section under axioms".to_string();
                Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }))
            }
            Op::AtomicBegin => {
                self.graph.fence(walk, Order::SeqCst);
                walk.state.depth += 1;
                Ok(())
            }
            Op::AtomicEnd => {
                walk.state.depth = walk.state.depth.saturating_sub(1);
                if walk.state.depth == 0 && !walk.is_group {
                    self.graph.leave_section(walk);
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
                let n_fences = self.graph.events.fences.len();
                self.graph.fence(walk, *order);
                if self.graph.events.fences.len() > n_fences {
                    self.note_fence(walk);
                }
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
            Some(value) if matches!(self.graph.pool.sort(value), Sort::Bv(_)) => {
                self.graph.pool.resize(value, false, width)
            }
            _ => self.graph.pool.bv(width, 0),
        };
        // Whoever joins the thread comes after this step, and after the thread's stores.
        if !self.program.model.has_buffers() || walk.state.depth > 0 {
            self.graph.node(walk);
            self.put_off.settle_all(&mut self.graph, walk);
        }
        if self.program.model.has_buffers() {
            let end = self.graph.node_after(walk.thread, &mut walk.state, Kind::Fence);
            walk.record.node.get_or_insert(end);
        }
        self.graph.leave_section(walk);
        self.threads.finished.push((walk.state.point, value, walk.state.frontier.clone()));
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
        (order, failure): (Order, Option<Failure>),
    ) -> Go {
        if wait.is_some() && walk.state.depth > 0 && !(walk.reads.is_empty() && walk.writes.is_empty()) {
            let what = "waiting in an atomic section, in a step that has accessed something else".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        }
        let before = walk.state.frontier.clone();
        let flows = self.update_flows(walk, dst, place, (wait, new, failure));
        let spot = self.locate(walk, place, true, stmt.span)?;
        // What waits and writes may mention the value read, under the name of the destination.
        let sort = self.graph.pool.var_sort(dst);
        let mark = self.graph.fresh("old", sort);
        let old_mark = self.value_of_var(walk, dst);
        walk.state.set(dst, mark);
        let wait = wait.map(|wait| self.eval(walk, wait));
        let owner = owner.map(|owner| self.eval(walk, owner));
        let new = self.eval(walk, new);
        let failure = failure.map(|failure| (self.eval(walk, failure.when), failure.order));
        if let Some(old) = old_mark {
            walk.state.set(dst, old);
        }
        let mark_var = self.graph.pool.as_var(mark).expect("a fresh variable is one");
        let lock = wait.and_then(|wait| Lock::taken(&self.graph.pool, (spot.key, spot.addr), mark_var, wait, new));
        let lock = lock.filter(|_| walk.variant == Variant::Any);
        // What whoever takes it leaves there.
        let left = lock.map_or(new, |lock| lock.left(&self.graph.pool, mark_var, new));
        let given = if wait.is_none() { Lock::given(&self.graph.pool, spot.key, spot.addr, new) } else { None };
        let given = given.filter(|lock| walk.state.held.iter().any(|(other, _)| other == lock));
        let is_alone = walk.state.depth == 0 && self.graph.locks.is_trusting();
        let did = lock.map(Did::Takes).or(given.map(Did::Gives));
        // A round of a loop that receives something is none that others do not notice.
        let is_message = order.message().is_some();
        let is_judged = self.program.model == Model::Cat;
        if failure.filter(|_| is_judged).is_none() || is_message {
            walk.did = walk.did.and(did.filter(|_| is_alone).unwrap_or(Did::Other));
        }
        let n_events = self.graph.n_events();
        let with = |this: &mut Self, term: TermId, value: TermId| {
            this.graph.pool.substitute(term, &|var| (var == mark_var).then_some(value))
        };
        if let (Some(wait), Variant::Opens) = (wait, walk.variant) {
            // The section opens only if the thread has to wait.
            let value = self.read(walk, spot, None);
            let goes_on = with(self, wait, value);
            let waits = self.graph.pool.not(goes_on);
            self.assume(walk, waits)?;
            walk.reads.clear();
            walk.node = None;
            self.graph.leave_section(walk);
        }
        let reached = self.graph.points.guard(walk.state.point);
        let accepts = wait.map(|wait| (mark_var, wait));
        let n_reads = self.graph.events.reads.len();
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
                    let passed = self.graph.pool.bool(false);
                    self.found.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join: false });
                }
            })?;
            if let Some((blocked, owner)) = blocked {
                let passed = self.graph.points.guard(walk.state.point);
                self.found.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join: false });
            }
        }
        let new = with(self, new, value);
        let failure = failure.map(|(when, order)| (with(self, when, value), order));
        let how = How { is_write: true, waits: wait.is_some(), order };
        self.note_attempt(walk, spot, &before, (how, failure.map(|(when, _)| when)));
        walk.how.failure = failure.filter(|_| is_judged);
        if let Some((when, _)) = walk.how.failure.filter(|_| !is_message) {
            walk.did = walk.did.and(Did::Attempts(when));
        }
        if let Some(read) = self.graph.events.reads[n_reads..].last_mut() {
            read.how = walk.how;
        }
        let n_writes = self.graph.events.writes.len();
        self.write(walk, spot, new);
        if let Some((when, _)) = walk.how.failure {
            // An attempt that fails writes nothing.
            let succeeds = self.graph.pool.not(when);
            for write in &mut self.graph.events.writes[n_writes..] {
                write.guard = self.graph.pool.and(write.guard, succeeds);
            }
        }
        if let Some(lock) = lock.filter(|_| spot.is_shared) {
            acquire(&mut self.graph, &self.known.lock_sets, walk, (lock, left), n_events);
        }
        if let Some(lock) = given.filter(|_| spot.is_shared) {
            release(&mut self.graph, &mut self.put_off, walk, lock, n_events);
        }
        walk.state.set(dst, value);
        self.note_update(walk, dst, &flows, n_writes);
        Ok(())
    }

    fn value_of_var(&mut self, walk: &Walk, var: VarId) -> Option<TermId> {
        let term = self.graph.pool.var(var);
        Some(self.eval(walk, term))
    }
}
