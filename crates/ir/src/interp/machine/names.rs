//! What does a person call it? Names of places and objects, and values as the source would write them.
//!
//! Parts of static and stack objects are named by their shape (`queue.slot[3]`). A heap object as a whole is named by the user's line that made it
//! (`malloc@a.c:12`, the second one `malloc@a.c:12#2`), its parts by the variable that got its address first (`node->next`, `node#2->next`), with
//! the line where several lines have such a variable. Pointers are shown as what they point to, those to functions and texts as the
//! source writes them. A place inside a library model is shown as the user's call that led there.

use super::event::Cell;
use super::memory::{Fault, Origin};
use crate::interp::machine::program::Machine;
use crate::interp::machine::state::State;
use crate::memory::{ObjectKind, Shape};
use crate::program::{EdgeRef, Format};
use crate::source::Span;
use crate::stmt::AllocKind;
use logic::{Scalar, Value};

/// The longest text that is shown.
const LONGEST_TEXT: u64 = 40;

/// A part of an object whose structure is known.
struct Part<'p> {
    /// The object, or what points to it.
    name: String,
    is_pointer: bool,
    /// The structure that it is a part of, and where it is in it.
    shape: &'p Shape,
    offset: u64,
}

impl Part<'_> {
    /// With the path behind it.
    fn named(&self, path: &str) -> String {
        let name = &self.name;
        match path.chars().next() {
            _ if !self.is_pointer => format!("{name}{path}"),
            Some('.') => format!("{name}->{}", &path[1..]),
            None => format!("*{name}"),
            Some(_) => format!("(*{name}){path}"),
        }
    }
}

/// Names things in a state.
#[derive(Clone, Copy)]
pub struct Namer<'a, 'p> {
    machine: &'a Machine<'p>,
    state: &'a State,
}

impl<'a, 'p> Namer<'a, 'p> {
    /// Names things as they are in this state.
    pub fn new(machine: &'a Machine<'p>, state: &'a State) -> Namer<'a, 'p> {
        Namer { machine, state }
    }

    /// The object at this address, live or gone.
    pub fn object(&self, base: u64) -> String {
        match self.origin(base) {
            Some(Origin::Static(object)) => self.machine.program.object(object).name.clone(),
            Some(Origin::Made { kind: AllocKind::Stack, var, .. }) => {
                self.machine.program.pool.var_name(var).trim_start_matches('&').to_string()
            }
            Some(Origin::Made { kind: AllocKind::Heap, span, .. }) => {
                format!("malloc@{}{}", self.machine.program.sources.place(span), self.ordinal(base, span))
            }
            Some(Origin::Made { kind: AllocKind::Library, span, .. }) => {
                format!("what the library made at {}", self.machine.program.sources.place(span))
            }
            None => format!("{base:#x}"),
        }
    }

    /// Where the object at this address was declared or made.
    pub fn made_at(&self, base: u64) -> Span {
        match self.origin(base) {
            Some(Origin::Static(object)) => self.machine.program.object(object).span,
            Some(Origin::Made { span, .. }) => span,
            None => Span::NOWHERE,
        }
    }

    /// The place, and how its values are shown if that is known.
    pub fn cell(&self, cell: Cell) -> (String, Option<Format>) {
        let program = self.machine.program;
        match cell {
            Cell::Var(var) => (program.pool.var_name(var).to_string(), Some(program.var(var).format)),
            Cell::Bytes { addr, .. } => self.place(addr),
        }
    }

    /// What is at an address, and how it is shown.
    fn place(&self, addr: u64) -> (String, Option<Format>) {
        if let Some(above) = self.state.memory.above(self.machine.program, addr) {
            return (format!("{}-{}", self.object(above), above - addr), None);
        }
        let Some(base) = self.state.memory.whose(self.machine.program, addr) else {
            return (format!("*{addr:#x}"), None);
        };
        if let Some(part) = self.part(base, addr) {
            let (path, format) = part.shape.path(part.offset);
            return (part.named(&path), format);
        }
        let name = self.object(base);
        if addr == base { (name, None) } else { (format!("{name}+{}", addr - base), None) }
    }

