//! Who waits for whose end? Joins, and the orders that they give.
//!
//! A thread gets the next handle. Where only main starts threads, its own ways tell how many came before; where several threads do,
//! handles are variables of the solver that differ. Whoever joins a thread is after its end: a fixed order where every way that goes
//! on has passed the join, else one that depends on the join's guard.

use crate::bmc::accesses::event_graph::EventGraph;
use crate::bmc::unrolled::Thread;
use logic::{Sort, TermId};
use memory::events::Edge;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What is known of threads while they are executed.
#[derive(Debug)]
pub(crate) struct Threads {
    /// Whether others than main start threads, so that handles are not known.
    pub(crate) many_creators: bool,
    /// The threads whose execution has begun and not ended: each was started by the one before it.
    pub(crate) running: Vec<u32>,
    /// Whether some thread joins one that was not known when it did.
    pub(crate) has_late_joins: bool,
    /// Where main starts its first thread.
    pub(crate) first_start: Option<u32>,
    /// How the thread that is being executed ends: the point, what it returns, and its last nodes.
    pub(crate) finished: Vec<(u32, TermId, SmallVec<[u32; 2]>)>,
    joins: Vec<Join>,
    deferred: Vec<DeferredJoin>,
}

/// A join of a thread that was known.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) cond: TermId,
    /// The last nodes of the thread.
    pub(crate) ends: SmallVec<[u32; 2]>,
    pub(crate) node: u32,
    pub(crate) point: u32,
    /// Whether it can be no other thread.
    pub(crate) is_known: bool,
}

/// A join of a thread that was not known when the join was met.
#[derive(Debug)]
pub(crate) struct DeferredJoin {
    pub(crate) handle: TermId,
    /// Whether a thread with that handle has ended.
    pub(crate) ended: TermId,
    pub(crate) result: TermId,
    pub(crate) node: u32,
    pub(crate) guard: TermId,
    /// The section that opens since the thread has not ended.
    pub(crate) section: Option<u32>,
}

impl Threads {
    /// No threads.
    pub(crate) fn new(many_creators: bool) -> Threads {
        Threads {
            many_creators,
            running: Vec::new(),
            has_late_joins: false,
            first_start: None,
            finished: Vec::new(),
            joins: Vec::new(),
            deferred: Vec::new(),
        }
    }

    /// A join at a node; one that can be of no other thread replaces those of the same node.
    pub(crate) fn join(&mut self, join: Join) {
        if join.is_known {
            self.joins.retain(|other| other.node != join.node);
        }
        self.joins.push(join);
    }

    /// A join of a thread that will be known when all are; it replaces those of the same node.
    pub(crate) fn join_later(&mut self, join: DeferredJoin) {
        self.joins.retain(|other| other.node != join.node);
        self.has_late_joins = true;
        self.deferred.push(join);
    }

    /// What holds of handles, and of joins that were not known, now that all threads are.
    pub(crate) fn resolve(&mut self, graph: &mut EventGraph, threads: &[Thread]) -> Vec<TermId> {
        let mut rules = Vec::new();
        if self.many_creators {
            let Sort::Bv(width) = graph.pool.sort(threads[0].handle) else { unreachable!("handles are words") };
            let most = graph.pool.bv(width, threads.len() as u64);
            let two = graph.pool.bv(width, 2);
            for (i, this) in threads.iter().enumerate().skip(1) {
                rules.extend([graph.pool.ule(two, this.handle), graph.pool.ule(this.handle, most)]);
                for other in &threads[1..i] {
                    let differ = graph.pool.ne(this.handle, other.handle);
                    let both = graph.pool.and(this.guard, other.guard);
                    rules.push(graph.pool.implies(both, differ));
                }
            }
        }
        for join in std::mem::take(&mut self.deferred) {
            let mut ended = Vec::new();
            for other in threads {
                let same = graph.pool.eq(join.handle, other.handle);
                let this = graph.pool.and_all(&[same, other.guard, other.finished]);
                ended.push(this);
                let result = graph.pool.eq(join.result, other.result);
                rules.push(graph.pool.implies(this, result));
                let cond = graph.pool.and_all(&[join.guard, join.ended, this]);
                for end in &other.ends {
                    graph.events.edges.push(Edge { cond, from: *end, to: join.node });
                    if let Some(section) = join.section {
                        let cond = graph.pool.and(join.guard, this);
                        graph.events.edges.push(Edge { cond, from: section, to: *end });
                    }
                }
            }
            let any = graph.pool.or_all(&ended);
            rules.push(graph.pool.eq(join.ended, any));
        }
        rules
    }

    /// The orders of joins that hold whenever both ends happen.
    pub(crate) fn certain_joins(&self, graph: &EventGraph) -> Vec<(u32, u32)> {
        let after = successors(graph);
        let joins = self.joins.iter().filter(|join| join.is_certain(graph, &after));
        joins.flat_map(|join| join.ends.iter().map(|end| (*end, join.node))).collect()
    }

    /// Joins whose way everything later has passed are fixed orders; the others depend on their guards.
    pub(crate) fn order_joins(&mut self, graph: &mut EventGraph) {
        let after = successors(graph);
        for join in std::mem::take(&mut self.joins) {
            let is_certain = join.is_certain(graph, &after);
            for end in join.ends {
                if is_certain {
                    graph.events.fixed.push((end, join.node));
                } else {
                    graph.events.edges.push(Edge { cond: join.cond, from: end, to: join.node });
                }
            }
        }
    }
}

impl Join {
    /// Whether everything later in the thread has passed a join of one thread.
    fn is_certain(&self, graph: &EventGraph, after: &[SmallVec<[u32; 2]>]) -> bool {
        let thread = graph.events.thread_of[self.node as usize];
        let mut seen = FxHashSet::default();
        let mut open = vec![self.node];
        let mut is_passed = self.is_known;
        while let Some(at) = open.pop().filter(|_| is_passed) {
            for next in &after[at as usize] {
                if graph.events.thread_of[*next as usize] == thread && seen.insert(*next) {
                    is_passed &= graph.points.dominates(self.point, graph.point_of(*next));
                    open.push(*next);
                }
            }
        }
        is_passed
    }
}

/// The successors of each node.
fn successors(graph: &EventGraph) -> Vec<SmallVec<[u32; 2]>> {
    let mut after: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); graph.events.n_nodes()];
    for (from, to) in &graph.events.fixed {
        after[*from as usize].push(*to);
    }
    after
}
