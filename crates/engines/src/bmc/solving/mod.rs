//! How are unrolled programs decided? As formulas for a SAT solver, next to the theory of orders; what is found becomes a trace.
//!
//! [`encoding`] says which choices there are, [`search`] asks for one that satisfies one of the [`goals`], among them [`data_races`] and [`deadlocks`]; [`witness`] tells
//! the execution that was found. Hard questions are shared out to several threads as [`cubes`], cut where [`split`] says,
//! and to several machines as [`parts`].

pub(crate) mod cubes;
pub(crate) mod data_races;
pub(crate) mod deadlocks;
pub(crate) mod encoding;
pub(crate) mod goals;
pub(crate) mod parts;
pub(crate) mod search;
mod split;
pub(crate) mod witness;
