//! On which reads of its thread does an event depend? By the flow of values through variables, as threads are run.
//!
//! Known as: syntactic address, data and control dependencies. The same is said of whole executions in `evidence::dependencies`, whose rules these are: a variable depends on the reads whose values
//! flowed into it; a branch makes all that follows depend on its condition; what chooses between two values controls the writes that use the chosen one, and those behind an access
//! whose address was chosen. What `main` has read before there were other threads is no event, and nothing depends on it. Nor is there an event where a place is
//! accessed that threads do not share: values flow through it as through a variable.

use super::Code;
use super::local::{Here, Local, Spot};
use ir::pass::Sharing;
use ir::{Op, Order, Place, Program, RegionId, SiteId, Stmt};
use logic::{Node, TermId, Value, VarId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Some reads of a thread, by their number among its reads, in order, each with whether it only chooses which value flows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reads(SmallVec<[(u32, bool); 4]>);

impl Reads {
    fn insert(&mut self, read: (u32, bool)) {
        if let Err(at) = self.0.binary_search(&read) {
            self.0.insert(at, read);
        }
    }

    fn extend(&mut self, other: &Reads) {
        other.0.iter().for_each(|read| self.insert(*read));
    }

    /// Those whose values flow.
    pub(crate) fn flowing(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter(|(_, chooses)| !chooses).map(|(read, _)| *read)
    }

    /// Those that choose.
    pub(crate) fn choosing(&self) -> impl Iterator<Item = u32> {
        self.0.iter().filter(|(_, chooses)| *chooses).map(|(read, _)| *read)
    }
}

/// What the variables of a thread depend on.
#[derive(Clone, Default, Debug)]
pub(crate) struct Flow {
    /// By slot.
    vars: Vec<Reads>,
    /// Of places that threads do not share.
    memory: Vec<(Spot, Reads)>,
    /// What the branches that were taken depend on.
    branches: Reads,
    /// How many reads the thread has done.
    n_reads: u32,
}

/// What an access depends on.
#[derive(Default)]
pub(crate) struct Depends {
    pub(crate) address: Reads,
    /// What it writes.
    pub(crate) data: Reads,
    /// Branches before it.
    pub(crate) control: Reads,
    /// What it compares with.
    pub(crate) expected: Reads,
    /// Whether the write waits for what was read, as a loop of exclusives does that compares.
    pub(crate) compares: bool,
}

impl Code<'_> {
    /// What nothing depends on yet; nothing at all if nobody asks.
    pub(super) fn no_flow(&self, n_vars: usize) -> Option<Flow> {
        self.compares.map(|_| Flow { vars: vec![Reads::default(); n_vars], ..Flow::default() })
    }

    /// What the event that comes next depends on.
    pub(crate) fn depends(&self, here: &Here) -> Depends {
        let local = &here.local;
        let (Some(flow), Some(stmt)) = (&local.flow, self.stmt(local)) else { return Depends::default() };
        let mut depends = Depends { control: flow.branches.clone(), ..Depends::default() };
        if let Some(addr) = address(&stmt.op) {
            depends.address = self.reads(local, addr, None);
        }
        match &stmt.op {
            Op::Store { value, .. } => depends.data = self.reads(local, *value, None),
            Op::Rmw { dst, wait, new, failure, .. } => {
                depends.data = self.reads(local, *new, Some(*dst));
                if ir::pass::mentions(&self.program.pool, *new, *dst) {
                    depends.data.insert((flow.n_reads, false));
                }
                for cond in failure.iter().map(|failure| failure.when).chain(*wait) {
                    depends.expected.extend(&self.reads(local, cond, Some(*dst)));
                }
                depends.compares = failure.is_some() && self.compares == Some(true);
            }
            _ => {}
        }
        depends
    }

    /// A variable gets the value of a term.
    pub(super) fn flows(&self, local: &mut Local, var: VarId, value: Option<TermId>) {
        if local.flow.is_none() {
            return;
        }
        let reads = value.map(|value| self.reads(local, value, None)).unwrap_or_default();
        self.depends_on(local, var, reads);
    }

    /// A branch is taken.
    pub(super) fn branches(&self, local: &mut Local, cond: TermId) {
        if local.flow.is_some() {
            let reads = self.reads(local, cond, None);
            follow(local, &reads);
        }
    }

    /// Whether an access is no event to a model that minds dependencies.
    pub(crate) fn is_private(&self, site: SiteId) -> bool {
        self.private.contains(&site)
    }

    /// A statement has happened that is an event, or one that was run on memory itself.
    pub(super) fn happened(&self, local: &mut Local, stmt: &Stmt) {
        if self.is_private(stmt.site) && !local.is_early {
            return self.happened_privately(local, stmt);
        }
        let Some(flow) = &mut local.flow else { return };
        let mut own = Reads::default();
        if matches!(stmt.op, Op::Load { .. } | Op::Rmw { .. }) && !local.is_early {
            own.insert((flow.n_reads, false));
            flow.n_reads += 1;
        }
        if let Some(addr) = address(&stmt.op) {
            let mut behind = Reads::default();
            self.reads(local, addr, None).choosing().for_each(|read| behind.insert((read, true)));
            follow(local, &behind);
        }
        if let Op::Rmw { wait, failure, .. } = &stmt.op
            && (wait.is_some() || failure.is_some() && self.compares == Some(true))
        {
            follow(local, &own);
        }
        if let Some(var) = ir::access::local_written(&stmt.op) {
            self.depends_on(local, var, own);
        }
    }

    /// Values flow through memory that is not shared.
    fn happened_privately(&self, local: &mut Local, stmt: &Stmt) {
        let (Op::Load { place, .. } | Op::Store { place, .. }) = &stmt.op else { return };
        let Ok(spot) = self.spot(local, place) else { return };
        let known = local.flow.as_ref().and_then(|flow| flow.memory.iter().position(|(other, _)| *other == spot));
        match &stmt.op {
            Op::Load { dst, .. } => {
                let mut reads = address(&stmt.op).map(|addr| self.reads(local, addr, None)).unwrap_or_default();
                if let (Some(at), Some(flow)) = (known, &local.flow) {
                    reads.extend(&flow.memory[at].1);
                }
                self.depends_on(local, *dst, reads);
            }
            Op::Store { value, .. } => {
                let reads = self.reads(local, *value, None);
                let flow = local.flow.as_mut().expect("somebody asks");
                match known {
                    Some(at) => flow.memory[at].1 = reads,
                    None => flow.memory.push((spot, reads)),
                }
            }
            _ => {}
        }
    }

    /// The dependencies of some variables.
    pub(super) fn dependencies_of(&self, local: &Local, slots: impl Iterator<Item = usize>) -> Vec<Reads> {
        let Some(flow) = &local.flow else { return Vec::new() };
        slots.map(|slot| flow.vars[slot].clone()).collect()
    }

    fn depends_on(&self, local: &mut Local, var: VarId, reads: Reads) {
        let slot = self.slots[local.proc.index()][var.index()] as usize;
        local.flow.as_mut().expect("somebody asks").vars[slot] = reads;
    }

    fn reads(&self, local: &Local, term: TermId, without: Option<VarId>) -> Reads {
        let mut reads = Reads::default();
        self.gather(local, (term, false), without, &mut FxHashSet::default(), &mut reads);
        reads
    }

    fn gather(
        &self,
        local: &Local,
        part: (TermId, bool),
        without: Option<VarId>,
        seen: &mut FxHashSet<(TermId, bool)>,
        reads: &mut Reads,
    ) {
        let (term, chooses) = part;
        if !seen.insert(part) {
            return;
        }
        match self.program.pool.node(term) {
            Node::Const(_) => {}
            Node::Var(var) if Some(*var) == without => {}
            Node::Var(var) => {
                let slot = self.slots[local.proc.index()][var.index()] as usize;
                let known = local.flow.iter().flat_map(|flow| &flow.vars[slot].0);
                known.for_each(|(read, also)| reads.insert((*read, *also || chooses)));
            }
            Node::App { op: logic::Op::Ite, args } => {
                self.gather(local, (args[0], true), without, seen, reads);
                let is_known = without.is_none_or(|var| !ir::pass::mentions(&self.program.pool, args[0], var));
                let chosen = if is_known { self.eval(local, args[0], None).ok() } else { None };
                if chosen != Some(Value::Bool(false)) {
                    self.gather(local, (args[1], chooses), without, seen, reads);
                }
                if chosen != Some(Value::Bool(true)) {
                    self.gather(local, (args[2], chooses), without, seen, reads);
                }
            }
            Node::App { args, .. } => {
                for arg in args {
                    self.gather(local, (*arg, chooses), without, seen, reads);
                }
            }
        }
    }
}

