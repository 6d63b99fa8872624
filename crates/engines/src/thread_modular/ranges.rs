//! Between which numbers is a term? Known as: interval analysis.
//!
//! Numbers are signed, as wide as the term says. What may wrap is anywhere in its width.

use super::places::signed;
use logic::{Node, Op, Pool, Sort, TermId, VarId};

/// The least and the largest.
pub(super) type Range = (i128, i128);

/// All numbers of so many bits.
pub(super) fn full(width: u32) -> Range {
    match width {
        0 | 65.. => (i128::MIN / 4, i128::MAX / 4),
        _ => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
    }
}

/// Where a term is, if the variables are where `root` says.
pub(super) fn range(pool: &Pool, term: TermId, root: &dyn Fn(VarId) -> Option<Range>) -> Range {
    let Sort::Bv(width) = pool.sort(term) else { return full(0) };
    let all = full(width);
    let fit = |(least, most): Range| if least >= all.0 && most <= all.1 { (least, most) } else { all };
    if let Some(value) = pool.as_const(term).and_then(signed) {
        return (value, value);
    }
    let of = |term: TermId| range(pool, term, root);
    match pool.node(term) {
        Node::Var(var) => root(*var).map_or(all, fit),
        Node::App { op: Op::Add, args } => {
            fit(args.iter().map(|arg| of(*arg)).fold((0, 0), |sum, arg| (sum.0 + arg.0, sum.1 + arg.1)))
        }
        Node::App { op: Op::Sub, args } => {
            let (a, b) = (of(args[0]), of(args[1]));
            fit((a.0 - b.1, a.1 - b.0))
        }
        Node::App { op: Op::Mul, args } => {
            let (a, b) = (of(args[0]), of(args[1]));
            let ends = [a.0.checked_mul(b.0), a.0.checked_mul(b.1), a.1.checked_mul(b.0), a.1.checked_mul(b.1)];
            let ends: Option<Vec<i128>> = ends.into_iter().collect();
            ends.and_then(|ends| Some((*ends.iter().min()?, *ends.iter().max()?))).map_or(all, fit)
        }
        Node::App { op: Op::Srem, args } => match pool.as_const(args[1]).and_then(signed) {
            Some(by) if by != 0 => {
                let (most, a) = (by.abs() - 1, of(args[0]));
                (if a.0 >= 0 { 0 } else { -most }, if a.1 <= 0 { 0 } else { most })
            }
            _ => all,
        },
        Node::App { op: Op::Urem, args } => match pool.as_const(args[1]).and_then(signed) {
            Some(by) if by > 0 => (0, by - 1),
            _ => all,
        },
        Node::App { op: Op::BvAnd, args } => match args.iter().find_map(|arg| pool.as_const(*arg).and_then(signed)) {
            Some(mask) if mask >= 0 => (0, mask),
            _ => all,
        },
        Node::App { op: Op::Ite, args } => {
            let (a, b) = (of(args[1]), of(args[2]));
            (a.0.min(b.0), a.1.max(b.1))
        }
        Node::App { op: Op::SignExtend(_), args } => of(args[0]),
        Node::App { op: Op::ZeroExtend(_), args } => {
            let inner = of(args[0]);
            match pool.sort(args[0]) {
                _ if inner.0 >= 0 => inner,
                Sort::Bv(narrow) if narrow < 64 => (0, (1i128 << narrow) - 1),
                _ => all,
            }
        }
        Node::App { op: Op::Extract { lo: 0, .. }, args } => fit(of(args[0])),
        _ => all,
    }
}

/// Both ranges and what is between them.
pub(super) fn hull(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}
