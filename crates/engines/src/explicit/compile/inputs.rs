//! Which values of an input must be tried? One for each class of values that the program can tell apart.
//!
//! Known as: data abstraction of inputs by equivalence classes, region partitioning.
//!
//! Programs mostly compare inputs with constants: `if (nondet())`, `assume(0 <= n && n < 10)`. All comparisons of an input with constants
//! cut its range into intervals on which they all agree. If the input is used for nothing else, one value of each class
//! of intervals is enough. If it is used otherwise, but the `Assume`s right after it leave few values, exactly these are tried.
//! If neither holds, all values of a small sort are tried, and a large one is reported by the engine.
//!
//! Inside the edge of the input statements are followed in order, along copies; beyond it a variable that still matters
//! stands for all of its uses in the program, also through globals and arguments of threads that it is copied to. Invariant: an execution with any value has one with a value tried here that
//! takes the same edges and differs only in variables of which nothing but such comparisons is ever asked.

use super::code::{Values, bits_of, mask, value_of, word_of};
use ir::pass::Liveness;
use ir::{Callee, Edge, Op, Place, Program, Scope};
use logic::{Node, Pool, Sort, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program asks of a variable.
#[derive(Clone, Default, Debug)]
struct Uses {
    /// Comparisons with constants.
    comparisons: Vec<TermId>,
    /// Whether there is any other use.
    is_opaque: bool,
    /// The variables it is copied to.
    copies: Vec<VarId>,
}

/// The uses of all variables of a program.
pub(crate) struct Inputs {
    uses: FxHashMap<VarId, Uses>,
    /// Whether somebody looks at what threads return.
    pub(crate) results_matter: bool,
}

/// The most values that the classes of one input may have.
const MOST_CLASSES: usize = 256;

impl Inputs {
    /// Looks at every statement.
    pub(crate) fn new(program: &Program) -> Inputs {
        let mut inputs = Inputs { uses: FxHashMap::default(), results_matter: false };
        let stmts = || program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        let mut read = FxHashSet::default();
        for stmt in stmts() {
            read.extend(ir::access::locals_read(&stmt.op, &program.pool));
        }
        inputs.results_matter =
            stmts().any(|stmt| matches!(&stmt.op, Op::Join { result: Some(var), .. } if read.contains(var)));
        for stmt in stmts() {
            inputs.add(program, &stmt.op);
        }
        inputs
    }

    fn add(&mut self, program: &Program, op: &Op) {
        let pool = &program.pool;
        match op {
            Op::Load { dst, place: Place::Var(var), .. } => self.uses.entry(*var).or_default().copies.push(*dst),
            Op::Rmw { dst, place: Place::Var(var), .. } => self.uses.entry(*var).or_default().copies.push(*dst),
            _ => {}
        }
        let copied = copies(program, op);
        for (source, copy) in &copied {
            self.uses.entry(*source).or_default().copies.push(*copy);
        }
        if !copied.is_empty() || (!self.results_matter && matches!(op, Op::Return(_) | Op::ExitThread(_))) {
            return;
        }
        for term in ir::access::terms(op) {
            scan(pool, term, &mut |var, comparison| {
                let uses = self.uses.entry(var).or_default();
                match comparison {
                    Some(term) => uses.comparisons.push(term),
                    None => uses.is_opaque = true,
                }
            });
        }
    }

    /// The values to try of the variable that the statement at a position of the edge sets, which takes any value.
    pub(crate) fn values(&self, at: &At<'_>, position: usize, var: VarId, enumerate: u32) -> Values {
        let pool = &at.program.pool;
        let sort = pool.var_sort(var);
        let bits = bits_of(sort);
        let all = if bits <= enumerate.min(32) { Values::Below(1 << bits) } else { Values::TooMany };
        if !matches!(sort, Sort::Bv(_)) {
            return all;
        }
        let mut here = Uses::default();
        let mut guards = Vec::new();
        let tracked = self.follow_edge(at, position, var, &mut here, &mut guards);
        let matters = |var: &VarId| at.program.var(*var).scope == Scope::Global || at.live.is_live(at.edge.to, *var);
        let beyond: Vec<VarId> = tracked.iter().copied().filter(matters).collect();
        for var in self.copies_of(beyond) {
            if let Some(uses) = self.uses.get(&var) {
                here.comparisons.extend(&uses.comparisons);
                here.is_opaque |= uses.is_opaque;
            }
        }
        let cells = cells(pool, &here.comparisons, bits);
        let holds = |word: u64| {
            let value = value_of(word, sort);
            guards.iter().all(|guard| pool.evaluate(*guard, &|_| value.clone()).as_bool())
        };
        let chosen: Vec<(u64, u64)> = cells.into_iter().filter(|(first, _)| holds(*first)).collect();
        let limit = 1u128 << enumerate.min(32);
        if !here.is_opaque {
            let classes = classes(pool, &here.comparisons, &chosen, sort);
            if classes.len() <= MOST_CLASSES && (classes.len() as u128) < 1u128 << bits {
                return Values::Classes(classes);
            }
        }
        let n_left: u128 = chosen.iter().map(|(first, last)| u128::from(last - first) + 1).sum();
        if n_left <= limit && n_left < 1u128 << bits {
            return Values::Classes(chosen.into_iter().flat_map(|(first, last)| first..=last).collect());
        }
        all
    }

    /// Collects the uses in the rest of the edge, and the conditions on nothing but this value that come before anything else
    /// that could end the execution. Returns the variables that hold the value at the end.
    fn follow_edge(
        &self,
        at: &At<'_>,
        position: usize,
        var: VarId,
        uses: &mut Uses,
        guards: &mut Vec<TermId>,
    ) -> FxHashSet<VarId> {
        let pool = &at.program.pool;
        let mut tracked: FxHashSet<VarId> = [var].into_iter().collect();
        let mut only_pure = true;
        for stmt in &at.edge.stmts[position + 1..] {
            let copied: Vec<VarId> = (copies(at.program, &stmt.op).into_iter())
                .filter_map(|(source, copy)| tracked.contains(&source).then_some(copy))
                .collect();
            let is_result = matches!(stmt.op, Op::Return(_) | Op::ExitThread(_)) && !self.results_matter;
            if copied.is_empty() && !is_result {
                for term in ir::access::terms(&stmt.op) {
                    let mut is_opaque_here = false;
                    scan(pool, term, &mut |var, comparison| {
                        if tracked.contains(&var) {
                            match comparison {
                                Some(term) => uses.comparisons.push(term),
                                None => is_opaque_here = true,
                            }
                        }
                    });
                    uses.is_opaque |= is_opaque_here;
                    let only_this = pool.free_vars(term).ones().all(|index| tracked.contains(&VarId(index as u32)));
                    if matches!(stmt.op, Op::Assume(_)) && only_pure && !is_opaque_here && only_this {
                        guards.push(term);
                    }
                }
            }
            only_pure &= matches!(stmt.op, Op::Assign { .. } | Op::Assume(_) | Op::Havoc { .. } | Op::Mark(..));
            if let Some(written) = ir::access::local_written(&stmt.op) {
                tracked.remove(&written);
            }
            tracked.extend(copied);
        }
        tracked
    }

    fn copies_of(&self, vars: Vec<VarId>) -> Vec<VarId> {
        let mut reached: FxHashSet<VarId> = vars.iter().copied().collect();
        let mut all = vars;
        let mut next = 0;
        while next < all.len() {
            for copy in self.uses.get(&all[next]).into_iter().flat_map(|uses| &uses.copies) {
                if reached.insert(*copy) {
                    all.push(*copy);
                }
            }
            next += 1;
        }
        all
    }
}

/// Where an input is.
pub(crate) struct At<'p> {
    pub(crate) program: &'p Program,
    pub(crate) live: &'p Liveness,
    pub(crate) edge: &'p Edge,
}

