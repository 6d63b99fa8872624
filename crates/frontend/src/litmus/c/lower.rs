//! From the syntax of a C thread to instructions.
//!
//! A local is a register, a parameter is the address of the location of that name; everything is a word of 64 bits, and elements of arrays are 8
//! bytes apart. Accesses happen from left to right, each into a register of its own. `if` and loops become branches that know where they
//! end (`join`), because control dependencies end there.
//!
//! A plain access has the tag `NA`. Which functions there are depends on the test: those of C11 (`standard`), those that definitions give
//! in terms of tagged primitives (`kernel`), or those that send and receive messages (`process`), where nothing else is shared.

use super::super::coder::{Coder, constant, is_zero, sum};
use super::ast::{Expr as Syntax, ExprKind, Function, Stmt};
use super::definitions::{Body, Definitions};
use super::process::Topics;
use ir::Diagnostic;
use ir::litmus::{Binary, Expr, Extend, LocationId, Op, Reg, Unary};
use rustc_hash::FxHashMap;

/// Bytes of every scalar.
pub(super) const SIZE: u8 = 8;
/// How deep definitions may refer to each other.
const MAX_DEPTH: usize = 32;

/// Which functions a thread may call.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Calls<'l> {
    /// Those of C11.
    Standard,
    /// Those of these definitions.
    Defined(&'l Definitions),
    /// Those that send and receive on these topics.
    Messages(&'l Topics),
}

/// Adds the instructions of a thread. Says whether a definition was used.
pub(in super::super) fn lower(
    coder: &mut Coder<'_, '_>,
    function: &Function,
    calls: Calls<'_>,
) -> Result<bool, Diagnostic> {
    let mut parameters = FxHashMap::default();
    for parameter in &function.parameters {
        let span = coder.source.span(parameter.at, parameter.name.len());
        let id = coder.locations.id(&parameter.name, span)?;
        coder.locations.get(id).is_plain |= !parameter.is_atomic;
        parameters.insert(parameter.name.clone(), id);
    }
    let mut lowering =
        Lowering { coder, parameters, calls, depth: 0, used_definitions: false, declared: vec![Vec::new()] };
    for stmt in &function.body {
        lowering.stmt(stmt)?;
    }
    Ok(lowering.used_definitions)
}

/// A thread that is being lowered.
pub(super) struct Lowering<'l, 'd, 'a> {
    pub(super) coder: &'l mut Coder<'d, 'a>,
    parameters: FxHashMap<String, LocationId>,
    calls: Calls<'l>,
    depth: usize,
    used_definitions: bool,
    /// The locals of each block that is open, outermost first.
    declared: Vec<Vec<String>>,
}

