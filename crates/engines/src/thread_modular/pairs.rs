//! What keeps two accesses apart that could race? A lock, the order of starting and joining, or that they are in different places.
//!
//! Known as: lock sets, may-happen-in-parallel analysis, escape analysis, per-thread cells. Two accesses that conflict do not race if
//! - both are atomic;
//! - their objects are different, or one is in an object whose address never leaves its thread;
//! - their threads do not run at the same time: one is joined before the other is started;
//! - both hold the same lock: at one fixed address, or at the same distance from what they access;
//! - one is to an object that its maker has not yet made known. Whoever knows it later has its address from a chain of writes and reads, and each of
//!   these links orders: plain accesses because they do not race, by this very proof, atomic ones if they release and acquire (`loose` names the others);
//! - they are in different cells, by the numbers or objects that their threads were given.

use super::flow::{World, is_access};
use super::places::{Base, Distinct, Exact, Root, apart, distance, locate};
use super::ranges::full;
use super::spots::Spot;
use super::state::{Hold, Number, Token};
use super::threads::{Contexts, Given};
use crate::Run;
use ir::access::AccessKind;
use ir::{Access, LocId, Op, ProcId, Span, Stmt, Target, Why};
use logic::{Pool, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

use super::counters::Counters;
use super::flow::Flow;
use super::sites::Array;
use super::state::{Origin, State};

/// How many pairs of accesses are judged.
const MAX_PAIRS: u64 = 4_000_000;

/// The bytes of a whole object, wherever the address is in it.
const WHOLE: i128 = 1 << 62;

/// A lock that is held: its address, the one cell that this is if it is known, and how.
type Held = (TermId, Option<(usize, i128)>, Hold);

/// An access of a procedure with what its thread knows.
pub(super) struct Seen {
    pub(super) spot: Spot,
    pub(super) proc: ProcId,
    pub(super) loc: LocId,
    pub(super) span: Span,
    /// Whether it is the end of an object that is no access, as far as races go.
    pub(super) is_scope_end: bool,
    writes: bool,
    is_atomic: bool,
    var: Option<VarId>,
    /// The address over roots, and how many bytes; the whole object if none.
    addr: Option<(TermId, Option<u64>)>,
    roots: BTreeMap<VarId, Root>,
    objects: Option<Vec<usize>>,
    /// The object is one that the thread has made, and nobody else knows it.
    is_unknown_to_others: bool,
    locks: Vec<Held>,
    running: BTreeMap<Spot, Number>,
    used: BTreeSet<(Spot, Token)>,
    /// All threads of the site whose number is up to the variable have ended.
    joined: BTreeSet<(Spot, VarId)>,
}

/// What keeps pairs apart, counted.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Reasons {
    pub(crate) pairs: u64,
    pub(crate) by_order: u64,
    pub(crate) by_lock: u64,
    pub(crate) by_place: u64,
}

/// The accesses of a statement that can race.
pub(super) fn seen(
    flow: &Flow<'_, '_>,
    pool: &mut Pool,
    loc: LocId,
    stmt: (Spot, &Stmt),
    state: &State,
    loose: &FxHashSet<usize>,
) -> Vec<Seen> {
    stmt.1.accesses().iter().filter_map(|access| one(flow, pool, loc, stmt, access, state, loose)).collect()
}

