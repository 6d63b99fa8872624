//! May a write of a thread take effect before an earlier read of it? If not, program order and reads-from have no cycles, under the models that keep dependencies.
//!
//! Known as: load buffering, values out of thin air. What these models (`evidence::monotone`) have in common: a read comes before a later write of its thread if it acquires, if the write
//! releases, if an acquiring or releasing fence is between them, if the write's value or address depends on the read, or if a branch or an address between them does. If
//! that is so of all reads and later writes, a cycle of program order and reads-from is one of order that the models keep, and they forbid it.
//!
//! Who is asked is the program, not an execution: for every point of a thread the reads that may be open there, and of each the variables that carry its value for certain, whatever way
//! was taken. What no other thread can notice is left out: whoever reads it, or writes what is read, is ordered by starts and joins, which release and acquire. So are writes
//! of what nobody reads while there are several threads.

use super::code::flow::{Named, named};
use ir::pass::{Sharing, Visibility};
use ir::{LocId, Op, Order, Place, Proc, ProcId, Program, SiteId, Span, Stmt};
use logic::{Node, TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The reads that may be open at a point.
#[derive(Clone, PartialEq, Eq, Default)]
struct Open {
    /// Of each the variables that carry its value.
    carriers: BTreeMap<SiteId, BTreeSet<VarId>>,
    /// Whether one is open whose value nobody carries any more, since its statement was run again.
    has_lost: bool,
}

/// The place of a write that an earlier read of its thread may come after, if there is one.
pub(super) fn overtaking_write(program: &Program) -> Option<Span> {
    let sharing = Sharing::new(program);
    let procs = || (0..program.procs.len()).map(|number| ProcId(number as u32));
    let mut read: BTreeSet<Named> = BTreeSet::new();
    for (id, edge) in procs().flat_map(|id| program.proc(id).edges.iter().map(move |edge| (id, edge))) {
        for (stmt, seen) in edge.stmts.iter().zip(sharing.of_edge(id, edge)) {
            if let (Op::Load { place, .. } | Op::Rmw { place, .. }, true) = (&stmt.op, seen != Visibility::Invisible) {
                read.insert(named(place));
            }
        }
    }
    procs().find_map(|id| of_proc(program, &sharing, &read, id))
}

fn of_proc(program: &Program, sharing: &Sharing, read: &BTreeSet<Named>, id: ProcId) -> Option<Span> {
    let proc: &Proc = program.proc(id);
    let out = proc.out_edges();
    let mut at: Vec<Option<Open>> = vec![None; proc.locs.len()];
    at[proc.entry.index()] = Some(Open::default());
    let mut queue: Vec<LocId> = vec![proc.entry];
    while let Some(loc) = queue.pop() {
        for edge in out[loc.index()].iter().map(|edge| &proc.edges[edge.index()]) {
            let mut open = at[loc.index()].clone().expect("it was reached");
            for (stmt, seen) in edge.stmts.iter().zip(sharing.of_edge(id, edge)) {
                let is_idle = matches!(&stmt.op, Op::Store { place, .. } if !read.contains(&named(place)));
                if !open.after(program, sharing, stmt, seen != Visibility::Invisible && !is_idle) {
                    return Some(stmt.span);
                }
            }
            let there = &mut at[edge.to.index()];
            let joined = there.as_ref().map_or_else(|| open.clone(), |there| there.joined(&open));
            if there.as_ref() != Some(&joined) {
                *there = Some(joined);
                queue.push(edge.to);
            }
        }
    }
    None
}

impl Open {
    /// What may be open if one or the other is.
    fn joined(&self, other: &Open) -> Open {
        let mut carriers = self.carriers.clone();
        for (read, vars) in &other.carriers {
            let known = carriers.entry(*read).or_insert_with(|| vars.clone());
            known.retain(|var| vars.contains(var));
        }
        Open { carriers, has_lost: self.has_lost || other.has_lost }
    }

    /// Goes on behind a statement; false if it writes what others notice, and a read that is open need not come before that.
    fn after(&mut self, program: &Program, sharing: &Sharing, stmt: &Stmt, is_seen: bool) -> bool {
        if let Some(addr) = shared_address(sharing, &stmt.op) {
            // The access itself waits for the address, and so do all writes behind it.
            self.close(&carrying(program, addr));
        }
        match &stmt.op {
            Op::Assign { var, value } => {
                let vars = carrying(program, *value);
                for carriers in self.carriers.values_mut() {
                    if carriers.is_disjoint(&vars) {
                        carriers.remove(var);
                    } else {
                        carriers.insert(*var);
                    }
                }
            }
            Op::Assume(cond) => self.close(&carrying(program, *cond)),
            Op::Fence(order) if orders(*order) => *self = Open::default(),
            Op::Load { dst, order, .. } => {
                self.forget(*dst);
                if is_seen && !acquires(*order) {
                    self.open(stmt.site, *dst);
                }
            }
            Op::Store { value, order, .. } => {
                return !is_seen || releases(*order) || self.all_carried_by(&carrying(program, *value));
            }
            Op::Rmw { dst, wait, new, order, failure, .. } => {
                if is_seen && !releases(*order) && !self.all_carried_by(&carrying(program, *new)) {
                    return false;
                }
                self.forget(*dst);
                let acquires = acquires(*order) && failure.is_none_or(|failure| acquires(failure.order));
                // Who waits for a value branches on it.
                if is_seen && !acquires && wait.is_none() {
                    self.open(stmt.site, *dst);
                }
            }
            other => {
                if let Some(var) = ir::access::local_written(other) {
                    self.forget(var);
                }
            }
        }
        true
    }

    fn open(&mut self, read: SiteId, dst: VarId) {
        self.has_lost |= self.carriers.insert(read, BTreeSet::from([dst])).is_some();
    }

    /// Writes wait for the reads whose value one of these variables carries.
    fn close(&mut self, vars: &BTreeSet<VarId>) {
        self.carriers.retain(|_, carriers| carriers.is_disjoint(vars));
    }

    fn forget(&mut self, var: VarId) {
        for carriers in self.carriers.values_mut() {
            carriers.remove(&var);
        }
    }

    /// Whether each open read has a value that one of these variables carries.
    fn all_carried_by(&self, vars: &BTreeSet<VarId>) -> bool {
        !self.has_lost && self.carriers.values().all(|carriers| !carriers.is_disjoint(vars))
    }
}

/// The variables on whose values a term depends for certain. What chooses between two values counts, since it controls the writes that use the chosen one; of the two it is not known which
/// is used.
fn carrying(program: &Program, term: TermId) -> BTreeSet<VarId> {
    let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![term]);
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match program.pool.node(term) {
            Node::Const(_) => {}
            Node::Var(var) => drop(found.insert(*var)),
            Node::App { op: logic::Op::Ite, args } => open.push(args[0]),
            Node::App { args, .. } => open.extend(args.iter().copied()),
        }
    }
    found
}

/// The address of an access that is an event.
fn shared_address(sharing: &Sharing, op: &Op) -> Option<TermId> {
    let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = op else { return None };
    match place {
        Place::Mem { addr, .. } if sharing.is_shared(place) => Some(*addr),
        _ => None,
    }
}

fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcqRel | Order::SeqCst)
}

fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcqRel | Order::SeqCst)
}

fn orders(order: Order) -> bool {
    acquires(order) || releases(order)
}
