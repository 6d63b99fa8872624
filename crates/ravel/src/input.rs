//! What did the user point at? Files that can be read, or a task definition that names them; problems in words before anything is run.
//!
//! What is inside the files is the front end's business; here only what would make it waste its time is noticed: files that are
//! missing, empty, folders, devices, not text, or absurdly large.

use crate::args::{Input, Question, Stub};
use crate::language::table;
use crate::request::{Request, Row};
use cases::question::{self, PropertyFile};
use cases::task_file;
use frontend::{Arguments, Options};
use ir::Properties;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Larger files are no programs.
const MAX_BYTES: u64 = 64 << 20;

/// What the user calls the input.
pub(crate) fn name(input: &Input) -> String {
    match &input.compile_commands {
        Some(database) if input.files.is_empty() => format!("--compile-commands {}", database.display()),
        _ => input.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" "),
    }
}

/// Resolves the command line's files and properties.
pub(crate) fn request(input: &Input, question: &Question) -> Result<Request, String> {
    let mut files = input.files.clone();
    if let (Some(database), true) = (&input.compile_commands, files.is_empty()) {
        files = project_files(database, input)?;
    }
    let mut options = Options {
        data_model: input.data_model.map(ir::DataModel::from),
        include: input.include.clone(),
        define: input.define.clone(),
        compile_commands: input.compile_commands.clone(),
        assume_pure: input.assume_pure.clone(),
        havoc_stubs: input.stub == Stub::Havoc,
        stubs: input.stubs.clone(),
        fallible: input.fallible,
        late_handles: input.late_handles,
        has_axioms: false,
        entries: input.entry.clone(),
        nonnull: input.nonnull,
        arguments: Arguments {
            given: (!input.arguments.is_empty()).then(|| input.arguments.clone()),
            most: input.argv_max,
            length: input.argv_length,
        },
        properties: Properties::NONE,
    };
    let mut asked = match (&question.property, &question.prp) {
        (Some(properties), _) => Some(*properties),
        (None, Some(path)) => Some(take(read_property_file(path)?, &mut options)),
        (None, None) => None,
    };
    if files.iter().any(|file| task_file::is_task_file(file)) {
        let [path] = files.as_slice() else {
            return Err("a task definition (.yml) stands alone; it names its files itself".to_string());
        };
        let task = task_file::read(path)?;
        options.data_model = options.data_model.or(task.data_model);
        if asked.is_none() {
            let mut all = Properties::NONE;
            for property in &task.properties {
                all = all.union(take(property.read()?, &mut options));
            }
            asked = Some(all).filter(|all| !all.is_empty());
        }
        files = task.input_files;
    }
    let languages = files.iter().map(|file| look_at(file)).collect::<Result<Vec<_>, String>>()?;
    let Some(language) = languages.first().copied() else { return Err("no file was given".to_string()) };
    if let Some(other) = languages.iter().find(|other| other.name != language.name) {
        return Err(format!("{} and {} are not one program", language.name, other.name));
    }
    let properties = Properties::NONE;
    let model = match (&question.model, &question.mapping) {
        (Some(model), Some(mapping)) => Some(format!("{model}+{mapping}")),
        _ => question.model.clone(),
    };
    let is_default = asked.is_none();
    let mut request = Request { name: name(input), files, language, options, properties, is_default, model };
    (language.accept)(&mut request, asked)?;
    Ok(request)
}

/// The files of a build, each once. Of several programs in it the one is meant whose entry function is in the target file.
fn project_files(database: &Path, input: &Input) -> Result<Vec<PathBuf>, String> {
    let all = frontend::c::preprocess::commands::files(database)?;
    let Some(target) = &input.target_file else { return Ok(all) };
    let is_target = |file: &PathBuf| file.ends_with(target) || same_file(file, target);
    if !all.iter().any(is_target) {
        return Err(format!("{}: no entry for {}", database.display(), target.display()));
    }
    let defines = |file: &PathBuf| input.entry.iter().any(|entry| mentions_definition(file, entry));
    Ok(all.into_iter().filter(|file| is_target(file) || !defines(file)).collect())
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Whether a function seems to be defined in a file: its name and a parenthesis, at the start of a line or behind a type, and no semicolon
/// before the body. Only files that are other programs are to be told apart by it; two definitions that it misses are an error later.
fn mentions_definition(file: &Path, function: &str) -> bool {
    let Ok(text) = std::fs::read(file) else { return false };
    let text = String::from_utf8_lossy(&text);
    text.match_indices(function).any(|(at, _)| {
        let (before, after) = (&text[..at], text[at + function.len()..].trim_start());
        let line = before.rsplit('\n').next().unwrap_or("");
        let is_type = line.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\t' | '*' | '_'));
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_head = after.starts_with('(') && after.find('{').is_some_and(|body| !after[..body].contains(';'));
        let is_call = line.trim_start().starts_with("return");
        is_type && is_word && is_head && !is_call
    })
}

fn read_property_file(path: &Path) -> Result<PropertyFile, String> {
    let text = std::fs::read_to_string(path).map_err(|error| cannot_read(path, &error))?;
    question::from_property_file(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The properties of a property file; its entry function goes to the options.
fn take(file: PropertyFile, options: &mut Options) -> Properties {
    options.entries = vec![file.entry];
    file.properties
}

/// The language of a file, if it is worth giving to the front end.
fn look_at(path: &Path) -> Result<&'static Row, String> {
    let data = std::fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if data.is_dir() {
        let endings: Vec<String> = table::endings().iter().map(|ending| format!(".{ending}")).collect();
        let endings = endings.join(", ");
        return Err(format!("{}: this is a folder; give a file in it ({endings})", path.display()));
    }
    if data.file_type().is_char_device() || data.file_type().is_block_device() {
        return Err(format!("{}: this is a device; give a file", path.display()));
    }
    if data.len() > MAX_BYTES {
        let (has, may) = (data.len() >> 20, MAX_BYTES >> 20);
        return Err(format!("{}: the file has {has} MiB; ravel reads at most {may} MiB", path.display()));
    }
    let bytes = std::fs::read(path).map_err(|error| cannot_read(path, &error))?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(format!("{}: the file is empty", path.display()));
    }
    if bytes.contains(&0) {
        return Err(format!("{}: this is not a text file (it contains zero bytes)", path.display()));
    }
    table::of(path)
        .ok_or_else(|| format!("{}: ravel reads {} and task definitions (.yml)", path.display(), table::list()))
}

fn cannot_read(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("{}: there is no such file", path.display()),
        _ => format!("{}: cannot be read: {error}", path.display()),
    }
}
