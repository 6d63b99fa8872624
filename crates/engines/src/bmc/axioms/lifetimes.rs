//! What of memory is no event under axioms? Whether objects are live, and that accesses do not overlap in part.
//!
//! A use that starts and joins order before the end of its object is fine, one that they order after it is invalid, and where they order nothing the answer is unknown.

use crate::bmc::unrolled::{Bad, BadKind, Unrolled};
use ir::Why;
use logic::{Pool, Sort, TermId, Value};
use memory::order::Closure;

/// Accesses that overlap in part are not covered: where two may, the answer is unknown.
pub(super) fn overlaps(unrolled: &mut Unrolled, is_live: &dyn Fn(u32) -> bool) {
    let events = &unrolled.events;
    let reads = events.reads.iter().map(|read| (read.place, read.addr, read.value, read.guard, read.thread, read.how));
    let writes = events.writes.iter().map(|w| (w.place, w.addr, w.value, w.guard, w.thread, w.how));
    let n_reads = events.reads.len();
    let all: Vec<_> = reads.chain(writes).collect();
    let Unrolled { pool, bads, .. } = unrolled;
    let size = |pool: &Pool, value: TermId| match pool.sort(value) {
        Sort::Bv(bits) => u64::from(bits / 8),
        _ => 1,
    };
    for (second, &(place, addr, value, guard, thread, how)) in all.iter().enumerate().skip(n_reads) {
        let (Some(to), false) = (addr, is_live(place)) else { continue };
        for &(other, from, its_value, its_guard, ..) in &all[..second] {
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
                let what = "memory that is accessed in several sizes, under axioms".to_string();
                let why = Why::Unsupported { span: how.span, what };
                bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record: how.record, stop: None });
            }
        }
    }
}

/// What is known of the lives of objects: reads of whether an object is live get their values here, by what starts and joins order.
pub(super) fn lives(unrolled: &mut Unrolled, closure: &Closure, is_live: &dyn Fn(u32) -> bool) {
    let reads: Vec<_> = unrolled.events.reads.iter().filter(|read| is_live(read.place)).copied().collect();
    let writes: Vec<_> = unrolled.events.writes.iter().filter(|write| is_live(write.place)).copied().collect();
    for read in reads {
        let pool = &mut unrolled.pool;
        let mut ended = Vec::new();
        for write in &writes {
            let same = match (read.addr, write.addr) {
                (Some(x), Some(y)) => pool.eq(x, y),
                _ => pool.bool(true),
            };
            let meets = pool.and_all(&[same, read.guard, write.guard]);
            if pool.as_const(meets) == Some(&Value::Bool(false)) || closure.is_before(read.node, write.node) {
                continue;
            }
            if write.node == read.node {
                continue;
            }
            if closure.is_before(write.node, read.node) {
                ended.push(pool.and(same, write.guard));
                continue;
            }
            let what = "the end of an object that another thread may be using, under axioms".to_string();
            let why = Why::Unsupported { span: write.how.span, what };
            let (thread, record) = (read.thread, read.how.record);
            unrolled.bads.push(Bad { guard: meets, what: BadKind::Beyond(why), thread, record, stop: None });
        }
        let is_over = pool.or_all(&ended);
        let is_live = pool.not(is_over);
        unrolled.constraints.push(pool.eq(read.value, is_live));
    }
}
