//! What an instruction does, in words that all machines share.

use super::template::Operand;
use ir::{Barrier, Order};

/// How two numbers make one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arith {
    /// The second one.
    Move,
    Add,
    Sub,
    /// The second minus the first.
    SubFrom,
    And,
    /// The first without the bits of the second.
    AndNot,
    Or,
    Xor,
    /// All bits of the second changed; an update changes what is there.
    Not,
    /// Minus the second, or what is there.
    Neg,
}

/// When a jump is taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// The last comparison, or result, says equal.
    Equal,
    /// It does not.
    NotEqual,
    /// So many bits of a register are zero.
    Zero(Operand, u32),
    /// They are not.
    NonZero(Operand, u32),
    /// Two registers differ.
    Differ(Operand, Operand),
}

/// Where and how many bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Cell {
    pub(super) at: Operand,
    pub(super) bytes: u32,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// Nothing that matters here.
    Nothing,
    /// A place to jump to.
    Label(u32),
    /// A fence.
    Fence(Barrier),
    /// A read.
    Load { to: Operand, from: Cell, is_signed: bool, order: Order, is_exclusive: bool },
    /// A write.
    Store { from: Operand, to: Cell, order: Order },
    /// A write that happens if nobody wrote since the exclusive read; `status` is zero then.
    StoreExclusive { from: Operand, to: Cell, order: Order, status: Option<Operand> },
    /// A read and a write at once; `old` gets what was there.
    Update { cell: Cell, how: Arith, with: Operand, old: Option<Operand>, is_signed: bool, order: Order },
    /// A write of `new` if `expected` is there; `expected` becomes what was there.
    CompareExchange { cell: Cell, expected: Operand, new: Operand, order: Order },
    /// A computation on so many bits.
    Compute { to: Operand, how: Arith, a: Operand, b: Operand, bits: u32 },
    /// A comparison of so many bits.
    Compare { a: Operand, b: Operand, bits: u32 },
    /// One or zero: whether the last comparison, or result, says equal, or the contrary.
    SetIf { to: Operand, is_equal: bool },
    /// A jump.
    Jump { when: When, label: u32, is_back: bool },
}

impl Step {
    /// The registers that it reads.
    pub(super) fn reads(&self) -> Vec<&Operand> {
        match self {
            Step::Nothing | Step::Label(_) | Step::Fence(_) | Step::SetIf { .. } => Vec::new(),
            Step::Load { from: cell, .. } => vec![&cell.at],
            Step::Store { from, to, .. } | Step::StoreExclusive { from, to, .. } => vec![from, &to.at],
            Step::Update { cell, with, .. } => vec![&cell.at, with],
            Step::CompareExchange { cell, expected, new, .. } => vec![&cell.at, expected, new],
            Step::Compute { how: Arith::Move | Arith::Not | Arith::Neg, b, .. } => vec![b],
            Step::Compute { a, b, .. } | Step::Compare { a, b, .. } => vec![a, b],
            Step::Jump { when: When::Zero(operand, _) | When::NonZero(operand, _), .. } => vec![operand],
            Step::Jump { when: When::Differ(a, b), .. } => vec![a, b],
            Step::Jump { when: When::Equal | When::NotEqual, .. } => Vec::new(),
        }
    }

    /// The register that it writes.
    pub(super) fn writes(&self) -> Option<&Operand> {
        match self {
            Step::Load { to, .. } | Step::Compute { to, .. } | Step::SetIf { to, .. } => Some(to),
            Step::StoreExclusive { status, .. } => status.as_ref(),
            Step::Update { old, .. } => old.as_ref(),
            Step::CompareExchange { expected, .. } => Some(expected),
            Step::Nothing
            | Step::Label(_)
            | Step::Fence(_)
            | Step::Store { .. }
            | Step::Compare { .. }
            | Step::Jump { .. } => None,
        }
    }
}

/// Orders of an access by the letters that it has.
pub(super) fn order_of(acquires: bool, releases: bool) -> Order {
    match (acquires, releases) {
        (false, false) => Order::Relaxed,
        (true, false) => Order::Acquire,
        (false, true) => Order::Release,
        (true, true) => Order::AcqRel,
    }
}
