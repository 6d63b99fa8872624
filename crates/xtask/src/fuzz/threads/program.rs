//! Which programs does the fuzzer try? Small concurrent C programs, drawn at random from a little grammar.
//!
//! The tree is kept (not only the text), so that a failing program can be shrunk by taking parts away. Values
//! stay small and loops are bounded, so that every program has finitely many states and exhaustive enumeration ends.

use logic::Prng;
use std::fmt::Write;

/// A statement of a generated program.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Piece {
    /// Text that stands alone.
    Line(String),
    /// A header, a body, and what follows the closing brace.
    Block(String, Vec<Piece>),
    /// First text, body, last text: a critical or atomic section.
    Section(String, Vec<Piece>, String),
}

/// A generated program.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Generated {
    /// More declarations.
    pub(super) globals: &'static str,
    /// What `main` does first.
    pub(super) prologue: Vec<Piece>,
    /// The bodies of the thread functions.
    pub(super) threads: Vec<Vec<Piece>>,
    /// Which function each started thread runs.
    pub(super) starts: Vec<usize>,
    /// Whether `main` joins the threads.
    pub(super) joins: bool,
    /// Whether what they return is kept in `w` then.
    pub(super) returns: bool,
    /// Whom the first thread waits for before it does anything.
    pub(super) awaited: Awaited,
    /// Whether the last thread runs its function or the first one, as an input says.
    pub(super) either: Either,
    /// What `main` does at the end.
    pub(super) finale: Vec<Piece>,
}

/// Whom the first thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Awaited {
    /// Nobody.
    Nobody,
    /// The thread that is started last.
    Last,
    /// Main, which ends as a thread.
    Main,
}

/// How it is chosen what the last thread runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Either {
    /// Not at all.
    No,
    /// It is started on one of two ways.
    Branch,
    /// By a pointer.
    Pointer,
}

const SHARED: [&str; 3] = ["x", "y", "z"];
const ATOMICS: [&str; 2] = ["p", "q"];
const LOCKS: [&str; 2] = ["m", "n"];

/// The program of a seed.
pub(super) fn generate(seed: u64) -> Generated {
    let mut random = Prng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
    // Often several threads are alike, and then short, so that there are not too many states.
    let are_alike = random.percent(40);
    let n_functions = if are_alike { 1 } else { 1 + random.below(2) as usize + usize::from(random.percent(20)) };
    let threads = (0..n_functions)
        .map(|_| {
            let size = if are_alike { 1 + random.below(2) } else { 2 + random.below(3) };
            body(&mut random, size, 0)
        })
        .collect();
    let n_alike = if are_alike { 3 } else { 2 };
    let n_started = if n_functions == 1 { n_alike } else { n_functions } + usize::from(random.percent(15));
    let starts = (0..n_started).map(|index| index % n_functions).collect();
    let joins = random.percent(70);
    let mut finale = Vec::new();
    if !joins && random.percent(60) {
        finale.push(statement(&mut random, 1));
    }
    finale.push(Piece::Line(assertion(&mut random)));
    let awaited = match random.below(10) {
        0 => Awaited::Last,
        1 => Awaited::Main,
        _ => Awaited::Nobody,
    };
    let either = match random.below(10) {
        0 => Either::Branch,
        1 => Either::Pointer,
        _ => Either::No,
    };
    Generated { globals: "", prologue: Vec::new(), threads, starts, joins, returns: false, awaited, either, finale }
}

fn body(random: &mut Prng, size: u64, depth: u32) -> Vec<Piece> {
    (0..size).map(|_| statement(random, depth)).collect()
}

fn statement(random: &mut Prng, depth: u32) -> Piece {
    let deep = depth >= 2;
    match random.below(if deep { 12 } else { 18 }) {
        0..=3 => {
            let target = shared(random);
            let value = value(random);
            Piece::Line(format!("{target} = {value};"))
        }
        4 => Piece::Line(format!("{}++;", shared(random))),
        5 => Piece::Line(format!("{} {} {};", shared(random), random.pick(&["+=", "^=", "-="]), value(random))),
        6 => Piece::Line(format!("l = {};", value(random))),
        7 | 8 => Piece::Line(atomic(random)),
        9 => Piece::Line("l = __VERIFIER_nondet_bool();".to_string()),
        10 => Piece::Line(assertion(random)),
        11 => Piece::Line(format!("a[{}] = {};", index(random), value(random))),
        12 | 13 => {
            let cond = condition(random);
            let size = 1 + random.below(2);
            Piece::Block(format!("if ({cond})"), body(random, size, depth + 1))
        }
        14 => {
            let size = 1 + random.below(2);
            let rounds = 1 + random.below(2);
            let counter = ["i", "j", "k"][depth as usize];
            Piece::Block(
                format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++)"),
                body(random, size, depth + 1),
            )
        }
        15 | 16 => {
            let lock = random.pick(&LOCKS);
            let size = 1 + random.below(2);
            let inside = body(random, size, depth + 1);
            if random.percent(15) {
                let first = "{ pthread_mutex_t *k = __VERIFIER_nondet_bool() ? &m : &n; pthread_mutex_lock(k);";
                return Piece::Section(first.to_string(), inside, "pthread_mutex_unlock(k); }".to_string());
            }
            Piece::Section(format!("pthread_mutex_lock(&{lock});"), inside, format!("pthread_mutex_unlock(&{lock});"))
        }
        _ => {
            let inside = vec![Piece::Line(format!("{} = {};", shared(random), value(random)))];
            Piece::Section("__VERIFIER_atomic_begin();".into(), inside, "__VERIFIER_atomic_end();".into())
        }
    }
}