/// The variables that the statement makes a plain copy of another: (source, copy). None if it does anything else with one.
fn copies(program: &Program, op: &Op) -> Vec<(VarId, VarId)> {
    let pool = &program.pool;
    match op {
        Op::Assign { var, value } => pool.as_var(*value).map(|source| (source, *var)).into_iter().collect(),
        Op::Store { place: Place::Var(var), value, .. } => {
            pool.as_var(*value).map(|source| (source, *var)).into_iter().collect()
        }
        Op::Start { callee: Callee::Proc(proc), args, .. } => {
            let is_plain = |arg: &TermId| pool.as_var(*arg).is_some() || pool.as_const(*arg).is_some();
            if !args.iter().all(is_plain) {
                return Vec::new();
            }
            let params = program.proc(*proc).params.iter();
            args.iter().zip(params).filter_map(|(arg, param)| Some((pool.as_var(*arg)?, *param))).collect()
        }
        _ => Vec::new(),
    }
}

/// Calls `found` with each variable of the term: with the comparison if it is only compared with a constant there.
fn scan(pool: &Pool, term: TermId, found: &mut dyn FnMut(VarId, Option<TermId>)) {
    let mut seen = FxHashSet::default();
    let mut stack = vec![term];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        match pool.node(term) {
            Node::Const(_) => {}
            Node::Var(var) => found(*var, None),
            Node::App { op: logic::Op::Eq | logic::Op::Ult | logic::Op::Slt, args } => {
                let compared = match (pool.as_const(args[0]), pool.as_const(args[1])) {
                    (None, Some(_)) => extended_var(pool, args[0]),
                    (Some(_), None) => extended_var(pool, args[1]),
                    _ => None,
                };
                match compared {
                    Some(var) => found(var, Some(term)),
                    None => stack.extend(args),
                }
            }
            Node::App { args, .. } => stack.extend(args),
        }
    }
}

