//! Who decides C programs when nobody is named? A small table of engines and settings, for the scheduler.
//!
//! Explicit states decide what is finite and find what is near; bounded search minds neither inputs nor interleavings; abstraction
//! proves what has no bounds; thread by thread races are excluded whatever the number of threads; predicates from the program's own branches are another way into that, and so are invariants of loops that advance together.
//!
//! Under axioms bounded search is joined by those that look at execution graphs: each of them once, or thread by thread, which needs no bounds.
//!
//! Each is asked about those properties that it looks for. Who is asked about several groups of properties that cost much together (races, lost
//! memory, endless executions and all the rest) and cannot decide them at once is asked about each group alone, so that asking for
//! more never means to know less.
//!
//! A program that never allocates loses nothing. Nobody is asked about lost memory there, since whoever looks for it keeps every pointer and every order of steps
//! that the end of the process could see; each answer is about it as well.
//!
//! Whether memory is lost only those can say who know what every word names. Often none is, since all is freed: that is asked of a program that counts its blocks (`ir::pass::count_blocks`).
//!
//! Races are defined by C11's happens-before, and where atomic accesses ask for less than their place in an interleaving gives them there may be executions
//! that no interleaving has. About these `bmc` is asked under the axioms of RC11: an execution that they allow and flag as a race is one, and if none of all of them, each loop unrolled to its end,
//! has a race, there is none in C11 either (RC11 leaves out only executions whose values come from nowhere). All other properties are those of interleavings, as under `--model sc`.

mod interleavings;

use crate::evidence::monotone;
use crate::explore::weak_order::asks_for_less;
use crate::prepared::Prepared;
use crate::schedule::{Ask, cores};
use crate::table::ENGINES;
use crate::{About, Decided, Engine, Settings, decide};
use ir::pass::{Components, count_blocks, never_deadlocks};
use ir::{Axioms, Callee, Edge, LocId, Model, Op, Proc, Program, Properties, Property, Task, Why};
use std::sync::Arc;
use std::time::Duration;

/// The name of the default, as the command line shows it.
pub const ABOUT: About = About {
    name: "portfolio",
    describe: "asks the engines of a small table, side by side on the cores there are, and puts their answers together",
    knobs: &[],
};

/// The name of those who interleave where a weaker model allows nothing else: part of the default, and by this name for who compares engines.
pub const INTERLEAVINGS: &str = "interleavings";

/// One line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Who.
    pub engine: &'static str,
    /// With which settings.
    pub knobs: &'static [(&'static str, &'static str)],
    /// When it begins, in milliseconds, if nobody has answered by then.
    pub after: u64,
    /// Likewise, where threads are started in loops: there may be any number of them, and those who count states or rounds may have no end.
    pub after_if_many: u64,
    /// After which time at work it gives way to others, in milliseconds, if ever.
    pub tires_after: Option<u64>,
    /// How many hundredths of the memory may be in use before it stops.
    pub memory: u32,
    /// Whether it proves by visiting all states, each by itself.
    pub visits_all: bool,
    /// Whether it knows the axioms of a program's model, if it asks for them: interleavings are looked at by others.
    pub asks_axioms: Option<fn(&Program) -> bool>,
    /// Whether races are left to others.
    pub leaves_races: bool,
    /// Whether nobody else is asked: then it has the threads that the user gives it.
    pub is_alone: bool,
}

impl Row {
    /// One of several.
    const fn of(engine: &'static str, after: u64, memory: u32) -> Row {
        Row {
            engine,
            knobs: &[],
            after,
            after_if_many: after,
            tires_after: None,
            memory,
            visits_all: false,
            asks_axioms: None,
            leaves_races: false,
            is_alone: false,
        }
    }
}

/// Who is tried.
pub const TABLE: &[Row] = &[
    Row { visits_all: true, ..Row::of("explicit", 0, 60) },
    Row::of("bmc", 0, 90),
    Row::of("modular", 20, 100),
    // Precisions that have not been found after some seconds grow without end as a rule.
    Row { after_if_many: 0, tires_after: Some(8000), ..Row::of("cegar", 60, 100) },
    Row {
        knobs: &[("domain", "pred"), ("init", "branches"), ("search", "bfs")],
        after_if_many: 40,
        tires_after: Some(8000),
        ..Row::of("cegar", 200, 100)
    },
    Row {
        knobs: &[("order", "lockstep"), ("dependence", "outcomes")],
        leaves_races: true,
        ..Row::of("impact", 2000, 100)
    },
    Row { asks_axioms: Some(|program| monotone::growing(program).is_ok()), ..Row::of("graphs", 20, 100) },
    Row { asks_axioms: Some(|program| monotone::axioms(program).is_ok()), ..Row::of("declarative", 100, 100) },
];

