//! What do engines that interleave threads share? Knowing what a thread may still touch, and which threads must run now.
//!
//! `targets` names the things that accesses can touch, coarsely and once for a program; `future` tells what a thread may touch
//! from a location on; `source` computes source sets from both; `threads` is what these are made of. All of it is static and speaks of `ir` programs in which every
//! procedure is the whole life of a thread; what an engine knows better about the current state (concrete addresses, who
//! waits for what) it passes in. `actions` and `choice` do the same for abstract states: what a thread may do from a location, and which
//! threads to run, with the dependency relation that the abstraction asks for; `cone` tells whose values anybody still looks at. `weak_order` and
//! `robustness` tell whether interleavings are enough to find all races.

pub mod actions;
pub mod choice;
pub mod cone;
pub mod future;
pub(crate) mod robustness;
pub mod source;
pub mod targets;
pub mod threads;
pub(crate) mod weak_order;
