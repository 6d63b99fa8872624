//! What is known of the whole program after a first look at each procedure? What globals and cells hold, and which arrays keep the handles of threads.

use super::flow::{Flow, World, started};
use super::places::{Base, Exact, Linear, Overlap, Pattern, Root, signed};
use super::ranges::{Range, full, hull, range};
use super::spots::Spot;
use super::state::{Origin, State, Token};
use ir::pass::Sharing;
use ir::pass::{AbstractObject, PointsTo};
use ir::{Edge, Fill, Op, Place, ProcId, Stmt};
use logic::{Node, Op as TermOp, Pool, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// How often it is found out what memory holds, each time by what is known already.
const MAX_ROUNDS: usize = 20;

/// What a cell holds whenever it holds something that can be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stored {
    Nothing,
    /// So far from the start of an object: of a target that there is once, or some.
    Object(Option<usize>, Pattern),
    /// The handle of the one thread of the site.
    Handle(Spot),
    /// No address, but a number between these.
    Number(Range),
    Unknown,
}

impl Stored {
    /// Anything of its kind.
    fn widened(self) -> Stored {
        match self {
            Stored::Number(_) => Stored::Number(full(0)),
            _ => Stored::Unknown,
        }
    }

    fn join(self, other: Stored) -> Stored {
        match (self, other) {
            (Stored::Nothing, known) | (known, Stored::Nothing) => known,
            (a, b) if a == b => a,
            (Stored::Object(x, at), Stored::Object(y, other)) => {
                Stored::Object(if x == y { x } else { None }, at.hull(other))
            }
            (Stored::Number(a), Stored::Number(b)) => Stored::Number(hull(a, b)),
            // A number is no address: whoever uses it as one makes an invalid access.
            (Stored::Number(_), object @ Stored::Object(..)) | (object @ Stored::Object(..), Stored::Number(_)) => {
                object
            }
            _ => Stored::Unknown,
        }
    }
}

/// The array that keeps the handles of the threads of a site, by number.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Array {
    pub(super) base: Base,
    /// Bytes from one handle to the next, and before the first.
    pub(super) by: i128,
    pub(super) offset: i128,
    /// Numbers are no less than this, and less than these terms, by signed or unsigned comparison.
    pub(super) least: i128,
    pub(super) bounds: Vec<(TermId, bool)>,
    /// The statement that stores them.
    pub(super) store: Spot,
    /// The counter of the creator that numbers them.
    pub(super) number: VarId,
}

/// Where a statement writes: in which targets, anywhere if none are named, where in them, and how many bytes.
pub(super) struct Written {
    spot: Spot,
    targets: Option<Vec<usize>>,
    at: Pattern,
    bytes: i128,
}

/// Where a statement writes, if it does.
pub(super) fn written(
    flow: &Flow<'_, '_>,
    pool: &mut Pool,
    (spot, stmt): (Spot, &Stmt),
    state: &State,
) -> Option<Written> {
    let (Op::Store { place: Place::Mem { addr, sort, .. }, .. } | Op::Rmw { place: Place::Mem { addr, sort, .. }, .. }) =
        &stmt.op
    else {
        return None;
    };
    let term = state.term(pool, *addr);
    let (targets, at) = flow.reach(flow.locate(pool, term, state), *addr);
    Some(Written { spot, targets, at, bytes: i128::from(ir::access::bytes_of(*sort)) })
}

/// What memory holds, whenever.
#[derive(Clone, PartialEq, Default, Debug)]
struct Contents {
    /// Global variables, and parameters of threads.
    globals: BTreeMap<VarId, Stored>,
    /// By target and where in it, and in how many bytes.
    cells: BTreeMap<(usize, Pattern, i128), Stored>,
    /// What is in a target before anybody writes; anything if it is not named.
    initial: BTreeMap<usize, Stored>,
    /// Whether anything may be stored anywhere.
    is_mixed: bool,
}

#[derive(Default, Debug)]
pub(super) struct Sites {
    pub(super) arrays: BTreeMap<Spot, Array>,
    contents: Contents,
    /// Cells that are written before threads of the procedure are started.
    pub(super) written: FxHashMap<ProcId, BTreeSet<(usize, i128)>>,
    /// Variables that bound the numbers of threads.
    pub(super) watched: FxHashSet<VarId>,
    /// Sites of threads that are started by threads of the site, and so on.
    pub(super) below: FxHashMap<Spot, BTreeSet<Spot>>,
    /// Those that have ended when the thread of the site has.
    pub(super) ends_with: FxHashMap<Spot, BTreeSet<Spot>>,
}

