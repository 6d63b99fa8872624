//! What happens when a thread takes an edge? One run of its instructions on a copy of the state.
//!
//! The new state is built in place: the bytes up to the thread's record are copied and changed by stores, then the new record
//! is written, then the rest is copied. Only edges that touch dynamic objects unpack them. Where a value is arbitrary the
//! run takes the next of a list of choices, and the caller runs the edge again with the next list until all are tried.
//!
//! Invariant: an outcome other than `Next` leaves nothing behind but what was recorded for a trace.
//! The meaning of statements follows `ir::interp`, which is the definition.

mod cache;
pub(crate) mod runner;
pub(crate) mod work;

use super::compile::Code;
use super::state::{View, read_word, write_word};
use crate::explicit::compile::code::*;
use crate::explicit::state::heap::Heap;
use ir::{Property, RegionId, SiteId, Span, Why};
use logic::Value;
use smallvec::SmallVec;
use work::Work;

/// What a thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Other bytes, which the thread with this handle alone can bring; 0 if it is not known.
    Bytes(u64),
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
    /// Whether no other thread can touch it meanwhile.
    pub(crate) is_guarded: bool,
    pub(crate) region: RegionId,
    pub(crate) site: SiteId,
}

/// The unit of read-only data.
pub(crate) const CONSTANTS: u32 = u32::MAX;

/// What became of an edge.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StepResult {
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
    pub(super) taken: u32,
    pub(super) of: u32,
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

/// What the variables of all other threads hold that have not ended.
fn locals_of_others(code: &Code, state: &[u8], view: &View, thread: usize) -> Vec<u64> {
    let mut words = Vec::new();
    for (other, pc) in view.pcs.iter().enumerate() {
        if other == thread || code.has_ended(*pc) {
            continue;
        }
        let mut at = view.starts[other] as usize + code.pc_bytes as usize;
        for slot in code.slots_at(*pc) {
            words.push(read_word(state, at, slot.bytes as usize));
            at += slot.bytes as usize;
        }
    }
    words
}

