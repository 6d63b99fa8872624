//! From demands to conditions: when does the value of a term not depend on where objects lie?
//!
//! In the one layout of the model an address shows which object it belongs to, so a condition can ask whether a word is an
//! address and whether two lie in one object. Numbers between the ranges of objects are no addresses; a program whose
//! numbers happen to fall into these ranges, in a word that may also be an address, is refused rather than misjudged.

use super::Layout;
use super::apart::{Keep, Kept};
use super::flow::{Flow, Point};
use super::terms::{Demand, DemandKind};
use super::value::{Base, Offset, Words};
use crate::memory::ObjectId;
use crate::program::Program;
use crate::stmt::{Op, SiteId};
use logic::{Sort, TermId, Value};
use rustc_hash::FxHashMap;

/// Words below this, and as far from the end, are no addresses in any layout.
const PAGE: u64 = 4096;

/// Beyond this many objects the range of all of them is asked for.
const MAX_RANGES: usize = 4;

/// Builds conditions for a program.
pub(super) struct Conditions<'a> {
    pub(super) program: &'a mut Program,
    pub(super) layout: &'a Layout,
    pub(super) flow: &'a Flow,
    /// The statement that is looked at.
    pub(super) point: Point,
    sizes: FxHashMap<SiteId, u64>,
}

/// A condition, and what depends on the layout if it does not hold.
pub(super) type Condition = (TermId, String);

impl<'a> Conditions<'a> {
    pub(super) fn new(program: &'a mut Program, layout: &'a Layout, flow: &'a Flow) -> Conditions<'a> {
        let mut sizes = FxHashMap::default();
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            if let Op::Alloc { size, .. } = stmt.op {
                let size = program.pool.as_const(size).and_then(|size| size.as_bv().to_u64());
                sizes.extend(size.map(|size| (stmt.site, size)));
            }
        }
        Conditions { program, layout, flow, point: (0, None, false), sizes }
    }

    /// What a term can be.
    pub(super) fn words(&self, term: TermId) -> Words {
        self.flow.reader(self.program, self.layout, self.point, |mut reader| reader.words(term))
    }

    /// The conditions of a demand; those that always hold are left out.
    pub(super) fn of(&mut self, demand: &Demand) -> Vec<Condition> {
        let mut found = match &demand.kind {
            DemandKind::NotAddress(term) => {
                let words = self.words(*term);
                let what = format!("a number that depends on the address of {}", self.names(&[&words]));
                vec![(self.is_number(*term, &words), what)]
            }
            DemandKind::Mask { word, mask, is_and } => self.mask(*word, *mask, *is_and),
            DemandKind::Sum { added, subtracted } => self.sum(added, *subtracted),
            DemandKind::AtMostOne(terms) => {
                let what = "the sum of two addresses".to_string();
                vec![(self.at_most_one(terms), what)]
            }
            DemandKind::Order { a, b, is_signed } => self.order(*a, *b, *is_signed),
            DemandKind::Distance { a, b } => self.distance(*a, *b),
            DemandKind::Equal { a, b } => self.equal(*a, *b),
            DemandKind::NoParts(term) => {
                let parts: Words = self.words(*term).parts.iter().fold(Words::default(), |mut words, base| {
                    words.insert(*base, Offset::ANY);
                    words
                });
                let what = format!("bytes of the address of {}", self.names(&[&parts]));
                vec![(self.program.pool.bool(false), what)]
            }
        };
        for (condition, _) in &mut found {
            *condition = self.when(*condition, demand);
        }
        let always = self.program.pool.bool(true);
        found.retain(|(condition, _)| *condition != always);
        found
    }

    /// The condition where the demand matters.
    pub(super) fn when(&mut self, condition: TermId, demand: &Demand) -> TermId {
        let pool = &mut self.program.pool;
        demand.when.iter().fold(condition, |condition, (cond, truth)| {
            let is_moot = if *truth { pool.not(*cond) } else { *cond };
            pool.or(condition, is_moot)
        })
    }

