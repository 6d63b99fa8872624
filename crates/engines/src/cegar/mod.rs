//! Is the program safe although its loops have no bounds? Counterexample-guided abstraction refinement.
//!
//! Known as: CEGAR \[Clarke03], predicate abstraction \[Graf97] and explicit-value analysis, lazy abstraction with `--cegar.prune lazy` \[Henzinger02].
//!
//! [`search`] explores an abstraction of the program that knows only what the precision says. If no error is possible there, none is
//! possible at all. If one is, `abstraction::refine` decides whether its path can really be taken: then it is the trace, or else it says what
//! should have been known, and the search begins again with more of it. `search::reduction` and `search::dpor` leave interleavings out, `abstraction::cone` leaves
//! out assignments. [`refinement`] decides what is added (`precision`) and what else is tried (`stages`).

mod refinement;
mod search;
mod world;

#[cfg(test)]
mod tests;

use crate::abstraction::cells::Cells;
use crate::abstraction::cone;
use crate::abstraction::domain::{Combine, Domain, Explicit, Predicates};
use crate::abstraction::entailment::Entailment;
use crate::abstraction::interpolants::Technique;
use crate::abstraction::refine::{Attempt, Explanation, Feasibility, Refiner};
use crate::abstraction::state::{Live, Places, places};
use crate::abstraction::symbolic::BadKind;
use crate::abstraction::waiting::circles;
use crate::explore::actions::Actions;
use crate::prepared::{cannot_be_run_again, has_whole_arrays};
use crate::{About, Engine, Kind, Knob, Run};
use ir::pass::{Options, forget_owners, spell_trace};
use ir::{Certificate, EdgeRef, Model, Op, Program, Proof, Properties, Property, Step, Task, Trace, Verdict, Why};
use refinement::precision::{Refinement, Tracking};
use refinement::stages::{Finding, Remedy, Situation};
use search::counter_abstraction::Pick;
use search::reachability_graph::{NodeId, ReachabilityGraph};
use search::{Halt, Search};
use smt::Direction;
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::{Counts, Reduction, Strategy, World};

/// The engine with abstraction and refinement.
pub struct Cegar;

const DOMAIN: Knob = Knob {
    name: "domain",
    kind: Kind::Choice(&["expl", "expl-enum", "pred", "pred-bool", "pred-split", "prod"]),
    default: "prod",
    help: "what is known in abstract states: values (unknown ones enumerated up to 8), predicates (one by one, combined, one state \
           each), or both",
};
const POR: Knob = Knob {
    name: "por",
    kind: Kind::Choice(&["none", "source", "aware", "dpor", "aware-dpor"]),
    default: "aware",
    help: "which interleavings are left out: none, those outside source sets, likewise looking only at what is known, or those that \
           exploration shows to be equal",
};
const COI: Knob = Knob {
    name: "coi",
    kind: Kind::Choice(&["none", "static", "dynamic", "both"]),
    default: "both",
    help: "which assignments are left out: none; those that nothing depends on, which are sliced away before; those that nothing depends \
           on from where the threads stand; or both",
};
const REFINE: Knob = Knob {
    name: "refine",
    kind: Kind::Choice(&["seq", "bin-backward", "bin-forward", "newton-backward", "newton-forward", "horn", "core"]),
    default: "seq",
    help: "what a spurious path adds: sequence interpolants, whichever way finds them; one interpolant where the path becomes impossible; \
           weakest preconditions or strongest postconditions; Horn clauses; or the cells of its unsatisfiable core",
};
const SPLIT: Knob = Knob {
    name: "split",
    kind: Kind::Choice(&["atoms", "conjuncts", "whole"]),
    default: "atoms",
    help: "which parts of interpolants become predicates",
};
const PRECISION: Knob = Knob {
    name: "precision",
    kind: Kind::Choice(&["global", "local"]),
    default: "global",
    help: "whether predicates are tracked everywhere, or only where the threads stood when they were needed",
};
const PRUNE: Knob = Knob {
    name: "prune",
    kind: Kind::Choice(&["full", "lazy", "several"]),
    default: "full",
    help: "whether exploration begins again after each path that went astray, goes on where it did, or begins again after several",
};
const INIT: Knob = Knob {
    name: "init",
    kind: Kind::Choice(&["empty", "vars", "branches"]),
    default: "empty",
    help: "what is tracked at first: nothing, all global variables, or all branching conditions",
};
const SEARCH: Knob = Knob {
    name: "search",
    kind: Kind::Choice(&["bfs", "dfs", "distance"]),
    default: "dfs",
    help: "which abstract state is expanded next",
};

