//! What has a suite answered so far? A file with a line for each finished question, so that a run that was killed goes on where it stopped, and
//! several machines share a suite.
//!
//! The first line says what is asked: the questions' fingerprint, the options and the shard. Each other line is one answer, written in one piece
//! when it is there. A last line without its end was cut off in the middle and is asked again; whatever else does not fit is an error, because a
//! table put together from two different runs would count what nobody measured.

use crate::suite::Task;
use crate::worker::{Answer, Category};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Which of the questions: every n-th, beginning with the i-th.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// From 1 to `of`.
    pub number: usize,
    /// How many there are.
    pub of: usize,
}

impl Shard {
    /// All questions.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Whether the question with this number, counted from 0, is in it.
    pub fn has(&self, question: usize) -> bool {
        question % self.of == self.number - 1
    }

    /// How many of so many questions are in it.
    pub fn share_of(&self, questions: usize) -> usize {
        (questions + self.of - self.number) / self.of
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(word: &str) -> Result<Shard, String> {
        let wrong = || format!("`{word}` is no shard; the second of eight is 2/8");
        let (number, of) = word.split_once('/').ok_or_else(wrong)?;
        let shard = Shard { number: number.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if (1..=shard.of).contains(&shard.number) { Ok(shard) } else { Err(wrong()) }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What is asked; journals with different heads do not fit together, but for their shards.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Head {
    /// The ravel that answers.
    pub ravel: String,
    /// Limits and knobs of all questions.
    pub options: Vec<String>,
    /// How many questions the whole suite has.
    pub questions: usize,
    /// Of all questions, in their order.
    pub fingerprint: String,
    /// Which of them are asked here.
    pub shard: Shard,
}

impl Head {
    /// What does not fit between two journals of one suite, whatever their shards.
    fn misfit(&self, other: &Head) -> Option<&'static str> {
        let pairs = [
            (self.ravel == other.ravel, "another version of ravel"),
            (self.options == other.options, "other limits or knobs"),
            (self.questions == other.questions && self.fingerprint == other.fingerprint, "other tasks or engines"),
            (self.shard.of == other.shard.of, "another number of shards"),
        ];
        pairs.iter().find(|(fits, _)| !fits).map(|(_, what)| *what)
    }
}

/// A question with its answer.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Counted from 0 in the whole suite.
    pub question: usize,
    /// What was asked.
    pub task: Task,
    /// Who answered.
    pub engine: String,
    /// How.
    pub answer: Answer,
}

/// An entry as a line.
#[derive(Serialize, Deserialize)]
struct Line {
    question: usize,
    task: PathBuf,
    property: String,
    expected: String,
    options: Vec<String>,
    engine: String,
    outcome: Category,
    result: String,
    reason: String,
    states: Option<f64>,
    statistics: BTreeMap<String, f64>,
    seconds: f64,
}

impl From<Line> for Entry {
    fn from(line: Line) -> Entry {
        let Line { question, task, property, expected, options, engine, outcome, result, reason, states, .. } = line;
        let time = Duration::try_from_secs_f64(line.seconds).unwrap_or_default();
        let answer = Answer { outcome, result, reason, states, statistics: line.statistics, time };
        Entry { question, task: Task { path: task, property, expected, options }, engine, answer }
    }
}

/// The answers of a shard, on disk.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// What was there when it was opened.
    pub before: Vec<Entry>,
}

impl Journal {
    /// Goes on with the journal of this name, or begins it. One that was written for something else is an error.
    pub fn open(path: &Path, head: &Head) -> Result<Journal, String> {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let is_new = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
        let mut before = Vec::new();
        if !is_new {
            let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            if whole > 0 {
                let (written, entries) = parse(&text[..whole]).map_err(|error| wrong(&error))?;
                if let Some(what) = written.misfit(head).or((written.shard != head.shard).then_some("another shard")) {
                    return Err(wrong(&format!("these are the results of {what}; name another file, or delete it")));
                }
                before = entries;
            }
            let file = OpenOptions::new().write(true).open(path).map_err(|error| wrong(&error))?;
            file.set_len(whole as u64).map_err(|error| wrong(&error))?;
        }
        let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(|error| wrong(&error))?;
        if file.metadata().map_err(|error| wrong(&error))?.len() == 0 {
            let line = serde_json::to_string(head).map_err(|error| wrong(&error))? + "\n";
            file.write_all(line.as_bytes()).map_err(|error| wrong(&error))?;
        }
        Ok(Journal { path: path.to_path_buf(), file, before })
    }

