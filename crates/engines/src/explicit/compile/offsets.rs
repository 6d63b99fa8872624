//! Which bytes of a static object does the program use? Only these are kept in states.
//!
//! A `pthread_mutex_t` has 40 bytes, of which a lock uses four; an array of structures is mostly accessed at a few offsets from
//! the start of each. The address of an access is read as a constant plus multiples of a stride: `&fork[i]` is `fork` plus a
//! multiple of 40. Variables are followed to what is assigned to them. What the access may touch of an object are
//! then the bytes at that offset in every stride.
//!
//! The library keeps what it knows of threads in arrays by handle. Of these only as much is kept as there can be threads, where that is known.
//!
//! Nothing depends on this being right: an access to a byte that is not kept is noticed when it happens, and the answer is unknown.
//! So arithmetic that wraps around is of no concern here.

use super::layout::MAX_SPARSE;
use ir::{Op, Place, Program, RegionId};
use logic::{Node, TermId, Value, VarId};
use rustc_hash::FxHashMap;

/// For each static object of at most `MAX_SPARSE` bytes, which of its bytes are used.
pub(crate) fn used_bytes(program: &Program) -> Vec<Vec<bool>> {
    let is_short = |object: &ir::Object| object.size <= MAX_SPARSE;
    let bytes_of = |object| if is_short(object) { vec![false; object.size as usize] } else { Vec::new() };
    let mut used: Vec<Vec<bool>> = program.objects.iter().map(bytes_of).collect();
    let forms = Forms::new(program);
    for op in statements(program) {
        let (Op::Load { place, .. } | Op::Store { place, .. } | Op::Rmw { place, .. }) = op else { continue };
        let Place::Mem { addr, sort, region } = place else { continue };
        let bytes = ir::access::bytes_of(*sort);
        let form = forms.of(*addr, 0, &mut { MAX_VISITS });
        let is_in = |index: usize| {
            let listed = &program.regions[region.0 as usize].objects;
            *region == RegionId::ANYWHERE || listed.iter().any(|object| object.0 as usize == index)
        };
        let objects = program.objects.iter().enumerate();
        for (index, object) in objects.filter(|(index, object)| is_short(object) && is_in(*index)) {
            let first = form.constant.wrapping_sub(object.base as i64);
            match form.stride {
                0 if first >= 0 => mark(&mut used[index], first as u64, bytes),
                0 => {}
                stride => {
                    let mut at = first.rem_euclid(stride as i64) as u64;
                    // What begins before the object may reach into it.
                    mark(&mut used[index], 0, (at + bytes).saturating_sub(stride));
                    while at < object.size {
                        mark(&mut used[index], at, bytes);
                        at += stride;
                    }
                }
            }
        }
    }
    used
}

/// The library's arrays by handle, and how many elements they have.
const BY_HANDLE: [(&str, u64); 3] = [("fate", 1025), ("is_cancelled", 1025), ("is_waiting", 65)];

/// How many bytes of a static object can matter, where that is less than all: the elements of the threads that there can be at most.
pub(crate) fn bytes_by_handle(program: &Program, object: &ir::Object, n_threads: Option<u64>) -> Option<u64> {
    let (_, n_elements) = BY_HANDLE.into_iter().find(|(name, _)| object.name == *name)?;
    let is_ours = program.sources.is_model(object.span) && object.size.is_multiple_of(n_elements);
    // Handles begin at one.
    let bytes = (n_threads.filter(|_| is_ours)? + 1) * (object.size / n_elements);
    (bytes < object.size).then_some(bytes)
}

/// How many threads there are at most, the first one included; none if nothing says so.
pub(crate) fn most_threads(program: &Program) -> Option<u64> {
    let mut started = Vec::new();
    for proc in &program.procs {
        let out = proc.out_edges();
        let mut callees = Vec::new();
        for edge in &proc.edges {
            for stmt in &edge.stmts {
                let Op::Start { callee, .. } = &stmt.op else { continue };
                let ir::Callee::Proc(callee) = callee else { return None };
                if ir::pass::reachable_from(proc, &out, [edge.to]).contains(edge.from.index()) {
                    return None;
                }
                callees.push(callee.index());
            }
        }
        started.push(callees);
    }
    n_below(&started, program.main.index(), 0)
}

/// How many threads a procedure and all that it starts are.
fn n_below(started: &[Vec<usize>], proc: usize, depth: usize) -> Option<u64> {
    if depth > started.len() {
        return None;
    }
    let mut sum = 1u64;
    for callee in &started[proc] {
        sum += n_below(started, *callee, depth + 1)?;
        if sum > MANY_THREADS {
            return None;
        }
    }
    Some(sum)
}

