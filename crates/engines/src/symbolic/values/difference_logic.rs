//! Do comparisons of numbers contradict each other? Answered without a solver where only differences matter.
//!
//! Known as: difference logic, difference-bound constraints, negative cycles (Bellman and Ford).
//!
//! Most conditions of a path compare two inputs, or an input and a constant. Such a conjunction is a graph: `a - b <= c` is an edge, and there is
//! a contradiction exactly if some cycle is negative (Bellman and Ford). Conditions of other forms are left out of the graph, so a negative
//! cycle is a contradiction in any case. Without one, distances are values for the inputs; these are an answer only if evaluating
//! every condition on them says that it holds. Different values are brought about by taking sides, one pair after the other, and
//! of a disjunction one part after the other is tried, up to a limit.

use super::terms::Terms;
use logic::{Node, Op, Sort, TermId, Value};
use rustc_hash::FxHashMap;
use smt::Assignment;

/// More than this many sides are not taken.
const MAX_SIDES: usize = 40;

/// More combinations of parts of disjunctions are not tried.
const MAX_TRIALS: u32 = 100;

/// `left - right <= bound`, where 0 stands for the number zero.
#[derive(Clone, Copy)]
struct Edge {
    left: usize,
    right: usize,
    bound: i128,
}

#[derive(Default)]
struct Graph {
    nodes: FxHashMap<TermId, usize>,
    terms: Vec<TermId>,
    edges: Vec<Edge>,
    /// Pairs with an offset that must differ: `left != right + offset`.
    different: Vec<(usize, usize, i128)>,
    truths: Vec<(TermId, bool)>,
    /// Of each of these rows one condition is to be what stands beside it.
    choices: Vec<Vec<(TermId, bool)>>,
}

/// Whether the formulas have a common solution, if that can be told here; with the solution.
pub(crate) fn check(terms: &Terms, formulas: impl Iterator<Item = TermId> + Clone) -> Option<Result<Assignment, ()>> {
    let mut graph = Graph::default();
    for formula in formulas.clone() {
        graph.add(terms, formula, true);
    }
    let mut n_trials = 0;
    graph.search(terms, 0, &mut n_trials, &|assignment| {
        formulas.clone().all(|formula| assignment.satisfies(&terms.pool, formula))
    })
}

/// An input's least and greatest value, as a number with a sign.
fn range(terms: &Terms, term: TermId) -> (i128, i128) {
    match terms.pool.sort(term) {
        Sort::Bv(64) => terms.range(crate::symbolic::state::Val::Term(term)),
        Sort::Bv(width) if width < 64 => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
    }
}

impl Graph {
    /// Tries the parts of the choices from one on.
    fn search(
        &mut self,
        terms: &Terms,
        choice: usize,
        n_trials: &mut u32,
        is_solution: &impl Fn(&Assignment) -> bool,
    ) -> Option<Result<Assignment, ()>> {
        *n_trials += 1;
        if *n_trials > MAX_TRIALS {
            return None;
        }
        let values = match self.solve() {
            Some(values) if !self.has_contrary_truths() => values,
            _ => return Some(Err(())),
        };
        let Some(parts) = self.choices.get(choice).cloned() else {
            let assignment = self.take_sides(terms, values)?;
            return is_solution(&assignment).then_some(Ok(assignment));
        };
        let mut all_fail = true;
        for (part, is_true) in parts {
            let sizes = [self.terms.len(), self.edges.len(), self.different.len(), self.truths.len()];
            let n_choices = self.choices.len();
            self.add(terms, part, is_true);
            let found = self.search(terms, choice + 1, n_trials, is_solution);
            for term in self.terms.drain(sizes[0]..) {
                self.nodes.remove(&term);
            }
            self.edges.truncate(sizes[1]);
            self.different.truncate(sizes[2]);
            self.truths.truncate(sizes[3]);
            self.choices.truncate(n_choices);
            match found {
                Some(Ok(assignment)) => return Some(Ok(assignment)),
                Some(Err(())) => {}
                None => all_fail = false,
            }
        }
        all_fail.then_some(Err(()))
    }

