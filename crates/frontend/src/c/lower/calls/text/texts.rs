//! The texts that `printf` and its like make, piece by piece.
//!
//! What is known while lowering becomes plain bytes, stored where it is known what fits; the rest is made by the functions of
//! `models/format.c`, which take the target, its room and the length so far, and yield the new length.

use super::formats::{self, Conversion, Count, Piece, Size};
use crate::c::lower::body::Body;
use crate::c::lower::model_types::is_signed;
use crate::c::typed::Expr;
use crate::c::types::TypeId;
use ir::{Op, Order};
use logic::{Scalar, Sort, TermId, Value};

/// A text that is being made.
struct Made {
    to: TermId,
    room: TermId,
    /// Its length so far, a word.
    length: TermId,
    /// What comes next and is known already.
    known: Vec<u8>,
}

/// The arguments of a format.
pub(super) struct Given<'e> {
    pub(super) args: std::slice::Iter<'e, Expr>,
    pub(super) values: std::vec::IntoIter<Option<TermId>>,
}

impl<'e> Given<'e> {
    pub(super) fn next(&mut self) -> Option<(&'e Expr, Option<TermId>)> {
        Some((self.args.next()?, self.values.next()?))
    }
}

impl Body<'_, '_> {
    /// Makes a text; yields its length, an `int`.
    pub(super) fn make_text(
        &mut self,
        name: &str,
        pieces: &[Piece],
        mut given: Given<'_>,
        to: TermId,
        room: TermId,
    ) -> Option<TermId> {
        let (to, room) = (self.kept(to), self.kept(room));
        let mut made = Made { to, room, length: self.word(0), known: Vec::new() };
        for piece in pieces {
            match piece {
                Piece::Text(text) => made.known.extend(text),
                Piece::Space => made.known.push(b' '),
                Piece::Conversion(conversion) => self.make_piece(name, conversion, &mut given, &mut made)?,
            }
        }
        self.put_known(&mut made);
        let length = self.pool().resize(made.length, false, 32);
        match (self.as_number(made.room), self.as_number(made.length)) {
            (Some(0), _) => Some(length),
            (Some(room), Some(at)) => {
                self.store_byte(made.to, at.min(room - 1), 0);
                Some(length)
            }
            _ => self.call_model("put_end", vec![made.to, made.room, made.length], true),
        }
    }

    /// Puts the bytes that are known: one by one where it is known what fits, else out of an object of their own.
    fn put_known(&mut self, made: &mut Made) {
        let mut known = std::mem::take(&mut made.known);
        if known.is_empty() {
            return;
        }
        let after = self.word(known.len() as u64);
        let after = self.pool().add(made.length, after);
        match (self.as_number(made.room), self.as_number(made.length)) {
            (Some(0), _) => made.length = after,
            (Some(room), Some(at)) => {
                for (index, byte) in (at..room - 1).zip(&known) {
                    self.store_byte(made.to, index, *byte);
                }
                made.length = after;
            }
            _ => {
                known.push(0);
                let object = self.lw.string_object(&known, self.span);
                let (from, limit) = (self.lw.address_of(object), self.all_ones());
                self.put_piece(made, "put_text", vec![from, limit]);
            }
        }
    }

    fn store_byte(&mut self, to: TermId, offset: u64, byte: u8) {
        let addr = self.add_offset(to, offset);
        let value = self.pool().bv(8, u64::from(byte));
        self.emit(Op::Store { place: Self::memory(addr, Scalar::Bv(8)), value, order: Order::Plain });
    }

    /// Calls a function of the model that puts something and yields the new length.
    fn put_piece(&mut self, made: &mut Made, function: &str, args: Vec<TermId>) {
        let mut all = vec![made.to, made.room, made.length];
        all.extend(args);
        if let Some(after) = self.call_model(function, all, true) {
            made.length = after;
        }
    }

