//! Which conditions contradict each other, and which of them does the contradiction need?
//!
//! Known as: unsatisfiable cores under assumptions, minimised by deletion; lemma reuse.
//!
//! Questions are lists of conditions, and those of one unwinding are much alike. So the cheap comes first: a condition that is false or whose opposite is asked for too, a question that was
//! asked before, a contradiction found for another question whose conditions all occur in this one, a solution found for another question. Then one solver is asked, which keeps the circuits of
//! the conditions it has seen, and is made anew when they have become many.
//!
//! Invariant: what is called a contradiction has no solution, since terms mean the same in every question.

use crate::abstraction::cells::Cells;
use logic::{Node, Op, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Assignment, Backend, Bits, Decision, Limits, Solver};
use std::rc::Rc;

/// Conditions that contradict each other.
pub(in crate::impact) type Core = Rc<FxHashSet<TermId>>;

/// Remembers what it was asked.
pub(in crate::impact) struct Reasons {
    limits: Limits,
    /// What they are cut into matters for the answer.
    known: FxHashMap<Box<[TermId]>, Option<Core>>,
    /// The latest contradictions and solutions, in a ring each.
    cores: Vec<Core>,
    next_core: usize,
    solutions: Vec<Assignment>,
    next_solution: usize,
    bits: Bits,
    n_checks: u32,
    /// Questions that a solver was asked.
    pub(in crate::impact) n_solved: u64,
    pub(in crate::impact) time: std::time::Duration,
}

/// Contradictions and solutions that are tried before a solver is asked.
const RECENT_CORES: usize = 256;
const RECENT_SOLUTIONS: usize = 6;
/// Conditions of more nodes (as trees) are not evaluated.
const MAX_EVALUATED: u32 = 4000;
/// Checks after which the solver is made anew.
const MAX_CHECKS: u32 = 40;
/// Cores of more conditions are taken as they are.
const MAX_MINIMISED: usize = 40;

impl Reasons {
    pub(in crate::impact) fn new(limits: Limits) -> Reasons {
        Reasons {
            limits,
            known: FxHashMap::default(),
            cores: Vec::new(),
            next_core: 0,
            solutions: Vec::new(),
            next_solution: 0,
            bits: Bits::new(),
            n_checks: 0,
            n_solved: 0,
            time: std::time::Duration::ZERO,
        }
    }

    /// Conditions that contradict each other, all of them needed as a rule; none if all may hold together.
    pub(in crate::impact) fn core(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Result<Option<Core>, smt::Why> {
        if let Some(core) = evident(cells, question) {
            return Ok(Some(Rc::new(core)));
        }
        if let Some(known) = self.known.get(question) {
            return Ok(known.clone());
        }
        let asked: FxHashSet<TermId> = question.iter().copied().collect();
        let found = self.cores.iter().find(|core| core.is_subset(&asked)).cloned();
        let is_small = question.iter().all(|cond| cells.pool.tree_size(*cond) <= MAX_EVALUATED);
        let holds = |solution: &Assignment| {
            is_small && question.iter().rev().all(|cond| solution.satisfies(&cells.pool, *cond))
        };
        let core = match found {
            Some(core) => Some(core),
            None if self.solutions.iter().any(holds) => None,
            None => {
                let started = std::time::Instant::now();
                let core = self.solve(cells, question);
                self.time += started.elapsed();
                core?
            }
        };
        self.known.insert(question.into(), core.clone());
        Ok(core)
    }

    /// A solution of all conditions; none if there is none, or if it is not known.
    pub(in crate::impact) fn solution(
        &mut self,
        cells: &Cells<'_>,
        question: &[TermId],
    ) -> Result<Option<Assignment>, smt::Why> {
        match self.answer(cells, question) {
            Answer::Sat(solution) => Ok(Some(solution)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(why) => Err(why),
        }
    }

    fn solve(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Result<Option<Core>, smt::Why> {
        self.n_solved += 1;
        match self.answer(cells, question) {
            Answer::Sat(solution) => {
                put(&mut self.solutions, &mut self.next_solution, RECENT_SOLUTIONS, solution);
                Ok(None)
            }
            Answer::Unsat(core) => {
                let core = Rc::new(self.smaller(cells, question, &core));
                put(&mut self.cores, &mut self.next_core, RECENT_CORES, core.clone());
                Ok(Some(core))
            }
            Answer::Unknown(why) => Err(why),
        }
    }

    /// By bits, or by Z3 where these do not know.
    fn answer(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Answer {
        match self.decide(cells, question) {
            Decision::Sat => Answer::Sat(self.bits.assignment(&cells.pool)),
            Decision::Unsat => Answer::Unsat(self.bits.core()),
            Decision::Unknown(smt::Why::Incomplete(_)) => {
                let mut solver = Solver::new(Backend::Z3);
                solver.set_limits(self.limits.clone());
                solver.check(&cells.pool, question)
            }
            Decision::Unknown(why) => Answer::Unknown(why),
        }
    }

    fn decide(&mut self, cells: &Cells<'_>, conds: &[TermId]) -> Decision {
        if self.n_checks >= MAX_CHECKS {
            self.bits = Bits::new();
            self.n_checks = 0;
        }
        self.n_checks += 1;
        self.bits.set_limits(self.limits.clone());
        self.bits.decide(&cells.pool, conds)
    }

    /// Of a contradiction the conditions that are needed; late ones rather than early ones.
    fn smaller(&mut self, cells: &Cells<'_>, question: &[TermId], core: &[TermId]) -> FxHashSet<TermId> {
        let mut seen = FxHashSet::default();
        let mut core: Vec<TermId> =
            question.iter().copied().filter(|term| core.contains(term) && seen.insert(*term)).collect();
        if core.len() > MAX_MINIMISED {
            return core.into_iter().collect();
        }
        let mut index = 0;
        while index < core.len() && core.len() > 1 {
            let mut rest = core.clone();
            rest.remove(index);
            match self.decide(cells, &rest) {
                Decision::Unsat => {
                    let fewer = self.bits.core();
                    core.retain(|term| fewer.contains(term));
                }
                Decision::Sat | Decision::Unknown(_) => index += 1,
            }
        }
        core.into_iter().collect()
    }
}

/// Puts something into a ring.
fn put<T>(ring: &mut Vec<T>, next: &mut usize, most: usize, new: T) {
    if ring.len() < most {
        ring.push(new);
    } else {
        ring[*next] = new;
        *next = (*next + 1) % most;
    }
}

/// A contradiction that shows: a condition that never holds, or one and its opposite.
fn evident(cells: &Cells<'_>, question: &[TermId]) -> Option<FxHashSet<TermId>> {
    let never = |term: &&TermId| cells.pool.as_const(**term).is_some_and(|value| !value.as_bool());
    if let Some(term) = question.iter().rev().find(never) {
        return Some([*term].into_iter().collect());
    }
    let all: FxHashSet<TermId> = question.iter().copied().collect();
    question.iter().rev().find_map(|term| match cells.pool.node(*term) {
        Node::App { op: Op::Not, args } if all.contains(&args[0]) => Some([*term, args[0]].into_iter().collect()),
        _ => None,
    })
}
