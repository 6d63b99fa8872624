//! How does an execution graph come from an assignment? Each thread's steps whose guards hold, who reads from whom, and the order of writes.
//!
//! Steps are told in an order that agrees with that of each thread, with starts and joins and, where that is possible, with reads coming after what they read: so
//! whoever replays the graph knows most values by then. Where reads go round in a circle the order is cut somewhere, and the values that the
//! steps name are used. The step that goes wrong comes last; those that would end the process are left out.

use super::formula::Formula;
use super::sites::{Location, Sites, What};
use crate::bmc::solving::search::Values;
use crate::bmc::stage::Question;
use crate::bmc::unrolled::{BadKind, Record, Unrolled};
use ir::pass::spell_step;
use ir::{EdgeRef, EventName, Op, Program, Property, ReadsFrom, SiteId, Step, Trace};
use logic::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A step of the unrolled program: thread and number.
type Taken = (u32, u32);

/// The steps that each step reads from.
type Sources = FxHashMap<Taken, Vec<Taken>>;

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
    let taken = taken(question, unrolled, values, goal);
    let reads = reads(sites, formula);
    let order = order((question.prepared, unrolled, values), &taken, &reads, sites, goal);
    let graph = (sites, formula, &reads[..]);
    tell_graph(question, unrolled, graph, values, (violation, &order))
}

/// The trace of an assignment in which an object is used that another thread has ended. Of the steps only those are told that the end and the use rest on, the use last, if the end does not rest on the use.
pub(super) fn use_after_end(
    question: &Question<'_>,
    unrolled: &Unrolled,
    sites: &Sites,
    formula: &mut Formula<'_>,
    values: &mut Values,
) -> Option<Trace> {
    let step_of = |event: usize| Some((sites.shape.events[event].thread?, sites.sites[event].how.record));
    let mut object_of = |event: usize, is_it: fn(What) -> bool| {
        let site = &sites.sites[event];
        let Some(Location::Memory(_, Some(addr))) = site.location.filter(|_| is_it(site.what)) else { return None };
        values.holds(&unrolled.pool, site.guard).then(|| values.of(&unrolled.pool, addr))
    };
    let n = sites.sites.len();
    let mut of = |is_it: fn(What) -> bool| -> Vec<(usize, Value)> {
        (0..n).filter_map(|event| Some((event, object_of(event, is_it)?))).collect()
    };
    let uses = of(|what| matches!(what, What::Use(_)));
    let ends = of(|what| matches!(what, What::Over(_)));
    let taken = taken(question, unrolled, values, None);
    let reads = reads(sites, formula);
    let (sources, joined) = (sources(sites, &reads), joined(unrolled, &taken, values));
    for (use_, object) in &uses {
        for (end, _) in ends.iter().filter(|(_, ended)| ended == object) {
            let (Some(use_), Some(end)) = (step_of(*use_), step_of(*end)) else { continue };
            let mut past = past(unrolled, &taken, (&sources, &joined), end);
            if use_.0 == end.0 || past.contains(&use_) {
                continue;
            }
            past.extend(self::past(unrolled, &taken, (&sources, &joined), use_));
            let kept = |(thread, own): (usize, &Vec<u32>)| {
                own.iter().copied().filter(|record| past.contains(&(thread as u32, *record))).collect()
            };
            let taken: Vec<Vec<u32>> = taken.iter().enumerate().map(kept).collect();
            let order = order((question.prepared, unrolled, values), &taken, &reads, sites, Some(use_));
            let graph = (sites, formula, &reads[..]);
            return Some(tell_graph(question, unrolled, graph, values, (Property::Deref, &order)));
        }
    }
    None
}

/// A step and all that it rests on: what comes before it in its thread, starts and ends of threads, and what was read.
fn past(
    unrolled: &Unrolled,
    taken: &[Vec<u32>],
    (sources, joined): (&Sources, &FxHashMap<Taken, Vec<usize>>),
    last: Taken,
) -> FxHashSet<Taken> {
    let mut past: FxHashSet<Taken> = FxHashSet::default();
    let mut open = vec![last];
    while let Some((thread, record)) = open.pop() {
        if !past.insert((thread, record)) {
            continue;
        }
        let own = &taken[thread as usize];
        let at = own.iter().position(|other| *other == record).unwrap_or(0);
        if let Some(before) = at.checked_sub(1) {
            open.push((thread, own[before]));
        } else {
            let starts = |(parent, of): (usize, &Vec<u32>)| {
                let is_it =
                    |record: &&u32| unrolled.threads[parent].records[**record as usize].starts.contains(&thread);
                of.iter().find(is_it).map(|record| (parent as u32, *record))
            };
            open.extend(taken.iter().enumerate().find_map(starts));
        }
        open.extend(sources.get(&(thread, record)).into_iter().flatten());
        let ended = joined.get(&(thread, record)).into_iter().flatten();
        open.extend(ended.filter_map(|other| Some((*other as u32, *taken[*other].last()?))));
    }
    past
}

