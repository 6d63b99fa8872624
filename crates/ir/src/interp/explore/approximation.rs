//! Does an execution go wrong whatever the values are that are not computed, or only for some that need not be the real ones?
//!
//! The result of `pow` is any number (`HavocKind::Approximation`). An execution that goes wrong proves something only if no such value decides where it
//! goes and what goes wrong: then it goes wrong with the real values as well.

use super::taint::Taint;
use crate::access::terms;
use crate::interp::machine::event::{InputKind, StepResult, WaitOn, What};
use crate::interp::machine::inputs::GivenInputs;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::interp::machine::step::Status;
use crate::program::Program;
use crate::property::{Properties, Property};
use crate::stmt::{HavocKind, Op};
use crate::verdict::Trace;
use std::collections::BTreeSet;

/// Who gave a value that is not computed, and when: the name of the function, and the number of the step.
pub(crate) type Approximated = (String, usize);

/// The first value that is not computed in an execution that goes wrong, if what happens may depend on such values. `steps` are all steps that were taken.
pub(crate) fn rests_on(program: &Program, trace: &Trace) -> Option<Approximated> {
    let is_approximate = |op: &Op| matches!(op, Op::Havoc { kind: HavocKind::Approximation, .. });
    if !program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).any(|s| is_approximate(&s.op)) {
        return None;
    }
    let machine = Machine::new(program);
    let asked = trace.violation;
    let mut taint = Taint { machine: &machine, spots: BTreeSet::new(), source: Some(HavocKind::Approximation), asked };
    let mut state = machine.initial();
    let mut first = None;
    for (number, step) in trace.steps.iter().enumerate() {
        let (before, mut events) = (state.clone(), Vec::new());
        let inputs = &mut GivenInputs::new(&step.inputs);
        let result =
            machine.step(&mut state, step.thread, step.edge, inputs, Properties::of(&[asked]), Some(&mut events));
        let is_chosen =
            |what: &What| matches!(what, What::Input { kind: InputKind::Havoc(HavocKind::Approximation), .. });
        if first.is_none() && events.iter().any(|event| is_chosen(&event.what)) {
            first = Some((library_function(program, &before, step.thread), number));
        }
        let is_followed = taint.follow(&before, (step.thread, step.edge), &events, &state);
        if first.is_some() && (!is_followed || matches!(result, StepResult::NotEnabled(_))) {
            return first;
        }
    }
    let waits = matches!(asked, Property::Deadlock | Property::Termination);
    let threads = 0..state.threads.len() as u32;
    first.filter(|_| waits && threads.into_iter().any(|thread| may_go_on(&machine, &taint, &state, thread)))
}

/// The function that the program called in a thread, inside which it is now.
fn library_function(program: &Program, state: &State, thread: u32) -> String {
    let frames = &state.threads[thread as usize].frames;
    let is_models = |proc: &crate::program::Proc| program.sources.is_model(proc.span);
    let mut outermost = frames.iter().map(|frame| program.proc(frame.proc)).skip_while(|proc| !is_models(proc));
    outermost.next().map_or_else(String::new, |proc| proc.name.clone())
}

/// Whether a thread that waits might not, were it not for values that are not computed.
fn may_go_on(machine: &Machine<'_>, taint: &Taint<'_, '_>, state: &State, thread: u32) -> bool {
    let this = &state.threads[thread as usize];
    let Some(depth) = this.frames.len().checked_sub(1) else { return false };
    let is_cell_tainted = match machine.status(state, thread) {
        Status::Waiting(wait) => matches!(wait.on, WaitOn::Cell(cell, _) if taint.is_cell_tainted(cell)),
        _ => false,
    };
    let mut stmts = machine.edges_at(this).flat_map(|edge| &machine.program.edge(edge).stmts);
    let is_tainted = |op: &Op| terms(op).iter().any(|term| taint.is_term_tainted((thread, depth), *term));
    is_cell_tainted || stmts.any(|stmt| is_tainted(&stmt.op))
}
