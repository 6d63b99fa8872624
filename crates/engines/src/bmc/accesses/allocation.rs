//! How do objects begin and end? Allocation gives the next granules of its thread; a free ends what begins at its address.

use super::places::{PlaceKey, word};
use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::{Go, Walk};
use crate::bmc::unrolled::BadKind;
use ir::{AllocKind, Fill, Property, Stmt, Why};
use logic::{Sort, TermId, VarId};

impl Executor<'_> {
    /// Makes an object.
    pub(crate) fn alloc(
        &mut self,
        walk: &mut Walk,
        stmt: &Stmt,
        dst: VarId,
        size: TermId,
        (kind, zeroed): (AllocKind, bool),
    ) -> Go {
        let model = self.program.data_model;
        let is_fixed = word(&self.program.pool, size).is_some();
        let size = self.eval(walk, size);
        // What has no constant size gets room for the largest that fits into a granule.
        let room = word(&self.graph.pool, size);
        let reserved = room.unwrap_or((1 << model.granule_bits()) - 1);
        let Some(base) = model.dynamic_base(u64::from(walk.thread), walk.state.n_granules, reserved) else {
            let what = "no addresses are left for an object".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        };
        if !is_fixed && room.is_some_and(|room| room >> model.granule_bits() > 0) {
            let what = "an object of computed size that is very large".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }));
        }
        if room.is_none() {
            let most = self.graph.pool.bv(model.word_bits(), reserved);
            let small = self.graph.pool.ule(size, most);
            let what = "an object of unknown size that may be very large".to_string();
            self.bad_unless(walk, small, BadKind::Beyond(Why::Unsupported { span: stmt.span, what }));
            self.require(walk, small)?;
        }
        walk.state.n_granules += model.granules(reserved);
        let guard = self.graph.points.guard(walk.state.point);
        let site = stmt.alloc_site().expect("the statement is an allocation");
        let fill = if zeroed { Fill::Zero } else { Fill::Any };
        self.memory.objects.make(&mut self.graph.pool, base, (size, fill), guard, (site, kind));
        let base = self.graph.pool.bv(model.word_bits(), base);
        walk.state.set(dst, base);
        Ok(())
    }

    /// Ends an object.
    pub(crate) fn free(&mut self, walk: &mut Walk, stmt: &Stmt, addr: TermId, kind: AllocKind) -> Go {
        let is_shared = !walk.state.alone && self.graph.places.frees_shared(addr);
        let may_be_large = self.graph.places.frees_large(addr);
        let addr = self.eval(walk, addr);
        let zero = self.graph.pool.bv(self.program.data_model.word_bits(), 0);
        let is_null = match kind {
            AllocKind::Heap => self.graph.pool.eq(addr, zero),
            AllocKind::Stack | AllocKind::Library => self.graph.pool.bool(false),
        };
        if self.graph.is_true(is_null) {
            return Ok(());
        }
        let known = word(&self.graph.pool, addr).and_then(|addr| self.memory.objects.made_at(addr));
        let starts = match known.map(|object| object.made) {
            Some(Some((_, made))) => self.graph.pool.bool(made == kind),
            _ => self.memory.objects.ask_start(&mut self.graph.pool, addr, kind),
        };
        let before = walk.state.frontier.clone();
        let live = self.read_cell(walk, (PlaceKey::Live, Some(addr), Sort::Bool), is_shared, None);
        let valid = self.graph.pool.and(starts, live);
        let valid = self.graph.pool.or(is_null, valid);
        let what = if self.properties.has(Property::Free) {
            BadKind::Violation(Property::Free)
        } else {
            BadKind::Beyond(Why::Undefined { span: stmt.span, what: Property::Free.describe().to_string() })
        };
        self.bad_unless(walk, valid, what);
        self.require(walk, valid)?;
        if is_shared && kind == AllocKind::Heap {
            self.note_free(walk, addr, &before);
        }
        let n_granules = if may_be_large { self.granules_at(walk, stmt, addr)? } else { 1 };
        let no = self.graph.pool.bool(false);
        let model = self.program.data_model;
        for at in 0..n_granules {
            // An access knows an object by the granule that it is in.
            let offset = self.graph.pool.bv(model.word_bits(), at << model.granule_bits());
            let addr = self.graph.pool.add(addr, offset);
            self.write_cell(walk, (PlaceKey::Live, Some(addr)), no, is_shared);
        }
        Ok(())
    }

    /// How many granules the object at an address has bytes in.
    fn granules_at(&mut self, walk: &Walk, stmt: &Stmt, addr: TermId) -> Go<u64> {
        let addr = word(&self.graph.pool, addr);
        let object = addr.and_then(|addr| self.memory.objects.made_at(addr));
        match object.and_then(|object| word(&self.graph.pool, object.size)) {
            Some(size) => Ok((size >> self.program.data_model.granule_bits()) + 1),
            None => {
                let what = "the end of one of several objects, some of which are very large".to_string();
                Err(self.beyond(walk, Why::Unsupported { span: stmt.span, what }))
            }
        }
    }
}
