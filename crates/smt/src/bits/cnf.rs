//! Which clauses describe a circuit?
//!
//! Only gates that something asserted depends on get a SAT variable and clauses, the first time they are needed. On the
//! way, conjunctions used once are merged into the conjunction above them and pairs of exclusive ors into one of three
//! operands, so that there are fewer variables than gates. A gate that was merged away gets its own variable if it is
//! needed later.
//!
//! Invariant: clauses of gates are definitions, true whatever is asserted; they are never guarded or taken back.

use smallvec::{SmallVec, smallvec};

use super::gates::{Gate, Gates, Wire};
use super::sat::Sat;
use crate::limits::{Stop, Why};
use crate::literal::Lit;

/// Which SAT literal stands for which gate.
#[derive(Debug, Default)]
pub(crate) struct Cnf {
    /// By node; none where no clause has needed it.
    lits: Vec<Option<Lit>>,
    /// Gates that have a literal but not their clauses yet.
    pending: Vec<usize>,
    n_defined: u32,
}

/// Gates between two looks at the limits.
const POLL_PERIOD: u32 = 2048;

/// More operands make one clause long without saving much.
const MAX_MERGED: usize = 64;

impl Cnf {
    /// The literal of a wire, with the clauses of everything below it.
    pub(crate) fn lit(&mut self, gates: &Gates, sat: &mut Sat, wire: Wire, stop: &Stop) -> Result<Lit, Why> {
        let lit = self.reserve(gates, sat, wire);
        self.finish(gates, sat, stop)?;
        Ok(lit)
    }

    /// Makes the clauses that an interrupted check left unmade.
    pub(crate) fn finish(&mut self, gates: &Gates, sat: &mut Sat, stop: &Stop) -> Result<(), Why> {
        while let Some(node) = self.pending.pop() {
            self.define(gates, sat, node);
            self.n_defined = self.n_defined.wrapping_add(1);
            if self.n_defined.is_multiple_of(POLL_PERIOD) {
                stop.check()?;
            }
        }
        Ok(())
    }

    /// The literal of a wire, if there is one.
    pub(crate) fn known(&self, node: usize) -> Option<Lit> {
        self.lits.get(node).copied().flatten()
    }

    fn reserve(&mut self, gates: &Gates, sat: &mut Sat, wire: Wire) -> Lit {
        if self.lits.len() < gates.len() {
            self.lits.resize(gates.len(), None);
        }
        let node = wire.node();
        let lit = match self.lits[node] {
            Some(lit) => lit,
            None => {
                let lit = sat.fresh();
                self.lits[node] = Some(lit);
                self.pending.push(node);
                lit
            }
        };
        if wire.is_negated() { !lit } else { lit }
    }

    fn define(&mut self, gates: &Gates, sat: &mut Sat, node: usize) {
        let out = self.lits[node].expect("a pending gate has its literal");
        match gates.gate(node) {
            Gate::False => sat.clause(&[!out]),
            Gate::Input => {}
            Gate::And(a, b) => {
                let operands = self.merged_conjunction(gates, a, b);
                let mut long: SmallVec<[Lit; 16]> = smallvec![out];
                for operand in operands {
                    let lit = self.reserve(gates, sat, operand);
                    sat.clause(&[!out, lit]);
                    long.push(!lit);
                }
                sat.clause(&long);
            }
            Gate::Xor(a, b) => match self.merged_xor(gates, a, b) {
                Some([a, b, c]) => {
                    let [a, b, c] = [a, b, c].map(|wire| self.reserve(gates, sat, wire));
                    for signs in 0..8u8 {
                        let [p, q, r] =
                            [(a, 1), (b, 2), (c, 4)].map(|(lit, bit)| if signs & bit == 0 { lit } else { !lit });
                        // The clause excludes the operands that falsify it, for which the sum is the parity of `signs`.
                        let sum = if signs.count_ones() % 2 == 1 { out } else { !out };
                        sat.clause(&[p, q, r, sum]);
                    }
                }
                None => {
                    let (a, b) = (self.reserve(gates, sat, a), self.reserve(gates, sat, b));
                    sat.clause(&[!out, a, b]);
                    sat.clause(&[!out, !a, !b]);
                    sat.clause(&[out, !a, b]);
                    sat.clause(&[out, a, !b]);
                }
            },
            Gate::Choose(c, t, e) => {
                let [c, t, e] = [c, t, e].map(|wire| self.reserve(gates, sat, wire));
                sat.clause(&[!c, !t, out]);
                sat.clause(&[!c, t, !out]);
                sat.clause(&[c, !e, out]);
                sat.clause(&[c, e, !out]);
                // Implied, but lets the result be known before the condition.
                sat.clause(&[!t, !e, out]);
                sat.clause(&[t, e, !out]);
            }
            Gate::Majority(a, b, c) => {
                let [a, b, c] = [a, b, c].map(|wire| self.reserve(gates, sat, wire));
                for (p, q) in [(a, b), (a, c), (b, c)] {
                    sat.clause(&[!p, !q, out]);
                    sat.clause(&[p, q, !out]);
                }
            }
        }
    }

    fn can_merge(&self, gates: &Gates, node: usize) -> bool {
        gates.uses(node) == 1 && self.lits[node].is_none()
    }

    fn merged_conjunction(&self, gates: &Gates, a: Wire, b: Wire) -> SmallVec<[Wire; 16]> {
        let mut operands = SmallVec::new();
        let mut open: SmallVec<[Wire; 16]> = smallvec![b, a];
        while let Some(wire) = open.pop() {
            match gates.gate(wire.node()) {
                Gate::And(x, y)
                    if !wire.is_negated()
                        && operands.len() + open.len() < MAX_MERGED
                        && self.can_merge(gates, wire.node()) =>
                {
                    open.extend([y, x]);
                }
                _ => operands.push(wire),
            }
        }
        operands
    }

    fn merged_xor(&self, gates: &Gates, a: Wire, b: Wire) -> Option<[Wire; 3]> {
        for (p, q) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = gates.gate(p.node())
                && self.can_merge(gates, p.node())
            {
                return Some([x, y, q]);
            }
        }
        None
    }
}
