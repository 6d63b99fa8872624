//! What can threads see of each other? Events of bounded executions, and the orders they can happen in.
//!
//! `events` has the reads and writes of a program without loops, each with its guard, address and value as terms, and says
//! which write a read may take its value from. `order` decides, next to a SAT solver, whether a choice of such writes is possible:
//! whether all of it can happen one after the other.

pub mod events;
pub mod order;
