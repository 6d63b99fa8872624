//! Which names mean something without a body or a model?
//!
//! Names of the verification world (`__VERIFIER_*`, `__CPROVER_*`), ways to end the process, and library functions that are taken apart
//! where they are called. Everything else is a model written in C. The tables are data; what each kind does is in `calls`.

use super::families::{Printer, Source, printer, source};

/// Functions whose call is the error.
pub(in crate::c::lower) const ERROR_CALLS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// Variables of the C library that are only passed on.
pub(in crate::c::lower) const OPAQUE_POINTERS: [&str; 6] =
    ["stdin", "stdout", "stderr", "__stdinp", "__stdoutp", "__stderrp"];

/// What a known function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) enum Known {
    /// The error call.
    Error,
    /// The end of a failed `assert`.
    AssertFail,
    /// Its first argument must hold.
    Assert,
    /// Only executions where its first argument holds count.
    Assume,
    /// Starts an atomic section.
    AtomicBegin,
    /// Ends it.
    AtomicEnd,
    /// An input of the declared type.
    Nondet,
    /// Ends the process at once.
    Abort,
    /// Ends the process.
    Exit,
    /// Prints: reads what its format says, and may write memory.
    Print(Printer),
    /// Makes an object.
    Malloc,
    /// Makes an object of zeros.
    Calloc,
    /// Ends an object.
    Free,
    /// Reads a text or inputs into what its arguments point to.
    Scan(Source),
    /// Sends a message, receives one, does so if there is one, and says what cannot be sent (`ravel/net.h`).
    Send,
    Receive,
    TryReceive,
    Refuse,
    /// Does nothing, for tools that look at the text.
    Nothing,
}

impl Known {
    /// Whether the name counts even if the program defines the function.
    pub(in crate::c::lower) fn overrides_definitions(self) -> bool {
        matches!(self, Known::Error | Known::AtomicBegin | Known::AtomicEnd)
    }
}

/// What a name means, if it is known.
pub(in crate::c::lower) fn known(name: &str) -> Option<Known> {
    if ERROR_CALLS.contains(&name) {
        return Some(Known::Error);
    }
    if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") {
        return Some(Known::Nondet);
    }
    if let Some(printer) = printer(name) {
        return Some(Known::Print(printer));
    }
    if let Some(source) = source(name) {
        return Some(Known::Scan(source));
    }
    TABLE.iter().find(|(_, names)| names.contains(&name)).map(|(known, _)| *known)
}

const TABLE: &[(Known, &[&str])] = &[
    (Known::AssertFail, &["__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn", "__assert_func"]),
    // Where <assert.h> is missing `assert` is called like a function.
    (Known::Assert, &["__VERIFIER_assert", "__CPROVER_assert", "__ESBMC_assert", "assert"]),
    (Known::Assume, &["__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume", "assume_abort_if_not"]),
    (Known::AtomicBegin, &["__VERIFIER_atomic_begin", "__CPROVER_atomic_begin", "__ESBMC_atomic_begin"]),
    (Known::AtomicEnd, &["__VERIFIER_atomic_end", "__CPROVER_atomic_end", "__ESBMC_atomic_end"]),
    (Known::Malloc, &["malloc"]),
    (Known::Calloc, &["calloc"]),
    (Known::Free, &["free"]),
    (Known::Send, &["__ravel_net_send"]),
    (Known::Receive, &["__ravel_net_receive"]),
    (Known::TryReceive, &["__ravel_net_try_receive"]),
    (Known::Refuse, &["__ravel_net_refuse"]),
    (Known::Abort, &["abort", "__builtin_abort", "__builtin_trap"]),
    (Known::Exit, &["exit", "_exit", "_Exit", "quick_exit", "__builtin_exit"]),
    (
        Known::Nothing,
        &["__VERIFIER_loop_bound", "__VERIFIER_loop_begin", "__VERIFIER_spin_start", "__VERIFIER_spin_end"],
    ),
];

/// Functions that only look at their arguments, so that a call whose result is not used does nothing if there is nothing to look at: each
/// argument is a number, a literal or a standard stream; and if nobody looks at `errno`. They have models, which do the looking.
const ONLY_LOOKING: &[&str] = &[
    "puts",
    "fputs",
    "perror",
    "putchar",
    "fputc",
    "putc",
    "fflush",
    "usleep",
    "sleep",
    "sched_yield",
    "pthread_yield",
    "thrd_yield",
    "srand",
    "srandom",
    "setbuf",
    "setlinebuf",
    "openlog",
    "closelog",
    "setlocale",
    "pthread_setname_np",
    "pthread_setconcurrency",
    "remove",
    "unlink",
];

/// Whether a function only looks at its arguments.
pub(in crate::c::lower) fn only_looks(name: &str) -> bool {
    ONLY_LOOKING.contains(&name)
}

/// Whether a function of this name runs as one atomic section.
pub(in crate::c::lower) fn is_atomic_section(name: &str) -> bool {
    name.starts_with("__VERIFIER_atomic_") && !matches!(name, "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end")
}

/// Which argument of a function is what a new thread runs, and whether that returns an `int`.
pub(in crate::c::lower) fn starts_thread(name: &str) -> Option<(usize, bool)> {
    match name {
        "pthread_create" => Some((2, false)),
        "thrd_create" => Some((1, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_two_rows() {
        let mut names: Vec<&str> = TABLE.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let n_names = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n_names);
    }

    #[test]
    fn sections_are_named_by_prefix() {
        assert!(is_atomic_section("__VERIFIER_atomic_take"));
        assert!(!is_atomic_section("__VERIFIER_atomic_begin"));
        assert!(!is_atomic_section("atomic_take"));
    }
}
