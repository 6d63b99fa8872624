//! Where do an experiment's words go? Files in the folder that was named, and a line on the terminal that says how far it is.

use crate::experiment::args::Args;
use std::io::{IsTerminal, Write};

/// A line that is overwritten by the next one, on a terminal only.
pub(crate) fn progress(line: &str) {
    let mut out = std::io::stderr().lock();
    if out.is_terminal() {
        let _ = write!(out, "\r\x1b[2K{line}\r");
        let _ = out.flush();
    }
}

/// Writes files to the folder that was named, if one was.
pub(crate) fn write_all(args: &Args, files: &[(String, String)]) -> Result<(), String> {
    let Some(folder) = &args.into else { return Ok(()) };
    for (name, content) in files {
        let path = folder.join(name);
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, content));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
