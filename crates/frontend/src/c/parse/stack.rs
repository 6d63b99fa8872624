//! A stack deep enough for recursion over syntax trees.
//!
//! The limits on nesting keep trees shallow enough for recursive functions, but not for the 2 MB stack that a thread
//! has by default, nor for the large frames of unoptimised builds. Memory for a stack is only taken when it is touched.

use std::thread;

/// Generous for the deepest tree the parser lets through, at several kilobytes a node.
const STACK_BYTES: usize = 256 << 20;

/// The smallest stack worth trying where memory is scarce.
const LEAST_STACK_BYTES: usize = 8 << 20;

/// Runs `work` on a thread of its own with a deep stack and returns its result; a panic in it goes on here.
///
/// Everything that walks a syntax tree recursively should run under this.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let mut stack_bytes = STACK_BYTES;
    while stack_bytes >= LEAST_STACK_BYTES {
        let result = thread::scope(|scope| {
            let run = || work.take().map(|work| work());
            match thread::Builder::new().stack_size(stack_bytes).spawn_scoped(scope, run) {
                Ok(handle) => match handle.join() {
                    Ok(result) => result,
                    Err(panic) => std::panic::resume_unwind(panic),
                },
                Err(_) => None,
            }
        });
        if let Some(result) = result {
            return result;
        }
        stack_bytes /= 2;
    }
    // No thread can be had at all; the stack there is must do.
    let work = work.take().expect("the work is only taken by a thread that ran, and then its result was returned");
    work()
}
