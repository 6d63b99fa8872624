//! `cargo xtask litmus-agree [--count N] [--seed S] [--suite SUITE.csv]`: do the enumerator and the symbolic engine find the same?
//!
//! Three kinds of tests: from cycles, in every dialect (`cycle`), each under the models of that dialect and under `sc`; random lines of
//! `engines::axiomatic::shapes`, two to four threads on few places, so that accesses meet; and the tests of a suite with the models that it names. Of
//! generated tests all executions are counted by both engines; of a suite the final states, flags included, or, where these are too many, the verdict. A difference is printed with the test that
//! causes it. What the symbolic engine refuses is counted by reason.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engines::axiomatic::shapes::{shape, tags};
use engines::axiomatic::{self, Answer, Goal, Method, Question, Refusal};
use ir::litmus::{Dialect, Test};
use logic::Prng;
use memory::cat::Model;

use crate::cycle;

const MODELS: &[&str] = &["sc", "tso", "pso", "riscv", "aarch64", "power", "rc11", "c11", "imm", "linux-kernel"];

/// Time for each question about a test of a suite.
const LIMIT: Duration = Duration::from_secs(5);

/// The models that a dialect's tests are compared under.
fn models_of(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => &["tso", "pso", "sc"],
        Dialect::AArch64 => &["aarch64", "sc"],
        Dialect::Ppc => &["power", "sc"],
        Dialect::RiscV => &["riscv", "sc"],
        Dialect::C => &["rc11", "c11", "imm", "sc"],
        Dialect::Kernel => &["linux-kernel", "sc"],
        Dialect::Proto => &["udp", "tcp", "tcp-buffered", "mqtt", "dds", "quic", "rpc", "sc"],
    }
}

/// Models that were loaded, by name.
#[derive(Default)]
struct Models(BTreeMap<String, Model>);

impl Models {
    fn model(&mut self, name: &str) -> &Model {
        let load = || memory::cat::load(name, &|_| None, &Default::default()).expect("our models load");
        self.0.entry(name.to_string()).or_insert_with(load)
    }
}

#[derive(Default)]
struct Tally {
    n_equal: u64,
    n_verdicts: u64,
    n_differ: u64,
    refused: BTreeMap<String, u64>,
}

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many tests from cycles, and as many random lines
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// The seed of the first one
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// A suite to compare on, too
    #[arg(long, value_name = "SUITE.csv")]
    suite: Option<PathBuf>,
}

/// Compares; whether they agree.
pub(crate) fn run(options: &Options) -> bool {
    let Options { count, seed, ref suite } = *options;
    let mut models = Models::default();
    let mut is_fine = true;
    let mut cycles = Tally::default();
    let mut lines = Tally::default();
    for index in 0..count {
        let dialect = cycle::DIALECTS[(index % cycle::DIALECTS.len() as u64) as usize];
        let text = cycle::text(dialect, seed + index);
        let test = frontend::litmus::parse("generated", &text, &Default::default()).expect("generated tests are read");
        for name in models_of(dialect) {
            compare(&test, &text, name, models.model(name), &[Goal::Executions], &mut cycles);
        }
        let line = random_line(seed.wrapping_add(index));
        let name = MODELS[(index % MODELS.len() as u64) as usize];
        let (accesses, fences) = tags(name);
        let test = shape("random", &line, accesses, fences);
        compare(&test, &line, name, models.model(name), &[Goal::Executions], &mut lines);
    }
    is_fine &= cycles.tell(&format!("{count} tests from cycles")) & lines.tell(&format!("{count} random lines"));
    if let Some(suite) = suite {
        is_fine &= compare_suite(suite, &mut models);
    }
    is_fine
}

fn compare_suite(suite: &Path, models: &mut Models) -> bool {
    let tasks = match cases::suite::read(&[suite.to_path_buf()], &[]) {
        Ok(tasks) => tasks,
        Err(error) => {
            eprintln!("{error}");
            return false;
        }
    };
    let mut tally = Tally::default();
    for task in &tasks {
        let (name, model) = (task.path.to_string_lossy(), task.property.as_str());
        match frontend::litmus::load(&task.path, &Default::default()) {
            Ok(test) => {
                compare(&test, &name, model, models.model(model), &[Goal::States, Goal::Verdict], &mut tally);
            }
            Err(_) => *tally.refused.entry("the test is not read".to_string()).or_default() += 1,
        }
    }
    tally.tell("the suite")
}

