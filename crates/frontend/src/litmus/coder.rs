//! A thread under construction: its registers, its code, its labels; and the locations of the test, as they are met.
//!
//! Every dialect writes its instructions through a `Coder`, which numbers registers in the order in which they are met, resolves labels at
//! the end and knows the place of the current instruction. Locations get their number, and so their address, when their name is first met.

use super::init::Type;
use super::lex::Source;
use ir::litmus::{
    ADDRESS_STRIDE, Binary, Expr, FIRST_ADDRESS, Instr, LocationId, MAX_LOCATIONS, Op, Reg, Register, Unary,
};
use ir::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// A location as far as it is known.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) name: String,
    /// The declared type of an element.
    pub(super) kind: Option<Type>,
    /// The declared length of an array.
    pub(super) length: Option<usize>,
    pub(super) init: Vec<u64>,
    /// Whether a thread has it as a parameter that is not atomic.
    pub(super) is_plain: bool,
}

/// The locations of a test.
#[derive(Clone, Debug, Default)]
pub(super) struct Locations {
    pub(super) drafts: Vec<Draft>,
    by_name: FxHashMap<String, LocationId>,
}

impl Locations {
    /// The location with this name, new if need be.
    pub(super) fn id(&mut self, name: &str, span: Span) -> Result<LocationId, Diagnostic> {
        if let Some(id) = self.by_name.get(name) {
            return Ok(*id);
        }
        if self.drafts.len() == MAX_LOCATIONS {
            return Err(Diagnostic::unsupported(span, format!("more than {MAX_LOCATIONS} locations")));
        }
        let id = LocationId(self.drafts.len() as u32);
        self.by_name.insert(name.to_string(), id);
        self.drafts.push(Draft { name: name.to_string(), kind: None, length: None, init: Vec::new(), is_plain: false });
        Ok(id)
    }

    /// The address of the location with this name, new if need be.
    pub(super) fn address(&mut self, name: &str, span: Span) -> Result<u64, Diagnostic> {
        self.id(name, span).map(address_of)
    }

    pub(super) fn get(&mut self, id: LocationId) -> &mut Draft {
        &mut self.drafts[id.0 as usize]
    }

    pub(super) fn find(&self, name: &str) -> Option<LocationId> {
        self.by_name.get(name).copied()
    }
}

/// Where a location begins.
pub(super) fn address_of(id: LocationId) -> u64 {
    FIRST_ADDRESS + u64::from(id.0) * ADDRESS_STRIDE
}

/// The location that an address belongs to, whatever its size.
pub(super) fn location_at(address: u64) -> Option<LocationId> {
    let distance = address.checked_sub(FIRST_ADDRESS)?;
    u32::try_from(distance / ADDRESS_STRIDE).ok().map(LocationId)
}

/// A thread under construction.
#[derive(Debug)]
pub(super) struct Coder<'d, 'a> {
    pub(super) source: &'d Source<'a>,
    pub(super) locations: &'d mut Locations,
    pub(super) registers: Vec<Register>,
    by_name: FxHashMap<String, Reg>,
    pub(super) code: Vec<Instr>,
    group: u32,
    span: Span,
    labels: FxHashMap<String, usize>,
    /// Branches whose target is a label: index of the instruction, label, place.
    open: Vec<(usize, String, Span)>,
    n_temporaries: u32,
}

impl<'d, 'a> Coder<'d, 'a> {
    pub(super) fn new(source: &'d Source<'a>, locations: &'d mut Locations) -> Coder<'d, 'a> {
        Coder {
            source,
            locations,
            registers: Vec::new(),
            by_name: FxHashMap::default(),
            code: Vec::new(),
            group: 0,
            span: Span::NOWHERE,
            labels: FxHashMap::default(),
            open: Vec::new(),
            n_temporaries: 0,
        }
    }

    /// Begins an instruction of the text.
    pub(super) fn begin(&mut self, at: usize, length: usize) {
        self.group += 1;
        self.span = self.source.span(at, length);
    }

