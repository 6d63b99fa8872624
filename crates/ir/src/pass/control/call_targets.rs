//! Which procedures can a function pointer name? Those whose address is taken; the pointer's value then says which.
//!
//! A call or start through a pointer becomes one edge per candidate, guarded by `pointer == address`, and a last edge for all
//! other values that refuses the call by name. A candidate must fit: at least as many arguments as parameters, of
//! the same sorts, and the result that is expected. The address of a function is taken where it stands as a constant in a
//! term, in an initialiser or in a variable's initial value.
//!
//! A function that is named only where threads are created is no candidate of the user's own calls, nor of those by which the library calls destructors and their like: it would seem that the workers of a pool can be the tasks they
//! run, which is recursion without end. Should a pointer name it all the same, the last edge refuses the call.
//!
//! Invariant: the guards of the new edges exclude each other and cover every value of the pointer, so nothing is assumed
//! about it. All new edges have the origin of the edge they replace.

use crate::memory::ObjectKind;
use crate::pass::analysis::initial::word_of;
use crate::program::{Edge, ProcId, Program};
use crate::stmt::{Callee, CheckKind, Op, Stmt};
use logic::{Node, Pool, Sort, TermId, Value, VarId};
use rustc_hash::FxHashSet;

/// A procedure that a pointer can name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::pass) struct AddressTaken {
    /// The address.
    pub(in crate::pass) base: u64,
    /// The procedure.
    pub(in crate::pass) proc: ProcId,
    /// Whether it is named only where threads are created with it.
    pub(in crate::pass) is_started_only: bool,
}

/// The library's functions that create threads, and which argument is what they start.
const CREATORS: [(&str, usize); 2] = [("pthread_create", 2), ("thrd_create", 1)];

/// The program with every call and start through a pointer resolved.
pub fn resolve_calls(program: &Program) -> Program {
    let targets = address_taken(program);
    let mut result = program.clone();
    for index in 0..program.procs.len() {
        let edges = std::mem::take(&mut result.procs[index].edges);
        let pool = &mut result.pool;
        let resolved = edges.into_iter().flat_map(|edge| resolve_edge(program, pool, &targets, edge)).collect();
        result.procs[index].edges = resolved;
    }
    result
}

/// The procedures whose address is taken anywhere, by address.
pub(in crate::pass) fn address_taken(program: &Program) -> Vec<AddressTaken> {
    let (mut kept, mut started) = (Vec::new(), Vec::new());
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        let from = kept.len();
        crate::pass::analysis::uses::for_each_term(&stmt.op, &mut |term, _| kept.push(term));
        if let (Some(at), Op::Call { args, .. }) = (started_by(program, &stmt.op), &stmt.op) {
            kept.truncate(from);
            kept.extend(args.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, arg)| *arg));
            started.extend(args.get(at));
        }
    }
    let mut words = words_in(program, &kept);
    program.objects.iter().flat_map(|object| &object.init).for_each(|(_, value)| words.extend(bits_of(value)));
    program.vars.iter().filter_map(|var| var.init.as_ref()).for_each(|value| words.extend(bits_of(value)));
    let started = words_in(program, &started);
    let mut targets: Vec<AddressTaken> = program
        .objects
        .iter()
        .filter_map(|object| match object.kind {
            ObjectKind::Function(proc) if words.contains(&object.base) || started.contains(&object.base) => {
                Some(AddressTaken { base: object.base, proc, is_started_only: !words.contains(&object.base) })
            }
            _ => None,
        })
        .collect();
    targets.sort_unstable_by_key(|target| target.base);
    targets
}

/// If a statement is a call of the library that creates a thread: which argument is what the thread runs.
fn started_by(program: &Program, op: &Op) -> Option<usize> {
    let Op::Call { callee: Callee::Proc(proc), .. } = op else { return None };
    let proc = program.proc(*proc);
    let (_, at) = CREATORS.into_iter().find(|(name, _)| proc.name == *name)?;
    program.sources.is_model(proc.span).then_some(at)
}

/// The words that stand as constants in terms.
fn words_in(program: &Program, terms: &[TermId]) -> FxHashSet<u64> {
    let constants = program.pool.post_order_of(terms).into_iter().filter_map(|term| match program.pool.node(term) {
        Node::Const(value) => bits_of(value),
        _ => None,
    });
    constants.collect()
}

fn bits_of(value: &Value) -> Option<u64> {
    match value {
        Value::Bv(word) => word.to_u64(),
        _ => None,
    }
}

