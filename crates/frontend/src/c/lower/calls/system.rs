//! Which call of the system is meant by `syscall`? The models know some of them by their own names; numbers are those of the machine that preprocesses.

use crate::c::lower::body::Body;
use crate::c::typed::{BinaryOp, Expr, ExprKind};
use ir::DataModel;

/// Calls whose arguments are those of a model: its name, and the number on x86-64 and on the machines that share a table (Armv8, RISC-V).
const CALLS: [(&str, i128, i128); 3] = [("gettid", 186, 178), ("getpid", 39, 172), ("sched_yield", 24, 124)];
const FUTEX: (i128, i128) = (202, 98);

/// Operations on futexes, and what does not change what they mean here: that nobody outside of the process waits, and which clock is meant.
const WAIT: i128 = 0;
const WAKE: i128 = 1;
const WAIT_BITSET: i128 = 9;
const WAKE_BITSET: i128 = 10;
const FLAGS: i128 = 128 | 256;
const ANY_BIT: i128 = 0xffff_ffff;

impl Body<'_, '_> {
    /// The model that stands for a call of the system, and its arguments.
    pub(super) fn system_call(&self, args: &[Expr]) -> Option<(&'static str, Vec<Expr>)> {
        if self.lw.program.data_model != DataModel::Lp64 {
            return None;
        }
        let (number, rest) = args.split_first()?;
        let number = flags(number)?;
        let own = |(here, there): (i128, i128)| if cfg!(target_arch = "x86_64") { here } else { there };
        if let Some((name, ..)) = CALLS.iter().find(|(_, here, there)| own((*here, *there)) == number) {
            return Some((name, Vec::new()));
        }
        let ([at, operation, value, more @ ..], true) = (rest, number == own(FUTEX)) else { return None };
        let has_any_bit = || more.get(2).and_then(flags).is_some_and(|bits| bits & ANY_BIT == ANY_BIT);
        match flags(operation)? & !FLAGS {
            WAIT => {}
            WAIT_BITSET if has_any_bit() => {}
            WAKE => return Some(("futex_wake", vec![at.clone(), value.clone()])),
            WAKE_BITSET if has_any_bit() => return Some(("futex_wake", vec![at.clone(), value.clone()])),
            _ => return None,
        }
        let timeout = more.first().cloned();
        Some(("futex_wait", [at.clone(), value.clone()].into_iter().chain(timeout).collect()))
    }
}

/// A constant, or several of them put together bit by bit.
fn flags(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Cast(inner) => flags(inner),
        ExprKind::Binary(BinaryOp::Or, a, b) => Some(flags(a)? | flags(b)?),
        _ => None,
    }
}
