//! C programs: lowered to `ir::Program`, decided by the engines of `engines::ENGINES`.

use super::advise::{Said, advise};
use super::{Language, Loaded, Ran, remarks};
use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::guarded_thread;
use crate::litmus::models::Models;
use crate::pipeline::Plan;
use crate::request::{Again, Request};
use cases::question;
use engines::{Ask, Budget, Decided, Wrong, portfolio, schedule};
use frontend::{Options, Rejected};
use ir::interp::{RunEnd as End, run_random};
use ir::{Axioms, Model, Properties, Property, Replayed, Sources, Task, n_switches, pass};
use memory::graph::mapping::Mapping;
use report::litmus::{Graph, Role, Violated};
use report::proof::invariants::{certificates, is_complete};
use report::{Kept, Outcome, Style};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct C;

/// How long a second proof is looked for, if the first one has no invariants to hand on.
const INVARIANTS: Duration = Duration::from_secs(10);

/// What to do about functions that are missing, all of them at once.
fn missing_advice(input: &str, missing: &[String]) -> Option<String> {
    let (names, pure) = (missing.join(", "), missing.join(","));
    let havoc = format!("ravel verify {input} --stub havoc");
    (!missing.is_empty()).then(|| {
        format!(
            "not defined and not modelled: {names}; if they may do anything with what they are given: `{havoc}`, if they only \
             return a value: `--assume-pure {pure}`, or give them bodies with `--stubs FILE`"
        )
    })
}

/// Under the models of processors a mutex is a full barrier, which some libraries make a weaker one.
fn assumed_of_locks(task: &Task) -> Option<String> {
    let is_processor =
        task.program.axioms.as_ref().is_some_and(|axioms| !["rc11", "c11", "imm"].contains(&axioms.name.as_str()));
    let unlocks = |name: &str| matches!(name, "pthread_mutex_unlock" | "mtx_unlock");
    let has_locks = task.program.procs.iter().any(|proc| unlocks(&proc.name));
    let what = "all stores reach memory before a mutex is unlocked (POSIX; some libraries only release)";
    (is_processor && has_locks).then(|| what.to_string())
}

/// A model and the compiler mapping that is named with it, as in `power+power-trailing`.
fn compiled(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('+') {
        Some((model, mapping)) if Mapping::named(mapping).is_some() => (model, Some(mapping)),
        _ => (name, None),
    }
}

/// A short name for a program as it was lowered, which executions name by its edges.
fn mark(task: &Task) -> String {
    crate::deliver::sha256(format!("{}{}", task.program.model, ir::text::program(&task.program)).as_bytes())
}

impl Language for C {
    type Program = Task;
    type Replayed = Replayed;

    fn accept(request: &mut Request, asked: Option<Properties>) -> Result<(), String> {
        let name = request.model.get_or_insert_with(|| Model::Sc.name().to_string());
        if let (plain, Some(mapping)) = compiled(name)
            && Model::named(plain).is_some()
        {
            return Err(format!(
                "the compiler mapping {mapping} is for models in cat; {plain}.cat is one, {plain} is not"
            ));
        }
        request.properties = asked.unwrap_or_else(question::default_properties);
        if request.properties.has(Property::Liveness) && Model::named(name).is_some() {
            // What was seen is a matter of coherence: the same model, by axioms.
            name.push_str(".cat");
        }
        request.options.properties = request.properties;
        Ok(())
    }

    fn load(request: &Request) -> Result<Loaded<Task>, Rejected> {
        let name = request.model.clone().unwrap_or_default();
        let options = Options { has_axioms: Model::named(&name).is_none(), ..request.options.clone() };
        let loaded = frontend::load(&request.files, &options)?;
        let mut task = Task { program: loaded.program, properties: request.properties };
        match Model::named(&name) {
            Some(model) => task.program.model = model,
            None => {
                let (plain, mapping) = compiled(&name);
                let model = Models::new(&request.options.include, &[]).model(plain)?;
                let mapping = mapping.unwrap_or_default().to_string();
                if Mapping::of(&model, &mapping).locks_failures() {
                    task.program.lock_failures();
                }
                let axioms = Axioms { name: plain.to_string(), files: model.files().to_vec(), mapping };
                (task.program.model, task.program.axioms) = (Model::Cat, Some(Arc::new(axioms)));
            }
        }
        let mut assumptions = task.program.assumptions.clone();
        assumptions.extend(assumed_of_locks(&task));
        Ok(Loaded {
            sources: task.program.sources.clone(),
            model: name,
            data_model: Some(task.program.data_model),
            warnings: loaded.warnings,
            notes: task.program.notes.clone(),
            assumptions,
            advice: missing_advice(&request.name, &loaded.missing),
            program: task,
        })
    }

