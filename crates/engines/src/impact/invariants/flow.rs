//! What does a step make of the claims where it begins, and which claims where it leads does that break?
//!
//! Known as: abstract transfer and join; counterexamples to induction.
//!
//! Sums are computed: each column after the step is a sum of cells, inputs and terms that are no sums before it, and all values of these are joined to the hull. Candidates are tried by running
//! states on that are known to be there, with inputs at random, and then a solver is asked for a state that breaks one.

use super::candidates::Candidates;
use super::linear::{Forms, Linear, difference, linear};
use super::{End, Guessing, Out};
use crate::abstraction::cells::Cells;
use crate::impact::tree::NodeId;
use crate::impact::unwinding::Unwinding;
use logic::{Node, Op, Prng, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Assignment;
use std::rc::Rc;
use std::time::Instant;

/// States that are kept of a node, and how often each is run on through a step that asks for inputs.
const MAX_STATES: usize = 12;
const TRIES: usize = 3;

impl Unwinding<'_, '_> {
    /// A state is at a node; whether that changes what is claimed of it.
    pub(super) fn absorb(&mut self, guessing: &mut Guessing, node: NodeId, state: &Assignment) -> bool {
        let standing = guessing.stands.get_mut(&node).expect("it has claims");
        let has_changed = standing.claims.absorb(&self.world.cells, state);
        if has_changed {
            if standing.states.len() == MAX_STATES {
                standing.states.pop_front();
            }
            standing.states.push_back(Rc::new(state.clone()));
            self.queue(guessing, node);
        }
        has_changed
    }

    /// Runs states that are known to be at a node on through a step, with inputs at random.
    fn run_on(&mut self, guessing: &mut Guessing, node: NodeId, out: &Out, target: NodeId) {
        let tries = if out.inputs.is_empty() { 1 } else { TRIES };
        let states = guessing.stands[&node].states.clone();
        for _ in 0..tries {
            for state in &states {
                let mut state = Assignment::clone(state);
                for input in out.inputs.iter() {
                    let value = any_value(&mut guessing.random, self.world.cells.pool.var_sort(*input));
                    state.set(*input, value);
                }
                let pool = &self.world.cells.pool;
                if out.step.guards.iter().all(|guard| state.satisfies(pool, *guard)) {
                    let after = after(&self.world.cells, &state, &out.written);
                    self.absorb(guessing, target, &after);
                }
            }
        }
    }

    pub(super) fn queue(&self, guessing: &mut Guessing, node: NodeId) {
        let standing = guessing.stands.get_mut(&node).expect("it has claims");
        if !std::mem::replace(&mut standing.is_queued, true) {
            guessing.open.push_back(node);
        }
    }

    /// Takes back what a step breaks of the claims where it leads.
    pub(super) fn flow(
        &mut self,
        guessing: &mut Guessing,
        candidates: &mut Candidates,
        node: NodeId,
        index: usize,
    ) -> Result<(), End> {
        if guessing.stands[&node].out[index].ends {
            return Ok(());
        }
        guessing.asker.begin_again();
        let out = guessing.stands[&node].out[index].clone();
        let target = match out.target {
            Some(target) => target,
            None => {
                let known = self.known(guessing, node, &out);
                let never = self.world.cells.pool.bool(false);
                if guessing.asker.follows(never, &known.iter().copied().collect()) {
                    return Ok(());
                }
                let Some(state) = guessing.asker.state(&mut self.world.cells, &known, &[never])? else { return Ok(()) };
                let state = guessing.stands[&node].claims.complete(&self.world.cells, state);
                let target = self.arrive(guessing, candidates, node, &out)?;
                guessing.stands.get_mut(&node).expect("it has claims").out[index].target = Some(target);
                let after = after(&self.world.cells, &state, &out.written);
                self.absorb(guessing, target, &after);
                self.queue(guessing, target);
                target
            }
        };
        self.join(guessing, node, &out, target);
        self.run_on(guessing, node, &out, target);
        loop {
            if Instant::now() >= guessing.until {
                return Err(End::GivenUp);
            }
            // A step that leads back to its own node changes what is known before it, too.
            let known = self.known(guessing, node, &out);
            let before: FxHashSet<TermId> = known.iter().copied().collect();
            let claimed = guessing.stands[&target].claims.candidates.clone();
            let cells = &mut self.world.cells;
            let claims = &mut guessing.stands.get_mut(&node).expect("it has claims").claims;
            let (mut doubtful, mut claimed_after) = (FxHashSet::default(), Vec::new());
            for formula in claimed {
                let holds = cells.pool.substitute(formula, &|var| out.written.get(&var).copied());
                let holds = claims.forms.of(cells, holds);
                let is_sure = before.contains(&holds) || claims.adds_up(cells, holds).is_some();
                let is_true = cells.pool.as_const(holds).is_some_and(|value| value.as_bool());
                if !is_sure && !is_true && !guessing.asker.follows(holds, &before) {
                    doubtful.insert(formula);
                    claimed_after.push(holds);
                }
            }
            if doubtful.is_empty() {
                return Ok(());
            }
            let state = match guessing.asker.state(cells, &known, &claimed_after) {
                Ok(Some(state)) => state,
                Ok(None) => return Ok(()),
                // What takes too long is not claimed.
                Err(smt::Why::Time) => {
                    let standing = guessing.stands.get_mut(&target).expect("it has claims");
                    standing.claims.candidates.retain(|formula| !doubtful.contains(formula));
                    self.queue(guessing, target);
                    return Ok(());
                }
                Err(why) => return Err(why.into()),
            };
            let state = claims.complete(cells, state);
            let after = after(cells, &state, &out.written);
            if !self.absorb(guessing, target, &after) {
                return Err(End::GivenUp);
            }
        }
    }

    /// What holds when a step is taken from a node, in forms.
    fn known(&mut self, guessing: &mut Guessing, node: NodeId, out: &Out) -> Vec<TermId> {
        let cells = &mut self.world.cells;
        let claims = &mut guessing.stands.get_mut(&node).expect("it has claims").claims;
        let mut known: Vec<TermId> = claims.known(cells).into_iter().map(|(form, _)| form).collect();
        known.extend(out.step.guards.iter().map(|guard| claims.forms.of(cells, *guard)));
        known
    }

    /// Adds what a step makes of sums to the hull of where it leads. Equations between sums that must hold for the step are used, also if they follow from two orders; other conditions are not.
    fn join(&mut self, guessing: &mut Guessing, node: NodeId, out: &Out, target: NodeId) {
        let columns = guessing.stands[&target].claims.columns();
        let cells = &mut self.world.cells;
        let own = &mut guessing.stands.get_mut(&node).expect("it has claims").claims;
        let conds: Vec<TermId> = own.known(cells).into_iter().map(|(form, _)| form).collect();
        let guards: Vec<TermId> = out.step.guards.iter().map(|guard| own.forms.of(cells, *guard)).collect();
        let conds: Vec<TermId> = conds.into_iter().chain(guards.iter().copied()).collect();
        let mut equations: Vec<(TermId, TermId)> = own.read_equations(cells);
        let n_reads = equations.len();
        let known: FxHashSet<TermId> = conds.iter().copied().collect();
        equations.extend(guards.iter().filter_map(|guard| equals(cells, *guard, &known)));
        let mut forms = Forms::where_holds(cells, FxHashMap::default(), &conds);
        let mut rules = rules(cells, &equations, n_reads, &mut forms);
        // What is equal has equal elements. A sum that has elements itself would have to be renamed in turn.
        let mut solved = FxHashMap::default();
        for (term, by) in &rules {
            let is_plain = by.summands.iter().all(|(term, _)| cells.pool.as_var(*term).is_some());
            if let Some(var) = cells.pool.as_var(*term).filter(|_| is_plain) {
                solved.insert(var, by.term(cells));
            }
        }
        if !solved.is_empty() {
            forms = Forms::where_holds(cells, solved, &conds);
            rules = self::rules(cells, &equations, n_reads, &mut forms);
        }
        let mut values: FxHashMap<TermId, Linear> = FxHashMap::default();
        for column in columns {
            let value = cells.pool.substitute(column, &|var| out.written.get(&var).copied());
            let value = own.forms.of(cells, value);
            let value = forms.of(cells, value);
            let mut sum = linear(cells, value).expect("columns are words");
            rules.iter().for_each(|(term, by)| sum.replace(*term, by));
            values.insert(column, sum);
        }
        let claims = &mut guessing.stands.get_mut(&target).expect("it has claims").claims;
        let has_grown = claims.join(cells, |_, column| values[&column].clone());
        if has_grown {
            self.queue(guessing, target);
        }
    }
}

/// Solves equations, of which the first ones say what reads are, after their sides have been given forms.
fn rules(
    cells: &mut Cells<'_>,
    equations: &[(TermId, TermId)],
    n_reads: usize,
    forms: &mut Forms,
) -> Vec<(TermId, Linear)> {
    let mut rules: Vec<(TermId, Linear)> = Vec::new();
    for (index, (one, other)) in equations.iter().enumerate() {
        let [one, other] = [*one, *other].map(|side| forms.of(cells, side));
        let Some(mut sum) = difference(cells, one, other) else { continue };
        rules.iter().for_each(|(term, by)| sum.replace(*term, by));
        let is_preferred = |term: TermId| if index < n_reads { term == one } else { cells.pool.as_var(term).is_some() };
        if let Some((term, by)) = sum.solved(is_preferred) {
            rules.iter_mut().for_each(|(_, other)| other.replace(term, &by));
            rules.push((term, by));
        }
    }
    rules
}

/// What is equal if a formula holds beside others: it says so, or each is at most the other.
fn equals(cells: &mut Cells<'_>, formula: TermId, known: &FxHashSet<TermId>) -> Option<(TermId, TermId)> {
    let (op, args) = match cells.pool.node(formula) {
        Node::App { op: Op::Eq, args } => return Some((args[0], args[1])),
        Node::App { op: Op::Not, args } => match cells.pool.node(args[0]) {
            Node::App { op: op @ (Op::Slt | Op::Ult), args } => (*op, [args[0], args[1]]),
            _ => return None,
        },
        _ => return None,
    };
    let back = if op == Op::Slt { cells.pool.slt(args[1], args[0]) } else { cells.pool.ult(args[1], args[0]) };
    let neither = cells.pool.not(back);
    known.contains(&neither).then_some((args[0], args[1]))
}

/// A value for an input; small ones more often than others.
fn any_value(random: &mut Prng, sort: Sort) -> Value {
    match sort {
        Sort::Bv(width) => match random.below(4) {
            0 => Value::bv(width, random.number()),
            1 => Value::bv(width, random.below(2)),
            _ => Value::bv(width, random.below(8)),
        },
        Sort::Bool => Value::Bool(random.chance(2)),
        _ => Value::zero(sort),
    }
}

/// The state after a step, cells only.
fn after(cells: &Cells<'_>, state: &Assignment, written: &FxHashMap<VarId, TermId>) -> Assignment {
    let mut after = Assignment::new();
    for (var, _) in cells.all() {
        let value = match written.get(&var) {
            Some(term) => state.evaluate(&cells.pool, *term),
            None => state.value(&cells.pool, var),
        };
        after.set(var, value);
    }
    after
}
