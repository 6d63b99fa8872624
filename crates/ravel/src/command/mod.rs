//! What do the commands do that every language has? [`verify`], [`show`], `run`; `bench` and `litmus` have folders of their own.

pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod verify;
