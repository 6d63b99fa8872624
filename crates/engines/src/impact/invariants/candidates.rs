//! Which formulas may be worth knowing everywhere? Those that the program itself compares, and orders between numbers that it compares.
//!
//! Known as: candidate invariants, predicate mining; templates.

use super::linear::linear;
use crate::abstraction::cells::Cells;
use logic::{Node, Op, Sort, TermId, VarId};
use rustc_hash::FxHashSet;

/// Formulas of more nodes (as trees) are not tried.
const MAX_SIZE: u32 = 48;
/// So many formulas are tried.
const MAX_CANDIDATES: usize = 400;
/// So many reads are columns.
const MAX_READS: usize = 24;
/// A number is compared with so many others that are compared with the same one.
const MAX_ALIKE: usize = 6;

/// Formulas that were found so far, both ways round each.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) all: Vec<TermId>,
    /// What steps compute that is no sum, as elements of arrays.
    pub(super) reads: Vec<TermId>,
    known: FxHashSet<TermId>,
    seen: FxHashSet<TermId>,
    /// Words that are compared by size, with whether they are signed.
    compared: Vec<(TermId, TermId, bool)>,
}

impl Candidates {
    /// How many there are.
    pub(super) fn size(&self) -> usize {
        self.all.len() + self.reads.len()
    }

    /// Looks for formulas in a term of a step.
    pub(super) fn look_at(&mut self, cells: &mut Cells<'_>, term: TermId) {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !self.seen.insert(term) {
                continue;
            }
            let node = cells.pool.node(term).clone();
            open.extend(node.args().iter().copied());
            if cells.pool.sort(term) != Sort::Bool {
                continue;
            }
            match &node {
                Node::Const(_) | Node::App { op: Op::And | Op::Or | Op::Not | Op::Ite, .. } => {}
                Node::App { op: Op::Eq, args } if cells.pool.sort(args[0]) == Sort::Bool => {}
                Node::App { op: op @ (Op::Slt | Op::Ult), args } => {
                    self.compare(cells, args[0], args[1], *op == Op::Slt);
                    self.add(cells, term);
                }
                _ => self.add(cells, term),
            }
        }
    }

    /// A step computes this: what is no sum in it, as an element of an array, may be what others know already.
    pub(super) fn look_at_value(&mut self, cells: &mut Cells<'_>, value: TermId) {
        for (term, _) in linear(cells, value).into_iter().flat_map(|sum| sum.summands) {
            let is_about_cells = cells.vars_in(term).iter().all(|var| cells.cell(*var).is_some());
            let is_new = cells.pool.as_var(term).is_none() && !self.reads.contains(&term);
            if is_new && is_about_cells && cells.pool.tree_size(term) <= MAX_SIZE && self.reads.len() < MAX_READS {
                self.reads.push(term);
            }
        }
    }

    /// Something goes wrong if this holds. Of what it compares only words and elements are looked at: whether an address is inside an object follows from simpler things, and takes a solver long.
    pub(super) fn look_at_error(&mut self, cells: &mut Cells<'_>, cond: TermId) {
        for term in cells.pool.post_order(cond) {
            let is_simple = |arg: &TermId| match cells.pool.node(*arg) {
                Node::Var(_) | Node::Const(_) => true,
                Node::App { op, .. } => *op == Op::Select,
            };
            if matches!(cells.pool.node(term), Node::App { op: Op::Eq | Op::Slt | Op::Ult, args } if args.iter().all(is_simple))
            {
                self.look_at(cells, term);
            }
        }
    }

    /// A step writes down whether something holds: that it is written there may be worth knowing.
    pub(super) fn look_at_condition(&mut self, cells: &mut Cells<'_>, var: VarId, value: TermId) {
        if !cells.vars_in(value).contains(&var) {
            let own = cells.pool.var(var);
            let is_it = cells.pool.eq(own, value);
            self.add(cells, is_it);
        }
    }

    fn add(&mut self, cells: &mut Cells<'_>, formula: TermId) {
        let is_about_cells = cells.vars_in(formula).iter().all(|var| cells.cell(*var).is_some());
        if !is_about_cells || cells.pool.tree_size(formula) > MAX_SIZE || self.all.len() >= MAX_CANDIDATES {
            return;
        }
        if cells.pool.as_const(formula).is_none() && self.known.insert(formula) {
            self.all.push(formula);
            let opposite = cells.pool.not(formula);
            if self.known.insert(opposite) {
                self.all.push(opposite);
            }
        }
    }

    /// Two words are compared: numbers that are compared with the same one may be more or less than each other, and signed ones negative or not.
    fn compare(&mut self, cells: &mut Cells<'_>, one: TermId, other: TermId, is_signed: bool) {
        for (own, bound) in [(one, other), (other, one)] {
            let is_cell = cells.pool.as_var(own).is_some_and(|var| cells.cell(var).is_some());
            if !is_cell || self.compared.contains(&(own, bound, is_signed)) {
                continue;
            }
            if is_signed && let Sort::Bv(width) = cells.pool.sort(own) {
                let zero = cells.pool.bv(width, 0);
                let not_negative = cells.pool.sle(zero, own);
                self.add(cells, not_negative);
            }
            let mut others = vec![bound];
            let alike = self.compared.iter().filter(|(_, with, signed)| (*with, *signed) == (bound, is_signed));
            others.extend(alike.map(|(other, ..)| *other).take(MAX_ALIKE));
            for other in others {
                let less = if is_signed { cells.pool.slt(own, other) } else { cells.pool.ult(own, other) };
                let more = if is_signed { cells.pool.slt(other, own) } else { cells.pool.ult(other, own) };
                self.add(cells, less);
                self.add(cells, more);
            }
            self.compared.push((own, bound, is_signed));
        }
    }
}