/// Who is asked about races under C11.
const C11: [Row; 2] = [Row::of("graphs", 50, 100), Row::of("bmc", 150, 90)];

/// Who is asked whether all blocks are freed.
const FREED: [Row; 2] = [Row::of("bmc", 100, 90), Row::of("cegar", 1000, 100)];

/// How many engines are at work at a time, as a rule. Cores beyond these go to the searches that can use several.
const AT_WORK: usize = 4;

/// When an engine that is still at work on all properties is asked about groups of them as well, in milliseconds.
const GROUPS_AFTER: u64 = 1000;

/// Properties that are looked for in ways of their own; the rest is a group, too.
const GROUPS: [&[Property]; 3] =
    [&[Property::Race], &[Property::MemTrack, Property::MemCleanup], &[Property::Termination]];

/// The properties by groups.
fn groups(properties: Properties) -> Vec<Properties> {
    let own = GROUPS.iter().map(|group| Properties::of(group));
    let rest = own.clone().fold(properties, Properties::beyond);
    let all = std::iter::once(rest).chain(own.map(|group| group.both(properties)));
    all.filter(|group| !group.is_empty()).collect()
}

impl Row {
    /// The engine with its settings, as they are typed.
    fn title(&self) -> String {
        let knobs = self.knobs.iter().map(|(name, value)| format!(" --{}.{name} {value}", self.engine));
        std::iter::once(self.engine.to_string()).chain(knobs).collect()
    }
}

/// Who is asked about a task by this name, `portfolio`, that of an engine or [`INTERLEAVINGS`], with the settings that the user has made (`cegar.por`, `none`).
pub fn asks<'a>(name: &str, task: &'a Task, set: &[(String, String)]) -> Result<Vec<Ask<'a, ir::Replayed>>, String> {
    let prepared = Prepared::default();
    let ask = |row, engine, covers| ask(row, engine, covers, task, set, &prepared);
    let alone = ENGINES.iter().find(|engine| engine.name() == name);
    if let Some(engine) = alone {
        let row = Row { is_alone: true, ..Row::of(engine.name(), 0, 100) };
        return Ok(vec![ask(row, *engine, covered(*engine, task))?]);
    }
    if name == INTERLEAVINGS {
        return interleavings::asks(task, set);
    }
    let mut asks = Vec::new();
    let mut by_groups: Vec<Result<_, String>> = Vec::new();
    let starts = Starts::of(&task.program);
    for row in TABLE {
        let row = &Row { after: if starts == Starts::Few { row.after } else { row.after_if_many }, ..*row };
        let engine = engine_of(row).ok_or_else(|| format!("there is no engine {}", row.engine))?;
        let covers = covered(engine, task);
        let covers = if row.leaves_races { covers.beyond(Properties::of(&[Property::Race])) } else { covers };
        let is_asked = |knows: fn(&Program) -> bool| task.program.model != Model::Sc && knows(&task.program);
        let is_other_form = row.asks_axioms.is_some_and(|knows| !is_asked(knows));
        if !engine.models().contains(&task.program.model) || covers.is_empty() || is_other_form {
            // The settings are checked all the same.
            ask(*row, engine, covers)?;
            continue;
        }
        let lost = lost_for_sure_not(task).both(covers);
        let groups: Vec<Properties> = groups(covers.beyond(lost)).into_iter().map(|group| group.union(lost)).collect();
        // Who looks for endless executions cannot leave interleavings out, so that the groups are nearer to an answer than the whole.
        let gives_way = !covers.has(Property::Termination);
        let cannot_end = row.visits_all && starts == Starts::WithoutEnd;
        asks.push(Ask { gives_way: cannot_end, ..ask(*row, engine, covers)? });
        if groups.len() > 1 {
            let row = Row { after: GROUPS_AFTER.max(row.after), ..*row };
            let one = |group| Ok(Ask { gives_way, ..ask(row, engine, group)? });
            by_groups.extend(groups.into_iter().map(one));
        }
    }
    for ask in by_groups {
        asks.push(ask?);
    }
    asks.extend(order_of_waits(task, set, &prepared)?);
    asks.extend(races_of_c11(task, set)?);
    asks.extend(freed_blocks(task, set)?);
    asks.extend(interleavings::asks(task, set)?);
    Ok(asks)
}