    /// What the objects are called.
    fn names(&self, all: &[&Words]) -> String {
        let bases = all.iter().flat_map(|words| words.bases().map(|(base, _)| base));
        let mut names: Vec<String> = bases
            .map(|base| match base {
                Base::Object(object) => format!("`{}`", self.program.object(object).name),
                _ => "an object".to_string(),
            })
            .collect();
        names.sort();
        names.dedup();
        match &names[..] {
            [] => "an object".to_string(),
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [one, ..] => format!("{one} and others"),
        }
    }

    pub(super) fn word(&mut self, value: u64) -> TermId {
        let bits = self.program.data_model.word_bits();
        self.program.pool.bv(bits, value)
    }

    /// `start <= term < start + size`, all modulo the word.
    fn within(&mut self, term: TermId, start: u64, size: u64) -> TermId {
        let (start, size) = (self.word(start), self.word(size));
        let distance = self.program.pool.sub(term, start);
        self.program.pool.ult(distance, size)
    }

    /// How far a pointer may stray from its object and still belong to it.
    fn slack(&self) -> u64 {
        1 << (self.program.data_model.granule_bits() - 1)
    }

    fn in_object(&mut self, term: TermId, object: ObjectId) -> TermId {
        let (base, size, slack) = (self.program.object(object).base, self.program.object(object).size, self.slack());
        self.within(term, base.wrapping_sub(slack), size + 2 * slack)
    }

    /// Whether the word is an address of one of the objects it can be.
    fn is_address(&mut self, term: TermId, words: &Words) -> TermId {
        let model = self.program.data_model;
        let mut objects: Vec<ObjectId> = words
            .bases()
            .filter_map(|(base, _)| match base {
                Base::Object(object) => Some(object),
                _ => None,
            })
            .collect();
        objects.dedup();
        let mut ranges = Vec::new();
        if objects.len() > MAX_RANGES {
            let start = model.first_static() << model.granule_bits();
            let ends = self.program.objects.iter().map(|object| object.base + object.size);
            let end = ends.max().unwrap_or(start) + 2 * self.slack();
            ranges.push(self.looks_within(term, start - self.slack(), end - start));
        } else {
            for object in objects {
                let (base, size) = (self.program.object(object).base, self.program.object(object).size);
                let slack = self.slack();
                ranges.push(self.looks_within(term, base.wrapping_sub(slack), size + 2 * slack));
            }
        }
        if words.bases().any(|(base, _)| matches!(base, Base::Site(_))) {
            // A pass may give an allocation a place of its own.
            let start = model.first_promoted();
            let end = model.first_dynamic() + model.max_threads() * model.granules_per_thread();
            let size = (end - start) << model.granule_bits();
            let start = (start << model.granule_bits()) - self.slack();
            ranges.push(self.looks_within(term, start, size));
        }
        self.program.pool.or_all(&ranges)
    }

    /// Likewise of what is as wide as a word and need not be one: positive floating-point numbers are ordered like their bits. Where that does not
    /// help, it may be.
    fn looks_within(&mut self, term: TermId, start: u64, size: u64) -> TermId {
        let word = self.program.data_model.word_bits();
        let end = start.checked_add(size);
        let limits = match (self.program.pool.sort(term), end) {
            (Sort::Bv(width), _) if width == word => return self.within(term, start, size),
            (Sort::F64, Some(end)) if word == 64 && end <= f64::INFINITY.to_bits() => {
                (Value::f64(f64::from_bits(start)), Value::f64(f64::from_bits(end)))
            }
            (Sort::F32, Some(end)) if word == 32 && end <= u64::from(f32::INFINITY.to_bits()) => {
                (Value::f32(f32::from_bits(start as u32)), Value::f32(f32::from_bits(end as u32)))
            }
            _ => return self.program.pool.bool(true),
        };
        let pool = &mut self.program.pool;
        let (least, beyond) = (pool.constant(limits.0), pool.constant(limits.1));
        let (is_above, is_below) = (pool.fle(least, term), pool.flt(term, beyond));
        pool.and(is_above, is_below)
    }

