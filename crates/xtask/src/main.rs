//! Development tasks: `cargo xtask fuzz`, `cargo xtask experiment`, `cargo xtask bench explicit`, `cargo xtask bench oox`, `cargo xtask bench smt`,
//! `cargo xtask bench bmc`,
//! `cargo xtask bench litmus`, `litmus-generate`, `litmus-agree`, `litmus-programs`, `litmus-mutants`, `litmus-table`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that speaks to people")]

mod bench;
mod cycle;
mod experiment;
mod fuzz;
mod litmus;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let is_fine = match words.as_slice() {
        ["fuzz", rest @ ..] if rest.contains(&"--oox") => fuzz::oox::run(&args[1..]),
        ["fuzz", rest @ ..] if rest.contains(&"--heap") => fuzz::heap::run(&args[1..]),
        ["fuzz", rest @ ..] if rest.contains(&"--orders") => fuzz::orders::run(&args[1..]),
        ["fuzz", rest @ ..] if rest.contains(&"--csmith") => fuzz::csmith::run(&args[1..]),
        ["fuzz", rest @ ..] if rest.contains(&"--sequential") => fuzz::sequential::run(&args[1..]),
        ["fuzz", ..] => fuzz::run(&args[1..]),
        ["experiment", ..] => experiment::run(&args[1..]),
        ["bench", "explicit"] => bench::explicit::run(),
        ["bench", "oox"] => bench::oox::run(),
        ["bench", "smt"] => bench::smt::run(),
        ["bench", "bmc"] => bench::bmc::run(),
        ["bench", "litmus", ..] => bench::litmus::run(&args[2..]),
        ["litmus-table"] => litmus::table::run(),
        ["litmus-mutants", ..] => litmus::mutants::run(&args[1..]),
        ["litmus-programs", ..] => litmus::programs::run(&args[1..]),
        ["litmus-agree", ..] => litmus::agree::run(&args[1..]),
        ["litmus-generate", ..] => cycle::run(&args[1..]),
        _ => {
            eprintln!(
                "usage: cargo xtask fuzz [--locks] [--engine bmc|cegar] [--model sc|tso|pso] [--count N] [--seed S] [--show SEED]"
            );
            eprintln!(
                "       | experiment oox|por|coi|conflicts [SUITE...] [--into FOLDER] [--seconds T] [--max N] [--unwind N]"
            );
            eprintln!("         [--jobs N] [--filter TEXT]");
            eprintln!("       | bench explicit | bench oox | bench smt | bench bmc");
            eprintln!("       | fuzz --oox [--count N] [--seed S] [--show SEED] [--mutants N [--folder F]]");
            eprintln!("       | fuzz --orders [--count N] [--seed S] [--time SECONDS] [--show SEED]");
            eprintln!("       | fuzz --sequential [--count N] [--seed S] [--seconds T] [--show SEED]");
            eprintln!("       | fuzz --csmith [--count N] [--seed S] [--seconds T] [--keep FOLDER]");
            eprintln!(
                "       | fuzz --heap [--count N] [--seed S] [--time SECONDS] [--question NAME] [--blind free|scopes] [--show SEED]"
            );
            eprintln!("       | litmus-generate [--count N] [--seed S] [--into FOLDER]");
            eprintln!("       | litmus-agree [--count N] [--seed S] [--suite SUITE.csv] | litmus-table");
            eprintln!("       | litmus-programs [--count N] [--seed S] [--model M] | bench litmus SUITE.csv [RAVEL]");
            eprintln!("       | litmus-mutants [--count N] [--seed S]");
            return ExitCode::from(2);
        }
    };
    if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
