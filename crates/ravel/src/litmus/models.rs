//! The models in use: each is read and prepared once, whoever asks.

use frontend::Rejected;
use ir::litmus::Dialect;
use memory::cat::{Model, load};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Models by name.
pub(crate) struct Models {
    directories: Vec<PathBuf>,
    variants: BTreeSet<String>,
    loaded: Mutex<BTreeMap<String, Result<Arc<Model>, Rejected>>>,
}

impl Models {
    /// Models whose files are in these directories.
    pub(crate) fn new(directories: &[PathBuf], variants: &[String]) -> Models {
        Models {
            directories: directories.to_vec(),
            variants: variants.iter().cloned().collect(),
            loaded: Mutex::default(),
        }
    }

    /// The model of that name: a file, or one of ours. What is wrong with it otherwise.
    pub(crate) fn model(&self, name: &str) -> Result<Arc<Model>, Rejected> {
        let mut loaded = self.loaded.lock().expect("no holder panics");
        loaded.entry(name.to_string()).or_insert_with(|| self.load(name)).clone()
    }

    fn load(&self, name: &str) -> Result<Arc<Model>, Rejected> {
        let beside = Path::new(name).parent().map(Path::to_path_buf);
        let read = |wanted: &str| {
            let beside = beside.iter().map(|directory| directory.join(wanted));
            let given = self.directories.iter().map(|directory| directory.join(wanted));
            // A bare name is a file only where the user pointed to one: our own `tso` is not shadowed by a stray file.
            let plain = Path::new(wanted).components().count() > 1 || wanted == name && wanted.ends_with(".cat");
            let paths = plain.then(|| PathBuf::from(wanted)).into_iter().chain(given).chain(beside);
            paths.filter(|path| path.is_file()).find_map(|path| {
                let text = std::fs::read(&path).ok()?;
                Some((path.display().to_string(), String::from_utf8_lossy(&text).into_owned()))
            })
        };
        match load(name, &read, &self.variants) {
            Ok(model) => Ok(Arc::new(model)),
            Err(problem) => {
                let (diagnostic, sources) = *problem;
                Err(Rejected { sources, diagnostics: vec![diagnostic] })
            }
        }
    }

    /// How tests are read: with the kernel's definitions, or those of a file.
    pub(crate) fn options(&self, macros: Option<&Path>) -> Result<frontend::litmus::Options, String> {
        let Some(path) = macros else { return Ok(frontend::litmus::Options::default()) };
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| format!("ravel litmus: {name}: {error}\n"))?;
        match frontend::litmus::definitions(&name, &text) {
            Ok(definitions) => Ok(frontend::litmus::Options { definitions }),
            Err(rejected) => {
                Err(report::diagnostics(&rejected.sources, &rejected.diagnostics, &report::Style::default()))
            }
        }
    }
}

/// The model that a dialect is usually asked about.
pub(crate) fn default_model(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => "tso",
        Dialect::AArch64 => "aarch64",
        Dialect::Ppc => "power",
        Dialect::RiscV => "riscv",
        Dialect::C => "rc11",
        Dialect::Kernel => "linux-kernel",
        Dialect::Proto => "udp",
    }
}
