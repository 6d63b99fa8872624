//! What does an engine say about a case that was read once? The same as `ravel verify --engine`, without starting a program and reading the file for every engine and reduction.
//!
//! Only plain C files that need no option are asked this way; others, and programs that the default alone is asked about, go through the command line.

use cases::{Case, Expectation, question};
use engines::{Budget, Decided, How, portfolio, schedule};
use ir::{Model, Properties, Task};
use std::path::Path;
use std::time::Duration;

/// Bytes that this process may occupy.
const MEMORY: u64 = 4 << 30;

/// What was said.
pub(crate) struct Said {
    /// `safe`, `unsafe` or `unknown`.
    pub(crate) verdict: &'static str,
    pub(crate) reason: String,
    /// The lines and columns that the answer points at.
    pub(crate) places: Vec<(u64, u64)>,
}

/// A case that was read.
pub(crate) struct Read {
    task: Task,
    /// Whether nobody named a property: then an engine is asked about those that it looks for.
    is_default: bool,
}

/// Reads a case for one of its expectations; nothing if it has to go through the command line.
pub(crate) fn read(path: &Path, case: &Case, expectation: &Expectation) -> Option<Read> {
    let is_plain = path.extension().is_some_and(|ending| ending == "c" || ending == "i") && case.options.is_empty();
    let model = expectation.model.as_deref().map_or(Some(Model::default()), Model::named);
    let model = model.filter(|model| is_plain && *model != Model::Cat)?;
    let asked = expectation.selector.as_ref().or(case.property.as_ref());
    let properties = asked.map_or(Ok(question::default_properties()), |words| question::from_words(words)).ok()?;
    let options = frontend::Options { properties, ..frontend::Options::default() };
    let mut program = frontend::load(&[path.to_path_buf()], &options).ok()?.program;
    program.model = model;
    Some(Read { task: Task { program, properties }, is_default: asked.is_none() })
}

/// Asks an engine with these knobs.
pub(crate) fn ask(read: &Read, engine: &str, knobs: &[(String, String)], limit: Duration) -> Result<Said, String> {
    let asks = portfolio::asks(engine, &read.task, knobs)?;
    let known = asks.iter().fold(Properties::NONE, |all, ask| all.union(ask.covers));
    let asked = if read.is_default { read.task.properties.both(known) } else { read.task.properties };
    let budget = Budget::new(Some(limit), Some(MEMORY));
    let how = How { leaves_refused: read.is_default, ..How::default() };
    let found = schedule(&asks, asked, how, &budget, |replayed| {
        (Some(replayed.trace.violation), replayed.trace.violation.describe().to_string())
    });
    if let Some((engine, said)) = found.failed.first() {
        return Err(format!("{engine} {said}"));
    }
    Ok(match found.decided {
        Decided::Safe(..) => Said { verdict: "safe", reason: String::new(), places: Vec::new() },
        Decided::Unsafe(replayed) => {
            let program = &read.task.program;
            let (_, ending) = report::tell(program, &replayed.log, &replayed.violation, false);
            let spans = std::iter::once(ending.span).chain(ending.details.iter().map(|detail| detail.span));
            let places = spans.map(|span| (u64::from(span.line), u64::from(span.column))).collect();
            Said { verdict: "unsafe", reason: ending.message, places }
        }
        Decided::Unknown(why) => {
            let reason = report::why(&read.task.program.sources, &why);
            Said { verdict: "unknown", reason, places: Vec::new() }
        }
    })
}
