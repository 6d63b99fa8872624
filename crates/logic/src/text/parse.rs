//! Which term does a text denote?
//!
//! The inverse of `print`, and a little more: constants may be negative or hexadecimal (`-1:32`, `0xff:8`), and all
//! derived comparisons are words (`ugt`, `implies`, `xor`). The parser keeps its own stack, so depth is no limit, and
//! checks sorts before it builds, so that no text makes it panic.
//!
//! Floats are read by the standard library, which rounds correctly.

use std::fmt;

use rustc_hash::FxHashMap;

use crate::op::Op;
use crate::pool::{Pool, TermId, VarId};
use crate::sort::{FloatSort, Scalar, Sort};
use crate::value::bitvec::BitVec;
use crate::value::{ArrayValue, Value};

/// Where and why a text is not a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The byte offset into the text.
    pub position: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}", self.position, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The term that `text` denotes, with variables found by name.
pub fn parse(pool: &mut Pool, text: &str, lookup: &mut dyn FnMut(&str) -> Option<VarId>) -> Result<TermId, ParseError> {
    let mut parser = Parser { text, position: 0, pool, lookup, bound: FxHashMap::default() };
    let term = parser.term()?;
    match parser.token()? {
        (_, Token::End) => Ok(term),
        (position, _) => fail(position, "expected the end of the text"),
    }
}

fn fail<T>(position: usize, message: impl Into<String>) -> Result<T, ParseError> {
    Err(ParseError { position, message: message.into() })
}

#[derive(PartialEq)]
enum Token<'t> {
    Open,
    Close,
    Word(&'t str),
    Quoted(String),
    End,
}

/// An opened parenthesis whose operands are being read.
enum Frame {
    Apply { position: usize, head: Head, args: Vec<TermId> },
    Let { name: Option<String> },
}

#[derive(Clone, Copy)]
enum Head {
    Op(Op),
    Derived(Build, Kind),
}

/// A builder of `Pool` for a derived form.
type Build = fn(&mut Pool, TermId, TermId) -> TermId;

/// Wider bit-vectors are refused, so that a short text cannot ask for much memory.
const MAX_WIDTH: u32 = 1 << 20;

#[derive(Clone, Copy)]
enum Kind {
    Any,
    Bool,
    Bv,
}

struct Parser<'t, 'p> {
    text: &'t str,
    position: usize,
    pool: &'p mut Pool,
    lookup: &'p mut dyn FnMut(&str) -> Option<VarId>,
    bound: FxHashMap<String, TermId>,
}

