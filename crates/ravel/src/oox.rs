//! From an OOX file to an answer: load, execute symbolically, replay, tell.

use crate::input::Request;
use crate::pipeline::{self, Plan};
use crate::watch::Watch;
use engines::symbolic::OoxVerdict;
use engines::{Run, decide_oox};
use ir::{Proof, Properties, Property, Span, Why};
use report::{Answer, Outcome};
use std::path::Path;
use std::time::{Duration, Instant};

/// The engine for OOX.
pub(crate) const ENGINE: &str = "symbolic";

/// Whether a file is in OOX.
pub(crate) fn is_oox(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "oox")
}

/// What is checked of OOX programs: assertions with specifications, and deadlocks.
pub(crate) fn properties() -> Properties {
    Properties::of(&[Property::Assertion, Property::Deadlock])
}

/// Decides a request about OOX files.
pub(crate) fn answer(request: &Request, plan: &Plan, watch: &Watch) -> Answer {
    let started = Instant::now();
    let mut answer = pipeline::blank(request, &plan.engine, Outcome::Rejected);
    answer.properties = properties();
    if plan.engine != ENGINE {
        let what = format!("OOX programs, by the engine {}; the engine {ENGINE} executes them", plan.engine);
        answer.outcome = Outcome::Unknown(Why::Unsupported { span: Span::NOWHERE, what });
        return answer;
    }
    let loaded = match frontend::oox::load(&request.files, &request.options.entry) {
        Ok(loaded) => loaded,
        Err(rejected) => {
            answer.sources = rejected.sources;
            answer.diagnostics = rejected.diagnostics;
            return answer;
        }
    };
    let loading = started.elapsed();
    answer.timings.push(("load".to_string(), loading.as_secs_f64()));
    answer.diagnostics = loaded.warnings;
    answer.sources = loaded.program.sources.clone();

    let started = Instant::now();
    let time_left = plan.time_limit.map(|limit: Duration| limit.saturating_sub(loading));
    let mut run = Run::new(time_left, plan.memory_limit, watch.cancel());
    run.knobs = plan.knobs.clone();
    run.progress = plan.progress;
    answer.checked = properties();
    let decided = decide_oox(&loaded.program, &mut run);
    answer.timings.push(("check".to_string(), started.elapsed().as_secs_f64()));
    answer.statistics = run.statistics.0.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    answer.notes = decided.notes;
    answer.outcome = match (decided.verdict, decided.replayed) {
        (OoxVerdict::Invalid(_), Some(replayed)) => {
            let (story, ending) = report::tell_oox(&loaded.program, &replayed, plan.detail);
            Outcome::Unsafe { story, ending }
        }
        (OoxVerdict::Invalid(_), None) => Outcome::Unknown(Why::NotReplayed("there is no replay".to_string())),
        (OoxVerdict::Valid { states }, _) => Outcome::Safe(Proof::Exhaustive { states }),
        (OoxVerdict::ValidUpTo { depth }, _) => Outcome::Bounded { depth },
        (OoxVerdict::Unknown(why), _) => pipeline::unknown(why, plan, watch),
    };
    answer
}
