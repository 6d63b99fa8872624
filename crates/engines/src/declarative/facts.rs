//! What is known of a thread in the middle of a step? Values of tracked variables, and which predicates hold.
//!
//! Known as: cartesian predicate abstraction \[Graf97], beside explicit values.
//!
//! From node to node nothing is lost: what variables are is told in terms of what they were at the node, with an input for what was read since, and conditions
//! that were passed are kept. At the next node each predicate of the precision is asked for by itself. What others see of a value ([`Steps::label`]) is the value, if
//! the text or a predicate says which one it is, or else the predicates about the variable that hold of it. With values alone no solver is asked.

use super::steps::Steps;
use ir::{Known, ProcId, Program};
use logic::{Node, Op, TermId, Value, VarId};
use smt::Why;
use std::collections::BTreeMap;

/// A thread between two nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Moment {
    /// Values of tracked variables, as they are now.
    pub(super) known: BTreeMap<VarId, Known>,
    /// What holds of variables as they were at the node, and of inputs since.
    context: Vec<TermId>,
    /// What variables that were changed are, in these terms.
    changed: BTreeMap<VarId, TermId>,
    /// The predicates that were known at the node.
    facts: Vec<TermId>,
    n_inputs: u32,
}

/// The predicates that are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Predicates {
    all: Vec<TermId>,
    /// Those over variables of each procedure.
    of_proc: BTreeMap<ProcId, Vec<TermId>>,
    /// Those over one variable.
    about: BTreeMap<VarId, Vec<TermId>>,
}

impl Predicates {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn contains(&self, predicate: TermId) -> bool {
        self.all.contains(&predicate)
    }

    /// Asks for one more, over these variables: those of one procedure, or a shared one.
    pub(super) fn add(&mut self, predicate: TermId, vars: &[VarId], program: &Program) {
        self.all.push(predicate);
        if let [var] = vars {
            self.about.entry(*var).or_default().push(predicate);
        }
        for (index, _) in program.procs.iter().enumerate() {
            let proc = ProcId(index as u32);
            if vars.iter().all(|var| is_own(program, proc, *var)) {
                self.of_proc.entry(proc).or_default().push(predicate);
            }
        }
    }
}

/// Whether a variable is one of whoever runs a procedure.
pub(super) fn is_own(program: &Program, proc: ProcId, var: VarId) -> bool {
    let body = program.proc(proc);
    match program.var(var).scope {
        ir::Scope::Thread => true,
        ir::Scope::Global => false,
        _ => body.locals.contains(&var) || body.params.contains(&var),
    }
}

