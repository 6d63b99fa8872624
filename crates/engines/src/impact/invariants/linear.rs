//! Are two words the same sum? Terms as sums of multiples, modulo a power of two.
//!
//! Known as: linear normal form, canonical sums; rewriting by solved equations.
//!
//! A solver that knows bits only takes long to see that sums are equal. Here each sum has one form, in which cells that are known to be sums of others do not occur, so that equal sums are the same
//! term, and formulas about them become simpler before anybody is asked.
//!
//! Invariant: in every state in which the solved equations hold, a term and its form have the same value.

use crate::abstraction::cells::Cells;
use logic::{Node, Op, Sort, TermId, VarId};
use rustc_hash::FxHashMap;

/// A constant and multiples of terms that are no sums, ordered by term, none of them zero times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Linear {
    width: u32,
    pub(super) summands: Vec<(TermId, u64)>,
    pub(super) constant: u64,
}

impl Linear {
    fn constant(width: u32, constant: u64) -> Linear {
        Linear { width, summands: Vec::new(), constant: constant & mask(width) }
    }

    /// So many times another sum more.
    pub(super) fn add(&mut self, other: &Linear, times: u64) {
        for (term, factor) in &other.summands {
            let factor = factor.wrapping_mul(times);
            match self.summands.binary_search_by_key(term, |(term, _)| *term) {
                Ok(at) => self.summands[at].1 = self.summands[at].1.wrapping_add(factor) & mask(self.width),
                Err(at) => self.summands.insert(at, (*term, factor & mask(self.width))),
            }
        }
        self.summands.retain(|(_, factor)| *factor != 0);
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(times)) & mask(self.width);
    }

    /// Solved for one of its terms, if the sum is zero: the term, and what it is then. Rather for one that is preferred.
    pub(super) fn solved(&self, is_preferred: impl Fn(TermId) -> bool) -> Option<(TermId, Linear)> {
        let odd = || self.summands.iter().rev().filter(|(_, factor)| factor % 2 == 1);
        let (term, factor) = odd().find(|(term, _)| is_preferred(*term)).or_else(|| odd().next())?;
        let times = super::affine::inverse(*factor).wrapping_neg();
        let mut others = self.clone();
        others.summands.retain(|(other, _)| other != term);
        Some((*term, scaled(&others, times)))
    }

    /// Puts a sum in the place of a term.
    pub(super) fn replace(&mut self, term: TermId, by: &Linear) {
        if let Ok(at) = self.summands.binary_search_by_key(&term, |(term, _)| *term) {
            let (_, factor) = self.summands.remove(at);
            self.add(by, factor);
        }
    }

    fn is_zero(&self) -> bool {
        self.summands.is_empty() && self.constant == 0
    }

    /// The sum as a term.
    pub(super) fn term(&self, cells: &mut Cells<'_>) -> TermId {
        let mut sum = None;
        for (term, factor) in &self.summands {
            let factor = cells.pool.bv(self.width, *factor);
            let product = cells.pool.mul(factor, *term);
            sum = Some(sum.map_or(product, |sum| cells.pool.add(sum, product)));
        }
        let constant = cells.pool.bv(self.width, self.constant);
        sum.map_or(constant, |sum| cells.pool.add(sum, constant))
    }
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The sum that a term is.
pub(super) fn linear(cells: &Cells<'_>, term: TermId) -> Option<Linear> {
    let Sort::Bv(width @ 1..=64) = cells.pool.sort(term) else { return None };
    let own = || Linear { width, summands: vec![(term, 1)], constant: 0 };
    let sum = match cells.pool.node(term) {
        Node::Const(value) => Linear::constant(width, value.as_bv().as_u64()),
        Node::App { op: Op::Add, args } => {
            let mut sum = Linear::constant(width, 0);
            args.iter().try_for_each(|arg| linear(cells, *arg).map(|arg| sum.add(&arg, 1)))?;
            sum
        }
        Node::App { op: Op::Sub, args } => {
            let mut sum = linear(cells, args[0])?;
            sum.add(&linear(cells, args[1])?, u64::MAX);
            sum
        }
        Node::App { op: Op::Neg, args } => {
            let mut sum = Linear::constant(width, 0);
            sum.add(&linear(cells, args[0])?, u64::MAX);
            sum
        }
        Node::App { op: Op::BvNot, args } => {
            let mut sum = Linear::constant(width, u64::MAX);
            sum.add(&linear(cells, args[0])?, u64::MAX);
            sum
        }
        Node::App { op: Op::Mul, args } if args.len() == 2 => {
            let sides = (linear(cells, args[0])?, linear(cells, args[1])?);
            match sides {
                (times, other) if times.summands.is_empty() => scaled(&other, times.constant),
                (other, times) if times.summands.is_empty() => scaled(&other, times.constant),
                _ => own(),
            }
        }
        Node::App { op: Op::Shl, args } => match cells.pool.as_const(args[1]).map(|value| value.as_bv().as_u64()) {
            Some(by) if by < u64::from(width) => scaled(&linear(cells, args[0])?, 1 << by),
            _ => own(),
        },
        _ => own(),
    };
    Some(sum)
}

