//! Litmus tests: a few threads of few instructions, an initial state, and a question about the final states.
//!
//! One closed set of instructions ([`instr`]) serves all dialects: what an instruction set adds (flags, write-back, condition fields, a
//! zero register) the front end spells out as assignments to registers, so that an engine meets only assignments, accesses, fences
//! and branches. Values are 64-bit words; every operation says the width at which it wraps ([`expr`]).
//!
//! **Addresses are numbers.** Location `i` begins at `Location::address` = `FIRST_ADDRESS + i * ADDRESS_STRIDE`, so a pointer is a value like any
//! other: it can be stored, loaded, added to and compared. The numbers lie below 2^31: a pointer survives a 32-bit register.
//! `Test::show_value` turns them back into names.
//!
//! **Memory is bytes**, little-endian; an access has a size. while every access is exactly one element of a location
//! (`Test::cell`), an engine may take elements as cells; otherwise (`Test::is_mixed`, or `cell` says so on the way) it has to split into bytes. In C tests every scalar is a cell of 8 bytes and arithmetic
//! has 64 bits, whatever type the text declares: these tests keep pointers in `int`s, and herd ignores the types too.
//!
//! **Final states** are vectors parallel to `Test::observed`: registers and memory that the condition, the filter or `locations` mention. The
//! condition is evaluated on such a vector ([`condition`]). What is observed is cut to `Observed::size` bytes, and so are the constants
//! that it is compared with.
//!
//! **Messages** (`Dialect::Proto`) are accesses, too: a topic is a location, a send a write to it, a receive a read of it. There are no initial writes, and a
//! receive may have no source: then it gives `NOTHING`, unless the model forbids that.
//!
//! [`step`] runs one thread with the values of its reads given from outside, and says which dependencies its events have; [`sc`] is the
//! reference semantics under sequential consistency. Syntax is not here but in the front end; memory models are not here at all.

pub mod condition;
pub mod expr;
pub mod instr;
mod names;
pub mod sc;
pub mod show;
pub mod step;

pub use condition::{Formula, Observable, Observed, Operand, Quantifier};
pub use expr::{Binary, Expr, Unary, evaluate};
pub use instr::{ExclusiveStatus, Extend, Instr, Op, RmwKind};
pub use names::{LocationId, Reg};

pub use step::{Event, EventKind, EventSet, Step, Walk};

use crate::source::Sources;

/// Where the first location lives.
pub const FIRST_ADDRESS: u64 = 0x5EED_0000;
/// The distance between locations; no location is larger.
pub const ADDRESS_STRIDE: u64 = 0x1_0000;
/// What a receive gives that has received nothing; `none` in the text.
pub const NOTHING: u64 = 1 << 63;
/// How many locations a test may have, so that every address stays below 2^31.
pub const MAX_LOCATIONS: usize = 4096;

/// The language of a test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Dialect {
    /// 32-bit x86.
    X86,
    /// 64-bit x86.
    X86_64,
    /// Arm v8, 64 bits.
    AArch64,
    /// Power.
    Ppc,
    /// RISC-V.
    RiscV,
    /// C with C11 atomics.
    C,
    /// C with the primitives of the Linux kernel.
    Kernel,
    /// Processes that send and receive messages.
    Proto,
}

impl Dialect {
    /// The word that begins a test of this dialect.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::X86 => "X86",
            Dialect::X86_64 => "X86_64",
            Dialect::AArch64 => "AArch64",
            Dialect::Ppc => "PPC",
            Dialect::RiscV => "RISCV",
            Dialect::C | Dialect::Kernel => "C",
            Dialect::Proto => "PROTO",
        }
    }

    /// Whether the text is C rather than columns of assembly.
    pub fn is_c(self) -> bool {
        matches!(self, Dialect::C | Dialect::Kernel | Dialect::Proto)
    }

    /// Whether locations are topics of messages: they hold nothing at first, and a receive may come back with nothing.
    pub fn has_messages(self) -> bool {
        self == Dialect::Proto
    }
}

/// A register, a local variable of C, or a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The name to show: `X0` for `W0` too, `EAX` for `AL` too, `NZCV.Z` for a flag.
    pub name: String,
    /// What it holds before the first instruction.
    pub init: u64,
    /// Bytes that are observed of it.
    pub size: u8,
    /// Whether it is shown as a signed number.
    pub signed: bool,
}

