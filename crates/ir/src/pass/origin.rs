//! Which steps of the lowered program does a step of a transformed one stand for?
//!
//! `with_origins` names each edge as its own origin; passes join and copy these. An engine that found something in the transformed
//! program spells its steps in edges of the lowered one, which is what traces consist of and what replay runs. Inputs go to
//! the step whose edge has the statement that asked for them; statements are recognised by their sites, in order.

use super::buffers::commits::Commits;
use crate::interp::GivenInputs;
use crate::interp::{Execution, StepResult};
use crate::program::{Edge, EdgeId, EdgeRef, ProcId, Program};
use crate::property::{Properties, Property};
use crate::stmt::{Op, SiteId};
use crate::verdict::{Commit, Step, Trace};
use logic::Value;
use rustc_hash::FxHashMap;

/// The lowered program with each edge as its own origin.
pub fn with_origins(mut program: Program) -> Program {
    for (proc_index, proc) in program.procs.iter_mut().enumerate() {
        for (edge_index, edge) in proc.edges.iter_mut().enumerate() {
            edge.origin = vec![EdgeRef { proc: ProcId(proc_index as u32), edge: EdgeId(edge_index as u32) }];
        }
    }
    program
}

/// For each statement of an edge of a transformed program, the position in `Edge::origin` of the edge it comes from.
pub fn origin_of_stmts(lowered: &Program, edge: &Edge) -> Vec<usize> {
    let mut found = Vec::with_capacity(edge.stmts.len());
    let (mut at, mut seen, mut is_asked) = (0, 0, false);
    for stmt in &edge.stmts {
        let place = (at..edge.origin.len()).find_map(|index| {
            let stmts = &lowered.edge(edge.origin[index]).stmts;
            // A call makes several assignments, all with its site; they stay where the first was found. An input is asked for once: with
            // the same site again it is that of another call.
            let skipped = if index == at { seen + usize::from(is_asked) } else { 0 };
            let from = skipped.min(stmts.len());
            let position = stmts[from..].iter().position(|other| other.site == stmt.site)?;
            Some((index, from + position))
        });
        if let Some((index, position)) = place {
            is_asked = matches!(lowered.edge(edge.origin[index]).stmts[position].op, Op::Havoc { .. });
            (at, seen) = (index, position);
        }
        found.push(at);
    }
    found
}

/// The steps of the lowered program that a step of the transformed one stands for, up to and including the one that statement
/// number `last` comes from, if that is given; otherwise all.
pub fn spell_step(lowered: &Program, transformed: &Program, step: &Step, last: Option<usize>) -> Vec<Step> {
    let edge = transformed.edge(step.edge);
    let origin_of = origin_of_stmts(lowered, edge);
    let end = match last {
        Some(stmt) => origin_of.get(stmt).map_or(edge.origin.len(), |origin| origin + 1),
        None => edge.origin.len(),
    };
    let mut steps: Vec<Step> = edge.origin[..end.min(edge.origin.len())]
        .iter()
        .map(|origin| Step { thread: step.thread, edge: *origin, inputs: Vec::new() })
        .collect();
    let mut left: Vec<(SiteId, Value)> = step.inputs.clone();
    for (stmt, origin) in edge.stmts.iter().zip(origin_of) {
        let asks = matches!(stmt.op, Op::Havoc { .. } | Op::Load { .. } | Op::Rmw { .. });
        if asks
            && let Some(given) = left.iter().position(|(site, _)| *site == stmt.site)
            && let Some(step) = steps.get_mut(origin)
        {
            step.inputs.push(left.remove(given));
        }
    }
    steps
}

/// The trace of the lowered program that a trace of the transformed one spells. It is cut after the step in which the violation
/// happens: a step of the transformed program may stand for more than the violation needs. Who waits for ever does so though the
/// process may end, so that steps which end it are left out there; a thread that waits in the middle of a transformed step has yet
/// to come there, which is left to `replay`.
pub fn spell_trace(lowered: &Program, transformed: &Program, trace: &Trace) -> Trace {
    let mut execution = Execution::new(lowered, Properties::of(&[trace.violation]));
    let mut steps: Vec<Step> = Vec::new();
    let (spelled, mut commits) = spell_late(lowered, transformed, trace);
    let waits = trace.violation == Property::Deadlock;
    let mut n_due = 0;
    for step in spelled {
        while let Some(commit) = commits.get(n_due).filter(|commit| commit.after <= steps.len()) {
            execution.commit_store(commit.step, commit.site);
            n_due += 1;
        }
        if waits && ends_process(&execution, &step) {
            for commit in &mut commits {
                commit.after -= usize::from(commit.after > steps.len());
                commit.step -= usize::from(commit.step > steps.len());
            }
            continue;
        }
        let result = execution.take_joining(step.thread, step.edge, &mut GivenInputs::new(&step.inputs));
        steps.push(step);
        if matches!(result, StepResult::Violation(_) | StepResult::Ended(_)) {
            break;
        }
    }
    Trace { violation: trace.violation, steps, commits, model: trace.model, placement: trace.placement, graph: None }
}

/// Whether a step would end the process.
fn ends_process(execution: &Execution<'_>, step: &Step) -> bool {
    let mut state = execution.state.clone();
    let mut inputs = GivenInputs::new(&step.inputs);
    let result = execution.machine.step(&mut state, step.thread, step.edge, &mut inputs, Properties::NONE, None);
    matches!(result, StepResult::Ended(_))
}