/// The steps of each thread that are taken, up to the goal.
fn taken(question: &Question<'_>, unrolled: &Unrolled, values: &mut Values, goal: Option<Taken>) -> Vec<Vec<u32>> {
    let mut taken: Vec<Vec<u32>> = Vec::new();
    for (thread, this) in unrolled.threads.iter().enumerate() {
        let mut own: Vec<u32> = Vec::new();
        for (index, record) in this.records.iter().enumerate() {
            let is_goal = goal == Some((thread as u32, index as u32));
            let is_past = goal.is_some_and(|(other, last)| other == thread as u32 && index as u32 > last);
            if is_goal
                || !is_past
                    && values.holds(&unrolled.pool, record.guard)
                    && !ends_process(question.prepared, this.proc, record, thread)
            {
                own.push(index as u32);
            }
        }
        taken.push(own);
    }
    taken
}

/// The trace of these steps, with who reads from whom.
fn tell_graph(
    question: &Question<'_>,
    unrolled: &Unrolled,
    (sites, formula, reads): (&Sites, &mut Formula<'_>, &[(usize, usize)]),
    values: &mut Values,
    (violation, order): (Property, &[Taken]),
) -> Trace {
    let told = tell(question, unrolled, order, values);
    let name = |event: usize| -> Option<EventName> {
        let how = sites.sites[event].how;
        let thread = sites.shape.events[event].thread?;
        told.step_of.get(&(thread, how.record, how.site)).map(|step| (*step, how.site))
    };
    let mut graph = ReadsFrom::default();
    for &(read, write) in reads {
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

/// The steps that each step reads from.
fn sources(sites: &Sites, reads: &[(usize, usize)]) -> Sources {
    let mut sources = Sources::default();
    for &(read, write) in reads {
        let (to, from) = (&sites.sites[read], &sites.sites[write]);
        if let (Some(reader), Some(writer)) = (sites.shape.events[read].thread, sites.shape.events[write].thread) {
            sources.entry((reader, to.how.record)).or_default().push((writer, from.how.record));
        }
    }
    sources
}

/// An order of the steps that were taken.
fn order(
    (program, unrolled, values): (&Program, &Unrolled, &mut Values),
    taken: &[Vec<u32>],
    reads: &[(usize, usize)],
    sites: &Sites,
    goal: Option<Taken>,
) -> Vec<Taken> {
    let (sources, joined) = (sources(sites, reads), joined(unrolled, taken, values));
    let ends_object = |(thread, record): &Taken| {
        let this = &unrolled.threads[*thread as usize];
        let edge = &program.proc(this.proc).edges[this.records[*record as usize].edge.index()];
        edge.stmts.iter().any(|stmt| matches!(stmt.op, Op::Free { .. }))
    };
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
            .filter(|step| joined.get(step).is_none_or(|of| of.iter().all(|other| next[*other] >= taken[*other].len())))
            .collect();
        let is_ready = |step: &&Taken| {
            let of = sources.get(*step);
            of.is_none_or(|of| of.iter().all(|source| source == *step || done.contains_key(source)))
        };
        // Where the order of an end of an object and its uses is open, it is told after them: a race of other accesses is none of uses that come too late.
        let ready = || candidates.iter().filter(is_ready);
        let Some(step) = ready().find(|step| !ends_object(step)).or(ready().next()).or(candidates.first()) else {
            break;
        };
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

/// The threads that steps join.
fn joined(unrolled: &Unrolled, taken: &[Vec<u32>], values: &mut Values) -> FxHashMap<Taken, Vec<usize>> {
    let n = unrolled.threads.len();
    let mut handle = |term| values.of(&unrolled.pool, term);
    let handles: Vec<Value> = unrolled.threads.iter().map(|thread| handle(thread.handle)).collect();
    let mut joined: FxHashMap<Taken, Vec<usize>> = FxHashMap::default();
    for (thread, own) in taken.iter().enumerate() {
        for record in own {
            let node = unrolled.threads[thread].records[*record as usize].node;
            let meetings = unrolled.events.meetings.iter();
            for meeting in meetings.filter(|meeting| meeting.started.is_none() && Some(meeting.node) == node) {
                let wanted = handle(meeting.handle);
                // Threads that are not there have handles, too.
                let is_it = |other: &usize| handles[*other] == wanted && !taken[*other].is_empty();
                joined.entry((thread as u32, *record)).or_default().extend((0..n).find(is_it));
            }
        }
    }
    joined
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
