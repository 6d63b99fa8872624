//! `ravel run`: what happens when the program just runs? Random schedules and inputs on the reference interpreter.
//!
//! Good for a first look and for reproducing: the same seed gives the same run. That nothing went wrong proves nothing.

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::input::{self, Request};
use crate::screen;
use ir::Program;
use ir::interp::{Outcome, RunReport, run_random};
use ir::oox::{self, RandomEnd};
use report::Style;

/// Runs the program as often as asked, until something goes wrong.
pub(crate) fn simulate(args: &RunArgs) -> Exit {
    let style = screen::style(args.look, args.verbose);
    let request = match input::request(&args.input, &args.question) {
        Ok(request) => request,
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            return Exit::BadInput;
        }
    };
    if request.files.iter().any(|file| crate::oox::is_oox(file)) {
        return simulate_oox(args, &request, &style);
    }
    let mut program = match frontend::load(&request.files, &request.options) {
        Ok(loaded) => loaded.program,
        Err(rejected) => {
            screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, &style));
            return Exit::BadInput;
        }
    };
    program.model = request.model;
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        let max_steps = usize::try_from(args.steps).unwrap_or(usize::MAX);
        let run = run_random(&program, request.properties, seed, max_steps);
        if let Outcome::Violation(violation) = &run.outcome {
            let (story, ending) = report::tell(&program, &run.log, violation, style.verbose);
            screen::print(&report::violation(&program.sources, &story, &ending, &style));
            screen::print(&format!("{}: seed {seed} goes wrong: {}\n", request.name, ending.property.describe()));
            return Exit::Unsafe;
        }
        tell(&request, &program, &run, seed, &style);
    }
    Exit::Safe
}

/// Likewise for OOX.
fn simulate_oox(args: &RunArgs, request: &Request, style: &Style) -> Exit {
    let program = match frontend::oox::load(&request.files, &request.options.entry) {
        Ok(loaded) => loaded.program,
        Err(rejected) => {
            screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, style));
            return Exit::BadInput;
        }
    };
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        let Some(run) = oox::run_random(&program, seed, args.steps) else {
            screen::print(&format!("{}: seed {seed}: no inputs were found that `requires` allows\n", request.name));
            return Exit::Unknown;
        };
        if let RandomEnd::Violation(violation) = run.end {
            let trace = oox::Trace { inputs: run.inputs, schedule: run.schedule, violation };
            let replayed = oox::replay(&program, &trace).expect("the machine does the same again");
            let (story, ending) = report::tell_oox(&program, &replayed, style.verbose);
            screen::print(&report::violation(&program.sources, &story, &ending, style));
            screen::print(&format!("{}: seed {seed} goes wrong: {}\n", request.name, ending.message));
            return Exit::Unsafe;
        }
        if style.verbose {
            let followed = oox::follow(&program, &run.inputs, &run.schedule).expect("the machine does the same again");
            let arguments: Vec<String> =
                followed.arguments.iter().map(|(name, val)| format!("{name} = {val}")).collect();
            screen::print(&format!("the arguments: {}\n", arguments.join(", ")));
            screen::print(&report::lanes(&program.sources, &report::story_oox(&program, &followed, true), style));
        }
        let how = match run.end {
            RandomEnd::Ended => "ended",
            RandomEnd::Exception => "ended by an exception that nobody caught",
            RandomEnd::Assumed => "an assumption does not hold",
            RandomEnd::OutOfRange(_) => "stopped at an integer beyond 64 bits",
            RandomEnd::StepLimit => "stopped at the step limit (--steps)",
            RandomEnd::Violation(_) => unreachable!("it was told above"),
        };
        screen::print(&format!("{}: seed {seed}: {} steps, {how}\n", request.name, run.n_steps));
    }
    Exit::Safe
}

/// Says how a run ended that did not go wrong.
fn tell(request: &Request, program: &Program, run: &RunReport, seed: u64, style: &Style) {
    if style.verbose {
        let story = report::story(program, &run.log, style.verbose);
        screen::print(&report::lanes(&program.sources, &story, style));
    }
    let how = match &run.outcome {
        Outcome::Ended(_) => "ended".to_string(),
        Outcome::Stuck => "no thread can go on".to_string(),
        Outcome::StepLimit => "stopped at the step limit (--steps)".to_string(),
        Outcome::Beyond(why) => {
            let answer = crate::pipeline::blank(request, "", report::Outcome::Unknown(why.clone()));
            answer.reason().unwrap_or_default()
        }
        Outcome::Violation(_) => unreachable!("the caller looked"),
    };
    screen::print(&format!("{}: seed {seed}: {} steps, {how}\n", request.name, run.steps.len()));
}
