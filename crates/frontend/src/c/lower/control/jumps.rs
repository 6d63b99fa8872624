//! Jumps: `break`, `continue`, `switch`, `goto` in both forms, and the labels they go to.
//!
//! A jump ends the stack objects that its target does not have and makes those that it lacks. What a label has is known from
//! the text, found before the body is lowered; what a case has is noted when it is met, and the selection is
//! made after the body.

use crate::c::lower::analysis::scan::{self, Part};
use crate::c::lower::body::{Body, CaseTarget, JumpTarget, LabelTarget, StackObject};
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind, Stmt, StmtKind};
use crate::c::types::TypeId;
use ir::{CheckKind, LocId};
use logic::TermId;

impl Body<'_, '_> {
    pub(in crate::c::lower) fn jump(&mut self, target: Option<JumpTarget>) {
        if let Some(target) = target {
            self.leave_scopes(target.n_alive);
            self.goto(target.loc);
        }
    }

    pub(in crate::c::lower) fn switch(&mut self, value: &Expr, body: &Stmt) {
        let results = self.make_results(value);
        let selected = self.eval(value);
        let selected = self.kept(selected);
        self.end_results(results);
        let end = self.new_loc();
        let (pause, n_alive) = (self.new_loc(), self.alive.len());
        let is_reachable = self.is_reachable();
        self.goto(pause);
        self.breaks.push(JumpTarget { loc: end, n_alive });
        self.switches.push(is_reachable.then(Vec::new));
        self.stmt(body);
        self.goto(end);
        self.breaks.pop();
        if let Some(cases) = self.switches.pop().expect("it was pushed above") {
            self.resume_at(pause);
            self.span = value.span;
            self.select(selected, value.ty.ty, cases, end);
        }
        self.resume_at(end);
    }

    /// Goes to the case whose range holds the value.
    fn select(&mut self, value: TermId, ty: TypeId, cases: Vec<CaseTarget>, end: LocId) {
        let signed = is_signed(self.types(), ty);
        let mut none = self.pool().bool(true);
        let mut targets = Vec::new();
        let mut default = (end, None);
        for case in cases {
            let Some((low, high)) = case.range else {
                default = (case.loc, Some(case.alive));
                continue;
            };
            let guard = if low == high {
                let low = self.number(low, ty);
                self.pool().eq(value, low)
            } else {
                let (low, high) = (self.number(low, ty), self.number(high, ty));
                let pool = self.pool();
                let (above, below) = if signed {
                    (pool.sle(low, value), pool.sle(value, high))
                } else {
                    (pool.ule(low, value), pool.ule(value, high))
                };
                pool.and(above, below)
            };
            let not = self.pool().not(guard);
            none = self.pool().and(none, not);
            targets.push((guard, case.loc, Some(case.alive)));
        }
        targets.push((none, default.0, default.1));
        let mut guarded = Vec::new();
        let mut detours = Vec::new();
        for (guard, loc, alive) in targets {
            match alive {
                Some(alive) if alive != self.alive => {
                    let detour = self.new_loc();
                    guarded.push((guard, detour));
                    detours.push((detour, loc, alive));
                }
                _ => guarded.push((guard, loc)),
            }
        }
        self.dispatch(&guarded);
        for (detour, loc, alive) in detours {
            self.resume_at(detour);
            self.adjust_to(&alive);
            self.goto(loc);
        }
    }

    pub(in crate::c::lower) fn case(&mut self, range: Option<(i128, i128)>, body: &Stmt) {
        let loc = self.new_loc();
        let alive = self.alive.clone();
        if let Some(Some(cases)) = self.switches.last_mut() {
            cases.push(CaseTarget { range, loc, alive });
            self.enter(loc);
        }
        self.stmt(body);
    }

    pub(in crate::c::lower) fn goto_computed(&mut self, target: &Expr) {
        let results = self.make_results(target);
        let target = self.eval(target);
        let target = self.kept(target);
        self.end_results(results);
        let mut labels: Vec<_> =
            self.labels.iter().map(|(label, target)| (*label, target.loc, target.alive.clone())).collect();
        labels.sort_by_key(|(label, ..)| *label);
        let mut none = self.pool().bool(true);
        let mut guarded = Vec::new();
        let mut detours = Vec::new();
        for (label, loc, alive) in labels {
            let number = self.word(u64::from(label.0) + 1);
            let guard = self.pool().eq(target, number);
            let not = self.pool().not(guard);
            none = self.pool().and(none, not);
            let detour = self.new_loc();
            guarded.push((guard, detour));
            detours.push((detour, loc, alive));
        }
        let lost = self.new_loc();
        guarded.push((none, lost));
        self.dispatch(&guarded);
        for (detour, loc, alive) in detours {
            self.resume_at(detour);
            self.adjust_to(&alive);
            self.goto(loc);
        }
        self.resume_at(lost);
        self.fail(CheckKind::Deref);
    }

    /// Finds the labels of the function and the stack objects that are alive at each, parameters among them.
    pub(in crate::c::lower) fn find_labels(&mut self, body: &Stmt) {
        let mut alive = self.alive.clone();
        self.find_labels_in(body, &mut alive);
    }

    fn find_labels_in(&mut self, stmt: &Stmt, alive: &mut Vec<StackObject>) {
        match &stmt.kind {
            StmtKind::Block(stmts) => {
                let n_alive = alive.len();
                alive.extend(self.hoisted_objects(stmts));
                for item in stmts {
                    alive.extend(self.item_objects(item));
                    self.find_labels_in(item, alive);
                }
                alive.truncate(n_alive);
            }
            StmtKind::Local { symbol, .. } if !self.hoisted.contains(symbol) => alive.extend(self.object_of(*symbol)),
            StmtKind::Label { label, body } => {
                let outer = std::mem::replace(&mut self.span, stmt.span);
                let loc = self.new_loc();
                self.span = outer;
                self.labels.insert(*label, LabelTarget { loc, alive: alive.clone() });
                self.find_labels_in(body, alive);
            }
            _ => {
                for child in scan::children_of(stmt) {
                    self.find_labels_in(child, alive);
                }
            }
        }
        // Labels within statement expressions.
        for (expr, results) in self.results_of_stmt(stmt) {
            let mut blocks = Vec::new();
            scan::visit_expr(expr, &mut |part| match part {
                Part::Expr(Expr { kind: ExprKind::Statements(stmts), .. }) => {
                    blocks.push(stmts);
                    false
                }
                _ => true,
            });
            for stmts in blocks {
                let n_alive = alive.len();
                alive.extend(&results);
                alive.extend(self.hoisted_objects(stmts));
                for item in stmts {
                    alive.extend(self.item_objects(item));
                    self.find_labels_in(item, alive);
                }
                alive.truncate(n_alive);
            }
        }
    }
}
