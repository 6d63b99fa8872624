//! Can the same violation be shown with fewer changes of threads, and in fewer steps? People read executions; engines find them in whatever order they search.
//!
//! The steps of an execution fall into segments: one thread, as long as nobody else runs. A segment is moved to the next or the last one of its thread, the last steps of threads are left
//! out, and so are steps that lead a thread back to where it was; each time the reference interpreter runs what is left, and the change stays if the same thing goes wrong at the same
//! place. Where other values lead a thread along another branch it may go on by itself until the branches meet. This is greedy: no single change of these kinds makes
//! what comes out smaller, unless the steps that may be spent were used up first. Then another execution is looked for that changes threads less often (`fewer`).
//!
//! Why it can be trusted: what is told is what [`replay`] makes of the result, as for any trace of an engine, and if that were not the same violation, or not smaller, the execution stays as
//! it was found. Why it is always the same: what is spent is counted in steps of the interpreter and not in seconds.
//!
//! Executions under weak models stay as they are: their order is not that of their steps. So do those that go round for ever, where what repeats is the point.
//! Known as: trace simplification, reduction of context switches \[Jalbert10].

use super::fewer::{Goal, fewer};
use super::{Replayed, program_of, replay};
use crate::interp::{Details, GivenInputs, Machine, Namer, NotEnabled, State, Status, StepResult, Violation, Wait};
use crate::model::Model;
use crate::program::EdgeRef;
use crate::property::{Properties, Property};
use crate::source::Span;
use crate::stmt::SiteId;
use crate::verdict::{Step, Task, Trace};
use logic::Value;

/// How many steps of the interpreter are spent, unless the caller wants less.
const MOST_STEPS: usize = 150_000;
/// How many are spent on looking for another execution.
const MOST_NEW_STEPS: usize = 30_000;
/// What a step costs in a full replay, with its log and its races, in steps of the bare interpreter.
const REPLAY_COST: usize = 8;
/// How many steps a thread goes on by itself where values lead it along another branch.
const MOST_DETOUR: usize = 40;
/// States that are kept on the way, so that a change near the end does not run all from the start.
const MOST_KEPT: usize = 24;

/// How often an execution changes threads.
pub fn n_switches(steps: &[Step]) -> usize {
    steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// The same violation with fewer changes of threads and fewer steps, if some are found before `is_over` says that there is no more time.
pub fn shorten(task: &Task, found: Replayed, is_over: &dyn Fn() -> bool) -> Replayed {
    let trace = &found.trace;
    let is_weak = task.program.model != Model::Sc || trace.model.is_some() || trace.graph.is_some();
    if is_weak || !trace.commits.is_empty() || matches!(found.violation.details, Details::Lasso { .. }) {
        return found;
    }
    let (program, _) = program_of(task, trace);
    let mut search = Search {
        task,
        found: &found,
        machine: Machine::new(program),
        steps: trace.steps.clone(),
        kept: Vec::new(),
        left: MOST_STEPS,
        has_looked: false,
        is_over,
    };
    search.keep_states(0);
    // Two rounds that change nothing would be the same.
    let mut before = (usize::MAX, usize::MAX);
    while search.size() < before && search.left > 0 {
        before = search.size();
        search.drop_tails();
        search.join_segments();
        search.drop_rounds();
        if search.size() == before {
            search.look_anew();
        }
    }
    let steps = std::mem::take(&mut search.steps);
    let is_smaller = (n_switches(&steps), steps.len()) < (n_switches(&trace.steps), trace.steps.len());
    let shorter = is_smaller.then(|| replay(task, &Trace { steps, ..trace.clone() }).ok()).flatten();
    let is_same = |shorter: &Replayed| {
        is_same(&shorter.violation, &found.violation)
            && n_switches(&shorter.trace.steps) <= n_switches(&trace.steps)
            && last_place(shorter) == last_place(&found)
            && n_made(&shorter.violation, shorter.trace.steps.len()) >= n_made(&found.violation, trace.steps.len())
    };
    shorter.filter(is_same).unwrap_or(found)
}

/// Whether the same goes wrong at the same places.
fn is_same(one: &Violation, other: &Violation) -> bool {
    one.property == other.property && places(one) == places(other)
}

/// A place where it goes wrong: whose it is, and whether it writes.
type Place = (Option<u32>, Span, bool);

/// Where it goes wrong, in an order that does not depend on who came first.
fn places(violation: &Violation) -> Vec<Place> {
    let mut places: Vec<Place> = match &violation.details {
        Details::Race(both) => both.iter().map(|access| (Some(access.thread), access.span, access.is_write)).collect(),
        Details::Deadlock(waiters) => waiters.iter().map(|waiter| (Some(waiter.thread), waiter.span, false)).collect(),
        Details::Leak(objects) => objects.iter().map(|(_, span)| (None, *span, false)).collect(),
        Details::None | Details::Lasso { .. } => vec![(Some(violation.thread), violation.span, false)],
    };
    places.sort();
    places
}

/// Where threads wait, in the same order.
fn places_of(waits: &[(u32, Wait)]) -> Vec<Place> {
    let mut places: Vec<Place> = waits.iter().map(|(who, wait)| (Some(*who), wait.span, false)).collect();
    places.sort();
    places
}

/// How many of the accesses of a race are among the steps; those that are only next are not. Who reads about a race wants to see both.
fn n_made(violation: &Violation, n_steps: usize) -> usize {
    match &violation.details {
        Details::Race(both) => both.iter().filter(|access| access.step < n_steps).count(),
        _ => 0,
    }
}

/// The user's line of the last step of the thread that goes wrong, unless who is last has no meaning.
fn last_place(replayed: &Replayed) -> Option<Span> {
    match replayed.violation.details {
        Details::None => replayed.log.steps.last().map(|step| step.user_span),
        _ => None,
    }
}

/// A maximal run of steps of one thread: where it starts and ends.
#[derive(Clone, Copy)]
struct Segment {
    thread: u32,
    start: usize,
    end: usize,
}

fn segments(steps: &[Step]) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        match segments.last_mut() {
            Some(last) if last.thread == step.thread => last.end = at + 1,
            _ => segments.push(Segment { thread: step.thread, start: at, end: at + 1 }),
        }
    }
    segments
}