/// More threads than this are not counted.
const MANY_THREADS: u64 = 1024;

fn mark(used: &mut [bool], at: u64, bytes: u64) {
    used.iter_mut().skip(at as usize).take(bytes as usize).for_each(|byte| *byte = true);
}

/// A constant plus multiples of a stride, which is zero for constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Form {
    constant: i64,
    stride: u64,
}

impl Form {
    const ANY: Form = Form { constant: 0, stride: 1 };

    fn join(self, other: Form) -> Form {
        let apart = self.constant.wrapping_sub(other.constant).unsigned_abs();
        Form { constant: self.constant, stride: gcd(gcd(self.stride, other.stride), apart) }
    }

    fn times(self, factor: u64) -> Form {
        let stride = self.stride.wrapping_mul(factor);
        // A stride that makes no sense as one is none.
        if stride > 1 << 40 {
            return Form::ANY;
        }
        Form { constant: self.constant.wrapping_mul(factor as i64), stride }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// How deep terms and assignments are followed.
const MAX_DEPTH: u32 = 12;
/// How many terms are looked at for one address.
const MAX_VISITS: u32 = 1000;

struct Forms<'p> {
    program: &'p Program,
    /// What is assigned to each variable; none if it gets values otherwise.
    assigned: FxHashMap<VarId, Option<Vec<TermId>>>,
}

impl<'p> Forms<'p> {
    fn new(program: &'p Program) -> Forms<'p> {
        let mut assigned: FxHashMap<VarId, Option<Vec<TermId>>> = FxHashMap::default();
        let mut add = |var: VarId, value: Option<TermId>| {
            let known = assigned.entry(var).or_insert_with(|| Some(Vec::new()));
            match (known.as_mut(), value) {
                (Some(values), Some(value)) => values.push(value),
                _ => *known = None,
            }
        };
        for op in statements(program) {
            match op {
                Op::Assign { var, value } => add(*var, Some(*value)),
                Op::Start { callee: ir::Callee::Proc(proc), args, dst } => {
                    program.proc(*proc).params.iter().zip(args).for_each(|(param, arg)| add(*param, Some(*arg)));
                    add(*dst, None);
                }
                _ => {
                    if let Some(var) = ir::access::local_written(op) {
                        add(var, None);
                    }
                }
            }
        }
        Forms { program, assigned }
    }

    fn of(&self, term: TermId, depth: u32, left: &mut u32) -> Form {
        *left = left.saturating_sub(1);
        if depth > MAX_DEPTH || *left == 0 {
            return Form::ANY;
        }
        let pool = &self.program.pool;
        let mut of = |term: TermId| self.of(term, depth + 1, left);
        match pool.node(term) {
            Node::Const(Value::Bv(value)) => {
                let constant = value.to_u64().unwrap_or(0);
                // Small negative numbers of any width are meant as such.
                let unused = 64 - value.width().clamp(1, 64);
                Form { constant: ((constant << unused) as i64) >> unused, stride: 0 }
            }
            Node::Const(_) => Form::ANY,
            Node::Var(var) => match self.assigned.get(var) {
                Some(Some(values)) if !values.is_empty() => {
                    // Variables are zero before they are assigned, but not used then.
                    let forms = values.iter().map(|value| of(*value));
                    forms.reduce(Form::join).unwrap_or(Form::ANY)
                }
                _ => Form::ANY,
            },
            Node::App { op, args } => match (op, &args[..]) {
                (logic::Op::Add, [a, b]) => {
                    let (a, b) = (of(*a), of(*b));
                    Form { constant: a.constant.wrapping_add(b.constant), stride: gcd(a.stride, b.stride) }
                }
                (logic::Op::Sub, [a, b]) => {
                    let (a, b) = (of(*a), of(*b));
                    Form { constant: a.constant.wrapping_sub(b.constant), stride: gcd(a.stride, b.stride) }
                }
                (logic::Op::Mul, [a, b]) => match (of(*a), of(*b)) {
                    (Form { constant, stride: 0 }, other) | (other, Form { constant, stride: 0 }) if constant >= 0 => {
                        other.times(constant as u64)
                    }
                    _ => Form::ANY,
                },
                (logic::Op::Shl, [a, b]) => match of(*b) {
                    Form { constant: by @ 0..=30, stride: 0 } => of(*a).times(1 << by),
                    _ => Form::ANY,
                },
                (logic::Op::Ite, [_, a, b]) => of(*a).join(of(*b)),
                (logic::Op::ZeroExtend(_) | logic::Op::SignExtend(_), [a]) => of(*a),
                _ => Form::ANY,
            },
        }
    }
}

fn statements(program: &Program) -> impl Iterator<Item = &Op> {
    program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts).map(|stmt| &stmt.op)
}
