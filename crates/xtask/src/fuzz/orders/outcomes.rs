//! Which outcomes may be seen? The same random threads with a question about what was read and what is there in the end, judged under rc11, imm, aarch64, c11, power and riscv.
//!
//! Each program is written as a C program, whose assertion excludes one outcome, and as a litmus test that asks for this outcome: in C for models of C, in
//! the instructions of the default mapping for Armv8. The front ends, the events and their dependencies are made twice; the axioms are the same text.
//! Under the last two nobody knows but the engines, which must agree.
//! Every other program finds its cells through an index that is read first, so that it has no address that is known before.

use super::super::subject::{Question, Subject, Truth, Unasked};
use super::{Do, body, first_thread, is_well_formed, litmus, shrunk, threads};
use engines::axiomatic::{self, Question as Judged};
use ir::Property;
use logic::Prng;
use std::fmt::Write;

/// The models, in turn.
const MODELS: [&str; 6] = ["rc11", "imm", "aarch64", "c11", "power", "riscv"];

/// How many reads an outcome is about: with more of them few outcomes are ever seen.
const MAX_ASKED: usize = 3;

/// The cells of programs that find them through an index, which is always 0.
const INDEXED: &str = "struct { atomic_int x, y; int d; } all[2];\natomic_int zero;\n";

/// Threads, and an outcome: what reads have found, by thread and number, and what is in cells in the end.
#[derive(Clone)]
struct Outcome {
    threads: Vec<Vec<Do>>,
    reads: Vec<(usize, usize, u64)>,
    cells: Vec<(char, u64)>,
    /// Whether addresses depend on what is read.
    has_index: bool,
}

/// The program and the outcome of a seed.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    let mut threads = threads(seed);
    let mut random = Prng::new(seed ^ 0x5eed);
    // What a condition guards stands at the end of its thread: how long a branch controls what follows is told differently by C and by machines.
    for thread in &mut threads {
        let last = thread.len() - 1;
        for (at, act) in thread.iter_mut().enumerate() {
            if let Do::Plain(_, _, condition) = act
                && at < last
            {
                *condition = None;
            }
        }
    }
    let all = threads.iter().enumerate().flat_map(|(thread, acts)| (0..n_reads(acts)).map(move |read| (thread, read)));
    let mut reads: Vec<(usize, usize, u64)> = all.map(|(thread, read)| (thread, read, random.below(3))).collect();
    while reads.len() > MAX_ASKED {
        let at = random.below(reads.len() as u64) as usize;
        reads.remove(at);
    }
    let cells = ['x', 'y', 'd'].into_iter().filter(|_| random.percent(30)).collect::<Vec<char>>();
    let cells = cells.into_iter().map(|cell| (cell, random.below(3))).collect();
    Box::new(Outcome { threads, reads, cells, has_index: seed / MODELS.len() as u64 % 2 == 1 })
}

fn n_reads(thread: &[Do]) -> usize {
    thread.iter().filter(|act| act.is_kept_read()).count()
}

impl Subject for Outcome {
    fn text(&self) -> String {
        let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n");
        let (cells, index, named): (_, _, fn(char) -> String) = match self.has_index {
            true => (INDEXED, "  int k = atomic_load_explicit(&zero, memory_order_relaxed);\n", |cell| {
                format!("all[k].{cell}")
            }),
            false => ("atomic_int x, y;\nint d;\n", "", |cell| cell.to_string()),
        };
        text += cells;
        for (number, thread) in self.threads.iter().enumerate() {
            let _ = writeln!(text, "int o{number}[8];\nvoid *P{number}(void *unused) {{\n{index}");
            text += &body(thread, &|cell| format!("&{}", named(cell)), &named);
            (0..n_reads(thread)).for_each(|read| text += &format!("  o{number}[{read}] = r{read};\n"));
            // Somebody writes the index, always the same, or it would be known.
            text += if self.has_index && number == 0 {
                "  atomic_store_explicit(&zero, 0, memory_order_relaxed);\n"
            } else {
                ""
            };
            text += "  return 0;\n}\n";
        }
        let reads = self.reads.iter().map(|(thread, read, value)| format!("o{thread}[{read}] == {value}"));
        let before = if self.has_index { "all[0]." } else { "" };
        let cells = self.cells.iter().map(|(cell, value)| format!("{before}{cell} == {value}"));
        let parts: Vec<String> = std::iter::once("1".to_string()).chain(reads).chain(cells).collect();
        text + &first_thread(self.threads.len(), &format!("  assert(!({}));\n", parts.join(" && ")))
    }

    fn smaller(&self) -> Vec<Box<dyn Subject>> {
        // Statements that read keep their numbers: only others are left out, and parts of the outcome.
        let keeps_reads = |less: &Vec<Vec<Do>>| {
            less.iter()
                .zip(&self.threads)
                .all(|(less, thread)| n_reads(less) == n_reads(thread) && is_well_formed(less))
        };
        let with = |threads| Outcome { threads, ..self.clone() };
        let mut all: Vec<Outcome> = shrunk(&self.threads).into_iter().filter(keeps_reads).map(with).collect();
        for at in 0..self.reads.len() {
            let mut less = self.clone();
            less.reads.remove(at);
            all.push(less);
        }
        for at in 0..self.cells.len() {
            let mut less = self.clone();
            less.cells.remove(at);
            all.push(less);
        }
        all.into_iter().map(|less| Box::new(less) as Box<dyn Subject>).collect()
    }

