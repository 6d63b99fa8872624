//! What does a statement touch? The only place that says so; reductions, cones, races and events all ask here.
//!
//! `Stmt::accesses` tells what a statement touches of the state that threads share, when it does what it says. What
//! depends on where the statement runs is left to the asker, who knows: the outermost `Return` of a thread is an
//! `ExitThread`, that of the first thread an `ExitProcess`; a check that fails and an access to what is no object end
//! the process, which is a write of `Target::Process`; and all accesses from `AtomicBegin` to `AtomicEnd` are one step.
//! `Alloc` touches nothing, since each thread allocates at addresses of its own.
//!
//! Invariant: if no two accesses of two statements `may_conflict`, the statements commute.

use crate::memory::RegionId;
use crate::program::Program;
use crate::stmt::{Callee, Op, Order, Place, Stmt};
use logic::{Pool, Scalar, TermId, VarId};
use smallvec::{SmallVec, smallvec};

/// How a target is touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum AccessKind {
    /// It is only looked at.
    Read,
    /// It is changed without being looked at.
    Write,
    /// Both in one step.
    Update,
}

impl AccessKind {
    /// Whether the target may be changed.
    pub fn writes(self) -> bool {
        self != AccessKind::Read
    }

    /// Whether the target is looked at.
    pub fn reads(self) -> bool {
        self != AccessKind::Write
    }
}

/// What is touched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// A global variable.
    Var(VarId),
    /// Bytes of an object.
    Mem {
        /// The address.
        addr: TermId,
        /// How many.
        bytes: u64,
        /// Where it can point.
        region: RegionId,
    },
    /// The whole object that starts at an address (`Free`).
    Object {
        /// The address.
        addr: TermId,
    },
    /// Whether the thread with this handle has ended (`Join`).
    Thread(TermId),
    /// Whether the running thread has ended (`ExitThread`).
    OwnThread,
    /// Which threads there are (`Start`): handles are given out in order.
    AllThreads,
    /// Whether the process runs.
    Process,
}

/// One thing that a statement touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// What.
    pub target: Target,
    /// How.
    pub kind: AccessKind,
    /// In which memory order.
    pub order: Order,
}

/// All that a statement touches.
pub type Accesses = SmallVec<[Access; 1]>;

impl Stmt {
    /// What the statement touches of the shared state.
    pub fn accesses(&self) -> Accesses {
        self.op.accesses()
    }
}

