//! `printf` and its like: what they read, and what they make.
//!
//! A format that is a literal is taken apart here. Printing reads what `%s` points to and writes through `%n`; numbers cost nothing.
//! Where the text or its length matters (`sprintf`, `snprintf`, a result that is used, `%n`), it is made exactly (`texts`). What cannot be
//! made exactly (floating-point numbers that are not constants) is refused at its place.

use super::formats::{self, Conversion, Count, Piece, Size};
use super::texts::Given;
use crate::c::lower::body::Body;
use crate::c::lower::calls::families::{Printer, Sink};
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind};
use ir::{Op, Order};
use logic::{BitVec, Scalar, Sort, TermId, Value};

impl Body<'_, '_> {
    /// Calls a function of the family.
    pub(in crate::c::lower) fn print_call(
        &mut self,
        expr: &Expr,
        name: &str,
        printer: Printer,
        args: &[Expr],
        is_wanted: bool,
    ) -> Option<TermId> {
        let Some(format) = args.get(printer.format) else {
            self.unsupported(&format!("`{name}` without a format"));
            return None;
        };
        let only_sign = self.needs_only_sign(expr);
        let before: Vec<Option<TermId>> = args[..printer.format].iter().map(|arg| self.print_argument(arg)).collect();
        let mut stream = None;
        if let Sink::Stream(index) = printer.sink {
            stream = before[index].map(|stream| self.kept(stream));
            if let Some(stream) = stream.filter(|_| !self.is_standard_stream(&args[index])) {
                self.call_model("use_stream", vec![stream], false);
            }
        }
        let rest = &args[printer.format + 1..];
        let text = formats::literal(format).map(|bytes| match printer.is_wide {
            true => bytes.iter().copied().step_by(4).collect(),
            false => bytes.to_vec(),
        });
        let pieces = match text.as_ref().map(|text| formats::pieces(formats::before_end(text), false)) {
            Some(Some(pieces)) => Some(pieces),
            Some(None) => {
                self.unsupported(&format!("this format of `{name}`"));
                return None;
            }
            None => None,
        };
        let format = match pieces {
            Some(_) => self.word(0),
            None => self.eval(format),
        };
        let values: Vec<Option<TermId>> = rest.iter().map(|arg| self.print_argument(arg)).collect();
        let given = || Given { args: rest.iter(), values: values.clone().into_iter() };
        let Some(pieces) = pieces else {
            let value = self.print_unknown_format(expr, name, printer, format, &before, is_wanted);
            return self.print_noted(name, printer, stream, value);
        };
        let stores_count = pieces.iter().any(|piece| matches!(piece, Piece::Conversion(c) if c.letter == b'n'));
        let outside = matches!(printer.sink, Sink::Stream(_) | Sink::Outside);
        if outside && !stores_count && (!is_wanted || only_sign && makes_something(&pieces)) {
            self.print_reads(name, &pieces, given());
            if !is_wanted {
                self.print_unseen();
            }
            let one = self.pool().bv(32, 1);
            let value = is_wanted.then(|| self.call_model("or_negative", vec![one], true)).flatten();
            return self.print_noted(name, printer, stream, value);
        }
        let zero = self.word(0);
        let (to, room) = match printer.sink {
            Sink::Stream(_) | Sink::Outside | Sink::Block => (zero, zero),
            Sink::Memory => (before[0]?, self.all_ones()),
            Sink::Limited => {
                let room = before[1]?;
                let (bits, signed) = (self.word_bits(), is_signed(self.types(), args[1].ty.ty));
                (before[0]?, self.pool().resize(room, signed, bits))
            }
        };
        let mut result = self.make_text(name, &pieces, given(), to, room)?;
        if printer.sink == Sink::Block {
            let (pointer, bits) = (before[0]?, self.word_bits());
            let length = self.pool().resize(result, false, bits);
            let one = self.word(1);
            let size = self.pool().add(length, one);
            let block = self.call_model("malloc", vec![size], true)?;
            self.emit(Op::Store { place: Self::memory(pointer, Scalar::Bv(bits)), value: block, order: Order::Plain });
            let everything = self.all_ones();
            result = self.make_text(name, &pieces, given(), block, everything)?;
        }
        if outside {
            result = self.call_model("or_negative", vec![result], true)?;
            self.print_noted(name, printer, stream, Some(result));
        }
        is_wanted.then_some(result)
    }

