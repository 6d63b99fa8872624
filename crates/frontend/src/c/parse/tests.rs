//! Tests of the parser: rows of source text and the tree it makes, in the notation of [`print`].

mod print;
mod recovery;
mod robustness;

use ir::{Diagnostic, Sources};

use super::parse;
use crate::c::ast::TranslationUnit;
use crate::c::source::Originals;

fn parse_text(text: &[u8]) -> (TranslationUnit, Vec<Diagnostic>) {
    parse(&mut Sources::default(), "t.c", text, &Originals::default())
}

/// The tree of a whole file that must be free of problems.
fn tree(text: &str) -> String {
    let (unit, problems) = parse_text(text.as_bytes());
    assert!(problems.is_empty(), "{text}\n{problems:?}");
    print::unit(&unit)
}

/// Checks the tree of the statements in a function's body.
fn check_body(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let shown = tree(&format!("typedef int T; void f(void) {{ {text} }}"));
        let body = shown.split_once('{').expect("the function has a body").1;
        assert_eq!(body.strip_suffix("}\n").expect("the body is closed"), *expected, "{text}");
    }
}

fn check_file(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(tree(text), *expected, "{text}");
    }
}

#[test]
fn operators_and_their_precedence() {
    check_body(&[
        ("a + b * c - d;", "((a + (b * c)) - d);"),
        ("a << 1 < b == c;", "(((a << 1) < b) == c);"),
        ("a & b == c;", "(a & (b == c));"),
        ("a | b ^ c & d;", "(a | (b ^ (c & d)));"),
        ("a || b && c;", "(a || (b && c));"),
        ("a = b = c ? d : e ? g : h;", "(a = (b = (c ? d : (e ? g : h))));"),
        ("a += b, c -= d, e;", "((a += b), (c -= d), e);"),
        ("a ?: b;", "(a ?: b);"),
        ("a ? b, c : d;", "(a ? (b, c) : d);"),
        ("-a++ + ~*&b - !c--;", "(((-(a++)) + (~(*(&b)))) - (!(c--)));"),
        ("++a, --b;", "((++a), (--b));"),
        ("a.b->c[d](e, g)[1];", "a.b->c[d](e, g)[1];"),
        ("(a)(b);", "a(b);"),
        ("__real__ a + __imag__ b;", "((__real__a) + (__imag__b));"),
        ("__extension__ a;", "a;"),
        ("a - - b;", "(a - (-b));"),
    ]);
}

#[test]
fn casts_and_types_in_expressions() {
    check_body(&[
        ("(T) a;", "(T)a;"),
        ("(a) + b;", "(a + b);"),
        ("(T) + b;", "(T)(+b);"),
        ("(T)(int *)a;", "(T)(pointer int)a;"),
        ("(T){1}.x;", "(T){1}.x;"),
        ("&(struct s){.a = 1};", "(&(struct s){.a = 1});"),
        ("sizeof a + 1;", "(sizeof(a) + 1);"),
        ("sizeof (T) + 1;", "(sizeof[T] + 1);"),
        ("sizeof (T){1};", "sizeof((T){1});"),
        ("sizeof (a)[1];", "sizeof(a[1]);"),
        ("sizeof -a;", "sizeof((-a));"),
        ("sizeof sizeof a;", "sizeof(sizeof(a));"),
        ("_Alignof(T), __alignof__ a;", "(_Alignof[T], __alignof__(a));"),
        ("__builtin_va_arg(a, char *);", "va_arg(a, pointer char);"),
        ("__builtin_offsetof(struct s, a.b[2].c);", "offsetof(struct s, .a.b[2].c);"),
        ("__builtin_types_compatible_p(int, T *);", "types_compatible(int, pointer T);"),
        ("__builtin_choose_expr(1, a, b);", "choose(1, a, b);"),
        ("_Generic(a, int: 1, T *: 2, default: 3);", "_Generic(a, int: 1, pointer T: 2, default: 3);"),
        ("__func__;", "__func__;"),
        ("&&out;", "&&out;"),
        ("({ int a; a; });", "({a: int a;});"),
        ("(int (*)(T, ...))a;", "(pointer function(T, ...) int)a;"),
        ("(int (*[3])())a;", "(array 3 pointer function() int)a;"),
        ("(T (T))a;", "(function(T) T)a;"),
        ("(typeof(a) *)b;", "(pointer typeof(a))b;"),
        ("(__typeof__(T))b;", "(typeof[T])b;"),
    ]);
}

