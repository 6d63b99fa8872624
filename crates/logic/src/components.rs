//! Which nodes of a graph lie on common cycles? One search in depth for all graphs: automata, states, files.
//!
//! Known as: strongly connected components \[Tarjan72], here with a stack of its own, so that long paths are no matter.
//!
//! A node's component is known when the search leaves the first node of it that it met. So a component is complete before any that leads to
//! it, and the numbers of components are a reverse topological order of them.

/// The strongly connected components of a graph whose nodes are numbered from 0.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each node; no component leads to one with a larger number.
    pub of: Vec<u32>,
    /// The nodes, those of a component side by side, in the order of the components.
    order: Vec<usize>,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// The components of a graph with `n` nodes.
    pub fn new<S: Iterator<Item = usize>>(n: usize, successors: impl Fn(usize) -> S) -> Components {
        let (mut of, mut index, mut low) = (vec![NONE; n], vec![NONE; n], vec![NONE; n]);
        let (mut n_met, mut n_components) = (0, 0);
        // Nodes whose component is not known yet, and how far the search is on its way.
        let (mut open, mut path) = (Vec::new(), Vec::new());
        let mut order = Vec::with_capacity(n);
        for root in 0..n {
            if index[root] == NONE {
                path.push((root, successors(root)));
            }
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                if index[node] == NONE {
                    (index[node], low[node]) = (n_met, n_met);
                    n_met += 1;
                    open.push(node);
                }
                if let Some(to) = next.next() {
                    if index[to] == NONE {
                        path.push((to, successors(to)));
                    } else if of[to] == NONE {
                        low[node] = low[node].min(index[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some((before, _)) = path.last() {
                    low[*before] = low[*before].min(low[node]);
                }
                if low[node] == index[node] {
                    while let Some(member) = open.pop() {
                        of[member] = n_components;
                        order.push(member);
                        if member == node {
                            break;
                        }
                    }
                    n_components += 1;
                }
            }
        }
        Components { of, order }
    }

    /// The nodes of each component, in the order of their numbers.
    pub fn members(&self) -> impl Iterator<Item = &[usize]> {
        self.order.chunk_by(|one, other| self.of[*one] == self.of[*other])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prng;

    fn components(graph: &[Vec<usize>]) -> Components {
        Components::new(graph.len(), |node| graph[node].iter().copied())
    }

    #[test]
    fn small_graphs() {
        type Row = (&'static str, &'static [&'static [usize]], &'static [u32]);
        let rows: [Row; 5] = [
            ("nothing", &[], &[]),
            ("a line is numbered from its end", &[&[1], &[2], &[]], &[2, 1, 0]),
            ("a ring", &[&[1], &[2], &[0]], &[0, 0, 0]),
            ("two rings, one way between them", &[&[1], &[0, 2], &[3], &[2]], &[1, 1, 0, 0]),
            ("an edge to a component that is complete joins nothing", &[&[2, 1], &[2], &[]], &[2, 1, 0]),
        ];
        for (what, graph, expected) in rows {
            let graph: Vec<Vec<usize>> = graph.iter().map(|to| to.to_vec()).collect();
            assert_eq!(components(&graph).of, expected, "{what}");
        }
    }

    #[test]
    fn long_paths_need_no_stack() {
        let n = 1_000_000;
        let ring = Components::new(n, |node| std::iter::once((node + 1) % n));
        assert_eq!(ring.members().map(<[usize]>::len).collect::<Vec<_>>(), [n]);
    }

    #[test]
    fn random_graphs_as_reachability_says() {
        for seed in 0..300 {
            let mut random = Prng::new(seed);
            let n = 1 + random.index(9);
            let n_edges = random.index(2 * n + 1);
            let mut graph = vec![Vec::new(); n];
            let mut reaches = vec![vec![false; n]; n];
            (0..n).for_each(|node| reaches[node][node] = true);
            for _ in 0..n_edges {
                let (from, to) = (random.index(n), random.index(n));
                graph[from].push(to);
                reaches[from][to] = true;
            }
            for by in 0..n {
                for from in 0..n {
                    for to in 0..n {
                        reaches[from][to] |= reaches[from][by] && reaches[by][to];
                    }
                }
            }
            let found = components(&graph);
            for (one, other) in (0..n).flat_map(|one| (0..n).map(move |other| (one, other))) {
                let together = reaches[one][other] && reaches[other][one];
                assert_eq!(found.of[one] == found.of[other], together, "seed {seed}: {graph:?}");
                assert!(!reaches[one][other] || found.of[one] >= found.of[other], "seed {seed}: {graph:?}");
            }
            let members: Vec<&[usize]> = found.members().collect();
            assert_eq!(members.iter().map(|members| members.len()).sum::<usize>(), n);
            for (component, members) in members.iter().enumerate() {
                assert!(members.iter().all(|node| found.of[*node] == component as u32), "seed {seed}: {graph:?}");
            }
        }
    }
}
