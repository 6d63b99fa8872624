//! Which values of an input must be tried? One for each class of values that the program can tell apart.
//!
//! Known as: data abstraction of inputs by equivalence classes, region partitioning.
//!
//! Programs mostly compare inputs with constants: `if (nondet())`, `assume(0 <= n && n < 10)`. All comparisons of an input with constants
//! cut its range into intervals on which they all agree. If the input is used for nothing else, one value of each class
//! of intervals is enough. If it is used otherwise, but the `Assume`s right after it leave few values, exactly these are tried.
//! If neither holds, all values of a small sort are tried. Of a large one a few are, at the ends of these intervals: what goes wrong with them goes wrong, and otherwise the engine says that there are more.
//!
//! A deadline is a time of day and a bit more, so sums with constants count as copies (`v + 50 >= 1000` is a comparison of `v`, too). Inside the procedure of the input
//! copies are followed along its edges (`tracked`), so that a new value of a variable is not taken for the old one; a global or an argument of a thread that one is copied
//! to stands for all of its uses in the program. Invariant: an execution with any value has one with a value tried here that
//! takes the same edges and differs only in variables of which nothing but such comparisons is ever asked: each such variable holds the input and one of the constants found for it,
//! and every comparison that it may meet comes out alike for both values.

use super::code::{Values, bits_of, mask, value_of, word_of};
use super::tracked;
use ir::pass::Liveness;
use ir::{Callee, Edge, EdgeId, Op, Place, ProcId, Program};
use logic::{Node, Pool, Sort, TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program asks of a variable.
#[derive(Clone, Default, Debug)]
pub(super) struct Uses {
    /// Comparisons with constants.
    pub(super) comparisons: Vec<Comparison>,
    /// Whether there is any other use.
    pub(super) is_opaque: bool,
    /// The variables it is copied to, and what is added.
    copies: Vec<(VarId, u64)>,
}

/// A term that compares a variable with a constant, where the variable is the input plus this.
pub(super) type Comparison = (TermId, u64);

/// The uses of all variables of a program.
pub(crate) struct Inputs {
    uses: FxHashMap<VarId, Uses>,
    /// Whether somebody looks at what threads return.
    pub(crate) results_matter: bool,
}

/// The most values that the classes of one input may have.
const MOST_CLASSES: usize = 256;
/// How many values are tried of an input that has too many.
const MOST_SAMPLES: usize = 6;
/// The most copies of one input, each plus some constant, that are told apart.
const MOST_COPIES: usize = 256;

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
            Op::Load { dst, place: Place::Var(var), .. } => self.uses.entry(*var).or_default().copies.push((*dst, 0)),
            Op::Rmw { dst, place: Place::Var(var), .. } => self.uses.entry(*var).or_default().copies.push((*dst, 0)),
            _ => {}
        }
        let copied = copies(program, op);
        for (source, copy, by) in &copied {
            self.uses.entry(*source).or_default().copies.push((*copy, *by));
        }
        if !copied.is_empty() || (!self.results_matter && matches!(op, Op::Return(_) | Op::ExitThread(_))) {
            return;
        }
        for term in ir::access::terms(op) {
            scan(pool, term, &mut |var, comparison| {
                let uses = self.uses.entry(var).or_default();
                match comparison {
                    Some(term) => uses.comparisons.push((term, 0)),
                    None => uses.is_opaque = true,
                }
            });
        }
    }

    /// The values to try of the variable that the statement at a position of the edge sets, which takes any value.
    fn values(&self, at: &At<'_>, position: usize, var: VarId, enumerate: u32) -> Values {
        let pool = &at.program.pool;
        let sort = pool.var_sort(var);
        let bits = bits_of(sort);
        let all = if bits <= enumerate.min(32) { Values::Below(1 << bits) } else { Values::TooMany };
        if !matches!(sort, Sort::Bv(_)) {
            return all;
        }
        let (here, guards) = tracked::uses(self, at, position, var);
        let cells = cells(pool, &here.comparisons, bits);
        let holds = |word: u64| guards.iter().all(|guard| guard.holds(at, word));
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
        match all {
            Values::TooMany => samples(&chosen, bits),
            all => all,
        }
    }

    /// Adds what is asked of variables that hold the input plus a constant, anywhere in the program.
    pub(super) fn add_everywhere(&self, program: &Program, vars: Vec<(VarId, u64)>, here: &mut Uses) {
        let mut reached: FxHashSet<(VarId, u64)> = vars.iter().copied().collect();
        let mut all = vars;
        let mut next = 0;
        while next < all.len() {
            let (var, by) = all[next];
            next += 1;
            if all.len() > MOST_COPIES {
                here.is_opaque = true;
                return;
            }
            let Some(uses) = self.uses.get(&var) else { continue };
            here.comparisons.extend(uses.comparisons.iter().map(|(term, _)| (*term, by)));
            here.is_opaque |= uses.is_opaque;
            let cut = mask(bits_of(program.pool.var_sort(var)));
            for (copy, more) in &uses.copies {
                let copy = (*copy, by.wrapping_add(*more) & cut);
                if reached.insert(copy) {
                    all.push(copy);
                }
            }
        }
    }
}

/// A few values of some intervals: their ends, and the least ones.
fn samples(intervals: &[(u64, u64)], bits: u32) -> Values {
    let ends = intervals.iter().flat_map(|(first, last)| [*first, *last]);
    let is_inside = |word: &u64| intervals.iter().any(|(first, last)| (*first..=*last).contains(word));
    let least = [1, 2].into_iter().filter(|word| *word <= mask(bits)).filter(is_inside);
    let mut values: Vec<u64> = Vec::new();
    for word in least.chain(ends) {
        if !values.contains(&word) && values.len() < MOST_SAMPLES {
            values.push(word);
        }
    }
    if values.is_empty() { Values::TooMany } else { Values::Some(values) }
}

