//! Tests across modules: back ends against evaluation and against each other, and what is built on them.

mod agree;
mod integers;
mod interpolants;
pub(crate) mod random;
mod scopes;
mod stop;
mod theory;
