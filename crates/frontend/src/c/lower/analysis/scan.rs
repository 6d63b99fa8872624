//! What does the program mention, before any of it is lowered?
//!
//! A few decisions need to know the whole text: whether `ERROR:` labels are the error states (only in programs that call
//! no error function), and which parts of a library model can be left out because nothing asks for them (mutex
//! kinds, thread-specific destructors). Everything here errs on the side of "yes, it is used".
//!
//! `visit` is the one walk over typed trees that the lowering has besides its own.

use super::lock_bytes::{is_union_over_lock, may_be_lock, shows_lock_as_other};
use crate::c::typed::{BinaryOp, Expr, ExprKind, InitItem, Stmt, StmtKind, Storage, Symbol, SymbolId, Unit};
use crate::c::types::{IntKind, RecordId, Type, TypeId, Types};
use rustc_hash::FxHashSet;

/// What the user's units mention.
#[derive(Default)]
pub(in crate::c::lower) struct Facts {
    /// Names of functions that are called or whose address is taken.
    pub(in crate::c::lower) functions: FxHashSet<String>,
    /// Whether some initialiser makes a mutex of another kind than the normal one.
    pub(in crate::c::lower) has_special_mutex: bool,
    /// Whether some initialiser makes a read-write lock of another kind than the normal one.
    pub(in crate::c::lower) has_special_rwlock: bool,
    /// Whether a lock may lie in memory that nobody has written: on the heap, or in a local variable without initialiser.
    pub(in crate::c::lower) has_unset_locks: bool,
    /// Whether a lock may be a local variable.
    has_local_locks: bool,
    /// Whether a thread may be joined twice.
    pub(in crate::c::lower) may_misjoin: bool,
    /// Whether a started thread may use the handle of another one.
    pub(in crate::c::lower) may_use_handles_of_others: bool,
    /// Whether a condition variable may be waited on with different mutexes.
    pub(in crate::c::lower) may_change_partner: bool,
    /// Whether some bytes may be read other than by the members of an object.
    looks_at_bytes: bool,
    /// Records that are pointed to as something else too, so that their padding may be among these bytes.
    punned: FxHashSet<RecordId>,
    n_units: usize,
    /// Arguments whose bytes are not looked at.
    excused: FxHashSet<*const Expr>,
    /// Functions where they are called by name.
    callees: FxHashSet<*const Expr>,
    /// Variables that handles of threads are put into, those that are compared, and long ones that are computed with or ordered, by unit.
    handles: FxHashSet<(usize, SymbolId)>,
    compared: FxHashSet<(usize, SymbolId)>,
    computed: FxHashSet<(usize, SymbolId)>,
    at_unit: usize,
    /// How often a thread asks for its own handle, and how often it does only to hand it to the thread library or to compare it.
    n_own_handles: usize,
    n_plain_handles: usize,
}

/// Functions that read memory whatever its type.
const BYTE_FUNCTIONS: [&str; 7] = ["memcmp", "bcmp", "memchr", "memcpy", "memmove", "mempcpy", "bcopy"];

/// Functions that say which thread this is.
const OWN_HANDLE: [&str; 2] = ["pthread_self", "thrd_current"];

/// Whether an expression is a call of one of these.
pub(super) fn is_own_handle(unit: &Unit, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast(inner) => is_own_handle(unit, inner),
        ExprKind::Call { callee, .. } => function_name(unit, callee).is_some_and(|name| OWN_HANDLE.contains(&name)),
        _ => false,
    }
}

/// Functions whose result points to what has no type yet.
const ALLOCATORS: [&str; 7] = ["malloc", "calloc", "realloc", "alloca", "aligned_alloc", "memalign", "valloc"];

/// Functions whose result, or what they store, points to memory that nobody has written.
const GIVES_UNSET_MEMORY: [&str; 9] =
    ["malloc", "realloc", "reallocarray", "alloca", "aligned_alloc", "posix_memalign", "memalign", "valloc", "pvalloc"];

impl Facts {
    /// Whether a thread may do more with its own handle than hand it on or compare it, or somebody with that of another one.
    pub(in crate::c::lower) fn looks_at_handles(&self) -> bool {
        self.n_own_handles > self.n_plain_handles || self.computed.intersection(&self.handles).next().is_some()
    }

