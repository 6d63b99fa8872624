//! What do partial order reduction and forced covers do for `impact`? Tables I and II of *Verifying Multi-threaded Software with Impact*.
//!
//! The programs are our own versions of those of the paper, in `cases/impact`. Table I has our engines side by side with what the paper gives for Impara; table II its four
//! configurations: seconds, nodes, implications that a solver was asked about, and the share of nodes that cover expansion made. Figures of other machines and of other programs of the same
//! name are no more than a direction.

use super::args::Args;
use super::cegar::load;
use super::kind::{Experiment, How};
use super::output::progress;
use super::table::Table;
use engines::{Budget, Decided, Run, decide, engine_named};
use ir::Task;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "impact",
    about: "Partial order reduction and forced covers in impact, and our engines side by side on its programs",
    run: How::Tables(run),
};

/// The programs, whether they are safe, the seconds of Impara in table I, and its nodes in table II: sPOR, sPOR+FC, dPOR, dPOR+FC.
const PROGRAMS: [(&str, bool, f64, [&str; 4]); 9] = [
    ("dekker", true, 0.1, ["7407", "504", "433", "331"]),
    ("lamport", true, 0.3, ["36624", "4740", "7418", "1700"]),
    ("peterson", true, 0.1, ["3155", "419", "1081", "199"]),
    ("szymanski", true, 0.2, ["13332", "1059", "1264", "673"]),
    ("read_write_lock_unsafe", false, 0.6, ["31786", "7628", "18261", "4899"]),
    ("read_write_lock_safe", true, 0.9, ["109096", "12932", "36777", "7065"]),
    ("time_var_mutex", true, 0.1, ["867", "867", "435", "252"]),
    ("stack_unsafe", false, 0.5, ["out of time", "out of time", "2589", "424"]),
    ("stack_safe", true, 38.8, ["out of time", "out of time", "out of time", "2037"]),
];

/// The configurations of the paper.
const CONFIGURATIONS: [(&str, [(&str, &str); 2]); 4] = [
    ("sPOR", [("por", "shared"), ("force-cover", "off")]),
    ("sPOR+FC", [("por", "shared"), ("force-cover", "on")]),
    ("dPOR", [("por", "monotonic"), ("force-cover", "off")]),
    ("dPOR+FC", [("por", "monotonic"), ("force-cover", "on")]),
];

/// What came of a run.
struct Measured {
    /// Whether there is a violation, if that was decided.
    is_bad: Option<bool>,
    seconds: f64,
    statistics: BTreeMap<&'static str, f64>,
}

fn measure(task: &Task, engine: &str, knobs: &[(&str, &str)], limit: Duration) -> Result<Measured, String> {
    let engine = engine_named(engine).ok_or_else(|| format!("there is no engine {engine}"))?;
    let started = Instant::now();
    let mut run = Run::of(engine.about(), Budget::new(Some(limit), Some(4 << 30)), knobs)?;
    let is_bad = match decide(engine, task, &mut run) {
        Decided::Safe(..) => Some(false),
        Decided::Unsafe(_) => Some(true),
        Decided::Unknown(_) => None,
    };
    Ok(Measured { is_bad, seconds: started.elapsed().as_secs_f64(), statistics: run.statistics.0 })
}

impl Measured {
    /// Seconds, or why there are none.
    fn cell(&self, is_safe: bool) -> String {
        match self.is_bad {
            Some(is_bad) if is_bad == is_safe => "wrong".to_string(),
            Some(_) => format!("{:.2}", self.seconds),
            None => "unknown".to_string(),
        }
    }

    fn number(&self, name: &str) -> f64 {
        self.statistics.get(name).copied().unwrap_or(0.0)
    }
}

fn run(args: &Args) -> Result<Vec<Table>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/impact");
    let (mut side_by_side, mut configurations) = (Vec::new(), Vec::new());
    for (name, is_safe, paper, nodes) in PROGRAMS {
        let task = load(&folder.join(format!("{name}.c")))?;
        let word = if is_safe { "y" } else { "n" };
        let mut row = vec![name.to_string(), word.to_string()];
        for engine in ["explicit", "bmc", "cegar", "impact"] {
            progress(&format!("{name}, {engine}"));
            row.push(measure(&task, engine, &[], args.limit)?.cell(is_safe));
        }
        row.push(format!("{paper}"));
        side_by_side.push(row);
        let mut row = vec![name.to_string(), word.to_string()];
        for ((title, knobs), theirs) in CONFIGURATIONS.iter().zip(nodes) {
            progress(&format!("{name}, {title}"));
            let measured = measure(&task, "impact", knobs, args.limit)?;
            let n_nodes = measured.number("nodes");
            let share = 100.0 * measured.number("nodes by cover expansion") / n_nodes.max(1.0);
            row.push(measured.cell(is_safe));
            row.push(format!("{n_nodes:.0}"));
            row.push(theirs.to_string());
            row.push(format!("{:.0}", measured.number("implications by solver")));
            row.push(format!("{share:.0}%"));
        }
        configurations.push(row);
    }
    progress("");
    let table = |name: &str, title: &str, columns: Vec<String>, rows| Table {
        name: name.to_string(),
        title: title.to_string(),
        columns,
        rows,
        charts: Vec::new(),
    };
    let columns = ["program", "safe", "explicit", "bmc", "cegar", "impact", "Impara (paper)"];
    let first = table(
        "impact-engines",
        "Seconds of our engines, and of Impara in the paper (table I)",
        columns.map(str::to_string).to_vec(),
        side_by_side,
    );
    let mut columns = vec!["program".to_string(), "safe".to_string()];
    for (title, _) in CONFIGURATIONS {
        columns.extend(["s", "|V|", "|V| paper", "impl", "C"].map(|column| format!("{title} {column}")));
    }
    let title = "Seconds, nodes, implications by the solver, share of cover expansions (table II)";
    Ok(vec![first, table("impact-configurations", title, columns, configurations)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peterson_is_proven_with_fewer_nodes_by_the_reduction() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/impact");
        let task = load(&folder.join("peterson.c")).expect("it is valid C");
        let limit = Duration::from_secs(20);
        let measured =
            CONFIGURATIONS.map(|(_, knobs)| measure(&task, "impact", &knobs, limit).expect("it is declared"));
        assert!(measured.iter().all(|measured| measured.is_bad == Some(false)));
        let [plain, _, reduced, _] = measured.map(|measured| measured.number("nodes"));
        assert!(reduced < plain, "{reduced} nodes with the reduction, {plain} without");
    }
}
