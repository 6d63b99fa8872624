//! `ravel show` and `ravel engines`: what ravel makes of a program, and who can decide it.

use crate::args::{MemoryModel, Question, Show};
use crate::exit::Exit;
use crate::{input, pipeline, screen};
use engines::ENGINES;
use ir::pass;
use std::fmt::Write;

/// Prints the program model.
pub(crate) fn show(args: &Show) -> Exit {
    let style = screen::style(args.look, false);
    let request = match input::request(&args.input, &Question { property: None, prp: None, model: MemoryModel::Sc }) {
        Ok(request) => request,
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            return Exit::BadInput;
        }
    };
    if request.files.iter().any(|file| crate::oox::is_oox(file)) {
        return match frontend::oox::load(&request.files, &request.options.entry) {
            Ok(loaded) => {
                screen::print(&loaded.program.to_string());
                Exit::Safe
            }
            Err(rejected) => {
                screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, &style));
                Exit::BadInput
            }
        };
    }
    let program = match frontend::load(&request.files, &request.options) {
        Ok(loaded) => loaded.program,
        Err(rejected) => {
            screen::complain(&report::diagnostics(&rejected.sources, &rejected.diagnostics, &style));
            return Exit::BadInput;
        }
    };
    let program = if args.prepared {
        match pass::prepare(&program, request.properties, &pass::Options::default()) {
            Ok(prepared) => prepared,
            Err(why) => {
                let answer = pipeline::blank(&request, "", report::Outcome::Unknown(why));
                screen::complain(&format!("error: {}\n", answer.reason().unwrap_or_default()));
                return Exit::Unknown;
            }
        }
    } else {
        program
    };
    screen::print(&if args.dot { ir::dot::program(&program) } else { ir::text::program(&program) });
    Exit::Safe
}

/// Prints the table of engines.
pub(crate) fn engines() -> Exit {
    let mut text = String::new();
    let portfolio: &dyn engines::Engine = &engines::portfolio::Portfolio;
    for engine in [portfolio].iter().chain(ENGINES) {
        let mark = if engine.name() == pipeline::DEFAULT_ENGINE { " (default)" } else { "" };
        let _ = writeln!(text, "{}{mark}: {}", engine.name(), engine.describe());
        for knob in engine.knobs() {
            let name = format!("--{}.{} {}", engine.name(), knob.name, knob.values);
            let _ = writeln!(text, "  {name}\n      {} [default: {}]", knob.help, knob.default);
        }
    }
    screen::print(&text);
    Exit::Safe
}
