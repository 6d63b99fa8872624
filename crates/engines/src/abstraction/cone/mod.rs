//! Which assignments of a step need not be evaluated?
//!
//! Known as: cone of influence reduction, on the fly (DCOI, Algorithm 2 of \[Telbisz25], \[Telbisz24] ch. 4); slicing. [`data_flow`] is the graph, this
//! its use.
//!
//! Those to cells that nobody observes from where the threads stand after the step: if something is known about
//! the cell it is forgotten, as by `havoc`, and if nothing is known there is nothing to do. The refiner sees the original steps. With the
//! static cone a cell counts as observed if it is from anywhere, whatever the precision.
//!
//! What was known before of cells that nobody observes any more is forgotten in the same step, with the predicates about them: they need not be
//! carried along, decided again after each condition, or told apart. A predicate ties its cells together, so it goes only if all of
//! them go. A variable of the thread that takes the step is also unobserved where the thread does not read it before writing it.
//!
//! What is left of a step depends on the edge and on what is observed afterwards, and is remembered for these. It looks at few cells, so where only
//! values are tracked it is remembered too what it makes of them.

pub mod data_flow;
pub mod flow;

use super::cells::{Cell, Cells};
use super::control::{Control, is_counted};
use super::state::{Live, Precision};
use super::symbolic::Summary;
use crate::clock::computed;
use crate::explore::actions::Actions;
use data_flow::{DataFlow, Observed};
use fixedbitset::FixedBitSet;
use flow::Symbol;
use ir::{EdgeRef, LocId, ProcId, Program, Span};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// How much is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    None,
    Static,
    Dynamic,
    Both,
}

impl Mode {
    /// Whether what nobody anywhere looks at is left out, and sliced away before.
    pub(crate) fn is_static(self) -> bool {
        matches!(self, Mode::Static | Mode::Both)
    }

    fn is_dynamic(self) -> bool {
        matches!(self, Mode::Dynamic | Mode::Both)
    }
}

/// A step, and where it leads.
pub(crate) struct Taken<'c> {
    pub(crate) thread: u32,
    pub(crate) edge: EdgeRef,
    pub(crate) after: &'c Control,
    /// What is observed afterwards, if it was asked for.
    pub(crate) view: std::cell::Cell<Option<Observed>>,
}

/// The values of some cells, where they are known.
pub(crate) type Inputs = SmallVec<[Option<TermId>; 6]>;

/// Values of cells, or nothing if there is no successor.
pub(crate) type Remembered = Option<Rc<[(VarId, TermId)]>>;

/// What is left of a step.
#[derive(Default)]
pub(crate) struct Simplified {
    /// The assignments as they were.
    of: Vec<(VarId, TermId)>,
    /// Cells that get new values, in terms of the values before.
    pub(crate) updates: Vec<(VarId, TermId)>,
    /// Cells whose values are not known afterwards, ascending.
    pub(crate) forgotten: Vec<VarId>,
    /// Predicates that are not known afterwards, by their numbers in the precision.
    pub(crate) dropped: FixedBitSet,
    /// Whether no variable of the thread is kept that is not read any more.
    pub(crate) is_trimmed: bool,
    /// The cells tracked by value that the conditions and the new values depend on, where these are the same in all states.
    pub(crate) inputs: Option<Vec<VarId>>,
    /// What the step makes of values of the inputs, if nothing else is known: the values afterwards, or nothing if it cannot be taken.
    pub(crate) outcomes: RefCell<FxHashMap<Inputs, Remembered>>,
    /// Assignments to what the program declares that became `havoc`.
    pub(crate) n_havoc: u64,
    /// Such assignments of which nothing is left.
    pub(crate) n_dropped: u64,
}

/// What nobody observes from somewhere.
#[derive(Default)]
struct Idle {
    /// Cells about which something may be known.
    unobserved: FxHashSet<VarId>,
    /// Of these, those that no predicate ties to others; ascending.
    cells: Vec<VarId>,
    /// The predicates about them, by their numbers in the precision.
    predicates: FixedBitSet,
}

