//! Headers of ours that a program may include: `ravel/net.h` for messages, `ravel/lkmm.h` for the primitives of the Linux kernel.
//!
//! They are part of this program, and compilers want files. So only when a compiler has asked in vain for one of them are they written into a folder of its own, which ends with the preprocessing; a header of that name that the
//! compiler finds by itself is the user's. One goes before the compiler's own, `<stdatomic.h>`: where a program says `atomic_init`, what gcc's makes of that would not be told from a store.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::{env, fs, io, process};

/// The headers, by the names that they are included by.
const HEADERS: [(&str, &str); 2] =
    [("ravel/net.h", include_str!("../headers/net.h")), ("ravel/lkmm.h", include_str!("../headers/lkmm.h"))];

/// What is found before the compiler's header of that name.
const BEFORE: [(&str, &str); 1] = [("stdatomic.h", include_str!("../headers/stdatomic.h"))];

/// Whether there is a header of ours that the compiler has not found.
pub(super) fn are_missing(output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stderr);
    let is_wanted = |name: &str| said.lines().any(|line| line.contains(name) && line.contains("error"));
    !output.status.success() && HEADERS.iter().any(|(name, _)| is_wanted(name))
}

/// A folder with the headers, as long as it lives.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new() -> io::Result<Folder> {
        // Several programs may be read at once: who makes the folder owns it.
        let place = |number: u32| env::temp_dir().join(format!("ravel-headers-{}-{number}", process::id()));
        let mut number = 0;
        while let Err(error) = fs::create_dir(place(number)) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            number += 1;
        }
        let folder = Folder(place(number));
        for (name, text) in HEADERS.into_iter().chain(BEFORE) {
            let file = folder.0.join(name);
            fs::create_dir_all(file.parent().unwrap_or(&folder.0))?;
            fs::write(&file, text)?;
        }
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever cleans the folder of temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
