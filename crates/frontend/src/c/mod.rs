//! C: from source files to a program.
//!
//! The phases in order: [`preprocess`] (the system's compiler makes one text), [`lex`] and [`parse`] (text to syntax tree), [`check`]
//! (every name resolved, every conversion written out), [`lower`] (automata). The library models are C texts of
//! ours that go the same way and are linked like another file.
//!
//! Everything runs on a deep stack, because the phases recurse over trees.

pub mod ast;
pub mod check;
mod lex;
pub mod lower;
mod models;
pub mod parse;
pub mod preprocess;
pub mod source;
mod type_text;
pub mod typed;
pub mod typed_text;
pub mod types;

use crate::{Loaded, Options, Rejected};
use ast::TranslationUnit;
use ir::{DataModel, Diagnostic, Severity, Sources};
use preprocess::PreprocessOptions;
use source::Originals;
use std::path::{Path, PathBuf};

/// The data model of machines that nothing is said about.
const DEFAULT_DATA_MODEL: DataModel = DataModel::Lp64;

/// Loads C files, preprocessed or not, that are linked into one program.
pub fn load(files: &[PathBuf], options: &Options) -> Result<Loaded, Rejected> {
    parse::on_deep_stack(|| {
        let mut reader = Reader::default();
        for file in files {
            reader.read_file(file, options);
        }
        for file in &options.stubs {
            reader.read_file(file, &Options { compile_commands: None, ..options.clone() });
        }
        reader.finish(options)
    })
}

/// What the preprocessor makes of a file.
pub fn preprocessed(file: &Path, options: &Options) -> Result<Vec<u8>, Rejected> {
    let mut sources = Sources::default();
    match preprocess::preprocess(&mut sources, file, &how_to_preprocess(options)) {
        Ok(preprocessed) => Ok(preprocessed.text),
        Err(diagnostics) => Err(Rejected { sources, diagnostics }),
    }
}

fn how_to_preprocess(options: &Options) -> PreprocessOptions {
    PreprocessOptions {
        include_dirs: options.include.clone(),
        defines: options.define.clone(),
        compile_commands: options.compile_commands.clone(),
        data_model: options.data_model,
        ..PreprocessOptions::default()
    }
}

/// Loads a program from preprocessed text, as if it stood in a file called `name`.
pub fn load_text(name: &str, text: &str, options: &Options) -> Result<Loaded, Rejected> {
    parse::on_deep_stack(|| {
        let mut reader = Reader::default();
        reader.parse(name, text.as_bytes(), &Originals::default());
        reader.finish(options)
    })
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    sources: Sources,
    units: Vec<TranslationUnit>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Reader {
    fn read_file(&mut self, file: &Path, options: &Options) {
        match preprocess::preprocess(&mut self.sources, file, &how_to_preprocess(options)) {
            Ok(preprocessed) => {
                self.warnings.extend(preprocessed.warnings);
                self.parse(&file.to_string_lossy(), &preprocessed.text, &preprocessed.originals);
            }
            Err(errors) => self.errors.extend(errors),
        }
    }

    fn parse(&mut self, name: &str, text: &[u8], originals: &Originals) {
        let (unit, diagnostics) = parse::parse(&mut self.sources, name, text, originals);
        self.note(diagnostics);
        self.units.push(unit);
    }

    fn note(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            match diagnostic.severity {
                Severity::Warning => self.warnings.push(diagnostic),
                Severity::Error | Severity::Unsupported => self.errors.push(diagnostic),
            }
        }
    }

    fn finish(mut self, options: &Options) -> Result<Loaded, Rejected> {
        let inferred = self.units.iter().find_map(check::infer_data_model);
        let data_model = options.data_model.or(inferred).unwrap_or(DEFAULT_DATA_MODEL);
        let mut typed = Vec::new();
        for unit in std::mem::take(&mut self.units) {
            let (unit, diagnostics) = check::check(&unit, data_model);
            self.note(diagnostics);
            typed.push(unit);
        }
        if !self.errors.is_empty() {
            return Err(Rejected { sources: self.sources, diagnostics: self.errors });
        }
        let first_model = typed.len();
        typed.push(models::unit(&mut self.sources, data_model));
        let lowered =
            lower::lower(lower::Input { units: &typed, first_model, sources: self.sources, data_model, options });
        match lowered {
            Ok(lowered) => {
                self.warnings.extend(lowered.warnings);
                Ok(Loaded { program: lowered.program, warnings: self.warnings, missing: lowered.missing })
            }
            Err((diagnostics, sources)) => Err(Rejected { sources, diagnostics }),
        }
    }
}
