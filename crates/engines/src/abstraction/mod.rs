//! What do engines share that prove things about abstract states? Cells, control, steps as terms, domains, and refinement.
//!
//! Known as: abstract domains and precisions, predicate abstraction \[Graf97], interpolation-based refinement \[McMillan06]; what lazy
//! abstraction of threads (Impact) \[Wachter13] needs as well as CEGAR.
//!
//! [`cells`] names what states speak about, [`control`] where threads stand, [`symbolic`] what a step does, [`waiting`] who may run beside an atomic section.
//! [`state`] and [`domain`] say what is known and how steps change it, with [`entailment`] as the solver; [`cone`] tells what need not be known;
//! [`refine`] decides paths, with [`unsat_core`] and [`interpolants`].
//!
//! None of it decides which paths are explored, which is up to the engines; it depends on `explore` and on no engine, `cegar` least of all.

pub mod cells;
pub mod cone;
pub mod control;
pub mod domain;
pub mod entailment;
pub mod interpolants;
pub mod refine;
pub mod state;
pub mod symbolic;
mod unsat_core;
pub mod waiting;
