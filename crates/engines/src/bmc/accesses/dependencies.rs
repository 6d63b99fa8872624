//! On which reads of its thread does each access depend? By the flow of values through variables, kept beside their terms.
//!
//! Known as: syntactic address, data and control dependencies; taint.
//!
//! Terms fold: what a value does not depend on after all is not in its term, but the text of the program says otherwise, and processors go by the text. So a variable
//! carries the reads that flowed into it, each with when it did: where ways meet, a read counts if the way was taken that it flowed on. A branch makes all that
//! follows depend on what its condition depends on. What chooses between two values (`c ? a : b`) may be compiled to a branch or to an instruction that selects: it orders what both
//! order, that is, writes that use the chosen value, as a branch would. Known as: pick dependencies (of Armv8). The same rules on what was run: `crate::evidence::dependencies`.
//!
//! Only kept where axioms judge; otherwise nothing is done here.

use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::{State, Walk};
use crate::bmc::unrolled::{Depends, Flows, Reads, Source, Target};
use ir::{Failure, Model, Place};
use logic::{TermId, VarId};
use memory::graph::Dependency;
use std::rc::Rc;

/// What a read-modify-write depends on.
pub(crate) struct UpdateFlows {
    n_events: (usize, usize),
    address: Reads,
    data: Reads,
    /// Whether what it writes depends on what it reads.
    is_of_old: bool,
    expected: Reads,
    waits: bool,
}

