//! Questions whose answers are known: cases, task definitions, suites of both, and how ravel is asked and judged.
//!
//! A case is a program whose leading comments say what ravel must answer ([`expectation`]). There is no list of cases to maintain: the harness walks the
//! tree ([`walk`]), and a file without an expectation is a failure. A suite is a csv, a folder of task definitions ([`task_file`]) or of cases
//! ([`suite`]); [`worker`] asks a ravel in a process of its own and compares. What the words for properties mean is said in [`question`];
//! [`pool`] hands work out to several threads, [`journal`] keeps what has been answered, and [`table`] writes tables for spreadsheets.

pub mod count;
pub mod expectation;
pub mod journal;
pub mod pool;
pub mod question;
pub mod suite;
pub mod table;
pub mod task_file;
pub mod walk;
pub mod worker;

pub use expectation::{Case, Expectation, Expected};
pub use journal::{Journal, Shard};
pub use pool::Pool;
pub use suite::{Form, Task};
pub use worker::{Category, Worker};
