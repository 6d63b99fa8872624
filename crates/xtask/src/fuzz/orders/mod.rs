//! Are races found as C11 defines them? Threads with atomic accesses of all memory orders, judged by the axioms of RC11.
//!
//! Two or three threads with atomic accesses, updates, fences and plain accesses that depend on what was read. Each program is
//! written twice: as a C program with threads, of which the engines are asked whether there is a data race, and as a litmus test, which the
//! axiomatic engine judges by the axioms of RC11 (`models/rc11.cat`). The two share neither front end nor semantics nor search.

pub(super) mod outcomes;

use super::subject::{Question, Subject, Truth, Unasked};
use engines::axiomatic::{self, Question as Judged};
use ir::Property;
use logic::Prng;
use std::fmt::Write;

/// The statements of each thread.
struct Orders(Vec<Vec<Do>>);

/// The same, asked under models in cat: `ravel verify --model`.
struct Judges(Orders);

impl Subject for Judges {
    fn text(&self) -> String {
        self.0.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        shrunk(&self.0.0).into_iter().map(|less| Box::new(Judges(Orders(less))) as Box<dyn Subject>).collect()
    }

    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked> {
        let name = ["rc11", "imm", "c11"][(turn % 3) as usize];
        let model = memory::cat::load(name, &|_| None, &Default::default()).expect("our models load");
        match is_flagged(&self.0.0, &model) {
            Ok(Some(races)) => {
                let question = Question::new("race", &[Property::Race], Truth::Known(races));
                Ok(vec![Question { axioms: Some(name), ..question }])
            }
            Ok(None) => Err(Unasked::TooLarge),
            Err(why) => Err(Unasked::Useless(why)),
        }
    }
}

/// The same, for who enumerates executions: how many there are is known as well.
struct Counted(Orders);

impl Subject for Counted {
    fn text(&self) -> String {
        self.0.text()
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        shrunk(&self.0.0).into_iter().map(|less| Box::new(Counted(Orders(less))) as Box<dyn Subject>).collect()
    }

    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked> {
        let name = ["rc11", "sc"][(turn % 2) as usize];
        let model = memory::cat::load(name, &|_| None, &Default::default()).expect("our models load");
        let answer = match enumerated(&self.0.0, &model) {
            Ok(Some(answer)) => answer,
            Ok(None) => return Err(Unasked::TooLarge),
            Err(why) => return Err(Unasked::Useless(why)),
        };
        let n_executions = Some(answer.n_positive + answer.n_negative);
        let question = Question::new("reach", &[Property::ErrorCall], Truth::Known(false));
        let mut all = vec![Question { axioms: Some(name), n_executions, ..question }];
        if name == "rc11" {
            let races = answer.flags.iter().any(|flag| flag.contains("race"));
            let question = Question::new("race", &[Property::Race], Truth::Known(races));
            all.push(Question { axioms: Some(name), ..question });
        }
        Ok(all)
    }
}

/// A program of a seed whose executions are counted.
pub(super) fn make_counted(seed: u64) -> Box<dyn Subject> {
    Box::new(Counted(Orders(threads(seed))))
}

/// A program of a seed, to be judged by axioms.
pub(super) fn make_judged(seed: u64) -> Box<dyn Subject> {
    Box::new(Judges(Orders(threads(seed))))
}

impl Subject for Orders {
    fn text(&self) -> String {
        program(&self.0)
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        shrunk(&self.0).into_iter().map(|less| Box::new(Orders(less)) as Box<dyn Subject>).collect()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        let model = memory::cat::load("rc11", &|_| None, &Default::default()).expect("our models load");
        match is_flagged(&self.0, &model) {
            Ok(Some(races)) => Ok(vec![Question::new("race", &[Property::Race], Truth::Known(races))]),
            Ok(None) => Err(Unasked::TooLarge),
            Err(why) => Err(Unasked::Useless(why)),
        }
    }
}

