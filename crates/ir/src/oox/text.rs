//! How does an OOX program look after the front end? Every method as numbered instructions.

use super::program::{BinaryOp, Call, Callee, Expr, Method, Op, Place, Program, Rhs, UnaryOp};
use std::fmt::{self, Display, Write};

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for class in &self.classes {
            let kind = if class.is_interface { "interface" } else { "class" };
            writeln!(f, "{kind} {}", class.name)?;
            for (slot, field) in class.fields.iter().enumerate() {
                writeln!(f, "  .{slot} {} {}", self.type_name(field.ty), field.name)?;
            }
        }
        for (index, method) in self.methods.iter().enumerate() {
            let name = self.method_name(super::MethodId(index as u32));
            writeln!(f, "\nmethod {name}, {} parameters", method.n_params)?;
            let clauses =
                [("requires", &method.requires), ("ensures", &method.ensures), ("exceptional", &method.exceptional)];
            for (word, clause) in clauses {
                if let Some(clause) = clause {
                    writeln!(f, "  {word} {}", self.expr(method, &clause.cond))?;
                }
            }
            for (pc, instr) in method.code.iter().enumerate() {
                let handler = instr.handler.map_or_else(String::new, |pc| format!("  (catch {pc})"));
                writeln!(f, "  {pc:>3}  {}{handler}", self.op(method, &instr.op))?;
            }
        }
        Ok(())
    }
}

impl Program {
    fn op(&self, method: &Method, op: &Op) -> String {
        let expr = |e: &Expr| self.expr(method, e);
        match op {
            Op::Skip => "skip".to_string(),
            Op::Assign { to, value } => {
                let to = match to {
                    Place::Local(local) => self.local(method, *local),
                    Place::Field { object, slot, .. } => format!("{}.{slot}", expr(object)),
                    Place::Element { array, index } => format!("{}[{}]", expr(array), expr(index)),
                };
                let value = match value {
                    Rhs::Expr(value) => expr(value),
                    Rhs::Field { object, slot, .. } => format!("{}.{slot}", expr(object)),
                    Rhs::Element { array, index } => format!("{}[{}]", expr(array), expr(index)),
                    Rhs::NewArray { ty, sizes } => {
                        let sizes: Vec<String> = sizes.iter().map(expr).collect();
                        format!("new {} of {}", self.type_name(*ty), sizes.join(" by "))
                    }
                    Rhs::Cast { ty, value } => format!("({}) {}", self.type_name(*ty), expr(value)),
                };
                format!("{to} := {value}")
            }
            Op::Call { call, to } => {
                let to = to.map_or_else(String::new, |local| format!("{} := ", self.local(method, local)));
                format!("{to}call {}", self.call(method, call))
            }
            Op::Fork(call) => format!("fork {}", self.call(method, call)),
            Op::Lock(object) => format!("lock {}", expr(object)),
            Op::Unlock(object) => format!("unlock {}", expr(object)),
            Op::Join => "join".to_string(),
            Op::Assert(cond) => format!("assert {}", expr(cond)),
            Op::Assume(cond) => format!("assume {}", expr(cond)),
            Op::Branch { cond, otherwise } => format!("if not {} goto {otherwise}", expr(cond)),
            Op::Jump(pc) => format!("goto {pc}"),
            Op::Return(Some(value)) => format!("return {}", expr(value)),
            Op::Return(None) => "return".to_string(),
            Op::Throw(what) => format!("throw {what:?}"),
        }
    }

    fn call(&self, method: &Method, call: &Call) -> String {
        let args: Vec<String> = call.args.iter().map(|arg| self.expr(method, arg)).collect();
        let callee = match call.callee {
            Callee::Method(id) => self.method_name(id),
            Callee::New(class, _) => format!("new {}", self.class(class).name),
            Callee::Virtual(signature) => format!("signature {signature}"),
        };
        format!("{callee}({})", args.join(", "))
    }

    fn local(&self, method: &Method, local: super::LocalId) -> String {
        match method.locals[usize::from(local)].name.as_str() {
            "" => format!("${local}"),
            name => format!("{name}${local}"),
        }
    }

    fn expr(&self, method: &Method, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => value.to_string(),
            Expr::Bool(value) => value.to_string(),
            Expr::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
            Expr::Null => "null".to_string(),
            Expr::Local(local) => self.local(method, *local),
            Expr::Length(array) => format!("#{}", self.expr(method, array)),
            Expr::Unary(UnaryOp::Not, operand) => format!("!{}", self.expr(method, operand)),
            Expr::Unary(_, operand) => format!("-{}", self.expr(method, operand)),
            Expr::Binary(op, left, right) => {
                format!("({} {} {})", self.expr(method, left), symbol(*op), self.expr(method, right))
            }
            Expr::InstanceOf(value, ty) => {
                format!("({} instanceof {})", self.expr(method, value), self.type_name(*ty))
            }
            Expr::Quantified { is_forall, array, element, index, body } => {
                let mut text = String::new();
                let word = if *is_forall { "forall" } else { "exists" };
                let (element, index) = (self.local(method, *element), self.local(method, *index));
                let (array, body) = (self.expr(method, array), self.expr(method, body));
                let _ = write!(text, "({word} {element}, {index} : {array} : {body})");
                text
            }
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Implies => "==>",
        BinaryOp::Eq | BinaryOp::FloatEq => "==",
        BinaryOp::Ne | BinaryOp::FloatNe => "!=",
        BinaryOp::Lt | BinaryOp::FloatLt => "<",
        BinaryOp::Le | BinaryOp::FloatLe => "<=",
        BinaryOp::Add | BinaryOp::FloatAdd => "+",
        BinaryOp::Sub | BinaryOp::UintSub | BinaryOp::FloatSub => "-",
        BinaryOp::Mul | BinaryOp::FloatMul => "*",
        BinaryOp::Div | BinaryOp::FloatDiv => "/",
        BinaryOp::Rem | BinaryOp::FloatRem => "%",
    }
}
