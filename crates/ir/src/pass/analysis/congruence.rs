//! What are the low bits of a word?
//!
//! A `Residue` says that a value is `rest` modulo 2^`bits`. It is computed for terms from their operands and for variables and
//! memory contents as what all writes agree on, without regard to order. Objects start at multiples of a granule, so for an
//! address it is the offset modulo a power of two: enough to see that accesses fall into cells that do not overlap in part.
//!
//! Invariant: whatever value a variable has in an execution, it agrees with its residue in that many low bits.

use super::points_to::{AbstractObject, PointsTo};
use crate::access::{bytes_of, local_written};
use crate::memory::Fill;
use crate::program::{Format, Program, Scope};
use crate::stmt::{Callee, Op, Place};
use logic::{Node, Op as TermOp, Pool, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// The value is `rest` modulo 2^`bits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pass) struct Residue {
    /// How many low bits are known, at most 64.
    pub(in crate::pass) bits: u32,
    /// Those bits.
    pub(in crate::pass) rest: u64,
}

impl Residue {
    const UNKNOWN: Residue = Residue { bits: 0, rest: 0 };

    fn new(bits: u32, rest: u64) -> Residue {
        let bits = bits.min(64);
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        Residue { bits, rest: rest & mask }
    }

    fn exact(value: u64) -> Residue {
        Residue::new(64, value)
    }

    /// What holds if the value is one of the two.
    fn join(self, other: Residue) -> Residue {
        let agree = (self.rest ^ other.rest).trailing_zeros();
        Residue::new(self.bits.min(other.bits).min(agree), self.rest)
    }

    /// How many low bits are known to be zero.
    fn zeros(self) -> u32 {
        self.rest.trailing_zeros().min(self.bits)
    }
}

/// What writes of a size to an abstract object agree on.
type Contents = FxHashMap<(usize, u64), Residue>;

/// Residues of all variables of a program.
pub(in crate::pass) struct Residues {
    vars: Vec<Option<Residue>>,
    /// Whether a read may find a mixture of writes of several sizes.
    may_mix: bool,
}

impl Residues {
    /// Analyses a program. What is read from memory is what all writes of that size to the same objects agree on. Unless reads `may_mix` sizes, it is taken for granted that no two accesses overlap in part, which
    /// whoever asks has to find true by the result: in an execution the first two that do so would have addresses for which the result holds.
    pub(in crate::pass) fn new(program: &Program, points_to: &PointsTo, may_mix: bool) -> Residues {
        let mut residues = Residues { vars: vec![None; program.vars.len()], may_mix };
        let mut contents = Contents::default();
        residues.start(program);
        // Each round lowers some residue by at least a bit; the cap only guards against surprises.
        for _ in 0..64 * 64 {
            if !residues.round(program, points_to, &mut contents) {
                return residues;
            }
        }
        Residues { vars: vec![Some(Residue::UNKNOWN); program.vars.len()], may_mix }
    }

    fn start(&mut self, program: &Program) {
        for (index, variable) in program.vars.iter().enumerate() {
            let init = match (&variable.init, variable.scope) {
                _ if VarId(index as u32) == program.self_var => Some(Residue::UNKNOWN),
                (_, Scope::Local) => Some(Residue::exact(0)),
                (Some(Value::Bv(value)), _) => Some(Residue::exact(value.as_u64())),
                _ => Some(Residue::UNKNOWN),
            };
            self.vars[index] = init;
        }
        // Parameters start with what is passed, not with zero.
        for param in program.procs.iter().flat_map(|proc| &proc.params) {
            self.vars[param.index()] = None;
        }
    }

