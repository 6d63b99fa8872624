//! The last lines of a litmus test: `locations [x; 0:r1;]`, `filter p`, and `exists p`, `~exists p` or `forall p`.
//!
//! Names are kept as written; `build` finds out what they stand for. A test without a condition asks `forall true`. The old form
//! `final p; with tso: ~exists; …` asks `exists p`.

use super::init::{MAX_DEPTH, Type, register_name, thread_number, type_of};
use super::lex::{Comments, Kind, Lexer, Source, Token, number};
use ir::litmus::Quantifier;
use ir::{Diagnostic, Span};

/// A part of the final state, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Register { thread: u32, name: String },
    Location { name: String, index: Option<u32> },
}

/// A condition, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Proposition {
    Constant(bool),
    Equal(Part, Right, Span),
    Not(Box<Proposition>),
    And(Vec<Proposition>),
    Or(Vec<Proposition>),
    Implies(Box<Proposition>, Box<Proposition>),
}

/// The right side of an equation, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Right {
    Number(u64),
    /// The address of a location, and bytes to add.
    Address {
        name: String,
        offset: u64,
    },
    /// The address of an element.
    Element {
        name: String,
        index: u64,
    },
    Part(Part),
}

/// What the test asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Question {
    pub(super) shown: Vec<(Part, Option<Type>, Span)>,
    pub(super) filter: Option<Proposition>,
    pub(super) quantifier: Quantifier,
    pub(super) condition: Proposition,
}

/// Whether a word begins the question.
pub(super) fn begins(lexer: &Lexer<'_>) -> bool {
    let mut ahead = lexer.clone();
    let Some(token) = ahead.next() else {
        return false;
    };
    match token.text {
        "exists" | "forall" | "final" | "filter" | "observed" => true,
        "locations" => ahead.is_at("["),
        "~" | "not" => ahead.is_at("exists"),
        _ => false,
    }
}

/// Reads the question from `start` to the end.
pub(super) fn read(source: &Source<'_>, start: usize) -> Result<Question, Diagnostic> {
    let mut reader = Reader { source, lexer: Lexer::new(source.text, start, Comments::Starred), depth: 0 };
    let mut question = Question {
        shown: Vec::new(),
        filter: None,
        quantifier: Quantifier::Forall,
        condition: Proposition::Constant(true),
    };
    loop {
        let Some(token) = reader.lexer.next() else {
            return Ok(question);
        };
        match token.text {
            "locations" => reader.locations(&mut question.shown)?,
            "filter" => question.filter = Some(reader.proposition()?),
            ";" => {}
            "forall" => {
                question.condition = reader.proposition()?;
                return reader.end(question);
            }
            "exists" | "final" => {
                question.quantifier = Quantifier::Exists;
                question.condition = reader.proposition()?;
                return reader.end(question);
            }
            "~" | "not" if reader.lexer.eat("exists") => {
                question.quantifier = Quantifier::NotExists;
                question.condition = reader.proposition()?;
                return reader.end(question);
            }
            text => {
                let message =
                    format!("expected `locations`, `filter`, `exists`, `~exists` or `forall`, found `{text}`");
                return Err(source.complain(token, message));
            }
        }
    }
}

struct Reader<'a, 's> {
    source: &'s Source<'a>,
    lexer: Lexer<'a>,
    depth: usize,
}

