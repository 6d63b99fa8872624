//! What depends on what, along one execution? Values are followed from where they come from to where they decide something.
//!
//! Known as: dynamic taint analysis. As long as no condition, address, size or callee depends on what is tainted, the same steps can be taken whatever the
//! tainted values are, and everything that is not tainted is the same then.

use crate::interp::machine::event::{Cell, Event, What};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::program::{EdgeRef, Scope};
use crate::property::Property;
use crate::stmt::{Callee, CheckKind, HavocKind, Op, Place, Stmt};
use logic::{TermId, VarId};
use std::collections::BTreeSet;

/// Where a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Spot {
    /// A local of an activation, by its thread and its depth.
    Local(u32, usize, VarId),
    /// A thread variable.
    Thread(u32, VarId),
    Global(VarId),
    /// A byte of memory.
    Byte(u64),
    /// What a thread has returned.
    Result(u32),
}

/// Where tainted values are, as the execution goes on.
#[derive(Clone)]
pub(super) struct Taint<'a, 'p> {
    pub(super) machine: &'a Machine<'p>,
    pub(super) spots: BTreeSet<Spot>,
    /// What is chosen for this reason is tainted.
    pub(super) source: Option<HavocKind>,
    /// What is asked about. Overflow that nobody asks about decides nothing.
    pub(super) asked: Property,
}

/// An activation: its thread and its depth.
type Activation = (u32, usize);

impl Taint<'_, '_> {
    /// Follows a step that did this; false if what is tainted decides something in it, or a store is on its way to memory.
    pub(super) fn follow(
        &mut self,
        before: &State,
        (thread, edge): (u32, EdgeRef),
        events: &[Event],
        after: &State,
    ) -> bool {
        let stmts = &self.machine.program.edge(edge).stmts;
        let is_twice = |(at, stmt): (usize, &Stmt)| stmts[..at].iter().any(|before| before.site == stmt.site);
        let is_on_its_way = |event: &Event| matches!(event.what, What::Buffered { .. } | What::Committed { .. });
        if stmts.iter().enumerate().any(is_twice) || events.iter().any(is_on_its_way) {
            return false;
        }
        let at = (thread, before.threads[thread as usize].frames.len() - 1);
        stmts.iter().all(|stmt| {
            let own: Vec<&Event> = events.iter().filter(|event| event.site == stmt.site).collect();
            !self.decides(at, &stmt.op) && self.stmt(at, &stmt.op, &own, after)
        })
    }

    /// Whether what is tainted says which way a statement goes, or where.
    fn decides(&self, at: Activation, op: &Op) -> bool {
        let decides = |term: &TermId| self.is_term_tainted(at, *term);
        match op {
            Op::Load { place: Place::Mem { addr, .. }, .. }
            | Op::Store { place: Place::Mem { addr, .. }, .. }
            | Op::Rmw { place: Place::Mem { addr, .. }, .. } => decides(addr),
            Op::Check { kind: CheckKind::Overflow, .. } if self.asked != Property::Overflow => false,
            Op::Assume(term) | Op::Check { cond: term, .. } => decides(term),
            Op::Alloc { size: term, .. } | Op::Free { addr: term, .. } | Op::Join { thread: term, .. } => decides(term),
            Op::Call { callee: Callee::Pointer(term), .. } | Op::Start { callee: Callee::Pointer(term), .. } => {
                decides(term)
            }
            _ => false,
        }
    }

