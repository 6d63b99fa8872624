//! Source sets of programs small enough to know them from the definition, and what a wrong one would miss.

use super::dependence::{Future, Joins, Next};
use super::dpor::BacktrackSet;
use super::source_set::{SourceSets, Threads};
use super::threads::ThreadSet;
use crate::explore::actions::Actions;
use crate::{Budget, Run, decide, engine_named};
use ir::build::{Body, Builder};
use ir::{ProcId, Program, Properties, Property, Task, Verdict};
use logic::VarId;

/// Threads at the beginning of their procedures, with what somebody knows of them.
struct AtEntry<'p> {
    program: &'p Program,
    actions: Actions,
    procs: Vec<ProcId>,
    /// Threads that surely wait, and threads that may run but perhaps do not.
    waiting: &'static [usize],
    unsure: &'static [usize],
    /// What a thread may do later is not looked at: a mistake.
    is_short_sighted: bool,
    nothing: Future,
}

impl<'p> AtEntry<'p> {
    fn new(program: &'p Program, procs: &[ProcId]) -> AtEntry<'p> {
        let actions = Actions::new(program, Properties::of(&[Property::Assertion]));
        let nothing = Future::new(&actions.targets);
        let procs = procs.to_vec();
        AtEntry { program, actions, procs, waiting: &[], unsure: &[], is_short_sighted: false, nothing }
    }

    fn source_set(&mut self) -> Vec<usize> {
        let alive: ThreadSet = (0..self.procs.len()).collect();
        SourceSets::default().smallest(self, &alive).iter().collect()
    }
}

impl Threads for AtEntry<'_> {
    fn probe(&mut self, thread: usize, next: &mut Next) {
        let proc = self.procs[thread];
        let outgoing = self.actions.next(proc, self.program.proc(proc).entry);
        next.can_run = !self.waiting.contains(&thread);
        next.reads.extend(outgoing.reads.iter().copied());
        next.writes.extend(outgoing.writes.iter().copied());
        next.needs_all = outgoing.may_end;
        next.is_in_loop = outgoing.is_in_loop;
        next.joins = if outgoing.may_join { Joins::Anybody } else { Joins::Nobody };
    }

    fn future(&self, thread: usize) -> &Future {
        let proc = self.procs[thread];
        match self.is_short_sighted {
            true => &self.nothing,
            false => self.actions.future(proc, self.program.proc(proc).entry),
        }
    }

    fn surely_runs(&mut self, thread: usize) -> bool {
        !self.unsure.contains(&thread)
    }
}

