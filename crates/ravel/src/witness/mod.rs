//! `ravel witness check`: does a witness of somebody else, or of ourselves, show what it claims?
//!
//! The file is read ([`read`], [`graphml`]), its program recognised by its hash, and a violation followed point by point on the reference interpreter ([`follow`]). What comes out is confirmed only
//! after a replay of the whole execution, so nothing that a witness says is taken for granted. Invariants are written into the program as assertions ([`invariants`]), and ghosts beside them ([`ghosts`]), and decided
//! by the engines, beside what the witness says of the program ([`proof`]).

mod follow;
mod ghosts;
mod graphml;
mod invariants;
mod proof;
mod read;

use crate::args::{DataModel, Input, Question, Stub, WitnessCheck};
use crate::exit::Exit;
use crate::{input, screen};
use cases::question;
use follow::Followed;
use ir::Task;
use read::{Content, File};
use report::Style;
use std::path::PathBuf;
use std::time::Instant;

/// Checks a witness.
pub(crate) fn check(args: &WitnessCheck) -> Exit {
    let style = screen::style(args.look, false);
    match checked(args, &style) {
        Ok((text, word, exit)) => {
            screen::print(&format!("{text}RESULT: {word}\n"));
            exit
        }
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            Exit::BadInput
        }
    }
}

/// What is printed, the word of the last line, and the exit code; an error if the witness or the program cannot be used.
fn checked(args: &WitnessCheck, style: &Style) -> Result<(String, &'static str, Exit), String> {
    let name = args.witness.display();
    let text = std::fs::read_to_string(&args.witness).map_err(|error| format!("{name}: cannot be read: {error}"))?;
    let file = read::read(&args.witness, &text).map_err(|error| format!("{name}: {error}"))?;
    is_of(&file, &args.program).map_err(|error| format!("{name}: {error}"))?;
    let asked = question::from_property_file(&file.specification).map_err(|error| format!("{name}: {error}"))?;
    let model = if file.data_model == ir::DataModel::Ilp32 { DataModel::Ilp32 } else { DataModel::Lp64 };
    let question = Question { property: Some(asked.properties), prp: None, model: None, mapping: None };
    let request = input::request(&plain_input(args.program.clone(), model, asked.entry), &question)?;
    let loaded = frontend::load(&request.files, &request.options)
        .map_err(|rejected| report::diagnostics(&rejected.sources, &rejected.diagnostics, style))?;
    let task = Task { program: loaded.program, properties: request.properties };
    match &file.content {
        Content::Correctness(claims, ghosts) => {
            let found = proof::check(&task, (claims, ghosts), &request, args.time_limit.0)
                .map_err(|error| format!("{name}: {error}"))?;
            Ok((format!("{name}: {}", found.text), found.word, found.exit))
        }
        Content::Violation(segments) => {
            let deadline = args.time_limit.0.map(|limit| Instant::now() + limit);
            Ok(match follow::follow(&task, segments, deadline) {
                Followed::Shown(replayed) => {
                    let (story, ending) = report::tell(&task.program, &replayed.log, &replayed.violation, false);
                    let text = report::violation(&task.program.sources, &story, &ending, style);
                    (format!("{name}: confirmed: {}\n{text}", ending.message), "confirmed", Exit::Safe)
                }
                Followed::Nowhere { n_states, why } => (
                    format!("{name}: not confirmed: {why}, {n_states} states were looked at\n"),
                    "unknown",
                    Exit::Unknown,
                ),
            })
        }
    }
}

/// Whether a witness is about these files: by their hashes.
fn is_of(file: &File, program: &[PathBuf]) -> Result<(), String> {
    for path in program {
        let bytes = std::fs::read(path).map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
        let hash = crate::deliver::sha256(&bytes);
        if !file.hashes.iter().any(|known| known.eq_ignore_ascii_case(&hash)) {
            return Err(format!("this is a witness of another program: {} has the hash {hash}", path.display()));
        }
    }
    Ok(())
}

/// Files read as the witness says, with nothing else set.
fn plain_input(files: Vec<PathBuf>, data_model: DataModel, entry: String) -> Input {
    Input {
        files,
        arguments: Vec::new(),
        data_model: Some(data_model),
        include: Vec::new(),
        define: Vec::new(),
        compile_commands: None,
        target_file: None,
        assume_pure: Vec::new(),
        stub: Stub::Refuse,
        stubs: Vec::new(),
        argv_max: 2,
        argv_length: 8,
        fallible: false,
        late_handles: false,
        entry: vec![entry],
        nonnull: false,
    }
}
