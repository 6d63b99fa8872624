//! What does a step make of the claims where it begins, and which claims where it leads does that break?
//!
//! Known as: abstract transfer and join; counterexamples to induction.
//!
//! Sums are computed: each column after the step is a sum of cells, inputs and terms that are no sums before it, and all values of these are joined to the hull. Candidates are tried by running
//! states on that are known to be there, with inputs at random, and then a solver is asked for a state that breaks one.

use super::candidates::Candidates;
use super::claims::Claims;
use super::linear::{Linear, difference, linear};
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
        guessing.asker.begin_again();
        let out = guessing.stands[&node].out[index].clone();
        let target = match out.target {
            Some(target) => target,
            None => {
                let known = self.known(guessing, node, &out);
                let Some(state) = guessing.asker.state(&self.world.cells, &known)? else { return Ok(()) };
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
            let (mut doubtful, mut wrong) = (FxHashSet::default(), Vec::new());
            for formula in claimed {
                let holds = cells.pool.substitute(formula, &|var| out.written.get(&var).copied());
                let holds = claims.forms.of(cells, holds);
                if !before.contains(&holds) && claims.adds_up(cells, holds).is_none() {
                    doubtful.insert(formula);
                    wrong.push(cells.pool.not(holds));
                }
            }
            let wrong = cells.pool.or_all(&wrong);
            if cells.pool.as_const(wrong).is_some_and(|value| !value.as_bool()) {
                return Ok(());
            }
            let mut question = known;
            question.push(wrong);
            let state = match guessing.asker.state(cells, &question) {
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

    /// Adds what a step makes of sums to the hull of where it leads. Equations between sums that must hold for the step are used, other conditions are not.
    fn join(&mut self, guessing: &mut Guessing, node: NodeId, out: &Out, target: NodeId) {
        let columns = guessing.stands[&target].claims.columns();
        let cells = &mut self.world.cells;
        let own = &mut guessing.stands.get_mut(&node).expect("it has claims").claims;
        let mut rules: Vec<(TermId, Linear)> = Vec::new();
        let reduce = |own: &Claims, rules: &[(TermId, Linear)], sum: &mut Linear| {
            own.replace_reads(sum);
            rules.iter().for_each(|(term, by)| sum.replace(*term, by));
        };
        for guard in &out.step.guards {
            let form = own.forms.of(cells, *guard);
            let Node::App { op: Op::Eq, args } = cells.pool.node(form) else { continue };
            let [one, other] = args[..] else { continue };
            let Some(mut sum) = difference(cells, one, other) else { continue };
            reduce(own, &rules, &mut sum);
            if let Some((term, by)) = sum.solved() {
                rules.iter_mut().for_each(|(_, other)| other.replace(term, &by));
                rules.push((term, by));
            }
        }
        let mut values: FxHashMap<TermId, Linear> = FxHashMap::default();
        for column in columns {
            let value = cells.pool.substitute(column, &|var| out.written.get(&var).copied());
            let value = own.forms.of(cells, value);
            let mut sum = linear(cells, value).expect("columns are words");
            reduce(own, &rules, &mut sum);
            values.insert(column, sum);
        }
        let claims = &mut guessing.stands.get_mut(&target).expect("it has claims").claims;
        let has_grown = claims.join(cells, |_, column| values[&column].clone());
        if has_grown {
            self.queue(guessing, target);
        }
    }
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
