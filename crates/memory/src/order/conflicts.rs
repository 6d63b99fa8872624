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
//!
//! How they are found: choices are kept as bits, for each node those whose write is at it or after it and those whose read is at it or before it, so that what puts one node before
//! another is the intersection of two rows. Steps and clauses are bounded by the number of choices.
//!
//! Who wants which: a procedure that looks at whole assignments wants all of them. A theory in the solver concludes itself what one choice forbids another, as soon as the first is made; clauses that say the same are only more to look
//! through. It gets what speaks of overwriting by program order and of two updates, in a bounded number, which spares hard questions time and costs easy ones about as much (docs/experiments.md).

use super::closure::{Closure, bits};
use super::structure::{Read, Structure};
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

/// Which of them are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// All, for whoever looks at whole assignments only.
    All,
    /// Those that overwrite and update, and few of them, for a theory that takes part in the search.
    Few,
}

impl Wanted {
    /// Clauses and steps for each choice at most.
    fn for_each_choice(self) -> (usize, usize) {
        match self {
            Wanted::All => (50, 256),
            Wanted::Few => (4, 16),
        }
    }
}

/// Clauses of more than two literals for each choice at most: more of them cost the solver more than they tell it.
const LONG_FOR_EACH_CHOICE: usize = 10;

/// Likewise where both orders come from choices.
const DOUBLE_FOR_EACH_CHOICE: usize = 2;

/// Steps for each choice in which those are looked for.
const STEPS_FOR_DOUBLE: usize = 16;

/// Steps that it costs to ask whether a choice implies something.
const STEPS_FOR_IMPLIES: usize = 4;

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
    wanted: Wanted,
    (most, is_over): (usize, &dyn Fn() -> bool),
) -> Conflicts {
    let mut choices: Vec<Choice> = Vec::new();
    // A read's own write that may still be on its way to memory is read without being before the read.
    for (index, read) in structure.reads.iter().enumerate() {
        for (write, lit) in read.candidates.iter().filter(|(write, _)| read.own.binary_search(write).is_err()) {
            let from = structure.writes[*write as usize].node;
            choices.push(Choice { pair: (index, *write), from, to: read.node, lit: *lit });
        }
    }
    let mut leaving: Vec<Vec<u32>> = vec![Vec::new(); structure.n_nodes];
    let mut arriving: Vec<Vec<u32>> = vec![Vec::new(); structure.n_nodes];
    for (at, choice) in choices.iter().enumerate() {
        leaving[choice.from as usize].push(at as u32);
        arriving[choice.to as usize].push(at as u32);
    }
    let (clauses, steps) = wanted.for_each_choice();
    let mut finder = Finder {
        structure,
        implies,
        closure,
        most: most.min(clauses * choices.len()),
        is_over,
        looks_at: 0,
        n_steps: 0,
        most_steps: steps * choices.len(),
        choices,
        leaving,
        arriving,
        behind: FxHashMap::default(),
        ahead: FxHashMap::default(),
        known: FxHashSet::default(),
        found: Conflicts::default(),
    };
    let mut is_done = finder.overwritten() && finder.updates();
    if wanted == Wanted::All {
        is_done = is_done && finder.crossing() && finder.sources() && finder.chained();
        if is_done {
            finder.doubly_chained();
        }
    }
    finder.found.n_cut += u64::from(!is_done);
    finder.found
}

struct Finder<'a> {
    structure: &'a Structure,
    implies: Implies<'a>,
    closure: &'a Closure,
    /// The choices that imply an order, by read.
    choices: Vec<Choice>,
    /// Those whose write is at a node, and those whose read is.
    leaving: Vec<Vec<u32>>,
    arriving: Vec<Vec<u32>>,
    most: usize,
    is_over: &'a dyn Fn() -> bool,
    /// After how many steps it is asked next whether it is over.
    looks_at: usize,
    n_steps: usize,
    most_steps: usize,
    /// The clauses of one and two literals but for two sources of a read; of those of one, the literal twice.
    known: FxHashSet<(Lit, Lit)>,
    /// The choices whose write is at a node or after it, as bits, and those whose read is at a node or before it.
    behind: FxHashMap<u32, Row>,
    ahead: FxHashMap<u32, Row>,
    found: Conflicts,
}

/// A set of choices.
type Row = Rc<[u64]>;

