//! Where are handles of threads kept, and is that all that is done with them?
//!
//! A variable holds handles if a `Start` writes it, or if it is copied from one that does. Threads can be exchanged if every such
//! variable holds nothing but handles (and null), if handles go nowhere else, memory least of all, and if they are only compared
//! for being equal, joined, copied and passed on. Then renaming what these variables hold renames all handles of a state.
//!
//! Handles that are used only to join them all in one step (`ir::pass::merge_joins`) form a group: at a location from which no way leads to
//! another use or a new value of one of them, it does not matter which of the variables has which of the handles.
//!
//! Invariant: `Handles::new` gives none unless all of this holds in the whole program.

use crate::explicit::compile::Code;
use crate::explicit::compile::code::{Pc, bytes_of, fits};
use ir::pass::{Components, Liveness, for_each_term, for_each_used};
use ir::{Callee, EdgeId, LocId, Op, Place, Proc, ProcId, Program, Scope};
use logic::{Node, TermId, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A handle in a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    /// Where in the record.
    pub(crate) offset: u32,
    pub(crate) bytes: u8,
    /// The index of the first spot of its group, if it is in one.
    pub(crate) group: Option<u16>,
}

/// All places of states in which handles are kept.
#[derive(Clone)]
pub(crate) struct Handles {
    /// In the fixed part: where, and how many bytes.
    pub(crate) globals: Vec<(u32, u8)>,
    /// By location, those in a record there.
    spots: Vec<Vec<Spot>>,
    has_groups: bool,
}

impl Handles {
    /// Where handles are kept; `None` if they are used for more than joining and comparing.
    pub(crate) fn new(code: &Code) -> Option<Handles> {
        let program = &code.program;
        let flow = Flow::new(program);
        if !flow.is_clean(program) {
            return None;
        }
        let mut globals = Vec::new();
        for (var, at) in &code.layout.globals {
            if flow.holders.contains(var) {
                if code.layout.flags.contains_key(var) {
                    return None;
                }
                globals.push((*at, bytes_of(program.pool.var_sort(*var)) as u8));
            }
        }
        globals.sort_unstable();
        let mut spots = vec![Vec::new(); code.locs.len()];
        let mut has_groups = false;
        for (proc, first) in &code.runs {
            let proc = program.proc(*proc);
            let live = Liveness::new(program, proc, true);
            let groups = Groups::new(program, proc, &flow.holders);
            for index in 0..proc.locs.len() {
                let pc = *first as usize + index;
                let here = spots_at(code, pc as Pc, LocId(index as u32), &live, &flow.holders, &groups);
                has_groups |= here.iter().any(|spot| spot.group.is_some());
                spots[pc] = here;
            }
        }
        Some(Handles { globals, spots, has_groups })
    }

    /// The handles in a record at a location.
    pub(crate) fn at(&self, pc: Pc) -> &[Spot] {
        &self.spots[pc as usize]
    }

    /// Whether there are groups.
    pub(crate) fn has_groups(&self) -> bool {
        self.has_groups
    }
}

fn spots_at(
    code: &Code,
    pc: Pc,
    loc: LocId,
    live: &Liveness,
    holders: &FxHashSet<VarId>,
    groups: &Groups,
) -> Vec<Spot> {
    let program = &code.program;
    let mut offset = code.pc_bytes + u32::from(code.locs[pc as usize].depth.is_none());
    let mut spots = Vec::new();
    let mut first_of: FxHashMap<usize, u16> = FxHashMap::default();
    for var in live.at(loc) {
        let sort = program.pool.var_sort(*var);
        if *var == program.self_var || !fits(sort) {
            continue;
        }
        let bytes = bytes_of(sort) as u8;
        if holders.contains(var) {
            let index = spots.len() as u16;
            let group = groups.at(loc, *var).map(|group| *first_of.entry(group).or_insert(index));
            spots.push(Spot { offset, bytes, group });
        }
        offset += u32::from(bytes);
    }
    debug_assert_eq!(offset, code.locs[pc as usize].record, "slots are the live variables in order");
    let is_alone = |group: u16| spots.iter().filter(|spot| spot.group == Some(group)).count() < 2;
    let alone: Vec<bool> = spots.iter().map(|spot| spot.group.is_some_and(is_alone)).collect();
    spots.iter_mut().zip(alone).filter(|(_, is_alone)| *is_alone).for_each(|(spot, _)| spot.group = None);
    spots
}

/// Which variables hold handles.
struct Flow {
    holders: FxHashSet<VarId>,
}

impl Flow {
    fn new(program: &Program) -> Flow {
        let mut flow = Flow { holders: FxHashSet::from_iter([program.self_var]) };
        loop {
            let before = flow.holders.len();
            for op in statements(program) {
                match op {
                    Op::Start { dst, callee, args } => {
                        flow.holders.insert(*dst);
                        for (param, arg) in
                            params(program, *callee).into_iter().flat_map(|params| params.iter().zip(args))
                        {
                            flow.copy(program, *arg, *param);
                        }
                    }
                    Op::Assign { var, value } => flow.copy(program, *value, *var),
                    Op::Load { dst, place: Place::Var(global), .. } if flow.holders.contains(global) => {
                        flow.holders.insert(*dst);
                    }
                    Op::Store { place: Place::Var(global), value, .. } => flow.copy(program, *value, *global),
                    Op::Rmw { dst, place: Place::Var(global), new, .. } => {
                        flow.copy(program, *new, *global);
                        if flow.holders.contains(global) {
                            flow.holders.insert(*dst);
                        }
                    }
                    _ => {}
                }
            }
            if flow.holders.len() == before {
                return flow;
            }
        }
    }

