//! Which choices of reads can never be made together? Small cycles, found before solving.
//!
//! Two sources of one read; two reads whose sources are each after the other read (figure 5.4a); two updates of one value; a read whose
//! source is overwritten before it, where one of the two orders may come from another read's choice (5.4b and c). Each becomes a
//! clause over the literals, so that the solver need not find out. The number of clauses is bounded.

use super::{Closure, Structure};
use smt::Lit;

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
    /// Whether the bound was reached.
    pub is_cut: bool,
}

impl Conflicts {
    /// How many there are.
    pub fn len(&self) -> usize {
        let two = self.sources.len() + self.crossing.len() + self.updates.len();
        two + self.overwritten.len() + self.chained.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Clauses of three literals for each choice at most: more of them cost the solver more than they tell it.
const CHAINED_FOR_EACH_CHOICE: usize = 10;

/// A read takes its value from a write: the node of the write, that of the read, the literal, the read.
type Choice = (u32, u32, Lit, usize);

/// Looks for small conflicts, up to a number of clauses.
pub fn find_conflicts(structure: &Structure, most: usize) -> Conflicts {
    let closure = Closure::new(structure.n_nodes, &structure.fixed);
    let mut choices: Vec<Choice> = Vec::new();
    // A read's own write that may still be on its way to memory is read without being before the read.
    let mut n_ordering = 0;
    for is_own in [false, true] {
        for (index, read) in structure.reads.iter().enumerate() {
            for (write, lit) in read.candidates.iter().filter(|(write, _)| read.own.contains(write) == is_own) {
                choices.push((structure.writes[*write as usize].node, read.node, *lit, index));
            }
        }
        if !is_own {
            n_ordering = choices.len();
        }
    }
    let found = Conflicts::default();
    let mut finder = Finder { structure, closure, choices, n_ordering, most, n_steps: 0, found };
    let is_done = finder.two_choices() && finder.overwritten(false) && finder.overwritten(true);
    finder.found.is_cut = !is_done;
    finder.found
}

struct Finder<'a> {
    structure: &'a Structure,
    closure: Closure,
    /// The choices, first those that imply an order.
    choices: Vec<Choice>,
    n_ordering: usize,
    most: usize,
    n_steps: usize,
    found: Conflicts,
}

impl Finder<'_> {
    fn is_full(&mut self) -> bool {
        self.n_steps += 1;
        self.found.len() >= self.most || self.n_steps > 400 * self.most
    }

    /// Whether the first node is the second, or before it.
    fn leads(&self, from: u32, to: u32) -> bool {
        from == to || self.closure.is_before(from, to)
    }

    /// False if there are too many.
    fn two_choices(&mut self) -> bool {
        for i in 0..self.choices.len() {
            let (w, r, lit, read) = self.choices[i];
            for j in i + 1..self.choices.len() {
                if self.is_full() {
                    return false;
                }
                let (w2, r2, lit2, read2) = self.choices[j];
                if read == read2 {
                    self.found.sources.push(vec![lit, lit2]);
                } else if j >= self.n_ordering {
                    continue;
                } else if self.leads(r2, w) && self.leads(r, w2) {
                    self.found.crossing.push(vec![lit, lit2]);
                } else if w == w2
                    && let (Some(first), Some(second)) = (self.updated_by(read, r2), self.updated_by(read2, r))
                {
                    // Two updates of the same value: each would have to come before the other.
                    self.found.updates.push(together([lit, lit2].into_iter().chain(first).chain(second)));
                }
            }
        }
        true
    }

    /// Sources that are overwritten, by program order alone or by another choice; false if there are too many.
    fn overwritten(&mut self, by_choice: bool) -> bool {
        let structure = self.structure;
        for (index, this) in structure.reads.iter().enumerate() {
            for (write, lit) in &this.candidates {
                let w = structure.writes[*write as usize].node;
                for (rival, active) in &this.rivals {
                    if rival == write {
                        continue;
                    }
                    let v = structure.writes[*rival as usize].node;
                    let source_first = self.closure.is_before(w, v);
                    let rival_first = self.closure.is_before(v, this.node) || this.own.contains(rival);
                    if !by_choice && source_first && rival_first {
                        self.found.overwritten.push(together([*lit].into_iter().chain(*active)));
                    }
                    if !by_choice || source_first == rival_first {
                        continue;
                    }
                    // One order is fixed; the other may come from one more choice.
                    let (from, to) = if source_first { (v, this.node) } else { (w, v) };
                    for at in 0..self.n_ordering {
                        if self.is_full() {
                            return false;
                        }
                        let (w2, r2, lit2, read2) = self.choices[at];
                        if self.found.chained.len() >= CHAINED_FOR_EACH_CHOICE * self.choices.len() {
                            return false;
                        }
                        if read2 != index && self.leads(from, w2) && self.leads(r2, to) {
                            self.found.chained.push(together([*lit, lit2].into_iter().chain(*active)));
                        }
                    }
                }
            }
        }
        true
    }

    /// Whether a node writes what a read reads: the literal that says so, or none if it does for sure.
    fn updated_by(&self, read: usize, node: u32) -> Option<Option<Lit>> {
        let rivals = &self.structure.reads[read].rivals;
        rivals.iter().find(|(write, _)| self.structure.writes[*write as usize].node == node).map(|(_, active)| *active)
    }
}

fn together(literals: impl Iterator<Item = Lit>) -> Vec<Lit> {
    let mut clause: Vec<Lit> = literals.collect();
    clause.sort_unstable();
    clause.dedup();
    clause
}
