//! What was typed after the name of an experiment?

use std::path::PathBuf;
use std::time::Duration;

/// What was typed after the experiment's name.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// For experiments over a suite: a csv with the header task,property,expected; a folder of .yml tasks; or files
    pub(crate) suite: Vec<PathBuf>,
    /// Where the tables (csv) and charts (SVG) are written
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// For each run of an engine
    #[arg(long = "seconds", value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) limit: Duration,
    /// por, coi: largest N of the family of programs with 2N+1 threads
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) max: u32,
    /// conflicts: how often loops of unknown length go round
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) unwind: u32,
    /// How many tasks of a suite at a time
    #[arg(long, value_name = "N", default_value_t = cases::Pool::default().n)]
    pub(crate) jobs: usize,
    /// Only tasks of the suite whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it is no time".to_string())
}

impl Args {
    /// The tasks of the suite, all of them about C programs.
    pub(super) fn tasks(&self) -> Result<Vec<cases::Task>, String> {
        let c = cases::Form { endings: &["c", "i"], selector: "property" };
        let mut tasks = cases::suite::read(&self.suite, &[c])?;
        if let Some(filter) = &self.filter {
            tasks.retain(|task| task.path.to_string_lossy().contains(filter.as_str()));
        }
        Ok(tasks)
    }
}
