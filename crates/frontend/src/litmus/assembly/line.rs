//! An assembly instruction and its operands, as every dialect sees them.
//!
//! What differs between dialects in the plain cases is only how registers are called and which of them is always zero; a dialect says that in
//! its `Registers`, and gets registers, values, numbers and addresses from here, with complaints that point at the operand.

use super::columns::Piece;
use crate::litmus::coder::{Coder, constant, sum};
use crate::litmus::lex::number;
use ir::Diagnostic;
use ir::litmus::{Expr, Reg};

/// How a dialect calls its registers.
pub(in crate::litmus) struct Registers {
    /// The dialect, in complaints.
    pub(in crate::litmus) dialect: &'static str,
    /// The name under which a register is kept.
    pub(in crate::litmus) canonical: fn(&str) -> Option<String>,
    /// The kept name of the register that is always 0.
    pub(in crate::litmus) zero: &'static str,
}

/// An instruction that is being read.
pub(in crate::litmus) struct Line<'c, 'd, 'a> {
    pub(in crate::litmus) coder: &'c mut Coder<'d, 'a>,
    pub(in crate::litmus) registers: &'static Registers,
    pub(in crate::litmus) mnemonic: &'c Piece,
    pub(in crate::litmus) operands: &'c [Piece],
}

impl<'c> Line<'c, '_, '_> {
    /// The complaint that this instruction is not known.
    pub(in crate::litmus) fn refuse(&self) -> Diagnostic {
        let message = format!("the {} instruction `{}` is not supported", self.registers.dialect, self.mnemonic.text);
        self.coder.unsupported(self.mnemonic.at, self.mnemonic.text.len(), message)
    }

    /// A complaint about an operand.
    pub(in crate::litmus) fn complain(&self, piece: &Piece, message: impl Into<String>) -> Diagnostic {
        self.coder.error(piece.at, piece.text.len(), message)
    }

    /// An operand.
    pub(in crate::litmus) fn operand(&self, index: usize) -> Result<&'c Piece, Diagnostic> {
        self.operands.get(index).ok_or_else(|| {
            let message = format!("`{}` needs more than {index} operands", self.mnemonic.text);
            self.complain(self.mnemonic, message)
        })
    }

    /// Complains if there are more operands than these.
    pub(in crate::litmus) fn done(&self, n_operands: usize) -> Result<(), Diagnostic> {
        match self.operands.get(n_operands) {
            None => Ok(()),
            Some(extra) => Err(self.complain(extra, "one operand too many")),
        }
    }

    fn name(&self, piece: &Piece) -> Result<String, Diagnostic> {
        (self.registers.canonical)(&piece.text)
            .ok_or_else(|| self.complain(piece, format!("`{}` is not a register", piece.text)))
    }

    /// Whether an operand is a register.
    pub(in crate::litmus) fn is_register(&self, piece: &Piece) -> bool {
        (self.registers.canonical)(&piece.text).is_some()
    }

    /// A register to write; none if it is always 0.
    pub(in crate::litmus) fn target(&mut self, index: usize) -> Result<Option<Reg>, Diagnostic> {
        let name = self.name(self.operand(index)?)?;
        Ok((name != self.registers.zero).then(|| self.coder.register(&name)))
    }

    /// What a register holds.
    pub(in crate::litmus) fn value_of(&mut self, piece: &Piece) -> Result<Expr, Diagnostic> {
        let name = self.name(piece)?;
        Ok(if name == self.registers.zero { constant(0) } else { Expr::Reg(self.coder.register(&name)) })
    }

    /// What a register holds.
    pub(in crate::litmus) fn value(&mut self, index: usize) -> Result<Expr, Diagnostic> {
        self.value_of(self.operand(index)?)
    }

    /// A number, with a sign.
    pub(in crate::litmus) fn number_of(&self, piece: &Piece) -> Result<u64, Diagnostic> {
        signed_number(&piece.text).ok_or_else(|| self.complain(piece, format!("`{}` is not a number", piece.text)))
    }

    /// A number, with a sign.
    pub(in crate::litmus) fn immediate(&self, index: usize) -> Result<u64, Diagnostic> {
        self.number_of(self.operand(index)?)
    }

    /// Assigns, unless the register is always 0.
    pub(in crate::litmus) fn assign(&mut self, to: Option<Reg>, value: Expr) {
        if let Some(to) = to {
            self.coder.set(to, value);
        }
    }

    /// An address such as `8(r1)`.
    pub(in crate::litmus) fn displaced(&mut self, index: usize) -> Result<Expr, Diagnostic> {
        let piece = self.operand(index)?;
        let parts = piece.text.strip_suffix(')').and_then(|text| text.split_once('('));
        let Some((offset, base)) = parts else {
            return Err(self.complain(piece, "expected an address such as `0(r1)`"));
        };
        let base = Piece { text: base.trim().to_string(), at: piece.at + offset.len() + 1 };
        let offset = Piece { text: offset.trim().to_string(), at: piece.at };
        let offset = if offset.text.is_empty() { 0 } else { self.number_of(&offset)? };
        let base = if base.text == "0" { constant(0) } else { self.value_of(&base)? };
        Ok(sum(base, constant(offset)))
    }

    /// Jumps to the label that is an operand; always, or on a condition.
    pub(in crate::litmus) fn branch(&mut self, condition: Option<Expr>, label: usize) -> Result<(), Diagnostic> {
        let piece = self.operand(label)?;
        self.coder.branch(condition, &piece.text, piece.at);
        self.done(label + 1)
    }
}

/// A number, with a sign.
pub(in crate::litmus) fn signed_number(text: &str) -> Option<u64> {
    match text.trim().strip_prefix('-') {
        Some(digits) => number(digits.trim()).map(u64::wrapping_neg),
        None => number(text.trim()),
    }
}