fn one(
    flow: &Flow<'_, '_>,
    pool: &mut Pool,
    loc: LocId,
    (spot, stmt): (Spot, &Stmt),
    access: &Access,
    state: &State,
    loose: &FxHashSet<usize>,
) -> Option<Seen> {
    let (var, original, bytes) = match access.target {
        Target::Var(var) => (Some(var), None, None),
        Target::Mem { addr, bytes, .. } => (None, Some(addr), Some(bytes)),
        Target::Object { addr } => (None, Some(addr), None),
        Target::Thread(_) | Target::OwnThread | Target::AllThreads | Target::Process => return None,
    };
    let addr = original.map(|addr| state.term(pool, addr));
    let mut roots = BTreeMap::new();
    let mut maker = None;
    if let Some(addr) = addr {
        let mut vars = Vec::new();
        pool.for_each_free_var(addr, &mut |var| vars.push(var));
        for var in vars {
            roots.insert(var, flow.root(pool, var, state));
            if let Some(Origin::Made(spot)) = state.origin.get(&var) {
                maker = Some(*spot);
            }
        }
    }
    let objects = original.map_or(Some(Vec::new()), |addr| flow.world.points_to.of(addr));
    let is_unknown_to_others = maker.is_some_and(|spot| {
        let target = flow.world.made[&spot];
        !state.escaped.contains(&spot)
            && !loose.contains(&target)
            && objects.as_ref().is_some_and(|all| *all == [target])
    });
    let locks = state.locks.iter().map(|(lock, hold)| {
        let cell = flow.locate(pool, *lock, state).and_then(|exact| exact.cell());
        (*lock, cell, *hold)
    });
    Some(Seen {
        spot,
        proc: flow.id,
        loc,
        span: stmt.span,
        is_scope_end: !is_access(&stmt.op),
        writes: access.kind != AccessKind::Read,
        is_atomic: access.order.is_atomic() || state.depth > 0,
        var,
        addr: addr.map(|addr| (addr, bytes)),
        roots,
        objects,
        is_unknown_to_others,
        locks: locks.collect(),
        running: state.running.clone(),
        used: state.used.clone(),
        joined: state
            .joined
            .iter()
            .filter(|((site, _), own)| **own && !state.unstored.contains_key(site))
            .map(|(key, _)| *key)
            .collect(),
    })
}

/// Targets whose addresses are passed on by accesses that order nothing.
pub(super) fn loose(world: &World<'_>, pool: &mut Pool) -> FxHashSet<usize> {
    let mut loose = FxHashSet::default();
    for (_, _, stmt) in world.spots.all(world.program) {
        let (order, terms) = match &stmt.op {
            Op::Store { value, order, .. } => (*order, vec![(*value, !order.releases())]),
            Op::Load { dst, order, .. } => (*order, vec![(pool.var(*dst), !order.acquires())]),
            Op::Rmw { dst, new, order, failure, .. } => {
                let acquires = order.acquires() && failure.is_none_or(|failure| failure.order.acquires());
                (*order, vec![(*new, !order.releases()), (pool.var(*dst), !acquires)])
            }
            _ => continue,
        };
        for (term, is_loose) in terms {
            if order.is_atomic() && is_loose {
                match world.points_to.of(term) {
                    Some(targets) => loose.extend(targets),
                    None => loose.extend(0..world.points_to.targets.len()),
                }
            }
        }
    }
    loose
}

/// What the judge of pairs knows.
pub(super) struct Judge<'a, 'p> {
    pub(super) world: &'a World<'p>,
    pub(super) contexts: &'a Contexts,
    pub(super) given: &'a FxHashMap<Spot, Given>,
    pub(super) counters: &'a [Counters],
    pub(super) seen: &'a [Seen],
    /// Where the handles of threads are.
    pub(super) arrays: &'a BTreeMap<Spot, Array>,
    /// Targets with locks that are given back by who does not hold them; all if none.
    pub(super) distrusted: Option<&'a FxHashSet<usize>>,
    /// The places of accesses in contexts, once they are asked for.
    pub(super) places: FxHashMap<(usize, usize), Option<Exact>>,
    pub(super) reasons: Reasons,
}

impl Judge<'_, '_> {
    /// All accesses with the contexts that they are made in.
    pub(super) fn accesses(&self) -> impl Iterator<Item = (usize, usize)> {
        let (contexts, seen) = (self.contexts, self.seen);
        (0..contexts.all.len()).flat_map(move |context| {
            let is_in = move |index: &usize| seen[*index].proc == contexts.all[context].proc;
            (0..seen.len()).filter(is_in).map(move |index| (index, context))
        })
    }

    /// Whether there is time for another pair.
    pub(super) fn may_go_on(&self, run: &mut Run) -> Result<(), Why> {
        match run.stop() {
            Some(why) => Err(why),
            None if self.reasons.pairs > MAX_PAIRS => {
                Err(Why::Bound(format!("more than {MAX_PAIRS} pairs of accesses")))
            }
            None => Ok(()),
        }
    }

