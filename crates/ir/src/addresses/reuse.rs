//! Can an address be given out a second time, and does somebody notice?
//!
//! The model never gives out an address twice. An allocator does: what is left of a pointer to an object that is gone can be
//! equal to the address of a new one. It shows where two addresses are compared, one of an object that is gone and one of an object
//! that was made since. Such a pair is guessed: three made-up variables hold some object that has ended (`gone`) and a pair
//! of one that had ended and one made after it (`before` and `since`). Each end and each allocation of an object that can
//! be in such a comparison may or may not write them, so in some execution they hold any pair there is, and a comparison of the
//! two is refused. Without such comparisons nothing is added.
//!
//! Two ends are no statement here. The stack objects that are live where a thread ends go with it, which the inlining of calls writes down later: one of them,
//! any, is kept in a variable of the thread (`mine`), and the statement that ends the thread may take it for gone. And `realloc`, whose model makes
//! the new object before it ends the old one, may give out the same address: where it ends the old one, the two may be the pair.
//!
//! The variables are read and written on the edges of the statements they are about, by relaxed accesses, which order nothing.

use super::conditions::{Condition, Conditions};
use super::guard::demands;
use super::terms::DemandKind;
use super::value::{Base, Words};
use crate::access::local_written;
use crate::memory::ObjectKind;
use crate::pass::{Moment, for_each_term, mentions};
use crate::program::{Format, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{AllocKind, Callee, HavocKind, Op, Order, Place, SiteId, Stmt};
use logic::{Sort, TermId, Value, VarId};
use std::collections::BTreeSet;

/// The made-up variables and what they are about.
pub(super) struct Reuse {
    /// Sites whose objects are compared and can have ended.
    ended: BTreeSet<SiteId>,
    /// Sites whose objects are compared with those.
    made: BTreeSet<SiteId>,
    gone: VarId,
    before: VarId,
    since: VarId,
    /// Sites of those whose objects can be live where their thread ends, and the variable that has one of them.
    lasting: BTreeSet<SiteId>,
    mine: Option<VarId>,
    /// Procedures that threads can begin with.
    starts: BTreeSet<usize>,
    /// Copies of `before` and `since` in the procedure that is looked at, once it has them.
    copies: Option<(VarId, VarId)>,
}

impl Reuse {
    /// Looks for comparisons that can notice it.
    pub(super) fn find(conditions: &mut Conditions<'_>) -> Option<Reuse> {
        let program = &*conditions.program;
        let stmts: Vec<Stmt> =
            program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).cloned().collect();
        let mut can_end = BTreeSet::new();
        for (number, stmt) in stmts.iter().enumerate() {
            if let Op::Free { addr, .. } = stmt.op {
                conditions.point = (number, None, false);
                can_end.extend(sites(&conditions.words(addr)));
            }
        }
        let lasting = lasting(conditions.program);
        can_end.extend(&lasting);
        let (mut ended, mut made) = (BTreeSet::new(), BTreeSet::new());
        for (number, stmt) in stmts.iter().enumerate() {
            if conditions.program.sources.is_model(stmt.span) {
                continue;
            }
            for_each_term(&stmt.op, &mut |term, moment| {
                conditions.point = (number, local_written(&stmt.op), moment == Moment::AfterRead);
                for demand in demands(conditions, term) {
                    let DemandKind::Equal { a, b } = demand.kind else { continue };
                    for (a, b) in [(a, b), (b, a)] {
                        let old: Vec<SiteId> =
                            sites(&conditions.words(a)).filter(|site| can_end.contains(site)).collect();
                        let new: Vec<SiteId> = sites(&conditions.words(b)).collect();
                        if !old.is_empty() && !new.is_empty() {
                            ended.extend(old);
                            made.extend(new);
                        }
                    }
                }
            });
        }
        if ended.is_empty() {
            return None;
        }
        let program = &mut *conditions.program;
        let mut shared = |name| {
            let init = Some(Value::bv(program.data_model.word_bits(), 0));
            declare(program, name, Scope::Global, init)
        };
        let (gone, before, since) = (shared("gone"), shared("before"), shared("since"));
        program.ghosts.extend([gone, before, since]);
        let lasting: BTreeSet<SiteId> = lasting.intersection(&ended).copied().collect();
        let mine = (!lasting.is_empty()).then(|| {
            let init = Some(Value::bv(program.data_model.word_bits(), 0));
            declare(program, "mine", Scope::Thread, init)
        });
        let starts = if mine.is_some() { starts(program) } else { BTreeSet::new() };
        Some(Reuse { ended, made, gone, before, since, lasting, mine, starts, copies: None })
    }

    /// The next procedure has no copies yet.
    pub(super) fn enter(&mut self) {
        self.copies = None;
    }

    /// That two words are not such a pair.
    pub(super) fn condition(
        &mut self,
        conditions: &mut Conditions<'_>,
        proc: usize,
        a: TermId,
        b: TermId,
    ) -> Option<Condition> {
        let (x, y) = (conditions.words(a), conditions.words(b));
        let may_pair = |old: &Words, new: &Words| {
            sites(old).any(|site| self.ended.contains(&site)) && sites(new).any(|site| self.made.contains(&site))
        };
        let ways: Vec<(TermId, TermId)> = [(a, b, may_pair(&x, &y)), (b, a, may_pair(&y, &x))]
            .iter()
            .filter(|way| way.2)
            .map(|w| (w.0, w.1))
            .collect();
        if ways.is_empty() {
            return None;
        }
        let (before, since) = *self.copies.get_or_insert_with(|| {
            (local(conditions.program, proc, "before"), local(conditions.program, proc, "since"))
        });
        let (before, since) = (conditions.program.pool.var(before), conditions.program.pool.var(since));
        let mut all = Vec::new();
        for (old, new) in ways {
            let (is_old, is_new) = (conditions.is_near(old, before), conditions.is_near(new, since));
            all.push(conditions.program.pool.and(is_old, is_new));
        }
        let zero = conditions.word(0);
        let pool = &mut conditions.program.pool;
        let (is_pair, is_some) = (pool.or_all(&all), pool.ne(since, zero));
        let is_noticed = pool.and(is_pair, is_some);
        Some((pool.not(is_noticed), "whether an address is given out again after its object is gone".to_string()))
    }

    /// Reads what the conditions are about, if they are.
    pub(super) fn reads(&self, program: &mut Program, conditions: &[Condition], span: Span) -> Vec<Stmt> {
        let Some((before, since)) = self.copies else { return Vec::new() };
        let is_used = |(condition, _): &Condition| mentions(&program.pool, *condition, since);
        if !conditions.iter().any(is_used) {
            return Vec::new();
        }
        [(before, self.before), (since, self.since)].map(|(dst, var)| load(program, dst, var, span)).to_vec()
    }

    /// The statement with what it does to the made-up variables.
    pub(super) fn instrumented(&self, conditions: &mut Conditions<'_>, proc: usize, stmt: Stmt) -> Vec<Stmt> {
        let span = stmt.span;
        match stmt.op {
            Op::Free { addr, .. } if sites(&conditions.words(addr)).any(|site| self.ended.contains(&site)) => {
                let program = &mut *conditions.program;
                let (chosen, choose) = choice(program, proc, span);
                let mut all = vec![choose];
                all.extend(replace(program, proc, self.gone, (chosen, addr), span));
                if let Some(moved) = self.moved_to(program, proc) {
                    let moved = program.pool.var(moved);
                    all.extend(replace(program, proc, self.before, (chosen, addr), span));
                    all.extend(replace(program, proc, self.since, (chosen, moved), span));
                }
                all.push(stmt);
                all
            }
            Op::Alloc { dst, .. } => {
                let program = &mut *conditions.program;
                let is_lasting = self.lasting.contains(&stmt.site);
                let mut all = match self.made.contains(&stmt.site) {
                    true => self.made(program, proc, stmt, dst),
                    false => vec![stmt],
                };
                if let Some(mine) = self.mine.filter(|_| is_lasting) {
                    let (chosen, choose) = choice(program, proc, span);
                    let [dst, old] = [dst, mine].map(|var| program.pool.var(var));
                    let op = Op::Assign { var: mine, value: program.pool.ite(chosen, dst, old) };
                    all.extend([choose, Stmt { op, span, site: program.new_site() }]);
                }
                all
            }
            Op::ExitThread(_) | Op::Return(_) => {
                let is_end = matches!(stmt.op, Op::ExitThread(_)) || self.starts.contains(&proc);
                let Some(mine) = self.mine.filter(|_| is_end) else { return vec![stmt] };
                let program = &mut *conditions.program;
                let (chosen, choose) = choice(program, proc, span);
                let mine = program.pool.var(mine);
                let mut all = vec![choose];
                all.extend(replace(program, proc, self.gone, (chosen, mine), span));
                all.push(stmt);
                all
            }
            _ => vec![stmt],
        }
    }

    /// An allocation: the object may be the one that was made after one had gone.
    fn made(&self, program: &mut Program, proc: usize, stmt: Stmt, dst: VarId) -> Vec<Stmt> {
        let span = stmt.span;
        let (chosen, choose) = choice(program, proc, span);
        let zero = program.pool.bv(program.data_model.word_bits(), 0);
        let [gone, before, since] = ["gone", "before", "since"].map(|name| local(program, proc, name));
        let reads = [(gone, self.gone), (before, self.before), (since, self.since)];
        let mut all = vec![choose];
        all.extend(reads.map(|(dst, var)| load(program, dst, var, span)));
        all.push(stmt);
        let [gone, before, since, dst] = [gone, before, since, dst].map(|var| program.pool.var(var));
        let is_some = program.pool.ne(gone, zero);
        let is_written = program.pool.and(chosen, is_some);
        let (old, new) = (program.pool.ite(is_written, gone, before), program.pool.ite(is_written, dst, since));
        all.push(store(program, self.before, old, span));
        all.push(store(program, self.since, new, span));
        all
    }

    /// What the object that a procedure ends has become: the one that the library's `realloc` has made before.
    fn moved_to(&self, program: &Program, proc: usize) -> Option<VarId> {
        let proc = &program.procs[proc];
        let is_realloc = proc.name == "realloc" && program.sources.is_model(proc.span);
        let mut stmts = proc.edges.iter().flat_map(|edge| &edge.stmts).filter(|_| is_realloc);
        stmts.find_map(|stmt| match stmt.op {
            Op::Alloc { dst, .. } if self.made.contains(&stmt.site) => Some(dst),
            _ => None,
        })
    }
}