fn scaled(sum: &Linear, times: u64) -> Linear {
    let mut scaled = Linear::constant(sum.width, 0);
    scaled.add(sum, times);
    scaled
}

/// The difference of two words as a sum.
pub(super) fn difference(cells: &Cells<'_>, one: TermId, other: TermId) -> Option<Linear> {
    let mut sum = linear(cells, one)?;
    sum.add(&linear(cells, other)?, u64::MAX);
    Some(sum)
}

/// Gives terms their form, by solved equations.
#[derive(Default)]
pub(super) struct Forms {
    /// What cells are, in terms of others that are not here.
    pub(super) solved: FxHashMap<VarId, TermId>,
    /// Whether conditions hold.
    facts: FxHashMap<TermId, bool>,
    known: FxHashMap<TermId, TermId>,
}

impl Forms {
    pub(super) fn new(solved: FxHashMap<VarId, TermId>) -> Forms {
        Forms { solved, ..Forms::default() }
    }

    /// Where these conditions hold, too, the sides of choices that they exclude do not matter.
    pub(super) fn where_holds(cells: &Cells<'_>, solved: FxHashMap<VarId, TermId>, conds: &[TermId]) -> Forms {
        let fact = |cond: &TermId| match cells.pool.node(*cond) {
            Node::App { op: Op::Not, args } => (args[0], false),
            _ => (*cond, true),
        };
        Forms { solved, facts: conds.iter().map(fact).collect(), known: FxHashMap::default() }
    }

    /// The form of a term.
    pub(super) fn of(&mut self, cells: &mut Cells<'_>, term: TermId) -> TermId {
        if let Some(known) = self.known.get(&term) {
            return *known;
        }
        for part in cells.pool.post_order(term) {
            if self.known.contains_key(&part) {
                continue;
            }
            let form = match cells.pool.node(part).clone() {
                Node::Const(_) => part,
                Node::Var(var) => self.solved.get(&var).copied().unwrap_or(part),
                Node::App { op, args } => {
                    let args: Vec<TermId> = args.iter().map(|arg| self.known[arg]).collect();
                    let applied = cells.pool.apply(op, &args);
                    let form = normal(cells, applied);
                    match self.facts.get(&part).or_else(|| self.facts.get(&form)) {
                        Some(holds) => cells.pool.bool(*holds),
                        None => form,
                    }
                }
            };
            self.known.insert(part, form);
        }
        self.known[&term]
    }
}

/// Of sums and of equations between sums the form that equal ones share.
fn normal(cells: &mut Cells<'_>, term: TermId) -> TermId {
    match cells.pool.node(term) {
        Node::App { op: Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::BvNot | Op::Shl, .. } => {
            let Some(sum) = linear(cells, term) else { return term };
            if sum.summands == [(term, 1)] { term } else { sum.term(cells) }
        }
        Node::App { op: Op::Eq, args } => {
            let [one, other] = args[..] else { return term };
            let Some(sum) = difference(cells, one, other) else { return term };
            if sum.is_zero() || sum.summands.is_empty() {
                let holds = sum.is_zero();
                return cells.pool.bool(holds);
            }
            let mut sides = [Linear::constant(sum.width, 0), Linear::constant(sum.width, sum.constant.wrapping_neg())];
            for (term, factor) in &sum.summands {
                let negative = factor.wrapping_neg() & mask(sum.width);
                let (side, factor) = if negative < *factor { (1, negative) } else { (0, *factor) };
                sides[side].add(&Linear { width: sum.width, summands: vec![(*term, factor)], constant: 0 }, 1);
            }
            let [one, other] = sides.map(|side| side.term(cells));
            cells.pool.eq(one, other)
        }
        _ => term,
    }
}
