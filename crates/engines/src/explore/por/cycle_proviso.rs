//! Has a reduction put a thread off for ever? Then its step has to be explored somewhere on the way round.
//!
//! Known as: cycle proviso (condition C3 of ample sets), ignoring problem \[Valmari89] \[Peled93]; condition 2 of Theorem 2 in \[Telbisz24].
//!
//! If a thread can run in all states of a cycle, its step must be explored in one of them: else it may be missed although it could always have
//! been taken. A search in depth needs no graph for that: when a step leads to a state on the stack, a cycle is closed, and the state that the
//! step leaves is expanded with all threads (`explicit::search`). Over a finished graph less is needed, which is what this file does: for
//! each thread that was put off somewhere, cycles among the states where it was are looked for; in each such cycle one state explores it.
//!
//! Invariant: when nothing is missing, every cycle explores each thread that can run all the way round. Components are searched for in the
//! whole graph once; what is asked afterwards stays inside a component.

use logic::Components;

/// Names a state of a graph.
pub type NodeId = u32;

/// A graph of states that has been explored.
pub trait Explored {
    /// How many states there are.
    fn n_nodes(&self) -> usize;
    /// The state that a step leads to, by the number of the step; none beyond the last one.
    fn successor(&self, node: NodeId, step: usize) -> Option<NodeId>;
    /// The threads that can run in a state but were not explored there, ascending; for states that are one with another, none.
    fn put_off(&self, node: NodeId) -> Vec<u32>;
    /// Whether a state stands for itself.
    fn is_own(&self, node: NodeId) -> bool;
}

/// States, and the threads to explore there.
pub fn ignored(graph: &impl Explored) -> Vec<(NodeId, u32)> {
    let all: Vec<NodeId> = (0..graph.n_nodes() as NodeId).filter(|node| graph.is_own(*node)).collect();
    let mut place = vec![OUTSIDE; graph.n_nodes()];
    let mut missing = Vec::new();
    for component in cycles(graph, &all, &mut place) {
        let put_off: Vec<(NodeId, u32)> =
            component.iter().flat_map(|node| graph.put_off(*node).into_iter().map(|thread| (*node, thread))).collect();
        let mut threads: Vec<u32> = put_off.iter().map(|(_, thread)| *thread).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            let nodes: Vec<NodeId> =
                put_off.iter().filter(|(_, other)| *other == thread).map(|(node, _)| *node).collect();
            // The state that was reached first is nearest to the start.
            let first = cycles(graph, &nodes, &mut place).into_iter().filter_map(|cycle| cycle.into_iter().min());
            missing.extend(first.map(|node| (node, thread)));
        }
    }
    missing
}

/// The place of a state that is not looked at.
const OUTSIDE: u32 = u32::MAX;

