//! From expressions to terms, and the steps that must happen on the way.
//!
//! `eval` yields a scalar's value, `condition` its truth, `discard` only its effects. Operands are taken from left to right,
//! unless `order` has evaluated them before. Where an operand is evaluated conditionally (`&&`, `||`, `?:`) it is lowered
//! aside first: if it made no step it becomes a part of the term, otherwise there is a branch. Values of record type are in
//! [`records`], calls in `calls`.

mod arith;
pub(super) mod cell_layout;
pub(in crate::c::lower) mod cells;
mod inits;
pub(super) mod lvalue;
pub(in crate::c::lower) mod places;
mod pointees;
mod records;

use super::context::{Home, SymbolRef};
use crate::c::lower::body::Body;
use crate::c::lower::calls::families::Fixed;
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{BinaryOp, Expr, ExprKind, Stmt, StmtKind, UnaryOp};
use crate::c::types::{Type, TypeId};
use ir::{CheckKind, LocId, Op, Order};
use logic::{Sort, TermId, Value};
use lvalue::{At, Lvalue};

fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// The bits of an `int`.
const INT_BITS: u32 = 32;

impl Body<'_, '_> {
    /// The value of a scalar expression. In code that is not reached the term means nothing.
    pub(in crate::c::lower) fn eval(&mut self, expr: &Expr) -> TermId {
        let outer = self.stand_at(expr.span);
        let region = self.open_region(expr);
        let value = self.eval_kind(expr);
        self.close_region(region);
        self.span = outer;
        value
    }

    fn eval_kind(&mut self, expr: &Expr) -> TermId {
        let ty = expr.ty.ty;
        if !self.is_reachable() {
            return self.some_value(ty);
        }
        if let Some(value) = self.early_value(expr) {
            return value;
        }
        match &expr.kind {
            ExprKind::Int(value) => self.number(*value, ty),
            ExprKind::Float(value) => match self.types().get(ty) {
                Type::Float => self.pool().constant(Value::f32(*value as f32)),
                Type::Double => self.pool().constant(Value::f64(*value)),
                _ => {
                    self.scalar_or_refuse(ty);
                    self.some_value(ty)
                }
            },
            ExprKind::Load(lvalue) => {
                let lvalue = self.lvalue(lvalue);
                if self.scalar(lvalue.ty).is_none() {
                    self.scalar_or_refuse(lvalue.ty);
                    return self.some_value(ty);
                }
                self.load(&lvalue)
            }
            ExprKind::AddressOf(lvalue) | ExprKind::Decay(lvalue) => self.address(lvalue),
            ExprKind::Unary(op, operand) => {
                let value = match op {
                    UnaryOp::LogicalNot => self.eval_for(operand, Fixed::Truth),
                    _ => self.eval(operand),
                };
                self.unary(*op, operand.ty.ty, value)
            }
            ExprKind::Binary(op, left, right) => {
                let (a, b) = if is_comparison(*op) {
                    self.compared(*op, left, right)
                } else {
                    (self.eval(left), self.eval(right))
                };
                let value = self.binary(*op, left.ty.ty, a, b);
                if self.pool().sort(value) == Sort::Bool { self.int_of(value) } else { value }
            }
            ExprKind::PointerAdd { pointer, index, size, is_sub } => {
                let (pointer, at) = (self.eval(pointer), self.eval(index));
                self.pointer_add(pointer, at, index.ty.ty, *size, *is_sub)
            }
            ExprKind::PointerDiff { left, right, size } => {
                let (a, b) = (self.eval(left), self.eval(right));
                let bytes = self.pool().sub(a, b);
                let size = self.word((*size).max(1));
                self.pool().sdiv(bytes, size)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let truth = self.truth_of_branches(expr);
                self.int_of(truth)
            }
            ExprKind::Conditional { cond, then, otherwise } => self.conditional(ty, cond, then.as_deref(), otherwise),
            ExprKind::Assign(lhs, rhs) => {
                if let ExprKind::Symbol(symbol) = lhs.kind {
                    self.name_pointee(symbol, rhs);
                }
                let lvalue = self.lvalue(lhs);
                let value = self.eval(rhs);
                self.store(&lvalue, value)
            }
            ExprKind::AssignOp { op, lhs, rhs, compute, size } => self.assign_op(*op, lhs, rhs, *compute, *size),
            ExprKind::Step { lvalue, is_increment, is_postfix, size } => {
                self.step(lvalue, *is_increment, *is_postfix, *size)
            }
            ExprKind::Cast(inner) => {
                if matches!(self.types().get(ty), Type::Void) {
                    self.discard(inner);
                    return self.some_value(ty);
                }
                if self.is_record(inner.ty.ty) {
                    self.unsupported("a cast of a struct or union");
                    return self.some_value(ty);
                }
                self.note_pointee(inner, ty);
                let value = self.eval(inner);
                self.convert(value, inner.ty.ty, ty)
            }
            ExprKind::Call { callee, args } => {
                self.call(expr, callee, args, true).unwrap_or_else(|| self.some_value(ty))
            }
            ExprKind::Builtin { name, args } => self.builtin(expr, name, args, true),
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.eval(second)
            }
            ExprKind::Statements(stmts) => self.statements_value(stmts, ty),
            ExprKind::VaArg(list) => self.next_argument(list, ty),
            ExprKind::LabelAddress(label) => self.word(u64::from(label.0) + 1),
            ExprKind::Symbol(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::String(_)
            | ExprKind::Compound { .. } => {
                // A function designator, or an lvalue whose load was left implicit.
                let lvalue = self.lvalue(expr);
                match (self.types().get(ty), lvalue.at) {
                    (Type::Function { .. } | Type::Array { .. } | Type::VariableArray { .. }, At::Memory(addr)) => addr,
                    _ => self.load(&lvalue),
                }
            }
        }
    }

