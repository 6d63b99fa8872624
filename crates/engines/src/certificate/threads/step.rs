//! What can a statement do to a thread of which some values are known? Read from the statements, for the check of graphs of threads.
//!
//! Everything that is known is kept, whether the graphs use it or not: values, and where graphs have facts what a variable is in terms of what was at the node, with the conditions that were passed.

use ir::{
    At, Callee, CheckKind, EdgeId, Known, Op, Place, ProcId, Program, Properties, Property, Scope, ThreadEdge,
    ThreadEvent, ThreadGraphs, ThreadNode,
};
use logic::{Pool, TermId, Value, VarId};
use smt::{Limits, Oracle};
use std::collections::BTreeMap;

/// What is known of the variables of a thread; of all others nothing is.
type Values = BTreeMap<VarId, Known>;

/// What is known between two nodes.
#[derive(Clone, Default)]
pub(super) struct State {
    /// Values, as they are now.
    pub(super) known: Values,
    /// What variables that have no such value are now, if they were changed since the node.
    terms: BTreeMap<VarId, TermId>,
    /// What holds of the variables at the node and of what was read since.
    holds: Vec<TermId>,
}

/// Where a step leads.
#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) event: Option<ThreadEvent>,
    /// What the event writes, in terms of the node, and how much of what holds did so then.
    written: Option<(TermId, usize)>,
    pub(super) at: At,
    pub(super) state: State,
    /// For a step that starts a thread, whose outcome is the state before it: who gets the handle, and the arguments.
    pub(super) starts: Option<(VarId, Vec<TermId>)>,
}

pub(super) struct Reader<'c> {
    program: &'c Program,
    tracked: &'c [VarId],
    properties: Properties,
    pool: Pool,
    oracle: Oracle,
    /// Whether there are facts, so that a solver has to be asked.
    has_facts: bool,
    /// The numbers of the threads, as far as the graphs tell.
    numbers: Vec<Option<u64>>,
}

/// A thread in the middle of an edge.
#[derive(Clone)]
struct Moment {
    proc: ProcId,
    edge: EdgeId,
    at: u32,
    state: State,
}

