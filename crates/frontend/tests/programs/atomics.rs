//! Atomic operations: their values, and that each is one step.

use crate::{compile, holds, safe, violates};
use ir::Property::{Assertion, Race};
use ir::{Op, Order};

#[test]
fn values_of_the_builtins() {
    holds(
        "int x = 5; unsigned char b = 250; long l = 1; _Atomic int a = 2; int *p; int arr[4]; _Bool flag;",
        "int e = 4; int cas1 = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5); int seen = e; int cas2 = __atomic_compare_exchange_n(&x, &e, 9, 0, 5, 5);
         int fetched = __atomic_fetch_add(&x, 3, 5); int added = __atomic_add_fetch(&x, 3, 5); unsigned char bo = __sync_fetch_and_add(&b, 10);
         long nand = __sync_nand_and_fetch(&l, 3); int val = __sync_val_compare_and_swap(&x, 15, 20); int ok = __sync_bool_compare_and_swap(&x, 20, 21);
         int old = a++; a += 5; int now = ++a; p = arr; int *was = __atomic_fetch_add(&p, 8, 0); int tas1 = __atomic_test_and_set(&flag, 5), tas2 = __atomic_test_and_set(&flag, 5);
         int lock = 0; int l1 = __sync_lock_test_and_set(&lock, 1), l2 = __sync_lock_test_and_set(&lock, 1); __sync_lock_release(&lock);
         int got, put = 77; __atomic_exchange(&x, &put, &got, 5); int loaded; __atomic_load(&x, &loaded, 2);",
        &[
            "cas1 == 0 && seen == 5 && cas2 == 1",
            "fetched == 9 && added == 15",
            "bo == 250 && b == 4",
            "nand == -2",
            "val == 15 && ok == 1 && got == 21 && x == 77 && loaded == 77",
            "old == 2 && now == 9 && a == 9",
            "was == arr && p == arr + 2",
            "tas1 == 0 && tas2 == 1",
            "l1 == 0 && l2 == 1 && lock == 0",
        ],
    );
}

#[test]
fn largest_and_smallest() {
    holds(
        "int a = -1, b = -1, c = 5, d = 5; unsigned u = 7;",
        "int s = __sync_fetch_and_max(&a, 42), t = __sync_fetch_and_umax(&b, 42);
         __sync_fetch_and_min(&c, -3); __sync_fetch_and_umin(&d, -3); unsigned v = __atomic_fetch_max(&u, -1, 5);",
        &["s == -1 && a == 42", "t == -1 && b == -1", "c == -3 && d == 5", "v == 7 && u == 4294967295u"],
    );
}

#[test]
fn the_builtins_of_clang() {
    holds(
        "_Atomic int a; int * _Atomic p; int arr[4];",
        "__c11_atomic_init(&a, 3); int e = 3; int s = __c11_atomic_compare_exchange_strong(&a, &e, 8, 5, 5);
         int old = __c11_atomic_fetch_sub(&a, 2, 5); __c11_atomic_store(&p, arr, 5); int *q = __c11_atomic_fetch_add(&p, 2, 5);
         int x = __c11_atomic_exchange(&a, 1, 4); __c11_atomic_thread_fence(5);",
        &["s == 1 && old == 8 && x == 6", "q == arr && __c11_atomic_load(&p, 5) == arr + 2", "__c11_atomic_load(&a, 0) == 1"],
    );
}

#[test]
fn as_stdatomic_of_gcc_expands() {
    holds(
        "_Atomic int a = 1;",
        "int old = __extension__ ({ __auto_type __p = (&a); __typeof__ ((void)0, *__p) __v; __atomic_load (__p, &__v, 5); __v; });
         __extension__ ({ __auto_type __p = (&a); __typeof__ ((void)0, *__p) __t = (41); __atomic_store (__p, &__t, 5); });
         int was = __atomic_fetch_add((&a), (1), 5);
         int ok = __extension__ ({ __auto_type __p = (&a); __typeof__ ((void)0, *__p) __t = (50); int __e = 42; __atomic_compare_exchange (__p, &__e, &__t, 0, 5, 5); });",
        &["old == 1 && was == 41 && ok == 1 && a == 50"],
    );
}

#[test]
fn updates_are_one_step() {
    let program = |declaration: &str, update: &str| {
        format!(
            "{declaration} x; void *f(void *a) {{ {update}; return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {update}; pthread_join(t, 0);
                 __VERIFIER_assert(x == 2); return 0; }}"
        )
    };
    for (declaration, update) in [
        ("_Atomic int", "x++"),
        ("_Atomic int", "x += 1"),
        ("int", "__atomic_fetch_add(&x, 1, 0)"),
        ("int", "__sync_add_and_fetch(&x, 1)"),
        (
            "struct { _Atomic int n; } s; _Atomic int y; int",
            "s.n++; _Atomic int *p = &y; ++*p; __atomic_add_fetch(&x, 1, 5)",
        ),
        ("int", "do {} while (!__sync_bool_compare_and_swap(&x, x, x + 1))"),
    ] {
        let is_race_free = !update.contains("while");
        let properties: &[_] = if is_race_free { &[Assertion, Race] } else { &[] };
        safe(properties, &program(declaration, update));
    }
    violates(Assertion, &program("_Atomic int", "x = x + 1"));
    violates(Assertion, &program("volatile int", "x++"));
}

#[test]
fn values_passed_by_address_stay_variables() {
    let text =
        "_Atomic int a; int main(void) { int v, e = 0, d = 3; __atomic_load(&a, &v, 5); __atomic_store(&a, &d, 5);
        __atomic_compare_exchange(&a, &e, &d, 0, 5, 5); return v; }";
    let program = compile(text).program;
    let makes_objects = |op: &Op| matches!(op, Op::Alloc { .. });
    assert!(!program.procs[0].edges.iter().flat_map(|edge| &edge.stmts).any(|stmt| makes_objects(&stmt.op)));
}

#[test]
fn weak_exchange_can_fail() {
    let program = |is_weak: u32| {
        format!(
            "int x; int main(void) {{ int e = 0; __VERIFIER_assert(__atomic_compare_exchange_n(&x, &e, 1, {is_weak}, 5, 5)); return 0; }}"
        )
    };
    safe(&[Assertion], &program(0));
    violates(Assertion, &program(1));
}

#[test]
fn orders_reach_the_statements() {
    let text = "int x, order; int main(void) {
        __atomic_load_n(&x, 0); __atomic_load_n(&x, 2); __atomic_store_n(&x, 1, 3); __atomic_fetch_add(&x, 1, 4);
        __atomic_load_n(&x, order); __atomic_thread_fence(2); __asm__ volatile (\"mfence\" ::: \"memory\"); __asm__ volatile (\"\" ::: \"memory\");
        return 0; }";
    let program = compile(text).program;
    let main = program.proc(program.main);
    let orders: Vec<Order> = main
        .edges
        .iter()
        .flat_map(|edge| &edge.stmts)
        .filter_map(|stmt| match &stmt.op {
            Op::Load { order, .. } | Op::Store { order, .. } | Op::Rmw { order, .. } | Op::Fence(order) => Some(*order),
            _ => None,
        })
        .collect();
    use Order::{AcqRel, Acquire, Plain, Relaxed, Release, SeqCst};
    assert_eq!(orders, [Relaxed, Acquire, Release, AcqRel, Plain, SeqCst, Acquire, SeqCst]);
}
