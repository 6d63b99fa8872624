//! How is a Boolean circuit kept small while it is built?
//!
//! Gates are nodes of a graph, edges carry negation. Every gate goes through a constructor that folds constants, looks
//! one level down for absorption and contradiction, brings its operands into one order and sign, and finds an equal gate
//! before it adds one. Besides conjunction there are exclusive or, choice and majority: sums, comparisons and guarded
//! assignments consist of these, and each has a better clause form than its expansion into conjunctions.
//!
//! Invariant: a gate's operands have smaller numbers than the gate, so numbers are a topological order; gates are pure
//! functions of the inputs, so they outlive every scope. Clauses are made elsewhere, see `cnf`.

use rustc_hash::FxHashMap;

/// A gate or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Wire(u32);

impl Wire {
    pub(crate) const FALSE: Wire = Wire(0);
    pub(crate) const TRUE: Wire = Wire(1);

    fn new(node: usize) -> Wire {
        assert!(node < 1 << 31, "fewer than 2^31 gates");
        Wire((node as u32) << 1)
    }

    pub(crate) fn constant(value: bool) -> Wire {
        if value { Wire::TRUE } else { Wire::FALSE }
    }

    pub(crate) fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }

    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    fn positive(self) -> Wire {
        Wire(self.0 & !1)
    }

    fn negated_if(self, negate: bool) -> Wire {
        Wire(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;
    fn not(self) -> Wire {
        Wire(self.0 ^ 1)
    }
}

/// What a node computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// Node zero.
    False,
    /// Free.
    Input,
    And(Wire, Wire),
    /// Operands without negation.
    Xor(Wire, Wire),
    /// `if .0 then .1 else .2`; the first two without negation.
    Choose(Wire, Wire, Wire),
    /// At least two of three; at most one operand negated.
    Majority(Wire, Wire, Wire),
}

impl Gate {
    pub(crate) fn operands(self) -> ([Wire; 3], usize) {
        match self {
            Gate::False | Gate::Input => ([Wire::FALSE; 3], 0),
            Gate::And(a, b) | Gate::Xor(a, b) => ([a, b, Wire::FALSE], 2),
            Gate::Choose(a, b, c) | Gate::Majority(a, b, c) => ([a, b, c], 3),
        }
    }
}

/// The circuit.
#[derive(Debug)]
pub(crate) struct Gates {
    nodes: Vec<Gate>,
    /// How many gates use this one; more than one keeps it from being merged into its user.
    uses: Vec<u32>,
    known: FxHashMap<Gate, u32>,
}

impl Gates {
    pub(crate) fn new() -> Gates {
        Gates { nodes: vec![Gate::False], uses: vec![0], known: FxHashMap::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn gate(&self, node: usize) -> Gate {
        self.nodes[node]
    }

    pub(crate) fn uses(&self, node: usize) -> u32 {
        self.uses[node]
    }

    pub(crate) fn input(&mut self) -> Wire {
        self.nodes.push(Gate::Input);
        self.uses.push(0);
        Wire::new(self.nodes.len() - 1)
    }

    fn find(&mut self, gate: Gate) -> Wire {
        if let Some(&node) = self.known.get(&gate) {
            return Wire::new(node as usize);
        }
        let node = self.nodes.len();
        let (operands, n) = gate.operands();
        for operand in &operands[..n] {
            self.uses[operand.node()] += 1;
        }
        self.nodes.push(gate);
        self.uses.push(0);
        self.known.insert(gate, node as u32);
        Wire::new(node)
    }

    fn as_and(&self, wire: Wire) -> Option<(Wire, Wire)> {
        match self.nodes[wire.node()] {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    pub(crate) fn and(&mut self, a: Wire, b: Wire) -> Wire {
        if a == Wire::FALSE || b == Wire::FALSE || a == !b {
            return Wire::FALSE;
        }
        if a == Wire::TRUE || a == b {
            return b;
        }
        if b == Wire::TRUE {
            return a;
        }
        for (p, q) in [(a, b), (b, a)] {
            let Some((x, y)) = self.as_and(p) else { continue };
            if p.is_negated() {
                // `not (x and y)` next to `q`.
                if q == x {
                    return self.and(q, !y);
                }
                if q == y {
                    return self.and(q, !x);
                }
                if q == !x || q == !y {
                    return q;
                }
            } else {
                if q == x || q == y {
                    return p;
                }
                if q == !x || q == !y {
                    return Wire::FALSE;
                }
            }
        }
        if let (Some((x, y)), Some((u, v))) = (self.as_and(a), self.as_and(b)) {
            if !a.is_negated() && !b.is_negated() && (x == !u || x == !v || y == !u || y == !v) {
                return Wire::FALSE;
            }
            // `not (x and y)` and `not (x and not y)` is `not x`.
            if a.is_negated() && b.is_negated() {
                if (x == u && y == !v) || (x == v && y == !u) {
                    return !x;
                }
                if (y == v && x == !u) || (y == u && x == !v) {
                    return !y;
                }
            }
        }
        self.find(Gate::And(a.min(b), a.max(b)))
    }

    pub(crate) fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    pub(crate) fn implies(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(a, !b)
    }

    pub(crate) fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.positive(), b.positive());
        if a == b {
            return Wire::constant(negate);
        }
        if a == Wire::FALSE {
            return b.negated_if(negate);
        }
        if b == Wire::FALSE {
            return a.negated_if(negate);
        }
        for (p, q) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = self.nodes[p.node()] {
                if q == x {
                    return y.negated_if(negate);
                }
                if q == y {
                    return x.negated_if(negate);
                }
            }
        }
        self.find(Gate::Xor(a.min(b), a.max(b))).negated_if(negate)
    }

    pub(crate) fn same(&mut self, a: Wire, b: Wire) -> Wire {
        !self.xor(a, b)
    }

    pub(crate) fn choose(&mut self, condition: Wire, then: Wire, otherwise: Wire) -> Wire {
        if condition.is_negated() {
            return self.choose(!condition, otherwise, then);
        }
        if condition == Wire::FALSE {
            return otherwise;
        }
        if then == otherwise {
            return then;
        }
        if then == !otherwise {
            return self.same(condition, then);
        }
        if then == Wire::TRUE || then == condition {
            return self.or(condition, otherwise);
        }
        if then == Wire::FALSE || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == Wire::FALSE || otherwise == condition {
            return self.and(condition, then);
        }
        if otherwise == Wire::TRUE || otherwise == !condition {
            return self.or(!condition, then);
        }
        // A choice below on the same condition has been made already.
        if let Gate::Choose(c, t, e) = self.nodes[then.node()] {
            if c == condition {
                return self.choose(condition, t.negated_if(then.is_negated()), otherwise);
            }
            // `c1 ? (c2 ? t : e) : e` is `c1 and c2 ? t : e`.
            if e.negated_if(then.is_negated()) == otherwise {
                let both = self.and(condition, c);
                return self.choose(both, t.negated_if(then.is_negated()), otherwise);
            }
        }
        if let Gate::Choose(c, _, e) = self.nodes[otherwise.node()]
            && c == condition
        {
            return self.choose(condition, then, e.negated_if(otherwise.is_negated()));
        }
        let negate = then.is_negated();
        self.find(Gate::Choose(condition, then.negated_if(negate), otherwise.negated_if(negate))).negated_if(negate)
    }

    pub(crate) fn majority(&mut self, a: Wire, b: Wire, c: Wire) -> Wire {
        let mut operands = [a, b, c];
        operands.sort_unstable();
        let [a, b, c] = operands;
        if a == Wire::FALSE {
            return self.and(b, c);
        }
        if a == Wire::TRUE {
            return self.or(b, c);
        }
        // Sorting puts a wire next to its negation.
        if a == b || b == !c {
            return a;
        }
        if b == c || a == !b {
            return c;
        }
        let negate = operands.iter().filter(|operand| operand.is_negated()).count() >= 2;
        let [a, b, c] = operands.map(|operand| operand.negated_if(negate));
        self.find(Gate::Majority(a, b, c)).negated_if(negate)
    }

    /// Sum and carry of three bits.
    pub(crate) fn full_add(&mut self, a: Wire, b: Wire, c: Wire) -> (Wire, Wire) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }

