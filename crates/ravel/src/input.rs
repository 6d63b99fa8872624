//! What did the user point at? Files that can be read, or a task definition that names them; problems in words before anything is run.
//!
//! What is inside the files is the front end's business; here only what would make it waste its time is noticed: files that are
//! missing, empty, folders, not text, or absurdly large.

use crate::args::{Input, Question};
use crate::question::{self, PropertyFile};
use crate::task_file;
use frontend::Options;
use ir::{Model, Properties, Property};
use std::path::{Path, PathBuf};

/// Larger files are no programs.
const MAX_BYTES: u64 = 64 << 20;

/// What to verify, all names resolved.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// What the user calls it.
    pub(crate) name: String,
    /// The programs.
    pub(crate) files: Vec<PathBuf>,
    /// How they are read.
    pub(crate) options: Options,
    /// What must not happen.
    pub(crate) properties: Properties,
    /// When stores become visible to other threads.
    pub(crate) model: Model,
}

/// Resolves the command line's files and properties.
pub(crate) fn request(input: &Input, question: &Question) -> Result<Request, String> {
    let mut files = input.files.clone();
    let mut options = Options {
        data_model: input.data_model.map(ir::DataModel::from),
        include: input.include.clone(),
        define: input.define.clone(),
        compile_commands: input.compile_commands.clone(),
        assume_pure: input.assume_pure.clone(),
        fallible: input.fallible,
        entry: input.entry.clone(),
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
    files.iter().try_for_each(|file| look_at(file))?;
    let n_oox = files.iter().filter(|file| crate::oox::is_oox(file)).count();
    if n_oox > 0 && n_oox < files.len() {
        return Err("OOX files and others are not one program".to_string());
    }
    if n_oox > 0 && question.model != crate::args::MemoryModel::Sc {
        return Err("OOX programs run under the memory model sc".to_string());
    }
    let name = input.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(" ");
    if n_oox > 0 {
        let is_checked =
            |property: &Property| matches!(property, Property::ErrorCall | Property::Assertion | Property::Deadlock);
        if let Some(other) = asked.and_then(|asked| asked.iter().find(|property| !is_checked(property))) {
            let what = other.describe();
            return Err(format!(
                "OOX programs are checked for assertions, specifications and deadlocks, not for {what}"
            ));
        }
        asked = Some(crate::oox::properties());
    }
    let properties = asked.unwrap_or_else(question::default_properties);
    options.properties = properties;
    Ok(Request { name, files, options, properties, model: Model::from(question.model) })
}

fn read_property_file(path: &Path) -> Result<PropertyFile, String> {
    let text = std::fs::read_to_string(path).map_err(|error| cannot_read(path, &error))?;
    question::from_property_file(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// The properties of a property file; its entry function goes to the options.
fn take(file: PropertyFile, options: &mut Options) -> Properties {
    options.entry = file.entry;
    file.properties
}

/// Whether a file is worth giving to the front end.
fn look_at(path: &Path) -> Result<(), String> {
    let data = std::fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if data.is_dir() {
        return Err(format!("{}: this is a folder; give a .c or .i file in it", path.display()));
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
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i" | "oox") => Ok(()),
        _ => Err(format!(
            "{}: ravel reads C (.c), preprocessed C (.i), OOX (.oox) and task definitions (.yml)",
            path.display()
        )),
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => format!("{}: there is no such file", path.display()),
        _ => format!("{}: cannot be read: {error}", path.display()),
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