#[test]
fn literals() {
    check_body(&[
        ("42u; 0x10UL; 3ll; 0b11; 2i;", "42u; 0x10ul; 3ll; 0x3; 2i;"),
        ("1.5f; 2.0L; 0x1p4; 1e3; 2.5i;", "1.5f; 2.0l; 16.0; 1000.0; 2.5i;"),
        ("'a'; '\\n'; 'ab'; L'x'; u'y'; '\\377';", "'97'; '10'; '24930'; L'120'; u'121'; '-1';"),
        ("\"ab\" \"c\"; L\"x\" \"y\"; u8\"z\"; \"\\x41\" \"1\";", "\"abc\"; L\"xy\"; u8\"z\"; \"A1\";"),
    ]);
}

#[test]
fn declarators_read_from_the_name_outward() {
    check_file(&[
        ("int *a[3];", "a: array 3 pointer int\n"),
        ("int (*a)[3];", "a: pointer array 3 int\n"),
        ("int *(*f)(int x, char *);", "f: pointer function(x: int, pointer char) pointer int\n"),
        ("int (*(*f[2])(void))[3];", "f: array 2 pointer function(void) pointer array 3 int\n"),
        ("char *const *volatile p;", "p: volatile pointer const pointer char\n"),
        ("int a[], b[*], c[static const 5];", "a: array int\nb: array * int\nc: array static const 5 int\n"),
        (
            "void (*signal(int sig, void (*func)(int)))(int);",
            "signal: function(sig: int, func: pointer function(int) void) pointer function(int) void\n",
        ),
        ("int f(), g(void);", "f: function() int\ng: function(void) int\n"),
        ("int * __attribute__((unused)) * restrict p;", "p: restrict pointer pointer int\n"),
        ("int (__attribute__((cdecl)) *p)(int);", "p: pointer function(int) int\n"),
        ("int f(int (__attribute__((cdecl)) *)(int));", "f: function(pointer function(int) int) int\n"),
    ]);
}

#[test]
fn specifiers_reduce_to_one_type() {
    check_file(&[
        ("long unsigned int long a;", "a: unsigned long long\n"),
        ("int short unsigned a; signed b; char signed c;", "a: unsigned short\nb: int\nc: signed char\n"),
        (
            "long double a; double long _Complex b; _Complex c;",
            "a: long double\nb: _Complex long double\nc: _Complex double\n",
        ),
        (
            "unsigned __int128 a; __int128_t b; _Float64x c; _Complex _Float32 d;",
            "a: unsigned __int128\nb: __int128\nc: _Float64x\nd: _Complex _Float32\n",
        ),
        ("typedef float _Float32; _Float32 a;", "typedef _Float32: float\na: _Float32\n"),
        ("static const int a; int volatile extern b;", "static a: const int\nextern b: volatile int\n"),
        (
            "_Atomic int a; _Atomic(int *) b; int *_Atomic c;",
            "a: _Atomic int\nb: _Atomic(pointer int)\nc: _Atomic pointer int\n",
        ),
        ("static __thread int a; _Thread_local extern int b;", "static thread a: int\nextern thread b: int\n"),
        ("static inline _Noreturn void f(void);", "static inline noreturn f: function(void) void\n"),
        ("_Alignas(16) int a; _Alignas(double) char b;", "_Alignas(16) a: int\n_Alignas[double] b: char\n"),
        ("__auto_type a = 1;", "a: auto = 1\n"),
        ("__builtin_va_list a;", "a: va_list\n"),
        ("__extension__ typedef struct { int q; } d_t;", "typedef d_t: struct{q: int}\n"),
        ("x; y[2], z = 1;", "x: implicit\ny: array 2 implicit\nz: implicit = 1\n"),
        ("static a; main() { return 0; }", "static a: implicit\nmain: function() implicit {return 0;}\n"),
    ]);
}