struct Search<'a> {
    task: &'a Task,
    found: &'a Replayed,
    machine: Machine<'a>,
    /// The best so far.
    steps: Vec<Step>,
    /// States that it passes, by the number of steps before them.
    kept: Vec<(usize, State)>,
    /// How many steps of the interpreter may still be taken.
    left: usize,
    /// Whether another execution was looked for.
    has_looked: bool,
    is_over: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// What gets smaller: switches first.
    fn size(&self) -> (usize, usize) {
        (n_switches(&self.steps), self.steps.len())
    }

    /// Leaves out as many of the last steps of each thread as can be.
    fn drop_tails(&mut self) {
        let n_threads = 1 + self.steps.iter().map(|step| step.thread).max().unwrap_or(0);
        for thread in (0..n_threads).rev() {
            let ends: Vec<usize> =
                segments(&self.steps).iter().filter(|s| s.thread == thread).map(|s| s.start).collect();
            // Whole segments first, then within the last one: what can be left out is mostly all from some step on.
            self.drop_from(&ends, thread);
            if let Some(last) = segments(&self.steps).iter().rfind(|s| s.thread == thread).copied() {
                self.drop_from(&(last.start + 1..last.end).collect::<Vec<usize>>(), thread);
            }
        }
    }

    /// Leaves out a thread's steps from the earliest of some places that allows it.
    fn drop_from(&mut self, places: &[usize], thread: u32) {
        if let Some(from) = self.first_needless(places, thread) {
            self.try_steps(from, |steps| without(steps, from..steps.len(), thread));
        }
    }

    /// The earliest of some places from which on a thread's steps can be left out, by halving.
    fn first_needless(&mut self, places: &[usize], thread: u32) -> Option<usize> {
        let (mut low, mut high) = (0, places.len());
        while low < high {
            let middle = low.midpoint(high);
            let from = places[middle];
            let steps = without(&self.steps, from..self.steps.len(), thread);
            if self.runs(&steps, from).is_some() { high = middle } else { low = middle + 1 }
        }
        places.get(low).copied()
    }

    /// Moves segments to others of their thread, until none can be moved.
    fn join_segments(&mut self) {
        loop {
            let before = n_switches(&self.steps);
            let mut at = segments(&self.steps).len();
            while at > 0 {
                at -= 1;
                let all = segments(&self.steps);
                let Some(this) = all.get(at).copied() else { continue };
                let Some(next) = all[at + 1..].iter().find(|other| other.thread == this.thread).copied() else {
                    continue;
                };
                let (first, second) = (this.start..this.end, next.start..next.end);
                let between = this.end..next.start;
                let back = [first.clone(), second.clone(), between.clone()];
                let forth = [between, first, second];
                let joined = |order: &[std::ops::Range<usize>; 3], steps: &[Step]| {
                    let mut changed = steps[..this.start].to_vec();
                    order.iter().for_each(|range| changed.extend_from_slice(&steps[range.clone()]));
                    changed.extend_from_slice(&steps[next.end..]);
                    changed
                };
                let _ = self.try_steps(this.end, |steps| joined(&back, steps))
                    || self.try_steps(this.start, |steps| joined(&forth, steps));
            }
            if n_switches(&self.steps) >= before || self.left == 0 {
                return;
            }
        }
    }

    /// Leaves out steps that lead a thread back to a place where it was: rounds of loops that change nothing that matters.
    fn drop_rounds(&mut self) {
        let mut at = self.steps.len();
        while at > 0 && self.left > 0 {
            at -= 1;
            let Some(back) = self.round_before(at) else { continue };
            let thread = self.steps[at].thread;
            if self.try_steps(back, |steps| without(steps, back..at, thread)) {
                at = back.max(1);
            }
        }
    }

    /// The last step before this one by which the same thread leaves the place that this one leaves, in the same procedure.
    fn round_before(&self, at: usize) -> Option<usize> {
        let this = &self.steps[at];
        let source = |step: &Step| self.machine.program.edge(step.edge).from;
        let is_there = |step: &Step| {
            step.thread == this.thread && step.edge.proc == this.edge.proc && source(step) == source(this)
        };
        self.steps[..at].iter().rposition(is_there)
    }

    /// Looks for another execution that changes threads less often (`fewer`), once.
    fn look_anew(&mut self) {
        let property = self.found.trace.violation;
        if property == Property::Race || self.has_looked {
            return;
        }
        self.has_looked = true;
        let found = &self.found.violation;
        let places = places(found);
        let is_wrong =
            |violation: &Violation, step: &Step, state: &State| is_same(violation, found) && self.is_last(step, state);
        let is_bad = |state: &State| self.machine.deadlock(state).is_some_and(|waits| places == places_of(&waits));
        let goal = Goal {
            thread: (property != Property::Deadlock).then_some(found.thread),
            is_wrong: &is_wrong,
            is_bad: (property == Property::Deadlock).then_some(&is_bad),
        };
        let trace = Trace { steps: self.steps.clone(), ..self.found.trace.clone() };
        let mut left = MOST_NEW_STEPS;
        if let Some(steps) = fewer(&self.machine, &trace, &goal, &mut left, self.is_over) {
            self.steps = steps;
            self.kept.clear();
            self.keep_states(0);
        }
    }

    /// Changes the steps, if what comes out is smaller and goes wrong in the same way; what is before `from` is the same.
    fn try_steps(&mut self, from: usize, change: impl FnOnce(&[Step]) -> Vec<Step>) -> bool {
        let changed = change(&self.steps);
        if changed.len() == self.steps.len() && n_switches(&changed) >= n_switches(&self.steps) {
            return false;
        }
        let size = |steps: &[Step]| (n_switches(steps), steps.len());
        match self.runs(&changed, from) {
            Some(taken) if size(&taken) < size(&self.steps) => self.steps = taken,
            _ => return false,
        }
        self.keep_states(from);
        true
    }

    /// Runs steps that differ from the best ones only from `from` on: those that are taken until it goes wrong in the same way, if it does.
    fn runs(&mut self, steps: &[Step], from: usize) -> Option<Vec<Step>> {
        if self.left == 0 || (self.is_over)() {
            self.left = 0;
            return None;
        }
        let (mut at, mut state) = self.kept.iter().rfind(|(at, _)| *at <= from).cloned()?;
        let property = self.found.trace.violation;
        let mut taken = steps[..at].to_vec();
        while at < steps.len() {
            let step = &steps[at];
            let result = self.take(&mut state, step.thread, step.edge, &step.inputs);
            if matches!(result, StepResult::NotEnabled(NotEnabled::Assume(_) | NotEnabled::NotThere)) {
                at = self.detour(&mut state, steps, at, &mut taken)?;
                continue;
            }
            at += 1;
            taken.push(step.clone());
            match result {
                StepResult::Ok => {}
                StepResult::Violation(violation) if property != Property::Race => {
                    let is_same = is_same(&violation, &self.found.violation) && self.is_last(step, &state);
                    return is_same.then_some(taken);
                }
                // The last step to a race may end the process, or what follows it is undefined.
                StepResult::Ended(_) | StepResult::Beyond(_) if property == Property::Race && at == steps.len() => {}
                _ => return None,
            }
        }
        match property {
            Property::Race => self.races(taken),
            Property::Deadlock => {
                let waits = self.machine.deadlock(&state)?;
                (places_of(&waits) == places(&self.found.violation)).then_some(taken)
            }
            _ => None,
        }
    }

    fn take(&mut self, state: &mut State, thread: u32, edge: EdgeRef, inputs: &[(SiteId, Value)]) -> StepResult {
        self.left = self.left.saturating_sub(1);
        let property = Properties::of(&[self.found.trace.violation]);
        self.machine.step(state, thread, edge, &mut GivenInputs::new(inputs), property, None)
    }

    /// Other values may lead a thread along another branch. It goes on by itself from there until it comes to a place from which one of the next steps of its segment starts, or to where the
    /// segment ends; the number of the step that is next then.
    fn detour(&mut self, state: &mut State, steps: &[Step], at: usize, taken: &mut Vec<Step>) -> Option<usize> {
        let thread = steps[at].thread;
        let n_own = steps[at..].iter().take_while(|step| step.thread == thread).count();
        let own = &steps[at..at + n_own];
        let last = own.last()?;
        for _ in 0..MOST_DETOUR {
            // One that is to start later has nowhere to go on.
            state.threads.get(thread as usize)?;
            let Status::CanRun(edges) = self.machine.status(state, thread) else { return None };
            let edge = edges.into_iter().find(|edge| self.take(state, thread, *edge, &[]) == StepResult::Ok)?;
            taken.push(Step { thread, edge, inputs: Vec::new() });
            let frame = state.threads[thread as usize].top();
            let is_here = |proc, loc| frame.is_some_and(|frame| (frame.proc, frame.loc) == (proc, loc));
            let program = self.machine.program;
            let starts = |step: &Step| is_here(step.edge.proc, program.edge(step.edge).from);
            if let Some(next) = own.iter().skip(1).position(starts) {
                return Some(at + 1 + next);
            }
            if is_here(last.edge.proc, program.edge(last.edge).to) {
                return Some(at + n_own);
            }
        }
        None
    }

    /// Whether the step that goes wrong is on behalf of the same line of the user's program.
    fn is_last(&self, step: &Step, state: &State) -> bool {
        let own = self.found.violation.span;
        let span = Namer::new(&self.machine, state).user_span(step.thread as usize, own);
        span == own || last_place(self.found).is_none_or(|place| place == span)
    }

    /// Whether steps show the race; this takes a full replay, with what happens before what.
    fn races(&mut self, mut steps: Vec<Step>) -> Option<Vec<Step>> {
        self.left = self.left.saturating_sub(steps.len() * REPLAY_COST);
        let trace = Trace { steps: steps.clone(), ..self.found.trace.clone() };
        let replayed = replay(self.task, &trace).ok()?;
        let n_taken = replayed.trace.steps.len();
        let found = &self.found.violation;
        let shows = n_made(&replayed.violation, n_taken) >= n_made(found, self.found.trace.steps.len());
        let is_good = n_taken <= steps.len() && shows && is_same(&replayed.violation, found);
        steps.truncate(n_taken);
        is_good.then_some(steps)
    }

    /// Keeps states of the best steps; those up to `from` are known.
    fn keep_states(&mut self, from: usize) {
        self.kept.retain(|(at, _)| *at <= from);
        if self.kept.is_empty() {
            self.kept.push((0, self.machine.initial()));
        }
        let distance = self.steps.len() / MOST_KEPT + 1;
        let Some((mut at, mut state)) = self.kept.last().cloned() else { return };
        let property = Properties::of(&[self.found.trace.violation]);
        while at < self.steps.len() {
            let step = &self.steps[at];
            let mut inputs = GivenInputs::new(&step.inputs);
            let result = self.machine.step(&mut state, step.thread, step.edge, &mut inputs, property, None);
            if result != StepResult::Ok {
                return;
            }
            at += 1;
            if at.is_multiple_of(distance) {
                self.kept.push((at, state.clone()));
            }
        }
    }
}

