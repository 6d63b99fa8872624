//! Is a correctness witness right? Its invariants hold, and so does what was asked: both are decided by the engines, each in its share of the time.

use super::ghosts;
use super::invariants::{Instrumented, instrument, number};
use super::read::{Ghosts, Invariant};
use crate::deliver::Folder;
use crate::exit::Exit;
use crate::guarded_thread;
use crate::request::Request;
use engines::{Budget, Decided, portfolio, schedule};
use ir::{Properties, Property, Replayed, Task};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

/// What came of it.
pub(super) struct Found {
    pub(super) text: String,
    pub(super) word: &'static str,
    pub(super) exit: Exit,
}

/// Checks the invariants, and then the property.
pub(super) fn check(
    task: &Task,
    (claims, ghosts): (&[Invariant], &Ghosts),
    request: &Request,
    limit: Option<Duration>,
) -> Result<Found, String> {
    let half = limit.map(|limit| limit / 2);
    let mut text =
        format!("a correctness witness with {} invariant{}\n", claims.len(), if claims.len() == 1 { "" } else { "s" });
    let (mut is_known, mut is_wrong) = (true, false);
    if !claims.is_empty() {
        (is_known, is_wrong) = invariants((claims, ghosts), request, half, &mut text)?;
    }
    let asked: Vec<&str> = task.properties.iter().map(Property::describe).collect();
    match decide(task, half)? {
        Decided::Safe(..) => {
            let _ = writeln!(text, "  holds: no {}", asked.join(", no "));
        }
        Decided::Unsafe(replayed) => {
            is_wrong = true;
            let _ = writeln!(text, "  does not hold: {}", replayed.violation.message);
        }
        Decided::Unknown(why) => {
            is_known = false;
            let _ =
                writeln!(text, "  not known: no {}: {}", asked.join(", no "), report::why(&task.program.sources, &why));
        }
    }
    let (word, exit) = match (is_wrong, is_known) {
        (true, _) => ("refuted", Exit::Unsafe),
        (false, true) => ("confirmed", Exit::Safe),
        (false, false) => ("unknown", Exit::Unknown),
    };
    Ok(Found { text, word, exit })
}

/// Whether all invariants are decided, and whether one is wrong; what is to be said about each is added to the text.
fn invariants(
    (claims, ghosts): (&[Invariant], &Ghosts),
    request: &Request,
    limit: Option<Duration>,
    text: &mut String,
) -> Result<(bool, bool), String> {
    let folder = Folder::new("witness").map_err(|error| format!("no temporary folder: {error}"))?;
    let mut options = request.options.clone();
    options.properties = Properties::of(&[Property::Assertion, Property::ErrorCall]);
    let (mut files, mut placed, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (at, path) in request.files.iter().enumerate() {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
        let old = String::from_utf8_lossy(&bytes);
        let updates = ghosts::instrument(path, &old, ghosts)?;
        let declared = ghosts::declared(ghosts, at == 0)?;
        let Instrumented { text, placed: own, refused: not } = instrument(path, &old, claims, (updates, &declared));
        placed.extend(own);
        refused.extend(not);
        let name: PathBuf = path.file_name().map_or_else(|| PathBuf::from("program.c"), PathBuf::from);
        // Files of one name from several folders stay apart.
        let own = folder.folder(&at.to_string()).map_err(|error| error.to_string())?.join(name);
        std::fs::write(&own, text).map_err(|error| format!("{}: cannot be written: {error}", own.display()))?;
        files.push(own);
        options.include.extend(path.parent().map(PathBuf::from));
    }
    let nowhere =
        (0..claims.len()).filter(|number| !placed.contains(number) && !refused.iter().any(|(at, _)| at == number));
    refused.extend(nowhere.map(|number| (number, "it is about another file".to_string())).collect::<Vec<_>>());
    let said = match frontend::load(&files, &options) {
        Ok(loaded) => {
            let task = Task { program: loaded.program, properties: options.properties };
            let decided = if placed.is_empty() { None } else { Some(decide(&task, limit)?) };
            decided.map(|decided| (decided, task))
        }
        Err(rejected) => {
            let first = rejected.diagnostics.first().map_or_else(String::new, |first| first.message.clone());
            return Err(format!("the program with the invariants in it cannot be read: {first}"));
        }
    };
    Ok(tell(claims, &placed, &refused, said, text))
}

fn tell(
    claims: &[Invariant],
    placed: &[usize],
    refused: &[(usize, String)],
    said: Option<(Decided, Task)>,
    text: &mut String,
) -> (bool, bool) {
    let (mut is_known, mut is_wrong) = (refused.is_empty(), false);
    let mut lines: Vec<(usize, String)> =
        refused.iter().map(|(at, why)| (*at, format!("not checked: {why}"))).collect();
    let holds =
        |lines: &mut Vec<(usize, String)>, words: &str| lines.extend(placed.iter().map(|at| (*at, words.to_string())));
    match said {
        None => {}
        Some((Decided::Safe(..), _)) => holds(&mut lines, "holds"),
        Some((Decided::Unsafe(replayed), task)) => match broken(&task, &replayed) {
            Some(number) => {
                is_wrong = true;
                holds(&mut lines, "not known: another one does not hold");
                lines.retain(|(at, _)| *at != number);
                lines.push((number, "DOES NOT HOLD".to_string()));
            }
            // The program itself goes wrong before one of them could.
            None => {
                is_known = false;
                holds(&mut lines, "not known: the program goes wrong");
            }
        },
        Some((Decided::Unknown(why), task)) => {
            is_known = false;
            holds(&mut lines, &format!("not known: {}", report::why(&task.program.sources, &why)));
        }
    }
    lines.sort();
    for (at, words) in lines {
        let claim = &claims[at];
        let kind = if claim.is_loop { "loop" } else { "location" };
        let _ = writeln!(text, "  {words}: {kind} at line {}: {}", claim.line, claim.value);
    }
    (is_known, is_wrong)
}

/// The invariant that an execution breaks.
fn broken(task: &Task, replayed: &Replayed) -> Option<usize> {
    let (_, ending) = report::tell(&task.program, &replayed.log, &replayed.violation, false);
    number(&ending.message).or_else(|| number(&replayed.violation.message))
}

fn decide(task: &Task, limit: Option<Duration>) -> Result<Decided, String> {
    let asks = portfolio::asks(portfolio::ABOUT.name, task, &[])?;
    let budget = Budget::new(limit, None);
    Ok(schedule(&asks, task.properties, guarded_thread::unseen(), &budget, |_| (None, String::new())).decided)
}
