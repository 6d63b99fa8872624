//! Which invariants does a proof have, and where? What a certificate says about each place of the user's text at which a thread can stand.
//!
//! A node says where all threads stand and what holds then. For one place of one thread's function the nodes with a thread there are the ways in which it
//! can be reached, so the disjunction of their formulas holds whenever somebody is there: an invariant in the sense of Owicki and Gries. Where a reduction has left interleavings
//! out (`Certificate::nodes[..].left_out`), the nodes do not contain every state that can be reached, and the disjunction holds only in those that they do:
//! `is_complete` says so, and whoever hands invariants on as facts must ask.

use super::formula::{Reader, Speaker};
use ir::{Certificate, Proof, Sources, Span};
use logic::VarId;
use std::collections::{BTreeMap, BTreeSet};

/// More places are not told, nor more cases of one.
const MOST_PLACES: usize = 200;

/// What holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// The place: what a thread there does next.
    pub span: Span,
    /// The function that it is in.
    pub function: String,
    /// Whether a loop begins there.
    pub is_loop: bool,
    /// The ways to be there: one of these formulas holds.
    pub cases: Vec<String>,
}

/// The certificates of a proof.
pub fn certificates(proof: &Proof) -> Vec<&Certificate> {
    match proof {
        Proof::Abstraction(certificate) => vec![certificate],
        Proof::Parts(parts) => parts.iter().flat_map(|(_, proof)| certificates(proof)).collect(),
        Proof::Threads(_)
        | Proof::Exhaustive { .. }
        | Proof::Unrolled { .. }
        | Proof::Apart { .. }
        | Proof::InOrder { .. } => Vec::new(),
    }
}

/// Whether the nodes contain every state that can be reached.
pub fn is_complete(certificate: &Certificate) -> bool {
    certificate.nodes.iter().all(|node| node.left_out.is_empty())
}

/// What a proof says about the places of a program, in words for people, loops first.
pub fn invariants(sources: &Sources, proof: &Proof) -> Vec<Invariant> {
    let all = certificates(proof).into_iter().flat_map(|certificate| of_certificate(sources, certificate));
    let mut all: Vec<Invariant> = all.collect();
    all.sort_by_key(|invariant| (!invariant.is_loop, invariant.span));
    all.truncate(MOST_PLACES);
    all.sort_by_key(|invariant| invariant.span);
    all
}

/// The part of a mutex that says whether it is taken.
const WORD: &str = ".__data.__lock";

/// The mutexes of a program by the variables that hold their state.
pub fn locks(certificate: &Certificate) -> BTreeMap<VarId, String> {
    let program = &certificate.program;
    let lock = |var: VarId| Some((var, program.pool.var_name(var).strip_suffix(WORD)?.to_string()));
    (0..program.vars.len()).filter_map(|at| lock(VarId(at as u32))).collect()
}

fn of_certificate(sources: &Sources, certificate: &Certificate) -> Vec<Invariant> {
    let program = &certificate.program;
    let speaker = Speaker::new(certificate, Reader::Person).with_locks(locks(certificate));
    let mut said: BTreeMap<Span, (String, bool, Option<BTreeSet<String>>)> = BTreeMap::new();
    for node in &certificate.nodes {
        let mut formula = None;
        for standing in node.threads.iter().filter(|standing| !standing.has_ended) {
            let proc = program.proc(standing.proc);
            let Some(loc) = proc.locs.get(standing.loc.index()) else { continue };
            if !loc.span.is_known() || sources.is_model(loc.span) {
                continue;
            }
            let formula = formula.get_or_insert_with(|| speaker.weakened(node.formula));
            let place = Span { column: 0, end_column: 0, ..loc.span };
            let (_, is_loop, cases) =
                said.entry(place).or_insert_with(|| (proc.name.clone(), false, Some(BTreeSet::new())));
            *is_loop |= loc.is_loop_head;
            match (formula, cases.as_mut()) {
                (Some(formula), Some(cases)) => {
                    cases.insert(formula.clone());
                }
                // Nothing is known in one of the ways to be there.
                (None, _) => *cases = None,
                (_, None) => {}
            }
        }
    }
    let told = said.into_iter().filter_map(|(span, (function, is_loop, cases))| {
        let cases: Vec<String> = cases?.into_iter().collect();
        (!cases.is_empty()).then_some(Invariant { span, function, is_loop, cases })
    });
    told.collect()
}
