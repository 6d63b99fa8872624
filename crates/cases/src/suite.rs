//! Which tasks does a suite hold? A csv, a folder, or files become a list of questions with known answers.
//!
//! A csv has the columns `task`, `property` and `expected` (others are ignored), with paths relative to it. A folder gives
//! its `.yml` task definitions, or, when it has none, its programs with `expect:` lines. Every task must have an answer to compare
//! with: a plain file without one is an error, because it could only be counted wrongly.

use crate::{Case, Expected, task_file, walk};
use std::path::{Path, PathBuf};

/// One question with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The file to verify.
    pub path: PathBuf,
    /// The property's name, as shown.
    pub property: String,
    /// `true`, `false`, `false(valid-deref)`, `true or bounded`, or for cases `unknown`, `error`, `allowed` and `forbidden`.
    pub expected: String,
    /// What `ravel verify` gets besides the file.
    pub options: Vec<String>,
}

/// What suites need to know of a language.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// How its files end.
    pub endings: &'static [&'static str],
    /// The option of `ravel verify` that the brackets of `expect[...]` stand for.
    pub selector: &'static str,
}

/// All tasks of the suites, in order.
pub fn read(suites: &[PathBuf], forms: &[Form]) -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for suite in suites {
        if suite.is_dir() {
            read_folder(suite, forms, &mut tasks)?;
        } else if suite.extension().is_some_and(|extension| extension == "csv") {
            let text = std::fs::read_to_string(suite).map_err(|error| format!("{}: {error}", suite.display()))?;
            let folder = suite.parent().unwrap_or(Path::new(""));
            read_csv(&text, folder, &mut tasks).map_err(|error| format!("{}: {error}", suite.display()))?;
        } else {
            read_file(suite, forms, &mut tasks)?;
        }
    }
    Ok(tasks)
}

fn read_folder(folder: &Path, forms: &[Form], tasks: &mut Vec<Task>) -> Result<(), String> {
    let walk =
        |extensions: &[&str]| walk::files_below(folder, extensions).map_err(|e| format!("{}: {e}", folder.display()));
    let endings: Vec<&str> = forms.iter().flat_map(|form| form.endings).copied().collect();
    let mut files = walk(&["yml"])?;
    if files.is_empty() {
        files = walk(&endings)?;
    }
    if files.is_empty() {
        let endings: Vec<String> = endings.iter().map(|ending| format!(".{ending}")).collect();
        return Err(format!("{}: no .yml, {} files below it", folder.display(), endings.join(", ")));
    }
    files.iter().try_for_each(|file| read_file(file, forms, tasks))
}

fn read_file(path: &Path, forms: &[Form], tasks: &mut Vec<Task>) -> Result<(), String> {
    if task_file::is_task_file(path) { read_task_file(path, tasks) } else { read_case(path, forms, tasks) }
}

fn read_task_file(path: &Path, tasks: &mut Vec<Task>) -> Result<(), String> {
    for property in task_file::read(path)?.properties {
        if let Some(expected) = &property.expected {
            tasks.push(Task {
                path: path.to_path_buf(),
                property: property.name(),
                expected: expected.clone(),
                options: vec!["--prp".to_string(), property.file.to_string_lossy().into_owned()],
            });
        }
    }
    Ok(())
}

fn read_case(path: &Path, forms: &[Form], tasks: &mut Vec<Task>) -> Result<(), String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let case = Case::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let Some(case) = case else {
        return Err(format!(
            "{}: it has no `expect: safe|unsafe` line, so there is no answer to compare with",
            path.display()
        ));
    };
    for expectation in &case.expectations {
        let property = expectation.selector.as_ref().or(case.property.as_ref());
        let mut options = case.options.clone();
        options.extend(expectation.model.as_ref().map(|model| format!("--model={model}")));
        options.extend(case.knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
        let selector = selector(path, forms);
        options.extend(property.map(|property| format!("--{selector}={property}")));
        let expected = match expectation.expected {
            Expected::Safe => "true",
            Expected::Unsafe => "false",
            Expected::Error => "error",
            Expected::Bounded => "bounded",
            Expected::Allowed => "allowed",
            Expected::Forbidden => "forbidden",
            Expected::Unknown => "unknown",
        };
        tasks.push(Task {
            path: path.to_path_buf(),
            property: property.map_or("default", String::as_str).to_string(),
            expected: expected.to_string(),
            options,
        });
    }
    Ok(())
}

/// The option that chooses what is asked, by the file's ending.
fn selector(path: &Path, forms: &[Form]) -> &'static str {
    let is_of = |form: &&Form| path.extension().is_some_and(|ending| form.endings.iter().any(|one| ending == *one));
    forms.iter().find(is_of).map_or("property", |form| form.selector)
}

