//! Where do the files of a model come from?
//!
//! A file is looked for by the reader that the caller gives (beside the model, in the directories of `-I`) and then among the models that
//! are built in. Libraries do not touch the disk: the reader is a function from names to paths and texts.

use std::sync::Arc;

use ir::source::{Diagnostic, Sources};

use crate::cat::syntax::ast::File;
use crate::cat::syntax::parser::parse;

macro_rules! models {
    ($($name:literal),* ; $($protocol:literal),* $(,)?) => {
        /// The models that are built in, by file name. Patterns of protocols are in a folder of their own.
        pub const BUILT_IN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../models/", $name)))),*,
            $(($protocol, include_str!(concat!("../../../../models/protocols/", $protocol)))),*
        ];
        const PROTOCOLS: &[&str] = &[$($protocol),*];
    };
}

models!(
    "stdlib.cat",
    "cos.cat",
    "cross.cat",
    "aarch64deps.cat",
    "prelude.cat",
    "sc.cat",
    "tso.cat",
    "pso.cat",
    "power.cat",
    "aarch64.cat",
    "riscv.cat",
    "c11.cat",
    "rc11.cat",
    "imm.cat",
    "linux-kernel.cat" ;
    "udp.cat",
    "tcp.cat",
    "tcp-buffered.cat",
    "mqtt.cat",
    "dds.cat",
    "quic.cat",
    "rpc.cat",
    "patterns/no-reordering.cat",
    "patterns/causality.cat",
    "patterns/fifo.cat",
    "patterns/no-gap.cat",
    "patterns/global-no-dup.cat",
    "patterns/participant-no-dup.cat",
    "patterns/no-loss.cat",
    "patterns/broadcast.cat",
    "patterns/synchronous.cat",
    "patterns/blocking.cat",
    "patterns/no-ignored-write.cat",
);

/// Whether a model is about messages rather than memory.
pub fn is_protocol(name: &str) -> bool {
    PROTOCOLS.contains(&name)
}

/// Finds files by name.
pub struct Library<'a> {
    read: &'a dyn Fn(&str) -> Option<(String, String)>,
}

impl<'a> Library<'a> {
    /// A library that asks this reader before it looks among the models built in.
    pub fn new(read: &'a dyn Fn(&str) -> Option<(String, String)>) -> Library<'a> {
        Library { read }
    }

    /// The path and text of a file.
    pub fn find(&self, name: &str) -> Option<(String, String)> {
        // herd's file of this name computes dependencies from events of registers, which do not exist here.
        let given = if name == "aarch64deps.cat" { None } else { (self.read)(name) };
        let folder = if is_protocol(name) { "models/protocols" } else { "models" };
        given.or_else(|| built_in(name).map(|text| (format!("{folder}/{name}"), text.to_string())))
    }
}

/// The text of a model that is built in, by file name.
pub fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Parses a file and remembers its lines for messages.
pub(super) fn parse_into(sources: &mut Sources, path: &str, text: &str) -> Result<File, Diagnostic> {
    let id = sources.file(path);
    let file = &mut sources.files[id.0 as usize];
    file.lines = text.lines().enumerate().map(|(index, line)| (index as u32 + 1, line.to_string())).collect();
    parse(text, id)
}

/// The model called by a name or a path: `tso`, `tso.cat`, `my/model.cat`.
pub(super) fn open(library: &Library<'_>, sources: &mut Sources, name: &str) -> Result<Arc<File>, Diagnostic> {
    let found = library.find(name).or_else(|| library.find(&format!("{name}.cat")));
    let Some((path, text)) = found else {
        let names = BUILT_IN.iter().filter(|(known, _)| !known.contains('/'));
        let known: Vec<&str> = names.map(|(known, _)| known.trim_end_matches(".cat")).collect();
        let mut problem =
            Diagnostic::error(ir::source::Span::NOWHERE, format!("there is no memory model called `{name}`"));
        problem.note = Some(format!("a .cat file, or one of ours: {}", known.join(", ")));
        return Err(problem);
    };
    parse_into(sources, &path, &text).map(Arc::new)
}
