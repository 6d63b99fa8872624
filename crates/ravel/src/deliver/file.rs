//! How is a file written so that nobody ever finds half of it? Into a file beside it, which then takes its name.
//!
//! Whether that is possible is tried before the work begins. What is no ordinary file (a terminal, a pipe) is written directly, since it cannot be replaced.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file that will be written.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// The option that names it, for messages.
    pub(crate) option: &'static str,
    path: PathBuf,
    /// Whether it takes the place of what is there.
    is_replaced: bool,
}

impl Target {
    /// The file behind an option; an error if it cannot be written, or is one of the files that are read.
    pub(crate) fn claim(option: &'static str, path: &Path, inputs: &[PathBuf]) -> Result<Target, String> {
        let fail = |what: String| format!("{option} {}: {what}", path.display());
        // Who follows a link replaces what it leads to, and the link stays.
        let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if inputs.iter().any(|input| input.canonicalize().is_ok_and(|input| input == real)) {
            return Err(fail("this is an input".to_string()));
        }
        let cannot = |error: std::io::Error| fail(format!("cannot be written: {error}"));
        let is_replaced = match fs::metadata(&real) {
            Ok(data) if data.is_dir() => return Err(fail("this is a folder".to_string())),
            Ok(data) => {
                OpenOptions::new().append(true).open(&real).map_err(cannot)?;
                data.is_file()
            }
            Err(_) => true,
        };
        let target = Target { option, path: real, is_replaced };
        if is_replaced {
            let beside = target.beside().ok_or_else(|| fail("this names no file".to_string()))?;
            OpenOptions::new().write(true).create(true).truncate(true).open(&beside).map_err(cannot)?;
            fs::remove_file(&beside).map_err(cannot)?;
        }
        Ok(target)
    }

    /// Whether two are the same file.
    pub(crate) fn is_same(&self, other: &Target) -> bool {
        self.is_replaced && self.path == other.path
    }

    /// Writes all of it, or nothing.
    pub(crate) fn write(&self, text: &str) -> Result<(), String> {
        let written = match self.beside() {
            Some(beside) if self.is_replaced => {
                let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &self.path));
                if written.is_err() {
                    // What is left of it is of no use to anybody; that it cannot be removed either changes nothing.
                    let _ = fs::remove_file(&beside);
                }
                written
            }
            _ => OpenOptions::new().append(true).open(&self.path).and_then(|mut file| file.write_all(text.as_bytes())),
        };
        written.map_err(|error| format!("{} {}: cannot be written: {error}", self.option, self.path.display()))
    }

    /// Where the text is until it is whole.
    fn beside(&self) -> Option<PathBuf> {
        let name = self.path.file_name()?.to_string_lossy().into_owned();
        Some(self.path.with_file_name(format!(".{name}.{}.tmp", std::process::id())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of its own for a test, deleted with it.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("ravel-file-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).expect("the temporary folder can be written");
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).expect("it is there");
            let mut names: Vec<String> = entries
                .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_there_only_when_it_is_whole() {
        let folder = Folder::new("whole");
        let path = folder.0.join("a.html");
        let target = Target::claim("--report", &path, &[]).expect("it can be written");
        assert_eq!(folder.names(), Vec::<String>::new());
        target.write("one").expect("it can be written");
        target.write("two").expect("it can be written again");
        assert_eq!(
            (folder.names(), fs::read_to_string(&path).expect("it is there")),
            (vec!["a.html".into()], "two".into())
        );
    }

    #[test]
    fn what_cannot_be_written_is_said_before() {
        let folder = Folder::new("cannot");
        let input = folder.0.join("a.c");
        fs::write(&input, "int main;").expect("it can be written");
        let claim =
            |path: PathBuf| Target::claim("--report", &path, std::slice::from_ref(&input)).map(|_| ()).expect_err("no");
        assert!(claim(input.clone()).contains("this is an input"));
        assert!(claim(folder.0.clone()).contains("this is a folder"));
        assert!(claim(folder.0.join("none/a.html")).contains("cannot be written"));
        assert!(claim(PathBuf::from("")).contains("this names no file"));
        assert_eq!(folder.names(), ["a.c"]);
    }

    #[test]
    fn a_device_stays_what_it_is() {
        let target = Target::claim("--report", Path::new("/dev/null"), &[]).expect("it can be written");
        target.write("gone").expect("it can be written");
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
    }
}
