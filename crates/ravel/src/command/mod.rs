//! What do the commands do that every language has? [`verify`], [`show`], `run`, [`replay`] and `explain`; [`doctor`] and [`manual`] are for who installs it; `bench` and `litmus` have folders of their own.

pub(crate) mod doctor;
pub(crate) mod manual;
pub(crate) mod replay;
pub(crate) mod show;
pub(crate) mod simulate;
pub(crate) mod verify;
