//! Does the memory model allow a graph? The events become those that its axioms speak of, by the compiler mapping, and the axioms are evaluated on them.
//!
//! Which events there are is said once more in `evidence::judged`, from what the interpreter did: there a graph that goes wrong is judged again.

use super::cycle::is_in_circle;
use super::graph::{Graph, Id, Kind};
use super::local::{Blocked, Next};
use crate::evidence::axioms::{Axioms, is_race};
use ir::{Order, Span};
use memory::graph::judge::{Execution, is_forbidden, judge};
use memory::graph::mapping::{Access, Mapping, Tags};
use memory::graph::{Event as Node, Kind as What, Shape};
use memory::relation::Relation;
use rustc_hash::FxHashMap;

/// The model, and how often it was asked.
pub(super) struct Judge<'a> {
    axioms: &'a Axioms,
    /// Whether circles are all that the model forbids.
    is_sc: bool,
    pub(super) n_checks: u64,
}

impl<'a> Judge<'a> {
    pub(super) fn new(axioms: &'a Axioms) -> Judge<'a> {
        Judge { axioms, is_sc: axioms.model.title == "SC", n_checks: 0 }
    }

    /// Whether release and acquire synchronise as in RC11.
    pub(super) fn synchronises(&self) -> bool {
        self.axioms.model.title == "RC11"
    }

    /// Whether the model allows the graph, which it did without these events.
    pub(super) fn allows(&mut self, graph: &Graph, new: &[Id]) -> bool {
        if !is_in_circle(graph, new) {
            return true;
        }
        if self.is_sc {
            return false;
        }
        self.n_checks += 1;
        let built = Built::new(graph, self.axioms.mapping, true);
        !is_forbidden(&self.axioms.model, &built.execution())
    }

    /// Whether the model sees a race.
    pub(super) fn has_race(&mut self, graph: &Graph) -> bool {
        self.n_checks += 1;
        let built = Built::new(graph, self.axioms.mapping, false);
        let judgement = judge(&self.axioms.model, &built.execution());
        judgement.is_ok_and(|judgement| judgement.flags.iter().any(|flag| is_race(&flag.name)))
    }

    /// Of accesses of objects and the ends of these objects: the place of an end that may come before the access is over.
    pub(super) fn unordered(&self, graph: &Graph, meetings: &[(Id, Id)]) -> Option<Span> {
        let open = meetings.iter().find(|(access, end)| !graph.event(*end).settled.has(*access))?;
        Some(graph.event(open.1).span())
    }
}

/// The events that a model speaks of.
struct Built<'a> {
    mapping: &'a Mapping,
    events: Vec<Node>,
    cells: Vec<Option<usize>>,
    rows: Vec<(usize, usize)>,
    rmw: Vec<(usize, usize)>,
    rf: Vec<(usize, usize)>,
    co: Vec<Vec<usize>>,
}

