//! RISC-V (64 bits): instructions and registers.
//!
//! Registers are kept as `x0`–`x31`, whatever name they are written with; `x0` reads as 0 and is never written. Loads and stores with `.aq` and
//! `.rl` are those of litmus tests rather than of the architecture. A fence has the tag `Fence.rw.w` for its sets (with `i` and `o` dropped).

use super::columns::Piece;
use super::line::{Line, Registers};
use crate::litmus::coder::{Coder, constant, tags};
use ir::Diagnostic;
use ir::litmus::{Binary, ExclusiveStatus, Expr, Extend, Op, RmwKind, Unary};

const ABI_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

static REGISTERS: Registers = Registers { dialect: "RISCV", canonical: register, zero: "x0" };

/// The name under which a register is kept.
pub(in crate::litmus) fn register(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    if let Some(index) = ABI_NAMES.iter().position(|abi| *abi == lower) {
        return Some(format!("x{index}"));
    }
    if lower == "fp" {
        return Some("x8".to_string());
    }
    let index: u32 = lower.strip_prefix('x')?.parse().ok()?;
    (index < 32).then(|| format!("x{index}"))
}

/// Adds an instruction.
pub(in crate::litmus) fn instruction(
    coder: &mut Coder<'_, '_>,
    mnemonic: &Piece,
    operands: &[Piece],
) -> Result<(), Diagnostic> {
    let written = mnemonic.text.to_ascii_lowercase();
    let parts: Vec<&str> = written.split('.').collect();
    let mut line = Line { coder, registers: &REGISTERS, mnemonic, operands };
    let order = OrderingSuffixes {
        acquire: parts.contains(&"aq") || parts.contains(&"aqrl"),
        release: parts.contains(&"rl") || parts.contains(&"aqrl"),
    };
    let is_access = load_form(parts[0]).is_some() || store_form(parts[0]).is_some();
    let is_atomic = matches!(parts[0], "lr" | "sc") || parts[0].starts_with("amo");
    let suffixes = parts.get(if is_atomic { 2 } else { 1 }..).unwrap_or_default();
    if (is_access || is_atomic) && suffixes.iter().any(|suffix| !["aq", "rl", "aqrl"].contains(suffix)) {
        return Err(line.refuse());
    }
    if let Some((size, extend)) = load_form(parts[0]) {
        let to = line.target(0)?;
        let address = line.displaced(1)?;
        line.coder.emit(Op::Load { to, address, size, extend, is_exclusive: false, tags: order.tags(&[]) });
        return line.done(2);
    }
    if let Some(size) = store_form(parts[0]) {
        let value = line.value(0)?;
        let address = line.displaced(1)?;
        line.coder.emit(Op::Store { address, value, size, tags: order.tags(&[]) });
        return line.done(2);
    }
    if let Some((op, width, is_immediate)) = arithmetic_form(&written) {
        return arithmetic(&mut line, op, width, is_immediate);
    }
    match parts[0] {
        "nop" => line.done(0),
        "fence" => fence(&mut line, &parts),
        "lr" | "sc" => reserved(&mut line, parts[0], &parts, order),
        amo if amo.starts_with("amo") => atomic(&mut line, amo, &parts, order),
        "li" => {
            let to = line.target(0)?;
            let value = constant(line.immediate(1)?);
            line.assign(to, value);
            line.done(2)
        }
        "mv" | "neg" | "not" | "seqz" | "snez" => {
            let to = line.target(0)?;
            let from = line.value(1)?;
            let value = match parts[0] {
                "mv" => from,
                "neg" => Expr::unary(Unary::Negate, 64, from),
                "not" => Expr::unary(Unary::Not, 64, from),
                "seqz" => Expr::unary(Unary::IsZero, 64, from),
                _ => Expr::binary(Binary::Ne, 64, from, constant(0)),
            };
            line.assign(to, value);
            line.done(2)
        }
        "sext" => {
            let width = match parts[1..] {
                ["b"] => 8,
                ["h"] => 16,
                ["w"] => 32,
                _ => return Err(line.refuse()),
            };
            let to = line.target(0)?;
            let from = line.value(1)?;
            line.assign(to, Expr::unary(Unary::SignExtend, width, from));
            line.done(2)
        }
        "j" => line.branch(None, 0),
        "beq" | "bne" | "blt" | "bge" | "bltu" | "bgeu" | "bgt" | "ble" | "bgtu" | "bleu" => {
            let (left, right) = (line.value(0)?, line.value(1)?);
            conditional(&mut line, &parts[0][1..], left, right, 2)
        }
        "beqz" | "bnez" | "bltz" | "bgez" | "bgtz" | "blez" => {
            let left = line.value(0)?;
            conditional(&mut line, parts[0][1..].trim_end_matches('z'), left, constant(0), 1)
        }
        _ => Err(line.refuse()),
    }
}

