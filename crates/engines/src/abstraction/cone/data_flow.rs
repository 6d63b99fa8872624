//! Whose values does anybody still look at? The data-flow graph of a program, and which of it can be reached from where the threads stand.
//!
//! Known as: data-flow graph, def-use chains, program dependence; on-the-fly cone of influence \[Telbisz25] \[Telbisz24].
//!
//! Nodes are edges of the automata; an edge observes another if it reads what that one writes (\[Telbisz24] ch. 4, Definition 11). An edge is a real observer
//! of a variable if the variable flows into one of its conditions: an assumption, a check, a wait, an address, a size, a handle. A value
//! is observed from a place if a chain of flows leads from it to a real observer, through edges that some thread can still reach and
//! variables about which the abstraction knows something. Which edges can be reached comes from the automata, once for each location. The
//! vector of locations is given a number, that of all that flows on these edges; what is observed from there is found by one walk backward
//! from the observers when it is first asked for, and has a number too (an `Observed`), so that a question about a variable is the test of a bit.
//!
//! Deviation from the text: edges hold several statements, so the graph is about the variables before and after an edge; and the variables of
//! threads that run the same procedure are not told apart, which observes more than there is.
//!
//! Invariant: if a value is not observed, no condition that can be reached depends on it as far as the abstraction can tell.

use fixedbitset::FixedBitSet;
use ir::{Callee, LocId, Op, Place, ProcId, Program, Scope};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What values flow through.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Symbol {
    /// A variable, global or not.
    Var(VarId),
    /// Memory, all of it.
    Memory,
    /// What threads return.
    Results,
}

/// What flows where on an edge.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// What its conditions depend on.
    pub observed: FxHashSet<Symbol>,
    /// What each new value depends on.
    pub into: Vec<(Symbol, FxHashSet<Symbol>)>,
}

/// The symbols about which something is known and that are observed from where threads stand, by a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Observed(u32);

/// What can be reached from some place.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Ahead {
    /// Pairs of symbols of which one flows into the other.
    flows: FixedBitSet,
    /// Symbols that conditions depend on.
    conditions: FixedBitSet,
}

/// The data-flow graph.
#[derive(Clone, Debug)]
pub struct DataFlow {
    flows: Vec<Vec<Flow>>,
    /// What can be reached from each location.
    reachable: Vec<Ahead>,
    n_pairs: usize,
    first_loc: Vec<usize>,
    n_vars: usize,
    /// For each symbol, by its number, what flows into it on some edge: the number of the pair, and that of the other symbol.
    into: Vec<Vec<(usize, usize)>>,
    /// The sets of locations that have come up: what can be reached from there, by its number.
    from_places: FxHashMap<FixedBitSet, usize>,
    number_of: FxHashMap<Ahead, usize>,
    ahead: Vec<Ahead>,
    /// What is observed there, if it was asked for.
    view_of: Vec<Option<Observed>>,
    views: Vec<FixedBitSet>,
    view_with: FxHashMap<FixedBitSet, Observed>,
    tracked: FixedBitSet,
    /// Where threads stand in the question at hand.
    places: FixedBitSet,
}

/// So many vectors of locations are remembered at a time.
const MANY_PLACES: usize = 1 << 16;

