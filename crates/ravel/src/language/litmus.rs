//! Litmus tests: a condition on final states, judged by a memory model in cat.
//!
//! `verify` decides whether the condition holds; the command `ravel litmus` shows all final states, as herd does. An execution is one of a model, not
//! of a machine, so there is nothing to run at random.

use super::{Language, Loaded, Ran};
use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::litmus::models::{Models, default_model};
use crate::litmus::tell::{graph, unknown_tags};
use crate::pipeline::Plan;
use crate::request::Request;
use engines::axiomatic::{self, Execution};
use engines::{Ask, Decided, Wrong, decide_litmus};
use frontend::Rejected;
use ir::Properties;
use ir::litmus::{Quantifier, Test};
use memory::cat::Model;
use report::{Outcome, Style};
use std::fmt::Write;
use std::sync::Arc;

pub(super) struct Litmus;

/// A test with the model that judges it.
pub(super) struct Judged {
    test: Test,
    model: Arc<Model>,
}

impl Language for Litmus {
    type Program = Judged;
    type Replayed = Execution;

    fn accept(request: &mut Request, asked: Option<Properties>) -> Result<(), String> {
        if asked.is_some() {
            return Err("a litmus test asks about its own condition, not about properties".to_string());
        }
        if request.files.len() > 1 {
            return Err("a litmus test stands alone; `ravel litmus` takes several, and folders".to_string());
        }
        Ok(())
    }

    fn load(request: &Request) -> Result<Loaded<Judged>, Rejected> {
        let file = request.files.first().expect("a request has files");
        let test = frontend::litmus::load(file, &frontend::litmus::Options::default())?;
        let name = request.model.clone().unwrap_or_else(|| default_model(test.dialect).to_string());
        let model = Models::new(&request.options.include, &[]).model(&name)?;
        Ok(Loaded {
            sources: test.sources.clone(),
            model: name,
            data_model: None,
            warnings: Vec::new(),
            notes: unknown_tags(&test, &model).into_iter().collect(),
            assumptions: Vec::new(),
            advice: None,
            program: Judged { test, model },
        })
    }

    fn asks<'a>(judged: &'a Judged, plan: &Plan) -> Result<Vec<Ask<'a, Execution>>, String> {
        let ask = move |run: &mut engines::Run| decide_litmus(&judged.test, &judged.model, run);
        Ok(vec![plan.alone(&axiomatic::ABOUT, ask)?])
    }

    fn what(_: &Execution) -> Wrong {
        (None, "an execution that the condition is about".to_string())
    }

    fn tell(judged: &Judged, decided: Decided<Execution>, _: bool) -> Outcome {
        let Judged { test, model } = judged;
        let execution = match decided {
            Decided::Unknown(why) => return Outcome::Unknown(why),
            Decided::Safe(..) => None,
            Decided::Unsafe(execution) => Some(Box::new(graph(test, model, &execution))),
        };
        let is_found = execution.is_some();
        let (holds, observed) = match test.quantifier {
            Quantifier::Exists => (is_found, Some(is_found)),
            Quantifier::NotExists => (!is_found, Some(is_found)),
            Quantifier::Forall => (!is_found, (!is_found).then_some(true)),
        };
        let why = match (test.quantifier, is_found) {
            (_, true) => "the execution below is allowed",
            (Quantifier::Forall, false) => "no allowed execution ends otherwise",
            (_, false) => "no allowed execution ends like that",
        };
        Outcome::Condition { holds, condition: test.show_condition(), why, observed, execution }
    }

    fn show(judged: &Judged, _: &Request, args: &Show) -> Result<String, String> {
        if args.dot {
            return Err(
                "`ravel litmus --dot` draws the executions of a litmus test; the test itself is text".to_string()
            );
        }
        if args.prepared {
            return Err("no passes run on litmus tests (--prepared)".to_string());
        }
        let test = &judged.test;
        let mut text = format!("test {}, {}\n", test.name, test.dialect.name());
        for (index, thread) in test.threads.iter().enumerate() {
            let _ = writeln!(text, "\nP{}", thread.number);
            for instr in &thread.code {
                let _ = writeln!(text, "  {}", test.show_instr(index, instr));
            }
        }
        let _ = writeln!(text, "\n{}", test.show_condition());
        Ok(text)
    }

    fn run(_: &Judged, request: &Request, _: u64, _: &RunArgs, _: &Style) -> Ran {
        let what = "a litmus test is judged by a memory model, not run; `ravel litmus` lists its final states";
        Ran::Impossible(format!("error: {}: {what}\n", request.name), Exit::BadInput)
    }
}
