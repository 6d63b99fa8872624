//! Which objects did the program make, and what is in them? The dynamic part of a state.
//!
//! Each thread allocates in its own range of granules, as in the interpreter, so allocations of different threads commute. Unlike
//! there a number is used again once nothing can tell: an object that no word of the state points into is forgotten
//! when it is dead, and if leaks are not asked for also when it is not. So a loop that allocates and frees has finitely many
//! states. Any bytes that read as an address into an object, aligned or not, count as pointing to it.
//!
//! Invariant: objects are sorted by owner and number, a dead object has no bytes, and an object whose bytes all have a
//! value has no initialisation bits. So equal memories are equal byte strings.

use ir::DataModel;

/// A dynamic object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dynamic {
    /// The thread that made it.
    pub(crate) owner: u16,
    /// Its first granule among those of the owner.
    pub(crate) number: u32,
    pub(crate) size: u32,
    pub(crate) region: u16,
    pub(crate) is_live: bool,
    pub(crate) is_heap: bool,
    /// Whether some of its bytes may have no value yet; then initialisation bits follow the bytes.
    has_bits: bool,
    /// Where its bytes are in `Heap::bytes`.
    at: u32,
}

impl Dynamic {
    /// A number that no other object of a state has; zero stands for the fixed part.
    pub(crate) fn unit(&self) -> u32 {
        1 + (u32::from(self.owner) << 18 | self.number)
    }
}

/// The dynamic objects of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heap {
    pub(crate) objects: Vec<Dynamic>,
    bytes: Vec<u8>,
}

const LIVE: u8 = 1;
const HEAP: u8 = 2;
const BITS: u8 = 4;

fn n_bits_bytes(size: u32) -> usize {
    (size as usize).div_ceil(8)
}

impl Heap {
    /// Reads the objects of a state.
    pub(crate) fn decode(&mut self, mut from: &[u8]) {
        self.objects.clear();
        self.bytes.clear();
        while let [flags, rest @ ..] = from {
            let (owner, rest) = read_number(rest);
            let (number, rest) = read_number(rest);
            let (size, rest) = read_number(rest);
            let (region, rest) = read_number(rest);
            let (is_live, has_bits) = (flags & LIVE != 0, flags & BITS != 0);
            let length = if is_live { size as usize + if has_bits { n_bits_bytes(size) } else { 0 } } else { 0 };
            self.objects.push(Dynamic {
                owner: owner as u16,
                number,
                size,
                region: region as u16,
                is_live,
                is_heap: flags & HEAP != 0,
                has_bits,
                at: self.bytes.len() as u32,
            });
            self.bytes.extend_from_slice(&rest[..length]);
            from = &rest[length..];
        }
    }

