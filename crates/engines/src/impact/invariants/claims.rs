//! What is claimed of a node? All candidates that nobody has broken, and all equations of a hull.
//!
//! Columns of a hull are cells, and what steps are about to compute that is no sum, as elements of arrays: what one loop has added and another one is about to add is an equation between these. Equations are
//! solved for cells where they can be, so that a formula can be said without these cells.
//!
//! Invariant: every state that a step with claims before it leads to satisfies the equations after it, once the step has been joined, as long as the claims before it stay.

use super::affine::Hull;
use super::linear::{Forms, Linear, difference, linear};
use crate::abstraction::cells::{Cell, Cells};
use logic::{Sort, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Assignment;

/// Reads that are replaced in one sum.
const MAX_REPLACED: usize = 8;

/// What is claimed of a node.
pub(super) struct Claims {
    hulls: Vec<(Vec<TermId>, Hull)>,
    pub(super) candidates: Vec<TermId>,
    pub(super) equations: Vec<Equality>,
    /// What equations say of reads, by their forms.
    pub(super) reads: FxHashMap<TermId, (Linear, usize)>,
    pub(super) forms: Forms,
}

/// A column is a sum of others.
#[derive(Clone)]
pub(super) struct Equality {
    pub(super) formula: TermId,
    /// Of which cell it is solved.
    pub(super) solves: Option<VarId>,
}

impl Claims {
    /// Everything is claimed of nothing, as far as it speaks of what matters.
    pub(super) fn new(
        cells: &mut Cells<'_>,
        candidates: &[TermId],
        reads: &[TermId],
        matters: impl Fn(Cell) -> bool,
    ) -> Claims {
        let mut vars: Vec<VarId> = cells.all().filter(|(_, cell)| matters(*cell)).map(|(var, _)| var).collect();
        vars.sort_unstable();
        let speaks = |cells: &mut Cells<'_>, term: &TermId| {
            let all = cells.vars_in(*term);
            all.iter().all(|var| cells.cell(*var).is_some_and(&matters))
        };
        let candidates: Vec<TermId> = candidates.iter().filter(|term| speaks(cells, term)).copied().collect();
        let reads: Vec<TermId> = reads.iter().filter(|term| speaks(cells, term)).copied().collect();
        let vars: Vec<TermId> = vars.into_iter().map(|var| cells.pool.var(var)).collect();
        let hull = |width: u32| {
            let is_column = |term: &&TermId| cells.pool.sort(**term) == Sort::Bv(width);
            let columns: Vec<TermId> = vars.iter().chain(&reads).filter(is_column).copied().collect();
            (columns, Hull::new(width))
        };
        let hulls = [8, 16, 32, 64].map(hull).into();
        Claims { hulls, candidates, equations: Vec::new(), reads: FxHashMap::default(), forms: Forms::default() }
    }

    /// All columns.
    pub(super) fn columns(&self) -> Vec<TermId> {
        self.hulls.iter().flat_map(|(columns, _)| columns.iter().copied()).collect()
    }

    /// A state is here; whether that changes what is claimed.
    pub(super) fn absorb(&mut self, cells: &Cells<'_>, state: &Assignment) -> bool {
        let before = self.candidates.len();
        self.candidates.retain(|formula| state.satisfies(&cells.pool, *formula));
        self.candidates.len() < before
    }

    /// All states in which the columns have these values are here, whatever the terms in them are; whether that changes what is claimed.
    pub(super) fn join(
        &mut self,
        cells: &mut Cells<'_>,
        mut value: impl FnMut(&mut Cells<'_>, TermId) -> Linear,
    ) -> bool {
        let mut has_grown = false;
        for (columns, hull) in &mut self.hulls {
            let values: Vec<Linear> = columns.iter().map(|column| value(cells, *column)).collect();
            let origin: Vec<u64> = values.iter().map(|value| value.constant).collect();
            has_grown |= hull.add(&origin);
            let mut terms: Vec<TermId> =
                values.iter().flat_map(|value| value.summands.iter().map(|(term, _)| *term)).collect();
            terms.sort_unstable();
            terms.dedup();
            for term in terms {
                let one_more = |value: &Linear| {
                    let factor =
                        value.summands.iter().find(|(other, _)| *other == term).map_or(0, |(_, factor)| *factor);
                    value.constant.wrapping_add(factor)
                };
                let point: Vec<u64> = values.iter().map(one_more).collect();
                has_grown |= hull.add(&point);
            }
        }
        if has_grown {
            self.solve(cells);
        }
        has_grown
    }

    /// The equations of the hulls, solved.
    fn solve(&mut self, cells: &mut Cells<'_>) {
        self.equations.clear();
        let mut solved = FxHashMap::default();
        let mut of_reads = Vec::new();
        for (columns, hull) in &self.hulls {
            for equation in hull.equations() {
                let [(own, 1), others @ ..] = &equation.factors[..] else { unreachable!("it is solved for a column") };
                let own = columns[*own];
                let width = cells.pool.sort(own).width().expect("columns are words");
                let mut sum = cells.pool.bv(width, equation.sum);
                let mut is_about_cells = true;
                for (column, factor) in others {
                    is_about_cells &= cells.pool.as_var(columns[*column]).is_some();
                    let factor = cells.pool.bv(width, *factor);
                    let product = cells.pool.mul(factor, columns[*column]);
                    sum = cells.pool.sub(sum, product);
                }
                let formula = cells.pool.eq(own, sum);
                let solves = cells.pool.as_var(own).filter(|_| is_about_cells);
                match solves {
                    Some(var) => {
                        solved.insert(var, sum);
                    }
                    None => of_reads.push((own, sum, self.equations.len())),
                }
                self.equations.push(Equality { formula, solves });
            }
        }
        let mut plain = Forms::default();
        let solved = solved.into_iter().map(|(var, sum)| (var, plain.of(cells, sum))).collect();
        self.forms = Forms::new(solved);
        self.reads.clear();
        for (own, sum, index) in of_reads {
            let (own, sum) = (self.forms.of(cells, own), self.forms.of(cells, sum));
            // What is a sum itself by now has nothing to be replaced.
            let is_atom = |sum: &Linear| sum.summands == [(own, 1)];
            if linear(cells, own).is_some_and(|sum| is_atom(&sum))
                && let Some(sum) = linear(cells, sum)
            {
                self.reads.insert(own, (sum, index));
            }
        }
    }

    /// The formulas that a question about the node begins with, each with what it is the form of: claims that are not solved.
    pub(super) fn known(&mut self, cells: &mut Cells<'_>) -> Vec<(TermId, TermId)> {
        let mut seen = FxHashSet::default();
        let mut known = Vec::new();
        let unsolved = self.equations.iter().filter(|equation| equation.solves.is_none());
        let all: Vec<TermId> =
            unsolved.map(|equation| equation.formula).chain(self.candidates.iter().copied()).collect();
        for formula in all {
            let form = self.forms.of(cells, formula);
            if cells.pool.as_const(form).is_none() && seen.insert(form) {
                known.push((form, formula));
            }
        }
        known
    }

    /// Whether an equation holds by adding up what is known, and by which equations of reads.
    pub(super) fn adds_up(&self, cells: &Cells<'_>, formula: TermId) -> Option<Vec<usize>> {
        let logic::Node::App { op: logic::Op::Eq, args } = cells.pool.node(formula) else { return None };
        let [one, other] = args[..] else { return None };
        let mut sum = difference(cells, one, other)?;
        let used = self.replace_reads(&mut sum);
        (sum.summands.is_empty() && sum.constant == 0).then_some(used)
    }

    /// What equations say of reads, in forms.
    pub(super) fn read_equations(&self, cells: &mut Cells<'_>) -> Vec<(TermId, TermId)> {
        let mut all: Vec<(TermId, TermId)> =
            self.reads.iter().map(|(read, (sum, _))| (*read, sum.term(cells))).collect();
        all.sort_unstable();
        all
    }

    /// Puts what equations say of reads in the place of these; which equations.
    fn replace_reads(&self, sum: &mut Linear) -> Vec<usize> {
        let mut used = Vec::new();
        // Sums may bring in reads again, but not without end.
        for _ in 0..MAX_REPLACED {
            let rule = sum.summands.iter().find_map(|(term, factor)| Some((*term, *factor, self.reads.get(term)?)));
            let Some((term, factor, (rule, index))) = rule else { break };
            used.push(*index);
            sum.summands.retain(|(other, _)| *other != term);
            sum.add(rule, factor);
        }
        used
    }

    /// A state that a solver found for a question about forms, with the cells that they do without.
    pub(super) fn complete(&self, cells: &Cells<'_>, mut state: Assignment) -> Assignment {
        let values: Vec<_> =
            self.forms.solved.iter().map(|(var, form)| (*var, state.evaluate(&cells.pool, *form))).collect();
        values.into_iter().for_each(|(var, value)| state.set(var, value));
        state
    }
}
