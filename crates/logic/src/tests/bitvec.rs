//! Bit-vector arithmetic against 128-bit machine arithmetic where that suffices, and by identities above.

use proptest::prelude::*;

use crate::BitVec;

fn truncate(width: u32, value: u128) -> u128 {
    if width == 128 { value } else { value & ((1 << width) - 1) }
}

fn signed(width: u32, value: u128) -> i128 {
    ((value << (128 - width)) as i128) >> (128 - width)
}

/// Numbers of a width, with the ends of the range and small ones more often than chance would have it.
fn numbers(width: u32) -> impl Strategy<Value = u128> {
    prop_oneof![any::<u128>(), 0u128..4, Just(u128::MAX), Just(1u128 << (width - 1)), any::<u64>().prop_map(u128::from)]
        .prop_map(move |value| truncate(width, value))
}

fn pairs() -> impl Strategy<Value = (u32, u128, u128)> {
    (1u32..=128).prop_flat_map(|width| (Just(width), numbers(width), numbers(width)))
}

fn wide() -> impl Strategy<Value = (u32, [BitVec; 3])> {
    (100u32..300).prop_flat_map(|width| {
        let limbs = || {
            (prop::array::uniform5(any::<u64>()), 0..width)
                .prop_map(move |(limbs, shift)| BitVec::from_limbs(width, &limbs).lshr_by(shift))
        };
        (Just(width), [limbs(), limbs(), limbs()])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn agrees_with_machine_arithmetic((width, a, b) in pairs()) {
        let (x, y) = (BitVec::from_u128(width, a), BitVec::from_u128(width, b));
        let (sa, sb) = (signed(width, a), signed(width, b));
        let ones = truncate(width, u128::MAX);
        let shift = |f: fn(u128, u32) -> u128| if b < u128::from(width) { f(a, b as u32) } else { 0 };
        let rows: [(&str, BitVec, u128); 16] = [
            ("add", x.add(&y), a.wrapping_add(b)),
            ("sub", x.sub(&y), a.wrapping_sub(b)),
            ("mul", x.mul(&y), a.wrapping_mul(b)),
            ("neg", x.neg(), a.wrapping_neg()),
            ("not", x.not(), !a),
            ("and", x.and(&y), a & b),
            ("or", x.or(&y), a | b),
            ("xor", x.xor(&y), a ^ b),
            ("udiv", x.udiv(&y), a.checked_div(b).unwrap_or(ones)),
            ("urem", x.urem(&y), a.checked_rem(b).unwrap_or(a)),
            ("sdiv", x.sdiv(&y), match sb {
                0 if sa < 0 => 1,
                0 => ones,
                _ => sa.wrapping_div(sb) as u128,
            }),
            ("srem", x.srem(&y), if sb == 0 { a } else { sa.wrapping_rem(sb) as u128 }),
            ("shl", x.shl(&y), shift(|a, n| a << n)),
            ("lshr", x.lshr(&y), shift(|a, n| a >> n)),
            ("ashr", x.ashr(&y), (sa >> b.min(127)) as u128),
            ("from_i128", BitVec::from_i128(width, sa), a),
        ];
        for (name, got, expected) in rows {
            prop_assert_eq!(got.width(), width);
            prop_assert_eq!(got.to_u128(), Some(truncate(width, expected)), "{} on {} and {}", name, a, b);
        }
        prop_assert_eq!(x.to_i128(), Some(sa));
        prop_assert_eq!([x.ult(&y), x.ule(&y), x.slt(&y), x.sle(&y)], [a < b, a <= b, sa < sb, sa <= sb]);
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
        prop_assert_eq!(x.bit_length(), 128 - a.leading_zeros());
        prop_assert_eq!(BitVec::from_bytes_le(width, &x.to_bytes_le()), x.clone());
        prop_assert_eq!(x.to_u64(), u64::try_from(a).ok());
        prop_assert_eq!(x.as_u64(), a as u64);
        if width <= 64 {
            prop_assert_eq!(i128::from(x.as_i64()), sa);
        }
        let joined = x.concat(&y);
        prop_assert_eq!(joined.width(), 2 * width);
        prop_assert_eq!(joined.extract(width - 1, 0), y);
        prop_assert_eq!(joined.extract(2 * width - 1, width), x.clone());
        prop_assert_eq!(x.sign_extend(200).to_i128(), Some(sa));
        prop_assert_eq!(x.zero_extend(200).to_u128(), Some(a));
    }

    #[test]
    fn wide_vectors_obey_the_laws((width, [a, b, c]) in wide()) {
        let zero = BitVec::zero(width);
        prop_assert_eq!(a.add(&b).sub(&b), a.clone());
        prop_assert_eq!(a.mul(&b.add(&c)), a.mul(&b).add(&a.mul(&c)));
        prop_assert_eq!(a.mul(&b).mul(&c), a.mul(&b.mul(&c)));
        prop_assert_eq!(a.sub(&b), b.sub(&a).neg());
        prop_assert_eq!(a.xor(&b), a.or(&b).and(&a.and(&b).not()));
        prop_assert_eq!(a.udiv(&b).mul(&b).add(&a.urem(&b)), a.clone());
        if !b.is_zero() {
            prop_assert!(a.urem(&b).ult(&b));
            prop_assert_eq!(a.sdiv(&b).mul(&b).add(&a.srem(&b)), a.clone());
            prop_assert!(a.srem(&b).is_zero() || a.srem(&b).is_negative() == a.is_negative());
            // The quotient is the right one, not just one that fits modulo 2^width.
            let double = 2 * width;
            let product = a.udiv(&b).zero_extend(double).mul(&b.zero_extend(double));
            prop_assert!(product.ule(&a.zero_extend(double)));
        }
        for n in [0, 1, 63, 64, 65, width - 1, width, width + 1] {
            let power = BitVec::new(width, 1).shl_by(n);
            prop_assert_eq!(a.shl_by(n), a.mul(&power));
            prop_assert_eq!(a.lshr_by(n), if n >= width { zero.clone() } else { a.udiv(&power) });
            let amount = BitVec::new(width, n.into());
            prop_assert_eq!(a.ashr(&amount), a.sign_extend(2 * width).lshr_by(n.min(width)).extract(width - 1, 0));
        }
        prop_assert_eq!(a.ult(&b), a.zero_extend(width + 1).sub(&b.zero_extend(width + 1)).is_negative());
        prop_assert_eq!(a.slt(&b), a.sign_extend(width + 1).sub(&b.sign_extend(width + 1)).is_negative());
        prop_assert_eq!(BitVec::from_bytes_le(width, &a.to_bytes_le()), a.clone());
        prop_assert_eq!((0..width).filter(|&i| a.bit(i)).count() as u32,
            a.limbs().iter().map(|limb| limb.count_ones()).sum::<u32>());
    }
}
