//! What do `ravel show` and `ravel run` do with a program of some language?

use super::{Language, Ran, complain};
use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::request::{Again, Request};
use crate::{next, screen};
use report::{Kept, Style};
use std::collections::BTreeMap;

/// Prints the program as ravel understands it.
pub(crate) fn show<L: Language>(request: &Request, args: &Show, style: &Style) -> Exit {
    let loaded = match L::load(request) {
        Ok(loaded) => loaded,
        Err(rejected) => return complain(&rejected, style),
    };
    match L::show(&loaded.program, request, args) {
        Ok(text) => {
            screen::print(&text);
            Exit::Safe
        }
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            Exit::Unknown
        }
    }
}

/// Runs an execution again that was kept.
pub(crate) fn replay<L: Language>(request: &Request, kept: &Kept, detail: bool) -> Result<Again, String> {
    let loaded = L::load(request)
        .map_err(|rejected| report::diagnostics(&rejected.sources, &rejected.diagnostics, &Style::default()))?;
    L::replay(&loaded.program, kept, detail)
}

/// Runs the program as often as asked, until something goes wrong.
pub(crate) fn run<L: Language>(request: &Request, args: &RunArgs, style: &Style) -> Exit {
    let program = match L::load(request) {
        Ok(loaded) => loaded.program,
        Err(rejected) => return complain(&rejected, style),
    };
    let mut ends: BTreeMap<String, u64> = BTreeMap::new();
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        match L::run(&program, request, seed, args, style) {
            Ran::Fine(text, how) => {
                screen::print(&text);
                *ends.entry(how).or_default() += 1;
            }
            Ran::Wrong(text, what) => {
                screen::print(&text);
                screen::print(&summary(&ends, Some((seed, &what))));
                return Exit::Unsafe;
            }
            Ran::Impossible(text, exit) => {
                if exit == Exit::BadInput {
                    screen::complain(&text)
                } else {
                    screen::print(&text)
                }
                return exit;
            }
        }
    }
    screen::print(&summary(&ends, None));
    Exit::Safe
}

/// How the runs ended, and how to see the one again that went wrong.
fn summary(ends: &BTreeMap<String, u64>, wrong: Option<(u64, &str)>) -> String {
    let n_runs = ends.values().sum::<u64>() + u64::from(wrong.is_some());
    let plural = if n_runs == 1 { "" } else { "s" };
    let mut words: Vec<String> = ends.iter().map(|(how, n)| format!("{n} {how}")).collect();
    words.extend(wrong.map(|(seed, what)| format!("1 went wrong ({what}, seed {seed})")));
    let mut text = format!("{n_runs} run{plural}: {}\n", words.join(", "));
    match wrong {
        Some((seed, _)) => {
            let options = [("--runs", "1".to_string()), ("--seed", seed.to_string())];
            text += &format!("again: {}\n", next::again(&options));
        }
        None => text += "nothing went wrong; that proves nothing, `ravel verify` looks at all runs\n",
    }
    text
}
