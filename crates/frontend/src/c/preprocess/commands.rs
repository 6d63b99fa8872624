//! The flags that a `compile_commands.json` has for a file.
//!
//! Of a compile command only what decides the preprocessed text is kept: include paths, definitions, the language and
//! the target. Warnings, optimisation, output and dependency files are dropped; optimisation because it makes system
//! headers swap functions for others. An entry's own paths stay relative to its directory, where the compiler is run.

use std::fs;
use std::path::{Path, PathBuf};

use ir::{Diagnostic, Span};
use serde_json::Value;

/// What an entry says.
pub(super) struct Entry {
    pub(super) directory: PathBuf,
    pub(super) flags: Vec<String>,
}

/// Flags that take the next argument, or have it attached.
const WITH_VALUE: &[&str] = &[
    "-I",
    "-D",
    "-U",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
    "-target",
];

/// Flags kept by how they begin.
const KEPT: &[&str] =
    &["-std=", "--std=", "-ansi", "-m", "-f", "-nostdinc", "-pthread", "-undef", "--sysroot=", "--target="];

/// Beginnings of flags that would match `KEPT` but only concern code generation or diagnostics.
const DROPPED: &[&str] =
    &["-fplugin", "-fdump", "-flto", "-fprofile", "-fdiagnostics", "-fcolor", "-fmessage", "-ftime", "-fcoverage"];

/// The C files of a database, each once, in its order.
pub fn files(database: &Path) -> Result<Vec<PathBuf>, String> {
    let (database, entries) = read(database).map_err(|problem| problem.message.clone())?;
    let base = super::absolute(database.parent().unwrap_or(Path::new(".")));
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in &entries {
        let directory = base.join(entry["directory"].as_str().unwrap_or("."));
        let Some(file) = entry["file"].as_str() else { continue };
        let file = canonical(&directory.join(file));
        if file.extension().is_some_and(|ending| ending == "c") && !found.contains(&file) {
            found.push(file);
        }
    }
    match found.is_empty() {
        true => Err(format!("{}: it has no C files", database.display())),
        false => Ok(found),
    }
}

/// Reads a database (the file itself or its directory).
fn read(database: &Path) -> Result<(PathBuf, Vec<Value>), Box<Diagnostic>> {
    let database = if database.is_dir() { database.join("compile_commands.json") } else { database.to_path_buf() };
    let problem = |message: String, note: &str| Box::new(Diagnostic::error(Span::NOWHERE, message).with_note(note));
    let text = fs::read_to_string(&database).map_err(|error| {
        problem(format!("cannot read `{}`: {error}", database.display()), "check the path of the compile commands")
    })?;
    match serde_json::from_str(&text) {
        Ok(Value::Array(entries)) => Ok((database, entries)),
        Ok(_) => Err(malformed(&database, "the outermost value is no array")),
        Err(error) => Err(malformed(&database, &error.to_string())),
    }
}

fn malformed(database: &Path, what: &str) -> Box<Diagnostic> {
    let message = format!("`{}` is not a list of compile commands: {what}", database.display());
    let note = "generate it again, for example with `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`";
    Box::new(Diagnostic::error(Span::NOWHERE, message).with_note(note))
}

/// Finds the entry of `file` in the database at `database` (the file itself or its directory).
pub(super) fn entry_for(database: &Path, file: &Path) -> Result<Entry, Box<Diagnostic>> {
    let (database, entries) = read(database)?;
    let malformed = |what: &str| malformed(&database, what);
    let base = super::absolute(database.parent().unwrap_or(Path::new(".")));
    let wanted = canonical(&super::absolute(file));
    for entry in &entries {
        let directory = base.join(entry["directory"].as_str().unwrap_or("."));
        let Some(entry_file) = entry["file"].as_str() else { continue };
        if canonical(&directory.join(entry_file)) != wanted {
            continue;
        }
        let words = match (entry["arguments"].as_array(), entry["command"].as_str()) {
            (Some(arguments), _) => arguments.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            (None, Some(command)) => split_words(command),
            (None, None) => return Err(malformed("the file's entry has neither `command` nor `arguments`")),
        };
        if !directory.is_dir() {
            return Err(malformed(&format!("the directory `{}` does not exist", directory.display())));
        }
        return Ok(Entry { directory, flags: preprocessing_flags(&words) });
    }
    let message = format!("`{}` has no entry for `{}`", database.display(), file.display());
    let note = "leave the compile commands out and pass -I and -D instead, or build the file once to record it";
    Err(Box::new(Diagnostic::error(Span::NOWHERE, message).with_note(note)))
}

fn canonical(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// What to keep of a command's words.
fn preprocessing_flags(words: &[String]) -> Vec<String> {
    let mut flags = Vec::new();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            flags.push(word.clone());
            flags.extend(rest.next().cloned());
        } else if ["-o", "-MF", "-MT", "-MQ", "-Xlinker", "-x"].contains(&word.as_str()) {
            rest.next();
        } else {
            let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| word.starts_with(beginning));
            if begins(WITH_VALUE) || begins(KEPT) && !begins(DROPPED) {
                flags.push(word.clone());
            }
        }
    }
    flags
}

/// Splits a command as a POSIX shell would, without expanding anything.
fn split_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some('"'), '\\') => match characters.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.get_or_insert_default().push(escaped),
                Some(other) => word.get_or_insert_default().extend(['\\', other]),
                None => {}
            },
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(characters.next()),
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        for (command, expected) in [
            ("cc -c  a.c", vec!["cc", "-c", "a.c"]),
            (r#"cc -DX=\"a\ b\" 'it''s' "q \"w\"" "#, vec!["cc", "-DX=\"a b\"", "its", "q \"w\""]),
            ("cc '' \"\"", vec!["cc", "", ""]),
            ("", vec![]),
        ] {
            assert_eq!(split_words(command), expected, "{command}");
        }
    }

    #[test]
    fn only_what_decides_the_text_is_kept() {
        let command = "gcc -O2 -Wall -g -DA=1 -D B -Iinc -I inc2 -isystem sys -std=c99 -m32 -fopenmp -flto -MD -MF a.d -c -o a.o a.c";
        let expected = "-DA=1 -D B -Iinc -I inc2 -isystem sys -std=c99 -m32 -fopenmp";
        assert_eq!(preprocessing_flags(&split_words(command)).join(" "), expected);
    }
}
