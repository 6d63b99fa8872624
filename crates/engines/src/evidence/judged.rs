//! Is an execution graph true? Its threads were run alone (`ir::run_graph`); here the graph of what they did is built, and the axioms are evaluated on it.
//!
//! This knows nothing of formulas. What each step read and wrote comes from the interpreter; of the trace it takes who reads from whom and the order of writes, and
//! checks both: a read has the value of the write that it reads, in the same cell, and every write of a cell has its place. Then the model has its say, exactly
//! (`memory::graph::judge`). What sequential consistency would say is told besides.
//!
//! Cells that one thread alone accesses, and that the graph does not name, are that thread's business: it ran on real memory there. What `main` did before
//! the first thread was there is what memory holds at first.

use super::axioms::{Axioms, is_race};
use super::dependencies::{Found, dependencies};
use super::picture::{picture, tell};
use ir::interp::{Cell, Details, Event, Violation, What};
use ir::{EventName, GraphRun, Kernel, Order, Property, ReplayError, Replayed, Span, Task, Trace, Why, run_graph};
use logic::Value;
use memory::graph::judge::{Execution, Judgement, Violated, judge};
use memory::graph::mapping::{Access, Mapping, Tags};
use memory::graph::{Event as Node, Kind, Shape};
use memory::relation::Relation;
use std::collections::{BTreeMap, BTreeSet};

/// Runs and judges an execution graph; otherwise what is wrong with it, or that something in it is undefined, after which nobody can tell.
pub(crate) fn confirm(task: &Task, trace: &Trace) -> Result<Replayed, Why> {
    let run = run_graph(task, trace).map_err(|error| match error {
        ReplayError::Beyond { why: why @ (Why::Undefined { .. } | Why::Unsupported { .. }), .. } => why,
        error => Why::NotReplayed(error.to_string()),
    })?;
    judged(task, trace, run).map_err(|error| match error.as_str() {
        // Who found it looked at parts of the memory only.
        SEVERAL_SIZES => Why::Unsupported { span: Span::NOWHERE, what: format!("{SEVERAL_SIZES}, under axioms") },
        _ => Why::NotReplayed(error),
    })
}

/// Models are about cells; what is accessed as one here and as several there is none.
const SEVERAL_SIZES: &str = "memory that is accessed in several sizes";

fn judged(task: &Task, trace: &Trace, run: GraphRun<'_>) -> Result<Replayed, String> {
    let axioms = Axioms::of(&task.program).map_err(|why| format!("{why:?}"))?;
    let graph = build(task, &run, trace, axioms.mapping)?;
    let judgement = judge(&axioms.model, &graph.execution)?;
    if let Some(violated) = judgement.forbidden.first() {
        return Err(format!(
            "the axiom {} forbids the execution: {}",
            violated.name,
            graph.cycle(task, &run, violated)
        ));
    }
    let race = race(task, &run, trace, &graph, &judgement)?.or(waiting(task, &run, &graph)?);
    let name = task.program.axioms.as_ref().map_or("", |axioms| &axioms.name);
    let forbidden = if axioms.has_messages { None } else { by_sequential_consistency(&graph)? };
    let told = match axioms.has_messages {
        true => graph.tell_messages(task, &run, name),
        false => tell(task, &run, &graph, name, forbidden.as_ref()),
    };
    let picture = picture(&run, &graph, forbidden.as_ref());
    let source_of = |step: usize| graph.read_at(step).map(|read| graph.source_step(read));
    run.allowed(race, (told, picture), &source_of).map_err(|error| error.to_string())
}

/// The race that the model flags, if that is what the trace is about.
fn race(
    task: &Task,
    run: &GraphRun<'_>,
    trace: &Trace,
    graph: &Graph,
    judgement: &Judgement,
) -> Result<Option<Violation>, String> {
    if trace.violation != Property::Race {
        return Ok(None);
    }
    let Some(flag) = judgement.flags.iter().find(|flag| is_race(&flag.name)) else {
        return Err("the model flags no race".to_string());
    };
    let [first, second] = flag.events[..] else { return Err("a race of other than two events".to_string()) };
    let (thread, span) = (graph.threads[second].unwrap_or(0), graph.span(run, second));
    let describe = |event: usize| graph.describe(task, run, event);
    let message = format!("data race: {}, {}", describe(first), describe(second));
    Ok(Some(Violation { property: Property::Race, thread, span, message, details: Details::None }))
}

