//! Which threads run in a state? All of them, or a source set.
//!
//! Known as: partial order reduction with static or dynamic source sets; here is what a concrete state knows for `explore::por`.
//!
//! A thread's next steps are found by running its edges: what they touch is then known exactly, and dynamic objects that
//! no other thread can name do not conflict with anything that comes later. What threads may touch later is static (`explore::por::dependence`).
//!
//! Invariant: the threads chosen are a source set of the state, unless all that are alive are chosen.

pub(crate) mod handles;
pub(crate) mod symmetry;

use super::compile::Code;
use super::state::View;
use super::step::runner::Runner;
use super::step::{CONSTANTS, Choices, Machine, StepResult, Touched, Wait, vary};
use crate::explicit::compile::code::Pc;
use crate::explicit::compile::layout::{Kept, Static};
use crate::explicit::state::heap::Heap;
use crate::explore::por::dependence::{Future, Joins, Next, TargetList, futures};
use crate::explore::por::dpor;
use crate::explore::por::source_set::{SourceSets, Threads};
use crate::explore::por::threads::ThreadSet;
use crate::explore::targets::{PROCESS, THREADS, TargetId, Targets};
use ir::{Op, Property, RegionId};
use std::sync::Arc;

/// How states are expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    /// With all threads.
    None,
    /// With a source set.
    Source,
    /// With one thread, and those that turn out to be needed.
    Dynamic,
}

/// Chooses the threads that run in a state.
#[derive(Clone)]
pub(crate) struct Selector<'c> {
    pub(crate) reduction: Reduction,
    /// By location.
    futures: Arc<[Future]>,
    prober: Prober<'c>,
    sets: SourceSets,
}

/// The threads of a state, each of which is asked what it can do by trying.
struct AtState<'a, 'c> {
    futures: &'a [Future],
    prober: &'a mut Prober<'c>,
    machine: &'a mut Machine<'c>,
    state: &'a [u8],
    view: &'a View,
}

impl Threads for AtState<'_, '_> {
    fn probe(&mut self, thread: usize, next: &mut Next) {
        self.prober.probe(self.machine, self.state, self.view, thread, next);
    }

    fn future(&self, thread: usize) -> &Future {
        &self.futures[self.view.pcs[thread] as usize]
    }

    /// A concrete state leaves nothing open.
    fn surely_runs(&mut self, _: usize) -> bool {
        true
    }
}

