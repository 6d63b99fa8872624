//! How do sums, products, quotients, roots and remainders of floats look as circuits?
//!
//! Each computes on significands as integers, far enough that one more bit can stand for everything below, and leaves
//! the rest to `round`. Quotients and roots are digit by digit; the remainder of `fmod` doubles and subtracts once for
//! each step between the exponents, which for `f64` are up to 2097: that circuit has about half a million gates.

use super::super::gates::{Gates, Wire};
use super::super::words::{self, Word, not, number, sign_extend, zero_extend};
use super::{Format, Parts, signed};

impl Gates {
    pub(crate) fn fadd(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let format = Format::of(a);
        let magnitude = format.width() - 1;
        // The larger in magnitude goes first, so the difference of significands is not negative.
        let swap = self.ult(&a[..magnitude], &b[..magnitude]);
        let (a, b) = (self.choose_word(swap, b, a), self.choose_word(swap, a, b));
        let (a, b) = (self.take_apart(&a), self.take_apart(&b));
        let differ = self.xor(a.sign, b.sign);
        let distance = self.sub(&a.exponent, &b.exponent);
        // Three bits below the precision: one may move up by normalising, one is to round by, one holds the rest.
        let mut large = number(3, 0);
        large.extend(&a.significand);
        large.push(Wire::FALSE);
        let mut small = number(3, 0);
        small.extend(&b.significand);
        small.push(Wire::FALSE);
        let small = self.shift_right_sticky(&small, &distance);
        let small: Word = small.iter().map(|&bit| self.xor(bit, differ)).collect();
        let sum = self.add_with_carry(&large, &small, differ).0;
        let exponent = self.increment(&a.exponent);
        // An exact zero is minus zero only if both operands are.
        let nothing = self.is_zero(&sum);
        let both_negative = self.and(a.sign, b.sign);
        let sign = self.choose(nothing, both_negative, a.sign);
        let result = self.round(format, sign, &exponent, &sum);
        let one_nan = self.or(a.is_nan, b.is_nan);
        let both_infinite = self.and(a.is_infinite, b.is_infinite);
        let cancels = self.and(both_infinite, differ);
        let is_nan = self.or(one_nan, cancels);
        let is_infinite = self.or(a.is_infinite, b.is_infinite);
        // Infinity is the larger in magnitude; a NaN there is seen to by `is_nan`.
        self.with_specials(is_nan, is_infinite, a.sign, &result)
    }

    pub(crate) fn fsub(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let mut flipped = b.to_vec();
        let sign = flipped.last_mut().expect("floats have bits");
        *sign = !*sign;
        self.fadd(a, &flipped)
    }

    pub(crate) fn fmul(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let format = Format::of(a);
        let (a, b) = (self.take_apart(a), self.take_apart(b));
        let sign = self.xor(a.sign, b.sign);
        let product = self.mul(&a.significand, &b.significand, 2 * format.precision);
        let exponent = self.add_with_carry(&a.exponent, &b.exponent, Wire::TRUE).0;
        let result = self.round(format, sign, &exponent, &product);
        let is_infinite = self.or(a.is_infinite, b.is_infinite);
        let some_zero = self.or(a.is_zero, b.is_zero);
        let undefined = self.and(is_infinite, some_zero);
        let one_nan = self.or(a.is_nan, b.is_nan);
        let is_nan = self.or(one_nan, undefined);
        self.with_specials(is_nan, is_infinite, sign, &result)
    }

    pub(crate) fn fdiv(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let format = Format::of(a);
        let (a, b) = (self.take_apart(a), self.take_apart(b));
        let sign = self.xor(a.sign, b.sign);
        let divisor = zero_extend(&b.significand, format.precision + 1);
        let mut remainder = zero_extend(&a.significand, format.precision + 1);
        let mut quotient = Vec::new();
        // The quotient of two significands with the top bit set is between a half and two: one digit before the point.
        for _ in 0..format.precision + 2 {
            let (difference, fits) = self.add_with_carry(&remainder, &not(&divisor), Wire::TRUE);
            quotient.push(fits);
            let kept = self.choose_word(fits, &difference, &remainder);
            remainder = vec![Wire::FALSE];
            remainder.extend_from_slice(&kept[..format.precision]);
        }
        quotient.push(self.or_all(&remainder));
        quotient.reverse();
        let exponent = self.sub(&a.exponent, &b.exponent);
        let result = self.round(format, sign, &exponent, &quotient);
        let vanishes = self.or(a.is_zero, b.is_infinite);
        let mut zero = format.special(false);
        zero.push(sign);
        let result = self.choose_word(vanishes, &zero, &result);
        let both_zero = self.and(a.is_zero, b.is_zero);
        let both_infinite = self.and(a.is_infinite, b.is_infinite);
        let is_nan = self.or_all(&[a.is_nan, b.is_nan, both_zero, both_infinite]);
        let is_infinite = self.or(a.is_infinite, b.is_zero);
        self.with_specials(is_nan, is_infinite, sign, &result)
    }

