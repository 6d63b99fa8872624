//! What is known of a thread at a moment, whatever other threads do?
//!
//! Terms are over *roots*: variables of which nothing is known but their `Origin`. A variable that equals such a term is written as the term, until
//! one of its roots changes; if another variable is a copy of the root, that one takes its place.
//!
//! What must hold (`same`, `origin`, `locks`, `below`, `joined`, `current`, `written`, `depth`) gets less where ways meet, what may hold (`running`, `used`, `escaped`, `moved`, `unstored`)
//! gets more.

use super::spots::Spot;
use logic::{Pool, TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Where a root has its value from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// The start of the last object that the thread has made at the site.
    Made(Spot),
    /// The handle of the thread that was last started at the site.
    Handle(Spot),
    /// What was read at an address, a term over roots; and as the program has it.
    Loaded(TermId, TermId),
    /// What was read from a global variable.
    Global(VarId),
}

/// What tells the rounds of a loop apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Token {
    Counter(VarId),
    Made(Spot),
}

/// How many threads of a site may be running.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Number {
    One,
    Many,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Hold {
    Shared,
    Alone,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct State {
    /// Variables that equal a term.
    pub(super) same: BTreeMap<VarId, TermId>,
    pub(super) origin: BTreeMap<VarId, Origin>,
    /// Locks that are held, by address.
    pub(super) locks: BTreeMap<TermId, Hold>,
    /// Roots that are less than a term, by signed or unsigned comparison.
    pub(super) below: BTreeSet<(VarId, TermId, bool)>,
    /// Threads of these sites may be running.
    pub(super) running: BTreeMap<Spot, Number>,
    /// The token's present value may be that which a thread of the site was started with.
    pub(super) used: BTreeSet<(Spot, Token)>,
    /// The last object made at the site may be known to others.
    pub(super) escaped: BTreeSet<Spot>,
    /// All threads of the site whose number is below the variable have ended; whether that of the very number has, too.
    pub(super) joined: BTreeMap<(Spot, VarId), bool>,
    /// Variables that may have changed since a thread of the site was started.
    pub(super) moved: BTreeSet<(Spot, VarId)>,
    /// The counter has the value that the last thread of the site was started with.
    pub(super) current: BTreeSet<(Spot, VarId)>,
    /// The handle of a thread of the site may not be in its array: not yet, or never.
    pub(super) unstored: BTreeMap<Spot, Unstored>,
    /// Cells that the thread has written, or its creator before it started it: of which target, and where.
    pub(super) written: BTreeSet<(usize, i128)>,
    /// How many atomic sections it is in, at least.
    pub(super) depth: u32,
}

/// Where a handle is that is not in its array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Unstored {
    NotYet,
    Never,
}

impl State {
    /// The term over roots.
    pub(super) fn term(&self, pool: &mut Pool, term: TermId) -> TermId {
        pool.substitute(term, &|var| self.same.get(&var).copied())
    }

    /// What may be true here or there. Gives whether it is less than was known here.
    pub(super) fn merge(&mut self, pool: &mut Pool, other: &State) -> bool {
        let before = self.clone();
        self.merge_terms(pool, &before, other);
        self.origin = merged_origins(pool, &before, other);
        self.locks = before
            .locks
            .iter()
            .filter_map(|(lock, hold)| Some((*lock, (*hold).min(*other.locks.get(&other.term(pool, *lock))?))))
            .collect();
        self.below.retain(|(var, bound, is_signed)| {
            let own = pool.var(*var);
            let (var, bound) = (other.term(pool, own), other.term(pool, *bound));
            pool.as_var(var).is_some_and(|var| other.below.contains(&(var, bound, *is_signed)))
        });
        for (site, number) in &other.running {
            let known = self.running.entry(*site).or_insert(*number);
            *known = (*known).max(*number);
        }
        self.used.extend(&other.used);
        self.escaped.extend(&other.escaped);
        self.joined.retain(|key, own| other.joined.get(key) == Some(own));
        self.moved.extend(&other.moved);
        self.current.retain(|fact| other.current.contains(fact));
        self.written.retain(|cell| other.written.contains(cell));
        for (site, unstored) in &other.unstored {
            let known = self.unstored.entry(*site).or_insert(*unstored);
            *known = (*known).max(*unstored);
        }
        self.depth = self.depth.min(other.depth);
        self.drop_stale(pool);
        *self != before
    }

