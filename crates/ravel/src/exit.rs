//! How does the process end? The exit codes, in one place.

/// The exit codes of all commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// No violation is possible; for other commands: done.
    Safe,
    /// A violation was found.
    Unsafe,
    /// The input or the command line cannot be used.
    BadInput,
    /// Could not be told.
    Unknown,
    /// Could not be told, but nothing is wrong up to a bound, and the user has chosen this code for that.
    Bounded(u8),
    /// A bug of ours.
    Bug,
}

impl Exit {
    /// What the system is told.
    pub(crate) fn code(self) -> i32 {
        match self {
            Exit::Safe => 0,
            Exit::Unsafe => 1,
            Exit::BadInput => 2,
            Exit::Unknown => 3,
            Exit::Bounded(code) => i32::from(code),
            Exit::Bug => 101,
        }
    }
}
