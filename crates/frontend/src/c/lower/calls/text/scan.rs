//! `scanf` and its like: what they write.
//!
//! `sscanf` of a text is exact: the functions of `models/format.c` find where each conversion ends and what it says. From a stream
//! anything may come: how many conversions succeed is up to the outside, and each stores an input that it can make.

use super::formats::{self, Conversion, Count, Piece};
use crate::c::lower::body::Body;
use crate::c::lower::calls::families::Source;
use crate::c::typed::Expr;
use crate::c::types::TypeId;
use ir::{HavocKind, LocId, Op, Order};
use logic::{BitVec, Scalar, Sort, TermId, Value, VarId};

/// A scan under way.
struct Scan {
    /// Where the text goes on; none of a stream.
    at: Option<VarId>,
    start: Option<TermId>,
    /// What is returned, an `int`.
    result: VarId,
    n_stored: u64,
    end: LocId,
}

impl Body<'_, '_> {
    pub(in crate::c::lower) fn scan_call(&mut self, name: &str, source: Source, args: &[Expr], ty: TypeId) -> TermId {
        let first = if source == Source::Outside { 1 } else { 2 };
        let format = args.get(first - 1).and_then(formats::literal).map(formats::before_end);
        let Some(pieces) = format.and_then(|format| formats::pieces(format, true)) else {
            self.unsupported(&format!("`{name}` with a format that is not a literal, or that is malformed"));
            return self.some_value(ty);
        };
        let from = self.eval(&args[0]);
        let from = self.kept(from);
        if source == Source::Stream && !self.is_standard_stream(&args[0]) {
            self.call_model("use_stream", vec![from], false);
        }
        let is_seen = ["pthread_cancel", "__errno_location"].iter().any(|name| self.lw.facts.uses(name));
        if source != Source::Text && is_seen {
            self.call_model("may_fail_to_scan", Vec::new(), false);
        }
        let targets: Vec<TermId> = args.iter().skip(first).map(|arg| self.eval(arg)).collect();
        let word = Sort::Bv(self.word_bits());
        let result = self.temporary(Sort::Bv(32));
        let nothing = self.pool().constant(Value::Bv(BitVec::ones(32)));
        self.assign(result, nothing);
        let at = (source == Source::Text).then(|| self.temporary(word));
        if let Some(at) = at {
            self.assign(at, from);
        }
        let end = self.new_loc();
        let mut scan = Scan { at, start: at.map(|_| from), result, n_stored: 0, end };
        let mut targets = targets.into_iter();
        for piece in &pieces {
            match piece {
                Piece::Space => self.scan_spaces(&scan),
                Piece::Text(text) => text.iter().for_each(|byte| self.scan_byte(&scan, *byte)),
                Piece::Conversion(conversion) => {
                    if self.scan_conversion(name, conversion, &mut targets, &mut scan).is_none() {
                        break;
                    }
                }
            }
        }
        if scan.n_stored == 0 && self.is_reachable() {
            let zero = self.pool().bv(32, 0);
            self.assign(scan.result, zero);
        }
        self.enter(end);
        if source != Source::Text && ["feof", "ferror"].iter().any(|name| self.lw.facts.uses(name)) {
            let outcome = self.var(result);
            match source {
                Source::Stream => self.call_model("note_scanned", vec![from, outcome], false),
                _ => self.call_model("note_scanned_in", vec![outcome], false),
            };
        }
        self.var(result)
    }

    fn scan_spaces(&mut self, scan: &Scan) {
        if let Some(at) = scan.at {
            let here = self.var(at);
            if let Some(next) = self.call_model("skip_spaces", vec![here], true) {
                self.assign_last(at, next);
            }
        }
    }

    /// The text must go on with a byte; of a stream the next conversion may fail for that.
    fn scan_byte(&mut self, scan: &Scan, byte: u8) {
        let Some(at) = scan.at else { return };
        let here = self.var(at);
        let found = self.load_place(Self::memory(here, Scalar::Bv(8)), Order::Plain);
        let byte = self.pool().bv(8, u64::from(byte));
        let is_same = self.pool().eq(found, byte);
        self.scan_must(scan, is_same, Some(found));
        let next = self.add_offset(here, 1);
        self.assign(at, next);
    }

