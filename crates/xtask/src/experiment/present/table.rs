//! What does an experiment give? Tables, with what can be drawn of them, as text and as csv.

use std::fmt::Write;

/// A table with what can be drawn of it.
pub(crate) struct Table {
    /// Names the files it is written to.
    pub(crate) name: String,
    /// In words.
    pub(crate) title: String,
    /// What is in the columns.
    pub(crate) columns: Vec<String>,
    /// Cells as text; empty where there is no figure.
    pub(crate) rows: Vec<Vec<String>>,
    /// Charts: name of the file, what the vertical axis is, columns to draw; the first column is the horizontal axis.
    pub(crate) charts: Vec<(String, String, Vec<usize>)>,
}

/// A table without charts.
pub(crate) fn table(name: &str, title: &str, columns: &[&str], rows: Vec<Vec<String>>) -> Table {
    let columns = columns.iter().map(|column| column.to_string()).collect();
    Table { name: name.to_string(), title: title.to_string(), columns, rows, charts: Vec::new() }
}

/// Columns side by side.
pub(crate) fn text(table: &Table) -> String {
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column)).chain(table.columns.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&table.columns).chain(&table.rows) {
        let mut line = String::new();
        for (at, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = if at == 0 { write!(line, "{cell:<width$}") } else { write!(line, "  {cell:>width$}") };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The same, separated by commas.
pub(crate) fn csv(table: &Table) -> String {
    cases::table::csv(std::iter::once(&table.columns).chain(&table.rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_rendered() {
        let table = Table {
            name: "t".into(),
            title: "T".into(),
            columns: vec!["depth".into(), "paths, ours".into()],
            rows: vec![
                vec!["10".into(), "5".into()],
                vec!["20".into(), "500".into()],
                vec!["30".into(), String::new()],
            ],
            charts: Vec::new(),
        };
        assert_eq!(text(&table), "depth  paths, ours\n10               5\n20             500\n30\n");
        assert!(csv(&table).starts_with("depth,\"paths, ours\"\n10,5\n"));
        let svg = super::super::chart::svg(&table, "paths", &[1]);
        assert!(svg.starts_with("<svg") && svg.contains("polyline") && svg.contains("paths, ours"), "{svg}");
    }
}
