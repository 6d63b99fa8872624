//! How does a thread become events? By symbolic execution of all its ways at once, with loops unrolled on the way.
//!
//! Known as: symbolic execution with state merging; bounded unrolling.
//!
//! A state is where some ways of a thread are: its variables as terms, the nodes it came from, and the point of the dominator tree that its guard
//! is read from. Where ways meet their states become one, variables differing only by choices (`ite`). Constants fold as they come, so most
//! loops, addresses and handles are decided here, and branches that cannot be taken are not followed. A started thread is
//! executed where it is started, so that whoever joins it knows whether it ends and what it returns.
//!
//! Invariant: events and records of a thread are made in an order that agrees with all its ways.

use super::control_flow::{Flow, Key, Laps};
use super::executor::{Executor, Skipping};
use super::merging::by_section;
use super::path_conditions::says;
use super::state::{State, Variant, variants};
use crate::bmc::locks::critical_sections::Held;
use crate::bmc::reductions::spin_loops::{Head, Round};
use crate::bmc::unrolled::{Bad, BadKind, Flows, Skipped, Spin, Thread};
use ir::{EdgeId, LocId, Op, ProcId, Property, Why};
use logic::{Pool, Sort, TermId, VarId};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The copies of locations that are still to be visited, with the states that lead to them.
type Queue = BTreeMap<Key, (LocId, Vec<State>)>;

