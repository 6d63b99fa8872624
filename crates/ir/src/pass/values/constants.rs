//! Which values are known before the program runs? They are put in, and branches that they decide are cut.
//!
//! A forward analysis along each automaton keeps, for every live local, the constant, the other local or the small term that it
//! surely equals. Conditions that were passed tell more (`x == 3`). Where paths meet only what they agree on stays. Edges whose
//! conditions are false are not followed, so constants survive the branches they decide. Reads of globals and cells
//! that nobody ever writes become their initial values.
//!
//! Invariant: at every location reached, each known local has the value of its term; a term in the table mentions no
//! local that was written after the entry was made. Reads that are replaced were inside their object.

use crate::access::local_written;
use crate::memory::{ObjectId, ObjectKind, RegionId};
use crate::pass::analysis::graph::{reverse_post_order, trim};
use crate::pass::analysis::initial::{Initial, initial_value, static_cell, word_of};
use crate::pass::analysis::liveness::Liveness;
use crate::pass::analysis::uses::{Moment, for_each_var, map_terms, mentions};
use crate::pass::control::fences::orders_others;
use crate::program::{Proc, ProcId, Program, Scope};
use crate::stmt::{Callee, CheckKind, Op, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Node, Pool, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Terms up to this size are carried forward.
const MAX_TERM: u32 = 7;

/// The program with known values put in. With `is_threads` every procedure is the whole life of a thread.
pub fn propagate_constants(mut result: Program, is_threads: bool) -> Program {
    let unwritten = Unwritten::new(&result);
    let main_is_started =
        result.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).any(|stmt| match &stmt.op {
            Op::Start { callee: Callee::Proc(proc), .. } => *proc == result.main,
            Op::Start { callee: Callee::Pointer(_), .. } => true,
            _ => false,
        });
    for index in 0..result.procs.len() {
        let mut proc = result.procs[index].clone();
        trim(&result.pool, &mut proc);
        let is_first = is_threads && ProcId(index as u32) == result.main && !main_is_started;
        let entry = entry_facts(&mut result, &proc, is_threads, is_first);
        Propagation::new(&mut result, &unwritten, &mut proc, is_threads).run(entry);
        trim(&result.pool, &mut proc);
        result.procs[index] = proc;
    }
    result
}

/// What is known of live variables: each surely equals its term.
type Facts = FxHashMap<VarId, TermId>;

/// What holds at the entry: locals are zero, and a new thread's variables have their initial values.
fn entry_facts(program: &mut Program, proc: &Proc, is_thread: bool, is_first: bool) -> Facts {
    let mut facts = Facts::default();
    for local in proc.locals.iter().filter(|local| !proc.params.contains(local)) {
        let zero = Value::zero(program.pool.var_sort(*local));
        facts.insert(*local, program.pool.constant(zero));
    }
    if is_thread {
        for index in 0..program.vars.len() {
            let (var, variable) = (VarId(index as u32), &program.vars[index]);
            if variable.scope == Scope::Thread
                && var != program.self_var
                && let Some(value) = &variable.init
            {
                facts.insert(var, program.pool.constant(value.clone()));
            }
        }
    }
    if is_first {
        let width = program.data_model.word_bits();
        facts.insert(program.self_var, program.pool.bv(width, 1));
    }
    facts
}

/// What no statement of the program can write.
struct Unwritten {
    vars: FixedBitSet,
    objects: FixedBitSet,
}

