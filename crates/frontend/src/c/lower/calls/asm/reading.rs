//! Which machine is a template for, and what are its steps?

use super::machines::{self, MACHINES, Machine, Operands};
use super::step::Step;
use super::template;
use crate::c::typed::{Asm, AsmOperand};

/// Whether assembly does nothing but keep the compiler from moving things.
pub(in crate::c::lower) fn does_nothing(asm: &Asm) -> bool {
    asm.outputs.is_empty() && steps_of(asm, &Sizes::default()).is_some_and(|(_, steps)| is_idle(&steps))
}

fn is_idle(steps: &[Step]) -> bool {
    steps.iter().all(|step| matches!(step, Step::Nothing | Step::Label(_)))
}

/// The machine and the steps of a template.
pub(super) fn steps_of(asm: &Asm, sizes: &Sizes) -> Option<(Machine, Vec<Step>)> {
    let names: Vec<Option<&str>> = asm.operands().map(|operand| operand.name.as_deref()).collect();
    let pieces = template::pieces(&asm.template, &names);
    let view = View { asm, sizes };
    // To all but one machine a comment begins there.
    let has_hash = asm.template.contains('#');
    let machines = MACHINES.into_iter().filter(|machine| !has_hash || *machine == Machine::Aarch64);
    let mut found = machines.filter_map(|machine| Some((machine, machines::steps(machine, &pieces, &view)?)));
    let first = found.next()?;
    found.all(|(_, other)| other == first.1).then_some(first)
}

/// Bits of the operands in C.
#[derive(Default)]
pub(super) struct Sizes(pub(super) Vec<Option<u32>>);

/// Operands, as machines look at them.
pub(super) struct View<'a> {
    pub(super) asm: &'a Asm,
    pub(super) sizes: &'a Sizes,
}

impl Operands for View<'_> {
    fn is_memory(&self, machine: Machine, index: usize) -> bool {
        // Some letters mean a place on one machine and a register on another.
        let places: &[char] = match machine {
            Machine::X86 => &['m', 'o', 'V'],
            Machine::Aarch64 => &['m', 'o', 'V', 'Q'],
            Machine::Power => &['m', 'o', 'V', 'Z'],
            Machine::Riscv => &['m', 'o', 'V', 'A'],
        };
        // Where the compiler may choose, it takes a register.
        let is_place = |text: &str| text.contains(places) && !text.contains(['r', 'q', 'g']);
        self.asm.operands().nth(index).is_some_and(|operand| !is_flag(operand) && is_place(&operand.constraint))
    }

    fn is_output(&self, index: usize) -> bool {
        index < self.asm.outputs.len()
    }

    fn is_register(&self, index: usize) -> bool {
        const REGISTERS: [char; 12] = ['r', 'q', 'g', 'R', 'Q', 'l', 'a', 'b', 'c', 'd', 'S', 'D'];
        let is_tied = |operand: &AsmOperand| operand.constraint.starts_with(|letter: char| letter.is_ascii_digit());
        let operand = self.asm.operands().nth(index);
        operand.is_some_and(|operand| !is_flag(operand) && (operand.constraint.contains(REGISTERS) || is_tied(operand)))
    }

    fn bits(&self, index: usize) -> Option<u32> {
        self.sizes.0.get(index).copied().flatten()
    }

    fn accumulator(&self) -> Option<usize> {
        self.asm.outputs.iter().position(|output| !is_flag(output) && output.constraint.contains('a'))
    }
}

/// Whether an output is what the last comparison says, `=@ccz`.
fn is_flag(operand: &AsmOperand) -> bool {
    operand.constraint.starts_with("=@cc")
}