    /// Writes the objects at the end of a state.
    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        for object in &self.objects {
            let bits = &self.bytes[object.at as usize..][..self.length(object)][..];
            let has_bits = object.is_live && object.has_bits && {
                let (bytes, bits) = bits.split_at(object.size as usize);
                debug_assert_eq!(bytes.len(), object.size as usize);
                (0..object.size as usize).any(|index| bits[index / 8] >> (index % 8) & 1 == 0)
            };
            let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
            to.push(flag(object.is_live, LIVE) | flag(object.is_heap, HEAP) | flag(has_bits, BITS));
            write_number(u32::from(object.owner), to);
            write_number(object.number, to);
            write_number(object.size, to);
            write_number(u32::from(object.region), to);
            if object.is_live {
                let length = object.size as usize + if has_bits { n_bits_bytes(object.size) } else { 0 };
                to.extend_from_slice(&bits[..length]);
            }
        }
    }

    fn length(&self, object: &Dynamic) -> usize {
        match (object.is_live, object.has_bits) {
            (false, _) => 0,
            (true, false) => object.size as usize,
            (true, true) => object.size as usize + n_bits_bytes(object.size),
        }
    }

    /// The object into whose granules an address falls, and the offset from its base.
    pub(crate) fn find(&self, model: DataModel, addr: u64) -> Option<(usize, u64)> {
        let (owner, number) = granule_of(model, addr)?;
        let after = self.objects.partition_point(|object| (u64::from(object.owner), object.number) <= (owner, number));
        let index = after.checked_sub(1)?;
        let object = &self.objects[index];
        let is_inside = u64::from(object.owner) == owner
            && u64::from(number - object.number) < model.granules(u64::from(object.size));
        is_inside.then(|| (index, addr - self.base(model, index)))
    }

    /// The address of an object.
    pub(crate) fn base(&self, model: DataModel, index: usize) -> u64 {
        let object = &self.objects[index];
        let base = model.dynamic_base(u64::from(object.owner), u64::from(object.number), u64::from(object.size));
        base.expect("it was allocated there")
    }

    /// Makes an object; `None` if the thread has no room left.
    pub(crate) fn allocate(&mut self, model: DataModel, new: NewObject) -> Option<u64> {
        let wanted = model.granules(u64::from(new.size)) as u32;
        let first = self.objects.partition_point(|object| object.owner < new.owner);
        let mut at = first;
        let mut number = 0u32;
        while let Some(object) = self.objects.get(at).filter(|object| object.owner == new.owner) {
            if number + wanted <= object.number {
                break;
            }
            number = object.number + model.granules(u64::from(object.size)) as u32;
            at += 1;
        }
        let base = model.dynamic_base(u64::from(new.owner), u64::from(number), u64::from(new.size))?;
        let start = self.bytes.len();
        self.bytes.resize(start + new.size as usize, 0);
        if !new.zeroed {
            self.bytes.resize(start + new.size as usize + n_bits_bytes(new.size), 0);
        }
        self.objects.insert(
            at,
            Dynamic {
                owner: new.owner,
                number,
                size: new.size,
                region: new.region,
                is_live: true,
                is_heap: new.is_heap,
                has_bits: !new.zeroed,
                at: start as u32,
            },
        );
        Some(base)
    }

    /// Ends an object.
    pub(crate) fn free(&mut self, index: usize) {
        self.objects[index].is_live = false;
    }

    /// The bytes of a live object.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        let object = &self.objects[index];
        &self.bytes[object.at as usize..][..object.size as usize]
    }

    /// The bytes of a live object, to be changed, and its initialisation bits.
    pub(crate) fn bytes_mut(&mut self, index: usize) -> (&mut [u8], Option<&mut [u8]>) {
        let object = &self.objects[index];
        let size = object.size as usize;
        if object.has_bits {
            let (bytes, bits) = self.bytes[object.at as usize..][..size + n_bits_bytes(object.size)].split_at_mut(size);
            (bytes, Some(bits))
        } else {
            (&mut self.bytes[object.at as usize..][..size], None)
        }
    }

    /// Whether the bytes of a live object from `first` on all have a value.
    pub(crate) fn is_known(&self, index: usize, first: usize, bytes: usize) -> bool {
        let object = &self.objects[index];
        let bits = &self.bytes[object.at as usize..][object.size as usize..];
        !object.has_bits || (first..first + bytes).all(|at| bits[at / 8] >> (at % 8) & 1 != 0)
    }

    /// Which objects the roots point to, directly or through other objects.
    pub(crate) fn reached(&self, model: DataModel, roots: &[&[u8]]) -> Vec<bool> {
        let mut reached = vec![false; self.objects.len()];
        let mut queue = Vec::new();
        let mut visit = |bytes: &[u8], queue: &mut Vec<usize>| {
            for_each_word(model, bytes, &mut |word| {
                if let Some((index, _)) = self.find(model, word)
                    && !reached[index]
                {
                    reached[index] = true;
                    queue.push(index);
                }
            });
        };
        for root in roots {
            visit(root, &mut queue);
        }
        while let Some(index) = queue.pop() {
            if self.objects[index].is_live {
                visit(self.bytes(index), &mut queue);
            }
        }
        reached
    }

    /// Forgets dead objects that nothing points to, and live ones too if `also_live`.
    pub(crate) fn forget(&mut self, model: DataModel, roots: &[&[u8]], also_live: bool) {
        if self.objects.iter().all(|object| object.is_live && !also_live) {
            return;
        }
        let reached = self.reached(model, roots);
        let mut index = 0;
        self.objects.retain(|object| {
            index += 1;
            reached[index - 1] || (object.is_live && !also_live)
        });
    }
}