/// The values to try of each `Havoc`, by its edge and position.
pub(super) type HavocValues = FxHashMap<(EdgeId, usize), Values>;

/// The values to try in a procedure.
pub(super) fn havoc_values(
    inputs: &Inputs,
    program: &Program,
    proc: ProcId,
    live: &Liveness,
    enumerate: u32,
) -> HavocValues {
    let mut values = HavocValues::default();
    for (index, edge) in program.proc(proc).edges.iter().enumerate() {
        for (position, stmt) in edge.stmts.iter().enumerate() {
            if let Op::Havoc { var, .. } = &stmt.op {
                let at = At { program, live, edge, proc };
                values.insert((EdgeId(index as u32), position), inputs.values(&at, position, *var, enumerate));
            }
        }
    }
    values
}

/// Where an input is.
pub(crate) struct At<'p> {
    pub(crate) program: &'p Program,
    pub(crate) live: &'p Liveness,
    pub(crate) edge: &'p Edge,
    pub(crate) proc: ProcId,
}

/// The variables that the statement makes a copy of another, up to a constant: (source, copy, what is added). None if it does anything else with one.
pub(super) fn copies(program: &Program, op: &Op) -> Vec<(VarId, VarId, u64)> {
    let pool = &program.pool;
    match op {
        Op::Assign { var, value } | Op::Store { place: Place::Var(var), value, .. } => {
            shifted_var(pool, *value).map(|(source, by)| (source, *var, by)).into_iter().collect()
        }
        Op::Start { callee: Callee::Proc(proc), args, .. } => {
            let is_plain = |arg: &TermId| pool.as_var(*arg).is_some() || pool.as_const(*arg).is_some();
            if !args.iter().all(is_plain) {
                return Vec::new();
            }
            let params = program.proc(*proc).params.iter();
            args.iter().zip(params).filter_map(|(arg, param)| Some((pool.as_var(*arg)?, *param, 0))).collect()
        }
        _ => Vec::new(),
    }
}

/// A variable plus a constant, as numbers of the variable's width.
fn shifted_var(pool: &Pool, term: TermId) -> Option<(VarId, u64)> {
    let word = |term: TermId| pool.as_const(term).map(word_of_wide);
    let (var, by) = match pool.node(term) {
        Node::Var(var) => return Some((*var, 0)),
        Node::App { op: logic::Op::Add, args } if args.len() == 2 => match (word(args[0]), word(args[1])) {
            (None, Some(by)) => (pool.as_var(args[0])?, by),
            (Some(by), None) => (pool.as_var(args[1])?, by),
            _ => return None,
        },
        Node::App { op: logic::Op::Sub, args } => (pool.as_var(args[0])?, word(args[1])?.wrapping_neg()),
        _ => return None,
    };
    match pool.var_sort(var) {
        Sort::Bv(bits @ 1..=64) => Some((var, by & mask(bits))),
        _ => None,
    }
}

/// Calls `found` with each variable of the term: with the comparison if it is only compared with a constant there.
pub(super) fn scan(pool: &Pool, term: TermId, found: &mut dyn FnMut(VarId, Option<TermId>)) {
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

/// The variable under extensions, perhaps plus a constant.
fn extended_var(pool: &Pool, mut term: TermId) -> Option<VarId> {
    while let Node::App { op: logic::Op::ZeroExtend(_) | logic::Op::SignExtend(_), args } = pool.node(term) {
        term = args[0];
    }
    let (var, _) = shifted_var(pool, term)?;
    matches!(pool.var_sort(var), Sort::Bv(1..=64)).then_some(var)
}

/// What a comparison adds to its variable.
fn added(pool: &Pool, comparison: TermId) -> u64 {
    let mut sides = pool.node(comparison).args().iter().copied();
    let side = sides.find(|side| pool.as_const(*side).is_none());
    side.map_or(0, |mut side| {
        while let Node::App { op: logic::Op::ZeroExtend(_) | logic::Op::SignExtend(_), args } = pool.node(side) {
            side = args[0];
        }
        shifted_var(pool, side).map_or(0, |(_, by)| by)
    })
}

/// Intervals (first and last value) on which all comparisons agree.
fn cells(pool: &Pool, comparisons: &[Comparison], bits: u32) -> Vec<(u64, u64)> {
    let mut cuts = vec![0];
    for (comparison, by) in comparisons {
        let back = |word: u64| word.wrapping_sub(added(pool, *comparison)).wrapping_sub(*by) & mask(bits);
        // Comparisons of signed numbers also change where the sign does, and all of them where the sum wraps.
        cuts.extend([back(0), back(1 << (bits - 1))]);
        for arg in pool.node(*comparison).args() {
            if let Some(value) = pool.as_const(*arg) {
                let word = word_of_wide(value);
                cuts.extend([back(word), back(word.wrapping_add(1))]);
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

/// How a comparison comes out if the input has this value.
fn outcome(pool: &Pool, (term, by): Comparison, word: u64, sort: Sort) -> bool {
    let value = value_of(word.wrapping_add(by) & mask(bits_of(sort)), sort);
    pool.evaluate(term, &|_| value.clone()).as_bool()
}

/// One value for each way in which the comparisons can come out.
fn classes(pool: &Pool, comparisons: &[Comparison], cells: &[(u64, u64)], sort: Sort) -> Vec<u64> {
    let mut seen = FxHashSet::default();
    let mut values = Vec::new();
    for (first, _) in cells {
        let outcomes: Vec<bool> = comparisons.iter().map(|one| outcome(pool, *one, *first, sort)).collect();
        if seen.insert(outcomes) {
            values.push(*first);
        }
    }
    values
}
