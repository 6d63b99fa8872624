//! Which choices of reads can never be made together? Small cycles, found before solving.
//!
//! Known as: automatic conflicts, conflict clauses generated beforehand.
//!
//! Two sources of one read; two reads whose sources are each after the other read (figure 5.4a); two updates of one value; a read whose
//! source is overwritten before it, where each of the two orders may come from another read's choice (5.4b and c, Algorithm 3 of \[Telbisz24]). Each becomes a
//! clause over the literals, so that the solver need not find out.
//!
//! Clauses are kept short: that the overwriting write is active goes without saying if the choices imply it (whoever reads it knows that it
//! happened), and what a shorter clause says already is left out. Most clauses have two literals then, which cost the solver
//! next to nothing. Those of three and four cost more, so each choice gets only a few of them, those where both orders come from choices are looked for last and
//! in few steps, and the number of all is bounded. What is left out is counted.

use super::closure::Closure;
use super::structure::Structure;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::Lit;
use std::rc::Rc;

/// A read and a write: the read takes its value from the write, or the write may come between.
pub type Pair = (usize, u32);

/// Whether the first pair, as a choice, makes sure that the write of the second is active if its read happens.
pub type Implies<'a> = &'a dyn Fn(Pair, Pair) -> bool;

/// The clauses found, by kind; each forbids its literals to be true together.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// Two sources of one read.
    pub sources: Vec<Vec<Lit>>,
    /// Cycles of two choices.
    pub crossing: Vec<Vec<Lit>>,
    /// Two updates of one value.
    pub updates: Vec<Vec<Lit>>,
    /// A source that program order overwrites.
    pub overwritten: Vec<Vec<Lit>>,
    /// A source that another choice overwrites.
    pub chained: Vec<Vec<Lit>>,
    /// A source that two other choices overwrite: one puts the other write after it, one puts that write before the read.
    pub doubly_chained: Vec<Vec<Lit>>,
    /// What bounds have left out: clauses that were found and not kept, and places that were not looked at.
    pub n_cut: u64,
}

impl Conflicts {
    /// How many there are.
    pub fn len(&self) -> usize {
        let two = self.sources.len() + self.crossing.len() + self.updates.len();
        two + self.overwritten.len() + self.chained.len() + self.doubly_chained.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Clauses of more than two literals for each choice at most: more of them cost the solver more than they tell it.
const LONG_FOR_EACH_CHOICE: usize = 10;

/// Likewise where both orders come from choices.
const DOUBLE_FOR_EACH_CHOICE: usize = 2;

/// Steps for each choice in which those are looked for.
const STEPS_FOR_DOUBLE: usize = 16;

/// Steps for each clause that may be found.
const STEPS_FOR_EACH_CLAUSE: usize = 400;

/// Steps after which it is asked whether all is over.
const STEPS_BETWEEN_LOOKS: usize = 1 << 12;

/// A read takes its value from a write.
#[derive(Clone, Copy)]
struct Choice {
    pair: Pair,
    /// The nodes of the write and of the read.
    from: u32,
    to: u32,
    lit: Lit,
}

/// Looks for small conflicts, up to a number of clauses and while nobody says that it is over; `closure` is that of program order.
pub fn find_conflicts(
    structure: &Structure,
    closure: &Closure,
    implies: Implies<'_>,
    (most, is_over): (usize, &dyn Fn() -> bool),
) -> Conflicts {
    let mut choices: Vec<Choice> = Vec::new();
    // A read's own write that may still be on its way to memory is read without being before the read.
    let mut n_ordering = 0;
    for is_own in [false, true] {
        for (index, read) in structure.reads.iter().enumerate() {
            for (write, lit) in read.candidates.iter().filter(|(write, _)| read.own.contains(write) == is_own) {
                let from = structure.writes[*write as usize].node;
                choices.push(Choice { pair: (index, *write), from, to: read.node, lit: *lit });
            }
        }
        if !is_own {
            n_ordering = choices.len();
        }
    }
    let mut finder = Finder {
        structure,
        implies,
        closure,
        choices,
        n_ordering,
        most,
        is_over,
        looks_at: 0,
        n_steps: 0,
        known: FxHashSet::default(),
        paths: FxHashMap::default(),
        found: Conflicts::default(),
    };
    let is_done = finder.overwritten() && finder.two_choices() && finder.chained();
    if is_done {
        finder.doubly_chained();
    } else {
        finder.found.n_cut += 1;
    }
    finder.found
}

struct Finder<'a> {
    structure: &'a Structure,
    implies: Implies<'a>,
    closure: &'a Closure,
    /// The choices, first those that imply an order.
    choices: Vec<Choice>,
    n_ordering: usize,
    most: usize,
    is_over: &'a dyn Fn() -> bool,
    /// After how many steps it is asked next whether it is over.
    looks_at: usize,
    n_steps: usize,
    /// The clauses of one and two literals; of those of one, the literal twice.
    known: FxHashSet<(Lit, Lit)>,
    /// The choices that put one node before another.
    paths: FxHashMap<(u32, u32), Rc<[u32]>>,
    found: Conflicts,
}

impl Finder<'_> {
    fn is_full(&mut self) -> bool {
        self.n_steps += 1;
        if self.n_steps >= self.looks_at {
            self.looks_at = if (self.is_over)() { 0 } else { self.n_steps + STEPS_BETWEEN_LOOKS };
        }
        self.looks_at == 0 || self.found.len() >= self.most || self.n_steps > STEPS_FOR_EACH_CLAUSE * self.most
    }

