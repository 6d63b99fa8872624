//! What can be typed? The command line, with the knobs of every engine taken from the table `LANGUAGES`.
//!
//! The fixed part is declared on the structs below; `--<engine>.<knob>` options are added from the table, so that a new engine
//! needs no line here. Only words are checked here; files are opened by the commands.

mod cubes;
mod litmus;

pub(crate) use cubes::{Cubes, Cut};
pub(crate) use litmus::{Enumerate, Litmus, Method, Pick};

use crate::quantity::{self, Limit};
use cases::{Shard, question};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{
    Arg, ArgAction, ArgMatches, Args, Command, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum,
    value_parser,
};
use engines::{Kind, Knob};
use memory::graph::mapping::MAPPINGS;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Can a concurrent program go wrong, in any interleaving, on any input?
#[derive(Parser, Debug)]
#[command(name = "ravel", version, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: What,
}

#[derive(Subcommand, Debug)]
pub(crate) enum What {
    /// Decide whether a program can go wrong; show how if it can
    ///
    /// The last line is `RESULT: true`, `RESULT: false(PROPERTY)` or `RESULT: unknown`.
    /// For OOX it may be `RESULT: bounded(DEPTH)`: nothing is wrong on paths of that many steps.
    /// Exit codes: 0 safe, 1 unsafe, 2 bad input or usage, 3 unknown or bounded, 101 a bug in ravel.
    Verify(Verify),
    /// Print the program as ravel understands it
    Show(Show),
    /// Run the program with random schedules and inputs
    ///
    /// Exit codes: 0 no run went wrong (which proves nothing), 1 one did, 2 bad input or usage.
    Run(RunArgs),
    /// List the engines and their knobs
    Engines,
    /// Decide which final states of litmus tests a memory model allows
    ///
    /// Answers are printed in herd's form. Exit codes: 0 every condition holds, 1 one does not, 2 bad input or usage, 3 unknown.
    Litmus(Litmus),
    /// Run a suite of tasks with known answers and count
    Bench(Bench),
    /// Work on the parts of a hard question that `verify --cubes` has cut, and put the answers together
    ///
    /// Exit codes: 0 safe, 1 unsafe, 2 bad input or usage, 3 parts are missing or not decided.
    Cubes(Cubes),
    /// Run an execution again that `verify --json` has told, and step through it, forwards and backwards
    ///
    /// Exit codes: 0 it goes wrong in the same way, 2 bad input, or the trace of another program, 3 it does not.
    Replay(ReplayArgs),
    /// Say in three sentences what happens in an execution that `verify --json` has told
    ///
    /// Exit codes: 0 told, 2 bad input, or the trace of another program, 3 the execution cannot be run again.
    Explain(ReplayArgs),
    /// Look whether all is there that ravel needs: a compiler, headers, solvers, memory
    ///
    /// Exit codes: 0 all is there, 1 something is missing.
    Doctor,
    /// Print the manual page, for `man -l -` or a package
    Man {
        /// Of this command, as `verify`; else of ravel itself
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Print completions for a shell
    Completions {
        /// Whose
        #[arg(value_enum, value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Look at the evidence of others, or our own
    #[command(subcommand)]
    Witness(Witness),
}

#[derive(Subcommand, Debug)]
pub(crate) enum Witness {
    /// Follow a violation witness (YAML 2.x, GraphML) to the violation that it claims, and replay that; or check the invariants of a correctness witness (YAML)
    ///
    /// The last line is `RESULT: confirmed`, `RESULT: refuted` (an invariant does not hold, or the program goes wrong) or `RESULT: unknown`.
    /// Exit codes: 0 confirmed, 1 refuted, 2 bad input, or a witness of another program, 3 unknown.
    Check(WitnessCheck),
}

#[derive(Args, Debug)]
pub(crate) struct WitnessCheck {
    /// The witness (.yml, .graphml)
    #[arg(value_name = "WITNESS")]
    pub(crate) witness: PathBuf,
    /// The program that it is about
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) program: Vec<PathBuf>,
    /// Give up after this time (60s, 500ms, 5m, none)
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    pub(crate) time_limit: Limit<Duration>,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// What `ravel verify --json` printed
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    /// The program, where it is not where it was any more
    #[arg(long, value_name = "FILE")]
    pub(crate) program: Vec<PathBuf>,
    /// Show every step, also those that nobody could notice
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// How the input is read.
#[derive(Args, Debug, Clone)]
pub(crate) struct Input {
    /// C sources (.c), preprocessed sources (.i), OOX (.oox), a litmus test (.litmus), or one SV-COMP task definition (.yml)
    #[arg(required_unless_present = "compile_commands", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The arguments of the C program, after `--` [default: any, see --argv-max]
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<String>,
    /// Sizes of C types [default: lp64; for .i files what their own typedefs say]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(crate) data_model: Option<DataModel>,
    /// Add a folder to the include path, for litmus tests to where models are looked for
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub(crate) define: Vec<String>,
    /// Take include paths, macros and the language of the files from a compilation database; without files, all of its C files
    #[arg(long, value_name = "FILE")]
    pub(crate) compile_commands: Option<PathBuf>,
    /// Of all files of a compilation database: the one with the entry function, and those that do not define it
    #[arg(long, value_name = "FILE", requires = "compile_commands", conflicts_with = "files")]
    pub(crate) target_file: Option<PathBuf>,
    /// Take an undefined function for one that returns anything and has no other effect; several are separated by commas
    #[arg(long, value_name = "FUNCTION", value_delimiter = ',')]
    pub(crate) assume_pure: Vec<String>,
    /// Take every other undefined function for one that returns anything and may write what its arguments point to (docs/c-support.md)
    #[arg(long, value_enum, value_name = "HOW", default_value = "refuse")]
    pub(crate) stub: Stub,
    /// A C file with functions in place of those that are missing
    #[arg(long, value_name = "FILE")]
    pub(crate) stubs: Vec<PathBuf>,
    /// How many arguments a C program may get whose arguments are not given; looked at only if it reads them
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) argv_max: u32,
    /// How many characters such an argument may have
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=200))]
    pub(crate) argv_length: u32,
    /// Let allocations, new threads and the making of locks fail [default: they succeed, and the answer says so]
    #[arg(long)]
    pub(crate) fallible: bool,
    /// Let `pthread_create` store the handle after the new thread has begun, as POSIX allows [default: before, as glibc does; where threads use
    /// handles of others the answer says so]
    #[arg(long)]
    pub(crate) late_handles: bool,
    /// The function that the first thread runs, `Class.method` for OOX. One other than `main` is called with any arguments
    /// (docs/c-support.md); several run as threads side by side
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub(crate) entry: Vec<String>,
    /// Pointers that such a function is given are not null
    #[arg(long)]
    pub(crate) nonnull: bool,
}