/// Who is asked whether all blocks are freed, if it is asked about lost memory: nothing is lost then, whatever pointers there are. Who finds that some are not knows nothing.
fn freed_blocks<'a>(task: &Task, set: &[(String, String)]) -> Result<Vec<Ask<'a, ir::Replayed>>, String> {
    let lost = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
    let covers = task.properties.both(lost);
    if covers.is_empty() || task.program.model != Model::Sc || task.never_allocates() {
        return Ok(Vec::new());
    }
    let Some(program) = count_blocks(&task.program) else { return Ok(Vec::new()) };
    let counting = Arc::new(Task { program, properties: covers });
    let ask = |row: &Row| {
        let engine = engine_of(row).ok_or_else(|| format!("there is no engine {}", row.engine))?;
        let task = Arc::clone(&counting);
        Ok(Ask {
            engine: row.engine,
            title: format!("{}, counting blocks that are not freed", row.title()),
            settings: settings(*row, engine, set)?,
            covers,
            after: Duration::from_millis(row.after),
            memory: row.memory,
            gives_way: false,
            tires_after: None,
            refuses_quietly: true,
            decide: Box::new(move |run| match decide(engine, &task, run) {
                Decided::Unsafe(_) => Decided::Unknown(Why::Bound("not all blocks are freed".to_string())),
                other => other,
            }),
        })
    };
    FREED.iter().map(ask).collect()
}

/// Who is asked whether waits can make a circle, if nobody who visits executions knows.
fn order_of_waits<'a>(
    task: &'a Task,
    set: &[(String, String)],
    prepared: &Prepared,
) -> Result<Option<Ask<'a, ir::Replayed>>, String> {
    let deadlock = Properties::of(&[Property::Deadlock]);
    let is_open = task.program.model == Model::Cat && asks_for_deadlocks_and_misuse(task);
    let row = Row::of("modular", 20, 100);
    match engine_of(&row).filter(|_| is_open && !never_deadlocks(&task.program)) {
        Some(engine) => Ok(Some(Ask { refuses_quietly: true, ..ask(row, engine, deadlock, task, set, prepared)? })),
        None => Ok(None),
    }
}

/// Who is asked about races that interleavings may not have, if there may be such.
fn races_of_c11<'a>(task: &Task, set: &[(String, String)]) -> Result<Vec<Ask<'a, ir::Replayed>>, String> {
    let asks = task.program.model == Model::Sc && task.properties.has(Property::Race);
    if !asks || !asks_for_less(&task.program) {
        return Ok(Vec::new());
    }
    let mut program = task.program.clone();
    let axioms = Axioms { name: "rc11".to_string(), ..Axioms::default() };
    (program.model, program.axioms) = (Model::Cat, Some(Arc::new(axioms)));
    let asked = Arc::new(Task { program, properties: Properties::of(&[Property::Race]) });
    let ask = |row: &Row| {
        let engine = engine_of(row).ok_or_else(|| format!("there is no engine {}", row.engine))?;
        let task = Arc::clone(&asked);
        Ok(Ask {
            engine: row.engine,
            title: format!("{} --model rc11 --property race", row.title()),
            settings: settings(*row, engine, set)?,
            covers: asked.properties,
            after: Duration::from_millis(row.after),
            memory: row.memory,
            gives_way: false,
            tires_after: None,
            refuses_quietly: false,
            decide: Box::new(move |run| decide(engine, &task, run)),
        })
    };
    C11.iter().map(ask).collect()
}

/// How many threads each of the two searches that can use several is given.
fn threads_of(n_cores: usize) -> usize {
    1 + n_cores.saturating_sub(AT_WORK) / 2
}

/// How many threads are started, as far as loops tell?
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Starts {
    /// None of them in a loop.
    Few,
    /// Some in loops.
    InLoops,
    /// Some in a loop that nothing leaves: there are states without number, and nobody comes to an end who visits them all.
    WithoutEnd,
}

