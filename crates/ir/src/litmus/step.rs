//! One thread of a litmus test, run with the values of its reads given from outside: which events does it make, and how do they depend
//! on each other?
//!
//! A `Walk` stops at each event. The caller answers reads, decides choices, and clones the walk where it wants to try several answers; it
//! never has to look at an instruction. Dependencies are herd's, from the flow of values through registers:
//!
//! - A register *depends on* reads of its thread: those whose result flowed into it by assignments. A load makes its register depend on
//!   that load alone. So `xor r,r,r` keeps the dependency although the value is always 0.
//! - **addr**: from the reads that the address of an access depends on; an `Rmw` has it to both of its events.
//! - **data**: from the reads that the value of a write depends on; the write of a fetch-and-add depends on its own read, that of
//!   a swap or compare-and-swap does not.
//! - **ctrl**: from the reads that the condition of a branch depends on, to every later event of the thread. In C (`join`) only to the
//!   events of the `if` or loop itself; and a register assigned there carries the dependency on, but only into conditions: `if (a) r = 1;
//!   if (r) *x = 1;` has ctrl from the read of `a` to the write of `x`.
//! - A flag or condition field is a register like any other; a conditional select depends on the condition and on the operand that it selects.
//! - The outcome of a store-exclusive depends on what its `ExclusiveStatus` says.
//!
//! Invariant: `index` numbers the events of the walk from 0 in program order, and dependencies name smaller indices only.

use super::expr::{Expr, apply_binary, evaluate, mask, signed};
use super::instr::{ExclusiveStatus, Extend, Instr, Op, RmwKind};
use super::names::Reg;
use super::{Test, Thread};

/// A set of events of one thread, by index.
pub type EventSet = u128;
/// How many events a thread may have.
pub const MAX_EVENTS: u32 = EventSet::BITS;

/// What an event does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EventKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Neither.
    Fence,
}

/// An event of a thread.
#[derive(Clone, Debug)]
pub struct Event<'t> {
    /// What it does.
    pub kind: EventKind,
    /// Its number in the thread.
    pub index: u32,
    /// The place; 0 for a fence that is about no object.
    pub address: u64,
    /// Bytes; 0 for a fence.
    pub size: u8,
    /// What is written; 0 for reads (the answer tells) and fences.
    pub value: u64,
    /// Its tags.
    pub tags: &'t [String],
    /// For the read of a compare-and-swap: its tags if nothing is written.
    pub failure_tags: Option<&'t [String]>,
    /// Reads that the address depends on.
    pub addr: EventSet,
    /// Reads that the value depends on.
    pub data: EventSet,
    /// Reads (and store-exclusives) that decide whether it happens.
    pub ctrl: EventSet,
    /// For the write of a read-modify-write or of an exclusive pair: the read.
    pub rmw: Option<u32>,
    /// Whether it belongs to a single read-modify-write instruction, as opposed to an exclusive pair.
    pub is_amo: bool,
    /// The index of its instruction in the code.
    pub instr: usize,
    /// Events of the same group are one instruction of the text.
    pub group: u32,
}

/// Where a walk stopped.
#[derive(Clone, Debug)]
pub enum Step<'t> {
    /// At an event. A read has to be answered before the next step.
    Event(Event<'t>),
    /// At a choice, to be made before the next step.
    Choose,
    /// At the end: registers have their final values.
    Done,
    /// At a jump back that was taken too often.
    Cut,
    /// At an assumption that does not hold.
    Dropped,
    /// At more events than a thread may have.
    TooLong,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pending {
    Nothing,
    /// A read whose value is awaited.
    Answer,
    /// An `Rmw` whose read was answered and whose write is due.
    RmwWrite {
        old: u64,
        read: u32,
    },
    /// A choice that is awaited.
    Choice,
    /// A store-exclusive that was chosen to succeed.
    Success,
}

/// How often a loop goes round at most whose end the test itself decides.
pub const KNOWN_ROUNDS: u8 = 128;

/// What a register holds and what it depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cell {
    value: u64,
    reads: EventSet,
    /// Reads that decided about an assignment to it; passed on into conditions only.
    control: EventSet,
}

