//! Where is an access? Its address as a sum: the start of an object, a counter times a stride, and a constant.
//!
//! Terms are over the *roots* of a thread at a moment: variables about whose values nothing else is known but what `Root` says. A sum with other
//! parts than these is no `Exact` place; which objects it can be in is then all that is known (`ir::pass::PointsTo`).
//!
//! An index times a stride is taken not to wrap, and a place not to leave its object: whoever does has made an invalid access.

use super::ranges::{Range, range};
use super::spots::Spot;
use logic::{Node, Op, Pool, TermId, VarId};
use smallvec::SmallVec;
use std::cell::RefCell;

/// Where an object comes from, as far as instances can be told apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Base {
    /// There is one such object: the target of that index (`PointsTo::targets`).
    Unique(usize),
    /// The last one that the running thread has made at the site.
    Own(Spot),
    /// The one that its creator gave to the thread, the last one the creator had made at the site then.
    Given(Spot),
    /// Some object.
    Some,
}

/// What is known of a variable's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    /// In an object, so far from its start.
    Object(Base, Pattern),
    /// A counter of a loop, between these numbers.
    Counter(Range),
    /// A number between these.
    Number(Range),
}

/// An address: a base, a counter times a stride, and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exact {
    pub(super) base: Base,
    pub(super) stride: Option<(VarId, i128)>,
    /// Where the counter is.
    pub(super) counter: Range,
    /// The least distance from the start of the object, and by how much it may be more.
    pub(super) offset: i128,
    pub(super) spread: i128,
    /// What all that is added to the offset is a multiple of.
    pub(super) grain: i128,
}

impl Exact {
    /// The one place, if it is one: of an object that there is once, at a fixed distance.
    pub(super) fn cell(&self) -> Option<(usize, i128)> {
        match (self.base, self.stride, self.spread) {
            (Base::Unique(target), None, 0) => Some((target, self.offset)),
            _ => None,
        }
    }

    /// Where it can be in its object.
    pub(super) fn pattern(self) -> Pattern {
        let Exact { offset, spread, grain, .. } = self.without_stride();
        Pattern { least: offset, most: offset + spread, grain }
    }

    /// The same with the counter anywhere in its range.
    fn without_stride(self) -> Exact {
        let Some((_, by)) = self.stride else { return self };
        let ends = (self.counter.0 * by, self.counter.1 * by);
        let (least, most) = (ends.0.min(ends.1), ends.0.max(ends.1));
        Exact { stride: None, offset: self.offset + least, spread: self.spread + most - least, ..self }
    }
}

/// Distances from the start of an object: from the least to the most, each a multiple of the grain apart; one if that is zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Pattern {
    least: i128,
    most: i128,
    grain: i128,
}

/// How bytes at two patterns of distances lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overlap {
    None,
    /// Where they share bytes, they share all of them.
    Whole,
    Partial,
}

impl Pattern {
    /// Any distance.
    pub(super) const ANY: Pattern = Pattern { least: -WIDE, most: WIDE, grain: 1 };

    /// One distance.
    pub(super) fn one(at: i128) -> Pattern {
        Pattern { least: at, most: at, grain: 0 }
    }

    /// So many bytes further.
    pub(super) fn plus(self, bytes: i128) -> Pattern {
        Pattern { least: self.least + bytes, most: self.most + bytes, ..self }
    }

    /// A pattern that has both.
    pub(super) fn hull(self, other: Pattern) -> Pattern {
        let grain = gcd(gcd(self.grain, other.grain), self.least - other.least);
        Pattern { least: self.least.min(other.least), most: self.most.max(other.most), grain }
    }

    pub(super) fn overlap(self, bytes: i128, other: Pattern, other_bytes: i128) -> Overlap {
        if self.most + bytes <= other.least || other.most + other_bytes <= self.least {
            return Overlap::None;
        }
        let grain = gcd(self.grain, other.grain);
        let distance = other.least - self.least;
        let apart = if grain == 0 { distance } else { distance.rem_euclid(grain) };
        if apart == 0 {
            let is_whole = bytes == other_bytes && (grain == 0 || grain >= bytes);
            return if is_whole { Overlap::Whole } else { Overlap::Partial };
        }
        if grain > 0 && apart >= bytes && apart + other_bytes <= grain { Overlap::None } else { Overlap::Partial }
    }
}

/// Farther than any object reaches.
const WIDE: i128 = 1 << 90;

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// A sum of terms with factors, and a constant.
#[derive(Clone, Default, Debug)]
pub(super) struct Linear {
    pub(super) parts: Vec<(TermId, i128)>,
    pub(super) constant: i128,
}

impl Linear {
    pub(super) fn of(pool: &Pool, term: TermId) -> Linear {
        let mut linear = Linear::default();
        linear.add(pool, term, 1);
        linear.parts.retain(|(_, factor)| *factor != 0);
        linear.parts.sort_unstable();
        linear
    }

    fn add(&mut self, pool: &Pool, term: TermId, factor: i128) {
        let constant = |term: TermId| pool.as_const(term).and_then(signed);
        if let Some(value) = constant(term) {
            self.constant += value * factor;
            return;
        }
        match pool.node(term) {
            Node::App { op: Op::Add, args } => args.iter().for_each(|arg| self.add(pool, *arg, factor)),
            Node::App { op: Op::Sub, args } => {
                self.add(pool, args[0], factor);
                self.add(pool, args[1], -factor);
            }
            Node::App { op: Op::Neg, args } => self.add(pool, args[0], -factor),
            Node::App { op: Op::Mul, args } => match (constant(args[0]), constant(args[1])) {
                (Some(by), _) if by.abs() < 1 << 40 => self.add(pool, args[1], factor * by),
                (_, Some(by)) if by.abs() < 1 << 40 => self.add(pool, args[0], factor * by),
                _ => self.part(term, factor),
            },
            Node::App { op: Op::Shl, args } => match constant(args[1]) {
                Some(by) if (0..32).contains(&by) => self.add(pool, args[0], factor << by),
                _ => self.part(term, factor),
            },
            _ => self.part(term, factor),
        }
    }

