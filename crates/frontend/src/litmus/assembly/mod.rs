//! How are assembly tests read? Columns of instructions (`columns`, `line`), one dialect each in a file of its own.

pub(in crate::litmus) mod aarch64;
pub(in crate::litmus) mod columns;
pub(in crate::litmus) mod line;
pub(in crate::litmus) mod ppc;
pub(in crate::litmus) mod riscv;
pub(in crate::litmus) mod x86;