impl Sites {
    /// What a global holds.
    pub(super) fn of_global(&self, var: VarId) -> Stored {
        let nothing = if self.contents.is_mixed { Stored::Unknown } else { Stored::Nothing };
        self.contents.globals.get(&var).copied().unwrap_or(nothing)
    }

    /// Nothing is known, and memory may hold anything.
    pub(super) fn unsettled() -> Sites {
        Sites { contents: Contents { is_mixed: true, ..Contents::default() }, ..Sites::default() }
    }

    /// What is read somewhere in the targets, anywhere if none are named, in so many bytes. What was there at first does not matter once it is written.
    pub(super) fn stored(&self, targets: Option<Vec<usize>>, at: Pattern, bytes: i128, is_written: bool) -> Stored {
        let Some(targets) = targets.filter(|_| !self.contents.is_mixed) else { return Stored::Unknown };
        let mut sum = Stored::Nothing;
        for ((target, pattern, size), stored) in &self.contents.cells {
            if targets.contains(target) {
                match at.overlap(bytes, *pattern, *size) {
                    Overlap::None => {}
                    Overlap::Whole => sum = sum.join(*stored),
                    Overlap::Partial => return Stored::Unknown,
                }
            }
        }
        let first = |target: &usize| self.contents.initial.get(target).copied().unwrap_or(Stored::Number(full(0)));
        if !is_written {
            sum = targets.iter().map(first).fold(sum, Stored::join);
        }
        sum
    }

    fn put(&mut self, target: usize, at: Pattern, bytes: i128, stored: Stored) {
        let known = self.contents.cells.entry((target, at, bytes)).or_insert(Stored::Nothing);
        *known = known.join(stored);
    }

    fn put_global(&mut self, var: VarId, stored: Stored) {
        let known = self.contents.globals.entry(var).or_insert(Stored::Nothing);
        *known = known.join(stored);
    }

    /// Finds what memory holds: what is stored as long as it holds what was found before, until that is the same. What changes and changes may be anything.
    pub(super) fn settle(&mut self, world: &World<'_>, mut look: impl FnMut(&Sites, &mut Sites)) {
        self.contents = Contents::default();
        let (mut cells, mut globals) = (BTreeMap::new(), BTreeMap::new());
        for round in 0..MAX_ROUNDS {
            let mut next = Sites::default();
            next.add_initial(world);
            look(self, &mut next);
            if round > MAX_ROUNDS / 2 {
                for (cell, stored) in
                    next.contents.cells.iter().filter(|(cell, new)| self.contents.cells.get(cell) != Some(new))
                {
                    cells.insert(*cell, stored.widened());
                }
                for (var, stored) in
                    next.contents.globals.iter().filter(|(var, new)| self.contents.globals.get(var) != Some(new))
                {
                    globals.insert(*var, stored.widened());
                }
            }
            next.contents.cells.extend(&cells);
            next.contents.globals.extend(&globals);
            if next.contents == self.contents {
                return;
            }
            self.contents = next.contents;
        }
        self.contents.is_mixed = true;
        self.contents.globals.values_mut().for_each(|stored| *stored = Stored::Unknown);
    }

    /// Notes who starts whom.
    pub(super) fn add_starts(&mut self, world: &World<'_>, at_end: &FxHashMap<ProcId, BTreeSet<Spot>>) {
        let starts = starts(world);
        for (site, _, _) in &starts {
            let mut found: BTreeSet<Spot> = BTreeSet::new();
            let mut queue = vec![*site];
            while let Some(next) = queue.pop() {
                let proc = starts.iter().find(|(other, _, _)| *other == next).map(|(_, _, proc)| *proc);
                for (other, by, _) in &starts {
                    if Some(*by) == proc && found.insert(*other) {
                        queue.push(*other);
                    }
                }
            }
            // Who is started in one place only and joins all that it starts ends them with itself.
            let is_tidy = |site: &Spot| {
                let proc = starts.iter().find(|(other, _, _)| other == site).map(|(_, _, proc)| *proc);
                let n = starts.iter().filter(|(_, _, other)| Some(*other) == proc).count();
                n == 1 && proc.is_some_and(|proc| at_end.get(&proc).is_none_or(BTreeSet::is_empty))
            };
            if !found.contains(site) && found.iter().chain([site]).all(is_tidy) {
                self.ends_with.insert(*site, found.clone());
            }
            self.below.insert(*site, found);
        }
    }

