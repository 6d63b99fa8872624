//! Which events does the unrolled program have for a memory model in cat? One for each access and fence, initial writes, and the messages by which threads begin and end.
//!
//! `memory::events` has reads and writes on nodes; a cat model talks about events with tags. Here every read, write and fence becomes one, with the fences that the
//! compiler mapping adds around it. Places are told apart as there. A cell has an initial write for each term that is its address: if two of them are
//! the same cell, both stand for what was there at first, and a read takes the one of its own address.
//!
//! Invariant: `shape.events`, `sites` and all relations count the same events, initial writes first.

use super::lifetimes::Open;
use super::plain_places;
use crate::bmc::unrolled::{Target, Unrolled};
use ir::{Kernel, Order};
use logic::{TermId, Value};
use memory::events::{How, START};
use memory::graph::mapping::{Access, Compiled, Mapping, Tags};
use memory::graph::{Dependency, Event, Kind, Shape};
use memory::order::Closure;
use memory::relation::Relation;
use rustc_hash::FxHashMap;

/// What an event stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// What was in a cell at first.
    Initial,
    /// A read, by its number.
    Read(usize),
    /// A write, by its number.
    Write(usize),
    Fence,
    /// A use of an object and an end of one, by the numbers of the read and the write of whether it is live.
    Use(usize),
    Over(usize),
    /// The beginning of a thread: by whoever starts it, and by itself.
    Starts(u32),
    Started(u32),
    /// The end of a thread, and a join, by its number among meetings.
    Ends(u32),
    Joins(usize),
}

/// What is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Location {
    /// Cells of a place.
    Memory(u32, Option<TermId>),
    /// The message that starts a thread.
    Start(u32),
    /// The message that ends one; `None` where it is not known whose.
    End(Option<u32>),
}

/// An event before it is known whether it happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) what: What,
    pub(super) guard: TermId,
    /// The point of the control flow, if that is all that its guard says.
    point: Option<u32>,
    pub(super) location: Option<Location>,
    pub(super) value: Option<TermId>,
    pub(super) how: How,
    node: u32,
    /// The place among the events of a node.
    rank: u32,
    /// The thread whose end it belongs to: it comes after all of it.
    end_of: Option<u32>,
    /// The access or fence of the program that it belongs to.
    of: Option<Target>,
}

/// All events.
pub(super) struct Sites {
    pub(super) shape: Shape,
    pub(super) sites: Vec<Site>,
    /// A pair says that the second event happens if the first does.
    pub(super) implied: Relation,
    /// The initial write that a read of a location takes.
    pub(super) initial_of: FxHashMap<Location, usize>,
    /// From reads to what the mapping puts behind a branch.
    pub(super) branches: Vec<(usize, usize)>,
    /// Events whose place is plain unless one of these atomic accesses happens there.
    pub(super) perhaps_plain: Vec<(usize, Vec<usize>)>,
    /// Reads that are no events: by which thread, and how.
    pub(super) settled: Vec<(u32, How)>,
}

impl Sites {
    /// Dependencies of a kind: from which read to which event, and when.
    pub(super) fn dependencies(&self, unrolled: &mut Unrolled, kind: Dependency) -> Vec<(usize, usize, TermId)> {
        let mut of: FxHashMap<Target, Vec<usize>> = FxHashMap::default();
        for (event, site) in self.sites.iter().enumerate() {
            // Fences that stand beside an access depend on branches only.
            let is_own = matches!(site.what, What::Read(_) | What::Write(_));
            if let Some(target) = site.of.filter(|_| is_own || kind == Dependency::Control) {
                of.entry(target).or_default().push(event);
            }
        }
        let read_at = |number: usize| {
            let events = of.get(&Target::Read(number))?;
            events.iter().copied().find(|event| self.sites[*event].what == What::Read(number))
        };
        let mut found: Vec<(usize, usize, TermId)> = Vec::new();
        for depends in unrolled.depends.iter().filter(|depends| depends.kind == kind) {
            let Some(from) = read_at(depends.from) else { continue };
            let to = of.get(&depends.to).map_or(&[][..], Vec::as_slice);
            found.extend(to.iter().filter(|to| **to != from).map(|to| (from, *to, depends.when)));
        }
        if kind == Dependency::Control {
            let yes = unrolled.pool.bool(true);
            found.extend(self.branches.iter().map(|(read, fence)| (*read, *fence, yes)));
        }
        found.sort_unstable();
        let mut united: Vec<(usize, usize, TermId)> = Vec::new();
        for (from, to, when) in found {
            match united.last_mut() {
                Some((a, b, known)) if (*a, *b) == (from, to) => *known = unrolled.pool.or(*known, when),
                _ => united.push((from, to, when)),
            }
        }
        united
    }
}

