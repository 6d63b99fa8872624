//! Power: instructions and registers.
//!
//! Registers `r0`–`r31` have 64 bits; a condition field is three registers (`cr0.lt`, `cr0.gt`, `cr0.eq`), which a comparison sets and a branch
//! reads. `0` as a base register in an address means the number 0. `stwcx.` puts its outcome into `cr0.eq`.

use super::columns::Piece;
use super::line::{Line, Registers};
use crate::litmus::coder::{Coder, constant, sum, tags};
use ir::Diagnostic;
use ir::litmus::{Binary, ExclusiveStatus, Expr, Extend, Op, Unary};

static REGISTERS: Registers = Registers { dialect: "PPC", canonical: register, zero: "" };

/// The name under which a register is kept.
pub(in crate::litmus) fn register(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let index: u32 = lower.strip_prefix('r')?.parse().ok()?;
    (index < 32).then(|| format!("r{index}"))
}

/// Adds an instruction.
pub(in crate::litmus) fn instruction(
    coder: &mut Coder<'_, '_>,
    mnemonic: &Piece,
    operands: &[Piece],
) -> Result<(), Diagnostic> {
    let written = mnemonic.text.to_ascii_lowercase();
    let name = written.as_str();
    let mut line = Line { coder, registers: &REGISTERS, mnemonic, operands };
    if let Some((size, extend, is_indexed)) = load_form(name) {
        let to = line.target(0)?;
        let address = if is_indexed { indexed(&mut line, 1)? } else { line.displaced(1)? };
        line.coder.emit(Op::Load { to, address, size, extend, is_exclusive: false, tags: Vec::new() });
        return line.done(if is_indexed { 3 } else { 2 });
    }
    if let Some((size, is_indexed)) = store_form(name) {
        let value = line.value(0)?;
        let address = if is_indexed { indexed(&mut line, 1)? } else { line.displaced(1)? };
        line.coder.emit(Op::Store { address, value, size, tags: Vec::new() });
        return line.done(if is_indexed { 3 } else { 2 });
    }
    if let Some((op, width, is_immediate)) = arithmetic_form(name) {
        return arithmetic(&mut line, op, width, is_immediate, name.ends_with('.'));
    }
    match name {
        "nop" => line.done(0),
        "li" | "lis" => {
            let to = line.target(0)?;
            let value = line.immediate(1)?;
            let value = if name == "lis" { value.wrapping_shl(16) } else { value };
            line.assign(to, constant(value));
            line.done(2)
        }
        "mr" => {
            let (to, from) = (line.target(0)?, line.value(1)?);
            line.assign(to, from);
            line.done(2)
        }
        "neg" | "not" => {
            let (to, from) = (line.target(0)?, line.value(1)?);
            let op = if name == "neg" { Unary::Negate } else { Unary::Not };
            line.assign(to, Expr::unary(op, 64, from));
            line.done(2)
        }
        "extsw" | "extsh" | "extsb" => {
            let (to, from) = (line.target(0)?, line.value(1)?);
            let width = match name {
                "extsw" => 32,
                "extsh" => 16,
                _ => 8,
            };
            line.assign(to, Expr::unary(Unary::SignExtend, width, from));
            line.done(2)
        }
        "sync" | "lwsync" | "eieio" | "isync" | "hwsync" | "ptesync" => {
            let tag = match name {
                "hwsync" | "ptesync" => "SYNC".to_string(),
                _ => name.to_ascii_uppercase(),
            };
            line.coder.emit(Op::Fence { tags: tags(&[&tag, &tag.to_ascii_lowercase()]), address: None });
            line.done(0)
        }
        "lwarx" | "ldarx" => {
            let to = line.target(0)?;
            let address = indexed(&mut line, 1)?;
            let size = if name == "lwarx" { 4 } else { 8 };
            line.coder.emit(Op::Load {
                to,
                address,
                size,
                extend: Extend::Zero,
                is_exclusive: true,
                tags: tags(&["X"]),
            });
            line.done(3)
        }
        "stwcx." | "stdcx." => {
            let value = line.value(0)?;
            let address = indexed(&mut line, 1)?;
            let size = if name == "stwcx." { 4 } else { 8 };
            let status = line.coder.register("cr0.eq");
            line.coder.emit(Op::StoreExclusive {
                status: Some(status),
                success: 1,
                failure: 0,
                outcome: ExclusiveStatus::OnOperands,
                address,
                value,
                size,
                tags: tags(&["X"]),
            });
            for other in ["cr0.lt", "cr0.gt"] {
                let other = line.coder.register(other);
                line.coder.set(other, constant(0));
            }
            line.done(3)
        }
        "cmpw" | "cmpwi" | "cmpd" | "cmpdi" | "cmplw" | "cmplwi" | "cmpld" | "cmpldi" => compare(&mut line, name),
        "b" => line.branch(None, 0),
        "beq" | "bne" | "blt" | "bge" | "bgt" | "ble" => conditional(&mut line, &name[1..]),
        _ => Err(line.refuse()),
    }
}

