//! What do steps look like when threads cannot be told apart? For programs that start threads without end.
//!
//! Known as: counter abstraction with none, one and many (0,1,∞) \[Pnueli02]; parameterised verification, thread-modular reasoning.
//!
//! Such threads are counted (`abstraction::control`): a place stands for all who may be there. What is known of the cells of
//! a place is known of every one of them, for every choice of one member for each place. So a step is looked at in cases: whoever arrives
//! at a place joins those who stood there before, and what is known afterwards is what holds in all cases (`cases`, `joined`).
//!
//! A path of places is not yet one of threads. `concrete` picks one: of several at a place, the one who came last, or first. If a place has nobody left, one more is
//! sent there. What a path of threads teaches is told in terms of places again (`Cast::explain`).
//!
//! Invariant: each concrete step of a counted thread is allowed by all cases in which it is chosen.

use crate::abstraction::cells::{Cell, Cells};
use crate::abstraction::control::{Change, Control, MOVER, OTHER, ThreadAt, is_counted, place};
use crate::abstraction::domain::common;
use crate::abstraction::refine::{Attempt, Explanation};
use crate::abstraction::state::{Abstract, Precision};
use crate::abstraction::symbolic::Summary;
use crate::cegar::world::World;
use ir::{Callee, EdgeRef, Op, ProcId, Program, SiteId};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Who comes to a place.
#[derive(Clone, Copy)]
enum Arrival<'s> {
    /// The one who takes the step.
    Mover,
    /// One who has just been started, with these arguments.
    Started(&'s [(VarId, TermId)]),
    /// Nobody: one who was there before.
    Before,
}

/// The step for each choice of those who stand for the places that somebody comes to; the step itself if counted threads have no part in it.
pub(crate) fn cases(
    cells: &mut Cells<'_>,
    precision: &Precision,
    before: &Control,
    thread: u32,
    to: ir::LocId,
    summary: &Summary,
) -> Vec<Summary> {
    let program = cells.program;
    let is_left = is_counted(thread) && before.at_place(thread) == Some(true);
    let mut arrivals: Vec<(u32, Arrival<'_>)> = Vec::new();
    if is_counted(thread)
        && let Some(place) = place_after(before.at(thread), to, &summary.changes)
    {
        arrivals.push((place, Arrival::Mover));
    }
    for (proc, args) in &summary.joining {
        arrivals.push((entry(program, *proc), Arrival::Started(args)));
    }
    let mut places: Vec<u32> = arrivals.iter().map(|(place, _)| *place).collect();
    places.sort_unstable();
    places.dedup();
    let mut base = summary.clone();
    let mut mover: FxHashMap<VarId, TermId> = FxHashMap::default();
    base.updates.retain(|(var, value)| match cells.cell(*var) {
        Some(Cell::Own(MOVER, own)) => {
            mover.insert(own, *value);
            false
        }
        _ => true,
    });
    let tracked = |cells: &Cells<'_>, place: u32| {
        let own = |var: VarId| match cells.cell(var) {
            Some(Cell::Own(thread, own)) if thread == place => Some((var, own)),
            _ => None,
        };
        let mut all: Vec<(VarId, VarId)> = precision.vars().filter_map(own).collect();
        all.sort_unstable();
        all
    };
    if is_left && !places.contains(&thread) {
        for (var, own) in tracked(cells, thread) {
            let other = cells.var(Cell::Own(OTHER, own));
            base.updates.push((var, cells.pool.var(other)));
        }
    }
    let mut results = vec![base];
    for there in places {
        let mut options: Vec<Arrival<'_>> =
            arrivals.iter().filter(|(place, _)| *place == there).map(|(_, arrival)| *arrival).collect();
        let was_there = if there == thread { is_left } else { before.at_place(there).is_some() };
        options.extend(was_there.then_some(Arrival::Before));
        let vars = tracked(cells, there);
        let mut next = Vec::new();
        for option in options {
            let updates: Vec<(VarId, TermId)> = vars
                .iter()
                .filter_map(|(var, own)| Some((*var, value_for(cells, thread, there, &mover, option, *own)?)))
                .collect();
            next.extend(results.iter().map(|summary| {
                let mut summary = summary.clone();
                summary.updates.extend(updates.iter().copied());
                summary
            }));
        }
        results = next;
    }
    results
}

