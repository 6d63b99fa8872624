//! Can a bad state be reached within a few rounds of every loop? All executions at once, as one question for a SAT solver.
//!
//! Threads are executed symbolically with their loops unrolled (`execute`, `step`, `statements`, `access`, `threads`), which gives events with guards; the solver
//! chooses values and which write each read reads (`encode`), and the theory of `memory::order` sees to it that all of it can happen one
//! after the other (`solve`). Bounds grow until a violation is found, or no execution needs more rounds than were unrolled: then the
//! program is safe. Otherwise the answer is unknown and names the loop.

mod access;
pub mod bounds;
mod buffers;
mod cells;
mod encode;
mod execute;
mod flow;
mod guarded;
mod idle;
mod inside;
mod locks;
mod objects;
mod places;
mod points;
mod race;
mod ranges;
mod solve;
mod statements;
mod step;
mod store;
mod symmetry;
mod threads;
mod trace;
mod unrolled;
mod waits;

use crate::clock::computed;
use crate::{About, Engine, Kind, Knob, Run};
use cells::Known;
use encode::Encoding;
use execute::{Bounds, unroll};
use ir::pass::{Options, explicit_fences, forget_owners, may_wait_in_circle, prepare, spell_race, spell_trace};
use ir::{Model, Program, Proof, Properties, Property, Task, Trace, Verdict, Why};
use logic::TermId;
use memory::order::{Pair, find_conflicts};
use solve::{Effort, Found, Outcome, solve};
use trace::Goal;
use unrolled::{BadKind, Unrolled};

/// The bounded model checker.
pub struct Bmc;

const PROCEDURE: Knob = Knob {
    name: "procedure",
    kind: Kind::Choice(&["theory", "basic"]),
    default: "theory",
    help: "whether orders are decided inside the solver's search, or afterwards, one objection at a time",
};
const CONFLICTS: Knob =
    Knob { name: "conflicts", kind: Kind::Flag, default: "on", help: "look for small cycles before solving" };
const UNWIND: Knob = Knob {
    name: "unwind",
    kind: Kind::Number,
    default: "0",
    help: "how often loops of unknown length go round; 0 tries 1, 2, 3, 5, 8 and so on",
};
const LOOPS: Knob = Knob {
    name: "loops",
    kind: Kind::Form(bounds::FORM, bounds::misspelt),
    default: "",
    help: "how often the loops at these lines go round",
};

/// Clauses that are looked for beforehand at most.
const MAX_CONFLICTS: usize = 50_000;
/// Steps of the unrolled program at most.
const MAX_STEPS: usize = 150_000;
/// Nodes of the order at most.
const MAX_NODES: usize = 12_000;

/// Rounds of loops of unknown length, and of those that constants decide.
const STAGES: [(u32, u32); 10] =
    [(1, 6), (2, 12), (3, 24), (5, 60), (8, 200), (13, 600), (21, 2000), (34, 5000), (55, 20_000), (89, 100_000)];

impl Engine for Bmc {
    fn about(&self) -> &'static About {
        &About {
            name: "bmc",
            describe: "unrolls loops and asks a SAT solver, which an ordering theory helps, for a bad execution",
            knobs: &[PROCEDURE, CONFLICTS, UNWIND, LOOPS],
        }
    }

    fn models(&self) -> &'static [Model] {
        &Model::ALL
    }

    fn properties(&self, task: &Task) -> Properties {
        properties_of(task)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        match decide(task, run) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Unknown(why),
        }
    }
}

