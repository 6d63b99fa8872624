//! Does somebody wait for ever? What the oracles about locks know in common.
//!
//! Two things are a deadlock: nobody can go on and somebody waits; or some threads wait for each other, or for what a thread that has ended
//! has kept, whatever the others do. The second is found from above: of all who wait for one thread, those are struck out that
//! wait for somebody who does not.

/// What a thread does at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doing {
    /// It can go on.
    Runs,
    /// It waits for what only a thread can end; none if nobody alone can.
    Waits(Option<usize>),
    /// It has ended.
    Ended,
}

/// Whether there is a deadlock.
pub(super) fn is_deadlock(threads: &[Doing]) -> bool {
    let waits = threads.iter().any(|doing| matches!(doing, Doing::Waits(_)));
    let runs = threads.contains(&Doing::Runs);
    (waits && !runs) || some_for_ever(threads)
}

/// Whether some wait for ever, whatever the others do.
fn some_for_ever(threads: &[Doing]) -> bool {
    let mut is_left: Vec<bool> = threads.iter().map(|doing| matches!(doing, Doing::Waits(Some(_)))).collect();
    loop {
        let stays = |thread: usize| match threads[thread] {
            Doing::Waits(Some(owner)) => threads.get(owner) == Some(&Doing::Ended) || is_left.get(owner) == Some(&true),
            _ => false,
        };
        let kept: Vec<bool> = (0..threads.len()).map(|thread| is_left[thread] && stays(thread)).collect();
        if kept == is_left {
            return kept.contains(&true);
        }
        is_left = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Doing::{Ended, Runs, Waits};

    #[test]
    fn circles_and_the_dead_are_waited_for_for_ever() {
        assert!(is_deadlock(&[Runs, Waits(Some(2)), Waits(Some(1))]));
        assert!(is_deadlock(&[Runs, Waits(Some(2)), Ended]));
        assert!(is_deadlock(&[Runs, Waits(Some(1))]));
        assert!(is_deadlock(&[Waits(None), Ended]));
        assert!(!is_deadlock(&[Runs, Waits(None), Waits(Some(1))]));
        assert!(!is_deadlock(&[Runs, Waits(Some(0)), Waits(Some(1))]));
        assert!(!is_deadlock(&[Ended, Ended]));
    }
}
