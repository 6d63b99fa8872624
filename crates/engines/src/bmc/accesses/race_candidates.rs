//! Which accesses may race? All that others may notice are noted, with the moment just before them.
//!
//! Whether two of them do is asked in `solving::data_races`.

use super::locate::Spot;
use super::places::PlaceKey;
use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::Walk;
use crate::bmc::unrolled::Access;
use ir::{Order, Property};
use logic::{Sort, TermId};

/// How a place is accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) is_write: bool,
    pub(crate) waits: bool,
    pub(crate) order: Order,
}

impl Executor<'_> {
    /// Notes an access that may race. Others may also race to free the object.
    pub(crate) fn note_access(&mut self, walk: &mut Walk, spot: Spot, before: &[u32], how: How) {
        if !spot.is_shared || !self.properties.has(Property::Race) {
            return;
        }
        self.note(walk, (spot.key, spot.addr, spot.n_bytes), before, how);
        if let Some(base) = spot.base {
            let how = How { is_write: false, ..how };
            self.note(walk, (PlaceKey::Live, Some(base), 1), before, how);
        }
    }

    /// Notes an update that may race. One that fails is no write, and whether it does depends on the state that it finds, as waiting does.
    pub(crate) fn note_attempt(
        &mut self,
        walk: &mut Walk,
        spot: Spot,
        before: &[u32],
        (how, fails): (How, Option<TermId>),
    ) {
        let Some(fails) = fails else { return self.note_access(walk, spot, before, how) };
        self.note_access(walk, spot, before, How { is_write: false, ..how });
        let n_before = self.found.accesses.len();
        self.note_access(walk, spot, before, How { waits: true, ..how });
        let succeeds = self.graph.pool.not(fails);
        self.found.accesses.truncate(n_before + 1);
        for write in &mut self.found.accesses[n_before..] {
            write.guard = self.graph.pool.and(write.guard, succeeds);
        }
    }

    /// Notes that an object is freed, which may race with all that is done to it.
    pub(crate) fn note_free(&mut self, walk: &mut Walk, addr: TermId, before: &[u32]) {
        if self.properties.has(Property::Race) {
            let how = How { is_write: true, waits: false, order: Order::Plain };
            let zero = self.graph.pool.bv(self.program.data_model.word_bits(), 0);
            let is_object = self.graph.pool.ne(addr, zero);
            let access = self.found.accesses.len();
            self.note(walk, (PlaceKey::Live, Some(addr), 1), before, how);
            let guard = &mut self.found.accesses[access].guard;
            *guard = self.graph.pool.and(*guard, is_object);
        }
    }

    fn note(&mut self, walk: &mut Walk, place: (PlaceKey, Option<TermId>, u64), before: &[u32], how: How) {
        let (key, addr, bytes) = place;
        let node = self.graph.node(walk);
        let place = self.graph.places.number(key);
        let guard = self.graph.points.guard(walk.state.point);
        let is_inside = walk.is_inside() || how.waits;
        let racing = is_inside.then(|| {
            let racing = self.graph.fresh("racing", Sort::Bool);
            let here = self.graph.pool.and(guard, racing);
            self.graph.atomic.stop(node, here);
            racing
        });
        let is_atomic = how.order.is_atomic() || walk.state.depth > 0;
        let n_started = walk.record.starts.len();
        self.found.accesses.push(Access {
            n_started,
            thread: walk.thread,
            node,
            after: before.into(),
            place,
            addr,
            bytes,
            is_write: how.is_write,
            is_atomic,
            is_inside,
            racing,
            guard,
            record: self.found.next_record(walk.thread),
            stmt: walk.stmt,
        });
    }
}