    /// Where values go in a statement that what is tainted has not decided; false if a wait or an attempt is decided by them.
    fn stmt(&mut self, at: Activation, op: &Op, events: &[&Event], after: &State) -> bool {
        match op {
            Op::Assign { var, value } => self.set(at, *var, self.is_term_tainted(at, *value)),
            Op::Havoc { var, kind } => self.set(at, *var, self.source == Some(*kind)),
            Op::Load { dst, .. } => {
                let Some(cell) = accessed(events) else { return true };
                self.set(at, *dst, self.is_cell_tainted(cell));
            }
            Op::Store { value, .. } => {
                let Some(cell) = accessed(events) else { return true };
                self.set_cell(cell, self.is_term_tainted(at, *value));
            }
            Op::Rmw { dst, wait, new, failure, .. } => {
                let Some(cell) = accessed(events) else { return true };
                self.set(at, *dst, self.is_cell_tainted(cell));
                let mut deciding = wait.iter().copied().chain(failure.map(|failure| failure.when));
                if deciding.any(|term| self.is_term_tainted(at, term)) {
                    return false;
                }
                if events.iter().any(|event| matches!(event.what, What::Update { .. })) {
                    self.set_cell(cell, self.is_term_tainted(at, *new));
                }
            }
            Op::Call { args, .. } => {
                let Some(callee) = after.threads[at.0 as usize].top() else { return false };
                let params = &self.machine.program.proc(callee.proc).params;
                self.pass(at, args, (at.0, at.1 + 1), params);
            }
            Op::Start { dst, args, .. } => {
                self.set(at, *dst, false);
                for event in events {
                    if let What::Started { child, proc } = event.what {
                        self.pass(at, args, (child, 0), &self.machine.program.proc(proc).params);
                    }
                }
            }
            Op::Join { result, .. } => {
                let child = events.iter().find_map(|event| match event.what {
                    What::Joined { child } => Some(child),
                    _ => None,
                });
                let is_tainted = child.is_some_and(|child| self.spots.contains(&Spot::Result(child)));
                result.iter().for_each(|var| self.set(at, *var, is_tainted));
            }
            Op::Return(value) => {
                let is_tainted = value.is_some_and(|value| self.is_term_tainted(at, value));
                self.spots.retain(|spot| !matches!(spot, Spot::Local(t, d, _) if (*t, *d) == at));
                let result = events.iter().find_map(|event| match event.what {
                    What::Set { var, .. } => Some(var),
                    _ => None,
                });
                match (result, at.1.checked_sub(1)) {
                    (Some(var), Some(caller)) => self.set((at.0, caller), var, is_tainted),
                    (_, None) => self.mark(Spot::Result(at.0), is_tainted),
                    _ => {}
                }
            }
            Op::ExitThread(value) => self.mark(Spot::Result(at.0), self.is_term_tainted(at, *value)),
            Op::Alloc { dst, .. } => {
                self.set(at, *dst, false);
                for event in events {
                    if let What::Made { base, size, .. } = event.what {
                        self.spots
                            .retain(|spot| !matches!(spot, Spot::Byte(byte) if (base..base + size).contains(byte)));
                    }
                }
            }
            Op::Check { .. } | Op::Assume(_) | Op::Fence(_) | Op::AtomicBegin | Op::AtomicEnd => {}
            Op::Mark(..) | Op::Free { .. } | Op::ExitProcess { .. } => {}
        }
        true
    }

    /// Arguments become parameters.
    fn pass(&mut self, at: Activation, args: &[TermId], to: Activation, params: &[VarId]) {
        let tainted: Vec<bool> = args.iter().map(|arg| self.is_term_tainted(at, *arg)).collect();
        for (param, is_tainted) in params.iter().zip(tainted) {
            self.set(to, *param, is_tainted);
        }
    }

    fn spot(&self, (thread, depth): Activation, var: VarId) -> Spot {
        match self.machine.program.var(var).scope {
            Scope::Local => Spot::Local(thread, depth, var),
            Scope::Thread => Spot::Thread(thread, var),
            Scope::Global => Spot::Global(var),
        }
    }

    fn set(&mut self, at: Activation, var: VarId, is_tainted: bool) {
        self.mark(self.spot(at, var), is_tainted);
    }

    fn mark(&mut self, spot: Spot, is_tainted: bool) {
        if is_tainted {
            self.spots.insert(spot);
        } else {
            self.spots.remove(&spot);
        }
    }

    pub(super) fn is_term_tainted(&self, at: Activation, term: TermId) -> bool {
        let mut is_tainted = false;
        let pool = &self.machine.program.pool;
        pool.for_each_free_var(term, &mut |var| is_tainted |= self.spots.contains(&self.spot(at, var)));
        is_tainted
    }

    pub(super) fn is_cell_tainted(&self, cell: Cell) -> bool {
        spots_of(cell).iter().any(|spot| self.spots.contains(spot))
    }

    fn set_cell(&mut self, cell: Cell, is_tainted: bool) {
        for spot in spots_of(cell) {
            self.mark(spot, is_tainted);
        }
    }
}

/// What an access names; nothing if it failed.
fn accessed(events: &[&Event]) -> Option<Cell> {
    events.iter().find_map(|event| match event.what {
        What::Read { cell, .. } | What::Write { cell, .. } | What::Update { cell, .. } => Some(cell),
        _ => None,
    })
}

fn spots_of(cell: Cell) -> Vec<Spot> {
    match cell {
        Cell::Var(var) => vec![Spot::Global(var)],
        Cell::Bytes { addr, len } => (addr..addr + len).map(Spot::Byte).collect(),
    }
}
