//! May threads wait on one condition variable with different mutexes? If the text shows that they do not, nobody has to keep in mind which one is used.
//!
//! It shows that if every wait names both by their places, and the place of the condition variable says which mutex it is:
//!
//! - `&x->full` with `&x->lock`: both are members of one record, and all waits on that member of that type of record use that other member. Where the record
//!   is has to be said twice in the same words, by variables that nobody else can change in between;
//! - `&full` or `&x->full` with `&lock`: the mutex is a variable, the same one in all waits on that condition variable or member.
//!
//! Everything else counts as "they may": then the models keep a record. It would be kept inside of the condition variable, as a pointer to what is often the
//! very record that it is part of, so that whatever is read from such a record could be a pointer to it.

use super::scan::{Part, visit, visit_expr};
use crate::c::typed::{Expr, ExprKind, Storage, SymbolId, Unit};
use crate::c::types::{RecordId, Type};
use rustc_hash::FxHashMap;

const WAITS: [&str; 5] =
    ["pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait"];

/// Which condition variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Condition {
    Variable(SymbolId),
    /// The one at that offset in all records of the type.
    Member(RecordId, u64),
}

/// Which mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Partner {
    Variable(SymbolId),
    /// The one at that offset in the same record.
    Member(u64),
}

/// Whether a condition variable may be waited on with different mutexes.
pub(in crate::c::lower) fn may_change_partner(units: &[Unit]) -> bool {
    let waits = |unit: &Unit| unit.symbols.iter().any(|symbol| WAITS.contains(&symbol.name.as_str()));
    match units {
        [unit] => waits(unit) && may_change_in(unit),
        _ => units.iter().any(waits),
    }
}

fn may_change_in(unit: &Unit) -> bool {
    let (mut n_mentions, mut n_calls, mut is_simple) = (0, 0, true);
    let mut partners: FxHashMap<Condition, Partner> = FxHashMap::default();
    let mut see = |part: Part<'_>| {
        match part {
            Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. }) => {
                n_mentions += usize::from(is_wait(unit, *symbol))
            }
            Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) if calls_wait(unit, callee) => {
                n_calls += 1;
                is_simple &= match pair(unit, args) {
                    Some((condition, partner)) => *partners.entry(condition).or_insert(partner) == partner,
                    None => false,
                };
            }
            _ => {}
        }
        true
    };
    unit.functions.iter().for_each(|function| visit(&function.body, &mut see));
    let initial = unit.globals.iter().flat_map(|global| global.init.as_deref().unwrap_or_default());
    initial.for_each(|item| visit_expr(&item.value, &mut see));
    // Whoever names the function otherwise may call it with anything.
    !is_simple || n_mentions != n_calls
}

fn is_wait(unit: &Unit, symbol: SymbolId) -> bool {
    WAITS.contains(&unit.symbols[symbol.0 as usize].name.as_str())
}

fn calls_wait(unit: &Unit, callee: &Expr) -> bool {
    match &callee.kind {
        ExprKind::Symbol(symbol) => is_wait(unit, *symbol),
        ExprKind::Decay(inner) | ExprKind::Cast(inner) => calls_wait(unit, inner),
        _ => false,
    }
}

/// What a wait names, if its text says so.
fn pair(unit: &Unit, args: &[Expr]) -> Option<(Condition, Partner)> {
    let [condition, mutex, ..] = args else { return None };
    let (condition, mutex) = (named_place(condition)?, named_place(mutex)?);
    let is_fixed = |symbol: SymbolId| {
        let storage = unit.symbols[symbol.0 as usize].storage;
        !storage.is_local() && storage != Storage::Thread
    };
    match (&condition.kind, &mutex.kind) {
        // Two variables of one call are those of every call, or both of this activation.
        (ExprKind::Symbol(condition), ExprKind::Symbol(mutex)) => {
            let fits = is_fixed(*mutex) || !is_fixed(*condition);
            fits.then_some((Condition::Variable(*condition), Partner::Variable(*mutex)))
        }
        (ExprKind::Member { base, offset, .. }, ExprKind::Symbol(mutex)) if is_fixed(*mutex) => {
            Some((Condition::Member(record_of(unit, base)?, *offset), Partner::Variable(*mutex)))
        }
        (ExprKind::Member { base, offset, .. }, ExprKind::Member { base: other, offset: at, .. }) => {
            let record = record_of(unit, base)?;
            is_same(unit, base, other).then_some((Condition::Member(record, *offset), Partner::Member(*at)))
        }
        _ => None,
    }
}

/// The place whose address an expression is.
fn named_place(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Cast(inner) => named_place(inner),
        ExprKind::AddressOf(place) => Some(place),
        _ => None,
    }
}

/// The type of a record, unless its members share their bytes.
fn record_of(unit: &Unit, base: &Expr) -> Option<RecordId> {
    match unit.types.get(base.ty.ty) {
        Type::Record(id) if !unit.types.record(*id).is_union => Some(*id),
        _ => None,
    }
}

/// Whether two expressions of one call are the same place or value: the same words about what nobody else can change.
fn is_same(unit: &Unit, a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Symbol(a), ExprKind::Symbol(b)) => a == b,
        (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
        (ExprKind::Member { base, offset, .. }, ExprKind::Member { base: other, offset: at, .. }) => {
            offset == at && is_same(unit, base, other)
        }
        (ExprKind::Load(a), ExprKind::Load(b)) => {
            let is_private = matches!(a.kind, ExprKind::Symbol(symbol) if is_private(unit, symbol));
            is_private && is_same(unit, a, b)
        }
        (ExprKind::Deref(a), ExprKind::Deref(b))
        | (ExprKind::Decay(a), ExprKind::Decay(b))
        | (ExprKind::AddressOf(a), ExprKind::AddressOf(b)) => is_same(unit, a, b),
        (ExprKind::Cast(from), ExprKind::Cast(other)) => a.ty.ty == b.ty.ty && is_same(unit, from, other),
        (
            ExprKind::PointerAdd { pointer, index, size, is_sub },
            ExprKind::PointerAdd { pointer: other, index: at, size: other_size, is_sub: other_sub },
        ) => (size, is_sub) == (other_size, other_sub) && is_same(unit, pointer, other) && is_same(unit, index, at),
        _ => false,
    }
}

/// Whether only the function itself can change a variable.
fn is_private(unit: &Unit, symbol: SymbolId) -> bool {
    let symbol = &unit.symbols[symbol.0 as usize];
    symbol.storage.is_local() && !symbol.address_taken
}
