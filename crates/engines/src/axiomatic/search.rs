//! The enumerator: which executions of a skeleton does a model allow?
//!
//! Known as: herd-style enumeration of candidate executions (reads-from, then coherence; from-read follows), with pruning \[Alglave14].
//!
//! First every read gets a write, one after the other; values follow along, and with them addresses and the ways of threads. Then the writes of
//! each cell are ordered, pair by pair. After each choice the model's axioms are computed on what is certain by then
//! (`memory::cat::meaning::evaluate`): one that fails will fail whatever comes, and the choice is taken back. So most choices are never
//! combined. When only the verdict is wanted, the condition prunes as well, and the first execution ends the search.
//!
//! In tests with messages a receive may have no source at all: that is one more choice, whose value is `NOTHING`.
//!
//! When addresses depend on reads, places and so all relations about them are known only after the reads: axioms then prune the second half only.

use ir::litmus::{NOTHING, Observable, Quantifier, Test};
use memory::cat::syntax::ast::Severity;
use memory::cat::{Bound, Model, Node, NodeId, Values};
use memory::execution::{Kind, Misfit, Skeleton, TermId, Terms, cell};
use memory::relation::{EventSet, Relation};

use super::answer::{Answer, Execution, Goal, Question, Refusal, Violation};
use super::picture;
use super::three_valued::{Prospect, three_valued};

/// What ended a search early.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// Everything that was asked for is known.
    Satisfied,
    /// Accesses have to be split into smaller parts.
    Granule,
    /// There is no answer.
    Refused(Refusal),
}

pub(super) type Searched = Result<(), Interrupt>;

/// The nodes of a model that choices decide.
pub(super) struct Chosen {
    pub(super) rf: Option<NodeId>,
    pub(super) co: Option<NodeId>,
    pub(super) finals: Option<NodeId>,
}

impl Chosen {
    pub(super) fn of(model: &Model) -> Chosen {
        let mut chosen = Chosen { rf: None, co: None, finals: None };
        for (id, node) in model.outcome.graph.iter() {
            match node {
                Node::Pairs(name) if &**name == "rf" => chosen.rf = Some(id),
                Node::Pairs(name) if &**name == "co" => chosen.co = Some(id),
                Node::Events(name) if &**name == "FW" => chosen.finals = Some(id),
                _ => {}
            }
        }
        chosen
    }
}

/// What a read reads, as far as it is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// Not chosen yet.
    Open,
    /// What this write wrote.
    Write(usize),
    /// A receive that has received nothing.
    Nothing,
}

/// The search over one skeleton.
pub(super) struct Search<'a, 't> {
    pub(super) test: &'t Test,
    pub(super) model: &'a Model,
    pub(super) chosen: &'a Chosen,
    pub(super) terms: &'a Terms,
    pub(super) skeleton: &'a Skeleton<'t>,
    pub(super) question: &'a Question,
    pub(super) stop: &'a dyn Fn() -> bool,
    pub(super) answer: &'a mut Answer,
    pub(super) values: &'a mut Values,
    /// Whether axioms prune and decide; off when an example of what is forbidden is looked for.
    pub(super) obeys: bool,
    /// The value of each variable, as far as it is known.
    pub(super) known: Vec<Option<u64>>,
    /// What each read reads.
    pub(super) source: Vec<Source>,
    pub(super) reads: Vec<usize>,
    pub(super) writes: Vec<usize>,
    /// The cell of each event, as far as it is known.
    pub(super) cells: Vec<Option<u64>>,
    pub(super) rf: Relation,
    pub(super) rf_upper: Relation,
    pub(super) co: Relation,
    pub(super) co_upper: Relation,
    /// Pairs of writes of the same cell that no initial write is part of.
    pub(super) rivals: Vec<(usize, usize)>,
    /// Whether an execution with the present `rf` was counted.
    pub(super) is_counted: bool,
    /// The final state of the last complete execution.
    pub(super) last_state: Vec<u64>,
}

impl<'a, 't> Search<'a, 't> {
    /// Searches all executions of the skeleton.
    pub(super) fn run(&mut self) -> Searched {
        if let Some(cells) = &self.skeleton.cells {
            self.cells.clone_from(cells);
            self.place();
            if self.obeys && !self.model.is_dynamic && self.is_broken() {
                return Ok(());
            }
        }
        self.choose_source()
    }

