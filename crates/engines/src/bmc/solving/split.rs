//! Where is a part of all executions cut in two, so that each half is easier than the whole?
//!
//! Most reads have many writes to choose from, so that not to read from one of them hardly makes a question easier. Which of a write and a read comes first cuts evenly, and decides the order of others, too: what
//! comes before the one comes before all that comes after the other.

use super::encoding::Encoding;
use memory::order::Closure;
use rustc_hash::FxHashMap;
use smt::Lit;
use std::ops::Not;

/// How many pairs of a write and a read are compared before a part is cut.
const MOST_ACTIVE: usize = 30;

/// Where all executions are cut in two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// A literal that means the same to all is true: a branch, or what a read reads.
    Taken(Lit),
    /// One node comes before another.
    Before(u32, u32),
}

impl Not for Choice {
    type Output = Choice;

    fn not(self) -> Choice {
        match self {
            Choice::Taken(lit) => Choice::Taken(!lit),
            Choice::Before(a, b) => Choice::Before(b, a),
        }
    }
}

impl Choice {
    /// Its literal in an encoding.
    pub(super) fn literal(self, encoding: &mut Encoding) -> Lit {
        match self {
            Choice::Taken(lit) => lit,
            Choice::Before(a, b) => encoding.before(a, b),
        }
    }
}

/// Where to cut a part in two: at a write and a read of which either order decides the most about others; if all are ordered, at what the search has met most lately.
pub(super) fn split(encoding: &Encoding, cube: &[Choice]) -> Option<Choice> {
    let mut closure = encoding.closure.clone();
    let mut ordered = Vec::new();
    let nobody = vec![0; closure.n_words() * closure.n_words() * 64];
    for choice in cube {
        let edge = match *choice {
            Choice::Before(a, b) => Some((a, b)),
            Choice::Taken(lit) => encoding.nodes(lit),
        };
        if let Some((a, b)) = edge
            && !closure.is_before(a, b)
            && !closure.is_before(b, a)
        {
            closure.add(a, b, &nobody, &mut ordered);
        }
    }
    if let Some((a, b)) = balanced(encoding, &closure) {
        return Some(Choice::Before(a, b));
    }
    let except: Vec<Lit> =
        cube.iter().filter_map(|choice| if let Choice::Taken(lit) = choice { Some(*lit) } else { None }).collect();
    encoding.bits.most_active(encoding.splits(), &except).map(Choice::Taken)
}

/// The write and the read of which either order decides the most about the order of others.
fn balanced(encoding: &Encoding, closure: &Closure) -> Option<(u32, u32)> {
    let open = |pair: &(u32, u32)| !closure.is_before(pair.0, pair.1) && !closure.is_before(pair.1, pair.0);
    let mut pairs: Vec<(f64, (u32, u32))> = encoding
        .contended()
        .filter(|(_, pair)| open(pair))
        .map(|(lit, pair)| (encoding.bits.activity(lit), pair))
        .collect();
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let n_words = closure.n_words();
    let mut partners: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    for (_, (a, b)) in &pairs {
        for (node, other) in [(*a, *b), (*b, *a)] {
            partners.entry(node).or_insert_with(|| vec![0; n_words])[other as usize / 64] |= 1 << (other % 64);
        }
    }
    // How many of them are ordered once one comes before the other.
    let decided = |a: u32, b: u32| -> u32 {
        let is_at_or_before = |node: u32| node == a || closure.is_before(node, a);
        let of = |mask: &Vec<u64>| -> u32 {
            let own = (mask[b as usize / 64] >> (b % 64) & 1) as u32;
            own + mask.iter().zip(closure.after(b)).map(|(x, y)| (x & y).count_ones()).sum::<u32>()
        };
        partners.iter().filter(|(node, _)| is_at_or_before(**node)).map(|(_, mask)| of(mask)).sum()
    };
    let best = pairs.iter().take(MOST_ACTIVE).max_by_key(|(_, (a, b))| decided(*a, *b).min(decided(*b, *a)))?;
    Some(best.1)
}