/// The value that a variable has for one who stands for a place now; `None` if it is what it was.
fn value_for(
    cells: &mut Cells<'_>,
    thread: u32,
    there: u32,
    mover: &FxHashMap<VarId, TermId>,
    arrival: Arrival<'_>,
    own: VarId,
) -> Option<TermId> {
    let cell = match arrival {
        Arrival::Mover => match mover.get(&own) {
            Some(value) => return Some(*value),
            None => Cell::Own(thread, own),
        },
        Arrival::Started(args) => {
            if let Some((_, value)) = args.iter().find(|(param, _)| *param == own) {
                return Some(*value);
            }
            let cell = cells.var(Cell::Own(there, own));
            let initial = cells.initial(cell);
            return Some(initial.unwrap_or_else(|| {
                let any = cells.pool.declare("any", cells.pool.var_sort(own));
                cells.pool.var(any)
            }));
        }
        Arrival::Before if there == thread => Cell::Own(OTHER, own),
        Arrival::Before => return None,
    };
    let var = cells.var(cell);
    Some(cells.pool.var(var))
}

/// What all states allow.
pub(crate) fn joined(states: Vec<Abstract>, keeps_combinations: bool) -> Option<Abstract> {
    const MAX_CUBES: usize = 64;
    let mut all = states.into_iter();
    let mut result = all.next()?;
    for state in all {
        result.values.retain(|(var, value)| state.value(*var) == Some(*value));
        result.cubes.extend(state.cubes);
    }
    result.cubes.sort_unstable();
    result.cubes.dedup();
    if result.cubes.len() > 1 && (!keeps_combinations || result.cubes.len() > MAX_CUBES) {
        result.cubes = vec![common(&result.cubes)];
    }
    Some(result)
}

/// What a state says that is not about places where nobody is.
pub(crate) fn about_inhabited(
    cells: &mut Cells<'_>,
    precision: &Precision,
    control: &Control,
    state: &Abstract,
) -> Abstract {
    let is_there = |cells: &Cells<'_>, var: &VarId| match cells.cell(*var) {
        Some(Cell::Own(place, _)) if is_counted(place) => control.at_place(place).is_some(),
        _ => true,
    };
    let mut state = state.clone();
    state.values.retain(|(var, _)| is_there(cells, var));
    for cube in &mut state.cubes {
        cube.retain(|(number, _)| {
            let vars = cells.vars_in(precision.predicates[*number as usize]);
            vars.iter().all(|var| is_there(cells, var))
        });
    }
    state
}

fn entry(program: &Program, proc: ProcId) -> u32 {
    place(&ThreadAt { proc, loc: program.proc(proc).entry, depth: 0, granules: 0, has_ended: false })
}

/// Where a counted thread stands after a step; `None` if it ends.
fn place_after(mut at: ThreadAt, to: ir::LocId, changes: &[Change]) -> Option<u32> {
    at.loc = to;
    for change in changes {
        match change {
            Change::Begin => at.depth += 1,
            Change::End => at.depth = at.depth.saturating_sub(1),
            Change::EndThread | Change::EndProcess => return None,
            _ => {}
        }
    }
    Some(place(&at))
}

/// The statements of an edge that start threads.
pub(crate) fn start_sites(program: &Program, edge: EdgeRef) -> Vec<SiteId> {
    let stmts = program.edge(edge).stmts.iter();
    stmts.filter(|stmt| matches!(stmt.op, Op::Start { .. })).map(|stmt| stmt.site).collect()
}

