//! Is there a state like this, and if not, why not?
//!
//! A solver has to give every circuit that it has seen a value, so it is made anew for each step that is looked at: questions about one step are alike, those about others are not.

use crate::abstraction::cells::Cells;
use logic::TermId;
use smt::{Answer, Assignment, Backend, Bits, Decision, Limits, Solver, Why};
use std::time::{Duration, Instant};

/// Asks for states.
pub(super) struct Asker {
    limits: Limits,
    bits: Bits,
    until: Instant,
}

/// Time for one question, at most.
const PATIENCE: Duration = Duration::from_millis(700);

impl Asker {
    /// Everything has to be answered until a moment.
    pub(super) fn new(limits: Limits, until: Instant) -> Asker {
        Asker { limits, bits: Bits::new(), until }
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

    /// A state in which all of these hold.
    pub(super) fn state(&mut self, cells: &Cells<'_>, question: &[TermId]) -> Result<Option<Assignment>, Why> {
        match self.decide(cells, question) {
            Decision::Sat => Ok(Some(self.bits.assignment(&cells.pool))),
            Decision::Unsat => Ok(None),
            Decision::Unknown(Why::Incomplete(_)) => match self.ask_another(cells, question) {
                Answer::Sat(state) => Ok(Some(state)),
                Answer::Unsat(_) => Ok(None),
                Answer::Unknown(why) => Err(why),
            },
            Decision::Unknown(why) => Err(why),
        }
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
