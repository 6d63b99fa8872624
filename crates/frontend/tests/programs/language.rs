//! The language: each row a condition that C says is true.

use crate::{compile, correctness, holds, runs, violates};
use ir::Property;
use ir::interp::{RunEnd, run_random};

#[test]
fn arithmetic_and_conversions() {
    holds(
        "",
        "int i = -7; unsigned u = 5; signed char c = -1; unsigned char b = 255; long long big = 1LL << 40; short s = -32768;",
        &[
            "i / 2 == -3 && i % 2 == -1",
            "i >> 1 == -4",
            "(u - 6) == 4294967295u",
            "c == -1 && b == 255 && c != b",
            "(unsigned char)(b + 1) == 0",
            "b + 1 == 256",
            "i < 0 && !(i < u)",
            "(char)(300) == 44",
            "big == 1099511627776",
            "(int)big == 0",
            "~0u == 4294967295u",
            "-s == 32768",
            "(_Bool)big == 1",
            "sizeof(int) == 4 && sizeof(c) == 1",
            "(u ^ 3) == 6 && (u | 8) == 13 && (u & 4) == 4",
            "(1 ? -1 : 0u) == 4294967295u",
            "!!i == 1 && !i == 0",
        ],
    );
}

#[test]
fn floats() {
    holds(
        "",
        "double d = 0.1 + 0.2; float f = 1.5f; int n = 7; double z = 0.0;",
        &[
            "d != 0.3 && d > 0.3",
            "f * 2 == 3.0f",
            "(int)-2.7 == -2",
            "n / 2.0 == 3.5",
            "(float)n == 7.0f",
            "-z == z && 1.0 / -z < 0",
            "z / z != z / z",
            "(unsigned char)200.5 == 200",
        ],
    );
}

#[test]
fn assignments_and_steps() {
    holds(
        "int g = 3;",
        "int i = 5, j = i++, k = ++i, *p = &g, a[3] = { 1, 2, 3 }, *q = a; char c = 127; int m = (i += 2, i * 2);
         *p += 4; g <<= 1; c++; int old = g--; int x, y; x = y = 9; int v = *q++; q += 1; unsigned short us = 0; us--;",
        &[
            "j == 5 && k == 7 && i == 9 && m == 18",
            "g == 13 && old == 14",
            "c == -128",
            "x == 9 && y == 9",
            "v == 1 && *q == 3 && q - a == 2",
            "us == 65535",
        ],
    );
}

#[test]
fn short_circuit_and_conditional() {
    holds(
        "int n; int f(int v) { n++; return v; }",
        "int a = f(0) && f(1); int b = f(1) || f(1); int c = f(1) && f(2); int d = 0 ? f(1) : 7; int e = f(3) ?: f(4);
         int g = f(0) ?: 8; int h = (n > 100 && f(1)) || !f(0); int *p = 0; int i = p && *p;",
        &["a == 0 && b == 1 && c == 1", "d == 7 && e == 3 && g == 8 && h == 1 && i == 0", "n == 7"],
    );
}

#[test]
fn control_flow() {
    holds(
        "int classify(int n) { switch (n) { case 0: return 10; case 1: case 2: n += 100; break; case 5 ... 9: return 59;
             default: n = -1; } return n; }
         int fall(int n) { int r = 0; switch (n) { case 3: r += 3; case 2: r += 2; case 1: r += 1; } return r; }
         int jumps(void) { int n = 0; again: n++; if (n < 4) goto again; return n; }
         int computed(int which) { void *to[] = { &&a, &&b }; goto *to[which]; a: return 1; b: return 2; }",
        "int sum = 0, odd = 0, once = 0; for (int i = 0; i < 10; i++) { if (i == 7) break; if (i % 2) { odd++; continue; } sum += i; }
         do once++; while (0); int w = 0; while (w < 5) w += 2; int nested = 0;
         for (int i = 0; i < 3; i++) for (int j = 0; ; j++) { if (j == i) break; nested++; }",
        &[
            "classify(0) == 10 && classify(1) == 101 && classify(2) == 102 && classify(7) == 59 && classify(99) == -1",
            "fall(3) == 6 && fall(2) == 3 && fall(1) == 1 && fall(0) == 0",
            "jumps() == 4",
            "computed(0) == 1 && computed(1) == 2",
            "sum == 12 && odd == 3 && once == 1 && w == 6 && nested == 3",
        ],
    );
}

