//! How does a witness speak of a lock? Invariants are expressions of C, and what a mutex holds is nobody's business but the library's. So a witness brings a variable of its own, a ghost, that
//! is one while the mutex is taken, and says which statements of the program change it.
//!
//! A mutex has a ghost only if the text shows all that is ever done with it: it is declared, perhaps initialised with nothing special, and locked and unlocked by statements that do
//! nothing else. Whatever else names it (an attempt to lock, a condition variable, a pointer to it) might change it in a way that the ghost does not follow; then the witness does not speak
//! of the lock at all. The text is read as it is written, so this is a matter of what can be handed on and not of the proof: who reads the witness checks it again.
//! Known as: ghost variables, auxiliary variables \[OwickiGries76].

use super::Place;
use crate::proof::invariants::locks;
use ir::{Certificate, Sources};
use logic::VarId;
use std::collections::BTreeMap;

/// A variable that only the witness knows: one while a lock is taken, else zero.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ghost {
    /// Its name, which the program does not have.
    pub name: String,
    /// The statements at which it gets a value, which has it from when they are done.
    pub updates: Vec<(Place, bool)>,
}

/// The ghosts of the mutexes that a proof is about, by the variable that holds the mutex's state.
pub(super) fn ghosts(sources: &Sources, certificate: &Certificate) -> BTreeMap<VarId, Ghost> {
    let mutexes = locks(certificate).into_iter().filter(|(_, mutex)| is_word(mutex));
    mutexes.filter_map(|(var, mutex)| Some((var, ghost(sources, &mutex)?))).collect()
}

fn ghost(sources: &Sources, mutex: &str) -> Option<Ghost> {
    let mut name = format!("{mutex}_locked");
    let mut updates = Vec::new();
    for file in sources.files.iter().filter(|file| !file.is_model) {
        while file.lines.values().any(|line| words(line).any(|(_, word)| word == name)) {
            name.push('_');
        }
        for (number, line) in &file.lines {
            for (at, _) in words(line).filter(|(_, word)| *word == mutex) {
                let place = |column: usize| Place { file: file.path.clone(), line: *number, column: column as u32 };
                match mention(line, at, mutex)? {
                    Mention::Nothing => {}
                    Mention::Changes { column, is_taken } => updates.push((place(column), is_taken)),
                }
            }
        }
    }
    (!updates.is_empty()).then_some(Ghost { name, updates })
}

/// What a mention of a mutex does with it.
enum Mention {
    /// It is declared or initialised.
    Nothing,
    /// It is locked or unlocked by the statement that begins at this column.
    Changes { column: usize, is_taken: bool },
}

/// What the mention at a byte of a line does; nothing if that is not known.
fn mention(line: &str, at: usize, mutex: &str) -> Option<Mention> {
    let (before, after) = (line[..at].trim_end(), line[at + mutex.len()..].trim_start());
    let is_declared = before.ends_with("pthread_mutex_t") || before.ends_with("mtx_t");
    if is_declared && (after.starts_with(';') || after.starts_with('=')) {
        return Some(Mention::Nothing);
    }
    let call = before.strip_suffix('&')?.trim_end().strip_suffix('(')?.trim_end();
    let start = call.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    let before_call = call[..start].trim_end();
    let is_statement = before_call.is_empty() || before_call.ends_with([';', '{', '}']);
    let is_taken = match &call[start..] {
        "pthread_mutex_init" if is_plain_init(after) => return Some(Mention::Nothing),
        "pthread_mutex_lock" | "mtx_lock" => true,
        "pthread_mutex_unlock" | "mtx_unlock" => false,
        _ => return None,
    };
    let is_whole = after.strip_prefix(')').is_some_and(|rest| rest.trim_start().starts_with(';'));
    let column = call[..start].chars().count() + 1;
    (is_statement && is_whole).then_some(Mention::Changes { column, is_taken })
}

/// Whether the second argument asks for nothing special.
fn is_plain_init(after: &str) -> bool {
    let Some(second) = after.strip_prefix(',').and_then(|rest| rest.split(')').next()) else { return false };
    matches!(second.trim(), "0" | "NULL") || after.replace(' ', "").starts_with(",((void*)0)")
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_part)
}

/// The words of a line with where they begin.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += line[at..].find(is_part)?;
        let start = at;
        at += line[at..].find(|c: char| !is_part(c)).unwrap_or(line.len() - at);
        Some((start, &line[start..at]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Option<Ghost> {
        let mut sources = Sources::default();
        sources.file("a.c");
        for (at, line) in lines.iter().enumerate() {
            sources.files[0].lines.insert(at as u32 + 1, line.to_string());
        }
        ghost(&sources, "m")
    }

    #[test]
    fn a_mutex_that_is_only_locked_and_unlocked_has_a_ghost() {
        let text =
            ["pthread_mutex_t m = INIT;", "{ pthread_mutex_init(&m, NULL); pthread_mutex_lock(&m);", "mm = m_locked;"];
        let found = of(&text).expect("all is seen");
        assert_eq!(found.name, "m_locked_");
        let places: Vec<(u32, u32, bool)> =
            found.updates.iter().map(|(place, taken)| (place.line, place.column, *taken)).collect();
        assert_eq!(places, [(2, 33, true)]);
    }

    #[test]
    fn whatever_else_is_done_with_it_takes_the_ghost_away() {
        for line in [
            "pthread_cond_wait(&c, &m);",
            "p = &m;",
            "if (pthread_mutex_lock(&m)) x = 1;",
            "if (x) pthread_mutex_unlock(&m);",
            "pthread_mutex_destroy(&m);",
            "pthread_mutex_init(&m, &kind);",
            "pthread_mutex_lock(&m), x = 1;",
        ] {
            assert_eq!(of(&["pthread_mutex_t m;", "pthread_mutex_lock(&m);", line]), None, "{line}");
        }
    }
}
