//! Programs of one thread with the corners of C in them, and the same with their functions in threads that take turns.
//!
//! Threads are ordered in one of three ways: each is joined before the next is started; they hand a semaphore on; or all globals are thread-local, so that each thread has
//! its own and the order does not matter. So there is one result, whatever the scheduler does, and the compiler's program prints it.

use super::super::subject::{Question, Subject, Unasked};
use super::program::{Program, Turns, generate};
use super::{PROLOGUE, questions};

impl Subject for Program {
    fn text(&self) -> String {
        format!("{PROLOGUE}{}", Program::text(self))
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        Program::smaller(self).into_iter().map(|less| Box::new(less) as Box<dyn Subject>).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        questions(&Subject::text(self))
    }
}

/// The program of a seed, in one thread.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(generate(seed, Turns::Main))
}

/// The program of a seed, in several.
pub(in super::super) fn make_threads(seed: u64) -> Box<dyn Subject> {
    let turns = [Turns::Join, Turns::Semaphore, Turns::Apart][seed as usize % 3];
    Box::new(generate(seed, turns))
}
