//! Whose values does anybody still look at? The data-flow graph of a program, and which of it can be reached from where the threads stand.
//!
//! Known as: abstract data-flow graph, def-use chains, program dependence; on-the-fly cone of influence \[Telbisz25] \[Telbisz24].
//!
//! Nodes are edges of the automata; an edge observes another if it reads what that one writes (\[Telbisz24] ch. 4, Definition 11). In one thread it has to be reachable from the other
//! (direct observation, Definition 12), in different threads both have to be reachable from where these stand (indirect observation, Definition 14). An edge is a real observer
//! of a variable if the variable flows into one of its conditions: an assumption, a check, a wait, an address, a size, a handle. A value
//! is observed if a chain of observations leads from it to a real observer, through variables about which the abstraction knows something. So after `assert(x == 0); x = y;` nobody looks at `y`, unless
//! another thread looks at `x`.
//!
//! How it is found: `S` are the symbols that *other* threads look at. For a procedure and an `S` a walk backward tells for each location what is looked at from there on by its own edges
//! (`behind`); it is kept for the procedure and that part of `S` which the procedure writes. What the threads look at together is the least solution of `S` of each = what the others look at. Threads that may
//! be started later stand at their entries, any number of them. Vectors of places are remembered, and what is observed has a number (an `Observed`), so that a question about a variable
//! is the test of a bit.
//!
//! Deviation from the text: edges hold several statements, so the graph is about the variables before and after an edge; and the variables of
//! threads that run the same procedure are not told apart, which observes more than there is. Memory is told apart by regions.
//!
//! Invariant: if a value is not observed, no condition that can be reached depends on it as far as the abstraction can tell.

