//! Any input ends in a tree or in diagnostics: deep nesting, long chains, noise, and programs cut or changed anywhere.

use super::{parse_text, tree};
use logic::Prng;

/// A program that uses most of the syntax, as a basis for damage.
const PROGRAM: &str = r#"
# 1 "prog.c"
typedef unsigned long size_t; typedef struct node { struct node *next; int a : 3, b[2]; } node_t;
extern int printf(const char *restrict fmt, ...) __attribute__((format(printf, 1, 2)));
static _Atomic int counter = 0; enum color { RED, GREEN = 2 };
static inline int add(int a, int b) { return a + b; }
int old(a, b) int a; char *b; { return a ?: *b; }
#pragma pack(push, 1)
union u { float f; double d; long long l[sizeof(int)]; };
#pragma pack(pop)
void *work(void *arg) {
  node_t n = { .next = (void *)0, .a = 1, .b = {[0 ... 1] = 2} };
  for (int i = 0; i < 10 && n.a != 'x'; i++) { if (i % 2) continue; else if (i == 7) break; else n.b[1] += i; }
  switch (n.a) { case 0: case 1 ... 3: goto out; default: do { --n.a; } while (n.a > 0); }
  int v = ({ int t = add(1, 2u); t << 1; }), *p = &(int){3};
  asm volatile ("lock; addl %1,%0" : "+m"(counter) : "r"(v) : "memory", "cc");
  char *s = "a\x41" "b"; double d = 0x1.8p3 + 1e-3f; (void)_Generic(d, double: s, default: p);
out: __attribute__((unused));
  while (n.next) n = *n.next; return __builtin_offsetof(node_t, b[1]) ? (void *)&&out : arg;
}
_Static_assert(sizeof(int) == 4, "int");
"#;

#[test]
fn the_program_is_sound() {
    assert!(tree(PROGRAM).contains("work: function(arg: pointer void) pointer void"));
}

#[test]
fn truncated_anywhere() {
    for end in 0..PROGRAM.len() {
        parse_text(&PROGRAM.as_bytes()[..end]);
    }
}

#[test]
fn tokens_removed_doubled_and_swapped() {
    let words: Vec<&str> = PROGRAM.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
    let mut random = Prng::new(1);
    for _ in 0..700 {
        let mut damaged = words.clone();
        for _ in 0..=random.index(4) {
            let (at, other) = (random.index(damaged.len()), random.index(damaged.len()));
            match random.index(3) {
                0 => drop(damaged.remove(at)),
                1 => damaged.insert(at, words[other % words.len()]),
                _ => damaged.swap(at, other),
            }
        }
        parse_text(damaged.concat().as_bytes());
    }
}

#[test]
fn bytes_changed() {
    let mut random = Prng::new(2);
    for _ in 0..700 {
        let mut damaged = PROGRAM.as_bytes().to_vec();
        for _ in 0..=random.index(6) {
            let at = random.index(damaged.len());
            damaged[at] = random.index(256) as u8;
        }
        parse_text(&damaged);
    }
}

