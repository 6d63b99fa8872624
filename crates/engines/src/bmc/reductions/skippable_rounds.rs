//! Which rounds of a loop need not be unrolled although they change variables? Those that the thread could have done without: from where an earlier round began it gets
//! to the same place at once, if it finds then what it has found last.
//!
//! Known as: a generalisation of spin-loop elimination to loops that remember what they have read (`while (a != 0) a = x;`, a compare-exchange that is tried until it succeeds).
//!
//! Say that all rounds so far have only read. An execution goes from the head of round j by further rounds to the end of round m. If round j could have read what round m did, and
//! would then have left the variables as round m does, then the same execution without rounds j to m-1 is one, too: the reads of round m stand for those of round j, and nothing is lost but reads of
//! a thread. So can a round be taken away that leaves the variables as they were. If in every execution that comes to the end of a round one of these can be done to the rounds so far, which a solver is asked,
//! then no execution needs as many: from a longer one rounds can be taken away, again and again, and each time its first rounds are some of those that were unrolled.
//!
//! What is taken away is never more than order: the reads that stay have the same cells, the same orders of memory and, where the model minds that, no dependency that they did not have. The model
//! must be monotone, so that it allows of an execution that it allows the part that is left.
//!
//! Races of the reads that are left out are not found in this way. So where such a read may race at all the loop counts as cut ([`keep_races`]).

use crate::bmc::reductions::spin_loops::{Head, ROUNDS, Round};
use crate::bmc::unroll::control_flow::Lap;
use crate::bmc::unroll::executor::{Executor, Skipping};
use crate::bmc::unroll::state::State;
use crate::bmc::unrolled::{Bad, Depends, Reads, Skipped, Source, Target};
use ir::{Order, SiteId};
use logic::{Pool, Sort, TermId, Value, VarId};
use memory::events::Events;
use rustc_hash::FxHashMap;
use smt::{Bits, Decision};
use std::ops::Range;

/// Conflicts of the solver at most: what is not seen at once is not.
const CONFLICTS: u32 = 300;

/// A round, for comparing it with another one of the same loop.
struct Part {
    reads: Vec<usize>,
    inputs: Vec<(SiteId, TermId)>,
}

/// What stands for what when one round stands for another.
#[derive(Default)]
struct Stands {
    values: FxHashMap<VarId, TermId>,
    reads: FxHashMap<usize, usize>,
}

