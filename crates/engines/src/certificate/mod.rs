//! Does a graph of abstract states prove what it claims? A checker that shares no code with the engines that make such graphs.
//!
//! Known as: proof (witness) validation of an inductive invariant, one formula for each node of an abstract reachability graph.
//!
//! It asks for every obligation of `ir::Certificate` with a solver of its own: the initial states are in the first node (initiation), every step
//! of every thread from a node leads into the nodes that it is said to lead to (consecution), a covered node is inside the one that covers
//! it, and no step goes wrong (error-freeness). What each edge does is read from the statements again, in [`step`]. That steps which a
//! reduction has left out may be left out is checked in [`left_out`] where the certificate tells why; else they are counted, and the check is one of the
//! reduced graph.
//!
//! Not here: programs whose memory accesses have computed addresses, or that allocate, or that start threads without number. They are
//! `Checked::Beyond`, and whoever shows the proof says so.

mod commuting;
mod left_out;
mod sections;
mod step;
pub(crate) mod threads;

use ir::pass::Liveness;
use ir::{
    CellName, Certificate, CertificateNode, EdgeId, EdgeRef, ProcId, Program, Properties, Property, Reduction, Standing,
};
use logic::{Pool, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use sections::Sections;
use smt::{Limits, Oracle};
use std::cell::RefCell;
use std::rc::Rc;
use step::{Effect, Step, Unreadable};

/// What came of a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// All obligations hold.
    Holds {
        /// How many there were.
        obligations: u64,
        /// How many steps the reduction left out, which were not checked.
        left_out: u64,
    },
    /// This one does not.
    Fails(String),
    /// It could not be checked, for this reason.
    Beyond(String),
}

/// Checks all obligations.
pub fn check(certificate: &Certificate, properties: Properties, limits: &Limits) -> Checked {
    if let Some(why) = &certificate.beyond {
        return Checked::Beyond(why.clone());
    }
    let mut checker = Checker {
        pool: certificate.program.pool.clone(),
        program: &certificate.program,
        nodes: &certificate.nodes,
        reduction: certificate.reduction,
        own: certificate.cells.iter().map(|(var, name)| (*name, *var)).collect(),
        names: certificate.cells.iter().copied().collect(),
        properties,
        oracle: Oracle::new(limits.clone()),
        obligations: 0,
        left_out: 0,
        sections: RefCell::default(),
        liveness: RefCell::default(),
    };
    match checker.run() {
        Ok(()) => Checked::Holds { obligations: checker.obligations, left_out: checker.left_out },
        Err(Halt::Fails(what)) => Checked::Fails(what),
        Err(Halt::Beyond(what)) => Checked::Beyond(what),
    }
}

enum Halt {
    Fails(String),
    Beyond(String),
}

impl From<Unreadable> for Halt {
    fn from(unreadable: Unreadable) -> Halt {
        Halt::Beyond(unreadable.0)
    }
}

struct Checker<'c> {
    pool: Pool,
    program: &'c Program,
    nodes: &'c [CertificateNode],
    reduction: Reduction,
    /// The variable that stands for a cell.
    own: FxHashMap<CellName, VarId>,
    /// The cell that a variable stands for.
    names: FxHashMap<VarId, CellName>,
    properties: Properties,
    oracle: Oracle,
    obligations: u64,
    left_out: u64,
    /// The atomic sections of each automaton, once they were asked for.
    sections: RefCell<FxHashMap<ProcId, Rc<Sections>>>,
    /// What is still read at each location of each automaton, once it was asked for.
    liveness: RefCell<FxHashMap<ProcId, Liveness>>,
}

