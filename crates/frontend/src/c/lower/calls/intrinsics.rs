//! What library models are built on: the `__ravel_*` functions, each one statement of the program model.
//!
//! Only models may use them; their declarations are in `models/ravel.h`. The waiting ones take expressions, not values: in
//! `__ravel_await(address, old, wait, new, order)` the second argument names a local variable that gets the old
//! value, and the next two may mention it. They become the `wait` and `new` terms of one `Rmw`. With an owner between them,
//! a handle, they say who alone can end the wait.

use crate::c::lower::body::Body;
use crate::c::lower::calls::atomics::order_numbered;
use crate::c::lower::context::Home;
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{Expr, ExprKind};
use crate::c::types::TypeId;
use ir::{AllocKind, Callee, CheckKind, Failure, HavocKind, Mark, Op, Order, Property};
use logic::{Scalar, Sort, TermId, VarId};

/// How the names of the functions begin that only say something.
const MARK: &str = "__ravel_mark_";

/// Functions that make files which the program itself writes and reads.
const MAKE_PIPES: [&str; 4] = ["pipe", "pipe2", "socketpair", "eventfd"];

/// Functions by which such files are read and written in other ways than the models follow.
const HIDE_PIPES: [&str; 9] = ["dup", "dup2", "dup3", "fork", "vfork", "sendmsg", "recvmsg", "fdopen", "shutdown"];

/// When a step that reads and writes does what it says.
enum Rmw<'e> {
    Always,
    /// It waits until a condition holds, which perhaps one thread alone can make hold.
    Await(&'e Expr, Option<&'e Expr>),
    /// It fails unless a condition holds, perhaps with an order of its own.
    Try(&'e Expr, Option<&'e Expr>),
}