impl Starts {
    fn of(program: &Program) -> Starts {
        // Procedures that start threads, by themselves or in what they call.
        let mut starting = vec![false; program.procs.len()];
        let starts = |starting: &[bool], edge: &Edge| {
            edge.stmts.iter().any(|stmt| match &stmt.op {
                Op::Start { .. } => true,
                Op::Call { callee: Callee::Proc(proc), .. } => starting[proc.index()],
                _ => false,
            })
        };
        loop {
            let is_new = |number: &usize| {
                let mut edges = program.procs[*number].edges.iter();
                !starting[*number] && edges.any(|edge| starts(&starting, edge))
            };
            let Some(new) = (0..program.procs.len()).find(is_new) else { break };
            starting[new] = true;
        }
        let of_proc = |proc: &Proc| {
            let components = Components::new(proc, &proc.out_edges());
            let in_loops = proc.edges.iter().filter(|edge| starts(&starting, edge));
            let in_loops = in_loops.filter(|edge| components.is_repeated(edge.from, edge.to));
            let of = |loc: LocId| components.of[loc.index()];
            let is_left = |inside: u32| proc.edges.iter().any(|edge| of(edge.from) == inside && of(edge.to) != inside);
            let each = in_loops.map(|edge| if is_left(of(edge.from)) { Starts::InLoops } else { Starts::WithoutEnd });
            each.max().unwrap_or(Starts::Few)
        };
        let procs = program.procs.iter().zip(&starting).filter(|(_, starting)| **starting);
        procs.map(|(proc, _)| of_proc(proc)).max().unwrap_or(Starts::Few)
    }
}

/// What no execution can do, as nothing is ever allocated.
fn lost_for_sure_not(task: &Task) -> Properties {
    let lost = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
    if task.never_allocates() { lost } else { Properties::NONE }
}

/// Whether somebody looks for joins of what is no thread and locks that are written over, and deadlocks need only be looked for in programs without.
fn asks_for_deadlocks_and_misuse(task: &Task) -> bool {
    task.properties.has(Property::Deadlock) && task.properties.has(Property::Misuse)
}

/// What an engine's answer is about: what it looks for, and that nobody waits for ever where nobody waits, which it need not look for.
fn covered(engine: &dyn Engine, task: &Task) -> Properties {
    let covers = engine.properties(task);
    let is_open = asks_for_deadlocks_and_misuse(task) && !covers.has(Property::Deadlock);
    let is_known = is_open && !covers.is_empty() && never_deadlocks(&task.program);
    if is_known { covers.with(Property::Deadlock) } else { covers }
}

fn engine_of(row: &Row) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.name() == row.engine)
}

fn ask<'a>(
    row: Row,
    engine: &'static dyn Engine,
    covers: Properties,
    task: &'a Task,
    set: &[(String, String)],
    prepared: &Prepared,
) -> Result<Ask<'a, ir::Replayed>, String> {
    let prepared = prepared.clone();
    let known = lost_for_sure_not(task).union(covers.beyond(engine.properties(task))).both(covers);
    // Whoever is asked about nothing else looks all the same, and says what it has seen.
    let (known, open) = if known == covers { (Properties::NONE, covers) } else { (known, covers.beyond(known)) };
    Ok(Ask {
        engine: row.engine,
        title: row.title(),
        settings: settings(row, engine, set)?,
        covers,
        after: Duration::from_millis(row.after),
        memory: row.memory,
        gives_way: false,
        tires_after: row.tires_after.filter(|_| !row.is_alone).map(Duration::from_millis),
        // With axioms and store buffers `bmc` takes most of the language.
        refuses_quietly: task.program.model != Model::Sc && row.engine != "bmc" && !row.is_alone,
        decide: Box::new(move |run| {
            run.prepared = Some(prepared.clone());
            // An engine that looks for nothing of it says why.
            let decided = if open == task.properties || covers.is_empty() {
                decide(engine, task, run)
            } else {
                decide(engine, &Task { program: task.program.clone(), properties: open }, run)
            };
            run.looked_for = run.looked_for.union(if run.looked_for.is_empty() { Properties::NONE } else { known });
            run.prepared = None;
            decided
        }),
    })
}

