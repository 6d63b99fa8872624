//! Which accesses can meet, and in pieces of which size?
//!
//! A global variable is a place with one cell. Memory falls into the regions that the passes found; where an access may be anywhere, all
//! memory is one. A region in which no two accesses overlap in part is a place whose cells are known by their first address;
//! any other is a place of bytes. Where that cannot be told, but all accesses are at constant offsets from something, these are taken for offsets from
//! the starts of objects, and every access is checked to be at its offset. Whether objects are live is a place of its own, by base address.

use ir::access::bytes_of;
use ir::pass::{AbstractObject, PointsTo, Sharing};
use ir::{AllocSite, Op, Place, Program, RegionId};
use logic::{Node, Op as TermOp, Pool, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum PlaceKey {
    /// A variable.
    Var(VarId),
    /// Cells of a region.
    Cells(u32),
    /// Whether an object is live.
    Live,
}

/// Some cells: a place and a constant address; without one a variable, or all cells of the place.
pub(crate) type Cell = (PlaceKey, Option<u64>);

/// The cells that an access may touch.
pub(crate) fn cell(pool: &Pool, key: PlaceKey, addr: Option<TermId>) -> Cell {
    (key, addr.and_then(|addr| word(pool, addr)))
}

/// The number that a word is, if it is constant.
pub(crate) fn word(pool: &Pool, term: TermId) -> Option<u64> {
    match pool.as_const(term) {
        Some(Value::Bv(bits)) => bits.to_u64(),
        _ => None,
    }
}

/// Who ends objects of a region.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Ends {
    /// Nobody.
    Never,
    /// The thread that has them to itself.
    Private,
    /// A thread, while others may use them.
    Shared,
}

/// The places of a program.
#[derive(Debug)]
pub(crate) struct Places {
    keys: Vec<PlaceKey>,
    numbers: FxHashMap<PlaceKey, u32>,
    is_one: bool,
    in_bytes: Vec<bool>,
    /// Regions whose accesses have to be checked to be where they are expected.
    is_assumed: Vec<bool>,
    ends: Vec<Ends>,
    frees: FxHashSet<TermId>,
    /// Addresses of `Free`s that may end an object larger than a granule.
    large: FxHashSet<TermId>,
}

