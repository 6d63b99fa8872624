//! What is not supported is refused by name at its place, and only where an execution gets to it.

use crate::{DECLARATIONS, compile, compile_for, correctness, explore};
use frontend::Options;
use frontend::c::load_text;
use ir::DataModel;
use ir::interp::{RunEnd, run_random};

/// The program must warn with this text at this line, and running into it leaves the model.
fn refuses(line: u32, message: &str, text: &str) {
    let loaded = compile(text);
    let found = loaded.warnings.iter().find(|warning| warning.message.contains(message) && warning.span.line == line);
    assert!(found.is_some(), "{text}\n{:#?}", loaded.warnings);
    let report = run_random(&loaded.program, correctness(), 1, 1000);
    assert!(matches!(report.outcome, RunEnd::Beyond(_)), "{text}\n{:?}", report.outcome);
}

/// Forms of known instructions that mean something else, or that another machine reads in another way.
#[test]
fn assembly_that_is_not_what_it_looks_like() {
    for (template, operands) in [
        ("rep movsb", ": \"+r\"(a)"),
        ("sync 1", "::: \"memory\""),
        ("dmb nsh", "::: \"memory\""),
        ("stadd %w0, [%1]", ":: \"r\"(a), \"r\"(p)"),
        ("ldaddal %w0, wzr, [%1]", ":: \"r\"(a), \"r\"(p)"),
        ("mov %w0, %w1", ": \"+r\"(a), \"+r\"(b)"),
        ("movb %h1, %0", ": \"=q\"(a) : \"Q\"(b)"),
        ("movl $010, %0", ": \"=r\"(a)"),
        ("nop # ; movl $5, %0", ": \"=r\"(a)"),
        ("xaddl %0, %1", ": \"+r\"(a), \"+m\"(b)"),
        ("1: lwarx %0, 0, %1; add %0, %0, 1; stwcx. %0, 0, %1; bne- 1b", ": \"=&r\"(a) : \"r\"(p)"),
        (
            "1: ldxr %w0, [%3]; add %w2, %w2, #1; stxr %w1, %w2, [%3]; cbnz %w1, 1b",
            ": \"=&r\"(a), \"=&r\"(b), \"+r\"(c) : \"r\"(p)",
        ),
        ("1: ldaxr %w0, [%2]; stlxr %w1, %w0, [%2]; cbnz %w1, 1b", ": \"=&r\"(a), \"=&r\"(b) : \"r\"(p)"),
    ] {
        let text = format!(
            "int main(void) {{ int a = 0, b = 0, c = 0, *p = &b; __asm__ volatile(\"{template}\" {operands}); return a + c; }}"
        );
        refuses(1, "inline assembly", &text);
    }
}

#[test]
fn constructs_by_name() {
    refuses(2, "`mystery`", "int mystery(int);\nint main(void) { return mystery(1); }");
    refuses(1, "inline assembly `xchg", "int main(void) { int a; __asm__ (\"xchg %0, %1\" : \"=r\"(a)); return 0; }");
    refuses(
        1,
        "among variable arguments",
        "int f(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); return 0; } struct s { int a; }; int main(void) { struct s x = { 1 }; return f(1, x); }",
    );
    refuses(1, "third parameter", "int main(int argc, char **argv, char **env) { return env[0][0]; }");
    refuses(1, "wide characters", "int main(void) { int n[1]; printf(\"%ls\", n); return 0; }");
    refuses(1, "fewer arguments", "int main(void) { printf(\"%s\"); return 0; }");
    refuses(
        1,
        "`%f`",
        "int sprintf(char *, const char *, ...); int main(int n) { char b[64]; sprintf(b, \"%f\", n * 0.5); return 0; }",
    );
}

