//! From statements to control flow.
//!
//! Structured statements become locations and branches; a condition that is constant leaves out what it never enters, so
//! that code which is switched off at compile time is not looked at. Each block ends the stack objects it made, on
//! every way out. Jumps are in `jumps`, declarations in `inits`.

use super::scopes;
use crate::c::lower::analysis::scan;
use crate::c::lower::body::{Body, JumpTarget, StackObject};
use crate::c::lower::calls::library;
use crate::c::lower::context::{Home, SymbolRef};
use crate::c::typed::{Expr, Function, Stmt, StmtKind, Storage};
use crate::c::types::Type;
use ir::{CheckKind, Format, HavocKind, LocId, Op, Span};
use logic::{Sort, TermId};

impl<'u> Body<'_, 'u> {
    pub(in crate::c::lower) fn lower_body(&mut self, function: &'u Function) {
        let name = &self.lw.symbol(SymbolRef { unit: self.unit, symbol: function.symbol }).name;
        let is_section = library::is_atomic_section(name);
        let meant = library::known(name).filter(|known| known.overrides_definitions());
        self.is_atomic_section = is_section;
        self.hoisted = scopes::hoisted(&function.body);
        // Arrays of variable length live from their declaration on, in C too.
        self.hoisted.retain(|symbol| {
            let symbol = &self.lw.units[self.unit].symbols[symbol.0 as usize];
            symbol.vla_len.is_none() && symbol.storage != Storage::Temporary
        });
        self.declare_signature(function);
        if is_section {
            self.emit(Op::AtomicBegin);
        }
        self.place_params(function);
        // Whoever calls it by its name is told what the name means; this is for who calls it through a pointer, or lets the library call it.
        if let Some(meant) = meant {
            self.span = function.span;
            self.mean(meant);
        }
        self.find_labels(&function.body);
        self.stmt(&function.body);
        self.span = function.span;
        if self.is_reachable() {
            // Falling off the end: a value that the caller uses is anything.
            let value = match self.result {
                Some(sort) if name == "main" => Some(self.zero(sort)),
                Some(sort) => Some(self.havoc(sort, HavocKind::Uninit)),
                None => None,
            };
            self.return_value(value);
        }
    }

    /// Declares parameters and result, with a pointer for a record that is returned.
    pub(in crate::c::lower) fn declare_signature(&mut self, function: &Function) {
        if self.is_record(function.result.ty) {
            let sort = Sort::Bv(self.word_bits());
            let out = self.declare_local("out", sort, Format::Pointer, Span::NOWHERE);
            self.params.push(out);
            self.out_pointer = Some(out);
        } else if !matches!(self.types().get(function.result.ty), Type::Void) {
            self.result = Some(self.scalar_or_refuse(function.result.ty).into());
        }
        for param in &function.params {
            let record = self.lw.symbol(SymbolRef { unit: self.unit, symbol: *param });
            match self.home(*param) {
                Home::Private(var) => self.params.push(var),
                _ => {
                    let sort = self.scalar(record.ty.ty).map_or(Sort::Bv(self.word_bits()), Sort::from);
                    let var = self.declare_local(&record.name, sort, Format::Unsigned, record.span);
                    self.params.push(var);
                }
            }
        }
        self.declare_list(function);
    }

    /// Puts parameters that are objects into objects of their own.
    fn place_params(&mut self, function: &Function) {
        let n_hidden = usize::from(self.out_pointer.is_some());
        for (index, param) in function.params.iter().enumerate() {
            if !self.is_stack_object(*param) {
                continue;
            }
            let record = self.lw.symbol(SymbolRef { unit: self.unit, symbol: *param });
            self.span = record.span;
            let passed = self.params[n_hidden + index];
            self.make(StackObject::Symbol(*param), record.ty.ty, false);
            let pointer = self.stack_pointer(StackObject::Symbol(*param));
            let (to, value) = (self.var(pointer), self.var(passed));
            if self.is_record(record.ty.ty) {
                self.copy_to_new(to, value, record.ty.ty);
            } else {
                let sort = self.scalar_or_refuse(record.ty.ty);
                self.emit(Op::Store { place: Self::memory(to, sort), value, order: ir::Order::Plain });
            }
        }
    }

    /// Ends all stack objects and returns.
    pub(in crate::c::lower) fn return_value(&mut self, value: Option<TermId>) {
        self.leave_scopes(0);
        self.end_allocas();
        if self.is_atomic_section {
            self.emit(Op::AtomicEnd);
        }
        self.emit(Op::Return(value));
    }

    /// Lowers the statements of a block, which is a scope.
    pub(in crate::c::lower) fn block(&mut self, stmts: &[Stmt]) {
        let n_alive = self.alive.len();
        self.make_hoisted(stmts);
        self.items(stmts);
        self.close_scope(n_alive);
    }

    pub(in crate::c::lower) fn items(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.make_item_objects(stmt);
            self.stmt(stmt);
        }
    }

    pub(in crate::c::lower) fn stmt(&mut self, stmt: &Stmt) {
        if !self.is_reachable() && !scan::can_be_entered(stmt) {
            self.note_objects(stmt);
            return;
        }
        if stmt.span.is_known() {
            self.span = stmt.span;
        }
        let mark = self.temporary_mark();
        self.stmt_kind(stmt);
        self.release(mark);
    }

    /// Keeps the list of alive objects right in code that is skipped.
    fn note_objects(&mut self, stmt: &Stmt) {
        if let StmtKind::Local { symbol, .. } = &stmt.kind
            && let Some(object) = self.object_of(*symbol)
            && !self.hoisted.contains(symbol)
        {
            self.alive.push(object);
        }
    }

    fn stmt_kind(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.discard_full(expr),
            StmtKind::Block(stmts) => self.block(stmts),
            StmtKind::Local { symbol, init } => {
                let results = self.make_results_of_stmt(stmt);
                self.local(*symbol, init.as_deref());
                self.end_results(results);
            }
            StmtKind::If { cond, then, otherwise } => self.if_else(cond, then, otherwise.as_deref()),
            StmtKind::While { cond, body } => self.while_loop(Some(cond), None, body),
            StmtKind::For { init, cond, step, body } => {
                if let Some(init) = init {
                    self.stmt(init);
                }
                self.while_loop(cond.as_ref(), step.as_ref(), body);
            }
            StmtKind::DoWhile { body, cond } => {
                let (head, test, end) = (self.new_loc(), self.new_loc(), self.new_loc());
                self.enter(head);
                self.loop_body(body, end, test);
                self.goto(test);
                self.resume_at(test);
                self.span = cond.span;
                self.branch_full(cond, head, end);
                self.resume_at(end);
            }
            StmtKind::Switch { value, body } => self.switch(value, body),
            StmtKind::Case { low, high, body } => self.case(Some((*low, *high)), body),
            StmtKind::Default(body) => self.case(None, body),
            StmtKind::Label { label, body } => {
                if let Some(loc) = self.labels.get(label).map(|target| target.loc) {
                    self.enter(loc);
                    let function = self.function.expect("labels stand in functions");
                    if function.labels[label.0 as usize].name == "ERROR" && !self.lw.facts.calls_error_function() {
                        self.fail(CheckKind::ErrorCall);
                    }
                }
                self.stmt(body);
            }
            StmtKind::Goto(label) => {
                if let Some(target) = self.labels.get(label) {
                    let (loc, alive) = (target.loc, target.alive.clone());
                    self.adjust_to(&alive);
                    self.goto(loc);
                }
            }
            StmtKind::GotoComputed(target) => self.goto_computed(target),
            StmtKind::Break => self.jump(self.breaks.last().copied()),
            StmtKind::Continue => self.jump(self.continues.last().copied()),
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
            StmtKind::Asm(asm) => {
                let results = self.make_results_of_stmt(stmt);
                self.asm(asm);
                self.end_results(results);
            }
        }
    }

    fn return_stmt(&mut self, value: Option<&Expr>) {
        let Some(value) = value else {
            let missing = self.result.map(|sort| self.havoc(sort, HavocKind::Uninit));
            return self.return_value(missing);
        };
        let results = self.make_results(value);
        let returned = if let Some(out) = self.out_pointer {
            let from = self.record_address(value);
            let to = self.var(out);
            self.copy_to_new(to, from, value.ty.ty);
            None
        } else if self.result.is_none() {
            self.discard(value);
            None
        } else {
            Some(self.eval(value))
        };
        self.end_results(results);
        self.return_value(returned);
    }

    fn if_else(&mut self, cond: &Expr, then: &Stmt, otherwise: Option<&Stmt>) {
        let (yes, no, end) = (self.new_loc(), self.new_loc(), self.new_loc());
        self.branch_full(cond, yes, no);
        self.resume_at(yes);
        self.stmt(then);
        self.goto(end);
        self.resume_at(no);
        if let Some(otherwise) = otherwise {
            self.stmt(otherwise);
        }
        self.goto(end);
        self.resume_at(end);
    }

    fn while_loop(&mut self, cond: Option<&Expr>, step: Option<&Expr>, body: &Stmt) {
        let (head, inside, next, end) = (self.new_loc(), self.new_loc(), self.new_loc(), self.new_loc());
        // Even where nothing falls into the loop a jump may enter its body, and then the condition is next.
        self.enter(head);
        match cond {
            Some(cond) => {
                self.span = cond.span;
                self.branch_full(cond, inside, end);
            }
            None => self.goto(inside),
        }
        self.resume_at(inside);
        self.loop_body(body, end, next);
        self.goto(next);
        self.resume_at(next);
        if let Some(step) = step {
            let mark = self.temporary_mark();
            self.discard_full(step);
            self.release(mark);
        }
        self.goto(head);
        self.resume_at(end);
    }

    fn loop_body(&mut self, body: &Stmt, end: LocId, next: LocId) {
        let n_alive = self.alive.len();
        self.breaks.push(JumpTarget { loc: end, n_alive });
        self.continues.push(JumpTarget { loc: next, n_alive });
        self.stmt(body);
        self.breaks.pop();
        self.continues.pop();
    }
}
