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

/// Groups of threads that take turns: when a thread went back in its automaton as often as it may, it is the turn of the next group, whose threads come first in the order then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns {
    /// A bit for each thread with which a group begins; threads that have no bit begin one if all others do.
    begins: u64,
    /// How often the first threads may go back until their turn is over, one less than that.
    more: [u8; 8],
}

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Turn {
    /// The thread that comes first in the order of threads; those before it come after all others.
    pub thread: u32,
    /// How often it went back in this turn.
    pub round: u32,
}

impl Turns {
    /// Nobody takes turns.
    pub const NEVER: Turns = Turns { begins: 0, more: [0; 8] };
    /// Each thread does.
    pub const EACH: Turns = Turns { begins: u64::MAX, more: [0; 8] };

    /// Two groups: all threads before one, and those from it on.
    pub fn split_at(thread: u32) -> Turns {
        Turns { begins: 1 | 1u64.checked_shl(thread).unwrap_or(0), ..Turns::NEVER }
    }

    /// Each thread, some of them for several rounds: thread and rounds. Only the first threads may have more than one round.
    pub fn rounds(of: &[(u32, u8)]) -> Turns {
        let mut turns = Turns::EACH;
        for (thread, rounds) in of {
            if let Some(more) = turns.more.get_mut(*thread as usize) {
                *more = rounds.saturating_sub(1);
            }
        }
        turns
    }

    fn begins(self, thread: u32) -> bool {
        1u64.checked_shl(thread).map_or(self.begins == u64::MAX, |bit| self.begins & bit != 0)
    }

    /// Whose turn it is after a thread went back, of so many.
    pub fn after(self, turn: Turn, thread: u32, n_threads: u32) -> Turn {
        let more = self.more.get(thread as usize).map_or(0, |more| u32::from(*more));
        let round = if turn.thread == thread { turn.round } else { 0 };
        if round < more {
            return Turn { thread, round: round + 1 };
        }
        let next = (thread + 1..n_threads).find(|next| self.begins(*next));
        Turn { thread: next.unwrap_or(0), round: 0 }
    }
}

impl Turn {
    /// The place of a thread in the order of threads.
    pub fn rank(self, thread: u32) -> u32 {
        thread.wrapping_sub(self.thread)
    }
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
        /// How the order changes with `CertificateNode::turn`.
        turns: Turns,
        /// Whether threads come first in the order wherever nobody sees what they do next; they may run alone then.
        local_first: bool,
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
    /// Those of them that need not be taken below either, until somebody does something that depends on them.
    pub asleep: Vec<u32>,
    /// The thread that is first in the order of threads here; those with lower numbers come after those with higher ones.
    pub turn: Turn,
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Certificate) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Certificate {}
