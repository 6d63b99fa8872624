//! What does a thread know along its way? A data flow over the locations of one procedure, without regard to other threads.
//!
//! It goes through a program twice: first to find what threads are started with and where their handles are kept (`Sites`), then once more knowing that,
//! so that joining all handles of an array ends all threads of a loop.

use super::counters::{Change, Counters, change};
use super::places::{Base, Exact, Pattern, Root, locate, signed};
use super::ranges::{Range, full};
use super::sites::{Sites, Stored};
use super::spots::{Spot, Spots};
use super::state::{Hold, Number, Origin, State, Token, Unstored};
use crate::Run;
use ir::pass::PointsTo;
use ir::{AllocKind, Callee, Edge, EdgeId, LocId, Mark, Op, Place, Proc, ProcId, Program, Stmt, Why};
use logic::{Node, Op as TermOp, Pool, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often locations may be visited, on average, before what is known of them is taken not to settle.
const MAX_VISITS: usize = 200;

/// The program with what is known of all of it.
pub(super) struct World<'p> {
    pub(super) program: &'p Program,
    pub(super) points_to: &'p PointsTo,
    pub(super) spots: Spots,
    /// The targets of statements that make objects.
    pub(super) made: FxHashMap<Spot, usize>,
    /// Targets of which there is one object at most.
    pub(super) once: FxHashSet<usize>,
}

impl World<'_> {
    /// The static object that a constant address is in or near, and its start.
    pub(super) fn object_at(&self, addr: i128) -> Option<(usize, i128)> {
        let half = 1i128 << (self.program.data_model.granule_bits() - 1);
        let is_near = |object: &&ir::Object| {
            (i128::from(object.base) - half..i128::from(object.base + object.size) + half).contains(&addr)
        };
        let object = self.program.objects.iter().find(is_near)?;
        let index = self.program.objects.iter().position(|other| other.base == object.base)?;
        Some((index, i128::from(object.base)))
    }
}

/// The flow through one procedure.
pub(super) struct Flow<'w, 'p> {
    pub(super) world: &'w World<'p>,
    pub(super) id: ProcId,
    pub(super) proc: &'p Proc,
    pub(super) counters: &'w Counters,
    pub(super) sites: &'w Sites,
}

impl Flow<'_, '_> {
    /// What is known at each location that can be reached.
    pub(super) fn solve(&self, pool: &mut Pool, run: &mut Run) -> Result<FxHashMap<LocId, State>, Why> {
        let out = self.proc.out_edges();
        let mut known: FxHashMap<LocId, State> = FxHashMap::default();
        let written = self.sites.written.get(&self.id).cloned().unwrap_or_default();
        known.insert(self.proc.entry, State { written, ..State::default() });
        let mut queue = vec![self.proc.entry];
        let mut n_visits = 0;
        while let Some(loc) = queue.pop() {
            n_visits += 1;
            if n_visits > MAX_VISITS * self.proc.locs.len() {
                return Err(Why::Bound(format!(
                    "more than {MAX_VISITS} visits of each location of {}",
                    self.proc.name
                )));
            }
            if let Some(why) = run.stop_soon() {
                return Err(why);
            }
            for id in &out[loc.index()] {
                let edge = &self.proc.edges[id.index()];
                let mut state = known[&loc].clone();
                for (spot, stmt) in self.statements(*id) {
                    self.step(pool, edge, (spot, stmt), &mut state);
                }
                let changed = match known.get_mut(&edge.to) {
                    Some(before) => before.merge(pool, &state),
                    None => {
                        known.insert(edge.to, state);
                        true
                    }
                };
                if changed && !queue.contains(&edge.to) {
                    queue.push(edge.to);
                }
            }
        }
        Ok(known)
    }

    /// The statements of an edge.
    pub(super) fn statements(&self, edge: EdgeId) -> impl Iterator<Item = (Spot, &Stmt)> {
        let first = self.world.spots.first(self.id, edge);
        self.proc.edges[edge.index()].stmts.iter().enumerate().map(move |(index, stmt)| (first.plus(index), stmt))
    }

