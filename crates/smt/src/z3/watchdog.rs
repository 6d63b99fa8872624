//! How is a running check of Z3 stopped?
//!
//! Z3 is stopped by an interrupt from another thread, and only while it works: one that comes too early is lost. So a
//! thread looks every few milliseconds at the limits of the check under way, if there is one, and interrupts again and
//! again until the check has returned. Between checks it goes to sleep after a while, so that small checks in a row do
//! not have to wake it.
//!
//! Invariant: the thread is joined before the context goes away (`Watchdog` is dropped first).

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::binding::Interrupt;
use crate::limits::{Stop, Why};

const PERIOD: Duration = Duration::from_millis(5);
const PERIODS_BEFORE_SLEEP: u32 = 100;

struct State {
    check: Option<Stop>,
    is_asleep: bool,
    is_over: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is a few plain values, right at every moment.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread that stops checks.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    pub(crate) fn new(interrupt: Interrupt) -> Watchdog {
        let state = State { check: None, is_asleep: false, is_over: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("z3 watchdog".into())
            .spawn(move || watch(&theirs, &interrupt))
            .expect("the system can start a thread");
        Watchdog { shared, thread: Some(thread) }
    }

    /// Runs a check that ends when these limits are reached; and whether they were.
    pub(crate) fn guard<R>(&self, stop: Stop, check: impl FnOnce() -> R) -> (R, Option<Why>) {
        {
            let mut state = self.shared.lock();
            state.check = Some(stop);
            if state.is_asleep {
                self.shared.changed.notify_one();
            }
        }
        let result = check();
        let stop = self.shared.lock().check.take();
        (result, stop.and_then(|stop| stop.why()))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported by then.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, interrupt: &Interrupt) {
    let mut idle = 0;
    let mut state = shared.lock();
    while !state.is_over {
        match &state.check {
            Some(stop) => {
                idle = 0;
                if stop.poll() {
                    interrupt.interrupt();
                }
            }
            None => idle += 1,
        }
        state.is_asleep = idle > PERIODS_BEFORE_SLEEP;
        state = if state.is_asleep {
            shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
        } else {
            let waited = shared.changed.wait_timeout(state, PERIOD);
            waited.unwrap_or_else(PoisonError::into_inner).0
        };
    }
}