/// Components of states on common cycles that stay among these states. All places are `OUTSIDE`, before and after.
fn cycles(graph: &impl Explored, nodes: &[NodeId], place: &mut [u32]) -> Vec<Vec<NodeId>> {
    for (at, node) in nodes.iter().enumerate() {
        place[*node as usize] = at as u32;
    }
    let next = |at: usize| {
        let successors = (0..).map_while(move |step| graph.successor(nodes[at], step));
        successors.map(|to| place[to as usize]).filter(|to| *to != OUTSIDE).map(|to| to as usize)
    };
    let components = Components::new(nodes.len(), next);
    let is_cycle = |members: &&[usize]| members.len() > 1 || next(members[0]).any(|to| to == members[0]);
    let named = |members: &[usize]| members.iter().map(|at| nodes[*at]).collect();
    let found = components.members().filter(is_cycle).map(named).collect();
    nodes.iter().for_each(|node| place[*node as usize] = OUTSIDE);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States with the states that their steps lead to, and who was put off in each.
    struct Drawn(&'static [(&'static [NodeId], &'static [u32])]);

    impl Explored for Drawn {
        fn n_nodes(&self) -> usize {
            self.0.len()
        }
        fn successor(&self, node: NodeId, step: usize) -> Option<NodeId> {
            self.0[node as usize].0.get(step).copied()
        }
        fn put_off(&self, node: NodeId) -> Vec<u32> {
            self.0[node as usize].1.to_vec()
        }
        fn is_own(&self, _: NodeId) -> bool {
            true
        }
    }

    #[test]
    fn who_is_put_off_all_the_way_round_has_to_run() {
        type Row = (&'static str, Drawn, &'static [(NodeId, u32)]);
        let rows: [Row; 7] = [
            ("no cycle", Drawn(&[(&[1], &[1]), (&[2], &[1]), (&[], &[1])]), &[]),
            ("a cycle of two on which thread 1 waits for its turn", Drawn(&[(&[1], &[1]), (&[0], &[1])]), &[(0, 1)]),
            ("it runs in one of them", Drawn(&[(&[1], &[1]), (&[0], &[])]), &[]),
            ("a state that leads to itself", Drawn(&[(&[1], &[]), (&[1], &[1, 2])]), &[(1, 1), (1, 2)]),
            (
                "two cycles through one state, and only on one of them is it put off all the way",
                Drawn(&[(&[1, 2], &[1]), (&[0], &[]), (&[0], &[1])]),
                &[(0, 1)],
            ),
            (
                "different threads in different states: none is put off all the way",
                Drawn(&[(&[1], &[1]), (&[0], &[2])]),
                &[],
            ),
            (
                "two components, each with its own cycle; the second is not reached from a cycle that puts thread 2 off",
                Drawn(&[(&[1], &[1, 2]), (&[0, 2], &[1]), (&[3], &[2]), (&[2], &[2])]),
                &[(0, 1), (2, 2)],
            ),
        ];
        for (what, graph, expected) in rows {
            let mut found = ignored(&graph);
            found.sort_unstable();
            assert_eq!(found, expected, "{what}");
        }
    }

    /// Random graphs in which some states stand for others.
    struct Random {
        next: Vec<Vec<NodeId>>,
        put_off: Vec<Vec<u32>>,
        is_own: Vec<bool>,
    }

    impl Explored for Random {
        fn n_nodes(&self) -> usize {
            self.next.len()
        }
        fn successor(&self, node: NodeId, step: usize) -> Option<NodeId> {
            self.next[node as usize].get(step).copied()
        }
        fn put_off(&self, node: NodeId) -> Vec<u32> {
            self.put_off[node as usize].clone()
        }
        fn is_own(&self, node: NodeId) -> bool {
            self.is_own[node as usize]
        }
    }

    impl Random {
        fn new(seed: u64) -> Random {
            let mut random = logic::Prng::new(seed);
            let n = 1 + random.index(6);
            let is_own: Vec<bool> = (0..n).map(|_| !random.chance(5)).collect();
            let own: Vec<NodeId> = (0..n as NodeId).filter(|node| is_own[*node as usize]).collect();
            // Steps lead to states that stand for themselves.
            let mut steps = |_| match own.len() {
                0 => Vec::new(),
                len => (0..random.index(4)).map(|_| own[random.index(len)]).collect(),
            };
            let next = (0..n).map(&mut steps).collect();
            let put_off = (0..n).map(|_| (0..2).filter(|_| random.percent(60)).collect()).collect();
            Random { next, put_off, is_own }
        }

        /// The states from which there is a way round on which this thread is put off everywhere.
        fn on_cycles(&self, thread: u32) -> Vec<NodeId> {
            let n = self.next.len();
            let inside = |node: usize| self.is_own[node] && self.put_off[node].contains(&thread);
            let mut reaches = vec![vec![false; n]; n];
            for from in (0..n).filter(|node| inside(*node)) {
                self.next[from]
                    .iter()
                    .filter(|to| inside(**to as usize))
                    .for_each(|to| reaches[from][*to as usize] = true);
            }
            for by in 0..n {
                for from in 0..n {
                    for to in 0..n {
                        reaches[from][to] |= reaches[from][by] && reaches[by][to];
                    }
                }
            }
            (0..n).filter(|node| reaches[*node][*node]).map(|node| node as NodeId).collect()
        }
    }

    #[test]
    fn when_nothing_is_missing_nobody_is_put_off_all_the_way_round() {
        for seed in 0..2000 {
            let mut graph = Random::new(seed);
            loop {
                let missing = ignored(&graph);
                for thread in 0..2 {
                    let on_cycles = graph.on_cycles(thread);
                    let asked: Vec<NodeId> =
                        missing.iter().filter(|(_, other)| *other == thread).map(|(node, _)| *node).collect();
                    assert_eq!(asked.is_empty(), on_cycles.is_empty(), "seed {seed}, thread {thread}: {asked:?}");
                    assert!(asked.iter().all(|node| on_cycles.contains(node)), "seed {seed}: {asked:?}");
                }
                if missing.is_empty() {
                    break;
                }
                for (node, thread) in missing {
                    graph.put_off[node as usize].retain(|other| *other != thread);
                }
            }
        }
    }
}
