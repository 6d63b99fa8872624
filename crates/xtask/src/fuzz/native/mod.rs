//! Does a program with one execution end as the compiler's program does?
//!
//! The program ends in `DONE(x)`, where `x` is a number made of all that it computed. The system's compiler makes a program that
//! prints the number; ravel must then prove that it is this one, and find an execution that shows it is.

pub(super) mod calls;
pub(super) mod csmith;
mod program;
pub(super) mod recursion;
pub(super) mod sequential;

use super::ask::temporary;
use super::subject::{Question, Truth, Unasked};
use ir::Property;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Put before the text of a program.
const PROLOGUE: &str = "#include <assert.h>\n#include <stdio.h>\n#ifdef WANT\n\
    #define DONE(x) assert((x) OP WANT)\n#else\n#define DONE(x) printf(\"0x%llxULL\\n\", (unsigned long long)(x))\n#endif\n";

/// How long the compiler's program may take.
const LIMIT: Duration = Duration::from_secs(3);

/// That the number is this one, and that it is not.
fn questions(text: &str) -> Result<Vec<Question>, Unasked> {
    let number = run_compiled(text).map_err(Unasked::Useless)?;
    let question = |(operator, is_bad): (&str, bool)| {
        let properties = &[Property::Assertion, Property::Deref, Property::Division];
        let define = vec![format!("WANT={number}"), format!("OP={operator}")];
        Question { define, ..Question::new("assert,valid-deref,division", properties, Truth::Known(is_bad)) }
    };
    Ok([("==", false), ("!=", true)].map(question).into())
}

/// The number that the compiler's program prints.
fn run_compiled(text: &str) -> Result<String, String> {
    let (file, binary) = (temporary("c"), temporary("out"));
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let mut command = Command::new(compiler);
    // A float beyond the range of an integer has no value as one (csmith makes such programs): their end says nothing.
    let undefined = ["-fsanitize=float-cast-overflow", "-fno-sanitize-recover=float-cast-overflow"];
    command.args(["-w", "-O0", "-fwrapv", "-ffp-contract=off", "-pthread"]).args(undefined);
    command.arg("-o").arg(&binary).arg(&file).arg("-lm");
    if let Some(folder) = csmith::headers() {
        command.arg("-I").arg(folder);
    }
    let compiled = command.output().map_err(|error| error.to_string());
    let _ = std::fs::remove_file(&file);
    let compiled = compiled?;
    if !compiled.status.success() {
        return Err(format!("it does not compile: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let number = printed(&mut Command::new(&binary));
    let _ = std::fs::remove_file(&binary);
    number
}

/// What a program prints last.
fn printed(command: &mut Command) -> Result<String, String> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => break,
            Ok(None) if started.elapsed() < LIMIT => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it takes too long".to_string());
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().last() {
        Some(number) if output.status.success() => Ok(number.trim().to_string()),
        _ => Err("it does not end well".to_string()),
    }
}
