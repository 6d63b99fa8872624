//! The instructions that inline assembly of concurrent programs is made of, machine by machine: x86-64, Armv8, Power, RISC-V.
//!
//! The machine is not named anywhere: a template is of the machine that knows all of its instructions. If two know them and mean different
//! things, nobody knows. What is not written here is refused, also where a form of a known instruction is not: what is taken for something else
//! makes a wrong answer.

use super::step::{Arith, Cell, Step, When, order_of};
use super::template::{Operand, Piece};
use ir::{Barrier, Kinds, Order};

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Machine {
    X86,
    Aarch64,
    Power,
    Riscv,
}

pub(super) const MACHINES: [Machine; 4] = [Machine::X86, Machine::Aarch64, Machine::Power, Machine::Riscv];

/// What a machine has to know of the operands.
pub(super) trait Operands {
    /// Whether an operand is a place in memory.
    fn is_memory(&self, machine: Machine, index: usize) -> bool;
    /// Whether the instructions may write an operand.
    fn is_output(&self, index: usize) -> bool;
    /// Whether it is in a register of x86, rather than a number or a place.
    fn is_register(&self, index: usize) -> bool;
    /// Its bits in C.
    fn bits(&self, index: usize) -> Option<u32>;
    /// The operand that is in the register which x86 compares with.
    fn accumulator(&self) -> Option<usize>;
}

/// The steps of a template, if the machine knows all of them and writes outputs only.
pub(super) fn steps(machine: Machine, pieces: &[Piece], operands: &dyn Operands) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for piece in pieces {
        steps.push(match piece {
            Piece::Label(number) => Step::Label(*number),
            Piece::Instruction { name, is_locked, operands: own } => {
                let line = Line { machine, operands, own, is_locked: *is_locked };
                match machine {
                    Machine::X86 => line.x86(name)?,
                    _ if *is_locked => return None,
                    Machine::Aarch64 => line.aarch64(name)?,
                    Machine::Power => line.power(name)?,
                    Machine::Riscv => line.riscv(name)?,
                }
            }
        });
    }
    Some(steps)
}

/// What the last operand of a computation may be.
#[derive(Clone, Copy)]
enum With {
    Register,
    Number,
    Either,
}

/// One instruction.
pub(super) struct Line<'t> {
    machine: Machine,
    pub(super) operands: &'t dyn Operands,
    pub(super) own: &'t [Operand],
    pub(super) is_locked: bool,
}

