//! The value of a number as written: integers of any base, decimal and hexadecimal floats, all suffixes.
//!
//! A float is rounded once from the text to `double` and once to `float`. Decimal rounding is the standard library's;
//! hexadecimal digits are gathered into 128 bits with a sticky bit below, which cannot change the result because no
//! target has more than 53 bits. Whether a decimal is exact is decided by integer arithmetic and may err on the side of "no".
//!
//! What type a number has is not decided here; it depends on the target.

use crate::c::ast::{FloatLiteral, FloatSuffix, IntegerLength, IntegerLiteral};

/// A number's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(IntegerLiteral),
    Float(FloatLiteral),
}

/// Reads a whole number token; the error says what is wrong with it.
pub(crate) fn read_number(text: &str) -> Result<Number, String> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[..]),
        _ => (10, &lower[..]),
    };
    let mantissa_end = digits
        .bytes()
        .position(|byte| !(byte == b'.' || (byte as char).is_digit(radix.max(10))))
        .unwrap_or(digits.len());
    let (mantissa, rest) = digits.split_at(mantissa_end);
    let exponent_letter = if radix == 16 { 'p' } else { 'e' };
    let has_exponent = rest.starts_with(exponent_letter);
    if radix == 2 && (has_exponent || mantissa.contains('.')) {
        return Err(format!("`{text}` mixes a binary integer with a fraction or exponent"));
    }
    if !has_exponent && !mantissa.contains('.') {
        return read_integer(text, mantissa, rest, radix).map(Number::Integer);
    }
    let (exponent, suffix) = if has_exponent { split_exponent(text, &rest[1..])? } else { (0, rest) };
    if radix == 16 && !has_exponent {
        return Err(format!("hexadecimal floating constant `{text}` needs an exponent such as `p0`"));
    }
    if mantissa.bytes().filter(|&byte| byte == b'.').count() > 1 || !mantissa.bytes().any(|byte| byte != b'.') {
        return Err(format!("`{text}` is not a number"));
    }
    let (suffix, is_imaginary) = float_suffix(text, suffix)?;
    let (value, single, is_exact) = if radix == 16 {
        hexadecimal(mantissa, exponent)
    } else {
        let decimal = format!("{mantissa}e{exponent}");
        let unreadable = |_| format!("`{text}` is not a number");
        let value = decimal.parse::<f64>().map_err(unreadable)?;
        let single = decimal.parse::<f32>().map_err(unreadable)?;
        (value, single, decimal_is_exact(mantissa, exponent))
    };
    Ok(Number::Float(FloatLiteral { value, single, is_exact, suffix, is_imaginary }))
}

fn read_integer(text: &str, digits: &str, suffix: &str, radix: u32) -> Result<IntegerLiteral, String> {
    if digits.is_empty() {
        return Err(format!("`{text}` has no digits"));
    }
    let mut value: u128 = 0;
    for digit in digits.chars() {
        let digit =
            digit.to_digit(radix).ok_or_else(|| format!("digit `{digit}` in `{text}` is not of base {radix}"))?;
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|value| value.checked_add(u128::from(digit)))
            .ok_or_else(|| format!("integer constant `{text}` does not fit into 128 bits"))?;
    }
    let bad_suffix = || format!("`{suffix}` in `{text}` is not a suffix of an integer (use u, l, ll and i)");
    let mut literal = IntegerLiteral {
        value,
        is_decimal: radix == 10,
        is_unsigned: false,
        length: IntegerLength::Int,
        is_imaginary: false,
    };
    let mut rest = suffix;
    while !rest.is_empty() {
        let used = if rest.starts_with("ll") && literal.length == IntegerLength::Int {
            literal.length = IntegerLength::LongLong;
            2
        } else if rest.starts_with('l') && literal.length == IntegerLength::Int {
            literal.length = IntegerLength::Long;
            1
        } else if rest.starts_with('u') && !literal.is_unsigned {
            literal.is_unsigned = true;
            1
        } else if rest.starts_with(['i', 'j']) && !literal.is_imaginary {
            literal.is_imaginary = true;
            1
        } else {
            return Err(bad_suffix());
        };
        rest = &rest[used..];
    }
    Ok(literal)
}

/// Splits `+12f` into the exponent, kept within a range that cannot matter, and what follows.
fn split_exponent<'t>(text: &str, rest: &'t str) -> Result<(i64, &'t str), String> {
    let unsigned = rest.trim_start_matches(['+', '-']);
    if rest.len() - unsigned.len() > 1 {
        return Err(format!("`{text}` is not a number"));
    }
    let end = unsigned.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(unsigned.len());
    if end == 0 {
        return Err(format!("the exponent of `{text}` has no digits"));
    }
    let magnitude = unsigned[..end].parse::<i64>().unwrap_or(i64::MAX).min(1_000_000_000);
    Ok((if rest.starts_with('-') { -magnitude } else { magnitude }, &unsigned[end..]))
}