/// What stands in for a function that is missing.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stub {
    /// Nothing: an execution that calls it is not judged
    Refuse,
    /// One that does anything with what it is given
    Havoc,
}

/// How much may be used.
#[derive(Args, Debug, Clone)]
pub(crate) struct Limits {
    /// Give up after this time (60s, 500ms, 5m, none)
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    pub(crate) time_limit: Limit<Duration>,
    /// Give up beyond this much memory (4G, 512M, none)
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = quantity::size)]
    pub(crate) memory_limit: Limit<u64>,
    /// Use so many cores of the machine [default: all of them for several engines, one for an engine that is named]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
}

/// What is asked.
#[derive(Args, Debug, Clone)]
pub(crate) struct Question {
    /// What must not happen, separated by commas: reach, assert, race, deadlock, memsafety, overflow, division, misuse, termination,
    /// liveness, memcleanup, basic, all [default: reach, assert, race, deadlock, invalid access and free, division, misuse; basic is that without races]
    #[arg(long, value_name = "LIST", value_parser = question::from_words, conflicts_with = "prp")]
    pub(crate) property: Option<ir::Properties>,
    /// Take the properties from an SV-COMP property file
    #[arg(long, value_name = "FILE")]
    pub(crate) prp: Option<PathBuf>,
    /// When stores become visible to other threads (docs/memory-models.md): at once (sc), or buffered in total (tso) or partial
    /// (pso) store order, or as the axioms of a model in cat say (rc11, imm, aarch64, ..., a file); engines that do not know the model
    /// answer unknown. For litmus tests any model that `ravel litmus` takes
    /// [default: sc; for litmus tests that of the dialect]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// How atomic accesses of C are compiled for a model in cat (docs/memory-models.md); `--model power+power-lwsync` says the same
    /// [default: by the fences that the model names]
    #[arg(long, value_name = "MAPPING", requires = "model", value_parser = mappings())]
    pub(crate) mapping: Option<String>,
}

