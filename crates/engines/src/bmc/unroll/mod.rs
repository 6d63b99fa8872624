//! How does a program become guarded events? All its threads are executed symbolically, with loops unrolled on the way.
//!
//! Known as: loop unwinding with symbolic execution, as in CBMC's and Dartagnan's front ends.
//!
//! [`executor`] owns what is worked on, [`symbolic_execution`] goes through the copies of locations in the order that [`control_flow`] gives,
//! [`step`] and [`statements`] say what an edge does to a [`state`], [`merging`] makes one state of several, [`path_conditions`] are the guards. [`finish`] puts
//! the unrolled program together. Some reductions rest on what an unrolling turns out to be, so a bound may be unrolled more than once.

pub(crate) mod control_flow;
pub(crate) mod executor;
pub(crate) mod finish;
pub(crate) mod merging;
pub(crate) mod path_conditions;
pub(crate) mod start_and_join;
pub(crate) mod state;
pub(crate) mod statements;
pub(crate) mod step;
pub(crate) mod symbolic_execution;
pub(crate) mod threads;

use super::accesses::event_graph::EventGraph;
use super::accesses::objects::Objects;
use super::accesses::places::Places;
use super::accesses::write_log::Logs;
use super::locks::critical_sections::Sections;
use super::reductions::Known;
use super::reductions::forwarding::Forwarding;
use super::reductions::judgement::Judgement;
use super::reductions::lipton_reduction::PutOff;
use super::unrolled::{Findings, Unrolled};
use crate::Run;
use control_flow::Flow;
use executor::{Bounds, Control, Executor, Memory};
use ir::pass::{PointsTo, Sharing, orders_others};
use ir::{Op, Place, Program, Properties, Property, RegionId, Why};
use logic::VarId;
use memory::events::START;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use threads::Threads;

/// What came of an attempt to unroll.
enum Attempt {
    Done(Box<Unrolled>),
    /// More is known now, or something was taken for granted that does not hold.
    Again,
    /// Rounds of loops were left out because of locks that are not kept.
    Unkept,
}

/// Unrolls a prepared program, with what is known of cells from earlier bounds.
pub(crate) fn unroll(
    program: &Program,
    properties: Properties,
    bounds: &Bounds,
    known: &mut Known,
    run: &mut Run,
) -> Result<Unrolled, Why> {
    // Where threads do not take turns, giving a lock back is not seen at once.
    let mut trusts_locks = program.model == ir::Model::Sc;
    let mut n = 0;
    loop {
        n += 1;
        match attempt(program, properties, bounds, (n, trusts_locks), known, run)? {
            Attempt::Done(unrolled) => return Ok(*unrolled),
            Attempt::Again => {}
            Attempt::Unkept => trusts_locks = false,
        }
    }
}

fn attempt(
    program: &Program,
    properties: Properties,
    bounds: &Bounds,
    (number, trusts_locks): (u32, bool),
    known: &mut Known,
    run: &mut Run,
) -> Result<Attempt, Why> {
    let mut pool = program.pool.clone();
    let flows = program.procs.iter().map(|proc| Rc::new(Flow::new(program, proc))).collect();
    let sharing = Sharing::new(program);
    let places = Places::new(program, &sharing, &PointsTo::new(program), bounds.by_cells);
    let starts = |proc: &ir::Proc| {
        proc.edges.iter().flat_map(|edge| &edge.stmts).any(|stmt| matches!(stmt.op, Op::Start { .. }))
    };
    let many_creators = program.procs.iter().enumerate().any(|(i, proc)| i != program.main.index() && starts(proc));
    let objects = Objects::new(program, &mut pool);
    let has_last = properties.has(Property::Deadlock);
    let executor = Executor {
        program,
        properties,
        control: Control { flows, bounds, run },
        graph: EventGraph::new(pool, places, Sections::new(trusts_locks), program.model, has_last),
        memory: Memory { sharing, objects, logs: Logs::default(), ordering: ordering(program) },
        threads: Threads::new(many_creators),
        forwarding: Forwarding::new(),
        put_off: PutOff::default(),
        known,
        found: Findings::default(),
    };
    execute(executor, number)
}

/// The places whose accesses order what stands around them, where axioms judge.
fn ordering(program: &Program) -> (FxHashSet<VarId>, FxHashSet<RegionId>) {
    let (mut vars, mut regions) = (FxHashSet::default(), FxHashSet::default());
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = &stmt.op else { continue };
        match place {
            _ if !orders_others(program, &stmt.op) => {}
            Place::Var(var) => drop(vars.insert(*var)),
            Place::Mem { region, .. } => drop(regions.insert(*region)),
        }
    }
    (vars, regions)
}

/// Executes main, and with it all threads, and looks whether what was taken for granted holds.
fn execute(mut executor: Executor<'_>, number: u32) -> Result<Attempt, Why> {
    let (program, properties) = (executor.program, executor.properties);
    let handle = executor.graph.pool.bv(program.data_model.word_bits(), 1);
    executor.run_thread(program.main, (handle, Vec::new()), (0, START), true)?;
    let Executor { graph, known, forwarding, put_off, threads, .. } = &mut executor;
    if program.model != ir::Model::Sc {
        graph.locks = Sections::default();
    }
    let keys = graph.places.keys();
    graph.locks.judge(&graph.events, &graph.pool, keys);
    if !graph.locks.is_reliance_right() {
        return Ok(Attempt::Unkept);
    }
    let mut judgement = Judgement::Fine;
    if program.model == ir::Model::Sc {
        judgement = known.writers.judge(forwarding, &graph.events, &graph.pool, keys);
        if !properties.has(Property::Race) {
            let joins = threads.certain_joins(graph);
            judgement = judgement.and(put_off.judge(graph, &mut known.lock_sets, &joins));
        }
    }
    if judgement.asks_again(number) {
        return Ok(Attempt::Again);
    }
    Ok(Attempt::Done(Box::new(executor.finish())))
}