    /// A stream that is printed to may say that this failed, where the program asks; if the result is not known it may have.
    pub(super) fn print_noted(
        &mut self,
        name: &str,
        printer: Printer,
        stream: Option<TermId>,
        result: Option<TermId>,
    ) -> Option<TermId> {
        if !self.lw.facts.uses("ferror") || !self.is_reachable() {
            return result;
        }
        let result = result.map(|result| self.kept(result));
        let outcome = result.unwrap_or_else(|| self.pool().constant(Value::Bv(BitVec::ones(32))));
        match (printer.sink, stream) {
            (Sink::Stream(_), Some(stream)) => {
                self.call_model("note_printed", vec![stream, outcome], false);
            }
            // They write to files and logs.
            (Sink::Outside, _) if name.contains("dprintf") || name.contains("syslog") => {}
            (Sink::Outside, _) if name.contains("warn") || name.contains("err") => {
                self.call_model("note_printed_as_error", vec![outcome], false);
            }
            (Sink::Outside, _) => {
                self.call_model("note_printed_out", vec![outcome], false);
            }
            _ => {}
        }
        result
    }

    /// Something is printed, and nobody looks at the result: a thread may end there, if it was cancelled.
    fn print_unseen(&mut self) {
        if self.lw.facts.uses("pthread_cancel") {
            self.call_model("may_wait_or_not", Vec::new(), false);
        }
        self.lw.note_unseen_output();
    }

    /// A format that is known only when it runs: conversions that touch memory are refused there.
    fn print_unknown_format(
        &mut self,
        expr: &Expr,
        name: &str,
        printer: Printer,
        format: TermId,
        before: &[Option<TermId>],
        is_wanted: bool,
    ) -> Option<TermId> {
        let zero = self.word(0);
        if printer.is_wide || printer.sink == Sink::Block {
            self.unsupported(&format!("`{name}` with a format that is not a literal"));
            return None;
        }
        let (to, room) = match printer.sink {
            Sink::Stream(_) | Sink::Outside | Sink::Block => {
                if !is_wanted || self.needs_only_sign(expr) {
                    let touches = self.call_model("read_format", vec![format], true)?;
                    let touches = self.truth(touches);
                    self.refuse_if(
                        touches,
                        &format!("`{name}` with a format that is not a literal and says what memory to touch"),
                    );
                    let some = self.havoc(Sort::Bv(32), ir::HavocKind::Choice);
                    return is_wanted.then_some(some);
                }
                (zero, zero)
            }
            Sink::Memory => (before[0]?, self.all_ones()),
            Sink::Limited => (before[0]?, before[1]?),
        };
        let length = self.call_model("put_format", vec![to, room, zero, format], true)?;
        let length = self.kept(length);
        let refused = self.all_ones();
        let is_refused = self.pool().eq(length, refused);
        self.refuse_if(is_refused, &format!("`{name}` with a format that is not a literal and has conversions"));
        let length = self.call_model("put_end", vec![to, room, length], true)?;
        match printer.sink {
            Sink::Memory | Sink::Limited => is_wanted.then_some(length),
            _ => self.call_model("or_negative", vec![length], true),
        }
    }

    /// Leaves what is modelled if something holds.
    pub(super) fn refuse_if(&mut self, holds: TermId, what: &str) {
        let (yes, no) = (self.new_loc(), self.new_loc());
        self.branch_on(holds, yes, no);
        self.resume_at(yes);
        if self.is_reachable() {
            self.fail(ir::CheckKind::Unsupported(what.into()));
        }
        self.resume_at(no);
    }

