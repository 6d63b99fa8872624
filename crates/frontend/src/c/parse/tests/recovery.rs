//! Problems are reported where they are, in words that help, and the rest of the file is still parsed.

use ir::{Severity, Sources};

use super::{Originals, parse, parse_text, print};

/// Checks `line:column message` of each problem, by its beginning.
fn check(text: &str, expected: &[&str]) {
    let (_, problems) = parse_text(text.as_bytes());
    let shown: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}:{} {}", problem.span.line, problem.span.column, problem.message))
        .collect();
    assert_eq!(shown.len(), expected.len(), "{text}\n{shown:#?}");
    for (shown, expected) in shown.iter().zip(expected) {
        assert!(shown.starts_with(expected), "{text}\n{shown}\n{expected}");
    }
    assert!(problems.iter().all(|problem| problem.severity == Severity::Error && problem.note.is_some()), "{text}");
}

#[test]
fn messages() {
    for (text, expected) in [
        ("int x", "1:6 expected `;` after the declaration, found the end of the file"),
        ("int f(void) { x = 1\n y = 2; }", "1:20 expected `;` after the expression, found `y`"),
        ("int f(void) { return (1; }", "1:24 expected `)` to close the parenthesis, found `;`"),
        ("int f(void) { if x; }", "1:18 expected `(` after `if`, found `x`"),
        ("int f(void) { x = ; }", "1:19 expected an expression, found `;`"),
        ("typedef int T; int f(void) { return T; }", "1:37 expected an expression, found the type name `T`"),
        ("foo_t x;", "1:1 `foo_t` is not a known type"),
        ("foo_t *x;", "1:1 expected a declaration or a function, found `foo_t`"),
        ("int f(foo_t x);", "1:7 `foo_t` is not a known type"),
        ("int f(foo_t *x);", "1:7 `foo_t` is not a known type"),
        ("struct s { foo_t *x; };", "1:12 `foo_t` is not a known type"),
        ("void f(void) { foo_t x; }", "1:16 `foo_t` is not a known type"),
        ("int long short x;", "1:1 these words do not make a type together"),
        ("int double x;", "1:1 these words do not make a type together"),
        ("struct s int x;", "1:10 a second type in one declaration"),
        ("static extern int x;", "1:8 more than one storage class"),
        ("struct { int a; ", "1:8 this `{` is never closed"),
        ("int f(void) { ", "1:13 this `{` is never closed"),
        ("int f(void) { } }", "1:17 this `}` closes nothing"),
        ("int x = 09;", "1:9 digit `9` in `09` is not of base 8"),
        ("int x = '';", "1:9 this character constant is empty"),
        ("int x = '\\xfff';", "1:9 escape with value 0xfff"),
        ("int *x = L\"a\" u\"b\";", "1:15 adjacent string literals have different prefixes"),
        ("int a[3;", "1:8 expected `]` after the array's size, found `;`"),
        ("int f(void) { else; }", "1:15 expected a statement, found the keyword `else`"),
        ("int f(void) { if (1) int x; }", "1:22 expected a statement, found the keyword `int`"),
        ("int f(void) { do x; }", "1:21 expected `while` after the body of `do`"),
        ("int f(void) { goto 1; }", "1:20 expected a label, found the number `1`"),
        ("struct s { int if; };", "1:16 expected a name or `(`, found the keyword `if`"),
        ("enum { A B };", "1:10 expected `}` after the constants of the enum, found `B`"),
        ("int x = {1, 2;", "1:14 expected `}` or `,` in the list of initialisers, found `;`"),
        ("int f(int n; int a[n]);", "1:12 parameters declared ahead of the list"),
        ("typedef int F(void); F f { }", "1:26 expected `;` after the declaration, found `{`"),
        ("int f(foo_t a); int g(foo_t *b);", "1:7 `foo_t` is not a known type"),
        ("struct s { static int a; };", "1:12 a member cannot have a storage class"),
        ("12;", "1:1 expected a declaration or a function, found the number `12`"),
        ("int x __attribute__((aligned(8);", "1:32 expected `,` between attributes, found `;`"),
    ] {
        check(text, &[expected]);
    }
}

#[test]
fn several_problems_in_one_run() {
    check(
        "int a = ;\nint f(void) {\n  int x = (;\n  y = 1;\n  z z z;\n}\nint b\nint c;\nint g(void) { return 1 }\n",
        &[
            "1:9 expected an expression",
            "3:12 expected an expression",
            "5:3 `z` is not a known type",
            "5:7 expected `;` after the declaration",
            "7:6 expected `;` after the declaration",
            "9:24 expected `;` after `return`",
        ],
    );
}

#[test]
fn what_is_sound_is_kept() {
    let (unit, problems) = parse_text(b"int a;\nint b = ;\nvoid f(void) { x = ; y = 1; }\nint c;\n");
    assert_eq!(problems.len(), 2);
    assert_eq!(print::unit(&unit), "a: int\nf: function(void) void {(y = 1);}\nc: int\n");
}

#[test]
fn typedefs_survive_an_error_inside_a_scope() {
    let text = b"typedef int T;\nvoid f(void) { int T; { int T = (; } }\nT x;\n";
    let (unit, problems) = parse_text(text);
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(print::unit(&unit).ends_with("x: T\n"));
}

#[test]
fn the_number_of_reports_is_bounded() {
    let text = "int x = ;\n".repeat(1000);
    let (_, problems) = parse_text(text.as_bytes());
    assert_eq!(problems.len(), crate::c::lex::DIAGNOSTIC_LIMIT);
}

#[test]
fn problems_are_placed_in_the_original_file() {
    let mut originals = Originals::default();
    originals.insert("main.c", b"#include \"a.h\"\n#define N 3\nint x =   N +;\n");
    let mut sources = Sources::default();
    let text = b"# 1 \"main.c\"\n# 1 \"a.h\" 1\nint y;\n# 2 \"main.c\" 2\n\nint x = 3 +;\n";
    let (_, problems) = parse(&mut sources, "main.i", text, &originals);
    assert_eq!(problems.len(), 1);
    let span = problems[0].span;
    assert_eq!((sources.path(span), span.line, span.column), ("main.c", 3, 14));
    assert_eq!(sources.line(span), Some("int x =   N +;"));
}