#[test]
fn records() {
    holds(
        "struct point { int x, y; }; struct line { struct point from, to; char name[20]; };
         union word { unsigned u; unsigned char bytes[4]; float f; };
         struct point make(int x, int y) { struct point p = { x, y }; return p; }
         int sum(struct point p) { p.x += p.y; return p.x; }
         struct line swap(struct line l) { struct point t = l.from; l.from = l.to; l.to = t; return l; }",
        "struct line l = { { 1, 2 }, { .y = 4, .x = 3 }, \"ab\" }; struct line k = swap(l); struct point p = make(5, 6), *q = &p;
         struct point a[2] = { [1] = { 7, 8 } }; a[0] = a[1]; q->x = 9; union word w = { .f = 1.0f }; union word v = w;
         struct point c = sum(p) > 0 ? make(1, 1) : p; struct line zero = { 0 };",
        &[
            "k.from.x == 3 && k.from.y == 4 && k.to.x == 1 && k.to.y == 2 && k.name[1] == 'b' && k.name[19] == 0",
            "l.from.x == 1",
            "p.x == 9 && p.y == 6 && sum(p) == 15 && p.x == 9",
            "a[0].x == 7 && a[0].y == 8",
            "v.u == 0x3f800000 && v.bytes[3] == 0x3f",
            "make(2, 3).y == 3 && c.x == 1",
            "zero.to.y == 0 && zero.name[7] == 0",
            "((struct point){ 4, 5 }).y == 5 && sum((struct point){ 4, 5 }) == 9",
        ],
    );
}

#[test]
fn bit_fields() {
    holds(
        "struct flags { unsigned a : 3; int b : 5; unsigned c : 1; unsigned d : 23; }; struct flags g = { 5, -3, 1, 77 };",
        "struct flags f = { 0 }; f.a = 9; f.b = -1; f.c = 1; f.d = 1000; int stepped = ++f.a; g.b++; struct flags h = f;",
        &[
            "f.a == 2 && stepped == 2",
            "f.b == -1 && f.c == 1 && f.d == 1000",
            "g.a == 5 && g.b == -2 && g.c == 1 && g.d == 77",
            "h.d == 1000 && h.b == -1",
        ],
    );
}