impl Body<'_, '_> {
    pub(in crate::c::lower) fn intrinsic(&mut self, expr: &Expr, name: &str, args: &[Expr]) -> Option<TermId> {
        let ty = expr.ty.ty;
        match (name, args) {
            ("__ravel_await", [address, old, wait, new, order]) => {
                self.rmw((address, old, new, order), Rmw::Await(wait, None));
                None
            }
            ("__ravel_await_owner", [address, old, wait, owner, new, order]) => {
                let owner = Some(owner).filter(|_| self.lw.properties.has(Property::Deadlock));
                self.rmw((address, old, new, order), Rmw::Await(wait, owner));
                None
            }
            ("__ravel_rmw", [address, old, new, order]) => {
                self.rmw((address, old, new, order), Rmw::Always);
                None
            }
            ("__ravel_try", [address, old, succeeds, new, order]) => {
                self.rmw((address, old, new, order), Rmw::Try(succeeds, None));
                None
            }
            ("__ravel_try", [address, old, succeeds, new, order, failure]) => {
                self.rmw((address, old, new, order), Rmw::Try(succeeds, Some(failure)));
                None
            }
            ("__ravel_self", []) => {
                let handle = self.lw.program.self_var;
                Some(self.var(handle))
            }
            ("__ravel_start", [function, args @ ..]) => {
                let callee = match self.named_function(function).and_then(|name| self.lw.resolve_function(name)) {
                    Some(function) => Callee::Proc(self.lw.proc_of(function)),
                    None => Callee::Pointer(self.eval(function)),
                };
                let args = args.iter().map(|arg| self.eval(arg)).collect();
                let dst = self.temporary(Sort::Bv(self.word_bits()));
                self.emit(Op::Start { dst, callee, args });
                Some(self.var(dst))
            }
            ("__ravel_join", [thread]) => {
                // Who joins anything else waits for ever here; a library may say that it is an error, or crash.
                if self.lw.facts.may_misjoin && !self.lw.properties.has(Property::Misuse) {
                    self.lw.assume("what is joined is a thread (--property misuse checks this)".to_string());
                }
                let thread = self.eval(thread);
                let result = self.temporary(Sort::Bv(self.word_bits()));
                self.emit(Op::Join { thread, result: Some(result) });
                Some(self.var(result))
            }
            ("__ravel_exit_thread", [result]) => {
                let result = self.eval(result);
                self.emit(Op::ExitThread(result));
                None
            }
            ("__ravel_fabs", [x]) => {
                let x = self.eval(x);
                Some(self.pool().fabs(x))
            }
            ("__ravel_sqrt", [x]) => {
                let x = self.eval(x);
                Some(self.pool().fsqrt(x))
            }
            ("__ravel_end_process", []) => {
                self.emit(Op::ExitProcess { is_abort: true });
                None
            }
            ("__ravel_atomic_begin", []) => {
                self.emit(Op::AtomicBegin);
                None
            }
            ("__ravel_atomic_end", []) => {
                self.emit(Op::AtomicEnd);
                None
            }
            ("__ravel_choice", []) => {
                let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                Some(self.sized(bit, ty))
            }
            ("__ravel_input_int" | "__ravel_input_long" | "__ravel_input_byte", []) => {
                self.any_value(ty, HavocKind::Input)
            }
            ("__ravel_approximate_int" | "__ravel_approximate_long" | "__ravel_approximate_byte", []) => {
                self.any_value(ty, HavocKind::Approximation)
            }
            ("__ravel_uses", [function]) => {
                let function = Self::literal_text(function).expect("models name functions by literals");
                let is_used = self.lw.facts.uses(&function);
                Some(self.truth_number(is_used, ty))
            }
            ("__ravel_runs_at_end", []) => {
                let runs = self.lw.has_end();
                Some(self.truth_number(runs, ty))
            }
            ("__ravel_has_pipes", []) => {
                let has = MAKE_PIPES.iter().any(|name| self.lw.facts.uses(name));
                Some(self.truth_number(has, ty))
            }
            ("__ravel_follows_pipes", []) => {
                let has = MAKE_PIPES.iter().any(|name| self.lw.facts.uses(name));
                let follows = has && !HIDE_PIPES.iter().any(|name| self.lw.facts.uses(name));
                Some(self.truth_number(follows, ty))
            }
            ("__ravel_may_fail", [what]) => {
                if self.lw.options.fallible {
                    let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                    return Some(self.sized(bit, ty));
                }
                let what = Self::literal_text(what).expect("models say what by literals");
                self.lw.taken_to_succeed.insert(what);
                Some(self.truth_number(false, ty))
            }
            ("__ravel_uses_mutex_kinds", []) => {
                let is_special = self.lw.facts.has_special_mutex;
                Some(self.truth_number(is_special, ty))
            }
            ("__ravel_keeps_owners", []) => {
                let is_asked = |property| self.lw.properties.has(property);
                let keeps = is_asked(Property::Misuse) || is_asked(Property::Deadlock);
                Some(self.truth_number(keeps || self.lw.facts.has_special_mutex, ty))
            }
            ("__ravel_asks_misuse", []) => {
                let is_asked = self.lw.properties.has(Property::Misuse);
                Some(self.truth_number(is_asked, ty))
            }
            ("__ravel_may_be_dead", [destroy]) => {
                let destroy = Self::literal_text(destroy).expect("models name functions by literals");
                let may_be = self.lw.facts.uses(&destroy);
                let is_asked = self.lw.properties.has(Property::Misuse);
                Some(self.truth_number(is_asked && may_be, ty))
            }
            ("__ravel_may_be_unset", []) => {
                let is_asked = self.lw.properties.has(Property::Misuse);
                Some(self.truth_number(is_asked && self.lw.facts.has_unset_locks, ty))
            }
            ("__ravel_may_end", [destroy]) => {
                let destroy = Self::literal_text(destroy).expect("models name functions by literals");
                let may = self.lw.facts.may_locks_end() || self.lw.facts.uses(&destroy);
                Some(self.truth_number(may, ty))
            }
            ("__ravel_stores_handles_early", []) => {
                let is_early = self.lw.facts.may_use_handles_of_others && !self.lw.options.late_handles;
                if is_early {
                    let what = "pthread_create stores the handle before the new thread runs (POSIX leaves it open; \
                                --late-handles lets it be late)";
                    self.lw.assume(what.to_string());
                }
                Some(self.truth_number(is_early, ty))
            }
            ("__ravel_has_axioms", []) => {
                let has = self.lw.options.has_axioms;
                Some(self.truth_number(has, ty))
            }
            ("__ravel_may_misjoin", []) => {
                // A creation that fails leaves no handle.
                let may = self.lw.facts.may_misjoin || self.lw.options.fallible;
                Some(self.truth_number(may, ty))
            }
            ("__ravel_may_change_partner", []) => {
                let may = self.lw.facts.may_change_partner;
                Some(self.truth_number(may, ty))
            }
            ("__ravel_misuse", [cond, what]) => {
                let what = Self::literal_text(what).expect("models say what by literals");
                let is_wrong = self.condition(cond);
                let cond = self.pool().not(is_wrong);
                if self.lw.properties.has(Property::Misuse) {
                    self.emit(Op::Check { cond, kind: CheckKind::Misuse(what.into()) });
                }
                None
            }
            ("__ravel_undefined", [cond]) => {
                let is_wrong = self.condition(cond);
                let cond = self.pool().not(is_wrong);
                self.check(cond, CheckKind::Deref);
                None
            }
            (_, [object]) if name.starts_with(MARK) => self.mark(&name[MARK.len()..], object),
            ("__ravel_unsupported", [what]) => {
                let what = Self::literal_text(what).expect("models say what by literals");
                self.fail(CheckKind::Unsupported(what.into()));
                None
            }
            ("__ravel_alloc", [size, zeroed]) => {
                let size = self.eval(size);
                let zeroed = self.eval(zeroed);
                let zeroed = self.as_number(zeroed) != Some(0);
                let dst = self.temporary(Sort::Bv(self.word_bits()));
                let align = self.heap_align();
                self.alloc(dst, size, AllocKind::Heap, zeroed, align);
                Some(self.var(dst))
            }
            ("__ravel_alloc_aligned", [size, align]) => {
                let size = self.eval(size);
                let align = self.eval(align);
                let align = self.as_number(align).unwrap_or(1);
                let dst = self.temporary(Sort::Bv(self.word_bits()));
                self.alloc(dst, size, AllocKind::Heap, false, align);
                Some(self.var(dst))
            }
            ("__ravel_alloc_static", [size]) => {
                let size = self.eval(size);
                let dst = self.temporary(Sort::Bv(self.word_bits()));
                let align = self.heap_align();
                self.alloc(dst, size, AllocKind::Library, false, align);
                Some(self.var(dst))
            }
            ("__ravel_end_static", [address]) => {
                let addr = self.eval(address);
                self.emit(Op::Free { addr, kind: AllocKind::Library });
                None
            }
            ("__ravel_free", [address]) => {
                let addr = self.eval(address);
                self.emit(Op::Free { addr, kind: AllocKind::Heap });
                None
            }
            ("__ravel_assume", [cond]) => {
                let truth = self.condition(cond);
                self.assume(truth);
                None
            }
            _ => panic!("a library model calls {name} with {} arguments", args.len()),
        }
    }

