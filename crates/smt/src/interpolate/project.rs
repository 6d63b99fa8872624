//! What does a conjunction say about some of its variables?
//!
//! The other variables are eliminated one after the other, exactly where possible: a variable that an equation defines
//! is replaced; a truth value is tried both ways; a variable that is only compared with other terms leaves behind that
//! each lower bound is at most each upper one (bit-vectors are finite orders, so that is exact; a disequality
//! splits into less and greater); comparisons below other operators are decided both ways first; a small domain is
//! tried out. Failing all that, the variable stays if it may, and else the formulas with it are dropped, which loses
//! something: the caller has to check that what remains suffices.

use logic::{Node, Op, Pool, Sort, TermId, Value, VarId};

use rustc_hash::FxHashMap;

use crate::oracle::conjuncts;

/// Formulas with more nodes (as trees) are not copied for the two cases of a truth value.
const MAX_COPIED: u32 = 5000;

/// Comparisons that are decided both ways to get at one variable.
const MAX_DECIDED: u32 = 5;

/// Disequalities of one variable that are split.
const MAX_SPLIT: usize = 3;

/// The values of domains of up to this many bits are tried one by one.
const MAX_TRIED_BITS: u32 = 3;

/// The formulas with only the variables to keep, and such that may stay where they are hard to eliminate.
pub(super) fn project(
    pool: &mut Pool,
    formulas: &[TermId],
    keep: &dyn Fn(VarId) -> bool,
    may_stay: &dyn Fn(VarId) -> bool,
) -> Vec<TermId> {
    let mut current: Vec<TermId> = Vec::new();
    for &formula in formulas {
        add_conjuncts(pool, &mut current, formula);
    }
    let mut staying: Vec<VarId> = Vec::new();
    substitute_definitions(pool, &mut current, keep);
    while let Some(var) = var_to_eliminate(pool, &current, &|var| keep(var) || staying.contains(&var)) {
        let with: Vec<TermId> =
            current.iter().copied().filter(|&formula| pool.free_vars(formula).contains(var.index())).collect();
        match eliminate(pool, var, &with, MAX_DECIDED) {
            Some(rest) => {
                current.retain(|formula| !with.contains(formula));
                add_conjuncts(pool, &mut current, rest);
            }
            None if may_stay(var) => staying.push(var),
            None => current.retain(|formula| !with.contains(formula)),
        }
        substitute_definitions(pool, &mut current, &|var| keep(var) || staying.contains(&var));
    }
    current
}

fn add_conjuncts(pool: &Pool, formulas: &mut Vec<TermId>, formula: TermId) {
    for conjunct in conjuncts(pool, formula) {
        if !formulas.contains(&conjunct) {
            formulas.push(conjunct);
        }
    }
}

/// The variable that occurs in the fewest formulas.
fn var_to_eliminate(pool: &Pool, formulas: &[TermId], keep: &dyn Fn(VarId) -> bool) -> Option<VarId> {
    let mut n_uses: std::collections::BTreeMap<VarId, usize> = std::collections::BTreeMap::new();
    for &formula in formulas {
        for var in pool.free_vars(formula).ones() {
            let var = VarId(var as u32);
            if !keep(var) {
                *n_uses.entry(var).or_default() += 1;
            }
        }
    }
    n_uses.into_iter().min_by_key(|&(var, n)| (n, var)).map(|(var, _)| var)
}

/// Replaces every variable that some formula defines.
fn substitute_definitions(pool: &mut Pool, formulas: &mut Vec<TermId>, keep: &dyn Fn(VarId) -> bool) {
    let mut next = 0;
    while next < formulas.len() {
        let Some((var, term)) = definition(pool, formulas[next], keep) else {
            next += 1;
            continue;
        };
        formulas.remove(next);
        let old = std::mem::take(formulas);
        for formula in old {
            let new = pool.substitute(formula, &|other| (other == var).then_some(term));
            add_conjuncts(pool, formulas, new);
        }
        next = 0;
    }
}

/// A variable not to keep, and the term that a formula says it is.
fn definition(pool: &mut Pool, formula: TermId, keep: &dyn Fn(VarId) -> bool) -> Option<(VarId, TermId)> {
    if let Some(var) = pool.as_var(formula) {
        return (!keep(var)).then(|| (var, pool.bool(true)));
    }
    let Node::App { op, args } = pool.node(formula) else { return None };
    let (op, args) = (*op, args.clone());
    match (op, &args[..]) {
        (Op::Not, &[a]) => {
            let var = pool.as_var(a).filter(|&var| !keep(var))?;
            Some((var, pool.bool(false)))
        }
        (Op::Eq, &[a, b]) => solved(pool, a, b, keep).or_else(|| solved(pool, b, a, keep)),
        _ => None,
    }
}

