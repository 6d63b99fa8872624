//! Do the options of `verify` do what they say? Several files, macros, include paths, entry functions, assumptions.

use crate::process::{Scratch, complaint, ravel, run, text};
use engines::Kind;

fn last_line(words: &[&str]) -> String {
    let output = run(words);
    text(&output).lines().last().unwrap_or("").to_string()
}

#[test]
fn files_are_linked() {
    let main = Scratch::new(
        "main.c",
        b"extern int f(int); void reach_error(void) {}\nint main(void) { if (f(1) == 3) reach_error(); return 0; }\n",
    );
    let other = Scratch::new("other.c", b"static int g = 2;\nint f(int x) { return x + g; }\n");
    assert_eq!(last_line(&["verify", main.path(), other.path()]), "RESULT: false(unreach-call)");
    let alone = run(&["verify", main.path()]);
    assert_eq!(alone.status.code(), Some(3), "{}", text(&alone));
    assert!(text(&alone).contains("`f`") && text(&alone).contains("--assume-pure f"), "{}", text(&alone));
}

#[test]
fn macros_headers_and_databases_reach_the_preprocessor() {
    let header = Scratch::new("limit.h", b"#define LIMIT 4\n");
    let folder = header.0.parent().expect("it is in a folder").to_str().expect("plain names").to_string();
    let source =
        b"#include <assert.h>\n#include \"limit.h\"\nint main(void) { assert(LIMIT == 4 && VALUE == 7); return 0; }\n";
    let program = Scratch::new("limits.c", source);
    assert_eq!(last_line(&["verify", program.path()]), "RESULT: error");
    assert_eq!(last_line(&["verify", program.path(), "-I", &folder, "-DVALUE=7"]), "RESULT: true");
    assert_eq!(last_line(&["verify", program.path(), "-I", &folder, "-D", "VALUE=8"]), "RESULT: false(unreach-call)");
    let here = program.0.parent().expect("it is in a folder").display();
    let database = format!(
        "[{{\"directory\": \"{here}\", \"file\": \"limits.c\", \"arguments\": [\"cc\", \"-I{folder}\", \"-DVALUE=7\", \"-c\", \"limits.c\"]}}]\n"
    );
    let database = Scratch::new("compile_commands.json", database.as_bytes());
    assert_eq!(last_line(&["verify", program.path(), "--compile-commands", database.path()]), "RESULT: true");
}

#[test]
fn the_entry_and_assumptions_are_followed() {
    let source = b"#include <assert.h>\nint magic(void);\nint start(void) { assert(magic() != 7); return 0; }\nint main(void) { return 0; }\n";
    let program = Scratch::new("entry.c", source);
    assert_eq!(last_line(&["verify", program.path()]), "RESULT: true");
    assert_eq!(last_line(&["verify", program.path(), "--entry", "start"]), "RESULT: unknown");
    let pure = ["verify", program.path(), "--entry", "start", "--assume-pure", "magic"];
    assert_eq!(last_line(&pure), "RESULT: false(unreach-call)");
    let missing = run(&["verify", program.path(), "--entry", "nobody"]);
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing));
}

#[test]
fn what_is_missing_is_told_at_once_and_can_be_stood_in_for() {
    let source = b"#include <assert.h>\nint f(void); int g(int *);\nint main(void) { int x = 1; f(); g(&x); assert(x == 1); return 0; }\n";
    let program = Scratch::new("missing.c", source);
    let refused = text(&run(&["verify", program.path()])).replace("\n    ", " ");
    assert!(
        refused.contains("not defined and not modelled: f, g;") && refused.contains("--assume-pure f,g"),
        "{refused}"
    );
    assert_eq!(last_line(&["verify", program.path(), "--assume-pure", "f,g"]), "RESULT: true");
    let havoc = text(&run(&["verify", program.path(), "--stub", "havoc"]));
    assert!(havoc.contains("(--stub havoc)") && havoc.ends_with("RESULT: false(unreach-call)\n"), "{havoc}");
    let stubs = Scratch::new("stubs.c", b"int f(void) { return 0; }\nint g(int *p) { return *p; }\n");
    let own = text(&run(&["verify", program.path(), "--stubs", stubs.path()]));
    assert!(own.contains("(--stubs)") && own.ends_with("RESULT: true\n"), "{own}");
}

#[test]
fn a_project_is_read_from_its_build() {
    let folder = Scratch::new("one.c", b"int f(void);\nint main(void) { return f(); }\n");
    let here = folder.0.parent().expect("it is in a folder").to_path_buf();
    let write = |name: &str, text: &str| std::fs::write(here.join(name), text).expect("it can be written");
    write("two.c", "#include <assert.h>\nint f(void);\nint main(void) { assert(f() == 1); return 0; }\n");
    write("lib.c", "int f(void) { return VALUE; }\n");
    let entry = |name: &str, flags: &str| {
        format!(
            "{{\"directory\": \"{}\", \"file\": \"{name}\", \"command\": \"cc {flags} -c {name}\"}}",
            here.display()
        )
    };
    let entries = [entry("one.c", ""), entry("two.c", ""), entry("lib.c", "-DVALUE=2"), entry("lib.c", "-DVALUE=2 -g")];
    write("compile_commands.json", &format!("[{}]", entries.join(",")));
    let database = here.to_str().expect("plain names");
    let both = run(&["verify", "--compile-commands", database]);
    assert!(text(&both).contains("`main` is defined twice"), "{}", text(&both));
    let of = |target: &str| last_line(&["verify", "--compile-commands", database, "--target-file", target]);
    assert_eq!(of("one.c"), "RESULT: true");
    assert_eq!(of("two.c"), "RESULT: false(unreach-call)");
    assert_eq!(of("three.c"), "RESULT: error");
}

