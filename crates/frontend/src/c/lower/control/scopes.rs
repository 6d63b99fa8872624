//! How long do the variables of a block live?
//!
//! Which stack objects are alive is known at every point of the text; a jump frees those it leaves and makes those it
//! enters, so each path makes and frees in pairs. Scalars that are variables of the program model are on the list too:
//! a jump into their scope leaves them without a value.
//!
//! In C a variable lives from the start of its block. It is made where its declaration is reached, which nobody can tell
//! from that, unless the block goes back behind the declaration: `again: use(p); int x; p = &x; goto again;`. Such
//! variables are *hoisted*: made at the start of the block, and given a new value where the declaration is reached.

use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::{Body, StackObject};
use crate::c::lower::context::{Home, SymbolRef};
use crate::c::lower::model_types::shape_of;
use crate::c::typed::{Expr, ExprKind, LabelId, Stmt, StmtKind, SymbolId};
use crate::c::types::TypeId;
use ir::{AllocKind, Callee, HavocKind, Op, Scope, Span};
use logic::{TermId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables of a function that must live from the start of their block: those between a label and a later jump to
/// it, all in that block.
pub(in crate::c::lower) fn hoisted(body: &Stmt) -> FxHashSet<SymbolId> {
    let mut found = FxHashSet::default();
    if !Walk::of(std::slice::from_ref(body)).labels.is_empty() {
        scan::visit(body, &mut |part| {
            match part {
                Part::Stmt(Stmt { kind: StmtKind::Block(stmts), .. })
                | Part::Expr(Expr { kind: ExprKind::Statements(stmts), .. }) => hoisted_of_block(stmts, &mut found),
                _ => {}
            }
            true
        });
    }
    found
}

fn hoisted_of_block(stmts: &[Stmt], found: &mut FxHashSet<SymbolId>) {
    let declared: FxHashSet<SymbolId> = stmts.iter().flat_map(made_by).collect();
    let walk = Walk::of(stmts);
    if declared.is_empty() || walk.labels.is_empty() {
        return;
    }
    // From the position of a label to that of a later jump to it.
    let mut rounds: Vec<(usize, usize)> = Vec::new();
    for (at, target) in &walk.jumps {
        let from = match target {
            Some(label) => walk.labels.get(label).copied(),
            // Where a computed jump goes nobody knows.
            None => walk.labels.values().min().copied(),
        };
        rounds.extend(from.filter(|from| from < at).map(|from| (from, *at)));
    }
    let is_passed = |at: usize| rounds.iter().any(|(from, to)| *from < at && at < *to);
    let passed = walk.declarations.iter().filter(|(at, symbol)| declared.contains(symbol) && is_passed(*at));
    found.extend(passed.map(|(_, symbol)| *symbol));
}

/// Where things stand in the text of a function.
#[derive(Default)]
struct Walk {
    n_seen: usize,
    labels: FxHashMap<LabelId, usize>,
    jumps: Vec<(usize, Option<LabelId>)>,
    declarations: Vec<(usize, SymbolId)>,
}

impl Walk {
    fn of(stmts: &[Stmt]) -> Walk {
        let mut walk = Walk::default();
        for stmt in stmts {
            scan::visit(stmt, &mut |part| {
                walk.see(part);
                true
            });
        }
        walk
    }

    fn see(&mut self, part: Part<'_>) {
        if let Part::Expr(Expr { kind: ExprKind::Compound { symbol, .. }, .. }) = part {
            self.declarations.push((self.n_seen, *symbol));
        }
        let Part::Stmt(stmt) = part else { return };
        self.n_seen += 1;
        match &stmt.kind {
            StmtKind::Label { label, .. } => {
                self.labels.insert(*label, self.n_seen);
            }
            StmtKind::Goto(label) => self.jumps.push((self.n_seen, Some(*label))),
            StmtKind::GotoComputed(_) => self.jumps.push((self.n_seen, None)),
            StmtKind::Local { symbol, .. } => self.declarations.push((self.n_seen, *symbol)),
            _ => {}
        }
    }
}

/// The variable that a statement of a block declares, behind its labels, and the compound literals that stand in it. Those in parts of it are
/// in blocks of their own.
fn made_by(stmt: &Stmt) -> Vec<SymbolId> {
    let mut made = Vec::new();
    match &stmt.kind {
        StmtKind::Local { symbol, .. } => made.push(*symbol),
        StmtKind::Label { body, .. } | StmtKind::Case { body, .. } | StmtKind::Default(body) => {
            made.extend(made_by(body))
        }
        _ => {}
    }
    for expr in scan::exprs_of(stmt) {
        scan::visit_expr(expr, &mut |part| {
            match part {
                Part::Expr(Expr { kind: ExprKind::Compound { symbol, .. }, .. }) => made.push(*symbol),
                Part::Expr(Expr { kind: ExprKind::Statements(_), .. }) | Part::Stmt(_) => return false,
                Part::Expr(_) => {}
            }
            true
        });
    }
    made
}

impl Body<'_, '_> {
    /// The variable that holds the address of a stack object.
    pub(in crate::c::lower) fn stack_pointer(&mut self, object: StackObject) -> VarId {
        match object {
            StackObject::Variable(var) => var,
            StackObject::Symbol(symbol) => match self.home(symbol) {
                Home::Pointed(var) => var,
                other => unreachable!("stack objects are pointed to, not {other:?}"),
            },
            StackObject::CallResult(call, _) => match self.call_results.get(&call) {
                Some(var) => *var,
                None => {
                    let var = self.lw.pointer_variable("&result", Scope::Local, Span::NOWHERE);
                    self.locals.push(var);
                    self.call_results.insert(call, var);
                    var
                }
            },
        }
    }

    /// Makes a stack object of known size.
    pub(in crate::c::lower) fn make(&mut self, object: StackObject, ty: TypeId, zeroed: bool) {
        let size = self.types().size(ty).unwrap_or(0);
        let size = self.word(size);
        let shape = shape_of(self.types(), ty);
        let pointer = self.stack_pointer(object);
        self.lw.program.locals.insert(pointer, shape);
        self.make_sized(object, size, zeroed);
    }

    pub(in crate::c::lower) fn make_sized(&mut self, object: StackObject, size: TermId, zeroed: bool) {
        let dst = self.stack_pointer(object);
        let align = match object {
            StackObject::Variable(_) => 1,
            StackObject::Symbol(symbol) => self.lw.symbol_align(SymbolRef { unit: self.unit, symbol }),
            StackObject::CallResult(_, ty) => self.types().align(ty),
        };
        self.alloc(dst, size, AllocKind::Stack, zeroed, align);
        self.alive.push(object);
    }

    /// Makes an object at a multiple of `align`.
    pub(in crate::c::lower) fn alloc(&mut self, dst: VarId, size: TermId, kind: AllocKind, zeroed: bool, align: u64) {
        self.emit(Op::Alloc { dst, size, kind, zeroed, copy: 0 });
        if let Some(stmt) = self.pending.last() {
            self.lw.layout.set_site_align(stmt.site, align);
        }
    }

    /// What `malloc` and `alloca` guarantee.
    pub(in crate::c::lower) fn heap_align(&self) -> u64 {
        2 * self.lw.program.data_model.word_bytes()
    }

    pub(super) fn unmake(&mut self, object: StackObject) {
        if matches!(object, StackObject::Variable(_)) {
            return;
        }
        let var = self.stack_pointer(object);
        let addr = self.var(var);
        if let StackObject::Symbol(symbol) = object {
            self.clean_up(symbol, addr);
        }
        self.emit(Op::Free { addr, kind: AllocKind::Stack });
    }

    /// Calls what `__attribute__((cleanup))` names with the address of the variable.
    fn clean_up(&mut self, symbol: SymbolId, addr: TermId) {
        let Some(cleanup) = self.lw.symbol(SymbolRef { unit: self.unit, symbol }).cleanup else { return };
        if !self.is_reachable() {
            return;
        }
        match self.lw.resolve_function(SymbolRef { unit: self.unit, symbol: cleanup }) {
            Some(function) => {
                let proc = self.lw.proc_of(function);
                self.emit(Op::Call { callee: Callee::Proc(proc), args: vec![addr], result: None });
            }
            None => self.unsupported("a function of `__attribute__((cleanup))` without a body"),
        }
    }

    /// Ends the objects made since there were `n_alive`; the text goes on without them.
    pub(in crate::c::lower) fn close_scope(&mut self, n_alive: usize) {
        for object in self.alive.split_off(n_alive).into_iter().rev() {
            self.unmake(object);
        }
    }

    /// Ends the objects beyond `n_alive` on the way out of a scope; the text after the jump still has them.
    pub(in crate::c::lower) fn leave_scopes(&mut self, n_alive: usize) {
        for index in (n_alive..self.alive.len()).rev() {
            self.unmake(self.alive[index]);
        }
    }

    /// Ends and makes objects so that those of a jump's target are alive.
    pub(in crate::c::lower) fn adjust_to(&mut self, target: &[StackObject]) {
        let here = self.alive.clone();
        for object in here.iter().rev().filter(|object| !target.contains(object)) {
            self.unmake(*object);
        }
        for object in target.iter().filter(|object| !here.contains(object)) {
            self.make_without_value(*object);
        }
        self.alive = here;
    }

    /// Makes what is alive but was never given a value.
    pub(in crate::c::lower) fn make_without_value(&mut self, object: StackObject) {
        let ty = match object {
            StackObject::Symbol(symbol) => self.lw.symbol(SymbolRef { unit: self.unit, symbol }).ty.ty,
            StackObject::CallResult(_, ty) => ty,
            StackObject::Variable(var) => {
                self.emit(Op::Havoc { var, kind: HavocKind::Uninit });
                self.alive.push(object);
                return;
            }
        };
        self.make(object, ty, false);
    }

    /// What a declaration brings to life, if its variable is one of this function.
    pub(in crate::c::lower) fn object_of(&mut self, symbol: SymbolId) -> Option<StackObject> {
        let storage = self.lw.symbol(SymbolRef { unit: self.unit, symbol }).storage;
        if !storage.is_local() {
            return None;
        }
        match self.home(symbol) {
            Home::Pointed(_) => Some(StackObject::Symbol(symbol)),
            Home::Private(var) => Some(StackObject::Variable(var)),
            Home::Shared(_) | Home::Static(_) | Home::Known(_) => None,
        }
    }

    /// The objects of a block's declarations that live from its start on.
    pub(in crate::c::lower) fn hoisted_objects(&mut self, stmts: &[Stmt]) -> Vec<StackObject> {
        let declared: Vec<SymbolId> = stmts.iter().flat_map(made_by).collect();
        let hoisted: Vec<SymbolId> = declared.into_iter().filter(|symbol| self.hoisted.contains(symbol)).collect();
        hoisted.into_iter().filter_map(|symbol| self.object_of(symbol)).collect()
    }

    pub(in crate::c::lower) fn make_hoisted(&mut self, stmts: &[Stmt]) {
        for object in self.hoisted_objects(stmts) {
            self.make_without_value(object);
        }
    }
}