    /// A statement runs.
    pub(super) fn step(&self, pool: &mut Pool, edge: &Edge, (spot, stmt): (Spot, &Stmt), state: &mut State) {
        match &stmt.op {
            Op::Assign { var, value } => self.assign(pool, *var, *value, state),
            Op::Havoc { var, .. } => self.forget(pool, *var, state),
            Op::Assume(cond) => {
                let cond = state.term(pool, *cond);
                self.assume(pool, cond, true, state);
            }
            Op::Load { dst, place, .. } => {
                let origin = self.origin_of(pool, place, state);
                self.forget(pool, *dst, state);
                if let Some(origin) = origin {
                    let stays = !matches!(origin, Origin::Loaded(addr, _) if pool.has_free_var(addr, *dst));
                    stays.then(|| state.origin.insert(*dst, origin));
                }
            }
            Op::Store { place, value, .. } => {
                self.publish(*value, state);
                if let Place::Mem { addr, .. } = place {
                    let addr = state.term(pool, *addr);
                    state.written.extend(self.locate(pool, addr, state).and_then(|exact| exact.cell()));
                }
                let array = self.sites.arrays.iter().find(|(_, array)| array.store == spot);
                if let Some((site, _)) = array
                    && state.unstored.get(site) == Some(&Unstored::NotYet)
                {
                    state.unstored.remove(site);
                }
            }
            Op::Rmw { dst, new, .. } => {
                self.publish(*new, state);
                self.forget(pool, *dst, state);
            }
            Op::Alloc { dst, .. } => {
                self.forget(pool, *dst, state);
                state.origin.retain(|_, origin| *origin != Origin::Made(spot));
                state.origin.insert(*dst, Origin::Made(spot));
                state.escaped.remove(&spot);
                state.used.retain(|(_, token)| *token != Token::Made(spot));
            }
            Op::Start { dst, args, .. } => self.start(pool, edge, spot, *dst, args, state),
            Op::Join { thread, result } => {
                self.join(pool, *thread, state);
                if let Some(result) = result {
                    self.forget(pool, *result, state);
                }
            }
            Op::AtomicBegin => state.depth += 1,
            Op::AtomicEnd => state.depth = state.depth.saturating_sub(1),
            Op::Mark(mark, lock) => {
                let lock = state.term(pool, *lock);
                match mark {
                    Mark::Locked => drop(state.locks.insert(lock, Hold::Alone)),
                    Mark::ReadLocked => drop(state.locks.insert(lock, Hold::Shared)),
                    Mark::Unlocked => drop(state.locks.remove(&lock)),
                    // These are for reports.
                    _ => {}
                }
            }
            Op::Return(Some(value)) | Op::ExitThread(value) => self.publish(*value, state),
            Op::Call { .. }
            | Op::Check { .. }
            | Op::Fence(_)
            | Op::Free { .. }
            | Op::Return(None)
            | Op::ExitProcess { .. } => {}
        }
    }

    fn assign(&self, pool: &mut Pool, var: VarId, value: TermId, state: &mut State) {
        if self.counters.counts(var) {
            match change(pool, var, value) {
                Change::By(by) => return self.count(pool, var, by, state),
                Change::To(to) => {
                    self.forget(pool, var, state);
                    for (site, array) in &self.sites.arrays {
                        if array.least >= to {
                            state.joined.insert((*site, var), false);
                        }
                    }
                    return;
                }
                Change::Other => return self.forget(pool, var, state),
            }
        }
        let term = state.term(pool, value);
        let is_own = pool.has_free_var(term, var);
        self.forget(pool, var, state);
        // The roots of the term may have been renamed, if the variable was one of them.
        if !is_own {
            state.same.insert(var, term);
        }
    }

