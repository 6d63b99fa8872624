//! Has a reduction put a thread off for ever? Then its step has to be explored somewhere on the way round.
//!
//! Known as: cycle proviso (condition C3 of ample sets), ignoring problem [Valmari89] [Peled93]; condition 2 of Theorem 2 in [Telbisz24].
//!
//! If a thread can run in all states of a cycle, its step must be explored in one of them: else it may be missed although it could always have
//! been taken. A search in depth needs no graph for that: when a step leads to a state on the stack, a cycle is closed, and the state that the
//! step leaves is expanded with all threads (`explicit::search`). Over a finished graph less is needed, which is what this file does: for
//! each thread that was put off somewhere, cycles among the states where it was are looked for; in each such cycle one state explores it.
//!
//! Invariant: when nothing is missing, every cycle explores each thread that can run all the way round. Components are searched for in the
//! whole graph once; what is asked afterwards stays inside a component.

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
    let mut search = Tarjan::new(graph);
    let all: Vec<NodeId> = (0..graph.n_nodes() as NodeId).filter(|node| graph.is_own(*node)).collect();
    let mut is_inside = vec![false; graph.n_nodes()];
    let mut missing = Vec::new();
    for component in search.cycles(&all, &|_| true) {
        let put_off: Vec<(NodeId, u32)> =
            component.iter().flat_map(|node| graph.put_off(*node).into_iter().map(|thread| (*node, thread))).collect();
        let mut threads: Vec<u32> = put_off.iter().map(|(_, thread)| *thread).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            let nodes: Vec<NodeId> =
                put_off.iter().filter(|(_, other)| *other == thread).map(|(node, _)| *node).collect();
            nodes.iter().for_each(|node| is_inside[*node as usize] = true);
            let cycles = search.cycles(&nodes, &|node| is_inside[node as usize]);
            nodes.iter().for_each(|node| is_inside[*node as usize] = false);
            // The state that was reached first is nearest to the start.
            missing.extend(cycles.iter().filter_map(|cycle| Some((*cycle.iter().min()?, thread))));
        }
    }
    missing
}

/// Strongly connected components [Tarjan72], without recursion.
struct Tarjan<'g, G> {
    graph: &'g G,
    /// In which order states were met; `NEW` before.
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<NodeId>,
    n: u32,
}

const NEW: u32 = u32::MAX;

impl<'g, G: Explored> Tarjan<'g, G> {
    fn new(graph: &'g G) -> Tarjan<'g, G> {
        let n = graph.n_nodes();
        Tarjan { graph, index: vec![NEW; n], low: vec![0; n], on_stack: vec![false; n], stack: Vec::new(), n: 0 }
    }

    /// Components of states on common cycles, among those that are kept; the nodes given are all of them.
    fn cycles(&mut self, nodes: &[NodeId], keep: &dyn Fn(NodeId) -> bool) -> Vec<Vec<NodeId>> {
        nodes.iter().for_each(|node| self.index[*node as usize] = NEW);
        let mut found = Vec::new();
        for root in nodes {
            if self.index[*root as usize] == NEW {
                self.visit(*root, keep, &mut found);
            }
        }
        found
    }

    fn enter(&mut self, node: NodeId) {
        self.index[node as usize] = self.n;
        self.low[node as usize] = self.n;
        self.n += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn visit(&mut self, root: NodeId, keep: &dyn Fn(NodeId) -> bool, found: &mut Vec<Vec<NodeId>>) {
        let mut open = vec![(root, 0)];
        self.enter(root);
        while let Some((node, step)) = open.pop() {
            let Some(to) = self.graph.successor(node, step) else {
                found.extend(self.leave(node));
                if let Some((parent, _)) = open.last() {
                    self.low[*parent as usize] = self.low[*parent as usize].min(self.low[node as usize]);
                }
                continue;
            };
            open.push((node, step + 1));
            if !keep(to) {
                continue;
            }
            if self.index[to as usize] == NEW {
                self.enter(to);
                open.push((to, 0));
            } else if self.on_stack[to as usize] {
                self.low[node as usize] = self.low[node as usize].min(self.index[to as usize]);
            }
        }
    }

    /// The component that ends with a state, if there is a cycle in it.
    fn leave(&mut self, node: NodeId) -> Option<Vec<NodeId>> {
        if self.low[node as usize] != self.index[node as usize] {
            return None;
        }
        let mut component = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member as usize] = false;
            component.push(member);
            if member == node {
                break;
            }
        }
        let graph = self.graph;
        let loops_to_itself = |node: NodeId| (0..).map_while(|step| graph.successor(node, step)).any(|to| to == node);
        (component.len() > 1 || loops_to_itself(component[0])).then_some(component)
    }
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
        type Missing = &'static [(NodeId, u32)];
        let rows: [(&str, Drawn, Missing); 7] = [
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
}