    /// An argument, evaluated; records and literals have no value that matters.
    fn print_argument(&mut self, arg: &Expr) -> Option<TermId> {
        if self.is_record(arg.ty.ty) || self.scalar(arg.ty.ty).is_none() {
            self.discard(arg);
            return None;
        }
        Some(self.eval(arg))
    }

    /// Whether an argument names `stdout` or another stream that is always there.
    pub(in crate::c::lower) fn is_standard_stream(&self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Cast(inner) | ExprKind::Load(inner) => self.is_standard_stream(inner),
            ExprKind::Symbol(symbol) => {
                let reference = crate::c::lower::context::SymbolRef { unit: self.unit, symbol: *symbol };
                crate::c::lower::calls::library::OPAQUE_POINTERS.contains(&self.lw.symbol(reference).name.as_str())
            }
            _ => false,
        }
    }

    /// Reads what printing reads.
    fn print_reads(&mut self, name: &str, pieces: &[Piece], mut given: Given<'_>) {
        for piece in pieces {
            let Piece::Conversion(conversion) = piece else { continue };
            if conversion.width == Some(Count::Star) && given.next().is_none() {
                return self.too_few_arguments(name);
            }
            let limit = match conversion.precision {
                Some(Count::Star) => match given.next() {
                    Some((arg, Some(value))) => {
                        let (bits, signed) = (self.word_bits(), is_signed(self.types(), arg.ty.ty));
                        // A negative precision is none; as a word it is more than any text has.
                        Some(self.pool().resize(value, signed, bits))
                    }
                    _ => return self.too_few_arguments(name),
                },
                Some(Count::Number(number)) => Some(self.word(number)),
                None => None,
            };
            if conversion.letter == b'm' {
                continue;
            }
            let Some((arg, value)) = given.next() else {
                return self.too_few_arguments(name);
            };
            if conversion.letter != b's' {
                self.check_letter(name, conversion);
                continue;
            }
            let Some(text) = self.text_argument(name, conversion, arg, value) else { return };
            match limit {
                None if formats::literal(arg).is_some() => {}
                None => {
                    self.call_model("read_text", vec![text], false);
                }
                Some(limit) => {
                    self.call_model("read_text_up_to", vec![text, limit], false);
                }
            }
        }
    }

    fn check_letter(&mut self, name: &str, conversion: &Conversion) {
        let letter = char::from(conversion.letter);
        let is_known = "diouxXcpeEfFgGaA".contains(letter);
        if !is_known || letter == 'c' && conversion.size != Size::Int {
            self.refuse_conversion(name, letter);
        }
    }

    pub(super) fn refuse_conversion(&mut self, name: &str, letter: char) {
        self.unsupported(&format!("`%{}` in a format of `{name}`", letter.escape_default()));
    }

    pub(super) fn too_few_arguments(&mut self, name: &str) {
        self.unsupported(&format!("`{name}` with fewer arguments than its format asks for"));
    }

    /// The address of the text that `%s` prints.
    pub(super) fn text_argument(
        &mut self,
        name: &str,
        conversion: &Conversion,
        arg: &Expr,
        value: Option<TermId>,
    ) -> Option<TermId> {
        if conversion.size != Size::Int {
            self.unsupported(&format!("a text of wide characters in a format of `{name}`"));
            return None;
        }
        if !self.types().is_pointer(arg.ty.ty) {
            self.unsupported(&format!("`%s` of something that is not a pointer in a format of `{name}`"));
            return None;
        }
        value
    }

    pub(super) fn all_ones(&mut self) -> TermId {
        self.word(u64::MAX >> (64 - self.word_bits()))
    }
}

/// Whether a text has at least one character, whatever the arguments are.
fn makes_something(pieces: &[Piece]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Text(_) | Piece::Space => true,
        Piece::Conversion(conversion) => {
            b"diuxXoeEfFgGp".contains(&conversion.letter) && conversion.precision.is_none()
        }
    })
}
