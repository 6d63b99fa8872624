//! The initial state of a litmus test: `{ int x = 1; uint64_t 0:X3; 0:X1 = x; a[2] = {1, 2}; }`.
//!
//! An item declares a location or a register of a thread, or gives it a value, or both. Values are kept as written (`Value`) because a name
//! becomes an address only once all locations are known.

use super::lex::{Comments, Kind, Lexer, Source, Token, number};
use ir::{Diagnostic, Span};

/// How deep values may be nested, so that no text can exhaust the stack.
pub(super) const MAX_DEPTH: usize = 200;

/// A type, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) size: u8,
    pub(super) signed: bool,
}

/// What is declared or set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Initialised {
    /// A location; with a length if it is an array.
    Location { name: String, length: Option<usize> },
    /// An element of an array that was declared before.
    Element { name: String, index: usize },
    /// A register.
    Register { thread: u32, name: String },
}

/// A value as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Value {
    Number(u64),
    /// The address of a location and bytes to add.
    Address {
        name: String,
        offset: u64,
    },
    /// The address of an element.
    Element {
        name: String,
        index: u64,
    },
    /// What a location holds at first.
    Content {
        name: String,
    },
    /// The elements of an array.
    List(Vec<Value>),
}

/// One item.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Item {
    pub(super) kind: Option<Type>,
    pub(super) target: Initialised,
    pub(super) value: Option<Value>,
    pub(super) span: Span,
}

/// Reads `{ … }` from `start` on; also gives the place after it.
pub(super) fn read(source: &Source<'_>, start: usize) -> Result<(Vec<Item>, usize), Diagnostic> {
    let mut reader = Reader { source, lexer: Lexer::new(source.text, start, Comments::Starred), depth: 0 };
    reader.lexer.expect(source, "{")?;
    let mut items = Vec::new();
    loop {
        if reader.lexer.eat("}") {
            // Old tests end the initial state with `};`.
            reader.lexer.eat(";");
            return Ok((items, reader.lexer.at));
        }
        if reader.lexer.eat(";") {
            continue;
        }
        items.push(reader.item()?);
        if !reader.lexer.is_at("}") {
            reader.lexer.expect(source, ";")?;
        }
    }
}

/// The type that some words and stars of C spell, if they spell one.
pub(super) fn type_of(words: &[&str], n_stars: usize) -> Option<Type> {
    if n_stars > 0 {
        return Some(Type { size: 8, signed: false });
    }
    let mut kind = Type { size: 4, signed: true };
    let mut n_known = 0;
    for (index, word) in words.iter().enumerate() {
        let atomic = word.strip_prefix("atomic_").or_else(|| word.strip_prefix("atomic64_").map(|_| "llong"));
        let is_mixed = words.contains(&"long") || words.contains(&"short");
        let (size, signed) = match atomic.unwrap_or(word) {
            "const" | "volatile" | "_Atomic" | "struct" | "signed" => continue,
            "unsigned" => (kind.size, false),
            "char" | "int8_t" | "s8" => (1, kind.signed),
            "uint8_t" | "u8" | "_Bool" | "bool" => (1, false),
            "short" | "int16_t" | "s16" => (2, kind.signed),
            "uint16_t" | "u16" => (2, false),
            "int" => (if is_mixed { kind.size } else { 4 }, kind.signed),
            "int32_t" | "s32" | "spinlock_t" | "raw_spinlock_t" | "mutex_t" => (4, true),
            "uint32_t" | "u32" => (4, false),
            "long" | "int64_t" | "intptr_t" | "s64" | "ptrdiff_t" => (8, kind.signed),
            "uint64_t" | "uintptr_t" | "u64" | "size_t" | "void" => (8, false),
            "t" | "flag" if atomic.is_some() => (4, true),
            "uint" if atomic.is_some() => (4, false),
            "long_t" | "llong" if atomic.is_some() => (8, true),
            "ulong" | "ullong" if atomic.is_some() => (8, false),
            _ if index > 0 && words[index - 1] == "struct" => (8, true),
            _ => return None,
        };
        kind.size = size;
        kind.signed = signed;
        n_known += 1;
    }
    (n_known > 0).then_some(kind)
}

struct Reader<'a, 's> {
    source: &'s Source<'a>,
    lexer: Lexer<'a>,
    depth: usize,
}

