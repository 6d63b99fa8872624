//! Can a bad state be reached under a memory model, however often loops go round? Each thread is looked at alone, and the axioms say what it may read.
//!
//! Known as: abstraction refinement over declarative semantics, one abstract reachability graph for each thread (MultiARG) \[Bajczi22, chapter 5].
//!
//! **Abstraction.** Explicit values of tracked variables, or predicates ([`steps`], [`facts`]). The graph of a thread has an edge for each value that a read of a tracked variable may find
//! ([`graphs`], [`growing`]); which ones these are is asked of the model: the ways of all threads to get there, without the laps of loops ([`lanes`]), who reads from whom and in
//! which order writes take effect are tried in all combinations, and judged by the axioms ([`search`], [`choice`], [`world`]), with what is known of locks ([`locks`]). So loops close, and are not unrolled.
//!
//! **Concretisation.** A bad node that the model does not exclude is a question for `bmc`, with few rounds of every loop: what it finds is replayed.
//!
//! **Refinement.** Otherwise more is known ([`refine`]): interpolants of the execution that was not excluded say which predicates or variables, and literals of reads-from in them
//! which shared ones. When all are tracked, and a bad node is left, the answer is unknown.
//!
//! **Why this is sound.** By induction over the past of an event: program order and reads-from have no cycles under the models that are accepted
//! (`evidence::monotone`), so take the first event of an execution that its thread's graph does not have. It is no step of the thread alone, because the graph has all of
//! these; so it is a read of a tracked variable, and its source is in a graph, with its value. The past of the read is in the graphs; without its laps it is one
//! of the combinations that were tried; the axioms forbid it; by monotonicity they forbid the execution. Likewise for bad nodes. `certificate` checks the graphs again.

mod choice;
mod facts;
mod graphs;
mod growing;
mod lanes;
mod locks;
mod refine;
mod search;
mod steps;
mod threads;
mod world;

use crate::evidence::monotone;
use crate::table::engine_named;
use crate::{About, Engine, Kind, Knob, Run, Settings};
use growing::Graphs;
use ir::pass::{Options, explicit_fences, forget_owners, prepare};
use ir::{At, CheckKind, Model, Op, Program, Proof, Properties, Property, Scope, Stmt, Task, Verdict, Why};
use lanes::Anchor;
use refine::{Domain, Refinement, learn};
use search::Search;
use std::sync::Arc;
use steps::Steps;

/// The engine that looks at threads one by one under axioms.
pub struct Declarative;

/// Rounds of every loop that are looked at when a bad node is found, and before giving up.
const ROUNDS: [&str; 2] = ["2", "5"];

/// Refinements at most: predicates may follow each other without end.
const MAX_REFINEMENTS: u32 = 30;

const DOMAIN: Knob = Knob {
    name: "domain",
    kind: Kind::Choice(&["expl", "pred"]),
    default: "expl",
    help: "what is known in abstract states: values of variables, or predicates",
};

/// What checks in the program show.
const LOOKED_FOR: [Property; 7] = [
    Property::ErrorCall,
    Property::Assertion,
    Property::Overflow,
    Property::Division,
    Property::Deref,
    Property::Free,
    Property::Misuse,
];

impl Engine for Declarative {
    fn about(&self) -> &'static About {
        &About {
            name: "declarative",
            describe: "looks at each thread alone and asks the memory model what it may read; loops need no bound",
            knobs: &[DOMAIN],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso, Model::Cat]
    }

    fn properties(&self, task: &Task) -> Properties {
        let lost = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
        let known = Properties::of(&LOOKED_FOR);
        // What is never allocated is not lost.
        task.properties.both(if task.never_allocates() { known.union(lost) } else { known })
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        decide(self.properties(task), task, run).unwrap_or_else(Verdict::Unknown)
    }
}

