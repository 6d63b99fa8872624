//! Where does a program depend on where objects lie, which C leaves open?
//!
//! `memory` gives every object one address. A program can look at it: it can compare the addresses of two objects with `<`,
//! take their remainder, keep one until its object is gone and find that a new object has it. No answer may rest on the one layout
//! that the model has. So the lowered program is searched for values that are computed from addresses, and where the result of
//! an operation depends on the layout a `Check` of kind `Unsupported` is put before it, whose condition says that it does not
//! depend on it this time: what looks like an address is a number, or both addresses lie in one object. Executions
//! that keep to what C promises are judged as before, all others are answered "unknown".
//!
//! A front end writes the address of a static object as a variable, so that nothing is computed with it before the
//! whole program is known; [`guard`](mod@guard) looks at the program, puts in the checks, and puts the addresses in place of the variables.
//!
//! - [`value`] is what a word can be, [`terms`] what operations make of it, [`flow`] which values reach which variable and which memory, `webs`
//!   which assignments of a variable belong together;
//! - [`allocators`] tells objects apart that are made by one function for many callers;
//! - [`apart`] says which accesses by index are kept from addresses beside their array by a check;
//! - [`conditions`] makes demands into terms, [`guard`](mod@guard) puts them into the program;
//! - [`reuse`] is about addresses that are given out a second time;
//! - [`elsewhere`] puts the objects of such a program in other places, where it may be seen to go wrong.
//!
//! What is taken for granted of all layouts: no object lies in the first or last page of the address space; objects lie
//! at multiples of their type's alignment; an address that is copied byte by byte is copied whole and in order.

mod allocators;
mod apart;
mod conditions;
mod elsewhere;
mod flow;
mod guard;
mod reuse;
mod terms;
#[cfg(test)]
mod tests;
mod value;

pub use allocators::clone_allocators;
pub use guard::guard;

use crate::memory::ObjectId;
use crate::program::Program;
use crate::stmt::SiteId;
use logic::{BitVec, Pool, Sort, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use value::{Base, Words};

/// As what memory is accessed, where the language says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Typed {
    /// It does not, or not always.
    #[default]
    Unknown,
    /// As a pointer.
    Pointer,
    /// As a number, which no pointer may be read as.
    Number,
}

impl Typed {
    /// Whether one cannot be read as the other.
    fn differs(self, other: Typed) -> bool {
        matches!((self, other), (Typed::Pointer, Typed::Number) | (Typed::Number, Typed::Pointer))
    }
}

/// What a front end knows about the addresses of a program.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    variable_of: FxHashMap<ObjectId, (VarId, TermId)>,
    object_of: FxHashMap<VarId, ObjectId>,
    align: FxHashMap<ObjectId, u64>,
    site_align: FxHashMap<SiteId, u64>,
    typed: FxHashMap<SiteId, Typed>,
    literals: FxHashSet<ObjectId>,
    /// Words in initial contents that are addresses.
    initial: FxHashSet<u64>,
}

impl Layout {
    /// The term that stands for the address of a static object, if it has been asked for before.
    pub fn address(&self, object: ObjectId) -> Option<TermId> {
        self.variable_of.get(&object).map(|(_, term)| *term)
    }

    /// From now on the variable, which is no procedure's own, stands for the address of the object.
    pub fn set_address(&mut self, object: ObjectId, var: VarId, term: TermId) {
        self.variable_of.insert(object, (var, term));
        self.object_of.insert(var, object);
    }

    /// The object lies at a multiple of `align`.
    pub fn set_align(&mut self, object: ObjectId, align: u64) {
        self.align.insert(object, align);
    }

    /// The objects that an `Alloc` makes lie at multiples of `align`.
    pub fn set_site_align(&mut self, site: SiteId, align: u64) {
        self.site_align.insert(site, align);
    }

    /// As what a statement accesses memory.
    pub fn set_typed(&mut self, site: SiteId, typed: Typed) {
        self.typed.insert(site, typed);
    }

    /// What an `Alloc` makes lies as what another makes, of which it is a copy; so does what is accessed as something.
    pub(super) fn copy_site(&mut self, from: SiteId, to: SiteId) {
        if let Some(typed) = self.typed.get(&from) {
            self.typed.insert(to, *typed);
        }
        if let Some(align) = self.site_align.get(&from) {
            self.site_align.insert(to, *align);
        }
    }

    /// The object is a literal, which may lie in or be another one.
    pub fn set_literal(&mut self, object: ObjectId) {
        self.literals.insert(object);
    }

    /// An initial value has been computed from addresses.
    pub fn note_initial(&mut self, value: &Value) {
        if let Value::Bv(bits) = value {
            self.initial.extend(bits.to_u64());
        }
    }

    /// Whether a term mentions addresses of static objects only.
    pub fn is_constant(&self, pool: &Pool, term: TermId) -> bool {
        let mut is_constant = true;
        pool.for_each_free_var(term, &mut |var| is_constant &= self.object_of.contains_key(&var));
        is_constant
    }

    /// The value of such a term.
    pub fn value(&self, program: &Program, term: TermId) -> Value {
        self.value_with(program, term, &|_| 0)
    }

    /// Whether such a term is a number or lies at one distance from one object, wherever objects lie.
    pub fn is_settled(&self, program: &Program, term: TermId) -> bool {
        let moves: [&dyn Fn(ObjectId) -> u64; 3] =
            [&|_| 0, &|object| 0x5a5a_5000 + (u64::from(object.0) << 20), &|object| 0x1_2340_0000 >> (object.0 % 5)];
        let numbers: Vec<Value> = moves.iter().map(|by| self.value_with(program, term, by)).collect();
        if numbers.iter().all(|value| *value == numbers[0]) {
            return true;
        }
        if program.pool.sort(term) != Sort::Bv(program.data_model.word_bits()) {
            return false;
        }
        let mut is_settled = false;
        program.pool.for_each_free_var(term, &mut |var| {
            let object = self.object_of[&var];
            let back = |(value, by): (&Value, &&dyn Fn(ObjectId) -> u64)| {
                value.as_bv().sub(&BitVec::new(value.as_bv().width(), by(object)))
            };
            let mut distances = numbers.iter().zip(&moves).map(back);
            let first = distances.next();
            is_settled |= distances.all(|distance| Some(distance) == first);
        });
        is_settled
    }

    fn value_with(&self, program: &Program, term: TermId, by: &dyn Fn(ObjectId) -> u64) -> Value {
        let word = program.data_model.word_bits();
        program.pool.evaluate(term, &|var| match self.object_of.get(&var) {
            Some(object) => Value::bv(word, program.object(*object).base.wrapping_add(by(*object))),
            None => Value::zero(program.pool.var_sort(var)),
        })
    }

    fn object_of(&self, var: VarId) -> Option<ObjectId> {
        self.object_of.get(&var).copied()
    }

    fn align_of(&self, base: Base) -> u64 {
        match base {
            Base::Number => u64::MAX,
            Base::Object(object) => self.align.get(&object).copied().unwrap_or(1),
            Base::Site(site) => self.site_align.get(&site).copied().unwrap_or(1),
        }
    }

    /// All addresses that the words can be are multiples of this, up to their distance.
    fn least_align(&self, words: &Words) -> u64 {
        words.bases().map(|(base, _)| self.align_of(base)).min().unwrap_or(u64::MAX)
    }
}