/// Sites of stack objects that can be live where their thread ends: thread-local ones, and the locals of all functions if one can leave its thread.
fn lasting(program: &Program) -> BTreeSet<SiteId> {
    let leaves = |op: &Op| matches!(op, Op::ExitThread(_));
    let stmts = |proc: usize| program.procs[proc].edges.iter().flat_map(|edge| &edge.stmts);
    let all = || (0..program.procs.len()).flat_map(stmts);
    let is_anywhere = all().any(|stmt| leaves(&stmt.op));
    let looked_at: Vec<&Stmt> = match (is_anywhere, program.thread_init) {
        (true, _) => all().collect(),
        (false, Some(init)) => stmts(init.index()).collect(),
        (false, None) => Vec::new(),
    };
    let is_stack = |stmt: &&&Stmt| matches!(stmt.op, Op::Alloc { kind: AllocKind::Stack, .. });
    looked_at.iter().filter(is_stack).map(|stmt| stmt.site).collect()
}

/// Procedures that threads can begin with; all that pointers can name, if pointers say which.
fn starts(program: &Program) -> BTreeSet<usize> {
    let mut starts = BTreeSet::new();
    let named = program.objects.iter().filter_map(|object| match object.kind {
        ObjectKind::Function(proc) => Some(proc.index()),
        _ => None,
    });
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        match &stmt.op {
            Op::Start { callee: Callee::Proc(proc), .. } => starts.extend([proc.index()]),
            Op::Start { callee: Callee::Pointer(_), .. } => starts.extend(named.clone()),
            _ => {}
        }
    }
    starts
}

