//! Do all engines say what is true? Random programs of every kind, each with somebody who knows the truth.
//!
//! A fuzzer is a row of `FUZZERS`; [`driver`] tries the programs, [`ask`] puts the questions to the engines, [`filing`] makes cases of what was found. Oracles share nothing with the
//! engines: the reference interpreter, enumerations of the fuzzers' own trees, the axioms of RC11, the system's compiler.

mod ask;
pub(crate) mod driver;
mod filing;
mod heap;
mod joins;
mod library;
mod locks;
mod messages;
pub(crate) mod mutate;
mod native;
mod oox;
mod orders;
mod settings;
mod stuck;
mod subject;
#[cfg(test)]
mod tests;
mod threads;

use driver::{Asks, Fuzzer};
use native::{calls, csmith, recursion, sequential};
use oox::texts;
use std::time::Duration;

const fn engines(settings: fn() -> Vec<settings::Setting>, beside: usize, seconds: u64) -> Asks {
    Asks::Engines { settings, beside, limit: Duration::from_secs(seconds), counts_states: false }
}

const INTERPRETER: &str = "the reference interpreter, which visits all states";
const COMPILER: &str = "the system's compiler";

/// All fuzzers.
pub(crate) const FUZZERS: &[Fuzzer] = &[
    Fuzzer {
        name: "explicit",
        makes: "threads that share a few numbers; every reduction, with and without symmetry",
        oracle: INTERPRETER,
        make: threads::make,
        asks: Asks::Engines {
            settings: settings::explicit,
            beside: 6,
            limit: Duration::from_secs(3),
            counts_states: true,
        },
    },
    Fuzzer {
        name: "bmc",
        makes: "the same; both procedures of bmc",
        oracle: INTERPRETER,
        make: threads::make,
        asks: engines(settings::bmc, 1, 5),
    },
    Fuzzer {
        name: "cegar",
        makes: "the same; all domains, reductions and cones of cegar, in turn",
        oracle: INTERPRETER,
        make: threads::make,
        asks: engines(settings::cegar, 7, 1),
    },
    Fuzzer {
        name: "impact",
        makes: "the same; all configurations of impact, in turn",
        oracle: INTERPRETER,
        make: threads::make,
        asks: engines(settings::impact, 4, 1),
    },
    Fuzzer {
        name: "sections",
        makes: "threads whose atomic sections have branches and inputs; all configurations of impact, in turn, and the other engines",
        oracle: INTERPRETER,
        make: threads::make_sections,
        asks: engines(settings::sections, 5, 1),
    },
    Fuzzer {
        name: "blocks",
        makes: "threads that share blocks of memory whose size is an input; all configurations of impact, in turn, and the other engines",
        oracle: INTERPRETER,
        make: threads::make_blocks,
        asks: engines(settings::sections, 5, 2),
    },
    Fuzzer {
        name: "tso",
        makes: "stores, loads and fences of two or three threads, under tso",
        oracle: INTERPRETER,
        make: threads::make_tso,
        asks: engines(settings::bmc, 1, 10),
    },
    Fuzzer {
        name: "pso",
        makes: "the same under pso",
        oracle: INTERPRETER,
        make: threads::make_pso,
        asks: engines(settings::bmc, 1, 10),
    },
    Fuzzer {
        name: "tso-buffers",
        makes: "the same under tso; store buffers written into the program, explicit, cegar and impact",
        oracle: INTERPRETER,
        make: threads::make_tso,
        asks: engines(settings::buffers, 6, 3),
    },
    Fuzzer {
        name: "pso-buffers",
        makes: "the same under pso",
        oracle: INTERPRETER,
        make: threads::make_pso,
        asks: engines(settings::buffers, 6, 3),
    },
    Fuzzer {
        name: "cat",
        makes: "the same under the axioms of sc, tso and pso in turn: C programs judged by cat models",
        oracle: INTERPRETER,
        make: threads::make_cat,
        asks: engines(settings::judged, 2, 20),
    },
    Fuzzer {
        name: "retries",
        makes: "a thread that reads until it has found something, beside one that writes, under the axioms of sc",
        oracle: "explicit under sc, which visits all states",
        make: threads::make_retries,
        asks: engines(settings::judged, 1, 5),
    },
    Fuzzer {
        name: "declarative",
        makes: "two threads with loops, those under sc without bound, under sc, tso and pso in turn",
        oracle: "each other: declarative, explicit, bmc",
        make: threads::make_loops,
        asks: engines(settings::declarative, 3, 20),
    },
    Fuzzer {
        name: "declarative-rc11",
        makes: "two threads with loops that go round twice, under rc11",
        oracle: "each other: declarative, graphs, bmc",
        make: threads::make_rc11,
        asks: engines(settings::repaired, 3, 20),
    },
    Fuzzer {
        name: "messages",
        makes: "processes that send and receive messages with ravel/net.h, under each protocol in turn",
        oracle: "the enumerator of litmus tests",
        make: messages::make,
        asks: engines(settings::judged, 2, 20),
    },
    Fuzzer {
        name: "judged",
        makes: "atomic accesses of all memory orders and races beside them, under rc11, imm and c11 in turn",
        oracle: "the enumerator of litmus tests",
        make: orders::make_judged,
        asks: engines(settings::judged_races, 3, 20),
    },
    Fuzzer {
        name: "outcomes",
        makes: "atomic accesses of all memory orders and an outcome that may be seen or not, under rc11, imm, aarch64, c11, power and riscv in turn",
        oracle: "the enumerator of litmus tests; for aarch64 of instructions that the mapping gives; under power and riscv each other",
        make: orders::outcomes::make,
        asks: engines(settings::outcomes, 3, 20),
    },
    Fuzzer {
        name: "graphs",
        makes: "the same under the axioms of sc, tso and pso in turn, for the engine that enumerates execution graphs",
        oracle: INTERPRETER,
        make: threads::make_cat,
        asks: engines(settings::graphs, 1, 2),
    },
    Fuzzer {
        name: "graphs-counted",
        makes: "atomic accesses of all memory orders under rc11 and sc: verdicts, and how many executions there are",
        oracle: "the enumerator of litmus tests",
        make: orders::make_counted,
        asks: engines(settings::graphs, 1, 2),
    },
    Fuzzer {
        name: "orders",
        makes: "atomic accesses of all memory orders, and races beside them",
        oracle: "the axioms of RC11",
        make: orders::make,
        asks: engines(settings::orders, 1, 10),
    },
    Fuzzer {
        name: "locks",
        makes: "who waits for ever, and who misuses a lock or a join",
        oracle: "an enumeration of its own",
        make: locks::make,
        asks: engines(settings::every, 4, 2),
    },
    Fuzzer {
        name: "joins",
        makes: "threads of an array, started and joined by loops and calls of many forms; some are joined twice, or never were",
        oracle: "a walk of its own",
        make: joins::make,
        asks: engines(settings::every, 1, 5),
    },
    Fuzzer {
        name: "heap",
        makes: "objects that end: heap, blocks, functions, threads",
        oracle: "an enumeration of its own",
        make: heap::make,
        asks: engines(settings::every, 4, 2),
    },
    Fuzzer {
        name: "library",
        makes: "read-write locks, barriers, once, keys, conditions, semaphores, timed waits",
        oracle: "an enumeration of its own",
        make: library::make,
        asks: engines(settings::every, 4, 2),
    },
    Fuzzer {
        name: "sequential",
        makes: "the corners of C in one thread: bit-fields, unions, floats, jumps",
        oracle: COMPILER,
        make: sequential::make,
        asks: engines(settings::one_execution, 1, 3),
    },
    Fuzzer {
        name: "turns",
        makes: "the same in threads that are ordered, or have nothing in common",
        oracle: COMPILER,
        make: sequential::make_threads,
        asks: engines(settings::one_execution, 1, 3),
    },
    Fuzzer {
        name: "recursion",
        makes: "functions that call themselves and each other several times, as deep as an input says",
        oracle: COMPILER,
        make: recursion::make,
        asks: engines(settings::one_execution, 1, 2),
    },
    Fuzzer {
        name: "calls",
        makes: "calls of library functions whose results are fixed by their arguments",
        oracle: COMPILER,
        make: calls::make,
        asks: engines(settings::one_execution, 1, 3),
    },
    Fuzzer {
        name: "csmith",
        makes: "programs of csmith, if it is installed",
        oracle: COMPILER,
        make: csmith::make,
        asks: engines(settings::one_execution, 1, 10),
    },
    Fuzzer {
        name: "oox",
        makes: "OOX programs; every reduction of symbolic",
        oracle: "all schedules of all small inputs",
        make: oox::make,
        asks: Asks::Symbolic(oox::judge),
    },
    Fuzzer {
        name: "oox-texts",
        makes: "OOX programs with words changed, to be refused or executed without a panic",
        oracle: "replay",
        make: texts::make,
        asks: Asks::Symbolic(texts::judge),
    },
];
