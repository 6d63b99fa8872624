//! Where do objects live? Each object has a range of addresses of its own; a pointer is a machine word.
//!
//! A pointer's high bits name the object and its low bits are the offset, so `(object, offset)` and the word are the
//! same thing: pointer arithmetic is plain arithmetic, casts between pointers and integers of the same width lose
//! nothing, null is 0, and an integer that was made into a pointer points nowhere. Memory holds bytes, little-endian;
//! what an access means is therefore clear for unions, `memcpy` and casts alike. That accesses fall into
//! separate regions and whole cells is found by analysis (`pass::split_regions`), not assumed.
//!
//! Addresses are cut into granules: 2^32 bytes under LP64, 2^14 under ILP32 (a larger object takes several). Static
//! objects come first, then those that passes make of allocations (`first_promoted`); allocations of thread t get granules from
//! `first_dynamic + t * granules_per_thread` on, so that allocations of different threads commute. An object's neighbour granule is
//! never in use, so that running off an object does not land in another. Nor does a jump: any two objects are a multiple of `stride`
//! granules apart, which is no round number, since what a mistaken program adds to a pointer is one (`p[1u << 31]`).
//! This is one of the layouts that C allows; `addresses` sees to it that no answer depends on it.

use crate::program::{Format, ProcId};
use crate::source::Span;
use crate::stmt::AllocSite;
use logic::Value;

/// Sizes of the C types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    /// int, long and pointers have 32 bits.
    Ilp32,
    /// int has 32 bits, long and pointers 64.
    Lp64,
}

impl DataModel {
    /// Bits of a pointer.
    pub fn word_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Bytes of a pointer.
    pub fn word_bytes(self) -> u64 {
        u64::from(self.word_bits() / 8)
    }

    /// log2 of the bytes of a granule.
    pub fn granule_bits(self) -> u32 {
        match self {
            DataModel::Ilp32 => 14,
            DataModel::Lp64 => 32,
        }
    }

    /// What the distance of any two objects is a multiple of, in granules: odd, so that no power of two is one.
    pub const fn stride(self) -> u64 {
        match self {
            DataModel::Ilp32 => 3,
            DataModel::Lp64 => 7,
        }
    }

    /// The first granule of static objects: small numbers do not look like addresses.
    pub fn first_static(self) -> u64 {
        self.first_dynamic() / 4
    }

    /// The first granule of allocations.
    pub const fn first_dynamic(self) -> u64 {
        match self {
            DataModel::Ilp32 => self.stride() << 14,
            DataModel::Lp64 => self.stride() << 25,
        }
    }

    /// The first granule of allocations that a pass has made static objects; those of the program come before.
    pub fn first_promoted(self) -> u64 {
        self.first_dynamic() / 2
    }

    /// How many granules each thread may allocate.
    pub const fn granules_per_thread(self) -> u64 {
        match self {
            DataModel::Ilp32 => self.stride() << 9,
            DataModel::Lp64 => self.stride() << 17,
        }
    }

    /// How many threads can allocate.
    pub const fn max_threads(self) -> u64 {
        match self {
            DataModel::Ilp32 => 1 << 7,
            DataModel::Lp64 => 1 << 11,
        }
    }

    /// Granules that an object of `size` bytes takes, its guard included.
    pub fn granules(self, size: u64) -> u64 {
        ((size >> self.granule_bits()) + 2).next_multiple_of(self.stride())
    }

    /// The thread that allocates at an address, and the granule among those of that thread.
    pub fn thread_at(self, address: u64) -> Option<(u64, u64)> {
        let granule = (address >> self.granule_bits()).checked_sub(self.first_dynamic())?;
        // Divisors that the compiler knows: engines ask for each access.
        const ILP32: u64 = DataModel::Ilp32.granules_per_thread();
        const LP64: u64 = DataModel::Lp64.granules_per_thread();
        let (thread, own) = match self {
            DataModel::Ilp32 => (granule / ILP32, granule % ILP32),
            DataModel::Lp64 => (granule / LP64, granule % LP64),
        };
        (thread < self.max_threads()).then_some((thread, own))
    }

    /// The addresses at which a thread allocates; none if there are not so many threads.
    pub fn addresses_of(self, thread: u64) -> Option<std::ops::Range<u64>> {
        let first = self.first_dynamic() + thread * self.granules_per_thread();
        let end = first + self.granules_per_thread();
        (thread < self.max_threads()).then_some(first << self.granule_bits()..end << self.granule_bits())
    }

