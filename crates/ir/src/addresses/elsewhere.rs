//! Does a program that looks at addresses go wrong where they are others?
//!
//! Such a program is refused, since one layout says nothing about all. But if it goes wrong in some layout that C allows, it is wrong: so
//! it is given with its objects in a few other places too, without the checks that refuse to look. Its edges have the same numbers, so that a
//! trace of one is told like a trace of the other. That none of them goes wrong proves nothing.

use super::Layout;
use super::guard::place_objects;
use super::value::Base;
use crate::memory::{ObjectId, ObjectKind, Placement};
use crate::program::Program;
use logic::{BitVec, Value};

/// What `malloc` promises.
const HEAP_ALIGN: u64 = 16;
/// The most that can be asked for.
const MAX_ALIGN: u64 = 16384;
/// Functions whose callers say how what they allocate is aligned.
const ALIGNED: [&str; 2] = ["aligned_alloc", "valloc"];

/// The program, whose statements from site `first_new` on are checks, with objects in other places.
pub(super) fn programs(guarded: &Program, layout: &Layout, first_new: u32) -> Vec<Program> {
    let may_ask = guarded.procs.iter().any(|proc| ALIGNED.contains(&proc.name.as_str()));
    let by = layout.site_align.values().copied().max().unwrap_or(1).max(if may_ask { MAX_ALIGN } else { HEAP_ALIGN });
    let placements = [Placement::Downwards { by }, Placement::Again { by }];
    let program = |placement| {
        let mut program = guarded.clone();
        program.placement = placement;
        for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
            edge.stmts.retain(|stmt| stmt.site.0 < first_new);
        }
        turn_round(&mut program, layout);
        place_objects(&mut program, layout, false);
        program
    };
    placements.map(program).into()
}

/// Puts the static objects in the opposite order, each at a multiple of no more than its alignment, and mends the initial values that
/// are addresses.
fn turn_round(program: &mut Program, layout: &Layout) {
    let granule = program.data_model.granule_bits();
    let (first, end) = (program.data_model.first_static(), program.data_model.first_promoted());
    let old: Vec<(u64, u64)> = program.objects.iter().map(|object| (object.base, object.size)).collect();
    for (index, object) in program.objects.iter_mut().enumerate() {
        let from_end = (object.base >> granule) - first + program.data_model.granules(object.size);
        let align = layout.align_of(Base::Object(ObjectId(index as u32)));
        let is_data = matches!(object.kind, ObjectKind::Data | ObjectKind::ReadOnly);
        object.base = ((end - from_end) << granule) + if is_data { align } else { 0 };
    }
    let new: Vec<u64> = program.objects.iter().map(|object| object.base).collect();
    let word = program.data_model.word_bits();
    let moved = |value: &Value| -> Option<Value> {
        let Value::Bv(bits) = value else { return None };
        let address = bits.to_u64().filter(|address| bits.width() == word && layout.initial.contains(address))?;
        let is_in = |(base, size): &(u64, u64)| (*base..=*base + *size).contains(&address);
        let object = old.iter().position(is_in)?;
        Some(Value::Bv(BitVec::new(word, new[object] + (address - old[object].0))))
    };
    for value in program.objects.iter_mut().flat_map(|object| object.init.iter_mut()).map(|(_, value)| value) {
        *value = moved(value).unwrap_or_else(|| value.clone());
    }
    for init in program.vars.iter_mut().filter_map(|variable| variable.init.as_mut()) {
        *init = moved(init).unwrap_or_else(|| init.clone());
    }
}
