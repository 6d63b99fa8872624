//! How does a cluster run a suite? As a job array of Slurm: each job answers a shard and keeps its answers in a file of its own.
//!
//! The files are the only thing that is trusted: whether a job ended well, was killed or lost with its node, the questions that its file does not answer
//! are submitted again, a few times. ^C takes the jobs back; the same words go on later. Limits are kept by ravel itself; what else the cluster wants to
//! know (an account, memory) sbatch reads from its own variables, `SBATCH_ACCOUNT` and so on.

use super::{STOPPED, Telling, merge};
use crate::args::{self, Knobs};
use crate::exit::Exit;
use crate::screen;
use cases::Shard;
use cases::journal::{self, Head};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often shards that are not complete are submitted.
const ROUNDS: usize = 4;

/// Between two looks at the jobs.
const PAUSE: Duration = Duration::from_secs(2);

/// How long a controller that does not answer is waited for.
const PATIENCE: Duration = Duration::from_secs(300);

/// The array and its files.
struct Array<'a> {
    head: &'a Head,
    folder: PathBuf,
    script: PathBuf,
}

/// Submits, follows and counts.
pub(super) fn run(
    args: &args::Bench,
    knobs: &Knobs,
    head: &Head,
    folder: &Path,
    telling: &Telling,
) -> Result<Exit, String> {
    let started = Instant::now();
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let script = folder.join("job.sh");
    let array = Array { head, folder, script };
    for shard in array.shards() {
        // Results of something else are told before anything is submitted.
        if array.results(shard).exists() {
            journal::Journal::open(&array.results(shard), &Head { shard, ..head.clone() })?;
        }
    }
    let text = array.job(args, knobs).map_err(|error| format!("this program cannot find itself: {error}"))?;
    std::fs::write(&array.script, text).map_err(|error| format!("{}: {error}", array.script.display()))?;
    for _ in 0..ROUNDS {
        let open = array.open();
        if open.is_empty() || STOPPED.load(Ordering::SeqCst) {
            break;
        }
        let job = submit(&array.script, &open, args.partition.as_deref())?;
        array.follow(&job)?;
    }
    let files: Vec<PathBuf> = array.shards().map(|shard| array.results(shard)).filter(|path| path.exists()).collect();
    if files.is_empty() {
        return Err(format!("no job has written results; see {}/*.log", array.folder.display()));
    }
    let exit = merge::tell_merged(&files, telling, Some(started.elapsed()))?;
    if !array.open().is_empty() {
        screen::complain("ravel bench: not complete; the same command goes on with what is missing\n");
        return Ok(if exit == Exit::Safe { Exit::Unknown } else { exit });
    }
    Ok(exit)
}

impl Array<'_> {
    fn shards(&self) -> impl Iterator<Item = Shard> {
        let of = self.head.shard.of;
        (1..=of).map(move |number| Shard { number, of })
    }

    fn results(&self, shard: Shard) -> PathBuf {
        self.folder.join(format!("{}.jsonl", shard.number))
    }

    /// The shards whose files lack answers.
    fn open(&self) -> Vec<Shard> {
        let lacks = |shard: &Shard| journal::n_answers(&self.results(*shard)) < shard.share_of(self.head.questions);
        self.shards().filter(lacks).collect()
    }

    /// The script of each job.
    fn job(&self, args: &args::Bench, knobs: &Knobs) -> std::io::Result<String> {
        let mut words = vec![std::env::current_exe()?.to_string_lossy().into_owned(), "bench".to_string()];
        words.extend(args.suite.iter().map(|suite| suite.to_string_lossy().into_owned()));
        words.extend(self.head.options.iter().filter(|option| !is_knob(option, knobs)).cloned());
        words.extend(knobs.iter().map(|(knob, value)| format!("--{knob}={value}")));
        words.extend((!args.engine.is_empty()).then(|| format!("--engine={}", args.engine.join(","))));
        words.extend(args.filter.iter().map(|filter| format!("--filter={filter}")));
        let jobs = args.jobs.unwrap_or(1).max(1);
        words.push(format!("--jobs={jobs}"));
        let folder = self.folder.to_string_lossy().into_owned();
        Ok(format!(
            "#!/bin/sh\n#SBATCH --job-name=ravel-bench\n#SBATCH --cpus-per-task={jobs}\n#SBATCH --requeue\n#SBATCH --open-mode=append\n\
             #SBATCH --output={folder}/%a.log\ncd {} || exit 2\nexec {} --shard=\"$SLURM_ARRAY_TASK_ID/{}\" \
             --results={}/\"$SLURM_ARRAY_TASK_ID\".jsonl\n",
            super::command_line(&[std::env::current_dir()?.to_string_lossy().into_owned()]),
            super::command_line(&words),
            self.head.shard.of,
            super::command_line(std::slice::from_ref(&folder)),
        ))
    }

    /// Waits until no job is left; ^C takes them back.
    fn follow(&self, job: &str) -> Result<(), String> {
        let bar = super::progress(self.head.questions);
        let show = || {
            let n: usize = self.shards().map(|shard| journal::n_answers(&self.results(shard))).sum();
            bar.set_position(n as u64);
        };
        follow(job, || STOPPED.load(Ordering::SeqCst), show, PAUSE)?;
        bar.finish_and_clear();
        Ok(())
    }
}