const COUNTER_ABSTRACTION: Knob = Knob {
    name: "counter-abstraction",
    kind: Kind::Choice(&["auto", "off", "all"]),
    default: "auto",
    help: "which threads are not told apart, but counted as none, one or many at each place: those of loops that start many, none, \
           or all",
};

impl Engine for Cegar {
    fn about(&self) -> &'static About {
        &About {
            name: "cegar",
            describe: "explores abstract states and refines the abstraction until it proves or disproves",
            knobs: &[DOMAIN, POR, COI, REFINE, SPLIT, INIT, PRECISION, PRUNE, SEARCH, COUNTER_ABSTRACTION],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso]
    }

    fn properties(&self, task: &Task) -> Properties {
        task.properties.iter().filter(|property| is_supported(task, *property)).fold(Properties::NONE, Properties::with)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        match decide(task, run) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Unknown(why),
        }
    }
}

/// So many paths that seem to go wrong are collected with `several` before the precision grows by what all of them teach.
const SEVERAL: usize = 4;

/// When paths have taught this many predicates about threads that are not told apart, and still teach more, guessing is quicker.
const MANY_PREDICATES: usize = 20;

fn decide(task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    if let Some(property) = task.properties.iter().find(|property| !is_supported(task, *property)) {
        let what = format!("{} is not something that abstract states show", property.describe());
        return Err(Why::Unsupported { span: ir::Span::NOWHERE, what });
    }
    let slices = cone_of(run.word(&COI)).is_static();
    let program = run.prepare(task, &Options { arrays: true, buffers: true, slices, ..Options::default() })?;
    run.looked_for = task.properties;
    // Abstract states show when all threads wait, not when some wait for each other.
    let circles = task.properties.has(Property::Deadlock).then(|| circles(&program)).flatten();
    let program = forget_owners(program);
    let mut rounds = Rounds::new(&program, task.properties, run);
    loop {
        let (result, graph) = rounds.explore(run);
        let found = match result {
            Ok(certificate) => {
                return match rounds.unknown.or(circles) {
                    Some(why) => Err(why),
                    None => Ok(Verdict::Safe(Proof::Abstraction(Arc::new(certificate)))),
                };
            }
            Err(Halt::Stopped(why)) => return Err(rounds.unknown.unwrap_or(why)),
            Err(Halt::ManyValues(var)) => {
                rounds.refinement.give_up_values(&mut rounds.world.cells, var);
                continue;
            }
            Err(Halt::Error(attempt, node)) => rounds.consider(attempt, node, graph),
        };
        if rounds.was_resumed && found.finding() == Finding::NothingNew {
            // What was kept knows too little of what is tracked already: once more from the beginning.
            continue;
        }
        match refinement::stages::remedy(found.finding(), &rounds.situation(&found.attempt)) {
            Remedy::GoOn => rounds.keep_what_is_sound(found),
            Remedy::Report => {
                let trace = found.trace().expect("a violation is reported");
                let trace = spell_trace(&task.program, &program, &trace);
                if has_whole_arrays(&program) && ir::replay(task, &trace).is_err() {
                    return Err(rounds.unknown.unwrap_or_else(cannot_be_run_again));
                }
                return Ok(Verdict::Unsafe(trace));
            }
            Remedy::PassOver => rounds.pass_over(found),
            Remedy::CountThreads => count_threads(&mut rounds.world, &found.attempt),
            Remedy::TellApart => tell_apart(&mut rounds.world),
            Remedy::MinePredicates => rounds.mine_predicates(),
            Remedy::CombinePredicates => {
                rounds.world.domain = Box::new(Predicates { combine: Combine::Boolean, max_enum: 1 });
            }
            Remedy::GiveUp => return Err(rounds.unknown.unwrap_or_else(|| found.why(&program, run))),
        }
    }
}