/// What is no event like the others.
pub(super) struct Apart<'a> {
    /// The place that says whether objects are live.
    pub(super) is_live: &'a dyn Fn(u32) -> bool,
    pub(super) open: &'a Open,
    /// Whether a read finds what was there at first, for each; none does if nothing is said.
    pub(super) settled: &'a [bool],
}

impl Apart<'_> {
    /// Whether a read of a place is an event.
    fn reads(&self, index: usize, place: u32) -> bool {
        !(self.is_live)(place) && !self.settled.get(index).is_some_and(|is_settled| *is_settled)
    }
}

struct Builder<'a> {
    unrolled: &'a Unrolled,
    mapping: &'a Mapping,
    events: Vec<Event>,
    sites: Vec<Site>,
    rmw: Vec<(usize, usize)>,
    branches: Vec<(usize, usize)>,
    /// When the attempt of a read fails.
    fails: FxHashMap<usize, TermId>,
    /// When a receive that waits happens.
    received: FxHashMap<usize, TermId>,
}

/// A use of an object, or its end, at a moment: its guard, its point and its node.
fn life(what: What, (guard, point, node): (TermId, Option<u32>, u32), at: Location, how: How, rank: u32) -> Site {
    Site { what, guard, point, location: Some(at), value: None, how, node, rank, end_of: None, of: None }
}

