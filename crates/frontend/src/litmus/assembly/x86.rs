//! x86, 32 and 64 bits: instructions and registers.
//!
//! A register is kept under one name whatever part of it is written: `EAX` (X86) or `RAX` (X86_64) for `AL`, `AX`, `EAX` and `RAX`. A write to 32 bits clears the
//! upper half, a write to fewer keeps the rest. Flags are four registers (`ZF`, `SF`, `CF`, `OF`). Operands are in Intel order; in AT&T order
//! (registers with `%`, or a number where Intel has the destination), the order is turned around. `XCHG` with memory is locked even without `LOCK`.
//!
//! An instruction that reads and writes memory without `LOCK` is a load and a store. Shifts take their distance as the processor does, modulo 32 or 64; what else they leave open in
//! the flags (the overflow of more than one bit) is as for one bit.

use super::columns::Piece;
use super::line::signed_number;
use crate::litmus::coder::{Coder, constant, is_zero, sum, tags};
use ir::Diagnostic;
use ir::litmus::{Binary, Dialect, Expr, Extend, Op, Reg, RmwKind, Unary};

const NAMES_64: [[&str; 4]; 8] = [
    ["RAX", "EAX", "AX", "AL"],
    ["RBX", "EBX", "BX", "BL"],
    ["RCX", "ECX", "CX", "CL"],
    ["RDX", "EDX", "DX", "DL"],
    ["RSI", "ESI", "SI", "SIL"],
    ["RDI", "EDI", "DI", "DIL"],
    ["RBP", "EBP", "BP", "BPL"],
    ["RSP", "ESP", "SP", "SPL"],
];
const WIDTHS: [u8; 4] = [64, 32, 16, 8];

/// The name under which a register is kept, and the width that this name means.
pub(in crate::litmus) fn register(name: &str, dialect: Dialect) -> Option<(String, u8)> {
    let name = name.trim_start_matches('%').to_ascii_uppercase();
    for names in NAMES_64 {
        if let Some(index) = names.iter().position(|other| *other == name) {
            let kept = if dialect == Dialect::X86_64 { names[0] } else { names[1] };
            return (dialect == Dialect::X86_64 || index > 0).then(|| (kept.to_string(), WIDTHS[index]));
        }
    }
    let rest = name.strip_prefix('R').filter(|_| dialect == Dialect::X86_64)?;
    let digits = rest.trim_end_matches(['D', 'W', 'B']);
    let number: u32 = digits.parse().ok()?;
    let width = match &rest[digits.len()..] {
        "" => 64,
        "D" => 32,
        "W" => 16,
        "B" => 8,
        _ => return None,
    };
    (8..16).contains(&number).then(|| (format!("R{number}"), width))
}

/// Whether a name is that of a register which is not known here: `RAX` among 32 bits, `AH`. Such a name is not taken for a place in memory.
fn is_other_register(name: &str) -> bool {
    let is_spelt = name.starts_with('%') || name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    is_spelt
        && (register(name, Dialect::X86_64).is_some()
            || matches!(name.trim_start_matches('%'), "AH" | "BH" | "CH" | "DH"))
        || name.starts_with('%')
}

/// Where an operand is.
#[derive(Clone, Debug)]
enum Place {
    Register(Reg, u8),
    /// With the width that `DWORD PTR` and the like give it.
    Memory(Expr, Option<u8>),
    Number(u64),
}

