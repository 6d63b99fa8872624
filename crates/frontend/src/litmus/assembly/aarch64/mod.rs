//! AArch64: loads, stores, atomics, fences and branches. Arithmetic is in [`arithmetic`].
//!
//! Registers are kept as `X0`–`X30` and `SP`; writing `W3` clears the upper half of `X3`, `XZR` and `WZR` are always 0. Flags are four registers
//! (`NZCV.N` …). An access through a `W` register has 4 bytes, through an `X` register 8, unless the mnemonic says less. A pair is two accesses of
//! one instruction. An address with write-back assigns to its base after the access.

mod arithmetic;

use super::columns::{Piece, split_commas};
use super::line::{Line, Registers, signed_number};
use crate::litmus::coder::{Coder, constant, is_zero, sum, tags};
use ir::Diagnostic;
use ir::litmus::{Binary, ExclusiveStatus, Expr, Extend, Op, Reg, RmwKind, Unary};

static REGISTERS: Registers = Registers { dialect: "AArch64", canonical: register, zero: "XZR" };

/// The name under which a register is kept.
pub(in crate::litmus) fn register(name: &str) -> Option<String> {
    let upper = name.to_ascii_uppercase();
    match upper.as_str() {
        "XZR" | "WZR" => return Some("XZR".to_string()),
        "SP" | "WSP" => return Some("SP".to_string()),
        "LR" => return Some("X30".to_string()),
        _ => {}
    }
    let index: u32 = upper.strip_prefix('X').or_else(|| upper.strip_prefix('W'))?.parse().ok()?;
    (index < 31).then(|| format!("X{index}"))
}

/// Adds an instruction.
pub(in crate::litmus) fn instruction(
    coder: &mut Coder<'_, '_>,
    mnemonic: &Piece,
    operands: &[Piece],
) -> Result<(), Diagnostic> {
    let name = mnemonic.text.to_ascii_uppercase();
    let mut line = Line { coder, registers: &REGISTERS, mnemonic, operands };
    match name.as_str() {
        "NOP" | "YIELD" => return line.done(0),
        "DMB" | "DSB" | "ISB" => return fence(&mut line, &name),
        "B" => return line.branch(None, 0),
        "CBZ" | "CBNZ" | "TBZ" | "TBNZ" => return compare_branch(&mut line, &name),
        _ => {}
    }
    if let Some(condition) = name.strip_prefix("B.").and_then(|name| condition(line.coder, name)) {
        return line.branch(Some(condition), 0);
    }
    if let Some(form) = access_form(&name) {
        return access(&mut line, form);
    }
    if let Some(form) = pair_form(&name) {
        return pair(&mut line, form);
    }
    if let Some(atomic_form) = atomic_form(&name) {
        return atomic(&mut line, atomic_form);
    }
    if arithmetic::instruction(&mut line, &name)? {
        return Ok(());
    }
    Err(line.refuse())
}

fn fence(line: &mut Line<'_, '_, '_>, name: &str) -> Result<(), Diagnostic> {
    let tag = match line.operands.first() {
        None if name == "ISB" => "ISB".to_string(),
        None => format!("{name}.SY"),
        Some(piece) if name == "ISB" && piece.text.eq_ignore_ascii_case("SY") => "ISB".to_string(),
        Some(piece) => {
            const DOMAINS: [&str; 12] =
                ["SY", "LD", "ST", "ISH", "ISHLD", "ISHST", "OSH", "OSHLD", "OSHST", "NSH", "NSHLD", "NSHST"];
            let domain = piece.text.to_ascii_uppercase();
            if name == "ISB" || !DOMAINS.contains(&domain.as_str()) {
                return Err(line.complain(piece, format!("`{}` is not a domain of `{name}`", piece.text)));
            }
            format!("{name}.{domain}")
        }
    };
    line.coder.emit(Op::Fence { tags: tags(&[&tag]), address: None });
    line.done(1)
}