/// From `left = right`: a variable to the left, alone on its side.
fn solved(pool: &mut Pool, left: TermId, right: TermId, keep: &dyn Fn(VarId) -> bool) -> Option<(VarId, TermId)> {
    if let Some(var) = pool.as_var(left) {
        return (!keep(var) && !occurs(pool, var, right)).then_some((var, right));
    }
    let Node::App { op, args } = pool.node(left) else { return None };
    let (op, args) = (*op, args.clone());
    // Each operand is moved to the other side in turn by the inverse of the operator.
    match (op, &args[..]) {
        (Op::Neg | Op::BvNot, &[a]) => {
            let moved = pool.apply(op, &[right]);
            solved(pool, a, moved, keep)
        }
        (Op::Add | Op::BvXor, &[a, b]) => {
            let inverse = if op == Op::Add { Op::Sub } else { Op::BvXor };
            let without_b = pool.apply(inverse, &[right, b]);
            solved(pool, a, without_b, keep).or_else(|| {
                let without_a = pool.apply(inverse, &[right, a]);
                solved(pool, b, without_a, keep)
            })
        }
        (Op::Sub, &[a, b]) => {
            let with_b = pool.add(right, b);
            solved(pool, a, with_b, keep).or_else(|| {
                let difference = pool.sub(a, right);
                solved(pool, b, difference, keep)
            })
        }
        _ => None,
    }
}

fn occurs(pool: &Pool, var: VarId, term: TermId) -> bool {
    pool.free_vars(term).contains(var.index())
}

/// What a conjunction says if the variable may be anything.
fn eliminate(pool: &mut Pool, var: VarId, formulas: &[TermId], n_decisions: u32) -> Option<TermId> {
    let all = pool.and_all(formulas);
    if pool.tree_size(all) > MAX_COPIED {
        return None;
    }
    let width = match pool.var_sort(var) {
        Sort::Bool => return Some(tried(pool, var, all, 1)),
        Sort::Bv(width) => width,
        _ => return None,
    };
    let formulas = conjuncts(pool, all);
    for &formula in &formulas {
        if let Some((_, term)) = definition(pool, formula, &|other| other != var) {
            return Some(pool.substitute(all, &|other| (other == var).then_some(term)));
        }
    }
    if let Some(result) = between_bounds(pool, var, &formulas) {
        return Some(result);
    }
    if width <= MAX_TRIED_BITS {
        return Some(tried(pool, var, all, width));
    }
    let comparison = formulas.iter().find_map(|&formula| hidden_comparison(pool, var, formula))?;
    if n_decisions == 0 {
        return None;
    }
    let mut cases = Vec::new();
    for value in [true, false] {
        let constant = pool.bool(value);
        let literal = if value { comparison } else { pool.not(comparison) };
        let rest = replaced(pool, all, comparison, constant);
        let with_literal = pool.and(rest, literal);
        let (with, without): (Vec<TermId>, Vec<TermId>) =
            conjuncts(pool, with_literal).into_iter().partition(|&formula| occurs(pool, var, formula));
        let eliminated = eliminate(pool, var, &with, n_decisions - 1)?;
        let without = pool.and_all(&without);
        cases.push(pool.and(without, eliminated));
    }
    Some(pool.or_all(&cases))
}

/// A comparison, or the condition of a choice, below other operators in a formula with the variable.
fn hidden_comparison(pool: &Pool, var: VarId, formula: TermId) -> Option<TermId> {
    let literal = match pool.node(formula) {
        Node::App { op: Op::Not, args } => args[0],
        _ => formula,
    };
    let is_connective = |term: TermId| match pool.node(term) {
        Node::App { op: Op::And | Op::Or | Op::Not, .. } => true,
        Node::App { op: Op::Eq, args } => pool.sort(args[0]) == Sort::Bool,
        Node::App { op: Op::Ite, .. } => true,
        _ => false,
    };
    let subterms = pool.post_order(formula);
    let mut candidates = Vec::new();
    for &term in &subterms {
        match pool.node(term) {
            Node::App { op: Op::Ite, args } if occurs(pool, var, term) => candidates.push(args[0]),
            Node::App { .. } if pool.sort(term) == Sort::Bool && occurs(pool, var, term) => candidates.push(term),
            _ => {}
        }
    }
    // The smallest come first, so a condition is taken apart from below.
    candidates.into_iter().find(|&term| {
        term != literal && !is_connective(term) && pool.as_const(term).is_none() && subterms.contains(&term)
    })
}

/// The formula with one subterm replaced.
fn replaced(pool: &mut Pool, formula: TermId, from: TermId, to: TermId) -> TermId {
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
    for term in pool.post_order(formula) {
        let new = match pool.node(term) {
            _ if term == from => to,
            Node::App { op, args } => {
                let op = *op;
                let args: Vec<TermId> = args.iter().map(|arg| image[arg]).collect();
                pool.apply(op, &args)
            }
            _ => term,
        };
        image.insert(term, new);
    }
    image[&formula]
}

