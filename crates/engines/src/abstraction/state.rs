//! What does an abstraction know about data? Exact values of some cells, and the truth of some predicates.
//!
//! Known as: abstract states (cubes over predicates) and precisions, global or local to locations \[Beyer13].
//!
//! A state is a list of cells with their values and a set of cubes, each a list of predicates that hold or do not. A cell or predicate that is not
//! listed may have any value. Cartesian abstraction has one cube; Boolean abstraction has several, one of which holds.
//!
//! Precision says which cells and predicates may be listed at all.

use super::cells::{Cell, Cells};
use super::control::{Control, is_counted};
use ir::Program;
use ir::pass::Liveness;
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Predicates, by their number in the precision, and whether they hold; ascending.
pub type Cube = Vec<(u32, bool)>;

/// What is known in a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Abstract {
    /// Cells with their values, ascending.
    pub values: Vec<(VarId, TermId)>,
    /// One of these holds.
    pub cubes: Vec<Cube>,
}

/// Where all threads stand: procedure and location of each.
pub type Places = Vec<(ir::ProcId, ir::LocId)>;

/// What may be known.
#[derive(Clone, Debug, Default)]
pub struct Precision {
    /// Whether predicates are tracked only where they were found to be needed.
    pub is_local: bool,
    /// Where predicates are tracked, if they are not everywhere.
    where_needed: FxHashMap<u32, FxHashSet<Places>>,
    /// Cells whose values are tracked.
    pub cells: FxHashSet<VarId>,
    /// The predicates.
    pub predicates: Vec<TermId>,
    number_of: FxHashMap<TermId, u32>,
    /// Everything that is mentioned.
    vars: FxHashSet<VarId>,
}

/// Where all threads stand.
pub fn places(control: &Control) -> Places {
    control.alive().map(|thread| control.at(thread)).map(|at| (at.proc, at.loc)).collect()
}

impl Precision {
    /// Tracks a cell; false if it was tracked before.
    pub fn track(&mut self, var: VarId) -> bool {
        self.vars.insert(var);
        self.cells.insert(var)
    }

    /// Does not track the value of a cell any more.
    pub fn untrack(&mut self, cells: &mut Cells<'_>, var: VarId) {
        self.cells.remove(&var);
        self.vars = self.cells.clone();
        for predicate in &self.predicates {
            self.vars.extend(cells.vars_in(*predicate).iter().copied());
        }
    }

    /// Tracks no predicate any more.
    pub fn forget_predicates(&mut self) {
        self.predicates.clear();
        self.number_of.clear();
        self.where_needed.clear();
        self.vars = self.cells.clone();
    }

    /// Tracks a predicate; false if it, or its negation, was tracked before.
    pub fn add(&mut self, cells: &mut Cells<'_>, predicate: TermId) -> bool {
        if cells.pool.as_const(predicate).is_some() {
            return false;
        }
        let positive = match cells.pool.node(predicate) {
            logic::Node::App { op: logic::Op::Not, args } => args[0],
            _ => predicate,
        };
        if self.number_of.contains_key(&positive) {
            return false;
        }
        self.vars.extend(cells.vars_in(positive).iter().copied());
        self.number_of.insert(positive, self.predicates.len() as u32);
        self.predicates.push(positive);
        true
    }

    /// Tracks a predicate where threads stand, besides where it is tracked already; false if that is nothing new.
    pub fn add_at(&mut self, cells: &Cells<'_>, predicate: TermId, places: &Places) -> bool {
        let positive = match cells.pool.node(predicate) {
            logic::Node::App { op: logic::Op::Not, args } => args[0],
            _ => predicate,
        };
        match self.number_of.get(&positive) {
            Some(number) if self.is_local => self.where_needed.entry(*number).or_default().insert(places.clone()),
            _ => false,
        }
    }

    /// Forgets predicates where they are not tracked.
    pub fn trim(&self, control: &Control, state: &mut Abstract) {
        if !self.is_local || self.where_needed.is_empty() {
            return;
        }
        let places = places(control);
        let is_tracked = |number: &u32| self.where_needed.get(number).is_none_or(|all| all.contains(&places));
        for cube in &mut state.cubes {
            cube.retain(|(number, _)| is_tracked(number));
        }
        state.cubes.sort_unstable();
        state.cubes.dedup();
    }

    /// Whether something is known about a cell.
    pub fn mentions(&self, var: VarId) -> bool {
        self.vars.contains(&var)
    }