impl Unwritten {
    fn new(program: &Program) -> Unwritten {
        let mut vars = FixedBitSet::with_capacity(program.vars.len());
        let mut objects = FixedBitSet::with_capacity(program.objects.len());
        vars.insert_range(..);
        objects.insert_range(..);
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            let place = match &stmt.op {
                Op::Store { place, .. } | Op::Rmw { place, .. } => place,
                _ => continue,
            };
            match place {
                Place::Var(var) => vars.set(var.index(), false),
                Place::Mem { addr, sort, .. } if word_of(&program.pool, *addr).is_some() => {
                    if let Some((object, _)) = static_cell(program, *addr, *sort) {
                        objects.set(object.0 as usize, false);
                    }
                }
                Place::Mem { region: RegionId::ANYWHERE, .. } => objects.clear(),
                Place::Mem { region, .. } => {
                    for object in &program.regions[region.0 as usize].objects {
                        objects.set(object.0 as usize, false);
                    }
                }
            }
        }
        Unwritten { vars, objects }
    }

    fn has_object(&self, program: &Program, object: ObjectId) -> bool {
        program.object(object).kind == ObjectKind::ReadOnly || self.objects.contains(object.0 as usize)
    }

    /// What a read surely yields.
    fn value(&self, program: &Program, place: &Place) -> Option<Value> {
        match place {
            Place::Var(var) if self.vars.contains(var.index()) => program.var(*var).init.clone(),
            Place::Var(_) => None,
            Place::Mem { addr, sort, .. } => {
                let (object, offset) = static_cell(program, *addr, *sort)?;
                match initial_value(program.object(object), offset, *sort) {
                    Initial::Value(value) if self.has_object(program, object) => Some(value),
                    _ => None,
                }
            }
        }
    }
}

struct Propagation<'a> {
    program: &'a mut Program,
    unwritten: &'a Unwritten,
    proc: &'a mut Proc,
    liveness: Liveness,
    is_thread: bool,
}