impl Op {
    /// What the statement touches of the shared state.
    pub fn accesses(&self) -> Accesses {
        let access = |target, kind, order| smallvec![Access { target, kind, order }];
        match self {
            Op::Load { place, order, .. } => access(place.target(), AccessKind::Read, *order),
            Op::Store { place, order, .. } => access(place.target(), AccessKind::Write, *order),
            Op::Rmw { place, order, .. } => access(place.target(), AccessKind::Update, *order),
            Op::Free { addr, .. } => access(Target::Object { addr: *addr }, AccessKind::Write, Order::Plain),
            Op::Start { .. } => access(Target::AllThreads, AccessKind::Update, Order::SeqCst),
            Op::Join { thread, .. } => access(Target::Thread(*thread), AccessKind::Read, Order::SeqCst),
            Op::ExitThread(_) => access(Target::OwnThread, AccessKind::Write, Order::SeqCst),
            Op::ExitProcess { .. } => access(Target::Process, AccessKind::Write, Order::SeqCst),
            Op::Assign { .. }
            | Op::Havoc { .. }
            | Op::Assume(_)
            | Op::Check { .. }
            | Op::Fence(_)
            | Op::Alloc { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::Call { .. }
            | Op::Return(_)
            | Op::Mark(..) => Accesses::new(),
        }
    }
}

impl Place {
    /// The place as a target.
    pub fn target(&self) -> Target {
        match *self {
            Place::Var(var) => Target::Var(var),
            Place::Mem { addr, sort, region } => Target::Mem { addr, bytes: bytes_of(sort), region },
        }
    }
}

/// The bytes that a value of this sort takes in memory.
pub fn bytes_of(sort: Scalar) -> u64 {
    match sort {
        Scalar::Bool => 1,
        Scalar::Bv(width) => u64::from(width.div_ceil(8)),
        Scalar::F32 => 4,
        Scalar::F64 => 8,
    }
}

/// Whether two accesses of different threads can touch the same thing, one of them changing it.
pub fn may_conflict(pool: &Pool, a: &Access, b: &Access) -> bool {
    if a.target == Target::Process || b.target == Target::Process {
        return true;
    }
    (a.kind.writes() || b.kind.writes()) && may_overlap(pool, a.target, b.target)
}

fn may_overlap(pool: &Pool, a: Target, b: Target) -> bool {
    match (a, b) {
        (Target::Var(a), Target::Var(b)) => a == b,
        (Target::Mem { addr: a, bytes: m, region: r }, Target::Mem { addr: b, bytes: n, region: s }) => {
            let apart = r != s && r != RegionId::ANYWHERE && s != RegionId::ANYWHERE;
            !apart && ranges_may_overlap(pool, (a, m), (b, n))
        }
        (Target::Object { addr: a }, Target::Object { addr: b }) => ranges_may_overlap(pool, (a, 1), (b, 1)),
        (Target::Object { .. }, Target::Mem { .. }) | (Target::Mem { .. }, Target::Object { .. }) => true,
        (Target::OwnThread, Target::Thread(_)) | (Target::Thread(_), Target::OwnThread) => true,
        (Target::AllThreads, Target::AllThreads) => true,
        _ => false,
    }
}

/// Only constant addresses can be compared: terms of different threads speak of different variables.
fn ranges_may_overlap(pool: &Pool, a: (TermId, u64), b: (TermId, u64)) -> bool {
    let start = |term| pool.as_const(term).map(|value| u128::from(value.as_bv().as_u64()));
    match (start(a.0), start(b.0)) {
        (Some(x), Some(y)) => x < y + u128::from(b.1) && y < x + u128::from(a.1),
        _ => true,
    }
}

/// The terms of a statement.
pub fn terms(op: &Op) -> SmallVec<[TermId; 3]> {
    let mut terms = SmallVec::new();
    let mut add_place = |place: &Place| {
        if let Place::Mem { addr, .. } = place {
            terms.push(*addr);
        }
    };
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => add_place(place),
        _ => {}
    }
    match op {
        Op::Assign { value, .. } | Op::Store { value, .. } => terms.push(*value),
        Op::Rmw { wait, owner, new, failure, .. } => {
            terms.extend(*wait);
            terms.extend(*owner);
            terms.push(*new);
            terms.extend(failure.map(|failure| failure.when));
        }
        Op::Assume(cond) | Op::Check { cond, .. } => terms.push(*cond),
        Op::Alloc { size, .. } => terms.push(*size),
        Op::Free { addr, .. } => terms.push(*addr),
        Op::Start { callee, args, .. } | Op::Call { callee, args, .. } => {
            if let Callee::Pointer(pointer) = callee {
                terms.push(*pointer);
            }
            terms.extend(args.iter().copied());
        }
        Op::Join { thread, .. } => terms.push(*thread),
        Op::Return(value) => terms.extend(*value),
        Op::ExitThread(value) => terms.push(*value),
        Op::Mark(_, addr) => terms.push(*addr),
        Op::Havoc { .. }
        | Op::Load { .. }
        | Op::Fence(_)
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::ExitProcess { .. } => {}
    }
    terms
}

