//! From text to a program.
//!
//! Each language is a row of `FRONT_ENDS`: the endings of its files and the function that loads them. A front end either
//! gives a whole program, or all the reasons why it cannot.

pub mod c;
pub mod litmus;
pub mod oox;

use ir::{DataModel, Diagnostic, Program, Properties, Sources, Span};
use std::path::PathBuf;

/// How programs are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes of the C types; inferred from the text if not given.
    pub data_model: Option<DataModel>,
    /// Directories to look for headers in.
    pub include: Vec<PathBuf>,
    /// Macro definitions, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// A `compile_commands.json` with the flags for each file.
    pub compile_commands: Option<PathBuf>,
    /// Functions without a body that do nothing but return an arbitrary value.
    pub assume_pure: Vec<String>,
    /// Whether allocations, new threads and their like may fail.
    pub fallible: bool,
    /// The function that the first thread runs.
    pub entry: String,
    /// What is asked about the program: library models keep more in mind for some questions.
    pub properties: Properties,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: None,
            include: Vec::new(),
            define: Vec::new(),
            compile_commands: None,
            assume_pure: Vec::new(),
            fallible: false,
            entry: "main".to_string(),
            properties: Properties::NONE,
        }
    }
}

/// A program that could be read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// What is worth knowing about it.
    pub warnings: Vec<Diagnostic>,
}

/// Why a program could not be read.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The text that the diagnostics refer to.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

/// A language.
pub struct FrontEnd {
    /// Its name.
    pub name: &'static str,
    /// The endings of its files.
    pub extensions: &'static [&'static str],
    /// Loads files that together are one program.
    pub load: fn(&[PathBuf], &Options) -> Result<Loaded, Rejected>,
}

/// All languages.
pub static FRONT_ENDS: &[FrontEnd] = &[FrontEnd { name: "C", extensions: &["c", "i"], load: c::load }];

/// Loads files that together are one program; their ending says which language it is.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, Rejected> {
    let extension = |path: &PathBuf| path.extension().map(|ending| ending.to_string_lossy().into_owned());
    let of = |path: &PathBuf| {
        let ending = extension(path)?;
        FRONT_ENDS.iter().find(|front_end| front_end.extensions.contains(&ending.as_str()))
    };
    let reject = |message: String, note: String| {
        let diagnostics = vec![Diagnostic::error(Span::NOWHERE, message).with_note(note)];
        Err(Rejected { sources: Sources::default(), diagnostics })
    };
    let known: Vec<String> =
        FRONT_ENDS.iter().flat_map(|front_end| front_end.extensions).map(|ending| format!(".{ending}")).collect();
    let note = format!("known endings: {}", known.join(", "));
    let Some(first) = files.first() else {
        return reject("no file was given".to_string(), note);
    };
    let Some(front_end) = of(first) else {
        return reject(format!("no language has files like `{}`", first.display()), note);
    };
    let is_other = |path: &&PathBuf| of(path).is_none_or(|other| other.name != front_end.name);
    if let Some(other) = files.iter().find(is_other) {
        let message = format!("`{}` and `{}` are not of one language", first.display(), other.display());
        return reject(message, note);
    }
    (front_end.load)(files, options)
}
