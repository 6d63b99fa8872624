//! What can be said of each thread alone, and of each two accesses? Which accesses no other thread can disturb.
//! Known as: thread-modular analysis, lock-set analysis.
//!
//! [`flow`] finds what a thread knows at each of its locations: locks held, threads that may be running, where its variables have their values from.
//! [`sites`] puts together what the program as a whole says about cells and handles, [`threads`] which threads can run at the same time, and [`pairs`] judges every
//! two accesses that conflict. The number of threads, the rounds of loops and the values of inputs do not matter for the effort.
//!
//! All of it is about executions up to the first invalid access or misuse of the thread library: what comes after it means nothing.
//!
//! - The engine `modular` proves with it that no two accesses race.
//! - `guard` marks accesses that are kept apart from all others: other threads cannot touch what they touch while they are pending, so that they
//!   are no points where the order of threads matters (`ir::Order::Guarded`). That holds where locks are exact: an abstraction that forgets them lets others in.

mod counters;
mod flow;
mod pairs;
mod paths;
mod places;
mod ranges;
mod sites;
mod spots;
mod state;
mod threads;

use crate::Run;
use counters::Counters;
use flow::{Flow, World};
use ir::pass::{PointsTo, Sharing};
use ir::{Callee, CheckKind, Edge, EdgeId, LocId, Mark, Op, Order, ProcId, Program, Span, Stmt, Why};
use logic::Pool;
pub(crate) use pairs::Reasons;
use pairs::{Judge, Seen};
use rustc_hash::{FxHashMap, FxHashSet};
use sites::Sites;
use spots::{Spot, Spots};
use state::State;
use std::collections::{BTreeMap, BTreeSet};
use threads::{Contexts, Given};

/// What is known at the locations of a procedure.
type Known = FxHashMap<LocId, State>;

/// Two accesses that are not known to be kept apart.
pub(crate) type Open = (Span, Span);

/// Whether every two accesses that could race are kept apart: what keeps them apart, or the first two that nothing does. If locks are not enough, the ways
/// on which they are held are kept apart, too.
pub(crate) fn no_races(program: &Program, run: &mut Run) -> Result<Result<Reasons, Open>, Why> {
    let found = judge_races(program, run)?;
    if found.is_ok() {
        return Ok(found);
    }
    match paths::keep_ways_apart(program) {
        Some(apart) => judge_races(&apart, run),
        None => Ok(found),
    }
}

fn judge_races(program: &Program, run: &mut Run) -> Result<Result<Reasons, Open>, Why> {
    with_judge(program, run, |judge, collected, pool, run| {
        if let Some(why) = &collected.refused {
            return Err(why.clone());
        }
        let all: Vec<(usize, usize)> = judge.accesses().filter(|(index, _)| !judge.seen[*index].is_scope_end).collect();
        for (number, a) in all.iter().enumerate() {
            for b in &all[number..] {
                judge.may_go_on(run)?;
                if !judge.no_race(pool, *a, *b) {
                    return Ok(Err((judge.seen[a.0].span, judge.seen[b.0].span)));
                }
            }
        }
        Ok(Ok(judge.reasons))
    })
}

/// The program in which accesses that are kept apart from all that could conflict with them are marked. It is as it was if that takes too long.
pub(crate) fn guard(mut program: Program, run: &mut Run) -> Program {
    let guarded = with_judge(&program, run, |judge, _, pool, run| {
        let all: Vec<(usize, usize)> = judge.accesses().collect();
        let mut open: FxHashSet<Spot> = FxHashSet::default();
        for (number, a) in all.iter().enumerate() {
            for b in &all[number..] {
                judge.may_go_on(run)?;
                let spots = [judge.seen[a.0].spot, judge.seen[b.0].spot];
                if spots.iter().any(|spot| !open.contains(spot)) && !judge.keeps_apart(pool, *a, *b) {
                    open.extend(spots);
                }
            }
        }
        let spots = judge.seen.iter().map(|seen| seen.spot).filter(|spot| !open.contains(spot));
        Ok(spots.collect::<FxHashSet<Spot>>())
    });
    let Ok(guarded) = guarded else { return program };
    let spots = Spots::new(&program);
    for (index, proc) in program.procs.iter_mut().enumerate() {
        for (number, edge) in proc.edges.iter_mut().enumerate() {
            let first = spots.first(ProcId(index as u32), EdgeId(number as u32));
            for (at, stmt) in edge.stmts.iter_mut().enumerate() {
                if let Op::Load { order, .. } | Op::Store { order, .. } = &mut stmt.op
                    && *order == Order::Plain
                    && guarded.contains(&first.plus(at))
                {
                    *order = Order::Guarded;
                }
            }
        }
    }
    program
}

