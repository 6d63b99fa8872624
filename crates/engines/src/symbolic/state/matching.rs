//! When are two states the same? When they are equal up to the numbers of objects and to objects that nobody reaches.
//!
//! Known as: state matching, heap canonicalisation, heap symmetry \[Iosif04]; explicit garbage left out.
//!
//! A state becomes a row of numbers: threads with their frames and what they remember for the reduction, the objects in the order in which they
//! are met, and the set of assumptions. Input objects come first, reachable or not, since later inputs may be the same as they; they have
//! names of their own, which their fields' variables are named after.
//! How a state was reached and how deep it is are not part of it.

use super::{Access, Obj, Shape, State, Val};
use rustc_hash::FxHashMap;

struct Encoder<'s> {
    state: &'s State,
    row: Vec<u64>,
    numbers: FxHashMap<u32, u64>,
    met: Vec<u32>,
}

/// The row of a state in which these threads have yet to run local steps.
pub(crate) fn key(state: &State, running: &[u32]) -> Box<[u64]> {
    let mut encoder =
        Encoder { state, row: Vec::with_capacity(128), numbers: FxHashMap::default(), met: Vec::with_capacity(16) };
    let mut inputs: Vec<(u32, u32)> =
        state.heap.iter().zip(1..).filter_map(|(object, place)| Some((object.input?, place))).collect();
    inputs.sort_unstable();
    for (_, place) in inputs {
        encoder.number(place);
    }
    encoder.row.push(running.len() as u64);
    encoder.row.extend(running.iter().map(|name| u64::from(*name)));
    encoder.threads();
    state.args.iter().for_each(|val| encoder.val(*val));
    let mut at = 0;
    while let Some(reference) = encoder.met.get(at).copied() {
        encoder.object(state.object(reference));
        at += 1;
    }
    let mut assumed: Vec<u64> = state.assumed.iter().map(|term| term.index() as u64).collect();
    assumed.sort_unstable();
    assumed.dedup();
    encoder.row.extend(assumed);
    encoder.row.into_boxed_slice()
}

impl Encoder<'_> {
    fn number(&mut self, reference: u32) -> u64 {
        if reference == 0 {
            return 0;
        }
        if let Some(number) = self.numbers.get(&reference) {
            return *number;
        }
        self.met.push(reference);
        let number = self.met.len() as u64;
        self.numbers.insert(reference, number);
        number
    }

    fn val(&mut self, val: Val) {
        let (tag, payload) = match val {
            Val::Int(value) => (0u64, value as u64),
            Val::Bool(value) => (1, u64::from(value)),
            Val::Float(bits) => (2, bits),
            Val::Ref(reference) => (3, self.number(reference)),
            Val::Term(term) => (4, term.index() as u64),
            Val::Lazy(lazy) => (5, u64::from(lazy)),
            Val::Unset => (6, 0),
        };
        // Small payloads share a word with their tag; others take two.
        if payload < 1 << 60 {
            self.row.push(tag << 60 | payload);
        } else {
            self.row.extend([(tag + 8) << 60, payload]);
        }
    }

    fn threads(&mut self) {
        self.row.push(self.state.threads.len() as u64);
        for thread in &self.state.threads {
            let stopped = u64::from(thread.is_cut) << 1 | u64::from(thread.diverges);
            let flags = u64::from(thread.has_run) << 8 | stopped << 1 | u64::from(thread.last.is_some());
            self.row.push(u64::from(thread.name) << 32 | u64::from(thread.n_children) << 16 | flags);
            self.row.push(thread.frames.len() as u64);
            for frame in &thread.frames {
                self.row.push(u64::from(frame.method) << 32 | u64::from(frame.pc));
                frame.locals.iter().for_each(|val| self.val(*val));
            }
            if let Some(last) = &thread.last {
                let sizes = (last.accesses.len() as u64) << 32 | (last.children.len() as u64) << 1;
                self.row.push(sizes | u64::from(last.has_ended));
                last.accesses.iter().for_each(|access| self.access(*access));
                self.row.extend(last.children.iter().map(|child| u64::from(*child)));
            }
        }
    }

    fn access(&mut self, access: Access) {
        match access {
            Access::Field { object, slot, is_write } => {
                let number = self.number(object);
                self.row.push(1 << 60 | number << 20 | u64::from(slot) << 1 | u64::from(is_write));
            }
            Access::Element { array, index, is_write } => {
                let number = self.number(array);
                self.row.push(2 << 60 | number << 1 | u64::from(is_write));
                self.val(index);
            }
            Access::Elements { array } => {
                let number = self.number(array);
                self.row.push(3 << 60 | number);
            }
            Access::Lock { object } => {
                let number = self.number(object);
                self.row.push(4 << 60 | number);
            }
            Access::Join => self.row.push(5 << 60),
            Access::Everything => self.row.push(6 << 60),
        }
    }

    fn object(&mut self, object: &Obj) {
        let owner = object.owner.map_or(0, |owner| u64::from(owner) + 1);
        let holder = object.holder.map_or(0, |holder| u64::from(holder) + 1);
        let input = object.input.map_or(0, |input| u64::from(input) + 1);
        self.row.extend([owner << 32 | holder, input]);
        match &object.shape {
            Shape::Instance(classes) => {
                self.row.push((classes.len() as u64) << 8 | 255);
                self.row.extend(classes.iter().map(|class| u64::from(class.0)));
            }
            Shape::Array(ty) => {
                let base = match ty.base {
                    ir::oox::Base::Class(class) => u64::from(class.0) + 16,
                    ir::oox::Base::Int => 0,
                    ir::oox::Base::Uint => 1,
                    ir::oox::Base::Bool => 2,
                    ir::oox::Base::Float => 3,
                    ir::oox::Base::Char => 4,
                    ir::oox::Base::String => 5,
                    ir::oox::Base::Null | ir::oox::Base::Void => 6,
                };
                self.row.push(base << 8 | u64::from(ty.dims));
            }
        }
        // Fields that nobody touched may be missing at the end.
        let n = object.vals.len() - object.vals.iter().rev().take_while(|val| **val == Val::Unset).count();
        let n = if matches!(object.shape, Shape::Array(_)) { object.vals.len() } else { n };
        self.row.push(n as u64);
        object.vals[..n].iter().for_each(|val| self.val(*val));
    }
}
