//! Does any text make the OOX part panic? Programs with a few words or characters changed, read and executed for a moment.
//!
//! Mutants are made of the cases. Whatever can still be read is executed to a small depth, with its traces replayed. A trace that does not
//! replay counts as a failure too.

use super::super::mutate::{mutate, texts_below};
use super::super::subject::{Counts, Fault, Subject, Wrong};
use super::{Text, wrong};
use engines::{Budget, Decided, Run, decide_oox, symbolic};
use ir::Why;
use logic::Prng;
use std::path::Path;
use std::time::Duration;

/// The mutant of a seed.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    let texts = texts_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/oox"), "oox");
    let mut random = Prng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Box::new(Text(mutate(&mut random, &texts)))
}

/// Reads and executes a text.
pub(in super::super) fn judge(subject: &dyn Subject, _: u64, counts: &mut Counts) -> Option<Wrong> {
    let text = subject.text();
    let texts = [("mutant.oox".to_string(), text.clone())];
    counts.programs += 1;
    // Every method is an entry; one of the first does.
    let Ok(loaded) = frontend::oox::read(&texts, "main").or_else(|_| {
        let name = text.split("static ").nth(1).and_then(|rest| rest.split('(').next()?.split_whitespace().last());
        frontend::oox::read(&texts, name.unwrap_or("main"))
    }) else {
        counts.note_unknown("the front end", "refused");
        return None;
    };
    let budget = Budget::of_time(Duration::from_millis(200));
    let run = Run::of(&symbolic::ABOUT, budget, &[("depth", "60"), ("length", "2")]);
    match decide_oox(&loaded.program, &mut run.expect("the knobs are declared")) {
        Decided::Unknown(Why::NotReplayed(what)) => return wrong("symbolic", None, Fault::Replay, what),
        Decided::Unknown(Why::Depth(_)) | Decided::Safe(..) | Decided::Unsafe(_) => counts.agree += 1,
        Decided::Unknown(why) => counts.note_unknown("symbolic", &format!("{why:?}")),
    }
    None
}
