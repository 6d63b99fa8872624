//! How do threads start, end, wait for each other, and wait for ever?
//!
//! A thread gets the next handle. Where only main starts threads, its own ways tell how many came before; where several threads do,
//! handles are variables of the solver that differ. Whoever joins a thread is after its end: a fixed order where every way that goes
//! on has passed the join, else one that depends on the join's guard.

use crate::bmc::accesses::read_and_write::Spot;
use crate::bmc::accesses::write_log::word;
use crate::bmc::reductions::forwarding::Birth;
use crate::bmc::reductions::thread_symmetry::order_alike;
use crate::bmc::unroll::path_conditions::Points;
use crate::bmc::unroll::spin_loops::Did;
use crate::bmc::unroll::step::{Go, Stop, Variant, Walk};
use crate::bmc::unroll::symbolic_execution::Executor;
use crate::bmc::unrolled::{Unrolled, Waiting};
use ir::{Callee, ObjectKind, Property, Stmt, Why};
use logic::{Sort, TermId, Value, VarId};
use memory::events::{Edge, Events, Read};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A join of a thread that was not known when the join was met.
#[derive(Debug)]
pub(crate) struct DeferredJoin {
    handle: TermId,
    /// Whether a thread with that handle has ended.
    ended: TermId,
    result: TermId,
    node: u32,
    guard: TermId,
    /// The section that opens since the thread has not ended.
    section: Option<u32>,
}

/// A join of a thread that was known.
#[derive(Debug)]
pub(crate) struct Join {
    cond: TermId,
    /// The last nodes of the thread.
    ends: SmallVec<[u32; 2]>,
    node: u32,
    point: u32,
    /// Whether it can be no other thread.
    is_known: bool,
}

