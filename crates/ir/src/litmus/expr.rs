//! What litmus instructions compute: expressions over registers, with exact widths.
//!
//! A value is a 64-bit word. An operation of width `w` takes the low `w` bits of its operands and yields a result of `w` bits, zero-extended to
//! 64; comparisons yield 0 or 1. Sign extension is an operation of its own. So `ADD W0,W1,#1` is `Binary(Add, 32, …)`
//! and nothing about widths is left to the reader of an expression.
//!
//! Invariant: `evaluate` is total. Division by zero yields 0 (as on AArch64; C tests that divide by zero are refused by nobody).

use super::names::Reg;

/// Operations with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Bitwise complement.
    Not,
    /// Two's complement.
    Negate,
    /// Sign extension of the low `w` bits to 64 (the width of the node is the width that is extended).
    SignExtend,
    /// The low `w` bits.
    ZeroExtend,
    /// Number of leading zeros among `w` bits.
    LeadingZeros,
    /// 1 if the value is 0, else 0.
    IsZero,
    /// The most significant bit.
    Sign,
    /// Bytes in reverse order.
    ReverseBytes,
    /// Bits in reverse order.
    ReverseBits,
}

/// Operations with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; 0 when dividing by 0.
    UDiv,
    /// Signed quotient; 0 when dividing by 0.
    SDiv,
    /// Unsigned remainder; the dividend when dividing by 0.
    URem,
    /// Signed remainder; the dividend when dividing by 0.
    SRem,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift left; 0 when the distance is the width or more.
    Shl,
    /// Logical shift right; 0 when the distance is the width or more.
    Lshr,
    /// Arithmetic shift right; only sign bits when the distance is the width or more.
    Ashr,
    /// Rotate right; the distance is taken modulo the width.
    Ror,
    /// Equal.
    Eq,
    /// Different.
    Ne,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
    /// Whether the sum carries out of the width.
    Carry,
    /// Whether the signed sum overflows.
    AddOverflow,
    /// Whether the signed difference overflows.
    SubOverflow,
    /// Signed maximum.
    SMax,
    /// Signed minimum.
    SMin,
    /// Unsigned maximum.
    UMax,
    /// Unsigned minimum.
    UMin,
    /// First operand without the bits of the second.
    AndNot,
}

/// An expression over the registers of one thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Expr {
    /// A number, or an address.
    Const(u64),
    /// A register.
    Reg(Reg),
    /// An operation at a width in bits.
    Unary(Unary, u8, Box<Expr>),
    /// An operation at a width in bits.
    Binary(Binary, u8, Box<Expr>, Box<Expr>),
    /// The second if the first is not 0, else the third.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// An operation with one operand.
    pub fn unary(op: Unary, width: u8, operand: Expr) -> Expr {
        Expr::Unary(op, width, Box::new(operand))
    }

    /// An operation with two operands.
    pub fn binary(op: Binary, width: u8, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, width, Box::new(left), Box::new(right))
    }

    /// A choice.
    pub fn select(condition: Expr, yes: Expr, no: Expr) -> Expr {
        Expr::Select(Box::new(condition), Box::new(yes), Box::new(no))
    }

    /// Calls `visit` for each register that occurs, as often as it occurs.
    pub fn registers(&self, visit: &mut impl FnMut(Reg)) {
        match self {
            Expr::Const(_) => {}
            Expr::Reg(reg) => visit(*reg),
            Expr::Unary(_, _, operand) => operand.registers(visit),
            Expr::Binary(_, _, left, right) => {
                left.registers(visit);
                right.registers(visit);
            }
            Expr::Select(condition, yes, no) => {
                condition.registers(visit);
                yes.registers(visit);
                no.registers(visit);
            }
        }
    }
}

/// The low `width` bits set.
pub fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The low `width` bits as a signed number.
pub fn signed(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    ((value << shift) as i64) >> shift
}

/// The value of an expression, given those of the registers.
pub fn evaluate(expr: &Expr, value_of: &impl Fn(Reg) -> u64) -> u64 {
    match expr {
        Expr::Const(value) => *value,
        Expr::Reg(reg) => value_of(*reg),
        Expr::Unary(op, width, operand) => apply_unary(*op, *width, evaluate(operand, value_of)),
        Expr::Binary(op, width, left, right) => {
            apply_binary(*op, *width, evaluate(left, value_of), evaluate(right, value_of))
        }
        Expr::Select(condition, yes, no) => {
            let chosen = if evaluate(condition, value_of) != 0 { yes } else { no };
            evaluate(chosen, value_of)
        }
    }
}