/// That threads wait for ever, if the trace is about that: nothing that their last rounds have read is overwritten.
fn waiting(task: &Task, run: &GraphRun<'_>, graph: &Graph) -> Result<Option<Violation>, String> {
    let Some(first) = run.waiting().first() else { return Ok(None) };
    for spin in run.waiting() {
        let is_own = |event: &usize| graph.names[*event].is_some_and(|(step, _)| spin.steps.contains(&step));
        for read in (0..graph.names.len()).filter(is_own) {
            if graph.execution.shape.events[read].kind != Kind::Read {
                return Err("a thread that waits writes".to_string());
            }
            let source = (0..graph.names.len()).find(|&write| graph.execution.rf.contains(write, read));
            let source = source.ok_or("a read of nothing")?;
            if graph.execution.co.successors(source).next().is_some() {
                return Err("a thread that waits has not seen every write".to_string());
            }
        }
    }
    let place = |steps: &[usize]| {
        let of = |step: &usize| run.step_span(*step);
        steps.iter().map(of).find(|span| span.is_known()).unwrap_or(Span::NOWHERE)
    };
    let told: Vec<String> = run
        .waiting()
        .iter()
        .map(|spin| format!("thread {} ({})", spin.thread, task.program.sources.place(place(&spin.steps))))
        .collect();
    let verb = if told.len() == 1 { "waits" } else { "wait" };
    let message = format!("{} {verb} for ever: every write was seen, and no more will come", told.join(", "));
    let (thread, span) = (first.thread, place(&first.steps));
    Ok(Some(Violation { property: Property::Liveness, thread, span, message, details: Details::None }))
}

/// The axiom of sequential consistency that forbids an execution, if one does.
fn by_sequential_consistency(graph: &Graph) -> Result<Option<Violated>, String> {
    let sc = memory::cat::load("sc", &|_| None, &BTreeSet::new()).map_err(|problem| problem.0.message.clone())?;
    Ok(judge(&sc, &graph.execution)?.forbidden.into_iter().next())
}

/// The graph of what happened.
pub(super) struct Graph {
    pub(super) execution: Execution,
    pub(super) threads: Vec<Option<u32>>,
    /// The step and the statement of each event that has one.
    names: Vec<Option<EventName>>,
    pub(super) cells: Vec<Option<Cell>>,
    pub(super) values: Vec<Option<Value>>,
}

impl Graph {
    /// The read of a step, if it has exactly one.
    fn read_at(&self, step: usize) -> Option<usize> {
        let is_it = |event: &usize| {
            self.execution.shape.events[*event].kind == Kind::Read
                && self.names[*event].is_some_and(|(own, _)| own == step)
        };
        let mut reads = (0..self.names.len()).filter(is_it);
        reads.next().filter(|_| reads.next().is_none())
    }

    fn source_step(&self, read: usize) -> Option<usize> {
        let n = self.names.len();
        let source = (0..n).find(|&write| self.execution.rf.contains(write, read))?;
        self.names[source].map(|(step, _)| step)
    }

    pub(super) fn span(&self, run: &GraphRun<'_>, event: usize) -> Span {
        self.names[event].map_or(Span::NOWHERE, |name| run.user_span(name))
    }

    /// An event in words.
    fn describe(&self, task: &Task, run: &GraphRun<'_>, event: usize) -> String {
        let kind = self.execution.shape.events[event].kind;
        let place = self.cells[event].map(|cell| run.name(cell).trim_end_matches(ir::message::FIELD).to_string());
        let value = self.values[event].as_ref().map_or_else(String::new, |value| format!(" = {}", shown(value)));
        let is_message = self.execution.shape.events[event].message.is_some();
        let is_nothing = self.values[event].as_ref().is_some_and(is_none);
        let what = match (kind, place) {
            (Kind::Read, Some(place)) if is_message && is_nothing => format!("receives nothing on {place}"),
            (Kind::Read, Some(place)) if is_message => format!("receives {place}{value}"),
            (Kind::Write, Some(place)) if is_message => format!("sends {place}{value}"),
            (Kind::Read, Some(place)) => format!("reads {place}{value}"),
            (Kind::Write, Some(place)) => format!("writes {place}{value}"),
            (Kind::Fence, _) => "fence".to_string(),
            (Kind::Read, None) => "sees a thread begin or end".to_string(),
            (Kind::Write, None) => "begins or ends a thread".to_string(),
        };
        match self.threads[event] {
            Some(thread) => {
                let place = task.program.sources.place(self.span(run, event));
                format!("thread {thread} {what} ({place})")
            }
            None => format!("at first {what}"),
        }
    }

