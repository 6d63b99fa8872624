//! Which addresses can be used a second time? Those of objects that are gone and that nothing points to.
//!
//! Normally each object has addresses of its own, so that a pointer to an object that is gone is known for what it is. A
//! thread that has used up its addresses takes those of its gone objects that no word of the state, at any offset,
//! points into or right behind: no access can tell the difference.

use super::{Gone, Origin, words_in};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::{Pending, State};
use crate::stmt::AllocKind;
use std::collections::BTreeSet;

/// An address for an object of `size` bytes among those of a thread; the objects that had it are forgotten.
pub(in crate::interp) fn addresses(machine: &Machine<'_>, state: &mut State, thread: u64, size: u64) -> Option<u64> {
    let model = machine.program.data_model;
    let own = model.addresses_of(thread)?;
    let (first, end) = (own.start >> model.granule_bits(), own.end >> model.granule_bits());
    let pointed_to = pointed_to(machine, state);
    let in_use = |base: &u64| pointed_to.contains(base);
    let kept =
        state.memory.gone.range(own.clone()).filter(|(base, _)| in_use(base)).map(|(base, gone)| (*base, gone.size));
    let live = state.memory.live.range(own.clone()).map(|(base, bytes)| (*base, bytes.size));
    let busy: BTreeSet<(u64, u64)> =
        kept.chain(live).map(|(base, size)| (base >> model.granule_bits(), model.granules(size))).collect();
    let n_needed = model.granules(size);
    let mut start = first;
    for (at, n_granules) in busy {
        if start + n_needed <= at {
            break;
        }
        start = at + n_granules;
    }
    if start + n_needed > end {
        return None;
    }
    let taken = start << model.granule_bits()..(start + n_needed) << model.granule_bits();
    let before: Vec<u64> = state.memory.gone.range(own).map(|(base, _)| *base).collect();
    for base in before {
        let reaches = base + (model.granules(state.memory.gone[&base].size) << model.granule_bits());
        if base < taken.end && taken.start < reaches {
            state.memory.gone.remove(&base);
        }
    }
    Some(taken.start)
}

/// The first address where an object of this size and kind lay that is gone, one of the thread itself if it is of the stack; whoever
/// still points there points to the new one.
pub(in crate::interp) fn freed(
    machine: &Machine<'_>,
    state: &mut State,
    thread: u64,
    size: u64,
    kind: AllocKind,
) -> Option<u64> {
    let own = match kind {
        AllocKind::Heap | AllocKind::Library => 0..u64::MAX,
        AllocKind::Stack => machine.program.data_model.addresses_of(thread)?,
    };
    let is_like = |gone: &Gone| gone.size == size && matches!(gone.origin, Origin::Made { kind: of, .. } if of == kind);
    let base = state.memory.gone.range(own).find(|(_, gone)| is_like(gone)).map(|(base, _)| *base)?;
    state.memory.gone.remove(&base);
    Some(base)
}

/// The objects that some word points into or right behind.
fn pointed_to(machine: &Machine<'_>, state: &State) -> BTreeSet<u64> {
    let n_bytes = machine.program.data_model.word_bytes();
    let mut words: Vec<u64> = state.globals.iter().flatten().flat_map(words_in).collect();
    for thread in &state.threads {
        let locals = thread.frames.iter().flat_map(|frame| &frame.locals);
        words.extend(locals.chain(&thread.vars).chain(&thread.result).flat_map(words_in));
    }
    for pending in state.threads.iter().flat_map(|thread| &thread.buffer) {
        // What is stored may point somewhere; where it goes must not become another object.
        if let Pending::Store { base, value, .. } = pending {
            words.push(*base);
            words.extend(words_in(value));
        }
    }
    for bytes in state.memory.live.values() {
        words.extend(bytes.words(n_bytes));
    }
    words.into_iter().filter_map(|word| state.memory.whose(machine.program, word)).collect()
}