/// Where a process of a test with messages runs: `P0 @ lan.alice`. A process without a host has one of its own; those without a
/// segment share one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The part of the network.
    pub segment: Option<String>,
    /// The machine.
    pub host: Option<String>,
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The number in the text: `P1` is 1.
    pub number: u32,
    /// Where it runs.
    pub place: Place,
    /// Its registers, indexed by `Reg`.
    pub registers: Vec<Register>,
    /// What it runs. A branch target equal to the length is the end.
    pub code: Vec<Instr>,
}

/// A named piece of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Its name.
    pub name: String,
    /// Bytes of an element.
    pub element_size: u8,
    /// What the elements hold at first; a scalar has one.
    pub init: Vec<u64>,
    /// Whether the text declared it as an array.
    pub is_array: bool,
    /// Whether it is shown as a signed number.
    pub signed: bool,
    /// Whether all threads of a C test that have it as a parameter see it as atomic. What one of them sees as plain is plain.
    pub is_atomic: bool,
}

impl Location {
    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        u64::from(self.element_size) * self.init.len() as u64
    }
}

/// A litmus test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Its name.
    pub name: String,
    /// Its language.
    pub dialect: Dialect,
    /// `Key=Value` lines, in order.
    pub info: Vec<(String, String)>,
    /// The threads.
    pub threads: Vec<Thread>,
    /// The locations, indexed by `LocationId`; `address` says where they are.
    pub locations: Vec<Location>,
    /// What a final state tells, in the order in which it is shown. Registers first by thread, then memory.
    pub observed: Vec<Observed>,
    /// Final states that are looked at; all if absent.
    pub filter: Option<Formula>,
    /// How the condition is meant.
    pub quantifier: Quantifier,
    /// The condition.
    pub condition: Formula,
    /// The text that spans refer to.
    pub sources: Sources,
}

impl Test {
    /// Whether a condition that selects a value (`CSEL`) does not make an address out of it depend on the condition: only writes that use the value, and writes behind an access whose
    /// address was selected, wait for it. Known as: pick dependencies.
    pub fn picks(&self) -> bool {
        self.dialect == Dialect::AArch64
    }

    /// Where a location begins.
    pub fn address(&self, location: LocationId) -> u64 {
        FIRST_ADDRESS + u64::from(location.0) * ADDRESS_STRIDE
    }

    /// The location an address lies in (also just past the end), and the offset into it.
    pub fn locate(&self, address: u64) -> Option<(LocationId, u64)> {
        let distance = address.checked_sub(FIRST_ADDRESS)?;
        let index = distance / ADDRESS_STRIDE;
        let location = self.locations.get(usize::try_from(index).ok()?)?;
        let offset = distance % ADDRESS_STRIDE;
        (offset <= location.size()).then_some((LocationId(index as u32), offset))
    }

    /// The value of an `info` line.
    pub fn info(&self, key: &str) -> Option<&str> {
        self.info.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A guess, from the registers' initial values, whether accesses overlap without being equal. What the text does not show (an
    /// offset computed while running) shows in `cell`.
    pub fn is_mixed(&self) -> bool {
        self.threads.iter().any(|thread| {
            let value_of = |reg: Reg| thread.registers[reg.0 as usize].init;
            thread.code.iter().filter_map(|instr| instr.op.access()).any(|(address, size)| {
                let address = evaluate(address, &value_of);
                self.locate(address).is_some() && self.cell(address, size).is_none()
            })
        })
    }

    /// The location and element that an access covers exactly. `None` means: outside of every location, or only a part of an
    /// element, or parts of several; then only bytes tell what the access reads or writes.
    pub fn cell(&self, address: u64, size: u8) -> Option<(LocationId, u32)> {
        let (id, offset) = self.locate(address)?;
        let location = &self.locations[id.0 as usize];
        let element = offset / u64::from(location.element_size);
        let is_exact = size == location.element_size && offset % u64::from(size) == 0;
        (is_exact && element < location.init.len() as u64).then_some((id, element as u32))
    }
}
