//! What was not given back when the process ended normally? The same objects that `ir::interp` names.
//!
//! A live heap object is lost if no chain of words leads to it from globals and static objects; any word, at any
//! offset, whose bytes all have a value and which points into an object or right behind it leads there. This is exact where
//! `Heap::forget` is cautious: there a word too many only costs states, here it would hide a violation.

use crate::explicit::compile::Code;
use crate::explicit::compile::layout::Kept;
use crate::explicit::state::heap::Heap;
use crate::explicit::state::read_word;
use ir::{ObjectKind, Property};

/// The property that the live objects violate, if any.
pub(crate) fn find(code: &Code, fixed: &[u8], heap: &Heap) -> Option<Property> {
    let properties = code.properties;
    let is_live_heap = |index: &usize| heap.objects[*index].is_live && heap.objects[*index].is_heap;
    let live: Vec<usize> = (0..heap.objects.len()).filter(is_live_heap).collect();
    if live.is_empty() {
        return None;
    }
    if properties.has(Property::MemTrack) {
        let reached = reached(code, fixed, heap);
        if live.iter().any(|index| !reached[*index]) {
            return Some(Property::MemTrack);
        }
    }
    properties.has(Property::MemCleanup).then_some(Property::MemCleanup)
}

fn reached(code: &Code, fixed: &[u8], heap: &Heap) -> Vec<bool> {
    let model = code.program.data_model;
    let word_bytes = model.word_bytes() as usize;
    let mut reached = vec![false; heap.objects.len()];
    let mut queue = Vec::new();
    let mut visit = |word: u64, queue: &mut Vec<usize>| {
        if let Some((index, offset)) = heap.find(model, word)
            && heap.objects[index].is_live
            && offset <= u64::from(heap.objects[index].size)
            && !reached[index]
        {
            reached[index] = true;
            queue.push(index);
        }
    };
    for (var, at) in &code.layout.globals {
        let bytes = crate::explicit::compile::code::bytes_of(code.program.pool.var_sort(*var)) as usize;
        visit(read_word(fixed, *at as usize, bytes), &mut queue);
    }
    for object in &code.layout.statics {
        let Kept::Fixed(at, bits) = object.kept else { continue };
        if code.program.objects[object.object as usize].is_note() {
            continue;
        }
        debug_assert_eq!(code.program.objects[object.object as usize].kind, ObjectKind::Data);
        let (at, size) = (at as usize, object.size as usize);
        for first in 0..(size + 1).saturating_sub(word_bytes) {
            let is_known = bits.is_none_or(|bits| {
                (first..first + word_bytes).all(|byte| fixed[bits as usize + byte / 8] >> (byte % 8) & 1 != 0)
            });
            if is_known {
                visit(read_word(fixed, at + first, word_bytes), &mut queue);
            }
        }
    }
    while let Some(index) = queue.pop() {
        let size = heap.objects[index].size as usize;
        for first in 0..(size + 1).saturating_sub(word_bytes) {
            if heap.is_known(index, first, word_bytes) {
                visit(read_word(heap.bytes(index), first, word_bytes), &mut queue);
            }
        }
    }
    reached
}
