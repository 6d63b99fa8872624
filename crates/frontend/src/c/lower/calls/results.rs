//! What library functions may return: more than one value where the standard allows several.
//!
//! Comparisons fix only a sign, character classes only whether it is zero; the models yield -1, 0 and 1. Where the program looks at more
//! than that, the result is any number of that kind. Functions that run out of something may fail under `--fallible`; without
//! it the program carries the assumption that they succeed.

use super::families::Fixed;
use crate::c::lower::analysis::scan;
use crate::c::lower::body::Body;
use crate::c::lower::model_types::is_signed;
use crate::c::typed::{BinaryOp, Expr, ExprKind};
use ir::HavocKind;
use logic::{Sort, TermId};

/// What a function returns when it fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) enum Failure {
    /// A null pointer, since there is no memory.
    Null,
    /// `ENOMEM`, for the same reason.
    NoMemory,
    /// -1.
    MinusOne,
    /// An error number.
    Number,
    /// `thrd_error` or `thrd_nomem`.
    Thread,
}

/// The error number of who runs out of memory; of Linux.
const ENOMEM: u64 = 12;

/// How a function fails that runs out of something.
pub(in crate::c::lower) fn failure(name: &str) -> Option<Failure> {
    match name {
        "malloc" | "calloc" | "realloc" | "aligned_alloc" | "memalign" | "valloc" | "strdup" | "strndup" => {
            Some(Failure::Null)
        }
        "asprintf" | "sem_init" => Some(Failure::MinusOne),
        "posix_memalign" => Some(Failure::NoMemory),
        "pthread_create"
        | "pthread_key_create"
        | "pthread_attr_init"
        | "pthread_mutex_init"
        | "pthread_cond_init"
        | "pthread_rwlock_init"
        | "pthread_barrier_init"
        | "pthread_spin_init" => Some(Failure::Number),
        "thrd_create" | "mtx_init" | "cnd_init" | "tss_create" => Some(Failure::Thread),
        _ => None,
    }
}

impl Body<'_, '_> {
    /// Evaluates the two sides of a comparison; of a side that is compared with zero only the sign is needed.
    pub(in crate::c::lower) fn compared(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> (TermId, TermId) {
        let is_zero = |side: &Expr| scan::constant(side) == Some(0);
        let only_truth = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let fixed = if only_truth { Fixed::Truth } else { Fixed::Sign };
        let a = if is_zero(right) { self.eval_for(left, fixed) } else { self.eval(left) };
        let b = if is_zero(left) { self.eval_for(right, fixed) } else { self.eval(right) };
        (a, b)
    }

    /// What is called, under conversions that keep the sign.
    fn called<'e>(&self, expr: &'e Expr) -> &'e Expr {
        let types = self.types();
        let is_int =
            |ty| types.int_kind(ty).is_some_and(|kind| kind.size(types.data_model) >= 4) && is_signed(types, ty);
        match &expr.kind {
            ExprKind::Cast(inner) if is_int(expr.ty.ty) && is_int(inner.ty.ty) => self.called(inner),
            _ => expr,
        }
    }

    /// Evaluates an expression of which only a part matters.
    pub(in crate::c::lower) fn eval_for(&mut self, expr: &Expr, needed: Fixed) -> TermId {
        let call: *const Expr = self.called(expr);
        let outer = self.partly_needed.replace((call, needed));
        let value = self.eval(expr);
        self.partly_needed = outer;
        value
    }

    /// Whether only the sign of a call's result matters, or less.
    pub(in crate::c::lower) fn needs_only_sign(&self, call: &Expr) -> bool {
        self.partly_needed.is_some_and(|(needed, _)| std::ptr::eq(needed, call))
    }

    /// The result of a call as all the standard allows.
    pub(in crate::c::lower) fn widened(&mut self, call: &Expr, fixed: Fixed, value: TermId) -> TermId {
        let needed = self.partly_needed.filter(|(needed, _)| std::ptr::eq(*needed, call)).map(|(_, needed)| needed);
        let is_enough = match needed {
            Some(Fixed::Truth) => true,
            // Models of functions that fail yield numbers of every sign that there is.
            Some(Fixed::Sign | Fixed::Failure) => fixed != Fixed::Truth,
            None => false,
        };
        if is_enough {
            return value;
        }
        self.any_like(value, fixed)
    }

    /// Any number of which only so much is fixed: as in this one.
    pub(in crate::c::lower) fn any_like(&mut self, value: TermId, fixed: Fixed) -> TermId {
        let value = self.kept(value);
        let sort = self.pool().sort(value);
        let any = self.havoc(sort, HavocKind::Input);
        let zero = self.zero(sort);
        let kind = |body: &mut Self, term: TermId| {
            let is_zero = body.pool().eq(term, zero);
            let is_less = body.pool().slt(term, zero);
            (is_zero, is_less)
        };
        let ((zero_a, less_a), (zero_b, less_b)) = (kind(self, value), kind(self, any));
        let same_side = self.pool().eq(less_a, less_b);
        let same_zero = self.pool().eq(zero_a, zero_b);
        let same = match fixed {
            Fixed::Truth => same_zero,
            Fixed::Sign => self.pool().and(same_zero, same_side),
            Fixed::Failure => {
                let (is_it, is_fine) = (self.pool().eq(value, any), self.pool().not(less_a));
                let is_either = self.pool().or(is_it, is_fine);
                self.pool().and(same_side, is_either)
            }
        };
        self.assume(same);
        any
    }

    /// Calls what may fail. Without `--fallible` it does not, and the program says so.
    pub(in crate::c::lower) fn fallible(
        &mut self,
        name: &str,
        result: Sort,
        call: impl FnOnce(&mut Self) -> Option<TermId>,
    ) -> Option<TermId> {
        let Some(failure) = failure(name).filter(|_| !self.is_model()) else { return call(self) };
        if !self.lw.options.fallible {
            self.lw.taken_to_succeed.insert(name.to_string());
            return call(self);
        }
        let fails = self.havoc(Sort::Bv(1), HavocKind::Choice);
        let fails = self.truth(fails);
        let dst = self.temporary(result);
        let (bad, good, end) = (self.new_loc(), self.new_loc(), self.new_loc());
        self.branch_on(fails, bad, good);
        self.resume_at(bad);
        let value = self.failing_value(failure, result);
        self.assign(dst, value);
        self.goto(end);
        self.resume_at(good);
        if let Some(value) = call(self) {
            self.assign(dst, value);
        }
        self.goto(end);
        self.resume_at(end);
        Some(self.var(dst))
    }

    fn failing_value(&mut self, failure: Failure, sort: Sort) -> TermId {
        let width = sort.width().unwrap_or(32);
        match failure {
            Failure::Null => {
                self.call_model("set_out_of_memory", Vec::new(), false);
                self.zero(sort)
            }
            Failure::NoMemory => self.pool().bv(width, ENOMEM),
            Failure::MinusOne => {
                self.call_model("set_error", Vec::new(), false);
                self.pool().constant(logic::Value::Bv(logic::BitVec::ones(width)))
            }
            Failure::Number => {
                let number = self.havoc(sort, HavocKind::Input);
                let zero = self.zero(sort);
                let is_positive = self.pool().slt(zero, number);
                self.assume(is_positive);
                number
            }
            Failure::Thread => {
                let bit = self.havoc(Sort::Bv(1), HavocKind::Choice);
                let bit = self.pool().resize(bit, false, width);
                let error = self.pool().bv(width, 2);
                self.pool().add(error, bit)
            }
        }
    }
}
