//! What becomes of an edge when this and that waits in the thread's buffer? Usually one edge again; several where a computed address decides whether a load
//! finds its value in the buffer.

use super::waiting::{Late, Overlap, Pending, apart, n_stores, normalise, overlap, push_barrier};
use crate::access::bytes_of;
use crate::model::Model;
use crate::pass::control::fences::drains;
use crate::program::{Edge, Format, Loc, LocId, Proc, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{CheckKind, Op, Order, Place, Stmt};
use logic::{Sort, TermId, VarId};

/// Where a thread is, besides its location.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Standing {
    pub(super) buffer: Vec<Pending>,
    /// In how many atomic sections.
    pub(super) depth: u32,
    /// Whether no other thread has been started yet.
    pub(super) is_alone: bool,
}

/// One way through an edge.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) stmts: Vec<Stmt>,
    pub(super) after: Standing,
    /// Whether the way ends before the edge does: at a check that fails.
    pub(super) is_over: bool,
}

/// Whether a statement waits until nothing is in the buffer.
fn needs_drained(stmt: &Stmt, is_main: bool) -> bool {
    match &stmt.op {
        Op::Fence(order) => *order == Order::SeqCst,
        Op::AtomicBegin | Op::ExitThread(_) => true,
        Op::Return(_) => !is_main,
        op => drains(op),
    }
}

/// Whether the edge is taken only when nothing waits; then its stores go to memory at once.
pub(super) fn needs_empty(edge: &Edge, is_main: bool) -> bool {
    edge.stmts.iter().any(|stmt| needs_drained(stmt, is_main))
        || edge.stmts.iter().filter(|stmt| !stmt.accesses().is_empty()).count() > 1
}

/// Gives what waits until nothing is in the buffer an edge of its own, if an access comes before it in the same step: that one does not wait.
pub(super) fn split_before_drains(proc: &mut Proc, is_main: bool) {
    let mut index = 0;
    while let Some(edge) = proc.edges.get_mut(index) {
        index += 1;
        let accesses = |stmt: &Stmt| !stmt.accesses().is_empty();
        let Some(first) = edge.stmts.iter().position(accesses) else { continue };
        let behind = edge.stmts[first + 1..].iter().position(|stmt| needs_drained(stmt, is_main));
        let Some(behind) = behind else { continue };
        let stmts = edge.stmts.split_off(first + 1 + behind);
        let middle = LocId(proc.locs.len() as u32);
        let to = std::mem::replace(&mut edge.to, middle);
        proc.locs.push(Loc { span: stmts[0].span, is_loop_head: false });
        // All of the step is told where its first part is.
        proc.edges.push(Edge { from: middle, to, stmts, origin: Vec::new() });
    }
}

/// Whether nobody else sees what the statement does, and it does not keep its edge from being taken. Conditions are looked at by the asker.
pub(super) fn is_own(op: &Op) -> bool {
    match op {
        Op::Assign { .. } | Op::Havoc { .. } | Op::Mark(..) | Op::Assume(_) | Op::Check { .. } => true,
        Op::Store { order, .. } | Op::Fence(order) => *order != Order::SeqCst,
        _ => false,
    }
}

/// Makes ways.
pub(super) struct Writer<'p> {
    pub(super) program: &'p mut Program,
    pub(super) model: Model,
    /// Variables that hold what waits.
    pub(super) slots: Vec<VarId>,
    /// How many stores may wait.
    pub(super) length: usize,
    /// Whether one more was met.
    pub(super) is_cut: bool,
}