    /// The address of the `n`-th granule of thread index `thread`; `None` when there is no room.
    pub fn dynamic_base(self, thread: u64, n: u64, size: u64) -> Option<u64> {
        let room = self.granules_per_thread();
        if thread >= self.max_threads() || n + self.granules(size) > room {
            return None;
        }
        Some((self.first_dynamic() + thread * room + n) << self.granule_bits())
    }

    /// The same counted from the last granule of the thread, and `by` bytes further.
    pub fn dynamic_base_down(self, thread: u64, n: u64, size: u64, by: u64) -> Option<u64> {
        self.dynamic_base(thread, n, size)?;
        let at = self.granules_per_thread() - n - self.granules(size);
        Some(((self.first_dynamic() + thread * self.granules_per_thread() + at) << self.granule_bits()) + by)
    }
}

/// Where objects are put. C leaves it open; nothing but the first is known to engines, since a program that looks at addresses is refused
/// there (`addresses`). The others serve to show that such a program can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// Each object has addresses of its own, static ones first, and those of a thread go up.
    #[default]
    Apart,
    /// The other way round, and at multiples of no more than what is promised.
    Downwards {
        /// What allocations are moved by, from where they are aligned best.
        by: u64,
    },
    /// Likewise, and whatever is made lies where one of its size lay that is gone.
    Again {
        /// What allocations are moved by, from where they are aligned best.
        by: u64,
    },
}

/// Names a static object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ObjectId(pub u32);

/// What stands behind a static object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectKind {
    /// Data that may be written.
    Data,
    /// Data that may not be written (string literals, `const`).
    ReadOnly,
    /// A function; it has an address but no bytes.
    Function(ProcId),
    /// A function without a body that the program takes the address of; calling it is refused.
    Extern,
}

/// What the bytes are before the first write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fill {
    /// Zero.
    Zero,
    /// Any value, chosen when first read.
    Any,
}

/// A static object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name in the source.
    pub name: String,
    /// Its address.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// What it is.
    pub kind: ObjectKind,
    /// The bytes that nothing in `init` covers.
    pub fill: Fill,
    /// Initial contents: (offset, scalar value), not overlapping.
    pub init: Vec<(u64, Value)>,
    /// How to show its parts.
    pub shape: Shape,
    /// Where it is declared.
    pub span: Span,
}

/// How objects are called in which models of the library note addresses for themselves.
const NOTES: &str = "__ravel_noted";

impl Object {
    /// Whether the library notes addresses here for itself, which a program cannot get at: what only such notes name is lost.
    pub fn is_note(&self) -> bool {
        self.name.starts_with(NOTES)
    }
}

/// How an object is built, only to name its parts to a person: `queue.slot[3].next`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A number or a pointer of some bytes.
    Scalar {
        /// Bytes.
        size: u64,
        /// How it is shown.
        format: Format,
    },
    /// Equal parts one after the other.
    Array {
        /// One part.
        element: Box<Shape>,
        /// How many; 0 for as many as there is room for, at the end of an object.
        len: u64,
    },
    /// Named parts at offsets; those of a union overlap.
    Record {
        /// Bytes.
        size: u64,
        /// (name, offset, shape).
        fields: Vec<(String, u64, Shape)>,
    },
    /// Bytes of no known structure.
    Bytes(u64),
}

impl Shape {
    /// Bytes it takes.
    pub fn size(&self) -> u64 {
        match self {
            Shape::Scalar { size, .. } | Shape::Record { size, .. } | Shape::Bytes(size) => *size,
            Shape::Array { element, len } => element.size() * len,
        }
    }

    /// The field of a record that an offset is in: a flexible array member has no end.
    pub fn field(&self, offset: u64) -> Option<&(String, u64, Shape)> {
        let Shape::Record { fields, .. } = self else { return None };
        let inside = |(_, start, shape): &&(String, u64, Shape)| offset >= *start && offset < *start + shape.size();
        let open = || fields.last().filter(|(_, start, shape)| shape.is_endless() && offset >= *start);
        fields.iter().find(inside).or_else(open)
    }

    /// Whether it ends where the object ends: a flexible array member, or a record with one.
    pub fn is_endless(&self) -> bool {
        match self {
            Shape::Array { len, .. } => *len == 0,
            Shape::Record { fields, .. } => fields.last().is_some_and(|(_, _, shape)| shape.is_endless()),
            Shape::Scalar { .. } | Shape::Bytes(_) => false,
        }
    }

