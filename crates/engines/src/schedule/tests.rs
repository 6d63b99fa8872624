//! Does the first answer win, and is a second one that differs noticed?

use super::*;
use crate::{About, Engine, decide, engine_named, portfolio};
use ir::build::Builder;
use ir::{CheckKind, Op, Place, Property, Replayed, Task, Verdict};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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

/// Asks engines, each without settings.
fn ask_all(engines: &[&'static dyn Engine], how: How, task: &Task, budget: &Budget) -> Scheduled<Replayed> {
    let ask = |engine: &&'static dyn Engine| {
        let engine = *engine;
        Ask {
            engine: engine.name(),
            title: engine.name().to_string(),
            settings: Settings::default(),
            covers: engine.properties(task),
            after: Duration::ZERO,
            memory: 100,
            gives_way: false,
            tires_after: None,
            refuses_quietly: false,
            decide: Box::new(move |run: &mut Run| decide(engine, task, run)),
        }
    };
    let asks: Vec<Ask<'_, Replayed>> = engines.iter().map(ask).collect();
    schedule(&asks, task.properties, how, budget, described)
}

fn described(replayed: &Replayed) -> Wrong {
    (Some(replayed.trace.violation), replayed.trace.violation.describe().to_string())
}

#[test]
fn the_first_verdict_wins_and_limits_hold() {
    let task = task(false);
    let limit = Duration::from_secs(20);
    let budget = Budget::of_time(limit);
    let asks = portfolio::asks("portfolio", &task, &[]).expect("nothing is set");
    // Whoever looks for nothing of it, or is there for axioms, is not asked.
    let looks = |row: &&portfolio::Row| {
        let engine = engine_named(row.engine).filter(|_| row.asks_axioms.is_none());
        engine.is_some_and(|engine| !engine.properties(&task).is_empty())
    };
    assert_eq!(asks.len(), portfolio::TABLE.iter().filter(looks).count());
    let scheduled = schedule(&asks, task.properties, How::default(), &budget, described);
    assert!(matches!(scheduled.decided, Decided::Safe(..)), "{scheduled:?}");
    assert!(!scheduled.by.is_empty() && budget.elapsed() < limit);
    let scheduled = schedule(&[], Properties::NONE, How::default(), &Budget::unlimited(), described);
    assert!(matches!(scheduled.decided, Decided::Unknown(Why::Cancelled)));
    let freed = Properties::of(&[Property::MemCleanup]);
    let scheduled = schedule(&[], freed, How::default(), &Budget::unlimited(), described);
    let Decided::Unknown(Why::Unsupported { what, .. }) = scheduled.decided else { panic!("{scheduled:?}") };
    assert_eq!(what, "memory not freed at exit, which no engine looks for under this memory model");
    let set = [("cegar.prr".to_string(), "none".to_string())];
    let refused = portfolio::asks("portfolio", &task, &set).err();
    assert!(refused.is_some_and(|what| what.contains("the engine cegar has no knob `prr`; it has domain, por,")));
}

struct Broken;

impl Engine for Broken {
    fn about(&self) -> &'static About {
        &About { name: "broken", describe: "panics", knobs: &[] }
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
    let other = says("slow-safe");
    let task = task(false);
    let scheduled = ask_all(&[&Broken, other], How::default(), &task, &Budget::unlimited());
    assert!(matches!(scheduled.decided, Decided::Safe(..)), "{scheduled:?}");
    assert_eq!(scheduled.failed, [("broken", "panicked: a bug".to_string())]);
    let alone = ask_all(&[&Broken], How::default(), &task, &Budget::unlimited());
    assert!(matches!(alone.decided, Decided::Unknown(_)));
    assert_eq!(alone.failed, [("broken", "panicked: a bug".to_string())]);
    let heard = || Some("panicked at broken.rs:7:9: a bug".to_string());
    let how = How { last_panic: Some(heard), ..How::default() };
    let scheduled = ask_all(&[&Broken, other], how, &task, &Budget::unlimited());
    assert_eq!(scheduled.failed, [("broken", "panicked at broken.rs:7:9: a bug".to_string())]);
}

#[test]
fn a_cancelled_run_ends_soon() {
    let budget = Budget::unlimited();
    budget.cancel();
    let started = Instant::now();
    let task = task(true);
    for name in ["portfolio", "explicit", "bmc", "cegar"] {
        let asks = portfolio::asks(name, &task, &[]).expect("nothing is set");
        let scheduled = schedule(&asks, task.properties, How::default(), &budget, described);
        assert!(matches!(scheduled.decided, Decided::Unknown(Why::Cancelled) | Decided::Unsafe(_)), "{scheduled:?}");
    }
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
    about: About,
    when: When,
    verdict: fn(&Task) -> Verdict,
}