    /// Some term of a type's sort, for code that is not reached.
    pub(in crate::c::lower) fn some_value(&mut self, ty: TypeId) -> TermId {
        let sort = self.scalar(ty).map_or(Sort::Bv(32), Sort::from);
        self.zero(sort)
    }

    /// The effects of an expression.
    pub(in crate::c::lower) fn discard(&mut self, expr: &Expr) {
        let outer = self.stand_at(expr.span);
        let region = self.open_region(expr);
        match &expr.kind {
            ExprKind::Cast(inner) if !self.is_record(inner.ty.ty) => self.discard(inner),
            ExprKind::Comma(first, second) => {
                self.discard(first);
                self.discard(second);
            }
            ExprKind::Step { lvalue, is_increment, size, .. } => {
                self.step(lvalue, *is_increment, false, *size);
            }
            ExprKind::Conditional { cond, then: Some(then), otherwise } => {
                let (yes, no, end) = (self.new_loc(), self.new_loc(), self.new_loc());
                self.branch(cond, yes, no);
                for (loc, side) in [(yes, then), (no, otherwise)] {
                    self.resume_at(loc);
                    self.discard(side);
                    self.goto(end);
                }
                self.resume_at(end);
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => {
                let end = self.new_loc();
                self.branch(expr, end, end);
                self.resume_at(end);
            }
            ExprKind::Call { callee, args } => {
                self.call(expr, callee, args, false);
            }
            ExprKind::Builtin { name, args } => {
                self.builtin(expr, name, args, false);
            }
            ExprKind::Statements(stmts) => {
                self.block(stmts);
            }
            // `(void)argument;`: a private variable need not be read.
            ExprKind::Load(inner) if self.is_private(inner) => {}
            // Reading a variable only to drop its value: the access stays, the value is not needed.
            ExprKind::Load(lvalue) if self.scalar(lvalue.ty.ty).is_none() => {
                self.lvalue(lvalue);
            }
            _ if self.is_record(expr.ty.ty) => {
                self.record_address(expr);
            }
            _ if matches!(self.types().get(expr.ty.ty), Type::Void)
                && !matches!(expr.kind, ExprKind::Builtin { .. }) =>
            {
                if let ExprKind::Deref(inner) = &expr.kind {
                    self.discard(inner);
                } else {
                    self.eval(expr);
                }
            }
            _ => {
                self.eval(expr);
            }
        }
        self.close_region(region);
        self.span = outer;
    }

    fn is_private(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Symbol(symbol) => matches!(self.home(*symbol), Home::Private(_)),
            _ => false,
        }
    }

    /// The value of a GNU statement expression: that of its last expression statement.
    fn statements_value(&mut self, stmts: &[Stmt], ty: TypeId) -> TermId {
        let Some((Stmt { kind: StmtKind::Expr(last), .. }, before)) = stmts.split_last() else {
            self.block(stmts);
            return self.some_value(ty);
        };
        if matches!(self.types().get(ty), Type::Void) {
            self.block(stmts);
            return self.some_value(ty);
        }
        let n_alive = self.alive.len();
        self.make_hoisted(stmts);
        self.items(before);
        if let Some(stmt) = stmts.last() {
            self.make_item_objects(stmt);
        }
        self.make_results(last);
        let mut value = self.eval(last);
        if self.alive.len() > n_alive || !before.is_empty() {
            value = self.kept(value);
        }
        self.close_scope(n_alive);
        value
    }