fn compare_branch(line: &mut Line<'_, '_, '_>, name: &str) -> Result<(), Diagnostic> {
    let width = width_of(line.operand(0)?);
    let mut value = line.value(0)?;
    let mut label = 1;
    if name.starts_with('T') {
        let bit = number(line, 1)?;
        value = Expr::binary(Binary::And, 64, Expr::binary(Binary::Lshr, 64, value, constant(bit)), constant(1));
        label = 2;
    }
    let condition =
        if name.contains('N') { Expr::binary(Binary::Ne, width, value, constant(0)) } else { is_zero(width, value) };
    line.branch(Some(condition), label)
}

/// The value of a condition such as `NE`.
fn condition(coder: &mut Coder<'_, '_>, name: &str) -> Option<Expr> {
    let mut flag = |name: &str| Expr::Reg(coder.register(name));
    let (n, z, c, v) = (flag("NZCV.N"), flag("NZCV.Z"), flag("NZCV.C"), flag("NZCV.V"));
    let not = |value| is_zero(64, value);
    let and = |left, right| Expr::binary(Binary::And, 64, left, right);
    let same = Expr::binary(Binary::Eq, 64, n.clone(), v.clone());
    Some(match name {
        "EQ" => z,
        "NE" => not(z),
        "CS" | "HS" => c,
        "CC" | "LO" => not(c),
        "MI" => n,
        "PL" => not(n),
        "VS" => v,
        "VC" => not(v),
        "HI" => and(c, not(z)),
        "LS" => not(and(c, not(z))),
        "GE" => same,
        "LT" => not(same),
        "GT" => and(not(z), same),
        "LE" => not(and(not(z), same)),
        "AL" => constant(1),
        _ => return None,
    })
}

/// A load or store of one register.
#[derive(Clone, Copy)]
struct Access {
    is_load: bool,
    is_exclusive: bool,
    order: Option<&'static str>,
    /// Bytes; those of the register if absent.
    size: Option<u8>,
    is_signed: bool,
}

fn access_form(name: &str) -> Option<Access> {
    const FORMS: &[(&str, bool, bool, Option<&str>)] = &[
        ("LDR", true, false, None),
        ("LDUR", true, false, None),
        ("LDAR", true, false, Some("A")),
        ("LDAPR", true, false, Some("Q")),
        ("LDAPUR", true, false, Some("Q")),
        ("LDXR", true, true, None),
        ("LDAXR", true, true, Some("A")),
        ("STR", false, false, None),
        ("STUR", false, false, None),
        ("STLR", false, false, Some("L")),
        ("STLUR", false, false, Some("L")),
        ("STXR", false, true, None),
        ("STLXR", false, true, Some("L")),
    ];
    for (base, is_load, is_exclusive, order) in FORMS {
        let (size, is_signed) = match name.strip_prefix(base) {
            Some("") => (None, false),
            Some("B") => (Some(1), false),
            Some("H") => (Some(2), false),
            Some("SB") if *is_load && !is_exclusive => (Some(1), true),
            Some("SH") if *is_load && !is_exclusive => (Some(2), true),
            Some("SW") if *is_load && !is_exclusive => (Some(4), true),
            _ => continue,
        };
        return Some(Access { is_load: *is_load, is_exclusive: *is_exclusive, order: *order, size, is_signed });
    }
    None
}

fn access(line: &mut Line<'_, '_, '_>, form: Access) -> Result<(), Diagnostic> {
    let is_store_exclusive = form.is_exclusive && !form.is_load;
    let first = usize::from(is_store_exclusive);
    let width = width_of(line.operand(first)?);
    let size = form.size.unwrap_or(width / 8);
    let mut words: Vec<&str> = form.order.into_iter().collect();
    if form.is_exclusive {
        words.push("X");
    }
    let tags = tags(&words);
    let (address, write_back) = address(line, first + 1)?;
    if form.is_load {
        let to = line.target(first)?;
        let extend = if form.is_signed { Extend::Sign(width) } else { Extend::Zero };
        line.coder.emit(Op::Load { to, address, size, extend, is_exclusive: form.is_exclusive, tags });
    } else if is_store_exclusive {
        let status = line.target(0)?;
        let value = line.value(1)?;
        line.coder.emit(Op::StoreExclusive {
            status,
            success: 0,
            failure: 1,
            outcome: ExclusiveStatus::Free,
            address,
            value,
            size,
            tags,
        });
    } else {
        let value = line.value(first)?;
        line.coder.emit(Op::Store { address, value, size, tags });
    }
    if let Some((base, value)) = write_back {
        line.coder.set(base, value);
    }
    Ok(())
}

