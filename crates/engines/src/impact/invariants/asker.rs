//! Is there a state like this, and if not, why not?
//!
//! A solver has to give every circuit that it has seen a value, so it is made anew for each step that is looked at: questions about one step are alike, those about others are not.

use crate::abstraction::cells::Cells;
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Assignment, Backend, Bits, Decision, Limits, Solver, Why};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Asks for states.
pub(super) struct Asker {
    limits: Limits,
    bits: Bits,
    until: Instant,
    consequences: Consequences,
}

/// What formulas follow from, as far as that was asked. The same step is looked at again whenever something has changed before or after it, and from all nodes at its place.
pub(super) type Consequences = Rc<RefCell<FxHashMap<TermId, Vec<Rc<[TermId]>>>>>;

/// Reasons of one formula that are remembered.
const MAX_REASONS: usize = 8;

/// Time for one question, at most.
const PATIENCE: Duration = Duration::from_millis(700);

impl Asker {
    /// Everything has to be answered until a moment.
    pub(super) fn new(limits: Limits, until: Instant, consequences: Consequences) -> Asker {
        Asker { limits, bits: Bits::new(), until, consequences }
    }

    fn limits(&self) -> Limits {
        let left = self.until.saturating_duration_since(Instant::now());
        Limits { time: Some(left.min(PATIENCE)), ..self.limits.clone() }
    }

    /// Questions from here on are about something else.
    pub(super) fn begin_again(&mut self) {
        self.bits = Bits::new();
    }

    fn decide(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Decision {
        self.bits.set_limits(self.limits());
        self.bits.decide(&cells.pool, question)
    }

    /// Whether it is known already that a formula follows from others.
    pub(super) fn follows(&self, formula: TermId, known: &FxHashSet<TermId>) -> bool {
        let consequences = self.consequences.borrow();
        let mut reasons = consequences.get(&formula).into_iter().flatten();
        reasons.any(|reason| reason.iter().all(|other| known.contains(other)))
    }

    /// A state in which all of the first hold, and not all of the second.
    pub(super) fn state(
        &mut self,
        cells: &mut Cells<'_>,
        known: &[TermId],
        claimed: &[TermId],
    ) -> Result<Option<Assignment>, Why> {
        let all = cells.pool.and_all(claimed);
        let fails = cells.pool.not(all);
        let question: Vec<TermId> = known.iter().copied().chain([fails]).collect();
        let core = match self.decide(cells, &question) {
            Decision::Sat => return Ok(Some(self.bits.assignment(&cells.pool))),
            Decision::Unsat => self.bits.core(),
            Decision::Unknown(Why::Incomplete(_)) => match self.ask_another(cells, &question) {
                Answer::Sat(state) => return Ok(Some(state)),
                Answer::Unsat(core) => core,
                Answer::Unknown(why) => return Err(why),
            },
            Decision::Unknown(why) => return Err(why),
        };
        let reason: Rc<[TermId]> = core.into_iter().filter(|formula| *formula != fails).collect();
        let mut consequences = self.consequences.borrow_mut();
        for formula in claimed {
            let reasons = consequences.entry(*formula).or_default();
            if reasons.len() >= MAX_REASONS {
                reasons.remove(0);
            }
            reasons.push(reason.clone());
        }
        Ok(None)
    }

    /// Those of a question that contradict each other; none if all can hold together.
    pub(super) fn core(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Result<Option<Vec<TermId>>, Why> {
        match self.decide(cells, question) {
            Decision::Sat => Ok(None),
            Decision::Unsat => Ok(Some(self.bits.core())),
            Decision::Unknown(Why::Incomplete(_)) => match self.ask_another(cells, question) {
                Answer::Sat(_) => Ok(None),
                Answer::Unsat(core) => Ok(Some(core)),
                Answer::Unknown(why) => Err(why),
            },
            Decision::Unknown(why) => Err(why),
        }
    }

    /// Z3 knows what bits do not.
    fn ask_another(&self, cells: &Cells<'_>, question: &[TermId]) -> Answer {
        let mut solver = Solver::new(Backend::Z3);
        solver.set_limits(self.limits());
        solver.check(&cells.pool, question)
    }
}
