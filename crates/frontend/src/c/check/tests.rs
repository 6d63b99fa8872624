//! Rows of C text and what the type checker makes of it.

mod expressions;
mod layouts;
mod oracle;
mod programs;

use ir::{DataModel, Severity, Sources};

use super::super::parse::{on_deep_stack, parse};
use super::super::source::Originals;
use super::super::typed::{StmtKind, Unit};
use super::super::typed_text::expr_text;
use super::check;

/// Checks a program; the text of all diagnostics, those of functions too, as `line: text`.
pub(super) fn run(text: &str, model: DataModel) -> (Unit, Vec<String>) {
    let mut sources = Sources::default();
    let (unit, parsed) = parse(&mut sources, "test.c", text.as_bytes(), &Originals::default());
    let (typed, mut all) = on_deep_stack(|| check(&unit, model));
    all.splice(0..0, parsed);
    all.extend(typed.functions.iter().flat_map(|function| function.problems.clone()));
    let lines = all.iter().map(|diagnostic| format!("{}: {diagnostic}", diagnostic.span.line)).collect();
    (typed, lines)
}

/// Checks a program that must be free of errors.
pub(super) fn accept(text: &str, model: DataModel) -> Unit {
    let (unit, problems) = run(text, model);
    let errors: Vec<&String> = problems.iter().filter(|line| !line.contains(": warning")).collect();
    assert!(errors.is_empty(), "{errors:?} in\n{text}");
    unit
}

/// The last expression statement of the last function, as text.
pub(super) fn expression(prelude: &str, expr: &str, model: DataModel) -> String {
    let unit = accept(&format!("{prelude}\nvoid test(void) {{ {expr}; }}"), model);
    let function = unit.functions.last().expect("the test function is there");
    let StmtKind::Block(stmts) = &function.body.kind else { panic!("a body is a block") };
    match stmts.last().map(|stmt| &stmt.kind) {
        Some(StmtKind::Expr(value)) => expr_text(&unit, value),
        other => panic!("{expr} is no expression but {other:?}"),
    }
}

#[test]
fn severities_are_told_apart() {
    let (_, problems) = run("int f(void) { return g(1) + h; }", DataModel::Lp64);
    assert_eq!(problems, ["1: warning: g is called without a declaration", "1: error: h is not declared"]);
    assert_ne!(Severity::Warning, Severity::Error);
}