impl<'c> Reader<'c> {
    pub(super) fn new(graphs: &'c ThreadGraphs, properties: Properties, limits: Limits) -> Reader<'c> {
        let nodes = || graphs.threads.iter().flat_map(|thread| &thread.nodes);
        let mut events = graphs.threads.iter().flat_map(|thread| &thread.edges).filter_map(|edge| edge.event.as_ref());
        let is_described =
            |event: &ThreadEvent| event.writes().is_some_and(|(_, value)| matches!(value, Known::Such(_)));
        let has_facts = nodes().any(|node| !node.facts.is_empty()) || events.any(is_described);
        let (program, tracked) = (&graphs.program, &graphs.tracked);
        let (pool, oracle, numbers) = (program.pool.clone(), Oracle::new(limits), numbers(graphs));
        Reader { program, tracked, properties, pool, oracle, has_facts, numbers }
    }

    /// A term in terms of the node, with the values that are known.
    fn told(&mut self, term: TermId, state: &State) -> TermId {
        let mut vars = Vec::new();
        self.pool.for_each_free_var(term, &mut |var| vars.push(var));
        let mut map: BTreeMap<VarId, TermId> = BTreeMap::new();
        for var in vars {
            match (state.known.get(&var), state.terms.get(&var)) {
                (Some(Known::Exactly(value)), _) => map.insert(var, self.pool.constant(value.clone())),
                (_, Some(term)) => map.insert(var, *term),
                _ => None,
            };
        }
        self.pool.substitute(term, &|var| map.get(&var).copied())
    }

    fn worth(&mut self, term: TermId, state: &State) -> Known {
        if let Some(known) = self.pool.as_var(term).and_then(|var| state.known.get(&var)) {
            return known.clone();
        }
        let term = self.told(term, state);
        match self.pool.as_const(term) {
            Some(value) => Known::Exactly(value.clone()),
            None => Known::Anything,
        }
    }

    /// Whether a claim in terms of the node follows from what holds.
    fn follows(&mut self, claim: TermId, state: &State) -> bool {
        if let Some(value) = self.pool.as_const(claim) {
            return value.as_bool();
        }
        let context = self.pool.and_all(&state.holds);
        self.has_facts && self.oracle.implies(&mut self.pool, context, claim).unwrap_or(false)
    }

    fn is_surely(&mut self, term: TermId, holds: bool, state: &State) -> bool {
        let term = if holds { term } else { self.pool.not(term) };
        let claim = self.told(term, state);
        self.follows(claim, state)
    }

    /// Goes on where a condition holds, or does not.
    fn pass(&mut self, cond: TermId, holds: bool, state: &mut State) {
        if self.has_facts {
            let cond = if holds { cond } else { self.pool.not(cond) };
            let cond = self.told(cond, state);
            state.holds.push(cond);
        }
    }

    /// A variable gets a value, of which this is known; what it is by a term, if there is one.
    fn put(&mut self, state: &mut State, var: VarId, value: Known, term: Option<TermId>) {
        if self.has_facts {
            let term = term.unwrap_or_else(|| {
                let input = self.pool.declare("input", self.pool.var_sort(var));
                self.pool.var(input)
            });
            state.terms.insert(var, term);
        }
        match value {
            Known::Exactly(_) | Known::Thread(_) => state.known.insert(var, value),
            Known::Anything | Known::Such(_) => state.known.remove(&var),
        };
    }

    /// A variable gets what was seen of the value of another one.
    fn receive(&mut self, state: &mut State, var: VarId, of: VarId, value: &Known) {
        self.put(state, var, value.clone(), None);
        if let (Known::Such(formulas), Some(&term)) = (value, state.terms.get(&var)) {
            for formula in formulas {
                let formula = self.pool.substitute(*formula, &|other| (other == of).then_some(term));
                state.holds.push(formula);
            }
        }
    }

    /// Whether a value in terms of the node is what is said of it as the value of a variable.
    fn is_such(&mut self, var: VarId, value: TermId, said: &Known, state: &State) -> bool {
        match said {
            Known::Anything => true,
            Known::Thread(_) => false,
            Known::Exactly(constant) => {
                let constant = self.pool.constant(constant.clone());
                let claim = self.pool.eq(value, constant);
                self.follows(claim, state)
            }
            Known::Such(formulas) => formulas.iter().all(|formula| {
                let claim = self.pool.substitute(*formula, &|other| (other == var).then_some(value));
                self.follows(claim, state)
            }),
        }
    }

    /// Whether an event of a graph is that of an outcome: what it says of the value that it writes is true.
    pub(super) fn is_event_of(&mut self, event: Option<&ThreadEvent>, outcome: &Outcome) -> bool {
        let (Some(event), Some(own)) = (event, &outcome.event) else { return event == outcome.event.as_ref() };
        let is_same_but_value = match (event, own) {
            (ThreadEvent::Write(a, b, _), ThreadEvent::Write(x, y, _)) => (a, b) == (x, y),
            (ThreadEvent::Update(a, b, old, _), ThreadEvent::Update(x, y, other, _)) => (a, b, old) == (x, y, other),
            _ => return event == own,
        };
        if !is_same_but_value || event == own {
            return is_same_but_value;
        }
        match (event.writes(), &outcome.written) {
            // What comes later says nothing about it.
            (Some((var, said)), Some((value, n_holds))) => {
                let then = State { holds: outcome.state.holds[..*n_holds].to_vec(), ..State::default() };
                self.is_such(var, *value, said, &then)
            }
            _ => false,
        }
    }

    /// Whether a node contains an outcome: it claims no more than is known.
    pub(super) fn contains(&mut self, node: &ThreadNode, outcome: &Outcome) -> bool {
        node.at == outcome.at
            && node.known.iter().all(|(var, known)| outcome.state.known.get(var) == Some(known))
            && node.facts.iter().all(|fact| self.is_surely(*fact, true, &outcome.state))
    }

    /// How a thread begins.
    fn begin(&mut self, proc: ProcId, thread: u32) -> State {
        let program = self.program;
        let mut state = State::default();
        for (index, variable) in program.vars.iter().enumerate() {
            let var = VarId(index as u32);
            if let (Scope::Thread, Some(value)) = (variable.scope, &variable.init)
                && var != program.self_var
            {
                state.known.insert(var, Known::Exactly(value.clone()));
            }
        }
        if let Some(number) = self.numbers[thread as usize] {
            let handle = Value::bv(program.data_model.word_bits(), number + 1);
            state.known.insert(program.self_var, Known::Exactly(handle));
        }
        for var in &program.proc(proc).locals {
            state.known.insert(*var, Known::Exactly(Value::zero(program.pool.var_sort(*var))));
        }
        state
    }

    /// How the first thread begins.
    pub(super) fn first(&mut self, proc: ProcId) -> Outcome {
        let at = At::Loc(self.program.proc(proc).entry);
        Outcome { event: None, written: None, at, state: self.begin(proc, 0), starts: None }
    }

    /// How a thread begins that is started in a state with these arguments.
    pub(super) fn started(&mut self, (new, proc): (u32, ProcId), args: &[TermId], by: &State) -> Outcome {
        let body = self.program.proc(proc);
        let mut state = self.begin(proc, new);
        // What holds is told in terms of the starter's node, which names nothing of the new thread: its parameters are given as terms.
        let taken: Vec<(VarId, Known, Option<TermId>)> = body
            .params
            .iter()
            .enumerate()
            .map(|(index, var)| match args.get(index) {
                Some(arg) => (*var, self.worth(*arg, by), Some(self.told(*arg, by))),
                None => (*var, Known::Anything, None),
            })
            .collect();
        state.holds.clone_from(&by.holds);
        for (var, known, term) in taken {
            self.put(&mut state, var, known, term);
        }
        Outcome { event: Some(ThreadEvent::Begins), written: None, at: At::Loc(body.entry), state, starts: None }
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

    /// What is known at a node.
    fn state(&mut self, node: &ThreadNode) -> State {
        let mut state = State { known: node.known.iter().cloned().collect(), ..State::default() };
        state.holds = node.facts.iter().map(|fact| self.told(*fact, &state)).collect();
        state
    }

    /// All that a thread can do next, if that is no read of a tracked variable.
    pub(super) fn outcomes(&mut self, proc: ProcId, node: &ThreadNode) -> Result<Vec<Outcome>, String> {
        let state = self.state(node);
        let mut found = Vec::new();
        match node.at {
            At::Loc(loc) => {
                for (index, edge) in self.program.proc(proc).edges.iter().enumerate() {
                    if edge.from == loc {
                        let moment = Moment { proc, edge: EdgeId(index as u32), at: 0, state: state.clone() };
                        self.quietly(moment, (None, None), &mut found)?;
                    }
                }
            }
            At::Inside(edge, at) => self.loudly(Moment { proc, edge, at, state }, &mut found)?,
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
    /// A thread that gets no further has still done what the event says.
    fn quietly(
        &mut self,
        mut moment: Moment,
        (event, written): (Option<ThreadEvent>, Option<(TermId, usize)>),
        found: &mut Vec<Outcome>,
    ) -> Result<(), String> {
        let outcome = |at: At, state: State| Outcome { event: event.clone(), written, at, state, starts: None };
        while let Some(op) = self.op(moment.proc, moment.edge, moment.at) {
            let is_seen = match op {
                Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => self.sees(place)?,
                Op::Fence(_) | Op::Start { .. } | Op::Join { .. } | Op::Return(_) | Op::ExitThread(_) => true,
                _ => false,
            };
            if is_seen {
                found.push(outcome(At::Inside(moment.edge, moment.at), moment.state));
                return Ok(());
            }
            match op {
                Op::Assign { var, value } => {
                    let (known, term) = (self.worth(*value, &moment.state), self.told(*value, &moment.state));
                    self.put(&mut moment.state, *var, known, Some(term));
                }
                Op::Havoc { var, .. } | Op::Load { dst: var, .. } | Op::Rmw { dst: var, .. } => {
                    self.put(&mut moment.state, *var, Known::Anything, None);
                }
                Op::Assume(cond) => {
                    if self.is_surely(*cond, false, &moment.state) {
                        found.extend(event.is_some().then(|| outcome(At::Ended, moment.state)));
                        return Ok(());
                    }
                    self.pass(*cond, true, &mut moment.state);
                }
                Op::Check { cond, kind } => {
                    if !self.is_surely(*cond, true, &moment.state) && self.is_wrong(kind) {
                        found.push(outcome(At::Bad(moment.edge, moment.at), moment.state.clone()));
                    }
                    let wraps = *kind == CheckKind::Overflow && !self.properties.has(Property::Overflow);
                    if !wraps {
                        if self.is_surely(*cond, false, &moment.state) {
                            found.extend(event.is_some().then(|| outcome(At::Ended, moment.state)));
                            return Ok(());
                        }
                        self.pass(*cond, true, &mut moment.state);
                    }
                }
                Op::ExitProcess { .. } => {
                    found.push(outcome(At::Ended, moment.state));
                    return Ok(());
                }
                Op::Store { .. } | Op::Mark(..) => {}
                other => return Err(format!("a statement that has no place in such a proof: {other:?}")),
            }
            moment.at += 1;
        }
        let to = self.program.proc(moment.proc).edges[moment.edge.index()].to;
        found.push(outcome(At::Loc(to), moment.state));
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
        let mut written = None;
        let event = match op {
            Op::Store { place: Place::Var(var), value, order } => {
                written = Some((self.told(*value, &moment.state), moment.state.holds.len()));
                Some(ThreadEvent::Write(*var, *order, self.worth(*value, &moment.state)))
            }
            Op::Fence(order) => Some(ThreadEvent::Fence(*order)),
            Op::Join { thread, result } => {
                let event = match self.worth(*thread, &moment.state) {
                    Known::Thread(other) => Some(ThreadEvent::Joins(other)),
                    _ => None,
                };
                if let Some(var) = result {
                    self.put(&mut moment.state, *var, Known::Anything, None);
                }
                event
            }
            Op::Start { dst, args, .. } => {
                let at = At::Inside(moment.edge, moment.at);
                // Where it goes on is known when the new thread has a name.
                let starts = Some((*dst, args.clone()));
                found.push(Outcome { event: None, written, at, state: moment.state, starts });
                return Ok(());
            }
            Op::Return(_) | Op::ExitThread(_) => {
                let event = Some(ThreadEvent::Ends);
                found.push(Outcome { event, written, at: At::Ended, state: State::default(), starts: None });
                return Ok(());
            }
            other => return Err(format!("a statement that is no event: {other:?}")),
        };
        moment.at += 1;
        self.quietly(moment, (event, written), found)
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
        let mut moment = Moment { proc, edge, at: at + 1, state: before.state };
        self.put(&mut moment.state, dst, Known::Thread(new), None);
        let mut found = Vec::new();
        self.quietly(moment, (before.event, None), &mut found)?;
        Ok(found)
    }

    /// All that a read of a tracked variable leads to, if it finds this value.
    pub(super) fn after(&mut self, proc: ProcId, node: &ThreadNode, value: &Known) -> Result<Vec<Outcome>, String> {
        let At::Inside(edge, at) = node.at else { return Err("a read between statements".to_string()) };
        let mut moment = Moment { proc, edge, at: at + 1, state: self.state(node) };
        let mut found = Vec::new();
        match self.op(proc, edge, at) {
            Some(Op::Load { dst, place: Place::Var(var), order }) => {
                self.receive(&mut moment.state, *dst, *var, value);
                let event = ThreadEvent::Read(*var, *order, value.clone());
                self.quietly(moment, (Some(event), None), &mut found)?;
            }
            Some(Op::Rmw { dst, place: Place::Var(var), wait, new, order, failure, .. }) => {
                self.receive(&mut moment.state, *dst, *var, value);
                if let Some(wait) = wait {
                    if self.is_surely(*wait, false, &moment.state) {
                        return Ok(found);
                    }
                    self.pass(*wait, true, &mut moment.state);
                }
                let may_fail = failure.filter(|failure| !self.is_surely(failure.when, false, &moment.state));
                let must_fail = failure.is_some_and(|failure| self.is_surely(failure.when, true, &moment.state));
                if !must_fail {
                    let mut moment = moment.clone();
                    if let Some(failure) = failure {
                        self.pass(failure.when, false, &mut moment.state);
                    }
                    let written = Some((self.told(*new, &moment.state), moment.state.holds.len()));
                    let new = self.worth(*new, &moment.state);
                    let event = ThreadEvent::Update(*var, *order, value.clone(), new);
                    self.quietly(moment, (Some(event), written), &mut found)?;
                }
                if let Some(failure) = may_fail {
                    self.pass(failure.when, true, &mut moment.state);
                    let event = ThreadEvent::Read(*var, failure.order, value.clone());
                    self.quietly(moment, (Some(event), None), &mut found)?;
                }
            }
            _ => return Err("no read".to_string()),
        }
        Ok(found)
    }
}

/// The number of each thread, where it is the same in all executions: the first one alone starts others, and each after the same number of them.
fn numbers(graphs: &ThreadGraphs) -> Vec<Option<u64>> {
    let mut numbers = vec![None; graphs.threads.len()];
    let starts = |edge: &ThreadEdge| matches!(edge.event, Some(ThreadEvent::Starts(_)));
    if graphs.threads.is_empty() || graphs.threads[1..].iter().any(|thread| thread.edges.iter().any(starts)) {
        return numbers;
    }
    let main = &graphs.threads[0];
    let mut so_far: BTreeMap<u32, u64> = BTreeMap::from([(0, 0)]);
    let mut todo = vec![0u32];
    let mut found: BTreeMap<u32, u64> = BTreeMap::from([(0, 0)]);
    while let Some(node) = todo.pop() {
        for edge in main.edges.iter().filter(|edge| edge.from == node) {
            let mut count = so_far[&node];
            if let Some(ThreadEvent::Starts(new)) = edge.event {
                count += 1;
                if found.insert(new, count).is_some_and(|other| other != count) {
                    return numbers;
                }
            }
            // How many there are at the end is nobody's number.
            if matches!(main.nodes[edge.to as usize].at, At::Ended | At::Bad(..)) {
                continue;
            }
            match so_far.insert(edge.to, count) {
                Some(other) if other != count => return numbers,
                Some(_) => {}
                None => todo.push(edge.to),
            }
        }
    }
    for (thread, count) in found {
        if let Some(number) = numbers.get_mut(thread as usize) {
            *number = Some(count);
        }
    }
    numbers
}
