//! Which instructions compute a term? Those of its operands, then its own.
//!
//! Terms are walked with a stack of our own, since they can be deep. Operators that have an instruction of their own get it; the
//! others, and terms with parts wider than a register, are evaluated by their definition in `logic`.

use super::code::*;
use super::{DoesNotFit, ProcCompiler};
use logic::{Node, TermId, VarId};

impl ProcCompiler<'_> {
    /// A register that holds the term's value.
    pub(crate) fn term(&mut self, term: TermId) -> Result<Reg, DoesNotFit> {
        let order = self.code.program.pool.post_order(term);
        let sorts_fit = order.iter().all(|subterm| fits(self.code.program.pool.sort(*subterm)));
        if !sorts_fit {
            let d = self.fresh();
            self.wide(term, d)?;
            return Ok(d);
        }
        for subterm in order {
            if self.done.contains_key(&subterm) {
                continue;
            }
            let reg = match self.code.program.pool.node(subterm) {
                Node::Const(value) => self.constants[&word_of(value)],
                Node::Var(var) => self.regs[var],
                Node::App { op, args } => {
                    let (op, args) = (*op, args.clone());
                    let d = self.fresh();
                    self.apply(op, &args, d);
                    d
                }
            };
            self.done.insert(subterm, reg);
        }
        Ok(self.done[&term])
    }

    /// Puts the term's value into a register.
    pub(crate) fn term_into(&mut self, term: TermId, d: Reg) -> Result<(), DoesNotFit> {
        let a = self.term(term)?;
        // The last instruction made the value if the term is an application; it may write to `d` at once.
        let is_scratch = a as usize >= self.first_scratch();
        match self.code.ins.last_mut() {
            Some(last) if is_scratch && last.target() == Some(a) => last.set_target(d),
            _ => self.emit(Ins::Move { d, a }),
        }
        Ok(())
    }

    pub(crate) fn wide(&mut self, term: TermId, d: Reg) -> Result<(), DoesNotFit> {
        let pool = &self.code.program.pool;
        if !fits(pool.sort(term)) {
            return Err(DoesNotFit(pool.sort(term)));
        }
        let mut vars = Vec::new();
        for index in pool.free_vars(term).ones() {
            let var = VarId(index as u32);
            vars.push((var, self.var_reg(var)?, self.code.program.pool.var_sort(var)));
        }
        self.code.wides.push(Wide { term, vars });
        let wide = self.code.wides.len() as u32 - 1;
        self.emit(Ins::Wide { d, wide });
        Ok(())
    }

    pub(crate) fn apply(&mut self, op: logic::Op, args: &[TermId], d: Reg) {
        let pool = &self.code.program.pool;
        let sort = |index: usize| pool.sort(args[index]);
        let width = |index: usize| bits_of(sort(index)) as u8;
        let reg = |index: usize| self.done[&args[index]];
        let ins = match op {
            logic::Op::Not => Ins::Not { d, a: reg(0) },
            logic::Op::And | logic::Op::Or => {
                let op = if op == logic::Op::And { Binary::And } else { Binary::Or };
                let regs: Vec<Reg> = (0..args.len()).map(reg).collect();
                let mut a = regs[0];
                for b in &regs[1..] {
                    self.code.ins.push(Ins::Binary { op, width: 1, d, a, b: *b });
                    a = d;
                }
                return;
            }
            logic::Op::Ite => Ins::Select { d, c: reg(0), a: reg(1), b: reg(2) },
            logic::Op::Extract { hi, lo } => Ins::Extract { d, a: reg(0), low: lo as u8, width: (hi - lo + 1) as u8 },
            logic::Op::ZeroExtend(_) => Ins::Move { d, a: reg(0) },
            logic::Op::SignExtend(to) => Ins::SignExtend { d, a: reg(0), from: width(0), to: to as u8 },
            logic::Op::Concat => Ins::Concat { d, a: reg(0), b: reg(1), low: width(1) },
            logic::Op::Neg => {
                let zero = self.constants[&0];
                Ins::Binary { op: Binary::Sub, width: width(0), d, a: zero, b: reg(0) }
            }
            _ => match binary_of(op) {
                Some(own) => Ins::Binary { op: own, width: width(0), d, a: reg(0), b: reg(1) },
                None => {
                    let args = (0..args.len()).map(|index| (reg(index), sort(index))).collect();
                    self.code.rares.push(Rare { op, args });
                    Ins::Rare { d, rare: self.code.rares.len() as u32 - 1 }
                }
            },
        };
        self.emit(ins);
    }
}
