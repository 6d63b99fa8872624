//! Which cell does an access touch, may it, and what is there at first?
//!
//! Objects are those that are there when the first thread is started, and those that threads make later; the event that makes an object is in the past of every access to it, because addresses
//! travel from write to read. Cells are numbered as they are met; two that overlap in part are refused by name.

use super::code::Code;
use super::code::local::{Next, Spot};
use super::graph::{Graph, Id, Kind};
use ir::access::bytes_of;
use ir::interp::{Cell, Origin, from_bytes, to_bytes};
use ir::{AllocKind, Property, Span, Why};
use logic::{Scalar, Sort, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The cells that were met.
#[derive(Default)]
pub(super) struct Cells {
    numbers: FxHashMap<Cell, u32>,
    /// By first byte: how many bytes a cell has.
    lengths: BTreeMap<u64, u64>,
}

impl Cells {
    /// The number of a cell; nothing if it overlaps another one in part.
    fn number(&mut self, cell: Cell) -> Option<u32> {
        if let Some(number) = self.numbers.get(&cell) {
            return Some(*number);
        }
        if let Cell::Bytes { addr, len } = cell {
            let before = self.lengths.range(..addr + len).next_back();
            if before.is_some_and(|(other, n)| other + n > addr) {
                return None;
            }
            self.lengths.insert(addr, len);
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(cell, number);
        Some(number)
    }

    /// The cell that a thread is about to access, or what comes of it otherwise.
    pub(super) fn access(
        &mut self,
        code: &Code<'_>,
        graph: &Graph,
        row: usize,
        spot: Spot,
        is_write: bool,
        span: Span,
    ) -> Result<u32, Next> {
        let cell = match spot {
            Spot::Var(var) => Cell::Var(var),
            Spot::Mem { addr, sort } => {
                let len = bytes_of(sort);
                object(code, graph, row, (addr, len), is_write).ok_or_else(|| code.wrong(Property::Deref, span))?;
                Cell::Bytes { addr, len }
            }
        };
        self.number(cell).ok_or_else(|| {
            let what = "accesses that overlap in part in the engine graphs".to_string();
            Next::Beyond(Why::Unsupported { span, what })
        })
    }
}

/// The object that contains all these bytes, as a thread sees it.
fn object(code: &Code<'_>, graph: &Graph, row: usize, (addr, len): (u64, u64), is_write: bool) -> Option<u64> {
    let base = match graph.early.memory.find(code.program, addr, len, is_write) {
        Ok(base) => base,
        Err(_) => {
            let (base, size, _, _) = graph.made(addr)?;
            (addr + len <= base + size).then_some(base)?
        }
    };
    (!is_gone(graph, row, base)).then_some(base)
}

/// Whether a thread knows that an object has ended.
fn is_gone(graph: &Graph, row: usize, base: u64) -> bool {
    let past = graph.past_of(row);
    graph.frees().any(|(id, other)| other == base && past.has(id))
}

/// What is at a place at first: nothing if nobody has written there.
pub(super) fn initial(graph: &Graph, spot: Spot) -> Option<Value> {
    match spot {
        Spot::Var(var) => graph.early.globals[var.index()].clone(),
        Spot::Mem { addr, sort } => {
            let memory = &graph.early.memory;
            let len = bytes_of(sort);
            let (base, bytes) = memory.live.range(..=addr).next_back().unzip();
            if let (Some(base), Some(bytes)) = (base, bytes)
                && addr + len <= base + bytes.size
            {
                let known: Option<Vec<u8>> = memory.read(*base, addr, len).into_iter().collect();
                return known.map(|bytes| from_bytes(sort, &bytes));
            }
            let (_, _, zeroed, _) = graph.made(addr)?;
            zeroed.then(|| Value::zero(sort.into()))
        }
    }
}

/// A value as it is found in a cell by an access of this sort.
pub(super) fn seen_as(value: &Value, spot: Spot) -> Value {
    match spot {
        Spot::Mem { sort, .. } if value.sort() != Sort::from(sort) => from_bytes(sort, &to_bytes(value)),
        _ => value.clone(),
    }
}

/// Bits of what is read at a place.
pub(super) fn bits_at(code: &Code<'_>, spot: Spot) -> u32 {
    let sort = match spot {
        Spot::Var(var) => code.program.pool.var_sort(var),
        Spot::Mem { sort, .. } => sort.into(),
    };
    match sort {
        Sort::Bool => 1,
        Sort::Bv(width) => width,
        _ => 8 * bytes_of(Scalar::F64) as u32,
    }
}

/// What happens when a thread ends the object at an address: nothing, the end of an object, or something wrong.
pub(super) enum Ends {
    Nothing,
    Object,
    Wrong,
}

/// Whether a thread may end an object.
pub(super) fn ends(graph: &Graph, row: usize, addr: u64, kind: AllocKind) -> Ends {
    if addr == 0 && kind == AllocKind::Heap {
        return Ends::Nothing;
    }
    let early = graph.early.memory.live.get(&addr).map(|bytes| bytes.origin);
    let is_early = matches!(early, Some(Origin::Made { kind: found, .. }) if found == kind);
    let is_made = graph.events().any(|(_, event)| match event.kind {
        Kind::Made { base, kind: found, .. } => base == addr && found == kind,
        _ => false,
    });
    if (is_early || is_made) && !is_gone(graph, row, addr) { Ends::Object } else { Ends::Wrong }
}

/// The events that access an object, and those that end it: whoever does either while another thread may end it.
pub(super) fn meetings(graph: &Graph, places: &dyn Fn(Id) -> Option<Spot>) -> Vec<(Id, Id)> {
    let frees: Vec<(Id, u64)> = graph.frees().collect();
    if frees.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (end, base) in frees {
        let size = graph.early.memory.live.get(&base).map(|bytes| bytes.size);
        let size = size.or_else(|| graph.made(base).map(|(_, size, _, _)| size)).unwrap_or(0);
        for (id, event) in graph.events().filter(|(id, _)| id.row != end.row) {
            let is_meant = match (&event.kind, places(id)) {
                (Kind::Freed { base: other }, _) => *other == base,
                (_, Some(Spot::Mem { addr, .. })) => base <= addr && addr < base + size.max(1),
                _ => false,
            };
            if is_meant {
                found.push((id, end));
            }
        }
    }
    found
}
