//! What comes of one bound under a memory model in cat? The program is unrolled as ever; its events are judged by axioms instead of being put one after the other.
//!
//! Known as: bounded model checking under axiomatic memory models (Dartagnan, GenMC's models).
//!
//! [`sites`] are the events, [`bounds`] what is known of their relations, [`formula`] the question, [`witness`] the execution graph that answers it. What was unrolled is used as it is, but for what is only true of
//! interleavings: locks are not trusted to exclude, threads that are alike are not ordered, and no value is forwarded. A round of a loop that only reads and
//! changes nothing is left out here, too: without it an execution keeps all its other events and loses only order.
//!
//! A graph is told with the violation; nobody calls it one before `engines::decide` has run its threads and evaluated the axioms on it.

mod bounds;
mod counters;
mod formula;
mod lifetimes;
mod liveness;
mod matching;
mod messages;
mod plain_places;
mod settled;
mod sites;
mod witness;

use super::solving::goals::Goals;
use super::stage::{Question, Stage};
use super::unroll::executor::Bounds;
use super::unroll::unroll;
use super::unrolled::{BadKind, Unrolled};
use crate::bmc::accesses::places::PlaceKey;
use crate::bmc::reductions::Known;
use crate::clock::computed;
use crate::evidence::axioms::Axioms;
use crate::run::Run;
use formula::Formula;
use ir::{Property, Span, Why};
use logic::TermId;
use memory::cat::Check;
use memory::cat::syntax::ast::Severity;
use memory::formula::Failed;
use memory::formula::counters::is_coherent;
use memory::order::Closure;
use sites::{Apart, What};
use smt::{Answer, Lit};

/// Events at most: relations are squares.
const MAX_EVENTS: usize = 800;

/// The model of which more is known than its axioms (`settled`).
const RC11: &str = "rc11";

/// The models that order uses of objects and their ends as they order plain accesses (`lifetimes`).
const JUDGE_LIVES: [&str; 2] = [RC11, "imm"];

