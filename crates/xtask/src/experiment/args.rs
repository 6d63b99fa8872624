//! What was typed after the name of an experiment?

use std::path::PathBuf;
use std::time::Duration;

/// What was typed after the experiment's name.
pub(crate) struct Args {
    /// For experiments over a suite: a csv with the header task,property,expected; a folder of .yml tasks; or files.
    pub(crate) suite: Vec<PathBuf>,
    /// Where the tables (csv) and charts (SVG) are written.
    pub(crate) into: Option<PathBuf>,
    /// For each run of an engine.
    pub(crate) limit: Duration,
    /// por, coi: largest N of the family of programs with 2N+1 threads.
    pub(crate) max: u32,
    /// conflicts: how often loops of unknown length go round.
    pub(crate) unwind: u32,
    /// How many tasks of a suite at a time.
    pub(crate) jobs: usize,
    /// Only tasks of the suite whose path contains this.
    pub(crate) filter: Option<String>,
}

impl Args {
    /// Reads options and suites; what is wrong with them otherwise.
    pub(super) fn read(words: &[String]) -> Result<Args, String> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let limit = Duration::from_secs(10);
        let mut args = Args { suite: Vec::new(), into: None, limit, max: 64, unwind: 2, jobs, filter: None };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else {
                args.suite.push(PathBuf::from(word));
                continue;
            };
            let value = words.next().ok_or_else(|| format!("--{option} what?"))?;
            let number = || value.parse::<u32>().map_err(|_| format!("--{option}: `{value}` is not a number"));
            match option {
                "into" => args.into = Some(PathBuf::from(value)),
                "filter" => args.filter = Some(value.clone()),
                "max" => args.max = number()?,
                "unwind" => args.unwind = number()?,
                "jobs" => args.jobs = number()?.max(1) as usize,
                "seconds" => {
                    let seconds = value.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
                    args.limit = seconds.ok_or_else(|| format!("--seconds: `{value}` is no time"))?;
                }
                _ => {
                    let known = "--into, --seconds, --max, --unwind, --jobs, --filter";
                    return Err(format!("there is no option --{option}; there are {known}"));
                }
            }
        }
        Ok(args)
    }

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
