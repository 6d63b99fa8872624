//! What may be told to the user? An engine's verdict, after its trace has been replayed and its proof checked.
//!
//! `Decided` can only be safe or unsafe by way of this file and the replays: `Checked` is made nowhere else, and what a replay gives (`ir::Replayed`,
//! `ir::oox::Replayed`, `axiomatic::Execution`) only by running the trace. A trace that does not replay is a bug of ours, and the answer becomes
//! unknown with what the replay said.
//!
//! A proof that can be checked is checked, within a share of the time it took to find. One that does not hold is a bug of ours as well. Nor is anything
//! called safe that the engine does not look for: `Engine::properties` says what that is, and `Run::looked_for` carries it.

use crate::axiomatic::{self, Execution, Goal, Question};
use crate::certificate;
use crate::evidence::axioms::Axioms;
use crate::evidence::{judged, messages, monotone};
use crate::symbolic::check_oox;
use crate::{Budget, Engine, Run};
use ir::litmus::{Quantifier, Test};
use ir::{
    Op, Order, Proof, Properties, Property, ReplayError, Span, Task, Trace, Verdict, Why, approximation_in, replay,
};
use std::time::{Duration, Instant};

/// An answer that may be told. `R` is what the replay of an execution gives in the language of the task.
#[derive(Clone, Debug)]
pub enum Decided<R = ir::Replayed> {
    /// No execution goes wrong.
    Safe(Proof, Checked),
    /// This one does, and did in the replay.
    Unsafe(Box<R>),
    /// Could not be told.
    Unknown(Why),
}

/// That a proof has come through `decide`, and how far it was checked there. Nobody else makes one.
#[derive(Clone, Debug)]
pub struct Checked {
    certificates: Vec<certificate::Checked>,
}

impl Checked {
    /// That nothing of the proof can be checked but who found it.
    const BY_SEARCH: Checked = Checked { certificates: Vec::new() };

    /// What is to be said about the checks of certificates.
    pub fn notes(&self) -> Vec<String> {
        let note = |checked: &certificate::Checked| match checked {
            certificate::Checked::Holds { obligations, left_out: 0 } => {
                format!("certificate checked: {obligations} obligations hold")
            }
            certificate::Checked::Holds { obligations, left_out } => format!(
                "certificate checked: {obligations} obligations hold; {left_out} steps that the reduction left out are not checked"
            ),
            certificate::Checked::Beyond(why) => format!("certificate not checked: {why}"),
            certificate::Checked::Fails(what) => unreachable!("a proof that fails is no answer: {what}"),
        };
        self.certificates.iter().map(note).collect()
    }
}

/// One answer of several that are each about some of the properties; there is at least one.
pub fn together<R>(mut parts: Vec<(Properties, Proof, Checked)>) -> Decided<R> {
    if parts.len() == 1
        && let Some((_, proof, checked)) = parts.pop()
    {
        return Decided::Safe(proof, checked);
    }
    let (mut proofs, mut certificates) = (Vec::new(), Vec::new());
    for (properties, proof, checked) in parts {
        proofs.push((properties, proof));
        certificates.extend(checked.certificates);
    }
    Decided::Safe(Proof::Parts(proofs), Checked { certificates })
}

impl Decided {
    /// The answer as an engine gives it: what is known of it without the replay.
    pub fn verdict(&self) -> Verdict {
        match self {
            Decided::Safe(proof, _) => Verdict::Safe(proof.clone()),
            Decided::Unsafe(replayed) => Verdict::Unsafe(replayed.trace.clone()),
            Decided::Unknown(why) => Verdict::Unknown(why.clone()),
        }
    }
}

/// Asks the engine about a task; what it looked for is in `run.looked_for`, all that was asked if the answer is safe.
pub fn decide(engine: &dyn Engine, task: &Task, run: &mut Run) -> Decided {
    run.looked_for = Properties::NONE;
    let decided = answer_of(engine, task, run);
    run.looked_for = match &decided {
        Decided::Safe(..) => task.properties,
        Decided::Unsafe(replayed) => run.looked_for.both(task.properties).with(replayed.trace.violation),
        Decided::Unknown(_) => run.looked_for.both(task.properties),
    };
    decided
}