    /// Goes on if something holds. Otherwise the scan ends; before anything was stored it tells the end of input from other failures.
    fn scan_must(&mut self, scan: &Scan, holds: TermId, found: Option<TermId>) {
        let (good, bad) = (self.new_loc(), self.new_loc());
        self.branch_on(holds, good, bad);
        self.resume_at(bad);
        if scan.n_stored == 0 {
            let is_end = match found {
                Some(found) => {
                    let is_there = self.truth(found);
                    self.pool().not(is_there)
                }
                None => {
                    let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                    self.truth(bit)
                }
            };
            let (none, zero) = (self.pool().constant(Value::Bv(BitVec::ones(32))), self.pool().bv(32, 0));
            let value = self.pool().ite(is_end, none, zero);
            self.assign(scan.result, value);
        }
        self.goto(scan.end);
        self.resume_at(good);
    }

    fn scan_conversion(
        &mut self,
        name: &str,
        conversion: &Conversion,
        targets: &mut std::vec::IntoIter<TermId>,
        scan: &mut Scan,
    ) -> Option<()> {
        let letter = char::from(conversion.letter);
        let width = match conversion.width {
            Some(Count::Number(width)) => Some(width),
            _ => None,
        };
        if "sc[".contains(letter) && conversion.size != formats::Size::Int {
            self.unsupported(&format!("`%{letter}` of this size in a format of `{name}`"));
            return None;
        }
        let mut target = None;
        if !conversion.is_dropped {
            target = targets.next();
            if target.is_none() {
                self.unsupported(&format!("`{name}` with fewer arguments than its format asks for"));
                return None;
            }
        }
        if letter == 'n' {
            let bits = self.size_bits(name, conversion.size)?;
            let count = match (scan.at, scan.start) {
                (Some(at), Some(start)) => {
                    let here = self.var(at);
                    self.pool().sub(here, start)
                }
                _ => self.havoc(Sort::Bv(64), HavocKind::Input),
            };
            let value = self.pool().resize(count, false, bits);
            self.store_scanned(target?, Scalar::Bv(bits), value);
            return Some(());
        }
        if !"c[".contains(letter) {
            self.scan_spaces(scan);
        }
        match scan.at {
            Some(at) => self.scan_text(name, conversion, width, at, target, scan)?,
            None => self.scan_input(name, conversion, width, target, scan)?,
        }
        if target.is_some() {
            scan.n_stored += 1;
            let count = self.pool().bv(32, scan.n_stored);
            self.assign(scan.result, count);
        }
        Some(())
    }

    fn store_scanned(&mut self, addr: TermId, sort: Scalar, value: TermId) {
        self.emit(Op::Store { place: Self::memory(addr, sort), value, order: Order::Plain });
    }

    /// A conversion of a text.
    fn scan_text(
        &mut self,
        name: &str,
        conversion: &Conversion,
        width: Option<u64>,
        at: VarId,
        target: Option<TermId>,
        scan: &Scan,
    ) -> Option<()> {
        let here = self.var(at);
        let all = self.word(width.unwrap_or(u64::MAX >> (64 - self.word_bits())));
        let base = base_of(conversion.letter);
        let end = match (conversion.letter, &conversion.set, base) {
            (b's', ..) => self.call_model("word_end", vec![here, all], true)?,
            (b'c', ..) => {
                let width = self.word(width.unwrap_or(1));
                self.call_model("chars_end", vec![here, width], true)?
            }
            (b'[', Some((set, is_other)), _) => {
                let (set, is_other) = self.set_terms(set, *is_other);
                self.call_model("set_end", vec![here, set, is_other, all], true)?
            }
            (_, _, Some(base)) => {
                let base = self.pool().bv(32, base);
                self.call_model("number_end", vec![here, base, all], true)?
            }
            _ => {
                self.unsupported(&format!(
                    "`%{}` in a format of `{name}`",
                    char::from(conversion.letter).escape_default()
                ));
                return None;
            }
        };
        let end = self.kept(end);
        let is_found = self.pool().ne(end, here);
        let found = self.load_place(Self::memory(here, Scalar::Bv(8)), Order::Plain);
        let found = self.kept(found);
        self.scan_must(scan, is_found, Some(found));
        if let Some(target) = target {
            match (conversion.letter, base) {
                (b's' | b'[', _) => {
                    self.call_model("take_text", vec![target, here, end], false);
                }
                (b'c', _) => {
                    self.call_model("take_chars", vec![target, here, end], false);
                }
                (letter, base) => {
                    let bits = self.size_bits(name, conversion.size)?;
                    let most = u64::MAX >> (64 - bits);
                    let is_signed = matches!(letter, b'd' | b'i');
                    let (most, least) = if is_signed { (most >> 1, (most >> 1) + 1) } else { (most, most) };
                    let (base, most, least) =
                        (self.pool().bv(32, base?), self.pool().bv(64, most), self.pool().bv(64, least));
                    // What a number is that does not fit, C leaves open.
                    let is_bounded = self.pool().bv(32, 0);
                    let args = vec![here, end, base, most, least, is_bounded];
                    let value = self.call_model("number_value", args, true)?;
                    let value = self.pool().resize(value, false, bits);
                    self.store_scanned(target, Scalar::Bv(bits), value);
                }
            }
        }
        self.assign(at, end);
        Some(())
    }