    /// What the network does to the messages of an execution.
    fn tell_messages(&self, task: &Task, run: &GraphRun<'_>, name: &str) -> Vec<String> {
        let mut told = vec![format!("an execution that {name} allows")];
        let n = self.threads.len();
        let messages = (0..n).filter(|event| self.execution.shape.events[*event].message.is_some());
        for event in messages {
            let what = self.describe(task, run, event);
            let n_receives = (0..n).filter(|other| self.execution.rf.contains(event, *other)).count();
            match (self.execution.shape.events[event].kind, n_receives) {
                (Kind::Write, 0) => told.push(format!("{what}: lost, or under way")),
                (Kind::Write, 2..) => told.push(format!("{what}: received {n_receives} times")),
                (Kind::Read, _) if !(0..n).any(|other| self.execution.rf.contains(other, event)) => told.push(what),
                _ => {}
            }
        }
        vec![told.join("; ")]
    }

    /// The events that an axiom objects to, in words.
    pub(super) fn cycle(&self, task: &Task, run: &GraphRun<'_>, violated: &Violated) -> String {
        let parts: Vec<String> = violated.events.iter().map(|event| self.describe(task, run, *event)).collect();
        parts.join(" -> ")
    }
}

/// Whether a receive that gives this has received nothing.
pub(super) fn is_none(value: &Value) -> bool {
    *value == Value::bv(64, ir::message::NONE as u64)
}

pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Bv(bits) => bits.to_u64().map_or_else(|| value.to_string(), |word| word.to_string()),
        other => other.to_string(),
    }
}

struct Builder<'a> {
    mapping: &'a Mapping,
    events: Vec<Node>,
    names: Vec<Option<EventName>>,
    cells: Vec<Option<Cell>>,
    values: Vec<Option<Value>>,
    /// The events of each thread in order.
    rows: BTreeMap<u32, Vec<usize>>,
    rmw: Vec<(usize, usize)>,
    ctrl: Vec<(usize, usize)>,
    /// The fences that stand beside an access, or are one of the program.
    beside: BTreeMap<EventName, Vec<usize>>,
    /// The messages that end threads.
    ends: BTreeMap<u32, usize>,
    /// Threads inside of an atomic section; one in which nothing happens that others see is none.
    sections: BTreeSet<u32>,
    rf: Vec<(usize, usize)>,
}

fn build(task: &Task, run: &GraphRun<'_>, trace: &Trace, mapping: &Mapping) -> Result<Graph, String> {
    let first = run.happened().iter().position(|(_, _, event)| matches!(event.what, What::Started { .. }));
    let later = &run.happened()[first.unwrap_or(run.happened().len())..];
    let shared = shared_cells(later, trace)?;
    let mut builder = Builder {
        mapping,
        events: Vec::new(),
        names: Vec::new(),
        cells: Vec::new(),
        values: Vec::new(),
        rows: BTreeMap::new(),
        rmw: Vec::new(),
        ctrl: Vec::new(),
        beside: BTreeMap::new(),
        ends: BTreeMap::new(),
        sections: BTreeSet::new(),
        rf: Vec::new(),
    };
    let mut initial: BTreeMap<Cell, usize> = BTreeMap::new();
    let topics = topics(run.happened())?;
    // Nothing was sent before the start.
    for cell in shared.difference(&topics) {
        let event = builder.push(None, Kind::Write, &[], Order::Plain);
        (builder.cells[event], builder.values[event]) = (Some(*cell), run.initial(*cell).cloned());
        initial.insert(*cell, event);
    }
    for (thread, step, event) in later {
        builder.event(*thread, *step, event, &shared)?;
    }
    builder.plain_cells();
    builder.sources(trace, &initial)?;
    let co = builder.coherence(trace, &shared, &initial)?;
    let halves = |step, site| {
        let of = |kind| builder.named((step, site), kind);
        (of(Kind::Read), of(Kind::Write))
    };
    let beside = |step, site| builder.beside.get(&(step, site)).cloned().unwrap_or_default();
    let mut found =
        dependencies(&task.program, &trace.steps, run.happened(), &halves, &beside, mapping.uses_exclusives);
    found[2].extend(builder.ctrl.iter().copied());
    Ok(builder.finish(co, found))
}

