//! What is the value of an expression? Concrete values, exact integers, exceptions where something cannot be computed.
//!
//! `int` is unbounded in the language. Values are kept in 64 bits; whoever leaves these does not wrap but says so
//! (`Raised::OutOfRange`), and an execution that does is nobody's verdict.

use super::interp::{Object, ObjectShape};
use super::program::{Base, BinaryOp, Expr, Program, Type, UnaryOp};

/// A value. Characters and strings are integers, as `Expr::Int` says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A float's IEEE bits.
    Float(u64),
    /// A reference: 0 is null, k is the object at k - 1.
    Ref(u32),
}

impl Value {
    /// What a variable of that type holds at first.
    pub fn default_of(ty: Type) -> Value {
        if ty.is_reference() {
            return Value::Ref(0);
        }
        match ty.base {
            Base::Bool => Value::Bool(false),
            Base::Float => Value::Float(0),
            _ => Value::Int(0),
        }
    }

    /// The truth value, for something of type bool.
    pub fn as_bool(self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// The integer, for something that is one.
    pub fn as_int(self) -> i64 {
        if let Value::Int(value) = self { value } else { 0 }
    }

    /// The reference, for something that is one.
    pub fn as_ref(self) -> u32 {
        if let Value::Ref(reference) = self { reference } else { 0 }
    }

    /// The float, for something that is one.
    pub fn as_float(self) -> f64 {
        if let Value::Float(bits) = self { f64::from_bits(bits) } else { 0.0 }
    }
}

/// Why there is no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Raised {
    /// An exception of the language: what.
    Exception(&'static str),
    /// An integer beyond 64 bits; the language has it, we do not.
    OutOfRange,
}

/// What expressions look at.
pub(super) struct Scope<'a> {
    pub(super) program: &'a Program,
    pub(super) heap: &'a [Object],
    pub(super) locals: Vec<Value>,
}

