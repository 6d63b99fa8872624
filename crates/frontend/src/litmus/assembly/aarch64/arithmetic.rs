//! AArch64: moves, arithmetic, comparisons and conditional selects.

use super::super::columns::Piece;
use super::super::line::{Line, signed_number};
use super::{condition, cut, number, number_of, width_of};
use crate::litmus::coder::{constant, is_zero};
use ir::Diagnostic;
use ir::litmus::{Binary, Expr, Unary};

/// Adds an instruction if it is one of these.
pub(in crate::litmus) fn instruction(line: &mut Line<'_, '_, '_>, name: &str) -> Result<bool, Diagnostic> {
    if let Some((op, sets_flags, is_inverted)) = binary_form(name) {
        let to = line.target(0)?;
        let width = width_of(line.operand(0)?);
        let left = line.value(1)?;
        let right = flexible(line, 2, width)?;
        let right = if is_inverted { Expr::unary(Unary::Not, width, right) } else { right };
        if sets_flags {
            set_flags(line, op, width, left.clone(), right.clone());
        }
        line.assign(to, Expr::binary(op, width, left, right));
        return Ok(true);
    }
    match name {
        "MOV" | "MOVZ" | "MOVN" | "MVN" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let value = if name.starts_with("MOV") && !line.is_register(line.operand(1)?) {
                literal(line, 1)?
            } else {
                flexible(line, 1, width)?
            };
            let is_inverted = name == "MOVN" || name == "MVN";
            let value = if is_inverted { Expr::unary(Unary::Not, width, value) } else { cut(width, value) };
            line.assign(to, value);
        }
        "MOVK" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let old = line.value(0)?;
            let shift = shift_distance(line, 2)?;
            let part = number(line, 1)? << shift;
            let kept = Expr::binary(Binary::And, width, old, constant(!(0xFFFF << shift)));
            line.assign(to, Expr::binary(Binary::Or, width, kept, constant(part)));
        }
        "NEG" | "NEGS" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let value = flexible(line, 1, width)?;
            if name == "NEGS" {
                set_flags(line, Binary::Sub, width, constant(0), value.clone());
            }
            line.assign(to, Expr::unary(Unary::Negate, width, value));
        }
        "CMP" | "CMN" | "TST" => {
            let width = width_of(line.operand(0)?);
            let left = line.value(0)?;
            let right = flexible(line, 1, width)?;
            let op = match name {
                "CMP" => Binary::Sub,
                "CMN" => Binary::Add,
                _ => Binary::And,
            };
            set_flags(line, op, width, left, right);
        }
        "LSL" | "LSR" | "ASR" | "ROR" | "LSLV" | "LSRV" | "ASRV" | "RORV" | "MUL" | "MNEG" | "UDIV" | "SDIV" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let left = line.value(1)?;
            let right = if line.is_register(line.operand(2)?) { line.value(2)? } else { constant(number(line, 2)?) };
            line.done(3)?;
            let modulo = |value| Expr::binary(Binary::And, width, value, constant(u64::from(width) - 1));
            let value = match name {
                "LSL" | "LSLV" => Expr::binary(Binary::Shl, width, left, modulo(right)),
                "LSR" | "LSRV" => Expr::binary(Binary::Lshr, width, left, modulo(right)),
                "ASR" | "ASRV" => Expr::binary(Binary::Ashr, width, left, modulo(right)),
                "ROR" | "RORV" => Expr::binary(Binary::Ror, width, left, right),
                "MUL" => Expr::binary(Binary::Mul, width, left, right),
                "MNEG" => Expr::unary(Unary::Negate, width, Expr::binary(Binary::Mul, width, left, right)),
                "UDIV" => Expr::binary(Binary::UDiv, width, left, right),
                _ => Expr::binary(Binary::SDiv, width, left, right),
            };
            line.assign(to, value);
        }
        "MADD" | "MSUB" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let product = Expr::binary(Binary::Mul, width, line.value(1)?, line.value(2)?);
            let op = if name == "MADD" { Binary::Add } else { Binary::Sub };
            let addend = line.value(3)?;
            line.done(4)?;
            line.assign(to, Expr::binary(op, width, addend, product));
        }
        "SXTB" | "SXTH" | "SXTW" | "UXTB" | "UXTH" | "UXTW" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let value = line.value(1)?;
            line.done(2)?;
            line.assign(to, cut(width, extend(name, value).expect("all of these extend")));
        }
        "UBFM" | "SBFM" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let value = line.value(1)?;
            let (rotate, last) = (number(line, 2)?, number(line, 3)?);
            line.done(4)?;
            if rotate >= u64::from(width) || last >= u64::from(width) {
                return Err(line.complain(line.operand(3)?, "the field is outside of the register"));
            }
            let op = if name == "UBFM" { Unary::ZeroExtend } else { Unary::SignExtend };
            // A field from bit `rotate` up to `last`, or the lowest bits up to `last` moved up.
            let result = if last >= rotate {
                let shifted = Expr::binary(Binary::Lshr, width, value, constant(rotate));
                Expr::unary(op, (last - rotate + 1) as u8, shifted)
            } else {
                let field = Expr::unary(op, (last + 1) as u8, value);
                Expr::binary(Binary::Shl, width, field, constant(u64::from(width) - rotate))
            };
            line.assign(to, cut(width, result));
        }
        "CLZ" | "RBIT" | "REV" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let op = match name {
                "CLZ" => Unary::LeadingZeros,
                "RBIT" => Unary::ReverseBits,
                _ => Unary::ReverseBytes,
            };
            let value = line.value(1)?;
            line.done(2)?;
            line.assign(to, Expr::unary(op, width, value));
        }
        "UBFX" | "SBFX" => {
            let to = line.target(0)?;
            let width = width_of(line.operand(0)?);
            let value = line.value(1)?;
            let (low, length) = (number(line, 2)?, number(line, 3)?);
            if low >= u64::from(width) || length == 0 || low + length > u64::from(width) {
                return Err(line.complain(line.operand(3)?, "the field is outside of the register"));
            }
            let shifted = Expr::binary(Binary::Lshr, width, value, constant(low));
            let op = if name == "UBFX" { Unary::ZeroExtend } else { Unary::SignExtend };
            line.assign(to, cut(width, Expr::unary(op, length as u8, shifted)));
        }
        "CSEL" | "CSINC" | "CSINV" | "CSNEG" | "CSET" | "CSETM" | "CINC" | "CINV" | "CNEG" => select(line, name)?,
        "CCMP" | "CCMN" => conditional_compare(line, name)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn binary_form(name: &str) -> Option<(Binary, bool, bool)> {
    Some(match name {
        "ADD" => (Binary::Add, false, false),
        "ADDS" => (Binary::Add, true, false),
        "SUB" => (Binary::Sub, false, false),
        "SUBS" => (Binary::Sub, true, false),
        "AND" => (Binary::And, false, false),
        "ANDS" => (Binary::And, true, false),
        "ORR" => (Binary::Or, false, false),
        "EOR" => (Binary::Xor, false, false),
        "BIC" => (Binary::And, false, true),
        "BICS" => (Binary::And, true, true),
        "ORN" => (Binary::Or, false, true),
        "EON" => (Binary::Xor, false, true),
        _ => return None,
    })
}

