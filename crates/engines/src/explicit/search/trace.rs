//! How did the search get here? The edges of the lowered program that its stack stands for.
//!
//! Each frame took one edge of the prepared program with some choices; running it again tells the inputs. The edge's
//! origins are the steps, and the inputs belong, in order, to the statements of the origins. The last step may go wrong in the
//! middle of its edge: then the trace is longer than needed. Where threads were exchanged on the
//! way (`symmetry`), the trace has the numbers that they got when they were started.
//!
//! Invariant: replaying the steps on the lowered program reaches the violation; `decide` checks it.

use super::{Found, Racer, Search};
use crate::explicit::state::View;
use crate::explicit::state::visited::StateId;
use crate::explicit::step::{Choices, StepResult, vary};
use ir::pass::Commits;
use ir::{EdgeRef, Program, Property, SiteId, Step, Trace};
use logic::Value;
use std::collections::VecDeque;
use std::rc::Rc;

/// The trace to what was found.
pub(crate) fn trace(search: &mut Search<'_>, lowered: &Program, found: Found) -> Trace {
    let last = search.stack.len().saturating_sub(1);
    let numbers = numbers(search);
    let mut tracer = Tracer { search, lowered, numbers, steps: Vec::new(), commits: Commits::default() };
    let violation = match found {
        Found::Step(property, _) => {
            // The statement may stand in the edge more than once; what follows it is never run.
            tracer.take_frames(0, last + 1);
            property
        }
        Found::Deadlock => {
            tracer.take_frames(0, last);
            Property::Deadlock
        }
        Found::Stuck => {
            tracer.take_frames(0, last);
            Property::Termination
        }
        Found::Lasso(lasso) => {
            // What does not matter, and so is no part of states, may differ at first; after a few rounds it repeats.
            let n_rounds = (MAX_AROUND / lasso.around.len().max(1)).clamp(3, 9);
            for taken in lasso.way.iter().chain(lasso.around.iter().cycle().take(n_rounds * lasso.around.len())) {
                tracer.take(taken.state, (taken.thread, taken.thread), taken.edge, taken.choices.clone(), None);
            }
            Property::Termination
        }
        Found::Race(racers) => {
            tracer.take_race(last, *racers);
            Property::Race
        }
    };
    Trace { commits: tracer.commits.found, ..Trace::new(violation, tracer.steps) }
}

/// Steps of a loop that a trace shows, in all its rounds.
const MAX_AROUND: usize = 1000;

/// For each frame, the numbers that the threads of its state had when they were started; those that are not listed have kept theirs.
fn numbers(search: &Search<'_>) -> Vec<Rc<[u32]>> {
    let mut numbers: Rc<[u32]> = Rc::new([]);
    let frames = search.stack.iter().map(|frame| {
        if let Some(exchanged) = &frame.exchanged {
            let before = numbers.clone();
            let number = |thread: &u16| before.get(*thread as usize).copied().unwrap_or(u32::from(*thread));
            numbers = exchanged.iter().map(number).collect();
        }
        numbers.clone()
    });
    frames.collect()
}

struct Tracer<'s, 'c> {
    search: &'s mut Search<'c>,
    lowered: &'s Program,
    numbers: Vec<Rc<[u32]>>,
    steps: Vec<Step>,
    /// When stores reach memory, where buffers are written into the program.
    commits: Commits,
}

impl Tracer<'_, '_> {
    fn take_frames(&mut self, from: usize, to: usize) {
        for index in from..to {
            self.take_frame(index, None);
        }
    }

    /// The step of a frame, up to a statement.
    fn take_frame(&mut self, index: usize, until: Option<SiteId>) {
        let frame = &self.search.stack[index];
        let (thread, edge, choices) = (frame.thread, frame.edge, frame.choices.clone());
        let number = self.number(index, thread);
        self.take(self.search.stack[index].state, (thread, number), edge, choices, until);
    }

    /// The number that a thread of a frame's state was started with.
    fn number(&self, index: usize, thread: usize) -> usize {
        self.numbers[index].get(thread).map_or(thread, |number| *number as usize)
    }

    /// The thread of a frame's state that was started with a number.
    fn thread(&self, index: usize, number: usize) -> usize {
        self.numbers[index].iter().position(|other| *other as usize == number).unwrap_or(number)
    }

    /// The way to the last state, and both accesses.
    fn take_race(&mut self, last: usize, [first, second]: [Racer; 2]) {
        let (held, other) = if second.is_inside { (second, first) } else { (first, second) };
        let number = self.number(last, held.thread);
        let is_held = |this: &Self, index: usize| {
            let holder = this.view(this.search.stack[index].state).holder;
            holder.is_some_and(|holder| this.number(index, holder) == number)
        };
        let moves = |this: &Self, index: usize| this.number(index, this.search.stack[index].thread) == number;
        // If one is inside an atomic section, which may never end, the other goes first, before the section begins: it has
        // been waiting there since.
        let mut begin = last;
        while begin > 0 && is_held(self, begin) && moves(self, begin - 1) {
            begin -= 1;
        }
        let thread = self.thread(begin, self.number(last, other.thread));
        if thread >= self.view(self.search.stack[begin].state).pcs.len() {
            self.take_frames(0, last);
            return self.take_section(last, &held, &other);
        }
        self.take_frames(0, begin);
        self.take_racer(begin, &Racer { thread, ..other }, true);
        self.take_frames(begin, last);
        self.take_racer(last, &held, false);
    }

