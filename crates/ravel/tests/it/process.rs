//! Running ravel as its users do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// A command that runs ravel in the workspace.
pub(crate) fn ravel(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ravel"));
    command.args(words).current_dir(root()).env_remove("NO_COLOR").env("COLUMNS", "100");
    command
}

/// What ravel printed and how it ended.
pub(crate) fn run(words: &[&str]) -> Output {
    ravel(words).output().expect("ravel can be started")
}

/// Standard output as text.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Standard error as text.
pub(crate) fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A file for one test, deleted with it.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// A new file with this content.
    pub(crate) fn new(name: &str, content: &[u8]) -> Scratch {
        let folder = std::env::temp_dir().join(format!("ravel-test-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        let path = folder.join(name);
        std::fs::write(&path, content).expect("the temporary folder can be written");
        Scratch(path)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("the temporary folder has a plain name")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().expect("it is in a folder of its own"));
    }
}