/// The program of a seed.
pub(super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut threads = threads(seed);
    let mut random = Prng::new(!seed);
    // Threads may keep a tally besides.
    if random.percent(35) {
        let cell = random.pick(&['x', 'z', 'z']);
        for thread in &mut threads {
            let order = if random.percent(80) { "relaxed" } else { random.pick(&UPDATES) };
            let at = random.below(thread.len() as u64 + 1) as usize;
            thread.insert(at, Do::Count(cell, order));
        }
    }
    Box::new(Orders(threads))
}

/// The same with one statement less, in every way.
fn shrunk(threads: &[Vec<Do>]) -> Vec<Vec<Vec<Do>>> {
    let mut all = Vec::new();
    for thread in 0..threads.len() {
        for at in 0..threads[thread].len() {
            let mut less = threads.to_vec();
            less[thread].remove(at);
            if is_well_formed(&less[thread]) {
                all.push(less);
            }
        }
    }
    all
}

/// Whether something was read before each condition about it.
fn is_well_formed(thread: &[Do]) -> bool {
    let mut has_read = false;
    thread.iter().all(|act| {
        has_read |= act.is_kept_read();
        has_read || !matches!(act, Do::Plain(_, _, Some(_)))
    })
}

impl Do {
    /// Whether something is read and kept.
    fn is_kept_read(&self) -> bool {
        matches!(self, Do::Load(..) | Do::Update(..) | Do::Plain(_, None, None))
    }
}