    pub(in crate::c::lower) fn gather(units: &[Unit], entry: &str) -> Facts {
        let may_misjoin = super::joins::may_misjoin(units, entry);
        let may_change_partner = super::partners::may_change_partner(units);
        let mut facts = Facts { n_units: units.len(), may_misjoin, may_change_partner, ..Facts::default() };
        for (index, unit) in units.iter().enumerate() {
            facts.at_unit = index;
            for function in &unit.functions {
                visit(&function.body, &mut |part| facts.note(unit, part));
            }
            for global in &unit.globals {
                let items = global.init.as_deref().unwrap_or_default();
                let ty = unit.symbols[global.symbol.0 as usize].ty.ty;
                facts.note_init(&unit.types, ty, items);
                for item in items {
                    visit_expr(&item.value, &mut |part| facts.note(unit, part));
                }
            }
        }
        facts.looks_at_bytes |= BYTE_FUNCTIONS.iter().any(|name| facts.functions.contains(*name));
        // It resizes blocks, too.
        if facts.uses("getline") {
            facts.functions.insert("realloc".to_string());
        }
        facts
    }

    /// Whether the padding of a record may be looked at.
    pub(in crate::c::lower) fn shows_padding(&self, types: &Types, ty: TypeId) -> bool {
        if !self.looks_at_bytes || self.punned.is_empty() {
            return false;
        }
        let mut within = FxHashSet::default();
        records_in(types, ty, &mut within);
        let mut seen = FxHashSet::default();
        for id in self.punned.iter().filter(|_| self.n_units == 1) {
            seen.insert(*id);
            for field in types.record(*id).fields.iter().flatten() {
                records_in(types, field.ty.ty, &mut seen);
            }
        }
        // Several units have types of their own.
        self.n_units > 1 || within.iter().any(|id| seen.contains(id))
    }

    /// Whether the program mentions a function.
    pub(in crate::c::lower) fn uses(&self, function: &str) -> bool {
        self.functions.contains(function)
    }

    /// Whether the memory of a lock may end before the process does.
    pub(in crate::c::lower) fn may_locks_end(&self) -> bool {
        self.has_local_locks || self.uses("free") || self.uses("realloc")
    }

    /// Whether handles of threads may be compared without a call.
    pub(in crate::c::lower) fn compares_handles(&self) -> bool {
        self.handles.intersection(&self.compared).next().is_some()
    }

    /// Whether the program reports errors by a call.
    pub(in crate::c::lower) fn calls_error_function(&self) -> bool {
        crate::c::lower::calls::library::ERROR_CALLS.iter().any(|name| self.functions.contains(*name))
    }

