//! Which files are there? A sorted walk over a folder, so that every run sees the same order.

use std::path::{Path, PathBuf};

/// All files below `folder` whose name ends in one of the extensions, sorted by path.
pub fn files_below(folder: &Path, extensions: &[&str]) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| e == *wanted)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
