//! What can a statement do to a thread of which some values are known? Read from the statements, for the check of graphs of threads.
//!
//! Everything that is known is kept, whether the graphs use it or not.

use ir::{
    At, Callee, CheckKind, EdgeId, Known, Op, Place, ProcId, Program, Properties, Property, Scope, ThreadEvent,
    ThreadNode,
};
use logic::{Pool, TermId, Value, VarId};
use std::collections::BTreeMap;

/// What is known of the variables of a thread; of all others nothing is.
type Values = BTreeMap<VarId, Known>;

/// Where a step leads.
pub(super) struct Outcome {
    pub(super) event: Option<ThreadEvent>,
    pub(super) at: At,
    pub(super) known: Values,
    /// For a step that starts a thread, whose outcome is the state before it: who gets the handle, and the arguments.
    pub(super) starts: Option<(VarId, Vec<Known>)>,
}

pub(super) struct Reader<'c> {
    program: &'c Program,
    tracked: &'c [VarId],
    properties: Properties,
    pool: Pool,
}

/// A thread in the middle of an edge.
#[derive(Clone)]
struct Moment {
    proc: ProcId,
    edge: EdgeId,
    at: u32,
    known: Values,
}

impl<'c> Reader<'c> {
    pub(super) fn new(program: &'c Program, tracked: &'c [VarId], properties: Properties) -> Reader<'c> {
        Reader { program, tracked, properties, pool: program.pool.clone() }
    }

    fn worth(&mut self, term: TermId, known: &Values) -> Known {
        match self.pool.as_var(term) {
            Some(var) => known.get(&var).cloned().unwrap_or(Known::Anything),
            None => {
                let mut vars = Vec::new();
                self.pool.for_each_free_var(term, &mut |var| vars.push(var));
                let mut exact = BTreeMap::new();
                for var in vars {
                    match known.get(&var) {
                        Some(Known::Exactly(value)) => exact.insert(var, value.clone()),
                        _ => return self.simplified(term, known),
                    };
                }
                Known::Exactly(self.pool.evaluate(term, &|var| exact[&var].clone()))
            }
        }
    }

    /// The value of a term with variables that are not known, where it does not depend on them.
    fn simplified(&mut self, term: TermId, known: &Values) -> Known {
        let mut exact: BTreeMap<VarId, TermId> = BTreeMap::new();
        for (var, value) in known {
            if let Known::Exactly(value) = value {
                exact.insert(*var, self.pool.constant(value.clone()));
            }
        }
        let term = self.pool.substitute(term, &|var| exact.get(&var).copied());
        match self.pool.as_const(term) {
            Some(value) => Known::Exactly(value.clone()),
            None => Known::Anything,
        }
    }

    fn is_surely(&mut self, term: TermId, holds: bool, known: &Values) -> bool {
        self.worth(term, known) == Known::Exactly(Value::Bool(holds))
    }

    /// How a thread begins.
    pub(super) fn first(&mut self, proc: ProcId, args: &[Known]) -> Outcome {
        let body = self.program.proc(proc);
        let mut known = Values::new();
        for (index, variable) in self.program.vars.iter().enumerate() {
            let var = VarId(index as u32);
            if let (Scope::Thread, Some(value)) = (variable.scope, &variable.init)
                && var != self.program.self_var
            {
                known.insert(var, Known::Exactly(value.clone()));
            }
        }
        for var in &body.locals {
            known.insert(*var, Known::Exactly(Value::zero(self.program.pool.var_sort(*var))));
        }
        for (index, var) in body.params.iter().enumerate() {
            put(&mut known, *var, args.get(index).cloned().unwrap_or(Known::Anything));
        }
        Outcome { event: None, at: At::Loc(body.entry), known, starts: None }
    }

    fn op(&self, proc: ProcId, edge: EdgeId, at: u32) -> Option<&'c Op> {
        self.program.proc(proc).edges.get(edge.index())?.stmts.get(at as usize).map(|stmt| &stmt.op)
    }

    /// The procedure that a statement starts a thread with.
    pub(super) fn callee(&self, proc: ProcId, edge: EdgeId, at: u32) -> Option<ProcId> {
        match self.op(proc, edge, at)? {
            Op::Start { callee: Callee::Proc(new), .. } => Some(*new),
            _ => None,
        }
    }

    /// The tracked variable that a thread is about to read.
    pub(super) fn reads(&self, proc: ProcId, at: At) -> Option<VarId> {
        let At::Inside(edge, at) = at else { return None };
        match self.op(proc, edge, at)? {
            Op::Load { place: Place::Var(var), .. } | Op::Rmw { place: Place::Var(var), .. } => {
                self.tracked.contains(var).then_some(*var)
            }
            _ => None,
        }
    }

    /// All that a thread can do next, if that is no read of a tracked variable.
    pub(super) fn outcomes(&mut self, proc: ProcId, node: &ThreadNode) -> Result<Vec<Outcome>, String> {
        let known: Values = node.known.iter().cloned().collect();
        let mut found = Vec::new();
        match node.at {
            At::Loc(loc) => {
                for (index, edge) in self.program.proc(proc).edges.iter().enumerate() {
                    if edge.from == loc {
                        let moment = Moment { proc, edge: EdgeId(index as u32), at: 0, known: known.clone() };
                        self.quietly(moment, None, &mut found)?;
                    }
                }
            }
            At::Inside(edge, at) => self.loudly(Moment { proc, edge, at, known }, &mut found)?,
            _ => {}
        }
        Ok(found)
    }

    fn sees(&self, place: &Place) -> Result<bool, String> {
        match place {
            Place::Var(var) => Ok(self.tracked.contains(var)),
            Place::Mem { .. } => Err("an access of memory by its address".to_string()),
        }
    }

    /// Runs statements that others do not see, up to the first that they do or the end of the edge.
    fn quietly(
        &mut self,
        mut moment: Moment,
        event: Option<ThreadEvent>,
        found: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        let outcome = |at: At, known: Values| Outcome { event: event.clone(), at, known, starts: None };
        while let Some(op) = self.op(moment.proc, moment.edge, moment.at) {
            let is_seen = match op {
                Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => self.sees(place)?,
                Op::Fence(_) | Op::Start { .. } | Op::Join { .. } | Op::Return(_) | Op::ExitThread(_) => true,
                _ => false,
            };
            if is_seen {
                found.push(outcome(At::Inside(moment.edge, moment.at), moment.known));
                return Ok(());
            }
            match op {
                Op::Assign { var, value } => {
                    let value = self.worth(*value, &moment.known);
                    put(&mut moment.known, *var, value);
                }
                Op::Havoc { var, .. } | Op::Load { dst: var, .. } | Op::Rmw { dst: var, .. } => {
                    moment.known.remove(var);
                }
                Op::Assume(cond) => {
                    if self.is_surely(*cond, false, &moment.known) {
                        return Ok(());
                    }
                }
                Op::Check { cond, kind } => {
                    if !self.is_surely(*cond, true, &moment.known) && self.is_wrong(kind) {
                        found.push(outcome(At::Bad(moment.edge, moment.at), Values::new()));
                    }
                    let wraps = *kind == CheckKind::Overflow && !self.properties.has(Property::Overflow);
                    if !wraps && self.is_surely(*cond, false, &moment.known) {
                        return Ok(());
                    }
                }
                Op::ExitProcess { .. } => {
                    found.push(outcome(At::Ended, Values::new()));
                    return Ok(());
                }
                Op::Store { .. } | Op::Mark(..) => {}
                other => return Err(format!("a statement that has no place in such a proof: {other:?}")),
            }
            moment.at += 1;
        }
        let to = self.program.proc(moment.proc).edges[moment.edge.index()].to;
        found.push(outcome(At::Loc(to), moment.known));
        Ok(())
    }

    fn is_wrong(&self, kind: &CheckKind) -> bool {
        match Property::of_check(kind) {
            // Nobody can tell what comes after undefined behaviour, asked for or not.
            Some(property) => property.is_undefined() || self.properties.has(property),
            None => true,
        }
    }

    /// Runs a statement that others see, and what follows.
    fn loudly(&mut self, mut moment: Moment, found: &mut Vec<Outcome>) -> Result<(), String> {
        let Some(op) = self.op(moment.proc, moment.edge, moment.at) else { return Err("no statement".to_string()) };
        let event = match op {
            Op::Store { place: Place::Var(var), value, order } => {
                Some(ThreadEvent::Write(*var, *order, self.worth(*value, &moment.known)))
            }
            Op::Fence(order) => Some(ThreadEvent::Fence(*order)),
            Op::Join { thread, result } => {
                let event = match self.worth(*thread, &moment.known) {
                    Known::Thread(other) => Some(ThreadEvent::Joins(other)),
                    _ => None,
                };
                result.iter().for_each(|var| {
                    moment.known.remove(var);
                });
                event
            }
            Op::Start { dst, args, .. } => {
                let args = args.iter().map(|arg| self.worth(*arg, &moment.known)).collect();
                let at = At::Inside(moment.edge, moment.at);
                // Where it goes on is known when the new thread has a name.
                let starts = Some((*dst, args));
                found.push(Outcome { event: None, at, known: moment.known, starts });
                return Ok(());
            }
            Op::Return(_) | Op::ExitThread(_) => {
                let event = Some(ThreadEvent::Ends);
                found.push(Outcome { event, at: At::Ended, known: Values::new(), starts: None });
                return Ok(());
            }
            other => return Err(format!("a statement that is no event: {other:?}")),
        };
        moment.at += 1;
        self.quietly(moment, event, found)
    }

    /// Where a thread goes on that has started another one.
    pub(super) fn with_handle(
        &mut self,
        proc: ProcId,
        before: Outcome,
        dst: VarId,
        new: u32,
    ) -> Result<Vec<Outcome>, String> {
        let At::Inside(edge, at) = before.at else { return Err("a start between statements".to_string()) };
        let mut moment = Moment { proc, edge, at: at + 1, known: before.known };
        put(&mut moment.known, dst, Known::Thread(new));
        let mut found = Vec::new();
        self.quietly(moment, before.event, &mut found)?;
        Ok(found)
    }

    /// All that a read of a tracked variable leads to, if it finds this value.
    pub(super) fn after(&mut self, proc: ProcId, node: &ThreadNode, value: &Known) -> Result<Vec<Outcome>, String> {
        let At::Inside(edge, at) = node.at else { return Err("a read between statements".to_string()) };
        let mut moment = Moment { proc, edge, at: at + 1, known: node.known.iter().cloned().collect() };
        let mut found = Vec::new();
        match self.op(proc, edge, at) {
            Some(Op::Load { dst, place: Place::Var(var), order }) => {
                put(&mut moment.known, *dst, value.clone());
                self.quietly(moment, Some(ThreadEvent::Read(*var, *order, value.clone())), &mut found)?;
            }
            Some(Op::Rmw { dst, place: Place::Var(var), wait, new, order, failure, .. }) => {
                put(&mut moment.known, *dst, value.clone());
                if wait.is_some_and(|wait| self.is_surely(wait, false, &moment.known)) {
                    return Ok(found);
                }
                let may_fail = failure.filter(|failure| !self.is_surely(failure.when, false, &moment.known));
                let must_fail = failure.is_some_and(|failure| self.is_surely(failure.when, true, &moment.known));
                if !must_fail {
                    let new = self.worth(*new, &moment.known);
                    let event = ThreadEvent::Update(*var, *order, value.clone(), new);
                    self.quietly(moment.clone(), Some(event), &mut found)?;
                }
                if let Some(failure) = may_fail {
                    let event = ThreadEvent::Read(*var, failure.order, value.clone());
                    self.quietly(moment, Some(event), &mut found)?;
                }
            }
            _ => return Err("no read".to_string()),
        }
        Ok(found)
    }
}

fn put(known: &mut Values, var: VarId, value: Known) {
    if value == Known::Anything {
        known.remove(&var);
    } else {
        known.insert(var, value);
    }
}
