//! The typed tree as text, for people and tests.
//!
//! Expressions are prefix lists, `(operator operands)`, with `:type` after every node whose type is not obvious from
//! the text before it: after values that were computed or converted. Lvalues carry no type of their own. Statements are
//! indented lines. The text is for reading; nothing parses it back.

use std::fmt::Write;

use super::typed::{AsmOperand, BinaryOp, Expr, ExprKind, Function, InitItem, Stmt, StmtKind, SymbolId, UnaryOp, Unit};
use super::types::QualType;

/// The whole unit: globals with their contents, then functions.
pub fn unit_text(unit: &Unit) -> String {
    let mut text = String::new();
    for global in &unit.globals {
        let symbol = &unit.symbols[global.symbol.0 as usize];
        text.push_str(&unit.types.declaration_text(symbol.ty, symbol.name.clone()));
        if let Some(init) = &global.init {
            let _ = write!(text, " = {}", init_text(unit, init));
        }
        text.push('\n');
    }
    for function in &unit.functions {
        text.push_str(&function_text(unit, function));
    }
    text
}

/// A function with its body.
pub fn function_text(unit: &Unit, function: &Function) -> String {
    let symbol = &unit.symbols[function.symbol.0 as usize];
    let params: Vec<String> = function
        .params
        .iter()
        .map(|param| {
            let symbol = &unit.symbols[param.0 as usize];
            unit.types.declaration_text(symbol.ty, symbol.name.clone())
        })
        .collect();
    let mut text = format!("{} {}({})\n", unit.types.text(function.result), symbol.name, params.join(", "));
    stmt_lines(unit, function, &function.body, 1, &mut text);
    text
}

fn stmt_lines(unit: &Unit, function: &Function, stmt: &Stmt, depth: usize, out: &mut String) {
    let line = |text: String, out: &mut String| {
        let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
    };
    let expr = |expr: &Expr| expr_text(unit, expr);
    let nested = |stmt: &Stmt, out: &mut String| stmt_lines(unit, function, stmt, depth + 1, out);
    let label = |id: super::typed::LabelId| function.labels[id.0 as usize].name.clone();
    match &stmt.kind {
        StmtKind::Empty => line("empty".to_string(), out),
        StmtKind::Expr(value) => line(expr(value), out),
        StmtKind::Block(stmts) => {
            line("block".to_string(), out);
            stmts.iter().for_each(|stmt| nested(stmt, out));
        }
        StmtKind::Local { symbol, init } => {
            let variable = &unit.symbols[symbol.0 as usize];
            let mut text = format!("local {}", unit.types.declaration_text(variable.ty, variable.name.clone()));
            if let Some(len) = &variable.vla_len {
                let _ = write!(text, " of {}", expr(len));
            }
            if let Some(init) = init {
                let _ = write!(text, " = {}", init_text(unit, init));
            }
            line(text, out);
        }
        StmtKind::If { cond, then, otherwise } => {
            line(format!("if {}", expr(cond)), out);
            nested(then, out);
            if let Some(otherwise) = otherwise {
                line("else".to_string(), out);
                nested(otherwise, out);
            }
        }
        StmtKind::While { cond, body } => {
            line(format!("while {}", expr(cond)), out);
            nested(body, out);
        }
        StmtKind::DoWhile { body, cond } => {
            line(format!("do while {}", expr(cond)), out);
            nested(body, out);
        }
        StmtKind::For { init, cond, step, body } => {
            let part = |part: &Option<Expr>| part.as_ref().map(expr).unwrap_or_default();
            line(format!("for ; {} ; {}", part(cond), part(step)), out);
            if let Some(init) = init {
                nested(init, out);
            }
            nested(body, out);
        }
        StmtKind::Switch { value, body } => {
            line(format!("switch {}", expr(value)), out);
            nested(body, out);
        }
        StmtKind::Case { low, high, body } => {
            line(if low == high { format!("case {low}") } else { format!("case {low} ... {high}") }, out);
            nested(body, out);
        }
        StmtKind::Default(body) => {
            line("default".to_string(), out);
            nested(body, out);
        }
        StmtKind::Label { label: id, body } => {
            line(format!("label {}", label(*id)), out);
            nested(body, out);
        }
        StmtKind::Goto(id) => line(format!("goto {}", label(*id)), out),
        StmtKind::GotoComputed(target) => line(format!("goto {}", expr(target)), out),
        StmtKind::Break => line("break".to_string(), out),
        StmtKind::Continue => line("continue".to_string(), out),
        StmtKind::Return(None) => line("return".to_string(), out),
        StmtKind::Return(Some(value)) => line(format!("return {}", expr(value)), out),
        StmtKind::Asm(asm) => {
            let list = |operands: &[AsmOperand]| {
                operands.iter().map(|operand| expr(&operand.value)).collect::<Vec<_>>().join(" ")
            };
            line(format!("asm {:?} out {} in {}", asm.template, list(&asm.outputs), list(&asm.inputs)), out);
        }
    }
}