fn decide(task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    let started = computed();
    let options = Options { blocks: false, ..Options::default() };
    let mut prepared = prepare(&explicit_fences(&task.program), task.properties, &options)?;
    let has_circles = task.properties.has(Property::Deadlock) && may_wait_in_circle(&prepared);
    if !has_circles {
        prepared = forget_owners(&prepared);
    }
    run.statistics.set("seconds: prepare", (computed() - started).as_secs_f64());
    let by_line = bounds::place(&task.program, &run.settings.text(&LOOPS)).map_err(refused)?;
    let unwind = u32::try_from(run.settings.number(&UNWIND)).unwrap_or(u32::MAX);
    let stages: Vec<(u32, u32)> = if unwind > 0 { vec![(unwind, 100_000)] } else { STAGES.to_vec() };
    run.looked_for = properties_of(task);
    let mut reason = None;
    let mut by_cells = true;
    let mut known = Known::default();
    let mut stages = stages.into_iter();
    let mut next = stages.next();
    while let Some((rounds, decided)) = next {
        let bounds = Bounds { rounds, decided, by_line: by_line.clone(), records: MAX_STEPS, by_cells };
        let result = stage(task, &prepared, &bounds, &mut known, run);
        if matches!(result, Ok(Stage::Misplaced)) {
            (by_cells, known) = (false, Known::default());
            continue;
        }
        next = stages.next();
        match result {
            Ok(Stage::Unsafe(trace)) => return Ok(Verdict::Unsafe(trace)),
            Ok(Stage::Safe(events)) => {
                return match undecided(task, &prepared) {
                    Some(why) => Err(why),
                    None => Ok(Verdict::Safe(Proof::Unrolled { events })),
                };
            }
            Ok(Stage::Beyond(why)) => return Err(why),
            Ok(Stage::Deeper(why)) => reason = Some(why),
            Ok(Stage::Misplaced) => unreachable!("this stage is tried again"),
            Err(Why::Bound(what)) => return Err(reason.unwrap_or(Why::Bound(what))),
            Err(why) => return Err(why),
        }
    }
    Err(reason.expect("every stage gives a reason to go on"))
}

/// Why the absence of violations does not mean that the task is safe.
fn undecided(task: &Task, prepared: &Program) -> Option<Why> {
    if let Some(property) = task.properties.beyond(properties_of(task)).iter().next() {
        let what = match property {
            Property::Race => format!("data races under {}", prepared.model),
            _ => format!("the property \"no {}\" in this engine", property.describe()),
        };
        return Some(Why::Unsupported { span: ir::Span::NOWHERE, what });
    }
    task.properties.has(Property::Race).then(|| crate::explore::weak_order::beyond_adjacency(prepared)).flatten()
}

/// What is looked for. What is left at the end, and what never ends, is no event; what a race is where stores are buffered is not defined.
fn properties_of(task: &Task) -> Properties {
    let unknown = [Property::MemTrack, Property::MemCleanup, Property::Termination];
    let known = task.properties.beyond(Properties::of(&unknown));
    if task.program.model.has_buffers() { known.without(Property::Race) } else { known }
}

fn refused(what: String) -> Why {
    Why::Unsupported { span: ir::Span::NOWHERE, what: format!("a bound for a loop: {what}") }
}

/// What came of one bound.
enum Stage {
    Unsafe(Trace),
    /// Safe, with so many events.
    Safe(u64),
    /// An execution leaves the model.
    Beyond(Why),
    /// Memory has to be looked at byte by byte.
    Misplaced,
    /// An execution needs more rounds.
    Deeper(Why),
}

