//! What should have been known between the steps of a path that cannot be taken? Interpolants, by several techniques.
//!
//! Known as: Craig interpolation, sequence interpolants \[Henzinger04], Newton refinement \[Dietsch17], Horn clauses.
//!
//! A sequence has a formula for each cut, each of which leads to the next. If no technique finds one, each cut is tried by itself, since what cannot be
//! expressed at one cut often can at another. A binary interpolant is about one cut alone: forward, where the path first becomes impossible;
//! backward, the last one after which it still is. All results are checked by `smt::interpolate`.

use super::cells::Cells;
use logic::{Node, Op, Sort, TermId};
use rustc_hash::FxHashSet;
use smt::{Answer, Arithmetic, Backend, Direction, Limits, Method, NoInterpolants, Solver, Why};
use std::time::{Duration, Instant};

/// How interpolants are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// A sequence, whichever way works first.
    Sequence,
    /// A sequence by strongest postconditions or weakest preconditions of what the contradiction needs.
    Newton(Direction),
    /// One interpolant at one cut.
    Binary(Direction),
    /// A sequence by Horn clauses. Asked only where the user says so: on some paths over words Z3 4.8.12 ends the whole process.
    Horn,
}

/// Time for one attempt.
const ATTEMPT: Duration = Duration::from_secs(3);

/// Interpolants of a path, with the number of the formula before each; none if there is no way to find them.
pub fn interpolants(
    cells: &mut Cells<'_>,
    path: &[TermId],
    technique: Technique,
    limits: &Limits,
) -> Result<Vec<(usize, TermId)>, Why> {
    let own = Limits { time: Some(ATTEMPT), ..limits.clone() };
    let sequence = |terms: Vec<TermId>| terms.into_iter().enumerate().collect::<Vec<_>>();
    let (forward, backward) = (Method::Newton(Direction::Forward), Method::Newton(Direction::Backward));
    match technique {
        Technique::Newton(direction) => {
            return Ok(attempt(cells, path, Method::Newton(direction), &own)?.map_or(Vec::new(), sequence));
        }
        Technique::Horn => return Ok(attempt(cells, path, Method::Horn, &own)?.map_or(Vec::new(), sequence)),
        Technique::Binary(direction) => {
            let cut = binary_cut(cells, path, direction, &own);
            return Ok(at_cut(cells, path, cut, &own)?.into_iter().collect());
        }
        Technique::Sequence => {}
    }
    for direction in [backward, forward] {
        if let Some(terms) = attempt(cells, path, direction, &own)? {
            return Ok(sequence(terms));
        }
    }
    let started = Instant::now();
    let mut found = Vec::new();
    for cut in (1..path.len()).rev() {
        if started.elapsed() > ATTEMPT {
            break;
        }
        found.extend(at_cut(cells, path, cut, &own)?);
    }
    Ok(found)
}

fn attempt(
    cells: &mut Cells<'_>,
    path: &[TermId],
    method: Method,
    limits: &Limits,
) -> Result<Option<Vec<TermId>>, Why> {
    match smt::interpolate(&mut cells.pool, path, method, Arithmetic::BitVectors, limits) {
        Ok(found) => Ok(Some(found.terms)),
        Err(NoInterpolants::Unknown(why @ (Why::Cancelled | Why::Memory))) => Err(why),
        Err(_) => Ok(None),
    }
}

/// An interpolant at one cut: of all before it and all after it.
fn at_cut(cells: &mut Cells<'_>, path: &[TermId], cut: usize, limits: &Limits) -> Result<Option<(usize, TermId)>, Why> {
    let (before, after) = (cells.pool.and_all(&path[..cut]), cells.pool.and_all(&path[cut..]));
    for direction in [Direction::Forward, Direction::Backward] {
        if let Some(terms) = attempt(cells, &[before, after], Method::Newton(direction), limits)? {
            return Ok(Some((cut - 1, terms[0])));
        }
    }
    Ok(None)
}

/// Forward, the cut before the first formula with which the path cannot be taken; backward, the one after the last formula from which it cannot.
fn binary_cut(cells: &Cells<'_>, path: &[TermId], direction: Direction, limits: &Limits) -> usize {
    let cannot = |part: &[TermId]| {
        let mut solver = Solver::new(Backend::Bits);
        solver.set_limits(limits.clone());
        matches!(solver.check(&cells.pool, part), Answer::Unsat(_))
    };
    let last = path.len() - 1;
    match direction {
        Direction::Forward => (1..last).find(|cut| cannot(&path[..=*cut])).unwrap_or(last),
        Direction::Backward => (0..last).rev().find(|first| cannot(&path[*first..])).map_or(1, |first| first + 1),
    }
}

/// The formulas without connectives that a formula is made of.
pub(crate) fn atoms(cells: &Cells<'_>, formula: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut open = vec![formula];
    let mut seen = FxHashSet::default();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match cells.pool.node(term) {
            Node::App { op: Op::And | Op::Or | Op::Not, args } => open.extend(args.iter().rev()),
            Node::App { op: Op::Ite, args } if cells.pool.sort(term) == Sort::Bool => open.extend(args.iter().rev()),
            Node::App { op: Op::Eq, args } if cells.pool.sort(args[0]) == Sort::Bool => {
                open.extend(args.iter().rev());
            }
            Node::Const(_) => {}
            _ => found.push(term),
        }
    }
    found
}
