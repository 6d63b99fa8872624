//! Is there an execution that goes wrong in the same way and changes threads less often? Moving the segments of the one that was found about cannot tell: it keeps the inputs, and it
//! changes one thing at a time. This looks for another one from the start.
//!
//! A depth-first search over the reference interpreter that counts, as it goes, the changes of threads and those among them that are preemptions: the thread could have gone on. First all
//! executions without preemptions, then with one, and so on, and only those that change threads less often than the best one so far. Most of what goes wrong does so with two
//! preemptions or fewer, and there are few such executions, while those with many are without number. Threads are preempted only where they touch what is shared: elsewhere it makes no
//! difference. Inputs are the numbers that the execution had, and zero and one.
//!
//! Nothing rests on this being complete: what is not found leaves the execution as it was, and what is found is replayed like any other. A state is known by its hash alone; at worst one that
//! was not seen is taken for one that was. What is spent is counted in steps, so that the result is always the same.
//! Known as: iterative context bounding \[Musuvathi07].

use crate::access::edge_accesses;
use crate::interp::{Domain, GivenInputs, Machine, State, Status, StepResult, Violation, for_all_inputs};
use crate::program::{EdgeRef, Program};
use crate::property::Properties;
use crate::stmt::Op;
use crate::verdict::{Step, Trace};
use logic::Value;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// How many numbers inputs range over.
const MOST_NUMBERS: usize = 6;
/// How many preemptions are tried.
const MOST_PREEMPTIONS: usize = 4;
/// An execution with fewer changes of threads may have more steps than the one that was found, but not many more.
const MORE_STEPS: usize = 50;

/// What is looked for.
pub(super) struct Goal<'a> {
    /// The thread that goes wrong, if it is one.
    pub(super) thread: Option<u32>,
    /// Whether a step goes wrong as it should.
    pub(super) is_wrong: &'a dyn Fn(&Violation, &Step, &State) -> bool,
    /// Whether a state does.
    pub(super) is_bad: Option<&'a dyn Fn(&State) -> bool>,
}

/// Steps with fewer changes of threads than `trace` that come to the goal, if some are found with at most `left` steps of the interpreter.
pub(super) fn fewer(
    machine: &Machine<'_>,
    trace: &Trace,
    goal: &Goal<'_>,
    left: &mut usize,
    is_over: &dyn Fn() -> bool,
) -> Option<Vec<Step>> {
    let mut search = Search {
        machine,
        goal,
        property: Properties::of(&[trace.violation]),
        domain: numbers_of(trace),
        most: super::n_switches(&trace.steps).checked_sub(1)?,
        longest: 2 * trace.steps.len() + MORE_STEPS,
        taken: Vec::new(),
        seen: FxHashMap::default(),
        best: None,
    };
    let mut n_before = None;
    for n_preemptions in 0..=MOST_PREEMPTIONS {
        if !search.explore(n_preemptions, left, is_over) {
            break;
        }
        // One more changes nothing where none was left out for want of it.
        if n_before == Some(search.seen.len()) {
            break;
        }
        n_before = Some(search.seen.len());
    }
    search.best
}

/// How often a thread is interrupted: it could go on, another one runs, and it does go on later. Nothing if that is not known, as under weak models. A thread whose further steps do not
/// matter, so that they were left out, is not interrupted; nor is one that waits or ends.
pub fn n_preemptions(program: &Program, trace: &Trace) -> Option<usize> {
    let machine = Machine::new(program);
    let mut state = machine.initial();
    let mut n_preemptions = 0;
    for (at, step) in trace.steps.iter().enumerate() {
        if at > 0 && trace.steps[at - 1].thread != step.thread {
            let before = trace.steps[at - 1].thread;
            let goes_on = trace.steps[at..].iter().any(|later| later.thread == before);
            n_preemptions += usize::from(goes_on && matches!(machine.status(&state, before), Status::CanRun(_)));
        }
        let mut inputs = GivenInputs::new(&step.inputs);
        let result =
            machine.step(&mut state, step.thread, step.edge, &mut inputs, Properties::of(&[trace.violation]), None);
        match result {
            StepResult::Ok => {}
            _ if at + 1 == trace.steps.len() => {}
            _ => return None,
        }
    }
    Some(n_preemptions)
}