    fn round(&mut self, program: &Program, points_to: &PointsTo, contents: &mut Contents) -> bool {
        let mut changed = false;
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            match &stmt.op {
                Op::Assign { var, value } => {
                    if let Some(new) = self.of(&program.pool, *value) {
                        changed |= self.lower(*var, new);
                    }
                }
                Op::Load { dst, place, .. } => {
                    changed |= self.read(program, points_to, contents, place, *dst);
                }
                Op::Store { place, value, .. } => {
                    if let Some(new) = self.of(&program.pool, *value) {
                        changed |= self.write(points_to, contents, place, new);
                    }
                }
                Op::Rmw { dst, place, new, .. } => {
                    changed |= self.read(program, points_to, contents, place, *dst);
                    if let Some(new) = self.of(&program.pool, *new) {
                        changed |= self.write(points_to, contents, place, new);
                    }
                }
                Op::Alloc { dst, .. } => {
                    changed |= self.lower(*dst, Residue::new(program.data_model.granule_bits(), 0));
                }
                Op::Start { callee: Callee::Proc(proc), args, dst } => {
                    for (param, arg) in program.proc(*proc).params.iter().zip(args) {
                        if let Some(new) = self.of(&program.pool, *arg) {
                            changed |= self.lower(*param, new);
                        }
                    }
                    changed |= self.lower(*dst, Residue::UNKNOWN);
                }
                Op::Call { .. } | Op::Start { .. } => {
                    for index in 0..self.vars.len() {
                        changed |= self.lower(VarId(index as u32), Residue::UNKNOWN);
                    }
                }
                op => {
                    if let Some(var) = local_written(op) {
                        changed |= self.lower(var, Residue::UNKNOWN);
                    }
                }
            }
        }
        changed
    }

    fn read(
        &mut self,
        program: &Program,
        points_to: &PointsTo,
        contents: &Contents,
        place: &Place,
        dst: VarId,
    ) -> bool {
        let value = match place {
            Place::Var(global) => self.vars[global.index()],
            Place::Mem { addr, sort, .. } => {
                let is_pointer = program.var(dst).format == Format::Pointer;
                let what = (*addr, bytes_of(*sort), self.may_mix);
                Some(read_contents(program, points_to, contents, what, is_pointer))
            }
        };
        value.is_some_and(|value| self.lower(dst, value))
    }

    fn write(&mut self, points_to: &PointsTo, contents: &mut Contents, place: &Place, new: Residue) -> bool {
        match place {
            Place::Var(global) => self.lower(*global, new),
            Place::Mem { addr, sort, .. } => write_contents(points_to, contents, *addr, bytes_of(*sort), new),
        }
    }

    fn lower(&mut self, var: VarId, new: Residue) -> bool {
        let old = self.vars[var.index()];
        let joined = old.map_or(new, |old| old.join(new));
        self.vars[var.index()] = Some(joined);
        old != Some(joined)
    }

    /// The residue of a term; `None` while nothing has flowed into one of its variables.
    pub(in crate::pass) fn of(&self, pool: &Pool, term: TermId) -> Option<Residue> {
        let mut known: FxHashMap<TermId, Residue> = FxHashMap::default();
        for subterm in pool.post_order(term) {
            let residue = match pool.node(subterm) {
                Node::Const(Value::Bv(value)) => Residue::exact(value.as_u64()),
                Node::Const(_) => Residue::UNKNOWN,
                Node::Var(var) => self.vars[var.index()]?,
                Node::App { op, args } => apply(pool, *op, args, &known),
            };
            // Arithmetic wraps at the width of the sort, so nothing is known beyond it.
            let width = pool.sort(subterm).width().unwrap_or(0);
            known.insert(subterm, Residue::new(residue.bits.min(width), residue.rest));
        }
        known.get(&term).copied()
    }
}

