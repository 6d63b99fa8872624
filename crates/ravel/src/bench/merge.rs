//! What do shards say together? Their results are counted as if one run had answered all questions.

use super::table::Row;
use super::{Telling, claim, tell};
use crate::args;
use crate::exit::Exit;
use crate::screen;
use cases::Worker;
use cases::journal::{self, Merged};
use std::path::PathBuf;
use std::time::Duration;

/// Counts what the files say.
pub(super) fn merge(args: &args::Merge) -> Result<Exit, String> {
    let files = claim(&args.csv, &args.junit, &args.results)?;
    let telling = Telling { each: args.each, verbose: args.verbose, files };
    tell_merged(&args.results, &telling, None)
}

/// Counts what the files say and names the shards that are not complete; the time is that of all answers where nobody knows how long it took.
pub(super) fn tell_merged(files: &[PathBuf], telling: &Telling, time: Option<Duration>) -> Result<Exit, String> {
    let Merged { head, entries, missing } = journal::merge(files)?;
    fn row(entry: &journal::Entry) -> Row<'_> {
        Row { task: &entry.task, engine: &entry.engine, answer: entry.answer.clone() }
    }
    let rows: Vec<Row<'_>> = entries.iter().map(row).collect();
    let time = time.unwrap_or_else(|| rows.iter().map(|row| row.answer.time).sum());
    // Only for the command lines of what went wrong.
    let worker = Worker { program: PathBuf::from("ravel"), options: head.options, deadline: None };
    let exit = tell(&rows, &worker, telling, time)?;
    for (shard, n) in &missing {
        screen::complain(&format!("shard {shard} lacks {n} of {} answers\n", shard.share_of(head.questions)));
    }
    Ok(if exit == Exit::Safe && !missing.is_empty() { Exit::Unknown } else { exit })
}
