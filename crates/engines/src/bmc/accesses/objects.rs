//! Which objects are there, what is in them at first, and is an address inside of one?
//!
//! Objects have constant addresses: static ones those of the program, allocated ones the next granules of their thread, where different
//! ways of a thread may skip some. Ways that do not meet again, as out of the rounds of a loop, use the same granules: an address then has several objects, at most one of which is made. What nobody has written is zero, an initial value, or an element of an array of the
//! solver, so that it is the same whenever it is read.

use super::places::{PlaceKey, word};
use ir::{AllocKind, AllocSite, Fill, ObjectKind, Program, RegionId};
use logic::{Pool, Scalar, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) base: u64,
    pub(crate) size: TermId,
    /// Whether it is made.
    pub(crate) guard: TermId,
    pub(crate) fill: Fill,
    /// Its number if it is static.
    index: Option<usize>,
    /// Where it was made, and how.
    pub(crate) made: Option<(AllocSite, AllocKind)>,
    is_data: bool,
    is_read_only: bool,
}

/// All objects.
#[derive(Debug)]
pub(crate) struct Objects {
    by_base: BTreeMap<u64, Vec<Object>>,
    arrays: FxHashMap<(PlaceKey, u64), VarId>,
    bytes: FxHashMap<usize, BTreeMap<u64, u8>>,
    any_vars: FxHashMap<VarId, TermId>,
    asked_inside: Vec<AskedInside>,
    asked_starts: Vec<(TermId, TermId, AllocKind)>,
}

/// A variable that says whether bytes at an address are inside of an object, which is known once all objects are.
#[derive(Clone, Copy, Debug)]
struct AskedInside {
    valid: TermId,
    addr: TermId,
    n: u64,
    region: Option<RegionId>,
    is_write: bool,
}

impl Objects {
    pub(crate) fn new(program: &Program, pool: &mut Pool) -> Objects {
        let word = program.data_model.word_bits();
        let guard = pool.bool(true);
        let mut by_base = BTreeMap::new();
        for (index, object) in program.objects.iter().enumerate() {
            let size = pool.bv(word, object.size);
            let is_data = matches!(object.kind, ObjectKind::Data | ObjectKind::ReadOnly);
            let is_read_only = object.kind == ObjectKind::ReadOnly;
            let (base, fill) = (object.base, object.fill);
            let object = Object { base, size, guard, fill, index: Some(index), made: None, is_data, is_read_only };
            by_base.insert(base, vec![object]);
        }
        Objects {
            by_base,
            arrays: FxHashMap::default(),
            bytes: FxHashMap::default(),
            any_vars: FxHashMap::default(),
            asked_inside: Vec::new(),
            asked_starts: Vec::new(),
        }
    }

    /// Adds an allocated object, which may be there already for another way of its thread.
    pub(crate) fn make(
        &mut self,
        pool: &mut Pool,
        base: u64,
        (size, fill): (TermId, Fill),
        guard: TermId,
        made: (AllocSite, AllocKind),
    ) {
        let there = self.by_base.entry(base).or_default();
        let is_alike = |other: &&mut Object| (other.size, other.fill, other.made) == (size, fill, Some(made));
        if let Some(other) = there.iter_mut().find(is_alike) {
            other.guard = pool.or(other.guard, guard);
            return;
        }
        let made = Some(made);
        there.push(Object { base, size, guard, fill, index: None, made, is_data: true, is_read_only: false });
    }

    /// The objects that allocations have made.
    pub(crate) fn made(&self) -> impl Iterator<Item = &Object> {
        self.by_base.values().flatten().filter(|object| object.made.is_some())
    }

    /// The object that allocations have made at an address, if there is one only.
    pub(crate) fn made_at(&self, base: u64) -> Option<&Object> {
        let [object] = &self.by_base.get(&base)?[..] else { return None };
        object.made.is_some().then_some(object)
    }

    /// The objects with the greatest base up to an address.
    fn before(&self, addr: u64) -> &[Object] {
        self.by_base.range(..=addr).next_back().map_or(&[], |(_, objects)| objects)
    }

