//! Does a loop of steps repeat for ever though some values differ each time around? It does if these values decide nothing.
//!
//! Known as: dynamic taint analysis. What differs between the two ends of the loop drifts, and whatever is computed from what drifts. If, once around, no
//! condition, address, size or callee depends on what drifts, and nothing else drifts at the end, then the same steps can be taken
//! again from there, with the same inputs, and so for ever (by induction over the rounds: two starts of a round agree on all that does not drift).
//! A counter that nobody looks at is the usual case: the engines leave it out, and find a loop where the states of the program never come back.

use crate::access::terms;
use crate::interp::machine::event::{Cell, Event, What};
use crate::interp::machine::inputs::GivenInputs;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::{Frame, State, Thread};
use crate::program::Scope;
use crate::property::{Properties, Property};
use crate::stmt::{Callee, CheckKind, Op, Place, Stmt};
use crate::verdict::Step;
use logic::{TermId, VarId};
use std::collections::BTreeSet;

/// How often what drifts may grow.
const MAX_ROUNDS: usize = 64;

/// Where a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Spot {
    /// A local of an activation, by its thread and its depth.
    Local(u32, usize, VarId),
    /// A thread variable.
    Thread(u32, VarId),
    Global(VarId),
    /// A byte of memory.
    Byte(u64),
}

type Drifting = BTreeSet<Spot>;

/// Whether steps that lead from the first to the last of these states can be taken again and again. States are those before each step, and the last one.
pub(crate) fn repeats(machine: &Machine<'_>, states: &[State], steps: &[Step]) -> bool {
    let [first, .., last] = states else { return false };
    let Some(mut drifting) = difference(machine, first, last) else { return false };
    for _ in 0..MAX_ROUNDS {
        let mut round = Round { machine, drifting: drifting.clone(), ever: drifting.clone() };
        if !states.iter().zip(steps).all(|(state, step)| round.step(state, step)) {
            return false;
        }
        if round.drifting.is_subset(&drifting) {
            let rests = |thread: &u32| steps.iter().all(|step| step.thread != *thread);
            return (0..first.threads.len() as u32).filter(rests).all(|thread| round.stays(first, thread));
        }
        drifting.append(&mut round.drifting);
    }
    false
}

/// Where two states differ; nothing if they differ in more than values.
fn difference(machine: &Machine<'_>, a: &State, b: &State) -> Option<Drifting> {
    let same_objects = a.memory.gone == b.memory.gone
        && a.memory.live.len() == b.memory.live.len()
        && a.memory.live.iter().zip(&b.memory.live).all(|((at, one), (there, other))| {
            (at, one.size, one.origin, one.fill) == (there, other.size, other.origin, other.fill)
        });
    let same_threads = a.threads.len() == b.threads.len()
        && a.threads.iter().zip(&b.threads).all(|(one, other)| stand_alike(one, other));
    if !same_objects || !same_threads || a.holder != b.holder || a.end.is_some() || b.end.is_some() {
        return None;
    }
    let mut spots = Drifting::new();
    for (slot, var) in machine.globals.iter().enumerate() {
        spots.extend((a.globals[slot] != b.globals[slot]).then_some(Spot::Global(*var)));
    }
    for (number, (one, other)) in a.threads.iter().zip(&b.threads).enumerate() {
        let thread = number as u32;
        for (slot, var) in machine.thread_vars.iter().enumerate() {
            spots.extend((one.vars[slot] != other.vars[slot]).then_some(Spot::Thread(thread, *var)));
        }
        for (depth, (one, other)) in one.frames.iter().zip(&other.frames).enumerate() {
            let slots = machine.local_slot[one.proc.index()].iter();
            let differing = slots.filter(|(_, slot)| one.locals[**slot] != other.locals[**slot]);
            spots.extend(differing.map(|(var, _)| Spot::Local(thread, depth, *var)));
        }
    }
    for ((base, one), other) in a.memory.live.iter().zip(b.memory.live.values()) {
        let written = one.written().chain(other.written()).map(|(offset, _)| offset);
        let differing = written.filter(|offset| one.get(*offset) != other.get(*offset));
        spots.extend(differing.map(|offset| Spot::Byte(base + offset)));
    }
    Some(spots)
}

