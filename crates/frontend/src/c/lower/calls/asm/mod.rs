//! Inline assembly: what its instructions do to memory and to the operands.
//!
//! A template is read ([`template`]), its machine found ([`reading`]) and its instructions put into words that all machines share ([`machines`]), and
//! these become statements of the program model: loads and stores are the strongest accesses that compilers make them of (relaxed, and on x86
//! acquire and release), barriers are themselves ([`ir::Barrier`]), and a loop that tries an exclusive store until it succeeds is one read-modify-write. What is not
//! of this kind is refused with its text.

mod machines;
pub(in crate::c::lower) mod reading;
mod step;
mod template;
mod x86;

use crate::c::lower::body::Body;
use crate::c::lower::model_types::is_signed;
use crate::c::lower::values::lvalue::{At, Lvalue};
use crate::c::typed::{Asm, AsmOperand, Expr, ExprKind};
use ir::{HavocKind, Op, Order, Place};
use logic::{Scalar, Sort, TermId};
use machines::{Machine, Operands};
use reading::{Sizes, View, steps_of};
use step::{Arith, Cell, Step, When};
use template::Operand;

/// Bits of a register.
const REGISTER: u32 = 64;

/// What the operands hold while the instructions run.
#[derive(Clone)]
struct Registers {
    machine: Machine,
    /// The register that each operand is in, by the first operand that is in it.
    slots: Vec<usize>,
    /// What each register holds, if it has a value, and how many of its lower bits are known.
    values: Vec<Option<(TermId, u32)>>,
    /// The address of each that is a place in memory.
    addresses: Vec<Option<TermId>>,
    /// Whether the last comparison, or result, says equal.
    is_equal: Option<TermId>,
}

impl Body<'_, '_> {
    pub(in crate::c::lower) fn asm(&mut self, asm: &Asm) {
        let bits = |this: &Self, operand: &AsmOperand| match this.scalar(operand.value.ty.ty) {
            Some(Scalar::Bv(width)) => Some(width),
            _ => None,
        };
        let sizes = Sizes(asm.operands().map(|operand| bits(self, operand)).collect());
        if asm.template.trim().is_empty() {
            return self.launder(asm);
        }
        let Some((machine, steps)) = steps_of(asm, &sizes) else { return self.refuse_asm(asm) };
        let touches = |step: &Step| !matches!(step, Step::Nothing | Step::Label(_) | Step::Fence(_));
        if !steps.iter().any(touches) {
            self.launder(asm);
            for step in &steps {
                if let Step::Fence(barrier) = step {
                    self.barrier(*barrier);
                }
            }
            return;
        }
        let view = View { asm, sizes: &sizes };
        let is_number = |(index, operand): (usize, &AsmOperand)| {
            view.is_memory(machine, index) || matches!(self.scalar(operand.value.ty.ty), Some(Scalar::Bv(_)))
        };
        if !asm.operands().enumerate().all(is_number) {
            return self.unsupported("inline assembly with operands that are no numbers");
        }
        let lvalues: Vec<Lvalue> = asm.outputs.iter().map(|output| self.lvalue(&output.value)).collect();
        let mut registers = self.registers(machine, asm, &view, &lvalues);
        if self.run_steps(&steps, &mut registers).is_none() {
            return self.refuse_asm(asm);
        }
        for (index, output) in asm.outputs.iter().enumerate() {
            if view.is_memory(machine, index) {
                continue;
            }
            let ty = output.value.ty.ty;
            let flag = output.constraint.strip_prefix("=@cc");
            let value = match (flag, registers.is_equal) {
                (Some("z" | "e"), Some(is_equal)) => Some((self.bit(is_equal), REGISTER)),
                (Some("nz" | "ne"), Some(is_equal)) => {
                    let not = self.pool().not(is_equal);
                    Some((self.bit(not), REGISTER))
                }
                (Some(_), _) => return self.refuse_asm(asm),
                (None, _) => registers.values[registers.slots[index]],
            };
            let value = match (value, self.scalar(ty)) {
                (Some((value, known)), Some(Scalar::Bv(width))) if width <= known => {
                    Some(self.pool().resize(value, false, width))
                }
                (Some((value, known)), Some(Scalar::Bv(width))) => {
                    let high = self.havoc(Sort::Bv(width - known), HavocKind::Uninit);
                    let low = self.pool().extract(value, known - 1, 0);
                    Some(self.pool().concat(high, low))
                }
                _ if output.is_update() => None,
                _ => self.any_value(ty, HavocKind::Uninit),
            };
            match (value, &lvalues[index].at) {
                // Others may need what was put into it.
                (Some(value), At::Private(var)) if lvalues[index].bits.is_none() => self.assign(*var, value),
                (Some(value), _) => drop(self.store(&lvalues[index], value)),
                (None, _) => {}
            }
        }
    }

