//! What does an access to memory do, as terms? Validity, reading, writing, making and ending objects.
//!
//! An access must lie inside one live object that its region allows; that is a condition on its address. A resolved address names cells, which are read
//! and written like variables: whole ones where all accesses of the region agree, bytes elsewhere.

use super::super::control::{Change, Object, is_counted};
use super::{BadKind, Exec, Spot};
use ir::access::bytes_of;
use ir::{AllocKind, ObjectKind, Property, RegionId, SiteId, Span, Stmt};
use logic::{Scalar, Sort, TermId, Value, VarId};

impl Exec<'_, '_, '_> {
    /// The first and the size of each live object that an access may be in. An address that nobody has written may be that of an object which no access of the region leads to: following it is invalid.
    fn ranges(&self, is_write: bool, region: RegionId) -> Vec<(u64, u64)> {
        let program = self.cells.program;
        let may_be = |other: RegionId| region == RegionId::ANYWHERE || other == RegionId::ANYWHERE || other == region;
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (index, object) in program.objects.iter().enumerate() {
            let is_data = match object.kind {
                ObjectKind::Data => true,
                ObjectKind::ReadOnly => !is_write,
                ObjectKind::Function(_) | ObjectKind::Extern => false,
            };
            let id = ir::ObjectId(index as u32);
            let in_region = region == RegionId::ANYWHERE || program.regions[region.0 as usize].objects.contains(&id);
            if is_data && in_region {
                ranges.push((object.base, object.size));
            }
        }
        ranges.extend(
            self.objects.iter().filter(|object| may_be(object.region)).map(|object| (object.base, object.size)),
        );
        ranges
    }

    /// That bytes at an address lie inside one live object.
    pub(super) fn valid(&mut self, addr: TermId, len: u64, is_write: bool, region: RegionId) -> TermId {
        let word = self.cells.word();
        let ranges = self.ranges(is_write, region);
        let mut cases = Vec::new();
        for (base, size) in ranges.into_iter().filter(|(_, size)| *size >= len) {
            let first = self.cells.pool.bv(word, base);
            let last = self.cells.pool.bv(word, base + size - len);
            let (above, below) = (self.cells.pool.ule(first, addr), self.cells.pool.ule(addr, last));
            cases.push(self.cells.pool.and(above, below));
        }
        self.cells.pool.or_all(&cases)
    }

    /// The addresses that an access may have, where cases are told apart and they are few; `None` if the access cannot be made. Accesses of whole cells
    /// are aligned as a rule; that this one is has to be ruled in.
    pub(super) fn by_cases(
        &mut self,
        addr: TermId,
        len: u64,
        is_write: bool,
        region: RegionId,
        stmt: &Stmt,
    ) -> Option<Option<Spot>> {
        let Some(most) = self.cases else { return Some(None) };
        if self.cells.pool.as_const(addr).is_some() || !self.cells.is_exact(region) {
            return Some(None);
        }
        let mut found: Vec<u64> = Vec::new();
        // What is in no region is accessed by nobody; that this access is not has to be ruled in, too.
        for (base, size) in self.ranges(is_write, region) {
            let is_static = |object: &ir::Object| object.base == base;
            let is_named = |id: &ir::ObjectId| self.cells.program.object(*id).base == base;
            let objects = &self.cells.program.regions[region.0 as usize].objects;
            if self.cells.program.objects.iter().any(is_static) && !objects.iter().any(is_named) {
                continue;
            }
            if size / len > most as u64 {
                return Some(None);
            }
            let aligned = (base..base + size).filter(|at| at % len == 0 && at + len <= base + size);
            found.extend(aligned);
        }
        if found.is_empty() || found.len() > most {
            return Some(None);
        }
        let word = self.cells.word();
        let mut is_one = Vec::new();
        for value in &found {
            let value = self.cells.pool.bv(word, *value);
            is_one.push(self.cells.pool.eq(addr, value));
        }
        let is_one = self.cells.pool.or_all(&is_one);
        self.require(is_one, BadKind::Unresolved(addr, stmt.span, "an address"))?;
        Some(Some(Spot::Among(addr, found, region)))
    }

    /// That an address is this one.
    fn is_at(&mut self, addr: TermId, value: u64) -> TermId {
        let word = self.cells.word();
        let value = self.cells.pool.bv(word, value);
        self.cells.pool.eq(addr, value)
    }

    pub(super) fn load(&mut self, spot: &Spot, sort: Scalar, site: SiteId) -> TermId {
        let (vars, value) = match *spot {
            Spot::Var(var) => (vec![var], self.read(var)),
            Spot::Bytes(addr, region) => {
                let len = bytes_of(sort);
                let vars: Vec<VarId> = if self.cells.is_exact(region) {
                    vec![self.cells.memory_var(addr, len, region)]
                } else {
                    (addr..addr + len).map(|addr| self.cells.memory_var(addr, 1, region)).collect()
                };
                vars.iter().for_each(|var| self.settle(addr, *var));
                let mut bits = self.read(vars[0]);
                for var in &vars[1..] {
                    let byte = self.read(*var);
                    bits = self.cells.pool.concat(byte, bits);
                }
                let value = self.value_of_bits(sort, bits);
                (vars, value)
            }
            Spot::Among(which, ref all, region) => {
                let len = bytes_of(sort);
                let mut vars = Vec::new();
                let mut bits = None;
                for addr in all {
                    let var = self.cells.memory_var(*addr, len, region);
                    self.settle(*addr, var);
                    let own = self.read(var);
                    let is_here = self.is_at(which, *addr);
                    bits = Some(bits.map_or(own, |others| self.cells.pool.ite(is_here, own, others)));
                    vars.push(var);
                }
                let value = self.value_of_bits(sort, bits.expect("there is a case"));
                (vars, value)
            }
            Spot::Unknown(_) => return self.input(site, sort.into()),
        };
        self.result.reads.push((site, vars, value));
        value
    }

    /// A cell of an object that this step has made is zero if the object was zeroed.
    fn settle(&mut self, addr: u64, var: VarId) {
        let made = |change: &Change| match change {
            Change::Make(object, _) => object.is_zeroed && addr >= object.base && addr - object.base < object.size,
            _ => false,
        };
        if !self.env.contains_key(&var) && self.result.changes.iter().any(made) {
            let zero = Value::zero(self.cells.pool.var_sort(var));
            let zero = self.cells.pool.constant(zero);
            self.write(var, zero);
        }
    }

    pub(super) fn store(&mut self, spot: &Spot, sort: Scalar, value: TermId) {
        match *spot {
            Spot::Var(var) => self.write(var, value),
            Spot::Bytes(addr, region) => {
                let len = bytes_of(sort);
                let bits = self.bits_of_value(sort, value);
                if self.cells.is_exact(region) {
                    let var = self.cells.memory_var(addr, len, region);
                    self.write(var, bits);
                } else {
                    for i in 0..len {
                        let byte = self.cells.pool.extract(bits, 8 * i as u32 + 7, 8 * i as u32);
                        let var = self.cells.memory_var(addr + i, 1, region);
                        self.write(var, byte);
                    }
                }
            }
            Spot::Among(which, ref all, region) => {
                let len = bytes_of(sort);
                let bits = self.bits_of_value(sort, value);
                for addr in all {
                    let var = self.cells.memory_var(*addr, len, region);
                    self.settle(*addr, var);
                    let old = self.read(var);
                    let is_here = self.is_at(which, *addr);
                    let new = self.cells.pool.ite(is_here, bits, old);
                    self.write(var, new);
                }
            }
            Spot::Unknown(region) => {
                for var in self.cells.memory_in(region) {
                    self.forget(var);
                }
            }
        }
    }

    /// The cell may have any value now.
    pub(super) fn forget(&mut self, var: VarId) {
        let any = self.cells.pool.declare("any", self.cells.pool.var_sort(var));
        let any = self.cells.pool.var(any);
        self.write(var, any);
    }

    pub(super) fn value_of_bits(&mut self, sort: Scalar, bits: TermId) -> TermId {
        let pool = &mut self.cells.pool;
        match sort {
            Scalar::Bool => {
                let zero = pool.bv(8, 0);
                pool.ne(bits, zero)
            }
            Scalar::Bv(width) if pool.sort(bits) == Sort::Bv(width) => bits,
            Scalar::Bv(width) => pool.extract(bits, width - 1, 0),
            Scalar::F32 | Scalar::F64 => pool.apply(logic::Op::FloatFromBits, &[bits]),
        }
    }

    pub(super) fn bits_of_value(&mut self, sort: Scalar, value: TermId) -> TermId {
        let pool = &mut self.cells.pool;
        match sort {
            Scalar::Bool => {
                let (zero, one) = (pool.bv(8, 0), pool.bv(8, 1));
                pool.ite(value, one, zero)
            }
            Scalar::Bv(_) => pool.zero_extend(value, 8 * bytes_of(sort) as u32),
            Scalar::F32 | Scalar::F64 => pool.apply(logic::Op::FloatToBits, &[value]),
        }
    }

    pub(super) fn alloc(
        &mut self,
        dst: VarId,
        size: TermId,
        kind: AllocKind,
        is_zeroed: bool,
        stmt: &Stmt,
    ) -> Option<()> {
        if is_counted(self.thread) {
            return self.unsupported(stmt.span, "memory that threads without number make".to_string());
        }
        let model = self.cells.model();
        let Some(bytes) = self.value_of(size) else {
            let never = self.cells.pool.bool(false);
            return self.require(never, BadKind::Unresolved(size, stmt.span, "the size of an allocation"));
        };
        self.fix(size, bytes, stmt.span, "the size of an allocation")?;
        let Some(base) = model.dynamic_base(u64::from(self.thread), self.granules, bytes) else {
            return self.unsupported(stmt.span, format!("no addresses are left for an object of {bytes} bytes"));
        };
        let in_region = |region: &ir::Region| stmt.alloc_site().is_some_and(|site| region.sites.contains(&site));
        let region = self.cells.program.regions.iter().position(in_region).unwrap_or(0);
        let object = Object { base, size: bytes, kind, region: RegionId(region as u32), is_zeroed };
        let granules = model.granules(bytes);
        self.granules += granules;
        for var in self.cells.memory_between(base, bytes) {
            if is_zeroed {
                let zero = Value::zero(self.cells.pool.var_sort(var));
                let zero = self.cells.pool.constant(zero);
                self.write(var, zero);
            } else {
                self.forget(var);
            }
        }
        self.objects.push(object.clone());
        self.result.changes.push(Change::Make(object, granules));
        let word = self.cells.word();
        let address = self.cells.pool.bv(word, base);
        self.set(dst, address);
        Some(())
    }

    pub(super) fn free(&mut self, addr: TermId, kind: AllocKind, span: Span) -> Option<()> {
        if is_counted(self.thread) {
            return self.unsupported(span, "memory that threads without number free".to_string());
        }
        let word = self.cells.word();
        let mut good = Vec::new();
        if kind == AllocKind::Heap {
            let null = self.cells.pool.bv(word, 0);
            good.push(self.cells.pool.eq(addr, null));
        }
        for base in
            self.objects.iter().filter(|object| object.kind == kind).map(|object| object.base).collect::<Vec<_>>()
        {
            let base = self.cells.pool.bv(word, base);
            good.push(self.cells.pool.eq(addr, base));
        }
        let good = self.cells.pool.or_all(&good);
        let bad = self.property(Property::Free, span, "a free of what is no allocated object");
        self.require(good, bad)?;
        let Some(base) = self.value_of(addr) else {
            let never = self.cells.pool.bool(false);
            return self.require(never, BadKind::Unresolved(addr, span, "which object is freed"));
        };
        self.fix(addr, base, span, "which object is freed")?;
        if base != 0 {
            self.objects.retain(|object| object.base != base);
            self.result.changes.push(Change::Free(base));
        }
        Some(())
    }
}
