//! `ravel replay` and `ravel explain`: an execution that was told before, once more.
//!
//! What `verify --json` prints has the choices of the execution and the words that were typed. The program is read again as these say, and the reference interpreter takes the same
//! choices; what is shown is what it does now, not what the file says. At a terminal one goes through it step by step, else all of it is printed.

use crate::args::{self, ReplayArgs};
use crate::exit::Exit;
use crate::request::Again;
use crate::{input, screen};
use ir::Sources;
use report::{Effect, Ending, Ink, Kept, Row, Story, Style};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{BufRead, IsTerminal};

/// The parts of an answer that matter here.
#[derive(Deserialize)]
struct Told {
    format: u32,
    ravel: String,
    result: String,
    #[serde(default)]
    replay: Option<Choices>,
}

#[derive(Deserialize)]
struct Choices {
    program: String,
    command: Vec<String>,
    schedule: Vec<String>,
}

/// Larger files are no answers of ours.
const MAX_BYTES: u64 = 512 << 20;

/// Runs an execution again and shows it.
pub(crate) fn replay(args: &ReplayArgs) -> Exit {
    let style = screen::style(args.look, args.verbose);
    let told = |sources: &Sources, story: &Story, ending: &Ending| {
        if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
            walk(sources, story, ending, &style, &mut std::io::stdin().lock());
        } else {
            screen::print(&report::violation(sources, story, ending, &style));
        }
        screen::print(&format!("{}: it goes wrong again: {}\n", args.trace.display(), ending.message));
    };
    again(args, told)
}

/// Runs an execution again and says what happens.
pub(crate) fn explain(args: &ReplayArgs) -> Exit {
    let style = screen::style(args.look, args.verbose);
    again(args, |sources, story, ending| screen::print(&report::explanation(sources, story, ending, &style)))
}

fn again(args: &ReplayArgs, told: impl Fn(&Sources, &Story, &Ending)) -> Exit {
    match run(args) {
        Ok(Again::Wrong(what)) => {
            let (sources, story, ending) = what.as_ref();
            told(sources, story, ending);
            Exit::Safe
        }
        Ok(Again::Otherwise(why)) => {
            screen::print(&format!("{}: it does not go wrong again: {why}\n", args.trace.display()));
            Exit::Unknown
        }
        Err(problem) => {
            screen::complain(&format!("error: {}: {problem}\n", args.trace.display()));
            Exit::BadInput
        }
    }
}

fn run(args: &ReplayArgs) -> Result<Again, String> {
    let (kept, version) = read(args)?;
    let mut typed = args::typed_before(&kept.command)
        .ok_or("its command line is none that this version of ravel understands".to_string())?;
    if !args.program.is_empty() {
        typed.input.files.clone_from(&args.program);
    }
    let request = input::request(&typed.input, &typed.question)
        .map_err(|problem| format!("its program cannot be read ({problem}); --program says where it is"))?;
    let own = env!("CARGO_PKG_VERSION");
    let hint = if version == own { String::new() } else { format!(" (it is from ravel {version}, and this is {own})") };
    (request.language.replay)(&request, &kept, args.verbose).map_err(|problem| format!("{problem}{hint}"))
}

/// The execution in a file, and the version of ravel that wrote it.
fn read(args: &ReplayArgs) -> Result<(Kept, String), String> {
    let data = std::fs::metadata(&args.trace).map_err(|error| format!("cannot be read: {error}"))?;
    if !data.is_file() || data.len() > MAX_BYTES {
        return Err("this is no answer of `ravel verify --json`".to_string());
    }
    let text = std::fs::read_to_string(&args.trace).map_err(|error| format!("cannot be read: {error}"))?;
    let told: Told = serde_json::from_str(&text)
        .map_err(|error| format!("this is no answer of `ravel verify --json`, or not all of it: {error}"))?;
    if told.format != 1 {
        return Err(format!("its form has the number {}, and this ravel knows 1", told.format));
    }
    match told.replay {
        Some(Choices { program, command, schedule }) => Ok((Kept { program, command, schedule }, told.ravel)),
        None if told.result.starts_with("false") => {
            Err("its execution is told without the choices that lead to it: only C programs under sc, tso and pso are run again".to_string())
        }
        None => Err(format!("it has no execution: the result is {}", told.result)),
    }
}

/// What the user wants next.
enum Key {
    To(usize),
    Quit,
    Help,
}

/// Goes through an execution as the user says: one row after the other, and back.
fn walk(sources: &Sources, story: &Story, ending: &Ending, style: &Style, keys: &mut dyn BufRead) {
    let n_rows = story.rows.len();
    let mut at = 0;
    screen::print("n or Enter: next step, p: back, a number: that step, q: end\n");
    if n_rows == 0 {
        return;
    }
    loop {
        screen::print(&step(sources, story, ending, at, style));
        let mut line = String::new();
        screen::print("> ");
        if keys.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        match key(line.trim(), at, n_rows) {
            Key::To(next) => at = next,
            Key::Quit => return,
            Key::Help => screen::print("n or Enter: next step, p: back, a number: that step, q: end\n"),
        }
    }
}

fn key(typed: &str, at: usize, n_rows: usize) -> Key {
    match typed {
        "" | "n" => Key::To((at + 1).min(n_rows - 1)),
        "p" => Key::To(at.saturating_sub(1)),
        "q" => Key::Quit,
        number => match number.parse::<usize>() {
            Ok(number) if (1..=n_rows).contains(&number) => Key::To(number - 1),
            _ => Key::Help,
        },
    }
}

/// A row with its source, what it did, and what is known to hold afterwards.
fn step(sources: &Sources, story: &Story, ending: &Ending, at: usize, style: &Style) -> String {
    let row: &Row = &story.rows[at];
    let who = story.threads.get(row.thread).map_or("?", String::as_str);
    let head = format!("step {} of {}, {who}", row.step, story.rows.len());
    let mut text =
        format!("{}\n{}", style.paint(Ink::Bold, &head), report::excerpt(sources, row.span, style, Ink::Blue));
    for effect in &row.effects {
        text += &format!("    {}\n", effect.text());
    }
    let mut values: BTreeMap<&str, &str> = BTreeMap::new();
    for effect in story.rows[..=at].iter().flat_map(|row| &row.effects) {
        if let Effect::Write { name, new, .. } | Effect::Commit { name, new, .. } = effect {
            values.insert(name, new);
        }
    }
    if !values.is_empty() {
        let values: Vec<String> = values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        text += &format!("    {}\n", style.paint(Ink::Faint, &format!("now {}", values.join(", "))));
    }
    if at + 1 == story.rows.len() {
        text += &format!("{}\n", style.paint(Ink::Red, &format!("      !! {}", ending.message)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_within_the_execution() {
        let to = |typed: &str, at| match key(typed, at, 3) {
            Key::To(next) => Some(next),
            _ => None,
        };
        assert_eq!((to("n", 0), to("", 2), to("p", 0), to("p", 2)), (Some(1), Some(2), Some(0), Some(1)));
        assert_eq!((to("3", 0), to("4", 0), to("0", 0), to("x", 0)), (Some(2), None, None, None));
        assert!(matches!(key("q", 0, 3), Key::Quit));
    }
}
