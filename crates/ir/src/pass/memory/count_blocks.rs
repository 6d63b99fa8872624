//! Is every block freed before the process ends? Then none is lost.
//!
//! A ghost variable counts the blocks of the heap that live, and where the process ends normally it has to be zero. If it is not, the blocks may still be named by something, which is another
//! question: there the program leaves what is modelled. So whoever proves anything about the counting program has proved that no memory is lost, and needs to know nothing of
//! pointers that name blocks.
//!
//! The count is exact in interleavings. A process that goes wrong, is aborted or never ends loses nothing.

use crate::memory::ObjectKind;
use crate::program::{Format, Program, Scope, Variable};
use crate::source::Span;
use crate::stmt::{AllocKind, Callee, CheckKind, Op, Order, Place, Stmt};
use fixedbitset::FixedBitSet;
use logic::{Sort, TermId, Value, VarId};

/// Bits of the count: so many blocks nobody makes.
const BITS: u32 = 64;

/// The program that counts; none if the end of its process is no statement, or if it is not known which statement that is.
pub fn count_blocks(program: &Program) -> Option<Program> {
    let from_main = run_by_main(program);
    let leaves = |proc: usize| {
        let mut stmts = program.procs[proc].edges.iter().flat_map(|edge| &edge.stmts);
        stmts.any(|stmt| match &stmt.op {
            // Then the last thread ends the process.
            Op::ExitThread(_) => true,
            Op::Call { callee: Callee::Proc(proc), .. } => *proc == program.main,
            _ => false,
        })
    };
    if from_main.ones().any(leaves) {
        return None;
    }
    let mut program = program.clone();
    let n_live = declare(&mut program, "live blocks", Scope::Global, Some(Value::bv(BITS, 0)));
    program.ghosts.insert(n_live);
    program.counts_blocks = true;
    let main = program.main.index();
    let mut procs = std::mem::take(&mut program.procs);
    for (index, proc) in procs.iter_mut().enumerate() {
        for edge in &mut proc.edges {
            let mut stmts = Vec::with_capacity(edge.stmts.len());
            for stmt in edge.stmts.drain(..) {
                let span = stmt.span;
                let is_end = match stmt.op {
                    Op::Return(_) => index == main,
                    Op::ExitProcess { is_abort } => !is_abort,
                    _ => false,
                };
                if is_end {
                    stmts.extend(all_are_freed(&mut program, &mut proc.locals, n_live, span));
                }
                let step = match stmt.op {
                    Op::Alloc { kind: AllocKind::Heap, .. } => Some(program.pool.bv(BITS, 1)),
                    Op::Free { kind: AllocKind::Heap, addr } => {
                        let null = program.pool.bv(program.data_model.word_bits(), 0);
                        let (is_null, nothing) = (program.pool.eq(addr, null), program.pool.bv(BITS, 0));
                        let less = program.pool.bv(BITS, u64::MAX);
                        Some(program.pool.ite(is_null, nothing, less))
                    }
                    _ => None,
                };
                // What is freed is computed before the block is gone.
                let counted = step.map(|step| counted(&mut program, &mut proc.locals, n_live, step, span));
                stmts.extend(counted);
                stmts.push(stmt);
            }
            edge.stmts = stmts;
        }
    }
    program.procs = procs;
    Some(program)
}

/// Procedures that the first thread may run.
fn run_by_main(program: &Program) -> FixedBitSet {
    let named = program.objects.iter().filter_map(|object| match object.kind {
        ObjectKind::Function(proc) => Some(proc),
        _ => None,
    });
    let mut seen = FixedBitSet::with_capacity(program.procs.len());
    let mut open = vec![program.main];
    open.extend(program.thread_init);
    while let Some(proc) = open.pop() {
        if seen.put(proc.index()) {
            continue;
        }
        for stmt in program.proc(proc).edges.iter().flat_map(|edge| &edge.stmts) {
            match stmt.op {
                Op::Call { callee: Callee::Proc(callee), .. } => open.push(callee),
                Op::Call { callee: Callee::Pointer(_), .. } => open.extend(named.clone()),
                _ => {}
            }
        }
    }
    seen
}

fn declare(program: &mut Program, name: &str, scope: Scope, init: Option<Value>) -> VarId {
    let variable = Variable { scope, init, format: Format::Unsigned, span: Span::NOWHERE, is_temporary: true };
    program.declare(name, Sort::Bv(BITS), variable)
}

fn local(program: &mut Program, locals: &mut Vec<VarId>) -> VarId {
    let var = declare(program, "live", Scope::Local, None);
    locals.push(var);
    var
}

fn counted(program: &mut Program, locals: &mut Vec<VarId>, n_live: VarId, step: TermId, span: Span) -> Stmt {
    let dst = local(program, locals);
    let old = program.pool.var(dst);
    let new = program.pool.add(old, step);
    let (place, order) = (Place::Var(n_live), Order::Relaxed);
    Stmt {
        op: Op::Rmw { dst, place, wait: None, owner: None, new, order, failure: None },
        span,
        site: program.new_site(),
    }
}

fn all_are_freed(program: &mut Program, locals: &mut Vec<VarId>, n_live: VarId, span: Span) -> [Stmt; 2] {
    let dst = local(program, locals);
    let (left, none) = (program.pool.var(dst), program.pool.bv(BITS, 0));
    let what = "whether blocks that are not freed at the end are still named".into();
    let load = Op::Load { dst, place: Place::Var(n_live), order: Order::Relaxed };
    let check = Op::Check { cond: program.pool.eq(left, none), kind: CheckKind::Unsupported(what) };
    [load, check].map(|op| Stmt { op, span, site: program.new_site() })
}