    fn refuse_asm(&mut self, asm: &Asm) {
        let lines: Vec<&str> = asm.template.split(['\n', ';']).map(str::trim).filter(|line| !line.is_empty()).collect();
        self.unsupported(&format!("inline assembly `{}`", lines.join("; ")));
    }

    fn barrier(&mut self, barrier: ir::Barrier) {
        // Where memory is no matter of axioms a barrier is what it does to the buffers.
        let order = if self.lw.options.has_axioms { Order::Barrier(barrier) } else { barrier.as_buffered() };
        self.emit(Op::Fence(order));
    }

    /// What becomes of operands that no instruction touches: an output has the value of the input that shares its place, or its own if it is read
    /// too, or any.
    fn launder(&mut self, asm: &Asm) {
        let is_plain = |operand: &AsmOperand| self.scalar(operand.value.ty.ty).is_some();
        if !asm.outputs.is_empty() && !asm.operands().all(is_plain) {
            return self.unsupported("inline assembly with operands that are no numbers");
        }
        let lvalues: Vec<Lvalue> = asm.outputs.iter().map(|output| self.lvalue(&output.value)).collect();
        let mut values = Vec::new();
        for input in &asm.inputs {
            match (asm.tie(input, false), &input.value.kind) {
                (Some(output), _) => {
                    let value = self.eval(&input.value);
                    let to = asm.outputs[output].value.ty.ty;
                    values.push((output, self.convert(value, input.value.ty.ty, to)));
                }
                // Nothing reads it.
                (None, ExprKind::Load(place)) if input.is_in_memory() => drop(self.lvalue(place)),
                (None, _) => self.discard(&input.value),
            }
        }
        for (index, output) in asm.outputs.iter().enumerate() {
            let given = values.iter().find(|(tied, _)| *tied == index).map(|(_, value)| *value);
            match given {
                Some(value) => {
                    self.store(&lvalues[index], value);
                }
                None if output.is_update() || output.is_in_memory() => {}
                None => {
                    if let Some(value) = self.any_value(output.value.ty.ty, HavocKind::Uninit) {
                        self.store(&lvalues[index], value);
                    }
                }
            }
        }
    }

    /// The operands before the first instruction.
    fn registers(&mut self, machine: Machine, asm: &Asm, view: &View<'_>, lvalues: &[Lvalue]) -> Registers {
        let n_operands = asm.operands().count();
        let mut slots: Vec<usize> = (0..n_operands).collect();
        let (mut values, mut addresses) = (vec![None; n_operands], vec![None; n_operands]);
        for (index, output) in asm.outputs.iter().enumerate() {
            if view.is_memory(machine, index) {
                match lvalues[index].at {
                    At::Memory(address) if lvalues[index].bits.is_none() => addresses[index] = Some(address),
                    _ => self.unsupported("inline assembly that writes what is not in memory"),
                }
            } else if output.is_update() {
                let value = self.load(&lvalues[index]);
                let value = self.kept(value);
                values[index] = Some(self.in_register(machine, value, &output.value));
            }
        }
        for (index, input) in asm.inputs.iter().enumerate() {
            let index = asm.outputs.len() + index;
            if view.is_memory(machine, index) {
                let place = if let ExprKind::Load(place) = &input.value.kind { place } else { &input.value };
                addresses[index] = Some(self.address(place));
                continue;
            }
            let value = self.eval(&input.value);
            let value = self.kept(value);
            if let Some(output) = asm.tie(input, machine == Machine::X86) {
                slots[index] = output;
            }
            let (value, known) = self.in_register(machine, value, &input.value);
            // A number in the text of an instruction is as wide as that wants it.
            values[slots[index]] = Some((value, if view.is_register(index) { known } else { REGISTER }));
        }
        Registers { machine, slots, values, addresses, is_equal: None }
    }

