//! What of memory is no event under axioms? Whether objects are live, and that accesses do not overlap in part.
//!
//! A use that starts and joins order before the end of its object is fine, and one that they order after it is invalid. Where they order nothing, the axioms decide (`rc11` and `imm`, which know plain accesses and their races): the end of an object is a plain write of all of it,
//! so that a use which does not happen before it either races with it or comes after it. For the axioms each object has a cell that its end writes and each use reads just before the access itself; between the two there is
//! no other event, so that what is true of one is true of the other. In an execution in which such a read and such a write race, or the read finds the write, the use
//! comes after the end, if the end does not rest on it by program order and what was read: that is told as an invalid access (`witness::use_after_end`). Otherwise the answer is unknown; and if there is no such execution, all uses happen before the end. Under other models the answer is unknown in any case.
//!
//! The two events that are added forbid nothing. Unless the end happens before the use, the read may find the object live; that could only close a cycle of fences that
//! the access itself closes as well. If it does, the read may find the end: a cycle through that would make the end rest on the use, and the access be in it.
//!
//! A read that overlaps in part with a write has no write that it could read whole: were it made to have one, no execution with both would be left, and all of them would be called safe. So it may have none, and
//! such executions count as what is not covered, not as violations.

use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::unrolled::{Bad, BadKind, Unrolled};
use ir::{Program, Span, Why};
use logic::{Pool, Sort, TermId, Value};
use memory::order::Closure;
use rustc_hash::FxHashMap;

/// Accesses that overlap in part.
pub(super) struct Overlaps {
    /// For reads, by their numbers, when each does so with a write: it may then find something that no write has written.
    pub(super) torn: FxHashMap<usize, TermId>,
    /// Whether there are two of them at all. What such an execution does nobody can tell: what one of them writes is not seen by the other.
    pub(super) some: TermId,
}

/// Accesses that overlap in part are not covered: where two may, the answer is unknown.
///
/// Regions in which an analysis of the program excludes that (`Region::is_exact`) are left out. There only a read that has found anything could lead to an address at which a write overlaps with that same read, directly or by
/// way of others of its kind; the first of them in time has no cause.
pub(super) fn overlaps(program: &Program, unrolled: &mut Unrolled, is_live: &dyn Fn(u32) -> bool) -> Overlaps {
    let is_exact = |key: &PlaceKey| match key {
        PlaceKey::Cells(region) => program.regions.get(*region as usize).is_some_and(|region| region.is_exact),
        _ => false,
    };
    let is_exact: Vec<bool> = unrolled.places.iter().map(is_exact).collect();
    let mut torn: FxHashMap<usize, TermId> = FxHashMap::default();
    let events = &unrolled.events;
    let reads = events.reads.iter().map(|read| (read.place, read.addr, read.value, read.guard, read.thread, read.how));
    let writes = events.writes.iter().map(|w| (w.place, w.addr, w.value, w.guard, w.thread, w.how));
    let n_reads = events.reads.len();
    let all: Vec<_> = reads.chain(writes).collect();
    let Unrolled { pool, bads, .. } = unrolled;
    let mut all_meets = Vec::new();
    let size = |pool: &Pool, value: TermId| match pool.sort(value) {
        Sort::Bv(bits) => u64::from(bits / 8),
        _ => 1,
    };
    for (second, &(place, addr, value, guard, thread, how)) in all.iter().enumerate().skip(n_reads) {
        let (Some(to), false) = (addr, is_live(place) || is_exact[place as usize]) else { continue };
        for (first, &(other, from, its_value, its_guard, ..)) in all[..second].iter().enumerate() {
            let (Some(from), true) = (from, other == place) else { continue };
            let (own, its) = (size(pool, value), size(pool, its_value));
            if own == 1 && its == 1 {
                continue;
            }
            let Sort::Bv(width) = pool.sort(to) else { continue };
            let (distance, back) = (pool.sub(to, from), pool.sub(from, to));
            let (its_size, own_size) = (pool.bv(width, its), pool.bv(width, own));
            let (after, before) = (pool.ult(distance, its_size), pool.ult(back, own_size));
            let touches = pool.or(after, before);
            let same = pool.eq(from, to);
            let differs = if own == its { pool.not(same) } else { pool.bool(true) };
            let meets = pool.and_all(&[touches, differs, guard, its_guard]);
            if pool.as_const(meets) != Some(&Value::Bool(false)) {
                if first < n_reads {
                    let known = torn.get(&first).copied().unwrap_or_else(|| pool.bool(false));
                    torn.insert(first, pool.or(known, meets));
                }
                all_meets.push(meets);
                let what = "memory that is accessed in several sizes, under axioms".to_string();
                let why = Why::Unsupported { span: how.span, what };
                bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record: how.record, stop: None });
            }
        }
    }
    Overlaps { torn, some: pool.or_all(&all_meets) }
}