    /// Whether the first node is the second, or before it.
    fn leads(&self, from: u32, to: u32) -> bool {
        from == to || self.closure.is_before(from, to)
    }

    /// The choices that put one node before another.
    fn paths(&mut self, first: u32, last: u32) -> Rc<[u32]> {
        if let Some(known) = self.paths.get(&(first, last)) {
            return Rc::clone(known);
        }
        self.n_steps += self.n_ordering / 4;
        let leads = |at: &u32| {
            let choice = &self.choices[*at as usize];
            self.leads(first, choice.from) && self.leads(choice.to, last)
        };
        let paths: Rc<[u32]> = (0..self.n_ordering as u32).filter(leads).collect();
        self.paths.insert((first, last), Rc::clone(&paths));
        paths
    }

    /// Whether it is known that two literals are not both true.
    fn is_known(&self, first: Lit, second: Lit) -> bool {
        let pair = (first.min(second), first.max(second));
        [pair, (first, first), (second, second)].iter().any(|pair| self.known.contains(pair))
    }

    /// The clause that forbids these literals, unless a shorter one says so already, or the same one of two literals.
    fn new_clause(&mut self, literals: impl Iterator<Item = Lit>) -> Option<Vec<Lit>> {
        let mut clause: Vec<Lit> = literals.collect();
        clause.sort_unstable();
        clause.dedup();
        for (at, first) in clause.iter().enumerate() {
            if clause[at..].iter().any(|second| self.known.contains(&(*first, *second))) {
                return None;
            }
        }
        if let (Some(first), Some(last), 1 | 2) = (clause.first(), clause.last(), clause.len()) {
            self.known.insert((*first, *last));
        }
        Some(clause)
    }

    /// The literal that says that a rival of a read is active, unless one of the choices implies it.
    fn active<const N: usize>(
        &self,
        read: usize,
        (rival, active): (u32, Option<Lit>),
        choices: [Pair; N],
    ) -> Option<Lit> {
        active.filter(|_| !choices.iter().any(|choice| (self.implies)(*choice, (read, rival))))
    }

    /// Sources that program order alone overwrites; false if there are too many.
    fn overwritten(&mut self) -> bool {
        let structure = self.structure;
        for (index, this) in structure.reads.iter().enumerate() {
            for (write, lit) in &this.candidates {
                let from = structure.writes[*write as usize].node;
                for rival in this.rivals.iter().filter(|rival| rival.0 != *write) {
                    if self.is_full() {
                        return false;
                    }
                    let node = structure.writes[rival.0 as usize].node;
                    let rival_first = this.own.contains(&rival.0) || self.closure.is_before(node, this.node);
                    if rival_first && self.closure.is_before(from, node) {
                        let active = self.active(index, *rival, [(index, *write)]);
                        let clause = self.new_clause([*lit].into_iter().chain(active));
                        self.found.overwritten.extend(clause);
                    }
                }
            }
        }
        true
    }

    /// False if there are too many.
    fn two_choices(&mut self) -> bool {
        for i in 0..self.choices.len() {
            let this = self.choices[i];
            for j in i + 1..self.choices.len() {
                if self.is_full() {
                    return false;
                }
                let other = self.choices[j];
                let both = [this.lit, other.lit].into_iter();
                if this.pair.0 == other.pair.0 {
                    let clause = self.new_clause(both);
                    self.found.sources.extend(clause);
                } else if j >= self.n_ordering {
                    continue;
                } else if self.leads(other.to, this.from) && self.leads(this.to, other.from) {
                    let clause = self.new_clause(both);
                    self.found.crossing.extend(clause);
                } else if this.from == other.from
                    && let (Some(first), Some(second)) = (self.update(&this, &other), self.update(&other, &this))
                {
                    // Two updates of the same value: each would have to come before the other.
                    let clause = self.new_clause(both.chain(first).chain(second));
                    self.found.updates.extend(clause);
                }
            }
        }
        true
    }

    /// Whether the node of the second read writes what the first one reads: the literal that says so, or none if it does for sure.
    fn update(&self, this: &Choice, other: &Choice) -> Option<Option<Lit>> {
        let rivals = &self.structure.reads[this.pair.0].rivals;
        let rival = rivals.iter().find(|(write, _)| self.structure.writes[*write as usize].node == other.to)?;
        Some(self.active(this.pair.0, *rival, [this.pair, other.pair]))
    }

