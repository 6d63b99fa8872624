//! One hard question on many machines: `ravel verify FILE --cubes N --into DIR` cuts it into parts, `ravel cubes DIR` works on them and puts the answers together.
//!
//! `bmc` names the parts (`engines::bmc`): choices of what contended reads read, and of branches. A part is asked about by a `ravel verify` of its own, in a process of its own, on the
//! text that was preprocessed when the question was cut; its answer is a file ([`folder`]). The program is unsafe if a part has an execution that goes wrong, and that is
//! replayed once more; it is safe if nothing goes wrong in any part and the parts are seen to cover all executions.

mod folder;
mod work;

use crate::args::{Cubes, Limits};
use crate::exit::Exit;
use crate::pipeline::Plan;
use crate::request::Request;
use crate::screen;
use cases::question::WORDS;
use engines::Parts;
use folder::Folder;
use ir::Properties;
use report::Answer;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many jobs work on the parts, if nobody says.
const ARRAY_SIZE: u32 = 8;

/// A question that is to be cut.
pub(crate) struct Cutting {
    into: PathBuf,
    /// The preprocessed files while the question is asked.
    files: Vec<(String, Vec<u8>)>,
    n_files: usize,
    /// They are gone when this is.
    _texts: crate::deliver::Folder,
}

impl Cutting {
    /// Lets the request be about preprocessed text, and asks for parts.
    pub(crate) fn new(request: &mut Request, plan: &mut Plan, n: u32, into: &Path) -> Result<Cutting, String> {
        if request.language.name != crate::language::table::LANGUAGES[0].name {
            return Err(format!("--cubes is for C; {} is not", request.name));
        }
        if into.exists() {
            return Err(format!("{}: exists; `ravel cubes {0}` goes on with it", into.display()));
        }
        if plan.engine != engines::portfolio::ABOUT.name && plan.engine != "bmc" {
            return Err(format!("--cubes cuts questions of bmc; {} has none", plan.engine));
        }
        plan.engine = "bmc".to_string();
        plan.knobs.retain(|(name, _)| !matches!(name.as_str(), "bmc.cubes" | "bmc.cube" | "bmc.threads"));
        plan.knobs.push(("bmc.cubes".to_string(), n.to_string()));
        let texts = crate::deliver::Folder::new("cubes").map_err(|error| error.to_string())?;
        let mut files = Vec::new();
        let mut paths = Vec::new();
        for (number, file) in request.files.iter().chain(&request.options.stubs).enumerate() {
            let text = frontend::preprocessed(file, &request.options).map_err(|rejected| {
                let told = rejected.diagnostics.first().map_or("it cannot be read", |d| d.message.as_str());
                format!("{}: {told}", file.display())
            })?;
            let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            let name = format!("{}-{stem}.i", number + 1);
            let text = String::from_utf8_lossy(&text).into_owned();
            paths.push(texts.file(&name, &text).map_err(|error| error.to_string())?);
            files.push((name, text.into_bytes()));
        }
        let n_files = request.files.len();
        let stubs = paths.split_off(n_files);
        (request.files, request.options.stubs) = (paths, stubs);
        request.options.include.clear();
        request.options.define.clear();
        request.options.compile_commands = None;
        Ok(Cutting { into: into.to_path_buf(), files, n_files, _texts: texts })
    }

    /// Writes the folder, if there are parts, and says what to do with it.
    pub(crate) fn finish(self, request: &Request, plan: &Plan, answer: &mut Answer) -> Result<bool, String> {
        let parts = Parts { open: std::mem::take(&mut answer.parts.open), refuted: answer.parts.refuted.clone() };
        if parts.open.is_empty() {
            return Ok(false);
        }
        let names: Vec<&str> = self.files.iter().map(|(name, _)| name.as_str()).collect();
        let (programs, stubs) = names.split_at(self.n_files);
        let command = command(request, plan, programs, stubs);
        let n = parts.open.len();
        Folder::make(&self.into, &request.name, self.files, command, parts)?;
        answer.notes.push(format!("{n} parts are in {}", self.into.display()));
        answer.next = vec![format!("ravel cubes {}", self.into.display())];
        Ok(true)
    }
}