    /// A value of C in a register, and how many bits of it are known: what is above a smaller value is open, but on RISC-V, where it has the sign
    /// of the upper bit of 32, and else that of the type.
    fn in_register(&mut self, machine: Machine, value: TermId, operand: &Expr) -> (TermId, u32) {
        let width = self.pool().sort(value).width().unwrap_or(REGISTER);
        let signed = is_signed(self.types(), operand.ty.ty) || (machine == Machine::Riscv && width == 32);
        let known = if machine == Machine::Riscv { REGISTER } else { width };
        (self.pool().resize(value, signed, REGISTER), known)
    }

    fn bit(&mut self, truth: TermId) -> TermId {
        let (one, zero) = (self.pool().bv(REGISTER, 1), self.pool().bv(REGISTER, 0));
        self.pool().ite(truth, one, zero)
    }

    /// Runs steps from the first to the last; `None` if something is not of the kinds that are known.
    fn run_steps(&mut self, steps: &[Step], registers: &mut Registers) -> Option<()> {
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            if let Step::Label(label) = step
                && let Some(end) = loop_end(&steps[at..], *label)
            {
                let (inside, after) = steps[at + 1..].split_at(end);
                let n_after = self.exclusive_loop(inside, after, registers)?;
                at += 1 + end + n_after;
                continue;
            }
            self.run_step(step, registers)?;
            at += 1;
        }
        Some(())
    }

    fn run_step(&mut self, step: &Step, registers: &mut Registers) -> Option<()> {
        match step {
            Step::Nothing | Step::Label(_) => {}
            Step::Fence(barrier) => self.barrier(*barrier),
            Step::Load { to, from, is_signed, order, is_exclusive: false } => {
                let place = self.asm_cell(from, registers)?;
                let value = self.load_place(place, *order);
                self.set_register(to, value, *is_signed, registers)?;
            }
            Step::Store { from, to, order } => {
                let (place, value) = (self.asm_cell(to, registers)?, self.register(from, to.bytes * 8, registers)?);
                self.emit(Op::Store { place, value, order: *order });
            }
            Step::Update { cell, how, with, old, is_signed, order } => {
                let bits = cell.bytes * 8;
                let (place, with) = (self.asm_cell(cell, registers)?, self.register(with, bits, registers)?);
                let dst = self.temporary(Sort::Bv(bits));
                let before = self.var(dst);
                let with = if matches!(how, Arith::Not | Arith::Neg) { before } else { with };
                let new = self.arith(*how, before, with);
                self.emit(Op::Rmw { dst, place, wait: None, owner: None, new, order: *order, failure: None });
                self.set_flags(*how, new, registers);
                if let Some(old) = old {
                    self.set_register(old, before, *is_signed, registers)?;
                }
                if registers.machine == Machine::X86 {
                    self.barrier(ir::Barrier::Mfence);
                }
            }
            Step::CompareExchange { cell, expected, new, order } => {
                let bits = cell.bytes * 8;
                let place = self.asm_cell(cell, registers)?;
                let (wanted, new) = (self.register(expected, bits, registers)?, self.register(new, bits, registers)?);
                let attempt = |body: &mut Self, old: TermId| (body.pool().eq(old, wanted), new);
                let failure = match order {
                    Order::AcqRel => Order::Acquire,
                    Order::Release => Order::Relaxed,
                    other => *other,
                };
                let old = self.try_update(place, (*order, failure), attempt);
                registers.is_equal = Some(self.pool().eq(old, wanted));
                // Whether more bits change depends on what happened.
                let value = self.pool().resize(old, false, REGISTER);
                let known = if registers.machine == Machine::X86 { bits } else { REGISTER };
                let Operand::Arg(index, _) = expected else { return None };
                registers.put(*index, (value, known));
                if registers.machine == Machine::X86 {
                    // With `lock` it is a fence, also if it fails.
                    self.barrier(ir::Barrier::Mfence);
                }
            }
            Step::Compute { to, how, a, b, bits } => {
                let known = registers.known(a).min(registers.known(b)).min(*bits);
                let (a, b) = (self.register(a, known, registers)?, self.register(b, known, registers)?);
                let value = self.arith(*how, a, b);
                if known == *bits {
                    if registers.machine == Machine::X86 {
                        self.set_flags(*how, value, registers);
                    }
                    self.set_register(to, value, false, registers)?;
                } else if *bits < REGISTER {
                    return None;
                } else if let Operand::Arg(index, _) = to {
                    // What nobody knows above it stays unknown.
                    registers.is_equal = None;
                    let value = self.pool().resize(value, false, REGISTER);
                    registers.put(*index, (value, known));
                }
            }
            Step::Compare { a, b, bits } => registers.is_equal = Some(self.same(a, b, *bits, registers)?),
            Step::SetIf { to, is_equal } => {
                let truth = registers.is_equal?;
                let truth = if *is_equal { truth } else { self.pool().not(truth) };
                let (one, zero) = (self.pool().bv(8, 1), self.pool().bv(8, 0));
                let value = self.pool().ite(truth, one, zero);
                self.set_register(to, value, false, registers)?;
            }
            Step::Load { .. } | Step::StoreExclusive { .. } | Step::Jump { .. } => return None,
        }
        Some(())
    }

    /// Computing tells whether the result is zero on x86, but for moving and changing all bits.
    fn set_flags(&mut self, how: Arith, result: TermId, registers: &mut Registers) {
        if registers.machine == Machine::X86 && !matches!(how, Arith::Move | Arith::Not) {
            let width = self.pool().sort(result).width().unwrap_or(REGISTER);
            let zero = self.pool().bv(width, 0);
            registers.is_equal = Some(self.pool().eq(result, zero));
        }
    }

    fn arith(&mut self, how: Arith, a: TermId, b: TermId) -> TermId {
        let pool = self.pool();
        match how {
            Arith::Move => b,
            Arith::Add => pool.add(a, b),
            Arith::Sub => pool.sub(a, b),
            Arith::SubFrom => pool.sub(b, a),
            Arith::And => pool.bv_and(a, b),
            Arith::AndNot => {
                let not = pool.bv_not(b);
                pool.bv_and(a, not)
            }
            Arith::Or => pool.bv_or(a, b),
            Arith::Xor => pool.bv_xor(a, b),
            Arith::Not => pool.bv_not(b),
            Arith::Neg => pool.neg(b),
        }
    }

    fn same(&mut self, a: &Operand, b: &Operand, bits: u32, registers: &Registers) -> Option<TermId> {
        let (a, b) = (self.register(a, bits, registers)?, self.register(b, bits, registers)?);
        Some(self.pool().eq(a, b))
    }

    /// So many bits of a register, if they are known, or of a number.
    fn register(&mut self, operand: &Operand, bits: u32, registers: &Registers) -> Option<TermId> {
        match operand {
            Operand::Number(number) => Some(self.pool().bv(bits, number.cast_unsigned() & (u64::MAX >> (64 - bits)))),
            Operand::Zero(_) => Some(self.pool().bv(bits, 0)),
            Operand::Arg(index, _) => {
                let (value, known) = registers.values[registers.slots[*index]]?;
                (bits <= known).then(|| self.pool().resize(value, false, bits))
            }
            _ => None,
        }
    }

    /// Writes a register; on x86 fewer than half of its bits leave the others as they are.
    fn set_register(&mut self, to: &Operand, value: TermId, is_signed: bool, registers: &mut Registers) -> Option<()> {
        let Operand::Arg(index, _) = to else { return matches!(to, Operand::Zero(_)).then_some(()) };
        let bits = self.pool().sort(value).width()?;
        let whole = self.pool().resize(value, is_signed, REGISTER);
        let is_part = registers.machine == Machine::X86 && bits < REGISTER / 2;
        let written = match registers.values[registers.slots[*index]] {
            Some((old, known)) if is_part && known > bits => {
                let high = self.pool().extract(old, REGISTER - 1, bits);
                (self.pool().concat(high, value), known)
            }
            _ if is_part => (whole, bits),
            _ => (whole, REGISTER),
        };
        registers.put(*index, written);
        Some(())
    }

    fn asm_cell(&mut self, cell: &Cell, registers: &Registers) -> Option<Place> {
        let address = match &cell.at {
            Operand::Arg(index, _) => registers.addresses[*index]?,
            Operand::Memory(base, offset) => {
                let word = self.word_bits();
                let base = self.register(base, word, registers)?;
                self.add_offset(base, offset.cast_unsigned())
            }
            _ => return None,
        };
        Some(Self::memory(address, Scalar::Bv(cell.bytes * 8)))
    }

    /// A loop that reads exclusively, computes, and tries to write until nobody came between: one read-modify-write. It may be left before
    /// the write if a comparison fails; then what follows up to the label is left out too. Yields how many of the steps after it are done.
    fn exclusive_loop(&mut self, steps: &[Step], after: &[Step], registers: &mut Registers) -> Option<usize> {
        let read = steps.iter().position(|step| matches!(step, Step::Load { is_exclusive: true, .. }))?;
        let write = steps.iter().position(|step| matches!(step, Step::StoreExclusive { .. }))?;
        let (before, between) = (&steps[..read], steps.get(read + 1..write)?);
        let Step::Load { to, from: cell, is_signed, order: of_read, .. } = &steps[read] else { return None };
        let Step::StoreExclusive { from, to: written, order: of_write, status } = &steps[write] else { return None };
        // Nothing but the jump back if it failed comes after the write.
        let [Step::Jump { when, .. }] = &steps[write + 1..] else { return None };
        let is_retry = match (when, status) {
            (When::NonZero(Operand::Arg(tested, _), _), Some(Operand::Arg(status, _))) => tested == status,
            (When::NotEqual, None) => true,
            _ => false,
        };
        let is_quiet = |step: &Step| matches!(step, Step::Nothing | Step::Compute { .. } | Step::Compare { .. });
        let exit = between.iter().position(|step| matches!(step, Step::Jump { .. }));
        let computes = between.iter().enumerate().all(|(at, step)| is_quiet(step) || Some(at) == exit);
        if !is_retry || cell != written || !before.iter().all(is_quiet) || !computes || registers.is_carried(steps) {
            return None;
        }
        // A single operation with both letters orders more than a loop with both does.
        let order = match (of_read, of_write) {
            (Order::Relaxed, other) | (other, Order::Relaxed) => *other,
            _ => return None,
        };
        for step in before {
            self.run_step(step, registers)?;
        }
        let (until_exit, rest) = between.split_at(exit.unwrap_or(between.len()));
        let n_after = match rest.first() {
            Some(Step::Jump { label, is_back: false, .. }) => {
                after.iter().position(|step| *step == Step::Label(*label))?
            }
            Some(_) => return None,
            None => 0,
        };
        let place = self.asm_cell(cell, registers)?;
        let bits = cell.bytes * 8;
        let dst = self.temporary(Sort::Bv(bits));
        let old = self.var(dst);
        self.set_register(to, old, *is_signed, registers)?;
        for step in until_exit {
            self.run_step(step, registers)?;
        }
        let leaves = match rest.first() {
            Some(Step::Jump { when, .. }) => Some(self.is_taken(when, registers)?),
            _ => None,
        };
        let mut stored = registers.clone();
        for step in rest.iter().skip(1) {
            self.run_step(step, &mut stored)?;
        }
        let new = self.register(from, bits, &stored)?;
        if let Some(status) = status {
            let zero = self.pool().bv(REGISTER, 0);
            self.set_register(status, zero, false, &mut stored)?;
        }
        let new = leaves.map_or(new, |leaves| self.pool().ite(leaves, old, new));
        let failure = leaves.map(|when| ir::Failure { when, order: *of_read });
        self.emit(Op::Rmw { dst, place, wait: None, owner: None, new, order, failure });
        let Some(leaves) = leaves else {
            *registers = stored;
            return Some(0);
        };
        // What registers hold depends on whether it was written.
        for (own, stored) in registers.values.iter_mut().zip(&stored.values) {
            *own = match (*own, *stored) {
                (Some((left, a)), Some((stored, b))) => Some((self.pool().ite(leaves, left, stored), a.min(b))),
                (None, Some((stored, known))) => {
                    let left = self.havoc(Sort::Bv(REGISTER), HavocKind::Uninit);
                    Some((self.pool().ite(leaves, left, stored), known))
                }
                (left, None) => left,
            };
        }
        registers.is_equal = None;
        let tail = &after[..n_after];
        if !tail.iter().all(|step| matches!(step, Step::Nothing | Step::Fence(_))) {
            return None;
        }
        // The way out is a branch, on which all that follows depends.
        let (done, left) = (self.new_loc(), self.new_loc());
        self.branch_on(leaves, left, done);
        self.resume_at(done);
        for step in tail {
            self.run_step(step, registers)?;
        }
        self.goto(left);
        self.resume_at(left);
        Some(n_after)
    }

    fn is_taken(&mut self, when: &When, registers: &Registers) -> Option<TermId> {
        let zero = Operand::Number(0);
        let (holds, is_taken) = match when {
            When::Equal => (registers.is_equal?, true),
            When::NotEqual => (registers.is_equal?, false),
            When::Zero(register, bits) => (self.same(register, &zero, *bits, registers)?, true),
            When::NonZero(register, bits) => (self.same(register, &zero, *bits, registers)?, false),
            When::Differ(a, b) => (self.same(a, b, REGISTER, registers)?, false),
        };
        Some(if is_taken { holds } else { self.pool().not(holds) })
    }
}

