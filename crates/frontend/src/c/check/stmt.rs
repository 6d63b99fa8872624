//! Statements: blocks and their scopes, jumps and their targets, `switch`, assembly.
//!
//! A statement that cannot be typed is left out, after its problem was reported, and the walk goes on; so a function
//! with problems has an incomplete body and must not be lowered. Declarations can become several statements: the
//! length of a variable-length array is stored in a hidden variable first.

use ir::Span;

use super::super::ast::{self, Name};
use super::super::typed::{Asm, AsmOperand, Expr, ExprKind, LabelId, Stmt, StmtKind};
use super::super::types::QualType;
use super::convert::is_lvalue;
use super::scope::{Scope, Switch};
use super::walk::visit_stmt;
use super::{Checked, Checker};

impl Checker {
    /// A block's statements, in a scope of their own.
    pub(super) fn block(&mut self, block: &ast::Block) -> Vec<Stmt> {
        self.scopes.push(Scope::default());
        let stmts = self.block_items(block);
        self.scopes.pop();
        stmts
    }

    /// A block's statements in the current scope.
    pub(super) fn block_items(&mut self, block: &ast::Block) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for item in &block.items {
            self.stmt_into(item, &mut stmts);
        }
        stmts
    }

    fn stmt_into(&mut self, stmt: &ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        match &stmt.kind {
            ast::StmtKind::Declaration(declaration) => self.declaration(declaration, out),
            ast::StmtKind::StaticAssert(assertion) => self.static_assert(assertion),
            ast::StmtKind::LocalLabels(names) => self.local_labels(names),
            ast::StmtKind::NestedFunction(function) => {
                let name = function.declarator.name.as_ref().map_or("?", |name| name.as_str());
                self.refuse(span, format!("the nested function {name}"));
            }
            _ => {
                if let Ok(kind) = self.stmt_kind(stmt) {
                    out.push(Stmt { kind, span });
                }
            }
        }
    }

    /// One statement; a lone declaration gets a block around it.
    fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        let span = stmt.span;
        self.scopes.push(Scope::default());
        let mut stmts = Vec::new();
        self.stmt_into(stmt, &mut stmts);
        self.scopes.pop();
        match stmts.pop() {
            Some(only) if stmts.is_empty() => only,
            Some(last) => {
                stmts.push(last);
                Stmt { kind: StmtKind::Block(stmts), span }
            }
            None => Stmt { kind: StmtKind::Empty, span },
        }
    }

    fn boxed(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        Box::new(self.stmt(stmt))
    }

    /// A statement that is part of another one is a block, with or without braces: compound literals in it live no longer.
    fn substatement(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        let mut typed = self.stmt(stmt);
        if !matches!(typed.kind, StmtKind::Block(_)) && has_literals(&mut typed) {
            let span = typed.span;
            typed = Stmt { kind: StmtKind::Block(vec![typed]), span };
        }
        Box::new(typed)
    }

    fn condition_value(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let value = self.value(expr)?;
        self.condition(value)
    }

    fn stmt_kind(&mut self, stmt: &ast::Stmt) -> Checked<StmtKind> {
        let span = stmt.span;
        Ok(match &stmt.kind {
            ast::StmtKind::Empty => StmtKind::Empty,
            ast::StmtKind::Expr(expr) => StmtKind::Expr(self.value(expr)?),
            ast::StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            ast::StmtKind::If { condition, then, otherwise } => {
                let cond = self.condition_value(condition);
                let then = self.substatement(then);
                let otherwise = otherwise.as_ref().map(|otherwise| self.substatement(otherwise));
                block_of_literals(StmtKind::If { cond: cond?, then, otherwise }, span)
            }
            ast::StmtKind::While { condition, body } => {
                let cond = self.condition_value(condition);
                let body = self.loop_body(body);
                block_of_literals(StmtKind::While { cond: cond?, body }, span)
            }
            ast::StmtKind::DoWhile { body, condition } => {
                let body = self.loop_body(body);
                block_of_literals(StmtKind::DoWhile { body, cond: self.condition_value(condition)? }, span)
            }
            ast::StmtKind::For { init, condition, step, body } => {
                self.scopes.push(Scope::default());
                let kind = self.for_loop(init.as_deref(), condition.as_deref(), step.as_deref(), body, span);
                self.scopes.pop();
                kind?
            }
            ast::StmtKind::Switch { value, body } => self.switch(value, body)?,
            ast::StmtKind::Case { low, high, body } => self.case(low, high.as_deref(), body, span)?,
            ast::StmtKind::Default(body) => {
                self.default_label(span);
                StmtKind::Default(self.boxed_in_place(body))
            }
            ast::StmtKind::Label { name, body } => {
                let label = self.define_label(name, span);
                let body = self.boxed_in_place(body);
                StmtKind::Label { label: label?, body }
            }
            ast::StmtKind::Goto(name) => StmtKind::Goto(self.label(name, span)?),
            ast::StmtKind::ComputedGoto(target) => {
                let target = self.value(target)?;
                let pointer = QualType::plain(self.basic.void_pointer);
                StmtKind::GotoComputed(self.assign_to(target, pointer, "this goto")?)
            }
            ast::StmtKind::Break => {
                if self.body.as_ref().is_none_or(|body| body.breakables == 0) {
                    return Err(self.error(span, "break outside of a loop or switch"));
                }
                StmtKind::Break
            }
            ast::StmtKind::Continue => {
                if self.body.as_ref().is_none_or(|body| body.loops == 0) {
                    return Err(self.error(span, "continue outside of a loop"));
                }
                StmtKind::Continue
            }
            ast::StmtKind::Return(value) => self.return_stmt(value.as_deref(), span)?,
            ast::StmtKind::Asm(asm) => self.asm(asm, span)?,
            ast::StmtKind::Declaration(_)
            | ast::StmtKind::StaticAssert(_)
            | ast::StmtKind::LocalLabels(_)
            | ast::StmtKind::NestedFunction(_) => StmtKind::Block(vec![self.stmt(stmt)]),
        })
    }

    /// The statement after a label, which is in the label's own scope: a declaration there stays visible.
    fn boxed_in_place(&mut self, stmt: &ast::Stmt) -> Box<Stmt> {
        match &stmt.kind {
            // In C23 a declaration may follow; its statements stay together behind the label.
            ast::StmtKind::Declaration(_) => {
                let mut stmts = Vec::new();
                self.stmt_into(stmt, &mut stmts);
                Box::new(match stmts.len() {
                    1 => stmts.remove(0),
                    0 => Stmt { kind: StmtKind::Empty, span: stmt.span },
                    _ => {
                        self.refuse(stmt.span, "a label before several variable-length declarations");
                        Stmt { kind: StmtKind::Empty, span: stmt.span }
                    }
                })
            }
            _ => self.boxed(stmt),
        }
    }

    fn loop_body(&mut self, body: &ast::Stmt) -> Box<Stmt> {
        self.change_depths(1, 1);
        let typed = self.substatement(body);
        self.change_depths(-1, -1);
        typed
    }

    fn change_depths(&mut self, loops: i32, breakables: i32) {
        if let Some(body) = &mut self.body {
            body.loops = body.loops.wrapping_add_signed(loops);
            body.breakables = body.breakables.wrapping_add_signed(breakables);
        }
    }

    fn for_loop(
        &mut self,
        init: Option<&ast::Stmt>,
        condition: Option<&ast::Expr>,
        step: Option<&ast::Expr>,
        body: &ast::Stmt,
        span: Span,
    ) -> Checked<StmtKind> {
        let mut before = Vec::new();
        if let Some(init) = init {
            self.stmt_into(init, &mut before);
        }
        let cond = condition.map(|condition| self.condition_value(condition)).transpose();
        let step = step.map(|step| self.value(step)).transpose();
        let body = self.loop_body(body);
        let is_single = before.len() == 1 && !matches!(before[0].kind, StmtKind::Local { .. });
        let init = if is_single { before.pop().map(Box::new) } else { None };
        let kind = block_of_literals(StmtKind::For { init, cond: cond?, step: step?, body }, span);
        if before.is_empty() {
            return Ok(kind);
        }
        before.push(Stmt { kind, span });
        Ok(StmtKind::Block(before))
    }

    fn switch(&mut self, value: &ast::Expr, body: &ast::Stmt) -> Checked<StmtKind> {
        let value = self.value(value).and_then(|value| {
            if self.types.is_integer(value.ty.ty) {
                return Ok(self.promote(value));
            }
            let name = self.text(value.ty);
            Err(self.error(value.span, format!("the value of a switch must be an integer, not {name}")))
        });
        let int = self.int_type(super::IntKind::Int);
        let ty = value.as_ref().map_or(int, |value| value.ty.ty);
        if let Some(body) = &mut self.body {
            body.switches.push(Switch { ty, cases: Vec::new(), has_default: false });
        }
        self.change_depths(0, 1);
        let typed = self.substatement(body);
        self.change_depths(0, -1);
        if let Some(body) = &mut self.body {
            body.switches.pop();
        }
        let span = body.span;
        Ok(block_of_literals(StmtKind::Switch { value: value?, body: typed }, span))
    }

    fn case(&mut self, low: &ast::Expr, high: Option<&ast::Expr>, body: &ast::Stmt, span: Span) -> Checked<StmtKind> {
        let low_value = self.constant_integer(low, "the value of a case");
        let high_value = high.map(|high| self.constant_integer(high, "the value of a case")).transpose();
        let range = low_value.and_then(|low| Ok((low, high_value?.unwrap_or(low))));
        let range = range.and_then(|range| self.enter_case(range, span));
        let body = self.boxed_in_place(body);
        let (low, high) = range?;
        Ok(StmtKind::Case { low, high, body })
    }

    /// Converts the bounds of a case to the type of its switch, and notes them there.
    fn enter_case(&mut self, (low, high): (i128, i128), span: Span) -> Checked<(i128, i128)> {
        let ty = self.body.as_ref().and_then(|body| body.switches.last()).map(|switch| switch.ty);
        let Some(kind) = ty.and_then(|ty| self.types.int_kind(ty)) else {
            return Err(self.error(span, "case outside of a switch"));
        };
        let range = (kind.wrap(low, self.data_model()), kind.wrap(high, self.data_model()));
        if range.0 > range.1 {
            self.warn(span, "this range of cases is empty");
        }
        let switch = self.body.as_mut().and_then(|body| body.switches.last_mut());
        let is_repeated = switch.is_some_and(|switch| {
            let is_known = switch.cases.iter().any(|known| known.0 <= range.1 && range.0 <= known.1);
            switch.cases.push(range);
            is_known
        });
        if is_repeated {
            return Err(self.error(span, "this value has a case already"));
        }
        Ok(range)
    }

    fn default_label(&mut self, span: Span) {
        let switch = self.body.as_mut().and_then(|body| body.switches.last_mut());
        match switch {
            None => {
                self.error(span, "default outside of a switch");
            }
            Some(switch) if switch.has_default => {
                self.error(span, "this switch has a default already");
            }
            Some(switch) => switch.has_default = true,
        }
    }

    fn local_labels(&mut self, names: &[(Name, Span)]) {
        for (name, span) in names {
            if let Some(body) = &mut self.body {
                let id = body.add_label(name, *span);
                self.scopes.innermost().labels.insert(name.clone(), id);
            }
        }
    }

    /// The label that a jump names.
    fn label(&mut self, name: &Name, span: Span) -> Checked<LabelId> {
        if let Some(label) = self.scopes.local_label(name) {
            return Ok(label);
        }
        match &mut self.body {
            Some(body) => Ok(body.function_label(name, span)),
            None => Err(self.error(span, "a label outside of a function")),
        }
    }

    fn define_label(&mut self, name: &Name, span: Span) -> Checked<LabelId> {
        if name.starts_with("__CPROVER_ASYNC") {
            return Err(self.refuse(span, "a statement that its label starts as a thread"));
        }
        let label = self.label(name, span)?;
        let Some(body) = &mut self.body else { return Err(self.error(span, "a label outside of a function")) };
        let known = &mut body.label_uses[label.0 as usize];
        let is_repeated = std::mem::replace(&mut known.is_defined, true);
        body.labels[label.0 as usize].span = span;
        if is_repeated {
            return Err(self.error(span, format!("the label {name} stands twice in this function")));
        }
        Ok(label)
    }

    /// Reports labels that are jumped to but stand nowhere.
    pub(super) fn check_labels(&mut self) {
        let Some(body) = &self.body else { return };
        let missing: Vec<(String, Span)> = body
            .labels
            .iter()
            .zip(&body.label_uses)
            .filter(|(_, known)| !known.is_defined)
            .map(|(label, known)| (label.name.clone(), known.first_use))
            .collect();
        for (name, span) in missing {
            self.error(span, format!("there is no label {name} in this function"));
        }
    }

    pub(super) fn label_address(&mut self, name: &Name, span: Span) -> Checked<Expr> {
        let label = self.label(name, span)?;
        Ok(self.make(ExprKind::LabelAddress(label), self.basic.void_pointer, span))
    }

    fn return_stmt(&mut self, value: Option<&ast::Expr>, span: Span) -> Checked<StmtKind> {
        let result = match &self.body {
            Some(body) => body.result,
            None => return Err(self.error(span, "return outside of a function")),
        };
        let is_void = self.types.is_void(result.ty);
        let Some(value) = value else {
            if !is_void {
                self.warn(span, "this function should return a value");
            }
            return Ok(StmtKind::Return(None));
        };
        let value = self.value(value)?;
        if !is_void {
            return Ok(StmtKind::Return(Some(self.assign_to(value, result, "this return")?)));
        }
        if !self.types.is_void(value.ty.ty) {
            self.warn(span, "this function returns nothing, so the value is dropped");
        }
        let effect = Stmt { kind: StmtKind::Expr(value), span };
        Ok(StmtKind::Block(vec![effect, Stmt { kind: StmtKind::Return(None), span }]))
    }

    fn asm(&mut self, asm: &ast::AsmStatement, span: Span) -> Checked<StmtKind> {
        if asm.is_goto {
            return Err(self.refuse(span, "asm goto"));
        }
        let mut outputs = Vec::new();
        for operand in &asm.outputs {
            let lvalue = self.expr(&operand.value)?;
            if !is_lvalue(&lvalue) {
                return Err(self.error(operand.value.span, "an output of assembly must be an object"));
            }
            if in_memory(&operand.constraint) {
                self.take_address(&lvalue);
            }
            outputs.push(asm_operand(operand, lvalue));
        }
        let mut inputs = Vec::new();
        for operand in &asm.inputs {
            let value = self.expr(&operand.value)?;
            if in_memory(&operand.constraint) {
                self.take_address(&value);
            }
            let value = self.value_of(value)?;
            inputs.push(asm_operand(operand, value));
        }
        Ok(StmtKind::Asm(Box::new(Asm { template: asm.template.clone(), outputs, inputs })))
    }

    /// `({ ... })`
    pub(super) fn statement_expression(&mut self, block: &ast::Block, span: Span) -> Checked<Expr> {
        if self.body.is_none() {
            return Err(self.error(span, "a statement expression outside of a function"));
        }
        let n_problems = self.body.as_ref().map_or(0, |body| body.problems.len());
        let mut stmts = self.block(block);
        part_last_from_labels(&mut stmts);
        let ty = match stmts.last() {
            Some(Stmt { kind: StmtKind::Expr(value), .. }) => value.ty.ty,
            _ => self.basic.void,
        };
        // A statement that was left out may have been the value.
        let problems = self.body.as_ref().map_or(&[][..], |body| &body.problems[n_problems..]);
        if ty == self.basic.void && super::has_errors(problems) {
            return Err(super::Reported);
        }
        Ok(self.make(ExprKind::Statements(stmts), ty, span))
    }
}