impl Lowering<'_, '_, '_> {
    /// The statements of a block.
    fn stmts(&mut self, stmts: &[Stmt]) -> Result<(), Diagnostic> {
        self.declared.push(Vec::new());
        let done = stmts.iter().try_for_each(|stmt| self.stmt(stmt));
        self.declared.pop();
        done
    }

    /// Conditions speak of locals by their names alone, so one name stands for one register: another local of the same name inside is refused. Those of definitions are nobody's business.
    fn declare(&mut self, name: &str, at: usize) -> Result<(), Diagnostic> {
        let (own, outer) = self.declared.split_last_mut().expect("a block is open");
        if self.depth == 0 && (outer.iter().flatten().any(|known| known == name) || self.parameters.contains_key(name))
        {
            let message = format!("`{name}` inside of a block, which hides another `{name}`, is not supported");
            return Err(self.coder.unsupported(at, name.len(), message));
        }
        if self.depth == 0 {
            own.push(name.to_string());
        }
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Diagnostic> {
        match stmt {
            Stmt::Block(body) => self.stmts(body),
            Stmt::Declare { name, value, at } => {
                self.coder.begin(*at, name.len());
                self.declare(name, *at)?;
                let to = self.local(name);
                if let Some(value) = value {
                    let value = self.value(value)?;
                    self.coder.set(to, value);
                }
                Ok(())
            }
            Stmt::Assign { place, operator, value } => self.assign(place, operator.as_deref(), value),
            Stmt::Evaluate(expr) => {
                self.coder.begin(expr.at, expr.length);
                self.evaluate(expr)
            }
            Stmt::If { condition, yes, no } => {
                let branch = self.condition(condition)?;
                self.stmts(yes)?;
                if no.is_empty() {
                    self.close(branch, self.coder.code.len(), self.coder.code.len());
                    return Ok(());
                }
                let leave = self.coder.emit(Op::Jump { target: usize::MAX });
                let other = self.coder.code.len();
                self.stmts(no)?;
                let end = self.coder.code.len();
                self.coder.aim(leave, end);
                self.close(branch, other, end);
                Ok(())
            }
            Stmt::While { condition, body, is_checked_last } => {
                let head = self.coder.code.len();
                if *is_checked_last {
                    self.stmts(body)?;
                    let branch = self.condition(condition)?;
                    self.coder.emit(Op::Jump { target: head });
                    self.close(branch, self.coder.code.len(), self.coder.code.len());
                } else {
                    let branch = self.condition(condition)?;
                    self.stmts(body)?;
                    self.coder.emit(Op::Jump { target: head });
                    self.close(branch, self.coder.code.len(), self.coder.code.len());
                }
                Ok(())
            }
        }
    }

    /// Adds a branch that is taken when the condition is 0, for `close` to aim.
    fn condition(&mut self, condition: &Syntax) -> Result<usize, Diagnostic> {
        self.coder.begin(condition.at, condition.length);
        let value = self.value(condition)?;
        Ok(self.coder.emit(Op::Branch { condition: is_zero(64, value), target: usize::MAX, join: None }))
    }

    fn close(&mut self, branch: usize, to: usize, end: usize) {
        match &mut self.coder.code[branch].op {
            Op::Branch { target, join, .. } => {
                *target = to;
                *join = Some(end);
            }
            other => unreachable!("{other:?} is not a branch"),
        }
    }

    fn assign(&mut self, place: &Syntax, operator: Option<&str>, value: &Syntax) -> Result<(), Diagnostic> {
        self.coder.begin(place.at, (value.at + value.length).saturating_sub(place.at));
        let name = match &place.kind {
            ExprKind::Name(name) if !self.parameters.contains_key(name) => Some(name.clone()),
            _ => None,
        };
        if let Some(name) = name {
            let to = self.local(&name);
            let mut value = self.value(value)?;
            if let Some(operator) = operator {
                value = self.apply(operator, Expr::Reg(to), value, place)?;
            }
            self.coder.set(to, value);
            return Ok(());
        }
        let address = self.place(place)?;
        let mut new = self.value(value)?;
        if let Some(operator) = operator {
            let old = self.load(address.clone(), vec!["NA".to_string()]);
            new = self.apply(operator, Expr::Reg(old), new, place)?;
        }
        self.store(address, new, vec!["NA".to_string()]);
        Ok(())
    }

    /// An expression as a statement.
    fn evaluate(&mut self, expr: &Syntax) -> Result<(), Diagnostic> {
        match &expr.kind {
            ExprKind::Call { .. } => self.call(expr).map(|_| ()),
            _ => self.value(expr).map(|_| ()),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Syntax) -> Result<Expr, Diagnostic> {
        match &expr.kind {
            ExprKind::Number(value) => Ok(constant(*value)),
            ExprKind::Name(name) => match self.parameters.get(name) {
                Some(id) => Ok(constant(super::super::coder::address_of(*id))),
                None if matches!(self.calls, Calls::Messages(_)) => self.message_name(expr, name),
                None => Ok(Expr::Reg(self.local(name))),
            },
            ExprKind::Deref(_) | ExprKind::Index(..) => {
                let address = self.place(expr)?;
                Ok(Expr::Reg(self.load(address, vec!["NA".to_string()])))
            }
            ExprKind::AddressOf(inner) => self.place(inner),
            ExprKind::Unary(operator, inner) => {
                let inner = self.value(inner)?;
                Ok(match operator {
                    '-' => match inner {
                        Expr::Const(value) => constant(value.wrapping_neg()),
                        _ => Expr::unary(Unary::Negate, 64, inner),
                    },
                    '~' => Expr::unary(Unary::Not, 64, inner),
                    _ => is_zero(64, inner),
                })
            }
            ExprKind::Binary(operator, left, right) => {
                let left_value = self.value(left)?;
                let middle = self.coder.code.len();
                let right_value = self.value(right)?;
                let is_lazy = matches!(operator.as_str(), "&&" | "||");
                if is_lazy && self.coder.code.len() != middle {
                    let message = format!("`{operator}` whose right side accesses memory is not supported");
                    return Err(self.coder.unsupported(right.at, right.length, message));
                }
                // A step along an array is an element; other sums are of bytes, as herd has them.
                let is_sum = matches!(operator.as_str(), "+" | "-");
                let right_value = if is_sum && self.is_array(left) { elements(right_value) } else { right_value };
                let left_value =
                    if operator == "+" && self.is_array(right) { elements(left_value) } else { left_value };
                self.apply(operator, left_value, right_value, expr)
            }
            ExprKind::Conditional(condition, yes, no) => {
                let condition = self.value(condition)?;
                let before = self.coder.code.len();
                let (yes_value, no_value) = (self.value(yes)?, self.value(no)?);
                if self.coder.code.len() != before {
                    let message = "`?:` whose branches access memory is not supported";
                    return Err(self.coder.unsupported(expr.at, expr.length, message));
                }
                Ok(Expr::select(condition, yes_value, no_value))
            }
            ExprKind::Call { name, .. } => {
                self.call(expr)?.ok_or_else(|| self.coder.error(expr.at, expr.length, format!("`{name}` has no value")))
            }
            ExprKind::Operator(operator) => {
                Err(self.coder.error(expr.at, expr.length, format!("expected an expression, found `{operator}`")))
            }
        }
    }

    /// The address of what can be read or written.
    pub(super) fn place(&mut self, expr: &Syntax) -> Result<Expr, Diagnostic> {
        if matches!(self.calls, Calls::Messages(_)) {
            let message = "processes share no memory: they `send(topic, value)` and `receive(topic)`";
            return Err(self.coder.unsupported(expr.at, expr.length, message));
        }
        match &expr.kind {
            ExprKind::Deref(pointer) => self.value(pointer),
            ExprKind::Index(base, index) => {
                let base = self.value(base)?;
                let index = self.value(index)?;
                Ok(sum(base, elements(index)))
            }
            ExprKind::Name(name) => {
                let message = if self.parameters.contains_key(name) {
                    format!("`{name}` is a pointer; `*{name}` was expected here")
                } else {
                    format!("the local `{name}` has no address in a litmus test")
                };
                Err(self.coder.unsupported(expr.at, expr.length, message))
            }
            _ => Err(self.coder.error(expr.at, expr.length, "this is not something that can be read or written")),
        }
    }

    /// Whether an expression is the bare name of an array.
    fn is_array(&mut self, expr: &Syntax) -> bool {
        let ExprKind::Name(name) = &expr.kind else {
            return false;
        };
        let id = self.parameters.get(name).copied();
        id.is_some_and(|id| self.coder.locations.get(id).length.is_some())
    }

    /// Whether an expression is the bare name of a location.
    pub(super) fn is_location(&self, expr: &Syntax) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if self.parameters.contains_key(name))
    }

    /// A call; its value if it has one.
    fn call(&mut self, call: &Syntax) -> Result<Option<Expr>, Diagnostic> {
        let ExprKind::Call { name, tags, arguments } = &call.kind else { unreachable!("only calls are called") };
        let definitions = match self.calls {
            Calls::Standard => return self.standard_call(call, name, arguments),
            Calls::Messages(topics) => return self.message_call(call, topics, name, arguments),
            Calls::Defined(definitions) => definitions,
        };
        if name.starts_with("__") {
            return self.primitive(call, name, tags, arguments);
        }
        let Some(definition) = definitions.get(name) else {
            let message = format!("the function `{name}` is not supported in a litmus test");
            return Err(self.coder.unsupported(call.at, name.len(), message));
        };
        if definition.n_parameters() != arguments.len() {
            let message = format!("`{name}` has {} arguments, not {}", definition.n_parameters(), arguments.len());
            return Err(self.coder.error(call.at, call.length, message));
        }
        if self.depth == MAX_DEPTH {
            return Err(self.coder.error(call.at, call.length, format!("the definition of `{name}` is too deep")));
        }
        self.used_definitions = true;
        self.depth += 1;
        let result = match definition.instantiate(arguments, call) {
            Body::Value(value) => self.value(&value).map(Some),
            Body::Block(stmts) => self.stmts(&stmts).map(|()| None),
        };
        self.depth -= 1;
        result
    }

    fn apply(&mut self, operator: &str, left: Expr, right: Expr, at: &Syntax) -> Result<Expr, Diagnostic> {
        let truth = |value| Expr::binary(Binary::Ne, 64, value, constant(0));
        let (op, left, right) = match operator {
            "+" => return Ok(sum(left, right)),
            "-" => (Binary::Sub, left, right),
            "*" => (Binary::Mul, left, right),
            "/" => (Binary::SDiv, left, right),
            "%" => (Binary::SRem, left, right),
            "&" => (Binary::And, left, right),
            "|" => (Binary::Or, left, right),
            "^" => (Binary::Xor, left, right),
            "<<" => (Binary::Shl, left, right),
            ">>" => (Binary::Ashr, left, right),
            "==" => (Binary::Eq, left, right),
            "!=" => (Binary::Ne, left, right),
            "<" => (Binary::Slt, left, right),
            "<=" => (Binary::Sle, left, right),
            ">" => (Binary::Slt, right, left),
            ">=" => (Binary::Sle, right, left),
            "&&" => (Binary::And, truth(left), truth(right)),
            "||" => (Binary::Or, truth(left), truth(right)),
            _ => return Err(self.coder.error(at.at, at.length, format!("`{operator}` is not an operator"))),
        };
        Ok(Expr::binary(op, 64, left, right))
    }

    fn local(&mut self, name: &str) -> Reg {
        self.coder.register(name)
    }

    /// Begins an access: each is a group of its own, at the place of its statement.
    pub(super) fn access(&mut self) {
        self.coder.next_group();
    }

    /// A load into a new register.
    pub(super) fn load(&mut self, address: Expr, tags: Vec<String>) -> Reg {
        self.access();
        let to = self.coder.temporary();
        let op = Op::Load { to: Some(to), address, size: SIZE, extend: Extend::Zero, is_exclusive: false, tags };
        self.coder.emit(op);
        to
    }

    pub(super) fn store(&mut self, address: Expr, value: Expr, tags: Vec<String>) {
        self.access();
        self.coder.emit(Op::Store { address, value, size: SIZE, tags });
    }

    pub(super) fn fence(&mut self, tags: Vec<String>, address: Option<Expr>) {
        self.access();
        self.coder.emit(Op::Fence { tags, address });
    }

    /// Runs one of two pieces of code, freely chosen: each pins down by assumptions when it is possible.
    pub(super) fn either(
        &mut self,
        one: impl FnOnce(&mut Self) -> Result<(), Diagnostic>,
        other: impl FnOnce(&mut Self) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let choice = self.coder.temporary();
        self.coder.emit(Op::Choose { to: choice });
        let branch =
            self.coder.emit(Op::Branch { condition: is_zero(64, Expr::Reg(choice)), target: usize::MAX, join: None });
        one(self)?;
        let leave = self.coder.emit(Op::Jump { target: usize::MAX });
        let start = self.coder.code.len();
        other(self)?;
        let end = self.coder.code.len();
        self.coder.aim(leave, end);
        self.close(branch, start, end);
        Ok(())
    }

    pub(super) fn assume(&mut self, op: Binary, left: Expr, right: Expr) {
        self.coder.emit(Op::Assume { condition: Expr::binary(op, 64, left, right) });
    }

    /// Complains unless there are so many arguments.
    pub(super) fn count(&self, call: &Syntax, name: &str, arguments: &[Syntax], n: usize) -> Result<(), Diagnostic> {
        if arguments.len() == n {
            return Ok(());
        }
        Err(self.coder.error(call.at, call.length, format!("`{name}` has {n} arguments, not {}", arguments.len())))
    }
}

/// A number of elements, in bytes.
fn elements(count: Expr) -> Expr {
    match count {
        Expr::Const(count) => constant(count.wrapping_mul(u64::from(SIZE))),
        count => Expr::binary(Binary::Mul, 64, count, constant(u64::from(SIZE))),
    }
}