    pub(crate) fn fsqrt(&mut self, a: &[Wire]) -> Word {
        let format = Format::of(a);
        let parts = self.take_apart(a);
        // With an even exponent the number under the root is between one and four, and its root between one and two.
        let odd = parts.exponent[0];
        let mut radicand = parts.significand.clone();
        radicand.push(Wire::FALSE);
        let mut doubled = vec![Wire::FALSE];
        doubled.extend(&parts.significand);
        let radicand = self.choose_word(odd, &doubled, &radicand);
        let exponent = sign_extend(&parts.exponent[1..], parts.exponent.len());
        let n_digits = format.precision + 2;
        let mut digits = radicand.iter().rev().copied().chain(std::iter::repeat(Wire::FALSE));
        let mut root: Word = Vec::new();
        let mut remainder: Word = Vec::new();
        for _ in 0..n_digits {
            let (high, low) = (digits.next(), digits.next());
            remainder.insert(0, high.expect("digits are endless"));
            remainder.insert(0, low.expect("digits are endless"));
            // Whether the remainder is at least `4 * root + 1`, the growth of the square by one more digit.
            let mut growth = vec![Wire::TRUE, Wire::FALSE];
            growth.extend(&root);
            let width = remainder.len().max(growth.len());
            let (padded, growth) = (zero_extend(&remainder, width), zero_extend(&growth, width));
            let (difference, fits) = self.add_with_carry(&padded, &not(&growth), Wire::TRUE);
            root.insert(0, fits);
            remainder = self.choose_word(fits, &difference, &padded);
            // The remainder is at most twice the root.
            remainder.truncate(root.len() + 1);
        }
        let mut significand = vec![self.or_all(&remainder)];
        significand.extend(root);
        let result = self.round(format, Wire::FALSE, &exponent, &significand);
        let result = self.choose_word(parts.is_zero, a, &result);
        let negative = self.and(parts.sign, !parts.is_zero);
        let is_nan = self.or(parts.is_nan, negative);
        self.with_specials(is_nan, parts.is_infinite, Wire::FALSE, &result)
    }

    /// C's `fmod`.
    pub(crate) fn frem(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let format = Format::of(a);
        let magnitude = format.width() - 1;
        let is_smaller = self.ult(&a[..magnitude], &b[..magnitude]);
        let (x, y) = (self.take_apart(a), self.take_apart(b));
        let width = format.precision + 1;
        let divisor = zero_extend(&y.significand, width);
        let distance = self.sub(&x.exponent, &y.exponent);
        // Invariant: the remainder is less than twice the divisor.
        let mut remainder = zero_extend(&x.significand, width);
        let n_steps = 2 * format.bias() + format.precision as i64 - 2;
        for step in 1..=n_steps {
            let is_due = !self.slt(&distance, &signed(distance.len(), step));
            let (difference, fits) = self.add_with_carry(&remainder, &not(&divisor), Wire::TRUE);
            let reduced = self.choose_word(fits, &difference, &remainder);
            let mut doubled = vec![Wire::FALSE];
            doubled.extend_from_slice(&reduced[..width - 1]);
            remainder = self.choose_word(is_due, &doubled, &remainder);
        }
        let (difference, fits) = self.add_with_carry(&remainder, &not(&divisor), Wire::TRUE);
        let reduced = self.choose_word(fits, &difference, &remainder);
        let result = self.round(format, x.sign, &y.exponent, &reduced[..format.precision]);
        let result = self.choose_word(is_smaller, a, &result);
        let is_nan = self.or_all(&[x.is_nan, y.is_nan, x.is_infinite, y.is_zero]);
        self.with_specials(is_nan, Wire::FALSE, Wire::FALSE, &result)
    }

    pub(crate) fn fneg(&mut self, a: &[Wire]) -> Word {
        let is_nan = self.is_nan(a);
        let mut result = a.to_vec();
        let sign = result.last_mut().expect("floats have bits");
        // The one NaN is positive and stays so.
        *sign = self.choose(is_nan, *sign, !*sign);
        result
    }

    pub(crate) fn fabs(&mut self, a: &[Wire]) -> Word {
        let mut result = a.to_vec();
        *result.last_mut().expect("floats have bits") = Wire::FALSE;
        result
    }

    fn both_zero(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let magnitude = a.len() - 1;
        let (a, b) = (self.is_zero(&a[..magnitude]), self.is_zero(&b[..magnitude]));
        self.and(a, b)
    }

    fn no_nan(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let (a, b) = (self.is_nan(a), self.is_nan(b));
        self.and(!a, !b)
    }

    pub(crate) fn feq(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let same = self.words_equal(a, b);
        let zeros = self.both_zero(a, b);
        let equal = self.or(same, zeros);
        let numbers = self.no_nan(a, b);
        self.and(numbers, equal)
    }

    pub(crate) fn flt(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let magnitude = a.len() - 1;
        let (a_negative, b_negative) = (words::sign(a), words::sign(b));
        let less = self.ult(&a[..magnitude], &b[..magnitude]);
        let greater = self.ult(&b[..magnitude], &a[..magnitude]);
        let zeros = self.both_zero(a, b);
        // Of one sign the magnitudes decide, of two the sign does, but zero is not less than zero.
        let if_negative = self.choose(b_negative, greater, !zeros);
        let if_positive = self.and(!b_negative, less);
        let ordered = self.choose(a_negative, if_negative, if_positive);
        let numbers = self.no_nan(a, b);
        self.and(numbers, ordered)
    }

    pub(crate) fn fle(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let (less, equal) = (self.flt(a, b), self.feq(a, b));
        self.or(less, equal)
    }

    pub(super) fn convert(&mut self, parts: &Parts, to: Format) -> Word {
        let result = self.round(to, parts.sign, &parts.exponent, &parts.significand);
        self.with_specials(parts.is_nan, parts.is_infinite, parts.sign, &result)
    }
}
