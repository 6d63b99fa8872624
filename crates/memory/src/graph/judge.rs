//! Does a model allow an execution that is known whole? Its axioms are evaluated, exactly, on the graph of what happened.
//!
//! This is the check of evidence: it shares with the encoder (`formula`) the text of the model and the meaning of its operators' names, and none of the clauses.

use super::{Dependency, Named, Shape};
use crate::cat::syntax::ast::{Severity, Shape as Form};
use crate::cat::{Bound, Check, Model, Values, World, put_base};
use crate::relation::{EventSet, Relation};

/// An execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// Its events and what the program says about them.
    pub shape: Shape,
    /// The cell of each event that has one.
    pub cells: Vec<Option<usize>>,
    /// What each event reads or writes; equal numbers are equal values.
    pub values: Vec<usize>,
    /// Reads-from.
    pub rf: Relation,
    /// Coherence.
    pub co: Relation,
    /// Dependencies of each kind, in the order of `index_of`.
    pub dependencies: [Relation; 5],
}

/// A check of a model that fails, or a flag that is raised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violated {
    /// Its name.
    pub name: String,
    /// The events of a cycle, if it is about one, or a pair.
    pub events: Vec<usize>,
}

/// What a model says about an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// The axioms that forbid it.
    pub forbidden: Vec<Violated>,
    /// The flags that it raises.
    pub flags: Vec<Violated>,
}

impl World for Execution {
    fn n_events(&self) -> usize {
        self.shape.n()
    }

    fn set(&self, name: &str) -> EventSet {
        if name == "FW" {
            let mut last = self.shape.named_set("W")[0].clone();
            last.subtract(&self.co.domain());
            return last;
        }
        self.shape.named_set(name)[0].clone()
    }

    fn relation(&self, name: &str) -> Relation {
        match self.shape.named_relation(name) {
            Named::Fixed(relation) => relation,
            Named::Dependency(kind) => self.dependencies[index_of(kind)].clone(),
            Named::Chosen => match name {
                "rf" => self.rf.clone(),
                "co" => self.co.clone(),
                _ => {
                    let n = self.shape.n();
                    let same = |a: usize, b: usize| self.cells[a].is_some() && self.cells[a] == self.cells[b];
                    let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
                    Relation::of(n, pairs.filter(|&(a, b)| same(a, b)))
                }
            },
        }
    }

    fn differ(&self, a: usize, b: usize) -> bool {
        self.values[a] != self.values[b]
    }
}

/// The place of a kind of dependencies in lists of all kinds.
pub fn index_of(kind: Dependency) -> usize {
    match kind {
        Dependency::Address => 0,
        Dependency::Data => 1,
        Dependency::Control => 2,
        Dependency::Compare => 3,
        Dependency::Pick => 4,
    }
}

/// Whether an axiom forbids what is known of an execution. The model makes no choices of its own.
pub fn is_forbidden(model: &Model, execution: &Execution) -> bool {
    let graph = &model.outcome.graph;
    let mut values = Values::new(graph, execution.shape.n());
    put_base(graph, &mut values, execution);
    for plan in [&model.fixed, &model.axioms] {
        values.compute(graph, plan, &|a, b| execution.differ(a, b));
    }
    let forbids = |check: &&Check| check.severity == Severity::Forbids;
    let mut checks = model.outcome.checks.iter().filter(forbids);
    checks.any(|check| values.violates(graph, check.node, check.shape) != check.is_negated)
}

/// Judges an execution. A model that makes choices of its own allows it if one of them does.
pub fn judge(model: &Model, execution: &Execution) -> Result<Judgement, String> {
    if !model.is_dynamic {
        return Ok(judge_fixed(model, execution));
    }
    let outcomes = model.outcomes_in(execution).map_err(|problem| problem.message)?;
    let mut judged = outcomes.iter().map(|outcome| judge_fixed(outcome, execution));
    let Some(first) = judged.next() else { return Err("the model says nothing about the execution".to_string()) };
    Ok(if first.forbidden.is_empty() { first } else { judged.find(|one| one.forbidden.is_empty()).unwrap_or(first) })
}

fn judge_fixed(model: &Model, execution: &Execution) -> Judgement {
    let graph = &model.outcome.graph;
    let mut values = Values::new(graph, execution.shape.n());
    put_base(graph, &mut values, execution);
    for plan in [&model.fixed, &model.axioms, &model.flags] {
        values.compute(graph, plan, &|a, b| execution.differ(a, b));
    }
    let mut judgement = Judgement::default();
    for check in &model.outcome.checks {
        let fails = values.violates(graph, check.node, check.shape) != check.is_negated;
        let is_raised = if check.severity == Severity::Flags { !fails } else { fails };
        if !is_raised {
            continue;
        }
        let events = match (graph.is_set(check.node), check.shape) {
            (true, _) => values.set(check.node, Bound::Lower).iter().take(1).collect(),
            (false, Form::Acyclic) => values.relation(check.node, Bound::Lower).shortest_cycle().unwrap_or_default(),
            (false, Form::Irreflexive) => {
                let relation = values.relation(check.node, Bound::Lower);
                (0..execution.shape.n()).filter(|&event| relation.contains(event, event)).take(1).collect()
            }
            (false, Form::Empty) => {
                values.relation(check.node, Bound::Lower).iter().next().map_or_else(Vec::new, |(a, b)| vec![a, b])
            }
        };
        let violated = Violated { name: check.name.clone(), events };
        match check.severity {
            Severity::Forbids => judgement.forbidden.push(violated),
            _ => judgement.flags.push(violated),
        }
    }
    judgement
}
