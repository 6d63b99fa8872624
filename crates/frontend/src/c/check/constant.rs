//! Which value has an expression that the compiler can compute?
//!
//! Evaluation is over the typed tree, where every conversion is written out, and exact: integers as `i128` wrapped to
//! their type after every step, floats rounded to their format. Pointers made of integers are computed with, so that
//! `(size_t)&((struct s *)0)->m` is a constant; addresses of objects are not values here, they stay expressions
//! (`is_address_constant` says which of them an initialiser may contain).
//!
//! `None` means "not a constant", also where C leaves the result undefined (division by zero, shifts out of range).

use super::super::ast;
use super::super::typed::{BinaryOp, Expr, ExprKind, Storage, UnaryOp};
use super::super::types::{IntKind, Type, TypeId};
use super::{Checked, Checker};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Constant {
    /// An integer, or a pointer made of one.
    Int(i128),
    /// A `float` or `double`.
    Float(f64),
}

impl Constant {
    fn is_true(self) -> bool {
        match self {
            Constant::Int(value) => value != 0,
            Constant::Float(value) => value != 0.0,
        }
    }
}

impl Checker {
    /// The value of an integer constant expression, which is called `what` in the diagnostic.
    pub(super) fn constant_integer(&mut self, expr: &ast::Expr, what: &str) -> Checked<i128> {
        let typed = self.without_evaluating(|checker| checker.value(expr))?;
        match self.evaluate_with_variables(&typed) {
            Some(Constant::Int(value)) if self.types.is_integer(typed.ty.ty) => Ok(value),
            _ => Err(self.error(expr.span, format!("{what} must be an integer constant"))),
        }
    }

    /// The value of an expression, if it is constant once `const` variables with a constant initialiser count as such.
    pub(super) fn evaluate_with_variables(&mut self, expr: &Expr) -> Option<Constant> {
        self.reads_variables = true;
        let value = self.evaluate(expr);
        self.reads_variables = false;
        value
    }

    /// The value of an integer expression, if it is constant.
    pub(super) fn evaluate_integer(&self, expr: &Expr) -> Option<i128> {
        match self.evaluate(expr)? {
            Constant::Int(value) if self.types.is_integer(expr.ty.ty) => Some(value),
            _ => None,
        }
    }

