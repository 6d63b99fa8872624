//! Which circuits compute on machine words?
//!
//! A word is its bits from the least significant on. Sums are ripple-carry adders of exclusive or and majority gates,
//! products are shifted sums (over the signed digits of a factor that is constant), quotients come from restoring
//! division, shifts from one choice a bit of the distance. Where an operand is constant, the gate constructors fold
//! most of a circuit away, so there are few special cases here.
//!
//! All meanings, division by zero included, are those of `logic::Op`.

use logic::BitVec;

use super::gates::{Gates, Wire};

/// Bits from the least significant on.
pub(crate) type Word = Vec<Wire>;

pub(crate) fn constant(value: &BitVec) -> Word {
    (0..value.width()).map(|i| Wire::constant(value.bit(i))).collect()
}

pub(crate) fn number(width: usize, value: u64) -> Word {
    (0..width).map(|i| Wire::constant(i < 64 && value >> i & 1 == 1)).collect()
}

/// The value, if all bits are constant.
pub(crate) fn as_constant(word: &[Wire]) -> Option<BitVec> {
    let mut limbs = vec![0u64; word.len().div_ceil(64)];
    for (i, wire) in word.iter().enumerate() {
        limbs[i / 64] |= u64::from(wire.as_constant()?) << (i % 64);
    }
    Some(BitVec::from_limbs(word.len() as u32, &limbs))
}

pub(crate) fn zero_extend(word: &[Wire], width: usize) -> Word {
    let mut result = word.to_vec();
    result.resize(width, Wire::FALSE);
    result
}

pub(crate) fn sign_extend(word: &[Wire], width: usize) -> Word {
    let mut result = word.to_vec();
    result.resize(width, sign(word));
    result
}

pub(crate) fn sign(word: &[Wire]) -> Wire {
    *word.last().expect("a word has at least one bit")
}

pub(crate) fn not(word: &[Wire]) -> Word {
    word.iter().map(|&wire| !wire).collect()
}

impl Gates {
    /// Bit by bit.
    pub(crate) fn zip(&mut self, a: &[Wire], b: &[Wire], gate: fn(&mut Gates, Wire, Wire) -> Wire) -> Word {
        debug_assert_eq!(a.len(), b.len(), "words of one width");
        a.iter().zip(b).map(|(&a, &b)| gate(self, a, b)).collect()
    }

    pub(crate) fn choose_word(&mut self, condition: Wire, then: &[Wire], otherwise: &[Wire]) -> Word {
        debug_assert_eq!(then.len(), otherwise.len(), "words of one width");
        then.iter().zip(otherwise).map(|(&t, &e)| self.choose(condition, t, e)).collect()
    }

    /// Each bit only if the condition holds.
    pub(crate) fn mask(&mut self, condition: Wire, word: &[Wire]) -> Word {
        word.iter().map(|&bit| self.and(condition, bit)).collect()
    }

    pub(crate) fn words_equal(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let bits = self.zip(a, b, Gates::same);
        self.and_all(&bits)
    }

    pub(crate) fn is_zero(&mut self, word: &[Wire]) -> Wire {
        !self.or_all(word)
    }