#[test]
fn initialisers() {
    holds(
        "int later; int *const pointers[] = { &later, 0 }; struct s { char *name; int (*f)(int); int v[3]; };
         int twice(int n) { return 2 * n; } static const struct s table[2] = { { \"one\", twice, { 1 } }, { .v = { [2] = 9 } } };
         const int limit = 4; char text[] = \"hey\"; int *p = &((int[]){ 5, 6 })[1]; double third = 1.0 / 4; enum { A, B = 5, C } e = C;
         long offset = (long)&((struct s *)0)->v[1]; char exact[3] = \"abc\"; unsigned wrapped = -1; int wide[] = L\"x\";",
        "static int counter = 7; counter++; int local[5] = { 1, [3] = 4 }; char word[8] = \"hi\"; int *r = (int[]){ 1, 2, limit };",
        &[
            "pointers[0] == &later && !pointers[1]",
            "table[0].f(21) == 42 && table[0].v[0] == 1 && table[0].v[2] == 0 && table[1].v[2] == 9 && table[0].name[2] == 'e'",
            "sizeof text == 4 && text[2] == 'y' && text[3] == 0 && exact[2] == 'c'",
            "*p == 6 && third == 0.25 && e == 6 && wrapped == 4294967295u",
            "offset == sizeof(char *) + sizeof(void *) + 4",
            "counter == 8 && local[3] == 4 && local[4] == 0 && word[1] == 'i' && word[7] == 0",
            "r[2] == 4 && wide[0] == 'x'",
        ],
    );
}

#[test]
fn pointers() {
    holds(
        "int grid[3][4]; int add(int a, int b) { return a + b; } int sub(int a, int b) { return a - b; }
         int apply(int (*f)(int, int), int a) { return f(a, 1); } int deref(int **p) { return **p; }",
        "int x = 4, *p = &x, **pp = &p; grid[1][2] = 5; int *row = grid[1]; int (*ops[2])(int, int) = { add, &sub };
         char *bytes = (char *)&x; unsigned long as_number = (unsigned long)p; int *back = (int *)as_number; void *v = p; int a[4];",
        &[
            "**pp == 4 && deref(&p) == 4",
            "row[2] == 5 && *(*(grid + 1) + 2) == 5 && (&grid[2][0] - &grid[0][0]) == 8",
            "ops[0](3, 2) == 5 && (*ops[1])(3, 2) == 1 && apply(add, 6) == 7 && apply(*sub, 6) == 5",
            "bytes[0] == 4 && bytes[1] == 0",
            "back == p && *back == 4 && *(int *)v == 4",
            "&a[3] > &a[1] && &a[3] - &a[1] == 2 && (char *)&a[3] - (char *)a == 12",
        ],
    );
}

#[test]
fn gnu_extensions() {
    holds(
        "int f(int n) { return n; }",
        "int a = ({ int t = f(3); t * 2; }); typeof(a) b = a + 1; __auto_type c = 5L; int n = 3; int vla[n + 1]; vla[3] = 8;
         int pick = _Generic(c, long: 1, default: 2); int chosen = __builtin_choose_expr(1, 4, 5);
         long likely = __builtin_expect(a == 6, 1); int out; int over = __builtin_add_overflow(2147483647, 1, &out);",
        &[
            "a == 6 && b == 7 && c == 5",
            "vla[3] == 8 && sizeof vla == 16",
            "pick == 1 && chosen == 4 && likely == 1",
            "over == 1 && out == -2147483647 - 1",
            "__builtin_popcount(255) == 8 && __builtin_ctz(8) == 3 && __builtin_clz(1) == 31 && __builtin_ffs(0) == 0",
            "__builtin_bswap32(0x01020304) == 0x04030201",
        ],
    );
}

#[test]
fn recursion_and_old_style() {
    holds(
        "int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); } int odd(int); int even(int n) { return n == 0 || odd(n - 1); }
         int odd(int n) { return n != 0 && even(n - 1); } int old(a, b) int a; char b; { return a + b; } int none() { return 3; }
         int many(int n, ...) { return n; }",
        "int base = none();",
        &["fact(5) == 120", "even(10) && !odd(10)", "old(1, 2) == 3 && base == 3", "many(2, 3, 4.0) == 2"],
    );
}

#[test]
fn scopes_end_on_every_way_out() {
    // Each activation makes and frees its objects; a leak would be noticed by running out of addresses.
    runs(
        "int use(int *p) { return *p; }
         int f(int n) { int sum = 0; for (int i = 0; i < n; i++) { int a[2] = { i, 1 }; if (use(a) == 3) continue; int b = i; use(&b);
                 if (i == 5) { int c = 2; sum += use(&c); goto out; } sum += use(a); switch (i) { int d[1]; case 1: d[0] = 4; sum += use(d);
                 break; default: { int e = 0; use(&e); } } } out: return sum; }
         int main(void) { for (int i = 0; i < 50; i++) __VERIFIER_assert(f(9) == 0 + 1 + 4 + 2 + 4 + 2); return 0; }",
    );
    violates(
        Property::Deref,
        "int *keep; void f(void) { int local = 1; keep = &local; } int main(void) { f(); return *keep; }",
    );
    violates(Property::Deref, "int main(void) { int *p; { int x = 1; p = &x; } return *p; }");
}

#[test]
fn jumps_into_scopes_make_their_objects() {
    runs(
        "int main(void) { int n = 0; goto in; { int a[2]; in: a[0] = 3; n += a[0]; } switch (n) { int b; int *p; case 3: p = &b; *p = 4; n += b; }
             __VERIFIER_assert(n == 7); return 0; }",
    );
}

#[test]
fn checks_before_arithmetic() {
    for (body, property) in [
        ("int x = 2147483647; int y = x + __VERIFIER_nondet_bool();", Property::Overflow),
        ("int x = -2147483647 - 1; x = -x;", Property::Overflow),
        ("int x = 65536; x *= 65536;", Property::Overflow),
        ("int x = -2147483647 - 1; x--;", Property::Overflow),
        ("int n = 32; int y = 1 << n;", Property::Overflow),
        ("int n = 1; int y = -1 << n;", Property::Overflow),
        ("long x = 1; for (;;) x *= 3;", Property::Overflow),
        ("int z = 0; int y = 5 / z;", Property::Division),
        ("unsigned z = __VERIFIER_nondet_bool(); unsigned y = 5 % z;", Property::Division),
    ] {
        violates(property, &format!("int main(void) {{ {body} return 0; }}"));
    }
    for body in [
        "unsigned x = 4294967295u; x++; x *= x; x <<= 5;",
        "signed char c = 127; c++; c += 100;",
        "int x = 2147483646; x++; x = -x; x -= 1; int y = 1 << 30;",
        "short s = 32767; s++;",
    ] {
        crate::safe(&[Property::Overflow, Property::Division], &format!("int main(void) {{ {body} return 0; }}"));
    }
}

#[test]
fn errors_are_calls_and_labels() {
    violates(Property::ErrorCall, "int main(void) { if (__VERIFIER_nondet_bool()) reach_error(); return 0; }");
    violates(
        Property::ErrorCall,
        "void __VERIFIER_error(void); int main(void) { ERROR: __VERIFIER_error(); return 0; }",
    );
    violates(
        Property::ErrorCall,
        "int main(void) { if (__VERIFIER_nondet_bool()) goto ERROR; return 0; ERROR: return 1; }",
    );
    // In a program that reports errors by calls, the label is only a label.
    crate::safe(&[Property::ErrorCall], "int main(void) { int x = 1; if (!x) reach_error(); ERROR: return 0; }");
    violates(
        Property::Assertion,
        "void __assert_fail(const char *, const char *, unsigned, const char *);
         int main(void) { int x = __VERIFIER_nondet_bool(); (x ? (void)0 : __assert_fail(\"x\", \"f\", 1, \"main\")); return 0; }",
    );
    crate::safe(
        &[Property::Assertion],
        "int main(void) { int x = __VERIFIER_nondet_uchar() & 3; __VERIFIER_assume(x > 1); __VERIFIER_assert(x == 2 || x == 3); return 0; }",
    );
}

#[test]
fn a_process_can_end_anywhere() {
    let ends = |text: &str| {
        let report = run_random(&compile(text).program, correctness(), 1, 1000);
        assert!(matches!(report.outcome, RunEnd::Ended(_)), "{text}: {:?}", report.outcome);
    };
    ends("void f(void) { exit(3); } int main(void) { f(); reach_error(); }");
    ends("void f(void) { abort(); } int main(void) { f(); reach_error(); }");
    crate::safe(
        &[Property::ErrorCall],
        "int main(int argc, char **argv) { (void)argv; if (argc < 0) reach_error(); return 0; }",
    );
    violates(Property::ErrorCall, "int main(int argc, char **argv) { if (argc > 2) reach_error(); return 0; }");
    violates(Property::ErrorCall, "int main(int argc, char **argv) { if (argc < 1) reach_error(); return 0; }");
}

#[test]
fn constructors_run_first() {
    runs(
        "int x; __attribute__((constructor)) void init(void) { x = 4; } int main(void) { __VERIFIER_assert(x == 4); return 0; }",
    );
}