/// Asks both engines for the first of these goals that both reach in time, and compares.
fn compare(test: &Test, text: &str, name: &str, model: &Model, goals: &[Goal], tally: &mut Tally) {
    for &goal in goals {
        let ask = |method| {
            let question = Question { goal, method, ..Question::default() };
            let started = Instant::now();
            axiomatic::answer(test, model, &question, &|| started.elapsed() > LIMIT)
        };
        match (ask(Method::Enumerate), ask(Method::Symbolic)) {
            (Ok(one), Ok(other)) => {
                if is_same(test, &one, &other, goal) {
                    *(if goal == Goal::Verdict { &mut tally.n_verdicts } else { &mut tally.n_equal }) += 1;
                } else {
                    tally.n_differ += 1;
                    let told = |answer: &Answer| format!("{:?} {:?}", answer.states, answer.flags);
                    eprintln!("under {name} the engines differ on\n{text}\n  {}\n  {}", told(&one), told(&other));
                }
                return;
            }
            (Err(Refusal::Stopped), _) | (_, Err(Refusal::Stopped)) if goal != Goal::Verdict => {}
            (_, Err(refusal)) => {
                *tally.refused.entry(refusal.to_string()).or_default() += 1;
                return;
            }
            (Err(refusal), Ok(_)) => {
                *tally.refused.entry(format!("only the symbolic engine answers: {refusal}")).or_default() += 1;
                return;
            }
        }
    }
    *tally.refused.entry("out of time".to_string()).or_default() += 1;
}

fn is_same(test: &Test, one: &Answer, other: &Answer, goal: Goal) -> bool {
    if goal == Goal::Verdict {
        return one.decided(test) == other.decided(test);
    }
    one.states == other.states && one.flags == other.flags
}

impl Tally {
    /// Prints the figures; whether nothing differs.
    fn tell(&self, what: &str) -> bool {
        println!(
            "{what}: {} answers with equal states, counts and flags, {} with equal verdicts, {} differ",
            self.n_equal, self.n_verdicts, self.n_differ
        );
        for (reason, n) in &self.refused {
            println!("  {n} not compared: {reason}");
        }
        self.n_differ == 0
    }
}

/// A random line; the values that reads are asked to have found are some that were written.
pub(super) fn random_line(seed: u64) -> String {
    let mut random = Prng::new(seed);
    let mut below = |n: u64| random.below(n);
    let n_threads = 2 + below(3);
    let n_places = 1 + below(3);
    let mut value = 0;
    let mut reads = Vec::new();
    let mut writes = Vec::new();
    let mut threads = Vec::new();
    for _ in 0..n_threads {
        let mut words = Vec::new();
        let n_accesses = 1 + below(if n_threads > 3 { 2 } else { 3 });
        for index in 0..n_accesses {
            if index > 0 && below(4) == 0 {
                words.push("F".to_string());
            }
            let place = ["x", "y", "z"][below(n_places) as usize];
            if below(2) == 0 {
                value += 1;
                writes.push((place, value));
                words.push(format!("W{place}{value}"));
            } else {
                reads.push(place);
                words.push(format!("R{place}"));
            }
        }
        threads.push(words.join(" ; "));
    }
    let mut asked = Vec::new();
    for place in reads {
        let of_place: Vec<u64> = writes.iter().filter(|write| write.0 == place).map(|write| write.1).collect();
        let index = below(of_place.len() as u64 + 1) as usize;
        asked.push(of_place.get(index).copied().unwrap_or(0).to_string());
    }
    if let Some((place, value)) = writes.last().filter(|_| below(2) == 0) {
        asked.push(format!("{place}{value}"));
    }
    format!("{} : {}", threads.join(" | "), asked.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn very_many_choices_go_to_the_solver() {
        let writers: Vec<String> = (1..=9).map(|value| format!("Wx{value}")).collect();
        let line = format!("{} | Rx ; Rx ; Rx ; Rx | Rx ; Rx ; Rx ; Rx : 1 2 3 4 2 1 4 3", writers.join(" | "));
        let test = shape("many", &line, &[], &[]);
        let question = Question { goal: Goal::Verdict, ..Question::default() };
        let mut models = Models::default();
        let answer = axiomatic::answer(&test, models.model("sc"), &question, &|| false).expect("it is answered");
        assert!(answer.is_symbolic && answer.n_positive == 0);
    }

    #[test]
    fn the_engines_agree_on_some_tests() {
        assert!(super::run(&super::Options { count: 60, seed: 0, suite: None }));
    }
}
