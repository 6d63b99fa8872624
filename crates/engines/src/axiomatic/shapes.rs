//! The classic shapes of litmus tests, in no dialect: for tables of models and for tests of the engines.
//!
//! A shape is a line: threads separated by `|`, accesses by `;` (`Wx1` writes 1 to x, `Rx` reads x, `F` is the strongest fence), and after `:` the
//! values that the reads got in order, and final values of places (`x2`). What tags accesses and fences carry depends on
//! the model, so that each model speaks about its own strongest fence and its weakest atomic accesses.

use ir::Span;
use ir::litmus::{
    Dialect, Expr, Extend, Formula, Instr, Location, LocationId, Observable, Observed, Op, Operand, Place, Quantifier,
    Reg, Register, Test, Thread,
};
use ir::source::Sources;

/// Names and shapes.
pub const CLASSIC: &[(&str, &str)] = &[
    ("CoRR", "Wx1 | Rx ; Rx : 1 0"),
    ("CoWW", "Wx1 ; Wx2 : x1"),
    ("CoRW", "Rx ; Wx1 : 1"),
    ("CoWR", "Wx1 ; Rx | Wx2 : 2 x1"),
    ("SB", "Wx1 ; Ry | Wy1 ; Rx : 0 0"),
    ("SB+fences", "Wx1 ; F ; Ry | Wy1 ; F ; Rx : 0 0"),
    ("MP", "Wx1 ; Wy1 | Ry ; Rx : 1 0"),
    ("MP+fences", "Wx1 ; F ; Wy1 | Ry ; F ; Rx : 1 0"),
    ("LB", "Rx ; Wy1 | Ry ; Wx1 : 1 1"),
    ("LB+fences", "Rx ; F ; Wy1 | Ry ; F ; Wx1 : 1 1"),
    ("S", "Wx2 ; Wy1 | Ry ; Wx1 : 1 x2"),
    ("S+fences", "Wx2 ; F ; Wy1 | Ry ; F ; Wx1 : 1 x2"),
    ("R", "Wx1 ; Wy1 | Wy2 ; Rx : 0 y2"),
    ("R+fences", "Wx1 ; F ; Wy1 | Wy2 ; F ; Rx : 0 y2"),
    ("2+2W", "Wx1 ; Wy2 | Wy1 ; Wx2 : x1 y1"),
    ("2+2W+fences", "Wx1 ; F ; Wy2 | Wy1 ; F ; Wx2 : x1 y1"),
    ("WRC", "Wx1 | Rx ; Wy1 | Ry ; Rx : 1 1 0"),
    ("WRC+fences", "Wx1 | Rx ; F ; Wy1 | Ry ; F ; Rx : 1 1 0"),
    ("RWC", "Wx1 | Rx ; Ry | Wy1 ; Rx : 1 0 0"),
    ("RWC+fences", "Wx1 | Rx ; F ; Ry | Wy1 ; F ; Rx : 1 0 0"),
    ("ISA2", "Wx1 ; Wy1 | Ry ; Wz1 | Rz ; Rx : 1 1 0"),
    ("ISA2+fences", "Wx1 ; F ; Wy1 | Ry ; F ; Wz1 | Rz ; F ; Rx : 1 1 0"),
    ("IRIW", "Wx1 | Wy1 | Rx ; Ry | Ry ; Rx : 1 0 1 0"),
    ("IRIW+fences", "Wx1 | Wy1 | Rx ; F ; Ry | Ry ; F ; Rx : 1 0 1 0"),
    ("W+RWC", "Wx1 ; Wz1 | Rz ; Ry | Wy1 ; Rx : 1 0 0"),
    ("3.SB", "Wx1 ; Ry | Wy1 ; Rz | Wz1 ; Rx : 0 0 0"),
    ("3.LB", "Rx ; Wy1 | Ry ; Wz1 | Rz ; Wx1 : 1 1 1"),
];

