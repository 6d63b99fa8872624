//! The primitives of the Linux kernel, as data: which accesses and fences each of them is.
//!
//! A file of definitions has the form that herd's `.def` files have: `NAME(X,V) expression` or `NAME(X,V) { statements }`, over the primitives that `primitive`
//! knows (`__load{once}(*X)`, `__fence{mb}` …). Ours is `linux-kernel.def`, in this folder; another can be given.

use super::super::lex::{Comments, Kind, Lexer, Source};
use super::ast::{Expr, ExprKind, Stmt};
use super::parse::Parser;
use ir::Diagnostic;
use std::collections::BTreeMap;

/// The text of our own definitions.
pub(in super::super) const KERNEL: &str = include_str!("linux-kernel.def");

/// What a defined name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    Value(Expr),
    Block(Vec<Stmt>),
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    parameters: Vec<String>,
    body: Body,
}

/// Definitions by name.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Definitions {
    by_name: BTreeMap<String, Definition>,
}

impl Definitions {
    /// Our definitions of the kernel's primitives.
    pub fn kernel() -> Definitions {
        let source = Source::new(KERNEL, ir::FileId(0));
        read(&source).expect("our own definitions are well-formed")
    }

    pub(super) fn get(&self, name: &str) -> Option<&Definition> {
        self.by_name.get(name)
    }
}

/// Reads definitions.
pub(in super::super) fn read(source: &Source<'_>) -> Result<Definitions, Diagnostic> {
    let mut lexer = Lexer::new(source.text, 0, Comments::Slashed);
    let mut by_name = BTreeMap::new();
    while lexer.peek().is_some() {
        let mut parser = Parser::new(source, lexer.at);
        let name = parser.token("a name")?;
        if name.kind != Kind::Word {
            return Err(parser.complain(name, format!("expected a name, found `{}`", name.text)));
        }
        parser.expect("(")?;
        let mut parameters = Vec::new();
        while !parser.lexer.eat(")") {
            parameters.push(parser.token("a parameter")?.text.to_string());
            if !parser.lexer.is_at(")") {
                parser.expect(",")?;
            }
        }
        let body =
            if parser.lexer.is_at("{") { Body::Block(parser.block()?) } else { Body::Value(parser.expression()?) };
        parser.lexer.eat(";");
        by_name.insert(name.text.to_string(), Definition { parameters, body });
        lexer = parser.lexer;
    }
    Ok(Definitions { by_name })
}

impl Definition {
    /// How many arguments it takes.
    pub(super) fn n_parameters(&self) -> usize {
        self.parameters.len()
    }

    /// The body with arguments for parameters, everything at the place of the call.
    pub(super) fn instantiate(&self, arguments: &[Expr], call: &Expr) -> Body {
        let filling = Filling { parameters: &self.parameters, arguments, at: call.at, length: call.length };
        match &self.body {
            Body::Value(value) => Body::Value(filling.expr(value)),
            Body::Block(stmts) => Body::Block(filling.stmts(stmts)),
        }
    }
}

struct Filling<'f> {
    parameters: &'f [String],
    arguments: &'f [Expr],
    at: usize,
    length: usize,
}

impl Filling<'_> {
    fn expr(&self, expr: &Expr) -> Expr {
        let boxed = |expr: &Expr| Box::new(self.expr(expr));
        let kind = match &expr.kind {
            ExprKind::Name(name) => {
                if let Some(index) = self.parameters.iter().position(|parameter| parameter == name) {
                    return self.arguments[index].clone();
                }
                ExprKind::Name(name.clone())
            }
            ExprKind::Number(_) | ExprKind::Operator(_) => expr.kind.clone(),
            ExprKind::Deref(inner) => ExprKind::Deref(boxed(inner)),
            ExprKind::AddressOf(inner) => ExprKind::AddressOf(boxed(inner)),
            ExprKind::Index(base, index) => ExprKind::Index(boxed(base), boxed(index)),
            ExprKind::Unary(operator, inner) => ExprKind::Unary(*operator, boxed(inner)),
            ExprKind::Binary(operator, left, right) => ExprKind::Binary(operator.clone(), boxed(left), boxed(right)),
            ExprKind::Conditional(condition, yes, no) => ExprKind::Conditional(boxed(condition), boxed(yes), boxed(no)),
            ExprKind::Call { name, tags, arguments } => ExprKind::Call {
                name: name.clone(),
                tags: tags.clone(),
                arguments: arguments.iter().map(|argument| self.expr(argument)).collect(),
            },
        };
        Expr { kind, at: self.at, length: self.length }
    }

    fn stmts(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&self, stmt: &Stmt) -> Stmt {
        match stmt {
            Stmt::Declare { name, value, .. } => {
                Stmt::Declare { name: name.clone(), value: value.as_ref().map(|value| self.expr(value)), at: self.at }
            }
            Stmt::Assign { place, operator, value } => {
                Stmt::Assign { place: self.expr(place), operator: operator.clone(), value: self.expr(value) }
            }
            Stmt::Evaluate(value) => Stmt::Evaluate(self.expr(value)),
            Stmt::If { condition, yes, no } => {
                Stmt::If { condition: self.expr(condition), yes: self.stmts(yes), no: self.stmts(no) }
            }
            Stmt::While { condition, body, is_checked_last } => Stmt::While {
                condition: self.expr(condition),
                body: self.stmts(body),
                is_checked_last: *is_checked_last,
            },
            Stmt::Block(body) => Stmt::Block(self.stmts(body)),
        }
    }
}