    fn note(&mut self, unit: &Unit, part: Part<'_>) -> bool {
        match part {
            Part::Expr(expr @ Expr { kind: ExprKind::Symbol(symbol), .. }) => {
                let symbol = &unit.symbols[symbol.0 as usize];
                if symbol.storage == Storage::Function && !self.functions.contains(&symbol.name) {
                    self.has_unset_locks |= GIVES_UNSET_MEMORY.contains(&symbol.name.as_str());
                    self.functions.insert(symbol.name.clone());
                }
                // Called through a pointer, anybody may make any kind of mutex.
                self.has_special_mutex |= symbol.name == "mtx_init"
                    && !self.callees.contains(&std::ptr::from_ref(expr))
                    || symbol.name == "pthread_mutexattr_settype";
            }
            Part::Expr(Expr { kind: ExprKind::Call { callee, args }, .. }) => {
                let name = function_name(unit, callee);
                self.callees.insert(std::ptr::from_ref(innermost(callee)));
                if name == Some("free") {
                    self.excused.extend(args.iter().map(std::ptr::from_ref));
                }
                if let (Some("pthread_create" | "thrd_create"), [handle, ..]) = (name, args.as_slice()) {
                    self.handles.extend(root(handle).map(|symbol| (self.at_unit, symbol)));
                }
                self.has_unset_locks |= name.is_some_and(|name| writes_into_lock(unit, name, args));
                let own = |arg: &&Expr| is_own_handle(unit, arg);
                self.n_own_handles += usize::from(name.is_some_and(|name| OWN_HANDLE.contains(&name)));
                if name.is_some_and(|name| name.starts_with("pthread_") || name.starts_with("thrd_")) {
                    self.n_plain_handles += args.iter().filter(own).count();
                }
                let is_plain = |kind: &Expr| constant(kind).is_some_and(|kind| kind & 1 == 0);
                self.has_special_mutex |=
                    matches!((name, args.as_slice()), (Some("mtx_init"), [_, kind]) if !is_plain(kind));
            }
            Part::Expr(Expr { kind: ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b), .. }) => {
                let roots = [root(a), root(b)];
                self.n_plain_handles += [a, b].iter().filter(|side| is_own_handle(unit, side)).count();
                self.compared.extend(roots.into_iter().flatten().map(|symbol| (self.at_unit, symbol)));
            }
            Part::Expr(Expr { kind: ExprKind::Binary(_, a, b), .. }) => {
                // As handles are declared.
                let is_long = |side: &Expr| unit.types.int_kind(side.ty.ty) == Some(IntKind::ULong);
                for side in [a, b].into_iter().filter(|side| is_long(side)) {
                    self.computed.extend(root(side).map(|symbol| (self.at_unit, symbol)));
                }
            }
            Part::Expr(Expr { kind: ExprKind::Builtin { name, .. }, .. }) => {
                let name = name.trim_start_matches("__builtin_");
                self.has_unset_locks |= name == "alloca";
                self.functions.insert(name.to_string());
            }
            Part::Expr(expr @ Expr { kind: ExprKind::Cast(inner), ty, .. }) => {
                self.looks_at_bytes |= sees_other_bytes(unit, inner, ty.ty);
                self.has_unset_locks |=
                    puts_lock_elsewhere(unit, inner, ty.ty) || shows_lock_as_other(unit, inner, ty.ty);
                if !self.excused.contains(&std::ptr::from_ref(expr)) {
                    self.punned.extend(punned_by(unit, inner, ty.ty));
                }
            }
            Part::Expr(Expr { kind: ExprKind::Member { base, .. }, .. }) => {
                self.has_unset_locks |= is_union_over_lock(&unit.types, base.ty.ty);
                if let Some(union) = union_over_padding(&unit.types, base.ty.ty) {
                    self.looks_at_bytes = true;
                    self.punned.insert(union);
                }
            }
            Part::Expr(Expr { kind: ExprKind::Compound { symbol, init }, .. }) => {
                self.note_init(&unit.types, unit.symbols[symbol.0 as usize].ty.ty, init);
            }
            Part::Stmt(Stmt { kind: StmtKind::Local { symbol, init }, .. }) => {
                let Symbol { ty, vla_len, .. } = &unit.symbols[symbol.0 as usize];
                self.has_unset_locks |= vla_len.is_some();
                let may_be_lock = ty.is_volatile || may_be_lock(&unit.types, ty.ty);
                self.has_local_locks |= may_be_lock;
                match init {
                    Some(init) => self.note_init(&unit.types, ty.ty, init),
                    None => self.has_unset_locks |= may_be_lock,
                }
            }
            _ => {}
        }
        true
    }

    fn note_init(&mut self, types: &Types, ty: TypeId, items: &[InitItem]) {
        let sets = |field: &str| {
            items.iter().any(|item| {
                !matches!(constant(&item.value), Some(0))
                    && field_at(types, ty, item.offset).is_some_and(|name| name == field)
            })
        };
        self.has_special_mutex |= sets("__kind");
        self.has_special_rwlock |= sets("__flags");
    }
}

/// The records that a type is or holds.
fn records_in(types: &Types, ty: TypeId, found: &mut FxHashSet<RecordId>) {
    match types.get(ty) {
        Type::Array { element, .. } => records_in(types, element.ty, found),
        Type::Record(id) if found.insert(*id) => {
            for field in types.record(*id).fields.iter().flatten() {
                records_in(types, field.ty.ty, found);
            }
        }
        _ => {}
    }
}

