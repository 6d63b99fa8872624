//! Which assignments of a local variable belong together?
//!
//! Front ends use a temporary for one value after the other, and people do so with variables. All assignments that can reach one use
//! are a *web*; each web is a variable of its own to whoever asks. Variables that are no locals are one web each. The work is the size of what is live, location by location.
//! Known as: live-range splitting, def-use webs.

use super::liveness::Liveness;
use super::union_find::UnionFind;
use super::uses::for_each_used;
use crate::access::local_written;
use crate::program::{LocId, Proc, Program};
use crate::stmt::Stmt;
use logic::VarId;
use rustc_hash::{FxHashMap, FxHashSet};

/// The webs of a program; statements are numbered in the order of procedures, edges and positions.
pub(crate) struct Webs {
    /// How many there are.
    pub(crate) count: usize,
    /// By statement: the webs of the locals it uses.
    used: Vec<Vec<(VarId, usize)>>,
    /// By statement: the web of the local that it writes.
    written: Vec<Option<usize>>,
    /// By procedure: the webs of its parameters.
    pub(crate) params: Vec<Vec<usize>>,
    /// The webs that begin with a procedure.
    at_entry: FxHashSet<usize>,
}

impl Webs {
    pub(crate) fn new(program: &Program) -> Webs {
        let count = program.vars.len();
        let mut webs =
            Webs { count, used: Vec::new(), written: Vec::new(), params: Vec::new(), at_entry: FxHashSet::default() };
        for proc in &program.procs {
            webs.add(program, proc);
        }
        webs
    }

    /// The web of a variable as a statement finds it; of what an update has just read if `is_after`.
    pub(crate) fn of(&self, stmt: usize, var: VarId, written: Option<VarId>, is_after: bool) -> usize {
        if is_after && written == Some(var) {
            return self.written(stmt, var);
        }
        let found = self.used[stmt].iter().find(|(used, _)| *used == var);
        found.map_or(var.index(), |(_, web)| *web)
    }

    /// The web of the variable that a statement writes.
    pub(crate) fn written(&self, stmt: usize, var: VarId) -> usize {
        self.written[stmt].unwrap_or(var.index())
    }

    /// Whether the web is that of a local as its procedure begins.
    pub(crate) fn is_at_entry(&self, web: usize) -> bool {
        self.at_entry.contains(&web)
    }

    fn add(&mut self, program: &Program, proc: &Proc) {
        let live = Liveness::new(program, proc, true);
        let mut classes = UnionFind::default();
        let first: FxHashMap<VarId, usize> = proc.locals.iter().map(|local| (*local, classes.add())).collect();
        let mut def_at: Vec<Vec<Option<usize>>> = Vec::new();
        for edge in &proc.edges {
            let written = edge.stmts.iter().map(|stmt| local_written(&stmt.op).filter(|var| first.contains_key(var)));
            def_at.push(written.map(|var| var.map(|_| classes.add())).collect());
        }
        let n_defs = classes.len();
        let values = Values::new(proc, &live, &first, &mut classes);
        for var in live.at(proc.entry) {
            if let (Some(slot), Some(entry)) = (values.at(proc.entry, *var), first.get(var)) {
                classes.unite(*entry, slot);
            }
        }
        let is_reached = reached(proc);
        let mut uses = Vec::new();
        for (edge, at) in proc.edges.iter().zip(&def_at) {
            let mut here: Vec<(VarId, usize)> = Vec::new();
            let value = |here: &[(VarId, usize)], var: VarId| {
                let set = here.iter().find(|(other, _)| *other == var).map(|(_, def)| *def);
                set.or_else(|| values.at(edge.from, var))
            };
            for (stmt, def) in edge.stmts.iter().zip(at) {
                let mut used: Vec<(VarId, usize)> = Vec::new();
                for_each_used(&program.pool, &stmt.op, &mut |var| {
                    let Some(entry) = first.get(&var) else { return };
                    used.push((var, value(&here, var).unwrap_or(*entry)));
                });
                uses.push(used);
                if let (Some(var), Some(def)) = (local_written(&stmt.op), *def) {
                    here.retain(|(other, _)| *other != var);
                    here.push((var, def));
                }
            }
            for var in live.at(edge.to).iter().filter(|_| is_reached[edge.from.index()]) {
                if let (Some(slot), Some(value)) = (values.at(edge.to, *var), value(&here, *var)) {
                    classes.unite(slot, value);
                }
            }
        }
        let base = self.count;
        self.count += n_defs;
        // The least of a class is a definition, but where nothing is reached.
        let mut web = |var: VarId, value: usize| {
            let least = classes.find(value);
            base + if least < n_defs { least } else { first[&var] }
        };
        for used in uses {
            self.used.push(used.into_iter().map(|(var, value)| (var, web(var, value))).collect());
        }
        for (edge, defs) in proc.edges.iter().zip(def_at) {
            let written = |(stmt, def): (&Stmt, Option<usize>)| Some(web(local_written(&stmt.op)?, def?));
            self.written.extend(edge.stmts.iter().zip(defs).map(written));
        }
        self.at_entry.extend(proc.locals.iter().map(|local| web(*local, first[local])));
        self.params.push(proc.params.iter().map(|param| web(*param, first[param])).collect());
    }
}

/// The values of locals that matter at each location, numbered. Assignments belong together if one of these may come from either: a use follows.
struct Values<'a> {
    live: &'a Liveness,
    first: &'a FxHashMap<VarId, usize>,
    /// The number of the first of each location.
    numbers: Vec<usize>,
}

impl<'a> Values<'a> {
    fn new(proc: &Proc, live: &'a Liveness, first: &'a FxHashMap<VarId, usize>, classes: &mut UnionFind) -> Values<'a> {
        let locs = (0..proc.locs.len() as u32).map(LocId);
        let number = |loc: LocId| {
            let number = classes.len();
            live.at(loc).iter().for_each(|_| {
                classes.add();
            });
            number
        };
        Values { live, first, numbers: locs.map(number).collect() }
    }

    fn at(&self, loc: LocId, var: VarId) -> Option<usize> {
        let at = self.live.at(loc).binary_search(&var).ok().filter(|_| self.first.contains_key(&var))?;
        Some(self.numbers[loc.index()] + at)
    }
}

/// The locations that control may get to.
fn reached(proc: &Proc) -> Vec<bool> {
    let out = proc.out_edges();
    let mut is_reached = vec![false; proc.locs.len()];
    let mut queue = vec![proc.entry];
    while let Some(loc) = queue.pop() {
        if !std::mem::replace(&mut is_reached[loc.index()], true) {
            queue.extend(out[loc.index()].iter().map(|edge| proc.edges[edge.index()].to));
        }
    }
    is_reached
}