/// Whether a loop can only be left by ending the thread or the process.
pub(crate) fn is_endless(program: &Program, edge: EdgeRef) -> bool {
    let proc = program.proc(edge.proc);
    let reach = |from: ir::LocId| {
        let mut seen: FxHashSet<ir::LocId> = [from].into_iter().collect();
        let mut open = vec![from];
        while let Some(loc) = open.pop() {
            for edge in proc.edges.iter().filter(|edge| edge.from == loc) {
                if seen.insert(edge.to) {
                    open.push(edge.to);
                }
            }
        }
        seen
    };
    let start = program.edge(edge).from;
    reach(start).into_iter().all(|loc| !proc.edges.iter().any(|edge| edge.from == loc) || reach(loc).contains(&start))
}

/// A path of threads, and where they stood.
pub(crate) struct Cast {
    /// The path.
    pub(crate) attempt: Attempt,
    /// For each moment the numbers of all threads as counted places, or their own.
    labels: Vec<Vec<u32>>,
}

/// Who of several at a place takes a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pick {
    /// The one who came last.
    Newest,
    /// The one who came first.
    Oldest,
}

/// A path of threads for a path of places. Where nobody is left at a place, one more is sent there the way that another one took; `None` if that
/// does not work out.
pub(crate) fn concrete(world: &World<'_>, attempt: &Attempt, pick: Pick) -> Option<Cast> {
    const MAX_SENT: usize = 100;
    let mut steps = attempt.steps.clone();
    for _ in 0..MAX_SENT {
        let walk = Walk::along(world, &steps, pick)?;
        let Some(stuck) = walk.stuck else {
            return Some(Cast { attempt: Attempt { steps: walk.steps, ..attempt.clone() }, labels: walk.labels });
        };
        let (place, _) = steps[stuck];
        let (moment, _, how) = *walk.arrivals.iter().rev().find(|(moment, to, _)| *moment < stuck && *to == place)?;
        let more = match how {
            Came::Moved => vec![steps[moment]],
            Came::Started => once_more(world.cells.program, steps[moment])?,
        };
        steps.splice(moment + 1..moment + 1, more);
    }
    None
}

/// How a thread came to a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Came {
    Moved,
    Started,
}

/// Where threads stand along a path.
struct Walk {
    steps: Vec<(u32, EdgeRef)>,
    labels: Vec<Vec<u32>>,
    /// When somebody came to a counted place, and how.
    arrivals: Vec<(usize, u32, Came)>,
    /// The step that nobody is there for.
    stuck: Option<usize>,
}

impl Walk {
    fn along(world: &World<'_>, path: &[(u32, EdgeRef)], pick: Pick) -> Option<Walk> {
        let program = world.cells.program;
        let mut now = vec![0];
        // When a thread came to its place.
        let mut since: Vec<usize> = vec![0];
        let mut at = vec![Control::initial(program).at(0)];
        let mut has_counted = false;
        let mut walk = Walk { steps: Vec::new(), labels: vec![now.clone()], arrivals: Vec::new(), stuck: None };
        for (moment, (thread, edge)) in path.iter().enumerate() {
            let there = (0..now.len()).filter(|who| now[*who] == *thread);
            let who = match pick {
                Pick::Newest => there.max_by_key(|who| since[*who]),
                Pick::Oldest => there.min_by_key(|who| since[*who]),
            };
            let Some(who) = who else {
                walk.stuck = Some(moment);
                return Some(walk);
            };
            walk.steps.push((who as u32, *edge));
            let edge = program.edge(*edge);
            at[who].loc = edge.to;
            let mut ends = false;
            for stmt in &edge.stmts {
                match &stmt.op {
                    Op::AtomicBegin => at[who].depth += 1,
                    Op::AtomicEnd => at[who].depth = at[who].depth.saturating_sub(1),
                    Op::Return(_) | Op::ExitThread(_) => ends = true,
                    Op::Start { callee, .. } => {
                        let Callee::Proc(proc) = callee else { return None };
                        has_counted |= is_counted(*thread) || world.cells.counted_sites.contains(&stmt.site);
                        now.push(if has_counted { entry(program, *proc) } else { now.len() as u32 });
                        walk.arrivals.push((moment, entry(program, *proc), Came::Started));
                        since.push(moment);
                        let loc = program.proc(*proc).entry;
                        at.push(ThreadAt { proc: *proc, loc, depth: 0, granules: 0, has_ended: false });
                    }
                    _ => {}
                }
            }
            if is_counted(*thread) {
                now[who] = if ends { MOVER } else { place(&at[who]) };
                since[who] = moment + 1;
                walk.arrivals.push((moment, now[who], Came::Moved));
            }
            walk.labels.push(now.clone());
        }
        Some(walk)
    }
}

