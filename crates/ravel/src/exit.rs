//! How does the process end? The exit codes, in one place.

/// The exit codes of all commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// No violation is possible; for other commands: done.
    Safe = 0,
    /// A violation was found.
    Unsafe = 1,
    /// The input or the command line cannot be used.
    BadInput = 2,
    /// Could not be told.
    Unknown = 3,
    /// A bug of ours.
    Bug = 101,
}
