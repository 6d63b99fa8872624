//! Which values do inputs take? All of a small domain, one list after the other, or those that a trace names.

use super::event::{Inputs, Request};
use crate::stmt::SiteId;
use logic::{Sort, Value};

/// The values that inputs range over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Domain {
    /// All values of sorts with at most this many bits; larger inputs make the exploration incomplete.
    Bits(u32),
    /// These numbers, cut to the input's width.
    Values(Vec<u64>),
}

/// Runs something once for each list of inputs that it asks for.
pub(crate) fn for_all_inputs(domain: &Domain, mut run: impl FnMut(&mut Counting<'_>)) {
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let mut inputs = Counting { domain, chosen, next: 0, taken: Vec::new(), too_large: None };
        run(&mut inputs);
        // Count up: the last choice that has further values gets its next one.
        let taken = inputs.taken;
        let Some(last) = taken.iter().rposition(|choice| choice.index + 1 < choice.n_values) else {
            return;
        };
        chosen = taken[..=last].iter().map(|choice| choice.index).collect();
        chosen[last] += 1;
    }
}

/// Gives the values with the numbers in `chosen`, then the first ones; zero where there are too many.
pub(crate) struct Counting<'a> {
    domain: &'a Domain,
    chosen: Vec<usize>,
    next: usize,
    /// What was chosen.
    pub(crate) taken: Vec<Choice>,
    /// An input with too many values.
    pub(crate) too_large: Option<Request>,
}

pub(crate) struct Choice {
    pub(crate) site: SiteId,
    pub(crate) value: Value,
    index: usize,
    n_values: usize,
}

impl Inputs for Counting<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        let Some(values) = self.domain.values(request.sort) else {
            self.too_large = Some(*request);
            return Value::zero(request.sort);
        };
        let index = self.chosen.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        let value = values[index].clone();
        self.taken.push(Choice { site: request.site, value: value.clone(), index, n_values: values.len() });
        value
    }
}

impl Domain {
    /// All values of a sort in this domain; `None` if there are too many.
    pub fn values(&self, sort: Sort) -> Option<Vec<Value>> {
        let mut values: Vec<Value> = match (self, sort) {
            (_, Sort::Bool) => vec![Value::Bool(false), Value::Bool(true)],
            (Domain::Bits(n), Sort::Bv(width)) if width <= *n => (0..1 << width).map(|v| Value::bv(width, v)).collect(),
            (Domain::Values(numbers), Sort::Bv(width)) => numbers.iter().map(|v| Value::bv(width, *v)).collect(),
            (Domain::Values(numbers), Sort::F32) => numbers.iter().map(|v| Value::f32(*v as f32)).collect(),
            (Domain::Values(numbers), Sort::F64) => numbers.iter().map(|v| Value::f64(*v as f64)).collect(),
            _ => return None,
        };
        values.sort_unstable();
        values.dedup();
        (!values.is_empty()).then_some(values)
    }
}

/// The inputs that a step of a trace names; all others are zero.
pub struct GivenInputs<'a> {
    values: &'a [(SiteId, Value)],
    is_used: Vec<bool>,
    pub(crate) wrong_sort: bool,
}

impl<'a> GivenInputs<'a> {
    /// The inputs of a step.
    pub fn new(values: &'a [(SiteId, Value)]) -> GivenInputs<'a> {
        GivenInputs { values, is_used: vec![false; values.len()], wrong_sort: false }
    }
}

impl Inputs for GivenInputs<'_> {
    fn choose(&mut self, request: &Request) -> Value {
        let found = (0..self.values.len()).find(|i| !self.is_used[*i] && self.values[*i].0 == request.site);
        let Some(index) = found else {
            return Value::zero(request.sort);
        };
        self.is_used[index] = true;
        let value = self.values[index].1.clone();
        if value.sort() == request.sort {
            return value;
        }
        self.wrong_sort = true;
        Value::zero(request.sort)
    }
}