impl Writer<'_> {
    /// All ways through an edge from where the thread is.
    pub(super) fn ways(&mut self, edge: &Edge, before: &Standing, is_main: bool) -> Vec<Way> {
        let is_direct = needs_empty(edge, is_main);
        if is_direct && !before.buffer.is_empty() {
            return Vec::new();
        }
        let mut ways = vec![Way { stmts: Vec::new(), after: before.clone(), is_over: false }];
        for stmt in &edge.stmts {
            let (over, open): (Vec<Way>, Vec<Way>) = ways.into_iter().partition(|way| way.is_over);
            ways = over;
            for way in open {
                self.stmt(stmt, way, is_direct, &mut ways);
            }
        }
        ways
    }

    fn stmt(&mut self, stmt: &Stmt, mut way: Way, is_direct: bool, ways: &mut Vec<Way>) {
        let after = &mut way.after;
        match &stmt.op {
            Op::Store { place, value, order } if !is_direct && after.depth == 0 && !after.is_alone => {
                if order.releases() && self.model == Model::Pso {
                    push_barrier(&mut after.buffer);
                }
                self.store(stmt, place, *value, &mut way);
            }
            Op::Load { dst, place, .. } if !after.buffer.is_empty() => {
                self.load(stmt, *dst, place, way, ways);
                return;
            }
            op => {
                match op {
                    Op::Fence(order) if order.releases() && self.model == Model::Pso => push_barrier(&mut after.buffer),
                    Op::AtomicBegin => after.depth += 1,
                    Op::AtomicEnd => after.depth = after.depth.saturating_sub(1),
                    Op::Start { .. } => after.is_alone = false,
                    _ => {}
                }
                way.stmts.push(stmt.clone());
            }
        }
        ways.push(way);
    }

    /// The store waits from here on.
    fn store(&mut self, stmt: &Stmt, place: &Place, value: TermId, way: &mut Way) {
        let Stmt { span, site, .. } = *stmt;
        // Says where the store is made; a relaxed fence does nothing.
        way.stmts.push(Stmt { op: Op::Fence(Order::Relaxed), span, site });
        if n_stores(&way.after.buffer) >= self.length {
            self.is_cut = true;
            let what = format!("more than {} stores of a thread wait to reach memory", self.length);
            self.fail(CheckKind::Bound(what.into()), stmt, way);
            return;
        }
        let place = match *place {
            Place::Var(var) => Place::Var(var),
            Place::Mem { addr, sort, region } => Place::Mem { addr: self.keep(addr, &[], stmt, way), sort, region },
        };
        let also = match place {
            Place::Mem { addr, .. } => vec![addr],
            Place::Var(_) => Vec::new(),
        };
        let value = self.keep(value, &also, stmt, way);
        way.after.buffer.push(Pending::Store(Late { place, value, span, site }));
        normalise(&self.program.pool, self.model, &mut way.after.buffer);
    }

    /// A term that stays what it is: a constant, or a variable for it that is not in use.
    fn keep(&mut self, term: TermId, also: &[TermId], stmt: &Stmt, way: &mut Way) -> TermId {
        if self.program.pool.as_const(term).is_some() {
            return term;
        }
        let sort = self.program.pool.sort(term);
        let mut used: Vec<TermId> = also.to_vec();
        for pending in &way.after.buffer {
            let Pending::Store(late) = pending else { continue };
            used.push(late.value);
            if let Place::Mem { addr, .. } = late.place {
                used.push(addr);
            }
        }
        let pool = &mut self.program.pool;
        let is_free = |slot: &&VarId| pool.var_sort(**slot) == sort && !used.contains(&pool.var(**slot));
        let free = self.slots.clone().iter().find(is_free).copied();
        let slot = free.unwrap_or_else(|| self.declare(sort));
        way.stmts.push(Stmt { op: Op::Assign { var: slot, value: term }, span: stmt.span, site: stmt.site });
        self.program.pool.var(slot)
    }

    fn declare(&mut self, sort: Sort) -> VarId {
        let name = format!("waiting{}", self.slots.len());
        let variable = Variable {
            scope: Scope::Local,
            init: None,
            format: Format::default(),
            span: Span::NOWHERE,
            is_temporary: true,
        };
        let slot = self.program.declare(&name, sort, variable);
        self.slots.push(slot);
        slot
    }

    /// The youngest store of the place gives the value, else memory does.
    fn load(&mut self, stmt: &Stmt, dst: VarId, place: &Place, mut way: Way, ways: &mut Vec<Way>) {
        let at = |op| Stmt { op, span: stmt.span, site: stmt.site };
        let buffer = way.after.buffer.clone();
        for pending in buffer.iter().rev() {
            let Pending::Store(late) = pending else { continue };
            match overlap(&self.program.pool, place, &late.place) {
                Overlap::Apart => {}
                Overlap::Same => {
                    way.stmts.push(at(Op::Assign { var: dst, value: late.value }));
                    ways.push(way);
                    return;
                }
                Overlap::Partly => {
                    self.refuse_part(stmt, &mut way);
                    ways.push(way);
                    return;
                }
                Overlap::Depends => {
                    let found = self.depends(stmt, dst, place, late, &way);
                    ways.extend(found);
                    let cond = apart(&mut self.program.pool, place, &late.place);
                    way.stmts.push(at(Op::Assume(cond)));
                }
            }
        }
        way.stmts.push(stmt.clone());
        ways.push(way);
    }

    /// The ways on which the load finds bytes of a store that waits: all of them, or some, which is refused.
    fn depends(&mut self, stmt: &Stmt, dst: VarId, place: &Place, late: &Late, way: &Way) -> Vec<Way> {
        let (Place::Mem { addr: a, sort: s, .. }, Place::Mem { addr: b, sort: t, .. }) = (*place, late.place) else {
            unreachable!("only addresses depend")
        };
        let at = |op| Stmt { op, span: stmt.span, site: stmt.site };
        let pool = &mut self.program.pool;
        let is_apart = apart(pool, place, &late.place);
        let mut partly = pool.not(is_apart);
        let mut ways = Vec::new();
        if s == t {
            let (is_same, is_other) = (pool.eq(a, b), pool.ne(a, b));
            let mut same = way.clone();
            same.stmts.push(at(Op::Assume(is_same)));
            same.stmts.push(at(Op::Assign { var: dst, value: late.value }));
            ways.push(same);
            partly = pool.and(partly, is_other);
        }
        if s != t || bytes_of(s) > 1 {
            let mut part = way.clone();
            part.stmts.push(at(Op::Assume(partly)));
            self.refuse_part(stmt, &mut part);
            ways.push(part);
        }
        ways
    }

    fn refuse_part(&mut self, stmt: &Stmt, way: &mut Way) {
        let what = "a load of some bytes of a store that waits in a written store buffer";
        self.fail(CheckKind::Unsupported(what.into()), stmt, way);
    }

    fn fail(&mut self, kind: CheckKind, stmt: &Stmt, way: &mut Way) {
        let cond = self.program.pool.bool(false);
        way.stmts.push(Stmt { op: Op::Check { cond, kind }, span: stmt.span, site: stmt.site });
        way.is_over = true;
    }
}