/// Runs edges.
pub(crate) struct Machine<'c> {
    pub(crate) code: &'c Code,
    /// Registers by procedure.
    files: Vec<Vec<u64>>,
    work: Work<'c>,
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
            only_looks: false,
            new_threads: Vec::new(),
            n_new: 0,
            choices: Choices::new(),
            n_chosen: 0,
            saw_unwritten: false,
            is_plain: true,
            samples: true,
            sampled: None,
            touched: Vec::new(),
            inputs: Vec::new(),
            forgets_live: !leaks_matter,
            enumerate,
            max_threads: max_threads.min(MAX_THREADS),
        };
        Machine { code, files, work }
    }

    /// Why not all values of some input have been tried, if so: by a run, or by a look at what a run would do.
    pub(crate) fn sampled(&self) -> Option<&Why> {
        self.work.sampled.as_ref()
    }

    /// From now on inputs that have too many values are the end of a run.
    pub(crate) fn stop_sampling(&mut self) {
        self.work.samples = false;
    }

    /// The state before the first step.
    pub(crate) fn initial(&mut self) -> Vec<u8> {
        let mut state = self.code.layout.initial.clone();
        state.resize(self.code.records_at(), 0);
        self.code.add_threads(&mut state, 1);
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

    /// Likewise, to be put in order.
    pub(crate) fn next_mut(&mut self) -> &mut Vec<u8> {
        &mut self.work.next
    }

    /// What the last run touched, in order.
    pub(crate) fn touched(&self) -> &[Touched] {
        &self.work.touched
    }

    /// Whether the last run wrote to memory, chose what was never written there, made or freed an object, or started a thread.
    pub(crate) fn changes_memory(&self) -> bool {
        let Work { writes_heap, saw_unwritten, n_new, .. } = &self.work;
        *writes_heap || *saw_unwritten || *n_new > 0 || self.work.touched.iter().any(|touched| touched.writes)
    }

    /// Whether the last run did nothing but read and write the fixed part and the thread's record, and would do the same wherever it finds the same values.
    pub(crate) fn is_plain(&self) -> bool {
        self.work.is_plain
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
    ) -> StepResult {
        std::mem::swap(&mut self.work.choices, choices);
        let outcome = self.run_edge(state, view, thread, edge);
        std::mem::swap(&mut self.work.choices, choices);
        outcome
    }

    /// The same for those who only want to know what the step does and touches: `next` means nothing afterwards.
    pub(crate) fn look(
        &mut self,
        state: &[u8],
        view: &View,
        thread: usize,
        edge: usize,
        choices: &mut Choices,
    ) -> StepResult {
        self.work.only_looks = true;
        let outcome = self.run(state, view, thread, edge, choices);
        self.work.only_looks = false;
        outcome
    }

    fn run_edge(&mut self, state: &[u8], view: &View, thread: usize, edge: usize) -> StepResult {
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
                        return StepResult::NotTaken;
                    }
                }
                Ins::Check { c, check } => {
                    if regs[c as usize] == 0 {
                        return failed_check(code, check as usize);
                    }
                }
                Ins::Wait { c, owner } => {
                    if regs[c as usize] == 0 {
                        if work.saw_unwritten && asks_about_waiting(code) {
                            let what = "waiting on memory that nobody has written".to_string();
                            return StepResult::Unknown(Why::Unsupported { span: Span::NOWHERE, what });
                        }
                        return StepResult::Waits(Wait::Bytes(owner.map_or(0, |owner| regs[owner as usize])));
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
                    work.is_plain = false;
                    let touch = &code.touches[touch as usize];
                    work.touch(touch, 0, touch.at, false, regs[DEPTH as usize]);
                    match work.load_first(touch, flag as usize) {
                        Ok(word) => regs[d as usize] = word,
                        Err(outcome) => return outcome,
                    }
                }
                Ins::StoreFirst { a, touch, flag } => {
                    work.is_plain = false;
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
                Ins::Fails { c } => {
                    if let Some(last) = work.touched.last_mut().filter(|_| regs[c as usize] != 0) {
                        last.writes = false;
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
                        return StepResult::Unknown(Why::Unsupported { span: info.span, what });
                    }
                    let index = view.pcs.len() + work.n_new;
                    if index >= work.max_threads {
                        let why = format!("more than {} threads are started", work.max_threads);
                        return StepResult::Unknown(Why::Bound(why));
                    }
                    work.n_new += 1;
                    work.add_thread(proc, index, &args);
                    regs[info.d as usize] = index as u64 + 1;
                }
                Ins::Join { thread: handle, result } => {
                    work.is_plain = false;
                    let handle = regs[handle as usize];
                    let Some(other) = ended_thread(code, view, handle) else {
                        return StepResult::Waits(Wait::Thread(handle));
                    };
                    if let Some(result) = result {
                        regs[result as usize] = code.result(state, view, other);
                    }
                }
                Ins::AtomicBegin => regs[DEPTH as usize] += 1,
                Ins::AtomicEnd => regs[DEPTH as usize] = regs[DEPTH as usize].saturating_sub(1),
                Ins::ExitThread { result, is_return } => {
                    if is_return && thread == 0 {
                        return work
                            .end_process(&state[view.heap_at..], || locals_of_others(code, state, view, thread));
                    }
                    let word = result.map_or(0, |reg| regs[reg as usize]);
                    ended = Some(word & mask(work.model.word_bits()));
                    break;
                }
                Ins::ExitProcess { is_abort: true } => return StepResult::Ends,
                Ins::ExitProcess { is_abort: false } => {
                    let own = code.slots_at(pc).iter().map(|slot| regs[slot.reg as usize]);
                    let all = || own.chain(locals_of_others(code, state, view, thread)).collect();
                    return work.end_process(&state[view.heap_at..], all);
                }
                Ins::Refuse { refusal } => {
                    let Refusal { span, what } = &code.refusals[refusal as usize];
                    return StepResult::Unknown(Why::Unsupported { span: *span, what: what.clone() });
                }
            }
        }
        let to = edge.to;
        if ended.is_none() && code.locs[to as usize].is_exit {
            if thread == 0 {
                return work.end_process(&state[view.heap_at..], || locals_of_others(code, state, view, thread));
            }
            ended = Some(0);
        }
        work.is_plain &= ended.is_none();
        match ended {
            Some(_) if work.n_new == 0 && self.code.is_last(view, thread) => {
                return work.end_process(&state[view.heap_at..], Vec::new);
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
        StepResult::Next
    }
}

/// Whether it matters who waits, and not only who can run.
fn asks_about_waiting(code: &Code) -> bool {
    code.properties.has(Property::Deadlock) || code.properties.has(Property::Termination)
}

/// The most threads that can be started.
pub(crate) const MAX_THREADS: usize = crate::explore::por::threads::MAX_THREADS;

fn failed_check(code: &Code, check: usize) -> StepResult {
    let Check { kind, span, site } = &code.checks[check];
    match (Property::of_check(kind), kind) {
        (Some(property), _) if code.properties.has(property) => StepResult::Violates(property, *site),
        (Some(property), _) if property.is_undefined() => wrong(code, property, *site, *span),
        (Some(_), _) => StepResult::Ends,
        (None, ir::CheckKind::Bound(what)) => StepResult::Unknown(Why::Bound(what.to_string())),
        (None, ir::CheckKind::Unsupported(what)) => {
            StepResult::Unknown(Why::Unsupported { span: *span, what: what.to_string() })
        }
        (None, _) => unreachable!("all other checks belong to a property"),
    }
}

pub(super) fn bad_access(code: &Code, site: SiteId, span: Span) -> StepResult {
    wrong(code, Property::Deref, site, span)
}

/// A violation if somebody asked; else nobody can tell what comes after.
pub(super) fn wrong(code: &Code, property: Property, site: SiteId, span: Span) -> StepResult {
    if code.properties.has(property) {
        return StepResult::Violates(property, site);
    }
    StepResult::Unknown(Why::Undefined { span, what: property.describe().to_string() })
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