/// The cells that messages are sent to, and nothing else.
fn topics(happened: &[(u32, usize, Event)]) -> Result<BTreeSet<Cell>, String> {
    let accesses = || {
        happened.iter().filter_map(|(_, _, event)| match event.what {
            What::Read { cell, order, .. } | What::Write { cell, order, .. } | What::Update { cell, order, .. } => {
                Some((cell, order.message().is_some()))
            }
            _ => None,
        })
    };
    let topics: BTreeSet<Cell> = accesses().filter(|(_, is_message)| *is_message).map(|(cell, _)| cell).collect();
    match accesses().any(|(cell, is_message)| !is_message && topics.contains(&cell)) {
        true => Err("a topic that is used for something else than messages".to_string()),
        false => Ok(topics),
    }
}

/// The cells that several threads access, and those that the graph names. They may not overlap.
fn shared_cells(later: &[(u32, usize, Event)], trace: &Trace) -> Result<BTreeSet<Cell>, String> {
    let mut users: BTreeMap<Cell, BTreeSet<u32>> = BTreeMap::new();
    let mut cells: BTreeSet<Cell> = BTreeSet::new();
    let named: BTreeSet<EventName> =
        trace.graph.iter().flat_map(|graph| graph.sources.iter().map(|(read, _)| *read)).collect();
    let mut wanted: BTreeSet<Cell> = BTreeSet::new();
    for (thread, step, event) in later {
        let (What::Read { cell, .. } | What::Write { cell, .. } | What::Update { cell, .. }) = event.what else {
            continue;
        };
        cells.insert(cell);
        let is_message =
            matches!(event.what, What::Write { order, .. } | What::Read { order, .. } if order.message().is_some());
        // An update orders what stands around it under some models, whoever knows the place; so does what acquires or releases. A message is one
        // though nobody receives it.
        let orders = match event.what {
            What::Update { .. } => true,
            What::Write { order, .. } | What::Read { order, .. } => order.acquires() || order.releases(),
            _ => false,
        };
        if is_message || orders {
            wanted.insert(cell);
        }
        for byte in cell.units() {
            users.entry(byte).or_default().insert(*thread);
        }
        if named.contains(&(*step, event.site)) {
            wanted.insert(cell);
        }
    }
    let is_shared = |cell: &Cell| wanted.contains(cell) || cell.units().any(|byte| users[&byte].len() > 1);
    let shared: BTreeSet<Cell> = cells.into_iter().filter(is_shared).collect();
    let mut owner: BTreeMap<Cell, Cell> = BTreeMap::new();
    for cell in &shared {
        for byte in cell.units() {
            if owner.insert(byte, *cell).is_some_and(|other| other != *cell) {
                return Err(SEVERAL_SIZES.to_string());
            }
        }
    }
    Ok(shared)
}

