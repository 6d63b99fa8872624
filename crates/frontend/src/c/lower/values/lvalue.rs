//! What does an lvalue name? A variable, or memory at an address.

use crate::c::types::TypeId;
use logic::{TermId, VarId};

/// What an lvalue names.
#[derive(Clone, Copy, Debug)]
pub(in crate::c::lower) struct Lvalue {
    pub(in crate::c::lower) at: At,
    pub(in crate::c::lower) ty: TypeId,
    pub(in crate::c::lower) is_atomic: bool,
    pub(in crate::c::lower) bits: Option<(u32, u32)>,
    /// The first byte of the memory location, if it is another one and races matter: bit-fields that follow each other are one.
    pub(in crate::c::lower) location: Option<TermId>,
}

#[derive(Clone, Copy, Debug)]
pub(in crate::c::lower) enum At {
    Shared(VarId),
    Private(VarId),
    Memory(TermId),
    Known(TermId),
}
