//! Which objects are just locals whose address was taken for a moment? They become locals.
//!
//! `atomic_compare_exchange(&x, &expected, …)` or `pthread_create(&handle, …)` put a local into memory, and inlining leaves an
//! `Alloc` whose address is used for nothing but direct accesses. Such an object is known by its variable: all that the variable is ever
//! set to is an `Alloc` of the stack, and all that is done with it is to access it at constant offsets inside, and to free it.
//! Unlike `promote` this works in loops and in any number of threads, since each activation has its own locals.
//!
//! Invariant: on every path the object is live at each access and free, and each cell is written before it is read, so no
//! access can be wrong and no read asks for an input; otherwise the object stays. Cells do not overlap.

use super::regions::place_of;
use crate::access::{bytes_of, local_written};
use crate::pass::analysis::graph::reverse_post_order;
use crate::pass::analysis::initial::word_of;
use crate::pass::analysis::uses::{for_each_term, for_each_var};
use crate::pass::control::fences::orders_others;
use crate::program::{Proc, Program, Scope, Variable};
use crate::stmt::{AllocKind, Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Pool, Scalar, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The program with objects that are only ever accessed directly turned into locals.
pub fn localize(mut result: Program) -> Program {
    for index in 0..result.procs.len() {
        let mut proc = result.procs[index].clone();
        for object in candidates(&result, &proc) {
            if object.is_sound(&result, &proc) {
                object.replace(&mut result, &mut proc);
            }
        }
        result.procs[index] = proc;
    }
    result
}

/// An object, known by the variable that holds its address.
struct Object {
    var: VarId,
    size: u64,
    is_zeroed: bool,
    /// What is accessed, by offset.
    cells: BTreeMap<u64, Scalar>,
}

/// The objects that are accessed only directly, at constant offsets inside, in cells that do not overlap.
fn candidates(program: &Program, proc: &Proc) -> Vec<Object> {
    let pool = &program.pool;
    let mut found: BTreeMap<VarId, Object> = BTreeMap::new();
    let mut rejected: FxHashSet<VarId> = proc.params.iter().copied().collect();
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        match &stmt.op {
            Op::Alloc { dst, size, kind: AllocKind::Stack, zeroed, .. } => match word_of(pool, *size) {
                Some(size) if program.var(*dst).scope == Scope::Local => {
                    let new = || Object { var: *dst, size, is_zeroed: *zeroed, cells: BTreeMap::new() };
                    let object = found.entry(*dst).or_insert_with(new);
                    if (object.size, object.is_zeroed) != (size, *zeroed) {
                        rejected.insert(*dst);
                    }
                }
                _ => {
                    rejected.insert(*dst);
                }
            },
            op => rejected.extend(local_written(op)),
        }
    }
    found.retain(|var, _| !rejected.contains(var));
    for stmt in proc.edges.iter().flat_map(|edge| &edge.stmts) {
        let addr = match &stmt.op {
            Op::Free { addr, kind: AllocKind::Stack } => {
                pool.as_var(*addr).filter(|var| found.contains_key(var)).map(|_| *addr)
            }
            op => direct(program, op, &found).map(|(var, offset, addr, sort)| {
                let object = found.get_mut(&var).expect("only accesses of candidates are direct");
                let fits = offset.checked_add(bytes_of(sort)).is_some_and(|end| end <= object.size);
                if !fits || *object.cells.entry(offset).or_insert(sort) != sort {
                    rejected.insert(var);
                }
                addr
            }),
        };
        // Anywhere else the address could go where it is not followed.
        let mut skipped = false;
        for_each_term(&stmt.op, &mut |term, _| {
            if addr == Some(term) && !skipped {
                skipped = true;
            } else {
                for_each_var(pool, term, &mut |var| {
                    rejected.insert(var);
                });
            }
        });
    }
    found.retain(|var, object| !rejected.contains(var) && !overlap(&object.cells));
    found.into_values().collect()
}

/// The object, offset, address and sort of a direct access that does not wait and is nothing but an access.
fn direct(program: &Program, op: &Op, found: &BTreeMap<VarId, Object>) -> Option<(VarId, u64, TermId, Scalar)> {
    let Some(Place::Mem { addr, sort, .. }) = place_of(op) else { return None };
    if matches!(op, Op::Rmw { wait: Some(_), .. }) || orders_others(program, op) {
        return None;
    }
    let pool = &program.pool;
    let (var, offset) = match pool.node(*addr) {
        Node::Var(var) => (*var, 0),
        Node::App { op: logic::Op::Add, args } => match (pool.as_var(args[0]), pool.as_var(args[1])) {
            (Some(var), None) => (var, word_of(pool, args[1])?),
            (None, Some(var)) => (var, word_of(pool, args[0])?),
            _ => return None,
        },
        _ => return None,
    };
    found.contains_key(&var).then_some((var, offset, *addr, *sort))
}

fn overlap(cells: &BTreeMap<u64, Scalar>) -> bool {
    let ends = cells.iter().map(|(offset, sort)| offset + bytes_of(*sort));
    cells.keys().skip(1).zip(ends).any(|(next, end)| *next < end)
}

