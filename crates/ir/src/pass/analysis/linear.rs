//! What is added up in a term, and how often?

use logic::{Node, Op, Pool, TermId, Value};

/// Writes a term as a sum of multiples, with constants among them; `false` if it is a product of unknowns.
pub(crate) fn linear(pool: &Pool, term: TermId, factor: i64, leaves: &mut Vec<(i64, TermId)>) -> bool {
    let Node::App { op, args } = pool.node(term) else {
        leaves.push((factor, term));
        return true;
    };
    match op {
        Op::Add => args.iter().all(|arg| linear_or_leaf(pool, *arg, factor, leaves)),
        Op::Sub => {
            linear_or_leaf(pool, args[0], factor, leaves);
            linear_or_leaf(pool, args[1], factor.wrapping_neg(), leaves)
        }
        Op::Neg => linear_or_leaf(pool, args[0], factor.wrapping_neg(), leaves),
        Op::Mul => {
            let constant = |term| pool.as_const(term).and_then(number);
            match (constant(args[0]), constant(args[1])) {
                (_, Some(by)) => linear_or_leaf(pool, args[0], factor.wrapping_mul(by), leaves),
                (Some(by), _) => linear_or_leaf(pool, args[1], factor.wrapping_mul(by), leaves),
                _ => false,
            }
        }
        _ => {
            leaves.push((factor, term));
            true
        }
    }
}

fn linear_or_leaf(pool: &Pool, term: TermId, factor: i64, leaves: &mut Vec<(i64, TermId)>) -> bool {
    if !linear(pool, term, factor, leaves) {
        leaves.push((factor, term));
    }
    true
}

/// The signed number that a constant is.
pub(crate) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Bv(bits) if bits.width() <= 64 => {
            let raw = bits.to_u64()?;
            let unused = 64 - bits.width();
            Some(((raw << unused) as i64) >> unused)
        }
        _ => None,
    }
}