    fn is_number(&mut self, term: TermId, words: &Words) -> TermId {
        let is_address = self.is_address(term, words);
        self.program.pool.not(is_address)
    }

    /// Whether a number is one that no address can be.
    fn is_small(&mut self, term: TermId) -> TermId {
        self.within(term, PAGE.wrapping_neg(), 2 * PAGE)
    }

    /// Whether two addresses lie in one object.
    pub(super) fn is_near(&mut self, a: TermId, b: TermId) -> TermId {
        let reach = match self.program.data_model {
            crate::memory::DataModel::Ilp32 => 1 << 14,
            crate::memory::DataModel::Lp64 => 1 << 31,
        };
        let distance = self.program.pool.sub(a, b);
        self.within(distance, u64::wrapping_neg(reach), 2 * reach)
    }

    /// The same, for objects too large to tell by the distance.
    fn in_one_object(&mut self, (a, x): (TermId, &Words), (b, y): (TermId, &Words)) -> TermId {
        let mut ways = vec![self.is_near(a, b)];
        for (base, _) in x.bases().filter(|(base, _)| y.bases().any(|(other, _)| other == *base)) {
            if let Base::Object(object) = base
                && self.program.object(object).size >= 1 << 13
            {
                let both = [self.in_object(a, object), self.in_object(b, object)];
                ways.push(self.program.pool.and_all(&both));
            }
        }
        self.program.pool.or_all(&ways)
    }

    /// That an access stays away from the places where others read or write something else.
    pub(super) fn kept(&mut self, addr: TermId, kept: &Kept) -> Condition {
        let (distance, is_outside) = match kept.base {
            Base::Object(object) => {
                let (base, size) = (self.program.object(object).base, self.program.object(object).size);
                let (base, size) = (self.word(base), self.word(size));
                let distance = self.program.pool.sub(addr, base);
                let is_inside = self.program.pool.ult(distance, size);
                (distance, self.program.pool.not(is_inside))
            }
            base => {
                let low = self.word((1 << self.program.data_model.granule_bits()) - 1);
                let distance = self.program.pool.bv_and(addr, low);
                (distance, self.is_number(addr, &Words::one(base, Offset::ANY)))
            }
        };
        let own = kept.bytes as i64;
        let is_kept = match kept.keep {
            Keep::Off { place, bytes } => {
                let bad = kept.bytes + bytes - 1;
                if place.every == 0 {
                    let meets = self.within(distance, (place.at - (own - 1)) as u64, bad);
                    self.program.pool.not(meets)
                } else {
                    let shift = (own - 1 - place.at).rem_euclid(place.every as i64) as u64;
                    let (shift, every, bad) = (self.word(shift), self.word(place.every), self.word(bad));
                    let pool = &mut self.program.pool;
                    let moved = pool.add(distance, shift);
                    let phase = pool.urem(moved, every);
                    pool.ule(bad, phase)
                }
            }
            Keep::Below(end) => {
                let beyond = self.word((end - own + 1) as u64);
                self.program.pool.ult(distance, beyond)
            }
            Keep::From(start) => {
                let start = self.word(start as u64);
                self.program.pool.ule(start, distance)
            }
        };
        let mut ways = vec![is_outside, is_kept];
        for other in &kept.others {
            let other = self.word(*other as u64);
            ways.push(self.program.pool.eq(distance, other));
        }
        (self.program.pool.or_all(&ways), "an index that leaves its array for what is stored beside it".to_string())
    }

    fn mask(&mut self, word: TermId, mask: TermId, is_and: bool) -> Vec<Condition> {
        let words = self.words(word);
        let align = self.layout.least_align(&words);
        let align = self.word(align);
        let mut ways = vec![self.is_number(word, &words)];
        let pool = &mut self.program.pool;
        ways.push(pool.ult(mask, align));
        if is_and {
            let others = pool.bv_not(mask);
            ways.push(pool.ult(others, align));
        }
        let what = format!("bits of the address of {}", self.names(&[&words]));
        vec![(self.program.pool.or_all(&ways), what)]
    }

