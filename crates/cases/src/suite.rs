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
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let header = lines.next().map(|(_, line)| fields(line)).unwrap_or_default();
    let column = |name: &str| {
        let found = header.iter().position(|field| field == name);
        found.ok_or_else(|| format!("the first line has no column `{name}`; it must have task, property and expected"))
    };
    if header.iter().any(|field| field == "entry") {
        let columns = [column("file")?, column("entry")?, column("depth")?, column("expected")?];
        return read_oox_lines(lines, columns, folder, tasks);
    }
    if header == ["test", "model", "condition_holds"] {
        return read_litmus_lines(lines, folder, tasks);
    }
    let (task, property, expected) = (column("task")?, column("property")?, column("expected")?);
    for (index, line) in lines {
        let fields = fields(line);
        let field = |column: usize| {
            fields.get(column).cloned().ok_or_else(|| format!("line {}: a column is missing", index + 1))
        };
        let property = field(property)?;
        if let Err(error) = crate::question::from_words(&property) {
            return Err(format!("line {}: {error}", index + 1));
        }
        let expected = field(expected)?;
        if expected != "true" && expected != "false" && !expected.starts_with("false(") {
            return Err(format!("line {}: `{expected}` is none of true, false, false(PROPERTY)", index + 1));
        }
        tasks.push(Task {
            path: folder.join(field(task)?),
            options: vec![format!("--property={property}")],
            property,
            expected,
        });
    }
    Ok(())
}

/// Lines about OOX: file, entry, depth, expected.
fn read_oox_lines<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    columns: [usize; 4],
    folder: &Path,
    tasks: &mut Vec<Task>,
) -> Result<(), String> {
    for (index, line) in lines {
        let fields = fields(line);
        let field = |at: usize| {
            fields.get(columns[at]).cloned().ok_or_else(|| format!("line {}: a column is missing", index + 1))
        };
        let (entry, depth) = (field(1)?, field(2)?);
        let expected = match field(3)?.as_str() {
            "valid" => "true or bounded",
            "invalid" => "false(unreach-call)",
            "deadlock" => "false(no-deadlock)",
            other => return Err(format!("line {}: `{other}` is none of valid, invalid, deadlock", index + 1)),
        };
        tasks.push(Task {
            path: folder.join(field(0)?),
            options: vec![format!("--entry={entry}"), format!("--depth={depth}")],
            property: entry,
            expected: expected.to_string(),
        });
    }
    Ok(())
}

/// Lines about litmus tests: test, model, condition_holds.
fn read_litmus_lines<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    folder: &Path,
    tasks: &mut Vec<Task>,
) -> Result<(), String> {
    for (index, line) in lines {
        // A test's name may contain commas; the model and the answer do not.
        let mut parts = line.trim().rsplitn(3, ',');
        let (holds, model, name) = (parts.next(), parts.next(), parts.next());
        let (Some(holds), Some(model), Some(name)) = (holds, model, name) else {
            return Err(format!("line {}: a column is missing", index + 1));
        };
        let expected = match holds {
            "1" | "true" => "true",
            "0" | "false" => "false(condition)",
            other => return Err(format!("line {}: `{other}` should be 1 or 0", index + 1)),
        };
        tasks.push(Task {
            path: folder.join(name),
            options: vec![format!("--model={model}")],
            property: model.to_string(),
            expected: expected.to_string(),
        });
    }
    Ok(())
}

/// The fields of a csv line; a field may be quoted.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.trim_end_matches('\r').chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => fields.last_mut().expect("there is one from the start").push(c),
        }
    }
    fields.iter().map(|field| field.trim().to_string()).collect()
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
    fn an_odd_csv_is_refused() {
        for (text, part) in [
            ("", "no column"),
            ("task,expected\n", "`property`"),
            ("task,property,expected\na.c,unreach-call\n", "line 2"),
            ("task,property,expected\na.c,tidy,true\n", "`tidy`"),
            ("task,property,expected\na.c,race,maybe\n", "`maybe`"),
        ] {
            let error = read_csv(text, Path::new(""), &mut Vec::new()).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
