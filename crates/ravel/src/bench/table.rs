//! How did it go? The table by folder and engine, the list of what went wrong, and the last line.

use cases::worker::Answer;
use cases::{Category, Task};
use engines::PROCESSOR;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// A task, who answered, and how.
pub(crate) struct Row<'a> {
    /// The question.
    pub(crate) task: &'a Task,
    /// Who.
    pub(crate) engine: &'a str,
    /// How.
    pub(crate) answer: Answer,
}

/// How often each outcome happened, and the time it took.
#[derive(Clone, Copy, Default)]
struct Count {
    outcomes: [usize; 5],
    time: Duration,
}

impl Count {
    fn add(&mut self, answer: &Answer) {
        self.outcomes[answer.outcome as usize] += 1;
        self.time += answer.time;
    }

    fn of(&self, outcome: Category) -> usize {
        self.outcomes[outcome as usize]
    }

    fn all(&self) -> usize {
        self.outcomes.iter().sum()
    }
}

/// Whether anything is wrong: then the exit code is 1.
pub(crate) fn has_wrong(rows: &[Row<'_>]) -> bool {
    rows.iter().any(|row| row.answer.outcome == Category::Wrong)
}

/// The table by folder and engine, with a sum when there are several rows.
pub(crate) fn table(rows: &[Row<'_>]) -> String {
    let mut counts: BTreeMap<(String, &str), Count> = BTreeMap::new();
    let mut sum = Count::default();
    for row in rows {
        let folder = row.task.path.parent().map_or_else(String::new, |folder| folder.to_string_lossy().into_owned());
        counts.entry((folder, row.engine)).or_default().add(&row.answer);
        sum.add(&row.answer);
    }
    let shared = shared_folder(counts.keys().map(|(folder, _)| folder.as_str()));
    let mut lines = vec![
        ["folder", "engine", "tasks", "true", "false", "wrong", "unknown", "error", "seconds"].map(str::to_string),
    ];
    let line = |folder: &str, engine: &str, count: &Count| {
        let number = |outcome| count.of(outcome).to_string();
        [
            if folder.is_empty() { "." } else { folder }.to_string(),
            engine.to_string(),
            count.all().to_string(),
            number(Category::CorrectTrue),
            number(Category::CorrectFalse),
            number(Category::Wrong),
            number(Category::Unknown),
            number(Category::Error),
            format!("{:.1}", count.time.as_secs_f64()),
        ]
    };
    for ((folder, engine), count) in &counts {
        lines.push(line(folder[shared..].trim_start_matches('/'), engine, count));
    }
    if counts.len() > 1 {
        lines.push(line("all", "", &sum));
    }
    align(&lines)
}

/// A line for each task.
pub(crate) fn each(rows: &[Row<'_>]) -> String {
    let name =
        |row: &Row<'_>| row.task.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let widest = |cell: &dyn Fn(&Row<'_>) -> usize| rows.iter().map(cell).max().unwrap_or(0);
    let width = widest(&|row| name(row).chars().count());
    let property_width = widest(&|row| row.task.property.chars().count());
    let result_width = widest(&|row| row.answer.result.chars().count());
    let mut text = String::new();
    for row in rows {
        let (property, result, seconds) = (&row.task.property, &row.answer.result, row.answer.time.as_secs_f64());
        let word = row.answer.outcome.word();
        let line = format!(
            "{:<width$}  {property:<property_width$}  {result:<result_width$}  {word:<7}  {seconds:>6.2} s",
            name(row)
        );
        let _ = writeln!(text, "{line}");
    }
    text.push('\n');
    text
}

/// How much of the beginning all folders share, in whole names.
fn shared_folder<'a>(mut folders: impl Iterator<Item = &'a str>) -> usize {
    let Some(first) = folders.next() else { return 0 };
    let mut shared = first.len();
    for folder in folders {
        let same = first.bytes().zip(folder.bytes()).take_while(|(a, b)| a == b).count();
        if same < shared {
            shared = first[..same].rfind('/').unwrap_or(0);
        }
    }
    if shared == first.len() { first.rfind('/').unwrap_or(0) } else { shared }
}

/// Columns side by side: the first two to the left, numbers to the right.
fn align(lines: &[[String; 9]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..9).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut out = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            if column < 2 {
                let _ = write!(out, "{cell:<width$}  ");
            } else {
                let _ = write!(out, "{cell:>width$}  ");
            }
        }
        let _ = writeln!(text, "{}", out.trim_end());
    }
    text
}