/// The ordering suffixes.
#[derive(Clone, Copy)]
struct OrderingSuffixes {
    acquire: bool,
    release: bool,
}

impl OrderingSuffixes {
    fn tags(self, others: &[&str]) -> Vec<String> {
        let order: &[&str] = match (self.acquire, self.release) {
            (true, true) => &["AcqRel"],
            (true, false) => &["Acq"],
            (false, true) => &["Rel"],
            (false, false) => &[],
        };
        tags(&[order, others].concat())
    }
}

fn load_form(name: &str) -> Option<(u8, Extend)> {
    Some(match name {
        "lb" => (1, Extend::Sign(64)),
        "lbu" => (1, Extend::Zero),
        "lh" => (2, Extend::Sign(64)),
        "lhu" => (2, Extend::Zero),
        "lw" => (4, Extend::Sign(64)),
        "lwu" => (4, Extend::Zero),
        "ld" => (8, Extend::Zero),
        _ => return None,
    })
}

fn store_form(name: &str) -> Option<u8> {
    Some(match name {
        "sb" => 1,
        "sh" => 2,
        "sw" => 4,
        "sd" => 8,
        _ => return None,
    })
}

fn arithmetic_form(name: &str) -> Option<(Binary, u8, bool)> {
    let forms = [
        ("add", Binary::Add),
        ("sub", Binary::Sub),
        ("and", Binary::And),
        ("or", Binary::Or),
        ("xor", Binary::Xor),
        ("sll", Binary::Shl),
        ("srl", Binary::Lshr),
        ("sra", Binary::Ashr),
        ("sltu", Binary::Ult),
        ("slt", Binary::Slt),
        ("mul", Binary::Mul),
        ("divu", Binary::UDiv),
        ("div", Binary::SDiv),
        ("remu", Binary::URem),
        ("rem", Binary::SRem),
    ];
    if name == "sltiu" {
        return Some((Binary::Ult, 64, true));
    }
    const WITH_NUMBERS: [&str; 8] = ["add", "and", "or", "xor", "sll", "srl", "sra", "slt"];
    const OF_WORDS: [&str; 10] = ["add", "sub", "sll", "srl", "sra", "mul", "divu", "div", "remu", "rem"];
    for (base, op) in forms {
        for (suffix, width, is_immediate) in [("", 64, false), ("i", 64, true), ("w", 32, false), ("iw", 32, true)] {
            let is_there = (!is_immediate || WITH_NUMBERS.contains(&base)) && (width == 64 || OF_WORDS.contains(&base));
            if is_there && name.strip_prefix(base) == Some(suffix) {
                return Some((op, width, is_immediate));
            }
        }
    }
    None
}

fn arithmetic(line: &mut Line<'_, '_, '_>, op: Binary, width: u8, is_immediate: bool) -> Result<(), Diagnostic> {
    let to = line.target(0)?;
    let left = line.value(1)?;
    let right = if is_immediate { constant(line.immediate(2)?) } else { line.value(2)? };
    let right = match op {
        Binary::Shl | Binary::Lshr | Binary::Ashr => {
            Expr::binary(Binary::And, 64, right, constant(u64::from(width) - 1))
        }
        _ => right,
    };
    let value = Expr::binary(op, width, left.clone(), right.clone());
    // Nothing is trapped: the quotient by zero is all ones, the remainder what was divided.
    let by_zero = match op {
        Binary::UDiv | Binary::SDiv => Some(constant(u64::MAX)),
        Binary::URem | Binary::SRem => Some(left),
        _ => None,
    };
    let value = match by_zero {
        Some(by_zero) => Expr::select(Expr::unary(Unary::IsZero, width, right), by_zero, value),
        None => value,
    };
    let value = if width == 32 { Expr::unary(Unary::SignExtend, 32, value) } else { value };
    line.assign(to, value);
    line.done(3)
}