    fn asks<'a>(task: &'a Task, plan: &Plan) -> Result<Vec<Ask<'a, Replayed>>, String> {
        let bounds = plan.knobs.iter().find(|(name, _)| name == "bmc.loops");
        if let Some(problem) = bounds.and_then(|(_, text)| engines::bmc::bounds::misplaced(&task.program, text)) {
            return Err(problem);
        }
        portfolio::asks(&plan.engine, task, &plan.knobs)
    }

    fn what(replayed: &Replayed) -> Wrong {
        (Some(replayed.trace.violation), replayed.trace.violation.describe().to_string())
    }

    fn premise(replayed: &Replayed) -> Option<String> {
        if !replayed.told.is_empty() {
            return Some(replayed.told.join("\n"));
        }
        replayed.trace.premise()
    }

    fn graph(replayed: &Replayed) -> Option<Graph> {
        let ir::Picture { events, messages, relations, forbidden } = replayed.picture.clone()?;
        let role = |event: usize| match messages.iter().find(|(other, _)| *other == event) {
            Some((_, ir::Messaging::Sends)) => Role::Send,
            Some((_, ir::Messaging::Receives)) => Role::Receive,
            Some((_, ir::Messaging::FindsNothing)) => Role::ReceiveNothing,
            None => Role::Access,
        };
        let roles = if messages.is_empty() { Vec::new() } else { (0..events.len()).map(role).collect() };
        let violated = forbidden.map(|(axiom, events)| Violated { axiom, events, ..Violated::default() });
        Some(Graph {
            roles,
            events: events.into_iter().map(|(thread, text)| (thread.map(|thread| thread as usize), text)).collect(),
            relations: relations.into_iter().map(|(name, pairs)| (name.to_string(), pairs)).collect(),
            violated: violated.into_iter().collect(),
            ..Graph::default()
        })
    }

    fn shorten(
        task: &Task,
        decided: Decided<Replayed>,
        budget: &Budget,
    ) -> (Decided<Replayed>, Vec<(&'static str, f64)>) {
        let before = match &decided {
            Decided::Unsafe(replayed) => n_switches(&replayed.trace.steps),
            _ => return (decided, Vec::new()),
        };
        let decided = engines::shorten(task, decided, budget);
        let mut counted = vec![("context switches found", before as f64)];
        if let Decided::Unsafe(replayed) = &decided {
            counted.push(("context switches", n_switches(&replayed.trace.steps) as f64));
            let n_preemptions = ir::n_preemptions(&task.program, &replayed.trace);
            counted.extend(n_preemptions.map(|n_preemptions| ("preemptions", n_preemptions as f64)));
        }
        (decided, counted)
    }

    fn with_invariants(
        task: &Task,
        decided: Decided<Replayed>,
        asked: Properties,
        budget: &Budget,
    ) -> (Decided<Replayed>, Option<String>) {
        let has_invariants = |proof: &ir::Proof| {
            let certificates = certificates(proof);
            !certificates.is_empty() && certificates.into_iter().all(is_complete)
        };
        if !matches!(&decided, Decided::Safe(proof, _) if !has_invariants(proof)) {
            return (decided, None);
        }
        // Reductions leave states out, so that what is known of those that are left holds in these alone.
        let knobs = [("cegar.por".to_string(), "none".to_string())];
        let Ok(asks) = portfolio::asks("cegar", task, &knobs) else { return (decided, None) };
        let is_whole = asks.iter().all(|ask| asked.beyond(ask.covers).is_empty());
        if !is_whole {
            return (decided, None);
        }
        let budget = budget.share(budget.time_left().map_or(Some(INVARIANTS), |left| Some(INVARIANTS.min(left / 2))));
        match schedule(&asks, asked, guarded_thread::unseen(), &budget, Self::what).decided {
            Decided::Safe(proof, checked) if has_invariants(&proof) => {
                let note = "the invariants of the witness are those of a second proof, by cegar --cegar.por none";
                (Decided::Safe(proof, checked), Some(note.to_string()))
            }
            _ => (decided, None),
        }
    }

    fn tell(task: &Task, decided: Decided<Replayed>, detail: bool) -> Outcome {
        match decided {
            Decided::Safe(proof, _) => Outcome::Safe(proof),
            Decided::Unsafe(replayed) => {
                let (story, ending) = report::tell(&task.program, &replayed.log, &replayed.violation, detail);
                Outcome::Unsafe { story, ending }
            }
            Decided::Unknown(why) => Outcome::Unknown(why),
        }
    }

    fn keep(task: &Task, replayed: &Replayed) -> Option<(String, Vec<String>)> {
        let schedule = ir::text::schedule::schedule(&replayed.trace)?;
        Some((mark(task), schedule))
    }

    fn replay(task: &Task, kept: &Kept, detail: bool) -> Result<Again, String> {
        if kept.program != mark(task) {
            return Err("this is the trace of another program: the files, the options or the version of ravel differ"
                .to_string());
        }
        let trace = ir::text::schedule::read_schedule(&kept.schedule)?;
        Ok(match ir::replay(task, &trace) {
            Ok(replayed) => {
                let (story, ending) = report::tell(&task.program, &replayed.log, &replayed.violation, detail);
                Again::Wrong(Box::new((task.program.sources.clone(), story, ending)))
            }
            Err(error) => Again::Otherwise(error.to_string()),
        })
    }

    fn advise(task: &Task, plan: &Plan, asked: Properties, budget: &Budget) -> Vec<String> {
        // The answer must be told before the time limit.
        let budget = budget.share(budget.time_left().map(|left| left.mul_f64(0.8)));
        advise(&task.program, &mut |program| {
            let task = Task { program, properties: task.properties };
            let Ok(asks) = Self::asks(&task, plan) else { return Said::Unknown };
            match schedule(&asks, asked, guarded_thread::unseen(), &budget, Self::what).decided {
                Decided::Safe(..) => Said::Safe,
                Decided::Unsafe(_) => Said::Unsafe,
                Decided::Unknown(_) => Said::Unknown,
            }
        })
    }

    fn remarks(task: &Task, outcome: &Outcome) -> Vec<String> {
        if matches!(outcome, Outcome::Safe(_)) { remarks::remarks(task) } else { Vec::new() }
    }

    fn show(task: &Task, request: &Request, args: &Show) -> Result<String, String> {
        let mut program = task.program.clone();
        if args.prepared {
            program = pass::prepare(&program, request.properties, &pass::Options::default())
                .map_err(|why| report::why(&Sources::default(), &why))?;
        }
        Ok(if args.dot { ir::text::dot::program(&program) } else { ir::text::program(&program) })
    }

    fn run(task: &Task, request: &Request, seed: u64, args: &RunArgs, style: &Style) -> Ran {
        let program = &task.program;
        if let Some(first) = program.first_message() {
            let place = program.sources.place(first.span);
            let what =
                "a message: what becomes of it is said by a protocol, not run; `ravel verify --model udp` asks one";
            return Ran::Impossible(format!("error: {place}: {what}\n"), Exit::BadInput);
        }
        let max_steps = usize::try_from(args.steps).unwrap_or(usize::MAX);
        let run = run_random(program, request.properties, seed, max_steps);
        if let End::Violation(violation) = &run.outcome {
            let (story, ending) = report::tell(program, &run.log, violation, style.verbose);
            let text = report::violation(&program.sources, &story, &ending, style);
            let what = ending.property.describe().to_string();
            return Ran::Wrong(format!("{text}{}: seed {seed} goes wrong: {what}\n", request.name), what);
        }
        let mut text = String::new();
        if style.verbose {
            let story = report::story(program, &run.log, style.verbose);
            text = report::lanes(&program.sources, &story, style);
        }
        let how = match &run.outcome {
            End::Ended(ir::interp::End::Normal) => "ended".to_string(),
            End::Ended(ir::interp::End::Abort) => "aborted".to_string(),
            End::Ended(ir::interp::End::Crash) => "crashed".to_string(),
            End::Stuck => "no thread can go on".to_string(),
            End::StepLimit => "stopped at the step limit (--steps)".to_string(),
            End::Beyond(why) => report::why(&program.sources, why),
            End::Violation(_) => unreachable!("it was told above"),
        };
        let mut line = format!("{text}{}: seed {seed}: {} steps, {how}\n", request.name, run.steps.len());
        let ends = report::thread_ends(program, &run.log);
        if ends.len() > 1 && (args.runs == 1 || style.verbose) {
            line += &format!("  {}\n", ends.join("\n  "));
        }
        Ran::Fine(line, how)
    }
}
