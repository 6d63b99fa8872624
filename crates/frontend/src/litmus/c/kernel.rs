//! The primitives that definitions are made of: tagged accesses, atomics and locks of the Linux kernel.
//!
//! An atomic that is a full barrier (`mb`) is its relaxed form between two fences, as herd has it, and only if it writes: a failed `cmpxchg` orders
//! nothing. Because the fence comes before the outcome is known, the outcome is chosen first and then assumed. Locks are a word that is 0 when
//! free; `spin_lock` swaps in 1 and assumes that the old value was 0.

use super::super::coder::constant;
use super::ast::{Expr as Syntax, ExprKind};
use super::lower::{Lowering, SIZE};
use ir::Diagnostic;
use ir::litmus::{Binary, Expr, Extend, Op, Reg, RmwKind, Unary};

/// The tags of an atomic.
struct Tags {
    read: Vec<String>,
    write: Vec<String>,
    failure: Vec<String>,
    is_barrier: bool,
}

/// The sets that a tag names: `once` is `Once`, and `ONCE` in newer models.
fn sets(tag: &str) -> Vec<String> {
    let mut capital = tag.to_string();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    vec![capital, tag.to_ascii_uppercase()]
}

fn atomic_tags(tags: &[String]) -> Tags {
    let tag = tags.first().map_or("once", String::as_str);
    let with = |base: &str| {
        let mut all = sets(base);
        let upper = tag.to_ascii_uppercase();
        if !all.contains(&upper) {
            all.push(upper);
        }
        all
    };
    let (read, write) = match tag {
        "mb" => (with("once"), with("once")),
        "acquire" => (with("acquire"), with("once")),
        "release" => (with("once"), with("release")),
        "noreturn" => (with("noreturn"), with("once")),
        _ => (with(tag), with(tag)),
    };
    Tags { read, write, failure: sets("once"), is_barrier: tag == "mb" }
}