fn shared(random: &mut Prng) -> String {
    if random.percent(15) { format!("a[{}]", index(random)) } else { random.pick(&SHARED).to_string() }
}

fn index(random: &mut Prng) -> String {
    if random.percent(50) {
        random.below(3).to_string()
    } else if random.percent(10) {
        "__VERIFIER_nondet_bool()".to_string()
    } else {
        format!("(unsigned)({}) % 3", random.pick(&["l", "x", "y"]))
    }
}

fn value(random: &mut Prng) -> String {
    match random.below(7) {
        0 | 1 => random.below(3).to_string(),
        2 => shared(random),
        3 => "l".to_string(),
        4 => format!("({} + {}) & 3", shared(random), shared(random)),
        5 => format!("{} & 3", random.pick(&ATOMICS)),
        _ => format!("({} + 1) & 3", random.pick(&["x", "y", "l"])),
    }
}

fn atomic(random: &mut Prng) -> String {
    let place = random.pick(&ATOMICS);
    match random.below(6) {
        0 => format!("{place} = {};", random.below(3)),
        1 => format!("l = {place};"),
        2 => format!("l = __atomic_fetch_add(&{place}, 1, __ATOMIC_SEQ_CST) & 3;"),
        3 => format!(
            "{{ int e = {}; l = __atomic_compare_exchange_n(&{place}, &e, {}, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }}",
            random.below(2),
            random.below(3)
        ),
        4 => format!("l = __atomic_exchange_n(&{place}, {}, __ATOMIC_ACQ_REL);", random.below(3)),
        _ => format!("{place}++;"),
    }
}

fn condition(random: &mut Prng) -> String {
    match random.below(5) {
        0 => format!("{} == {}", shared(random), random.below(3)),
        1 => format!("{} != {}", shared(random), random.below(2)),
        2 => format!("l > {}", random.below(2)),
        3 => format!("{} == 0 || {} == 1", random.pick(&SHARED), random.pick(&ATOMICS)),
        _ => format!("{} && {}", random.pick(&SHARED), random.pick(&SHARED)),
    }
}

fn assertion(random: &mut Prng) -> String {
    match random.below(3) {
        0 => format!("assert({} != {});", random.pick(&SHARED), 2 + random.below(3)),
        1 => format!("assert({} < {});", random.pick(&SHARED), 2 + random.below(4)),
        _ => format!(
            "assert(!({} == {} && {} == {}));",
            random.pick(&SHARED),
            random.below(3),
            random.pick(&SHARED),
            random.below(3)
        ),
    }
}

