//! Which cells of a litmus test are only ever added to? What that is good for is said in `memory::formula::counters`.

use ir::litmus::{Binary, Unary};
use memory::execution::term::Term;
use memory::formula::counters::{Addition, Counter, MIN_UPDATES, is_divided};
use rustc_hash::FxHashMap;

use super::circuits::Circuits;
use super::search::Search;

/// All of them.
pub(super) fn counters(search: &Search<'_, '_>, circuits: &mut Circuits) -> Vec<Counter> {
    let mut writes: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for &write in &search.writes {
        if let Some(cell) = search.cells[write] {
            writes.entry(cell).or_default().push(write);
        }
    }
    let mut found: Vec<Vec<usize>> = writes.into_values().filter(|own| own.len() > MIN_UPDATES).collect();
    found.sort_unstable();
    found.iter().filter_map(|own| counter(search, circuits, own)).collect()
}

/// The counter with these writes, the initial one first, if all others add a number to what they find.
fn counter(search: &Search<'_, '_>, circuits: &mut Circuits, own: &[usize]) -> Option<Counter> {
    let skeleton = search.skeleton;
    let (&first, updates) = own.split_first()?;
    let width = u32::from(skeleton.events[first].size) * 8;
    let is_initial = |event: usize| event < skeleton.n_initial;
    if !is_initial(first) || updates.iter().any(|&event| is_initial(event)) {
        return None;
    }
    let initial = circuits.translate(search.terms, skeleton.events[first].value);
    let initial = circuits.low(initial, width);
    let mut additions = Vec::new();
    for &write in updates {
        let event = &skeleton.events[write];
        let is_pair = |read: &&usize| skeleton.amo.contains(**read, write) || skeleton.lxsx.contains(**read, write);
        let read = *search.reads.iter().find(is_pair)?;
        let variable = skeleton.events[read].variable?;
        let is_whole = u32::from(event.size) * 8 == width && event.size == event.access_size;
        let is_whole = is_whole && !is_divided(&skeleton.po, (read, write), own);
        if !is_whole || search.cells[read] != search.cells[write] {
            return None;
        }
        let added = added(search, event.value, variable, width)?;
        let found = circuits.reads[variable as usize];
        let found = circuits.low(found, width);
        let added = circuits.pool.bv(width, added);
        additions.push(Addition { write, found, added });
    }
    Some(Counter { initial, additions })
}

/// What a term adds to a variable, as far as the low bits go. Wider sums and extensions leave these as they are.
fn added(search: &Search<'_, '_>, value: memory::execution::TermId, variable: u32, width: u32) -> Option<u64> {
    let (op, at, left, right) = match search.terms.get(unextended(search, value, width)) {
        Term::Binary(op, at, left, right) => (op, at, left, right),
        _ => return None,
    };
    if u32::from(at) < width {
        return None;
    }
    let is_read = |id| search.terms.get(unextended(search, id, width)) == Term::Read(variable);
    let cut = |number: u64| if width < 64 { number & ((1 << width) - 1) } else { number };
    match (op, search.terms.as_constant(left), search.terms.as_constant(right)) {
        (Binary::Add, _, Some(number)) if is_read(left) => Some(cut(number)),
        (Binary::Add, Some(number), _) if is_read(right) => Some(cut(number)),
        (Binary::Sub, _, Some(number)) if is_read(left) => Some(cut(number.wrapping_neg())),
        _ => None,
    }
}

/// The term inside of extensions that leave so many low bits as they are.
fn unextended(search: &Search<'_, '_>, id: memory::execution::TermId, width: u32) -> memory::execution::TermId {
    match search.terms.get(id) {
        Term::Unary(Unary::ZeroExtend | Unary::SignExtend, at, inner) if u32::from(at) >= width => {
            unextended(search, inner, width)
        }
        _ => id,
    }
}
