//! Symbolic execution of OOX programs with monotonic partial order reduction.
//!
//! Known as: symbolic execution [Cadar08]; MPOR in it [Vrooman24].
//!
//! The entry method runs on symbols: numbers are terms, references of the input are decided when somebody looks (`split`), threads are
//! interleaved as far as the reduction says (`dependence`), infeasible paths are dropped with an incremental solver (`world`). `search` walks
//! through the states, `step` and `eval` are what instructions mean on them, `join` keeps short branches in one state, `state_matching` tells when two
//! are the same, `trace` makes a violation concrete for the machine to replay.
//!
//! C programs are not for this engine: their memory is bytes, and what it does best (deciding which references are equal) is about objects.

mod coverage;
mod dependence;
mod difference_logic;
mod eval;
mod join;
mod search;
mod split;
mod state;
mod state_matching;
mod step;
mod terms;
mod trace;
mod world;

use crate::{Engine, Knob, Run};
use ir::oox::{Program, Trace};
use ir::{Properties, Span, Task, Verdict, Why};
use search::{Found, Order, Reduction, Search, Settings};
use world::World;

/// The engine.
pub struct Symbolic;

const POR: Knob = Knob {
    name: "por",
    values: "none|simple|monotonic",
    default: "monotonic",
    help: "explore all orders of steps, all orders of accesses, or one of each set of equivalent ones",
};
const DEPTH: Knob = Knob { name: "depth", values: "N", default: "200", help: "follow paths of so many steps" };
const LENGTH: Knob =
    Knob { name: "length", values: "N", default: "3", help: "the greatest length of arrays that are inputs" };
const ORDER: Knob = Knob {
    name: "order",
    values: "depth|random|distance|mixed",
    default: "depth",
    help: "go on with the newest state, any one, the one nearest to code not yet run, or the last two in turn",
};
const MATCH: Knob = Knob {
    name: "match",
    values: "on|off",
    default: "on",
    help: "do not visit a state again, and join short branches",
};
const SEED: Knob = Knob { name: "seed", values: "N", default: "1", help: "seed of the random order" };

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn describe(&self) -> &'static str {
        "executes OOX programs on symbols, with monotonic partial order reduction"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[POR, DEPTH, LENGTH, ORDER, MATCH, SEED]
    }

    fn properties(&self, _: &Task) -> Properties {
        Properties::NONE
    }

    fn check(&self, _: &Task, _: &mut Run) -> Verdict {
        let what = "the symbolic engine executes OOX programs only".to_string();
        Verdict::Unknown(Why::Unsupported { span: Span::NOWHERE, what })
    }
}

/// The answer about an OOX program, its trace not yet replayed.
#[derive(Clone, PartialEq, Debug)]
pub enum OoxVerdict {
    /// No execution violates anything: every path ended, or came back to a state that was visited.
    Valid {
        /// How many states were scheduled in.
        states: u64,
    },
    /// No execution of that many steps violates anything.
    ValidUpTo {
        /// How many steps.
        depth: u32,
    },
    /// This one does.
    Invalid(Box<Trace>),
    /// Could not be told.
    Unknown(Why),
}

/// Decides an OOX program. The second part says under which bounds on the inputs the answer holds.
pub fn check_oox(program: &Program, run: &mut Run) -> (OoxVerdict, Vec<String>) {
    let number = |run: &Run, knob: &Knob| run.knob(knob).parse::<u64>().unwrap_or(u64::MAX);
    let settings = Settings {
        reduction: match run.knob(&POR) {
            "none" => Reduction::None,
            "simple" => Reduction::Simple,
            _ => Reduction::Monotonic,
        },
        order: match run.knob(&ORDER) {
            "random" => Order::Random,
            "distance" => Order::Distance,
            "mixed" => Order::Mixed,
            _ => Order::Depth,
        },
        depth: number(run, &DEPTH).min(u64::from(u32::MAX / 4)) as u32,
        matches: run.knob(&MATCH) == "on",
        seed: number(run, &SEED),
    };
    let depth = settings.depth;
    let max_length = number(run, &LENGTH).min(1 << 12) as usize;
    let mut search = Search::new(World::new(program, max_length, run.solver_limits()), settings);
    let found = search.run(run);
    let (counts, world) = (&search.counts, &search.world);
    for (name, value) in [
        ("paths", counts.complete + counts.cut),
        ("paths complete", counts.complete),
        ("paths cut at the depth", counts.cut),
        ("paths pruned", counts.pruned),
        ("paths infeasible", counts.infeasible),
        ("branches joined", counts.joined),
        ("states", counts.states),
        ("states matched", counts.matched),
        ("steps", counts.steps),
        ("questions about numbers", world.n_questions),
        ("solver queries", world.n_queries),
        ("solver gave up", world.n_unsolved),
    ] {
        run.statistics.set(name, value as f64);
    }
    run.statistics.set("code covered (%)", search.cover.percent());
    let mut notes = Vec::new();
    if world.has_bounded_length {
        notes.push(format!("array sizes that depend on inputs are at most {max_length} (--symbolic.length)"));
    }
    if world.has_integer_inputs {
        notes.push("integers that are inputs have 32 bits; arithmetic on them is exact".to_string());
    }
    let verdict = match found {
        Found::Violation(trace) => OoxVerdict::Invalid(trace),
        Found::Stopped(why) => OoxVerdict::Unknown(why),
        Found::Nothing if world.n_unsolved > 0 => {
            OoxVerdict::Unknown(Why::Bound(format!("the solver gave up on {} questions", world.n_unsolved)))
        }
        Found::Nothing => match counts.out_of_range {
            Some(span) => OoxVerdict::Unknown(Why::Unsupported {
                span,
                what:
                    "an integer beyond 64 bits, an array of more than 65536 elements, or more than 65535 threads of one"
                        .to_string(),
            }),
            None if counts.is_cut => OoxVerdict::ValidUpTo { depth },
            None => OoxVerdict::Valid { states: counts.states },
        },
    };
    (verdict, notes)
}
