//! Conversions between floats and bit-vectors against the casts of Rust where it has them.

use proptest::prelude::*;
use smallvec::smallvec;

use crate::{BitVec, F32_NAN, F64_NAN, FloatSort, Op, Value};

fn apply(op: Op, value: Value) -> Value {
    op.eval(smallvec![value])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn numbers_become_the_nearest_float(bits: u128, shift in 0u32..128, extra in 0u32..100) {
        let unsigned = bits >> shift;
        let signed = (bits as i128) >> shift;
        let width = 128 + extra;
        let (u, s) = (BitVec::from_u128(width, unsigned), BitVec::from_i128(width, signed));
        prop_assert_eq!(apply(Op::UbvToFloat(FloatSort::F64), Value::Bv(u.clone())), Value::f64(unsigned as f64));
        prop_assert_eq!(apply(Op::UbvToFloat(FloatSort::F32), Value::Bv(u)), Value::f32(unsigned as f32));
        prop_assert_eq!(apply(Op::SbvToFloat(FloatSort::F64), Value::Bv(s.clone())), Value::f64(signed as f64));
        prop_assert_eq!(apply(Op::SbvToFloat(FloatSort::F32), Value::Bv(s)), Value::f32(signed as f32));
    }

    #[test]
    fn floats_are_cut_toward_zero(bits: u64, small in -300.0f64..300.0, pick: bool, width in 1u32..=64) {
        let x = if pick { small } else { f64::from_bits(bits) };
        let undefined = BitVec::signed_min(width);
        let number = x.trunc();
        let signed_limit = 2f64.powi(width as i32 - 1);
        let signed = if number >= -signed_limit && number < signed_limit {
            BitVec::from_i128(width, number as i128)
        } else {
            undefined.clone()
        };
        let unsigned = if number >= 0.0 && number < 2.0 * signed_limit {
            BitVec::from_u128(width, number as u128)
        } else {
            undefined
        };
        prop_assert_eq!(apply(Op::FloatToSbv(width), Value::f64(x)), Value::Bv(signed));
        prop_assert_eq!(apply(Op::FloatToUbv(width), Value::f64(x)), Value::Bv(unsigned));
    }

    #[test]
    fn there_is_one_nan(bits: u64) {
        let from = |bits: BitVec| apply(Op::FloatFromBits, Value::Bv(bits));
        let expected = if f64::from_bits(bits).is_nan() { F64_NAN } else { bits };
        prop_assert_eq!(from(BitVec::new(64, bits)), Value::F64(expected));
        let bits = bits as u32;
        let expected = if f32::from_bits(bits).is_nan() { F32_NAN } else { bits };
        prop_assert_eq!(from(BitVec::new(32, bits.into())), Value::F32(expected));
    }
}

#[test]
fn wide_numbers_overflow_to_infinity_and_round_to_even() {
    let to = |number: BitVec| apply(Op::UbvToFloat(FloatSort::F64), Value::Bv(number));
    let bit = |i: u32| BitVec::new(2000, 1).shl_by(i);
    assert_eq!(to(bit(1023)), Value::f64(2f64.powi(1023)));
    assert_eq!(to(bit(1024)), Value::f64(f64::INFINITY));
    assert_eq!(to(bit(1999)), Value::f64(f64::INFINITY));
    // Halfway between two floats goes to the even one, unless a bit far below tips it.
    assert_eq!(to(bit(500).or(&bit(447))), Value::f64(2f64.powi(500)));
    assert_eq!(to(bit(500).or(&bit(447)).or(&bit(0))), Value::f64(2f64.powi(500) + 2f64.powi(448)));
    // Rounding up the largest numbers carries into infinity.
    assert_eq!(to(bit(1024).sub(&bit(0))), Value::f64(f64::INFINITY));
    assert_eq!(to(bit(1024).sub(&bit(971))), Value::f64(f64::MAX));
    let narrow = |number: BitVec| apply(Op::UbvToFloat(FloatSort::F32), Value::Bv(number));
    assert_eq!(narrow(bit(128)), Value::f32(f32::INFINITY));
    assert_eq!(narrow(bit(127)), Value::f32(2f32.powi(127)));
}

#[test]
fn remainder_is_that_of_c() {
    let rem = |a: f64, b: f64| Op::FRem.eval(smallvec![Value::f64(a), Value::f64(b)]);
    assert_eq!(rem(5.5, 2.0), Value::f64(1.5));
    assert_eq!(rem(-5.5, 2.0), Value::f64(-1.5));
    assert_eq!(rem(-4.0, 2.0), Value::f64(-0.0));
    assert_eq!(rem(1e300, 3.0), Value::f64(1e300 % 3.0));
    assert_eq!(rem(1.0, 0.0), Value::F64(F64_NAN));
    assert_eq!(rem(f64::INFINITY, 1.0), Value::F64(F64_NAN));
    assert_eq!(rem(1.0, f64::INFINITY), Value::f64(1.0));
}
