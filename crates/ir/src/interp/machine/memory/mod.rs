//! What is in memory? Objects at addresses, each a sparse map from offsets to bytes.
//!
//! Values are stored little-endian; a truth value is a byte that is 0 or 1 (any other byte reads as true). Bytes that
//! were never written are zero or, where the object's fill says so, not there at all: whoever reads them chooses.
//!
//! Invariant: equal contents are equal maps. In an object filled with zero no zero byte is kept.

pub(in crate::interp) mod leak;
pub(in crate::interp) mod objects;
pub(in crate::interp) mod reuse;

use crate::memory::{Fill, ObjectId, ObjectKind};
use crate::program::Program;
use crate::source::Span;
use crate::stmt::{AllocKind, SiteId};
use logic::{BitVec, Scalar, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// A static object.
    Static(ObjectId),
    /// Made by an `Alloc`.
    Made {
        /// Where it lives.
        kind: AllocKind,
        /// The statement that made it.
        site: SiteId,
        /// The user's line on behalf of which it was made.
        span: Span,
        /// The variable that got the address.
        var: VarId,
    },
}

/// A live object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Bytes {
    /// How many bytes it has.
    pub size: u64,
    /// What it is.
    pub origin: Origin,
    /// What bytes are before they are written.
    pub fill: Fill,
    /// Those that were written, by offset.
    written: BTreeMap<u64, u8>,
}

/// An object that is no more; kept to tell what a bad pointer pointed to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gone {
    /// How many bytes it had.
    pub size: u64,
    /// What it was.
    pub origin: Origin,
}

/// All objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Memory {
    /// Live ones, by address.
    pub live: BTreeMap<u64, Bytes>,
    /// Freed ones, by address.
    pub gone: BTreeMap<u64, Gone>,
}

/// Why bytes cannot be accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The address is 0.
    Null,
    /// There is no object.
    Nowhere,
    /// The object at this address is no more.
    Gone(u64),
    /// Not all bytes are inside the object at this address.
    Outside(u64),
    /// The first byte is shortly before the object at this address.
    Below(u64),
    /// The object at this address may not be written.
    ReadOnly(u64),
    /// The object at this address is a function.
    Function(u64),
}

impl Memory {
    /// The static objects of a program, with their initial contents.
    pub fn of(program: &Program) -> Memory {
        let mut memory = Memory::default();
        for (index, object) in program.objects.iter().enumerate() {
            let origin = Origin::Static(ObjectId(index as u32));
            let mut bytes = Bytes { size: object.size, origin, fill: object.fill, written: BTreeMap::new() };
            for (offset, value) in &object.init {
                for (i, byte) in to_bytes(value).into_iter().enumerate() {
                    bytes.set(offset + i as u64, byte);
                }
            }
            memory.live.insert(object.base, bytes);
        }
        memory
    }

    /// Adds an object.
    pub fn make(&mut self, base: u64, size: u64, fill: Fill, origin: Origin) {
        self.live.insert(base, Bytes { size, origin, fill, written: BTreeMap::new() });
    }

    /// Ends the object at this address, which is live.
    pub fn end(&mut self, base: u64) -> Gone {
        let bytes = self.live.remove(&base).expect("only live objects are ended");
        let gone = Gone { size: bytes.size, origin: bytes.origin };
        self.gone.insert(base, gone.clone());
        gone
    }

    /// The live object that contains all these bytes: its address.
    pub fn find(&self, program: &Program, addr: u64, len: u64, is_write: bool) -> Result<u64, Fault> {
        if addr == 0 {
            return Err(Fault::Null);
        }
        let Some((base, bytes)) = self.live.range(..=addr).next_back() else {
            let whose = || self.whose(program, addr).map_or(Fault::Nowhere, Fault::Gone);
            return Err(self.above(program, addr).map_or_else(whose, Fault::Below));
        };
        let kind = match bytes.origin {
            Origin::Static(object) => program.object(object).kind,
            Origin::Made { .. } => ObjectKind::Data,
        };
        let is_function = matches!(kind, ObjectKind::Function(_) | ObjectKind::Extern);
        if u128::from(addr) + u128::from(len) > u128::from(*base) + u128::from(bytes.size) {
            if let Some(above) = self.above(program, addr) {
                return Err(Fault::Below(above));
            }
            let base = self.whose(program, addr).ok_or(Fault::Nowhere)?;
            return Err(match () {
                () if self.gone.contains_key(&base) => Fault::Gone(base),
                () if is_function => Fault::Function(base),
                () => Fault::Outside(base),
            });
        }
        match kind {
            ObjectKind::Function(_) | ObjectKind::Extern => Err(Fault::Function(*base)),
            ObjectKind::ReadOnly if is_write => Err(Fault::ReadOnly(*base)),
            ObjectKind::ReadOnly | ObjectKind::Data => Ok(*base),
        }
    }

