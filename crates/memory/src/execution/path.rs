//! Which ways can a thread go, and which events does it make on each?
//!
//! A thread runs on terms: what a read reads is a variable. A branch whose condition is not constant goes both ways, each with the
//! condition as a constraint; so do compare-and-swaps and store-exclusives. No instruction is jumped back to more
//! than `unroll` times, unless it is known how often; ways that want more are cut off, and that is said.
//!
//! **Dependencies** are those of `ir::litmus::step`, which runs threads on numbers instead of terms: a register remembers the accesses that its
//! value was computed from, and in C also the branches that decided about its assignment.

use ir::litmus::step::KNOWN_ROUNDS;
use ir::litmus::{Binary, ExclusiveStatus, Expr, Extend, Instr, Op, RmwKind, Test, Unary};
use ir::source::Span;

use super::term::{TermId, Terms};
use super::walk::{Walk, Word};

/// A set of accesses of one thread, by index into `Path::accesses`.
pub type Sources = u128;

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Orders others.
    Fence,
}

/// Which sort of instruction an access belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// A load, a store or a fence.
    Single,
    /// Half of a read-modify-write instruction.
    Amo,
    /// An exclusive load or store.
    Exclusive,
    /// A branch, where models speak of branches: a fence without effect.
    Branch,
}

/// A memory access or a fence of a thread.
#[derive(Clone, Debug)]
pub struct Access<'t> {
    /// What it does.
    pub kind: Kind,
    /// What it is part of.
    pub role: Role,
    /// Its tags.
    pub tags: &'t [String],
    /// Where; fences may have no place.
    pub address: Option<TermId>,
    /// How many bytes; 0 for fences.
    pub size: u8,
    /// What is read (a variable, or parts of several) or written.
    pub value: TermId,
    /// The first variable of a read.
    pub variable: u32,
    /// Which run of an instruction it belongs to: accesses of one instruction are not ordered.
    pub instance: u32,
    /// Where the instruction stands.
    pub span: Span,
    /// What its address depends on.
    pub addr: Sources,
    /// What its value depends on.
    pub data: Sources,
    /// Which branches it depends on.
    pub ctrl: Sources,
    /// What the expected value of a compare-and-swap depends on.
    pub casdep: Sources,
    /// Reads that have chosen the value that is written.
    pub pick: Sources,
}

/// A way through a thread.
#[derive(Clone, Debug)]
pub struct Path<'t> {
    /// The accesses in order.
    pub accesses: Vec<Access<'t>>,
    /// Terms that are not 0 (true) or 0 (false) on this way.
    pub constraints: Vec<(TermId, bool)>,
    /// Pairs of a read and a write that are one atomic step, by index, and whether they are one instruction.
    pub rmw: Vec<(usize, usize, bool)>,
    /// What the registers hold at the end.
    pub registers: Vec<TermId>,
}

/// All ways through a thread.
#[derive(Clone, Debug)]
pub struct Paths<'t> {
    /// The ways that end.
    pub paths: Vec<Path<'t>>,
    /// The place of a loop that was cut off, if one was.
    pub cut: Option<Span>,
    /// The first variable that no way uses.
    pub next_variable: u32,
}

/// How threads are run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often an instruction is run again.
    pub unroll: u32,
    /// Whether loops go on that the test itself seems to count.
    pub counts: bool,
    /// How many ways a thread may have.
    pub paths: usize,
    /// Reads are split into parts of so many bytes; 0 if they are not split.
    pub granule: u8,
    /// Whether branches are events.
    pub has_branches: bool,
}

/// Why a thread could not be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TooMuch {
    /// More ways than allowed.
    Paths(Span),
    /// More accesses on one way than a set of sources holds.
    Accesses(Span),
}

