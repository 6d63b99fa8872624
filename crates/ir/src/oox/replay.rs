//! Does a trace lead where it says? Inputs and a schedule, run on the machine, step by step.
//!
//! Nobody is told that a program is invalid before its trace has come through here. The replay also collects what people want to see:
//! each step with its line and effects, the heap at the start and at the end, and for a deadlock who waits for whom.

use super::interp::{
    Ended, Event, Inputs, Machine, Object, ObjectShape, Stepped, ThreadName, Violation, ViolationKind,
};
use super::program::{MethodId, Program};
use crate::source::Span;

/// An execution up to a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// What the environment chose.
    pub inputs: Inputs,
    /// Who runs, and how many instructions.
    pub schedule: Vec<(ThreadName, u32)>,
    /// Where it leads.
    pub violation: Violation,
}

/// One step of a replayed trace.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayedStep {
    /// Who.
    pub thread: ThreadName,
    /// In which method.
    pub method: MethodId,
    /// Where.
    pub span: Span,
    /// What was noticed.
    pub events: Vec<Event>,
}

/// A thread that waits at the end.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiting {
    /// Who.
    pub thread: ThreadName,
    /// For what, in words.
    pub what: String,
    /// The object whose lock it waits for, if it waits for one.
    pub lock: Option<String>,
    /// Who holds that, or must end.
    pub by: Vec<ThreadName>,
    /// The objects whose locks it holds.
    pub holds: Vec<String>,
    /// Where.
    pub span: Span,
}

/// What a schedule does.
#[derive(Clone, PartialEq, Debug)]
pub struct Followed {
    /// The steps, in order.
    pub steps: Vec<ReplayedStep>,
    /// All threads with the method they began with, main first.
    pub threads: Vec<(ThreadName, MethodId)>,
    /// The arguments of the entry method: name and value.
    pub arguments: Vec<(String, String)>,
    /// The objects that are there at the start, in words.
    pub heap_before: Vec<String>,
    /// All objects at the end.
    pub heap_after: Vec<String>,
}

/// What a trace does. Other crates cannot make one: only a replay does.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Replayed {
    /// Its steps.
    pub followed: Followed,
    /// Who waits at the end of a deadlock.
    pub waiting: Vec<Waiting>,
    /// What goes wrong.
    pub violation: Violation,
    /// Who does it; none for a deadlock.
    pub culprit: Option<ThreadName>,
}

/// Runs a trace; what it does, or why it does not lead to its violation.
pub fn replay(program: &Program, trace: &Trace) -> Result<Replayed, String> {
    let (followed, machine, ended) = walk(program, &trace.inputs, &trace.schedule)?;
    let mut replayed = Replayed { followed, waiting: Vec::new(), violation: trace.violation, culprit: None };
    match ended {
        Some((Ended::Violation(violation), thread)) if violation == trace.violation => {
            replayed.culprit = Some(thread);
        }
        Some((ended, _)) => return Err(format!("it ends otherwise: {ended:?}")),
        None if trace.violation.kind != ViolationKind::Deadlock => return Err("nothing goes wrong".to_string()),
        None if !machine.is_deadlocked() => return Err("somebody can go on".to_string()),
        None => replayed.waiting = waiting(&machine),
    }
    Ok(replayed)
}

/// Runs a schedule, wherever it leads; an error if somebody in it cannot go on.
pub fn follow(program: &Program, inputs: &Inputs, schedule: &[(ThreadName, u32)]) -> Result<Followed, String> {
    walk(program, inputs, schedule).map(|(followed, ..)| followed)
}

/// What a schedule does, the machine behind it, and how and by whom the execution was ended before all threads had.
type Walked<'a> = (Followed, Machine<'a>, Option<(Ended, ThreadName)>);

fn walk<'a>(program: &'a Program, inputs: &Inputs, schedule: &[(ThreadName, u32)]) -> Result<Walked<'a>, String> {
    fits(program, inputs)?;
    let mut machine = Machine::start(program, inputs).map_err(|ended| format!("the start: {ended:?}"))?;
    let mut followed = Followed {
        steps: Vec::new(),
        threads: vec![(Vec::new(), program.entry)],
        arguments: arguments(program, &machine, inputs),
        heap_before: picture(&machine),
        heap_after: Vec::new(),
    };
    for (name, count) in schedule {
        for _ in 0..*count {
            let thread = machine.thread_named(name).ok_or_else(|| format!("there is no thread {name:?}"))?;
            let (method, span) = machine.position(thread).ok_or_else(|| format!("thread {name:?} has ended"))?;
            machine.events = Some(Vec::new());
            let stepped = machine.step(thread);
            let events = machine.events.take().unwrap_or_default();
            for event in &events {
                if let Event::Start(child) = event {
                    let at = machine.thread_named(child).and_then(|thread| machine.root_method(thread));
                    followed.threads.push((child.clone(), at.expect("a new thread has a method")));
                }
            }
            followed.steps.push(ReplayedStep { thread: name.clone(), method, span, events });
            match stepped {
                Stepped::Done => {}
                Stepped::Blocked => return Err(format!("thread {name:?} cannot go on")),
                Stepped::Ended(ended) => {
                    followed.heap_after = picture(&machine);
                    return Ok((followed, machine, Some((ended, name.clone()))));
                }
            }
        }
    }
    followed.heap_after = picture(&machine);
    Ok((followed, machine, None))
}

