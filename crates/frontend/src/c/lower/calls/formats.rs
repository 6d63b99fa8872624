//! Format strings: what `printf` and `scanf` do beyond printing and reading.
//!
//! Printing touches nothing that the program can see, except by `%n`. Reading stores inputs through the arguments: how many
//! conversions succeed is up to the outside, and each stores any value of the type that its argument points to.

use crate::c::lower::body::Body;
use crate::c::typed::{Expr, ExprKind};
use crate::c::types::{Type, TypeId};
use ir::{HavocKind, Op, Order};
use logic::{Sort, TermId};

/// Whether an argument is a format that stores how much was printed.
pub(in crate::c::lower) fn stores_count(arg: &Expr) -> bool {
    literal(arg).is_some_and(|format| conversions(format).contains(&'n'))
}

/// The bytes of a string literal under casts and decay.
fn literal(expr: &Expr) -> Option<&[u8]> {
    match &expr.kind {
        ExprKind::Decay(inner) | ExprKind::Cast(inner) | ExprKind::AddressOf(inner) => literal(inner),
        ExprKind::String(bytes) => Some(bytes),
        _ => None,
    }
}

/// The letters of the conversions in a format, those that store nothing (`%*d`) left out.
fn conversions(format: &[u8]) -> Vec<char> {
    let text = String::from_utf8_lossy(format).replace("%%", "");
    let mut letters = Vec::new();
    for spec in text.split('%').skip(1) {
        let is_skipped = spec.starts_with('*');
        let is_modifier = |c: char| c.is_ascii_digit() || "-+ #.*hlLqjzt'".contains(c);
        if let (Some(letter), false) = (spec.trim_start_matches(is_modifier).chars().next(), is_skipped) {
            letters.push(letter);
        }
    }
    letters
}

impl Body<'_, '_> {
    /// `scanf` and its kind; `first` is the first argument that is stored through.
    pub(in crate::c::lower) fn scan_call(&mut self, name: &str, args: &[Expr], first: usize, ty: TypeId) -> TermId {
        let format = args.get(first - 1).and_then(literal);
        let is_plain =
            format.is_some_and(|format| conversions(format).iter().all(|letter| "diuoxXcfgeEGp".contains(*letter)));
        if !is_plain {
            self.unsupported(&format!("`{name}` with a format other than numbers and characters"));
            return self.some_value(ty);
        }
        for arg in &args[..first.min(args.len())] {
            self.discard(arg);
        }
        let result = self.temporary(Sort::Bv(32));
        let minus_one = self.pool().constant(logic::Value::Bv(logic::BitVec::ones(32)));
        self.assign(result, minus_one);
        let end = self.new_loc();
        for (index, arg) in args.iter().skip(first).enumerate() {
            let stays = self.havoc(Sort::Bv(1), HavocKind::Choice);
            let stays = self.truth(stays);
            let next = self.new_loc();
            self.branch_on(stays, end, next);
            self.resume_at(next);
            self.store_input(name, arg);
            let count = self.pool().bv(32, index as u64 + 1);
            self.assign(result, count);
        }
        self.enter(end);
        self.var(result)
    }

    fn store_input(&mut self, name: &str, pointer: &Expr) {
        let mut inner = pointer;
        while let ExprKind::Cast(next) = &inner.kind {
            if !matches!(self.types().get(next.ty.ty), Type::Pointer(_)) {
                break;
            }
            inner = next;
        }
        let target = crate::c::lower::Lowering::pointee(self.types(), inner.ty.ty);
        let Some(scalar) = target.and_then(|target| self.scalar(target.ty)) else {
            return self.unsupported(&format!("`{name}` into something that is not a number"));
        };
        let addr = self.eval(pointer);
        let value = self.havoc(scalar.into(), HavocKind::Input);
        self.emit(Op::Store { place: Self::memory(addr, scalar), value, order: Order::Plain });
    }
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn conversions_are_found() {
        for (format, letters) in
            [("no conversion", ""), ("100%% of %d", "d"), ("%5.2f %-3s %lld %zu", "fsdu"), ("%*d %n", "n"), ("%", "")]
        {
            assert_eq!(conversions(format.as_bytes()).into_iter().collect::<String>(), letters, "{format}");
        }
    }
}