    /// A counter goes on.
    fn count(&self, pool: &mut Pool, var: VarId, by: i128, state: &mut State) {
        let joined: Vec<((Spot, VarId), bool)> =
            state.joined.iter().filter(|((_, root), _)| *root == var).map(|(key, own)| (*key, *own)).collect();
        let wraps = !self.is_bounded(pool, var, by, state);
        self.forget(pool, var, state);
        for (key, own) in joined {
            if own && by == 1 && !wraps {
                state.joined.insert(key, false);
            }
        }
        if !wraps {
            state.used.retain(|(_, token)| *token != Token::Counter(var));
        }
    }

    /// Whether adding a constant to the counter cannot wrap.
    fn is_bounded(&self, pool: &Pool, var: VarId, by: i128, state: &State) -> bool {
        let width = pool.var_sort(var).width().unwrap_or(0);
        let fits = |bound: &TermId, is_signed: bool| {
            let most = if is_signed { (1i128 << (width - 1)) - 1 } else { (1i128 << width) - 1 };
            by == 1 || matches!(pool.as_const(*bound).and_then(signed), Some(bound) if bound >= 0 && bound + by <= most)
        };
        by > 0
            && (8..=64).contains(&width)
            && state.below.iter().any(|(root, bound, is_signed)| *root == var && fits(bound, *is_signed))
    }

    fn forget(&self, pool: &mut Pool, var: VarId, state: &mut State) {
        if self.sites.watched.contains(&var) {
            let running: Vec<Spot> = state.running.keys().copied().collect();
            state.moved.extend(running.into_iter().map(|site| (site, var)));
        }
        state.forget(pool, var);
    }

