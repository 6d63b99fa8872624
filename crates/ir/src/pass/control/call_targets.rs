//! Which procedures can a function pointer name? Those whose address is taken; the pointer's value then says which.
//!
//! A call or start through a pointer becomes one edge per candidate, guarded by `pointer == address`, and a last edge for all
//! other values that refuses the call by name. A candidate must fit: at least as many arguments as parameters, of
//! the same sorts, and the result that is expected. The address of a function is taken where it stands as a constant in a
//! term, in an initialiser or in a variable's initial value.
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
}

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
    let mut words: FxHashSet<u64> = FxHashSet::default();
    let mut note = |value: &Value| {
        if let Value::Bv(word) = value {
            words.extend(word.to_u64());
        }
    };
    let mut terms = Vec::new();
    for stmt in program.procs.iter().flat_map(|proc| &proc.edges).flat_map(|edge| &edge.stmts) {
        crate::pass::analysis::uses::for_each_term(&stmt.op, &mut |term, _| terms.push(term));
    }
    for term in program.pool.post_order_of(&terms) {
        if let Node::Const(value) = program.pool.node(term) {
            note(value);
        }
    }
    program.objects.iter().flat_map(|object| &object.init).for_each(|(_, value)| note(value));
    program.vars.iter().filter_map(|var| var.init.as_ref()).for_each(&mut note);
    let mut targets: Vec<AddressTaken> = program
        .objects
        .iter()
        .filter_map(|object| match object.kind {
            ObjectKind::Function(proc) if words.contains(&object.base) => {
                Some(AddressTaken { base: object.base, proc })
            }
            _ => None,
        })
        .collect();
    targets.sort_unstable_by_key(|target| target.base);
    targets
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
