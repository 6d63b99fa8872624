//! How many cores may be used? As many as the system gives this process, or fewer if the user says so.

/// How many there are for this process.
pub fn available() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// From now on this thread, and those that it starts, run on so many cores at most. Where the system knows of no such thing nothing changes.
#[cfg(target_os = "linux")]
pub fn limit_to(n: usize) {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Ok(given) = sched_getaffinity(None) else { return };
    let mut kept = CpuSet::new();
    let ours = (0..CpuSet::MAX_CPU).filter(|core| given.is_set(*core));
    ours.take(n.max(1)).for_each(|core| kept.set(core));
    let _ = sched_setaffinity(None, &kept);
}

/// Likewise.
#[cfg(not(target_os = "linux"))]
pub fn limit_to(_: usize) {}

#[cfg(test)]
mod tests {
    #[test]
    fn a_thread_keeps_to_the_cores_that_it_may_use() {
        let seen = std::thread::spawn(|| {
            super::limit_to(1);
            std::thread::spawn(super::available).join()
        });
        let seen = seen.join().and_then(|inner| inner);
        assert!(!cfg!(target_os = "linux") || matches!(seen, Ok(1)));
    }
}