fn fence(line: &mut Line<'_, '_, '_>, parts: &[&str]) -> Result<(), Diagnostic> {
    let tag = match parts.get(1).copied() {
        Some("i") => "Fence.i".to_string(),
        Some("tso") => "Fence.tso".to_string(),
        Some(_) => return Err(line.refuse()),
        None if line.operands.is_empty() => "Fence.rw.rw".to_string(),
        None => {
            let mut sets = Vec::new();
            for index in 0..2 {
                let piece = line.operand(index)?;
                let lower = piece.text.to_ascii_lowercase();
                if lower.is_empty() || lower.chars().any(|c| !"iorw".contains(c)) {
                    let message = format!("`{}` is not a set of `r` and `w`", piece.text);
                    return Err(line.complain(piece, message));
                }
                // A set may be spelt in any order.
                sets.push(["r", "w"].into_iter().filter(|letter| lower.contains(letter)).collect::<String>());
            }
            if sets.iter().any(String::is_empty) {
                let message = "fences for devices only are not supported";
                return Err(line.coder.unsupported(line.mnemonic.at, line.mnemonic.text.len(), message));
            }
            format!("Fence.{}.{}", sets[0], sets[1])
        }
    };
    let n_operands = if parts.len() > 1 { 0 } else { line.operands.len().min(2) };
    line.coder.emit(Op::Fence { tags: tags(&[&tag]), address: None });
    line.done(n_operands)
}

fn size_of(line: &Line<'_, '_, '_>, parts: &[&str]) -> Result<u8, Diagnostic> {
    match parts.get(1).copied() {
        Some("w") => Ok(4),
        Some("d") => Ok(8),
        _ => Err(line.refuse()),
    }
}

fn reserved(
    line: &mut Line<'_, '_, '_>,
    name: &str,
    parts: &[&str],
    order: OrderingSuffixes,
) -> Result<(), Diagnostic> {
    let size = size_of(line, parts)?;
    let extend = if size == 4 { Extend::Sign(64) } else { Extend::Zero };
    let to = line.target(0)?;
    if name == "lr" {
        let address = line.displaced(1)?;
        line.coder.emit(Op::Load { to, address, size, extend, is_exclusive: true, tags: order.tags(&["X", "EX"]) });
        return line.done(2);
    }
    let value = line.value(1)?;
    let address = line.displaced(2)?;
    line.coder.emit(Op::StoreExclusive {
        status: to,
        success: 0,
        failure: 1,
        outcome: ExclusiveStatus::OnWrite,
        address,
        value,
        size,
        tags: order.tags(&["X", "EX"]),
    });
    line.done(3)
}

fn atomic(line: &mut Line<'_, '_, '_>, name: &str, parts: &[&str], order: OrderingSuffixes) -> Result<(), Diagnostic> {
    let kind = match &name[3..] {
        "swap" => RmwKind::Swap,
        "add" => RmwKind::Apply(Binary::Add),
        "and" => RmwKind::Apply(Binary::And),
        "or" => RmwKind::Apply(Binary::Or),
        "xor" => RmwKind::Apply(Binary::Xor),
        "max" => RmwKind::Apply(Binary::SMax),
        "min" => RmwKind::Apply(Binary::SMin),
        "maxu" => RmwKind::Apply(Binary::UMax),
        "minu" => RmwKind::Apply(Binary::UMin),
        _ => return Err(line.refuse()),
    };
    let size = size_of(line, parts)?;
    let to = line.target(0)?;
    let operand = line.value(1)?;
    let address = line.displaced(2)?;
    line.coder.emit(Op::Rmw {
        to,
        extend: if size == 4 { Extend::Sign(64) } else { Extend::Zero },
        address,
        size,
        kind,
        operand,
        // One operation: its annotations are those of both halves.
        read_tags: order.tags(&["X", "AMO"]),
        write_tags: order.tags(&["X", "AMO"]),
        failure_tags: Vec::new(),
    });
    line.done(3)
}

fn conditional(
    line: &mut Line<'_, '_, '_>,
    condition: &str,
    left: Expr,
    right: Expr,
    n_values: usize,
) -> Result<(), Diagnostic> {
    let value = match condition {
        "eq" => Expr::binary(Binary::Eq, 64, left, right),
        "ne" => Expr::binary(Binary::Ne, 64, left, right),
        "lt" => Expr::binary(Binary::Slt, 64, left, right),
        "ge" => Expr::binary(Binary::Sle, 64, right, left),
        "gt" => Expr::binary(Binary::Slt, 64, right, left),
        "le" => Expr::binary(Binary::Sle, 64, left, right),
        "ltu" => Expr::binary(Binary::Ult, 64, left, right),
        "geu" => Expr::binary(Binary::Ule, 64, right, left),
        "gtu" => Expr::binary(Binary::Ult, 64, right, left),
        _ => Expr::binary(Binary::Ule, 64, left, right),
    };
    line.branch(Some(value), n_values)
}
