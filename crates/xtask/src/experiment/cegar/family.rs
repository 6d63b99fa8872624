//! The programs of figure 3.2 of the thesis: one thread with a loop, N that increment and N that double what the loop reads.
//!
//! The writes do not commute, so that all (2N)! orders differ; the property needs to know nothing about them.

use ir::Task;
use std::fmt::Write;

/// The task with 2N+1 threads.
pub(super) fn task(n: u32) -> Result<Task, String> {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("ravel-family-{}-{n}.c", std::process::id()));
    std::fs::write(&path, text(n)).map_err(|error| format!("{}: {error}", path.display()))?;
    let task = crate::experiment::measured::load(&path);
    // What stays behind is small, and the system's to clean.
    let _ = std::fs::remove_file(&path);
    task
}

fn text(n: u32) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\n\
         extern int __VERIFIER_nondet_int(void);\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
         unsigned x, y, z;\n\
         void *p0(void *arg) {\n\
         \u{20}  while (__VERIFIER_nondet_int()) {\n\
         \u{20}    __VERIFIER_atomic_begin(); z = z + 2 * y; __VERIFIER_atomic_end();\n\
         \u{20}  }\n\
         \u{20}  __VERIFIER_atomic_begin(); if (z % 2 == 0) x = 0; else x = 1; __VERIFIER_atomic_end();\n\
         \u{20}  __VERIFIER_atomic_begin(); assert(x == 0); __VERIFIER_atomic_end();\n\
         \u{20}  return 0;\n}\n\
         void *up(void *arg) { __VERIFIER_atomic_begin(); y = y + 1; __VERIFIER_atomic_end(); return 0; }\n\
         void *twice(void *arg) { __VERIFIER_atomic_begin(); y = 2 * y; __VERIFIER_atomic_end(); return 0; }\n\
         int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, p0, 0);\n",
    );
    for name in ["up", "twice"] {
        for _ in 0..n {
            let _ = writeln!(text, "  pthread_create(&t, 0, {name}, 0);");
        }
    }
    text.push_str("  pthread_exit(0);\n}\n");
    text
}
