//! `cargo xtask litmus-generate [--count N] [--seed S] [--into FOLDER]`: litmus tests from cycles.
//!
//! The idea is diy's: a cycle of edges between events, some within a thread (program order, a fence, a dependency), some between threads (reads
//! from, from read, coherence), spells a test whose final condition can hold only if all edges of the cycle are there at once. A strong
//! enough model forbids it; sequential consistency forbids every one, and that is checked here for each test that is made.
//!
//! Invariant: no location is written more than twice, so that values read and final values tell which edges were there: the writes of a location
//! have the values 1 and 2 in the order of the cycle, and a read finds as many as stand before it.

mod print;

use ir::litmus::Dialect;
use ir::litmus::sc;
use logic::Prng;
use std::path::PathBuf;

/// The dialects that tests are made for.
pub(crate) const DIALECTS: [Dialect; 6] =
    [Dialect::X86, Dialect::AArch64, Dialect::Ppc, Dialect::RiscV, Dialect::C, Dialect::Kernel];

/// How an event of a thread is linked to the next one of that thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Link {
    /// Program order alone.
    Order,
    /// A fence: its number among those of the dialect.
    Fence(usize),
    /// The address depends on the read.
    Address,
    /// The value depends on the read.
    Data,
    /// A branch depends on the read.
    Control,
    /// A branch depends on the read, and the dialect's instruction fence follows.
    ControlFence,
}

/// An event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) is_write: bool,
    pub(crate) location: usize,
    /// What it writes, or has to read.
    pub(crate) value: u64,
    /// Which of the dialect's forms of an access it has: 0 is the plain one.
    pub(crate) form: usize,
}

/// A thread: one event, or two with a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Thread {
    pub(crate) first: Event,
    pub(crate) second: Option<(Link, Event)>,
}

/// A test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cycle {
    pub(crate) threads: Vec<Thread>,
    pub(crate) n_locations: usize,
    /// Locations that are written twice: they have to end with 2.
    pub(crate) twice: Vec<usize>,
}

/// A random test of a dialect, as text.
pub(crate) fn text(dialect: Dialect, seed: u64) -> String {
    let mut random = Prng::new(seed);
    let forms = print::forms(dialect);
    let cycle = loop {
        if let Some(cycle) = attempt(&mut random, &forms) {
            break cycle;
        }
    };
    print::text(&cycle, dialect, &format!("cycle-{}-{seed}", print::short_name(dialect)))
}

/// A random test of a machine without dependencies, and the same as a C program whose threads are inline assembly and whose assertion fails
/// if the condition holds.
pub(crate) fn assembly(dialect: Dialect, seed: u64) -> (String, String) {
    let mut random = Prng::new(seed);
    let forms = print::forms(dialect);
    let mut cycle = loop {
        if let Some(cycle) = attempt(&mut random, &forms) {
            break cycle;
        }
    };
    for thread in &mut cycle.threads {
        let events = std::iter::once(&mut thread.first).chain(thread.second.as_mut().map(|(_, event)| event));
        events.filter(|event| !print::has_instruction(dialect, event)).for_each(|event| event.form = 0);
        if let Some((link, _)) = &mut thread.second
            && !matches!(link, Link::Fence(_))
        {
            *link = Link::Order;
        }
    }
    (
        print::text(&cycle, dialect, &format!("cycle-{}-{seed}", print::short_name(dialect))),
        print::program(&cycle, dialect),
    )
}

/// A random cycle as a line of `engines::axiomatic::shapes`: `Wa1 ; Rb | Wb1 ; Ra : 0 0`; fences are the strongest, dependencies are left out.
pub(crate) fn line(seed: u64) -> String {
    let mut random = Prng::new(seed);
    let forms = print::forms(Dialect::C);
    let cycle = loop {
        if let Some(cycle) = attempt(&mut random, &forms) {
            break cycle;
        }
    };
    let place = |location: usize| char::from(b'a' + location as u8);
    let mut asked = Vec::new();
    let mut word = |event: &Event| {
        if event.is_write {
            format!("W{}{}", place(event.location), event.value)
        } else {
            asked.push(event.value.to_string());
            format!("R{}", place(event.location))
        }
    };
    let mut threads = Vec::new();
    for thread in &cycle.threads {
        let mut words = vec![word(&thread.first)];
        if let Some((link, second)) = &thread.second {
            words.extend(matches!(link, Link::Fence(_)).then(|| "F".to_string()));
            words.push(word(second));
        }
        threads.push(words.join(" ; "));
    }
    asked.extend(cycle.twice.iter().map(|&location| format!("{}2", place(location))));
    format!("{} : {}", threads.join(" | "), asked.join(" "))
}