/// Adds an instruction.
pub(in crate::litmus) fn instruction(
    coder: &mut Coder<'_, '_>,
    dialect: Dialect,
    whole: &Piece,
    mnemonic: &Piece,
    operands: &[Piece],
) -> Result<(), Diagnostic> {
    let mut name = mnemonic.text.to_ascii_uppercase();
    let mut mnemonic = mnemonic.clone();
    let mut operands = operands.to_vec();
    let is_locked = name == "LOCK";
    if is_locked {
        let rest = whole.text[4..].trim_start();
        let at = whole.at + whole.text.len() - rest.len();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        mnemonic = Piece { text: rest[..end].to_string(), at };
        name = mnemonic.text.to_ascii_uppercase();
        operands = super::columns::split_commas(&rest[end..], at + end);
    }
    let is_number = |piece: &Piece| piece.text.trim().starts_with('$') || signed_number(piece.text.trim()).is_some();
    let begins_with_number = matches!(&operands[..], [first, .., last] if is_number(first) && !is_number(last));
    if whole.text.contains('%') || begins_with_number {
        operands.reverse();
    }
    let refusal = coder.unsupported(
        mnemonic.at,
        mnemonic.text.len(),
        format!("the {} instruction `{}` is not supported", dialect.name(), mnemonic.text),
    );
    let mut line = Line {
        coder,
        dialect,
        mnemonic: &mnemonic,
        operands: &operands,
        is_locked,
        keeps_carry: false,
        tags: Vec::new(),
    };
    let (base, suffix_width) = line.base_of(&name);
    line.go(&base, suffix_width).and_then(|is_known| if is_known { Ok(()) } else { Err(refusal) })
}

struct Line<'c, 'd, 'a> {
    coder: &'c mut Coder<'d, 'a>,
    dialect: Dialect,
    mnemonic: &'c Piece,
    operands: &'c [Piece],
    is_locked: bool,
    /// `INC` and `DEC` do not touch the carry flag.
    keeps_carry: bool,
    tags: Vec<String>,
}

