//! A way through a thread that is being followed: where it is, what registers hold, what has been assumed and chosen.

use super::path::{Path, Sources};
use super::term::{TermId, Terms};
use ir::litmus::Reg;

/// What a register holds and what it depends on.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) term: TermId,
    pub(super) reads: Sources,
    /// Branches that decided about the assignment, which are passed on into conditions only, or what has picked the value (`Test::picks`).
    pub(super) control: Sources,
}

/// A way that is being followed.
#[derive(Clone)]
pub(super) struct Walk<'t> {
    pub(super) pc: usize,
    pub(super) registers: Vec<Word>,
    pub(super) path: Path<'t>,
    /// Branches that still control what follows, with where they cease to.
    pub(super) control: Vec<(Sources, Option<usize>)>,
    /// The exclusive load whose pair is open.
    pub(super) exclusive: Option<usize>,
    /// How often each instruction was jumped back to.
    pub(super) returns: Vec<u32>,
    /// Branches of which it was known which way they go, when they were met last.
    pub(super) known: Vec<bool>,
    /// How many choices were made, and how many when each instruction was met last: what is known because of a choice is not known.
    pub(super) choices: u32,
    pub(super) choices_at: Vec<u32>,
    pub(super) instance: u32,
    pub(super) group: Option<u32>,
    pub(super) variables: u32,
}

impl<'t> Walk<'t> {
    pub(super) fn controlled(&self) -> Sources {
        self.control.iter().fold(0, |sum, (sources, _)| sum | sources)
    }

    pub(super) fn scoped(&self) -> Sources {
        self.control.iter().filter(|(_, join)| join.is_some()).fold(0, |sum, (sources, _)| sum | sources)
    }

    pub(super) fn set(&mut self, to: Option<Reg>, term: TermId, reads: Sources) {
        self.assign(to, Word { term, reads, control: 0 });
    }

    pub(super) fn assign(&mut self, to: Option<Reg>, word: Word) {
        if let Some(reg) = to {
            self.registers[reg.0 as usize] = Word { control: word.control | self.scoped(), ..word };
        }
    }

    /// What a condition is, if that is known on this way.
    pub(super) fn settled(&self, terms: &Terms, condition: TermId) -> Option<u64> {
        let said = |wanted: bool| self.path.constraints.contains(&(condition, wanted));
        terms.as_constant(condition).or_else(|| said(true).then_some(1)).or_else(|| said(false).then_some(0))
    }

    /// Takes a constraint; false if it contradicts another.
    pub(super) fn assume(&mut self, terms: &Terms, condition: TermId, wanted: bool) -> bool {
        if let Some(value) = terms.as_constant(condition) {
            return (value != 0) == wanted;
        }
        if self.path.constraints.contains(&(condition, !wanted)) {
            return false;
        }
        if !self.path.constraints.contains(&(condition, wanted)) {
            self.path.constraints.push((condition, wanted));
        }
        true
    }
}
