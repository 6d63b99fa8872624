//! What does a test runner read? The rows of a suite as JUnit XML: a suite for each folder, a test for each task.
//!
//! A wrong answer is a failure, a crash or an unreadable input an error, and an unknown answer is skipped with its reason: nothing is known to be wrong.

use super::table::Row;
use cases::Category;
use report::style::{escape, printable};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The document.
pub(crate) fn junit(rows: &[Row<'_>]) -> String {
    let mut suites: BTreeMap<String, Vec<&Row<'_>>> = BTreeMap::new();
    for row in rows {
        let folder = row.task.path.parent().map_or_else(String::new, |folder| folder.to_string_lossy().into_owned());
        suites.entry(folder).or_default().push(row);
    }
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"ravel\" {}>", counts(&rows.iter().collect::<Vec<_>>()));
    for (folder, rows) in &suites {
        let name = if folder.is_empty() { "." } else { folder };
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", text(name), counts(rows));
        for row in rows {
            out.push_str(&case(row, name));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts(rows: &[&Row<'_>]) -> String {
    let count = |outcome| rows.iter().filter(|row| row.answer.outcome == outcome).count();
    let seconds: f64 = rows.iter().map(|row| row.answer.time.as_secs_f64()).sum();
    let (failures, errors, skipped) = (count(Category::Wrong), count(Category::Error), count(Category::Unknown));
    format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\"",
        rows.len()
    )
}

fn case(row: &Row<'_>, folder: &str) -> String {
    let name = row.task.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let property = if row.task.property.is_empty() { String::new() } else { format!(" {}", row.task.property) };
    let (answer, expected) = (&row.answer, &row.task.expected);
    let head = format!(
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
        text(&format!("{name}{property}")),
        text(&format!("{folder} {}", row.engine)),
        answer.time.as_secs_f64()
    );
    let said = format!("ravel says {}, expected {expected}", answer.result);
    let inner = match answer.outcome {
        Category::CorrectTrue | Category::CorrectFalse => return format!("{head}/>\n"),
        Category::Wrong => format!("<failure message=\"{}\">{}</failure>", text(&said), text(&answer.reason)),
        Category::Error => format!("<error message=\"{}\">{}</error>", text(&said), text(&answer.reason)),
        Category::Unknown => format!("<skipped message=\"{}\"/>", text(&answer.reason)),
    };
    format!("{head}>\n      {inner}\n    </testcase>\n")
}

/// Text as XML has it: no control characters.
fn text(text: &str) -> String {
    escape(&printable(&text.replace(['\n', '\r'], " ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cases::Task;
    use cases::worker::Answer;
    use std::time::Duration;

    #[test]
    fn outcomes_have_their_elements() {
        let outcomes = [Category::CorrectFalse, Category::Wrong, Category::Unknown, Category::Error];
        let task = |at: usize| Task {
            path: format!("s/{at}<.c").into(),
            property: "unreach-call".into(),
            expected: "true".into(),
            options: Vec::new(),
        };
        let tasks: Vec<Task> = (0..4).map(task).collect();
        let row = |(task, outcome): (&'_ Task, Category)| Answer {
            outcome,
            result: "unknown".into(),
            reason: format!("\u{1b}[31m \"{}\" & more", task.expected),
            states: None,
            statistics: Default::default(),
            time: Duration::from_millis(250),
        };
        let rows: Vec<Row<'_>> = tasks
            .iter()
            .zip(outcomes)
            .map(|(task, outcome)| Row { task, engine: "bmc", answer: row((task, outcome)) })
            .collect();
        let xml = junit(&rows);
        assert!(
            xml.contains("<testsuite name=\"s\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"1.000\">"),
            "{xml}"
        );
        assert!(xml.contains("<testcase name=\"0&lt;.c unreach-call\" classname=\"s bmc\" time=\"0.250\"/>"), "{xml}");
        assert!(
            xml.contains(
                "<failure message=\"ravel says unknown, expected true\">·[31m &quot;true&quot; &amp; more</failure>"
            ),
            "{xml}"
        );
        assert!(xml.matches("<error ").count() == 1 && xml.matches("<skipped ").count() == 1, "{xml}");
    }
}
