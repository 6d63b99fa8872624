//! What can be touched? Each global, each separately used part of a static object, and the dynamic objects of each region.
//!
//! Parts of a static object are the byte ranges that accesses with constant addresses touch, joined where they overlap, and the gaps
//! between them; an access with a computed address touches all objects of its region. Two more things can be touched: which
//! threads there are (handles are given out in order), and the end of the process.
//!
//! Invariant: if two accesses have no target in common they touch different bytes.

use fixedbitset::FixedBitSet;
use ir::access::{Access, Target, edge_accesses};
use ir::{EdgeId, EdgeRef, ObjectKind, ProcId, Program, RegionId};
use logic::{TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// Names a target.
pub type TargetId = u32;

/// All targets of a program.
#[derive(Clone, Debug)]
pub struct Targets {
    n: u32,
    vars: FxHashMap<VarId, TargetId>,
    /// For each static object its parts: first byte, one past the last, target.
    parts: Vec<Vec<(u64, u64, TargetId)>>,
    /// The dynamic objects of each region.
    dynamic: Vec<TargetId>,
    /// All that an access of each region may touch.
    regions: Vec<FixedBitSet>,
    /// All dynamic objects.
    all_dynamic: FixedBitSet,
}

/// Which threads there are.
pub const THREADS: TargetId = 0;
/// Whether the process has ended, and what it leaves behind.
pub const PROCESS: TargetId = 1;

impl Targets {
    /// The targets of a program.
    pub fn new(program: &Program) -> Targets {
        let mut ranges: Vec<Vec<(u64, u64)>> = vec![Vec::new(); program.objects.len()];
        let mut vars = FxHashMap::default();
        let mut n = 2;
        for (proc_index, proc) in program.procs.iter().enumerate() {
            for edge_index in 0..proc.edges.len() {
                let edge = EdgeRef { proc: ProcId(proc_index as u32), edge: EdgeId(edge_index as u32) };
                for access in edge_accesses(program, edge) {
                    match access.target {
                        Target::Var(var) => {
                            vars.entry(var).or_insert_with(|| {
                                n += 1;
                                n - 1
                            });
                        }
                        Target::Mem { addr, bytes, .. } => {
                            if let Some((object, offset)) = constant_place(program, addr) {
                                ranges[object].push((offset, offset + bytes));
                            }
                        }
                        _ => {}
                    }
                }
            }
        }
        let parts: Vec<Vec<(u64, u64, TargetId)>> = ranges
            .into_iter()
            .zip(&program.objects)
            .map(|(ranges, object)| {
                let parts = parts(ranges, object.size);
                n += parts.len() as u32;
                let first = n - parts.len() as u32;
                parts.into_iter().zip(first..).map(|((start, end), target)| (start, end, target)).collect()
            })
            .collect();
        let dynamic: Vec<TargetId> = (0..program.regions.len() as u32).map(|region| n + region).collect();
        n += dynamic.len() as u32;
        let all_dynamic = dynamic.iter().map(|target| *target as usize).collect();
        let mut targets = Targets { n, vars, parts, dynamic, regions: Vec::new(), all_dynamic };
        targets.regions = (0..program.regions.len()).map(|region| targets.of_region(program, region)).collect();
        targets
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.n as usize
    }

    /// Whether there are none, which is never so.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The target of a global, if it is accessed at all.
    pub fn of_var(&self, var: VarId) -> Option<TargetId> {
        self.vars.get(&var).copied()
    }

    /// The targets of bytes of a static object.
    pub fn of_bytes(&self, object: usize, offset: u64, bytes: u64) -> impl Iterator<Item = TargetId> {
        let overlaps = move |part: &&(u64, u64, TargetId)| part.0 < offset + bytes && offset < part.1;
        self.parts[object].iter().filter(overlaps).map(|part| part.2)
    }

    /// The target of the dynamic objects of a region.
    pub fn of_dynamic(&self, region: RegionId) -> TargetId {
        self.dynamic[region.0 as usize]
    }

    /// Adds what an access may touch.
    pub fn add(&self, program: &Program, access: &Access, to: &mut FixedBitSet) {
        match access.target {
            Target::Var(var) => to.insert(self.vars[&var] as usize),
            Target::Mem { addr, bytes, region } => match constant_place(program, addr) {
                Some((object, offset)) => {
                    self.of_bytes(object, offset, bytes).for_each(|target| to.insert(target as usize));
                }
                None => to.union_with(&self.regions[region.0 as usize]),
            },
            Target::Object { .. } => to.union_with(&self.all_dynamic),
            Target::AllThreads => to.insert(THREADS as usize),
            Target::Process => to.insert(PROCESS as usize),
            Target::Thread(_) | Target::OwnThread => {}
        }
    }

    fn of_region(&self, program: &Program, region: usize) -> FixedBitSet {
        let is_anywhere = region == RegionId::ANYWHERE.0 as usize;
        let mut set = FixedBitSet::with_capacity(self.len());
        for (index, parts) in self.parts.iter().enumerate() {
            let is_in = |region: &ir::Region| region.objects.iter().any(|object| object.0 as usize == index);
            let is_nowhere = !program.regions.iter().any(is_in);
            if is_anywhere || is_nowhere || is_in(&program.regions[region]) {
                set.extend(parts.iter().map(|part| part.2 as usize));
            }
        }
        if is_anywhere {
            set.union_with(&self.all_dynamic);
        }
        // Objects whose allocation is in no region can be touched by any access.
        set.extend([self.dynamic[0] as usize, self.dynamic[region] as usize]);
        set
    }
}

/// The static object and offset that a constant address names.
fn constant_place(program: &Program, addr: TermId) -> Option<(usize, u64)> {
    let Some(Value::Bv(addr)) = program.pool.as_const(addr) else { return None };
    let addr = addr.to_u64()?;
    program.objects.iter().enumerate().find_map(|(index, object)| {
        let is_data = matches!(object.kind, ObjectKind::Data | ObjectKind::ReadOnly);
        let is_inside = is_data && addr >= object.base && addr - object.base < object.size;
        is_inside.then(|| (index, addr - object.base))
    })
}

/// Cuts an object into ranges that overlap none of the others and together are the object.
fn parts(mut ranges: Vec<(u64, u64)>, size: u64) -> Vec<(u64, u64)> {
    ranges.sort_unstable();
    let mut parts: Vec<(u64, u64)> = Vec::new();
    let mut end = 0;
    for (start, stop) in ranges {
        let (start, stop) = (start.min(size), stop.min(size));
        match parts.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(stop),
            _ => {
                if end < start {
                    parts.push((end, start));
                }
                parts.push((start, stop));
            }
        }
        end = end.max(stop);
    }
    if end < size {
        parts.push((end, size));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_an_object_without_overlap() {
        type Ranges = &'static [(u64, u64)];
        let rows: [(Ranges, Ranges); 5] = [
            (&[], &[(0, 10)]),
            (&[(0, 4), (4, 8)], &[(0, 4), (4, 8), (8, 10)]),
            (&[(4, 8), (6, 10)], &[(0, 4), (4, 10)]),
            (&[(2, 9), (3, 4), (3, 4)], &[(0, 2), (2, 9), (9, 10)]),
            (&[(8, 12)], &[(0, 8), (8, 10)]),
        ];
        for (ranges, expected) in rows {
            assert_eq!(parts(ranges.to_vec(), 10), expected, "{ranges:?}");
        }
    }
}
