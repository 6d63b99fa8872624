//! What is there to tell about a run? Step by step who did what, with names and values that a person knows.
//!
//! Built from the events of each step while the state still has the objects they name. Temporaries are left out;
//! every read says which step wrote what it read.

use crate::interp::machine::event::{Cell, Event, InputKind, What};
use crate::interp::machine::names::Namer;
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::End;
use crate::interp::machine::state::State;
use crate::program::{EdgeRef, Format};
use crate::source::Span;
use crate::stmt::Mark;
use logic::VarId;
use std::collections::BTreeMap;

/// A frame on the way to a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSite {
    /// The procedure that runs.
    pub proc: String,
    /// Where it was called; nowhere for the outermost.
    pub span: Span,
}

/// One thing that a step did.
#[allow(missing_docs, reason = "the fields are named after what they are")]
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Read shared state; `from` is the step that wrote it.
    Read { place: String, value: String, from: Option<usize> },
    /// Wrote shared state; a character if it is part of a text.
    Write { place: String, old: Option<String>, new: String, is_character: bool },
    /// Stored to the thread's buffer; memory does not have it yet.
    Buffered { place: String, new: String },
    /// A store of a thread's buffer has reached memory.
    Committed { thread: u32, place: String, old: Option<String>, new: String },
    /// Set a variable of the source.
    Assigned { name: String, old: String, new: String },
    /// Chose a value.
    Input { kind: InputKind, value: String },
    /// Started a thread.
    Started { thread: u32, proc: String },
    /// Waited for a thread.
    Joined { thread: u32 },
    /// The thread has ended.
    Finished,
    /// Took a lock.
    Locked { lock: String, is_shared: bool },
    /// Gave a lock back.
    Unlocked { lock: String },
    /// Did something else with an object of the thread library; it has no name where the mark says that there was nothing.
    Synchronised { mark: Mark, object: Option<String> },
    /// Made an object.
    Allocated { object: String, size: u64 },
    /// Ended an object.
    Freed { object: String },
    /// Called a procedure.
    Called { proc: String, args: Vec<String> },
    /// Returned from a procedure.
    Returned { proc: String },
    /// Entered an atomic section.
    AtomicBegin,
    /// Left an atomic section.
    AtomicEnd,
    /// The process has ended.
    ProcessEnded(End),
    /// Something went wrong.
    Failed { message: String },
}

/// One step.
#[derive(Clone, PartialEq, Debug)]
pub struct LogStep {
    /// Who.
    pub thread: u32,
    /// The edge taken.
    pub edge: EdgeRef,
    /// The frames, outermost first; the last one took the step.
    pub stack: Vec<CallSite>,
    /// Where the statement stands; may be in a library model.
    pub span: Span,
    /// The user's line on behalf of which it ran.
    pub user_span: Span,
    /// What it did.
    pub effects: Vec<Effect>,
    /// For each effect the user's line it belongs to; a step can span several.
    pub places: Vec<Span>,
}

/// A run so far.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// The steps in order.
    pub steps: Vec<LogStep>,
    last_write: BTreeMap<Cell, usize>,
    /// Stores that memory does not have yet, in order: whose, where, and the step that stored.
    pending: Vec<(u32, Cell, usize)>,
}

impl Log {
    /// Notes who is about to take which edge.
    pub fn begin(&mut self, machine: &Machine<'_>, state: &State, thread: u32, edge: EdgeRef) {
        let program = machine.program;
        let namer = Namer::new(machine, state);
        let site_of = |frame: &crate::interp::machine::state::Frame| CallSite {
            proc: program.proc(frame.proc).name.clone(),
            span: frame.called_by.map_or(Span::NOWHERE, |edge| namer.call_span(edge)),
        };
        let stack = state.threads[thread as usize].frames.iter().map(site_of).collect();
        let stmts = &program.edge(edge).stmts;
        let span = stmts.iter().map(|stmt| stmt.span).find(|span| span.is_known()).unwrap_or(Span::NOWHERE);
        let user_span = namer.user_span(thread as usize, span);
        self.steps.push(LogStep { thread, edge, stack, span, user_span, effects: Vec::new(), places: Vec::new() });
    }

