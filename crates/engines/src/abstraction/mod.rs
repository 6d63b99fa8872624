//! What do engines share that prove things about abstract states? Cells, control, steps as terms, domains, and refinement.
//!
//! `cells` names what states speak about, `control` where threads stand, `symbolic` what a step does, `waiting` who may run beside an atomic section.
//! `state` and `domain` say what is known and how steps change it, with `judge` as the solver; `refine` decides paths, with
//! `reason` and `interpolants`. None of it decides
//! which paths are explored, which is up to the engines.

pub mod cells;
pub mod control;
pub mod domain;
pub mod interpolants;
pub mod judge;
mod reason;
pub mod refine;
pub mod state;
pub mod symbolic;
pub mod waiting;