impl<'c> Selector<'c> {
    /// A selector for some code.
    pub(crate) fn new(code: &'c Code, reduction: Reduction) -> Selector<'c> {
        let program = &code.program;
        let targets = Targets::new(program);
        let by_proc = futures(program, &targets);
        let nothing = Future::new(&targets);
        let of_runs = code.runs.iter().flat_map(|(proc, _)| by_proc[proc.index()].iter().cloned());
        let futures = of_runs.chain([nothing.clone(), nothing]).collect();
        Selector { reduction, futures, prober: Prober::new(code, targets), sets: SourceSets::default() }
    }

    /// A subset of the threads that are alive in the state that a runner is at; all of them if none can run.
    pub(crate) fn select_here(&mut self, runner: &mut Runner<'c>, alive: &ThreadSet) -> ThreadSet {
        if self.reduction == Reduction::None || alive.len() <= 1 {
            return alive.clone();
        }
        let (machine, state, view) = runner.flat();
        self.select(machine, state, view, alive)
    }

    fn select(&mut self, machine: &mut Machine<'c>, state: &[u8], view: &View, alive: &ThreadSet) -> ThreadSet {
        let Selector { futures, prober, sets, .. } = self;
        prober.has_heap = false;
        let smallest = sets.smallest(&mut AtState { futures, prober, machine, state, view }, alive);
        if smallest.is_empty() {
            return alive.clone();
        }
        if self.reduction == Reduction::Dynamic && !sets.needs_all(&smallest) {
            // One is enough to begin with; `absorb` takes in others.
            return smallest.iter().take(1).collect();
        }
        smallest
    }

    /// Takes what came after the step of a thread into account where it was taken. Gives the threads that must run there too.
    pub(crate) fn absorb(
        &mut self,
        explored: &mut dpor::Explored,
        after: &mut dpor::Touches,
        machine: &mut Machine<'c>,
        (state, view, alive): (&[u8], &View, &ThreadSet),
        running: usize,
    ) -> ThreadSet {
        let words = self.words();
        let Selector { futures, prober, .. } = self;
        prober.has_heap = false;
        explored.absorb(after, &mut AtState { futures, prober, machine, state, view }, alive, running, words)
    }

    /// What a thread at a location may touch from now on.
    pub(crate) fn future(&self, pc: Pc) -> &Future {
        &self.futures[pc as usize]
    }

    /// What a thread can do in a state, found by trying.
    pub(crate) fn probe(
        &mut self,
        machine: &mut Machine<'c>,
        state: &[u8],
        view: &View,
        thread: usize,
        next: &mut Next,
    ) {
        self.prober.has_heap = false;
        self.prober.probe(machine, state, view, thread, next);
    }

    /// Words of a set of targets.
    pub(crate) fn words(&self) -> usize {
        dpor::n_words(self.prober.tables.targets.len())
    }
}

/// Finds out what threads can do next.
#[derive(Clone)]
pub(crate) struct Prober<'c> {
    code: &'c Code,
    tables: Arc<Tables>,
    leaks_matter: bool,
    heap: Heap,
    /// Whether `heap` is that of the state that is looked at.
    has_heap: bool,
    /// Which dynamic objects other threads than the one that is looked at can name, once that is known.
    shared: Option<Vec<bool>>,
}

/// What is known of the code, once for all searches.
struct Tables {
    targets: Targets,
    /// By location: whether an edge starts a thread, and whether one may end or keep out all others.
    starts: Vec<bool>,
    needs_all: Vec<bool>,
    /// The target of each byte of the fixed part.
    of_byte: Vec<TargetId>,
}

