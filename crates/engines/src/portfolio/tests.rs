//! Does the first answer win, and is a second one that differs noticed?

use super::*;
use ir::build::Builder;
use ir::{CheckKind, Op, Place, Properties, Property};
use std::sync::Barrier;

/// A counter that never ends, and a check of it that holds, or fails at once.
fn task(is_bad: bool) -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    let x = builder.global("x", 0);
    builder.body(main, |body| {
        let now = body.local("now");
        body.repeat(
            |body| {
                body.load(now, x);
                let is_one = body.is(now, 1);
                body.pool().not(is_one)
            },
            |body| {
                let more = body.plus(now, 2);
                body.then(Op::Store { place: Place::Var(x), value: more, order: ir::Order::SeqCst });
            },
        );
        let cond = body.is(now, if is_bad { 3 } else { 1 });
        body.then(Op::Check { cond, kind: CheckKind::Assertion });
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

#[test]
fn the_first_verdict_wins_and_limits_hold() {
    for lanes in [1, 2] {
        let limit = Duration::from_secs(20);
        let mut run = Run::new(Some(limit), None, Arc::new(AtomicBool::new(false)));
        let verdict = ask_all(TABLE, &engine_named, lanes, &task(false), &mut run);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        assert!(run.decided_by.is_some() && run.elapsed() < limit);
    }
    let table = [Row { engine: "nobody", knobs: &[], share: 1 }];
    let mut run = Run::unlimited();
    assert_eq!(ask_all(&table, &engine_named, 2, &task(false), &mut run), Verdict::Unknown(Why::Cancelled));
}

struct Broken;

impl Engine for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn describe(&self) -> &'static str {
        "panics"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    fn properties(&self, task: &Task) -> Properties {
        task.properties
    }

    fn check(&self, _: &Task, _: &mut Run) -> Verdict {
        panic!("a bug")
    }
}

#[test]
fn an_engine_that_panics_leaves_the_question_to_the_others() {
    let named = |name: &str| if name == "broken" { Some(&Broken as &dyn Engine) } else { engine_named(name) };
    let broken = Row { engine: "broken", knobs: &[], share: 1 };
    for lanes in [1, 2] {
        let mut run = Run::unlimited();
        let verdict = ask_all(&[broken, TABLE[2]], &named, lanes, &task(false), &mut run);
        assert!(matches!(verdict, Verdict::Safe(_)), "{verdict:?}");
        assert_eq!(run.failed, [("broken", "panicked: a bug".to_string())]);
    }
    let alone = || ask_all(&[broken], &named, 1, &task(false), &mut Run::unlimited());
    let panic = catch_unwind(AssertUnwindSafe(alone)).expect_err("nobody else is asked");
    assert_eq!(panic.downcast_ref::<String>(), Some(&"the engine broken panicked: a bug".to_string()));
    let mut run = Run::unlimited();
    run.last_panic = Some(|| Some("panicked at broken.rs:7:9: a bug".to_string()));
    ask_all(&[broken, TABLE[2]], &named, 1, &task(false), &mut run);
    assert_eq!(run.failed, [("broken", "panicked at broken.rs:7:9: a bug".to_string())]);
}

#[test]
fn a_cancelled_run_ends_soon() {
    let cancel = Arc::new(AtomicBool::new(true));
    let mut run = Run::new(None, None, cancel);
    let started = Instant::now();
    assert_eq!(ask_all(TABLE, &engine_named, 2, &task(true), &mut run), Verdict::Unknown(Why::Cancelled));
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// When an engine answers.
#[derive(PartialEq)]
enum When {
    AtOnce,
    Later,
    /// When another one of these has begun, too.
    Together,
}

/// Answers what it is told to; it does not hear that it was cancelled, as one that is just finishing.
struct Says {
    name: &'static str,
    when: When,
    verdict: fn(&Task) -> Verdict,
}

impl Engine for Says {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> &'static str {
        "answers what it is told to"
    }

    fn knobs(&self) -> &'static [Knob] {
        &[]
    }

    fn properties(&self, task: &Task) -> Properties {
        task.properties
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        run.looked_for = task.properties;
        match self.when {
            When::AtOnce => {}
            When::Later => std::thread::sleep(Duration::from_millis(50)),
            When::Together => {
                BOTH.wait();
            }
        }
        (self.verdict)(task)
    }
}

fn safe(_: &Task) -> Verdict {
    Verdict::Safe(ir::Proof::Exhaustive { states: 1 })
}

/// A trace of the task that fails, which replays.
fn unsafe_(task: &Task) -> Verdict {
    engine_named("explicit").expect("there is one").check(task, &mut Run::unlimited())
}

fn lost(_: &Task) -> Verdict {
    Verdict::Unknown(Why::Bound("lost".to_string()))
}

