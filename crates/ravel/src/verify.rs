//! `ravel verify`: one answer, whatever happens on the way.
//!
//! A panic is caught and told (`deep`); the watcher keeps the limits (`watch`).

use crate::args::{Knobs, Verify};
use crate::exit::Exit;
use crate::input::{self, Request};
use crate::pipeline::{self, Plan};
use crate::watch::Watch;
use crate::{deep, oox, screen};
use ir::{Diagnostic, Span};
use report::{Answer, Outcome, Style};

/// Verifies what the command line says.
pub(crate) fn verify(args: &Verify, knobs: &Knobs) -> Exit {
    let style = screen::style(args.look, args.verbose);
    let request = match input::request(&args.input, &args.question) {
        Ok(request) => request,
        Err(problem) => return reject(args, &problem, &style),
    };
    let plan = plan(args, knobs);
    if plan.second_opinion && plan.engine != pipeline::DEFAULT_ENGINE {
        let problem = format!("--second-opinion asks several engines; {} is only one", plan.engine);
        return reject(args, &problem, &style);
    }
    let watch = Watch::default();
    let late = (request.clone(), plan.engine.clone(), args.json);
    watch.start(plan.time_limit, plan.memory_limit, !args.json, move |stop| {
        screen::progress("");
        let (request, engine, json) = &late;
        show(&pipeline::blank(request, engine, pipeline::stopped(stop)), *json, &style);
    });
    let work = (request.clone(), plan.clone(), watch.clone());
    let (answer, exit) = match deep::run(move || pipeline::answer(&work.0, &work.1, &work.2)) {
        Ok(answer) => {
            let exit = exit_of(&answer);
            (answer, exit)
        }
        Err(message) => (bug(&request, &plan, &message), Exit::Bug),
    };
    if !watch.claim_answer() {
        // The watcher is giving the answer right now, and ends the process after it.
        loop {
            std::thread::park();
        }
    }
    screen::progress("");
    show(&answer, args.json, &style);
    exit
}

fn plan(args: &Verify, knobs: &Knobs) -> Plan {
    let default =
        if args.input.files.iter().any(|file| oox::is_oox(file)) { oox::ENGINE } else { pipeline::DEFAULT_ENGINE };
    let engine = args.engine.clone().unwrap_or_else(|| default.to_string());
    let mut knobs = knobs.clone();
    if engine == oox::ENGINE {
        // A short word for the knob that OOX users need most.
        knobs.extend(args.depth.map(|depth| ("symbolic.depth".to_string(), depth.to_string())));
    }
    let of_engine = |name: &str| match engine.as_str() {
        // It passes on what is set for its engines.
        pipeline::DEFAULT_ENGINE => Some(name.to_string()),
        _ => name.strip_prefix(&engine).and_then(|rest| rest.strip_prefix('.')).map(str::to_string),
    };
    Plan {
        knobs: knobs.iter().filter_map(|(name, value)| Some((of_engine(name)?, value.clone()))).collect(),
        time_limit: args.limits.time_limit.0,
        memory_limit: args.limits.memory_limit.0,
        second_opinion: args.second_opinion,
        detail: args.verbose,
        progress: (!args.json).then_some(screen::progress as fn(&str)),
        engine,
    }
}

/// What a panic means to the user.
fn bug(request: &Request, plan: &Plan, message: &str) -> Answer {
    let note = format!(
        "please report this, with the input if you can: ravel {}, engine {}, input {}",
        env!("CARGO_PKG_VERSION"),
        plan.engine,
        input::fingerprint(&request.files)
    );
    let mut answer = pipeline::blank(request, &plan.engine, Outcome::Rejected);
    let message = format!("ravel has a bug: {}", message);
    answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, message).with_note(note));
    answer
}

/// Says what is wrong with the request itself.
fn reject(args: &Verify, problem: &str, style: &Style) -> Exit {
    let request = Request {
        name: args.input.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" "),
        files: Vec::new(),
        options: frontend::Options::default(),
        properties: ir::Properties::NONE,
        model: args.question.model.into(),
    };
    let mut answer = pipeline::blank(&request, "", Outcome::Rejected);
    answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, problem));
    show(&answer, args.json, style);
    Exit::BadInput
}

fn show(answer: &Answer, json: bool, style: &Style) {
    screen::print(&if json { report::json(answer) } else { report::text(answer, style) });
}

fn exit_of(answer: &Answer) -> Exit {
    match &answer.outcome {
        Outcome::Safe(_) => Exit::Safe,
        Outcome::Unsafe { .. } => Exit::Unsafe,
        Outcome::Bounded { .. } | Outcome::Unknown(_) | Outcome::Interrupted => Exit::Unknown,
        Outcome::Rejected => Exit::BadInput,
    }
}
