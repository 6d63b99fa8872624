//! Atomic operations: `__atomic_*`, `__sync_*` and clang's `__c11_atomic_*`, which `<stdatomic.h>` is made of.
//!
//! Each is one `Load`, `Store` or `Rmw` with its memory order. A compare-and-exchange is one `Rmw` whose new value is the old
//! one when the comparison fails; the weak form may also fail for no reason, by a choice of the environment. An
//! order that is not constant is taken as sequentially consistent, as the standard's own fallback does.

use crate::c::lower::analysis::scan;
use crate::c::lower::body::Body;
use crate::c::lower::context::Home;
use crate::c::lower::model_types::{is_signed, pointee};
use crate::c::typed::{BinaryOp, Expr, ExprKind};
use crate::c::types::{IntKind, Type, TypeId};
use ir::{CheckKind, HavocKind, Kernel, Op, Order, Place, Property};
use logic::{Scalar, Sort, TermId, VarId};

/// Whether weak compare-and-exchange can fail although the values agree. Real machines do, so proofs must cover it.
const WEAK_CAN_FAIL: bool = true;

/// What an atomic object holds.
#[derive(Clone, Copy)]
pub(super) struct AtomicObject {
    pub(super) place: Place,
    pub(super) sort: Scalar,
    ty: TypeId,
}

/// Where a generic builtin finds or puts a value.
#[derive(Clone, Copy)]
enum Slot {
    Private(VarId),
    Memory(TermId),
}

/// The operations that read, compute and write.
#[derive(Clone, Copy, PartialEq)]
enum Update {
    Exchange,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Max,
    Min,
    /// Of bits without a sign, whatever the type.
    UnsignedMax,
    UnsignedMin,
}

