//! When do threads wait in loops for ever, although they have seen every write?
//!
//! Known as: liveness of spin loops under fair memory, as verifiers of locks report it (GenMC, Dartagnan).
//!
//! A thread is stuck at the end of a round that only reads and changes nothing (`reductions::spin_loops`) if all that the round has read are the last writes of their cells: no more is to come if all others are stuck,
//! too, or have ended, or wait for the end of one who is. Then the round can be repeated for ever. Each repetition is allowed if the execution is: its reads are the last events of their thread and nobody
//! comes after the writes that they read, so that nothing leads away from them, and an axiom that forbids cycles does not mind. That the memory is fair, and every write is seen at last, is assumed.
//!
//! Left open, and never called safe: rounds that ask for inputs other than whether a weak compare-exchange fails for no reason, and threads that wait in the library.

use super::bounds::Bounds;
use super::formula::{Formula, sign};
use super::sites::{Sites, What};
use crate::bmc::unrolled::Unrolled;
use ir::{Span, Why};
use logic::TermId;
use memory::formula::Sign;
use rustc_hash::FxHashMap;
use smt::Lit;

/// A literal that holds only in executions in which threads wait for ever.
pub(super) fn waiting(
    unrolled: &mut Unrolled,
    sites: &Sites,
    bounds: &Bounds,
    formula: &mut Formula<'_>,
) -> Result<Lit, smt::Why> {
    let mut event_of: FxHashMap<usize, usize> = FxHashMap::default();
    for (event, site) in sites.sites.iter().enumerate() {
        if let What::Read(number) = site.what {
            event_of.insert(number, event);
        }
    }
    let mut stuck: Vec<(u32, Lit)> = Vec::new();
    for spin in unrolled.spins.clone().into_iter().filter(|spin| !spin.is_vague) {
        let lit = formula.encoder.bits.fresh_lit();
        let mut parts = spin.calm.clone();
        parts.push(spin.guard);
        let reached = unrolled.pool.and_all(&parts);
        let reached = sign(&mut formula.encoder, &unrolled.pool, reached)?;
        formula.encoder.clause(&[(Sign::Open(lit), false), (reached, true)]);
        let own = spin.reads.filter(|read| unrolled.events.reads[*read].thread == spin.thread);
        for event in own.filter_map(|read| event_of.get(&read).copied()) {
            latest(unrolled, sites, bounds, formula, (event, lit))?;
        }
        stuck.push((spin.thread, lit));
    }
    let waits = formula.encoder.bits.fresh_lit();
    let mut someone = vec![!waits];
    someone.extend(stuck.iter().map(|(_, lit)| *lit));
    formula.encoder.bits.add_clause(&someone);
    for thread in 0..unrolled.threads.len() {
        let mut ways = vec![unrolled.pool.not(unrolled.threads[thread].guard), unrolled.threads[thread].finished];
        for wait in unrolled.waits.iter().filter(|wait| wait.thread as usize == thread && wait.is_join) {
            let not_passed = unrolled.pool.not(wait.passed);
            ways.push(unrolled.pool.and_all(&[wait.reached, not_passed, wait.blocked]));
        }
        let ends = unrolled.pool.or_all(&ways);
        let mut clause = vec![(Sign::Open(waits), false), (sign(&mut formula.encoder, &unrolled.pool, ends)?, true)];
        clause.extend(stuck.iter().filter(|(own, _)| *own as usize == thread).map(|(_, lit)| (Sign::Open(*lit), true)));
        formula.encoder.clause(&clause);
    }
    Ok(waits)
}

/// If this literal holds, the read reads a write that none comes after.
fn latest(
    unrolled: &Unrolled,
    sites: &Sites,
    bounds: &Bounds,
    formula: &mut Formula<'_>,
    (event, lit): (usize, Lit),
) -> Result<(), smt::Why> {
    let orders: FxHashMap<(usize, usize), Lit> = formula.orders.iter().map(|&(a, b, order)| ((a, b), order)).collect();
    for (_, write, source) in formula.sources.clone().into_iter().filter(|(read, _, _)| *read == event) {
        for later in bounds.co[1].successors(write).collect::<Vec<_>>() {
            let is_later = match (orders.get(&(write, later)), bounds.when_same(write, later)) {
                (Some(order), _) => Sign::Open(*order),
                (None, Some(same)) => sign(&mut formula.encoder, &unrolled.pool, same)?,
                (None, None) => Sign::Yes,
            };
            let happens = sign(&mut formula.encoder, &unrolled.pool, sites.sites[later].guard)?;
            let parts = [(Sign::Open(lit), false), (Sign::Open(source), false), (is_later, false), (happens, false)];
            formula.encoder.clause(&parts);
        }
    }
    Ok(())
}

/// The formula that somebody goes round for ever if inputs let them, and where.
pub(super) fn vague(unrolled: &mut Unrolled) -> Option<(TermId, Why)> {
    let guards: Vec<TermId> = unrolled.spins.iter().filter(|spin| spin.is_vague).map(|spin| spin.guard).collect();
    let span = unrolled.spins.iter().find(|spin| spin.is_vague)?.span;
    let what = "whether a loop waits for ever whose rounds ask for inputs".to_string();
    Some((unrolled.pool.or_all(&guards), Why::Unsupported { span, what }))
}

/// Why nothing can be said of threads that wait in the library, if some do.
pub(super) fn at_locks(unrolled: &Unrolled) -> Option<Why> {
    let read = unrolled.events.reads.iter().find(|read| read.accepts.is_some())?;
    let span = if read.how.span.is_known() { read.how.span } else { Span::NOWHERE };
    Some(Why::Unsupported {
        span,
        what: "whether threads wait for ever that also wait in the thread library".to_string(),
    })
}
