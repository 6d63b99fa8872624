//! What does the engine run instead of terms? A register program over 64-bit words.
//!
//! Each procedure has one register file: its variables, then its constants (set once), then scratch. Truth values are 0
//! or 1, bit-vectors of up to 64 bits their unsigned number, floats their IEEE bits. The operators that programs use all
//! the time have an instruction of their own; the others go through `logic::Op::eval`, which is their definition, and terms that
//! are wider than a word on the way are evaluated by the pool.
//!
//! Invariant: every register holds a value of its sort, that is, bits at or above the width are zero.
//! The instructions that touch the state are here only as data; `step` runs them.

use ir::{CheckKind, EdgeRef, ProcId, RegionId, SiteId, Span};
use logic::{Op, Pool, Sort, TermId, Value, VarId};

/// A register of a procedure's file.
pub(crate) type Reg = u16;

/// The register that holds the number of atomic sections the thread is inside of.
pub(crate) const DEPTH: Reg = 0;

/// A location of the whole program: those of all procedures counted through.
pub(crate) type Pc = u32;

/// Operators of two words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Ult,
    Slt,
    Eq,
}

/// One instruction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Ins {
    /// `d = a op b` at a width.
    Binary { op: Binary, width: u8, d: Reg, a: Reg, b: Reg },
    /// `d = a`.
    Move { d: Reg, a: Reg },
    /// `d = not a` of a truth value.
    Not { d: Reg, a: Reg },
    /// `d = c ? a : b`.
    Select { d: Reg, c: Reg, a: Reg, b: Reg },
    /// `d` = the `width` bits of `a` from bit `low` on.
    Extract { d: Reg, a: Reg, low: u8, width: u8 },
    /// `d` = `a` sign-extended.
    SignExtend { d: Reg, a: Reg, from: u8, to: u8 },
    /// `d` = `a` above the `low` bits of `b`.
    Concat { d: Reg, a: Reg, b: Reg, low: u8 },
    /// `d` = a rarer operator of up to three registers.
    Rare { d: Reg, rare: u32 },
    /// `d` = a term that is wider than a word on the way.
    Wide { d: Reg, wide: u32 },

    /// The edge is taken only if `c` holds.
    Assume { c: Reg },
    /// Something goes wrong unless `c` holds.
    Check { c: Reg, check: u32 },
    /// The thread waits unless `c` holds; only the thread with this handle can bring that about, if it is one.
    Wait { c: Reg, owner: Option<Reg> },
    /// `d` gets bytes of the fixed part.
    Load { d: Reg, touch: u32 },
    /// Bytes of the fixed part get `a`.
    Store { a: Reg, touch: u32 },
    /// Likewise of a global that has no value until it is first written or read; a byte says whether it has.
    LoadFirst { d: Reg, touch: u32, flag: u32 },
    /// Likewise.
    StoreFirst { a: Reg, touch: u32, flag: u32 },
    /// `d` gets bytes at an address.
    LoadAt { d: Reg, addr: Reg, touch: u32 },
    /// Bytes at an address get `a`.
    StoreAt { a: Reg, addr: Reg, touch: u32 },
    /// If `c` the last store was an attempt that fails: it wrote what was there, which counts as no write.
    Fails { c: Reg },
    /// `d` gets any value.
    Havoc { d: Reg, input: u32 },
    /// `d` gets the address of a new object.
    Alloc { d: Reg, size: Reg, alloc: u32 },
    /// The object at an address ends.
    Free { addr: Reg, is_heap: bool, free: u32 },
    /// Starts a thread.
    Start { start: u32 },
    /// Waits for a thread's end.
    Join { thread: Reg, result: Option<Reg> },
    /// An atomic section begins.
    AtomicBegin,
    /// An atomic section ends.
    AtomicEnd,
    /// The thread ends, with a result; if it is the first and returns, the process ends.
    ExitThread { result: Option<Reg>, is_return: bool },
    /// The process ends.
    ExitProcess { is_abort: bool },
    /// Something that the engine cannot do.
    Refuse { refusal: u32 },
}

impl Ins {
    /// The register that a pure instruction writes.
    pub(crate) fn target(&self) -> Option<Reg> {
        match self {
            Ins::Binary { d, .. }
            | Ins::Move { d, .. }
            | Ins::Not { d, .. }
            | Ins::Select { d, .. }
            | Ins::Extract { d, .. }
            | Ins::SignExtend { d, .. }
            | Ins::Concat { d, .. }
            | Ins::Rare { d, .. }
            | Ins::Wide { d, .. } => Some(*d),
            _ => None,
        }
    }

    /// Makes a pure instruction write another register.
    pub(crate) fn set_target(&mut self, to: Reg) {
        match self {
            Ins::Binary { d, .. }
            | Ins::Move { d, .. }
            | Ins::Not { d, .. }
            | Ins::Select { d, .. }
            | Ins::Extract { d, .. }
            | Ins::SignExtend { d, .. }
            | Ins::Concat { d, .. }
            | Ins::Rare { d, .. }
            | Ins::Wide { d, .. } => *d = to,
            _ => {}
        }
    }
}

