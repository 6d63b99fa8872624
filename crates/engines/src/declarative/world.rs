//! What is known of an execution that is chosen in part: the events of the lanes that are kept, of writes in laps that somebody reads, and their relations.
//!
//! What coherence says of one cell, which every model here implies, is put in at once. Dependencies are left out: they only add pairs.

use super::choice::{Choice, Source};
use super::lanes::Lanes;
use super::locks::{Lock, Section, settle};
use crate::evidence::axioms::Axioms;
use ir::{Order, ThreadEvent};
use logic::VarId;
use memory::graph::judge::Execution;
use memory::graph::mapping::{Access, Mapping, Tags};
use memory::graph::{Event, Kind, Shape};
use memory::relation::Relation;

/// An execution, as far as it is known.
pub(super) struct World {
    pub(super) execution: Execution,
    /// The writes: event and cell.
    writes: Vec<(usize, usize)>,
    /// The sections of each lock, by the events that take it and give it back.
    pub(super) sections: Vec<Vec<Section<usize>>>,
}

struct Builder<'l> {
    events: Vec<Event>,
    cells: Vec<Option<usize>>,
    rmw: Vec<(usize, usize)>,
    vars: Vec<VarId>,
    mapping: &'static Mapping,
    lanes: &'l Lanes<'l>,
}

/// The events of one event of a lane: all of them, its read and its write.
struct Compiled {
    start: usize,
    read: Option<usize>,
    write: Option<usize>,
}

impl Builder<'_> {
    fn push(&mut self, thread: Option<u32>, kind: Kind, tags: Tags, cell: Option<usize>, is_plain: bool) -> usize {
        self.events.push(Event { thread, kind, tags, is_update: false, failed: None, is_plain, message: None });
        self.cells.push(cell);
        self.events.len() - 1
    }

    fn fences(&mut self, thread: u32, tags: Tags) {
        for at in 0..tags.len() {
            self.push(Some(thread), Kind::Fence, &tags[at..=at], None, false);
        }
    }

    /// What an event is compiled from, and its cell. Messages have cells of their own.
    fn access(&self, thread: usize, event: &ThreadEvent) -> (Access, Order, Option<usize>) {
        let n = self.vars.len();
        let cell = |var: &VarId| Some(self.vars.binary_search(var).expect("events are about tracked variables"));
        match event {
            ThreadEvent::Read(var, order, _) => (Access::Load, *order, cell(var)),
            ThreadEvent::Write(var, order, _) => (Access::Store, *order, cell(var)),
            ThreadEvent::Update(var, order, _, _) => (Access::Update, *order, cell(var)),
            ThreadEvent::Fence(order) => (Access::Fence, *order, None),
            ThreadEvent::Begins => (Access::Load, Order::Acquire, Some(n + 2 * thread)),
            ThreadEvent::Starts(new) => (Access::Store, Order::Release, Some(n + 2 * *new as usize)),
            ThreadEvent::Joins(other) => (Access::Load, Order::Acquire, Some(n + 2 * *other as usize + 1)),
            ThreadEvent::Ends => (Access::Store, Order::Release, Some(n + 2 * thread + 1)),
        }
    }

    fn compile(&mut self, thread: usize, event: &ThreadEvent) -> Compiled {
        let (access, order, cell) = self.access(thread, event);
        let start = self.events.len();
        let by = thread as u32;
        let code = self.mapping.compile(access, order);
        self.fences(by, code.before);
        let is_plain = order == Order::Plain;
        let (mut read, mut write) = (None, None);
        if matches!(access, Access::Load | Access::Update) {
            read = Some(self.push(Some(by), Kind::Read, code.read, cell, is_plain));
        }
        if matches!(access, Access::Store | Access::Update) {
            write = Some(self.push(Some(by), Kind::Write, code.write, cell, is_plain));
        }
        if let (Some(read), Some(write)) = (read, write) {
            self.rmw.push((read, write));
            self.events[read].is_update = true;
            self.events[write].is_update = true;
        }
        self.fences(by, code.after);
        Compiled { start, read, write }
    }

    /// A write of a lap that is kept alone.
    fn alone(&mut self, thread: usize, event: &ThreadEvent) -> usize {
        let (access, order, cell) = self.access(thread, event);
        let tags = self.mapping.compile(access, order).write;
        let new = self.push(Some(thread as u32), Kind::Write, tags, cell, order == Order::Plain);
        self.events[new].is_update = access == Access::Update;
        new
    }
}

