//! How does arithmetic on fixed-width machine integers behave?
//!
//! A `BitVec` is a width and that many bits; arithmetic wraps, signs are a matter of the operation, and the corner
//! cases are those of SMT-LIB: dividing by zero yields all ones (unsigned) or plus/minus one (signed), the remainder by
//! zero is the dividend, and shifting by the width or more yields zero (or the sign). Up to 64 bits live inline; wider
//! vectors are little-endian 64-bit limbs on the heap and need not be fast.
//!
//! Invariant: bits at or above the width are zero, and the representation is inline exactly if the width is at most 64,
//! so derived equality and hashing are equality of width and bits.

use std::cmp::Ordering;

/// A bit-vector of any width from one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BitVec {
    width: u32,
    bits: Bits,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Bits {
    Inline(u64),
    Limbs(Box<[u64]>),
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn n_limbs(width: u32) -> usize {
    width.div_ceil(64) as usize
}

impl BitVec {
    /// The low `width` bits of `value`, extended with zeros if `width` is above 64.
    pub fn new(width: u32, value: u64) -> BitVec {
        assert!(width >= 1, "a bit-vector has at least one bit");
        if width <= 64 {
            BitVec { width, bits: Bits::Inline(value & mask(width)) }
        } else {
            BitVec::from_limbs(width, &[value])
        }
    }

    /// The low `width` bits of `value`, extended with zeros.
    pub fn from_u128(width: u32, value: u128) -> BitVec {
        BitVec::from_limbs(width, &[value as u64, (value >> 64) as u64])
    }

    /// The low `width` bits of `value`, extended with its sign.
    pub fn from_i128(width: u32, value: i128) -> BitVec {
        let low = BitVec::from_u128(width.min(128), value as u128);
        if width > 128 { low.sign_extend(width) } else { low }
    }

    /// The low `width` bits of a little-endian sequence of limbs, extended with zeros.
    pub fn from_limbs(width: u32, limbs: &[u64]) -> BitVec {
        assert!(width >= 1, "a bit-vector has at least one bit");
        if width <= 64 {
            return BitVec::new(width, limbs.first().copied().unwrap_or(0));
        }
        let mut own: Vec<u64> = limbs.iter().copied().take(n_limbs(width)).collect();
        own.resize(n_limbs(width), 0);
        if !width.is_multiple_of(64) {
            *own.last_mut().expect("wide vectors have limbs") &= mask(width % 64);
        }
        BitVec { width, bits: Bits::Limbs(own.into()) }
    }

    /// Little-endian bytes; missing bytes are zero, bits at or above the width are dropped.
    pub fn from_bytes_le(width: u32, bytes: &[u8]) -> BitVec {
        let limbs: Vec<u64> = bytes
            .chunks(8)
            .map(|chunk| chunk.iter().rev().fold(0, |limb, &byte| (limb << 8) | u64::from(byte)))
            .collect();
        BitVec::from_limbs(width, &limbs)
    }

    /// Little-endian bytes, as many as the width needs (the last one padded with zeros).
    pub fn to_bytes_le(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.limbs().iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(self.width.div_ceil(8) as usize);
        bytes
    }

    /// All bits zero.
    pub fn zero(width: u32) -> BitVec {
        BitVec::new(width, 0)
    }

    /// All bits one: the largest unsigned number, minus one if signed.
    pub fn ones(width: u32) -> BitVec {
        BitVec::zero(width).not()
    }

    /// The smallest signed number: only the top bit set.
    pub fn signed_min(width: u32) -> BitVec {
        BitVec::new(width, 1).shl_by(width - 1)
    }

    /// The largest signed number: all bits but the top one.
    pub fn signed_max(width: u32) -> BitVec {
        BitVec::signed_min(width).not()
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The bits as little-endian limbs; bits at or above the width are zero.
    pub fn limbs(&self) -> &[u64] {
        match &self.bits {
            Bits::Inline(bits) => std::slice::from_ref(bits),
            Bits::Limbs(limbs) => limbs,
        }
    }

    /// The unsigned number, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        let (low, rest) = self.limbs().split_first().expect("there is at least one limb");
        rest.iter().all(|&limb| limb == 0).then_some(*low)
    }

    /// The low 64 bits.
    pub fn as_u64(&self) -> u64 {
        self.limbs()[0]
    }

    /// The signed number for widths up to 64; the low 64 bits of wider vectors.
    pub fn as_i64(&self) -> i64 {
        let unused = 64u32.saturating_sub(self.width);
        ((self.as_u64() << unused) as i64) >> unused
    }

    /// The unsigned number, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        let limbs = self.limbs();
        let high = limbs.get(1).copied().unwrap_or(0);
        let fits = limbs.iter().skip(2).all(|&limb| limb == 0);
        fits.then_some(u128::from(limbs[0]) | (u128::from(high) << 64))
    }

    /// The signed number, if it fits (always up to width 128).
    pub fn to_i128(&self) -> Option<i128> {
        let low = self.resized(128, true);
        let fits = self.width <= 128 || low.sign_extend(self.width) == *self;
        fits.then(|| low.to_u128().expect("128 bits fit") as i128)
    }

    /// Bit `i`, counted from the least significant; false at or above the width.
    pub fn bit(&self, i: u32) -> bool {
        i < self.width && (self.limbs()[(i / 64) as usize] >> (i % 64)) & 1 == 1
    }

    /// Whether all bits are zero.
    pub fn is_zero(&self) -> bool {
        self.limbs().iter().all(|&limb| limb == 0)
    }

    /// Whether all bits are one.
    pub fn is_ones(&self) -> bool {
        *self == BitVec::ones(self.width)
    }

    /// The top bit.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// The number of bits up to the highest one; zero for zero.
    pub fn bit_length(&self) -> u32 {
        let limbs = self.limbs();
        match limbs.iter().rposition(|&limb| limb != 0) {
            Some(i) => i as u32 * 64 + 64 - limbs[i].leading_zeros(),
            None => 0,
        }
    }

    fn same_width(&self, other: &BitVec) {
        assert_eq!(self.width, other.width, "bit-vector operands must have one width");
    }

    fn zip(&self, other: &BitVec, f: impl Fn(u64, u64) -> u64) -> BitVec {
        self.same_width(other);
        match (&self.bits, &other.bits) {
            (&Bits::Inline(a), &Bits::Inline(b)) => BitVec::new(self.width, f(a, b)),
            _ => {
                let limbs: Vec<u64> = self.limbs().iter().zip(other.limbs()).map(|(&a, &b)| f(a, b)).collect();
                BitVec::from_limbs(self.width, &limbs)
            }
        }
    }

    /// Bitwise complement.
    pub fn not(&self) -> BitVec {
        self.zip(self, |a, _| !a)
    }

    /// Bitwise and.
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a & b)
    }

    /// Bitwise or.
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a | b)
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.zip(other, |a, b| a ^ b)
    }

    /// Sum modulo 2^width.
    pub fn add(&self, other: &BitVec) -> BitVec {
        if self.width <= 64 {
            return self.zip(other, u64::wrapping_add);
        }
        self.same_width(other);
        let mut carry = false;
        let mut sum = Vec::with_capacity(self.limbs().len());
        for (&a, &b) in self.limbs().iter().zip(other.limbs()) {
            let (partial, first) = a.overflowing_add(b);
            let (limb, second) = partial.overflowing_add(u64::from(carry));
            carry = first | second;
            sum.push(limb);
        }
        BitVec::from_limbs(self.width, &sum)
    }

    /// Difference modulo 2^width.
    pub fn sub(&self, other: &BitVec) -> BitVec {
        if self.width <= 64 {
            return self.zip(other, u64::wrapping_sub);
        }
        self.add(&other.neg())
    }

    /// Two's complement.
    pub fn neg(&self) -> BitVec {
        self.not().add(&BitVec::new(self.width, 1))
    }

    /// Product modulo 2^width.
    pub fn mul(&self, other: &BitVec) -> BitVec {
        if self.width <= 64 {
            return self.zip(other, u64::wrapping_mul);
        }
        self.same_width(other);
        let n = self.limbs().len();
        let mut product = vec![0u64; n];
        for (i, &a) in self.limbs().iter().enumerate() {
            let mut carry = 0u128;
            for (j, &b) in other.limbs()[..n - i].iter().enumerate() {
                let limb = u128::from(a) * u128::from(b) + u128::from(product[i + j]) + carry;
                product[i + j] = limb as u64;
                carry = limb >> 64;
            }
        }
        BitVec::from_limbs(self.width, &product)
    }

    /// Quotient and remainder of a division by something other than zero.
    fn divide(&self, divisor: &BitVec) -> (BitVec, BitVec) {
        if let (Some(a), Some(b)) = (self.to_u128(), divisor.to_u128()) {
            return (BitVec::from_u128(self.width, a / b), BitVec::from_u128(self.width, a % b));
        }
        let mut quotient = vec![0u64; self.limbs().len()];
        // One spare bit, since the remainder is doubled before it is compared.
        let divisor = divisor.zero_extend(self.width + 1);
        let mut remainder = BitVec::zero(self.width + 1);
        for i in (0..self.bit_length()).rev() {
            remainder = remainder.shl_by(1).or(&BitVec::new(self.width + 1, u64::from(self.bit(i))));
            if divisor.ule(&remainder) {
                remainder = remainder.sub(&divisor);
                quotient[(i / 64) as usize] |= 1 << (i % 64);
            }
        }
        (BitVec::from_limbs(self.width, &quotient), remainder.extract(self.width - 1, 0))
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    pub fn udiv(&self, other: &BitVec) -> BitVec {
        self.same_width(other);
        if other.is_zero() { BitVec::ones(self.width) } else { self.divide(other).0 }
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    pub fn urem(&self, other: &BitVec) -> BitVec {
        self.same_width(other);
        if other.is_zero() { self.clone() } else { self.divide(other).1 }
    }

    fn magnitude(&self) -> BitVec {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// Signed quotient rounded toward zero; dividing by zero yields 1 for a negative dividend and minus one otherwise,
    /// and the smallest number divided by minus one is itself.
    pub fn sdiv(&self, other: &BitVec) -> BitVec {
        let quotient = self.magnitude().udiv(&other.magnitude());
        if self.is_negative() != other.is_negative() { quotient.neg() } else { quotient }
    }

    /// Signed remainder with the sign of the dividend; the dividend if the divisor is zero.
    pub fn srem(&self, other: &BitVec) -> BitVec {
        let remainder = self.magnitude().urem(&other.magnitude());
        if self.is_negative() { remainder.neg() } else { remainder }
    }

    /// The shift distance, with everything at or above the width taken as the width.
    fn distance(&self, amount: &BitVec) -> u32 {
        self.same_width(amount);
        amount.to_u64().map_or(self.width, |n| n.min(u64::from(self.width)) as u32)
    }

    /// Shift left, filling with zeros; zero if the amount (unsigned) is at least the width.
    pub fn shl(&self, amount: &BitVec) -> BitVec {
        self.shl_by(self.distance(amount))
    }

    /// Shift right, filling with zeros; zero if the amount (unsigned) is at least the width.
    pub fn lshr(&self, amount: &BitVec) -> BitVec {
        self.lshr_by(self.distance(amount))
    }

    /// Shift right, filling with the sign; only sign bits if the amount (unsigned) is at least the width.
    pub fn ashr(&self, amount: &BitVec) -> BitVec {
        let distance = self.distance(amount);
        if self.is_negative() { self.not().lshr_by(distance).not() } else { self.lshr_by(distance) }
    }

    /// Shift left by a plain number.
    pub fn shl_by(&self, n: u32) -> BitVec {
        if n >= self.width {
            return BitVec::zero(self.width);
        }
        if let Bits::Inline(bits) = self.bits {
            return BitVec::new(self.width, bits << n);
        }
        let (whole, part) = ((n / 64) as usize, n % 64);
        let limbs = self.limbs();
        let at = |i: Option<usize>| i.map_or(0, |i| limbs[i]);
        let shifted: Vec<u64> = (0..limbs.len())
            .map(|i| {
                let high = at(i.checked_sub(whole)) << part;
                let low = if part == 0 { 0 } else { at(i.checked_sub(whole + 1)) >> (64 - part) };
                high | low
            })
            .collect();
        BitVec::from_limbs(self.width, &shifted)
    }

    /// Shift right by a plain number, filling with zeros.
    pub fn lshr_by(&self, n: u32) -> BitVec {
        if n >= self.width {
            return BitVec::zero(self.width);
        }
        BitVec::from_limbs(self.width, &self.limbs_from(n))
    }

    fn limbs_from(&self, n: u32) -> Vec<u64> {
        let (whole, part) = ((n / 64) as usize, n % 64);
        let limbs = self.limbs();
        let at = |i: usize| limbs.get(i).copied().unwrap_or(0);
        (whole..limbs.len())
            .map(|i| {
                let low = at(i) >> part;
                let high = if part == 0 { 0 } else { at(i + 1) << (64 - part) };
                high | low
            })
            .collect()
    }

    /// Unsigned order of vectors of one width.
    fn compare(&self, other: &BitVec) -> Ordering {
        self.limbs().iter().rev().cmp(other.limbs().iter().rev())
    }

    /// Unsigned less than.
    pub fn ult(&self, other: &BitVec) -> bool {
        self.same_width(other);
        self.compare(other) == Ordering::Less
    }

    /// Unsigned less than or equal.
    pub fn ule(&self, other: &BitVec) -> bool {
        !other.ult(self)
    }

    /// Signed less than.
    pub fn slt(&self, other: &BitVec) -> bool {
        match (self.is_negative(), other.is_negative()) {
            (true, false) => true,
            (false, true) => false,
            _ => self.ult(other),
        }
    }

    /// Signed less than or equal.
    pub fn sle(&self, other: &BitVec) -> bool {
        !other.slt(self)
    }

    /// `self` as the high bits, `low` as the low bits.
    pub fn concat(&self, low: &BitVec) -> BitVec {
        let width = self.width + low.width;
        self.zero_extend(width).shl_by(low.width).or(&low.zero_extend(width))
    }

    /// Bits `hi` down to `lo`, both included.
    pub fn extract(&self, hi: u32, lo: u32) -> BitVec {
        assert!(lo <= hi && hi < self.width, "bits {hi} to {lo} of a bit-vector of width {}", self.width);
        match self.bits {
            Bits::Inline(bits) => BitVec::new(hi - lo + 1, bits >> lo),
            Bits::Limbs(_) => BitVec::from_limbs(hi - lo + 1, &self.limbs_from(lo)),
        }
    }

    /// Filled up to `width` bits with zeros.
    pub fn zero_extend(&self, width: u32) -> BitVec {
        assert!(width >= self.width, "extending {} bits to {width}", self.width);
        BitVec::from_limbs(width, self.limbs())
    }

    /// Filled up to `width` bits with the sign.
    pub fn sign_extend(&self, width: u32) -> BitVec {
        if self.is_negative() { self.not().zero_extend(width).not() } else { self.zero_extend(width) }
    }

    /// Cut down or extended (with the sign if `signed`) to `width` bits.
    pub fn resized(&self, width: u32, signed: bool) -> BitVec {
        if width <= self.width {
            self.extract(width - 1, 0)
        } else if signed {
            self.sign_extend(width)
        } else {
            self.zero_extend(width)
        }
    }
}

impl Ord for BitVec {
    /// By width, then as unsigned numbers.
    fn cmp(&self, other: &BitVec) -> Ordering {
        self.width.cmp(&other.width).then_with(|| self.compare(other))
    }
}

impl PartialOrd for BitVec {
    fn partial_cmp(&self, other: &BitVec) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