impl<'a> Propagation<'a> {
    fn new(program: &'a mut Program, unwritten: &'a Unwritten, proc: &'a mut Proc, is_thread: bool) -> Propagation<'a> {
        let liveness = Liveness::new(program, proc, is_thread);
        Propagation { program, unwritten, proc, liveness, is_thread }
    }

    fn run(mut self, entry: Facts) {
        let out = self.proc.out_edges();
        let order = reverse_post_order(self.proc, &out);
        let mut rank = vec![usize::MAX; self.proc.locs.len()];
        for (at, loc) in order.iter().enumerate() {
            rank[loc.index()] = at;
        }
        let mut known: Vec<Option<Facts>> = vec![None; self.proc.locs.len()];
        let is_live = |(var, _): &(VarId, TermId)| self.liveness.is_live(self.proc.entry, *var);
        // A table that was large stays so, and each location has a copy.
        known[self.proc.entry.index()] = Some(entry.into_iter().filter(is_live).collect());
        let mut queue = BTreeSet::from([rank[self.proc.entry.index()]]);
        while let Some(at) = queue.pop_first() {
            let loc = order[at];
            for edge in &out[loc.index()] {
                let mut facts = known[loc.index()].clone().expect("queued locations are reached");
                let mut stmts = self.proc.edges[edge.index()].stmts.clone();
                if !self.run_edge(&mut stmts, &mut facts) {
                    continue;
                }
                let to = self.proc.edges[edge.index()].to;
                facts.retain(|var, _| self.liveness.is_live(to, *var));
                facts.shrink_to_fit();
                if meet(&mut known[to.index()], facts) {
                    queue.insert(rank[to.index()]);
                }
            }
        }
        let edges = std::mem::take(&mut self.proc.edges);
        for mut edge in edges {
            if let Some(mut facts) = known[edge.from.index()].clone() {
                self.run_edge(&mut edge.stmts, &mut facts);
                self.proc.edges.push(edge);
            }
        }
    }

    /// Puts known values into the statements and updates what is known; false if control does not reach the end.
    fn run_edge(&mut self, stmts: &mut Vec<Stmt>, facts: &mut Facts) -> bool {
        for index in 0..stmts.len() {
            if !self.run_stmt(&mut stmts[index], facts) {
                stmts.truncate(index + 1);
                return false;
            }
        }
        true
    }

    fn run_stmt(&mut self, stmt: &mut Stmt, facts: &mut Facts) -> bool {
        let dst = local_written(&stmt.op);
        let pool = &mut self.program.pool;
        map_terms(&mut stmt.op, &mut |term, moment| {
            let hidden = dst.filter(|_| moment == Moment::AfterRead);
            put_in(pool, facts, term, hidden)
        });
        if let Op::Load { dst, place, .. } = &stmt.op
            && !orders_others(self.program, &stmt.op)
            && let Some(value) = self.unwritten.value(self.program, place)
        {
            let value = self.program.pool.constant(value);
            stmt.op = Op::Assign { var: *dst, value };
        }
        let pool = &mut self.program.pool;
        if let Some(dst) = dst {
            forget(pool, facts, dst);
        }
        let is_false = |cond: TermId, pool: &Pool| pool.as_const(cond) == Some(&Value::Bool(false));
        match &stmt.op {
            Op::Assign { var, value } => {
                let is_simple = pool.tree_size(*value) <= MAX_TERM;
                if is_simple && !mentions(pool, *value, *var) {
                    facts.insert(*var, *value);
                }
            }
            Op::Assume(cond) => {
                learn(pool, facts, *cond);
                return !is_false(*cond, pool);
            }
            Op::Check { kind: CheckKind::Overflow, .. } => {}
            Op::Check { cond, .. } => {
                learn(pool, facts, *cond);
                return !is_false(*cond, pool);
            }
            Op::Return(_) | Op::ExitThread(_) | Op::ExitProcess { .. } => return false,
            Op::Call { .. } if !self.is_thread => {
                let is_local = |var: VarId| self.program.vars[var.index()].scope == Scope::Local;
                facts.retain(|var, term| {
                    let mut is_safe = is_local(*var);
                    for_each_var(&self.program.pool, *term, &mut |other| is_safe &= is_local(other));
                    is_safe
                });
            }
            _ => {}
        }
        true
    }
}

/// The term with known values put in, except for a hidden variable and what depends on it.
fn put_in(pool: &mut Pool, facts: &Facts, term: TermId, hidden: Option<VarId>) -> TermId {
    let mut concerns = false;
    for_each_var(pool, term, &mut |var| concerns |= facts.contains_key(&var));
    if !concerns {
        return term;
    }
    let mut usable: FxHashMap<VarId, TermId> = FxHashMap::default();
    for_each_var(pool, term, &mut |var| {
        if let Some(known) = facts.get(&var)
            && hidden.is_none_or(|hidden| var != hidden && !mentions(pool, *known, hidden))
        {
            usable.insert(var, *known);
        }
    });
    pool.substitute(term, &|var| usable.get(&var).copied())
}

/// The variable gets a new value.
fn forget(pool: &Pool, facts: &mut Facts, var: VarId) {
    facts.remove(&var);
    facts.retain(|_, term| !mentions(pool, *term, var));
}

/// A condition was passed.
fn learn(pool: &mut Pool, facts: &mut Facts, cond: TermId) {
    let (var, value) = match pool.node(cond).clone() {
        Node::Var(var) => (var, pool.bool(true)),
        Node::App { op: logic::Op::And, args } => {
            for arg in args {
                learn(pool, facts, arg);
            }
            return;
        }
        Node::App { op: logic::Op::Not, args } => match pool.as_var(args[0]) {
            Some(var) => (var, pool.bool(false)),
            None => return,
        },
        Node::App { op: logic::Op::Eq, args } => match (pool.node(args[0]), pool.node(args[1])) {
            (Node::Var(var), Node::Const(_)) => (*var, args[1]),
            (Node::Const(_), Node::Var(var)) => (*var, args[0]),
            _ => return,
        },
        _ => return,
    };
    for known in facts.values_mut() {
        *known = pool.substitute(*known, &|other| (other == var).then_some(value));
    }
    facts.insert(var, value);
}

/// Keeps what both paths know; tells whether anything changed.
fn meet(known: &mut Option<Facts>, facts: Facts) -> bool {
    match known {
        None => {
            *known = Some(facts);
            true
        }
        Some(known) => {
            let before = known.len();
            known.retain(|var, term| facts.get(var) == Some(term));
            known.len() < before
        }
    }
}
