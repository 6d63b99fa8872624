//! Instructions of x86, as the GNU assembler writes them: what is written comes last.

use super::machines::Line;
use super::step::{Arith, Step};
use super::template::Operand;
use ir::{Barrier, Order};

impl Line<'_> {
    /// Bits by the letter at the end of the name, or else by the registers among the operands: numbers and places have no say.
    fn x86_bits(&self, letter: Option<char>) -> Option<u32> {
        let own = |operand: &Operand| match operand {
            Operand::Arg(_, Some('b')) => Some(8),
            Operand::Arg(_, Some('w')) => Some(16),
            Operand::Arg(_, Some('k')) => Some(32),
            Operand::Arg(_, Some('q')) => Some(64),
            Operand::Arg(index, None) if self.operands.is_register(*index) => self.operands.bits(*index),
            _ => None,
        };
        match letter {
            Some('b') => Some(8),
            Some('w') => Some(16),
            Some('l') => Some(32),
            Some('q') => Some(64),
            _ => self.own.iter().find_map(own),
        }
    }

    pub(super) fn x86(&self, name: &str) -> Option<Step> {
        let alone = |step: Step| (self.own.is_empty() && !self.is_locked).then_some(step);
        match name {
            "pause" | "nop" => return alone(Step::Nothing),
            // The old way to write `pause`.
            "rep" => {
                let is_pause = matches!(self.own, [] | [Operand::Other(_)])
                    && self.own.first().is_none_or(|word| *word == Operand::Other("nop".to_string()));
                return (is_pause && !self.is_locked).then_some(Step::Nothing);
            }
            "mfence" => return alone(Step::Fence(Barrier::Mfence)),
            "sfence" => return alone(Step::Fence(Barrier::Sfence)),
            "lfence" => return alone(Step::Fence(Barrier::Lfence)),
            "sete" | "setz" => return Some(Step::SetIf { to: self.result(0)?, is_equal: true }),
            "setne" | "setnz" => return Some(Step::SetIf { to: self.result(0)?, is_equal: false }),
            _ => {}
        }
        const STEMS: [&str; 13] =
            ["cmpxchg", "xchg", "xadd", "mov", "inc", "dec", "add", "sub", "and", "or", "xor", "not", "neg"];
        let stem = STEMS.into_iter().find(|stem| {
            let rest = name.strip_prefix(stem);
            rest.is_some_and(|rest| matches!(rest, "" | "b" | "w" | "l" | "q"))
        })?;
        let bits = self.x86_bits(name[stem.len()..].chars().next())?;
        let bytes = bits / 8;
        let order = Order::SeqCst;
        let arith = |stem: &str| match stem {
            "add" | "inc" => Some(Arith::Add),
            "sub" | "dec" => Some(Arith::Sub),
            "and" => Some(Arith::And),
            "or" => Some(Arith::Or),
            "xor" => Some(Arith::Xor),
            "not" => Some(Arith::Not),
            "neg" => Some(Arith::Neg),
            _ => None,
        };
        // Adding nothing to the top of the stack is a fence.
        if self.is_locked
            && matches!((stem, self.own), ("add" | "or", [Operand::Number(0), Operand::Other(place)]) if place.contains("sp)"))
        {
            return Some(Step::Fence(Barrier::Mfence));
        }
        match stem {
            "xchg" => {
                self.count(2)?;
                let (register, place) = if self.is_memory(0) { (1, 0) } else { (0, 1) };
                let (with, old) = (self.value(register)?, Some(self.result(register)?));
                Some(Step::Update {
                    cell: self.cell(place, bytes)?,
                    how: Arith::Move,
                    with,
                    old,
                    is_signed: false,
                    order,
                })
            }
            "xadd" if self.is_locked => {
                self.count(2)?;
                let (with, old) = (self.value(0)?, Some(self.result(0)?));
                Some(Step::Update { cell: self.cell(1, bytes)?, how: Arith::Add, with, old, is_signed: false, order })
            }
            "cmpxchg" if self.is_locked => {
                self.count(2)?;
                let accumulator = self.operands.accumulator().filter(|at| self.operands.bits(*at) == Some(bits))?;
                let expected = Operand::Arg(accumulator, None);
                Some(Step::CompareExchange { cell: self.cell(1, bytes)?, expected, new: self.value(0)?, order })
            }
            "inc" | "dec" | "not" | "neg" if self.is_locked => {
                self.count(1)?;
                let with = Operand::Number(1);
                let how = arith(stem)?;
                Some(Step::Update { cell: self.cell(0, bytes)?, how, with, old: None, is_signed: false, order })
            }
            "add" | "sub" | "and" | "or" | "xor" if self.is_locked => {
                self.count(2)?;
                let (with, how) = (self.value(0)?, arith(stem)?);
                Some(Step::Update { cell: self.cell(1, bytes)?, how, with, old: None, is_signed: false, order })
            }
            "mov" if !self.is_locked => {
                self.count(2)?;
                // This is all that compilers need to acquire and to release.
                if self.is_memory(0) {
                    let (to, from) = (self.result(1)?, self.cell(0, bytes)?);
                    let order = Order::Acquire;
                    return Some(Step::Load { to, from, is_signed: false, order, is_exclusive: false });
                }
                let from = self.value(0)?;
                if self.is_memory(1) {
                    return Some(Step::Store { from, to: self.cell(1, bytes)?, order: Order::Release });
                }
                Some(Step::Compute { to: self.result(1)?, how: Arith::Move, a: Operand::Number(0), b: from, bits })
            }
            "add" | "sub" | "and" | "or" | "xor" if !self.is_memory(1) && !self.is_locked => {
                self.count(2)?;
                let (a, how) = (self.value(1)?, arith(stem)?);
                Some(Step::Compute { to: self.result(1)?, how, a, b: self.value(0)?, bits })
            }
            _ => None,
        }
    }
}
