//! What is known of pointers that are null or the address of one object, and nothing else?
//!
//! Where such a pointer is followed, it is not null, or something goes wrong: what is accessed is as far into the object as the rest of the address says. So nothing need be known of the
//! pointer but that.
//!
//! C lets `malloc(0)` give null or a pointer that must not be followed. A pointer that is only followed or freed, never compared, printed or counted with, shows no difference: both go
//! wrong when they are followed. With one address for both it has one value, which is then known.
//!
//! Invariant: a null is replaced only on ways on which the object is never made; nobody looks at the pointer but accesses of the object, all of which are outside of it then, and what
//! frees it if it was made.

use super::regions::place_of;
use crate::access::local_written;
use crate::memory::RegionId;
use crate::pass::analysis::graph::reachable_from;
use crate::pass::analysis::initial::word_of;
use crate::pass::analysis::uses::{for_each_term, mentions};
use crate::program::{Proc, Program, Scope};
use crate::stmt::{AllocSite, Callee, Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Op as TermOp, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Pointers to the object of a region are its address also where it was not made because it would be empty. Its site runs at most once.
pub(super) fn never_null(program: &mut Program, region: RegionId, site: AllocSite, address: TermId) {
    let Some((index, edge, pointer)) = made_at(program, site) else { return };
    let Some(pointers) = pointers(program, region, pointer) else { return };
    let proc = &program.procs[index];
    let elsewhere = elsewhere(proc, edge);
    let pool = &program.pool;
    let is_null = |stmt: &Stmt| matches!(&stmt.op, Op::Assign { var, value } if pointers.contains(var) && word_of(pool, *value) == Some(0));
    let places: Vec<(usize, usize)> = elsewhere
        .into_iter()
        .flat_map(|edge| (0..proc.edges[edge].stmts.len()).map(move |at| (edge, at)))
        .filter(|(edge, at)| is_null(&proc.edges[*edge].stmts[*at]))
        .collect();
    for (edge, at) in places {
        if let Op::Assign { value, .. } = &mut program.procs[index].edges[edge].stmts[at].op {
            *value = address;
        }
    }
}

/// The variables that may hold an address in the object of a region, which is made at one site; none if somebody looks at more of it than how far into the object it is, and whether it is null.
///
/// Where objects lie is ours to say, and an object of any size may reach as far as where we have put another one. So an address must not be compared with those of other objects, nor
/// be taken apart, nor be kept in memory, where it is not followed.
pub(super) fn holders(program: &Program, region: RegionId, site: AllocSite) -> Option<FixedBitSet> {
    let mut found = FixedBitSet::with_capacity(program.vars.len());
    found.insert(made_at(program, site)?.2.index());
    let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    loop {
        let before = found.count_ones(..);
        let mut known = FxHashMap::default();
        let mut more = Vec::new();
        for stmt in stmts() {
            let mut holds = |term: TermId| is_address(program, (&found, &mut known), term) == Some(true);
            match &stmt.op {
                Op::Assign { var, value } | Op::Store { place: Place::Var(var), value, .. } => {
                    more.extend(holds(*value).then_some(*var));
                }
                Op::Load { dst, place: Place::Var(var), .. } => {
                    more.extend(found.contains(var.index()).then_some(*dst))
                }
                Op::Start { callee: Callee::Proc(callee), args, .. } => {
                    let params = program.proc(*callee).params.iter().zip(args);
                    more.extend(params.filter(|(_, arg)| holds(**arg)).map(|(param, _)| *param));
                }
                _ => {}
            }
        }
        found.extend(more.into_iter().map(VarId::index));
        if found.count_ones(..) == before {
            break;
        }
    }
    let mut known = FxHashMap::default();
    let mut is_fine = |stmt: &Stmt| {
        let mut is = |term: TermId| is_address(program, (&found, &mut known), term);
        let is_followed = match (&stmt.op, place_of(&stmt.op)) {
            (Op::Assign { value, .. }, _) => return is(*value).is_some(),
            (Op::Store { place: Place::Var(_), value, .. }, _) => return is(*value).is_some(),
            (Op::Start { callee: Callee::Proc(_), args, .. }, _) => return args.iter().all(|arg| is(*arg).is_some()),
            (Op::Free { addr, .. }, _) => return is(*addr).is_some(),
            (Op::Rmw { place: Place::Var(var), .. }, _) if found.contains(var.index()) => return false,
            (Op::Store { value, .. } | Op::Rmw { new: value, .. }, _) if is(*value) != Some(false) => return false,
            (_, Some(Place::Mem { addr, region: other, .. })) if *other == region => Some(*addr),
            _ => None,
        };
        let mut is_fine = true;
        for_each_term(&stmt.op, &mut |term, _| is_fine &= is(term) == Some(Some(term) == is_followed));
        is_fine
    };
    stmts().all(&mut is_fine).then_some(found)
}

/// Whether a term is an address in an object, by the variables that hold such; none if it is neither that nor the same wherever the object lies.
fn is_address(
    program: &Program,
    (holders, known): (&FixedBitSet, &mut FxHashMap<TermId, Option<bool>>),
    term: TermId,
) -> Option<bool> {
    let pool = &program.pool;
    for part in pool.post_order(term) {
        if known.contains_key(&part) {
            continue;
        }
        let is_address = match pool.node(part) {
            Node::Var(var) => Some(holders.contains(var.index())),
            Node::App { op, args } => {
                let of: Option<Vec<bool>> = args.iter().map(|arg| known[arg]).collect();
                of.and_then(|of| is_address_made_of(program, *op, args, &of))
            }
            _ => Some(false),
        };
        known.insert(part, is_address);
    }
    known[&term]
}

fn is_address_made_of(program: &Program, op: TermOp, args: &[TermId], of: &[bool]) -> Option<bool> {
    let is_null = |term: TermId| word_of(&program.pool, term) == Some(0);
    let n_addresses = of.iter().filter(|is_address| **is_address).count();
    // Numbers of 64 bits do not end before the object does.
    let is_long = program.data_model.word_bits() == 64;
    match op {
        _ if n_addresses == 0 => Some(false),
        TermOp::Add => (n_addresses == 1).then_some(true),
        TermOp::Sub if of[0] => Some(!of[1]),
        TermOp::Eq if n_addresses == 2 || args.iter().any(|arg| is_null(*arg)) => Some(false),
        TermOp::Ult if n_addresses == 2 && is_long => Some(false),
        TermOp::Ite if !of[0] && (1..3).all(|at| of[at] || is_null(args[at])) => Some(true),
        _ => None,
    }
}

/// Those of the variables that may hold an address in an object that always hold null or this one.
pub(super) fn nullable(program: &Program, holders: &FixedBitSet, address: TermId) -> FixedBitSet {
    let pool = &program.pool;
    let is_known = |term: TermId| term == address || word_of(pool, term) == Some(0);
    let is_word = |var: VarId| pool.var_sort(var) == pool.sort(address);
    let starts_null = |var: VarId| match program.var(var).scope {
        Scope::Local => true,
        Scope::Global | Scope::Thread => program.var(var).init == Some(Value::zero(pool.var_sort(var))),
    };
    // What else is called than by name may get anything.
    let is_unnamed = |stmt: &Stmt| matches!(stmt.op, Op::Call { .. } | Op::Start { callee: Callee::Pointer(_), .. });
    let has_unnamed = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).any(is_unnamed);
    let entered = |index: usize| has_unnamed || index == program.main.index();
    let params = program.procs.iter().enumerate().filter(|(index, _)| entered(*index));
    let params: FxHashSet<VarId> = params.flat_map(|(_, proc)| &proc.params).copied().collect();
    let mut found = FixedBitSet::with_capacity(program.vars.len());
    let vars = (0..program.vars.len()).map(|index| VarId(index as u32));
    found.extend(vars.filter(|var| is_word(*var) && starts_null(*var) && !params.contains(var)).map(VarId::index));
    let mut others = Vec::new();
    loop {
        let before = found.count_ones(..);
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            let holds =
                |term: TermId| is_known(term) || pool.as_var(term).is_some_and(|var| found.contains(var.index()));
            if let Op::Start { callee: Callee::Proc(callee), args, .. } = &stmt.op {
                let params = program.proc(*callee).params.iter().enumerate();
                let gets_other = |at: usize| !args.get(at).is_some_and(|arg| holds(*arg));
                others.extend(params.filter(|(at, _)| gets_other(*at)).map(|(_, param)| *param));
            }
            let (var, keeps) = match &stmt.op {
                Op::Assign { var, value } => (*var, holds(*value)),
                Op::Store { place: Place::Var(var), value, .. } => (*var, holds(*value)),
                Op::Load { dst, place: Place::Var(var), .. } => (*dst, found.contains(var.index())),
                Op::Rmw { place: Place::Var(var), dst, .. } => {
                    others.push(*dst);
                    (*var, false)
                }
                op => match local_written(op) {
                    Some(var) => (var, false),
                    None => continue,
                },
            };
            others.extend((!keeps).then_some(var));
        }
        others.drain(..).for_each(|var| found.set(var.index(), false));
        if found.count_ones(..) == before {
            found.intersect_with(holders);
            return found;
        }
    }
}

