//! Does an answer claim more than was looked at? For each property a program that violates it, asked of each engine: the answer is
//! false or unknown, never true, and what it lists as checked is what the engine knows.

use crate::process::{Scratch, run, text};
use serde_json::Value;

/// The word of a property, how it is told, a program that violates it and nothing else, and the engines that must find that.
const TABLE: &[(&str, &str, &str, &[&str])] = &[
    (
        "reach",
        "error call",
        "void reach_error(void); int x;\n\
         void *t(void *a) { x = 1; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); if (x) reach_error(); return 0; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "assert",
        "assertion failure",
        "int x;\n\
         void *t(void *a) { x = 1; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); assert(x == 0); return 0; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "race",
        "data race",
        "int x;\n\
         void *t(void *a) { x = 1; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); x = 2; pthread_join(p, 0); return 0; }\n",
        &["explicit", "bmc"],
    ),
    (
        "deadlock",
        "deadlock",
        "pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         void *t(void *x) { pthread_mutex_lock(&b); pthread_mutex_lock(&a);\n\
           pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_mutex_lock(&a); pthread_mutex_lock(&b);\n\
           pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(p, 0); return 0; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "valid-deref",
        "invalid memory access",
        "int x[2]; int at;\n\
         void *t(void *a) { at = 2; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return x[at]; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "valid-free",
        "invalid free",
        "int x, *p;\n\
         void *t(void *a) { p = &x; return 0; }\n\
         int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); free(p); return 0; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "valid-memtrack",
        "lost memory",
        "int *p;\n\
         void *t(void *a) { p = 0; return 0; }\n\
         int main(void) { pthread_t h; p = malloc(4); pthread_create(&h, 0, t, 0); pthread_join(h, 0); return 0; }\n",
        &["explicit"],
    ),
    (
        "memcleanup",
        "memory not freed at exit",
        "int *p;\n\
         void *t(void *a) { p = malloc(4); return 0; }\n\
         int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); pthread_join(h, 0); return 0; }\n",
        &["explicit"],
    ),
    (
        "overflow",
        "signed overflow",
        "int x = 2147483647;\n\
         void *t(void *a) { x = x + 1; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return 0; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "division",
        "invalid division",
        "int x = 1;\n\
         void *t(void *a) { x = 0; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); return 1 / x; }\n",
        &["explicit", "bmc", "cegar"],
    ),
    (
        "termination",
        "endless execution",
        "int x = 1;\n\
         void *t(void *a) { x = 2; return 0; }\n\
         int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); pthread_join(p, 0); while (x) { } return 0; }\n",
        &["explicit"],
    ),
];

/// What each engine looks for when it is asked about everything that is wrong in any program.
const KNOWN: &[(&str, &[&str])] = &[
    ("explicit", &["lost memory", "data race", "deadlock", "assertion failure"]),
    ("bmc", &["data race", "deadlock", "assertion failure"]),
    ("cegar", &["deadlock", "assertion failure"]),
];

fn ask(file: &Scratch, words: &[&str]) -> Value {
    let mut all = vec!["verify", file.path(), "--json", "--time-limit=10s"];
    all.extend(words);
    let output = run(&all);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words:?}: no JSON: {}", text(&output)))
}

fn source(body: &str) -> String {
    format!("#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n{body}")
}

fn list(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn no_engine_is_silent_about_what_it_does_not_know() {
    let every: Vec<&str> = TABLE.iter().map(|(word, ..)| *word).collect();
    let every = every.join(",");
    for (word, told, body, finders) in TABLE {
        let file = Scratch::new(&format!("violates_{word}.c"), source(body).as_bytes());
        for engine in ["explicit", "bmc", "cegar", "portfolio"] {
            for asked in [*word, every.as_str()] {
                let answer = ask(&file, &[&format!("--engine={engine}"), &format!("--property={asked}")]);
                let (verdict, checked) = (answer["verdict"].as_str().unwrap_or(""), list(&answer["checked"]));
                let what = format!("{engine} asked about {asked} where there is {told}: {answer:#}");
                assert!(matches!(verdict, "unsafe" | "unknown"), "{what}");
                assert!(list(&answer["asked"]).contains(told), "{what}");
                // Whoever finds it has looked for it; whoever cannot does not say so.
                let can = engine == "portfolio" || finders.contains(&engine);
                assert!(verdict != "unsafe" || checked.contains(told), "{what}");
                assert!(can || !checked.contains(told), "{what}");
                assert!(asked != *word || verdict == if can { "unsafe" } else { "unknown" }, "{what}");
            }
        }
    }
}

#[test]
fn a_bounded_answer_lists_what_the_engine_knows() {
    let body = "int n, *kept;\n\
                void *t(void *a) { for (;;) __atomic_fetch_add(&n, 2, __ATOMIC_SEQ_CST); }\n\
                int main(void) { pthread_t p; kept = malloc(sizeof *kept); pthread_create(&p, 0, t, 0);\n\
                  for (;;) assert(__atomic_load_n(&n, __ATOMIC_SEQ_CST) % 2 == 0); }\n";
    let file = Scratch::new("without_end.c", source(body).as_bytes());
    for (engine, known) in KNOWN {
        let knobs = if *engine == "bmc" { "--bmc.unwind=2" } else { "--explicit.max-depth=3" };
        let answer = ask(&file, &[&format!("--engine={engine}"), knobs, "--property=all"]);
        assert_eq!(answer["verdict"], "unknown", "{engine}: {answer:#}");
        let checked = list(&answer["checked"]);
        assert!(known.iter().all(|told| checked.contains(told)), "{engine}: {answer:#}");
        assert_eq!(checked.contains(&"lost memory"), *engine == "explicit", "{engine}: {answer:#}");
    }
    let output = run(&["verify", file.path(), "--engine=bmc", "--bmc.unwind=2", "--property=all", "--time-limit=10s"]);
    let said = text(&output);
    assert!(said.contains("asked, but not looked for: lost memory\n") && !said.contains("  checked:"), "{said}");
}

#[test]
fn a_second_opinion_is_told() {
    let (_, _, body, _) = TABLE[1];
    let file = Scratch::new("second_opinion.c", source(body).as_bytes());
    let answer = ask(&file, &["--second-opinion", "--property=assert"]);
    assert_eq!(answer["verdict"], "unsafe", "{answer:#}");
    assert_eq!(list(&answer["confirmed_by"]).len(), 1, "{answer:#}");
    assert!(list(&answer["notes"]).iter().any(|note| note.starts_with("second opinion: ")), "{answer:#}");
    // Of the engines only one looks for lost memory.
    let (_, _, body, _) = TABLE[6];
    let file = Scratch::new("no_second_opinion.c", source(body).as_bytes());
    let answer = ask(&file, &["--second-opinion", "--property=valid-memtrack"]);
    assert_eq!(answer["verdict"], "unsafe", "{answer:#}");
    assert_eq!(answer["confirmed_by"], serde_json::json!([]), "{answer:#}");
    assert!(list(&answer["notes"]).contains(&"second opinion: nobody else could decide in time"), "{answer:#}");
    let output = run(&["verify", file.path(), "--second-opinion", "--engine=bmc"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}