    fn set_terms(&mut self, set: &[u8], is_other: bool) -> (TermId, TermId) {
        let mut bytes = set.to_vec();
        bytes.push(0);
        let object = self.lw.string_object(&bytes, self.span);
        (self.lw.address_of(object), self.pool().bv(32, u64::from(is_other)))
    }

    /// A conversion of what comes from outside.
    fn scan_input(
        &mut self,
        name: &str,
        conversion: &Conversion,
        width: Option<u64>,
        target: Option<TermId>,
        scan: &Scan,
    ) -> Option<()> {
        let goes_on = self.havoc(Sort::Bv(1), HavocKind::Choice);
        let goes_on = self.truth(goes_on);
        self.scan_must(scan, goes_on, None);
        let target = match target {
            Some(target) => target,
            None => return Some(()),
        };
        let all = self.word(width.unwrap_or(u64::MAX >> (64 - self.word_bits())));
        match (conversion.letter, &conversion.set) {
            (b's', _) => {
                self.call_model("input_word", vec![target, all], false);
            }
            (b'c', _) => {
                let width = self.word(width.unwrap_or(1));
                self.call_model("input_bytes", vec![target, width], false);
            }
            (b'[', Some((set, is_other))) => {
                let (set, is_other) = self.set_terms(set, *is_other);
                self.call_model("input_set", vec![target, set, is_other, all], false);
            }
            (b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A', _) => {
                let sort = match conversion.size {
                    formats::Size::Int => Scalar::F32,
                    formats::Size::Long => Scalar::F64,
                    _ => {
                        self.unsupported(&format!("a `long double` in a format of `{name}`"));
                        return None;
                    }
                };
                let value = self.havoc(sort.into(), HavocKind::Input);
                self.store_scanned(target, sort, value);
            }
            (letter, _) if base_of(letter).is_some() => {
                let bits = self.size_bits(name, conversion.size)?;
                let value = self.havoc(Sort::Bv(bits), HavocKind::Input);
                let value = self.within_width(value, bits, letter, width);
                self.store_scanned(target, Scalar::Bv(bits), value);
            }
            (letter, _) => {
                self.unsupported(&format!("`%{}` in a format of `{name}`", char::from(letter).escape_default()));
                return None;
            }
        }
        Some(())
    }

    /// A number of so many characters, a sign among them, is small. One without a sign may be read with a minus all the same, and is then what that wraps to.
    fn within_width(&mut self, value: TermId, bits: u32, letter: u8, width: Option<u64>) -> TermId {
        let limit = width.and_then(|width| limit_of(letter, width));
        let Some(limit) = limit.filter(|limit| limit.ilog2() + 1 < bits) else { return value };
        let below = width.and_then(|width| limit_of(letter, width - 1)).unwrap_or(1);
        let (most, least) = (self.pool().bv(bits, limit), self.pool().bv(bits, below.wrapping_neg()));
        let (above, below) = (self.pool().slt(least, value), self.pool().slt(value, most));
        let small = self.pool().and(above, below);
        self.assume(small);
        value
    }
}

/// What no number of so many characters reaches. `%i` reads the bases that C's constants have; those of sixteen have two characters before their digits, which `%x` may do without.
fn limit_of(letter: u8, width: u64) -> Option<u64> {
    let width = u32::try_from(width).ok()?;
    match base_of(letter)? {
        0 => Some(10u64.checked_pow(width)?.max(16u64.checked_pow(width.saturating_sub(2))?)),
        base => base.checked_pow(width),
    }
}

/// The base of the numbers that a conversion reads; 0 if they say it themselves.
fn base_of(letter: u8) -> Option<u64> {
    match letter {
        b'd' | b'u' => Some(10),
        b'i' => Some(0),
        b'x' | b'X' => Some(16),
        b'o' => Some(8),
        _ => None,
    }
}
