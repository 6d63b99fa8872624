//! Do the invariants of a correctness witness hold? Each is written into the program as an assertion at its place, and the engines decide the program that comes out.
//!
//! An invariant of a loop is evaluated whenever the loop's condition is about to be; one of a location just before the statement there. Both are evaluated in an atomic section, as the
//! format wants (other threads are between statements), and change nothing; so every execution of the program is one of the changed program with steps added that only look,
//! and if none of these fails, the invariants hold. What cannot be placed in the text, or is no plain expression (calls, assignments), is not checked, and named.
//! The text is changed, not the lowered program, because expressions are C in the scope of their place. That they hold says nothing about how useful they are: the property itself is decided beside them.

use super::read::Invariant;
use std::path::Path;

/// Said by an assertion of ours when it fails.
const MARK: &str = "invariant of the witness, number ";

/// A program with the invariants in it.
pub(super) struct Instrumented {
    /// The text of the file.
    pub(super) text: String,
    /// The numbers of those that are in it.
    pub(super) placed: Vec<usize>,
    /// Those that are not, with the reason.
    pub(super) refused: Vec<(usize, String)>,
}

/// The number of the invariant that a failing assertion is about.
pub(super) fn number(message: &str) -> Option<usize> {
    let digits = message.split(MARK).nth(1)?;
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
}

/// Text that is put into a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Insertion {
    /// Before this byte.
    pub(super) at: usize,
    /// Of several at one place the one with the least rank stands first: what closes a section, what is checked, what opens one.
    pub(super) rank: u8,
    pub(super) text: String,
}

/// Writes those invariants that belong to a file into its text, beside what else is put there, and declarations before it.
pub(super) fn instrument(
    path: &Path,
    text: &str,
    invariants: &[Invariant],
    (mut insertions, declared): (Vec<Insertion>, &str),
) -> Instrumented {
    let (mut placed, mut refused) = (Vec::new(), Vec::new());
    for (number, invariant) in invariants.iter().enumerate().filter(|(_, invariant)| is_of(path, &invariant.file)) {
        match place(text, invariant, number) {
            Ok(own) => {
                insertions.extend(own.into_iter().map(|(at, text)| Insertion { at, rank: 1, text }));
                placed.push(number);
            }
            Err(why) => refused.push((number, why)),
        }
    }
    // From the end, so that places stay where they are.
    insertions.sort_by_key(|insertion| std::cmp::Reverse((insertion.at, insertion.rank)));
    let mut changed = text.to_string();
    for insertion in insertions {
        changed.insert_str(insertion.at, &insertion.text);
    }
    let prelude = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); \
                   extern void __assert_fail(const char *, const char *, unsigned int, const char *);";
    let name = path.display().to_string().replace(['"', '\\', '\n'], "_");
    Instrumented { text: format!("{prelude} {declared}\n# 1 \"{name}\"\n{changed}"), placed, refused }
}

/// Whether a witness means this file: by the last part of the name.
pub(super) fn is_of(path: &Path, named: &str) -> bool {
    path.file_name().is_some_and(|own| Path::new(named).file_name() == Some(own))
}

/// What is inserted where.
fn place(text: &str, invariant: &Invariant, number: usize) -> Result<Vec<(usize, String)>, String> {
    plain(&invariant.value)?;
    let check = format!(
        "({{ __VERIFIER_atomic_begin(); int ravel_holds = !!({}); __VERIFIER_atomic_end(); \
         if (!ravel_holds) __assert_fail(\"{MARK}{number}\", \"\", {}, \"\"); 1; }})",
        invariant.value, invariant.line
    );
    let at = offset(text, invariant.line, invariant.column).ok_or("its place is not in the file")?;
    if !invariant.is_loop {
        let before = text[..at].trim_end().chars().next_back();
        return match before {
            Some(';' | '{' | '}') => Ok(vec![(at, format!("{check}; "))]),
            _ => Err("no statement of a block begins at its place".to_string()),
        };
    }
    let rest = &text[at..];
    let keyword: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let open = at + keyword.len() + rest[keyword.len()..].find('(').ok_or("no loop begins at its place")?;
    if !text[at + keyword.len()..open].trim().is_empty() {
        return Err(format!("loops with `{keyword}` are not supported"));
    }
    let parts = parts(text, open).ok_or("the head of its loop does not end")?;
    match (keyword.as_str(), parts.as_slice()) {
        ("while", [condition]) => Ok(conjoined(text, condition, &check)),
        ("for", [_, condition, _]) => Ok(conjoined(text, condition, &check)),
        ("while" | "for", _) => Err("the head of its loop cannot be read".to_string()),
        _ => Err(format!("no loop begins at its place but `{keyword}`")),
    }
}

/// The check and then the condition, if there is one.
fn conjoined(text: &str, condition: &std::ops::Range<usize>, check: &str) -> Vec<(usize, String)> {
    match text[condition.clone()].trim().is_empty() {
        true => vec![(condition.start, check.to_string())],
        false => vec![(condition.start, format!("{check} && (")), (condition.end, ")".to_string())],
    }
}

