//! Which accesses can another thread notice?
//!
//! Only these are points where the order of threads matters. An access is not visible if no other thread runs
//! (`main` before its first `Start` and after it has joined all, see [`alone`]), if what it touches is touched by one thread only while there are others, or if it reads what nobody
//! writes while there are several threads. How many threads run a procedure is counted from the `Start` statements: one
//! outside of cycles, in a thread that exists once, makes one thread. The end of an object, by `free` or at the end of its scope, is a write
//! to all of it: who frees what another thread only reads shares it with that thread.
//!
//! Invariant: an invisible access commutes with every step that another thread can take while it is pending or later, and
//! takes part in no race. What a whole program shares is decided by variable and region, so the memory passes come first.
//!
//! The table is about programs without calls (after `inline`); others get a table in which all is visible.

mod alone;

use super::graph::{Components, reachable_from};
use super::points_to::{AbstractObject, PointsTo};
use crate::access::{self, Access};
use crate::memory::RegionId;
use crate::program::{Edge, LocId, ProcId, Program};
use crate::stmt::{AllocSite, Callee, Op, Order, Place};
use alone::Alone;
use fixedbitset::FixedBitSet;
use logic::{TermId, VarId};
use rustc_hash::FxHashSet;

/// What other threads can notice of a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Visibility {
    /// Nothing: it commutes with all that others do.
    Invisible,
    /// It reads what others may write.
    Read,
    /// It writes what others may read or write.
    Write,
    /// It starts, ends, awaits or excludes threads, ends an object that others may use, or ends the process.
    Sync,
}

/// Who touches something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Users {
    Nobody,
    /// One thread only: the one that runs this procedure.
    One(ProcId),
    Many,
}

impl Users {
    fn with(self, proc: ProcId, is_single: bool) -> Users {
        match self {
            Users::Nobody if is_single => Users::One(proc),
            Users::One(other) if is_single && other == proc => self,
            _ => Users::Many,
        }
    }

    fn join(self, other: Users) -> Users {
        match (self, other) {
            (Users::Nobody, users) | (users, Users::Nobody) => users,
            (Users::One(a), Users::One(b)) if a == b => self,
            _ => Users::Many,
        }
    }
}

/// How something is used by all threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Usage {
    users: Users,
    /// Whether it is written while there may be several threads.
    is_written: bool,
}

impl Usage {
    const NONE: Usage = Usage { users: Users::Nobody, is_written: false };

    fn is_shared(self) -> bool {
        self.users == Users::Many && self.is_written
    }

    fn add(&mut self, other: Usage) {
        self.users = self.users.join(other.users);
        self.is_written |= other.is_written;
    }
}

/// Which variables and regions are shared, and whether every access is known to be in a region.
struct Usages {
    vars: Vec<bool>,
    regions: Vec<bool>,
    has_regions: bool,
}

/// What is shared in a program.
#[derive(Clone, Debug)]
pub struct Sharing {
    is_single: Vec<bool>,
    main: ProcId,
    /// Locations of `main` before which no thread can have been started.
    alone: FixedBitSet,
    vars: Vec<bool>,
    regions: Vec<bool>,
    /// Likewise, but what `main` does while no other thread runs does not count.
    together: (Vec<bool>, Vec<bool>),
    others: Alone,
    /// Addresses of objects that never leave their thread.
    private: FxHashSet<TermId>,
}

impl Sharing {
    /// Analyses a program whose procedures are threads.
    pub fn new(program: &Program) -> Sharing {
        let is_single = single_instances(program);
        let alone = alone_locations(program, is_single[program.main.index()]);
        let others = Alone::new(program, is_single[program.main.index()]);
        let mut table = Sharing {
            is_single,
            main: program.main,
            alone,
            vars: Vec::new(),
            regions: Vec::new(),
            together: (Vec::new(), Vec::new()),
            others,
            private: FxHashSet::default(),
        };
        let points_to = makes_objects(program).then(|| PointsTo::new(program));
        let all = table.usages(program, points_to.as_ref(), true);
        let together = table.usages(program, points_to.as_ref(), false);
        (table.vars, table.regions) = (all.vars, all.regions);
        table.together = (together.vars, together.regions);
        if let Some(points_to) = &points_to {
            table.find_private(program, points_to, all.has_regions);
        }
        table
    }