/// The last operand of an arithmetic instruction: a number, or a register with an optional shift or extension.
fn flexible(line: &mut Line<'_, '_, '_>, index: usize, width: u8) -> Result<Expr, Diagnostic> {
    let piece = line.operand(index)?;
    if !line.is_register(piece) {
        return literal(line, index);
    }
    let value = line.value_of(piece)?;
    let Some(modifier) = line.operands.get(index + 1) else {
        return Ok(value);
    };
    line.done(index + 2)?;
    let source_width = width_of(piece);
    if source_width == width && is_shift(&modifier.text) {
        let (op, distance) = shift(line, modifier)?;
        return Ok(Expr::binary(op, width, value, constant(distance)));
    }
    extended(line, value, source_width, Some(modifier))
}

/// A number with an optional `LSL #16`.
fn literal(line: &mut Line<'_, '_, '_>, index: usize) -> Result<Expr, Diagnostic> {
    let value = number(line, index)?;
    line.done(index + 2)?;
    let shift = shift_distance(line, index + 1)?;
    Ok(constant(value.checked_shl(shift as u32).unwrap_or(0)))
}

/// The distance of an optional `LSL #n`.
fn shift_distance(line: &Line<'_, '_, '_>, index: usize) -> Result<u64, Diagnostic> {
    match line.operands.get(index) {
        None => Ok(0),
        Some(modifier) => match shift(line, modifier)? {
            (Binary::Shl, distance) if distance < 64 => Ok(distance),
            _ => Err(line.complain(modifier, "expected `LSL` by less than 64")),
        },
    }
}

fn is_shift(text: &str) -> bool {
    ["LSL", "LSR", "ASR", "ROR"].iter().any(|name| text.to_ascii_uppercase().starts_with(name))
}

fn shift(line: &Line<'_, '_, '_>, modifier: &Piece) -> Result<(Binary, u64), Diagnostic> {
    let upper = modifier.text.to_ascii_uppercase();
    let op = match upper.get(..3) {
        Some("LSL") => Binary::Shl,
        Some("LSR") => Binary::Lshr,
        Some("ASR") => Binary::Ashr,
        Some("ROR") => Binary::Ror,
        _ => return Err(line.complain(modifier, format!("`{}` is not a shift", modifier.text))),
    };
    let distance = Piece { text: modifier.text[3..].trim().to_string(), at: modifier.at + 3 };
    Ok((op, number_of(line, &distance)?))
}

