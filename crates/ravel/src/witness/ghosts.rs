//! How do the ghosts of a witness get into the program? Each is a global variable of the changed text, and each statement that changes one does so in an atomic section with the change.
//!
//! That a ghost changes together with its statement must not take interleavings away: so only statements are supported that are one step anyway, calls of functions that lock,
//! unlock or start a thread, on objects that are named outright. While a lock is waited for, the section is open, and others run. All else is refused by name.

use super::invariants::{Insertion, is_of, offset, plain};
use super::read::{Ghosts, Update};
use std::path::Path;

/// Functions that are one step.
const CALLS: [&str; 5] = ["pthread_mutex_lock", "pthread_mutex_unlock", "mtx_lock", "mtx_unlock", "pthread_create"];

/// What declares the ghosts, with their values in one of the files; an error names the one that cannot be.
pub(super) fn declared(ghosts: &Ghosts, has_values: bool) -> Result<String, String> {
    let mut text = String::new();
    for (name, kind, initial) in &ghosts.variables {
        let is_name = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !is_name(name) || kind.is_empty() || !kind.split(' ').all(is_name) {
            return Err(format!("the ghost variable {name} of the type {kind} is not supported"));
        }
        plain(initial).map_err(|why| format!("the first value of {name}: {why}"))?;
        text += &match has_values {
            true => format!("{kind} {name} = {initial}; "),
            false => format!("extern {kind} {name}; "),
        };
    }
    Ok(text)
}

/// Writes the updates that belong to a file into its text, which is otherwise not changed yet.
pub(super) fn instrument(path: &Path, text: &str, ghosts: &Ghosts) -> Result<Vec<Insertion>, String> {
    let mut insertions = Vec::new();
    for update in ghosts.updates.iter().filter(|update| is_of(path, &update.file)) {
        let own = place(text, update, ghosts)
            .map_err(|why| format!("the update of ghosts at line {} is not supported: {why}", update.line))?;
        insertions.extend(own);
    }
    Ok(insertions)
}

fn place(text: &str, update: &Update, ghosts: &Ghosts) -> Result<[Insertion; 2], String> {
    let mut changes = String::new();
    for (variable, value) in &update.values {
        if !ghosts.variables.iter().any(|(name, _, _)| name == variable) {
            return Err(format!("{variable} is no ghost"));
        }
        plain(value)?;
        changes += &format!("{variable} = {value}; ");
    }
    let at = offset(text, update.line, update.column).ok_or("its place is not in the file")?;
    let rest = &text[at..];
    let end = rest.find(';').ok_or("no statement begins there")?;
    let call = rest[..end].trim();
    let (name, arguments) = call
        .split_once('(')
        .and_then(|(name, rest)| Some((name.trim(), rest.strip_suffix(')')?)))
        .ok_or("only calls are supported")?;
    if !CALLS.contains(&name) {
        return Err(format!("calls of `{name}` are not among {}", CALLS.join(", ")));
    }
    if let Some(bad) = arguments.split(',').map(str::trim).find(|argument| !is_fixed(argument, text)) {
        return Err(format!("the argument `{bad}` may be more than one step"));
    }
    let close = format!(" {changes}__VERIFIER_atomic_end(); }}");
    let open = "{ __VERIFIER_atomic_begin(); ".to_string();
    Ok([Insertion { at, rank: 2, text: open }, Insertion { at: at + end + 1, rank: 0, text: close }])
}

/// Whether an argument is known before the program runs: a number, an address of something named, a function.
fn is_fixed(argument: &str, text: &str) -> bool {
    let is_path = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
            && !text.ends_with('.')
    };
    let is_number = !argument.is_empty() && argument.chars().all(|c| c.is_ascii_digit());
    let is_null = matches!(argument.replace(' ', "").as_str(), "NULL" | "((void*)0)" | "(void*)0");
    let is_function = is_path(argument)
        && text.match_indices(argument).any(|(at, _)| {
            let rest = text[at + argument.len()..].trim_start();
            rest.starts_with('(') && rest.find([';', '{']).is_some_and(|end| rest[end..].starts_with('{'))
        });
    is_number || is_null || is_function || argument.strip_prefix('&').is_some_and(|object| is_path(object.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ghosts(line: u32, value: &str) -> Ghosts {
        let update = Update { file: "a.c".into(), line, column: None, values: vec![("g".into(), value.into())] };
        Ghosts { variables: vec![("g".into(), "unsigned int".into(), "0".into())], updates: vec![update] }
    }

    #[test]
    fn ghosts_change_together_with_locks() {
        let text =
            "void *f(void *a) { return 0; }\n  pthread_mutex_lock(&s.m); x = 1;\n  pthread_create(&t, 0, f, NULL);\n";
        for line in [2, 3] {
            let found = instrument(Path::new("dir/a.c"), text, &ghosts(line, "g + 1")).expect("it is supported");
            assert_eq!(found.len(), 2);
            assert!(found[1].text.contains("g = g + 1; __VERIFIER_atomic_end(); }"), "{found:?}");
        }
        assert_eq!(declared(&ghosts(2, "1"), true), Ok("unsigned int g = 0; ".to_string()));
        assert_eq!(instrument(Path::new("b.c"), text, &ghosts(2, "1")), Ok(Vec::new()));
    }

    #[test]
    fn what_is_more_than_one_step_is_refused_by_name() {
        for (text, words) in [
            ("x = y + 1;", "only calls"),
            ("run(&m);", "`run`"),
            ("pthread_mutex_lock(p);", "`p`"),
            ("pthread_mutex_lock(&a[i]);", "`&a[i]`"),
            ("pthread_create(&t, 0, f, shared);", "`f`"),
        ] {
            let said = instrument(Path::new("a.c"), text, &ghosts(1, "1"));
            assert!(said.as_ref().is_err_and(|said| said.contains(words)), "{said:?}");
        }
        let said = instrument(Path::new("a.c"), "pthread_mutex_lock(&m);", &ghosts(1, "h()"));
        assert!(said.as_ref().is_err_and(|said| said.contains("`h`")), "{said:?}");
        let mut other = ghosts(1, "1");
        other.variables[0].0 = "x; int y".into();
        assert!(declared(&other, true).is_err());
    }
}
