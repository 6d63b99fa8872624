//! Which variables are merely names for terms?
//!
//! A bounded model checker asserts `x3 = ite(g, x2 + 1, x2)` by the thousand. Taken as a definition of `x3`, that costs
//! no variable and no clause, and lets constants and shared gates flow on. An equation of a variable is a definition if
//! the variable was neither encoded nor used in an earlier definition; so definitions only refer to earlier ones and
//! cannot be circular.
//!
//! Invariant: a variable used in the right-hand side of a definition is in `used`, directly or below a used term.

use logic::{Node, Op, Pool, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definitions that stand.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    terms: FxHashMap<VarId, TermId>,
    used: FxHashSet<TermId>,
    /// What was added, in order.
    defined: Vec<VarId>,
    used_in_order: Vec<TermId>,
}

/// A moment to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    defined: usize,
    used: usize,
}

impl Definitions {
    pub(super) fn mark(&self) -> Mark {
        Mark { defined: self.defined.len(), used: self.used_in_order.len() }
    }

    /// Whether a definition was made since then.
    pub(super) fn any_since(&self, mark: Mark) -> bool {
        self.defined.len() > mark.defined
    }

    pub(super) fn forget_since(&mut self, mark: Mark) {
        for var in self.defined.drain(mark.defined..) {
            self.terms.remove(&var);
        }
        for term in self.used_in_order.drain(mark.used..) {
            self.used.remove(&term);
        }
    }

    pub(super) fn of(&self, var: VarId) -> Option<TermId> {
        self.terms.get(&var).copied()
    }

    /// The defined variables, each after those that its definition refers to.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (VarId, TermId)> {
        self.defined.iter().map(|&var| (var, self.terms[&var]))
    }

    /// Takes an asserted formula as a definition if it is an equation of a variable that may be defined.
    pub(super) fn accept(&mut self, pool: &Pool, formula: TermId, is_encoded: &dyn Fn(VarId, TermId) -> bool) -> bool {
        let Node::App { op: Op::Eq, args } = pool.node(formula) else { return false };
        // The later variable of two is the more likely one to be a name for the other.
        for (left, right) in [(args[1], args[0]), (args[0], args[1])] {
            let Some(var) = pool.as_var(left) else { continue };
            if self.terms.contains_key(&var) || self.used.contains(&left) || is_encoded(var, left) {
                continue;
            }
            self.use_term(pool, right);
            if self.used.contains(&left) {
                continue;
            }
            self.terms.insert(var, right);
            self.defined.push(var);
            return true;
        }
        false
    }

    fn use_term(&mut self, pool: &Pool, term: TermId) {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if self.used.insert(term) {
                self.used_in_order.push(term);
                open.extend_from_slice(pool.node(term).args());
            }
        }
    }
}
