//! What are expressions as code, and of which type?
//!
//! A lowered expression reads locals only. Heap reads and calls inside it become instructions before it, in the order of the text, with
//! their values in locals without a name; behind `&&`, `||` and `==>` they run only if they are needed.

use super::ast::{Expr as Ast, ExprKind, Name};
use super::classes::{Choice, Signature};
use super::lower::{Body, Checked, default_expr};
use super::stmt::is_call;
use ir::Span;
use ir::oox::{Base, BinaryOp, Call, Callee, Expr, Op, Place, Rhs, Slot, Type, UnaryOp};
use std::collections::BTreeMap;

/// An expression with its type.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) expr: Expr,
    pub(super) ty: Type,
}

/// Whether evaluating an expression can raise an exception.
pub(super) fn can_raise(expr: &Expr) -> bool {
    match expr {
        Expr::Length(_) | Expr::Quantified { .. } => true,
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::UintSub, ..) => true,
        Expr::Unary(_, a) | Expr::InstanceOf(a, _) => can_raise(a),
        Expr::Binary(_, a, b) => can_raise(a) || can_raise(b),
        Expr::Int(_) | Expr::Bool(_) | Expr::Float(_) | Expr::Null | Expr::Local(_) => false,
    }
}

impl Body<'_> {
    /// A condition.
    pub(super) fn condition(&mut self, cond: &Ast) -> Checked<Expr> {
        let typed = self.expr(cond)?;
        self.coerce(typed, Type::BOOL, cond.span)
    }

    /// The expression, if its type is what is wanted.
    pub(super) fn coerce(&mut self, typed: Typed, to: Type, span: Span) -> Checked<Expr> {
        self.try_coerce(&typed, to).ok_or_else(|| {
            let message = format!("expected {}, found {}", self.show(to), self.show(typed.ty));
            self.complain(span, message)
        })
    }

    fn try_coerce(&self, typed: &Typed, to: Type) -> Option<Expr> {
        if typed.ty == Type::NULL && to == Type::plain(Base::String) {
            return Some(Expr::Int(0));
        }
        if self.classes.is_assignable(typed.ty, to) {
            return Some(typed.expr.clone());
        }
        let literal = match &typed.expr {
            Expr::Int(value) => Some(*value),
            Expr::Unary(UnaryOp::Neg, value) => match **value {
                Expr::Int(value) => value.checked_neg(),
                _ => None,
            },
            _ => None,
        };
        match (typed.ty, to, literal?) {
            (Type::INT, Type { base: Base::Uint, dims: 0 }, value) if value >= 0 => Some(Expr::Int(value)),
            (Type::INT, Type { base: Base::Float, dims: 0 }, value) => Some(Expr::Float((value as f64).to_bits())),
            _ => None,
        }
    }

    /// A right-hand side of a type; what reads the heap once is not split further.
    pub(super) fn rhs(&mut self, value: &Ast, ty: Type) -> Checked<Rhs> {
        let (rhs, found) = match &value.kind {
            ExprKind::Field(object, name) => {
                let (object, slot, ty) = self.field(object, name)?;
                (Rhs::Field { object, slot, ty }, ty)
            }
            ExprKind::Element(array, index) => {
                let (array, index, ty) = self.element(array, index)?;
                (Rhs::Element { array, index }, ty)
            }
            ExprKind::NewArray { element, sizes, open_dims } => {
                let mut of = match self.classes.resolve(element) {
                    Ok(of) => of,
                    Err(problem) => {
                        let span = problem.span;
                        return Err(self.complain(span, problem.message));
                    }
                };
                of.dims = sizes.len() as u8 + open_dims;
                let mut lowered = Vec::new();
                for size in sizes {
                    let typed = self.expr(size)?;
                    let is_uint = typed.ty == Type::plain(Base::Uint);
                    lowered.push(if is_uint { typed.expr } else { self.coerce(typed, Type::INT, size.span)? });
                }
                (Rhs::NewArray { ty: of, sizes: lowered }, of)
            }
            ExprKind::Cast(to, operand) => {
                let to_type = match self.classes.resolve(to) {
                    Ok(to) => to,
                    Err(problem) => {
                        let span = problem.span;
                        return Err(self.complain(span, problem.message));
                    }
                };
                let operand_typed = self.expr(operand)?;
                let can = self.classes.is_assignable(to_type, operand_typed.ty)
                    || self.classes.is_assignable(operand_typed.ty, to_type);
                if !can || !to_type.is_reference() && to_type != operand_typed.ty {
                    let message = format!("{} is never {}", self.show(operand_typed.ty), self.show(to_type));
                    return Err(self.complain(operand.span, message));
                }
                match to_type.is_reference() {
                    true => (Rhs::Cast { ty: to_type, value: operand_typed.expr }, to_type),
                    false => (Rhs::Expr(operand_typed.expr), to_type),
                }
            }
            _ => {
                let typed = self.expr(value)?;
                return Ok(Rhs::Expr(self.coerce(typed, ty, value.span)?));
            }
        };
        if !self.classes.is_assignable(found, ty) {
            let message = format!("expected {}, found {}", self.show(ty), self.show(found));
            return Err(self.complain(value.span, message));
        }
        Ok(rhs)
    }

    /// An expression of locals; everything else becomes instructions before it.
    pub(super) fn expr(&mut self, expr: &Ast) -> Checked<Typed> {
        let typed = |expr, ty| Ok(Typed { expr, ty });
        match &expr.kind {
            ExprKind::Int(value) => typed(Expr::Int(*value), Type::INT),
            ExprKind::Float(value) => typed(Expr::Float(value.to_bits()), Type::plain(Base::Float)),
            ExprKind::Bool(value) => typed(Expr::Bool(*value), Type::BOOL),
            ExprKind::Char(value) => typed(Expr::Int(i64::from(u32::from(*value))), Type::plain(Base::Char)),
            ExprKind::Text(text) => {
                let number = self.string(text);
                typed(Expr::Int(number), Type::plain(Base::String))
            }
            ExprKind::Null => typed(Expr::Null, Type::NULL),
            ExprKind::Name(name) => match self.lookup(name) {
                Some(local) => typed(Expr::Local(local), self.locals[usize::from(local)].ty),
                None => Err(self.no_variable(expr.span, name)),
            },
            ExprKind::Length(array) => {
                let array_typed = self.expr(array)?;
                if !array_typed.ty.is_array() {
                    let message = format!("only arrays have a length; this is {}", self.show(array_typed.ty));
                    return Err(self.complain(array.span, message));
                }
                typed(Expr::Length(Box::new(array_typed.expr)), Type::INT)
            }
            ExprKind::Not(operand) => {
                let operand = self.condition(operand)?;
                typed(Expr::Unary(UnaryOp::Not, Box::new(operand)), Type::BOOL)
            }
            ExprKind::Neg(operand) => {
                let value = self.expr(operand)?;
                let op = match value.ty {
                    Type::INT => UnaryOp::Neg,
                    Type { base: Base::Float, dims: 0 } => UnaryOp::FloatNeg,
                    other => {
                        let message = format!("there is no minus for {}", self.show(other));
                        return Err(self.complain(operand.span, message));
                    }
                };
                typed(Expr::Unary(op, Box::new(value.expr)), value.ty)
            }
            ExprKind::Binary(sign, left, right) => self.binary(sign, left, right),
            ExprKind::InstanceOf(value, ty) => self.instance_of(value, ty),
            ExprKind::Quantified { is_forall, element, index, array, body } => {
                self.quantified(*is_forall, [element, index], array, body)
            }
            _ if self.is_pure => {
                Err(self.complain(expr.span, "specifications and quantifiers read variables only, not the heap"))
            }
            _ => self.hoist(expr),
        }
    }

    /// Computes a heap read or call into a local.
    fn hoist(&mut self, expr: &Ast) -> Checked<Typed> {
        if is_call(expr) {
            let (call, ty) = self.call(expr)?;
            if ty == Type::VOID {
                return Err(self.complain(expr.span, "this method returns nothing"));
            }
            let temp = self.temp(ty);
            let cost = self.call_cost(&call);
            self.emit(Op::Call { call, to: Some(temp) }, expr.span, cost);
            return Ok(Typed { expr: Expr::Local(temp), ty });
        }
        let temp = self.temp(Type::NULL);
        // Any type will do here: what is found is what is kept.
        let ty = self.type_of_rhs(expr)?;
        let value = self.rhs(expr, ty)?;
        self.locals[usize::from(temp)].ty = ty;
        self.emit(Op::Assign { to: Place::Local(temp), value }, expr.span, 3);
        Ok(Typed { expr: Expr::Local(temp), ty })
    }

    /// The type of a heap read, without keeping the code for it.
    fn type_of_rhs(&mut self, expr: &Ast) -> Checked<Type> {
        let (n_code, n_locals) = (self.code.len(), self.locals.len());
        let ty = match &expr.kind {
            ExprKind::Field(object, name) => self.field(object, name).map(|(_, _, ty)| ty),
            ExprKind::Element(array, index) => self.element(array, index).map(|(_, _, ty)| ty),
            ExprKind::NewArray { element, sizes, open_dims } => self.classes.resolve(element).map_or_else(
                |problem| Err(self.complain(problem.span, problem.message)),
                |of| Ok(Type { base: of.base, dims: sizes.len() as u8 + open_dims }),
            ),
            ExprKind::Cast(to, _) => {
                self.classes.resolve(to).map_err(|problem| self.complain(problem.span, problem.message))
            }
            _ => unreachable!("calls and plain expressions are handled before"),
        };
        self.code.truncate(n_code);
        self.locals.truncate(n_locals);
        ty
    }

    /// An object and its field.
    pub(super) fn field(&mut self, object: &Ast, name: &Name) -> Checked<(Expr, Slot, Type)> {
        let value = self.expr(object)?;
        let Type { base: Base::Class(class), dims: 0 } = value.ty else {
            let message = format!("{} has no fields", self.show(value.ty));
            return Err(self.complain(name.span, message));
        };
        match self.classes.field(class, &name.text) {
            Some((slot, ty)) => Ok((value.expr, slot, ty)),
            None => Err(self.complain(name.span, format!("{} has no field `{}`", self.show(value.ty), name.text))),
        }
    }

    /// An array, an index, and what is there.
    pub(super) fn element(&mut self, array: &Ast, index: &Ast) -> Checked<(Expr, Expr, Type)> {
        let value = self.expr(array)?;
        if !value.ty.is_array() {
            let message = format!("only arrays have elements; this is {}", self.show(value.ty));
            return Err(self.complain(array.span, message));
        }
        let at = self.expr(index)?;
        let at = if at.ty == Type::plain(Base::Uint) { at.expr } else { self.coerce(at, Type::INT, index.span)? };
        Ok((value.expr, at, value.ty.element()))
    }

    fn instance_of(&mut self, value: &Ast, ty: &super::ast::TypeName) -> Checked<Typed> {
        let resolved = self.classes.resolve(ty).map_err(|problem| self.complain(problem.span, problem.message))?;
        let operand = self.expr(value)?;
        if !operand.ty.is_reference() || !resolved.is_reference() {
            let message = format!("`instanceof` is about objects, not {}", self.show(operand.ty));
            return Err(self.complain(value.span, message));
        }
        Ok(Typed { expr: Expr::InstanceOf(Box::new(operand.expr), resolved), ty: Type::BOOL })
    }

    fn quantified(&mut self, is_forall: bool, names: [&Name; 2], array: &Ast, body: &Ast) -> Checked<Typed> {
        let over = self.expr(array)?;
        if !over.ty.is_array() {
            let message = format!("quantifiers range over arrays, not {}", self.show(over.ty));
            return Err(self.complain(array.span, message));
        }
        let (element, index) =
            (self.new_local(&names[0].text, over.ty.element()), self.new_local(&names[1].text, Type::INT));
        // Quantified names hide others, as everywhere.
        self.scopes.push(BTreeMap::from([(names[0].text.clone(), element), (names[1].text.clone(), index)]));
        let was_pure = std::mem::replace(&mut self.is_pure, true);
        let lowered = self.condition(body);
        self.is_pure = was_pure;
        self.scopes.pop();
        let expr = Expr::Quantified { is_forall, array: Box::new(over.expr), element, index, body: Box::new(lowered?) };
        Ok(Typed { expr, ty: Type::BOOL })
    }

    fn binary(&mut self, sign: &str, left: &Ast, right: &Ast) -> Checked<Typed> {
        let logical = match sign {
            "&&" => Some(BinaryOp::And),
            "||" => Some(BinaryOp::Or),
            "==>" => Some(BinaryOp::Implies),
            _ => None,
        };
        if let Some(op) = logical {
            return self.logical(op, left, right);
        }
        let a = self.expr(left)?;
        let b = self.expr(right)?;
        let (a, b, ty) = self.meet(a, b, sign, left.span)?;
        let is_float = ty == Type::plain(Base::Float);
        let pick = |int, float| if is_float { float } else { int };
        let op = match sign {
            "==" => pick(BinaryOp::Eq, BinaryOp::FloatEq),
            "!=" => pick(BinaryOp::Ne, BinaryOp::FloatNe),
            "<" | ">" => pick(BinaryOp::Lt, BinaryOp::FloatLt),
            "<=" | ">=" => pick(BinaryOp::Le, BinaryOp::FloatLe),
            "+" => pick(BinaryOp::Add, BinaryOp::FloatAdd),
            "-" if ty == Type::plain(Base::Uint) => BinaryOp::UintSub,
            "-" => pick(BinaryOp::Sub, BinaryOp::FloatSub),
            "*" => pick(BinaryOp::Mul, BinaryOp::FloatMul),
            "/" => pick(BinaryOp::Div, BinaryOp::FloatDiv),
            "%" => pick(BinaryOp::Rem, BinaryOp::FloatRem),
            other => unreachable!("there is no operator {other}"),
        };
        let result = if matches!(sign, "+" | "-" | "*" | "/" | "%") { ty } else { Type::BOOL };
        let (a, b) = if matches!(sign, ">" | ">=") { (b, a) } else { (a, b) };
        Ok(Typed { expr: Expr::Binary(op, Box::new(a), Box::new(b)), ty: result })
    }

    /// Brings two operands to one type that the operator takes.
    fn meet(&mut self, a: Typed, b: Typed, sign: &str, span: Span) -> Checked<(Expr, Expr, Type)> {
        let is_equality = matches!(sign, "==" | "!=");
        let both = match (self.try_coerce(&b, a.ty), self.try_coerce(&a, b.ty)) {
            (Some(right), _) => Some((a.expr.clone(), right, a.ty)),
            (None, Some(left)) => Some((left, b.expr.clone(), b.ty)),
            (None, None) => None,
        };
        let is_comparable = |ty: Type| is_equality && ty.base != Base::Void || ty.is_numeric();
        let is_ordered_char = |ty: Type| ty == Type::plain(Base::Char) && matches!(sign, "<" | ">" | "<=" | ">=");
        match both {
            Some(both) if is_comparable(both.2) || is_ordered_char(both.2) => Ok(both),
            _ => {
                let message = format!("there is no `{sign}` for {} and {}", self.show(a.ty), self.show(b.ty));
                Err(self.complain(span, message))
            }
        }
    }

    fn logical(&mut self, op: BinaryOp, left: &Ast, right: &Ast) -> Checked<Typed> {
        let a = self.condition(left)?;
        if !right.has_effects() || self.is_pure {
            let b = self.condition(right)?;
            return Ok(Typed { expr: Expr::Binary(op, Box::new(a), Box::new(b)), ty: Type::BOOL });
        }
        // What the right operand does must happen only if the left one does not decide.
        let temp = self.temp(Type::BOOL);
        let set = |value| Op::Assign { to: Place::Local(temp), value: Rhs::Expr(value) };
        let goes_on = match op {
            BinaryOp::Or => Expr::Unary(UnaryOp::Not, Box::new(Expr::Local(temp))),
            _ => Expr::Local(temp),
        };
        self.emit(set(a), left.span, 1);
        let branch = self.emit(Op::Branch { cond: goes_on, otherwise: 0 }, left.span, 2);
        let b = self.condition(right)?;
        self.emit(set(b), right.span, 1);
        if op == BinaryOp::Implies {
            let jump = self.emit(Op::Jump(0), right.span, 0);
            self.land(branch);
            self.emit(set(Expr::Bool(true)), left.span, 1);
            self.land(jump);
        } else {
            self.land(branch);
        }
        Ok(Typed { expr: Expr::Local(temp), ty: Type::BOOL })
    }

    /// What a call costs: the call, the entry, and two more if it is checked.
    pub(super) fn call_cost(&self, call: &Call) -> u8 {
        let is_checked = match call.callee {
            Callee::Virtual(_) => self.is_static || call.args.first() != Some(&Expr::Local(0)),
            Callee::Method(_) | Callee::New(..) => false,
        };
        if is_checked || call.args.iter().any(can_raise) { 3 } else { 1 }
    }

    /// A call and what it returns.
    pub(super) fn call(&mut self, expr: &Ast) -> Checked<(Call, Type)> {
        match &expr.kind {
            ExprKind::New { class, args } => {
                let Some(id) = self.classes.class_named(&class.text) else {
                    return Err(self.complain(class.span, format!("there is no class `{}`", class.text)));
                };
                let candidates = self.classes.constructors(id);
                if candidates.is_empty() {
                    let message = format!("`{}` is an interface; it has no objects of its own", class.text);
                    return Err(self.complain(class.span, message));
                }
                let (chosen, args) = self.choose(candidates, args, class)?;
                let method = chosen.method.expect("constructors have bodies");
                Ok((Call { callee: Callee::New(id, method), args }, Type::class(id)))
            }
            ExprKind::Super { name, args } => self.super_call(name.as_ref(), args, expr.span),
            ExprKind::Call { receiver: None, name, args } => {
                let this = (!self.is_static).then_some(Expr::Local(0));
                self.method_call(self.class, this, name, args)
            }
            ExprKind::Call { receiver: Some(receiver), name, args } => {
                if let ExprKind::Name(text) = &receiver.kind
                    && self.lookup(text).is_none()
                    && let Some(class) = self.classes.class_named(text)
                {
                    return self.method_call(class, None, name, args);
                }
                let value = self.expr(receiver)?;
                let Type { base: Base::Class(class), dims: 0 } = value.ty else {
                    let message = format!("{} has no methods", self.show(value.ty));
                    return Err(self.complain(name.span, message));
                };
                self.method_call(class, Some(value.expr), name, args)
            }
            _ => unreachable!("only calls come here"),
        }
    }

    fn super_call(&mut self, name: Option<&Name>, args: &[Ast], span: Span) -> Checked<(Call, Type)> {
        let parent = self.classes.classes[self.class.0 as usize].parent;
        let (Some(parent), false) = (parent, self.is_static) else {
            return Err(self.complain(span, "there is no superclass here"));
        };
        let candidates = match name {
            Some(name) => self.classes.methods_named(parent, &name.text),
            None if self.is_constructor => self.classes.constructors(parent),
            None => return Err(self.complain(span, "only constructors begin with the superclass's")),
        };
        let text = name.map_or_else(|| self.classes.classes[parent.0 as usize].name.clone(), |name| name.text.clone());
        let at = Name { text, span };
        let (chosen, mut args) = self.choose(candidates, args, &at)?;
        let Some(method) = chosen.method else {
            return Err(self.complain(span, format!("`{}` has no body in the superclass", at.text)));
        };
        if !chosen.is_static {
            args.insert(0, Expr::Local(0));
        }
        let returns = if chosen.is_constructor { Type::VOID } else { chosen.returns };
        Ok((Call { callee: Callee::Method(method), args }, returns))
    }

    fn method_call(
        &mut self,
        class: ir::oox::ClassId,
        receiver: Option<Expr>,
        name: &Name,
        args: &[Ast],
    ) -> Checked<(Call, Type)> {
        let candidates = self.classes.methods_named(class, &name.text);
        if candidates.is_empty() {
            let owner = self.show(Type::class(class));
            return Err(self.complain(name.span, format!("{owner} has no method `{}`", name.text)));
        }
        let (chosen, mut args) = self.choose(candidates, args, name)?;
        if chosen.is_static {
            let method = chosen.method.expect("static methods have bodies");
            return Ok((Call { callee: Callee::Method(method), args }, chosen.returns));
        }
        let Some(receiver) = receiver else {
            return Err(self.complain(name.span, format!("`{}` is not static; it needs an object", name.text)));
        };
        args.insert(0, receiver);
        Ok((Call { callee: Callee::Virtual(self.classes.number(&chosen)), args }, chosen.returns))
    }

    /// The method that is meant, with its arguments.
    fn choose(&mut self, candidates: Vec<Signature>, args: &[Ast], name: &Name) -> Checked<(Signature, Vec<Expr>)> {
        let typed: Vec<Checked<Typed>> = args.iter().map(|arg| self.expr(arg)).collect();
        let typed: Vec<Typed> = typed.into_iter().collect::<Checked<_>>()?;
        let types: Vec<Type> = typed.iter().map(|typed| typed.ty).collect();
        let chosen = match self.classes.choose(&candidates, &types) {
            Ok(chosen) => chosen.clone(),
            Err(Choice::Several) => {
                return Err(self.complain(name.span, format!("several methods `{}` take these arguments", name.text)));
            }
            Err(Choice::None) => match candidates.as_slice() {
                // With one candidate the argument that does not fit can be named.
                [only] if only.params.len() == args.len() => only.clone(),
                [only] => {
                    let (takes, given) = (only.params.len(), args.len());
                    let plural = if takes == 1 { "" } else { "s" };
                    let message = format!("`{}` takes {takes} argument{plural}, {given} given", name.text);
                    return Err(self.complain(name.span, message));
                }
                _ => {
                    let given: Vec<String> = types.iter().map(|ty| self.show(*ty)).collect();
                    let message = format!("no method `{}` takes ({})", name.text, given.join(", "));
                    return Err(self.complain(name.span, message));
                }
            },
        };
        let mut lowered = Vec::new();
        for ((typed, param), arg) in typed.into_iter().zip(&chosen.params).zip(args) {
            if typed.ty == Type::NULL && !param.is_reference() && param.base != Base::String {
                let message = format!("null stands for the default value of {} here", self.show(*param));
                self.warn(arg.span, message);
                lowered.push(default_expr(*param));
                continue;
            }
            lowered.push(self.coerce(typed, *param, arg.span)?);
        }
        Ok((chosen, lowered))
    }
}
