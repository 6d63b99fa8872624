//! From text to a program.
//!
//! Each language has a folder and a function `load` in it. A front end either gives a whole program, or all the reasons why it cannot. Which file is in
//! which language the command line says.

pub mod c;
pub mod litmus;
pub mod oox;

pub use c::load;

use ir::{DataModel, Diagnostic, Program, Properties, Sources};
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
