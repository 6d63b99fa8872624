//! What do the operators of a model say about pairs, as clauses? One direction at a time, see the head of this folder.

use super::active::turned;
use super::{Encoder, Failed, Sign};
use crate::cat::{Bound, Node, NodeId};
use crate::relation::Relation;
use smt::Lit;

impl Encoder<'_> {
    /// Makes sure that the literals of a node have their clauses in one direction.
    pub(super) fn node(&mut self, id: NodeId, bound: Bound) -> Result<(), Failed> {
        if self.is_fixed(id) || self.is_decided(id) || !self.done.insert((id, bound == Bound::Lower)) {
            return Ok(());
        }
        for (operand, flips) in self.graph.operands(id) {
            self.node(operand, turned(bound, flips))?;
        }
        if let Node::Variable(_) | Node::SetVariable(_) = self.graph.node(id) {
            return self.variable(id, bound);
        }
        if self.graph.is_set(id) {
            for event in 0..self.n {
                self.set(id, event, bound);
            }
            return Ok(());
        }
        match (self.graph.node(id), bound) {
            (&(Node::Plus(a) | Node::Star(a)), Bound::Upper) => return self.closure(id, a),
            (&(Node::Plus(a) | Node::Star(a)), Bound::Lower) => return self.steps(id, a),
            (&Node::Sequence(a, b), Bound::Lower) => return self.compose(id, a, b),
            _ => {}
        }
        for (from, to) in self.may(id).iter() {
            self.step()?;
            if !self.is_active(id, bound, from, to) {
                continue;
            }
            if let Sign::Open(lit) = self.pair(id, from, to)
                && !self.is_same(id, from, to)
            {
                match bound {
                    Bound::Lower => self.pointwise(id, from, to, Sign::Open(lit), true),
                    Bound::Upper => self.upper(id, from, to, lit),
                }
            }
        }
        Ok(())
    }

    /// The pair of an operand that a pair comes down to, if there is but one that can make it so and it always does. Recursion is left out, so that this ends.
    pub(super) fn stands_for(&self, id: NodeId, from: usize, to: usize) -> Option<(NodeId, usize, usize)> {
        let certain = |set: NodeId, event: usize| self.bounds.set(set, Bound::Lower).contains(event);
        match *self.graph.node(id) {
            Node::Union(a, b) => match (self.may(a).contains(from, to), self.may(b).contains(from, to)) {
                (true, false) => Some((a, from, to)),
                (false, true) => Some((b, from, to)),
                _ => None,
            },
            Node::Intersection(a, b) if self.must(a).contains(from, to) => Some((b, from, to)),
            Node::Intersection(a, b) if self.must(b).contains(from, to) => Some((a, from, to)),
            Node::Difference(a, b) if !self.may(b).contains(from, to) => Some((a, from, to)),
            Node::Inverse(a) => Some((a, to, from)),
            Node::Optional(a) if from != to => Some((a, from, to)),
            Node::From(s, r) if certain(s, from) => Some((r, from, to)),
            Node::To(r, s) if certain(s, to) => Some((r, from, to)),
            Node::Sequence(a, b) => {
                let mut middles = self.may(a).successors(from).filter(|middle| self.may(b).contains(*middle, to));
                let (middle, None) = (middles.next()?, middles.next()) else { return None };
                if self.happens_between(from, middle, to) != Sign::Yes {
                    return None;
                }
                match (self.must(a).contains(from, middle), self.must(b).contains(middle, to)) {
                    (true, _) => Some((b, middle, to)),
                    (_, true) => Some((a, from, middle)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether the bounds of a node agree, so that it has no literals: recursion over events that a program does not have, such as RCU's, needs no clauses.
    fn is_decided(&self, id: NodeId) -> bool {
        match self.graph.is_set(id) {
            true => self.bounds.set(id, Bound::Lower) == self.bounds.set(id, Bound::Upper),
            false => self.must(id) == self.may(id),
        }
    }

    fn variable(&mut self, id: NodeId, bound: Bound) -> Result<(), Failed> {
        let group = self.graph.group_of(id).expect("a variable belongs to a definition");
        let definition = self.graph.group(group);
        if bound == Bound::Upper || !definition.is_monotone {
            return Err("an axiom subtracts a recursive definition".into());
        }
        for &(variable, body) in definition.variables.iter().filter(|(variable, _)| *variable == id) {
            self.node(body, Bound::Lower)?;
            if self.graph.is_set(variable) {
                for event in 0..self.n {
                    let (from, to) = (self.member(body, event), self.member(variable, event));
                    self.clause(&[(from, false), (to, true)]);
                }
                continue;
            }
            for (a, b) in self.may(body).iter() {
                let (from, to) = (self.pair(body, a, b), self.pair(variable, a, b));
                self.clause(&[(from, false), (to, true)]);
            }
        }
        Ok(())
    }

    fn set(&mut self, id: NodeId, event: usize, bound: Bound) {
        let Sign::Open(lit) = self.member(id, event) else { return };
        let this = Sign::Open(lit);
        let is_lower = bound == Bound::Lower;
        match *self.graph.node(id) {
            Node::SetUnion(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.either(this, &[a, b], is_lower);
            }
            Node::SetIntersection(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.all_of(this, &[(a, true), (b, true)], is_lower);
            }
            Node::SetDifference(a, b) => {
                let (a, b) = (self.member(a, event), self.member(b, event));
                self.all_of(this, &[(a, true), (b, false)], is_lower);
            }
            Node::SetComplement(a) => {
                let a = self.member(a, event);
                self.all_of(this, &[(a, false)], is_lower);
            }
            Node::Domain(r) => {
                let others: Vec<usize> = self.may(r).successors(event).collect();
                let pairs = others.into_iter().map(|to| (self.pair(r, event, to), self.happens_with(to, event)));
                let pairs = pairs.collect();
                self.some_pair(this, pairs, is_lower);
            }
            Node::Range(r) => {
                let others: Vec<usize> = (0..self.n).filter(|from| self.may(r).contains(*from, event)).collect();
                let pairs = others.into_iter().map(|from| (self.pair(r, from, event), self.happens_with(from, event)));
                let pairs = pairs.collect();
                self.some_pair(this, pairs, is_lower);
            }
            // Final writes are defined by whoever chooses the order.
            _ => {}
        }
    }

    /// `this` is (implied by, or implies) that one of these pairs is there and its other end happens.
    fn some_pair(&mut self, this: Sign, pairs: Vec<(Sign, Sign)>, is_lower: bool) {
        if is_lower {
            return pairs.iter().for_each(|&(pair, end)| self.clause(&[(pair, false), (end, false), (this, true)]));
        }
        let mut clause = vec![(this, false)];
        for (pair, end) in pairs {
            clause.push((self.conjunction(pair, end), true));
        }
        self.clause(&clause);
    }

    /// `this` is (implied by, or implies) one of these.
    fn either(&mut self, this: Sign, parts: &[Sign], is_lower: bool) {
        if is_lower {
            parts.iter().for_each(|&part| self.clause(&[(part, false), (this, true)]));
        } else {
            let mut clause = vec![(this, false)];
            clause.extend(parts.iter().map(|&part| (part, true)));
            self.clause(&clause);
        }
    }

    /// `this` is (implied by, or implies) all of these; those with `false` negated.
    fn all_of(&mut self, this: Sign, parts: &[(Sign, bool)], is_lower: bool) {
        if is_lower {
            let mut clause = vec![(this, true)];
            clause.extend(parts.iter().map(|&(part, is_plain)| (part, !is_plain)));
            self.clause(&clause);
        } else {
            parts.iter().for_each(|&(part, is_plain)| self.clause(&[(this, false), (part, is_plain)]));
        }
    }

    /// What two steps connect is related.
    fn compose(&mut self, id: NodeId, first: NodeId, second: NodeId) -> Result<(), Failed> {
        for (from, middle) in self.may(first).iter() {
            self.step()?;
            for to in self.may(second).successors(middle) {
                if self.must(id).contains(from, to) || !self.is_active(id, Bound::Lower, from, to) {
                    continue;
                }
                let this = self.pair(id, from, to);
                if self.is_same(id, from, to) {
                    continue;
                }
                let (a, b) = (self.pair(first, from, middle), self.pair(second, middle, to));
                let happens = self.happens_between(from, middle, to);
                self.clause(&[(a, false), (b, false), (happens, false), (this, true)]);
            }
        }
        Ok(())
    }

    /// What a step connects is related, and so is what one more step leads to. Of the steps that are certain the immediate ones do.
    fn steps(&mut self, id: NodeId, step: NodeId) -> Result<(), Failed> {
        let steps = self.fewest_steps(step);
        let is_asked = |&(from, to): &(usize, usize)| self.is_active(id, Bound::Lower, from, to);
        for (from, to) in self.may(step).iter().filter(is_asked).collect::<Vec<_>>() {
            let (direct, this) = (self.pair(step, from, to), self.pair(id, from, to));
            self.clause(&[(direct, false), (this, true)]);
        }
        for (from, middle) in self.may(id).iter() {
            self.step()?;
            for to in steps.successors(middle) {
                if self.must(id).contains(from, to) || !self.is_active(id, Bound::Lower, from, to) {
                    continue;
                }
                let (way, next) = (self.pair(id, from, middle), self.pair(step, middle, to));
                let (happens, this) = (self.happens_between(from, middle, to), self.pair(id, from, to));
                self.clause(&[(way, false), (next, false), (happens, false), (this, true)]);
            }
        }
        Ok(())
    }

    /// Steps that lead wherever all do: those that are certain and immediate, and those that are not certain.
    fn fewest_steps(&self, step: NodeId) -> Relation {
        let mut steps = self.may(step).clone();
        steps.subtract(self.must(step));
        steps.union(&self.immediate(self.must(step)));
        steps
    }

    /// A literal has a reason.
    fn upper(&mut self, id: NodeId, from: usize, to: usize, lit: Lit) {
        let this = Sign::Open(lit);
        match *self.graph.node(id) {
            Node::Sequence(a, b) => {
                let mut clause = vec![(this, false)];
                let (firsts, seconds) = (self.may(a), self.may(b));
                for middle in firsts.successors(from).filter(|middle| seconds.contains(*middle, to)) {
                    let (first, second) = (self.pair(a, from, middle), self.pair(b, middle, to));
                    let both = self.conjunction(first, second);
                    clause.push((self.conjunction(both, self.happens_between(from, middle, to)), true));
                }
                self.clause(&clause);
            }
            _ => self.pointwise(id, from, to, this, false),
        }
    }

    /// A sign that holds exactly if both of two do.
    pub fn both(&mut self, first: Sign, second: Sign) -> Sign {
        let both = self.conjunction(first, second);
        self.clause(&[(first, false), (second, false), (both, true)]);
        both
    }

    /// A sign that implies both of two.
    pub(super) fn conjunction(&mut self, first: Sign, second: Sign) -> Sign {
        match (first, second) {
            (Sign::No, _) | (_, Sign::No) => Sign::No,
            (Sign::Yes, other) | (other, Sign::Yes) => other,
            _ => {
                let both = Sign::Open(self.bits.fresh_lit());
                self.clause(&[(both, false), (first, true)]);
                self.clause(&[(both, false), (second, true)]);
                both
            }
        }
    }

    /// Operators that look at single pairs.
    fn pointwise(&mut self, id: NodeId, from: usize, to: usize, this: Sign, is_lower: bool) {
        match *self.graph.node(id) {
            Node::Union(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.either(this, &[a, b], is_lower);
            }
            Node::Intersection(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.all_of(this, &[(a, true), (b, true)], is_lower);
            }
            Node::Difference(a, b) => {
                let (a, b) = (self.pair(a, from, to), self.pair(b, from, to));
                self.all_of(this, &[(a, true), (b, false)], is_lower);
            }
            Node::Complement(a) => {
                let a = self.pair(a, from, to);
                self.all_of(this, &[(a, false)], is_lower);
            }
            Node::Inverse(a) => {
                let a = self.pair(a, to, from);
                self.all_of(this, &[(a, true)], is_lower);
            }
            Node::Optional(a) => {
                let a = self.pair(a, from, to);
                self.all_of(this, &[(a, true)], is_lower);
            }
            Node::Product(a, b) => {
                let (a, b) = (self.member(a, from), self.member(b, to));
                self.all_of(this, &[(a, true), (b, true)], is_lower);
            }
            Node::Identity(a) => {
                let a = self.member(a, from);
                self.all_of(this, &[(a, true)], is_lower);
            }
            Node::From(s, r) => {
                let (s, r) = (self.member(s, from), self.pair(r, from, to));
                self.all_of(this, &[(s, true), (r, true)], is_lower);
            }
            Node::To(r, s) => {
                let (r, s) = (self.pair(r, from, to), self.member(s, to));
                self.all_of(this, &[(r, true), (s, true)], is_lower);
            }
            Node::DifferentValues(a) => {
                let (a, differ) = (self.pair(a, from, to), Sign::Open(self.differ[&(from, to)]));
                self.all_of(this, &[(a, true), (differ, true)], is_lower);
            }
            // Chosen relations have their literals; the others are handled by their callers.
            _ => {}
        }
    }

    /// A pair of a closure is a way of steps.
    fn closure(&mut self, id: NodeId, step: NodeId) -> Result<(), Failed> {
        match self.has_shorter_ways(id, step) {
            true => self.first_steps(id, step),
            false => self.doubled_steps(id, step),
        }
    }

    /// Whether the steps of a closure make no cycle, so that what is left of a way is always shorter. An irreflexive closure has such steps.
    pub(super) fn has_shorter_ways(&self, id: NodeId, step: NodeId) -> bool {
        self.irreflexive.contains(&id) || !self.may(step).has_cycle()
    }

    /// One step and a shorter way, or one step alone. Ways get shorter until there is but a step, since they never come back to where they were.
    fn first_steps(&mut self, id: NodeId, step: NodeId) -> Result<(), Failed> {
        let (all, steps) = (self.may(id), self.fewest_steps(step));
        for (from, to) in all.iter() {
            let is_itself = from == to && matches!(self.graph.node(id), Node::Star(_));
            if is_itself || self.must(id).contains(from, to) || !self.is_active(id, Bound::Upper, from, to) {
                continue;
            }
            self.step()?;
            let mut clause = vec![(self.pair(id, from, to), false), (self.pair(step, from, to), true)];
            for middle in steps.successors(from).filter(|&middle| middle != to && all.contains(middle, to)) {
                let (first, rest) = (self.pair(step, from, middle), self.pair(id, middle, to));
                let way = self.conjunction(first, rest);
                clause.push((self.conjunction(way, self.happens_between(from, middle, to)), true));
            }
            self.clause(&clause);
        }
        Ok(())
    }

    /// Of one step, of at most two, four, and so on.
    fn doubled_steps(&mut self, id: NodeId, step: NodeId) -> Result<(), Failed> {
        let n = self.n;
        let mut ways: Vec<Sign> = Vec::with_capacity(n * n);
        for from in 0..n {
            for to in 0..n {
                ways.push(self.pair(step, from, to));
            }
        }
        let mut length = 1;
        while length < n {
            let mut next = Vec::with_capacity(n * n);
            for from in 0..n {
                for to in 0..n {
                    let direct = ways[from * n + to];
                    if direct == Sign::Yes {
                        next.push(Sign::Yes);
                        continue;
                    }
                    self.step()?;
                    let mut reasons = vec![(direct, true)];
                    for middle in 0..n {
                        let sign = self.conjunction(ways[from * n + middle], ways[middle * n + to]);
                        let sign = self.conjunction(sign, self.happens_between(from, middle, to));
                        reasons.push((sign, true));
                    }
                    next.push(self.disjunction(&mut reasons));
                }
            }
            ways = next;
            length *= 2;
        }
        for (from, to) in self.may(id).iter() {
            if from == to && matches!(self.graph.node(id), Node::Star(_)) {
                continue;
            }
            let this = self.pair(id, from, to);
            self.clause(&[(this, false), (ways[from * n + to], true)]);
        }
        Ok(())
    }

    /// A sign that implies one of these.
    fn disjunction(&mut self, parts: &mut Vec<(Sign, bool)>) -> Sign {
        parts.retain(|(sign, _)| *sign != Sign::No);
        if parts.is_empty() {
            return Sign::No;
        }
        if parts.iter().any(|(sign, _)| *sign == Sign::Yes) {
            return Sign::Yes;
        }
        if let [(only, _)] = parts[..] {
            return only;
        }
        let any = Sign::Open(self.bits.fresh_lit());
        let mut clause = vec![(any, false)];
        clause.append(parts);
        self.clause(&clause);
        any
    }
}