    /// Whether two accesses in two contexts do not race.
    pub(super) fn no_race(&mut self, pool: &mut Pool, a: (usize, usize), b: (usize, usize)) -> bool {
        self.seen[a.0].is_atomic && self.seen[b.0].is_atomic || self.keeps_apart(pool, a, b)
    }

    /// Whether two accesses in two contexts do not conflict, or never come to be made by two threads at the same time.
    pub(super) fn keeps_apart(&mut self, pool: &mut Pool, a: (usize, usize), b: (usize, usize)) -> bool {
        let (first, second) = (&self.seen[a.0], &self.seen[b.0]);
        if !(first.writes || second.writes) || first.var != second.var {
            return true;
        }
        let disjoint = match (&first.objects, &second.objects) {
            (Some(x), Some(y)) => first.var.is_none() && !x.iter().any(|target| y.contains(target)),
            _ => false,
        };
        if disjoint {
            return true;
        }
        self.reasons.pairs += 1;
        if !self.contexts.parallel((a.1, &first.running), (b.1, &second.running), self.given) {
            self.reasons.by_order += 1;
        } else if self.have_lock(pool, first, second) {
            self.reasons.by_lock += 1;
        } else if self.are_elsewhere(pool, a, b) {
            self.reasons.by_place += 1;
        } else {
            return false;
        }
        true
    }

    fn have_lock(&self, pool: &Pool, a: &Seen, b: &Seen) -> bool {
        let trusted = |target: &usize| self.distrusted.is_some_and(|all| !all.contains(target));
        let relative = |seen: &Seen, lock: TermId| match seen.addr {
            Some((addr, Some(bytes))) => distance(pool, lock, addr).map(|at| (at, bytes)),
            _ => None,
        };
        a.locks.iter().any(|(x, at, hold)| {
            b.locks.iter().any(|(y, other, other_hold)| {
                let excludes = *hold == Hold::Alone || *other_hold == Hold::Alone;
                let is_same_cell = matches!((at, other), (Some(at), Some(other)) if at == other && trusted(&at.0));
                let is_same_distance = || {
                    let lies_in = |seen: &Seen| seen.objects.as_ref().is_some_and(|all| all.iter().all(trusted));
                    relative(a, *x).is_some_and(|at| relative(b, *y) == Some(at)) && lies_in(a) && lies_in(b)
                };
                excludes && (is_same_cell || is_same_distance())
            })
        })
    }

    fn are_elsewhere(&mut self, pool: &mut Pool, a: (usize, usize), b: (usize, usize)) -> bool {
        let stays = |seen: &Seen| {
            let is_own = |target: &usize| {
                matches!(self.world.points_to.targets[*target], ir::pass::AbstractObject::Made(_))
                    && self.world.points_to.stays_in_thread(*target)
            };
            seen.var.is_none() && seen.objects.as_ref().is_some_and(|all| all.iter().all(is_own))
        };
        let (first, second) = (&self.seen[a.0], &self.seen[b.0]);
        if first.is_unknown_to_others || second.is_unknown_to_others || stays(first) || stays(second) {
            return true;
        }
        let (Some(x), Some(y)) = (self.place(pool, a), self.place(pool, b)) else { return false };
        let size = |seen: &Seen| match seen.addr {
            Some((_, Some(bytes))) => i128::from(bytes),
            _ => WHOLE,
        };
        let whole = |exact: Exact, seen: &Seen| match seen.addr {
            Some((_, None)) => Exact { offset: exact.offset - WHOLE / 2, ..exact },
            _ => exact,
        };
        let (first, second) = (&self.seen[a.0], &self.seen[b.0]);
        let distinct = self.distinct(pool, a, b, x, y);
        apart((whole(x, first), size(first)), (whole(y, second), size(second)), distinct)
    }