/// A thread on its way.
#[derive(Clone, Debug)]
pub struct Walk<'t> {
    thread: &'t Thread,
    at: usize,
    cells: Vec<Cell>,
    n_events: u32,
    pending: Pending,
    /// Control dependencies that last to the end.
    ctrl: EventSet,
    /// Control dependencies that end at an instruction.
    scoped: Vec<(usize, EventSet)>,
    /// The open exclusive pair: event, address, size.
    reservation: Option<(u32, u64, u8)>,
    /// How often each instruction was jumped back to.
    returns: Vec<u8>,
    unroll: u8,
    /// Branches that depended on no read when they were met last, how many choices were made, and how many when each instruction was met last: see `counts_itself`.
    known: Vec<bool>,
    choices: u32,
    choices_at: Vec<u32>,
    /// Whether a condition that selects a value only picks it: `Test::picks`.
    picks: bool,
}

impl<'t> Walk<'t> {
    /// A thread before its first instruction. No instruction is jumped back to more than `unroll` times.
    pub fn new(test: &'t Test, thread: usize, unroll: u8) -> Walk<'t> {
        let picks = test.picks();
        let thread = &test.threads[thread];
        let cell = |register: &super::Register| Cell { value: register.init, ..Cell::default() };
        Walk {
            thread,
            at: 0,
            cells: thread.registers.iter().map(cell).collect(),
            n_events: 0,
            pending: Pending::Nothing,
            ctrl: 0,
            scoped: Vec::new(),
            reservation: None,
            returns: vec![0; thread.code.len()],
            unroll,
            known: vec![false; thread.code.len()],
            choices: 0,
            choices_at: vec![0; thread.code.len()],
            picks,
        }
    }

    /// What a register holds.
    pub fn register(&self, reg: Reg) -> u64 {
        self.cells[reg.0 as usize].value
    }

    /// How many events were made.
    pub fn n_events(&self) -> u32 {
        self.n_events
    }

    /// Whether the write of a read-modify-write follows next.
    pub fn has_write_due(&self) -> bool {
        matches!(self.pending, Pending::RmwWrite { .. })
    }

    /// Whether a store-exclusive was just chosen to succeed, so that its write follows next.
    pub fn is_storing_exclusively(&self) -> bool {
        self.pending == Pending::Success
    }

    /// Whether the read that awaits its answer opens an exclusive pair.
    pub fn is_loading_exclusively(&self) -> bool {
        let is_exclusive = |instr: &Instr| matches!(instr.op, Op::Load { is_exclusive: true, .. });
        self.pending == Pending::Answer && self.thread.code.get(self.at).is_some_and(is_exclusive)
    }

    /// What decides about everything that this walk can still do, dependencies aside.
    pub fn identity(&self) -> impl std::fmt::Debug + use<> {
        let values: Vec<u64> = self.cells.iter().map(|cell| cell.value).collect();
        let reservation = self.reservation.map(|(_, address, size)| (address, size));
        (self.at, values, self.pending, reservation, self.returns.clone())
    }

    /// Goes on to the next event, choice or end.
    ///
    /// # Panics
    /// If a read was not answered or a choice not made.
    pub fn step(&mut self) -> Step<'t> {
        loop {
            self.leave_scopes();
            let code: &'t [Instr] = &self.thread.code;
            let Some(instr) = code.get(self.at) else {
                return Step::Done;
            };
            if self.pending == Pending::Nothing {
                self.choices_at[self.at] = self.choices;
                self.choices += u32::from(matches!(instr.op, Op::Choose { .. } | Op::StoreExclusive { .. }));
            }
            match &instr.op {
                Op::Set { to, value } => {
                    let cell = self.compute(value);
                    self.assign(*to, cell);
                    self.at += 1;
                }
                Op::Branch { condition, target, join } => {
                    let cell = self.compute(condition);
                    self.known[self.at] = cell.reads | cell.control == 0;
                    match join {
                        None if self.picks => self.ctrl |= cell.reads | cell.control,
                        None => self.ctrl |= cell.reads,
                        Some(join) => self.scoped.push((*join, cell.reads | cell.control)),
                    }
                    if cell.value == 0 {
                        self.at += 1;
                    } else if !self.jump(*target) {
                        return Step::Cut;
                    }
                }
                Op::Jump { target } => {
                    if !self.jump(*target) {
                        return Step::Cut;
                    }
                }
                Op::Assume { condition } => {
                    if self.compute(condition).value == 0 {
                        return Step::Dropped;
                    }
                    self.at += 1;
                }
                Op::Choose { .. } => {
                    assert_ne!(self.pending, Pending::Choice, "the choice has to be made first");
                    self.pending = Pending::Choice;
                    return Step::Choose;
                }
                Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::StoreExclusive { .. } | Op::Fence { .. } => {
                    if self.n_events == MAX_EVENTS {
                        return Step::TooLong;
                    }
                    if let Some(step) = self.access(instr) {
                        return step;
                    }
                }
            }
        }
    }

