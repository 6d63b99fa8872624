//! Which statement is it? Statements that inlining has copied keep the site of the lowered program; here each copy has a number of its own.

use ir::{EdgeId, ProcId, Program, Stmt};

/// A statement of the prepared program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Spot(u32);

impl Spot {
    /// The one that comes so many statements later on the edge.
    pub(super) fn plus(self, index: usize) -> Spot {
        Spot(self.0 + index as u32)
    }
}

/// The numbers of all statements.
pub(super) struct Spots {
    /// Of the first statement, by procedure and edge.
    first: Vec<Vec<u32>>,
}

impl Spots {
    pub(super) fn new(program: &Program) -> Spots {
        let mut next = 0;
        let mut of_edge = |edge: &ir::Edge| {
            next += edge.stmts.len() as u32;
            next - edge.stmts.len() as u32
        };
        Spots { first: program.procs.iter().map(|proc| proc.edges.iter().map(&mut of_edge).collect()).collect() }
    }

    /// The first statement of an edge.
    pub(super) fn first(&self, proc: ProcId, edge: EdgeId) -> Spot {
        Spot(self.first[proc.index()][edge.index()])
    }

    /// All statements with their procedures.
    pub(super) fn all<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (Spot, ProcId, &'a Stmt)> {
        program.procs.iter().zip(&self.first).enumerate().flat_map(|(index, (proc, first))| {
            proc.edges.iter().zip(first).flat_map(move |(edge, first)| {
                let number = move |(at, stmt)| (Spot(*first).plus(at), ProcId(index as u32), stmt);
                edge.stmts.iter().enumerate().map(number)
            })
        })
    }
}
