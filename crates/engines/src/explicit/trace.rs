//! How did the search get here? The edges of the lowered program that its stack stands for.
//!
//! Each frame took one edge of the prepared program with some choices; running it again tells the inputs. The edge's
//! origins are the steps, and the inputs belong, in order, to the statements of the origins. The last step may go wrong in the
//! middle of its edge: then the trace ends with the origin that contains the statement.
//!
//! Invariant: replaying the steps on the lowered program reaches the violation; `decide` checks it.

use super::search::{Found, Racer, Search};
use super::state::View;
use super::step::Choices;
use ir::{Program, Property, SiteId, Step, Trace};
use logic::Value;
use std::collections::VecDeque;

/// The trace to what was found.
pub(crate) fn trace(search: &mut Search<'_>, lowered: &Program, found: Found) -> Trace {
    let mut steps = Vec::new();
    let n_frames = search.stack.len();
    let (whole, last) = match &found {
        Found::Step(_, site) => (n_frames - 1, Some(*site)),
        Found::Deadlock | Found::Race(_) => (n_frames - 1, None),
    };
    for index in 0..whole {
        let (thread, edge) = (search.stack[index].thread, search.stack[index].edge);
        let inputs = rerun(search, index, thread, edge, search.stack[index].choices.clone());
        add_steps(search, lowered, thread, edge, inputs, None, &mut steps);
    }
    if let Some(site) = last {
        let frame = &search.stack[n_frames - 1];
        let (thread, edge, choices) = (frame.thread, frame.edge, frame.choices.clone());
        let inputs = rerun(search, n_frames - 1, thread, edge, choices);
        add_steps(search, lowered, thread, edge, inputs, Some(site), &mut steps);
    }
    let violation = match found {
        Found::Step(property, _) => property,
        Found::Deadlock => Property::Deadlock,
        Found::Race(racers) => {
            for Racer { thread, edge, site, choices } in *racers {
                let inputs = rerun(search, n_frames - 1, thread, edge, choices);
                add_steps(search, lowered, thread, edge, inputs, Some(site), &mut steps);
            }
            Property::Race
        }
    };
    Trace { violation, steps }
}

/// The inputs of an edge taken in the state of a frame.
fn rerun(
    search: &mut Search<'_>,
    index: usize,
    thread: usize,
    edge: u32,
    mut choices: Choices,
) -> Vec<(SiteId, Value)> {
    let mut view = View::default();
    let state = search.visited.get(search.stack[index].state);
    search.code.view(state, &mut view);
    search.machine.run(state, &view, thread, edge as usize, &mut choices);
    search.machine.inputs().to_vec()
}

fn add_steps(
    search: &Search<'_>,
    lowered: &Program,
    thread: usize,
    edge: u32,
    inputs: Vec<(SiteId, Value)>,
    until: Option<SiteId>,
    steps: &mut Vec<Step>,
) {
    let mut inputs: VecDeque<(SiteId, Value)> = inputs.into();
    let edge = search.code.program.edge(search.code.edges[edge as usize].edge);
    for origin in &edge.origin {
        let stmts = &lowered.edge(*origin).stmts;
        let mut own = Vec::new();
        for stmt in stmts {
            if inputs.front().is_some_and(|(site, _)| *site == stmt.site) {
                own.extend(inputs.pop_front());
            }
        }
        steps.push(Step { thread: thread as u32, edge: *origin, inputs: own });
        if until.is_some_and(|site| stmts.iter().any(|stmt| stmt.site == site)) {
            break;
        }
    }
}
