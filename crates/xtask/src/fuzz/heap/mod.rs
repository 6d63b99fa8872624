//! Does every engine know when an object is gone? Random programs about lifetimes, against an oracle of their own.
//!
//! What is true is known from [`oracle`], which runs the trees of the programs and shares nothing with the engines or the front end. Where an execution does something
//! undefined that was not asked about, nobody may claim a violation that the oracle does not know. About races the oracle
//! says nothing: there the engines must not contradict each other.
//!
//! Would it notice? With `--blind free` or `--blind scopes` the engines get programs without these ends of objects, and must be found out.
//! For changes of `ir::access` itself see CONTRIBUTING.md.

mod oracle;
mod program;
#[cfg(test)]
mod tests;

use super::subject::{Question, Subject, Truth, Unasked};
use ir::Property;
use program::{Program, generate};

/// A question, and what the oracle answers.
type Row = (&'static str, &'static [Property], fn(oracle::Truth) -> Option<bool>);

/// The first is asked about every program, and one of the others in turn.
const QUESTIONS: [Row; 5] = [
    (
        "reach,assert,valid-deref,valid-free",
        &[Property::ErrorCall, Property::Assertion, Property::Deref, Property::Free],
        |truth| Some(truth.errs || truth.misuses),
    ),
    ("reach,assert", &[Property::ErrorCall, Property::Assertion], |truth| Some(truth.errs)),
    ("valid-deref,valid-free,memcleanup", &[Property::Deref, Property::Free, Property::MemCleanup], |truth| {
        Some(truth.misuses || truth.leaves)
    }),
    ("deadlock", &[Property::Deadlock], |truth| Some(truth.deadlocks)),
    ("race", &[Property::Race], |_| None),
];

impl Subject for Program {
    fn text(&self) -> String {
        Program::text(self)
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        Program::smaller(self).into_iter().map(|less| Box::new(less) as Box<dyn Subject>).collect()
    }

    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked> {
        let truth = oracle::explore(self).ok_or(Unasked::TooLarge)?;
        let question = |(name, properties, expects): Row| {
            let is_undefined = truth.misuses && !properties.contains(&Property::Deref);
            let truth = expects(truth).map_or(Truth::Nobody, Truth::Known);
            Question { is_undefined, ..Question::new(name, properties, truth) }
        };
        let other = 1 + turn as usize % (QUESTIONS.len() - 1);
        Ok([QUESTIONS[0], QUESTIONS[other]].map(question).into())
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(generate(seed))
}
