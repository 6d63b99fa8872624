//! Format strings: which pieces does a format of `printf` or `scanf` have?
//!
//! Only formats that are literals are taken apart here; what the pieces do is in `print` and `scan`. Also how numbers that are known
//! while lowering are printed, so that determined texts are plain bytes.

use crate::c::typed::{Expr, ExprKind};

/// A number in a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// Written out.
    Number(u64),
    /// `*`: the next argument.
    Star,
}

/// How large an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Size {
    Byte,
    Short,
    Int,
    Long,
    LongLong,
    LongDouble,
}

/// `%-5.3ld` and its like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conversion {
    pub(super) letter: u8,
    pub(super) is_left: bool,
    pub(super) has_plus: bool,
    pub(super) has_space: bool,
    pub(super) is_alternative: bool,
    pub(super) is_zero: bool,
    /// `scanf`: the value is dropped.
    pub(super) is_dropped: bool,
    pub(super) width: Option<Count>,
    pub(super) precision: Option<Count>,
    pub(super) size: Size,
    /// `scanf`: the characters of `%[...]`, and whether all others are meant.
    pub(super) set: Option<(Vec<u8>, bool)>,
}

/// A part of a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Text(Vec<u8>),
    /// `scanf`: any number of spaces.
    Space,
    Conversion(Conversion),
}

/// The bytes of a string literal under casts and decay, up to its end.
pub(in crate::c::lower) fn literal(expr: &Expr) -> Option<&[u8]> {
    match &expr.kind {
        ExprKind::Decay(inner) | ExprKind::Cast(inner) | ExprKind::AddressOf(inner) => literal(inner),
        ExprKind::String(bytes) => Some(bytes),
        _ => None,
    }
}

/// The part of a text before its end.
pub(in crate::c::lower) fn before_end(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The pieces of a format; none if it is malformed or numbers its arguments.
pub(super) fn pieces(format: &[u8], is_scan: bool) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    let push_byte = |pieces: &mut Vec<Piece>, byte: u8| match pieces.last_mut() {
        Some(Piece::Text(text)) => text.push(byte),
        _ => pieces.push(Piece::Text(vec![byte])),
    };
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if byte == b'%' && format.get(at) == Some(&b'%') {
            if is_scan {
                pieces.push(Piece::Space);
            }
            push_byte(&mut pieces, b'%');
            at += 1;
        } else if byte == b'%' {
            let (conversion, length) = conversion(&format[at..], is_scan)?;
            pieces.push(Piece::Conversion(conversion));
            at += length;
        } else if is_scan && (byte == b' ' || (9..=13).contains(&byte)) {
            if pieces.last() != Some(&Piece::Space) {
                pieces.push(Piece::Space);
            }
        } else {
            push_byte(&mut pieces, byte);
        }
    }
    Some(pieces)
}

/// The conversion at the beginning of a text, after its `%`, and its length.
fn conversion(text: &[u8], is_scan: bool) -> Option<(Conversion, usize)> {
    let mut conversion = Conversion {
        letter: 0,
        is_left: false,
        has_plus: false,
        has_space: false,
        is_alternative: false,
        is_zero: false,
        is_dropped: false,
        width: None,
        precision: None,
        size: Size::Int,
        set: None,
    };
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'*' if is_scan => conversion.is_dropped = true,
            b'-' if !is_scan => conversion.is_left = true,
            b'+' if !is_scan => conversion.has_plus = true,
            b' ' if !is_scan => conversion.has_space = true,
            b'#' if !is_scan => conversion.is_alternative = true,
            b'0' if !is_scan => conversion.is_zero = true,
            _ => break,
        }
        at += 1;
    }
    conversion.width = count(text, &mut at, !is_scan);
    if text.get(at) == Some(&b'.') && !is_scan {
        at += 1;
        conversion.precision = Some(count(text, &mut at, true).unwrap_or(Count::Number(0)));
    }
    let rest = &text[at..];
    let (size, length) = match rest {
        [b'h', b'h', ..] => (Size::Byte, 2),
        [b'h', ..] => (Size::Short, 1),
        [b'l', b'l', ..] => (Size::LongLong, 2),
        [b'q' | b'j', ..] => (Size::LongLong, 1),
        [b'l' | b'z' | b't', ..] => (Size::Long, 1),
        [b'L', ..] => (Size::LongDouble, 1),
        _ => (Size::Int, 0),
    };
    conversion.size = size;
    at += length;
    conversion.letter = *text.get(at)?;
    at += 1;
    if is_scan && conversion.letter == b'[' {
        let is_other = text.get(at) == Some(&b'^');
        at += usize::from(is_other);
        let first = at;
        while at == first || text.get(at)? != &b']' {
            text.get(at)?;
            at += 1;
        }
        conversion.set = Some((members(&text[first..at]), is_other));
        at += 1;
    }
    Some((conversion, at))
}