fn load_form(name: &str) -> Option<(u8, Extend, bool)> {
    Some(match name {
        "lbz" => (1, Extend::Zero, false),
        "lbzx" => (1, Extend::Zero, true),
        "lhz" => (2, Extend::Zero, false),
        "lhzx" => (2, Extend::Zero, true),
        "lha" => (2, Extend::Sign(64), false),
        "lhax" => (2, Extend::Sign(64), true),
        "lwz" => (4, Extend::Zero, false),
        "lwzx" => (4, Extend::Zero, true),
        "lwa" => (4, Extend::Sign(64), false),
        "lwax" => (4, Extend::Sign(64), true),
        "ld" => (8, Extend::Zero, false),
        "ldx" => (8, Extend::Zero, true),
        _ => return None,
    })
}

fn store_form(name: &str) -> Option<(u8, bool)> {
    Some(match name {
        "stb" => (1, false),
        "stbx" => (1, true),
        "sth" => (2, false),
        "sthx" => (2, true),
        "stw" => (4, false),
        "stwx" => (4, true),
        "std" => (8, false),
        "stdx" => (8, true),
        _ => return None,
    })
}

fn arithmetic_form(name: &str) -> Option<(Binary, u8, bool)> {
    Some(match name.trim_end_matches('.') {
        "add" => (Binary::Add, 64, false),
        "addi" | "addis" => (Binary::Add, 64, true),
        "sub" | "subf" => (Binary::Sub, 64, false),
        "subi" => (Binary::Sub, 64, true),
        "mullw" => (Binary::Mul, 32, false),
        "mulld" => (Binary::Mul, 64, false),
        "mulli" => (Binary::Mul, 64, true),
        "divw" => (Binary::SDiv, 32, false),
        "divd" => (Binary::SDiv, 64, false),
        "and" => (Binary::And, 64, false),
        "andi" => (Binary::And, 64, true),
        "or" => (Binary::Or, 64, false),
        "ori" => (Binary::Or, 64, true),
        "xor" => (Binary::Xor, 64, false),
        "xori" => (Binary::Xor, 64, true),
        "slw" => (Binary::Shl, 32, false),
        "slwi" => (Binary::Shl, 32, true),
        "srw" => (Binary::Lshr, 32, false),
        "srwi" => (Binary::Lshr, 32, true),
        "sraw" => (Binary::Ashr, 32, false),
        "srawi" => (Binary::Ashr, 32, true),
        "sld" => (Binary::Shl, 64, false),
        "sldi" => (Binary::Shl, 64, true),
        _ => return None,
    })
}

/// A register, or the number 0 for `0` and `r0`, as addresses have it.
fn base(line: &mut Line<'_, '_, '_>, index: usize) -> Result<Expr, Diagnostic> {
    let piece = line.operand(index)?;
    if piece.text == "0" || piece.text.eq_ignore_ascii_case("r0") {
        return Ok(constant(0));
    }
    line.value_of(piece)
}

