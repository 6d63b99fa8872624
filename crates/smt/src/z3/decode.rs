//! Which value does Z3 mean?
//!
//! Scalars are numerals. Arrays come as writes on a constant array, or as a function with points and a value elsewhere.

use logic::{ArrayValue, BitVec, Sort, Value};
use z3_sys as z3;

use super::binding::{Ast, Failure, Model};
use super::encode::{Encoder, small_domain};

/// Numbers of the operators that values are made of; equal in all versions from 4.8.
const TRUE: u32 = 0x100;
const FALSE: u32 = 0x101;
const STORE: u32 = 0x300;
const CONST_ARRAY: u32 = 0x302;

fn unreadable(what: &str) -> Failure {
    Failure::Other(format!("a value of sort {what} cannot be read"))
}

/// The value that a term without variables is in the model's eyes.
pub(super) fn value(encoder: &Encoder, model: &Model, ast: &Ast, sort: Sort) -> Result<Value, Failure> {
    let context = &encoder.context;
    match sort {
        Sort::Bool => match ast.operator() {
            Some(TRUE) => Ok(Value::Bool(true)),
            Some(FALSE) => Ok(Value::Bool(false)),
            _ => Err(unreadable("bool")),
        },
        Sort::Bv(width) => {
            if let Some(value) = ast.small_numeral() {
                return Ok(Value::bv(width, value));
            }
            let digits = ast.numeral().ok_or_else(|| unreadable("bit-vector"))?;
            Ok(Value::Bv(from_decimal(&digits, width)))
        }
        Sort::F32 | Sort::F64 => {
            if context.unary(z3::Z3_mk_fpa_is_nan, ast)?.simplified()?.operator() == Some(TRUE) {
                return Ok(if sort == Sort::F32 { Value::f32(f32::NAN) } else { Value::f64(f64::NAN) });
            }
            let bits = context.unary(z3::Z3_mk_fpa_to_ieee_bv, ast)?.simplified()?;
            let bits = bits.small_numeral().ok_or_else(|| unreadable("float"))?;
            Ok(if sort == Sort::F32 { Value::F32(bits as u32) } else { Value::F64(bits) })
        }
        Sort::Array(index, element) => {
            if let Some(indices) = small_domain(index) {
                let mut array = ArrayValue::new(index, Value::zero(element.into()));
                for at in indices {
                    let here = encoder.value(&at)?;
                    let read = model.evaluate(&context.binary(z3::Z3_mk_select, ast, &here)?)?;
                    array = array.store(at, value(encoder, model, &read, element.into())?);
                }
                return Ok(Value::Array(array));
            }
            let mut writes = Vec::new();
            let mut base = ast.clone();
            loop {
                let args = base.args();
                match (base.operator(), &args[..]) {
                    (Some(STORE), [below, at, new]) => {
                        let at = value(encoder, model, &model.evaluate(at)?, index.into())?;
                        let new = value(encoder, model, &model.evaluate(new)?, element.into())?;
                        writes.push((at, new));
                        base = below.clone();
                    }
                    (Some(CONST_ARRAY), [default]) => {
                        let default = value(encoder, model, &model.evaluate(default)?, element.into())?;
                        return Ok(written(ArrayValue::new(index, default), writes));
                    }
                    _ => break,
                }
            }
            let function = model.array_as_function(&base).ok_or_else(|| unreadable("array"))?;
            let (points, elsewhere) = model.function(&function).ok_or_else(|| unreadable("array"))?;
            let default = value(encoder, model, &model.evaluate(&elsewhere)?, element.into())?;
            let mut array = ArrayValue::new(index, default);
            for (at, new) in points {
                let [at] = &at[..] else { return Err(unreadable("array")) };
                let at = value(encoder, model, &model.evaluate(at)?, index.into())?;
                array = array.store(at, value(encoder, model, &model.evaluate(&new)?, element.into())?);
            }
            Ok(written(array, writes))
        }
    }
}

/// The outermost write, which is the first found, counts most.
fn written(array: ArrayValue, writes: Vec<(Value, Value)>) -> Value {
    Value::Array(writes.into_iter().rev().fold(array, |array, (at, new)| array.store(at, new)))
}

/// The low bits of a number in decimal digits, perhaps with a sign.
pub(crate) fn from_decimal(digits: &str, width: u32) -> BitVec {
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, digits),
    };
    // A digit takes four bits at most, and the intermediate results must not wrap before the cut.
    let room = width.max(4 * digits.len() as u32 + 4);
    let ten = BitVec::new(room, 10);
    let magnitude = digits
        .bytes()
        .fold(BitVec::zero(room), |number, digit| number.mul(&ten).add(&BitVec::new(room, u64::from(digit - b'0'))));
    let number = if negative { magnitude.neg() } else { magnitude };
    number.extract(width - 1, 0)
}