impl Executor<'_> {
    fn keeps_flows(&self) -> bool {
        self.program.model == Model::Cat
    }

    /// What a term of the program depends on, but for one variable.
    pub(crate) fn flows_into(&mut self, state: &State, term: TermId, without: Option<VarId>) -> Reads {
        if !self.keeps_flows() || state.flows.vars.is_empty() {
            return Reads::default();
        }
        let mut all: Vec<(Source, TermId)> = Vec::new();
        self.graph.pool.for_each_var_by_role(term, &mut |var, chooses| {
            if Some(var) != without {
                let reads = state.flows.of(var).into_iter().flat_map(|reads| reads.iter().copied());
                all.extend(reads.map(|(from, when)| (Source { chooses: from.chooses || chooses, ..from }, when)));
            }
        });
        self.united(all)
    }

    /// Each read once.
    fn united(&mut self, mut all: Vec<(Source, TermId)>) -> Reads {
        all.sort_unstable();
        all.dedup();
        let mut united: Vec<(Source, TermId)> = Vec::new();
        for (read, when) in all {
            match united.last_mut() {
                Some((last, known)) if *last == read => *known = self.graph.pool.or(*known, when),
                _ => united.push((read, when)),
            }
        }
        Rc::new(united)
    }

    /// A variable gets a value that depends on these reads.
    pub(crate) fn flow(&mut self, walk: &mut Walk, var: VarId, reads: Reads) {
        if self.keeps_flows() {
            walk.state.flows.set(var, reads);
        }
    }

    /// What follows depends on these reads.
    pub(crate) fn branch(&mut self, walk: &mut Walk, reads: &Reads) {
        if !reads.is_empty() {
            let asked = reads.iter().map(|(from, when)| (Source { chooses: false, ..*from }, *when));
            let all = walk.state.flows.branches.iter().copied().chain(asked).collect();
            walk.state.flows.branches = self.united(all);
        }
    }

    /// The read that a statement has made, if it is one that others take part in.
    pub(crate) fn own_read(&mut self, n_reads: usize) -> Reads {
        let live = self.graph.places.number(crate::bmc::accesses::places::PlaceKey::Live);
        let reads = &self.graph.events.reads;
        let own = (n_reads..reads.len()).find(|read| reads[*read].place != live);
        let yes = self.graph.pool.bool(true);
        own.map_or_else(Reads::default, |read| Rc::new(vec![(Source { read, chooses: false }, yes)]))
    }

    /// What a statement has added depends on its address, and on the branches before it.
    pub(crate) fn note_flows(&mut self, walk: &Walk, (n_reads, n_writes): (usize, usize), address: &Reads) {
        if !self.keeps_flows() {
            return;
        }
        let (last_read, last_write) = self.graph.n_events();
        let reads = (n_reads..last_read).map(Target::Read);
        let targets: Vec<Target> = reads.chain((n_writes..last_write).map(Target::Write)).collect();
        for target in targets {
            self.depend(Dependency::Address, address, target);
            self.depend(Dependency::Control, &walk.state.flows.branches, target);
        }
    }

    /// What the address of a place depends on.
    pub(crate) fn address_flows(&mut self, walk: &Walk, place: &Place) -> Reads {
        match place {
            Place::Mem { addr, .. } => self.flows_into(&walk.state, *addr, None),
            Place::Var(_) => Reads::default(),
        }
    }

    /// What the parts of a read-modify-write depend on, before it is made.
    pub(crate) fn update_flows(
        &mut self,
        walk: &Walk,
        dst: VarId,
        place: &Place,
        (wait, new, failure): (Option<TermId>, TermId, Option<Failure>),
    ) -> UpdateFlows {
        let asked = failure.map(|failure| failure.when).or(wait);
        UpdateFlows {
            n_events: self.graph.n_events(),
            address: self.address_flows(walk, place),
            data: self.flows_into(&walk.state, new, Some(dst)),
            is_of_old: ir::pass::mentions(&self.graph.pool, new, dst),
            expected: asked.map(|asked| self.flows_into(&walk.state, asked, Some(dst))).unwrap_or_default(),
            waits: wait.is_some(),
        }
    }

    /// Notes what the parts of a read-modify-write depend on; its writes are those from `n_writes` on.
    pub(crate) fn note_update(&mut self, walk: &mut Walk, dst: VarId, flows: &UpdateFlows, n_writes: usize) {
        self.note_flows(walk, flows.n_events, &flows.address);
        let own = self.own_read(flows.n_events.0);
        for write in n_writes..self.graph.events.writes.len() {
            self.depend(Dependency::Data, &flows.data, Target::Write(write));
            if flows.is_of_old {
                self.depend(Dependency::Data, &own, Target::Write(write));
            }
        }
        if let Some((from, _)) = own.first() {
            self.depend(Dependency::Compare, &flows.expected, Target::Read(from.read));
        }
        if flows.waits {
            self.branch(walk, &own);
        }
        self.flow(walk, dst, own);
    }

    /// A fence depends on the branches before it.
    pub(crate) fn note_fence(&mut self, walk: &Walk) {
        if let Some(last) = self.graph.events.fences.len().checked_sub(1).filter(|_| self.keeps_flows()) {
            self.depend(Dependency::Control, &walk.state.flows.branches, Target::Fence(last));
        }
    }

    /// Something depends on reads.
    pub(crate) fn depend(&mut self, kind: Dependency, reads: &Reads, target: Target) {
        for (from, when) in reads.iter().filter(|(from, _)| target != Target::Read(from.read)) {
            let kind = match target {
                _ if !from.chooses => kind,
                Target::Write(_) => Dependency::Control,
                Target::Read(_) | Target::Fence(_) => continue,
            };
            self.found.depends.push(Depends { kind, from: from.read, to: target, when: *when });
        }
    }

    /// What is true of both of two ways that meet: each with the condition of its way.
    pub(crate) fn meet_flows(&mut self, states: &[State], conds: &[TermId], live: &[VarId]) -> Flows {
        let mut met = Flows::default();
        if !self.keeps_flows() {
            return met;
        }
        let under = |this: &mut Self, of: &dyn Fn(&State) -> Option<Reads>| {
            let each: Vec<Option<Reads>> = states.iter().map(of).collect();
            if each.iter().all(|reads| *reads == each[0]) {
                return each[0].clone().unwrap_or_default();
            }
            let mut all = Vec::new();
            for (reads, cond) in each.iter().zip(conds) {
                for (read, when) in reads.iter().flat_map(|reads| reads.iter()) {
                    all.push((*read, this.graph.pool.and(*when, *cond)));
                }
            }
            this.united(all)
        };
        for var in live {
            let reads = under(self, &|state: &State| state.flows.of(*var).cloned());
            met.set(*var, reads);
        }
        met.branches = under(self, &|state: &State| Some(Rc::clone(&state.flows.branches)));
        met
    }
}