fn float_suffix(text: &str, suffix: &str) -> Result<(FloatSuffix, bool), String> {
    let is_imaginary = suffix.contains(['i', 'j']);
    let real = suffix.replacen(['i', 'j'], "", 1);
    let kind = match real.as_str() {
        "" => FloatSuffix::Double,
        "f" => FloatSuffix::Float,
        "l" => FloatSuffix::LongDouble,
        "f16" => FloatSuffix::Float16,
        "bf16" => FloatSuffix::BFloat16,
        "f32" => FloatSuffix::Float32,
        "f64" => FloatSuffix::Float64,
        "f128" | "q" => FloatSuffix::Float128,
        "f32x" => FloatSuffix::Float32x,
        "f64x" | "w" => FloatSuffix::Float64x,
        "df" => FloatSuffix::Decimal32,
        "dd" => FloatSuffix::Decimal64,
        "dl" => FloatSuffix::Decimal128,
        _ => return Err(format!("`{suffix}` in `{text}` is not a suffix of a floating constant (use f, l or none)")),
    };
    Ok((kind, is_imaginary))
}

fn hexadecimal(mantissa: &str, exponent: i64) -> (f64, f32, bool) {
    let (mut bits, mut scale, mut sticky, mut in_fraction) = (0u128, exponent, false, false);
    for digit in mantissa.chars() {
        let Some(digit) = digit.to_digit(16) else {
            in_fraction = true;
            continue;
        };
        if bits >> 120 == 0 {
            bits = bits << 4 | u128::from(digit);
            scale -= if in_fraction { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            scale += if in_fraction { 0 } else { 4 };
        }
    }
    let (double_bits, is_exact) = round_binary(bits, scale, sticky, 52, 11);
    let (single_bits, _) = round_binary(bits, scale, sticky, 23, 8);
    (f64::from_bits(double_bits), f32::from_bits(single_bits as u32), is_exact)
}

/// Rounds `bits * 2^scale` (a little more if `sticky`) to nearest even in an IEEE format; also whether it was exact.
fn round_binary(bits: u128, scale: i64, sticky: bool, fraction_bits: i64, exponent_bits: u32) -> (u64, bool) {
    if bits == 0 {
        return (0, !sticky);
    }
    let bias = (1i64 << (exponent_bits - 1)) - 1;
    let top = 127 - i64::from(bits.leading_zeros());
    // The exponent of the last bit kept: relative to the leading bit, but never below the subnormals'.
    let last = (scale + top - fraction_bits).max(1 - bias - fraction_bits);
    let drop = last - scale;
    let (mut kept, lost_half, lost_more) = if drop <= 0 {
        (bits << drop.unsigned_abs(), false, sticky)
    } else if drop > 127 {
        (0, drop == 128 && bits >> 127 == 1, true)
    } else {
        let half = bits >> (drop - 1) & 1 == 1;
        let below = bits & ((1u128 << (drop - 1)) - 1) != 0;
        (bits >> drop, half, below || sticky)
    };
    let is_exact = !lost_half && !lost_more;
    if lost_half && (lost_more || kept & 1 == 1) {
        kept += 1;
    }
    // A carry into the next power of two is absorbed: adding the fraction to the exponent field carries over.
    let implicit = 1u128 << fraction_bits;
    let field = if kept < implicit { 0 } else { last + fraction_bits + bias };
    if field >= (1 << exponent_bits) - 1 {
        return (((1u64 << exponent_bits) - 1) << fraction_bits, false);
    }
    let fraction = kept - if field > 0 { implicit } else { 0 };
    (((field as u64) << fraction_bits) + fraction as u64, is_exact)
}

fn decimal_is_exact(mantissa: &str, exponent: i64) -> bool {
    let fraction_digits = mantissa.find('.').map_or(0, |dot| mantissa.len() - dot - 1) as i64;
    let digits: String = mantissa.chars().filter(|&digit| digit != '.').collect();
    let trimmed = digits.trim_end_matches('0');
    let mut power = exponent - fraction_digits + (digits.len() - trimmed.len()) as i64;
    let Ok(mut value) = (if trimmed.is_empty() { "0" } else { trimmed }).parse::<u128>() else { return false };
    if value == 0 {
        return true;
    }
    while power > 0 {
        // Powers of two do not matter for exactness, so only the fives are multiplied in.
        let Some(product) = value.checked_mul(5) else { return false };
        value = product;
        power -= 1;
    }
    while power < 0 {
        if value % 5 != 0 {
            return false;
        }
        value /= 5;
        power += 1;
    }
    // Ranges near overflow and the subnormals are not worth an exact answer.
    value >> value.trailing_zeros() < 1 << 53 && exponent.abs() < 250
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(text: &str) -> IntegerLiteral {
        match read_number(text) {
            Ok(Number::Integer(literal)) => literal,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn float(text: &str) -> FloatLiteral {
        match read_number(text) {
            Ok(Number::Float(literal)) => literal,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn integers() {
        for (text, value) in [
            ("0", 0),
            ("42", 42),
            ("0x1F", 31),
            ("0XAbc", 0xabc),
            ("017", 15),
            ("0b101", 5),
            ("1844674407370955161600", 1844674407370955161600),
        ] {
            assert_eq!(integer(text).value, value, "{text}");
        }
        assert!(integer("1").is_decimal && !integer("01").is_decimal && !integer("0x1").is_decimal);
        for (text, is_unsigned, length, is_imaginary) in [
            ("1u", true, IntegerLength::Int, false),
            ("1UL", true, IntegerLength::Long, false),
            ("1lu", true, IntegerLength::Long, false),
            ("1LLU", true, IntegerLength::LongLong, false),
            ("1ull", true, IntegerLength::LongLong, false),
            ("0xFFul", true, IntegerLength::Long, false),
            ("3i", false, IntegerLength::Int, true),
        ] {
            let literal = integer(text);
            assert_eq!(
                (literal.is_unsigned, literal.length, literal.is_imaginary),
                (is_unsigned, length, is_imaginary)
            );
        }
        for text in ["09", "0x", "0b2", "1uu", "1lul", "1abc", "0x1G", "1e", "1e+", "0x1.8", "1.2.3", "1.5x", "0b1.1"] {
            assert!(read_number(text).is_err(), "{text}");
        }
        assert!(read_number("999999999999999999999999999999999999999999").is_err());
    }

    #[test]
    fn floats() {
        for (text, value) in [
            ("1.5", 1.5),
            ("1.", 1.0),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1.e-2", 0.01),
            ("08.5", 8.5),
            ("1e999999999999", f64::INFINITY),
        ] {
            assert_eq!(float(text).value, value, "{text}");
        }
        assert!(float("0.5").is_exact && float("1e22").is_exact && !float("0.1").is_exact && !float("1e23").is_exact);
        assert_eq!(float("0.1f").single, 0.1f32);
        assert_eq!(float("1.0f").suffix, FloatSuffix::Float);
        assert_eq!((float("1.0iF").suffix, float("1.0iF").is_imaginary), (FloatSuffix::Float, true));
        assert_eq!(float("1.0L").suffix, FloatSuffix::LongDouble);
        assert_eq!(float("1.0f128").suffix, FloatSuffix::Float128);
        assert_eq!(float("1.0F64x").suffix, FloatSuffix::Float64x);
    }

    #[test]
    fn hexadecimal_floats() {
        let smallest = f64::from_bits(1);
        for (text, value) in [
            ("0x1p0", 1.0),
            ("0x1.8p1", 3.0),
            ("0x.8p0", 0.5),
            ("0X1.FFFFFFFFFFFFFP1023", f64::MAX),
            ("0x1p1024", f64::INFINITY),
            ("0x1p-1074", smallest),
            ("0x1p-1075", 0.0),
            ("0x1.8p-1075", smallest),
            ("0x1p-1022", f64::MIN_POSITIVE),
            ("0x0.fffffffffffff8p-1022", f64::MIN_POSITIVE),
            ("0x1.00000000000008p0", 1.0),
            ("0x1.00000000000008000000000000000000000000001p0", 1.0 + f64::EPSILON),
            ("0x1.00000000000018p0", 1.0 + 2.0 * f64::EPSILON),
            ("0x1.fffffffffffff8p0", 2.0),
            ("0x0p0", 0.0),
            ("0x100000000000000000000000000000000000000000p-164", 1.0),
        ] {
            assert_eq!(float(text).value.to_bits(), f64::to_bits(value), "{text}");
        }
        assert_eq!(float("0x1.000001p0f").single, 1.0);
        assert_eq!(float("0x1.000003p0f").single, 1.0 + 2.0 * f32::EPSILON);
        assert_eq!(float("0x1.0000010000001p0f").single, 1.0 + f32::EPSILON);
        assert!(float("0x1.8p0").is_exact && !float("0x1.00000000000001p0").is_exact);
    }
}
