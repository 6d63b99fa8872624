//! How are sets of events and relations between them kept, and what can one do with them?
//!
//! An execution has a few dozen events, numbered from 0, so a set is a row of bits and a relation is a square of such rows:
//! row `a` holds the events that `a` is related to. Union, intersection and difference go word by word, composition row
//! by row, and the transitive closure is Warshall's with rows as the inner step. Up to 64 events a row is one word.
//!
//! Invariant: bits beyond the number of events are zero, in every row; `complement` clears them again.
//! Which sets and relations an execution has is said in `execution`, what a model makes of them in `cat`.

use std::fmt;

/// The number of words that hold `n` bits.
fn words(n: usize) -> usize {
    n.div_ceil(64).max(1)
}

/// The word mask of the valid bits of word `word` in a row of `n` bits.
fn valid(n: usize, word: usize) -> u64 {
    let first = word * 64;
    if n >= first + 64 {
        u64::MAX
    } else if n <= first {
        0
    } else {
        (1 << (n - first)) - 1
    }
}

/// The positions of the bits that are set in a row of words.
pub(crate) fn positions(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    row.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            if rest == 0 {
                return None;
            }
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            Some(index * 64 + bit)
        })
    })
}

/// A set of events.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct EventSet {
    n: usize,
    bits: Vec<u64>,
}

impl EventSet {
    /// The empty set, for executions of `n` events.
    pub fn empty(n: usize) -> EventSet {
        EventSet { n, bits: vec![0; words(n)] }
    }

    /// All `n` events.
    pub fn full(n: usize) -> EventSet {
        let bits = (0..words(n)).map(|word| valid(n, word)).collect();
        EventSet { n, bits }
    }

    /// The set of these events.
    pub fn of(n: usize, members: impl IntoIterator<Item = usize>) -> EventSet {
        let mut set = EventSet::empty(n);
        members.into_iter().for_each(|event| set.insert(event));
        set
    }

    /// How many events the execution has.
    pub fn universe(&self) -> usize {
        self.n
    }

    /// Adds an event.
    pub fn insert(&mut self, event: usize) {
        debug_assert!(event < self.n);
        self.bits[event / 64] |= 1 << (event % 64);
    }

    /// Whether an event is a member.
    pub fn contains(&self, event: usize) -> bool {
        self.bits[event / 64] >> (event % 64) & 1 == 1
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        positions(&self.bits)
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Adds the members of another set.
    pub fn union(&mut self, other: &EventSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a |= b);
    }

    /// Keeps the members of another set.
    pub fn intersect(&mut self, other: &EventSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= b);
    }

    /// Removes the members of another set.
    pub fn subtract(&mut self, other: &EventSet) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= !b);
    }

    /// Replaces the set by all other events.
    pub fn complement(&mut self) {
        let n = self.n;
        self.bits.iter_mut().enumerate().for_each(|(index, word)| *word = !*word & valid(n, index));
    }
}

impl fmt::Debug for EventSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A binary relation between events.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Relation {
    n: usize,
    stride: usize,
    bits: Vec<u64>,
}

impl Relation {
    /// The empty relation between `n` events.
    pub fn empty(n: usize) -> Relation {
        Relation { n, stride: words(n), bits: vec![0; words(n) * n] }
    }

    /// The relation of all pairs.
    pub fn full(n: usize) -> Relation {
        let mut relation = Relation::empty(n);
        relation.complement();
        relation
    }

    /// Every event related to itself.
    pub fn identity(n: usize) -> Relation {
        let mut relation = Relation::empty(n);
        (0..n).for_each(|event| relation.insert(event, event));
        relation
    }

    /// The relation of these pairs.
    pub fn of(n: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Relation {
        let mut relation = Relation::empty(n);
        pairs.into_iter().for_each(|(from, to)| relation.insert(from, to));
        relation
    }

    /// How many events the execution has.
    pub fn universe(&self) -> usize {
        self.n
    }

    /// The successors of an event, as a row of bits.
    pub fn row(&self, event: usize) -> &[u64] {
        &self.bits[event * self.stride..(event + 1) * self.stride]
    }

    fn row_mut(&mut self, event: usize) -> &mut [u64] {
        &mut self.bits[event * self.stride..(event + 1) * self.stride]
    }

    /// Adds a pair.
    pub fn insert(&mut self, from: usize, to: usize) {
        debug_assert!(from < self.n && to < self.n);
        self.bits[from * self.stride + to / 64] |= 1 << (to % 64);
    }

    /// Removes a pair.
    pub fn remove(&mut self, from: usize, to: usize) {
        self.bits[from * self.stride + to / 64] &= !(1 << (to % 64));
    }

    /// Whether a pair is related.
    pub fn contains(&self, from: usize, to: usize) -> bool {
        self.bits[from * self.stride + to / 64] >> (to % 64) & 1 == 1
    }

    /// Whether nothing is related.
    pub fn is_empty(&self) -> bool {
        self.bits.iter().all(|&word| word == 0)
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The successors of an event.
    pub fn successors(&self, event: usize) -> impl Iterator<Item = usize> + '_ {
        positions(self.row(event))
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n).flat_map(move |from| self.successors(from).map(move |to| (from, to)))
    }

