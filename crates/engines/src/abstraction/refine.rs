//! Can a path of the abstraction really be taken, and if not, what should have been known?
//!
//! Known as: feasibility check of a counterexample, path formula (SSA), interpolation-based refinement \[McMillan06] \[Henzinger04].
//!
//! The path is run with the original statements, on terms over the inputs alone; the conjunction of its conditions is decided exactly.
//! If it has a solution, that is the trace. If not, the conditions that contradict each other are the path's core; the
//! path is written down again step by step, with only what the core needs, and interpolants between the steps say what
//! to track. Addresses are resolved to values here: a path on which an address has several values is split, and each part
//! refined for itself.
//!
//! Invariant: `Feasible` comes with inputs under which the interpreter takes the path; `Spurious` only if there are none.

use super::cells::{Cell, Cells};
use super::control::Control;
use super::entailment::Entailment;
use super::interpolants::{Technique, interpolants};
use super::symbolic::{self, BadKind, Summary};
use super::unsat_core::{Reason, in_own_words, reason};
use super::waiting;
use ir::{EdgeRef, Properties, SiteId};
use logic::{Node, Op, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Backend, Limits, Solver};

/// A path that the abstraction has found, up to something bad in its last step.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The steps.
    pub steps: Vec<(u32, EdgeRef)>,
    /// The statement of the last step that goes wrong.
    pub stmt: usize,
    /// What goes wrong there.
    pub kind: BadKind,
    /// What else is asked for, before a step.
    pub holds: Option<Box<(usize, TermId)>>,
}

/// What is true of a path.
#[derive(Debug)]
pub enum Feasibility {
    /// It can be taken, with these inputs for each step.
    Feasible(Vec<Vec<(SiteId, Value)>>),
    /// It cannot; this explains why.
    Spurious(Explanation),
    /// A value that has to be known takes too many values, or the solver gave up.
    Unknown(String),
    /// Out of time, memory or patience.
    Stopped(smt::Why),
}

/// Why a path cannot be taken.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// Formulas over cells that hold between steps, with the number of steps before.
    pub interpolants: Vec<(usize, TermId)>,
    /// All cells that the contradiction is about.
    pub cells: Vec<VarId>,
    /// Cells that have to be known for addresses on the way, without which it is not known what is read and written.
    pub addresses: Vec<VarId>,
}

/// How paths are refined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refiner {
    /// How interpolants are found; not at all if only cells are wanted.
    pub technique: Option<Technique>,
    /// Whether interpolants are told with variables of threads where that says the same.
    pub in_own_words: bool,
}

/// Values of an address that are tried.
const MAX_VALUES: usize = 8;
/// Ways through a path that differ in addresses.
const MAX_WAYS: usize = 64;

/// One step of the path, as terms over the cells before it.
pub(super) struct Stage {
    pub(super) summary: Summary,
    /// All conditions, of others' waiting too; for the last step what makes it go wrong.
    pub(super) conds: Vec<TermId>,
    pub(super) control: Control,
}

pub(super) struct Way {
    pub(super) stages: Vec<Stage>,
    /// For each condition its step, its number there, and what it says of the inputs.
    conds: Vec<(usize, usize, TermId)>,
    /// Values of inputs: step, statement, value in terms of the inputs.
    inputs: Vec<(usize, SiteId, TermId)>,
    /// The value that could not be told, in terms of the cells before the last step.
    unresolved: Option<TermId>,
}