impl Finder<'_> {
    fn is_full(&mut self) -> bool {
        self.n_steps += 1;
        if self.n_steps >= self.looks_at {
            self.looks_at = if (self.is_over)() { 0 } else { self.n_steps + STEPS_BETWEEN_LOOKS };
        }
        self.looks_at == 0 || self.found.len() >= self.most || self.n_steps > self.most_steps
    }

    /// The choices whose write is at a node or after it.
    fn behind(&mut self, node: u32) -> Row {
        if let Some(known) = self.behind.get(&node) {
            return Rc::clone(known);
        }
        let row = self.row(&self.leaving, node, self.closure.after(node));
        self.n_steps += 4 + row.len();
        self.behind.insert(node, Rc::clone(&row));
        row
    }

    /// The choices whose read is at a node or before it.
    fn ahead(&mut self, node: u32) -> Row {
        if let Some(known) = self.ahead.get(&node) {
            return Rc::clone(known);
        }
        let row = self.row(&self.arriving, node, self.closure.before(node));
        self.n_steps += 4 + row.len();
        self.ahead.insert(node, Rc::clone(&row));
        row
    }

    fn row(&self, at: &[Vec<u32>], node: u32, others: &[u64]) -> Row {
        let mut row = vec![0u64; self.choices.len().div_ceil(64)];
        for node in bits(others).chain([node]) {
            for choice in &at[node as usize] {
                row[*choice as usize / 64] |= 1 << (choice % 64);
            }
        }
        row.into()
    }

    /// The choices that put one node before another.
    fn paths(&mut self, first: u32, last: u32) -> impl Iterator<Item = Choice> + use<> {
        let (behind, ahead) = (self.behind(first), self.ahead(last));
        self.n_steps += behind.len() / 8;
        let both: Vec<u64> = behind.iter().zip(ahead.iter()).map(|(one, other)| one & other).collect();
        let found: Vec<Choice> = bits(&both).map(|at| self.choices[at as usize]).collect();
        found.into_iter()
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
            for rival in &this.rivals {
                let node = structure.writes[rival.0 as usize].node;
                if self.is_full() {
                    return false;
                }
                if !self.is_earlier(this, rival.0) {
                    continue;
                }
                for (write, lit) in this.candidates.iter().filter(|(write, _)| *write != rival.0) {
                    if self.is_full() {
                        return false;
                    }
                    if self.closure.is_before(structure.writes[*write as usize].node, node) {
                        self.n_steps += STEPS_FOR_IMPLIES;
                        let active = self.active(index, *rival, [(index, *write)]);
                        let clause = self.new_clause([*lit].into_iter().chain(active));
                        self.found.overwritten.extend(clause);
                    }
                }
            }
        }
        true
    }

    /// Whether a rival of a read is before it.
    fn is_earlier(&self, read: &Read, rival: u32) -> bool {
        let node = self.structure.writes[rival as usize].node;
        self.closure.is_before(node, read.node) || read.own.binary_search(&rival).is_ok()
    }

    /// Two sources of one read; false if there are too many.
    fn sources(&mut self) -> bool {
        let structure = self.structure;
        for this in &structure.reads {
            for (at, (_, first)) in this.candidates.iter().enumerate() {
                for (_, second) in &this.candidates[at + 1..] {
                    if self.is_full() {
                        return false;
                    }
                    self.found.sources.push(vec![*first.min(second), *first.max(second)]);
                }
            }
        }
        true
    }

    /// Two reads whose sources are each after the other read; false if there are too many.
    fn crossing(&mut self) -> bool {
        for at in 0..self.choices.len() {
            let this = self.choices[at];
            for other in self.paths(this.to, this.from) {
                if self.is_full() {
                    return false;
                }
                // Each of them is found from both sides.
                if this.pair < other.pair {
                    let clause = self.new_clause([this.lit, other.lit].into_iter());
                    self.found.crossing.extend(clause);
                }
            }
        }
        true
    }

    /// Two updates of the same value: each would have to come before the other. False if there are too many.
    fn updates(&mut self) -> bool {
        let mut is_write = vec![false; self.structure.n_nodes];
        self.structure.writes.iter().for_each(|write| is_write[write.node as usize] = true);
        for node in 0..self.leaving.len() {
            let updates = self.leaving[node].iter().map(|at| self.choices[*at as usize]);
            let updates: Vec<Choice> = updates.filter(|choice| is_write[choice.to as usize]).collect();
            for (at, this) in updates.iter().enumerate() {
                for other in &updates[at + 1..] {
                    if self.is_full() {
                        return false;
                    }
                    if this.pair.0 != other.pair.0
                        && let (Some(first), Some(second)) = (self.update(this, other), self.update(other, this))
                    {
                        let both = [this.lit, other.lit].into_iter();
                        let clause = self.new_clause(both.chain(first).chain(second));
                        self.found.updates.extend(clause);
                    }
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
                    self.n_steps += 1;
                    if source_first == self.is_earlier(this, rival.0) {
                        continue;
                    }
                    let own_active = self.active(index, *rival, [(index, *write)]);
                    // One order is fixed; the other may come from one more choice.
                    let (first, last) = if source_first { (node, this.node) } else { (from, node) };
                    for other in self.paths(first, last) {
                        if self.is_full() {
                            return false;
                        }
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
                    self.n_steps += 1;
                    if self.is_earlier(this, rival.0)
                        || self.closure.is_before(from, node)
                        || self.closure.is_before(this.node, node)
                    {
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
        let mut before_read: Option<Vec<Choice>> = None;
        for first in self.paths(from, node) {
            if first.pair.0 == index || self.is_known(lit, first.lit) {
                continue;
            }
            let before_read = before_read.get_or_insert_with(|| self.paths(node, to).collect());
            for second in before_read.iter() {
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
