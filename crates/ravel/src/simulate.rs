//! `ravel run`: what happens when the program just runs? Random schedules and inputs on the reference interpreter.
//!
//! Good for a first look and for reproducing: the same seed gives the same run. That nothing went wrong proves nothing.

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::input::{self, Request};
use crate::language::{self, Language, Ran};
use crate::screen;
use report::Style;

/// Runs the program as often as asked, until something goes wrong.
pub(crate) fn simulate(args: &RunArgs) -> Exit {
    let style = screen::style(args.look, args.verbose);
    match input::request(&args.input, &args.question) {
        Ok(request) => (request.language.run)(&request, args, &style),
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            Exit::BadInput
        }
    }
}

/// Likewise, in the language of the program.
pub(crate) fn runs<L: Language>(request: &Request, args: &RunArgs, style: &Style) -> Exit {
    let program = match L::load(request) {
        Ok(loaded) => loaded.program,
        Err(rejected) => return language::complain(&rejected, style),
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