/// A register operand of an address or of an addition, extended and shifted: `SXTW`, `UXTW #2`, `LSL #3`.
pub(in crate::litmus) fn extended(
    line: &Line<'_, '_, '_>,
    value: Expr,
    width: u8,
    modifier: Option<&Piece>,
) -> Result<Expr, Diagnostic> {
    let Some(modifier) = modifier else {
        return Ok(cut(width, value));
    };
    let end = modifier.text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(modifier.text.len());
    let name = modifier.text[..end].to_ascii_uppercase();
    let distance = match modifier.text[end..].trim() {
        "" => 0,
        text => signed_number(text.trim_start_matches('#'))
            .filter(|distance| *distance < 64)
            .ok_or_else(|| line.complain(modifier, format!("`{text}` is not a distance")))?,
    };
    let value = match name.as_str() {
        "LSL" => cut(width, value),
        name => extend(name, value)
            .ok_or_else(|| line.complain(modifier, format!("`{}` is not an extension", modifier.text)))?,
    };
    Ok(if distance == 0 { value } else { Expr::binary(Binary::Shl, 64, value, constant(distance)) })
}

fn extend(name: &str, value: Expr) -> Option<Expr> {
    let (op, width) = match name {
        "SXTB" => (Unary::SignExtend, 8),
        "SXTH" => (Unary::SignExtend, 16),
        "SXTW" => (Unary::SignExtend, 32),
        "SXTX" => (Unary::SignExtend, 64),
        "UXTB" => (Unary::ZeroExtend, 8),
        "UXTH" => (Unary::ZeroExtend, 16),
        "UXTW" => (Unary::ZeroExtend, 32),
        "UXTX" => (Unary::ZeroExtend, 64),
        _ => return None,
    };
    Some(Expr::unary(op, width, value))
}

/// The four flags of `left op right`.
fn flags(op: Binary, width: u8, left: Expr, right: Expr) -> [(&'static str, Expr); 4] {
    let result = Expr::binary(op, width, left.clone(), right.clone());
    let (carry, overflow) = match op {
        Binary::Add => (
            Expr::binary(Binary::Carry, width, left.clone(), right.clone()),
            Expr::binary(Binary::AddOverflow, width, left, right),
        ),
        // The carry of a subtraction is the absence of a borrow.
        Binary::Sub => (
            Expr::binary(Binary::Ule, width, right.clone(), left.clone()),
            Expr::binary(Binary::SubOverflow, width, left, right),
        ),
        _ => (constant(0), constant(0)),
    };
    [
        ("NZCV.N", Expr::unary(Unary::Sign, width, result.clone())),
        ("NZCV.Z", is_zero(width, result)),
        ("NZCV.C", carry),
        ("NZCV.V", overflow),
    ]
}

fn set_flags(line: &mut Line<'_, '_, '_>, op: Binary, width: u8, left: Expr, right: Expr) {
    for (flag, value) in flags(op, width, left, right) {
        let flag = line.coder.register(flag);
        line.coder.set(flag, value);
    }
}

fn condition_at(line: &mut Line<'_, '_, '_>, index: usize) -> Result<Expr, Diagnostic> {
    let piece = line.operand(index)?;
    line.done(index + 1)?;
    let upper = piece.text.to_ascii_uppercase();
    condition(line.coder, &upper).ok_or_else(|| line.complain(piece, format!("`{}` is not a condition", piece.text)))
}

fn select(line: &mut Line<'_, '_, '_>, name: &str) -> Result<(), Diagnostic> {
    let to = line.target(0)?;
    let width = width_of(line.operand(0)?);
    let one_more = |value| Expr::binary(Binary::Add, width, value, constant(1));
    let value = match name {
        "CSET" | "CSETM" => {
            let condition = condition_at(line, 1)?;
            let yes = if name == "CSET" { 1 } else { ir::litmus::expr::mask(width) };
            Expr::select(condition, constant(yes), constant(0))
        }
        "CINC" | "CINV" | "CNEG" => {
            let condition = condition_at(line, 2)?;
            let old = line.value(1)?;
            let new = match name {
                "CINC" => one_more(old.clone()),
                "CINV" => Expr::unary(Unary::Not, width, old.clone()),
                _ => Expr::unary(Unary::Negate, width, old.clone()),
            };
            Expr::select(condition, new, old)
        }
        _ => {
            let condition = condition_at(line, 3)?;
            let (yes, no) = (line.value(1)?, line.value(2)?);
            let no = match name {
                "CSEL" => no,
                "CSINC" => one_more(no),
                "CSINV" => Expr::unary(Unary::Not, width, no),
                _ => Expr::unary(Unary::Negate, width, no),
            };
            Expr::select(condition, yes, no)
        }
    };
    line.assign(to, cut(width, value));
    Ok(())
}

fn conditional_compare(line: &mut Line<'_, '_, '_>, name: &str) -> Result<(), Diagnostic> {
    let width = width_of(line.operand(0)?);
    let condition = condition_at(line, 3)?;
    let left = line.value(0)?;
    let right = if line.is_register(line.operand(1)?) { line.value(1)? } else { constant(number(line, 1)?) };
    let otherwise = number(line, 2)?;
    let op = if name == "CCMP" { Binary::Sub } else { Binary::Add };
    // The condition may read flags that are being set: all are computed before.
    let held = line.coder.temporary();
    line.coder.set(held, condition);
    for (index, (flag, value)) in flags(op, width, left, right).into_iter().enumerate() {
        let flag = line.coder.register(flag);
        let other = constant((otherwise >> (3 - index)) & 1);
        line.coder.set(flag, Expr::select(Expr::Reg(held), value, other));
    }
    Ok(())
}