impl Refiner {
    /// Decides a path.
    pub fn decide(
        &self,
        cells: &mut Cells<'_>,
        entailment: &mut Entailment,
        properties: Properties,
        attempt: &Attempt,
    ) -> Feasibility {
        let mut choices: Vec<(Vec<u64>, usize)> = Vec::new();
        let mut explanation = Explanation::default();
        for _ in 0..MAX_WAYS {
            let way = match follow(cells, entailment, properties, attempt, &mut choices) {
                Ok(way) => way,
                Err(Halt::Many) => return Feasibility::Unknown("an address has too many values on a path".to_string()),
                Err(Halt::Stopped(why)) => return Feasibility::Stopped(why),
            };
            match self.decide_way(cells, entailment, &way) {
                Feasibility::Spurious(found) => {
                    explanation.interpolants.extend(found.interpolants);
                    explanation.cells.extend(found.cells);
                    explanation.addresses.extend(found.addresses);
                }
                other => return other,
            }
            // The next way: the last choice that has another value.
            loop {
                match choices.last_mut() {
                    None => return Feasibility::Spurious(explanation),
                    Some((values, index)) if *index + 1 < values.len() => {
                        *index += 1;
                        break;
                    }
                    Some(_) => drop(choices.pop()),
                }
            }
        }
        Feasibility::Unknown("addresses differ in too many ways on a path".to_string())
    }

    fn decide_way(&self, cells: &mut Cells<'_>, entailment: &mut Entailment, way: &Way) -> Feasibility {
        let limits = entailment.limits().clone();
        let conds: Vec<TermId> = way.conds.iter().map(|(_, _, cond)| *cond).collect();
        let answer = check(cells, &conds, &limits);
        match answer {
            Answer::Sat(assignment) => {
                if let Some(term) = way.unresolved {
                    return Feasibility::Spurious(explain_value(cells, way, term));
                }
                let mut inputs = vec![Vec::new(); way.stages.len()];
                for (step, site, term) in &way.inputs {
                    inputs[*step].push((*site, assignment.evaluate(&cells.pool, *term)));
                }
                return Feasibility::Feasible(inputs);
            }
            Answer::Unknown(smt::Why::Incomplete(why)) => return Feasibility::Unknown(why),
            Answer::Unknown(why) => return Feasibility::Stopped(why),
            Answer::Unsat(_) => {}
        }
        let reason = reason(cells, way, &limits);
        let (formulas, cells_needed) = unfold(cells, way, &reason);
        let addresses = addresses(cells, way, &reason);
        let mut explanation = Explanation { interpolants: Vec::new(), cells: cells_needed, addresses };
        if let Some(technique) = self.technique
            && formulas.len() > 1
        {
            let path: Vec<TermId> = formulas.iter().map(|(_, formula)| *formula).collect();
            match interpolants(cells, &path, technique, &limits) {
                Ok(found) => {
                    for (cut, term) in found {
                        if let Some(term) = fold_back(cells, term) {
                            explanation.interpolants.push((formulas[cut].0, term));
                        }
                    }
                }
                Err(why) => return Feasibility::Stopped(why),
            }
        }
        if self.in_own_words {
            explanation.interpolants = in_own_words(cells, way, &explanation.interpolants);
        }
        Feasibility::Spurious(explanation)
    }
}

enum Halt {
    Many,
    Stopped(smt::Why),
}