    /// What is shared. What `main` does while no other thread runs counts, as something that is used, or does not.
    fn usages(&self, program: &Program, points_to: Option<&PointsTo>, counts_alone: bool) -> Usages {
        let mut vars = vec![Usage::NONE; program.vars.len()];
        let mut regions = vec![Usage::NONE; program.regions.len()];
        let mut ends: Vec<(TermId, Usage)> = Vec::new();
        for (index, proc) in program.procs.iter().enumerate() {
            let id = ProcId(index as u32);
            for edge in &proc.edges {
                let mut is_alone = self.is_alone(id, edge.from);
                let runs_alone = self.others.of_edge(id, edge);
                for (stmt, runs_alone) in edge.stmts.iter().zip(runs_alone) {
                    is_alone &= !matches!(stmt.op, Op::Start { .. });
                    if runs_alone && !counts_alone {
                        continue;
                    }
                    let users = Users::Nobody.with(id, self.is_single[index]);
                    for Access { target, kind, .. } in stmt.accesses() {
                        let usage = Usage { users, is_written: kind.writes() && !is_alone };
                        match target {
                            access::Target::Var(var) => vars[var.index()].add(usage),
                            access::Target::Mem { region, .. } => regions[region.0 as usize].add(usage),
                            access::Target::Object { addr } => ends.push((addr, usage)),
                            access::Target::Thread(_)
                            | access::Target::OwnThread
                            | access::Target::AllThreads
                            | access::Target::Process => {}
                        }
                    }
                }
            }
        }
        let anywhere = regions[0];
        for (addr, usage) in &ends {
            let objects = points_to.and_then(|points_to| points_to.of(*addr).map(|set| (points_to, set)));
            let may_end = |site: &AllocSite| {
                let is_it = |(points_to, set): &(&PointsTo, Vec<usize>)| {
                    set.iter().any(|target| points_to.targets[*target] == AbstractObject::Made(*site))
                };
                objects.as_ref().is_none_or(is_it)
            };
            for (region, known) in program.regions.iter().zip(&mut regions).skip(1) {
                if region.sites.iter().any(may_end) {
                    known.add(*usage);
                }
            }
        }
        // What accesses touch that may be anywhere may have been ended by anybody.
        regions[0].users = ends.iter().fold(regions[0].users, |users, (_, usage)| users.join(usage.users));
        regions[0].is_written |= ends.iter().any(|(_, usage)| usage.is_written);
        let all = regions.iter().fold(Usage::NONE, |mut all, usage| {
            all.add(*usage);
            all
        });
        for usage in &mut regions[1..] {
            usage.add(anywhere);
        }
        regions[0] = all;
        Usages {
            vars: vars.into_iter().map(Usage::is_shared).collect(),
            regions: regions.into_iter().map(Usage::is_shared).collect(),
            has_regions: anywhere == Usage::NONE,
        }
    }

