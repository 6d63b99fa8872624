//! Who works on parts? Processes of this machine, several at a time, or a job array of Slurm; nobody any more as soon as one part goes wrong.

use super::folder::{Answer, Folder};
use crate::args::Cubes;
use crate::bench::{command_line, slurm};
use crate::screen;
use cases::{Pool, Shard};
use std::ops::ControlFlow;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often parts that have no answer are submitted.
const ROUNDS: usize = 4;
/// Between two looks at a process, and at jobs.
const GLANCE: Duration = Duration::from_millis(50);
const PAUSE: Duration = Duration::from_secs(2);

/// Set by ^C.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Works on the parts that have no answer.
pub(super) fn work(folder: &Folder, args: &Cubes) -> Result<(), String> {
    // Who cannot be told of ^C ends at once, and loses the parts that it is at.
    let _ = ctrlc::set_handler(|| STOPPED.store(true, Ordering::SeqCst));
    if args.slurm {
        return submit(folder, args);
    }
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let parts: Vec<usize> = folder.missing().into_iter().filter(|part| shard.has(*part)).collect();
    let pool = args.jobs.map_or_else(Pool::default, |n| Pool::of(n.max(1)));
    let problem = std::sync::Mutex::new(None);
    pool.hand_out(|number| {
        let Some(part) = parts.get(number) else { return ControlFlow::Break(()) };
        if STOPPED.load(Ordering::SeqCst) || folder.bad().is_some() {
            return ControlFlow::Break(());
        }
        screen::progress(&format!("part {} of {}", number + 1, parts.len()));
        match ask(folder, *part, args) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                problem.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
                ControlFlow::Break(())
            }
        }
    });
    screen::progress("");
    match problem.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Asks about a part, and keeps the answer unless a limit was reached.
fn ask(folder: &Folder, part: usize, args: &Cubes) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut words = folder.task.command.clone();
    let options = [format!("--bmc.cube={}", folder.task.open[part])].into_iter().chain(limits(args));
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.splice(at..at, options);
    let mut command = Command::new(program);
    command.args(&words).current_dir(&folder.path).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| error.to_string())?;
    let Some(text) = wait(child, folder)? else { return Ok(()) };
    let answer: Answer = match serde_json::from_slice(&text) {
        Ok(answer) => answer,
        // It was killed: the part is left as it was.
        Err(_) => return Ok(()),
    };
    if answer.is_final() { folder.keep(part, &text) } else { Ok(()) }
}

/// What a process prints; nothing, if it is not needed any more.
fn wait(mut child: Child, folder: &Folder) -> Result<Option<Vec<u8>>, String> {
    let mut out = child.stdout.take().ok_or("a process has no output")?;
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut out, &mut text).map(|_| text)
    });
    let mut n_glances = 0_u32;
    while !reader.is_finished() {
        n_glances = n_glances.wrapping_add(1);
        // Others may work in the same folder.
        let is_over = STOPPED.load(Ordering::SeqCst) || (n_glances.is_multiple_of(40) && folder.bad().is_some());
        if is_over {
            let _ = child.kill();
        }
        std::thread::sleep(GLANCE);
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    let text = reader.join().map_err(|_| "a reader panicked".to_string())?.map_err(|error| error.to_string())?;
    Ok(status.code().map(|_| text))
}

/// The limits of each part, as they are typed.
fn limits(args: &Cubes) -> Vec<String> {
    let time = args.time_limit.0.map_or("none".to_string(), |time| format!("{}s", time.as_secs_f64()));
    let memory = args.memory_limit.0.map_or("none".to_string(), |bytes| bytes.to_string());
    vec![format!("--time-limit={time}"), format!("--memory-limit={memory}")]
}

/// Hands the parts to Slurm, follows the jobs, takes them back when one part goes wrong, and submits again what has no answer.
fn submit(folder: &Folder, args: &Cubes) -> Result<(), String> {
    let script = folder.path.join("job.sh");
    let n_jobs = (args.array_size as usize).min(folder.task.open.len()).max(1);
    let program = std::env::current_exe().map_err(|error| error.to_string())?.to_string_lossy().into_owned();
    let path = folder.path.to_string_lossy().into_owned();
    let jobs = args.jobs.unwrap_or(1).max(1);
    let words = [program, "cubes".to_string(), path.clone(), format!("--jobs={jobs}")].into_iter().chain(limits(args));
    let text = format!(
        "#!/bin/sh\n#SBATCH --job-name=ravel-cubes\n#SBATCH --cpus-per-task={jobs}\n#SBATCH --requeue\n#SBATCH --open-mode=append\n\
         #SBATCH --output={path}/%a.log\nexec {} --shard=\"$SLURM_ARRAY_TASK_ID/{n_jobs}\"\n",
        command_line(&words.collect::<Vec<_>>()),
    );
    std::fs::write(&script, text).map_err(|error| format!("{}: {error}", script.display()))?;
    for _ in 0..ROUNDS {
        let missing = folder.missing();
        if missing.is_empty() || folder.bad().is_some() || STOPPED.load(Ordering::SeqCst) {
            break;
        }
        let shards = (1..=n_jobs).map(|number| Shard { number, of: n_jobs });
        let open: Vec<Shard> = shards.filter(|shard| missing.iter().any(|part| shard.has(*part))).collect();
        let job = slurm::submit(&script, &open, args.partition.as_deref())?;
        let n = folder.task.open.len();
        slurm::follow(
            &job,
            || STOPPED.load(Ordering::SeqCst) || folder.bad().is_some(),
            || screen::progress(&format!("{} of {n} parts have an answer", n - folder.missing().len())),
            PAUSE,
        )?;
        screen::progress("");
    }
    Ok(())
}