/// The local and thread variables whose values before the statement it depends on, ascending.
pub fn locals_read(op: &Op, pool: &Pool) -> SmallVec<[VarId; 4]> {
    let mut vars: SmallVec<[VarId; 4]> = SmallVec::new();
    let mut add = |term: TermId, except: Option<VarId>| {
        pool.for_each_free_var(term, &mut |var| {
            if Some(var) != except {
                vars.push(var);
            }
        });
    };
    if let Op::Rmw { dst, place, wait, owner, new, failure, .. } = op {
        // The old value is in `dst` before the other terms are looked at.
        if let Place::Mem { addr, .. } = place {
            add(*addr, None);
        }
        for term in wait.iter().chain(owner).chain([new]).chain(failure.iter().map(|failure| &failure.when)) {
            add(*term, Some(*dst));
        }
    } else {
        for term in terms(op) {
            add(term, None);
        }
    }
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// The local or thread variable that the statement sets (a call sets it when it returns).
pub fn local_written(op: &Op) -> Option<VarId> {
    match op {
        Op::Assign { var, .. } | Op::Havoc { var, .. } => Some(*var),
        Op::Load { dst, .. } | Op::Rmw { dst, .. } | Op::Alloc { dst, .. } | Op::Start { dst, .. } => Some(*dst),
        Op::Join { result, .. } | Op::Call { result, .. } => *result,
        Op::Assume(_)
        | Op::Check { .. }
        | Op::Store { .. }
        | Op::Fence(_)
        | Op::Free { .. }
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Return(_)
        | Op::ExitThread(_)
        | Op::ExitProcess { .. }
        | Op::Mark(..) => None,
    }
}

/// Whether the statement can keep its edge from being taken.
pub fn may_block(op: &Op) -> bool {
    matches!(op, Op::Assume(_) | Op::Rmw { wait: Some(_), .. } | Op::Join { .. })
}

/// All accesses of an edge's statements, in order.
pub fn edge_accesses<'p>(program: &'p Program, edge: crate::program::EdgeRef) -> impl Iterator<Item = Access> + 'p {
    program.edge(edge).stmts.iter().flat_map(|stmt| stmt.accesses())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stmt::{AllocKind, HavocKind};
    use logic::Sort;

    fn mem(pool: &mut Pool, addr: u64, width: u32, region: u32) -> Place {
        Place::Mem { addr: pool.bv(64, addr), sort: Scalar::Bv(width), region: RegionId(region) }
    }

    fn conflict(pool: &Pool, a: &Op, b: &Op) -> bool {
        a.accesses().iter().any(|x| b.accesses().iter().any(|y| may_conflict(pool, x, y)))
    }

    #[test]
    fn constant_addresses_and_regions_tell_accesses_apart() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Bv(32));
        let t = pool.declare("t", Sort::Bv(32));
        let p = pool.declare("p", Sort::Bv(64));
        let value = pool.var(t);
        let pointer = pool.var(p);
        let store = |place| Op::Store { place, value, order: Order::Plain };
        let load = |place| Op::Load { dst: t, place, order: Order::Plain };
        let anywhere = Place::Mem { addr: pointer, sort: Scalar::Bv(8), region: RegionId::ANYWHERE };
        let inside = Place::Mem { addr: pointer, sort: Scalar::Bv(8), region: RegionId(1) };
        let (a, b, c, far) = (
            mem(&mut pool, 100, 32, 1),
            mem(&mut pool, 103, 16, 1),
            mem(&mut pool, 104, 8, 1),
            mem(&mut pool, 500, 8, 2),
        );
        let rows = [
            (store(Place::Var(x)), load(Place::Var(x)), true),
            (load(Place::Var(x)), load(Place::Var(x)), false),
            (store(a), load(b), true),
            (store(a), load(c), false),
            (store(anywhere), load(far), true),
            (store(inside), load(far), false),
            (store(inside), load(a), true),
            (store(a), Op::Free { addr: pointer, kind: AllocKind::Heap }, true),
            (Op::ExitThread(pointer), Op::Join { thread: pointer, result: None }, true),
            (Op::ExitThread(pointer), Op::ExitThread(pointer), false),
            (Op::ExitProcess { is_abort: true }, load(a), true),
            (Op::Havoc { var: t, kind: HavocKind::Input }, Op::ExitProcess { is_abort: true }, false),
        ];
        for (a, b, expected) in &rows {
            assert_eq!(conflict(&pool, a, b), *expected, "{a:?} and {b:?}");
            assert_eq!(conflict(&pool, b, a), *expected, "{b:?} and {a:?}");
        }
    }

    #[test]
    fn an_update_does_not_read_its_own_destination() {
        let mut pool = Pool::new();
        let x = pool.declare("x", Sort::Bv(32));
        let old = pool.declare("old", Sort::Bv(32));
        let other = pool.declare("other", Sort::Bv(32));
        let (old_term, other_term) = (pool.var(old), pool.var(other));
        let new = pool.add(old_term, other_term);
        let op = Op::Rmw {
            dst: old,
            place: Place::Var(x),
            wait: None,
            owner: None,
            new,
            order: Order::SeqCst,
            failure: None,
        };
        assert_eq!(locals_read(&op, &pool).as_slice(), [other]);
        assert_eq!(local_written(&op), Some(old));
        let assign = Op::Assign { var: old, value: new };
        assert_eq!(locals_read(&assign, &pool).as_slice(), [old, other]);
    }
}