impl World {
    /// What is known by a choice; nothing if coherence forbids it.
    pub(super) fn new(lanes: &Lanes<'_>, choice: &Choice, axioms: &Axioms, locks: &[Lock]) -> Option<World> {
        let vars: Vec<VarId> = lanes.initial.iter().map(|(var, _)| *var).collect();
        let mapping = axioms.mapping;
        let mut builder = Builder { events: Vec::new(), cells: Vec::new(), rmw: Vec::new(), vars, mapping, lanes };
        for cell in 0..builder.lanes.initial.len() {
            builder.push(None, Kind::Write, &[], Some(cell), false);
        }
        let mut rows: Vec<(Vec<Compiled>, usize)> = Vec::new();
        for (thread, lane) in choice.lanes.iter().enumerate() {
            let events = lane.iter().flat_map(|lane| &lane.events);
            let row: Vec<Compiled> = events.map(|event| builder.compile(thread, event)).collect();
            rows.push((row, builder.events.len()));
        }
        let n_kept = builder.events.len();
        for (thread, _, event) in &choice.alone {
            builder.alone(*thread, event);
        }
        let n = builder.events.len();
        let po = program_order(choice, &rows, n_kept, n);
        let rf = reads_from(choice, &rows, &builder, n_kept, n);
        let n_vars = builder.vars.len();
        let is_write = |event: &usize| builder.events[*event].kind == Kind::Write;
        let own = |event: usize| builder.cells[event].filter(|cell| *cell < n_vars).map(|cell| (event, cell));
        let writes: Vec<(usize, usize)> = (0..n).filter(is_write).filter_map(own).collect();
        let mut co = coherence(&writes, &builder, &po, &rf)?;
        let sections: Vec<Vec<Section<usize>>> = locks.iter().map(|lock| sections(lock, choice, &rows)).collect();
        if !sections.iter().all(|sections| settle(sections, &mut co)) {
            return None;
        }
        let (po, rf, co) = messages(locks, &sections, &mut builder, (po, rf, co));
        let n = builder.events.len();
        let none = || Relation::empty(n);
        let shape = Shape {
            rmw: Relation::of(n, builder.rmw),
            uses_exclusives: mapping.uses_exclusives,
            po,
            events: builder.events,
        };
        let execution = Execution {
            shape,
            cells: builder.cells,
            values: vec![0; n],
            rf,
            co,
            dependencies: std::array::from_fn(|_| none()),
        };
        Some(World { execution, writes, sections })
    }

    /// Two writes of one cell whose order is open.
    pub(super) fn unordered(&self) -> Option<(usize, usize)> {
        let co = &self.execution.co;
        for (at, (one, cell)) in self.writes.iter().enumerate() {
            let mut later = self.writes[at + 1..].iter().filter(|(_, other)| other == cell);
            if let Some((other, _)) = later.find(|(other, _)| !co.contains(*one, *other) && !co.contains(*other, *one))
            {
                return Some((*one, *other));
            }
        }
        None
    }
}

/// The sections of a lock, by events.
fn sections(lock: &Lock, choice: &Choice, rows: &[(Vec<Compiled>, usize)]) -> Vec<Section<usize>> {
    let mut all = Vec::new();
    for (thread, lane) in choice.lanes.iter().enumerate() {
        let write = |at: usize| rows[thread].0[at].write.expect("what changes a lock writes it");
        for section in lane.iter().flat_map(|lane| lock.sections(thread, lane)) {
            all.push(Section { thread, take: write(section.take), give: section.give.map(write) });
        }
    }
    all
}

/// Adds a message from before each write that gives a lock back to after each that takes it later, where that is happens-before.
fn messages(
    locks: &[Lock],
    sections: &[Vec<Section<usize>>],
    builder: &mut Builder<'_>,
    (po, rf, co): (Relation, Relation, Relation),
) -> (Relation, Relation, Relation) {
    let mut pairs = Vec::new();
    for (_, sections) in locks.iter().zip(sections).filter(|(lock, _)| lock.synchronises) {
        for one in sections {
            let later = sections.iter().filter(|other| other.thread != one.thread);
            let given = later.filter_map(|other| {
                one.give.filter(|give| co.contains(*give, other.take)).map(|give| (give, other.take))
            });
            pairs.extend(given);
        }
    }
    if pairs.is_empty() {
        return (po, rf, co);
    }
    let mut order: Vec<(usize, usize)> = po.iter().collect();
    let mut reads: Vec<(usize, usize)> = rf.iter().collect();
    let first_cell = builder.cells.len() + builder.vars.len() + 1000;
    for (number, (give, take)) in pairs.into_iter().enumerate() {
        let cell = Some(first_cell + number);
        let (giver, taker) = (builder.events[give].thread, builder.events[take].thread);
        let sent = builder.mapping.compile(Access::Store, Order::Release).write;
        let seen = builder.mapping.compile(Access::Load, Order::Acquire).read;
        let fences = builder.mapping.compile(Access::Store, Order::Release).before;
        let first = builder.events.len();
        for at in 0..fences.len() {
            builder.push(giver, Kind::Fence, &fences[at..=at], None, false);
        }
        let write = builder.push(giver, Kind::Write, sent, cell, false);
        (first..write).for_each(|fence| order.push((fence, write)));
        for new in first..=write {
            order.extend(po.iter().filter(|(_, later)| *later == give).map(|(before, _)| (before, new)));
            order.extend(po.iter().filter(|(before, _)| *before == give).map(|(_, after)| (new, after)));
            order.push((new, give));
        }
        let read = builder.push(taker, Kind::Read, seen, cell, false);
        order.extend(po.iter().filter(|(_, later)| *later == take).map(|(before, _)| (before, read)));
        order.extend(po.iter().filter(|(before, _)| *before == take).map(|(_, after)| (read, after)));
        order.push((take, read));
        reads.push((write, read));
    }
    let n = builder.events.len();
    (Relation::of(n, order), Relation::of(n, reads), Relation::of(n, co.iter().collect::<Vec<_>>()))
}

