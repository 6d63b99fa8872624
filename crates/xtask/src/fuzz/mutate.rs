//! Texts with a few words or characters changed: removed, doubled or replaced, swapped with words of the same or another text, lines dropped.

use logic::Prng;
use std::path::Path;

/// The texts of all files below a folder whose names end like this.
pub(crate) fn texts_below(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                texts.extend(std::fs::read_to_string(&path));
            }
        }
    }
    texts
}

/// Words and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut was_word = None;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric() || c == '_';
        if was_word.is_some_and(|was| was != is_word || !is_word) {
            pieces.push(&text[start..at]);
            start = at;
        }
        was_word = Some(is_word);
    }
    pieces.push(&text[start..]);
    pieces
}

/// One of the texts, changed in a few places.
pub(crate) fn mutate(random: &mut Prng, texts: &[String]) -> String {
    let mut text = texts[random.index(texts.len())].clone();
    for _ in 0..1 + random.index(3) {
        let other = &texts[random.index(texts.len())];
        let mut own: Vec<&str> = pieces(&text);
        let at = random.index(own.len());
        let donor = pieces(if random.index(2) == 0 { &text } else { other });
        match random.index(7) {
            0 => drop(own.remove(at)),
            1 => own.insert(at, own[at]),
            2 | 3 => own[at] = donor[random.index(donor.len())],
            4 => {
                let to = random.index(own.len());
                own.swap(at, to);
            }
            5 => {
                const ODD: [&str; 24] = [
                    "null",
                    "0",
                    "-",
                    "1",
                    "this",
                    "retval",
                    "#",
                    "(",
                    ")",
                    "{",
                    "}",
                    "[",
                    "]",
                    "true",
                    "!",
                    "99999999999999999999",
                    "9223372036854775807",
                    "forall v, i : a : v > 0",
                    "\"",
                    "'",
                    "/*",
                    "\u{0}",
                    "é",
                    "super",
                ];
                own[at] = ODD[random.index(ODD.len())];
            }
            _ => {
                let to = (at + random.index(12)).min(own.len());
                own.drain(at..to);
            }
        }
        let changed = own.concat();
        text = changed;
    }
    text
}
