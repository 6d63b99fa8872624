//! In which order are the operands evaluated? In every order that C allows, where that makes a difference.
//!
//! C leaves open in which order the operands of most operators, the arguments of a call and the items of an initialiser are
//! evaluated; a called function runs before or after everything else in the expression, as one whole. The expression is
//! cut into *units*: reads, assignments, calls, and operands with an order of their own (`&&`, `?:`, `,`). If no unit
//! disturbs another (`effects`), they are taken as they come, from left to right. Otherwise the environment chooses an
//! order: the units that disturb each other are evaluated first, each into a temporary, and where the tree is walked
//! their values are found in `early`. Orders that differ only in units which do not disturb each other are taken once.
//!
//! Two accesses to one variable that are not ordered at all, one of them a write, are undefined (`i = i++`): that is
//! refused by name, as are expressions with more orders than `MAX_ORDERS` and operands that calls could come into the
//! middle of. Only variables are looked at for this, not elements of arrays that may or may not be the same. In which
//! order plain reads of several shared variables happen is not varied.

use super::body::Body;
use super::early::Early;
use crate::c::lower::analysis::effects::Effects;
use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::values::lvalue::{At, Lvalue};
use crate::c::typed::{Expr, ExprKind, InitItem, StmtKind, SymbolId};
use crate::c::types::Type;
use ir::{HavocKind, LocId, Op};
use logic::{Sort, TermId, VarId};
use rustc_hash::FxHashMap;

/// More units than this that disturb each other are refused.
const MAX_UNITS: usize = 6;

/// More orders that make a difference are refused.
const MAX_ORDERS: usize = 24;

/// An expression that was looked at as a whole, to be closed when it has been evaluated.
pub(super) struct Region {
    early: Vec<*const Expr>,
}

/// A part of an expression that is evaluated as a whole.
struct Unit<'e> {
    expr: &'e Expr,
    /// Whether it is only the reading of a compound assignment's left side.
    is_place: bool,
    /// What it does itself.
    own: Effects,
    /// What functions that it calls do.
    called: Effects,
    /// Of an operand with an order of its own: what each node of it does.
    parts: Vec<Effects>,
    /// The variable that it reads or writes, if it is a scalar variable.
    variable: Option<(SymbolId, bool)>,
    /// The units that need its value.
    above: Vec<usize>,
}

impl Unit<'_> {
    fn is_call(&self) -> bool {
        matches!(self.expr.kind, ExprKind::Call { .. } | ExprKind::Builtin { .. })
    }

    fn total(&self) -> Effects {
        let mut total = self.own.clone();
        total.add(&self.called);
        total
    }
}

