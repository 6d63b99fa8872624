//! How does an execution graph come from an assignment? Each thread's steps whose guards hold, who reads from whom, and the order of writes.
//!
//! Steps are told in an order that agrees with that of each thread, with starts and joins and, where that is possible, with reads coming after what they read: so
//! whoever replays the graph knows most values by then. Where reads go round in a circle the order is cut somewhere, and the values that the
//! steps name are used. The step that goes wrong comes last; those that would end the process are left out.

use super::formula::Formula;
use super::sites::{Sites, What};
use crate::bmc::solving::search::Values;
use crate::bmc::stage::Question;
use crate::bmc::unrolled::{BadKind, Record, Unrolled};
use ir::pass::spell_step;
use ir::{EdgeRef, EventName, Op, Program, Property, ReadsFrom, SiteId, Step, Trace};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A step of the unrolled program: thread and number.
type Taken = (u32, u32);

/// The trace of an assignment in which something goes wrong.
pub(super) fn trace(
    question: &Question<'_>,
    unrolled: &Unrolled,
    sites: &Sites,
    formula: &mut Formula<'_>,
    values: &mut Values,
) -> Trace {
    let pool = &unrolled.pool;
    let mut violated = unrolled.bads.iter().filter(|bad| matches!(bad.what, BadKind::Violation(_)));
    let bad = violated.find(|bad| values.holds(pool, bad.guard));
    let violation = match bad.map(|bad| &bad.what) {
        Some(BadKind::Violation(property)) => *property,
        _ => Property::Race,
    };
    let goal = bad.map(|bad| (bad.thread, bad.record));
    let mut taken: Vec<Vec<u32>> = Vec::new();
    for (thread, this) in unrolled.threads.iter().enumerate() {
        let mut own: Vec<u32> = Vec::new();
        for (index, record) in this.records.iter().enumerate() {
            let is_goal = goal == Some((thread as u32, index as u32));
            let is_past = goal.is_some_and(|(other, last)| other == thread as u32 && index as u32 > last);
            if is_goal
                || !is_past
                    && values.holds(pool, record.guard)
                    && !ends_process(question.prepared, this.proc, record, thread)
            {
                own.push(index as u32);
            }
        }
        taken.push(own);
    }
    let reads = reads(sites, formula);
    let order = order(unrolled, &taken, &reads, sites, goal);
    let told = tell(question, unrolled, &order, values);
    let name = |event: usize| -> Option<EventName> {
        let how = sites.sites[event].how;
        let thread = sites.shape.events[event].thread?;
        told.step_of.get(&(thread, how.record, how.site)).map(|step| (*step, how.site))
    };
    let mut graph = ReadsFrom::default();
    for &(read, write) in &reads {
        if let Some(read) = name(read) {
            graph.sources.push((read, name(write)));
        }
    }
    let nothing = formula.nothing.clone();
    for (read, _) in nothing.into_iter().filter(|(_, lit)| formula.encoder.bits.lit_value(*lit)) {
        graph.sources.extend(name(read).map(|read| (read, None)));
    }
    for (thread, how) in &sites.settled {
        if let Some(step) = told.step_of.get(&(*thread, how.record, how.site)) {
            graph.sources.push(((*step, how.site), None));
        }
    }
    graph.coherence = coherence(unrolled, sites, formula, values).into_iter().filter_map(name).collect();
    Trace { graph: Some(Arc::new(graph)), ..Trace::new(violation, told.steps) }
}

/// Whether a step would end the process, so that nothing could follow it.
fn ends_process(program: &Program, proc: ir::ProcId, record: &Record, thread: usize) -> bool {
    let edge = &program.proc(proc).edges[record.edge.index()];
    edge.stmts.iter().any(|stmt| match stmt.op {
        Op::ExitProcess { .. } => true,
        Op::Return(_) => thread == 0,
        _ => false,
    })
}

/// Who reads from whom: reads of memory and the writes they read.
fn reads(sites: &Sites, formula: &mut Formula<'_>) -> Vec<(usize, usize)> {
    let sources = formula.sources.clone();
    let is_access = |event: usize| matches!(sites.sites[event].what, What::Read(_));
    let chosen = sources.into_iter().filter(|&(read, _, lit)| is_access(read) && formula.encoder.bits.lit_value(lit));
    chosen.map(|(read, write, _)| (read, write)).collect()
}