impl Executor<'_> {
    /// Executes a thread that is started at a point and a node; its number.
    pub(crate) fn run_thread(
        &mut self,
        proc: ProcId,
        (handle, args): (TermId, Vec<TermId>),
        (point, node): (u32, u32),
        alone: bool,
    ) -> Result<u32, Why> {
        let id = self.found.threads.len() as u32;
        let word = self.program.data_model.word_bits();
        let (no, zero, one) = (self.graph.pool.bool(false), self.graph.pool.bv(word, 0), self.graph.pool.bv(word, 1));
        self.found.threads.push(Thread {
            proc,
            handle,
            args: args.clone(),
            is_joined: false,
            guard: self.graph.points.guard(point),
            start: node,
            records: Vec::new(),
            finished: no,
            result: zero,
            ends: smallvec![node],
        });
        let flow = Rc::clone(&self.control.flows[proc.index()]);
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
            flows: Flows::default(),
        };
        let outer = std::mem::take(&mut self.threads.finished);
        self.threads.running.push(id);
        let mut queue = Queue::new();
        queue.insert(flow.key(entry, &first.laps), (entry, vec![first]));
        while let Some((_, (loc, states))) = queue.pop_first() {
            if let Some(why) = self.control.run.stop_soon() {
                return Err(why);
            }
            for states in by_section(states) {
                let state = self.merge(id, &flow, loc, states);
                self.leave(id, proc, &flow, loc, state, &mut queue)?;
            }
        }
        self.threads.running.pop();
        let finished = std::mem::replace(&mut self.threads.finished, outer);
        if !finished.is_empty() {
            let ways: Vec<u32> = finished.iter().map(|(point, _, _)| *point).collect();
            let (point, conds) = self.graph.points.join(&mut self.graph.pool, &ways);
            let mut result = finished.last().expect("it is not empty").1;
            for ((_, value, _), cond) in finished.iter().zip(&conds).rev().skip(1) {
                result = self.graph.pool.ite(*cond, *value, result);
            }
            let mut ends: SmallVec<[u32; 2]> = finished.iter().flat_map(|(_, _, ends)| ends.iter().copied()).collect();
            ends.sort_unstable();
            ends.dedup();
            let thread = &mut self.found.threads[id as usize];
            (thread.finished, thread.result, thread.ends) = (self.graph.points.guard(point), result, ends);
        }
        Ok(id)
    }

    /// Takes all edges that leave a location.
    fn leave(
        &mut self,
        thread: u32,
        proc: ProcId,
        flow: &Rc<Flow>,
        loc: LocId,
        mut state: State,
        queue: &mut Queue,
    ) -> Result<(), Why> {
        let edges = &self.program.proc(proc).edges;
        let n_reads = self.graph.events.reads.len();
        for lap in &mut state.laps {
            if flow.loops[lap.loop_index as usize].head == loc {
                let before = std::mem::replace(&mut lap.since, Round::begun(state.taken, n_reads));
                let head = Head {
                    guard: self.graph.points.guard(state.point),
                    vars: flow.live_at(loc, &state.env),
                    flows: state.flows.clone(),
                    n_reads,
                    before,
                };
                lap.heads = head.after(&lap.heads);
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
        queue: &mut Queue,
    ) -> Result<(), Why> {
        let edge = &self.program.proc(proc).edges[id.index()];
        let Some((mut next, record)) = self.take(thread, proc, (id, variant), state)? else { return Ok(()) };
        let (laps, turned) = flow.next(&next.laps, edge.to, id);
        next.laps = laps;
        if let Some(turned) = turned {
            let this = &flow.loops[turned];
            let lap = next.laps.iter().find(|lap| lap.loop_index as usize == turned).expect("it was turned");
            let (lap, vars) = (lap.clone(), flow.live_at(edge.to, &next.env));
            let is_idle = lap.since.is_idle() && self.have_failed(&next, lap.since.fails());
            // Who has jumped into the loop was not at its head before.
            let is_as_before = lap.heads.last().filter(|_| is_idle).is_some_and(|head| {
                vars.len() == head.vars.len()
                    && head.vars.iter().all(|(var, value)| self.is_same(&next, *var, *value))
                    && self.depends_on_no_less(&next, head)
            });
            if is_as_before {
                // Going round changes nothing: whatever follows, follows without it.
                self.graph.locks.rely_on(lap.since.locks());
                if self.properties.has(Property::Liveness) {
                    self.note_spin(thread, &next, &lap.since, this.span);
                }
                return Ok(());
            }
            if self.can_skip(thread, &next, &vars, &lap) {
                let cut = self.cut_here(thread, &next, record, (this.span, lap.round - 1));
                let reads = lap.heads[0].n_reads..self.graph.events.reads.len();
                self.found.skipped.push(Skipped { thread, reads, cut });
                return Ok(());
            }
            let by_user =
                self.control.bounds.by_line.iter().find(|bound| bound.is_for(this.span)).map(|bound| bound.rounds);
            let is_over = match by_user {
                Some(most) => lap.round > most,
                None => match this.max_rounds {
                    Some(rounds) if rounds <= u64::from(self.control.bounds.decided) => u64::from(lap.round) > rounds,
                    _ => lap.round > self.control.bounds.decided || lap.counted > self.control.bounds.rounds,
                },
            };
            if is_over {
                // What is known to go round no more often needs no excuse.
                let is_certain = this.max_rounds.is_some_and(|rounds| u64::from(lap.round) > rounds);
                if !is_certain {
                    let cut = self.cut_here(thread, &next, record, (this.span, lap.round - 1));
                    self.found.bads.push(cut);
                }
                return Ok(());
            }
        }
        next.env = flow.live_at(edge.to, &next.env);
        let key = flow.key(edge.to, &next.laps);
        queue.entry(key).or_insert_with(|| (edge.to, Vec::new())).1.push(next);
        Ok(())
    }

    /// Whether a variable has this value in a state: it is the same term, or the way there says that they are equal.
    fn is_same(&mut self, state: &State, var: VarId, value: TermId) -> bool {
        let Some(own) = state.value_of(var) else { return false };
        // Zeros of both signs are equal and yet not the same.
        if own == value || !matches!(self.graph.pool.sort(own), Sort::Bool | Sort::Bv(_)) {
            return own == value;
        }
        let reached = self.graph.points.guard(state.point);
        let differs = self.graph.pool.ne(own, value);
        let both = self.graph.pool.and(reached, differs);
        self.graph.is_false(both)
    }

    /// Whether variables depend on all that they depended on at the head, if the model minds: else they would depend on more without the round.
    fn depends_on_no_less(&self, state: &State, head: &Head) -> bool {
        self.control.bounds.skipping == Skipping::Always
            || head.vars.iter().all(|(var, _)| {
                let before = head.flows.of(*var).into_iter().flat_map(|reads| reads.iter());
                let now = state.flows.of(*var);
                before.into_iter().all(|read| now.is_some_and(|reads| reads.contains(read)))
            })
    }

    /// Whether the way to a state says that all these attempts have failed.
    fn have_failed(&mut self, state: &State, fails: &[TermId]) -> bool {
        let reached = self.graph.points.guard(state.point);
        fails.iter().all(|fails| {
            let succeeds = self.graph.pool.not(*fails);
            let both = self.graph.pool.and(reached, succeeds);
            // A weak attempt succeeds if two things hold: that not both do is one part of the way, which `and` would take apart.
            says(&self.graph.pool, reached, *fails) || self.graph.is_false(both)
        })
    }

    /// A thread may go round for ever, if what its round has read stays as it is.
    fn note_spin(&mut self, thread: u32, state: &State, round: &Round, span: ir::Span) {
        let pool = &mut self.graph.pool;
        let mut weak: FxHashSet<VarId> = FxHashSet::default();
        for fails in round.fails() {
            pool.for_each_free_var(*fails, &mut |var| {
                weak.insert(var);
            });
        }
        let (mut calm, mut is_vague) = (Vec::new(), false);
        for (_, input) in round.inputs() {
            match (pool.as_var(*input), pool.sort(*input)) {
                // A weak attempt that may fail for no reason, and does not for ever.
                (Some(var), Sort::Bv(1)) if weak.contains(&var) => {
                    let zero = pool.bv(1, 0);
                    calm.push(pool.eq(*input, zero));
                }
                _ => is_vague = true,
            }
        }
        let guard = self.graph.points.guard(state.point);
        let reads = round.first_read()..self.graph.events.reads.len();
        self.found.spins.push(Spin { thread, guard, reads, calm, is_vague, span });
    }

    /// A loop would go round more often. Inside of an atomic section the section stops here, so that what it has read counts.
    fn cut_here(&mut self, thread: u32, state: &State, record: u32, (span, rounds): (ir::Span, u32)) -> Bad {
        let place = match (self.program.sources.is_model(span), self.user_place_before(thread, record)) {
            (false, _) => format!("at {}", self.program.sources.place(span)),
            (true, Some(call)) => format!("of a library function, called at {},", self.program.sources.place(call)),
            (true, None) => "of a library function".to_string(),
        };
        let times = if rounds == 1 { "iteration" } else { "iterations" };
        let why = Why::Bound(format!("loop {place} needs more than {rounds} {times} (no violation up to {rounds})"));
        let mut guard = self.graph.points.guard(state.point);
        let mut stop = None;
        if let Some(node) = state.section.filter(|_| state.depth > 0) {
            let stops = self.graph.fresh("stops", Sort::Bool);
            guard = self.graph.pool.and(guard, stops);
            self.graph.atomic.stop(node, guard);
            stop = Some(stops);
        }
        Bad { guard, what: BadKind::Cut(why), thread, record, stop }
    }

    /// The last place of the user's own text that a thread comes by before a step.
    fn user_place_before(&self, thread: u32, record: u32) -> Option<ir::Span> {
        let unrolled = &self.found.threads[thread as usize];
        let edges = &self.program.proc(unrolled.proc).edges;
        let steps = unrolled.records.iter().take(record as usize + 1).rev();
        let spans = steps.flat_map(|step| edges[step.edge.index()].stmts.iter().rev().map(|stmt| stmt.span));
        let sources = &self.program.sources;
        spans.into_iter().find(|span| span.is_known() && !sources.is_model(*span))
    }

    /// Whether constants say that the edge cannot be taken.
    fn is_impossible(&mut self, state: &State, edge: &ir::Edge) -> bool {
        for stmt in &edge.stmts {
            let Op::Assume(cond) = stmt.op else { return false };
            let cond = self.eval_in(&state.env, cond);
            if self.graph.is_false(cond) {
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
