//! How do threads start, wait for each other, and wait for ever?
//!
//! A started thread is executed where it is started, so that whoever joins it knows whether it ends and what it returns. Whether the step that starts it
//! is taken may be known only later, if it is in an atomic section: then a variable of the solver stands for it.

use super::executor::Executor;
use super::state::{Go, Stop, Variant, Walk};
use super::threads::{DeferredJoin, Join};
use crate::bmc::accesses::locate::Spot;
use crate::bmc::accesses::places::word;
use crate::bmc::reductions::spin_loops::Did;
use crate::bmc::unrolled::{Start, Waiting};
use ir::{Callee, Model, ObjectKind, Op, Property, Stmt, Why};
use logic::{Sort, TermId, VarId};
use memory::events::{Edge, Meeting};

impl Executor<'_> {
    /// Starts a thread.
    pub(crate) fn start(&mut self, walk: &mut Walk, stmt: &Stmt, dst: VarId, callee: Callee, args: &[TermId]) -> Go {
        let refuse = |this: &mut Self, walk: &Walk, what: String| {
            Err(this.beyond(walk, Why::Unsupported { span: stmt.span, what }))
        };
        let proc = match callee {
            Callee::Proc(proc) => proc,
            Callee::Pointer(pointer) => {
                let pointer = self.eval(walk, pointer);
                let base = word(&self.graph.pool, pointer);
                let object = base.and_then(|base| self.program.objects.iter().find(|object| object.base == base));
                match object.map(|object| object.kind) {
                    Some(ObjectKind::Function(proc)) => proc,
                    _ => return refuse(self, walk, "a thread whose procedure is not known".to_string()),
                }
            }
        };
        let n_before = self.found.threads.len() as u64;
        if n_before >= self.program.data_model.max_threads() {
            return refuse(self, walk, format!("more than {n_before} threads"));
        }
        let args: Vec<TermId> = args.iter().map(|arg| self.eval(walk, *arg)).collect();
        let width = self.program.data_model.word_bits();
        let one = self.graph.pool.bv(width, 1);
        walk.state.n_started = self.graph.pool.add(walk.state.n_started, one);
        let handle =
            if self.threads.many_creators { self.graph.fresh("handle", Sort::Bv(width)) } else { walk.state.n_started };
        if walk.state.alone {
            let point = walk.state.point;
            self.threads.first_start = Some(match self.threads.first_start {
                Some(other) => self.graph.points.join(&mut self.graph.pool, &[other, point]).0,
                None => point,
            });
        }
        let node = self.graph.node(walk);
        walk.state.alone = false;
        let mut point = walk.state.point;
        if self.may_come_to_nothing(walk) {
            let is_taken = self.graph.fresh("started", Sort::Bool);
            point = self.graph.points.child(&mut self.graph.pool, point, is_taken);
            let record = self.found.next_record(walk.thread);
            self.found.starts.push(Start { is_taken, thread: walk.thread, record });
        }
        self.forwarding.start(walk.thread, self.graph.events.writes.len());
        let id = self.run_thread(proc, (handle, args), (point, node), false).map_err(Stop::Why)?;
        walk.record.starts.push(id);
        if self.program.model == Model::Cat {
            let thread = walk.thread;
            self.graph.events.meetings.push(Meeting { node, thread, point, handle, started: Some(id) });
        }
        walk.state.set(dst, handle);
        Ok(())
    }

    /// Whether the step that is being executed may not be taken after all: its section may not come to its end, or what follows in it may stop it.
    fn may_come_to_nothing(&self, walk: &Walk) -> bool {
        let edge = &self.program.proc(walk.proc).edges[walk.edge.index()];
        let is_harmless = |stmt: &Stmt| matches!(stmt.op, Op::Assign { .. } | Op::Havoc { .. } | Op::Mark(..));
        walk.is_inside() || !edge.stmts[walk.stmt as usize + 1..].iter().all(is_harmless)
    }

    /// Waits for the end of a thread.
    pub(crate) fn join(&mut self, walk: &mut Walk, thread: TermId, result: Option<VarId>) -> Go {
        let handle = self.eval(walk, thread);
        // A section stays closed if the thread has ended before it, and opens if it ends later.
        let mut section = None;
        if walk.variant != Variant::Any {
            let choice = self.graph.fresh("joins", Sort::Bool);
            self.assume(walk, choice)?;
            if walk.variant == Variant::Opens {
                section = walk.state.section;
                self.graph.leave_section(walk);
            }
        }
        let reached = self.graph.points.guard(walk.state.point);
        let node = self.graph.node(walk);
        let mut ended = Vec::new();
        let mut value = self.graph.pool.bv(self.program.data_model.word_bits(), 0);
        // A thread that main has started may join main, or one that is started later.
        let mut is_late = self.threads.many_creators || walk.thread != 0;
        let (mut candidates, mut is_open) = (Vec::new(), false);
        for id in (0..self.found.threads.len()).filter(|id| *id != walk.thread as usize) {
            let same = self.graph.pool.eq(handle, self.found.threads[id].handle);
            if self.graph.is_false(same) {
                continue;
            }
            self.found.threads[id].is_joined = true;
            if self.threads.running.contains(&(id as u32)) {
                // How it ends is not known yet.
                is_open = true;
            } else {
                candidates.push((id, same));
            }
        }
        is_late |= is_open;
        let certain = candidates.iter().copied().find(|(_, same)| self.graph.is_true(*same));
        if let Some(certain) = certain.filter(|_| self.threads.many_creators) {
            // Its handle is a variable of its own.
            candidates = vec![certain];
            is_open = false;
        }
        // Otherwise threads that are started on different ways may have the same handle, and one of them is there.
        let is_known = certain.is_some() && candidates.len() == 1 && !is_open;
        for (id, same) in candidates {
            let other = &self.found.threads[id];
            let (guard, finished, its_result, ends) = (other.guard, other.finished, other.result, other.ends.clone());
            let is_it = self.graph.pool.and(same, guard);
            let this = self.graph.pool.and(is_it, finished);
            if let Some(section) = section {
                let cond = self.graph.pool.and(reached, this);
                self.graph.events.edges.extend(ends.iter().map(|end| Edge { cond, from: section, to: *end }));
            }
            ended.push(this);
            value = if is_known { its_result } else { self.graph.pool.ite(is_it, its_result, value) };
            let cond = self.graph.pool.and(reached, this);
            self.threads.join(Join { cond, ends, node, point: walk.state.point, is_known });
        }
        let cond = if is_late && !is_known {
            value = self.graph.fresh("result", Sort::Bv(self.program.data_model.word_bits()));
            let ended = self.graph.fresh("ended", Sort::Bool);
            self.threads.join_later(DeferredJoin { handle, ended, result: value, node, guard: reached, section });
            ended
        } else {
            self.graph.pool.or_all(&ended)
        };
        let is_asked = self.properties.has(Property::Deadlock) || self.properties.has(Property::Liveness);
        let waits = is_asked.then(|| self.graph.pool.not(cond));
        let passed = self.graph.pool.and(reached, cond);
        if let Some(blocked) = waits.filter(|_| walk.variant != Variant::AtOnce) {
            let (thread, owner, is_join) = (walk.thread, Some(handle), true);
            self.found.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join });
        }
        self.assume(walk, cond)?;
        if self.program.model == Model::Cat {
            let (thread, point) = (walk.thread, walk.state.point);
            self.graph.events.meetings.push(Meeting { node, thread, point, handle, started: None });
        }
        if let Some(var) = result {
            walk.state.set(var, value);
        }
        Ok(())
    }

    /// Whether a wait does not hold in the state at the end, where deadlocks are looked for, and who could end it.
    pub(crate) fn blocked_at_end(
        &mut self,
        walk: &Walk,
        spot: Spot,
        reached: TermId,
        cond: TermId,
        (mark, wait, owner): (VarId, TermId, Option<TermId>),
    ) -> Option<(TermId, Option<TermId>)> {
        let last = self.graph.last()?;
        let not_passed = self.graph.pool.not(cond);
        let guard = self.graph.pool.and(reached, not_passed);
        let mut at_end = Walk {
            thread: u32::MAX,
            state: walk.state.clone(),
            record: walk.record.clone(),
            reads: Vec::new(),
            writes: Vec::new(),
            is_group: false,
            node: Some(last),
            is_fence: false,
            store: None,
            commit: None,
            stmt: walk.stmt,
            how: walk.how,
            edge: walk.edge,
            proc: walk.proc,
            variant: walk.variant,
            did: Did::Nothing,
        };
        at_end.state.depth = 0;
        let value = if spot.is_shared {
            self.read(&mut at_end, spot, None)
        } else {
            at_end.thread = walk.thread;
            self.read(&mut at_end, spot, None)
        };
        for read in &at_end.reads {
            self.graph.events.reads[*read].guard = guard;
            self.graph.events.reads[*read].thread = u32::MAX;
            self.graph.events.reads[*read].point = 0;
        }
        let goes_on = self.graph.pool.substitute(wait, &|var| (var == mark).then_some(value));
        let owner = owner.map(|owner| self.graph.pool.substitute(owner, &|var| (var == mark).then_some(value)));
        Some((self.graph.pool.not(goes_on), owner))
    }
}