/// The tags of a model's weakest accesses and of its strongest fence.
pub fn tags(model: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match model {
        "tso" | "pso" => (&[], &["MFENCE"]),
        "power" => (&[], &["SYNC"]),
        "aarch64" => (&[], &["DMB.SY"]),
        "riscv" => (&[], &["Fence.rw.rw"]),
        "c11" | "rc11" | "imm" => (&["RLX", "A"], &["SC"]),
        "linux-kernel" => (&["Once"], &["Mb"]),
        _ => (&[], &[]),
    }
}

/// The test that a shape describes.
///
/// # Panics
/// If the line is no shape.
pub fn shape(name: &str, line: &str, accesses: &[&str], fences: &[&str]) -> Test {
    let (program, condition) = line.split_once(':').expect("a shape has a condition");
    let mut places: Vec<String> = Vec::new();
    let mut threads = Vec::new();
    let mut reads = Vec::new();
    for (number, column) in program.split('|').enumerate() {
        let mut thread =
            Thread { number: number as u32, place: Place::default(), registers: Vec::new(), code: Vec::new() };
        for word in column.split(';').map(str::trim) {
            let op = operation(word, &mut places, &mut thread, accesses, fences);
            if matches!(op, Op::Load { .. }) {
                reads.push((number, Reg(thread.registers.len() as u32 - 1)));
            }
            let group = thread.code.len() as u32;
            thread.code.push(Instr { op, group, span: Span::NOWHERE });
        }
        threads.push(thread);
    }
    let locations = places.iter().map(|name| Location {
        name: name.clone(),
        element_size: 8,
        init: vec![0],
        is_array: false,
        signed: true,
        is_atomic: true,
    });
    let mut observed: Vec<Observed> =
        reads.iter().map(|&(thread, reg)| part(Observable::Register { thread, reg })).collect();
    let mut parts = Vec::new();
    let mut next_read = 0;
    for word in condition.split_whitespace() {
        if let Ok(value) = word.parse::<u64>() {
            parts.push(Formula::Equal(next_read, Operand::Value(value)));
            next_read += 1;
        } else {
            let (place, value) = word.split_at(1);
            let location = places.iter().position(|known| known == place).expect("the place is used");
            parts.push(Formula::Equal(observed.len(), Operand::Value(value.parse().expect("a number"))));
            observed.push(part(Observable::Memory { location: LocationId(location as u32), element: 0 }));
        }
    }
    Test {
        name: name.to_string(),
        dialect: Dialect::C,
        info: Vec::new(),
        threads,
        locations: locations.collect(),
        observed,
        filter: None,
        quantifier: Quantifier::Exists,
        condition: Formula::And(parts),
        sources: Sources::default(),
    }
}

fn part(what: Observable) -> Observed {
    Observed { what, size: 8, signed: true, shown: true }
}

fn operation(word: &str, places: &mut Vec<String>, thread: &mut Thread, accesses: &[&str], fences: &[&str]) -> Op {
    let owned = |tags: &[&str]| tags.iter().map(|tag| tag.to_string()).collect::<Vec<_>>();
    if word == "F" {
        return Op::Fence { tags: owned(fences), address: None };
    }
    let place = word[1..2].to_string();
    let index = places.iter().position(|known| *known == place).unwrap_or_else(|| {
        places.push(place);
        places.len() - 1
    });
    let address = Expr::Const(ir::litmus::FIRST_ADDRESS + index as u64 * ir::litmus::ADDRESS_STRIDE);
    if let Some(value) = word.strip_prefix('W') {
        let value = Expr::Const(value[1..].parse().expect("a write has a value"));
        return Op::Store { address, value, size: 8, tags: owned(accesses) };
    }
    let reg = Reg(thread.registers.len() as u32);
    thread.registers.push(Register { name: format!("r{}", reg.0), init: 0, size: 8, signed: true });
    Op::Load { to: Some(reg), address, size: 8, extend: Extend::Zero, is_exclusive: false, tags: owned(accesses) }
}
