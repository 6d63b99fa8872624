//! What can a term be, and where does its value depend on where objects lie?
//!
//! Adding a number to an address, taking the difference of two addresses in one object, setting, clearing and reading
//! bits below the alignment of an object keep the shape "object and distance", or give a number that is the same wherever
//! objects lie. Every other operation on an address is a `Demand`: its result means something only if the operand is no address after all.

use super::Layout;
use super::conditions::is_in_page;
use super::value::{Base, Offset, Words};
use crate::pass::{linear, number};
use logic::{Node, Op, Pool, Sort, TermId, VarId};
use rustc_hash::FxHashMap;

/// What must hold for a term to have the same value wherever objects lie.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Demand {
    pub(super) kind: DemandKind,
    /// It matters only if these conditions have these truths.
    pub(super) when: Vec<(TermId, bool)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum DemandKind {
    /// It is no address.
    NotAddress(TermId),
    /// If `word` is an address, `mask` is below its alignment (or, if `is_and`, all but the bits below it are set).
    Mask { word: TermId, mask: TermId, is_and: bool },
    /// In a sum of words: what is subtracted lies in the object of something added, and at most one address is left.
    Sum { added: Vec<TermId>, subtracted: TermId },
    /// At most one of them is an address.
    AtMostOne(Vec<TermId>),
    /// Both are numbers or lie in one object.
    Order { a: TermId, b: TermId, is_signed: bool },
    /// Likewise, for how far one is from the other.
    Distance { a: TermId, b: TermId },
    /// Whether they are equal does not depend on the layout.
    Equal { a: TermId, b: TermId },
    /// It does not hold bytes of an address.
    NoParts(TermId),
}