static BOTH: Barrier = Barrier::new(2);

fn undefined(_: &Task) -> Verdict {
    Verdict::Unknown(Why::Undefined { span: ir::Span::NOWHERE, what: "a jump".to_string() })
}

static SAYS: [Says; 8] = [
    Says { name: "quick-safe", when: When::AtOnce, verdict: safe },
    Says { name: "slow-safe", when: When::Later, verdict: safe },
    Says { name: "quick-unsafe", when: When::AtOnce, verdict: unsafe_ },
    Says { name: "slow-unsafe", when: When::Later, verdict: unsafe_ },
    Says { name: "same-time-safe", when: When::Together, verdict: safe },
    Says { name: "same-time-unsafe", when: When::Together, verdict: unsafe_ },
    Says { name: "undefined", when: When::AtOnce, verdict: undefined },
    Says { name: "lost", when: When::AtOnce, verdict: lost },
];

fn says(name: &str) -> Option<&'static dyn Engine> {
    SAYS.iter().find(|engine| engine.name == name).map(|engine| engine as &dyn Engine)
}

/// A check that fails.
fn failing() -> Task {
    let mut builder = Builder::new();
    let main = builder.proc("main");
    builder.body(main, |body| {
        let x = body.local("x");
        let one = body.int(1);
        body.then(Op::Assign { var: x, value: one });
        let cond = body.is(x, 0);
        body.then(Op::Check { cond, kind: CheckKind::Assertion });
    });
    Task { program: builder.finish(main), properties: Properties::of(&[Property::Assertion]) }
}

fn ask(names: &[&'static str], lanes: usize, second_opinion: bool) -> (Verdict, Run) {
    let table: Vec<Row> = names.iter().map(|name| Row { engine: name, knobs: &[], share: 1 }).collect();
    let mut run = Run::new(Some(Duration::from_secs(60)), None, Arc::new(AtomicBool::new(false)));
    run.second_opinion = second_opinion;
    let verdict = ask_all(&table, &says, lanes, &failing(), &mut run);
    (verdict, run)
}

#[test]
fn engines_that_disagree_are_noticed() {
    let asked = [(1, true), (2, true)];
    // Without a second opinion only one that is just finishing can differ.
    for (first, second, how) in [
        ("quick-safe", "slow-unsafe", &asked[..]),
        ("quick-unsafe", "slow-safe", &asked[..]),
        ("same-time-safe", "same-time-unsafe", &[(2, false)]),
    ] {
        for (lanes, second_opinion) in how.iter().copied() {
            for names in [[first, second], [second, first]] {
                let (verdict, _) = ask(&names, lanes, second_opinion);
                let Verdict::Unknown(Why::Disagreement { safe, bad, what }) = verdict else {
                    panic!("{names:?}: {verdict:?}")
                };
                assert!(safe.ends_with("-safe") && bad.ends_with("-unsafe"), "{safe} {bad}");
                assert_eq!(what, "assertion failure");
            }
        }
    }
}

#[test]
fn what_is_undefined_is_not_safe() {
    let (verdict, _) = ask(&["undefined", "quick-safe"], 1, false);
    let (safe, bad) = ("quick-safe".to_string(), "undefined".to_string());
    let what = "undefined behaviour, a jump".to_string();
    assert_eq!(verdict, Verdict::Unknown(Why::Disagreement { safe, bad, what }));
    let (verdict, _) = ask(&["undefined", "quick-unsafe"], 1, false);
    assert!(matches!(verdict, Verdict::Unsafe(_)), "{verdict:?}");
}

#[test]
fn a_second_opinion_is_waited_for() {
    let (verdict, run) = ask(&["quick-safe", "lost", "slow-safe"], 2, true);
    assert!(matches!(verdict, Verdict::Safe(_)));
    assert_eq!((run.decided_by, run.confirmed_by), (Some("quick-safe"), Some("slow-safe")));
    // Nobody confirms itself, and whoever does not know confirms nothing.
    for lanes in [1, 2] {
        let (verdict, run) = ask(&["quick-safe", "quick-safe", "lost"], lanes, true);
        assert!(matches!(verdict, Verdict::Safe(_)));
        assert_eq!((run.decided_by, run.confirmed_by), (Some("quick-safe"), None));
    }
    let (verdict, run) = ask(&["quick-safe", "slow-safe"], 1, false);
    assert!(matches!(verdict, Verdict::Safe(_)) && run.confirmed_by.is_none());
    let properties = Properties::of(&[Property::Assertion]);
    assert_eq!(run.looked_for, properties);
}

#[test]
fn a_row_is_named_as_it_is_typed() {
    assert_eq!(TABLE[0].title(), "explicit");
    assert_eq!(TABLE[3].title(), "cegar --cegar.domain pred --cegar.init branches --cegar.search bfs");
}
