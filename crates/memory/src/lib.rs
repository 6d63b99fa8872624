//! What can threads see of each other? Events of bounded executions, and the orders they can happen in; and memory models.
//!
//! Two halves that answer the same question in two ways.
//!
//! **Guarded events** ([`events`], [`order`]). All ways of a program without loops at once: reads and writes, each with its guard, address and value as terms of
//! `logic`, on nodes that program order connects. [`events`] says which write a read may take its value from, and what the models with store buffers leave
//! of program order; [`order`] decides, next to a SAT solver, whether a choice of such writes can happen one after the other. Unrolled C
//! comes here.
//!
//! **Judged executions** ([`execution`], [`relation`], [`cat`]). One way for each thread of a litmus test at a time: events without guards, values as terms of [`execution`], dependencies
//! and tags beside them. An execution is a set of events with relations between them, and any model in the cat language says which of them exist. Litmus tests come here.
//! Deciding questions about them is the engines' business.
//!
//! **The bridge** ([`graph`], [`formula`]). Guarded events become events with tags ([`graph`]: kinds, compiler mappings, what names of sets and relations mean), and what a model says about
//! them becomes clauses ([`formula`]), with guards for unrolled C and without for litmus tests. An execution that was found is judged exactly by `graph::judge`.

pub mod cat;
pub mod events;
pub mod execution;
pub mod formula;
pub mod graph;
pub mod order;
pub mod relation;