/// What two events of different threads have to be for an edge between them.
const EXTERNAL: [(bool, bool); 3] = [(true, false), (false, true), (true, true)];

fn attempt(random: &mut Prng, forms: &print::Forms) -> Option<Cycle> {
    let n_threads = 2 + random.index(3);
    let is_double: Vec<bool> = (0..n_threads).map(|_| random.index(4) > 0).collect();
    let n_locations = is_double.iter().filter(|double| **double).count();
    if n_locations < 2 {
        return None;
    }
    // Edge `i` goes from the last event of thread `i` to the first of the next.
    let edges: Vec<(bool, bool)> = (0..n_threads).map(|_| EXTERNAL[random.index(3)]).collect();
    let mut threads = Vec::new();
    let mut location = 0;
    for index in 0..n_threads {
        let first = edges[(index + n_threads - 1) % n_threads].1;
        let last = edges[index].0;
        if !is_double[index] && first != last {
            return None;
        }
        let event = |is_write, location, random: &mut Prng| Event {
            is_write,
            location,
            value: 0,
            form: forms.pick(is_write, random),
        };
        let first = event(first, location, random);
        let second = if is_double[index] {
            location = (location + 1) % n_locations;
            let second = event(last, location, random);
            Some((forms.link(first.is_write, second.is_write, random), second))
        } else {
            None
        };
        threads.push(Thread { first, second });
    }
    let twice = number(&mut threads, n_locations)?;
    Some(Cycle { threads, n_locations, twice })
}

/// Gives values to the events, along the cycle; the locations that are written twice.
fn number(threads: &mut [Thread], n_locations: usize) -> Option<Vec<usize>> {
    // Begin after a link, so that the events of each location come together.
    let start = threads.iter().position(|thread| thread.second.is_some())?;
    let mut writes = vec![0; n_locations];
    let n_threads = threads.len();
    let mut give = |event: &mut Event| {
        let count: &mut u64 = &mut writes[event.location];
        *count += u64::from(event.is_write);
        event.value = *count;
    };
    for step in 0..n_threads {
        let index = (start + step) % n_threads;
        if step > 0 {
            give(&mut threads[index].first);
        }
        if let Some((_, second)) = &mut threads[index].second {
            give(second);
        }
    }
    give(&mut threads[start].first);
    let is_fine = writes.iter().all(|count| (1..=2).contains(count));
    is_fine.then(|| (0..n_locations).filter(|location| writes[*location] == 2).collect())
}

/// What the command line says.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many tests
    #[arg(long, value_name = "N", default_value_t = 2000)]
    count: u64,
    /// The seed of the first one
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where they are written
    #[arg(long, value_name = "FOLDER")]
    into: Option<PathBuf>,
}

/// Makes tests, checks each, and keeps them if a folder is named; whether all are as they should be.
pub(crate) fn run(options: &Options) -> bool {
    let Options { count, seed, into: ref folder } = *options;
    let mut is_fine = true;
    for index in 0..count {
        let dialect = DIALECTS[(index % DIALECTS.len() as u64) as usize];
        let text = text(dialect, seed + index);
        if let Err(reason) = check(&text) {
            eprintln!("{reason}\n{text}");
            is_fine = false;
        }
        if let Some(folder) = folder {
            let path = folder.join(format!("{}-{}.litmus", print::short_name(dialect), seed + index));
            if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &text)) {
                eprintln!("{}: {error}", path.display());
                return false;
            }
        }
    }
    println!(
        "{count} tests from cycles, {}",
        if is_fine { "each forbidden under sequential consistency" } else { "some are wrong" }
    );
    is_fine
}

/// Whether a generated test is read, and forbidden under sequential consistency.
fn check(text: &str) -> Result<(), String> {
    let test = frontend::litmus::parse("generated", text, &frontend::litmus::Options::default())
        .map_err(|rejected| format!("{:?}", rejected.diagnostics))?;
    let outcomes = sc::final_states(&test, 2, 1_000_000).map_err(|why| format!("{why:?}"))?;
    if outcomes.states.iter().any(|state| test.condition.holds(state)) {
        return Err("the condition holds under sequential consistency".to_string());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generated_test_is_read_and_forbidden_under_sequential_consistency() {
        for (index, dialect) in DIALECTS.iter().cycle().take(120).enumerate() {
            let text = text(*dialect, index as u64);
            check(&text).unwrap_or_else(|reason| panic!("{reason}\n{text}"));
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_test() {
        assert_eq!(text(Dialect::AArch64, 7), text(Dialect::AArch64, 7));
        assert_ne!(text(Dialect::AArch64, 7), text(Dialect::AArch64, 8));
    }
}
