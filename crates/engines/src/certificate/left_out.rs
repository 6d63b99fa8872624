//! May the steps be left out that a reduction has left out? Seen from the statements, for the checker alone.
//!
//! Known as: validation of a partial order reduction; monotonic (peephole) reduction \[Wang08] \[Wachter13], local steps.
//!
//! `Monotonic`: whoever arrives at a node by a step of a thread need not look at the step of a thread that comes earlier in the order, if the two are independent: the other
//! order of the two is looked at elsewhere. Among the equivalent interleavings of an execution the first one in the lexicographic order has no independent neighbours the wrong way round, whatever the order
//! is at each place, as long as the steps so far determine it. A node is arrived at by its own steps and by those to all nodes that it covers, so whatever is left out there has to be
//! left out after each of them. What was left out before a step that is independent of it may stay so: it could be moved to where it was left out first. Neighbours of which the later one goes wrong may be exchanged as well: then it goes wrong earlier. An atomic section that neither waits, nor goes round, nor starts
//! threads is one action ([`super::sections`]). Steps that touch the same are independent where it does not matter who goes first ([`super::commuting`]).
//!
//! With `local_first` a thread may run alone, and comes first in the order, where nobody sees what it does; others wait for it then without being left out below.
//!
//! `Local`: a thread runs alone where its step touches nothing that others see, can always be taken, and does not lead back in its automaton, so that nobody is put off for ever.

use super::sections::Sections;
use super::{Checker, Halt};
use ir::access::{Access, AccessKind, Target, may_conflict};
use ir::{CertificateNode, Edge, EdgeId, EdgeRef, Op, Order, ProcId, SiteId, Turn, Turns};
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A step to a node: where from, of which thread, by which edge.
type Arrival = (u32, u32, EdgeRef);