impl Places {
    /// With `by_cells`, accesses are expected to be at their offsets.
    pub(crate) fn new(program: &Program, sharing: &Sharing, points_to: &PointsTo, by_cells: bool) -> Places {
        let n = program.regions.len();
        let mut is_one = false;
        let stmts = || {
            let procs = program.procs.iter().enumerate();
            procs.flat_map(|(index, proc)| {
                proc.edges.iter().flat_map(move |edge| {
                    let visible = sharing.of_edge(ir::ProcId(index as u32), edge);
                    edge.stmts.iter().zip(visible)
                })
            })
        };
        for (stmt, _) in stmts() {
            if let Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } = &stmt.op
                && let Place::Mem { region: RegionId::ANYWHERE, .. } = place
            {
                is_one = true;
            }
        }
        // Who ends the objects of each site, and who any objects whatever.
        let mut by_site: FxHashMap<AllocSite, Ends> = FxHashMap::default();
        let mut anywhere = Ends::Never;
        let sites_of = |addr| -> Option<Vec<AllocSite>> {
            points_to.of(addr).map(|targets| {
                let made = targets.iter().filter_map(|target| match points_to.targets[*target] {
                    AbstractObject::Made(site) => Some(site),
                    AbstractObject::Static(_) => None,
                });
                made.collect()
            })
        };
        for (stmt, visible) in stmts() {
            let Op::Free { addr, .. } = stmt.op else { continue };
            let how = if visible == ir::pass::Visibility::Invisible { Ends::Private } else { Ends::Shared };
            match sites_of(addr) {
                Some(sites) => sites.into_iter().for_each(|site| {
                    let known = by_site.entry(site).or_insert(how);
                    *known = (*known).max(how);
                }),
                None => anywhere = anywhere.max(how),
            }
        }
        let of_site = |site: &AllocSite| by_site.get(site).copied().unwrap_or(Ends::Never).max(anywhere);
        let most = by_site.values().copied().max().unwrap_or(Ends::Never).max(anywhere);
        let ends: Vec<Ends> = program
            .regions
            .iter()
            .map(|region| match is_one {
                true => most,
                false => region.sites.iter().map(of_site).max().unwrap_or(Ends::Never),
            })
            .collect();
        let bits = program.data_model.granule_bits();
        let large_sites: FxHashSet<AllocSite> = stmts()
            .filter(|(stmt, _)| match stmt.op {
                Op::Alloc { size, .. } => word(&program.pool, size).is_some_and(|size| size >> bits > 0),
                _ => false,
            })
            .filter_map(|(stmt, _)| stmt.alloc_site())
            .collect();
        let large = stmts()
            .filter_map(|(stmt, _)| match stmt.op {
                Op::Free { addr, .. } => Some(addr),
                _ => None,
            })
            .filter(|addr| match sites_of(*addr) {
                Some(sites) => sites.iter().any(|site| large_sites.contains(site)),
                None => !large_sites.is_empty(),
            })
            .collect();
        // A second end must see the first, even of an object that nobody accesses.
        let frees = stmts()
            .filter_map(|(stmt, _)| match stmt.op {
                Op::Free { addr, .. } => Some(addr),
                _ => None,
            })
            .filter(|addr| match sites_of(*addr) {
                Some(sites) if !is_one => sites.iter().map(of_site).any(|end| end == Ends::Shared),
                _ => most == Ends::Shared,
            })
            .collect();
        let mut in_bytes: Vec<bool> =
            program.regions.iter().map(|region| !region.is_exact && region.cell.is_none()).collect();
        let mut is_assumed = vec![false; n];
        if by_cells && !is_one {
            for region in 1..n {
                is_assumed[region] = in_bytes[region] && are_apart(program, RegionId(region as u32));
                in_bytes[region] &= !is_assumed[region];
            }
        }
        Places { keys: Vec::new(), numbers: FxHashMap::default(), is_one, in_bytes, is_assumed, ends, frees, large }
    }

    /// The key of cells of a region.
    pub(crate) fn cells(&self, region: RegionId) -> PlaceKey {
        PlaceKey::Cells(if self.is_one { 0 } else { region.0 })
    }

    /// Whether a region is accessed byte by byte.
    pub(crate) fn in_bytes(&self, region: RegionId) -> bool {
        self.is_one || self.in_bytes[region.0 as usize]
    }

    /// The offset at which an access is expected, if it has to be checked.
    pub(crate) fn expected(&self, program: &Program, region: RegionId, addr: TermId) -> Option<u64> {
        self.is_assumed[region.0 as usize].then(|| offset(program, addr)).flatten()
    }

    /// Who ends objects of a region.
    pub(crate) fn ends(&self, region: RegionId) -> Ends {
        self.ends[region.0 as usize]
    }

    /// Whether the end of the object at this address is an event for other threads.
    pub(crate) fn frees_shared(&self, addr: TermId) -> bool {
        self.frees.contains(&addr)
    }

    /// Whether the object at this address may be larger than a granule.
    pub(crate) fn frees_large(&self, addr: TermId) -> bool {
        self.large.contains(&addr)
    }

    /// Whether all memory is one place.
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    /// The places that were accessed, by number.
    pub(crate) fn keys(&self) -> &[PlaceKey] {
        &self.keys
    }

    /// The number of a place.
    pub(crate) fn number(&mut self, key: PlaceKey) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        })
    }
}

/// The offset of an address, if it is a variable and a constant: that from the start of an object, if the variable is one.
fn offset(program: &Program, addr: TermId) -> Option<u64> {
    let pool = &program.pool;
    let low = (1u64 << program.data_model.granule_bits()) - 1;
    if let Some(addr) = word(pool, addr) {
        return Some(addr & low);
    }
    match pool.node(addr) {
        Node::Var(_) => Some(0),
        Node::App { op: TermOp::Add, args } => match args[..] {
            [a, b] if pool.as_var(a).is_some() => word(pool, b).map(|offset| offset & low),
            [a, b] if pool.as_var(b).is_some() => word(pool, a).map(|offset| offset & low),
            _ => None,
        },
        _ => None,
    }
}

/// Whether all accesses to a region are at offsets at which they do not overlap in part.
fn are_apart(program: &Program, region: RegionId) -> bool {
    let mut cells: Vec<(u64, u64)> = Vec::new();
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = &stmt.op else { continue };
        let Place::Mem { addr, sort, region: other } = *place else { continue };
        if other != region {
            continue;
        }
        let Some(start) = offset(program, addr) else { return false };
        cells.push((start, bytes_of(sort)));
    }
    cells.sort_unstable();
    cells.dedup();
    let fits = |(start, bytes): &(u64, u64)| start + bytes <= 1 << program.data_model.granule_bits();
    cells.iter().all(fits) && cells.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0)
}
