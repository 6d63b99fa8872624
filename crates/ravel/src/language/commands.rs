//! What do `ravel show` and `ravel run` do with a program of some language?

use super::{Language, Ran, complain};
use crate::args::{RunArgs, Show};
use crate::exit::Exit;
use crate::request::Request;
use crate::screen;
use report::Style;

/// Prints the program as ravel understands it.
pub(crate) fn show<L: Language>(request: &Request, args: &Show, style: &Style) -> Exit {
    let loaded = match L::load(request) {
        Ok(loaded) => loaded,
        Err(rejected) => return complain(&rejected, style),
    };
    match L::show(&loaded.program, request, args) {
        Ok(text) => {
            screen::print(&text);
            Exit::Safe
        }
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            Exit::Unknown
        }
    }
}

/// Runs the program as often as asked, until something goes wrong.
pub(crate) fn run<L: Language>(request: &Request, args: &RunArgs, style: &Style) -> Exit {
    let program = match L::load(request) {
        Ok(loaded) => loaded.program,
        Err(rejected) => return complain(&rejected, style),
    };
    for seed in (0..args.runs).map(|run| args.seed.wrapping_add(run)) {
        match L::run(&program, request, seed, args, style) {
            Ran::Fine(text) => screen::print(&text),
            Ran::Wrong(text) => {
                screen::print(&text);
                return Exit::Unsafe;
            }
            Ran::Impossible(text, exit) => {
                if exit == Exit::BadInput {
                    screen::complain(&text)
                } else {
                    screen::print(&text)
                }
                return exit;
            }
        }
    }
    Exit::Safe
}
