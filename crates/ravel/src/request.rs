//! What is asked, and in which language? Plain data: a request, and what the table has of a language.

use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::pipeline::Plan;
use crate::watch::Watch;
use engines::About;
use frontend::Options;
use ir::{Properties, Sources};
use report::{Answer, Ending, Kept, Story, Style};
use std::path::PathBuf;

/// What to verify, all names resolved.
#[derive(Clone)]
pub(crate) struct Request {
    /// What the user calls it.
    pub(crate) name: String,
    /// The programs.
    pub(crate) files: Vec<PathBuf>,
    /// What they are written in.
    pub(crate) language: &'static Row,
    /// How they are read.
    pub(crate) options: Options,
    /// What must not happen.
    pub(crate) properties: Properties,
    /// Whether nobody said so: then it is enough that the engines look for some of it.
    pub(crate) is_default: bool,
    /// When stores become visible to other threads; the language's own choice if nobody says.
    pub(crate) model: Option<String>,
}

/// What came of an execution that was run again.
pub(crate) enum Again {
    /// The same went wrong.
    Wrong(Box<(Sources, Story, Ending)>),
    /// It did not, for this reason.
    Otherwise(String),
}

/// A row of the table: a language with the commands made for it.
pub(crate) struct Row {
    /// What it is called in messages.
    pub(crate) name: &'static str,
    /// How its files end.
    pub(crate) endings: &'static [&'static str],
    /// Who decides when nobody is named.
    pub(crate) default: &'static About,
    /// Its engines.
    pub(crate) engines: fn() -> Vec<&'static About>,
    /// What can be asked about its programs.
    pub(crate) askable: fn() -> Properties,
    /// The option of `verify` that the brackets of `expect[...]` stand for.
    pub(crate) selector: &'static str,
    /// Whether others read evidence about its programs (`--witness`).
    pub(crate) has_witnesses: bool,
    /// `Language::accept`.
    pub(crate) accept: fn(&mut Request, Option<Properties>) -> Result<(), String>,
    /// `ravel verify`.
    pub(crate) answer: fn(&Request, &Plan, &Watch) -> Answer,
    /// `ravel show`.
    pub(crate) show: fn(&Request, &Show, &Style) -> Exit,
    /// `ravel replay`.
    pub(crate) replay: fn(&Request, &Kept, bool) -> Result<Again, String>,
    /// `ravel run`.
    pub(crate) run: fn(&Request, &RunArgs, &Style) -> Exit,
}

impl Row {
    /// Whether an engine, or the name for several, decides its programs.
    pub(crate) fn knows(&self, engine: &str) -> bool {
        self.default.name == engine || (self.engines)().iter().any(|about| about.name == engine)
    }

    /// Its engines in words.
    pub(crate) fn engine_names(&self) -> String {
        let mut names: Vec<&str> = (self.engines)().iter().map(|about| about.name).collect();
        if !names.contains(&self.default.name) {
            names.insert(0, self.default.name);
        }
        names.join(", ")
    }
}

/// A short name for the contents of the files, for bug reports (FNV-1a).
pub(crate) fn fingerprint(files: &[PathBuf]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        for byte in std::fs::read(file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
