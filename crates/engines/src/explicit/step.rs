//! What happens when a thread takes an edge? One run of its instructions on a copy of the state.
//!
//! The new state is built in place: the bytes up to the thread's record are copied and changed by stores, then the new record
//! is written, then the rest is copied. Only edges that touch dynamic objects unpack them. Where a value is arbitrary the
//! run takes the next of a list of choices, and the caller runs the edge again with the next list until all are tried.
//!
//! Invariant: an outcome other than `Next` leaves nothing behind but what was recorded for a trace.
//! The meaning of statements follows `ir::interp`, which is the definition.

use super::code::*;
use super::compile::Code;
use super::heap::{Heap, NewObject};
use super::layout::Kept;
use super::state::{View, read_word, write_word};
use ir::{DataModel, ObjectKind, Property, RegionId, SiteId, Span, Why};
use logic::Value;
use smallvec::SmallVec;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Other bytes there; the touch that read them.
    Bytes(Touched),
    /// The end of the thread with this handle.
    Thread(u64),
}

/// An access that happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Touched {
    /// Zero for the fixed part, else the dynamic object; `u32::MAX` for what cannot be written.
    pub(crate) unit: u32,
    /// The first byte in it.
    pub(crate) at: u32,
    pub(crate) bytes: u32,
    pub(crate) writes: bool,
    pub(crate) is_atomic: bool,
    /// Whether it is inside an atomic section.
    pub(crate) is_inside: bool,
    /// Whether it is only the end of a local variable's scope, which does not race.
    pub(crate) is_scope_end: bool,
    pub(crate) region: RegionId,
    pub(crate) site: SiteId,
}

/// The unit of read-only data.
pub(crate) const CONSTANTS: u32 = u32::MAX;

/// What became of an edge.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Outcome {
    /// `Machine::next` is the state after it.
    Next,
    /// An `Assume` does not hold.
    NotTaken,
    /// The thread waits.
    Waits(Wait),
    /// Something went wrong at a statement.
    Violates(Property, SiteId),
    /// The process has ended without violation.
    Ends,
    /// Nobody can tell what happens.
    Unknown(Why),
}

/// A choice among some values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice {
    taken: u32,
    of: u32,
}

/// The choices of one run, to be repeated or varied.
pub(crate) type Choices = SmallVec<[Choice; 2]>;

/// Makes them the next list of choices; false when all have been tried.
pub(crate) fn vary(choices: &mut Choices) -> bool {
    while let Some(last) = choices.last_mut() {
        last.taken += 1;
        if last.taken < last.of {
            return true;
        }
        choices.pop();
    }
    false
}

/// Runs edges.
pub(crate) struct Machine<'c> {
    pub(crate) code: &'c Code,
    /// Registers by procedure.
    files: Vec<Vec<u64>>,
    work: Work<'c>,
}

/// The state that is being built.
struct Work<'c> {
    code: &'c Code,
    model: DataModel,
    next: Vec<u8>,
    heap: Heap,
    /// Whether `heap` has been read from the state.
    has_heap: bool,
    writes_heap: bool,
    new_threads: Vec<u8>,
    n_new: usize,
    choices: Choices,
    n_chosen: usize,
    touched: Vec<Touched>,
    inputs: Vec<(SiteId, Value)>,
    forgets_live: bool,
    enumerate: u32,
    max_threads: usize,
}

