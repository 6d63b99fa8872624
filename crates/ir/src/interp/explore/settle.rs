//! How do threads come to where they wait? The last steps to a state in which some wait for ever.
//!
//! Whoever waits in a large step of a transformed program stands before its start, and the lowered program has smaller steps that
//! still can be taken; a thread about to wait on memory that nobody has written has yet to see what is there. A trace may leave such
//! steps out. They are looked for in a few ways, the most careful first, since others may end the process or run on for ever. Only
//! what the interpreter does counts, so a way that is not taken makes no false trace true.

use super::execution::Execution;
use crate::access::edge_accesses;
use crate::interp::machine::event::Wait;
use crate::interp::machine::event::{InputKind, Inputs, Request, StepResult};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::program::EdgeRef;
use crate::property::Properties;
use logic::{BitVec, Sort, Value};

/// How many steps are added at most.
const MAX_ADDED: usize = 20_000;

/// Finds who waits for ever in a state.
pub(crate) type Stuck<'p> = fn(&Machine<'p>, &State) -> Option<Vec<(u32, Wait)>>;

/// Which steps are taken, and with which inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Way {
    /// Whether only steps that touch nothing shared are.
    is_quiet: bool,
    /// What memory that nobody has written holds.
    unwritten: Unwritten,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unwritten {
    Zero,
    /// One, as in a lock that a thread holds.
    One,
    /// All bits are set.
    Full,
}

const WAYS: [Way; 6] = [
    Way { is_quiet: true, unwritten: Unwritten::Zero },
    Way { is_quiet: true, unwritten: Unwritten::One },
    Way { is_quiet: true, unwritten: Unwritten::Full },
    Way { is_quiet: false, unwritten: Unwritten::Zero },
    Way { is_quiet: false, unwritten: Unwritten::One },
    Way { is_quiet: false, unwritten: Unwritten::Full },
];

/// Lets threads run until some wait for ever, if a way leads there.
pub(crate) fn settle<'p>(execution: &mut Execution<'p>, stuck: Stuck<'p>) {
    while execution.commit_any() {}
    let found = WAYS.iter().find_map(|way| Some((*way, find(&execution.machine, &execution.state, *way, stuck)?)));
    let Some((mut way, steps)) = found else { return };
    for (thread, edge) in steps {
        execution.take(thread, edge, &mut way);
        while execution.commit_any() {}
    }
}

fn find<'p>(machine: &Machine<'p>, first: &State, way: Way, stuck: Stuck<'p>) -> Option<Vec<(u32, EdgeRef)>> {
    let mut state = first.clone();
    let mut steps = Vec::new();
    loop {
        if stuck(machine, &state).is_some() {
            return Some(steps);
        }
        if steps.len() == MAX_ADDED || !advance(machine, &mut state, way, &mut steps) {
            return None;
        }
    }
}

/// Takes some step, of another thread than the last one if there is one: who goes round for ever does not keep the others from what they do.
fn advance(machine: &Machine<'_>, state: &mut State, mut way: Way, steps: &mut Vec<(u32, EdgeRef)>) -> bool {
    let last = steps.last().map(|(thread, _)| *thread);
    let mut enabled = machine.enabled(state);
    enabled.sort_by_key(|(thread, _)| Some(*thread) <= last);
    for (thread, edge) in enabled {
        let mut next = state.clone();
        let result = machine.step(&mut next, thread, edge, &mut way, Properties::NONE, None);
        let stays = state.threads[thread as usize] == next.threads[thread as usize];
        let is_silent = edge_accesses(machine.program, edge).next().is_none();
        if is_silent && stays {
            continue;
        }
        let is_quiet = is_silent || stays;
        if result != StepResult::Ok || (way.is_quiet && !is_quiet) {
            continue;
        }
        while let Some((thread, number)) = machine.commits(&next).first().copied() {
            machine.commit(&mut next, thread, number, None);
        }
        *state = next;
        steps.push((thread, edge));
        return true;
    }
    false
}

impl Inputs for Way {
    fn choose(&mut self, request: &Request) -> Value {
        let is_unwritten = request.kind == InputKind::Unwritten;
        match (request.sort, self.unwritten) {
            (Sort::Bv(width), Unwritten::Full) if is_unwritten => Value::Bv(BitVec::ones(width)),
            (Sort::Bv(width), Unwritten::One) if is_unwritten => Value::bv(width, 1),
            _ => Value::zero(request.sort),
        }
    }
}
