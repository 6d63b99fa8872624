//! How does a formula of a proof look in C?
//!
//! Two readers want it. A person wants `x < 3 && T1.i == x`: names with their thread in front, no casts. A machine that reads witnesses wants an expression that C
//! evaluates to the same truth: every operand is cast to the type of its width whose sign the operator needs, and arithmetic is done without signs, since
//! signed overflow means nothing in C. What has no name that the reader knows, or no operator in C, is said not at all: of a conjunction the
//! other parts still hold, so a formula becomes weaker and never wrong. Under a negation nothing may be left out.

use super::scope::is_in_scope;
use ir::{CellName, Certificate, Format, Scope, Span};
use logic::{Node, Op, TermId, Value, VarId};
use std::collections::BTreeMap;

/// Terms of more nodes (as a tree) are not said.
const LARGEST: u32 = 400;

/// Who reads the formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Somebody who looks at all threads from outside.
    Person,
    /// C, from inside of a thread's function.
    Thread(u32),
}

/// Says formulas of one certificate.
pub struct Speaker<'a> {
    certificate: &'a Certificate,
    cells: BTreeMap<VarId, CellName>,
    reader: Reader,
    /// What the reader calls whether a mutex is taken, by the variable that holds its state.
    locks: BTreeMap<VarId, String>,
    /// Where the reader stands, if that matters: names may mean nothing there, or something else.
    at: Option<Span>,
}

impl<'a> Speaker<'a> {
    /// One for a reader.
    pub fn new(certificate: &'a Certificate, reader: Reader) -> Speaker<'a> {
        let cells = certificate.cells.iter().copied().collect();
        Speaker { certificate, cells, reader, locks: BTreeMap::new(), at: None }
    }

    /// Calls variables that hold the state of mutexes, zero when they are free, by these names.
    pub fn with_locks(self, locks: BTreeMap<VarId, String>) -> Speaker<'a> {
        Speaker { locks, ..self }
    }

