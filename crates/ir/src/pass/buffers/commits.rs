//! When do the stores of a trace reach memory? What the commits of a program with written buffers say about the stores of the lowered one.
//!
//! A commit names a store by its statement and by how many older stores of that statement wait, which control knows. The stores that wait are counted
//! here as the trace makes them: a relaxed fence with the site of a store stands where the store was.

use crate::pass::origin::origin_of_stmts;
use crate::program::{Edge, Program};
use crate::stmt::{Op, Order, SiteId};
use crate::verdict::Commit;
use rustc_hash::FxHashMap;

/// The stores that wait, and the commits so far.
#[derive(Debug, Default)]
pub struct Commits {
    /// For each thread the stores that wait: steps and statements.
    waiting: FxHashMap<u32, Vec<(usize, SiteId)>>,
    /// In the order of the trace.
    pub found: Vec<Commit>,
}

impl Commits {
    /// A thread takes an edge of the transformed program, whose origins are the steps of the trace from `first` on.
    pub fn take(&mut self, lowered: &Program, transformed: &Program, thread: u32, edge: &Edge, first: usize) {
        if transformed.commits.is_empty() {
            return;
        }
        let waiting = self.waiting.entry(thread).or_default();
        let mut n_done = 0;
        for (stmt, origin) in edge.stmts.iter().zip(origin_of_stmts(lowered, edge)) {
            match (transformed.commits.get(&stmt.site), &stmt.op) {
                (Some((site, number)), Op::Store { .. }) => {
                    let mut same = waiting.iter().enumerate().filter(|(_, (_, other))| other == site);
                    let Some((at, _)) = same.nth(*number as usize) else { continue };
                    let (step, site) = waiting.remove(at);
                    self.found.push(Commit { after: first + n_done, step, site });
                }
                (Some(_), _) => {}
                (None, Op::Fence(Order::Relaxed)) if is_store(lowered, edge, origin, stmt.site) => {
                    waiting.push((first + origin, stmt.site));
                    n_done = origin + 1;
                }
                (None, _) => n_done = origin + 1,
            }
        }
    }
}

fn is_store(lowered: &Program, edge: &Edge, origin: usize, site: SiteId) -> bool {
    let stmts = edge.origin.get(origin).map(|origin| &lowered.edge(*origin).stmts);
    let is_it = |stmt: &crate::stmt::Stmt| stmt.site == site && matches!(stmt.op, Op::Store { .. });
    stmts.is_some_and(|stmts| stmts.iter().any(is_it))
}
