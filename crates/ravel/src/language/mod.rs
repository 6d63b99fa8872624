//! Which languages are there? One row each; nothing else in this crate knows their names.
//!
//! A language is a type that implements `Language`: how its files are read, who can decide its programs, and what is told of an execution. `row` makes a
//! row of it, with the commands as plain functions, so that every command (limits, ^C, panics, JSON, suites) works alike for all of them. What a
//! language cannot do it says by name.
//!
//! A new language is a file here and a line in `LANGUAGES`.

mod c;
mod litmus;
mod oox;

use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::input::Request;
use crate::pipeline::{self, Plan};
use crate::watch::Watch;
use crate::{screen, show, simulate};
use engines::{About, Ask, Decided};
use frontend::Rejected;
use ir::{Diagnostic, Properties, Sources};
use report::{Answer, Outcome, Style};
use std::path::Path;

/// What is known of a language.
pub(crate) trait Language {
    /// A program that was read.
    type Program;
    /// What the replay of an execution gives.
    type Replayed: Send;

    /// Completes a request: the properties that are asked about, the model; an error if the question is none for the language.
    fn accept(request: &mut Request, asked: Option<Properties>) -> Result<(), String>;

    /// Reads the files, which together are one program.
    fn load(request: &Request) -> Result<Loaded<Self::Program>, Rejected>;

    /// Who is asked; an error if the settings do not fit the program.
    fn asks<'a>(program: &'a Self::Program, plan: &Plan) -> Result<Vec<Ask<'a, Self::Replayed>>, String>;

    /// What is wrong in an execution, in a few words.
    fn what(replayed: &Self::Replayed) -> String;

    /// What a reader must know about where it happens, if it is not obvious.
    fn premise(_: &Self::Replayed) -> Option<String> {
        None
    }

    /// What is told of an answer that is not unknown.
    fn tell(program: &Self::Program, decided: Decided<Self::Replayed>, detail: bool) -> Outcome;

    /// What there is to add to the answer.
    fn remark(_program: &Self::Program, _outcome: &Outcome) -> Option<String> {
        None
    }

    /// The program as ravel understands it; an error if it cannot be shown that way.
    fn show(program: &Self::Program, request: &Request, args: &Show) -> Result<String, String>;

    /// Runs the program with a seed; an error if programs of the language are not run.
    fn run(program: &Self::Program, request: &Request, seed: u64, args: &RunArgs, style: &Style) -> Ran;
}

/// A program that was read, and what is to be said about it.
pub(crate) struct Loaded<P> {
    pub(crate) program: P,
    pub(crate) sources: Sources,
    /// The memory model that it is judged under.
    pub(crate) model: String,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) notes: Vec<String>,
    pub(crate) assumptions: Vec<String>,
}

/// How a random run ended.
pub(crate) enum Ran {
    /// Well, with this text; the next seed may do otherwise.
    Fine(String),
    /// This went wrong.
    Wrong(String),
    /// There is nothing to run, for this reason.
    Impossible(String, Exit),
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
    /// `Language::accept`.
    pub(crate) accept: fn(&mut Request, Option<Properties>) -> Result<(), String>,
    /// `ravel verify`.
    pub(crate) answer: fn(&Request, &Plan, &Watch) -> Answer,
    /// `ravel show`.
    pub(crate) show: fn(&Request, &Show, &Style) -> Exit,
    /// `ravel run`.
    pub(crate) run: fn(&Request, &RunArgs, &Style) -> Exit,
}

/// All languages.
pub(crate) static LANGUAGES: &[Row] = &[
    Row {
        name: "C",
        endings: &["c", "i"],
        default: &engines::portfolio::ABOUT,
        engines: || engines::ENGINES.iter().map(|engine| engine.about()).collect(),
        askable: || ir::Property::ALL.into_iter().fold(Properties::NONE, Properties::with),
        selector: "property",
        ..row::<c::C>()
    },
    Row {
        name: "OOX",
        endings: &["oox"],
        default: &engines::symbolic::ABOUT,
        engines: || vec![&engines::symbolic::ABOUT],
        askable: || Properties::of(&engines::OOX_PROPERTIES),
        selector: "entry",
        ..row::<oox::Oox>()
    },
    Row {
        name: "litmus tests",
        endings: &["litmus"],
        default: &engines::axiomatic::ABOUT,
        engines: || vec![&engines::axiomatic::ABOUT],
        askable: || Properties::NONE,
        selector: "model",
        ..row::<litmus::Litmus>()
    },
];

/// The commands for a language; its data is filled in by the table.
const fn row<L: Language>() -> Row {
    Row {
        name: "",
        endings: &[],
        default: &engines::portfolio::ABOUT,
        engines: Vec::new,
        askable: || Properties::NONE,
        selector: "",
        accept: L::accept,
        answer: pipeline::answer::<L>,
        show: show::program::<L>,
        run: simulate::runs::<L>,
    }
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

/// The language that a file is in, by its ending.
pub(crate) fn of(path: &Path) -> Option<&'static Row> {
    let ending = path.extension()?.to_str()?;
    LANGUAGES.iter().find(|row| row.endings.contains(&ending))
}

/// All endings.
pub(crate) fn endings() -> Vec<&'static str> {
    LANGUAGES.iter().flat_map(|row| row.endings).copied().collect()
}

/// What suites need to know of them.
pub(crate) fn forms() -> Vec<cases::Form> {
    LANGUAGES.iter().map(|row| cases::Form { endings: row.endings, selector: row.selector }).collect()
}

/// The languages with their endings, for messages: `C (.c, .i), OOX (.oox)`.
pub(crate) fn list() -> String {
    let one = |row: &Row| {
        let endings: Vec<String> = row.endings.iter().map(|ending| format!(".{ending}")).collect();
        format!("{} ({})", row.name, endings.join(", "))
    };
    LANGUAGES.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Everybody who can be named with `--engine`: engines of all languages, and the names that stand for several.
pub(crate) fn engines() -> Vec<&'static About> {
    let mut all: Vec<&'static About> = Vec::new();
    for about in LANGUAGES.iter().flat_map(|row| std::iter::once(row.default).chain((row.engines)())) {
        if !all.iter().any(|known| known.name == about.name) {
            all.push(about);
        }
    }
    all
}

/// Complains about files that cannot be read.
pub(crate) fn complain(rejected: &Rejected, style: &Style) -> Exit {
    screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, style));
    Exit::BadInput
}
