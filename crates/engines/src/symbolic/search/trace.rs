//! What would have to happen? From a symbolic state to inputs and a schedule that the machine can replay.

use crate::symbolic::state::{Origin, Shape, State, Val};
use crate::symbolic::world::World;
use ir::oox::{Inputs, Object, ObjectShape, ThreadName, Trace, Type, Value, Violation};
use logic::TermId;

/// The trace to a state, under one more condition; `None` if the solver gives no values.
pub(crate) fn trace(
    world: &mut World<'_>,
    state: &State,
    cond: Option<TermId>,
    violation: Violation,
    culprit: Option<u32>,
) -> Option<Trace> {
    let assignment = world.solution(state, cond)?;
    let inputs = inputs(world, state, &assignment);
    let mut schedule: Vec<(ThreadName, u32)> = Vec::new();
    let mut ran = state.ran.as_deref();
    while let Some(part) = ran {
        let count = match part.unless {
            Some((cond, count)) if !assignment.satisfies(&world.terms.pool, cond) => count,
            _ => part.count,
        };
        schedule.push((world.names[part.thread as usize].clone(), count));
        ran = part.before.as_deref();
    }
    schedule.reverse();
    if let Some(culprit) = culprit {
        schedule.push((world.names[culprit as usize].clone(), 1));
    }
    Some(Trace { inputs, schedule, violation })
}

fn inputs(world: &World<'_>, state: &State, assignment: &smt::Assignment) -> Inputs {
    let program = world.program;
    let places: Vec<u32> = state
        .heap
        .iter()
        .enumerate()
        .filter(|(_, object)| object.input.is_some())
        .map(|(at, _)| at as u32 + 1)
        .collect();
    let value = |origin: Origin, ty: Type| -> Value {
        match world.known_input(origin, ty) {
            None => Value::default_of(ty),
            Some(Val::Lazy(lazy)) => {
                let found = state.resolved.iter().rev().find(|(other, _)| *other == lazy);
                let Some((_, Val::Ref(reference))) = found else { return Value::Ref(0) };
                // Input objects are numbered anew, without those that the program made.
                let number = places.iter().position(|place| place == reference);
                Value::Ref(number.map_or(0, |number| number as u32 + 1))
            }
            Some(Val::Term(term)) => match assignment.evaluate(&world.terms.pool, term) {
                logic::Value::Bool(value) => Value::Bool(value),
                logic::Value::F64(bits) => Value::Float(bits),
                other => Value::Int(other.as_bv().as_i64()),
            },
            Some(_) => Value::default_of(ty),
        }
    };
    let object = |place: &u32| {
        let object = state.object(*place);
        let input = object.input.expect("only input objects were taken");
        match &object.shape {
            Shape::Instance(classes) => {
                let fields = &program.class(classes[0]).fields;
                let slot = |(slot, field): (usize, &ir::oox::Field)| value(Origin::Slot(input, slot as u32), field.ty);
                let values = fields.iter().enumerate().map(slot).collect();
                Object { shape: ObjectShape::Instance(classes[0]), values, holder: None }
            }
            Shape::Array(ty) => {
                let slots = 0..object.vals.len() as u32;
                let values = slots.map(|slot| value(Origin::Slot(input, slot), ty.element())).collect();
                Object { shape: ObjectShape::Array(*ty), values, holder: None }
            }
        }
    };
    let entry = program.method(program.entry);
    let params = usize::from(entry.is_constructor)..usize::from(entry.n_params);
    Inputs {
        objects: places.iter().map(object).collect(),
        args: params.map(|param| value(Origin::Param(param as u16), entry.locals[param].ty)).collect(),
    }
}
