//! What can threads see of each other? Events of bounded executions, and the orders they can happen in; and memory models.
//!
//! `events` has the reads and writes of a program without loops, each with its guard, address and value as terms, and says
//! which write a read may take its value from. `order` decides, next to a SAT solver, whether a choice of such writes is possible:
//! whether all of it can happen one after the other.
//!
//! For litmus tests, an execution is a set of events with relations between them (`relation`), made from a test by `execution`; a memory model in
//! the cat language (`cat`) says which executions exist. Deciding questions about them is the engines' business.

pub mod cat;
pub mod events;
pub mod execution;
pub mod order;
pub mod relation;