    fn make_piece(
        &mut self,
        name: &str,
        conversion: &Conversion,
        given: &mut Given<'_>,
        made: &mut Made,
    ) -> Option<()> {
        let width = self.make_count(name, conversion.width, given)?;
        let precision = self.make_count(name, conversion.precision, given)?;
        let letter = char::from(conversion.letter);
        if letter == 'm' {
            self.refuse_conversion(name, letter);
            return None;
        }
        let Some((arg, value)) = given.next() else {
            self.too_few_arguments(name);
            return None;
        };
        match letter {
            's' => self.make_string(name, conversion, arg, value, width, precision, made),
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                self.make_integer(name, conversion, arg.ty.ty, value, width, precision, made)
            }
            'c' if conversion.size == Size::Int => {
                let value = self.integer_argument(name, arg.ty.ty, value, 32)?;
                match (self.as_number(value), width.map(|width| self.as_number(width))) {
                    (Some(byte), None) => made.known.push(byte as u8),
                    (_, None) => {
                        self.put_known(made);
                        self.put_piece(made, "put", vec![value]);
                    }
                    (Some(byte), Some(Some(width))) => {
                        made.known.extend(conversion.text(&[byte as u8], i64::from(width as u32 as i32)));
                    }
                    _ => {
                        self.unsupported(&format!("this width of `%c` in a format of `{name}`"));
                        return None;
                    }
                }
                Some(())
            }
            'p' if width.is_none() && precision.is_none() => {
                self.put_known(made);
                self.put_piece(made, "put_address", Vec::new());
                Some(())
            }
            'n' => self.store_count(name, conversion, arg, value, made),
            'e' | 'E' | 'f' | 'F' | 'g' | 'G' | 'a' | 'A' => {
                let constant = value.and_then(|value| match self.pool().as_const(value) {
                    Some(value @ Value::F64(_)) => Some(value.as_f64()),
                    _ => None,
                });
                let number = |body: &mut Self, term: Option<TermId>| match term {
                    Some(term) => body.as_number(term).map(|number| Some(i64::from(number as u32 as i32))),
                    None => Some(None),
                };
                let (width, precision) = (number(self, width), number(self, precision));
                let text = match (constant, width, precision) {
                    (Some(value), Some(width), Some(precision)) => {
                        conversion.float(value, width.unwrap_or(0), precision)
                    }
                    _ => None,
                };
                let Some(text) = text else {
                    let what = match constant {
                        Some(_) => "in this form",
                        None => "of a number that is not a constant",
                    };
                    self.unsupported(&format!("`%{letter}` {what} in `{name}`, where the text or its length matters"));
                    return None;
                };
                made.known.extend(text);
                Some(())
            }
            _ => {
                self.refuse_conversion(name, letter);
                None
            }
        }
    }

    /// A width or precision as an `int`.
    fn make_count(&mut self, name: &str, count: Option<Count>, given: &mut Given<'_>) -> Option<Option<TermId>> {
        match count {
            None => Some(None),
            Some(Count::Number(number)) => Some(Some(self.pool().bv(32, number))),
            Some(Count::Star) => match given.next() {
                Some((arg, value)) => self.integer_argument(name, arg.ty.ty, value, 32).map(Some),
                None => {
                    self.too_few_arguments(name);
                    None
                }
            },
        }
    }

    /// An argument as an integer of so many bits.
    fn integer_argument(&mut self, name: &str, ty: TypeId, value: Option<TermId>, bits: u32) -> Option<TermId> {
        let value = value.filter(|_| self.types().int_kind(ty).is_some());
        let Some(value) = value else {
            self.unsupported(&format!("an argument that is not a number where a format of `{name}` asks for one"));
            return None;
        };
        let signed = is_signed(self.types(), ty);
        Some(self.pool().resize(value, signed, bits))
    }

    #[expect(clippy::too_many_arguments, reason = "what a conversion says, each on its own")]
    fn make_string(
        &mut self,
        name: &str,
        conversion: &Conversion,
        arg: &Expr,
        value: Option<TermId>,
        width: Option<TermId>,
        precision: Option<TermId>,
        made: &mut Made,
    ) -> Option<()> {
        let from = self.text_argument(name, conversion, arg, value)?;
        if let (Some(text), None, None) = (formats::literal(arg), width, precision) {
            made.known.extend(formats::before_end(text));
            return Some(());
        }
        self.put_known(made);
        let bits = self.word_bits();
        let limit = match precision {
            Some(precision) => self.pool().resize(precision, true, bits),
            None => self.all_ones(),
        };
        let Some(width) = width else {
            self.put_piece(made, "put_text", vec![from, limit]);
            return Some(());
        };
        let zero = self.pool().bv(32, 0);
        let is_negative = self.pool().slt(width, zero);
        let minus = self.pool().sub(zero, width);
        let amount = self.pool().ite(is_negative, minus, width);
        let amount = self.pool().resize(amount, false, bits);
        let always = self.pool().bool(conversion.is_left);
        let is_left = self.pool().or(always, is_negative);
        let is_left = self.int_of(is_left);
        self.put_piece(made, "put_padded", vec![from, limit, amount, is_left]);
        Some(())
    }

    #[expect(clippy::too_many_arguments, reason = "what a conversion says, each on its own")]
    fn make_integer(
        &mut self,
        name: &str,
        conversion: &Conversion,
        ty: TypeId,
        value: Option<TermId>,
        width: Option<TermId>,
        precision: Option<TermId>,
        made: &mut Made,
    ) -> Option<()> {
        let bits = self.size_bits(name, conversion.size)?;
        let value = self.integer_argument(name, ty, value, bits)?;
        let signed = matches!(conversion.letter, b'd' | b'i');
        let zero = self.pool().bv(bits, 0);
        let is_negative = if signed { self.pool().slt(value, zero) } else { self.pool().bool(false) };
        let minus = self.pool().sub(zero, value);
        let magnitude = self.pool().ite(is_negative, minus, value);
        let number = |body: &mut Self, term: Option<TermId>| match term {
            Some(term) => body.as_number(term).map(|number| Some(i64::from(number as u32 as i32))),
            None => Some(None),
        };
        if let (Some(magnitude), Some(is_negative), Some(width), Some(precision)) =
            (self.as_number(magnitude), self.as_truth(is_negative), number(self, width), number(self, precision))
        {
            let text = conversion.integer(u128::from(magnitude), is_negative, width.unwrap_or(0), precision);
            made.known.extend(text);
            return Some(());
        }
        self.put_known(made);
        let magnitude = self.kept(magnitude);
        let negative = self.kept(is_negative);
        let base: u64 = match conversion.letter {
            b'x' | b'X' => 16,
            b'o' => 8,
            _ => 10,
        };
        let is_plain = width.is_none() && precision.is_none() && !conversion.is_alternative;
        let is_upper = self.pool().bv(32, u64::from(conversion.letter == b'X'));
        let positive = match (signed, conversion.has_plus, conversion.has_space) {
            (true, true, _) => u64::from(b'+'),
            (true, false, true) => u64::from(b' '),
            _ => 0,
        };
        let (minus, positive) = (self.pool().bv(32, u64::from(b'-')), self.pool().bv(32, positive));
        let sign = self.pool().ite(negative, minus, positive);
        let base_term = self.pool().bv(32, base);
        if is_plain && bits <= 32 {
            self.put_sign(made, sign);
            let magnitude = self.pool().resize(magnitude, false, 32);
            let power = self.pool().bv(32, top_power(base, bits));
            self.put_piece(made, "put_digits", vec![magnitude, power, base_term, is_upper]);
            return Some(());
        }
        let magnitude = self.pool().resize(magnitude, false, 64);
        let power = self.pool().bv(64, top_power(base, bits));
        if is_plain {
            self.put_sign(made, sign);
            self.put_piece(made, "put_long_digits", vec![magnitude, power, base_term, is_upper]);
            return Some(());
        }
        let prefix = match (conversion.is_alternative, conversion.letter) {
            (true, b'x' | b'X') => u64::from(conversion.letter),
            (true, b'o') => u64::from(b'0'),
            _ => 0,
        };
        let prefix = self.pool().bv(32, prefix);
        let none = self.pool().bv(32, u64::from(u32::MAX));
        let width = width.unwrap_or_else(|| self.pool().bv(32, 0));
        let precision = precision.unwrap_or(none);
        let is_left = self.pool().bv(32, u64::from(conversion.is_left));
        let is_zero = self.pool().bv(32, u64::from(conversion.is_zero));
        let args = vec![magnitude, power, base_term, is_upper, sign, prefix, width, precision, is_left, is_zero];
        self.put_piece(made, "put_number", args);
        Some(())
    }

    /// Puts a sign unless it is the character 0.
    fn put_sign(&mut self, made: &mut Made, sign: TermId) {
        if self.as_number(sign) == Some(0) {
            return;
        }
        let is_there = self.truth(sign);
        let after = self.temporary(Sort::Bv(self.word_bits()));
        self.assign(after, made.length);
        let (yes, no) = (self.new_loc(), self.new_loc());
        self.branch_on(is_there, yes, no);
        self.resume_at(yes);
        self.put_piece(made, "put", vec![sign]);
        self.assign(after, made.length);
        self.enter(no);
        made.length = self.var(after);
    }

    /// `%n`.
    fn store_count(
        &mut self,
        name: &str,
        conversion: &Conversion,
        arg: &Expr,
        value: Option<TermId>,
        made: &mut Made,
    ) -> Option<()> {
        let bits = self.size_bits(name, conversion.size)?;
        let Some(addr) = value.filter(|_| self.types().is_pointer(arg.ty.ty)) else {
            self.unsupported(&format!("`%n` of something that is not a pointer in a format of `{name}`"));
            return None;
        };
        self.put_known(made);
        let count = self.pool().resize(made.length, false, bits);
        let place = Self::memory(addr, Scalar::Bv(bits));
        self.emit(Op::Store { place, value: count, order: Order::Plain });
        Some(())
    }

    /// The bits of an integer of a size.
    pub(super) fn size_bits(&mut self, name: &str, size: Size) -> Option<u32> {
        match size {
            Size::Byte => Some(8),
            Size::Short => Some(16),
            Size::Int => Some(32),
            Size::Long => Some(self.word_bits()),
            Size::LongLong => Some(64),
            Size::LongDouble => {
                self.unsupported(&format!("`L` before an integer conversion in a format of `{name}`"));
                None
            }
        }
    }
}

/// The highest power of a base that fits into so many bits.
fn top_power(base: u64, bits: u32) -> u64 {
    let most = u64::MAX >> (64 - bits);
    let mut power = 1;
    while power <= most / base {
        power *= base;
    }
    power
}
