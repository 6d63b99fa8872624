//! Does a C program mean what C says? Programs that check themselves are lowered and run by the reference interpreter.
//!
//! Sequential programs run once; concurrent ones are explored in all interleavings, so that a model of the library is
//! tested for what it allows as well as for what it forbids; inputs range over a few values. Programs are written without headers: `DECLARATIONS` has
//! the types that static initialisers depend on, laid out as the C library does.

mod atomics;
mod headers;
mod language;
mod libc;
mod memory;
mod refusals;
mod threads;

use frontend::c::load_text;
use frontend::{Loaded, Options, Rejected};
use ir::interp::{Domain, Exploration, Limits, RunEnd, enumerate, run_random};
use ir::{DataModel, Properties, Property};

/// What the programs call.
const DECLARATIONS: &str = r#"
typedef unsigned long size_t;
typedef unsigned long pthread_t;
typedef union {
    struct { int __lock; unsigned __count; int __owner; unsigned __nusers; int __kind; short a, b; void *p, *q; } __data;
    char __size[40]; long __align;
} pthread_mutex_t;
typedef union { unsigned long long __align; char __size[48]; } pthread_cond_t;
typedef union { char __size[56]; long __align; } pthread_rwlock_t;
typedef union { char __size[32]; long __align; } pthread_barrier_t, sem_t;
typedef union { char __size[4]; int __align; } pthread_mutexattr_t;
typedef int pthread_once_t, pthread_spinlock_t;
typedef unsigned pthread_key_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void pthread_exit(void *);
pthread_t pthread_self(void);
int pthread_equal(pthread_t, pthread_t);
int pthread_mutex_init(pthread_mutex_t *, const pthread_mutexattr_t *);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
int pthread_mutex_timedlock(pthread_mutex_t *, const void *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_destroy(pthread_mutex_t *);
int pthread_mutexattr_init(pthread_mutexattr_t *);
int pthread_mutexattr_settype(pthread_mutexattr_t *, int);
int pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int pthread_cond_timedwait(pthread_cond_t *, pthread_mutex_t *, const void *);
int pthread_cond_signal(pthread_cond_t *);
int pthread_cond_broadcast(pthread_cond_t *);
int pthread_rwlock_rdlock(pthread_rwlock_t *);
int pthread_rwlock_tryrdlock(pthread_rwlock_t *);
int pthread_rwlock_wrlock(pthread_rwlock_t *);
int pthread_rwlock_trywrlock(pthread_rwlock_t *);
int pthread_rwlock_unlock(pthread_rwlock_t *);
int pthread_barrier_init(pthread_barrier_t *, const void *, unsigned);
int pthread_barrier_wait(pthread_barrier_t *);
int pthread_spin_init(pthread_spinlock_t *, int);
int pthread_spin_lock(pthread_spinlock_t *);
int pthread_spin_trylock(pthread_spinlock_t *);
int pthread_spin_unlock(pthread_spinlock_t *);
int pthread_once(pthread_once_t *, void (*)(void));
int pthread_key_create(pthread_key_t *, void (*)(void *));
int pthread_setspecific(pthread_key_t, const void *);
void *pthread_getspecific(pthread_key_t);
int sem_init(sem_t *, int, unsigned);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
void abort(void);
void exit(int);
int printf(const char *, ...);
void reach_error(void);
void __VERIFIER_assert(int);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
"#;

fn compile_for(data_model: DataModel, text: &str) -> Result<Loaded, Rejected> {
    let options = Options { data_model: Some(data_model), ..Options::default() };
    let text = format!("{DECLARATIONS}\n# 1 \"program.c\"\n{text}");
    load_text("program.c", &text, &options)
}

fn compile(text: &str) -> Loaded {
    compile_for(DataModel::Lp64, text).unwrap_or_else(|rejected| panic!("{text}\n{:#?}", rejected.diagnostics))
}

/// Checks that failing makes a violation, whatever the property.
fn correctness() -> Properties {
    Properties::of(&[Property::ErrorCall, Property::Assertion, Property::Deref, Property::Free])
}

/// Runs a sequential program under both data models; it must end without a violation.
fn runs(text: &str) {
    for data_model in [DataModel::Lp64, DataModel::Ilp32] {
        let loaded =
            compile_for(data_model, text).unwrap_or_else(|rejected| panic!("{text}\n{:#?}", rejected.diagnostics));
        let report = run_random(&loaded.program, correctness(), 1, 200_000);
        assert!(matches!(report.outcome, RunEnd::Ended(_)), "{data_model:?} {text}\n{:?}", report.outcome);
    }
}

/// Checks conditions in the body of `main`, with declarations before it.
fn holds(before: &str, body: &str, conditions: &[&str]) {
    let checks: String = conditions.iter().map(|condition| format!("    __VERIFIER_assert({condition});\n")).collect();
    runs(&format!("{before}\nint main(void) {{\n{body}\n{checks}    return 0;\n}}\n"));
    // The same checks negated must fail, or they check nothing.
    for condition in conditions {
        let text =
            format!("{before}\nint main(void) {{\n{body}\n    __VERIFIER_assert(!({condition}));\n    return 0;\n}}\n");
        let report = run_random(&compile(&text).program, correctness(), 1, 200_000);
        assert!(matches!(report.outcome, RunEnd::Violation(_)), "{condition} is not checked: {:?}", report.outcome);
    }
}

fn explore(text: &str, properties: &[Property]) -> Exploration {
    let limits = Limits {
        max_states: 400_000,
        domain: Domain::Values(vec![0, 1, 2, 3, 255, u64::MAX]),
        first_only: true,
        ..Limits::default()
    };
    enumerate(&compile(text).program, Properties::of(properties), &limits)
}

/// No interleaving violates a property, and none was left out.
fn safe(properties: &[Property], text: &str) {
    let found = explore(text, properties);
    assert!(
        found.is_safe(),
        "{text}\n{:?} after {} states, {:?}",
        found.violations.keys(),
        found.n_states,
        found.incomplete
    );
}

/// Some interleaving violates the property.
fn violates(property: Property, text: &str) {
    let found = explore(text, &[property]);
    assert!(
        found.violations.contains_key(&property),
        "{text}\nnothing in {} states, {:?}",
        found.n_states,
        found.incomplete
    );
}