impl Line<'_, '_, '_> {
    /// The mnemonic without a size suffix, and the width that it means.
    fn base_of(&self, name: &str) -> (String, Option<u8>) {
        const SUFFIXED: &[&str] = &[
            "MOV", "ADD", "SUB", "AND", "OR", "XOR", "INC", "DEC", "CMP", "TEST", "XCHG", "XADD", "CMPXCHG", "NOT",
            "NEG", "LEA", "SHL", "SHR", "SAR", "MOVNTI",
        ];
        for (suffix, width) in [("B", 8), ("W", 16), ("L", 32), ("Q", 64)] {
            if let Some(base) = name.strip_suffix(suffix).filter(|base| SUFFIXED.contains(base)) {
                return (base.to_string(), Some(width));
            }
        }
        (name.to_string(), None)
    }

    fn go(&mut self, name: &str, width: Option<u8>) -> Result<bool, Diagnostic> {
        if self.is_locked || name == "XCHG" {
            self.tags = tags(&["X"]);
        }
        match name {
            "NOP" => {}
            "MFENCE" | "SFENCE" | "LFENCE" => {
                self.count(0)?;
                self.coder.emit(Op::Fence { tags: tags(&[name, &name.to_ascii_lowercase()]), address: None });
            }
            "MOV" | "MOVNTI" => {
                self.count(2)?;
                let (to, from) = (self.destination(0)?, self.place(1)?);
                if let (Place::Memory(..), Place::Memory(..)) = (&to, &from) {
                    return Err(self.complain(self.mnemonic, "one of the operands has to be a register or a number"));
                }
                let width = self.width(&[&to, &from], width)?;
                let value = self.read(&from, width);
                self.write(&to, width, value);
            }
            "LEA" => {
                self.count(2)?;
                let (to, from) = (self.destination(0)?, self.place(1)?);
                let Place::Memory(address, _) = from else {
                    return Err(self.complain(&self.operands[1], "expected an address"));
                };
                let width = self.width(&[&to], width)?;
                self.write(&to, width, address);
            }
            "SHL" | "SHR" | "SAR" => {
                self.count(2)?;
                let op = match name {
                    "SHL" => Binary::Shl,
                    "SHR" => Binary::Lshr,
                    _ => Binary::Ashr,
                };
                let (to, from) = (self.destination(0)?, self.place(1)?);
                if self.is_locked {
                    return Ok(false);
                }
                let width = self.width(&[&to], width)?;
                let distance = self.read(&from, 8);
                self.shift(&to, width, op, distance);
            }
            "ADD" | "SUB" | "AND" | "OR" | "XOR" => {
                self.count(2)?;
                let op = match name {
                    "ADD" => Binary::Add,
                    "SUB" => Binary::Sub,
                    "AND" => Binary::And,
                    "OR" => Binary::Or,
                    _ => Binary::Xor,
                };
                let (to, from) = (self.destination(0)?, self.place(1)?);
                let width = self.width(&[&to, &from], width)?;
                let operand = self.read(&from, width);
                self.update(&to, width, op, operand);
            }
            "INC" | "DEC" => {
                self.count(1)?;
                let to = self.destination(0)?;
                let width = self.width(&[&to], width)?;
                self.keeps_carry = true;
                let op = if name == "INC" { Binary::Add } else { Binary::Sub };
                self.update(&to, width, op, constant(1));
            }
            "NOT" | "NEG" => {
                self.count(1)?;
                let to = self.destination(0)?;
                let width = self.width(&[&to], width)?;
                if self.is_locked {
                    return Ok(false);
                }
                let value = self.read(&to, width);
                let value = self.held(value);
                let op = if name == "NOT" { Unary::Not } else { Unary::Negate };
                self.write(&to, width, Expr::unary(op, width, value.clone()));
                if name == "NEG" {
                    self.set_flags(width, Binary::Sub, constant(0), value);
                }
            }
            "CMP" | "TEST" => {
                self.count(2)?;
                let (left, right) = (self.place(0)?, self.place(1)?);
                let width = self.width(&[&left, &right], width)?;
                let (left, right) = (self.read(&left, width), self.read(&right, width));
                let op = if name == "CMP" { Binary::Sub } else { Binary::And };
                self.set_flags(width, op, left, right);
            }
            "XCHG" => {
                self.count(2)?;
                let (first, second) = (self.place(0)?, self.place(1)?);
                self.exchange(&first, &second, width)?;
            }
            "XADD" => {
                self.count(2)?;
                let (to, from) = (self.destination(0)?, self.place(1)?);
                let Place::Register(..) = from else {
                    return Err(self.complain(&self.operands[1], "expected a register"));
                };
                let width = self.width(&[&to, &from], width)?;
                let operand = self.read(&from, width);
                let operand = self.held(operand);
                let old = self.fetch(&to, width, Binary::Add, operand.clone());
                self.write(&from, width, old.clone());
                // Of one register twice, it is the sum that stays.
                if let Place::Register(..) = to {
                    self.write(&to, width, Expr::binary(Binary::Add, width, old, operand));
                }
            }
            "CMPXCHG" => {
                self.count(2)?;
                let (to, from) = (self.destination(0)?, self.place(1)?);
                let width = self.width(&[&to, &from], width)?;
                return self.compare_exchange(&to, &from, width);
            }
            "JMP" => {
                self.count(1)?;
                self.coder.branch(None, &self.operands[0].text, self.operands[0].at);
            }
            _ if name.starts_with('J') => {
                let Some(condition) = self.condition(&name[1..]) else {
                    return Ok(false);
                };
                self.count(1)?;
                self.coder.branch(Some(condition), &self.operands[0].text, self.operands[0].at);
            }
            _ if name.starts_with("SET") || name.starts_with("CMOV") => {
                let is_set = name.starts_with("SET");
                let Some(condition) = self.condition(&name[if is_set { 3 } else { 4 }..]) else {
                    return Ok(false);
                };
                self.count(if is_set { 1 } else { 2 })?;
                let to = self.destination(0)?;
                if is_set {
                    let width = self.width(&[&to], Some(8))?;
                    self.write(&to, width, condition);
                } else {
                    let from = self.place(1)?;
                    let width = self.width(&[&to, &from], width)?;
                    let (new, old) = (self.read(&from, width), self.read(&to, width));
                    self.write(&to, width, Expr::select(condition, new, old));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn count(&self, n_operands: usize) -> Result<(), Diagnostic> {
        if self.operands.len() == n_operands {
            return Ok(());
        }
        let message = format!("`{}` has {n_operands} operands, not {}", self.mnemonic.text, self.operands.len());
        Err(self.complain(self.mnemonic, message))
    }

    fn complain(&self, piece: &Piece, message: impl Into<String>) -> Diagnostic {
        self.coder.error(piece.at, piece.text.len(), message)
    }

    /// An operand that is written.
    fn destination(&mut self, index: usize) -> Result<Place, Diagnostic> {
        match self.place(index)? {
            Place::Number(_) => Err(self.complain(&self.operands[index], "a number cannot be written")),
            place => Ok(place),
        }
    }

    fn place(&mut self, index: usize) -> Result<Place, Diagnostic> {
        let piece = &self.operands[index];
        let text = piece.text.trim();
        for (prefix, width) in [("DWORD PTR", 32), ("QWORD PTR", 64), ("WORD PTR", 16), ("BYTE PTR", 8)] {
            if let Some(rest) = text.to_ascii_uppercase().strip_prefix(prefix) {
                let rest = text[text.len() - rest.len()..].trim();
                return self.memory(piece, rest, Some(width));
            }
        }
        if let Some((name, width)) = register(text, self.dialect) {
            return Ok(Place::Register(self.coder.register(&name), width));
        }
        if let Some(value) = signed_number(text.trim_start_matches('$')) {
            return Ok(Place::Number(value));
        }
        if let Some(name) = text.strip_prefix('$') {
            let Expr::Const(address) = self.coder.address(name, piece.at)? else {
                unreachable!("an address is a constant")
            };
            return Ok(Place::Number(address));
        }
        self.memory(piece, text, None)
    }

    /// `[x]`, `[RAX+4]`, `(RAX)`, `4(%rax)`, `x`, `(x)`.
    fn memory(&mut self, piece: &Piece, text: &str, width: Option<u8>) -> Result<Place, Diagnostic> {
        let inner = if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            inner.to_string()
        } else if let Some((offset, base)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
            if offset.is_empty() { base.to_string() } else { format!("{base}+{offset}") }
        } else {
            text.to_string()
        };
        let mut address = constant(0);
        for part in inner.replace('-', "+-").split('+').filter(|part| !part.trim().is_empty()) {
            let part = part.trim();
            let value = if let Some((name, _)) = register(part, self.dialect) {
                Expr::Reg(self.coder.register(&name))
            } else if let Some(value) = signed_number(part.trim_start_matches('$')) {
                constant(value)
            } else if is_other_register(part) {
                let message = format!("the register `{part}` is not one of {}", self.dialect.name());
                return Err(self.coder.unsupported(piece.at, piece.text.len(), message));
            } else if part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.coder.address(part, piece.at)?
            } else {
                return Err(self.complain(piece, format!("`{}` is not an operand", piece.text)));
            };
            address = sum(address, value);
        }
        Ok(Place::Memory(address, width))
    }

    /// The width of an instruction: that of its suffix, of a register or of memory that is said to have one, or else a word.
    fn width(&self, places: &[&Place], suffix: Option<u8>) -> Result<u8, Diagnostic> {
        let said = places.iter().filter_map(|place| match place {
            Place::Register(_, width) => Some(*width),
            Place::Memory(_, width) => *width,
            Place::Number(_) => None,
        });
        let said: Vec<u8> = suffix.into_iter().chain(said).collect();
        match &said[..] {
            [] => Ok(32),
            [first, rest @ ..] if rest.iter().all(|other| other == first) => Ok(*first),
            _ => Err(self.complain(self.mnemonic, format!("the operands of `{}` differ in size", self.mnemonic.text))),
        }
    }

    /// A value that later writes do not change.
    fn held(&mut self, value: Expr) -> Expr {
        let held = self.coder.temporary();
        self.coder.set(held, value);
        Expr::Reg(held)
    }

    fn read(&mut self, place: &Place, width: u8) -> Expr {
        match place {
            Place::Register(reg, _) => Expr::unary(Unary::ZeroExtend, width, Expr::Reg(*reg)),
            Place::Number(value) => constant(*value),
            Place::Memory(address, _) => {
                let to = self.coder.temporary();
                let tags = self.tags.clone();
                self.coder.emit(Op::Load {
                    to: Some(to),
                    address: address.clone(),
                    size: width / 8,
                    extend: Extend::Zero,
                    is_exclusive: false,
                    tags,
                });
                Expr::Reg(to)
            }
        }
    }

    fn write(&mut self, place: &Place, width: u8, value: Expr) {
        match place {
            Place::Register(reg, _) => {
                let value = Expr::unary(Unary::ZeroExtend, width, value);
                let value = if width < 32 {
                    let kept = Expr::binary(Binary::And, 64, Expr::Reg(*reg), constant(u64::MAX << width));
                    Expr::binary(Binary::Or, 64, kept, value)
                } else {
                    value
                };
                self.coder.set(*reg, value);
            }
            Place::Memory(address, _) => {
                let tags = self.tags.clone();
                // What the same instruction read comes before.
                self.coder.next_group();
                self.coder.emit(Op::Store { address: address.clone(), value, size: width / 8, tags });
            }
            Place::Number(_) => unreachable!("a number is no destination"),
        }
    }

    /// A locked read-modify-write; its old value.
    fn rmw(&mut self, address: &Expr, width: u8, kind: RmwKind, operand: Expr) -> Reg {
        let to = self.coder.temporary();
        self.coder.emit(Op::Rmw {
            to: Some(to),
            extend: Extend::Zero,
            address: address.clone(),
            size: width / 8,
            kind,
            operand,
            read_tags: tags(&["X"]),
            write_tags: tags(&["X"]),
            failure_tags: tags(&["X"]),
        });
        to
    }

    /// Adds (and the like) to a place and sets the flags; its old value.
    fn fetch(&mut self, to: &Place, width: u8, op: Binary, operand: Expr) -> Expr {
        let old = match to {
            Place::Memory(address, _) if self.is_locked => {
                Expr::Reg(self.rmw(address, width, RmwKind::Apply(op), operand.clone()))
            }
            _ => {
                let value = self.read(to, width);
                let old = self.coder.temporary();
                self.coder.set(old, value);
                self.write(to, width, Expr::binary(op, width, Expr::Reg(old), operand.clone()));
                Expr::Reg(old)
            }
        };
        self.set_flags(width, op, old.clone(), operand);
        old
    }

    fn update(&mut self, to: &Place, width: u8, op: Binary, operand: Expr) {
        // The operand may be the register that is written: its value is taken before.
        let held = self.held(operand);
        self.fetch(to, width, op, held);
    }

    /// Shifts a place by a distance modulo the width of a register; a shift by nothing leaves the flags alone.
    fn shift(&mut self, to: &Place, width: u8, op: Binary, distance: Expr) {
        let most = if width == 64 { 63 } else { 31 };
        let distance = self.held(Expr::binary(Binary::And, 8, distance, constant(most)));
        let value = self.read(to, width);
        let value = self.held(value);
        let result = Expr::binary(op, width, value.clone(), distance.clone());
        let last = match op {
            // The bit that leaves at the top.
            Binary::Shl => {
                let back = Expr::binary(Binary::Sub, 8, constant(u64::from(width)), distance.clone());
                Expr::binary(Binary::Lshr, 64, value.clone(), back)
            }
            _ => {
                let one_less = Expr::binary(Binary::Sub, 8, distance.clone(), constant(1));
                Expr::binary(op, width, value.clone(), one_less)
            }
        };
        let carry = Expr::binary(Binary::And, 64, last, constant(1));
        let top = |value: Expr| Expr::unary(Unary::Sign, width, value);
        let overflow = match op {
            Binary::Shl => Expr::binary(Binary::Xor, 64, top(result.clone()), carry.clone()),
            Binary::Lshr => top(value),
            _ => constant(0),
        };
        let values =
            [("ZF", is_zero(width, result.clone())), ("SF", top(result.clone())), ("CF", carry), ("OF", overflow)];
        for (flag, value) in values {
            let flag = self.coder.register(flag);
            self.coder.set(flag, Expr::select(is_zero(8, distance.clone()), Expr::Reg(flag), value));
        }
        self.write(to, width, result);
    }

    fn exchange(&mut self, first: &Place, second: &Place, width: Option<u8>) -> Result<(), Diagnostic> {
        let width = self.width(&[first, second], width)?;
        match (first, second) {
            (Place::Memory(address, _), other @ Place::Register(..))
            | (other @ Place::Register(..), Place::Memory(address, _)) => {
                let operand = self.read(other, width);
                let old = self.rmw(address, width, RmwKind::Swap, operand);
                self.write(other, width, Expr::Reg(old));
                Ok(())
            }
            (Place::Register(..), Place::Register(..)) => {
                let (one, two) = (self.read(first, width), self.read(second, width));
                let held = self.coder.temporary();
                self.coder.set(held, one);
                self.write(first, width, two);
                self.write(second, width, Expr::Reg(held));
                Ok(())
            }
            _ => Err(self.complain(&self.operands[0], "one of the operands has to be a register")),
        }
    }

    fn compare_exchange(&mut self, to: &Place, from: &Place, width: u8) -> Result<bool, Diagnostic> {
        let Place::Memory(address, _) = to else {
            return Ok(false);
        };
        if !self.is_locked {
            return Ok(false);
        }
        let name = if self.dialect == Dialect::X86_64 { "RAX" } else { "EAX" };
        let accumulator = self.coder.register(name);
        let expected = Expr::unary(Unary::ZeroExtend, width, Expr::Reg(accumulator));
        let operand = self.read(from, width);
        let old = self.rmw(address, width, RmwKind::CompareSwap { expected: expected.clone() }, operand);
        self.set_flags(width, Binary::Sub, expected, Expr::Reg(old));
        self.write(&Place::Register(accumulator, width), width, Expr::Reg(old));
        Ok(true)
    }

    fn set_flags(&mut self, width: u8, op: Binary, left: Expr, right: Expr) {
        let result = Expr::binary(op, width, left.clone(), right.clone());
        let (carry, overflow) = match op {
            Binary::Add => (
                Expr::binary(Binary::Carry, width, left.clone(), right.clone()),
                Expr::binary(Binary::AddOverflow, width, left, right),
            ),
            Binary::Sub => (
                Expr::binary(Binary::Ult, width, left.clone(), right.clone()),
                Expr::binary(Binary::SubOverflow, width, left, right),
            ),
            _ => (constant(0), constant(0)),
        };
        let values = [
            ("ZF", is_zero(width, result.clone())),
            ("SF", Expr::unary(Unary::Sign, width, result)),
            ("CF", carry),
            ("OF", overflow),
        ];
        for (flag, value) in values.into_iter().filter(|(flag, _)| !(self.keeps_carry && *flag == "CF")) {
            let flag = self.coder.register(flag);
            self.coder.set(flag, value);
        }
    }

    fn condition(&mut self, name: &str) -> Option<Expr> {
        let mut flag = |name: &str| Expr::Reg(self.coder.register(name));
        let (zero, sign, carry, overflow) = (flag("ZF"), flag("SF"), flag("CF"), flag("OF"));
        let less = Expr::binary(Binary::Ne, 64, sign.clone(), overflow);
        let or = |left, right| Expr::binary(Binary::Or, 64, left, right);
        let not = |value| is_zero(64, value);
        Some(match name {
            "E" | "Z" => zero,
            "NE" | "NZ" => not(zero),
            "S" => sign,
            "NS" => not(sign),
            "B" | "C" | "NAE" => carry,
            "AE" | "NC" | "NB" => not(carry),
            "BE" | "NA" => or(carry, zero),
            "A" | "NBE" => not(or(carry, zero)),
            "L" | "NGE" => less,
            "GE" | "NL" => not(less),
            "LE" | "NG" => or(less, zero),
            "G" | "NLE" => not(or(less, zero)),
            _ => return None,
        })
    }
}