    /// A value that mentions a holder, other than in conditions, makes a holder.
    fn copy(&mut self, program: &Program, value: TermId, to: VarId) {
        if self.mentions(program, value) && program.pool.sort(value) != logic::Sort::Bool {
            self.holders.insert(to);
        }
    }

    fn mentions(&self, program: &Program, term: TermId) -> bool {
        program
            .pool
            .post_order(term)
            .iter()
            .any(|term| program.pool.as_var(*term).is_some_and(|var| self.holders.contains(&var)))
    }

    /// Whether the term is a handle, null, or the first thread's handle, whatever is the case.
    fn is_handle(&self, program: &Program, term: TermId) -> bool {
        match program.pool.node(term) {
            Node::Var(var) => self.holders.contains(var),
            Node::Const(Value::Bv(value)) => value.to_u64().is_some_and(is_fixed),
            Node::Const(_) => false,
            Node::App { op: logic::Op::Extract { hi, lo: 0 }, args } if *hi >= 15 => self.is_handle(program, args[0]),
            Node::App { op: logic::Op::Ite, args } => {
                self.is_plain(program, args[0]) && self.is_handle(program, args[1]) && self.is_handle(program, args[2])
            }
            Node::App { .. } => false,
        }
    }

    /// Whether the term's value is the same however threads are numbered: handles occur in it only where two are compared.
    fn is_plain(&self, program: &Program, term: TermId) -> bool {
        match program.pool.node(term) {
            Node::Var(var) => !self.holders.contains(var),
            Node::Const(_) => true,
            Node::App { op, args } => {
                args.iter().all(|arg| self.is_plain(program, *arg))
                    || (*op == logic::Op::Eq && args.iter().all(|arg| self.is_handle(program, *arg)))
            }
        }
    }

    /// Whether the value fits the variable: handles for holders, anything else for others.
    fn agrees(&self, program: &Program, value: TermId, to: VarId) -> bool {
        if self.holders.contains(&to) { self.is_handle(program, value) } else { self.is_plain(program, value) }
    }

    /// Whether nothing but copying, comparing and joining is done with handles.
    fn is_clean(&self, program: &Program) -> bool {
        let starts_clean = |(index, variable): (usize, &ir::Variable)| {
            let is_holder = self.holders.contains(&VarId(index as u32)) && variable.scope != Scope::Local;
            let is_null = |value: &Value| matches!(value, Value::Bv(value) if value.to_u64().is_some_and(is_fixed));
            !is_holder || VarId(index as u32) == program.self_var || variable.init.as_ref().is_some_and(is_null)
        };
        program.vars.iter().enumerate().all(starts_clean) && statements(program).all(|op| self.is_clean_op(program, op))
    }

    fn is_clean_op(&self, program: &Program, op: &Op) -> bool {
        let is_holder = |var: &VarId| self.holders.contains(var);
        let all_plain = || {
            let mut is_plain = true;
            for_each_term(op, &mut |term, _| is_plain &= self.is_plain(program, term));
            is_plain
        };
        match op {
            Op::Assign { var, value } => self.agrees(program, *value, *var),
            Op::Load { dst, place: Place::Var(global), .. } => is_holder(dst) == is_holder(global),
            Op::Store { place: Place::Var(global), value, .. } => self.agrees(program, *value, *global),
            Op::Rmw { dst, place: Place::Var(global), wait, owner, new, .. } => {
                let names = |owner: TermId| self.is_handle(program, owner) || self.is_plain(program, owner);
                is_holder(dst) == is_holder(global)
                    && wait.is_none_or(|wait| self.is_plain(program, wait))
                    && owner.is_none_or(names)
                    && self.agrees(program, *new, *global)
            }
            Op::Start { callee, args, .. } => match params(program, *callee) {
                Some(params) => {
                    let agrees = |(index, arg): (usize, &TermId)| {
                        params.get(index).is_none_or(|param| self.agrees(program, *arg, *param))
                    };
                    args.iter().enumerate().all(agrees)
                }
                None => all_plain(),
            },
            Op::Join { thread, result } => self.is_handle(program, *thread) && !result.as_ref().is_some_and(is_holder),
            Op::Load { dst, .. } | Op::Alloc { dst, .. } => !is_holder(dst) && all_plain(),
            Op::Rmw { dst, .. } => !is_holder(dst) && all_plain(),
            Op::Havoc { var, .. } => !is_holder(var),
            _ => all_plain(),
        }
    }
}

/// Whether a number means the same however threads are numbered: no thread, the first one, or more than there are threads.
fn is_fixed(number: u64) -> bool {
    number <= 1 || number > crate::explicit::step::MAX_THREADS as u64
}

