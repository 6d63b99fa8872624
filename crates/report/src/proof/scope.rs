//! Has a name of C its meaning at a place? Declared before, in a block that is still open there, and not hidden by a later one.
//!
//! What is known of blocks is the text: braces and parentheses between the declaration and the place. What stands in parentheses, the variable of a `for` or a parameter, lives in the
//! statement or body that follows them. Where the text is not there nothing is known, and the name is not used; what is said becomes weaker by that and never wrong.

use ir::{Sources, Span};

/// Whether what is declared at one place is in scope at another one of the same file.
pub(super) fn is_in_scope(sources: &Sources, declared: Span, at: Span) -> bool {
    let starts = |span: Span| (span.line, span.column);
    if declared.file != at.file || starts(declared) > starts(at) && declared.line != at.line {
        return false;
    }
    if declared.line == at.line {
        return true;
    }
    let Some(text) = between(sources, declared, at) else { return false };
    let (mut braces, mut parens, mut is_in_parens, mut has_entered) = (0_i32, 0_i32, false, false);
    for c in text.chars() {
        match c {
            '(' => parens += 1,
            ')' => {
                parens -= 1;
                is_in_parens |= parens < 0 && braces == 0 && !has_entered;
            }
            '{' => {
                braces += 1;
                has_entered = true;
            }
            '}' => {
                braces -= 1;
                if braces < 0 || braces == 0 && is_in_parens {
                    return false;
                }
            }
            // A statement without braces behind the parentheses has ended.
            ';' if is_in_parens && braces == 0 && parens < 0 => return false,
            _ => {}
        }
    }
    true
}

/// The text from one place to another, without comments and literals.
fn between(sources: &Sources, from: Span, to: Span) -> Option<String> {
    let file = sources.files.get(from.file.0 as usize)?;
    let mut text = String::new();
    for number in from.line..=to.line {
        // Lines that were not seen have nothing of the program in them, unless they are those of the places themselves.
        let Some(line) = file.lines.get(&number) else {
            if number == from.line || number == to.line {
                return None;
            }
            continue;
        };
        let begin = if number == from.line { (from.column as usize).saturating_sub(1) } else { 0 };
        let end = if number == to.line { (to.column as usize).saturating_sub(1) } else { line.len() };
        text.push_str(line.get(begin.min(line.len())..end.min(line.len()).max(begin.min(line.len())))?);
        text.push('\n');
    }
    Some(plain(&text))
}

/// A text without comments and what is in quotes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '"' | '\'' => {
                while let Some(inside) = chars.next() {
                    if inside == '\\' {
                        chars.next();
                    } else if inside == c {
                        break;
                    }
                }
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first `x` of a program is in scope at `@`.
    fn is_seen(program: &str) -> bool {
        let mut sources = Sources::default();
        let file = sources.file("a.c");
        let find = |mark: char| {
            let (line, text) = program.lines().enumerate().find(|(_, text)| text.contains(mark)).expect("it is there");
            let column = text.find(mark).expect("it is there") as u32 + 1;
            Span { file, line: line as u32 + 1, column, end_column: column + 1 }
        };
        for (line, text) in program.lines().enumerate() {
            sources.files[0].lines.insert(line as u32 + 1, text.to_string());
        }
        is_in_scope(&sources, find('x'), find('@'))
    }

    #[test]
    fn names_end_with_their_block() {
        for (program, expected) in [
            ("int x;\nint main(void) {\n  @while (1);\n}", true),
            ("int main(void) {\n  int x;\n  { int y; }\n  @while (1);\n}", true),
            ("int main(void) {\n  { int x; }\n  @while (1);\n}", false),
            ("int main(void) {\n  for (int x = 0; x < 3; x++) { f(); }\n  @while (1);\n}", false),
            ("int main(void) {\n  for (int x = 0; x < 3; x++)\n    f();\n  @while (1);\n}", false),
            ("int main(void) {\n  for (int x = 0; x < 3; x++) {\n    @while (1);\n  }\n}", true),
            ("void f(int x) {\n  { g(\"}\"); /* } */ }\n  @while (1);\n}", true),
            ("void f(int x) {\n  g();\n}\nvoid h(void) {\n  @while (1);\n}", false),
            ("int main(void) {\n  @while (1);\n  int x;\n}", false),
        ] {
            assert_eq!(is_seen(program), expected, "{program}");
        }
    }
}