#[test]
fn a_weak_definition_gives_way() {
    let weak = b"#include <assert.h>\n__attribute__((weak)) int f(void) { return 1; }\nint main(void) { assert(f() == 2); return 0; }\n";
    let weak = Scratch::new("weak.c", weak);
    let strong = Scratch::new("strong.c", b"int f(void) { return 2; }\n");
    assert_eq!(last_line(&["verify", weak.path()]), "RESULT: false(unreach-call)");
    assert_eq!(last_line(&["verify", weak.path(), strong.path()]), "RESULT: true");
    assert_eq!(last_line(&["verify", strong.path(), weak.path()]), "RESULT: true");
}

#[test]
fn arguments_can_be_given() {
    let source = b"#include <assert.h>\n#include <string.h>\nint main(int argc, char **argv) { assert(argc == 2 && strcmp(argv[1], \"--x\") == 0); return 0; }\n";
    let program = Scratch::new("given.c", source);
    let given = text(&run(&["verify", program.path(), "--", "--x"]));
    assert!(given.contains("the program is started as `given --x`") && given.ends_with("RESULT: true\n"), "{given}");
    assert_eq!(last_line(&["verify", program.path(), "--", "y"]), "RESULT: false(unreach-call)");
    assert_eq!(last_line(&["verify", program.path()]), "RESULT: false(unreach-call)");
}

#[test]
fn narrow_screens_and_verbose_traces() {
    let narrow = ravel(&["verify", "examples/lost_update.c"]).env("COLUMNS", "50").output().expect("it starts");
    assert!(text(&narrow).contains("-- T1 worker"), "{}", text(&narrow));
    assert!(text(&narrow).lines().all(|line| line.chars().count() <= 110), "{}", text(&narrow));
    let verbose = run(&["verify", "examples/lost_update.c", "--engine", "explicit", "-v"]);
    assert!(text(&verbose).contains("states: ") && text(&verbose).contains("time: load"), "{}", text(&verbose));
}

#[test]
fn memory_models_are_told_and_refused_by_name() {
    let told = run(&["verify", "cases/weak/sb.c", "--model", "tso"]);
    assert!(text(&told).contains("memory model: tso"), "{}", text(&told));
    assert_eq!(text(&told).lines().last(), Some("RESULT: false(unreach-call)"));
    let json = run(&["verify", "cases/weak/sb.c", "--model", "tso", "--json"]);
    assert!(text(&json).contains("T1 thread1's store x = 1 reaches memory"), "{}", text(&json));
    let refused = run(&["verify", "cases/weak/sb.c", "--model", "pso", "--engine", "modular"]);
    assert!(text(&refused).contains("the memory model pso in the engine modular"), "{}", text(&refused));
    assert_eq!(refused.status.code(), Some(3));
    let json = run(&["verify", "cases/weak/mp.c", "--model", "pso", "--json"]);
    assert!(
        text(&json).contains("\"model\": \"pso\"") && text(&json).contains("\"kind\": \"commit\""),
        "{}",
        text(&json)
    );
}

