//! `ravel run`: what happens when the program just runs? Random schedules and inputs on the reference interpreter.
//!
//! Good for a first look and for reproducing: the same seed gives the same run. That nothing went wrong proves nothing.

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::{input, screen};

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
