//! On which reads of its thread does an access of an execution depend? By the flow of values through variables, of what was run.
//!
//! Known as: syntactic address, data and control dependencies.
//!
//! The program is taken as lowered, one statement after the other, as a compiler that optimises nothing would translate it; only what lowering itself computes away (`x ^ x`,
//! `x * 0`) is no dependency. A variable depends on the reads whose values flowed into it; so does memory that one thread alone uses. A branch makes all that
//! follows it in its thread depend on what its condition depends on, and so does waiting for a value; what chooses between two values (`c ? a : b`, a comparison as a number) controls the writes that use the chosen one and
//! nothing else, since it may be compiled to a branch or to an instruction that selects; where a compare-exchange is a loop of exclusives (`compares`), it compares and branches, too.

use ir::interp::{Cell, Event, What};
use ir::{Op, Place, Program, Scope, Step, Stmt};
use logic::{TermId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Some reads, by the numbers of their events, each with whether it only chooses which value flows.
type Reads = BTreeSet<(usize, bool)>;

/// Which events an access has in the graph: its read and its write.
pub(crate) type Halves = (Option<usize>, Option<usize>);

/// Address, data and control dependencies, and those of expected values; each from reads to events.
pub(crate) type Found = [Vec<(usize, usize)>; 4];

#[derive(Default)]
struct Thread {
    frames: Vec<BTreeMap<VarId, Reads>>,
    vars: BTreeMap<VarId, Reads>,
    branches: Reads,
    memory: BTreeMap<Cell, Reads>,
    /// Where each caller keeps the result.
    results: Vec<Option<VarId>>,
}

/// What the events of an execution depend on. `halves` names those of a step's statement, `fences` those that stand beside them.
pub(crate) fn dependencies(
    program: &Program,
    steps: &[Step],
    happened: &[(u32, usize, Event)],
    halves: &dyn Fn(usize, ir::SiteId) -> Halves,
    beside: &dyn Fn(usize, ir::SiteId) -> Vec<usize>,
    compares: bool,
) -> Found {
    let mut walk = Walk { program, threads: BTreeMap::new(), found: Found::default(), compares };
    let mut at = 0;
    for (number, step) in steps.iter().enumerate() {
        let first = at;
        while happened.get(at).is_some_and(|(_, other, _)| *other == number) {
            at += 1;
        }
        let events: Vec<&Event> = happened[first..at].iter().map(|(_, _, event)| event).collect();
        for stmt in &program.edge(step.edge).stmts {
            let own: Vec<&Event> = events.iter().copied().filter(|event| event.site == stmt.site).collect();
            walk.stmt(step.thread, stmt, &own, halves(number, stmt.site), &beside(number, stmt.site));
        }
    }
    walk.found
}

struct Walk<'p> {
    program: &'p Program,
    threads: BTreeMap<u32, Thread>,
    found: Found,
    /// Whether a compare-exchange branches.
    compares: bool,
}

