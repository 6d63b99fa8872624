//! What does a step do to the bytes of a state? The state under construction, and every access to it.
//!
//! Addresses are looked up among the static objects first and among the dynamic ones, which are unpacked on first use, after
//! that. What a step touches is noted as it goes, for the reductions and for races.
//!
//! Invariant: bytes that were never written are chosen once, and written when they are.

use super::*;
use crate::explicit::compile::Code;
use crate::explicit::compile::code::*;
use crate::explicit::compile::layout::Kept;
use crate::explicit::state::heap::{Heap, NewObject};
use crate::explicit::state::{read_word, write_word};
use ir::{DataModel, ObjectKind, Property, RegionId, SiteId, Span, Why};
use logic::Value;
use smallvec::SmallVec;

/// The state that is being built.
pub(crate) struct Work<'c> {
    pub(crate) code: &'c Code,
    pub(crate) model: DataModel,
    pub(crate) next: Vec<u8>,
    pub(crate) heap: Heap,
    /// Whether `heap` has been read from the state.
    pub(crate) has_heap: bool,
    pub(crate) writes_heap: bool,
    /// Whether nobody wants the state that the step leads to.
    pub(crate) only_looks: bool,
    pub(crate) new_threads: Vec<u8>,
    pub(crate) n_new: usize,
    pub(crate) choices: Choices,
    pub(crate) n_chosen: usize,
    /// Whether bytes were read that nobody has written.
    pub(crate) saw_unwritten: bool,
    /// Whether the run depends on nothing but the thread and the bytes it was noted to read, and changes nothing but the thread's record and the bytes it was noted to write.
    pub(crate) is_plain: bool,
    /// Whether a few values are tried of inputs that have too many.
    pub(crate) samples: bool,
    /// Why not all values of some input have been tried, in any run.
    pub(crate) sampled: Option<Why>,
    pub(crate) touched: Vec<Touched>,
    pub(crate) inputs: Vec<(SiteId, Value)>,
    pub(crate) forgets_live: bool,
    pub(crate) enumerate: u32,
    pub(crate) max_threads: usize,
}

/// Where an address leads.
enum Found {
    Fixed { at: usize, bits: Option<(usize, usize)> },
    Constant(usize),
    Dynamic { index: usize, offset: usize },
}

