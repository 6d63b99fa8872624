//! What has been explored? Abstract states with their steps, and which of them are covered by others.
//!
//! Known as: abstract reachability graph, ARG, abstract reachability tree; covering, subsumption; lazy abstraction where only a part of it is
//! pruned after a refinement \[Henzinger02].
//!
//! A tree of nodes, each reached by a step of one thread from its parent. A node is covered if another one that is not, with all threads
//! at the same places, allows everything that it allows: then nothing needs to be explored from it. Candidates are found by
//! control, and compared first without and then with the solver.
//!
//! Invariant: a covering node is not covered itself when it begins to cover, so that following `covered_by` leads to a node that is explored. Only
//! nodes with counted threads are covered later than when they were found.

use crate::abstraction::control::Control;
use crate::abstraction::state::Abstract;
use crate::explore::por::cycle_proviso::Explored;
use ir::EdgeRef;
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub(crate) use crate::explore::por::cycle_proviso::NodeId;

/// An abstract state that was reached.
pub(crate) struct Node {
    /// Where all threads stand.
    pub(crate) control: Rc<Control>,
    /// What is known.
    pub(crate) state: Rc<Abstract>,
    /// Where it was reached from, and how.
    pub(crate) parent: Option<(NodeId, u32, EdgeRef)>,
    /// Steps from the start.
    pub(crate) depth: u32,
    /// Whom it is covered by.
    pub(crate) covered_by: Option<NodeId>,
    /// Threads whose steps were explored.
    pub(crate) explored: Vec<u32>,
    /// Threads that could have run.
    pub(crate) can_run: Vec<u32>,
    /// Whether it has been expanded at all.
    pub(crate) is_expanded: bool,
    /// Whether it is no longer part of the graph.
    pub(crate) is_pruned: bool,
    /// Where the steps lead.
    pub(crate) next: Vec<(u32, EdgeRef, NodeId)>,
}

/// All nodes.
#[derive(Default)]
pub(crate) struct ReachabilityGraph {
    pub(crate) nodes: Vec<Node>,
    /// Nodes that are not covered, ascending, by where their threads stand, whatever the counted ones do.
    by_control: FxHashMap<Rc<Control>, Vec<NodeId>>,
    pub(crate) n_covered: u64,
}

impl ReachabilityGraph {
    /// Adds a node.
    pub(crate) fn add(&mut self, control: Control, state: Abstract, parent: Option<(NodeId, u32, EdgeRef)>) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let control = match self.by_control.get_key_value(&control) {
            Some((same, _)) => same.clone(),
            None => Rc::new(control),
        };
        let depth = parent.map_or(0, |(parent, ..)| self.nodes[parent as usize].depth + 1);
        if let Some((from, thread, edge)) = parent {
            self.nodes[from as usize].next.push((thread, edge, id));
        }
        let key = if control.has_counted { Rc::new(without_counted(&control)) } else { control.clone() };
        self.by_control.entry(key).or_default().push(id);
        self.nodes.push(Node {
            control,
            state: Rc::new(state),
            parent,
            depth,
            covered_by: None,
            explored: Vec::new(),
            can_run: Vec::new(),
            is_expanded: false,
            is_pruned: false,
            next: Vec::new(),
        });
        id
    }

    /// The node.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Nodes that might cover a node: others at the same places, or with more counted threads, that are not covered.
    pub(crate) fn candidates(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let control = &self.nodes[id as usize].control;
        let found = if control.has_counted {
            self.by_control.get(&without_counted(control))
        } else {
            self.by_control.get(control)
        };
        let all = found.map_or(&[][..], Vec::as_slice);
        let fits = move |other: &NodeId| {
            let node = &self.nodes[*other as usize];
            let is_larger = control.has_counted && *other != id && control.counted_are_within(&node.control);
            is_larger || !control.has_counted && *other < id
        };
        all.iter().copied().filter(fits)
    }

    /// Notes that a node is covered.
    pub(crate) fn cover(&mut self, id: NodeId, by: NodeId) {
        self.nodes[id as usize].covered_by = Some(by);
        self.n_covered += 1;
        self.forget_candidate(id);
    }

    /// A node cannot cover others any more.
    fn forget_candidate(&mut self, id: NodeId) {
        let control = &self.nodes[id as usize].control;
        let same = match control.has_counted {
            true => self.by_control.get_mut(&without_counted(control)),
            false => self.by_control.get_mut(control),
        };
        if let Some(same) = same
            && let Ok(at) = same.binary_search(&id)
        {
            same.remove(at);
        }
    }

    /// The node itself, or the one that covers it in the end.
    pub(crate) fn representative(&self, mut id: NodeId) -> NodeId {
        while let Some(other) = self.nodes[id as usize].covered_by {
            id = other;
        }
        id
    }

    /// The nodes from the start to a node.
    pub(crate) fn nodes_to(&self, id: NodeId) -> Vec<NodeId> {
        let mut nodes = vec![id];
        while let Some((parent, ..)) = self.nodes[nodes[nodes.len() - 1] as usize].parent {
            nodes.push(parent);
        }
        nodes.reverse();
        nodes
    }

    /// Forgets all that was reached from a node, which is to be expanded again. What was covered by it is not covered any more.
    pub(crate) fn prune(&mut self, root: NodeId) {
        let mut open: Vec<NodeId> = self.nodes[root as usize].next.iter().map(|(_, _, to)| *to).collect();
        while let Some(id) = open.pop() {
            let node = &mut self.nodes[id as usize];
            node.is_pruned = true;
            open.extend(node.next.iter().map(|(_, _, to)| *to));
            self.forget_candidate(id);
        }
        let is_pruned: Vec<bool> = self.nodes.iter().map(|node| node.is_pruned).collect();
        for (id, node) in self.nodes.iter_mut().enumerate() {
            if node.is_pruned || id == root as usize {
                node.next.clear();
                node.explored.clear();
                node.can_run.clear();
                node.is_expanded = false;
            }
            if node.is_pruned {
                node.covered_by = None;
            } else if node.covered_by.is_some_and(|other| is_pruned[other as usize]) {
                node.covered_by = None;
                let same = self.by_control.entry(node.control.clone()).or_default();
                same.insert(same.partition_point(|other| (*other as usize) < id), id as NodeId);
            }
        }
    }

    /// The steps from the start to a node.
    pub(crate) fn path(&self, id: NodeId) -> Vec<(u32, EdgeRef)> {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some((parent, thread, edge)) = self.nodes[at as usize].parent {
            steps.push((thread, edge));
            at = parent;
        }
        steps.reverse();
        steps
    }
}

fn without_counted(control: &Control) -> Control {
    Control { counted: Vec::new(), ..control.clone() }
}

impl Explored for ReachabilityGraph {
    fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    fn successor(&self, node: NodeId, step: usize) -> Option<NodeId> {
        let (_, _, to) = self.nodes[node as usize].next.get(step)?;
        Some(self.representative(*to))
    }

    fn put_off(&self, node: NodeId) -> Vec<u32> {
        let node = &self.nodes[node as usize];
        let is_put_off = |thread: &u32| node.is_expanded && !node.explored.contains(thread);
        node.can_run.iter().copied().filter(is_put_off).collect()
    }

    fn is_own(&self, node: NodeId) -> bool {
        let node = &self.nodes[node as usize];
        node.covered_by.is_none() && !node.is_pruned
    }
}
