//! Is there a total order? Nodes are put one after the other as long as every read finds its source.
//!
//! A node may come when all nodes before it have come, the last active write to what it reads is its source, and what it writes is not
//! waited for by a read that is still to come. The axioms have ordered all that reads tell apart, so being greedy nearly always
//! works; where it does not, there may still be an order, and the caller has to ask with the order of writes as literals.

use super::OrderingConsistency;
use super::closure::bits;

/// A total order of all nodes in which every read with a source reads the last write to its place; `None` if none was found.
pub fn linearise(order: &OrderingConsistency) -> Option<Vec<u32>> {
    let structure = order.structure();
    let n = structure.n_nodes;
    let sources = order.sources();
    let closure = order.closure();
    let mut n_before: Vec<u32> = (0..n as u32).map(|node| bits(closure.before(node)).count() as u32).collect();
    let mut is_placed = vec![false; n];
    let mut reads_at: Vec<Vec<u32>> = vec![Vec::new(); n];
    // For each write, the reads with a source that it would disturb between source and read.
    let mut disturbs: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (index, read) in structure.reads.iter().enumerate() {
        let Some(source) = sources[index] else { continue };
        reads_at[read.node as usize].push(index as u32);
        for (write, active) in &read.rivals {
            let is_active = active.is_none_or(|lit| order.lit_value(lit) > 0);
            if is_active && *write != source {
                disturbs[structure.writes[*write as usize].node as usize].push(index as u32);
            }
        }
    }
    let source_node = |read: u32| sources[read as usize].map(|write| structure.writes[write as usize].node);
    let mut ready: Vec<u32> = (0..n as u32).filter(|node| n_before[*node as usize] == 0).collect();
    let mut placed = Vec::with_capacity(n);
    while placed.len() < n {
        ready.sort_unstable_by(|a, b| b.cmp(a));
        let fits = |node: u32| {
            disturbs[node as usize].iter().all(|read| {
                let reader = structure.reads[*read as usize].node;
                let has_source = source_node(*read).is_some_and(|source| is_placed[source as usize]);
                reader == node || !has_source || is_placed[reader as usize]
            })
        };
        let at = (0..ready.len()).rev().find(|at| fits(ready[*at]))?;
        let node = ready.remove(at);
        is_placed[node as usize] = true;
        placed.push(node);
        for next in bits(closure.after(node)) {
            n_before[next as usize] -= 1;
            if n_before[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    Some(placed)
}