#[test]
fn noise_and_nothing() {
    assert!(parse_text(b"").1.is_empty());
    assert!(parse_text(b" \n\n// only a comment").1.is_empty());
    let mut random = Prng::new(3);
    for length in [1, 10, 1000, 100_000] {
        let noise: Vec<u8> = (0..length).map(|_| random.index(256) as u8).collect();
        parse_text(&noise);
    }
    assert!(!parse_text(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0").1.is_empty());
}

/// `before` and `after` repeated around `middle`, within a function if `in_function`.
fn nest(before: &str, middle: &str, after: &str, n: usize) -> String {
    before.repeat(n) + middle + &after.repeat(n)
}

#[test]
fn deep_nesting_is_refused_in_words() {
    const N: usize = 10_000;
    for text in [
        format!("int x = {};", nest("(", "1", ")", N)),
        format!("int x = {};", "(".repeat(N)),
        format!("int x = {};", nest("{", "1", "}", N)),
        format!("int x = {};", nest("a[", "1", "]", N)),
        format!("int x = {};", nest("f(", "1", ")", N)),
        format!("int x = {};", nest("- ", "1", "", N)),
        format!("int x = {};", nest("sizeof ", "1", "", N)),
        format!("int x = {};", nest("(int)", "1", "", N)),
        format!("int x = {};", nest("a = ", "1", "", N)),
        format!("int x = {};", nest("a ? ", "1", " : 2", N)),
        format!("int x = {};", nest("a ? 1 : ", "1", "", N)),
        format!("int x = {};", nest("1 + ", "1", "", N)),
        format!("int x = a{};", "[1]".repeat(N)),
        format!("int x = {};", nest("(int (*)[", "1", "])0", N)),
        format!("int x = {};", nest("({ ", "1;", " })", N)),
        format!("int {} x;", "*".repeat(N)),
        format!("int {};", nest("(", "x", ")", N)),
        format!("int x{};", "[1]".repeat(N)),
        format!("int x{};", nest("(int (*)", "", ")", N)),
        format!("void f(void) {{ {} }}", nest("{", ";", "}", N)),
        format!("void f(void) {{ {} }}", nest("if (1) ", ";", "", N)),
        format!("void f(void) {{ {} }}", nest("while (1) ", ";", "", N)),
        format!("void f(void) {{ {} }}", nest("if (1) ; else ", ";", "", N)),
        format!("void f(void) {{ {} }}", nest("case 1: ", ";", "", N)),
        format!("void f(void) {{ {} }}", nest("int g(void) { ", ";", "}", N)),
        nest("struct { ", "int x;", "} y;", N),
        nest("typeof(", "int", ")", N) + " x;",
        nest("int f(", "int x", ")", N) + ";",
        format!("int x __attribute__((aligned({})));", nest("(", "1", ")", N)),
    ] {
        let (_, problems) = parse_text(text.as_bytes());
        assert_eq!(problems.len(), 1, "{}... {problems:?}", &text[..60]);
    }
}

#[test]
fn what_people_write_is_not_too_deep() {
    for text in [
        format!("int x = {};", nest("(", "1", ")", 400)),
        format!("int x = {};", nest("1 + ", "1", "", 1900)),
        format!("int x = {};", nest("a ? 1 : ", "1", "", 1900)),
        format!("int x[] = {{ {} }};", "1 + 2, ".repeat(100_000)),
        format!("int {} x;", "a, ".repeat(100_000)),
        format!("void f(void) {{ g({} 1); }}", "1 + 2, ".repeat(100_000)),
        format!("void f(void) {{ {} 1; }}", "x = 1 + 2, ".repeat(100_000)),
        format!("void f(void) {{ {} }}", "x = 1 + 2;".repeat(100_000)),
        format!("void f(void) {{ {} ; }}", "if (a + b) ; else ".repeat(1900)),
        format!("void f(void) {{ switch (a) {{ {} ; }} }}", "case 1: ".repeat(1900)),
        format!("char *s = {};", "\"a\" ".repeat(100_000)),
    ] {
        let (_, problems) = parse_text(text.as_bytes());
        assert!(problems.is_empty(), "{}... {problems:?}", &text[..60]);
    }
}

#[test]
fn the_deepest_trees_can_be_dropped_on_a_small_stack() {
    for text in [
        format!("int x = {};", nest("(", &nest("- ", &nest("1 + ", "1", "", 1900), "", 1900), ")", 950)),
        format!("int x = {};", nest("({ ", &(nest("1 + ", "1", "", 3900) + ";"), "; })", 300)),
        format!("void f(void) {{ {} }}", nest("if (1) { ", &nest("if (1) ; else ", ";", "", 3900), "}", 450)),
        format!("int x = {};", nest("{", &nest("a[", "1", "]", 450), "}", 450)),
    ] {
        let (unit, problems) = parse_text(text.as_bytes());
        assert!(problems.is_empty(), "{}... {problems:?}", &text[..60]);
        assert_eq!(unit.items.len(), 1);
    }
}

#[test]
fn a_line_of_megabytes_is_no_problem() {
    let text = format!("void f(void) {{ {} }}", "x += 12345; ".repeat(200_000));
    assert!(parse_text(text.as_bytes()).1.is_empty());
}