impl Work<'_> {
    pub(crate) fn begin(&mut self, prefix: &[u8]) {
        self.next.clear();
        self.next.extend_from_slice(prefix);
        self.has_heap = false;
        self.writes_heap = false;
        self.new_threads.clear();
        self.n_new = 0;
        self.n_chosen = 0;
        self.saw_unwritten = false;
        self.is_plain = true;
        self.touched.clear();
        self.inputs.clear();
    }

    pub(crate) fn push_pc(&mut self, pc: Pc) {
        self.next.extend_from_slice(&(pc as u16).to_le_bytes()[..self.code.pc_bytes as usize]);
    }

    pub(crate) fn set_holder(&mut self, thread: usize, is_inside: bool) {
        self.code.keep_holder(&mut self.next, is_inside.then_some(thread));
    }

    /// Adds what follows the thread's record.
    pub(crate) fn finish(&mut self, state: &[u8], rest: usize, heap_at: usize) {
        if self.only_looks {
            return;
        }
        self.next.extend_from_slice(&state[rest..heap_at]);
        if self.n_new > 0 {
            self.code.add_threads(&mut self.next, self.n_new);
            self.next.extend_from_slice(&self.new_threads);
        }
        if self.writes_heap || heap_at < state.len() {
            self.read_heap(&state[heap_at..]);
            self.heap.forget(self.model, &[&self.next], self.forgets_live);
            self.heap.encode(&mut self.next);
        }
    }

    pub(crate) fn add_thread(&mut self, proc: usize, index: usize, args: &[u64]) {
        self.is_plain = false;
        let code = self.code;
        let proc = code.procs[proc].as_ref().expect("threads run procedures that were compiled");
        let mut regs = proc.file.clone();
        for (reg, word) in &proc.thread_vars {
            regs[*reg as usize] = *word;
        }
        if let Some(reg) = proc.own_handle {
            regs[reg as usize] = index as u64 + 1;
        }
        for (param, arg) in proc.params.iter().zip(args) {
            if let Some(reg) = param {
                regs[*reg as usize] = *arg;
            }
        }
        regs[DEPTH as usize] = 0;
        let mut records = std::mem::take(&mut self.new_threads);
        code.store_record(proc.entry, &regs, &mut records);
        self.new_threads = records;
    }

    pub(crate) fn read_heap(&mut self, from: &[u8]) {
        self.is_plain = false;
        if !self.has_heap {
            self.heap.decode(from);
            self.has_heap = true;
        }
    }

    #[inline]
    pub(crate) fn touch(&mut self, touch: &Touch, unit: u32, at: u32, writes: bool, depth: u64) {
        self.touched.push(Touched {
            unit,
            at,
            bytes: u32::from(touch.bytes),
            writes,
            is_atomic: touch.is_atomic || depth > 0,
            is_inside: depth > 0,
            is_scope_end: false,
            is_guarded: touch.is_guarded,
            region: touch.region,
            site: touch.site,
        });
    }

    /// The object that holds all the bytes.
    fn find(&mut self, heap: &[u8], addr: u64, touch: &Touch, writes: bool) -> Result<Found, StepResult> {
        let bytes = u64::from(touch.bytes);
        if let Some(object) = self.code.layout.find(addr) {
            let offset = addr - object.base;
            if offset + bytes <= object.size {
                return match object.kept {
                    Kept::Fixed(at, bits) => Ok(Found::Fixed {
                        at: (u64::from(at) + offset) as usize,
                        bits: bits.map(|bits| (bits as usize, offset as usize)),
                    }),
                    Kept::Constant(at) if !writes => Ok(Found::Constant((u64::from(at) + offset) as usize)),
                    Kept::Constant(_) | Kept::Code => Err(bad_access(self.code, touch.site, touch.span)),
                    Kept::Parts(_) if let Some(at) = self.code.layout.place_of(object, offset, bytes) => {
                        Ok(Found::Fixed { at: at as usize, bits: None })
                    }
                    Kept::Parts(_) | Kept::Unreached => {
                        let what = "an address that the program does not mention in the explicit-state engine";
                        Err(StepResult::Unknown(Why::Unsupported { span: touch.span, what: what.to_string() }))
                    }
                };
            }
        }
        self.read_heap(heap);
        match self.heap.find(self.model, addr) {
            Some((index, offset)) => {
                let object = &self.heap.objects[index];
                if object.is_live && offset + bytes <= u64::from(object.size) {
                    Ok(Found::Dynamic { index, offset: offset as usize })
                } else {
                    Err(bad_access(self.code, touch.site, touch.span))
                }
            }
            None => Err(bad_access(self.code, touch.site, touch.span)),
        }
    }

    pub(crate) fn load_first(&mut self, touch: &Touch, flag: usize) -> Result<u64, StepResult> {
        let (at, bytes) = (touch.at as usize, touch.bytes as usize);
        if self.next[flag] == 0 {
            let word = self.unwritten(touch, 0, 0)?;
            write_word(&mut self.next, at, bytes, word);
            self.next[flag] = 1;
        }
        Ok(read_word(&self.next, at, bytes))
    }

    pub(crate) fn load_at(&mut self, heap: &[u8], touch: &Touch, addr: u64, depth: u64) -> Result<u64, StepResult> {
        let bytes = touch.bytes as usize;
        match self.find(heap, addr, touch, touch.is_update)? {
            Found::Constant(at) => {
                self.touch(touch, CONSTANTS, at as u32, false, depth);
                Ok(normalised(read_word(&self.code.layout.constants, at, bytes), touch.sort))
            }
            Found::Fixed { at, bits } => {
                self.touch(touch, 0, at as u32, false, depth);
                self.is_plain &= bits.is_none();
                if let Some((bits, offset)) = bits
                    && let Some(known) = known_bytes(&self.next[bits..], offset, bytes)
                {
                    let word = self.unwritten(touch, read_word(&self.next, at, bytes), known)?;
                    write_word(&mut self.next, at, bytes, word);
                    set_bits(&mut self.next[bits..], offset, bytes);
                }
                Ok(normalised(read_word(&self.next, at, bytes), touch.sort))
            }
            Found::Dynamic { index, offset } => {
                let unit = self.heap.objects[index].unit();
                self.touch(touch, unit, offset as u32, false, depth);
                let (own, bits) = self.heap.bytes_mut(index);
                let word = read_word(own, offset, bytes);
                let unknown = bits.and_then(|bits| known_bytes(bits, offset, bytes));
                if let Some(known) = unknown {
                    let word = self.unwritten(touch, word, known)?;
                    let (own, bits) = self.heap.bytes_mut(index);
                    write_word(own, offset, bytes, word);
                    set_bits(bits.expect("some bytes had no value"), offset, bytes);
                    self.writes_heap = true;
                    return Ok(normalised(word, touch.sort));
                }
                Ok(normalised(word, touch.sort))
            }
        }
    }

    pub(crate) fn store_at(
        &mut self,
        heap: &[u8],
        touch: &Touch,
        addr: u64,
        word: u64,
        depth: u64,
    ) -> Result<(), StepResult> {
        let bytes = touch.bytes as usize;
        match self.find(heap, addr, touch, true)? {
            Found::Constant(_) => unreachable!("writes to constants were refused"),
            Found::Fixed { at, bits } => {
                self.touch(touch, 0, at as u32, true, depth);
                self.is_plain &= bits.is_none();
                write_word(&mut self.next, at, bytes, word);
                if let Some((bits, offset)) = bits {
                    set_bits(&mut self.next[bits..], offset, bytes);
                }
            }
            Found::Dynamic { index, offset } => {
                let unit = self.heap.objects[index].unit();
                self.touch(touch, unit, offset as u32, true, depth);
                self.writes_heap = true;
                let (own, bits) = self.heap.bytes_mut(index);
                write_word(own, offset, bytes, word);
                if let Some(bits) = bits {
                    set_bits(bits, offset, bytes);
                }
            }
        }
        Ok(())
    }

    /// A value for bytes some of which nobody has written; `known` has a bit for each byte that somebody has.
    fn unwritten(&mut self, touch: &Touch, word: u64, known: u64) -> Result<u64, StepResult> {
        self.saw_unwritten = true;
        let unknown: SmallVec<[u32; 8]> = (0..u32::from(touch.bytes)).filter(|byte| known >> byte & 1 == 0).collect();
        let bits = bits_of(touch.sort).min(8 * unknown.len() as u32);
        if bits > self.enumerate {
            return Err(StepResult::Unknown(Why::LargeInput { span: touch.span, bits }));
        }
        let chosen = u64::from(self.choose(1 << bits).expect("there are values"));
        let mut word = word;
        for (index, byte) in unknown.iter().enumerate() {
            word &= !(0xff << (8 * byte));
            word |= (chosen >> (8 * index) & 0xff) << (8 * byte);
        }
        let word = normalised(word, touch.sort);
        self.inputs.push((touch.site, value_of(word, touch.sort)));
        Ok(word)
    }

    pub(crate) fn input(&mut self, input: &Input) -> Result<u64, StepResult> {
        let word = match &input.values {
            Values::TooMany => {
                let why = Why::LargeInput { span: input.span, bits: bits_of(input.sort) };
                return Err(StepResult::Unknown(why));
            }
            Values::Below(limit) => self.choose(*limit as u32).map(u64::from),
            Values::Some(values) => {
                let why = Why::LargeInput { span: input.span, bits: bits_of(input.sort) };
                if !self.samples {
                    return Err(StepResult::Unknown(why));
                }
                self.sampled.get_or_insert(why);
                self.choose(values.len() as u32).map(|index| values[index as usize])
            }
            Values::Classes(values) => self.choose(values.len() as u32).map(|index| values[index as usize]),
        };
        let Some(word) = word else { return Err(StepResult::NotTaken) };
        let word = normalised(word, input.sort);
        self.inputs.push((input.site, value_of(word, input.sort)));
        Ok(word)
    }

    pub(crate) fn choose(&mut self, of: u32) -> Option<u32> {
        self.is_plain = false;
        if of == 0 {
            return None;
        }
        if self.n_chosen == self.choices.len() {
            self.choices.push(Choice { taken: 0, of });
        }
        self.n_chosen += 1;
        Some(self.choices[self.n_chosen - 1].taken)
    }

    pub(crate) fn allocate(
        &mut self,
        heap: &[u8],
        thread: usize,
        info: &AllocInfo,
        size: u64,
    ) -> Result<u64, StepResult> {
        let too_large = |what: &str| {
            let what = format!("{what} in the explicit-state engine");
            Err(StepResult::Unknown(Why::Unsupported { span: info.span, what }))
        };
        if size > MAX_OBJECT {
            return too_large("an object of more than a million bytes");
        }
        self.read_heap(heap);
        self.writes_heap = true;
        let new = NewObject {
            owner: thread as u16,
            size: size as u32,
            region: info.region.0 as u16,
            is_heap: info.is_heap,
            zeroed: info.zeroed,
        };
        match self.heap.allocate(self.model, new) {
            Some(addr) => Ok(addr),
            None => too_large("more objects than a thread has addresses for"),
        }
    }

    pub(crate) fn free(
        &mut self,
        heap: &[u8],
        addr: u64,
        is_heap: bool,
        (site, span): (SiteId, Span),
        depth: u64,
    ) -> Result<(), StepResult> {
        if addr == 0 && is_heap {
            return Ok(());
        }
        self.read_heap(heap);
        match self.heap.find(self.model, addr) {
            Some((index, 0)) if self.heap.objects[index].is_live && self.heap.objects[index].is_heap == is_heap => {
                let object = self.heap.objects[index];
                self.touched.push(Touched {
                    unit: object.unit(),
                    at: 0,
                    bytes: object.size.max(1),
                    writes: true,
                    is_atomic: depth > 0,
                    is_inside: depth > 0,
                    is_scope_end: !is_heap,
                    is_guarded: false,
                    region: RegionId(u32::from(object.region)),
                    site,
                });
                self.heap.free(index);
                self.writes_heap = true;
                Ok(())
            }
            _ => Err(wrong(self.code, Property::Free, site, span)),
        }
    }

    pub(crate) fn function_at(&self, addr: u64) -> Option<usize> {
        let object = self.code.layout.find(addr).filter(|object| object.base == addr)?;
        match self.code.program.objects[object.object as usize].kind {
            ObjectKind::Function(proc) => Some(proc.index()),
            _ => None,
        }
    }

    /// The process ends normally; objects that were not freed, and that no local variable that is left names, may be a violation.
    pub(crate) fn end_process(&mut self, heap: &[u8], locals: impl FnOnce() -> Vec<u64>) -> StepResult {
        let properties = self.code.properties;
        let leaks_matter = properties.has(Property::MemTrack) || properties.has(Property::MemCleanup);
        if !leaks_matter {
            return StepResult::Ends;
        }
        self.read_heap(heap);
        let fixed = &self.next[..self.code.fixed_len()];
        match crate::explicit::properties::leak::find(self.code, fixed, &self.heap, &locals()) {
            Some(property) => StepResult::Violates(property, SiteId(u32::MAX)),
            None => StepResult::Ends,
        }
    }
}

/// The largest object.
const MAX_OBJECT: u64 = 1 << 20;

/// Which of the bytes have a value, if not all.
fn known_bytes(bits: &[u8], offset: usize, bytes: usize) -> Option<u64> {
    let known = (offset..offset + bytes)
        .enumerate()
        .fold(0, |known, (index, at)| known | u64::from(bits[at / 8] >> (at % 8) & 1) << index);
    (known != mask(bytes as u32)).then_some(known)
}

fn set_bits(bits: &mut [u8], offset: usize, bytes: usize) {
    for at in offset..offset + bytes {
        bits[at / 8] |= 1 << (at % 8);
    }
}