/// An operator without an instruction of its own.
#[derive(Clone, Debug)]
pub(crate) struct Rare {
    pub(crate) op: Op,
    pub(crate) args: Vec<(Reg, Sort)>,
}

/// A term for the pool, and where its variables are.
#[derive(Clone, Debug)]
pub(crate) struct Wide {
    pub(crate) term: TermId,
    pub(crate) vars: Vec<(VarId, Reg, Sort)>,
}

/// A check, and what failing means.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) kind: CheckKind,
    pub(crate) span: Span,
    pub(crate) site: SiteId,
}

/// An access to shared state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Where in the fixed part, when that is known.
    pub(crate) at: u32,
    /// How many bytes.
    pub(crate) bytes: u8,
    /// The sort of what is read or written.
    pub(crate) sort: Sort,
    /// Whether its order is atomic.
    pub(crate) is_atomic: bool,
    /// Whether no other thread can touch the place meanwhile.
    pub(crate) is_guarded: bool,
    /// Whether a store to the same place follows in the same statement.
    pub(crate) is_update: bool,
    pub(crate) region: RegionId,
    pub(crate) site: SiteId,
    pub(crate) span: Span,
}

/// An input: which values are tried.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) site: SiteId,
    pub(crate) span: Span,
    pub(crate) sort: Sort,
    pub(crate) values: Values,
}

/// The values that an input may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Values {
    /// All numbers below.
    Below(u64),
    /// These, one for each class of values that the program tells apart.
    Classes(Vec<u64>),
    /// Some of too many: what is found with them is found, but nothing is proved.
    Some(Vec<u64>),
    /// Too many.
    TooMany,
}

/// An allocation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllocInfo {
    pub(crate) is_heap: bool,
    pub(crate) zeroed: bool,
    pub(crate) region: RegionId,
    pub(crate) span: Span,
}

/// Starting a thread.
#[derive(Clone, Debug)]
pub(crate) struct StartInfo {
    pub(crate) d: Reg,
    /// A procedure, or the register with the address of a function.
    pub(crate) callee: Result<ProcId, Reg>,
    pub(crate) args: Vec<Reg>,
    pub(crate) span: Span,
}

/// What the engine cannot do.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) span: Span,
    pub(crate) what: String,
}

/// An edge as code.
#[derive(Clone, Debug)]
pub(crate) struct EdgeCode {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) to: Pc,
    pub(crate) edge: EdgeRef,
}

/// Where a variable is kept in a thread's record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) reg: Reg,
    pub(crate) bytes: u8,
}

/// A location.
#[derive(Clone, Debug)]
pub(crate) struct LocCode {
    pub(crate) proc: u16,
    /// Its edges in `Code::edges`.
    pub(crate) edges: (u32, u32),
    /// The variables that matter here, in `Code::slots`.
    pub(crate) slots: (u32, u32),
    /// Bytes of a thread's record here, the location included.
    pub(crate) record: u32,
    /// How many atomic sections a thread here is inside of; if that differs it is kept in the record.
    pub(crate) depth: Option<u8>,
    pub(crate) is_exit: bool,
}

/// What is known of a procedure.
#[derive(Clone, Debug)]
pub(crate) struct ProcCode {
    pub(crate) entry: Pc,
    pub(crate) params: Vec<Option<Reg>>,
    /// The registers with their constants in place and zero elsewhere.
    pub(crate) file: Vec<u64>,
    /// The values of thread variables when a thread starts.
    pub(crate) thread_vars: Vec<(Reg, u64)>,
    /// The register of the thread's own handle.
    pub(crate) own_handle: Option<Reg>,
}

/// The low `width` bits set.
#[inline]
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

#[inline]
fn signed(value: u64, width: u32) -> i64 {
    let unused = 64 - width;
    ((value << unused) as i64) >> unused
}

/// `a op b` at a width.
#[inline]
pub(crate) fn binary(op: Binary, width: u32, a: u64, b: u64) -> u64 {
    let word = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Udiv => a.checked_div(b).unwrap_or(u64::MAX),
        Binary::Sdiv if b == 0 => {
            if signed(a, width) < 0 {
                1
            } else {
                u64::MAX
            }
        }
        Binary::Sdiv => signed(a, width).wrapping_div(signed(b, width)) as u64,
        Binary::Urem => a.checked_rem(b).unwrap_or(a),
        Binary::Srem if b == 0 => a,
        Binary::Srem => signed(a, width).wrapping_rem(signed(b, width)) as u64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl if b >= u64::from(width) => 0,
        Binary::Shl => a << b,
        Binary::Lshr if b >= u64::from(width) => 0,
        Binary::Lshr => a >> b,
        Binary::Ashr => (signed(a, width) >> b.min(u64::from(width) - 1)) as u64,
        Binary::Ult => return u64::from(a < b),
        Binary::Slt => return u64::from(signed(a, width) < signed(b, width)),
        Binary::Eq => return u64::from(a == b),
    };
    word & mask(width)
}