impl Line<'_> {
    pub(super) fn count(&self, n: usize) -> Option<()> {
        (self.own.len() == n).then_some(())
    }

    pub(super) fn is_memory(&self, at: usize) -> bool {
        match self.own.get(at) {
            Some(Operand::Memory(..)) => true,
            Some(Operand::Arg(index, _)) => self.operands.is_memory(self.machine, *index),
            _ => false,
        }
    }

    /// Whether the letter before an operand's number asks for what is read here.
    fn is_plain(&self, letter: Option<char>) -> bool {
        match self.machine {
            Machine::X86 => matches!(letter, None | Some('b' | 'w' | 'k' | 'q')),
            Machine::Aarch64 => matches!(letter, None | Some('w' | 'x')),
            Machine::Power | Machine::Riscv => letter.is_none(),
        }
    }

    /// A register that is read.
    pub(super) fn register(&self, at: usize) -> Option<Operand> {
        match self.own.get(at)? {
            Operand::Zero(_) if self.machine != Machine::X86 => self.own.get(at).cloned(),
            Operand::Arg(index, letter) if !self.operands.is_memory(self.machine, *index) && self.is_plain(*letter) => {
                self.own.get(at).cloned()
            }
            _ => None,
        }
    }

    /// A register that is read, or a number.
    pub(super) fn value(&self, at: usize) -> Option<Operand> {
        match self.own.get(at)? {
            Operand::Number(_) => self.own.get(at).cloned(),
            _ => self.register(at),
        }
    }

    /// A number.
    fn number(&self, at: usize) -> Option<Operand> {
        self.own.get(at).filter(|operand| matches!(operand, Operand::Number(_))).cloned()
    }

    /// A register that is written; what goes to the one that is zero is thrown away.
    pub(super) fn result(&self, at: usize) -> Option<Operand> {
        match self.register(at)? {
            Operand::Arg(index, _) if !self.operands.is_output(index) => None,
            register => Some(register),
        }
    }

    pub(super) fn cell(&self, at: usize, bytes: u32) -> Option<Cell> {
        let is_plain = match self.own.get(at)? {
            Operand::Arg(_, letter) => letter.is_none() || (self.machine, *letter) == (Machine::Power, Some('y')),
            Operand::Memory(base, _) => matches!(**base, Operand::Arg(_, None | Some('x'))),
            _ => false,
        };
        (is_plain && self.is_memory(at)).then(|| Cell { at: self.own[at].clone(), bytes })
    }

    fn label(&self, at: usize) -> Option<(u32, bool)> {
        match self.own.get(at)? {
            Operand::Label(number, is_back) => Some((*number, *is_back)),
            _ => None,
        }
    }

    fn jump(&self, when: When, at: usize) -> Option<Step> {
        self.count(at + 1)?;
        let (label, is_back) = self.label(at)?;
        Some(Step::Jump { when, label, is_back })
    }

    /// `to, a, b`, where the last may be a number if the instruction is for numbers, and has to be on machines that have two instructions.
    fn compute(&self, how: Arith, bits: u32, with: With) -> Option<Step> {
        self.count(3)?;
        let (to, a, b) = (self.result(0)?, self.register(1)?, self.second(2, with)?);
        // Nothing is left of a register taken from itself, but for the dependency.
        let is_void = matches!(how, Arith::Xor | Arith::Sub | Arith::SubFrom | Arith::AndNot) && a == b;
        (!is_void).then_some(Step::Compute { to, how, a, b, bits })
    }

    fn compute_one(&self, how: Arith, bits: u32, with: With) -> Option<Step> {
        self.count(2)?;
        Some(Step::Compute { to: self.result(0)?, how, a: Operand::Number(0), b: self.second(1, with)?, bits })
    }

    fn second(&self, at: usize, with: With) -> Option<Operand> {
        match with {
            With::Register => self.register(at),
            With::Number => self.number(at),
            With::Either => self.value(at),
        }
    }

    /// A word as an operand: the domain of a barrier.
    fn word(&self, at: usize) -> Option<&str> {
        match self.own.get(at)? {
            Operand::Other(word) => Some(word),
            _ => None,
        }
    }

    // Armv8.

    /// Bits of a register as it is written: `%w0` is the lower half.
    fn aarch64_bits(&self, at: usize) -> u32 {
        match self.own.get(at) {
            Some(Operand::Arg(_, Some('w')) | Operand::Zero(32)) => 32,
            _ => 64,
        }
    }

    fn aarch64(&self, name: &str) -> Option<Step> {
        if let Some(step) = self.aarch64_access(name) {
            return Some(step);
        }
        let bits = self.aarch64_bits(0);
        match name {
            "nop" | "yield" | "wfe" | "wfi" | "sev" | "sevl" => self.count(0).map(|()| Step::Nothing),
            "prfm" => Some(Step::Nothing),
            "isb" => (self.own.is_empty() || self.word(0) == Some("sy")).then_some(Step::Fence(Barrier::Isb)),
            "dmb" | "dsb" => {
                self.count(1)?;
                Some(Step::Fence(match self.word(0)? {
                    "ishld" | "ld" | "oshld" => Barrier::DmbIshld,
                    "ishst" | "st" | "oshst" => Barrier::DmbIshst,
                    "ish" | "sy" | "osh" => Barrier::DmbIsh,
                    _ => return None,
                }))
            }
            "add" => self.compute(Arith::Add, bits, With::Either),
            "sub" => self.compute(Arith::Sub, bits, With::Either),
            "and" => self.compute(Arith::And, bits, With::Either),
            "bic" => self.compute(Arith::AndNot, bits, With::Either),
            "orr" => self.compute(Arith::Or, bits, With::Either),
            "eor" => self.compute(Arith::Xor, bits, With::Either),
            "mov" => self.compute_one(Arith::Move, bits, With::Either),
            "mvn" => self.compute_one(Arith::Not, bits, With::Register),
            "neg" => self.compute_one(Arith::Neg, bits, With::Register),
            "cmp" => {
                self.count(2)?;
                Some(Step::Compare { a: self.register(0)?, b: self.value(1)?, bits })
            }
            "b.ne" | "bne" => self.jump(When::NotEqual, 0),
            "b.eq" | "beq" => self.jump(When::Equal, 0),
            "cbnz" => self.jump(When::NonZero(self.register(0)?, bits), 1),
            "cbz" => self.jump(When::Zero(self.register(0)?, bits), 1),
            _ => None,
        }
    }

    /// Loads, stores, exclusives and the atomics of Armv8.1; `ldapr` is weaker than C11's acquire can be mapped to, and not among them.
    fn aarch64_access(&self, name: &str) -> Option<Step> {
        // A single operation in memory: `ldaddal`, `swpb`, `casl`.
        const ATOMICS: [(&str, Arith); 6] = [
            ("ldadd", Arith::Add),
            ("ldclr", Arith::AndNot),
            ("ldset", Arith::Or),
            ("ldeor", Arith::Xor),
            ("swp", Arith::Move),
            ("cas", Arith::Move),
        ];
        let atomic = ATOMICS.iter().find_map(|(stem, how)| Some((*stem, *how, name.strip_prefix(stem)?)));
        if let Some((stem, how, letters)) = atomic {
            self.count(3)?;
            let (letters, bytes) = self.aarch64_bytes(letters, 0);
            let order = match letters {
                "" => Order::Relaxed,
                "a" => Order::Acquire,
                "l" => Order::Release,
                "al" => Order::AcqRel,
                _ => return None,
            };
            let cell = self.cell(2, bytes)?;
            // Without a register for what was there it is another instruction, which orders less.
            let has_result = matches!(self.own[usize::from(stem != "cas")], Operand::Arg(..));
            return has_result.then_some(if stem == "cas" {
                Step::CompareExchange { cell, expected: self.result(0)?, new: self.register(1)?, order }
            } else {
                let (with, old) = (self.register(0)?, Some(self.result(1)?));
                Step::Update { cell, how, with, old, is_signed: false, order }
            });
        }
        let is_exclusive_store = name.starts_with("stx") || name.starts_with("stlx");
        let (stem, bytes) = self.aarch64_bytes(name, usize::from(is_exclusive_store));
        match stem {
            "ldr" | "ldar" | "ldxr" | "ldaxr" => {
                self.count(2)?;
                let (to, from) = (self.result(0)?, self.cell(1, bytes)?);
                let order = order_of(stem.starts_with("lda"), false);
                Some(Step::Load { to, from, is_signed: false, order, is_exclusive: stem.ends_with("xr") })
            }
            "str" | "stlr" => {
                self.count(2)?;
                let order = order_of(false, stem == "stlr");
                Some(Step::Store { from: self.register(0)?, to: self.cell(1, bytes)?, order })
            }
            "stxr" | "stlxr" => {
                self.count(3)?;
                let order = order_of(false, stem == "stlxr");
                let (from, to) = (self.register(1)?, self.cell(2, bytes)?);
                Some(Step::StoreExclusive { from, to, order, status: Some(self.result(0)?) })
            }
            _ => None,
        }
    }

    /// A name without the letter that says how many bytes, and how many: as many as the register has if there is none.
    fn aarch64_bytes<'n>(&self, name: &'n str, register: usize) -> (&'n str, u32) {
        match name.strip_suffix(['b', 'h']) {
            Some(stem) => (stem, if name.ends_with('b') { 1 } else { 2 }),
            None => (name, self.aarch64_bits(register) / 8),
        }
    }

    // Power.

    fn power(&self, name: &str) -> Option<Step> {
        let bytes = |letter: &str| match letter {
            "b" => Some(1),
            "h" => Some(2),
            "w" => Some(4),
            "d" => Some(8),
            _ => None,
        };
        // `lwarx %0, 0, %1`, or with a place in memory as `lwarx %0, %y1`.
        let indexed = |bytes: u32| match self.own {
            [_, Operand::Number(0), Operand::Arg(..)] => {
                self.register(2).map(|base| Cell { at: Operand::Memory(Box::new(base), 0), bytes })
            }
            [_, _] => self.cell(1, bytes),
            _ => None,
        };
        if let Some(bytes) = name.strip_prefix('l').and_then(|rest| rest.strip_suffix("arx")).and_then(bytes) {
            let (to, from) = (self.result(0)?, indexed(bytes)?);
            return Some(Step::Load { to, from, is_signed: false, order: Order::Relaxed, is_exclusive: true });
        }
        if let Some(bytes) = name.strip_prefix("st").and_then(|rest| rest.strip_suffix("cx.")).and_then(bytes) {
            let (from, to) = (self.register(0)?, indexed(bytes)?);
            return Some(Step::StoreExclusive { from, to, order: Order::Relaxed, status: None });
        }
        // A comparison may name the field that it sets, the first one. Numbers are registers but in instructions for numbers.
        let compared = |bits: u32| {
            let first = match self.own {
                [Operand::Number(0), _, _] => 1,
                [_, _] => 0,
                _ => return None,
            };
            let with = if name.ends_with('i') { With::Number } else { With::Register };
            Some(Step::Compare { a: self.register(first)?, b: self.second(first + 1, with)?, bits })
        };
        let fence = |barrier: Barrier| self.count(0).map(|()| Step::Fence(barrier));
        match name {
            "nop" => self.count(0).map(|()| Step::Nothing),
            // A register with itself is a hint about the thread's priority.
            "or" if matches!(self.own, [Operand::Number(a), Operand::Number(b), Operand::Number(c)] if a == b && b == c) => {
                Some(Step::Nothing)
            }
            "sync" | "hwsync" => fence(Barrier::Sync),
            "lwsync" => fence(Barrier::Lwsync),
            "eieio" => fence(Barrier::Eieio),
            "isync" => fence(Barrier::Isync),
            "ld" | "lwz" | "lwa" | "lhz" | "lha" | "lbz" => {
                self.count(2)?;
                let bytes = if name == "ld" { 8 } else { bytes(&name[1..2])? };
                let (to, from) = (self.result(0)?, self.cell(1, bytes)?);
                let is_signed = name.ends_with('a');
                Some(Step::Load { to, from, is_signed, order: Order::Relaxed, is_exclusive: false })
            }
            "std" | "stw" | "sth" | "stb" => {
                self.count(2)?;
                Some(Step::Store {
                    from: self.register(0)?,
                    to: self.cell(1, bytes(&name[2..])?)?,
                    order: Order::Relaxed,
                })
            }
            "cmpw" | "cmplw" | "cmpwi" | "cmplwi" => compared(32),
            "cmpd" | "cmpld" | "cmpdi" | "cmpldi" => compared(64),
            "bne" => self.jump(When::NotEqual, 0),
            "beq" => self.jump(When::Equal, 0),
            "add" => self.compute(Arith::Add, 64, With::Register),
            "addi" | "addic" => self.compute(Arith::Add, 64, With::Number),
            "sub" => self.compute(Arith::Sub, 64, With::Register),
            "subf" => self.compute(Arith::SubFrom, 64, With::Register),
            "and" => self.compute(Arith::And, 64, With::Register),
            "andc" => self.compute(Arith::AndNot, 64, With::Register),
            "or" => self.compute(Arith::Or, 64, With::Register),
            "xor" => self.compute(Arith::Xor, 64, With::Register),
            "mr" => self.compute_one(Arith::Move, 64, With::Register),
            "li" => self.compute_one(Arith::Move, 64, With::Number),
            "not" => self.compute_one(Arith::Not, 64, With::Register),
            "neg" => self.compute_one(Arith::Neg, 64, With::Register),
            _ => None,
        }
    }

    // RISC-V.

    fn riscv(&self, name: &str) -> Option<Step> {
        if let Some(step) = self.riscv_atomic(name) {
            return Some(step);
        }
        let bytes = |letter: &str| match letter {
            "b" => Some(1),
            "h" => Some(2),
            "w" => Some(4),
            "d" => Some(8),
            _ => None,
        };
        match name {
            "nop" | "pause" => self.count(0).map(|()| Step::Nothing),
            "fence.tso" => self.count(0).map(|()| Step::Fence(Barrier::FenceTso)),
            "fence" if self.own.is_empty() => Some(Step::Fence(Barrier::Fence(Kinds::All, Kinds::All))),
            "fence" => {
                self.count(2)?;
                Some(Step::Fence(Barrier::Fence(kinds(self.word(0)?)?, kinds(self.word(1)?)?)))
            }
            "lb" | "lbu" | "lh" | "lhu" | "lw" | "lwu" | "ld" => {
                self.count(2)?;
                let (to, from) = (self.result(0)?, self.cell(1, bytes(&name[1..2])?)?);
                let is_signed = !name.ends_with('u') && name != "ld";
                Some(Step::Load { to, from, is_signed, order: Order::Relaxed, is_exclusive: false })
            }
            "sb" | "sh" | "sw" | "sd" => {
                self.count(2)?;
                Some(Step::Store {
                    from: self.register(0)?,
                    to: self.cell(1, bytes(&name[1..])?)?,
                    order: Order::Relaxed,
                })
            }
            "add" => self.compute(Arith::Add, 64, With::Register),
            "addi" => self.compute(Arith::Add, 64, With::Number),
            "sub" => self.compute(Arith::Sub, 64, With::Register),
            "and" => self.compute(Arith::And, 64, With::Register),
            "andi" => self.compute(Arith::And, 64, With::Number),
            "or" => self.compute(Arith::Or, 64, With::Register),
            "ori" => self.compute(Arith::Or, 64, With::Number),
            "xor" => self.compute(Arith::Xor, 64, With::Register),
            "xori" => self.compute(Arith::Xor, 64, With::Number),
            "li" => self.compute_one(Arith::Move, 64, With::Number),
            "mv" => self.compute_one(Arith::Move, 64, With::Register),
            "not" => self.compute_one(Arith::Not, 64, With::Register),
            "neg" => self.compute_one(Arith::Neg, 64, With::Register),
            "bne" => self.jump(When::Differ(self.register(0)?, self.register(1)?), 2),
            "bnez" => self.jump(When::NonZero(self.register(0)?, 64), 1),
            "beqz" => self.jump(When::Zero(self.register(0)?, 64), 1),
            _ => None,
        }
    }

    /// `lr`, `sc` and single operations in memory, with their annotations.
    fn riscv_atomic(&self, name: &str) -> Option<Step> {
        let mut parts = name.split('.');
        let stem = parts.next()?;
        let bytes = match parts.next()? {
            "w" => 4,
            "d" => 8,
            _ => return None,
        };
        let (acquires, releases) = match parts.next() {
            None => (false, false),
            Some("aq") => (true, false),
            Some("rl") => (false, true),
            Some("aqrl") => (true, true),
            Some(_) => return None,
        };
        let order = order_of(acquires, releases);
        match stem {
            "lr" => {
                self.count(2)?;
                let (to, from) = (self.result(0)?, self.cell(1, bytes)?);
                Some(Step::Load { to, from, is_signed: true, order, is_exclusive: true })
            }
            "sc" => {
                self.count(3)?;
                let (status, from, to) = (Some(self.result(0)?), self.register(1)?, self.cell(2, bytes)?);
                Some(Step::StoreExclusive { from, to, order, status })
            }
            "amoadd" | "amoswap" | "amoand" | "amoor" | "amoxor" => {
                self.count(3)?;
                let how = match stem {
                    "amoadd" => Arith::Add,
                    "amoand" => Arith::And,
                    "amoor" => Arith::Or,
                    "amoxor" => Arith::Xor,
                    _ => Arith::Move,
                };
                let (old, with, cell) = (Some(self.result(0)?), self.register(1)?, self.cell(2, bytes)?);
                Some(Step::Update { cell, how, with, old, is_signed: true, order })
            }
            _ => None,
        }
    }
}

fn kinds(word: &str) -> Option<Kinds> {
    // Devices come with the memory.
    match word.replace(['i', 'o'], "").as_str() {
        "r" => Some(Kinds::Reads),
        "w" => Some(Kinds::Writes),
        "rw" => Some(Kinds::All),
        _ => None,
    }
}
