//! May a thread use the handle of another one? Then it matters when `pthread_create` stores it.
//!
//! It may if a function that can run in a started thread calls one of those that take a handle, with another one than its own, or compares its own with another. Whatever has its address taken can be
//! started; whoever calls such a function directly runs there, too.

use super::scan::{Part, function_name, is_own_handle, visit, visit_expr};
use crate::c::typed::{BinaryOp, Expr, ExprKind, Storage, Unit};
use rustc_hash::FxHashSet;

/// Functions whose first argument is a handle.
const TAKES_HANDLE: [&str; 7] = [
    "pthread_join",
    "pthread_tryjoin_np",
    "pthread_timedjoin_np",
    "pthread_detach",
    "pthread_cancel",
    "pthread_kill",
    "pthread_equal",
];

/// Functions that run in started threads, as far as they are found, and whether one of them uses a handle of another thread.
#[derive(Default)]
struct Found<'u> {
    started: FxHashSet<&'u str>,
    uses_handle: bool,
}

/// Whether a started thread may use the handle of another one.
pub(in crate::c::lower) fn may_use_handles_of_others(units: &[Unit]) -> bool {
    let is_declared = |unit: &Unit| unit.symbols.iter().any(|symbol| TAKES_HANDLE.contains(&symbol.name.as_str()));
    if !units.iter().any(is_declared) {
        return false;
    }
    let mut found = Found::default();
    for unit in units {
        let values = unit.globals.iter().flat_map(|global| global.init.as_deref().unwrap_or_default());
        values.for_each(|item| visit_expr(&item.value, &mut |part| found.note_address(unit, part)));
        for function in &unit.functions {
            visit(&function.body, &mut |part| found.note_address(unit, part));
        }
    }
    loop {
        let before = found.started.len();
        for unit in units {
            for function in &unit.functions {
                if found.started.contains(unit.symbols[function.symbol.0 as usize].name.as_str()) {
                    visit(&function.body, &mut |part| found.note_call(unit, part));
                }
            }
        }
        if found.uses_handle || found.started.len() == before {
            return found.uses_handle;
        }
    }
}

impl<'u> Found<'u> {
    /// A function that is mentioned, but not as who is called, can be started.
    fn note_address(&mut self, unit: &'u Unit, part: Part<'u>) -> bool {
        match part {
            Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) if function_name(unit, callee).is_some() => {
                args.iter().for_each(|arg| visit_expr(arg, &mut |part| self.note_address(unit, part)));
                false
            }
            Part::Expr(Expr { kind: ExprKind::Symbol(symbol), .. }) => {
                let symbol = &unit.symbols[symbol.0 as usize];
                if symbol.storage == Storage::Function {
                    self.started.insert(&symbol.name);
                }
                true
            }
            _ => true,
        }
    }

    /// What a function that is started calls runs there, too.
    fn note_call(&mut self, unit: &'u Unit, part: Part<'u>) -> bool {
        if let Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) = part
            && let Some(name) = function_name(unit, callee)
        {
            self.started.insert(name);
            self.uses_handle |= TAKES_HANDLE.contains(&name) && !args.iter().all(|arg| is_own(unit, arg));
        }
        if let Part::Expr(Expr { kind: ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b), .. }) = part {
            self.uses_handle |=
                [(a, b), (b, a)].iter().any(|(own, other)| is_own_handle(unit, own) && !is_own(unit, other));
        }
        true
    }
}

/// Whether a value is the handle of the running thread, or nothing.
fn is_own(unit: &Unit, arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Cast(inner) => is_own(unit, inner),
        ExprKind::Int(_) => true,
        _ => is_own_handle(unit, arg),
    }
}
