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
use crate::c::lower::values::lvalue::Lvalue;
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
    /// The value of each operand that is a register, if it has one.
    values: Vec<Option<TermId>>,
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
                (Some("z" | "e"), Some(is_equal)) => Some(self.bit(is_equal)),
                (Some("nz" | "ne"), Some(is_equal)) => {
                    let not = self.pool().not(is_equal);
                    Some(self.bit(not))
                }
                (Some(_), _) => return self.refuse_asm(asm),
                (None, _) => registers.values[index],
            };
            match (value, self.scalar(ty)) {
                (Some(value), Some(Scalar::Bv(width))) => {
                    let value = self.pool().resize(value, false, width);
                    self.store(&lvalues[index], value);
                }
                _ if output.is_update() => {}
                _ => {
                    if let Some(value) = self.any_value(ty, HavocKind::Uninit) {
                        self.store(&lvalues[index], value);
                    }
                }
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
            match asm.tie(input) {
                Some(output) => {
                    let value = self.eval(&input.value);
                    let to = asm.outputs[output].value.ty.ty;
                    values.push((output, self.convert(value, input.value.ty.ty, to)));
                }
                None => self.discard(&input.value),
            }
        }
        for (index, output) in asm.outputs.iter().enumerate() {
            let given = values.iter().find(|(tied, _)| *tied == index).map(|(_, value)| *value);
            match given {
                Some(value) => {
                    self.store(&lvalues[index], value);
                }
                None if output.is_update() => {}
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
        let (mut values, mut addresses) = (vec![None; n_operands], vec![None; n_operands]);
        for (index, output) in asm.outputs.iter().enumerate() {
            if view.is_memory(machine, index) {
                addresses[index] = Some(self.address(&output.value));
            } else if output.is_update() {
                let value = self.load(&lvalues[index]);
                let value = self.kept(value);
                values[index] = Some(self.in_register(value, &output.value));
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
            let value = self.in_register(value, &input.value);
            values[index] = Some(value);
            if let Some(output) = asm.tie(input) {
                values[output] = Some(value);
            }
        }
        Registers { machine, values, addresses, is_equal: None }
    }

    fn in_register(&mut self, value: TermId, operand: &Expr) -> TermId {
        let signed = is_signed(self.types(), operand.ty.ty);
        self.pool().resize(value, signed, REGISTER)
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
                && let Some(end) = steps
                    .iter()
                    .position(|step| matches!(step, Step::Jump { label: to, is_back: true, .. } if to == label))
            {
                let n_after = self.exclusive_loop(&steps[at + 1..=end], &steps[end + 1..], registers)?;
                at = end + 1 + n_after;
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
                let value = self.pool().resize(value, *is_signed, REGISTER);
                self.set_register(to, value, from.bytes * 8, registers)?;
            }
            Step::Store { from, to, order } => {
                let (place, value) = (self.asm_cell(to, registers)?, self.register(from, registers)?);
                let value = self.pool().resize(value, false, to.bytes * 8);
                self.emit(Op::Store { place, value, order: *order });
            }
            Step::Update { cell, how, with, old, is_signed, order } => {
                let (place, with) = (self.asm_cell(cell, registers)?, self.register(with, registers)?);
                let bits = cell.bytes * 8;
                let with = self.pool().resize(with, false, bits);
                let dst = self.temporary(Sort::Bv(bits));
                let before = self.var(dst);
                let new = self.arith(*how, before, with);
                self.emit(Op::Rmw { dst, place, wait: None, owner: None, new, order: *order, failure: None });
                if *how != Arith::Move {
                    let zero = self.pool().bv(bits, 0);
                    registers.is_equal = Some(self.pool().eq(new, zero));
                }
                if let Some(old) = old {
                    let value = self.pool().resize(before, *is_signed, REGISTER);
                    self.set_register(old, value, bits, registers)?;
                }
            }
            Step::CompareExchange { cell, expected, new, order } => {
                let place = self.asm_cell(cell, registers)?;
                let (wanted, new) = (self.register(expected, registers)?, self.register(new, registers)?);
                let bits = cell.bytes * 8;
                let (wanted, new) = (self.pool().resize(wanted, false, bits), self.pool().resize(new, false, bits));
                let attempt = |body: &mut Self, old: TermId| (body.pool().eq(old, wanted), new);
                let failure = if *order == Order::SeqCst { Order::SeqCst } else { Order::Relaxed };
                let old = self.try_update(place, (*order, failure), attempt);
                registers.is_equal = Some(self.pool().eq(old, wanted));
                let value = self.pool().resize(old, false, REGISTER);
                self.set_register(expected, value, bits, registers)?;
            }
            Step::Compute { to, how, a, b, bits } => {
                let value = self.computed(*how, (a, b), *bits, registers)?;
                self.set_register(to, value, *bits, registers)?;
            }
            Step::Compare { a, b, bits } => registers.is_equal = Some(self.same(a, b, *bits, registers)?),
            Step::SetIf { to, is_equal } => {
                let truth = registers.is_equal?;
                let truth = if *is_equal { truth } else { self.pool().not(truth) };
                let value = self.bit(truth);
                self.set_register(to, value, 8, registers)?;
            }
            Step::Load { .. } | Step::StoreExclusive { .. } | Step::Jump { .. } => return None,
        }
        Some(())
    }

    fn computed(
        &mut self,
        how: Arith,
        (a, b): (&Operand, &Operand),
        bits: u32,
        registers: &Registers,
    ) -> Option<TermId> {
        let (a, b) = (self.register(a, registers)?, self.register(b, registers)?);
        let (a, b) = (self.pool().resize(a, false, bits), self.pool().resize(b, false, bits));
        let value = self.arith(how, a, b);
        Some(self.pool().resize(value, false, REGISTER))
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
        let (a, b) = (self.register(a, registers)?, self.register(b, registers)?);
        let (a, b) = (self.pool().resize(a, false, bits), self.pool().resize(b, false, bits));
        Some(self.pool().eq(a, b))
    }

    /// What a register holds, or a number.
    fn register(&mut self, operand: &Operand, registers: &Registers) -> Option<TermId> {
        match operand {
            Operand::Number(number) => Some(self.pool().bv(REGISTER, number.cast_unsigned())),
            Operand::Arg(index, _) => registers.values[*index],
            _ => None,
        }
    }

    /// Writes a register; on x86 fewer than half of its bits leave the others as they are.
    fn set_register(&mut self, operand: &Operand, value: TermId, bits: u32, registers: &mut Registers) -> Option<()> {
        match operand {
            Operand::Number(0) => {}
            Operand::Arg(index, _) => {
                let old = registers.values[*index].filter(|_| registers.machine == Machine::X86 && bits < 32);
                let value = match old {
                    Some(old) => {
                        let (high, low) =
                            (self.pool().extract(old, REGISTER - 1, bits), self.pool().extract(value, bits - 1, 0));
                        self.pool().concat(high, low)
                    }
                    None => value,
                };
                registers.values[*index] = Some(value);
            }
            _ => return None,
        }
        Some(())
    }

    fn asm_cell(&mut self, cell: &Cell, registers: &Registers) -> Option<Place> {
        let address = match &cell.at {
            Operand::Arg(index, _) => registers.addresses[*index]?,
            Operand::Memory(base, offset) => {
                let base = self.register(base, registers)?;
                let word = self.word_bits();
                let base = self.pool().resize(base, false, word);
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
            (When::NonZero(Operand::Arg(tested, _)), Some(Operand::Arg(status, _))) => tested == status,
            (When::NotEqual, None) => true,
            _ => false,
        };
        let is_quiet = |step: &Step| matches!(step, Step::Nothing | Step::Compute { .. } | Step::Compare { .. });
        let exit = between.iter().position(|step| matches!(step, Step::Jump { .. }));
        let computes = between.iter().enumerate().all(|(at, step)| is_quiet(step) || Some(at) == exit);
        if !is_retry || cell != written || !before.iter().all(is_quiet) || !computes {
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
        let value = self.pool().resize(old, *is_signed, REGISTER);
        self.set_register(to, value, bits, registers)?;
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
        let new = self.register(from, &stored)?;
        let new = self.pool().resize(new, false, bits);
        if let Some(status) = status {
            let zero = self.pool().bv(REGISTER, 0);
            self.set_register(status, zero, REGISTER, &mut stored)?;
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
            if let Some(stored) = *stored {
                let left = own.unwrap_or_else(|| self.havoc(Sort::Bv(REGISTER), HavocKind::Uninit));
                *own = Some(self.pool().ite(leaves, left, stored));
            }
        }
        let tail = &after[..n_after];
        if !tail.iter().all(|step| matches!(step, Step::Nothing | Step::Fence(_))) {
            return None;
        }
        if tail.iter().any(|step| matches!(step, Step::Fence(_))) {
            let (done, left) = (self.new_loc(), self.new_loc());
            self.branch_on(leaves, left, done);
            self.resume_at(done);
            for step in tail {
                self.run_step(step, registers)?;
            }
            self.goto(left);
            self.resume_at(left);
        }
        Some(n_after)
    }

    fn is_taken(&mut self, when: &When, registers: &Registers) -> Option<TermId> {
        let zero = Operand::Number(0);
        Some(match when {
            When::Equal => registers.is_equal?,
            When::NotEqual => {
                let is_equal = registers.is_equal?;
                self.pool().not(is_equal)
            }
            When::Zero(register) => self.same(register, &zero, REGISTER, registers)?,
            When::NonZero(register) => {
                let same = self.same(register, &zero, REGISTER, registers)?;
                self.pool().not(same)
            }
            When::Differ(a, b) => {
                let same = self.same(a, b, REGISTER, registers)?;
                self.pool().not(same)
            }
        })
    }
}