    fn truth_number(&mut self, truth: bool, ty: TypeId) -> TermId {
        self.number(i128::from(truth), ty)
    }

    fn sized(&mut self, value: TermId, ty: TypeId) -> TermId {
        let scalar = self.scalar_or_refuse(ty);
        self.convert_to(value, false, scalar, false)
    }

    fn mark(&mut self, mark: &str, object: &Expr) -> Option<TermId> {
        let mark = match mark {
            "locked" => Mark::Locked,
            "read_locked" => Mark::ReadLocked,
            "unlocked" => Mark::Unlocked,
            "busy" => Mark::Busy,
            "waits" => Mark::Waits,
            "woken" => Mark::Woken,
            "woken_early" => Mark::WokenEarly,
            "signals" => Mark::Signals,
            "broadcasts" => Mark::Broadcasts,
            "down" => Mark::Down,
            "up" => Mark::Up,
            "arrives" => Mark::Arrives,
            "passes" => Mark::Passes,
            _ => panic!("a library model marks something as {mark}"),
        };
        let object = self.eval(object);
        self.emit(Op::Mark(mark, object));
        None
    }

    /// The private variable that an argument names.
    fn variable(&mut self, arg: &Expr) -> (VarId, TypeId) {
        match &arg.kind {
            ExprKind::Load(inner) | ExprKind::Cast(inner) => self.variable(inner),
            ExprKind::Symbol(symbol) => match self.home(*symbol) {
                Home::Private(var) => (var, arg.ty.ty),
                other => panic!("a library model waits with a variable that is not private: {other:?}"),
            },
            _ => panic!("a library model waits without naming a variable"),
        }
    }

    /// One step that reads and writes.
    fn rmw(&mut self, (address, old, new, order): (&Expr, &Expr, &Expr, &Expr), how: Rmw<'_>) {
        let addr = self.eval(address);
        let number = |order: &Expr| crate::c::lower::analysis::scan::constant(order).map(|order| order as u64);
        let order = order_numbered(number(order));
        let order_of_failure = match how {
            Rmw::Try(_, Some(failure)) => order_numbered(number(failure)),
            _ => Order::Relaxed,
        };
        let (dst, _) = self.variable(old);
        let sort = self.pool().var_sort(dst).scalar().unwrap_or(Scalar::Bv(32));
        let ((wait, owner, succeeds, mut new), _, steps) = self.aside(|body| {
            let (mut wait, mut owner, mut succeeds) = (None, None, None);
            match how {
                Rmw::Always => {}
                Rmw::Await(condition, by) => {
                    wait = Some(body.condition(condition));
                    owner = by.map(|owner| body.eval(owner));
                }
                Rmw::Try(condition, _) => succeeds = Some(body.condition(condition)),
            }
            let value = body.eval(new);
            let value = body.convert_to(value, is_signed(body.types(), new.ty.ty), sort, false);
            (wait, owner, succeeds, value)
        });
        assert!(steps.is_none(), "a library model makes steps within a waiting condition");
        let mut failure = None;
        if let Some(succeeds) = succeeds {
            let unchanged = self.var(dst);
            new = self.pool().ite(succeeds, new, unchanged);
            let when = self.pool().not(succeeds);
            failure = Some(Failure { when, order: order_of_failure });
        }
        self.emit(Op::Rmw { dst, place: Self::memory(addr, sort), wait, owner, new, order, failure });
    }
}
