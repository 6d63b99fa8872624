//! What if the input is nested ten thousand deep, or we have a bug? A thread with a deep stack, whose panic becomes a message.
//!
//! The parser refuses what is nested absurdly deep; the stack is for what it accepts. Only pages that are used become memory.

use std::sync::Mutex;

/// Address space for the stack.
const STACK_BYTES: usize = 1 << 30;

/// What the panic hook saw last.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs the work on a thread of its own; a panic becomes its message and place.
pub(crate) fn run<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, String> {
    std::panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = PANIC.lock() {
            *last = Some(panic.to_string().replace('\n', " "));
        }
    }));
    let worker = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(work)
        .map_err(|error| format!("no thread could be started: {error}"))?;
    worker.join().map_err(|_| {
        let last = PANIC.lock().ok().and_then(|mut last| last.take());
        last.unwrap_or_else(|| "no message".to_string())
    })
}
