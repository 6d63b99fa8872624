//! Which variables of the running thread matter at a location?
//!
//! A variable is live where some path reads it before writing it. The sets are found variable by variable, walking
//! backward from its reads until its writes, so the work is the size of the answer, which is small: most temporaries
//! live for an edge or two.
//!
//! Invariant: the value of a variable that is not live at a location changes nothing of what can happen from there on
//! in this procedure. Thread variables outlive the procedure unless the caller says that the procedure is a whole thread.

use super::uses::for_each_used;
use crate::access::local_written;
use crate::program::{Edge, LocId, Proc, Program, Scope};
use logic::{Pool, VarId};
use rustc_hash::FxHashMap;

/// The live variables of each location of a procedure.
pub struct Liveness {
    live: Vec<Vec<VarId>>,
}

impl Liveness {
    /// Analyses a procedure. With `is_thread` it is the whole life of a thread, so nothing is live at its end; otherwise
    /// all thread variables are live everywhere.
    pub fn new(program: &Program, proc: &Proc, is_thread: bool) -> Liveness {
        let n_locs = proc.locs.len();
        let into = proc.in_edges();
        let mut reads: FxHashMap<VarId, Vec<LocId>> = FxHashMap::default();
        let mut writes: Vec<Vec<VarId>> = Vec::with_capacity(proc.edges.len());
        for edge in &proc.edges {
            let (used, written) = exposed(&program.pool, edge);
            for var in used {
                reads.entry(var).or_default().push(edge.from);
            }
            writes.push(written);
        }
        if !is_thread {
            let everywhere: Vec<LocId> = (0..n_locs as u32).map(LocId).collect();
            for (index, variable) in program.vars.iter().enumerate() {
                if variable.scope == Scope::Thread {
                    reads.insert(VarId(index as u32), everywhere.clone());
                }
            }
        }
        let mut vars: Vec<VarId> = reads.keys().copied().collect();
        vars.sort_unstable();
        let mut live: Vec<Vec<VarId>> = vec![Vec::new(); n_locs];
        for var in vars {
            let mut queue = Vec::new();
            let mut reach = |loc: LocId, queue: &mut Vec<LocId>| {
                if live[loc.index()].last() != Some(&var) {
                    live[loc.index()].push(var);
                    queue.push(loc);
                }
            };
            for loc in &reads[&var] {
                reach(*loc, &mut queue);
            }
            while let Some(loc) = queue.pop() {
                for edge in &into[loc.index()] {
                    if writes[edge.index()].binary_search(&var).is_err() {
                        reach(proc.edges[edge.index()].from, &mut queue);
                    }
                }
            }
        }
        Liveness { live }
    }

    /// The live variables of a location, ascending.
    pub fn at(&self, loc: LocId) -> &[VarId] {
        &self.live[loc.index()]
    }

    /// Whether the variable is live at the location.
    pub fn is_live(&self, loc: LocId, var: VarId) -> bool {
        self.live[loc.index()].binary_search(&var).is_ok()
    }
}

/// The variables that the edge reads before it writes them, and those it writes, ascending.
fn exposed(pool: &Pool, edge: &Edge) -> (Vec<VarId>, Vec<VarId>) {
    let (mut used, mut written): (Vec<VarId>, Vec<VarId>) = (Vec::new(), Vec::new());
    for stmt in &edge.stmts {
        for_each_used(pool, &stmt.op, &mut |var| {
            if !written.contains(&var) {
                used.push(var);
            }
        });
        written.extend(local_written(&stmt.op));
    }
    used.sort_unstable();
    used.dedup();
    written.sort_unstable();
    written.dedup();
    (used, written)
}
