//! How long has this thread, or this process, computed? Clocks that stand still while the machine does something else, and who computes first.
//!
//! Parts of a run that are shorter than a time slice cannot be compared by the time of day on a machine that is shared. Where the system does not tell
//! the time of a thread, it is the time of day after all.

use std::time::Duration;

/// The time that this thread has computed, from some fixed moment on.
#[cfg(unix)]
pub fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Likewise.
#[cfg(not(unix))]
pub fn computed() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}

/// How much nicer than others a thread is that gives way: it has a fifth of their time where there are too few cores.
#[cfg(target_os = "linux")]
const NICE: i32 = 7;

/// From now on this thread gives way to others that want to compute. Where the system knows of no such thing for threads, or does not allow it, nothing changes.
#[cfg(target_os = "linux")]
pub(crate) fn give_way() {
    let _now = rustix::process::nice(NICE);
}

/// Likewise.
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_way() {}

/// The statistic with `processor_seconds`.
pub const PROCESSOR: &str = "seconds: processor";

/// The processor time of the whole process and the programs it has called, in all its threads; as the system counts it, in hundredths. None where it does
/// not tell.
pub fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may contain anything.
    let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    let ticks: Vec<u64> = fields.filter_map(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| ticks.iter().sum::<u64>() as f64 / 100.0)
}

#[cfg(test)]
mod tests {
    use super::computed;

    #[test]
    fn waiting_does_not_count() {
        let before = computed();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(!cfg!(target_os = "linux") || computed() - before < std::time::Duration::from_millis(20));
    }
}