/// Waits until no job of an array is left; takes them back when they are not needed any more.
pub(crate) fn follow(job: &str, is_over: impl Fn() -> bool, show: impl Fn(), pause: Duration) -> Result<(), String> {
    let mut last_seen = Instant::now();
    loop {
        if is_over() {
            // Who cannot be taken back ends by itself and loses nothing.
            let _ = Command::new("scancel").arg(job).status();
            return Ok(());
        }
        show();
        match is_left(job) {
            Some(true) => last_seen = Instant::now(),
            Some(false) => return Ok(()),
            None if last_seen.elapsed() > PATIENCE => {
                return Err(format!("squeue does not say what job {job} does; the same command goes on later"));
            }
            None => {}
        }
        std::thread::sleep(pause);
    }
}

/// Whether an option of all questions is one of the knobs, which are told apart.
fn is_knob(option: &str, knobs: &Knobs) -> bool {
    knobs.iter().any(|(knob, value)| option == format!("--{knob}={value}"))
}

/// Hands the shards to Slurm; the job's number.
pub(crate) fn submit(script: &Path, shards: &[Shard], partition: Option<&str>) -> Result<String, String> {
    let numbers: Vec<String> = shards.iter().map(|shard| shard.number.to_string()).collect();
    let mut command = Command::new("sbatch");
    command.arg("--parsable").arg(format!("--array={}", ranges(&numbers)));
    command.args(partition.map(|partition| format!("--partition={partition}"))).arg(script);
    let output =
        command.output().map_err(|error| format!("sbatch cannot be started: {error}; is this a node of Slurm?"))?;
    if !output.status.success() {
        return Err(format!("sbatch: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    // `NUMBER` or `NUMBER;CLUSTER`.
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.trim().split(';').next().unwrap_or_default().to_string())
}

/// Numbers in ascending order as sbatch reads them, runs of them as ranges: a long list would be refused.
fn ranges(numbers: &[String]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for number in numbers.iter().filter_map(|number| number.parse::<u64>().ok()) {
        match parts.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => parts.push((number, number)),
        }
    }
    let word = |(begin, end): &(u64, u64)| if begin == end { begin.to_string() } else { format!("{begin}-{end}") };
    parts.iter().map(word).collect::<Vec<_>>().join(",")
}

/// Whether jobs of the array wait or run; `None` if nobody can say.
fn is_left(job: &str) -> Option<bool> {
    let output = Command::new("squeue").args(["--noheader", "--jobs", job, "--format=%i"]).output().ok()?;
    if output.status.success() {
        return Some(!String::from_utf8_lossy(&output.stdout).trim().is_empty());
    }
    // Slurm forgets jobs some minutes after their end.
    String::from_utf8_lossy(&output.stderr).contains("Invalid job id").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_numbers_are_ranges() {
        let of = |numbers: &[u64]| ranges(&numbers.iter().map(u64::to_string).collect::<Vec<_>>());
        assert_eq!(of(&[1, 2, 3, 5, 7, 8]), "1-3,5,7-8");
        assert_eq!(of(&[4]), "4");
        assert_eq!(of(&[]), "");
    }
}