fn init_text(unit: &Unit, init: &[InitItem]) -> String {
    let items: Vec<String> = init
        .iter()
        .map(|item| {
            let bits = item.bits.map(|(first, width)| format!(".{first}+{width}")).unwrap_or_default();
            format!("{}{bits}: {}", item.offset, expr_text(unit, &item.value))
        })
        .collect();
    format!("{{{}}}", items.join(", "))
}

/// An expression.
pub fn expr_text(unit: &Unit, expr: &Expr) -> String {
    let text = |expr: &Expr| expr_text(unit, expr);
    let list = |exprs: &[Expr]| exprs.iter().map(|expr| format!(" {}", expr_text(unit, expr))).collect::<String>();
    let name = |symbol: &SymbolId| unit.symbols[symbol.0 as usize].name.clone();
    let body = match &expr.kind {
        ExprKind::Symbol(symbol) => return name(symbol),
        ExprKind::Deref(pointer) => return format!("(* {})", text(pointer)),
        ExprKind::Member { base, offset, bits } => {
            let bits = bits.map(|(first, width)| format!(".{first}+{width}")).unwrap_or_default();
            return format!("(at {offset}{bits} {})", text(base));
        }
        ExprKind::String(bytes) => return format!("{:?}", String::from_utf8_lossy(bytes)),
        ExprKind::Compound { symbol, init } => return format!("({} {})", name(symbol), init_text(unit, init)),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Float(value) => format!("{value:?}"),
        ExprKind::Load(lvalue) => format!("(load {})", text(lvalue)),
        ExprKind::AddressOf(lvalue) => format!("(& {})", text(lvalue)),
        ExprKind::Decay(lvalue) => format!("(decay {})", text(lvalue)),
        ExprKind::Unary(op, operand) => format!("({} {})", op.symbol(), text(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {} {})", op.symbol(), text(left), text(right)),
        ExprKind::PointerAdd { pointer, index, size, is_sub } => {
            format!("({}{size} {} {})", if *is_sub { "-" } else { "+" }, text(pointer), text(index))
        }
        ExprKind::PointerDiff { left, right, size } => format!("(diff{size} {} {})", text(left), text(right)),
        ExprKind::LogicalAnd(left, right) => format!("(&& {} {})", text(left), text(right)),
        ExprKind::LogicalOr(left, right) => format!("(|| {} {})", text(left), text(right)),
        ExprKind::Conditional { cond, then, otherwise } => {
            let then = then.as_ref().map_or("-".to_string(), |then| text(then));
            format!("(? {} {then} {})", text(cond), text(otherwise))
        }
        ExprKind::Assign(target, value) => format!("(= {} {})", text(target), text(value)),
        ExprKind::AssignOp { op, lhs, rhs, compute, size } => {
            let size = size.map(|size| size.to_string()).unwrap_or_default();
            let compute = unit.types.text(QualType::plain(*compute));
            format!("({}={size} {} {} in {compute})", op.symbol(), text(lhs), text(rhs))
        }
        ExprKind::Step { lvalue, is_increment, is_postfix, size } => {
            let size = size.map(|size| size.to_string()).unwrap_or_default();
            let op = if *is_increment { "++" } else { "--" };
            let when = if *is_postfix { "post" } else { "pre" };
            format!("({when}{op}{size} {})", text(lvalue))
        }
        ExprKind::Cast(operand) => format!("(cast {})", text(operand)),
        ExprKind::Call { callee, args } => format!("(call {}{})", text(callee), list(args)),
        ExprKind::Builtin { name, args } => format!("({name}{})", list(args)),
        ExprKind::Comma(first, second) => format!("(, {} {})", text(first), text(second)),
        ExprKind::Statements(stmts) => format!("(statements {})", stmts.len()),
        ExprKind::VaArg(operand) => format!("(va_arg {})", text(operand)),
        ExprKind::LabelAddress(label) => format!("(label {})", label.0),
    };
    format!("{body}:{}", unit.types.text(expr.ty))
}

impl BinaryOp {
    /// The operator as in C.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
        }
    }
}

impl UnaryOp {
    /// The operator as in C.
    pub fn symbol(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "~",
            UnaryOp::LogicalNot => "!",
        }
    }
}
