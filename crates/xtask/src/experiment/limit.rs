//! How long may a run compute? Limits are processor time, as in the literature, so that a machine that is busy with other things takes nothing away.
//!
//! A thread beside looks now and then how long the one that works has computed, and raises the flag of its budget when that is too long. The time of day is limited too, to a multiple of it.
//! Where the system does not tell the time of a thread, the time of day alone counts.

use engines::Budget;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Memory of a run.
const MEMORY: u64 = 4 << 30;

/// So much more time may pass than is computed.
const PASSED: u32 = 20;

/// How often it is looked.
const PAUSE: Duration = Duration::from_millis(5);

/// A budget for a run that may compute so long; `within` keeps it.
pub(super) fn budget(limit: Duration) -> Budget {
    let passed = if own_clock().is_some() { limit * PASSED } else { limit };
    Budget::new(Some(passed), Some(MEMORY))
}

/// Does work of this thread, and raises the flag of the budget once it has computed for longer than the limit.
pub(super) fn within<R>(limit: Duration, budget: &Budget, work: impl FnOnce() -> R) -> R {
    let Some((clock, begun)) = own_clock().and_then(|clock| read(&clock).map(|begun| (clock, begun))) else {
        return work();
    };
    let (done, is_done) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while is_done.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if read(&clock).is_none_or(|now| now.saturating_sub(begun) > limit) {
                    budget.cancel();
                    return;
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Where the system tells how long this thread has computed.
fn own_clock() -> Option<PathBuf> {
    let task = std::fs::read_link("/proc/thread-self").ok()?;
    Some(PathBuf::from("/proc").join(task).join("schedstat"))
}

fn read(clock: &std::path::Path) -> Option<Duration> {
    let text = std::fs::read_to_string(clock).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn who_computes_too_long_is_told() {
        let limit = Duration::from_millis(30);
        let allowed = budget(limit);
        let started = Instant::now();
        within(limit, &allowed, || while allowed.is_over().is_none() && started.elapsed() < Duration::from_secs(60) {});
        assert!(allowed.is_over().is_some());
        let idle = budget(limit);
        within(limit, &idle, || std::thread::sleep(Duration::from_millis(60)));
        assert!(!idle.is_cancelled(), "who waits does not compute");
    }
}