    /// A condition holds, or its contrary.
    fn assume(&self, pool: &mut Pool, cond: TermId, holds: bool, state: &mut State) {
        match pool.node(cond).clone() {
            Node::App { op: TermOp::Not, args } => self.assume(pool, args[0], !holds, state),
            Node::App { op: TermOp::And, args } if holds => {
                args.iter().for_each(|arg| self.assume(pool, *arg, true, state));
            }
            Node::App { op: TermOp::Or, args } if !holds => {
                args.iter().for_each(|arg| self.assume(pool, *arg, false, state));
            }
            Node::App { op: op @ (TermOp::Slt | TermOp::Ult), args } => {
                let is_signed = op == TermOp::Slt;
                match (pool.as_var(args[0]), holds) {
                    (Some(var), true) if !pool.has_free_var(args[1], var) => {
                        state.below.insert((var, args[1], is_signed));
                    }
                    (Some(var), false) => self.all_below(pool, var, args[1], is_signed, state),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The variable is no less than the bound: threads whose numbers are all below the bound have ended, if those below the variable have.
    fn all_below(&self, pool: &Pool, var: VarId, bound: TermId, is_signed: bool, state: &mut State) {
        let constant = |term: TermId| pool.as_const(term).and_then(signed);
        for (site, array) in &self.sites.arrays {
            let is_joined = state.joined.contains_key(&(*site, var));
            let is_within = |(other, other_signed): &(TermId, bool)| {
                let less = matches!((constant(*other), constant(bound)), (Some(a), Some(b)) if 0 <= a && a <= b);
                let mut stays = true;
                pool.for_each_free_var(*other, &mut |var| stays &= !state.moved.contains(&(*site, var)));
                *other_signed == is_signed && stays && (*other == bound || less)
            };
            if is_joined && !state.unstored.contains_key(site) && array.bounds.iter().any(is_within) {
                self.end(*site, state);
            }
        }
    }

    /// All threads of the site have ended, and those that they started, if they joined them.
    fn end(&self, site: Spot, state: &mut State) {
        state.running.remove(&site);
        if let Some(others) = self.sites.ends_with.get(&site) {
            state.running.retain(|other, _| !others.contains(other));
        }
    }

    fn start(&self, pool: &mut Pool, edge: &Edge, site: Spot, dst: VarId, args: &[TermId], state: &mut State) {
        for arg in args {
            self.publish(*arg, state);
        }
        self.forget(pool, dst, state);
        state.origin.retain(|_, origin| *origin != Origin::Handle(site));
        state.origin.insert(dst, Origin::Handle(site));
        let number = if state.running.contains_key(&site) { Number::Many } else { Number::One };
        state.running.insert(site, number);
        for other in self.sites.below.get(&site).into_iter().flatten() {
            state.running.insert(*other, Number::Many);
        }
        state.joined.retain(|(other, _), _| *other != site);
        let unstored = if state.unstored.contains_key(&site) { Unstored::Never } else { Unstored::NotYet };
        state.unstored.insert(site, unstored);
        if let Some(cycle) = self.counters.cycle_of(edge.from, edge.to) {
            for var in self.counters.of_cycle(cycle) {
                state.used.insert((site, Token::Counter(var)));
                state.current.insert((site, var));
            }
        }
        let made: Vec<Spot> = self.world.made.keys().copied().collect();
        state.used.extend(made.into_iter().map(|made| (site, Token::Made(made))));
    }

    fn join(&self, pool: &mut Pool, thread: TermId, state: &mut State) {
        let thread = state.term(pool, thread);
        let Some(root) = pool.as_var(thread) else { return };
        match state.origin.get(&root).copied() {
            Some(Origin::Handle(site)) if state.running.get(&site) == Some(&Number::One) => self.end(site, state),
            Some(Origin::Loaded(addr, _)) => {
                let Some(exact) = self.locate(pool, addr, state) else { return };
                if let Stored::Handle(site) = self.read(pool, root, state) {
                    return self.end(site, state);
                }
                for (site, array) in &self.sites.arrays {
                    if let Some((var, by)) = exact.stride
                        && (exact.base, by, exact.offset) == (array.base, array.by, array.offset)
                        && state.joined.contains_key(&(*site, var))
                    {
                        state.joined.insert((*site, var), true);
                    }
                }
            }
            Some(Origin::Global(var)) => {
                if let Stored::Handle(site) = self.sites.of_global(var) {
                    self.end(site, state);
                }
            }
            _ => {}
        }
    }

    /// A value becomes known to others, or is put where they can find it.
    fn publish(&self, value: TermId, state: &mut State) {
        match self.world.points_to.of(value) {
            Some(targets) => {
                let sites = self.world.made.iter().filter(|(_, target)| targets.contains(target));
                state.escaped.extend(sites.map(|(site, _)| *site));
            }
            None => state.escaped.extend(self.world.made.keys().copied()),
        }
    }

    fn origin_of(&self, pool: &mut Pool, place: &Place, state: &State) -> Option<Origin> {
        match place {
            Place::Var(var) => Some(Origin::Global(*var)),
            Place::Mem { addr, .. } => Some(Origin::Loaded(state.term(pool, *addr), *addr)),
        }
    }

    /// What is known of a root.
    pub(super) fn root(&self, pool: &Pool, var: VarId, state: &State) -> Root {
        let all = full(pool.var_sort(var).width().unwrap_or(0));
        match state.origin.get(&var) {
            Some(Origin::Made(site)) if self.world.once.contains(&self.world.made[site]) => {
                Root::Object(Base::Unique(self.world.made[site]), Pattern::one(0))
            }
            Some(Origin::Made(site)) => Root::Object(Base::Own(*site), Pattern::one(0)),
            Some(Origin::Handle(_)) => Root::Number(all),
            None if self.counters.counts(var) => Root::Counter(self.counter_range(pool, var, state)),
            None if !self.is_given(var) => Root::Number(self.bounded(pool, var, state, all)),
            _ => match self.read(pool, var, state) {
                Stored::Object(Some(target), at) => Root::Object(Base::Unique(target), at),
                Stored::Object(None, at) => Root::Object(Base::Some, at),
                Stored::Number(range) => Root::Number(range),
                Stored::Nothing | Stored::Handle(_) | Stored::Unknown => Root::Number(all),
            },
        }
    }

    /// Whether it is a parameter that keeps what the thread was started with.
    fn is_given(&self, var: VarId) -> bool {
        self.id != self.world.program.main && self.proc.params.contains(&var) && !self.counters.is_set(var)
    }

    /// What was read into a root, by what is ever stored there.
    pub(super) fn read(&self, pool: &Pool, var: VarId, state: &State) -> Stored {
        match state.origin.get(&var) {
            None if self.is_given(var) => self.sites.of_global(var),
            Some(Origin::Global(global)) => self.sites.of_global(*global),
            Some(Origin::Loaded(addr, original)) => {
                let bytes = i128::from(pool.var_sort(var).width().unwrap_or(0).div_ceil(8));
                let exact = self.locate(pool, *addr, state);
                let is_written = exact.and_then(|exact| exact.cell()).is_some_and(|cell| state.written.contains(&cell));
                let (targets, pattern) = self.reach(exact, *original);
                self.sites.stored(targets, pattern, bytes, is_written)
            }
            _ => Stored::Unknown,
        }
    }

    /// Whether a root has what memory held, or what the thread was given.
    pub(super) fn is_read(&self, var: VarId, state: &State) -> bool {
        match state.origin.get(&var) {
            Some(Origin::Global(_) | Origin::Loaded(..)) => true,
            Some(_) => false,
            None => self.is_given(var),
        }
    }

    /// Whether a term has a part that was read where nothing is known to be stored.
    pub(super) fn is_unheld(&self, pool: &Pool, term: TermId, state: &State) -> bool {
        let mut found = false;
        pool.for_each_free_var(term, &mut |var| {
            found |= self.is_read(var, state) && self.read(pool, var, state) == Stored::Nothing;
        });
        found
    }

    /// The targets that an address can be in, none if it can be anywhere, and where in them.
    pub(super) fn reach(&self, exact: Option<Exact>, original: TermId) -> (Option<Vec<usize>>, Pattern) {
        match exact {
            Some(exact @ Exact { base: Base::Unique(target), .. }) => (Some(vec![target]), exact.pattern()),
            Some(exact) => (self.world.points_to.of(original), exact.pattern()),
            None => (self.world.points_to.of(original), Pattern::ANY),
        }
    }

    fn counter_range(&self, pool: &Pool, var: VarId, state: &State) -> Range {
        let all = full(pool.var_sort(var).width().unwrap_or(0));
        let (_, most) = self.bounded(pool, var, state, all);
        (self.counters.least(var).unwrap_or(all.0), most)
    }

    /// The range of a variable below what it is known to be less than.
    fn bounded(&self, pool: &Pool, var: VarId, state: &State, (least, most): Range) -> Range {
        let bounds = state.below.iter().filter(|(root, _, is_signed)| *root == var && *is_signed);
        let constants = bounds.filter_map(|(_, bound, _)| pool.as_const(*bound).and_then(signed));
        (least, constants.fold(most, |most, bound| most.min(bound - 1)))
    }

    /// The place of an address over roots.
    pub(super) fn locate(&self, pool: &Pool, addr: TermId, state: &State) -> Option<Exact> {
        locate(pool, addr, &|var| self.root(pool, var, state), &|addr| self.world.object_at(addr))
    }
}

/// The procedure that a statement starts.
pub(super) fn started(op: &Op) -> Option<ProcId> {
    match op {
        Op::Start { callee: Callee::Proc(proc), .. } => Some(*proc),
        _ => None,
    }
}

/// Whether the end of an object is an access, as far as races go: that of a local variable's scope is none.
pub(super) fn is_access(op: &Op) -> bool {
    !matches!(op, Op::Free { kind: AllocKind::Stack | AllocKind::Library, .. })
}
