//! What shall be tracked from now on? A spurious path comes with an explanation, of which as little as possible is added.
//!
//! Known as: precision refinement \[Clarke03] \[Beyer13], predicate discovery from interpolants \[Henzinger04].
//!
//! Tracking values is cheap, so with both kinds at hand the cells of an explanation are tracked by value until they take many values, or
//! until their values do not help; then predicates take over for them. Predicates are the atoms of the interpolants, or, if these were
//! all known already, the interpolants as a whole, which rule the path out even where each atom by itself does not. What is
//! left when nothing helps are the values of all cells that the contradiction is about.
//!
//! Invariant: `refine` answers false only if the precision is what it was.

use crate::abstraction::cells::{Cell, Cells};
use crate::abstraction::interpolants::{Technique, atoms};
use crate::abstraction::refine::Explanation;
use crate::abstraction::state::{Places, Precision};
use crate::cegar::world::World;
use ir::pass::reverse_post_order;
use ir::{Callee, Op, ProcId, Program, Scope};
use logic::{Node, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Direction;

/// What is tracked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tracking {
    /// Values of cells.
    Values,
    /// Predicates.
    Predicates,
    /// Values where they are few, and predicates.
    Both,
}

/// How interpolants become predicates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Split {
    Atoms,
    Conjuncts,
    Whole,
}

/// The precision and how it grows.
pub(crate) struct Refinement {
    pub(crate) precision: Precision,
    tracking: Tracking,
    split: Split,
    init: String,
    /// Cells that have taken many values.
    many: FxHashSet<VarId>,
}

/// How interpolants are found.
pub(crate) fn technique(knob: &str) -> Option<Technique> {
    Some(match knob {
        "bin-backward" => Technique::Binary(Direction::Backward),
        "bin-forward" => Technique::Binary(Direction::Forward),
        "newton-backward" => Technique::Newton(Direction::Backward),
        "newton-forward" => Technique::Newton(Direction::Forward),
        "horn" => Technique::Horn,
        "core" => return None,
        "seq" => Technique::Sequence,
        other => unreachable!("{other} is not declared"),
    })
}

impl Refinement {
    pub(crate) fn new(tracking: Tracking, split: &str, init: &str, is_local: bool) -> Refinement {
        let split = match split {
            "conjuncts" => Split::Conjuncts,
            "whole" => Split::Whole,
            "atoms" => Split::Atoms,
            other => unreachable!("{other} is not declared"),
        };
        let mut precision = Precision::default();
        precision.is_local = is_local;
        Refinement { precision, tracking, split, init: init.to_string(), many: FxHashSet::default() }
    }

    /// What is tracked at first.
    pub(crate) fn begin(&mut self, world: &mut World<'_>) {
        let program = world.cells.program;
        match self.init.as_str() {
            "vars" => {
                for index in 0..program.vars.len() as u32 {
                    let var = VarId(index);
                    if program.var(var).scope == Scope::Global && program.pool.var_sort(var).scalar().is_some() {
                        let cell = world.cells.var(Cell::Global(var));
                        self.precision.track(cell);
                    }
                }
            }
            "branches" => self.add_branches(world),
            "empty" => {}
            other => unreachable!("{other} is not declared"),
        }
    }

    /// Conditions of all branches, checks and waits, for each thread that runs them: `allassumes` of \[Telbisz24]. Threads are numbered as main starts them, along the way that passes every
    /// start; where it goes another way, or others start threads, conditions about variables of a thread are tracked for other threads than they are about, which is of no use and does no harm.
    fn add_branches(&mut self, world: &mut World<'_>) {
        let program = world.cells.program;
        let mut threads: Vec<(Option<u32>, ProcId)> = vec![(Some(0), program.main)];
        let started = started_by_main(program);
        threads.extend((1..).zip(&started).map(|(thread, proc)| (Some(thread), *proc)));
        let others =
            (0..program.procs.len() as u32).map(ProcId).filter(|proc| *proc != program.main && !started.contains(proc));
        threads.extend(others.map(|proc| (None, proc)));
        for (thread, proc) in threads {
            for edge in &program.proc(proc).edges {
                self.add_conditions(world, thread, edge);
            }
        }
    }

    /// The conditions on an edge of a thread; without variables of its own if it is not known which one it is.
    fn add_conditions(&mut self, world: &mut World<'_>, thread: Option<u32>, edge: &ir::Edge) {
        // What a variable holds in terms of globals, along the edge.
        let mut holds: FxHashMap<VarId, TermId> = FxHashMap::default();
        for stmt in &edge.stmts {
            let mut conditions: Vec<TermId> = Vec::new();
            match &stmt.op {
                Op::Load { dst, place: ir::Place::Var(var), .. } => {
                    let cell = world.cells.var(Cell::Global(*var));
                    holds.insert(*dst, world.cells.pool.var(cell));
                }
                Op::Rmw { dst, place: ir::Place::Var(var), wait, .. } => {
                    let cell = world.cells.var(Cell::Global(*var));
                    holds.insert(*dst, world.cells.pool.var(cell));
                    conditions.extend(wait);
                }
                Op::Assign { var, value } => {
                    let value = world.cells.pool.substitute(*value, &|var| holds.get(&var).copied());
                    holds.insert(*var, value);
                }
                Op::Assume(cond) | Op::Check { cond, .. } => conditions.push(*cond),
                Op::Rmw { dst, wait, .. } => {
                    holds.remove(dst);
                    conditions.extend(wait);
                }
                // What it holds is not known in terms of globals, and not what it held before.
                Op::Load { dst, .. } | Op::Havoc { var: dst, .. } => drop(holds.remove(dst)),
                _ => {}
            }
            for cond in conditions {
                let cond = world.cells.pool.substitute(cond, &|var| holds.get(&var).copied());
                self.add_branch(world, thread, cond);
            }
        }
    }

