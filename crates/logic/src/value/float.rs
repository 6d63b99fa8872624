//! How do floats and bit-vectors of any width convert into each other?
//!
//! To a float: take the top 64 bits of the magnitude, fold everything below into the lowest of them (so that rounding
//! still sees whether something was cut off), let the hardware round that to the format, and scale by a power of two,
//! which is exact or overflows to infinity as it must. From a float: shift its integer significand.

use super::bitvec::BitVec;
use crate::sort::FloatSort;
use crate::value::Value;

/// The number as an `f64`, exact for both formats.
pub(crate) fn widened(value: &Value) -> f64 {
    match value {
        Value::F32(bits) => f64::from(f32::from_bits(*bits)),
        other => other.as_f64(),
    }
}

pub(crate) fn from_unsigned(number: &BitVec, to: FloatSort) -> Value {
    let length = number.bit_length();
    let excess = length.saturating_sub(64);
    let kept = number.lshr_by(excess);
    let sticky = kept.shl_by(excess) != *number;
    let top = kept.as_u64() | u64::from(sticky);
    match to {
        FloatSort::F32 => Value::f32(top as f32 * power_of_two(excess) as f32),
        FloatSort::F64 => Value::f64(top as f64 * power_of_two(excess)),
    }
}

pub(crate) fn from_signed(number: &BitVec, to: FloatSort) -> Value {
    if !number.is_negative() {
        return from_unsigned(number, to);
    }
    match from_unsigned(&number.neg(), to) {
        Value::F32(bits) => Value::f32(-f32::from_bits(bits)),
        other => Value::f64(-other.as_f64()),
    }
}

/// Exact up to 1023, infinity above; narrowing it to `f32` likewise yields infinity above 127.
fn power_of_two(exponent: u32) -> f64 {
    f64::from_bits((u64::from(exponent) + 1023).min(2047) << 52)
}

pub(crate) fn to_unsigned(x: f64, width: u32) -> BitVec {
    match truncated(x, width) {
        Some((_, magnitude)) if magnitude.is_zero() => BitVec::zero(width),
        Some((false, magnitude)) if magnitude.bit_length() <= width => magnitude.extract(width - 1, 0),
        _ => BitVec::signed_min(width),
    }
}

pub(crate) fn to_signed(x: f64, width: u32) -> BitVec {
    match truncated(x, width) {
        Some((negative, magnitude)) if magnitude.bit_length() < width => {
            let low = magnitude.extract(width - 1, 0);
            if negative { low.neg() } else { low }
        }
        // The one remaining number in range is the smallest, which is the answer anyway.
        _ => BitVec::signed_min(width),
    }
}

/// Sign and magnitude of the integer part, unless it is NaN or surely needs more than `width` bits.
fn truncated(x: f64, width: u32) -> Option<(bool, BitVec)> {
    if !x.is_finite() {
        return None;
    }
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    let significand = (bits & ((1 << 52) - 1)) | (1 << 52);
    let room = width + 64;
    let magnitude = if exponent <= -1075 || exponent <= -64 {
        BitVec::zero(room)
    } else if exponent < 0 {
        BitVec::new(room, significand >> -exponent)
    } else if exponent as u32 > width {
        return None;
    } else {
        BitVec::new(room, significand).shl_by(exponent as u32)
    };
    Some((x.is_sign_negative(), magnitude))
}