/// So many different effects of one edge are remembered: what it does may depend on addresses, and on who is left behind among the counted.
const MANY_EFFECTS: usize = 4;

/// Simplifies steps.
pub(crate) struct ConeOfInfluence {
    mode: Mode,
    /// By the current places and precision.
    dynamic: DataFlow,
    /// From anywhere, whatever the precision.
    anywhere: Option<DataFlow>,
    from_anywhere: Observed,
    idle: FxHashMap<Observed, Rc<Idle>>,
    /// By the thread, the edge that it takes, and what is observed afterwards.
    known: FxHashMap<(u32, EdgeRef, Observed), Vec<Rc<Simplified>>>,
    /// Cells of each thread about which something may be known, and the predicates about each cell.
    own: FxHashMap<u32, Vec<VarId>>,
    about: FxHashMap<VarId, Vec<usize>>,
    /// By the place of a thread, and what is observed from where all of them stand, if that was asked.
    dropped: FxHashMap<(ProcId, LocId, Option<Observed>), Rc<FixedBitSet>>,
    /// Time computed, not passed: the graph, and walks on it.
    pub(crate) time: Duration,
}

impl ConeOfInfluence {
    pub(crate) fn new(program: &Program, mode: Mode) -> ConeOfInfluence {
        let started = computed();
        let mut dynamic = DataFlow::new(program);
        let from_anywhere = dynamic.view_from_anywhere();
        ConeOfInfluence {
            mode,
            anywhere: mode.is_static().then(|| dynamic.clone()),
            dynamic,
            from_anywhere,
            idle: FxHashMap::default(),
            known: FxHashMap::default(),
            own: FxHashMap::default(),
            about: FxHashMap::default(),
            dropped: FxHashMap::default(),
            time: computed().saturating_sub(started),
        }
    }

    /// A round with another precision begins.
    pub(crate) fn begin(&mut self, cells: &mut Cells<'_>, precision: &Precision) {
        if self.mode == Mode::None {
            return;
        }
        let started = computed();
        let mut symbols = Vec::new();
        for var in precision.vars() {
            match symbol(&self.dynamic, cells, var) {
                Some(symbol) => symbols.push(symbol),
                // It may be any of the memory.
                None => symbols.extend(self.dynamic.all_memory()),
            }
        }
        self.dynamic.begin(symbols.into_iter());
        self.idle.clear();
        self.known.clear();
        self.dropped.clear();
        self.own.clear();
        self.about.clear();
        for var in precision.vars() {
            if let Some(Cell::Own(thread, _)) = cells.cell(var) {
                self.own.entry(thread).or_default().push(var);
            }
        }
        for (number, predicate) in precision.predicates.iter().enumerate() {
            for var in cells.vars_in(*predicate).iter() {
                self.about.entry(*var).or_default().push(number);
            }
        }
        self.time += computed().saturating_sub(started);
    }

    /// What is left of a step that can be taken; `None` if that is all of it.
    pub(crate) fn simplify(
        &mut self,
        cells: &mut Cells<'_>,
        live: &Live,
        precision: &Precision,
        taken: &Taken<'_>,
        summary: &Summary,
    ) -> Option<Rc<Simplified>> {
        if self.mode == Mode::None {
            return None;
        }
        let started = computed();
        let simplified = self.look_up(cells, live, precision, taken, summary);
        self.time += computed().saturating_sub(started);
        Some(simplified)
    }

