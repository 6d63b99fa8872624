//! Can a program run for ever? Is there a reachable loop of states that a fair scheduler can go round for ever?
//!
//! A loop is fair if every thread takes a step in it or cannot run somewhere in it (weak fairness); a thread that spins
//! while another one is never scheduled does not count. Such a loop exists exactly if a strongly connected component
//! has, for each thread, an inner step of it or a state where it cannot run.

use crate::verdict::Step;
use logic::Components;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The reachable states and steps; state 0 is the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    states: Vec<StateNode>,
}

#[derive(Clone, Debug, Default)]
struct StateNode {
    can_run: FxHashSet<u32>,
    n_threads: usize,
    steps: Vec<(Step, usize)>,
}

impl Graph {
    /// Adds the next state: who can run there.
    pub(crate) fn add_state(&mut self, id: usize, can_run: impl Iterator<Item = u32>, n_threads: usize) {
        assert_eq!(id, self.states.len(), "states are added in order");
        self.states.push(StateNode { can_run: can_run.collect(), n_threads, steps: Vec::new() });
    }

    /// Adds a step between two states.
    pub(crate) fn add_step(&mut self, from: usize, to: usize, step: Step) {
        self.states[from].steps.push((step, to));
    }

    /// The steps to a fair loop and once around it.
    pub(crate) fn fair_lasso(&self) -> Option<Vec<Step>> {
        let next = |state: usize| self.states[state].steps.iter().map(|(_, to)| *to);
        Components::new(self.states.len(), next).members().find_map(|members| {
            let inside: FxHashSet<usize> = members.iter().copied().collect();
            self.fair_loop(&inside, *members.iter().min()?)
        })
    }

    /// A fair loop through a component, with the way to it.
    fn fair_loop(&self, inside: &FxHashSet<usize>, first: usize) -> Option<Vec<Step>> {
        // Whoever shares a component has a step inside of it; one alone may have none.
        self.states[first].steps.iter().find(|(_, to)| inside.contains(to))?;
        let mut steps = self.way(0, |state, _| state == first, |_| true)?.0;
        let mut at = first;
        for thread in 0..self.states[first].n_threads as u32 {
            let rests = |state: usize| !self.states[state].can_run.contains(&thread);
            let moves = |step: &Step| step.thread == thread;
            let is_met = |state: usize, last: Option<&Step>| rests(state) || last.is_some_and(moves);
            let (more, end) = self.way(at, is_met, |state| inside.contains(&state))?;
            steps.extend(more);
            at = end;
        }
        let (back, _) = self.loop_back(at, first, inside)?;
        steps.extend(back);
        Some(steps)
    }

    /// From `at` to `first` by at least one step, unless steps were taken since.
    fn loop_back(&self, at: usize, first: usize, inside: &FxHashSet<usize>) -> Option<(Vec<Step>, usize)> {
        self.way(at, |state, last| state == first && last.is_some(), |state| inside.contains(&state))
    }

    /// A shortest way from a state to one that is met, told the last step (none at the start itself).
    fn way(
        &self,
        from: usize,
        is_met: impl Fn(usize, Option<&Step>) -> bool,
        may_enter: impl Fn(usize) -> bool,
    ) -> Option<(Vec<Step>, usize)> {
        if is_met(from, None) {
            return Some((Vec::new(), from));
        }
        let mut came_by: Vec<Option<(usize, usize)>> = vec![None; self.states.len()];
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for (index, (step, to)) in self.states[state].steps.iter().enumerate() {
                if !may_enter(*to) {
                    continue;
                }
                if is_met(*to, Some(step)) {
                    let mut steps = vec![step.clone()];
                    let mut back = state;
                    while back != from {
                        let (before, index) = came_by[back].expect("every queued state was come to");
                        steps.push(self.states[before].steps[index].0.clone());
                        back = before;
                    }
                    steps.reverse();
                    return Some((steps, *to));
                }
                if *to != from && came_by[*to].is_none() {
                    came_by[*to] = Some((state, index));
                    queue.push_back(*to);
                }
            }
        }
        None
    }
}
