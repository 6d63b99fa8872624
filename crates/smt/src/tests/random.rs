//! Random terms, built in a pool as they are drawn; subterms are often used again.

pub(crate) use logic::{Kinds, Sample};
use logic::{Pool, Sort, TermId};
use std::ops::{Deref, DerefMut};

pub(crate) struct Source {
    sample: Sample,
    pub(crate) used: Vec<TermId>,
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
    pub(crate) fn new(seed: u64, kinds: Kinds) -> Source {
        Source { sample: Sample::new(seed, kinds), used: Vec::new() }
    }

    pub(crate) fn narrow(seed: u64, kinds: Kinds) -> Source {
        Source { sample: Sample::narrow(seed, kinds), used: Vec::new() }
    }

    pub(crate) fn formula(&mut self, pool: &mut Pool, depth: u32) -> TermId {
        self.term(pool, Sort::Bool, depth)
    }

    pub(crate) fn term(&mut self, pool: &mut Pool, sort: Sort, depth: u32) -> TermId {
        if self.chance(6) {
            let known: Vec<TermId> = self.used.iter().copied().filter(|&term| pool.sort(term) == sort).collect();
            if !known.is_empty() {
                return self.pick(&known);
            }
        }
        if depth == 0 || self.chance(10) {
            if self.chance(3) {
                let value = self.value(sort);
                return pool.constant(value);
            }
            let var = self.variable(pool, sort);
            return pool.var(var);
        }
        let (op, sorts) = self.application(sort);
        let args: Vec<TermId> = sorts.into_iter().map(|sort| self.term(pool, sort, depth - 1)).collect();
        let term = pool.apply(op, &args);
        self.used.push(term);
        term
    }
}