    /// The path (`.a[2]`) and the format of the scalar at an offset, as far as the structure tells.
    pub fn path(&self, offset: u64) -> (String, Option<Format>) {
        match self {
            Shape::Scalar { format, .. } if offset == 0 => (String::new(), Some(*format)),
            Shape::Scalar { .. } => (format!("+{offset}"), None),
            Shape::Array { element, .. } if element.size() > 0 => {
                let (rest, format) = element.path(offset % element.size());
                (format!("[{}]{rest}", offset / element.size()), format)
            }
            Shape::Record { .. } => match self.field(offset) {
                Some((name, start, shape)) => {
                    let (rest, format) = shape.path(offset - start);
                    (format!(".{name}{rest}"), format)
                }
                None => (format!("+{offset}"), None),
            },
            _ if offset == 0 => (String::new(), None),
            _ => (format!("+{offset}"), None),
        }
    }
}

/// What an allocation is taken for, only to name its parts to a person: `node->next`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pointee {
    /// The variable that gets its address first, if it is one.
    pub pointer: Option<String>,
    /// What the pointer points to; the allocation may have several of them.
    pub shape: Shape,
}

/// Names a region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct RegionId(pub u32);

impl RegionId {
    /// The region of an access about which nothing is known.
    pub const ANYWHERE: RegionId = RegionId(0);
}

/// A class of objects such that an access of one region never touches an object of another.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// The static objects in it.
    pub objects: Vec<ObjectId>,
    /// The `Alloc` statements whose objects are in it.
    pub sites: Vec<AllocSite>,
    /// If all accesses have this many bytes and are aligned to it: memory is an array of such cells.
    pub cell: Option<u64>,
    /// Whether no two accesses overlap in part, so that every cell is read and written whole.
    pub is_exact: bool,
}

impl Region {
    /// The region that may be anything.
    pub fn anywhere() -> Region {
        Region::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flexible_array_member_goes_on_to_the_end_of_its_object() {
        let number = Shape::Scalar { size: 8, format: Format::Signed };
        let open = Shape::Array { element: Box::new(number.clone()), len: 0 };
        let field = |name: &str, offset, shape: &Shape| (name.to_string(), offset, shape.clone());
        let record = Shape::Record { size: 8, fields: vec![field("n", 0, &number), field("values", 8, &open)] };
        assert!(record.is_endless() && !number.is_endless());
        assert_eq!(record.path(0).0, ".n");
        assert_eq!(record.path(24).0, ".values[2]");
    }

    /// What is added to a pointer by mistake is a round number of elements; none of them leads from one of some hundred objects into
    /// another, unless that has a thousand bytes.
    #[test]
    fn round_numbers_lead_nowhere() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let stride = u128::from(model.stride()) << model.granule_bits();
            let bits = model.word_bits();
            let twos = (0..bits).map(|bit| 1u128 << bit);
            let tens = (0..20).map(|digits| 10u128.pow(digits)).filter(|ten| *ten < 1 << bits);
            for number in twos.chain(tens) {
                for size in [1, 2, 4, 8, 10, 16, 20, 40] {
                    let (away, bytes) = (number * size % stride, number * size);
                    let is_near = bytes >= stride / 2 && bytes < 512 * stride;
                    let lands = is_near && (away < 1024 || stride - away < 1024);
                    assert!(!lands, "{number} elements of {size} bytes under {model:?}");
                }
            }
        }
    }

    #[test]
    fn all_objects_are_a_multiple_of_the_stride_apart() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let stride = model.stride();
            let firsts = [model.first_static(), model.first_promoted(), model.first_dynamic()];
            assert!(firsts.iter().all(|first| first % stride == 0), "{firsts:?}");
            for size in [0, 1, 1 << 14, (1 << 33) + 5] {
                assert_eq!(model.granules(size) % stride, 0);
            }
            for thread in [0, 1, model.max_threads() - 1] {
                let base = model.dynamic_base(thread, stride, 16).expect("there is room");
                assert_eq!((base >> model.granule_bits()) % stride, 0);
                assert_eq!(model.thread_at(base), Some((thread, stride)));
            }
            let end = model.addresses_of(model.max_threads() - 1).expect("it is the last thread").end;
            assert!(end < 1 << (model.word_bits() - u32::from(model == DataModel::Lp64)), "{end:#x}");
        }
    }
}
