//! How are the values told apart that a variable has one after the other? Each web of a local that can hold an address becomes a variable of its own.
//!
//! Analyses that do not look at the order of statements (which objects can an address be in?) take a variable for one thing. Front ends, and copies
//! that inlining makes, use one temporary for the result of every call of `malloc`, so that all objects would seem to be one.
//!
//! Only words are split: nothing else is an address, and each variable is a part of states.

use super::super::analysis::uses::{Moment, map_defined, map_terms};
use super::super::analysis::webs::Webs;
use crate::access::local_written;
use crate::program::Program;
use crate::stmt::Op;
use logic::{Sort, VarId};
use rustc_hash::FxHashMap;

/// The program in which each local word has the values of one web.
pub fn split_webs(mut program: Program) -> Program {
    let webs = Webs::new(&program);
    let word = Sort::Bv(program.data_model.word_bits());
    let mut number = 0;
    let mut procs = std::mem::take(&mut program.procs);
    for proc in &mut procs {
        let mut names: FxHashMap<usize, VarId> = FxHashMap::default();
        let mut fresh = Vec::new();
        for stmt in proc.edges.iter_mut().flat_map(|edge| &mut edge.stmts) {
            let written = local_written(&stmt.op);
            let mut name = |program: &mut Program, var: VarId, web: usize| {
                if program.pool.var_sort(var) != word || web == var.index() || webs.is_at_entry(web) {
                    return var;
                }
                *names.entry(web).or_insert_with(|| {
                    let (text, record) = (program.pool.var_name(var).to_string(), program.var(var).clone());
                    let id = program.declare(&text, word, record);
                    fresh.push(id);
                    id
                })
            };
            let mut op = std::mem::replace(&mut stmt.op, Op::AtomicBegin);
            map_terms(&mut op, &mut |term, moment| {
                let mut vars = Vec::new();
                program.pool.for_each_free_var(term, &mut |var| vars.push(var));
                let new: Vec<(VarId, VarId)> = vars
                    .into_iter()
                    .map(|var| (var, webs.of(number, var, written, moment == Moment::AfterRead)))
                    .map(|(var, web)| (var, name(&mut program, var, web)))
                    .filter(|(var, new)| var != new)
                    .collect();
                let terms: Vec<(VarId, logic::TermId)> =
                    new.into_iter().map(|(var, new)| (var, program.pool.var(new))).collect();
                program.pool.substitute(term, &|var| terms.iter().find(|(old, _)| *old == var).map(|(_, new)| *new))
            });
            if let Some(var) = written {
                let new = name(&mut program, var, webs.written(number, var));
                map_defined(&mut op, &|_| new);
            }
            stmt.op = op;
            number += 1;
        }
        proc.locals.extend(fresh);
    }
    program.procs = procs;
    program
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::memory::RegionId;
    use crate::pass::{AbstractObject, PointsTo};
    use crate::stmt::{AllocKind, Order, Place};
    use logic::Scalar;

    #[test]
    fn a_temporary_that_holds_two_objects_is_two() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        builder.body(main, |body| {
            let temporary = body.pointer("t");
            let (p, q) = (body.pointer("p"), body.pointer("q"));
            for kept in [p, q] {
                let size = body.word(8);
                body.then(Op::Alloc { dst: temporary, size, kind: AllocKind::Heap, zeroed: false, copy: 0 });
                let value = body.var(temporary);
                body.then(Op::Assign { var: kept, value });
            }
            for kept in [p, q] {
                let (addr, value) = (body.var(kept), body.int(1));
                let place = Place::Mem { addr, sort: Scalar::Bv(32), region: RegionId::ANYWHERE };
                body.then(Op::Store { place, value, order: Order::Plain });
            }
            body.then(Op::Return(None));
        });
        let count = |program: &Program| {
            let points_to = PointsTo::new(program);
            let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
            let of = |stmt: &crate::stmt::Stmt| match &stmt.op {
                Op::Store { place: Place::Mem { addr, .. }, .. } => points_to.of(*addr),
                _ => None,
            };
            let made = |target: &usize| matches!(points_to.targets[*target], AbstractObject::Made(_));
            stmts.filter_map(of).map(|set| set.iter().filter(|target| made(target)).count()).collect::<Vec<_>>()
        };
        let program = builder.finish(main);
        assert_eq!(count(&program), [2, 2]);
        assert_eq!(count(&split_webs(program)), [1, 1]);
    }
}