/// Runs a thread, whose reads use the variables from `first_variable` on.
pub fn paths<'t>(
    test: &'t Test,
    thread: usize,
    terms: &mut Terms,
    first_variable: u32,
    limits: Limits,
) -> Result<Paths<'t>, TooMuch> {
    let code = &test.threads[thread].code;
    let registers = test.threads[thread]
        .registers
        .iter()
        .map(|register| Word { term: terms.constant(register.init), reads: 0, control: 0 })
        .collect();
    let start = Walk {
        pc: 0,
        registers,
        path: Path { accesses: Vec::new(), constraints: Vec::new(), rmw: Vec::new(), registers: Vec::new() },
        control: Vec::new(),
        exclusive: None,
        returns: vec![0; code.len()],
        known: vec![false; code.len()],
        choices: 0,
        choices_at: vec![0; code.len()],
        instance: 0,
        group: None,
        variables: first_variable,
    };
    let done = Paths { paths: Vec::new(), cut: None, next_variable: first_variable };
    let mut runner = Runner { code, terms, limits, picks: test.picks(), done };
    let mut stack = vec![start];
    while let Some(walk) = stack.pop() {
        runner.walk(walk, &mut stack)?;
        if runner.done.paths.len() + stack.len() > limits.paths {
            let span = code.first().map_or(Span::NOWHERE, |instr| instr.span);
            return Err(TooMuch::Paths(span));
        }
    }
    runner.done.paths.reverse();
    Ok(runner.done)
}

struct Runner<'a, 't> {
    code: &'t [Instr],
    terms: &'a mut Terms,
    limits: Limits,
    /// Whether a condition that selects a value only picks it: `Test::picks`.
    picks: bool,
    done: Paths<'t>,
}