/// Decides one bound, with what earlier ones have found.
pub(crate) fn stage(
    question: &Question<'_>,
    axioms: &Axioms,
    rounds: &Bounds,
    known: &mut Known,
    run: &mut Run,
) -> Result<Stage, Why> {
    let started = computed();
    let name = question.prepared.axioms.as_ref().map_or("", |axioms| &axioms.name);
    if let Some(why) = axioms.refused(name) {
        return Err(why);
    }
    let mut unrolled = unroll(question.prepared, question.properties.without(Property::Race), rounds, known, run)?;
    let closure = Closure::new(unrolled.events.n_nodes(), &unrolled.events.fixed);
    run.statistics.add("seconds: unroll", (computed() - started).as_secs_f64());
    let started = computed();
    let live = unrolled.places.iter().position(|key| *key == PlaceKey::Live).map(|at| at as u32);
    let is_live = |place: u32| Some(place) == live;
    let asks_races = question.properties.has(Property::Race);
    if axioms.has_messages && question.properties.has(Property::Liveness) {
        let what = "whether processes that exchange messages wait for ever".to_string();
        return Err(Why::Unsupported { span: Span::NOWHERE, what });
    }
    // A file of that name may say anything.
    let is_ours = question.prepared.axioms.as_ref().is_some_and(|axioms| axioms.files.is_empty());
    let settled = if is_ours && name == RC11 { settled::settle(&mut unrolled, &is_live) } else { Vec::new() };
    let judges_lives = asks_races && is_ours && JUDGE_LIVES.contains(&name);
    let open = lifetimes::lives(&mut unrolled, &closure, &is_live, judges_lives);
    let overlaps = lifetimes::overlaps(question.prepared, &mut unrolled, &is_live);
    if let Some(why) = messages::misused(&mut unrolled) {
        return Err(why);
    }
    let mut goals = Goals::new(question.task, &mut unrolled, &[]);
    let is_covered = unrolled.pool.not(overlaps.some);
    goals.violation = unrolled.pool.and(goals.violation, is_covered);
    let sites = sites::sites(
        &mut unrolled,
        &closure,
        axioms.mapping,
        &Apart { is_live: &is_live, open: &open, settled: &settled },
    );
    let n = sites.sites.len();
    run.statistics.set("rounds", f64::from(rounds.rounds));
    run.statistics.set("events", n as f64);
    run.statistics.set("threads", unrolled.threads.len() as f64);
    if n > MAX_EVENTS {
        return Err(Why::Bound(format!("the unrolled program has more than {MAX_EVENTS} events")));
    }
    let forbids = |check: &&Check| check.severity == Severity::Forbids;
    let mut checks: Vec<&Check> = axioms.model.outcome.checks.iter().filter(forbids).collect();
    let races: Vec<&Check> = axioms.races().filter(|_| asks_races).collect();
    checks.extend(&races);
    // What is said of whole executions says nothing of those that stop early.
    let early = axioms.of_beginnings();
    let has_ends = axioms.has_messages && early.len() < checks.len();
    let mut known_bounds = bounds::bounds(&mut unrolled, &axioms.model, &sites, &checks);
    if is_coherent(&axioms.model) {
        known_bounds.counters = counters::counters(&mut unrolled, &sites, &known_bounds);
        run.statistics.set("counters", known_bounds.counters.len() as f64);
    }
    if let Some(why) = run.stop_soon() {
        return Err(why);
    }
    let limits = run.solver_limits();
    let all: Vec<Check> = axioms.model.outcome.checks.clone();
    let failed = |failed: Failed, run: &mut Run| match failed {
        Failed::Stopped(why) => run.why_stopped(why),
        Failed::Inexpressible(what) => {
            Why::Unsupported { span: Span::NOWHERE, what: format!("the memory model {name} for programs: {what}") }
        }
    };
    let given = (&sites, &known_bounds, &overlaps.torn);
    let formula = Formula::new(&mut unrolled, &axioms.model, given, (&all, &checks), limits);
    let mut formula = formula.map_err(|why| failed(why, run))?;
    let is_life = |event: usize| matches!(sites.sites[event].what, What::Use(_) | What::Over(_));
    let mut raised: Vec<Lit> = Vec::new();
    let mut outlived: Vec<Lit> = formula.sources.iter().filter(|from| is_life(from.1)).map(|from| from.2).collect();
    for race in races {
        let mut by = |counts: &dyn Fn(usize, usize) -> bool| formula.encoder.raised_by(race, counts);
        raised.push(by(&|a, b| !is_life(a) && !is_life(b)).map_err(|why| failed(why, run))?);
        if !open.ends.is_empty() {
            outlived.push(by(&|a, b| is_life(a) || is_life(b)).map_err(|why| failed(why, run))?);
        }
    }
    let asks_liveness = question.properties.has(Property::Liveness);
    let waits = if asks_liveness {
        let waits = liveness::waiting(&mut unrolled, &sites, &known_bounds, &mut formula);
        Some(waits.map_err(|why| run.why_stopped(why))?)
    } else {
        None
    };
    run.statistics.set("rf variables", formula.sources.len() as f64);
    run.statistics.set("co variables", formula.orders.len() as f64);
    run.statistics.add("seconds: encode", (computed() - started).as_secs_f64());
    let started = computed();
    let bad = Bad { goals: &goals, raised: &raised, waits, outlived: &outlived, ends: &open.ends };
    let mut result = answer(question, &mut unrolled, &sites, &mut formula, &bad, has_ends);
    let mut sat = formula.encoder.bits.statistics();
    if let (true, Ok(Stage::Safe(_))) = (has_ends, &result) {
        let ended = messages::all_ended(&mut unrolled);
        let comes_to_an_end = solve(&unrolled, &mut formula, ended).map_err(|why| run.why_stopped(why))?.is_some();
        drop(formula);
        let early: Vec<Check> = early.into_iter().cloned().collect();
        let focus: Vec<&Check> = early.iter().collect();
        let formula = Formula::new(&mut unrolled, &axioms.model, given, (&early, &focus), run.solver_limits());
        let mut formula = formula.map_err(|why| failed(why, run))?;
        result = messages::of_beginnings(question, &mut unrolled, (&sites, comes_to_an_end), &mut formula, &goals);
        sat = formula.encoder.bits.statistics();
    }
    run.statistics.set("SAT variables", sat.variables as f64);
    run.statistics.set("SAT clauses", sat.clauses as f64);
    run.statistics.add("solver conflicts", sat.conflicts as f64);
    run.statistics.add("seconds: solve", (computed() - started).as_secs_f64());
    result.map_err(|why| run.why_stopped(why))
}

/// What executions are looked for.
struct Bad<'a> {
    goals: &'a Goals,
    /// Races.
    raised: &'a [Lit],
    /// Threads that wait for ever, where that is asked about.
    waits: Option<Lit>,
    /// Uses of an object that do not happen before its end, and the ends.
    outlived: &'a [Lit],
    ends: &'a [usize],
}

