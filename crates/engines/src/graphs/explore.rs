//! How is every execution visited once? Graphs grow by one event at a time; what else an event could have been is left for later.
//!
//! Known as: TruSt, truly stateless optimal dynamic partial order reduction \[Kokologiannakis22]. A read is tried with every write of its cell as its source, a write at every
//! place in coherence; then ([`super::revisit`]) a write is offered to the reads that were there before it. Nothing is remembered but the graphs that are still to be visited.
//!
//! **Who is next** is a function of the graph: the second half of an update, else the first thread that can go on, those last whose next read would find
//! that they have to wait. What comes before and what after matters to nobody but them: they look when there is something to see.
//!
//! **What need not be judged.** An event that comes last in its thread, last in coherence or reading from the last write, has no successor in any base relation; under the models that are
//! accepted (`evidence::monotone`) every derived relation is made of paths along base relations, so no axiom that held before is violated by it. For the second half of
//! an update that is so if its first half reads the last write.

use super::cells::{Cells, Ends, bits_at, ends, initial, meetings, seen_as};
use super::code::Code;
use super::code::local::{Here, Next, Spot};
use super::early;
use super::graph::{Graph, Id, Kind, Row};
use super::judge::Judge;
use crate::Run;
use ir::{AllocKind, Property, Why};
use logic::Value;
use std::rc::Rc;

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    /// Executions whose threads have all come to their end.
    pub(super) complete: u64,
    /// Executions in which some thread does not go on.
    pub(super) blocked: u64,
    /// Events added.
    pub(super) events: u64,
    /// Graphs that came of a read that got a new source.
    pub(super) revisits: u64,
}

/// What is wrong with an execution: the thread whose next step it is, or two events.
pub(super) enum Bad {
    Step(usize, Property),
    Race,
}

/// The exploration of a program's executions.
pub(super) struct Explorer<'a> {
    pub(super) code: &'a Code<'a>,
    pub(super) judge: Judge<'a>,
    pub(super) run: &'a mut Run,
    /// Graphs to be visited.
    pub(super) stack: Vec<Graph>,
    pub(super) cells: Cells,
    pub(super) counts: Counts,
    /// Why the enumeration says nothing about all executions, if it does not.
    pub(super) reason: Option<Why>,
    /// Events of one thread at most.
    pub(super) max_events: usize,
    /// Whether races are looked for.
    pub(super) asks_races: bool,
    /// What is done with executions at their end, for tests.
    pub(super) seen: Option<&'a mut dyn FnMut(&Graph)>,
}