/// What lives from round to round.
struct Rounds<'p> {
    world: World<'p>,
    refinement: Refinement,
    technique: Option<Technique>,
    tracking: Tracking,
    /// Whether predicates were mined already, or cannot be tracked.
    has_mined: bool,
    /// Whether a part of the graph is kept after a refinement.
    is_lazy: bool,
    /// What was kept of the graph of the last round: where the next one begins.
    kept: ReachabilityGraph,
    /// Whether the present round began with something kept.
    was_resumed: bool,
    /// Other paths of the present round that seem to go wrong.
    more: Vec<(Attempt, NodeId)>,
    /// Why the program is not safe, whatever else is found: some path leaves what is modelled.
    unknown: Option<Why>,
    times: Times,
}

/// A path that was looked at.
struct Considered {
    /// The path as the abstraction has found it.
    attempt: Attempt,
    /// What is true of it, and of which threads; nothing if it needs more counted threads than it starts.
    feasibility: Option<(Feasibility, Attempt)>,
    /// Whether the precision has grown.
    is_refined: bool,
    /// The nodes that it leads through, and the graph that they are nodes of.
    nodes: Vec<NodeId>,
    graph: ReachabilityGraph,
    /// Whether it was the only one of its round.
    is_alone: bool,
}

impl<'p> Rounds<'p> {
    fn new(program: &'p Program, properties: Properties, run: &Run) -> Rounds<'p> {
        let (tracking, domain) = domain(run.word(&DOMAIN));
        let reduction = match run.word(&POR) {
            "none" => Reduction::None,
            "source" => Reduction::Source,
            "dpor" => Reduction::Dynamic,
            "aware-dpor" => Reduction::AwareDynamic,
            "aware" => Reduction::Aware,
            other => unreachable!("{other} is not declared"),
        };
        let cone = cone_of(run.word(&COI));
        let order = match run.word(&SEARCH) {
            "bfs" => Strategy::Breadth,
            "distance" => Strategy::Distance,
            "dfs" => Strategy::Depth,
            other => unreachable!("{other} is not declared"),
        };
        let mut world = World {
            cells: Cells::new(program),
            entailment: Entailment::new(run.solver_limits()),
            actions: Actions::new(program, properties),
            live: Live::new(program),
            properties,
            domain,
            reduction,
            order,
            cone: cone::ConeOfInfluence::new(program, cone),
            summaries: Default::default(),
            is_total: Default::default(),
            passed_over: Default::default(),
            counts: Counts::default(),
            distance: distances(program, properties),
            counts_values: tracking == Tracking::Both,
            watches_starts: run.word(&COUNTER_ABSTRACTION) == "auto",
            n_paths: if run.word(&PRUNE) == "several" { SEVERAL } else { 1 },
        };
        if run.word(&COUNTER_ABSTRACTION) == "all" {
            let stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
            world.cells.counted_sites =
                stmts.filter(|stmt| matches!(stmt.op, Op::Start { .. })).map(|stmt| stmt.site).collect();
        }
        let is_local = run.word(&PRECISION) == "local";
        let mut refinement = Refinement::new(tracking, run.word(&SPLIT), run.word(&INIT), is_local);
        refinement.begin(&mut world);
        Rounds {
            world,
            refinement,
            technique: refinement::precision::technique(run.word(&REFINE)),
            tracking,
            has_mined: tracking == Tracking::Values,
            is_lazy: run.word(&PRUNE) == "lazy",
            kept: ReachabilityGraph::default(),
            was_resumed: false,
            more: Vec::new(),
            unknown: None,
            times: Times::default(),
        }
    }

    /// One round: explores with the precision as it is. If no error is possible, the graph is the proof.
    fn explore(&mut self, run: &mut Run) -> (Result<Certificate, Halt>, ReachabilityGraph) {
        let precision = self.refinement.precision.clone();
        let mut search = Search::new(&mut self.world, &precision);
        let kept = std::mem::take(&mut self.kept);
        self.was_resumed = !kept.nodes.is_empty();
        search.resume(kept);
        let result = search.explore(run);
        let result = result.map(|()| search::proof::certificate(&mut search));
        let graph = std::mem::take(&mut search.graph);
        self.more = std::mem::take(&mut search.more);
        note_statistics(&self.world, &self.refinement, &self.times, run);
        (result, graph)
    }

    /// Looks whether a path to a node, and a step from there, can be taken, and learns from it if not.
    fn consider(&mut self, attempt: Attempt, node: NodeId, graph: ReachabilityGraph) -> Considered {
        self.times.refinements += 1;
        let started = Instant::now();
        let nodes = graph.nodes_to(node);
        let places: Vec<Places> = nodes.iter().map(|node| places(&graph.node(*node).control)).collect();
        let (feasibility, is_refined) =
            consider(self.technique, &mut self.world, &mut self.refinement, &attempt, &places);
        let mut found = Considered { attempt, feasibility, is_refined, nodes, graph, is_alone: self.more.is_empty() };
        for (attempt, node) in std::mem::take(&mut self.more) {
            self.consider_another(&mut found, attempt, node);
        }
        self.times.refining += started.elapsed();
        found
    }

    /// Looks at another path of the same round. If it can be taken, it is the one that counts; if not, it may teach more.
    fn consider_another(&mut self, found: &mut Considered, attempt: Attempt, node: NodeId) {
        if matches!(found.feasibility, Some((Feasibility::Feasible(_) | Feasibility::Stopped(_), _))) {
            return;
        }
        self.times.refinements += 1;
        let nodes = found.graph.nodes_to(node);
        let places: Vec<Places> = nodes.iter().map(|node| places(&found.graph.node(*node).control)).collect();
        let (feasibility, is_refined) =
            consider(self.technique, &mut self.world, &mut self.refinement, &attempt, &places);
        if matches!(feasibility, Some((Feasibility::Feasible(_), _))) {
            (found.attempt, found.feasibility, found.nodes) = (attempt, feasibility, nodes);
        } else {
            found.is_refined |= is_refined;
        }
    }

    fn situation(&self, attempt: &Attempt) -> Situation {
        Situation {
            has_counted: !self.world.cells.counted_sites.is_empty(),
            has_mined: self.has_mined,
            has_many_predicates: self.refinement.precision.predicates.len() > MANY_PREDICATES,
            starts_many: attempt.kind == BadKind::ManyThreads,
            // Each predicate for itself may not suffice.
            can_combine: self.tracking == Tracking::Both && !self.world.domain.keeps_combinations(),
        }
    }

    /// Keeps that part of the graph which does not come after where the path went astray, if that is allowed.
    fn keep_what_is_sound(&mut self, found: Considered) {
        if self.is_lazy
            && found.is_alone
            && self.world.cells.counted_sites.is_empty()
            && let Some((Feasibility::Spurious(explanation), _)) = &found.feasibility
            && let Some(first) = first_gone_astray(&self.world.cells, explanation, &found.nodes)
        {
            self.kept = found.graph;
            self.kept.prune(first);
        }
    }

    /// The last step of the path is known to leave what is modelled; perhaps there is a violation elsewhere.
    fn pass_over(&mut self, found: Considered) {
        if let Some((_, Attempt { steps, stmt, kind: BadKind::Beyond(why), .. })) = found.feasibility {
            self.unknown.get_or_insert(why);
            let (_, edge) = *steps.last().expect("a path has steps");
            self.world.passed_over.insert((edge, stmt));
        }
    }

    fn mine_predicates(&mut self) {
        self.has_mined = true;
        refinement::predicate_mining::add(&mut self.world, &mut self.refinement.precision);
    }
}

impl Considered {
    fn finding(&self) -> Finding {
        match &self.feasibility {
            None => Finding::NotCast,
            Some((Feasibility::Spurious(_), _)) if self.is_refined => Finding::Learned,
            Some((Feasibility::Spurious(_), _)) => Finding::NothingNew,
            Some((Feasibility::Unknown(_), _)) => Finding::Undecided,
            Some((Feasibility::Stopped(_), _)) => Finding::Stopped,
            Some((Feasibility::Feasible(_), cast)) => match cast.kind {
                BadKind::Violation(_) | BadKind::Deadlock => Finding::Violation,
                BadKind::Beyond(_) => Finding::Beyond,
                BadKind::ManyThreads => Finding::ManyThreads,
                BadKind::Unresolved(..) => unreachable!("what cannot be resolved is explained"),
            },
        }
    }

