//! Which evidence can be handed to another tool? Witnesses in the formats of SV-COMP: GraphML 1.0 and YAML 2.x.
//!
//! A violation witness says what a validator cannot guess: where threads are started, what inputs were, where the thread changes, and where it goes wrong. Nothing
//! more, because validators fail on what they cannot place: values of variables follow from these. A correctness witness has the invariants of a
//! proof at loop heads, as expressions of C, with ghosts for locks ([`ghosts`](mod@ghosts)). Where the proof leaves interleavings out its formulas are no facts about every reachable state, and none is handed on.
//!
//! Known as: verification witnesses \[Beyer22]; the part of YAML 2.2 about threads is taken as Theta and CPAchecker read it.

mod ghosts;
mod graphml;
mod places;
mod yaml;

pub use ghosts::Ghost;
pub use graphml::graphml;
pub use yaml::yaml;

use crate::answer::{Answer, Outcome};
use crate::proof::formula::{Reader, Speaker};
use crate::proof::invariants::{certificates, is_complete};
use crate::story::{Effect, Ending, Role, Story};
use ir::{DataModel, Property, Sources, Span};
use logic::VarId;
use std::collections::{BTreeMap, BTreeSet};

/// More points that a thread passes before it is left are not told but for the last.
const MOST_PASSED: usize = 2_000;

/// What a witness says about where it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// The program: each file with the SHA-256 of its content.
    pub files: Vec<(String, String)>,
    /// Sizes of C types.
    pub data_model: DataModel,
    /// A name for this witness.
    pub uuid: String,
    /// ISO 8601.
    pub creation_time: String,
    /// What was asked, as a property file says it.
    pub specification: String,
}

/// A place in the user's text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// As the program's files are named.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

/// A point that the execution passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// Who, by number: 0 is the first thread, others in the order in which they were started.
    pub thread: usize,
    /// Where.
    pub place: Place,
    /// What happens there.
    pub kind: Kind,
}

/// What happens at a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A thread is started, which runs this function; the place is the closing parenthesis of the call.
    Starts {
        /// The new thread's number.
        child: usize,
        /// What it runs.
        function: String,
    },
    /// A function of inputs returns this value; the place is the closing parenthesis of the call.
    Returns {
        /// The function.
        function: String,
        /// The value.
        value: String,
    },
    /// The thread begins to run, or goes on, with this statement.
    Passes,
    /// What must not happen does.
    Target,
}

/// An invariant of a loop.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Claim {
    /// The keyword of the loop, or its first statement if it has no condition.
    pub place: Place,
    /// Whether it is the keyword.
    pub is_loop: bool,
    /// The function that it is in.
    pub function: String,
    /// An expression of C that holds whenever the loop's condition is about to be evaluated, or the statement to run.
    pub expression: String,
}

/// The evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// The points of an execution in order; those of one segment (a race) in none.
    Violation {
        /// How many threads there are.
        n_threads: usize,
        /// The property that is violated.
        property: Property,
        /// In order.
        segments: Vec<Vec<Point>>,
    },
    /// Invariants, and the ghosts that they mention; there may be none.
    Correctness(Vec<Claim>, Vec<Ghost>),
}

/// The evidence of an answer, with ghosts for locks if the format knows them; an error in words if it has none.
pub fn witness(answer: &Answer, has_ghosts: bool) -> Result<Witness, String> {
    match &answer.outcome {
        Outcome::Unsafe { story, ending } => Ok(Witness::Violation {
            n_threads: story.threads.len(),
            property: ending.property,
            segments: segments(&answer.sources, story, ending),
        }),
        Outcome::Safe(proof) => {
            let (mut claimed, mut told) = (BTreeSet::new(), BTreeSet::new());
            for certificate in certificates(proof).into_iter().filter(|certificate| is_complete(certificate)) {
                let ghosts = if has_ghosts { ghosts::ghosts(&answer.sources, certificate) } else { BTreeMap::new() };
                let own = claims(&answer.sources, certificate, &ghosts);
                let is_told = |ghost: &Ghost| own.iter().any(|claim| mentions(&claim.expression, &ghost.name));
                told.extend(ghosts.values().filter(|ghost| is_told(ghost)).cloned());
                claimed.extend(own);
            }
            Ok(Witness::Correctness(claimed.into_iter().collect(), told.into_iter().collect()))
        }
        _ => Err("there is no witness for an answer that decides nothing".to_string()),
    }
}

/// The question as a property file has it; none for what SV-COMP has no words for.
pub fn specification(property: Property, entry: &str) -> Option<String> {
    let formula = match property {
        Property::ErrorCall | Property::Assertion => "G ! call(reach_error())",
        Property::Race => "G ! data-race",
        Property::Deadlock => "G ! deadlock",
        Property::Deref => "G valid-deref",
        Property::Free => "G valid-free",
        Property::MemTrack => "G valid-memtrack",
        Property::MemCleanup => "G valid-memcleanup",
        Property::Overflow => "G ! overflow",
        Property::Termination => "F end",
        Property::Division | Property::Misuse | Property::Liveness => return None,
    };
    Some(format!("CHECK( init({entry}()), LTL({formula}) )"))
}