/// Steps without those of a thread in a range.
fn without(steps: &[Step], range: std::ops::Range<usize>, thread: u32) -> Vec<Step> {
    let is_kept = |(at, step): &(usize, &Step)| !range.contains(at) || step.thread != thread;
    steps.iter().enumerate().filter(is_kept).map(|(_, step)| step.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::interp::run_random;
    use crate::program::Program;

    /// Two threads count, one update may be lost; a third one has nothing to do with it.
    fn lost_update() -> Program {
        let mut b = Builder::new();
        let (counter, other) = (b.global("counter", 0), b.global("other", 0));
        let worker = b.define("worker", |b| {
            let old = b.local("old");
            b.load(old, counter);
            let new = b.plus(old, 1);
            b.store(counter, new);
        });
        let idle = b.define("idle", |b| {
            for value in 0..5 {
                b.set(other, value);
            }
        });
        let main = b.define("main", |b| {
            let handles = b.start_all(&[idle, worker, worker]);
            b.join(handles[1]);
            b.join(handles[2]);
            let end = b.local("end");
            b.load(end, counter);
            let cond = b.is(end, 2);
            b.check(cond);
        });
        b.finish(main)
    }

    /// The executions that random schedules lead to, and what is made of them.
    fn shortened(program: &Program, property: Property) -> Vec<(Replayed, Replayed)> {
        let task = Task { program: program.clone(), properties: Properties::of(&[property]) };
        let run = |seed: u64| run_random(&task.program, task.properties, seed, 1000).trace();
        let traces = (0..100).filter_map(run);
        let pairs = traces.filter_map(|trace| {
            let found = replay(&task, &trace).ok()?;
            Some((found.clone(), shorten(&task, found, &|| false)))
        });
        pairs.collect()
    }

    #[test]
    fn a_lost_update_needs_four_switches_and_no_bystander() {
        let pairs = shortened(&lost_update(), Property::Assertion);
        assert!(pairs.iter().any(|(found, _)| n_switches(&found.trace.steps) > 8), "there is something to do");
        for (found, shorter) in pairs {
            assert!(is_same(&found.violation, &shorter.violation));
            // main, one who reads, the other who reads and writes, the first who writes, main
            assert_eq!(n_switches(&shorter.trace.steps), 4, "{:?}", shorter.trace.steps);
            assert!(shorter.trace.steps.iter().all(|step| step.thread != 1), "the idle thread does not matter");
        }
    }

    #[test]
    fn races_and_deadlocks_stay_where_they_are() {
        for (found, shorter) in shortened(&lost_update(), Property::Race) {
            assert!(is_same(&found.violation, &shorter.violation));
            assert!(n_switches(&shorter.trace.steps) <= n_switches(&found.trace.steps).min(3));
            let n_made = |run: &Replayed| n_made(&run.violation, run.trace.steps.len());
            assert!(n_made(&shorter) >= n_made(&found), "both accesses are shown");
        }
        let mut b = Builder::new();
        let (one, two) = (b.global("one", 0), b.global("two", 0));
        let worker = |b: &mut Builder, name: &str, first, second| {
            b.define(name, |b| {
                let old = b.local("old");
                b.await_change(old, first, 0, 1);
                b.await_change(old, second, 0, 1);
                b.set(second, 0);
                b.set(first, 0);
            })
        };
        let (left, right) = (worker(&mut b, "left", one, two), worker(&mut b, "right", two, one));
        let main = b.define("main", |b| {
            for handle in b.start_all(&[left, right]) {
                b.join(handle);
            }
        });
        let pairs = shortened(&b.finish(main), Property::Deadlock);
        assert!(!pairs.is_empty());
        for (found, shorter) in pairs {
            assert!(is_same(&found.violation, &shorter.violation));
            assert!(n_switches(&shorter.trace.steps) <= 2, "{:?}", shorter.trace.steps);
        }
    }

    #[test]
    fn rounds_that_change_nothing_are_left_out() {
        let mut b = Builder::new();
        let (flag, seen) = (b.global("flag", 0), b.global("seen", 0));
        let setter = b.define("setter", |b| b.set(flag, 1));
        let main = b.define("main", |b| {
            b.start_all(&[setter]);
            let value = b.local("value");
            b.repeat(
                |b| {
                    b.load(value, flag);
                    b.is(value, 0)
                },
                |b| b.set(seen, 0),
            );
            let never = b.is(value, 0);
            b.check(never);
        });
        let pairs = shortened(&b.finish(main), Property::Assertion);
        let longest = pairs.iter().map(|(found, _)| found.trace.steps.len()).max();
        let shortest = pairs.iter().map(|(_, shorter)| shorter.trace.steps.len()).min();
        assert!(longest > shortest);
        assert!(
            pairs.iter().all(|(_, shorter)| Some(shorter.trace.steps.len()) == shortest),
            "{longest:?} {shortest:?}"
        );
    }

    #[test]
    fn who_has_no_time_tells_what_was_found() {
        let task = Task { program: lost_update(), properties: Properties::of(&[Property::Assertion]) };
        let trace = (0..100).find_map(|seed| run_random(&task.program, task.properties, seed, 1000).trace());
        let found = replay(&task, &trace.expect("some seed goes wrong")).expect("it is true");
        assert_eq!(shorten(&task, found.clone(), &|| true).trace, found.trace);
    }
}
