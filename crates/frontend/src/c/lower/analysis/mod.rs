//! What is known about a program before it is lowered? What it mentions (`scan`), what its expressions touch (`effects`), which threads it joins (`joins`).

pub(in crate::c::lower) mod effects;
pub(in crate::c::lower) mod joins;
pub(in crate::c::lower) mod scan;
