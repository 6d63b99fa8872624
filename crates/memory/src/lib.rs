//! What can threads see of each other? Events of bounded executions, and the orders they can happen in; and memory models.
//!
//! Two halves that answer the same question in two ways.
//!
//! **Guarded events** ([`events`], [`order`]). All ways of a program without loops at once: reads and writes, each with its guard, address and value as terms of
//! `logic`, on nodes that program order connects. `events` says which write a read may take its value from, and what the models with store buffers leave
//! of program order; `order` decides, next to a SAT solver, whether a choice of such writes can happen one after the other. Unrolled C
//! comes here. The only memory models are those that are interleavings of something: sc, tso, pso.
//!
//! **Judged executions** ([`execution`], [`relation`], [`cat`]). One way for each thread of a litmus test at a time: events without guards, values as terms of `execution`, dependencies
//! and tags beside them. An execution is a set of events with relations between them, and any model in the cat language says which of them exist. Litmus tests come here.
//! Deciding questions about them is the engines' business.
//!
//! **The bridge** that is missing is one graph of guarded events with the vocabulary of both: thread, place and address, kind (read, write, fence), tags (memory order), guard,
//! value as a term of `logic`, and the relations that a program gives (program order, dependencies, the pairs of read-modify-writes). What each half lacks for it:
//!
//! - `events` has nodes where `execution` has events: a read-modify-write is one node, and fences are kinds of nodes, not events. It has neither tags nor dependencies.
//! - `execution` has no guards: each combination of ways is a `Skeleton` of its own. Its values are `execution::Terms`, 64-bit words with operations of instruction
//!   sets, and not terms of `logic`.
//!
//! With it, unrolled C could be judged by cat models, and litmus tests decided by `order` where the model is sc, tso or pso.

pub mod cat;
pub mod events;
pub mod execution;
pub mod formula;
pub mod graph;
pub mod order;
pub mod relation;