/// Runs the path on terms over inputs. Choices of addresses are taken as given, and new ones appended.
fn follow(
    cells: &mut Cells<'_>,
    entailment: &mut Entailment,
    properties: Properties,
    attempt: &Attempt,
    choices: &mut Vec<(Vec<u64>, usize)>,
) -> Result<Way, Halt> {
    let program = cells.program;
    let mut control = Control::initial(program);
    let mut values: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut way = Way { stages: Vec::new(), conds: Vec::new(), inputs: Vec::new(), unresolved: None };
    let mut n_choices = 0;
    // Where nothing goes wrong in a step, all of them are taken.
    let is_step = !matches!(attempt.kind, BadKind::Deadlock | BadKind::ManyThreads);
    let last = if is_step { attempt.steps.len() - 1 } else { usize::MAX };
    for (step, (thread, edge)) in attempt.steps.iter().enumerate() {
        let mut halt = None;
        let conds_so_far: Vec<TermId> = way.conds.iter().map(|(_, _, cond)| *cond).collect();
        let mut summary = {
            let (values, control, halt) = (&values, &control, &mut halt);
            let is_unresolved = step == last && matches!(attempt.kind, BadKind::Unresolved(..));
            let mut resolve = |cells: &mut Cells<'_>, term: TermId| -> Option<u64> {
                let value = in_inputs(cells, values, Some(control), step, term);
                if let Some(value) = cells.pool.as_const(value) {
                    return Some(value.as_bv().as_u64());
                }
                if is_unresolved || halt.is_some() {
                    return None;
                }
                if n_choices == choices.len() {
                    match entailment.values(cells, &conds_so_far, value, MAX_VALUES) {
                        Ok(Some(found)) => {
                            let word = |term: &TermId| cells.pool.as_const(*term).map(|value| value.as_bv().as_u64());
                            choices.push((found.iter().filter_map(word).collect(), 0));
                        }
                        Ok(None) => {
                            *halt = Some(Halt::Many);
                            return None;
                        }
                        Err(why) => {
                            *halt = Some(Halt::Stopped(why));
                            return None;
                        }
                    }
                }
                n_choices += 1;
                let (found, index) = &choices[n_choices - 1];
                found.get(*index).copied()
            };
            symbolic::run(cells, properties, control, *thread, *edge, &mut resolve)
        };
        if let Some(halt) = halt {
            return Err(halt);
        }
        let mut known = |cells: &mut Cells<'_>, term: TermId| -> Option<u64> {
            let value = in_inputs(cells, &values, Some(&control), step, term);
            cells.pool.as_const(value).map(|value| value.as_bv().as_u64())
        };
        let mut conds: Vec<TermId> =
            waiting::others_wait(cells, properties, &control, *thread, &mut known, &mut summary.fixed);
        if let Some((_, cond)) = attempt.holds.as_deref().filter(|(before, _)| *before == step) {
            conjuncts(cells, *cond, &mut conds);
        }
        if step == last {
            let bad = summary.bads.iter().find(|bad| bad.stmt == attempt.stmt && same_kind(&bad.kind, &attempt.kind));
            match bad {
                Some(bad) => {
                    if let BadKind::Unresolved(term, ..) = bad.kind {
                        way.unresolved = Some(term);
                    }
                    conjuncts(cells, bad.cond, &mut conds);
                }
                None => conds.push(cells.pool.bool(false)),
            }
        } else {
            for guard in &summary.guards {
                conjuncts(cells, *guard, &mut conds);
            }
        }
        for (number, cond) in conds.iter().enumerate() {
            let cond = in_inputs(cells, &values, Some(&control), step, *cond);
            way.conds.push((step, number, cond));
        }
        note_inputs(cells, &values, &control, step, &summary, &mut way.inputs);
        let new: Vec<(VarId, TermId)> = summary
            .updates
            .iter()
            .map(|(var, term)| (*var, in_inputs(cells, &values, Some(&control), step, *term)))
            .collect();
        values.extend(new);
        let next = control.after(program, *thread, program.edge(*edge).to, &summary.changes);
        way.stages.push(Stage { summary, conds, control: std::mem::replace(&mut control, next) });
    }
    if attempt.kind == BadKind::Deadlock {
        let step = way.stages.len();
        let mut conds = Vec::new();
        let mut summary = Summary::default();
        for thread in control.alive() {
            let mut known = |cells: &mut Cells<'_>, term: TermId| -> Option<u64> {
                let value = in_inputs(cells, &values, Some(&control), step, term);
                cells.pool.as_const(value).map(|value| value.as_bv().as_u64())
            };
            let waits = waiting::waits(cells, properties, &control, thread, &mut known, &mut summary.fixed);
            conjuncts(cells, waits, &mut conds);
        }
        for (number, cond) in conds.iter().enumerate() {
            let cond = in_inputs(cells, &values, Some(&control), step, *cond);
            way.conds.push((step, number, cond));
        }
        way.stages.push(Stage { summary, conds, control });
    }
    Ok(way)
}

fn same_kind(a: &BadKind, b: &BadKind) -> bool {
    match (a, b) {
        (BadKind::Violation(a), BadKind::Violation(b)) => a == b,
        (BadKind::Beyond(_), BadKind::Beyond(_)) => true,
        (BadKind::Unresolved(..), BadKind::Unresolved(..)) => true,
        _ => false,
    }
}

