//! On which reads of its thread does each access depend? By the flow of values through variables, kept beside their terms.
//!
//! Known as: syntactic address, data and control dependencies; taint.
//!
//! Terms fold: what a value does not depend on after all is not in its term, but the text of the program says otherwise, and processors go by the text. So a variable
//! carries the reads that flowed into it, each with when it did: where ways meet, a read counts if the way was taken that it flowed on. A branch makes all that
//! follows depend on what its condition depends on. What chooses between two values (`c ? a : b`) may be compiled to a branch or to an instruction that selects: it orders what both
//! order, that is, writes that use the chosen value and writes behind an access whose address was chosen, as a branch would. Known as: pick dependencies (of Armv8). The same rules on what was run: `crate::evidence::dependencies`.
//!
//! Only kept where axioms judge; otherwise nothing is done here.

use crate::bmc::unroll::executor::Executor;
use crate::bmc::unroll::state::{State, Walk};
use crate::bmc::unrolled::{Depends, Flows, Reads, Source, Target};
use ir::{Failure, Model, Place};
use logic::{Node, Op, TermId, VarId};
use memory::graph::Dependency;
use rustc_hash::FxHashSet;
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
        let (mut all, yes) = (Vec::new(), self.graph.pool.bool(true));
        self.gather_flows(state, (term, false, yes), without, &mut FxHashSet::default(), &mut all);
        self.united(all)
    }

    /// What a part of a term depends on, under a condition. Of two values between which a condition chooses only the chosen one counts.
    fn gather_flows(
        &mut self,
        state: &State,
        part: (TermId, bool, TermId),
        without: Option<VarId>,
        seen: &mut FxHashSet<(TermId, bool, TermId)>,
        all: &mut Vec<(Source, TermId)>,
    ) {
        let (term, chooses, when) = part;
        if !seen.insert(part) {
            return;
        }
        match self.graph.pool.node(term).clone() {
            Node::Const(_) => {}
            Node::Var(var) if Some(var) == without => {}
            Node::Var(var) => {
                for (from, counts) in state.flows.of(var).cloned().iter().flat_map(|reads| reads.iter()) {
                    let when = self.graph.pool.and(when, *counts);
                    all.push((Source { chooses: from.chooses || chooses, ..*from }, when));
                }
            }
            Node::App { op: Op::Ite, args } => {
                self.gather_flows(state, (args[0], true, when), without, seen, all);
                let is_known = without.is_none_or(|var| !ir::pass::mentions(&self.graph.pool, args[0], var));
                let (first, second) = match is_known {
                    true => {
                        let cond = self.eval_in(&state.env, args[0]);
                        let not = self.graph.pool.not(cond);
                        (self.graph.pool.and(when, cond), self.graph.pool.and(when, not))
                    }
                    // What is read just now is not known yet.
                    false => (when, when),
                };
                self.gather_flows(state, (args[1], chooses, first), without, seen, all);
                self.gather_flows(state, (args[2], chooses, second), without, seen, all);
            }
            Node::App { args, .. } => {
                for arg in args {
                    self.gather_flows(state, (arg, chooses, when), without, seen, all);
                }
            }
        }
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

    /// What follows an access depends on what chose its address.
    fn choose_address(&mut self, walk: &mut Walk, address: &Reads) {
        let choosing: Vec<(Source, TermId)> = address.iter().filter(|(from, _)| from.chooses).copied().collect();
        self.branch(walk, &Rc::new(choosing));
    }

    /// What follows depends on these reads.
    pub(crate) fn branch(&mut self, walk: &mut Walk, reads: &Reads) {
        if !reads.is_empty() {
            let asked = reads.iter().map(|(from, when)| (Source { chooses: false, ..*from }, *when));
            let all = walk.state.flows.branches.iter().copied().chain(asked).collect();
            walk.state.flows.branches = self.united(all);
        }
    }

    /// What the value depends on that a statement has read: on the read that it has made, or if it is none that others take part in, on its address.
    pub(crate) fn read_flows(&mut self, n_reads: usize, address: &Reads) -> Reads {
        let own = self.own_read(n_reads);
        if own.is_empty() { Rc::clone(address) } else { own }
    }

    /// The read that a statement has made, if it is one that others take part in.
    fn own_read(&mut self, n_reads: usize) -> Reads {
        let live = self.graph.places.number(crate::bmc::accesses::places::PlaceKey::Live);
        let reads = &self.graph.events.reads;
        let own = (n_reads..reads.len()).find(|read| reads[*read].place != live);
        let yes = self.graph.pool.bool(true);
        own.map_or_else(Reads::default, |read| Rc::new(vec![(Source { read, chooses: false }, yes)]))
    }

    /// What a statement has added depends on its address, and on the branches before it.
    pub(crate) fn note_flows(&mut self, walk: &mut Walk, (n_reads, n_writes): (usize, usize), address: &Reads) {
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
        self.choose_address(walk, address);
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
        let reads = self.read_flows(flows.n_events.0, &flows.address);
        self.flow(walk, dst, reads);
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
            let kinds: &[Dependency] = match target {
                _ if !from.chooses => &[kind],
                Target::Write(_) => &[Dependency::Control, Dependency::Pick],
                Target::Read(_) | Target::Fence(_) => &[],
            };
            for kind in kinds.iter().copied() {
                self.found.depends.push(Depends { kind, from: from.read, to: target, when: *when });
            }
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
