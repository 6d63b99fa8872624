//! Which values decide nothing? Neither a branch, nor a check, nor an address, nor who waits: they are made zero.
//!
//! A value is needed if a condition, an address, a size or a handle depends on it, directly or through variables, globals and
//! memory. Stores of values that nobody needs store zero instead, or nothing where the store itself cannot matter; arguments
//! and results of threads likewise. The statements that made those values are then dead, inputs above all: a buffer whose
//! contents are only passed along needs no values in it.
//!
//! Invariant: accesses stay, so what they touch, whether they are valid and whether they race stays; only values change that flow
//! nowhere. Memory is told apart by regions, so `split_regions` comes before. Programs with calls are left as they are.

use crate::access::local_written;
use crate::memory::RegionId;
use crate::model::Model;
use crate::pass::analysis::uses::{for_each_term, for_each_var};
use crate::pass::memory::regions::place_of;
use crate::program::Program;
use crate::property::{Properties, Property};
use crate::stmt::{Callee, Op, Place};
use fixedbitset::FixedBitSet;
use logic::{Pool, TermId, Value, VarId};

/// The program with values that decide nothing made zero.
pub fn slice(mut program: Program, properties: Properties) -> Program {
    let has_calls =
        statements(&program).any(|op| matches!(op, Op::Call { .. } | Op::Start { callee: Callee::Pointer(_), .. }));
    // What is reachable from globals at the end depends on every pointer that is stored anywhere.
    if has_calls || properties.has(Property::MemTrack) || minds_values(&program) {
        return program;
    }
    let needed = Flow::new(&program).needed();
    let params: Vec<Vec<VarId>> = program.procs.iter().map(|proc| proc.params.clone()).collect();
    let can_drop = !properties.has(Property::Race);
    let (vars, regions) = (program.vars.len(), program.regions.len());
    let is_needed = |place: &Place| needed.contains(node_of(vars, place));
    let pool = &mut program.pool;
    for edge in program.procs.iter_mut().flat_map(|proc| &mut proc.edges) {
        edge.stmts.retain_mut(|stmt| {
            match &mut stmt.op {
                Op::Store { place, value, .. } if !is_needed(place) => {
                    if can_drop && matches!(place, Place::Var(_)) {
                        return false;
                    }
                    *value = zero(pool, *value);
                }
                // Nothing may have been written to it any more, and then what is read would be an input.
                Op::Load { place: place @ Place::Var(_), .. } if can_drop && !is_needed(place) => return false,
                Op::Rmw { dst, place, wait: None, new, .. } if !is_needed(place) => {
                    if can_drop && matches!(place, Place::Var(_)) && !needed.contains(dst.index()) {
                        return false;
                    }
                    *new = zero(pool, *new);
                }
                Op::Start { callee: Callee::Proc(proc), args, .. } => {
                    for (param, arg) in params[proc.index()].iter().zip(args) {
                        if !needed.contains(param.index()) {
                            *arg = zero(pool, *arg);
                        }
                    }
                }
                Op::Return(Some(value)) | Op::ExitThread(value) if !needed.contains(vars + regions) => {
                    *value = zero(pool, *value);
                }
                _ => {}
            }
            true
        });
    }
    program
}

fn statements(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}

/// Whether what is written matters even if it decides nothing: to axioms with dependencies a value is what it was computed from, and a graph in which a read comes before what it reads
/// names the value. RC11 has neither.
fn minds_values(program: &Program) -> bool {
    program.model == Model::Cat && program.axioms.as_ref().is_none_or(|axioms| axioms.name != "rc11")
}

fn zero(pool: &mut Pool, term: TermId) -> TermId {
    let sort = pool.sort(term);
    pool.constant(Value::zero(sort))
}

/// Variables come first, then regions, then what threads return.
fn node_of(n_vars: usize, place: &Place) -> usize {
    match place {
        Place::Var(var) => var.index(),
        Place::Mem { region, .. } => n_vars + region.0 as usize,
    }
}

/// What flows where.
struct Flow<'a> {
    program: &'a Program,
    /// From which nodes each node gets its value.
    sources: Vec<Vec<usize>>,
    queue: Vec<usize>,
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program) -> Flow<'a> {
        let n_nodes = program.vars.len() + program.regions.len() + 1;
        let mut flow = Flow { program, sources: vec![Vec::new(); n_nodes], queue: Vec::new() };
        for op in statements(program) {
            flow.add(op);
        }
        // What is anywhere is in every region.
        let anywhere = program.vars.len() + RegionId::ANYWHERE.0 as usize;
        let is_anywhere = |op: &Op| matches!(place_of(op), Some(Place::Mem { region: RegionId::ANYWHERE, .. }));
        if statements(program).any(is_anywhere) {
            for region in 1..program.regions.len() {
                flow.sources[anywhere + region].push(anywhere);
                flow.sources[anywhere].push(anywhere + region);
            }
        }
        flow
    }

    fn add(&mut self, op: &Op) {
        let (n_vars, results) = (self.program.vars.len(), self.sources.len() - 1);
        if let Some(Place::Mem { addr, .. }) = place_of(op) {
            self.need(*addr);
        }
        match op {
            Op::Assign { var, value } => self.flow(*value, var.index()),
            Op::Load { dst, place, .. } => self.sources[dst.index()].push(node_of(n_vars, place)),
            Op::Store { place, value, .. } => self.flow(*value, node_of(n_vars, place)),
            Op::Rmw { dst, place, wait, owner, new, failure, .. } => {
                if let Some(failure) = failure {
                    self.need(failure.when);
                }
                self.sources[dst.index()].push(node_of(n_vars, place));
                self.flow(*new, node_of(n_vars, place));
                for term in wait.iter().chain(owner) {
                    self.need(*term);
                }
            }
            Op::Start { callee: Callee::Proc(proc), args, .. } => {
                let program = self.program;
                for (param, arg) in program.proc(*proc).params.iter().zip(args) {
                    self.flow(*arg, param.index());
                }
            }
            Op::Join { thread, result } => {
                self.need(*thread);
                if let Some(result) = result {
                    self.sources[result.index()].push(results);
                }
            }
            Op::Return(Some(value)) | Op::ExitThread(value) => self.flow(*value, results),
            op => {
                debug_assert!(local_written(op).is_none() || matches!(op, Op::Havoc { .. } | Op::Alloc { .. }));
                for_each_term(op, &mut |term, _| self.need(term));
            }
        }
    }

    fn need(&mut self, term: TermId) {
        for_each_var(&self.program.pool, term, &mut |var| self.queue.push(var.index()));
    }

    fn flow(&mut self, term: TermId, to: usize) {
        for_each_var(&self.program.pool, term, &mut |var| self.sources[to].push(var.index()));
    }

    /// The nodes whose values decide something.
    fn needed(mut self) -> FixedBitSet {
        let mut needed = FixedBitSet::with_capacity(self.sources.len());
        while let Some(node) = self.queue.pop() {
            if !needed.put(node) {
                self.queue.extend_from_slice(&self.sources[node]);
            }
        }
        needed
    }
}
