//! What can be typed about parts of one hard question?

use crate::quantity::{self, Limit};
use cases::Shard;
use clap::{Args, value_parser};
use std::path::PathBuf;
use std::time::Duration;

/// How `ravel verify` cuts a question.
#[derive(Args, Debug, Default)]
pub(crate) struct Cut {
    /// If bmc finds the question hard, cut it into so many parts instead of answering it; `ravel cubes DIR` works on them, here or on other machines (only for C)
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=100_000), requires = "into")]
    pub(crate) cubes: Option<u32>,
    /// The folder for the parts, which is made
    #[arg(long, value_name = "DIR", requires = "cubes")]
    pub(crate) into: Option<PathBuf>,
    /// Submit the parts as a job array of Slurm at once, follow it, and put the answers together
    #[arg(long, requires = "into")]
    pub(crate) slurm: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Cubes {
    /// What `ravel verify --cubes N --into DIR` wrote
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// For each part
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = quantity::duration)]
    pub(crate) time_limit: Limit<Duration>,
    /// For each part
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = quantity::size)]
    pub(crate) memory_limit: Limit<u64>,
    /// How many parts at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Work on every N-th part, from the I-th on
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Submit the parts as a job array of Slurm, follow it, and run again what is lost; all nodes must see the folder
    #[arg(long, conflicts_with = "shard")]
    pub(crate) slurm: bool,
    /// How many jobs the array has
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=100_000), requires = "slurm")]
    pub(crate) array_size: u32,
    /// The partition of Slurm
    #[arg(long, value_name = "P", requires = "slurm")]
    pub(crate) partition: Option<String>,
}