    pub(crate) fn and_all(&mut self, wires: &[Wire]) -> Wire {
        self.balanced(wires, Wire::TRUE, Gates::and)
    }

    pub(crate) fn or_all(&mut self, wires: &[Wire]) -> Wire {
        self.balanced(wires, Wire::FALSE, Gates::or)
    }

    /// A tree rather than a chain, so that depth stays logarithmic.
    fn balanced(&mut self, wires: &[Wire], none: Wire, join: fn(&mut Gates, Wire, Wire) -> Wire) -> Wire {
        match wires {
            [] => none,
            [wire] => *wire,
            _ => {
                let (left, right) = wires.split_at(wires.len() / 2);
                let (left, right) = (self.balanced(left, none, join), self.balanced(right, none, join));
                join(self, left, right)
            }
        }
    }

    /// The value of a gate, given the values of all smaller nodes.
    pub(crate) fn evaluate(&self, node: usize, value: impl Fn(Wire) -> bool) -> bool {
        match self.nodes[node] {
            Gate::False | Gate::Input => false,
            Gate::And(a, b) => value(a) && value(b),
            Gate::Xor(a, b) => value(a) != value(b),
            Gate::Choose(c, t, e) => value(if value(c) { t } else { e }),
            Gate::Majority(a, b, c) => u8::from(value(a)) + u8::from(value(b)) + u8::from(value(c)) >= 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every constructor on every choice of operands from a small set agrees with its truth table.
    #[test]
    fn constructors_keep_their_meaning() {
        let mut gates = Gates::new();
        let inputs = [gates.input(), gates.input(), gates.input()];
        let mut wires = vec![Wire::TRUE];
        wires.extend(inputs);
        wires.push(gates.and(inputs[0], inputs[1]));
        wires.push(gates.xor(inputs[0], inputs[2]));
        wires.push(gates.choose(inputs[0], inputs[1], inputs[2]));
        wires.push(gates.majority(inputs[0], inputs[1], !inputs[2]));
        let all: Vec<Wire> = wires.iter().flat_map(|&wire| [wire, !wire]).collect();
        let simulate = |gates: &Gates, wire: Wire, env: usize| -> bool {
            let mut value = vec![false; gates.len()];
            for node in 0..gates.len() {
                let of = |wire: Wire| value[wire.node()] != wire.is_negated();
                let input = inputs.iter().position(|input| input.node() == node);
                value[node] = input.map_or_else(|| gates.evaluate(node, of), |i| env >> i & 1 == 1);
            }
            value[wire.node()] != wire.is_negated()
        };
        for &a in &all {
            for &b in &all {
                for &c in &all {
                    let results = [gates.and(a, b), gates.xor(a, b), gates.choose(a, b, c), gates.majority(a, b, c)];
                    for env in 0..8 {
                        let [x, y, z] = [a, b, c].map(|wire| simulate(&gates, wire, env));
                        let expected = [x && y, x != y, if x { y } else { z }, if x { y || z } else { y && z }];
                        for (result, expected) in results.iter().zip(expected) {
                            assert_eq!(simulate(&gates, *result, env), expected, "{a:?} {b:?} {c:?} {env}");
                        }
                    }
                }
            }
        }
    }
}