/// Whether two threads stand at the same places, with nothing under way.
fn stand_alike(a: &Thread, b: &Thread) -> bool {
    let place = |frame: &Frame| (frame.proc, frame.loc, frame.called_by, frame.result);
    let is_settled = a.buffer.is_empty() && b.buffer.is_empty();
    is_settled
        && (&a.result, a.depth, a.n_granules, a.frames.len()) == (&b.result, b.depth, b.n_granules, b.frames.len())
        && a.frames.iter().zip(&b.frames).all(|(one, other)| place(one) == place(other))
}

/// Once around.
struct Round<'a, 'p> {
    machine: &'a Machine<'p>,
    drifting: Drifting,
    /// What has drifted at any moment.
    ever: Drifting,
}

impl Round<'_, '_> {
    /// Follows a step; false if what drifts decides something in it, or it is one that this does not follow.
    fn step(&mut self, before: &State, step: &Step) -> bool {
        if before.holder.is_some_and(|holder| holder != step.thread) {
            return false;
        }
        let mut events = Vec::new();
        let mut state = before.clone();
        let (inputs, asked) = (&mut GivenInputs::new(&step.inputs), Properties::of(&[Property::Termination]));
        self.machine.step(&mut state, step.thread, step.edge, inputs, asked, Some(&mut events));
        let stmts = &self.machine.program.edge(step.edge).stmts;
        let is_twice = |(at, stmt): (usize, &Stmt)| stmts[..at].iter().any(|before| before.site == stmt.site);
        if stmts.iter().enumerate().any(is_twice) {
            return false;
        }
        let depth = before.threads[step.thread as usize].frames.len() - 1;
        let is_followed = stmts.iter().all(|stmt| {
            let own: Vec<&Event> = events.iter().filter(|event| event.site == stmt.site).collect();
            self.stmt(step.thread, depth, stmt, &own, &state)
        });
        self.ever.extend(self.drifting.iter().copied());
        is_followed
    }

    fn stmt(&mut self, thread: u32, depth: usize, stmt: &Stmt, events: &[&Event], after: &State) -> bool {
        let at = (thread, depth);
        match &stmt.op {
            Op::Assign { var, value } => self.set(at, *var, self.term_drifts(at, *value)),
            Op::Havoc { var, .. } => self.set(at, *var, false),
            Op::Check { kind: CheckKind::Overflow, .. } | Op::Fence(_) | Op::AtomicBegin | Op::AtomicEnd => {}
            Op::Mark(..) => {}
            Op::Assume(cond) | Op::Check { cond, .. } => return !self.term_drifts(at, *cond),
            Op::Load { dst, place, .. } => {
                let Some(cell) = self.cell(at, place, events) else { return false };
                self.set(at, *dst, self.cell_drifts(cell));
            }
            Op::Store { place, value, .. } => {
                let Some(cell) = self.cell(at, place, events) else { return false };
                self.set_cell(cell, self.term_drifts(at, *value));
            }
            Op::Rmw { dst, place, wait, new, failure, .. } => {
                let Some(cell) = self.cell(at, place, events) else { return false };
                self.set(at, *dst, self.cell_drifts(cell));
                let mut decided = wait.iter().copied().chain(failure.map(|failure| failure.when));
                if decided.any(|term| self.term_drifts(at, term)) {
                    return false;
                }
                if events.iter().any(|event| matches!(event.what, What::Update { .. })) {
                    self.set_cell(cell, self.term_drifts(at, *new));
                }
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Pointer(pointer) = callee
                    && self.term_drifts(at, *pointer)
                {
                    return false;
                }
                let Some(callee) = after.threads[thread as usize].top() else { return false };
                let params = &self.machine.program.proc(callee.proc).params;
                let drifts: Vec<bool> = args.iter().map(|arg| self.term_drifts(at, *arg)).collect();
                for (param, drifts) in params.iter().zip(drifts) {
                    self.set((thread, depth + 1), *param, drifts);
                }
            }
            Op::Return(value) => {
                let drifts = value.is_some_and(|value| self.term_drifts(at, value));
                self.drifting.retain(|spot| !matches!(spot, Spot::Local(t, d, _) if (*t, *d) == at));
                if depth == 0 {
                    return false;
                }
                let result = events.iter().find_map(|event| match event.what {
                    What::Set { var, .. } => Some(var),
                    _ => None,
                });
                if let Some(var) = result {
                    self.set((thread, depth - 1), var, drifts);
                }
            }
            Op::Alloc { .. } | Op::Free { .. } | Op::Start { .. } | Op::Join { .. } => return false,
            Op::ExitThread(_) | Op::ExitProcess { .. } => return false,
        }
        true
    }

