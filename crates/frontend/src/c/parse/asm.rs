//! Inline assembly: kept as written, to be refused or recognised later.

use super::{Parse, Parser};
use crate::c::ast::{AsmOperand, AsmStatement};
use crate::c::lex::{Keyword, Punct, TokenKind};

impl Parser<'_> {
    /// From the keyword to the closing parenthesis.
    pub(super) fn asm(&mut self) -> Parse<AsmStatement> {
        self.bump();
        let (mut is_volatile, mut is_goto) = (false, false);
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Volatile) => is_volatile = true,
                TokenKind::Keyword(Keyword::Goto) => is_goto = true,
                TokenKind::Keyword(Keyword::Inline) => {}
                _ => break,
            }
            self.bump();
        }
        self.expect(Punct::LeftParen, "after `asm`")?;
        let mut asm = AsmStatement {
            template: self.string_text("the instructions")?,
            is_volatile,
            is_goto,
            is_basic: true,
            outputs: Vec::new(),
            inputs: Vec::new(),
            clobbers: Vec::new(),
            labels: Vec::new(),
        };
        let mut section = 0;
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::Colon) => section += 1,
                TokenKind::Punct(Punct::ColonColon) => section += 2,
                _ => break,
            }
            self.bump();
            asm.is_basic = false;
            match section {
                1 => asm.outputs = self.asm_operands()?,
                2 => asm.inputs = self.asm_operands()?,
                3 => {
                    while let TokenKind::String(_) = self.kind() {
                        asm.clobbers.push(self.string_text("a register")?);
                        self.eat(Punct::Comma);
                    }
                }
                _ => {
                    while let TokenKind::Identifier(label) = self.kind() {
                        self.bump();
                        asm.labels.push(self.name(label));
                        self.eat(Punct::Comma);
                    }
                }
            }
        }
        self.expect(Punct::RightParen, "to close the assembly")?;
        Ok(asm)
    }

    fn asm_operands(&mut self) -> Parse<Vec<AsmOperand>> {
        let mut operands = Vec::new();
        while matches!(self.kind(), TokenKind::String(_) | TokenKind::Punct(Punct::LeftBracket)) {
            let name = if self.eat(Punct::LeftBracket) {
                let (name, _) = self.expect_identifier("the operand's name")?;
                self.expect(Punct::RightBracket, "after the operand's name")?;
                Some(self.name(name))
            } else {
                None
            };
            let constraint = self.string_text("a constraint")?;
            self.expect(Punct::LeftParen, "after the constraint")?;
            let value = Box::new(self.separate(|p| p.nested(|p| p.expression()))?);
            self.expect(Punct::RightParen, "after the operand")?;
            operands.push(AsmOperand { name, constraint, value });
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        Ok(operands)
    }

    /// `asm("symbol")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<String>> {
        if !self.eat_keyword(Keyword::Asm) {
            return Ok(None);
        }
        self.expect(Punct::LeftParen, "after `asm`")?;
        let label = self.string_text("the symbol's name")?;
        self.expect(Punct::RightParen, "after the symbol's name")?;
        Ok(Some(label))
    }
}