impl<'c> Machine<'c> {
    /// A machine for some code. Uninitialised bytes of up to `enumerate` bits are tried with all values.
    pub(crate) fn new(code: &'c Code, enumerate: u32, max_threads: usize) -> Machine<'c> {
        let files =
            code.procs.iter().map(|proc| proc.as_ref().map_or_else(Vec::new, |proc| proc.file.clone())).collect();
        let leaks_matter = code.properties.has(Property::MemTrack) || code.properties.has(Property::MemCleanup);
        let work = Work {
            code,
            model: code.program.data_model,
            next: Vec::new(),
            heap: Heap::default(),
            has_heap: false,
            writes_heap: false,
            new_threads: Vec::new(),
            n_new: 0,
            choices: Choices::new(),
            n_chosen: 0,
            touched: Vec::new(),
            inputs: Vec::new(),
            forgets_live: !leaks_matter,
            enumerate,
            max_threads: max_threads.min(MAX_THREADS),
        };
        Machine { code, files, work }
    }

    /// The state before the first step.
    pub(crate) fn initial(&mut self) -> Vec<u8> {
        let mut state = self.code.layout.initial.clone();
        state.push(1);
        if self.code.keeps_holder {
            state.push(0);
        }
        let main = self.code.program.main;
        self.work.new_threads.clear();
        self.work.add_thread(main.index(), 0, &[]);
        state.extend_from_slice(&self.work.new_threads);
        state
    }

    /// The state that the last `Next` led to.
    pub(crate) fn next(&self) -> &[u8] {
        &self.work.next
    }

    /// What the last run touched, in order.
    pub(crate) fn touched(&self) -> &[Touched] {
        &self.work.touched
    }

    /// The inputs of the last run, in order.
    pub(crate) fn inputs(&self) -> &[(SiteId, Value)] {
        &self.work.inputs
    }

    /// Runs an edge of a thread with these choices, to which those are added that it makes first.
    pub(crate) fn run(
        &mut self,
        state: &[u8],
        view: &View,
        thread: usize,
        edge: usize,
        choices: &mut Choices,
    ) -> Outcome {
        std::mem::swap(&mut self.work.choices, choices);
        let outcome = self.run_edge(state, view, thread, edge);
        std::mem::swap(&mut self.work.choices, choices);
        outcome
    }

    fn run_edge(&mut self, state: &[u8], view: &View, thread: usize, edge: usize) -> Outcome {
        let code = self.code;
        let pc = view.pcs[thread];
        let loc = &code.locs[pc as usize];
        let start = view.starts[thread] as usize;
        let proc = loc.proc as usize;
        let regs = &mut self.files[proc][..];
        code.load_record(state, start, pc, regs);
        if let Some(reg) = code.procs[proc].as_ref().and_then(|proc| proc.own_handle) {
            regs[reg as usize] = thread as u64 + 1;
        }
        let work = &mut self.work;
        work.begin(&state[..start]);
        let edge = &code.edges[edge];
        let mut ended = None;
        for ins in &code.ins[edge.start as usize..edge.end as usize] {
            match *ins {
                Ins::Binary { op, width, d, a, b } => {
                    regs[d as usize] = binary(op, u32::from(width), regs[a as usize], regs[b as usize]);
                }
                Ins::Move { d, a } => regs[d as usize] = regs[a as usize],
                Ins::Not { d, a } => regs[d as usize] = regs[a as usize] ^ 1,
                Ins::Select { d, c, a, b } => {
                    regs[d as usize] = if regs[c as usize] != 0 { regs[a as usize] } else { regs[b as usize] };
                }
                Ins::Extract { d, a, low, width } => {
                    regs[d as usize] = regs[a as usize] >> low & mask(u32::from(width));
                }
                Ins::SignExtend { d, a, from, to } => {
                    regs[d as usize] = sign_extend(regs[a as usize], u32::from(from), u32::from(to));
                }
                Ins::Concat { d, a, b, low } => regs[d as usize] = regs[a as usize] << low | regs[b as usize],
                Ins::Rare { d, rare } => regs[d as usize] = code.rares[rare as usize].run(regs),
                Ins::Wide { d, wide } => regs[d as usize] = code.wides[wide as usize].run(&code.program.pool, regs),
                Ins::Assume { c } => {
                    if regs[c as usize] == 0 {
                        return Outcome::NotTaken;
                    }
                }
                Ins::Check { c, check } => {
                    if regs[c as usize] == 0 {
                        return failed_check(code, check as usize);
                    }
                }
                Ins::Wait { c } => {
                    if regs[c as usize] == 0 {
                        let last = work.touched.last().expect("a wait follows a load");
                        return Outcome::Waits(Wait::Bytes(*last));
                    }
                }
                Ins::Load { d, touch } => {
                    let touch = &code.touches[touch as usize];
                    work.touch(touch, 0, touch.at, false, regs[DEPTH as usize]);
                    let word = read_word(&work.next, touch.at as usize, touch.bytes as usize);
                    regs[d as usize] = normalised(word, touch.sort);
                }
                Ins::Store { a, touch } => {
                    let touch = &code.touches[touch as usize];
                    work.touch(touch, 0, touch.at, true, regs[DEPTH as usize]);
                    write_word(&mut work.next, touch.at as usize, touch.bytes as usize, regs[a as usize]);
                }
                Ins::LoadFirst { d, touch, flag } => {
                    let touch = &code.touches[touch as usize];
                    work.touch(touch, 0, touch.at, false, regs[DEPTH as usize]);
                    match work.load_first(touch, flag as usize) {
                        Ok(word) => regs[d as usize] = word,
                        Err(outcome) => return outcome,
                    }
                }
                Ins::StoreFirst { a, touch, flag } => {
                    let touch = &code.touches[touch as usize];
                    work.touch(touch, 0, touch.at, true, regs[DEPTH as usize]);
                    write_word(&mut work.next, touch.at as usize, touch.bytes as usize, regs[a as usize]);
                    work.next[flag as usize] = 1;
                }
                Ins::LoadAt { d, addr, touch } => {
                    let touch = &code.touches[touch as usize];
                    match work.load_at(&state[view.heap_at..], touch, regs[addr as usize], regs[DEPTH as usize]) {
                        Ok(word) => regs[d as usize] = word,
                        Err(outcome) => return outcome,
                    }
                }
                Ins::StoreAt { a, addr, touch } => {
                    let touch = &code.touches[touch as usize];
                    let (addr, word, depth) = (regs[addr as usize], regs[a as usize], regs[DEPTH as usize]);
                    if let Err(outcome) = work.store_at(&state[view.heap_at..], touch, addr, word, depth) {
                        return outcome;
                    }
                }
                Ins::Havoc { d, input } => {
                    let input = &code.inputs[input as usize];
                    match work.input(input) {
                        Ok(word) => regs[d as usize] = word,
                        Err(outcome) => return outcome,
                    }
                }
                Ins::Alloc { d, size, alloc } => {
                    let info = &code.allocs[alloc as usize];
                    match work.allocate(&state[view.heap_at..], thread, info, regs[size as usize]) {
                        Ok(addr) => regs[d as usize] = addr,
                        Err(outcome) => return outcome,
                    }
                }
                Ins::Free { addr, is_heap, free } => {
                    let at = code.frees[free as usize];
                    let depth = regs[DEPTH as usize];
                    if let Err(outcome) = work.free(&state[view.heap_at..], regs[addr as usize], is_heap, at, depth) {
                        return outcome;
                    }
                }
                Ins::Start { start } => {
                    let info = &code.starts[start as usize];
                    let args: SmallVec<[u64; 2]> = info.args.iter().map(|reg| regs[*reg as usize]).collect();
                    let proc = match info.callee {
                        Ok(proc) => Some(proc.index()),
                        Err(reg) => work.function_at(regs[reg as usize]),
                    };
                    let Some(proc) = proc.filter(|proc| code.procs[*proc].is_some()) else {
                        return bad_access(code, SiteId(u32::MAX), info.span);
                    };
                    let n_params = code.procs[proc].as_ref().map_or(0, |proc| proc.params.len());
                    if args.len() < n_params {
                        let what = "start of a function with other arguments than it takes".to_string();
                        return Outcome::Unknown(Why::Unsupported { span: info.span, what });
                    }
                    let index = view.pcs.len() + work.n_new;
                    if index >= work.max_threads {
                        let why = format!("more than {} threads are started", work.max_threads);
                        return Outcome::Unknown(Why::Bound(why));
                    }
                    work.n_new += 1;
                    work.add_thread(proc, index, &args);
                    regs[info.d as usize] = index as u64 + 1;
                }
                Ins::Join { thread: handle, result } => {
                    let handle = regs[handle as usize];
                    let Some(other) = ended_thread(code, view, handle) else {
                        return Outcome::Waits(Wait::Thread(handle));
                    };
                    if let Some(result) = result {
                        regs[result as usize] = code.result(state, view, other);
                    }
                }
                Ins::AtomicBegin => regs[DEPTH as usize] += 1,
                Ins::AtomicEnd => regs[DEPTH as usize] = regs[DEPTH as usize].saturating_sub(1),
                Ins::ExitThread { result, is_return } => {
                    if is_return && thread == 0 {
                        return work.end_process(&state[view.heap_at..], false);
                    }
                    let word = result.map_or(0, |reg| regs[reg as usize]);
                    ended = Some(word & mask(work.model.word_bits()));
                    break;
                }
                Ins::ExitProcess { is_abort } => return work.end_process(&state[view.heap_at..], is_abort),
                Ins::Refuse { refusal } => {
                    let Refusal { span, what } = &code.refusals[refusal as usize];
                    return Outcome::Unknown(Why::Unsupported { span: *span, what: what.clone() });
                }
            }
        }
        let to = edge.to;
        if ended.is_none() && code.locs[to as usize].is_exit {
            if thread == 0 {
                return work.end_process(&state[view.heap_at..], false);
            }
            ended = Some(0);
        }
        match ended {
            Some(_) if work.n_new == 0 && self.code.is_last(view, thread) => {
                return work.end_process(&state[view.heap_at..], false);
            }
            Some(0) => work.push_pc(code.ended),
            Some(result) => {
                work.push_pc(code.ended + 1);
                work.next.extend_from_slice(&result.to_le_bytes());
            }
            None => code.store_record(to, regs, &mut work.next),
        }
        if code.keeps_holder {
            let is_inside = regs[DEPTH as usize] > 0 && ended.is_none();
            work.set_holder(thread, is_inside);
        }
        work.finish(state, start + loc.record as usize, view.heap_at);
        Outcome::Next
    }
}

/// The most threads that can be started.
pub(crate) const MAX_THREADS: usize = 64;

fn failed_check(code: &Code, check: usize) -> Outcome {
    let Check { kind, span, site } = &code.checks[check];
    match (Property::of_check(kind), kind) {
        (Some(property), _) if code.properties.has(property) => Outcome::Violates(property, *site),
        (Some(property), _) if property.is_undefined() => wrong(code, property, *site, *span),
        (Some(_), _) => Outcome::Ends,
        (None, ir::CheckKind::Bound(what)) => Outcome::Unknown(Why::Bound(what.to_string())),
        (None, ir::CheckKind::Unsupported(what)) => {
            Outcome::Unknown(Why::Unsupported { span: *span, what: what.to_string() })
        }
        (None, _) => unreachable!("all other checks belong to a property"),
    }
}

fn bad_access(code: &Code, site: SiteId, span: Span) -> Outcome {
    wrong(code, Property::Deref, site, span)
}

/// A violation if somebody asked; else nobody can tell what comes after.
fn wrong(code: &Code, property: Property, site: SiteId, span: Span) -> Outcome {
    if code.properties.has(property) {
        return Outcome::Violates(property, site);
    }
    Outcome::Unknown(Why::Undefined { span, what: property.describe().to_string() })
}

fn ended_thread(code: &Code, view: &View, handle: u64) -> Option<usize> {
    let index = usize::try_from(handle).ok()?.checked_sub(1)?;
    view.pcs.get(index).is_some_and(|pc| code.has_ended(*pc)).then_some(index)
}

impl Code {
    /// Whether all other threads have ended.
    fn is_last(&self, view: &View, thread: usize) -> bool {
        view.pcs.iter().enumerate().all(|(index, pc)| index == thread || self.has_ended(*pc))
    }
}

/// Where an address leads.
enum Found {
    Fixed { at: usize, bits: Option<(usize, usize)> },
    Constant(usize),
    Dynamic { index: usize, offset: usize },
}

impl Work<'_> {
    fn begin(&mut self, prefix: &[u8]) {
        self.next.clear();
        self.next.extend_from_slice(prefix);
        self.has_heap = false;
        self.writes_heap = false;
        self.new_threads.clear();
        self.n_new = 0;
        self.n_chosen = 0;
        self.touched.clear();
        self.inputs.clear();
    }

