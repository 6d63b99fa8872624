//! How does a thread become events? By symbolic execution of all its ways at once, with loops unrolled on the way.
//!
//! A state is where some ways of a thread are: its variables as terms, the nodes it came from, and the point of the dominator tree that its guard
//! is read from. Where ways meet their states become one, variables differing only by choices (`ite`). Constants fold as they come, so most
//! loops, addresses and handles are decided here, and branches that cannot be taken are not followed. A started thread is
//! executed where it is started, so that whoever joins it knows whether it ends and what it returns.
//!
//! Invariant: events and records of a thread are made in an order that agrees with all its ways.

use crate::Run;
use crate::bmc::accesses::objects::Objects;
use crate::bmc::accesses::places::{PlaceKey, Places};
use crate::bmc::accesses::write_log::Log;
use crate::bmc::bounds::LoopBound;
use crate::bmc::locks::critical_sections::{Held, Lock, Sections};
use crate::bmc::reductions::forwarding::{Birth, Cell, Known};
use crate::bmc::reductions::lipton_reduction::Inside;
use crate::bmc::unroll::control_flow::{Flow, Key, Laps};
use crate::bmc::unroll::path_conditions::Points;
use crate::bmc::unroll::spin_loops::{Doings, is_idle, is_promising};
use crate::bmc::unroll::start_and_join::{DeferredJoin, Join};
use crate::bmc::unroll::step::{Variant, variants};
use crate::bmc::unrolled::{Bad, BadKind, Thread, Unrolled};
use ir::pass::{PointsTo, Sharing};
use ir::{AllocKind, EdgeId, LocId, Op, ProcId, Program, Properties, RegionId, Scope, Why};
use logic::{Pool, TermId, Value, VarId};
use memory::events::{Events, START};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How far loops are unrolled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Rounds of loops whose number of rounds is not known.
    pub(crate) rounds: u32,
    /// Rounds of loops that constants decide.
    pub(crate) decided: u32,
    /// Rounds of loops by line, set by the user.
    pub(crate) by_line: Vec<LoopBound>,
    /// Steps in all.
    pub(crate) records: usize,
    /// Whether accesses at constant offsets are taken for accesses to cells.
    pub(crate) by_cells: bool,
}

/// Whose log: that of main while it is alone.
pub(crate) const INITIAL: u32 = u32::MAX;

/// Where some ways of a thread are.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) point: u32,
    pub(crate) env: Vec<(VarId, TermId)>,
    /// The last nodes.
    pub(crate) frontier: SmallVec<[u32; 2]>,
    /// Whether no other thread can have been started.
    pub(crate) alone: bool,
    /// How many threads this one has started.
    pub(crate) n_started: TermId,
    pub(crate) n_granules: u64,
    pub(crate) depth: u32,
    /// The node of the atomic section.
    pub(crate) section: Option<u32>,
    /// Whether the stores so far reach memory before anything else happens.
    pub(crate) wants_fence: bool,
    pub(crate) laps: Laps,
    /// The lock that the last step with accesses took.
    pub(crate) taken: Option<Lock>,
    /// The locks that it has.
    pub(crate) held: Held,
}

