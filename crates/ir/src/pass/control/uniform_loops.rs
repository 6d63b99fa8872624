//! Which loops do nothing but check? One round, whichever, stands for all of them.
//!
//! Known as: loop acceleration, of loops whose rounds do not depend on each other.
//!
//! A loop that counts from one number to another and whose rounds read and check, but write nothing that anybody sees later, goes wrong exactly if one of its rounds does. So it
//! becomes a choice of any round, and the number counted to: who proves something about the program needs no invariant for it. Such loops are left of those that fill an array
//! (`memory::fills`).
//!
//! Only the initial thread's are taken, before it starts another one, so that what is read is the same in all rounds. If a round can end the
//! execution without going wrong, more executions are looked at than there are, never fewer. An execution through such a loop lacks the other rounds, and cannot be run as it is.

use crate::access::local_written;
use crate::pass::analysis::graph::reachable_from;
use crate::pass::analysis::liveness::Liveness;
use crate::pass::analysis::loops::{Loop, find_loops};
use crate::pass::analysis::uses::{for_each_used, mentions};
use crate::program::{EdgeId, Format, Proc, Program, Scope, Variable};
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::{HavocKind, Op, Place, Stmt};
use logic::{Node, TermId, VarId};

/// A loop that counts.
struct Counting {
    /// The edge from the comparison into the loop.
    enters: EdgeId,
    /// The edge from the comparison out of it.
    leaves: EdgeId,
    /// The last edge of a round that does anything, and which of its statements counts.
    counts: (EdgeId, usize),
    counter: VarId,
    /// What is counted to.
    end: TermId,
}

/// The program with one round of those loops of the initial thread that only check and have one of these edges.
pub(in crate::pass) fn shorten_uniform_loops(
    mut program: Program,
    properties: Properties,
    edges: &[EdgeId],
) -> Program {
    if properties.has(Property::Termination) || properties.has(Property::Liveness) {
        return program;
    }
    while let Some(found) = first_counting(&program, edges) {
        shorten(&mut program, &found);
    }
    program
}

fn first_counting(program: &Program, edges: &[EdgeId]) -> Option<Counting> {
    let main = &program.procs[program.main.index()];
    let liveness = Liveness::new(program, main, true);
    let starts = main.edges.iter().filter(|edge| edge.stmts.iter().any(|stmt| starts_others(&stmt.op)));
    let late = reachable_from(main, &main.out_edges(), starts.map(|edge| edge.to));
    find_loops(program, main)
        .iter()
        .filter(|one| one.is_natural && !late.contains(one.head.index()))
        .filter(|one| edges.iter().any(|edge| one.body.contains(main.edges[edge.index()].from.index())))
        .find_map(|one| counting(program, main, &liveness, one))
}

fn starts_others(op: &Op) -> bool {
    matches!(op, Op::Start { .. } | Op::Call { .. })
}

fn counting(program: &Program, main: &Proc, liveness: &Liveness, one: &Loop) -> Option<Counting> {
    if one.back_edges.len() != 1 {
        return None;
    }
    let edges = || main.edges.iter().enumerate().filter(|(_, edge)| one.body.contains(edge.from.index()));
    let is_inside = |index: usize| one.body.contains(main.edges[index].to.index());
    // What is counted to may be read anew before each comparison.
    let mut compares = one.head;
    let mut read: Vec<VarId> = Vec::new();
    loop {
        let mut next = edges().filter(|(_, edge)| edge.from == compares).map(|(_, edge)| edge);
        let (Some(edge), None) = (next.next(), next.next()) else { break };
        let is_read = |stmt: &Stmt| matches!(stmt.op, Op::Load { place: Place::Var(_), .. } | Op::Assign { .. });
        let is_only_way = main.edges.iter().filter(|other| other.to == edge.to).count() == 1;
        if !edge.stmts.iter().all(is_read) || !is_only_way || edge.to == one.head {
            return None;
        }
        read.extend(edge.stmts.iter().filter_map(|stmt| local_written(&stmt.op)));
        compares = edge.to;
    }
    let of_comparison: Vec<usize> = edges().filter(|(_, edge)| edge.from == compares).map(|(index, _)| index).collect();
    let [first, second] = of_comparison[..] else { return None };
    let (enters, leaves) = if is_inside(first) { (first, second) } else { (second, first) };
    let leaves_elsewhere = edges().any(|(index, _)| index != leaves && !is_inside(index));
    if !is_inside(enters) || is_inside(leaves) || leaves_elsewhere {
        return None;
    }
    let (counter, end) = counted_to(program, &main.edges[enters].stmts, &main.edges[leaves].stmts)?;
    let body: Vec<&Stmt> = edges().filter(|(index, _)| *index != leaves).flat_map(|(_, edge)| &edge.stmts).collect();
    if !body.iter().all(|stmt| only_looks(&stmt.op)) {
        return None;
    }
    // Nothing but the counter goes from round to round, or out of the loop.
    let written = || body.iter().filter_map(|stmt| local_written(&stmt.op));
    let n_written = |var: VarId| written().filter(|other| *other == var).count();
    let is_read_anew = |var: VarId| read.contains(&var) && n_written(var) == 1;
    let is_carried = |var: VarId| {
        var != counter && (liveness.is_live(one.head, var) || mentions(&program.pool, end, var) && !is_read_anew(var))
    };
    // What is computed for it comes from what is the same in all rounds.
    let is_same = |var: &VarId| written().all(|other| other != *var) || is_read_anew(*var);
    let mut is_computed_alike = true;
    for stmt in body.iter().filter(|stmt| local_written(&stmt.op).is_some_and(|var| read.contains(&var))) {
        for_each_used(&program.pool, &stmt.op, &mut |var| is_computed_alike &= is_same(&var));
    }
    if !is_computed_alike {
        return None;
    }
    if written().any(is_carried) || read.iter().any(|var| n_written(*var) != 1) || n_written(counter) != 1 {
        return None;
    }
    // The last thing that a round does is to count.
    let places = edges().flat_map(|(index, edge)| (0..edge.stmts.len()).map(move |at| (index, at)));
    let (last, at) =
        places.into_iter().find(|(index, at)| is_step(program, &main.edges[*index].stmts[*at].op, counter))?;
    let mut loc = main.edges[last].to;
    while loc != one.head {
        let mut next = main.edges.iter().filter(|edge| edge.from == loc);
        let (Some(edge), None) = (next.next(), next.next()) else { return None };
        if !edge.stmts.is_empty() || main.edges.iter().filter(|other| other.to == loc).count() != 1 {
            return None;
        }
        loc = edge.to;
    }
    let stmts = &main.edges[last].stmts;
    let is_used = |stmt: &Stmt| {
        let mut is_used = false;
        for_each_used(&program.pool, &stmt.op, &mut |var| is_used |= var == counter);
        is_used
    };
    (!stmts[at + 1..].iter().any(is_used)).then_some(Counting {
        enters: EdgeId(enters as u32),
        leaves: EdgeId(leaves as u32),
        counts: (EdgeId(last as u32), at),
        counter,
        end,
    })
}

