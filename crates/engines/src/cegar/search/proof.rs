//! What is handed out as the proof? The explored graph, with a formula for each node, in the words of `ir::Certificate`.
//!
//! Known as: proof certificate, correctness witness: the abstract reachability graph with an invariant for each node.

use super::Search;
use crate::abstraction::cells::Cell;
use ir::{CellName, Certificate, CertificateNode, Reduction, Standing, Turn};

/// The graph of a round that has ended without an error.
pub(crate) fn certificate(search: &mut Search<'_, '_>) -> Certificate {
    let mut nodes = Vec::with_capacity(search.graph.nodes.len());
    // Numbers without those that were pruned.
    let mut number_of: Vec<u32> = Vec::with_capacity(search.graph.nodes.len());
    for node in &search.graph.nodes {
        let so_far = number_of.last().map_or(0, |last| last + 1);
        let is_first = number_of.is_empty();
        number_of.push(if node.is_pruned && !is_first { so_far - 1 } else { so_far });
    }
    let number = |id: u32| number_of[id as usize];
    for node in search.graph.nodes.iter().filter(|node| !node.is_pruned) {
        let control = &node.control;
        let threads = control
            .threads
            .iter()
            .map(|at| Standing { proc: at.proc, loc: at.loc, depth: at.depth, has_ended: at.has_ended })
            .collect();
        let left_out = node.can_run.iter().copied().filter(|thread| !node.explored.contains(thread)).collect();
        nodes.push(CertificateNode {
            threads,
            holder: control.holder,
            has_ended: control.has_ended,
            formula: node.state.formula(&mut search.world.cells, search.precision),
            covered_by: node.covered_by.map(|other| number(search.graph.representative(other))),
            steps: node.next.iter().map(|(thread, edge, to)| (*thread, *edge, number(*to))).collect(),
            left_out,
            asleep: Vec::new(),
            turn: Turn::default(),
        });
    }
    let cells = &search.world.cells;
    let mut names: Vec<_> = cells
        .all()
        .filter_map(|(var, cell)| {
            Some((
                var,
                match cell {
                    Cell::Global(_) => return None,
                    Cell::Own(thread, own) => CellName::Own(thread, own),
                    Cell::Bytes(addr, len) => CellName::Bytes(addr, len),
                    Cell::Result(thread) => CellName::Result(thread),
                },
            ))
        })
        .collect();
    names.sort_by_key(|(var, _)| *var);
    let mut program = cells.program.clone();
    program.pool = cells.pool.clone();
    let has_counted = search.graph.nodes.iter().any(|node| node.control.has_counted);
    let beyond = has_counted.then(|| "threads without number are not told apart in it".to_string());
    Certificate { program, cells: names, nodes, reduction: Reduction::Untold, beyond }
}
