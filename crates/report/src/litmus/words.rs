//! Words that several pictures share.

/// The name of an event: a, b, …, z, a1, …
pub(super) fn letter(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    if index < 26 { letter.to_string() } else { format!("{letter}{}", index / 26) }
}