impl DataFlow {
    /// The graph of a program whose procedures are threads.
    pub fn new(program: &Program) -> DataFlow {
        let flows: Vec<Vec<Flow>> =
            program.procs.iter().map(|proc| proc.edges.iter().map(|edge| flow(program, edge)).collect()).collect();
        let mut edges = Vec::new();
        let mut first_edge = Vec::new();
        let mut first_loc = Vec::new();
        let mut n_locs = 0;
        for (index, proc) in program.procs.iter().enumerate() {
            first_edge.push(edges.len());
            first_loc.push(n_locs);
            n_locs += proc.locs.len();
            edges.extend((0..proc.edges.len()).map(|edge| (index, edge)));
        }
        let n_vars = program.vars.len();
        let mut into: Vec<Vec<(usize, usize)>> = vec![Vec::new(); n_vars + 2];
        let mut pairs: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut of_edge = Vec::new();
        for (proc, index) in &edges {
            let flow = &flows[*proc][*index];
            let conditions: Vec<usize> = flow.observed.iter().map(|symbol| number(n_vars, *symbol)).collect();
            let mut own = Vec::new();
            for (to, all) in &flow.into {
                for from in all {
                    let (to, from) = (number(n_vars, *to), number(n_vars, *from));
                    let next = pairs.len();
                    let pair = *pairs.entry((to, from)).or_insert(next);
                    if pair == next {
                        into[to].push((pair, from));
                    }
                    own.push(pair);
                }
            }
            of_edge.push((own, conditions));
        }
        let n_pairs = pairs.len();
        let summed_up = |edges: FixedBitSet| {
            let mut ahead = Ahead {
                flows: FixedBitSet::with_capacity(n_pairs),
                conditions: FixedBitSet::with_capacity(n_vars + 2),
            };
            for edge in edges.ones() {
                let (flows, conditions) = &of_edge[edge];
                ahead.flows.extend(flows.iter().copied());
                ahead.conditions.extend(conditions.iter().copied());
            }
            ahead
        };
        let reachable = reachable(program, &first_edge, edges.len());
        let mut everything = FixedBitSet::with_capacity(n_vars + 2);
        everything.insert_range(..);
        DataFlow {
            flows,
            reachable: reachable.into_iter().flatten().map(summed_up).collect(),
            n_pairs,
            first_loc,
            n_vars,
            into,
            from_places: FxHashMap::default(),
            number_of: FxHashMap::default(),
            ahead: Vec::new(),
            view_of: Vec::new(),
            views: Vec::new(),
            view_with: FxHashMap::default(),
            tracked: everything,
            places: FixedBitSet::with_capacity(n_locs),
        }
    }

    /// From now on these are the symbols about which something is known; before, all are.
    pub fn begin(&mut self, tracked: impl Iterator<Item = Symbol>) {
        self.tracked.clear();
        self.tracked.extend(tracked.map(|symbol| number(self.n_vars, symbol)));
        self.view_of.fill(None);
        self.views.clear();
        self.view_with.clear();
    }

    /// Whether something is known about a symbol.
    pub fn is_tracked(&self, symbol: Symbol) -> bool {
        self.tracked.contains(number(self.n_vars, symbol))
    }

    /// What flows on an edge.
    pub fn flow(&self, proc: ProcId, edge: ir::EdgeId) -> &Flow {
        &self.flows[proc.index()][edge.index()]
    }

    /// What is observed from where threads stand.
    pub fn view(&mut self, threads: impl Iterator<Item = (ProcId, LocId)>) -> Observed {
        self.places.clear();
        for (proc, loc) in threads {
            self.places.insert(self.first_loc[proc.index()] + loc.index());
        }
        let ahead = match self.from_places.get(&self.places) {
            Some(known) => *known,
            None => self.look_ahead(),
        };
        match self.view_of[ahead] {
            Some(view) => view,
            None => self.walk(ahead),
        }
    }

    /// What is observed from anywhere.
    pub fn view_from_anywhere(&mut self) -> Observed {
        self.places.insert_range(..);
        let ahead = self.look_ahead();
        self.walk(ahead)
    }

    /// Whether something is known about a symbol, and a condition that can be reached may depend on the value that it has.
    pub fn is_observed(&self, view: Observed, symbol: Symbol) -> bool {
        self.views[view.0 as usize].contains(number(self.n_vars, symbol))
    }

    /// The number of what can be reached from the places.
    fn look_ahead(&mut self) -> usize {
        let mut all = Ahead {
            flows: FixedBitSet::with_capacity(self.n_pairs),
            conditions: FixedBitSet::with_capacity(self.n_vars + 2),
        };
        for place in self.places.ones() {
            all.flows.union_with(&self.reachable[place].flows);
            all.conditions.union_with(&self.reachable[place].conditions);
        }
        let next = self.ahead.len();
        let ahead = *self.number_of.entry(all.clone()).or_insert(next);
        if ahead == next {
            self.ahead.push(all);
            self.view_of.push(None);
        }
        if self.from_places.len() >= MANY_PLACES {
            self.from_places.clear();
        }
        self.from_places.insert(self.places.clone(), ahead);
        ahead
    }

