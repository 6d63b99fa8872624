//! Can the program run for ever? Is there a loop of states that a fair scheduler can go round?
//!
//! Known as: non-termination, liveness under fairness, fair strongly connected components \[Tarjan72], lassos.
//!
//! A loop is fair if every thread takes a step in it or cannot run somewhere in it. Such a loop exists exactly if a strongly
//! connected component of the state graph has, for each thread, an inner step of it or a state in which it cannot run: going
//! through all of the component is then such a loop. So all steps are kept, without reduction, and looked at when all
//! states are known.
//!
//! Invariant: the definition is that of `ir::interp`, which confirms the loop that is found by running it.

use crate::explicit::state::visited::StateId;
use crate::explicit::step::Choices;
use crate::explore::por::threads::ThreadSet;
use logic::Components;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, VecDeque};

/// A step between two states, by their numbers in the graph.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    from: u32,
    to: u32,
    pub(crate) thread: usize,
    pub(crate) edge: u32,
    pub(crate) choices: Choices,
}

/// All states and steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Each state: where it is kept, who can run in it, and how many threads there are.
    states: Vec<(StateId, ThreadSet, usize)>,
    arcs: Vec<Arc>,
}

/// A way to a loop, and the loop; each step with the state it is taken in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Lasso {
    pub(crate) way: Vec<Taken>,
    pub(crate) around: Vec<Taken>,
}

/// A step taken in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    pub(crate) state: StateId,
    pub(crate) thread: usize,
    pub(crate) edge: u32,
    pub(crate) choices: Choices,
}

impl Graph {
    /// Adds a state and gives its number.
    pub(crate) fn add_state(&mut self, state: StateId, n_threads: usize) -> u32 {
        self.states.push((state, ThreadSet::default(), n_threads));
        self.states.len() as u32 - 1
    }

    /// Says who can run in a state.
    pub(crate) fn set_can_run(&mut self, state: u32, threads: ThreadSet) {
        self.states[state as usize].1 = threads;
    }

    /// Adds a step.
    pub(crate) fn add_arc(&mut self, from: u32, to: u32, thread: usize, edge: u32, choices: Choices) {
        self.arcs.push(Arc { from, to, thread, edge, choices });
    }

    /// A fair loop, if there is one.
    pub(crate) fn fair_lasso(&mut self) -> Option<Lasso> {
        self.arcs.sort_by_key(|arc| arc.from);
        let mut first = vec![self.arcs.len(); self.states.len() + 1];
        for (index, arc) in self.arcs.iter().enumerate().rev() {
            first[arc.from as usize] = index;
        }
        for state in (0..self.states.len()).rev() {
            first[state] = first[state].min(first[state + 1]);
        }
        let looker = Looker { graph: self, first };
        let next = |state: usize| looker.arcs(state as u32).map(|arc| self.arcs[arc].to as usize);
        let component = Components::new(self.states.len(), next).of;
        // Most components are one state without a step to itself; only the others have loops.
        let mut starts = BTreeMap::new();
        for arc in &self.arcs {
            if component[arc.from as usize] == component[arc.to as usize] {
                starts.entry(component[arc.from as usize]).or_insert(arc.from);
            }
        }
        starts.values().find_map(|start| looker.fair_loop(*start, &component))
    }
}

struct Looker<'g> {
    graph: &'g Graph,
    /// Where the steps of each state start.
    first: Vec<usize>,
}

impl Looker<'_> {
    fn arcs(&self, state: u32) -> std::ops::Range<usize> {
        self.first[state as usize]..self.first[state as usize + 1]
    }

    /// A fair loop through a state that is on some loop.
    fn fair_loop(&self, start: u32, component: &[u32]) -> Option<Lasso> {
        let inside = |state: u32| component[state as usize] == component[start as usize];
        let n_threads = self.graph.states[start as usize].2;
        let anywhere = |_: u32| true;
        let mut around: Vec<usize> = Vec::new();
        let mut at = start;
        for thread in 0..n_threads {
            let rests = |state: u32| !self.graph.states[state as usize].1.contains(thread);
            let moves = |arc: usize| self.graph.arcs[arc].thread == thread;
            let so_far = around.iter().any(|arc| moves(*arc) || rests(self.graph.arcs[*arc].to));
            if so_far || rests(at) {
                continue;
            }
            let way = self.way(at, &inside, &|arc| moves(arc) || rests(self.graph.arcs[arc].to))?;
            at = self.graph.arcs[*way.last()?].to;
            around.extend(way);
        }
        if around.is_empty() || at != start {
            let back = self.way(at, &inside, &|arc| self.graph.arcs[arc].to == start)?;
            around.extend(back);
        }
        let way =
            if start == 0 { Vec::new() } else { self.way(0, &anywhere, &|arc| self.graph.arcs[arc].to == start)? };
        let taken = |arc: &usize| {
            let Arc { from, thread, edge, choices, .. } = &self.graph.arcs[*arc];
            let state = self.graph.states[*from as usize].0;
            Taken { state, thread: *thread, edge: *edge, choices: choices.clone() }
        };
        Some(Lasso { way: way.iter().map(taken).collect(), around: around.iter().map(taken).collect() })
    }

    /// A shortest way from a state through some states whose last step is wanted.
    fn way(&self, from: u32, inside: &dyn Fn(u32) -> bool, is_wanted: &dyn Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut came_by = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        came_by.insert(from, usize::MAX);
        while let Some(state) = queue.pop_front() {
            for arc in self.arcs(state) {
                let to = self.graph.arcs[arc].to;
                if !inside(to) {
                    continue;
                }
                if is_wanted(arc) {
                    let mut way = vec![arc];
                    let mut at = state;
                    while at != from {
                        way.push(came_by[&at]);
                        at = self.graph.arcs[came_by[&at]].from;
                    }
                    way.reverse();
                    return Some(way);
                }
                if let Entry::Vacant(entry) = came_by.entry(to) {
                    entry.insert(arc);
                    queue.push_back(to);
                }
            }
        }
        None
    }
}