    /// Whether bytes at a constant address are inside an object; `None` if that cannot be told yet.
    pub(crate) fn contains(&self, pool: &mut Pool, addr: u64, n: u64, is_write: bool) -> Option<(bool, &Object)> {
        let [object] = self.before(addr) else { return None };
        let size = word(pool, object.size)?;
        if addr - object.base >= size.max(1) {
            return None;
        }
        let fits = u128::from(addr - object.base) + u128::from(n) <= u128::from(size);
        let yes = pool.bool(true);
        if object.guard != yes && object.made.is_none() {
            return None;
        }
        Some((fits && object.is_data && !(is_write && object.is_read_only), object))
    }

    /// A variable that will say whether bytes at an address are inside one of the objects of a region: objects that are made later, by
    /// other threads, count too.
    pub(crate) fn ask_inside(
        &mut self,
        pool: &mut Pool,
        (addr, n): (TermId, u64),
        region: Option<RegionId>,
        is_write: bool,
    ) -> TermId {
        let valid = fresh(pool);
        self.asked_inside.push(AskedInside { valid, addr, n, region, is_write });
        valid
    }

    /// A variable that will say whether an address is the start of an allocated object of this kind.
    pub(crate) fn ask_start(&mut self, pool: &mut Pool, addr: TermId, kind: AllocKind) -> TermId {
        let valid = fresh(pool);
        self.asked_starts.push((valid, addr, kind));
        valid
    }

    /// What the variables are that were asked for, now that all objects are known.
    pub(crate) fn answers(&mut self, program: &Program, pool: &mut Pool) -> Vec<TermId> {
        let mut rules = Vec::new();
        for AskedInside { valid, addr, n, region, is_write } in std::mem::take(&mut self.asked_inside) {
            let inside = self.inside(program, pool, (addr, n), region, is_write);
            rules.push(pool.eq(valid, inside));
        }
        for (valid, addr, kind) in std::mem::take(&mut self.asked_starts) {
            let starts = self.starts(program, pool, addr, kind);
            rules.push(pool.eq(valid, starts));
        }
        rules
    }

    /// Whether bytes at an address are inside one of the objects of a region.
    fn inside(
        &self,
        program: &Program,
        pool: &mut Pool,
        (addr, n): (TermId, u64),
        region: Option<RegionId>,
        is_write: bool,
    ) -> TermId {
        let width = program.data_model.word_bits();
        let mut all = Vec::new();
        for object in self.of_region(program, region) {
            if !object.is_data || (is_write && object.is_read_only) {
                continue;
            }
            let base = pool.bv(width, object.base);
            let n = pool.bv(width, n);
            let offset = pool.sub(addr, base);
            let room = pool.sub(object.size, n);
            let large = pool.ule(n, object.size);
            let inside = pool.ule(offset, room);
            all.push(pool.and_all(&[object.guard, large, inside]));
        }
        pool.or_all(&all)
    }

    /// Whether an address is the start of an allocated object of this kind.
    fn starts(&self, program: &Program, pool: &mut Pool, addr: TermId, kind: AllocKind) -> TermId {
        let width = program.data_model.word_bits();
        let mut all = Vec::new();
        for object in self.made().filter(|object| object.made.is_some_and(|(_, made)| made == kind)) {
            let base = pool.bv(width, object.base);
            let same = pool.eq(addr, base);
            all.push(pool.and(object.guard, same));
        }
        pool.or_all(&all)
    }

    fn of_region<'s>(&'s self, program: &'s Program, region: Option<RegionId>) -> impl Iterator<Item = &'s Object> {
        let region = region.map(|region| &program.regions[region.0 as usize]);
        self.by_base.values().flatten().filter(move |object| match (region, object.index, object.made) {
            (None, _, _) => true,
            (Some(region), Some(index), _) => region.objects.contains(&ir::ObjectId(index as u32)),
            (Some(region), None, Some((site, _))) => region.sites.contains(&site),
            (Some(_), None, None) => false,
        })
    }

    /// What is in a place that nobody has written.
    pub(crate) fn initial(
        &mut self,
        program: &Program,
        pool: &mut Pool,
        key: PlaceKey,
        addr: Option<TermId>,
        sort: Sort,
    ) -> TermId {
        let var = match key {
            PlaceKey::Live => return pool.bool(true),
            PlaceKey::Var(var) => match &program.var(var).init {
                Some(value) => return pool.constant(value.clone()),
                None => var,
            },
            PlaceKey::Cells(region) => {
                let addr = addr.expect("memory has addresses");
                return self.initial_cell(program, pool, region, addr, sort);
            }
        };
        *self.any_vars.entry(var).or_insert_with(|| {
            let any = pool.declare("initial", sort);
            pool.var(any)
        })
    }

