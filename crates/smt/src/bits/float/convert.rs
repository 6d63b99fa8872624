//! How do floats turn into other formats and integers, and back?
//!
//! To a float, everything is a significand and an exponent for `round`. To an integer, the significand is shifted by
//! the exponent and cut at the point; what does not fit is seen from the exponent alone.

use logic::FloatSort;

use super::super::gates::{Gates, Wire};
use super::super::words::{self, Word, zero_extend};
use super::{Format, signed};

impl Gates {
    pub(crate) fn float_to_float(&mut self, a: &[Wire], to: FloatSort) -> Word {
        let parts = self.take_apart(a);
        self.convert(&parts, Format::new(to))
    }

    pub(crate) fn bv_to_float(&mut self, a: &[Wire], is_signed: bool, to: FloatSort) -> Word {
        let sign = if is_signed { words::sign(a) } else { Wire::FALSE };
        let magnitude = self.negate_if(sign, a);
        let top = magnitude.len() - 1;
        let exponent_width = usize::BITS as usize - top.leading_zeros() as usize + 1;
        self.round(Format::new(to), sign, &signed(exponent_width, top as i64), &magnitude)
    }

    /// Rounded toward zero; only the top bit set where that does not fit.
    pub(crate) fn float_to_bv(&mut self, a: &[Wire], is_signed: bool, width: usize) -> Word {
        let precision = Format::of(a).precision;
        let parts = self.take_apart(a);
        let exponent_width = parts.exponent.len().max(usize::BITS as usize - width.leading_zeros() as usize + 2);
        let exponent = words::sign_extend(&parts.exponent, exponent_width);
        let is_fraction = words::sign(&exponent);
        // Bits of the magnitude that fit; a signed result of more is the smallest number or does not fit.
        let room = width as i64 - i64::from(is_signed);
        let fits = self.slt(&exponent, &signed(exponent_width, room));
        // The integer part has at most `width` bits where it fits: shift it past the point, which is below bit
        // `precision - 1`.
        let n_distance = usize::BITS as usize - width.leading_zeros() as usize;
        let distance = &exponent[..n_distance.min(exponent_width)];
        let shifted = self.shl(&zero_extend(&parts.significand, precision - 1 + width.max(1)), distance);
        let magnitude = self.mask(!is_fraction, &shifted[precision - 1..]);
        let value = if is_signed { self.negate_if(parts.sign, &magnitude) } else { magnitude };
        let mut otherwise = words::number(width, 0);
        otherwise[width - 1] = Wire::TRUE;
        let special = self.or(parts.is_nan, parts.is_infinite);
        let negative = self.and(parts.sign, !is_fraction);
        let wrong_sign = if is_signed { Wire::FALSE } else { self.and(negative, !parts.is_zero) };
        let is_out = self.or_all(&[special, wrong_sign, !fits]);
        self.choose_word(is_out, &otherwise, &value)
    }
}
