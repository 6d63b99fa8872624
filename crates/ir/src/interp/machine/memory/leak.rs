//! What was not given back? Heap objects still live when the process ends normally.
//!
//! An object is lost (`MemTrack`) if no chain of words leads to it from what is there then: global variables, static objects, and the local
//! variables of functions that have not returned, in threads that still run. Every word at every offset counts as a pointer to the object that it points into or right behind, so
//! that an object is called lost only if nothing can name it. Notes that the models of the library take of addresses name nothing.

use super::{Origin, words_in};
use crate::interp::machine::names::Namer;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::AllocKind;
use std::collections::BTreeSet;

/// The violated property and the objects that violate it: name and where they were made.
pub(in crate::interp) fn find(
    machine: &Machine<'_>,
    state: &State,
    properties: Properties,
) -> Option<(Property, Vec<(String, Span)>)> {
    let heap: Vec<u64> =
        state.memory.live.iter().filter(|(_, bytes)| is_heap(bytes.origin)).map(|(base, _)| *base).collect();
    let lost: Vec<u64> = if properties.has(Property::MemTrack) && !heap.is_empty() {
        let reached = reached(machine, state);
        heap.iter().copied().filter(|base| !reached.contains(base)).collect()
    } else {
        Vec::new()
    };
    let (property, objects) = match () {
        () if !lost.is_empty() => (Property::MemTrack, lost),
        () if properties.has(Property::MemCleanup) && !heap.is_empty() => (Property::MemCleanup, heap),
        () => return None,
    };
    let namer = Namer::new(machine, state);
    Some((property, objects.iter().map(|base| (namer.object(*base), namer.made_at(*base))).collect()))
}

fn is_heap(origin: Origin) -> bool {
    matches!(origin, Origin::Made { kind: AllocKind::Heap, .. })
}

/// The objects that a chain of words leads to.
fn reached(machine: &Machine<'_>, state: &State) -> BTreeSet<u64> {
    let memory = &state.memory;
    let n_bytes = machine.program.data_model.word_bytes();
    let mut reached = BTreeSet::new();
    let mut todo: Vec<u64> = memory
        .live
        .iter()
        .filter(|(_, bytes)| match bytes.origin {
            Origin::Static(object) => !machine.program.object(object).is_note(),
            Origin::Made { kind, .. } => kind != AllocKind::Heap,
        })
        .map(|(base, _)| *base)
        .collect();
    let visit = |word: u64, reached: &mut BTreeSet<u64>, todo: &mut Vec<u64>| {
        let object = memory.live.range(..=word).next_back();
        if let Some((base, bytes)) = object
            && word - base <= bytes.size
            && reached.insert(*base)
        {
            todo.push(*base);
        }
    };
    let of_threads = state.threads.iter().filter(|thread| !thread.has_ended());
    let locals = of_threads.flat_map(|thread| thread.vars.iter().chain(thread.frames.iter().flat_map(|f| &f.locals)));
    for value in state.globals.iter().flatten().chain(locals) {
        for word in words_in(value) {
            visit(word, &mut reached, &mut todo);
        }
    }
    while let Some(base) = todo.pop() {
        for word in memory.live[&base].words(n_bytes) {
            visit(word, &mut reached, &mut todo);
        }
    }
    reached
}