#[test]
fn what_is_not_reached_does_not_matter() {
    let text = "int mystery(int); int never(void) { return mystery(1); } static int broken(void) { return undeclared; }
        int main(void) { if (0) mystery(2); return 0; mystery(3); }";
    let loaded = compile(text);
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    let guarded = "int mystery(void); int main(void) { int x = 0; if (x) mystery(); return 0; }";
    let report = run_random(&compile(guarded).program, correctness(), 1, 100);
    assert!(matches!(report.outcome, RunEnd::Ended(_)), "{:?}", report.outcome);
}

#[test]
fn errors_in_reachable_functions_reject_the_program() {
    let text = "static int broken(void) { return undeclared; } int main(void) { return broken(); }";
    let rejected = compile_for(DataModel::Lp64, text).expect_err("an undeclared name");
    assert!(rejected.diagnostics.iter().any(|problem| problem.message.contains("undeclared")), "{rejected:?}");
    let rejected = compile_for(DataModel::Lp64, "int f(void) { return 0; }").expect_err("nothing to start with");
    assert!(rejected.diagnostics[0].message.contains("`main`"), "{rejected:?}");
}

#[test]
fn pure_functions_return_anything() {
    let text =
        format!("{DECLARATIONS}_Bool mystery(int); int main(void) {{ if (mystery(1)) reach_error(); return 0; }}");
    let options = Options { assume_pure: vec!["mystery".to_string()], ..Options::default() };
    let loaded = load_text("program.c", &text, &options).expect("it is well formed");
    let limits = ir::interp::Limits::default();
    let found = ir::interp::enumerate(&loaded.program, correctness(), &limits);
    assert!(found.violations.contains_key(&ir::Property::ErrorCall));
}

#[test]
fn what_is_assumed_is_told() {
    let text = format!(
        "{DECLARATIONS}_Bool mystery(int); int unused(void) {{ return calloc(1, 1) == 0; }} int main(void) {{ return mystery(1) && malloc(1) == malloc(2); }}"
    );
    let mut options = Options { assume_pure: vec!["mystery".to_string()], ..Options::default() };
    let told =
        |options: &Options| load_text("program.c", &text, options).expect("it is well formed").program.assumptions;
    let pure = "`mystery` has no effect and returns any value (--assume-pure)";
    assert_eq!(told(&options), ["malloc succeeds (--fallible lets calls fail)", pure]);
    options.fallible = true;
    assert_eq!(told(&options), [pure]);
}

#[test]
fn what_posix_leaves_open_is_told() {
    const HANDLES: &str = "a new thread gets a handle that no thread had before";
    const READERS: &str = "a read lock is given although a writer waits (POSIX leaves it open)";
    let start = "pthread_t a, b; pthread_create(&a, 0, 0, 0); pthread_create(&b, 0, 0, 0);";
    let lock = "static long l[8]; pthread_rwlock_rdlock((void *)l);";
    for (body, told) in [
        (format!("{start} pthread_join(a, 0); return pthread_equal(a, b);"), Some(HANDLES)),
        (format!("{start} pthread_join(a, 0); return a == b;"), Some(HANDLES)),
        (format!("{start} return a == b;"), None),
        (format!("{lock} pthread_rwlock_wrlock((void *)l); return 0;"), Some(READERS)),
        (format!("{lock} return 0;"), None),
    ] {
        let text = format!(
            "typedef unsigned long pthread_t; int pthread_create(pthread_t *, void *, void *, void *); int pthread_join(pthread_t, void *);
            int pthread_equal(pthread_t, pthread_t); int pthread_rwlock_rdlock(void *); int pthread_rwlock_wrlock(void *);
            int main(void) {{ {body} }}"
        );
        let properties = ir::Properties::of(&[ir::Property::Deadlock]);
        let options = Options { properties, ..Options::default() };
        let loaded = load_text("program.c", &text, &options).expect("it is well formed");
        let open = |told: &&String| [HANDLES, READERS].contains(&told.as_str());
        let found: Vec<&String> = loaded.program.assumptions.iter().filter(open).collect();
        assert_eq!(found, told.into_iter().collect::<Vec<_>>(), "{body}");
    }
}

