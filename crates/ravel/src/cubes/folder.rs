//! What is in a folder of parts? The program, preprocessed; `task.json` with the question and its parts; `answers/` with a file for each part that was decided.
//!
//! The folder needs nothing else of the machine that it was written on. Answers are what `ravel verify --json` prints, written under another name first, so that a file that is
//! there is whole: whoever is killed leaves none, and what has none is worked on again.

use crate::deliver::sha256;
use engines::Parts;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of `task.json`.
const FORMAT: u32 = 1;

/// The question.
#[derive(Serialize, Deserialize)]
pub(super) struct Task {
    format: u32,
    /// The version that cut it; others may number choices otherwise.
    ravel: String,
    /// What the user calls the program.
    pub(super) input: String,
    /// The files of the program, and what is in them.
    files: Vec<(String, String)>,
    /// What is typed to ask about a part, but for the part and limits.
    pub(super) command: Vec<String>,
    /// Parts that are left.
    pub(super) open: Vec<String>,
    /// Parts in which nothing goes wrong, by who cut the question.
    pub(super) refuted: Vec<String>,
}

/// What was said about a part.
#[derive(Deserialize)]
pub(super) struct Answer {
    pub(super) result: String,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) bounded: Option<Bounded>,
    #[serde(default)]
    pub(super) parts: Option<Refuted>,
    #[serde(default)]
    limited: bool,
}

#[derive(Deserialize)]
pub(super) struct Bounded {
    pub(super) text: String,
}

#[derive(Deserialize)]
pub(super) struct Refuted {
    pub(super) refuted: Vec<String>,
}

impl Answer {
    /// Whether the same question has the same answer again; a limit that was reached says nothing of the part.
    pub(super) fn is_final(&self) -> bool {
        !self.limited
    }

    /// Whether the part has an execution that goes wrong.
    pub(super) fn is_unsafe(&self) -> bool {
        self.result.starts_with("false")
    }
}

/// A folder of parts.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    pub(super) task: Task,
}

impl Folder {
    /// Makes one, with the program's files and their texts.
    pub(super) fn make(
        path: &Path,
        input: &str,
        files: Vec<(String, Vec<u8>)>,
        command: Vec<String>,
        parts: Parts,
    ) -> Result<(), String> {
        let wrong = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
        let marks = files.iter().map(|(name, text)| (name.clone(), sha256(text))).collect();
        let ravel = env!("CARGO_PKG_VERSION").to_string();
        let Parts { open, refuted } = parts;
        let task = Task { format: FORMAT, ravel, input: input.to_string(), files: marks, command, open, refuted };
        // Under another name first: who is stopped in between leaves nothing that looks like a task.
        let draft = path.with_extension("draft");
        std::fs::create_dir(&draft).map_err(|error| wrong(&draft, error))?;
        let write = || -> Result<(), String> {
            let answers = draft.join("answers");
            std::fs::create_dir(&answers).map_err(|error| wrong(&answers, error))?;
            for (name, text) in &files {
                let file = draft.join(name);
                std::fs::write(&file, text).map_err(|error| wrong(&file, error))?;
            }
            let text = serde_json::to_string_pretty(&task).map_err(|error| error.to_string())?;
            let file = draft.join("task.json");
            std::fs::write(&file, text + "\n").map_err(|error| wrong(&file, error))?;
            std::fs::rename(&draft, path).map_err(|error| wrong(path, error))
        };
        write().inspect_err(|_| {
            let _ = std::fs::remove_dir_all(&draft);
        })
    }

    /// Opens one, and sees that it is as it was made.
    pub(super) fn open(path: &Path) -> Result<Folder, String> {
        let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
        let file = path.join("task.json");
        let text = std::fs::read_to_string(&file).map_err(|error| {
            format!("{}: {error}; `ravel verify FILE --cubes N --into DIR` makes such folders", file.display())
        })?;
        let task: Task = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let ours = env!("CARGO_PKG_VERSION");
        if task.format != FORMAT || task.ravel != ours {
            return Err(format!("{}: written by ravel {}, and this is {ours}", file.display(), task.ravel));
        }
        for (name, mark) in &task.files {
            let file = path.join(name);
            let text = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            if sha256(&text) != *mark {
                return Err(format!("{}: not what the question was cut for", file.display()));
            }
        }
        Ok(Folder { path, task })
    }

    fn answer_file(&self, part: usize) -> PathBuf {
        self.path.join(self.answer_name(part))
    }

    /// Where the answer about a part is, from within the folder.
    pub(super) fn answer_name(&self, part: usize) -> String {
        format!("answers/{:05}.json", part + 1)
    }

    /// What was said about a part, if that is known.
    pub(super) fn answer(&self, part: usize) -> Option<Answer> {
        let text = std::fs::read(self.answer_file(part)).ok()?;
        serde_json::from_slice(&text).ok().filter(Answer::is_final)
    }

    /// Keeps what was said about a part.
    pub(super) fn keep(&self, part: usize, text: &[u8]) -> Result<(), String> {
        let file = self.answer_file(part);
        let draft = file.with_extension(format!("draft-{}", std::process::id()));
        let kept = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, &file));
        kept.map_err(|error| format!("{}: {error}", file.display()))
    }

    /// A part with an execution that goes wrong.
    pub(super) fn bad(&self) -> Option<usize> {
        (0..self.task.open.len()).find(|part| self.answer(*part).is_some_and(|answer| answer.is_unsafe()))
    }

    /// Parts without an answer.
    pub(super) fn missing(&self) -> Vec<usize> {
        (0..self.task.open.len()).filter(|part| self.answer(*part).is_none()).collect()
    }
}