impl Body<'_, '_> {
    /// Looks at an expression as a whole before it is evaluated; `None` if it is a part of one, or nothing is to be done.
    pub(super) fn open_region(&mut self, expr: &Expr) -> Option<Region> {
        let pointer = std::ptr::from_ref(expr);
        let is_leaf = match &expr.kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::String(_) | ExprKind::Symbol(_) => true,
            ExprKind::Load(inner) | ExprKind::Decay(inner) | ExprKind::AddressOf(inner) => {
                matches!(inner.kind, ExprKind::Symbol(_))
            }
            _ => has_own_order(expr),
        };
        if is_leaf || self.is_model() || self.function.is_none() || self.orders.inner.contains(&pointer) {
            return None;
        }
        if self.orders.open.contains(&pointer) || !self.is_reachable() {
            return None;
        }
        self.orders.open.push(pointer);
        let early = self.plan(&[expr]);
        Some(Region { early })
    }

    pub(super) fn close_region(&mut self, region: Option<Region>) {
        if let Some(region) = region {
            self.forget_early(region);
            self.orders.open.pop();
        }
    }

    /// The same for the items of an initialiser.
    pub(super) fn open_items(&mut self, items: &[InitItem]) -> Region {
        if self.is_model() || self.function.is_none() || items.len() < 2 || !self.is_reachable() {
            return Region { early: Vec::new() };
        }
        let values: Vec<&Expr> = items.iter().map(|item| &item.value).collect();
        Region { early: self.plan(&values) }
    }

    pub(super) fn forget_early(&mut self, region: Region) {
        for pointer in region.early {
            self.orders.early.remove(&pointer);
        }
    }

    /// The value of an expression that was evaluated before.
    pub(super) fn early_value(&self, expr: &Expr) -> Option<TermId> {
        match self.orders.early.get(&std::ptr::from_ref(expr)) {
            Some(Early::Value(value)) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn early_place(&self, lhs: &Expr) -> Option<(Lvalue, TermId)> {
        match self.orders.early.get(&std::ptr::from_ref(lhs)) {
            Some(Early::Place(lvalue, old)) => Some((*lvalue, *old)),
            _ => None,
        }
    }

    /// Finds the units that disturb each other and evaluates them, in every order that makes a difference. Yields what is in
    /// `early` now.
    fn plan(&mut self, roots: &[&Expr]) -> Vec<*const Expr> {
        let mut units = Vec::new();
        for root in roots {
            self.gather(root, &mut Vec::new(), &mut units);
        }
        // A single root may be lowered again, in another copy of the text, and is then looked at again.
        if let [root] = roots {
            self.orders.inner.remove(&std::ptr::from_ref(*root));
        }
        if units.len() < 2 || units.iter().all(|unit| unit.called.is_empty() && unit.own.writes.is_empty()) {
            return Vec::new();
        }
        let outer = self.stand_at(roots[0].span);
        let early = self.plan_units(&units);
        self.span = outer;
        early
    }

    fn plan_units(&mut self, units: &[Unit<'_>]) -> Vec<*const Expr> {
        if let Some(symbol) = undefined(units) {
            let name = &self.lw.units[self.unit].symbols[symbol.0 as usize].name;
            let what =
                format!("`{name}` is changed and used again in one expression without an order, which is undefined");
            self.unsupported(&what);
            return Vec::new();
        }
        let totals: Vec<Effects> = units.iter().map(Unit::total).collect();
        let mut conflicts = Vec::new();
        for second in 0..units.len() {
            for first in 0..second {
                let is_quiet = units[first].called.is_empty() && units[second].called.is_empty();
                if is_quiet || is_above(units, first, second) || is_above(units, second, first) {
                    continue;
                }
                let by_call = self.lw.disturb(&units[first].called, &totals[second])
                    || self.lw.disturb(&units[second].called, &totals[first]);
                if !by_call {
                    continue;
                }
                if self.comes_between(&units[first], &totals[second])
                    || self.comes_between(&units[second], &totals[first])
                {
                    self.unsupported("a call that may come into the middle of another operand");
                    return Vec::new();
                }
                conflicts.push((first, second));
            }
        }
        if conflicts.is_empty() {
            return Vec::new();
        }
        let mut members: Vec<usize> = conflicts.iter().flat_map(|(first, second)| [*first, *second]).collect();
        members.sort_unstable();
        members.dedup();
        let orders = if members.len() > MAX_UNITS { None } else { orders_of(units, &members, &conflicts) };
        let Some(orders) = orders else {
            self.unsupported("an expression whose operands can be evaluated in very many orders");
            return Vec::new();
        };
        if members.iter().any(|member| !self.can_be_early(&units[*member])) {
            self.unsupported("the order of evaluation of operands like these");
            return Vec::new();
        }
        if orders.len() > 1 { self.evaluate_early(units, &orders) } else { Vec::new() }
    }

    /// Whether something else that disturbs an operand with an order of its own can tell its parts apart.
    fn comes_between(&mut self, unit: &Unit<'_>, other: &Effects) -> bool {
        unit.parts.iter().filter(|part| self.lw.disturb(part, other)).count() > 1
    }

    /// Whether a unit can be evaluated ahead, in several copies.
    fn can_be_early(&self, unit: &Unit<'_>) -> bool {
        let mut has_label = false;
        scan::visit_expr(unit.expr, &mut |part| {
            has_label |= matches!(part, Part::Stmt(stmt) if matches!(stmt.kind, StmtKind::Label { .. }));
            !has_label
        });
        let is_record = self.is_record(unit.expr.ty.ty);
        !has_label && (!is_record || matches!(unit.expr.kind, ExprKind::Call { .. }))
    }

    fn evaluate_early(&mut self, units: &[Unit<'_>], orders: &[Vec<usize>]) -> Vec<*const Expr> {
        // Enough bits for one number each, so that whoever tries all of them tries few.
        let width = orders.len().next_power_of_two().ilog2().max(1);
        let chosen = self.havoc(Sort::Bv(width), HavocKind::Choice);
        let starts: Vec<LocId> = orders.iter().map(|_| self.new_loc()).collect();
        let end = self.new_loc();
        let mut guarded = Vec::new();
        let mut none = self.pool().bool(true);
        for (index, start) in starts.iter().enumerate().skip(1) {
            let number = self.pool().bv(width, index as u64);
            let guard = self.pool().eq(chosen, number);
            let not = self.pool().not(guard);
            none = self.pool().and(none, not);
            guarded.push((guard, *start));
        }
        guarded.insert(0, (none, starts[0]));
        self.dispatch(&guarded);
        let mut kept: FxHashMap<usize, Vec<VarId>> = FxHashMap::default();
        let mut early = Vec::new();
        for (order, start) in orders.iter().zip(&starts) {
            self.resume_at(*start);
            early.clear();
            for index in order {
                let unit = &units[*index];
                let value = self.evaluate_unit(unit, kept.entry(*index).or_default());
                let pointer = std::ptr::from_ref(unit.expr);
                self.orders.early.insert(pointer, value);
                early.push(pointer);
            }
            self.goto(end);
        }
        self.resume_at(end);
        early
    }

    /// Evaluates a unit into temporaries, which are the same in all orders.
    fn evaluate_unit(&mut self, unit: &Unit<'_>, kept: &mut Vec<VarId>) -> Early {
        let ty = unit.expr.ty.ty;
        if unit.is_place {
            let lvalue = self.lvalue(unit.expr);
            let old = self.load(&lvalue);
            let at = match lvalue.at {
                At::Memory(addr) => At::Memory(self.keep_in(kept, 0, addr)),
                other => other,
            };
            let old = self.keep_in(kept, 1, old);
            return Early::Place(Lvalue { at, ..lvalue }, old);
        }
        // An outer order has put its value there, in another copy of the text.
        self.orders.early.remove(&std::ptr::from_ref(unit.expr));
        if self.is_record(ty) {
            return Early::Value(self.record_address(unit.expr));
        }
        if matches!(self.types().get(ty), Type::Void) {
            self.discard(unit.expr);
            return Early::Value(self.some_value(ty));
        }
        let value = self.eval(unit.expr);
        Early::Value(self.keep_in(kept, 0, value))
    }

    fn keep_in(&mut self, kept: &mut Vec<VarId>, index: usize, value: TermId) -> TermId {
        let sort = self.pool().sort(value);
        while kept.len() <= index {
            let next = self.temporary(sort);
            kept.push(next);
        }
        // In code that is not reached a value means nothing.
        if self.pool().var_sort(kept[index]) == sort && self.is_reachable() {
            self.emit(Op::Assign { var: kept[index], value });
        }
        self.var(kept[index])
    }

    /// Collects the units of an expression, those that need a value before those that make it.
    fn gather<'e>(&mut self, expr: &'e Expr, above: &mut Vec<usize>, units: &mut Vec<Unit<'e>>) {
        self.orders.inner.insert(std::ptr::from_ref(expr));
        if has_own_order(expr) {
            let unit = self.unit_with_parts(expr, above);
            units.push(unit);
            // Its operands are looked at when they are evaluated, each as a whole.
            return;
        }
        let depth = above.len();
        match &expr.kind {
            ExprKind::Load(lvalue) | ExprKind::Step { lvalue, .. } => {
                let is_written = matches!(expr.kind, ExprKind::Step { .. });
                let variable = self.scalar_variable(lvalue).map(|symbol| (symbol, is_written));
                self.push_unit(expr, false, variable, above, units);
                self.gather(lvalue, above, units);
            }
            ExprKind::Assign(lhs, rhs) => {
                let variable = self.scalar_variable(lhs).map(|symbol| (symbol, true));
                self.push_unit(expr, false, variable, above, units);
                self.gather(lhs, above, units);
                self.gather(rhs, above, units);
            }
            ExprKind::AssignOp { lhs, rhs, .. } => {
                let variable = self.scalar_variable(lhs);
                self.push_unit(expr, false, variable.map(|symbol| (symbol, true)), above, units);
                if !lhs.ty.is_atomic {
                    self.push_unit(lhs, true, variable.map(|symbol| (symbol, false)), above, units);
                }
                self.gather(lhs, above, units);
                above.truncate(depth + 1);
                self.gather(rhs, above, units);
            }
            ExprKind::Call { callee, args } => {
                self.push_unit(expr, false, None, above, units);
                if self.named_function(callee).is_none() {
                    self.gather(callee, above, units);
                }
                args.iter().for_each(|arg| self.gather(arg, above, units));
            }
            ExprKind::Builtin { args, .. } => {
                self.push_unit(expr, false, None, above, units);
                args.iter().for_each(|arg| self.gather(arg, above, units));
            }
            ExprKind::Deref(inner)
            | ExprKind::Member { base: inner, .. }
            | ExprKind::AddressOf(inner)
            | ExprKind::Decay(inner)
            | ExprKind::Unary(_, inner)
            | ExprKind::Cast(inner)
            | ExprKind::VaArg(inner) => self.gather(inner, above, units),
            ExprKind::Binary(_, a, b)
            | ExprKind::PointerAdd { pointer: a, index: b, .. }
            | ExprKind::PointerDiff { left: a, right: b, .. } => {
                self.gather(a, above, units);
                self.gather(b, above, units);
            }
            ExprKind::Compound { init, .. } => init.iter().for_each(|item| self.gather(&item.value, above, units)),
            _ => {}
        }
        above.truncate(depth);
    }

    fn push_unit<'e>(
        &mut self,
        expr: &'e Expr,
        is_place: bool,
        variable: Option<(SymbolId, bool)>,
        above: &mut Vec<usize>,
        units: &mut Vec<Unit<'e>>,
    ) {
        let effects = if is_place {
            Effects { reads: self.lw.thing_of(self.unit, expr).into_iter().collect(), ..Effects::default() }
        } else {
            self.lw.effects_of_node(self.unit, expr)
        };
        let mut unit = Unit {
            expr,
            is_place,
            own: Effects::default(),
            called: Effects::default(),
            parts: Vec::new(),
            variable,
            above: above.clone(),
        };
        // When an atomic access happens, others can tell, as with a call.
        if (unit.is_call() || effects.is_visible) && !is_place {
            unit.called = effects;
        } else {
            unit.own = effects;
        }
        // A call orders its arguments before it even if it touches nothing.
        if unit.own.is_empty() && unit.called.is_empty() && !unit.is_call() {
            return;
        }
        above.push(units.len());
        units.push(unit);
    }

    fn unit_with_parts<'e>(&mut self, expr: &'e Expr, above: &[usize]) -> Unit<'e> {
        let (mut own, mut called, mut parts) = (Effects::default(), Effects::default(), Vec::new());
        scan::visit_expr(expr, &mut |part| {
            if let Part::Expr(part) = part {
                let effects = self.lw.effects_of_node(self.unit, part);
                let is_call = matches!(part.kind, ExprKind::Call { .. } | ExprKind::Builtin { .. });
                if is_call || effects.is_visible {
                    called.add(&effects)
                } else {
                    own.add(&effects)
                }
                if !effects.is_empty() {
                    parts.push(effects);
                }
            }
            true
        });
        Unit { expr, is_place: false, own, called, parts, variable: None, above: above.to_vec() }
    }

    fn scalar_variable(&self, lvalue: &Expr) -> Option<SymbolId> {
        match lvalue.kind {
            ExprKind::Symbol(symbol) if self.scalar(lvalue.ty.ty).is_some() => Some(symbol),
            _ => None,
        }
    }
}