fn statements(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}

fn params(program: &Program, callee: Callee) -> Option<&Vec<VarId>> {
    match callee {
        Callee::Proc(proc) => Some(&program.proc(proc).params),
        Callee::Pointer(_) => None,
    }
}

/// The groups of handles of a procedure.
struct Groups {
    /// The group of each variable.
    of: FxHashMap<VarId, usize>,
    /// Locations from which a variable of a group may get a new value before it is joined.
    lost: FxHashSet<(LocId, VarId)>,
}

impl Groups {
    fn new(program: &Program, proc: &Proc, holders: &FxHashSet<VarId>) -> Groups {
        let mut joined: BTreeMap<VarId, BTreeSet<EdgeId>> = BTreeMap::new();
        let mut rejected: FxHashSet<VarId> = FxHashSet::default();
        for (index, edge) in proc.edges.iter().enumerate() {
            let is_join = |op: &Op| matches!(op, Op::Join { result: None, .. });
            let joins: Vec<usize> = (0..edge.stmts.len()).filter(|at| is_join(&edge.stmts[*at].op)).collect();
            let between = joins.first().zip(joins.last()).map_or(&edge.stmts[..0], |(a, b)| &edge.stmts[*a..*b]);
            let is_quiet =
                between.iter().all(|stmt| is_join(&stmt.op) || matches!(stmt.op, Op::Assign { .. } | Op::Mark(..)));
            for stmt in &edge.stmts {
                match &stmt.op {
                    Op::Join { thread, result: None } if is_quiet && program.pool.as_var(*thread).is_some() => {
                        let var = program.pool.as_var(*thread).expect("it was just asked");
                        joined.entry(var).or_default().insert(EdgeId(index as u32));
                    }
                    op => for_each_used(&program.pool, op, &mut |var| {
                        rejected.insert(var);
                    }),
                }
            }
            // A value that a join's own step gives is not what came into the step.
            for stmt in edge.stmts.iter().filter(|_| !joins.is_empty()) {
                rejected.extend(ir::access::local_written(&stmt.op));
            }
        }
        joined.retain(|var, _| {
            holders.contains(var) && !rejected.contains(var) && program.var(*var).scope == Scope::Local
        });
        let mut groups: BTreeMap<&BTreeSet<EdgeId>, Vec<VarId>> = BTreeMap::new();
        for (var, edges) in &joined {
            groups.entry(edges).or_default().push(*var);
        }
        let mut result = Groups { of: FxHashMap::default(), lost: FxHashSet::default() };
        for (number, (edges, vars)) in groups.into_iter().enumerate() {
            for var in vars {
                result.of.insert(var, number);
                result.find_lost(proc, var, edges);
            }
        }
        result
    }

    /// Backward from the writes of a variable, not through its joins.
    fn find_lost(&mut self, proc: &Proc, var: VarId, joins: &BTreeSet<EdgeId>) {
        let into = proc.in_edges();
        let writes = proc
            .edges
            .iter()
            .filter(|edge| edge.stmts.iter().any(|stmt| ir::access::local_written(&stmt.op) == Some(var)));
        let mut queue: Vec<LocId> = writes.map(|edge| edge.from).collect();
        while let Some(loc) = queue.pop() {
            if self.lost.insert((loc, var)) {
                let before = into[loc.index()].iter().filter(|edge| !joins.contains(edge));
                queue.extend(before.map(|edge| proc.edges[edge.index()].from));
            }
        }
    }

    fn at(&self, loc: LocId, var: VarId) -> Option<usize> {
        self.of.get(&var).copied().filter(|_| !self.lost.contains(&(loc, var)))
    }
}

/// Whether two threads may be alike: started by the same statement, or with the same function and, as far as known, arguments.
pub(crate) fn has_twins(code: &Code) -> bool {
    let program = &code.program;
    let mut seen: Vec<(ProcId, Vec<Option<&Value>>)> = Vec::new();
    for (index, proc) in program.procs.iter().enumerate() {
        let components = Components::new(proc, &proc.out_edges());
        for edge in &proc.edges {
            for stmt in &edge.stmts {
                let Op::Start { callee, args, .. } = &stmt.op else { continue };
                let Callee::Proc(callee) = callee else { return true };
                if components.is_repeated(edge.from, edge.to) || !code.sharing.is_single(ProcId(index as u32)) {
                    return true;
                }
                let started = program.proc(*callee);
                let live = Liveness::new(program, started, true);
                let known = |(param, arg): (&VarId, &TermId)| {
                    let constant = program.pool.as_const(*arg);
                    live.is_live(started.entry, *param).then_some(constant).flatten()
                };
                let args: Vec<Option<&Value>> = started.params.iter().zip(args).map(known).collect();
                let differ = |other: &[Option<&Value>]| {
                    args.iter().zip(other).any(|(a, b)| matches!((a, b), (Some(a), Some(b)) if a != b))
                };
                if seen.iter().any(|(proc, other)| proc == callee && !differ(other)) {
                    return true;
                }
                seen.push((*callee, args));
            }
        }
    }
    false
}
