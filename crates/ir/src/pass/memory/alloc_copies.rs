//! Do two copies of an allocation make the same objects? No: each copy that inlining and unrolling made gets a number of its own.
//!
//! Known as: context-sensitive heap abstraction.
//!
//! A program that calls `malloc` through a function of its own has one `Alloc` for all its objects. If analyses went by that statement, every pointer would seem to point to the objects
//! of every caller; and none would be made only once. After inlining there is a copy for each chain of calls, and each can be followed by itself.
//!
//! What is numbered is left as it is where there are very many: analyses compare sets of these numbers.

use crate::program::Program;
use crate::stmt::{Op, SiteId};
use rustc_hash::FxHashMap;

/// With more allocations than this all copies of one are taken for one.
const MAX_ALLOCS: usize = 2000;

/// The program with its allocations numbered. Copies made by later passes keep their number, so this comes right after passes that copy code.
pub fn number_allocations(mut program: Program) -> Program {
    let allocs = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    if allocs().filter(|stmt| stmt.alloc_site().is_some()).count() > MAX_ALLOCS {
        return program;
    }
    let mut n_copies: FxHashMap<SiteId, u32> = FxHashMap::default();
    for stmt in program.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        if let Op::Alloc { copy, .. } = &mut stmt.op {
            let next = n_copies.entry(stmt.site).or_default();
            *copy = *next;
            *next += 1;
        }
    }
    program
}