/// What an access names: a variable, or a part of memory.
pub(in crate::graphs) type Named = (Option<VarId>, Option<RegionId>);

pub(in crate::graphs) fn named(place: &Place) -> Named {
    match place {
        Place::Var(var) => (Some(*var), None),
        Place::Mem { region, .. } => (None, Some(*region)),
    }
}

/// The statements that access what threads do not share, where nothing that is done there orders anything.
pub(super) fn private_accesses(program: &Program) -> FxHashSet<SiteId> {
    let sharing = Sharing::new(program);
    let accesses = || {
        let all = program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts);
        all.filter_map(|stmt| match &stmt.op {
            Op::Load { place, order, .. } | Op::Store { place, order, .. } => {
                let is_weak = matches!(order, Order::Plain | Order::Relaxed | Order::Guarded);
                Some((stmt.site, place, is_weak && !sharing.is_shared(place)))
            }
            Op::Rmw { place, .. } => Some((stmt.site, place, false)),
            _ => None,
        })
    };
    let open: FxHashSet<_> =
        accesses().filter(|(_, _, is_private)| !is_private).map(|(_, place, _)| named(place)).collect();
    let is_private = |place: &Place| !open.contains(&named(place));
    let others: FxHashSet<SiteId> =
        accesses().filter(|(_, place, _)| !is_private(place)).map(|(site, ..)| site).collect();
    accesses().map(|(site, ..)| site).filter(|site| !others.contains(site)).collect()
}

/// All that follows depends on these reads, however they flow.
fn follow(local: &mut Local, reads: &Reads) {
    if let Some(flow) = &mut local.flow {
        reads.0.iter().for_each(|(read, _)| flow.branches.insert((*read, false)));
    }
}

fn address(op: &Op) -> Option<TermId> {
    match op {
        Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. } => match place {
            Place::Mem { addr, .. } => Some(*addr),
            Place::Var(_) => None,
        },
        _ => None,
    }
}