impl<'c> Prober<'c> {
    fn new(code: &'c Code, targets: Targets) -> Prober<'c> {
        let program = &code.program;
        let (mut starts, mut needs_all) = (Vec::new(), Vec::new());
        for loc in &code.locs {
            let edges = &code.edges[loc.edges.0 as usize..loc.edges.1 as usize];
            let has = |test: &dyn Fn(&Op) -> bool| {
                edges.iter().any(|edge| program.edge(edge.edge).stmts.iter().any(|stmt| test(&stmt.op)))
            };
            starts.push(has(&|op| matches!(op, Op::Start { .. })));
            let ends = has(&|op| match op {
                Op::ExitProcess { .. } => true,
                Op::Return(_) => usize::from(loc.proc) == program.main.index(),
                _ => false,
            });
            // A section of several edges keeps the others out, perhaps for ever if it loops or is stopped inside.
            let enters = edges.iter().any(|edge| code.locs[edge.to as usize].depth != Some(0));
            needs_all.push(ends || enters);
        }
        let of_byte = targets_of_bytes(code, &targets);
        let properties = code.properties;
        let leaks_matter = properties.has(Property::MemTrack) || properties.has(Property::MemCleanup);
        let tables = Arc::new(Tables { targets, starts, needs_all, of_byte });
        Prober { code, tables, leaks_matter, heap: Heap::default(), has_heap: false, shared: None }
    }

    fn probe(&mut self, machine: &mut Machine<'_>, state: &[u8], view: &View, thread: usize, next: &mut Next) {
        let pc = view.pcs[thread] as usize;
        next.needs_all = self.tables.needs_all[pc];
        if self.tables.starts[pc] {
            next.writes.push(THREADS);
        }
        self.shared = None;
        let (first, end) = self.code.locs[pc].edges;
        for edge in first..end {
            let mut choices = Choices::new();
            loop {
                match machine.look(state, view, thread, edge as usize, &mut choices) {
                    StepResult::Next | StepResult::Violates(..) => next.can_run = true,
                    StepResult::Ends | StepResult::Unknown(_) => {
                        next.can_run = true;
                        next.needs_all = true;
                    }
                    StepResult::Waits(Wait::Thread(handle)) => {
                        next.joins = Joins::Thread((handle as usize).wrapping_sub(1));
                    }
                    StepResult::NotTaken | StepResult::Waits(_) => {}
                }
                for touched in machine.touched() {
                    self.add(touched, state, view, thread, next);
                }
                // What a process leaves behind depends on all that was written, made and freed before.
                if self.leaks_matter && machine.changes_memory() {
                    push(PROCESS, &mut next.reads);
                }
                if !vary(&mut choices) {
                    break;
                }
            }
        }
    }

    fn add(&mut self, touched: &Touched, state: &[u8], view: &View, thread: usize, next: &mut Next) {
        if touched.is_guarded {
            return;
        }
        let list = if touched.writes { &mut next.writes } else { &mut next.reads };
        match touched.unit {
            CONSTANTS => {}
            0 => {
                for byte in touched.at..touched.at + touched.bytes {
                    push(self.tables.of_byte[byte as usize], list);
                }
            }
            unit => {
                let Some((region, is_shared)) = self.region_of(state, view, thread, unit) else { return };
                let list = match (is_shared, touched.writes) {
                    (true, _) => list,
                    (false, true) => &mut next.own_writes,
                    (false, false) => &mut next.own_reads,
                };
                push(self.tables.targets.of_dynamic(region), list);
            }
        }
    }

    /// The region of a dynamic object, and whether other threads can name it; none if no other ever could.
    fn region_of(&mut self, state: &[u8], view: &View, thread: usize, unit: u32) -> Option<(RegionId, bool)> {
        if !std::mem::replace(&mut self.has_heap, true) {
            self.heap.decode(&state[view.heap_at..]);
        }
        if self.shared.is_none() {
            let start = view.starts[thread] as usize;
            let end = start + self.code.locs[view.pcs[thread] as usize].record as usize;
            let roots = [&state[..start], &state[end..view.heap_at]];
            self.shared = Some(self.heap.reached(self.code.program.data_model, &roots));
        }
        let shared = self.shared.as_ref().expect("it was just set");
        // An object that is not there yet is made by the step itself.
        let index = self.heap.objects.iter().position(|object| object.unit() == unit)?;
        let region = RegionId(u32::from(self.heap.objects[index].region));
        (shared[index] || self.code.sharing.is_shared_region(region)).then_some((region, shared[index]))
    }
}

fn push(target: TargetId, list: &mut TargetList) {
    if !list.contains(&target) {
        list.push(target);
    }
}

/// The target of each byte of the fixed part.
fn targets_of_bytes(code: &Code, targets: &Targets) -> Vec<TargetId> {
    let mut of_byte = vec![TargetId::MAX; code.fixed_len()];
    for (var, at) in &code.layout.globals {
        let bytes = crate::explicit::compile::code::bytes_of(code.program.pool.var_sort(*var)) as usize;
        let target = targets.of_var(*var).expect("globals are laid out because they are accessed");
        of_byte[*at as usize..][..bytes].fill(target);
    }
    let is_kept = |object: &&Static| matches!(object.kept, Kept::Fixed(..) | Kept::Parts(_));
    for object in code.layout.statics.iter().filter(is_kept) {
        for offset in 0..object.size {
            if let Some(at) = code.layout.place_of(object, offset, 1) {
                let target = targets.of_bytes(object.object as usize, offset, 1).next();
                of_byte[at as usize] = target.expect("parts cover their object");
            }
        }
    }
    of_byte
}
