//! From a file on disk to preprocessed text, with the help of the system's compiler.
//!
//! This is the one place of the library that touches the outside world: it reads files and runs a compiler. A `.i` file
//! is taken as it is. Anything else is given to `cc -E` with the user's include paths and definitions, or with the
//! flags that a `compile_commands.json` has for it. Nothing is defined that the user did not define, and the language
//! is C11 with GNU extensions unless a `-std` flag says otherwise, because compilers differ in what they default to.
//!
//! The files that the text came from are read as well (system headers excepted), so that diagnostics and traces can quote
//! what the user wrote rather than what the preprocessor made of it.
//!
//! Preprocessing for another data model than the compiler's own would give wrong types silently; if `-m32` does not work,
//! that is an error with advice, not a fallback.

pub mod commands;
mod headers;
mod messages;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::{env, fs, path};

use ir::{DataModel, Diagnostic, Sources, Span};

use crate::c::source::Originals;

/// How to preprocess.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    /// Directories for `-I`, in order.
    pub include_dirs: Vec<PathBuf>,
    /// Definitions for `-D`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
    /// Further arguments for the compiler, such as `-std=gnu99` or `-include file`.
    pub extra_args: Vec<String>,
    /// A `compile_commands.json`, or the directory that holds it; the file must have an entry there.
    pub compile_commands: Option<PathBuf>,
    /// The data model to preprocess for; the compiler's own if not given.
    pub data_model: Option<DataModel>,
    /// The compiler to run; `$CC`, else the first of `cc`, `gcc` and `clang` that there is, if not given.
    pub compiler: Option<String>,
}

/// What preprocessing gives.
#[derive(Clone, Debug, Default)]
pub struct Preprocessed {
    /// The text for the parser.
    pub text: Vec<u8>,
    /// The files it came from, as far as they are the user's.
    pub originals: Originals,
    /// What the compiler warned about.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a `.i` file, or preprocesses any other.
///
/// `sources` is where the places of the compiler's messages refer to.
pub fn preprocess(
    sources: &mut Sources,
    path: &Path,
    options: &PreprocessOptions,
) -> Result<Preprocessed, Vec<Diagnostic>> {
    if let Err(error) = fs::metadata(path) {
        return Err(vec![unreadable(path, &error)]);
    }
    if path.extension().is_some_and(|extension| extension == "i") {
        let text = fs::read(path).map_err(|error| vec![unreadable(path, &error)])?;
        return Ok(Preprocessed { text, ..Preprocessed::default() });
    }
    let mut invocation = Invocation::new(path, options).map_err(|problem| vec![*problem])?;
    let mut output = invocation.run(path, options.compiler.as_deref()).map_err(|problem| vec![*problem])?;
    // What gcc makes of this word cannot be told from a store.
    let is_confused =
        |output: &Output| output.status.success() && invocation.read_originals(&output.stdout).mention("atomic_init");
    if headers::are_missing(&output) || is_confused(&output) {
        let folder = headers::Folder::new().map_err(|error| vec![unwritable(&error)])?;
        invocation.arguments.extend(["-isystem".into(), folder.path().as_os_str().to_os_string()]);
        output = invocation.run(path, options.compiler.as_deref()).map_err(|problem| vec![*problem])?;
    }
    let messages = messages::read(sources, &output.stderr, &invocation.directory);
    if output.status.success() {
        let originals = invocation.read_originals(&output.stdout);
        return Ok(Preprocessed { text: output.stdout, originals, warnings: messages.warnings });
    }
    let mut errors = messages.errors;
    if options.data_model == Some(DataModel::Ilp32) && invocation.works_natively(path, options) {
        let note =
            "install the 32-bit headers (for example `apt install gcc-multilib`), or give a preprocessed `.i` file";
        let message = format!("cannot preprocess `{}` for the 32-bit data model: `-m32` does not work", path.display());
        errors.insert(0, Diagnostic::error(Span::NOWHERE, message).with_note(note));
    } else if errors.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("it gave no reason");
        let message = format!("the compiler could not preprocess `{}`: {said}", path.display());
        errors.push(Diagnostic::error(Span::NOWHERE, message).with_note("check the flags that are passed to it"));
    }
    Err(errors)
}

/// The compilers that are tried, in this order.
fn candidates(compiler: Option<&str>) -> Vec<String> {
    let chosen = compiler.map(str::to_string).or_else(|| env::var("CC").ok().filter(|cc| !cc.trim().is_empty()));
    chosen.map_or_else(|| ["cc", "gcc", "clang"].map(str::to_string).to_vec(), |chosen| vec![chosen])
}

/// The compiler that preprocesses when nobody names another one, with what it says of itself; an error names those that were tried.
pub fn compiler() -> Result<(String, String), String> {
    let candidates = candidates(None);
    for candidate in &candidates {
        let mut words = candidate.split_whitespace();
        let Some(program) = words.next() else { continue };
        let asked = Command::new(program).args(words).arg("--version").env("LC_ALL", "C").stdin(Stdio::null()).output();
        if let Ok(output) = asked {
            let said = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").trim().to_string();
            return Ok((candidate.clone(), said));
        }
    }
    Err(format!("tried `{}`", candidates.join("`, `")))
}