    /// Notes a store that reaches memory by itself, as a step of the thread that stored.
    pub fn commit(&mut self, machine: &Machine<'_>, state: &State, event: &Event) {
        let What::Committed { thread, number, .. } = event.what else { unreachable!("only commits are noted here") };
        let at = self.pending_at(thread, number);
        let stored = &self.steps[self.pending[at].2];
        let is_store = |effect: &Effect| matches!(effect, Effect::Buffered { .. });
        let place = stored.effects.iter().position(is_store).map(|at| stored.places[at]);
        let user_span = place.unwrap_or(stored.user_span);
        let (edge, stack, span) = (stored.edge, stored.stack.clone(), stored.span);
        self.steps.push(LogStep { thread, edge, stack, span, user_span, effects: Vec::new(), places: Vec::new() });
        self.finish(machine, state, std::slice::from_ref(event));
    }

    fn pending_at(&self, thread: u32, number: usize) -> usize {
        let own = self.pending.iter().enumerate().filter(|(_, (other, ..))| *other == thread);
        own.map(|(at, _)| at).nth(number).expect("what is committed was stored")
    }

    /// Forgets the step that was begun last: it was not taken.
    pub fn cancel(&mut self) {
        self.steps.pop();
    }

    /// Notes what the step begun last did; `state` is the one after it.
    pub fn finish(&mut self, machine: &Machine<'_>, state: &State, events: &[Event]) {
        let step = self.steps.len() - 1;
        for event in events {
            let effect = self.effect(machine, state, step, &event.what);
            let is_user = event.span.is_known() && !machine.program.sources.is_model(event.span);
            let this = &mut self.steps[step];
            let place = if is_user { event.span } else { this.user_span };
            this.places.extend(effect.iter().map(|_| place));
            this.effects.extend(effect);
        }
    }

    /// Notes that the last step went wrong.
    pub fn fail(&mut self, message: &str) {
        if let Some(step) = self.steps.last_mut() {
            step.effects.push(Effect::Failed { message: message.to_string() });
            step.places.push(step.user_span);
        }
    }

