//! How much faster is the explicit engine with several threads, and is it as fast as SPIN with as many?
//!
//! The programs of the benchmark `explicit`, grown to some million states, without reductions on either side. Ravel searches in depth with one thread, in
//! breadth with several, and so does SPIN's verifier (`-DBFS_PAR`), whose models have more states and which is stopped after some seconds: what is compared with it is
//! states per second. Each is run some times, one after the other, and the best run counts. States must be as many with one thread as with several;
//! where the cores are not free, say so beside the figures.

use super::explicit::{Figures, build_spin, run_ravel};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds after which SPIN's verifier is stopped.
const SPIN_SECONDS: u32 = 20;

/// A program, and by what its size is replaced in C and in Promela.
const MODELS: [(&str, (&str, &str)); 3] = [
    ("filter", ("#define N 3", "#define N 4")),
    ("philosophers", ("#define N 9", "#define N 10")),
    ("buffer", ("#define SIZE 4", "#define SIZE 8")),
];

/// Prints the table; true if all searches ended as they should, with the same states.
pub(crate) fn run(threads: usize, rounds: usize) -> bool {
    println!(
        "{:14} {:>10} | {:>9} {:>9} {:>8} | {:>12} {:>12} {:>6}",
        "program", "states", "1 thread", "threads", "speed-up", "states/s", "spin", "ratio"
    );
    let mut is_fine = true;
    let mut speed_ups = Vec::new();
    for (model, size) in MODELS {
        let Some((program, promela)) = grown(model, size) else {
            println!("{model}: it cannot be written");
            return false;
        };
        let pan = build_spin(&promela, &["-DSAFETY", "-DNOREDUCE", "-DBFS_PAR", "-DMEMLIM=8000"]);
        let (mut one, mut many, mut theirs): (_, _, Option<f64>) = (None, None, None);
        for _ in 0..rounds {
            one = best(one, run_ravel(&program, &[]));
            many = best(many, run_ravel(&program, &[("threads", &threads.to_string())]));
            let rate = pan.as_deref().and_then(|pan| rate_of_spin(pan, threads));
            theirs = theirs.into_iter().chain(rate).reduce(f64::max);
        }
        let (Some(one), Some(many)) = (one, many) else {
            println!("{model}: not proven safe");
            is_fine = false;
            continue;
        };
        is_fine &= one.states == many.states;
        speed_ups.push(one.seconds / many.seconds);
        let spin = theirs.map_or("not there".to_string(), |theirs| format!("{theirs:.0}"));
        let ratio = theirs.map_or(String::new(), |theirs| format!("{:.2}", many.rate() / theirs));
        println!(
            "{model:14} {:>10} | {:>8.2}s {:>8.2}s {:>8.2} | {:>12.0} {spin:>12} {ratio:>6}",
            many.states,
            one.seconds,
            many.seconds,
            one.seconds / many.seconds,
            many.rate()
        );
    }
    let mean = (speed_ups.iter().map(|ratio| ratio.ln()).sum::<f64>() / speed_ups.len().max(1) as f64).exp();
    println!("speed-up with {threads} threads, geometric mean: {mean:.2}");
    is_fine
}

fn best(known: Option<Figures>, new: Option<Figures>) -> Option<Figures> {
    match (known, new) {
        (Some(known), Some(new)) => Some(known.better(new)),
        (known, new) => known.or(new),
    }
}

/// States a second of SPIN's verifier, as its threads say how far they are: the sum of what each has stored.
fn rate_of_spin(pan: &Path, threads: usize) -> Option<f64> {
    let cores = format!("-u{threads}");
    let mut command = Command::new("timeout");
    command.arg(SPIN_SECONDS.to_string()).arg(pan).args([&cores, "-w26"]).current_dir(pan.parent()?);
    let text = String::from_utf8_lossy(&command.output().ok()?.stdout).into_owned();
    let mut last: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with("cpu")) {
        let number = |before: &str| line.split_once(before)?.1.split_whitespace().next()?.parse::<f64>().ok();
        if let (Some(states), Some(seconds)) = (number("States="), number(" t=").or_else(|| number("\tt="))) {
            last.insert(line.split_whitespace().next()?, (states, seconds));
        }
    }
    let rates = last.values().filter(|(_, seconds)| *seconds > 0.0).map(|(states, seconds)| states / seconds);
    Some(rates.sum()).filter(|rate| *rate > 0.0)
}

/// The program and its model with their size replaced, as files of their own.
fn grown(model: &str, (from, to): (&str, &str)) -> Option<(PathBuf, PathBuf)> {
    let folder = std::env::temp_dir().join(format!("ravel-cores-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let write = |suffix: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("spin").join(format!("{model}.{suffix}"));
        let text = std::fs::read_to_string(path).ok()?;
        let grown = folder.join(format!("{model}.{suffix}"));
        assert!(text.contains(from), "{model}.{suffix} has its size in a line of its own");
        std::fs::write(&grown, text.replace(from, to)).ok()?;
        Some(grown)
    };
    Some((write("c")?, write("pml")?))
}