impl Lowering<'_, '_, '_> {
    /// A primitive; its value if it has one.
    pub(super) fn primitive(
        &mut self,
        call: &Syntax,
        name: &str,
        tags: &[String],
        arguments: &[Syntax],
    ) -> Result<Option<Expr>, Diagnostic> {
        let all = |tags: &[String]| tags.iter().flat_map(|tag| sets(tag)).collect::<Vec<_>>();
        match name {
            "__load" => {
                self.count(call, name, arguments, 1)?;
                let address = self.object(&arguments[0])?;
                Ok(Some(Expr::Reg(self.load(address, all(tags)))))
            }
            "__store" => {
                self.count(call, name, arguments, 2)?;
                let address = self.object(&arguments[0])?;
                let value = self.value(&arguments[1])?;
                self.store(address, value, all(tags));
                Ok(None)
            }
            "__fence" => {
                self.count(call, name, arguments, 0)?;
                self.fence(all(tags), None);
                Ok(None)
            }
            "__srcu" => {
                let Some(object) = arguments.first() else {
                    return Err(self.coder.error(call.at, call.length, "`__srcu` needs an object"));
                };
                let address = self.value(object)?;
                self.fence(all(tags), Some(address));
                Ok(None)
            }
            "__xchg" => {
                self.count(call, name, arguments, 2)?;
                let (address, value) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
                Ok(Some(Expr::Reg(self.atomic(address, RmwKind::Swap, value, &atomic_tags(tags)))))
            }
            "__cmpxchg" => {
                self.count(call, name, arguments, 3)?;
                let (address, expected) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
                let new = self.value(&arguments[2])?;
                self.compare_exchange(address, expected, new, &atomic_tags(tags)).map(Some)
            }
            "__atomic_op" | "__atomic_op_return" | "__atomic_fetch_op" => {
                self.count(call, name, arguments, 3)?;
                let op = self.operator(&arguments[1])?;
                let (address, operand) = (self.value(&arguments[0])?, self.value(&arguments[2])?);
                let default = ["noreturn".to_string()];
                let tags = if tags.is_empty() && name == "__atomic_op" { &default } else { tags };
                let old = Expr::Reg(self.atomic(address, RmwKind::Apply(op), operand.clone(), &atomic_tags(tags)));
                Ok(match name {
                    "__atomic_op" => None,
                    "__atomic_op_return" => Some(Expr::binary(op, 64, old, operand)),
                    _ => Some(old),
                })
            }
            "__atomic_add_unless" => {
                self.count(call, name, arguments, 3)?;
                let (address, operand) = (self.value(&arguments[0])?, self.value(&arguments[1])?);
                let unless = self.value(&arguments[2])?;
                self.add_unless(address, operand, unless, &atomic_tags(tags)).map(Some)
            }
            "__lock" | "__unlock" | "__trylock" | "__islocked" => {
                self.count(call, name, arguments, 1)?;
                let address = self.value(&arguments[0])?;
                self.lock(name, address)
            }
            _ => {
                let message = format!("the primitive `{name}` is not supported");
                Err(self.coder.unsupported(call.at, name.len(), message))
            }
        }
    }

    /// What `__load` and `__store` access. Some tests name the location where the place is meant: `smp_store_mb(x, 1)`.
    fn object(&mut self, argument: &Syntax) -> Result<Expr, Diagnostic> {
        if self.is_location(argument) { self.value(argument) } else { self.place(argument) }
    }

    fn operator(&self, argument: &Syntax) -> Result<Binary, Diagnostic> {
        let op = match &argument.kind {
            ExprKind::Operator(operator) => match operator.as_str() {
                "+" => Some(Binary::Add),
                "-" => Some(Binary::Sub),
                "&" => Some(Binary::And),
                "|" => Some(Binary::Or),
                "^" => Some(Binary::Xor),
                _ => None,
            },
            _ => None,
        };
        op.ok_or_else(|| self.coder.error(argument.at, argument.length, "expected an operator"))
    }

    /// An atomic that always writes, between fences if it is a barrier; its old value.
    fn atomic(&mut self, address: Expr, kind: RmwKind, operand: Expr, tags: &Tags) -> Reg {
        if tags.is_barrier {
            self.fence(sets("mb"), None);
        }
        let to = self.rmw(address, kind, operand, tags.read.clone(), tags.write.clone(), tags.failure.clone());
        if tags.is_barrier {
            self.fence(sets("mb"), None);
        }
        to
    }

    /// A read-modify-write into a new register.
    pub(super) fn rmw(
        &mut self,
        address: Expr,
        kind: RmwKind,
        operand: Expr,
        read_tags: Vec<String>,
        write_tags: Vec<String>,
        failure_tags: Vec<String>,
    ) -> Reg {
        self.access();
        let to = self.coder.temporary();
        self.coder.emit(Op::Rmw {
            to: Some(to),
            extend: Extend::Zero,
            address,
            size: SIZE,
            kind,
            operand,
            read_tags,
            write_tags,
            failure_tags,
        });
        to
    }

    fn compare_exchange(&mut self, address: Expr, expected: Expr, new: Expr, tags: &Tags) -> Result<Expr, Diagnostic> {
        if !tags.is_barrier {
            return Ok(Expr::Reg(self.atomic(address, RmwKind::CompareSwap { expected }, new, tags)));
        }
        let result = self.coder.temporary();
        self.either(
            |this| {
                let old = this.atomic(address.clone(), RmwKind::Swap, new, tags);
                this.assume(Binary::Eq, Expr::Reg(old), expected.clone());
                this.coder.set(result, Expr::Reg(old));
                Ok(())
            },
            |this| {
                let old = this.failing(address.clone(), expected.clone(), tags);
                this.assume(Binary::Ne, Expr::Reg(old), expected.clone());
                this.coder.set(result, Expr::Reg(old));
                Ok(())
            },
        )?;
        Ok(Expr::Reg(result))
    }

    /// The read of an atomic that writes nothing: still the read of an atomic, which the fences for atomics order.
    fn failing(&mut self, address: Expr, expected: Expr, tags: &Tags) -> Reg {
        let kind = RmwKind::CompareSwap { expected };
        self.rmw(address, kind, constant(0), tags.failure.clone(), tags.failure.clone(), tags.failure.clone())
    }

    fn add_unless(&mut self, address: Expr, operand: Expr, unless: Expr, tags: &Tags) -> Result<Expr, Diagnostic> {
        let result = self.coder.temporary();
        self.either(
            |this| {
                let old = this.atomic(address.clone(), RmwKind::Apply(Binary::Add), operand, tags);
                this.assume(Binary::Ne, Expr::Reg(old), unless.clone());
                this.coder.set(result, constant(1));
                Ok(())
            },
            |this| {
                // It fails by comparing with something that `unless` is not.
                let other = Expr::unary(Unary::Not, 64, unless.clone());
                let old = this.failing(address.clone(), other, tags);
                this.assume(Binary::Eq, Expr::Reg(old), unless.clone());
                this.coder.set(result, constant(0));
                Ok(())
            },
        )?;
        Ok(Expr::Reg(result))
    }

    fn lock(&mut self, name: &str, address: Expr) -> Result<Option<Expr>, Diagnostic> {
        let one = |tag: &str| vec![tag.to_string()];
        // Taking a lock is an acquire, giving it back a release: some models say so, others expect it of the events.
        let two = |tag: &str, order: &str| vec![tag.to_string(), order.to_string()];
        let take = |this: &mut Self, address: Expr| {
            let read = two("LKR", "ACQUIRE");
            let old = this.rmw(address, RmwKind::Swap, constant(1), read, one("LKW"), Vec::new());
            this.assume(Binary::Eq, Expr::Reg(old), constant(0));
        };
        match name {
            "__lock" => {
                take(self, address);
                return Ok(None);
            }
            "__unlock" => {
                self.store(address, constant(0), two("UL", "RELEASE"));
                return Ok(None);
            }
            _ => {}
        }
        let result = self.coder.temporary();
        let look = |this: &mut Self, tag: &str, expected: u64, outcome: u64| {
            let seen = this.load(address.clone(), one(tag));
            this.assume(Binary::Eq, Expr::Reg(seen), constant(expected));
            this.coder.set(result, constant(outcome));
            Ok(())
        };
        if name == "__trylock" {
            let taken = address.clone();
            self.either(
                |this| {
                    take(this, taken);
                    this.coder.set(result, constant(1));
                    Ok(())
                },
                |this| look(this, "LF", 1, 0),
            )?;
        } else {
            self.either(|this| look(this, "RL", 1, 1), |this| look(this, "RU", 0, 0))?;
        }
        Ok(Some(Expr::Reg(result)))
    }
}
