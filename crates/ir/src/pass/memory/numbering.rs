//! By what are the cells of an array told apart: by their addresses, or by numbers shorter than a word?
//!
//! Where pointers are longer than the numbers that count cells (`int` and 64 bits), each address is the first one plus a multiple of such a number made longer. The number says the same
//! in fewer bits, and is compared as the program compares it: `at < size`, not four times one made longer with four times the other.
//!
//! Invariant: two accesses inside the array touch the same cell exactly if their numbers are equal.

use logic::{Node, Op, Pool, Scalar, TermId};

/// A word that is a multiple of the size of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Multiple {
    /// So many cells.
    Known(u64),
    /// As many as a shorter number that is made longer.
    Extended(TermId, Number),
}

/// Numbers shorter than a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) width: u32,
    pub(super) is_signed: bool,
}

impl Number {
    /// That by which all these distances from the first byte count cells of so many bytes; none if there is no such.
    pub(super) fn of_all(pool: &Pool, distances: &[TermId], len: u64) -> Option<Number> {
        let multiples: Vec<Multiple> = distances.iter().map(|one| multiple(pool, *one, len)).collect::<Option<_>>()?;
        let number = multiples.iter().find_map(|one| match one {
            Multiple::Extended(_, number) => Some(*number),
            Multiple::Known(_) => None,
        })?;
        let fits = |one: &Multiple| match one {
            Multiple::Extended(_, other) => *other == number,
            Multiple::Known(count) => number.has(*count),
        };
        multiples.iter().all(fits).then_some(number)
    }

    fn has(self, count: u64) -> bool {
        count >> (self.width - u32::from(self.is_signed)) == 0
    }

    /// The sort of such numbers.
    pub(super) fn sort(self) -> Scalar {
        Scalar::Bv(self.width)
    }

    /// The number of the cell at such a distance.
    pub(super) fn at(self, pool: &mut Pool, distance: TermId, len: u64) -> Option<TermId> {
        match multiple(pool, distance, len)? {
            Multiple::Extended(term, number) => (number == self).then_some(term),
            Multiple::Known(count) => self.has(count).then(|| pool.bv(self.width, count)),
        }
    }

    /// The number of cells that have so many bytes together, as a number of the same length, and whether that one has a sign.
    pub(super) fn count(self, pool: &mut Pool, bytes: TermId, len: u64) -> Option<(TermId, bool)> {
        match multiple(pool, bytes, len)? {
            Multiple::Extended(term, number) => (number.width == self.width).then_some((term, number.is_signed)),
            Multiple::Known(count) => (count >> self.width == 0).then(|| (pool.bv(self.width, count), false)),
        }
    }

    /// Whether a cell is one of so many, told in numbers: what says the same of the words. A negative number, as a word, is greater than all others.
    pub(super) fn is_inside(self, pool: &mut Pool, at: TermId, (count, has_sign): (TermId, bool)) -> TermId {
        let zero = pool.bv(self.width, 0);
        let is_less = pool.ult(at, count);
        match (self.is_signed, has_sign) {
            (true, false) => {
                let is_positive = pool.sge(at, zero);
                pool.and(is_positive, is_less)
            }
            (false, true) => {
                let is_negative = pool.slt(count, zero);
                pool.or(is_negative, is_less)
            }
            (true, true) | (false, false) => is_less,
        }
    }
}

fn multiple(pool: &Pool, word: TermId, len: u64) -> Option<Multiple> {
    let known = |term: TermId| match pool.as_const(term) {
        Some(logic::Value::Bv(value)) => value.to_u64(),
        _ => None,
    };
    if let Some(bytes) = known(word) {
        return (bytes % len == 0).then_some(Multiple::Known(bytes / len));
    }
    let times_len = |one: TermId, other: TermId| (known(other) == Some(len)).then_some(one);
    let cells = match pool.node(word) {
        _ if len == 1 => word,
        Node::App { op: Op::Mul, args } => times_len(args[0], args[1]).or_else(|| times_len(args[1], args[0]))?,
        Node::App { op: Op::Shl, args } if len.is_power_of_two() && known(args[1]) == Some(len.ilog2().into()) => {
            args[0]
        }
        _ => return None,
    };
    let Node::App { op, args } = pool.node(cells) else { return None };
    let width = pool.bv_width(args[0]);
    let is_signed = match op {
        Op::SignExtend(_) => true,
        Op::ZeroExtend(_) => false,
        _ => return None,
    };
    // All multiples are different words, and that of a negative number is greater than that of any number without a sign.
    let fits = width + 1 + len.next_power_of_two().ilog2() <= pool.bv_width(word);
    fits.then_some(Multiple::Extended(args[0], Number { width, is_signed }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::{Sort, Value};

    /// What is said of words, and what of numbers, agree on all numbers of four bits in words of eight, for cells of one to eight bytes.
    #[test]
    fn inside_in_numbers_is_inside_in_words() {
        for len in [1, 2, 3, 4, 8] {
            for signs in [(false, false), (false, true), (true, false), (true, true)] {
                agrees(len, signs);
            }
        }
    }

    /// Cells of sixteen bytes, of which such words hold no more than fifteen.
    #[test]
    fn numbers_that_words_cannot_tell_apart_count_nothing() {
        let mut pool = Pool::new();
        let (at, sixteen) = (pool.declare("at", Sort::Bv(4)), pool.bv(8, 16));
        let at = pool.var(at);
        let longer = pool.resize(at, true, 8);
        let distance = pool.mul(longer, sixteen);
        assert_eq!(Number::of_all(&pool, &[distance], 16), None);
    }

    fn agrees(len: u64, (is_signed, size_is_signed): (bool, bool)) {
        let mut pool = Pool::new();
        let [at, n] = ["at", "n"].map(|name| pool.declare(name, Sort::Bv(4)));
        let bytes = |pool: &mut Pool, var, is_signed| {
            let var = pool.var(var);
            let longer = pool.resize(var, is_signed, 8);
            let len = pool.bv(8, len);
            pool.mul(longer, len)
        };
        let (distance, size) = (bytes(&mut pool, at, is_signed), bytes(&mut pool, n, size_is_signed));
        let last = pool.bv(8, len);
        let last = pool.sub(size, last);
        let (cell, has_room) = (pool.ule(distance, last), pool.bv(8, len));
        let has_room = pool.ule(has_room, size);
        let in_words = pool.and(has_room, cell);
        let number = Number::of_all(&pool, &[distance], len).expect("it counts");
        assert_eq!(number, Number { width: 4, is_signed });
        let (number_at, count) = (number.at(&mut pool, distance, len), number.count(&mut pool, size, len));
        let in_numbers = number.is_inside(&mut pool, number_at.expect("a number"), count.expect("a number"));
        for at_value in 0..16 {
            for n_value in 0..16 {
                let value = |term| {
                    let of = |var| Value::bv(4, if var == at { at_value } else { n_value });
                    pool.evaluate(term, &of)
                };
                assert_eq!(value(in_words), value(in_numbers), "{at_value} of {n_value}, {len} bytes each");
            }
        }
    }
}