fn answer_of(engine: &dyn Engine, task: &Task, run: &mut Run) -> Decided {
    let model = task.program.model;
    if !engine.models().contains(&model) {
        let what = format!("the memory model {model} in the engine {}", engine.name());
        return Decided::Unknown(Why::Unsupported { span: Span::NOWHERE, what });
    }
    if let Some((span, word)) = foreign_word(task) {
        let what = format!("{word} of the Linux kernel under the memory model {model} (--model linux-kernel knows it)");
        return Decided::Unknown(Why::Unsupported { span, what });
    }
    if let Some(why) = messages::refused(&task.program, engine.name()) {
        return Decided::Unknown(why);
    }
    match engine.check(task, run) {
        Verdict::Unsafe(trace) => confirm(task, &trace),
        Verdict::Safe(_) if !task.properties.beyond(engine.properties(task)).is_empty() => {
            let missed = task.properties.beyond(engine.properties(task));
            let missed: Vec<&str> = missed.iter().map(|property| property.describe()).collect();
            let what = format!("{}, which the engine {} does not look for", missed.join(", "), engine.name());
            Decided::Unknown(Why::Unsupported { span: Span::NOWHERE, what })
        }
        Verdict::Safe(Proof::Abstraction(proof)) => match check_again(&proof, task, run) {
            certificate::Checked::Fails(what) => {
                Decided::Unknown(Why::NotReplayed(format!("the proof does not hold: {what}")))
            }
            checked => Decided::Safe(Proof::Abstraction(proof), Checked { certificates: vec![checked] }),
        },
        Verdict::Safe(Proof::Threads(proof)) => match check_threads(&proof, engine.properties(task), run) {
            certificate::Checked::Fails(what) => {
                Decided::Unknown(Why::NotReplayed(format!("the proof does not hold: {what}")))
            }
            // Nobody else vouches for it.
            certificate::Checked::Beyond(what) => {
                Decided::Unknown(Why::Bound(format!("the check of the proof did not come to an end: {what}")))
            }
            checked => Decided::Safe(Proof::Threads(proof), Checked { certificates: vec![checked] }),
        },
        Verdict::Safe(proof) => Decided::Safe(proof, Checked::BY_SEARCH),
        Verdict::Unknown(why) => Decided::Unknown(why),
    }
}

/// A word of the kernel that means nothing to the program's memory model, if there is one.
fn foreign_word(task: &Task) -> Option<(Span, &'static str)> {
    let word = |order: Order| if let Order::Kernel(word) = order { Some((order, word.name())) } else { None };
    let edges = task.program.procs.iter().flat_map(|proc| &proc.edges);
    let words = edges.flat_map(|edge| &edge.stmts).filter_map(|stmt| {
        let found = match &stmt.op {
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Fence(order) => word(*order),
            Op::Rmw { order, failure, .. } => {
                word(*order).or_else(|| failure.as_ref().and_then(|failure| word(failure.order)))
            }
            _ => None,
        };
        found.map(|(order, name)| (stmt.span, order, name))
    });
    let words: Vec<_> = words.collect();
    let mapping = if words.is_empty() { None } else { Axioms::of(&task.program).ok().map(|axioms| axioms.mapping) };
    let is_foreign = |order: Order| mapping.is_none_or(|mapping| !mapping.knows(order));
    words.into_iter().find(|(_, order, _)| is_foreign(*order)).map(|(span, _, name)| (span, name))
}

/// Checks the graphs of threads, within the limits of the run.
fn check_threads(proof: &ir::ThreadGraphs, properties: Properties, run: &mut Run) -> certificate::Checked {
    let axioms = match monotone::axioms(&proof.program) {
        Ok(axioms) => axioms,
        Err(why) => return certificate::Checked::Fails(format!("its model is none that it may be about: {why:?}")),
    };
    let started = Instant::now();
    let deadline = run.solver_limits().deadline;
    let checked = certificate::threads::check(proof, properties, (&axioms.model, axioms.mapping), deadline);
    run.statistics.set("proof seconds", started.elapsed().as_secs_f64());
    match checked {
        Ok(obligations) => {
            run.statistics.set("proof obligations", obligations as f64);
            certificate::Checked::Holds { obligations, left_out: 0 }
        }
        Err(certificate::threads::Halt::Fails(what)) => certificate::Checked::Fails(what),
        Err(certificate::threads::Halt::Beyond(what)) => certificate::Checked::Beyond(what),
    }
}

/// Checks a certificate. A check that does not come to an end leaves the proof as it is, unchecked.
fn check_again(proof: &ir::Certificate, task: &Task, run: &mut Run) -> certificate::Checked {
    let mut limits = run.solver_limits();
    let own = Instant::now() + run.elapsed() / 2 + Duration::from_secs(1);
    limits.deadline = Some(limits.deadline.map_or(own, |deadline| deadline.min(own)));
    let started = Instant::now();
    let checked = certificate::check(proof, task.properties, &limits);
    run.statistics.set("proof seconds", started.elapsed().as_secs_f64());
    if let certificate::Checked::Holds { obligations, left_out } = &checked {
        run.statistics.set("proof obligations", *obligations as f64);
        run.statistics.set("steps left out of the proof", *left_out as f64);
    }
    checked
}

/// The answer that a trace leads to.
pub fn confirm(task: &Task, trace: &Trace) -> Decided {
    if trace.graph.is_some() {
        if let Some((function, span)) = approximation_in(&task.program, trace) {
            return Decided::Unknown(Why::Approximated { span, function });
        }
        return match judged::confirm(task, trace) {
            Ok(replayed) => Decided::Unsafe(Box::new(replayed)),
            Err(why) => Decided::Unknown(why),
        };
    }
    match replay(task, trace) {
        Ok(replayed) => Decided::Unsafe(Box::new(replayed)),
        Err(ReplayError::Approximated { function, span, .. }) => Decided::Unknown(Why::Approximated { span, function }),
        Err(ReplayError::NoViolation(Property::MemTrack)) => {
            let end = trace.steps.last().and_then(|step| task.program.edge(step.edge).stmts.last());
            let what = "a block that, if anything, a variable names which is not read any more when the process ends,";
            let span = end.map_or(Span::NOWHERE, |stmt| stmt.span);
            Decided::Unknown(Why::Unsupported { span, what: what.to_string() })
        }
        Err(error) => Decided::Unknown(Why::NotReplayed(error.to_string())),
    }
}

