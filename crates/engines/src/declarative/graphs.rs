//! How are the graphs of all threads built? Together: each grows alone, but for reads of tracked variables, which find what some write of any of them has written.
//!
//! Known as: MultiARG, with HandleMemoryEvent for tracked accesses \[Bajczi22, algorithms 2 and 3].
//!
//! A read is offered every value that a write of its variable has, as soon as there is such a write, and again whenever the graphs have grown: until then
//! the memory model may forbid every execution in which it is found (a negative fact), after that not. Facts go from negative to positive only, so this ends
//! when the values do, and at the end each negative fact holds of the graphs as they are. The printed algorithm takes from its
//! waiting set the initial states only; here it is drained.

use super::growing::{Graphs, Growing};
use super::lanes::{Anchor, Lanes};
use super::search::Search;
use super::steps::{Next, Steps};
use crate::Run;
use ir::{At, ThreadEvent, ThreadNode, Why};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Nodes of all graphs at most.
const MAX_NODES: usize = 4000;

impl Graphs {
    /// The graphs of a program under a model, with what the steps track.
    pub(super) fn build(steps: &mut Steps<'_>, search: &mut Search<'_>, run: &mut Run) -> Result<Graphs, Why> {
        let mut graphs = Graphs {
            threads: Vec::new(),
            waiting: Vec::new(),
            reads: Vec::new(),
            refuted: FxHashMap::default(),
            n_edges: 0,
            n_queries: 0,
            n_refuted: 0,
        };
        for thread in 0..steps.threads.len() as u32 {
            graphs.threads.push(Growing::default());
            graphs.add_node(thread, ThreadNode { at: At::Unborn, known: Vec::new(), facts: Vec::new() });
        }
        let first = steps.first(0, &[]).map_err(|why| run.why_stopped(why))?;
        graphs.add_edge(0, 0, None, first);
        graphs.drain(steps, run)?;
        while graphs.offer(steps, search, run)? {}
        graphs.n_refuted = graphs.refuted.len() as u64;
        Ok(graphs)
    }

    /// Follows all nodes that wait.
    fn drain(&mut self, steps: &mut Steps<'_>, run: &mut Run) -> Result<(), Why> {
        while let Some((thread, node)) = self.waiting.pop() {
            if let Some(why) = run.stop() {
                return Err(why);
            }
            if self.n_nodes() > MAX_NODES {
                return Err(Why::Bound(format!("the threads have more than {MAX_NODES} abstract states")));
            }
            let from = self.threads[thread as usize].nodes[node as usize].clone();
            match steps.next(thread, &from).map_err(|why| run.why_stopped(why))? {
                Next::Reads(var) => self.reads.push((thread, node, var)),
                Next::Edges(edges, starts) => {
                    for (event, to) in edges {
                        self.add_edge(thread, node, event, to);
                    }
                    if let Some((new, args)) = starts {
                        let first = steps.first(new, &args).map_err(|why| run.why_stopped(why))?;
                        self.add_edge(new, 0, Some(ThreadEvent::Begins), first);
                    }
                }
            }
        }
        Ok(())
    }

    /// Offers all values to all reads that do not have them; whether some read has one more.
    fn offer(&mut self, steps: &mut Steps<'_>, search: &mut Search<'_>, run: &mut Run) -> Result<bool, Why> {
        let mut has_grown = false;
        let mut at = 0;
        while at < self.reads.len() {
            let (thread, node, var) = self.reads[at];
            at += 1;
            let from = self.threads[thread as usize].nodes[node as usize].clone();
            for value in self.values(steps, var) {
                let mut ways = steps.after_read(thread, &from, &value).map_err(|why| run.why_stopped(why))?;
                let out = &self.threads[thread as usize];
                let known: Vec<_> =
                    out.out[node as usize].iter().map(|edge| out.edges[*edge as usize].event.clone()).collect();
                ways.retain(|(event, _)| !known.contains(event));
                let events: BTreeSet<ThreadEvent> = ways.iter().filter_map(|(event, _)| event.clone()).collect();
                for event in events {
                    let fact = (thread, node, event.clone());
                    if self.refuted.get(&fact) == Some(&self.n_edges) {
                        continue;
                    }
                    if !self.is_possible(steps, search, Anchor { thread, node, event: Some(event.clone()) }, run)? {
                        self.refuted.insert(fact, self.n_edges);
                        continue;
                    }
                    self.refuted.remove(&fact);
                    has_grown = true;
                    for (_, to) in ways.iter().filter(|(other, _)| other.as_ref() == Some(&event)) {
                        self.add_edge(thread, node, Some(event.clone()), to.clone());
                    }
                    self.drain(steps, run)?;
                }
            }
        }
        Ok(has_grown)
    }

    /// Whether the model allows an execution that gets there, as far as the graphs tell.
    pub(super) fn is_possible(
        &mut self,
        steps: &Steps<'_>,
        search: &mut Search<'_>,
        anchor: Anchor,
        run: &mut Run,
    ) -> Result<bool, Why> {
        self.n_queries += 1;
        search.found = None;
        let Some(lanes) = Lanes::new(self, steps, anchor) else { return Ok(true) };
        search.is_possible(&lanes, run)
    }
}
