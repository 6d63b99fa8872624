//! Who did what, when? The steps of an execution with a column for each thread; one below the other where columns do not fit.
//!
//! ```text
//! step  main                    T1 worker               T2 worker
//!    1  18  pthread_create(…
//!           starts T1 worker
//!    2                          9   int v = counter;
//!                                   reads counter = 0
//! ```

mod fold;
mod merge;

use crate::story::{Effect, Row, Story};
use crate::style::{Ink, Style, pad, truncate, wrap};
use crate::tell::statements::statement_at;
use fold::folded;
use ir::{FileId, Sources, Span};
use std::fmt::Write;

/// A lane narrower than this is unreadable; then lanes are stacked.
const MIN_LANE: usize = 28;

/// The steps of a story.
pub fn lanes(sources: &Sources, story: &Story, style: &Style) -> String {
    let pages = Pages::new(sources, story);
    let n_lanes = story.threads.len().max(1);
    let room = style.width.saturating_sub(6);
    let mut text = String::new();
    if n_lanes > 1 && room / n_lanes < MIN_LANE {
        for_rows(story, style, &mut text, |previous, row, text| stacked(&pages, story, style, previous, row, text));
    } else {
        let lane = (room / n_lanes).min(72);
        let _ = write!(text, "{}", style.paint(Ink::Faint, "step  "));
        for (index, name) in story.threads.iter().enumerate() {
            let _ = write!(text, "{}", style.paint(Ink::Thread(index), &pad(&truncate(name, lane - 1), lane)));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        for_rows(story, style, &mut text, |_, row, text| in_lane(&pages, style, row, lane, text));
    }
    text
}

/// Calls for every row that is shown, with the row before it, and says how many are not.
fn for_rows(story: &Story, style: &Style, text: &mut String, mut show: impl FnMut(Option<&Row>, &Row, &mut String)) {
    let hidden = if style.verbose { vec![false; story.rows.len()] } else { folded(&story.rows) };
    let mut previous = None;
    for (index, row) in story.rows.iter().enumerate() {
        if !hidden[index] {
            show(previous, row, text);
            previous = Some(row);
            continue;
        }
        if index == 0 || !hidden[index - 1] {
            let n = hidden[index..].iter().take_while(|hidden| **hidden).count();
            let line = format!("      … {}", fold::words(story, &story.rows[index..index + n]));
            let _ = writeln!(text, "{}", style.paint(Ink::Faint, &line));
            previous = None;
        }
    }
    if hidden.contains(&true) {
        let _ = writeln!(text, "{}", style.paint(Ink::Faint, "      (-v shows every step)"));
    }
}

/// What is said of a row: all of it, or what belongs together at once.
fn effects(row: &Row, style: &Style) -> Vec<String> {
    if style.verbose { row.effects.iter().map(Effect::text).collect() } else { merge::texts(&row.effects) }
}

/// A row in the column of its thread.
fn in_lane(pages: &Pages<'_>, style: &Style, row: &Row, lane: usize, text: &mut String) {
    let indent = " ".repeat(6 + lane * row.thread);
    let place = format!("{}  ", pages.place(row));
    let source = truncate(&row.source, (lane - 1).saturating_sub(place.chars().count()).max(8));
    let step = style.paint(Ink::Faint, &format!("{:>4}  ", row.step));
    let between = &indent[6..];
    let _ = writeln!(
        text,
        "{step}{between}{}{}",
        style.paint(Ink::Blue, &place),
        style.paint(Ink::Thread(row.thread), &source)
    );
    let width = (lane - 1).saturating_sub(place.chars().count()).max(12);
    let hang = " ".repeat(place.chars().count());
    for effect in effects(row, style) {
        for (index, line) in wrap(&effect, width - 2).iter().enumerate() {
            let bullet = if index == 0 { "" } else { "  " };
            let _ = writeln!(text, "{indent}{hang}{bullet}{line}");
        }
    }
}

/// A row below the name of its thread, which is repeated at every switch.
fn stacked(pages: &Pages<'_>, story: &Story, style: &Style, previous: Option<&Row>, row: &Row, text: &mut String) {
    if previous.is_none_or(|previous| previous.thread != row.thread) {
        let name = story.threads.get(row.thread).map_or("?", String::as_str);
        let _ = writeln!(text, "{}", style.paint(Ink::Thread(row.thread), &format!("-- {name}")));
    }
    let place = format!("{}  ", pages.place(row));
    let width = style.width.saturating_sub(6 + place.chars().count()).max(12);
    let step = style.paint(Ink::Faint, &format!("{:>4}  ", row.step));
    let _ = writeln!(text, "{step}{}{}", style.paint(Ink::Blue, &place), truncate(&row.source, width));
    let hang = " ".repeat(6 + place.chars().count());
    for effect in effects(row, style) {
        for line in wrap(&effect, width) {
            let _ = writeln!(text, "{hang}{line}");
        }
    }
}

/// How places are written: the line alone where all rows are of one file.
struct Pages<'a> {
    sources: &'a Sources,
    main_file: Option<FileId>,
    digits: usize,
}

