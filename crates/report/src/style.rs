//! How does text look? Colours that can be off, the width of the screen, and text that is safe to show.
//!
//! Everything shown from a source file goes through `printable`: a binary file or an escape sequence in a string literal must not
//! reach the terminal as it is.

/// How a report is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether to use colours.
    pub color: bool,
    /// Columns of the screen.
    pub width: usize,
    /// Whether to show every step and statistic.
    pub verbose: bool,
    /// Whether an execution is summed up in a few sentences, too.
    pub explain: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { color: false, width: 100, verbose: false, explain: false }
    }
}

/// A colour or weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// Bad news.
    Red,
    /// Good news.
    Green,
    /// Neither.
    Yellow,
    /// Line numbers and frames.
    Blue,
    /// What stands out.
    Bold,
    /// What does not.
    Faint,
    /// The colour of a thread, by its index.
    Thread(usize),
}

impl Style {
    /// The text in a colour, when colours are on.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_string();
        }
        let code = match ink {
            Ink::Red => "1;31",
            Ink::Green => "1;32",
            Ink::Yellow => "1;33",
            Ink::Blue => "34",
            Ink::Bold => "1",
            Ink::Faint => "2",
            Ink::Thread(index) => ["36", "33", "35", "32", "34", "31"][index % 6],
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Source text as it can be shown: tabs become spaces, control characters a dot.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => shown.push_str("    "),
            c if c.is_control() || c == '\u{fffd}' => shown.push('·'),
            c => shown.push(c),
        }
    }
    shown
}

/// Text inside of HTML or XML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The text in at most `width` characters, with a sign that something is missing.
pub fn truncate(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_string();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The text with spaces after it, up to a width.
pub fn pad(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    let mut padded = text.to_string();
    padded.extend(std::iter::repeat_n(' ', missing));
    padded
}

/// The words of a text in lines of at most `width` characters; longer words are cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(truncate(word, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_made_to_fit() {
        assert_eq!(printable("a\tb\x1b[31m\u{0}"), "a    b·[31m·");
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("abcd", 4), "abcd");
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(wrap("one two three incomprehensible", 8), ["one two", "three", "incompr…"]);
    }

    #[test]
    fn colours_can_be_off() {
        let plain = Style::default();
        assert_eq!(plain.paint(Ink::Red, "x"), "x");
        assert_eq!(Style { color: true, ..plain }.paint(Ink::Red, "x"), "\x1b[1;31mx\x1b[0m");
    }
}