    fn at_most_one(&mut self, terms: &[TermId]) -> TermId {
        let numbers: Vec<TermId> = terms.iter().map(|term| self.is_number(*term, &self.words(*term))).collect();
        let mut all = Vec::new();
        for (index, a) in numbers.iter().enumerate() {
            for b in &numbers[index + 1..] {
                all.push(self.program.pool.or(*a, *b));
            }
        }
        self.program.pool.and_all(&all)
    }

    fn sum(&mut self, added: &[TermId], subtracted: TermId) -> Vec<Condition> {
        let own = self.words(subtracted);
        if let [one] = added {
            let other = self.words(*one);
            if is_one_object(&own, &other) {
                return Vec::new();
            }
        }
        let is_number = self.is_number(subtracted, &own);
        let alone = self.at_most_one(added);
        let mut ways = vec![self.program.pool.and(is_number, alone)];
        for (index, term) in added.iter().enumerate() {
            let words = self.words(*term);
            let mut rest = added.to_vec();
            rest.remove(index);
            let all = [
                self.is_address(*term, &words),
                self.in_one_object((*term, &words), (subtracted, &own)),
                self.at_most_one(&rest),
            ];
            ways.push(self.program.pool.and_all(&all));
        }
        let all: Vec<Words> = added.iter().chain([&subtracted]).map(|term| self.words(*term)).collect();
        let what = format!("the distance between {}", self.names(&all.iter().collect::<Vec<_>>()));
        vec![(self.program.pool.or_all(&ways), what)]
    }

    fn distance(&mut self, a: TermId, b: TermId) -> Vec<Condition> {
        let (x, y) = (self.words(a), self.words(b));
        if is_one_object(&x, &y) {
            return Vec::new();
        }
        let (is_a, is_b) = (self.is_address(a, &x), self.is_address(b, &y));
        let near = self.in_one_object((a, &x), (b, &y));
        let pool = &mut self.program.pool;
        let neither = [pool.not(is_a), pool.not(is_b)];
        let ways = [pool.and_all(&neither), pool.and_all(&[is_a, is_b, near])];
        let what = format!("the distance between {}", self.names(&[&x, &y]));
        vec![(self.program.pool.or_all(&ways), what)]
    }

    fn order(&mut self, a: TermId, b: TermId, is_signed: bool) -> Vec<Condition> {
        let (x, y) = (self.words(a), self.words(b));
        if is_one_object(&x, &y) {
            return Vec::new();
        }
        let is_small = |words: &Words| words.numbers().and_then(Offset::value).is_some_and(is_in_page);
        let is_bound = |words: &Words| !words.may_be_address() && is_small(words);
        if !is_signed && (is_bound(&x) || is_bound(&y)) {
            return Vec::new();
        }
        let (is_a, is_b) = (self.is_address(a, &x), self.is_address(b, &y));
        let near = self.in_one_object((a, &x), (b, &y));
        let pool = &mut self.program.pool;
        let (not_a, not_b) = (pool.not(is_a), pool.not(is_b));
        let mut ways = vec![pool.and(not_a, not_b), pool.and_all(&[is_a, is_b, near])];
        if !is_signed {
            for (is_address, other) in [(is_a, b), (is_b, a)] {
                let is_small = self.is_small(other);
                ways.push(self.program.pool.and(is_address, is_small));
            }
        }
        let what = if x.may_be_address() && y.may_be_address() {
            format!("the order of the addresses of {}", self.names(&[&x, &y]))
        } else {
            format!("whether the address of {} is below a number", self.names(&[&x, &y]))
        };
        vec![(self.program.pool.or_all(&ways), what)]
    }

