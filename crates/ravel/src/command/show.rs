//! `ravel show` and `ravel engines`: what ravel makes of a program, and who can decide it.

use crate::args::{Question, Show};
use crate::exit::Exit;
use crate::language::table::LANGUAGES;
use crate::{input, screen};
use engines::About;
use std::fmt::Write;

/// Prints the program model.
pub(crate) fn show(args: &Show) -> Exit {
    let style = screen::style(args.look, false);
    match input::request(&args.input, &Question { property: None, prp: None, model: None, mapping: None }) {
        Ok(request) => (request.language.show)(&request, args, &style),
        Err(problem) => {
            screen::complain(&format!("error: {problem}\n"));
            Exit::BadInput
        }
    }
}

/// Prints the table of engines.
pub(crate) fn engines() -> Exit {
    let mut text = String::new();
    for row in LANGUAGES {
        let endings: Vec<String> = row.endings.iter().map(|ending| format!(".{ending}")).collect();
        let _ = writeln!(text, "{} ({})", row.name, endings.join(", "));
        let engines = (row.engines)();
        if !engines.iter().any(|about| about.name == row.default.name) {
            tell(row.default, " (default)", &mut text);
        }
        for about in engines {
            tell(about, if about.name == row.default.name { " (default)" } else { "" }, &mut text);
        }
        text.push('\n');
    }
    screen::print(text.trim_end_matches('\n'));
    screen::print("\n");
    Exit::Safe
}

fn tell(about: &About, mark: &str, text: &mut String) {
    let _ = writeln!(text, "  {}{mark}: {}", about.name, about.describe);
    for knob in about.knobs {
        let name = format!("--{}.{} {}", about.name, knob.name, knob.values());
        let _ = writeln!(text, "    {name}\n        {} [default: {}]", knob.help, knob.default);
    }
}