    /// Notes what static objects and globals hold at the start.
    pub(super) fn add_initial(&mut self, world: &World<'_>) {
        let stored = |value: &Value| match signed(value) {
            Some(word) => match world.object_at(word) {
                Some((target, start)) if world.program.data_model.word_bits() == width_of(value) => {
                    Stored::Object(Some(target), Pattern::one(word - start))
                }
                _ => Stored::Number((word, word)),
            },
            None => Stored::Unknown,
        };
        for (index, variable) in world.program.vars.iter().enumerate() {
            if variable.scope == ir::Scope::Global {
                let stored = variable.init.as_ref().map_or(Stored::Unknown, &stored);
                self.put_global(VarId(index as u32), stored);
            }
        }
        for (index, object) in world.program.objects.iter().enumerate() {
            if object.fill == Fill::Zero {
                self.contents.initial.insert(index, Stored::Number((0, 0)));
            }
            for (offset, value) in &object.init {
                let bytes = i128::from(width_of(value).div_ceil(8));
                self.put(index, Pattern::one(i128::from(*offset)), bytes, stored(value));
            }
        }
    }

    /// Notes what a statement stores, or gives to a thread.
    pub(super) fn add_store(&mut self, flow: &Flow<'_, '_>, pool: &mut Pool, edge: &Edge, stmt: &Stmt, state: &State) {
        if let (Op::Start { args, .. }, Some(callee)) = (&stmt.op, started(&stmt.op)) {
            for (param, arg) in flow.world.program.proc(callee).params.iter().zip(args) {
                let term = state.term(pool, *arg);
                let stored = self.value(flow, pool, edge, (*arg, term), None, state);
                self.put_global(*param, stored);
            }
        }
        let (place, value, old) = match &stmt.op {
            Op::Store { place, value, .. } => (place, *value, None),
            Op::Rmw { place, new, dst, .. } => (place, *new, Some(*dst)),
            _ => return,
        };
        let term = state.term(pool, value);
        let stored = self.value(flow, pool, edge, (value, term), old, state);
        match place {
            Place::Var(var) => self.put_global(*var, stored),
            Place::Mem { addr, sort, .. } => {
                let bytes = i128::from(ir::access::bytes_of(*sort));
                let term = state.term(pool, *addr);
                // An address that has not been stored yet has not been used.
                if flow.is_unheld(pool, term, state) {
                    return;
                }
                match flow.reach(flow.locate(pool, term, state), *addr) {
                    (Some(targets), at) => targets.into_iter().for_each(|target| self.put(target, at, bytes, stored)),
                    (None, _) => self.contents.is_mixed = true,
                }
            }
        }
    }

    /// What a value is, given as the program has it and over roots; `old` is the variable that what was there before has just been read into.
    fn value(
        &self,
        flow: &Flow<'_, '_>,
        pool: &Pool,
        edge: &Edge,
        (original, term): (TermId, TermId),
        old: Option<VarId>,
        state: &State,
    ) -> Stored {
        if let Node::App { op: TermOp::Ite, args } = pool.node(term) {
            let branch = |arg: TermId| match old {
                Some(old) if pool.as_var(arg) == Some(old) => Stored::Nothing,
                _ => self.value(flow, pool, edge, (original, arg), old, state),
            };
            return branch(args[1]).join(branch(args[2]));
        }
        if let Some(root) = pool.as_var(term)
            && let Some(Origin::Handle(site)) = state.origin.get(&root)
        {
            let repeats = flow.counters.cycle_of(edge.from, edge.to).is_some();
            return if repeats { Stored::Unknown } else { Stored::Handle(*site) };
        }
        let number = |var: VarId| match flow.root(pool, var, state) {
            Root::Number(range) | Root::Counter(range) if Some(var) != old => Some(range),
            _ => None,
        };
        // What is narrower than a word is no address; copies of addresses in parts are read in parts, too.
        let is_narrow = pool.sort(term).width().is_none_or(|width| width < flow.world.program.data_model.word_bits());
        if is_narrow || flow.world.points_to.of(original).is_some_and(|targets| targets.is_empty()) {
            return Stored::Number(range(pool, term, &number));
        }
        // What has not been found to hold anything yet will be looked at again.
        if flow.is_unheld(pool, term, state) {
            return Stored::Nothing;
        }
        let linear = Linear::of(pool, term);
        if let [(part, 1)] = linear.parts[..]
            && let Some(var) = pool.as_var(part)
            && Some(var) != old
            && flow.is_read(var, state)
        {
            return match flow.read(pool, var, state) {
                Stored::Object(target, at) => Stored::Object(target, at.plus(linear.constant)),
                Stored::Nothing => Stored::Nothing,
                Stored::Number(range) if linear.constant == 0 => Stored::Number(range),
                _ => Stored::Unknown,
            };
        }
        match flow.locate(pool, term, state) {
            Some(exact) => {
                let target = if let Base::Unique(target) = exact.base { Some(target) } else { None };
                Stored::Object(target, exact.pattern())
            }
            None => Stored::Unknown,
        }
    }

