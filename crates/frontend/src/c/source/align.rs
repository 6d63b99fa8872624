//! Where the words of a preprocessed line stand in the line that the user wrote.
//!
//! The two lines are split into words and compared: what both have in common, in order, stands where the original has
//! it (a longest common subsequence, after equal ends are taken off). A word of the original that the preprocessed line
//! lacks is a macro's name; it owns the parentheses after it, whose punctuation is then not compared, because an
//! expansion is full of parentheses of its own. A preprocessed word without a partner came out of the macro around it
//! and gets that macro's place.
//!
//! Invariant: places come back in the order of the preprocessed words, one each, within the original line.
//! The words are coarser than C's tokens (`->` is two); only where they begin matters.

use rustc_hash::FxHashSet;

/// Comparing costs the product of the lengths; beyond this, words in the middle get no partner.
const COMPARISON_LIMIT: usize = 250_000;

/// Where a preprocessed word belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aligned {
    /// Byte offset of the word in the preprocessed line.
    pub(super) start: usize,
    /// Byte range in the original line.
    pub(super) from: usize,
    /// The end of that range.
    pub(super) to: usize,
    /// Whether the original has this very word there.
    pub(super) is_same: bool,
}

/// A word and the byte range where it stands.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t [u8],
    start: usize,
    end: usize,
}

impl Word<'_> {
    fn is_name(&self) -> bool {
        self.text.first().is_some_and(|&byte| is_word_byte(byte) && !byte.is_ascii_digit())
    }

    /// Names, numbers and literals, as opposed to punctuation.
    fn is_content(&self) -> bool {
        self.text.first().is_some_and(|&byte| is_word_byte(byte) || byte == b'"' || byte == b'\'')
    }
}

/// A macro's name or use within the original line, by indices of words.
#[derive(Clone, Copy)]
struct Macro {
    first: usize,
    after: usize,
}

/// Aligns a preprocessed line with the part of the original line from byte `cursor` on.
pub(super) fn align(original: &str, cursor: usize, physical: &[u8]) -> Vec<Aligned> {
    let from: Vec<Word<'_>> = words(original.as_bytes()).into_iter().filter(|word| word.start >= cursor).collect();
    let to = words(physical);
    let macros = find_macros(&from, &to);
    let mut is_compared = vec![true; from.len()];
    for found in &macros {
        is_compared[found.first] = false;
        for index in found.first + 1..found.after {
            is_compared[index] = from[index].is_content();
        }
    }
    let compared: Vec<usize> = (0..from.len()).filter(|&index| is_compared[index]).collect();
    let partners = common_subsequence(&compared.iter().map(|&index| from[index].text).collect::<Vec<_>>(), &to);
    let mut result = Vec::with_capacity(to.len());
    let (mut next, mut next_macro) = (0, 0);
    for (word, partner) in to.iter().zip(partners) {
        if let Some(partner) = partner {
            let index = compared[partner];
            result.push(Aligned { start: word.start, from: from[index].start, to: from[index].end, is_same: true });
            next = index + 1;
            continue;
        }
        // The macro that the last partner stands in, or else the next one.
        while macros.get(next_macro).is_some_and(|found| found.after <= next) {
            next_macro += 1;
        }
        let (from_byte, to_byte) = match macros.get(next_macro) {
            Some(found) => (from[found.first].start, from[found.after - 1].end),
            None => from.get(next).map_or((original.len(), original.len()), |word| (word.start, word.end)),
        };
        result.push(Aligned { start: word.start, from: from_byte, to: to_byte, is_same: false });
    }
    result
}

/// Names of the original that the preprocessed line lacks, each with the parentheses it owns.
fn find_macros(from: &[Word<'_>], to: &[Word<'_>]) -> Vec<Macro> {
    let present: FxHashSet<&[u8]> = to.iter().map(|word| word.text).collect();
    let mut macros = Vec::new();
    let mut index = 0;
    while index < from.len() {
        if !from[index].is_name() || present.contains(from[index].text) {
            index += 1;
            continue;
        }
        let mut after = index + 1;
        if from.get(after).is_some_and(|word| word.text == b"(") {
            let mut open = 0usize;
            while after < from.len() {
                match from[after].text {
                    b"(" => open += 1,
                    b")" => open -= 1,
                    _ => {}
                }
                after += 1;
                if open == 0 {
                    break;
                }
            }
        }
        macros.push(Macro { first: index, after });
        index = after;
    }
    macros
}