    /// The value in a temporary, so that later assignments to its variables do not change it.
    pub(in crate::c::lower) fn kept(&mut self, value: TermId) -> TermId {
        if self.pool().as_const(value).is_some() {
            return value;
        }
        let sort = self.pool().sort(value);
        let var = self.temporary(sort);
        self.assign(var, value);
        self.var(var)
    }

    // Branching.

    /// The truth of a scalar expression.
    pub(in crate::c::lower) fn condition(&mut self, expr: &Expr) -> TermId {
        let outer = self.stand_at(expr.span);
        let region = self.open_region(expr);
        let truth = match &expr.kind {
            ExprKind::Binary(op, left, right) if is_comparison(*op) => {
                let (a, b) = self.compared(*op, left, right);
                self.binary(*op, left.ty.ty, a, b)
            }
            ExprKind::Unary(UnaryOp::LogicalNot, inner) => {
                let truth = self.condition(inner);
                self.pool().not(truth)
            }
            ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..) => self.truth_of_branches(expr),
            _ => {
                let value = self.eval_for(expr, Fixed::Truth);
                self.truth(value)
            }
        };
        self.close_region(region);
        self.span = outer;
        truth
    }

    /// Goes to `yes` or `no` by the truth of an expression.
    pub(in crate::c::lower) fn branch(&mut self, expr: &Expr, yes: LocId, no: LocId) {
        let region = self.open_region(expr);
        match &expr.kind {
            ExprKind::LogicalAnd(left, right) => self.branch_both(left, right, true, yes, no),
            ExprKind::LogicalOr(left, right) => self.branch_both(left, right, false, yes, no),
            ExprKind::Unary(UnaryOp::LogicalNot, inner) => self.branch(inner, no, yes),
            ExprKind::Cast(inner) if self.keeps_truth(inner.ty.ty, expr.ty.ty) => self.branch(inner, yes, no),
            _ => {
                let cond = self.condition(expr);
                let outer = std::mem::replace(&mut self.span, expr.span);
                self.branch_on(cond, yes, no);
                self.span = outer;
            }
        }
        self.close_region(region);
    }

    /// Whether a conversion maps zero to zero and all else to something else.
    fn keeps_truth(&self, from: TypeId, to: TypeId) -> bool {
        let types = self.types();
        match (types.int_kind(from), types.int_kind(to)) {
            (Some(from), Some(to)) => to.size(types.data_model) >= from.size(types.data_model),
            _ => false,
        }
    }

    fn branch_both(&mut self, left: &Expr, right: &Expr, is_and: bool, yes: LocId, no: LocId) {
        // If the right side makes no step, both sides are one condition.
        let first_is_simple = !matches!(left.kind, ExprKind::LogicalAnd(..) | ExprKind::LogicalOr(..));
        if first_is_simple {
            let a = self.condition(left);
            match (self.as_truth(a), is_and) {
                (Some(false), true) => return self.goto(no),
                (Some(true), false) => return self.goto(yes),
                (Some(_), _) => return self.branch(right, yes, no),
                (None, _) => {}
            }
            let (b, start, rest) = self.aside(|body| body.condition(right));
            let Some(rest) = rest else {
                let both = if is_and { self.pool().and(a, b) } else { self.pool().or(a, b) };
                return self.branch_on(both, yes, no);
            };
            if is_and {
                self.branch_on(a, start, no)
            } else {
                self.branch_on(a, yes, start)
            };
            self.swap(rest);
            return self.branch_on(b, yes, no);
        }
        let middle = self.new_loc();
        if is_and {
            self.branch(left, middle, no)
        } else {
            self.branch(left, yes, middle)
        };
        self.resume_at(middle);
        self.branch(right, yes, no);
    }

    /// The truth of `&&` or `||` as a term; by a branch and a temporary if the right side makes steps.
    fn truth_of_branches(&mut self, expr: &Expr) -> TermId {
        let (left, right, is_and) = match &expr.kind {
            ExprKind::LogicalAnd(left, right) => (left, right, true),
            ExprKind::LogicalOr(left, right) => (left, right, false),
            _ => return self.condition(expr),
        };
        let a = self.condition(left);
        match (self.as_truth(a), is_and) {
            (Some(false), true) | (Some(true), false) => return a,
            (Some(_), _) => return self.condition(right),
            (None, _) => {}
        }
        let (b, start, rest) = self.aside(|body| body.condition(right));
        let Some(rest) = rest else {
            return if is_and { self.pool().and(a, b) } else { self.pool().or(a, b) };
        };
        let result = self.temporary(Sort::Bool);
        let (short, end) = (self.new_loc(), self.new_loc());
        if is_and {
            self.branch_on(a, start, short)
        } else {
            self.branch_on(a, short, start)
        };
        self.swap(rest);
        self.assign(result, b);
        self.goto(end);
        self.resume_at(short);
        let known = self.pool().bool(!is_and);
        self.assign(result, known);
        self.goto(end);
        self.resume_at(end);
        self.var(result)
    }

    fn conditional(&mut self, ty: TypeId, cond: &Expr, then: Option<&Expr>, otherwise: &Expr) -> TermId {
        let is_void = self.scalar(ty).is_none();
        let (truth, short) = match then {
            Some(_) => (self.condition(cond), None),
            None => {
                let value = self.eval(cond);
                let value = self.kept(value);
                (self.truth(value), Some(self.convert(value, cond.ty.ty, ty)))
            }
        };
        match (self.as_truth(truth), then) {
            (Some(true), Some(then)) => return self.eval(then),
            (Some(true), None) => return short.expect("without a middle the condition is the value"),
            (Some(false), _) => return self.eval(otherwise),
            (None, _) => {}
        }
        let (a, a_start, a_end) = match then {
            Some(then) => self.aside(|body| body.eval(then)),
            None => {
                let value = short.expect("without a middle the condition is the value");
                self.aside(|_| value)
            }
        };
        let (b, b_start, b_end) = self.aside(|body| body.eval(otherwise));
        if a_end.is_none() && b_end.is_none() {
            return if is_void { a } else { self.pool().ite(truth, a, b) };
        }
        let sort = self.pool().sort(a);
        let result = self.temporary(sort);
        let end = self.new_loc();
        self.branch_on(truth, a_start, b_start);
        for (value, start, rest) in [(a, a_start, a_end), (b, b_start, b_end)] {
            match rest {
                Some(rest) => {
                    self.swap(rest);
                }
                None => self.resume_at(start),
            }
            if !is_void && self.is_reachable() {
                self.assign(result, value);
            }
            self.goto(end);
        }
        self.resume_at(end);
        self.var(result)
    }

    // Assignments.

    fn assign_op(&mut self, op: BinaryOp, lhs: &Expr, rhs: &Expr, compute: TypeId, size: Option<u64>) -> TermId {
        if let Some((lvalue, old)) = self.early_place(lhs) {
            let operand = self.eval(rhs);
            let new = self.combined(op, &lvalue, old, (operand, rhs.ty.ty), compute, size);
            return self.store(&lvalue, new);
        }
        let lvalue = self.lvalue(lhs);
        let operand = self.eval(rhs);
        if lvalue.is_atomic {
            let operand_ty = rhs.ty.ty;
            let new =
                |body: &mut Self, old: TermId| body.combined(op, &lvalue, old, (operand, operand_ty), compute, size);
            return self.atomic_update(&lvalue, new, false);
        }
        let old = self.load(&lvalue);
        let new = self.combined(op, &lvalue, old, (operand, rhs.ty.ty), compute, size);
        self.store(&lvalue, new)
    }

    /// `old op operand`, computed in the type `compute` and converted back.
    fn combined(
        &mut self,
        op: BinaryOp,
        lvalue: &Lvalue,
        old: TermId,
        (operand, operand_ty): (TermId, TypeId),
        compute: TypeId,
        size: Option<u64>,
    ) -> TermId {
        if let Some(size) = size {
            return self.pointer_add(old, operand, operand_ty, size, op == BinaryOp::Sub);
        }
        let old = self.convert(old, lvalue.ty, compute);
        let result = self.binary(op, compute, old, operand);
        self.convert(result, compute, lvalue.ty)
    }

    fn step(&mut self, operand: &Expr, is_increment: bool, is_postfix: bool, size: Option<u64>) -> TermId {
        let lvalue = self.lvalue(operand);
        if lvalue.is_atomic {
            let new = |body: &mut Self, old: TermId| body.stepped(&lvalue, old, is_increment, size);
            return self.atomic_update(&lvalue, new, is_postfix);
        }
        let mut old = self.load(&lvalue);
        if is_postfix && matches!(lvalue.at, At::Private(_)) {
            old = self.kept(old);
        }
        let new = self.stepped(&lvalue, old, is_increment, size);
        let after = self.store(&lvalue, new);
        if is_postfix { old } else { after }
    }

    fn stepped(&mut self, lvalue: &Lvalue, old: TermId, is_increment: bool, size: Option<u64>) -> TermId {
        if let Some(size) = size {
            let distance = self.word(size);
            return if is_increment { self.pool().add(old, distance) } else { self.pool().sub(old, distance) };
        }
        let op = if is_increment { BinaryOp::Add } else { BinaryOp::Sub };
        if matches!(self.types().get(lvalue.ty), Type::Int(crate::c::types::IntKind::Bool)) {
            let (one, flipped) = (self.pool().bv(8, 1), self.pool().bv(8, 1));
            return if is_increment { one } else { self.pool().bv_xor(old, flipped) };
        }
        // An unsigned field of 31 bits is promoted to int, and its largest value is that of int.
        if lvalue.bits.is_some_and(|(_, width)| width == INT_BITS - 1) && !is_signed(self.types(), lvalue.ty) {
            let (low, one) = (self.pool().resize(old, false, INT_BITS), self.pool().bv(INT_BITS, 1));
            let overflows = self.overflows(op, low, one);
            self.check_not(overflows, CheckKind::Overflow);
        }
        let one = self.number(1, lvalue.ty);
        // Types narrower than int are promoted, so that only the conversion back wraps.
        let is_promoted = self.types().size(lvalue.ty).is_some_and(|size| size < 4);
        if self.pool().sort(old).is_float() || !is_promoted {
            self.binary(op, lvalue.ty, old, one)
        } else {
            self.wrapping(op, old, one)
        }
    }

    /// Reads and writes an atomic lvalue in one step; yields the old or the new value.
    pub(in crate::c::lower) fn atomic_update(
        &mut self,
        lvalue: &Lvalue,
        new: impl FnOnce(&mut Self, TermId) -> TermId,
        wants_old: bool,
    ) -> TermId {
        let Some(place) = self.place_of(lvalue).filter(|_| lvalue.bits.is_none()) else {
            // A private variable needs no atomicity.
            let old = self.load(lvalue);
            let old = self.kept(old);
            let new = new(self, old);
            let after = self.store(lvalue, new);
            return if wants_old { old } else { after };
        };
        self.update_place(place, Order::SeqCst, new, wants_old)
    }

    pub(in crate::c::lower) fn update_place(
        &mut self,
        place: ir::Place,
        order: Order,
        new: impl FnOnce(&mut Self, TermId) -> TermId,
        wants_old: bool,
    ) -> TermId {
        let sort = match place {
            ir::Place::Var(var) => self.pool().var_sort(var),
            ir::Place::Mem { sort, .. } => sort.into(),
        };
        let dst = self.temporary(sort);
        let old = self.var(dst);
        let outer = std::mem::replace(&mut self.wraps, true);
        let new = new(self, old);
        self.wraps = outer;
        self.emit(Op::Rmw { dst, place, wait: None, owner: None, new, order, failure: None });
        if let Some(overflows) = self.traps.take() {
            self.check_quotient(overflows);
        }
        if wants_old { old } else { new }
    }

    /// An update that may fail: `attempt` says of the old value when it succeeds and what is written then. Gives the old value.
    pub(in crate::c::lower) fn try_update(
        &mut self,
        place: ir::Place,
        (order, failure): (Order, Order),
        attempt: impl FnOnce(&mut Self, TermId) -> (TermId, TermId),
    ) -> TermId {
        let sort = match place {
            ir::Place::Var(var) => self.pool().var_sort(var),
            ir::Place::Mem { sort, .. } => sort.into(),
        };
        let dst = self.temporary(sort);
        let old = self.var(dst);
        let (succeeds, new) = attempt(self, old);
        let new = self.pool().ite(succeeds, new, old);
        let failure = Some(ir::Failure { when: self.pool().not(succeeds), order: failure });
        self.emit(Op::Rmw { dst, place, wait: None, owner: None, new, order, failure });
        old
    }

    /// The function symbol that an expression names, under decay, `&` and `*`.
    pub(in crate::c::lower) fn named_function(&self, expr: &Expr) -> Option<SymbolRef> {
        match &expr.kind {
            ExprKind::Symbol(symbol) => {
                let reference = SymbolRef { unit: self.unit, symbol: *symbol };
                let is_function = self.lw.symbol(reference).storage == crate::c::typed::Storage::Function;
                is_function.then_some(reference)
            }
            ExprKind::Decay(inner) | ExprKind::AddressOf(inner) | ExprKind::Deref(inner) | ExprKind::Cast(inner) => {
                self.named_function(inner)
            }
            _ => None,
        }
    }
}