impl<'t> Parser<'t, '_> {
    fn term(&mut self) -> Result<TermId, ParseError> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            let (position, token) = self.token()?;
            let done = match token {
                Token::Open => match self.open(position)? {
                    Ok(constant) => constant,
                    Err(frame) => {
                        frames.push(frame);
                        continue;
                    }
                },
                Token::Close => match frames.pop() {
                    Some(Frame::Apply { position, head, args }) => self.apply(position, head, &args)?,
                    Some(Frame::Let { .. }) => return fail(position, "a let needs a body"),
                    None => return fail(position, "unexpected closing parenthesis"),
                },
                Token::Word(word) => match frames.last_mut() {
                    Some(Frame::Let { name: name @ None }) if word.starts_with('$') && self.at_binding() => {
                        *name = Some(word.to_owned());
                        continue;
                    }
                    _ => self.word(position, word)?,
                },
                Token::Quoted(name) => self.variable(position, &name)?,
                Token::End => return fail(position, "the text ends within a term"),
            };
            // Hand the finished term to the innermost open parenthesis; a let ends with its body.
            loop {
                match frames.last_mut() {
                    None => return Ok(done),
                    Some(Frame::Apply { args, .. }) => {
                        args.push(done);
                        break;
                    }
                    Some(Frame::Let { name }) => match name.take() {
                        Some(name) => {
                            self.bound.insert(name, done);
                            break;
                        }
                        None => {
                            frames.pop();
                            self.expect_close()?;
                        }
                    },
                }
            }
        }
    }

    /// Whether a `$name` read in a let is a binding: the body is the last thing before the closing parenthesis.
    fn at_binding(&self) -> bool {
        !self.text[self.position..].trim_start().starts_with(')')
    }

    /// After an opening parenthesis: an array constant at once, or a frame to fill.
    fn open(&mut self, position: usize) -> Result<Result<TermId, Frame>, ParseError> {
        let (at, token) = self.token()?;
        let Token::Word(word) = token else {
            return fail(at, "expected an operator");
        };
        match word {
            "let" => Ok(Err(Frame::Let { name: None })),
            "array" => Ok(Ok(self.array()?)),
            _ => {
                let head = self.head(at, word)?;
                Ok(Err(Frame::Apply { position, head, args: Vec::new() }))
            }
        }
    }

    fn apply(&mut self, position: usize, head: Head, args: &[TermId]) -> Result<TermId, ParseError> {
        match head {
            Head::Op(op) => match self.pool.check(op, args) {
                Ok(_) => Ok(self.pool.apply(op, args)),
                Err(message) => fail(position, message),
            },
            Head::Derived(build, kind) => {
                let &[a, b] = args else {
                    return fail(position, format!("expected two operands, found {}", args.len()));
                };
                let (a_sort, b_sort) = (self.pool.sort(a), self.pool.sort(b));
                let fits = match kind {
                    Kind::Any => true,
                    Kind::Bool => a_sort == Sort::Bool,
                    Kind::Bv => matches!(a_sort, Sort::Bv(_)),
                };
                if !fits || a_sort != b_sort {
                    return fail(position, format!("the operands cannot be of sorts {a_sort} and {b_sort}"));
                }
                Ok(build(self.pool, a, b))
            }
        }
    }

    fn head(&mut self, position: usize, word: &str) -> Result<Head, ParseError> {
        let derived: Option<(Build, Kind)> = match word {
            "ne" => Some((Pool::ne, Kind::Any)),
            "xor" => Some((Pool::xor, Kind::Bool)),
            "implies" => Some((Pool::implies, Kind::Bool)),
            "ule" => Some((Pool::ule, Kind::Bv)),
            "ugt" => Some((Pool::ugt, Kind::Bv)),
            "uge" => Some((Pool::uge, Kind::Bv)),
            "sle" => Some((Pool::sle, Kind::Bv)),
            "sgt" => Some((Pool::sgt, Kind::Bv)),
            "sge" => Some((Pool::sge, Kind::Bv)),
            _ => None,
        };
        if let Some((build, kind)) = derived {
            return Ok(Head::Derived(build, kind));
        }
        let op = match word {
            "extract" => Op::Extract { hi: self.number()?, lo: self.number()? },
            "zero_extend" => Op::ZeroExtend(self.number()?),
            "sign_extend" => Op::SignExtend(self.number()?),
            "float_to_sbv" => Op::FloatToSbv(self.number()?),
            "float_to_ubv" => Op::FloatToUbv(self.number()?),
            "float_to_float" => Op::FloatToFloat(self.float_sort()?),
            "sbv_to_float" => Op::SbvToFloat(self.float_sort()?),
            "ubv_to_float" => Op::UbvToFloat(self.float_sort()?),
            "const_array" => Op::ConstArray(self.scalar()?),
            _ => match PLAIN_OPS.iter().find(|op| op.name() == word) {
                Some(op) => *op,
                None => return fail(position, format!("unknown operator {word}")),
            },
        };
        Ok(Head::Op(op))
    }

    fn number(&mut self) -> Result<u32, ParseError> {
        match self.token()? {
            (position, Token::Word(word)) => match word.parse() {
                Ok(number) if number <= MAX_WIDTH => Ok(number),
                _ => fail(position, format!("expected a number up to {MAX_WIDTH}, found {word}")),
            },
            (position, _) => fail(position, "expected a number"),
        }
    }

    fn scalar(&mut self) -> Result<Scalar, ParseError> {
        let (position, token) = self.token()?;
        let Token::Word(word) = token else {
            return fail(position, "expected a sort");
        };
        let width = word
            .strip_prefix("bv")
            .and_then(|digits| digits.parse().ok())
            .filter(|width| (1..=MAX_WIDTH).contains(width));
        match (word, width) {
            ("bool", _) => Ok(Scalar::Bool),
            ("f32", _) => Ok(Scalar::F32),
            ("f64", _) => Ok(Scalar::F64),
            (_, Some(width)) => Ok(Scalar::Bv(width)),
            _ => fail(position, format!("expected a sort, found {word}")),
        }
    }

    fn float_sort(&mut self) -> Result<FloatSort, ParseError> {
        let position = self.position;
        match Sort::from(self.scalar()?).float() {
            Some(float) => Ok(float),
            None => fail(position, "expected f32 or f64"),
        }
    }

    fn array(&mut self) -> Result<TermId, ParseError> {
        let index = self.scalar()?;
        let default = self.value()?;
        let element_sort = default.sort();
        let mut array = ArrayValue::new(index, default);
        loop {
            match self.token()? {
                (_, Token::Close) => return Ok(self.pool.constant(Value::Array(array))),
                (position, Token::Open) => {
                    let (at, element) = (self.value()?, self.value()?);
                    if at.sort() != index.into() || element.sort() != element_sort {
                        return fail(
                            position,
                            format!("expected an index of {index} and an element of {element_sort}"),
                        );
                    }
                    array = array.store(at, element);
                    self.expect_close()?;
                }
                (position, _) => return fail(position, "expected an array entry or a closing parenthesis"),
            }
        }
    }

    fn value(&mut self) -> Result<Value, ParseError> {
        match self.token()? {
            (position, Token::Word(word)) => match constant(word) {
                Some(value) => Ok(value),
                None => fail(position, format!("expected a value, found {word}")),
            },
            (position, _) => fail(position, "expected a value"),
        }
    }

    fn word(&mut self, position: usize, word: &str) -> Result<TermId, ParseError> {
        if let Some(&term) = self.bound.get(word) {
            return Ok(term);
        }
        match constant(word) {
            Some(value) => Ok(self.pool.constant(value)),
            None => self.variable(position, word),
        }
    }

    fn variable(&mut self, position: usize, name: &str) -> Result<TermId, ParseError> {
        match (self.lookup)(name) {
            Some(var) => Ok(self.pool.var(var)),
            None => fail(position, format!("unknown variable {name}")),
        }
    }

    fn expect_close(&mut self) -> Result<(), ParseError> {
        match self.token()? {
            (_, Token::Close) => Ok(()),
            (position, _) => fail(position, "expected a closing parenthesis"),
        }
    }

    fn token(&mut self) -> Result<(usize, Token<'t>), ParseError> {
        let rest = self.text[self.position..].trim_start();
        let start = self.text.len() - rest.len();
        let (length, token) = match rest.chars().next() {
            None => (0, Token::End),
            Some('(') => (1, Token::Open),
            Some(')') => (1, Token::Close),
            Some('|') => {
                let mut name = String::new();
                let mut chars = rest.char_indices().skip(1);
                loop {
                    match chars.next() {
                        None => return fail(start, "a quoted name without its closing bar"),
                        Some((i, '|')) => break (i + 1, Token::Quoted(name)),
                        Some((_, '\\')) => name.extend(chars.next().map(|(_, c)| c)),
                        Some((_, c)) => name.push(c),
                    }
                }
            }
            Some(_) => {
                let length = rest.find(|c: char| c.is_whitespace() || "()|".contains(c)).unwrap_or(rest.len());
                (length, Token::Word(&rest[..length]))
            }
        };
        self.position = start + length;
        Ok((start, token))
    }
}