impl Explorer<'_> {
    /// Visits all executions, or finds one that goes wrong.
    pub(super) fn explore(&mut self) -> Result<Option<(Graph, Bad)>, Why> {
        self.stack.push(early::first(self.code, self.judge.synchronises()));
        while let Some(mut graph) = self.stack.pop() {
            self.early(&mut graph)?;
            loop {
                if let Some(why) = self.run.stop_soon() {
                    return Err(why);
                }
                match self.next(&graph) {
                    Turn::Wrong(row, property) => {
                        let is_use = matches!(property, Property::Deref | Property::Free);
                        if !is_use && self.leaves_lives_open(&graph) {
                            break;
                        }
                        return Ok(Some((graph, Bad::Step(row, property))));
                    }
                    Turn::Row(row) => match self.step(graph, row)? {
                        Some(next) => graph = next,
                        None => break,
                    },
                    Turn::Nobody => {
                        if let Some(bad) = self.at_end(&graph)? {
                            return Ok(Some((graph, bad)));
                        }
                        break;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Who is next.
    fn next(&mut self, graph: &Graph) -> Turn {
        let mut turn = Turn::Nobody;
        let mut waiting = None;
        for (row, this) in graph.rows.iter().enumerate() {
            let Some(here) = &this.here else { continue };
            match &here.next {
                Next::Wrong(property) => return Turn::Wrong(row, *property),
                _ if here.is_pending() => return Turn::Row(row),
                Next::Beyond(why) => {
                    self.reason.get_or_insert_with(|| why.clone());
                }
                Next::Blocked(_) | Next::Exits => {}
                Next::End(_) if graph.ended(row).is_some() => {}
                Next::Join { handle } if joined(graph, *handle).is_none() => {}
                Next::Read { spot } if matches!(turn, Turn::Nobody) => {
                    if self.would_wait(graph, row, here, *spot) {
                        waiting = waiting.or(Some(row));
                    } else {
                        turn = Turn::Row(row);
                    }
                }
                _ if matches!(turn, Turn::Nobody) => turn = Turn::Row(row),
                _ => {}
            }
        }
        match (turn, waiting) {
            (Turn::Nobody, Some(row)) => Turn::Row(row),
            (turn, _) => turn,
        }
    }

    /// Whether a thread would not go on if it read the last write now.
    fn would_wait(&mut self, graph: &Graph, row: usize, here: &Here, spot: Spot) -> bool {
        if !self.code.may_wait(here) {
            return false;
        }
        let Ok(cell) = self.cells.access(self.code, graph, row, spot, false, here.span) else { return false };
        let source = graph.source(cell, graph.writes(cell).len());
        let (_, after) = self.after_read(graph, here, spot, (cell, source));
        matches!(after.next, Next::Blocked(_))
    }

    /// Lets a thread do what is next; the other ways are left for later.
    fn step(&mut self, mut graph: Graph, row: usize) -> Result<Option<Graph>, Why> {
        self.counts.events += 1;
        let code = self.code;
        let here = graph.rows[row].here.clone().expect("a thread that is next is there");
        if graph.rows[row].events.len() >= self.max_events {
            let place = code.program.sources.place(here.span);
            let what = format!("a thread makes more than {} events, the last at {place}", self.max_events);
            return Ok(Some(self.halt(graph, row, Next::Beyond(Why::Bound(what)))));
        }
        match &here.next {
            Next::Read { spot } => Ok(self.read(graph, row, &here, *spot)),
            Next::Write { spot, .. } => Ok(self.write(graph, row, &here, *spot)),
            Next::Fence(order) => {
                graph.add(row, Kind::Fence(*order), None, code.noticed_by_none(&here, None));
                Ok(Some(graph))
            }
            Next::Input { sort } => {
                let values = code.values(*sort);
                for (number, value) in values.iter().enumerate().skip(1) {
                    let mut other = graph.clone();
                    let kind = Kind::Input { value: value.clone(), number };
                    other.add(row, kind, None, code.noticed_by_none(&here, Some(value.clone())));
                    self.stack.push(other);
                }
                let kind = Kind::Input { value: values[0].clone(), number: 0 };
                graph.add(row, kind, None, code.noticed_by_none(&here, Some(values[0].clone())));
                Ok(Some(graph))
            }
            Next::Alloc { size, kind, zeroed } => Ok(Some(self.alloc(graph, row, &here, (*size, *kind, *zeroed)))),
            Next::Free { addr, kind } => Ok(Some(match ends(&graph, row, *addr, *kind) {
                Ends::Wrong => {
                    let next = code.wrong(Property::Free, here.span);
                    self.halt(graph, row, next)
                }
                Ends::Nothing => {
                    graph.rows[row].here = Some(Rc::new(self.silently(&here)));
                    graph
                }
                Ends::Object => {
                    graph.add(row, Kind::Freed { base: *addr }, None, code.done(&here, None));
                    graph
                }
            })),
            Next::Start { proc, args } => Ok(Some(self.start(graph, row, &here, (*proc, args)))),
            Next::Join { handle } => {
                let (value, end) = joined(&graph, *handle).expect("it was joined when it became next");
                let after = code.done(&here, Some(value.clone()));
                graph.add(row, Kind::Join(end.row), Some(end), after);
                Ok(Some(graph))
            }
            Next::End(value) => {
                let after = Here { next: Next::Exits, ..(*here).clone() };
                graph.add(row, Kind::End(value.clone()), None, after);
                Ok(Some(graph))
            }
            Next::Exits | Next::Blocked(_) | Next::Wrong(_) | Next::Beyond(_) => Ok(Some(graph)),
        }
    }

    /// The graph with a thread that does something else than was thought.
    fn halt(&mut self, mut graph: Graph, row: usize, next: Next) -> Graph {
        let here = graph.rows[row].here.as_deref().expect("it is there").clone();
        graph.rows[row].here = Some(Rc::new(Here { next, ..here }));
        graph
    }

    /// The thread behind a statement that is no event.
    fn silently(&self, here: &Here) -> Here {
        let mut after = self.code.noticed_by_none(here, None);
        let mut segment = here.local.segment.clone();
        segment.append(&mut after.local.segment);
        after.local.segment = segment;
        after
    }

    fn read(&mut self, mut graph: Graph, row: usize, here: &Rc<Here>, spot: Spot) -> Option<Graph> {
        let cell = match self.cells.access(self.code, &graph, row, spot, false, here.span) {
            Ok(cell) => cell,
            Err(next) => return Some(self.halt(graph, row, next)),
        };
        let n = graph.writes(cell).len();
        for place in graph.floor(row, cell)..n {
            if self.is_over() {
                break;
            }
            let mut other = graph.clone();
            let read = self.add_read(&mut other, row, here, spot, (cell, place));
            if !self.is_idle(&other, row, cell) && self.judge.allows(&other, &[read]) {
                self.stack.push(other);
            }
        }
        self.add_read(&mut graph, row, here, spot, (cell, n));
        Some(graph)
    }

    /// Whether time is up or somebody cancelled: then nothing is left for later, since nobody asks for it any more. Large graphs take long to judge.
    pub(super) fn is_over(&self) -> bool {
        self.run.budget().is_over().is_some()
    }

    /// Adds a read with the source at a place.
    fn add_read(&mut self, graph: &mut Graph, row: usize, here: &Here, spot: Spot, (cell, place): (u32, usize)) -> Id {
        let source = graph.source(cell, place);
        let (kind, after) = self.after_read(graph, here, spot, (cell, source));
        graph.add(row, kind, source, after)
    }

    /// Whether the last event of a thread is a read after which it does not go on, though there is a later write. Such a read is never given another source, since
    /// it does not read the last write that was there; so nothing but executions in which the thread stands still comes of it. Whatever goes wrong in one of them without this
    /// read goes wrong as well where it reads the last write. A race of the read itself is found there, too, unless that write synchronises; then all
    /// writes of the cell that are there must be atomic, so that there is no race.
    pub(super) fn is_idle(&self, graph: &Graph, row: usize, cell: u32) -> bool {
        let this = &graph.rows[row];
        if !this.here.as_ref().is_some_and(|here| matches!(here.next, Next::Blocked(_))) {
            return false;
        }
        let is_atomic = |kind: &Kind| match kind {
            Kind::Read { order, .. } | Kind::Write { order, .. } => order.is_atomic(),
            _ => false,
        };
        let read_is = this.events.last().is_some_and(|event| is_atomic(&event.kind));
        !self.asks_races || read_is && graph.writes(cell).iter().all(|write| is_atomic(&graph.event(*write).kind))
    }

    /// A read with a source, and the thread after it.
    pub(super) fn after_read(
        &self,
        graph: &Graph,
        here: &Here,
        spot: Spot,
        (cell, source): (u32, Option<Id>),
    ) -> (Kind, Here) {
        let value: Option<Value> = match source {
            Some(write) => Some(seen_as(graph.written(write), spot)),
            None => initial(graph, spot),
        };
        let Some(value) = value else {
            let next = Next::Beyond(Why::LargeInput { span: here.span, bits: bits_at(self.code, spot) });
            let mut local = here.local.clone();
            local.segment.clear();
            let after = Here { local, next, site: here.site, span: here.span };
            return (Kind::Read { cell, source, order: ir::Order::Relaxed, is_update: false }, after);
        };
        let (after, order, is_update) = self.code.found(here, &value);
        (Kind::Read { cell, source, order, is_update }, after)
    }

    fn write(&mut self, mut graph: Graph, row: usize, here: &Rc<Here>, spot: Spot) -> Option<Graph> {
        let cell = match self.cells.access(self.code, &graph, row, spot, true, here.span) {
            Ok(cell) => cell,
            Err(next) => return Some(self.halt(graph, row, next)),
        };
        let Next::Write { value, order, is_update, .. } = &here.next else { unreachable!("it is a write") };
        let kind = Kind::Write { cell, value: value.clone(), order: *order, is_update: *is_update };
        let after = if *is_update { self.code.updated(here) } else { self.code.done(here, None) };
        let id = graph.add(row, kind, None, after);
        self.revisit(&graph, id, cell);
        let n = graph.writes(cell).len();
        let mut last = None;
        for place in graph.places(id, cell) {
            if place == n {
                last = Some(place);
            } else if !graph.splits_update(cell, place) && !self.is_over() {
                let mut other = graph.clone();
                other.put(cell, place, id);
                if self.judge.allows(&other, &[id]) {
                    self.stack.push(other);
                }
            }
        }
        graph.put(cell, last?, id);
        Some(graph)
    }

    fn alloc(&mut self, mut graph: Graph, row: usize, here: &Here, what: (u64, AllocKind, bool)) -> Graph {
        let (size, kind, zeroed) = what;
        let model = self.code.program.data_model;
        let Some(base) = model.dynamic_base(row as u64, here.local.n_granules, size) else {
            let what = format!("no addresses are left for an object of {size} bytes");
            return self.halt(graph, row, Next::Beyond(Why::Unsupported { span: here.span, what }));
        };
        let mut moved = here.clone();
        moved.local.n_granules += model.granules(size);
        let after = self.code.done(&moved, Some(Value::bv(model.word_bits(), base)));
        graph.add(row, Kind::Made { base, size, kind, zeroed }, None, after);
        graph
    }

    fn start(&mut self, mut graph: Graph, row: usize, here: &Here, what: (ir::ProcId, &[Value])) -> Graph {
        let started = (row as u32, here.local.n_started);
        let free = graph.rows.iter().skip(1).position(|other| other.here.is_none() && other.started == started);
        let child = free.map_or(graph.rows.len(), |at| at + 1);
        let model = self.code.program.data_model;
        if child as u64 >= model.max_threads() {
            let what = format!("more than {} threads", model.max_threads());
            return self.halt(graph, row, Next::Beyond(Why::Unsupported { span: here.span, what }));
        }
        let mut moved = here.clone();
        moved.local.n_started += 1;
        let after = self.code.done(&moved, Some(Value::bv(model.word_bits(), child as u64 + 1)));
        let id = graph.add(row, Kind::Start(child as u32), None, after);
        let begun = self.code.begin(child, what.0, what.1);
        let new = Row { started, events: Vec::new(), here: Some(Rc::new(begun.clone())) };
        if child == graph.rows.len() {
            graph.rows.push(new);
        } else {
            graph.rows[child] = new;
        }
        // What it did on the way to its first event is told with that one.
        graph.add(child, Kind::Begin, Some(id), begun);
        graph
    }

    /// Nobody goes on: the execution is counted, and looked at as a whole.
    fn at_end(&mut self, graph: &Graph) -> Result<Option<Bad>, Why> {
        let is_over = |row: &Row| row.here.as_ref().is_none_or(|here| matches!(here.next, Next::End(_) | Next::Exits));
        if graph.rows.iter().all(is_over) {
            self.counts.complete += 1;
            self.run.reached.count("executions", self.counts.complete);
        } else {
            self.counts.blocked += 1;
        }
        if let Some(seen) = &mut self.seen {
            seen(graph);
        }
        self.leaves_lives_open(graph);
        if self.asks_races {
            return Ok(self.judge.has_race(graph).then_some(Bad::Race));
        }
        Ok(None)
    }

    /// An object that ends while another thread may use it is beyond what is decided here, unless starting, joining and reading order them. Whether there is one;
    /// nobody can tell what else happens there.
    fn leaves_lives_open(&mut self, graph: &Graph) -> bool {
        let places = |id: Id| match graph.event(id).before.next {
            Next::Read { spot } | Next::Write { spot, .. } => Some(spot),
            _ => None,
        };
        let meetings = meetings(graph, &places);
        let Some(span) = self.judge.unordered(graph, &meetings) else { return false };
        let what = "the end of an object that another thread may be using, under axioms".to_string();
        self.reason.get_or_insert(Why::Unsupported { span, what });
        true
    }
}

enum Turn {
    Row(usize),
    Wrong(usize, Property),
    Nobody,
}

/// If the thread with this handle has ended: its word and its end.
fn joined(graph: &Graph, handle: u64) -> Option<(&Value, Id)> {
    graph.ended(usize::try_from(handle.checked_sub(1)?).ok()?)
}
