//! How does a statement look? One short phrase each; the memory order is shown unless the access is plain.

use super::{Names, term};
use crate::memory::RegionId;
use crate::stmt::{AllocKind, Callee, CheckKind, HavocKind, Mark, Op, Order, Place};
use logic::TermId;

pub(super) fn statement(names: &Names<'_>, op: &Op) -> String {
    let show = |t: TermId| term::term(names, t);
    let var = |v| names.var(v);
    let args = |args: &[TermId]| args.iter().map(|arg| show(*arg)).collect::<Vec<_>>().join(", ");
    match op {
        Op::Assign { var: dst, value } => format!("{} = {}", var(*dst), show(*value)),
        Op::Havoc { var: dst, kind } => {
            let kind = match kind {
                HavocKind::Input => "input",
                HavocKind::Uninit => "uninit",
                HavocKind::Choice => "choice",
                HavocKind::Approximation => "approximation",
            };
            format!("{} = {kind}()", var(*dst))
        }
        Op::Assume(cond) => format!("[{}]", show(*cond)),
        Op::Check { cond, kind } => format!("check {} ({})", show(*cond), check(kind)),
        Op::Load { dst, place: from, order: how } => {
            format!("{} = load{} {}", var(*dst), order(*how), place(names, from))
        }
        Op::Store { place: to, value, order: how } => {
            format!("store{} {} = {}", order(*how), place(names, to), show(*value))
        }
        Op::Rmw { dst, place: at, wait, owner, new, order: how, failure } => {
            let wait = wait.map_or(String::new(), |wait| format!(" when {}", show(wait)));
            let owner = owner.map_or(String::new(), |owner| format!(" of {}", show(owner)));
            let fails = failure.map_or(String::new(), |failure| {
                format!(" or load{} when {}", order(failure.order), show(failure.when))
            });
            format!("{} = rmw{} {}{wait}{owner} := {}{fails}", var(*dst), order(*how), place(names, at), show(*new))
        }
        Op::Fence(how) => format!("fence{}", order(*how)),
        Op::Alloc { dst, size, kind, zeroed, .. } => {
            let zeroed = if *zeroed { ", zeroed" } else { "" };
            format!("{} = alloc {}({}{zeroed})", var(*dst), alloc_kind(*kind), show(*size))
        }
        Op::Free { addr, kind } => format!("free {}({})", alloc_kind(*kind), show(*addr)),
        Op::Start { dst, callee: what, args: with } => {
            format!("{} = start {}({})", var(*dst), callee(names, *what), args(with))
        }
        Op::Join { thread, result: None } => format!("join {}", show(*thread)),
        Op::Join { thread, result: Some(dst) } => format!("{} = join {}", var(*dst), show(*thread)),
        Op::AtomicBegin => "atomic begin".to_string(),
        Op::AtomicEnd => "atomic end".to_string(),
        Op::Call { callee: what, args: with, result } => {
            let result = result.map_or(String::new(), |dst| format!("{} = ", var(dst)));
            format!("{result}call {}({})", callee(names, *what), args(with))
        }
        Op::Return(None) => "return".to_string(),
        Op::Return(Some(value)) => format!("return {}", show(*value)),
        Op::ExitThread(value) => format!("exit thread {}", show(*value)),
        Op::ExitProcess { is_abort: false } => "exit".to_string(),
        Op::ExitProcess { is_abort: true } => "abort".to_string(),
        Op::Mark(mark, addr) => {
            let mark = match mark {
                Mark::Locked => "locked",
                Mark::ReadLocked => "read-locked",
                Mark::Unlocked => "unlocked",
                Mark::Busy => "busy",
                Mark::Waits => "waits",
                Mark::Woken => "woken",
                Mark::WokenEarly => "woken-early",
                Mark::Signals => "signals",
                Mark::Broadcasts => "broadcasts",
                Mark::Down => "down",
                Mark::Up => "up",
                Mark::Arrives => "arrives",
                Mark::Passes => "passes",
            };
            format!("mark {mark} {}", show(*addr))
        }
    }
}

fn place(names: &Names<'_>, place: &Place) -> String {
    match place {
        Place::Var(var) => names.var(*var),
        Place::Mem { addr, sort, region } => {
            let region = if *region == RegionId::ANYWHERE { String::new() } else { format!("@r{}", region.0) };
            format!("*{sort}{region}({})", term::term(names, *addr))
        }
    }
}

fn order(order: Order) -> String {
    let name = match order {
        Order::Plain => return String::new(),
        Order::Guarded => "guarded",
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
        Order::Kernel(word) => word.name(),
        Order::Barrier(barrier) => barrier.name(),
        Order::Locked => "locked",
        Order::Message(marks) => {
            return marks.names().fold(".message".to_string(), |text, tag| format!("{text}.{tag}"));
        }
    };
    format!(".{name}")
}

fn alloc_kind(kind: AllocKind) -> &'static str {
    match kind {
        AllocKind::Heap => "heap",
        AllocKind::Stack => "stack",
        AllocKind::Library => "library",
    }
}

fn callee(names: &Names<'_>, callee: Callee) -> String {
    match callee {
        Callee::Proc(proc) => names.program.proc(proc).name.clone(),
        Callee::Pointer(pointer) => format!("*({})", term::term(names, pointer)),
    }
}

fn check(kind: &CheckKind) -> String {
    match kind {
        CheckKind::ErrorCall => "error call".to_string(),
        CheckKind::Assertion => "assertion".to_string(),
        CheckKind::Overflow => "overflow".to_string(),
        CheckKind::Division => "division".to_string(),
        CheckKind::Deref => "deref".to_string(),
        CheckKind::Free => "free".to_string(),
        CheckKind::Misuse(what) => format!("misuse: {what}"),
        CheckKind::Unsupported(what) => format!("unsupported: {what}"),
        CheckKind::Bound(what) => format!("bound: {what}"),
    }
}
