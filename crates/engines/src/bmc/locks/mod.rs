//! What do locks keep apart? Critical sections, and the cells that are accessed only inside of them.
//!
//! [`lock`] says which steps take and give back a lock, [`critical_sections`] which accesses are inside and what follows for reads, [`lock_sets`] which cells a lock
//! guards. What is done with the latter is in `reductions`.

pub(crate) mod acquire_and_release;
pub(crate) mod critical_sections;
pub(crate) mod lock;
pub(crate) mod lock_sets;
