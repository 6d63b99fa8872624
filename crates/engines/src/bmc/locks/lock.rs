//! Which steps take a lock, and which give one back? Those that wait for one constant to replace it by another, and those that write it back.
//!
//! A lock is a word at a constant address with one value that means free. Mutexes, spin locks and hand-made locks look alike here; a
//! semaphore, whose value is not constant, is none.

use crate::bmc::accesses::places::{Cell, PlaceKey, cell};
use logic::{Node, Op, Pool, TermId, VarId};

/// A lock.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Lock {
    key: PlaceKey,
    addr: Option<TermId>,
    /// Its value when it is free.
    free: TermId,
}

/// A lock, whatever its value is when it is free; the same in every unrolling.
pub(crate) type LockName = Cell;

impl Lock {
    /// The lock that a step takes, if it waits for a constant to replace it by another; `var` is the value read.
    pub(crate) fn taken(
        pool: &Pool,
        (key, addr): (PlaceKey, Option<TermId>),
        var: VarId,
        wait: TermId,
        new: TermId,
    ) -> Option<Lock> {
        let is_constant = |term: TermId| pool.as_const(term).is_some();
        let free = awaited(pool, var, wait)?;
        let new = when_free(pool, var, free, new);
        let is_lock = addr.is_none_or(is_constant) && is_constant(new) && free != new;
        is_lock.then_some(Lock { key, addr, free })
    }

    /// The lock that writing a constant may give back.
    pub(crate) fn given(pool: &Pool, key: PlaceKey, addr: Option<TermId>, value: TermId) -> Option<Lock> {
        let is_constant = |term: TermId| pool.as_const(term).is_some();
        (addr.is_none_or(is_constant) && is_constant(value)).then_some(Lock { key, addr, free: value })
    }

    /// What an update leaves in it that finds it free.
    pub(crate) fn left(&self, pool: &Pool, var: VarId, new: TermId) -> TermId {
        when_free(pool, var, self.free, new)
    }

    /// Its name.
    pub(crate) fn name(&self, pool: &Pool) -> LockName {
        cell(pool, self.key, self.addr)
    }

    /// Whether it is the word at this place.
    pub(crate) fn is_at(&self, key: PlaceKey, addr: Option<TermId>) -> bool {
        (self.key, self.addr) == (key, addr)
    }

    /// The place that it is in.
    pub(crate) fn key(&self) -> PlaceKey {
        self.key
    }

    /// Whether an access to its place at this address may touch it.
    pub(crate) fn may_be_at(&self, pool: &Pool, other: Option<TermId>) -> bool {
        match (self.addr, other) {
            (Some(a), Some(b)) => a == b || pool.as_const(b).is_none(),
            _ => true,
        }
    }

    /// Whether a value that is written to it surely leaves it taken.
    pub(crate) fn stays_shut(&self, pool: &Pool, value: TermId) -> bool {
        pool.as_const(value).is_some() && value != self.free
    }
}

/// The constant that a variable is awaited to have, perhaps among others.
fn awaited(pool: &Pool, var: VarId, wait: TermId) -> Option<TermId> {
    let Node::App { op, args } = pool.node(wait) else { return None };
    if *op == Op::Or {
        return args.iter().find_map(|arg| awaited(pool, var, *arg));
    }
    let [a, b] = args[..] else { return None };
    let (own, constant) = if pool.as_const(b).is_some() { (a, b) } else { (b, a) };
    let is_it = *op == Op::Eq && pool.as_const(constant).is_some() && pool.as_var(own) == Some(var);
    is_it.then_some(constant)
}

/// What a variable that has the awaited value becomes, if it is left as it is otherwise; else the whole term.
fn when_free(pool: &Pool, var: VarId, free: TermId, new: TermId) -> TermId {
    match pool.node(new) {
        Node::App { op: Op::Ite, args } => {
            let is_test = matches!(pool.node(args[0]), Node::App { op: Op::Eq, .. });
            let is_free = is_test && awaited(pool, var, args[0]) == Some(free);
            if is_free && pool.as_var(args[2]) == Some(var) { args[1] } else { new }
        }
        _ => new,
    }
}
