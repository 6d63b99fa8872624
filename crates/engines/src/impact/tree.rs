//! What has been unwound? A tree of program paths with a label at each node, and which nodes are covered by others.
//!
//! Known as: abstract reachability tree, ART; unwinding with covering relation \[McMillan06] \[Wachter13].
//!
//! A node is reached by one step from its parent, and its label holds of all states that its path leads to. A node is covered if one that was made before it,
//! at the same place, has a label that its own implies; all below a covered node is hidden. What covers is neither covered nor hidden.
//!
//! Invariant (well-labelled): a label and the step to a child imply the label of the child; the label of what is covered implies that of what covers it.
//! Labels only become stronger, by `unwinding`; this file keeps the covering relation in order and says what has to be looked at again.

use crate::abstraction::control::Control;
use crate::abstraction::symbolic::Summary;
use ir::{EdgeRef, Turn};
use logic::TermId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Names a node.
pub(super) type NodeId = u32;

/// Where all threads stand, and whose turn it is where that matters: nodes are compared only if they agree on all of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Place {
    pub(super) control: Control,
    pub(super) turn: Turn,
}

/// A step as it is taken from a node.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) summary: Rc<Summary>,
    /// That whoever is inside an atomic section waits.
    pub(super) others: Vec<TermId>,
    /// All that must hold before it, one by one.
    pub(super) guards: Vec<TermId>,
    /// The edges that it may be, of which it is exactly one.
    pub(super) ways: Vec<Way>,
}

/// An edge that a step may be, and all that must hold before it then.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) edge: EdgeRef,
    pub(super) guards: Vec<TermId>,
}

impl Step {
    /// The first of the edges that it may be.
    pub(super) fn edge(&self) -> EdgeRef {
        self.ways[0].edge
    }

    /// The edges that it may be.
    pub(super) fn edges(&self) -> impl Iterator<Item = EdgeRef> + '_ {
        self.ways.iter().map(|way| way.edge)
    }
}

/// What a thread may do next.
pub(super) struct NextSteps {
    /// A step for each edge.
    pub(super) ways: Vec<Rc<Step>>,
    /// The same, with edges that lead to the same place as one step.
    pub(super) steps: Vec<Rc<Step>>,
}

/// What is known of steps: of an edge, and of all edges of a location, by threads, and by places where that matters.
#[derive(Default)]
pub(super) struct KnownSteps {
    pub(super) of_edge: FxHashMap<(Option<u32>, u32, EdgeRef), Rc<Step>>,
    pub(super) of_location: FxHashMap<(Option<u32>, u32, u32, u32), Rc<NextSteps>>,
}

/// How a node is reached.
#[derive(Clone, Debug)]
pub(super) struct Arrival {
    pub(super) parent: NodeId,
    pub(super) thread: u32,
    pub(super) step: Rc<Step>,
}

/// Two steps commute in all states of a node that claims are looked for of.
pub(super) struct Promise {
    pub(super) node: NodeId,
    /// What must not hold in it.
    pub(super) never: Vec<TermId>,
    pub(super) pair: Pair,
}

/// Two steps, wherever all threads stand alike and the same steps are left out.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Pair {
    pub(super) place: Rc<Place>,
    pub(super) asleep: Vec<u32>,
    pub(super) mover: u32,
    pub(super) edge: EdgeRef,
    pub(super) other: u32,
}

