//! Programs with real headers, and programs of several files, through the system's compiler.

use frontend::{Options, load};
use ir::interp::{Limits, RunEnd, enumerate, run_random};
use ir::{Properties, Property};
use std::path::PathBuf;

/// Writes files to a directory of their own.
fn write(test: &str, files: &[(&str, &str)]) -> Vec<PathBuf> {
    let directory = std::env::temp_dir().join(format!("ravel-programs-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    let write = |(name, text): &(&str, &str)| {
        let path = directory.join(name);
        std::fs::write(&path, text).expect("the temporary directory can be written");
        path
    };
    files.iter().map(write).collect()
}

fn properties() -> Properties {
    Properties::of(&[Property::ErrorCall, Property::Assertion, Property::Deref, Property::Deadlock])
}

#[test]
fn headers_of_the_system() {
    let text = r#"
        #include <pthread.h>
        #include <semaphore.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <stdio.h>
        #include <string.h>
        #include <assert.h>
        #include <errno.h>
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static atomic_int n = ATOMIC_VAR_INIT(0);
        static atomic_flag f = ATOMIC_FLAG_INIT;
        static int ready;
        static void *work(void *arg) {
            atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
            while (atomic_flag_test_and_set(&f)) {}
            atomic_flag_clear(&f);
            pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
            return arg;
        }
        int main(void) {
            pthread_t t; void *r; int expected = 1; char *copy = malloc(8);
            assert(copy != NULL); strcpy(copy, "ravel"); assert(strlen(copy) == 5); free(copy);
            assert(pthread_create(&t, NULL, work, &n) == 0);
            pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
            pthread_join(t, &r); assert(r == &n);
            assert(atomic_compare_exchange_strong(&n, &expected, 5) && atomic_load(&n) == 5);
            errno = 3; assert(errno == 3); printf("%d\n", ready); return EXIT_SUCCESS;
        }
    "#;
    let files = write("headers", &[("headers.c", text)]);
    let loaded = load(&files, &Options::default()).unwrap_or_else(|rejected| panic!("{:#?}", rejected.diagnostics));
    assert!(loaded.warnings.is_empty(), "{:#?}", loaded.warnings);
    for seed in 0..10 {
        let report = run_random(&loaded.program, properties(), seed, 100_000);
        assert!(matches!(report.outcome, RunEnd::Ended(_)), "{seed}: {:?}", report.outcome);
    }
}

#[test]
fn units_are_linked_by_name() {
    let first = "extern int shared; int helper(int); static int mine(void) { return 1; } int twice;
        void reach_error(void); int main(void) { twice = 2; shared += helper(3); if (shared != 10 + 3 + 100 || mine() != 1) reach_error(); return 0; }";
    let second = "int shared = 10; extern int twice; static int mine(void) { return 100; } int helper(int n) { return twice == 2 ? n + mine() : 0; }";
    let files = write("linking", &[("first.c", first), ("second.c", second)]);
    let loaded = load(&files, &Options::default()).unwrap_or_else(|rejected| panic!("{:#?}", rejected.diagnostics));
    let found = enumerate(&loaded.program, properties(), &Limits::default());
    assert!(found.is_safe(), "{:?}", found.violations.keys());
    let files =
        write("twice", &[("first.c", "int main(void) { return 0; }"), ("second.c", "int main(void) { return 1; }")]);
    let rejected = load(&files, &Options::default()).expect_err("main is defined twice");
    assert!(rejected.diagnostics[0].message.contains("twice"), "{:?}", rejected.diagnostics);
}
