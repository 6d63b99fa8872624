//! What do settings of `cegar` cost? The family of programs with 2N+1 threads and suites, run with each of them.
//!
//! All runs are made through `engines::decide` like every verdict.

pub(super) mod coi;
mod family;
pub(super) mod por;

use super::args::{Args, Asked};
use super::measured::{Measured, Setting, load_asked, measure};
use super::present::output::progress;
use super::present::table::Table;
use cases::Pool;
use ir::Task;
use std::time::Duration;

/// Stack of a thread that asks engines: terms are deep.
const STACK: usize = 256 << 20;

/// What was measured on the family: for each setting the seconds of each N that it solved.
pub(super) struct OnFamily {
    pub(super) table: Table,
    /// The largest N that each setting solves, and the exponent of the power of N that describes its times best.
    pub(super) solved: Vec<(Option<u32>, Option<f64>)>,
    pub(super) n_wrong: usize,
}

/// Seconds on the family, N doubling; a setting that runs out of time is not tried again. The last line is the exponent of the power of N that
/// describes the times best.
pub(super) fn on_family(
    args: &Args,
    settings: &[Setting],
    name: &str,
    title: &str,
    papers: &[(&str, u32)],
) -> OnFamily {
    let mut lines: Vec<Vec<(u32, f64)>> = vec![Vec::new(); settings.len()];
    let mut has_failed = vec![args.is_dry; settings.len()];
    let (mut rows, mut n_wrong) = (Vec::new(), 0);
    let mut n = 1;
    while n <= args.max {
        let task = if args.is_dry { None } else { family::task(n).ok() };
        let mut row = vec![n.to_string(), (2 * n + 1).to_string()];
        for (index, (setting, knobs)) in settings.iter().enumerate() {
            let Some(task) = task.as_ref().filter(|_| !has_failed[index]) else {
                row.push(String::new());
                continue;
            };
            progress(&format!("N = {n}, {setting}"));
            let measured = measure_best(task, true, knobs, args.family_limit, 1);
            n_wrong += usize::from(measured.is_wrong);
            if measured.is_solved() {
                lines[index].push((n, measured.seconds));
            }
            has_failed[index] = !measured.is_solved();
            row.push(if has_failed[index] && !measured.is_wrong { "out of time".to_string() } else { measured.cell() });
        }
        row.extend(papers.iter().map(|(_, most)| if n <= *most { "solved" } else { "" }.to_string()));
        rows.push(row);
        n *= 2;
    }
    progress("");
    let power = |line: &Vec<(u32, f64)>| fit(line).map_or(String::new(), |exponent| format!("N^{exponent:.2}"));
    let mut last = vec!["fit".to_string(), String::new()];
    last.extend(lines.iter().map(power));
    last.extend(papers.iter().map(|_| String::new()));
    rows.push(last);
    let columns = ["N", "threads"].into_iter().chain(settings.iter().map(|(name, _)| *name));
    let columns = columns.map(str::to_string).chain(papers.iter().map(|(name, _)| format!("{name} (paper)"))).collect();
    let charts = vec![(name.to_string(), "seconds".to_string(), (2..settings.len() + 2).collect())];
    let solved = lines.iter().map(|line| (line.last().map(|(n, _)| *n), fit(line))).collect();
    let table = Table { name: name.to_string(), title: title.to_string(), columns, rows, charts };
    OnFamily { table, solved, n_wrong }
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
fn measure_best(task: &Task, is_safe: bool, knobs: &[(&str, &str)], limit: Duration, n_runs: usize) -> Measured {
    let run = || measure(task, Some(is_safe), "cegar", knobs, limit).expect("the knobs are declared");
    let mut best = run();
    for _ in 1..n_runs {
        let again = if best.is_solved() { run() } else { break };
        if again.is_solved() && again.number("successor seconds") < best.number("successor seconds") {
            best = again;
        }
    }
    best
}

/// What was measured on a suite.
pub(super) struct OnSuite {
    pub(super) about: String,
    /// Tasks that could not be read.
    pub(super) n_unread: usize,
    /// For each task its name, and the results of all settings.
    pub(super) rows: Vec<(String, Vec<Measured>)>,
}

impl OnSuite {
    /// How many tasks a setting solves.
    pub(super) fn n_solved(&self, setting: usize) -> usize {
        self.rows.iter().filter(|(_, of_task)| of_task[setting].is_solved()).count()
    }

    /// How many it answers wrongly.
    pub(super) fn n_wrong(&self, setting: usize) -> usize {
        self.rows.iter().filter(|(_, of_task)| of_task[setting].is_wrong).count()
    }

    /// The results of those tasks that all these settings solve.
    pub(super) fn common(&self, settings: &[usize]) -> Vec<&(String, Vec<Measured>)> {
        let is_common = |row: &&(String, Vec<Measured>)| settings.iter().all(|at| row.1[*at].is_solved());
        self.rows.iter().filter(is_common).collect()
    }

    /// All wrong answers.
    pub(super) fn n_wrong_at_all(&self) -> usize {
        self.rows.iter().flat_map(|(_, of_task)| of_task).filter(|one| one.is_wrong).count()
    }

    /// Which suite it was.
    pub(super) fn words(&self) -> String {
        match self.n_unread {
            0 => format!("Suite: {}.", self.about),
            n => format!("Suite: {}; {n} of them could not be read.", self.about),
        }
    }
}

/// All tasks of the suite with all settings, the best of some runs each.
pub(super) fn on_suite(args: &Args, settings: &[Setting], n_runs: usize) -> Result<OnSuite, String> {
    let suite = args.suite()?;
    let n_runs = if args.quick { 1 } else { n_runs };
    let pool = Pool { n: args.jobs, stack: STACK };
    let ask = |asked: &Asked| {
        let task = load_asked(asked).ok()?;
        let name = asked.task.path.display().to_string();
        progress(&name);
        let of_setting = |(_, knobs): &Setting| measure_best(&task, asked.is_safe, knobs, args.limit, n_runs);
        Some((name, settings.iter().map(of_setting).collect::<Vec<_>>()))
    };
    let asked = pool.map(&suite.tasks, ask);
    progress("");
    let n_unread = asked.iter().filter(|row| row.is_none()).count();
    Ok(OnSuite { about: suite.about, n_unread, rows: asked.into_iter().flatten().collect() })
}

/// By how much less the second is, in per cent.
fn percent_less(before: f64, after: f64) -> f64 {
    if before == 0.0 { 0.0 } else { 100.0 * (before - after) / before }
}

/// `N = 4`, or nothing at all.
fn up_to(n: Option<u32>) -> String {
    n.map_or("nothing".to_string(), |n| format!("N = {n}"))
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
        let measured = measure_best(&task, true, &knobs, Duration::from_secs(20), 1);
        assert!(measured.is_solved() && measured.number("explored actions") > 5.0);
    }
}