/// Writes the body of a thread that touches three variables.
type Write = fn(&mut Body<'_>, [VarId; 3]);

/// A program with these threads, which main starts and joins.
fn threads(bodies: &[Write]) -> (Program, Vec<ProcId>) {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let vars = ["x", "y", "z"].map(|name| builder.global(name, 0));
    let procs: Vec<ProcId> = bodies.iter().map(|write| builder.define("thread", |body| write(body, vars))).collect();
    builder.body(main, |body| {
        for handle in body.start_all(&procs) {
            body.join(handle);
        }
    });
    (builder.finish(main), procs)
}

fn set_x(body: &mut Body<'_>, [x, ..]: [VarId; 3]) {
    body.set(x, 1);
}

fn set_x_and_back(body: &mut Body<'_>, [x, ..]: [VarId; 3]) {
    body.set(x, 1);
    body.set(x, 0);
}

fn set_y(body: &mut Body<'_>, [_, y, _]: [VarId; 3]) {
    body.set(y, 1);
}

/// Writes y, which nobody reads, and then looks at x.
fn set_y_then_check_x(body: &mut Body<'_>, [x, y, _]: [VarId; 3]) {
    body.set(y, 1);
    let seen = body.local("seen");
    body.load(seen, x);
    let is_zero = body.is(seen, 0);
    body.check(is_zero);
}

/// Reads x, then lets those go on who wait for z.
fn read_x_then_release_z(body: &mut Body<'_>, [x, _, z]: [VarId; 3]) {
    let seen = body.local("seen");
    body.load(seen, x);
    body.set(z, 0);
}

fn wait_for_z_then_set_x(body: &mut Body<'_>, [x, _, z]: [VarId; 3]) {
    let old = body.local("old");
    body.await_change(old, z, 0, 1);
    body.set(x, 2);
}

fn spin_on_y(body: &mut Body<'_>, [_, y, _]: [VarId; 3]) {
    let seen = body.local("seen");
    body.repeat(
        |body| {
            body.load(seen, y);
            body.is(seen, 0)
        },
        |_| {},
    );
}

#[test]
fn source_sets_are_those_of_the_definition() {
    let rows: [(&str, &[Write], &[usize]); 6] = [
        ("independent threads: one is enough, the first", &[set_x, set_y], &[0]),
        ("both write x", &[set_x, set_x], &[0, 1]),
        ("the second conflicts later, so it has to go first", &[set_x, set_y_then_check_x], &[1]),
        ("a third that has nothing to do with them is enough", &[set_x, set_x, set_y], &[2]),
        (
            "two readers conflict with the writer, not with each other",
            &[read_x_then_release_z, set_x, read_x_then_release_z],
            &[0, 1, 2],
        ),
        ("whoever is not in a loop goes first", &[spin_on_y, set_x], &[1]),
    ];
    for (what, bodies, expected) in rows {
        let (program, procs) = threads(bodies);
        assert_eq!(AtEntry::new(&program, &procs).source_set(), expected, "{what}");
    }
}

#[test]
fn whoever_lets_a_waiting_thread_go_on_belongs_to_the_set() {
    let (program, procs) = threads(&[set_x, wait_for_z_then_set_x, read_x_then_release_z]);
    let mut at = AtEntry::new(&program, &procs);
    at.waiting = &[1];
    assert_eq!(at.source_set(), [0, 2], "the second waits, and the third may let it go on");
    at.waiting = &[];
    assert_eq!(at.source_set(), [0, 1, 2], "perhaps it does not wait");
}

#[test]
fn a_set_counts_only_if_one_of_its_threads_surely_runs() {
    let (program, procs) = threads(&[set_x, set_y]);
    let mut at = AtEntry::new(&program, &procs);
    at.unsure = &[0];
    assert_eq!(at.source_set(), [1]);
    at.unsure = &[0, 1];
    assert_eq!(at.source_set(), [0, 1], "no set counts, so all run");
    at.waiting = &[0, 1];
    assert_eq!(at.source_set(), [0usize; 0], "nobody can run");
}

#[test]
fn a_step_that_may_end_all_threads_is_no_reason_to_leave_any_out() {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let x = builder.global("x", 0);
    let other = builder.define("other", |body| body.set(x, 1));
    // The process ends when main returns.
    builder.body(main, |body| body.ret(None));
    let program = builder.finish(main);
    assert_eq!(AtEntry::new(&program, &[main, other]).source_set(), [1], "nothing that the other does is disabled");
    assert_eq!(AtEntry::new(&program, &[main, main]).source_set(), [0, 1], "each of them disables the other");
}

#[test]
fn a_backtrack_set_takes_in_who_may_let_a_thread_go_on() {
    let (program, procs) = threads(&[set_x, wait_for_z_then_set_x, read_x_then_release_z, set_y]);
    let alive: ThreadSet = (0..4).collect();
    let required = |waiting: &'static [usize], unsure: &'static [usize], thread: usize| {
        let mut at = AtEntry::new(&program, &procs);
        (at.waiting, at.unsure) = (waiting, unsure);
        let mut set = BacktrackSet(ThreadSet::of(0));
        set.require(thread, &mut at, &alive);
        set.0.iter().collect::<Vec<usize>>()
    };
    assert_eq!(required(&[], &[], 1), [0, 1]);
    assert_eq!(required(&[1], &[], 1), [0, 1, 2], "the third releases what the second waits for");
    assert_eq!(required(&[], &[1], 1), [0, 1, 2, 3], "it is not known whether it runs");
}

/// The first thread makes x 1 for a moment, the second looks at it after a step of its own. Running the first to its end is wrong, which only
/// what the second may do later shows.
#[test]
fn a_wrong_source_set_would_miss_a_violation() {
    let (program, procs) = threads(&[set_x_and_back, set_y_then_check_x]);
    let mut at = AtEntry::new(&program, &procs);
    assert_eq!(at.source_set(), [1]);
    at.is_short_sighted = true;
    assert_eq!(at.source_set(), [0], "this is the mistake: the step of the first seems to be independent");
    let properties = Properties::of(&[Property::Assertion]);
    let task = Task { program, properties };
    for (engine, reductions) in
        [("explicit", &["none", "source", "dpor"][..]), ("cegar", &["none", "source", "aware", "dpor", "aware-dpor"])]
    {
        for reduction in reductions {
            let engine = engine_named(engine).expect("it is there");
            let run = Run::of(engine.about(), Budget::unlimited(), &[("por", reduction)]);
            let verdict = decide(engine, &task, &mut run.expect("the knobs are declared")).verdict();
            assert!(matches!(verdict, Verdict::Unsafe(_)), "{} with {reduction}: {verdict:?}", engine.name());
        }
    }
}