    /// Tells the value of the read that the last step stopped at. Says whether it belongs to a compare-and-swap that fails.
    ///
    /// # Panics
    /// If the last step was not a read.
    pub fn answer(&mut self, value: u64) -> bool {
        assert_eq!(self.pending, Pending::Answer, "only a read is answered");
        self.pending = Pending::Nothing;
        let index = self.n_events - 1;
        let reads = 1 << index;
        let code: &'t [Instr] = &self.thread.code;
        match &code[self.at].op {
            Op::Load { to, size, extend, .. } => {
                if let Some(to) = to {
                    self.assign(*to, Cell { value: extended(value, *size, *extend), reads, control: 0 });
                }
                self.at += 1;
                false
            }
            Op::Rmw { size, kind, extend, to, .. } => {
                let old = value & mask(size * 8);
                let fails = match kind {
                    RmwKind::Swap | RmwKind::Apply(_) => false,
                    RmwKind::CompareSwap { expected } => old != self.compute(expected).value & mask(size * 8),
                };
                if fails {
                    if let Some(to) = to {
                        self.assign(*to, Cell { value: extended(old, *size, *extend), reads, control: 0 });
                    }
                    self.at += 1;
                } else {
                    self.pending = Pending::RmwWrite { old, read: index };
                }
                fails
            }
            other => unreachable!("{other:?} has no read"),
        }
    }

    /// Makes the choice that the last step stopped at; for a store-exclusive, whether it succeeds.
    ///
    /// # Panics
    /// If the last step was not a choice.
    pub fn choose(&mut self, yes: bool) {
        assert_eq!(self.pending, Pending::Choice, "only a choice is made");
        let code: &'t [Instr] = &self.thread.code;
        match &code[self.at].op {
            Op::Choose { to } => {
                self.pending = Pending::Nothing;
                self.assign(*to, Cell { value: u64::from(yes), ..Cell::default() });
                self.at += 1;
            }
            Op::StoreExclusive { .. } if yes => self.pending = Pending::Success,
            Op::StoreExclusive { .. } => {
                self.pending = Pending::Nothing;
                self.fail_exclusive();
            }
            other => unreachable!("{other:?} has no choice"),
        }
    }