    fn add_branch(&mut self, world: &mut World<'_>, thread: Option<u32>, cond: TermId) {
        let program = world.cells.program;
        let vars = world.cells.vars_in(cond);
        let is_own = |var: &VarId| var.index() < program.vars.len() && program.var(*var).scope != Scope::Global;
        let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
        for var in vars.iter().filter(|var| is_own(var)) {
            let Some(thread) = thread else { return };
            let cell = world.cells.var(Cell::Own(thread, *var));
            map.insert(*var, world.cells.pool.var(cell));
        }
        let cond = world.cells.pool.substitute(cond, &|var| map.get(&var).copied());
        for atom in atoms(&world.cells, cond) {
            self.precision.add(&mut world.cells, atom);
        }
    }

    /// A cell takes many values: predicates describe it from now on.
    pub(crate) fn give_up_values(&mut self, cells: &mut Cells<'_>, var: VarId) {
        self.many.insert(var);
        self.precision.untrack(cells, var);
    }

    /// Tracks more, so that the path is ruled out. False if there is nothing more. `places` says where all threads stand after each number of steps; with a
    /// precision for each location, that is where the interpolants are tracked.
    pub(crate) fn refine(&mut self, world: &mut World<'_>, explanation: &Explanation, places: &[Places]) -> bool {
        let mut mentioned: Vec<VarId> = Vec::new();
        for (_, interpolant) in &explanation.interpolants {
            mentioned.extend(world.cells.vars_in(*interpolant).iter().copied());
        }
        mentioned.sort_unstable();
        mentioned.dedup();
        let is_new = match self.tracking {
            Tracking::Values => self.track(&mentioned) || self.track(&explanation.cells),
            Tracking::Predicates => self.add(world, explanation, places, &|_| true) || self.track(&explanation.cells),
            Tracking::Both => {
                let few: Vec<VarId> = mentioned.iter().copied().filter(|var| !self.many.contains(var)).collect();
                let many = self.many.clone();
                let by_value = self.track(&few);
                let about_many = |vars: &[VarId]| vars.iter().any(|var| many.contains(var));
                let by_predicate = self.add(world, explanation, places, &about_many);
                by_value
                    || by_predicate
                    || self.add(world, explanation, places, &|_| true)
                    || self.track(&explanation.cells)
            }
        };
        // Where an address is not known, nothing is known of what is written there, whatever else is tracked.
        is_new || self.track(&explanation.addresses)
    }

    fn track(&mut self, vars: &[VarId]) -> bool {
        let mut is_new = false;
        for var in vars.iter().filter(|var| !self.many.contains(var)) {
            is_new |= self.precision.track(*var);
        }
        is_new
    }

    /// Adds predicates whose variables are wanted.
    fn add(
        &mut self,
        world: &mut World<'_>,
        explanation: &Explanation,
        places: &[Places],
        wanted: &dyn Fn(&[VarId]) -> bool,
    ) -> bool {
        for split in [self.split, Split::Whole] {
            let mut is_new = false;
            for (moment, interpolant) in &explanation.interpolants {
                let parts = match split {
                    Split::Atoms => atoms(&world.cells, *interpolant),
                    Split::Conjuncts => conjuncts(&world.cells, *interpolant),
                    Split::Whole => vec![*interpolant],
                };
                for part in parts {
                    let vars = world.cells.vars_in(part);
                    if wanted(&vars) {
                        is_new |= self.precision.add(&mut world.cells, part);
                        // Steps that do not matter lie between this interpolant and the next.
                        let moments = explanation.interpolants.iter().map(|(other, _)| *other);
                        let until = moments.filter(|other| other > moment).min().unwrap_or(places.len());
                        for places in places.iter().take(until).skip(*moment) {
                            is_new |= self.precision.add_at(&world.cells, part, places);
                        }
                    }
                }
            }
            if is_new {
                return true;
            }
        }
        false
    }
}

/// The procedures that main starts, in the order of its way through all of them.
fn started_by_main(program: &Program) -> Vec<ProcId> {
    let main = program.proc(program.main);
    let mut started = Vec::new();
    for loc in reverse_post_order(main, &main.out_edges()) {
        for edge in main.edges.iter().filter(|edge| edge.from == loc) {
            started.extend(edge.stmts.iter().filter_map(|stmt| match stmt.op {
                Op::Start { callee: Callee::Proc(proc), .. } => Some(proc),
                _ => None,
            }));
        }
    }
    started
}

fn conjuncts(cells: &Cells<'_>, formula: TermId) -> Vec<TermId> {
    match cells.pool.node(formula) {
        Node::App { op: logic::Op::And, args } => args.to_vec(),
        _ => vec![formula],
    }
}