/// A compiler's arguments and where to run it.
struct Invocation {
    directory: PathBuf,
    file: PathBuf,
    arguments: Vec<OsString>,
}

impl Invocation {
    fn new(path: &Path, options: &PreprocessOptions) -> Result<Invocation, Box<Diagnostic>> {
        let mut arguments: Vec<OsString> = Vec::new();
        let (mut directory, mut file) = (PathBuf::from("."), path.to_path_buf());
        if let Some(database) = &options.compile_commands {
            let entry = commands::entry_for(database, path)?;
            directory = entry.directory;
            file = absolute(path);
            arguments.extend(entry.flags.into_iter().map(OsString::from));
        }
        for include_dir in &options.include_dirs {
            arguments.push("-I".into());
            // The compiler may run in another directory than ours.
            arguments.push(absolute(include_dir).into_os_string());
        }
        arguments.extend(options.defines.iter().map(|define| format!("-D{define}").into()));
        arguments.extend(options.extra_args.iter().map(OsString::from));
        if options.data_model == Some(DataModel::Ilp32) {
            arguments.push("-m32".into());
        }
        let chooses_language = arguments.iter().any(|argument| {
            let argument = argument.to_string_lossy();
            argument == "-ansi" || argument.starts_with("-std=") || argument.starts_with("--std")
        });
        if !chooses_language {
            arguments.push("-std=gnu11".into());
        }
        if file.to_string_lossy().starts_with('-') {
            file = Path::new(".").join(file);
        }
        Ok(Invocation { directory, file, arguments })
    }

    /// Runs the first compiler that there is.
    fn run(&self, path: &Path, compiler: Option<&str>) -> Result<Output, Box<Diagnostic>> {
        let candidates = candidates(compiler);
        for candidate in &candidates {
            // `$CC` may come with arguments, as in `ccache gcc`.
            let mut words = candidate.split_whitespace();
            let Some(program) = words.next() else { continue };
            let mut command = Command::new(program);
            // `-x c` because the file may have any ending; English messages because they are read here.
            command.args(words).args(&self.arguments).args(["-E", "-x", "c"]).arg(&self.file);
            command.current_dir(&self.directory).env("LC_ALL", "C").stdin(Stdio::null());
            match command.output() {
                Ok(output) => return Ok(output),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => {
                    let message = format!("cannot run the compiler `{program}`: {error}");
                    let note = "set CC to a C compiler that can be run";
                    return Err(Box::new(Diagnostic::error(Span::NOWHERE, message).with_note(note)));
                }
            }
        }
        let tried = candidates.join("`, `");
        let message = format!("no C compiler to preprocess `{}`: tried `{tried}`", path.display());
        let note = "install gcc or clang (for example `apt install gcc`), set CC, or give a preprocessed `.i` file";
        Err(Box::new(Diagnostic::error(Span::NOWHERE, message).with_note(note)))
    }

    /// Whether it is only `-m32` that makes the compiler fail.
    fn works_natively(&self, path: &Path, options: &PreprocessOptions) -> bool {
        let arguments = self.arguments.iter().filter(|argument| *argument != "-m32").cloned().collect();
        let native = Invocation { directory: self.directory.clone(), file: self.file.clone(), arguments };
        native.run(path, options.compiler.as_deref()).is_ok_and(|output| output.status.success())
    }

    /// Reads the files that line markers name, except system headers.
    fn read_originals(&self, text: &[u8]) -> Originals {
        let mut paths = BTreeSet::new();
        for line in text.split(|&byte| byte == b'\n') {
            if let Some(path) = marked_user_file(line) {
                paths.insert(path);
            }
        }
        let mut originals = Originals::default();
        for path in paths {
            if let Ok(text) = fs::read(self.directory.join(&path)) {
                originals.insert(&path, &text);
            }
        }
        originals
    }
}

/// The path in a marker `# 12 "path" flags`, unless it is a system header's or made up by the compiler.
fn marked_user_file(line: &[u8]) -> Option<String> {
    let rest = line.strip_prefix(b"# ").filter(|rest| rest.first().is_some_and(u8::is_ascii_digit))?;
    let rest = std::str::from_utf8(rest).ok()?;
    let (_, rest) = rest.split_once('"')?;
    let (path, flags) = rest.rsplit_once('"')?;
    let is_system = flags.split_whitespace().any(|flag| flag == "3");
    (!is_system && !path.starts_with('<')).then(|| path.replace("\\\\", "\\").replace("\\\"", "\""))
}

fn absolute(path: &Path) -> PathBuf {
    path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

fn unwritable(error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot write our headers for the compiler: {error}");
    Diagnostic::error(Span::NOWHERE, message).with_note("set TMPDIR to a directory that can be written to")
}

fn unreadable(path: &Path, error: &std::io::Error) -> Diagnostic {
    let message = format!("cannot read `{}`: {error}", path.display());
    Diagnostic::error(Span::NOWHERE, message).with_note("check the path and its permissions")
}
