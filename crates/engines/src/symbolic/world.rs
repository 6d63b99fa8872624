//! What is fixed while states come and go? The program, terms, names of threads, inputs, and the solver with the path it stands on.
//!
//! An input has its name from where it stands at the start (a parameter, a slot of an input object), so it is the same variable in every
//! schedule. A condition is decided by folding first, then by what the path assumes word for word, and only then by the solver.

use super::state::{Origin, State, Val};
use crate::symbolic::step::join::{Sides, sides};
use crate::symbolic::values::terms::Terms;
use ir::Span;
use ir::oox::{Base, ClassId, Program, ThreadName, Type, ViolationKind};
use logic::{Sort, TermId};
use rustc_hash::FxHashMap;
use smt::{Assignment, Backend, Path};
use std::rc::Rc;

/// A reference of the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct LazyRef {
    pub(super) ty: Type,
    pub(super) origin: Origin,
    /// Whether it cannot be null (`this`).
    pub(super) is_present: bool,
}

/// Why something could not simply be done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    /// A lazy reference has to be decided first.
    Resolve(u32),
    /// It has to be known whether an input object is of this type.
    Narrow(u32, ClassId),
    /// It has to be known which method an input object runs for a signature.
    Dispatch(u32, u32),
    /// It has to be known whether a condition holds.
    Decide(TermId),
    /// An exception of the language.
    Raise,
    /// An integer beyond 64 bits: nobody goes on.
    OutOfRange,
    /// Others may notice this step, so it has to be scheduled.
    Visible,
    /// Something is wrong, under the assumptions and this condition.
    Violation(ViolationKind, Span, Option<TermId>),
    /// An assumption fails.
    Assumed,
    /// An exception that nobody caught ended the execution.
    Crashed,
}

/// What is fixed.
pub(super) struct World<'a> {
    pub(super) program: &'a Program,
    pub(super) terms: Terms,
    pub(super) names: Vec<ThreadName>,
    name_ids: FxHashMap<ThreadName, u32>,
    pub(super) lazies: Vec<LazyRef>,
    lazy_ids: FxHashMap<(Origin, Type), u32>,
    scalars: FxHashMap<(Origin, Type), Val>,
    path: Path,
    /// What solves the last question that had a solution.
    pub(super) found: Option<Rc<Assignment>>,
    sides: FxHashMap<(u32, u32), Option<Rc<Sides>>>,
    /// How many bits the number of a string has, so that inputs may be any literal and many other texts.
    string_bits: u32,
    /// Arrays that quantifiers of the current step read.
    pub(super) arrays_read: Vec<u32>,
    /// How often it was asked whether conditions have a common solution.
    pub(super) n_questions: u64,
    /// How often the solver was asked.
    pub(super) n_queries: u64,
    /// How often the solver gave up.
    pub(super) n_unsolved: u64,
    pub(super) max_length: usize,
    /// Whether the length of an input array was bounded.
    pub(super) has_bounded_length: bool,
    pub(super) has_integer_inputs: bool,
    /// For each class the classes of its objects.
    implementers: Vec<Rc<[ClassId]>>,
}