impl Walk<'_> {
    fn thread(&mut self, thread: u32) -> &mut Thread {
        let this = self.threads.entry(thread).or_default();
        if this.frames.is_empty() {
            this.frames.push(BTreeMap::new());
        }
        this
    }

    fn of(&mut self, thread: u32, term: TermId, without: Option<VarId>) -> Reads {
        let mut vars: Vec<(VarId, bool)> = Vec::new();
        self.program.pool.for_each_var_by_role(term, &mut |var, chooses| vars.push((var, chooses)));
        let program = self.program;
        let this = self.thread(thread);
        let mut reads = Reads::new();
        for (var, chooses) in vars.into_iter().filter(|(var, _)| Some(*var) != without) {
            let known = match program.var(var).scope {
                Scope::Thread => this.vars.get(&var),
                _ => this.frames.last().and_then(|frame| frame.get(&var)),
            };
            reads.extend(known.into_iter().flatten().map(|(read, also)| (*read, *also || chooses)));
        }
        reads
    }

    fn set(&mut self, thread: u32, var: VarId, reads: Reads) {
        let is_own = self.program.var(var).scope == Scope::Thread;
        let this = self.thread(thread);
        match this.frames.last_mut().filter(|_| !is_own) {
            Some(frame) => frame.insert(var, reads),
            None => this.vars.insert(var, reads),
        };
    }

    fn depend(&mut self, kind: usize, reads: &Reads, events: impl IntoIterator<Item = usize>) {
        for event in events {
            for (read, _) in reads.iter().filter(|(read, chooses)| *read != event && !chooses) {
                self.found[kind].push((*read, event));
            }
        }
    }

    /// A write uses a value: what chose it controls the write.
    fn choose(&mut self, reads: &Reads, write: Option<usize>) {
        for (read, _) in reads.iter().filter(|(_, chooses)| *chooses) {
            self.found[2].extend(write.map(|write| (*read, write)));
        }
    }

    /// What follows depends on these reads, however they flow.
    fn branch(&mut self, thread: u32, reads: &Reads) {
        self.thread(thread).branches.extend(reads.iter().map(|(read, _)| (*read, false)));
    }

    fn stmt(&mut self, thread: u32, stmt: &Stmt, events: &[&Event], halves: Halves, beside: &[usize]) {
        let own = [halves.0, halves.1];
        let branches = self.thread(thread).branches.clone();
        self.depend(2, &branches, own.into_iter().flatten().chain(beside.iter().copied()));
        if let Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } = &stmt.op
            && let Place::Mem { addr, .. } = place
        {
            let reads = self.of(thread, *addr, None);
            self.depend(0, &reads, own.into_iter().flatten());
            self.choose(&reads, halves.1);
        }
        match &stmt.op {
            Op::Assign { var, value } => {
                let reads = self.of(thread, *value, None);
                self.set(thread, *var, reads);
            }
            Op::Havoc { var, .. } => self.set(thread, *var, Reads::new()),
            Op::Assume(cond) => {
                let reads = self.of(thread, *cond, None);
                self.branch(thread, &reads);
            }
            Op::Load { dst, .. } => {
                let reads = self.read(thread, events, halves);
                self.set(thread, *dst, reads);
            }
            Op::Store { value, .. } => {
                let reads = self.of(thread, *value, None);
                self.depend(1, &reads, halves.1);
                self.choose(&reads, halves.1);
                self.write(thread, events, halves, reads);
            }
            Op::Rmw { dst, wait, new, failure, .. } => {
                let mut reads = self.of(thread, *new, Some(*dst));
                let own = self.read(thread, events, halves);
                if ir::pass::mentions(&self.program.pool, *new, *dst) {
                    reads.extend(own.iter().copied());
                }
                self.depend(1, &reads, halves.1);
                self.choose(&reads, halves.1);
                let asked = failure.map(|failure| failure.when);
                for cond in asked.into_iter().chain(*wait) {
                    let expected = self.of(thread, cond, Some(*dst));
                    self.depend(3, &expected, halves.0);
                }
                if failure.is_some() && self.compares {
                    let behind = beside.iter().copied().filter(|event| halves.0.is_some_and(|read| *event > read));
                    self.depend(2, &own, halves.1.into_iter().chain(behind));
                    self.branch(thread, &own);
                }
                if wait.is_some() {
                    self.branch(thread, &own);
                }
                self.write(thread, events, halves, reads);
                self.set(thread, *dst, own);
            }
            Op::Call { args, result, .. } => {
                let called = events.iter().find_map(|event| match event.what {
                    What::Called { proc } => Some(proc),
                    _ => None,
                });
                if let Some(proc) = called {
                    let given: Vec<Reads> = args.iter().map(|arg| self.of(thread, *arg, None)).collect();
                    let frame = self.program.proc(proc).params.iter().copied().zip(given).collect();
                    let this = self.thread(thread);
                    this.frames.push(frame);
                    this.results.push(*result);
                }
            }
            Op::Return(value) => {
                let reads = value.map(|value| self.of(thread, value, None)).unwrap_or_default();
                let this = self.thread(thread);
                this.frames.pop();
                if let Some(Some(var)) = this.results.pop() {
                    self.set(thread, var, reads);
                }
            }
            Op::Join { result: Some(var), .. } | Op::Start { dst: var, .. } | Op::Alloc { dst: var, .. } => {
                self.set(thread, *var, Reads::new());
            }
            _ => {}
        }
    }

    /// What a read depends on: itself, or if it is no event, what was put there.
    fn read(&mut self, thread: u32, events: &[&Event], halves: Halves) -> Reads {
        if let Some(read) = halves.0 {
            return Reads::from([(read, false)]);
        }
        let cell = events.iter().find_map(|event| match event.what {
            What::Read { cell, .. } | What::Update { cell, .. } => Some(cell),
            _ => None,
        });
        let this = self.thread(thread);
        cell.and_then(|cell| this.memory.get(&cell).cloned()).unwrap_or_default()
    }

    fn write(&mut self, thread: u32, events: &[&Event], halves: Halves, reads: Reads) {
        let cell = events.iter().find_map(|event| match event.what {
            What::Write { cell, .. } | What::Update { cell, .. } => Some(cell),
            _ => None,
        });
        if let (Some(cell), None) = (cell, halves.1) {
            self.thread(thread).memory.insert(cell, reads);
        }
    }
}