    /// The execution, if the path can be taken and ends in a violation.
    fn trace(self) -> Option<Trace> {
        let Some((Feasibility::Feasible(inputs), Attempt { steps, kind, .. })) = self.feasibility else { return None };
        let violation = match kind {
            BadKind::Violation(violation) => violation,
            BadKind::Deadlock => Property::Deadlock,
            BadKind::Beyond(_) | BadKind::ManyThreads | BadKind::Unresolved(..) => return None,
        };
        let step = |((thread, edge), inputs): ((u32, EdgeRef), _)| Step { thread, edge, inputs };
        Some(Trace::new(violation, steps.into_iter().zip(inputs).map(step).collect()))
    }

    /// Why nothing is left to try.
    fn why(self, program: &Program, run: &Run) -> Why {
        match self.feasibility {
            Some((Feasibility::Unknown(what), _)) => Why::Bound(what),
            Some((Feasibility::Stopped(why), _)) => run.why_stopped(why),
            _ => stuck(program, &self.attempt),
        }
    }
}

/// The node before the first one of a path that should have known more; `None` if that is the start, or not known.
fn first_gone_astray(cells: &Cells<'_>, explanation: &Explanation, nodes: &[NodeId]) -> Option<NodeId> {
    let is_telling = |term: &logic::TermId| cells.pool.as_const(*term).is_none_or(|value| !value.as_bool());
    let telling = explanation.interpolants.iter().filter(|(_, term)| is_telling(term));
    let moment = telling.map(|(moment, _)| *moment).min()?;
    nodes.get(moment).and_then(|_| nodes.get(moment.checked_sub(1)?)).copied()
}

/// Decides a path, and refines the precision if it cannot be taken. `None` if it has counted threads and needs more threads than it starts. What
/// one kind of interpolants and one choice of threads do not teach, another may.
fn consider(
    technique: Option<Technique>,
    world: &mut World<'_>,
    refinement: &mut Refinement,
    attempt: &Attempt,
    places: &[Places],
) -> (Option<(Feasibility, Attempt)>, bool) {
    let mut ways = vec![Refiner { technique, in_own_words: false }];
    if technique == Some(Technique::Sequence) {
        let newton = |direction| Refiner { technique: Some(Technique::Newton(direction)), in_own_words: false };
        ways.extend([Direction::Forward, Direction::Backward].map(newton));
        ways.push(Refiner { technique, in_own_words: true });
    }
    let is_counted = !world.cells.counted_sites.is_empty();
    let picks: &[Pick] = if is_counted { &[Pick::Newest, Pick::Oldest] } else { &[Pick::Newest] };
    let mut result = None;
    for pick in picks {
        let Some(cast) = search::counter_abstraction::concrete(world, attempt, *pick) else { continue };
        for refiner in &ways {
            let sites = std::mem::take(&mut world.cells.counted_sites);
            let feasibility = refiner.decide(&mut world.cells, &mut world.entailment, world.properties, &cast.attempt);
            world.cells.counted_sites = sites;
            let Feasibility::Spurious(explanation) = feasibility else {
                return (Some((feasibility, cast.attempt)), false);
            };
            let explanation = cast.explain(&mut world.cells, &explanation);
            let places = if is_counted { &[] } else { places };
            let is_refined = refinement.refine(world, &explanation, places);
            result = Some((Feasibility::Spurious(explanation), cast.attempt.clone()));
            if is_refined {
                return (result, true);
            }
        }
    }
    (result, false)
}

/// From now on the threads of the loop that the path ends in are not told apart.
fn count_threads(world: &mut World<'_>, attempt: &Attempt) {
    let (_, edge) = *attempt.steps.last().expect("a path has steps");
    let sites = search::counter_abstraction::start_sites(world.cells.program, edge);
    world.cells.counted_sites.extend(sites);
    world.summaries.clear();
}

/// From now on all threads are told apart: only errors can be found.
fn tell_apart(world: &mut World<'_>) {
    world.cells.counted_sites.clear();
    world.watches_starts = false;
}

/// Whether a violation shows in a single step, or in a single state; what is never allocated is not lost.
fn is_supported(task: &Task, property: Property) -> bool {
    match property {
        Property::ErrorCall
        | Property::Assertion
        | Property::Overflow
        | Property::Division
        | Property::Deref
        | Property::Free
        | Property::Misuse
        | Property::Deadlock => true,
        Property::MemTrack | Property::MemCleanup => task.never_allocates(),
        Property::Race | Property::Termination | Property::Liveness => false,
    }
}

fn cone_of(name: &str) -> cone::Mode {
    match name {
        "none" => cone::Mode::None,
        "static" => cone::Mode::Static,
        "both" => cone::Mode::Both,
        "dynamic" => cone::Mode::Dynamic,
        other => unreachable!("{other} is not declared"),
    }
}

fn domain(name: &str) -> (Tracking, Box<dyn Domain>) {
    let predicates = |combine| Box::new(Predicates { combine, max_enum: 1 });
    match name {
        "expl" => (Tracking::Values, Box::new(Explicit { max_enum: 1 })),
        "expl-enum" => (Tracking::Values, Box::new(Explicit { max_enum: 8 })),
        "pred" => (Tracking::Predicates, predicates(Combine::Cartesian)),
        "pred-bool" => (Tracking::Predicates, predicates(Combine::Boolean)),
        "pred-split" => (Tracking::Predicates, predicates(Combine::Split)),
        "prod" => (Tracking::Both, predicates(Combine::Cartesian)),
        other => unreachable!("{other} is not declared"),
    }
}

/// Why refinement ends: nothing more can be tracked.
fn stuck(program: &Program, attempt: &Attempt) -> Why {
    let stmt = attempt.steps.last().and_then(|(_, edge)| program.edge(*edge).stmts.get(attempt.stmt));
    let span = stmt.map_or(ir::Span::NOWHERE, |stmt| stmt.span);
    let shown = |what: &str| format!("that {what}: nothing that cegar can track says so");
    match &attempt.kind {
        BadKind::Deadlock => Why::NotShown { span, what: shown("threads do not wait for ever after this place") },
        BadKind::Unresolved(_, _, what) => Why::Unsupported { span, what: format!("{what} that takes many values") },
        _ => Why::NotShown { span, what: shown("this place is never reached in this way") },
    }
}

#[derive(Default)]
struct Times {
    refinements: u64,
    refining: Duration,
}

fn note_statistics(world: &World<'_>, refinement: &Refinement, times: &Times, run: &mut Run) {
    let counts = world.counts;
    let share = |part: u64| 100.0 * part as f64 / (counts.assignments as f64).max(1.0);
    let statistics = &mut run.statistics;
    statistics.set("explored actions", counts.actions as f64);
    statistics.set("states", counts.states as f64);
    statistics.set("covered states", counts.covered as f64);
    statistics.set("solver questions", world.entailment.n_questions() as f64);
    statistics.set("solver calls", world.entailment.n_solved() as f64);
    statistics.set("solver seconds", world.entailment.time.as_secs_f64());
    statistics.set("successor seconds", counts.successor_time.as_secs_f64());
    statistics.set("cone seconds", world.cone.time.as_secs_f64());
    statistics.set("refinement seconds", times.refining.as_secs_f64());
    statistics.set("refinements", times.refinements as f64);
    run.reached.count("refinements", times.refinements);
    statistics.set("tracked cells", refinement.precision.cells.len() as f64);
    statistics.set("tracked predicates", refinement.precision.predicates.len() as f64);
    statistics.set("assignments", counts.assignments as f64);
    statistics.set("percent simplified", share(counts.simplified));
    statistics.set("percent eliminated", share(counts.eliminated));
}

/// How many edges each location is away from something that can go wrong.
fn distances(program: &Program, properties: Properties) -> Vec<Vec<u32>> {
    const FAR: u32 = 1 << 20;
    let of_proc = |proc: &ir::Proc| {
        let mut distance = vec![FAR; proc.locs.len()];
        for _ in 0..proc.locs.len() {
            let mut changed = false;
            for edge in &proc.edges {
                let is_bad = edge.stmts.iter().any(|stmt| match &stmt.op {
                    Op::Check { kind, .. } => Property::of_check(kind).is_some_and(|kind| properties.has(kind)),
                    _ => false,
                });
                let new = if is_bad { 1 } else { distance[edge.to.index()].saturating_add(1) };
                if new < distance[edge.from.index()] {
                    distance[edge.from.index()] = new;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        distance
    };
    program.procs.iter().map(of_proc).collect()
}
