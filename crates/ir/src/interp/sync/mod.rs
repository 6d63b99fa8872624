//! What orders the steps of different threads, and where does nothing?

pub(super) mod happens_before;
pub(super) mod locks;
pub(super) mod race;
pub(super) mod waits;
pub(super) mod watched;
