//! What may an expression or a function touch, and whom would that disturb?
//!
//! Known as: effect analysis, side-effect summaries. Asked where C leaves the order of evaluation open (see `order`): two
//! operands that touch nothing in common can be taken in any order. A variable whose address goes nowhere is told apart from
//! all others; everything behind a pointer is one thing, which also stands for the variables that something may point
//! to. What a called function does is the sum of its body and of all that it calls; a call by pointer is anything.
//!
//! Everything here errs on the side of touching more.

use super::scan::{self, Part};
use crate::c::lower::calls::asm::reading;
use crate::c::lower::calls::library::{self, Known};
use crate::c::lower::context::{FunctionRef, Lowering, SymbolRef};
use crate::c::typed::{Expr, ExprKind, Stmt, StmtKind, Storage, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A thing that can be read and written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::c::lower) enum Thing {
    /// A variable that is named.
    Named(SymbolRef),
    /// Whatever pointers lead to.
    Pointed,
}

/// What may be touched.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::c::lower) struct Effects {
    pub(in crate::c::lower) reads: FxHashSet<Thing>,
    pub(in crate::c::lower) writes: FxHashSet<Thing>,
    /// Something whose moment other threads can tell: an atomic access, a lock, the start of a thread.
    pub(in crate::c::lower) is_visible: bool,
    /// Everything may be touched.
    pub(in crate::c::lower) is_any: bool,
    /// The process may end here, or the execution may be given up.
    pub(in crate::c::lower) stops: bool,
    /// An assertion or an error call.
    pub(in crate::c::lower) fails: bool,
}

/// The effects found so far.
#[derive(Default)]
pub(in crate::c::lower) struct Summaries {
    /// Variables that pointers may lead to; `None` until asked for.
    escaped: Option<Rc<FxHashSet<SymbolRef>>>,
    /// What a function does itself, and what it calls.
    own: FxHashMap<FunctionRef, Rc<(Effects, Vec<FunctionRef>)>>,
    whole: FxHashMap<FunctionRef, Rc<Effects>>,
}

impl Effects {
    fn any() -> Effects {
        Effects { is_visible: true, is_any: true, stops: true, fails: true, ..Effects::default() }
    }

    pub(in crate::c::lower) fn add(&mut self, other: &Effects) {
        self.reads.extend(other.reads.iter().copied());
        self.writes.extend(other.writes.iter().copied());
        self.is_visible |= other.is_visible;
        self.is_any |= other.is_any;
        self.stops |= other.stops;
        self.fails |= other.fails;
    }

    pub(in crate::c::lower) fn is_empty(&self) -> bool {
        let has_flag = self.is_visible || self.is_any || self.stops || self.fails;
        !has_flag && self.reads.is_empty() && self.writes.is_empty()
    }

    fn touch(&mut self, thing: Option<Thing>, reads: bool, writes: bool) {
        if reads {
            self.reads.extend(thing);
        }
        if writes {
            self.writes.extend(thing);
        }
    }
}

impl<'u> Lowering<'u> {
    /// Whether the order of two evaluations can make a difference.
    pub(in crate::c::lower) fn disturb(&mut self, a: &Effects, b: &Effects) -> bool {
        let escaped = self.escaped();
        let is_private = |thing: &Thing| match thing {
            Thing::Named(reference) => {
                let storage = self.symbol(*reference).storage;
                storage.is_local() && !escaped.contains(reference)
            }
            Thing::Pointed => false,
        };
        let is_shared = |things: &FxHashSet<Thing>| things.iter().any(|thing| !is_private(thing));
        let writes_shared = |e: &Effects| e.is_any || is_shared(&e.writes);
        let is_seen = |e: &Effects| e.is_any || e.is_visible || is_shared(&e.reads) || is_shared(&e.writes);
        let meets = |x: &FxHashSet<Thing>, y: &FxHashSet<Thing>| {
            let may_point = |things: &FxHashSet<Thing>| {
                things.iter().any(|thing| matches!(thing, Thing::Named(name) if escaped.contains(name)))
            };
            x.iter().any(|thing| y.contains(thing))
                || x.contains(&Thing::Pointed) && may_point(y)
                || y.contains(&Thing::Pointed) && may_point(x)
        };
        let one_way = |a: &Effects, b: &Effects| {
            (a.is_visible || a.is_any) && is_seen(b)
                || a.stops && (b.fails || b.is_visible || writes_shared(b))
                || meets(&a.writes, &b.reads)
                || meets(&a.writes, &b.writes)
        };
        one_way(a, b) || one_way(b, a)
    }