    /// Adds an answer, in one piece.
    pub fn add(&mut self, question: usize, task: &Task, engine: &str, answer: &Answer) -> Result<(), String> {
        let line = Line {
            question,
            task: task.path.clone(),
            property: task.property.clone(),
            expected: task.expected.clone(),
            options: task.options.clone(),
            engine: engine.to_string(),
            outcome: answer.outcome,
            result: answer.result.clone(),
            reason: answer.reason.clone(),
            states: answer.states,
            statistics: answer.statistics.clone(),
            seconds: answer.time.as_secs_f64(),
        };
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", self.path.display());
        let line = serde_json::to_string(&line).map_err(|error| wrong(&error))? + "\n";
        self.file.write_all(line.as_bytes()).map_err(|error| wrong(&error))
    }
}

/// The head and the entries of whole lines. Who was asked twice, by two processes at once, answered first.
fn parse(text: &str) -> Result<(Head, Vec<Entry>), String> {
    let mut lines = text.lines().enumerate();
    let (_, first) = lines.next().ok_or("it is empty")?;
    let head: Head = serde_json::from_str(first).map_err(|_| "it does not hold the results of `ravel bench`")?;
    let mut entries: BTreeMap<usize, Entry> = BTreeMap::new();
    for (index, line) in lines {
        let line: Line = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
        if line.question >= head.questions || !head.shard.has(line.question) {
            return Err(format!("line {}: question {} is not of shard {}", index + 1, line.question, head.shard));
        }
        entries.entry(line.question).or_insert_with(|| line.into());
    }
    Ok((head, entries.into_values().collect()))
}

/// How many answers a journal has; none where there is none yet.
pub fn n_answers(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.matches('\n').count().saturating_sub(1)
}

/// Journals put together.
#[derive(Debug)]
pub struct Merged {
    /// Of any of them.
    pub head: Head,
    /// In the order of the suite.
    pub entries: Vec<Entry>,
    /// The shards that lack answers, and how many each lacks.
    pub missing: Vec<(Shard, usize)>,
}

/// Puts the journals of a suite's shards together. They must be of one run; two that answer one question must agree.
pub fn merge(paths: &[PathBuf]) -> Result<Merged, String> {
    let mut head: Option<Head> = None;
    let mut entries: BTreeMap<usize, (Entry, &Path)> = BTreeMap::new();
    for path in paths {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let (here, found) = parse(&text[..whole]).map_err(|error| wrong(&error))?;
        let known = head.get_or_insert_with(|| here.clone());
        if let Some(what) = known.misfit(&here) {
            return Err(wrong(&format!("these are the results of {what} than {}", paths[0].display())));
        }
        for entry in found {
            match entries.get(&entry.question) {
                Some((other, at)) if other.answer.result != entry.answer.result => {
                    let (a, b) = (&other.answer.result, &entry.answer.result);
                    let (task, at) = (entry.task.path.display(), at.display());
                    return Err(wrong(&format!("{} says {b} about {task}, but {at} says {a}", entry.engine)));
                }
                Some(_) => {}
                None => {
                    entries.insert(entry.question, (entry, path));
                }
            }
        }
    }
    let head = head.ok_or("no results are named")?;
    let shards = (1..=head.shard.of).map(|number| Shard { number, ..head.shard });
    let lacks = |shard: Shard| {
        let has = entries.keys().filter(|question| shard.has(**question)).count();
        (shard, shard.share_of(head.questions) - has)
    };
    let missing = shards.map(lacks).filter(|(_, n)| *n > 0).collect();
    Ok(Merged { head, entries: entries.into_values().map(|(entry, _)| entry).collect(), missing })
}

/// The same for the same questions on every machine and in every version (FNV-1a).
pub fn fingerprint<'a>(questions: impl Iterator<Item = (&'a Task, &'a str)>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |text: &str| {
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for (task, engine) in questions {
        eat(&task.path.to_string_lossy());
        [&task.property, &task.expected].into_iter().chain(&task.options).for_each(|word| eat(word));
        eat(engine);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(number: usize) -> Task {
        let path = PathBuf::from(format!("s/{number}.c"));
        Task { path, property: "race".into(), expected: "true".into(), options: vec!["--x".into()] }
    }

    fn answer(result: &str) -> Answer {
        let statistics = BTreeMap::from([("states".to_string(), 3.5)]);
        let time = Duration::from_millis(1500);
        let (outcome, reason) = (Category::Unknown, "a\nb \"c\"".to_string());
        Answer { outcome, result: result.into(), reason, states: None, statistics, time }
    }

    fn head(shard: &str) -> Head {
        let (ravel, options) = ("1".to_string(), vec!["--time-limit=1s".to_string()]);
        Head { ravel, options, questions: 5, fingerprint: "f".into(), shard: shard.parse().expect("a shard") }
    }

    /// A path that is nobody else's, without a file.
    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ravel-journal-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn write(path: &Path, shard: &str, questions: &[usize]) {
        let mut journal = Journal::open(path, &head(shard)).expect("it can be written");
        for number in questions {
            journal.add(*number, &task(*number), "bmc", &answer("unknown")).expect("it can be written");
        }
    }

    #[test]
    fn shards_share_all_questions() {
        for of in 1..6 {
            let shards: Vec<Shard> = (1..=of).map(|number| Shard { number, of }).collect();
            for question in 0..20 {
                assert_eq!(shards.iter().filter(|shard| shard.has(question)).count(), 1);
            }
            for n in 0..20 {
                for shard in &shards {
                    assert_eq!(shard.share_of(n), (0..n).filter(|one| shard.has(*one)).count());
                }
            }
        }
        for word in ["", "1", "0/3", "4/3", "1/0", "a/b", "-1/2"] {
            assert!(word.parse::<Shard>().is_err(), "{word}");
        }
    }

    #[test]
    fn a_journal_goes_on_where_it_stopped() {
        let path = path("on");
        write(&path, "1/2", &[0, 4]);
        // Killed in the middle of a line.
        let cut = std::fs::read(&path).expect("it is there");
        std::fs::write(&path, &cut[..cut.len() - 7]).expect("it can be written");
        let journal = Journal::open(&path, &head("1/2")).expect("it fits");
        assert_eq!(journal.before.iter().map(|entry| entry.question).collect::<Vec<_>>(), [0]);
        drop(journal);
        write(&path, "1/2", &[2]);
        let journal = Journal::open(&path, &head("1/2")).expect("it fits");
        assert_eq!(journal.before.iter().map(|entry| entry.question).collect::<Vec<_>>(), [0, 2]);
        let entry = &journal.before[1];
        assert_eq!((&entry.task, &*entry.engine, &*entry.answer.reason), (&task(2), "bmc", "a\nb \"c\""));
        assert_eq!((entry.answer.time, entry.answer.statistics["states"]), (Duration::from_millis(1500), 3.5));
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn a_journal_of_something_else_is_refused() {
        let path = path("else");
        write(&path, "1/2", &[0]);
        let mut other = head("1/2");
        other.options.push("--por=none".to_string());
        for (head, part) in [(head("2/2"), "another shard"), (head("1/3"), "number of shards"), (other, "limits")] {
            let error = Journal::open(&path, &head).expect_err("it does not fit");
            assert!(error.contains(part), "{error}");
        }
        for text in ["hello\n", "{}\n", "{\"ravel\":1}\n"] {
            std::fs::write(&path, text).expect("it can be written");
            let error = Journal::open(&path, &head("1/2")).expect_err("it is none");
            assert!(error.contains("does not hold"), "{error}");
        }
        let _ = std::fs::remove_file(&path);
    }

    #[test]
    fn shards_become_one() {
        let (a, b) = (path("a"), path("b"));
        write(&a, "1/2", &[4, 0]);
        write(&b, "2/2", &[1, 3]);
        let merged = merge(&[b.clone(), a.clone()]).expect("they fit");
        assert_eq!(merged.entries.iter().map(|entry| entry.question).collect::<Vec<_>>(), [0, 1, 3, 4]);
        assert_eq!(merged.missing, [(Shard { number: 1, of: 2 }, 1)]);
        write(&a, "1/2", &[2]);
        assert!(merge(&[a.clone(), b.clone()]).expect("they fit").missing.is_empty());
        // A second journal of the same shard that says something else.
        let c = path("c");
        let mut journal = Journal::open(&c, &head("1/2")).expect("it can be written");
        journal.add(0, &task(0), "bmc", &answer("false")).expect("it can be written");
        let error = merge(&[a.clone(), b.clone(), c.clone()]).expect_err("they differ");
        assert!(error.contains("says false") && error.contains("says unknown"), "{error}");
        for path in [a, b, c] {
            let _ = std::fs::remove_file(path);
        }
    }

    #[test]
    fn other_questions_have_another_fingerprint() {
        let (a, b) = (task(1), task(2));
        let both = fingerprint([(&a, "bmc"), (&b, "bmc")].into_iter());
        assert_eq!(both, fingerprint([(&a, "bmc"), (&b, "bmc")].into_iter()));
        assert_ne!(both, fingerprint([(&b, "bmc"), (&a, "bmc")].into_iter()));
        assert_ne!(both, fingerprint([(&a, "bmc"), (&b, "cegar")].into_iter()));
    }
}