impl<'t> Runner<'_, 't> {
    /// Follows a way to its end; where it forks, the other way goes on the stack.
    fn walk(&mut self, mut walk: Walk<'t>, stack: &mut Vec<Walk<'t>>) -> Result<(), TooMuch> {
        while let Some(instr) = self.code.get(walk.pc) {
            let pc = walk.pc;
            walk.choices_at[pc] = walk.choices;
            if matches!(instr.op, Op::Choose { .. } | Op::StoreExclusive { .. }) {
                walk.choices += 1;
            }
            walk.control.retain(|(_, join)| *join != Some(pc));
            if walk.group != Some(instr.group) {
                walk.group = Some(instr.group);
                walk.instance += 1;
            }
            if walk.path.accesses.len() + 2 > Sources::BITS as usize {
                return Err(TooMuch::Accesses(instr.span));
            }
            walk.pc += 1;
            if !self.step(&mut walk, instr, stack) {
                return Ok(());
            }
        }
        self.done.next_variable = self.done.next_variable.max(walk.variables);
        walk.path.registers = walk.registers.iter().map(|word| word.term).collect();
        self.done.paths.push(walk.path);
        Ok(())
    }

    /// One instruction; false if the way ends here without a final state.
    fn step(&mut self, walk: &mut Walk<'t>, instr: &'t Instr, stack: &mut Vec<Walk<'t>>) -> bool {
        match &instr.op {
            Op::Set { to, value } => {
                if let Some(condition) = self.unsettled(walk, value) {
                    // Once for each of the two values, which come from different reads.
                    walk.pc -= 1;
                    let mut other = walk.clone();
                    if other.assume(self.terms, condition, true) {
                        stack.push(other);
                    }
                    return walk.assume(self.terms, condition, false);
                }
                let word = self.expr(walk, value);
                walk.assign(Some(*to), word);
            }
            Op::Load { to, address, size, extend, is_exclusive, tags } => {
                let address = self.expr(walk, address);
                let role = if *is_exclusive { Role::Exclusive } else { Role::Single };
                let index = self.read(walk, instr, role, tags, address, *size);
                let value = self.extended(walk.path.accesses[index].value, *size, *extend);
                walk.set(*to, value, 1 << index);
                if *is_exclusive {
                    walk.exclusive = Some(index);
                }
            }
            Op::Store { address, value, size, tags } => {
                let address = self.expr(walk, address);
                let value = self.expr(walk, value);
                self.write(walk, instr, Role::Single, tags, address, value, *size);
            }
            Op::Rmw { .. } => return self.rmw(walk, instr, stack),
            Op::StoreExclusive { .. } => return self.store_exclusive(walk, instr, stack),
            Op::Fence { tags, address } => {
                let address = address.as_ref().map(|address| self.expr(walk, address));
                self.fence(walk, instr, Role::Single, tags, address);
            }
            Op::Branch { condition, target, join } => {
                let word = self.expr(walk, condition);
                if self.limits.has_branches {
                    self.fence(walk, instr, Role::Branch, &[], None);
                }
                let sources = if join.is_some() || self.picks { word.reads | word.control } else { word.reads };
                walk.control.push((sources, *join));
                walk.known[walk.pc - 1] = self.terms.as_constant(word.term).is_some();
                let mut taken = walk.clone();
                let goes_on = walk.assume(self.terms, word.term, false);
                if taken.assume(self.terms, word.term, true) && self.jump(&mut taken, *target, instr) {
                    if !goes_on {
                        *walk = taken;
                        return true;
                    }
                    stack.push(taken);
                }
                return goes_on;
            }
            Op::Choose { to } => {
                let mut other = walk.clone();
                let (zero, one) = (self.terms.constant(0), self.terms.constant(1));
                walk.set(Some(*to), zero, 0);
                other.set(Some(*to), one, 0);
                stack.push(other);
            }
            Op::Assume { condition } => {
                let word = self.expr(walk, condition);
                return walk.assume(self.terms, word.term, true);
            }
            Op::Jump { target } => return self.jump(walk, *target, instr),
        }
        true
    }

    /// An event that reads and writes nothing.
    fn fence(&mut self, walk: &mut Walk<'t>, instr: &Instr, role: Role, tags: &'t [String], address: Option<Word>) {
        let value = self.terms.constant(0);
        let ctrl = walk.controlled();
        walk.path.accesses.push(Access {
            kind: Kind::Fence,
            role,
            tags,
            address: address.map(|address| address.term),
            size: 0,
            value,
            variable: 0,
            instance: walk.instance,
            span: instr.span,
            addr: address.map_or(0, |address| address.reads),
            data: 0,
            ctrl,
            casdep: 0,
            pick: 0,
        });
    }

    /// Goes to an instruction, unless that was done too often.
    fn jump(&mut self, walk: &mut Walk<'t>, target: usize, instr: &Instr) -> bool {
        if target < walk.pc {
            walk.group = None;
            walk.returns[target] += 1;
            let most = if self.counts_itself(walk, target) { u32::from(KNOWN_ROUNDS) } else { 0 };
            if walk.returns[target] > self.limits.unroll.max(most) {
                self.done.cut = Some(instr.span);
                return false;
            }
        }
        walk.pc = target;
        true
    }

    /// A condition that selects one of two values from different reads, if it is not known which.
    fn unsettled(&mut self, walk: &Walk<'t>, expr: &Expr) -> Option<TermId> {
        match expr {
            Expr::Select(condition, yes, no) if self.picks => {
                let word = self.expr(walk, condition);
                if walk.settled(self.terms, word.term).is_none()
                    && self.expr(walk, yes).reads != self.expr(walk, no).reads
                {
                    return Some(word.term);
                }
                [condition, yes, no].into_iter().find_map(|part| self.unsettled(walk, part))
            }
            Expr::Unary(_, _, operand) => self.unsettled(walk, operand),
            Expr::Binary(_, _, left, right) => self.unsettled(walk, left).or_else(|| self.unsettled(walk, right)),
            _ => None,
        }
    }

    /// Whether a branch that leaves the loop from an instruction to here is one that the test itself decides, whatever is read: then the loop ends by itself.
    fn counts_itself(&self, walk: &Walk<'t>, target: usize) -> bool {
        if !self.limits.counts {
            return false;
        }
        let last = walk.pc - 1;
        let leaves = |at: usize| match &self.code[at].op {
            Op::Branch { target: to, .. } => at == last || *to > last || *to < target,
            _ => false,
        };
        walk.choices_at[target] == walk.choices && (target..=last).any(|at| walk.known[at] && leaves(at))
    }

    fn expr(&mut self, walk: &Walk<'t>, expr: &Expr) -> Word {
        match expr {
            Expr::Const(value) => Word { term: self.terms.constant(*value), reads: 0, control: 0 },
            Expr::Reg(reg) => walk.registers[reg.0 as usize],
            Expr::Unary(op, width, operand) => {
                let word = self.expr(walk, operand);
                Word { term: self.terms.unary(*op, *width, word.term), ..word }
            }
            Expr::Binary(op, width, left, right) => {
                let a = self.expr(walk, left);
                let b = self.expr(walk, right);
                let term = self.terms.binary(*op, *width, a.term, b.term);
                Word { term, reads: a.reads | b.reads, control: a.control | b.control }
            }
            Expr::Select(condition, yes, no) => {
                let c = self.expr(walk, condition);
                let a = self.expr(walk, yes);
                let b = self.expr(walk, no);
                let term = self.terms.select(c.term, a.term, b.term);
                // The value depends on the operand that is chosen, when that is known.
                let (mut reads, mut control) = if self.picks { (0, c.reads | c.control) } else { (c.reads, c.control) };
                let chosen = walk.settled(self.terms, c.term);
                if chosen != Some(0) {
                    reads |= a.reads;
                    control |= a.control;
                }
                if chosen.is_none_or(|value| value == 0) {
                    reads |= b.reads;
                    control |= b.control;
                }
                Word { term, reads, control }
            }
        }
    }

    fn extended(&mut self, value: TermId, size: u8, extend: Extend) -> TermId {
        match extend {
            Extend::Zero => value,
            Extend::Sign(width) => {
                let wide = self.terms.unary(Unary::SignExtend, size * 8, value);
                if width >= 64 { wide } else { self.terms.unary(Unary::ZeroExtend, width, wide) }
            }
        }
    }

    fn read(
        &mut self,
        walk: &mut Walk<'t>,
        instr: &Instr,
        role: Role,
        tags: &'t [String],
        address: Word,
        size: u8,
    ) -> usize {
        let variable = walk.variables;
        let granule = if self.limits.granule == 0 { size } else { self.limits.granule.min(size) };
        let mut value = self.terms.read(variable);
        walk.variables += 1;
        for part in 1..size / granule {
            let high = self.terms.read(walk.variables);
            walk.variables += 1;
            let shift = self.terms.constant(u64::from(part * granule) * 8);
            let high = self.terms.binary(Binary::Shl, 64, high, shift);
            value = self.terms.binary(Binary::Or, 64, value, high);
        }
        let ctrl = walk.controlled();
        walk.path.accesses.push(Access {
            kind: Kind::Read,
            role,
            tags,
            address: Some(address.term),
            size,
            value,
            variable,
            instance: walk.instance,
            span: instr.span,
            addr: address.reads,
            data: 0,
            ctrl,
            casdep: 0,
            pick: 0,
        });
        self.picked(walk, address);
        walk.path.accesses.len() - 1
    }

    /// Writes behind an access depend on what picked its address.
    fn picked(&self, walk: &mut Walk<'t>, address: Word) {
        if self.picks && address.control != 0 {
            walk.control.push((address.control, None));
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &mut self,
        walk: &mut Walk<'t>,
        instr: &Instr,
        role: Role,
        tags: &'t [String],
        address: Word,
        value: Word,
        size: u8,
    ) -> usize {
        let cut = self.terms.bytes(value.term, 0, size);
        let picked = if self.picks { address.control | value.control } else { 0 };
        let ctrl = walk.controlled() | picked;
        walk.path.accesses.push(Access {
            kind: Kind::Write,
            role,
            tags,
            address: Some(address.term),
            size,
            value: cut,
            variable: 0,
            instance: walk.instance,
            span: instr.span,
            addr: address.reads,
            data: value.reads,
            ctrl,
            casdep: 0,
            pick: picked,
        });
        self.picked(walk, address);
        walk.path.accesses.len() - 1
    }

    fn rmw(&mut self, walk: &mut Walk<'t>, instr: &'t Instr, stack: &mut Vec<Walk<'t>>) -> bool {
        let Op::Rmw { to, extend, address, size, kind, operand, read_tags, write_tags, failure_tags } = &instr.op
        else {
            unreachable!("called for read-modify-writes only")
        };
        let width = size * 8;
        let address = self.expr(walk, address);
        let operand = self.expr(walk, operand);
        let read = self.read(walk, instr, Role::Amo, read_tags, address, *size);
        let old = walk.path.accesses[read].value;
        let result = self.extended(old, *size, *extend);
        let mut got = Word { term: result, reads: 1 << read, control: 0 };
        let new = match kind {
            RmwKind::Swap => operand,
            RmwKind::Apply(op) => {
                let term = self.terms.binary(*op, width, old, operand.term);
                Word { term, reads: operand.reads | 1 << read, ..operand }
            }
            RmwKind::CompareSwap { expected } => {
                let expected = self.expr(walk, expected);
                walk.path.accesses[read].casdep = expected.reads;
                let equal = self.terms.binary(Binary::Eq, width, old, expected.term);
                let mut failed = walk.clone();
                let succeeds = walk.assume(self.terms, equal, true);
                if failed.assume(self.terms, equal, false) {
                    failed.path.accesses[read].tags = failure_tags;
                    failed.set(*to, result, 1 << read);
                    if !succeeds {
                        *walk = failed;
                        return true;
                    }
                    stack.push(failed);
                }
                if !succeeds {
                    return false;
                }
                // What was expected is what is there: the register may keep it, and only the comparison depends on memory. Or else it is read.
                let kept = Word { reads: expected.reads, control: expected.control | 1 << read, ..got };
                if self.picks && expected.reads != 0 && to.is_some() {
                    let mut other = walk.clone();
                    let write = self.write(&mut other, instr, Role::Amo, write_tags, address, operand, *size);
                    other.path.rmw.push((read, write, true));
                    other.assign(*to, got);
                    stack.push(other);
                }
                if self.picks {
                    got = kept;
                }
                operand
            }
        };
        let write = self.write(walk, instr, Role::Amo, write_tags, address, new, *size);
        walk.path.rmw.push((read, write, true));
        walk.assign(*to, got);
        true
    }

    fn store_exclusive(&mut self, walk: &mut Walk<'t>, instr: &'t Instr, stack: &mut Vec<Walk<'t>>) -> bool {
        let Op::StoreExclusive { status, success, failure, outcome, address, value, size, tags } = &instr.op else {
            unreachable!("called for store-exclusives only")
        };
        let address = self.expr(walk, address);
        let value = self.expr(walk, value);
        let open = walk.exclusive.take();
        let mut failed = walk.clone();
        let luck = self.terms.constant(*failure);
        let depends = if *outcome == ExclusiveStatus::OnOperands { address.reads | value.reads } else { 0 };
        failed.set(*status, luck, depends);
        let Some(load) = open else {
            *walk = failed;
            return true;
        };
        let opened = &walk.path.accesses[load];
        let is_same_size = opened.size == *size;
        let opened = opened.address.expect("a load has an address");
        let same = self.terms.binary(Binary::Eq, 64, opened, address.term);
        if !is_same_size || !walk.assume(self.terms, same, true) {
            *walk = failed;
            return true;
        }
        stack.push(failed);
        let write = self.write(walk, instr, Role::Exclusive, tags, address, value, *size);
        walk.path.rmw.push((load, write, false));
        let luck = self.terms.constant(*success);
        let depends = match outcome {
            ExclusiveStatus::Free => 0,
            ExclusiveStatus::OnOperands => address.reads | value.reads,
            ExclusiveStatus::OnWrite => address.reads | 1 << write,
        };
        walk.set(*status, luck, depends);
        true
    }
}