fn mappings() -> PossibleValuesParser {
    PossibleValuesParser::new(MAPPINGS.iter().map(|mapping| PossibleValue::new(mapping.name).help(mapping.describe)))
}

#[derive(Args, Debug)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) question: Question,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) cut: Cut,
    /// Who decides; see `ravel engines` [default: portfolio, which asks several; symbolic for OOX, axiomatic for litmus tests]
    #[arg(long, value_name = "NAME")]
    pub(crate) engine: Option<String>,
    /// Tell an answer only after a second engine has come to the same one, or nobody else can in nine tenths of the time limit
    #[arg(long)]
    pub(crate) second_opinion: bool,
    /// For a C program that is unsafe under a weak memory model: find a smallest set of places whose stronger orders make it safe (in what is left of the time limit)
    #[arg(long)]
    pub(crate) advise: bool,
    /// Print one JSON document instead of text (docs/json.md); short for --format json
    #[arg(long)]
    pub(crate) json: bool,
    /// What is printed
    #[arg(long, value_enum, value_name = "FORM", default_value = "text", conflicts_with = "json")]
    pub(crate) format: Format,
    /// Write the answer as a page for a browser to this file, too: the execution step by step, the proof, or what was explored
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write the answer as a SARIF 2.1.0 log to this file, too, for code scanning
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Draw the messages of an execution that goes wrong to this file, too, as a chart: a picture (.svg), or a graph for Graphviz (.dot)
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,
    /// Write the evidence for other tools to this file, too: a witness of SV-COMP, as GraphML (.graphml) or YAML (.yml); only for C
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,
    /// End with this exit code instead of 3 where there is no verdict, but nothing is wrong with every loop up to some number of rounds (or on paths up to some depth)
    #[arg(long, value_name = "CODE", value_parser = value_parser!(u8).range(4..=100))]
    pub(crate) bounded: Option<u8>,
    /// Sum up an execution that goes wrong in three sentences, too
    #[arg(long)]
    pub(crate) explain: bool,
    /// Tell an execution as the engine found it; else the same violation is shown with fewer changes of threads and fewer steps, where some are found
    #[arg(long)]
    pub(crate) as_found: bool,
    /// Say more: warnings, statistics, every step of a trace
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// How an answer is printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON document (docs/json.md)
    Json,
    /// Lines as compilers write them: `FILE:LINE:COLUMN: error: ...`
    Gcc,
}

/// How text is shown.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct Look {
    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
}

#[derive(Args, Debug)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Print a graph for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,
    /// Print the program after the passes that engines run first
    #[arg(long)]
    pub(crate) prepared: bool,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) input: Input,
    #[command(flatten)]
    pub(crate) question: Question,
    /// Seed of the first run; run k uses SEED + k
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// How many runs
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) runs: u64,
    /// Stop a run after so many steps
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) steps: u64,
    /// Show every step
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: Option<BenchCommand>,
    /// A csv with the header task,property,expected, or test,model,condition_holds (litmus tests), or file,entry,depth,expected (OOX); a folder
    /// of .yml tasks; or files
    #[arg(required = true, value_name = "SUITE")]
    pub(crate) suite: Vec<PathBuf>,
    /// Who decides; several names (separated by commas) run every task once each
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) engine: Vec<String>,
    /// For each task
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = quantity::duration)]
    pub(crate) time_limit: Limit<Duration>,
    /// For each task
    #[arg(long, value_name = "SIZE", default_value = "4G", value_parser = quantity::size)]
    pub(crate) memory_limit: Limit<u64>,
    /// Look for memory models in this folder, too (litmus tests)
    #[arg(short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// How many tasks at a time [default: one per processor]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// Keep each answer in this file as soon as it is there; a run that was stopped goes on with the same words
    #[arg(long, value_name = "FILE")]
    pub(crate) results: Option<PathBuf>,
    /// Only every N-th question, from the I-th on; `ravel bench merge` puts the results together
    #[arg(long, value_name = "I/N", requires = "results")]
    pub(crate) shard: Option<Shard>,
    /// Submit the shards as a job array of Slurm, follow it, and run again what is lost; --results names a folder that all nodes see
    #[arg(long, requires = "results", conflicts_with = "shard")]
    pub(crate) slurm: bool,
    /// How many jobs the array has
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(1..=100_000), requires = "slurm")]
    pub(crate) array_size: u32,
    /// The partition of Slurm
    #[arg(long, value_name = "P", requires = "slurm")]
    pub(crate) partition: Option<String>,
    /// Write a line for each task to this file
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the answers as tests in JUnit's form to this file
    #[arg(long, value_name = "OUT")]
    pub(crate) junit: Option<PathBuf>,
    /// Only tasks whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Print a line for each task
    #[arg(long)]
    pub(crate) each: bool,
    /// List unknown answers with their reasons too
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) look: Look,
}