/// The result of an operation with one operand.
pub fn apply_unary(op: Unary, width: u8, operand: u64) -> u64 {
    let value = operand & mask(width);
    match op {
        Unary::Not => !value & mask(width),
        Unary::Negate => value.wrapping_neg() & mask(width),
        Unary::SignExtend => signed(value, width) as u64,
        Unary::ZeroExtend => value,
        Unary::LeadingZeros => u64::from(value.leading_zeros()) - (64 - u64::from(width)),
        Unary::IsZero => u64::from(value == 0),
        Unary::Sign => (value >> (width - 1)) & 1,
        Unary::ReverseBytes => value.swap_bytes() >> (64 - u32::from(width)),
        Unary::ReverseBits => value.reverse_bits() >> (64 - u32::from(width)),
    }
}

/// The result of an operation with two operands.
pub fn apply_binary(op: Binary, width: u8, left: u64, right: u64) -> u64 {
    let (a, b) = (left & mask(width), right & mask(width));
    let (sa, sb) = (signed(a, width), signed(b, width));
    let distance = u32::try_from(b).unwrap_or(u32::MAX);
    let is_far = distance >= u32::from(width);
    let fits = |value: i128| value == i128::from(signed(value as u64, width));
    let result = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::UDiv => a.checked_div(b).unwrap_or(0),
        Binary::SDiv => {
            if sb == 0 {
                0
            } else {
                sa.wrapping_div(sb) as u64
            }
        }
        Binary::URem => a.checked_rem(b).unwrap_or(a),
        Binary::SRem => {
            if sb == 0 {
                a
            } else {
                sa.wrapping_rem(sb) as u64
            }
        }
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::AndNot => a & !b,
        Binary::Shl => {
            if is_far {
                0
            } else {
                a << distance
            }
        }
        Binary::Lshr => {
            if is_far {
                0
            } else {
                a >> distance
            }
        }
        Binary::Ashr => (sa >> distance.min(63)) as u64,
        Binary::Ror => {
            let by = (b % u64::from(width)) as u32;
            if by == 0 { a } else { (a >> by) | (a << (u32::from(width) - by)) }
        }
        Binary::Eq => u64::from(a == b),
        Binary::Ne => u64::from(a != b),
        Binary::Ult => u64::from(a < b),
        Binary::Ule => u64::from(a <= b),
        Binary::Slt => u64::from(sa < sb),
        Binary::Sle => u64::from(sa <= sb),
        Binary::Carry => u64::from(u128::from(a) + u128::from(b) > u128::from(mask(width))),
        Binary::AddOverflow => u64::from(!fits(i128::from(sa) + i128::from(sb))),
        Binary::SubOverflow => u64::from(!fits(i128::from(sa) - i128::from(sb))),
        Binary::SMax => sa.max(sb) as u64,
        Binary::SMin => sa.min(sb) as u64,
        Binary::UMax => a.max(b),
        Binary::UMin => a.min(b),
    };
    result & mask(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_wrap_at_their_width() {
        let check = |op, width, a, b, expected| {
            assert_eq!(apply_binary(op, width, a, b), expected, "{op:?} at {width} of {a:#x} and {b:#x}");
        };
        check(Binary::Add, 32, 0xFFFF_FFFF, 1, 0);
        check(Binary::Add, 64, 0xFFFF_FFFF, 1, 0x1_0000_0000);
        check(Binary::Sub, 8, 0, 1, 0xFF);
        check(Binary::SDiv, 32, 0x8000_0000, 0xFFFF_FFFF, 0x8000_0000);
        check(Binary::SDiv, 64, 5, 0, 0);
        check(Binary::Ashr, 32, 0x8000_0000, 40, 0xFFFF_FFFF);
        check(Binary::Shl, 32, 1, 32, 0);
        check(Binary::Ror, 32, 1, 1, 0x8000_0000);
        check(Binary::Slt, 32, 0xFFFF_FFFF, 0, 1);
        check(Binary::Ult, 32, 0xFFFF_FFFF, 0, 0);
        check(Binary::Carry, 64, u64::MAX, 1, 1);
        check(Binary::AddOverflow, 32, 0x7FFF_FFFF, 1, 1);
        check(Binary::SubOverflow, 64, 1 << 63, 1, 1);
        check(Binary::SubOverflow, 32, 3, 5, 0);
        check(Binary::SMin, 16, 0xFFFF, 1, 0xFFFF);
    }

    #[test]
    fn extensions_and_reversals_look_at_their_width_only() {
        assert_eq!(apply_unary(Unary::SignExtend, 8, 0x1FF), u64::MAX);
        assert_eq!(apply_unary(Unary::ZeroExtend, 8, 0x1FF), 0xFF);
        assert_eq!(apply_unary(Unary::LeadingZeros, 32, 1), 31);
        assert_eq!(apply_unary(Unary::ReverseBytes, 32, 0x0102_0304), 0x0403_0201);
        assert_eq!(apply_unary(Unary::Sign, 32, 0x8000_0000), 1);
    }
}