    /// What one node of an expression does, without its parts; with what it calls.
    pub(in crate::c::lower) fn effects_of_node(&mut self, unit: usize, expr: &Expr) -> Effects {
        let (mut effects, callee) = self.node(unit, expr);
        if let Some(callee) = callee {
            effects.add(&self.effects_of_function(callee));
        }
        effects
    }

    fn effects_of_function(&mut self, function: FunctionRef) -> Rc<Effects> {
        if let Some(known) = self.summaries.whole.get(&function) {
            return known.clone();
        }
        let mut total = Effects::default();
        let (mut open, mut seen) = (vec![function], FxHashSet::default());
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                let own = self.own_effects(next);
                total.add(&own.0);
                open.extend(own.1.iter().copied());
            }
        }
        let total = Rc::new(total);
        self.summaries.whole.insert(function, total.clone());
        total
    }

    fn own_effects(&mut self, reference: FunctionRef) -> Rc<(Effects, Vec<FunctionRef>)> {
        if let Some(known) = self.summaries.own.get(&reference) {
            return known.clone();
        }
        let body = &self.function(reference).body;
        let mut total = Effects::default();
        let mut callees = Vec::new();
        scan::visit(body, &mut |part| {
            match part {
                Part::Expr(expr) => {
                    let (effects, callee) = self.node(reference.unit, expr);
                    total.add(&effects);
                    callees.extend(callee);
                }
                Part::Stmt(Stmt { kind: StmtKind::Asm(asm), .. }) => {
                    if !reading::does_nothing(asm) {
                        total.add(&Effects::any());
                    }
                }
                Part::Stmt(_) => {}
            }
            true
        });
        // Its own variables are nobody else's.
        let is_own = |thing: &Thing| match thing {
            Thing::Named(name) => self.symbol(*name).storage.is_local(),
            Thing::Pointed => false,
        };
        total.reads.retain(|thing| !is_own(thing));
        total.writes.retain(|thing| !is_own(thing));
        callees.sort_by_key(|callee| (callee.unit, callee.index));
        callees.dedup();
        let own = Rc::new((total, callees));
        self.summaries.own.insert(reference, own.clone());
        own
    }

    /// What a node does itself, and the function with a body that it calls.
    fn node(&mut self, unit: usize, expr: &Expr) -> (Effects, Option<FunctionRef>) {
        let mut effects = Effects::default();
        let (lvalue, reads, writes) = match &expr.kind {
            ExprKind::Load(lvalue) => (lvalue, true, false),
            ExprKind::Assign(lvalue, _) => (lvalue, false, true),
            ExprKind::AssignOp { lhs: lvalue, .. } | ExprKind::Step { lvalue, .. } => (lvalue, true, true),
            ExprKind::Call { callee, .. } => return self.call_effects(unit, callee),
            ExprKind::Builtin { name, args } => return self.builtin_effects(unit, name, args),
            ExprKind::Statements(stmts) => {
                let is_effect = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Asm(asm) if !reading::does_nothing(asm));
                if stmts.iter().any(is_effect) {
                    effects.add(&Effects::any());
                }
                return (effects, None);
            }
            _ => return (effects, None),
        };
        effects.touch(self.thing_of(unit, lvalue), reads, writes);
        effects.is_visible = lvalue.ty.is_atomic;
        (effects, None)
    }

    fn call_effects(&mut self, unit: usize, callee: &Expr) -> (Effects, Option<FunctionRef>) {
        match self.function_named(unit, callee) {
            Some(reference) => {
                let name = self.symbol(reference).name.as_str();
                self.named_effects(unit, name, Some(reference))
            }
            None => (Effects::any(), None),
        }
    }

    /// The function that an expression names, under decay, `&`, `*` and casts.
    fn function_named(&self, unit: usize, callee: &Expr) -> Option<SymbolRef> {
        match &callee.kind {
            ExprKind::Symbol(symbol) => {
                let reference = SymbolRef { unit, symbol: *symbol };
                (self.symbol(reference).storage == Storage::Function).then_some(reference)
            }
            ExprKind::Decay(inner) | ExprKind::AddressOf(inner) | ExprKind::Deref(inner) | ExprKind::Cast(inner) => {
                self.function_named(unit, inner)
            }
            _ => None,
        }
    }

    fn named_effects(
        &mut self,
        unit: usize,
        name: &str,
        reference: Option<SymbolRef>,
    ) -> (Effects, Option<FunctionRef>) {
        if unit >= self.first_model && name.starts_with("__ravel_") {
            return (intrinsic_effects(name), None);
        }
        let function = match reference {
            Some(reference) => self.resolve_function(reference),
            None => self.functions.get(name).copied(),
        };
        let is_users = function.is_some_and(|function| self.is_user_function(function));
        match library::known(name) {
            Some(known) if !is_users || known.overrides_definitions() => (known_effects(known), None),
            // What has neither a body nor a model is refused where it is called.
            _ => (Effects::default(), function),
        }
    }

    fn builtin_effects(&mut self, unit: usize, name: &str, args: &[Expr]) -> (Effects, Option<FunctionRef>) {
        let mut effects = Effects::default();
        let is_atomic = ["__atomic_", "__sync_", "__c11_atomic_"].iter().any(|prefix| name.starts_with(prefix));
        let short = name.strip_prefix("__builtin_").unwrap_or(name);
        // It orders what the compiler makes of one thread, which is in order anyway.
        if is_atomic && name.ends_with("_signal_fence") {
            return (effects, None);
        }
        if is_atomic || short.ends_with("_overflow") {
            effects.is_visible = is_atomic;
            for arg in args.iter().filter(|arg| self.units[unit].types.is_pointer(arg.ty.ty)) {
                effects.touch(self.thing_behind(unit, arg), true, true);
            }
            return (effects, None);
        }
        if short.starts_with("ia32_") {
            return (Effects { is_visible: true, ..effects }, None);
        }
        if short == "unreachable" {
            return (Effects { stops: true, ..effects }, None);
        }
        if PURE_BUILTINS.iter().any(|pure| short.starts_with(pure)) {
            return (effects, None);
        }
        let plain = short.strip_prefix("__").and_then(|name| name.strip_suffix("_chk")).unwrap_or(short);
        self.named_effects(unit, plain, None)
    }

    /// What an lvalue is a part of; `None` for what nothing else can touch.
    pub(in crate::c::lower) fn thing_of(&self, unit: usize, lvalue: &Expr) -> Option<Thing> {
        match &lvalue.kind {
            ExprKind::Symbol(symbol) => self.variable(unit, *symbol),
            ExprKind::Compound { symbol, .. } => self.variable(unit, *symbol),
            ExprKind::Deref(pointer) => self.thing_behind(unit, pointer),
            ExprKind::Member { base: inner, .. }
            | ExprKind::Load(inner)
            | ExprKind::Cast(inner)
            | ExprKind::Assign(inner, _) => self.thing_of(unit, inner),
            ExprKind::String(_) | ExprKind::Call { .. } => None,
            _ => Some(Thing::Pointed),
        }
    }

    fn variable(&self, unit: usize, symbol: SymbolId) -> Option<Thing> {
        let reference = SymbolRef { unit, symbol };
        match self.symbol(reference).storage {
            Storage::Function => None,
            Storage::Auto | Storage::Param | Storage::Temporary => Some(Thing::Named(reference)),
            Storage::Extern | Storage::Static | Storage::Thread => Some(Thing::Named(self.owner(reference))),
        }
    }

    fn thing_behind(&self, unit: usize, pointer: &Expr) -> Option<Thing> {
        match named_by(pointer) {
            Some(path) => match &path.kind {
                ExprKind::Decay(inner) | ExprKind::AddressOf(inner) => self.thing_of(unit, inner),
                _ => Some(Thing::Pointed),
            },
            None => Some(Thing::Pointed),
        }
    }

    /// The variables of the user's units that pointers may lead to.
    fn escaped(&mut self) -> Rc<FxHashSet<SymbolRef>> {
        if let Some(known) = &self.summaries.escaped {
            return known.clone();
        }
        let mut escaped = FxHashSet::default();
        let mut excused: FxHashSet<*const Expr> = FxHashSet::default();
        for (index, unit) in self.units.iter().enumerate() {
            let mut see = |part: Part<'_>| {
                let Part::Expr(expr) = part else { return true };
                match &expr.kind {
                    ExprKind::Deref(pointer) => excused.extend(named_by(pointer).map(std::ptr::from_ref)),
                    ExprKind::Builtin { name, args }
                        if name.starts_with("__atomic_") || name.starts_with("__sync_") =>
                    {
                        excused.extend(args.iter().filter_map(named_by).map(std::ptr::from_ref));
                    }
                    ExprKind::AddressOf(inner) | ExprKind::Decay(inner)
                        if !excused.contains(&std::ptr::from_ref(expr)) =>
                    {
                        if let Some(Thing::Named(reference)) = self.thing_of(index, inner) {
                            escaped.insert(reference);
                        }
                    }
                    _ => {}
                }
                true
            };
            for function in &unit.functions {
                scan::visit(&function.body, &mut see);
            }
            for global in &unit.globals {
                for item in global.init.as_deref().unwrap_or_default() {
                    scan::visit_expr(&item.value, &mut see);
                }
            }
        }
        let escaped = Rc::new(escaped);
        self.summaries.escaped = Some(escaped.clone());
        escaped
    }
}

