//! Which assignments of a step need not be evaluated?
//!
//! Those to cells that nobody observes from where the threads stand after the step (Algorithm 2 of 000 ch. 4): if something is known about
//! the cell it is forgotten, as by `havoc`, and if nothing is known there is nothing to do. The refiner sees the original steps. With the
//! static cone a cell counts as observed if it is from anywhere, whatever the precision.

use crate::abstraction::cells::{Cell, Cells};
use crate::abstraction::control::Control;
use crate::abstraction::state::Precision;
use crate::abstraction::symbolic::Summary;
use crate::explore::actions::Actions;
use crate::explore::cone::{DataFlow, Symbol};
use fixedbitset::FixedBitSet;
use ir::Program;
use logic::VarId;
use rustc_hash::FxHashSet;
use std::cell::RefCell;

/// How much is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    None,
    Static,
    Dynamic,
    Both,
}

/// What nobody observes of a step.
#[derive(Default)]
pub(crate) struct Unobserved {
    /// Cells that are forgotten.
    pub(crate) cells: Vec<VarId>,
    pub(crate) n_havoc: u64,
    pub(crate) n_dropped: u64,
}

/// Simplifies steps.
pub(crate) struct Cone {
    mode: Mode,
    /// By the current places and precision.
    dynamic: RefCell<DataFlow>,
    /// From anywhere, whatever the precision.
    anywhere: RefCell<DataFlow>,
}

impl Cone {
    pub(crate) fn new(program: &Program, mode: Mode) -> Cone {
        Cone { mode, dynamic: RefCell::new(DataFlow::new(program)), anywhere: RefCell::new(DataFlow::new(program)) }
    }

    /// A round with another precision begins.
    pub(crate) fn begin(&mut self, cells: &Cells<'_>, precision: &Precision) {
        let tracked: FxHashSet<Symbol> = precision.vars().filter_map(|var| symbol(cells, var)).collect();
        self.dynamic.get_mut().begin(Some(tracked));
    }

    /// What nobody observes of a step, given where threads stand after it.
    pub(crate) fn unobserved(
        &self,
        cells: &Cells<'_>,
        precision: &Precision,
        after: &Control,
        summary: &Summary,
    ) -> Unobserved {
        let mut result = Unobserved::default();
        if self.mode == Mode::None {
            return result;
        }
        let mut anywhere = self.anywhere.borrow_mut();
        let everywhere = anywhere.everywhere();
        let mut dynamic = self.dynamic.borrow_mut();
        let places = places(&dynamic, after);
        for (var, _) in &summary.updates {
            let Some(symbol) = symbol(cells, *var) else { continue };
            let (by_static, by_dynamic) = match self.mode {
                Mode::None => (false, false),
                Mode::Static => (true, false),
                Mode::Dynamic => (false, true),
                Mode::Both => (true, true),
            };
            let is_unobserved = by_static && !anywhere.is_observed(&everywhere, symbol)
                || by_dynamic && !dynamic.is_observed(&places, symbol);
            if !is_unobserved {
                continue;
            }
            if precision.mentions(*var) {
                result.n_havoc += 1;
                result.cells.push(*var);
            } else {
                result.n_dropped += 1;
            }
        }
        result
    }

    /// Targets that the next steps of a thread touch only for values that nobody observes, and about which nothing is known.
    pub(crate) fn dropped_targets(&self, actions: &Actions, control: &Control, thread: u32) -> Option<FixedBitSet> {
        if !matches!(self.mode, Mode::Dynamic | Mode::Both) {
            return None;
        }
        let at = control.at(thread);
        let dynamic = self.dynamic.borrow();
        let mut kept: FxHashSet<VarId> = FxHashSet::default();
        let mut touched: FxHashSet<VarId> = FxHashSet::default();
        let edges = &actions.next(at.proc, at.loc).edges;
        for edge in edges {
            let flow = dynamic.flow(at.proc, *edge);
            let in_conditions = flow.observed.iter().copied();
            let in_values = flow.into.iter().flat_map(|(to, from)| {
                let matters = dynamic.is_tracked(*to);
                from.iter().copied().filter(move |_| matters).chain(matters.then_some(*to))
            });
            for symbol in in_conditions.chain(in_values) {
                if let Symbol::Var(var) = symbol {
                    kept.insert(var);
                }
            }
            for (to, from) in &flow.into {
                for symbol in from.iter().chain([to]) {
                    if let Symbol::Var(var) = symbol {
                        touched.insert(*var);
                    }
                }
            }
        }
        let mut dropped = FixedBitSet::with_capacity(actions.targets.len());
        let can_go = touched.iter().filter(|var| !kept.contains(var) && !dynamic.is_tracked(Symbol::Var(**var)));
        dropped.extend(can_go.filter_map(|var| actions.targets.of_var(*var)).map(|target| target as usize));
        Some(dropped)
    }
}

fn places(flow: &DataFlow, control: &Control) -> FixedBitSet {
    let alive = control.alive().filter(|_| !control.has_ended).map(|thread| control.at(thread));
    flow.places(alive.map(|at| (at.proc, at.loc)))
}

fn symbol(cells: &Cells<'_>, var: VarId) -> Option<Symbol> {
    Some(match cells.cell(var)? {
        Cell::Global(var) | Cell::Own(_, var) => Symbol::Var(var),
        Cell::Bytes(..) => Symbol::Memory,
        Cell::Result(_) => Symbol::Results,
    })
}
