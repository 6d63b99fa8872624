//! What can be typed behind `ravel litmus`?

use crate::quantity::{self, Limit};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Debug)]
pub(crate) struct Litmus {
    /// Litmus tests, or folders of them
    #[arg(required = true, value_name = "TEST")]
    pub(crate) tests: Vec<PathBuf>,
    /// A .cat file, or one of ours: sc, tso, pso, power, aarch64, riscv, c11, rc11, imm, linux-kernel, or for messages udp, tcp, tcp-buffered, mqtt, dds, quic, rpc
    /// [default: that of the test's dialect]
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Look for models and what they include in this folder, too
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Switch a variant of the model on (`if "name"` in .cat files)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) variant: Vec<String>,
    /// Take the meaning of the functions of C tests from this file, as linux-kernel.def gives it
    #[arg(long, value_name = "FILE")]
    pub(crate) macros: Option<PathBuf>,
    /// What is counted: final states, executions, or (rf) executions that differ in what reads read [default: executions; rf for messages]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) enumerate: Option<Enumerate>,
    /// Who answers: the enumerator, the SAT solver, or (auto) the solver where there are very many choices
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "auto")]
    pub(crate) method: Method,
    /// How often an instruction is jumped back to
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) unroll: u32,
    /// For each test
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    pub(crate) time_limit: Limit<Duration>,
    /// Give up beyond this much memory (4G, 512M, none), for all tests together
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = quantity::size)]
    pub(crate) memory_limit: Limit<u64>,
    /// Print JSON instead of text (docs/json.md)
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the executions as graphs for Graphviz instead of text
    #[arg(long, conflicts_with = "json")]
    pub(crate) dot: bool,
    /// Write a page with every execution drawn to this file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the executions of tests with messages as message-sequence charts to this file, too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Which executions are drawn; one that is forbidden is drawn with the axiom that forbids it when nothing else is there
    #[arg(long, value_enum, value_name = "WHICH", default_value = "positive")]
    pub(crate) show: Pick,
    /// At most so many executions of a test are drawn
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) nshow: usize,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Enumerate {
    States,
    Executions,
    Rf,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Method {
    Auto,
    Enumerate,
    Symbolic,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pick {
    /// Those in which the condition holds
    Positive,
    /// All
    All,
}
