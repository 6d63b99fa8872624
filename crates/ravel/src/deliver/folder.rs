//! Where do files stand that only we read? In a folder of our own, which goes away with its owner.

use std::path::PathBuf;

/// A folder of our own for a while.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new one; the purpose is part of its name.
    pub(crate) fn new(purpose: &str) -> std::io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("ravel-{purpose}-{}", std::process::id()));
        std::fs::create_dir(&path)?;
        Ok(Folder(path))
    }

    /// A folder in it.
    pub(crate) fn folder(&self, name: &str) -> std::io::Result<PathBuf> {
        let path = self.0.join(name);
        std::fs::create_dir(&path)?;
        Ok(path)
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, text: &str) -> std::io::Result<PathBuf> {
        let path = self.0.join(name);
        std::fs::write(&path, text)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for such files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
