//! What was typed after the name of an experiment, and which tasks is it about?
//!
//! Without a suite the tasks are those of this repository, so that everybody can repeat an experiment. Only questions about assertions and error calls count, because
//! the literature asks those: a case that asks more and is safe is safe in this respect, too; one that asks more and is not says nothing about it and is left out, as are cases with
//! options of their own (other memory models, bounds). A folder or csv that is named instead is read as it is.

use cases::question::from_words;
use ir::{Properties, Property};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What was typed after the experiment's name.
#[derive(clap::Args, Clone)]
pub(crate) struct Args {
    /// For experiments over a suite: a csv with the header task,property,expected; a folder of .yml tasks; or files; without one the cases of this repository
    pub(crate) suite: Vec<PathBuf>,
    /// Where the tables (csv) and charts (SVG) are written
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// A page in Markdown with all tables, and what the literature says
    #[arg(long, value_name = "FILE")]
    pub(crate) page: Option<PathBuf>,
    /// Processor time for each run of an engine
    #[arg(long = "seconds", value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) limit: Duration,
    /// At most a fifth of a second for each run, and each run once; all of them take some minutes then
    #[arg(long)]
    pub(crate) quick: bool,
    /// por, coi: likewise for each program of the family; impact: for each run; at most a quarter of a minute with --quick
    #[arg(long = "family-seconds", value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) family_limit: Duration,
    /// por, coi: largest N of the family of programs with 2N+1 threads
    #[arg(long, value_name = "N", default_value_t = 256)]
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
    /// Tables are made, and nothing is run: what a test compares the page with.
    #[arg(skip)]
    pub(crate) is_dry: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it is no time".to_string())
}

/// The longest that a run takes where everything has to be quick.
const QUICK: Duration = Duration::from_millis(200);

/// Likewise for a program of the family.
const QUICK_FAMILY: Duration = Duration::from_secs(15);

/// The folders of this repository whose programs have threads.
const SHIPPED: [&str; 8] = [
    "cases/cegar",
    "cases/impact",
    "cases/pthread",
    "cases/locks",
    "cases/atomics",
    "cases/ordinary",
    "cases/regress",
    "examples",
];

/// A task, and what is asked of it.
pub(super) struct Asked {
    pub(super) task: cases::Task,
    pub(super) properties: Properties,
    /// Whether nothing goes wrong.
    pub(super) is_safe: bool,
}

/// The tasks of an experiment.
pub(super) struct Suite {
    /// In words.
    pub(super) about: String,
    pub(super) tasks: Vec<Asked>,
}

impl Args {
    /// With the limits that were asked for.
    pub(super) fn settled(mut self) -> Args {
        if self.quick {
            self.limit = self.limit.min(QUICK);
            self.family_limit = self.family_limit.min(QUICK_FAMILY);
        }
        self
    }

    /// Nothing typed, and quick.
    #[cfg(test)]
    pub(super) fn of_a_test() -> Args {
        Args {
            suite: Vec::new(),
            into: None,
            page: None,
            limit: QUICK,
            quick: true,
            family_limit: QUICK_FAMILY,
            max: 256,
            unwind: 2,
            jobs: 1,
            filter: None,
            is_dry: false,
        }
    }

    /// The tasks about assertions and error calls.
    pub(super) fn suite(&self) -> Result<Suite, String> {
        if self.is_dry {
            return Ok(Suite { about: String::new(), tasks: Vec::new() });
        }
        let is_shipped = self.suite.is_empty();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let shipped: Vec<PathBuf> = SHIPPED.iter().map(|folder| root.join(folder)).collect();
        let c = cases::Form { endings: &["c", "i"], selector: "property" };
        let mut tasks = cases::suite::read(if is_shipped { &shipped } else { &self.suite }, &[c])?;
        if let Some(filter) = &self.filter {
            tasks.retain(|task| task.path.to_string_lossy().contains(filter.as_str()));
        }
        let tasks: Vec<Asked> = tasks.into_iter().filter_map(asked).collect();
        let n = tasks.len();
        let about = if is_shipped {
            format!("the {n} programs of this repository with an answer about assertions and error calls")
        } else {
            let names = self.suite.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy());
            format!("{n} tasks of {}", names.collect::<Vec<_>>().join(", "))
        };
        Ok(Suite { about, tasks })
    }
}

/// The question about assertions and error calls that a task answers, if it does.
fn asked(task: cases::Task) -> Option<Asked> {
    let is_safe = match task.expected.as_str() {
        "true" => true,
        "false" => false,
        _ => return None,
    };
    let properties = from_words(&task.property).ok()?;
    let asked = properties.both(Properties::of(&[Property::ErrorCall, Property::Assertion]));
    // What is safe in all respects is safe in these; what goes wrong must go wrong in one of them.
    let is_about = !asked.is_empty() && (is_safe || properties == asked);
    let has_own = task
        .options
        .iter()
        .any(|option| !option.starts_with("--property=") && option != "--prp" && !option.ends_with(".prp"));
    (is_about && !has_own).then_some(Asked { task, properties: asked, is_safe })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_answers_the_question_counts() {
        let task = |property: &str, expected: &str, options: &[&str]| cases::Task {
            path: PathBuf::from("a.c"),
            property: property.to_string(),
            expected: expected.to_string(),
            options: options.iter().map(|option| option.to_string()).collect(),
        };
        let says = |task| asked(task).map(|asked| asked.is_safe);
        assert_eq!(says(task("unreach-call", "true", &[])), Some(true));
        assert_eq!(says(task("assert", "false", &["--property=assert"])), Some(false));
        assert_eq!(says(task("default", "true", &[])), Some(true), "what is safe in all respects is safe in this one");
        assert_eq!(says(task("default", "false", &[])), None, "it may be a race");
        assert_eq!(says(task("race", "true", &[])), None, "that is another question");
        assert_eq!(says(task("unreach-call", "true", &["--model=tso"])), None);
        assert_eq!(says(task("unreach-call", "unknown", &[])), None);
        assert_eq!(says(task("unreach-call", "false", &["--prp", "x/unreach-call.prp"])), Some(false));
    }

    #[test]
    fn there_are_shipped_tasks_of_both_kinds() {
        let args = Args::of_a_test();
        let suite = args.suite().expect("the folders are there");
        let n_safe = suite.tasks.iter().filter(|asked| asked.is_safe).count();
        assert!(n_safe > 20 && suite.tasks.len() - n_safe > 10, "{n_safe} of {}", suite.tasks.len());
    }
}