/// The node in which a pointer names what it points to: `&x` or an array, under arithmetic and casts.
fn named_by(pointer: &Expr) -> Option<&Expr> {
    match &pointer.kind {
        ExprKind::Decay(_) | ExprKind::AddressOf(_) => Some(pointer),
        ExprKind::PointerAdd { pointer: inner, .. } | ExprKind::Cast(inner) => named_by(inner),
        _ => None,
    }
}

/// Builtins that only compute, by how their names begin.
const PURE_BUILTINS: [&str; 36] = [
    "expect",
    "assume",
    "prefetch",
    "constant_p",
    "object_size",
    "dynamic_object_size",
    "ffs",
    "ctz",
    "clz",
    "clrsb",
    "popcount",
    "parity",
    "bswap",
    "fabs",
    "sqrt",
    "isnan",
    "isinf",
    "isfinite",
    "isnormal",
    "isgreater",
    "isgreaterequal",
    "isless",
    "islessequal",
    "islessgreater",
    "isunordered",
    "fpclassify",
    "inf",
    "huge_val",
    "nan",
    "alloca",
    "abs",
    "labs",
    "va_end",
    "signbit",
    "copysign",
    "types_compatible",
];

fn known_effects(known: Known) -> Effects {
    let mut effects = Effects::default();
    match known {
        Known::Error | Known::AssertFail | Known::Assert => effects.fails = true,
        Known::Assume | Known::Abort | Known::Exit => effects.stops = true,
        Known::AtomicBegin | Known::AtomicEnd => return Effects::any(),
        // What is printed may be text behind a pointer, and go to one.
        Known::Free | Known::Scan(_) | Known::Print(_) => effects.touch(Some(Thing::Pointed), true, true),
        Known::Send | Known::Receive | Known::TryReceive => {
            effects.touch(Some(Thing::Pointed), true, true);
            effects.is_visible = true;
        }
        Known::Refuse => effects.fails = true,
        Known::Nondet | Known::Nothing | Known::Malloc | Known::Calloc => {}
    }
    effects
}

fn intrinsic_effects(name: &str) -> Effects {
    let mut effects = Effects::default();
    match name {
        "__ravel_self"
        | "__ravel_choice"
        | "__ravel_alloc"
        | "__ravel_uses"
        | "__ravel_uses_mutex_kinds"
        | "__ravel_has_pipes"
        | "__ravel_follows_pipes"
        | "__ravel_may_fail"
        | "__ravel_unsupported" => {}
        "__ravel_assume" => effects.stops = true,
        "__ravel_free" => effects.touch(Some(Thing::Pointed), true, true),
        _ if name.starts_with("__ravel_input_")
            || name.starts_with("__ravel_approximate_")
            || name.starts_with("__ravel_mark_") => {}
        "__ravel_await" | "__ravel_rmw" | "__ravel_try" => {
            effects.touch(Some(Thing::Pointed), true, true);
            effects.is_visible = true;
        }
        _ => return Effects::any(),
    }
    effects
}