/// Where the jump back to a label is that steps begin with, counted from the step after it.
fn loop_end(steps: &[Step], label: u32) -> Option<usize> {
    let is_back = |step: &Step| matches!(step, Step::Jump { label: to, is_back: true, .. } if *to == label);
    // A label that comes again is another one.
    let again = steps[1..].iter().position(|step| *step == Step::Label(label)).unwrap_or(steps.len() - 1);
    steps[1..=again].iter().position(is_back).map(|at| at + 1)
}

impl Registers {
    fn put(&mut self, index: usize, value: (TermId, u32)) {
        self.values[self.slots[index]] = Some(value);
    }

    /// How many bits of an operand are known.
    fn known(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Arg(index, _) => self.values[self.slots[*index]].map_or(0, |(_, known)| known),
            _ => REGISTER,
        }
    }

    /// Whether a round of a loop uses what an earlier one has left in a register: what was tried in vain is not forgotten then.
    fn is_carried(&self, steps: &[Step]) -> bool {
        let slot = |operand: &Operand| match operand {
            Operand::Arg(index, _) => Some(self.slots[*index]),
            Operand::Memory(base, _) => match **base {
                Operand::Arg(index, _) => Some(self.slots[index]),
                _ => None,
            },
            _ => None,
        };
        let mut written: Vec<usize> = Vec::new();
        let mut first_read: Vec<usize> = Vec::new();
        for step in steps {
            first_read.extend(step.reads().into_iter().filter_map(slot).filter(|slot| !written.contains(slot)));
            written.extend(step.writes().and_then(slot));
        }
        first_read.iter().any(|slot| written.contains(slot))
    }
}