    /// Values where what must differ does.
    fn take_sides(&mut self, terms: &Terms, mut values: Vec<i128>) -> Option<Assignment> {
        let n_edges = self.edges.len();
        for _ in 0..MAX_SIDES {
            let is_equal = |(a, b, offset): &&(usize, usize, i128)| values[*a] - values[*b] == *offset;
            let Some(&(a, b, offset)) = self.different.iter().find(is_equal) else { break };
            let sides = [Edge { left: a, right: b, bound: offset - 1 }, Edge { left: b, right: a, bound: -offset - 1 }];
            let found = sides.into_iter().find_map(|side| {
                self.edges.push(side);
                let found = self.solve();
                if found.is_none() {
                    self.edges.pop();
                }
                found
            });
            let Some(found) = found else {
                self.edges.truncate(n_edges);
                return None;
            };
            values = found;
        }
        self.edges.truncate(n_edges);
        self.assignment(terms, &values)
    }

    fn has_contrary_truths(&self) -> bool {
        self.truths.iter().any(|(term, is_true)| self.truths.contains(&(*term, !is_true)))
    }

    fn node(&mut self, terms: &Terms, term: TermId) -> usize {
        if let Some(node) = self.nodes.get(&term) {
            return *node;
        }
        self.terms.push(term);
        let node = self.terms.len();
        self.nodes.insert(term, node);
        let (low, high) = range(terms, term);
        self.edges.push(Edge { left: node, right: 0, bound: high });
        self.edges.push(Edge { left: 0, right: node, bound: -low });
        node
    }

    /// A number as a node and what is added to it.
    fn linear(&mut self, terms: &Terms, term: TermId) -> (usize, i128) {
        match terms.pool.node(term) {
            Node::Const(Value::Bv(value)) => (0, signed(value)),
            Node::App { op: Op::SignExtend(_), args } => self.linear(terms, args[0]),
            // Only sums that are known not to wrap.
            Node::App { op: Op::Add, args } if terms.is_exact(term) && args.len() == 2 => {
                let constant = |term: TermId| match terms.pool.node(term) {
                    // The least number is its own opposite; a difference may have become this sum.
                    Node::Const(Value::Bv(value)) => Some(signed(value)).filter(|c| *c > i128::from(i64::MIN)),
                    _ => None,
                };
                match (constant(args[0]), constant(args[1])) {
                    (Some(c), _) => {
                        let (node, offset) = self.linear(terms, args[1]);
                        (node, offset + c)
                    }
                    (_, Some(c)) => {
                        let (node, offset) = self.linear(terms, args[0]);
                        (node, offset + c)
                    }
                    _ => (self.node(terms, term), 0),
                }
            }
            _ => (self.node(terms, term), 0),
        }
    }

    fn add(&mut self, terms: &Terms, formula: TermId, is_true: bool) {
        match terms.pool.node(formula) {
            Node::Var(_) => self.truths.push((formula, is_true)),
            Node::App { op: Op::Not, args } => self.add(terms, args[0], !is_true),
            Node::App { op: Op::And, args } if is_true => args.iter().for_each(|arg| self.add(terms, *arg, true)),
            Node::App { op: Op::Or, args } if !is_true => args.iter().for_each(|arg| self.add(terms, *arg, false)),
            Node::App { op: Op::And | Op::Or, args } => {
                self.choices.push(args.iter().map(|arg| (*arg, is_true)).collect());
            }
            Node::App { op: Op::Slt, args } => {
                let ((a, x), (b, y)) = (self.linear(terms, args[0]), self.linear(terms, args[1]));
                self.edges.push(match is_true {
                    true => Edge { left: a, right: b, bound: y - x - 1 },
                    false => Edge { left: b, right: a, bound: x - y },
                });
            }
            Node::App { op: Op::Eq, args } if matches!(terms.pool.sort(args[0]), Sort::Bv(_)) => {
                let ((a, x), (b, y)) = (self.linear(terms, args[0]), self.linear(terms, args[1]));
                if is_true {
                    self.edges.push(Edge { left: a, right: b, bound: y - x });
                    self.edges.push(Edge { left: b, right: a, bound: x - y });
                } else {
                    self.different.push((a, b, y - x));
                }
            }
            _ => {}
        }
    }

