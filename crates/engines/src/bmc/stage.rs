//! What comes of one bound? The program is unrolled, encoded and asked about: violations first, then loops that were cut, then what leaves the model.

use super::reductions::Known;
use super::solving::cubes::{Crew, Tell, solve_together};
use super::solving::data_races;
use super::solving::encoding::Encoding;
use super::solving::goals::Goals;
use super::solving::parts::{Cut, Part, choices, cut_up};
use super::solving::search::{Effort, Found, Solved, solve};
use super::solving::witness::trace;
use super::unroll::executor::Bounds;
use super::unroll::unroll;
use super::unrolled::{BadKind, Unrolled};
use crate::clock::computed;
use crate::evidence::axioms::Axioms;
use crate::run::{Run, Statistics};
use ir::{Program, Properties, Task, Trace, Why};
use logic::TermId;
use memory::order::{Closure, Pair, Wanted, find_conflicts};
use smt::Lit;

/// Clauses that are looked for beforehand at most.
const MAX_CONFLICTS: usize = 50_000;
/// Nodes of the order at most.
const MAX_NODES: usize = 12_000;

/// What is asked, whatever the bound.
pub(crate) struct Question<'a> {
    pub(crate) task: &'a Task,
    /// The program after the passes.
    pub(crate) prepared: &'a Program,
    /// What is looked for.
    pub(crate) properties: Properties,
    /// Whether the theory takes part in the search.
    pub(crate) in_solver: bool,
    /// Whether small conflicts are looked for beforehand.
    pub(crate) finds_conflicts: bool,
    /// The memory model, if it is given by axioms.
    pub(crate) axioms: Option<&'a Axioms>,
    /// How many threads of the machine work on hard questions.
    pub(crate) n_workers: usize,
    /// The only part of all executions that is looked at.
    pub(crate) part: Option<&'a Part>,
    /// How many parts a hard question is cut into, if it is.
    pub(crate) n_parts: usize,
    /// After how many conflicts of the solver it is hard.
    pub(crate) hard: u32,
}

/// What came of one bound.
pub(crate) enum Stage {
    Unsafe(Trace),
    /// Safe, with so many events.
    Safe(u64),
    /// An execution leaves the model.
    Beyond(Why),
    /// Memory has to be looked at byte by byte.
    Misplaced,
    /// An execution needs more rounds.
    Deeper(Why),
    /// Parts of all executions that are left, and those in which nothing goes wrong, by their choices.
    Parts {
        open: Vec<Vec<i32>>,
        refuted: Vec<Vec<i32>>,
        mark: u64,
    },
}

/// Decides one bound, with what earlier ones have found.
pub(crate) fn stage(question: &Question<'_>, bounds: &Bounds, known: &mut Known, run: &mut Run) -> Result<Stage, Why> {
    let started = computed();
    let mut unrolled = unroll(question.prepared, question.properties, bounds, known, run)?;
    let moment = data_races::moment(&mut unrolled);
    let closure = Closure::new(unrolled.events.n_nodes(), &unrolled.events.fixed);
    let races = moment.map_or_else(Vec::new, |moment| data_races::pairs(&mut unrolled, moment, &closure));
    let unrolling = (computed() - started).as_secs_f64();
    if unrolled.events.n_nodes() > MAX_NODES {
        return Err(Why::Bound(format!("the unrolled program has more than {MAX_NODES} accesses to shared state")));
    }
    run.reached.count("shared accesses", (unrolled.events.reads.len() + unrolled.events.writes.len()) as u64);
    let statistics = &mut run.statistics;
    statistics.set("rounds", f64::from(bounds.rounds));
    statistics.set("steps", unrolled.n_records as f64);
    statistics.set("threads", unrolled.threads.len() as f64);
    statistics.set("alike threads", unrolled.n_alike as f64);
    statistics.set("reads", unrolled.events.reads.len() as f64);
    statistics.set("writes", unrolled.events.writes.len() as f64);
    statistics.add("seconds: unroll", unrolling);
    let started = computed();
    let goals = Goals::new(question.task, &mut unrolled, &races);
    let limits = run.solver_limits();
    let crew = (question.n_workers > 1).then(|| {
        let (closure, limits) = (closure.clone(), limits.clone());
        // Questions that are shared out are hard.
        let encode = move |unrolled: &mut Unrolled| {
            let mut unnoted = Statistics::default();
            let mut encoding = encode(question, unrolled, closure.clone(), limits.clone(), &mut unnoted)?;
            add_conflicts_late(question, unrolled, &mut encoding, &limits, &mut unnoted);
            Ok(encoding)
        };
        Crew { n_workers: question.n_workers, unrolled: unrolled.clone(), encode: Box::new(encode) }
    });
    let encoded = encode(question, &mut unrolled, closure, limits, &mut run.statistics);
    run.statistics.add("seconds: encode", (computed() - started).as_secs_f64());
    let mut encoding = encoded.map_err(|why| run.why_stopped(why))?;
    let started = computed();
    let mut effort = Effort::default();
    let asked = (&mut unrolled, &mut encoding);
    let result = answer(question, asked, (&goals, &races), crew.as_ref(), (&mut effort, &mut run.statistics));
    note_effort(&encoding, effort, run);
    run.statistics.add("seconds: solve", (computed() - started).as_secs_f64());
    result.map_err(|why| run.why_stopped(why))
}

