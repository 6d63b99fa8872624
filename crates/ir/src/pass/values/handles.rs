//! How many threads can there be? Conditions about the running thread's handle that hold for all of them, or for none, are decided.
//!
//! Models of the library have room for so many threads and refuse more; where the program's text bounds their number, that is no question. A statement that
//! starts a thread is passed as often as the loops around it go round, each time its own procedure runs.
//!
//! Invariant: the handles of threads are 1, for the first one, and the numbers up to how many there are.

use crate::pass::analysis::loops::find_loops;
use crate::program::{ProcId, Program};
use crate::stmt::{Callee, Op};
use logic::{Sort, TermId, Value};

/// Programs with more threads are left alone.
const MOST: u64 = 256;

/// The program without what the number of threads decides. Every procedure is the whole life of a thread.
pub(in crate::pass) fn decide_by_handles(mut program: Program) -> Program {
    let Some(most) = n_threads(&program) else { return program };
    let (own, width) = (program.self_var, program.data_model.word_bits());
    for proc in &mut program.procs {
        for stmt in proc.edges.iter_mut().flat_map(|edge| &mut edge.stmts) {
            if let Op::Assume(cond) | Op::Check { cond, .. } = &mut stmt.op {
                let pool = &mut program.pool;
                let (mut is_about, mut is_only) = (false, true);
                pool.for_each_free_var(*cond, &mut |var| {
                    is_about |= var == own;
                    is_only &= var == own;
                });
                if !is_about || !is_only || pool.sort(*cond) != Sort::Bool {
                    continue;
                }
                let holds = |cond: TermId, handle| pool.evaluate(cond, &|_| Value::bv(width, handle));
                let first = holds(*cond, 1);
                if (2..=most).all(|handle| holds(*cond, handle) == first) {
                    *cond = pool.constant(first);
                }
            }
        }
    }
    program
}

/// How many threads there are at most, if that is known.
fn n_threads(program: &Program) -> Option<u64> {
    let mut all = 0;
    of_proc(program, program.main, 1, 0, &mut all)?;
    // What is run before each thread, and what is called, may start none.
    let others = (0..program.procs.len()).filter(|index| !is_started(program, ProcId(*index as u32)));
    let starts = |index: usize| {
        let stmts = program.procs[index].edges.iter().flat_map(|edge| &edge.stmts);
        stmts.into_iter().any(|stmt| matches!(stmt.op, Op::Start { .. }))
    };
    (!others.into_iter().any(starts)).then_some(all)
}

/// Whether it is the whole life of a thread, and neither called nor a beginning of others.
fn is_started(program: &Program, proc: ProcId) -> bool {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_part = program.thread_init == Some(proc);
    let is_called = stmts.clone().any(|stmt| match stmt.op {
        Op::Call { callee: Callee::Proc(callee), .. } => callee == proc,
        Op::Call { .. } => true,
        _ => false,
    });
    let is_a_start = |op: &Op| matches!(op, Op::Start { callee: Callee::Proc(callee), .. } if *callee == proc);
    !is_part && !is_called && (proc == program.main || stmts.any(|stmt| is_a_start(&stmt.op)))
}

/// Counts the threads that run a procedure, and those that they start in turn.
fn of_proc(program: &Program, id: ProcId, times: u64, depth: usize, all: &mut u64) -> Option<()> {
    *all += times;
    if *all > MOST || depth > program.procs.len() {
        return None;
    }
    let proc = program.proc(id);
    let mut loops = None;
    for edge in &proc.edges {
        for stmt in &edge.stmts {
            let Op::Start { callee, .. } = &stmt.op else { continue };
            let Callee::Proc(callee) = callee else { return None };
            let loops = loops.get_or_insert_with(|| find_loops(program, proc));
            let around = loops.iter().filter(|this| this.body.contains(edge.from.index()));
            let rounds = around.map(|this| this.max_rounds).try_fold(1u64, |product, rounds| {
                product.checked_mul(rounds?.checked_add(1)?).filter(|product| *product <= MOST)
            })?;
            of_proc(program, *callee, times.checked_mul(rounds)?, depth + 1, all)?;
        }
    }
    Some(())
}