impl Generated {
    /// The C text.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        out.push_str("#include <pthread.h>\n#include <assert.h>\n#include <stdatomic.h>\n");
        out.push_str("extern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n");
        out.push_str("int x, y, z, a[3];\natomic_int p, q;\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n");
        out.push_str(self.globals);
        const MAIN: usize = 7;
        let awaited = match self.awaited {
            Awaited::Last if self.starts.len() > 1 => Some(self.starts.len() - 1),
            Awaited::Main => Some(MAIN),
            Awaited::Nobody | Awaited::Last => None,
        };
        if awaited.is_some() {
            out.push_str("#include <semaphore.h>\nsem_t s;\npthread_t h[8];\n");
        }
        for (index, thread) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "void *t{index}(void *arg) {{\n    int l = 0;");
            if let Some(awaited) = awaited {
                let _ = writeln!(
                    out,
                    "    if (arg) {{\n        sem_wait(&s);\n        pthread_join(h[{awaited}], 0);\n    }}"
                );
            }
            pieces(&mut out, thread, 1);
            out.push_str("    return 0;\n}\n");
        }
        out.push_str("int main(void) {\n    int l = 0;\n");
        pieces(&mut out, &self.prologue, 1);
        match awaited {
            None => out.push_str("    pthread_t h[8];\n"),
            Some(awaited) => {
                out.push_str("    sem_init(&s, 0, 0);\n");
                out.push_str(if awaited == MAIN { "    h[7] = pthread_self();\n" } else { "" });
            }
        }
        for (index, function) in self.starts.iter().enumerate() {
            let arg = if awaited.is_some() && index == 0 { "&s" } else { "0" };
            let create = |what: &str| format!("pthread_create(&h[{index}], 0, {what}, {arg});");
            let own = format!("t{function}");
            let line = match self.either {
                Either::Branch if index + 1 == self.starts.len() => {
                    format!(
                        "if (__VERIFIER_nondet_bool())\n        {}\n    else\n        {}",
                        create("t0"),
                        create(&own)
                    )
                }
                Either::Pointer if index + 1 == self.starts.len() => {
                    create(&format!("__VERIFIER_nondet_bool() ? t0 : {own}"))
                }
                _ => create(&own),
            };
            let _ = writeln!(out, "    {line}");
        }
        out.push_str(if awaited.is_some() { "    sem_post(&s);\n" } else { "" });
        let waits_for_main = awaited == Some(MAIN);
        // Nobody is joined twice, and who waits for main is not waited for.
        let is_joined = |index: &usize| Some(*index) != awaited && !(waits_for_main && *index == 0);
        if self.joins {
            for index in (0..self.starts.len()).filter(is_joined) {
                let result = if self.returns { format!("&w[{index}]") } else { "0".to_string() };
                let _ = writeln!(out, "    pthread_join(h[{index}], {result});");
            }
        }
        pieces(&mut out, &self.finale, 1);
        out.push_str(if waits_for_main { "    pthread_exit(0);\n}\n" } else { "    return 0;\n}\n" });
        out
    }

    /// All programs that are this one with a part taken away, larger parts first.
    pub(super) fn smaller(&self) -> Vec<Generated> {
        let mut out = Vec::new();
        for index in (0..self.starts.len()).rev() {
            let mut less = self.clone();
            less.starts.remove(index);
            out.push(less);
        }
        for (index, thread) in self.threads.iter().enumerate() {
            for body in smaller_bodies(thread) {
                let mut less = self.clone();
                less.threads[index] = body;
                out.push(less);
            }
        }
        for body in smaller_bodies(&self.finale) {
            out.push(Generated { finale: body, ..self.clone() });
        }
        for body in smaller_bodies(&self.prologue) {
            out.push(Generated { prologue: body, ..self.clone() });
        }
        if self.joins {
            out.push(Generated { joins: false, ..self.clone() });
        }
        if self.awaited != Awaited::Nobody {
            out.push(Generated { awaited: Awaited::Nobody, ..self.clone() });
        }
        if self.either != Either::No {
            out.push(Generated { either: Either::No, ..self.clone() });
        }
        out
    }
}

fn smaller_bodies(body: &[Piece]) -> Vec<Vec<Piece>> {
    let mut out = Vec::new();
    for index in 0..body.len() {
        let mut without = body.to_vec();
        without.remove(index);
        out.push(without);
        if let Piece::Block(_, inside) | Piece::Section(_, inside, _) = &body[index] {
            let mut opened = body.to_vec();
            opened.splice(index..=index, inside.iter().cloned());
            out.push(opened);
            for less in smaller_bodies(inside) {
                let mut changed = body.to_vec();
                changed[index] = match &body[index] {
                    Piece::Block(head, _) => Piece::Block(head.clone(), less),
                    Piece::Section(first, _, last) => Piece::Section(first.clone(), less, last.clone()),
                    Piece::Line(line) => Piece::Line(line.clone()),
                };
                out.push(changed);
            }
        }
    }
    out
}

fn pieces(out: &mut String, body: &[Piece], depth: usize) {
    let indent = "    ".repeat(depth);
    for piece in body {
        match piece {
            Piece::Line(line) => {
                let _ = writeln!(out, "{indent}{line}");
            }
            Piece::Block(head, inside) => {
                let _ = writeln!(out, "{indent}{head} {{");
                pieces(out, inside, depth + 1);
                let _ = writeln!(out, "{indent}}}");
            }
            Piece::Section(first, inside, last) => {
                let _ = writeln!(out, "{indent}{first}");
                pieces(out, inside, depth + 1);
                let _ = writeln!(out, "{indent}{last}");
            }
        }
    }
}