    fn equal(&mut self, a: TermId, b: TermId) -> Vec<Condition> {
        let (x, y) = (self.words(a), self.words(b));
        let mut found = Vec::new();
        for (term, words, other, others) in [(a, &x, b, &y), (b, &y, a, &x)] {
            found.extend(self.equal_number((term, words), (other, others)));
            found.extend(self.equal_end((term, words), (other, others)));
        }
        found.extend(self.equal_literal((a, &x), (b, &y)));
        found
    }

    /// An address is compared with a number.
    fn equal_number(&mut self, (a, x): (TermId, &Words), (b, y): (TermId, &Words)) -> Option<Condition> {
        let numbers = y.numbers().filter(|_| x.may_be_address())?;
        if numbers.value().is_some_and(is_in_page) {
            return None;
        }
        let ways = [self.is_number(a, x), self.is_address(b, y), self.is_small(b)];
        let what = format!("whether the address of {} is a certain number", self.names(&[x]));
        Some((self.program.pool.or_all(&ways), what))
    }

    /// The end of an object is compared with the start of another.
    fn equal_end(&mut self, (a, x): (TermId, &Words), (b, y): (TermId, &Words)) -> Vec<Condition> {
        let granule = 1u64 << self.program.data_model.granule_bits();
        let mut sizes = Vec::new();
        for (base, offset) in x.bases() {
            let size = match base {
                Base::Object(object) => Some(self.program.object(object).size),
                Base::Site(site) => self.sizes.get(&site).copied(),
                Base::Number => None,
            };
            let is_other = |other: Base| other != base || matches!(base, Base::Site(_));
            let may_start = y.bases().any(|(other, offset)| is_other(other) && offset.may_be(0));
            let end = size.filter(|size| *size < granule && offset.may_be(*size as i64));
            if let Some(size) = end.filter(|_| may_start && !self.is_function(base)) {
                sizes.push(size);
            }
        }
        sizes.sort_unstable();
        sizes.dedup();
        let mut found = Vec::new();
        for size in sizes {
            let (low, size, zero) = (self.word(granule - 1), self.word(size), self.word(0));
            let is_near = self.is_near(a, b);
            let (is_a, is_b) = (self.is_number(a, x), self.is_number(b, y));
            let pool = &mut self.program.pool;
            let (from, to) = (pool.bv_and(a, low), pool.bv_and(b, low));
            let (inside, after) = (pool.ne(from, size), pool.ne(to, zero));
            let condition = pool.or_all(&[inside, after, is_near, is_a, is_b]);
            found.push((condition, "whether one object lies right behind another".to_string()));
        }
        found
    }

    fn is_function(&self, base: Base) -> bool {
        use crate::memory::ObjectKind::{Extern, Function};
        matches!(base, Base::Object(object) if matches!(self.program.object(object).kind, Function(_) | Extern))
    }

    /// Two string literals are compared: they may be one object.
    fn equal_literal(&mut self, (a, x): (TermId, &Words), (b, y): (TermId, &Words)) -> Option<Condition> {
        let literals = |words: &Words| {
            let all =
                words.bases().filter(|(base, _)| matches!(base, Base::Object(o) if self.layout.literals.contains(o)));
            all.fold(Words::default(), |mut found, (base, offset)| {
                found.insert(base, offset);
                found
            })
        };
        let (x, y) = (literals(x), literals(y));
        let is_apart = x.bases().any(|(one, _)| y.bases().any(|(other, _)| one != other));
        if !is_apart {
            return None;
        }
        let ways = [self.is_near(a, b), self.is_number(a, &x), self.is_number(b, &y)];
        Some((self.program.pool.or_all(&ways), "whether two string literals are one object".to_string()))
    }
}

/// Whether both can only be addresses in the same static object.
fn is_one_object(x: &Words, y: &Words) -> bool {
    let Some((base @ Base::Object(_), _)) = x.whole.first() else { return false };
    let is_it = |(other, _): &(Base, Offset)| other == base;
    !y.whole.is_empty() && x.whole.iter().all(is_it) && y.whole.iter().all(is_it)
}

pub(super) fn is_in_page(number: i64) -> bool {
    number.unsigned_abs() < PAGE
}