/// `true`, `false`, `5:32`, `-1:8`, `0xff:8`, `1.5:f32`, `nan:f64`; anything else is no constant.
fn constant(word: &str) -> Option<Value> {
    match word {
        "true" => return Some(Value::Bool(true)),
        "false" => return Some(Value::Bool(false)),
        _ => {}
    }
    let (digits, sort) = word.rsplit_once(':')?;
    match sort {
        "f32" => digits.parse().ok().map(Value::f32),
        "f64" => digits.parse().ok().map(Value::f64),
        _ => {
            let width: u32 = sort.parse().ok().filter(|width| (1..=MAX_WIDTH).contains(width))?;
            let (negative, digits) = digits.strip_prefix('-').map_or((false, digits), |rest| (true, rest));
            let (radix, digits) = digits.strip_prefix("0x").map_or((10, digits), |rest| (16, rest));
            if digits.is_empty() {
                return None;
            }
            // One digit too many for any width still has to be noticed, hence the spare bits.
            let wide = width + 8;
            let radix_value = BitVec::new(wide, radix);
            let mut number = BitVec::zero(wide);
            for c in digits.chars() {
                let digit = BitVec::new(wide, c.to_digit(radix as u32)?.into());
                number = number.mul(&radix_value).add(&digit);
                if number.bit_length() > width {
                    return None;
                }
            }
            let number = number.extract(width - 1, 0);
            Some(Value::Bv(if negative { number.neg() } else { number }))
        }
    }
}

/// The operators without parameters.
const PLAIN_OPS: [Op; 41] = [
    Op::Not,
    Op::And,
    Op::Or,
    Op::Eq,
    Op::Ite,
    Op::Neg,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Udiv,
    Op::Sdiv,
    Op::Urem,
    Op::Srem,
    Op::BvNot,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Ult,
    Op::Slt,
    Op::Concat,
    Op::UmulOverflows,
    Op::SmulOverflows,
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FDiv,
    Op::FRem,
    Op::FNeg,
    Op::FAbs,
    Op::FSqrt,
    Op::FEq,
    Op::FLt,
    Op::FLe,
    Op::FIsNan,
    Op::FloatToBits,
    Op::FloatFromBits,
    Op::Select,
    Op::Store,
];