    /// Objects whose address stays in variables of the thread that made them are that thread's own, however many threads run
    /// the statement that makes them.
    fn find_private(&mut self, program: &Program, points_to: &PointsTo, has_regions: bool) {
        let stays = |target: usize| {
            matches!(points_to.targets[target], AbstractObject::Made(_)) && points_to.stays_in_thread(target)
        };
        let own_sites: FxHashSet<AllocSite> = (0..points_to.targets.len())
            .filter(|target| stays(*target))
            .filter_map(|target| match points_to.targets[target] {
                AbstractObject::Made(site) => Some(site),
                AbstractObject::Static(_) => None,
            })
            .collect();
        let shared = self.regions.iter_mut().zip(&mut self.together.1);
        for (region, (is_shared, is_shared_together)) in program.regions.iter().zip(shared).skip(1) {
            let is_own = region.objects.is_empty() && region.sites.iter().all(|site| own_sites.contains(site));
            *is_shared &= !(has_regions && is_own);
            *is_shared_together &= !(has_regions && is_own);
        }
        for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
            if let Op::Free { addr, .. } = stmt.op
                && points_to.of(addr).is_some_and(|targets| targets.iter().all(|target| stays(*target)))
            {
                self.private.insert(addr);
            }
        }
    }

    /// Whether at most one thread ever runs the procedure.
    pub fn is_single(&self, proc: ProcId) -> bool {
        self.is_single[proc.index()]
    }

    /// Whether no other thread can exist when the procedure's thread is at the location.
    pub fn is_alone(&self, proc: ProcId, loc: LocId) -> bool {
        proc == self.main && self.alone.contains(loc.index())
    }

    /// For each statement of an edge, whether no other thread runs when it is reached: none was started, or all were joined.
    pub fn runs_alone(&self, proc: ProcId, edge: &Edge) -> Vec<bool> {
        self.others.of_edge(proc, edge)
    }

    /// Whether the global is written by a thread while another may use it.
    pub fn is_shared_var(&self, var: VarId) -> bool {
        self.vars[var.index()]
    }

    /// Whether the region is written by a thread while another may use it.
    pub fn is_shared_region(&self, region: RegionId) -> bool {
        self.regions[region.0 as usize]
    }

    /// Whether the place is written by a thread while another may use it.
    pub fn is_shared(&self, place: &Place) -> bool {
        match place {
            Place::Var(var) => self.is_shared_var(*var),
            Place::Mem { region, .. } => self.is_shared_region(*region),
        }
    }

    /// What others can notice of each statement of an edge of a procedure.
    pub fn of_edge(&self, proc: ProcId, edge: &Edge) -> Vec<Visibility> {
        let is_shared = |place: &Place| match place {
            Place::Var(var) => self.together.0[var.index()],
            Place::Mem { region, .. } => self.together.1[region.0 as usize],
        };
        let visible = |place: &Place, is_alone: bool, visibility| {
            if is_alone || !is_shared(place) { Visibility::Invisible } else { visibility }
        };
        let alone = self.others.of_edge(proc, edge);
        edge.stmts
            .iter()
            .zip(alone)
            .map(|(stmt, is_alone)| match &stmt.op {
                Op::Load { order: Order::Guarded, .. } | Op::Store { order: Order::Guarded, .. } => {
                    Visibility::Invisible
                }
                Op::Load { place, .. } => visible(place, is_alone, Visibility::Read),
                Op::Store { place, .. } => visible(place, is_alone, Visibility::Write),
                Op::Rmw { wait: Some(_), .. } => Visibility::Sync,
                Op::Rmw { place, .. } => visible(place, is_alone, Visibility::Write),
                Op::Free { addr, .. } if is_alone || self.private.contains(addr) => Visibility::Invisible,
                Op::Start { .. } => Visibility::Sync,
                Op::Free { .. } | Op::Join { .. } | Op::AtomicBegin | Op::AtomicEnd => Visibility::Sync,
                Op::ExitProcess { .. } => Visibility::Sync,
                Op::Return(_) if proc == self.main => Visibility::Sync,
                Op::Call { .. } => Visibility::Sync,
                Op::Assign { .. }
                | Op::Havoc { .. }
                | Op::Assume(_)
                | Op::Check { .. }
                | Op::Fence(_)
                | Op::Alloc { .. }
                | Op::Return(_)
                | Op::ExitThread(_)
                | Op::Mark(..) => Visibility::Invisible,
            })
            .collect()
    }
}

fn makes_objects(program: &Program) -> bool {
    let mut stmts = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
    stmts.any(|stmt| matches!(stmt.op, Op::Alloc { .. }))
}

/// For each procedure, whether at most one thread ever runs it.
fn single_instances(program: &Program) -> Vec<bool> {
    let n = program.procs.len();
    let mut starts: Vec<Vec<(usize, bool)>> = vec![Vec::new(); n];
    let mut has_unknown = false;
    for (index, proc) in program.procs.iter().enumerate() {
        let components = Components::new(proc, &proc.out_edges());
        for edge in &proc.edges {
            for stmt in &edge.stmts {
                match &stmt.op {
                    Op::Start { callee: Callee::Proc(callee), .. } => {
                        starts[callee.index()].push((index, components.is_repeated(edge.from, edge.to)));
                    }
                    Op::Start { callee: Callee::Pointer(_), .. } | Op::Call { .. } => has_unknown = true,
                    _ => {}
                }
            }
        }
    }
    if has_unknown {
        return vec![false; n];
    }
    let mut is_single = vec![true; n];
    loop {
        let mut changed = false;
        for index in 0..n {
            let is_main = index == program.main.index();
            let n_starts = starts[index].len() + usize::from(is_main);
            let multiplies = n_starts > 1 || starts[index].iter().any(|(by, repeats)| *repeats || !is_single[*by]);
            if multiplies && is_single[index] {
                is_single[index] = false;
                changed = true;
            }
        }
        if !changed {
            return is_single;
        }
    }
}

/// The locations of `main` that no path reaches after a `Start`.
fn alone_locations(program: &Program, main_is_single: bool) -> FixedBitSet {
    let main = program.proc(program.main);
    let mut alone = FixedBitSet::with_capacity(main.locs.len());
    if main_is_single {
        let starts = main.edges.iter().filter(|edge| edge.stmts.iter().any(|stmt| matches!(stmt.op, Op::Start { .. })));
        let after = reachable_from(main, &main.out_edges(), starts.map(|edge| edge.to));
        alone.insert_range(..);
        alone.difference_with(&after);
    }
    alone
}