/// What is typed to ask the question again, from within the folder.
fn command(request: &Request, plan: &Plan, programs: &[&str], stubs: &[&str]) -> Vec<String> {
    let options = &request.options;
    let mut words: Vec<String> = vec!["verify".to_string()];
    words.extend(programs.iter().map(|name| name.to_string()));
    let mut set = |name: &str, value: String| words.push(format!("--{name}={value}"));
    set("engine", plan.engine.clone());
    plan.knobs.iter().filter(|(name, _)| name != "bmc.cubes").for_each(|(name, value)| set(name, value.clone()));
    set("property", property_words(request.properties));
    request.model.iter().for_each(|model| set("model", model.clone()));
    let data_model = |model: &ir::DataModel| if *model == ir::DataModel::Ilp32 { "ilp32" } else { "lp64" };
    options.data_model.iter().for_each(|model| set("data-model", data_model(model).to_string()));
    options.entries.iter().for_each(|entry| set("entry", entry.clone()));
    options.assume_pure.iter().for_each(|function| set("assume-pure", function.clone()));
    stubs.iter().for_each(|file| set("stubs", file.to_string()));
    set("stub", if options.havoc_stubs { "havoc" } else { "refuse" }.to_string());
    set("argv-max", options.arguments.most.to_string());
    set("argv-length", options.arguments.length.to_string());
    let flags = [("nonnull", options.nonnull), ("fallible", options.fallible), ("late-handles", options.late_handles)];
    words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| format!("--{name}")));
    words.extend(["--json".to_string(), "--as-found".to_string()]);
    if let Some(given) = &options.arguments.given {
        words.push("--".to_string());
        words.extend(given.iter().cloned());
    }
    words
}

/// Properties as `--property` takes them, one word each.
fn property_words(properties: Properties) -> String {
    let word = |property| WORDS.iter().find(|(_, _, named)| **named == [property]).map(|(word, ..)| *word);
    properties.iter().filter_map(word).collect::<Vec<_>>().join(",")
}

/// Works on the parts of a folder and says what they mean together.
pub(crate) fn cubes(args: &Cubes) -> Exit {
    let told = Folder::open(&args.folder).and_then(|folder| {
        work::work(&folder, args)?;
        tell(&folder)
    });
    told.unwrap_or_else(|problem| {
        screen::complain(&format!("ravel cubes: {problem}\n"));
        Exit::BadInput
    })
}

/// Likewise by a job array of Slurm, with the limits of who cut the question for each part.
pub(crate) fn on_slurm(folder: &Path, limits: &Limits) -> Exit {
    cubes(&Cubes {
        folder: folder.to_path_buf(),
        time_limit: limits.time_limit,
        memory_limit: limits.memory_limit,
        jobs: None,
        shard: None,
        slurm: true,
        array_size: ARRAY_SIZE,
        partition: None,
    })
}

/// What the answers mean together.
fn tell(folder: &Folder) -> Result<Exit, String> {
    let (name, n) = (&folder.task.input, folder.task.open.len());
    if let Some(part) = folder.bad() {
        let trace = folder.answer_name(part);
        let result = folder.answer(part).map(|answer| answer.result).unwrap_or_default();
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let replayed = Command::new(program).args(["replay", &trace]).current_dir(&folder.path).output();
        let replayed = replayed.map_err(|error| format!("{trace}: {error}"))?;
        screen::print(&String::from_utf8_lossy(&replayed.stdout));
        if !replayed.status.success() {
            let said = String::from_utf8_lossy(&replayed.stderr);
            screen::print(&format!("{name}: unknown: {trace} does not replay: {}\nRESULT: unknown\n", said.trim()));
            return Ok(Exit::Unknown);
        }
        screen::print(&format!("{name}: unsafe: part {} of {n}\nRESULT: {result}\n", part + 1));
        return Ok(Exit::Unsafe);
    }
    let missing = folder.missing();
    let unknown = |why: &str| {
        screen::print(&format!("{name}: unknown: {why}\nRESULT: unknown\n"));
        Ok(Exit::Unknown)
    };
    if !missing.is_empty() {
        let again = format!("ravel cubes {}", folder.path.display());
        return unknown(&format!("{} of {n} parts have no answer yet; `{again}` goes on", missing.len()));
    }
    let mut refuted = folder.task.refuted.clone();
    let mut open = Vec::new();
    for part in 0..n {
        let Some(answer) = folder.answer(part) else { continue };
        match answer.parts {
            Some(parts) if !parts.refuted.is_empty() => refuted.extend(parts.refuted),
            _ => open.push(answer.bounded.map(|bounded| bounded.text).or(answer.reason).unwrap_or_default()),
        }
    }
    if let Some(why) = open.first() {
        return unknown(&format!("{} of {n} parts are not decided: {why}", open.len()));
    }
    if !engines::bmc::cover_everything(&refuted) {
        return unknown(
            "the parts that were refuted are not all executions; the folder was changed, or ravel has a bug",
        );
    }
    screen::print(&format!(
        "{name}: safe: nothing goes wrong in any of {n} parts, which cover all executions\nRESULT: true\n"
    ));
    Ok(Exit::Safe)
}