/// Whether the parts of an expression are evaluated in an order that C fixes.
fn has_own_order(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::LogicalAnd(..)
            | ExprKind::LogicalOr(..)
            | ExprKind::Conditional { .. }
            | ExprKind::Comma(..)
            | ExprKind::Statements(_)
    )
}

/// Whether the first unit needs the value of the second.
fn is_above(units: &[Unit<'_>], first: usize, second: usize) -> bool {
    units[second].above.contains(&first)
}

/// A variable that is changed and used without an order between the two.
fn undefined(units: &[Unit<'_>]) -> Option<SymbolId> {
    for (second, b) in units.iter().enumerate() {
        for (first, a) in units.iter().enumerate().take(second) {
            let (Some((x, x_written)), Some((y, y_written))) = (a.variable, b.variable) else { continue };
            if x != y || !x_written && !y_written {
                continue;
            }
            // What is needed for a value comes before it, but not what happens besides, except in a called function's arguments.
            let is_needed = b.above.contains(&first) && {
                let through_call = b.above.iter().any(|above| *above > first && units[*above].is_call());
                !y_written || through_call
            };
            if !is_needed {
                return Some(x);
            }
        }
    }
    None
}

/// The orders of the members that differ in a conflict, the one from left to right first; `None` if there are too many.
fn orders_of(units: &[Unit<'_>], members: &[usize], conflicts: &[(usize, usize)]) -> Option<Vec<Vec<usize>>> {
    let mut found: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    let mut order = Vec::new();
    extend(units, members, conflicts, &mut order, &mut found);
    (found.len() <= MAX_ORDERS).then(|| found.into_iter().map(|(_, order)| order).collect())
}

fn extend(
    units: &[Unit<'_>],
    members: &[usize],
    conflicts: &[(usize, usize)],
    order: &mut Vec<usize>,
    found: &mut Vec<(Vec<bool>, Vec<usize>)>,
) {
    if order.len() == members.len() {
        let position = |unit: usize| order.iter().position(|other| *other == unit);
        let signs: Vec<bool> = conflicts.iter().map(|(a, b)| position(*a) < position(*b)).collect();
        if !found.iter().any(|(other, _)| *other == signs) {
            found.push((signs, order.clone()));
        }
        return;
    }
    for member in members {
        let is_ready = members.iter().all(|other| order.contains(other) || !is_above(units, *member, *other));
        if !order.contains(member) && is_ready {
            order.push(*member);
            extend(units, members, conflicts, order, found);
            order.pop();
        }
    }
}
