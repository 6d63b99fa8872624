//! What may be told to the user? An engine's answer, after its trace has been replayed on the reference interpreter.
//!
//! A proof that can be checked is checked, within a share of the time it took to find. One that does not hold is a bug of ours as well.
//!
//! Nor is anything called safe that the engine does not look for: `Engine::properties` says what that is, and the answer carries it.
//!
//! What is told is the trace as it was replayed, which ends with the violation. A trace that does not replay is a bug of
//! ours, and the answer becomes unknown with what the replay said.

use crate::certificate::{self, Checked};
use crate::symbolic::{OoxVerdict, check_oox};
use crate::{Engine, Run};
use ir::{Proof, Properties, Replayed, Task, Trace, Verdict, Why, replay};
use std::time::{Duration, Instant};

/// An answer, and for an unsafe one what its trace does.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The answer.
    pub verdict: Verdict,
    /// What was looked for: all that was asked in a safe answer, and in others perhaps less.
    pub checked: Properties,
    /// The replayed trace; there exactly if the answer is unsafe.
    pub replayed: Option<Replayed>,
    /// What is to be said about the proof of a safe one: whether it was checked, and how far; and about what a trace supposes.
    pub note: Option<String>,
}

/// Asks the engine and replays its trace.
pub fn decide(engine: &dyn Engine, task: &Task, run: &mut Run) -> Decided {
    run.looked_for = Properties::NONE;
    let mut decided = answer_of(engine, task, run);
    decided.checked = match &decided.verdict {
        Verdict::Safe(_) => task.properties,
        Verdict::Unsafe(trace) => run.looked_for.both(task.properties).with(trace.violation),
        Verdict::Unknown(_) => run.looked_for.both(task.properties),
    };
    decided
}

fn answer_of(engine: &dyn Engine, task: &Task, run: &mut Run) -> Decided {
    let model = task.program.model;
    if !engine.models().contains(&model) {
        let what = format!("the memory model {model} in the engine {}", engine.name());
        let why = Why::Unsupported { span: ir::Span::NOWHERE, what };
        return unknown(why);
    }
    match engine.check(task, run) {
        Verdict::Unsafe(trace) => confirm(task, &trace),
        Verdict::Safe(_) if !task.properties.beyond(engine.properties(task)).is_empty() => {
            let missed = task.properties.beyond(engine.properties(task));
            let missed: Vec<&str> = missed.iter().map(|property| property.describe()).collect();
            let what = format!("{}, which the engine {} does not look for", missed.join(", "), engine.name());
            unknown(Why::Unsupported { span: ir::Span::NOWHERE, what })
        }
        Verdict::Safe(Proof::Abstraction(proof)) => {
            let (verdict, note) = match check_again(&proof, task, run) {
                Ok(note) => (Verdict::Safe(Proof::Abstraction(proof)), Some(note)),
                Err(what) => (Verdict::Unknown(Why::NotReplayed(what)), None),
            };
            Decided { verdict, checked: Properties::NONE, replayed: None, note }
        }
        verdict => Decided { verdict, checked: Properties::NONE, replayed: None, note: None },
    }
}

fn unknown(why: Why) -> Decided {
    Decided { verdict: Verdict::Unknown(why), checked: Properties::NONE, replayed: None, note: None }
}

/// Checks a proof: what is to be said about the check, or else what is wrong with the proof. A check that does not come to an end leaves the
/// proof as it is, unchecked.
fn check_again(proof: &ir::Certificate, task: &Task, run: &mut Run) -> Result<String, String> {
    let mut limits = run.solver_limits();
    let own = Instant::now() + run.elapsed() / 2 + Duration::from_secs(1);
    limits.deadline = Some(limits.deadline.map_or(own, |deadline| deadline.min(own)));
    let started = Instant::now();
    let checked = certificate::check(proof, task.properties, &limits);
    run.statistics.set("proof seconds", started.elapsed().as_secs_f64());
    match checked {
        Checked::Holds { obligations, left_out } => {
            run.statistics.set("proof obligations", obligations as f64);
            run.statistics.set("steps left out of the proof", left_out as f64);
            Ok(match left_out {
                0 => format!("certificate checked: {obligations} obligations hold"),
                n => format!(
                    "certificate checked: {obligations} obligations hold; {n} steps that the reduction left out are not checked"
                ),
            })
        }
        Checked::Beyond(why) => Ok(format!("certificate not checked: {why}")),
        Checked::Fails(what) => Err(format!("the proof does not hold: {what}")),
    }
}

