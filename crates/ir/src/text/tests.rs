use super::*;
use crate::build::Builder;
use crate::stmt::{AllocKind, CheckKind, Op, Order};

fn sample() -> Program {
    let mut b = Builder::new();
    let x = b.global("x", -1);
    let table = b.array("table", 4);
    let worker = b.define("worker", |b| {
        let arg = b.param("arg", logic::Sort::Bv(64));
        let x_copy = b.local("x");
        b.load(x_copy, x);
        let (sum, limit) = (b.plus(x_copy, 2), b.int(7));
        let small = b.pool().slt(sum, limit);
        let large = b.pool().not(small);
        b.check_for(large, CheckKind::Overflow);
        let by = b.var(x_copy);
        let product = b.pool().shl(sum, by);
        let second = b.at(table, 2);
        b.store_to(second, product, Order::Release);
        b.free(arg, AllocKind::Heap);
    });
    let main = b.define("main", |b| {
        let handle = b.pointer("handle");
        let zero = b.word(0);
        b.start(handle, worker, &[zero]);
        let old = b.local("old");
        b.await_change(old, x, 1, 0);
        let done = b.is(old, 1);
        b.branch(
            done,
            |b| b.join(handle),
            |b| {
                b.then(Op::ExitProcess { is_abort: true });
            },
        );
    });
    b.finish(main)
}

#[test]
fn a_program_reads_like_this() {
    let text = program(&sample());
    let expected = "\
program lp64, main main

thread self: bv64 = 0
global x: bv32 = -1
object table at 0x100000000, 16 bytes, data = 0

proc worker(arg: bv64)                                       // built.c:3
  local x'3: bv32
  L0: entry
    -> L2 x'3 = load x'1                                     // built.c:6
  L1: exit
  L2:
    -> L3 check 7 <=s x'3 + 2 (overflow)                     // built.c:7
  L3:
    -> L4 store.release *bv32(&table+8) = x'3 + 2 << x'3     // built.c:8
  L4:
    -> L5 free heap(arg)                                     // built.c:9
  L5:
    -> L1 return                                             // built.c:10

proc main()                                                  // built.c:11
  local handle: bv64
  local old: bv32
  L0: entry
    -> L2 handle = start worker(0)                           // built.c:13
  L1: exit
  L2:
    -> L3 old = rmw.seq_cst x when old == 1 := 0             // built.c:15
  L3:
    -> L4 [old == 1]                                         // built.c:16
    -> L5 [old != 1]                                         // built.c:17
  L4:
    -> L6 join handle                                        // built.c:18
  L5:
    -> L7 abort                                              // built.c:19
  L6:
    -> L8 skip
  L7:
    -> L8 skip
  L8:
    -> L1 return                                             // built.c:22
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn the_picture_has_every_location_and_edge() {
    let program = sample();
    let picture = super::dot::program(&program);
    let n_edges: usize = program.procs.iter().map(|proc| proc.edges.len()).sum();
    assert_eq!(picture.matches(" -> ").count(), n_edges);
    assert!(picture.contains("label=\"[old == 1]\\l\""), "{picture}");
    assert!(picture.contains("doublecircle"));
}
