//! Does a new event close a circle? Program order, reads-from, coherence and from-reads, without the axioms.
//!
//! Every axiom of the models that are accepted forbids circles that are made of these, or an update that is split (`Graph::splits_update`). So a graph that was allowed
//! stays allowed if the event that is new in it is in no such circle; under `sc` the converse is true as well, and nothing is left to judge. The halves of an update count as one event: some models
//! take them for one operation.

use super::graph::{Graph, Id, Kind};

/// Whether one of these events is in a circle.
pub(super) fn is_in_circle(graph: &Graph, events: &[Id]) -> bool {
    let all = Successors::new(graph);
    events.iter().any(|event| all.reaches_itself(all.whole[all.number(*event) as usize]))
}

/// For each event those that come directly after it, by one relation or the other.
struct Successors {
    /// The number of the first event of each row.
    first: Vec<u32>,
    next: Vec<smallvec::SmallVec<[u32; 4]>>,
    /// For each event itself, or if it is the second half of an update the first.
    whole: Vec<u32>,
}

impl Successors {
    fn new(graph: &Graph) -> Successors {
        let mut first = Vec::with_capacity(graph.rows.len());
        let mut n = 0;
        for row in &graph.rows {
            first.push(n);
            n += row.events.len() as u32;
        }
        let mut all = Successors { first, next: vec![smallvec::SmallVec::new(); n as usize], whole: (0..n).collect() };
        for (id, event) in graph.events() {
            if let Kind::Write { is_update: true, .. } = event.kind {
                let own = all.number(id);
                all.whole[own as usize] = own - 1;
            }
        }
        for (id, event) in graph.events() {
            let own = all.number(id);
            if id.at > 0 {
                all.add(own - 1, own);
            }
            match event.kind {
                Kind::Read { cell, source, .. } => {
                    if let Some(source) = source {
                        let source = all.number(source);
                        all.add(source, own);
                    }
                    if let Some(later) = graph.writes(cell).get(graph.place(cell, source)) {
                        let later = all.number(*later);
                        all.add(own, later);
                    }
                }
                Kind::Start(child) if !graph.rows[child as usize].events.is_empty() => {
                    let begin = all.number(Id { row: child, at: 0 });
                    all.add(own, begin);
                }
                Kind::Join(child) => {
                    let end = all.number(Id { row: child, at: graph.rows[child as usize].events.len() as u32 - 1 });
                    all.add(end, own);
                }
                _ => {}
            }
        }
        for writes in &graph.co {
            for pair in writes.windows(2) {
                let (earlier, later) = (all.number(pair[0]), all.number(pair[1]));
                all.add(earlier, later);
            }
        }
        all
    }

    fn number(&self, id: Id) -> u32 {
        self.first[id.row as usize] + id.at
    }

    /// An edge between two events, unless they are halves of one.
    fn add(&mut self, from: u32, to: u32) {
        let (from, to) = (self.whole[from as usize], self.whole[to as usize]);
        if from != to {
            self.next[from as usize].push(to);
        }
    }

    fn reaches_itself(&self, event: u32) -> bool {
        let mut is_seen = vec![false; self.next.len()];
        let mut stack = vec![event];
        while let Some(at) = stack.pop() {
            for next in &self.next[at as usize] {
                if *next == event {
                    return true;
                }
                if !std::mem::replace(&mut is_seen[*next as usize], true) {
                    stack.push(*next);
                }
            }
        }
        false
    }
}