impl Builder<'_> {
    fn push(&mut self, thread: Option<u32>, kind: Kind, tags: Tags, order: Order) -> usize {
        let event = self.events.len();
        let is_plain = order == Order::Plain;
        self.events.push(Node {
            thread,
            kind,
            tags,
            is_update: false,
            failed: None,
            is_plain,
            message: order.message(),
        });
        self.names.push(None);
        self.cells.push(None);
        self.values.push(None);
        if let Some(thread) = thread {
            self.rows.entry(thread).or_default().push(event);
        }
        event
    }

    fn fences(&mut self, thread: u32, tags: Tags) -> Option<usize> {
        let mut first = None;
        for at in 0..tags.len() {
            let fence = self.push(Some(thread), Kind::Fence, &tags[at..=at], Order::Relaxed);
            first.get_or_insert(fence);
        }
        first
    }

    fn access(
        &mut self,
        thread: u32,
        name: EventName,
        access: Access,
        order: Order,
        cell: Cell,
        values: [Option<&Value>; 2],
    ) {
        let compiled = self.mapping.compile(access, order);
        let n_before = self.events.len();
        self.fences(thread, compiled.before);
        let mut halves = Vec::new();
        for (value, kind, tags) in [(values[0], Kind::Read, compiled.read), (values[1], Kind::Write, compiled.write)] {
            let Some(value) = value else { continue };
            let event = self.push(Some(thread), kind, tags, order);
            self.names[event] = Some(name);
            (self.cells[event], self.values[event]) = (Some(cell), Some(value.clone()));
            self.events[event].is_update = access == Access::Update;
            halves.push(event);
        }
        if let [read, write] = halves[..] {
            self.rmw.push((read, write));
        }
        let fence = self.fences(thread, compiled.after);
        if let (true, Some(fence), Some(read)) = (compiled.branches, fence, halves.first()) {
            self.ctrl.push((*read, fence));
        }
        let fences = (n_before..self.events.len()).filter(|event| self.events[*event].kind == Kind::Fence).collect();
        self.beside.insert(name, fences);
    }

    fn message(&mut self, thread: u32, kind: Kind) -> usize {
        let is_write = kind == Kind::Write;
        let (access, order) = if is_write { (Access::Store, Order::Release) } else { (Access::Load, Order::Acquire) };
        let compiled = self.mapping.compile(access, order);
        if is_write {
            self.fences(thread, compiled.before);
        }
        let event = self.push(Some(thread), kind, if is_write { compiled.write } else { compiled.read }, order);
        if !is_write && let Some(fence) = self.fences(thread, compiled.after).filter(|_| compiled.branches) {
            self.ctrl.push((event, fence));
        }
        event
    }

    fn event(&mut self, thread: u32, step: usize, event: &Event, shared: &BTreeSet<Cell>) -> Result<(), String> {
        let name = (step, event.site);
        let n_events = self.events.len();
        match &event.what {
            What::Read { cell, order: order @ Order::Kernel(Kernel::SyncSrcu), .. } if shared.contains(cell) => {
                let compiled = self.mapping.compile(Access::Load, *order);
                let fence = self.push(Some(thread), Kind::Fence, compiled.read, *order);
                self.cells[fence] = Some(*cell);
                self.beside.insert(name, vec![fence]);
            }
            What::Read { cell, value, order, .. } if shared.contains(cell) => {
                self.access(thread, name, Access::Load, *order, *cell, [Some(value), None]);
            }
            What::Write { cell, new, order, .. } if shared.contains(cell) => {
                self.access(thread, name, Access::Store, *order, *cell, [None, Some(new)]);
            }
            What::Update { cell, old, new, order, .. } if shared.contains(cell) => {
                self.access(thread, name, Access::Update, *order, *cell, [Some(old), Some(new)]);
            }
            What::Fence(order) => {
                let compiled = self.mapping.compile(Access::Fence, *order);
                let n_before = self.events.len();
                self.fences(thread, compiled.before);
                self.beside.insert(name, (n_before..self.events.len()).collect());
            }
            What::Started { child, .. } => {
                let write = self.message(thread, Kind::Write);
                let read = self.message(*child, Kind::Read);
                self.rf.push((write, read));
            }
            What::Finished => {
                let write = self.message(thread, Kind::Write);
                self.ends.insert(thread, write);
            }
            What::Joined { child } => {
                let read = self.message(thread, Kind::Read);
                let write = self.ends.get(child).ok_or("a join before the end of its thread")?;
                self.rf.push((*write, read));
            }
            What::AtomicBegin => drop(self.sections.insert(thread)),
            What::AtomicEnd => drop(self.sections.remove(&thread)),
            _ => {}
        }
        let is_seen = self.sections.contains(&thread) && self.events.len() > n_events;
        if is_seen { Err("an atomic section".to_string()) } else { Ok(()) }
    }

    /// An access, and the initial write, is plain by its cell: if no access of it is atomic.
    fn plain_cells(&mut self) {
        let is_atomic = |event: &usize| self.events[*event].thread.is_some() && !self.events[*event].is_plain;
        let atomic: BTreeSet<Cell> =
            (0..self.events.len()).filter(is_atomic).filter_map(|event| self.cells[event]).collect();
        for (event, cell) in self.events.iter_mut().zip(&self.cells) {
            if let Some(cell) = cell {
                event.is_plain = !atomic.contains(cell);
            }
        }
    }

    fn named(&self, name: EventName, kind: Kind) -> Option<usize> {
        (0..self.events.len()).find(|&event| self.names[event] == Some(name) && self.events[event].kind == kind)
    }

    /// Who reads from whom. A read that the graph does not name reads its thread's last write, or what was there at first.
    fn sources(&mut self, trace: &Trace, initial: &BTreeMap<Cell, usize>) -> Result<(), String> {
        let given: BTreeMap<EventName, Option<EventName>> =
            trace.graph.iter().flat_map(|graph| graph.sources.iter().copied()).collect();
        for read in 0..self.events.len() {
            let (Kind::Read, Some(cell), Some(name)) = (self.events[read].kind, self.cells[read], self.names[read])
            else {
                continue;
            };
            if self.events[read].message.is_some() && given.get(&name) == Some(&None) {
                if !self.values[read].as_ref().is_some_and(is_none) {
                    return Err("a receive of something that nobody has sent".to_string());
                }
                continue;
            }
            let write = match given.get(&name) {
                Some(Some(source)) => {
                    self.named(*source, Kind::Write).ok_or("a read of a write that does not happen")?
                }
                Some(None) => *initial.get(&cell).ok_or("a read of a topic")?,
                None => match (self.own_write(read, cell), initial.get(&cell)) {
                    _ if self.events[read].message.is_some() => {
                        return Err("a receive without a word about it".to_string());
                    }
                    (Some(write), _) => write,
                    (None, first) => *first.ok_or("a read of a topic")?,
                },
            };
            if self.cells[write] != Some(cell) {
                return Err("a read of another cell's write".to_string());
            }
            if self.values[write].is_some() && self.values[write] != self.values[read] {
                return Err("a read of another value than was written".to_string());
            }
            self.rf.push((write, read));
        }
        Ok(())
    }

    fn own_write(&self, read: usize, cell: Cell) -> Option<usize> {
        let row = &self.rows[&self.events[read].thread?];
        let before = row.iter().take_while(|event| **event != read);
        before
            .filter(|event| self.events[**event].kind == Kind::Write && self.cells[**event] == Some(cell))
            .last()
            .copied()
    }

    fn coherence(
        &self,
        trace: &Trace,
        shared: &BTreeSet<Cell>,
        initial: &BTreeMap<Cell, usize>,
    ) -> Result<Relation, String> {
        let n = self.events.len();
        let listed: Vec<EventName> = trace.graph.iter().flat_map(|graph| graph.coherence.iter().copied()).collect();
        let mut co = Relation::empty(n);
        for cell in shared {
            let first = initial.get(cell);
            let is_write = |event: &usize| {
                self.events[*event].kind == Kind::Write && self.cells[*event] == Some(*cell) && Some(event) != first
            };
            let mut writes: Vec<(usize, usize)> = Vec::new();
            for write in (0..n).filter(is_write) {
                let at = listed.iter().position(|name| self.names[write] == Some(*name));
                writes.push((at.unwrap_or(usize::MAX), write));
            }
            let n_unlisted = writes.iter().filter(|(at, _)| *at == usize::MAX).count();
            let thread = |(_, write): &(usize, usize)| self.events[*write].thread;
            let is_of_one = writes.windows(2).all(|pair| thread(&pair[0]) == thread(&pair[1]));
            match n_unlisted {
                0 => writes.sort_unstable(),
                // Nobody else writes there: they take effect as the thread makes them.
                _ if is_of_one => writes.sort_unstable_by_key(|(_, write)| *write),
                _ => return Err("a write without a place among those of its cell".to_string()),
            }
            let order: Vec<usize> =
                first.copied().into_iter().chain(writes.into_iter().map(|(_, write)| write)).collect();
            for (at, earlier) in order.iter().enumerate() {
                order[at + 1..].iter().for_each(|later| co.insert(*earlier, *later));
            }
        }
        Ok(co)
    }

    fn finish(self, co: Relation, found: Found) -> Graph {
        let n = self.events.len();
        let mut po = Relation::empty(n);
        for row in self.rows.values() {
            for (at, earlier) in row.iter().enumerate() {
                row[at + 1..].iter().for_each(|later| po.insert(*earlier, *later));
            }
        }
        let numbers: BTreeMap<Cell, usize> =
            self.cells.iter().flatten().enumerate().map(|(number, cell)| (*cell, number)).collect();
        let mut known: Vec<&Option<Value>> = Vec::new();
        let values = self.values.iter().map(|value| {
            known.iter().position(|other| *other == value).unwrap_or_else(|| {
                known.push(value);
                known.len() - 1
            })
        });
        let values = values.collect();
        // Messages have cells of their own: both ends of one.
        let mut cells: Vec<Option<usize>> = self.cells.iter().map(|cell| cell.map(|cell| numbers[&cell])).collect();
        for (write, read) in &self.rf {
            if cells[*write].is_none() {
                (cells[*write], cells[*read]) = (Some(n + write), Some(n + write));
            }
        }
        let shape = Shape {
            po,
            rmw: Relation::of(n, self.rmw),
            uses_exclusives: self.mapping.uses_exclusives,
            events: self.events,
        };
        let threads = shape.events.iter().map(|event| event.thread).collect();
        let rf = Relation::of(n, self.rf);
        let dependencies = found.map(|pairs| Relation::of(n, pairs));
        let execution = Execution { shape, cells, values, rf, co, dependencies };
        Graph { execution, threads, names: self.names, cells: self.cells, values: self.values }
    }
}
