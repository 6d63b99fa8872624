//! What is known of a language? Nothing in this crate but the table knows their names.
//!
//! A language is a type that implements `Language`: how its files are read, who can decide its programs, and what is told of an execution. [`table`] has a row
//! for each, with the commands as plain functions ([`commands`], `pipeline`), so that every command (limits, ^C, panics, JSON, suites) works alike for all of them. What a
//! language cannot do it says by name.
//!
//! [`advise`] looks for stronger orders of C programs. A new language is a file here and a line in `table::LANGUAGES`.

mod advise;
mod c;
pub(crate) mod commands;
mod litmus;
mod oox;
mod remarks;
pub(crate) mod table;

use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::pipeline::Plan;
use crate::request::{Again, Request};
use crate::screen;
use engines::{Ask, Budget, Decided, Wrong};
use frontend::Rejected;
use ir::{Diagnostic, Properties, Sources};
use report::litmus::Graph;
use report::{Kept, Outcome, Style};

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
    fn what(replayed: &Self::Replayed) -> Wrong;

    /// What a reader must know about where it happens, if it is not obvious.
    fn premise(_: &Self::Replayed) -> Option<String> {
        None
    }

    /// An execution as a graph of events, where that says more than the order of its steps.
    fn graph(_: &Self::Replayed) -> Option<Graph> {
        None
    }

    /// The same answer with an execution that is easier to read, if there is one, and what there is to count.
    fn shorten(
        _: &Self::Program,
        decided: Decided<Self::Replayed>,
        _: &Budget,
    ) -> (Decided<Self::Replayed>, Vec<(&'static str, f64)>) {
        (decided, Vec::new())
    }

    /// The same answer with a proof that has invariants which hold in every state, if there is one, and what is to be said about that.
    fn with_invariants(
        _: &Self::Program,
        decided: Decided<Self::Replayed>,
        _: Properties,
        _: &Budget,
    ) -> (Decided<Self::Replayed>, Option<String>) {
        (decided, None)
    }

    /// What is told of an answer that is not unknown.
    fn tell(program: &Self::Program, decided: Decided<Self::Replayed>, detail: bool) -> Outcome;

    /// The choices of an execution, and a mark of the program that they are about; nothing if it cannot be run again.
    fn keep(_program: &Self::Program, _: &Self::Replayed) -> Option<(String, Vec<String>)> {
        None
    }

    /// Runs an execution again that was kept; an error if it is none of this program.
    fn replay(_program: &Self::Program, _: &Kept, _detail: bool) -> Result<Again, String> {
        Err("executions of C programs can be run again, and no others".to_string())
    }

    /// What to change so that a program that is unsafe becomes safe, in sentences.
    fn advise(_program: &Self::Program, _plan: &Plan, _asked: Properties, _budget: &Budget) -> Vec<String> {
        vec!["no advice: there is some for C programs only".to_string()]
    }

    /// What there is to add to the answer.
    fn remarks(_program: &Self::Program, _outcome: &Outcome) -> Vec<String> {
        Vec::new()
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
    /// Sizes of types, where the language has several.
    pub(crate) data_model: Option<ir::DataModel>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) notes: Vec<String>,
    pub(crate) assumptions: Vec<String>,
    /// What to try if the answer is unknown.
    pub(crate) advice: Option<String>,
}

/// How a random run ended.
pub(crate) enum Ran {
    /// Well, with this text, and how in a few words; the next seed may do otherwise.
    Fine(String, String),
    /// This went wrong, in words.
    Wrong(String, String),
    /// There is nothing to run, for this reason.
    Impossible(String, Exit),
}

/// Complains about files that cannot be read.
pub(crate) fn complain(rejected: &Rejected, style: &Style) -> Exit {
    screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, style));
    Exit::BadInput
}
