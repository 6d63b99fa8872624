//! Which bytes of static objects are always accessed as the same whole values? They become global variables.
//!
//! A cell is the bytes of one access. If every access that can touch an object has a constant address inside it, the cells are known;
//! those that overlap no other cell in part, and are always read and written as the same sort, become a variable each: fields
//! of structures and elements of arrays with constant index alike. Engines then see plain variables, and constants of
//! never-written cells are found. The object stays: its address may still be compared or passed around, and constant
//! accesses outside of it stay accesses of memory, so that they are found to be wrong.
//!
//! Where it matters at the end which blocks are still named, the bytes of a pointer may lie in several cells, which stay together: cells smaller than a word stay in objects that can hold one.
//!
//! Invariant: a cell is turned into a variable in all its accesses or in none.

use super::regions::{place_of, place_of_mut};
use crate::access::bytes_of;
use crate::memory::{ObjectId, ObjectKind};
use crate::pass::analysis::initial::{Initial, initial_value, static_cell, word_of};
use crate::pass::analysis::points_to::{AbstractObject, PointsTo};
use crate::program::{Program, Scope, Variable};
use crate::property::{Properties, Property};
use crate::stmt::{Op, Place};
use fixedbitset::FixedBitSet;
use logic::{Scalar, Value, VarId};
use std::collections::BTreeMap;

/// The program with cells of static objects turned into global variables.
pub fn scalarize(mut program: Program, properties: Properties) -> Program {
    let word = u64::from(program.data_model.word_bits() / 8);
    let known = known_objects(&program);
    let mut cells: BTreeMap<(ObjectId, u64), Cell> = BTreeMap::new();
    for op in statements(&program) {
        if let Some(Place::Mem { addr, sort, .. }) = place_of(op)
            && let Some((object, offset)) = static_cell(&program, *addr, *sort)
            && known.contains(object.0 as usize)
        {
            let is_written = !matches!(op, Op::Load { .. });
            let cell = cells.entry((object, offset)).or_insert(Cell { sort: *sort, is_whole: true, is_written });
            cell.is_whole &= cell.sort == *sort;
            cell.is_written |= is_written;
            if bytes_of(*sort) > bytes_of(cell.sort) {
                cell.sort = *sort;
            }
        }
    }
    mark_overlaps(&mut cells);
    let mut var_of: BTreeMap<(ObjectId, u64), VarId> = BTreeMap::new();
    for ((id, offset), cell) in &cells {
        let object = program.object(*id);
        let init = match initial_value(object, *offset, cell.sort) {
            Initial::Value(value) => Some(value),
            Initial::Any => None,
            Initial::Mixed => continue,
        };
        // A write to what may not be written is wrong, and must stay so.
        let may_name = properties.has(Property::MemTrack) && bytes_of(cell.sort) < word && object.size >= word;
        if !cell.is_whole || may_name || (object.kind == ObjectKind::ReadOnly && cell.is_written) {
            continue;
        }
        var_of.insert((*id, *offset), declare(&mut program, *id, *offset, cell.sort, init));
    }
    let mut procs = std::mem::take(&mut program.procs);
    for stmt in procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        if let Some(place) = place_of_mut(&mut stmt.op)
            && let Place::Mem { addr, sort, .. } = *place
            && let Some(cell) = static_cell(&program, addr, sort)
            && let Some(var) = var_of.get(&cell)
        {
            *place = Place::Var(*var);
        }
    }
    program.procs = procs;
    program
}

struct Cell {
    sort: Scalar,
    is_whole: bool,
    is_written: bool,
}

fn statements(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}

/// The static objects that are only accessed at constant addresses.
fn known_objects(program: &Program) -> FixedBitSet {
    let mut known = FixedBitSet::with_capacity(program.objects.len());
    known.insert_range(..);
    let points_to = PointsTo::new(program);
    for op in statements(program) {
        let addr = match op {
            Op::Free { addr, .. } => addr,
            _ => match place_of(op) {
                Some(Place::Mem { addr, .. }) if word_of(&program.pool, *addr).is_none() => addr,
                _ => continue,
            },
        };
        match points_to.of(*addr) {
            None => known.clear(),
            Some(targets) => {
                for target in targets {
                    if let AbstractObject::Static(object) = points_to.targets[target] {
                        known.set(object.0 as usize, false);
                    }
                }
            }
        }
    }
    known
}

/// Marks cells that share bytes with another cell.
fn mark_overlaps(cells: &mut BTreeMap<(ObjectId, u64), Cell>) {
    let keys: Vec<(ObjectId, u64)> = cells.keys().copied().collect();
    let mut reach: Option<((ObjectId, u64), u64)> = None;
    for key in keys {
        let end = key.1 + bytes_of(cells[&key].sort);
        if let Some((widest, reach_end)) = reach
            && widest.0 == key.0
            && key.1 < reach_end
        {
            for overlapping in [widest, key] {
                cells.get_mut(&overlapping).expect("the key is from the map").is_whole = false;
            }
            if end > reach_end {
                reach = Some((key, end));
            }
            continue;
        }
        reach = Some((key, end));
    }
}

fn declare(program: &mut Program, id: ObjectId, offset: u64, sort: Scalar, init: Option<Value>) -> VarId {
    let object = program.object(id);
    let (path, format) = object.shape.path(offset);
    let name = format!("{}{path}", object.name);
    let variable = Variable {
        scope: Scope::Global,
        init,
        format: format.unwrap_or_default(),
        span: object.span,
        is_temporary: false,
    };
    program.declare(&name, sort.into(), variable)
}
