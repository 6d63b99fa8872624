//! Where does output go? The terminal: whether it has colours, how wide it is, and text that survives a closed pipe.

use crate::args::{Look, When};
use report::Style;
use std::io::{IsTerminal, Write};

/// Columns when there is no terminal to ask.
const DEFAULT_WIDTH: usize = 100;

/// How reports look on this terminal.
pub(crate) fn style(look: Look, verbose: bool) -> Style {
    let color = match look.color {
        When::Always => true,
        When::Never => false,
        When::Auto => wants_color(),
    };
    Style { color, width: width(), verbose, explain: false }
}

/// Colours on a terminal, unless the user's environment says no (<https://no-color.org>).
fn wants_color() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
}

fn width() -> usize {
    let set = std::env::var("COLUMNS").ok().and_then(|text| text.parse::<usize>().ok());
    let asked = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    set.or_else(asked).unwrap_or(DEFAULT_WIDTH).clamp(30, 400)
}

/// Prints to standard output. A reader that went away (`| head`) is no reason to complain.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

/// Prints to standard error.
pub(crate) fn complain(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// A line that is overwritten by the next one, on a terminal only.
pub(crate) fn progress(line: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        let line: String = line.chars().take(width().saturating_sub(1)).collect();
        let _ = write!(out, "\r\x1b[2K{line}\r");
        let _ = out.flush();
    }
}