#[test]
fn bounds_for_loops_are_followed_or_refused() {
    let source = b"#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int(), i = 0;\n  while (i < n)\n    i++;\n  assert(i != 4);\n  return 0;\n}\n";
    let program = Scratch::new("count.c", source);
    let path = program.path();
    let name = program.0.file_name().and_then(|name| name.to_str()).expect("plain names");
    let said = |words: &[&str]| last_line(&[&["verify", path, "--engine", "bmc"], words].concat());
    assert_eq!(said(&["--unwind", "2"]), "RESULT: unknown");
    assert_eq!(said(&["--unwind", "5", "--conflicts", "off"]), "RESULT: false(unreach-call)");
    assert_eq!(said(&["--unwind", "2", "--unwind-loop", "5=5"]), "RESULT: false(unreach-call)");
    assert_eq!(said(&["--unwind-loop", &format!("{name}:5=3")]), "RESULT: unknown");
    for wrong in ["4=3", "other.c:5=3"] {
        let refused = run(&["verify", path, "--unwind-loop", wrong]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(text(&refused).contains("no loop begins at line"), "{}", text(&refused));
        assert!(text(&refused).contains(&format!("{name}:5")), "{}", text(&refused));
    }
}

#[test]
fn every_value_of_every_knob_is_understood_and_no_other() {
    let mut n_values = 0;
    for about in engines::all() {
        let (file, wanted): (&[&str], &str) = match about.name {
            "symbolic" => (&["cases/oox/thesis/exp1_locked_update.oox", "--entry=E4.main"], "true"),
            "axiomatic" => (&["cases/litmus/x86/store-buffering.litmus"], "true"),
            _ => (&["examples/lost_update.c", "--property=assert"], "false(unreach-call)"),
        };
        let ask = |option: &str| {
            let engine = format!("--engine={}", about.name);
            run(&[&["verify"], file, &[engine.as_str(), option, "--time-limit=20s"]].concat())
        };
        for knob in about.knobs {
            let option = |value: &str| format!("--{}.{}={value}", about.name, knob.name);
            let values: &[&str] = match knob.kind {
                Kind::Choice(words) => words,
                Kind::Flag => &["on", "off"],
                Kind::Number | Kind::Form(..) => &[],
            };
            for value in values {
                n_values += 1;
                let output = ask(&option(value));
                let last = text(&output).lines().last().unwrap_or_default().to_string();
                // A setting may be too weak to decide, but it must not be a mistake.
                let is_fine = last == format!("RESULT: {wanted}") || last == "RESULT: unknown";
                assert!(is_fine, "{}: {}{}", option(value), text(&output), complaint(&output));
            }
            let output = ask(&option("soem"));
            assert_eq!(output.status.code(), Some(2), "{}: {}", knob.name, text(&output));
            let named = values.iter().all(|value| complaint(&output).contains(value));
            assert!(named, "{}: {}", knob.name, complaint(&output));
        }
        let output = ask(&format!("--{}.nothing=1", about.name));
        let known: Vec<&str> = about.knobs.iter().map(|knob| knob.name).collect();
        let part = format!("the engine {} has no knob `nothing`; it has {}", about.name, known.join(", "));
        assert!(complaint(&output).contains(&part), "{}", complaint(&output));
    }
    assert!(n_values > 40, "{n_values} values");
}

#[test]
fn advice_names_the_places_and_the_weakest_orders_that_will_do() {
    let source = b"#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int data, flag;\n\
        static void *writer(void *arg) {\n  atomic_store_explicit(&data, 1, memory_order_relaxed);\n\
          atomic_store_explicit(&flag, 1, memory_order_relaxed);\n  return 0; }\n\
        static void *reader(void *arg) {\n  if (atomic_load_explicit(&flag, memory_order_relaxed))\n\
            assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);\n  return 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, reader, 0);\n\
          pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    let program = Scratch::new("message.c", source);
    let asked = |more: &[&str]| {
        let words = ["verify", program.path(), "--property", "assert", "--advise"];
        text(&run(&[&words[..], more].concat())).replace("\n    ", " ")
    };
    let said = asked(&["--model", "rc11"]);
    assert!(said.contains("message.c:7: the store is release instead of relaxed"), "{said}");
    assert!(said.contains("message.c:10: the load is acquire instead of relaxed"), "{said}");
    assert_eq!(said.matches("instead of").count(), 2, "{said}");
    let said = asked(&["--model", "aarch64", "--mapping", "power"]);
    assert!(said.contains("unknown") && said.contains("the compiler mapping power with aarch64"), "{said}");
    assert!(
        asked(&["--model", "tso", "--mapping", "x86"]).contains("tso.cat is one"),
        "a mapping needs a model in cat"
    );
}

#[test]
fn what_only_interleavings_could_tell_is_not_checked_unless_asked_for() {
    let source = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\natomic_int a, b;\n\
        static void *one(void *arg) { atomic_store_explicit(&a, 1, memory_order_relaxed);\n\
          return atomic_load_explicit(&b, memory_order_relaxed) ? arg : 0; }\n\
        static void *two(void *arg) { atomic_store_explicit(&b, 1, memory_order_relaxed);\n\
          return atomic_load_explicit(&a, memory_order_relaxed) ? arg : 0; }\n\
        int main(void) { static sem_t m; sem_init(&m, 0, 1); sem_wait(&m);\n\
          pthread_t s, t; pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
          pthread_join(s, 0); pthread_join(t, 0); return 0; }\n";
    let program = Scratch::new("buffering.c", source.as_bytes());
    for (model, open) in [("rc11", "not checked: deadlock,"), ("tso", "not checked: data race,")] {
        let said = text(&run(&["verify", program.path(), "--model", model]));
        assert!(said.contains(": safe") && said.contains(open), "{said}");
    }
    let plain =
        "#define atomic_store_explicit(p, v, o) (*(p) = (v))\n#define atomic_load_explicit(p, o) (*(p))\nint a, b;\n";
    let racy = Scratch::new("racy.c", source.replace("#include <stdatomic.h>\natomic_int a, b;\n", plain).as_bytes());
    let said = text(&run(&["verify", racy.path(), "--model", "tso"]));
    assert!(said.contains(": safe") && said.contains("not checked: data race,"), "{said}");
    let said = text(&run(&["verify", program.path(), "--model", "rc11", "--property", "assert,deadlock"]));
    assert!(said.contains(": unknown") && said.contains("not to the end: deadlock"), "{said}");
}