/// Two operands that are added.
fn indexed(line: &mut Line<'_, '_, '_>, index: usize) -> Result<Expr, Diagnostic> {
    let base = base(line, index)?;
    let offset = line.value(index + 1)?;
    Ok(sum(base, offset))
}

fn arithmetic(
    line: &mut Line<'_, '_, '_>,
    op: Binary,
    width: u8,
    is_immediate: bool,
    sets_flags: bool,
) -> Result<(), Diagnostic> {
    let to = line.target(0)?;
    let is_reversed =
        line.mnemonic.text.eq_ignore_ascii_case("subf") || line.mnemonic.text.eq_ignore_ascii_case("subf.");
    let first = if matches!(op, Binary::Add | Binary::Sub) && is_immediate { base(line, 1)? } else { line.value(1)? };
    let is_shifted = line.mnemonic.text.eq_ignore_ascii_case("addis");
    let second = match is_immediate {
        true if is_shifted => constant(line.immediate(2)?.wrapping_shl(16)),
        true => constant(line.immediate(2)?),
        false => line.value(2)?,
    };
    let (left, right) = if is_reversed { (second, first) } else { (first, second) };
    let value = Expr::binary(op, width, left, right);
    let value = if width == 32 && matches!(op, Binary::Mul | Binary::SDiv | Binary::Ashr) {
        Expr::unary(Unary::SignExtend, 32, value)
    } else {
        value
    };
    let result = to.map_or(value.clone(), Expr::Reg);
    line.assign(to, value);
    if sets_flags {
        set_field(line, "cr0", 64, true, result, constant(0));
    }
    line.done(3)
}

fn set_field(line: &mut Line<'_, '_, '_>, field: &str, width: u8, is_signed: bool, left: Expr, right: Expr) {
    let less = if is_signed { Binary::Slt } else { Binary::Ult };
    let values = [
        ("lt", Expr::binary(less, width, left.clone(), right.clone())),
        ("gt", Expr::binary(less, width, right.clone(), left.clone())),
        ("eq", Expr::binary(Binary::Eq, width, left, right)),
    ];
    for (bit, value) in values {
        let to = line.coder.register(&format!("{field}.{bit}"));
        line.coder.set(to, value);
    }
}

fn field(line: &Line<'_, '_, '_>, index: usize) -> Option<String> {
    let text = line.operands.get(index)?.text.to_ascii_lowercase();
    let number: u32 = text.strip_prefix("cr")?.parse().ok()?;
    (number < 8).then_some(text)
}

fn compare(line: &mut Line<'_, '_, '_>, name: &str) -> Result<(), Diagnostic> {
    let is_unsigned = name.starts_with("cmpl");
    let is_immediate = name.ends_with('i');
    let width = if name.contains('d') { 64 } else { 32 };
    let field = field(line, 0);
    let first = usize::from(field.is_some());
    let left = line.value(first)?;
    let right = if is_immediate { constant(line.immediate(first + 1)?) } else { line.value(first + 1)? };
    set_field(line, &field.unwrap_or("cr0".to_string()), width, !is_unsigned, left, right);
    line.done(first + 2)
}

fn conditional(line: &mut Line<'_, '_, '_>, condition: &str) -> Result<(), Diagnostic> {
    let field = field(line, 0);
    let label = usize::from(field.is_some());
    let (bit, is_negated) = match condition {
        "eq" => ("eq", false),
        "ne" => ("eq", true),
        "lt" => ("lt", false),
        "ge" => ("lt", true),
        "gt" => ("gt", false),
        _ => ("gt", true),
    };
    let bit = line.coder.register(&format!("{}.{bit}", field.unwrap_or("cr0".to_string())));
    let value = Expr::Reg(bit);
    let value = if is_negated { Expr::unary(Unary::IsZero, 64, value) } else { value };
    line.branch(Some(value), label)
}
