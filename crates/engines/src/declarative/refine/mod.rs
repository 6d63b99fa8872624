//! What should have been known, when the abstraction allows an execution and the program does not? Predicates and variables, from interpolants.
//!
//! Known as: refinement by interpolants over the formula of an execution, in which literals of relations occur \[Bajczi22, section 5.3.2.5].
//!
//! The execution that was not excluded is written down with its statements ([`walks`], [`formula`]). Who reads from whom is chosen in all ways. If the values of a choice contradict each other, the
//! interpolants between the steps say what to know: atoms about variables of a thread; atoms about what is written to a shared variable; and literals that say who reads from whom, behind which there
//! is a shared variable, which then is tracked. If the values fit, the memory model forbids the choice, by reads that are found by leaving out one after the other; what they read is tracked as well. What
//! values teach is tried first. [`precision`] takes from it what the domain knows about; where no interpolants are found, or they say nothing new, [`dependences`] tell what is tracked.

mod dependences;
mod formula;
mod precision;
mod walks;

use super::choice::{Choice, Source};
use super::facts::is_own;
use super::growing::Graphs;
use super::lanes::{Lane, Lanes};
use super::search::Search;
use super::steps::Steps;
use crate::Run;
use crate::abstraction::interpolants::{Technique, atoms, interpolants};
use formula::Formula;
use ir::{Known, ProcId, Scope, ThreadEvent, Why};
use logic::{TermId, VarId};
pub(super) use precision::{Domain, Refinement};
use smt::{Answer, Backend, Solver};
use std::collections::BTreeSet;
use walks::{Walks, executions};

/// Contradictions of one execution that are looked at.
const MAX_CONFLICTS: usize = 60;

/// Those of them that interpolants are asked for.
const MAX_INTERPOLATED: usize = 12;

/// Judgements of the model in one lesson: what it needs is found out by the next one, or not at all.
const MAX_JUDGED: u64 = 1000;

/// Larger predicates (as trees) are left alone.
const MAX_SIZE: u32 = 60;

/// What to know.
#[derive(Clone, Default, Debug, PartialEq, Eq)]
pub(super) struct Lesson {
    /// Predicates over variables of one procedure, or over one shared variable.
    pub(super) predicates: BTreeSet<TermId>,
    /// Whole interpolants of that kind, which say more than their atoms one by one.
    pub(super) wholes: BTreeSet<TermId>,
    /// The variables of all atoms of interpolants.
    pub(super) vars: BTreeSet<VarId>,
    /// Shared variables that were written or read from in them.
    pub(super) shared: BTreeSet<VarId>,
    /// Shared variables of reads that the model does not allow together.
    pub(super) related: BTreeSet<VarId>,
    /// Whether an execution was found that nothing is wrong with.
    pub(super) is_real: bool,
}

/// What an execution to a bad node teaches that the model did not exclude.
pub(super) fn learn(
    graphs: &Graphs,
    steps: &mut Steps<'_>,
    search: &mut Search<'_>,
    bad: (u32, u32),
    domain: Domain,
    run: &mut Run,
) -> Result<Lesson, Why> {
    let found = search.found.take();
    let events: Vec<Option<Vec<ThreadEvent>>> = found
        .map_or_else(Vec::new, |choice| choice.lanes.into_iter().map(|lane| lane.map(|lane| lane.events)).collect());
    let mut lesson = Lesson::default();
    for walks in executions(graphs, steps, bad, &events) {
        let formula = Formula::new(graphs, steps, &walks, bad.0);
        let nogoods = Vec::new();
        let mut conflicts = Conflicts { graphs, steps, search, domain, formula, nogoods, n_interpolated: 0 };
        conflicts.explain(&walks, bad.0, &mut lesson, run)?;
        // One contradiction is enough to go on with.
        if lesson.is_real || !lesson.vars.is_empty() {
            break;
        }
    }
    Ok(lesson)
}

struct Conflicts<'c, 'p, 'a> {
    graphs: &'c Graphs,
    steps: &'c mut Steps<'p>,
    search: &'c mut Search<'a>,
    domain: Domain,
    formula: Formula,
    /// Choices that contradict each other: read and candidate.
    nogoods: Vec<Vec<(usize, usize)>>,
    n_interpolated: usize,
}

