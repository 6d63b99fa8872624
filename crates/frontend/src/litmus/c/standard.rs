//! The atomics of C11.
//!
//! A read has the tags `A` and its order (`RLX CON ACQ SC`), a write `A` and `RLX REL SC`; the parts of a read-modify-write have the parts of its order, so that
//! `acq_rel` is an acquiring read and a releasing write. Functions without `_explicit` are sequentially consistent. A compare-exchange reads its
//! expected value from memory, plainly, and writes there, plainly, what it found if it fails; a weak one may fail without reason.

use super::super::coder::{constant, tags};
use super::ast::{Expr as Syntax, ExprKind};
use super::lower::Lowering;
use ir::Diagnostic;
use ir::litmus::{Binary, Expr, RmwKind};

/// A memory order, by the name of its set.
type OrderName = &'static str;

fn read_part(order: OrderName) -> OrderName {
    match order {
        "ACQ_REL" => "ACQ",
        "REL" => "RLX",
        other => other,
    }
}

fn write_part(order: OrderName) -> OrderName {
    match order {
        "ACQ_REL" => "REL",
        "ACQ" | "CON" => "RLX",
        other => other,
    }
}

impl Lowering<'_, '_, '_> {
    /// A call of a C11 function; its value if it has one.
    pub(super) fn standard_call(
        &mut self,
        call: &Syntax,
        name: &str,
        arguments: &[Syntax],
    ) -> Result<Option<Expr>, Diagnostic> {
        let (base, is_explicit) = match name.strip_suffix("_explicit") {
            Some(base) => (base, true),
            None => (name, false),
        };
        let n_values = match base {
            "atomic_load" => 1,
            "atomic_store" | "atomic_exchange" | "atomic_init" => 2,
            "atomic_thread_fence" => {
                self.count(call, name, arguments, 1)?;
                let order = self.order(&arguments[0])?;
                self.fence(tags(&[order]), None);
                return Ok(None);
            }
            "atomic_compare_exchange_strong" | "atomic_compare_exchange_weak" => {
                return self.compare_exchange_call(call, name, arguments, is_explicit).map(Some);
            }
            _ if fetch_operator(base).is_some() => 2,
            _ => {
                let message = format!("the function `{name}` is not supported in a litmus test");
                return Err(self.coder.unsupported(call.at, name.len(), message));
            }
        };
        self.count(call, name, arguments, n_values + usize::from(is_explicit))?;
        let order = if is_explicit { self.order(&arguments[n_values])? } else { "SC" };
        let address = self.value(&arguments[0])?;
        match base {
            "atomic_load" => Ok(Some(Expr::Reg(self.load(address, tags(&["A", order]))))),
            "atomic_store" | "atomic_init" => {
                let value = self.value(&arguments[1])?;
                let tags = if base == "atomic_init" { tags(&["NA"]) } else { tags(&["A", order]) };
                self.store(address, value, tags);
                Ok(None)
            }
            _ => {
                let operand = self.value(&arguments[1])?;
                let kind = match fetch_operator(base) {
                    Some(op) => RmwKind::Apply(op),
                    None => RmwKind::Swap,
                };
                let read = tags(&["A", read_part(order)]);
                let write = tags(&["A", write_part(order)]);
                Ok(Some(Expr::Reg(self.rmw(address, kind, operand, read, write, Vec::new()))))
            }
        }
    }

    fn compare_exchange_call(
        &mut self,
        call: &Syntax,
        name: &str,
        arguments: &[Syntax],
        is_explicit: bool,
    ) -> Result<Expr, Diagnostic> {
        self.count(call, name, arguments, if is_explicit { 5 } else { 3 })?;
        let (success, failure) =
            if is_explicit { (self.order(&arguments[3])?, self.order(&arguments[4])?) } else { ("SC", "SC") };
        let place = self.value(&arguments[1])?;
        let object = self.value(&arguments[0])?;
        let expected = Expr::Reg(self.load(place.clone(), tags(&["NA"])));
        let desired = self.value(&arguments[2])?;
        let result = self.coder.temporary();
        let may_always_fail = name.contains("weak");
        self.either(
            |this| {
                let read = tags(&["A", read_part(success)]);
                let write = tags(&["A", write_part(success)]);
                let old = this.rmw(object.clone(), RmwKind::Swap, desired, read, write, Vec::new());
                this.assume(Binary::Eq, Expr::Reg(old), expected.clone());
                this.coder.set(result, constant(1));
                Ok(())
            },
            |this| {
                let old = this.load(object.clone(), tags(&["A", failure]));
                if !may_always_fail {
                    this.assume(Binary::Ne, Expr::Reg(old), expected.clone());
                }
                this.store(place, Expr::Reg(old), tags(&["NA"]));
                this.coder.set(result, constant(0));
                Ok(())
            },
        )?;
        Ok(Expr::Reg(result))
    }

    fn order(&self, argument: &Syntax) -> Result<OrderName, Diagnostic> {
        let order = match &argument.kind {
            ExprKind::Name(name) => match name.strip_prefix("memory_order_") {
                Some("relaxed") => Some("RLX"),
                Some("consume") => Some("CON"),
                Some("acquire") => Some("ACQ"),
                Some("release") => Some("REL"),
                Some("acq_rel") => Some("ACQ_REL"),
                Some("seq_cst") => Some("SC"),
                _ => None,
            },
            _ => None,
        };
        order.ok_or_else(|| self.coder.error(argument.at, argument.length, "expected a memory order"))
    }
}

fn fetch_operator(name: &str) -> Option<Binary> {
    Some(match name.strip_prefix("atomic_fetch_")? {
        "add" => Binary::Add,
        "sub" => Binary::Sub,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        _ => return None,
    })
}
