//! Where does an answer go? To the terminal in the form that was asked for, and into files for those who read it later.
//!
//! A run can take minutes, so files are claimed before it begins ([`file`](mod@file)): a place that cannot be written is an error at once. What is written is whole or not there.

pub(crate) mod file;
mod folder;
mod witness;

pub(crate) use folder::Folder;
pub(crate) use witness::sha256;

use crate::args::{Format, Verify};
use crate::request::Request;
use crate::screen;
use file::Target;
use report::{Answer, Style};
use std::path::PathBuf;

/// Larger files are not read again to show what stands between the lines that were seen.
const MAX_BYTES: u64 = 4 << 20;

/// How and where answers are told.
#[derive(Clone)]
pub(crate) struct Deliver {
    format: Format,
    style: Style,
    files: Vec<(Kind, Target)>,
    /// The program, for those who must recognise it.
    inputs: Vec<PathBuf>,
    entry: String,
}

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Page,
    Sarif,
    /// A message-sequence chart, as a picture or for Graphviz.
    Chart,
    Dot,
    /// GraphML.
    Graph,
    /// YAML.
    Sequence,
}

impl Deliver {
    /// As the command line says; an error if a file cannot be written.
    pub(crate) fn new(args: &Verify, request: &Request, style: Style) -> Result<Deliver, String> {
        let witness = args.witness.as_deref().map(|path| witness::kind(path, request)).transpose()?;
        let is_dot = args.chart.as_ref().is_some_and(|path| path.extension().is_some_and(|ending| ending == "dot"));
        let wanted = [
            ("--report", Kind::Page, &args.report),
            ("--sarif", Kind::Sarif, &args.sarif),
            ("--chart", if is_dot { Kind::Dot } else { Kind::Chart }, &args.chart),
            ("--witness", witness.unwrap_or(Kind::Graph), &args.witness),
        ];
        let mut files: Vec<(Kind, Target)> = Vec::new();
        for (option, kind, path) in wanted {
            let Some(path) = path else { continue };
            let target = Target::claim(option, path, &request.files)?;
            if let Some((_, other)) = files.iter().find(|(_, other)| other.is_same(&target)) {
                return Err(format!("{option} and {} name the same file", other.option));
            }
            files.push((kind, target));
        }
        let entry = request.options.entries.first().cloned().unwrap_or_else(|| "main".to_string());
        Ok(Deliver { format: format(args), style, files, inputs: request.files.clone(), entry })
    }

    /// Only the terminal.
    pub(crate) fn to_screen(args: &Verify, style: Style) -> Deliver {
        Deliver { format: format(args), style, files: Vec::new(), inputs: Vec::new(), entry: String::new() }
    }

    /// Whether a line on the terminal may show that the work goes on.
    pub(crate) fn is_for_people(&self) -> bool {
        self.format == Format::Text
    }

    /// Tells an answer; an error if a file could not be written.
    pub(crate) fn deliver(&self, answer: &Answer) -> Result<(), String> {
        screen::print(&match self.format {
            Format::Text => report::text(answer, &self.style),
            Format::Json => report::json(answer),
            Format::Gcc => report::gcc(answer),
        });
        let mut problems = Vec::new();
        for (kind, target) in &self.files {
            let text = match kind {
                Kind::Page => Ok(report::page(&completed(answer))),
                Kind::Sarif => Ok(report::sarif(answer)),
                Kind::Chart => chart(answer).map(|told| report::litmus::charts(&[told])),
                Kind::Dot => chart(answer).map(|told| report::litmus::dot(&told)),
                Kind::Graph | Kind::Sequence => witness::text(*kind, answer, &self.inputs, &self.entry),
            };
            match text {
                Ok(text) => problems.extend(target.write(&text).err()),
                // That there is nothing to write is no failure of the run.
                Err(reason) => screen::complain(&format!("no file for {}: {reason}\n", target.option)),
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
    }
}

/// What a chart shows.
fn chart(answer: &Answer) -> Result<report::litmus::Told, String> {
    report::litmus::messages(answer).ok_or_else(|| "there is no execution with messages to draw".to_string())
}

fn format(args: &Verify) -> Format {
    if args.json { Format::Json } else { args.format }
}

/// The answer with the whole text of the files that it mentions, where they are still as they were read: the front end keeps only lines that have tokens.
fn completed(answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    for index in report::page::mentioned(&answer) {
        let file = &mut answer.sources.files[index];
        let path = PathBuf::from(&file.path);
        let is_small = std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= MAX_BYTES);
        let Some(bytes) = is_small.then(|| std::fs::read(&path).ok()).flatten() else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let is_there = |(number, seen): (&u32, &String)| {
            let line = lines.get((*number as usize).wrapping_sub(1)).copied().unwrap_or("");
            line.trim_end() == seen.trim_end()
        };
        if file.lines.iter().all(is_there) {
            for (at, line) in lines.iter().enumerate() {
                file.lines.entry(at as u32 + 1).or_insert_with(|| line.to_string());
            }
        }
    }
    answer
}