/// Evaluates terms.
pub(super) struct Reader<'a> {
    pool: &'a Pool,
    layout: &'a Layout,
    word: u32,
    /// What a variable can be.
    vars: &'a dyn Fn(VarId) -> &'a Words,
    pub(super) demands: Vec<Demand>,
    memo: FxHashMap<TermId, (Words, Vec<Demand>)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        pool: &'a Pool,
        layout: &'a Layout,
        word: u32,
        vars: &'a dyn Fn(VarId) -> &'a Words,
    ) -> Reader<'a> {
        Reader { pool, layout, word, vars, demands: Vec::new(), memo: FxHashMap::default() }
    }

    /// What the term can be; what it needs is added to `demands`.
    pub(super) fn words(&mut self, term: TermId) -> Words {
        match self.pool.node(term) {
            Node::Const(value) => return Words::number(number(value).map_or(Offset::ANY, Offset::exact)),
            Node::Var(var) => return self.variable(*var),
            Node::App { .. } => {}
        }
        if let Some((words, demands)) = self.memo.get(&term) {
            self.demands.extend(demands.iter().cloned());
            return words.clone();
        }
        let start = self.demands.len();
        let words = self.apply(term);
        self.memo.insert(term, (words.clone(), self.demands[start..].to_vec()));
        words
    }

    fn variable(&self, var: VarId) -> Words {
        match self.layout.object_of(var) {
            Some(object) => Words::one(Base::Object(object), Offset::exact(0)),
            None => (self.vars)(var).clone(),
        }
    }

    fn demand(&mut self, kind: DemandKind) {
        self.demands.push(Demand { kind, when: Vec::new() });
    }

    fn apply(&mut self, term: TermId) -> Words {
        let pool = self.pool;
        let Node::App { op, args } = pool.node(term) else { unreachable!("the caller looked") };
        match *op {
            Op::Not => {
                self.words(args[0]);
                Words::any_number()
            }
            Op::And | Op::Or => {
                self.choices(args, *op == Op::And);
                Words::any_number()
            }
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.compare(args[0], args[1], |a, b| DemandKind::Equal { a, b }),
            Op::Ult => self.compare(args[0], args[1], |a, b| DemandKind::Order { a, b, is_signed: false }),
            Op::Slt => self.compare(args[0], args[1], |a, b| DemandKind::Order { a, b, is_signed: true }),
            Op::Add | Op::Sub | Op::Neg | Op::Mul => self.sum(term),
            Op::BvAnd | Op::BvOr | Op::BvXor => self.bits(*op, args[0], args[1]),
            Op::Shl => {
                let (a, by) = (self.plain(args[0]), self.plain(args[1]));
                match by.value() {
                    Some(by @ 0..=62) => Words::number(narrowed(a.times(1 << by), pool.sort(term))),
                    _ => Words::any_number(),
                }
            }
            Op::Urem => {
                // The remainder of a power of two is the lowest bits.
                let words = self.words(args[0]);
                let divisor = self.plain(args[1]).value().filter(|divisor| *divisor > 0 && divisor.count_ones() == 1);
                let is_low = divisor.is_some_and(|divisor| (divisor as u64) <= self.layout.least_align(&words));
                self.whole(args[0], &words);
                if words.may_be_address() && !is_low {
                    self.demand(DemandKind::NotAddress(args[0]));
                }
                Words::any_number()
            }
            Op::Extract { hi, lo } => self.extract(args[0], hi, lo),
            Op::ZeroExtend(_) | Op::SignExtend(_) => {
                let inner = self.plain(args[0]);
                let is_kept = *op != Op::ZeroExtend(pool.sort(term).width().unwrap_or(0)) || inner.at >= 0;
                match inner.value() {
                    Some(at) if is_kept => Words::number(Offset::exact(at)),
                    _ => Words::any_number(),
                }
            }
            Op::Concat => {
                let mut words = Words::any_number();
                for arg in args {
                    let inner = self.words(*arg);
                    for base in inner.bases().map(|(base, _)| base).chain(inner.parts.iter().copied()) {
                        words.insert_part(base);
                    }
                }
                words
            }
            _ => {
                for arg in args {
                    self.plain(*arg);
                }
                Words::any_number()
            }
        }
    }

    /// A term that must be a number.
    fn plain(&mut self, term: TermId) -> Offset {
        let words = self.words(term);
        if words.may_be_address() {
            self.demand(DemandKind::NotAddress(term));
        }
        self.whole(term, &words);
        words.numbers().unwrap_or(Offset::ANY)
    }

    /// Bytes of an address may be moved, but not looked at.
    fn whole(&mut self, term: TermId, words: &Words) {
        if !words.parts.is_empty() {
            self.demand(DemandKind::NoParts(term));
        }
    }

    /// Operands of `and` (or `or`) matter only where those that need nothing hold (or do not).
    fn choices(&mut self, args: &[TermId], is_and: bool) {
        let (mut settled, mut ranges) = (Vec::new(), Vec::new());
        for arg in args {
            let start = self.demands.len();
            self.words(*arg);
            if self.demands.len() == start {
                settled.push((*arg, is_and));
            }
            ranges.push(start..self.demands.len());
        }
        for demand in ranges.into_iter().flatten() {
            self.demands[demand].when.extend(settled.iter().copied());
        }
    }

    fn ite(&mut self, cond: TermId, then: TermId, otherwise: TermId) -> Words {
        let start = self.demands.len();
        self.words(cond);
        let is_settled = self.demands.len() == start;
        let mut words = Words::default();
        for (side, truth) in [(then, true), (otherwise, false)] {
            let start = self.demands.len();
            words.join(&self.words(side));
            for demand in &mut self.demands[start..] {
                if is_settled {
                    demand.when.push((cond, truth));
                }
            }
        }
        words
    }

    fn compare(&mut self, a: TermId, b: TermId, kind: impl FnOnce(TermId, TermId) -> DemandKind) -> Words {
        if self.pool.sort(a) == Sort::Bool {
            self.words(a);
            self.words(b);
            return Words::any_number();
        }
        let (x, y) = (self.words(a), self.words(b));
        self.whole(a, &x);
        self.whole(b, &y);
        // No object lies where null points, or nearby, in any layout.
        let is_null =
            |words: &Words| !words.may_be_address() && words.numbers().and_then(Offset::value).is_some_and(is_in_page);
        let kind = kind(a, b);
        let is_moot = matches!(kind, DemandKind::Equal { .. }) && (is_null(&x) || is_null(&y));
        if (x.may_be_address() || y.may_be_address()) && !is_moot {
            self.demand(kind);
        }
        Words::any_number()
    }

    /// Sums, differences and multiples together, so that what cancels is seen.
    fn sum(&mut self, term: TermId) -> Words {
        let mut leaves = Vec::new();
        let mut numbers = Offset::exact(0);
        if !linear(self.pool, term, 1, &mut leaves) {
            // A product of two unknowns.
            for arg in self.pool.node(term).args() {
                self.plain(*arg);
            }
            return Words::any_number();
        }
        let (mut added, mut subtracted, mut scaled) = (Vec::new(), Vec::new(), Vec::new());
        let mut result = Words::default();
        for (factor, leaf) in leaves {
            let words = self.words(leaf);
            self.whole(leaf, &words);
            let number = words.numbers();
            if !words.may_be_address() {
                numbers = numbers.add(number.unwrap_or(Offset::ANY).times(factor));
                continue;
            }
            match factor {
                1 => added.push((leaf, words)),
                -1 => subtracted.push((leaf, words)),
                _ => scaled.push((factor, leaf, words)),
            }
        }
        // A distance in bytes may be the index of something larger.
        while let Some((factor, leaf, words)) = scaled.pop() {
            let partner = scaled.iter().position(|(other, _, _)| *other == factor.wrapping_neg());
            numbers = match partner.map(|at| scaled.swap_remove(at)) {
                Some((_, other, _)) => {
                    self.demand(DemandKind::Distance { a: leaf, b: other });
                    numbers.add(Offset::ANY.times(factor))
                }
                None => {
                    self.demand(DemandKind::NotAddress(leaf));
                    numbers.add(words.numbers().unwrap_or(Offset::ANY).times(factor))
                }
            };
        }
        for (leaf, _) in subtracted.iter().skip(1) {
            self.demand(DemandKind::NotAddress(*leaf));
        }
        // Beside the address of an object all else must be numbers, and then it stays in the object.
        let is_object = |leaf: &TermId| self.pool.as_var(*leaf).and_then(|var| self.layout.object_of(var)).is_some();
        if subtracted.is_empty() && added.len() > 1 && added.iter().any(|(leaf, _)| is_object(leaf)) {
            let first = added.iter().position(|(leaf, _)| is_object(leaf)).unwrap_or(0);
            let object = added.swap_remove(first);
            for (leaf, words) in std::mem::replace(&mut added, vec![object]) {
                self.demand(DemandKind::NotAddress(leaf));
                numbers = numbers.add(words.numbers().unwrap_or(Offset::ANY));
            }
        }
        let is_one = subtracted.is_empty() && added.len() == 1;
        for (_, words) in &added {
            for (base, offset) in &words.whole {
                result.insert(*base, if is_one { offset.add(numbers) } else { Offset::ANY });
            }
        }
        if !is_one {
            let is_plain = added.is_empty() && subtracted.is_empty();
            let difference = if is_plain { numbers } else { Offset::ANY };
            result.insert(Base::Number, difference);
        }
        let added: Vec<TermId> = added.into_iter().map(|(leaf, _)| leaf).collect();
        match subtracted.first() {
            Some((leaf, _)) if added.is_empty() => self.demand(DemandKind::NotAddress(*leaf)),
            Some((leaf, _)) => self.demand(DemandKind::Sum { added, subtracted: *leaf }),
            None if added.len() > 1 => self.demand(DemandKind::AtMostOne(added)),
            None => {}
        }
        for (_, offset) in &mut result.whole {
            *offset = narrowed(*offset, self.pool.sort(term));
        }
        result
    }

    fn bits(&mut self, op: Op, a: TermId, b: TermId) -> Words {
        let (x, y) = (self.words(a), self.words(b));
        self.whole(a, &x);
        self.whole(b, &y);
        let mut result = Words::default();
        if let (Some(m), Some(n)) = (x.numbers(), y.numbers()) {
            result.insert(Base::Number, masked(op, m, n));
        }
        for (word, words, mask, other) in [(a, &x, b, &y), (b, &y, a, &x)] {
            if !words.may_be_address() {
                continue;
            }
            let align = self.layout.least_align(words);
            let known = other.numbers().and_then(Offset::value).filter(|_| !other.may_be_address());
            let is_low = known.map(|mask| (mask as u64) < align);
            let is_high = known.map(|mask| op == Op::BvAnd && self.cut(!(mask as u64)) < align);
            if is_low == Some(true) || is_high == Some(true) {
                // Nothing to ask.
            } else if known.is_some() {
                self.demand(DemandKind::NotAddress(word));
                continue;
            } else {
                self.demand(DemandKind::Mask { word, mask, is_and: op == Op::BvAnd });
            }
            for (base, offset) in words.bases() {
                let new = match (known, offset.value()) {
                    (Some(mask), Some(at)) => masked(op, Offset::exact(at), Offset::exact(mask)),
                    // The lowest bits are those of the distance; without them it begins where it began.
                    (Some(mask), None) if is_high == Some(true) => Offset {
                        at: offset.at & mask,
                        every: super::value::gcd(offset.every, 1 << mask.trailing_zeros().min(62)),
                    },
                    _ => Offset { at: offset.at, every: 1 },
                };
                if is_low != Some(true) || op != Op::BvAnd {
                    result.insert(base, new);
                }
                if op == Op::BvAnd && is_high != Some(true) {
                    result.insert(
                        Base::Number,
                        if offset.value().is_some() && known.is_some() { new } else { Offset::ANY },
                    );
                }
            }
        }
        result
    }

    fn cut(&self, word: u64) -> u64 {
        if self.word == 32 { word & 0xffff_ffff } else { word }
    }

    fn extract(&mut self, arg: TermId, hi: u32, lo: u32) -> Words {
        let words = self.words(arg);
        self.whole(arg, &words);
        if words.may_be_address() && (hi >= 63 || 1u64 << (hi + 1) > self.layout.least_align(&words)) {
            self.demand(DemandKind::NotAddress(arg));
        }
        match words.numbers().and_then(Offset::value) {
            Some(at) if lo == 0 && hi < 62 && !words.may_be_address() => {
                let cut = at & ((1 << (hi + 1)) - 1);
                let signed = if cut >> hi & 1 == 1 { cut - (1 << (hi + 1)) } else { cut };
                Words::number(Offset::exact(signed))
            }
            _ => Words::any_number(),
        }
    }
}

/// What is left of a set of numbers in a sort narrower than 64 bits, where sums wrap around.
fn narrowed(offset: Offset, sort: Sort) -> Offset {
    match (offset.value(), sort) {
        (Some(at), Sort::Bv(width)) if width < 64 => {
            let unused = 64 - width;
            Offset::exact((at << unused) >> unused)
        }
        (None, Sort::Bv(width)) if width < 32 => Offset::ANY,
        _ => offset,
    }
}

fn masked(op: Op, a: Offset, b: Offset) -> Offset {
    match (op, a.value(), b.value()) {
        (Op::BvAnd, Some(a), Some(b)) => Offset::exact(a & b),
        (Op::BvOr, Some(a), Some(b)) => Offset::exact(a | b),
        (Op::BvXor, Some(a), Some(b)) => Offset::exact(a ^ b),
        (Op::BvAnd, None, Some(mask)) | (Op::BvAnd, Some(mask), None) if mask != 0 => {
            Offset { at: 0, every: 1 << mask.trailing_zeros().min(62) }
        }
        _ => Offset::ANY,
    }
}
