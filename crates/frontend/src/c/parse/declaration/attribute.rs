//! Attributes: `__attribute__((...))` and `[[...]]`.
//!
//! Most attributes advise the compiler's optimiser or its warnings and are dropped. Those that change what a
//! declaration means are kept, and those that do so in ways nothing here models are kept by name, to be refused.
//! Names are compared without the underscores around them.

use ir::Span;

use crate::c::ast::{Alignment, Attribute, AttributeKind, Expr, Name};
use crate::c::lex::{Keyword, Punct, TokenKind};
use crate::c::parse::{Failed, Parse, Parser};

impl Parser<'_> {
    pub(in crate::c::parse) fn is_attribute(&self) -> bool {
        self.is_keyword(Keyword::Attribute) || self.is_bracketed_attribute()
    }

    fn is_bracketed_attribute(&self) -> bool {
        self.is_punct(Punct::LeftBracket) && self.kind_ahead(1) == TokenKind::Punct(Punct::LeftBracket)
    }

    /// Parses any number of attribute lists into `out`.
    pub(in crate::c::parse) fn attributes(&mut self, out: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            if self.eat_keyword(Keyword::Attribute) {
                self.expect(Punct::LeftParen, "after `__attribute__`")?;
                self.expect(Punct::LeftParen, "after `__attribute__(`")?;
                self.attribute_list(Punct::RightParen, out)?;
                self.expect(Punct::RightParen, "to close the attributes")?;
                self.expect(Punct::RightParen, "to close the attributes")?;
            } else if self.is_bracketed_attribute() {
                self.bump();
                self.bump();
                self.attribute_list(Punct::RightBracket, out)?;
                self.expect(Punct::RightBracket, "to close the attributes")?;
                self.expect(Punct::RightBracket, "to close the attributes")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Attributes where none can matter.
    pub(in crate::c::parse) fn skip_attributes(&mut self) -> Parse<()> {
        self.attributes(&mut Vec::new())
    }

    fn attribute_list(&mut self, close: Punct, out: &mut Vec<Attribute>) -> Parse<()> {
        loop {
            while self.eat(Punct::Comma) {}
            if self.is_punct(close) {
                return Ok(());
            }
            let span = self.span();
            let mut word = self.attribute_word()?;
            if self.eat(Punct::ColonColon) {
                word = self.attribute_word()?;
            }
            let kind = self.attribute(&word)?;
            if self.is_punct(Punct::LeftParen) {
                self.skip_parentheses()?;
            }
            if let Some(kind) = kind {
                out.push(Attribute { kind, span });
            }
            if !self.is_punct(close) {
                self.expect(Punct::Comma, "between attributes")?;
            }
        }
    }

    /// An attribute's name without underscores around it; keywords such as `const` are names here too.
    fn attribute_word(&mut self) -> Parse<String> {
        match self.kind() {
            TokenKind::Identifier(_) | TokenKind::Keyword(_) => {
                let token = self.bump();
                let spelling = String::from_utf8_lossy(self.spelling(token)).into_owned();
                Ok(without_underscores(&spelling).to_string())
            }
            _ => Err(self.expected("the name of an attribute", "write an attribute such as `packed`")),
        }
    }

    /// The attribute called `word`, if it is one to keep; its arguments are consumed if they are.
    fn attribute(&mut self, word: &str) -> Parse<Option<AttributeKind>> {
        let has_arguments = self.is_punct(Punct::LeftParen);
        let kind = match word {
            "packed" => AttributeKind::Packed,
            "noreturn" | "Noreturn" | "_Noreturn" => AttributeKind::NoReturn,
            "weak" => AttributeKind::Weak,
            "transparent_union" => AttributeKind::TransparentUnion,
            "gnu_inline" => AttributeKind::GnuInline,
            "aligned" => AttributeKind::Aligned(self.optional_argument()?.map(Alignment::Expr)),
            "constructor" => AttributeKind::Constructor(self.optional_argument()?),
            "destructor" => AttributeKind::Destructor(self.optional_argument()?),
            "vector_size" if has_arguments => match self.optional_argument()? {
                Some(bytes) => AttributeKind::VectorSize(bytes),
                None => AttributeKind::Unmodelled(Name::new(word)),
            },
            "cleanup" if has_arguments => AttributeKind::Cleanup(self.name_argument()?.0),
            "mode" if has_arguments => {
                let (mode, _) = self.name_argument()?;
                AttributeKind::Mode(Name::new(without_underscores(&mode)))
            }
            "alias" if has_arguments => {
                self.bump();
                let symbol = self.string_text("the symbol to alias")?;
                self.expect(Punct::RightParen, "after the symbol")?;
                AttributeKind::Alias(symbol)
            }
            "address_space"
            | "enable_if"
            | "ext_vector_type"
            | "hardbool"
            | "ifunc"
            | "matrix_type"
            | "ms_struct"
            | "naked"
            | "neon_vector_type"
            | "overloadable"
            | "scalar_storage_order"
            | "weakref" => AttributeKind::Unmodelled(Name::new(word)),
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn optional_argument(&mut self) -> Parse<Option<Box<Expr>>> {
        if !self.eat(Punct::LeftParen) {
            return Ok(None);
        }
        if self.eat(Punct::RightParen) {
            return Ok(None);
        }
        let argument = self.nested(|parser| parser.conditional())?;
        self.expect(Punct::RightParen, "after the attribute's argument")?;
        Ok(Some(Box::new(argument)))
    }

    fn name_argument(&mut self) -> Parse<(Name, Span)> {
        self.bump();
        let (name, span) = self.expect_identifier("a name as the attribute's argument")?;
        self.expect(Punct::RightParen, "after the attribute's argument")?;
        Ok((self.name(name), span))
    }

    /// Skips `( ... )` with everything nested in it.
    fn skip_parentheses(&mut self) -> Parse<()> {
        let opened = self.span();
        let mut open = 0usize;
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::LeftParen) => open += 1,
                TokenKind::Punct(Punct::RightParen) => open -= 1,
                TokenKind::End => {
                    let failed: Failed = self.fail(opened, "this `(` is never closed", "add the matching `)`");
                    return Err(failed);
                }
                _ => {}
            }
            self.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }
}

fn without_underscores(word: &str) -> &str {
    match word.strip_prefix("__").and_then(|word| word.strip_suffix("__")) {
        Some(inner) if !inner.is_empty() => inner,
        _ => word,
    }
}
