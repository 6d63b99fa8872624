//! Which choices of reads can never be made together? Small cycles, found before solving.
//!
//! Two sources of one read, two reads whose sources are each after the other read (figure 5.4a), two updates of one value, and a read whose source is overwritten before it, where one of
//! the two orders may come from another read's choice (5.4b and c). Each becomes a clause over the literals, so that the
//! solver need not find out. The number of clauses is bounded.

use super::{Closure, Structure};
use smt::Lit;

/// The clauses found, by kind.
#[derive(Clone, Debug, Default)]
pub struct Conflicts {
    /// Each forbids its literals to be true together: cycles of two choices.
    pub crossing: Vec<Vec<Lit>>,
    /// Likewise: a source that is overwritten in between.
    pub overwritten: Vec<Vec<Lit>>,
    /// Whether the bound was reached.
    pub is_cut: bool,
}

/// Looks for small conflicts, up to a number of clauses.
pub fn find_conflicts(structure: &Structure, most: usize) -> Conflicts {
    let closure = Closure::new(structure.n_nodes, &structure.fixed);
    let before = |a: u32, b: u32| closure.is_before(a, b);
    let mut found = Conflicts::default();
    let mut choices: Vec<(u32, u32, Lit, usize)> = Vec::new();
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
    let ordering = &choices[..n_ordering];
    let mut n_steps = 0usize;
    let mut is_full = |found: &Conflicts| {
        n_steps += 1;
        found.crossing.len() + found.overwritten.len() >= most || n_steps > 400 * most
    };
    // Choices that can be part of a longer way: those between different threads.
    for (i, (w, r, lit, read)) in choices.iter().enumerate() {
        for (j, (w2, r2, lit2, read2)) in choices.iter().enumerate().skip(i + 1) {
            if is_full(&found) {
                found.is_cut = true;
                return found;
            }
            let closes = |from: u32, to: u32| from == to || before(from, to);
            let both_order = j < n_ordering;
            if read == read2 || both_order && closes(*r2, *w) && closes(*r, *w2) {
                found.crossing.push(vec![*lit, *lit2]);
            } else if w == w2
                && both_order
                && let (Some(first), Some(second)) =
                    (updated_by(structure, *read, *r2), updated_by(structure, *read2, *r))
            {
                // Two updates of the same value: each would have to come before the other.
                let mut clause = vec![*lit, *lit2];
                clause.extend(first);
                clause.extend(second);
                clause.sort_unstable();
                clause.dedup();
                found.overwritten.push(clause);
            }
        }
    }
    for (index, this) in structure.reads.iter().enumerate() {
        for (write, lit) in &this.candidates {
            let w = structure.writes[*write as usize].node;
            for (rival, active) in &this.rivals {
                if rival == write {
                    continue;
                }
                let v = structure.writes[*rival as usize].node;
                let literals = |more: &[Lit]| {
                    let mut clause = vec![*lit];
                    clause.extend(active);
                    clause.extend(more);
                    clause.sort_unstable();
                    clause.dedup();
                    clause
                };
                let rival_first = before(v, this.node) || this.own.contains(rival);
                let source_first = before(w, v);
                if source_first && rival_first {
                    found.overwritten.push(literals(&[]));
                    continue;
                }
                if !source_first && !rival_first {
                    continue;
                }
                // One order is fixed; the other may come from one more choice.
                let (from, to) = if source_first { (v, this.node) } else { (w, v) };
                for (w2, r2, lit2, read2) in ordering {
                    if is_full(&found) {
                        found.is_cut = true;
                        return found;
                    }
                    let leads = (from == *w2 || before(from, *w2)) && (*r2 == to || before(*r2, to));
                    if leads && *read2 != index {
                        found.overwritten.push(literals(&[*lit2]));
                    }
                }
            }
        }
    }
    found
}

/// Whether a node writes what a read reads: the literal that says so, or none if it does for sure.
fn updated_by(structure: &Structure, read: usize, node: u32) -> Option<Option<Lit>> {
    let rivals = &structure.reads[read].rivals;
    rivals.iter().find(|(write, _)| structure.writes[*write as usize].node == node).map(|(_, active)| *active)
}