impl<'a> Reader<'a, '_> {
    /// After the condition only what old tools wrote may follow: it is not part of the question.
    fn end(mut self, question: Question) -> Result<Question, Diagnostic> {
        self.lexer.eat(";");
        match self.lexer.next() {
            None => Ok(question),
            Some(Token { text: "with" | "<<", .. }) => Ok(question),
            Some(token) => Err(self.source.complain(token, format!("`{}` after the condition", token.text))),
        }
    }

    fn locations(&mut self, shown: &mut Vec<(Part, Option<Type>, Span)>) -> Result<(), Diagnostic> {
        self.lexer.expect(self.source, "[")?;
        loop {
            if self.lexer.eat("]") {
                return Ok(());
            }
            if self.lexer.eat(";") {
                continue;
            }
            let start = self.lexer.peek().map_or(self.lexer.at, |token| token.at);
            let part = self.part()?;
            let mut words = Vec::new();
            let mut n_stars = 0;
            while let Some(token) = self.lexer.peek().filter(|token| token.kind == Kind::Word || token.text == "*") {
                if token.text == "*" {
                    n_stars += 1
                } else {
                    words.push(token.text)
                }
                self.lexer.next();
            }
            let span = self.source.span(start, self.lexer.at - start);
            shown.push((part, type_of(&words, n_stars), span));
            if !self.lexer.is_at("]") {
                self.lexer.expect(self.source, ";")?;
            }
        }
    }

    /// `=>` binds weakest, then `\/`, then `/\`.
    fn proposition(&mut self) -> Result<Proposition, Diagnostic> {
        let left = self.disjunction()?;
        let mut parts = vec![left];
        while self.lexer.eat("=>") {
            parts.push(self.disjunction()?);
        }
        // It is right-associative.
        let last = parts.pop().expect("there is at least one");
        Ok(parts.into_iter().rev().fold(last, |right, left| Proposition::Implies(Box::new(left), Box::new(right))))
    }

    fn disjunction(&mut self) -> Result<Proposition, Diagnostic> {
        let mut parts = vec![self.conjunction()?];
        while self.lexer.eat("\\/") {
            parts.push(self.conjunction()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Proposition::Or(parts) })
    }

    fn conjunction(&mut self) -> Result<Proposition, Diagnostic> {
        let mut parts = vec![self.negation()?];
        while self.lexer.eat("/\\") {
            parts.push(self.negation()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Proposition::And(parts) })
    }

    fn negation(&mut self) -> Result<Proposition, Diagnostic> {
        if self.depth == MAX_DEPTH {
            return Err(Diagnostic::unsupported(self.source.span(self.lexer.at, 1), "this is nested too deeply"));
        }
        self.depth += 1;
        let proposition = self.negation_here();
        self.depth -= 1;
        proposition
    }

    fn negation_here(&mut self) -> Result<Proposition, Diagnostic> {
        if self.lexer.eat("~") || self.lexer.eat("not") {
            return Ok(Proposition::Not(Box::new(self.negation()?)));
        }
        if self.lexer.eat("(") {
            let inner = self.proposition()?;
            self.lexer.expect(self.source, ")")?;
            return Ok(inner);
        }
        for (word, value) in [("true", true), ("false", false)] {
            if self.lexer.eat(word) {
                return Ok(Proposition::Constant(value));
            }
        }
        self.equation()
    }

    fn equation(&mut self) -> Result<Proposition, Diagnostic> {
        let start = self.lexer.peek().map_or(self.lexer.at, |token| token.at);
        let left = self.part()?;
        let token = self.lexer.token(self.source, "`=`")?;
        let is_different = match token.text {
            "=" | "==" => false,
            "!=" | "<>" => true,
            text => return Err(self.source.complain(token, format!("expected `=`, found `{text}`"))),
        };
        let right = self.right()?;
        let equation = Proposition::Equal(left, right, self.source.span(start, self.lexer.at - start));
        Ok(if is_different { Proposition::Not(Box::new(equation)) } else { equation })
    }

    fn part(&mut self) -> Result<Part, Diagnostic> {
        let token = self.lexer.token(self.source, "a location or a register")?;
        match token.kind {
            Kind::Number => {
                let thread = number(token.text).and_then(|number| u32::try_from(number).ok());
                let thread = thread.ok_or_else(|| self.source.complain(token, "expected the number of a thread"))?;
                self.register(thread, token)
            }
            Kind::Word if matches!(token.text, "fault" | "Fault") && self.lexer.is_at("(") => {
                let span = self.source.span(token.at, token.text.len());
                Err(Diagnostic::unsupported(span, "conditions about faults are not supported"))
            }
            Kind::Word => match thread_number(token.text, &self.lexer) {
                Some(thread) => self.register(thread, token),
                None => self.location(token.text),
            },
            _ if token.text == "[" => {
                let name = self.lexer.token(self.source, "a location")?;
                if name.kind != Kind::Word {
                    return Err(self.source.complain(name, "expected a location"));
                }
                let part = self.location(name.text)?;
                self.lexer.expect(self.source, "]")?;
                Ok(part)
            }
            _ if token.text == "*" => {
                let name = self.lexer.token(self.source, "a location")?;
                self.location(name.text)
            }
            _ => Err(self.source.complain(token, format!("expected a location or a register, found `{}`", token.text))),
        }
    }

    fn register(&mut self, thread: u32, token: Token<'_>) -> Result<Part, Diagnostic> {
        self.lexer.expect(self.source, ":")?;
        let name = register_name(&mut self.lexer).ok_or_else(|| self.source.complain(token, "expected a register"))?;
        Ok(Part::Register { thread, name })
    }

    fn location(&mut self, name: &str) -> Result<Part, Diagnostic> {
        let name = name.to_string();
        if !self.lexer.eat("[") {
            return Ok(Part::Location { name, index: None });
        }
        let token = self.lexer.token(self.source, "an index")?;
        let index = number(token.text).and_then(|index| u32::try_from(index).ok());
        let index = index.ok_or_else(|| self.source.complain(token, "expected a number"))?;
        self.lexer.expect(self.source, "]")?;
        Ok(Part::Location { name, index: Some(index) })
    }

    fn right(&mut self) -> Result<Right, Diagnostic> {
        let token = self.lexer.peek();
        if self.lexer.eat("-") {
            let token = self.lexer.token(self.source, "a number")?;
            let value = number(token.text).ok_or_else(|| self.source.complain(token, "expected a number"))?;
            return Ok(Right::Number(value.wrapping_neg()));
        }
        self.lexer.eat("&");
        let mut ahead = self.lexer.clone();
        let first = ahead.next();
        match first {
            Some(Token { kind: Kind::Number, text, .. }) if !ahead.is_at(":") => {
                self.lexer = ahead;
                match (number(text), token) {
                    (Some(value), _) => Ok(Right::Number(value)),
                    (None, Some(token)) => Err(self.source.complain(token, format!("`{text}` is not a number"))),
                    (None, None) => unreachable!("there is a token"),
                }
            }
            Some(Token { kind: Kind::Word, text: "null" | "NULL", .. }) => {
                self.lexer = ahead;
                Ok(Right::Number(0))
            }
            Some(Token { kind: Kind::Word, text, .. }) if thread_number(text, &ahead).is_none() => {
                self.lexer = ahead;
                self.address(text)
            }
            _ => Ok(Right::Part(self.part()?)),
        }
    }

    fn address(&mut self, name: &str) -> Result<Right, Diagnostic> {
        let name = name.to_string();
        if self.lexer.eat("[") {
            let token = self.lexer.token(self.source, "an index")?;
            let index = number(token.text).ok_or_else(|| self.source.complain(token, "expected a number"))?;
            self.lexer.expect(self.source, "]")?;
            return Ok(Right::Element { name, index });
        }
        if self.lexer.eat("+") {
            let token = self.lexer.token(self.source, "an offset")?;
            let offset = number(token.text).ok_or_else(|| self.source.complain(token, "expected a number"))?;
            return Ok(Right::Address { name, offset });
        }
        Ok(Right::Address { name, offset: 0 })
    }
}
