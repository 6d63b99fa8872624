//! OOX programs: a model of their own (`ir::oox`), executed on symbols.

use super::{Language, Loaded, Ran};
use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::pipeline::Plan;
use crate::request::Request;
use engines::{Ask, Decided, OOX_PROPERTIES, Wrong, decide_oox, symbolic};
use frontend::Rejected;
use ir::oox::{self, Program, RandomEnd, Replayed};
use ir::{Diagnostic, Properties, Property, Sources, Span};
use report::{Outcome, Style};

pub(super) struct Oox;

impl Language for Oox {
    type Program = Program;
    type Replayed = Replayed;

    fn accept(request: &mut Request, asked: Option<Properties>) -> Result<(), String> {
        if request.model.get_or_insert_with(|| "sc".to_string()) != "sc" {
            return Err("OOX programs run under the memory model sc".to_string());
        }
        let is_checked =
            |property: &Property| matches!(property, Property::ErrorCall | Property::Assertion | Property::Deadlock);
        if let Some(other) = asked.and_then(|asked| asked.iter().find(|property| !is_checked(property))) {
            let what = other.describe();
            return Err(format!(
                "OOX programs are checked for assertions, specifications and deadlocks, not for {what}"
            ));
        }
        request.properties = Properties::of(&OOX_PROPERTIES);
        Ok(())
    }

    fn load(request: &Request) -> Result<Loaded<Program>, Rejected> {
        let [entry] = request.options.entries.as_slice() else {
            let message = "an OOX program starts in one method";
            let diagnostics = vec![Diagnostic::error(Span::NOWHERE, message).with_note("give one --entry")];
            return Err(Rejected { sources: Sources::default(), diagnostics });
        };
        let loaded = frontend::oox::load(&request.files, entry)?;
        Ok(Loaded {
            sources: loaded.program.sources.clone(),
            model: "sc".to_string(),
            data_model: None,
            warnings: loaded.warnings,
            notes: Vec::new(),
            assumptions: Vec::new(),
            advice: None,
            program: loaded.program,
        })
    }

    fn asks<'a>(program: &'a Program, plan: &Plan) -> Result<Vec<Ask<'a, Replayed>>, String> {
        Ok(vec![plan.alone(&symbolic::ABOUT, move |run| decide_oox(program, run))?])
    }

    fn what(replayed: &Replayed) -> Wrong {
        (None, replayed.violation.kind.describe().to_string())
    }

    fn tell(program: &Program, decided: Decided<Replayed>, detail: bool) -> Outcome {
        match decided {
            Decided::Safe(proof, _) => Outcome::Safe(proof),
            Decided::Unsafe(replayed) => {
                let (story, ending) = report::tell_oox(program, &replayed, detail);
                Outcome::Unsafe { story, ending }
            }
            Decided::Unknown(why) => Outcome::Unknown(why),
        }
    }

    fn show(program: &Program, _: &Request, args: &Show) -> Result<String, String> {
        match (args.dot, args.prepared) {
            (true, _) => Err("OOX programs are shown as text only, not as graphs (--dot)".to_string()),
            (_, true) => Err("no passes run on OOX programs (--prepared)".to_string()),
            _ => Ok(program.to_string()),
        }
    }

    fn run(program: &Program, request: &Request, seed: u64, args: &RunArgs, style: &Style) -> Ran {
        let name = &request.name;
        let Some(run) = oox::run_random(program, seed, args.steps) else {
            let text = format!("{name}: seed {seed}: no inputs were found that `requires` allows\n");
            return Ran::Impossible(text, Exit::Unknown);
        };
        if let RandomEnd::Violation(violation) = run.end {
            let trace = oox::Trace { inputs: run.inputs, schedule: run.schedule, violation };
            let replayed = oox::replay(program, &trace).expect("the machine does the same again");
            let (story, ending) = report::tell_oox(program, &replayed, style.verbose);
            let text = report::violation(&program.sources, &story, &ending, style);
            let line = format!("{text}{name}: seed {seed} goes wrong: {}\n", ending.message);
            return Ran::Wrong(line, ending.message);
        }
        let mut text = String::new();
        if style.verbose {
            let followed = oox::follow(program, &run.inputs, &run.schedule).expect("the machine does the same again");
            let arguments: Vec<String> =
                followed.arguments.iter().map(|(name, val)| format!("{name} = {val}")).collect();
            text = format!("the arguments: {}\n", arguments.join(", "));
            text += &report::lanes(&program.sources, &report::story_oox(program, &followed, true), style);
        }
        let how = match run.end {
            RandomEnd::Ended => "ended",
            RandomEnd::Exception => "ended by an exception that nobody caught",
            RandomEnd::Assumed => "an assumption does not hold",
            RandomEnd::OutOfRange(_) => "stopped at an integer beyond 64 bits",
            RandomEnd::StepLimit => "stopped at the step limit (--steps)",
            RandomEnd::Violation(_) => unreachable!("it was told above"),
        };
        Ran::Fine(format!("{text}{name}: seed {seed}: {} steps, {how}\n", run.n_steps), how.to_string())
    }
}