    /// Begins another group of accesses within the same instruction of the text.
    pub(super) fn next_group(&mut self) {
        self.group += 1;
    }

    /// The register with this name, new if need be.
    pub(super) fn register(&mut self, name: &str) -> Reg {
        if let Some(reg) = self.by_name.get(name) {
            return *reg;
        }
        let reg = Reg(self.registers.len() as u32);
        self.by_name.insert(name.to_string(), reg);
        self.registers.push(Register { name: name.to_string(), init: 0, size: 8, signed: true });
        reg
    }

    /// The register with this name, if it was met.
    pub(super) fn find_register(&self, name: &str) -> Option<Reg> {
        self.by_name.get(name).copied()
    }

    /// A register that no text names.
    pub(super) fn temporary(&mut self) -> Reg {
        self.n_temporaries += 1;
        let name = format!("%{}", self.n_temporaries);
        self.register(&name)
    }

    /// Adds an instruction and gives its index.
    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.code.push(Instr { op, group: self.group, span: self.span });
        self.code.len() - 1
    }

    /// Adds an assignment.
    pub(super) fn set(&mut self, to: Reg, value: Expr) {
        self.emit(Op::Set { to, value });
    }

    /// Puts a label here.
    pub(super) fn label(&mut self, name: &str, at: usize) -> Result<(), Diagnostic> {
        if self.labels.insert(name.to_string(), self.code.len()).is_some() {
            return Err(Diagnostic::error(
                self.source.span(at, name.len()),
                format!("the label `{name}` stands here again"),
            ));
        }
        Ok(())
    }

    /// Adds a branch to a label; without a condition, a jump.
    pub(super) fn branch(&mut self, condition: Option<Expr>, label: &str, at: usize) {
        let target = usize::MAX;
        let op = match condition {
            Some(condition) => Op::Branch { condition, target, join: None },
            None => Op::Jump { target },
        };
        let index = self.emit(op);
        self.open.push((index, label.to_string(), self.source.span(at, label.len())));
    }

    /// Sets the target of a branch or jump.
    pub(super) fn aim(&mut self, index: usize, to: usize) {
        match &mut self.code[index].op {
            Op::Branch { target, .. } | Op::Jump { target } => *target = to,
            other => unreachable!("{other:?} has no target"),
        }
    }

    /// Resolves the labels.
    pub(super) fn resolve(&mut self) -> Result<(), Diagnostic> {
        for (index, label, span) in std::mem::take(&mut self.open) {
            let Some(target) = self.labels.get(&label).copied() else {
                return Err(Diagnostic::error(span, format!("there is no label `{label}`")));
            };
            self.aim(index, target);
        }
        Ok(())
    }

    /// The address of a location of the test.
    pub(super) fn address(&mut self, name: &str, at: usize) -> Result<Expr, Diagnostic> {
        let span = self.source.span(at, name.len());
        Ok(Expr::Const(self.locations.address(name, span)?))
    }

    /// A complaint about a piece of the text.
    pub(super) fn error(&self, at: usize, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.source.span(at, length), message)
    }

    /// A complaint that something valid is not supported.
    pub(super) fn unsupported(&self, at: usize, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::unsupported(self.source.span(at, length), message)
    }
}

/// A constant.
pub(super) fn constant(value: u64) -> Expr {
    Expr::Const(value)
}

/// A sum of 64 bits; adding 0 is not written down.
pub(super) fn sum(left: Expr, right: Expr) -> Expr {
    match (&left, &right) {
        (_, Expr::Const(0)) => left,
        (Expr::Const(0), _) => right,
        (Expr::Const(a), Expr::Const(b)) => Expr::Const(a.wrapping_add(*b)),
        _ => Expr::binary(Binary::Add, 64, left, right),
    }
}

/// 1 if the value is 0 at this width, else 0.
pub(super) fn is_zero(width: u8, value: Expr) -> Expr {
    Expr::unary(Unary::IsZero, width, value)
}

/// Tags from words.
pub(super) fn tags(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}
