//! Which variables are set before anybody else runs, and keep that value? Reads of them need not be done.
//!
//! A program that makes its queue, writes the pointer to it into a global variable and then starts its threads has, after the passes before, a write of a constant there. Whoever reads the
//! variable later reads that constant.
//!
//! Invariant: the one write of the variable is passed before any thread is started; a read is replaced only if the write is passed before it.

use crate::pass::analysis::graph::reachable_from;
use crate::pass::analysis::sharing::Sharing;
use crate::pass::control::fences::orders_others;
use crate::program::{Edge, EdgeId, Program, Scope};
use crate::stmt::{Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;

/// The one write of a variable: where it is in the initial thread, and the constant. None if there are others.
type Writes = FxHashMap<VarId, Option<(EdgeId, usize, TermId)>>;

/// The program with the constants of variables that are set once, before all threads that read them.
pub(in crate::pass) fn read_what_was_set(mut program: Program) -> Program {
    if !Sharing::new(&program).is_single(program.main) {
        return program;
    }
    let mut found: Vec<(VarId, (EdgeId, usize, TermId))> =
        writes(&program).into_iter().filter_map(|(var, write)| Some((var, write?))).collect();
    found.sort_unstable_by_key(|(var, _)| *var);
    for (var, (edge, at, value)) in found {
        let Some(early) = before(&program, edge, at) else { continue };
        replace_reads(
            &mut program,
            var,
            value,
            |loc, index, position| {
                if index == edge { position > at } else { !early.contains(loc) }
            },
        );
    }
    program
}

fn writes(program: &Program) -> Writes {
    let mut writes = Writes::default();
    for (index, proc) in program.procs.iter().enumerate() {
        for (edge, at, stmt) in
            proc.edges.iter().enumerate().flat_map(|(edge, all)| {
                all.stmts.iter().enumerate().map(move |(at, stmt)| (EdgeId(edge as u32), at, stmt))
            })
        {
            let (Op::Store { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. }) = stmt.op else {
                continue;
            };
            if program.var(var).scope != Scope::Global {
                continue;
            }
            let write = match stmt.op {
                Op::Store { value, .. } if index == program.main.index() && program.pool.as_const(value).is_some() => {
                    Some((edge, at, value))
                }
                _ => None,
            };
            writes.entry(var).and_modify(|known| *known = None).or_insert(write);
        }
    }
    writes
}

/// The locations of the initial thread that it may reach without this statement; none if it may have started others by then.
fn before(program: &Program, edge: EdgeId, at: usize) -> Option<FixedBitSet> {
    let main = &program.procs[program.main.index()];
    let starts = |stmt: &Stmt| matches!(stmt.op, Op::Start { .. } | Op::Call { .. });
    let mut out = main.out_edges();
    let found = &main.edges[edge.index()];
    out[found.from.index()].retain(|other| *other != edge);
    let early = reachable_from(main, &out, [main.entry]);
    let may_start = |(index, other): (usize, &Edge)| match index == edge.index() {
        true => other.stmts[..at].iter().any(starts),
        false => early.contains(other.from.index()) && other.stmts.iter().any(starts),
    };
    (!main.edges.iter().enumerate().any(may_start)).then_some(early)
}

/// Reads of a variable as its value, where the initial thread has passed its write, and in all other threads.
fn replace_reads(program: &mut Program, var: VarId, value: TermId, is_later: impl Fn(usize, EdgeId, usize) -> bool) {
    for index in 0..program.procs.len() {
        let is_main = index == program.main.index();
        let mut edges = std::mem::take(&mut program.procs[index].edges);
        for (number, edge) in edges.iter_mut().enumerate() {
            let number = EdgeId(number as u32);
            for (position, stmt) in edge.stmts.iter_mut().enumerate() {
                let Op::Load { dst, place: Place::Var(read), .. } = stmt.op else { continue };
                let is_known = !is_main || is_later(edge.from.index(), number, position);
                if read == var && is_known && !orders_others(program, &stmt.op) {
                    stmt.op = Op::Assign { var: dst, value };
                }
            }
        }
        program.procs[index].edges = edges;
    }
}
