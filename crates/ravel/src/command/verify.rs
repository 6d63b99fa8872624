//! `ravel verify`: one answer, whatever happens on the way.
//!
//! A panic is caught and told (`deep`); the watcher keeps the limits (`watch`).

use crate::args::{Knobs, Verify};
use crate::cubes::{self, Cutting};
use crate::deliver::Deliver;
use crate::exit::Exit;
use crate::language::table::LANGUAGES;
use crate::pipeline::{self, Plan};
use crate::request::Request;
use crate::watch::Watch;
use crate::{guarded_thread, input, screen};
use engines::{Budget, cores};
use ir::{Diagnostic, Span};
use report::{Answer, Outcome, Style};

/// Verifies what the command line says.
pub(crate) fn verify(args: &Verify, knobs: &Knobs) -> Exit {
    let style = Style { explain: args.explain, ..screen::style(args.look, args.verbose) };
    let mut request = match input::request(&args.input, &args.question) {
        Ok(request) => request,
        Err(problem) => return reject(args, &problem, &style),
    };
    let mut plan = Plan {
        engine: args.engine.clone().unwrap_or_else(|| request.language.default.name.to_string()),
        knobs: knobs.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        second_opinion: args.second_opinion,
        advise: args.advise,
        detail: args.verbose,
        shorten: !args.as_found,
        invariants: args.witness.is_some(),
    };
    if let Some(n) = args.limits.threads {
        use_cores(&mut plan, n);
    }
    if plan.second_opinion && plan.engine != engines::portfolio::ABOUT.name {
        let problem = format!("--second-opinion asks several engines; {} is only one", plan.engine);
        return reject(args, &problem, &style);
    }
    let cutting = match (args.cut.cubes, &args.cut.into) {
        (Some(n), Some(into)) => match Cutting::new(&mut request, &mut plan, n, into) {
            Ok(cutting) => Some(cutting),
            Err(problem) => return reject(args, &problem, &style),
        },
        _ => None,
    };
    let deliver = match Deliver::new(args, &request, style) {
        Ok(deliver) => deliver,
        Err(problem) => return reject(args, &problem, &style),
    };
    let watch = Watch::new(Budget::new(args.limits.time_limit.0, args.limits.memory_limit.0));
    let chosen = args.bounded;
    let late = (request.clone(), plan.engine.clone(), deliver.clone(), watch.clone());
    watch.start(deliver.is_for_people(), move |stop| {
        screen::progress("");
        let (request, engine, deliver, watch) = &late;
        let answer = pipeline::late(request, engine, stop, watch);
        tell(deliver, &answer);
        exit_of(&answer, chosen)
    });
    let work = (request.clone(), plan.clone(), watch.clone());
    let mut answer = guarded_thread::run(move || (work.0.language.answer)(&work.0, &work.1, &work.2))
        .unwrap_or_else(|message| pipeline::bug(&request, &plan.engine, &message));
    watch.claim_or_wait();
    screen::progress("");
    let is_cut = match cutting.map(|cutting| cutting.finish(&request, &plan, &mut answer)) {
        Some(Err(problem)) => return reject(args, &problem, &style),
        Some(Ok(is_cut)) => is_cut,
        None => false,
    };
    match (tell(&deliver, &answer), &args.cut.into) {
        (false, _) => Exit::BadInput,
        (true, Some(folder)) if is_cut && args.cut.slurm => cubes::on_slurm(folder, &args.limits),
        _ => exit_of(&answer, chosen),
    }
}

/// Keeps to so many cores; an engine that is asked alone and can use several has them all, unless its own knob says otherwise.
fn use_cores(plan: &mut Plan, n: u16) {
    cores::limit_to(n.into());
    let about = engines::all().iter().find(|about| about.name == plan.engine).copied();
    let knob = format!("{}.threads", plan.engine);
    let can_share = about.is_some_and(|about| about.knobs.iter().any(|knob| knob.name == "threads"));
    if can_share && !plan.knobs.iter().any(|(name, _)| *name == knob) {
        plan.knobs.push((knob, n.to_string()));
    }
}

/// Says what is wrong with the request itself.
fn reject(args: &Verify, problem: &str, style: &Style) -> Exit {
    let request = Request {
        name: input::name(&args.input),
        files: Vec::new(),
        language: &LANGUAGES[0],
        options: frontend::Options::default(),
        properties: ir::Properties::NONE,
        is_default: false,
        model: args.question.model.clone(),
    };
    let mut answer = pipeline::blank(&request, "", Outcome::Rejected);
    answer.diagnostics.push(Diagnostic::error(Span::NOWHERE, problem));
    tell(&Deliver::to_screen(args, *style), &answer);
    Exit::BadInput
}

/// Tells an answer; false if a file could not be written.
fn tell(deliver: &Deliver, answer: &Answer) -> bool {
    let told = deliver.deliver(answer);
    if let Err(problem) = &told {
        screen::complain(&format!("error: {problem}\n"));
    }
    told.is_ok()
}

/// How the process ends; `bounded` is what the user wants for answers that hold up to a bound.
fn exit_of(answer: &Answer, bounded: Option<u8>) -> Exit {
    if let Some(code) = bounded.filter(|_| answer.is_bounded()) {
        return Exit::Bounded(code);
    }
    match &answer.outcome {
        Outcome::Safe(_) | Outcome::Condition { holds: true, .. } => Exit::Safe,
        Outcome::Unsafe { .. } | Outcome::Condition { .. } => Exit::Unsafe,
        Outcome::Unknown(_) | Outcome::Interrupted => Exit::Unknown,
        // The input is fine, and nobody can tell.
        Outcome::Rejected if answer.is_refused() => Exit::Unknown,
        Outcome::Rejected => Exit::BadInput,
        Outcome::Bug => Exit::Bug,
    }
}