/// A path, up to equality of what it leads to.
#[derive(Debug)]
pub(super) struct Node {
    /// The number of its place.
    pub(super) place: u32,
    /// All of these hold.
    pub(super) label: Vec<TermId>,
    /// Whether nothing is here.
    pub(super) is_empty: bool,
    pub(super) arrival: Option<Arrival>,
    pub(super) depth: u32,
    /// How many threads its path has started in loops.
    pub(super) n_started: u32,
    pub(super) covered_by: Option<NodeId>,
    pub(super) covers: Vec<NodeId>,
    /// Whether a node above is covered.
    pub(super) is_hidden: bool,
    /// Threads whose steps must be here.
    pub(super) required: Vec<u32>,
    /// Those of them that are only here for the sake of nodes that this one covers.
    pub(super) lent: Vec<u32>,
    /// Threads whose steps were made earlier elsewhere, and need not be made here or below until somebody does something that depends on them.
    pub(super) asleep: Vec<u32>,
    /// Threads whose steps are.
    pub(super) explored: Vec<u32>,
    /// Whether `required` has been found out.
    pub(super) is_expanded: bool,
    pub(super) children: Vec<NodeId>,
    /// How often it was covered, and how often it was made to be.
    pub(super) n_covered: u32,
    pub(super) n_forced: u32,
}

impl Node {
    /// Whether something is left to do here.
    fn is_open(&self) -> bool {
        self.covered_by.is_none() && !self.is_empty && (!self.is_expanded || self.misses())
    }

    /// Whether a thread is missing.
    pub(super) fn misses(&self) -> bool {
        self.required.iter().any(|thread| !self.explored.contains(thread))
    }
}

/// The nodes that are left to do: those with the fewest threads first, and of these the one that was found last. Known as: work list, depth-first.
///
/// A loop that starts threads has no end for a search in depth; fewer threads are simpler, and show most of what can go wrong.
#[derive(Default)]
pub(super) struct Open {
    by_threads: Vec<Vec<NodeId>>,
    /// Nobody has fewer threads.
    least: usize,
    len: usize,
}

impl Open {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Adds a node, to be looked at before others that are like it.
    pub(super) fn push(&mut self, tree: &Tree, id: NodeId) {
        let n_started = tree.node(id).n_started as usize;
        if self.by_threads.len() <= n_started {
            self.by_threads.resize_with(n_started + 1, Vec::new);
        }
        self.by_threads[n_started].push(id);
        self.least = self.least.min(n_started);
        self.len += 1;
    }

    /// Adds nodes, the first one to be looked at first.
    pub(super) fn extend(&mut self, tree: &Tree, ids: Vec<NodeId>) {
        ids.into_iter().rev().for_each(|id| self.push(tree, id));
    }

    /// Takes the node that is to be looked at next.
    pub(super) fn pop(&mut self) -> Option<NodeId> {
        while self.least < self.by_threads.len() {
            if let Some(id) = self.by_threads[self.least].pop() {
                self.len -= 1;
                return Some(id);
            }
            self.least += 1;
        }
        None
    }
}

/// All nodes.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    places: Vec<Rc<Place>>,
    number_of: FxHashMap<Rc<Place>, u32>,
    /// The nodes of each place that may cover others, ascending.
    may_cover: Vec<Vec<NodeId>>,
}

impl Tree {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    pub(super) fn place(&self, id: NodeId) -> Rc<Place> {
        self.places[self.node(id).place as usize].clone()
    }

