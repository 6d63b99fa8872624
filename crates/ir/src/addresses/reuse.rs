//! Can an address be given out a second time, and does somebody notice?
//!
//! The model never gives out an address twice. An allocator does: what is left of a pointer to an object that is gone can be
//! equal to the address of a new one. It shows where two addresses are compared, one of an object that is gone and one of an object
//! that was made since. Such a pair is guessed: three made-up variables hold some object that has ended (`gone`) and a pair
//! of one that had ended and one made after it (`before` and `since`). Each end and each allocation of an object that can
//! be in such a comparison may or may not write them, so in some execution they hold any pair there is, and a comparison of the
//! two is refused. Without such comparisons nothing is added.
//!
//! The variables are read and written on the edges of the statements they are about, by relaxed accesses, which order nothing.

use super::conditions::{Condition, Conditions};
use super::guard::demands;
use super::terms::DemandKind;
use super::value::{Base, Words};
use crate::access::local_written;
use crate::pass::{Moment, for_each_term, mentions};
use crate::program::{Format, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{HavocKind, Op, Order, Place, SiteId, Stmt};
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
        Some(Reuse { ended, made, gone, before, since, copies: None })
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
                let old = local(program, proc, "gone");
                let old_value = program.pool.var(old);
                let new = program.pool.ite(chosen, addr, old_value);
                let (load, store) = (load(program, old, self.gone, span), store(program, self.gone, new, span));
                vec![choose, load, store, stmt]
            }
            Op::Alloc { dst, .. } if self.made.contains(&stmt.site) => {
                let program = &mut *conditions.program;
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
            _ => vec![stmt],
        }
    }
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

fn load(program: &mut Program, dst: VarId, var: VarId, span: Span) -> Stmt {
    Stmt { op: Op::Load { dst, place: Place::Var(var), order: Order::Relaxed }, span, site: program.new_site() }
}

fn store(program: &mut Program, var: VarId, value: TermId, span: Span) -> Stmt {
    Stmt { op: Op::Store { place: Place::Var(var), value, order: Order::Relaxed }, span, site: program.new_site() }
}
