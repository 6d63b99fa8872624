//! Each rule of the interpreter, by a small program that shows it.

mod buffers;
mod enumeration;
mod generated;
mod memory;
mod races;
mod statements;
mod threads;

use super::*;
use crate::build::{Body, Builder};
use crate::program::{EdgeId, EdgeRef, ProcId, Program, Scope};
use crate::property::{Properties, Property};
use crate::verdict::Why;

fn only(property: Property) -> Properties {
    Properties::of(&[property])
}

fn everything() -> Properties {
    Property::ALL.into_iter().filter(|p| *p != Property::Termination).fold(Properties::NONE, Properties::with)
}

/// A program with one procedure.
fn main_only(write: impl FnOnce(&mut Body<'_>)) -> Program {
    let mut b = Builder::new();
    let main = b.define("main", write);
    b.finish(main)
}

fn run(program: &Program, properties: Properties) -> RunEnd {
    run_random(program, properties, 1, 10_000).outcome
}

/// What a run violates, with the message.
fn wrong(program: &Program, properties: Properties) -> (Property, String) {
    match run(program, properties) {
        RunEnd::Violation(violation) => (violation.property, violation.message),
        other => panic!("no violation but {other:?}"),
    }
}

/// The properties that some execution violates; the exploration must be complete, up to undefined behaviour.
fn violated(program: &Program, properties: Properties) -> Vec<Property> {
    let found = enumerate(program, properties, &Limits::default());
    assert!(matches!(found.incomplete, None | Some(Why::Undefined { .. })), "{:?}", found.incomplete);
    found.violations.into_keys().collect()
}