use super::flow::{Flow, Numbers, Symbol, flow, has_regions};
use fixedbitset::FixedBitSet;
use ir::{Callee, LocId, Op, ProcId, Program, RegionId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The symbols about which something is known and that are observed from where threads stand, by a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Observed(u32);

/// An edge, in numbers of symbols.
#[derive(Clone, Debug)]
struct Node {
    from: usize,
    to: usize,
    conditions: Vec<usize>,
    /// New value, and what it depends on.
    pairs: Vec<(usize, usize)>,
}

/// A procedure.
#[derive(Clone, Debug)]
struct Automaton {
    first_loc: usize,
    n_locs: usize,
    entry: usize,
    nodes: Vec<Node>,
    /// The same with what is known of only, in numbers of that.
    known: Vec<Node>,
    /// What its edges write of what is known of.
    written: FixedBitSet,
    /// For each location the procedures that may be started from there on, by those who are started, too.
    starts: Vec<FixedBitSet>,
}

/// What the own edges look at from each location of a procedure on.
type Behind = Rc<[FixedBitSet]>;

/// The data-flow graph.
#[derive(Clone, Debug)]
pub struct DataFlow {
    flows: Vec<Vec<Flow>>,
    automata: Vec<Automaton>,
    numbers: Numbers,
    has_regions: bool,
    /// For each symbol its number among those about which something is known.
    number_of: Vec<Option<u32>>,
    n_known: usize,
    /// By the procedure, and what of its writes others look at.
    behind: FxHashMap<(usize, FixedBitSet), Behind>,
    /// What is observed from places that have come up.
    from_places: FxHashMap<FixedBitSet, Observed>,
    views: Vec<FixedBitSet>,
    view_with: FxHashMap<FixedBitSet, Observed>,
    /// Where threads stand in the question at hand: a bit for each location, and another if there may be several.
    places: FixedBitSet,
    n_locs: usize,
}

/// So many vectors of locations are remembered at a time.
const MANY_PLACES: usize = 1 << 16;

/// Somebody at a place: the procedure, the location in it, and whether there may be several.
type Lane = (usize, usize, bool);

impl DataFlow {
    /// The graph of a program whose procedures are threads.
    pub fn new(program: &Program) -> DataFlow {
        let (numbers, has_regions) = (Numbers::new(program), has_regions(program));
        let of_edge = |edge: &ir::Edge| flow(program, has_regions, edge);
        let flows: Vec<Vec<Flow>> = program.procs.iter().map(|proc| proc.edges.iter().map(of_edge).collect()).collect();
        let starts = starts(program);
        let mut automata = Vec::new();
        let mut n_locs = 0;
        for ((proc, flows), starts) in program.procs.iter().zip(&flows).zip(starts) {
            let node = |(edge, flow): (&ir::Edge, &Flow)| Node {
                from: edge.from.index(),
                to: edge.to.index(),
                conditions: flow.observed.iter().map(|symbol| numbers.of(*symbol)).collect(),
                pairs: (flow.into.iter())
                    .flat_map(|(to, all)| all.iter().map(|from| (numbers.of(*to), numbers.of(*from))))
                    .collect(),
            };
            let nodes: Vec<Node> = proc.edges.iter().zip(flows).map(node).collect();
            let (first_loc, entry) = (n_locs, proc.entry.index());
            let (known, written) = (Vec::new(), FixedBitSet::new());
            automata.push(Automaton { first_loc, n_locs: proc.locs.len(), entry, nodes, known, written, starts });
            n_locs += proc.locs.len();
        }
        let mut flow = DataFlow {
            flows,
            automata,
            numbers,
            has_regions,
            number_of: Vec::new(),
            n_known: 0,
            behind: FxHashMap::default(),
            from_places: FxHashMap::default(),
            views: Vec::new(),
            view_with: FxHashMap::default(),
            places: FixedBitSet::with_capacity(2 * n_locs),
            n_locs,
        };
        flow.know(&(0..numbers.len()).collect::<Vec<_>>());
        flow
    }

    /// From now on these are the symbols about which something is known; before, all are.
    pub fn begin(&mut self, tracked: impl Iterator<Item = Symbol>) {
        let tracked: Vec<usize> = tracked.map(|symbol| self.numbers.of(symbol)).collect();
        self.know(&tracked);
    }

    /// Looks at these symbols only, and forgets what was found for others.
    fn know(&mut self, symbols: &[usize]) {
        self.number_of.clear();
        self.number_of.resize(self.numbers.len(), None);
        self.n_known = 0;
        for symbol in symbols {
            if self.number_of[*symbol].is_none() {
                self.number_of[*symbol] = Some(self.n_known as u32);
                self.n_known += 1;
            }
        }
        let number = |symbol: &usize| self.number_of[*symbol].map(|number| number as usize);
        for automaton in &mut self.automata {
            let known = |node: &Node| Node {
                from: node.from,
                to: node.to,
                conditions: node.conditions.iter().filter_map(number).collect(),
                pairs: node.pairs.iter().filter_map(|(to, from)| Some((number(to)?, number(from)?))).collect(),
            };
            automaton.known = automaton.nodes.iter().map(known).collect();
            automaton.written = FixedBitSet::with_capacity(self.n_known);
            let written = automaton.known.iter().flat_map(|node| node.pairs.iter().map(|(to, _)| *to));
            automaton.written.extend(written);
        }
        self.behind.clear();
        self.from_places.clear();
        self.views.clear();
        self.view_with.clear();
    }

    /// Whether something is known about a symbol.
    pub fn is_tracked(&self, symbol: Symbol) -> bool {
        self.number_of[self.numbers.of(symbol)].is_some()
    }

    /// The symbol of memory that is accessed through a region; none if nobody knows which of them it is.
    pub fn memory(&self, region: RegionId) -> Option<Symbol> {
        (!self.has_regions || region != RegionId::ANYWHERE).then_some(Symbol::Memory(if self.has_regions {
            region
        } else {
            RegionId::ANYWHERE
        }))
    }

    /// All symbols of memory.
    pub fn all_memory(&self) -> impl Iterator<Item = Symbol> + use<> {
        (0..self.numbers.n_regions()).map(|region| Symbol::Memory(RegionId(region as u32)))
    }

    /// What flows on an edge.
    pub fn flow(&self, proc: ProcId, edge: ir::EdgeId) -> &Flow {
        &self.flows[proc.index()][edge.index()]
    }

    /// What is observed from where threads stand; each says whether it stands for several.
    pub fn view(&mut self, threads: impl Iterator<Item = (ProcId, LocId, bool)>) -> Observed {
        self.places.clear();
        for (proc, loc, is_many) in threads {
            let place = self.automata[proc.index()].first_loc + loc.index();
            if self.places.put(place) || is_many {
                self.places.insert(self.n_locs + place);
            }
        }
        if let Some(known) = self.from_places.get(&self.places) {
            return *known;
        }
        let lanes = self.lanes();
        let view = self.solve(&lanes);
        if self.from_places.len() >= MANY_PLACES {
            self.from_places.clear();
        }
        self.from_places.insert(self.places.clone(), view);
        view
    }

    /// What is observed from anywhere, in whatever order.
    pub fn view_from_anywhere(&mut self) -> Observed {
        let entry = |(proc, automaton): (usize, &Automaton)| (proc, automaton.entry, true);
        let lanes: Vec<Lane> = self.automata.iter().enumerate().map(entry).collect();
        self.solve(&lanes)
    }

    /// Whether something is known about a symbol, and a condition that can be reached may depend on the value that it has.
    pub fn is_observed(&self, view: Observed, symbol: Symbol) -> bool {
        let number = self.number_of[self.numbers.of(symbol)];
        number.is_some_and(|number| self.views[view.0 as usize].contains(number as usize))
    }

    /// Who stands at the places, and who may be started from there.
    fn lanes(&self) -> Vec<Lane> {
        let mut lanes = Vec::new();
        let mut started = FixedBitSet::with_capacity(self.automata.len());
        for (proc, automaton) in self.automata.iter().enumerate() {
            for loc in 0..automaton.n_locs {
                let place = automaton.first_loc + loc;
                if self.places.contains(place) {
                    lanes.push((proc, loc, self.places.contains(self.n_locs + place)));
                    started.union_with(&automaton.starts[loc]);
                }
            }
        }
        lanes.extend(started.ones().map(|proc| (proc, self.automata[proc].entry, true)));
        lanes
    }

    /// What all of them look at: the least sets such that each knows what the others look at.
    fn solve(&mut self, lanes: &[Lane]) -> Observed {
        let none = FixedBitSet::with_capacity(self.n_known);
        let mut looks: Vec<FixedBitSet> = vec![none.clone(); lanes.len()];
        loop {
            let others = others(&looks, lanes);
            let mut has_changed = false;
            for (at, (proc, loc, _)) in lanes.iter().enumerate() {
                let mut seen = others[at].clone();
                seen.intersect_with(&self.automata[*proc].written);
                let behind = self.behind(*proc, seen);
                if behind[*loc] != looks[at] {
                    looks[at].union_with(&behind[*loc]);
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        let mut all = none;
        looks.iter().for_each(|one| all.union_with(one));
        let next = Observed(self.views.len() as u32);
        let view = *self.view_with.entry(all.clone()).or_insert(next);
        if view == next {
            self.views.push(all);
        }
        view
    }

    /// What the own edges look at from each location on, if others look at these of the symbols that they write.
    fn behind(&mut self, proc: usize, seen: FixedBitSet) -> Behind {
        let key = (proc, seen);
        if let Some(known) = self.behind.get(&key) {
            return Rc::clone(known);
        }
        let (automaton, seen) = (&self.automata[proc], &key.1);
        let mut behind = vec![FixedBitSet::with_capacity(self.n_known); automaton.n_locs];
        let mut looks = FixedBitSet::with_capacity(self.n_known);
        loop {
            let mut has_changed = false;
            for node in automaton.known.iter().rev() {
                looks.clone_from(&behind[node.to]);
                let is_wanted = |to: usize| behind[node.to].contains(to) || seen.contains(to);
                let values = node.pairs.iter().filter(|(to, _)| is_wanted(*to)).map(|(_, from)| *from);
                looks.extend(node.conditions.iter().copied().chain(values));
                if !looks.is_subset(&behind[node.from]) {
                    behind[node.from].union_with(&looks);
                    has_changed = true;
                }
            }
            if !has_changed {
                break;
            }
        }
        let behind: Behind = behind.into();
        self.behind.insert(key, Rc::clone(&behind));
        behind
    }
}

/// For each lane what all others look at, and it itself if it stands for several.
fn others(looks: &[FixedBitSet], lanes: &[Lane]) -> Vec<FixedBitSet> {
    let none = || FixedBitSet::with_capacity(looks.first().map_or(0, FixedBitSet::len));
    let mut others: Vec<FixedBitSet> = lanes.iter().map(|_| none()).collect();
    let mut so_far = none();
    for (at, (.., is_many)) in lanes.iter().enumerate() {
        others[at].union_with(&so_far);
        so_far.union_with(&looks[at]);
        if *is_many {
            others[at].union_with(&looks[at]);
        }
    }
    so_far.clear();
    for at in (0..lanes.len()).rev() {
        others[at].union_with(&so_far);
        so_far.union_with(&looks[at]);
    }
    others
}

/// For each location of each procedure, the procedures that its thread, or one that is started then, may start.
fn starts(program: &Program) -> Vec<Vec<FixedBitSet>> {
    let none = FixedBitSet::with_capacity(program.procs.len());
    let mut starts: Vec<Vec<FixedBitSet>> =
        program.procs.iter().map(|proc| vec![none.clone(); proc.locs.len()]).collect();
    loop {
        let mut has_changed = false;
        for (index, proc) in program.procs.iter().enumerate() {
            for edge in proc.edges.iter().rev() {
                let mut own = starts[index][edge.to.index()].clone();
                for stmt in &edge.stmts {
                    match stmt.op {
                        Op::Start { callee: Callee::Proc(started), .. } => {
                            own.insert(started.index());
                            own.union_with(&starts[started.index()][program.proc(started).entry.index()]);
                        }
                        Op::Start { callee: Callee::Pointer(_), .. } => own.insert_range(..),
                        _ => {}
                    }
                }
                let from = &mut starts[index][edge.from.index()];
                if !own.is_subset(from) {
                    from.union_with(&own);
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return starts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::build::Builder;
    use ir::{Order, Place};
    use logic::VarId;

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
            (proc, edge.to, false)
        };
        let entry = |proc: ProcId| (proc, program.proc(proc).entry, false);
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
        let at_entry = |procs: &[ProcId]| -> Vec<(ProcId, LocId, bool)> {
            procs.iter().map(|proc| (*proc, program.proc(*proc).entry, false)).collect()
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

    /// Definition 12: `check x == 0; x = y` beside nothing, beside itself, and beside a thread that checks x.
    #[test]
    fn what_is_read_after_the_last_look_is_not_observed() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let (x, y) = (builder.global("x", 0), builder.global("y", 0));
        let reader = builder.define("reader", |body| {
            let seen = body.local("seen");
            body.load(seen, x);
            let cond = body.is(seen, 0);
            body.check(cond);
        });
        builder.body(main, |body| {
            let (seen, copy) = (body.local("own"), body.local("copy"));
            body.load(seen, x);
            let cond = body.is(seen, 0);
            body.check(cond);
            body.load(copy, y);
            let value = body.var(copy);
            body.store(x, value);
        });
        let program = builder.finish(main);
        let mut flow = DataFlow::new(&program);
        let mut looks_at = |threads: &[(ProcId, bool)], symbol: VarId| {
            let places = threads.iter().map(|(proc, is_many)| (*proc, program.proc(*proc).entry, *is_many));
            let view = flow.view(places);
            flow.is_observed(view, Symbol::Var(symbol))
        };
        assert!(looks_at(&[(main, false)], x));
        assert!(!looks_at(&[(main, false)], y), "x = y comes after the only look at x");
        assert!(looks_at(&[(main, false), (main, false)], y), "the other one looks at x later");
        assert!(looks_at(&[(main, true)], y));
        assert!(looks_at(&[(main, false), (reader, false)], y));
        assert!(!looks_at(&[(reader, false)], y));
    }

    /// A loop comes round: what is read at its end is looked at by its head.
    #[test]
    fn in_a_loop_the_end_comes_before_the_head() {
        let mut builder = Builder::new();
        let main = builder.proc("main");
        let (x, y) = (builder.global("x", 0), builder.global("y", 0));
        builder.body(main, |body| {
            let head = body.here();
            let (seen, copy) = (body.local("seen"), body.local("copy"));
            body.load(seen, x);
            let cond = body.is(seen, 0);
            body.check(cond);
            body.load(copy, y);
            let value = body.var(copy);
            body.store(x, value);
            let end = body.here();
            body.edge(end, head, Vec::new());
        });
        let program = builder.finish(main);
        let mut flow = DataFlow::new(&program);
        let view = flow.view([(main, program.proc(main).entry, false)].into_iter());
        assert!(flow.is_observed(view, Symbol::Var(y)));
    }
}
