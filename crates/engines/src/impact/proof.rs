//! What is handed out as the proof? The tree with its labels, in the words of `ir::Certificate`.
//!
//! Hidden nodes are not part of it, nor is what lies below a node where nothing is.

use super::tree::NodeId;
use super::unwinding::{Reduction, Unwinding};
use crate::abstraction::cells::Cell;
use ir::{CellName, Certificate, CertificateNode, Standing};

impl Unwinding<'_, '_> {
    /// The complete tree as a proof.
    pub(super) fn certificate(&mut self) -> Certificate {
        let shown: Vec<NodeId> =
            (0..self.tree.nodes.len() as NodeId).filter(|id| !self.tree.node(*id).is_hidden).collect();
        let mut number_of = vec![u32::MAX; self.tree.nodes.len()];
        shown.iter().enumerate().for_each(|(number, id)| number_of[*id as usize] = number as u32);
        let mut nodes = Vec::with_capacity(shown.len());
        for id in shown {
            let place = self.tree.place(id);
            let control = &place.control;
            let threads = control.threads.iter();
            let threads =
                threads.map(|at| Standing { proc: at.proc, loc: at.loc, depth: at.depth, has_ended: at.has_ended });
            let node = self.tree.node(id);
            let is_explored = node.covered_by.is_none() && !node.is_empty;
            let children = node.children.iter().filter(|_| is_explored).flat_map(|child| {
                let arrival = self.tree.node(*child).arrival.as_ref().expect("a child has a parent");
                arrival.step.edges().map(|edge| (arrival.thread, edge, number_of[*child as usize]))
            });
            let all = if is_explored && !control.has_ended { self.candidates(control) } else { Vec::new() };
            nodes.push(CertificateNode {
                threads: threads.collect(),
                holder: control.holder,
                has_ended: control.has_ended,
                formula: self.world.cells.pool.and_all(&node.label),
                covered_by: node.covered_by.map(|other| number_of[other as usize]),
                steps: children.collect(),
                left_out: all.into_iter().filter(|thread| !node.explored.contains(thread)).collect(),
                asleep: node.asleep.clone(),
                turn: place.turn,
            });
        }
        let cells = &self.world.cells;
        let name = |(var, cell): (logic::VarId, Cell)| {
            let name = match cell {
                Cell::Global(_) => return None,
                Cell::Own(thread, own) => CellName::Own(thread, own),
                Cell::Bytes(addr, len) => CellName::Bytes(addr, len),
                Cell::Result(thread) => CellName::Result(thread),
            };
            Some((var, name))
        };
        let mut names: Vec<_> = cells.all().filter_map(name).collect();
        names.sort_by_key(|(var, _)| *var);
        let mut program = cells.program.clone();
        program.pool = cells.pool.clone();
        let reduction = match self.world.reduction {
            Reduction::None => ir::Reduction::Untold,
            Reduction::Shared => ir::Reduction::Local,
            Reduction::Monotonic | Reduction::Sleep => {
                ir::Reduction::Monotonic { turns: self.world.turns, local_first: self.world.local_first }
            }
        };
        let has_races = self.world.properties.has(ir::Property::Race);
        let beyond = has_races.then(|| "that nobody races is not checked again".to_string());
        Certificate { program, cells: names, nodes, reduction, beyond }
    }
}
