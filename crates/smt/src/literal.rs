//! What do clauses and theories speak about? Variables of the SAT solver and their negations.

/// A variable of the SAT solver or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub(crate) i32);

impl Lit {
    pub(crate) fn from_raw(raw: i32) -> Lit {
        debug_assert!(raw != 0 && raw != i32::MIN, "literals are neither zero nor the smallest number");
        Lit(raw)
    }

    pub(crate) fn raw(self) -> i32 {
        self.0
    }

    /// The variable, dense from one.
    pub fn var(self) -> usize {
        self.0.unsigned_abs() as usize
    }

    /// Whether this is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 < 0
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(-self.0)
    }
}