/// The line that machines read.
pub(crate) fn last_line(rows: &[Row<'_>], time: Duration) -> String {
    let count = |wanted: &[Category]| rows.iter().filter(|row| wanted.contains(&row.answer.outcome)).count();
    format!(
        "correct {}, wrong {}, unknown {}, error {}, of {} in {:.1} s",
        count(&[Category::CorrectTrue, Category::CorrectFalse]),
        count(&[Category::Wrong]),
        count(&[Category::Unknown]),
        count(&[Category::Error]),
        rows.len(),
        time.as_secs_f64()
    )
}

/// Processor time of the correct answers: the sum and the median; the time that passed, where nobody told.
pub(crate) fn effort(rows: &[Row<'_>]) -> String {
    let is_correct = |row: &&Row<'_>| matches!(row.answer.outcome, Category::CorrectTrue | Category::CorrectFalse);
    let seconds =
        |row: &Row<'_>| row.answer.statistics.get(PROCESSOR).copied().unwrap_or(row.answer.time.as_secs_f64());
    let mut all: Vec<f64> = rows.iter().filter(is_correct).map(seconds).collect();
    all.sort_by(f64::total_cmp);
    let median = match all.len() {
        0 => 0.0,
        n => (all[(n - 1) / 2] + all[n / 2]) / 2.0,
    };
    format!("correct answers took {:.1} CPU s, median {median:.2} CPU s", all.iter().fold(0.0, |sum, one| sum + one))
}

/// One line a task, for spreadsheets and for comparing runs.
pub(crate) fn csv(rows: &[Row<'_>]) -> String {
    let header = ["task", "property", "expected", "engine", "result", "outcome", "seconds", "states", "reason"];
    let line = |row: &Row<'_>| {
        let Row { task, engine, answer } = row;
        [
            task.path.to_string_lossy().into_owned(),
            task.property.clone(),
            task.expected.clone(),
            (*engine).to_string(),
            answer.result.clone(),
            answer.outcome.word().to_string(),
            format!("{:.3}", answer.time.as_secs_f64()),
            answer.states.map_or_else(String::new, |states| states.to_string()),
            // A line of the file is a task.
            answer.reason.replace(['\n', '\r'], " "),
        ]
    };
    cases::table::csv(std::iter::once(header.map(str::to_string)).chain(rows.iter().map(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn task(path: &str) -> Task {
        let path = PathBuf::from(path);
        Task { path, property: "unreach-call".into(), expected: "true".into(), options: Vec::new() }
    }

    fn answer(outcome: Category) -> Answer {
        let time = Duration::from_millis(1500);
        Answer {
            outcome,
            result: "true".into(),
            reason: "a, \"b\"".into(),
            states: Some(3.0),
            statistics: Default::default(),
            time,
        }
    }

    #[test]
    fn rows_are_counted() {
        let tasks = [task("s/a/x.c"), task("s/a/y.c"), task("s/b/z.c")];
        let outcomes = [Category::CorrectTrue, Category::Wrong, Category::Unknown];
        let rows: Vec<Row<'_>> = tasks
            .iter()
            .zip(outcomes)
            .map(|(task, outcome)| Row { task, engine: "explicit", answer: answer(outcome) })
            .collect();
        assert_eq!(
            table(&rows),
            "folder  engine    tasks  true  false  wrong  unknown  error  seconds\n\
             a       explicit      2     1      0      1        0      0      3.0\n\
             b       explicit      1     0      0      0        1      0      1.5\n\
             all                   3     1      0      1        1      0      4.5\n"
        );
        assert_eq!(last_line(&rows, Duration::from_secs(2)), "correct 1, wrong 1, unknown 1, error 0, of 3 in 2.0 s");
        assert_eq!(effort(&rows), "correct answers took 1.5 CPU s, median 1.50 CPU s");
        let told = |seconds: f64| {
            let mut answer = answer(Category::CorrectFalse);
            answer.statistics.insert(PROCESSOR.to_string(), seconds);
            Row { task: &tasks[0], engine: "explicit", answer }
        };
        let told = [told(0.5), told(4.0), told(0.25), told(1.0)];
        assert_eq!(effort(&told), "correct answers took 5.8 CPU s, median 0.75 CPU s");
        assert_eq!(effort(&[]), "correct answers took 0.0 CPU s, median 0.00 CPU s");
        assert!(has_wrong(&rows));
        assert!(csv(&rows).contains("s/a/x.c,unreach-call,true,explicit,true,correct,1.500,3,\"a, \"\"b\"\"\"\n"));
    }
}