    /// What an address in an object is a part of, if its structure is known.
    fn part(&self, base: u64, addr: u64) -> Option<Part<'p>> {
        let program = self.machine.program;
        let offset = addr - base;
        let whole = |shape| Part { name: self.object(base), is_pointer: false, shape, offset };
        match self.origin(base)? {
            Origin::Static(object) => Some(whole(&program.object(object).shape)),
            Origin::Made { kind: AllocKind::Stack, var, .. } => program.locals.get(&var).map(whole),
            Origin::Made { kind: AllocKind::Heap, span, .. } => {
                let pointee = program.pointees.get(&span)?;
                let (size, all) = (pointee.shape.size(), self.size(base)?);
                if size == 0 || offset >= all {
                    return None;
                }
                let name = match &pointee.pointer {
                    Some(pointer) => {
                        let others = program.pointees.iter().filter(|(other, _)| **other != span);
                        let is_known = others.into_iter().any(|(_, other)| other.pointer.as_ref() == Some(pointer));
                        let line = if is_known { format!("@{}", span.line) } else { String::new() };
                        format!("{pointer}{line}{}", self.ordinal(base, span))
                    }
                    None => self.object(base),
                };
                let is_single = all < 2 * size || pointee.shape.is_endless();
                let (name, offset) =
                    if is_single { (name, offset) } else { (format!("{name}[{}]", offset / size), offset % size) };
                Some(Part { name, is_pointer: is_single, shape: &pointee.shape, offset })
            }
            Origin::Made { kind: AllocKind::Library, .. } => None,
        }
    }

    fn size(&self, base: u64) -> Option<u64> {
        let memory = &self.state.memory;
        let live = memory.live.get(&base).map(|bytes| bytes.size);
        live.or_else(|| memory.gone.get(&base).map(|gone| gone.size))
    }

    /// Whether an address lies in an object of a library model.
    pub(in crate::interp) fn is_of_model(&self, addr: u64) -> bool {
        let base = self.state.memory.whose(self.machine.program, addr);
        base.is_some_and(|base| self.machine.program.sources.is_model(self.made_at(base)))
    }

    /// A pointer by what it points to.
    pub fn address(&self, addr: u64) -> String {
        if addr == 0 {
            return "NULL".to_string();
        }
        if self.state.memory.above(self.machine.program, addr).is_some() {
            return format!("&{}", self.place(addr).0);
        }
        let Some(base) = self.state.memory.whose(self.machine.program, addr) else { return format!("{addr:#x}") };
        let is_named_by_itself = match self.origin(base) {
            Some(Origin::Static(object)) => {
                let object = self.machine.program.object(object);
                let is_text = object.kind == ObjectKind::ReadOnly && object.name.starts_with('"');
                is_text || matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Extern)
            }
            origin => matches!(origin, Some(Origin::Made { kind: AllocKind::Heap, .. })),
        };
        let name = match base == addr {
            true if is_named_by_itself => self.object(base),
            // An array's own address is shown without the index of its first element.
            true => format!("&{}", self.object(base)),
            false => format!("&{}", self.outermost(addr, false)),
        };
        match self.text_at(base, addr) {
            Some(text) if !name.starts_with('"') => format!("{name} {text}"),
            _ => name,
        }
    }

    /// The text that a pointer to a character points to, if it is one that can be shown.
    fn text_at(&self, base: u64, addr: u64) -> Option<String> {
        let part = self.part(base, addr)?;
        let size = self.state.memory.live.get(&base)?.size;
        let is_text = matches!(part.shape.path(part.offset).1, Some(Format::Char | Format::UnsignedChar));
        if !is_text || addr >= base + size {
            return None;
        }
        let bytes = self.state.memory.read(base, addr, (base + size - addr).min(LONGEST_TEXT + 1));
        let end = bytes.iter().position(|byte| *byte == Some(0))?;
        let is_shown = |byte: &u8| (byte.is_ascii_graphic() || *byte == b' ') && !matches!(byte, b'"' | b'\\');
        let text: Option<Vec<u8>> = bytes[..end].iter().map(|byte| byte.filter(is_shown)).collect();
        text.map(|text| format!("\"{}\"", String::from_utf8_lossy(&text)))
    }

    /// A value as the source would write it.
    pub fn value(&self, value: &Value, format: Option<Format>) -> String {
        let word = Scalar::Bv(self.machine.program.data_model.word_bits());
        match (value, format) {
            (Value::Bv(bits), Some(Format::Pointer)) => self.address(bits.as_u64()),
            (Value::Bv(bits), Some(Format::Unsigned)) => bits.to_string(),
            (Value::Bv(bits), Some(Format::Bool)) => if bits.is_zero() { "false" } else { "true" }.to_string(),
            (Value::Bv(bits), Some(format @ (Format::Char | Format::UnsignedChar))) => {
                let is_signed = format == Format::Char;
                let code = if is_signed { bits.as_i64() } else { bits.as_u64().cast_signed() };
                match u8::try_from(code).ok().filter(|code| code.is_ascii_graphic() || *code == b' ') {
                    Some(code) => format!("{} '{}'", code, code as char),
                    None => code.to_string(),
                }
            }
            // Nobody said that it is a pointer, but it points into an object.
            (Value::Bv(bits), None)
                if value.sort().scalar() == Some(word)
                    && self.state.memory.whose(self.machine.program, bits.as_u64()).is_some() =>
            {
                self.address(bits.as_u64())
            }
            (Value::F32(_) | Value::F64(_) | Value::Bool(_) | Value::Bv(_) | Value::Array(_), _) => {
                crate::text::value(value)
            }
        }
    }

    /// The user's line that stands behind a span in a thread: the innermost call that is not in a library model.
    pub fn user_span(&self, thread: usize, span: Span) -> Span {
        let sources = &self.machine.program.sources;
        let is_user = |span: &Span| span.is_known() && !sources.is_model(*span);
        if is_user(&span) {
            return span;
        }
        self.calls(thread).into_iter().rev().find(is_user).unwrap_or(span)
    }

    /// Where the frames of a thread were called, outermost first.
    pub fn calls(&self, thread: usize) -> Vec<Span> {
        let called_by = self.state.threads[thread].frames.iter().filter_map(|frame| frame.called_by);
        called_by.map(|edge| self.call_span(edge)).collect()
    }

    /// The largest part of an object that starts at an address and has a name of its own.
    fn outermost(&self, addr: u64, is_lock: bool) -> String {
        let is_before = self.state.memory.above(self.machine.program, addr).is_some();
        let base = self.state.memory.whose(self.machine.program, addr).filter(|_| !is_before);
        match base.and_then(|base| self.part(base, addr)) {
            Some(part) => part.named(&outermost_path(part.shape, part.offset, is_lock || part.is_pointer)),
            None => self.place(addr).0,
        }
    }

    /// A lock by its address: fields of the library's own types are left out.
    pub fn lock(&self, addr: u64) -> String {
        self.outermost(addr, true)
    }

    /// Where an edge that calls stands.
    pub(in crate::interp) fn call_span(&self, edge: EdgeRef) -> Span {
        let stmts = &self.machine.program.edge(edge).stmts;
        stmts.last().map_or(Span::NOWHERE, |stmt| stmt.span)
    }

    /// Why an access is wrong, in words.
    pub(in crate::interp) fn fault(&self, fault: Fault, addr: u64, access: &str) -> String {
        match fault {
            Fault::Null => format!("{access} through a null pointer"),
            Fault::Nowhere => format!("{access} at {addr:#x}, where no object is"),
            Fault::Gone(base) if self.is_heap(base) => {
                let (object, part) = (self.object(base), self.place(addr).0);
                let what = if part.starts_with(&object) { object } else { format!("{part} ({object})") };
                format!("{access} of {what} after it was freed")
            }
            Fault::Gone(base) if self.is_library(base) => format!("{access} of {} after its end", self.object(base)),
            Fault::Gone(base) => format!("{access} of {} after its scope ended", self.object(base)),
            Fault::Outside(base) => {
                let size = self.state.memory.live[&base].size;
                format!("{access} at offset {} of {}, which has {size} bytes", addr - base, self.object(base))
            }
            Fault::Below(base) => {
                let (n_bytes, object) = (base - addr, self.object(base));
                let bytes = if n_bytes == 1 { "byte" } else { "bytes" };
                format!(
                    "{access} {n_bytes} {bytes} before {object}{}",
                    self.size(base).map_or(String::new(), |size| format!(", which has {size} bytes"))
                )
            }
            Fault::ReadOnly(base) => format!("{access} of {}, which is read-only", self.object(base)),
            Fault::Function(base) => format!("{access} of {}, which is a function", self.object(base)),
        }
    }

    /// Why a `free` is wrong, in words.
    pub(in crate::interp) fn bad_free(&self, addr: u64) -> String {
        let memory = &self.state.memory;
        match memory.whose(self.machine.program, addr) {
            None => format!("free of {addr:#x}, where no object is"),
            Some(base) if memory.gone.contains_key(&base) && self.is_heap(base) => {
                format!("{} is freed twice", self.object(base))
            }
            Some(base) if !self.is_heap(base) => format!("free of {}, which was not allocated", self.object(base)),
            Some(base) => format!("free of {}, which is not the start of an object", self.place(addr.max(base)).0),
        }
    }

    fn is_heap(&self, base: u64) -> bool {
        matches!(self.origin(base), Some(Origin::Made { kind: AllocKind::Heap, .. }))
    }

    fn is_library(&self, base: u64) -> bool {
        matches!(self.origin(base), Some(Origin::Made { kind: AllocKind::Library, .. }))
    }

    fn origin(&self, base: u64) -> Option<Origin> {
        let memory = &self.state.memory;
        let live = memory.live.get(&base).map(|bytes| bytes.origin);
        live.or_else(|| memory.gone.get(&base).map(|gone| gone.origin))
    }

    /// What tells an object from others that the same line made: how many of them have lower addresses.
    fn ordinal(&self, base: u64, span: Span) -> String {
        let memory = &self.state.memory;
        let same =
            |origin: Origin| matches!(origin, Origin::Made { kind: AllocKind::Heap, span: other, .. } if other == span);
        let live = memory.live.range(..base).filter(|(_, bytes)| same(bytes.origin)).count();
        match live + memory.gone.range(..base).filter(|(_, gone)| same(gone.origin)).count() {
            0 => String::new(),
            rank => format!("#{}", rank + 1),
        }
    }
}

/// The path to the largest part that starts at an offset; elements of arrays count. First fields of records count only if
/// `descends`, and then those with names that the C standard reserves do not.
fn outermost_path(shape: &Shape, offset: u64, descends: bool) -> String {
    match shape {
        Shape::Array { element, .. } if element.size() > 0 => {
            let rest = outermost_path(element, offset % element.size(), descends);
            format!("[{}]{rest}", offset / element.size())
        }
        _ if offset == 0 && !descends => String::new(),
        Shape::Record { .. } => match shape.field(offset) {
            Some((name, ..)) if name.starts_with('_') => String::new(),
            Some((name, start, shape)) => format!(".{name}{}", outermost_path(shape, offset - start, descends)),
            None => format!("+{offset}"),
        },
        _ if offset == 0 => String::new(),
        _ => format!("+{offset}"),
    }
}