    fn questions(&self, turn: u64) -> Result<Vec<Question>, Unasked> {
        let name = MODELS[turn as usize % MODELS.len()];
        // C11 gives the writes of plain places no order, and so a test no last one; what `main` reads is what happened last.
        if name == "c11" && self.cells.iter().any(|(cell, _)| *cell == 'd') {
            return Err(Unasked::Useless("it asks for the last write of a plain place".to_string()));
        }
        let ask =
            |truth| vec![Question { axioms: Some(name), ..Question::new("assert", &[Property::Assertion], truth) }];
        if matches!(name, "power" | "riscv") {
            return Ok(ask(Truth::Nobody));
        }
        let model = memory::cat::load(name, &|_| None, &Default::default()).expect("our models load");
        let text = if name == "aarch64" {
            self.instructions()
        } else {
            litmus(&self.threads, &self.condition(|read| format!("r{read}")))
        };
        let test = frontend::litmus::parse("outcome.litmus", &text, &Default::default());
        let test = test.map_err(|rejected| {
            Unasked::Useless(format!("the litmus front end refuses it: {:?}", rejected.diagnostics))
        })?;
        let Ok(answer) = axiomatic::answer(&test, &model, &Judged::default(), &|| false) else {
            return Err(Unasked::TooLarge);
        };
        Ok(ask(Truth::Known(answer.n_positive > 0)))
    }
}

impl Outcome {
    /// The outcome as a condition; `register` names what a read has found.
    fn condition(&self, register: impl Fn(usize) -> String) -> String {
        let reads = self.reads.iter().map(|(thread, read, value)| format!("{thread}:{}={value}", register(*read)));
        let cells = self.cells.iter().map(|(cell, value)| format!("{cell}={value}"));
        let parts: Vec<String> = std::iter::once("true".to_string()).chain(reads).chain(cells).collect();
        parts.join(" /\\ ")
    }

    /// In instructions of Armv8, by the default mapping: X1, X2 and X3 have the addresses of x, y and d, the reads go to X10 and on.
    fn instructions(&self) -> String {
        let columns: Vec<Vec<String>> = self.threads.iter().map(|thread| assembly(thread)).collect();
        let mut text = String::from("AArch64 outcome\n{ x = 0; y = 0; d = 0;\n");
        (0..columns.len()).for_each(|i| text += &format!("{i}:X1=x; {i}:X2=y; {i}:X3=d;\n"));
        let row = |cells: Vec<String>| format!(" {} ;\n", cells.join(" | "));
        text += "}\n";
        text += &row((0..columns.len()).map(|i| format!("P{i}")).collect());
        let n_lines = columns.iter().map(Vec::len).max().unwrap_or(0);
        for line in 0..n_lines {
            text += &row(columns.iter().map(|column| column.get(line).cloned().unwrap_or_default()).collect());
        }
        text + &format!("\nexists ({})\n", self.condition(|read| format!("X{}", 10 + read)))
    }
}

/// The instructions of a thread.
fn assembly(thread: &[Do]) -> Vec<String> {
    let address = |cell: char| match cell {
        'x' => "[X1]",
        'y' => "[X2]",
        _ => "[X3]",
    };
    let suffix = |order: &str| match order {
        "relaxed" => "",
        "acquire" => "A",
        "release" => "L",
        _ => "AL",
    };
    let (mut lines, mut read) = (Vec::new(), 10);
    for act in thread {
        match act {
            Do::Load(cell, order) => {
                let name = if *order == "relaxed" { "LDR" } else { "LDAR" };
                lines.push(format!("{name} W{read},{}", address(*cell)));
                read += 1;
            }
            Do::Store(cell, value, order) => {
                let name = if *order == "relaxed" { "STR" } else { "STLR" };
                lines.push(format!("MOV W4,#{value}"));
                lines.push(format!("{name} W4,{}", address(*cell)));
            }
            Do::Init(cell, value) => {
                lines.push(format!("MOV W4,#{value}"));
                lines.push(format!("STR W4,{}", address(*cell)));
            }
            Do::Update(cell, value, order, is_exchange) => {
                let name = if *is_exchange { "SWP" } else { "LDADD" };
                lines.push(format!("MOV W4,#{value}"));
                lines.push(format!("{name}{} W4,W{read},{}", suffix(order), address(*cell)));
                read += 1;
            }
            Do::Count(cell, order) => {
                lines.push("MOV W4,#1".to_string());
                lines.push(format!("LDADD{} W4,W5,{}", suffix(order), address(*cell)));
            }
            Do::Fence(order) => lines.push(if *order == "acquire" { "DMB ISHLD" } else { "DMB ISH" }.to_string()),
            Do::Plain(_, None, None) => {
                lines.push(format!("LDR W{read},[X3]"));
                read += 1;
            }
            Do::Plain(_, write, condition) => {
                if let Some(value) = condition {
                    lines.push(format!("CMP W{},#{value}", read - 1));
                    lines.push("B.NE end".to_string());
                }
                match write {
                    Some(value) => {
                        lines.push(format!("MOV W4,#{value}"));
                        lines.push("STR W4,[X3]".to_string());
                    }
                    None => lines.push("LDR W5,[X3]".to_string()),
                }
                if condition.is_some() {
                    lines.push("end:".to_string());
                }
            }
        }
    }
    lines
}