/// The counter and what it is compared with, if a loop goes on exactly as long as the one is less than the other.
fn counted_to(program: &Program, enters: &[Stmt], leaves: &[Stmt]) -> Option<(VarId, TermId)> {
    let pool = &program.pool;
    let (Op::Assume(goes_on), Op::Assume(ends)) = (&enters.first()?.op, &leaves.first()?.op) else { return None };
    let is_opposite = matches!(pool.node(*ends), Node::App { op: logic::Op::Not, args } if args[0] == *goes_on);
    match pool.node(*goes_on) {
        Node::App { op: logic::Op::Slt | logic::Op::Ult, args } if is_opposite => {
            let counter = pool.as_var(args[0])?;
            (!mentions(pool, args[1], counter)).then_some((counter, args[1]))
        }
        _ => None,
    }
}

/// Whether the statement changes nothing that anybody else sees, and cannot wait.
fn only_looks(op: &Op) -> bool {
    matches!(op, Op::Assume(_) | Op::Check { .. } | Op::Load { .. } | Op::Assign { .. } | Op::Havoc { .. })
}

/// Whether the statement adds one to the counter.
fn is_step(program: &Program, op: &Op, counter: VarId) -> bool {
    let pool = &program.pool;
    let Op::Assign { var, value } = op else { return false };
    let is_counter = |term: &TermId| pool.as_var(*term) == Some(counter);
    let is_one = |term: &TermId| pool.as_const(*term).is_some_and(|value| value.as_bv().as_u64() == 1);
    match pool.node(*value) {
        Node::App { op: logic::Op::Add, args } => {
            *var == counter && args.len() == 2 && args.iter().any(is_counter) && args.iter().any(is_one)
        }
        _ => false,
    }
}

/// Makes the counter any number before the one counted to; behind the round it is that one.
fn shorten(program: &mut Program, found: &Counting) {
    let main = program.main.index();
    let sort = program.pool.var_sort(found.counter);
    let variable = Variable {
        scope: Scope::Local,
        init: None,
        format: Format::default(),
        span: Span::NOWHERE,
        is_temporary: true,
    };
    let from = program.declare("from", sort, variable);
    program.procs[main].locals.push(from);
    let edges = &mut program.procs[main].edges;
    let leaving = edges[found.leaves.index()].clone();
    let entering = &mut edges[found.enters.index()];
    let goes_on = entering.stmts[0].clone();
    let Op::Assume(is_before_end) = goes_on.op else { unreachable!("it was looked at") };
    let pool = &mut program.pool;
    let (counter, first) = (pool.var(found.counter), pool.var(from));
    let is_signed = matches!(pool.node(is_before_end), Node::App { op: logic::Op::Slt, .. });
    let is_from = if is_signed { pool.sle(first, counter) } else { pool.ule(first, counter) };
    let with = |op: Op| Stmt { op, ..goes_on.clone() };
    let choice = [
        with(Op::Assign { var: from, value: counter }),
        with(Op::Havoc { var: found.counter, kind: HavocKind::Choice }),
        with(Op::Assume(is_from)),
        with(Op::Assume(is_before_end)),
    ];
    entering.stmts.splice(1..1, choice);
    let (back, at) = found.counts;
    let back = &mut edges[back.index()];
    back.stmts[at].op = Op::Assign { var: found.counter, value: found.end };
    back.to = leaving.to;
    back.stmts.extend(leaving.stmts);
    back.origin.extend(leaving.origin);
}