/// For each word of `to` its partner in `from`, such that partners ascend and there are as many as possible.
fn common_subsequence(from: &[&[u8]], to: &[Word<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; to.len()];
    let n_front = from.iter().zip(to).take_while(|(left, right)| **left == right.text).count();
    for (index, partner) in partners.iter_mut().enumerate().take(n_front) {
        *partner = Some(index);
    }
    let (from, rest) = (&from[n_front..], &to[n_front..]);
    let n_back = from.iter().rev().zip(rest.iter().rev()).take_while(|(left, right)| **left == right.text).count();
    for back in 1..=n_back {
        partners[to.len() - back] = Some(n_front + from.len() - back);
    }
    let (from, rest) = (&from[..from.len() - n_back], &rest[..rest.len() - n_back]);
    if from.is_empty() || rest.is_empty() || from.len() * rest.len() > COMPARISON_LIMIT {
        return partners;
    }
    // best[i][j]: the most partners between from[i..] and rest[j..].
    let width = rest.len() + 1;
    let mut best = vec![0u32; (from.len() + 1) * width];
    for i in (0..from.len()).rev() {
        for j in (0..rest.len()).rev() {
            best[i * width + j] = if from[i] == rest[j].text {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < rest.len() {
        if from[i] == rest[j].text {
            partners[n_front + j] = Some(n_front + i);
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    partners
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Splits a line into words, literals and single marks; comments and blanks are left out.
fn words(line: &[u8]) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let start = at;
        match byte {
            _ if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if line.get(at + 1) == Some(&b'/') => break,
            b'/' if line.get(at + 1) == Some(&b'*') => {
                let end = line[at + 2..].windows(2).position(|pair| pair == b"*/");
                at = end.map_or(line.len(), |end| at + 2 + end + 2);
                continue;
            }
            b'"' | b'\'' => {
                at += 1;
                while let Some(&inner) = line.get(at) {
                    at += if inner == b'\\' { 2 } else { 1 };
                    if inner == byte {
                        break;
                    }
                }
                at = at.min(line.len());
            }
            _ if is_word_byte(byte) => {
                while line.get(at).is_some_and(|&byte| is_word_byte(byte)) {
                    at += 1;
                }
            }
            _ => at += 1,
        }
        words.push(Word { text: &line[start..at], start, end: at });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each preprocessed word with what it is aligned to.
    fn show(original: &str, physical: &str) -> String {
        let aligned = align(original, 0, physical.as_bytes());
        let shown: Vec<String> = words(physical.as_bytes())
            .iter()
            .zip(&aligned)
            .map(|(word, aligned)| {
                let text = String::from_utf8_lossy(word.text);
                let mark = if aligned.is_same { "=" } else { "<" };
                format!("{text}{mark}{}", &original[aligned.from..aligned.to])
            })
            .collect();
        shown.join(" ")
    }

    #[test]
    fn macros_own_what_came_out_of_them() {
        for (original, physical, expected) in [
            ("int   x;  // c", "int x;", "int=int x=x ;=;"),
            ("x = N + 1;", "x = 3 + 1;", "x=x === 3<N +=+ 1=1 ;=;"),
            (
                "f(NULL); g(p);",
                "f(((void *)0)); g(p);",
                "f=f (=( (<NULL (<NULL void<NULL *<NULL )<NULL 0<NULL )<NULL )=) ;=; g=g (=( p=p )=) ;=;",
            ),
            (
                "INC(x); INC(y);",
                "do { (x)++; } while (0); do { (y)++; } while (0);",
                "do<INC(x) {<INC(x) (<INC(x) x=x )<INC(x) +<INC(x) +<INC(x) ;=; }<INC(y) while<INC(y) (<INC(y) 0<INC(y) )<INC(y) ;<INC(y) do<INC(y) {<INC(y) (<INC(y) y=y )<INC(y) +<INC(y) +<INC(y) ;<INC(y) }<INC(y) while<INC(y) (<INC(y) 0<INC(y) )<INC(y) ;=;",
            ),
        ] {
            assert_eq!(show(original, physical), expected, "{original}");
        }
    }
}
