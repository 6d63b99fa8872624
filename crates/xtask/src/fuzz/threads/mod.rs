//! Programs of threads that share a few numbers. What is true of them the reference interpreter knows, which visits every state.
//!
//! The interpreter runs the lowered program, without any pass and without any reduction, under `tso` and `pso` with the stores that are on their way. So what is
//! found here is wrong in the engines, not in the front end; for that there are fuzzers with an oracle of their own.

mod blocks;
mod loops;
mod program;
mod retries;
mod sections;
mod weak;

use super::subject::{Question, Subject, Truth, Unasked};
use ir::{Model, Property};
use program::{Generated, generate};

/// A program, and the memory model it is asked about.
struct Threads {
    program: Generated,
    model: Model,
    /// Whether the engines are asked under the model of the same name in cat.
    by_axioms: bool,
    /// Whether it has loops without bound, of which the interpreter does not know all executions.
    is_endless: bool,
}

impl Subject for Threads {
    fn text(&self) -> String {
        self.program.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let smaller = self.program.smaller().into_iter();
        smaller.map(|program| Box::new(Threads { program, ..*self }) as Box<dyn Subject>).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        let ask = |name, properties| Question::new(name, properties, Truth::Interpreter);
        if self.by_axioms {
            let properties = &[Property::ErrorCall, Property::Assertion];
            let axioms = match self.model {
                Model::Tso => "tso.cat",
                Model::Pso => "pso.cat",
                Model::Sc | Model::Cat => "sc.cat",
            };
            let truth = if self.is_endless { Truth::States } else { Truth::Interpreter };
            let question = Question { truth, ..ask("reach,assert", properties) };
            return Ok(vec![Question { model: self.model, axioms: Some(axioms), ..question }]);
        }
        Ok(match self.model {
            Model::Sc => vec![
                ask("reach,assert", &[Property::ErrorCall, Property::Assertion]),
                ask("deadlock", &[Property::Deadlock]),
                ask("race", &[Property::Race]),
            ],
            model => {
                let properties = &[Property::ErrorCall, Property::Assertion, Property::Deadlock];
                vec![Question { model, ..ask("reach,assert,deadlock", properties) }]
            }
        })
    }
}

/// Under sequential consistency.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(Threads { program: generate(seed), model: Model::Sc, by_axioms: false, is_endless: false })
}

/// Threads whose atomic sections have branches.
pub(super) fn make_sections(seed: u64) -> Box<dyn Subject> {
    Box::new(Threads { program: sections::program(seed), model: Model::Sc, by_axioms: false, is_endless: false })
}

/// Threads that share blocks of memory whose size is an input.
struct Blocks(Generated);

impl Subject for Blocks {
    fn text(&self) -> String {
        self.0.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        self.0.smaller().into_iter().map(|program| Box::new(Blocks(program)) as Box<dyn Subject>).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        let properties = &[Property::ErrorCall, Property::Assertion, Property::Deref, Property::Free];
        Ok(vec![Question::new("reach,assert,valid-deref,valid-free", properties, Truth::Interpreter)])
    }
}

/// Blocks whose size is an input, under sequential consistency.
pub(super) fn make_blocks(seed: u64) -> Box<dyn Subject> {
    Box::new(Blocks(blocks::program(seed)))
}

/// Under total store order.
pub(super) fn make_tso(seed: u64) -> Box<dyn Subject> {
    Box::new(Threads { program: weak::program(seed), model: Model::Tso, by_axioms: false, is_endless: false })
}

/// Under partial store order.
pub(super) fn make_pso(seed: u64) -> Box<dyn Subject> {
    Box::new(Threads { program: weak::program(seed), model: Model::Pso, by_axioms: false, is_endless: false })
}

/// Under the axioms of sc, tso and pso in turn, which must say what the interpreter finds.
pub(super) fn make_cat(seed: u64) -> Box<dyn Subject> {
    let model = Model::ALL[(seed / 2 % 3) as usize];
    Box::new(Threads { program: weak::program(seed), model, by_axioms: true, is_endless: false })
}

/// Loops that read until they have found something, under the axioms of sc.
pub(super) fn make_retries(seed: u64) -> Box<dyn Subject> {
    Box::new(Threads { program: retries::program(seed), model: Model::Sc, by_axioms: true, is_endless: true })
}

/// Loops, of which the interpreter does not know all executions: those who visit states, or unroll, must not contradict.
struct Looping {
    program: Generated,
    model: Model,
    axioms: Option<&'static str>,
}

impl Subject for Looping {
    fn text(&self) -> String {
        self.program.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        let smaller = self.program.smaller().into_iter();
        smaller.map(|program| Box::new(Looping { program, ..*self }) as Box<dyn Subject>).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        let properties = &[Property::ErrorCall, Property::Assertion];
        let question = Question::new("reach,assert", properties, Truth::Nobody);
        Ok(vec![Question { model: self.model, axioms: self.axioms, ..question }])
    }
}

/// Under sc, tso and pso in turn, most of them without bound under sc; under the others stores on their way must have an end for who visits states, and so have most loops.
pub(super) fn make_loops(seed: u64) -> Box<dyn Subject> {
    let model = Model::ALL[(seed / 2 % 3) as usize];
    let program = loops::program(seed, model != Model::Sc && seed % 8 < 7);
    Box::new(Looping { program, model, axioms: None })
}

/// Loops that go round twice, under RC11.
pub(super) fn make_rc11(seed: u64) -> Box<dyn Subject> {
    Box::new(Looping { program: loops::program(seed, true), model: Model::Sc, axioms: Some("rc11") })
}
