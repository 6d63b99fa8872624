//! Where are the loops, and how often can they run?
//!
//! A loop is known by its head, where a retreating edge of the depth-first order ends. If the head dominates all its retreating
//! edges, the loop is natural and its body is what reaches them without passing the head; otherwise control can enter
//! it in the middle, and its body is the whole strongly connected component.
//!
//! A trip count is found for counting loops: one local with a constant start, changed only by one `i = i + constant` in
//! every round, and a test of it against constants that every round passes. The rounds are then simply counted.
//!
//! Invariant: every cycle of the automaton contains a retreating edge of a loop whose body contains the whole cycle; `max_rounds`, where
//! known, is at least the number of times that the retreating edges are taken for each time the loop is entered.

use super::graph::{Components, reverse_post_order};
use super::uses::for_each_var;
use crate::access::local_written;
use crate::program::{EdgeId, LocId, Proc, Program};
use crate::source::Span;
use crate::stmt::Op;
use fixedbitset::FixedBitSet;
use logic::{BitVec, Node, Pool, TermId, Value, VarId};

/// Rounds that are counted before giving up.
const MAX_ROUNDS: u64 = 100_000;

/// A loop of a procedure.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Where it starts.
    pub head: LocId,
    /// The edges from inside back to the head.
    pub back_edges: Vec<EdgeId>,
    /// Its locations, the head among them.
    pub body: FixedBitSet,
    /// Whether control enters it only at the head.
    pub is_natural: bool,
    /// How often the back edges can be taken, if that is known.
    pub max_rounds: Option<u64>,
    /// Where it stands in the source.
    pub span: Span,
}

/// The loops of a procedure, in reverse post-order of their heads, so that outer ones come first.
pub fn find_loops(program: &Program, proc: &Proc) -> Vec<Loop> {
    let out = proc.out_edges();
    let order = reverse_post_order(proc, &out);
    let mut rank = vec![usize::MAX; proc.locs.len()];
    for (at, loc) in order.iter().enumerate() {
        rank[loc.index()] = at;
    }
    let dominators = Dominators::new(proc, &order, &rank);
    let components = Components::new(proc, &out);
    let mut loops: Vec<Loop> = Vec::new();
    for head in &order {
        let is_back = |edge: &EdgeId| {
            let edge = &proc.edges[edge.index()];
            edge.to == *head && rank[edge.from.index()] != usize::MAX && rank[edge.from.index()] >= rank[head.index()]
        };
        let back_edges: Vec<EdgeId> = (0..proc.edges.len() as u32).map(EdgeId).filter(is_back).collect();
        if back_edges.is_empty() {
            continue;
        }
        let sources = back_edges.iter().map(|edge| proc.edges[edge.index()].from);
        let is_natural = sources.clone().all(|source| dominators.dominates(*head, source));
        let body = if is_natural {
            natural_body(proc, *head, sources)
        } else {
            let component = components.of[head.index()];
            (0..proc.locs.len()).filter(|loc| components.of[*loc] == component).collect()
        };
        let span = proc.locs[head.index()].span;
        loops.push(Loop { head: *head, back_edges, body, is_natural, max_rounds: None, span });
    }
    for index in 0..loops.len() {
        if loops[index].is_natural {
            loops[index].max_rounds = count_rounds(&program.pool, proc, &dominators, &loops, index);
        }
    }
    loops
}

fn natural_body(proc: &Proc, head: LocId, sources: impl Iterator<Item = LocId>) -> FixedBitSet {
    let into = proc.in_edges();
    let mut body = FixedBitSet::with_capacity(proc.locs.len());
    body.insert(head.index());
    let mut queue: Vec<LocId> = sources.filter(|source| !body.put(source.index())).collect();
    while let Some(loc) = queue.pop() {
        for edge in &into[loc.index()] {
            let from = proc.edges[edge.index()].from;
            if !body.put(from.index()) {
                queue.push(from);
            }
        }
    }
    body
}

/// Immediate dominators of the reachable locations, by rank in reverse post-order (Cooper, Harvey and Kennedy).
struct Dominators {
    rank: Vec<usize>,
    parent: Vec<usize>,
}

impl Dominators {
    fn new(proc: &Proc, order: &[LocId], rank: &[usize]) -> Dominators {
        const NONE: usize = usize::MAX;
        let into = proc.in_edges();
        let mut parent = vec![NONE; order.len()];
        parent[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for at in 1..order.len() {
                let mut best = NONE;
                for edge in &into[order[at].index()] {
                    let from = rank[proc.edges[edge.index()].from.index()];
                    if from == NONE || parent[from] == NONE {
                        continue;
                    }
                    best = if best == NONE { from } else { meet(&parent, best, from) };
                }
                if parent[at] != best {
                    parent[at] = best;
                    changed = true;
                }
            }
        }
        Dominators { rank: rank.to_vec(), parent }
    }

    /// Whether every path to `below` goes through `above`.
    fn dominates(&self, above: LocId, below: LocId) -> bool {
        let (above, mut at) = (self.rank[above.index()], self.rank[below.index()]);
        while at > above {
            at = self.parent[at];
        }
        at == above
    }
}

fn meet(parent: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = parent[a];
        } else {
            b = parent[b];
        }
    }
    a
}

/// Where a statement stands.
type Position = (EdgeId, usize);