/// The value of a cell that nobody has written on the path; `None` if it may be any.
pub(super) fn initial(cells: &mut Cells<'_>, control: &Control, var: VarId) -> Option<TermId> {
    if let Some(value) = cells.initial(var) {
        return Some(value);
    }
    let Some(Cell::Bytes(addr, _)) = cells.cell(var) else { return None };
    let object = control.objects.iter().find(|object| addr >= object.base && addr - object.base < object.size)?;
    object.is_zeroed.then(|| {
        let zero = Value::zero(cells.pool.var_sort(var));
        cells.pool.constant(zero)
    })
}

/// A term over the cells before a step as a term over inputs, and over the cells before the first step if these shall stay open.
pub(super) fn in_inputs(
    cells: &mut Cells<'_>,
    values: &FxHashMap<VarId, TermId>,
    control: Option<&Control>,
    step: usize,
    term: TermId,
) -> TermId {
    let vars = cells.vars_in(term);
    let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
    for var in vars.iter() {
        let value = match values.get(var) {
            Some(value) => *value,
            None if cells.cell(*var).is_some() => match control.and_then(|control| initial(cells, control, *var)) {
                Some(value) => value,
                None => cells.pool.var(*var),
            },
            None => {
                let copy = cells.copy(*var, step as u32);
                cells.pool.var(copy)
            }
        };
        map.insert(*var, value);
    }
    cells.pool.substitute(term, &|var| map.get(&var).copied())
}

/// What the step asks for: inputs, and values that nobody has written.
fn note_inputs(
    cells: &mut Cells<'_>,
    values: &FxHashMap<VarId, TermId>,
    control: &Control,
    step: usize,
    summary: &Summary,
    inputs: &mut Vec<(usize, SiteId, TermId)>,
) {
    for (site, var) in &summary.inputs {
        let copy = cells.copy(*var, step as u32);
        inputs.push((step, *site, cells.pool.var(copy)));
    }
    for (site, vars, term) in &summary.reads {
        // Whatever lay at its address before, a new object has any value, which is a variable then; so are inputs, which do no harm here.
        let is_open = |var: &VarId| match values.get(var) {
            Some(value) => cells.pool.as_var(*value).is_some(),
            None => initial(cells, control, *var).is_none(),
        };
        if vars.iter().any(is_open) {
            let value = in_inputs(cells, values, Some(control), step, *term);
            inputs.push((step, *site, value));
        }
    }
}

fn conjuncts(cells: &mut Cells<'_>, formula: TermId, into: &mut Vec<TermId>) {
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        match cells.pool.node(formula) {
            Node::App { op: Op::And, args } => open.extend(args.iter().rev()),
            Node::Const(value) if value.as_bool() => {}
            _ => into.push(formula),
        }
    }
}

pub(super) fn check(cells: &Cells<'_>, conds: &[TermId], limits: &Limits) -> Answer {
    let mut solver = Solver::new(Backend::Bits);
    solver.set_limits(limits.clone());
    let answer = solver.check(&cells.pool, conds);
    if !matches!(answer, Answer::Unknown(smt::Why::Incomplete(_))) {
        return answer;
    }
    let mut solver = Solver::new(Backend::Z3);
    solver.set_limits(limits.clone());
    solver.check(&cells.pool, conds)
}

