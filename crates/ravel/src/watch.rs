//! Who ends a run that does not end itself? One thread that looks at the budget and at ^C.
//!
//! The limits hold in every phase, also in those that ask nobody (the front end, the passes, the system's compiler): when one is
//! reached the budget is cancelled, and if no answer comes within a short grace the watcher gives it itself and
//! ends the process, with what was known and what the engines had reached by then. Whoever speaks first claims the answer, so exactly one is
//! printed. A second ^C ends at once. The line that shows how far the work is has no other writer.

use crate::exit::Exit;
use crate::screen;
use engines::reached::Entry;
use engines::{Board, Budget, memory_in_use};
use ir::Why;
use report::Answer;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run was ended from outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// A limit of the budget was reached.
    Limit(Why),
    /// The user asked to stop.
    Interrupted,
}

/// How often the watcher looks.
const INTERVAL: Duration = Duration::from_millis(20);
/// How often a terminal shows that the work goes on.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long an engine has to give its own answer after a limit.
const GRACE: Duration = Duration::from_millis(500);

/// What the watcher and the worker share.
#[derive(Clone)]
pub(crate) struct Watch(Arc<Shared>);

struct Shared {
    budget: Budget,
    answered: AtomicBool,
    interrupted: AtomicBool,
    reason: Mutex<Option<Stop>>,
    board: Board,
    known: Mutex<Option<Answer>>,
}

impl Watch {
    /// Nobody watches yet; the budget has begun.
    pub(crate) fn new(budget: Budget) -> Watch {
        Watch(Arc::new(Shared {
            budget,
            answered: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            reason: Mutex::new(None),
            board: Board::default(),
            known: Mutex::new(None),
        }))
    }

    /// What may be used; cancelled when a limit is reached or the user asks to stop.
    pub(crate) fn budget(&self) -> &Budget {
        &self.0.budget
    }

    /// Where the engines say how far they are.
    pub(crate) fn board(&self) -> &Board {
        &self.0.board
    }

    /// Remembers what can be said already, for whoever gives the answer.
    pub(crate) fn know(&self, answer: &Answer) {
        *self.0.known.lock().expect("no holder panics") = Some(answer.clone());
    }

    /// What could be said already.
    pub(crate) fn known(&self) -> Option<Answer> {
        self.0.known.lock().expect("no holder panics").clone()
    }

    /// Why it was cancelled, if it was.
    pub(crate) fn reason(&self) -> Option<Stop> {
        self.0.reason.lock().expect("no holder panics").clone()
    }

    /// Whether the caller may speak: true for the first who asks. The loser must stay silent.
    pub(crate) fn claim_answer(&self) -> bool {
        !self.0.answered.swap(true, Ordering::SeqCst)
    }

    /// Likewise; the loser waits until the watcher, who is speaking, ends the process.
    pub(crate) fn claim_or_wait(&self) {
        if !self.claim_answer() {
            loop {
                std::thread::park();
            }
        }
    }

    /// Starts watching. With `heartbeat` a terminal shows that the work goes on. `give_up` is called on the watcher's
    /// thread when the worker does not answer in time; it should print the answer, and the process ends as it says.
    pub(crate) fn start(&self, heartbeat: bool, give_up: impl Fn(Stop) -> Exit + Send + 'static) {
        self.catch_interrupts();
        let watch = self.clone();
        let started = Instant::now();
        std::thread::spawn(move || {
            let mut since: Option<(Stop, Instant)> = None;
            let mut last_sign = started;
            loop {
                std::thread::sleep(INTERVAL);
                if heartbeat && last_sign.elapsed() >= HEARTBEAT && !watch.0.answered.load(Ordering::SeqCst) {
                    last_sign = Instant::now();
                    screen::progress(&watch.line(started.elapsed()));
                }
                if since.is_none()
                    && let Some(stop) = watch.look()
                {
                    *watch.0.reason.lock().expect("no holder panics") = Some(stop.clone());
                    watch.budget().cancel();
                    since = Some((stop, Instant::now()));
                }
                let Some((reason, at)) = &since else { continue };
                let is_urgent =
                    matches!(reason, Stop::Limit(Why::MemoryLimit(limit)) if memory_in_use() > limit + limit / 8);
                if (at.elapsed() >= GRACE || is_urgent) && watch.claim_answer() {
                    std::process::exit(give_up(reason.clone()).code());
                }
            }
        });
    }

    /// How far the work is, in one line.
    fn line(&self, elapsed: Duration) -> String {
        let busy = self.board().entries().into_iter().filter(|entry| entry.is_busy);
        let word = |entry: Entry| {
            let name = entry.title.split(' ').next().unwrap_or_default().to_string();
            let counts = entry.reached.counts();
            if counts.is_empty() { name } else { format!("{name}: {counts}") }
        };
        let engines: Vec<String> = busy.map(word).collect();
        let engines = if engines.is_empty() { "reading".to_string() } else { engines.join(" | ") };
        format!("{} s, {} MiB (^C to stop)  {engines}", elapsed.as_secs(), memory_in_use() >> 20)
    }

    /// What ends the run now.
    fn look(&self) -> Option<Stop> {
        if self.0.interrupted.load(Ordering::SeqCst) {
            return Some(Stop::Interrupted);
        }
        self.budget().is_over().or_else(|| self.budget().exceeds_memory()).map(Stop::Limit)
    }

    /// The first ^C asks to stop, the second ends the process.
    fn catch_interrupts(&self) {
        let watch = self.clone();
        // A handler that cannot be installed leaves the system's own: ^C ends the process, which is what it asks for.
        let _ = ctrlc::set_handler(move || {
            if watch.0.interrupted.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    }
}
