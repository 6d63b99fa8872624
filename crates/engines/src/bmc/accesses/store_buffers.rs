//! When do stores reach memory, where they are buffered? At nodes of their own; fences and the ends of threads are nodes too.
//!
//! The meaning is that of `ir::model`. While a thread is executed its nodes follow each other in program order; what is left of
//! that order is decided at the end, by `memory::events::relax`. A fence becomes a node only when something follows it that is no
//! fence itself: most fences stand before a read-modify-write or an atomic section, which is one.

use crate::bmc::unroll::step::Walk;
use crate::bmc::unroll::symbolic_execution::{Executor, State};
use ir::{Model, Order};
use logic::{TermId, Value};
use memory::events::{Kind, START, relax};
use memory::order::{Closure, bits};

impl Executor<'_> {
    /// A node after what the thread did last, and after a fence that is due.
    pub(crate) fn node_after(&mut self, thread: u32, state: &mut State, kind: Kind) -> u32 {
        if kind != Kind::Fence {
            self.make_fence(thread, state);
        }
        state.wants_fence = false;
        let node = self.events.node_of_kind(thread, &state.frontier, kind);
        self.point_of.insert(node, state.point);
        state.frontier.clear();
        state.frontier.push(node);
        node
    }

    /// A fence that is due becomes a node.
    pub(crate) fn make_fence(&mut self, thread: u32, state: &mut State) {
        if state.wants_fence {
            self.node_after(thread, state, Kind::Fence);
        }
    }

    /// The node of a write: when the statement runs, or where stores are buffered when it reaches memory.
    pub(crate) fn write_node(&mut self, walk: &mut Walk) -> u32 {
        let is_direct = walk.state.depth > 0 || walk.is_group || walk.is_fence;
        let Some(site) = walk.store.filter(|_| self.program.model.has_buffers() && !is_direct) else {
            return self.node(walk);
        };
        if let Some(node) = walk.commit {
            return node;
        }
        let node = self.node_after(walk.thread, &mut walk.state, Kind::Commit);
        walk.commit = Some(node);
        walk.record.commit = Some((node, site));
        node
    }

    /// A fence of the program, or the begin of an atomic section.
    pub(crate) fn fence(&mut self, walk: &mut Walk, order: Order) {
        let model = self.program.model;
        if !model.has_buffers() || walk.state.alone || walk.state.depth > 0 {
            return;
        }
        if order == Order::SeqCst {
            (walk.state.wants_fence, walk.record.drains) = (true, true);
        } else if order.releases() && model == Model::Pso && !walk.is_group {
            self.node_after(walk.thread, &mut walk.state, Kind::Barrier);
        }
    }

    /// Leaves of program order what the model keeps.
    pub(crate) fn relax_order(&mut self) {
        let model = self.program.model;
        if !model.has_buffers() {
            return;
        }
        let program = Closure::new(self.events.n_nodes(), &self.events.fixed);
        let mut guards: Vec<Option<TermId>> = vec![None; self.events.n_nodes()];
        for (node, guard) in guards.iter_mut().enumerate() {
            let thread = self.events.thread_of[node];
            let is_fence = matches!(self.events.kind_of[node], Kind::Fence | Kind::Barrier);
            if !is_fence || node == START as usize || thread == u32::MAX {
                continue;
            }
            let point = self.point_of.get(&(node as u32)).copied().unwrap_or(0);
            let passes = |later: u32| {
                let below = self.point_of.get(&later).copied().unwrap_or(0);
                self.events.thread_of[later as usize] != thread || self.points.dominates(point, below)
            };
            let own = self.points.guard(point);
            if self.pool.as_const(own) != Some(&Value::Bool(true)) && !bits(program.after(node as u32)).all(passes) {
                *guard = Some(own);
            }
        }
        relax(&mut self.events, &mut self.pool, model == Model::Pso, &|node| guards[node as usize]);
    }
}