/// The path as a sequence of formulas over copies of cells, one for each moment, with only what the relevant conditions need; and
/// all cells they need. Each formula comes with the number of steps that it completes.
fn unfold(cells: &mut Cells<'_>, way: &Way, reason: &Reason) -> (Vec<(usize, TermId)>, Vec<VarId>) {
    let relevant = &reason.relevant;
    let n = way.stages.len();
    let mut needed_after: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); n];
    let mut needed: FxHashSet<VarId> = FxHashSet::default();
    let mut all: FxHashSet<VarId> = FxHashSet::default();
    for step in (reason.from..n).rev() {
        needed_after[step] = needed.clone();
        let mut terms: Vec<TermId> = relevant[step].clone();
        for (var, term) in &way.stages[step].summary.updates {
            if needed.remove(var) {
                terms.push(*term);
            }
        }
        for term in terms {
            let vars = cells.vars_in(term);
            needed.extend(vars.iter().copied().filter(|var| cells.cell(*var).is_some()));
        }
        all.extend(needed.iter().copied());
    }
    let mut version: FxHashMap<VarId, u32> = FxHashMap::default();
    let mut formulas = Vec::new();
    let mut first = Vec::new();
    let mut at_start: Vec<VarId> = needed.into_iter().filter(|var| reason.initial.contains(var)).collect();
    at_start.sort_unstable();
    let control = way.stages.last().map(|stage| stage.control.clone());
    for var in at_start {
        let value = match &control {
            Some(control) => initial(cells, control, var),
            None => cells.initial(var),
        };
        if let Some(value) = value {
            let copy = cells.copy(var, 0);
            let copy = cells.pool.var(copy);
            first.push(cells.pool.eq(copy, value));
        }
    }
    if !first.is_empty() {
        formulas.push((0, cells.pool.and_all(&first)));
    }
    for step in reason.from..n {
        let mut parts = Vec::new();
        for cond in &relevant[step] {
            parts.push(at_moment(cells, &version, step, *cond));
        }
        let mut written = Vec::new();
        for (var, term) in &way.stages[step].summary.updates {
            if needed_after[step].contains(var) {
                let value = at_moment(cells, &version, step, *term);
                written.push((*var, value));
            }
        }
        for (var, value) in written {
            let next = version.get(&var).copied().unwrap_or(0) + 1;
            version.insert(var, next);
            let copy = cells.copy(var, next);
            let copy = cells.pool.var(copy);
            parts.push(cells.pool.eq(copy, value));
        }
        let formula = cells.pool.and_all(&parts);
        if cells.pool.as_const(formula).is_none_or(|value| !value.as_bool()) {
            formulas.push((step + 1, formula));
        }
    }
    let mut all: Vec<VarId> = all.into_iter().collect();
    all.sort_unstable();
    (formulas, all)
}

