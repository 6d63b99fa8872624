//! The instructions of litmus tests: what a thread does, one step at a time.
//!
//! An instruction of the text becomes one or several `Instr` with the same `group`: `LDP` two loads, `STR X0,[X1],#8` a store and an assignment,
//! `CMP` four assignments to flags. Accesses of one group are not ordered by program order among each
//! other, except the read of an `Rmw` before its write. Where an instruction reads and then writes (`INC [x]` without `LOCK`), or a statement of C has several
//! accesses, these are groups of their own, in order.
//!
//! **Tags** name the sets of a memory model that an event belongs to, besides R, W, M, F, RMW and IW, which follow from the kind of event:
//!
//! | dialect | reads and writes | fences |
//! |---|---|---|
//! | X86 | `X` (locked, both halves) | `MFENCE`, `SFENCE`, `LFENCE`, also in small letters |
//! | AArch64 | `A` acquire, `Q` acquire-PC, `L` release, `X` exclusive, `NoRet` | `DMB.SY`, `DMB.LD`, `DMB.ISHST` …, `DSB.…`, `ISB` |
//! | PPC | `X` (lwarx, stwcx.) | `SYNC`, `LWSYNC`, `EIEIO`, `ISYNC`, also in small letters |
//! | RISCV | `Acq`, `Rel`, `AcqRel`, `X` with `EX` (lr, sc) or `AMO` | `Fence.rw.rw` …, `Fence.tso`, `Fence.i` |
//! | C | `RLX ACQ REL ACQ_REL SC CON` with `A`, or `NA` | `RLX ACQ REL ACQ_REL SC` |
//! | PROTO | those of the topic and of the call; `Try` for a receive that does not wait | |
//! | kernel | as the definitions say: `Once`, `Acquire`, `Release`, `Noreturn`, `Srcu-lock` …; `LKR LKW UL LF RL RU` | `Mb`, `Wmb`, `Rmb`, `Rcu-lock` … |
//!
//! A lock is a swap whose old value is then assumed to be 0: an execution in which it is not has no final state.
//! The tag `once` of a kernel definition becomes two: `Once`, as bell files name its set, and `ONCE`, as newer ones do. An `Rmw` that is a full
//! barrier stands between two fences `Mb` and has the tags of its relaxed form, with `MB`. A plain access of the kernel has the tag `Plain`.
//!
//! Invariant: targets of branches are at most the length of the code, `join` is never before its branch, sizes are 1, 2, 4 or 8.

use super::expr::{Binary, Expr};
use super::names::Reg;
use crate::source::Span;

/// How a loaded value becomes a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extend {
    /// Zeros above.
    Zero,
    /// Sign bits up to this width (32 or 64), zeros above.
    Sign(u8),
}

/// What a read-modify-write writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RmwKind {
    /// The operand.
    Swap,
    /// `old op operand`, at the width of the access.
    Apply(Binary),
    /// The operand, if the old value equals `expected`; otherwise nothing is written and the read has `failure_tags`.
    CompareSwap {
        /// What the old value is compared with, at the width of the access.
        expected: Expr,
    },
}

/// What the outcome of a store-exclusive depends on, besides luck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExclusiveStatus {
    /// Nothing (AArch64).
    Free,
    /// The reads that its operands depend on (PPC).
    OnOperands,
    /// The write itself and the reads that its address depends on (RISC-V).
    OnWrite,
}

/// What an instruction does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Assigns to a register.
    Set {
        /// The register.
        to: Reg,
        /// Its new value.
        value: Expr,
    },
    /// Reads memory.
    Load {
        /// Where the value goes; nowhere for a zero register.
        to: Option<Reg>,
        /// Where to read.
        address: Expr,
        /// Bytes.
        size: u8,
        /// How the value becomes a word.
        extend: Extend,
        /// Whether it opens an exclusive pair, which the thread's next `StoreExclusive` closes.
        is_exclusive: bool,
        /// The tags of the read.
        tags: Vec<String>,
    },
    /// Writes memory.
    Store {
        /// Where to write.
        address: Expr,
        /// The value; its low bytes are written.
        value: Expr,
        /// Bytes.
        size: u8,
        /// The tags of the write.
        tags: Vec<String>,
    },
    /// Reads and, perhaps, writes one place, as one instruction: two events related by `rmw` (and by `amo`).
    Rmw {
        /// Where the old value goes.
        to: Option<Reg>,
        /// How the value read becomes a word.
        extend: Extend,
        /// Where.
        address: Expr,
        /// Bytes.
        size: u8,
        /// What is written.
        kind: RmwKind,
        /// The operand.
        operand: Expr,
        /// The tags of the read.
        read_tags: Vec<String>,
        /// The tags of the write.
        write_tags: Vec<String>,
        /// The tags of the read when nothing is written (`CompareSwap`).
        failure_tags: Vec<String>,
    },
    /// Writes if the exclusive pair that a load of this thread opened is still closed to others; may always fail. Without an open
    /// pair (or one at another address) it fails. A success relates the load to this write by `rmw` (and by `lxsx`).
    StoreExclusive {
        /// Where the outcome goes.
        status: Option<Reg>,
        /// The outcome when it wrote.
        success: u64,
        /// The outcome when it did not.
        failure: u64,
        /// What the outcome depends on.
        outcome: ExclusiveStatus,
        /// Where.
        address: Expr,
        /// The value.
        value: Expr,
        /// Bytes.
        size: u8,
        /// The tags of the write.
        tags: Vec<String>,
    },
    /// An event that orders others.
    Fence {
        /// Its tags.
        tags: Vec<String>,
        /// The object it is about (`synchronize_srcu(&ss)`).
        address: Option<Expr>,
    },
    /// Goes to `target` if the condition is not 0, else on.
    Branch {
        /// The condition.
        condition: Expr,
        /// Where to go.
        target: usize,
        /// Where control dependencies on this branch end: nowhere in assembly, at the end of the `if` or loop in C.
        join: Option<usize>,
    },
    /// Puts 0 or 1, freely, into a register: the outcome of something that is then pinned down by `Assume`, such as the success of a
    /// `spin_trylock`, which decides which events there are.
    Choose {
        /// The register. It depends on nothing.
        to: Reg,
    },
    /// Gives up the execution if the condition is 0: it has no final state. Causes no dependency.
    Assume {
        /// The condition.
        condition: Expr,
    },
    /// Goes to `target`.
    Jump {
        /// Where to go.
        target: usize,
    },
}

impl Op {
    /// Where, and how many bytes, this accesses.
    pub fn access(&self) -> Option<(&Expr, u8)> {
        match self {
            Op::Load { address, size, .. }
            | Op::Store { address, size, .. }
            | Op::Rmw { address, size, .. }
            | Op::StoreExclusive { address, size, .. } => Some((address, *size)),
            Op::Set { .. }
            | Op::Fence { .. }
            | Op::Branch { .. }
            | Op::Choose { .. }
            | Op::Assume { .. }
            | Op::Jump { .. } => None,
        }
    }
}

/// An instruction and its place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// Which instruction of the text it belongs to: numbers grow along the text, equal numbers are one instruction.
    pub group: u32,
    /// Where it stands.
    pub span: Span,
}
