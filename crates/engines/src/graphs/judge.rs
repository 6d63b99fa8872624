//! Does the memory model allow a graph? The events become those that its axioms speak of, by the compiler mapping, and the axioms are evaluated on them.
//!
//! What depends on what is asked of the threads ([`super::code::flow`]), if the model minds.
//!
//! Which events there are is said once more in `evidence::judged`, from what the interpreter did: there a graph that goes wrong is judged again.

use super::code::Code;
use super::code::flow::{Depends, Reads};
use super::code::local::{Blocked, Next};
use super::cycle::is_in_circle;
use super::graph::{Graph, Id, Kind};
use crate::evidence::axioms::{Axioms, is_race};
use ir::{Order, Span};
use memory::graph::judge::{Execution, is_forbidden, judge};
use memory::graph::mapping::{Access, Compiled, Mapping, Tags};
use memory::graph::{Event as Node, Kind as What, Shape};
use memory::relation::Relation;
use rustc_hash::FxHashMap;

/// The model, and how often it was asked.
pub(super) struct Judge<'a> {
    axioms: &'a Axioms,
    code: &'a Code<'a>,
    /// Whether circles are all that the model forbids.
    is_sc: bool,
    pub(super) n_checks: u64,
}

impl<'a> Judge<'a> {
    pub(super) fn new(axioms: &'a Axioms, code: &'a Code<'a>) -> Judge<'a> {
        Judge { axioms, code, is_sc: axioms.model.title == "SC", n_checks: 0 }
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
        let built = Built::new(graph, self.code, self.axioms.mapping, true);
        !is_forbidden(&self.axioms.model, &built.execution())
    }

    /// Whether the model sees a race.
    pub(super) fn has_race(&mut self, graph: &Graph) -> bool {
        self.n_checks += 1;
        let built = Built::new(graph, self.code, self.axioms.mapping, false);
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
    /// Address, data and control dependencies, those of expected values, and those of what chooses a value.
    dependencies: [Vec<(usize, usize)>; 5],
}

impl<'a> Built<'a> {
    fn new(graph: &Graph, code: &Code<'_>, mapping: &'a Mapping, with_waiting: bool) -> Built<'a> {
        let mut built = Built {
            mapping,
            events: Vec::new(),
            cells: Vec::new(),
            rows: Vec::new(),
            rmw: Vec::new(),
            rf: Vec::new(),
            co: Vec::new(),
            dependencies: Default::default(),
        };
        let first = built.initial(graph, code);
        let mut node_of: FxHashMap<Id, usize> = FxHashMap::default();
        for (row, this) in graph.rows.iter().enumerate() {
            let start = built.events.len();
            let waits = this.here.as_ref().is_some_and(|here| matches!(here.next, Next::Blocked(Blocked::Waits)));
            let n = this.events.len() - usize::from(waits && !with_waiting);
            let mut reads: Vec<usize> = Vec::new();
            for (at, event) in this.events[..n].iter().enumerate() {
                let id = Id { row: row as u32, at: at as u32 };
                if code.is_private(event.site()) && matches!(event.kind, Kind::Read { .. } | Kind::Write { .. }) {
                    continue;
                }
                let n_before = built.events.len();
                let Some(node) = built.event(id, &event.kind) else {
                    built.depend_fences(n_before, &code.depends(&event.before), &reads);
                    continue;
                };
                node_of.insert(id, node);
                match event.kind {
                    Kind::Read { .. } => {
                        reads.push(node);
                        built.depend(n_before, node, &code.depends(&event.before), &reads);
                    }
                    Kind::Write { .. } => built.depend(n_before, node, &code.depends(&event.before), &reads),
                    _ => {}
                }
            }
            built.rows.push((start, built.events.len()));
        }
        for (id, event) in graph.events() {
            let Some(node) = node_of.get(&id) else { continue };
            let source = match event.kind {
                Kind::Read { cell, source, .. } => Some(source.map_or_else(|| first[&cell], |source| node_of[&source])),
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
            let writes = graph.writes(*cell).iter().filter_map(|write| node_of.get(write).copied());
            built.co.push(std::iter::once(*node).chain(writes).collect());
        }
        built
    }

    /// The initial writes of all cells that are accessed.
    fn initial(&mut self, graph: &Graph, code: &Code<'_>) -> FxHashMap<u32, usize> {
        let mut first: FxHashMap<u32, usize> = FxHashMap::default();
        for (_, event) in graph.events().filter(|(_, event)| !code.is_private(event.site())) {
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

    /// An access, which is the event `node` with those from `n_before` on beside it, depends on reads of its thread.
    fn depend(&mut self, n_before: usize, node: usize, depends: &Depends, reads: &[usize]) {
        let is_write = self.events[node].kind == What::Write;
        let pairs = |found: &mut Vec<(usize, usize)>, numbers: &mut dyn Iterator<Item = u32>| {
            let of = |number: u32| reads.get(number as usize).filter(|read| **read != node);
            found.extend(numbers.filter_map(|number| of(number).map(|read| (*read, node))));
        };
        let [address, data, control, expected, chosen] = &mut self.dependencies;
        pairs(address, &mut depends.address.flowing());
        if is_write {
            pairs(data, &mut depends.data.flowing());
            for found in [control, chosen] {
                pairs(found, &mut depends.address.choosing().chain(depends.data.choosing()));
            }
        } else {
            pairs(expected, &mut depends.expected.flowing());
        }
        self.depend_fences(n_before, depends, reads);
        // What stands behind the read of a loop of exclusives waits for what it compares.
        if let (true, Some(read)) = (depends.compares, reads.last()) {
            let behind = n_before.max(read + 1)..self.events.len();
            self.dependencies[2].extend(behind.map(|event| (*read, event)));
        }
    }

    /// All events from `n_before` on depend on the branches before them.
    fn depend_fences(&mut self, n_before: usize, depends: &Depends, reads: &[usize]) {
        let control: &Reads = &depends.control;
        for event in n_before..self.events.len() {
            let of = |number: u32| reads.get(number as usize).map(|read| (*read, event));
            self.dependencies[2].extend(control.flowing().filter_map(of));
        }
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

    /// The fences behind an access, of which the first may stand behind a branch on what was read.
    fn fences_behind(&mut self, thread: u32, read: usize, compiled: &Compiled) {
        let fence = self.events.len();
        self.fences(thread, compiled.after);
        if compiled.branches && self.events.len() > fence {
            self.dependencies[2].push((read, fence));
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
                    self.fences_behind(id.row, node, &compiled);
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
                self.fences_behind(id.row, node - usize::from(is_update), &compiled);
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
                self.fences_behind(id.row, node, &compiled);
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
        let dependencies = std::array::from_fn(|kind| Relation::of(n, self.dependencies[kind].iter().copied()));
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
