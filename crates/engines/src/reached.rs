//! How far is an engine? What it counts while it works, for whoever asks meanwhile: the line on the terminal, and the answer when time is over.
//!
//! An engine says what it has reached as it goes, so that nothing is lost when it is ended in the middle of a step that asks nobody.

use ir::Properties;
use std::sync::{Arc, Mutex};

/// What one engine has reached.
#[derive(Clone, Debug, Default)]
pub struct Reached(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    counts: Vec<(&'static str, u64)>,
    note: Option<String>,
    bounded: Option<Bounded>,
}

/// What is known though loops go on: nothing is wrong as long as none goes round more often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounded {
    /// How often every loop may go round.
    pub rounds: u32,
    /// What was looked for.
    pub properties: Properties,
    /// What needs more, in words: `loop at a.c:3`.
    pub open: String,
}

impl Reached {
    /// Sets a number; its name is put behind it: `12 states`.
    pub fn count(&self, name: &'static str, value: u64) {
        let Ok(mut state) = self.0.lock() else { return };
        match state.counts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count = value,
            None => state.counts.push((name, value)),
        }
    }

    /// Says what is in the way, in words.
    pub fn note(&self, note: String) {
        if let Ok(mut state) = self.0.lock() {
            state.note = Some(note);
        }
    }

    /// Says what is known up to a number of rounds.
    pub fn bound(&self, bounded: Bounded) {
        if let Ok(mut state) = self.0.lock() {
            state.bounded = Some(bounded);
        }
    }

    /// What is known up to a number of rounds, if anything is.
    pub fn bounded(&self) -> Option<Bounded> {
        self.0.lock().ok().and_then(|state| state.bounded.clone())
    }

    /// The numbers in one line.
    pub fn counts(&self) -> String {
        let Ok(state) = self.0.lock() else { return String::new() };
        state.counts.iter().map(|(name, value)| format!("{value} {name}")).collect::<Vec<_>>().join(", ")
    }

    /// All of it in one line.
    pub fn text(&self) -> String {
        let counts = self.counts();
        let note = self.0.lock().ok().and_then(|state| state.note.clone());
        [counts, note.unwrap_or_default()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// Everybody who is or was at work.
#[derive(Clone, Debug, Default)]
pub struct Board(Arc<Mutex<Vec<Entry>>>);

/// Who, and how far.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The engine with its settings, as they are typed.
    pub title: String,
    /// What it has reached.
    pub reached: Reached,
    /// Whether it works.
    pub is_busy: bool,
}

impl Board {
    /// Somebody begins.
    pub fn begin(&self, title: &str) -> Reached {
        let reached = Reached::default();
        if let Ok(mut entries) = self.0.lock() {
            entries.push(Entry { title: title.to_string(), reached: reached.clone(), is_busy: true });
        }
        reached
    }

    /// Somebody has ended.
    pub fn end(&self, reached: &Reached) {
        if let Ok(mut entries) = self.0.lock() {
            let is_it = |entry: &&mut Entry| Arc::ptr_eq(&entry.reached.0, &reached.0);
            entries.iter_mut().filter(is_it).for_each(|entry| entry.is_busy = false);
        }
    }

    /// All of them, in the order in which they began.
    pub fn entries(&self) -> Vec<Entry> {
        self.0.lock().map_or_else(|_| Vec::new(), |entries| entries.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reached_can_be_read_meanwhile() {
        let board = Board::default();
        let one = board.begin("explicit");
        one.count("states", 1);
        one.count("deep", 7);
        one.count("states", 12);
        assert_eq!(board.entries()[0].reached.text(), "12 states, 7 deep");
        one.note("the loop at a.c:3 goes on".to_string());
        assert_eq!(one.text(), "12 states, 7 deep; the loop at a.c:3 goes on");
        let other = board.begin("bmc");
        board.end(&one);
        let busy: Vec<bool> = board.entries().iter().map(|entry| entry.is_busy).collect();
        assert_eq!((busy, other.text()), (vec![false, true], String::new()));
    }
}