/// The verdict that a trace leads to.
pub fn confirm(task: &Task, trace: &Trace) -> Decided {
    match replay(task, trace) {
        Ok(replayed) => {
            let checked = Properties::of(&[trace.violation]);
            let verdict = Verdict::Unsafe(replayed.trace.clone());
            Decided { verdict, checked, replayed: Some(replayed), note: trace.premise() }
        }
        Err(error) => unknown(Why::NotReplayed(error.to_string())),
    }
}

/// The answer about an OOX program, replayed.
#[derive(Clone, Debug)]
pub struct DecidedOox {
    /// The answer.
    pub verdict: OoxVerdict,
    /// The replayed trace; there exactly if the answer is invalid.
    pub replayed: Option<ir::oox::Replayed>,
    /// Bounds on the inputs that the answer holds under.
    pub notes: Vec<String>,
}

/// Asks the symbolic engine about an OOX program and replays its trace.
pub fn decide_oox(program: &ir::oox::Program, run: &mut Run) -> DecidedOox {
    let (verdict, notes) = check_oox(program, run);
    let OoxVerdict::Invalid(trace) = &verdict else { return DecidedOox { verdict, replayed: None, notes } };
    match ir::oox::replay(program, trace) {
        Ok(replayed) => DecidedOox { verdict, replayed: Some(replayed), notes },
        Err(error) => DecidedOox { verdict: OoxVerdict::Unknown(Why::NotReplayed(error)), replayed: None, notes },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Knob;
    use ir::build::Builder;
    use ir::{Properties, Property, Step};

    struct Claims(Verdict);

    impl Engine for Claims {
        fn name(&self) -> &'static str {
            "claims"
        }
        fn describe(&self) -> &'static str {
            "claims what it was told to"
        }
        fn knobs(&self) -> &'static [Knob] {
            &[]
        }
        fn properties(&self, task: &Task) -> Properties {
            task.properties.both(Properties::of(&[Property::Assertion]))
        }
        fn check(&self, task: &Task, run: &mut Run) -> Verdict {
            run.looked_for = self.properties(task);
            self.0.clone()
        }
    }

    #[test]
    fn nothing_is_safe_that_was_not_looked_for() {
        let program = {
            let mut builder = Builder::new();
            let main = builder.proc("main");
            builder.body(main, |body| {
                body.then(ir::Op::Return(None));
            });
            builder.finish(main)
        };
        let asked = |properties: &[Property], verdict: Verdict| {
            let task = Task { program: program.clone(), properties: Properties::of(properties) };
            decide(&Claims(verdict), &task, &mut Run::unlimited())
        };
        let safe = || Verdict::Safe(Proof::Exhaustive { states: 1 });
        let both = [Property::Assertion, Property::MemTrack];
        let decided = asked(&both[..1], safe());
        assert_eq!((decided.verdict, decided.checked), (safe(), Properties::of(&both[..1])));
        for verdict in [safe(), Verdict::Unknown(Why::Bound("a loop".into()))] {
            let decided = asked(&both, verdict.clone());
            assert_eq!(decided.checked, Properties::of(&both[..1]), "{verdict:?}");
            match (verdict, decided.verdict) {
                (Verdict::Safe(_), Verdict::Unknown(Why::Unsupported { what, .. })) => {
                    assert_eq!(what, "lost memory, which the engine claims does not look for");
                }
                (given, told) => assert_eq!(given, told),
            }
        }
    }

    #[test]
    fn only_true_traces_pass() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let mut edges = Vec::new();
        builder.body(main, |body| {
            let x = body.local("x");
            let one = body.int(1);
            edges.push(body.then(ir::Op::Assign { var: x, value: one }));
            let is_zero = body.is(x, 0);
            edges.push(body.then(ir::Op::Check { cond: is_zero, kind: ir::CheckKind::Assertion }));
            edges.push(body.then(ir::Op::Return(None)));
        });
        let task = Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) };
        let trace = |n: usize| {
            let steps = edges[..n].iter().map(|edge| Step { thread: 0, edge: *edge, inputs: Vec::new() });
            Trace::new(Property::Assertion, steps.collect())
        };
        for (given, kept) in [(0, None), (1, None), (2, Some(2)), (3, Some(2))] {
            let decided = decide(&Claims(Verdict::Unsafe(trace(given))), &task, &mut Run::unlimited());
            match (decided.verdict, kept) {
                (Verdict::Unsafe(trace), Some(kept)) => assert_eq!(trace.steps.len(), kept),
                (Verdict::Unknown(Why::NotReplayed(_)), None) => assert!(decided.replayed.is_none()),
                (verdict, _) => panic!("{given} steps: {verdict:?}"),
            }
        }
    }
}