impl Steps<'_> {
    /// A thread at a node where this is known.
    pub(super) fn moment(&mut self, node: &ir::ThreadNode) -> Moment {
        let mut moment = Moment { known: node.known.iter().cloned().collect(), ..Moment::default() };
        for fact in &node.facts {
            let fact = self.bind(*fact, &moment);
            moment.context.push(fact);
        }
        moment.context.retain(|fact| self.cells.pool.as_const(*fact).is_none());
        moment.facts.clone_from(&node.facts);
        moment
    }

    /// A term over variables as they are now, in terms of the node.
    fn bind(&mut self, term: TermId, moment: &Moment) -> TermId {
        let vars = self.cells.vars_in(term);
        let mut map: Vec<(VarId, TermId)> = Vec::new();
        for var in vars.iter() {
            if let Some(Known::Exactly(value)) = moment.known.get(var) {
                map.push((*var, self.cells.pool.constant(value.clone())));
            } else if let Some(term) = moment.changed.get(var) {
                map.push((*var, *term));
            }
        }
        self.cells.pool.substitute(term, &|var| map.iter().find(|(other, _)| *other == var).map(|(_, term)| *term))
    }

    /// The value of a term.
    pub(super) fn value(&mut self, term: TermId, moment: &Moment) -> Known {
        if let Some(known) = self.cells.pool.as_var(term).and_then(|var| moment.known.get(&var)) {
            return known.clone();
        }
        let term = self.bind(term, moment);
        self.cells.pool.as_const(term).map_or(Known::Anything, |value| Known::Exactly(value.clone()))
    }

    /// Whether a condition holds, if that is known.
    pub(super) fn holds(&mut self, cond: TermId, moment: &Moment) -> Result<Option<bool>, Why> {
        let cond = self.bind(cond, moment);
        match self.cells.pool.as_const(cond) {
            Some(value) => Ok(Some(value.as_bool())),
            None if self.predicates.is_empty() => Ok(None),
            None => self.entailment.value(&mut self.cells, &moment.context, cond),
        }
    }

    /// Goes on where a condition is true, or false; whether that is possible.
    pub(super) fn assume(&mut self, cond: TermId, is_true: bool, moment: &mut Moment) -> Result<bool, Why> {
        let cond = if is_true { cond } else { self.cells.pool.not(cond) };
        let cond = self.bind(cond, moment);
        if let Some(value) = self.cells.pool.as_const(cond) {
            return Ok(value.as_bool());
        }
        if self.predicates.is_empty() {
            return Ok(true);
        }
        let is_possible = self.entailment.is_possible(&mut self.cells, &moment.context, cond)?;
        moment.context.push(cond);
        Ok(is_possible)
    }

    fn put(&mut self, moment: &mut Moment, var: VarId, known: Known, term: Option<TermId>) {
        // Handles cost nothing and say who is joined, and who holds a lock.
        let is_kept = self.tracked.contains(&var) || var == self.program.self_var;
        if matches!(known, Known::Thread(_)) || (is_kept && matches!(known, Known::Exactly(_))) {
            moment.known.insert(var, known);
        } else {
            moment.known.remove(&var);
        }
        if !self.predicates.is_empty() {
            let term = term.unwrap_or_else(|| self.input(moment, var));
            moment.changed.insert(var, term);
        }
    }

    fn input(&mut self, moment: &mut Moment, var: VarId) -> TermId {
        moment.n_inputs += 1;
        let copy = self.cells.copy(var, moment.n_inputs);
        self.cells.pool.var(copy)
    }

    /// A variable gets the value of a term.
    pub(super) fn assign(&mut self, moment: &mut Moment, var: VarId, value: TermId) {
        let known = self.value(value, moment);
        let term = self.bind(value, moment);
        self.put(moment, var, known, Some(term));
    }

    /// A variable gets what was seen of another one's value.
    pub(super) fn receive(&mut self, moment: &mut Moment, var: VarId, of: VarId, seen: &Known) {
        let term = match seen {
            Known::Exactly(value) => Some(self.cells.pool.constant(value.clone())),
            _ => None,
        };
        self.put(moment, var, seen.clone(), term);
        if let (Known::Such(formulas), Some(&value)) = (seen, moment.changed.get(&var)) {
            for formula in formulas {
                let formula = self.cells.pool.substitute(*formula, &|other| (other == of).then_some(value));
                moment.context.push(formula);
            }
        }
    }

    /// What others see of a value that a variable gets.
    pub(super) fn label(&mut self, moment: &Moment, var: VarId, value: TermId) -> Result<Known, Why> {
        let known = self.value(value, moment);
        let asked = self.predicates.about.get(&var).cloned().unwrap_or_default();
        if known != Known::Anything || asked.is_empty() {
            return Ok(known);
        }
        let value = self.bind(value, moment);
        let mut found = Vec::new();
        for predicate in asked {
            let claim = self.cells.pool.substitute(predicate, &|other| (other == var).then_some(value));
            match self.entailment.value(&mut self.cells, &moment.context, claim)? {
                Some(true) => {
                    if let Some(value) = self.constant_of(predicate) {
                        return Ok(Known::Exactly(value));
                    }
                    found.push(predicate);
                }
                Some(false) => found.push(self.cells.pool.not(predicate)),
                None => {}
            }
        }
        found.sort_unstable();
        Ok(if found.is_empty() { Known::Anything } else { Known::Such(found) })
    }

    /// The value that a predicate says its variable has.
    fn constant_of(&self, predicate: TermId) -> Option<Value> {
        match self.cells.pool.node(predicate) {
            Node::App { op: Op::Eq, args } => {
                match (self.cells.pool.as_var(args[0]), self.cells.pool.as_var(args[1])) {
                    (Some(_), None) => self.cells.pool.as_const(args[1]).cloned(),
                    (None, Some(_)) => self.cells.pool.as_const(args[0]).cloned(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The predicates that hold, or do not, of whoever runs a procedure.
    pub(super) fn facts(
        &mut self,
        proc: ProcId,
        moment: &Moment,
        is_wanted: &dyn Fn(VarId) -> bool,
    ) -> Result<Vec<TermId>, Why> {
        let mut found = Vec::new();
        for predicate in self.predicates.of_proc.get(&proc).cloned().unwrap_or_default() {
            let vars = self.cells.vars_in(predicate);
            if !vars.iter().all(|var| is_wanted(*var)) {
                continue;
            }
            let negation = self.cells.pool.not(predicate);
            let is_same = vars.iter().all(|var| !moment.changed.contains_key(var));
            if let Some(known) = moment.facts.iter().find(|fact| is_same && [predicate, negation].contains(fact)) {
                found.push(*known);
                continue;
            }
            match self.holds(predicate, moment)? {
                Some(true) => found.push(predicate),
                Some(false) => found.push(negation),
                None => {}
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}
