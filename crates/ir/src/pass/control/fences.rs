//! Which statements wait for the thread's stores to reach memory? A fence is put before them, so that it stays when they go.
//!
//! Passes drop accesses that nobody can notice: of variables that one thread has to itself, or whose values decide nothing. Where stores
//! are buffered (`crate::model`) such an access can still be noticed as a fence, and programs use it as one. Fences are never dropped.

use crate::model::Model;
use crate::program::Program;
use crate::stmt::{Op, Order, Stmt};

/// Whether a statement lets all stores of its thread reach memory and then takes effect at once.
pub fn drains(op: &Op) -> bool {
    matches!(op, Op::Rmw { .. } | Op::Start { .. } | Op::Store { order: Order::SeqCst, .. })
}

/// Whether an access orders what stands around it to the program's axioms, whoever knows the place: an update does, and one that acquires or releases
/// does to machines, which need fences for that. In C11 it takes two threads to synchronise.
pub fn orders_others(program: &Program, op: &Op) -> bool {
    let is_language = || {
        let named = |axioms: &crate::Axioms| matches!(axioms.name.as_str(), "c11" | "rc11" | "imm");
        program.axioms.as_deref().is_some_and(named)
    };
    program.model == Model::Cat
        && match op {
            Op::Rmw { .. } => true,
            Op::Load { order, .. } | Op::Store { order, .. } => {
                (order.acquires() || order.releases()) && !is_language()
            }
            _ => false,
        }
}

/// The program with a fence before each access that is one. Under `Model::Sc` it stays as it is.
pub fn explicit_fences(mut program: Program) -> Program {
    if !program.model.has_buffers() {
        return program;
    }
    let model = program.model;
    for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
        let mut stmts = Vec::with_capacity(edge.stmts.len());
        for stmt in edge.stmts.drain(..) {
            let fence = match &stmt.op {
                op if drains(op) => Some(Order::SeqCst),
                Op::Store { order, .. } if order.releases() && model == Model::Pso => Some(Order::Release),
                _ => None,
            };
            stmts.extend(fence.map(|order| Stmt { op: Op::Fence(order), span: stmt.span, site: stmt.site }));
            stmts.push(stmt);
        }
        edge.stmts = stmts;
    }
    program
}