/// Gathers what is known of a program and lets pairs of its accesses be judged.
fn with_judge<T>(
    program: &Program,
    run: &mut Run,
    ask: impl FnOnce(&mut Judge<'_, '_>, &Collected, &mut Pool, &mut Run) -> Result<T, Why>,
) -> Result<T, Why> {
    let points_to = PointsTo::new(program);
    let sharing = Sharing::new(program);
    let spots = Spots::new(program);
    let (made, once) = sites::made(program, &spots, &points_to, &sharing);
    let world = World { program, points_to: &points_to, spots, made, once };
    let counters: Vec<Counters> = program.procs.iter().map(|proc| Counters::new(&program.pool, proc)).collect();
    let mut pool = program.pool.clone();
    let first = first_look(&world, &counters, &mut pool, run)?;
    let known = look(&world, &counters, &first, &mut pool, run)?;
    let collected = collect(&world, &counters, &first, &known, &mut pool);
    let contexts = Contexts::new(&world, &sharing, &collected.given);
    let mut judge = Judge {
        world: &world,
        contexts: &contexts,
        given: &collected.given,
        counters: &counters,
        seen: &collected.seen,
        arrays: &first.arrays,
        distrusted: collected.distrusted.as_ref(),
        places: FxHashMap::default(),
        reasons: Reasons::default(),
    };
    match &collected.refused {
        Some(why) if collected.calls_anything => Err(why.clone()),
        _ => ask(&mut judge, &collected, &mut pool, run),
    }
}

/// What is known at all locations of all procedures, given what is known of the whole.
fn look(
    world: &World<'_>,
    counters: &[Counters],
    sites: &Sites,
    pool: &mut Pool,
    run: &mut Run,
) -> Result<Vec<Known>, Why> {
    let flow = |index| flow_of(world, counters, sites, index);
    (0..world.program.procs.len()).map(|index| flow(index).solve(pool, run)).collect()
}

fn flow_of<'w, 'p>(world: &'w World<'p>, counters: &'w [Counters], sites: &'w Sites, index: usize) -> Flow<'w, 'p> {
    Flow { world, id: ProcId(index as u32), proc: &world.program.procs[index], counters: &counters[index], sites }
}

/// What a first look at each procedure says about the whole.
fn first_look(world: &World<'_>, counters: &[Counters], pool: &mut Pool, run: &mut Run) -> Result<Sites, Why> {
    let mut blank = Sites::unsettled();
    blank.add_starts(world, &FxHashMap::default());
    let known = look(world, counters, &blank, pool, run)?;
    let at_end = |index: usize| {
        let state = known[index].get(&world.program.procs[index].exit);
        (ProcId(index as u32), state.map(|state| state.running.keys().copied().collect()).unwrap_or_default())
    };
    let at_end: FxHashMap<ProcId, BTreeSet<Spot>> = (0..known.len()).map(at_end).collect();
    let mut sites = Sites::unsettled();
    sites.add_starts(world, &at_end);
    sites.written = written_before(world, counters, &blank, &known, pool);
    let known = look(world, counters, &sites, pool, run)?;
    sites.settle(world, |sites, next| {
        for (index, states) in known.iter().enumerate() {
            let flow = flow_of(world, counters, sites, index);
            for_each(&flow, states, pool, |pool, edge, (_, stmt), state| {
                next.add_store(&flow, pool, edge, stmt, state);
            });
        }
    });
    let mut starts: FxHashMap<Spot, (State, u32)> = FxHashMap::default();
    for (index, states) in known.iter().enumerate() {
        let flow = flow_of(world, counters, &sites, index);
        for_each(&flow, states, pool, |_, edge, (spot, stmt), state| {
            if let (Op::Start { .. }, Some(cycle)) = (&stmt.op, counters[index].cycle_of(edge.from, edge.to)) {
                starts.insert(spot, (state.clone(), cycle));
            }
        });
    }
    let mut writes = Vec::new();
    for (index, states) in known.iter().enumerate() {
        let flow = flow_of(world, counters, &sites, index);
        for_each(&flow, states, pool, |pool, _, stmt, state| writes.extend(sites::written(&flow, pool, stmt, state)));
    }
    let mut arrays = Vec::new();
    for (index, states) in known.iter().enumerate() {
        let flow = flow_of(world, counters, &sites, index);
        for_each(&flow, states, pool, |pool, _, (spot, stmt), state| {
            arrays.extend(sites::array_of(&flow, pool, (spot, stmt), state, &starts, &writes));
        });
    }
    sites.add_arrays(pool, arrays);
    Ok(sites)
}

