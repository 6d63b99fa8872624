//! What is the value of an expression in a symbolic state?
//!
//! Nothing is changed here. What has to be known first (what a lazy reference is, of which class an input object is) is an error that says
//! so; the state is then split and the instruction begins again. Conditions under which an exception is raised are collected with
//! the guard they stand behind, and decided one after the other when the value is there.

use crate::symbolic::state::{Shape, State, Val};
use crate::symbolic::world::{Stop, World};
use ir::oox::{Base, BinaryOp, ClassId, Expr, LocalId, Type};

/// An evaluation under way.
pub(crate) struct Eval<'w, 'p, 's> {
    pub(crate) world: &'w mut World<'p>,
    pub(crate) state: &'s State,
    locals: &'s [Val],
    /// What quantifiers bind, the innermost last.
    bound: Vec<(LocalId, Val)>,
    /// What must hold for the current part to be looked at at all.
    guard: Val,
    /// Conditions for exceptions, in order.
    raised: Vec<(Val, Stop)>,
}

impl<'w, 'p, 's> Eval<'w, 'p, 's> {
    pub(crate) fn new(world: &'w mut World<'p>, state: &'s State, locals: &'s [Val]) -> Eval<'w, 'p, 's> {
        Eval { world, state, locals, bound: Vec::new(), guard: Val::Bool(true), raised: Vec::new() }
    }

    /// The value, if no exception comes in its way.
    pub(crate) fn value(mut self, expr: &Expr) -> Result<Val, Stop> {
        let val = self.eval(expr)?;
        for (cond, stop) in std::mem::take(&mut self.raised) {
            if self.world.decide(self.state, cond)? {
                return Err(stop);
            }
        }
        Ok(val)
    }

    /// Whether a clause holds: what cannot be computed does not.
    pub(crate) fn clause(mut self, expr: &Expr) -> Result<Val, Stop> {
        let mut val = match self.eval(expr) {
            Ok(val) => val,
            Err(Stop::Raise) => return Ok(Val::Bool(false)),
            Err(stop) => return Err(stop),
        };
        for (cond, stop) in std::mem::take(&mut self.raised) {
            if matches!(stop, Stop::Raise) {
                let fine = self.world.terms.not(cond);
                val = self.world.terms.and(val, fine);
            } else if self.world.decide(self.state, cond)? {
                return Err(stop);
            }
        }
        Ok(val)
    }

    /// Notes that something happens under a condition; at once if the condition is plainly true.
    fn raise(&mut self, cond: Val, stop: Stop) -> Result<(), Stop> {
        let cond = self.world.terms.and(self.guard, cond);
        match self.world.known(self.state, cond) {
            Some(false) => Ok(()),
            Some(true) => Err(stop),
            None => {
                self.raised.push((cond, stop));
                Ok(())
            }
        }
    }

    fn eval(&mut self, expr: &Expr) -> Result<Val, Stop> {
        Ok(match expr {
            Expr::Int(value) => Val::Int(*value),
            Expr::Bool(value) => Val::Bool(*value),
            Expr::Float(bits) => Val::Float(*bits),
            Expr::Null => Val::Ref(0),
            Expr::Local(local) => match self.bound.iter().rev().find(|(bound, _)| bound == local) {
                Some((_, val)) => *val,
                None => self.locals[usize::from(*local)],
            },
            Expr::Length(array) => {
                let reference = self.reference(array)?;
                if reference == 0 {
                    self.raise(Val::Bool(true), Stop::Raise)?;
                    return Ok(Val::Int(0));
                }
                Val::Int(self.state.object(reference).vals.len() as i64)
            }
            Expr::Unary(op, operand) => {
                let val = self.eval(operand)?;
                let computed = self.world.terms.unary(*op, val);
                if let Some(overflows) = computed.overflows {
                    let cond = self.world.terms.val(overflows);
                    self.raise(cond, Stop::OutOfRange)?;
                }
                computed.val
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), left, right) => {
                return self.logical(*op, left, right);
            }
            Expr::Binary(op, left, right) => return self.binary(*op, left, right),
            Expr::InstanceOf(value, ty) => {
                let reference = self.reference(value)?;
                Val::Bool(reference != 0 && is_of(self.world, self.state, reference, *ty)?)
            }
            Expr::Quantified { is_forall, array, element, index, body } => {
                let reference = self.reference(array)?;
                if reference == 0 {
                    self.raise(Val::Bool(true), Stop::Raise)?;
                    return Ok(Val::Bool(false));
                }
                return self.quantified(*is_forall, reference, (*element, *index), body);
            }
        })
    }

    /// A reference that is decided.
    fn reference(&mut self, expr: &Expr) -> Result<u32, Stop> {
        match self.eval(expr)? {
            Val::Ref(reference) => Ok(reference),
            Val::Lazy(lazy) => Err(Stop::Resolve(lazy)),
            _ => Ok(0),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Val, Stop> {
        let (a, b) = (self.eval(left)?, self.eval(right)?);
        if let Val::Lazy(lazy) = a
            && a != b
        {
            return Err(Stop::Resolve(lazy));
        }
        if let Val::Lazy(lazy) = b
            && a != b
        {
            return Err(Stop::Resolve(lazy));
        }
        let computed = self.world.terms.binary(op, a, b);
        if let Some(cond) = computed.raises {
            self.raise(cond, Stop::Raise)?;
        }
        if let Some(overflows) = computed.overflows {
            let cond = self.world.terms.val(overflows);
            self.raise(cond, Stop::OutOfRange)?;
        }
        Ok(computed.val)
    }

    fn logical(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Result<Val, Stop> {
        let a = self.eval(left)?;
        // Where the first operand is known, nothing is asked about the second in vain.
        let a = self.world.known(self.state, a).map_or(a, Val::Bool);
        match (op, a) {
            (BinaryOp::And, Val::Bool(false)) => return Ok(Val::Bool(false)),
            (BinaryOp::Or, Val::Bool(true)) | (BinaryOp::Implies, Val::Bool(false)) => return Ok(Val::Bool(true)),
            _ => {}
        }
        let goes_on = if op == BinaryOp::Or { self.world.terms.not(a) } else { a };
        let outer = self.guard;
        self.guard = self.world.terms.and(outer, goes_on);
        let b = self.guarded(right);
        self.guard = outer;
        let b = b?;
        Ok(match op {
            BinaryOp::And => self.world.terms.and(a, b),
            BinaryOp::Or => self.world.terms.or(a, b),
            _ => {
                let not = self.world.terms.not(a);
                self.world.terms.or(not, b)
            }
        })
    }

    /// A part behind a guard: an exception that is sure inside is only sure if the guard is.
    fn guarded(&mut self, expr: &Expr) -> Result<Val, Stop> {
        match self.eval(expr) {
            Err(stop @ (Stop::Raise | Stop::OutOfRange)) if self.world.known(self.state, self.guard) != Some(true) => {
                self.raised.push((self.guard, stop));
                Ok(Val::Bool(false))
            }
            result => result,
        }
    }

    fn quantified(&mut self, is_forall: bool, array: u32, names: (LocalId, LocalId), body: &Expr) -> Result<Val, Stop> {
        let ty = match self.state.object(array).shape {
            Shape::Array(ty) => ty.element(),
            Shape::Instance(_) => Type::NULL,
        };
        self.world.arrays_read.push(array);
        let n_bound = self.bound.len();
        let outer = self.guard;
        let mut result = Val::Bool(is_forall);
        for at in 0..self.state.object(array).vals.len() {
            let val = read(self.world, self.state, array, at, ty);
            self.bound.push((names.0, val));
            self.bound.push((names.1, Val::Int(at as i64)));
            let holds = self.guarded(body);
            self.bound.truncate(n_bound);
            let holds = match holds {
                Ok(holds) => holds,
                Err(stop) => {
                    self.guard = outer;
                    return Err(stop);
                }
            };
            result = if is_forall { self.world.terms.and(result, holds) } else { self.world.terms.or(result, holds) };
            // Later elements count only if the earlier ones do not decide.
            let goes_on = if is_forall { holds } else { self.world.terms.not(holds) };
            self.guard = self.world.terms.and(self.guard, goes_on);
            if result == Val::Bool(!is_forall) {
                break;
            }
        }
        self.guard = outer;
        Ok(result)
    }
}

/// What stands in a slot; an input that nobody has looked at gets its variable.
pub(crate) fn read(world: &mut World<'_>, state: &State, object: u32, slot: usize, ty: Type) -> Val {
    let object = state.object(object);
    match object.vals.get(slot) {
        Some(Val::Unset) | None => {
            let input = object.input.expect("only input objects have slots that nobody has written");
            world.input(crate::symbolic::state::Origin::Slot(input, slot as u32), ty, false)
        }
        Some(val) => *val,
    }
}

/// Whether an object is of a type.
pub(crate) fn is_of(world: &mut World<'_>, state: &State, reference: u32, ty: Type) -> Result<bool, Stop> {
    match (&state.object(reference).shape, ty.base) {
        (Shape::Instance(classes), Base::Class(wanted)) if ty.dims == 0 => {
            let n = classes.iter().filter(|class| world.program.is_subclass(**class, wanted)).count();
            match n {
                0 => Ok(false),
                n if n == classes.len() => Ok(true),
                _ => Err(Stop::Narrow(reference, wanted)),
            }
        }
        (Shape::Array(own), _) => Ok(*own == ty),
        _ => Ok(false),
    }
}

/// The method that an object runs for a signature.
pub(crate) fn dispatch(world: &World<'_>, state: &State, reference: u32, signature: u32) -> Result<u32, Stop> {
    let Shape::Instance(classes) = &state.object(reference).shape else { unreachable!("arrays have no methods") };
    let of = |class: &ClassId| world.program.class(*class).runs(signature);
    let first = of(&classes[0]);
    if classes.iter().any(|class| of(class) != first) {
        return Err(Stop::Dispatch(reference, signature));
    }
    Ok(first.expect("the front end looked for missing methods").0)
}