fn count(text: &[u8], at: &mut usize, may_be_star: bool) -> Option<Count> {
    if may_be_star && text.get(*at) == Some(&b'*') {
        *at += 1;
        return Some(Count::Star);
    }
    let digits = text[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[*at..*at + digits]).ok()?.parse().ok();
    *at += digits;
    number.map(Count::Number)
}

/// The characters of a set, ranges written out.
fn members(set: &[u8]) -> Vec<u8> {
    let mut members = Vec::new();
    let mut at = 0;
    while at < set.len() {
        match set[at..] {
            [first, b'-', last, ..] if first <= last => {
                members.extend(first..=last);
                at += 3;
            }
            _ => {
                members.push(set[at]);
                at += 1;
            }
        }
    }
    members
}

impl Conversion {
    /// The text of an integer, given as a magnitude with its sign.
    pub(super) fn integer(&self, magnitude: u128, is_negative: bool, width: i64, precision: Option<i64>) -> Vec<u8> {
        let mut digits = match self.letter {
            b'x' => format!("{magnitude:x}"),
            b'X' => format!("{magnitude:X}"),
            b'o' => format!("{magnitude:o}"),
            _ => magnitude.to_string(),
        };
        let precision = precision.filter(|precision| *precision >= 0);
        if precision == Some(0) && magnitude == 0 {
            digits.clear();
        }
        let wanted = precision.unwrap_or(0) as usize;
        if digits.len() < wanted {
            digits.insert_str(0, &"0".repeat(wanted - digits.len()));
        }
        if self.letter == b'o' && self.is_alternative && !digits.starts_with('0') {
            digits.insert(0, '0');
        }
        let is_signed = matches!(self.letter, b'd' | b'i');
        let prefix = match self.letter {
            _ if is_signed && is_negative => "-",
            _ if is_signed && self.has_plus => "+",
            _ if is_signed && self.has_space => " ",
            b'x' if self.is_alternative && magnitude != 0 => "0x",
            b'X' if self.is_alternative && magnitude != 0 => "0X",
            _ => "",
        };
        self.filled(prefix, &digits, width, self.is_zero && precision.is_none())
    }

    /// The text of a floating-point number; none for conversions that are not worked out here.
    pub(super) fn float(&self, value: f64, width: i64, precision: Option<i64>) -> Option<Vec<u8>> {
        let precision = precision.filter(|precision| *precision >= 0).unwrap_or(6) as usize;
        let letter = self.letter.to_ascii_lowercase();
        if letter == b'a' || self.is_alternative || self.size == Size::LongDouble {
            return None;
        }
        let is_upper = self.letter.is_ascii_uppercase();
        let prefix = match value.is_sign_negative() {
            true => "-",
            false if self.has_plus => "+",
            false if self.has_space => " ",
            false => "",
        };
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            let name = if is_upper { name.to_uppercase() } else { name.to_string() };
            return (!value.is_nan()).then(|| self.filled(prefix, &name, width, false));
        }
        let value = value.abs();
        let digits = match letter {
            b'e' => with_exponent(value, precision).0,
            b'g' => shorter(value, precision.max(1)),
            _ => format!("{value:.precision$}"),
        };
        let digits = if is_upper { digits.to_uppercase() } else { digits };
        Some(self.filled(prefix, &digits, width, self.is_zero))
    }

    /// A text or character.
    pub(super) fn text(&self, text: &[u8], width: i64) -> Vec<u8> {
        let fill = vec![b' '; (width.unsigned_abs() as usize).saturating_sub(text.len())];
        if self.is_left || width < 0 { [text, &fill].concat() } else { [&fill, text].concat() }
    }

    fn filled(&self, prefix: &str, digits: &str, width: i64, with_zeros: bool) -> Vec<u8> {
        if with_zeros && !self.is_left && width > 0 {
            let zeros = (width as usize).saturating_sub(prefix.len() + digits.len());
            return format!("{prefix}{}{digits}", "0".repeat(zeros)).into_bytes();
        }
        self.text(format!("{prefix}{digits}").as_bytes(), width)
    }
}

/// A number with one digit before the point and an exponent of at least two digits, and that exponent.
fn with_exponent(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("it was asked for an exponent");
    let exponent: i32 = exponent.parse().expect("it is a number");
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{digits}e{sign}{:02}", exponent.abs()), exponent)
}

