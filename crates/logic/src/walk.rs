//! What does a whole term contain, mean, or become?
//!
//! Terms can be very deep and share heavily, so walks over large terms keep their own stack and visit each node once.
//! Small terms (as trees) are evaluated by plain recursion without a memo, which is the common case of an interpreter
//! and an order of magnitude faster; the bound on the tree bounds the depth too.

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::op::Op;
use crate::pool::{Node, Pool, TermId, VarId};
use crate::semantics::Operands;
use crate::value::Value;

/// Terms up to this tree size are walked by recursion.
const SMALL_TREE: u32 = 256;

/// Terms above this tree size are taken to reach a good part of the pool.
const LARGE_TREE: u32 = 1 << 14;

impl Pool {
    /// All subterms, each once, operands before the terms that contain them; the term itself is last.
    pub fn post_order(&self, term: TermId) -> Vec<TermId> {
        self.post_order_of(&[term])
    }

    /// All subterms of several terms, each once, operands before the terms that contain them.
    pub fn post_order_of(&self, terms: &[TermId]) -> Vec<TermId> {
        let is_large = |&term: &TermId| self.tree_size(term) > LARGE_TREE;
        if terms.iter().any(is_large) {
            return self.dense_post_order(terms);
        }
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        for &term in terms {
            if seen.insert(term) {
                order.push(term);
            }
        }
        let mut next = 0;
        while next < order.len() {
            for &arg in self.node(order[next]).args() {
                if seen.insert(arg) {
                    order.push(arg);
                }
            }
            next += 1;
        }
        order.sort_unstable();
        order
    }

    /// The same with a bit for each term of the pool instead of a hash set: it pays off only where many are reached.
    fn dense_post_order(&self, terms: &[TermId]) -> Vec<TermId> {
        let mut seen = FixedBitSet::with_capacity(self.n_terms());
        let mut pending = Vec::new();
        pending.extend(terms.iter().filter(|term| !seen.put(term.index())));
        while let Some(term) = pending.pop() {
            pending.extend(self.node(term).args().iter().filter(|arg| !seen.put(arg.index())));
        }
        seen.ones().map(TermId::from_index).collect()
    }

    /// The number of distinct subterms, the term itself included.
    pub fn size(&self, term: TermId) -> usize {
        self.post_order(term).len()
    }

    /// The variables that occur, as a set of their indices.
    pub fn free_vars(&self, term: TermId) -> FixedBitSet {
        let mut vars = FixedBitSet::with_capacity(self.n_vars());
        if self.tree_size(term) <= SMALL_TREE {
            self.collect_vars(term, &mut vars);
        } else {
            for subterm in self.post_order(term) {
                if let Node::Var(var) = self.node(subterm) {
                    vars.insert(var.index());
                }
            }
        }
        vars
    }

    fn collect_vars(&self, term: TermId, vars: &mut FixedBitSet) {
        if let Node::Var(var) = self.node(term) {
            vars.insert(var.index());
        }
        for &arg in self.node(term).args() {
            self.collect_vars(arg, vars);
        }
    }

    /// Calls `visit` for each variable that occurs, once, in the order of declaration.
    pub fn for_each_free_var(&self, term: TermId, visit: &mut dyn FnMut(VarId)) {
        match self.node(term) {
            Node::Const(_) => return,
            Node::Var(var) => return visit(*var),
            Node::App { .. } => {}
        }
        for index in self.free_vars(term).ones() {
            visit(VarId(index as u32));
        }
    }

    /// Whether the variable is in the term.
    pub fn has_free_var(&self, term: TermId, var: VarId) -> bool {
        match self.node(term) {
            Node::Const(_) => false,
            Node::Var(own) => *own == var,
            Node::App { .. } => self.free_vars(term).contains(var.index()),
        }
    }

    /// The term with variables replaced, all at once; variables without a replacement stay.
    pub fn substitute(&mut self, term: TermId, replacement: &dyn Fn(VarId) -> Option<TermId>) -> TermId {
        if self.tree_size(term) <= SMALL_TREE {
            return self.substitute_tree(term, replacement);
        }
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        for subterm in self.post_order(term) {
            let new = match self.node(subterm) {
                Node::App { op, args } => {
                    let op = *op;
                    let new_args: SmallVec<[TermId; 3]> = args.iter().map(|arg| image[arg]).collect();
                    if new_args == *args { subterm } else { self.apply(op, &new_args) }
                }
                Node::Const(_) | Node::Var(_) => self.substitute_tree(subterm, replacement),
            };
            image.insert(subterm, new);
        }
        image[&term]
    }

    fn substitute_tree(&mut self, term: TermId, replacement: &dyn Fn(VarId) -> Option<TermId>) -> TermId {
        match self.node(term) {
            Node::Const(_) => term,
            Node::Var(var) => {
                let var = *var;
                let new = replacement(var).unwrap_or(term);
                let (sort, expected) = (self.sort(new), self.var_sort(var));
                assert_eq!(sort, expected, "{} is replaced by a term of another sort", self.var_name(var));
                new
            }
            Node::App { op, args } => {
                let (op, args) = (*op, args.clone());
                let new_args: SmallVec<[TermId; 3]> =
                    args.iter().map(|&arg| self.substitute_tree(arg, replacement)).collect();
                if new_args == args { term } else { self.apply(op, &new_args) }
            }
        }
    }

    /// The value of the term where `env` gives the values of the variables.
    pub fn evaluate(&self, term: TermId, env: &dyn Fn(VarId) -> Value) -> Value {
        if self.tree_size(term) <= SMALL_TREE {
            return self.evaluate_tree(term, env);
        }
        let mut value_of: FxHashMap<TermId, Value> = FxHashMap::default();
        for subterm in self.post_order(term) {
            let value = match self.node(subterm) {
                Node::App { op, args } => op.eval(args.iter().map(|arg| value_of[arg].clone()).collect()),
                _ => self.evaluate_tree(subterm, env),
            };
            value_of.insert(subterm, value);
        }
        value_of.remove(&term).expect("the term is its own subterm")
    }

    fn evaluate_tree(&self, term: TermId, env: &dyn Fn(VarId) -> Value) -> Value {
        match self.node(term) {
            Node::Const(value) => value.clone(),
            Node::Var(var) => {
                let value = env(*var).normalised();
                assert_eq!(value.sort(), self.var_sort(*var), "the value of {} has another sort", self.var_name(*var));
                value
            }
            Node::App { op, args } => match op {
                Op::And => Value::Bool(args.iter().all(|&arg| self.evaluate_tree(arg, env).as_bool())),
                Op::Or => Value::Bool(args.iter().any(|&arg| self.evaluate_tree(arg, env).as_bool())),
                Op::Ite => {
                    let holds = self.evaluate_tree(args[0], env).as_bool();
                    self.evaluate_tree(args[if holds { 1 } else { 2 }], env)
                }
                _ => op.eval(args.iter().map(|&arg| self.evaluate_tree(arg, env)).collect::<Operands>()),
            },
        }
    }
}
