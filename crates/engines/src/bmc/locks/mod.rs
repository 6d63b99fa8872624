//! What do locks keep apart?

pub(crate) mod critical_sections;
pub(crate) mod lock_sets;