    fn initial_cell(&mut self, program: &Program, pool: &mut Pool, region: u32, addr: TermId, sort: Sort) -> TermId {
        let Sort::Bv(bits) = sort else { unreachable!("memory holds words") };
        let n = u64::from(bits / 8);
        let objects: Vec<Object> = match word(pool, addr) {
            Some(addr) => self.before(addr).to_vec(),
            None => {
                let region = (region != 0).then_some(RegionId(region));
                self.of_region(program, region).filter(|object| object.is_data).cloned().collect()
            }
        };
        let width = program.data_model.word_bits();
        let mut value = pool.bv(bits, 0);
        for object in &objects {
            let own = self.initial_in(program, pool, region, object, addr, n);
            if objects.len() == 1 {
                value = own;
            } else {
                let base = pool.bv(width, object.base);
                let offset = pool.sub(addr, base);
                let mut is_there = pool.ult(offset, object.size);
                if self.by_base[&object.base].len() > 1 {
                    is_there = pool.and(object.guard, is_there);
                }
                value = pool.ite(is_there, own, value);
            }
        }
        value
    }

    fn initial_in(
        &mut self,
        program: &Program,
        pool: &mut Pool,
        region: u32,
        object: &Object,
        addr: TermId,
        n: u64,
    ) -> TermId {
        let bits = 8 * n as u32;
        let unwritten = match object.fill {
            Fill::Zero => pool.bv(bits, 0),
            Fill::Any => {
                let word = program.data_model.word_bits();
                let key = (PlaceKey::Cells(region), n);
                let array = *self
                    .arrays
                    .entry(key)
                    .or_insert_with(|| pool.declare("unwritten", Sort::Array(Scalar::Bv(word), Scalar::Bv(bits))));
                let array = pool.var(array);
                pool.select(array, addr)
            }
        };
        let Some(index) = object.index.filter(|index| !program.objects[*index].init.is_empty()) else {
            return unwritten;
        };
        let bytes = self.bytes.entry(index).or_insert_with(|| {
            let init = &program.objects[index].init;
            let each = |(offset, value): &(u64, Value)| {
                let offset = *offset;
                let bytes = ir::interp::to_bytes(value).into_iter().enumerate();
                bytes.map(move |(at, byte)| (offset + at as u64, byte)).collect::<Vec<_>>()
            };
            init.iter().flat_map(each).collect()
        });
        let width = program.data_model.word_bits();
        let cell = |pool: &mut Pool, offset: u64| {
            let mut whole: Option<TermId> = None;
            for at in 0..n {
                let byte = match bytes.get(&(offset + at)) {
                    Some(byte) => pool.bv(8, u64::from(*byte)),
                    None => {
                        let low = 8 * at as u32;
                        pool.extract(unwritten, low + 7, low)
                    }
                };
                whole = Some(whole.map_or(byte, |low| pool.concat(byte, low)));
            }
            whole.expect("a cell has bytes")
        };
        if let Some(addr) = word(pool, addr) {
            return cell(pool, addr - object.base);
        }
        // Where cells are not known to be aligned, any offset that has an initial byte may be one.
        let is_aligned = region != 0 && program.regions[region as usize].cell.is_some();
        let mut starts: Vec<u64> = match is_aligned {
            true => bytes.keys().map(|offset| offset - offset % n).collect(),
            false => bytes.keys().flat_map(|offset| offset.saturating_sub(n - 1)..=*offset).collect(),
        };
        starts.sort_unstable();
        starts.dedup();
        let mut value = unwritten;
        for offset in starts {
            let own = cell(pool, offset);
            let at = pool.bv(width, object.base + offset);
            let same = pool.eq(addr, at);
            value = pool.ite(same, own, value);
        }
        value
    }
}

fn fresh(pool: &mut Pool) -> TermId {
    let var = pool.declare("valid", Sort::Bool);
    pool.var(var)
}