/// Encodes an unrolled program. `basic` gets the small conflicts that can be seen beforehand at once: it would find each of them by a solution that is none.
fn encode(
    question: &Question<'_>,
    unrolled: &mut Unrolled,
    closure: Closure,
    limits: smt::Limits,
    statistics: &mut Statistics,
) -> Result<Encoding, smt::Why> {
    let mut encoding = Encoding::new(unrolled, closure, question.in_solver, limits.clone())?;
    if question.finds_conflicts && !question.in_solver {
        let seconds = add_conflicts(&mut encoding, unrolled, Wanted::All, &limits, statistics);
        // Told apart from the rest of the encoding.
        statistics.add("seconds: encode", -seconds);
    }
    encoding.finish();
    Ok(encoding)
}

/// Gives `theory` the small conflicts, once a question has shown that it is not easy: the others are answered while they would be looked for.
fn add_conflicts_late(
    question: &Question<'_>,
    unrolled: &Unrolled,
    encoding: &mut Encoding,
    limits: &smt::Limits,
    statistics: &mut Statistics,
) {
    if question.finds_conflicts && question.in_solver && !std::mem::replace(&mut encoding.has_conflicts, true) {
        let seconds = add_conflicts(encoding, unrolled, Wanted::Few, limits, statistics);
        statistics.add("seconds: solve", -seconds);
    }
}

/// Looks for small conflicts and tells the solver; how long that took.
fn add_conflicts(
    encoding: &mut Encoding,
    unrolled: &Unrolled,
    wanted: Wanted,
    limits: &smt::Limits,
    statistics: &mut Statistics,
) -> f64 {
    let started = computed();
    let implies = |choice: Pair, of: Pair| encoding.implies(unrolled, choice, of);
    let is_over = || limits.is_over().is_some();
    let found = find_conflicts(&encoding.structure, &encoding.closure, &implies, wanted, (MAX_CONFLICTS, &is_over));
    let kinds = [
        ("conflicts: two sources", &found.sources),
        ("conflicts: crossing reads", &found.crossing),
        ("conflicts: two updates", &found.updates),
        ("conflicts: overwritten", &found.overwritten),
        ("conflicts: overwritten by a choice", &found.chained),
        ("conflicts: overwritten by two choices", &found.doubly_chained),
    ];
    for (name, clauses) in kinds {
        clauses.iter().for_each(|clause| encoding.forbid(clause));
        statistics.set(name, clauses.len() as f64);
    }
    statistics.set("conflicts: cut off", found.n_cut as f64);
    let seconds = (computed() - started).as_secs_f64();
    statistics.add("seconds: conflicts", seconds);
    seconds
}

fn note_effort(encoding: &Encoding, effort: Effort, run: &mut Run) {
    let statistics = &mut run.statistics;
    let sat = encoding.bits.statistics();
    statistics.set("rf variables", encoding.n_choices as f64);
    statistics.set("rf ruled out by locks", encoding.n_excluded as f64);
    statistics.set("ws variables", encoding.n_write_orders as f64);
    statistics.set("SAT variables", sat.variables as f64);
    statistics.set("SAT clauses", sat.clauses as f64);
    statistics.add("checks", effort.checks as f64);
    statistics.add("refinement clauses", effort.refinements as f64);
    statistics.add("ordered writes", effort.ordered_writes as f64);
    if effort.cubes > 0 {
        statistics.add("cubes", effort.cubes as f64);
        statistics.add("clauses told", effort.clauses_told as f64);
    }
    if let Some(order) = &encoding.order {
        let counts = order.borrow().counts;
        statistics.add("theory clauses", counts.clauses as f64);
        statistics.add("theory conflicts", counts.conflicts as f64);
        statistics.add("theory implications", counts.implied as f64);
        statistics.add("derived orders", counts.derived as f64);
    }
    statistics.add("solver decisions", sat.decisions as f64);
    statistics.add("solver propagations", sat.propagations as f64);
    statistics.add("solver conflicts", sat.conflicts as f64);
}