    /// The place of an access in a context.
    fn place(&mut self, pool: &mut Pool, (access, context): (usize, usize)) -> Option<Exact> {
        if let Some(known) = self.places.get(&(access, context)) {
            return *known;
        }
        let seen = &self.seen[access];
        let given = self.contexts.all[context].spot.and_then(|spot| self.given.get(&spot));
        let (addr, _) = seen.addr?;
        let params = &self.world.program.proc(seen.proc).params;
        let arg_of = |var: VarId| {
            let index = params.iter().position(|param| *param == var)?;
            // A parameter that is set anew is no longer what was given.
            given.filter(|_| !self.counters[seen.proc.index()].is_set(var))?.args.get(index).copied()
        };
        let bound = pool.substitute(addr, &arg_of);
        let root = |var: VarId| match given.and_then(|given| given.roots.get(&var)) {
            Some(Root::Object(Base::Own(spot), at)) => Root::Object(Base::Given(*spot), *at),
            Some(root) => *root,
            None => seen.roots.get(&var).copied().unwrap_or(Root::Number(full(0))),
        };
        let place = locate(pool, bound, &root, &|addr| self.world.object_at(addr));
        self.places.insert((access, context), place);
        place
    }

    /// How the numbers and objects of two threads differ.
    fn distinct(&self, pool: &Pool, a: (usize, usize), b: (usize, usize), x: Exact, y: Exact) -> Distinct {
        let is_own = |base| matches!(base, Base::Own(_));
        let own = is_own(x.base) && is_own(y.base);
        let is_one_counter = matches!((x.stride, y.stride), (Some((x, _)), Some((y, _))) if x == y);
        if a.1 == b.1 {
            let Some((spot, given)) = self.contexts.all[a.1].spot.and_then(|spot| Some((spot, self.given.get(&spot)?)))
            else {
                return Distinct { counters: false, objects: own };
            };
            let is_fresh = |token| !given.before.used.contains(&(spot, token)) && self.contexts.has_one_creator(a.1);
            let numbers = |(var, _)| self.numbers(given, var) && is_fresh(Token::Counter(var));
            return Distinct {
                counters: is_one_counter && x.stride.is_some_and(numbers),
                objects: own || matches!(x.base, Base::Given(made) if is_fresh(Token::Made(made)) && x.base == y.base),
            };
        }
        let creates = (self.contexts.is_creator(a.1, b.1), self.contexts.is_creator(b.1, a.1));
        let (thread, creator, exact, other) = match creates {
            (true, _) => (b, a, y, x),
            (_, true) => (a, b, x, y),
            _ => return Distinct { counters: false, objects: own },
        };
        let Some((spot, given)) =
            self.contexts.all[thread.1].spot.and_then(|spot| Some((spot, self.given.get(&spot)?)))
        else {
            return Distinct::default();
        };
        let at = &self.seen[creator.0];
        let is_fresh = |token| !at.used.contains(&(spot, token));
        let in_cycle = given.cycle == Some(self.counters[at.proc.index()].cycle_at(at.loc));
        let numbers = |(var, _)| self.numbers(given, var) && is_fresh(Token::Counter(var));
        Distinct {
            counters: in_cycle && is_one_counter && exact.stride.is_some_and(numbers)
                || self.has_ended(pool, spot, at, (exact, other)),
            objects: own || matches!(exact.base, Base::Given(made) if is_fresh(Token::Made(made))),
        }
    }

    /// Whether the creator has joined the threads up to the number that it uses: who still runs has a greater one.
    fn has_ended(&self, pool: &Pool, spot: Spot, at: &Seen, (thread, creator): (Exact, Exact)) -> bool {
        let (Some((its, _)), Some((own, _))) = (thread.stride, creator.stride) else { return false };
        let is_number = self.arrays.get(&spot).is_some_and(|array| array.number == its && array.least >= 0);
        is_number && at.joined.contains(&(spot, own)) && pool.var_sort(its) == pool.var_sort(own)
    }

    /// Whether the variable is one of the creator that counts the threads of the context.
    fn numbers(&self, given: &Given, var: VarId) -> bool {
        given.cycle.is_some_and(|cycle| self.counters[given.by.index()].of_cycle(cycle).contains(&var))
    }
}