impl Conflicts<'_, '_, '_> {
    fn explain(&mut self, walks: &Walks, anchor: u32, lesson: &mut Lesson, run: &mut Run) -> Result<(), Why> {
        let mut solver = Solver::new(Backend::Bits);
        solver.set_limits(run.solver_limits());
        for part in self.formula.parts.iter().flatten() {
            solver.assert(&self.steps.cells.pool, *part);
        }
        let last = self.search.n_checks + MAX_JUDGED;
        for _ in 0..MAX_CONFLICTS {
            if let Some(why) = run.stop_soon() {
                return Err(why);
            }
            if self.search.n_checks > last {
                return Ok(());
            }
            let mut chosen = Vec::new();
            if !self.choose(&mut chosen) {
                return Ok(());
            }
            let meant: Vec<TermId> =
                chosen.iter().enumerate().map(|(r, c)| self.formula.candidates[r][*c].means).collect();
            let is_said = |term: &TermId| self.steps.cells.pool.as_const(*term).is_none();
            let assumed: Vec<TermId> = meant.iter().copied().filter(is_said).collect();
            let conflict: Vec<(usize, usize)> = match solver.check(&self.steps.cells.pool, &assumed) {
                Answer::Unknown(smt::Why::Incomplete(_)) => return Ok(()),
                Answer::Unknown(why) => return Err(run.why_stopped(why)),
                Answer::Unsat(core) => {
                    let pairs = chosen.iter().copied().enumerate();
                    let conflict: Vec<(usize, usize)> = pairs.filter(|(r, _)| core.contains(&meant[*r])).collect();
                    self.interpolate(&conflict, lesson, run)?;
                    // Values are tracked as they are needed; predicates are better known together.
                    let is_new = |var: &VarId| !self.steps.tracked.contains(var);
                    if self.domain == Domain::Explicit && lesson.vars.iter().chain(&lesson.shared).any(is_new) {
                        return Ok(());
                    }
                    conflict
                }
                Answer::Sat(_) => match self.forbidden(walks, anchor, &chosen, run)? {
                    Some(conflict) => {
                        lesson.related.extend(conflict.iter().map(|(r, _)| self.formula.reads[*r].var));
                        conflict
                    }
                    None => {
                        lesson.is_real = true;
                        return Ok(());
                    }
                },
            };
            if conflict.is_empty() {
                return Ok(());
            }
            self.nogoods.push(conflict);
        }
        Ok(())
    }

    /// A source for each read, with no choice of which it is known that it contradicts itself.
    fn choose(&self, chosen: &mut Vec<usize>) -> bool {
        let read = chosen.len();
        let breaks = |nogood: &Vec<(usize, usize)>| nogood.iter().all(|(r, c)| chosen.get(*r) == Some(c));
        if self.nogoods.iter().any(breaks) {
            return false;
        }
        if read == self.formula.reads.len() {
            return true;
        }
        for candidate in 0..self.formula.candidates[read].len() {
            chosen.push(candidate);
            if self.choose(chosen) {
                return true;
            }
            chosen.pop();
        }
        false
    }

    /// Some of the sources that the model forbids together; none if it allows them all.
    fn forbidden(
        &mut self,
        walks: &Walks,
        anchor: u32,
        chosen: &[usize],
        run: &mut Run,
    ) -> Result<Option<Vec<(usize, usize)>>, Why> {
        let program = self.steps.program;
        let shared = (0..program.vars.len() as u32).map(VarId).filter(|var| program.var(*var).scope == Scope::Global);
        let lanes = Lanes {
            graphs: self.graphs,
            anchor,
            event: None,
            lanes: Vec::new(),
            parents: Vec::new(),
            initial: shared.map(|var| (var, Known::Anything)).collect(),
        };
        let kept = walks.iter().zip(&self.formula.events).map(|(walk, events)| {
            walk.as_ref().map(|_| Lane {
                events: events.clone(),
                depth: vec![0; events.len()],
                spots: vec![Vec::new(); events.len() + 1],
            })
        });
        let kept: Vec<Option<Lane>> = kept.collect();
        let mut left: Vec<(usize, usize)> = chosen.iter().copied().enumerate().collect();
        let mut allows = |left: &[(usize, usize)], run: &mut Run| {
            let source = |(r, c): &(usize, usize)| {
                let write = self.formula.candidates[*r][*c].write;
                let source = write.map_or(Source::Initial, |write| Source::Event(self.formula.writes[write].place));
                (self.formula.reads[*r].place, source)
            };
            let sources = left.iter().map(source).collect();
            let choice = Choice { lanes: kept.clone(), sources, alone: Vec::new(), keeps_laps: 0 };
            self.search.allows(&lanes, &choice, run)
        };
        if allows(&left, run)? {
            return Ok(None);
        }
        let mut at = 0;
        while at < left.len() {
            let mut rest = left.clone();
            rest.remove(at);
            if allows(&rest, run)? {
                at += 1;
            } else {
                left = rest;
            }
        }
        Ok(Some(left))
    }

    /// Learns from interpolants between the steps of values that contradict each other.
    fn interpolate(&mut self, conflict: &[(usize, usize)], lesson: &mut Lesson, run: &mut Run) -> Result<(), Why> {
        self.n_interpolated += 1;
        if self.n_interpolated > MAX_INTERPOLATED {
            return Ok(());
        }
        let mut parts = self.formula.parts.clone();
        let mut literals = Vec::new();
        for (read, candidate) in conflict {
            let candidate = self.formula.candidates[*read][*candidate];
            let literal = self.steps.cells.pool.var(candidate.literal);
            let negation = self.steps.cells.pool.not(literal);
            parts[self.formula.reads[*read].part].push(self.steps.cells.pool.or(negation, candidate.means));
            literals.push(literal);
        }
        let mut path: Vec<TermId> = vec![self.steps.cells.pool.and_all(&literals)];
        for part in parts.iter().filter(|part| !part.is_empty()) {
            path.push(self.steps.cells.pool.and_all(part));
        }
        let found = interpolants(&mut self.steps.cells, &path, Technique::Sequence, &run.solver_limits())
            .map_err(|why| run.why_stopped(why))?;
        for (_, interpolant) in found {
            for atom in atoms(&self.steps.cells, interpolant) {
                let predicate = self.learn_of(atom, lesson);
                lesson.predicates.extend(predicate);
            }
            // With these sources, what is left of it.
            let yes = self.steps.cells.pool.bool(true);
            let behind = &self.formula.behind;
            let rest = self.steps.cells.pool.substitute(interpolant, &|var| behind.contains_key(&var).then_some(yes));
            let predicate = self.learn_of(rest, lesson);
            lesson.wholes.extend(predicate);
        }
        Ok(())
    }

    /// Learns from an atom of an interpolant, or all of it: the predicate that it is, if the domain can know it.
    fn learn_of(&mut self, atom: TermId, lesson: &mut Lesson) -> Option<TermId> {
        let program = self.steps.program;
        let (mut own, mut shared): (Vec<VarId>, Vec<VarId>) = (Vec::new(), Vec::new());
        let copies = self.steps.cells.vars_in(atom);
        let mut map: Vec<(VarId, TermId)> = Vec::new();
        for copy in copies.iter() {
            if let Some(var) = self.formula.behind.get(copy) {
                lesson.shared.insert(*var);
                return None;
            }
            let var = self.steps.cells.origin(*copy)?;
            if program.var(var).scope == Scope::Global { &mut shared } else { &mut own }.push(var);
            map.push((*copy, self.steps.cells.pool.var(var)));
        }
        lesson.vars.extend(own.iter().chain(&shared));
        lesson.shared.extend(&shared);
        let is_told = match (&own[..], &shared[..]) {
            ([], [_]) => true,
            // Two copies of one variable are two moments of it.
            (own, []) => {
                own.iter().collect::<BTreeSet<_>>().len() == own.len()
                    && (0..program.procs.len() as u32)
                        .map(ProcId)
                        .any(|proc| own.iter().all(|var| is_own(program, proc, *var)))
            }
            _ => false,
        };
        let pool = &mut self.steps.cells.pool;
        let predicate = pool.substitute(atom, &|copy| map.iter().find(|(own, _)| *own == copy).map(|(_, term)| *term));
        (is_told && pool.as_const(predicate).is_none() && pool.tree_size(predicate) <= MAX_SIZE).then_some(predicate)
    }
}
