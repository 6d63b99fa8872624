//! What do updates find in a cell that is only ever added to? What was there at first, and the sum of all that came before.
//!
//! Known as: cardinality reasoning where clauses alone would go through all permutations (pigeonholes): that n increments make n follows from how many there
//! are, but to resolution only from each of the n! orders.
//!
//! It holds if every update reads the write that is next before its own in coherence order. That follows from two axioms that all models have which are built in and
//! say anything: coherence for each cell, and that no write of another thread comes between the two halves of an update (`empty rmw & (fre ; coe)`). Let an update read from
//! `w`, and let a write `f` stand between `w` and its own write. If `f` is of another thread the second axiom forbids it; if `f` is in the same thread
//! before the update, the update reads what `f` has overwritten, and if after it, `f` is overwritten by what came before it: both against coherence. So are
//! updates that stand before what they read. What is left is an `f` of the same thread between the two halves, which exclusive accesses may have: whoever finds counters
//! leaves such cells alone (`is_divided`). Other models need not have these axioms, and are left alone.
//!
//! Invariant: what is added here follows from the rest of the formula; it makes refutations short and allows nothing.

use super::{Encoder, Sign};
use crate::cat::Model;
use crate::relation::Relation;
use logic::{Pool, Sort, TermId};

/// Models with both axioms.
const COHERENT: &[&str] = &[
    "sc.cat",
    "tso.cat",
    "pso.cat",
    "power.cat",
    "aarch64.cat",
    "riscv.cat",
    "c11.cat",
    "rc11.cat",
    "imm.cat",
    "linux-kernel.cat",
];

/// Updates that are fewer are left to the solver: adding up costs more than their orders.
pub const MIN_UPDATES: usize = 4;

/// An update that adds a number to its cell.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// The event of its write.
    pub write: usize,
    /// What it finds.
    pub found: TermId,
    /// What it adds to that.
    pub added: TermId,
}

/// A cell that is only added to.
#[derive(Clone, Debug)]
pub struct Counter {
    /// What is in it at first.
    pub initial: TermId,
    /// All its writes but the initial one.
    pub additions: Vec<Addition>,
}

/// Whether a model is built in, with all that it includes, and has both axioms.
pub fn is_coherent(model: &Model) -> bool {
    let name = |path: &str| path.strip_prefix("models/").map(str::to_string);
    let mut names = model.sources.files.iter().filter_map(|file| name(&file.path));
    model.files().is_empty() && names.any(|name| COHERENT.contains(&&*name))
}

/// Whether another write of the cell stands between the two halves of an update.
pub fn is_divided(po: &Relation, (read, write): (usize, usize), writes: &[usize]) -> bool {
    writes.iter().any(|&other| po.contains(read, other) && po.contains(other, write))
}

impl Encoder<'_> {
    /// Says what the updates of a counter find; `is_before` tells the order of two of its writes.
    pub fn count(
        &mut self,
        pool: &mut Pool,
        counter: &Counter,
        is_before: &dyn Fn(usize, usize) -> Sign,
    ) -> Result<(), smt::Why> {
        for this in &counter.additions {
            let mut earlier: Vec<(TermId, TermId)> = Vec::new();
            for other in counter.additions.iter().filter(|other| other.write != this.write) {
                let happens = self.happens(other.write);
                let counts = self.both(is_before(other.write, this.write), happens);
                earlier.push((self.term_of(pool, counts)?, other.added));
            }
            let sum = sum(pool, &earlier);
            let expected = sum.map_or(counter.initial, |sum| pool.add(counter.initial, sum));
            let equal = pool.eq(this.found, expected);
            let holds = self.bits.lit(pool, equal)?;
            self.clause(&[(self.happens(this.write), false), (Sign::Open(holds), true)]);
        }
        Ok(())
    }

    /// A term that says what a sign says.
    fn term_of(&mut self, pool: &mut Pool, sign: Sign) -> Result<TermId, smt::Why> {
        let lit = match sign {
            Sign::Yes => return Ok(pool.bool(true)),
            Sign::No => return Ok(pool.bool(false)),
            Sign::Open(lit) => lit,
        };
        let var = pool.declare("before", Sort::Bool);
        let term = pool.var(var);
        let own = self.bits.lit(pool, term)?;
        self.bits.add_clause(&[!own, lit]);
        self.bits.add_clause(&[own, !lit]);
        Ok(term)
    }
}

/// The sum of those numbers whose conditions hold. Where all are the same it is that number times how many, which needs few bits.
fn sum(pool: &mut Pool, parts: &[(TermId, TermId)]) -> Option<TermId> {
    let &(_, first) = parts.first()?;
    let Sort::Bv(width) = pool.sort(first) else { return None };
    let n_bits = usize::BITS - parts.len().leading_zeros();
    let is_same = n_bits < width && parts.iter().all(|&(_, added)| added == first);
    let narrow = if is_same { n_bits } else { width };
    let zero = pool.bv(narrow, 0);
    let one = pool.bv(narrow, 1);
    let mut total = zero;
    for &(cond, added) in parts {
        let part = pool.ite(cond, if is_same { one } else { added }, zero);
        total = pool.add(total, part);
    }
    if !is_same {
        return Some(total);
    }
    let wide = pool.zero_extend(total, width);
    Some(pool.mul(wide, first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat::BUILT_IN;

    #[test]
    fn every_coherent_model_has_both_axioms() {
        for name in COHERENT {
            let (_, text) = BUILT_IN.iter().find(|(known, _)| known == name).expect("it is built in");
            assert!(text.contains("empty rmw & (fre ; coe) as atomic"), "{name}");
            let coherence =
                ["acyclic po-loc |", "irreflexive hb ; eco?", "(mo | fr) ; rf? ; hb", "(po | rf | co | fr)"];
            assert!(coherence.iter().any(|axiom| text.contains(axiom)), "{name}");
            let model = crate::cat::load(name, &|_| None, &Default::default()).expect("it is a model");
            assert!(is_coherent(&model), "{name}");
        }
    }

    #[test]
    fn other_models_are_left_alone() {
        for text in ["\"mine\"\nacyclic po | rf as hb\n", "include \"rc11.cat\"\n"] {
            let read = |name: &str| (name == "mine.cat").then(|| (name.to_string(), text.to_string()));
            let model = crate::cat::load("mine.cat", &read, &Default::default()).expect("it is a model");
            assert!(!is_coherent(&model), "{text}");
        }
    }
}