    /// The next event of an instruction that makes events; nothing if it is over without one.
    fn access(&mut self, instr: &'t Instr) -> Option<Step<'t>> {
        assert!(
            !matches!(self.pending, Pending::Answer | Pending::Choice),
            "answer the read, or make the choice, first"
        );
        let place = instr.op.access().map(|(address, size)| (self.compute(address), size));
        let place = place.or_else(|| match &instr.op {
            Op::Fence { address: Some(address), .. } => Some((self.compute(address), 0)),
            _ => None,
        });
        let (address, size) = place.unwrap_or_default();
        let picked = match &instr.op {
            Op::Store { value, .. } | Op::Rmw { operand: value, .. } | Op::StoreExclusive { value, .. }
                if self.picks =>
            {
                address.control | self.compute(value).control
            }
            _ => 0,
        };
        let mut event = Event {
            kind: EventKind::Fence,
            index: self.n_events,
            address: address.value,
            size,
            value: 0,
            tags: &[],
            failure_tags: None,
            addr: address.reads,
            data: 0,
            ctrl: self.ctrl | self.scoped_ctrl(),
            rmw: None,
            is_amo: false,
            instr: self.at,
            group: instr.group,
        };
        match &instr.op {
            Op::Load { is_exclusive, tags, .. } => {
                event.kind = EventKind::Read;
                event.tags = tags;
                if *is_exclusive {
                    self.reservation = Some((event.index, event.address, size));
                }
                self.pending = Pending::Answer;
            }
            Op::Store { value, tags, .. } => {
                let value = self.compute(value);
                event.kind = EventKind::Write;
                event.tags = tags;
                event.value = value.value & mask(size * 8);
                event.data = value.reads;
                self.at += 1;
            }
            Op::Fence { tags, .. } => {
                event.tags = tags;
                self.at += 1;
            }
            Op::Rmw { read_tags, failure_tags, kind, .. } => {
                event.is_amo = true;
                if let Pending::RmwWrite { old, read } = self.pending {
                    self.finish_rmw(instr, &mut event, old, read);
                } else {
                    event.kind = EventKind::Read;
                    event.tags = read_tags;
                    let may_fail = matches!(kind, RmwKind::CompareSwap { .. });
                    event.failure_tags = may_fail.then_some(failure_tags.as_slice());
                    self.pending = Pending::Answer;
                }
            }
            Op::StoreExclusive { .. } => {
                let is_open = self.reservation.is_some_and(|(_, at, bytes)| at == event.address && bytes == size);
                match self.pending {
                    Pending::Success => self.succeed_exclusive(instr, &mut event),
                    _ if is_open => {
                        self.pending = Pending::Choice;
                        return Some(Step::Choose);
                    }
                    _ => {
                        self.fail_exclusive();
                        return None;
                    }
                }
            }
            Op::Set { .. } | Op::Branch { .. } | Op::Jump { .. } | Op::Choose { .. } | Op::Assume { .. } => {
                unreachable!("these make no events")
            }
        }
        if event.kind == EventKind::Write {
            event.ctrl |= picked;
        }
        if self.picks {
            self.ctrl |= address.control;
        }
        self.n_events += 1;
        Some(Step::Event(event))
    }

    fn finish_rmw(&mut self, instr: &'t Instr, event: &mut Event<'t>, old: u64, read: u32) {
        let Op::Rmw { to, extend, size, kind, operand, write_tags, .. } = &instr.op else {
            unreachable!("only an Rmw has a write pending")
        };
        let operand = self.compute(operand);
        let width = size * 8;
        event.kind = EventKind::Write;
        event.tags = write_tags;
        event.rmw = Some(read);
        event.data = operand.reads;
        event.value = match kind {
            RmwKind::Swap | RmwKind::CompareSwap { .. } => operand.value & mask(width),
            RmwKind::Apply(op) => {
                event.data |= 1 << read;
                apply_binary(*op, width, old, operand.value)
            }
        };
        let mut got = Cell { value: extended(old, *size, *extend), reads: 1 << read, control: 0 };
        if let (RmwKind::CompareSwap { expected }, true) = (kind, self.picks) {
            // What was expected is what is there: the register may keep it, and only the comparison depends on memory.
            let expected = self.compute(expected);
            (got.reads, got.control) = (expected.reads, expected.control | 1 << read);
        }
        if let Some(to) = to {
            self.assign(*to, got);
        }
        self.pending = Pending::Nothing;
        self.at += 1;
    }

    fn succeed_exclusive(&mut self, instr: &'t Instr, event: &mut Event<'t>) {
        let Op::StoreExclusive { status, success, outcome, value, tags, size, .. } = &instr.op else {
            unreachable!("only a store-exclusive succeeds")
        };
        let value = self.compute(value);
        event.kind = EventKind::Write;
        event.tags = tags;
        event.value = value.value & mask(size * 8);
        event.data = value.reads;
        event.rmw = self.reservation.map(|(read, ..)| read);
        let reads = match outcome {
            ExclusiveStatus::Free => 0,
            ExclusiveStatus::OnOperands => event.addr | event.data,
            ExclusiveStatus::OnWrite => event.addr | 1 << event.index,
        };
        if let Some(status) = status {
            self.assign(*status, Cell { value: *success, reads, control: 0 });
        }
        self.reservation = None;
        self.pending = Pending::Nothing;
        self.at += 1;
    }

    fn fail_exclusive(&mut self) {
        let code: &'t [Instr] = &self.thread.code;
        let Op::StoreExclusive { status, failure, outcome, value, address, .. } = &code[self.at].op else {
            unreachable!("only a store-exclusive fails")
        };
        let reads = match outcome {
            ExclusiveStatus::Free | ExclusiveStatus::OnWrite => 0,
            ExclusiveStatus::OnOperands => self.compute(address).reads | self.compute(value).reads,
        };
        if let Some(status) = status {
            self.assign(*status, Cell { value: *failure, reads, control: 0 });
        }
        self.reservation = None;
        self.at += 1;
    }

    fn compute(&self, expr: &Expr) -> Cell {
        let mut cell = Cell { value: evaluate(expr, &|reg| self.register(reg)), ..Cell::default() };
        self.depend(expr, &mut cell);
        cell
    }

    fn depend(&self, expr: &Expr, cell: &mut Cell) {
        match expr {
            Expr::Const(_) => {}
            Expr::Reg(reg) => {
                let from = self.cells[reg.0 as usize];
                cell.reads |= from.reads;
                cell.control |= from.control;
            }
            Expr::Unary(_, _, operand) => self.depend(operand, cell),
            Expr::Binary(_, _, left, right) => {
                self.depend(left, cell);
                self.depend(right, cell);
            }
            Expr::Select(condition, yes, no) => {
                if self.picks {
                    let asked = self.compute(condition);
                    cell.control |= asked.reads | asked.control;
                } else {
                    self.depend(condition, cell);
                }
                let is_yes = evaluate(condition, &|reg| self.register(reg)) != 0;
                self.depend(if is_yes { yes } else { no }, cell);
            }
        }
    }

    fn assign(&mut self, to: Reg, mut cell: Cell) {
        cell.control |= self.scoped_ctrl();
        self.cells[to.0 as usize] = cell;
    }

    fn scoped_ctrl(&self) -> EventSet {
        self.scoped.iter().fold(0, |set, (_, reads)| set | reads)
    }

    fn leave_scopes(&mut self) {
        let at = self.at;
        self.scoped.retain(|(join, _)| *join != at);
    }

    /// Whether a branch that leaves the loop from here back to an instruction depends on no read and no choice: then the test itself says how often it goes round.
    fn counts_itself(&self, target: usize) -> bool {
        let leaves = |at: usize| match &self.thread.code[at].op {
            Op::Branch { target: to, .. } => at == self.at || *to > self.at || *to < target,
            _ => false,
        };
        self.choices_at[target] == self.choices && (target..=self.at).any(|at| self.known[at] && leaves(at))
    }

    /// Goes to an instruction, unless that was done too often.
    fn jump(&mut self, target: usize) -> bool {
        if target <= self.at {
            let most = if self.counts_itself(target) { KNOWN_ROUNDS } else { 0 };
            if self.returns[target] >= self.unroll.max(most) {
                return false;
            }
            self.returns[target] += 1;
        }
        self.at = target;
        true
    }
}

/// A value of `size` bytes as a word.
fn extended(value: u64, size: u8, extend: Extend) -> u64 {
    match extend {
        Extend::Zero => value & mask(size * 8),
        Extend::Sign(width) => signed(value, size * 8) as u64 & mask(width),
    }
}
