//! Which threads? Sets of thread numbers, small ones without allocation.
//!
//! Most programs have fewer than 64 threads, and sets of them are one word; the words for more are allocated when a thread
//! beyond is first put in.

/// A set of threads.
#[derive(Clone, Debug, Default)]
pub struct ThreadSet {
    low: u64,
    high: Option<Box<[u64; HIGH]>>,
}

const HIGH: usize = 15;

/// Threads that can be in a set are those below.
pub const MAX_THREADS: usize = 64 * (1 + HIGH);

impl ThreadSet {
    /// One thread.
    pub fn of(thread: usize) -> ThreadSet {
        let mut set = ThreadSet::default();
        set.insert(thread);
        set
    }

    /// Whether there is no thread in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.as_ref().is_none_or(|high| high.iter().all(|word| *word == 0))
    }

    /// How many threads are in it.
    pub fn len(&self) -> usize {
        let high = self.high.iter().flat_map(|high| high.iter());
        self.low.count_ones() as usize + high.map(|word| word.count_ones() as usize).sum::<usize>()
    }

    /// Puts a thread in.
    #[inline]
    pub fn insert(&mut self, thread: usize) {
        match thread {
            0..64 => self.low |= 1 << thread,
            _ => self.high.get_or_insert_default()[thread / 64 - 1] |= 1 << (thread % 64),
        }
    }

    /// Takes a thread out.
    #[inline]
    pub fn remove(&mut self, thread: usize) {
        match (thread, &mut self.high) {
            (0..64, _) => self.low &= !(1 << thread),
            (_, Some(high)) => high[thread / 64 - 1] &= !(1 << (thread % 64)),
            (_, None) => {}
        }
    }

    /// Whether a thread is in it.
    #[inline]
    pub fn contains(&self, thread: usize) -> bool {
        match thread {
            0..64 => self.low >> thread & 1 != 0,
            _ => self.high.as_ref().is_some_and(|high| high[thread / 64 - 1] >> (thread % 64) & 1 != 0),
        }
    }

    /// Puts all threads of another set in.
    pub fn add(&mut self, other: &ThreadSet) {
        self.low |= other.low;
        if let Some(theirs) = &other.high {
            let mine = self.high.get_or_insert_default();
            mine.iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| *mine |= theirs);
        }
    }

    /// The threads that are not in another set.
    pub fn without(&self, other: &ThreadSet) -> ThreadSet {
        let mut rest = self.clone();
        rest.low &= !other.low;
        if let (Some(mine), Some(theirs)) = (&mut rest.high, &other.high) {
            mine.iter_mut().zip(theirs.iter()).for_each(|(mine, theirs)| *mine &= !theirs);
        }
        rest
    }

    /// The threads that are in both sets.
    pub fn common(&self, other: &ThreadSet) -> ThreadSet {
        self.without(&self.without(other))
    }

    /// The threads, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let high = self.high.iter().flat_map(|high| high.iter().copied());
        std::iter::once(self.low).chain(high).enumerate().flat_map(|(index, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros() as usize;
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    64 * index + bit
                })
            })
        })
    }

    /// The lowest thread.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        if self.low != 0 { Some(self.low.trailing_zeros() as usize) } else { self.iter().next() }
    }

    /// The highest thread.
    pub fn last(&self) -> Option<usize> {
        if self.high.is_none() && self.low != 0 {
            return Some(63 - self.low.leading_zeros() as usize);
        }
        self.iter().last()
    }
}

impl PartialEq for ThreadSet {
    fn eq(&self, other: &ThreadSet) -> bool {
        self.low == other.low && (self.high == other.high || self.iter().eq(other.iter()))
    }
}

impl Eq for ThreadSet {}

impl FromIterator<usize> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = usize>>(threads: I) -> ThreadSet {
        let mut set = ThreadSet::default();
        threads.into_iter().for_each(|thread| set.insert(thread));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_of_threads_are_sets() {
        let lists: [&[usize]; 5] = [&[], &[0, 3, 63], &[64], &[3, 64, 65, 1023], &[1, 1023]];
        for a in lists {
            let set: ThreadSet = a.iter().copied().collect();
            let plain: BTreeSet<usize> = a.iter().copied().collect();
            assert!(set.iter().eq(plain.iter().copied()));
            assert_eq!((set.len(), set.is_empty()), (plain.len(), plain.is_empty()));
            assert_eq!((set.first(), set.last()), (plain.first().copied(), plain.last().copied()));
            for b in lists {
                let (other, also): (ThreadSet, BTreeSet<usize>) =
                    (b.iter().copied().collect(), b.iter().copied().collect());
                assert!(set.without(&other).iter().eq(plain.difference(&also).copied()));
                assert!(set.common(&other).iter().eq(plain.intersection(&also).copied()));
                let mut both = set.clone();
                both.add(&other);
                assert!(both.iter().eq(plain.union(&also).copied()));
                assert_eq!(set == other, a == b);
                b.iter().for_each(|thread| both.remove(*thread));
                assert_eq!(both, set.without(&other));
                assert!(b.iter().all(|thread| set.contains(*thread) == plain.contains(thread)));
            }
        }
    }
}
