//! What does a step do to a state? See the rules in `interp`.

pub(super) mod buffer;
pub(super) mod event;
pub(super) mod exec;
pub(super) mod inputs;
pub(super) mod memory;
pub(super) mod names;
pub(super) mod program;
pub(super) mod state;
pub(super) mod step;
