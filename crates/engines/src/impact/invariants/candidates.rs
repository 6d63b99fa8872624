//! Which formulas may be worth knowing everywhere? Those that the program itself compares, and orders between numbers that it compares.
//!
//! Known as: candidate invariants, predicate mining; templates.

use super::linear::linear;
use super::turns::Strides;
use crate::abstraction::cells::Cells;
use logic::{Node, Op, Sort, TermId, VarId};
use rustc_hash::FxHashSet;

/// Formulas of more nodes (as trees) are not tried.
const MAX_SIZE: u32 = 48;
/// Of smaller ones that speak of copies, those that speak of the originals are tried too.
const MAX_COPIED: u32 = 8;
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
    /// Whether what flags were set for and what copies are copies of is tried, too.
    pub(super) is_wide: bool,
    /// What steps compute that is no sum, as elements of arrays.
    pub(super) reads: Vec<TermId>,
    /// How far loops count in a round.
    pub(super) strides: Strides,
    known: FxHashSet<TermId>,
    seen: FxHashSet<TermId>,
    /// Variables that threads copy cells to.
    copies: Vec<(VarId, TermId)>,
    /// Words that are compared by size, with whether they are signed.
    compared: Vec<(TermId, TermId, bool)>,
}

impl Candidates {
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
        let Some(sum) = linear(cells, value) else { return };
        let mut terms: Vec<TermId> = sum.summands.iter().map(|(term, _)| *term).collect();
        if self.is_wide {
            let is_read = |term: &TermId| matches!(cells.pool.node(*term), Node::App { op: Op::Select, .. });
            terms.extend(cells.pool.post_order(value).into_iter().filter(is_read));
        }
        for term in terms {
            let is_about_cells = cells.vars_in(term).iter().all(|var| cells.cell(*var).is_some());
            let is_new = cells.pool.as_var(term).is_none() && !self.reads.contains(&term);
            if is_new && is_about_cells && cells.pool.tree_size(term) <= MAX_SIZE && self.reads.len() < MAX_READS {
                self.reads.push(term);
            }
        }
    }

    /// A step copies a cell to a variable of its thread.
    pub(super) fn look_at_copy(&mut self, var: VarId, cell: TermId) {
        if !self.copies.contains(&(var, cell)) {
            self.copies.push((var, cell));
        }
    }

    /// What is compared of copies may be worth knowing of what they are copies of.
    pub(super) fn speak_of_originals(&mut self, cells: &mut Cells<'_>) {
        for read in self.reads.clone() {
            for (var, cell) in self.copies.clone() {
                let original = cells.pool.substitute(read, &|other| (other == var).then_some(cell));
                if self.reads.len() < MAX_READS && !self.reads.contains(&original) {
                    self.reads.push(original);
                }
            }
        }
        let mut next = 0;
        while let Some(formula) = self.all.get(next).copied() {
            next += 1;
            let is_small = cells.pool.tree_size(formula) <= MAX_COPIED;
            let of_copies = |(var, _): &&(VarId, TermId)| is_small && cells.vars_in(formula).contains(var);
            let copies: Vec<(VarId, TermId)> = self.copies.iter().filter(of_copies).copied().collect();
            let mut originals: Vec<(VarId, TermId)> = Vec::new();
            for (var, cell) in copies {
                let original = cells.pool.substitute(formula, &|other| (other == var).then_some(cell));
                self.add(cells, original);
                originals.push((var, original));
            }
            // Something is equal to one of several: perhaps the greatest or the least of them.
            if matches!(cells.pool.node(formula), Node::App { op: Op::Eq, .. }) {
                for (var, _) in originals.clone() {
                    let of_var = originals.iter().filter(|(other, _)| *other == var).map(|(_, original)| *original);
                    let of_var: Vec<TermId> = of_var.collect();
                    if of_var.len() > 1 {
                        self.look_at_choice(cells, &of_var);
                    }
                }
            }
        }
    }

    /// One of these equations may hold, and their sides may be in one order.
    fn look_at_choice(&mut self, cells: &mut Cells<'_>, equations: &[TermId]) {
        let any = cells.pool.or_all(equations);
        self.add(cells, any);
        for equation in equations {
            let Node::App { op: Op::Eq, args } = cells.pool.node(*equation).clone() else { continue };
            if let Sort::Bv(_) = cells.pool.sort(args[0]) {
                for (one, other) in [(args[0], args[1]), (args[1], args[0])] {
                    let less = cells.pool.sle(one, other);
                    self.add(cells, less);
                }
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

    /// A step writes down whether something holds: that it is written there may be worth knowing, and that it holds if the flag is set, as all that the step asks for.
    pub(super) fn look_at_condition(&mut self, cells: &mut Cells<'_>, var: VarId, value: TermId, guards: &[TermId]) {
        if cells.vars_in(value).contains(&var) {
            return;
        }
        let own = cells.pool.var(var);
        let is_it = cells.pool.eq(own, value);
        self.add(cells, is_it);
        if self.is_wide && cells.pool.as_const(value).is_none() {
            for holds in guards.iter().chain([&value]) {
                let follows = cells.pool.implies(own, *holds);
                self.add(cells, follows);
            }
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
