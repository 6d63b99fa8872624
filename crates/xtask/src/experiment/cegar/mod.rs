//! What do settings of `cegar` cost? The family of programs with 2N+1 threads and suites, run with each of them.
//!
//! All runs are made one after the other in this process, through `engines::decide` like every verdict.

pub(super) mod coi;
mod family;
pub(super) mod por;

use super::args::Args;
use super::output::progress;
use super::table::Table;
use engines::{Budget, Decided, Run, decide, engine_named};
use ir::{Properties, Property, Task};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Settings that are compared: what they are called, and the knobs.
pub(super) type Setting = (&'static str, &'static [(&'static str, &'static str)]);

/// What came of a run.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// Whether there was a verdict.
    pub(super) is_decided: bool,
    pub(super) seconds: f64,
    statistics: BTreeMap<&'static str, f64>,
}

impl Measured {
    /// A statistic of the engine.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.statistics.get(name).copied().unwrap_or(0.0)
    }
}

/// Loads a program and asks about error calls and assertions.
pub(super) fn load(path: &Path) -> Result<Task, String> {
    let loaded = frontend::load(&[path.to_path_buf()], &frontend::Options::default())
        .map_err(|rejected| rejected.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let properties = Properties::of(&[Property::ErrorCall, Property::Assertion]);
    Ok(Task { program: loaded.program, properties })
}

/// Runs `cegar` with some settings.
pub(super) fn measure(task: &Task, knobs: &[(&str, &str)], limit: Duration) -> Measured {
    let engine = engine_named("cegar").expect("cegar is in the table");
    let started = Instant::now();
    let budget = Budget::new(Some(limit), Some(4 << 30));
    let mut run = Run::of(engine.about(), budget, knobs).expect("the knobs are declared");
    let decided = decide(engine, task, &mut run);
    Measured {
        is_decided: !matches!(decided, Decided::Unknown(_)),
        seconds: started.elapsed().as_secs_f64(),
        statistics: run.statistics.0.clone(),
    }
}

/// Seconds on the family, N doubling; a setting that runs out of time is not tried again. The last line is the exponent of the power of N that
/// describes the times best.
pub(super) fn on_family(limit: Duration, max: u32, settings: &[Setting], name: &str, title: &str) -> Table {
    let mut lines: Vec<Vec<(u32, f64)>> = vec![Vec::new(); settings.len()];
    let mut has_failed = vec![false; settings.len()];
    let mut rows = Vec::new();
    let mut n = 1;
    while n <= max {
        let Ok(task) = family::task(n) else { break };
        let mut row = vec![n.to_string(), (2 * n + 1).to_string()];
        for (index, (setting, knobs)) in settings.iter().enumerate() {
            if has_failed[index] {
                row.push(String::new());
                continue;
            }
            progress(&format!("N = {n}, {setting}"));
            let measured = measure(&task, knobs, limit);
            if measured.is_decided {
                lines[index].push((n, measured.seconds));
                row.push(format!("{:.3}", measured.seconds));
            } else {
                has_failed[index] = true;
                row.push("out of time".to_string());
            }
        }
        rows.push(row);
        n *= 2;
    }
    progress("");
    let power = |line: &Vec<(u32, f64)>| fit(line).map_or(String::new(), |exponent| format!("N^{exponent:.2}"));
    rows.push(["fit".to_string(), String::new()].into_iter().chain(lines.iter().map(power)).collect());
    let columns =
        ["N", "threads"].into_iter().chain(settings.iter().map(|(name, _)| *name)).map(str::to_string).collect();
    let charts = vec![(name.to_string(), "seconds".to_string(), (2..settings.len() + 2).collect())];
    Table { name: name.to_string(), title: title.to_string(), columns, rows, charts }
}

/// The exponent of a power of N that describes the times best, from N = 8 on.
fn fit(line: &[(u32, f64)]) -> Option<f64> {
    let points: Vec<(f64, f64)> = line
        .iter()
        .filter(|(n, seconds)| *n >= 8 && *seconds > 0.0)
        .map(|(n, seconds)| (f64::from(*n).ln(), seconds.ln()))
        .collect();
    if points.len() < 2 {
        return None;
    }
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(&mut points.iter().map(|point| point.0)), mean(&mut points.iter().map(|point| point.1)));
    let above: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    Some(above / below)
}

/// Of several runs that decide the task, the one with the quickest successor calculation: the machine may be busy with other things.
fn measure_best(task: &Task, knobs: &[(&str, &str)], limit: Duration, n_runs: usize) -> Measured {
    let mut best = measure(task, knobs, limit);
    for _ in 1..n_runs {
        let again = if best.is_decided { measure(task, knobs, limit) } else { break };
        if again.is_decided && again.number("successor seconds") < best.number("successor seconds") {
            best = again;
        }
    }
    best
}

/// All tasks of the suite with all settings, the best of some runs each; tasks that cannot be read are left out.
pub(super) fn on_suite(
    args: &Args,
    settings: &[Setting],
    n_runs: usize,
) -> Result<Vec<(String, Vec<Measured>)>, String> {
    let mut rows = Vec::new();
    for path in args.tasks()?.into_iter().map(|task| task.path) {
        let Ok(task) = load(&path) else { continue };
        let name = path.display().to_string();
        progress(&name);
        let measured: Vec<Measured> =
            settings.iter().map(|(_, knobs)| measure_best(&task, knobs, args.limit, n_runs)).collect();
        rows.push((name, measured));
    }
    progress("");
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_find_the_power() {
        let cubic: Vec<(u32, f64)> = [8u32, 16, 32, 64].iter().map(|n| (*n, 1e-6 * f64::from(*n).powi(3))).collect();
        assert!(fit(&cubic).is_some_and(|exponent| (exponent - 3.0).abs() < 1e-6));
        assert_eq!(fit(&cubic[..1]), None);
    }

    #[test]
    fn the_family_is_proven_by_the_aware_reduction() {
        let task = family::task(2).expect("it is valid C");
        let knobs = [("domain", "pred"), ("init", "branches"), ("por", "aware")];
        let measured = measure(&task, &knobs, Duration::from_secs(20));
        assert!(measured.is_decided && measured.number("explored actions") > 5.0);
    }
}