    /// Sources that another choice overwrites; false if there are too many.
    fn chained(&mut self) -> bool {
        let structure = self.structure;
        // Kept for later: once all shorter ones are known, many are not needed.
        let mut long: Vec<[Lit; 3]> = Vec::new();
        let mut is_long = FxHashSet::default();
        for (index, this) in structure.reads.iter().enumerate() {
            for (write, lit) in &this.candidates {
                let from = structure.writes[*write as usize].node;
                let mut n_long = 0;
                for rival in this.rivals.iter().filter(|rival| rival.0 != *write) {
                    let node = structure.writes[rival.0 as usize].node;
                    let source_first = self.closure.is_before(from, node);
                    let rival_first = self.closure.is_before(node, this.node) || this.own.contains(&rival.0);
                    if source_first == rival_first {
                        continue;
                    }
                    let own_active = self.active(index, *rival, [(index, *write)]);
                    // One order is fixed; the other may come from one more choice.
                    let (first, last) = if source_first { (node, this.node) } else { (from, node) };
                    for at in self.paths(first, last).iter() {
                        if self.is_full() {
                            return false;
                        }
                        let other = self.choices[*at as usize];
                        if other.pair.0 == index || self.is_known(*lit, other.lit) {
                            continue;
                        }
                        match self.active(index, (rival.0, own_active), [other.pair]) {
                            None => {
                                let clause = self.new_clause([*lit, other.lit].into_iter());
                                self.found.chained.extend(clause);
                            }
                            Some(active) => {
                                let mut literals = [*lit, other.lit, active];
                                literals.sort_unstable();
                                if n_long == LONG_FOR_EACH_CHOICE {
                                    self.found.n_cut += 1;
                                } else if is_long.insert(literals) {
                                    n_long += 1;
                                    long.push(literals);
                                }
                            }
                        }
                    }
                }
            }
        }
        for literals in long {
            if self.is_full() {
                return false;
            }
            let clause = self.new_clause(literals.into_iter());
            self.found.chained.extend(clause);
        }
        true
    }

    /// Sources that two other choices overwrite. What is not looked at for want of steps is counted.
    fn doubly_chained(&mut self) {
        let structure = self.structure;
        let until = self.n_steps + STEPS_FOR_DOUBLE * self.choices.len();
        for (index, this) in structure.reads.iter().enumerate() {
            for (write, lit) in &this.candidates {
                let from = structure.writes[*write as usize].node;
                let mut n_kept = 0;
                for rival in this.rivals.iter().filter(|rival| rival.0 != *write) {
                    let node = structure.writes[rival.0 as usize].node;
                    let rival_first = self.closure.is_before(node, this.node) || this.own.contains(&rival.0);
                    if rival_first || self.closure.is_before(from, node) || self.closure.is_before(this.node, node) {
                        continue;
                    }
                    if self.closure.is_before(node, from) {
                        continue;
                    }
                    if n_kept == DOUBLE_FOR_EACH_CHOICE || self.n_steps >= until || self.is_full() {
                        self.found.n_cut += 1;
                        continue;
                    }
                    self.between((index, *write, *lit), (from, this.node), *rival, until, &mut n_kept);
                }
            }
        }
    }

    /// The clauses of one source and one rival: a choice that puts the rival after the source, and one that puts it before the read.
    fn between(
        &mut self,
        (index, write, lit): (usize, u32, Lit),
        (from, to): (u32, u32),
        rival: (u32, Option<Lit>),
        until: usize,
        n_kept: &mut usize,
    ) {
        let node = self.structure.writes[rival.0 as usize].node;
        let after_source = self.paths(from, node);
        if after_source.is_empty() {
            return;
        }
        let before_read = self.paths(node, to);
        for at in after_source.iter() {
            let first = self.choices[*at as usize];
            if first.pair.0 == index || self.is_known(lit, first.lit) {
                continue;
            }
            for at in before_read.iter() {
                let second = self.choices[*at as usize];
                if self.n_steps >= until || self.is_full() || *n_kept == DOUBLE_FOR_EACH_CHOICE {
                    self.found.n_cut += 1;
                    return;
                }
                let is_one = first.lit == second.lit || second.pair.0 == index || first.pair.0 == second.pair.0;
                if is_one || self.is_known(lit, second.lit) || self.is_known(first.lit, second.lit) {
                    continue;
                }
                let active = self.active(index, rival, [(index, write), first.pair, second.pair]);
                let clause = self.new_clause([lit, first.lit, second.lit].into_iter().chain(active));
                *n_kept += usize::from(clause.is_some());
                self.found.doubly_chained.extend(clause);
            }
        }
    }
}
