//! From text to a program.
//!
//! Each language has a folder and a function `load` in it. A front end either gives a whole program, or all the reasons why it cannot. Which file is in
//! which language the command line says.

pub mod c;
pub mod litmus;
pub mod oox;

pub use c::{load, preprocessed};

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
    /// Whether every other function without a body returns anything and may write what its arguments point to.
    pub havoc_stubs: bool,
    /// Files with functions of the user's own in place of those that are missing.
    pub stubs: Vec<PathBuf>,
    /// Whether allocations, new threads and their like may fail.
    pub fallible: bool,
    /// Whether `pthread_create` may store the handle after the new thread has begun.
    pub late_handles: bool,
    /// Whether axioms judge executions: then models of the library do without atomic sections where they can.
    pub has_axioms: bool,
    /// The function that the first thread runs; several run as threads side by side.
    pub entries: Vec<String>,
    /// Whether pointers that an entry function other than `main` is given are never null.
    pub nonnull: bool,
    /// What `main` is given.
    pub arguments: Arguments,
    /// What is asked about the program: library models keep more in mind for some questions.
    pub properties: Properties,
}

/// What a program is started with.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// The texts after the program's name, if they are known.
    pub given: Option<Vec<String>>,
    /// If they are not: how many there are at most,
    pub most: u32,
    /// and how many characters each has at most.
    pub length: u32,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { given: None, most: 2, length: 8 }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: None,
            include: Vec::new(),
            define: Vec::new(),
            compile_commands: None,
            assume_pure: Vec::new(),
            havoc_stubs: false,
            stubs: Vec::new(),
            fallible: false,
            late_handles: false,
            has_axioms: false,
            entries: vec!["main".to_string()],
            nonnull: false,
            arguments: Arguments::default(),
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
    /// Functions that it calls and that have neither a body nor a model.
    pub missing: Vec<String>,
}

/// Why a program could not be read.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The text that the diagnostics refer to.
    pub sources: Sources,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}
