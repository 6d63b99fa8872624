//! How are experiments told on a page? In Markdown: for each what the literature says, what we see, why these differ, and the tables.
//!
//! The page is made by `cargo xtask experiment all --page docs/experiments.md` and by nobody else. A test makes all tables without running anything and compares headings, columns and the
//! names of rows with the page, so that a page of other code than the present one is noticed; what the cells say depends on the machine.

use super::paragraphs::paragraph;
use super::table::Table;
use crate::experiment::kind::Report;
use std::fmt::Write;

/// What the page says about how it was made.
pub(crate) struct Made {
    /// Seconds for each run of an engine.
    pub(crate) seconds: f64,
    pub(crate) family_seconds: f64,
    pub(crate) max: u32,
    pub(crate) is_quick: bool,
}

/// The page of some experiments, each with its name and what it shows.
pub(crate) fn page(made: &Made, told: &[(&str, &str, Report)]) -> String {
    let mut text = String::from(
        "# The experiments of the literature, repeated\n\n\
         Made by `cargo xtask experiment all --page docs/experiments.md`; do not edit. `cargo xtask experiment NAME --into FOLDER` repeats one of them and writes its tables as csv and its figures as SVG.\n\n",
    );
    let _ = writeln!(
        text,
        "{}. Each run of an engine had {} s of processor time and 4 GB{}; the family of programs had {} s each and was tried up to N = {}. CPU s are processor seconds of the engine alone: neither reading the program nor checking its proof is in them. \
         A cell is empty where nothing was measured, or nothing came of it within the limit. The papers had 900 to 1800 s for each run, so their figures and ours are to be compared line by line, not cell by cell.\n",
        machine(),
        made.seconds,
        if made.is_quick { ", once (`--quick`)" } else { "" },
        made.family_seconds,
        made.max
    );
    let tables = told.iter().map(|(.., report)| report.tables.len()).sum::<usize>();
    let wrong = told.iter().map(|(.., report)| report.n_wrong).sum::<usize>();
    let _ = writeln!(text, "{} experiments, {tables} tables, wrong answers: {wrong}.\n", told.len());
    for (name, about, report) in told {
        section(&mut text, name, about, report);
    }
    text
}

fn section(text: &mut String, name: &str, about: &str, report: &Report) {
    let _ = writeln!(text, "{}\n", heading(name, about));
    let paragraph = paragraph(name);
    if let Some(paragraph) = paragraph {
        let _ = writeln!(text, "{}\n\n**Claimed.** {}\n", paragraph.source, paragraph.claimed);
    }
    if !report.seen.is_empty() {
        let _ = writeln!(text, "**Seen.**\n");
        report.seen.iter().for_each(|sentence| _ = writeln!(text, "- {sentence}"));
        text.push('\n');
    }
    if let Some(paragraph) = paragraph {
        let _ = writeln!(text, "**Why they differ.** {}\n", paragraph.differs);
    }
    for table in &report.tables {
        let _ = writeln!(text, "### {}\n\n{}", table.title, markdown(table));
        for (name, axis, _) in &table.charts {
            let _ = writeln!(text, "![{axis}, {name}](pictures/{name}.svg)\n");
        }
    }
    for (name, _) in report.files.iter().filter(|(name, _)| name.ends_with(".svg")) {
        let _ = writeln!(text, "![{name}](pictures/{name})\n");
    }
}

fn heading(name: &str, about: &str) -> String {
    format!("## `{name}`: {about}")
}

/// The table as Markdown.
fn markdown(table: &Table) -> String {
    let mut text = header(table);
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// The line with the columns, and the one under it.
fn header(table: &Table) -> String {
    let names: Vec<String> = table.columns.iter().map(|column| column.replace('|', "\\|")).collect();
    let rules: Vec<&str> = (0..names.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
    format!("| {} |\n|{}|\n", names.join(" | "), rules.join("|"))
}

/// The class of machine and the day, without names.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':')).map(|(_, name)| name.trim());
    let days = std::time::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!(
        "Measured on {} {} with {cores} cores, {year}-{month:02}-{day:02}",
        model.unwrap_or("a processor"),
        std::env::consts::OS
    )
}

/// Year, month and day of a number of days since 1970, by the usual reckoning of eras of 400 years that begin in March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// What is missing on a page that the present code would write: headings, columns, names of rows. A table that has no rows without measuring may have any.
#[cfg(test)]
pub(crate) fn missing(page: &str, told: &[(&str, &str, Report)]) -> Vec<String> {
    let mut missing = Vec::new();
    let lines: Vec<&str> = page.lines().collect();
    for (name, about, report) in told {
        if !lines.contains(&heading(name, about).as_str()) {
            missing.push(format!("the section {name}"));
        }
        for table in &report.tables {
            let title = format!("### {}", table.title);
            let Some(at) = lines.iter().position(|line| *line == title) else {
                missing.push(format!("the table {}", table.title));
                continue;
            };
            let shown: Vec<&str> = lines[at + 2..].iter().copied().take_while(|line| line.starts_with('|')).collect();
            if !header(table).lines().eq(shown.iter().copied().take(2)) {
                missing.push(format!("the columns of {}: {}", table.title, table.columns.join(", ")));
            }
            let first = |line: &&str| line.trim_start_matches("| ").split(" |").next().map(str::to_string);
            let names: Vec<String> = shown.iter().skip(2).filter_map(first).collect();
            let wanted: Vec<String> = table.rows.iter().filter_map(|row| row.first().cloned()).collect();
            if !wanted.is_empty() && names != wanted {
                missing.push(format!("the rows of {}: {}", table.title, wanted.join(", ")));
            }
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::super::table::table;
    use super::*;

    #[test]
    fn days_have_dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_773), (2026, 11, 16));
    }

    #[test]
    fn a_page_of_other_code_is_noticed() {
        let told = |columns: &[&str], rows: &[&str]| {
            let rows = rows.iter().map(|name| vec![name.to_string(), "1".to_string()]).collect();
            let report = Report { tables: vec![table("t", "T | U", columns, rows)], ..Report::default() };
            vec![("por", "about it", report)]
        };
        let made = Made { seconds: 1.0, family_seconds: 1.0, max: 4, is_quick: true };
        let now = told(&["n", "s"], &["a", "b"]);
        let text = page(&made, &now);
        assert!(missing(&text, &now).is_empty(), "{text}");
        assert_eq!(missing(&text, &told(&["n", "t"], &["a", "b"])).len(), 1);
        assert_eq!(missing(&text, &told(&["n", "s"], &["a"])).len(), 1);
        assert_eq!(missing(&text, &told(&["n", "s"], &[])).len(), 0, "which rows there are is open");
        assert_eq!(missing("", &now).len(), 2);
    }
}