/// The execution of all threads.
pub(crate) struct Executor<'a> {
    pub(crate) program: &'a Program,
    pub(crate) properties: Properties,
    pub(crate) sharing: Sharing,
    pub(crate) flows: Vec<Rc<Flow>>,
    pub(crate) bounds: Bounds,
    pub(crate) pool: Pool,
    pub(crate) events: Events,
    pub(crate) points: Points,
    pub(crate) out: Unrolled,
    pub(crate) logs: FxHashMap<(u32, PlaceKey), Log>,
    pub(crate) places: Places,
    pub(crate) objects: Objects,
    /// The place of each read, to find its initial value.
    pub(crate) read_keys: Vec<PlaceKey>,
    pub(crate) section_writes: FxHashMap<u32, Vec<usize>>,
    /// The nodes of atomic sections.
    pub(crate) section_nodes: Vec<u32>,
    /// Where ways leave the atomic section of a node, and when it ends in a violation.
    pub(crate) section_ends: BTreeMap<u32, (Vec<u32>, Vec<TermId>)>,
    /// Where main starts its first thread.
    pub(crate) first_start: Option<u32>,
    pub(crate) joins: Vec<Join>,
    pub(crate) deferred_joins: Vec<DeferredJoin>,
    /// Addresses that must be inside an object: whether, which, how many bytes, of which region, whether to write.
    pub(crate) objects_to_check: Vec<(TermId, TermId, u64, Option<RegionId>, bool)>,
    /// Addresses that must be the start of an object.
    pub(crate) starts_to_check: Vec<(TermId, TermId, AllocKind)>,
    pub(crate) many_creators: bool,
    pub(crate) locks: Sections,
    /// The locks that must be kept, since rounds of loops were left out because of them; `None` if that is not to be done.
    pub(crate) relies_on: Option<Vec<Lock>>,
    /// The node at the end of everything, if deadlocks are looked for.
    pub(crate) last: Option<u32>,
    pub(crate) finished: Vec<(u32, TermId, SmallVec<[u32; 2]>)>,
    /// The point of each node.
    pub(crate) point_of: FxHashMap<u32, u32>,
    /// What is known of cells.
    pub(crate) known: &'a mut Known,
    /// Which threads have read which cells as if nobody else wrote them.
    pub(crate) known_reads: FxHashSet<(u32, Cell)>,
    /// When each thread was started.
    pub(crate) births: Vec<Birth>,
    /// What critical sections have put off.
    pub(crate) insides: FxHashMap<u32, Inside>,
    /// Which sections have put off something about which cells.
    pub(crate) guard_uses: FxHashSet<(Cell, u32)>,
    /// Cells that too much was put off about.
    pub(crate) crowded: FxHashSet<Cell>,
    pub(crate) run: &'a mut Run,
}

/// What came of an attempt to unroll.
enum Attempt {
    Done(Box<Unrolled>),
    /// More is known now, or something was taken for granted that does not hold.
    Again,
    /// Rounds of loops were left out because of locks that are not kept.
    Unkept,
}

/// Unrolls a prepared program, with what is known of cells from earlier bounds.
pub(crate) fn unroll(
    program: &Program,
    properties: Properties,
    bounds: &Bounds,
    known: &mut Known,
    run: &mut Run,
) -> Result<Unrolled, Why> {
    // Where stores are buffered, giving a lock back is not seen at once.
    let mut trusts_locks = !program.model.has_buffers();
    let mut n = 0;
    loop {
        n += 1;
        match attempt(program, properties, bounds, (n, trusts_locks), known, run)? {
            Attempt::Done(unrolled) => return Ok(*unrolled),
            Attempt::Again => {}
            Attempt::Unkept => trusts_locks = false,
        }
    }
}

fn attempt(
    program: &Program,
    properties: Properties,
    bounds: &Bounds,
    (number, trusts_locks): (u32, bool),
    known: &mut Known,
    run: &mut Run,
) -> Result<Attempt, Why> {
    let mut pool = program.pool.clone();
    let points = Points::new(&mut pool);
    let flows = program.procs.iter().map(|proc| Rc::new(Flow::new(program, proc))).collect();
    let points_to = PointsTo::new(program);
    let sharing = Sharing::new(program);
    let places = Places::new(program, &sharing, &points_to, bounds.by_cells);
    let starts = |proc: &ir::Proc| {
        proc.edges.iter().flat_map(|edge| &edge.stmts).any(|stmt| matches!(stmt.op, Op::Start { .. }))
    };
    let many_creators = program.procs.iter().enumerate().any(|(i, proc)| i != program.main.index() && starts(proc));
    let out = Unrolled {
        pool: Pool::new(),
        events: Events::new(),
        points: Points::new(&mut Pool::new()),
        initial: Vec::new(),
        threads: Vec::new(),
        bads: Vec::new(),
        waits: Vec::new(),
        accesses: Vec::new(),
        locks: Sections::default(),
        constraints: Vec::new(),
        n_records: 0,
        n_alike: 0,
    };
    let objects = Objects::new(program, &mut pool);
    let mut events = Events::new();
    let last = properties.has(ir::Property::Deadlock).then(|| events.node(u32::MAX, &[START]));
    let executor = Executor {
        program,
        properties,
        sharing,
        flows,
        bounds: bounds.clone(),
        pool,
        events,
        points,
        out,
        logs: FxHashMap::default(),
        places,
        objects,
        read_keys: Vec::new(),
        section_writes: FxHashMap::default(),
        section_nodes: Vec::new(),
        section_ends: BTreeMap::new(),
        first_start: None,
        joins: Vec::new(),
        deferred_joins: Vec::new(),
        objects_to_check: Vec::new(),
        starts_to_check: Vec::new(),
        many_creators,
        locks: Sections::default(),
        relies_on: trusts_locks.then(Vec::new),
        last,
        finished: Vec::new(),
        point_of: FxHashMap::default(),
        known,
        known_reads: FxHashSet::default(),
        births: vec![Birth::FIRST],
        insides: FxHashMap::default(),
        guard_uses: FxHashSet::default(),
        crowded: FxHashSet::default(),
        run,
    };
    executor.run_all(number)
}