impl Scope<'_> {
    /// The value of an expression.
    pub(super) fn eval(&mut self, expr: &Expr) -> Result<Value, Raised> {
        Ok(match expr {
            Expr::Int(value) => Value::Int(*value),
            Expr::Bool(value) => Value::Bool(*value),
            Expr::Float(bits) => Value::Float(*bits),
            Expr::Null => Value::Ref(0),
            Expr::Local(local) => self.locals[usize::from(*local)],
            Expr::Length(array) => Value::Int(self.array(array, "the length of null")?.values.len() as i64),
            Expr::Unary(op, operand) => {
                let value = self.eval(operand)?;
                match op {
                    UnaryOp::Not => Value::Bool(!value.as_bool()),
                    UnaryOp::Neg => Value::Int(value.as_int().checked_neg().ok_or(Raised::OutOfRange)?),
                    UnaryOp::FloatNeg => Value::Float((-value.as_float()).to_bits()),
                }
            }
            Expr::Binary(op, left, right) => return self.binary(*op, left, right),
            Expr::InstanceOf(value, ty) => {
                let reference = self.eval(value)?.as_ref();
                Value::Bool(reference != 0 && is_of(self.program, &self.heap[reference as usize - 1], *ty))
            }
            Expr::Quantified { is_forall, array, element, index, body } => {
                let values = self.array(array, "a quantifier over null")?.values.clone();
                let outer = (self.locals[usize::from(*element)], self.locals[usize::from(*index)]);
                let mut result = Ok(Value::Bool(*is_forall));
                for (at, value) in values.into_iter().enumerate() {
                    self.locals[usize::from(*element)] = value;
                    self.locals[usize::from(*index)] = Value::Int(at as i64);
                    let holds = self.eval(body);
                    if holds != Ok(Value::Bool(*is_forall)) {
                        result = holds;
                        break;
                    }
                }
                (self.locals[usize::from(*element)], self.locals[usize::from(*index)]) = outer;
                return result;
            }
        })
    }

    /// Whether a condition of a specification holds; what cannot be computed does not.
    pub(super) fn holds(&mut self, cond: &Expr) -> Result<bool, Raised> {
        match self.eval(cond) {
            Ok(value) => Ok(value.as_bool()),
            Err(Raised::Exception(_)) => Ok(false),
            Err(Raised::OutOfRange) => Err(Raised::OutOfRange),
        }
    }

    fn array(&mut self, array: &Expr, complaint: &'static str) -> Result<&Object, Raised> {
        match self.eval(array)?.as_ref() {
            0 => Err(Raised::Exception(complaint)),
            reference => Ok(&self.heap[reference as usize - 1]),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Value, Raised> {
        let a = self.eval(left)?;
        match (op, a.as_bool()) {
            (BinaryOp::And, false) => return Ok(Value::Bool(false)),
            (BinaryOp::Or, true) | (BinaryOp::Implies, false) => return Ok(Value::Bool(true)),
            _ => {}
        }
        let b = self.eval(right)?;
        apply(op, a, b)
    }
}

/// An operator on values; both operands of the logical ones count.
pub(super) fn apply(op: BinaryOp, a: Value, b: Value) -> Result<Value, Raised> {
    let (i, j) = (a.as_int(), b.as_int());
    let (x, y) = (a.as_float(), b.as_float());
    let int = |value: Option<i64>| value.map(Value::Int).ok_or(Raised::OutOfRange);
    let float = |value: f64| Ok(Value::Float(if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }));
    let truth = |value: bool| Ok(Value::Bool(value));
    match op {
        BinaryOp::And => truth(a.as_bool() && b.as_bool()),
        BinaryOp::Or => truth(a.as_bool() || b.as_bool()),
        BinaryOp::Implies => truth(!a.as_bool() || b.as_bool()),
        BinaryOp::Eq => truth(a == b),
        BinaryOp::Ne => truth(a != b),
        BinaryOp::Lt => truth(i < j),
        BinaryOp::Le => truth(i <= j),
        BinaryOp::Add => int(i.checked_add(j)),
        BinaryOp::Sub => int(i.checked_sub(j)),
        BinaryOp::UintSub if i < j => Err(Raised::Exception("a uint below zero")),
        BinaryOp::UintSub => int(i.checked_sub(j)),
        BinaryOp::Mul => int(i.checked_mul(j)),
        BinaryOp::Div | BinaryOp::Rem if j == 0 => Err(Raised::Exception("division by zero")),
        BinaryOp::Div => int(i.checked_div(j)),
        BinaryOp::Rem => int(Some(if j == -1 { 0 } else { i % j })),
        BinaryOp::FloatEq => truth(x == y),
        BinaryOp::FloatNe => truth(x != y),
        BinaryOp::FloatLt => truth(x < y),
        BinaryOp::FloatLe => truth(x <= y),
        BinaryOp::FloatAdd => float(x + y),
        BinaryOp::FloatSub => float(x - y),
        BinaryOp::FloatMul => float(x * y),
        BinaryOp::FloatDiv => float(x / y),
        BinaryOp::FloatRem => float(x % y),
    }
}

/// Whether an object is of a type.
pub(super) fn is_of(program: &Program, object: &Object, ty: Type) -> bool {
    match (object.shape, ty.base) {
        (ObjectShape::Instance(class), Base::Class(wanted)) if ty.dims == 0 => program.is_subclass(class, wanted),
        (ObjectShape::Array(own), _) => own == ty,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_or_not_there() {
        let int = Value::Int;
        let out = Err(Raised::OutOfRange);
        for (op, a, b, expected) in [
            (BinaryOp::Add, 2, 3, Ok(int(5))),
            (BinaryOp::Add, i64::MAX, 1, out),
            (BinaryOp::Sub, i64::MIN, 1, out),
            (BinaryOp::Mul, i64::MIN, -1, out),
            (BinaryOp::Div, -7, 2, Ok(int(-3))),
            (BinaryOp::Rem, -7, 2, Ok(int(-1))),
            (BinaryOp::Rem, i64::MIN, -1, Ok(int(0))),
            (BinaryOp::Div, i64::MIN, -1, out),
            (BinaryOp::Div, 1, 0, Err(Raised::Exception("division by zero"))),
            (BinaryOp::UintSub, 1, 2, Err(Raised::Exception("a uint below zero"))),
        ] {
            assert_eq!(apply(op, int(a), int(b)), expected, "{a} {op:?} {b}");
        }
    }
}
