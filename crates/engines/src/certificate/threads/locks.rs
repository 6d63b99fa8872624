//! Who is inside of a lock? What the order of all its writes must be, for the check of graphs of threads.
//!
//! A lock: every write of the variable in the graphs is an update from its first value to another one (in), a write of its first value (out), or an update between other values, and no thread goes in
//! twice or out without being in. Then in the order of its writes every in is followed by the out of the same thread before the next in: an update reads the write
//! just before it, so an in finds the first value; and who goes out is in, which by then only one is. Two stays inside are therefore one after the other. If each in acquires and each out releases,
//! what precedes the earlier out happens before what follows the later in.

use super::ways::Way;
use ir::{Known, Order, ThreadEvent, ThreadGraph, ThreadGraphs};
use logic::VarId;

/// A variable that is a lock.
pub(super) struct Lock {
    var: VarId,
    first: Known,
    /// Whether each in acquires and each out releases.
    pub(super) is_ordered: bool,
    /// The thread whose last event does not count: it is asked about, and what was before it is an execution without it.
    uncounted: Option<usize>,
}

/// A stay inside: thread, place of the in, place of the out.
pub(super) type Stay = (usize, usize, Option<usize>);

#[derive(PartialEq, Eq)]
enum Does {
    In,
    Out,
    Nothing,
    Breaks,
}

impl Lock {
    fn does(&self, event: &ThreadEvent) -> Does {
        if event.writes().is_none_or(|(var, _)| var != self.var) {
            return Does::Nothing;
        }
        match event {
            ThreadEvent::Write(_, _, Known::Exactly(_)) if event.writes() == Some((self.var, &self.first)) => Does::Out,
            ThreadEvent::Update(_, _, old @ Known::Exactly(_), new @ Known::Exactly(_)) => {
                match (*old == self.first, *new == self.first) {
                    (true, false) => Does::In,
                    (false, true) => Does::Out,
                    (false, false) => Does::Nothing,
                    (true, true) => Does::Breaks,
                }
            }
            _ => Does::Breaks,
        }
    }

    /// Whether a thread keeps to the rules, whichever way it goes.
    fn is_obeyed(&self, graph: &ThreadGraph) -> bool {
        // Each node, once when it is met outside and once when it is met inside.
        let mut met = vec![[false, false]; graph.nodes.len()];
        met[0][0] = true;
        let mut todo = vec![(0u32, false)];
        while let Some((node, is_in)) = todo.pop() {
            for edge in graph.edges.iter().filter(|edge| edge.from == node) {
                let next = match edge.event.as_ref().map_or(Does::Nothing, |event| self.does(event)) {
                    Does::In if !is_in => true,
                    Does::Out if is_in => false,
                    Does::Nothing => is_in,
                    _ => return false,
                };
                let there = &mut met[edge.to as usize][usize::from(next)];
                if !*there {
                    *there = true;
                    todo.push((edge.to, next));
                }
            }
        }
        true
    }

    /// The stays that a way shows whole: nothing that was cut out between in and out goes in or out.
    pub(super) fn stays(&self, thread: usize, way: &Way) -> Vec<Stay> {
        let moves = |event: &ThreadEvent| matches!(self.does(event), Does::In | Does::Out);
        let n = way.events.len() - usize::from(self.uncounted == Some(thread));
        let entries = (0..n).filter(|at| self.does(&way.events[*at].0) == Does::In);
        let stay = |at: usize| {
            let out = (at + 1..n).find(|later| moves(&way.events[*later].0));
            let is_clean = (at + 1..=out.unwrap_or(n))
                .all(|place| way.cuts[place].iter().all(|cut| !cut.events.iter().any(moves)));
            let is_out = out.is_none_or(|out| self.does(&way.events[out].0) == Does::Out);
            (is_clean && is_out).then_some((thread, at, out))
        };
        entries.filter_map(stay).collect()
    }
}

/// The locks of the graphs, with one event more of a thread: if that may be another one than an in, it does not count.
pub(super) fn locks(graphs: &ThreadGraphs, shared: &[(VarId, Known)], more: Option<(u32, &ThreadEvent)>) -> Vec<Lock> {
    let edges = || graphs.threads.iter().flat_map(|thread| &thread.edges).filter_map(|edge| edge.event.as_ref());
    let mut found = Vec::new();
    for (var, first) in shared {
        let mut lock = Lock { var: *var, first: first.clone(), is_ordered: true, uncounted: None };
        lock.uncounted =
            more.filter(|(_, event)| matches!(lock.does(event), Does::Out | Does::Breaks)).map(|(by, _)| by as usize);
        let order = |event: &ThreadEvent| match event {
            ThreadEvent::Write(_, order, _) | ThreadEvent::Update(_, order, _, _) => *order,
            _ => Order::Plain,
        };
        let counted = more.map(|(_, event)| event).filter(|_| lock.uncounted.is_none());
        lock.is_ordered = edges().chain(counted).all(|event| match lock.does(event) {
            Does::In => order(event).acquires(),
            Does::Out => order(event).releases(),
            _ => true,
        });
        if edges().any(|event| lock.does(event) == Does::In)
            && graphs.threads.iter().all(|thread| lock.is_obeyed(thread))
        {
            found.push(lock);
        }
    }
    found
}