/// How long an execution may be made shorter at the very most. What is spent is counted in steps, and this is far more than they take; it is for a machine that stands still.
const SHORTEN_AT_MOST: Duration = Duration::from_secs(5);

/// The answer with an execution that is easier to read (`ir::shorten`): replayed, like every other.
pub fn shorten(task: &Task, decided: Decided, budget: &Budget) -> Decided {
    let started = Instant::now();
    let is_over = || budget.is_over().is_some() || started.elapsed() > SHORTEN_AT_MOST;
    match decided {
        Decided::Unsafe(replayed) => Decided::Unsafe(Box::new(ir::shorten(task, *replayed, &is_over))),
        other => other,
    }
}

/// What is looked for in OOX programs: assertions with specifications, and deadlocks.
pub const OOX_PROPERTIES: [Property; 2] = [Property::Assertion, Property::Deadlock];

/// Asks the symbolic engine about an OOX program and replays its trace. A search that a depth has cut off is unknown (`Why::Depth`).
pub fn decide_oox(program: &ir::oox::Program, run: &mut Run) -> Decided<ir::oox::Replayed> {
    run.looked_for = Properties::of(&OOX_PROPERTIES);
    match check_oox(program, run) {
        Verdict::Safe(proof) => Decided::Safe(proof, Checked::BY_SEARCH),
        Verdict::Unsafe(trace) => match ir::oox::replay(program, &trace) {
            Ok(replayed) => Decided::Unsafe(Box::new(replayed)),
            Err(error) => Decided::Unknown(Why::NotReplayed(error)),
        },
        Verdict::Unknown(why) => Decided::Unknown(why),
    }
}

/// Asks whether an execution of a litmus test is what its condition is about: one that satisfies it, or for `forall` one that does not. The execution
/// was judged by the model when it was found; here its final state is looked at once more.
pub fn decide_litmus(test: &Test, model: &memory::cat::Model, run: &mut Run) -> Decided<Execution> {
    let question = Question { goal: Goal::Verdict, keep: 1, ..axiomatic::question(run) };
    let answer = match axiomatic::answer_within(test, model, &question, run) {
        Ok(answer) => answer,
        Err(why) => return Decided::Unknown(why),
    };
    run.statistics.set("executions", answer.n_complete as f64);
    run.statistics.set("choices", answer.n_steps as f64);
    let wants_positive = test.quantifier != Quantifier::Forall;
    let n_found = if wants_positive { answer.n_positive } else { answer.n_negative };
    let is_true = |execution: &Execution| {
        execution.violated.is_empty() && test.condition.holds(&execution.state) == wants_positive
    };
    match answer.executions.into_iter().next() {
        Some(execution) if is_true(&execution) => Decided::Unsafe(Box::new(execution)),
        None if n_found == 0 => match answer.cut {
            // More rounds may allow more.
            Some(span) => {
                let place = test.sources.place(span);
                Decided::Unknown(Why::Bound(format!("the loop at {place} was cut off (--axiomatic.unroll)")))
            }
            None => Decided::Safe(Proof::Exhaustive { states: answer.n_complete }, Checked::BY_SEARCH),
        },
        _ => Decided::Unknown(Why::NotReplayed("the execution is not one that was asked for".to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::About;
    use ir::build::Builder;
    use ir::{Properties, Property, Step};

    struct Claims(Verdict);

    impl Engine for Claims {
        fn about(&self) -> &'static About {
            &About { name: "claims", describe: "claims what it was told to", knobs: &[] }
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
            let mut run = Run::unlimited();
            let decided = decide(&Claims(verdict), &task, &mut run);
            (decided.verdict(), run.looked_for)
        };
        let safe = || Verdict::Safe(Proof::Exhaustive { states: 1 });
        let both = [Property::Assertion, Property::MemTrack];
        assert_eq!(asked(&both[..1], safe()), (safe(), Properties::of(&both[..1])));
        for verdict in [safe(), Verdict::Unknown(Why::Bound("a loop".into()))] {
            let (told, looked_for) = asked(&both, verdict.clone());
            assert_eq!(looked_for, Properties::of(&both[..1]), "{verdict:?}");
            match (verdict, told) {
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
            match (decided, kept) {
                (Decided::Unsafe(replayed), Some(kept)) => assert_eq!(replayed.trace.steps.len(), kept),
                (Decided::Unknown(Why::NotReplayed(_)), None) => {}
                (decided, _) => panic!("{given} steps: {decided:?}"),
            }
        }
    }
}