    fn look_up(
        &mut self,
        cells: &mut Cells<'_>,
        live: &Live,
        precision: &Precision,
        taken: &Taken<'_>,
        summary: &Summary,
    ) -> Rc<Simplified> {
        let view = taken.view.get().unwrap_or_else(|| self.view(taken.after));
        taken.view.set(Some(view));
        let key = (taken.thread, taken.edge, view);
        let mut known = self.known.get(&key).into_iter().flatten();
        if let Some(known) = known.find(|known| known.of == summary.updates) {
            return known.clone();
        }
        let idle = match self.idle.get(&view) {
            Some(idle) => idle.clone(),
            None => {
                let idle = Rc::new(self.idle(cells, precision, view));
                self.idle.insert(view, idle.clone());
                idle
            }
        };
        let mut dead = Vec::new();
        let is_trimmed = self.mode.is_dynamic() && summary.is_fixed && !taken.after.has_counted;
        if self.mode.is_dynamic() && !is_counted(taken.thread) {
            let own = self.own.get(&taken.thread).map_or(&[][..], Vec::as_slice);
            dead.extend(own.iter().copied().filter(|var| !live.is_live(cells, taken.after, *var)));
        }
        let mut simplified = self.simplified(cells, precision, summary, view, &idle, dead);
        simplified.of.extend(summary.updates.iter().copied());
        simplified.is_trimmed = is_trimmed;
        if is_trimmed {
            let terms = summary.guards.iter().chain(simplified.updates.iter().map(|(_, value)| value));
            let mut inputs: Vec<VarId> = terms.flat_map(|term| cells.vars_in(*term).to_vec()).collect();
            inputs.retain(|var| precision.cells.contains(var));
            inputs.sort_unstable();
            inputs.dedup();
            simplified.inputs = Some(inputs);
        }
        let simplified = Rc::new(simplified);
        let known = self.known.entry(key).or_default();
        if known.len() < MANY_EFFECTS {
            known.push(simplified.clone());
        }
        simplified
    }

    fn view(&mut self, after: &Control) -> Observed {
        if !self.mode.is_dynamic() {
            return self.from_anywhere;
        }
        let alive = after.alive().filter(|_| !after.has_ended).map(|thread| (after.at(thread), is_counted(thread)));
        self.dynamic.view(alive.map(|(at, is_many)| (at.proc, at.loc, is_many)))
    }

    fn simplified(
        &self,
        cells: &Cells<'_>,
        precision: &Precision,
        summary: &Summary,
        view: Observed,
        idle: &Idle,
        dead: Vec<VarId>,
    ) -> Simplified {
        let (dropped, forgotten) = (idle.predicates.clone(), idle.cells.clone());
        let mut result = Simplified { dropped, forgotten, ..Simplified::default() };
        for (var, value) in &summary.updates {
            if !precision.mentions(*var) {
                result.n_dropped += u64::from(is_declared(cells, *var) && !self.is_observed(cells, view, *var));
            } else if idle.unobserved.contains(var) || dead.contains(var) {
                result.n_havoc += u64::from(is_declared(cells, *var));
                result.forgotten.push(*var);
                result.dropped.extend(self.about.get(var).into_iter().flatten().copied());
            } else {
                result.updates.push((*var, *value));
            }
        }
        for var in dead {
            // It will be trimmed with all that is said about it.
            result.forgotten.push(var);
            result.dropped.extend(self.about.get(&var).into_iter().flatten().copied());
        }
        result.forgotten.sort_unstable();
        result.forgotten.dedup();
        result
    }

    /// Whether somebody may look at a cell.
    fn is_observed(&self, cells: &Cells<'_>, view: Observed, var: VarId) -> bool {
        let Some(symbol) = symbol(&self.dynamic, cells, var) else { return true };
        self.anywhere.as_ref().is_none_or(|anywhere| anywhere.is_observed(self.from_anywhere, symbol))
            && (!self.mode.is_dynamic() || self.dynamic.is_observed(view, symbol))
    }

