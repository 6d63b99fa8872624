//! How does an engine that only interleaves threads see stores that memory does not have yet? The buffers are written into the program.
//!
//! Known as: instrumentation for weak memory, reduction of `tso` and `pso` to sequential consistency \[Alglave13].
//!
//! A location of the result is a location of the program together with what waits in the thread's buffer there ([`waiting`]): which places, in which order;
//! only values and computed addresses are kept in variables. So buffers cost no memory operations: a load of a place that waits is an assignment, a store is an
//! assignment to a variable of the thread, and a **commit** is an edge of its own that writes one place and leads to the location without it ([`ways`] has the
//! statements, [`product`] the automaton). Commits are steps of the thread itself. All rules are those of `crate::model`.
//!
//! - **When commits happen.** They stand at locations before whatever others may notice or be noticed by, where control may stop, and at loop heads. Between
//!   those a thread does only what no other thread sees, and always goes on; such steps commute with the commits of the thread and with all
//!   that others do, so an execution that commits in between is equal to one that commits later, with these steps made earlier.
//! - **What drains** is taken only when nothing waits; since commits are possible there, the thread is not stopped by that. So is the end of a thread, which nobody can tell from
//!   an end with stores that wait: it is joined only when its buffer is empty.
//! - **Alone.** Before the first thread is started nobody can see that a store is late: there they go to memory at once.
//! - **Length.** How many stores can wait at once is found by building the automaton. Where that has no bound, or makes it too large, a few may wait; one more
//!   ends in a `Check` of kind `Bound`, so that an answer of safe means that it never comes to that.
//!
//! Invariant: an execution of the result is one of the program under its model, with the commits that `Program::commits` names, up to the first access that is
//! outside of all objects, and the other way round up to a `Bound`. A store outside of all objects is noticed when it is committed, which is possible at once.
//!
//! Not here: objects that are made or end while threads run (a store may wait for one that is gone) and accesses that overlap in part with
//! a store that waits; both are refused by name.

pub(super) mod commits;
mod product;
mod waiting;
mod ways;

use crate::program::{ProcId, Program};
use crate::property::Properties;
use crate::stmt::Op;
use crate::verdict::Why;
use product::{Limits, Product};

/// How many stores may wait at once, tried in turn; only the first must be enough.
const LENGTHS: [usize; 4] = [24, 4, 2, 1];
/// How many locations a thread may have when buffers are part of them.
const MAX_LOCS: usize = 20_000;

/// The program with its buffers written down; it runs under `Model::Sc`. Calls must be inlined, and what is a fence must be one (`explicit_fences`).
pub fn write_buffers(mut program: Program, properties: Properties) -> Result<Program, Why> {
    let model = program.model;
    if !model.has_buffers() {
        return Ok(program);
    }
    refuse_objects(&program)?;
    for index in 0..program.procs.len() {
        let id = ProcId(index as u32);
        let mut made = None;
        for (attempt, length) in LENGTHS.into_iter().enumerate() {
            let limits = Limits { length, locs: MAX_LOCS, may_cut: attempt > 0 };
            made = Product::build(&mut program, id, properties, limits);
            if made.is_some() {
                break;
            }
        }
        let proc = &program.procs[index];
        let too_many = || format!("the store buffers of {} make more than {MAX_LOCS} locations", proc.name);
        program.procs[index] = made.ok_or_else(|| Why::Bound(too_many()))?;
    }
    program.model = crate::model::Model::Sc;
    Ok(program)
}

fn refuse_objects(program: &Program) -> Result<(), Why> {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let made = stmts.find(|stmt| matches!(stmt.op, Op::Alloc { .. } | Op::Free { .. }));
    match made {
        Some(stmt) => {
            let what =
                format!("an object that is made or ends, with store buffers of {} in the program,", program.model);
            Err(Why::Unsupported { span: stmt.span, what })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