    /// The section that the last state is inside of, with its access, to its end, and then the access of the other thread. For one that the
    /// section itself has started, there is no earlier moment.
    fn take_section(&mut self, last: usize, held: &Racer, other: &Racer) {
        let numbers = [held, other].map(|racer| self.number(last, racer.thread));
        let mut state = self.search.flat(self.search.stack[last].state);
        let mut step = Some((held.edge, held.choices.clone()));
        for _ in 0..MAX_AROUND {
            let Some((edge, choices)) = step else { break };
            self.take_bytes(&state, (held.thread, numbers[0]), edge, choices, None);
            state = self.search.runner.machine.next().to_vec();
            let mut view = View::default();
            self.search.code.view(&state, &mut view);
            step = match view.holder {
                Some(holder) if holder == held.thread => self.any_step(&state, &view, holder),
                _ => None,
            };
        }
        let until = Some(other.site);
        self.take_bytes(&state, (other.thread, numbers[1]), other.edge, other.choices.clone(), until);
    }

    /// A step of a thread that leads to a state.
    fn any_step(&mut self, state: &[u8], view: &View, thread: usize) -> Option<(u32, Choices)> {
        let search = &mut *self.search;
        let (first, end) = search.code.locs[view.pcs[thread] as usize].edges;
        (first..end).find_map(|edge| {
            let mut choices = Choices::new();
            loop {
                if search.runner.machine.run(state, view, thread, edge as usize, &mut choices) == StepResult::Next {
                    return Some((edge, choices));
                }
                if !vary(&mut choices) {
                    return None;
                }
            }
        })
    }

    /// The step with an access: all of it if that is wanted and leads to a state.
    fn take_racer(&mut self, index: usize, racer: &Racer, is_whole: bool) {
        let view = self.view(self.search.stack[index].state);
        let state = self.search.flat(self.search.stack[index].state);
        let mut choices = racer.choices.clone();
        let outcome = self.search.runner.machine.run(&state, &view, racer.thread, racer.edge as usize, &mut choices);
        let until = Some(racer.site).filter(|_| !is_whole || outcome != StepResult::Next);
        let threads = (racer.thread, self.number(index, racer.thread));
        self.take(self.search.stack[index].state, threads, racer.edge, choices, until);
    }

    /// An input that was chosen later than it was read: it belongs to the thread's last step with that statement.
    fn add_earlier(&mut self, thread: u32, input: (SiteId, Value)) {
        let lowered = self.lowered;
        let reads = |step: &&mut Step| {
            step.thread == thread && lowered.edge(step.edge).stmts.iter().any(|stmt| stmt.site == input.0)
        };
        if let Some(step) = self.steps.iter_mut().rev().find(reads) {
            step.inputs.push(input);
        }
    }

    fn view(&self, state: StateId) -> View {
        let mut view = View::default();
        self.search.code.view(&self.search.flat(state), &mut view);
        view
    }

    /// A thread, given with the number it was started with, takes an edge in a state, or its origins up to the one with a statement.
    fn take(&mut self, state: StateId, threads: (usize, usize), edge: u32, choices: Choices, until: Option<SiteId>) {
        let state = self.search.flat(state);
        self.take_bytes(&state, threads, edge, choices, until);
    }

    fn take_bytes(
        &mut self,
        state: &[u8],
        (thread, number): (usize, usize),
        edge: u32,
        mut choices: Choices,
        until: Option<SiteId>,
    ) {
        let mut view = View::default();
        self.search.code.view(state, &mut view);
        self.search.runner.machine.run(state, &view, thread, edge as usize, &mut choices);
        let mut inputs: VecDeque<(SiteId, Value)> = self.search.runner.machine.inputs().to_vec().into();
        let edge_ref = self.search.code.edges[edge as usize].edge;
        for _ in 0..self.search.code.sunk[edge_ref.proc.index()][edge_ref.edge.index()] {
            if let Some(input) = inputs.pop_front() {
                self.add_earlier(number as u32, input);
            }
        }
        let edge = self.search.code.program.edge(edge_ref);
        self.commits.take(self.lowered, &self.search.code.program, number as u32, edge, self.steps.len());
        // A statement may be there several times, from several calls; what comes after the one that matters does no harm.
        let has = |origin: &EdgeRef, site| self.lowered.edge(*origin).stmts.iter().any(|stmt| stmt.site == site);
        let last = until.and_then(|site| edge.origin.iter().rposition(|origin| has(origin, site)));
        for (index, origin) in edge.origin.iter().enumerate() {
            let stmts = &self.lowered.edge(*origin).stmts;
            let mut own = Vec::new();
            for stmt in stmts {
                if inputs.front().is_some_and(|(site, _)| *site == stmt.site) {
                    own.extend(inputs.pop_front());
                }
            }
            self.steps.push(Step { thread: number as u32, edge: *origin, inputs: own });
            if last == Some(index) {
                break;
            }
        }
    }
}
