//! Which branches need not split a state? Short ones whose sides only change scalars of the running method and meet again.
//!
//! Known as: state merging, path merging, veritesting \[Kuznetsov12].
//!
//! `if (a[i] == x) { found := true; }` in a loop of n rounds has 2^n paths. Where both sides are possible and each is just a few assignments
//! to numbers and truth values, the state goes on behind the branch with `ite` terms instead. What was run then depends on the inputs: the
//! path remembers both counts under the condition, and a trace takes the one that its inputs say.
//!
//! Invariant: nothing on either side can raise an exception, be noticed by others, or assign a reference (shapes stay concrete). A joined
//! branch costs as much depth as its shorter side, so nothing within the depth is left out.

use super::eval::Eval;
use crate::symbolic::state::{Joined, State, Val};
use crate::symbolic::world::{Stop, World};
use ir::oox::{BinaryOp, Expr, LocalId, Method, Op, Place, Rhs};
use logic::TermId;
use std::rc::Rc;

/// Longer sides are not joined.
const MAX_INSTRUCTIONS: usize = 8;

/// The two sides of a branch, as instructions, and where they meet.
pub(crate) struct Sides {
    then: Vec<u32>,
    otherwise: Vec<u32>,
    meet_at: u32,
}

/// The sides of the branch at a place, if they can be joined.
pub(crate) fn sides(method: &Method, pc: u32) -> Option<Sides> {
    let Op::Branch { cond, otherwise } = &method.code[pc as usize].op else { return None };
    if !is_harmless(cond) {
        return None;
    }
    let (then, other) = (follow(method, pc + 1), follow(method, *otherwise));
    let (i, j) = then.iter().enumerate().find_map(|(i, place)| Some((i, other.iter().position(|at| at == place)?)))?;
    let meet_at = then[i];
    (meet_at > pc).then(|| Sides { then: then[..i].to_vec(), otherwise: other[..j].to_vec(), meet_at })
}

/// The places that control comes to as long as only scalars of the method change; the last one has not run.
fn follow(method: &Method, mut pc: u32) -> Vec<u32> {
    let mut places = vec![pc];
    while places.len() <= MAX_INSTRUCTIONS {
        pc = match &method.code[pc as usize].op {
            Op::Skip => pc + 1,
            Op::Jump(to) if *to > pc => *to,
            Op::Assign { to: Place::Local(local), value: Rhs::Expr(value) }
                if !method.locals[usize::from(*local)].ty.is_reference() && is_harmless(value) =>
            {
                pc + 1
            }
            _ => break,
        };
        places.push(pc);
    }
    places
}

/// Whether an expression has a value whatever the locals are, and reads nothing else.
fn is_harmless(expr: &Expr) -> bool {
    match expr {
        Expr::Int(_) | Expr::Bool(_) | Expr::Float(_) | Expr::Null | Expr::Local(_) => true,
        Expr::Unary(_, a) => is_harmless(a),
        Expr::Binary(BinaryOp::Div | BinaryOp::Rem | BinaryOp::UintSub, ..) => false,
        Expr::Binary(_, a, b) => is_harmless(a) && is_harmless(b),
        Expr::Length(_) | Expr::InstanceOf(..) | Expr::Quantified { .. } => false,
    }
}

/// Runs the branch at which a thread stands, whose condition is not known: to where the sides meet if both are possible. Asks for a split
/// if that cannot be done.
pub(crate) fn join(world: &mut World<'_>, state: &mut State, at: usize, cond: TermId) -> Result<Option<Joined>, Stop> {
    let frame = Rc::clone(state.threads[at].frames.last().expect("only running threads step"));
    let Some(sides) = world.sides(frame.method, frame.pc) else { return Err(Stop::Decide(cond)) };
    let negation = world.terms.pool.not(cond);
    let can_hold = world.is_feasible(state, Some(cond));
    let found = world.found.take();
    match (can_hold, world.is_feasible(state, Some(negation))) {
        (Some(true), Some(true)) => {}
        (Some(true), Some(false)) => {
            world.found = found;
            world.assume(state, cond);
            state.top_mut(at).pc += 1;
            return Ok(None);
        }
        (Some(false), Some(true)) => {
            world.assume(state, negation);
            let Op::Branch { otherwise, .. } = world.program.methods[frame.method as usize].code[frame.pc as usize].op
            else {
                unreachable!("only branches have sides")
            };
            state.top_mut(at).pc = otherwise;
            return Ok(None);
        }
        _ => return Err(Stop::Decide(cond)),
    }
    let method = &world.program.methods[frame.method as usize];
    let (Some(then), Some(otherwise)) = (
        run(world, state, &frame.locals, method, &sides.then),
        run(world, state, &frame.locals, method, &sides.otherwise),
    ) else {
        return Err(Stop::Decide(cond));
    };
    let locals =
        then.iter().zip(&otherwise).map(|(a, b)| if a == b { *a } else { world.terms.ite(Val::Term(cond), *a, *b) });
    let locals: Vec<Val> = locals.collect();
    let top = state.top_mut(at);
    top.locals = locals;
    top.pc = sides.meet_at;
    let cost = |places: &[u32]| places.iter().map(|pc| u32::from(method.code[*pc as usize].cost)).sum::<u32>();
    Ok(Some(Joined {
        cond,
        then: sides.then.len() as u32,
        otherwise: sides.otherwise.len() as u32,
        cost: cost(&sides.then).min(cost(&sides.otherwise)),
    }))
}

/// The locals after one side; `None` if an integer may leave the 64 bits.
fn run(world: &mut World<'_>, state: &State, locals: &[Val], method: &Method, places: &[u32]) -> Option<Vec<Val>> {
    let mut locals = locals.to_vec();
    for pc in places {
        if let Op::Assign { to: Place::Local(local), value: Rhs::Expr(value) } = &method.code[*pc as usize].op {
            let local: LocalId = *local;
            locals[usize::from(local)] = Eval::new(world, state, &locals).value(value).ok()?;
        }
    }
    Some(locals)
}