fn answer(
    question: &Question<'_>,
    unrolled: &mut Unrolled,
    sites: &sites::Sites,
    formula: &mut Formula<'_>,
    &Bad { goals, raised, waits, outlived, ends }: &Bad<'_>,
    is_of_whole: bool,
) -> Result<Stage, smt::Why> {
    let goals = &formula.goals(unrolled, goals)?;
    if let Some(mut values) = solve(unrolled, formula, goals.violation)? {
        return Ok(Stage::Unsafe(witness::trace(question, unrolled, sites, formula, &mut values)));
    }
    if is_of_whole {
        return Ok(Stage::Safe(formula.n_events() as u64));
    }
    if let Some(trace) = used_after_end(question, unrolled, sites, formula, outlived)? {
        return Ok(Stage::Unsafe(trace));
    }
    let others = raised.iter().map(|race| (*race, Property::Race));
    for (bad, property) in others.chain(waits.map(|waits| (waits, Property::Liveness))).collect::<Vec<_>>() {
        let bad = formula_of(unrolled, formula, &[bad])?;
        let bad = formula.whole(unrolled, bad)?;
        if let Some(mut values) = solve(unrolled, formula, bad)? {
            let trace = witness::trace(question, unrolled, sites, formula, &mut values);
            return Ok(Stage::Unsafe(ir::Trace { violation: property, ..trace }));
        }
    }
    if let Some(stage) = cut(unrolled, formula, goals)? {
        return Ok(stage);
    }
    if let Some(stage) = beyond(unrolled, formula, goals)? {
        return Ok(stage);
    }
    if waits.is_some() {
        if let Some((reached, why)) = liveness::vague(unrolled)
            && solve(unrolled, formula, reached)?.is_some()
        {
            return Ok(Stage::Beyond(why));
        }
        if let Some(why) = liveness::at_locks(unrolled) {
            return Ok(Stage::Beyond(why));
        }
    }
    if let Some(end) = ends.first() {
        let outlived = formula_of(unrolled, formula, outlived)?;
        if solve(unrolled, formula, outlived)?.is_some() {
            let span = unrolled.events.writes[*end].how.span;
            return Ok(Stage::Beyond(lifetimes::unordered(span)));
        }
    }
    Ok(Stage::Safe(formula.n_events() as u64))
}

/// An execution in which an object is used that is over, if that is asked about.
fn used_after_end(
    question: &Question<'_>,
    unrolled: &mut Unrolled,
    sites: &sites::Sites,
    formula: &mut Formula<'_>,
    outlived: &[Lit],
) -> Result<Option<ir::Trace>, smt::Why> {
    if outlived.is_empty() || !question.properties.has(Property::Deref) {
        return Ok(None);
    }
    let outlived = formula_of(unrolled, formula, outlived)?;
    let outlived = formula.whole(unrolled, outlived)?;
    let Some(mut values) = solve(unrolled, formula, outlived)? else { return Ok(None) };
    Ok(witness::use_after_end(question, unrolled, sites, formula, &mut values))
}

/// Whether an execution goes on where a loop was cut.
fn cut(unrolled: &Unrolled, formula: &mut Formula<'_>, goals: &Goals) -> Result<Option<Stage>, smt::Why> {
    let found = solve(unrolled, formula, goals.cut)?;
    Ok(found.map(|mut values| Stage::Deeper(reason(unrolled, &mut values, |what| matches!(what, BadKind::Cut(_))))))
}

/// Whether an execution leaves what is modelled.
fn beyond(unrolled: &Unrolled, formula: &mut Formula<'_>, goals: &Goals) -> Result<Option<Stage>, smt::Why> {
    let Some(mut values) = solve(unrolled, formula, goals.beyond)? else { return Ok(None) };
    let mut misplaced = unrolled.bads.iter().filter(|bad| bad.what == BadKind::Misplaced);
    if misplaced.any(|bad| values.holds(&unrolled.pool, bad.guard)) {
        return Ok(Some(Stage::Misplaced));
    }
    Ok(Some(Stage::Beyond(reason(unrolled, &mut values, |what| matches!(what, BadKind::Beyond(_))))))
}

/// A formula that implies one of some literals.
fn formula_of(unrolled: &mut Unrolled, formula: &mut Formula<'_>, lits: &[Lit]) -> Result<TermId, smt::Why> {
    let var = unrolled.pool.declare("race", logic::Sort::Bool);
    let term = unrolled.pool.var(var);
    let own = formula.encoder.bits.lit(&unrolled.pool, term)?;
    let clause: Vec<Lit> = std::iter::once(!own).chain(lits.iter().copied()).collect();
    formula.encoder.bits.add_clause(&clause);
    Ok(term)
}

fn solve(
    unrolled: &Unrolled,
    formula: &mut Formula<'_>,
    goal: TermId,
) -> Result<Option<super::solving::search::Values>, smt::Why> {
    match formula.encoder.bits.check(&unrolled.pool, &[goal]) {
        Answer::Unsat(_) => Ok(None),
        Answer::Unknown(why) => Err(why),
        Answer::Sat(assignment) => Ok(Some(super::solving::search::Values::new(assignment))),
    }
}

/// Why an execution is none that counts.
fn reason(unrolled: &Unrolled, values: &mut super::solving::search::Values, kind: fn(&BadKind) -> bool) -> Why {
    let mut bads = unrolled.bads.iter().filter(|bad| kind(&bad.what));
    match bads.find(|bad| values.holds(&unrolled.pool, bad.guard)).map(|bad| &bad.what) {
        Some(BadKind::Cut(why) | BadKind::Beyond(why)) => why.clone(),
        _ => unreachable!("one of them holds in what was found"),
    }
}