#[test]
fn records_and_enums() {
    check_file(&[
        ("struct s;", "struct s\n"),
        ("struct s { int a, *b; struct { int c; }; } x;", "x: struct s{a: int, b: pointer int, struct{c: int}}\n"),
        (
            "union u { unsigned a : 3, : 2, b : 1; };",
            "union u{a: unsigned int : 3, : unsigned int : 2, b: unsigned int : 1}\n",
        ),
        ("enum e { A, B = 2, C, } x;", "x: enum e{A, B = 2, C}\n"),
        ("enum e : short { A };", "enum e : short{A}\n"),
        (
            "struct __attribute__((packed)) s { int a __attribute__((aligned(8))); } __attribute__((__aligned__));",
            "struct s{a: int @aligned(8)} @packed @aligned\n",
        ),
        (
            "struct s { enum e f : 3; _Static_assert(1, \"m\"); int last; };",
            "struct s{f: enum e : 3, static_assert 1, last: int}\n",
        ),
        (
            "#pragma pack(push, 1)\nstruct s { int a; };\n#pragma pack(pop)\nstruct t { int a; };",
            "struct s{a: int} @pack(1)\nstruct t{a: int}\n",
        ),
        ("typedef int T; struct s { T T; T : 3; };", "typedef T: int\nstruct s{T: T, : T : 3}\n"),
        ("struct s { int a; int b };", "struct s{a: int, b: int}\n"),
    ]);
}

#[test]
fn attributes_and_asm_labels() {
    check_file(&[
        ("void f(void) __attribute__((noreturn, nothrow)) ;", "f: function(void) void @noreturn\n"),
        ("[[noreturn]] void f(void); [[gnu::packed]] int x;", "f: function(void) void @@noreturn\nx: int @@packed\n"),
        ("int f(void) __asm__(\"\" \"g\") __attribute__((weak));", "f: function(void) int @weak asm(g)\n"),
        ("int x __attribute__((cleanup(done)));", "x: int @cleanup(done)\n"),
        ("typedef int di __attribute__((__mode__(__DI__)));", "typedef di: int @mode(DI)\n"),
        ("typedef float v4 __attribute__((vector_size(16)));", "typedef v4: float @vector_size(16)\n"),
        (
            "void f(void) __attribute__((constructor(101), format(printf, 1, 2), const));",
            "f: function(void) void @constructor(101)\n",
        ),
        ("int x __attribute__((address_space(256)));", "x: int @unmodelled(address_space)\n"),
        ("extern int y __attribute__((alias(\"x\")));", "extern y: int @alias(x)\n"),
        ("asm(\"nop\");", "asm \"nop\"\n"),
    ]);
}

#[test]
fn initializers() {
    check_file(&[
        ("int a[] = {1, 2,};", "a: array int = {1, 2}\n"),
        ("struct s x = {.a = 1, .b[2].c = {3}};", "x: struct s = {.a = 1, .b[2].c = {3}}\n"),
        ("int a[] = {[0 ... 3] = 1, [4] 2};", "a: array int = {[0 ... 3] = 1, [4] = 2}\n"),
        ("struct s x = {a: 1, b: 2};", "x: struct s = {.a = 1, .b = 2}\n"),
        ("int a = {}, b = (1, 2);", "a: int = {}\nb: int = (1, 2)\n"),
    ]);
}

#[test]
fn functions() {
    check_file(&[
        ("int f(int a) { return a; }", "f: function(a: int) int {return a;}\n"),
        (
            "int f(a, b) int a; char *b; { return a; }",
            "f: function(a, b) int [a: int\nb: pointer char\n] {return a;}\n",
        ),
        ("f(a) { return a; }", "f: function(a) implicit {return a;}\n"),
        (
            "void f(void) { int g(int x) { return x; } g(1); }",
            "f: function(void) void {g: function(x: int) int {return x;} g(1);}\n",
        ),
        ("int (*f(int a))(int b) { return a; }", "f: function(a: int) pointer function(b: int) int {return a;}\n"),
    ]);
}

