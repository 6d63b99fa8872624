//! Which values do the variables have in a solution?
//!
//! A wire with a literal has the literal's value; one without is computed from its operands, and an input that no clause
//! ever needed is false. Defined variables are evaluated from their definitions, so that they are right also where
//! nothing of them was encoded.

use logic::{ArrayValue, BitVec, Pool, Sort, Value, VarId};
use rustc_hash::FxHashMap;

use super::arrays::IndexId;
use super::cnf::Cnf;
use super::encode::Encoder;
use super::gates::{Gates, Wire};
use super::sat::Sat;
use crate::answer::Assignment;

/// The values of wires in the last solution.
struct Simulation<'a> {
    gates: &'a Gates,
    cnf: &'a Cnf,
    sat: &'a mut Sat,
    values: FxHashMap<usize, bool>,
}

impl Simulation<'_> {
    fn wire(&mut self, wire: Wire) -> bool {
        let mut open = vec![wire.node()];
        while let Some(&node) = open.last() {
            if self.values.contains_key(&node) {
                open.pop();
                continue;
            }
            if let Some(lit) = self.cnf.known(node) {
                let value = self.sat.value(lit);
                self.values.insert(node, value);
                continue;
            }
            let (operands, n) = self.gates.gate(node).operands();
            let n_before = open.len();
            open.extend(operands[..n].iter().map(|wire| wire.node()).filter(|node| !self.values.contains_key(node)));
            if open.len() == n_before {
                let value = self.gates.evaluate(node, |wire| self.values[&wire.node()] != wire.is_negated());
                self.values.insert(node, value);
            }
        }
        self.values[&wire.node()] != wire.is_negated()
    }

    fn word(&mut self, word: &[Wire], sort: Sort) -> Value {
        let mut limbs = vec![0u64; word.len().div_ceil(64)];
        for (i, &wire) in word.iter().enumerate() {
            limbs[i / 64] |= u64::from(self.wire(wire)) << (i % 64);
        }
        match sort {
            Sort::Bool => Value::Bool(limbs[0] == 1),
            Sort::Bv(width) => Value::Bv(BitVec::from_limbs(width, &limbs)),
            Sort::F32 => Value::F32(limbs[0] as u32),
            Sort::F64 => Value::F64(limbs[0]),
            Sort::Array(..) => unreachable!("arrays have no wires"),
        }
    }
}

/// The element elsewhere, and elements at indices.
type Elements = (Option<Value>, Vec<(Value, Value)>);

/// The values of all variables that have wires, reads or definitions.
pub(super) fn assignment(pool: &Pool, encoder: &Encoder, cnf: &Cnf, sat: &mut Sat) -> Assignment {
    let mut simulation = Simulation { gates: &encoder.gates, cnf, sat, values: FxHashMap::default() };
    let mut assignment = Assignment::new();
    for (var, word) in encoder.free_vars() {
        let value = simulation.word(word, pool.var_sort(var));
        assignment.set(var, value);
    }
    let mut arrays: FxHashMap<VarId, Elements> = FxHashMap::default();
    for (var, index, word) in encoder.arrays.reads() {
        let Sort::Array(index_sort, element_sort) = pool.var_sort(var) else {
            unreachable!("only arrays are read");
        };
        let element = simulation.word(word, element_sort.into());
        let (default, elements) = arrays.entry(var).or_default();
        if index == IndexId::ELSEWHERE {
            *default = Some(element);
        } else {
            elements.push((simulation.word(encoder.arrays.index_word(index), index_sort.into()), element));
        }
    }
    for (var, (default, elements)) in arrays {
        let Sort::Array(index_sort, element_sort) = pool.var_sort(var) else {
            unreachable!("only arrays are read");
        };
        let default = default.unwrap_or_else(|| Value::zero(element_sort.into()));
        let array = elements
            .into_iter()
            .fold(ArrayValue::new(index_sort, default), |array, (index, element)| array.store(index, element));
        assignment.set(var, Value::Array(array));
    }
    for (var, definition) in encoder.definitions.in_order() {
        let value = assignment.evaluate(pool, definition);
        assignment.set(var, value);
    }
    assignment
}

/// Pairs of reads of one variable that have one index but two elements in the last solution.
pub(super) fn violated_reads(encoder: &Encoder, cnf: &Cnf, sat: &mut Sat) -> Vec<(VarId, IndexId, IndexId)> {
    let mut simulation = Simulation { gates: &encoder.gates, cnf, sat, values: FxHashMap::default() };
    let mut seen: FxHashMap<(VarId, Vec<bool>), (IndexId, Vec<bool>)> = FxHashMap::default();
    let mut violated = Vec::new();
    for (var, index, word) in encoder.arrays.reads() {
        if index == IndexId::ELSEWHERE {
            continue;
        }
        let at: Vec<bool> = encoder.arrays.index_word(index).iter().map(|&wire| simulation.wire(wire)).collect();
        let element: Vec<bool> = word.iter().map(|&wire| simulation.wire(wire)).collect();
        match seen.get(&(var, at.clone())) {
            Some((_, first)) if *first == element => {}
            Some(&(first, _)) => violated.push((var, first, index)),
            None => drop(seen.insert((var, at), (index, element))),
        }
    }
    violated
}