fn read_csv(text: &str, folder: &Path, tasks: &mut Vec<Task>) -> Result<(), String> {
    // Lines may differ in length: names of litmus tests have commas, and a column that is missing is told by us.
    let mut reader = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| error.to_string())?.clone();
    let has = |name: &str| header.iter().any(|field| field == name);
    let read: fn(&Line<'_>) -> Result<Task, String> = if has("entry") {
        about_oox
    } else if header.iter().eq(["test", "model", "condition_holds"]) {
        about_litmus
    } else {
        for name in ["task", "property", "expected"] {
            if !has(name) {
                return Err(format!("the first line has no column `{name}`; it must have task, property and expected"));
            }
        }
        about_c
    };
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        if record.iter().all(str::is_empty) {
            continue;
        }
        let number = record.position().map_or(0, csv::Position::line);
        let line = Line { header: &header, record: &record, folder };
        tasks.push(read(&line).map_err(|error| format!("line {number}: {error}"))?);
    }
    Ok(())
}

/// A line of a csv.
struct Line<'a> {
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
    /// What paths are relative to.
    folder: &'a Path,
}

impl Line<'_> {
    fn field(&self, name: &str) -> Result<&str, String> {
        let column = self.header.iter().position(|field| field == name);
        column.and_then(|column| self.record.get(column)).ok_or_else(|| format!("the column `{name}` is missing"))
    }
}

/// A line about C: task, property, expected.
fn about_c(line: &Line<'_>) -> Result<Task, String> {
    let (property, expected) = (line.field("property")?, line.field("expected")?);
    crate::question::from_words(property)?;
    if expected != "true" && expected != "false" && !expected.starts_with("false(") {
        return Err(format!("`{expected}` is none of true, false, false(PROPERTY)"));
    }
    Ok(Task {
        path: line.folder.join(line.field("task")?),
        property: property.to_string(),
        expected: expected.to_string(),
        options: vec![format!("--property={property}")],
    })
}

/// A line about OOX: file, entry, depth, expected.
fn about_oox(line: &Line<'_>) -> Result<Task, String> {
    let (entry, depth) = (line.field("entry")?, line.field("depth")?);
    let expected = match line.field("expected")? {
        "valid" => "true or bounded",
        "invalid" => "false(unreach-call)",
        "deadlock" => "false(no-deadlock)",
        other => return Err(format!("`{other}` is none of valid, invalid, deadlock")),
    };
    Ok(Task {
        path: line.folder.join(line.field("file")?),
        property: entry.to_string(),
        expected: expected.to_string(),
        options: vec![format!("--entry={entry}"), format!("--depth={depth}")],
    })
}

/// A line about a litmus test: test, model, condition_holds.
fn about_litmus(line: &Line<'_>) -> Result<Task, String> {
    let fields: Vec<&str> = line.record.iter().collect();
    // The name of a test may contain commas, which public suites do not quote; the model and the answer have none.
    let [name @ .., model, holds] = fields.as_slice() else { return Err("a column is missing".to_string()) };
    if name.is_empty() {
        return Err("a column is missing".to_string());
    }
    let expected = match *holds {
        "1" | "true" => "true",
        "0" | "false" => "false(condition)",
        other => return Err(format!("`{other}` should be 1 or 0")),
    };
    Ok(Task {
        path: line.folder.join(name.join(",")),
        property: (*model).to_string(),
        expected: expected.to_string(),
        options: vec![format!("--model={model}")],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_csv_is_read() {
        let mut tasks = Vec::new();
        let text =
            "task,property,expected\r\na/b.c,unreach-call,true\n\"x,y.i\",valid-memsafety,false(valid-deref)\n\n";
        read_csv(text, Path::new("s"), &mut tasks).expect("it is valid");
        let rows: Vec<_> = tasks.iter().map(|t| (t.path.to_str().unwrap(), &*t.property, &*t.expected)).collect();
        assert_eq!(rows, [("s/a/b.c", "unreach-call", "true"), ("s/x,y.i", "valid-memsafety", "false(valid-deref)")]);
    }

    #[test]
    fn names_of_litmus_tests_have_commas() {
        let mut tasks = Vec::new();
        let text = "test,model,condition_holds\r\nLB+a,b.litmus,tso,1\r\n\"SB+c,d.litmus\", sc , 0\n  \n";
        read_csv(text, Path::new("s"), &mut tasks).expect("it is valid");
        let rows: Vec<_> = tasks.iter().map(|t| (t.path.to_str().unwrap(), &*t.property, &*t.expected)).collect();
        assert_eq!(rows, [("s/LB+a,b.litmus", "tso", "true"), ("s/SB+c,d.litmus", "sc", "false(condition)")]);
    }

    #[test]
    fn an_odd_csv_is_refused() {
        for (text, part) in [
            ("", "no column"),
            ("task,expected\n", "`property`"),
            ("task,property,expected\na.c,unreach-call\n", "line 2"),
            ("task,property,expected\na.c,tidy,true\n", "`tidy`"),
            ("task,property,expected\na.c,race,maybe\n", "`maybe`"),
            ("test,model,condition_holds\n\na.litmus,tso,1\nb.litmus,tso\n", "line 4"),
            ("file,entry,depth,expected\na.oox,A.b,3,perhaps\n", "`perhaps`"),
        ] {
            let error = read_csv(text, Path::new(""), &mut Vec::new()).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
