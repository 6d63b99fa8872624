//! What are the graphs of all threads? Nodes and edges, as far as they have grown.

use super::steps::Steps;
use ir::{At, Known, ThreadEdge, ThreadEvent, ThreadGraph, ThreadGraphs, ThreadNode};
use logic::VarId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The graph of a thread while it grows.
#[derive(Default)]
pub(super) struct Growing {
    pub(super) nodes: Vec<ThreadNode>,
    index: FxHashMap<ThreadNode, u32>,
    pub(super) edges: Vec<ThreadEdge>,
    /// The edges that leave each node.
    pub(super) out: Vec<Vec<u32>>,
}

/// The graphs of all threads.
pub(super) struct Graphs {
    pub(super) threads: Vec<Growing>,
    /// Nodes that have not been looked at.
    pub(super) waiting: Vec<(u32, u32)>,
    /// Nodes that read, with the variable.
    pub(super) reads: Vec<(u32, u32, VarId)>,
    /// Facts that were negative when the graphs had so many edges.
    pub(super) refuted: FxHashMap<(u32, u32, ThreadEvent), usize>,
    pub(super) n_edges: usize,
    pub(super) n_queries: u64,
    pub(super) n_refuted: u64,
}

impl Graphs {
    pub(super) fn add_node(&mut self, thread: u32, node: ThreadNode) -> u32 {
        let graph = &mut self.threads[thread as usize];
        if let Some(&known) = graph.index.get(&node) {
            return known;
        }
        let new = graph.nodes.len() as u32;
        graph.index.insert(node.clone(), new);
        graph.nodes.push(node);
        graph.out.push(Vec::new());
        self.waiting.push((thread, new));
        new
    }

    pub(super) fn add_edge(&mut self, thread: u32, from: u32, event: Option<ThreadEvent>, to: ThreadNode) {
        let to = self.add_node(thread, to);
        let graph = &mut self.threads[thread as usize];
        let edge = ThreadEdge { from, to, event };
        if graph.out[from as usize].iter().any(|other| graph.edges[*other as usize] == edge) {
            return;
        }
        graph.out[from as usize].push(graph.edges.len() as u32);
        graph.edges.push(edge);
        self.n_edges += 1;
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.threads.iter().map(|graph| graph.nodes.len()).sum()
    }

    /// The values that a variable may have.
    pub(super) fn values(&self, steps: &Steps<'_>, var: VarId) -> BTreeSet<Known> {
        let initial = steps.program.var(var).init.clone().map_or(Known::Anything, Known::Exactly);
        let edges = self.threads.iter().flat_map(|graph| &graph.edges);
        let written = edges.filter_map(|edge| edge.event.as_ref()?.writes()).filter(|(other, _)| *other == var);
        written.map(|(_, value)| value.clone()).chain([initial]).collect()
    }

    /// The nodes where something goes wrong.
    pub(super) fn bad(&self) -> Vec<(u32, u32)> {
        let nodes = self.threads.iter().enumerate().flat_map(|(thread, graph)| {
            graph.nodes.iter().enumerate().map(move |(node, it)| (thread as u32, node as u32, it.at))
        });
        nodes.filter(|(_, _, at)| matches!(at, At::Bad(..))).map(|(thread, node, _)| (thread, node)).collect()
    }

    /// The proof that they are.
    pub(super) fn proof(self, steps: &Steps<'_>) -> ThreadGraphs {
        let mut tracked: Vec<VarId> = steps.tracked.iter().copied().collect();
        tracked.sort_unstable();
        let threads = self.threads.into_iter().zip(&steps.threads).map(|(graph, thread)| ThreadGraph {
            proc: thread.proc,
            started: thread.started,
            nodes: graph.nodes,
            edges: graph.edges,
        });
        let program = ir::Program { pool: steps.cells.pool.clone(), ..steps.program.clone() };
        ThreadGraphs { program, tracked, threads: threads.collect() }
    }
}