/// `value` sign-extended.
#[inline]
pub(crate) fn sign_extend(value: u64, from: u32, to: u32) -> u64 {
    signed(value, from) as u64 & mask(to)
}

/// Whether values of the sort fit a register.
pub(crate) fn fits(sort: Sort) -> bool {
    matches!(sort, Sort::Bool | Sort::F32 | Sort::F64 | Sort::Bv(1..=64))
}

/// Bits of a sort that fits a register.
pub(crate) fn bits_of(sort: Sort) -> u32 {
    sort.width().unwrap_or(1)
}

/// Bytes of a sort that fits a register.
pub(crate) fn bytes_of(sort: Sort) -> u32 {
    bits_of(sort).div_ceil(8)
}

/// The value of a word.
pub(crate) fn value_of(word: u64, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(word != 0),
        Sort::Bv(width) => Value::bv(width, word),
        Sort::F32 => Value::F32(word as u32).normalised(),
        Sort::F64 => Value::F64(word).normalised(),
        Sort::Array(..) => unreachable!("arrays do not fit a register"),
    }
}

/// The word of a value.
pub(crate) fn word_of(value: &Value) -> u64 {
    match value {
        Value::Bool(value) => u64::from(*value),
        Value::Bv(value) => value.as_u64(),
        Value::F32(bits) => u64::from(*bits),
        Value::F64(bits) => *bits,
        Value::Array(_) => unreachable!("arrays do not fit a register"),
    }
}

/// The word with every NaN made the one NaN; other sorts as they are, cut to their width.
pub(crate) fn normalised(word: u64, sort: Sort) -> u64 {
    match sort {
        Sort::F32 | Sort::F64 => word_of(&value_of(word, sort)),
        Sort::Bool => u64::from(word != 0),
        _ => word & mask(bits_of(sort)),
    }
}

impl Rare {
    /// The value for these registers.
    pub(crate) fn run(&self, regs: &[u64]) -> u64 {
        word_of(&self.op.eval(self.args.iter().map(|&(reg, sort)| value_of(regs[reg as usize], sort)).collect()))
    }
}

impl Wide {
    /// The value for these registers.
    pub(crate) fn run(&self, pool: &Pool, regs: &[u64]) -> u64 {
        let env = |var: VarId| {
            let (_, reg, sort) = self.vars.iter().find(|(own, ..)| *own == var).expect("all variables are listed");
            value_of(regs[*reg as usize], *sort)
        };
        word_of(&pool.evaluate(self.term, &env))
    }
}

/// The operator as an instruction of two registers.
pub(crate) fn binary_of(op: Op) -> Option<Binary> {
    Some(match op {
        Op::Add => Binary::Add,
        Op::Sub => Binary::Sub,
        Op::Mul => Binary::Mul,
        Op::Udiv => Binary::Udiv,
        Op::Sdiv => Binary::Sdiv,
        Op::Urem => Binary::Urem,
        Op::Srem => Binary::Srem,
        Op::BvAnd => Binary::And,
        Op::BvOr => Binary::Or,
        Op::BvXor => Binary::Xor,
        Op::Shl => Binary::Shl,
        Op::Lshr => Binary::Lshr,
        Op::Ashr => Binary::Ashr,
        Op::Ult => Binary::Ult,
        Op::Slt => Binary::Slt,
        Op::Eq => Binary::Eq,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::BitVec;

    #[test]
    fn instructions_mean_what_operators_mean() {
        let ops = [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Udiv,
            Op::Sdiv,
            Op::Urem,
            Op::Srem,
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::Shl,
            Op::Lshr,
            Op::Ashr,
            Op::Ult,
            Op::Slt,
            Op::Eq,
        ];
        let words =
            [0u64, 1, 2, 3, 7, 8, 31, 32, 63, 64, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 1 << 63, u64::MAX];
        for op in ops {
            let own = binary_of(op).expect("listed above");
            for width in [1u32, 7, 8, 32, 63, 64] {
                for a in words.map(|word| word & mask(width)) {
                    for b in words.map(|word| word & mask(width)) {
                        let operands = [Value::bv(width, a), Value::bv(width, b)];
                        let expected = word_of(&op.eval(operands.into_iter().collect()));
                        assert_eq!(binary(own, width, a, b), expected, "{op:?} {width} {a} {b}");
                    }
                }
            }
        }
        for (from, to, value) in [(8, 32, 0x80), (8, 64, 0x7f), (1, 8, 1), (32, 64, 0xffff_fffe)] {
            let expected = BitVec::new(from, value).sign_extend(to).as_u64();
            assert_eq!(sign_extend(value, from, to), expected);
        }
    }
}
