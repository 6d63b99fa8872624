//! Does any text make the OOX part panic? Programs with a few words or characters changed, read and executed for a moment.
//!
//! Mutants are made of the programs below a folder: characters removed, doubled or replaced, words swapped with words of the same or another
//! program, lines dropped. Whatever can still be read is executed to a small depth, with its traces replayed. A trace that does not
//! replay counts as a failure too.

use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use logic::Prng;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// What came of the mutants.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// How many were tried.
    pub(crate) tried: usize,
    /// How many could be read.
    pub(crate) read: usize,
    /// How many made trouble.
    pub(crate) failed: usize,
}

/// `cargo xtask fuzz --oox --mutants N [--folder F] [--seed S]`; true if nothing panics.
pub(crate) fn run(count: usize, seed: u64, folder: &Path) -> bool {
    let started = Instant::now();
    let tally = mutants(count, seed, folder);
    println!(
        "{} mutants: {} refused, {} executed, {} failed, {:.1} s",
        tally.tried,
        tally.tried - tally.read,
        tally.read,
        tally.failed,
        started.elapsed().as_secs_f64()
    );
    tally.failed == 0
}

/// Tries mutants of all `.oox` files below a folder.
pub(crate) fn mutants(count: usize, seed: u64, folder: &Path) -> Tally {
    let texts = texts_below(folder, "oox");
    let mut tally = Tally::default();
    if texts.is_empty() {
        println!("{}: no .oox files below it", folder.display());
        tally.failed = 1;
        return tally;
    }
    let mut random = Prng::new(seed);
    for number in 0..count {
        let text = mutate(&mut random, &texts);
        tally.tried += 1;
        match catch_unwind(AssertUnwindSafe(|| attempt(&text))) {
            Ok(Ok(is_read)) => tally.read += usize::from(is_read),
            Ok(Err(problem)) => {
                tally.failed += 1;
                println!("mutant {number}: {problem}\n{text}");
            }
            Err(_) => {
                tally.failed += 1;
                println!("mutant {number} panics:\n{text}");
            }
        }
    }
    tally
}

/// The texts of all files below a folder whose names end like this.
pub(crate) fn texts_below(folder: &Path, ending: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                texts.extend(std::fs::read_to_string(&path));
            }
        }
    }
    texts
}

/// Words and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut was_word = None;
    for (at, c) in text.char_indices() {
        let is_word = c.is_alphanumeric() || c == '_';
        if was_word.is_some_and(|was| was != is_word || !is_word) {
            pieces.push(&text[start..at]);
            start = at;
        }
        was_word = Some(is_word);
    }
    pieces.push(&text[start..]);
    pieces
}

/// One of the texts, changed in a few places.
pub(crate) fn mutate(random: &mut Prng, texts: &[String]) -> String {
    let mut text = texts[random.index(texts.len())].clone();
    for _ in 0..1 + random.index(3) {
        let other = &texts[random.index(texts.len())];
        let mut own: Vec<&str> = pieces(&text);
        let at = random.index(own.len());
        let donor = pieces(if random.index(2) == 0 { &text } else { other });
        match random.index(7) {
            0 => drop(own.remove(at)),
            1 => own.insert(at, own[at]),
            2 | 3 => own[at] = donor[random.index(donor.len())],
            4 => {
                let to = random.index(own.len());
                own.swap(at, to);
            }
            5 => {
                const ODD: [&str; 24] = [
                    "null",
                    "0",
                    "-",
                    "1",
                    "this",
                    "retval",
                    "#",
                    "(",
                    ")",
                    "{",
                    "}",
                    "[",
                    "]",
                    "true",
                    "!",
                    "99999999999999999999",
                    "9223372036854775807",
                    "forall v, i : a : v > 0",
                    "\"",
                    "'",
                    "/*",
                    "\u{0}",
                    "é",
                    "super",
                ];
                own[at] = ODD[random.index(ODD.len())];
            }
            _ => {
                let to = (at + random.index(12)).min(own.len());
                own.drain(at..to);
            }
        }
        let changed = own.concat();
        text = changed;
    }
    text
}

/// Reads and executes a text; whether it could be read.
fn attempt(text: &str) -> Result<bool, String> {
    let texts = [("mutant.oox".to_string(), text.to_string())];
    // Every method is an entry; the first few do.
    let Ok(loaded) = frontend::oox::read(&texts, "main").or_else(|_| {
        let name = text.split("static ").nth(1).and_then(|rest| rest.split('(').next()?.split_whitespace().last());
        frontend::oox::read(&texts, name.unwrap_or("main"))
    }) else {
        return Ok(false);
    };
    let budget = Budget::of_time(Duration::from_millis(200));
    let knobs = [("depth", "60"), ("length", "2")];
    let mut run = Run::of(&symbolic::ABOUT, budget, &knobs).expect("the knobs are declared");
    match decide_oox(&loaded.program, &mut run) {
        Decided::Unknown(Why::NotReplayed(error)) => Err(format!("a trace does not replay: {error}")),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mutant_panics() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/oox");
        let tally = mutants(300, 7, &folder);
        assert_eq!(tally.failed, 0, "{tally:?}");
        assert!(tally.read > 30, "{tally:?}");
    }
}
