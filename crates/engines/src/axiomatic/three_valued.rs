//! Can a condition still become true, or false, while parts of the final state are unknown?
//!
//! Known as: three-valued (Kleene) evaluation of a formula under partial knowledge.
//!
//! Every part of the state is known, has a few possible values, or can be anything. A formula then may be true, may be false, or both; the
//! search gives up when what it looks for is no longer possible.

use ir::litmus::{Formula, Operand};

/// What is known of a part of the final state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Prospect {
    /// Its value.
    Known(u64),
    /// One of these.
    Among(Vec<u64>),
    /// Nothing.
    Open,
}

impl Prospect {
    fn may_be(&self, value: u64) -> bool {
        match self {
            Prospect::Known(known) => *known == value,
            Prospect::Among(values) => values.contains(&value),
            Prospect::Open => true,
        }
    }

    fn may_differ(&self, value: u64) -> bool {
        match self {
            Prospect::Known(known) => *known != value,
            Prospect::Among(values) => values.iter().any(|known| *known != value),
            Prospect::Open => true,
        }
    }
}

/// Whether a formula may be true, and whether it may be false.
pub(super) fn three_valued(formula: &Formula, state: &[Prospect]) -> (bool, bool) {
    match formula {
        Formula::Constant(value) => (*value, !*value),
        Formula::Equal(index, Operand::Value(value)) => {
            (state[*index].may_be(*value), state[*index].may_differ(*value))
        }
        Formula::Equal(index, Operand::Observed(other)) => match (&state[*index], &state[*other]) {
            (Prospect::Known(a), Prospect::Known(b)) => (a == b, a != b),
            (Prospect::Known(value), unknown) | (unknown, Prospect::Known(value)) => {
                (unknown.may_be(*value), unknown.may_differ(*value))
            }
            _ => (true, true),
        },
        Formula::Not(inner) => {
            let (yes, no) = three_valued(inner, state);
            (no, yes)
        }
        Formula::And(parts) => parts.iter().fold((true, false), |(yes, no), part| {
            let (may, may_not) = three_valued(part, state);
            (yes && may, no || may_not)
        }),
        Formula::Or(parts) => parts.iter().fold((false, true), |(yes, no), part| {
            let (may, may_not) = three_valued(part, state);
            (yes || may, no && may_not)
        }),
        Formula::Implies(left, right) => {
            let (left_yes, left_no) = three_valued(left, state);
            let (right_yes, right_no) = three_valued(right, state);
            (left_no || right_yes, left_yes && right_no)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_keep_their_options_open() {
        let equal = |index, value| Formula::Equal(index, Operand::Value(value));
        let state = [Prospect::Known(1), Prospect::Open, Prospect::Among(vec![1, 2])];
        assert_eq!(three_valued(&equal(0, 1), &state), (true, false));
        assert_eq!(three_valued(&equal(1, 1), &state), (true, true));
        assert_eq!(three_valued(&equal(2, 3), &state), (false, true));
        assert_eq!(three_valued(&Formula::And(vec![equal(1, 1), equal(2, 3)]), &state), (false, true));
        assert_eq!(three_valued(&Formula::Or(vec![equal(1, 1), equal(0, 1)]), &state), (true, false));
        assert_eq!(three_valued(&Formula::Not(Box::new(equal(2, 3))), &state), (true, false));
        assert_eq!(three_valued(&Formula::Implies(Box::new(equal(0, 1)), Box::new(equal(2, 1))), &state), (true, true));
    }
}