    /// Whether there are so many choices that a SAT solver is worth its start: more than about 2^40, if nothing pruned them.
    pub(super) fn is_large(&self) -> bool {
        let Some(cells) = &self.skeleton.cells else { return false };
        let n_writes = |cell: Option<u64>| self.writes.iter().filter(|&&write| cells[write] == cell).count();
        let sources: f64 = self.reads.iter().map(|&read| (n_writes(cells[read]).max(1) as f64).log2()).sum();
        let orders: f64 =
            self.writes.iter().map(|&write| (n_writes(cells[write]).saturating_sub(1).max(1) as f64).log2()).sum();
        self.question.goal != Goal::Executions && sources + orders > 40.0
    }

    /// Computes what is fixed once all cells are known.
    pub(super) fn place(&mut self) {
        let n = self.skeleton.events.len();
        let graph = &self.model.outcome.graph;
        for (id, node) in graph.iter() {
            match node {
                Node::Events(name) => {
                    let set = self.skeleton.named_set(name, &self.cells);
                    self.values.put_set(id, Bound::Lower, &set);
                }
                Node::Pairs(name) if &**name != "rf" && &**name != "co" => {
                    let relation = self.skeleton.named_relation(name, &self.cells);
                    self.values.put_relation(id, Bound::Lower, &relation);
                }
                _ => {}
            }
        }
        self.values.set_exact(true);
        self.values.compute(graph, &self.model.fixed, &|_, _| false);
        self.co = Relation::empty(n);
        self.co_upper = Relation::empty(n);
        self.rivals.clear();
        for (index, &a) in self.writes.iter().enumerate() {
            for &b in &self.writes[index + 1..] {
                if self.cells[a] != self.cells[b] {
                    continue;
                }
                // Initial writes have the smallest numbers and come first.
                if a < self.skeleton.n_initial {
                    self.co.insert(a, b);
                    self.co_upper.insert(a, b);
                } else {
                    self.rivals.push((a, b));
                    self.co_upper.insert(a, b);
                    self.co_upper.insert(b, a);
                }
            }
        }
        if self.skeleton.cells.is_some() {
            self.rf_upper = Relation::empty(n);
            for &read in &self.reads {
                for &write in &self.writes {
                    if self.cells[read] == self.cells[write] {
                        self.rf_upper.insert(write, read);
                    }
                }
            }
        }
    }

    /// Puts what is known about the choices.
    pub(super) fn put_bounds(&mut self) {
        self.values.set_exact(false);
        if let Some(rf) = self.chosen.rf {
            self.values.put_relation(rf, Bound::Lower, &self.rf);
            self.values.put_relation(rf, Bound::Upper, &self.rf_upper);
        }
        if let Some(co) = self.chosen.co {
            self.values.put_relation(co, Bound::Lower, &self.co);
            self.values.put_relation(co, Bound::Upper, &self.co_upper);
        }
        if let Some(finals) = self.chosen.finals {
            let n = self.skeleton.events.len();
            self.values.put_set(finals, Bound::Lower, &EventSet::empty(n));
            self.values.put_set(finals, Bound::Upper, &EventSet::of(n, self.writes.iter().copied()));
        }
    }

    /// Whether some axiom fails on what is certain.
    fn is_broken(&mut self) -> bool {
        self.put_bounds();
        let graph = &self.model.outcome.graph;
        self.values.compute(graph, &self.model.pruning, &|_, _| false);
        self.model.pruning_checks().any(|check| self.values.violates(graph, check.node, check.shape))
    }

    pub(super) fn tick(&mut self) -> Searched {
        self.answer.n_steps += 1;
        if self.answer.n_steps.is_multiple_of(64) && (self.stop)() {
            return Err(Interrupt::Refused(Refusal::Stopped));
        }
        Ok(())
    }

    fn evaluate(&self, term: TermId) -> Option<u64> {
        self.terms.evaluate(term, &self.known)
    }

