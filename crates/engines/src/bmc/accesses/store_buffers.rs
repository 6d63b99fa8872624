//! When do stores reach memory, where they are buffered? At nodes of their own; fences and the ends of threads are nodes too.
//!
//! Known as: store buffers, total and partial store order (TSO, PSO).
//!
//! The meaning is that of `ir::model`. While a thread is executed its nodes follow each other in program order; what is left of
//! that order is decided at the end, by `memory::events::relax`. A fence becomes a node only when something follows it that is no
//! fence itself: most fences stand before a read-modify-write or an atomic section, which is one.

use super::event_graph::EventGraph;
use crate::bmc::unroll::state::Walk;
use ir::{Model, Order};
use logic::{TermId, Value};
use memory::events::{Fence, Kind, START, relax};
use memory::order::{Closure, bits};

impl EventGraph {
    /// The node of a write: when the statement runs, or where stores are buffered when it reaches memory.
    pub(crate) fn write_node(&mut self, walk: &mut Walk) -> u32 {
        let is_direct = walk.is_inside() || walk.is_fence;
        let Some(site) = walk.store.filter(|_| self.model.has_buffers() && !is_direct) else {
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
        let model = self.model;
        if model == Model::Cat && !walk.state.alone {
            let (thread, point) = (walk.thread, walk.state.point);
            let node = self.node(walk);
            self.events.fences.push(Fence { node, thread, point, order });
        }
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
        let model = self.model;
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
            let point = self.point_of(node as u32);
            let passes = |later: u32| {
                let below = self.point_of(later);
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