/// The records that a conversion of pointers lets be seen as something else.
fn punned_by(unit: &Unit, from: &Expr, to: TypeId) -> Vec<RecordId> {
    let types = &unit.types;
    let record_behind = |ty: TypeId| {
        let mut target = types.pointee(ty)?.ty;
        while let Type::Array { element, .. } = types.get(target) {
            target = element.ty;
        }
        match types.get(target) {
            Type::Record(id) => Some(*id),
            _ => None,
        }
    };
    let is_fresh = matches!(&from.kind, ExprKind::Call { callee, .. }
        if function_name(unit, callee).is_some_and(|name| ALLOCATORS.contains(&name)));
    let (source, target) = (record_behind(from.ty.ty), record_behind(to));
    if source == target || is_fresh || types.is_void(to) || constant(from).is_some() {
        return Vec::new();
    }
    source.into_iter().chain(target).collect()
}

/// Whether a conversion makes a pointer to scalars from one that may point to something else.
fn sees_other_bytes(unit: &Unit, from: &Expr, to: TypeId) -> bool {
    let types = &unit.types;
    let Some(target) = types.pointee(to).filter(|target| types.is_scalar(target.ty)) else { return false };
    if let ExprKind::Call { callee, .. } = &from.kind
        && function_name(unit, callee).is_some_and(|name| ALLOCATORS.contains(&name))
    {
        return false;
    }
    // A null pointer shows nothing: `pthread_join(thread, NULL)`.
    if constant(from).is_some() {
        return false;
    }
    match types.pointee(from.ty.ty) {
        // Beyond the scalar it points to nothing may be read.
        Some(source) if types.is_scalar(source.ty) => types.size(source.ty) < types.size(target.ty),
        Some(_) => true,
        None => true,
    }
}

/// Whether a local variable that is no lock is used as one.
fn puts_lock_elsewhere(unit: &Unit, from: &Expr, to: TypeId) -> bool {
    let types = &unit.types;
    let is_lock = types.pointee(to).is_some_and(|target| target.is_volatile || may_be_lock(types, target.ty));
    let symbol = root(from).map(|symbol| &unit.symbols[symbol.0 as usize]);
    is_lock && symbol.is_some_and(|symbol| !symbol.ty.is_volatile && !may_be_lock(types, symbol.ty.ty))
}

/// Whether a function of the library writes bytes where a lock may be; zeros are what a lock is at first.
fn writes_into_lock(unit: &Unit, function: &str, args: &[Expr]) -> bool {
    let into = match function {
        "memset" if args.get(1).and_then(constant) == Some(0) => None,
        "memset" | "memcpy" | "memmove" | "mempcpy" | "fread" => args.first(),
        "read" | "recv" | "getrandom" => args.get(usize::from(function != "getrandom")),
        _ => None,
    };
    let target = into.and_then(|pointer| unit.types.pointee(unconverted(pointer).ty.ty));
    target.is_some_and(|target| may_be_lock(&unit.types, target.ty))
}

fn unconverted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(inner) => unconverted(inner),
        _ => expr,
    }
}

/// A union that has a member whose padding may be another member's data.
fn union_over_padding(types: &Types, ty: TypeId) -> Option<RecordId> {
    let Type::Record(id) = types.get(ty) else { return None };
    let record = types.record(*id);
    let mut fields = record.fields.iter().flatten();
    let has_padding =
        record.is_union && fields.any(|field| crate::c::lower::values::cell_layout::has_padding_in(types, field.ty.ty));
    has_padding.then_some(*id)
}

/// The variable that a value is read from, or that a pointer leads into.
fn root(expr: &Expr) -> Option<SymbolId> {
    match &expr.kind {
        ExprKind::Symbol(symbol) => Some(*symbol),
        ExprKind::Load(inner)
        | ExprKind::Cast(inner)
        | ExprKind::Deref(inner)
        | ExprKind::Decay(inner)
        | ExprKind::AddressOf(inner)
        | ExprKind::Member { base: inner, .. }
        | ExprKind::PointerAdd { pointer: inner, .. } => root(inner),
        _ => None,
    }
}

/// What a callee is under conversions.
fn innermost(callee: &Expr) -> &Expr {
    match &callee.kind {
        ExprKind::Decay(inner) | ExprKind::AddressOf(inner) | ExprKind::Deref(inner) | ExprKind::Cast(inner) => {
            innermost(inner)
        }
        _ => callee,
    }
}

/// The function that a call names.
pub(super) fn function_name<'u>(unit: &'u Unit, callee: &Expr) -> Option<&'u str> {
    match &innermost(callee).kind {
        ExprKind::Symbol(symbol) => Some(&unit.symbols[symbol.0 as usize].name),
        _ => None,
    }
}