impl<'a> World<'a> {
    pub(super) fn new(program: &'a Program, max_length: usize, limits: smt::Limits) -> World<'a> {
        let uses_floats = uses_floats(program);
        let mut path = Path::new(if uses_floats { Backend::Z3 } else { Backend::Bits });
        path.set_limits(limits);
        let mut implementers: Vec<Vec<ClassId>> = vec![Vec::new(); program.classes.len()];
        for (class, id) in program.classes.iter().zip(0..).filter(|(class, _)| !class.is_interface) {
            class.supertypes.iter().for_each(|above| implementers[above.0 as usize].push(ClassId(id)));
        }
        World {
            program,
            terms: Terms::new(),
            names: vec![Vec::new()],
            name_ids: FxHashMap::from_iter([(Vec::new(), 0)]),
            lazies: Vec::new(),
            lazy_ids: FxHashMap::default(),
            scalars: FxHashMap::default(),
            path,
            found: None,
            sides: FxHashMap::default(),
            string_bits: (usize::BITS - program.strings.len().leading_zeros() + 1).max(10),
            arrays_read: Vec::new(),
            n_questions: 0,
            n_queries: 0,
            n_unsolved: 0,
            max_length,
            has_bounded_length: false,
            has_integer_inputs: false,
            implementers: implementers.into_iter().map(Rc::from).collect(),
        }
    }

    /// The classes of objects of a type.
    pub(super) fn classes_of(&self, class: ClassId) -> Rc<[ClassId]> {
        Rc::clone(&self.implementers[class.0 as usize])
    }

    /// The number of a thread's name.
    pub(super) fn name(&mut self, parent: u32, child: u16) -> u32 {
        let mut name = self.names[parent as usize].clone();
        name.push(child);
        if let Some(id) = self.name_ids.get(&name) {
            return *id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.clone());
        self.name_ids.insert(name, id);
        id
    }

    /// The sides of a branch that can be joined.
    pub(super) fn sides(&mut self, method: u32, pc: u32) -> Option<Rc<Sides>> {
        let program = self.program;
        let found = self.sides.entry((method, pc));
        found.or_insert_with(|| sides(&program.methods[method as usize], pc).map(Rc::new)).clone()
    }

    /// Whether one thread descends from another.
    pub(super) fn is_below(&self, child: u32, ancestor: u32) -> bool {
        let (child, ancestor) = (&self.names[child as usize], &self.names[ancestor as usize]);
        child.len() > ancestor.len() && child.starts_with(ancestor)
    }

    /// The input at a place.
    pub(super) fn input(&mut self, origin: Origin, ty: Type, is_present: bool) -> Val {
        // The same slot of another path's object may have another type.
        let place = (origin, ty);
        if ty.is_reference() {
            let next = self.lazies.len() as u32;
            let id = *self.lazy_ids.entry(place).or_insert(next);
            if id == next {
                self.lazies.push(LazyRef { ty, origin, is_present });
            }
            return Val::Lazy(id);
        }
        if let Some(found) = self.scalars.get(&place) {
            return *found;
        }
        let name = match origin {
            Origin::Param(index) => format!("argument {index}"),
            Origin::Slot(object, slot) => format!("{object}.{slot}"),
        };
        let val = match ty.base {
            Base::Bool => {
                let var = self.terms.pool.declare(&name, Sort::Bool);
                Val::Term(self.terms.pool.var(var))
            }
            Base::Float => {
                let var = self.terms.pool.declare(&name, Sort::F64);
                Val::Term(self.terms.pool.var(var))
            }
            Base::Uint => self.terms.input(&name, 32, false),
            Base::Char => self.terms.input(&name, 21, false),
            Base::String => self.terms.input(&name, self.string_bits, false),
            _ => self.terms.input(&name, 32, true),
        };
        self.has_integer_inputs |= matches!(ty.base, Base::Int | Base::Uint | Base::Char | Base::String);
        self.scalars.insert(place, val);
        val
    }

    /// The input at a place, if anybody has asked for it.
    pub(super) fn known_input(&self, origin: Origin, ty: Type) -> Option<Val> {
        if ty.is_reference() {
            return self.lazy_ids.get(&(origin, ty)).map(|id| Val::Lazy(*id));
        }
        self.scalars.get(&(origin, ty)).copied()
    }

    /// Whether a condition holds in a state, if that needs no solver.
    pub(super) fn known(&mut self, state: &State, cond: Val) -> Option<bool> {
        match cond {
            Val::Bool(value) => Some(value),
            Val::Term(term) => {
                if state.assumed.contains(&term) {
                    return Some(true);
                }
                let negation = self.terms.pool.not(term);
                state.assumed.contains(&negation).then_some(false)
            }
            _ => Some(false),
        }
    }

    /// Whether a condition holds in a state; the state has to be split if both are possible.
    pub(super) fn decide(&mut self, state: &State, cond: Val) -> Result<bool, Stop> {
        match (self.known(state, cond), cond) {
            (Some(known), _) => Ok(known),
            (None, Val::Term(term)) => Err(Stop::Decide(term)),
            (None, _) => Ok(false),
        }
    }

    /// Whether the assumptions of a state and one more have a common solution; `None` if the solver gives up.
    pub(super) fn is_feasible(&mut self, state: &State, cond: Option<TermId>) -> Option<bool> {
        self.n_questions += 1;
        let assumed = &state.assumed;
        if let Some(witness) = &state.witness
            && cond.is_none_or(|cond| witness.satisfies(&self.terms.pool, cond))
        {
            self.found = Some(Rc::clone(witness));
            return Some(true);
        }
        if let Some(answer) =
            crate::symbolic::values::difference_logic::check(&self.terms, assumed.iter().copied().chain(cond))
        {
            let is_feasible = answer.is_ok();
            self.found = answer.ok().map(Rc::new);
            return Some(is_feasible);
        }
        self.n_queries += 1;
        let same = self.path.formulas().iter().zip(assumed.iter()).take_while(|(a, b)| a == b).count();
        self.path.truncate(same);
        assumed[same..].iter().for_each(|formula| self.path.push(*formula));
        if let Some(cond) = cond {
            self.path.push(cond);
        }
        let feasible = self.path.is_feasible(&self.terms.pool);
        match feasible {
            Ok(feasible) => {
                let solution = self.path.solution(&self.terms.pool).ok().flatten().cloned();
                self.found = solution.filter(|_| feasible).map(Rc::new);
                Some(feasible)
            }
            Err(_) => {
                self.found = None;
                self.n_unsolved += 1;
                None
            }
        }
    }

    /// Assumes a condition that was just found feasible, and keeps the solution.
    pub(super) fn assume(&mut self, state: &mut State, cond: TermId) {
        state.assume(cond);
        state.witness = self.found.take();
    }

    /// A solution of the assumptions of a state and one more.
    pub(super) fn solution(&mut self, state: &State, cond: Option<TermId>) -> Option<smt::Assignment> {
        if self.is_feasible(state, cond)? { self.found.as_deref().cloned() } else { None }
    }
}

/// Whether any expression of the program is about floats.
fn uses_floats(program: &Program) -> bool {
    let is_float = |ty: Type| ty.base == Base::Float;
    program.classes.iter().any(|class| class.fields.iter().any(|field| is_float(field.ty)))
        || program.methods.iter().any(|method| method.locals.iter().any(|local| is_float(local.ty)))
}
