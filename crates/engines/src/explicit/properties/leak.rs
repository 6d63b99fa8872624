//! What was not given back when the process ended normally? The objects that `ir::interp` names, and perhaps some more.
//!
//! A live heap object is lost if no chain of words leads to it from globals, static and stack objects, and variables of threads that still run. Of these only such are kept that somebody
//! will read, so that replay may find that a block is named after all, by a variable that nobody reads any more. Any word, at any
//! offset, whose bytes all have a value and which points into an object or right behind it leads there. This is exact where
//! `Heap::forget` is cautious: there a word too many only costs states, here it would hide a violation.

use crate::explicit::compile::Code;
use crate::explicit::compile::layout::Kept;
use crate::explicit::state::heap::Heap;
use crate::explicit::state::read_word;
use ir::{ObjectKind, Property};

/// The property that the live objects violate, if any.
pub(crate) fn find(code: &Code, fixed: &[u8], heap: &Heap, locals: &[u64]) -> Option<Property> {
    let properties = code.properties;
    let is_live_heap = |index: &usize| heap.objects[*index].is_live && heap.objects[*index].is_heap;
    let live: Vec<usize> = (0..heap.objects.len()).filter(is_live_heap).collect();
    if live.is_empty() {
        return None;
    }
    if properties.has(Property::MemTrack) {
        let reached = reached(code, fixed, heap, locals);
        if live.iter().any(|index| !reached[*index]) {
            return Some(Property::MemTrack);
        }
    }
    properties.has(Property::MemCleanup).then_some(Property::MemCleanup)
}

fn reached(code: &Code, fixed: &[u8], heap: &Heap, locals: &[u64]) -> Vec<bool> {
    let model = code.program.data_model;
    let word_bytes = model.word_bytes() as usize;
    let mut reached: Vec<bool> = heap.objects.iter().map(|object| object.is_live && !object.is_heap).collect();
    let mut queue: Vec<usize> = (0..reached.len()).filter(|index| reached[*index]).collect();
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
    for word in locals {
        visit(*word, &mut queue);
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
