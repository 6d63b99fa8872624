//! How are IEEE floats taken apart, rounded and put together in a circuit?
//!
//! A float travels as its IEEE bits, with the one NaN of `logic` as the only NaN. An operation takes its operands apart
//! into sign, exponent and a significand whose top bit is set (subnormals are shifted up), computes a result that is
//! exact up to a sticky bit, and hands it to `round`, the only place that knows rounding, overflow and subnormals.
//!
//! The operations are in [`arith`], conversions and comparisons in [`convert`]. Rounding is to nearest, ties to even.

mod arith;
mod convert;

use logic::FloatSort;

use super::gates::{Gates, Wire};
use super::words::{self, Word, number, sign_extend, zero_extend};

/// The sizes of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of the exponent.
    exponent: usize,
    /// Bits of the significand, the hidden one included.
    precision: usize,
}

impl Format {
    pub(crate) fn new(sort: FloatSort) -> Format {
        match sort {
            FloatSort::F32 => Format { exponent: 8, precision: 24 },
            FloatSort::F64 => Format { exponent: 11, precision: 53 },
        }
    }

    fn of(word: &[Wire]) -> Format {
        Format::new(if word.len() == 32 { FloatSort::F32 } else { FloatSort::F64 })
    }

    fn width(self) -> usize {
        self.exponent + self.precision
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the smallest normal number.
    fn smallest(self) -> i64 {
        1 - self.bias()
    }

    /// Bits for the exponents of all numbers, with the sign and room for a sum of two.
    fn exponent_width(self) -> usize {
        self.exponent + 3
    }

    /// Zero, or with the exponent all ones infinity, without the sign.
    fn special(self, is_infinite: bool) -> Word {
        let mut bits = number(self.precision - 1, 0);
        bits.resize(self.width() - 1, Wire::constant(is_infinite));
        bits
    }

    fn nan(self) -> Word {
        let mut bits = self.special(true);
        bits[self.precision - 2] = Wire::TRUE;
        bits.push(Wire::FALSE);
        bits
    }
}

/// A float taken apart. The number is `significand * 2^(exponent - precision + 1)`, with the top bit of the significand
/// set unless it is zero; zero has a smaller exponent than every other number.
struct Parts {
    is_nan: Wire,
    is_infinite: Wire,
    is_zero: Wire,
    sign: Wire,
    /// Signed, of `Format::exponent_width` bits.
    exponent: Word,
    significand: Word,
}

fn signed(width: usize, value: i64) -> Word {
    (0..width).map(|i| Wire::constant(value >> i.min(63) & 1 == 1)).collect()
}

impl Gates {
    fn take_apart(&mut self, word: &[Wire]) -> Parts {
        let format = Format::of(word);
        let fraction = &word[..format.precision - 1];
        let field = &word[format.precision - 1..format.width() - 1];
        let all_ones = self.and_all(field);
        let is_small = self.is_zero(field);
        let no_fraction = self.is_zero(fraction);
        let mut significand = fraction.to_vec();
        significand.push(!is_small);
        let (significand, distance) = self.normalise(&significand);
        // Subnormals have the exponent of the smallest normal number.
        let width = format.exponent_width();
        let mut biased = zero_extend(field, width);
        biased[0] = self.or(biased[0], is_small);
        let unbiased = self.sub(&biased, &signed(width, format.bias()));
        let exponent = self.sub(&unbiased, &zero_extend(&distance, width));
        Parts {
            is_nan: self.and(all_ones, !no_fraction),
            is_infinite: self.and(all_ones, no_fraction),
            is_zero: self.and(is_small, no_fraction),
            sign: words::sign(word),
            exponent,
            significand,
        }
    }

    /// The float nearest to `significand * 2^(exponent - m + 1)`, with m the bits of the significand, whose lowest one
    /// may stand for anything lost below it. The exponent is signed; a zero significand yields zero with that sign.
    fn round(&mut self, format: Format, sign: Wire, exponent: &[Wire], significand: &[Wire]) -> Word {
        let nothing = self.is_zero(significand);
        // At least the precision, one bit to round by, and one to hold what is below that.
        let missing = (format.precision + 2).saturating_sub(significand.len());
        let mut padded = number(missing, 0);
        padded.extend_from_slice(significand);
        let (padded, distance) = self.normalise(&padded);
        let width = exponent.len().max(distance.len() + 1).max(format.exponent_width()) + 2;
        let exponent = sign_extend(exponent, width);
        let exponent = self.sub(&exponent, &zero_extend(&distance, width));

        let smallest = signed(width, format.smallest());
        let is_subnormal = self.slt(&exponent, &smallest);
        let below = self.sub(&smallest, &exponent);
        let below = self.mask(is_subnormal, &below);
        let shifted = self.shift_right_sticky(&padded, &below);
        let (rest, kept) = shifted.split_at(shifted.len() - format.precision);
        let (half, sticky) = rest.split_last().expect("there are two bits below the precision");
        let sticky = self.or_all(sticky);
        let above_tie = self.or(sticky, kept[0]);
        let up = self.and(*half, above_tie);

        let biased = self.add(&exponent, &signed(width, format.bias()));
        let field = self.mask(!is_subnormal, &biased[..format.exponent]);
        // The hidden bit is dropped; rounding up carries into the exponent just as it should, up to infinity.
        let mut magnitude = kept[..format.precision - 1].to_vec();
        magnitude.extend(field);
        let zero = number(magnitude.len(), 0);
        let magnitude = self.add_with_carry(&magnitude, &zero, up).0;
        let too_large = self.slt(&signed(width, format.bias()), &exponent);
        let magnitude = self.choose_word(too_large, &format.special(true), &magnitude);
        let mut result = self.mask(!nothing, &magnitude);
        result.push(sign);
        result
    }

    /// The result, or infinity with that sign, or NaN.
    fn with_specials(&mut self, is_nan: Wire, is_infinite: Wire, sign: Wire, result: &[Wire]) -> Word {
        let format = Format::of(result);
        let mut infinity = format.special(true);
        infinity.push(sign);
        let result = self.choose_word(is_infinite, &infinity, result);
        self.choose_word(is_nan, &format.nan(), &result)
    }

    pub(crate) fn is_nan(&mut self, word: &[Wire]) -> Wire {
        let format = Format::of(word);
        let all_ones = self.and_all(&word[format.precision - 1..format.width() - 1]);
        let fraction = self.or_all(&word[..format.precision - 1]);
        self.and(all_ones, fraction)
    }

    /// The float with these bits: every NaN becomes the one NaN.
    pub(crate) fn float_from_bits(&mut self, word: &[Wire]) -> Word {
        let is_nan = self.is_nan(word);
        self.choose_word(is_nan, &Format::of(word).nan(), word)
    }
}