/// Some value makes the formula true.
fn tried(pool: &mut Pool, var: VarId, formula: TermId, n_bits: u32) -> TermId {
    let cases: Vec<TermId> = (0..1u64 << n_bits)
        .map(|value| {
            let value = match pool.var_sort(var) {
                Sort::Bool => pool.bool(value == 1),
                _ => pool.bv(n_bits, value),
            };
            pool.substitute(formula, &|other| (other == var).then_some(value))
        })
        .collect();
    pool.or_all(&cases)
}

/// Where a variable is only compared, and always in one order: bounds that it lies between.
fn between_bounds(pool: &mut Pool, var: VarId, formulas: &[TermId]) -> Option<TermId> {
    let mut bounds = Bounds { order: None, lower: Vec::new(), upper: Vec::new(), besides: Vec::new() };
    let mut excluded = Vec::new();
    for &formula in formulas {
        match excludes(pool, var, formula) {
            Some(term) => excluded.push(term),
            None => bounds.add(pool, var, formula)?,
        }
    }
    if excluded.len() > MAX_SPLIT {
        return None;
    }
    if excluded.len() == 1 && bounds.lower.is_empty() && bounds.upper.is_empty() {
        // There is always another value.
        return Some(pool.bool(true));
    }
    let mut cases = vec![bounds];
    for term in excluded {
        let mut split = Vec::new();
        for bounds in cases {
            for is_lower in [true, false] {
                let mut bounds = bounds.clone();
                bounds.add_strict(pool, term, is_lower);
                split.push(bounds);
            }
        }
        cases = split;
    }
    let cases: Vec<TermId> = cases.iter().map(|bounds| bounds.nonempty(pool)).collect();
    Some(pool.or_all(&cases))
}

/// The term that a formula says the variable is not.
fn excludes(pool: &Pool, var: VarId, formula: TermId) -> Option<TermId> {
    let Node::App { op: Op::Not, args } = pool.node(formula) else { return None };
    let Node::App { op: Op::Eq, args } = pool.node(args[0]) else { return None };
    let other = match (pool.as_var(args[0]), pool.as_var(args[1])) {
        (Some(left), _) if left == var => args[1],
        (_, Some(right)) if right == var => args[0],
        _ => return None,
    };
    (!occurs(pool, var, other)).then_some(other)
}

/// Bounds that are themselves allowed, and conditions for them to exist.
#[derive(Clone)]
struct Bounds {
    order: Option<Op>,
    lower: Vec<TermId>,
    upper: Vec<TermId>,
    besides: Vec<TermId>,
}

impl Bounds {
    fn add(&mut self, pool: &mut Pool, var: VarId, formula: TermId) -> Option<()> {
        let (formula, negated) = match pool.node(formula) {
            Node::App { op: Op::Not, args } => (args[0], true),
            _ => (formula, false),
        };
        let Node::App { op: op @ (Op::Ult | Op::Slt), args } = pool.node(formula) else { return None };
        let (op, args) = (*op, args.clone());
        if self.order.is_some_and(|order| order != op) {
            return None;
        }
        self.order = Some(op);
        let on_left = pool.as_var(args[0]) == Some(var);
        let term = if on_left { args[1] } else { args[0] };
        if !on_left && pool.as_var(args[1]) != Some(var) || occurs(pool, var, term) {
            return None;
        }
        match (on_left, negated) {
            (true, false) => self.add_strict(pool, term, false),
            (false, false) => self.add_strict(pool, term, true),
            (true, true) => self.lower.push(term),
            (false, true) => self.upper.push(term),
        }
        Some(())
    }

    /// Above a term is at least its successor, if it has one; likewise below.
    fn add_strict(&mut self, pool: &mut Pool, term: TermId, is_lower: bool) {
        let Sort::Bv(width) = pool.sort(term) else { unreachable!("bounds are bit-vectors") };
        let last = self.extreme(pool, width, is_lower);
        self.besides.push(pool.ne(term, last));
        let one = pool.bv(width, 1);
        if is_lower {
            self.lower.push(pool.add(term, one));
        } else {
            self.upper.push(pool.sub(term, one));
        }
    }

    fn extreme(&self, pool: &mut Pool, width: u32, is_largest: bool) -> TermId {
        use logic::BitVec;
        let signed = self.order == Some(Op::Slt);
        let value = match (signed, is_largest) {
            (true, true) => BitVec::signed_max(width),
            (true, false) => BitVec::signed_min(width),
            (false, true) => BitVec::ones(width),
            (false, false) => BitVec::zero(width),
        };
        pool.constant(Value::Bv(value))
    }

    fn nonempty(&self, pool: &mut Pool) -> TermId {
        let order = self.order.unwrap_or(Op::Ult);
        let mut conditions = self.besides.clone();
        for &lower in &self.lower {
            for &upper in &self.upper {
                let crossed = pool.apply(order, &[upper, lower]);
                conditions.push(pool.not(crossed));
            }
        }
        pool.and_all(&conditions)
    }
}