/// The numbers that inputs range over: zero, one and what the execution had.
fn numbers_of(trace: &Trace) -> Domain {
    let mut numbers = vec![0, 1];
    let values = trace.steps.iter().flat_map(|step| &step.inputs).filter_map(|(_, value)| match value {
        Value::Bv(bits) => bits.to_u64(),
        _ => None,
    });
    for number in values {
        if numbers.len() < MOST_NUMBERS && !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Domain::Values(numbers)
}

struct Search<'a, 'p> {
    machine: &'a Machine<'p>,
    goal: &'a Goal<'a>,
    property: Properties,
    domain: Domain,
    /// How many changes of threads are allowed.
    most: usize,
    longest: usize,
    /// Steps with the ones before them, as a tree.
    taken: Vec<(Option<usize>, Step)>,
    /// With how few preemptions and changes of threads a state was reached, by its hash and who ran last.
    seen: FxHashMap<(u64, u32), Vec<(usize, usize)>>,
    best: Option<Vec<Step>>,
}

#[derive(Clone)]
struct Node {
    state: State,
    /// Who runs.
    thread: u32,
    /// The last step, in the tree.
    last: Option<usize>,
    n_steps: usize,
    n_switches: usize,
    n_preemptions: usize,
}

impl Search<'_, '_> {
    /// Looks through the executions with at most so many preemptions; whether it came to an end.
    fn explore(&mut self, most_preemptions: usize, left: &mut usize, is_over: &dyn Fn() -> bool) -> bool {
        self.seen.clear();
        self.taken.clear();
        let state = self.machine.initial();
        let mut stack = vec![Node { state, thread: 0, last: None, n_steps: 0, n_switches: 0, n_preemptions: 0 }];
        while let Some(node) = stack.pop() {
            if *left == 0 || is_over() {
                *left = 0;
                return false;
            }
            if self.is_hopeless(&node) {
                continue;
            }
            if self.goal.is_bad.is_some_and(|is_bad| is_bad(&node.state)) {
                self.found(node.last, None);
                continue;
            }
            let can_run = match self.machine.status(&node.state, node.thread) {
                Status::CanRun(edges) => edges,
                _ => Vec::new(),
            };
            let is_visible = |edge: &EdgeRef| is_visible(self.machine.program, *edge);
            if can_run.is_empty() || can_run.iter().any(is_visible) {
                if self.was_seen(&node) {
                    continue;
                }
                self.switch(&node, !can_run.is_empty(), most_preemptions, &mut stack);
            }
            // What is pushed last is looked at first: the thread goes on.
            for edge in can_run.into_iter().rev() {
                self.go_on(&node, edge, left, &mut stack);
            }
        }
        true
    }

    /// Whether it cannot come to the goal with fewer changes of threads than the best.
    fn is_hopeless(&self, node: &Node) -> bool {
        let must_change = self.goal.thread.is_some_and(|thread| thread != node.thread);
        node.n_switches + usize::from(must_change) > self.most || node.n_steps > self.longest
    }

    fn was_seen(&mut self, node: &Node) -> bool {
        let mut hasher = FxHasher::default();
        node.state.hash(&mut hasher);
        let costs = self.seen.entry((hasher.finish(), node.thread)).or_default();
        if costs
            .iter()
            .any(|(preemptions, switches)| *preemptions <= node.n_preemptions && *switches <= node.n_switches)
        {
            return true;
        }
        costs.push((node.n_preemptions, node.n_switches));
        false
    }

    /// Lets another thread run, if the running one may be left here.
    fn switch(&self, node: &Node, can_run: bool, most_preemptions: usize, stack: &mut Vec<Node>) {
        let n_preemptions = node.n_preemptions + usize::from(can_run);
        // Who has just come to run takes a step first.
        let is_at_start = node.last.is_none_or(|last| self.taken[last].1.thread != node.thread);
        if n_preemptions > most_preemptions || is_at_start || node.n_switches >= self.most {
            return;
        }
        let is_held = self.machine.excludes_others(&node.state).is_some_and(|holder| holder == node.thread);
        if is_held || node.state.end.is_some() {
            return;
        }
        for thread in (0..node.state.threads.len() as u32).rev().filter(|thread| *thread != node.thread) {
            if matches!(self.machine.status(&node.state, thread), Status::CanRun(_)) {
                stack.push(Node { thread, n_switches: node.n_switches + 1, n_preemptions, ..node.clone() });
            }
        }
    }

    /// The running thread takes an edge, with all inputs.
    fn go_on(&mut self, node: &Node, edge: EdgeRef, left: &mut usize, stack: &mut Vec<Node>) {
        let mut after = Vec::new();
        let machine = self.machine;
        for_all_inputs(&self.domain, |inputs| {
            let mut state = node.state.clone();
            let result = machine.step(&mut state, node.thread, edge, inputs, self.property, None);
            *left = left.saturating_sub(1);
            let values = inputs.taken.iter().map(|choice| (choice.site, choice.value.clone())).collect();
            after.push((result, state, Step { thread: node.thread, edge, inputs: values }));
        });
        for (result, state, step) in after.into_iter().rev() {
            match result {
                StepResult::Ok if state.end.is_none() => {
                    self.taken.push((node.last, step));
                    let last = Some(self.taken.len() - 1);
                    stack.push(Node { state, last, n_steps: node.n_steps + 1, ..*node });
                }
                StepResult::Violation(violation)
                    if node.n_switches <= self.most && (self.goal.is_wrong)(&violation, &step, &state) =>
                {
                    self.found(node.last, Some(step));
                }
                _ => {}
            }
        }
    }

    /// Keeps an execution; from now on only better ones are looked for.
    fn found(&mut self, mut last: Option<usize>, end: Option<Step>) {
        let mut steps: Vec<Step> = end.into_iter().collect();
        while let Some(at) = last {
            steps.push(self.taken[at].1.clone());
            last = self.taken[at].0;
        }
        steps.reverse();
        let n_switches = super::n_switches(&steps);
        if n_switches <= self.most {
            // With none there is nothing left to look for, and the search ends by itself.
            self.most = n_switches.saturating_sub(1);
            self.best = Some(steps);
        }
    }
}

/// Whether others can tell when an edge is taken.
fn is_visible(program: &Program, edge: EdgeRef) -> bool {
    let orders = |op: &Op| {
        matches!(op, Op::AtomicBegin | Op::Start { .. } | Op::Join { .. } | Op::ExitThread(_) | Op::ExitProcess { .. })
    };
    edge_accesses(program, edge).next().is_some() || program.edge(edge).stmts.iter().any(|stmt| orders(&stmt.op))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::Builder;
    use crate::interp::run_random;
    use crate::property::Property;
    use crate::verdict::Task;

    /// A worker who writes what an input says, and a reader: wrong if the reader sees a one, which the worker need not be interrupted for.
    fn program() -> Program {
        let mut b = Builder::new();
        let (flag, other) = (b.global("flag", 0), b.global("other", 0));
        let worker = b.define("worker", |b| {
            b.set(flag, 1);
            b.set(other, 1);
            b.set(other, 2);
        });
        let main = b.define("main", |b| {
            let handles = b.start_all(&[worker]);
            b.set(other, 3);
            b.join(handles[0]);
            let end = b.local("end");
            b.load(end, flag);
            let cond = b.is(end, 0);
            b.check(cond);
        });
        b.finish(main)
    }

    fn runs() -> Vec<Trace> {
        let program = program();
        let task = Task { properties: Properties::of(&[Property::Assertion]), program };
        (0..50).filter_map(|seed| run_random(&task.program, task.properties, seed, 1000).trace()).collect()
    }

    #[test]
    fn another_execution_is_found_from_the_start() {
        let program = program();
        let machine = Machine::new(&program);
        let is_wrong = |violation: &Violation, _: &Step, _: &State| violation.property == Property::Assertion;
        let goal = Goal { thread: Some(0), is_wrong: &is_wrong, is_bad: None };
        let wide = runs().into_iter().filter(|trace| crate::n_switches(&trace.steps) > 2);
        let all: Vec<Trace> = wide.collect();
        assert!(!all.is_empty());
        for trace in all {
            let steps = fewer(&machine, &trace, &goal, &mut 10_000, &|| false).expect("two switches do");
            assert_eq!(crate::n_switches(&steps), 2);
            let shorter = Trace { steps, ..trace.clone() };
            assert_eq!(n_preemptions(&program, &shorter), Some(0), "main waits, and the worker ends");
            assert!(fewer(&machine, &shorter, &goal, &mut 10_000, &|| false).is_none(), "it is the least");
            assert!(fewer(&machine, &trace, &goal, &mut 0, &|| false).is_none(), "nothing may be spent");
        }
    }

    #[test]
    fn interruptions_are_told_from_ends() {
        let most = runs().iter().filter_map(|trace| n_preemptions(&program(), trace)).max();
        assert!(most.is_some_and(|most| most > 0));
    }
}