fn decide(properties: Properties, task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    let axioms = monotone::axioms(&task.program)?;
    // To axioms every access counts, used or not, as it does where races are looked for.
    let options = Options { blocks: false, rounds: 8, ..Options::default() };
    let program = prepare(&explicit_fences(task.program.clone()), task.properties.with(Property::Race), &options)?;
    let program = forget_owners(program);
    let threads = threads::threads(&program)?;
    run.looked_for = properties;
    let mut steps = Steps::new(&program, threads, properties, run.solver_limits());
    let mut search = Search::new(&axioms);
    let mut refinement =
        Refinement::new(if run.word(&DOMAIN) == "pred" { Domain::Predicates } else { Domain::Explicit });
    let mut is_looked_for = false;
    for round in 0.. {
        let mut graphs = Graphs::build(&mut steps, &mut search, run)?;
        note(&steps, &graphs, &search, round, run);
        let Some(bad) = possible(&mut graphs, &steps, &mut search, run)? else {
            return Ok(Verdict::Safe(Proof::Threads(Arc::new(graphs.proof(&steps)))));
        };
        if round == 0
            && let Some(verdict) = concrete(task, ROUNDS[0], run)
        {
            return Ok(verdict);
        }
        let stmt = stmt_of(&steps, &graphs, bad);
        let lesson = learn(&graphs, &mut steps, &mut search, bad, refinement.domain, run)?;
        let is_last = refinement.is_last() || round == MAX_REFINEMENTS;
        if !is_looked_for && (lesson.is_real || is_last) {
            is_looked_for = true;
            if let Some(verdict) = concrete(task, ROUNDS[1], run) {
                return Ok(verdict);
            }
        }
        let proc = steps.threads[bad.0 as usize].proc;
        if is_last || (!refinement.take(&mut steps, &lesson) && !refinement.follow(&mut steps, proc, stmt)) {
            return Err(given_up(stmt, &search));
        }
        run.reached.count("variables tracked", steps.tracked.len() as u64);
    }
    unreachable!("the rounds come to an end when all is tracked")
}

/// A bad node that the model does not exclude.
fn possible(
    graphs: &mut Graphs,
    steps: &Steps<'_>,
    search: &mut Search<'_>,
    run: &mut Run,
) -> Result<Option<(u32, u32)>, Why> {
    for (thread, node) in graphs.bad() {
        if graphs.is_possible(steps, search, Anchor { thread, node, event: None }, run)? {
            return Ok(Some((thread, node)));
        }
    }
    Ok(None)
}

fn stmt_of<'p>(steps: &Steps<'p>, graphs: &Graphs, (thread, node): (u32, u32)) -> &'p Stmt {
    let proc = steps.program.proc(steps.threads[thread as usize].proc);
    let At::Bad(edge, at) = graphs.threads[thread as usize].nodes[node as usize].at else {
        unreachable!("it is where a check fails")
    };
    &proc.edges[edge.index()].stmts[at as usize]
}

/// A violation that `bmc` finds within so many rounds of every loop.
fn concrete(task: &Task, rounds: &str, run: &mut Run) -> Option<Verdict> {
    let bmc = engine_named("bmc")?;
    let settings = Settings::of("bmc", bmc.about().knobs, [("unwind", rounds)]).ok()?;
    let mut own = Run::new(run.budget().clone()).with(settings);
    run.statistics.add("questions to bmc", 1.0);
    match bmc.check(task, &mut own) {
        Verdict::Unsafe(trace) => Some(Verdict::Unsafe(trace)),
        _ => None,
    }
}

/// Why it is not known, when a bad node is left and everything is tracked.
fn given_up(stmt: &Stmt, search: &Search<'_>) -> Why {
    match &stmt.op {
        Op::Check { kind: CheckKind::Unsupported(what), .. } => {
            return Why::Unsupported { span: stmt.span, what: what.to_string() };
        }
        Op::Check { kind: CheckKind::Bound(what), .. } => return Why::Bound(what.to_string()),
        _ => {}
    }
    let what = if search.n_given_up > 0 {
        "that this check never fails; a question to the memory model was given up as too large"
    } else {
        "that this check never fails: what is known of each thread's variables and what it may read do not say so"
    };
    Why::NotShown { span: stmt.span, what: what.to_string() }
}

fn note(steps: &Steps<'_>, graphs: &Graphs, search: &Search<'_>, round: u32, run: &mut Run) {
    run.statistics.set("refinements", f64::from(round));
    run.statistics.set("nodes", graphs.threads.iter().map(|graph| graph.nodes.len()).sum::<usize>() as f64);
    run.statistics.set("tracked variables", shown(steps.program, steps).len() as f64);
    run.statistics.set("predicates", steps.predicates.len() as f64);
    if round == 1 {
        run.statistics.set("tracked at first", shown(steps.program, steps).len() as f64);
    }
    run.statistics.add("questions to the model", graphs.n_queries as f64);
    run.statistics.set("judgements", search.n_checks as f64);
    run.statistics.set("negative facts", graphs.n_refuted as f64);
    run.statistics.set("questions given up", search.n_given_up as f64);
    let names = shown(steps.program, steps);
    if !names.is_empty() {
        run.reached.note(format!("tracked: {}", names.join(", ")));
    }
}

/// The names of the tracked variables that the source has.
fn shown(program: &Program, steps: &Steps<'_>) -> Vec<String> {
    let is_shown = |var: &&logic::VarId| !program.var(**var).is_temporary || program.var(**var).scope == Scope::Global;
    let mut names: Vec<String> =
        steps.tracked.iter().filter(is_shown).map(|var| program.pool.var_name(*var).to_string()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests;