    /// All that flows into conditions that can be reached, through what is known.
    fn walk(&mut self, ahead: usize) -> Observed {
        let Ahead { flows, conditions } = &self.ahead[ahead];
        let mut seen = conditions.clone();
        seen.intersect_with(&self.tracked);
        let mut open: Vec<usize> = seen.ones().collect();
        while let Some(to) = open.pop() {
            for (_, from) in self.into[to].iter().filter(|(pair, _)| flows.contains(*pair)) {
                if self.tracked.contains(*from) && !seen.put(*from) {
                    open.push(*from);
                }
            }
        }
        let next = Observed(self.views.len() as u32);
        let view = *self.view_with.entry(seen.clone()).or_insert(next);
        if view == next {
            self.views.push(seen);
        }
        self.view_of[ahead] = Some(view);
        view
    }
}

fn number(n_vars: usize, symbol: Symbol) -> usize {
    match symbol {
        Symbol::Var(var) => var.index(),
        Symbol::Memory => n_vars,
        Symbol::Results => n_vars + 1,
    }
}

/// For each location the edges that its thread, or a thread that it may start, can still take.
fn reachable(program: &Program, first_edge: &[usize], n_edges: usize) -> Vec<Vec<FixedBitSet>> {
    let none = FixedBitSet::with_capacity(n_edges);
    let mut reach: Vec<Vec<FixedBitSet>> =
        program.procs.iter().map(|proc| vec![none.clone(); proc.locs.len()]).collect();
    loop {
        let mut changed = false;
        for (index, proc) in program.procs.iter().enumerate() {
            for (number, edge) in proc.edges.iter().enumerate().rev() {
                let mut own = reach[index][edge.to.index()].clone();
                own.insert(first_edge[index] + number);
                for stmt in &edge.stmts {
                    match stmt.op {
                        Op::Start { callee: Callee::Proc(started), .. } => {
                            own.union_with(&reach[started.index()][program.proc(started).entry.index()]);
                        }
                        Op::Start { callee: Callee::Pointer(_), .. } => own.insert_range(..),
                        _ => {}
                    }
                }
                let from = &mut reach[index][edge.from.index()];
                if !own.is_subset(from) {
                    from.union_with(&own);
                    changed = true;
                }
            }
        }
        if !changed {
            return reach;
        }
    }
}

/// What flows on one edge, statement by statement.
fn flow(program: &Program, edge: &ir::Edge) -> Flow {
    let mut walk = Walk { program, now: FxHashMap::default(), flow: Flow::default() };
    for stmt in &edge.stmts {
        walk.stmt(&stmt.op);
    }
    let Walk { now, mut flow, .. } = walk;
    flow.into = now.into_iter().collect();
    flow.into.sort_by_key(|(symbol, _)| *symbol);
    flow
}

struct Walk<'p> {
    program: &'p Program,
    /// What the values written so far depend on.
    now: FxHashMap<Symbol, FxHashSet<Symbol>>,
    flow: Flow,
}

