//! What can it be? The states that one state is split into when something about the inputs has to be known.
//!
//! Known as: lazy initialisation, generalised symbolic execution \[Khurshid03].
//!
//! A reference of the input is null, an input object that is already there and of a fitting class, or a new one; so all aliases among
//! inputs are considered, arrays included. Objects that the program made itself are none: they were not there at the start. The length of
//! a new input array is anything up to a bound, which the answer states.

use super::{Obj, Shape, State, Val};
use crate::symbolic::world::{Stop, World};
use ir::oox::{Base, ClassId, Type};
use std::rc::Rc;

/// The states in which it is known; together they are all that the state stands for.
pub(crate) fn split(world: &mut World<'_>, state: &State, stop: Stop) -> Vec<State> {
    match stop {
        Stop::Resolve(lazy) => resolve(world, state, lazy),
        Stop::Narrow(object, class) => {
            let is_in = |world: &World<'_>, other: ClassId| world.program.is_subclass(other, class);
            group(world, state, object, |world, other| u32::from(!is_in(world, other)))
        }
        Stop::Dispatch(object, signature) => group(world, state, object, |world, class| {
            world.program.class(class).runs(signature).map_or(0, |method| method.0)
        }),
        Stop::Decide(cond) => {
            let negation = world.terms.pool.not(cond);
            let mut states = Vec::new();
            for cond in [cond, negation] {
                let mut one = match world.is_feasible(state, Some(cond)) {
                    Some(false) => continue,
                    _ => state.clone(),
                };
                world.assume(&mut one, cond);
                states.push(one);
            }
            states
        }
        _ => unreachable!("only questions about inputs split a state"),
    }
}

/// One state for each group of classes that an input object may have.
fn group(world: &World<'_>, state: &State, object: u32, key: impl Fn(&World<'_>, ClassId) -> u32) -> Vec<State> {
    let Shape::Instance(classes) = &state.object(object).shape else { return Vec::new() };
    let mut keys: Vec<u32> = classes.iter().map(|class| key(world, *class)).collect();
    keys.sort_unstable();
    keys.dedup();
    let of = |wanted: u32| {
        let classes: Rc<[ClassId]> = classes.iter().copied().filter(|class| key(world, *class) == wanted).collect();
        let mut one = state.clone();
        one.object_mut(object).shape = Shape::Instance(classes);
        one
    };
    keys.into_iter().map(of).collect()
}

fn resolve(world: &mut World<'_>, state: &State, lazy: u32) -> Vec<State> {
    let wanted = world.lazies[lazy as usize];
    let mut states = Vec::new();
    let mut add = |mut one: State, val: Val| {
        one.resolve(lazy, val, wanted.origin);
        states.push(one);
    };
    let fresh = |shape: Shape, vals: Vec<Val>| Obj { shape, vals, holder: None, input: Some(lazy), owner: None };
    if !wanted.is_present {
        add(state.clone(), Val::Ref(0));
    }
    match wanted.ty {
        Type { base: Base::Class(class), dims: 0 } => {
            let classes = world.classes_of(class);
            if !classes.is_empty() {
                let mut one = state.clone();
                let reference = one.allocate(fresh(Shape::Instance(Rc::clone(&classes)), Vec::new()));
                add(one, Val::Ref(reference));
            }
            for (at, object) in state.heap.iter().enumerate().filter(|(_, object)| object.input.is_some()) {
                let Shape::Instance(own) = &object.shape else { continue };
                let common: Rc<[ClassId]> = own.iter().copied().filter(|class| classes.contains(class)).collect();
                if common.is_empty() {
                    continue;
                }
                let mut one = state.clone();
                if common.len() < own.len() {
                    one.object_mut(at as u32 + 1).shape = Shape::Instance(common);
                }
                add(one, Val::Ref(at as u32 + 1));
            }
        }
        ty => {
            world.has_bounded_length = true;
            for length in 0..=world.max_length {
                let mut one = state.clone();
                let reference = one.allocate(fresh(Shape::Array(ty), vec![Val::Unset; length]));
                add(one, Val::Ref(reference));
            }
            let is_same = |object: &Obj| object.input.is_some() && object.shape == Shape::Array(ty);
            for (at, _) in state.heap.iter().enumerate().filter(|(_, object)| is_same(object)) {
                add(state.clone(), Val::Ref(at as u32 + 1));
            }
        }
    }
    states
}