/// The parts between a parenthesis and the one that closes it, separated by semicolons.
fn parts(text: &str, open: usize) -> Option<Vec<std::ops::Range<usize>>> {
    let (mut depth, mut start, mut parts) = (0usize, open + 1, Vec::new());
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text[open..].char_indices().map(|(at, c)| (open + at, c)) {
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')') if depth == 1 => {
                parts.push(start..at);
                return Some(parts);
            }
            (None, ')' | '}' | ']') => depth = depth.checked_sub(1)?,
            (None, ';') if depth == 1 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// Where a line and column are in a text; without a column the first character of the line that is not blank.
pub(super) fn offset(text: &str, line: u32, column: Option<u32>) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)? as usize).map(str::len).sum();
    let own = text.get(start..)?.lines().next()?;
    let column = match column {
        Some(column) => column.checked_sub(1)? as usize,
        None => own.chars().take_while(|c| c.is_whitespace()).count(),
    };
    let at = own.char_indices().nth(column)?.0;
    Some(start + at)
}

/// Whether an expression can be evaluated without changing anything; an error names what is in the way.
pub(super) fn plain(value: &str) -> Result<(), String> {
    if let Some(bad) = value.chars().find(|c| ";{}#\"\\`\n\r".contains(*c)) {
        return Err(format!("`{bad}` is not supported in invariants"));
    }
    if value.contains("++") || value.contains("--") || has_assignment(value) {
        return Err("it changes variables".to_string());
    }
    let mut depth = 0i64;
    for c in value.chars() {
        depth += i64::from(c == '(') - i64::from(c == ')');
        if depth < 0 {
            break;
        }
    }
    if depth != 0 || value.trim().is_empty() {
        return Err("it is no expression".to_string());
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let calls = value.match_indices('(').filter_map(|(at, _)| {
        let before = value[..at].trim_end();
        let name: String = before.chars().rev().take_while(|c| is_word(*c)).collect();
        (!name.is_empty()).then(|| name.chars().rev().collect::<String>())
    });
    match calls.into_iter().find(|name| name != "sizeof" && name != "_Alignof") {
        Some(name) => Err(format!("calls, as of `{name}`, are not supported in invariants")),
        None => Ok(()),
    }
}

fn has_assignment(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        let earlier = at.checked_sub(2).map_or(b' ', |at| bytes[at]);
        let is_shift = before == earlier && (before == b'<' || before == b'>');
        *byte == b'=' && bytes.get(at + 1) != Some(&b'=') && (!b"=!<>".contains(&before) || is_shift)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invariant(line: u32, column: Option<u32>, is_loop: bool, value: &str) -> Invariant {
        Invariant { file: "dir/a.c".into(), line, column, is_loop, value: value.into() }
    }

    fn instrumented(text: &str, invariants: &[Invariant]) -> Instrumented {
        instrument(Path::new("other/a.c"), text, invariants, (Vec::new(), ""))
    }

    #[test]
    fn loops_are_checked_before_their_condition() {
        let text = "int main(void) {\n  while (x < 3) x++;\n  for (int i = 0;; i++) ;\n}\n";
        let all = [invariant(2, Some(3), true, "x <= 3"), invariant(3, None, true, "i >= 0")];
        let found = instrumented(text, &all);
        assert_eq!((found.placed.as_slice(), found.refused.len()), (&[0, 1][..], 0));
        assert!(
            found.text.contains("while (({ __VERIFIER_atomic_begin(); int ravel_holds = !!(x <= 3);"),
            "{}",
            found.text
        );
        assert!(found.text.contains("1; }) && (x < 3)) x++;"), "{}", found.text);
        assert!(found.text.contains("for (int i = 0;({"), "{}", found.text);
        assert!(found.text.contains("number 1\", \"\", 3, \"\"); 1; }); i++) ;"), "{}", found.text);
        assert_eq!(number("assertion failed: invariant of the witness, number 12"), Some(12));
    }

    #[test]
    fn statements_are_checked_where_a_block_has_room() {
        let text = "int main(void) {\n  if (x) y = 1;\n  y = 2;\n}\n";
        let all = [invariant(3, Some(3), false, "y != 7"), invariant(2, Some(10), false, "y == 0")];
        let found = instrumented(text, &all);
        assert_eq!(found.placed, [0]);
        assert_eq!(found.refused, [(1, "no statement of a block begins at its place".to_string())]);
        assert!(found.text.contains("1; }); y = 2;"), "{}", found.text);
        assert!(instrument(Path::new("b.c"), text, &all, (Vec::new(), "")).placed.is_empty());
    }

    #[test]
    fn what_is_checked_stands_between_sections() {
        let insertion = |rank, text: &str| Insertion { at: 2, rank, text: text.into() };
        let own = vec![insertion(2, "open "), insertion(0, "close ")];
        let all = [invariant(1, Some(3), false, "x")];
        let found = instrument(Path::new("a.c"), "{;y; }", &all, (own, "int g;"));
        let (close, open) = (found.text.find("close "), found.text.find("open y"));
        let check = found.text.find("ravel_holds");
        assert!(close < check && check < open && close.is_some(), "{}", found.text);
        assert!(found.text.contains("int g;\n# 1 "));
    }

    #[test]
    fn what_changes_or_calls_is_refused_by_name() {
        for value in ["x == 1 && y <= 2", "(x & 3) != 0", "(unsigned int)x >> 2 == sizeof(int)", "p->n[2] >= *q"] {
            assert_eq!(plain(value), Ok(()), "{value}");
        }
        for (value, words) in [
            ("x = 1", "changes"),
            ("x <<= 1", "changes"),
            ("x++ > 0", "changes"),
            ("f(x) > 0", "`f`"),
            ("1); abort(", "`;`"),
            ("x)", "no expression"),
            (") + (", "no expression"),
            ("", "no expression"),
        ] {
            assert!(plain(value).is_err_and(|said| said.contains(words)), "{value}");
        }
    }
}