impl Object {
    /// Whether on every path the object is live where it is used, and its cells are written before they are read.
    fn is_sound(&self, program: &Program, proc: &Proc) -> bool {
        let out = proc.out_edges();
        let order = reverse_post_order(proc, &out);
        // Bit 0: the object is live; bit i + 1: cell i is written. What holds on all paths; `None` where no path came yet.
        let mut holds: Vec<Option<FixedBitSet>> = vec![None; proc.locs.len()];
        holds[proc.entry.index()] = Some(FixedBitSet::with_capacity(self.cells.len() + 1));
        let mut changed = true;
        while changed {
            changed = false;
            for loc in &order {
                let Some(here) = holds[loc.index()].clone() else { continue };
                for edge in &out[loc.index()] {
                    let edge = &proc.edges[edge.index()];
                    let mut now = here.clone();
                    edge.stmts.iter().for_each(|stmt| {
                        self.run(program, &stmt.op, &mut now);
                    });
                    let there = &mut holds[edge.to.index()];
                    let met = there.as_ref().map_or_else(|| now.clone(), |there| there & &now);
                    changed |= there.as_ref() != Some(&met);
                    *there = Some(met);
                }
            }
        }
        proc.edges.iter().all(|edge| {
            holds[edge.from.index()]
                .clone()
                .is_none_or(|mut now| edge.stmts.iter().all(|stmt| self.run(program, &stmt.op, &mut now)))
        })
    }

    /// Runs a statement; false if it uses the object when it is not live, or reads a cell that is not written.
    fn run(&self, program: &Program, op: &Op, now: &mut FixedBitSet) -> bool {
        let pool = &program.pool;
        match op {
            Op::Alloc { dst, .. } if *dst == self.var => {
                now.clear();
                now.insert(0);
                if self.is_zeroed {
                    now.insert_range(..);
                }
                true
            }
            Op::Free { addr, .. } if pool.as_var(*addr) == Some(self.var) => {
                let was_live = now.contains(0);
                now.clear();
                was_live
            }
            _ => {
                let Some(bit) = self.cell(pool, op).and_then(|offset| self.cells.keys().position(|at| *at == offset))
                else {
                    return true;
                };
                let is_read = !matches!(op, Op::Store { .. });
                let is_fine = now.contains(0) && (!is_read || now.contains(bit + 1));
                now.insert(bit + 1);
                is_fine
            }
        }
    }

    /// The offset at which the statement accesses the object.
    fn cell(&self, pool: &Pool, op: &Op) -> Option<u64> {
        let Some(Place::Mem { addr, .. }) = place_of(op) else { return None };
        match pool.node(*addr) {
            Node::Var(var) if *var == self.var => Some(0),
            Node::App { op: logic::Op::Add, args } => match (pool.as_var(args[0]), pool.as_var(args[1])) {
                (Some(var), None) if var == self.var => word_of(pool, args[1]),
                (None, Some(var)) if var == self.var => word_of(pool, args[0]),
                _ => None,
            },
            _ => None,
        }
    }

    fn replace(&self, program: &mut Program, proc: &mut Proc) {
        let mut local_of: FxHashMap<u64, VarId> = FxHashMap::default();
        for (offset, sort) in &self.cells {
            let name = program.pool.var_name(self.var).to_string();
            let variable = Variable { is_temporary: true, ..program.var(self.var).clone() };
            let local = program.declare(&name, (*sort).into(), variable);
            proc.locals.push(local);
            local_of.insert(*offset, local);
        }
        for edge in &mut proc.edges {
            let stmts = std::mem::take(&mut edge.stmts);
            for stmt in stmts {
                let local = self.cell(&program.pool, &stmt.op).map(|offset| local_of[&offset]);
                self.replace_stmt(program, stmt, local, &local_of, &mut edge.stmts);
            }
        }
    }

    fn replace_stmt(
        &self,
        program: &mut Program,
        stmt: Stmt,
        local: Option<VarId>,
        local_of: &FxHashMap<u64, VarId>,
        stmts: &mut Vec<Stmt>,
    ) {
        let (span, site) = (stmt.span, stmt.site);
        let mut assign = |var: VarId, value: TermId| stmts.push(Stmt { op: Op::Assign { var, value }, span, site });
        match (&stmt.op, local) {
            (Op::Load { dst, .. }, Some(local)) => assign(*dst, program.pool.var(local)),
            (Op::Store { value, .. }, Some(local)) => assign(local, *value),
            (Op::Rmw { dst, new, .. }, Some(local)) => {
                assign(*dst, program.pool.var(local));
                assign(local, *new);
            }
            (Op::Alloc { dst, .. }, _) if *dst == self.var => {
                // The cells are written before they are read, but those of a zeroed object by this.
                for (offset, sort) in self.cells.iter().filter(|_| self.is_zeroed) {
                    let zero = program.pool.constant(Value::zero((*sort).into()));
                    assign(local_of[offset], zero);
                }
            }
            (Op::Free { addr, .. }, _) if program.pool.as_var(*addr) == Some(self.var) => {}
            _ => stmts.push(stmt),
        }
    }
}
