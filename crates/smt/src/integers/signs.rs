//! Is a bit-vector meant as a signed or as an unsigned number?
//!
//! Bit-vectors have no signs, but what is done to them tells: terms that are added, chosen between or compared for
//! equality are of one kind, and the operators that do distinguish vote. Any choice is sound, since wrap-around is
//! checked under the view that was chosen; a good choice has less wrap-around to rule out.
//!
//! Constants take the view of whoever uses them.

use logic::{Node, Op, Pool, Sort, TermId};
use rustc_hash::FxHashMap;

/// How the bits of a term are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Signed,
    Unsigned,
}

/// The view of each bit-vector term.
#[derive(Debug, Default)]
pub(crate) struct Views {
    place: FxHashMap<TermId, usize>,
    parent: Vec<usize>,
    /// Votes for signed minus votes for unsigned, at the roots.
    votes: Vec<i32>,
}

impl Views {
    /// From everything that these formulas contain.
    pub(crate) fn of(pool: &Pool, formulas: &[TermId]) -> Views {
        let mut views = Views::default();
        for term in pool.post_order_of(formulas) {
            if let Node::App { op, args } = pool.node(term) {
                views.look_at(pool, term, *op, args);
            }
        }
        views
    }

    /// The view of a term that is not constant.
    pub(crate) fn view(&self, term: TermId) -> View {
        let signed = self.place.get(&term).is_none_or(|&place| self.votes[self.root(place)] >= 0);
        if signed { View::Signed } else { View::Unsigned }
    }

    fn look_at(&mut self, pool: &Pool, term: TermId, op: Op, args: &[TermId]) {
        match op {
            Op::Add | Op::Sub | Op::Neg | Op::Mul | Op::BvNot => {
                for &arg in args {
                    self.join(pool, term, arg);
                }
            }
            Op::Shl => self.join(pool, term, args[0]),
            Op::Ite if matches!(pool.sort(term), Sort::Bv(_)) => {
                self.join(pool, term, args[1]);
                self.join(pool, term, args[2]);
            }
            Op::Eq if matches!(pool.sort(args[0]), Sort::Bv(_)) => self.join(pool, args[0], args[1]),
            Op::Slt | Op::SmulOverflows => {
                self.join(pool, args[0], args[1]);
                self.vote(pool, args, 1);
            }
            Op::Ult | Op::UmulOverflows => {
                self.join(pool, args[0], args[1]);
                self.vote(pool, args, -1);
            }
            Op::Sdiv | Op::Srem | Op::Ashr | Op::SignExtend(_) | Op::SbvToFloat(_) => {
                self.vote(pool, &args[..1], 1);
                self.vote(pool, &[term], 1);
            }
            Op::Udiv | Op::Urem | Op::Lshr | Op::UbvToFloat(_) => {
                self.vote(pool, &args[..1], -1);
                self.vote(pool, &[term], -1);
            }
            Op::ZeroExtend(_) | Op::Extract { .. } => self.vote(pool, &args[..1], -1),
            _ => {}
        }
    }

    fn place(&mut self, pool: &Pool, term: TermId) -> Option<usize> {
        if pool.as_const(term).is_some() || !matches!(pool.sort(term), Sort::Bv(_)) {
            return None;
        }
        let next = self.parent.len();
        let place = *self.place.entry(term).or_insert(next);
        if place == next {
            self.parent.push(next);
            self.votes.push(0);
        }
        Some(place)
    }

    fn root(&self, mut place: usize) -> usize {
        while self.parent[place] != place {
            place = self.parent[place];
        }
        place
    }

    fn vote(&mut self, pool: &Pool, terms: &[TermId], vote: i32) {
        for &term in terms {
            if let Some(place) = self.place(pool, term) {
                let root = self.root(place);
                self.votes[root] += vote;
            }
        }
    }

    fn join(&mut self, pool: &Pool, a: TermId, b: TermId) {
        let (Some(a), Some(b)) = (self.place(pool, a), self.place(pool, b)) else { return };
        let (root, other) = (self.root(a), self.root(b));
        if root != other {
            self.parent[other] = root;
            self.votes[root] += self.votes[other];
        }
        // Short ways for the next time.
        self.parent[a] = root;
        self.parent[b] = root;
    }
}
