//! What does a thread with some record do when it finds some values? What it did the last time.
//!
//! Known as: transition caching (local transitions of LTSmin) \[Blom10].
//!
//! What an edge does depends on the thread's record and on what it reads of the fixed part. Threads have few records and find few values, so that nearly all of
//! millions of steps were taken before. For each record and edge there is a tree: what is read first, by its value what is read next, and in the end
//! what became of the step: the new record, and what is written.
//!
//! Only steps are kept that do nothing else: those that make choices, touch dynamic objects, start, join or end threads are run each time, and so are those that go wrong.
//! What is read next is known from the values read before it, so that all steps with an edge go down the same tree.

use super::{CONSTANTS, Touched, Wait};
use crate::explicit::state::read_word;
use crate::explicit::state::records::RecordId;
use smallvec::SmallVec;

/// Steps that were taken before.
#[derive(Default)]
pub(crate) struct Cache {
    /// By record: where the nodes of its edges start; zero if there are none yet.
    roots: Vec<u32>,
    nodes: Vec<Node>,
    cases: Vec<Case>,
    leaves: Vec<Leaf>,
    waits: Vec<Wait>,
    changes: Vec<Change>,
}

/// A thread takes an edge.
#[derive(Clone, Copy)]
pub(crate) struct Taking {
    pub(crate) id: RecordId,
    pub(crate) thread: usize,
    /// Which of the edges at its location.
    pub(crate) edge: usize,
}

/// What is known at some point of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// Nobody has been here.
    Unknown,
    /// Such steps are not kept.
    Never,
    /// These bytes are read; values and what comes after each.
    Read { at: u32, bytes: u8, n_cases: u8, first: u32 },
    /// The edge is not taken.
    NotTaken,
    /// The thread waits.
    Waits(u32),
    /// The thread moves.
    Moves(u32),
}

/// A value that was read: the node after it, and the next case.
struct Case {
    value: u64,
    node: u32,
    next: u32,
}

/// What a step does.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    /// The new record and its hash.
    pub(crate) id: RecordId,
    pub(crate) hash: u64,
    /// Which of the changes are its own.
    changes: (u32, u32),
}

/// A word of the fixed part is changed: some bits of it, to what they are afterwards.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) word: u32,
    pub(crate) mask: u64,
    pub(crate) bits: u64,
}

/// What is to be kept of a step.
pub(crate) enum Outcome<'s> {
    NotTaken,
    Waits(Wait),
    /// The new record with its hash, and the fixed part after the step; with these further bytes changed.
    Moves {
        id: RecordId,
        hash: u64,
        after: &'s [u8],
        also: Option<(u32, u8)>,
    },
}

/// What is to be known of a location to keep a step from there.
#[derive(Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) n_edges: usize,
    /// Whether the step depends on which thread takes it.
    pub(crate) depends_on_thread: bool,
}

/// In place of bytes that are read: which thread it is.
const OWN_NUMBER: u32 = u32::MAX;

/// Nodes, and cases of one node, that are kept at most; few in tests, so that they also see what happens then.
const MAX_NODES: usize = if cfg!(test) { 100 } else { 1 << 20 };
const MAX_CASES: u8 = if cfg!(test) { 2 } else { 16 };

impl Cache {
    /// What is known of a step in a state with this fixed part.
    #[inline]
    pub(crate) fn find(&self, taking: &Taking, fixed: &[u8]) -> Node {
        let root = match self.roots.get(taking.id as usize) {
            None | Some(0) => return Node::Unknown,
            Some(root) => *root as usize,
        };
        let mut node = self.nodes[root + taking.edge];
        while let Node::Read { at, bytes, first, .. } = node {
            let value = value_at(taking, fixed, at, bytes);
            let mut case = &self.cases[first as usize];
            while case.value != value {
                if case.next == 0 {
                    return Node::Unknown;
                }
                case = &self.cases[case.next as usize];
            }
            node = self.nodes[case.node as usize];
        }
        node
    }

    /// For what a thread waits.
    pub(crate) fn wait(&self, wait: u32) -> Wait {
        self.waits[wait as usize]
    }

    /// The new record of a thread that moves, and what it changes.
    #[inline]
    pub(crate) fn leaf(&self, leaf: u32) -> (&Leaf, &[Change]) {
        let leaf = &self.leaves[leaf as usize];
        (leaf, &self.changes[leaf.changes.0 as usize..leaf.changes.1 as usize])
    }