#[test]
fn only_functions_without_a_meaning_are_assumed_pure() {
    let text = format!(
        "{DECLARATIONS}int mystery(void); unsigned long strlen(const char *); int own(void) {{ return 1; }}
         int main(void) {{ printf(\"x\"); return own() + mystery() + (int)strlen(\"x\"); }}"
    );
    for (name, problem) in
        [("mystry", "does not mention"), ("own", "a body"), ("strlen", "modelled"), ("printf", "modelled")]
    {
        let options = Options { assume_pure: vec!["mystery".to_string(), name.to_string()], ..Options::default() };
        let rejected = load_text("program.c", &text, &options).expect_err("it cannot be pure");
        assert!(rejected.diagnostics[0].message.contains(problem), "{name}: {rejected:?}");
        assert_eq!(rejected.diagnostics.len(), 1);
    }
}

#[test]
fn what_can_fail_fails_if_asked() {
    let program = |call: &str, declarations: &str| {
        format!("{DECLARATIONS}{declarations} int main(void) {{ if ({call}) reach_error(); return 0; }}")
    };
    for (call, declarations) in [
        ("!malloc(1)", ""),
        ("!strdup(\"x\")", "char *strdup(const char *);"),
        ("sem_init(&s, 0, 0)", "sem_t s;"),
        ("mtx_init(&m, 0) != 0", "long m[5]; int mtx_init(long *, int);"),
        ("pthread_create(&t, 0, run, 0)", "pthread_t t; void *run(void *arg) { return arg; }"),
    ] {
        let text = program(call, declarations);
        let domain = ir::interp::Domain::Values(vec![0, 1]);
        let limits = ir::interp::Limits { domain, ..ir::interp::Limits::default() };
        let options = Options { fallible: true, ..Options::default() };
        let loaded = load_text("program.c", &text, &options).expect("it is well formed");
        let found = ir::interp::enumerate(&loaded.program, correctness(), &limits);
        assert!(found.violations.contains_key(&ir::Property::ErrorCall), "{call}");
        let loaded = load_text("program.c", &text, &Options::default()).expect("it is well formed");
        let found = ir::interp::enumerate(&loaded.program, correctness(), &limits);
        assert!(found.violations.is_empty(), "{call}");
    }
}

#[test]
fn a_function_unlike_the_librarys_is_not_modelled() {
    refuses(2, "`send`", "int send(int channel);\nint main(void) { return send(1); }");
    refuses(2, "`index`", "int index(int row, int column);\nint main(void) { return index(1, 2); }");
}

#[test]
fn another_entry_function() {
    let options = Options { entries: vec!["start".to_string()], ..Options::default() };
    let text = format!("{DECLARATIONS}int start(void) {{ reach_error(); return 0; }}");
    let loaded = load_text("program.c", &text, &options).expect("it is well formed");
    let report = run_random(&loaded.program, correctness(), 1, 100);
    assert!(matches!(report.outcome, RunEnd::Violation(_)));
}

#[test]
fn files_that_are_not_there_are_rejected() {
    let rejected = frontend::load(&["nowhere/program.c".into()], &Options::default()).expect_err("no such file");
    assert!(rejected.diagnostics[0].message.contains("nowhere/program.c"), "{:?}", rejected.diagnostics);
    assert!(frontend::load(&[], &Options::default()).is_err());
}

#[test]
fn the_explorer_finds_what_it_should() {
    // A guard for the other tests: a violation that only one of many interleavings shows is found.
    let text = "int x, y; void *f(void *a) { x = 1; y = 1; return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int b = y; int a = x; __VERIFIER_assert(!(b == 0 && a == 1)); return 0; }";
    assert!(!explore(text, &[ir::Property::Assertion]).violations.is_empty());
}