    /// Adds a node about which nothing is known.
    pub(super) fn add(&mut self, place: Place, arrival: Option<Arrival>) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let number = match self.number_of.get(&place) {
            Some(number) => *number,
            None => {
                let place = Rc::new(place);
                self.places.push(place.clone());
                self.may_cover.push(Vec::new());
                self.number_of.insert(place, self.places.len() as u32 - 1);
                self.places.len() as u32 - 1
            }
        };
        self.may_cover[number as usize].push(id);
        let depth = arrival.as_ref().map_or(0, |arrival| self.node(arrival.parent).depth + 1);
        if let Some(arrival) = &arrival {
            let parent = arrival.parent;
            self.node_mut(parent).children.push(id);
        }
        self.nodes.push(Node {
            place: number,
            label: Vec::new(),
            is_empty: false,
            arrival,
            depth,
            n_started: 0,
            covered_by: None,
            covers: Vec::new(),
            is_hidden: false,
            required: Vec::new(),
            lent: Vec::new(),
            asleep: Vec::new(),
            explored: Vec::new(),
            is_expanded: false,
            children: Vec::new(),
            n_covered: 0,
            n_forced: 0,
        });
        id
    }

    /// Whether a node is neither covered nor below one that is.
    pub(super) fn is_active(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.covered_by.is_none() && !node.is_hidden
    }

    /// Nodes that were made before a node and may cover it, the latest first.
    pub(super) fn candidates(&self, id: NodeId) -> Vec<NodeId> {
        let all = &self.may_cover[self.node(id).place as usize];
        let before = all.partition_point(|other| *other < id);
        all[..before].iter().rev().copied().collect()
    }

    /// Whether a node may cover others has perhaps changed.
    fn note_change(&mut self, id: NodeId) {
        let may_cover = self.is_active(id) && !self.node(id).is_empty;
        let all = &mut self.may_cover[self.nodes[id as usize].place as usize];
        match (all.binary_search(&id), may_cover) {
            (Ok(at), false) => {
                all.remove(at);
            }
            (Err(at), true) => all.insert(at, id),
            (Ok(_), true) | (Err(_), false) => {}
        }
    }

    /// It is known that nothing is in a node.
    pub(super) fn empty(&mut self, id: NodeId) {
        let node = self.node_mut(id);
        node.is_empty = true;
        node.label.clear();
        self.note_change(id);
    }

    /// The nodes from one above to a node, both included.
    pub(super) fn path(&self, above: NodeId, id: NodeId) -> Vec<NodeId> {
        let mut nodes = vec![id];
        let mut at = id;
        while at != above {
            at = self.node(at).arrival.as_ref().expect("the path leads through a node above").parent;
            nodes.push(at);
        }
        nodes.reverse();
        nodes
    }

    /// The last node that the paths to two nodes have in common.
    pub(super) fn nearest_common_ancestor(&self, mut a: NodeId, mut b: NodeId) -> NodeId {
        let parent = |id: NodeId| self.node(id).arrival.as_ref().expect("only the root has none").parent;
        while a != b {
            if self.node(a).depth >= self.node(b).depth {
                a = parent(a);
            } else {
                b = parent(b);
            }
        }
        a
    }

    /// A node is covered by another one. What is covered by what is hidden now has to be looked at again.
    pub(super) fn cover(&mut self, id: NodeId, by: NodeId) -> Vec<NodeId> {
        self.node_mut(id).covered_by = Some(by);
        self.node_mut(by).covers.push(id);
        self.note_change(id);
        let mut orphans = std::mem::take(&mut self.node_mut(id).covers);
        let mut below = self.node(id).children.clone();
        while let Some(hidden) = below.pop() {
            let node = self.node_mut(hidden);
            if std::mem::replace(&mut node.is_hidden, true) {
                continue;
            }
            orphans.append(&mut node.covers);
            if node.covered_by.is_none() {
                below.extend(node.children.iter().copied());
            }
            self.note_change(hidden);
        }
        orphans.iter().for_each(|orphan| self.node_mut(*orphan).covered_by = None);
        orphans.into_iter().flat_map(|orphan| self.uncovered(orphan)).collect()
    }

    /// A node is not covered any more. Returns what has to be looked at again.
    pub(super) fn uncover(&mut self, id: NodeId) -> Vec<NodeId> {
        if let Some(by) = self.node_mut(id).covered_by.take() {
            self.node_mut(by).covers.retain(|other| *other != id);
        }
        self.uncovered(id)
    }

    /// Shows what was hidden below a node, unless the node is hidden itself.
    fn uncovered(&mut self, id: NodeId) -> Vec<NodeId> {
        if !self.is_active(id) {
            return Vec::new();
        }
        let mut open = Vec::new();
        let mut shown = vec![id];
        while let Some(id) = shown.pop() {
            let node = self.node_mut(id);
            node.is_hidden = false;
            if node.is_open() {
                open.push(id);
            }
            if node.covered_by.is_none() {
                shown.extend(node.children.iter().copied());
            }
            self.note_change(id);
        }
        open
    }
}