fn stage(task: &Task, prepared: &Program, bounds: &Bounds, known: &mut Known, run: &mut Run) -> Result<Stage, Why> {
    let started = computed();
    let mut unrolled = unroll(prepared, properties_of(task), bounds, known, run)?;
    let races = race::pairs(&mut unrolled);
    let unrolling = (computed() - started).as_secs_f64();
    if unrolled.events.n_nodes() > MAX_NODES {
        return Err(Why::Bound(format!("the unrolled program has more than {MAX_NODES} accesses to shared state")));
    }
    let statistics = &mut run.statistics;
    statistics.set("rounds", f64::from(bounds.rounds));
    statistics.set("steps", unrolled.n_records as f64);
    statistics.set("threads", unrolled.threads.len() as f64);
    statistics.set("alike threads", unrolled.n_alike as f64);
    statistics.set("reads", unrolled.events.reads.len() as f64);
    statistics.set("writes", unrolled.events.writes.len() as f64);
    statistics.add("seconds: unroll", unrolling);
    let started = computed();
    let goals = Goals::new(task, &mut unrolled, &races);
    let in_solver = run.word(&PROCEDURE) == "theory";
    let limits = run.solver_limits();
    let mut encoding = Encoding::new(&mut unrolled, in_solver, limits).map_err(|why| run.why_stopped(why))?;
    run.statistics.add("seconds: encode", (computed() - started).as_secs_f64());
    if run.settings.flag(&CONFLICTS) {
        let started = computed();
        let implies = |choice: Pair, of: Pair| encoding.implies(&unrolled, choice, of);
        let found = find_conflicts(&encoding.structure, &implies, MAX_CONFLICTS);
        let kinds = [
            ("conflicts: two sources", &found.sources),
            ("conflicts: crossing reads", &found.crossing),
            ("conflicts: two updates", &found.updates),
            ("conflicts: overwritten", &found.overwritten),
            ("conflicts: overwritten by a choice", &found.chained),
        ];
        for (name, clauses) in kinds {
            clauses.iter().for_each(|clause| encoding.forbid(clause));
            run.statistics.set(name, clauses.len() as f64);
        }
        run.statistics.set("conflicts: cut off", f64::from(u8::from(found.is_cut)));
        run.statistics.add("seconds: conflicts", (computed() - started).as_secs_f64());
    }
    let started = computed();
    encoding.finish();
    run.statistics.add("seconds: encode", (computed() - started).as_secs_f64());
    let started = computed();
    let mut effort = Effort::default();
    let result = answer(task, prepared, &mut unrolled, &mut encoding, &goals, &races, &mut effort);
    note_effort(&encoding, effort, run);
    run.statistics.add("seconds: solve", (computed() - started).as_secs_f64());
    result.map_err(|why| run.why_stopped(why))
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

/// What is asked, as formulas.
struct Goals {
    violation: TermId,
    deadlock: TermId,
    beyond: TermId,
    cut: TermId,
}

impl Goals {
    fn new(task: &Task, unrolled: &mut Unrolled, races: &[race::Pair]) -> Goals {
        let Unrolled { pool, bads, threads, waits, accesses, constraints, .. } = unrolled;
        let of = |kind: fn(&BadKind) -> bool| -> Vec<TermId> {
            bads.iter().filter(|bad| kind(&bad.what)).map(|bad| bad.guard).collect()
        };
        let mut violations = of(|kind| matches!(kind, BadKind::Violation(_)));
        let beyond = of(|kind| matches!(kind, BadKind::Beyond(_) | BadKind::Misplaced));
        let cut = of(|kind| matches!(kind, BadKind::Cut(_)));
        violations.extend(races.iter().map(|pair| pair.cond));
        // One section at most stops before its end; if it does so beyond the model, nothing after it counts.
        let stops = bads.iter().filter_map(|bad| bad.stop).chain(accesses.iter().filter_map(|access| access.racing));
        let mut someone = pool.bool(false);
        for stop in stops {
            let first = pool.not(someone);
            constraints.push(pool.implies(stop, first));
            someone = pool.or(someone, stop);
        }
        let of_beyond = |bad: &&unrolled::Bad| matches!(bad.what, BadKind::Beyond(_) | BadKind::Misplaced);
        let strange: Vec<TermId> = bads.iter().filter(of_beyond).filter_map(|bad| bad.stop).collect();
        let strange = pool.or_all(&strange);
        let is_plain = pool.not(strange);
        let mut deadlock = pool.bool(false);
        if task.properties.has(Property::Deadlock) {
            let all = waits::all_wait(pool, threads, waits);
            let some = waits::some_wait_for_ever(pool, threads, waits);
            deadlock = pool.or(all, some);
            violations.push(deadlock);
        }
        let violation = pool.or_all(&violations);
        let violation = pool.and(violation, is_plain);
        Goals { violation, deadlock, beyond: pool.or_all(&beyond), cut: pool.or_all(&cut) }
    }
}

fn answer(
    task: &Task,
    prepared: &Program,
    unrolled: &mut Unrolled,
    encoding: &mut Encoding,
    goals: &Goals,
    races: &[race::Pair],
    effort: &mut Effort,
) -> Result<Stage, smt::Why> {
    if let Outcome::Found(mut found) = solve(encoding, unrolled, goals.violation, effort)? {
        return Ok(Stage::Unsafe(tell(task, prepared, unrolled, goals, races, &mut found)));
    }
    if let Outcome::Found(mut found) = solve(encoding, unrolled, goals.cut, effort)? {
        return Ok(Stage::Deeper(reason(unrolled, &mut found, |what| matches!(what, BadKind::Cut(_)))));
    }
    if let Outcome::Found(mut found) = solve(encoding, unrolled, goals.beyond, effort)? {
        let mut misplaced = unrolled.bads.iter().filter(|bad| bad.what == BadKind::Misplaced);
        if misplaced.any(|bad| found.values.holds(&unrolled.pool, bad.guard)) {
            return Ok(Stage::Misplaced);
        }
        return Ok(Stage::Beyond(reason(unrolled, &mut found, |what| matches!(what, BadKind::Beyond(_)))));
    }
    Ok(Stage::Safe((unrolled.events.reads.len() + unrolled.events.writes.len()) as u64))
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

/// The trace of what was found, in steps of the lowered program.
fn tell(
    task: &Task,
    prepared: &Program,
    unrolled: &Unrolled,
    goals: &Goals,
    races: &[race::Pair],
    found: &mut Found,
) -> Trace {
    let pool = &unrolled.pool;
    // What stops a section comes first: nothing else that is bad does, and it may come too late.
    let stopped = races.iter().find(|pair| pair.is_inside && found.values.holds(pool, pair.cond));
    if let Some(pair) = stopped {
        return tell_race(task, prepared, unrolled, pair, found);
    }
    let mut violated: Vec<_> = unrolled.bads.iter().filter(|bad| matches!(bad.what, BadKind::Violation(_))).collect();
    violated.retain(|bad| found.values.holds(pool, bad.guard));
    let bad = violated.iter().find(|bad| bad.stop.is_some()).or(violated.first());
    if let Some(bad) = bad {
        let BadKind::Violation(violation) = bad.what else { unreachable!("only violations were looked at") };
        let goal = Goal::Step { thread: bad.thread, record: bad.record };
        let told = trace::steps(unrolled, found, goal);
        let trace = Trace { violation, steps: told.steps, commits: told.commits, model: None };
        return spell_trace(&task.program, prepared, &trace);
    }
    if found.values.holds(pool, goals.deadlock) {
        let told = trace::steps(unrolled, found, Goal::Everything);
        let trace = Trace { violation: Property::Deadlock, steps: told.steps, commits: told.commits, model: None };
        return spell_trace(&task.program, prepared, &trace);
    }
    let pair = races.iter().find(|pair| found.values.holds(pool, pair.cond)).expect("something is violated");
    tell_race(task, prepared, unrolled, pair, found)
}

fn tell_race(task: &Task, prepared: &Program, unrolled: &Unrolled, pair: &race::Pair, found: &mut Found) -> Trace {
    let [first, second] = pair.accesses.map(|access| &unrolled.accesses[access]);
    if pair.is_late {
        let told = trace::steps(unrolled, found, Goal::Step { thread: second.thread, record: second.record });
        let trace = Trace { violation: Property::Race, steps: told.steps, commits: told.commits, model: None };
        return spell_trace(&task.program, prepared, &trace);
    }
    let ends = [(first.thread, first.record), (second.thread, second.record)];
    let told = trace::steps(unrolled, found, Goal::Pair { ends, node: pair.node });
    let next = [(told.next[0].clone(), first.stmt as usize), (told.next[1].clone(), second.stmt as usize)];
    spell_race(&task.program, prepared, &told.steps, &next)
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod weak_tests;
