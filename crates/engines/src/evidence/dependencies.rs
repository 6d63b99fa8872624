//! On which reads of its thread does an access of an execution depend? By the flow of values through variables, of what was run.
//!
//! Known as: syntactic address, data and control dependencies.
//!
//! The program is taken as lowered, one statement after the other, as a compiler that optimises nothing would translate it; only what lowering itself computes away (`x ^ x`,
//! `x * 0`) is no dependency. A variable depends on the reads whose values flowed into it; so does memory that one thread alone uses. A branch makes all that
//! follows it in its thread depend on what its condition depends on, and so does waiting for a value; what chooses between two values (`c ? a : b`, a comparison as a number) controls the writes that use the chosen one, and those behind an access whose address was chosen,
//! and nothing else, since it may be compiled to a branch or to an instruction that selects; where a compare-exchange is a loop of exclusives (`compares`), it compares and branches, too.

use ir::interp::{Cell, Event, What};
use ir::{Op, Place, Program, Scope, Step, Stmt};
use logic::{Node, TermId, Value, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Some reads, by the numbers of their events, each with whether it only chooses which value flows.
type Reads = BTreeSet<(usize, bool)>;

/// Which events an access has in the graph: its read and its write.
pub(crate) type Halves = (Option<usize>, Option<usize>);

/// Address, data and control dependencies, those of expected values, and those of what chooses the value that is written; each from reads to events.
pub(crate) type Found = [Vec<(usize, usize)>; 5];

#[derive(Default)]
struct Thread {
    frames: Vec<BTreeMap<VarId, Reads>>,
    vars: BTreeMap<VarId, Reads>,
    branches: Reads,
    memory: BTreeMap<Cell, Reads>,
    /// Values of variables, by the depth of their frame; 0 for those of the thread.
    values: BTreeMap<(usize, VarId), Value>,
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
        let mut reads = Reads::new();
        self.gather(thread, (term, false), without, &mut BTreeSet::new(), &mut reads);
        reads
    }

    /// What a part of a term depends on. Of two values between which a condition chooses only the chosen one counts, if it is known which.
    fn gather(
        &mut self,
        thread: u32,
        part: (TermId, bool),
        without: Option<VarId>,
        seen: &mut BTreeSet<(TermId, bool)>,
        reads: &mut Reads,
    ) {
        let (term, chooses) = part;
        if !seen.insert(part) {
            return;
        }
        let program = self.program;
        match program.pool.node(term) {
            Node::Const(_) => {}
            Node::Var(var) if Some(*var) == without => {}
            Node::Var(var) => {
                let this = self.thread(thread);
                let known = match program.var(*var).scope {
                    Scope::Thread => this.vars.get(var),
                    _ => this.frames.last().and_then(|frame| frame.get(var)),
                };
                reads.extend(known.into_iter().flatten().map(|(read, also)| (*read, *also || chooses)));
            }
            Node::App { op: logic::Op::Ite, args } => {
                self.gather(thread, (args[0], true), without, seen, reads);
                let is_known = without.is_none_or(|var| !ir::pass::mentions(&program.pool, args[0], var));
                let chosen = if is_known { self.value(thread, args[0]) } else { None };
                if chosen != Some(Value::Bool(false)) {
                    self.gather(thread, (args[1], chooses), without, seen, reads);
                }
                if chosen != Some(Value::Bool(true)) {
                    self.gather(thread, (args[2], chooses), without, seen, reads);
                }
            }
            Node::App { args, .. } => {
                for arg in args {
                    self.gather(thread, (*arg, chooses), without, seen, reads);
                }
            }
        }
    }

    /// The value of a term, if those of its variables are known.
    fn value(&mut self, thread: u32, term: TermId) -> Option<Value> {
        let program = self.program;
        let this = self.thread(thread);
        let depth = this.frames.len();
        let of = |var: VarId| {
            let depth = if program.var(var).scope == Scope::Thread { 0 } else { depth };
            this.values.get(&(depth, var)).cloned()
        };
        let mut is_known = true;
        program.pool.for_each_free_var(term, &mut |var| is_known &= of(var).is_some());
        is_known.then(|| program.pool.evaluate(term, &|var| of(var).expect("it is known")))
    }

    /// Keeps the values that a statement has given to variables.
    fn keep_values(&mut self, thread: u32, events: &[&Event]) {
        for event in events {
            let (var, value) = match &event.what {
                What::Set { var, new, .. } => (*var, new),
                What::Read { dst, value, .. } => (*dst, value),
                What::Update { dst, old, .. } => (*dst, old),
                _ => continue,
            };
            let is_own = self.program.var(var).scope == Scope::Thread;
            let this = self.thread(thread);
            let depth = if is_own { 0 } else { this.frames.len() };
            this.values.insert((depth, var), value.clone());
        }
    }

    fn set(&mut self, thread: u32, var: VarId, reads: Reads) {
        let is_own = self.program.var(var).scope == Scope::Thread;
        let this = self.thread(thread);
        let depth = if is_own { 0 } else { this.frames.len() };
        this.values.remove(&(depth, var));
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
            for kind in [2, 4] {
                self.found[kind].extend(write.map(|write| (*read, write)));
            }
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
        let (mut address, mut behind) = (Reads::new(), Reads::new());
        if let Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } = &stmt.op
            && let Place::Mem { addr, .. } = place
        {
            let reads = self.of(thread, *addr, None);
            self.depend(0, &reads, own.into_iter().flatten());
            self.choose(&reads, halves.1);
            behind = reads.iter().filter(|(_, chooses)| *chooses).copied().collect();
            address = reads;
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
                let mut reads = self.read(thread, events, halves);
                if halves.0.is_none() {
                    reads.extend(address.iter().copied());
                }
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
                let mut own = self.read(thread, events, halves);
                if halves.0.is_none() {
                    own.extend(address.iter().copied());
                }
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
                    let depth = this.frames.len() + 1;
                    this.values.retain(|(other, _), _| *other != depth);
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
        self.keep_values(thread, events);
        self.branch(thread, &behind);
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