    /// All cells about which something may be known.
    pub fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.vars.iter().copied()
    }

    /// How many cells and predicates there are.
    pub fn len(&self) -> usize {
        self.cells.len() + self.predicates.len()
    }

    /// Whether nothing is tracked.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Abstract {
    /// The value of a cell, if it is known.
    pub fn value(&self, var: VarId) -> Option<TermId> {
        self.values.binary_search_by_key(&var, |(var, _)| *var).ok().map(|index| self.values[index].1)
    }

    /// The term with the known values put in.
    pub fn bind(&self, cells: &mut Cells<'_>, term: TermId) -> TermId {
        if self.values.is_empty() || cells.pool.as_const(term).is_some() {
            return term;
        }
        let vars = cells.vars_in(term);
        if !vars.iter().any(|var| self.value(*var).is_some()) {
            return term;
        }
        cells.pool.substitute(term, &|var| self.value(var))
    }

    /// The formulas that hold in a cube, with the known values put in.
    pub fn context(&self, cells: &mut Cells<'_>, precision: &Precision, cube: &Cube) -> Vec<TermId> {
        let mut context = Vec::with_capacity(cube.len());
        for (number, holds) in cube {
            let predicate = precision.predicates[*number as usize];
            let literal = if *holds { predicate } else { cells.pool.not(predicate) };
            let bound = self.bind(cells, literal);
            if cells.pool.as_const(bound).is_none() {
                context.push(bound);
            }
        }
        context
    }

    /// The whole state as a formula.
    pub fn formula(&self, cells: &mut Cells<'_>, precision: &Precision) -> TermId {
        let mut all = Vec::new();
        for (var, value) in &self.values {
            let var = cells.pool.var(*var);
            all.push(cells.pool.eq(var, *value));
        }
        let mut cases = Vec::new();
        for cube in &self.cubes {
            let mut literals = Vec::new();
            for (number, holds) in cube {
                let predicate = precision.predicates[*number as usize];
                literals.push(if *holds { predicate } else { cells.pool.not(predicate) });
            }
            cases.push(cells.pool.and_all(&literals));
        }
        all.push(cells.pool.or_all(&cases));
        cells.pool.and_all(&all)
    }

    /// Whether it is seen without a solver that everything in `self` is in `other`.
    pub fn is_within(&self, other: &Abstract) -> bool {
        let has_value = |(var, value): &(VarId, TermId)| self.value(*var) == Some(*value);
        let implies = |cube: &Cube, weaker: &Cube| weaker.iter().all(|literal| cube.binary_search(literal).is_ok());
        other.values.iter().all(has_value)
            && self.cubes.iter().all(|cube| other.cubes.iter().any(|weaker| implies(cube, weaker)))
    }
}

/// Which variables of a thread matter where it stands.
pub struct Live {
    by_proc: Vec<Liveness>,
}

impl Live {
    /// Analyses a program whose procedures are threads.
    pub fn new(program: &Program) -> Live {
        Live { by_proc: program.procs.iter().map(|proc| Liveness::new(program, proc, true)).collect() }
    }

    /// Whether the cell may still be read.
    pub fn is_live(&self, cells: &Cells<'_>, control: &Control, var: VarId) -> bool {
        match cells.cell(var) {
            Some(Cell::Own(place, own)) if is_counted(place) => {
                let at = control.at(place);
                control.at_place(place).is_some() && self.by_proc[at.proc.index()].is_live(at.loc, own)
            }
            Some(Cell::Own(thread, own)) => match control.threads.get(thread as usize) {
                Some(at) => !at.has_ended && self.by_proc[at.proc.index()].is_live(at.loc, own),
                None => true,
            },
            _ => true,
        }
    }

    /// Forgets what does not matter any more.
    pub fn trim(&self, cells: &mut Cells<'_>, precision: &Precision, control: &Control, state: &mut Abstract) {
        state.values.retain(|(var, _)| self.is_live(cells, control, *var));
        let mut dead: FxHashMap<u32, bool> = FxHashMap::default();
        for cube in &mut state.cubes {
            cube.retain(|(number, _)| {
                !*dead.entry(*number).or_insert_with(|| {
                    let vars = cells.vars_in(precision.predicates[*number as usize]);
                    vars.iter().any(|var| !self.is_live(cells, control, *var))
                })
            });
        }
        state.cubes.sort_unstable();
        state.cubes.dedup();
    }
}
