//! What has been unrolled so far? Guarded events on nodes, the terms they are made of, and the sections they are in.
//!
//! Known as: the event graph, symbolic event structure. Everything that makes events goes through here: symbolic execution makes nodes in program order, and every read
//! and write says which locks are held. A node is a point in time; all accesses of an atomic section, or of a step with several, are on one.
//!
//! Invariant: events and nodes of a thread are made in an order that agrees with all its ways.

use super::atomic_sections::AtomicSections;
use super::places::{PlaceKey, Places};
use crate::bmc::locks::critical_sections::{Held, Sections};
use crate::bmc::unroll::path_conditions::Points;
use crate::bmc::unroll::state::{State, Walk};
use ir::Model;
use logic::{Pool, Sort, TermId, Value};
use memory::events::{Events, Kind, Read, START, Write};
use rustc_hash::FxHashMap;

/// What has been unrolled so far.
#[derive(Debug)]
pub(crate) struct EventGraph {
    pub(crate) pool: Pool,
    pub(crate) points: Points,
    pub(crate) events: Events,
    pub(crate) places: Places,
    pub(crate) locks: Sections,
    pub(crate) atomic: AtomicSections,
    pub(super) model: Model,
    /// The point of each node.
    point_of: FxHashMap<u32, u32>,
    /// The place of each read, to find its initial value.
    read_keys: Vec<PlaceKey>,
    /// The node at the end of everything, if somebody asks about it.
    last: Option<u32>,
}

impl EventGraph {
    /// No events. With `has_last` there is a node at the end of everything.
    pub(crate) fn new(mut pool: Pool, places: Places, locks: Sections, model: Model, has_last: bool) -> EventGraph {
        let points = Points::new(&mut pool);
        let mut events = Events::new();
        let last = has_last.then(|| events.node(u32::MAX, &[START]));
        EventGraph {
            pool,
            points,
            events,
            places,
            locks,
            atomic: AtomicSections::default(),
            model,
            point_of: FxHashMap::default(),
            read_keys: Vec::new(),
            last,
        }
    }

    /// A variable of the solver.
    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> TermId {
        let var = self.pool.declare(name, sort);
        self.pool.var(var)
    }

    /// Whether a term is true, whatever happens.
    pub(crate) fn is_true(&self, term: TermId) -> bool {
        self.pool.as_const(term) == Some(&Value::Bool(true))
    }

    /// Whether a term is false, whatever happens.
    pub(crate) fn is_false(&self, term: TermId) -> bool {
        self.pool.as_const(term) == Some(&Value::Bool(false))
    }

    /// How many reads and writes there are.
    pub(crate) fn n_events(&self) -> (usize, usize) {
        (self.events.reads.len(), self.events.writes.len())
    }

    /// The point of the control flow that a node is at.
    pub(crate) fn point_of(&self, node: u32) -> u32 {
        self.point_of.get(&node).copied().unwrap_or(0)
    }

    /// The node at the end of everything, if there is one.
    pub(crate) fn last(&self) -> Option<u32> {
        self.last
    }

    /// The place of each read.
    pub(crate) fn read_keys(&self) -> &[PlaceKey] {
        &self.read_keys
    }

    /// A node after what the thread did last, and after a fence that is due.
    pub(crate) fn node_after(&mut self, thread: u32, state: &mut State, kind: Kind) -> u32 {
        if kind != Kind::Fence {
            self.make_fence(thread, state);
        }
        state.wants_fence = false;
        let node = self.events.node_of_kind(thread, &state.frontier, kind);
        self.point_of.insert(node, state.point);
        state.frontier.clear();
        state.frontier.push(node);
        node
    }

    /// A fence that is due becomes a node.
    pub(crate) fn make_fence(&mut self, thread: u32, state: &mut State) {
        if state.wants_fence {
            self.node_after(thread, state, Kind::Fence);
        }
    }

    /// The node of the step; all its accesses are one.
    pub(crate) fn node(&mut self, walk: &mut Walk) -> u32 {
        if let Some(node) = walk.node {
            return node;
        }
        let is_inside = walk.is_inside();
        let node = match walk.state.section {
            Some(node) if is_inside => node,
            _ => {
                let kind = if is_inside || walk.is_fence { Kind::Fence } else { Kind::Run };
                self.node_after(walk.thread, &mut walk.state, kind)
            }
        };
        if is_inside {
            walk.state.section = Some(node);
            self.atomic.enter(node);
        }
        walk.node = Some(node);
        walk.record.node = Some(node);
        node
    }

    /// The atomic section ends, or opens while its thread waits.
    pub(crate) fn leave_section(&mut self, walk: &mut Walk) {
        if let Some(node) = walk.state.section.take() {
            self.atomic.leave(node, walk.state.point);
        }
    }

    /// Adds a read of a place.
    pub(crate) fn add_read(&mut self, held: &Held, key: PlaceKey, read: Read) {
        self.events.reads.push(read);
        self.read_keys.push(key);
        self.locks.note_read(held);
    }

    /// Adds a write; with `hides`, others of the same node may be to the same cell, and it hides them.
    pub(crate) fn add_write(&mut self, held: &Held, new: Write, hides: bool) {
        if hides {
            for index in self.atomic.writes(new.node) {
                let write = self.events.writes[*index];
                if write.place != new.place || self.pool.sort(write.value) != self.pool.sort(new.value) {
                    continue;
                }
                let same = match (write.addr, new.addr) {
                    (Some(a), Some(b)) => self.pool.eq(a, b),
                    _ => self.pool.bool(true),
                };
                let hides = self.pool.and(new.guard, same);
                if self.pool.as_const(hides) == Some(&Value::Bool(false)) {
                    continue;
                }
                let not = self.pool.not(hides);
                let write = &mut self.events.writes[*index];
                write.guard = self.pool.and(write.guard, not);
                write.is_hidden = true;
            }
            self.atomic.note_write(new.node, self.events.writes.len());
        }
        self.events.writes.push(new);
        self.locks.note_write(held);
    }

    /// What happens in atomic sections counts only if these come to their ends; `guards` are further guards, each of a node and a point.
    pub(crate) fn complete_sections<'g>(&mut self, guards: impl Iterator<Item = (u32, u32, &'g mut TermId)>) {
        let whole = std::mem::take(&mut self.atomic).complete(&mut self.points, &mut self.pool);
        for read in &mut self.events.reads {
            read.guard = whole.guard(&self.points, &mut self.pool, (read.node, read.point), read.guard);
        }
        for write in &mut self.events.writes {
            let guard = whole.guard(&self.points, &mut self.pool, (write.node, write.point), write.guard);
            write.is_hidden |= guard != write.guard;
            write.guard = guard;
        }
        for (node, point, guard) in guards {
            *guard = whole.guard(&self.points, &mut self.pool, (node, point), *guard);
        }
    }
}