impl<'a> Built<'a> {
    fn new(graph: &Graph, mapping: &'a Mapping, with_waiting: bool) -> Built<'a> {
        let mut built = Built {
            mapping,
            events: Vec::new(),
            cells: Vec::new(),
            rows: Vec::new(),
            rmw: Vec::new(),
            rf: Vec::new(),
            co: Vec::new(),
        };
        let first = built.initial(graph);
        let mut node_of: FxHashMap<Id, usize> = FxHashMap::default();
        for (row, this) in graph.rows.iter().enumerate() {
            let start = built.events.len();
            let waits = this.here.as_ref().is_some_and(|here| matches!(here.next, Next::Blocked(Blocked::Waits)));
            let n = this.events.len() - usize::from(waits && !with_waiting);
            for (at, event) in this.events[..n].iter().enumerate() {
                let id = Id { row: row as u32, at: at as u32 };
                if let Some(node) = built.event(id, &event.kind) {
                    node_of.insert(id, node);
                }
            }
            built.rows.push((start, built.events.len()));
        }
        for (id, event) in graph.events() {
            let Some(node) = node_of.get(&id) else { continue };
            let source = match event.kind {
                Kind::Read { cell, source, .. } => Some(source.map_or(first[&cell], |source| node_of[&source])),
                Kind::Begin => start_of(graph, id.row).map(|start| node_of[&start]),
                Kind::Join(row) => {
                    let at = graph.rows[row as usize].events.len() as u32 - 1;
                    Some(node_of[&Id { row, at }])
                }
                _ => None,
            };
            if let Some(source) = source {
                built.rf.push((source, *node));
                if built.cells[source].is_none() {
                    let own = usize::MAX - source;
                    (built.cells[source], built.cells[*node]) = (Some(own), Some(own));
                }
            }
        }
        for (cell, node) in &first {
            let writes = graph.writes(*cell).iter().map(|write| node_of[write]);
            built.co.push(std::iter::once(*node).chain(writes).collect());
        }
        built
    }

    /// The initial writes of all cells that are accessed.
    fn initial(&mut self, graph: &Graph) -> FxHashMap<u32, usize> {
        let mut first: FxHashMap<u32, usize> = FxHashMap::default();
        for (_, event) in graph.events() {
            let (Kind::Read { cell, order, .. } | Kind::Write { cell, order, .. }) = event.kind else { continue };
            let node = *first.entry(cell).or_insert_with(|| {
                let node = self.push(None, What::Write, &[], Order::Plain);
                self.cells[node] = Some(cell as usize);
                node
            });
            if order != Order::Plain {
                self.events[node].is_plain = false;
            }
        }
        first
    }

    fn push(&mut self, thread: Option<u32>, kind: What, tags: Tags, order: Order) -> usize {
        let is_plain = order == Order::Plain;
        self.events.push(Node { thread, kind, tags, is_update: false, failed: None, is_plain, message: None });
        self.cells.push(None);
        self.events.len() - 1
    }

    fn fences(&mut self, thread: u32, tags: Tags) {
        for at in 0..tags.len() {
            self.push(Some(thread), What::Fence, &tags[at..=at], Order::Relaxed);
        }
    }

    /// Adds what an event is to the model; the node that reads or writes.
    fn event(&mut self, id: Id, kind: &Kind) -> Option<usize> {
        match *kind {
            Kind::Read { cell, order, is_update, .. } => {
                let access = if is_update { Access::Update } else { Access::Load };
                let compiled = self.mapping.compile(access, order);
                self.fences(id.row, compiled.before);
                let node = self.push(Some(id.row), What::Read, compiled.read, order);
                self.cells[node] = Some(cell as usize);
                self.events[node].is_update = is_update;
                if !is_update {
                    self.fences(id.row, compiled.after);
                }
                Some(node)
            }
            Kind::Write { cell, order, is_update, .. } => {
                let access = if is_update { Access::Update } else { Access::Store };
                let compiled = self.mapping.compile(access, order);
                if !is_update {
                    self.fences(id.row, compiled.before);
                }
                let node = self.push(Some(id.row), What::Write, compiled.write, order);
                self.cells[node] = Some(cell as usize);
                self.events[node].is_update = is_update;
                if is_update {
                    self.rmw.push((node - 1, node));
                }
                self.fences(id.row, compiled.after);
                Some(node)
            }
            Kind::Fence(order) => {
                let compiled = self.mapping.compile(Access::Fence, order);
                self.fences(id.row, compiled.before);
                None
            }
            Kind::Start(_) | Kind::End(_) => {
                let compiled = self.mapping.compile(Access::Store, Order::Release);
                self.fences(id.row, compiled.before);
                Some(self.push(Some(id.row), What::Write, compiled.write, Order::Release))
            }
            Kind::Begin | Kind::Join(_) => {
                let compiled = self.mapping.compile(Access::Load, Order::Acquire);
                let node = self.push(Some(id.row), What::Read, compiled.read, Order::Acquire);
                self.fences(id.row, compiled.after);
                Some(node)
            }
            Kind::Input { .. } | Kind::Made { .. } | Kind::Freed { .. } => None,
        }
    }

    fn execution(&self) -> Execution {
        let n = self.events.len();
        let mut po = Relation::empty(n);
        for (start, end) in &self.rows {
            for earlier in *start..*end {
                (earlier + 1..*end).for_each(|later| po.insert(earlier, later));
            }
        }
        let mut co = Relation::empty(n);
        for writes in &self.co {
            for (at, earlier) in writes.iter().enumerate() {
                writes[at + 1..].iter().for_each(|later| co.insert(*earlier, *later));
            }
        }
        let shape = Shape {
            events: self.events.clone(),
            po,
            rmw: Relation::of(n, self.rmw.iter().copied()),
            uses_exclusives: self.mapping.uses_exclusives,
        };
        let rf = Relation::of(n, self.rf.iter().copied());
        let none = || Relation::empty(n);
        let dependencies = std::array::from_fn(|_| none());
        Execution { shape, cells: self.cells.clone(), values: vec![0; n], rf, co, dependencies }
    }
}

/// The event that starts the thread of a row.
fn start_of(graph: &Graph, row: u32) -> Option<Id> {
    let by = graph.rows[row as usize].started.0;
    let events = graph.rows[by as usize].events.iter();
    let is_it = |kind: &Kind| matches!(kind, Kind::Start(other) if *other == row);
    let at = events.enumerate().find(|(_, event)| is_it(&event.kind)).map(|(at, _)| at as u32)?;
    Some(Id { row: by, at })
}