/// The edges that stand for an edge whose last statement may call or start through a pointer. New terms go to
/// the pool, which may have more variables than the program.
pub(in crate::pass) fn resolve_edge(
    program: &Program,
    pool: &mut Pool,
    targets: &[AddressTaken],
    edge: Edge,
) -> Vec<Edge> {
    let Some(last) = edge.stmts.last() else { return vec![edge] };
    let (Op::Call { callee: Callee::Pointer(pointer), args, .. }
    | Op::Start { callee: Callee::Pointer(pointer), args, .. }) = &last.op
    else {
        return vec![edge];
    };
    let pointer = *pointer;
    let wanted = match &last.op {
        Op::Call { result, .. } => result.map(|var| pool.var_sort(var)),
        _ => None,
    };
    let fitting: Vec<AddressTaken> = match word_of(pool, pointer) {
        Some(word) => targets.iter().copied().filter(|target| target.base == word).collect(),
        // The library itself calls what it was given to start, such as with destructors after it; then it wants to know how the thread ends.
        None if matches!(last.op, Op::Call { .. }) && (!program.sources.is_model(last.span) || wanted.is_none()) => {
            targets.iter().copied().filter(|target| !target.is_started_only).collect()
        }
        None => targets.to_vec(),
    };
    let fitting: Vec<AddressTaken> =
        fitting.into_iter().filter(|target| fits(program, pool, target.proc, args, wanted, &last.op)).collect();
    let mut edges = Vec::new();
    let width = program.data_model.word_bits();
    let mut matched = Vec::new();
    for target in fitting {
        let base = pool.bv(width, target.base);
        let is_target = pool.eq(pointer, base);
        matched.push(is_target);
        let mut stmts = edge.stmts.clone();
        let mut call = stmts.pop().expect("the edge has a last statement");
        if let Op::Call { callee, .. } | Op::Start { callee, .. } = &mut call.op {
            *callee = Callee::Proc(target.proc);
        }
        stmts.push(Stmt { op: Op::Assume(is_target), span: call.span, site: call.site });
        stmts.push(call);
        edges.push(Edge { stmts, ..edge.clone() });
    }
    let any = pool.or_all(&matched);
    if pool.as_const(any) == Some(&Value::Bool(true)) {
        for edge in &mut edges {
            edge.stmts.retain(|stmt| !matches!(stmt.op, Op::Assume(cond) if cond == any));
        }
        return edges;
    }
    let none = pool.not(any);
    let mut stmts = edge.stmts.clone();
    let call = stmts.pop().expect("the edge has a last statement");
    stmts.push(Stmt { op: Op::Assume(none), span: call.span, site: call.site });
    stmts.extend(refuse(program, pool, pointer, &call));
    edges.push(Edge { stmts, ..edge });
    edges
}

/// What a call does whose pointer names no procedure that fits: null and other words that are no function are an invalid
/// access, a function without a body or of another type is not supported.
fn refuse(program: &Program, pool: &mut Pool, pointer: TermId, call: &Stmt) -> Vec<Stmt> {
    let verb = if matches!(call.op, Op::Start { .. }) { "start" } else { "call" };
    let no = pool.bool(false);
    let width = program.data_model.word_bits();
    let functions: Vec<(String, u64)> = program
        .objects
        .iter()
        .filter(|object| matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Extern))
        .map(|object| (object.name.clone(), object.base))
        .collect();
    let mut is_function = Vec::new();
    let mut what = format!("{verb} of a function through a pointer of another type or without a body");
    for (name, base) in &functions {
        let base_term = pool.bv(width, *base);
        is_function.push(pool.eq(pointer, base_term));
        if word_of(pool, pointer) == Some(*base) {
            what = format!("{verb} of `{name}` with arguments that do not fit, or without its body");
        }
    }
    let is_function = pool.or_all(&is_function);
    let is_other = pool.not(is_function);
    let stmt = |op| Stmt { op, span: call.span, site: call.site };
    vec![
        stmt(Op::Check { cond: is_other, kind: CheckKind::Unsupported(what.into()) }),
        stmt(Op::Check { cond: no, kind: CheckKind::Deref }),
    ]
}

fn fits(program: &Program, pool: &Pool, proc: ProcId, args: &[TermId], wanted: Option<Sort>, op: &Op) -> bool {
    let proc = program.proc(proc);
    let sorts = |var: &VarId| pool.var_sort(*var);
    let args_fit = proc.params.len() <= args.len()
        && proc.params.iter().zip(args).all(|(param, arg)| sorts(param) == pool.sort(*arg));
    args_fit && (matches!(op, Op::Start { .. }) || wanted.is_none() || wanted == proc.result)
}
