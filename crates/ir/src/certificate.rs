//! What does a proof look like that somebody else can check? A graph of abstract states with a formula each.
//!
//! Each node says where all threads stand and what holds of the cells there. The graph proves a program safe if the initial states are in
//! the first node, every step from a node leads into one of the nodes that the step is said to lead to, a covered node is inside the one
//! that covers it, and nothing can go wrong in any step. Steps of threads that a partial order reduction has left out are named, with the kind of the
//! reduction: where that is told, a checker can see that they may be left out; else it can tell what it has not seen for itself.

pub mod threads;

use crate::program::{EdgeRef, LocId, ProcId, Program};
use logic::{TermId, VarId};

/// A proof of safety.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The program that the proof is about, as passes have made it; its pool holds the formulas too.
    pub program: Program,
    /// What the variables of the formulas stand for, besides globals, which stand for themselves.
    pub cells: Vec<(VarId, CellName)>,
    /// The graph; the first node is the initial one.
    pub nodes: Vec<CertificateNode>,
    /// Why steps may be left out.
    pub reduction: Reduction,
    /// Why the graph does not say enough to be checked, if so.
    pub beyond: Option<String>,
}

/// Why steps of threads may be left out of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// For reasons that the graph does not tell.
    Untold,
    /// One thread alone runs where what it does is seen by nobody and comes to an end.
    Local,
    /// The step of a thread is left out after one that is independent of it, if the thread comes earlier in the order of threads or was left out before as well.
    Monotonic {
        /// Whether the order changes with `CertificateNode::turn`: when a thread goes back in its automaton, it is the turn of the next one.
        rotates: bool,
    },
}

/// What a variable of a formula stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CellName {
    /// A local or thread variable of a thread.
    Own(u32, VarId),
    /// The word that a thread ended with.
    Result(u32),
    /// Bytes of memory: address and length.
    Bytes(u64, u64),
}

/// Where a thread stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The procedure that it runs.
    pub proc: ProcId,
    /// The location.
    pub loc: LocId,
    /// How many atomic sections it is in.
    pub depth: u32,
    /// Whether it has ended.
    pub has_ended: bool,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub struct CertificateNode {
    /// Where all threads stand.
    pub threads: Vec<Standing>,
    /// The thread whose last step left it inside an atomic section.
    pub holder: Option<u32>,
    /// Whether the process has ended.
    pub has_ended: bool,
    /// What holds.
    pub formula: TermId,
    /// The node that contains this one, if its steps are not explored.
    pub covered_by: Option<u32>,
    /// Where steps lead: thread, edge, node.
    pub steps: Vec<(u32, EdgeRef, u32)>,
    /// Threads that can run and whose steps the reduction leaves out.
    pub left_out: Vec<u32>,
    /// The thread that is first in the order of threads here; those with lower numbers come after those with higher ones.
    pub turn: u32,
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Certificate) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Certificate {}
