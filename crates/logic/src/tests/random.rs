//! Random operator trees, kept apart from the pool so that they can be evaluated without any simplification.
//!
//! A subtree is often one that was used before, so that the rules are met.

use crate::semantics::Operands;
use crate::{Kinds, Op, Pool, Sample, Sort, TermId, Value, VarId};
use std::ops::{Deref, DerefMut};

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Const(Value),
    Var(VarId),
    App(Op, Vec<Tree>),
}

impl Tree {
    pub(super) fn build(&self, pool: &mut Pool) -> TermId {
        match self {
            Tree::Const(value) => pool.constant(value.clone()),
            Tree::Var(var) => pool.var(*var),
            Tree::App(op, args) => {
                let args: Vec<TermId> = args.iter().map(|arg| arg.build(pool)).collect();
                pool.apply(*op, &args)
            }
        }
    }

    pub(super) fn eval(&self, env: &dyn Fn(VarId) -> Value) -> Value {
        match self {
            Tree::Const(value) => value.clone(),
            Tree::Var(var) => env(*var),
            Tree::App(op, args) => op.eval(args.iter().map(|arg| arg.eval(env)).collect::<Operands>()),
        }
    }
}

pub(super) struct Source {
    sample: Sample,
    used: Vec<(Sort, Tree)>,
}

impl Deref for Source {
    type Target = Sample;

    fn deref(&self) -> &Sample {
        &self.sample
    }
}

impl DerefMut for Source {
    fn deref_mut(&mut self) -> &mut Sample {
        &mut self.sample
    }
}

impl Source {
    pub(super) fn new(seed: u64) -> Source {
        Source { sample: Sample::new(seed, Kinds::All), used: Vec::new() }
    }

    pub(super) fn tree(&mut self, pool: &mut Pool, sort: Sort, depth: u32) -> Tree {
        let known: Vec<usize> = (0..self.used.len()).filter(|&i| self.used[i].0 == sort).collect();
        if !known.is_empty() && self.below(5) == 0 {
            let pick = known[self.below(known.len() as u32) as usize];
            return self.used[pick].1.clone();
        }
        if depth == 0 || self.below(8) == 0 {
            return if self.below(2) == 0 {
                Tree::Const(self.value(sort))
            } else {
                Tree::Var(self.variable(pool, sort))
            };
        }
        let (op, sorts) = self.application(sort);
        let args = sorts.into_iter().map(|sort| self.tree(pool, sort, depth - 1)).collect();
        let tree = Tree::App(op, args);
        self.used.push((sort, tree.clone()));
        tree
    }
}