/// Steps of the same thread that come back to where a step leads from, and the step.
fn once_more(program: &Program, step: (u32, EdgeRef)) -> Option<Vec<(u32, EdgeRef)>> {
    let (thread, edge) = step;
    let proc = program.proc(edge.proc);
    let (from, to) = (program.edge(edge).from, program.edge(edge).to);
    if is_counted(thread) && from != to {
        return None;
    }
    let mut came_by: FxHashMap<ir::LocId, ir::EdgeId> = FxHashMap::default();
    let mut open = std::collections::VecDeque::from([to]);
    while let Some(loc) = open.pop_front() {
        for (index, next) in proc.edges.iter().enumerate().filter(|(_, next)| next.from == loc) {
            if next.to != to && !came_by.contains_key(&next.to) {
                came_by.insert(next.to, ir::EdgeId(index as u32));
                open.push_back(next.to);
            }
        }
    }
    let mut back = vec![(thread, edge)];
    let mut loc = from;
    while loc != to {
        let by = *came_by.get(&loc)?;
        back.push((thread, EdgeRef { proc: edge.proc, edge: by }));
        loc = proc.edges[by.index()].from;
    }
    back.reverse();
    Some(back)
}

impl Cast {
    /// An explanation of the path of threads in terms of places.
    pub(crate) fn explain(&self, cells: &mut Cells<'_>, explanation: &Explanation) -> Explanation {
        let mut result = Explanation::default();
        for (moment, term) in &explanation.interpolants {
            let labels = &self.labels[(*moment).min(self.labels.len() - 1)];
            if let Some(term) = relabel(cells, labels, *term) {
                result.interpolants.push((*moment, term));
            }
        }
        result.cells = self.places_of(cells, &explanation.cells);
        result.addresses = self.places_of(cells, &explanation.addresses);
        result
    }

    /// Cells of threads as cells of all places where they stood.
    fn places_of(&self, cells: &mut Cells<'_>, vars: &[VarId]) -> Vec<VarId> {
        let mut result = Vec::new();
        for var in vars {
            let Some(Cell::Own(thread, own)) = cells.cell(*var) else {
                result.push(*var);
                continue;
            };
            let mut places: Vec<u32> =
                self.labels.iter().filter_map(|labels| labels.get(thread as usize).copied()).collect();
            places.sort_unstable();
            places.dedup();
            for place in places.into_iter().filter(|place| *place != MOVER) {
                result.push(cells.var(Cell::Own(place, own)));
            }
        }
        result
    }
}

/// A formula about threads as one about their places; `None` if two of them stand at one place, or one has ended.
fn relabel(cells: &mut Cells<'_>, labels: &[u32], term: TermId) -> Option<TermId> {
    let vars = cells.vars_in(term);
    let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
    let mut who_is_at: FxHashMap<u32, u32> = FxHashMap::default();
    for var in vars.iter() {
        match cells.cell(*var) {
            Some(Cell::Own(thread, own)) => {
                let place = labels.get(thread as usize).copied().filter(|place| *place != MOVER)?;
                if *who_is_at.entry(place).or_insert(thread) != thread {
                    return None;
                }
                let there = cells.var(Cell::Own(place, own));
                map.insert(*var, cells.pool.var(there));
            }
            Some(Cell::Result(thread)) if labels.get(thread as usize).is_some_and(|place| is_counted(*place)) => {
                return None;
            }
            _ => {}
        }
    }
    Some(cells.pool.substitute(term, &|var| map.get(&var).copied()))
}