/// The events of an unrolled program.
pub(super) fn sites(unrolled: &mut Unrolled, closure: &Closure, mapping: &Mapping, apart: &Apart<'_>) -> Sites {
    let yes = unrolled.pool.bool(true);
    let (mut fails, mut received) = (FxHashMap::default(), FxHashMap::default());
    for (index, read) in unrolled.events.reads.iter().enumerate() {
        if let Some((when, _)) = read.how.failure {
            fails.insert(index, unrolled.pool.and(read.guard, when));
        }
        if let (Some(_), Some(accepts)) = (read.how.order.message(), read.accepts) {
            received.insert(index, unrolled.pool.and(read.guard, accepts));
        }
    }
    let (events, sites, rmw, branches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut builder = Builder { unrolled, mapping, events, sites, rmw, branches, fails, received };
    let mut initial_of = FxHashMap::default();
    builder.initial(yes, &mut initial_of, apart);
    builder.accesses(apart);
    builder.lives(apart.open);
    builder.fences();
    builder.meetings();
    let settled = builder.settled(apart.settled);
    let Builder { mut events, sites, rmw, mut branches, .. } = builder;
    let perhaps_plain = plain_places::tell(&mut events, &sites, &unrolled.pool);
    let n = events.len();
    let mut shape =
        Shape { events, po: Relation::empty(n), rmw: Relation::of(n, rmw), uses_exclusives: mapping.uses_exclusives };
    let is_before = |a: usize, b: usize| {
        let (one, other) = (&sites[a], &sites[b]);
        match (one.end_of, other.end_of) {
            (Some(_), None) => false,
            (None, Some(thread)) => {
                let ends = &unrolled.threads[thread as usize].ends;
                ends.iter().any(|end| one.node == *end || closure.is_before(one.node, *end))
            }
            _ if one.node == other.node => one.rank < other.rank,
            _ => closure.is_before(one.node, other.node),
        }
    };
    for a in 0..n {
        for b in 0..n {
            let thread = shape.events[a].thread;
            if a != b && thread.is_some() && thread == shape.events[b].thread && is_before(a, b) {
                shape.po.insert(a, b);
            }
        }
    }
    // A compare-exchange that is a loop of exclusives compares and branches: all that follows depends on what it has read.
    for read in (0..n).filter(|_| mapping.uses_exclusives) {
        if matches!(sites[read].what, What::Read(_)) && sites[read].how.failure.is_some() {
            branches.extend(shape.po.successors(read).map(|later| (read, later)));
        }
    }
    let implied = implied(unrolled, &sites);
    Sites { shape, sites, implied, initial_of, branches, settled, perhaps_plain }
}

/// Which events happen if another one does: those on every way to it, and what a join waits for.
fn implied(unrolled: &Unrolled, sites: &[Site]) -> Relation {
    let n = sites.len();
    let mut implied = Relation::identity(n);
    let is_sure = |site: &Site| unrolled.pool.as_const(site.guard) == Some(&Value::Bool(true));
    for (b, below) in sites.iter().enumerate() {
        for (a, above) in sites.iter().enumerate() {
            let dominates = match (above.point, below.point) {
                (Some(above), Some(below)) => unrolled.points.dominates(above, below),
                _ => false,
            };
            let is_joined = matches!((below.what, above.what), (What::Joins(_), What::Ends(thread)) if below.location == Some(Location::End(Some(thread))));
            if dominates || is_sure(above) || above.guard == below.guard || is_joined {
                implied.insert(b, a);
            }
        }
    }
    implied
}

impl Builder<'_> {
    fn push(&mut self, thread: Option<u32>, kind: Kind, tags: Tags, site: Site) -> usize {
        let is_plain = site.how.order == Order::Plain;
        self.events.push(Event {
            thread,
            kind,
            tags,
            is_update: false,
            failed: None,
            is_plain,
            message: site.how.order.message(),
        });
        self.sites.push(site);
        self.events.len() - 1
    }

    /// The point of an event, if its guard is that of the point.
    fn point_of(&self, point: u32, guard: TermId) -> Option<u32> {
        (self.unrolled.points.guard(point) == guard).then_some(point)
    }

    fn initial(&mut self, yes: TermId, of: &mut FxHashMap<Location, usize>, apart: &Apart<'_>) {
        let events = &self.unrolled.events;
        let Apart { is_live, open, .. } = *apart;
        let reads = events.reads.iter().enumerate();
        let reads = reads.filter(|(i, read)| apart.reads(*i, read.place) || open.uses.contains(i));
        let reads = reads.map(|(i, read)| (read.place, read.addr, read.how, Some(i)));
        let writes = events.writes.iter().enumerate();
        let writes = writes.filter(|(i, write)| !is_live(write.place) || open.ends.contains(i));
        let writes = writes.map(|(_, write)| (write.place, write.addr, write.how, None));
        // Nothing was sent before the start.
        let accesses = reads.chain(writes).filter(|(_, _, how, _)| how.order.message().is_none());
        for (place, addr, _, read) in accesses.collect::<Vec<_>>() {
            let location = Location::Memory(place, addr);
            let next = self.events.len();
            let index = *of.entry(location).or_insert(next);
            if index == next {
                let how = How::default();
                let (what, guard, point) = (What::Initial, yes, Some(0));
                let location = Some(location);
                let site = Site {
                    what,
                    guard,
                    point,
                    location,
                    value: None,
                    how,
                    node: START,
                    rank: 0,
                    end_of: None,
                    of: None,
                };
                self.push(None, Kind::Write, &[], site);
            }
            if let Some(read) = read {
                self.sites[index].value = Some(self.unrolled.initial[read]);
            }
        }
    }

    fn around(&mut self, thread: u32, fences: Tags, site: Site) -> Vec<usize> {
        let mut made = Vec::new();
        for at in 0..fences.len() {
            let site = Site { what: What::Fence, location: None, value: None, rank: site.rank + at as u32, ..site };
            made.push(self.push(Some(thread), Kind::Fence, &fences[at..=at], site));
        }
        made
    }

    fn accesses(&mut self, apart: &Apart<'_>) {
        let events = &self.unrolled.events;
        // The write of each update stands on the node of its read.
        let mut write_at: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        // A receive writes nothing.
        let never = |guard: TermId| self.unrolled.pool.as_const(guard) == Some(&Value::Bool(false));
        let mut is_done = vec![false; events.writes.len()];
        for (index, write) in events.writes.iter().enumerate() {
            if write.how.order.message().is_some() && never(write.guard) {
                is_done[index] = true;
            } else {
                write_at.insert((write.node, write.place), index);
            }
        }
        for (index, read) in events.reads.iter().enumerate() {
            if !apart.reads(index, read.place) {
                continue;
            }
            if read.how.order == Order::Kernel(Kernel::SyncSrcu) {
                self.grace_period(index);
                continue;
            }
            let write = write_at.get(&(read.node, read.place)).copied();
            let access = if write.is_some() { Access::Update } else { Access::Load };
            let compiled = self.mapping.compile(access, read.how.order);
            let is_message = read.how.order.message().is_some();
            let failed = read.how.failure.filter(|_| !is_message);
            let failed = failed.map(|(_, order)| self.mapping.compile(Access::Load, order));
            // A receive that waits for ever does not happen.
            let guard = self.received.get(&index).copied().unwrap_or(read.guard);
            let point = self.point_of(read.point, guard);
            let location = Some(Location::Memory(read.place, read.addr));
            let (what, value) = (What::Read(index), Some(read.value));
            let site = Site {
                what,
                guard,
                point,
                location,
                value,
                how: read.how,
                node: read.node,
                rank: 10,
                end_of: None,
                of: Some(Target::Read(index)),
            };
            let failure = failed.zip(self.fails.get(&index).copied());
            let success = match write {
                Some(write) => self.unrolled.events.writes[write].guard,
                None => guard,
            };
            let succeeds = Site { guard: success, point: self.point_of(read.point, success), ..site };
            self.around(read.thread, compiled.before, Site { rank: 0, ..succeeds });
            if let Some((failed, when)) = failure {
                self.around(read.thread, failed.before, Site { rank: 5, guard: when, point: None, ..site });
            }
            let own = self.push(Some(read.thread), Kind::Read, compiled.read, site);
            self.events[own].is_update = write.is_some();
            self.events[own].failed = failed.map(|failed| failed.read);
            if let Some(write) = write {
                is_done[write] = true;
                let second = self.write(write, compiled.write, 20);
                self.events[second].is_update = true;
                self.rmw.push((own, second));
            }
            self.after(read.thread, own, compiled, Site { rank: 30, ..succeeds });
            if let Some((failed, when)) = failure {
                self.after(read.thread, own, failed, Site { rank: 40, guard: when, point: None, ..site });
            }
        }
        for (index, is_done) in is_done.iter().enumerate() {
            let write = &self.unrolled.events.writes[index];
            if *is_done || (apart.is_live)(write.place) {
                continue;
            }
            let compiled = self.mapping.compile(Access::Store, write.how.order);
            let own = self.write(index, compiled.write, 20);
            let site = self.sites[own];
            self.around(write.thread, compiled.before, Site { rank: 0, ..site });
            self.around(write.thread, compiled.after, Site { rank: 30, ..site });
        }
    }

    /// A wait for the readers of a structure: a fence that has a place.
    fn grace_period(&mut self, index: usize) {
        let read = self.unrolled.events.reads[index];
        let compiled = self.mapping.compile(Access::Load, read.how.order);
        let moment = (read.guard, self.point_of(read.point, read.guard), read.node);
        let site = life(What::Fence, moment, Location::Memory(read.place, read.addr), read.how, 10);
        let site = Site { of: Some(Target::Read(index)), ..site };
        self.push(Some(read.thread), Kind::Fence, compiled.read, site);
    }

    fn settled(&self, settled: &[bool]) -> Vec<(u32, How)> {
        let reads = self.unrolled.events.reads.iter().zip(settled).filter(|(_, is_settled)| **is_settled);
        reads.map(|(read, _)| (read.thread, read.how)).collect()
    }

    /// Uses and ends of objects, whatever the order of the access that uses one.
    fn lives(&mut self, open: &Open) {
        let Compiled { read: of_use, write: of_end, .. } = self.mapping.compile(Access::Update, Order::Plain);
        let plain = |how: How| How { order: Order::Plain, failure: None, ..how };
        for &index in &open.uses {
            let read = self.unrolled.events.reads[index];
            let location = Location::Memory(read.place, read.addr);
            let moment = (read.guard, self.point_of(read.point, read.guard), read.node);
            let site = life(What::Use(index), moment, location, plain(read.how), 10);
            self.push(Some(read.thread), Kind::Read, of_use, site);
        }
        for &index in &open.ends {
            let write = self.unrolled.events.writes[index];
            let location = Location::Memory(write.place, write.addr);
            let moment = (write.guard, self.point_of(write.point, write.guard), write.node);
            let site = life(What::Over(index), moment, location, plain(write.how), 20);
            self.push(Some(write.thread), Kind::Write, of_end, site);
        }
    }

    fn write(&mut self, index: usize, tags: Tags, rank: u32) -> usize {
        let write = &self.unrolled.events.writes[index];
        let point = self.point_of(write.point, write.guard);
        let location = Some(Location::Memory(write.place, write.addr));
        let (what, value) = (What::Write(index), Some(write.value));
        let site = Site {
            what,
            guard: write.guard,
            point,
            location,
            value,
            how: write.how,
            node: write.node,
            rank,
            end_of: None,
            of: Some(Target::Write(index)),
        };
        self.push(Some(write.thread), Kind::Write, tags, site)
    }

    fn after(&mut self, thread: u32, read: usize, compiled: Compiled, site: Site) {
        let fences = self.around(thread, compiled.after, site);
        if let (true, Some(first)) = (compiled.branches, fences.first()) {
            self.branches.push((read, *first));
        }
    }

    fn fences(&mut self) {
        for (number, fence) in self.unrolled.events.fences.iter().enumerate() {
            let compiled = self.mapping.compile(Access::Fence, fence.order);
            let guard = self.unrolled.points.guard(fence.point);
            let how = How { order: fence.order, ..How::default() };
            let (what, point) = (What::Fence, Some(fence.point));
            let site = Site {
                what,
                guard,
                point,
                location: None,
                value: None,
                how,
                node: fence.node,
                rank: 0,
                end_of: None,
                of: Some(Target::Fence(number)),
            };
            self.around(fence.thread, compiled.before, site);
        }
    }

    /// A message: a write with release order, or a read with acquire order, with what the mapping puts around it.
    fn message(&mut self, thread: u32, kind: Kind, site: Site) {
        let is_write = kind == Kind::Write;
        let (access, order) = if is_write { (Access::Store, Order::Release) } else { (Access::Load, Order::Acquire) };
        let compiled = self.mapping.compile(access, order);
        let site = Site { how: How { order, ..site.how }, ..site };
        // What stands before the first event of a thread, or after its last one, orders nothing.
        if is_write {
            self.around(thread, compiled.before, Site { what: What::Fence, ..site });
        }
        let own = self.push(
            Some(thread),
            kind,
            if is_write { compiled.write } else { compiled.read },
            Site { rank: site.rank + 10, ..site },
        );
        if !is_write {
            self.after(thread, own, compiled, Site { rank: site.rank + 20, ..site });
        }
    }

    fn meetings(&mut self) {
        let how = How::default();
        for (number, meeting) in self.unrolled.events.meetings.iter().enumerate() {
            let guard = self.unrolled.points.guard(meeting.point);
            let (point, node, rank) = (Some(meeting.point), meeting.node, 50);
            let site = Site {
                what: What::Fence,
                guard,
                point,
                location: None,
                value: None,
                how,
                node,
                rank,
                end_of: None,
                of: None,
            };
            match meeting.started {
                Some(child) => {
                    let location = Some(Location::Start(child));
                    self.message(meeting.thread, Kind::Write, Site { what: What::Starts(child), location, ..site });
                    let own = Site { what: What::Started(child), location, rank: 0, ..site };
                    self.message(child, Kind::Read, own);
                }
                None => {
                    let same = |thread: &u32| self.unrolled.threads[*thread as usize].handle == meeting.handle;
                    let mut whose = (0..self.unrolled.threads.len() as u32).filter(same);
                    // Threads that are started on different ways may have the same handle.
                    let whose = whose.next().filter(|_| whose.next().is_none());
                    let location = Some(Location::End(whose));
                    self.message(meeting.thread, Kind::Read, Site { what: What::Joins(number), location, ..site });
                }
            }
        }
        let has_joins = self.unrolled.events.meetings.iter().any(|meeting| meeting.started.is_none());
        for (thread, this) in self.unrolled.threads.iter().enumerate().filter(|_| has_joins) {
            if self.unrolled.pool.as_const(this.finished) == Some(&Value::Bool(false)) {
                continue;
            }
            let (thread, node) = (thread as u32, this.ends.first().copied().unwrap_or(START));
            let (what, location) = (What::Ends(thread), Some(Location::End(Some(thread))));
            let site = Site {
                what,
                guard: this.finished,
                point: None,
                location,
                value: None,
                how,
                node,
                rank: 60,
                end_of: Some(thread),
                of: None,
            };
            self.message(thread, Kind::Write, site);
        }
    }
}