    /// Draws the consequences of the sources chosen so far; false if they contradict a constraint.
    pub(super) fn follow(&mut self) -> Result<bool, Interrupt> {
        loop {
            let mut changed = false;
            for &read in &self.reads {
                let event = &self.skeleton.events[read];
                let variable = event.variable.expect("a read defines a variable") as usize;
                if self.known[variable].is_some() {
                    continue;
                }
                let value = match self.source[read] {
                    Source::Open => continue,
                    Source::Write(write) => self.evaluate(self.skeleton.events[write].value),
                    Source::Nothing => Some(NOTHING),
                };
                self.known[variable] = value;
                changed |= value.is_some();
            }
            if !changed {
                break;
            }
        }
        for &(term, wanted) in &self.skeleton.constraints {
            if self.evaluate(term).is_some_and(|value| (value != 0) != wanted) {
                return Ok(false);
            }
        }
        if self.skeleton.cells.is_none() {
            for index in 0..self.cells.len() {
                let event = &self.skeleton.events[index];
                if self.cells[index].is_some() {
                    continue;
                }
                let Some(address) = event.address.and_then(|address| self.evaluate(address)) else { continue };
                if event.kind == Kind::Fence {
                    self.cells[index] = Some(address);
                    continue;
                }
                match cell(self.test, self.skeleton.granule, address, event.offset, event.size) {
                    Ok(cell) => self.cells[index] = Some(cell),
                    Err(Misfit::Granule) => return Err(Interrupt::Granule),
                    Err(Misfit::Nowhere) => return Ok(false),
                }
            }
            for &read in &self.reads {
                if let Source::Write(write) = self.source[read]
                    && let (Some(a), Some(b)) = (self.cells[read], self.cells[write])
                    && a != b
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn choose_source(&mut self) -> Searched {
        self.tick()?;
        if !self.follow()? || !self.is_promising() {
            return Ok(());
        }
        let open = self.reads.iter().copied().filter(|&read| self.source[read] == Source::Open);
        let Some(read) = open.clone().find(|&read| self.cells[read].is_some()).or_else(|| open.clone().next()) else {
            return self.sources_chosen();
        };
        let place = self.cells[read];
        let candidates: Vec<usize> = self
            .writes
            .iter()
            .copied()
            .filter(|&write| place.is_none() || self.cells[write].is_none() || self.cells[write] == place)
            .collect();
        let is_placed = self.skeleton.cells.is_some();
        // A receive may come back with nothing; whether that is allowed, the model says.
        let nothing = self.test.dialect.has_messages().then_some(Source::Nothing);
        let n_choices = candidates.len() + usize::from(nothing.is_some());
        for choice in candidates.iter().map(|&write| Source::Write(write)).chain(nothing) {
            let known = self.known.clone();
            let cells = (!is_placed).then(|| self.cells.clone());
            self.source[read] = choice;
            if let Source::Write(write) = choice {
                self.rf.insert(write, read);
            }
            let upper = is_placed.then(|| self.rf_upper.clone());
            if is_placed {
                for &other in &candidates {
                    if choice != Source::Write(other) {
                        self.rf_upper.remove(other, read);
                    }
                }
            }
            let is_free = n_choices == 1 || !is_placed || !self.obeys || self.model.is_dynamic;
            let result = if is_free || !self.is_broken() { self.choose_source() } else { Ok(()) };
            if let Source::Write(write) = choice {
                self.rf.remove(write, read);
            }
            self.source[read] = Source::Open;
            if let Some(upper) = upper {
                self.rf_upper = upper;
            }
            self.known = known;
            if let Some(cells) = cells {
                self.cells = cells;
            }
            result?;
        }
        Ok(())
    }

    fn sources_chosen(&mut self) -> Searched {
        // Values that depend on themselves are no values: such executions do not exist.
        let is_complete = self.reads.iter().all(|&read| {
            let variable = self.skeleton.events[read].variable.expect("a read defines a variable");
            self.known[variable as usize].is_some()
        });
        if !is_complete {
            return Ok(());
        }
        if self.skeleton.cells.is_none() {
            self.place();
            self.rf_upper = self.rf.clone();
            if self.obeys && !self.model.is_dynamic && self.is_broken() {
                return Ok(());
            }
        }
        self.is_counted = false;
        match self.choose_order(0) {
            Err(Interrupt::Satisfied) if self.question.goal == Goal::Rf => Ok(()),
            other => other,
        }
    }

    /// Orders the rivals from `next` on.
    fn choose_order(&mut self, next: usize) -> Searched {
        self.tick()?;
        if !self.is_promising() {
            return Ok(());
        }
        let open = self.rivals[next..].iter().position(|&(a, b)| !self.co.contains(a, b) && !self.co.contains(b, a));
        let Some(position) = open else { return self.complete() };
        let (a, b) = self.rivals[next + position];
        for (first, second) in [(a, b), (b, a)] {
            let (co, upper) = (self.co.clone(), self.co_upper.clone());
            self.co.insert_closed(first, second);
            // What is ordered one way is not ordered the other way.
            for (from, to) in self.co.iter().collect::<Vec<_>>() {
                self.co_upper.remove(to, from);
            }
            let is_last = !self.rivals[next..].iter().any(|&(a, b)| !self.co.contains(a, b) && !self.co.contains(b, a));
            let is_free = is_last || !self.obeys || self.model.is_dynamic;
            let result = if is_free || !self.is_broken() { self.choose_order(next + position + 1) } else { Ok(()) };
            self.co = co;
            self.co_upper = upper;
            result?;
        }
        Ok(())
    }

    /// Whether what is looked for is still possible. When everything is looked for, it is.
    fn is_promising(&self) -> bool {
        let state = || -> Vec<Prospect> { (0..self.test.observed.len()).map(|index| self.prospect(index)).collect() };
        match (&self.test.filter, self.question.goal) {
            (None, goal) if goal != Goal::Verdict => true,
            (filter, goal) => {
                let state = state();
                let passes = filter.as_ref().is_none_or(|filter| three_valued(filter, &state).0);
                passes && (goal != Goal::Verdict || self.is_wanted(three_valued(&self.test.condition, &state)))
            }
        }
    }

    fn is_wanted(&self, (may, may_not): (bool, bool)) -> bool {
        if self.test.quantifier == Quantifier::Forall { may_not } else { may }
    }

    fn prospect(&self, index: usize) -> Prospect {
        let observed = &self.test.observed[index];
        match observed.what {
            Observable::Register { thread, reg } => {
                match self.evaluate(self.skeleton.registers[thread][reg.0 as usize]) {
                    Some(value) => Prospect::Known(observed.cut(value)),
                    None => Prospect::Open,
                }
            }
            Observable::Memory { .. } => {
                let cells = self.skeleton.observed_cells(observed.what);
                let &[cell] = &cells[..] else { return Prospect::Open };
                if self.writes.iter().any(|&write| self.cells[write].is_none()) {
                    return Prospect::Open;
                }
                let mut values = Vec::new();
                for &write in self.writes.iter().filter(|&&write| self.cells[write] == Some(cell)) {
                    if self.co.universe() > 0 && self.writes.iter().any(|&later| self.co.contains(write, later)) {
                        continue;
                    }
                    match self.evaluate(self.skeleton.events[write].value) {
                        Some(value) => values.push(observed.cut(value)),
                        None => return Prospect::Open,
                    }
                }
                Prospect::Among(values)
            }
        }
    }

    /// The final state of a complete execution.
    pub(super) fn state(&self) -> Vec<u64> {
        let value_of = |index: usize| {
            let observed = &self.test.observed[index];
            match observed.what {
                Observable::Register { thread, reg } => {
                    let value = self.evaluate(self.skeleton.registers[thread][reg.0 as usize]);
                    observed.cut(value.expect("all reads are known"))
                }
                Observable::Memory { .. } => {
                    let mut word = 0;
                    let mut shift = 0;
                    for cell in self.skeleton.observed_cells(observed.what) {
                        let mut writes = self.writes.iter().copied().filter(|&write| self.cells[write] == Some(cell));
                        let last =
                            writes.find(|&write| !self.writes.iter().any(|&later| self.co.contains(write, later)));
                        let last = last.expect("every cell has an initial write");
                        let event = &self.skeleton.events[last];
                        word |= self.evaluate(event.value).expect("all reads are known") << shift;
                        shift += u32::from(event.size) * 8;
                    }
                    observed.cut(word)
                }
            }
        };
        (0..self.test.observed.len()).map(value_of).collect()
    }

    /// The value that an access reads or writes.
    pub(super) fn value_of(&self, event: usize) -> Option<u64> {
        self.evaluate(self.skeleton.events[event].value)
    }

    /// A complete execution: does it exist, and what does it tell?
    pub(super) fn complete(&mut self) -> Searched {
        if self.model.is_dynamic {
            return self.complete_dynamic();
        }
        self.put_exact(self.model, self.chosen);
        let graph = &self.model.outcome.graph;
        let mut values = std::mem::replace(self.values, Values::new(&Default::default(), 0));
        let differ = |a: usize, b: usize| self.value_of(a) != self.value_of(b);
        let mut violated = Vec::new();
        values.compute(graph, &self.model.axioms, &differ);
        for check in self.model.outcome.checks.iter().filter(|check| check.severity == Severity::Forbids) {
            if values.violates(graph, check.node, check.shape) != check.is_negated {
                violated.push(check);
                if self.obeys {
                    break;
                }
            }
        }
        if self.obeys && !violated.is_empty() {
            *self.values = values;
            return Ok(());
        }
        let state = self.state();
        let is_positive = self.test.condition.holds(&state);
        let passes = self.test.filter.as_ref().is_none_or(|filter| filter.holds(&state));
        let mut flags = Vec::new();
        if passes && self.question.with_flags {
            values.compute(graph, &self.model.flags, &differ);
            for check in self.model.outcome.checks.iter().filter(|check| check.severity != Severity::Forbids) {
                // `flag ~empty r` raises its flag when the test as written succeeds, the others when it fails.
                let succeeds = values.violates(graph, check.node, check.shape) == check.is_negated;
                if succeeds == (check.severity == Severity::Flags) {
                    flags.push(check.name.clone());
                }
            }
        }
        let violated: Vec<Violation> =
            violated.into_iter().map(|check| picture::violation(graph, &values, check)).collect();
        let is_asked_for = match self.question.goal {
            Goal::Verdict if self.obeys => self.is_wanted((is_positive, !is_positive)),
            _ => is_positive || !self.question.keep_positive,
        };
        let keeps = passes && self.answer.executions.len() < self.question.keep && is_asked_for;
        let execution = keeps.then(|| {
            values.compute(graph, &self.model.shows, &differ);
            let mut relations = picture::relations(self);
            for (name, node) in &self.model.outcome.shows {
                if !relations.iter().any(|(known, _)| known == name) {
                    relations.push((name.clone(), values.relation(*node, Bound::Lower).clone()));
                }
            }
            Execution {
                events: picture::events(self),
                relations,
                sets: picture::sets(self, &values),
                state: state.clone(),
                is_positive,
                flags: flags.clone(),
                violated,
            }
        });
        *self.values = values;
        if !passes {
            return Ok(());
        }
        self.count(state, is_positive, flags, execution)
    }

    fn count(
        &mut self,
        state: Vec<u64>,
        is_positive: bool,
        flags: Vec<String>,
        execution: Option<Execution>,
    ) -> Searched {
        self.answer.flags.extend(flags);
        self.answer.n_complete += 1;
        let is_new = match self.question.goal {
            Goal::States => !self.answer.states.contains_key(&state),
            // The first order of writes stands for all.
            Goal::Rf => !self.is_counted,
            Goal::Verdict | Goal::Executions => true,
        };
        self.is_counted = true;
        self.last_state.clone_from(&state);
        if is_new {
            self.answer.executions.extend(execution);
            self.answer.states.entry(state).or_insert((0, is_positive)).0 += 1;
            let count = if is_positive { &mut self.answer.n_positive } else { &mut self.answer.n_negative };
            *count += 1;
        }
        match self.question.goal {
            Goal::Verdict if self.is_wanted((is_positive, !is_positive)) => Err(Interrupt::Satisfied),
            // Other orders of writes may still raise flags.
            Goal::Rf if !self.has_flags() => Err(Interrupt::Satisfied),
            _ => Ok(()),
        }
    }

    /// Whether flags are wanted and the model has any.
    pub(super) fn has_flags(&self) -> bool {
        let mut checks = self.model.outcome.checks.iter();
        self.question.with_flags && checks.any(|check| check.severity != Severity::Forbids)
    }

    fn put_exact(&mut self, model: &Model, chosen: &Chosen) {
        debug_assert!(!model.is_dynamic);
        self.values.set_exact(true);
        if let Some(rf) = chosen.rf {
            self.values.put_relation(rf, Bound::Lower, &self.rf);
        }
        if let Some(co) = chosen.co {
            self.values.put_relation(co, Bound::Lower, &self.co);
        }
        if let Some(finals) = chosen.finals {
            let finals_now = self.finals();
            self.values.put_set(finals, Bound::Lower, &finals_now);
        }
    }

    pub(super) fn finals(&self) -> EventSet {
        let is_last = |write: usize| !self.writes.iter().any(|&later| self.co.contains(write, later));
        EventSet::of(self.skeleton.events.len(), self.writes.iter().copied().filter(|&write| is_last(write)))
    }
}