impl<'a> Reader<'a, '_> {
    fn item(&mut self) -> Result<Item, Diagnostic> {
        let start = self.lexer.peek().map_or(self.lexer.at, |token| token.at);
        let kind = self.declared_type();
        let target = self.target()?;
        let value = if self.lexer.eat("=") { Some(self.value()?) } else { None };
        let span = self.source.span(start, self.lexer.at - start);
        // Without a type, `a[1] = 5` sets an element rather than declares an array.
        let target = match (target, &value) {
            (Initialised::Location { name, length: Some(index) }, Some(value))
                if kind.is_none() && !matches!(value, Value::List(_)) =>
            {
                Initialised::Element { name, index }
            }
            (target, _) => target,
        };
        Ok(Item { kind, target, value, span })
    }

    /// The words of a type: all but the last word before `=`, `;`, `[` or a thread's `:`.
    fn declared_type(&mut self) -> Option<Type> {
        let mut ahead = self.lexer.clone();
        let mut words: Vec<&str> = Vec::new();
        let mut n_stars = 0;
        let after_words = loop {
            let before = ahead.clone();
            let token = ahead.next()?;
            match (token.kind, token.text) {
                (Kind::Word, word) if thread_number(word, &ahead).is_none() => {
                    let is_last = !matches!(
                        ahead.peek(),
                        Some(Token { kind: Kind::Word | Kind::Number, .. }) | Some(Token { text: "*", .. })
                    );
                    if is_last {
                        break before;
                    }
                    words.push(word);
                }
                (Kind::Symbol, "*") if !words.is_empty() => n_stars += 1,
                _ => break before,
            }
        };
        if words.is_empty() {
            return None;
        }
        self.lexer = after_words;
        // An unknown type is an `int`: what matters of it is only its size.
        Some(type_of(&words, n_stars).unwrap_or(Type { size: 4, signed: true }))
    }

    fn target(&mut self) -> Result<Initialised, Diagnostic> {
        let bracketed = self.lexer.eat("[");
        self.lexer.eat("*");
        let token = self.lexer.token(self.source, "a location or a register")?;
        let thread = match token.kind {
            Kind::Number => number(token.text).and_then(|number| u32::try_from(number).ok()),
            Kind::Word => thread_number(token.text, &self.lexer),
            _ => None,
        };
        if let Some(thread) = thread {
            self.lexer.expect(self.source, ":")?;
            let name =
                register_name(&mut self.lexer).ok_or_else(|| self.source.complain(token, "expected a register"))?;
            return Ok(Initialised::Register { thread, name });
        }
        if token.kind != Kind::Word {
            return Err(self
                .source
                .complain(token, format!("expected a location or a register, found `{}`", token.text)));
        }
        let name = token.text.to_string();
        if bracketed {
            self.lexer.expect(self.source, "]")?;
            return Ok(Initialised::Location { name, length: None });
        }
        if self.lexer.eat("[") {
            let token = self.lexer.token(self.source, "a length")?;
            let length = number(token.text).and_then(|length| usize::try_from(length).ok());
            let length = length.ok_or_else(|| self.source.complain(token, "expected a number"))?;
            self.lexer.expect(self.source, "]")?;
            return Ok(Initialised::Location { name, length: Some(length) });
        }
        Ok(Initialised::Location { name, length: None })
    }

    fn value(&mut self) -> Result<Value, Diagnostic> {
        if self.depth == MAX_DEPTH {
            return Err(Diagnostic::unsupported(self.source.span(self.lexer.at, 1), "this is nested too deeply"));
        }
        self.depth += 1;
        let value = self.value_here();
        self.depth -= 1;
        value
    }

    fn value_here(&mut self) -> Result<Value, Diagnostic> {
        let token = self.lexer.token(self.source, "a value")?;
        match (token.kind, token.text) {
            (Kind::Symbol, "{") => {
                let mut values = Vec::new();
                while !self.lexer.eat("}") {
                    values.push(self.value()?);
                    if !self.lexer.is_at("}") {
                        self.lexer.expect(self.source, ",")?;
                    }
                }
                Ok(Value::List(values))
            }
            (Kind::Symbol, "-") => match self.value()? {
                Value::Number(value) => Ok(Value::Number(value.wrapping_neg())),
                _ => Err(self.source.complain(token, "only numbers have a sign")),
            },
            (Kind::Symbol, "&") => self.value(),
            (Kind::Symbol, "(") => {
                let value = self.value()?;
                self.lexer.expect(self.source, ")")?;
                Ok(value)
            }
            (Kind::Symbol, "*") => match self.value()? {
                Value::Address { name, offset: 0 } => Ok(Value::Content { name }),
                _ => Err(self.source.complain(token, "expected the name of a location")),
            },
            (Kind::Number, text) => {
                let value =
                    number(text).ok_or_else(|| self.source.complain(token, format!("`{text}` is not a number")))?;
                Ok(Value::Number(value))
            }
            (Kind::Word, "null" | "NULL") => Ok(Value::Number(0)),
            (Kind::Word, word) if self.lexer.is_at("(") => {
                self.lexer.expect(self.source, "(")?;
                let value = self.value()?;
                self.lexer.expect(self.source, ")")?;
                if word.ends_with("_INIT") || word.ends_with("_VAR_INIT") {
                    Ok(value)
                } else {
                    Err(Diagnostic::unsupported(
                        self.source.span(token.at, word.len()),
                        format!("initial values `{word}(…)` are not supported"),
                    ))
                }
            }
            (Kind::Word, word) => {
                let name = word.to_string();
                if self.lexer.eat("[") {
                    let token = self.lexer.token(self.source, "an index")?;
                    let index = number(token.text).ok_or_else(|| self.source.complain(token, "expected a number"))?;
                    self.lexer.expect(self.source, "]")?;
                    return Ok(Value::Element { name, index });
                }
                if self.lexer.eat("+") {
                    let token = self.lexer.token(self.source, "an offset")?;
                    let offset = number(token.text).ok_or_else(|| self.source.complain(token, "expected a number"))?;
                    return Ok(Value::Address { name, offset });
                }
                Ok(Value::Address { name, offset: 0 })
            }
            (_, text) => Err(self.source.complain(token, format!("expected a value, found `{text}`"))),
        }
    }
}

/// The number in `P1` if a `:` follows.
pub(super) fn thread_number(word: &str, after: &Lexer<'_>) -> Option<u32> {
    let number = word.strip_prefix('P')?.parse().ok()?;
    after.is_at(":").then_some(number)
}

/// A register after `0:`, which may be spelled with a sign in front.
pub(super) fn register_name(lexer: &mut Lexer<'_>) -> Option<String> {
    if lexer.is_at("%") {
        lexer.next();
    }
    let token = lexer.next()?;
    (token.kind == Kind::Word).then(|| token.text.to_string())
}
