//! Who ends a run that does not end itself? One thread that looks at the clock, at the memory in use and at ^C.
//!
//! The limits hold in every phase, also in those that ask nobody (the front end, the passes, the system's compiler): when one is
//! reached the shared cancel flag is raised, and if no answer comes within a short grace the watcher gives it itself and
//! ends the process. Whoever speaks first claims the answer, so exactly one is printed. A second ^C ends at once.

use crate::screen;
use engines::run::resident_bytes;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run was ended from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    /// The time limit was reached.
    Time(Duration),
    /// The memory limit was reached.
    Memory(u64),
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
#[derive(Clone, Default)]
pub(crate) struct Watch(Arc<Shared>);

#[derive(Default)]
struct Shared {
    cancel: Arc<AtomicBool>,
    answered: AtomicBool,
    interrupted: AtomicBool,
    reason: Mutex<Option<Stop>>,
}

impl Watch {
    /// The flag that engines look at.
    pub(crate) fn cancel(&self) -> Arc<AtomicBool> {
        self.0.cancel.clone()
    }

    /// Why the cancel flag was raised, if it was.
    pub(crate) fn reason(&self) -> Option<Stop> {
        *self.0.reason.lock().expect("no holder panics")
    }

    /// Whether the caller may speak: true for the first who asks. The loser must stay silent.
    pub(crate) fn claim_answer(&self) -> bool {
        !self.0.answered.swap(true, Ordering::SeqCst)
    }

    /// Starts watching. With `heartbeat` a terminal shows that the work goes on. `give_up` is called on the watcher's
    /// thread when the worker does not answer in time; it should print the answer, and the process ends with exit
    /// code 3 after it.
    pub(crate) fn start(
        &self,
        time: Option<Duration>,
        memory: Option<u64>,
        heartbeat: bool,
        give_up: impl Fn(Stop) + Send + 'static,
    ) {
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
                    let seconds = started.elapsed().as_secs();
                    screen::progress(&format!("working: {seconds} s, {} MiB  (^C to stop)", memory_in_use() >> 20));
                }
                let stop = watch.look(started.elapsed(), time, memory);
                let (reason, at) = match (since, stop) {
                    (Some(found), _) => found,
                    (None, Some(stop)) => {
                        *watch.0.reason.lock().expect("no holder panics") = Some(stop);
                        watch.0.cancel.store(true, Ordering::SeqCst);
                        *since.insert((stop, Instant::now()))
                    }
                    (None, None) => continue,
                };
                let is_urgent = matches!(reason, Stop::Memory(limit) if memory_in_use() > limit + limit / 8);
                if (at.elapsed() >= GRACE || is_urgent) && watch.claim_answer() {
                    give_up(reason);
                    std::process::exit(3);
                }
            }
        });
    }

    /// The limit that is reached now.
    fn look(&self, elapsed: Duration, time: Option<Duration>, memory: Option<u64>) -> Option<Stop> {
        if self.0.interrupted.load(Ordering::SeqCst) {
            return Some(Stop::Interrupted);
        }
        if let Some(limit) = time.filter(|limit| elapsed >= *limit) {
            return Some(Stop::Time(limit));
        }
        memory.filter(|limit| memory_in_use() >= *limit).map(Stop::Memory)
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

fn memory_in_use() -> u64 {
    resident_bytes().unwrap_or(0)
}
