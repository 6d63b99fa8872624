//! Which node comes before which? The transitive closure of a growing graph, as a bit matrix that can be taken back.
//!
//! Adding an edge unites, for every node before its start, the row of its end: a few words for each node. What changes is
//! logged word by word, so taking back is copying. Rows are kept in both directions, since both are asked for.
//!
//! Invariant: `after` and `before` are each other's transpose, transitively closed and without cycles.

/// The nodes after and before each node.
#[derive(Clone, Debug)]
pub struct Closure {
    n_words: usize,
    after: Vec<u64>,
    before: Vec<u64>,
    log: Vec<(u32, bool, u64)>,
    scratch: Vec<u64>,
}

impl Closure {
    /// The closure of a fixed graph; its edges go from smaller to larger positions in `order`, a list of all nodes.
    pub fn new(n_nodes: usize, edges: &[(u32, u32)]) -> Closure {
        let n_words = n_nodes.div_ceil(64).max(1);
        let mut closure = Closure {
            n_words,
            after: vec![0; n_nodes * n_words],
            before: vec![0; n_nodes * n_words],
            log: Vec::new(),
            scratch: vec![0; n_words],
        };
        let order = topological(n_nodes, edges).expect("the fixed graph has no cycles");
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); n_nodes];
        for (from, to) in edges {
            successors[*from as usize].push(*to);
        }
        for node in order.iter().rev() {
            for next in &successors[*node as usize] {
                closure.scratch.copy_from_slice(row(&closure.after, n_words, *next));
                closure.scratch[*next as usize / 64] |= 1 << (next % 64);
                let own = row_mut(&mut closure.after, n_words, *node);
                for (word, more) in own.iter_mut().zip(&closure.scratch) {
                    *word |= more;
                }
            }
        }
        for node in 0..n_nodes as u32 {
            for next in bits(row(&closure.after, n_words, node)) {
                row_mut(&mut closure.before, n_words, next)[node as usize / 64] |= 1 << (node % 64);
            }
        }
        closure
    }

    /// Whether `a` comes before `b`.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        self.after[a as usize * self.n_words + b as usize / 64] >> (b % 64) & 1 == 1
    }

    /// The nodes after a node, as words.
    pub fn after(&self, node: u32) -> &[u64] {
        row(&self.after, self.n_words, node)
    }

    /// The nodes before a node, as words.
    pub fn before(&self, node: u32) -> &[u64] {
        row(&self.before, self.n_words, node)
    }

    /// Words in a row.
    pub fn n_words(&self) -> usize {
        self.n_words
    }

    /// How much has been logged; `undo` goes back to it.
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back what was added since the mark.
    pub fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            let (at, is_after, old) = self.log.pop().expect("the log is longer than the mark");
            let side = if is_after { &mut self.after } else { &mut self.before };
            side[at as usize] = old;
        }
    }

    /// Adds an edge that closes no cycle and is not implied yet. Pairs that are ordered now, and whose second node is in the
    /// first one's row of `interest`, are appended to `pairs`.
    pub fn add(&mut self, from: u32, to: u32, interest: &[u64], pairs: &mut Vec<(u32, u32)>) {
        let n_words = self.n_words;
        let mut gained = std::mem::take(&mut self.scratch);
        gained.copy_from_slice(row(&self.after, n_words, to));
        gained[to as usize / 64] |= 1 << (to % 64);
        let mut sources: Vec<u32> = bits(row(&self.before, n_words, from)).collect();
        sources.push(from);
        for source in &sources {
            let start = *source as usize * n_words;
            for (index, more) in gained.iter().enumerate() {
                let old = self.after[start + index];
                let new = more & !old;
                if new != 0 {
                    self.log.push(((start + index) as u32, true, old));
                    self.after[start + index] = old | new;
                    let relevant = new & interest[start + index];
                    pairs.extend(bits_of(relevant, index).map(|other| (*source, other)));
                }
            }
        }
        let mut earlier = vec![0u64; n_words];
        earlier.copy_from_slice(row(&self.before, n_words, from));
        earlier[from as usize / 64] |= 1 << (from % 64);
        for target in bits(&gained) {
            let start = target as usize * n_words;
            for (index, more) in earlier.iter().enumerate() {
                let old = self.before[start + index];
                if more & !old != 0 {
                    self.log.push(((start + index) as u32, false, old));
                    self.before[start + index] = old | more;
                }
            }
        }
        self.scratch = gained;
    }
}

fn row(side: &[u64], n_words: usize, node: u32) -> &[u64] {
    &side[node as usize * n_words..][..n_words]
}

fn row_mut(side: &mut [u64], n_words: usize, node: u32) -> &mut [u64] {
    &mut side[node as usize * n_words..][..n_words]
}

fn bits_of(word: u64, index: usize) -> impl Iterator<Item = u32> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let bit = rest.trailing_zeros();
        rest &= rest - 1;
        Some(index as u32 * 64 + bit)
    })
}

/// The numbers of the bits that are set.
pub fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, word)| bits_of(*word, index))
}

/// The nodes in an order that all edges agree with; `None` if there is a cycle.
pub fn topological(n_nodes: usize, edges: &[(u32, u32)]) -> Option<Vec<u32>> {
    let mut n_into = vec![0u32; n_nodes];
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); n_nodes];
    for (from, to) in edges {
        successors[*from as usize].push(*to);
        n_into[*to as usize] += 1;
    }
    let mut order: Vec<u32> = (0..n_nodes as u32).filter(|node| n_into[*node as usize] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for successor in &successors[order[next] as usize] {
            n_into[*successor as usize] -= 1;
            if n_into[*successor as usize] == 0 {
                order.push(*successor);
            }
        }
        next += 1;
    }
    (order.len() == n_nodes).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_and_taking_back_agree_with_a_search() {
        let n = 70u32;
        let fixed: Vec<(u32, u32)> = (1..n).filter(|i| i % 7 != 0).map(|i| (i - 1, i)).collect();
        let mut closure = Closure::new(n as usize, &fixed);
        let interest = vec![u64::MAX; n as usize * closure.n_words()];
        let mut edges = fixed.clone();
        let mut stack = Vec::new();
        let mut seed = 12345u64;
        for _ in 0..400 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (from, to) = ((seed >> 33) as u32 % n, (seed >> 45) as u32 % n);
            if seed >> 60 < 3 && !stack.is_empty() {
                let (mark, n_edges) = stack.pop().expect("it is not empty");
                closure.undo(mark);
                edges.truncate(n_edges);
            } else if from != to && !closure.is_before(to, from) && !closure.is_before(from, to) {
                stack.push((closure.mark(), edges.len()));
                let mut pairs = Vec::new();
                let before = closure.clone();
                closure.add(from, to, &interest, &mut pairs);
                edges.push((from, to));
                assert!(pairs.iter().all(|(a, b)| !before.is_before(*a, *b) && closure.is_before(*a, *b)));
                assert!(pairs.contains(&(from, to)));
            }
            let fresh = Closure::new(n as usize, &edges);
            assert_eq!(fresh.after, closure.after);
            assert_eq!(fresh.before, closure.before);
        }
    }
}