impl Checker<'_> {
    fn run(&mut self) -> Result<(), Halt> {
        let first = self.nodes.first().ok_or_else(|| Halt::Fails("there is no initial node".to_string()))?;
        let main = self.program.main;
        let standing = Standing { proc: main, loc: self.program.proc(main).entry, depth: 0, has_ended: false };
        if first.threads != [standing] || first.holder.is_some() || first.has_ended {
            return Err(Halt::Fails("the first node is not where the program starts".to_string()));
        }
        let initial = self.initial(first.formula);
        let outside = self.pool.not(initial);
        self.must_not_be(outside, "the initial states are in the first node", 0)?;
        for index in 0..self.nodes.len() {
            self.node(index)?;
        }
        match self.reduction {
            Reduction::Untold => {
                self.left_out += self.nodes.iter().map(|node| node.left_out.len() as u64).sum::<u64>();
                Ok(())
            }
            Reduction::Local => self.only_local_steps_run_alone(),
            Reduction::Monotonic { turns, local_first } => self.left_out_in_order(turns, local_first),
        }
    }

    /// A formula with the initial values of all cells put in.
    fn initial(&mut self, formula: TermId) -> TermId {
        let mut values: FxHashMap<VarId, TermId> = FxHashMap::default();
        let mut vars = Vec::new();
        self.pool.for_each_free_var(formula, &mut |var| vars.push(var));
        for var in vars {
            if let Some(value) = self.initial_value(var) {
                let value = self.pool.constant(value);
                values.insert(var, value);
            }
        }
        self.pool.substitute(formula, &|var| values.get(&var).copied())
    }

    fn initial_value(&self, var: VarId) -> Option<Value> {
        let word = self.program.data_model.word_bits();
        match self.names.get(&var) {
            Some(CellName::Own(thread, own)) if *own == self.program.self_var => {
                Some(Value::bv(word, u64::from(*thread) + 1))
            }
            Some(CellName::Own(_, own)) => match self.program.var(*own).scope {
                ir::Scope::Thread => self.program.var(*own).init.clone(),
                _ => Some(Value::zero(self.pool.var_sort(var))),
            },
            Some(CellName::Result(_)) => Some(Value::bv(word, 0)),
            Some(CellName::Bytes(addr, len)) => step::initial_bytes(self.program, *addr, *len),
            None => self.program.vars.get(var.index()).and_then(|variable| variable.init.clone()),
        }
    }

    /// Fails unless the formula has no solution.
    fn must_not_be(&mut self, formula: TermId, what: &str, node: usize) -> Result<(), Halt> {
        self.obligations += 1;
        match self.oracle.is_sat(&self.pool, formula) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Halt::Fails(format!("node {node}: {what}"))),
            Err(why) => Err(Halt::Beyond(why.to_string())),
        }
    }

    fn node(&mut self, index: usize) -> Result<(), Halt> {
        let nodes = self.nodes;
        let node = &nodes[index];
        if let Some(other) = node.covered_by {
            let other = nodes.get(other as usize).ok_or_else(|| Halt::Fails("a node that is not there".to_string()))?;
            let same =
                other.threads == node.threads && other.holder == node.holder && other.has_ended == node.has_ended;
            if !same || other.covered_by.is_some() {
                return Err(Halt::Fails(format!("node {index} is covered by a node elsewhere")));
            }
            let outside = self.pool.not(other.formula);
            let formula = self.pool.and(node.formula, outside);
            return self.must_not_be(formula, "is not inside the node that covers it", index);
        }
        if node.has_ended {
            return Ok(());
        }
        if self.properties.has(Property::Deadlock) {
            self.no_deadlock(index)?;
        }
        for thread in 0..node.threads.len() as u32 {
            if node.threads[thread as usize].has_ended {
                continue;
            }
            if node.left_out.contains(&thread) {
                continue;
            }
            self.thread(index, thread)?;
        }
        Ok(())
    }

    /// The threads of a node cannot all wait.
    fn no_deadlock(&mut self, index: usize) -> Result<(), Halt> {
        let nodes = self.nodes;
        let node = &nodes[index];
        let mut all = node.formula;
        for thread in (0..node.threads.len() as u32).filter(|thread| !node.threads[*thread as usize].has_ended) {
            let waits = self.waits(node, thread)?;
            all = self.pool.and(all, waits);
        }
        self.must_not_be(all, "all threads may wait", index)
    }

    /// All steps of a thread lead where they are said to lead, and none goes wrong.
    fn thread(&mut self, index: usize, thread: u32) -> Result<(), Halt> {
        let nodes = self.nodes;
        let node = &nodes[index];
        let may_run = self.may_run(node, thread)?;
        let before = self.pool.and(node.formula, may_run);
        let at = &node.threads[thread as usize];
        for edge in self.edges_at(at) {
            let step = self.step(node, thread, edge)?;
            let goes_wrong = self.pool.and(before, step.goes_wrong);
            self.must_not_be(goes_wrong, "a step can go wrong", index)?;
            let after = self.after(node, thread, edge, &step);
            let mut inside = Vec::new();
            for (_, _, to) in node.steps.iter().filter(|(who, by, _)| *who == thread && *by == edge) {
                let to = &nodes[*to as usize];
                if (&to.threads, to.holder, to.has_ended) != (&after.0, after.1, after.2) {
                    return Err(Halt::Fails(format!("node {index}: a step leads to other places than it is said to")));
                }
                let values: FxHashMap<VarId, TermId> = step.values.iter().copied().collect();
                inside.push(self.pool.substitute(to.formula, &|var| values.get(&var).copied()));
            }
            let inside = self.pool.or_all(&inside);
            let outside = self.pool.not(inside);
            let taken = self.pool.and(before, step.taken);
            let escapes = self.pool.and(taken, outside);
            self.must_not_be(escapes, "a step leads outside of the graph", index)?;
        }
        Ok(())
    }

    fn edges_at(&self, at: &Standing) -> Vec<EdgeRef> {
        let edges = self.program.proc(at.proc).edges.iter().enumerate();
        edges
            .filter(|(_, edge)| edge.from == at.loc)
            .map(|(index, _)| EdgeRef { proc: at.proc, edge: EdgeId(index as u32) })
            .collect()
    }

    fn step(&mut self, node: &CertificateNode, thread: u32, edge: EdgeRef) -> Result<Step, Unreadable> {
        let reader = step::Reader::new(&mut self.pool, self.program, &mut self.own, &mut self.names, thread);
        reader.read(&node.threads, edge, self.properties)
    }

    /// That the holder of an atomic section, if it is another thread, waits.
    fn may_run(&mut self, node: &CertificateNode, thread: u32) -> Result<TermId, Unreadable> {
        match node.holder.filter(|holder| *holder != thread) {
            Some(holder) => self.waits(node, holder),
            None => Ok(self.pool.bool(true)),
        }
    }

    /// That a thread waits: it stops at a wait, and no other edge can be taken. An edge that asks for an input does so after its waits.
    fn waits(&mut self, node: &CertificateNode, thread: u32) -> Result<TermId, Unreadable> {
        let at = &node.threads[thread as usize];
        let mut all_stuck = self.pool.bool(true);
        let mut one_waits = self.pool.bool(false);
        for edge in self.edges_at(at) {
            let step = self.step(node, thread, edge)?;
            if step.inputs.is_empty() {
                let goes_on = self.pool.or(step.taken, step.goes_wrong);
                let stuck = self.pool.not(goes_on);
                all_stuck = self.pool.and(all_stuck, stuck);
            }
            one_waits = self.pool.or(one_waits, step.waits);
        }
        Ok(self.pool.and(all_stuck, one_waits))
    }

    /// Where the threads stand after a step.
    fn after(
        &self,
        node: &CertificateNode,
        thread: u32,
        edge: EdgeRef,
        step: &Step,
    ) -> (Vec<Standing>, Option<u32>, bool) {
        let mut threads = node.threads.clone();
        let mut has_ended = node.has_ended;
        threads[thread as usize].loc = self.program.edge(edge).to;
        for effect in &step.effects {
            let this = &mut threads[thread as usize];
            match effect {
                Effect::Enter => this.depth += 1,
                Effect::Leave => this.depth = this.depth.saturating_sub(1),
                Effect::Starts(proc) => {
                    let loc = self.program.proc(*proc).entry;
                    threads.push(Standing { proc: *proc, loc, depth: 0, has_ended: false });
                }
                Effect::ThreadEnds => {
                    (this.depth, this.has_ended) = (0, true);
                    has_ended |= threads.iter().all(|thread| thread.has_ended);
                }
                Effect::ProcessEnds => has_ended = true,
            }
        }
        let this = &threads[thread as usize];
        let holder = (this.depth > 0 && !this.has_ended).then_some(thread);
        (threads, holder, has_ended)
    }
}

#[cfg(test)]
mod tests;
