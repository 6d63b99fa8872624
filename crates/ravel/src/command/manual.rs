//! `ravel man` and `ravel completions`: what packages install beside the program, made from the command line that it understands.

use crate::args;
use crate::exit::Exit;
use crate::screen;
use clap_complete::Shell;

/// Prints a manual page in roff.
pub(crate) fn man(of: Option<&str>) -> Exit {
    let mut all = args::command();
    all.build();
    let page = match of {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            // The page of a part is called after the whole: ravel-verify(1).
            Some(part) => part.clone().name(format!("ravel-{name}")).display_name(format!("ravel-{name}")),
            None => {
                screen::complain(&format!("error: there is no command `{name}`\n"));
                return Exit::BadInput;
            }
        },
    };
    let mut text = Vec::new();
    match clap_mangen::Man::new(page).render(&mut text) {
        Ok(()) => {
            screen::print(&String::from_utf8_lossy(&text));
            Exit::Safe
        }
        Err(error) => {
            screen::complain(&format!("error: the page cannot be made: {error}\n"));
            Exit::Bug
        }
    }
}

/// Prints the completions for a shell.
pub(crate) fn completions(shell: Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "ravel", &mut text);
    screen::print(&String::from_utf8_lossy(&text));
    Exit::Safe
}
