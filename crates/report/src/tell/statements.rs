//! Which statement of a line is meant? Where several share a line, rows and places name one of them.
//!
//! The text is cut at `;` and at braces that are no part of an expression, outside of texts, comments and parentheses. This is
//! for the eye only: a line that is cut in a strange place is still shown where it is.

/// A statement on a line, by columns from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Statement {
    /// The column of its first character.
    pub(crate) start: usize,
    /// The column after its last one.
    pub(crate) end: usize,
}

/// The statement at a column of a line, if there are several on it.
pub(crate) fn statement_at(line: &str, column: u32) -> Option<Statement> {
    let all = statements(line);
    // What comes from a macro may stand behind the text.
    let is_on_line = (1..=line.chars().count()).contains(&(column as usize));
    if all.len() < 2 || !is_on_line {
        return None;
    }
    all.iter().rfind(|statement| statement.start <= column as usize).or(all.first()).copied()
}

/// The text of a statement.
pub(crate) fn text_of(line: &str, statement: Statement) -> String {
    line.chars().skip(statement.start - 1).take(statement.end - statement.start).collect()
}

/// Where the line is cut, and how deep it is in what is not cut.
#[derive(Default)]
struct Cutter {
    found: Vec<Statement>,
    start: usize,
    parentheses: usize,
    /// Braces that belong to an expression.
    values: usize,
}

impl Cutter {
    fn cut(&mut self, chars: &[char], end: usize) {
        let blank = |c: &&char| c.is_whitespace();
        let first = self.start + chars[self.start..end].iter().take_while(blank).count();
        let last = end - chars[first.min(end)..end].iter().rev().take_while(blank).count();
        let is_statement =
            chars[first.min(last)..last].iter().any(|c| !matches!(c, '{' | '}' | ';') && !c.is_whitespace());
        if is_statement {
            self.found.push(Statement { start: first + 1, end: last + 1 });
        }
        self.start = end;
    }
}

fn statements(line: &str) -> Vec<Statement> {
    let chars: Vec<char> = line.chars().collect();
    let mut cutter = Cutter::default();
    let mut last = ' ';
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        match (c, chars.get(at + 1)) {
            ('/', Some('/')) => break,
            ('/', Some('*')) => {
                let close = (at + 2..chars.len()).find(|i| chars[*i] == '*' && chars.get(i + 1) == Some(&'/'));
                at = close.map_or(chars.len(), |close| close + 2);
                continue;
            }
            ('"' | '\'', _) => {
                at = end_of_text(&chars, at);
                last = c;
                continue;
            }
            ('(' | '[', _) => cutter.parentheses += 1,
            (')' | ']', _) => cutter.parentheses = cutter.parentheses.saturating_sub(1),
            ('{', _) if cutter.values > 0 || matches!(last, '=' | ',' | '(') => cutter.values += 1,
            ('}', _) if cutter.values > 0 => cutter.values -= 1,
            (';' | '{', _) if cutter.parentheses == 0 && cutter.values == 0 => cutter.cut(&chars, at + 1),
            ('}', _) if cutter.parentheses == 0 => {
                cutter.cut(&chars, at);
                cutter.cut(&chars, at + 1);
            }
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        }
        at += 1;
    }
    let end = at.min(chars.len());
    cutter.cut(&chars, end);
    cutter.found
}

/// The place behind a text or a character that begins here.
fn end_of_text(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != chars[start] {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Vec<String> {
        statements(line).into_iter().map(|statement| text_of(line, statement)).collect()
    }

    #[test]
    fn lines_are_cut_into_statements() {
        assert_eq!(cut("  for (int i = 0; i < 3; i++) {"), ["for (int i = 0; i < 3; i++) {"]);
        assert_eq!(cut("\tx = 1; f(\"a;b\", ';'); // c;"), ["x = 1;", "f(\"a;b\", ';');"]);
        assert_eq!(cut("if (n) { q->head = n->next; }"), ["if (n) {", "q->head = n->next;"]);
        assert_eq!(cut("struct p a[2] = { {1, 2}, {3, 4} };"), ["struct p a[2] = { {1, 2}, {3, 4} };"]);
        assert_eq!(cut("f((struct p){1, 2}); return;"), ["f((struct p){1, 2});", "return;"]);
        assert_eq!(cut("}"), Vec::<String>::new());
    }

    #[test]
    fn the_one_at_a_column_is_found() {
        let line = "a = 1; b = 2;";
        assert_eq!(statement_at(line, 8), Some(Statement { start: 8, end: 14 }));
        assert_eq!(statement_at(line, 3), Some(Statement { start: 1, end: 7 }));
        assert_eq!(statement_at("a = 1;", 1), None);
        assert_eq!((statement_at(line, 0), statement_at(line, 14)), (None, None));
    }
}
