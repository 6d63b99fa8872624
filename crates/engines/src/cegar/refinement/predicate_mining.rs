//! What might be true of those who stand at a place? Guesses from the text of the program, for when paths teach nothing more, or too much.
//!
//! Known as: predicate mining, candidate invariants, templates from the program text (Houdini-like guessing).
//!
//! What a path of some threads teaches is often about how they took turns, and not about everybody who may stand at a counted place. What
//! is needed there is mostly said in the program: a condition that a thread has seen or is about to see, or that a variable of it is what was
//! computed or read last. Each of these is a predicate for all places where the variables in it are still read.
//!
//! Nothing here is assumed: a predicate that does not hold is not known to.

use crate::abstraction::cells::Cell;
use crate::abstraction::control::{ThreadAt, can_be_counted, place};
use crate::abstraction::interpolants::atoms;
use crate::abstraction::state::Precision;
use crate::cegar::world::World;
use ir::pass::Liveness;
use ir::{LocId, Op, Place, ProcId, Scope};
use logic::{TermId, VarId};
use rustc_hash::FxHashMap;

/// More than this many cost more than they help.
const MANY: usize = 160;

/// Tracks guesses about all places where counted threads may stand, and no other predicates: what is needed of those comes back.
pub(crate) fn add(world: &mut World<'_>, precision: &mut Precision) {
    let program = world.cells.program;
    precision.forget_predicates();
    for index in 0..program.procs.len() {
        let id = ProcId(index as u32);
        if id == program.main || !can_be_counted(program, id) {
            continue;
        }
        let proc = program.proc(id);
        let live = Liveness::new(program, proc, true);
        for guess in guesses(world, id) {
            let vars = world.cells.vars_in(guess);
            let is_own = |var: &VarId| var.index() < program.vars.len() && program.var(*var).scope != Scope::Global;
            let own: Vec<VarId> = vars.iter().copied().filter(is_own).collect();
            if own.is_empty() || vars.iter().any(|var| var.index() >= program.vars.len()) {
                continue;
            }
            for loc in (0..proc.locs.len() as u32).map(LocId) {
                if precision.predicates.len() >= MANY || !own.iter().all(|var| live.is_live(loc, *var)) {
                    continue;
                }
                let there = place(&ThreadAt { proc: id, loc, depth: 0, granules: 0, has_ended: false });
                let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
                for var in &own {
                    let cell = world.cells.var(Cell::Own(there, *var));
                    map.insert(*var, world.cells.pool.var(cell));
                }
                let guess = world.cells.pool.substitute(guess, &|var| map.get(&var).copied());
                precision.add(&mut world.cells, guess);
            }
        }
    }
}

/// What the edges of a procedure say about its variables and global ones, in the order in which they say it.
fn guesses(world: &mut World<'_>, proc: ProcId) -> Vec<TermId> {
    let program = world.cells.program;
    let mut found = Vec::new();
    for edge in &program.proc(proc).edges {
        // What variables hold now, in terms of what they held before the edge; and those that it has changed.
        let mut holds: FxHashMap<VarId, TermId> = FxHashMap::default();
        let mut assigned: Vec<VarId> = Vec::new();
        let mut taken = world.cells.pool.bool(true);
        let first = found.len();
        for stmt in &edge.stmts {
            let now = |world: &mut World<'_>, term: TermId, holds: &FxHashMap<VarId, TermId>| {
                world.cells.pool.substitute(term, &|var| holds.get(&var).copied())
            };
            let global = |world: &mut World<'_>, var: VarId, holds: &FxHashMap<VarId, TermId>| {
                let cell = world.cells.var(Cell::Global(var));
                holds.get(&cell).copied().unwrap_or_else(|| world.cells.pool.var(cell))
            };
            match &stmt.op {
                Op::Assume(cond) => {
                    let cond = now(world, *cond, &holds);
                    found.extend(atoms(&world.cells, cond));
                    taken = world.cells.pool.and(taken, cond);
                }
                Op::Check { cond, .. } => {
                    let cond = now(world, *cond, &holds);
                    found.extend(atoms(&world.cells, cond));
                    // That it does not fail is what has to be known of whoever comes here, whichever way they came.
                    let fails = world.cells.pool.not(cond);
                    found.push(world.cells.pool.and(taken, fails));
                    taken = world.cells.pool.and(taken, cond);
                }
                Op::Assign { var, value } => {
                    let value = now(world, *value, &holds);
                    holds.insert(*var, value);
                    assigned.push(*var);
                }
                Op::Load { dst, place: Place::Var(var), .. } => {
                    let value = global(world, *var, &holds);
                    holds.insert(*dst, value);
                    assigned.push(*dst);
                }
                Op::Store { place: Place::Var(var), value, .. } => {
                    let value = now(world, *value, &holds);
                    holds.insert(*var, value);
                    assigned.push(*var);
                }
                Op::Rmw { dst, place: Place::Var(var), new, .. } => {
                    let old = global(world, *var, &holds);
                    holds.insert(*dst, old);
                    let new = now(world, *new, &holds);
                    holds.insert(*var, new);
                    assigned.extend([*dst, *var]);
                }
                other => {
                    // What it writes is not known; whatever is said of it is about what it was.
                    if let Some(var) = ir::access::local_written(other) {
                        let unknown = world.cells.pool.declare("unknown", world.cells.pool.var_sort(var));
                        holds.insert(var, world.cells.pool.var(unknown));
                        assigned.push(var);
                    }
                }
            }
        }
        assigned.sort_unstable();
        assigned.dedup();
        // What was seen of a value is known of the variable that holds it now.
        let mut holders: FxHashMap<VarId, Vec<TermId>> = FxHashMap::default();
        for var in assigned.iter().filter(|var| program.var(**var).scope != Scope::Global) {
            if let Some(seen) = world.cells.pool.as_var(holds[var]) {
                holders.entry(seen).or_default().push(world.cells.pool.var(*var));
            }
        }
        let most = holders.values().map(Vec::len).max().unwrap_or(0);
        let seen = found[first..].to_vec();
        for guess in seen {
            for number in 0..most {
                let holder = |var| holders.get(&var).map(|all| all[number.min(all.len() - 1)]);
                let told = world.cells.pool.substitute(guess, &holder);
                found.extend((told != guess && !found.contains(&told)).then_some(told));
            }
        }
        for var in &assigned {
            let value = holds[var];
            let is_now = world.cells.vars_in(value).iter().all(|var| !assigned.contains(var));
            if is_now && world.cells.pool.as_const(value).is_none() && program.pool.var_sort(*var).scalar().is_some() {
                let own = world.cells.pool.var(*var);
                found.push(world.cells.pool.eq(own, value));
            }
        }
    }
    found
}