impl Executor<'_> {
    pub(crate) fn start(&mut self, walk: &mut Walk, stmt: &Stmt, dst: VarId, callee: Callee, args: &[TermId]) -> Go {
        let refuse = |this: &mut Self, walk: &Walk, what: String| {
            Err(this.beyond(walk, Why::Unsupported { span: stmt.span, what }))
        };
        let proc = match callee {
            Callee::Proc(proc) => proc,
            Callee::Pointer(pointer) => {
                let pointer = self.eval(walk, pointer);
                let base = word(&self.pool, pointer);
                let object = base.and_then(|base| self.program.objects.iter().find(|object| object.base == base));
                match object.map(|object| object.kind) {
                    Some(ObjectKind::Function(proc)) => proc,
                    _ => return refuse(self, walk, "a thread whose procedure is not known".to_string()),
                }
            }
        };
        let n_before = self.out.threads.len() as u64;
        if n_before >= self.program.data_model.max_threads() {
            return refuse(self, walk, format!("more than {n_before} threads"));
        }
        let args: Vec<TermId> = args.iter().map(|arg| self.eval(walk, *arg)).collect();
        let width = self.program.data_model.word_bits();
        let one = self.pool.bv(width, 1);
        walk.state.n_started = self.pool.add(walk.state.n_started, one);
        let handle = if self.many_creators { self.fresh("handle", Sort::Bv(width)) } else { walk.state.n_started };
        if walk.state.alone {
            let point = walk.state.point;
            self.first_start = Some(match self.first_start {
                Some(other) => self.points.join(&mut self.pool, &[other, point]).0,
                None => point,
            });
        }
        let node = self.node(walk);
        walk.state.alone = false;
        self.births.push(Birth { creator: Some(walk.thread), n_writes: self.events.writes.len() });
        let id = self.run_thread(proc, handle, args, walk.state.point, node, false).map_err(Stop::Why)?;
        walk.record.starts.push(id);
        self.set(walk, dst, handle);
        Ok(())
    }

    pub(crate) fn join(&mut self, walk: &mut Walk, thread: TermId, result: Option<VarId>) -> Go {
        let handle = self.eval(walk, thread);
        // A section stays closed if the thread has ended before it, and opens if it ends later.
        let mut section = None;
        if walk.variant != Variant::Any {
            let choice = self.fresh("joins", Sort::Bool);
            self.assume(walk, choice)?;
            if walk.variant == Variant::Opens {
                section = walk.state.section;
                self.leave_section(walk);
            }
        }
        let reached = self.points.guard(walk.state.point);
        let node = self.node(walk);
        let mut ended = Vec::new();
        let mut value = self.pool.bv(self.program.data_model.word_bits(), 0);
        let mut is_known = false;
        for id in 0..self.out.threads.len() {
            let other = &self.out.threads[id];
            let (its_handle, finished, its_result, ends) =
                (other.handle, other.finished, other.result, other.ends.clone());
            let same = self.pool.eq(handle, its_handle);
            let is_other = self.pool.as_const(same) == Some(&Value::Bool(false));
            if id == walk.thread as usize || is_other {
                continue;
            }
            self.out.threads[id].is_joined = true;
            let this = self.pool.and(same, finished);
            if let Some(section) = section {
                let cond = self.pool.and(reached, this);
                self.events.edges.extend(ends.iter().map(|end| Edge { cond, from: section, to: *end }));
            }
            if self.pool.as_const(same) == Some(&Value::Bool(true)) {
                (ended, value, is_known) = (vec![this], its_result, true);
                self.joins.retain(|join| join.node != node);
                let cond = self.pool.and(reached, this);
                self.joins.push(Join { cond, ends, node, point: walk.state.point, is_known });
                break;
            }
            ended.push(this);
            value = self.pool.ite(same, its_result, value);
            let cond = self.pool.and(reached, this);
            self.joins.push(Join { cond, ends, node, point: walk.state.point, is_known: false });
        }
        let cond = if self.many_creators && !is_known {
            self.joins.retain(|join| join.node != node);
            value = self.fresh("result", Sort::Bv(self.program.data_model.word_bits()));
            let ended = self.fresh("ended", Sort::Bool);
            self.deferred_joins.push(DeferredJoin { handle, ended, result: value, node, guard: reached, section });
            ended
        } else {
            self.pool.or_all(&ended)
        };
        let waits = self.properties.has(Property::Deadlock).then(|| self.pool.not(cond));
        let passed = self.pool.and(reached, cond);
        if let Some(blocked) = waits.filter(|_| walk.variant != Variant::AtOnce) {
            let (thread, owner, is_join) = (walk.thread, Some(handle), true);
            self.out.waits.push(Waiting { reached, passed, thread, blocked, owner, is_join });
        }
        self.assume(walk, cond)?;
        if let Some(var) = result {
            self.set(walk, var, value);
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
        let last = self.last?;
        let not_passed = self.pool.not(cond);
        let guard = self.pool.and(reached, not_passed);
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
            self.events.reads[*read].guard = guard;
            self.events.reads[*read].thread = u32::MAX;
            self.events.reads[*read].point = 0;
        }
        let goes_on = self.pool.substitute(wait, &|var| (var == mark).then_some(value));
        let owner = owner.map(|owner| self.pool.substitute(owner, &|var| (var == mark).then_some(value)));
        Some((self.pool.not(goes_on), owner))
    }

    /// Puts everything together once all threads have been executed.
    pub(crate) fn finish(mut self) -> Result<Unrolled, Why> {
        self.resolve_joins();
        for (valid, addr, n, region, is_write) in std::mem::take(&mut self.objects_to_check) {
            let inside = self.objects.inside(self.program, &mut self.pool, (addr, n), region, is_write);
            let rule = self.pool.eq(valid, inside);
            self.out.constraints.push(rule);
        }
        for (valid, addr, kind) in std::mem::take(&mut self.starts_to_check) {
            let starts = self.objects.starts(self.program, &mut self.pool, addr, kind);
            let rule = self.pool.eq(valid, starts);
            self.out.constraints.push(rule);
        }
        self.complete_sections();
        let point = self.first_start;
        let mut initial = Vec::with_capacity(self.events.reads.len());
        for index in 0..self.events.reads.len() {
            let Read { addr, value, .. } = self.events.reads[index];
            let sort = self.pool.sort(value);
            // Main's number stands for nobody: only what it wrote while alone counts.
            initial.push(self.read_initial(self.read_keys[index], addr, sort, point));
        }
        self.out.n_alike = order_alike(&mut self);
        self.order_joins();
        if let Some(last) = self.last {
            let nodes = (0..self.events.n_nodes() as u32).filter(|node| *node != last);
            self.events.fixed.extend(nodes.map(|node| (node, last)));
        }
        self.relax_order();
        let mut out = self.out;
        out.initial = initial;
        out.pool = self.pool;
        out.events = std::mem::replace(&mut self.events, Events::new());
        out.points = self.points;
        out.locks = self.locks;
        Ok(out)
    }

    /// What happens in an atomic section counts only if the section comes to its end: nobody runs before, so nobody sees it otherwise.
    fn complete_sections(&mut self) {
        let mut whole: FxHashMap<u32, (Option<u32>, TermId)> = FxHashMap::default();
        for (node, (points, violations)) in std::mem::take(&mut self.section_ends) {
            let joined = (!points.is_empty()).then(|| self.points.join(&mut self.pool, &points).0);
            let mut ends = violations;
            ends.extend(joined.map(|joined| self.points.guard(joined)));
            whole.insert(node, (joined, self.pool.or_all(&ends)));
        }
        let no = self.pool.bool(false);
        let is_section: FxHashSet<u32> = self.section_nodes.iter().copied().collect();
        let guard_of = |this: &mut Self, node: u32, point: u32, guard: TermId| {
            if !is_section.contains(&node) {
                return guard;
            }
            let (joined, ends) = whole.get(&node).copied().unwrap_or((None, no));
            match joined {
                Some(joined) if this.points.dominates(joined, point) => guard,
                _ => this.pool.and(guard, ends),
            }
        };
        for index in 0..self.events.reads.len() {
            let read = self.events.reads[index];
            self.events.reads[index].guard = guard_of(self, read.node, read.point, read.guard);
        }
        for index in 0..self.events.writes.len() {
            let write = self.events.writes[index];
            let guard = guard_of(self, write.node, write.point, write.guard);
            self.events.writes[index].is_hidden |= guard != write.guard;
            self.events.writes[index].guard = guard;
        }
        for id in 0..self.out.threads.len() {
            for index in 0..self.out.threads[id].records.len() {
                let record = &self.out.threads[id].records[index];
                if let Some(node) = record.node {
                    let (point, guard) = (record.point, record.guard);
                    self.out.threads[id].records[index].guard = guard_of(self, node, point, guard);
                }
            }
        }
    }

    fn read_initial(
        &mut self,
        key: crate::bmc::accesses::places::PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
        point: Option<u32>,
    ) -> TermId {
        self.read_logs(crate::bmc::unroll::symbolic_execution::INITIAL, key, addr, sort, point)
    }

    fn resolve_joins(&mut self) {
        if self.many_creators {
            let width = self.program.data_model.word_bits();
            let n = self.out.threads.len();
            let most = self.pool.bv(width, n as u64);
            let two = self.pool.bv(width, 2);
            for i in 1..n {
                let (handle, guard) = (self.out.threads[i].handle, self.out.threads[i].guard);
                let (low, high) = (self.pool.ule(two, handle), self.pool.ule(handle, most));
                self.out.constraints.extend([low, high]);
                for j in 1..i {
                    let differ = self.pool.ne(handle, self.out.threads[j].handle);
                    let both = self.pool.and(guard, self.out.threads[j].guard);
                    let rule = self.pool.implies(both, differ);
                    self.out.constraints.push(rule);
                }
            }
        }
        for join in std::mem::take(&mut self.deferred_joins) {
            let mut ended = Vec::new();
            for id in 0..self.out.threads.len() {
                let other = self.out.threads[id].clone();
                let same = self.pool.eq(join.handle, other.handle);
                let this = self.pool.and_all(&[same, other.guard, other.finished]);
                ended.push(this);
                let result = self.pool.eq(join.result, other.result);
                let rule = self.pool.implies(this, result);
                self.out.constraints.push(rule);
                let cond = self.pool.and_all(&[join.guard, join.ended, this]);
                for end in other.ends {
                    self.events.edges.push(Edge { cond, from: end, to: join.node });
                    if let Some(section) = join.section {
                        let cond = self.pool.and(join.guard, this);
                        self.events.edges.push(Edge { cond, from: section, to: end });
                    }
                }
            }
            let any = self.pool.or_all(&ended);
            let rule = self.pool.eq(join.ended, any);
            self.out.constraints.push(rule);
        }
    }

    /// The successors of each node.
    fn successors(&self) -> Vec<SmallVec<[u32; 2]>> {
        let mut after: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); self.events.n_nodes()];
        for (from, to) in &self.events.fixed {
            after[*from as usize].push(*to);
        }
        after
    }

    /// Whether everything later in the thread has passed a join of one thread.
    fn is_certain(&self, join: &Join, after: &[SmallVec<[u32; 2]>]) -> bool {
        let thread = self.events.thread_of[join.node as usize];
        let mut seen = FxHashSet::default();
        let mut open = vec![join.node];
        let mut is_passed = join.is_known;
        while let Some(at) = open.pop().filter(|_| is_passed) {
            for next in &after[at as usize] {
                if self.events.thread_of[*next as usize] == thread && seen.insert(*next) {
                    let below = self.point_of.get(next).copied().unwrap_or(0);
                    is_passed &= Points::dominates(&self.points, join.point, below);
                    open.push(*next);
                }
            }
        }
        is_passed
    }

    /// The orders of joins that hold whenever both ends happen.
    pub(crate) fn certain_joins(&self) -> Vec<(u32, u32)> {
        let after = self.successors();
        let joins = self.joins.iter().filter(|join| self.is_certain(join, &after));
        joins.flat_map(|join| join.ends.iter().map(|end| (*end, join.node))).collect()
    }

    /// Joins whose way everything later has passed are fixed orders; the others depend on their guards.
    fn order_joins(&mut self) {
        let after = self.successors();
        for join in std::mem::take(&mut self.joins) {
            let is_certain = self.is_certain(&join, &after);
            for end in join.ends {
                if is_certain {
                    self.events.fixed.push((end, join.node));
                } else {
                    self.events.edges.push(Edge { cond: join.cond, from: end, to: join.node });
                }
            }
        }
    }
}