    fn push_pc(&mut self, pc: Pc) {
        self.next.extend_from_slice(&(pc as u16).to_le_bytes()[..self.code.pc_bytes as usize]);
    }

    fn set_holder(&mut self, thread: usize, is_inside: bool) {
        let holder = &mut self.next[self.code.fixed_len() + 1];
        if is_inside {
            *holder = thread as u8 + 1;
        } else if *holder == thread as u8 + 1 {
            *holder = 0;
        }
    }

    /// Adds what follows the thread's record.
    fn finish(&mut self, state: &[u8], rest: usize, heap_at: usize) {
        self.next.extend_from_slice(&state[rest..heap_at]);
        if self.n_new > 0 {
            self.next[self.code.fixed_len()] += self.n_new as u8;
            self.next.extend_from_slice(&self.new_threads);
        }
        if self.writes_heap || heap_at < state.len() {
            self.read_heap(&state[heap_at..]);
            self.heap.forget(self.model, &[&self.next], self.forgets_live);
            self.heap.encode(&mut self.next);
        }
    }

    fn add_thread(&mut self, proc: usize, index: usize, args: &[u64]) {
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

    fn read_heap(&mut self, from: &[u8]) {
        if !self.has_heap {
            self.heap.decode(from);
            self.has_heap = true;
        }
    }

    #[inline]
    fn touch(&mut self, touch: &Touch, unit: u32, at: u32, writes: bool, depth: u64) {
        self.touched.push(Touched {
            unit,
            at,
            bytes: u32::from(touch.bytes),
            writes,
            is_atomic: touch.is_atomic || depth > 0,
            is_inside: depth > 0,
            is_scope_end: false,
            region: touch.region,
            site: touch.site,
        });
    }

    /// The object that holds all the bytes.
    fn find(&mut self, heap: &[u8], addr: u64, touch: &Touch, writes: bool) -> Result<Found, Outcome> {
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
                    Kept::Unreached => {
                        let what = "an address that the program does not mention in the explicit-state engine";
                        Err(Outcome::Unknown(Why::Unsupported { span: touch.span, what: what.to_string() }))
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

    fn load_first(&mut self, touch: &Touch, flag: usize) -> Result<u64, Outcome> {
        let (at, bytes) = (touch.at as usize, touch.bytes as usize);
        if self.next[flag] == 0 {
            let word = self.unwritten(touch, 0, 0)?;
            write_word(&mut self.next, at, bytes, word);
            self.next[flag] = 1;
        }
        Ok(read_word(&self.next, at, bytes))
    }

    fn load_at(&mut self, heap: &[u8], touch: &Touch, addr: u64, depth: u64) -> Result<u64, Outcome> {
        let bytes = touch.bytes as usize;
        match self.find(heap, addr, touch, touch.is_update)? {
            Found::Constant(at) => {
                self.touch(touch, CONSTANTS, at as u32, false, depth);
                Ok(normalised(read_word(&self.code.layout.constants, at, bytes), touch.sort))
            }
            Found::Fixed { at, bits } => {
                self.touch(touch, 0, at as u32, false, depth);
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

    fn store_at(&mut self, heap: &[u8], touch: &Touch, addr: u64, word: u64, depth: u64) -> Result<(), Outcome> {
        let bytes = touch.bytes as usize;
        match self.find(heap, addr, touch, true)? {
            Found::Constant(_) => unreachable!("writes to constants were refused"),
            Found::Fixed { at, bits } => {
                self.touch(touch, 0, at as u32, true, depth);
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
    fn unwritten(&mut self, touch: &Touch, word: u64, known: u64) -> Result<u64, Outcome> {
        let unknown: SmallVec<[u32; 8]> = (0..u32::from(touch.bytes)).filter(|byte| known >> byte & 1 == 0).collect();
        let bits = bits_of(touch.sort).min(8 * unknown.len() as u32);
        if bits > self.enumerate {
            return Err(Outcome::Unknown(Why::LargeInput { span: touch.span, bits }));
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

    fn input(&mut self, input: &Input) -> Result<u64, Outcome> {
        let word = match &input.values {
            Values::TooMany => {
                let why = Why::LargeInput { span: input.span, bits: bits_of(input.sort) };
                return Err(Outcome::Unknown(why));
            }
            Values::Below(limit) => self.choose(*limit as u32).map(u64::from),
            Values::Classes(values) => self.choose(values.len() as u32).map(|index| values[index as usize]),
        };
        let Some(word) = word else { return Err(Outcome::NotTaken) };
        let word = normalised(word, input.sort);
        self.inputs.push((input.site, value_of(word, input.sort)));
        Ok(word)
    }

    fn choose(&mut self, of: u32) -> Option<u32> {
        if of == 0 {
            return None;
        }
        if self.n_chosen == self.choices.len() {
            self.choices.push(Choice { taken: 0, of });
        }
        self.n_chosen += 1;
        Some(self.choices[self.n_chosen - 1].taken)
    }

    fn allocate(&mut self, heap: &[u8], thread: usize, info: &AllocInfo, size: u64) -> Result<u64, Outcome> {
        let too_large = |what: &str| {
            let what = format!("{what} in the explicit-state engine");
            Err(Outcome::Unknown(Why::Unsupported { span: info.span, what }))
        };
        if size > MAX_OBJECT {
            return too_large("an object of more than a million bytes");
        }
        self.read_heap(heap);
        self.writes_heap = true;
        let new = NewObject {
            owner: thread as u8,
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

    fn free(
        &mut self,
        heap: &[u8],
        addr: u64,
        is_heap: bool,
        (site, span): (SiteId, Span),
        depth: u64,
    ) -> Result<(), Outcome> {
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

    fn function_at(&self, addr: u64) -> Option<usize> {
        let object = self.code.layout.find(addr).filter(|object| object.base == addr)?;
        match self.code.program.objects[object.object as usize].kind {
            ObjectKind::Function(proc) => Some(proc.index()),
            _ => None,
        }
    }

    /// The process ends; if normally, objects that were not freed may be a violation.
    fn end_process(&mut self, heap: &[u8], is_abort: bool) -> Outcome {
        let properties = self.code.properties;
        let leaks_matter = properties.has(Property::MemTrack) || properties.has(Property::MemCleanup);
        if is_abort || !leaks_matter {
            return Outcome::Ends;
        }
        self.read_heap(heap);
        let fixed = &self.next[..self.code.fixed_len()];
        match super::leak::find(self.code, fixed, &self.heap) {
            Some(property) => Outcome::Violates(property, SiteId(u32::MAX)),
            None => Outcome::Ends,
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
