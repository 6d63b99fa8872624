//! What do engines that interleave threads share? Knowing what a thread may touch, and which threads must run now.
//!
//! [`targets`] names the things that accesses can touch, coarsely and once for a program; [`por`] is partial order reduction: dependence, source
//! sets, the cycle proviso, dynamic reduction. All of it speaks of `ir` programs in which every procedure is the whole life of a thread; what an
//! engine knows better about the current state (concrete addresses, who waits for what) it passes in. [`actions`] tells what a thread may do
//! from a location, for engines whose states do not say. [`weak_order`] and [`robustness`] tell whether interleavings are enough to find all races,
//! [`under_buffers`] what is looked for where store buffers are part of the program.

pub mod actions;
pub mod por;
pub(crate) mod robustness;
pub mod targets;
pub(crate) mod under_buffers;
pub(crate) mod weak_order;