    /// Keeps of what variables equal that which holds on both ways; where they equal different terms here and there, either may hold on both.
    fn merge_terms(&mut self, pool: &mut Pool, before: &State, other: &State) {
        self.same.clear();
        for (var, term) in &before.same {
            let own = pool.var(*var);
            let (here, there) = (before.term(pool, own), other.term(pool, own));
            if other.term(pool, *term) == there {
                self.same.insert(*var, *term);
            } else if let Some(theirs) = other.same.get(var)
                && before.term(pool, *theirs) == here
            {
                self.same.insert(*var, *theirs);
            }
        }
    }

    /// Terms are over roots, and only roots have an origin.
    fn drop_stale(&mut self, pool: &Pool) {
        loop {
            let same = &self.same;
            let is_over_roots = |term: TermId| {
                let mut over_roots = true;
                pool.for_each_free_var(term, &mut |var| over_roots &= !same.contains_key(&var));
                over_roots
            };
            let stale: Vec<VarId> =
                same.iter().filter(|(_, term)| !is_over_roots(**term)).map(|(var, _)| *var).collect();
            if stale.is_empty() {
                self.origin.retain(|var, origin| {
                    !same.contains_key(var) && !matches!(origin, Origin::Loaded(addr, _) if !is_over_roots(*addr))
                });
                self.below.retain(|(var, bound, _)| !same.contains_key(var) && is_over_roots(*bound));
                self.locks.retain(|lock, _| is_over_roots(*lock));
                return;
            }
            self.same.retain(|var, _| !stale.contains(var));
        }
    }

    /// The variable gets a value of which nothing is known.
    pub(super) fn forget(&mut self, pool: &mut Pool, var: VarId) {
        self.current.retain(|(_, root)| *root != var);
        let was_root = self.same.remove(&var).is_none();
        if !was_root {
            return;
        }
        let own = pool.var(var);
        let heir = self.same.iter().find(|(_, term)| **term == own).map(|(heir, _)| *heir);
        if let Some(heir) = heir {
            self.inherit(pool, var, heir);
        }
        let mentions = |term: TermId| pool.has_free_var(term, var);
        self.same.retain(|_, term| !mentions(*term));
        self.origin
            .retain(|root, origin| *root != var && !matches!(origin, Origin::Loaded(addr, _) if mentions(*addr)));
        self.locks.retain(|lock, _| !mentions(*lock));
        self.below.retain(|(root, bound, _)| *root != var && !mentions(*bound));
        self.joined.retain(|(_, root), _| *root != var);
    }

    /// A copy of a root takes its place.
    fn inherit(&mut self, pool: &mut Pool, root: VarId, heir: VarId) {
        self.same.remove(&heir);
        let new = pool.var(heir);
        let mut renamed = |term: TermId| pool.substitute(term, &|var| (var == root).then_some(new));
        for term in self.same.values_mut() {
            *term = renamed(*term);
        }
        if let Some(origin) = self.origin.remove(&root) {
            self.origin.insert(heir, origin);
        }
        for origin in self.origin.values_mut() {
            if let Origin::Loaded(addr, _) = origin {
                *addr = renamed(*addr);
            }
        }
        self.locks = std::mem::take(&mut self.locks).into_iter().map(|(lock, hold)| (renamed(lock), hold)).collect();
        let below = std::mem::take(&mut self.below);
        let rename = |var: VarId| if var == root { heir } else { var };
        self.below = below.into_iter().map(|(var, bound, signed)| (rename(var), renamed(bound), signed)).collect();
    }
}

/// Where roots have their values from on both ways. Null is no object: what is null on one way and the start of an object on the other is that object
/// wherever it is used.
fn merged_origins(pool: &mut Pool, here: &State, there: &State) -> BTreeMap<VarId, Origin> {
    let mut merged = BTreeMap::new();
    let mut is_null = |state: &State, var: VarId| {
        let own = pool.var(var);
        let term = state.term(pool, own);
        pool.as_const(term).and_then(super::places::signed) == Some(0)
    };
    for (var, origin) in here.origin.iter().chain(&there.origin) {
        let (mine, theirs) = (here.origin.get(var), there.origin.get(var));
        let is_made = matches!(origin, Origin::Made(_));
        let holds = mine == theirs
            || is_made && (mine.is_none() && is_null(here, *var) || theirs.is_none() && is_null(there, *var));
        if holds {
            merged.insert(*var, *origin);
        }
    }
    merged
}
