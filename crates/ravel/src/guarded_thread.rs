//! What if the input is nested ten thousand deep, or we have a bug? A thread with a deep stack, whose panic becomes a message.
//!
//! The parser refuses what is nested absurdly deep; the stack is for what it accepts. Only pages that are used become memory.

use engines::{How, panic_words};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Address space for the stack.
pub(crate) const STACK_BYTES: usize = 1 << 30;

thread_local! {
    /// What the panic hook saw last on this thread.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Takes the message and place of this thread's last panic.
pub(crate) fn last_panic() -> Option<String> {
    PANIC.with_borrow_mut(Option::take)
}

/// How engines are asked beside the question itself: nobody sees how far they are.
pub(crate) fn unseen() -> How {
    How { last_panic: Some(last_panic), ..How::default() }
}

/// Listens to panics from now on: they are remembered, not printed.
pub(crate) fn listen() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string().replace('\n', " ");
        // A thread that is going away has nobody who would ask.
        let _ = PANIC.try_with(|last| *last.borrow_mut() = Some(text));
    }));
}

/// Does the work on this thread; a panic becomes its message and place.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // A panic that another thread hands on was not heard here.
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| last_panic().unwrap_or_else(|| panic_words(panic.as_ref())))
}

/// Does the work on a thread of its own; a panic becomes its message and place.
pub(crate) fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    listen();
    let worker = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(|| caught(work))
        .map_err(|error| format!("no thread could be started: {error}"))?;
    worker.join().unwrap_or_else(|panic| Err(panic_words(panic.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_keeps_its_words_and_its_place() {
        let said = run(|| panic!("of {}", 7)).map(|()| 0).expect_err("it panics");
        assert!(said.contains("of 7") && said.contains("guarded_thread.rs:"), "{said}");
        let handed_on = || std::thread::spawn(|| panic!("of another {}", 8)).join();
        let said = run(move || handed_on().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).map(|()| 0);
        assert!(said.as_ref().is_err_and(|said| said.contains("of another 8")), "{said:?}");
        // One that panics leaves the others alone.
        let all: Vec<Result<u32, String>> =
            (0..3).map(|n| run(move || if n == 1 { panic!("n is one") } else { n }).map(|n| n + 1)).collect();
        assert_eq!((all[0].clone(), all[2].clone()), (Ok(1), Ok(3)));
        assert!(all[1].as_ref().is_err_and(|said| said.contains("n is one")));
    }
}