    /// Whether a thread that takes no step stands where it does for no reason that drifts.
    fn stays(&self, state: &State, thread: u32) -> bool {
        let this = &state.threads[thread as usize];
        let Some(depth) = this.frames.len().checked_sub(1) else { return true };
        let whole = Round { machine: self.machine, drifting: self.ever.clone(), ever: Drifting::new() };
        let has_bytes = self.ever.iter().any(|spot| matches!(spot, Spot::Byte(_)));
        let is_steady = |stmt: &Stmt| match &stmt.op {
            Op::Rmw { place: Place::Var(var), .. } | Op::Load { place: Place::Var(var), .. } => {
                !self.ever.contains(&Spot::Global(*var))
            }
            Op::Rmw { .. } | Op::Load { .. } => !has_bytes,
            _ => true,
        };
        let drifts = |stmt: &Stmt| terms(&stmt.op).iter().any(|term| whole.term_drifts((thread, depth), *term));
        let edges = self.machine.edges_at(this);
        edges.flat_map(|edge| &self.machine.program.edge(edge).stmts).all(|stmt| is_steady(stmt) && !drifts(stmt))
    }

    fn spot(&self, (thread, depth): (u32, usize), var: VarId) -> Spot {
        match self.machine.program.var(var).scope {
            Scope::Local => Spot::Local(thread, depth, var),
            Scope::Thread => Spot::Thread(thread, var),
            Scope::Global => Spot::Global(var),
        }
    }

    fn set(&mut self, at: (u32, usize), var: VarId, drifts: bool) {
        self.mark(self.spot(at, var), drifts);
    }

    fn mark(&mut self, spot: Spot, drifts: bool) {
        if drifts {
            self.drifting.insert(spot);
        } else {
            self.drifting.remove(&spot);
        }
    }

    fn term_drifts(&self, at: (u32, usize), term: TermId) -> bool {
        let mut drifts = false;
        self.machine
            .program
            .pool
            .for_each_free_var(term, &mut |var| drifts |= self.drifting.contains(&self.spot(at, var)));
        drifts
    }

    /// What an access names, if that does not drift.
    fn cell(&self, at: (u32, usize), place: &Place, events: &[&Event]) -> Option<Cell> {
        if let Place::Mem { addr, .. } = place
            && self.term_drifts(at, *addr)
        {
            return None;
        }
        events.iter().find_map(|event| match event.what {
            What::Read { cell, .. } | What::Write { cell, .. } | What::Update { cell, .. } => Some(cell),
            _ => None,
        })
    }

    fn spots(cell: Cell) -> Vec<Spot> {
        match cell {
            Cell::Var(var) => vec![Spot::Global(var)],
            Cell::Bytes { addr, len } => (addr..addr + len).map(Spot::Byte).collect(),
        }
    }

    fn cell_drifts(&self, cell: Cell) -> bool {
        Self::spots(cell).iter().any(|spot| self.drifting.contains(spot))
    }

    fn set_cell(&mut self, cell: Cell, drifts: bool) {
        for spot in Self::spots(cell) {
            self.mark(spot, drifts);
        }
    }
}
