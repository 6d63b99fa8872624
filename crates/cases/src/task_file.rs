//! What does a task-definition file (SV-COMP, format 2.0) say? Inputs, properties with expected verdicts, data model.
//!
//! Paths in it are relative to the file itself. Property files are read by content; a missing one is an error,
//! because a guess from its name could check the wrong thing.

use crate::question::{self, PropertyFile};
use ir::DataModel;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One task definition, with paths resolved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskFile {
    /// The programs.
    pub input_files: Vec<PathBuf>,
    /// What is asked, with the answer where it is given.
    pub properties: Vec<TaskProperty>,
    /// Sizes of the C types, if given.
    pub data_model: Option<DataModel>,
}

/// One property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskProperty {
    /// The property file.
    pub file: PathBuf,
    /// The expected verdict: `true`, `false` or `false(valid-deref)`.
    pub expected: Option<String>,
}

impl TaskProperty {
    /// The name that result tables use: that of the property file.
    pub fn name(&self) -> String {
        self.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// What the property file says.
    pub fn read(&self) -> Result<PropertyFile, String> {
        let text = std::fs::read_to_string(&self.file)
            .map_err(|error| format!("{}: cannot read the property file: {error}", self.file.display()))?;
        question::from_property_file(&text).map_err(|error| format!("{}: {error}", self.file.display()))
    }
}

#[derive(Deserialize)]
struct RawTask {
    format_version: RawVersion,
    input_files: RawFiles,
    #[serde(default)]
    properties: Vec<RawProperty>,
    #[serde(default)]
    options: RawOptions,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawVersion {
    Text(String),
    Number(f64),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawFiles {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct RawProperty {
    property_file: String,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Deserialize, Default)]
struct RawOptions {
    language: Option<String>,
    data_model: Option<String>,
}

/// Whether a path is to be read as a task definition.
pub fn is_task_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// Reads a task definition.
pub fn read(path: &Path) -> Result<TaskFile, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: cannot read it: {error}", path.display()))?;
    parse(&text, path.parent().unwrap_or(Path::new(""))).map_err(|error| format!("{}: {error}", path.display()))
}

/// Reads the text of a task definition that stands in `folder`.
fn parse(text: &str, folder: &Path) -> Result<TaskFile, String> {
    let raw: RawTask = serde_saphyr::from_str(text).map_err(|error| format!("this is no task definition: {error}"))?;
    let version = match &raw.format_version {
        RawVersion::Text(text) => text.clone(),
        RawVersion::Number(number) => format!("{number:.1}"),
    };
    if !matches!(version.as_str(), "1.0" | "2.0" | "2.1") {
        return Err(format!("task definitions of format version {version} are not known; 2.0 is"));
    }
    let language = raw.options.language.as_deref().unwrap_or("C");
    if language != "C" {
        return Err(format!("programs in {language} are not supported; C is"));
    }
    let data_model = match raw.options.data_model.as_deref() {
        None => None,
        Some("ILP32") => Some(DataModel::Ilp32),
        Some("LP64") => Some(DataModel::Lp64),
        Some(other) => return Err(format!("the data model {other} is not known; ILP32 and LP64 are")),
    };
    let input_files = match raw.input_files {
        RawFiles::One(file) => vec![file],
        RawFiles::Many(files) => files,
    };
    if input_files.is_empty() {
        return Err("the task has no input files".to_string());
    }
    let property = |raw: RawProperty| TaskProperty {
        file: folder.join(raw.property_file),
        expected: raw.expected_verdict.map(|verdict| match (verdict, raw.subproperty) {
            (true, _) => "true".to_string(),
            (false, Some(sub)) => format!("false({sub})"),
            (false, None) => "false".to_string(),
        }),
    };
    Ok(TaskFile {
        input_files: input_files.into_iter().map(|file| folder.join(file)).collect(),
        properties: raw.properties.into_iter().map(property).collect(),
        data_model,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_definitions_are_read() {
        let text = "format_version: '2.0'\ninput_files: 'x.i'\nproperties:\n  - property_file: ../properties/unreach-call.prp\n    \
                    expected_verdict: false\n  - property_file: ../properties/valid-memsafety.prp\n    expected_verdict: false\n    \
                    subproperty: valid-deref\n  - property_file: ../properties/termination.prp\noptions:\n  language: C\n  data_model: ILP32\n";
        let task = parse(text, Path::new("a/b")).expect("it is valid");
        assert_eq!(task.input_files, [Path::new("a/b/x.i")]);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        let rows: Vec<_> = task.properties.iter().map(|p| (p.name(), p.expected.clone())).collect();
        assert_eq!(
            rows,
            [
                ("unreach-call".to_string(), Some("false".to_string())),
                ("valid-memsafety".to_string(), Some("false(valid-deref)".to_string())),
                ("termination".to_string(), None)
            ]
        );
    }

    #[test]
    fn odd_task_definitions_are_refused() {
        for (text, part) in [
            ("", "no task definition"),
            ("just text", "no task definition"),
            ("format_version: '9.0'\ninput_files: x.c\n", "9.0"),
            ("format_version: '2.0'\ninput_files: []\n", "no input files"),
            ("format_version: '2.0'\ninput_files: x.java\noptions: {language: Java}\n", "Java"),
            ("format_version: '2.0'\ninput_files: x.c\noptions: {data_model: LLP64}\n", "LLP64"),
        ] {
            let error = parse(text, Path::new("")).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