impl Executor<'_> {
    /// Whether an execution that comes to the end of this round, with these variables, could have come there with fewer rounds.
    pub(crate) fn can_skip(&mut self, thread: u32, next: &State, vars: &[(VarId, TermId)], lap: &Lap) -> bool {
        if self.control.bounds.skipping == Skipping::Never || lap.round as usize > ROUNDS || !lap.since.is_reading() {
            return false;
        }
        let guard = self.graph.points.guard(next.point);
        let (n_reads, before) = (self.graph.events.reads.len(), lap.since.clone());
        let now = Head { guard, vars: vars.to_vec(), flows: next.flows.clone(), n_reads, before };
        let heads: Vec<&Head> = lap.heads.iter().map(|head| &**head).chain([&now]).collect();
        let reading = heads[1..].iter().rev().take_while(|head| head.before.is_reading()).count();
        let heads = &heads[heads.len() - 1 - reading..];
        let rounds: Vec<Part> =
            heads.windows(2).map(|of| self.part(thread, of[0].n_reads..of[1].n_reads, &of[1].before)).collect();
        let mut ways = Vec::new();
        for first in 0..rounds.len() {
            let mut failed = self.all_fail(&rounds[first]);
            ways.extend(self.changes_nothing(&failed, heads[first], heads[first + 1]));
            for last in first + 1..rounds.len() {
                failed.extend(self.all_fail(&rounds[last]));
                let ends = [heads[first + 1], heads[last + 1]];
                if let Some(mut parts) = self.stands_for(&rounds[first], &rounds[last], ends) {
                    parts.extend(failed.iter().copied());
                    ways.push(self.graph.pool.and_all(&parts));
                }
            }
        }
        if ways.is_empty() {
            return false;
        }
        let pool = &mut self.graph.pool;
        let one = pool.or_all(&ways);
        let none = pool.not(one);
        let goal = pool.and(guard, none);
        let mut bits = Bits::new();
        bits.set_limits(self.control.run.solver_limits());
        matches!(bits.decide_within(pool, goal, &[], CONFLICTS), Some(Decision::Unsat))
    }

    /// When a round that has failed in all its attempts leaves everything as it was.
    fn changes_nothing(&mut self, failed: &[TermId], begin: &Head, end: &Head) -> Option<TermId> {
        let (pool, stands) = (&mut self.graph.pool, Stands::default());
        let mut parts = stands.same_vars(pool, begin, end)?;
        if self.control.bounds.skipping != Skipping::Always {
            parts.extend(stands.no_new_flows_of(pool, begin, end));
        }
        parts.extend(failed);
        Some(pool.and_all(&parts))
    }

    fn part(&self, thread: u32, reads: Range<usize>, round: &Round) -> Part {
        let all = &self.graph.events.reads;
        let mut inputs = round.inputs().to_vec();
        inputs.sort_unstable();
        inputs.dedup();
        Part { reads: reads.filter(|read| all[*read].thread == thread).collect(), inputs }
    }

    /// That the attempts of a round to update something have failed.
    fn all_fail(&mut self, part: &Part) -> Vec<TermId> {
        let attempts = part.reads.iter().map(|read| &self.graph.events.reads[*read]);
        let attempts: Vec<_> = attempts.filter_map(|read| Some((read.guard, read.how.failure?.0))).collect();
        attempts.into_iter().map(|(guard, fails)| self.graph.pool.implies(guard, fails)).collect()
    }

    /// When the first round, had it read what the second one did, would have ended as that did.
    fn stands_for(&mut self, first: &Part, second: &Part, [end, other_end]: [&Head; 2]) -> Option<Vec<TermId>> {
        let stands = self.pairs(first, second)?;
        let events = &self.graph.events;
        let pool = &mut self.graph.pool;
        let mut parts = stands.same_vars(pool, end, other_end)?;
        parts.push(stands.of(pool, end.guard));
        for read in &first.reads {
            let (own, other) = (&events.reads[*read], &events.reads[stands.reads[read]]);
            let happens = stands.of(pool, own.guard);
            parts.push(pool.eq(happens, other.guard));
            match (own.addr, other.addr) {
                (Some(own), Some(other_addr)) => {
                    let own = stands.of(pool, own);
                    let same = pool.eq(own, other_addr);
                    parts.push(pool.implies(other.guard, same));
                }
                (None, None) => {}
                _ => return None,
            }
            if let Some((fails, _)) = own.how.failure {
                let fails = stands.of(pool, fails);
                parts.push(pool.implies(happens, fails));
            }
        }
        if self.control.bounds.skipping != Skipping::Always {
            for read in &first.reads {
                parts.extend(stands.no_new_dependencies(pool, &self.found.depends, *read));
            }
            parts.extend(stands.no_new_flows_of(pool, end, other_end));
        }
        Some(parts)
    }

    /// The reads and inputs of two rounds that are those of the same statements, in order.
    fn pairs(&self, first: &Part, second: &Part) -> Option<Stands> {
        let reads = &self.graph.events.reads;
        let pool = &self.graph.pool;
        let mut stands = Stands::default();
        let by_site = |part: &Part| {
            let mut sorted = part.reads.clone();
            sorted.sort_by_key(|read| (reads[*read].how.site, reads[*read].place));
            sorted
        };
        let (own, others) = (by_site(first), by_site(second));
        if own.len() != others.len() || first.inputs.len() != second.inputs.len() {
            return None;
        }
        for (a, b) in own.into_iter().zip(others) {
            let (read, other) = (&reads[a], &reads[b]);
            let orders = |read: &memory::events::Read| (read.how.order, read.how.failure.map(|(_, order)| order));
            let is_alike = (read.how.site, read.place, orders(read)) == (other.how.site, other.place, orders(other));
            if !is_alike || read.accepts.is_some() || other.accepts.is_some() {
                return None;
            }
            stands.reads.insert(a, b);
            stands.note(pool, read.value, other.value)?;
        }
        for ((site, own), (other_site, other)) in first.inputs.iter().zip(&second.inputs) {
            if site != other_site {
                return None;
            }
            stands.note(pool, *own, *other)?;
        }
        Some(stands)
    }
}