    /// The object, live or gone, in whose granules an address lies.
    pub fn whose(&self, program: &Program, addr: u64) -> Option<u64> {
        let live = self.live.range(..=addr).next_back().map(|(base, bytes)| (*base, bytes.size));
        let gone = self.gone.range(..=addr).next_back().map(|(base, gone)| (*base, gone.size));
        let (base, size) = live.max(gone)?;
        let model = program.data_model;
        let granules_away = (addr - base) >> model.granule_bits();
        (granules_away < model.granules(size)).then_some(base)
    }

    /// The object, live or gone, that an address lies shortly before.
    pub fn above(&self, program: &Program, addr: u64) -> Option<u64> {
        let last = addr.checked_add(1 << (program.data_model.granule_bits() - 1))?;
        let near = addr + 1..=last;
        let live = self.live.range(near.clone()).next().map(|(base, _)| *base);
        let gone = self.gone.range(near).next().map(|(base, _)| *base);
        live.into_iter().chain(gone).min()
    }

    /// The bytes at an address inside the object at `base`; `None` for those nobody has written.
    pub fn read(&self, base: u64, addr: u64, len: u64) -> Vec<Option<u8>> {
        let bytes = &self.live[&base];
        (addr - base..addr - base + len).map(|offset| bytes.get(offset)).collect()
    }

    /// Writes bytes at an address inside the object at `base`.
    pub fn write(&mut self, base: u64, addr: u64, new: &[u8]) {
        let bytes = self.live.get_mut(&base).expect("only live objects are written");
        for (i, byte) in new.iter().enumerate() {
            bytes.set(addr - base + i as u64, *byte);
        }
    }
}

impl Bytes {
    /// The byte at an offset, unless nobody has written it.
    pub fn get(&self, offset: u64) -> Option<u8> {
        let unwritten = match self.fill {
            Fill::Zero => Some(0),
            Fill::Any => None,
        };
        self.written.get(&offset).copied().or(unwritten)
    }

    /// The bytes that differ from the fill, by offset.
    pub fn written(&self) -> impl Iterator<Item = (u64, u8)> {
        self.written.iter().map(|(offset, byte)| (*offset, *byte))
    }

    /// All words in it, at any offset, whose bytes have values; zero where nothing was written is left out.
    pub(in crate::interp) fn words(&self, n_bytes: u64) -> Vec<u64> {
        let starts: BTreeSet<u64> =
            self.written().flat_map(|(offset, _)| offset.saturating_sub(n_bytes - 1)..=offset).collect();
        let word = |start: u64| {
            let shifted = |i: u64| self.get(start + i).map(|byte| u64::from(byte) << (8 * i));
            (0..n_bytes).map(shifted).try_fold(0, |word, byte| Some(word | byte?))
        };
        starts.into_iter().filter_map(word).collect()
    }

    fn set(&mut self, offset: u64, byte: u8) {
        if byte == 0 && self.fill == Fill::Zero {
            self.written.remove(&offset);
        } else {
            self.written.insert(offset, byte);
        }
    }
}

/// A value as it lies in memory.
pub fn to_bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Bool(value) => vec![u8::from(*value)],
        Value::Bv(bits) => bits.to_bytes_le(),
        Value::F32(bits) => bits.to_le_bytes().to_vec(),
        Value::F64(bits) => bits.to_le_bytes().to_vec(),
        Value::Array(_) => panic!("arrays are variables, not memory"),
    }
}

/// The value that these bytes are.
pub fn from_bytes(sort: Scalar, bytes: &[u8]) -> Value {
    let bits = |width| BitVec::from_bytes_le(width, bytes);
    match sort {
        Scalar::Bool => Value::Bool(bytes[0] != 0),
        Scalar::Bv(width) => Value::Bv(bits(width)),
        Scalar::F32 => Value::F32(bits(32).as_u64() as u32).normalised(),
        Scalar::F64 => Value::F64(bits(64).as_u64()).normalised(),
    }
}

/// All words in a value.
pub(in crate::interp) fn words_in(value: &Value) -> Vec<u64> {
    match value {
        Value::Bv(bits) => vec![bits.as_u64()],
        Value::Array(array) => {
            let elements = array.exceptions().map(|(_, element)| element).chain([array.default()]);
            elements.flat_map(words_in).collect()
        }
        Value::Bool(_) | Value::F32(_) | Value::F64(_) => Vec::new(),
    }
}
