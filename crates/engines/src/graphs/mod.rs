//! Can a bad state be reached under a memory model? All execution graphs that its axioms allow are visited, each of them once, and none is remembered.
//!
//! Known as: stateless model checking by execution graphs (GenMC, TruSt) \[Kokologiannakis22], optimal dynamic partial order reduction.
//!
//! Threads are run alone ([`code`], [`code::local`]); what they do that others notice are events of a graph ([`graph`], [`cells`]). Graphs grow event by event ([`explore`]), a later write is offered to
//! earlier reads ([`revisit`]), and the axioms are asked ([`judge`]) where an event closes a circle ([`cycle`]). What `main` does before it starts a thread is run on memory ([`early`]).
//! An execution that goes wrong is told as a trace ([`answer`]), which `engines::decide` replays and judges again.
//!
//! **Models.** Those of `evidence::monotone`: what they forbid of a part of an execution they forbid of the whole, and program order and reads-from have no cycles. So every execution can be built event by
//! event, each read after what it reads, through graphs that are all allowed. That is what the proof of the algorithm asks for. Some models have such cycles, but not for
//! programs in which every read is ordered with the later writes of its thread ([`load_buffering`]); of others the executions without such cycles are visited, and nothing is proved.

mod answer;
mod cells;
mod code;
mod cycle;
mod early;
mod explore;
mod graph;
mod judge;
mod load_buffering;
mod revisit;
#[cfg(test)]
mod tests;

use crate::evidence::monotone::{self, Growing};
use crate::{About, Engine, Kind, Knob, Run};
use cells::Cells;
use code::Code;
use explore::{Counts, Explorer};
use ir::pass::{Options, explicit_fences, forget_owners, prepare};
use ir::{Model, Op, Place, Program, Proof, Properties, Property, RegionId, Span, Task, Verdict, Why};
use judge::Judge;
use load_buffering::overtaking_write;

/// The engine that enumerates execution graphs.
pub struct Graphs;

const EVENTS: Knob = Knob {
    name: "events",
    kind: Kind::Number,
    default: "1000",
    help: "events of one thread at most; a thread that makes more leaves the answer unknown",
};

const COUNT: Knob = Knob {
    name: "count",
    kind: Kind::Flag,
    default: "off",
    help: "say how many executions there are, complete ones and those in which a thread does not go on",
};

/// What checks in the program show.
const LOOKED_FOR: [Property; 7] = [
    Property::ErrorCall,
    Property::Assertion,
    Property::Overflow,
    Property::Division,
    Property::Deref,
    Property::Free,
    Property::Misuse,
];

impl Engine for Graphs {
    fn about(&self) -> &'static About {
        &About {
            name: "graphs",
            describe: "enumerates the execution graphs that a memory model allows, each of them once, and counts them",
            knobs: &[EVENTS, COUNT],
        }
    }

    fn models(&self) -> &'static [Model] {
        &[Model::Sc, Model::Tso, Model::Pso, Model::Cat]
    }

    fn properties(&self, task: &Task) -> Properties {
        let mut known = Properties::of(&LOOKED_FOR);
        if task.never_allocates() {
            // What is never allocated is not lost.
            known = known.union(Properties::of(&[Property::MemTrack, Property::MemCleanup]));
        }
        let asks_races = task.program.model == Model::Cat && task.properties.has(Property::Race);
        if asks_races && monotone::flags_races(&task.program) {
            known = known.with(Property::Race);
        }
        task.properties.both(known)
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        decide(self.properties(task), task, run).unwrap_or_else(Verdict::Unknown)
    }
}

fn decide(properties: Properties, task: &Task, run: &mut Run) -> Result<Verdict, Why> {
    let Growing { axioms, buffers_loads } = monotone::growing(&task.program)?;
    // To axioms every access counts, used or not, as it does where races are looked for.
    let options = Options { blocks: false, ..Options::default() };
    let program = prepare(&explicit_fences(task.program.clone()), task.properties.with(Property::Race), &options)?;
    let program = forget_owners(program);
    run.looked_for = properties;
    let overtaking = overtaking_write(&program).filter(|_| buffers_loads).map(|span| {
        let what = "a write that may take effect before an earlier read of its thread (load buffering)".to_string();
        Why::Unsupported { span, what }
    });
    let compares = axioms.minds_dependencies().then_some(axioms.mapping.uses_exclusives);
    if let (Some(_), Some(span)) = (compares, vague_access(&program)) {
        let what = "an access that may be anywhere, in the engine graphs, where dependencies matter,".to_string();
        return Err(Why::Unsupported { span, what });
    }
    let code = Code::new(&program, properties, compares);
    let max_events = usize::try_from(run.settings.number(&EVENTS)).unwrap_or(usize::MAX);
    let mut explorer = Explorer {
        code: &code,
        judge: Judge::new(&axioms, &code),
        run,
        stack: Vec::new(),
        cells: Cells::default(),
        counts: Counts::default(),
        reason: overtaking,
        max_events,
        asks_races: properties.has(Property::Race),
        seen: None,
    };
    let found = explorer.explore();
    let (counts, n_checks) = (explorer.counts, explorer.judge.n_checks);
    let reason = explorer.reason.take();
    run.statistics.set("executions", counts.complete as f64);
    run.statistics.set("blocked executions", counts.blocked as f64);
    run.statistics.set("events added", counts.events as f64);
    run.statistics.set("revisits", counts.revisits as f64);
    run.statistics.set("judgements", n_checks as f64);
    if run.settings.flag(&COUNT) {
        let Counts { complete, blocked, .. } = counts;
        run.notes.push(format!("{complete} complete executions, {blocked} in which a thread does not go on"));
    }
    let is_buffered = matches!(task.program.model, Model::Tso | Model::Pso);
    match (found?, reason) {
        (Some(_), _) if is_buffered => {
            let name = task.program.model.name();
            let what =
                format!("an execution that goes wrong, told by store buffers (--model {name}.cat tells its graph),");
            Err(Why::Unsupported { span: Span::NOWHERE, what })
        }
        (Some((graph, bad)), _) => Ok(Verdict::Unsafe(answer::trace(&task.program, &code, &graph, &bad))),
        (None, Some(why)) => Err(why),
        (None, None) => Ok(Verdict::Safe(Proof::Exhaustive { states: counts.complete + counts.blocked })),
    }
}

/// The place of an access of which nothing is known, if there is one: then it is not known either what threads do not share.
fn vague_access(program: &Program) -> Option<Span> {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    let is_vague = |place: &Place| matches!(place, Place::Mem { region, .. } if *region == RegionId::ANYWHERE);
    let vague = stmts.find(|stmt| match &stmt.op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => is_vague(place),
        _ => false,
    });
    vague.map(|stmt| stmt.span)
}
