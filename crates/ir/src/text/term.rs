//! How does a term look? Like C, with the signedness on the operator where C has it on the type: `a <s b`, `a /u b`.
//!
//! Brackets follow C's precedences, except that bit operations bind tighter than comparisons (as everybody expects).
//! Word constants that are addresses of static objects show the object. Terms that would be longer than a screen are cut.

use super::Names;
use logic::{Node, Op, TermId};

/// Terms of more nodes (as a tree) are cut.
const LARGEST: u32 = 2000;

/// Binding strengths, weakest first.
const ITE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 4;
const BIT_OR: u8 = 5;
const BIT_XOR: u8 = 6;
const BIT_AND: u8 = 7;
const SHIFT: u8 = 8;
const SUM: u8 = 9;
const PRODUCT: u8 = 10;
const UNARY: u8 = 11;
const ATOM: u8 = 12;

pub(super) fn term(names: &Names<'_>, term: TermId) -> String {
    if names.program.pool.tree_size(term) > LARGEST {
        return format!("<{} nodes>", names.program.pool.size(term));
    }
    bound(names, term, 0)
}

fn bound(names: &Names<'_>, term: TermId, outer: u8) -> String {
    let (text, strength) = unbound(names, term);
    if strength < outer { format!("({text})") } else { text }
}

/// The text and how strongly it binds.
fn unbound(names: &Names<'_>, term: TermId) -> (String, u8) {
    let pool = &names.program.pool;
    match pool.node(term) {
        Node::Const(value) => (constant(names, value), ATOM),
        Node::Var(var) => (names.var(*var), ATOM),
        Node::App { op, args } => application(names, *op, args),
    }
}

fn constant(names: &Names<'_>, value: &logic::Value) -> String {
    if let logic::Value::Bv(bits) = value
        && bits.width() == names.program.data_model.word_bits()
        && let Some((object, offset)) = names.object_at(bits.as_u64())
    {
        return match offset {
            0 => format!("&{}", object.name),
            _ => format!("&{}+{offset}", object.name),
        };
    }
    super::value(value)
}

fn application(names: &Names<'_>, op: Op, args: &[TermId]) -> (String, u8) {
    let at = |index: usize, strength: u8| bound(names, args[index], strength);
    let infix = |sign: &str, strength: u8| {
        let mut parts = vec![at(0, strength)];
        parts.extend((1..args.len()).map(|index| at(index, strength + 1)));
        (parts.join(&format!(" {sign} ")), strength)
    };
    let call = |name: &str| {
        let inner: Vec<String> = (0..args.len()).map(|index| at(index, 0)).collect();
        (format!("{name}({})", inner.join(", ")), ATOM)
    };
    match op {
        Op::Not => negation(names, args[0]),
        Op::And => infix("&&", AND),
        Op::Or => infix("||", OR),
        Op::Eq => infix("==", COMPARE),
        Op::Ite => (format!("{} ? {} : {}", at(0, OR), at(1, ITE), at(2, ITE)), ITE),
        Op::Neg | Op::FNeg => (format!("-{}", at(0, UNARY)), UNARY),
        Op::BvNot => (format!("~{}", at(0, UNARY)), UNARY),
        Op::Add | Op::FAdd => infix("+", SUM),
        Op::Sub | Op::FSub => infix("-", SUM),
        Op::Mul | Op::FMul => infix("*", PRODUCT),
        Op::FDiv => infix("/", PRODUCT),
        Op::Udiv => infix("/u", PRODUCT),
        Op::Sdiv => infix("/s", PRODUCT),
        Op::Urem => infix("%u", PRODUCT),
        Op::Srem => infix("%s", PRODUCT),
        Op::BvAnd => infix("&", BIT_AND),
        Op::BvOr => infix("|", BIT_OR),
        Op::BvXor => infix("^", BIT_XOR),
        Op::Shl => infix("<<", SHIFT),
        Op::Lshr => infix(">>u", SHIFT),
        Op::Ashr => infix(">>s", SHIFT),
        Op::Ult => infix("<u", COMPARE),
        Op::Slt => infix("<s", COMPARE),
        Op::FEq => infix("==f", COMPARE),
        Op::FLt => infix("<f", COMPARE),
        Op::FLe => infix("<=f", COMPARE),
        Op::Extract { hi, lo } => (format!("{}[{hi}:{lo}]", at(0, ATOM)), ATOM),
        Op::ZeroExtend(width) => call(&format!("zext{width}")),
        Op::SignExtend(width) => call(&format!("sext{width}")),
        Op::FloatToFloat(to) => call(&to.to_string()),
        Op::SbvToFloat(to) => call(&format!("{to}_of_signed")),
        Op::UbvToFloat(to) => call(&format!("{to}_of_unsigned")),
        Op::FloatToSbv(width) => call(&format!("signed{width}")),
        Op::FloatToUbv(width) => call(&format!("unsigned{width}")),
        Op::Select => (format!("{}[{}]", at(0, ATOM), at(1, 0)), ATOM),
        Op::Store => (format!("{}[{} := {}]", at(0, ATOM), at(1, 0), at(2, 0)), ATOM),
        Op::ConstArray(index) => call(&format!("array_{index}")),
        Op::Concat
        | Op::UmulOverflows
        | Op::SmulOverflows
        | Op::FRem
        | Op::FAbs
        | Op::FSqrt
        | Op::FIsNan
        | Op::FloatToBits
        | Op::FloatFromBits => call(op.name()),
    }
}

/// Negated comparisons have signs of their own; `!(b < a)` is `a <= b`.
fn negation(names: &Names<'_>, inner: TermId) -> (String, u8) {
    if let Node::App { op, args } = names.program.pool.node(inner) {
        let compare = |sign: &str, a: usize, b: usize| {
            let side = |index: usize| bound(names, args[index], COMPARE + 1);
            (format!("{} {sign} {}", side(a), side(b)), COMPARE)
        };
        match op {
            Op::Eq => return compare("!=", 0, 1),
            Op::Ult => return compare("<=u", 1, 0),
            Op::Slt => return compare("<=s", 1, 0),
            _ => {}
        }
    }
    (format!("!{}", bound(names, inner, UNARY)), UNARY)
}