/// The value of a statement expression is that of its last statement, labels before it or not: here they become statements of their own.
fn part_last_from_labels(stmts: &mut Vec<Stmt>) {
    while let Some(Stmt { kind, span }) = stmts.last_mut()
        && let StmtKind::Label { body, .. } = kind
        && !matches!(body.kind, StmtKind::Empty)
    {
        let nothing = Stmt { kind: StmtKind::Empty, span: *span };
        let last = std::mem::replace(&mut **body, nothing);
        stmts.push(last);
    }
}

/// Whether a compound literal stands anywhere in a statement.
fn has_literals(stmt: &mut Stmt) -> bool {
    let mut found = false;
    visit_stmt(stmt, &mut |expr, _| found |= matches!(expr.kind, ExprKind::Compound { .. }));
    found
}

/// A statement with others in it is a block: compound literals in its own expressions live no longer. Those in its parts are in blocks of their own.
fn block_of_literals(kind: StmtKind, span: Span) -> StmtKind {
    let mut stmt = Stmt { kind, span };
    if has_literals(&mut stmt) { StmtKind::Block(vec![stmt]) } else { stmt.kind }
}

fn asm_operand(operand: &ast::AsmOperand, value: Expr) -> AsmOperand {
    let name = operand.name.as_ref().map(ToString::to_string);
    AsmOperand { name, constraint: operand.constraint.clone(), value }
}

/// Whether an operand of assembly is a place in memory, on some machine.
fn in_memory(constraint: &str) -> bool {
    !constraint.starts_with("=@") && constraint.contains(['m', 'o', 'V', 'Q', 'A', 'Z'])
}