impl Body<'_, '_> {
    /// Lowers an atomic builtin; `None` if the name is not one.
    pub(in crate::c::lower) fn atomic_builtin(&mut self, expr: &Expr, name: &str, args: &[Expr]) -> Option<TermId> {
        if let Some(rest) = name.strip_prefix("__sync_") {
            return self.sync_builtin(expr, rest.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit()), args);
        }
        self.check_orders(name, args);
        if let Some(rest) = name.strip_prefix("__c11_atomic_") {
            return self.c11_builtin(expr, rest, args);
        }
        let rest = name.strip_prefix("__atomic_")?;
        let rest = rest.trim_end_matches(|c: char| c.is_ascii_digit());
        self.gnu_builtin(expr, rest.strip_suffix('_').unwrap_or(rest), args)
    }

    fn gnu_builtin(&mut self, expr: &Expr, name: &str, args: &[Expr]) -> Option<TermId> {
        let void = |body: &mut Self| body.some_value(expr.ty.ty);
        match (name, args) {
            ("thread_fence", [order]) => {
                let order = self.order(order);
                self.emit(Op::Fence(order));
            }
            ("signal_fence", _) => {}
            ("always_lock_free" | "is_lock_free", _) => return Some(self.number(1, expr.ty.ty)),
            ("load_n", [object, order]) => {
                let (target, order) = (self.target(object), self.order(order));
                let value = self.load_place(target.place, order);
                return Some(self.as_type(value, target.ty, expr.ty.ty));
            }
            ("load", [object, _, order]) => {
                let target = self.target(object);
                let to = self.slot("__atomic_load", args, 1);
                let order = self.order(order);
                let value = self.load_place(target.place, order);
                self.put(to, target.sort, value);
            }
            ("store_n", [object, value, order]) => {
                let target = self.target(object);
                let value = self.operand(value, &target);
                let order = self.order(order);
                self.emit(Op::Store { place: target.place, value, order });
            }
            ("store", [object, _, order]) => {
                let target = self.target(object);
                let from = self.slot("__atomic_store", args, 1);
                let value = self.get(from, target.sort);
                let order = self.order(order);
                self.emit(Op::Store { place: target.place, value, order });
            }
            ("exchange", [object, _, _, order]) => {
                let target = self.target(object);
                let from = self.slot("__atomic_exchange", args, 1);
                let value = self.get(from, target.sort);
                let to = self.slot("__atomic_exchange", args, 2);
                let order = self.order(order);
                let old = self.update(&target, Update::Exchange, value, order, true);
                self.put(to, target.sort, old);
            }
            ("exchange_n", [object, value, order]) => {
                return Some(self.fetch(expr, Update::Exchange, object, value, Some(order), true));
            }
            ("compare_exchange_n" | "compare_exchange", [object, _, desired, is_weak, success, failure]) => {
                let full_name = format!("__atomic_{name}");
                let target = self.target(object);
                let expected = self.slot(&full_name, args, 1);
                let desired = if name.ends_with("_n") {
                    self.operand(desired, &target)
                } else {
                    let desired = self.slot(&full_name, args, 2);
                    self.get(desired, target.sort)
                };
                let weak = self.eval(is_weak);
                let is_weak = self.as_number(weak) != Some(0);
                let order = (self.order(success), self.order(failure));
                return Some(self.compare_exchange(expr, &target, expected, desired, is_weak, order));
            }
            ("test_and_set", [object, order]) => {
                let addr = self.eval(object);
                let order = self.order(order);
                let place = Self::memory(addr, Scalar::Bv(8));
                let old = self.update_place(place, order, |body, _| body.pool().bv(8, 1), true);
                let was_set = self.truth(old);
                return Some(self.truth_as(was_set, expr.ty.ty));
            }
            ("clear", [object, order]) => {
                let addr = self.eval(object);
                let order = self.order(order);
                let value = self.pool().bv(8, 0);
                self.emit(Op::Store { place: Self::memory(addr, Scalar::Bv(8)), value, order });
            }
            (_, [object, value, order]) => {
                let (update, wants_old) = match name.strip_prefix("fetch_") {
                    Some(op) => (update_named(op)?, true),
                    None => (update_named(name.strip_suffix("_fetch")?)?, false),
                };
                return Some(self.fetch(expr, update, object, value, Some(order), wants_old));
            }
            _ => return None,
        }
        Some(void(self))
    }

    fn c11_builtin(&mut self, expr: &Expr, name: &str, args: &[Expr]) -> Option<TermId> {
        match (name, args) {
            ("init", [object, value]) => {
                let target = self.target(object);
                let value = self.operand(value, &target);
                self.emit(Op::Store { place: target.place, value, order: Order::Plain });
                Some(self.some_value(expr.ty.ty))
            }
            ("load", [_, _]) => self.gnu_builtin(expr, "load_n", args),
            ("store", [_, _, _]) => self.gnu_builtin(expr, "store_n", args),
            ("exchange", [_, _, _]) => self.gnu_builtin(expr, "exchange_n", args),
            ("compare_exchange_strong" | "compare_exchange_weak", [object, _, desired, success, failure]) => {
                let target = self.target(object);
                let expected = self.slot(&format!("__c11_atomic_{name}"), args, 1);
                let desired = self.operand(desired, &target);
                let order = (self.order(success), self.order(failure));
                let is_weak = name.ends_with("weak");
                Some(self.compare_exchange(expr, &target, expected, desired, is_weak, order))
            }
            ("fetch_add" | "fetch_sub", [object, value, order]) => {
                // Unlike gcc's builtins these count in elements.
                let target = pointee(self.types(), object.ty.ty);
                let element = target.and_then(|target| pointee(self.types(), target.ty));
                let Some(element) = element else { return self.gnu_builtin(expr, name, args) };
                let target = self.target(object);
                let index = self.eval(value);
                let order = self.order(order);
                let size = self.types().size(element.ty).unwrap_or(1);
                let (ty, is_sub) = (value.ty.ty, name == "fetch_sub");
                let new = |body: &mut Self, old: TermId| body.pointer_add(old, index, ty, size, is_sub);
                Some(self.update_place(target.place, order, new, true))
            }
            _ => self.gnu_builtin(expr, name, args),
        }
    }

    /// The old family: full barriers, gcc's manual says, but for the two that take and give a lock. They are as gcc makes them where that is more than seq_cst: with a fence behind.
    fn sync_builtin(&mut self, expr: &Expr, name: &str, args: &[Expr]) -> Option<TermId> {
        match (name, args) {
            ("synchronize", _) => {
                self.emit(Op::Fence(Order::SeqCst));
                Some(self.some_value(expr.ty.ty))
            }
            ("lock_test_and_set", [object, value, ..]) => {
                let target = self.target(object);
                let value = self.operand(value, &target);
                let old = self.update(&target, Update::Exchange, value, Order::Acquire, true);
                Some(self.as_type(old, target.ty, expr.ty.ty))
            }
            ("lock_release", [object, ..]) => {
                let target = self.target(object);
                let value = self.zero(target.sort.into());
                self.emit(Op::Store { place: target.place, value, order: Order::Release });
                Some(self.some_value(expr.ty.ty))
            }
            ("bool_compare_and_swap" | "val_compare_and_swap", [object, expected, desired, ..]) => {
                let target = self.target(object);
                let expected = self.operand(expected, &target);
                let desired = self.operand(desired, &target);
                let attempt = |body: &mut Self, old: TermId| (body.pool().eq(old, expected), desired);
                let old = self.try_update(target.place, (Order::SeqCst, Order::SeqCst), attempt);
                self.emit(Op::Fence(Order::SeqCst));
                if name.starts_with("val") {
                    return Some(self.as_type(old, target.ty, expr.ty.ty));
                }
                let same = self.pool().eq(old, expected);
                Some(self.truth_as(same, expr.ty.ty))
            }
            (_, [object, value, ..]) => {
                let (update, wants_old) = match name.strip_prefix("fetch_and_") {
                    Some(op) => (update_named(op)?, true),
                    None => (update_named(name.strip_suffix("_and_fetch")?)?, false),
                };
                let value = self.fetch(expr, update, object, value, None, wants_old);
                self.emit(Op::Fence(Order::SeqCst));
                Some(value)
            }
            _ => None,
        }
    }

    /// What a pointer to an atomic object points to.
    pub(super) fn target(&mut self, object: &Expr) -> AtomicObject {
        let addr = self.eval(object);
        let mut inner = object;
        let mut ty = pointee(self.types(), inner.ty.ty).map(|target| target.ty);
        // `void *` says nothing; what was cast to it might.
        while let (Some(target), ExprKind::Cast(next)) = (ty, &inner.kind) {
            if !matches!(self.types().get(target), Type::Void) {
                break;
            }
            inner = next;
            ty = pointee(self.types(), inner.ty.ty).map(|target| target.ty);
        }
        let ty = ty.unwrap_or(object.ty.ty);
        let sort = match (self.scalar(ty), self.types().size(ty)) {
            (Some(scalar), _) => scalar,
            (None, Some(size @ (1 | 2 | 4 | 8 | 16))) if self.is_record(ty) => Scalar::Bv(size as u32 * 8),
            _ => self.scalar_or_refuse(ty),
        };
        AtomicObject { place: Self::memory(addr, sort), sort, ty }
    }

    /// An operand converted to what the object holds.
    pub(super) fn operand(&mut self, value: &Expr, target: &AtomicObject) -> TermId {
        if self.is_record(value.ty.ty) {
            let from = self.record_address(value);
            return self.load_place(Self::memory(from, target.sort), Order::Plain);
        }
        let term = self.eval(value);
        let signed = is_signed(self.types(), value.ty.ty);
        if matches!(self.types().get(target.ty), Type::Int(IntKind::Bool)) {
            return self.convert(term, value.ty.ty, target.ty);
        }
        self.convert_to(term, signed, target.sort, is_signed(self.types(), target.ty))
    }

    /// Where the argument of a generic builtin points.
    fn slot(&mut self, name: &str, args: &[Expr], index: usize) -> Slot {
        let unit = &self.lw.units[self.unit];
        if let Some(symbol) = scan::atomic_value_argument(unit, name, args, index)
            && let Home::Private(var) = self.home(symbol)
        {
            return Slot::Private(var);
        }
        Slot::Memory(self.eval(&args[index]))
    }

    fn get(&mut self, slot: Slot, sort: Scalar) -> TermId {
        match slot {
            Slot::Private(var) => self.var(var),
            Slot::Memory(addr) => self.load_place(Self::memory(addr, sort), Order::Plain),
        }
    }

    fn put(&mut self, slot: Slot, sort: Scalar, value: TermId) {
        match slot {
            Slot::Private(var) => self.assign_last(var, value),
            Slot::Memory(addr) => {
                self.emit(Op::Store { place: Self::memory(addr, sort), value, order: Order::Plain });
            }
        }
    }

    fn as_type(&mut self, value: TermId, from: TypeId, to: TypeId) -> TermId {
        match self.scalar(to) {
            Some(scalar) => {
                let (from_signed, to_signed) = (is_signed(self.types(), from), is_signed(self.types(), to));
                self.convert_to(value, from_signed, scalar, to_signed)
            }
            None => value,
        }
    }

    fn truth_as(&mut self, truth: TermId, ty: TypeId) -> TermId {
        let (one, zero) = (self.number(1, ty), self.number(0, ty));
        self.pool().ite(truth, one, zero)
    }

    fn order(&mut self, order: &Expr) -> Order {
        let constant = match scan::constant(order) {
            Some(constant) => Some(constant as u64),
            None => {
                let term = self.eval(order);
                self.as_number(term)
            }
        };
        order_numbered(constant)
    }

    /// A memory order that the access cannot have means nothing in C; whoever does not ask about misuse gets what compilers make of it.
    fn check_orders(&mut self, name: &str, args: &[Expr]) {
        const CONSUME: i128 = 1;
        const ACQUIRE: i128 = 2;
        const RELEASE: i128 = 3;
        const ACQ_REL: i128 = 4;
        let kind = name.trim_start_matches("__c11_atomic_").trim_start_matches("__atomic_");
        let (what, forbidden): (&str, &[i128]) = match kind {
            _ if kind.starts_with("load") => ("an atomic load", &[RELEASE, ACQ_REL]),
            _ if kind.starts_with("store") || kind == "clear" => ("an atomic store", &[CONSUME, ACQUIRE, ACQ_REL]),
            _ if kind.starts_with("compare_exchange") => ("a compare-exchange that fails", &[RELEASE, ACQ_REL]),
            _ => return,
        };
        let order = args.last().and_then(scan::constant).map(|order| order & 0xffff);
        if order.is_some_and(|order| forbidden.contains(&order)) {
            let what = format!("{what} with a memory order that it cannot have");
            if self.lw.properties.has(Property::Misuse) {
                self.fail(CheckKind::Misuse(what.into()));
            } else {
                // What compilers make of it.
                self.lw.assume(format!("{what} has what it can have of it (--property misuse finds it)"));
            }
        }
    }

    fn fetch(
        &mut self,
        expr: &Expr,
        update: Update,
        object: &Expr,
        value: &Expr,
        order: Option<&Expr>,
        wants_old: bool,
    ) -> TermId {
        let target = self.target(object);
        let value = self.operand(value, &target);
        let order = order.map_or(Order::SeqCst, |order| self.order(order));
        let result = self.update(&target, update, value, order, wants_old);
        self.as_type(result, target.ty, expr.ty.ty)
    }

    fn update(
        &mut self,
        target: &AtomicObject,
        update: Update,
        value: TermId,
        order: Order,
        wants_old: bool,
    ) -> TermId {
        let signed = is_signed(self.types(), target.ty);
        let is_bool = matches!(self.types().get(target.ty), Type::Int(IntKind::Bool));
        let new = |body: &mut Self, old: TermId| {
            let new = match update {
                Update::Exchange => value,
                Update::Add => body.wrapping(BinaryOp::Add, old, value),
                Update::Sub => body.wrapping(BinaryOp::Sub, old, value),
                Update::And => body.wrapping(BinaryOp::And, old, value),
                Update::Or => body.wrapping(BinaryOp::Or, old, value),
                Update::Xor => body.wrapping(BinaryOp::Xor, old, value),
                Update::Nand => {
                    let both = body.wrapping(BinaryOp::And, old, value);
                    body.pool().bv_not(both)
                }
                Update::Max | Update::Min | Update::UnsignedMax | Update::UnsignedMin => {
                    let signed = signed && matches!(update, Update::Max | Update::Min);
                    let less = if signed { body.pool().slt(old, value) } else { body.pool().ult(old, value) };
                    let (low, high) = (body.pool().ite(less, old, value), body.pool().ite(less, value, old));
                    if matches!(update, Update::Max | Update::UnsignedMax) { high } else { low }
                }
            };
            if !is_bool || update == Update::Exchange {
                return new;
            }
            let truth = body.truth(new);
            let (one, zero) = (body.pool().bv(8, 1), body.pool().bv(8, 0));
            body.pool().ite(truth, one, zero)
        };
        if Sort::from(target.sort).is_float() && update != Update::Exchange {
            self.unsupported("an atomic operation on floats");
            return value;
        }
        self.update_place(target.place, order, new, wants_old)
    }

    fn compare_exchange(
        &mut self,
        expr: &Expr,
        target: &AtomicObject,
        expected_at: Slot,
        desired: TermId,
        is_weak: bool,
        (order, failure): (Order, Order),
    ) -> TermId {
        let expected = self.get(expected_at, target.sort);
        // The comparison's outcome is needed after the variable may have been set.
        let expected = if matches!(expected_at, Slot::Private(_)) { self.kept(expected) } else { expected };
        let fails = (is_weak && WEAK_CAN_FAIL).then(|| {
            let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
            self.truth(bit)
        });
        let succeeds = |body: &mut Self, old: TermId| {
            let same = body.pool().eq(old, expected);
            match fails {
                Some(fails) => {
                    let holds = body.pool().not(fails);
                    body.pool().and(same, holds)
                }
                None => same,
            }
        };
        let attempt = |body: &mut Self, old: TermId| (succeeds(body, old), desired);
        let old = self.try_update(target.place, (order, failure), attempt);
        let success = succeeds(self, old);
        // If it succeeds this is what was expected: no branch, on which all that follows would depend.
        if matches!(expected_at, Slot::Private(_)) {
            self.put(expected_at, target.sort, old);
            return self.truth_as(success, expr.ty.ty);
        }
        let (failed, end) = (self.new_loc(), self.new_loc());
        self.branch_on(success, end, failed);
        self.resume_at(failed);
        self.put(expected_at, target.sort, old);
        self.goto(end);
        self.resume_at(end);
        self.truth_as(success, expr.ty.ty)
    }
}

fn update_named(name: &str) -> Option<Update> {
    Some(match name {
        "add" => Update::Add,
        "sub" => Update::Sub,
        "and" => Update::And,
        "or" => Update::Or,
        "xor" => Update::Xor,
        "nand" => Update::Nand,
        "max" => Update::Max,
        "min" => Update::Min,
        "umax" => Update::UnsignedMax,
        "umin" => Update::UnsignedMin,
        _ => return None,
    })
}

/// The memory order behind `__ATOMIC_*`, which `memory_order` shares, or one of the kernel's words.
pub(in crate::c::lower) fn order_numbered(number: Option<u64>) -> Order {
    match number.map(|number| number & 0xffff) {
        Some(0) => Order::Relaxed,
        Some(1 | 2) => Order::Acquire,
        Some(3) => Order::Release,
        Some(4) => Order::AcqRel,
        Some(number) => Kernel::numbered(number).map_or(Order::SeqCst, Order::Kernel),
        None => Order::SeqCst,
    }
}
