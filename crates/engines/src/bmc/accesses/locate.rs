//! Which place does an access touch, and is it there? Variables always are; bytes must be inside of a live object.
//!
//! Known as: the pointer checks of a memory model with objects and offsets.

use super::places::{Ends, PlaceKey, word};
use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::{Go, Walk};
use crate::bmc::unrolled::BadKind;
use ir::access::bytes_of;
use ir::{Place, Property, RegionId, Span, Why};
use logic::{Scalar, Sort, TermId};

/// A place that an access has found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) key: PlaceKey,
    pub(crate) addr: Option<TermId>,
    pub(super) sort: Scalar,
    pub(super) n_bytes: u64,
    pub(crate) in_bytes: bool,
    /// Whether others may notice.
    pub(crate) is_shared: bool,
    pub(super) is_var: bool,
    /// The start of the object, if another thread may free it.
    pub(super) base: Option<TermId>,
}

impl Executor<'_> {
    /// The place of an access, which is a valid one from here on.
    pub(crate) fn locate(&mut self, walk: &mut Walk, place: &Place, is_write: bool, span: Span) -> Go<Spot> {
        let is_message = walk.how.order.message().is_some();
        if is_message && walk.state.alone {
            let what = "a message of main before it has started another process".to_string();
            return Err(self.beyond(walk, Why::Unsupported { span, what }));
        }
        let is_known = self.memory.sharing.is_shared(place) || self.memory.is_ordering(place);
        let is_shared = !walk.state.alone && (is_message || is_known);
        match *place {
            Place::Var(var) => {
                let sort = self.graph.pool.var_sort(var).scalar().unwrap_or(Scalar::Bool);
                Ok(Spot {
                    key: PlaceKey::Var(var),
                    addr: None,
                    sort,
                    n_bytes: 0,
                    in_bytes: false,
                    is_shared,
                    is_var: true,
                    base: None,
                })
            }
            Place::Mem { addr, sort, region } => {
                let expected = self.graph.places.expected(self.program, region, addr);
                let addr = self.eval(walk, addr);
                if let Some(expected) = expected {
                    let low = self.program.data_model.granule_bits();
                    let (own, expected) =
                        (self.graph.pool.extract(addr, low - 1, 0), self.graph.pool.bv(low, expected));
                    let is_there = self.graph.pool.eq(own, expected);
                    self.bad_unless(walk, is_there, BadKind::Misplaced);
                    self.require(walk, is_there)?;
                }
                let n_bytes = bytes_of(sort);
                let valid = self.valid(walk, addr, n_bytes, region, is_write);
                let what = if self.properties.has(Property::Deref) {
                    BadKind::Violation(Property::Deref)
                } else {
                    let verb = if is_write { "write" } else { "read" };
                    BadKind::Beyond(Why::Undefined { span, what: format!("invalid {verb}") })
                };
                self.bad_unless(walk, valid, what);
                self.require(walk, valid)?;
                // To axioms an access is one event; that no two of them overlap in part is checked there.
                let is_event = is_shared && self.program.model == ir::Model::Cat;
                let in_bytes = self.graph.places.in_bytes(region) && !is_event;
                let key = self.graph.places.cells(region);
                let base = (self.graph.places.ends(region) == Ends::Shared).then(|| self.base_of(addr));
                Ok(Spot { key, addr: Some(addr), sort, n_bytes, in_bytes, is_shared, is_var: false, base })
            }
        }
    }

    /// Whether bytes are inside of a live object.
    fn valid(&mut self, walk: &mut Walk, addr: TermId, n: u64, region: RegionId, is_write: bool) -> TermId {
        let place = (!self.graph.places.is_one()).then_some(region);
        let known = word(&self.graph.pool, addr)
            .map(|addr| self.memory.objects.contains(&mut self.graph.pool, addr, n, is_write));
        let (inside, may_end) = match known {
            Some(Some((fits, object))) => {
                let (may_end, guard) = (object.made.is_some(), object.guard);
                (if fits { guard } else { self.graph.pool.bool(false) }, may_end)
            }
            _ if word(&self.graph.pool, addr) == Some(0) => (self.graph.pool.bool(false), false),
            _ => (self.memory.objects.ask_inside(&mut self.graph.pool, (addr, n), place, is_write), true),
        };
        if self.graph.is_false(inside) || !may_end {
            return inside;
        }
        let ends = self.graph.places.ends(region);
        if ends == Ends::Never {
            return inside;
        }
        let base = self.base_of(addr);
        let is_shared = !walk.state.alone && ends == Ends::Shared;
        let live = self.read_cell(walk, (PlaceKey::Live, Some(base), Sort::Bool), is_shared, None);
        self.graph.pool.and(inside, live)
    }

    /// The first address of the granule that an address is in: the base of an object that is not larger.
    pub(crate) fn base_of(&mut self, addr: TermId) -> TermId {
        let width = self.program.data_model.word_bits();
        let low = self.program.data_model.granule_bits();
        let high = self.graph.pool.extract(addr, width - 1, low);
        let zero = self.graph.pool.bv(low, 0);
        self.graph.pool.concat(high, zero)
    }
}