/// The writes that happen, those of one cell in their order.
fn coherence(unrolled: &Unrolled, sites: &Sites, formula: &mut Formula<'_>, values: &mut Values) -> Vec<usize> {
    let happens: Vec<bool> = sites.sites.iter().map(|site| values.holds(&unrolled.pool, site.guard)).collect();
    let orders = formula.orders.clone();
    let present: Vec<(usize, usize)> = orders
        .into_iter()
        .filter(|&(a, b, lit)| happens[a] && happens[b] && formula.encoder.bits.lit_value(lit))
        .map(|(a, b, _)| (a, b))
        .collect();
    let is_write = |event: &usize| happens[*event] && matches!(sites.sites[*event].what, What::Write(_));
    let mut writes: Vec<usize> = (0..sites.sites.len()).filter(is_write).collect();
    // How many come before a write says where it is among those of its cell; of writes that do not happen nothing is known.
    let mut before: FxHashMap<usize, usize> = FxHashMap::default();
    for (_, later) in present {
        *before.entry(later).or_default() += 1;
    }
    writes.sort_by_key(|write| before.get(write).copied().unwrap_or(0));
    writes
}

/// An order of the steps that were taken.
fn order(
    unrolled: &Unrolled,
    taken: &[Vec<u32>],
    reads: &[(usize, usize)],
    sites: &Sites,
    goal: Option<Taken>,
) -> Vec<Taken> {
    let mut sources: FxHashMap<Taken, Vec<Taken>> = FxHashMap::default();
    for &(read, write) in reads {
        let (to, from) = (&sites.sites[read], &sites.sites[write]);
        if let (Some(reader), Some(writer)) = (sites.shape.events[read].thread, sites.shape.events[write].thread) {
            sources.entry((reader, to.how.record)).or_default().push((writer, from.how.record));
        }
    }
    let mut next = vec![0usize; taken.len()];
    let mut is_started = vec![false; taken.len()];
    is_started[0] = true;
    let mut order: Vec<Taken> = Vec::new();
    let mut done: FxHashMap<Taken, ()> = FxHashMap::default();
    let n_steps: usize = taken.iter().map(Vec::len).sum();
    while order.len() < n_steps {
        let candidates: Vec<Taken> = (0..taken.len() as u32)
            .filter(|&thread| is_started[thread as usize])
            .filter_map(|thread| Some((thread, *taken[thread as usize].get(next[thread as usize])?)))
            .filter(|step| Some(*step) != goal || order.len() + 1 == n_steps)
            .filter(|step| may_join(unrolled, taken, &next, *step))
            .collect();
        let is_ready = |step: &&Taken| {
            let of = sources.get(*step);
            of.is_none_or(|of| of.iter().all(|source| source == *step || done.contains_key(source)))
        };
        let Some(step) = candidates.iter().find(is_ready).or(candidates.first()) else { break };
        let step = *step;
        next[step.0 as usize] += 1;
        done.insert(step, ());
        order.push(step);
        for child in &unrolled.threads[step.0 as usize].records[step.1 as usize].starts {
            is_started[*child as usize] = true;
        }
    }
    if let Some(goal) = goal.filter(|goal| !done.contains_key(goal)) {
        order.push(goal);
    }
    order
}

/// A step that joins a thread comes after all steps of that thread, if it is known which.
fn may_join(unrolled: &Unrolled, taken: &[Vec<u32>], next: &[usize], (thread, record): Taken) -> bool {
    let nodes = &unrolled.events.meetings;
    let own = unrolled.threads[thread as usize].records[record as usize].node;
    let mut joined = nodes.iter().filter(|meeting| meeting.started.is_none() && Some(meeting.node) == own);
    joined.all(|meeting| {
        let same = |other: &usize| unrolled.threads[*other].handle == meeting.handle;
        match (0..taken.len()).find(same) {
            Some(other) => next[other] >= taken[other].len(),
            // Nobody knows whose end it is: all others come first.
            None => (0..taken.len()).all(|other| other == thread as usize || next[other] >= taken[other].len()),
        }
    })
}

struct Told {
    steps: Vec<Step>,
    /// The step of the lowered program in which a statement of a step runs.
    step_of: FxHashMap<(u32, u32, SiteId), usize>,
}

fn tell(question: &Question<'_>, unrolled: &Unrolled, order: &[Taken], values: &mut Values) -> Told {
    let pool = &unrolled.pool;
    let lowered = &question.task.program;
    let mut index_of: Vec<Option<u32>> = vec![None; unrolled.threads.len()];
    index_of[0] = Some(0);
    let mut n_threads = 1;
    let mut told = Told { steps: Vec::new(), step_of: FxHashMap::default() };
    for &(thread, number) in order {
        let Some(index) = index_of[thread as usize] else { continue };
        let this = &unrolled.threads[thread as usize];
        let record = &this.records[number as usize];
        let inputs = record.inputs.iter().map(|(site, term)| (*site, values.of(pool, *term))).collect();
        let edge = EdgeRef { proc: this.proc, edge: record.edge };
        let spelled = spell_step(lowered, question.prepared, &Step { thread: index, edge, inputs }, None);
        for step in spelled {
            for stmt in &lowered.edge(step.edge).stmts {
                told.step_of.insert((thread, number, stmt.site), told.steps.len());
            }
            told.steps.push(step);
        }
        for child in &record.starts {
            index_of[*child as usize] = Some(n_threads);
            n_threads += 1;
        }
    }
    told
}
