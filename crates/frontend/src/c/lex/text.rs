//! The code units of a character or string literal: escapes, universal character names and the encodings.
//!
//! A source character is re-encoded for the literal's encoding, a numeric escape is one unit as it is. So adjacent
//! literals are decoded only once it is known what encoding the whole has: `"é" L"x"` is wide throughout.
//! Bytes that are not UTF-8 stand for themselves, one unit each, as with the compilers' default character sets.

use crate::c::ast::Encoding;

/// Appends the units of `body` (the text between the quotes); the error says what is wrong, after doing its best.
pub(crate) fn decode(body: &[u8], encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    let mut problem = Ok(());
    let mut rest = body;
    while let Some(&first) = rest.first() {
        if first == b'\\' {
            let (element, length) = escape(rest);
            rest = &rest[length..];
            match element {
                Ok(Element::Character(character)) => encode(character, encoding, units),
                Ok(Element::Unit(unit)) => match truncate(unit, encoding) {
                    Some(unit) => units.push(unit),
                    None => {
                        problem =
                            Err(format!("escape with value {unit:#x} does not fit into a character of this literal"));
                        units.push(unit);
                    }
                },
                Err(message) => problem = Err(message),
            }
        } else if first < 0x80 {
            units.push(u32::from(first));
            rest = &rest[1..];
        } else {
            match first_character(rest) {
                Some(character) => {
                    encode(character, encoding, units);
                    rest = &rest[character.len_utf8()..];
                }
                None => {
                    units.push(u32::from(first));
                    rest = &rest[1..];
                }
            }
        }
    }
    problem
}

/// A character of the source character set, or a unit given by its number.
enum Element {
    Character(char),
    Unit(u32),
}

fn encode(character: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            units.extend(character.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Utf16 => units.extend(character.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit))),
        Encoding::Utf32 | Encoding::Wide => units.push(u32::from(character)),
    }
}

fn truncate(unit: u32, encoding: Encoding) -> Option<u32> {
    let most = match encoding {
        Encoding::Plain | Encoding::Utf8 => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Utf32 | Encoding::Wide => u32::MAX,
    };
    (unit <= most).then_some(unit)
}

fn first_character(bytes: &[u8]) -> Option<char> {
    let window = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(window) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&window[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next()
}

/// Reads the escape that `rest` begins with; also how many bytes it takes.
fn escape(rest: &[u8]) -> (Result<Element, String>, usize) {
    let Some(&letter) = rest.get(1) else { return (Err("a backslash ends the literal".to_string()), 1) };
    let simple = |byte: u8| (Ok(Element::Unit(u32::from(byte))), 2);
    match letter {
        b'n' => simple(b'\n'),
        b't' => simple(b'\t'),
        b'r' => simple(b'\r'),
        b'a' => simple(7),
        b'b' => simple(8),
        b'f' => simple(12),
        b'v' => simple(11),
        b'e' | b'E' => simple(27),
        b'\\' | b'\'' | b'"' | b'?' => simple(letter),
        b'0'..=b'7' => {
            let n_digits = rest[1..].iter().take(3).take_while(|byte| (b'0'..=b'7').contains(*byte)).count();
            (number(&rest[1..=n_digits], 8).map(Element::Unit), 1 + n_digits)
        }
        b'x' => {
            let n_digits = rest[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
            if n_digits == 0 {
                return (Err("`\\x` needs hexadecimal digits after it".to_string()), 2);
            }
            (number(&rest[2..2 + n_digits], 16).map(Element::Unit), 2 + n_digits)
        }
        b'u' | b'U' => match universal_character(rest) {
            Some((character, length)) => (Ok(Element::Character(character)), length),
            None => (Err(format!("`\\{}` does not name a character", letter as char)), 2),
        },
        // Compilers warn and take the character itself.
        _ => (Ok(Element::Unit(u32::from(letter))), 2),
    }
}

/// `\u1234` or `\U00012345` at the beginning of `rest`, with its length.
pub(crate) fn universal_character(rest: &[u8]) -> Option<(char, usize)> {
    let length = match rest.get(..2)? {
        b"\\u" => 6,
        b"\\U" => 10,
        _ => return None,
    };
    let digits = rest.get(2..length).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let character = char::from_u32(number(digits, 16).ok()?)?;
    Some((character, length))
}

fn number(digits: &[u8], radix: u32) -> Result<u32, String> {
    digits
        .iter()
        .try_fold(0u32, |value, &digit| value.checked_mul(radix)?.checked_add((digit as char).to_digit(radix)?))
        .ok_or_else(|| "an escape in this literal is larger than 32 bits".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_encodings() {
        for (body, encoding, expected) in [
            ("abc", Encoding::Plain, vec![97, 98, 99]),
            (r"\n\t\\\x41\101\0", Encoding::Plain, vec![10, 9, 92, 65, 65, 0]),
            (r"\1234", Encoding::Plain, vec![0o123, 52]),
            ("é", Encoding::Plain, vec![0xc3, 0xa9]),
            ("é", Encoding::Wide, vec![0xe9]),
            (r"\u00e9", Encoding::Utf8, vec![0xc3, 0xa9]),
            (r"\U0001F600", Encoding::Utf16, vec![0xd83d, 0xde00]),
            (r"\xffffffff", Encoding::Wide, vec![0xffff_ffff]),
        ] {
            let mut units = Vec::new();
            assert_eq!(decode(body.as_bytes(), encoding, &mut units), Ok(()), "{body}");
            assert_eq!(units, expected, "{body}");
        }
        let mut units = Vec::new();
        assert_eq!(decode(b"\xff\xc3", Encoding::Plain, &mut units), Ok(()));
        assert_eq!(units, [0xff, 0xc3]);
    }

    #[test]
    fn bad_escapes_are_named() {
        for body in [r"\x", r"\xfff", r"\u12", r"\xfffffffff", "\\", r"\uD800"] {
            assert!(decode(body.as_bytes(), Encoding::Plain, &mut Vec::new()).is_err(), "{body}");
        }
    }
}
