//! Deciding terms, exactly.

mod answer;
mod bits;
mod limits;
mod theory;

pub use answer::{Answer, Assignment, Decision};
pub use bits::{Bits, Lit};
pub use limits::{Cancel, Limits, Why, resident_bytes};
pub use theory::{Consequences, Theory};

#[cfg(test)]
mod tests;