    /// The value of an expression, if it is constant.
    pub(super) fn evaluate(&self, expr: &Expr) -> Option<Constant> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Constant::Int(*value)),
            ExprKind::Float(value) if !self.is_wide_float(expr.ty.ty) => Some(Constant::Float(*value)),
            ExprKind::Cast(operand) => self.convert_constant(self.evaluate(operand)?, operand.ty.ty, expr.ty.ty),
            ExprKind::Unary(op, operand) => self.evaluate_unary(*op, self.evaluate(operand)?, expr.ty.ty),
            ExprKind::Binary(op, left, right) => {
                let operands = (self.evaluate(left)?, self.evaluate(right)?);
                self.evaluate_binary(*op, operands, left.ty.ty, expr.ty.ty)
            }
            ExprKind::LogicalAnd(left, right) => match self.evaluate(left)?.is_true() {
                false => Some(Constant::Int(0)),
                true => Some(Constant::Int(i128::from(self.evaluate(right)?.is_true()))),
            },
            ExprKind::LogicalOr(left, right) => match self.evaluate(left)?.is_true() {
                true => Some(Constant::Int(1)),
                false => Some(Constant::Int(i128::from(self.evaluate(right)?.is_true()))),
            },
            ExprKind::Conditional { cond, then, otherwise } => {
                let value = self.evaluate(cond)?;
                match then {
                    _ if !value.is_true() => self.evaluate(otherwise),
                    Some(then) => self.evaluate(then),
                    None => self.convert_constant(value, cond.ty.ty, expr.ty.ty),
                }
            }
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => {
                Some(Constant::Int(self.wrap_pointer(self.evaluate_address(lvalue)?)))
            }
            ExprKind::PointerAdd { pointer, index, size, is_sub } => {
                let (pointer, index) = (self.evaluate_word(pointer)?, self.evaluate_word(index)?);
                let bytes = index.wrapping_mul(i128::from(*size));
                let address = if *is_sub { pointer.wrapping_sub(bytes) } else { pointer.wrapping_add(bytes) };
                Some(Constant::Int(self.wrap_pointer(address)))
            }
            ExprKind::PointerDiff { left, right, size } => {
                let bytes = self.evaluate_word(left)?.wrapping_sub(self.evaluate_word(right)?);
                let count = bytes.checked_div(i128::from(*size))?;
                Some(Constant::Int(self.wrap_to(count, expr.ty.ty)?))
            }
            ExprKind::Load(variable) if self.reads_variables => self.evaluate_variable(variable),
            ExprKind::Builtin { name, args } if name.starts_with("__builtin_expect") => self.evaluate(args.first()?),
            _ => None,
        }
    }

    /// The value of a static `const` variable whose initialiser has been seen.
    fn evaluate_variable(&self, variable: &Expr) -> Option<Constant> {
        let ExprKind::Symbol(symbol) = variable.kind else { return None };
        if !variable.ty.is_const || variable.ty.is_volatile {
            return None;
        }
        match self.globals[*self.global_of.get(&symbol)?].init.as_deref()? {
            [only] if only.offset == 0 && only.ty.ty == variable.ty.ty => self.evaluate(&only.value),
            _ => None,
        }
    }

    fn evaluate_word(&self, expr: &Expr) -> Option<i128> {
        match self.evaluate(expr)? {
            Constant::Int(value) => Some(value),
            Constant::Float(_) => None,
        }
    }

    /// The address of an lvalue that lies at a constant address.
    fn evaluate_address(&self, lvalue: &Expr) -> Option<i128> {
        match &lvalue.kind {
            ExprKind::Deref(pointer) => self.evaluate_word(pointer),
            ExprKind::Member { base, offset, bits: None } => {
                Some(self.evaluate_address(base)?.wrapping_add(i128::from(*offset)))
            }
            _ => None,
        }
    }

    fn is_wide_float(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::LongDouble | Type::Opaque { .. })
    }

    fn wrap_pointer(&self, value: i128) -> i128 {
        self.size_kind().wrap(value, self.data_model())
    }

    fn wrap_to(&self, value: i128, ty: TypeId) -> Option<i128> {
        match self.types.int_kind(ty) {
            Some(kind) => Some(kind.wrap(value, self.data_model())),
            None if self.types.is_pointer(ty) => Some(self.wrap_pointer(value)),
            None => None,
        }
    }

    /// A float rounded to the format of a type.
    fn round_to(&self, value: f64, ty: TypeId) -> Option<f64> {
        match self.types.get(ty) {
            Type::Float => Some(f64::from(value as f32)),
            Type::Double => Some(value),
            _ => None,
        }
    }

    fn convert_constant(&self, value: Constant, from: TypeId, to: TypeId) -> Option<Constant> {
        if self.types.int_kind(to) == Some(IntKind::Bool) {
            return Some(Constant::Int(i128::from(value.is_true())));
        }
        match value {
            Constant::Int(value) if self.types.is_floating(to) => {
                let is_unsigned_wide = self.types.int_kind(from) == Some(IntKind::UInt128);
                let rounded = match self.types.get(to) {
                    Type::Float if is_unsigned_wide => f64::from(value as u128 as f32),
                    Type::Float => f64::from(value as f32),
                    Type::Double if is_unsigned_wide => value as u128 as f64,
                    Type::Double => value as f64,
                    _ => return None,
                };
                Some(Constant::Float(rounded))
            }
            Constant::Int(value) => Some(Constant::Int(self.wrap_to(value, to)?)),
            Constant::Float(value) if self.types.is_floating(to) => Some(Constant::Float(self.round_to(value, to)?)),
            Constant::Float(value) => {
                let kind = self.types.int_kind(to)?;
                let whole = value.trunc();
                // Outside of the type's range the conversion is undefined, so it is no constant.
                let is_in_range = whole.abs() < 1.7e38 && kind.wrap(whole as i128, self.data_model()) == whole as i128;
                is_in_range.then_some(Constant::Int(whole as i128))
            }
        }
    }

    fn evaluate_unary(&self, op: UnaryOp, value: Constant, ty: TypeId) -> Option<Constant> {
        Some(match (op, value) {
            (UnaryOp::LogicalNot, value) => Constant::Int(i128::from(!value.is_true())),
            (UnaryOp::Neg, Constant::Int(value)) => Constant::Int(self.wrap_to(value.wrapping_neg(), ty)?),
            (UnaryOp::Not, Constant::Int(value)) => Constant::Int(self.wrap_to(!value, ty)?),
            (UnaryOp::Neg, Constant::Float(value)) => Constant::Float(-value),
            (UnaryOp::Not, Constant::Float(_)) => return None,
        })
    }

    fn evaluate_binary(
        &self,
        op: BinaryOp,
        operands: (Constant, Constant),
        operand_type: TypeId,
        ty: TypeId,
    ) -> Option<Constant> {
        match operands {
            (Constant::Int(left), Constant::Int(right)) => {
                // Values of the 128-bit unsigned type are kept by their bits, so order and division differ for them.
                let is_unsigned_wide = self.types.int_kind(operand_type) == Some(IntKind::UInt128);
                let value = if is_unsigned_wide {
                    integer_binary_wide(op, left as u128, right as u128)?
                } else {
                    let bits = self.types.int_kind(operand_type).map(|kind| kind.bits(self.data_model()));
                    integer_binary(op, left, right, bits.unwrap_or(self.data_model().word_bits()))?
                };
                Some(Constant::Int(self.wrap_to(value, ty)?))
            }
            (Constant::Float(left), Constant::Float(right)) => {
                let value = match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Sub => left - right,
                    BinaryOp::Mul => left * right,
                    BinaryOp::Div => left / right,
                    BinaryOp::Eq => return Some(truth(left == right)),
                    BinaryOp::Ne => return Some(truth(left != right)),
                    BinaryOp::Lt => return Some(truth(left < right)),
                    BinaryOp::Le => return Some(truth(left <= right)),
                    BinaryOp::Gt => return Some(truth(left > right)),
                    BinaryOp::Ge => return Some(truth(left >= right)),
                    _ => return None,
                };
                // Rounding the f64 result of one operation on two f32 values gives the f32 result exactly.
                Some(Constant::Float(self.round_to(value, ty)?))
            }
            _ => None,
        }
    }

    /// Whether an expression is the address of something static, perhaps plus a constant: what an initialiser of a
    /// static object may contain besides numbers.
    pub(super) fn is_address_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.is_static_lvalue(lvalue),
            ExprKind::PointerAdd { pointer, index, .. } => {
                self.is_constant(pointer) && self.evaluate_integer(index).is_some()
            }
            ExprKind::Cast(operand) => {
                let is_word = |ty| {
                    self.types.is_pointer(ty)
                        || self.types.is_integer(ty) && self.types.size(ty) >= Some(self.data_model().word_bytes())
                };
                is_word(expr.ty.ty) && is_word(operand.ty.ty) && self.is_address_constant(operand)
            }
            ExprKind::Conditional { cond, then, otherwise } => match (self.evaluate(cond), then) {
                (Some(value), Some(then)) => self.is_constant(if value.is_true() { then } else { otherwise }),
                _ => false,
            },
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                self.is_address_constant(left) && self.evaluate(right).is_some()
                    || self.is_address_constant(right) && self.evaluate(left).is_some()
            }
            ExprKind::LabelAddress(_) => true,
            _ => false,
        }
    }

    /// Whether an initialiser of a static object may contain this expression.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        self.evaluate(expr).is_some() || self.is_address_constant(expr)
    }

    fn is_static_lvalue(&self, lvalue: &Expr) -> bool {
        match &lvalue.kind {
            ExprKind::String(_) => true,
            ExprKind::Symbol(symbol) => {
                let storage = self.symbols[symbol.0 as usize].storage;
                matches!(storage, Storage::Extern | Storage::Static | Storage::Function)
            }
            ExprKind::Member { base, bits: None, .. } => self.is_static_lvalue(base),
            ExprKind::Deref(pointer) => self.is_constant(pointer),
            _ => false,
        }
    }
}