/// Whether the inputs are what the entry method takes.
fn fits(program: &Program, inputs: &Inputs) -> Result<(), String> {
    let method = program.method(program.entry);
    let wanted = usize::from(method.n_params) - usize::from(method.is_constructor);
    if inputs.args.len() != wanted {
        return Err(format!("{} arguments for {wanted} parameters", inputs.args.len()));
    }
    let n_slots = |object: &Object| match object.shape {
        ObjectShape::Instance(class) => program.class(class).fields.len(),
        ObjectShape::Array(_) => object.values.len(),
    };
    if inputs.objects.iter().any(|object| object.values.len() != n_slots(object)) {
        return Err("an input object does not have the fields of its class".to_string());
    }
    Ok(())
}

fn arguments(program: &Program, machine: &Machine<'_>, inputs: &Inputs) -> Vec<(String, String)> {
    let method = program.method(program.entry);
    let params = &method.locals[usize::from(method.is_constructor)..usize::from(method.n_params)];
    params.iter().zip(&inputs.args).map(|(p, value)| (p.name.clone(), machine.show_typed(*value, p.ty))).collect()
}

/// Each object in a line.
fn picture(machine: &Machine<'_>) -> Vec<String> {
    let lines = machine.heap().iter().enumerate().map(|(at, object)| {
        let fields: Vec<String> = match object.shape {
            ObjectShape::Instance(class) => {
                let fields = &machine.program.class(class).fields;
                let field = |(field, value): (&super::program::Field, _)| {
                    format!("{} = {}", field.name, machine.show_typed(value, field.ty))
                };
                fields.iter().zip(object.values.iter().copied()).map(field).collect()
            }
            ObjectShape::Array(ty) => {
                object.values.iter().map(|value| machine.show_typed(*value, ty.element())).collect()
            }
        };
        let held = match &object.holder {
            Some(holder) => format!(", held by {}", thread_label(holder)),
            None => String::new(),
        };
        match object.shape {
            ObjectShape::Instance(_) => format!("{} {{ {} }}{held}", machine.object_name(at), fields.join(", ")),
            ObjectShape::Array(_) => format!("{} [{}]{held}", machine.object_name(at), fields.join(", ")),
        }
    });
    lines.collect()
}

/// Who waits for what.
fn waiting(machine: &Machine<'_>) -> Vec<Waiting> {
    let mut all = Vec::new();
    for thread in 0..machine.n_threads() {
        let Some((_, span)) = machine.position(thread) else { continue };
        let wanted = machine.wanted_lock(thread);
        let by = match wanted {
            Some(at) => machine.heap()[at].holder.iter().cloned().collect(),
            None => machine.waits_for(thread),
        };
        let is_own = |object: &Object| object.holder.as_ref() == Some(machine.thread_name(thread));
        let own = machine.heap().iter().enumerate().filter(|(_, object)| is_own(object));
        let holds = own.map(|(at, _)| machine.object_name(at)).collect();
        let what = match wanted {
            Some(at) => {
                let holder = match &machine.heap()[at].holder {
                    Some(holder) if holder == machine.thread_name(thread) => "which it holds itself".to_string(),
                    Some(holder) => format!("which {} holds", thread_label(holder)),
                    None => "which is free".to_string(),
                };
                format!("waits for the lock of {}, {holder}", machine.object_name(at))
            }
            None => {
                let names: Vec<String> = machine.waits_for(thread).iter().map(thread_label).collect();
                format!("waits in join for {}", names.join(", "))
            }
        };
        let lock = wanted.map(|at| machine.object_name(at));
        all.push(Waiting { thread: machine.thread_name(thread).clone(), what, lock, by, holds, span });
    }
    all
}

/// What people call a thread: `main`, `T1`, `T1.2`.
pub fn thread_label(name: &ThreadName) -> String {
    if name.is_empty() {
        return "main".to_string();
    }
    let numbers: Vec<String> = name.iter().map(|number| (number + 1).to_string()).collect();
    format!("T{}", numbers.join("."))
}
