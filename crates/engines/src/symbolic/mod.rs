//! Symbolic execution of OOX programs with monotonic partial order reduction.
//!
//! Known as: symbolic execution \[Cadar08]; MPOR in it \[Vrooman24].
//!
//! The entry method runs on symbols: numbers are terms, references of the input are decided when somebody looks (`state::split`), threads are
//! interleaved as far as the reduction says (`search::dependence`), infeasible paths are dropped with an incremental solver ([`world`]). [`search`] walks
//! through the states, [`step`] is what instructions mean on them (`step::join` keeps short branches in one state), [`values`] are the terms, `state::matching` tells when two
//! are the same, `search::trace` makes a violation concrete for the machine to replay.
//!
//! C programs are not for this engine: their memory is bytes, and what it does best (deciding which references are equal) is about objects.

mod search;
mod state;
mod step;
mod values;
mod world;

use crate::{About, Kind, Knob, Run};
use ir::oox::{Program, Trace};
use ir::{Proof, Verdict, Why};
use search::{Found, Reduction, Search, SearchOrder, Settings};
use world::World;

/// The engine, as the command line shows it.
pub const ABOUT: About = About {
    name: "symbolic",
    describe: "executes OOX programs on symbols, with monotonic partial order reduction",
    knobs: &[POR, LOCAL, DEPTH, LENGTH, ORDER, MATCH, SEED],
};

const POR: Knob = Knob {
    name: "por",
    kind: Kind::Choice(&["none", "simple", "monotonic"]),
    default: "monotonic",
    help: "explore all orders of steps, all orders of accesses, or one of each set of equivalent ones",
};
const LOCAL: Knob = Knob {
    name: "local",
    kind: Kind::Flag,
    default: "on",
    help: "a scheduled step takes along the steps behind it that nobody notices; without, each of them is scheduled like all others",
};
const DEPTH: Knob = Knob { name: "depth", kind: Kind::Number, default: "200", help: "follow paths of so many steps" };
const LENGTH: Knob =
    Knob { name: "length", kind: Kind::Number, default: "3", help: "the greatest length of arrays that are inputs" };
const ORDER: Knob = Knob {
    name: "order",
    kind: Kind::Choice(&["depth", "random", "distance", "mixed"]),
    default: "depth",
    help: "go on with the newest state, any one, the one nearest to code not yet run, or the last two in turn",
};
const MATCH: Knob = Knob {
    name: "match",
    kind: Kind::Flag,
    default: "on",
    help: "do not visit a state again, and join short branches",
};
const SEED: Knob = Knob { name: "seed", kind: Kind::Number, default: "1", help: "seed of the random order" };

/// Decides an OOX program; the trace of an unsafe verdict is not yet replayed. Bounds on the inputs that it holds under are notes of the run.
pub fn check_oox(program: &Program, run: &mut Run) -> Verdict<Box<Trace>> {
    let settings = Settings {
        reduction: match run.word(&POR) {
            "none" => Reduction::None,
            "simple" => Reduction::Simple,
            "monotonic" => Reduction::Monotonic,
            other => unreachable!("{other} is not declared"),
        },
        order: match run.word(&ORDER) {
            "depth" => SearchOrder::Depth,
            "random" => SearchOrder::Random,
            "distance" => SearchOrder::Distance,
            "mixed" => SearchOrder::Mixed,
            other => unreachable!("{other} is not declared"),
        },
        takes_local: run.settings.flag(&LOCAL),
        depth: run.settings.number(&DEPTH).min(u64::from(u32::MAX / 4)) as u32,
        matches: run.settings.flag(&MATCH),
        seed: run.settings.number(&SEED),
    };
    let depth = settings.depth;
    let max_length = run.settings.number(&LENGTH).min(1 << 12) as usize;
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
    if world.has_bounded_length {
        run.bounds.push(format!("array sizes that depend on inputs are at most {max_length} (--symbolic.length)"));
    }
    if world.has_integer_inputs {
        run.bounds.push("integers that are inputs have 32 bits; arithmetic on them is exact".to_string());
    }
    match found {
        Found::Violation(trace) => Verdict::Unsafe(trace),
        Found::Stopped(why) => Verdict::Unknown(why),
        Found::Nothing if world.n_unsolved > 0 => {
            Verdict::Unknown(Why::Bound(format!("the solver gave up on {} questions", world.n_unsolved)))
        }
        Found::Nothing => match counts.out_of_range {
            Some(span) => Verdict::Unknown(Why::Unsupported {
                span,
                what:
                    "an integer beyond 64 bits, an array of more than 65536 elements, or more than 65535 threads of one"
                        .to_string(),
            }),
            None if counts.is_cut => Verdict::Unknown(Why::Depth(depth)),
            None => Verdict::Safe(Proof::Exhaustive { states: counts.states }),
        },
    }
}