/// Cells that are written before threads are started, by what these run. Only cells of static objects are found at a first look.
fn written_before(
    world: &World<'_>,
    counters: &[Counters],
    sites: &Sites,
    known: &[Known],
    pool: &mut Pool,
) -> FxHashMap<ProcId, BTreeSet<(usize, i128)>> {
    let mut written: FxHashMap<ProcId, BTreeSet<(usize, i128)>> = FxHashMap::default();
    for (index, states) in known.iter().enumerate() {
        let flow = flow_of(world, counters, sites, index);
        for_each(&flow, states, pool, |_, _, (_, stmt), state| {
            if let Some(callee) = flow::started(&stmt.op) {
                let cells = written.entry(callee).or_insert_with(|| state.written.clone());
                cells.retain(|cell| state.written.contains(cell));
            }
        });
    }
    written.remove(&world.program.main);
    written
}

/// Visits each statement of a procedure that can be reached, with what is known before it.
fn for_each<'w>(
    flow: &Flow<'w, 'w>,
    states: &Known,
    pool: &mut Pool,
    mut visit: impl FnMut(&mut Pool, &'w Edge, (Spot, &'w Stmt), &State),
) {
    for (index, edge) in flow.proc.edges.iter().enumerate() {
        let Some(state) = states.get(&edge.from) else { continue };
        let mut state = state.clone();
        let first = flow.world.spots.first(flow.id, EdgeId(index as u32));
        for (at, stmt) in edge.stmts.iter().enumerate() {
            visit(pool, edge, (first.plus(at), stmt), &state);
            flow.step(pool, edge, (first.plus(at), stmt), &mut state);
        }
    }
}

/// What all procedures do.
struct Collected {
    seen: Vec<Seen>,
    given: FxHashMap<Spot, Given>,
    /// Targets with locks that are given back by who may not hold them; all if none.
    distrusted: Option<FxHashSet<usize>>,
    /// What nothing can be proved about.
    refused: Option<Why>,
    /// Whether something is called or started that is not known.
    calls_anything: bool,
}

fn collect(world: &World<'_>, counters: &[Counters], sites: &Sites, known: &[Known], pool: &mut Pool) -> Collected {
    let loose = pairs::loose(world, pool);
    let distrusted = Some(FxHashSet::default());
    let mut collected =
        Collected { seen: Vec::new(), given: FxHashMap::default(), distrusted, refused: None, calls_anything: false };
    for (index, states) in known.iter().enumerate() {
        let flow = flow_of(world, counters, sites, index);
        for_each(&flow, states, pool, |pool, edge, (spot, stmt), state| {
            collected.seen.extend(pairs::seen(&flow, pool, edge.from, (spot, stmt), state, &loose));
            match &stmt.op {
                Op::Start { callee: Callee::Proc(_), args, .. } => {
                    let given = given(&flow, pool, edge, args, state);
                    collected.given.insert(spot, given);
                }
                Op::Start { .. } | Op::Call { .. } => {
                    let what = "what a call through a pointer does".to_string();
                    collected.refused.get_or_insert(Why::NotShown { span: stmt.span, what });
                    collected.calls_anything = true;
                }
                Op::Check { kind: CheckKind::Unsupported(what), .. } => {
                    let what = format!("that this does not happen: {what}");
                    collected.refused.get_or_insert(Why::NotShown { span: stmt.span, what });
                }
                Op::Check { kind: CheckKind::Bound(what), .. } => {
                    let what = format!("that this does not happen: {what}");
                    collected.refused.get_or_insert(Why::NotShown { span: stmt.span, what });
                }
                Op::Mark(Mark::Unlocked, lock) => {
                    let term = state.term(pool, *lock);
                    if !state.locks.contains_key(&term) {
                        collected.distrust(world, *lock);
                    }
                }
                _ => {}
            }
        });
    }
    collected
}

impl Collected {
    /// Somebody may give back a lock at the address without holding it.
    fn distrust(&mut self, world: &World<'_>, lock: logic::TermId) {
        match (world.points_to.of(lock), &mut self.distrusted) {
            (Some(targets), Some(all)) => all.extend(targets),
            _ => self.distrusted = None,
        }
    }
}

/// What a thread is started with.
fn given(flow: &Flow<'_, '_>, pool: &mut Pool, edge: &Edge, args: &[logic::TermId], state: &State) -> Given {
    let args: Vec<logic::TermId> = args.iter().map(|arg| state.term(pool, *arg)).collect();
    let mut roots = BTreeMap::new();
    for arg in &args {
        pool.for_each_free_var(*arg, &mut |var| {
            roots.insert(var, flow.root(pool, var, state));
        });
    }
    Given { by: flow.id, args, roots, before: state.clone(), cycle: flow.counters.cycle_of(edge.from, edge.to) }
}
