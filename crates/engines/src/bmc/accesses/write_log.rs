//! What is in memory that one thread has to itself? A log of writes, in the order in which they were met.
//!
//! Known as: a write log with read-over-write resolution; merging by guarded choices as in gated single assignment.
//!
//! Copies of locations are visited in topological order, so of two writes of a thread that both happen, the one that was met later happens later. A read
//! therefore looks back through the log: the first write that happens and has the same address. It can stop at a write
//! that every way to the read has passed. Nothing is merged where branches meet; instead, what a read had to put together is added to the log, as if it
//! had been written back, so that later reads need not look further.

use super::places::{PlaceKey, word};
use crate::bmc::unroll::path_conditions::Points;
use logic::{Pool, Sort, TermId, Value};
use rustc_hash::FxHashMap;

/// A write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) point: u32,
    pub(crate) addr: Option<TermId>,
    pub(crate) value: TermId,
}

/// The writes to one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    entries: Vec<Entry>,
    /// Those with a constant address, by address, and the others.
    by_addr: FxHashMap<u64, Vec<u32>>,
    symbolic: Vec<u32>,
    all: Vec<u32>,
}

/// What a read finds: values with their conditions, the latest first, and whether one of them surely counts.
pub(crate) type Found = (Vec<(TermId, TermId)>, bool);

impl Log {
    /// Adds a write.
    pub(crate) fn push(&mut self, pool: &Pool, entry: Entry) {
        let index = self.entries.len() as u32;
        match entry.addr.map(|addr| word(pool, addr)) {
            None => self.by_addr.entry(0).or_default().push(index),
            Some(Some(addr)) => self.by_addr.entry(addr).or_default().push(index),
            Some(None) => self.symbolic.push(index),
        }
        self.all.push(index);
        self.entries.push(entry);
    }

    /// The writes, if some of them may be anywhere.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        (!self.symbolic.is_empty()).then_some(&self.entries)
    }

    /// The addresses of all writes with constant ones.
    pub(crate) fn addresses(&self) -> Vec<Option<TermId>> {
        let mut first: Vec<u32> = self.by_addr.values().map(|own| own[0]).collect();
        first.sort_unstable();
        first.into_iter().map(|index| self.entries[index as usize].addr).collect()
    }

    /// What a read at a point finds; without a point, one that is not known.
    pub(crate) fn read(&self, pool: &mut Pool, points: &Points, addr: Option<TermId>, point: Option<u32>) -> Found {
        let constant = addr.map_or(Some(0), |addr| word(pool, addr));
        let (mut fixed, mut anywhere): (&[u32], &[u32]) = match constant {
            None => (&self.all, &[]),
            Some(addr) => (self.by_addr.get(&addr).map_or(&[], |own| own), &self.symbolic),
        };
        let mut found = Vec::new();
        loop {
            // The later one of both lists.
            let from = if fixed.last() > anywhere.last() { &mut fixed } else { &mut anywhere };
            let Some((index, rest)) = from.split_last() else { return (found, false) };
            *from = rest;
            let entry = self.entries[*index as usize];
            let same = match (entry.addr, addr) {
                (Some(a), Some(b)) => pool.eq(a, b),
                _ => pool.bool(true),
            };
            let is_sure = point.is_some_and(|point| points.dominates(entry.point, point));
            let happens = points.guard(entry.point);
            if let (false, Some(point)) = (is_sure, point) {
                let both = pool.and(happens, points.guard(point));
                if pool.as_const(both) == Some(&Value::Bool(false)) {
                    continue;
                }
            }
            let cond = if is_sure { same } else { pool.and(happens, same) };
            match pool.as_const(cond) {
                Some(Value::Bool(false)) => {}
                Some(_) => {
                    found.push((cond, entry.value));
                    return (found, true);
                }
                None => found.push((cond, entry.value)),
            }
        }
    }
}

/// The value of what was found, with `last` where nothing counts.
pub(crate) fn value_of(pool: &mut Pool, found: &[(TermId, TermId)], last: TermId) -> TermId {
    found.iter().rev().fold(last, |rest, (cond, value)| pool.ite(*cond, *value, rest))
}

/// Whose log: that of main while it is alone.
pub(crate) const INITIAL: u32 = u32::MAX;

/// The logs of all threads.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    by_owner: FxHashMap<(u32, PlaceKey), Log>,
}

impl Logs {
    /// Adds a write to the log of a thread.
    pub(crate) fn push(&mut self, pool: &Pool, owner: u32, key: PlaceKey, entry: Entry) {
        self.by_owner.entry((owner, key)).or_default().push(pool, entry);
    }

    /// What is found in the logs of these threads, one after the other, until something surely counts.
    pub(crate) fn read(
        &self,
        pool: &mut Pool,
        points: &Points,
        owners: &[u32],
        (key, addr, sort): (PlaceKey, Option<TermId>, Sort),
        point: Option<u32>,
    ) -> Found {
        let mut found: Vec<(TermId, TermId)> = Vec::new();
        for owner in owners {
            if let Some(log) = self.by_owner.get(&(*owner, key)) {
                let (mut more, is_complete) = log.read(pool, points, addr, point);
                more.retain(|(_, value)| pool.sort(*value) == sort);
                found.append(&mut more);
                if is_complete {
                    return (found, true);
                }
            }
        }
        (found, false)
    }
}
