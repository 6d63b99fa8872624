//! The command line: words in, exit code out.
//!
//! Only this crate prints, opens files that the user names, and looks at the terminal. Each command has its file; `pipeline` is the one
//! way from files to a verdict.

mod args;
mod bench;
mod command;
mod cubes;
mod deliver;
mod exit;
mod guarded_thread;
mod input;
mod language;
mod litmus;
mod next;
mod pipeline;
mod quantity;
mod request;
mod screen;
mod watch;
mod witness;

use args::What;
use exit::Exit;

/// Engines make and drop many small things on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let (cli, knobs) = args::read();
    let exit = match cli.command {
        What::Verify(args) => command::verify::verify(&args, &knobs),
        What::Show(args) => guarded_thread::run(move || command::show::show(&args)).unwrap_or_else(bug),
        What::Run(args) => guarded_thread::run(move || command::simulate::simulate(&args)).unwrap_or_else(bug),
        What::Engines => command::show::engines(),
        What::Litmus(args) => guarded_thread::run(move || litmus::litmus(&args)).unwrap_or_else(bug),
        What::Bench(args) => bench::bench(&args, &knobs),
        What::Cubes(args) => cubes::cubes(&args),
        What::Replay(args) => guarded_thread::run(move || command::replay::replay(&args)).unwrap_or_else(bug),
        What::Explain(args) => guarded_thread::run(move || command::replay::explain(&args)).unwrap_or_else(bug),
        What::Doctor => guarded_thread::run(command::doctor::doctor).unwrap_or_else(bug),
        What::Man { command } => command::manual::man(command.as_deref()),
        What::Completions { shell } => command::manual::completions(shell),
        What::Witness(args::Witness::Check(args)) => {
            guarded_thread::run(move || witness::check(&args)).unwrap_or_else(bug)
        }
    };
    std::process::exit(exit.code());
}

/// Says that we have a bug.
fn bug(message: String) -> Exit {
    let version = env!("CARGO_PKG_VERSION");
    screen::complain(&format!(
        "error: ravel {version} has a bug: {message}\nplease report this, with the input if you can\n"
    ));
    Exit::Bug
}