    /// Speaks only of what has its name at this place.
    pub fn at(self, place: Span) -> Speaker<'a> {
        Speaker { at: Some(place), ..self }
    }

    /// Whether what is declared here has its name where the reader stands: it is in scope, and nothing of the same name is that was declared later.
    fn has_name(&self, name: &str, span: Span) -> bool {
        let Some(at) = self.at.filter(|_| span.is_known()) else { return true };
        let program = &self.certificate.program;
        let variables =
            program.vars.iter().enumerate().map(|(var, of)| (program.pool.var_name(VarId(var as u32)), of.span));
        let objects = program.objects.iter().map(|object| (object.name.as_str(), object.span));
        let starts = |span: Span| (span.line, span.column);
        let is_hidden = variables.chain(objects).any(|(other, declared)| {
            let is_later = declared.is_known() && declared.file == span.file && starts(declared) > starts(span);
            other == name && is_later && is_in_scope(&program.sources, declared, at)
        });
        is_in_scope(&program.sources, span, at) && !is_hidden
    }

    /// What can be said of a formula; nothing if that is no more than that it is true.
    pub fn weakened(&self, formula: TermId) -> Option<String> {
        let pool = &self.certificate.program.pool;
        let parts: Vec<TermId> = match pool.node(formula) {
            Node::App { op: Op::And, args } => args.to_vec(),
            _ => vec![formula],
        };
        let is_true = |part: &TermId| matches!(pool.as_const(*part), Some(Value::Bool(true)));
        let said: Vec<String> =
            parts.iter().filter(|part| !is_true(part)).filter_map(|part| self.whole_or_lock(*part)).collect();
        match said.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            all => Some(all.iter().map(|part| enclosed(part)).collect::<Vec<_>>().join(" && ")),
        }
    }

    /// The whole of a part of a conjunction, or of whom a mutex is taken by at least that it is taken.
    fn whole_or_lock(&self, part: TermId) -> Option<String> {
        let pool = &self.certificate.program.pool;
        let taken = || match pool.node(part) {
            Node::App { op: Op::Eq, args } => {
                let (lock, value) = self.lock_and_value(args[0], args[1])?;
                (value != 0).then(|| self.lock_is(lock, "!="))
            }
            _ => None,
        };
        taken().or_else(|| self.whole(part))
    }

    /// That the state of a mutex is zero, or is not.
    fn lock_is(&self, lock: &str, sign: &str) -> String {
        match (self.reader, sign) {
            (Reader::Thread(_), _) => format!("{lock} {sign} 0"),
            (Reader::Person, "==") => format!("{lock} is free"),
            (Reader::Person, _) => format!("{lock} is taken"),
        }
    }

    /// What a mutex is called, and the number that its state is compared with.
    fn lock_and_value(&self, a: TermId, b: TermId) -> Option<(&String, u64)> {
        let pool = &self.certificate.program.pool;
        let of = |a: TermId, b: TermId| match pool.as_const(b) {
            Some(Value::Bv(bits)) => Some((self.locks.get(&pool.as_var(a)?)?, bits.as_u64())),
            _ => None,
        };
        of(a, b).or_else(|| of(b, a))
    }

    /// The whole of a formula, if all of it can be said.
    pub fn whole(&self, formula: TermId) -> Option<String> {
        let pool = &self.certificate.program.pool;
        (pool.tree_size(formula) <= LARGEST).then(|| self.truth(formula)).flatten()
    }

    /// A term that is true or false.
    fn truth(&self, term: TermId) -> Option<String> {
        let pool = &self.certificate.program.pool;
        match pool.node(term) {
            Node::Const(Value::Bool(value)) => Some(if *value { "1" } else { "0" }.to_string()),
            Node::App { op: Op::Not, args } => self.negation(args[0]),
            Node::App { op: op @ (Op::And | Op::Or), args } => {
                let parts: Option<Vec<String>> = args.iter().map(|arg| Some(enclosed(&self.truth(*arg)?))).collect();
                let sign = if *op == Op::And { " && " } else { " || " };
                parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(sign))
            }
            Node::App { op: Op::Eq, args } => self.comparison("==", args[0], args[1], None),
            Node::App { op: Op::Ult, args } => self.comparison("<", args[0], args[1], Some(false)),
            Node::App { op: Op::Slt, args } => self.comparison("<", args[0], args[1], Some(true)),
            _ => None,
        }
    }

    /// Negated comparisons have signs of their own.
    fn negation(&self, inner: TermId) -> Option<String> {
        match self.certificate.program.pool.node(inner) {
            Node::App { op: Op::Eq, args } => self.comparison("!=", args[0], args[1], None),
            Node::App { op: Op::Ult, args } => self.comparison("<=", args[1], args[0], Some(false)),
            Node::App { op: Op::Slt, args } => self.comparison("<=", args[1], args[0], Some(true)),
            _ => self.truth(inner).map(|text| format!("!({text})")),
        }
    }

    fn comparison(&self, sign: &str, a: TermId, b: TermId, signed: Option<bool>) -> Option<String> {
        let pool = &self.certificate.program.pool;
        if pool.sort(a).width().is_none() {
            // An equality of truths.
            let (a, b) = (self.truth(a)?, self.truth(b)?);
            return Some(format!("({a}) {sign} ({b})"));
        }
        if let (None, Some((lock, 0))) = (signed, self.lock_and_value(a, b)) {
            return Some(self.lock_is(lock, sign));
        }
        let signed = signed.unwrap_or_else(|| self.is_signed(a).or(self.is_signed(b)).unwrap_or(true));
        Some(format!("{} {sign} {}", self.as_type(a, signed)?, self.as_type(b, signed)?))
    }

    /// Whether the variable that a term is has a sign.
    fn is_signed(&self, term: TermId) -> Option<bool> {
        let var = self.certificate.program.pool.as_var(term)?;
        match self.format(var)? {
            Format::Signed | Format::Char => Some(true),
            Format::Unsigned | Format::UnsignedChar | Format::Bool => Some(false),
            Format::Pointer | Format::Float => None,
        }
    }

    /// A number of the type of its width with or without a sign.
    fn as_type(&self, term: TermId, signed: bool) -> Option<String> {
        let pool = &self.certificate.program.pool;
        let width = pool.sort(term).width()?;
        let ty = c_type(width, signed)?;
        if let Some(Value::Bv(bits)) = pool.as_const(term) {
            let (signed_value, unsigned_value) = (bits.as_i64(), bits.as_u64());
            return match signed {
                true if signed_value == i64::MIN || signed_value == i64::from(i32::MIN) => None,
                true => Some(signed_value.to_string()),
                false => Some(format!("{unsigned_value}{}", if width == 64 { "UL" } else { "U" })),
            };
        }
        let text = self.number(term)?;
        if self.reader == Reader::Person || self.is_signed(term) == Some(signed) && width >= 32 {
            return Some(text);
        }
        Some(format!("({ty}){}", enclosed(&text)))
    }

    /// A number of its width; what sign it has the reader must not care about.
    fn number(&self, term: TermId) -> Option<String> {
        let pool = &self.certificate.program.pool;
        let width = pool.sort(term).width()?;
        let plain = |arg: &TermId| self.as_type(*arg, false).map(|text| enclosed(&text));
        match pool.node(term) {
            Node::Const(_) => self.as_type(term, true),
            Node::Var(var) => self.name(*var),
            Node::App { op, args } => {
                let sign = match op {
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Mul => "*",
                    Op::BvAnd => "&",
                    Op::BvOr => "|",
                    Op::BvXor => "^",
                    Op::Neg | Op::BvNot => {
                        let sign = if *op == Op::Neg { "-" } else { "~" };
                        return Some(self.cut(format!("{sign}{}", plain(&args[0])?), width));
                    }
                    Op::Ite => {
                        let (yes, no) = (self.as_type(args[1], true)?, self.as_type(args[2], true)?);
                        return Some(format!("({} ? {yes} : {no})", enclosed(&self.truth(args[0])?)));
                    }
                    Op::ZeroExtend(_) => return self.as_type(args[0], false),
                    Op::SignExtend(_) => return self.as_type(args[0], true),
                    Op::Extract { lo: 0, .. } => return self.number(args[0]).map(|text| self.cut(text, width)),
                    _ => return None,
                };
                let args: Option<Vec<String>> = args.iter().map(plain).collect();
                Some(self.cut(args?.join(&format!(" {sign} ")), width))
            }
        }
    }

    /// The last bits of a number; persons are not bothered with it.
    fn cut(&self, text: String, width: u32) -> String {
        match c_type(width, false) {
            Some(ty) if self.reader != Reader::Person => format!("({ty})({text})"),
            _ => text,
        }
    }

    /// What the reader calls a variable.
    fn name(&self, var: VarId) -> Option<String> {
        let program = &self.certificate.program;
        let is_c = |name: &str| {
            !name.starts_with("__") && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.is_empty()
        };
        match self.cells.get(&var) {
            None if var.index() >= program.vars.len() || program.var(var).scope != Scope::Global => None,
            None => {
                let name = program.pool.var_name(var);
                (is_c(name) && self.has_name(name, program.var(var).span)).then(|| name.to_string())
            }
            Some(CellName::Result(_)) => None,
            Some(CellName::Own(thread, own)) => {
                let variable = program.var(*own);
                let name = program.pool.var_name(*own);
                let is_there = !program.sources.is_model(variable.span) && self.has_name(name, variable.span);
                if variable.is_temporary || !is_c(name) || !is_there {
                    return None;
                }
                match self.reader {
                    Reader::Person if *thread == 0 => Some(format!("main.{name}")),
                    Reader::Person => Some(format!("T{thread}.{name}")),
                    Reader::Thread(reader) => (reader == *thread).then(|| name.to_string()),
                }
            }
            Some(CellName::Bytes(address, length)) => {
                let contains = |object: &&ir::Object| *address >= object.base && address - object.base < object.size;
                let object = program.objects.iter().find(contains).filter(|object| is_c(&object.name))?;
                if program.sources.is_model(object.span) || !self.has_name(&object.name, object.span) {
                    return None;
                }
                match (self.reader, object.size == *length) {
                    (_, true) => Some(object.name.clone()),
                    (Reader::Person, false) => Some(format!("{}+{}", object.name, address - object.base)),
                    (Reader::Thread(_), false) => None,
                }
            }
        }
    }

    fn format(&self, var: VarId) -> Option<Format> {
        let program = &self.certificate.program;
        match self.cells.get(&var) {
            Some(CellName::Own(_, own)) => Some(program.var(*own).format),
            Some(_) => None,
            None => (var.index() < program.vars.len()).then(|| program.var(var).format),
        }
    }
}

/// The type of a number of some bits.
fn c_type(width: u32, signed: bool) -> Option<&'static str> {
    Some(match (width, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned int",
        (64, true) => "long long",
        (64, false) => "unsigned long long",
        _ => return None,
    })
}

/// In brackets, unless it is one word.
fn enclosed(text: &str) -> String {
    let is_word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
    if is_word { text.to_string() } else { format!("({text})") }
}