    fn idle(&self, cells: &mut Cells<'_>, precision: &Precision, view: Observed) -> Idle {
        let unobserved: FxHashSet<VarId> =
            precision.vars().filter(|var| !self.is_observed(cells, view, *var)).collect();
        let mut predicates = FixedBitSet::with_capacity(precision.predicates.len());
        if unobserved.is_empty() {
            return Idle { unobserved, cells: Vec::new(), predicates };
        }
        let mut idle = unobserved.clone();
        loop {
            let before = idle.len();
            for predicate in &precision.predicates {
                let vars = cells.vars_in(*predicate);
                if !vars.iter().all(|var| idle.contains(var)) {
                    vars.iter().for_each(|var| _ = idle.remove(var));
                }
            }
            if idle.len() == before {
                break;
            }
        }
        for (number, predicate) in precision.predicates.iter().enumerate() {
            predicates.set(number, cells.vars_in(*predicate).iter().all(|var| idle.contains(var)));
        }
        let mut cells: Vec<VarId> = idle.into_iter().collect();
        cells.sort_unstable();
        Idle { unobserved, cells, predicates }
    }

    /// Targets that the next steps of a thread touch only for values that do not matter: those of cells about which nothing is known, and, seen from where the threads stand if
    /// that is given, those that nobody observes.
    pub(crate) fn dropped_targets(
        &mut self,
        actions: &Actions,
        (proc, loc): (ProcId, LocId),
        from: Option<&Control>,
    ) -> Option<Rc<FixedBitSet>> {
        if !self.mode.is_dynamic() {
            return None;
        }
        let started = computed();
        let view = from.map(|control| self.view(control));
        let dropped = match self.dropped.get(&(proc, loc, view)) {
            Some(known) => known.clone(),
            None => {
                let dropped = Rc::new(self.dropped(actions, (proc, loc), view));
                self.dropped.insert((proc, loc, view), dropped.clone());
                dropped
            }
        };
        self.time += computed().saturating_sub(started);
        Some(dropped)
    }

    fn dropped(&self, actions: &Actions, (proc, loc): (ProcId, LocId), view: Option<Observed>) -> FixedBitSet {
        let dynamic = &self.dynamic;
        let matters = |symbol: Symbol| match view {
            Some(view) => dynamic.is_observed(view, symbol),
            None => dynamic.is_tracked(symbol),
        };
        let mut kept: FxHashSet<Symbol> = FxHashSet::default();
        let mut touched: FxHashSet<Symbol> = FxHashSet::default();
        for edge in &actions.next(proc, loc).edges {
            let flow = dynamic.flow(proc, *edge);
            kept.extend(flow.observed.iter().copied());
            for (to, from) in &flow.into {
                let of_it = from.iter().chain([to]).copied();
                if matters(*to) { kept.extend(of_it) } else { touched.extend(of_it) }
            }
        }
        let can_go = touched.difference(&kept).filter_map(|symbol| match symbol {
            Symbol::Var(var) => actions.targets.of_var(*var),
            Symbol::Memory(_) | Symbol::Results => None,
        });
        let mut dropped = FixedBitSet::with_capacity(actions.targets.len());
        dropped.extend(can_go.map(|target| target as usize));
        dropped
    }
}

/// Whether a cell is something that the program declares, and not a temporary of ours.
pub(crate) fn is_declared(cells: &Cells<'_>, var: VarId) -> bool {
    match cells.cell(var) {
        Some(Cell::Global(var) | Cell::Own(_, var)) => {
            let variable = cells.program.var(var);
            !variable.is_temporary || variable.span != Span::NOWHERE
        }
        Some(Cell::Bytes(..)) => true,
        Some(Cell::Result(_)) | None => false,
    }
}

/// The symbol of a cell, if it is known which it is.
fn symbol(flow: &DataFlow, cells: &Cells<'_>, var: VarId) -> Option<Symbol> {
    Some(match cells.cell(var)? {
        Cell::Global(var) | Cell::Own(_, var) => Symbol::Var(var),
        Cell::Bytes(..) => flow.memory(cells.region(var))?,
        Cell::Result(_) => Symbol::Results,
    })
}