/// The variable under extensions.
fn extended_var(pool: &Pool, mut term: TermId) -> Option<VarId> {
    loop {
        match pool.node(term) {
            Node::Var(var) => return matches!(pool.var_sort(*var), Sort::Bv(1..=64)).then_some(*var),
            Node::App { op: logic::Op::ZeroExtend(_) | logic::Op::SignExtend(_), args } => term = args[0],
            _ => return None,
        }
    }
}

/// Intervals (first and last value) on which all comparisons agree.
fn cells(pool: &Pool, comparisons: &[TermId], bits: u32) -> Vec<(u64, u64)> {
    // Comparisons of signed numbers also change where the sign does.
    let mut cuts = vec![0, 1 << (bits - 1)];
    for comparison in comparisons {
        for arg in pool.node(*comparison).args() {
            if let Some(value) = pool.as_const(*arg) {
                let word = word_of_wide(value) & mask(bits);
                cuts.extend([word, word.wrapping_add(1) & mask(bits)]);
            }
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let ends = cuts[1..].iter().map(|cut| cut - 1).chain([mask(bits)]);
    cuts.iter().copied().zip(ends.collect::<Vec<u64>>()).collect()
}

fn word_of_wide(value: &logic::Value) -> u64 {
    match value {
        logic::Value::Bv(value) => value.as_u64(),
        other => word_of(other),
    }
}

/// One value for each way in which the comparisons can come out.
fn classes(pool: &Pool, comparisons: &[TermId], cells: &[(u64, u64)], sort: Sort) -> Vec<u64> {
    let mut seen = FxHashSet::default();
    let mut values = Vec::new();
    for (first, _) in cells {
        let value = value_of(*first, sort);
        let outcome: Vec<bool> =
            comparisons.iter().map(|term| pool.evaluate(*term, &|_| value.clone()).as_bool()).collect();
        if seen.insert(outcome) {
            values.push(*first);
        }
    }
    values
}