#[derive(Subcommand, Debug)]
pub(crate) enum BenchCommand {
    /// Put the results of shards together and count, as if one run had answered all
    ///
    /// Exit codes: 0 every question has an answer, 1 and one is wrong, 2 the files do not fit together, 3 answers are missing.
    Merge(Merge),
}

#[derive(Args, Debug)]
pub(crate) struct Merge {
    /// What --results wrote
    #[arg(required = true, value_name = "FILE")]
    pub(crate) results: Vec<PathBuf>,
    /// Write a line for each task to this file
    #[arg(long, value_name = "OUT")]
    pub(crate) csv: Option<PathBuf>,
    /// Write the tasks as JUnit's XML to this file
    #[arg(long, value_name = "OUT")]
    pub(crate) junit: Option<PathBuf>,
    /// Print a line for each task
    #[arg(long)]
    pub(crate) each: bool,
    /// List unknown answers with their reasons too
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataModel {
    Ilp32,
    Lp64,
}

impl From<DataModel> for ir::DataModel {
    fn from(model: DataModel) -> ir::DataModel {
        match model {
            DataModel::Ilp32 => ir::DataModel::Ilp32,
            DataModel::Lp64 => ir::DataModel::Lp64,
        }
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// Knobs that were set, with their engine's name in front (`explicit.por`).
pub(crate) type Knobs = BTreeMap<String, String>;

/// Reads the command line of this process; ends it with a message and exit code 2 if it cannot be understood.
pub(crate) fn read() -> (Cli, Knobs) {
    let matches = command().try_get_matches().unwrap_or_else(|error| match unknown_knob(&error) {
        Some(what) => command().error(ErrorKind::UnknownArgument, what).exit(),
        None => error.exit(),
    });
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let knobs = matches.subcommand().map_or_else(|| Ok(Knobs::new()), |(_, matches)| knobs(matches));
    let knobs = knobs.unwrap_or_else(|what| command().error(ErrorKind::InvalidValue, what).exit());
    (cli, knobs)
}

/// What a command line means that was typed before: that of `verify`, without the name of the program.
pub(crate) fn typed_before(words: &[String]) -> Option<Verify> {
    let line = std::iter::once("ravel").chain(words.iter().map(String::as_str));
    let matches = command().try_get_matches_from(line).ok()?;
    match Cli::from_arg_matches(&matches).ok()?.command {
        What::Verify(verify) => Some(verify),
        _ => None,
    }
}

/// Everybody who can be named with `--engine`: the name for several, and the engines of all languages.
fn all_engines() -> Vec<&'static engines::About> {
    std::iter::once(&engines::portfolio::ABOUT).chain(engines::all()).collect()
}

/// What to say about an option that looks like a knob and is none.
fn unknown_knob(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let (engine, knob) = option.strip_prefix("--")?.split_once('.')?;
    let about = all_engines().into_iter().find(|about| about.name == engine)?;
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    engines::Settings::of(about.name, about.knobs, [(knob, "")]).err()
}

/// Short names of knobs: the name, the knob that it sets for every engine that has the value, and what it does.
const SHORT: [(&str, &str, &str); 6] = [
    ("por", "por", "Which interleavings are left out; short for the knob `por` of the engines that know the value"),
    ("coi", "coi", "Which assignments are not evaluated; short for --cegar.coi"),
    ("conflicts", "conflicts", "Whether small conflicts are looked for before solving; short for --bmc.conflicts"),
    ("unwind", "unwind", "How often loops of unknown length go round; short for --bmc.unwind"),
    ("depth", "depth", "How many steps of OOX programs are followed; short for --symbolic.depth"),
    ("unwind-loop", "loops", "How often the loops that begin at a line go round; short for --bmc.loops"),
];

/// The whole command, knobs included.
pub(crate) fn command() -> Command {
    let with_knobs = |mut command: Command| {
        let engines = all_engines();
        let names = engines.iter().map(|about| about.name);
        command = command.mut_arg("engine", |arg| arg.value_parser(PossibleValuesParser::new(names)));
        for (name, knob, help) in SHORT {
            let same = || engines.iter().flat_map(|about| about.knobs).filter(move |other| other.name == knob);
            let mut values: Vec<String> = Vec::new();
            for value in same().flat_map(|knob| knob.values().split('|').map(str::to_string).collect::<Vec<_>>()) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            let knobs: Vec<&'static Knob> = same().collect();
            command = command.arg(value_arg(Arg::new(name).long(name).help(help), values.join("|"), knobs));
        }
        for about in engines {
            let heading = format!("Knobs of {}", about.name);
            for knob in about.knobs {
                command = command.arg(knob_arg(about.name, knob).help_heading(heading.clone()));
            }
        }
        command
    };
    let command = Cli::command().version(version());
    command.mut_subcommand("verify", with_knobs).mut_subcommand("bench", with_knobs)
}

/// Our version and those of the solvers, in one line: tools that run others read the first one.
fn version() -> String {
    let solvers = engines::solver_versions().map(|(name, version)| format!("{name} {version}"));
    format!("{} ({})", env!("CARGO_PKG_VERSION"), solvers.join(", "))
}

/// The option that sets a knob.
fn knob_arg(engine: &str, knob: &'static Knob) -> Arg {
    let name = format!("{engine}.{}", knob.name);
    let help = format!("{} [default: {}]", knob.help, knob.default);
    value_arg(Arg::new(name.clone()).long(name).help(help), knob.values(), vec![knob])
}

/// An option whose value one of the knobs must know; one with a form of its own may be given several times.
fn value_arg(arg: Arg, values: String, knobs: Vec<&'static Knob>) -> Arg {
    let is_form = knobs.iter().any(|knob| matches!(knob.kind, Kind::Form(..)));
    let shown = values.clone();
    let check = move |text: &str| {
        let problems: Vec<String> = knobs.iter().filter_map(|knob| knob.misspelt(text)).collect();
        match problems.as_slice() {
            _ if problems.len() < knobs.len() => Ok(text.to_string()),
            [problem] => Err(problem.clone()),
            _ => Err(format!("`{text}` is none of {}", shown.replace('|', ", "))),
        }
    };
    arg.value_name(values).value_parser(check).action(if is_form { ArgAction::Append } else { ArgAction::Set })
}

/// The knobs among the matches; an error if a short name has a value that the engine does not know.
fn knobs(matches: &ArgMatches) -> Result<Knobs, String> {
    let mut knobs = Knobs::new();
    let given = |name: &str| {
        let values: Vec<&str> = matches.try_get_many::<String>(name).ok().flatten()?.map(String::as_str).collect();
        Some(values.join(","))
    };
    let engines = all_engines();
    for about in &engines {
        for knob in about.knobs {
            let name = format!("{}.{}", about.name, knob.name);
            if let Some(value) = given(&name) {
                knobs.insert(name, value);
            }
        }
    }
    for (short, name, _) in SHORT {
        let Some(value) = given(short) else { continue };
        let asked: Vec<String> =
            matches.try_get_many::<String>("engine").ok().flatten().map_or(Vec::new(), |all| all.cloned().collect());
        let mut known_by = Vec::new();
        for about in &engines {
            if about.knobs.iter().any(|knob| knob.name == name && knob.misspelt(&value).is_none()) {
                known_by.push(about.name);
                knobs.entry(format!("{}.{name}", about.name)).or_insert_with(|| value.clone());
            }
        }
        let knows = |name: &String| *name == engines::portfolio::ABOUT.name || known_by.contains(&name.as_str());
        if let Some(engine) = asked.iter().find(|name| !knows(name)) {
            return Err(format!("--{short} {value} is nothing that the engine {engine} knows"));
        }
    }
    Ok(knobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn words_are_read() {
        let line =
            ["ravel", "verify", "a.c", "-I", "inc", "-DX=1", "--property", "race,deadlock", "--time-limit", "5s"];
        let matches = command().try_get_matches_from(line).expect("it is valid");
        let cli = Cli::from_arg_matches(&matches).expect("it is valid");
        let What::Verify(verify) = cli.command else { panic!("it is verify") };
        assert_eq!(verify.input.define, ["X=1"]);
        assert_eq!(verify.limits.time_limit, Limit(Some(Duration::from_secs(5))));
        assert!(verify.question.property.is_some_and(|set| set.has(ir::Property::Race)));
        for line in [
            vec!["ravel", "verify"],
            vec!["ravel", "verify", "a.c", "--property", "tidy"],
            vec!["ravel", "verify", "a.c", "--property", "race", "--prp", "x.prp"],
            vec!["ravel", "verify", "a.c", "--engine", "nobody"],
            vec!["ravel", "verify", "a.c", "--por", "most"],
            vec!["ravel", "verify", "a.c", "--conflicts", "some"],
            vec!["ravel", "verify", "a.c", "--unwind", "much"],
            vec!["ravel", "verify", "a.c", "--explicit.por", "sorce"],
            vec!["ravel", "verify", "a.c", "--explicit.prr", "none"],
            vec!["ravel", "verify", "a.c", "--explicit.symmetry", "yes"],
            vec!["ravel", "bench", "a.csv", "--cegar.por", "awre"],
            vec!["ravel", "verify", "a.c", "--unwind-loop", "12:3"],
            vec!["ravel", "dance"],
        ] {
            let error = command().try_get_matches_from(line.clone()).expect_err("it is not valid");
            assert_eq!(error.exit_code(), 2, "{line:?}");
        }
    }

    #[test]
    fn short_names_set_the_knobs_of_all_who_know_the_value() {
        let read = |words: &[&str]| {
            let line = ["ravel", "verify", "a.c"].iter().chain(words).copied();
            let matches = command().try_get_matches_from(line).expect("it is valid");
            let (_, matches) = matches.subcommand().expect("it is verify");
            knobs(matches)
        };
        let set = |pairs: &[(&str, &str)]| {
            Ok(pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect::<Knobs>())
        };
        assert_eq!(read(&["--por", "aware", "--coi", "both"]), set(&[("cegar.coi", "both"), ("cegar.por", "aware")]));
        let dpor = [("cegar.por", "none"), ("explicit.por", "dpor")];
        assert_eq!(read(&["--por", "dpor", "--cegar.por", "none"]), set(&dpor));
        assert!(read(&["--por", "aware", "--engine", "explicit"]).is_err());
        let bounds = ["--conflicts", "off", "--unwind", "8", "--unwind-loop", "12=3", "--unwind-loop", "a.c:9=2,10=1"];
        let bmc = [("bmc.conflicts", "off"), ("bmc.unwind", "8"), ("bmc.loops", "12=3,a.c:9=2,10=1")];
        assert_eq!(read(&bounds), set(&bmc));
        assert!(read(&["--unwind", "8", "--engine", "cegar"]).is_err());
        assert!(read(&["--por", "monotonic", "--engine", "symbolic"]).is_ok());
        assert_eq!(read(&["--depth", "9"]), set(&[("symbolic.depth", "9")]));
    }

    #[test]
    fn a_knob_that_is_none_is_told_with_those_that_are() {
        let line = ["ravel", "verify", "a.c", "--explicit.prr", "none"];
        let error = command().try_get_matches_from(line).expect_err("it is not valid");
        let said = unknown_knob(&error).expect("it looks like a knob");
        assert_eq!(said, "the engine explicit has no knob `prr`; it has por, symmetry, enumerate, max-depth, threads");
    }
}
