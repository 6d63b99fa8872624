//! In which thread does Z3 work, and who waits for it?
//!
//! Usually the caller's. Where Z3 may not notice an interrupt for long, the whole engine moves to a thread of its own; if the
//! limits of the check are reached first, the caller goes on without it, and the thread gives the engine up when Z3
//! returns. Large engines are also taken apart in a thread, since that takes as long as building them.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::Engine;
use super::binding::Truth;
use crate::limits::{Stop, Why};

/// How often the limits are looked at while somebody else works.
const PERIOD: Duration = Duration::from_millis(5);

/// Engines with more terms work and are taken apart elsewhere.
const MANY_TERMS: usize = 4000;

/// An engine on its way between threads.
struct Moving(Engine);

// SAFETY: every reference to the engine's context, counted without synchronisation, is held inside the engine itself, which
// moves as a whole; Z3's contexts are not tied to a thread.
#[allow(unsafe_code)]
unsafe impl Send for Moving {}

/// Runs a check; the engine comes back unless it was left behind.
pub(super) fn check(engine: Engine, stop: Stop) -> (Option<Engine>, Result<Truth, Why>) {
    if !engine.encoder.has_floats() && engine.encoder.len() <= MANY_TERMS {
        let checked = engine.check(stop);
        return (Some(engine), checked);
    }
    let (sender, receiver) = channel();
    let moving = Moving(engine);
    let theirs = stop.clone();
    let spawned = std::thread::Builder::new().name("z3".into()).spawn(move || {
        // The whole of it, not the engine inside, which could not move.
        let moving = moving;
        let checked = moving.0.check(theirs);
        // If nobody waits any more, the engine ends here.
        drop(sender.send((moving, checked)));
    });
    if spawned.is_err() {
        return (None, Err(Why::Incomplete("Z3: the system can start no thread".into())));
    }
    loop {
        match receiver.recv_timeout(PERIOD) {
            Ok((moving, checked)) => return (Some(moving.0), checked),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(why) = stop.check() {
                    return (None, Err(why));
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                return (None, Err(Why::Incomplete("Z3: its thread has died".into())));
            }
        }
    }
}

/// Ends an engine without keeping anybody waiting.
pub(super) fn discard(engine: Engine) {
    if engine.encoder.len() <= MANY_TERMS {
        return;
    }
    let moving = Moving(engine);
    // If there is no thread to be had, the engine ends here, later.
    drop(std::thread::Builder::new().name("z3 end".into()).spawn(move || drop(moving)));
}
