//! How is an experiment shown? As tables on the terminal, csv, curves, and a page in Markdown.

pub(super) mod chart;
pub(super) mod output;
pub(super) mod page;
pub(super) mod paragraphs;
pub(super) mod scatter;
pub(super) mod table;