    /// Values that satisfy all edges, zero being zero; `None` if there is a negative cycle.
    fn solve(&self) -> Option<Vec<i128>> {
        let n = self.terms.len() + 1;
        let mut distances = vec![0i128; n];
        for _ in 0..=n {
            let mut has_changed = false;
            for edge in &self.edges {
                let bound = distances[edge.right] + edge.bound;
                if bound < distances[edge.left] {
                    distances[edge.left] = bound;
                    has_changed = true;
                }
            }
            if !has_changed {
                let zero = distances[0];
                distances.iter_mut().for_each(|distance| *distance -= zero);
                return Some(distances);
            }
        }
        None
    }

    /// The values as those of variables; `None` if something else than an input was compared.
    fn assignment(&self, terms: &Terms, values: &[i128]) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for (term, value) in self.terms.iter().zip(&values[1..]) {
            let (var, width) = match terms.pool.node(*term) {
                Node::Var(var) => (*var, terms.pool.sort(*term).width()?),
                Node::App { op: Op::ZeroExtend(_), args } => {
                    (terms.pool.as_var(args[0])?, terms.pool.sort(args[0]).width()?)
                }
                _ => return None,
            };
            assignment.set(var, Value::bv(width, *value as u64));
        }
        for (term, value) in &self.truths {
            assignment.set(terms.pool.as_var(*term)?, Value::bool(*value));
        }
        Some(assignment)
    }
}

/// A bit-vector as a number with a sign.
fn signed(value: &logic::BitVec) -> i128 {
    value.to_i128().unwrap_or_else(|| i128::from(value.as_i64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbolic::state::Val;
    use ir::oox::BinaryOp;
    use smt::{Backend, Decision, Solver};

    /// Random conjunctions, against the solver.
    #[test]
    fn contradictions_are_what_the_solver_says() {
        let mut seed = 1u64;
        let mut below = |n: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % n
        };
        let (mut n_yes, mut n_no, mut n_open) = (0, 0, 0);
        for round in 0..300 {
            let mut terms = Terms::new();
            let inputs: Vec<Val> =
                (0..4).map(|i| terms.input(&format!("x{i}"), if i == 3 { 8 } else { 32 }, i != 3)).collect();
            let mut formulas = Vec::new();
            for _ in 0..2 + below(7) {
                let mut operand = |terms: &mut Terms| {
                    let input = inputs[below(4) as usize];
                    match below(3) {
                        0 => Val::Int(below(6) as i64 - 3),
                        1 => terms.binary(BinaryOp::Add, input, Val::Int(below(5) as i64 - 2)).val,
                        _ => input,
                    }
                };
                let [a, b, c, d] = [(); 4].map(|()| operand(&mut terms));
                let op = [BinaryOp::Lt, BinaryOp::Le, BinaryOp::Eq, BinaryOp::Ne][below(4) as usize];
                let mut val = terms.binary(op, a, b).val;
                if below(3) == 0 {
                    let other = terms.binary(BinaryOp::Lt, c, d).val;
                    val = if below(2) == 0 { terms.or(val, other) } else { terms.and(val, other) };
                    val = if below(2) == 0 { terms.not(val) } else { val };
                }
                formulas.push(terms.truth(val));
            }
            let mut solver = Solver::new(Backend::Bits);
            formulas.iter().for_each(|formula| solver.assert(&terms.pool, *formula));
            let expected = solver.decide(&terms.pool, &[]) == Decision::Sat;
            match check(&terms, formulas.iter().copied()) {
                Some(Ok(_)) => {
                    n_yes += 1;
                    assert!(expected, "round {round}");
                }
                Some(Err(())) => {
                    n_no += 1;
                    assert!(!expected, "round {round}");
                }
                None => n_open += 1,
            }
        }
        assert!(n_yes > 60 && n_no > 60 && n_open < 150, "{n_yes} {n_no} {n_open}");
    }
}