impl Stands {
    fn note(&mut self, pool: &Pool, own: TermId, other: TermId) -> Option<()> {
        if pool.sort(own) != pool.sort(other) {
            return None;
        }
        self.values.insert(pool.as_var(own)?, other);
        Some(())
    }

    fn of(&self, pool: &mut Pool, term: TermId) -> TermId {
        pool.substitute(term, &|var| self.values.get(&var).copied())
    }

    fn read(&self, read: usize) -> usize {
        self.reads.get(&read).copied().unwrap_or(read)
    }

    /// That a read depends on nothing on which the one that it stands for does not.
    fn no_new_dependencies(&self, pool: &mut Pool, all: &[Depends], read: usize) -> Vec<TermId> {
        let other = Target::Read(self.reads[&read]);
        let own = all.iter().filter(|depends| depends.to == Target::Read(read));
        let mut parts = Vec::new();
        for depends in own {
            let is_it =
                |known: &&Depends| (known.to, known.kind, known.from) == (other, depends.kind, self.read(depends.from));
            let known: Vec<TermId> = all.iter().filter(is_it).map(|known| known.when).collect();
            let known = pool.or_all(&known);
            let when = self.of(pool, depends.when);
            parts.push(pool.implies(when, known));
        }
        parts
    }

    /// That the variables at the end of one round are those at the end of the other.
    fn same_vars(&self, pool: &mut Pool, own: &Head, other: &Head) -> Option<Vec<TermId>> {
        if !own.vars.iter().map(|(var, _)| var).eq(other.vars.iter().map(|(var, _)| var)) {
            return None;
        }
        let mut parts = Vec::new();
        for ((_, value), (_, wanted)) in own.vars.iter().zip(&other.vars) {
            let value = self.of(pool, *value);
            match pool.sort(value) {
                Sort::Bool | Sort::Bv(_) => parts.push(pool.eq(value, *wanted)),
                // Zeros of both signs are equal and yet not the same.
                _ if value == *wanted => {}
                _ => return None,
            }
        }
        Some(parts)
    }

    /// That nothing at one head depends on what it does not depend on at the other.
    fn no_new_flows_of(&self, pool: &mut Pool, own: &Head, known: &Head) -> Vec<TermId> {
        let mut parts = self.no_new_flows(pool, &own.flows.branches, Some(&known.flows.branches));
        for (var, reads) in own.flows.vars.iter().filter(|(var, _)| own.vars.iter().any(|(other, _)| other == var)) {
            parts.extend(self.no_new_flows(pool, reads, known.flows.of(*var)));
        }
        parts
    }

    /// That a variable depends on nothing on which it did not.
    fn no_new_flows(&self, pool: &mut Pool, own: &Reads, known: Option<&Reads>) -> Vec<TermId> {
        let mut parts = Vec::new();
        for (read, when) in own.iter() {
            let is_it = |(other, _): &&(Source, TermId)| *other == Source { read: self.read(read.read), ..*read };
            let known: Vec<TermId> =
                known.iter().flat_map(|reads| reads.iter()).filter(is_it).map(|(_, when)| *when).collect();
            let known = pool.or_all(&known);
            let when = self.of(pool, *when);
            parts.push(pool.implies(when, known));
        }
        parts
    }
}

/// Loops are cut after all where rounds were left out whose reads may race.
pub(crate) fn keep_races(pool: &mut Pool, events: &Events, skipped: Vec<Skipped>, bads: &mut Vec<Bad>) {
    for skipped in skipped {
        let own = || events.reads[skipped.reads.clone()].iter().filter(|read| read.thread == skipped.thread);
        let mut meets = |read: &memory::events::Read, write: &memory::events::Write| {
            let is_plain = read.how.order == Order::Plain || write.how.order == Order::Plain;
            let may = is_plain && write.thread != skipped.thread && write.place == read.place;
            may && match (read.addr, write.addr) {
                (Some(own), Some(other)) => {
                    let same = pool.eq(own, other);
                    pool.as_const(same) != Some(&Value::Bool(false))
                }
                _ => true,
            }
        };
        if own().any(|read| events.writes.iter().any(|write| meets(read, write))) {
            bads.push(skipped.cut);
        }
    }
}