fn sites(words: &Words) -> impl Iterator<Item = SiteId> + '_ {
    words.bases().filter_map(|(base, _)| match base {
        Base::Site(site) => Some(site),
        _ => None,
    })
}

fn declare(program: &mut Program, name: &str, scope: Scope, init: Option<Value>) -> VarId {
    let sort = Sort::Bv(program.data_model.word_bits());
    let variable = Variable { scope, init, format: Format::Pointer, span: Span::NOWHERE, is_temporary: true };
    program.declare(name, sort, variable)
}

fn local(program: &mut Program, proc: usize, name: &str) -> VarId {
    let var = declare(program, name, Scope::Local, None);
    program.procs[proc].locals.push(var);
    var
}

fn choice(program: &mut Program, proc: usize, span: Span) -> (TermId, Stmt) {
    let variable =
        Variable { scope: Scope::Local, init: None, format: Format::Unsigned, span: Span::NOWHERE, is_temporary: true };
    let var = program.declare("chosen", Sort::Bv(1), variable);
    program.procs[proc].locals.push(var);
    let (value, one) = (program.pool.var(var), program.pool.bv(1, 1));
    let op = Op::Havoc { var, kind: HavocKind::Choice };
    (program.pool.eq(value, one), Stmt { op, span, site: program.new_site() })
}

/// Reads a shared made-up variable, and writes it: the new value if that is chosen, or else what was there.
fn replace(program: &mut Program, proc: usize, var: VarId, (chosen, new): (TermId, TermId), span: Span) -> [Stmt; 2] {
    let name = program.pool.var_name(var).to_string();
    let old = local(program, proc, &name);
    let load = load(program, old, var, span);
    let old = program.pool.var(old);
    let value = program.pool.ite(chosen, new, old);
    [load, store(program, var, value, span)]
}

fn load(program: &mut Program, dst: VarId, var: VarId, span: Span) -> Stmt {
    Stmt { op: Op::Load { dst, place: Place::Var(var), order: Order::Relaxed }, span, site: program.new_site() }
}

fn store(program: &mut Program, var: VarId, value: TermId, span: Span) -> Stmt {
    Stmt { op: Op::Store { place: Place::Var(var), value, order: Order::Relaxed }, span, site: program.new_site() }
}
