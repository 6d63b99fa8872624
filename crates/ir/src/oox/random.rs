//! What happens when the program just runs? One execution with inputs and a schedule drawn from a seed.
//!
//! Inputs are drawn until `requires` accepts them: small numbers and those that the text mentions, null, shared and new objects, short arrays.
//! The same seed gives the same run.

use super::eval::Value;
use super::interp::{Ended, Inputs, Machine, Object, ObjectShape, Stepped, ThreadName, Violation, ViolationKind};
use super::program::{Base, ClassId, Program, Type};
use crate::source::Span;
use logic::Prng;

/// So many inputs are drawn before giving up on `requires`.
const MAX_DRAWS: u32 = 2000;

/// So many objects are drawn at most, so that lists end.
const MAX_OBJECTS: usize = 12;

/// How a random run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RandomEnd {
    /// All threads have ended, or main has and nobody else can go on.
    Ended,
    /// An exception that nobody caught, and no clause minds.
    Exception,
    /// An assumption does not hold.
    Assumed,
    /// Something went wrong.
    Violation(Violation),
    /// An integer beyond 64 bits.
    OutOfRange(Span),
    /// It went on for as many steps as were allowed.
    StepLimit,
}

/// A random run.
#[derive(Clone, PartialEq, Debug)]
pub struct RandomRun {
    /// What the environment chose.
    pub inputs: Inputs,
    /// Who ran, and how many instructions.
    pub schedule: Vec<(ThreadName, u32)>,
    /// How many instructions in all.
    pub n_steps: u64,
    /// How it ended.
    pub end: RandomEnd,
}

/// Runs the entry method once; `None` if no inputs were found that it accepts.
pub fn run_random(program: &Program, seed: u64, max_steps: u64) -> Option<RandomRun> {
    let mut random = Prng::new(seed);
    for _ in 0..MAX_DRAWS {
        let inputs = draw(program, &mut random);
        if let Ok(machine) = Machine::start(program, &inputs) {
            return Some(run(machine, inputs, &mut random, max_steps));
        }
    }
    None
}

fn run(mut machine: Machine<'_>, inputs: Inputs, random: &mut Prng, max_steps: u64) -> RandomRun {
    let mut schedule: Vec<(ThreadName, u32)> = Vec::new();
    let mut n_steps = 0;
    let end = loop {
        let enabled: Vec<usize> = (0..machine.n_threads()).filter(|thread| machine.is_enabled(*thread)).collect();
        if enabled.is_empty() {
            let deadlock = Violation { kind: ViolationKind::Deadlock, span: Span::NOWHERE };
            break if machine.has_ended(0) { RandomEnd::Ended } else { RandomEnd::Violation(deadlock) };
        }
        if n_steps == max_steps {
            break RandomEnd::StepLimit;
        }
        let thread = enabled[random.index(enabled.len())];
        let name = machine.thread_name(thread);
        match schedule.last_mut() {
            Some((last, count)) if last == name => *count += 1,
            _ => schedule.push((name.clone(), 1)),
        }
        n_steps += 1;
        match machine.step(thread) {
            Stepped::Done => {}
            Stepped::Blocked => unreachable!("only threads that can run are chosen"),
            Stepped::Ended(Ended::Violation(violation)) => break RandomEnd::Violation(violation),
            Stepped::Ended(Ended::Exception) => break RandomEnd::Exception,
            Stepped::Ended(Ended::Assumed) => break RandomEnd::Assumed,
            Stepped::Ended(Ended::OutOfRange(span)) => break RandomEnd::OutOfRange(span),
        }
    };
    RandomRun { inputs, schedule, n_steps, end }
}

/// Inputs for the entry method.
fn draw(program: &Program, random: &mut Prng) -> Inputs {
    let method = program.method(program.entry);
    let mut inputs = Inputs::default();
    for param in usize::from(method.is_constructor)..usize::from(method.n_params) {
        let ty = method.locals[param].ty;
        let is_this = param == 0 && !method.is_static;
        let value = match ty.base {
            Base::Class(class) if is_this => new_object(program, &mut inputs.objects, random, class),
            _ => value(program, &mut inputs.objects, random, ty),
        };
        inputs.args.push(value);
    }
    inputs
}

fn value(program: &Program, objects: &mut Vec<Object>, random: &mut Prng, ty: Type) -> Value {
    if ty.is_array() {
        let is_same = |object: &Object| object.shape == ObjectShape::Array(ty);
        return reference(program, objects, random, is_same, |program, objects, random| {
            let place = objects.len();
            objects.push(Object { shape: ObjectShape::Array(ty), values: Vec::new(), holder: None });
            let n = random.index(4);
            objects[place].values = (0..n).map(|_| value(program, objects, random, ty.element())).collect();
            Value::Ref(place as u32 + 1)
        });
    }
    let small = |random: &mut Prng, least: i64| match random.index(4) {
        0 => Value::Int(random.index(2) as i64),
        1 => Value::Int(random.index(100) as i64),
        _ => Value::Int(random.index(12) as i64 + least),
    };
    match ty.base {
        Base::Int => small(random, -4),
        Base::Uint => small(random, 0),
        Base::Bool => Value::Bool(random.index(2) == 0),
        Base::Float => Value::Float((random.index(40) as f64 / 4.0 - 3.0).to_bits()),
        Base::Char => Value::Int(random.index(26) as i64 + i64::from(u32::from('a'))),
        // Null, a text of the program, or another one.
        Base::String => Value::Int(random.index(program.strings.len() + 3) as i64),
        Base::Class(class) => {
            let fits =
                |object: &Object| matches!(object.shape, ObjectShape::Instance(own) if program.is_subclass(own, class));
            reference(program, objects, random, fits, |program, objects, random| {
                new_object(program, objects, random, class)
            })
        }
        Base::Null | Base::Void => Value::default_of(ty),
    }
}

/// Null, an object that is there, or a new one.
fn reference(
    program: &Program,
    objects: &mut Vec<Object>,
    random: &mut Prng,
    fits: impl Fn(&Object) -> bool,
    new: impl FnOnce(&Program, &mut Vec<Object>, &mut Prng) -> Value,
) -> Value {
    let there: Vec<usize> = (0..objects.len()).filter(|place| fits(&objects[*place])).collect();
    match random.index(4) {
        0 => Value::Ref(0),
        1 if !there.is_empty() => Value::Ref(there[random.index(there.len())] as u32 + 1),
        _ if objects.len() >= MAX_OBJECTS => Value::Ref(0),
        _ => new(program, objects, random),
    }
}

fn new_object(program: &Program, objects: &mut Vec<Object>, random: &mut Prng, class: ClassId) -> Value {
    let classes = program.implementers(class);
    if classes.is_empty() {
        return Value::Ref(0);
    }
    let own = classes[random.index(classes.len())];
    let fields = &program.class(own).fields;
    let place = objects.len();
    let values = fields.iter().map(|field| Value::default_of(field.ty)).collect();
    objects.push(Object { shape: ObjectShape::Instance(own), values, holder: None });
    for (slot, field) in fields.iter().enumerate() {
        let chosen = value(program, objects, random, field.ty);
        objects[place].values[slot] = chosen;
    }
    Value::Ref(place as u32 + 1)
}