    /// Notes the arrays that keep the handles of threads.
    pub(super) fn add_arrays(&mut self, pool: &Pool, arrays: Vec<(Spot, Array)>) {
        for (_, array) in &arrays {
            for (bound, _) in &array.bounds {
                pool.for_each_free_var(*bound, &mut |var| {
                    self.watched.insert(var);
                });
            }
        }
        self.arrays.extend(arrays);
    }
}

/// The array that a statement stores the handle of a thread in, and where the thread was started. `starts` has what was known before threads are started
/// in cycles, `writes` all that is written.
pub(super) fn array_of(
    flow: &Flow<'_, '_>,
    pool: &mut Pool,
    (spot, stmt): (Spot, &Stmt),
    state: &State,
    starts: &FxHashMap<Spot, (State, u32)>,
    writes: &[Written],
) -> Option<(Spot, Array)> {
    let Op::Store { place: Place::Mem { addr, .. }, value, .. } = &stmt.op else { return None };
    let value = state.term(pool, *value);
    let Origin::Handle(site) = state.origin.get(&pool.as_var(value)?).copied()? else { return None };
    let term = state.term(pool, *addr);
    let exact = flow.locate(pool, term, state)?;
    let Exact { base, stride: Some((var, by)), offset, spread: 0, .. } = exact else { return None };
    let Base::Unique(target) = base else { return None };
    let (before, cycle) = starts.get(&site)?;
    let is_numbered = flow.counters.of_cycle(*cycle).contains(&var)
        && state.current.contains(&(site, var))
        && !before.used.contains(&(site, Token::Counter(var)));
    let bytes = i128::from(flow.world.program.data_model.word_bytes());
    if !is_numbered || by < bytes || !is_only_store(writes, (target, exact.pattern(), bytes), spot) {
        return None;
    }
    let least = flow.counters.least(var)?;
    let of_counter = before.below.iter().filter(|(root, _, _)| *root == var);
    let bounds = of_counter.map(|(_, bound, is_signed)| (*bound, *is_signed)).collect();
    Some((site, Array { base, by, offset, least, bounds, store: spot, number: var }))
}

/// All statements that start threads: where, who, and what.
pub(super) fn starts(world: &World<'_>) -> Vec<(Spot, ProcId, ProcId)> {
    let all = world.spots.all(world.program);
    all.filter_map(|(spot, proc, stmt)| Some((spot, proc, started(&stmt.op)?))).collect()
}

/// Whether no other statement writes into these bytes of the target; it may write beside them, as into other members of the structures that have the handles.
fn is_only_store(writes: &[Written], (target, at, bytes): (usize, Pattern, i128), store: Spot) -> bool {
    writes.iter().filter(|other| other.spot != store).all(|other| {
        other.targets.as_ref().is_some_and(|targets| !targets.contains(&target))
            || other.targets.is_some() && at.overlap(bytes, other.at, other.bytes) == Overlap::None
    })
}

/// The targets of statements that make objects, and those of which there is one at most: static ones, and what a single statement makes, outside of
/// cycles, in a procedure that one thread runs.
pub(super) fn made(
    program: &ir::Program,
    spots: &super::spots::Spots,
    points_to: &PointsTo,
    sharing: &Sharing,
) -> (FxHashMap<Spot, usize>, FxHashSet<usize>) {
    let mut made = FxHashMap::default();
    let mut count = vec![0; points_to.targets.len()];
    for (index, proc) in program.procs.iter().enumerate() {
        let id = ProcId(index as u32);
        let components = ir::pass::Components::new(proc, &proc.out_edges());
        for (number, edge) in proc.edges.iter().enumerate() {
            let repeats = components.is_repeated(edge.from, edge.to) || !sharing.is_single(id);
            let first = spots.first(id, ir::EdgeId(number as u32));
            for (at, stmt) in edge.stmts.iter().enumerate() {
                let Some(site) = stmt.alloc_site() else { continue };
                let is_it = |target: &AbstractObject| *target == AbstractObject::Made(site);
                let Some(target) = points_to.targets.iter().position(is_it) else { continue };
                made.insert(first.plus(at), target);
                count[target] += if repeats { 2 } else { 1 };
            }
        }
    }
    let once = (0..points_to.targets.len()).filter(|target| count[*target] <= 1).collect();
    (made, once)
}

fn width_of(value: &Value) -> u32 {
    match value {
        Value::Bv(bits) => bits.width(),
        _ => 0,
    }
}
