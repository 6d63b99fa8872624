//! Litmus tests: from text to `ir::litmus::Test`.
//!
//! A file is a header, an initial state, a program and a question, each with its own reader; the program is columns of assembly (one file a dialect)
//! or functions of C; tests with messages have processes ([`proto`]). [`build`] then puts the parts together. What a dialect does not know is refused by name, with its place.

mod assembly;
mod build;
mod c;
mod coder;
mod header;
mod init;
mod lex;
mod proto;
mod question;

#[cfg(test)]
mod tests;

pub use c::Definitions;

use crate::Rejected;
use assembly::columns::{Column, Line};
use coder::{Coder, Locations};
use ir::litmus::{Dialect, Instr, Op, Place, Register, Test};
use ir::{Diagnostic, Sources, Span};
use lex::Source;
use std::path::Path;

/// How litmus tests are read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What functions of C tests mean that are not C11 atomics.
    pub definitions: Definitions,
}

impl Default for Options {
    fn default() -> Options {
        Options { definitions: Definitions::kernel() }
    }
}

/// Reads a test from a file.
pub fn load(path: &Path, options: &Options) -> Result<Test, Rejected> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => parse(&name, &String::from_utf8_lossy(&bytes), options),
        Err(error) => {
            let diagnostic = Diagnostic::error(Span::NOWHERE, format!("cannot read `{name}`: {error}"));
            Err(Rejected { sources: Sources::default(), diagnostics: vec![diagnostic] })
        }
    }
}

/// Reads a test from a text; `path` is what complaints call it.
pub fn parse(path: &str, text: &str, options: &Options) -> Result<Test, Rejected> {
    let mut sources = Sources::default();
    let file = sources.file(path);
    sources.files[file.0 as usize].lines =
        text.lines().enumerate().map(|(index, line)| (index as u32 + 1, line.to_string())).collect();
    let source = Source::new(text, file);
    match read(&source, options) {
        Ok(mut test) => {
            test.sources = sources;
            Ok(test)
        }
        Err(diagnostic) => Err(Rejected { sources, diagnostics: vec![diagnostic] }),
    }
}

/// Reads a file of definitions such as `linux-kernel.def`.
pub fn definitions(path: &str, text: &str) -> Result<Definitions, Rejected> {
    let mut sources = Sources::default();
    let file = sources.file(path);
    sources.files[file.0 as usize].lines =
        text.lines().enumerate().map(|(index, line)| (index as u32 + 1, line.to_string())).collect();
    c::read_definitions(&Source::new(text, file))
        .map_err(|diagnostic| Rejected { sources, diagnostics: vec![diagnostic] })
}

/// A thread that has been read.
#[derive(Debug)]
struct Thread {
    number: u32,
    place: Place,
    registers: Vec<Register>,
    code: Vec<Instr>,
}

fn read(source: &Source<'_>, options: &Options) -> Result<Test, Diagnostic> {
    let header = header::read(source)?;
    if header.dialect.has_messages() {
        return proto::read(source, header);
    }
    let (items, program_start) = init::read(source, header.end)?;
    let mut locations = Locations::default();
    build::declare(&items, &mut locations)?;
    let mut dialect = header.dialect;
    let (threads, question_start) = if dialect.is_c() {
        let (functions, end) = c::functions(source, program_start)?;
        let is_standard = uses_standard_atomics(&source.text[program_start..end]);
        let calls = if is_standard { c::Calls::Standard } else { c::Calls::Defined(&options.definitions) };
        let mut threads = Vec::new();
        for function in &functions {
            let mut coder = Coder::new(source, &mut locations);
            if c::lower(&mut coder, function, calls)? {
                dialect = Dialect::Kernel;
            }
            threads.push(build::thread(coder, function.number, dialect, &items)?);
        }
        if dialect == Dialect::Kernel {
            threads.iter_mut().flat_map(|thread| &mut thread.code).for_each(rename_plain);
        }
        (threads, end)
    } else {
        let (columns, end) = assembly::columns::read(source, program_start)?;
        let mut threads = Vec::new();
        for column in &columns {
            let mut coder = Coder::new(source, &mut locations);
            assemble(&mut coder, column, dialect)?;
            threads.push(build::thread(coder, column.number, dialect, &items)?);
        }
        (threads, end)
    };
    let question = question::read(source, question_start)?;
    build::test(header, dialect, &items, locations, threads, &question)
}

/// Whether the functions of a C test are those of C11 rather than the kernel's.
fn uses_standard_atomics(program: &str) -> bool {
    [
        "_explicit",
        "memory_order",
        "_Atomic",
        "atomic_int",
        "atomic_bool",
        "atomic_thread_fence",
        "atomic_load",
        "atomic_store",
    ]
    .iter()
    .any(|word| program.contains(word))
}

/// What C11 calls non-atomic, the kernel calls plain.
fn rename_plain(instr: &mut Instr) {
    if let Op::Load { tags, .. } | Op::Store { tags, .. } = &mut instr.op {
        for tag in tags.iter_mut().filter(|tag| *tag == "NA") {
            *tag = "Plain".to_string();
        }
    }
}

fn assemble(coder: &mut Coder<'_, '_>, column: &Column, dialect: Dialect) -> Result<(), Diagnostic> {
    for line in &column.lines {
        match line {
            Line::Label(label) => coder.label(&label.text, label.at)?,
            Line::Instruction { whole, mnemonic, operands } => {
                coder.begin(whole.at, whole.text.len());
                match dialect {
                    Dialect::X86 | Dialect::X86_64 => {
                        assembly::x86::instruction(coder, dialect, whole, mnemonic, operands)?
                    }
                    Dialect::AArch64 => assembly::aarch64::instruction(coder, mnemonic, operands)?,
                    Dialect::Ppc => assembly::ppc::instruction(coder, mnemonic, operands)?,
                    Dialect::RiscV => assembly::riscv::instruction(coder, mnemonic, operands)?,
                    Dialect::C | Dialect::Kernel | Dialect::Proto => unreachable!("C has no columns"),
                }
            }
        }
    }
    Ok(())
}

/// The name under which a register of a dialect is kept.
fn canonical_register(dialect: Dialect, name: &str) -> Option<String> {
    match dialect {
        Dialect::X86 | Dialect::X86_64 => assembly::x86::register(name, dialect).map(|(name, _)| name),
        Dialect::AArch64 => assembly::aarch64::register(name),
        Dialect::Ppc => assembly::ppc::register(name),
        Dialect::RiscV => assembly::riscv::register(name),
        Dialect::C | Dialect::Kernel | Dialect::Proto => Some(name.to_string()),
    }
}
