//! Whole declarations and statements.

use ir::DataModel;

use super::super::super::typed_text::unit_text;
use super::super::infer_data_model;
use super::{accept, run};
use crate::c::parse::parse;
use crate::c::source::Originals;

fn check(text: &str, expected: &str) {
    let unit = accept(text, DataModel::Lp64);
    let lines: Vec<String> = unit_text(&unit).lines().map(|line| line.trim_end().to_string()).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, expected, "\n{}\nin {text}", lines.join("\n"));
}

#[test]
fn initialisers_are_flat() {
    for (text, expected) in [
        ("int a[] = {1, 2, 3};", "int a[3] = {0: 1:int, 4: 2:int, 8: 3:int}"),
        ("int a[5] = {[3] = 1, 2, [0] = 7};", "int a[5] = {12: 1:int, 16: 2:int, 0: 7:int}"),
        ("int a[] = {[1 ... 3] = 5, 6};", "int a[5] = {4: 5:int, 8: 5:int, 12: 5:int, 16: 6:int}"),
        ("int m[2][2] = {1, 2, 3};", "int m[2][2] = {0: 1:int, 4: 2:int, 8: 3:int}"),
        ("int m[][2] = {{1}, {2, 3}};", "int m[2][2] = {0: 1:int, 8: 2:int, 12: 3:int}"),
        ("int m[][2] = {1, 2, 3};", "int m[2][2] = {0: 1:int, 4: 2:int, 8: 3:int}"),
        ("char s[] = \"ab\";", "char s[3] = {0: \"ab\\0\"}"),
        ("char s[] = {\"ab\"};", "char s[3] = {0: \"ab\\0\"}"),
        ("char s[2] = \"ab\";", "char s[2] = {0: \"ab\"}"),
        ("char t[2][4] = {\"ab\", \"c\"};", "char t[2][4] = {0: \"ab\\0\", 4: \"c\\0\"}"),
        (
            "struct { int a; struct { char b, c; } d; int e; } x = {1, 2, 3, 4};",
            "struct {...} x = {0: 1:int, 4: 2:char, 5: 3:char, 8: 4:int}",
        ),
        (
            "struct { int a; struct { char b, c; } d; int e; } x = {.d.b = 2, 3, 4};",
            "struct {...} x = {4: 2:char, 5: 3:char, 8: 4:int}",
        ),
        (
            "struct { int a; union { int b; float c; }; int e; } x = {1, {.c = 2}, 3};",
            "struct {...} x = {0: 1:int, 4: 2.0:float, 8: 3:int}",
        ),
        (
            "struct { int a; union { int b; float c; }; int e; } x = {.c = 2, 3};",
            "struct {...} x = {4: 2.0:float, 8: 3:int}",
        ),
        ("struct { int a : 3; int : 4; int b : 5; } x = {1, 2};", "struct {...} x = {0.0+3: 1:int, 0.7+5: 2:int}"),
        ("union { char c; int i; } x = {.i = 1, .c = 2};", "union {...} x = {0: 2:char}"),
        ("struct { struct { int x, y; } a; } s = {.a.x = 1, .a = {.y = 2}};", "struct {...} s = {4: 2:int}"),
        (
            "int x; int *p = &x + 1; long l = (long)&x;",
            "int x\nint *p = {0: (+4 (& x):int * 1:int):int *}\nlong l = {0: (cast (& x):int *):long}",
        ),
        ("int *p = (int[]){1, 2};", "int <literal>[2] = {0: 1:int, 4: 2:int}\nint *p = {0: (decay <literal>):int *}"),
        (
            "struct s { int a, b; } x = (struct s){1, 2};",
            "struct s <literal> = {0: 1:int, 4: 2:int}\nstruct s x = {0: 1:int, 4: 2:int}",
        ),
        ("struct s { int n; int a[]; } x = {2, {3, 4}};", "struct s x = {0: 2:int, 4: 3:int, 8: 4:int}"),
        (
            "double d = 1 / 2.0f; unsigned char c = 257; int z = {};",
            "double d = {0: 0.5:double}\nunsigned char c = {0: 1:unsigned char}\nint z = {0: 0:int}",
        ),
        ("int a[]; int a[3]; int b[];", "int a[3]\nint b[1]"),
        ("typedef int T[]; T a = {1}, b = {1, 2};", "int a[1] = {0: 1:int}\nint b[2] = {0: 1:int, 4: 2:int}"),
        ("int x = 1; int x; extern int x;", "int x = {0: 1:int}"),
        (
            "int f(void); int (*p)(void) = f, (*q)(void) = &f;",
            "int (*p)(void) = {0: (decay f):int (*)(void)}\nint (*q)(void) = {0: (& f):int (*)(void)}",
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn statements_are_typed() {
    check(
        "int g; int f(int n) {
            for (int i = 0; i < n; i++) { if (i == 3) continue; else break; }
            switch (n) { case 1 ... 3: return 1L; default: ; }
            do n--; while (n);
            again: while (1) goto again;
            { static int kept = 4; kept++; }
            int v[n]; v[0] = sizeof v;
            { extern int g; g = ({ int t = n; t + 1; }); }
        }",
        "
int g
int kept = {0: 4:int}
int f(int n)
  block
    block
      local int i = {0: 0:int}
      for ; (< (load i):int (load n):int):int ; (post++ i):int
        block
          if (== (load i):int 3:int):int
            continue
          else
            break
    switch (load n):int
      block
        case 1 ... 3
          return (cast 1:long):int
        default
          empty
    do while (load n):int
      (post-- n):int
    label again
      while 1:int
        goto again
    block
      (post++ kept):int
    local unsigned long v.length = {0: (cast (load n):int):unsigned long}
    local int v[*] of (load v.length):unsigned long
    (= (* (+4 (decay v):int * 0:int):int *) (cast (* (load v.length):unsigned long 4:unsigned long):unsigned long):int):int
    block
      (= g (statements 2):int):int
",
    );
}

#[test]
fn old_style_functions_promote_and_convert() {
    check(
        "int add(a, c) char c; { return a + c; } int main(void) { return add(1, 2); }",
        "
int add(int a, char c)
  block
    return (+ (load a):int (cast (load c):char):int):int
int main(void)
  block
    return (call add 1:int (cast 2:int):char):int
"
        .replace("main(void)", "main()")
        .as_str(),
    );
}

#[test]
fn addresses_are_noted_only_where_they_are_taken() {
    let unit = accept(
        "int a, b, c, d, e[2]; struct s { int x; } s; void f(int *); void t(void) {
            f(&a); *&b = 1; c = sizeof(&c); d = __builtin_constant_p(&d); asm(\"\" : \"+m\"(c)); }",
        DataModel::Lp64,
    );
    let taken: Vec<&str> =
        unit.symbols.iter().filter(|symbol| symbol.address_taken).map(|symbol| symbol.name.as_str()).collect();
    assert_eq!(taken, ["a", "c", "e", "s"]);
}

#[test]
fn problems_at_file_scope_are_found_together() {
    let (_, problems) = run(
        "int x; char x;
        struct s { int a; struct t b; };
        int n; int a[n];
        _Static_assert(1 == 2, \"no\");
        typedef int T; typedef char T;
        int f(void) { return 1; } int f(void) { return 2; }
        int y = n;
        _Complex double z; typedef int v4 __attribute__((vector_size(16))); v4 v;
        void g(void) { v + v; }",
        DataModel::Lp64,
    );
    assert_eq!(
        problems,
        [
            "1: error: x was declared as int before and cannot be char now",
            "2: error: a member cannot have the incomplete type struct t",
            "3: error: the length of an array outside of functions must be a constant",
            "4: error: static assertion failed: no",
            "5: error: T was int before and cannot be char now",
            "6: error: the function f is defined twice",
            "7: error: the initialiser of a static object must be a constant",
            "9: not supported: values of type vector of 16 bytes of int",
        ]
    );
}

#[test]
fn the_data_model_is_in_the_typedefs() {
    for (text, expected) in [
        ("typedef unsigned int size_t;", Some(DataModel::Ilp32)),
        ("typedef unsigned long size_t;", Some(DataModel::Lp64)),
        ("typedef unsigned long word; typedef word size_t;", Some(DataModel::Lp64)),
        ("typedef long long int __quad_t;", Some(DataModel::Ilp32)),
        ("typedef long int __quad_t;", Some(DataModel::Lp64)),
        ("typedef unsigned long uintptr_t; typedef unsigned int __kernel_size_t;", Some(DataModel::Ilp32)),
        ("int x;", None),
    ] {
        let (unit, _) = parse(&mut ir::Sources::default(), "test.c", text.as_bytes(), &Originals::default());
        assert_eq!(infer_data_model(&unit), expected, "{text}");
    }
}

#[test]
fn early_calls_are_fitted_to_the_definition() {
    check(
        "int before(); int main(void) { late(1); return before('a', 2) + later(3); }
        void late(long v) { } int before(long a, char b) { return b; } char later(short s) { return s; }",
        "
int main()
  block
    (call late (cast 1:int):long):void
    return (+ (call before (cast 97:int):long (cast 2:int):char):int (cast (call later (cast 3:int):short):char):int):int
void late(long v)
  block
int before(long a, char b)
  block
    return (cast (load b):char):int
char later(short s)
  block
    return (cast (load s):short):char
",
    );
    let (_, problems) =
        run("int f(); int main(void) { return f(1); } int f(int a, int b) { return a; }", DataModel::Lp64);
    assert_eq!(problems, ["1: error: f is called with 1 arguments, but defined with 2"]);
    let (_, problems) = run("int f(); int main(void) { return f(1, 2); } int f(int a) { return a; }", DataModel::Lp64);
    assert_eq!(problems, ["1: warning: f is called with 2 arguments, but defined with 1"]);
}

#[test]
fn constant_variables_are_read_where_compilers_do() {
    for (text, expected) in [
        ("static const int a = 5; int b = a + 1;", "const int a = {0: 5:int}\nint b = {0: 6:int}"),
        ("static const int n = 3; int b[n];", "const int n = {0: 3:int}\nint b[3]"),
    ] {
        check(text, expected);
    }
    let (_, problems) = run("int a = 5; int b = a;", DataModel::Lp64);
    assert_eq!(problems, ["1: error: the initialiser of a static object must be a constant"]);
}

#[test]
fn auto_type_types_its_value_once() {
    let nested = |depth: usize| {
        (0..depth).fold("1".to_string(), |inner, _| format!("({{ __auto_type v = {inner}; goto l; l: v + 1; }})"))
    };
    let (_, problems) = run(&format!("int f(void) {{ return {}; }}", nested(1)), DataModel::Lp64);
    assert_eq!(problems, [""; 0]);
    let deep = nested(60).replace("goto l; l: ", "");
    accept(&format!("int f(void) {{ return {deep}; }}"), DataModel::Lp64);
}

#[test]
fn what_nobody_calls_does_no_harm() {
    let (unit, problems) = run(
        "typedef float v4 __attribute__((vector_size(16))); static inline v4 add(v4 a, v4 b) { return a + b; }
        static inline long double half(long double x) { return x / 2; } int main(void) { return 0; }",
        DataModel::Lp64,
    );
    assert_eq!(
        problems,
        [
            "1: not supported: values of type vector of 16 bytes of float",
            "2: not supported: values of type long double"
        ]
    );
    let main = unit.functions.last().expect("main is there");
    assert!(main.problems.is_empty());
}

#[test]
fn long_chains_and_deep_nesting_are_walked() {
    let chain = format!("int x; int f(void) {{ return x{}; }}", " + 1".repeat(1900));
    accept(&chain, DataModel::Lp64);
    let nested = format!("int x; int f(void) {{ return {}x{}; }}", "-(".repeat(400), ")".repeat(400));
    accept(&nested, DataModel::Lp64);
    let (_, problems) = run(&format!("int x; int f(void) {{ return x{}; }}", " + 1".repeat(100_000)), DataModel::Lp64);
    assert!(!problems.is_empty(), "a chain of this length is refused");
}

#[test]
fn bit_fields_touch_no_other_memory_location() {
    // The unit of `a` and `b` must end before `c`, that of `d` must start after it.
    check(
        "struct s { unsigned a : 3; int b : 4; char c; int d : 7; } x = {1, 2, 3, 4};
        int f(struct s *p) { p->a = 2; p->b += 1; p->b++; return p->a - p->d; }",
        "
struct s x = {0.0+3: 1:unsigned char, 0.3+4: 2:signed char, 1: 3:char, 2.0+7: 4:short}
int f(struct s *p)
  block
    (cast (= (at 0.0+3 (* (load p):struct s *)) (cast (cast 2:int):unsigned int):unsigned char):unsigned char):unsigned int
    (cast (+= (at 0.3+4 (* (load p):struct s *)) 1:int in int):signed char):int
    (cast (post++ (at 0.3+4 (* (load p):struct s *))):signed char):int
    return (- (cast (cast (load (at 0.0+3 (* (load p):struct s *))):unsigned char):unsigned int):int (cast (load (at 2.0+7 (* (load p):struct s *))):short):int):int
",
    );
    // No type of C keeps off `c` here.
    check(
        "struct s { unsigned a : 20; char c; } __attribute__((packed)); int f(struct s *p) { return p->a; }",
        "
int f(struct s *p)
  block
    return (cast (cast (load (at 0.0+20 (* (load p):struct s *))):unit of 3 bytes):unsigned int):int
",
    );
}