/// What the row and the user have set.
fn settings(row: Row, engine: &dyn Engine, set: &[(String, String)]) -> Result<Settings, String> {
    let of_engine = |(name, value): &'_ (String, String)| {
        let own = name.strip_prefix(row.engine)?.strip_prefix('.')?;
        Some((own.to_string(), value.clone()))
    };
    let own: Vec<(String, String)> = set.iter().filter_map(of_engine).collect();
    let threads = threads_of(cores::available()).to_string();
    let can_share = !row.is_alone && engine.about().knobs.iter().any(|knob| knob.name == "threads");
    let threads = can_share.then_some(("threads", threads.as_str()));
    let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs = threads.into_iter().chain(row.knobs.iter().copied()).chain(own);
    Settings::of(row.engine, engine.about().knobs, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_named_as_it_is_typed() {
        assert_eq!(TABLE[0].title(), "explicit");
        assert_eq!(TABLE[4].title(), "cegar --cegar.domain pred --cegar.init branches --cegar.search bfs");
    }

    #[test]
    fn groups_are_all_properties_and_apart() {
        let all = Properties::of(&Property::ALL);
        let parts = groups(all);
        assert_eq!(parts.len(), 4);
        assert_eq!(parts.iter().fold(Properties::NONE, |sum, group| sum.union(*group)), all);
        assert_eq!(parts.iter().map(|group| group.iter().count()).sum::<usize>(), Property::ALL.len());
        assert_eq!(groups(Properties::of(&[Property::Race])), [Properties::of(&[Property::Race])]);
    }

    #[test]
    fn cores_that_nobody_needs_go_to_those_who_can_use_them() {
        assert_eq!([1, 2, 4, 5, 6, 8, 64].map(threads_of), [1, 1, 1, 1, 2, 3, 31]);
    }

    #[test]
    fn nobody_looks_for_lost_memory_alone_where_nothing_is_allocated() {
        let mut builder = ir::build::Builder::new();
        let main = builder.proc("main");
        builder.body(main, |body| {
            body.then(ir::Op::Return(None));
        });
        let lost = Properties::of(&[Property::MemTrack, Property::MemCleanup]);
        let properties = lost.with(Property::Race).with(Property::Assertion);
        let task = Task { program: builder.finish(main), properties };
        let asks = asks(ABOUT.name, &task, &[]).expect("nothing is set");
        assert!(asks.iter().filter(|ask| ask.engine == "explicit").count() > 1);
        for ask in asks {
            assert!(!ask.covers.beyond(lost).is_empty(), "{}", ask.title);
            assert!(ask.engine != "explicit" || lost.beyond(ask.covers).is_empty(), "{}", ask.title);
        }
    }

    #[test]
    fn loops_that_start_threads_are_seen_through_calls() {
        // A caller that calls the one that starts a thread: never again, or in a loop that is left, or not.
        let starts = |again: bool, leaves: bool| {
            let mut builder = ir::build::Builder::new();
            let worker = builder.define("worker", |body| {
                body.then(Op::Return(None));
            });
            let create = builder.define("create", |body| {
                let dst = body.pointer("t");
                body.then(Op::Start { dst, callee: Callee::Proc(worker), args: Vec::new() });
                body.then(Op::Return(None));
            });
            let main = builder.define("main", |body| {
                let head = body.here();
                body.then(Op::Call { callee: Callee::Proc(create), args: Vec::new(), result: None });
                if again {
                    let here = body.here();
                    body.edge(here, head, Vec::new());
                }
            });
            let mut program = builder.finish(main);
            let main = &mut program.procs[main.index()];
            // The end of the body is a return.
            let exit = main.exit;
            main.edges.retain(|edge| leaves || edge.to != exit);
            Starts::of(&program)
        };
        assert_eq!(starts(false, true), Starts::Few);
        assert_eq!(starts(true, true), Starts::InLoops);
        assert_eq!(starts(true, false), Starts::WithoutEnd);
    }

    #[test]
    fn the_table_names_engines_and_knobs_that_there_are() {
        for row in TABLE {
            let engine = engine_of(row).expect("its engine is there");
            assert!(Settings::of(row.engine, engine.about().knobs, row.knobs.iter().copied()).is_ok(), "{row:?}");
        }
    }
}