/// The procedure and edge of a site, and what gets the pointer.
fn made_at(program: &Program, site: AllocSite) -> Option<(usize, usize, VarId)> {
    for (index, proc) in program.procs.iter().enumerate() {
        for (number, edge) in proc.edges.iter().enumerate() {
            let stmt = edge.stmts.iter().find(|stmt| stmt.alloc_site() == Some(site));
            if let Some(Op::Alloc { dst, .. }) = stmt.map(|stmt| &stmt.op) {
                return Some((index, number, *dst));
            }
        }
    }
    None
}

/// The edges that are on no way with this one.
fn elsewhere(proc: &Proc, edge: usize) -> Vec<usize> {
    let out = proc.out_edges();
    let found = &proc.edges[edge];
    let later = reachable_from(proc, &out, [found.to]);
    let leads_there = |to| reachable_from(proc, &out, [to]).contains(found.from.index());
    let is_apart = |other: &usize| {
        let edge = &proc.edges[*other];
        !later.contains(edge.from.index()) && !leads_there(edge.to)
    };
    (0..proc.edges.len()).filter(|other| *other != edge && is_apart(other)).collect()
}

/// All variables that hold what is computed from a pointer; none if it is used otherwise than to follow it into its region, or to free it.
fn pointers(program: &Program, region: RegionId, pointer: VarId) -> Option<FxHashSet<VarId>> {
    let mut pointers: FxHashSet<VarId> = std::iter::once(pointer).collect();
    loop {
        let before = pointers.len();
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            let is_pointer = |term: TermId| pointers.iter().any(|var| mentions(&program.pool, term, *var));
            let copied = match &stmt.op {
                Op::Assign { var, value } | Op::Store { place: Place::Var(var), value, .. } => {
                    is_pointer(*value).then_some(*var)
                }
                Op::Load { dst, place: Place::Var(var), .. } => pointers.contains(var).then_some(*dst),
                Op::Rmw { place: Place::Var(var), .. } if pointers.contains(var) => return None,
                op => {
                    let followed = match (op, place_of(op)) {
                        (_, Some(Place::Mem { addr, region: other, .. })) if *other == region => Some(*addr),
                        (Op::Free { addr, .. }, _) => Some(*addr),
                        _ => None,
                    };
                    let mut is_seen = false;
                    for_each_term(op, &mut |term, _| is_seen |= Some(term) != followed && is_pointer(term));
                    if is_seen {
                        return None;
                    }
                    None
                }
            };
            pointers.extend(copied);
        }
        if pointers.len() == before {
            return Some(pointers);
        }
    }
}
