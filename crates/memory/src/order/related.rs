//! Which candidate, and which rival, of a read is a write? A table without hashing, since the theory asks for every pair that becomes ordered.
//!
//! Writes that some read relates, directly or through others, are one class: those to one place. Within its class a write has a small
//! number, so that each read has a row of a table. A write at the start belongs to all classes and has number 0 in each.

use super::structure::Structure;

/// Says that a write is no candidate, or no rival.
pub(super) const NONE: u32 = u32::MAX;

/// For each read and write: the candidate and the rival that the write is.
#[derive(Debug, Default)]
pub(super) struct Related {
    /// The class of each write, and its number there.
    slot: Vec<(u32, u32)>,
    /// The class of each read, and where its row begins.
    row: Vec<(u32, u32)>,
    table: Vec<(u32, u32)>,
}

/// The class of writes that belong to all.
const ALL: u32 = u32::MAX;

impl Related {
    pub(super) fn new(structure: &Structure) -> Related {
        let related = |read: usize| {
            let read = &structure.reads[read];
            read.candidates.iter().map(|(write, _)| *write).chain(read.rivals.iter().map(|(write, _)| *write))
        };
        // Only one write is at the start in practice; the others there keep classes of their own.
        let is_first = |write: u32| write == 0;
        let mut class: Vec<u32> = (0..structure.writes.len() as u32).collect();
        for read in 0..structure.reads.len() {
            let mut first = None;
            for write in related(read).filter(|write| !is_first(*write)) {
                let root = find(&mut class, write);
                let first = *first.get_or_insert(root);
                let first = find(&mut class, first);
                class[root as usize] = first;
            }
        }
        let mut n_of = vec![1u32; class.len()];
        let mut slot = Vec::with_capacity(class.len());
        for write in 0..class.len() as u32 {
            if is_first(write) {
                slot.push((ALL, 0));
                continue;
            }
            let root = find(&mut class, write);
            slot.push((root, n_of[root as usize]));
            n_of[root as usize] += 1;
        }
        let mut table = Vec::new();
        let mut row = Vec::with_capacity(structure.reads.len());
        for (index, read) in structure.reads.iter().enumerate() {
            let own = related(index).find(|write| !is_first(*write)).map_or(ALL, |write| slot[write as usize].0);
            let start = table.len();
            row.push((own, start as u32));
            let width = if own == ALL { 1 } else { n_of[own as usize] };
            table.resize(start + width as usize, (NONE, NONE));
            for (at, (write, _)) in read.candidates.iter().enumerate() {
                table[start + slot[*write as usize].1 as usize].0 = at as u32;
            }
            for (at, (write, _)) in read.rivals.iter().enumerate() {
                table[start + slot[*write as usize].1 as usize].1 = at as u32;
            }
        }
        Related { slot, row, table }
    }

    /// The candidate and the rival of a read that a write is.
    pub(super) fn get(&self, read: u32, write: u32) -> (u32, u32) {
        let ((own, start), (class, number)) = (self.row[read as usize], self.slot[write as usize]);
        if class == own || class == ALL { self.table[(start + number) as usize] } else { (NONE, NONE) }
    }
}

fn find(class: &mut [u32], mut write: u32) -> u32 {
    while class[write as usize] != write {
        let above = class[class[write as usize] as usize];
        class[write as usize] = above;
        write = above;
    }
    write
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::{Read, Write};
    use smt::Bits;

    #[test]
    fn reads_find_their_candidates_and_rivals() {
        let mut bits = Bits::new();
        let mut lit = || bits.fresh_lit();
        let writes = (0..6).map(|node| Write { node }).collect();
        // Writes 1, 3 and 5 are to one place, 2 and 4 to another; 0 is the initial one of both.
        let one =
            Read { candidates: vec![(3, lit()), (0, lit())], rivals: vec![(3, None), (1, None)], ..Read::default() };
        let other = Read { candidates: vec![(4, lit())], rivals: vec![(2, None), (4, None)], ..Read::default() };
        let third = Read { candidates: vec![(5, lit())], rivals: vec![(1, None)], ..Read::default() };
        let initial = Read { candidates: vec![(0, lit())], ..Read::default() };
        let structure =
            Structure { n_nodes: 6, writes, reads: vec![one, other, third, initial], ..Structure::default() };
        let related = Related::new(&structure);
        for (index, read) in structure.reads.iter().enumerate() {
            for write in 0..6 {
                let at = |found: Option<usize>| found.map_or(NONE, |at| at as u32);
                let candidate = at(read.candidates.iter().position(|(own, _)| *own == write));
                let rival = at(read.rivals.iter().position(|(own, _)| *own == write));
                assert_eq!(related.get(index as u32, write), (candidate, rival), "read {index}, write {write}");
            }
        }
    }
}
