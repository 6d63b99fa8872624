//! Which steps must have been taken to get somewhere? The dominator tree of the unrolled control flow, built as it is unrolled.
//!
//! A point is an edge of the unrolled program, or a place where branches meet. Its parent is the last point that every way to it
//! passes, and its condition says which of the ways on from there lead to it. So whoever gets to a point has passed all points
//! above it, and a branch that is closed again leaves no condition behind.
//!
//! Invariant: a point's guard is its parent's guard and its own condition. Ancestors are found by jump pointers, in logarithmic time.

use logic::{Node, Op, Pool, TermId};
use rustc_hash::FxHashSet;

/// All points.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    parent: u32,
    jump: u32,
    depth: u32,
    cond: TermId,
    guard: TermId,
}

impl Points {
    /// The root alone.
    pub(crate) fn new(pool: &mut Pool) -> Points {
        let yes = pool.bool(true);
        Points { points: vec![Point { parent: 0, jump: 0, depth: 0, cond: yes, guard: yes }] }
    }

    /// A point below another.
    pub(crate) fn child(&mut self, pool: &mut Pool, parent: u32, cond: TermId) -> u32 {
        let above = self.points[parent as usize];
        let jumped = self.points[above.jump as usize];
        let is_even = above.depth - jumped.depth == jumped.depth - self.points[jumped.jump as usize].depth;
        let jump = if is_even && parent != 0 { jumped.jump } else { parent };
        let guard = pool.and(above.guard, cond);
        self.points.push(Point { parent, jump, depth: above.depth + 1, cond, guard });
        self.points.len() as u32 - 1
    }

    /// Makes a point's condition stronger; it has no points below it.
    pub(crate) fn narrow(&mut self, pool: &mut Pool, point: u32, cond: TermId) {
        let this = &mut self.points[point as usize];
        this.cond = pool.and(this.cond, cond);
        this.guard = pool.and(this.guard, cond);
    }

    /// Whether control gets there.
    pub(crate) fn guard(&self, point: u32) -> TermId {
        self.points[point as usize].guard
    }

    /// Whether every way to `below` passes `above`.
    pub(crate) fn dominates(&self, above: u32, below: u32) -> bool {
        let depth = self.points[above as usize].depth;
        let mut at = below;
        while self.points[at as usize].depth > depth {
            let this = &self.points[at as usize];
            at = if self.points[this.jump as usize].depth >= depth { this.jump } else { this.parent };
        }
        at == above
    }

    fn meet(&self, a: u32, b: u32) -> u32 {
        let depth = |point: u32| self.points[point as usize].depth;
        let lift = |mut point: u32, to: u32| {
            while depth(point) > to {
                let this = &self.points[point as usize];
                point = if depth(this.jump) >= to { this.jump } else { this.parent };
            }
            point
        };
        let lowest = depth(a).min(depth(b));
        let (mut a, mut b) = (lift(a, lowest), lift(b, lowest));
        while a != b {
            let (x, y) = (&self.points[a as usize], &self.points[b as usize]);
            (a, b) = if x.jump != y.jump { (x.jump, y.jump) } else { (x.parent, y.parent) };
        }
        a
    }

    /// Where ways meet, and the condition of each way since they parted.
    pub(crate) fn join(&mut self, pool: &mut Pool, ways: &[u32]) -> (u32, Vec<TermId>) {
        let above = ways.iter().copied().reduce(|a, b| self.meet(a, b)).expect("some way leads here");
        let conds: Vec<TermId> = ways.iter().map(|way| self.relative(pool, above, *way)).collect();
        let either = either(pool, &conds);
        let is_certain = pool.as_const(either).is_some();
        (if is_certain { above } else { self.child(pool, above, either) }, conds)
    }

    fn relative(&self, pool: &mut Pool, above: u32, below: u32) -> TermId {
        let mut conds = Vec::new();
        let mut at = below;
        while at != above {
            conds.push(self.points[at as usize].cond);
            at = self.points[at as usize].parent;
        }
        pool.and_all(&conds)
    }
}

/// One of the conditions holds; conditions that differ in the sign of one conjunct become one.
fn either(pool: &mut Pool, conds: &[TermId]) -> TermId {
    let mut parts: Vec<TermId> = conds.to_vec();
    parts.sort_unstable();
    parts.dedup();
    let mut changed = parts.len() <= 24;
    while changed && parts.len() > 1 {
        changed = false;
        'pairs: for i in 0..parts.len() {
            for j in i + 1..parts.len() {
                if let Some(both) = resolve(pool, parts[i], parts[j]) {
                    parts.swap_remove(j);
                    parts.swap_remove(i);
                    parts.push(both);
                    changed = true;
                    break 'pairs;
                }
            }
        }
    }
    pool.or_all(&parts)
}

/// Whether a condition says a fact, part by part: each part of the fact is one of its own. It may do so and this not see it.
pub(crate) fn says(pool: &Pool, condition: TermId, fact: TermId) -> bool {
    conjuncts(pool, fact).is_subset(&conjuncts(pool, condition))
}

fn conjuncts(pool: &Pool, term: TermId) -> FxHashSet<TermId> {
    let mut found = FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        match pool.node(term) {
            Node::App { op: Op::And, args } if found.len() < 64 => open.extend(args.iter().copied()),
            _ => drop(found.insert(term)),
        }
    }
    found
}

/// `(a and c) or (a and not c)` is `a`.
fn resolve(pool: &mut Pool, a: TermId, b: TermId) -> Option<TermId> {
    let not_b = pool.not(b);
    if a == not_b {
        return Some(pool.bool(true));
    }
    let (in_a, in_b) = (conjuncts(pool, a), conjuncts(pool, b));
    let mut only_a: Vec<TermId> = in_a.difference(&in_b).copied().collect();
    let mut only_b: Vec<TermId> = in_b.difference(&in_a).copied().collect();
    if only_a.is_empty() {
        return Some(a);
    }
    if only_b.is_empty() {
        return Some(b);
    }
    only_a.sort_unstable();
    only_b.sort_unstable();
    let (x, y) = (pool.and_all(&only_a), pool.and_all(&only_b));
    let not_y = pool.not(y);
    if x != not_y {
        return None;
    }
    let mut common: Vec<TermId> = in_a.intersection(&in_b).copied().collect();
    common.sort_unstable();
    Some(pool.and_all(&common))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Sort;

    #[test]
    fn closed_branches_leave_no_condition() {
        let mut pool = Pool::new();
        let [c, d] = ["c", "d"].map(|name| {
            let var = pool.declare(name, Sort::Bool);
            pool.var(var)
        });
        let (not_c, not_d) = (pool.not(c), pool.not(d));
        let mut points = Points::new(&mut pool);
        let root = points.child(&mut pool, 0, c);
        let then = points.child(&mut pool, root, d);
        let inner = points.child(&mut pool, then, not_c);
        let otherwise = points.child(&mut pool, root, not_d);
        let (met, _) = points.join(&mut pool, &[then, otherwise]);
        assert_eq!(met, root);
        let (met, conds) = points.join(&mut pool, &[inner, otherwise]);
        assert!(points.dominates(root, met) && !points.dominates(then, met) && met != root);
        assert_eq!(conds.len(), 2);
        assert!(points.dominates(then, inner) && points.dominates(0, inner) && !points.dominates(inner, then));
    }
}