    /// `a + b + carry` and the carry out.
    pub(crate) fn add_with_carry(&mut self, a: &[Wire], b: &[Wire], mut carry: Wire) -> (Word, Wire) {
        debug_assert_eq!(a.len(), b.len(), "words of one width");
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, next) = self.full_add(a, b, carry);
            sum.push(bit);
            carry = next;
        }
        (sum, carry)
    }

    pub(crate) fn add(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        self.add_with_carry(a, b, Wire::FALSE).0
    }

    pub(crate) fn sub(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        self.add_with_carry(a, &not(b), Wire::TRUE).0
    }

    pub(crate) fn neg(&mut self, a: &[Wire]) -> Word {
        let zero = number(a.len(), 0);
        self.sub(&zero, a)
    }

    pub(crate) fn increment(&mut self, a: &[Wire]) -> Word {
        let zero = number(a.len(), 0);
        self.add_with_carry(a, &zero, Wire::TRUE).0
    }

    /// Two's complement if the condition holds.
    pub(crate) fn negate_if(&mut self, condition: Wire, a: &[Wire]) -> Word {
        let flipped: Word = a.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zero = number(a.len(), 0);
        self.add_with_carry(&flipped, &zero, condition).0
    }

    pub(crate) fn ult(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        // The borrow of `a - b`, without the difference.
        a.iter().zip(b).fold(Wire::FALSE, |borrow, (&a, &b)| self.majority(!a, b, borrow))
    }

    pub(crate) fn slt(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for word in [&mut a, &mut b] {
            let top = word.last_mut().expect("a word has at least one bit");
            *top = !*top;
        }
        self.ult(&a, &b)
    }

    /// The low `width` bits of the product.
    pub(crate) fn mul(&mut self, a: &[Wire], b: &[Wire], width: usize) -> Word {
        let n_constant = |word: &[Wire]| word.iter().filter(|wire| wire.as_constant().is_some()).count();
        let (many, few) = if n_constant(a) > n_constant(b) { (b, a) } else { (a, b) };
        if let Some(factor) = as_constant(few) {
            return self.mul_by_constant(many, &factor, width);
        }
        let mut sum = number(width, 0);
        for (i, &bit) in few.iter().enumerate().take(width) {
            let row = self.mask(bit, &many[..many.len().min(width - i)]);
            // Above the row and the carry, the sum so far is zero.
            let top = (i + row.len()).min(width);
            let (partial, carry) = self.add_with_carry(&sum[i..top], &row, Wire::FALSE);
            sum[i..top].copy_from_slice(&partial);
            if top < width {
                sum[top] = carry;
            }
        }
        sum
    }

    /// Sums and differences of shifted copies, one for each digit of the factor in the form with digits -1, 0 and 1.
    fn mul_by_constant(&mut self, a: &[Wire], factor: &BitVec, width: usize) -> Word {
        let a = zero_extend(&a[..a.len().min(width)], width);
        let mut sum = number(width, 0);
        let mut carry = false;
        let bit = |i: usize| i < factor.width() as usize && factor.bit(i as u32);
        for i in 0..width {
            let digit = u8::from(bit(i)) + u8::from(carry);
            let follows = bit(i + 1);
            // A run of ones becomes one subtraction below and one addition above it.
            let (subtract, add) = match digit {
                1 => (follows, !follows),
                _ => (false, false),
            };
            carry = digit == 2 || (digit == 1 && follows);
            let shifted = &a[..width - i];
            let high = if add {
                self.add(&sum[i..], shifted)
            } else if subtract {
                self.sub(&sum[i..], shifted)
            } else {
                continue;
            };
            sum.truncate(i);
            sum.extend(high);
        }
        sum
    }

    /// Unsigned quotient and remainder; all ones and the dividend where the divisor is zero.
    pub(crate) fn divide(&mut self, a: &[Wire], b: &[Wire]) -> (Word, Word) {
        let width = a.len();
        let mut quotient = vec![Wire::FALSE; width];
        let mut remainder: Word = Vec::with_capacity(width);
        for i in (0..width).rev() {
            remainder.insert(0, a[i]);
            // The remainder has only as many bits as were brought down; if the divisor has more, nothing is subtracted.
            let n = remainder.len();
            let (difference, fits) = self.add_with_carry(&remainder, &not(&b[..n]), Wire::TRUE);
            let small = self.is_zero(&b[n..]);
            let fits = self.and(fits, small);
            quotient[i] = fits;
            remainder = self.choose_word(fits, &difference, &remainder);
        }
        // By zero, every subtraction fits and changes nothing, which yields the right results without a special case.
        (quotient, remainder)
    }

    pub(crate) fn sdiv(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let quotient = self.divide(&x, &y).0;
        let negative = self.xor(sign(a), sign(b));
        self.negate_if(negative, &quotient)
    }

    pub(crate) fn srem(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let remainder = self.divide(&x, &y).1;
        self.negate_if(sign(a), &remainder)
    }

    pub(crate) fn magnitude(&mut self, a: &[Wire]) -> Word {
        self.negate_if(sign(a), a)
    }

    pub(crate) fn umul_overflows(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let width = a.len();
        let product = self.mul(a, b, 2 * width);
        self.or_all(&product[width..])
    }

    pub(crate) fn smul_overflows(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let width = a.len();
        let (x, y) = (self.magnitude(a), self.magnitude(b));
        let product = self.mul(&x, &y, 2 * width);
        let negative = self.xor(sign(a), sign(b));
        // The product of the magnitudes may be 2^(width-1) exactly if the result is negative.
        let beyond = self.or_all(&product[width..]);
        let below_top = self.or_all(&product[..width - 1]);
        let top_is_too_much = {
            let more = self.or(!negative, below_top);
            self.and(product[width - 1], more)
        };
        self.or(beyond, top_is_too_much)
    }

    /// Shifted to the left (toward more significant bits) by an unsigned distance of any width.
    pub(crate) fn shl(&mut self, a: &[Wire], distance: &[Wire]) -> Word {
        let mirrored: Word = a.iter().rev().copied().collect();
        let mut result = self.shift_right(&mirrored, distance, Wire::FALSE);
        result.reverse();
        result
    }

    /// Shifted to the right by an unsigned distance of any width, filling with `fill`.
    pub(crate) fn shift_right(&mut self, a: &[Wire], distance: &[Wire], fill: Wire) -> Word {
        let width = a.len();
        let mut result = a.to_vec();
        let mut too_far = Wire::FALSE;
        for (stage, &bit) in distance.iter().enumerate() {
            if stage >= 31 || 1 << stage >= width {
                too_far = self.or(too_far, bit);
                continue;
            }
            let step = 1 << stage;
            result = (0..width)
                .map(|i| {
                    let from = result.get(i + step).copied().unwrap_or(fill);
                    self.choose(bit, from, result[i])
                })
                .collect();
        }
        result.iter().map(|&bit| self.choose(too_far, fill, bit)).collect()
    }

    /// As `shift_right` with zeros, with every bit shifted out gathered into the lowest bit of the result.
    pub(crate) fn shift_right_sticky(&mut self, a: &[Wire], distance: &[Wire]) -> Word {
        let width = a.len();
        let mut result = a.to_vec();
        let mut lost = Wire::FALSE;
        let mut too_far = Wire::FALSE;
        for (stage, &bit) in distance.iter().enumerate() {
            if stage >= 31 || 1 << stage >= width {
                too_far = self.or(too_far, bit);
                continue;
            }
            let step = 1 << stage;
            let dropped = self.or_all(&result[..step]);
            let loses = self.and(bit, dropped);
            lost = self.or(lost, loses);
            result = (0..width)
                .map(|i| {
                    let from = result.get(i + step).copied().unwrap_or(Wire::FALSE);
                    self.choose(bit, from, result[i])
                })
                .collect();
        }
        let rest = self.or_all(&result);
        let loses = self.and(too_far, rest);
        lost = self.or(lost, loses);
        let mut result = self.mask(!too_far, &result);
        result[0] = self.or(result[0], lost);
        result
    }

    /// Shifted left until the top bit is set, and by how much; zero stays zero (with the largest distance).
    pub(crate) fn normalise(&mut self, a: &[Wire]) -> (Word, Word) {
        let mut result = a.to_vec();
        let n_stages = usize::BITS as usize - (a.len() - 1).leading_zeros() as usize;
        let mut distance = vec![Wire::FALSE; n_stages];
        for stage in (0..n_stages).rev() {
            let step = 1 << stage;
            if step >= a.len() {
                continue;
            }
            let top = result.len() - step;
            let empty = self.is_zero(&result[top..]);
            distance[stage] = empty;
            result = (0..a.len())
                .map(|i| {
                    let from = if i >= step { result[i - step] } else { Wire::FALSE };
                    self.choose(empty, from, result[i])
                })
                .collect();
        }
        (result, distance)
    }
}