impl<'a> Pages<'a> {
    fn new(sources: &'a Sources, story: &Story) -> Pages<'a> {
        let known = || story.rows.iter().filter(|row| row.span.is_known());
        let main_file = known().map(|row| row.span.file).next();
        let pages = Pages { sources, main_file, digits: 1 };
        let digits = known().map(|row| pages.line(row).len()).max().unwrap_or(1);
        Pages { digits, ..pages }
    }

    /// The line, with the column where several statements share it.
    fn line(&self, row: &Row) -> String {
        let Span { line, column, .. } = row.span;
        let text = self.sources.line(row.span).unwrap_or_default();
        if statement_at(text, column).is_some() { format!("{line}:{column}") } else { line.to_string() }
    }

    fn place(&self, row: &Row) -> String {
        if !row.span.is_known() {
            return pad("-", self.digits);
        }
        if Some(row.span.file) == self.main_file {
            return pad(&self.line(row), self.digits);
        }
        let path = self.sources.path(row.span);
        format!("{}:{}", path.rsplit('/').next().unwrap_or(path), self.line(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story() -> (Sources, Story) {
        let mut sources = Sources::default();
        let file = sources.file("a.c");
        let row = |step, thread, line, source: &str, effects| Row {
            step,
            thread,
            span: Span { file, line, column: 1, end_column: 2 },
            source: source.to_string(),
            effects,
        };
        let read = Effect::Read { name: "x".into(), value: "0".into(), written_at: None };
        let write = Effect::Write { name: "x".into(), old: Some("0".into()), new: "1".into() };
        let rows = vec![
            row(1, 0, 18, "pthread_create(&t, 0, worker, 0);", vec![Effect::Start { thread: "T1 worker".into() }]),
            row(2, 1, 9, "x = x + 1;", vec![read, write]),
        ];
        (sources, Story { threads: vec!["main".into(), "T1 worker".into()], rows })
    }

    #[test]
    fn threads_have_columns() {
        let (sources, story) = story();
        let shown = lanes(&sources, &story, &Style { width: 80, ..Style::default() });
        let expected = "\
step  main                                 T1 worker
   1  18  pthread_create(&t, 0, worker, 0…
          starts T1 worker
   2                                       9   x = x + 1;
                                               reads x = 0
                                               x: 0 → 1
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn narrow_screens_stack() {
        let (sources, story) = story();
        let shown = lanes(&sources, &story, &Style { width: 40, ..Style::default() });
        let expected = "\
-- main
   1  18  pthread_create(&t, 0, worker,…
          starts T1 worker
-- T1 worker
   2  9   x = x + 1;
          reads x = 0
          x: 0 → 1
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn loops_are_folded() {
        let (sources, mut story) = story();
        let row = story.rows[1].clone();
        story.rows.extend((3..=500).map(|step| Row { step, ..row.clone() }));
        let shown = lanes(&sources, &story, &Style::default());
        assert!(shown.contains("… 496 more steps of T1 worker (loop at line 9)"), "{shown}");
        assert!(shown.lines().count() < 30, "{shown}");
        let all = lanes(&sources, &story, &Style { verbose: true, ..Style::default() });
        assert!(!all.contains("more steps") && all.lines().count() > 1000);
    }
}