/// How often a counting loop goes round.
fn count_rounds(pool: &Pool, proc: &Proc, dominators: &Dominators, loops: &[Loop], index: usize) -> Option<u64> {
    let this = &loops[index];
    let in_body = |edge: &EdgeId| {
        let edge = &proc.edges[edge.index()];
        this.body.contains(edge.from.index()) && this.body.contains(edge.to.index())
    };
    let inner: Vec<EdgeId> = (0..proc.edges.len() as u32).map(EdgeId).filter(in_body).collect();
    // An edge runs exactly once in every round if all rounds pass its start, it alone goes on from there, and no inner loop has it.
    let runs_once = |edge: EdgeId| {
        let from = proc.edges[edge.index()].from;
        let is_nested = loops.iter().enumerate().any(|(other, inside)| {
            other != index && inside.body.contains(from.index()) && !inside.body.contains(this.head.index())
        });
        let goes_on_alone = inner.iter().filter(|other| proc.edges[other.index()].from == from).count() == 1;
        let is_passed = this.back_edges.iter().all(|back| dominators.dominates(from, proc.edges[back.index()].from));
        !is_nested && goes_on_alone && is_passed
    };
    for test in &inner {
        if !runs_once(*test) {
            continue;
        }
        for (at, stmt) in proc.edges[test.index()].stmts.iter().enumerate() {
            let Op::Assume(cond) = stmt.op else { continue };
            if let Some(counter) = only_var(pool, cond)
                && let Some((step, position)) = single_step(pool, proc, &inner, counter)
                && runs_once(position.0)
                && let Some(start) = start_value(pool, proc, this, counter)
            {
                let tests_first = is_before(proc, dominators, (*test, at), position);
                if let Some(rounds) = simulate(pool, cond, counter, start, &step, tests_first) {
                    return Some(rounds);
                }
            }
        }
    }
    None
}

fn only_var(pool: &Pool, cond: TermId) -> Option<VarId> {
    let mut vars = Vec::new();
    for_each_var(pool, cond, &mut |var| vars.push(var));
    vars.sort_unstable();
    vars.dedup();
    if let [var] = vars[..] { pool.var_sort(var).width().map(|_| var) } else { None }
}

/// The constant that the only write of the variable in the loop adds to it, and where that is.
fn single_step(pool: &Pool, proc: &Proc, inner: &[EdgeId], counter: VarId) -> Option<(BitVec, Position)> {
    let mut found = None;
    for edge in inner {
        for (at, stmt) in proc.edges[edge.index()].stmts.iter().enumerate() {
            if local_written(&stmt.op) != Some(counter) {
                continue;
            }
            let Op::Assign { value, .. } = stmt.op else { return None };
            let Node::App { op: logic::Op::Add, args } = pool.node(value) else { return None };
            let step = match (pool.node(args[0]), pool.node(args[1])) {
                (Node::Var(var), Node::Const(Value::Bv(step))) | (Node::Const(Value::Bv(step)), Node::Var(var))
                    if *var == counter =>
                {
                    step.clone()
                }
                _ => return None,
            };
            if found.replace((step, (*edge, at))).is_some() {
                return None;
            }
        }
    }
    found
}

/// The constant that the variable has whenever the loop is entered.
fn start_value(pool: &Pool, proc: &Proc, this: &Loop, counter: VarId) -> Option<BitVec> {
    let into = proc.in_edges();
    let mut seen = FixedBitSet::with_capacity(proc.edges.len());
    let is_outside = |edge: &EdgeId| !this.body.contains(proc.edges[edge.index()].from.index());
    let mut queue: Vec<EdgeId> = into[this.head.index()].iter().copied().filter(is_outside).collect();
    let mut start = None;
    let mut agree = |value: BitVec| start.get_or_insert(value.clone()) == &value;
    let width = pool.var_sort(counter).width()?;
    if this.head == proc.entry && !agree(BitVec::zero(width)) {
        return None;
    }
    while let Some(edge) = queue.pop() {
        if seen.put(edge.index()) {
            continue;
        }
        let stmts = &proc.edges[edge.index()].stmts;
        match stmts.iter().rev().find(|stmt| local_written(&stmt.op) == Some(counter)).map(|stmt| &stmt.op) {
            Some(Op::Assign { value, .. }) => match pool.as_const(*value) {
                Some(Value::Bv(value)) if agree(value.clone()) => {}
                _ => return None,
            },
            Some(_) => return None,
            None => {
                let from = proc.edges[edge.index()].from;
                if from == proc.entry && (proc.params.contains(&counter) || !agree(BitVec::zero(width))) {
                    return None;
                }
                queue.extend(into[from.index()].iter().copied());
            }
        }
    }
    start
}

/// Whether the first of two statements that run once in every round runs before the other.
fn is_before(proc: &Proc, dominators: &Dominators, first: Position, second: Position) -> bool {
    if first.0 == second.0 {
        return first.1 < second.1;
    }
    dominators.dominates(proc.edges[first.0.index()].from, proc.edges[second.0.index()].from)
}

fn simulate(pool: &Pool, cond: TermId, counter: VarId, start: BitVec, step: &BitVec, tests_first: bool) -> Option<u64> {
    let mut value = if tests_first { start } else { start.add(step) };
    for rounds in 0..MAX_ROUNDS {
        let now = Value::Bv(value.clone());
        let env = |var: VarId| if var == counter { now.clone() } else { Value::zero(pool.var_sort(var)) };
        if !pool.evaluate(cond, &env).as_bool() {
            return Some(rounds);
        }
        value = value.add(step);
    }
    None
}