fn apply(pool: &Pool, op: TermOp, args: &[TermId], known: &FxHashMap<TermId, Residue>) -> Residue {
    let arg = |index: usize| known[&args[index]];
    let pairwise = |combine: fn(u64, u64) -> u64| {
        let (a, b) = (arg(0), arg(1));
        Residue::new(a.bits.min(b.bits), combine(a.rest, b.rest))
    };
    match op {
        TermOp::Add => pairwise(u64::wrapping_add),
        TermOp::Sub => pairwise(u64::wrapping_sub),
        TermOp::BvXor => pairwise(|a, b| a ^ b),
        TermOp::BvOr => pairwise(|a, b| a | b),
        TermOp::BvAnd => {
            let both = pairwise(|a, b| a & b);
            let zeros = arg(0).zeros().max(arg(1).zeros());
            if zeros > both.bits { Residue::new(zeros, 0) } else { both }
        }
        TermOp::Neg => Residue::new(arg(0).bits, arg(0).rest.wrapping_neg()),
        TermOp::Mul => {
            let (a, b) = (arg(0), arg(1));
            // (r + 2^k x)(s + 2^m y): the cross terms vanish modulo the smaller of 2^(k + zeros of s) and so on.
            let bits = (a.bits + b.zeros()).min(b.bits + a.zeros());
            Residue::new(bits, a.rest.wrapping_mul(b.rest))
        }
        TermOp::Shl => match (pool.as_const(args[1]), arg(0)) {
            (Some(Value::Bv(by)), a) => match by.to_u64() {
                Some(by) if by < 64 => Residue::new(a.bits + by as u32, a.rest << by),
                _ => Residue::UNKNOWN,
            },
            _ => Residue::UNKNOWN,
        },
        // The bits above the operand's width are not what its residue says.
        TermOp::ZeroExtend(_) | TermOp::SignExtend(_) => {
            let width = pool.sort(args[0]).width().unwrap_or(0);
            Residue::new(arg(0).bits.min(width), arg(0).rest)
        }
        TermOp::Extract { hi, lo } => {
            let a = arg(0);
            Residue::new(a.bits.saturating_sub(lo).min(hi - lo + 1), a.rest.checked_shr(lo).unwrap_or(0))
        }
        TermOp::Concat => {
            let low_width = pool.sort(args[1]).width().unwrap_or(0);
            let (high, low) = (arg(0), arg(1));
            if low.bits >= low_width && low_width < 64 {
                let low_part = low.rest & ((1 << low_width) - 1);
                Residue::new(high.bits + low_width, low_part | high.rest << low_width)
            } else {
                Residue::new(low.bits.min(low_width), low.rest)
            }
        }
        TermOp::Ite => arg(1).join(arg(2)),
        _ => Residue::UNKNOWN,
    }
}

/// What reading these bytes yields at best: what all writes of this size wrote, or the initial zero; anything once sizes mix
/// or nobody may have written. A pointer that nobody has written points nowhere (see `points_to`), so it does not count.
fn read_contents(
    program: &Program,
    points_to: &PointsTo,
    contents: &Contents,
    (addr, size, may_mix): (TermId, u64, bool),
    is_pointer: bool,
) -> Residue {
    let Some(targets) = points_to.of(addr) else { return Residue::UNKNOWN };
    let mut all: Option<Residue> = None;
    for target in targets {
        let is_zero = match points_to.targets[target] {
            AbstractObject::Static(object) => {
                let object = program.object(object);
                object.init.is_empty() && (object.fill == Fill::Zero || is_pointer)
            }
            AbstractObject::Made(_) => is_pointer,
        };
        let is_mixed = may_mix && contents.keys().any(|(other, bytes)| *other == target && *bytes != size);
        let here = match contents.get(&(target, size)) {
            _ if is_mixed || !is_zero => Residue::UNKNOWN,
            Some(written) => written.join(Residue::exact(0)),
            None => Residue::exact(0),
        };
        all = Some(all.map_or(here, |all| all.join(here)));
    }
    all.unwrap_or(Residue::UNKNOWN)
}

fn write_contents(points_to: &PointsTo, contents: &mut Contents, addr: TermId, size: u64, new: Residue) -> bool {
    let targets = points_to.of(addr).unwrap_or_else(|| (0..points_to.targets.len()).collect());
    let mut changed = false;
    for target in targets {
        let old = contents.get(&(target, size)).copied();
        let joined = old.map_or(new, |old| old.join(new));
        contents.insert((target, size), joined);
        changed |= old != Some(joined);
    }
    changed
}
