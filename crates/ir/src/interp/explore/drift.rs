//! Does a loop of steps repeat for ever though some values differ each time around? It does if these values decide nothing.
//!
//! What differs between the two ends of the loop drifts, and whatever is computed from what drifts. If, once around, no
//! condition, address, size or callee depends on what drifts, and nothing else drifts at the end, then the same steps can be taken
//! again from there, with the same inputs, and so for ever (by induction over the rounds: two starts of a round agree on all that does not drift).
//! A counter that nobody looks at is the usual case: the engines leave it out, and find a loop where the states of the program never come back.

use super::taint::{Spot, Taint};
use crate::access::terms;
use crate::interp::machine::inputs::GivenInputs;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::{Frame, State, Thread};
use crate::property::{Properties, Property};
use crate::stmt::{Op, Place, Stmt};
use crate::verdict::Step;
use std::collections::BTreeSet;

/// How often what drifts may grow.
const MAX_ROUNDS: usize = 64;

type Drifting = BTreeSet<Spot>;

/// Whether steps that lead from the first to the last of these states can be taken again and again. States are those before each step, and the last one.
pub(crate) fn repeats(machine: &Machine<'_>, states: &[State], steps: &[Step]) -> bool {
    let [first, .., last] = states else { return false };
    let Some(mut drifting) = difference(machine, first, last) else { return false };
    for _ in 0..MAX_ROUNDS {
        let taint = Taint { machine, spots: drifting.clone(), source: None, asked: Property::Termination };
        let mut round = Round { taint, ever: drifting.clone() };
        if !states.iter().zip(steps).all(|(state, step)| round.step(state, step)) {
            return false;
        }
        if round.taint.spots.is_subset(&drifting) {
            let rests = |thread: &u32| steps.iter().all(|step| step.thread != *thread);
            return (0..first.threads.len() as u32).filter(rests).all(|thread| round.stays(first, thread));
        }
        drifting.append(&mut round.taint.spots);
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
    taint: Taint<'a, 'p>,
    /// What has drifted at any moment.
    ever: Drifting,
}

impl Round<'_, '_> {
    /// Follows a step; false if what drifts decides something in it, or it is one that this does not follow.
    fn step(&mut self, before: &State, step: &Step) -> bool {
        let machine = self.taint.machine;
        if before.holder.is_some_and(|holder| holder != step.thread) {
            return false;
        }
        let is_followed = |stmt: &Stmt| match stmt.op {
            Op::Alloc { .. } | Op::Free { .. } | Op::Start { .. } | Op::Join { .. } => false,
            Op::ExitThread(_) | Op::ExitProcess { .. } => false,
            Op::Return(_) => before.threads[step.thread as usize].frames.len() > 1,
            _ => true,
        };
        if !machine.program.edge(step.edge).stmts.iter().all(is_followed) {
            return false;
        }
        let mut events = Vec::new();
        let mut state = before.clone();
        let (inputs, asked) = (&mut GivenInputs::new(&step.inputs), Properties::of(&[Property::Termination]));
        machine.step(&mut state, step.thread, step.edge, inputs, asked, Some(&mut events));
        let is_steady = self.taint.follow(before, (step.thread, step.edge), &events, &state);
        self.ever.extend(self.taint.spots.iter().copied());
        is_steady
    }

    /// Whether a thread that takes no step stands where it does for no reason that drifts.
    fn stays(&self, state: &State, thread: u32) -> bool {
        let machine = self.taint.machine;
        let this = &state.threads[thread as usize];
        let Some(depth) = this.frames.len().checked_sub(1) else { return true };
        let whole = Taint { spots: self.ever.clone(), ..self.taint.clone() };
        let has_bytes = self.ever.iter().any(|spot| matches!(spot, Spot::Byte(_)));
        let is_steady = |stmt: &Stmt| match &stmt.op {
            Op::Rmw { place: Place::Var(var), .. } | Op::Load { place: Place::Var(var), .. } => {
                !self.ever.contains(&Spot::Global(*var))
            }
            Op::Rmw { .. } | Op::Load { .. } => !has_bytes,
            _ => true,
        };
        let drifts = |stmt: &Stmt| terms(&stmt.op).iter().any(|term| whole.is_term_tainted((thread, depth), *term));
        let edges = machine.edges_at(this);
        edges.flat_map(|edge| &machine.program.edge(edge).stmts).all(|stmt| is_steady(stmt) && !drifts(stmt))
    }
}
