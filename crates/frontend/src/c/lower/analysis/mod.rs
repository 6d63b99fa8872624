//! What is known about a program before it is lowered? What it mentions (`scan`), what its expressions touch (`effects`), which threads it joins (`joins`), whether threads use handles of others (`handles`), which mutexes it waits with (`partners`).

pub(in crate::c::lower) mod effects;
pub(in crate::c::lower) mod handles;
pub(in crate::c::lower) mod joins;
mod lock_bytes;
pub(in crate::c::lower) mod partners;
pub(in crate::c::lower) mod scan;