    fn part(&mut self, term: TermId, factor: i128) {
        match self.parts.iter_mut().find(|(other, _)| *other == term) {
            Some((_, sum)) => *sum += factor,
            None => self.parts.push((term, factor)),
        }
    }
}

/// A constant as a signed number.
pub(super) fn signed(value: &logic::Value) -> Option<i128> {
    match value {
        logic::Value::Bv(bits) => bits.to_i128(),
        _ => None,
    }
}

/// The bytes between two addresses, if they differ by a constant.
pub(super) fn distance(pool: &Pool, from: TermId, to: TermId) -> Option<i128> {
    let (from, to) = (Linear::of(pool, from), Linear::of(pool, to));
    (from.parts == to.parts).then(|| to.constant - from.constant)
}

/// The variable of a part, as it is or made wider; either way different values stay different.
pub(super) fn variable_of(pool: &Pool, term: TermId) -> Option<VarId> {
    match pool.node(term) {
        Node::Var(var) => Some(*var),
        Node::App { op: Op::SignExtend(_) | Op::ZeroExtend(_), args } => pool.as_var(args[0]),
        _ => None,
    }
}

/// The place that an address names, if it is known in which object. `object_at` finds the object of a constant address, and its start.
pub(super) fn locate(
    pool: &Pool,
    addr: TermId,
    root: &dyn Fn(VarId) -> Root,
    object_at: &dyn Fn(i128) -> Option<(usize, i128)>,
) -> Option<Exact> {
    let linear = Linear::of(pool, addr);
    // What is known of a root may depend on where it was read, and so on; asking twice at each level would be asking without end.
    let asked: RefCell<SmallVec<[(VarId, Root); 4]>> = RefCell::default();
    let root = |var: VarId| {
        let known = asked.borrow().iter().find(|(other, _)| *other == var).map(|(_, known)| *known);
        known.unwrap_or_else(|| {
            let found = root(var);
            asked.borrow_mut().push((var, found));
            found
        })
    };
    let number = |var: VarId| match root(var) {
        Root::Number(range) | Root::Counter(range) => Some(range),
        Root::Object(..) => None,
    };
    let (mut base, mut stride, mut counter) = (None, None, (0, 0));
    let (mut offset, mut spread, mut grain) = (linear.constant, 0, 0);
    for (term, factor) in linear.parts {
        match (variable_of(pool, term).map(|var| (var, root(var))), pool.as_var(term)) {
            (Some((_, Root::Object(object, at))), Some(_)) if base.is_none() && factor == 1 => {
                base = Some(object);
                offset += at.least;
                spread += at.most - at.least;
                grain = gcd(grain, at.grain);
            }
            (Some((_, Root::Object(..))), _) => return None,
            (Some((var, Root::Counter(range))), _) if stride.is_none() => {
                stride = Some((var, factor));
                counter = range;
                grain = gcd(grain, factor);
            }
            _ => {
                let (least, most) = range(pool, term, &number);
                let ends = (least.checked_mul(factor)?, most.checked_mul(factor)?);
                offset += ends.0.min(ends.1);
                spread += (ends.0 - ends.1).abs();
                grain = gcd(grain, factor);
            }
        }
    }
    let base = match base {
        Some(base) => base,
        None => {
            // Whatever is added to it, a constant that is the address of an object stays in it.
            let (target, start) = object_at(linear.constant)?;
            offset -= start;
            Base::Unique(target)
        }
    };
    Some(Exact { base, stride, counter, offset, spread, grain })
}

/// How the tokens of two accesses are related: counters, and objects of a site.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Distinct {
    /// The counters of their strides have different values.
    pub(super) counters: bool,
    /// The objects of a site are different ones.
    pub(super) objects: bool,
}

/// Whether two places of so many bytes have none in common.
pub(super) fn apart(a: (Exact, i128), b: (Exact, i128), distinct: Distinct) -> bool {
    let site_of = |base| match base {
        Base::Unique(_) | Base::Some => None,
        Base::Own(site) | Base::Given(site) => Some(site),
    };
    match (a.0.base, b.0.base) {
        (Base::Unique(x), Base::Unique(y)) if x != y => return true,
        (Base::Unique(_), Base::Unique(_)) | (Base::Some, _) | (_, Base::Some) => {}
        (x, y) if site_of(x) != site_of(y) => return true,
        _ if distinct.objects => return true,
        _ => {}
    }
    // What the difference of the two addresses must be if they overlap.
    let gap = |a: (Exact, i128), b: (Exact, i128)| {
        let (a_bytes, b_bytes) = (a.1 + a.0.spread, b.1 + b.0.spread);
        (b.0.offset - a.0.offset - a_bytes + 1, b.0.offset - a.0.offset + b_bytes - 1)
    };
    if let (Some((_, by)), Some((_, other))) = (a.0.stride, b.0.stride)
        && by == other
        && distinct.counters
    {
        let (least, most) = gap(a, b);
        return least.abs() < by.abs() && most.abs() < by.abs();
    }
    a.0.pattern().overlap(a.1, b.0.pattern(), b.1) == Overlap::None
}