    /// Whether every pair is one of another relation.
    pub fn is_subset(&self, other: &Relation) -> bool {
        self.bits.iter().zip(&other.bits).all(|(a, b)| a & !b == 0)
    }

    /// Empties the relation.
    pub fn clear(&mut self) {
        self.bits.fill(0);
    }

    /// Becomes a copy of another relation, without allocating.
    pub fn assign(&mut self, other: &Relation) {
        self.n = other.n;
        self.stride = other.stride;
        self.bits.clone_from(&other.bits);
    }

    /// Adds the pairs of another relation.
    pub fn union(&mut self, other: &Relation) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a |= b);
    }

    /// Keeps the pairs of another relation.
    pub fn intersect(&mut self, other: &Relation) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= b);
    }

    /// Removes the pairs of another relation.
    pub fn subtract(&mut self, other: &Relation) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(a, b)| *a &= !b);
    }

    /// Replaces the relation by all other pairs.
    pub fn complement(&mut self) {
        let (n, stride) = (self.n, self.stride);
        self.bits.iter_mut().enumerate().for_each(|(index, word)| *word = !*word & valid(n, index % stride));
    }

    /// Becomes `first ; second`.
    pub fn compose(&mut self, first: &Relation, second: &Relation) {
        self.clear();
        if self.stride == 1 {
            for (row, &middle) in self.bits.iter_mut().zip(&first.bits) {
                let mut rest = middle;
                let mut sum = 0;
                while rest != 0 {
                    sum |= second.bits[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                }
                *row = sum;
            }
            return;
        }
        for from in 0..self.n {
            for middle in first.successors(from) {
                let row = second.row(middle);
                self.row_mut(from).iter_mut().zip(row).for_each(|(a, b)| *a |= b);
            }
        }
    }

    /// Becomes the inverse of another relation.
    pub fn inverse(&mut self, other: &Relation) {
        self.clear();
        for (from, to) in other.iter() {
            self.insert(to, from);
        }
    }

    /// Adds what follows by transitivity.
    pub fn close(&mut self) {
        for middle in 0..self.n {
            if self.stride == 1 {
                let through = self.bits[middle];
                if through == 0 {
                    continue;
                }
                self.bits.iter_mut().for_each(|row| *row |= through & 0u64.wrapping_sub(*row >> middle & 1));
                continue;
            }
            let through = self.row(middle).to_vec();
            for from in 0..self.n {
                if self.contains(from, middle) {
                    self.row_mut(from).iter_mut().zip(&through).for_each(|(a, b)| *a |= b);
                }
            }
        }
    }

    /// Adds every event to its own successors.
    pub fn add_identity(&mut self) {
        (0..self.n).for_each(|event| self.insert(event, event));
    }

    /// Whether some event is related to itself.
    pub fn has_loop(&self) -> bool {
        (0..self.n).any(|event| self.contains(event, event))
    }

    /// Whether there is a cycle: events without predecessors are taken away until none is left, or a cycle is.
    pub fn has_cycle(&self) -> bool {
        if self.stride == 1 {
            let mut left = valid(self.n, 0);
            loop {
                let mut reached = 0;
                for event in positions(&[left]) {
                    reached |= self.bits[event];
                }
                let next = left & reached;
                if next == left {
                    return left != 0;
                }
                left = next;
            }
        }
        let mut left = EventSet::full(self.n);
        loop {
            let mut reached = EventSet::empty(self.n);
            for event in left.iter() {
                reached.bits.iter_mut().zip(self.row(event)).for_each(|(a, b)| *a |= b);
            }
            reached.intersect(&left);
            if reached == left {
                return !left.is_empty();
            }
            left = reached;
        }
    }

    /// The shortest cycle, as the events on it in order, if there is one.
    pub fn shortest_cycle(&self) -> Option<Vec<usize>> {
        let mut best: Option<Vec<usize>> = None;
        for start in 0..self.n {
            let mut parent = vec![usize::MAX; self.n];
            let mut queue = std::collections::VecDeque::from([start]);
            while let Some(event) = queue.pop_front() {
                if self.contains(event, start) {
                    let mut path = vec![event];
                    while *path.last().expect("the path has its end") != start {
                        path.push(parent[*path.last().expect("the path has its end")]);
                    }
                    path.reverse();
                    if best.as_ref().is_none_or(|found| path.len() < found.len()) {
                        best = Some(path);
                    }
                    break;
                }
                for next in self.successors(event) {
                    if parent[next] == usize::MAX && next != start {
                        parent[next] = event;
                        queue.push_back(next);
                    }
                }
            }
        }
        best
    }

    /// The events that are related to something.
    pub fn domain(&self) -> EventSet {
        EventSet::of(self.n, (0..self.n).filter(|&event| self.row(event).iter().any(|&word| word != 0)))
    }

    /// The events that something is related to.
    pub fn range(&self) -> EventSet {
        let mut set = EventSet::empty(self.n);
        for event in 0..self.n {
            set.bits.iter_mut().zip(self.row(event)).for_each(|(a, b)| *a |= b);
        }
        set
    }

    /// Becomes the product of two sets.
    pub fn product(&mut self, first: &EventSet, second: &EventSet) {
        self.clear();
        for from in first.iter() {
            self.row_mut(from).copy_from_slice(&second.bits);
        }
    }

    /// Becomes the identity on a set.
    pub fn identity_on(&mut self, set: &EventSet) {
        self.clear();
        set.iter().for_each(|event| self.insert(event, event));
    }

    /// Keeps the pairs that start in a set.
    pub fn restrict_domain(&mut self, set: &EventSet) {
        for event in 0..self.n {
            if !set.contains(event) {
                self.row_mut(event).fill(0);
            }
        }
    }

    /// Keeps the pairs that end in a set.
    pub fn restrict_range(&mut self, set: &EventSet) {
        for event in 0..self.n {
            self.row_mut(event).iter_mut().zip(&set.bits).for_each(|(a, b)| *a &= b);
        }
    }

    /// Adds a pair to an order that is closed under transitivity, and what follows.
    pub fn insert_closed(&mut self, from: usize, to: usize) {
        let row = self.row(to).to_vec();
        for event in 0..self.n {
            if event == from || self.contains(event, from) {
                self.row_mut(event).iter_mut().zip(&row).for_each(|(a, b)| *a |= b);
                self.insert(event, to);
            }
        }
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive_closure(n: usize, pairs: &[(usize, usize)]) -> Relation {
        let mut closed = Relation::of(n, pairs.iter().copied());
        loop {
            let mut step = Relation::empty(n);
            step.compose(&closed, &closed);
            step.union(&closed);
            if step == closed {
                return closed;
            }
            closed = step;
        }
    }

    fn graphs() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        prop_oneof![2usize..20, 60usize..70, 120usize..140]
            .prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n), 0..2 * n)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn closure_cycles_and_inverse_agree_with_their_definitions((n, pairs) in graphs()) {
            let relation = Relation::of(n, pairs.iter().copied());
            let mut closed = relation.clone();
            closed.close();
            prop_assert_eq!(&closed, &naive_closure(n, &pairs));
            prop_assert_eq!(relation.has_cycle(), closed.has_loop());
            prop_assert_eq!(relation.shortest_cycle().is_some(), closed.has_loop());
            let mut inverse = Relation::empty(n);
            inverse.inverse(&relation);
            prop_assert!(relation.iter().all(|(a, b)| inverse.contains(b, a)));
            prop_assert_eq!(inverse.len(), relation.len());
            let mut other = relation.clone();
            other.complement();
            prop_assert_eq!(other.len() + relation.len(), n * n);
            prop_assert_eq!(relation.domain(), inverse.range());
        }

        #[test]
        fn orders_stay_closed_as_pairs_are_added((n, pairs) in graphs()) {
            let mut order = Relation::empty(n);
            let mut kept = Vec::new();
            for (from, to) in pairs {
                if from != to && !order.contains(to, from) {
                    order.insert_closed(from, to);
                    kept.push((from, to));
                }
            }
            prop_assert_eq!(order, naive_closure(n, &kept));
        }

        #[test]
        fn a_cycle_that_is_shown_is_one((n, pairs) in graphs()) {
            let relation = Relation::of(n, pairs);
            if let Some(cycle) = relation.shortest_cycle() {
                for (index, &event) in cycle.iter().enumerate() {
                    prop_assert!(relation.contains(event, cycle[(index + 1) % cycle.len()]));
                }
            }
        }
    }
}
