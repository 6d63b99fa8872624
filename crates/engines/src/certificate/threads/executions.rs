//! Is there an execution that the model allows and that gets to a node, as far as graphs of threads tell? All of them are tried.
//!
//! Of an execution only this is looked at: the past of the goal; of each thread's walk its [`Way`]; and of what was cut out of it
//! those writes that are read by what is left: alone where they were cut out, or with the round that they are in. By a monotone model an execution is forbidden if that part of it
//! is. `declarative` argues the same; none of its code is used.

use super::initial;
use super::locks::{Lock, Stay, locks};
use super::ways::{Way, ways};
use ir::{Known, Order, Scope, ThreadEvent, ThreadGraphs};
use logic::VarId;
use memory::cat::Model;
use memory::graph::judge::{Execution, is_forbidden};
use memory::graph::mapping::{Access, Mapping};
use memory::graph::{Event, Kind, Shape};
use memory::relation::Relation;
use std::time::Instant;

/// A node, and an event that leaves it, if one is asked for.
pub(super) struct Goal {
    pub(super) thread: u32,
    pub(super) node: u32,
    pub(super) event: Option<ThreadEvent>,
}

pub(super) struct Executions<'c> {
    graphs: &'c ThreadGraphs,
    model: &'c Model,
    mapping: &'static Mapping,
    deadline: Option<Instant>,
    shared: Vec<VarId>,
    /// The ways of each thread that end in something that others can read.
    ways: Vec<Vec<Way>>,
    locks: Vec<Lock>,
}

/// How deep rounds are put back whole at most.
const MAX_DEPTH: u8 = 2;

/// Where a read gets its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Start,
    Event(usize, usize),
    Single(usize),
}

/// What is tried.
#[derive(Clone)]
struct Trial {
    ways: Vec<Option<Way>>,
    /// Thread and place of a read, and its source.
    from: Vec<((usize, usize), From)>,
    /// Writes that stand alone where they were cut out: thread, place and what it is.
    single: Vec<(usize, usize, ThreadEvent)>,
    /// How deep rounds are put back whole: those that ways read from, those that such rounds read from, and so on.
    whole: u8,
}