/// A load or store of two registers: whether it loads, with sign, and its order.
type Pair = (bool, bool, Option<&'static str>);

fn pair_form(name: &str) -> Option<Pair> {
    Some(match name {
        "LDP" | "LDNP" => (true, false, None),
        "LDPSW" => (true, true, None),
        "STP" | "STNP" => (false, false, None),
        "LDIAPP" => (true, false, Some("Q")),
        "STILP" => (false, false, Some("L")),
        _ => return None,
    })
}

fn pair(line: &mut Line<'_, '_, '_>, (is_load, is_signed, order): Pair) -> Result<(), Diagnostic> {
    let width = if is_signed { 32 } else { width_of(line.operand(0)?) };
    let size = width / 8;
    let words: Vec<&str> = order.into_iter().collect();
    let (start, write_back) = address(line, 2)?;
    // Loading into the base must not change the address of the second load.
    let held = line.coder.temporary();
    let start = if is_load {
        line.coder.set(held, start);
        Expr::Reg(held)
    } else {
        start
    };
    for index in 0..2 {
        let address = sum(start.clone(), constant(u64::from(size) * index as u64));
        if is_load {
            let to = line.target(index)?;
            let extend = if is_signed { Extend::Sign(64) } else { Extend::Zero };
            line.coder.emit(Op::Load { to, address, size, extend, is_exclusive: false, tags: tags(&words) });
        } else {
            let value = line.value(index)?;
            line.coder.emit(Op::Store { address, value, size, tags: tags(&words) });
        }
    }
    if let Some((base, value)) = write_back {
        line.coder.set(base, value);
    }
    Ok(())
}

/// A single-instruction atomic.
struct Atomic {
    kind: AtomicKind,
    has_result: bool,
    is_acquire: bool,
    is_release: bool,
    size: Option<u8>,
}

enum AtomicKind {
    CompareSwap,
    Swap,
    Apply(Binary),
    /// The complement of the operand is and-ed (`LDCLR`).
    Clear,
}

fn atomic_form(name: &str) -> Option<Atomic> {
    let operation = |rest: &str| {
        let table = [
            ("ADD", AtomicKind::Apply(Binary::Add)),
            ("CLR", AtomicKind::Clear),
            ("EOR", AtomicKind::Apply(Binary::Xor)),
            ("SET", AtomicKind::Apply(Binary::Or)),
            ("SMAX", AtomicKind::Apply(Binary::SMax)),
            ("SMIN", AtomicKind::Apply(Binary::SMin)),
            ("UMAX", AtomicKind::Apply(Binary::UMax)),
            ("UMIN", AtomicKind::Apply(Binary::UMin)),
        ];
        table.into_iter().find_map(|(base, kind)| rest.strip_prefix(base).map(|rest| (kind, rest.to_string())))
    };
    let (kind, has_result, rest) = if let Some(rest) = name.strip_prefix("CAS") {
        (AtomicKind::CompareSwap, true, rest.to_string())
    } else if let Some(rest) = name.strip_prefix("SWP") {
        (AtomicKind::Swap, true, rest.to_string())
    } else if let Some((kind, rest)) = name.strip_prefix("LD").and_then(operation) {
        (kind, true, rest)
    } else {
        let (kind, rest) = name.strip_prefix("ST").and_then(operation)?;
        (kind, false, rest)
    };
    let (order, size) = match rest.as_bytes() {
        [order @ .., b'B'] => (order, Some(1)),
        [order @ .., b'H'] => (order, Some(2)),
        order => (order, None),
    };
    let (is_acquire, is_release) = match order {
        b"" => (false, false),
        b"A" if has_result => (true, false),
        b"L" => (false, true),
        b"AL" if has_result => (true, true),
        _ => return None,
    };
    Some(Atomic { kind, has_result, is_acquire, is_release, size })
}

fn atomic(line: &mut Line<'_, '_, '_>, form: Atomic) -> Result<(), Diagnostic> {
    let width = width_of(line.operand(0)?);
    let size = form.size.unwrap_or(width / 8);
    let at = if form.has_result { 2 } else { 1 };
    let (address, write_back) = address(line, at)?;
    if write_back.is_some() {
        return Err(line.complain(line.operand(at)?, "an atomic has no write-back"));
    }
    let first = line.value(0)?;
    let (to, kind, operand) = match form.kind {
        AtomicKind::CompareSwap => (line.target(0)?, RmwKind::CompareSwap { expected: first }, line.value(1)?),
        AtomicKind::Swap => (line.target(1)?, RmwKind::Swap, first),
        AtomicKind::Apply(op) => {
            let to = if form.has_result { line.target(1)? } else { None };
            (to, RmwKind::Apply(op), first)
        }
        AtomicKind::Clear => {
            let to = if form.has_result { line.target(1)? } else { None };
            (to, RmwKind::Apply(Binary::AndNot), first)
        }
    };
    // An acquire whose result is thrown away does not order.
    let returns = form.has_result && to.is_some();
    let mut read_words = vec!["X"];
    if form.is_acquire && returns {
        read_words.push("A");
    }
    if !returns {
        read_words.push("NoRet");
    }
    let write_words: &[&str] = if form.is_release { &["X", "L"] } else { &["X"] };
    line.coder.emit(Op::Rmw {
        to,
        extend: Extend::Zero,
        address,
        size,
        kind,
        operand,
        failure_tags: tags(&read_words),
        read_tags: tags(&read_words),
        write_tags: tags(write_words),
    });
    line.done(at + 1)
}

/// 32 for a `W` register, else 64.
fn width_of(piece: &Piece) -> u8 {
    if piece.text.starts_with(['W', 'w']) { 32 } else { 64 }
}

/// A number with or without `#`.
fn number(line: &Line<'_, '_, '_>, index: usize) -> Result<u64, Diagnostic> {
    number_of(line, line.operand(index)?)
}

fn number_of(line: &Line<'_, '_, '_>, piece: &Piece) -> Result<u64, Diagnostic> {
    signed_number(piece.text.trim_start_matches('#'))
        .ok_or_else(|| line.complain(piece, format!("`{}` is not a number", piece.text)))
}

/// An address, from an operand on to the last: the place of the access, and what is written back to the base.
fn address(line: &mut Line<'_, '_, '_>, index: usize) -> Result<(Expr, Option<(Reg, Expr)>), Diagnostic> {
    let piece = line.operand(index)?;
    let (text, is_pre_indexed) = match piece.text.strip_suffix('!') {
        Some(text) => (text.trim_end(), true),
        None => (piece.text.as_str(), false),
    };
    let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return Err(line.complain(piece, "expected an address such as `[X1]`"));
    };
    let parts = split_commas(inner, piece.at + 1);
    let Some(base_piece) = parts.first() else {
        return Err(line.complain(piece, "expected an address such as `[X1]`"));
    };
    let base = line.value_of(base_piece)?;
    let offset = match parts.get(1) {
        None => constant(0),
        Some(offset) if line.is_register(offset) => {
            let value = line.value_of(offset)?;
            arithmetic::extended(line, value, width_of(offset), parts.get(2))?
        }
        Some(offset) => constant(number_of(line, offset)?),
    };
    let moved = sum(base.clone(), offset);
    let post = line.operands.get(index + 1);
    match (&base, is_pre_indexed, post) {
        (Expr::Reg(reg), true, None) => {
            // The access uses the new base; it is written back afterwards, which is the same value.
            Ok((moved.clone(), Some((*reg, moved))))
        }
        (Expr::Reg(reg), false, Some(post)) => {
            let step = if line.is_register(post) { line.value_of(post)? } else { constant(number_of(line, post)?) };
            line.done(index + 2)?;
            Ok((moved, Some((*reg, sum(base, step)))))
        }
        (_, false, None) => Ok((moved, None)),
        _ => Err(line.complain(piece, "this address cannot be written back")),
    }
}

/// The low part of a value.
fn cut(width: u8, value: Expr) -> Expr {
    Expr::unary(Unary::ZeroExtend, width, value)
}