impl Walk<'_> {
    fn of(&self, symbol: Symbol) -> FxHashSet<Symbol> {
        self.now.get(&symbol).cloned().unwrap_or_else(|| [symbol].into_iter().collect())
    }

    fn of_term(&self, term: TermId) -> FxHashSet<Symbol> {
        let mut all = FxHashSet::default();
        self.program.pool.for_each_free_var(term, &mut |var| all.extend(self.of(Symbol::Var(var))));
        all
    }

    fn observe(&mut self, term: TermId) {
        let all = self.of_term(term);
        self.flow.observed.extend(all);
    }

    fn place(&mut self, place: &Place) -> Symbol {
        match place {
            Place::Var(var) => Symbol::Var(*var),
            Place::Mem { addr, .. } => {
                self.observe(*addr);
                Symbol::Memory
            }
        }
    }

    fn write(&mut self, symbol: Symbol, mut from: FxHashSet<Symbol>) {
        if matches!(symbol, Symbol::Memory | Symbol::Results) {
            // What is not overwritten stays.
            from.extend(self.of(symbol));
        }
        self.now.insert(symbol, from);
    }

    fn stmt(&mut self, op: &Op) {
        match op {
            Op::Assign { var, value } => {
                let from = self.of_term(*value);
                self.write(Symbol::Var(*var), from);
            }
            Op::Havoc { var, .. } => self.write(Symbol::Var(*var), FxHashSet::default()),
            Op::Assume(cond) | Op::Check { cond, .. } => self.observe(*cond),
            Op::Load { dst, place, .. } => {
                let symbol = self.place(place);
                let from = self.of(symbol);
                self.write(Symbol::Var(*dst), from);
            }
            Op::Store { place, value, .. } => {
                let symbol = self.place(place);
                let from = self.of_term(*value);
                self.write(symbol, from);
            }
            Op::Rmw { dst, place, wait, owner, new, .. } => {
                let symbol = self.place(place);
                let from = self.of(symbol);
                self.write(Symbol::Var(*dst), from);
                for term in wait.iter().chain(owner) {
                    self.observe(*term);
                }
                let from = self.of_term(*new);
                self.write(symbol, from);
            }
            Op::Alloc { dst, size, .. } => {
                self.observe(*size);
                self.write(Symbol::Var(*dst), FxHashSet::default());
            }
            Op::Free { addr, .. } => self.observe(*addr),
            Op::Start { dst, callee, args } => self.start(*dst, *callee, args),
            Op::Join { thread, result } => {
                self.observe(*thread);
                if let Some(result) = result {
                    let from = self.of(Symbol::Results);
                    self.write(Symbol::Var(*result), from);
                }
            }
            Op::Return(Some(value)) | Op::ExitThread(value) => {
                let from = self.of_term(*value);
                self.write(Symbol::Results, from);
            }
            Op::Call { args, .. } => args.iter().for_each(|arg| self.observe(*arg)),
            Op::Return(None)
            | Op::Fence(_)
            | Op::AtomicBegin
            | Op::AtomicEnd
            | Op::ExitProcess { .. }
            | Op::Mark(..) => {}
        }
    }

    fn start(&mut self, dst: VarId, callee: Callee, args: &[TermId]) {
        match callee {
            Callee::Proc(proc) => {
                for (param, arg) in self.program.proc(proc).params.iter().zip(args) {
                    let from = self.of_term(*arg);
                    debug_assert_eq!(self.program.var(*param).scope, Scope::Local, "parameters are locals");
                    self.write(Symbol::Var(*param), from);
                }
            }
            Callee::Pointer(pointer) => {
                self.observe(pointer);
                args.iter().for_each(|arg| self.observe(*arg));
            }
        }
        self.write(Symbol::Var(dst), FxHashSet::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Order;
    use ir::build::Builder;

    /// Figures 4.1 and 4.2 of \[Telbisz24], with examples 8 and 9: `x = 1; y = 1; check y == 1` beside `y = x; x = 0`.
    #[test]
    fn what_is_observed_depends_on_places_and_precision() {
        let mut builder = Builder::new();
        let first = builder.proc("p1");
        let (x, y) = (builder.global("x", 0), builder.global("y", 0));
        let order = Order::SeqCst;
        let second = builder.define("p2", |body| {
            let copy = body.local("copy");
            let value = body.var(copy);
            let load = Op::Load { dst: copy, place: Place::Var(x), order };
            body.together(vec![load, Op::Store { place: Place::Var(y), value, order }]);
            body.set(x, 0);
        });
        builder.body(first, |body| {
            body.set(x, 1);
            body.set(y, 1);
            let seen = body.local("seen");
            body.load(seen, y);
            let cond = body.is(seen, 1);
            body.check(cond);
        });
        let program = builder.finish(first);
        let after_first_step = |proc: ProcId| {
            let entry = program.proc(proc).entry;
            let edge = program.proc(proc).edges.iter().find(|edge| edge.from == entry).expect("it has a step");
            (proc, edge.to)
        };
        let entry = |proc: ProcId| (proc, program.proc(proc).entry);
        let mut flow = DataFlow::new(&program);
        let named = |name: &str| (0..program.vars.len() as u32).find(|var| program.pool.var_name(VarId(*var)) == name);
        let seen = named("seen").expect("it is there");
        let tracked = |vars: &[VarId]| {
            let mut all: Vec<Symbol> = vars.iter().map(|var| Symbol::Var(*var)).collect();
            all.push(Symbol::Var(VarId(seen)));
            all.into_iter()
        };
        flow.begin(tracked(&[x, y]));
        let begin = [entry(first), entry(second)];
        let both_begin = flow.view(begin.into_iter());
        assert!(flow.is_observed(both_begin, Symbol::Var(x)) && flow.is_observed(both_begin, Symbol::Var(y)));
        let copied = flow.view([entry(first), after_first_step(second)].into_iter());
        assert!(!flow.is_observed(copied, Symbol::Var(x)), "y = x has run, and nobody else reads x");
        assert!(flow.is_observed(copied, Symbol::Var(y)));
        flow.begin(tracked(&[y]));
        let both_begin = flow.view(begin.into_iter());
        assert!(!flow.is_observed(both_begin, Symbol::Var(x)), "nothing is known about x");
        assert!(flow.is_observed(both_begin, Symbol::Var(y)));
    }

    /// A value goes from main to a thread as an argument, from there to another through a global, and only there into a condition. Leaving
    /// the first assignment out because main does not look at it would miss the violation.
    #[test]
    fn values_are_observed_through_arguments_and_other_threads() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let (kept, idle) = (builder.global("kept", 0), builder.global("idle", 0));
        let writer = builder.define("writer", |body| {
            let given = body.param("given", logic::Sort::Bv(32));
            let value = body.var(given);
            body.store(kept, value);
            body.store(idle, value);
        });
        let reader = builder.define("reader", |body| {
            let seen = body.local("seen");
            body.load(seen, kept);
            let cond = body.is(seen, 0);
            body.check(cond);
        });
        builder.body(main, |body| {
            let (own, first, second) = (body.local("own"), body.local("first"), body.local("second"));
            let one = body.int(1);
            body.assign(own, one);
            let given = body.var(own);
            body.start(first, writer, &[given]);
            body.start(second, reader, &[]);
        });
        let program = builder.finish(main);
        let named = |name: &str| {
            let found = (0..program.vars.len() as u32).map(VarId).find(|var| program.pool.var_name(*var) == name);
            Symbol::Var(found.expect("it is there"))
        };
        let mut flow = DataFlow::new(&program);
        let at_entry = |procs: &[ProcId]| -> Vec<(ProcId, LocId)> {
            procs.iter().map(|proc| (*proc, program.proc(*proc).entry)).collect()
        };
        let observed = |flow: &mut DataFlow, procs: &[ProcId]| -> Vec<&str> {
            let view = flow.view(at_entry(procs).into_iter());
            let names = ["own", "given", "kept", "seen", "idle"];
            names.into_iter().filter(|name| flow.is_observed(view, named(name))).collect()
        };
        assert_eq!(observed(&mut flow, &[main]), ["own", "given", "kept", "seen"], "main starts both");
        assert_eq!(observed(&mut flow, &[writer, reader]), ["given", "kept", "seen"], "main has gone on");
        assert_eq!(observed(&mut flow, &[writer]), [""; 0], "nobody reads any more");
        assert_eq!(observed(&mut flow, &[reader]), ["kept", "seen"]);
        flow.begin([named("own"), named("given")].into_iter());
        assert_eq!(observed(&mut flow, &[main]), [""; 0], "through what is not known nothing flows");
    }
}