fn segments(sources: &Sources, story: &Story, ending: &Ending) -> Vec<Vec<Point>> {
    let mut segments: Vec<Vec<Point>> = Vec::new();
    let mut running = 0;
    // The row of the last point.
    let mut told = None;
    for (at, row) in story.rows.iter().enumerate() {
        let thread = row.thread;
        if thread != running {
            segments.extend(left_at(sources, story, at, told));
            let place = places::statement(sources, row.span);
            segments.extend(place.map(|place| vec![Point { thread, place, kind: Kind::Passes }]));
            told = Some(at);
        }
        running = thread;
        let mut n_inputs = 0;
        for effect in &row.effects {
            let point = match effect {
                Effect::Start { thread: name } => {
                    let child = story.threads.iter().position(|other| other == name);
                    let function = name.rsplit(' ').next().unwrap_or(name).to_string();
                    let place = places::call(sources, row.span, &["pthread_create", "thrd_create"], 0);
                    child.zip(place).map(|(child, (place, _))| (place, Kind::Starts { child, function }))
                }
                Effect::Input { value } => {
                    let place = places::call(sources, row.span, &["__VERIFIER_nondet_"], n_inputs);
                    n_inputs += 1;
                    let is_number = value.parse::<i128>().is_ok();
                    let found = place.filter(|_| is_number);
                    found.map(|(place, function)| (place, Kind::Returns { function, value: value.clone() }))
                }
                _ => None,
            };
            if let Some((place, kind)) = point {
                segments.push(vec![Point { thread, place, kind }]);
                told = Some(at);
            }
        }
    }
    segments.push(targets(sources, ending));
    segments
}

/// How far the thread before a row has come since the row of the last point, where that is more than this point says: a validator need not guess when to leave it. In a loop the line where it
/// is left may be passed before; then so many times, and between them what comes after it.
fn left_at(sources: &Sources, story: &Story, at: usize, told: Option<usize>) -> Vec<Vec<Point>> {
    let Some(last) = story.rows[..at].last() else { return Vec::new() };
    let start = told.unwrap_or(0);
    let mut lines: Vec<Span> = Vec::new();
    for row in &story.rows[start..at] {
        if lines.last().is_none_or(|line| line.line != row.span.line) {
            lines.push(row.span);
        }
    }
    let n_known = usize::from(told.is_some());
    let is_end = |span: &Span| span.line == last.span.line;
    let is_after_end = |at: usize| at.checked_sub(1).and_then(|before| lines.get(before)).is_some_and(is_end);
    let passed = lines.iter().enumerate().skip(n_known).filter(|(at, span)| is_end(span) || is_after_end(*at));
    let point = |span: Span| {
        let place = places::statement(sources, span)?;
        Some(vec![Point { thread: last.thread, place, kind: Kind::Passes }])
    };
    let all: Vec<Vec<Point>> = passed.filter_map(|(_, span)| point(*span)).collect();
    if all.len() > MOST_PASSED { all.into_iter().next_back().into_iter().collect() } else { all }
}

/// Where it goes wrong: two places for a race.
fn targets(sources: &Sources, ending: &Ending) -> Vec<Point> {
    let target = |thread: Option<usize>, span: Span| {
        let place = places::statement(sources, span)?;
        Some(Point { thread: thread.unwrap_or(0), place, kind: Kind::Target })
    };
    let accesses = ending.details.iter().filter(|detail| matches!(detail.role, Role::Access { .. }));
    let both: Vec<Point> = accesses.filter_map(|detail| target(detail.thread, detail.span)).collect();
    if both.is_empty() { target(ending.thread, ending.span).into_iter().collect() } else { both }
}

/// Whether an expression has this word.
fn mentions(expression: &str, word: &str) -> bool {
    expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other == word)
}

/// The invariants of the loops that a certificate has something to say about; its nodes contain every state that can be reached.
fn claims(sources: &Sources, certificate: &ir::Certificate, ghosts: &BTreeMap<VarId, Ghost>) -> Vec<Claim> {
    let program = &certificate.program;
    let locks: BTreeMap<VarId, String> = ghosts.iter().map(|(var, ghost)| (*var, ghost.name.clone())).collect();
    // For each loop head what holds in each of the ways to be there; `None` where one of them says nothing.
    let mut said: BTreeMap<Span, (String, Option<BTreeSet<String>>)> = BTreeMap::new();
    for node in &certificate.nodes {
        for (thread, standing) in node.threads.iter().enumerate().filter(|(_, standing)| !standing.has_ended) {
            let proc = program.proc(standing.proc);
            let Some(loc) = proc.locs.get(standing.loc.index()) else { continue };
            if !loc.is_loop_head || !loc.span.is_known() || sources.is_model(loc.span) {
                continue;
            }
            let (_, cases) = said.entry(loc.span).or_insert_with(|| (proc.name.clone(), Some(BTreeSet::new())));
            let speaker =
                Speaker::new(certificate, Reader::Thread(thread as u32)).with_locks(locks.clone()).at(loc.span);
            match (speaker.weakened(node.formula), cases.as_mut()) {
                (Some(formula), Some(cases)) => drop(cases.insert(formula)),
                (None, _) => *cases = None,
                (_, None) => {}
            }
        }
    }
    let claim = |(span, (function, cases)): (Span, (String, Option<BTreeSet<String>>))| {
        let cases = cases.filter(|cases| !cases.is_empty() && cases.len() <= 16)?;
        let (place, is_loop) = places::head_of_loop(sources, span)?;
        let expression = match cases.len() {
            1 => cases.into_iter().next()?,
            _ => cases.iter().map(|case| format!("({case})")).collect::<Vec<_>>().join(" || "),
        };
        Some(Claim { place, is_loop, function, expression })
    };
    said.into_iter().filter_map(claim).collect()
}

#[cfg(test)]
mod tests;
