//! Is what an engine shows under axioms true? Execution graphs, checked by somebody who knows nothing of formulas.
//!
//! [`axioms`] reads the model of a program, [`monotone`] says which models can be asked about parts of executions, [`messages`] what judges programs that send messages, [`judged`] runs and judges a graph, [`dependencies`] says what its accesses depend on,
//! [`picture`] what is drawn of it.

pub(crate) mod axioms;
mod dependencies;
pub(crate) mod judged;
pub(crate) mod messages;
pub(crate) mod monotone;
mod picture;