/// Uses and ends of objects whose order is left to the axioms: reads and writes of whether objects are live, by number.
#[derive(Default)]
pub(super) struct Open {
    pub(super) uses: Vec<usize>,
    pub(super) ends: Vec<usize>,
}

/// What is known of the lives of objects: reads of whether an object is live get their values here, by what starts and joins order. Where these order nothing, the axioms decide if they
/// `judge` the end of an object, which is then a plain write of it, as each use is a plain read; otherwise the answer is unknown.
pub(super) fn lives(unrolled: &mut Unrolled, closure: &Closure, is_live: &dyn Fn(u32) -> bool, judge: bool) -> Open {
    let numbered = |(_, place): &(usize, u32)| is_live(*place);
    let reads = unrolled.events.reads.iter().map(|read| read.place).enumerate().filter(numbered);
    let reads: Vec<usize> = reads.map(|(index, _)| index).collect();
    let writes = unrolled.events.writes.iter().map(|write| write.place).enumerate().filter(numbered);
    let writes: Vec<usize> = writes.map(|(index, _)| index).collect();
    let mut open = Open::default();
    for index in reads {
        let read = unrolled.events.reads[index];
        let pool = &mut unrolled.pool;
        let mut ended = Vec::new();
        for number in &writes {
            let write = &unrolled.events.writes[*number];
            let same = match (read.addr, write.addr) {
                (Some(x), Some(y)) => pool.eq(x, y),
                _ => pool.bool(true),
            };
            let meets = pool.and_all(&[same, read.guard, write.guard]);
            let is_known = pool.as_const(meets) == Some(&Value::Bool(false)) || write.node == read.node;
            if is_known || closure.is_before(read.node, write.node) {
                continue;
            }
            if closure.is_before(write.node, read.node) {
                ended.push(pool.and(same, write.guard));
                continue;
            }
            if judge {
                open.uses.push(index);
                open.ends.push(*number);
                continue;
            }
            let why = unordered(write.how.span);
            let (thread, record) = (read.thread, read.how.record);
            unrolled.bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record, stop: None });
        }
        let is_over = pool.or_all(&ended);
        let is_live = pool.not(is_over);
        unrolled.constraints.push(pool.eq(read.value, is_live));
    }
    open.uses.dedup();
    open.ends.sort_unstable();
    open.ends.dedup();
    open.keep_last(unrolled, closure);
    open
}

impl Open {
    /// Of uses of one object that happen together the last one is enough: what it comes before, all of them come before.
    fn keep_last(&mut self, unrolled: &Unrolled, closure: &Closure) {
        let reads = &unrolled.events.reads;
        let is_last = |use_: &usize| {
            let this = &reads[*use_];
            !self.uses.iter().map(|other| &reads[*other]).any(|other| {
                (other.thread, other.addr, other.guard) == (this.thread, this.addr, this.guard)
                    && closure.is_before(this.node, other.node)
            })
        };
        let last: Vec<usize> = self.uses.iter().copied().filter(is_last).collect();
        self.uses = last;
    }
}

/// Why nothing is said where nobody knows whether an object is used before its end.
pub(super) fn unordered(span: Span) -> Why {
    Why::Unsupported { span, what: "the end of an object that another thread may be using, under axioms".to_string() }
}
