//! Into which separate memories does memory fall?
//!
//! Objects that some access can touch both are put together; what is left apart is a `Region` each. So every access names the region of
//! the objects its address can be in, and two accesses of different regions never meet. An access that can be anywhere
//! keeps region 0; one that can be in no object at all (null, a number made into a pointer) gets an empty region, where every
//! access is invalid. Where the low bits of all addresses tell that accesses fall into cells, the region says so.
//!
//! Invariant: see `Region` and `points_to`.

use crate::access::bytes_of;
use crate::memory::{Region, RegionId};
use crate::pass::analysis::congruence::{Residue, Residues};
use crate::pass::analysis::points_to::{AbstractObject, PointsTo, is_data};
use crate::pass::analysis::union_find::UnionFind;
use crate::program::Program;
use crate::stmt::{Op, Place};
use logic::{Scalar, TermId};
use rustc_hash::FxHashMap;

/// The program with its memory split into regions, found anew.
pub fn split_regions(mut program: Program) -> Program {
    let points_to = PointsTo::new(&program);
    let mut classes = UnionFind::new(points_to.targets.len());
    let mut accesses: Vec<(TermId, Scalar)> = Vec::new();
    for op in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op) {
        if let Some(Place::Mem { addr, sort, .. }) = place_of(op) {
            accesses.push((*addr, *sort));
        }
    }
    let objects_of = |addr: TermId| points_to.of(addr).map(|targets| only_data(&program, &points_to, targets));
    for (addr, _) in &accesses {
        if let Some(targets) = objects_of(*addr) {
            targets.windows(2).for_each(|pair| classes.unite(pair[0], pair[1]));
        }
    }
    let mut regions = vec![Region::anywhere()];
    let mut region_of: FxHashMap<Option<usize>, RegionId> = FxHashMap::default();
    let mut region_at: FxHashMap<TermId, RegionId> = FxHashMap::default();
    for (addr, _) in &accesses {
        let region = match objects_of(*addr) {
            None => RegionId::ANYWHERE,
            Some(targets) => {
                let class = targets.first().map(|target| classes.find(*target));
                *region_of.entry(class).or_insert_with(|| {
                    regions.push(Region::default());
                    RegionId(regions.len() as u32 - 1)
                })
            }
        };
        region_at.insert(*addr, region);
    }
    for (index, target) in points_to.targets.iter().enumerate() {
        if let Some(region) = region_of.get(&Some(classes.find(index))) {
            let region = &mut regions[region.0 as usize];
            match target {
                AbstractObject::Static(object) if is_data(program.object(*object).kind) => region.objects.push(*object),
                AbstractObject::Static(_) => {}
                AbstractObject::Made(site) => region.sites.push(*site),
            }
        }
    }
    program.regions = regions;
    find_cells(&mut program, &points_to, &accesses, &region_at);
    for stmt in program.procs.iter_mut().flat_map(|proc| &mut proc.edges).flat_map(|edge| &mut edge.stmts) {
        if let Some(Place::Mem { addr, region, .. }) = place_of_mut(&mut stmt.op) {
            *region = region_at[addr];
        }
    }
    program
}

/// The place that a statement accesses.
pub(in crate::pass) fn place_of(op: &Op) -> Option<&Place> {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => Some(place),
        _ => None,
    }
}

/// The place that a statement accesses, to be changed.
pub(in crate::pass) fn place_of_mut(op: &mut Op) -> Option<&mut Place> {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => Some(place),
        _ => None,
    }
}

/// Functions have no bytes: an address of one is no place to read or write.
fn only_data(program: &Program, points_to: &PointsTo, mut targets: Vec<usize>) -> Vec<usize> {
    targets.retain(|target| match points_to.targets[*target] {
        AbstractObject::Static(object) => is_data(program.object(object).kind),
        AbstractObject::Made(_) => true,
    });
    targets
}

/// Sets `cell` and `is_exact` of each region from the low bits of the addresses of its accesses.
fn find_cells(
    program: &mut Program,
    points_to: &PointsTo,
    accesses: &[(TermId, Scalar)],
    region_at: &FxHashMap<TermId, RegionId>,
) {
    if region_at.values().any(|region| *region == RegionId::ANYWHERE) {
        return;
    }
    let shapes_if = |may_mix: bool| {
        let residues = Residues::new(program, points_to, may_mix);
        let mut shapes: Vec<Vec<Access>> = vec![Vec::new(); program.regions.len()];
        for (addr, sort) in accesses {
            let shape = (residues.of(&program.pool, *addr).unwrap_or(Residue { bits: 0, rest: 0 }), bytes_of(*sort));
            let known = &mut shapes[region_at[addr].0 as usize];
            if !known.contains(&shape) {
                known.push(shape);
            }
        }
        shapes
    };
    // If nothing overlaps in part as long as nothing has done so, nothing does.
    let mut shapes = shapes_if(false);
    if !shapes.iter().all(|shapes| is_exact(shapes)) {
        shapes = shapes_if(true);
    }
    for (region, shapes) in program.regions.iter_mut().zip(shapes).skip(1) {
        let size = shapes.first().map(|(_, size)| *size);
        let is_aligned = |(residue, bytes): &Access| {
            Some(*bytes) == size
                && bytes.is_power_of_two()
                && residue.bits >= bytes.trailing_zeros()
                && residue.rest % bytes == 0
        };
        region.cell = size.filter(|_| shapes.iter().all(is_aligned));
        region.is_exact = is_exact(&shapes);
    }
}

/// What is known of the address of an access, and its bytes.
type Access = (Residue, u64);

fn is_exact(shapes: &[Access]) -> bool {
    shapes.iter().enumerate().all(|(index, a)| shapes[index..].iter().all(|b| never_overlap_in_part(*a, *b)))
}

/// Whether two accesses touch either the same bytes or none in common.
fn never_overlap_in_part((a, m): Access, (b, n): Access) -> bool {
    let bits = a.bits.min(b.bits).min(62);
    let period = 1u64 << bits;
    let distance = b.rest.wrapping_sub(a.rest) & (period - 1);
    if distance == 0 { m == n && period >= m } else { distance >= m && period - distance >= n }
}
