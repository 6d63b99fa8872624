//! Is the library of threads what the standards say? Random programs of what it offers, against an oracle of their own.
//!
//! Read-write locks, barriers, once, thread-specific data with destructors, conditions, semaphores, waiting until some time, mutexes that count or check, ends of threads in the
//! middle, results, loops that start and join, in the words of POSIX and of C11; between them numbers of many types, jumps and recursion. The oracle runs
//! the trees. It says whether an assertion can fail and whether somebody can wait for ever; nothing is misused; about races it says nothing, and
//! there the engines must not contradict each other.

mod oracle;
mod print;
mod program;
#[cfg(test)]
mod tests;

use super::subject::{Question, Subject, Truth, Unasked};
use ir::Property;
use program::{Program, generate};

impl Subject for Program {
    fn text(&self) -> String {
        print::text(self)
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        Program::smaller(self).into_iter().map(|less| Box::new(less) as Box<dyn Subject>).collect()
    }

    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked> {
        let truth = oracle::explore(self).ok_or(Unasked::TooLarge)?;
        let mut questions = vec![
            Question::new("assert", &[Property::Assertion], Truth::Known(truth.errs)),
            Question::new("deadlock", &[Property::Deadlock], Truth::Known(truth.deadlocks)),
        ];
        match turn % 4 {
            0 => questions.push(Question::new("misuse", &[Property::Misuse], Truth::Known(false))),
            2 => questions.push(Question::new("race", &[Property::Race], Truth::Nobody)),
            _ => {}
        }
        Ok(questions)
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(generate(seed))
}
