//! Which assignments of a local variable belong together?
//!
//! Front ends use a temporary for one value after the other, and people do so with variables. All assignments that can reach one use
//! are a *web*; each web is a variable of its own to whoever asks. Variables that are no locals are one web each.
//! Known as: live-range splitting, def-use webs.

use super::union_find::UnionFind;
use super::uses::for_each_used;
use crate::access::local_written;
use crate::program::{EdgeId, Proc, Program};
use fixedbitset::FixedBitSet;
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
        let mut defs = Defs { of: FxHashMap::default(), webs: UnionFind::default() };
        for local in &proc.locals {
            defs.add(*local);
        }
        let first: FxHashMap<VarId, usize> = proc.locals.iter().enumerate().map(|(id, var)| (*var, id)).collect();
        let mut def_at: Vec<Vec<Option<usize>>> = Vec::new();
        for edge in &proc.edges {
            let of_stmt = |stmt: &crate::stmt::Stmt| local_written(&stmt.op).filter(|var| first.contains_key(var));
            def_at.push(edge.stmts.iter().map(|stmt| of_stmt(stmt).map(|var| defs.add(var))).collect());
        }
        let reaching = reaching(proc, &defs, &def_at);
        let mut uses = Vec::new();
        for (edge, at) in proc.edges.iter().zip(&def_at) {
            let mut here = reaching[edge.from.index()].clone();
            for (stmt, def) in edge.stmts.iter().zip(at) {
                let mut used: Vec<(VarId, usize)> = Vec::new();
                for_each_used(&program.pool, &stmt.op, &mut |var| {
                    let Some(entry) = first.get(&var) else { return };
                    let mut all = defs.of[&var].iter().copied().filter(|def| here.contains(*def));
                    let one = all.next().unwrap_or(*entry);
                    let rest: Vec<usize> = all.collect();
                    rest.into_iter().for_each(|other| defs.webs.unite(one, other));
                    used.push((var, one));
                });
                uses.push(used);
                step(&mut here, &defs, local_written(&stmt.op), *def);
            }
        }
        let base = self.count;
        self.count += defs.webs.len();
        for used in uses {
            self.used.push(used.into_iter().map(|(var, def)| (var, base + defs.webs.find(def))).collect());
        }
        for def in def_at.into_iter().flatten() {
            self.written.push(def.map(|def| base + defs.webs.find(def)));
        }
        self.at_entry.extend((0..proc.locals.len()).map(|def| base + defs.webs.find(def)));
        self.params.push(proc.params.iter().map(|param| base + defs.webs.find(first[param])).collect());
    }
}

/// The definitions of locals; those at the start come first.
struct Defs {
    of: FxHashMap<VarId, Vec<usize>>,
    webs: UnionFind,
}

impl Defs {
    fn add(&mut self, var: VarId) -> usize {
        let id = self.webs.add();
        self.of.entry(var).or_default().push(id);
        id
    }
}

fn step(here: &mut FixedBitSet, defs: &Defs, written: Option<VarId>, def: Option<usize>) {
    if let (Some(var), Some(def)) = (written, def) {
        defs.of[&var].iter().for_each(|other| here.set(*other, false));
        here.insert(def);
    }
}

/// The definitions that reach each location.
fn reaching(proc: &Proc, defs: &Defs, def_at: &[Vec<Option<usize>>]) -> Vec<FixedBitSet> {
    let n_defs = defs.webs.len();
    let out = proc.out_edges();
    let mut at = vec![FixedBitSet::with_capacity(n_defs); proc.locs.len()];
    at[proc.entry.index()].insert_range(0..proc.locals.len());
    let mut is_seen = vec![false; proc.locs.len()];
    is_seen[proc.entry.index()] = true;
    let mut queue = vec![proc.entry];
    while let Some(loc) = queue.pop() {
        for EdgeId(edge) in out[loc.index()].iter().copied() {
            let edge = edge as usize;
            let mut here = at[loc.index()].clone();
            for (stmt, def) in proc.edges[edge].stmts.iter().zip(&def_at[edge]) {
                step(&mut here, defs, local_written(&stmt.op), *def);
            }
            let to = proc.edges[edge].to;
            if !here.is_subset(&at[to.index()]) || !is_seen[to.index()] {
                at[to.index()].union_with(&here);
                is_seen[to.index()] = true;
                queue.push(to);
            }
        }
    }
    at
}