/// One statement of a thread.
#[derive(Clone, Debug)]
enum Do {
    /// `r = load(cell)`.
    Load(char, &'static str),
    /// `store(cell, value)`.
    Store(char, u64, &'static str),
    /// `atomic_init(cell, value)`: no atomic access, to a place that has some.
    Init(char, u64),
    /// `r = exchange(cell, value)` or `r = fetch_add(cell, value)`.
    Update(char, u64, &'static str, bool),
    /// `fetch_add(cell, 1)`, and nobody looks at what was there.
    Count(char, &'static str),
    Fence(&'static str),
    /// A plain write of a number, or a read, if the last read gave a number or without condition: then what is read is kept.
    Plain(char, Option<u64>, Option<u64>),
}

const LOADS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const STORES: [&str; 3] = ["relaxed", "release", "seq_cst"];
const UPDATES: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];
const FENCES: [&str; 4] = ["acquire", "release", "acq_rel", "seq_cst"];

fn threads(seed: u64) -> Vec<Vec<Do>> {
    let mut random = Prng::new(seed);
    let n_threads = if random.percent(25) { 3 } else { 2 };
    let cells: &[char] = if random.percent(50) { &['x'] } else { &['x', 'y'] };
    let mut thread = || {
        let mut has_read = false;
        let n = 2 + random.below(if n_threads == 3 { 2 } else { 3 });
        (0..n)
            .map(|_| {
                let cell = random.pick(cells);
                match random.below(10) {
                    0 | 1 => {
                        has_read = true;
                        Do::Load(cell, random.pick(&LOADS))
                    }
                    2 | 3 if random.percent(15) => Do::Init(cell, 1 + random.below(2)),
                    2 | 3 => Do::Store(cell, 1 + random.below(2), random.pick(&STORES)),
                    4 => {
                        has_read = true;
                        Do::Update(cell, 1 + random.below(2), random.pick(&UPDATES), random.percent(50))
                    }
                    5 => Do::Fence(random.pick(&FENCES)),
                    _ => {
                        let write = random.percent(60).then(|| 1 + random.below(2));
                        let condition = (has_read && random.percent(80)).then(|| random.below(3));
                        has_read |= write.is_none() && condition.is_none();
                        Do::Plain('d', write, condition)
                    }
                }
            })
            .collect()
    };
    (0..n_threads).map(|_| thread()).collect()
}

/// The statements of a thread; `at` is how an object is named by its address, `plain` how a plain one is used.
fn body(thread: &[Do], at: &dyn Fn(char) -> String, plain: &dyn Fn(char) -> String) -> String {
    let (mut text, mut n_reads) = (String::new(), 0);
    for (number, act) in thread.iter().enumerate() {
        let _ = match act {
            Do::Load(cell, order) => {
                n_reads += 1;
                let (cell, r) = (at(*cell), n_reads - 1);
                writeln!(text, "  int r{r} = atomic_load_explicit({cell}, memory_order_{order});")
            }
            Do::Store(cell, value, order) => {
                writeln!(text, "  atomic_store_explicit({}, {value}, memory_order_{order});", at(*cell))
            }
            Do::Init(cell, value) => writeln!(text, "  atomic_init({}, {value});", at(*cell)),
            Do::Update(cell, value, order, is_exchange) => {
                n_reads += 1;
                let (cell, r) = (at(*cell), n_reads - 1);
                let name = if *is_exchange { "exchange" } else { "fetch_add" };
                writeln!(text, "  int r{r} = atomic_{name}_explicit({cell}, {value}, memory_order_{order});")
            }
            Do::Count(cell, order) => {
                writeln!(text, "  int n{number} = atomic_fetch_add_explicit({}, 1, memory_order_{order});", at(*cell))
            }
            Do::Fence(order) => writeln!(text, "  atomic_thread_fence(memory_order_{order});"),
            Do::Plain(object, None, None) => {
                n_reads += 1;
                writeln!(text, "  int r{} = {};", n_reads - 1, plain(*object))
            }
            Do::Plain(object, write, condition) => {
                let object = plain(*object);
                let inner = write.map_or_else(|| format!("int p = {object};"), |value| format!("{object} = {value};"));
                match condition {
                    Some(value) => writeln!(text, "  if (r{} == {value}) {{ {inner} }}", n_reads - 1),
                    None => writeln!(text, "  {inner}"),
                }
            }
        };
    }
    text
}

/// As a C program.
fn program(threads: &[Vec<Do>]) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\natomic_int x, y, z;\nint d;\n");
    for (index, thread) in threads.iter().enumerate() {
        let body = body(thread, &|cell| format!("&{cell}"), &|object| object.to_string());
        let _ = writeln!(text, "void *P{index}(void *unused) {{\n{body}  return 0;\n}}");
    }
    text + &first_thread(threads.len(), "")
}

/// The function `main` that starts so many threads and joins them, and what it does then.
fn first_thread(n: usize, then: &str) -> String {
    let mut text = format!("int main(void) {{\n  pthread_t t[{n}];\n");
    (0..n).for_each(|i| text.push_str(&format!("  pthread_create(&t[{i}], 0, P{i}, 0);\n")));
    (0..n).for_each(|i| text.push_str(&format!("  pthread_join(t[{i}], 0);\n")));
    text + then + "  return 0;\n}\n"
}

/// As a litmus test that asks for this.
fn litmus(threads: &[Vec<Do>], condition: &str) -> String {
    let mut text = String::from("C orders\n{ x = 0; y = 0; z = 0; d = 0; }\n");
    for (index, thread) in threads.iter().enumerate() {
        let body = body(thread, &|cell| cell.to_string(), &|object| format!("*{object}"));
        let _ = writeln!(text, "\nP{index}(atomic_int *x, atomic_int *y, atomic_int *z, int *d) {{\n{body}}}");
    }
    text + &format!("\nexists ({condition})\n")
}

/// Whether the axioms flag a race; none if the test is too large.
fn is_flagged(threads: &[Vec<Do>], model: &memory::cat::Model) -> Result<Option<bool>, String> {
    let answer = enumerated(threads, model)?;
    Ok(answer.map(|answer| answer.flags.iter().any(|flag| flag.contains("race"))))
}

/// All executions as a litmus test; none if the test is too large.
fn enumerated(threads: &[Vec<Do>], model: &memory::cat::Model) -> Result<Option<axiomatic::Answer>, String> {
    let test = frontend::litmus::parse("orders.litmus", &litmus(threads, "d=7"), &Default::default());
    let test = test.map_err(|rejected| format!("the litmus front end refuses it: {:?}", rejected.diagnostics))?;
    Ok(axiomatic::answer(&test, model, &Judged::default(), &|| false).ok())
}
