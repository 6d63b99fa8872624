//! Table III of the paper on lazy abstraction for threads \[Wachter13]: two programs of the field under memory models, our answers beside the paper's.
//!
//! The programs are our own versions (`cases/weak/wakeup*.c`, `latch*.c`): a worker of a runtime that goes to sleep while work comes in, and two workers of a database that hand a job to each other by flag and latch.
//! The paper verifies instrumented programs with Impara; here `sc`, `tso` and `pso` are the models of interleavings (the portfolio decides, loops included), Power and RMO are axioms for `bmc`. RMO is the text below: what SPARC's
//! manual keeps in order are dependencies, fences and writes of one cell. The last row is the fix that works, which the paper does not have; it goes round twice.

use super::args::Args;
use super::kind::{Experiment, Report};
use super::measured::{Measured, load, measure};
use super::present::output::progress;
use super::present::table::table;
use engines::engine_named;
use ir::{Axioms, Model, Task};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "weak",
    about: "Two programs under memory models (table III of Wachter13): our answers beside the paper's",
    run,
};

/// A row: its name in the paper, our program, the model, whether the paper calls it safe, and what Impara said there.
type Row = (&'static str, &'static str, &'static str, &'static str, &'static str);

const ROWS: [Row; 14] = [
    ("sober SC", "wakeup", "sc", "safe", "safe 0.7"),
    ("sober TSO", "wakeup", "tso", "unsafe", "unsafe 3.7"),
    ("sober RMO", "wakeup", "rmo", "unsafe", "unsafe 3.6"),
    ("sober PSO", "wakeup", "pso", "unsafe", "unsafe 1.7"),
    ("sober Power", "wakeup", "power", "unsafe", "unsafe 1.7"),
    ("sober fix_SC", "wakeup_fences", "sc", "safe", "safe 0.7"),
    ("sober fix_TSO", "wakeup_fences", "tso", "safe", "safe 1.3"),
    ("sober fix_PSO", "wakeup_fences", "pso", "safe", "safe 1.4"),
    ("sober fix_power", "wakeup_fences", "power", "safe", "safe 1.4"),
    ("sql SC", "latch", "sc", "safe", "safe 0.4"),
    ("sql TSO", "latch", "tso", "safe", "safe 0.5"),
    ("sql Power", "latch", "power", "unsafe", "TO"),
    ("sql dev_fix_Power", "latch_store_fence", "power", "unsafe", "TO"),
    ("sql both fences, Power", "latch_fences", "power", "safe", "-"),
];

/// Who is asked, in this order, until one knows.
const ENGINES: [&str; 3] = ["explicit", "cegar", "bmc"];

const RMO: &str = "\"RMO\"
include \"cos.cat\"
acyclic (po-loc \\ (R * R)) | rf | co | fr as coherence
empty rmw & (fre ; coe) as atomic
let kept = addr | data | ctrl & (R * W)
let fence = po ; [MFENCE] ; po
acyclic kept | fence | rfe | co | fr as rmo
";

fn task(name: &str, model: &str) -> Result<Task, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../cases/weak/{name}.c"));
    let mut task = load(&path)?;
    match Model::named(model) {
        Some(model) => task.program.model = model,
        None => {
            let text = |name: &str| (name.to_string(), "rmo.cat".to_string(), RMO.to_string());
            let files = if model == "rmo" { vec![text("rmo"), text("rmo.cat")] } else { Vec::new() };
            let axioms = Axioms { name: model.to_string(), files, ..Axioms::default() };
            (task.program.model, task.program.axioms) = (Model::Cat, Some(Arc::new(axioms)));
        }
    }
    Ok(task)
}

/// What the first engine says that knows, and who that is.
fn first_answer(task: &Task, known: bool, limit: Duration) -> Result<(Measured, &'static str), String> {
    for name in ENGINES {
        let engine = engine_named(name).ok_or_else(|| format!("there is no engine {name}"))?;
        if engine.models().contains(&task.program.model) {
            let measured = measure(task, Some(known), name, &[], limit)?;
            if measured.is_safe.is_some() {
                return Ok((measured, name));
            }
        }
    }
    Ok((Measured { seconds: limit.as_secs_f64(), ..Measured::default() }, "-"))
}

fn run(args: &Args) -> Result<Report, String> {
    let (mut rows, mut n_solved, mut n_wrong) = (Vec::new(), 0, 0);
    for (title, name, model, expected, impara) in ROWS {
        progress(title);
        let (measured, engine) = match args.is_dry {
            true => (Measured::default(), "-"),
            false => first_answer(&task(name, model)?, expected == "safe", args.limit)?,
        };
        n_solved += usize::from(measured.is_solved());
        n_wrong += usize::from(measured.is_wrong);
        let cells = [title, name, expected, impara, measured.word(), engine];
        rows.push(cells.iter().map(|cell| (*cell).to_string()).chain([format!("{:.2}", measured.seconds)]).collect());
    }
    progress("");
    let columns = ["paper's row", "our program", "paper", "Impara, s", "ours", "engine", "s"];
    let seen =
        vec![format!("We have the paper's answer in {n_solved} of {} rows, another one in {n_wrong}.", ROWS.len())];
    let title = "Two programs under memory models, with the paper's answers";
    Ok(Report { tables: vec![table("weak", title, &columns, rows)], seen, n_wrong, files: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_the_papers_answer() {
        for (title, name, model, expected, _) in ROWS {
            let task = task(name, model).expect("it is valid C");
            let (measured, _) =
                first_answer(&task, expected == "safe", Duration::from_secs(30)).expect("it is declared");
            assert_eq!(measured.word(), expected, "{title}");
        }
    }
}
