//! How is work handed out to several threads? One counter from which each takes the next number until somebody says that it is over.
//!
//! Results come back in the order of the numbers, whoever finished first, so that what is told does not depend on the machine.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The threads that share the work.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// How many there are.
    pub n: usize,
    /// Bytes of stack of each.
    pub stack: usize,
}

/// Enough for work that does not recurse along its input.
const STACK: usize = 2 << 20;

impl Default for Pool {
    /// One thread for each core.
    fn default() -> Pool {
        Pool { n: std::thread::available_parallelism().map_or(1, usize::from), stack: STACK }
    }
}

impl Pool {
    /// So many threads.
    pub fn of(n: usize) -> Pool {
        Pool { n, ..Pool::default() }
    }

    /// Calls `work` with 0, 1, 2 and so on. A thread that breaks takes no more; the others finish what they have begun.
    pub fn hand_out(&self, work: impl Fn(usize) -> ControlFlow<()> + Sync) {
        let next = AtomicUsize::new(0);
        let lane = || while work(next.fetch_add(1, Ordering::SeqCst)).is_continue() {};
        std::thread::scope(|scope| {
            let start = |_| std::thread::Builder::new().stack_size(self.stack).spawn_scoped(scope, lane).ok();
            if (0..self.n).filter_map(start).count() == 0 {
                lane();
            }
        });
    }

    /// What `work` makes of each item, in their order.
    pub fn map<T: Sync, R: Send>(&self, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
        let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
        Pool { n: self.n.min(items.len()), ..*self }.hand_out(|number| {
            let Some(item) = items.get(number) else { return ControlFlow::Break(()) };
            let result = work(item);
            done.lock().expect("no holder panics").push((number, result));
            ControlFlow::Continue(())
        });
        let mut done = done.into_inner().expect("no holder panics");
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order() {
        let items: Vec<u64> = (0..50).collect();
        for n in [0, 1, 3, 100] {
            // The first ones take longest.
            let work = |item: &u64| {
                std::thread::sleep(std::time::Duration::from_micros(500 - 10 * item));
                item * item
            };
            assert_eq!(Pool::of(n).map(&items, work), items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
        assert!(Pool::default().map(&[], |item: &u64| *item).is_empty());
    }

    #[test]
    fn every_number_is_handed_out_once() {
        let seen = Mutex::new(Vec::new());
        Pool::of(4).hand_out(|number| {
            if number >= 100 {
                return ControlFlow::Break(());
            }
            seen.lock().unwrap().push(number);
            ControlFlow::Continue(())
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..100).collect::<Vec<_>>());
    }
}