impl Engine for Says {
    fn about(&self) -> &'static About {
        let itself = SAYS.iter().find(|says| says.about.name == self.about.name);
        &itself.expect("all of them are there").about
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

const fn named(name: &'static str) -> About {
    About { name, describe: "answers what it is told to", knobs: &[] }
}

static SAYS: [Says; 8] = [
    Says { about: named("quick-safe"), when: When::AtOnce, verdict: safe },
    Says { about: named("slow-safe"), when: When::Later, verdict: safe },
    Says { about: named("quick-unsafe"), when: When::AtOnce, verdict: unsafe_ },
    Says { about: named("slow-unsafe"), when: When::Later, verdict: unsafe_ },
    Says { about: named("same-time-safe"), when: When::Together, verdict: safe },
    Says { about: named("same-time-unsafe"), when: When::Together, verdict: unsafe_ },
    Says { about: named("undefined"), when: When::AtOnce, verdict: undefined },
    Says { about: named("lost"), when: When::AtOnce, verdict: lost },
];

fn says(name: &str) -> &'static dyn Engine {
    SAYS.iter().find(|says| says.about.name == name).expect("it is in the list")
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

fn ask(names: &[&'static str], second_opinion: bool) -> Scheduled<Replayed> {
    let engines: Vec<&dyn Engine> = names.iter().map(|name| says(name)).collect();
    let how = How { second_opinion, ..How::default() };
    ask_all(&engines, how, &failing(), &Budget::of_time(Duration::from_secs(60)))
}

#[test]
fn engines_that_disagree_are_noticed() {
    // Without a second opinion only one that is just finishing can differ.
    for (first, second, second_opinion) in [
        ("quick-safe", "slow-unsafe", true),
        ("quick-unsafe", "slow-safe", true),
        ("same-time-safe", "same-time-unsafe", false),
    ] {
        for names in [[first, second], [second, first]] {
            let decided = ask(&names, second_opinion).decided;
            let Decided::Unknown(Why::Disagreement { safe, bad, what }) = decided else {
                panic!("{names:?}: {decided:?}")
            };
            assert!(safe.ends_with("-safe") && bad.ends_with("-unsafe"), "{safe} {bad}");
            assert_eq!(what, "assertion failure");
        }
    }
}

#[test]
fn what_is_undefined_is_not_safe() {
    let Decided::Unknown(why) = ask(&["undefined", "slow-safe"], false).decided else { panic!("it is unknown") };
    let (safe, bad) = ("slow-safe".to_string(), "undefined".to_string());
    let what = "undefined behaviour, a jump".to_string();
    assert_eq!(why, Why::Disagreement { safe, bad, what });
    let decided = ask(&["undefined", "quick-unsafe"], false).decided;
    assert!(matches!(decided, Decided::Unsafe(_)), "{decided:?}");
}

#[test]
fn a_second_opinion_is_waited_for() {
    let said = ask(&["quick-safe", "lost", "slow-safe"], true);
    assert!(matches!(said.decided, Decided::Safe(..)));
    assert_eq!((said.by, said.confirmed_by), (vec!["quick-safe"], Some("slow-safe")));
    // Nobody confirms itself, and whoever does not know confirms nothing.
    let said = ask(&["quick-safe", "quick-safe", "lost"], true);
    assert!(matches!(said.decided, Decided::Safe(..)));
    assert_eq!((said.by, said.confirmed_by), (vec!["quick-safe"], None));
    let said = ask(&["quick-safe", "slow-safe"], false);
    assert!(matches!(said.decided, Decided::Safe(..)));
    assert_eq!(said.looked_for, Properties::of(&[Property::Assertion]));
}

#[test]
fn the_answer_is_that_of_one_engine_with_all_it_said() {
    // What is told is the engine's own answer: its notes and statistics come with it.
    let said = ask(&["lost", "slow-unsafe"], false);
    let Decided::Unsafe(replayed) = said.decided else { panic!("it is unsafe") };
    assert_eq!((replayed.trace.violation, said.by), (Property::Assertion, vec!["slow-unsafe"]));
    assert_eq!(said.gave_up, [("lost".to_string(), Why::Bound("lost".to_string()))]);
}

/// Looks for one property only, and says what it is told to.
struct Knows(Property, &'static str, fn(&Task) -> Verdict);

impl Engine for Knows {
    fn about(&self) -> &'static About {
        match self.1 {
            "first" => const { &named("first") },
            _ => const { &named("second") },
        }
    }

    fn properties(&self, task: &Task) -> Properties {
        task.properties.both(Properties::of(&[self.0]))
    }

    fn check(&self, task: &Task, run: &mut Run) -> Verdict {
        run.looked_for = task.properties;
        (self.2)(task)
    }
}

/// Asks such an engine about its part of a task.
fn ask_knows(engine: &'static Knows, task: &Task) -> Ask<'static, Replayed> {
    let covers = engine.properties(task);
    let part = Task { properties: covers, ..task.clone() };
    Ask {
        engine: engine.name(),
        title: engine.name().to_string(),
        settings: Settings::default(),
        covers,
        after: Duration::ZERO,
        memory: 100,
        gives_way: false,
        tires_after: None,
        refuses_quietly: false,
        decide: Box::new(move |run: &mut Run| decide(engine, &part, run)),
    }
}

#[test]
fn whoever_looks_for_what_is_known_is_ended() {
    static IS_ENDED: AtomicBool = AtomicBool::new(false);
    let both = Properties::of(&[Property::Assertion, Property::Race]);
    let task = Task { properties: both, ..failing() };
    fn waits(task: &Task) -> Verdict {
        for _ in 0..60_000 {
            if IS_ENDED.load(Ordering::SeqCst) {
                return safe(task);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        lost(task)
    }
    static PATIENT: Knows = Knows(Property::Assertion, "first", waits);
    static NO_RACE: Knows = Knows(Property::Race, "second", safe);
    let endless = |run: &mut Run| {
        while run.stop_soon().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        IS_ENDED.store(true, Ordering::SeqCst);
        Decided::Unknown(Why::Cancelled)
    };
    let endless = Ask { decide: Box::new(endless), title: "endless".to_string(), ..ask_knows(&NO_RACE, &task) };
    let asks = [ask_knows(&PATIENT, &task), endless, ask_knows(&NO_RACE, &task)];
    let said = schedule(&asks, both, How::default(), &Budget::unlimited(), described);
    assert!(matches!(said.decided, Decided::Safe(..)), "{said:?}");
}

#[test]
fn answers_about_parts_are_put_together() {
    let both = Properties::of(&[Property::Assertion, Property::Race]);
    let task = Task { properties: both, ..failing() };
    let ask_about = |engines: &[&'static Knows]| {
        let asks: Vec<Ask<'_, Replayed>> = engines.iter().map(|engine| ask_knows(engine, &task)).collect();
        schedule(&asks, both, How::default(), &Budget::unlimited(), described)
    };
    static SAFE: Knows = Knows(Property::Assertion, "first", safe);
    static NO_RACE: Knows = Knows(Property::Race, "second", safe);
    static LOST: Knows = Knows(Property::Race, "second", lost);
    static BAD: Knows = Knows(Property::Assertion, "second", unsafe_);
    let said = ask_about(&[&SAFE, &NO_RACE]);
    let Decided::Safe(ir::Proof::Parts(parts), _) = &said.decided else { panic!("{said:?}") };
    assert_eq!((parts.len(), said.by.len(), said.looked_for), (2, 2, both));
    let said = ask_about(&[&SAFE, &LOST]);
    assert!(matches!(&said.decided, Decided::Unknown(Why::Bound(what)) if what == "lost"), "{said:?}");
    assert_eq!(said.proven, Properties::of(&[Property::Assertion]));
    let said = ask_about(&[&SAFE]);
    let Decided::Unknown(Why::Unsupported { what, .. }) = said.decided else { panic!("{said:?}") };
    assert_eq!(what, "data race, which the engine first does not look for");
    let races = Task { properties: Properties::of(&[Property::Race]), ..failing() };
    let asks: Vec<Ask<'_, Replayed>> = [&SAFE, &BAD].map(|engine| ask_knows(engine, &races)).into();
    let said = schedule(&asks, races.properties, How::default(), &Budget::unlimited(), described);
    let Decided::Unknown(Why::Unsupported { what, .. }) = said.decided else { panic!("{said:?}") };
    assert_eq!(what, "data race, which the engines first, second do not look for");
    let said = ask_about(&[&NO_RACE, &BAD]);
    assert!(matches!(said.decided, Decided::Unsafe(_)), "{said:?}");
}

#[test]
fn what_all_refuse_quietly_is_left_out_where_nobody_asked_for_it() {
    let both = Properties::of(&[Property::Assertion, Property::Race]);
    let task = Task { properties: both, ..failing() };
    let ask_about = |second: &'static Knows, quietly, leaves_refused| {
        static SAFE: Knows = Knows(Property::Assertion, "first", safe);
        let second = Ask { refuses_quietly: quietly, ..ask_knows(second, &task) };
        let how = How { leaves_refused, ..How::default() };
        schedule(&[ask_knows(&SAFE, &task), second], both, how, &Budget::unlimited(), described)
    };
    fn refused(_: &Task) -> Verdict {
        Verdict::Unknown(Why::Unsupported { span: Span::NOWHERE, what: "races".to_string() })
    }
    static REFUSES: Knows = Knows(Property::Race, "second", refused);
    static LOST: Knows = Knows(Property::Race, "second", lost);
    let said = ask_about(&REFUSES, true, true);
    assert!(matches!(said.decided, Decided::Safe(..)), "{said:?}");
    assert_eq!(said.looked_for, Properties::of(&[Property::Assertion]));
    // Not so if it was asked about by name, or was looked for in vain.
    for (second, quietly, leaves_refused) in [(&REFUSES, true, false), (&REFUSES, false, true), (&LOST, true, true)] {
        let said = ask_about(second, quietly, leaves_refused);
        assert!(matches!(said.decided, Decided::Unknown(_)), "{said:?}");
    }
}
