//! Which values need not be computed? Those that are known, those that nobody looks at, and those that decide nothing.
//!
//! Known as: [`constants`] is conditional constant propagation, [`dead_code`] dead-code elimination, [`handles`] decides by the number of threads, [`slice`](mod@slice) program slicing, [`split_webs`] live-range splitting.

pub(super) mod constants;
pub(super) mod dead_code;
pub(super) mod handles;
pub(super) mod set_once;
pub(super) mod slice;
pub(super) mod split_webs;
