//! What of a long execution need not be read? Rounds of a loop that are like those before, and the middle of a long stretch of one thread.
//!
//! A round is a sequence of rows that comes again, statement by statement, whoever takes part; values may differ. The first two and the last one are
//! shown, and every row that a row in sight reads from.

use crate::story::{Effect, Row, Story};
use std::collections::BTreeSet;

/// The longest round that is looked for.
const LONGEST_ROUND: usize = 48;
/// How often a round comes before it is folded, and how many are shown before and after.
const ROUNDS: usize = 5;
const SHOWN_ROUNDS: (usize, usize) = (2, 1);
/// How many rows of one thread are shown in a row, and how many of them before and after what is not.
const STRETCH: usize = 60;
const SHOWN_OF_STRETCH: (usize, usize) = (15, 25);

/// Which rows are not shown.
pub(super) fn folded(rows: &[Row]) -> Vec<bool> {
    let mut hidden = vec![false; rows.len()];
    fold_rounds(rows, &mut hidden);
    fold_stretches(rows, &mut hidden);
    let read_by = |row: &Row| -> Vec<usize> {
        let written_at = |effect: &Effect| match effect {
            Effect::Read { written_at, .. } => *written_at,
            _ => None,
        };
        row.effects.iter().filter_map(written_at).collect()
    };
    let in_sight = rows.iter().zip(&hidden).filter(|(_, hidden)| !**hidden);
    let needed: BTreeSet<usize> = in_sight.flat_map(|(row, _)| read_by(row)).collect();
    for (row, hidden) in rows.iter().zip(&mut hidden) {
        *hidden &= !needed.contains(&row.step);
    }
    hidden
}

/// How many rows are not shown, and whose.
pub(super) fn words(story: &Story, rows: &[Row]) -> String {
    let threads: BTreeSet<usize> = rows.iter().map(|row| row.thread).collect();
    let names: Vec<&str> = threads.iter().filter_map(|thread| story.threads.get(*thread)).map(String::as_str).collect();
    let plural = if rows.len() == 1 { "" } else { "s" };
    let lines: BTreeSet<u32> = rows.iter().map(|row| row.span.line).collect();
    let comes_again = lines.len() * 2 <= rows.len();
    let place = lines.first().filter(|_| comes_again).map(|line| format!(" (loop at line {line})"));
    format!("{} more step{plural} of {}{}", rows.len(), names.join(", "), place.unwrap_or_default())
}

fn is_like(a: &Row, b: &Row) -> bool {
    (a.thread, a.span.file, a.span.line, &a.source) == (b.thread, b.span.file, b.span.line, &b.source)
}

fn fold_rounds(rows: &[Row], hidden: &mut [bool]) {
    let mut at = 0;
    while at < rows.len() {
        let rounds = |length: usize| -> usize {
            let same = rows[at + length..].iter().zip(&rows[at..]).take_while(|(a, b)| is_like(a, b)).count();
            1 + same / length
        };
        let longest = LONGEST_ROUND.min((rows.len() - at) / ROUNDS);
        let found = (1..=longest).map(|length| (length, rounds(length))).find(|(_, n)| *n >= ROUNDS);
        let Some((length, n)) = found else {
            at += 1;
            continue;
        };
        hidden[at + SHOWN_ROUNDS.0 * length..at + (n - SHOWN_ROUNDS.1) * length].fill(true);
        at += n * length;
    }
}

fn fold_stretches(rows: &[Row], hidden: &mut [bool]) {
    let mut start = 0;
    while start < rows.len() {
        let is_on = |row: &&Row| row.thread == rows[start].thread;
        let end = start + rows[start..].iter().take_while(is_on).count();
        let shown: Vec<usize> = (start..end).filter(|at| !hidden[*at]).collect();
        if shown.len() > STRETCH {
            for at in &shown[SHOWN_OF_STRETCH.0..shown.len() - SHOWN_OF_STRETCH.1] {
                hidden[*at] = true;
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::Span;

    fn rows(lines: impl Iterator<Item = (usize, u32)>) -> Vec<Row> {
        let row = |(at, (thread, line)): (usize, (usize, u32))| Row {
            step: at + 1,
            thread,
            span: Span { line, column: 1, ..Span::NOWHERE },
            source: String::new(),
            effects: Vec::new(),
        };
        lines.enumerate().map(row).collect()
    }

    #[test]
    fn rounds_are_folded_whoever_takes_part() {
        let both = rows([(0, 1)].into_iter().chain([(0, 2), (1, 3), (1, 4)].into_iter().cycle().take(30)));
        let hidden = folded(&both);
        assert_eq!(hidden.iter().filter(|hidden| **hidden).count(), 3 * 7);
        assert!(!hidden[6] && hidden[7] && hidden[27] && !hidden[28]);
        let four_rounds = rows([(0, 2), (1, 3)].into_iter().cycle().take(8));
        assert!(!folded(&four_rounds).contains(&true));
    }

    #[test]
    fn long_stretches_lose_their_middle_but_what_is_read() {
        let mut long = rows((0..100).map(|line| (0, line)));
        let read = Effect::Read { name: "x".into(), value: "1".into(), written_at: Some(31) };
        long[99].effects.push(read);
        let hidden = folded(&long);
        assert_eq!(hidden.iter().filter(|hidden| **hidden).count(), 100 - 15 - 25 - 1);
        assert!(!hidden[30] && hidden[29]);
    }
}