fn truth(holds: bool) -> Constant {
    Constant::Int(i128::from(holds))
}

fn integer_binary(op: BinaryOp, left: i128, right: i128, bits: u32) -> Option<i128> {
    let shift = || u32::try_from(right).ok().filter(|shift| *shift < bits);
    Some(match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Sub => left.wrapping_sub(right),
        BinaryOp::Mul => left.wrapping_mul(right),
        BinaryOp::Div => left.checked_div(right)?,
        BinaryOp::Rem => left.checked_rem(right)?,
        BinaryOp::Shl => left.wrapping_shl(shift()?),
        BinaryOp::Shr => left >> shift()?,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::Eq => i128::from(left == right),
        BinaryOp::Ne => i128::from(left != right),
        BinaryOp::Lt => i128::from(left < right),
        BinaryOp::Le => i128::from(left <= right),
        BinaryOp::Gt => i128::from(left > right),
        BinaryOp::Ge => i128::from(left >= right),
    })
}

fn integer_binary_wide(op: BinaryOp, left: u128, right: u128) -> Option<i128> {
    Some(match op {
        BinaryOp::Div => left.checked_div(right)? as i128,
        BinaryOp::Rem => left.checked_rem(right)? as i128,
        BinaryOp::Shr => (left >> u32::try_from(right).ok().filter(|shift| *shift < 128)?) as i128,
        BinaryOp::Lt => i128::from(left < right),
        BinaryOp::Le => i128::from(left <= right),
        BinaryOp::Gt => i128::from(left > right),
        BinaryOp::Ge => i128::from(left >= right),
        _ => integer_binary(op, left as i128, right as i128, 128)?,
    })
}