/// An access that a thread would make next: the step it would take, and the position of the accessing statement in its edge.
pub type NextAccess = (Step, usize);

/// The trace of the lowered program after which two threads of a transformed one are about to make racing accesses. What comes
/// before the access in its edge is run as early as it can: right after the thread's last step, or after its start. Nobody
/// sees it, so that is allowed, and the other thread may be in an atomic section later. An atomic section that begins there
/// begins as late as it can, for the same reason.
pub fn spell_race(lowered: &Program, transformed: &Program, steps: &[Step], next: &[NextAccess; 2]) -> Trace {
    let mut n_threads = 1;
    let mut last_of = [None, None];
    for (index, step) in steps.iter().enumerate() {
        for stmt in &transformed.edge(step.edge).stmts {
            if matches!(stmt.op, Op::Start { .. }) {
                for (last, (access, _)) in last_of.iter_mut().zip(next) {
                    if access.thread == n_threads {
                        *last = Some(index);
                    }
                }
                n_threads += 1;
            }
        }
        for (last, (access, _)) in last_of.iter_mut().zip(next) {
            if access.thread == step.thread {
                *last = Some(index);
            }
        }
    }
    let lead_up = |(step, stmt): &NextAccess| {
        let mut spelled = spell_step(lowered, transformed, step, Some(*stmt));
        spelled.pop();
        let begins = |step: &Step| lowered.edge(step.edge).stmts.iter().any(|stmt| stmt.op == Op::AtomicBegin);
        let section = spelled.split_off(spelled.iter().position(begins).unwrap_or(spelled.len()));
        (spelled, section)
    };
    let mut ordered: Vec<Step> = Vec::new();
    let mut put_off: FxHashMap<u32, Vec<Step>> = FxHashMap::default();
    let lead_up_after = |index: Option<usize>, ordered: &mut Vec<Step>, put_off: &mut FxHashMap<u32, Vec<Step>>| {
        for (last, access) in last_of.iter().zip(next) {
            if *last == index {
                ordered.append(put_off.entry(access.0.thread).or_default());
                ordered.extend(lead_up(access).0);
            }
        }
    };
    lead_up_after(None, &mut ordered, &mut put_off);
    for (index, step) in steps.iter().enumerate() {
        spell_one(lowered, transformed, step, &mut ordered, &mut put_off);
        lead_up_after(Some(index), &mut ordered, &mut put_off);
    }
    ordered.extend(next.iter().flat_map(|access| lead_up(access).1));
    Trace::new(Property::Race, ordered)
}

/// The steps that all steps of the trace stand for. What a step ends with and the transformed program does not do any more
/// (the end of a promoted object above all) comes as late as it can: just before the thread's next step, or not at all. Where
/// the trace ends in a circle it is not put off, so that the circle closes. Commits name the steps that they are about by their
/// new numbers.
fn spell_late(lowered: &Program, transformed: &Program, trace: &Trace) -> (Vec<Step>, Vec<Commit>) {
    let mut steps: Vec<Step> = Vec::new();
    let mut put_off: FxHashMap<u32, Vec<Step>> = FxHashMap::default();
    let mut commits = Vec::new();
    let mut due = trace.commits.iter().peekable();
    let mut written = Commits::default();
    // Where what each step stands for begins.
    let mut starts = Vec::new();
    let stores = |step: &Step, site: SiteId| lowered.edge(step.edge).stmts.iter().any(|stmt| stmt.site == site);
    for (index, step) in trace.steps.iter().enumerate() {
        while let Some(commit) = due.next_if(|commit| commit.after <= index) {
            let first: usize = starts[commit.step];
            let found = steps[first..].iter().position(|step| stores(step, commit.site));
            commits.push(Commit { after: steps.len(), step: first + found.unwrap_or(0), site: commit.site });
        }
        starts.push(steps.len());
        let first = steps.len() + put_off.get(&step.thread).map_or(0, Vec::len);
        spell_one(lowered, transformed, step, &mut steps, &mut put_off);
        written.take(lowered, transformed, step.thread, transformed.edge(step.edge), first);
        if trace.violation == Property::Termination {
            steps.append(put_off.entry(step.thread).or_default());
        }
    }
    for commit in due {
        let first = starts[commit.step];
        let found = steps[first..].iter().position(|step| stores(step, commit.site));
        commits.push(Commit { after: steps.len(), step: first + found.unwrap_or(0), site: commit.site });
    }
    commits.append(&mut written.found);
    (steps, commits)
}

/// Appends what a step stands for, but puts off what comes after its last statement.
fn spell_one(
    lowered: &Program,
    transformed: &Program,
    step: &Step,
    steps: &mut Vec<Step>,
    put_off: &mut FxHashMap<u32, Vec<Step>>,
) {
    steps.append(put_off.entry(step.thread).or_default());
    let mut spelled = spell_step(lowered, transformed, step, None);
    let n_done = origin_of_stmts(lowered, transformed.edge(step.edge)).last().map_or(0, |last| last + 1);
    put_off.insert(step.thread, spelled.split_off(n_done.min(spelled.len())));
    steps.append(&mut spelled);
}