/// What is allocated.
pub(crate) struct NewObject {
    pub(crate) owner: u16,
    pub(crate) size: u32,
    pub(crate) region: u16,
    pub(crate) is_heap: bool,
    pub(crate) zeroed: bool,
}

/// The thread and its granule of an address in the dynamic range.
fn granule_of(model: DataModel, addr: u64) -> Option<(u64, u32)> {
    model.thread_at(addr).map(|(owner, granule)| (owner, granule as u32))
}

/// What the top byte of an address in the dynamic range can be; never zero.
fn top_bytes(model: DataModel) -> std::ops::RangeInclusive<u8> {
    let top = |granule: u64| ((granule << model.granule_bits()) >> (8 * (model.word_bytes() - 1))) as u8;
    let first = model.first_dynamic();
    top(first)..=top(first + model.max_threads() * model.granules_per_thread() - 1)
}

/// Calls `found` with each word in the dynamic range, at any alignment.
pub(crate) fn for_each_word(model: DataModel, bytes: &[u8], found: &mut dyn FnMut(u64)) {
    let length = model.word_bytes() as usize;
    let tops = top_bytes(model);
    let mut last = length - 1;
    while last < bytes.len() {
        // The top byte of such an address is never zero; most bytes of a state are, so that eight of them are looked at together.
        if let Some(eight) = bytes.get(last..last + 8)
            && u64::from_le_bytes(eight.try_into().expect("these are eight")) == 0
        {
            last += 8;
            continue;
        }
        if tops.contains(&bytes[last]) {
            let window = &bytes[last + 1 - length..=last];
            let word = window.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            if granule_of(model, word).is_some() {
                found(word);
            }
        }
        last += 1;
    }
}

fn write_number(mut number: u32, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn read_number(mut from: &[u8]) -> (u32, &[u8]) {
    let mut number = 0;
    let mut shift = 0;
    while let [byte, rest @ ..] = from {
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        from = rest;
        if byte & 0x80 == 0 {
            break;
        }
    }
    (number, from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(owner: u16, size: u32, zeroed: bool) -> NewObject {
        NewObject { owner, size, region: 300, is_heap: true, zeroed }
    }

    #[test]
    fn numbers_are_used_again_when_nothing_points_there() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let mut heap = Heap::default();
            let a = heap.allocate(model, object(0, 4, false)).unwrap();
            let b = heap.allocate(model, object(0, 40_000, true)).unwrap();
            let c = heap.allocate(model, object(2, 8, true)).unwrap();
            assert_eq!(heap.find(model, a + 3), Some((0, 3)));
            assert_eq!(heap.find(model, b + 39_999), Some((1, 39_999)));
            assert_eq!(heap.find(model, c), Some((2, 0)));
            assert_eq!(heap.find(model, c - 1), None);
            heap.free(0);
            let root = [&[7u8], &a.to_le_bytes()[..model.word_bytes() as usize]].concat();
            heap.forget(model, &[&root], false);
            assert_eq!(heap.objects.len(), 3, "a pointer to the dead object is left");
            assert_ne!(heap.allocate(model, object(0, 4, true)), Some(a));
            heap.forget(model, &[], false);
            assert_eq!(heap.objects.len(), 3);
            assert_eq!(heap.allocate(model, object(0, 4, true)), Some(a));
        }
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let model = DataModel::Lp64;
        let mut heap = Heap::default();
        heap.allocate(model, object(1, 3, false)).unwrap();
        let second = heap.allocate(model, object(1, 200, true)).unwrap();
        heap.allocate(model, object(0, 9, false)).unwrap();
        let (bytes, bits) = heap.bytes_mut(1);
        bytes.copy_from_slice(&[1, 2, 3]);
        bits.unwrap()[0] = 7;
        let mut text = Vec::new();
        heap.encode(&mut text);
        let mut again = Heap::default();
        again.decode(&text);
        assert_eq!(again.objects.len(), 3);
        assert!(again.bytes_mut(1).1.is_none(), "all bytes have a value");
        assert!(again.bytes_mut(0).1.is_some());
        assert_eq!(again.bytes(1), [1, 2, 3]);
        assert_eq!(again.find(model, second), Some((2, 0)));
        let mut text_again = Vec::new();
        again.encode(&mut text_again);
        assert_eq!(text, text_again);
    }
}
