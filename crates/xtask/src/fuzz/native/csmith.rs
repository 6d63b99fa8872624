//! Programs of csmith: does ravel compute the checksum that the compiler's program prints?
//!
//! Csmith (`apt-get install csmith libcsmith-dev`) writes programs without undefined behaviour whose result is a checksum of all
//! globals. They are kept small, and vary by seed in what they have: packed structs, volatile variables, floats. They are not made
//! smaller: what is left would often be undefined.

use super::super::subject::{Question, Subject, Unasked};
use super::{PROLOGUE, questions};
use std::path::PathBuf;
use std::process::Command;

const SMALL: [&str; 19] = [
    "--no-argc",
    "--max-funcs",
    "3",
    "--max-block-depth",
    "3",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "4",
    "--max-array-dim",
    "2",
    "--max-array-len-per-dim",
    "4",
    "--max-pointer-depth",
    "2",
    "--max-struct-fields",
    "5",
    "--max-union-fields",
    "4",
];

/// Where the package puts the headers of csmith's programs.
const HEADERS: [&str; 3] = ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/include/csmith-2.3.0"];

/// What csmith wrote, or why there is nothing.
struct Written(Result<String, String>);

impl Subject for Written {
    fn text(&self) -> String {
        self.0.clone().unwrap_or_default()
    }

    fn questions(&self, _: u64) -> Result<Vec<Question>, Unasked> {
        questions(self.0.as_ref().map_err(|why| Unasked::Useless(why.clone()))?)
    }
}

/// The program of a seed.
pub(in super::super) fn make(seed: u64) -> Box<dyn Subject> {
    Box::new(Written(write_program(seed)))
}

/// The folder with csmith's headers.
pub(in super::super) fn headers() -> Option<PathBuf> {
    HEADERS.iter().map(PathBuf::from).find(|folder| folder.join("csmith.h").is_file())
}

fn write_program(seed: u64) -> Result<String, String> {
    headers().ok_or("csmith.h is not there: apt-get install csmith libcsmith-dev")?;
    let mut command = Command::new("csmith");
    // It leaves a file where it runs.
    command.current_dir(std::env::temp_dir());
    command.args(["--seed", &seed.to_string()]).args(SMALL);
    if seed.is_multiple_of(3) {
        command.arg("--no-volatiles");
    }
    if !seed.is_multiple_of(2) {
        command.arg("--no-packed-struct");
    }
    if seed.is_multiple_of(5) {
        command.arg("--float");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some((before, after)) = text.split_once("platform_main_end(") else {
        return Err("csmith wrote no program".to_string());
    };
    let (sum, after) = after.split_once(',').ok_or("the end of main is not as expected")?;
    let after = after.split_once(");").map_or("", |(_, rest)| rest);
    Ok(format!("{PROLOGUE}{before}DONE({sum});{after}"))
}