fn answer(
    question: &Question<'_>,
    (unrolled, encoding): (&mut Unrolled, &mut Encoding),
    (goals, races): (&Goals, &[data_races::Pair]),
    crew: Option<&Crew<'_>>,
    (effort, statistics): (&mut Effort, &mut Statistics),
) -> Result<Stage, smt::Why> {
    let violation = |unrolled: &mut Unrolled, found: &mut Found| {
        let told = trace(question.task, question.prepared, unrolled, (goals, races), found);
        let untold =
            || smt::Why::Incomplete("a data race of a thread that the execution found does not start".to_string());
        told.map(Stage::Unsafe).ok_or_else(untold)
    };
    let cut = |unrolled: &mut Unrolled, found: &mut Found| {
        Ok(Stage::Deeper(reason(unrolled, found, |what| matches!(what, BadKind::Cut(_)))))
    };
    let beyond = |unrolled: &mut Unrolled, found: &mut Found| {
        let mut misplaced = unrolled.bads.iter().filter(|bad| bad.what == BadKind::Misplaced);
        if misplaced.any(|bad| found.values.holds(&unrolled.pool, bad.guard)) {
            return Ok(Stage::Misplaced);
        }
        Ok(Stage::Beyond(reason(unrolled, found, |what| matches!(what, BadKind::Beyond(_)))))
    };
    let questions: [(TermId, &Tell<'_, Stage>); 3] =
        [(goals.violation, &violation), (goals.cut, &cut), (goals.beyond, &beyond)];
    let limits = encoding.bits.limits().clone();
    let mut harden = |unrolled: &Unrolled, encoding: &mut Encoding| {
        add_conflicts_late(question, unrolled, encoding, &limits, statistics);
    };
    if let Some(part) = question.part {
        harden(unrolled, encoding);
        return answer_part(part, (unrolled, encoding), &questions, effort);
    }
    for (goal, tell) in questions {
        if question.n_parts > 0 {
            harden(unrolled, encoding);
            match cut_up(encoding, unrolled, (goal, question.n_parts, question.hard), tell, effort)? {
                Cut::Found(stage) => return Ok(stage),
                Cut::Nothing => continue,
                Cut::Parts { open, refuted } => {
                    let choices = |cubes: Vec<Vec<Lit>>| cubes.iter().map(|cube| choices(encoding, cube)).collect();
                    return Ok(Stage::Parts { open: choices(open), refuted: choices(refuted), mark: encoding.mark() });
                }
            }
        }
        if let Some(stage) = solve_together((encoding, unrolled), goal, crew, &mut harden, (tell, effort))? {
            return Ok(stage);
        }
    }
    Ok(Stage::Safe((unrolled.events.reads.len() + unrolled.events.writes.len()) as u64))
}

/// Whether something goes wrong in a part of all executions.
fn answer_part(
    part: &Part,
    (unrolled, encoding): (&mut Unrolled, &mut Encoding),
    questions: &[(TermId, &Tell<'_, Stage>)],
    effort: &mut Effort,
) -> Result<Stage, smt::Why> {
    let Some(cube) = part.literals(encoding) else {
        return Err(smt::Why::Incomplete("this is a part of another program, or of another version of ravel".into()));
    };
    let mut needed: Vec<Lit> = Vec::new();
    for (goal, tell) in questions {
        match solve(encoding, unrolled, (*goal, &cube), u32::MAX, effort)? {
            Solved::Found(mut found) => return tell(unrolled, &mut found),
            Solved::Nothing => {
                let also: Vec<Lit> = cube.iter().copied().filter(|lit| encoding.bits.lit_failed(*lit)).collect();
                needed.extend(also.into_iter().filter(|lit| !needed.contains(lit)).collect::<Vec<_>>());
            }
            Solved::Paused => return Err(smt::Why::Incomplete("the solver gave up".into())),
        }
    }
    Ok(Stage::Parts { open: Vec::new(), refuted: vec![choices(encoding, &needed)], mark: encoding.mark() })
}

/// Why an execution is none that counts.
fn reason(unrolled: &Unrolled, found: &mut Found, kind: fn(&BadKind) -> bool) -> Why {
    let bad =
        unrolled.bads.iter().filter(|bad| kind(&bad.what)).find(|bad| found.values.holds(&unrolled.pool, bad.guard));
    match bad.map(|bad| &bad.what) {
        Some(BadKind::Cut(why) | BadKind::Beyond(why)) => why.clone(),
        _ => unreachable!("one of them holds in what was found"),
    }
}