/// The value of an integer constant under casts.
pub(in crate::c::lower) fn constant(expr: &Expr) -> Option<i128> {
    match &expr.kind {
        ExprKind::Int(value) => Some(*value),
        ExprKind::Cast(inner) => constant(inner),
        _ => None,
    }
}

/// The name of the innermost member at an offset, looking into the first union member that has one.
fn field_at(types: &Types, ty: TypeId, offset: u64) -> Option<&str> {
    match types.get(ty) {
        Type::Array { element, .. } => {
            let size = types.size(element.ty).filter(|size| *size > 0)?;
            field_at(types, element.ty, offset % size)
        }
        Type::Record(id) => types.record(*id).fields.as_ref()?.iter().find_map(|field| {
            let size = types.size(field.ty.ty)?;
            if offset < field.offset || offset >= field.offset + size {
                return None;
            }
            field_at(types, field.ty.ty, offset - field.offset).or(field.name.as_deref())
        }),
        _ => None,
    }
}

/// The scalar variables of a function whose address goes somewhere. `&x` as the value argument of a generic atomic builtin
/// does not count: `<stdatomic.h>` passes values that way, and the builtin only reads or writes `x`.
pub(in crate::c::lower) fn addressed_variables(unit: &Unit, body: &Stmt) -> FxHashSet<SymbolId> {
    let mut found = FxHashSet::default();
    visit(body, &mut |part| match part {
        Part::Expr(expr) => note_addresses(unit, expr, &mut found),
        Part::Stmt(_) => true,
    });
    found
}

/// Notes what an expression takes the address of; yields whether its parts are still to be looked at.
fn note_addresses(unit: &Unit, expr: &Expr, found: &mut FxHashSet<SymbolId>) -> bool {
    match &expr.kind {
        ExprKind::AddressOf(inner) | ExprKind::Decay(inner) => {
            if let ExprKind::Symbol(symbol) | ExprKind::Compound { symbol, .. } = inner.kind {
                found.insert(symbol);
            }
            true
        }
        ExprKind::Builtin { name, args } => {
            for (index, arg) in args.iter().enumerate() {
                if atomic_value_argument(unit, name, args, index).is_none() {
                    visit_expr(arg, &mut |part| match part {
                        Part::Expr(expr) => note_addresses(unit, expr, found),
                        Part::Stmt(_) => true,
                    });
                }
            }
            false
        }
        _ => true,
    }
}

/// The variable that a generic atomic builtin reads or writes through an argument `&x` of the object's own type.
pub(in crate::c::lower) fn atomic_value_argument(
    unit: &Unit,
    name: &str,
    args: &[Expr],
    index: usize,
) -> Option<SymbolId> {
    let passes_value = match name {
        "__atomic_load" | "__atomic_store" => index == 1,
        "__atomic_exchange" | "__atomic_compare_exchange" => index == 1 || index == 2,
        "__atomic_compare_exchange_n" => index == 1,
        "__c11_atomic_compare_exchange_strong" | "__c11_atomic_compare_exchange_weak" => index == 1,
        _ => false,
    };
    let ExprKind::AddressOf(inner) = &args.get(index)?.kind else { return None };
    let ExprKind::Symbol(symbol) = inner.kind else { return None };
    let is_local = unit.symbols[symbol.0 as usize].storage.is_local();
    let scalar = |ty| crate::c::lower::model_types::scalar_of(&unit.types, ty);
    let object = crate::c::lower::model_types::pointee(&unit.types, args[0].ty.ty)?;
    let fits = scalar(object.ty).is_some() && scalar(object.ty) == scalar(inner.ty.ty);
    (passes_value && is_local && fits).then_some(symbol)
}

