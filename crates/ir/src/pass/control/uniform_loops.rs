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
use crate::pass::analysis::uses::{for_each_used, mentions, uses};
use crate::pass::memory::arrays::declare;
use crate::program::{Edge, EdgeId, LocId, Proc, Program, Scope};
use crate::property::{Properties, Property};
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
    let (compares, read) = comparison(main, one)?;
    let is_inside = |edge: &Edge| one.body.contains(edge.to.index());
    let [first, second] = edges_from(main, compares).collect::<Vec<_>>()[..] else { return None };
    let (enters, leaves) = if is_inside(&main.edges[first]) { (first, second) } else { (second, first) };
    let inner: Vec<usize> =
        (0..main.edges.len()).filter(|at| *at != leaves && one.body.contains(main.edges[*at].from.index())).collect();
    if is_inside(&main.edges[leaves]) || !inner.iter().all(|at| is_inside(&main.edges[*at])) {
        return None;
    }
    let (counter, end) = counted_to(program, &main.edges[enters].stmts, &main.edges[leaves].stmts)?;
    let body: Vec<&Stmt> = inner.iter().flat_map(|at| &main.edges[*at].stmts).collect();
    if !body.iter().all(|stmt| only_looks(&stmt.op)) || !only_counts(program, liveness, one, &body, &read, counter, end)
    {
        return None;
    }
    let places = inner.iter().flat_map(|edge| (0..main.edges[*edge].stmts.len()).map(move |at| (*edge, at)));
    let (last, at) =
        places.into_iter().find(|(edge, at)| is_step(program, &main.edges[*edge].stmts[*at].op, counter))?;
    let after = &main.edges[last].stmts[at + 1..];
    let is_last = leads_only_to(main, main.edges[last].to, one.head)
        && !after.iter().any(|stmt| uses(&program.pool, &stmt.op, counter));
    let (enters, leaves, last) = (EdgeId(enters as u32), EdgeId(leaves as u32), EdgeId(last as u32));
    is_last.then_some(Counting { enters, leaves, counts: (last, at), counter, end })
}

/// The edges that leave a location.
fn edges_from(main: &Proc, loc: LocId) -> impl Iterator<Item = usize> {
    (0..main.edges.len()).filter(move |at| main.edges[*at].from == loc)
}

/// The edge that leaves a location, if it is the only one.
fn only_edge_from(main: &Proc, loc: LocId) -> Option<&Edge> {
    let mut next = edges_from(main, loc);
    next.next().filter(|_| next.next().is_none()).map(|at| &main.edges[at])
}

fn n_edges_to(main: &Proc, loc: LocId) -> usize {
    main.edges.iter().filter(|edge| edge.to == loc).count()
}

/// Where a round is begun or the loop left, and what is read anew on the way there from the head.
fn comparison(main: &Proc, one: &Loop) -> Option<(LocId, Vec<VarId>)> {
    let is_read = |stmt: &Stmt| matches!(stmt.op, Op::Load { place: Place::Var(_), .. } | Op::Assign { .. });
    let (mut loc, mut read) = (one.head, Vec::new());
    while let Some(edge) = only_edge_from(main, loc) {
        if !edge.stmts.iter().all(is_read) || n_edges_to(main, edge.to) != 1 || edge.to == one.head {
            return None;
        }
        read.extend(edge.stmts.iter().filter_map(|stmt| local_written(&stmt.op)));
        loc = edge.to;
    }
    Some((loc, read))
}

/// Whether nothing but the counter goes from round to round, or out of the loop, and what is counted to is the same in all rounds.
fn only_counts(
    program: &Program,
    liveness: &Liveness,
    one: &Loop,
    body: &[&Stmt],
    read: &[VarId],
    counter: VarId,
    end: TermId,
) -> bool {
    let pool = &program.pool;
    let written = || body.iter().filter_map(|stmt| local_written(&stmt.op));
    let n_written = |var: VarId| written().filter(|other| *other == var).count();
    let is_same = |var: VarId| n_written(var) == 0 || read.contains(&var);
    let is_carried =
        |var: VarId| var != counter && (liveness.is_live(one.head, var) || mentions(pool, end, var) && !is_same(var));
    // What is read anew comes from what is the same.
    let is_read_alike = |stmt: &&Stmt| {
        let mut is_alike = true;
        for_each_used(pool, &stmt.op, &mut |var| is_alike &= is_same(var));
        is_alike
    };
    let mut reads = body.iter().filter(|stmt| local_written(&stmt.op).is_some_and(|var| read.contains(&var)));
    n_written(counter) == 1
        && read.iter().all(|var| n_written(*var) == 1)
        && reads.all(is_read_alike)
        && !written().any(is_carried)
}

/// Whether a way leads from one location to another past nothing, and nobody comes to it from elsewhere.
fn leads_only_to(main: &Proc, mut from: LocId, to: LocId) -> bool {
    while from != to {
        match only_edge_from(main, from) {
            Some(edge) if edge.stmts.is_empty() && n_edges_to(main, from) == 1 => from = edge.to,
            _ => return false,
        }
    }
    true
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
    let from = declare(program, "from", sort, Scope::Local);
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