#[test]
fn typedef_names_follow_scopes() {
    check_file(&[
        (
            "typedef int T; void f(void) { T * a; { int T = 1; T * a; } T * b; }",
            "typedef T: int\nf: function(void) void {a: pointer T {T: int = 1 (T * a);} b: pointer T}\n",
        ),
        ("typedef int T; void f(int T) { T * 2; }", "typedef T: int\nf: function(T: int) void {(T * 2);}\n"),
        (
            "typedef int T; void f(void) { enum { T }; T * 2; }",
            "typedef T: int\nf: function(void) void {enum{T} (T * 2);}\n",
        ),
        ("typedef int T; void f(void) { T T; T = 1; }", "typedef T: int\nf: function(void) void {T: T (T = 1);}\n"),
        (
            "typedef int T; void f(void) { for (int T = 0; T < 1; T++) T * 2; T * b; }",
            "typedef T: int\nf: function(void) void {for (T: int = 0; (T < 1); (T++)) (T * 2); b: pointer T}\n",
        ),
        ("typedef int T; void f(void) { T: goto T; }", "typedef T: int\nf: function(void) void {T: goto T;}\n"),
        (
            "typedef int T; T f(T (T)); T g(T T), h(T);",
            "typedef T: int\nf: function(function(T) T) T\ng: function(T: T) T\nh: function(T) T\n",
        ),
        ("void f(void) { typedef int U; U x; } int U;", "f: function(void) void {typedef U: int x: U}\nU: int\n"),
        (
            "typedef int T; int f(int T, int (*g)(T)) { return T; }",
            "typedef T: int\nf: function(T: int, g: pointer function(T) int) int {return T;}\n",
        ),
    ]);
}

#[test]
fn statements() {
    check_body(&[
        (";", ";"),
        ("if (a) b; else if (c) d; else e;", "if (a) b; else if (c) d; else e;"),
        ("if (a) if (b) c; else d;", "if (a) if (b) c; else d;"),
        ("while (a) b;", "while (a) b;"),
        ("do a; while (b);", "do a; while (b);"),
        ("for (;;) a;", "for (; ; ) a;"),
        ("for (int i = 0, j; i < 3; i++) a;", "for (i: int = 0 j: int; (i < 3); (i++)) a;"),
        ("for (a = 1; b; c) {}", "for ((a = 1); b; c) {}"),
        (
            "switch (a) { case 1: case 2 ... 4: b; break; default: c; }",
            "switch (a) {case 1: case 2 ... 4: b; break; default: c;}",
        ),
        ("out: a; goto out; goto *b;", "out: a; goto out; goto *b;"),
        ("l: int x; x;", "l: ; x: int x;"),
        ("{ l: }", "{l: ;}"),
        ("l: __attribute__((unused)); a;", "l: ; a;"),
        ("switch (a) { case 1: a; __attribute__((fallthrough)); case 2: ; }", "switch (a) {case 1: a; ; case 2: ;}"),
        ("return; return a, b; continue; break;", "return; return (a, b); continue; break;"),
        ("__label__ x, y; x: y: a;", "__label__ x, y; x: y: a;"),
        ("_Static_assert(1, \"m\"); static int x;", "static_assert 1 static x: int"),
        ("__extension__ int x; __extension__ x = 1;", "x: int (x = 1);"),
        ("__attribute__((unused)) int x;", "x: int"),
        ("asm volatile (\"mfence\" ::: \"memory\");", "asm volatile \"mfence\" : : : memory;"),
        ("asm(\"x\" : [o] \"=r\"(a), \"+m\"(b) : \"r\"(c));", "asm \"x\" : [o]=r(a) +m(b) : r(c) :;"),
        ("asm goto (\"j\" :::: l);", "asm goto \"j\" : : : : l;"),
    ]);
}

#[test]
fn places_span_the_expression() {
    let (unit, problems) = parse_text(b"int f(int a) {\n  return a + (a * 2);\n}\n");
    assert!(problems.is_empty());
    let crate::c::ast::ExternalDeclaration::Function(function) = &unit.items[0] else { panic!("a function") };
    let crate::c::ast::StmtKind::Return(Some(value)) = &function.body.items[0].kind else { panic!("a return") };
    assert_eq!((value.span.line, value.span.column, value.span.end_column), (2, 10, 21));
    let statement = function.body.items[0].span;
    assert_eq!((statement.column, statement.end_column), (3, 22));
    assert_eq!((function.body.end.line, function.declarator.span.column), (3, 5));
}