impl<'c> Executions<'c> {
    pub(super) fn new(
        graphs: &'c ThreadGraphs,
        model: &'c Model,
        mapping: &'static Mapping,
        deadline: Option<Instant>,
    ) -> Executions<'c> {
        let is_shared = |var: &VarId| graphs.program.var(*var).scope == Scope::Global;
        let mut shared: Vec<VarId> = graphs.tracked.iter().copied().filter(is_shared).collect();
        shared.sort_unstable();
        Executions { graphs, model, mapping, deadline, shared, ways: Vec::new(), locks: Vec::new() }
    }

    /// Whether a goal may be reached; an error if it was not found out.
    pub(super) fn is_possible(&mut self, goal: &Goal) -> Result<bool, String> {
        if self.ways.is_empty() {
            for thread in &self.graphs.threads {
                let ends = |node: u32| {
                    let leaving = thread.edges.iter().filter(|edge| edge.from == node);
                    leaving
                        .filter(|edge| edge.event.as_ref().is_some_and(is_told))
                        .map(|edge| edge.event.clone())
                        .collect()
                };
                self.ways.push(ways(thread, 0, &[], &ends)?);
            }
        }
        let first: Vec<(VarId, Known)> = self.shared.iter().map(|var| (*var, initial(self.graphs, *var))).collect();
        self.locks = locks(self.graphs, &first, goal.event.as_ref().map(|event| (goal.thread, event)));
        let ends = |node: u32| if node == goal.node { vec![goal.event.clone()] } else { Vec::new() };
        let own = ways(&self.graphs.threads[goal.thread as usize], 0, &[], &ends)?;
        // What stands alone excludes most; the rest is tried again with whole rounds.
        for whole in 0..=MAX_DEPTH {
            let mut is_found = false;
            for way in &own {
                let mut chosen: Vec<Option<Way>> = vec![None; self.graphs.threads.len()];
                chosen[goal.thread as usize] = Some(way.clone());
                if self.complete(0, goal.thread as usize, &mut chosen, whole)? {
                    is_found = true;
                    break;
                }
            }
            if !is_found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_time(&self) -> Result<(), String> {
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err("there was not enough time".to_string()),
            _ => Ok(()),
        }
    }

    /// Chooses ways for the other threads, or none, and tries each choice.
    fn complete(&self, thread: usize, goal: usize, chosen: &mut Vec<Option<Way>>, whole: u8) -> Result<bool, String> {
        if thread == chosen.len() {
            if !is_closed(self.graphs, goal, chosen) {
                return Ok(false);
            }
            let trial = Trial { ways: chosen.clone(), from: Vec::new(), single: Vec::new(), whole };
            return self.attempt(&trial);
        }
        if thread == goal {
            return self.complete(thread + 1, goal, chosen, whole);
        }
        if self.complete(thread + 1, goal, chosen, whole)? {
            return Ok(true);
        }
        for way in &self.ways[thread] {
            chosen[thread] = Some(way.clone());
            if self.complete(thread + 1, goal, chosen, whole)? {
                return Ok(true);
            }
        }
        chosen[thread] = None;
        Ok(false)
    }

    /// Tries all sources for a read that has none; when all have one, all orders of writes.
    fn attempt(&self, trial: &Trial) -> Result<bool, String> {
        self.in_time()?;
        let Some((execution, inside)) = self.execution(trial) else { return Ok(false) };
        if is_forbidden(self.model, &execution) {
            return Ok(false);
        }
        let Some(((thread, at), event)) = trial.open_read() else { return self.order(execution, &inside) };
        let Some((var, value)) = event.reads() else { return Err("no read".to_string()) };
        for next in self.sources(trial, (thread, at), var, value)? {
            if self.attempt(&next)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn sources(&self, trial: &Trial, read: (usize, usize), var: VarId, value: &Known) -> Result<Vec<Trial>, String> {
        let mut all = Vec::new();
        let is_it = |event: &ThreadEvent| event.writes().is_some_and(|written| written == (var, value));
        if initial(self.graphs, var) == *value {
            all.push(trial.with(read, From::Start));
        }
        for (thread, way) in trial.ways.iter().enumerate() {
            let Some(way) = way else { continue };
            for (at, _) in way.events.iter().enumerate().filter(|(_, (event, _))| is_it(event)) {
                if (thread, at) != read {
                    all.push(trial.with(read, From::Event(thread, at)));
                }
            }
        }
        for (index, _) in trial.single.iter().enumerate().filter(|(_, (_, _, event))| is_it(event)) {
            all.push(trial.with(read, From::Single(index)));
        }
        let depth = trial.ways[read.0].as_ref().map_or(0, |way| way.events[read.1].1);
        for (thread, way) in trial.ways.iter().enumerate() {
            let Some(way) = way else { continue };
            for (place, cuts) in way.cuts.iter().enumerate() {
                let mut writes: Vec<&ThreadEvent> =
                    cuts.iter().flat_map(|cut| &cut.events).filter(|event| is_it(event)).collect();
                writes.sort();
                writes.dedup();
                for write in writes {
                    if depth < trial.whole && trial.single.is_empty() {
                        for (longer, at, n) in way.put_back(&self.graphs.threads[thread], place, write, depth + 1)? {
                            let moved = trial.longer(thread, place, n, longer);
                            let read = if read.0 == thread && read.1 >= place { (read.0, read.1 + n) } else { read };
                            all.push(moved.with(read, From::Event(thread, at)));
                        }
                    } else {
                        let mut next = trial.with(read, From::Single(trial.single.len()));
                        next.single.push((thread, place, write.clone()));
                        all.push(next);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Tries all orders of writes that are open.
    fn order(&self, execution: Execution, inside: &[Vec<Stay>]) -> Result<bool, String> {
        self.in_time()?;
        let is_write = |event: &usize| execution.shape.events[*event].kind == Kind::Write;
        let n = execution.shape.events.len();
        for one in (0..n).filter(is_write) {
            for other in (one + 1..n).filter(is_write).filter(|other| execution.cells[*other] == execution.cells[one]) {
                if execution.co.contains(one, other) || execution.co.contains(other, one) {
                    continue;
                }
                for (first, second) in [(one, other), (other, one)] {
                    let mut next = execution.clone();
                    next.co.insert(first, second);
                    next.co.close();
                    let fits = !next.co.has_loop() && is_one_by_one(inside, &mut next.co);
                    if fits && !is_forbidden(self.model, &next) && self.order(next, inside)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How an event is compiled, and its cell.
    fn code(&self, thread: usize, event: &ThreadEvent) -> (Access, Order, Option<usize>) {
        let cell = |var: &VarId| self.shared.iter().position(|other| other == var);
        let message = |thread: usize, is_end: bool| Some(self.shared.len() + 2 * thread + usize::from(is_end));
        match event {
            ThreadEvent::Read(var, order, _) => (Access::Load, *order, cell(var)),
            ThreadEvent::Write(var, order, _) => (Access::Store, *order, cell(var)),
            ThreadEvent::Update(var, order, _, _) => (Access::Update, *order, cell(var)),
            ThreadEvent::Fence(order) => (Access::Fence, *order, None),
            ThreadEvent::Begins => (Access::Load, Order::Acquire, message(thread, false)),
            ThreadEvent::Joins(other) => (Access::Load, Order::Acquire, message(*other as usize, true)),
            ThreadEvent::Starts(new) => (Access::Store, Order::Release, message(*new as usize, false)),
            ThreadEvent::Ends => (Access::Store, Order::Release, message(thread, true)),
        }
    }

    /// What is known of the execution of a trial; nothing if a thread sees the writes of a cell in two orders.
    fn execution(&self, trial: &Trial) -> Option<(Execution, Vec<Vec<Stay>>)> {
        let mut table = Table::default();
        for cell in 0..self.shared.len() {
            table.add(None, Kind::Write, &[], Some(cell), (Order::Relaxed, false));
        }
        // Each thread's events: where each begins, with its read and its write; then where the last ends.
        let mut rows: Vec<Vec<Compiled>> = Vec::new();
        for (thread, way) in trial.ways.iter().enumerate() {
            let mut row = Vec::new();
            for (event, _) in way.iter().flat_map(|way| &way.events) {
                let (access, order, cell) = self.code(thread, event);
                let code = self.mapping.compile(access, order);
                let first = table.events.len();
                let how = (order, access == Access::Update);
                table.fences(thread, code.before);
                let reads = matches!(access, Access::Load | Access::Update);
                let read = reads.then(|| table.add(Some(thread), Kind::Read, code.read, cell, how));
                let writes = matches!(access, Access::Store | Access::Update);
                let write = writes.then(|| table.add(Some(thread), Kind::Write, code.write, cell, how));
                table.fences(thread, code.after);
                row.push((first, read, write));
            }
            row.push((table.events.len(), None, None));
            rows.push(row);
        }
        let first_single = table.events.len();
        for (thread, _, event) in &trial.single {
            let (access, order, cell) = self.code(*thread, event);
            let tags = self.mapping.compile(access, order).write;
            table.add(Some(*thread), Kind::Write, tags, cell, (order, access == Access::Update));
        }
        let n = table.events.len();
        let mut po = Relation::empty(n);
        for row in &rows {
            let (first, last) = (row[0].0, row[row.len() - 1].0);
            (first..last).for_each(|a| (a + 1..last).for_each(|b| po.insert(a, b)));
        }
        for (index, (thread, place, _)) in trial.single.iter().enumerate() {
            let (row, own) = (&rows[*thread], first_single + index);
            let last = row[row.len() - 1].0;
            (row[0].0..row[*place].0).for_each(|event| po.insert(event, own));
            (row[*place].0..last).for_each(|event| po.insert(own, event));
            for (other, (by, there, _)) in trial.single.iter().enumerate() {
                if by == thread && there > place {
                    po.insert(own, first_single + other);
                }
            }
        }
        let mut rf = Relation::empty(n);
        for ((thread, at), from) in &trial.from {
            let read = rows[*thread][*at].1?;
            let write = match from {
                From::Start => table.cells[read]?,
                From::Event(thread, at) => rows[*thread][*at].2?,
                From::Single(index) => first_single + index,
            };
            rf.insert(write, read);
        }
        let rmw = rows.iter().flatten().filter_map(|(_, read, write)| Some(((*read)?, (*write)?)));
        let rmw = Relation::of(n, rmw.collect::<Vec<_>>());
        let mut execution = table.finish(self.shared.len(), (po, rf, rmw), self.mapping.uses_exclusives)?;
        let inside = self.inside(trial, &rows);
        is_one_by_one(&inside, &mut execution.co).then(|| (self.told(execution, &inside), inside))
    }

    /// The stays inside of each lock, by events.
    fn inside(&self, trial: &Trial, rows: &[Vec<Compiled>]) -> Vec<Vec<Stay>> {
        let event = |thread: usize, at: usize| rows[thread][at].2.unwrap_or(rows[thread][at].0);
        let of_lock = |lock: &Lock| {
            let ways = trial.ways.iter().enumerate().filter_map(|(thread, way)| Some((thread, way.as_ref()?)));
            let stays = ways.flat_map(|(thread, way)| lock.stays(thread, way));
            stays
                .map(|(thread, enters, leaves)| (thread, event(thread, enters), leaves.map(|at| event(thread, at))))
                .collect()
        };
        self.locks.iter().map(of_lock).collect()
    }

    /// Adds a message from each out to each later in of an ordered lock: what precedes the first happens before what follows the second.
    fn told(&self, before: Execution, inside: &[Vec<Stay>]) -> Execution {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (_, stays) in self.locks.iter().zip(inside).filter(|(lock, _)| lock.is_ordered) {
            for (a, _, out) in stays {
                let later = stays
                    .iter()
                    .filter(|(b, enters, _)| a != b && out.is_some_and(|out| before.co.contains(out, *enters)));
                pairs.extend(later.filter_map(|(_, enters, _)| Some(((*out)?, *enters))));
            }
        }
        let mut table = Table { events: before.shape.events, cells: before.cells };
        let mut po: Vec<(usize, usize)> = before.shape.po.iter().collect();
        let mut rf: Vec<(usize, usize)> = before.rf.iter().collect();
        let own = |thread: Option<u32>| thread.map(|thread| thread as usize);
        for (number, &(from, to)) in pairs.iter().enumerate() {
            let cell = Some(usize::MAX - number);
            let start = table.events.len();
            let sends = self.mapping.compile(Access::Store, Order::Release);
            let (sender, receiver) = (own(table.events[from].thread), own(table.events[to].thread));
            if let Some(sender) = sender {
                table.fences(sender, sends.before);
            }
            let write = table.add(sender, Kind::Write, sends.write, cell, (Order::Release, false));
            let tags = self.mapping.compile(Access::Load, Order::Acquire).read;
            let read = table.add(receiver, Kind::Read, tags, cell, (Order::Acquire, false));
            for (a, b) in before.shape.po.iter() {
                for new in start..=write {
                    po.extend((b == from).then_some((a, new)));
                    po.extend((a == from).then_some((new, b)));
                }
                po.extend((b == to).then_some((a, read)));
                po.extend((a == to).then_some((read, b)));
            }
            (start..=write).for_each(|new| po.push((new, from)));
            (start..write).for_each(|fence| po.push((fence, write)));
            po.push((to, read));
            rf.push((write, read));
        }
        let n = table.events.len();
        let grown = |relation: &Relation| Relation::of(n, relation.iter().collect::<Vec<_>>());
        let shape = Shape {
            events: table.events,
            po: Relation::of(n, po),
            rmw: grown(&before.shape.rmw),
            uses_exclusives: before.shape.uses_exclusives,
        };
        let dependencies = before.dependencies.map(|relation| grown(&relation));
        Execution {
            shape,
            cells: table.cells,
            values: vec![0; n],
            rf: Relation::of(n, rf),
            co: grown(&before.co),
            dependencies,
        }
    }
}

/// The events of one event of a way: the first of them, its read and its write.
type Compiled = (usize, Option<usize>, Option<usize>);

/// The events of an execution while they are collected.
#[derive(Default)]
struct Table {
    events: Vec<Event>,
    cells: Vec<Option<usize>>,
}

impl Table {
    fn add(
        &mut self,
        thread: Option<usize>,
        kind: Kind,
        tags: &'static [&'static str],
        cell: Option<usize>,
        (order, is_update): (Order, bool),
    ) -> usize {
        let thread = thread.map(|thread| thread as u32);
        let is_plain = order == Order::Plain;
        self.events.push(Event { thread, kind, tags, is_update, failed: None, is_plain, message: None });
        self.cells.push(cell);
        self.events.len() - 1
    }

    fn fences(&mut self, thread: usize, tags: &'static [&'static str]) {
        for at in 0..tags.len() {
            self.add(Some(thread), Kind::Fence, &tags[at..=at], None, (Order::Relaxed, false));
        }
    }

    /// Adds messages, and the order of writes that each thread sees.
    fn finish(
        self,
        n_shared: usize,
        (po, mut rf, rmw): (Relation, Relation, Relation),
        uses_exclusives: bool,
    ) -> Option<Execution> {
        let n = self.events.len();
        let mut co = Relation::empty(n);
        let is_write = |event: usize| self.events[event].kind == Kind::Write;
        for write in (0..n).filter(|event| is_write(*event)) {
            for other in (0..n).filter(|other| *other != write && self.cells[*other] == self.cells[write]) {
                if !is_write(other) && self.cells[write] >= Some(n_shared) {
                    rf.insert(write, other);
                }
                if is_write(other) && self.events[write].thread.is_none() {
                    co.insert(write, other);
                }
            }
        }
        // Each access sees a write: its own, or the one that it reads.
        let mut seen: Vec<(usize, usize)> =
            (0..n).filter(|event| is_write(*event)).map(|event| (event, event)).collect();
        seen.extend(rf.iter().map(|(write, read)| (read, write)));
        for (earlier, one) in &seen {
            for (later, other) in &seen {
                if one != other && self.cells[*one] == self.cells[*other] && po.contains(*earlier, *later) {
                    co.insert(*one, *other);
                }
            }
        }
        co.close();
        let reads_ahead = seen.iter().any(|(access, write)| po.contains(*access, *write));
        if co.has_loop() || reads_ahead {
            return None;
        }
        let none = || Relation::empty(n);
        let shape = Shape { events: self.events, po, rmw, uses_exclusives };
        let dependencies = std::array::from_fn(|_| none());
        Some(Execution { shape, cells: self.cells, values: vec![0; n], rf, co, dependencies })
    }
}

impl Trial {
    fn with(&self, read: (usize, usize), from: From) -> Trial {
        let mut next = self.clone();
        next.from.push((read, from));
        next
    }

    /// The trial with `n` more events in a thread's way from a place on.
    fn longer(&self, thread: usize, place: usize, n: usize, way: Way) -> Trial {
        let mut next = self.clone();
        let shift = |(by, at): (usize, usize)| (by, if by == thread && at >= place { at + n } else { at });
        for (read, from) in &mut next.from {
            *read = shift(*read);
            if let From::Event(by, at) = from {
                let (_, moved) = shift((*by, *at));
                *at = moved;
            }
        }
        next.ways[thread] = Some(way);
        next
    }

    /// A read without a source; those that were put back come later.
    fn open_read(&self) -> Option<((usize, usize), ThreadEvent)> {
        let mut open = Vec::new();
        for (thread, way) in self.ways.iter().enumerate() {
            for (at, (event, depth)) in way.iter().flat_map(|way| way.events.iter().enumerate()) {
                let has_source = self.from.iter().any(|(read, _)| *read == (thread, at));
                if event.reads().is_some() && !has_source {
                    open.push((*depth, (thread, at), event.clone()));
                }
            }
        }
        open.into_iter().min_by_key(|(depth, place, _)| (*depth, *place)).map(|(_, place, event)| (place, event))
    }
}

/// Adds to an order of writes that stays inside of a lock come one after the other; false if they cannot.
fn is_one_by_one(inside: &[Vec<Stay>], co: &mut Relation) -> bool {
    loop {
        let mut more = Vec::new();
        for stays in inside {
            for (a, enters, leaves) in stays {
                for (b, later, ends) in stays.iter().filter(|(b, _, _)| a != b) {
                    // The stay of `a` is the earlier one if that of `b` is not over, or it went in first.
                    if ends.is_some() && !co.contains(*enters, *later) {
                        continue;
                    }
                    let Some(leaves) = leaves else { return false };
                    if !co.contains(*leaves, *later) {
                        more.push((*leaves, *later));
                    }
                    debug_assert_ne!(a, b);
                }
            }
        }
        if more.is_empty() {
            return true;
        }
        more.into_iter().for_each(|(leaves, later)| co.insert(leaves, later));
        co.close();
        if co.has_loop() {
            return false;
        }
    }
}

/// Whether others may read what an event tells.
fn is_told(event: &ThreadEvent) -> bool {
    matches!(event, ThreadEvent::Starts(_) | ThreadEvent::Ends) || event.writes().is_some()
}

/// Whether every thread that is there was started, every end that was seen happened, and no thread goes further than what others may have seen of it.
fn is_closed(graphs: &ThreadGraphs, goal: usize, chosen: &[Option<Way>]) -> bool {
    let has = |thread: usize, event: &ThreadEvent| chosen[thread].as_ref().is_some_and(|way| way.has(event));
    chosen.iter().enumerate().all(|(thread, way)| {
        let Some(way) = way else { return true };
        let starts = ThreadEvent::Starts(thread as u32);
        let is_started = graphs.threads[thread].started.is_none_or(|(by, _, _)| has(by as usize, &starts));
        let mut joined = way.events.iter().filter_map(|(event, _)| match event {
            ThreadEvent::Joins(other) => Some(*other as usize),
            _ => None,
        });
        is_started
            && joined.all(|other| has(other, &ThreadEvent::Ends))
            && (thread == goal || is_seen(thread, way, chosen))
    })
}

/// Whether another thread may have read what a way ends with.
fn is_seen(thread: usize, way: &Way, chosen: &[Option<Way>]) -> bool {
    let Some((last, _)) = way.events.last() else { return false };
    let mut others =
        chosen.iter().enumerate().filter(|(other, _)| *other != thread).filter_map(|(_, way)| way.as_ref());
    others.any(|other| {
        other.events.iter().map(|(event, _)| event).chain(other.all_cut()).any(|event| match (last, event) {
            (ThreadEvent::Starts(_), ThreadEvent::Begins) => true,
            (ThreadEvent::Ends, ThreadEvent::Joins(joined)) => *joined as usize == thread,
            _ => last.writes().is_some() && last.writes() == event.reads(),
        })
    })
}