    /// Keeps a step from a state with this fixed part; none if such steps are not to be kept.
    pub(crate) fn learn(
        &mut self,
        taking: &Taking,
        from: Origin,
        fixed: &[u8],
        touched: &[Touched],
        outcome: Option<Outcome<'_>>,
    ) {
        if self.nodes.len() >= MAX_NODES {
            return;
        }
        let root = self.root(taking, from.n_edges);
        let (Some(outcome), Some((reads, writes))) = (outcome, accesses(touched)) else {
            self.nodes[root] = Node::Never;
            return;
        };
        let own_number = from.depends_on_thread.then_some((OWN_NUMBER, 0));
        let mut node = root;
        for (at, bytes) in own_number.into_iter().chain(reads) {
            let Some(next) = self.go(node, (at, bytes), value_at(taking, fixed, at, bytes)) else { return };
            node = next;
        }
        self.nodes[node] = match outcome {
            Outcome::NotTaken => Node::NotTaken,
            Outcome::Waits(wait) => {
                self.waits.push(wait);
                Node::Waits(self.waits.len() as u32 - 1)
            }
            Outcome::Moves { id, hash, after, also } => {
                self.add_leaf((id, hash), writes.into_iter().chain(also), after)
            }
        };
    }

    /// The node at which a step begins.
    fn root(&mut self, taking: &Taking, n_edges: usize) -> usize {
        let id = taking.id as usize;
        if self.roots.len() <= id {
            self.roots.resize(id + 1, 0);
        }
        if self.roots[id] == 0 {
            // Zero is no node, and no case.
            if self.nodes.is_empty() {
                self.nodes.push(Node::Unknown);
                self.cases.push(Case { value: 0, node: 0, next: 0 });
            }
            self.roots[id] = self.nodes.len() as u32;
            self.nodes.resize(self.nodes.len() + n_edges, Node::Unknown);
        }
        self.roots[id] as usize + taking.edge
    }

    /// The node after a value is read; none if there are too many values already.
    fn go(&mut self, node: usize, (at, bytes): (u32, u8), value: u64) -> Option<usize> {
        let (n_cases, first) = match self.nodes[node] {
            Node::Unknown => (0, 0),
            Node::Read { at: known_at, bytes: known_bytes, n_cases, first } => {
                debug_assert_eq!((known_at, known_bytes), (at, bytes), "the values read before say what is read next");
                (n_cases, first)
            }
            _ => return None,
        };
        let mut case = first;
        while case != 0 {
            if self.cases[case as usize].value == value {
                return Some(self.cases[case as usize].node as usize);
            }
            case = self.cases[case as usize].next;
        }
        if n_cases >= MAX_CASES {
            return None;
        }
        let next = self.nodes.len();
        self.nodes.push(Node::Unknown);
        self.cases.push(Case { value, node: next as u32, next: first });
        self.nodes[node] = Node::Read { at, bytes, n_cases: n_cases + 1, first: self.cases.len() as u32 - 1 };
        Some(next)
    }

    fn add_leaf(&mut self, to: (RecordId, u64), places: impl Iterator<Item = (u32, u8)>, after: &[u8]) -> Node {
        let first = self.changes.len();
        for at in places.flat_map(|(at, bytes)| at..at + u32::from(bytes)) {
            let (word, shift) = (at / 8, 8 * (at % 8));
            let (mask, bits) = (0xff << shift, u64::from(after[at as usize]) << shift);
            match self.changes[first..].iter_mut().find(|change| change.word == word) {
                Some(change) if change.mask & mask == 0 => {
                    (change.mask, change.bits) = (change.mask | mask, change.bits | bits)
                }
                Some(_) => {}
                None => self.changes.push(Change { word, mask, bits }),
            }
        }
        self.leaves.push(Leaf { id: to.0, hash: to.1, changes: (first as u32, self.changes.len() as u32) });
        Node::Moves(self.leaves.len() as u32 - 1)
    }
}

#[inline]
fn value_at(taking: &Taking, fixed: &[u8], at: u32, bytes: u8) -> u64 {
    if at == OWN_NUMBER { taking.thread as u64 } else { read_word(fixed, at as usize, bytes as usize) }
}

/// Bytes of the fixed part.
type Places = SmallVec<[(u32, u8); 8]>;

/// What a step reads of the state before it, and what it writes; none if that cannot be told place by place.
fn accesses(touched: &[Touched]) -> Option<(Places, Places)> {
    let (mut reads, mut writes) = (Places::new(), Places::new());
    for Touched { unit, at, bytes, writes: is_write, .. } in touched {
        match *unit {
            CONSTANTS => continue,
            0 => {}
            _ => return None,
        }
        let place = (*at, *bytes as u8);
        let is_in = |of: &(u32, u8)| of.0 <= *at && *at + *bytes <= of.0 + u32::from(of.1);
        let meets = |of: &(u32, u8)| of.0 < *at + *bytes && *at < of.0 + u32::from(of.1);
        if *is_write {
            if !writes.contains(&place) {
                writes.push(place);
            }
        } else if !writes.iter().any(is_in) {
            if writes.iter().any(meets) {
                return None;
            }
            if !reads.iter().any(is_in) {
                reads.push(place);
            }
        }
    }
    Some((reads, writes))
}