/// A number with so many digits that count, with an exponent if it is small or has more digits than that, without zeros at its end.
fn shorter(value: f64, n_digits: usize) -> String {
    let without_zeros = |digits: &str| match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => digits.to_string(),
    };
    let (text, exponent) = with_exponent(value, n_digits - 1);
    if (-4..n_digits as i32).contains(&exponent) {
        let precision = (n_digits as i32 - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.precision$}"));
    }
    let (digits, exponent) = text.split_once('e').expect("it has an exponent");
    format!("{}e{exponent}", without_zeros(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(format: &str, is_scan: bool) -> Conversion {
        match pieces(format.as_bytes(), is_scan).expect("it is well formed").as_slice() {
            [Piece::Conversion(conversion)] => conversion.clone(),
            other => panic!("{format}: {other:?}"),
        }
    }

    #[test]
    fn formats_are_taken_apart() {
        let letters = |format: &str| -> String {
            let pieces = pieces(format.as_bytes(), false).expect("it is well formed");
            let letter = |piece: &Piece| match piece {
                Piece::Conversion(conversion) => char::from(conversion.letter),
                _ => '_',
            };
            pieces.iter().map(letter).collect()
        };
        for (format, expected) in
            [("no conversion", "_"), ("100%% of %d", "_d"), ("%5.2f %-3s %lld %zu", "f_s_d_u"), ("%*d%n", "dn")]
        {
            assert_eq!(letters(format), expected, "{format}");
        }
        assert_eq!(pieces(b"%", false), None);
        assert_eq!(only("%-*.3ld", false).width, Some(Count::Star));
        assert_eq!(only("%-*.3ld", false).precision, Some(Count::Number(3)));
        assert_eq!(only("%hhx", false).size, Size::Byte);
        assert_eq!(only("%31[a-c^]", true).set, Some((b"abc^".to_vec(), false)));
        assert_eq!(only("%[^]x]", true).set, Some((b"]x".to_vec(), true)));
        assert!(only("%*s", true).is_dropped);
    }

    fn number(count: Option<Count>) -> Option<i64> {
        match count {
            Some(Count::Number(number)) => Some(number as i64),
            _ => None,
        }
    }

    #[test]
    fn numbers_are_printed_as_c_does() {
        let text = |format: &str, value: i64| {
            let conversion = only(format, false);
            let (width, precision) = (number(conversion.width).unwrap_or(0), number(conversion.precision));
            let text = conversion.integer(u128::from(value.unsigned_abs()), value < 0, width, precision);
            String::from_utf8(text).expect("digits")
        };
        for (format, value, expected) in [
            ("%d", -7, "-7"),
            ("%5d", 42, "   42"),
            ("%-5d", 42, "42   "),
            ("%05d", -42, "-0042"),
            ("%+.3d", 5, "+005"),
            ("%05.3d", 5, "  005"),
            ("%#x", 255, "0xff"),
            ("%#X", 0, "0"),
            ("%#o", 8, "010"),
            ("%.0d", 0, ""),
        ] {
            assert_eq!(text(format, value), expected, "{format}");
        }
    }

    #[test]
    fn floating_point_numbers_are_printed_as_c_does() {
        let text = |format: &str, value: f64| {
            let conversion = only(format, false);
            let (width, precision) = (number(conversion.width).unwrap_or(0), number(conversion.precision));
            conversion.float(value, width, precision).map(|text| String::from_utf8(text).expect("digits"))
        };
        for (format, value, expected) in [
            ("%.2f", -1.005, "-1.00"),
            ("%e", 1.0, "1.000000e+00"),
            ("%.0e", 123456789.0, "1e+08"),
            ("%.3E", 0.00001234, "1.234E-05"),
            ("%12.2e", 5e-324, "   4.94e-324"),
            ("%g", 0.0, "0"),
            ("%g", 123456789.0, "1.23457e+08"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 99999.95, "99999.9"),
            ("%g", 999999.5, "1e+06"),
            ("%.0g", 2.5, "2"),
            ("%G", 1e100, "1E+100"),
            ("%+g", 0.5, "+0.5"),
            ("%010g", -1.5, "-0000001.5"),
            ("%-10g", 1.5, "1.5       "),
            ("%.17g", 0.1, "0.10000000000000001"),
        ] {
            assert_eq!(text(format, value).as_deref(), Some(expected), "{format}");
        }
        assert_eq!(text("%a", 1.0), None);
    }
}