fn program_order(choice: &Choice, rows: &[(Vec<Compiled>, usize)], n_kept: usize, n: usize) -> Relation {
    let mut po = Relation::empty(n);
    let first_of = |thread: usize| {
        let (row, end) = &rows[thread];
        (row.first().map_or(*end, |compiled| compiled.start), *end)
    };
    for thread in 0..rows.len() {
        let (first, last) = first_of(thread);
        (first..last).for_each(|a| (a + 1..last).for_each(|b| po.insert(a, b)));
    }
    for (number, (thread, gap, _)) in choice.alone.iter().enumerate() {
        let new = n_kept + number;
        let (first, last) = first_of(*thread);
        let here = rows[*thread].0.get(*gap).map_or(last, |compiled| compiled.start);
        (first..here).for_each(|before| po.insert(before, new));
        (here..last).for_each(|after| po.insert(new, after));
        // Of two in one gap it is not known which is first.
        for (other, (by, there, _)) in choice.alone.iter().enumerate() {
            if by == thread && there < gap {
                po.insert(n_kept + other, new);
            }
        }
    }
    po
}

fn reads_from(
    choice: &Choice,
    rows: &[(Vec<Compiled>, usize)],
    builder: &Builder<'_>,
    n_kept: usize,
    n: usize,
) -> Relation {
    let mut rf = Relation::empty(n);
    for ((thread, at), source) in &choice.sources {
        let read = rows[*thread].0[*at].read.expect("a read has a source");
        let write = match source {
            Source::Initial => builder.cells[..builder.vars.len()].iter().position(|cell| *cell == builder.cells[read]),
            Source::Event((thread, at)) => rows[*thread].0[*at].write,
            Source::Alone(number) => Some(n_kept + number),
        };
        rf.insert(write.expect("a source writes"), read);
    }
    // A message has one sender.
    for read in (0..n_kept).filter(|event| builder.events[*event].kind == Kind::Read) {
        let Some(cell) = builder.cells[read].filter(|cell| *cell >= builder.vars.len()) else { continue };
        let sends = |event: &usize| builder.events[*event].kind == Kind::Write && builder.cells[*event] == Some(cell);
        if let Some(write) = (0..n_kept).find(sends) {
            rf.insert(write, read);
        }
    }
    rf
}

/// The order of writes as far as coherence says; nothing if there is none.
fn coherence(writes: &[(usize, usize)], builder: &Builder<'_>, po: &Relation, rf: &Relation) -> Option<Relation> {
    let n = builder.events.len();
    let mut co = Relation::empty(n);
    for (write, cell) in writes {
        for (other, _) in writes.iter().filter(|(other, there)| there == cell && other != write) {
            if builder.events[*write].thread.is_none() {
                co.insert(*write, *other);
            }
        }
    }
    // What each access of a cell saw last: its own write, or its source.
    let mut seen: Vec<(usize, usize, usize)> = writes.iter().map(|(write, cell)| (*write, *cell, *write)).collect();
    for (write, read) in rf.iter() {
        if let Some(cell) = builder.cells[read].filter(|cell| *cell < builder.vars.len()) {
            if po.contains(read, write) {
                return None;
            }
            seen.push((read, cell, write));
        }
    }
    for (earlier, cell, one) in &seen {
        for (later, _, other) in seen.iter().filter(|(_, there, _)| there == cell) {
            if one != other && po.contains(*earlier, *later) {
                co.insert(*one, *other);
            }
        }
    }
    co.close();
    (!co.has_loop()).then_some(co)
}