    fn effect(&mut self, machine: &Machine<'_>, state: &State, step: usize, what: &What) -> Vec<Effect> {
        let program = machine.program;
        let namer = Namer::new(machine, state);
        let proc_name = |proc| program.proc(proc).name.clone();
        let format_of = |cell: Cell, dst: Option<VarId>| -> (String, Option<Format>) {
            let (name, format) = namer.cell(cell);
            (name, format.or(dst.map(|var| program.var(var).format)))
        };
        let effect = match what {
            What::Read { cell, value, dst, .. } => {
                let (place, format) = format_of(*cell, Some(*dst));
                let from = self.written_by(self.steps[step].thread, *cell);
                Effect::Read { place, value: namer.value(value, format), from }
            }
            What::Buffered { cell, new, .. } => {
                let (place, format) = format_of(*cell, None);
                self.pending.push((self.steps[step].thread, *cell, step));
                Effect::Buffered { place, new: namer.value(new, format) }
            }
            What::Committed { thread, number, cell, old, new, is_dropped } => {
                let at = self.pending_at(*thread, *number);
                self.pending.remove(at);
                if *is_dropped {
                    return Vec::new();
                }
                let (place, format) = format_of(*cell, None);
                self.note_write(*cell, step);
                let old = old.as_ref().map(|old| namer.value(old, format));
                Effect::Committed { thread: *thread, place, old, new: namer.value(new, format) }
            }
            What::Write { cell, old, new, .. } => {
                let (place, format) = format_of(*cell, None);
                self.note_write(*cell, step);
                let old = old.as_ref().map(|old| namer.value(old, format));
                let is_character = matches!(format, Some(Format::Char | Format::UnsignedChar));
                Effect::Write { place, old, new: namer.value(new, format), is_character }
            }
            What::Update { cell, old, new, dst, .. } => {
                let (place, format) = format_of(*cell, Some(*dst));
                let (old, new) = (namer.value(old, format), namer.value(new, format));
                let from = self.written_by(self.steps[step].thread, *cell);
                self.note_write(*cell, step);
                let read = Effect::Read { place: place.clone(), value: old.clone(), from };
                return vec![read, Effect::Write { place, old: Some(old), new, is_character: false }];
            }
            What::Set { var, old, new } => {
                let variable = program.var(*var);
                if variable.is_temporary {
                    return Vec::new();
                }
                let show = |value| namer.value(value, Some(variable.format));
                Effect::Assigned { name: program.pool.var_name(*var).to_string(), old: show(old), new: show(new) }
            }
            What::Input { kind, value } => Effect::Input { kind: *kind, value: namer.value(value, None) },
            What::Started { child, proc } => Effect::Started { thread: *child, proc: proc_name(*proc) },
            What::Joined { child } => Effect::Joined { thread: *child },
            What::Finished => Effect::Finished,
            What::Marked { mark: Mark::Unlocked, addr } => Effect::Unlocked { lock: namer.lock(*addr) },
            What::Marked { mark: mark @ (Mark::Locked | Mark::ReadLocked), addr } => {
                Effect::Locked { lock: namer.lock(*addr), is_shared: *mark == Mark::ReadLocked }
            }
            What::Marked { mark, addr } => {
                Effect::Synchronised { mark: *mark, object: (*addr != 0).then(|| namer.lock(*addr)) }
            }
            What::Made { base, size, .. } => {
                // The addresses may have been another object's.
                let byte = |addr: u64| Cell::Bytes { addr, len: 1 };
                let old: Vec<Cell> = self
                    .last_write
                    .range(byte(*base)..byte(base.saturating_add(*size)))
                    .map(|(cell, _)| *cell)
                    .collect();
                for cell in old {
                    self.last_write.remove(&cell);
                }
                Effect::Allocated { object: namer.object(*base), size: *size }
            }
            What::Ended { base, .. } => Effect::Freed { object: namer.object(*base) },
            What::Called { proc } => {
                let frame = state.threads[self.steps[step].thread as usize].top();
                let show = |param: &VarId| {
                    let value = frame.and_then(|frame| machine.local(frame, *param))?;
                    Some(namer.value(value, Some(program.var(*param).format)))
                };
                let args = program.proc(*proc).params.iter().filter_map(show).collect();
                Effect::Called { proc: proc_name(*proc), args }
            }
            What::Returned { proc } => Effect::Returned { proc: proc_name(*proc) },
            What::AtomicBegin => Effect::AtomicBegin,
            What::AtomicEnd => Effect::AtomicEnd,
            What::ProcessEnded(end) => Effect::ProcessEnded(*end),
            What::Fence(_) | What::Attempted { .. } => return Vec::new(),
        };
        vec![effect]
    }

    /// Says which step each read has its value from, where that is known for a step; the inner `None` is what was there at first.
    pub(crate) fn set_sources(&mut self, source_of: &dyn Fn(usize) -> Option<Option<usize>>) {
        for (index, step) in self.steps.iter_mut().enumerate() {
            let Some(source) = source_of(index) else { continue };
            for effect in &mut step.effects {
                if let Effect::Read { from, .. } = effect {
                    *from = source;
                }
            }
        }
    }

    fn note_write(&mut self, cell: Cell, step: usize) {
        for byte in cell.units() {
            self.last_write.insert(byte, step);
        }
    }

    /// The step that wrote what a thread reads: its own store that is still on its way, or what is in memory.
    fn written_by(&self, thread: u32, cell: Cell) -> Option<usize> {
        let touches = |other: Cell| cell.units().any(|byte| other.units().any(|one| one == byte));
        let own = self.pending.iter().rev().find(|(whose, other, _)| *whose == thread && touches(*other));
        if let Some((_, _, step)) = own {
            return Some(*step);
        }
        cell.units().filter_map(|byte| self.last_write.get(&byte).copied()).max()
    }
}
