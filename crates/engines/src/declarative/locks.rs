//! Which shared variables are locks, and what follows for who is inside? Facts that no part of an execution shows, because they need an induction over all of it.
//!
//! A variable is a lock if in all graphs it is taken by updates from its initial value to another, given back by writes of the initial value, by whoever has it, and else only updated from
//! other values to other values. Then its writes take effect in this order: taken, updates by those who wait, given back by who took it, taken, and so on. For take the writes one by one: an
//! update reads the write just before it (atomicity), so one that takes it finds it free; and whoever gives it back took it before and has not given it back
//! since, so that it is the one who has it. Every model here has coherence and atomicity.
//!
//! So of two sections one is given back before the other is taken. If all who take acquire and all who give back release, that is happens-before as well, by the sections between
//! them: it is put in as a message, from before what gives back to after what takes, which adds no other order.

use super::growing::{Graphs, Growing};
use super::lanes::Lane;
use ir::{Known, ThreadEvent};
use logic::VarId;
use memory::relation::Relation;

/// A lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Lock {
    var: VarId,
    free: Known,
    /// Whether whoever takes it sees all that was done before it was given back.
    pub(super) synchronises: bool,
    /// The thread whose last event is asked about and may break the rules: the others, which were before it, keep them.
    apart: Option<usize>,
}

/// What an event does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Takes,
    Gives,
    Waits,
}

/// A section: the thread, the write that takes the lock, and the one that gives it back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Section<T> {
    pub(super) thread: usize,
    pub(super) take: T,
    pub(super) give: Option<T>,
}

impl Lock {
    /// The variable as a lock, if it is one in all graphs.
    fn of(graphs: &Graphs, var: VarId, free: &Known) -> Option<Lock> {
        let mut lock = Lock { var, free: free.clone(), synchronises: true, apart: None };
        let mut is_taken = false;
        for event in graphs.threads.iter().flat_map(|graph| &graph.edges).filter_map(|edge| edge.event.as_ref()) {
            if event.writes().is_none_or(|(other, _)| other != var) {
                continue;
            }
            let order = match event {
                ThreadEvent::Write(_, order, _) | ThreadEvent::Update(_, order, _, _) => *order,
                _ => return None,
            };
            match lock.role(event)? {
                Role::Takes => {
                    is_taken = true;
                    lock.synchronises &= order.acquires();
                }
                Role::Gives => lock.synchronises &= order.releases(),
                Role::Waits => {}
            }
        }
        (is_taken && graphs.threads.iter().all(|graph| lock.is_kept_by(graph))).then_some(lock)
    }

    /// What a write of it does; nothing if that has no place here.
    fn role(&self, event: &ThreadEvent) -> Option<Role> {
        let is_free = |value: &Known| match value {
            Known::Exactly(_) => Some(*value == self.free),
            _ => None,
        };
        match event {
            ThreadEvent::Write(_, _, value) => is_free(value)?.then_some(Role::Gives),
            ThreadEvent::Update(_, _, old, new) => match (is_free(old)?, is_free(new)?) {
                (true, false) => Some(Role::Takes),
                (false, true) => Some(Role::Gives),
                (false, false) => Some(Role::Waits),
                (true, true) => None,
            },
            _ => None,
        }
    }

    fn role_of(&self, event: &ThreadEvent) -> Option<Role> {
        event.writes().filter(|(var, _)| *var == self.var).and_then(|_| self.role(event))
    }

    /// Whether a thread takes it only while it does not have it, and gives it back only while it has.
    fn is_kept_by(&self, graph: &Growing) -> bool {
        let mut has: Vec<Option<bool>> = vec![None; graph.nodes.len()];
        has[0] = Some(false);
        let mut queue = vec![0u32];
        while let Some(node) = queue.pop() {
            let before = has[node as usize].expect("it was set when the node was put there");
            for edge in graph.out[node as usize].iter().map(|edge| &graph.edges[*edge as usize]) {
                let after = match (edge.event.as_ref().and_then(|event| self.role_of(event)), before) {
                    (Some(Role::Takes), false) => true,
                    (Some(Role::Gives), true) => false,
                    (Some(Role::Takes | Role::Gives), _) => return false,
                    _ => before,
                };
                match has[edge.to as usize] {
                    Some(other) if other != after => return false,
                    Some(_) => {}
                    None => {
                        has[edge.to as usize] = Some(after);
                        queue.push(edge.to);
                    }
                }
            }
        }
        true
    }

    /// The sections of a lane, by the places of their events. One is left out if a lap between its events may have given the lock back.
    pub(super) fn sections(&self, thread: usize, lane: &Lane) -> Vec<Section<usize>> {
        let changes = |event: &ThreadEvent| matches!(self.role_of(event), Some(Role::Takes | Role::Gives));
        let mut all = Vec::new();
        let n = lane.events.len() - usize::from(self.apart == Some(thread));
        for take in 0..n {
            if self.role_of(&lane.events[take]) != Some(Role::Takes) {
                continue;
            }
            let next = (take + 1..n).find(|at| changes(&lane.events[*at]));
            let last = next.unwrap_or(n);
            if (take + 1..=last).any(|gap| lane.laps(gap).any(changes)) {
                continue;
            }
            match next {
                Some(give) if self.role_of(&lane.events[give]) == Some(Role::Gives) => {
                    all.push(Section { thread, take, give: Some(give) });
                }
                Some(_) => {}
                None => all.push(Section { thread, take, give: None }),
            }
        }
        all
    }
}

/// The locks among these variables, if one more event of a thread is looked at that the graphs do not have. It may take a lock or wait for it; what else it does to it is no part of what
/// keeps the rules, but what was before it is: that is in the graphs, and an execution of its own.
pub(super) fn locks(graphs: &Graphs, initial: &[(VarId, Known)], more: Option<(u32, &ThreadEvent)>) -> Vec<Lock> {
    let mut locks: Vec<Lock> = initial.iter().filter_map(|(var, free)| Lock::of(graphs, *var, free)).collect();
    let Some((thread, event)) = more else { return locks };
    for lock in locks.iter_mut().filter(|lock| event.writes().is_some_and(|(var, _)| var == lock.var)) {
        match (lock.role(event), event) {
            (Some(Role::Takes), ThreadEvent::Update(_, order, _, _)) => lock.synchronises &= order.acquires(),
            (Some(Role::Waits), _) => {}
            _ => lock.apart = Some(thread as usize),
        }
    }
    locks
}

/// Puts into an order of writes what follows from sections of one lock; false if it contradicts them.
pub(super) fn settle(sections: &[Section<usize>], co: &mut Relation) -> bool {
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for one in sections {
            for other in sections.iter().filter(|other| other.thread != one.thread) {
                let is_first = match (one.give, other.give) {
                    (None, None) => return false,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (Some(_), Some(_)) => co.contains(one.take, other.take),
                };
                let Some(give) = one.give.filter(|_| is_first) else { continue };
                if co.contains(other.take, give) {
                    return false;
                }
                if !co.contains(give, other.take) {
                    co.insert_closed(give, other.take);
                    has_changed = true;
                }
            }
        }
    }
    true
}
