//! The tests of the command line, in one binary: cases, odd inputs, limits, and rules about the tree.

#[path = "it/answers.rs"]
mod answers;
#[path = "it/case_runs.rs"]
mod case_runs;
#[path = "it/tree/circles.rs"]
mod circles;
#[path = "it/dependencies.rs"]
mod dependencies;
#[path = "it/in_process.rs"]
mod in_process;
#[path = "it/limits.rs"]
mod limits;
#[path = "it/language/litmus.rs"]
mod litmus;
#[path = "it/odd_inputs.rs"]
mod odd_inputs;
#[path = "it/language/oox.rs"]
mod oox;
#[path = "it/options.rs"]
mod options;
#[path = "it/pages.rs"]
mod pages;
#[path = "it/process.rs"]
mod process;
#[path = "it/properties.rs"]
mod properties;
#[path = "it/language/protocols.rs"]
mod protocols;
#[path = "it/tree/references.rs"]
mod references;
#[path = "it/tree/rules.rs"]
mod rules;
#[path = "it/snapshots.rs"]
mod snapshots;
#[path = "it/suites.rs"]
mod suites;
#[path = "it/tree/tidy.rs"]
mod tidy;

/// The program's own: many cases are asked within the test.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
