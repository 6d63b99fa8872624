//! How is one step executed? Its statements one after the other, on terms, as one step that is taken whole or not at all.
//!
//! An assumption makes the step's own guard stronger, and with it the guards of what the step has done already; a requirement (a check that
//! holds, an address that is valid) only that of what follows. What happens inside of an atomic section counts only if the section comes to
//! its end, so it is noted where ways leave it.

use super::executor::Executor;
use super::state::{State, Stop, Variant, Walk};
use crate::bmc::reductions::spin_loops::Did;
use crate::bmc::unrolled::Record;
use ir::{EdgeId, ProcId, Why};
use smallvec::SmallVec;

impl Executor<'_> {
    pub(crate) fn take(
        &mut self,
        thread: u32,
        proc: ProcId,
        (id, variant): (EdgeId, Variant),
        state: &State,
    ) -> Result<Option<(State, u32)>, Why> {
        self.found.n_records += 1;
        if self.found.n_records > self.control.bounds.records {
            return Err(Why::Bound(format!(
                "the unrolled program has more than {} steps",
                self.control.bounds.records
            )));
        }
        let program = self.program;
        let edge = &program.proc(proc).edges[id.index()];
        let yes = self.graph.pool.bool(true);
        let mut state = state.clone();
        state.point = self.graph.points.child(&mut self.graph.pool, state.point, yes);
        let record = Record {
            edge: id,
            guard: yes,
            point: 0,
            node: None,
            commit: None,
            drains: false,
            inputs: SmallVec::new(),
            is_inside: false,
            starts: SmallVec::new(),
        };
        let n_visible = edge.stmts.iter().filter(|stmt| !stmt.accesses().is_empty()).count();
        let mut walk = Walk {
            thread,
            state,
            record,
            reads: Vec::new(),
            writes: Vec::new(),
            is_group: n_visible > 1 && program.model != ir::Model::Cat,
            node: None,
            store: None,
            commit: None,
            is_fence: edge.stmts.iter().any(|stmt| ir::pass::drains(&stmt.op)),
            stmt: 0,
            how: memory::events::How::default(),
            edge: id,
            proc,
            variant,
            did: Did::Nothing,
        };
        let mut result = Ok(());
        for (at, stmt) in edge.stmts.iter().enumerate() {
            walk.stmt = at as u32;
            if program.model == ir::Model::Cat {
                // Every access is one of its own, whatever an edge has.
                let record = self.found.next_record(thread);
                walk.how = memory::events::How { record, site: stmt.site, span: stmt.span, ..Default::default() };
                walk.node = None;
            }
            result = self.stmt(&mut walk, stmt);
            if result.is_err() {
                break;
            }
        }
        if walk.is_group && walk.state.depth == 0 && result.is_ok() {
            self.graph.leave_section(&mut walk);
        }
        walk.state.note(walk.did);
        walk.record.guard = self.graph.points.guard(walk.state.point);
        walk.record.point = walk.state.point;
        walk.record.is_inside = walk.state.depth > 0;
        let index = self.found.next_record(thread);
        self.found.threads[thread as usize].records.push(walk.record);
        match result {
            Ok(()) => Ok(Some((walk.state, index))),
            Err(Stop::End) => Ok(None),
            Err(Stop::Why(why)) => Err(why),
        }
    }
}
