//! Inputs that carry their own expectation, and the walk over folders of them.
//!
//! A case is a program whose leading comments say what ravel must answer. There is no list of cases to maintain: the harness walks the
//! tree, and a file without an expectation is a failure. `ravel bench` reads the same lines when it is given plain files.

pub mod expectation;
pub mod walk;

pub use expectation::{Case, Expectation, Expected};