/// The cells that the addresses of all steps that matter depend on, back to the start.
fn addresses(cells: &mut Cells<'_>, way: &Way, reason: &Reason) -> Vec<VarId> {
    let mut needed: FxHashSet<VarId> = FxHashSet::default();
    let mut of_addresses: FxHashSet<VarId> = FxHashSet::default();
    let mut all: Vec<VarId> = Vec::new();
    for step in (0..way.stages.len()).rev() {
        let summary = &way.stages[step].summary;
        let mut terms: Vec<TermId> = reason.relevant[step].clone();
        let mut of_address: Vec<TermId> = Vec::new();
        for (var, term) in &summary.updates {
            if needed.remove(var) {
                terms.push(*term);
            }
            if of_addresses.remove(var) {
                of_address.push(*term);
            }
        }
        if !terms.is_empty() || !of_address.is_empty() {
            of_address.extend(summary.fixed.iter().copied());
        }
        for (terms, into) in [(terms, &mut needed), (of_address, &mut of_addresses)] {
            for term in terms {
                let vars = cells.vars_in(term);
                into.extend(vars.iter().copied().filter(|var| cells.cell(*var).is_some()));
            }
        }
        all.extend(of_addresses.iter().copied());
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// A term over the cells before a step, in copies of that moment.
pub(crate) fn at_moment(cells: &mut Cells<'_>, version: &FxHashMap<VarId, u32>, step: usize, term: TermId) -> TermId {
    let vars = cells.vars_in(term);
    let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
    for var in vars.iter() {
        let number = match cells.cell(*var) {
            Some(_) => version.get(var).copied().unwrap_or(0),
            None => step as u32,
        };
        let copy = cells.copy(*var, number);
        map.insert(*var, cells.pool.var(copy));
    }
    cells.pool.substitute(term, &|var| map.get(&var).copied())
}

/// A formula over copies as one over cells; `None` if it is about anything else.
fn fold_back(cells: &mut Cells<'_>, term: TermId) -> Option<TermId> {
    let vars = cells.vars_in(term);
    let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
    for var in vars.iter() {
        let origin = cells.origin(*var)?;
        cells.cell(origin)?;
        map.insert(*var, cells.pool.var(origin));
    }
    Some(cells.pool.substitute(term, &|var| map.get(&var).copied()))
}

/// All cells that a value before the last step depends on.
fn explain_value(cells: &mut Cells<'_>, way: &Way, term: TermId) -> Explanation {
    let mut reason = Reason { relevant: vec![Vec::new(); way.stages.len()], ..Reason::default() };
    let zero = cells.pool.constant(Value::zero(cells.pool.sort(term)));
    let about = cells.pool.eq(term, zero);
    reason.relevant.last_mut().expect("a path has steps").push(about);
    let (_, needed) = unfold(cells, way, &reason);
    Explanation { interpolants: Vec::new(), cells: needed, addresses: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::build::Builder;
    use ir::{EdgeId, ProcId, Program, Property};

    /// `x = 1; y = in; seen = x; assert(seen == wanted or y == 5)`, with edges in this order.
    fn program(wanted: i64) -> Program {
        let mut builder = Builder::new();
        let (x, y) = (builder.global("x", 0), builder.global("y", 0));
        let main = builder.define("main", |body| {
            let (seen, input) = (body.local("seen"), body.local("input"));
            body.set(x, 1);
            body.input(input);
            let value = body.var(input);
            body.store(y, value);
            body.load(seen, x);
            let (is_wanted, is_five) = (body.is(seen, wanted), body.is(input, 5));
            let cond = body.pool().or(is_wanted, is_five);
            body.check(cond);
        });
        builder.finish(main)
    }

    fn decided(program: &Program, technique: Option<Technique>) -> (Feasibility, Vec<Option<Cell>>) {
        let mut cells = Cells::new(program);
        let mut entailment = Entailment::new(Limits::default());
        let steps = (0..5).map(|edge| (0, EdgeRef { proc: ProcId(0), edge: EdgeId(edge) })).collect();
        let attempt = Attempt { steps, stmt: 0, kind: BadKind::Violation(Property::Assertion), holds: None };
        let properties = Properties::of(&[Property::Assertion]);
        let refiner = Refiner { technique, in_own_words: false };
        let feasibility = refiner.decide(&mut cells, &mut entailment, properties, &attempt);
        let vars = match &feasibility {
            Feasibility::Spurious(explanation) => {
                let terms = explanation.interpolants.iter().map(|(_, term)| *term);
                let terms: Vec<TermId> = terms.collect();
                let mut vars = explanation.cells.clone();
                vars.extend(terms.iter().flat_map(|term| cells.vars_in(*term).to_vec()));
                vars
            }
            _ => Vec::new(),
        };
        (feasibility, vars.into_iter().map(|var| cells.cell(var)).collect())
    }

    #[test]
    fn a_path_that_can_be_taken_comes_with_its_inputs() {
        let (feasibility, _) = decided(&program(2), Some(Technique::Sequence));
        let Feasibility::Feasible(inputs) = feasibility else { panic!("{feasibility:?}") };
        assert_eq!(
            inputs.iter().map(Vec::len).collect::<Vec<usize>>(),
            [0, 1, 0, 0, 0],
            "one input, in the second step"
        );
        assert_ne!(inputs[1][0].1, Value::bv(32, 5), "5 is not wrong");
    }

    #[test]
    fn a_path_that_cannot_is_explained_by_what_matters() {
        for technique in [Some(Technique::Sequence), Some(Technique::Horn), None] {
            let (feasibility, cells) = decided(&program(1), technique);
            assert!(matches!(feasibility, Feasibility::Spurious(_)), "{technique:?}: {feasibility:?}");
            let is_about = |name: &str| {
                let program = program(1);
                cells.iter().flatten().any(|cell| match cell {
                    Cell::Global(var) | Cell::Own(_, var) => program.pool.var_name(*var) == name,
                    Cell::Bytes(..) | Cell::Result(_) => false,
                })
            };
            assert!(is_about("x") || is_about("seen"), "{technique:?}: what was read of x matters");
            assert!(!is_about("y"), "{technique:?}: nobody reads y");
        }
    }
}
