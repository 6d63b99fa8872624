//! Which reads find what was there at first, whatever happens? Plain ones, of cells that nobody writes once threads run: tables, arguments, the text that all of them look at.
//!
//! Under RC11 such a read is in no race, synchronises with nothing, and has one write that it can read; what it is ordered with is ordered by program order alone. So it is no event. Its value is often
//! a constant, and then the addresses that were computed from it are, too: that is what makes the question small.
//!
//! Other models may mind what depends on the read; under them all reads stay events.

use crate::bmc::unrolled::Unrolled;
use ir::Order;
use logic::{Pool, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// For each read whether it is none of the events. Their values are put into the addresses of the others.
pub(super) fn settle(unrolled: &mut Unrolled, is_live: &dyn Fn(u32) -> bool) -> Vec<bool> {
    let mut is_settled = vec![false; unrolled.events.reads.len()];
    loop {
        let mut constants: FxHashMap<VarId, TermId> = FxHashMap::default();
        let mut is_changed = false;
        for (index, is_own_settled) in is_settled.iter_mut().enumerate() {
            let read = unrolled.events.reads[index];
            let is_plain = matches!(read.how.order, Order::Plain | Order::Guarded) && read.how.failure.is_none();
            if *is_own_settled || !is_plain || read.accepts.is_some() || is_live(read.place) {
                continue;
            }
            let Unrolled { pool, events, .. } = unrolled;
            let writes = events.writes.iter().filter(|write| write.place == read.place);
            if writes.into_iter().any(|write| may_meet(pool, read.addr, write.addr)) {
                continue;
            }
            (*is_own_settled, is_changed) = (true, true);
            let initial = unrolled.initial[index];
            unrolled.constraints.push(pool.eq(read.value, initial));
            if let (Some(var), Some(_)) = (pool.as_var(read.value), pool.as_const(initial)) {
                constants.insert(var, initial);
            }
        }
        if !is_changed || constants.is_empty() {
            return is_settled;
        }
        put(unrolled, &constants);
    }
}

fn may_meet(pool: &Pool, one: Option<TermId>, other: Option<TermId>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    // Cells may overlap where they are not the same; addresses that are both known tell.
    match (pool.as_const(one), pool.as_const(other)) {
        (Some(Value::Bv(one)), Some(Value::Bv(other))) => {
            let (one, other) = (one.to_u64().unwrap_or(0), other.to_u64().unwrap_or(0));
            one.abs_diff(other) < WIDEST
        }
        _ => true,
    }
}

/// No access has more bytes.
const WIDEST: u64 = 16;

/// Puts constants into addresses, and into what is read at them at first.
fn put(unrolled: &mut Unrolled, constants: &FxHashMap<VarId, TermId>) {
    let Unrolled { pool, events, initial, .. } = unrolled;
    let known = |var: VarId| constants.get(&var).copied();
    for read in &mut events.reads {
        read.addr = read.addr.map(|addr| pool.substitute(addr, &known));
    }
    for write in &mut events.writes {
        write.addr = write.addr.map(|addr| pool.substitute(addr, &known));
    }
    for value in initial {
        *value = pool.substitute(*value, &known);
    }
}