/// Ways that are in an atomic section stay apart from those in another one, or in one that has not accessed anything yet: what they
/// access is at different times. So do ways whose round of a loop is about to be left out.
fn by_section(states: Vec<State>) -> Vec<Vec<State>> {
    let mut groups: Vec<Vec<State>> = Vec::new();
    for state in states {
        let kind = |state: &State| (state.section, state.depth, is_promising(state));
        let is_same = |group: &&mut Vec<State>| kind(&group[0]) == kind(&state);
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(state),
            None => groups.push(vec![state]),
        }
    }
    groups
}

impl Executor<'_> {
    fn run_all(mut self, number: u32) -> Result<Attempt, Why> {
        let word = self.program.data_model.word_bits();
        let handle = self.pool.bv(word, 1);
        self.run_thread(self.program.main, handle, Vec::new(), 0, START, true)?;
        if self.program.model.has_buffers() {
            self.locks = Sections::default();
        }
        self.judge_locks();
        let relies_on = self.relies_on.take().unwrap_or_default();
        if !relies_on.iter().all(|lock| self.locks.is_unseen(lock)) || !self.locks.is_trust_right() {
            return Ok(Attempt::Unkept);
        }
        let (cells, guards) = (self.judge_cells(), self.judge_guards());
        if cells.and(guards).asks_again(number) {
            return Ok(Attempt::Again);
        }
        self.finish().map(|unrolled| Attempt::Done(Box::new(unrolled)))
    }

    /// Executes a thread; its number.
    pub(crate) fn run_thread(
        &mut self,
        proc: ProcId,
        handle: TermId,
        args: Vec<TermId>,
        point: u32,
        node: u32,
        alone: bool,
    ) -> Result<u32, Why> {
        let id = self.out.threads.len() as u32;
        let word = self.program.data_model.word_bits();
        let (no, zero, one) = (self.pool.bool(false), self.pool.bv(word, 0), self.pool.bv(word, 1));
        self.out.threads.push(Thread {
            proc,
            handle,
            args: args.clone(),
            is_joined: false,
            guard: self.points.guard(point),
            start: node,
            records: Vec::new(),
            finished: no,
            result: zero,
            ends: smallvec![node],
        });
        let flow = Rc::clone(&self.flows[proc.index()]);
        let mut env: Vec<(VarId, TermId)> = vec![(self.program.self_var, handle)];
        env.extend(self.program.proc(proc).params.iter().copied().zip(args));
        env.sort_unstable_by_key(|(var, _)| *var);
        let entry = self.program.proc(proc).entry;
        let laps = flow.next(&Laps::new(), entry, EdgeId(u32::MAX)).0;
        let first = State {
            point,
            env,
            frontier: smallvec![node],
            alone,
            n_started: one,
            n_granules: 0,
            depth: 0,
            section: None,
            wants_fence: false,
            laps,
            taken: None,
            held: Held::new(),
        };
        let outer = std::mem::take(&mut self.finished);
        let mut queue: BTreeMap<Key, (LocId, Vec<State>)> = BTreeMap::new();
        queue.insert(flow.key(entry, &first.laps), (entry, vec![first]));
        while let Some((_, (loc, states))) = queue.pop_first() {
            if let Some(why) = self.run.stop_now() {
                return Err(why);
            }
            for states in by_section(states) {
                let state = self.merge(id, &flow, loc, states);
                self.leave(id, proc, &flow, loc, state, &mut queue)?;
            }
        }
        let finished = std::mem::replace(&mut self.finished, outer);
        if !finished.is_empty() {
            let ways: Vec<u32> = finished.iter().map(|(point, _, _)| *point).collect();
            let (point, conds) = self.points.join(&mut self.pool, &ways);
            let mut result = finished.last().expect("it is not empty").1;
            for ((_, value, _), cond) in finished.iter().zip(&conds).rev().skip(1) {
                result = self.pool.ite(*cond, *value, result);
            }
            let mut ends: SmallVec<[u32; 2]> = finished.iter().flat_map(|(_, _, ends)| ends.iter().copied()).collect();
            ends.sort_unstable();
            ends.dedup();
            let thread = &mut self.out.threads[id as usize];
            (thread.finished, thread.result, thread.ends) = (self.points.guard(point), result, ends);
        }
        Ok(id)
    }

    /// One state for all ways that lead to a copy of a location.
    fn merge(&mut self, thread: u32, flow: &Flow, loc: LocId, mut states: Vec<State>) -> State {
        if states.len() == 1 {
            return states.pop().expect("there is one");
        }
        states.iter_mut().for_each(|state| self.make_fence(thread, state));
        self.settle_apart(thread, &mut states);
        let ways: Vec<u32> = states.iter().map(|state| state.point).collect();
        let (point, conds) = self.points.join(&mut self.pool, &ways);
        let mut env = Vec::new();
        for var in flow.live.at(loc) {
            let values: Vec<TermId> = states.iter().map(|state| self.lookup(&state.env, *var)).collect();
            let mut value = *values.last().expect("there are several states");
            for (cond, other) in conds.iter().zip(&values).rev().skip(1) {
                value = self.pool.ite(*cond, *other, value);
            }
            env.push((*var, value));
        }
        let mut n_started = states.last().expect("there are several states").n_started;
        for (cond, other) in conds.iter().zip(&states).rev().skip(1) {
            n_started = self.pool.ite(*cond, other.n_started, n_started);
        }
        let mut frontier: SmallVec<[u32; 2]> = states.iter().flat_map(|state| state.frontier.iter().copied()).collect();
        frontier.sort_unstable();
        frontier.dedup();
        let mut laps = states[0].laps.clone();
        for state in &states[1..] {
            for (lap, other) in laps.iter_mut().zip(&state.laps) {
                lap.counted = lap.counted.max(other.counted);
                lap.is_decided &= other.is_decided;
                if lap.doings != other.doings {
                    lap.doings = Doings::Other;
                }
                lap.entered = lap.entered.filter(|lock| other.entered == Some(*lock));
                lap.locks.extend(other.locks.iter().copied());
            }
        }
        let mut merged = State {
            point,
            env,
            frontier,
            alone: states.iter().all(|state| state.alone),
            n_started,
            n_granules: states.iter().map(|state| state.n_granules).max().expect("there are several states"),
            depth: states[0].depth,
            section: states[0].section,
            wants_fence: false,
            laps,
            held: self.locks.meet(&states),
            taken: states[0].taken.filter(|lock| states.iter().all(|state| state.taken == Some(*lock))),
        };
        self.go_on_inside(thread, &mut merged, &states);
        merged
    }

    pub(crate) fn lookup(&mut self, env: &[(VarId, TermId)], var: VarId) -> TermId {
        if let Ok(at) = env.binary_search_by_key(&var, |(var, _)| *var) {
            return env[at].1;
        }
        let value = match (self.program.var(var).scope, &self.program.var(var).init) {
            (Scope::Thread, Some(value)) => value.clone(),
            _ => Value::zero(self.pool.var_sort(var)),
        };
        self.pool.constant(value)
    }

    /// Takes all edges that leave a location.
    fn leave(
        &mut self,
        thread: u32,
        proc: ProcId,
        flow: &Rc<Flow>,
        loc: LocId,
        mut state: State,
        queue: &mut BTreeMap<Key, (LocId, Vec<State>)>,
    ) -> Result<(), Why> {
        let edges = &self.program.proc(proc).edges;
        for lap in &mut state.laps {
            if flow.loops[lap.loop_index as usize].head == loc {
                let at_head = state.env.iter().filter(|(var, _)| flow.live.is_live(loc, *var)).copied();
                (lap.at_head, lap.doings) = (Rc::new(at_head.collect()), Doings::Idle);
                lap.entered = state.taken;
                lap.locks.clear();
            }
        }
        let mut possible: Vec<EdgeId> = Vec::new();
        for id in &flow.out[loc.index()] {
            let edge = &edges[id.index()];
            if self.is_impossible(&state, edge) {
                for lap in &mut state.laps {
                    let this = lap.loop_index as usize;
                    let is_exit = !flow.loops[this].body.contains(edge.to.index());
                    lap.is_decided |= is_exit && asks_about(&self.program.pool, edge, &flow.sets[this]);
                }
            } else {
                possible.push(*id);
            }
        }
        for id in possible {
            let edge = &edges[id.index()];
            for variant in variants(&state, edge) {
                self.follow(thread, proc, flow, (id, *variant), &state, queue)?;
            }
        }
        Ok(())
    }

    /// Takes an edge, unless it goes round a loop too often.
    fn follow(
        &mut self,
        thread: u32,
        proc: ProcId,
        flow: &Rc<Flow>,
        (id, variant): (EdgeId, Variant),
        state: &State,
        queue: &mut BTreeMap<Key, (LocId, Vec<State>)>,
    ) -> Result<(), Why> {
        {
            let edge = &self.program.proc(proc).edges[id.index()];
            let Some((mut next, record)) = self.take(thread, proc, (id, variant), state)? else { return Ok(()) };
            let (laps, turned) = flow.next(&next.laps, edge.to, id);
            next.laps = laps;
            if let Some(turned) = turned {
                let this = &flow.loops[turned];
                let lap = next.laps.iter().find(|lap| lap.loop_index as usize == turned).expect("it was turned");
                let is_same = |(var, value): &(VarId, TermId)| {
                    let found = next.env.binary_search_by_key(var, |(var, _)| *var);
                    found.is_ok_and(|at| next.env[at].1 == *value)
                };
                let is_live = |(var, _): &&(VarId, TermId)| flow.live.is_live(edge.to, *var);
                let n_live = next.env.iter().filter(is_live).count();
                if is_idle(lap) && n_live == lap.at_head.len() && lap.at_head.iter().all(is_same) {
                    // Going round changes nothing: whatever follows, follows without it.
                    let locks = lap.locks.clone();
                    self.relies_on.as_mut().into_iter().for_each(|all| all.extend(locks.iter().copied()));
                    return Ok(());
                }
                let by_user =
                    self.bounds.by_line.iter().find(|bound| bound.is_for(this.span)).map(|bound| bound.rounds);
                let is_over = match by_user {
                    Some(most) => lap.round > most,
                    None => match this.max_rounds {
                        Some(rounds) if rounds <= u64::from(self.bounds.decided) => u64::from(lap.round) > rounds,
                        _ => lap.round > self.bounds.decided || lap.counted > self.bounds.rounds,
                    },
                };
                if is_over {
                    // What is known to go round no more often needs no excuse.
                    let is_certain = this.max_rounds.is_some_and(|rounds| u64::from(lap.round) > rounds);
                    if !is_certain {
                        self.cut(thread, next.point, record, this.span, lap.round - 1);
                    }
                    return Ok(());
                }
            }
            let env = std::mem::take(&mut next.env);
            next.env = env.into_iter().filter(|(var, _)| flow.live.is_live(edge.to, *var)).collect();
            let key = flow.key(edge.to, &next.laps);
            queue.entry(key).or_insert_with(|| (edge.to, Vec::new())).1.push(next);
        }
        Ok(())
    }

    fn cut(&mut self, thread: u32, point: u32, record: u32, span: ir::Span, rounds: u32) {
        let place = self.program.sources.place(span);
        let times = if rounds == 1 { "iteration" } else { "iterations" };
        let why = Why::Bound(format!("loop at {place} needs more than {rounds} {times} (no violation up to {rounds})"));
        let guard = self.points.guard(point);
        self.out.bads.push(Bad { guard, what: BadKind::Cut(why), thread, record, stop: None });
    }

    /// Whether constants say that the edge cannot be taken.
    fn is_impossible(&mut self, state: &State, edge: &ir::Edge) -> bool {
        for stmt in &edge.stmts {
            let Op::Assume(cond) = stmt.op else { return false };
            let cond = self.eval_in(&state.env, cond);
            if self.pool.as_const(cond) == Some(&Value::Bool(false)) {
                return true;
            }
        }
        false
    }
}

/// Whether the conditions of an edge depend on some of these variables.
fn asks_about(pool: &Pool, edge: &ir::Edge, vars: &FxHashSet<VarId>) -> bool {
    edge.stmts.iter().any(|stmt| match stmt.op {
        Op::Assume(cond) => {
            let mut is_asked = false;
            pool.for_each_free_var(cond, &mut |var| is_asked |= vars.contains(&var));
            is_asked
        }
        _ => false,
    })
}