impl Checker<'_> {
    /// What is left out in each node is left out in order, whichever way the node is arrived at.
    pub(super) fn left_out_in_order(&mut self, turns: Turns, local_first: bool) -> Result<(), Halt> {
        let nodes = self.nodes;
        let mut arrivals: Vec<Vec<Arrival>> = vec![Vec::new(); nodes.len()];
        for (from, node) in nodes.iter().enumerate().filter(|(_, node)| node.covered_by.is_none()) {
            for (thread, edge, to) in &node.steps {
                let Some(known) = arrivals.get_mut(*to as usize) else {
                    return Err(Halt::Fails(format!("node {from}: a step leads to a node that is not there")));
                };
                known.push((from as u32, *thread, *edge));
            }
        }
        if nodes[0].turn != Turn::default() || !self.representative(0).asleep.is_empty() {
            return Err(Halt::Fails("steps are left out although none came before".to_string()));
        }
        for (index, node) in nodes.iter().enumerate() {
            if self.representative(index).turn != node.turn {
                return Err(Halt::Fails(format!("node {index} is covered by a node with another order of threads")));
            }
            if node.covered_by.is_none() && node.left_out.iter().any(|thread| !node.asleep.contains(thread)) {
                if !local_first {
                    return Err(Halt::Fails(format!("node {index}: threads are left out that do not sleep")));
                }
                self.one_may_run_alone(index)?;
            }
            for arrival in &arrivals[index] {
                self.turn_follows(arrival, index, turns)?;
                for thread in self.representative(index).asleep.clone() {
                    self.obligations += 1;
                    if !self.may_be_left_out(arrival, node, thread, local_first)? {
                        return Err(Halt::Fails(format!(
                            "node {index}: a step of thread {thread} must not be left out"
                        )));
                    }
                }
            }
        }
        Ok(())
    }

    fn representative(&self, index: usize) -> &CertificateNode {
        let node = &self.nodes[index];
        node.covered_by.map_or(node, |other| &self.nodes[other as usize])
    }

    /// The order of threads after a step follows from the one before.
    fn turn_follows(&self, (from, thread, edge): &Arrival, to: usize, turns: Turns) -> Result<(), Halt> {
        let (before, after) = (&self.nodes[*from as usize], &self.nodes[to]);
        let expected = match turns != Turns::NEVER && self.leads_back(*edge) {
            true => turns.after(before.turn, *thread, after.threads.len() as u32),
            false => before.turn,
        };
        if after.turn == expected {
            return Ok(());
        }
        Err(Halt::Fails(format!("node {to}: the order of threads is another than the steps make it")))
    }

    fn may_be_left_out(
        &mut self,
        (from, mover, edge): &Arrival,
        to: &CertificateNode,
        thread: u32,
        local_first: bool,
    ) -> Result<bool, Halt> {
        let nodes = self.nodes;
        let before = &nodes[*from as usize];
        let at = |node: &CertificateNode| node.threads.get(thread as usize).cloned();
        let (Some(then), Some(now)) = (at(before), at(to)) else { return Ok(false) };
        let has_begun = before.holder.is_none_or(|holder| holder == *mover);
        let may_both_run = has_begun && to.holder.is_none() && !to.has_ended && now.depth == 0;
        let was_alone = local_first && self.is_seen_by_nobody(before, *mover);
        let is_before = before.turn.rank(thread) < before.turn.rank(*mover) && !was_alone;
        let comes_first = thread != *mover && (is_before || before.asleep.contains(&thread));
        if !may_both_run || !comes_first || then != now || now.has_ended {
            return Ok(false);
        }
        let firsts = self.edges_at(&now);
        self.are_independent(before, (*mover, *edge), (thread, &firsts))
    }

    /// Whether an action of a thread that ends with an edge commutes with those of another one that begin with one of some others, and neither stops the other or lets it go on. The first one was taken
    /// while the other thread was there, so if it waited for the end of a thread, it was that of a third one.
    fn are_independent(
        &mut self,
        before: &CertificateNode,
        (mover, last): (u32, EdgeRef),
        (other, firsts): (u32, &[EdgeRef]),
    ) -> Result<bool, Halt> {
        let edge_of = |proc: ProcId| move |edge: EdgeId| EdgeRef { proc, edge };
        let depth = before.threads[mover as usize].depth;
        let behind = self.sections(last.proc).behind(last.edge, self.program.edge(last).from, depth);
        let ours: Vec<EdgeRef> = behind.into_iter().map(edge_of(last.proc)).collect();
        if !self.is_action(&ours) {
            return Ok(false);
        }
        let own = self.touched(before, mover, &ours)?;
        for first in firsts {
            let ahead = self.sections(first.proc).ahead(first.edge, self.program.edge(*first).from);
            let theirs: Vec<EdgeRef> = ahead.into_iter().map(edge_of(first.proc)).collect();
            if !self.is_action(&theirs) {
                return Ok(false);
            }
            let others = self.touched(before, other, &theirs)?;
            let is_third = |ours: &Access, theirs: &Access| {
                matches!((ours.target, theirs.target), (Target::Thread(_), Target::OwnThread))
            };
            let conflict = |ours: &Access| {
                others.iter().any(|theirs| !is_third(ours, theirs) && may_conflict(&self.pool, ours, theirs))
            };
            if own.iter().any(conflict) {
                let ([ours], [theirs]) = (&ours[..], &theirs[..]) else { return Ok(false) };
                if !self.commute(before, (mover, *ours), (other, *theirs))? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What some edges touch when a thread takes them: where an address depends on who runs, that of this thread. That a step ends the process does not matter: nothing comes after
    /// it that could go wrong.
    fn touched(&mut self, node: &CertificateNode, thread: u32, edges: &[EdgeRef]) -> Result<Vec<Access>, Halt> {
        let mut all: Vec<Access> = Vec::new();
        for edge in edges {
            let known = self.step(node, thread, *edge)?.accesses;
            all.extend(known.into_iter().filter(|access| access.target != Target::Process));
            all.extend(ends(self.program.edge(*edge)));
        }
        Ok(all)
    }

    /// Whether several edges of a section are one action.
    fn is_action(&self, edges: &[EdgeRef]) -> bool {
        let opens = |edge: &EdgeRef| {
            let opens =
                |stmt: &ir::Stmt| matches!(stmt.op, Op::Join { .. } | Op::Rmw { wait: Some(_), .. } | Op::Start { .. });
            self.leads_back(*edge) || self.program.edge(*edge).stmts.iter().any(opens)
        };
        edges.len() == 1 || !edges.iter().any(opens)
    }

    /// The atomic sections of an automaton.
    fn sections(&self, proc: ProcId) -> Rc<Sections> {
        let mut known = self.sections.borrow_mut();
        known.entry(proc).or_insert_with(|| Rc::new(Sections::new(self.program.proc(proc)))).clone()
    }

    /// Where threads are left out, one is not: it does nothing that others see, and goes on.
    pub(super) fn only_local_steps_run_alone(&mut self) -> Result<(), Halt> {
        let nodes = self.nodes;
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| !node.left_out.is_empty()) {
            let runs = |thread: &u32| !node.threads[*thread as usize].has_ended && !node.left_out.contains(thread);
            if (0..node.threads.len() as u32).filter(runs).count() != 1 {
                return Err(Halt::Fails(format!("node {index}: threads are left out although several run")));
            }
            self.one_may_run_alone(index)?;
        }
        Ok(())
    }

    /// One of the threads that run in a node does nothing that others see, and goes on: the others may wait for it.
    fn one_may_run_alone(&mut self, index: usize) -> Result<(), Halt> {
        let node = &self.nodes[index];
        let runs = |thread: &u32| !node.threads[*thread as usize].has_ended && !node.left_out.contains(thread);
        let mut running = (0..node.threads.len() as u32).filter(runs);
        let Some(alone) = running.find(|thread| self.is_seen_by_nobody(node, *thread)) else {
            return Err(Halt::Fails(format!("node {index}: a thread runs alone although others see what it does")));
        };
        let edges = self.edges_at(&node.threads[alone as usize]);
        let goes_on = self.goes_on(node, alone, &edges)?;
        let not = self.pool.not(goes_on);
        let stuck = self.pool.and(node.formula, not);
        self.must_not_be(stuck, "a thread that runs alone may be stuck", index)
    }

    /// Whether nobody sees what a thread does next in a node, nobody can keep it from that, and it does not go back.
    fn is_seen_by_nobody(&self, node: &CertificateNode, thread: u32) -> bool {
        let at = &node.threads[thread as usize];
        let is_local = |edge: &EdgeRef| {
            let own = self.program.edge(*edge);
            let waits_or_ends = |stmt: &ir::Stmt| match &stmt.op {
                Op::Rmw { wait, .. } => wait.is_some(),
                op => matches!(op, Op::Join { .. } | Op::ExitThread(_) | Op::ExitProcess { .. }),
            };
            let is_seen = !accesses(own).is_empty() || stays_inside(own) || own.stmts.iter().any(waits_or_ends);
            !is_seen && !self.leads_back(*edge)
        };
        node.holder.is_none() && at.depth == 0 && self.edges_at(at).iter().all(is_local)
    }

    /// That a thread has an edge to go on with. One input that fits is enough for each state, so edges that ask at the same statement may be given the same one: they are the
    /// branches after it, and for whatever it is there is one of them.
    fn goes_on(&mut self, node: &CertificateNode, thread: u32, edges: &[EdgeRef]) -> Result<TermId, Halt> {
        let mut asked: Vec<(SiteId, VarId)> = Vec::new();
        let mut any = self.pool.bool(false);
        for edge in edges {
            let step = self.step(node, thread, *edge)?;
            let one = self.pool.or(step.taken, step.goes_wrong);
            let mut same: FxHashMap<VarId, TermId> = FxHashMap::default();
            for (site, input) in step.inputs {
                let fits = |(known, var): &&(SiteId, VarId)| {
                    *known == site && self.pool.var_sort(*var) == self.pool.var_sort(input)
                };
                match asked.iter().find(fits).copied() {
                    Some((_, var)) => drop(same.insert(input, self.pool.var(var))),
                    None => asked.push((site, input)),
                }
            }
            let one = self.pool.substitute(one, &|var| same.get(&var).copied());
            any = self.pool.or(any, one);
        }
        Ok(any)
    }

    /// Whether an edge leads back in its automaton; on every cycle there is one that does.
    fn leads_back(&self, edge: EdgeRef) -> bool {
        self.sections(edge.proc).leads_back(edge.edge)
    }
}

/// Whether an edge that begins outside of atomic sections may end inside of one.
fn stays_inside(edge: &Edge) -> bool {
    let begins = edge.stmts.iter().filter(|stmt| stmt.op == Op::AtomicBegin).count();
    begins > edge.stmts.iter().filter(|stmt| stmt.op == Op::AtomicEnd).count()
}

/// What an edge touches.
fn accesses(edge: &Edge) -> Vec<Access> {
    let shared = |access: &Access| access.target != Target::Process;
    edge.stmts.iter().flat_map(|stmt| stmt.accesses()).filter(shared).chain(ends(edge)).collect()
}

/// The end of a thread, where an edge returns from its function.
fn ends(edge: &Edge) -> impl Iterator<Item = Access> + '_ {
    let end = Access { target: Target::OwnThread, kind: AccessKind::Write, order: Order::SeqCst };
    edge.stmts.iter().filter(|stmt| matches!(stmt.op, Op::Return(_))).map(move |_| end)
}