/// A node of a typed tree.
pub(in crate::c::lower) enum Part<'u> {
    Stmt(&'u Stmt),
    Expr(&'u Expr),
}

/// Calls `see` on a statement and everything in it, outside in; where it yields false, not on what is inside.
pub(in crate::c::lower) fn visit<'u>(stmt: &'u Stmt, see: &mut dyn FnMut(Part<'u>) -> bool) {
    if !see(Part::Stmt(stmt)) {
        return;
    }
    for expr in exprs_of(stmt) {
        visit_expr(expr, see);
    }
    for child in children_of(stmt) {
        visit(child, see);
    }
}

/// Calls `see` on an expression and everything in it, likewise.
pub(in crate::c::lower) fn visit_expr<'u>(expr: &'u Expr, see: &mut dyn FnMut(Part<'u>) -> bool) {
    if !see(Part::Expr(expr)) {
        return;
    }
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::String(_)
        | ExprKind::Symbol(_)
        | ExprKind::LabelAddress(_) => {}
        ExprKind::Deref(a)
        | ExprKind::Member { base: a, .. }
        | ExprKind::Load(a)
        | ExprKind::AddressOf(a)
        | ExprKind::Decay(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { lvalue: a, .. }
        | ExprKind::Cast(a)
        | ExprKind::VaArg(a) => visit_expr(a, see),
        ExprKind::Binary(_, a, b)
        | ExprKind::PointerAdd { pointer: a, index: b, .. }
        | ExprKind::PointerDiff { left: a, right: b, .. }
        | ExprKind::LogicalAnd(a, b)
        | ExprKind::LogicalOr(a, b)
        | ExprKind::Assign(a, b)
        | ExprKind::AssignOp { lhs: a, rhs: b, .. }
        | ExprKind::Comma(a, b) => {
            visit_expr(a, see);
            visit_expr(b, see);
        }
        ExprKind::Conditional { cond, then, otherwise } => {
            visit_expr(cond, see);
            if let Some(then) = then {
                visit_expr(then, see);
            }
            visit_expr(otherwise, see);
        }
        ExprKind::Call { callee, args } => {
            visit_expr(callee, see);
            args.iter().for_each(|arg| visit_expr(arg, see));
        }
        ExprKind::Builtin { args, .. } => args.iter().for_each(|arg| visit_expr(arg, see)),
        ExprKind::Statements(stmts) => stmts.iter().for_each(|stmt| visit(stmt, see)),
        ExprKind::Compound { init, .. } => init.iter().for_each(|item| visit_expr(&item.value, see)),
    }
}

/// The expressions that stand directly in a statement.
pub(in crate::c::lower) fn exprs_of(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Expr(expr)
        | StmtKind::If { cond: expr, .. }
        | StmtKind::While { cond: expr, .. }
        | StmtKind::DoWhile { cond: expr, .. }
        | StmtKind::Switch { value: expr, .. }
        | StmtKind::GotoComputed(expr)
        | StmtKind::Return(Some(expr)) => vec![expr],
        StmtKind::For { cond, step, .. } => cond.iter().chain(step).collect(),
        StmtKind::Local { init: Some(items), .. } => items.iter().map(|item| &item.value).collect(),
        StmtKind::Asm(asm) => asm.operands().map(|operand| &operand.value).collect(),
        StmtKind::Empty
        | StmtKind::Block(_)
        | StmtKind::Local { init: None, .. }
        | StmtKind::Case { .. }
        | StmtKind::Default(_)
        | StmtKind::Label { .. }
        | StmtKind::Goto(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(None) => Vec::new(),
    }
}

/// The statements that stand directly in a statement.
pub(in crate::c::lower) fn children_of(stmt: &Stmt) -> Vec<&Stmt> {
    match &stmt.kind {
        StmtKind::Block(stmts) => stmts.iter().collect(),
        StmtKind::If { then, otherwise, .. } => std::iter::once(&**then).chain(otherwise.as_deref()).collect(),
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::Switch { body, .. }
        | StmtKind::Case { body, .. }
        | StmtKind::Default(body)
        | StmtKind::Label { body, .. } => vec![body],
        StmtKind::For { init, body, .. } => init.as_deref().into_iter().chain(std::iter::once(&**body)).collect(),
        _ => Vec::new(),
    }
}

/// Whether control can enter a statement other than from above.
pub(in crate::c::lower) fn can_be_entered(stmt: &Stmt) -> bool {
    let mut found = false;
    visit(stmt, &mut |part| {
        if let Part::Stmt(Stmt {
            kind: StmtKind::Label { .. } | StmtKind::Case { .. } | StmtKind::Default(_), ..
        }) = part
        {
            found = true;
        }
        !found
    });
    found
}
