//! Threads and what synchronises them: in all interleavings.

use crate::{safe, violates};
use ir::Property::{Assertion, Deadlock, Race};

#[test]
fn an_increment_is_a_read_and_a_write() {
    let program = |lock: &str, unlock: &str| {
        format!(
            "int x; pthread_mutex_t m;
             void *f(void *a) {{ {lock} x++; {unlock} return a; }}
             int main(void) {{
                 pthread_t t, u; void *r;
                 pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, (void *)7);
                 pthread_join(t, 0); pthread_join(u, &r);
                 __VERIFIER_assert(x == 2 && r == (void *)7);
                 return 0;
             }}"
        )
    };
    violates(Assertion, &program("", ""));
    violates(Race, &program("", ""));
    safe(&[Assertion, Race, Deadlock], &program("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"));
    safe(&[Assertion], &program("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"));
}

#[test]
fn handles_live_where_the_program_puts_them() {
    safe(
        &[Assertion, Deadlock],
        "struct worker { int id; pthread_t thread; } workers[2]; int sum;
         void *work(void *a) { struct worker *w = a; __atomic_fetch_add(&sum, w->id, 5); return 0; }
         int main(void) {
             for (int i = 0; i < 2; i++) { workers[i].id = i + 1; pthread_create(&workers[1 - i].thread, 0, work, &workers[i]); }
             for (int i = 0; i < 2; i++) pthread_join(workers[i].thread, 0);
             __VERIFIER_assert(sum == 3);
             return 0;
         }",
    );
}

#[test]
fn threads_run_functions_of_any_shape() {
    safe(
        &[Assertion],
        "int x, y;
         void f() { x = 1; } int g(int n) { y = n; return -1; }
         int main(void) {
             pthread_t t, u; void *r;
             pthread_create(&t, 0, (void *(*)(void *))f, 0); pthread_join(t, 0);
             pthread_create(&u, 0, (void *(*)(void *))g, (void *)5); pthread_join(u, &r);
             __VERIFIER_assert(x == 1 && y == 5 && r == (void *)-1);
             return 0;
         }",
    );
}

#[test]
fn exit_of_a_thread_gives_its_result() {
    safe(
        &[Assertion],
        "void g(void) { pthread_exit((void *)9); }
         void *f(void *a) { g(); return 0; }
         int main(void) {
             pthread_t t; void *r;
             pthread_create(&t, 0, f, 0); pthread_join(t, &r);
             __VERIFIER_assert(r == (void *)9 && !pthread_equal(t, pthread_self()));
             return 0;
         }",
    );
    // When main only ends its thread, the others go on.
    violates(
        Assertion,
        "int x;
         void *f(void *a) { __VERIFIER_assert(x == 0); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_exit(0); }",
    );
}

#[test]
fn mutexes_by_kind() {
    violates(
        Deadlock,
        "pthread_mutex_t m; int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }",
    );
    safe(
        &[Assertion, Deadlock],
        "int main(void) {
             pthread_mutex_t m; pthread_mutexattr_t a;
             pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, 1); pthread_mutex_init(&m, &a);
             __VERIFIER_assert(pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == 0);
             __VERIFIER_assert(pthread_mutex_trylock(&m) == 0);
             __VERIFIER_assert(pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0 && pthread_mutex_unlock(&m) == 0);
             __VERIFIER_assert(pthread_mutex_unlock(&m) == 1);
             return 0;
         }",
    );
    safe(
        &[Assertion, Deadlock],
        "pthread_mutex_t m = { { .__kind = 2 } };
         int main(void) {
             __VERIFIER_assert(pthread_mutex_lock(&m) == 0);
             __VERIFIER_assert(pthread_mutex_lock(&m) == 35);
             __VERIFIER_assert(pthread_mutex_unlock(&m) == 0);
             __VERIFIER_assert(pthread_mutex_unlock(&m) == 1);
             return 0;
         }",
    );
}

#[test]
fn attempts_do_not_wait() {
    safe(
        &[Assertion, Deadlock],
        "pthread_mutex_t m; int got;
         void *f(void *a) { if (pthread_mutex_trylock(&m) == 0) { got++; pthread_mutex_unlock(&m); } return 0; }
         int main(void) {
             pthread_t t; pthread_mutex_lock(&m); pthread_create(&t, 0, f, 0); pthread_join(t, 0);
             __VERIFIER_assert(got == 0 && pthread_mutex_trylock(&m) == 16);
             return 0;
         }",
    );
    // A timed lock gives up only if it has to wait, and may then.
    let program = |held: &str, condition: &str| {
        format!(
            "pthread_mutex_t m; int result; long soon[2];
             void *f(void *a) {{ result = pthread_mutex_timedlock(&m, soon); return 0; }}
             int main(void) {{ pthread_t t; {held} pthread_create(&t, 0, f, 0); pthread_join(t, 0);
                 __VERIFIER_assert({condition}); return 0; }}"
        )
    };
    safe(&[Assertion], &program("", "result == 0"));
    safe(&[Assertion], &program("pthread_mutex_lock(&m);", "result == 110"));
}

#[test]
fn condition_variables() {
    let program = |test: &str, wake: &str| {
        format!(
            "pthread_mutex_t m; pthread_cond_t c; int ready, seen;
             void *f(void *a) {{ pthread_mutex_lock(&m); {test} (!ready) pthread_cond_wait(&c, &m); seen += ready;
                 pthread_mutex_unlock(&m); return 0; }}
             int main(void) {{ pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
                 pthread_mutex_lock(&m); ready = 1; {wake} pthread_mutex_unlock(&m);
                 pthread_join(t, 0); pthread_join(u, 0); __VERIFIER_assert(seen == 2); return 0; }}"
        )
    };
    safe(&[Assertion, Deadlock, Race], &program("while", "pthread_cond_broadcast(&c);"));
    // One signal wakes one waiter.
    violates(Deadlock, &program("while", "pthread_cond_signal(&c);"));
    // Waking up without a reason.
    violates(Assertion, &program("if", "pthread_cond_broadcast(&c);"));
    // A signal before the wait is lost.
    violates(
        Deadlock,
        "pthread_mutex_t m; pthread_cond_t c;
         void *f(void *a) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_cond_signal(&c); pthread_join(t, 0); return 0; }",
    );
}

#[test]
fn a_timed_wait_can_time_out() {
    violates(
        Assertion,
        "pthread_mutex_t m; pthread_cond_t c; long soon[2];
         int main(void) { pthread_mutex_lock(&m); __VERIFIER_assert(pthread_cond_timedwait(&c, &m, soon) != 110);
             pthread_mutex_unlock(&m); return 0; }",
    );
}

#[test]
fn read_write_locks() {
    safe(
        &[Assertion, Race, Deadlock],
        "pthread_rwlock_t l; int x;
         void *w(void *a) { pthread_rwlock_wrlock(&l); x++; x++; pthread_rwlock_unlock(&l); return 0; }
         void *r(void *a) { pthread_rwlock_rdlock(&l); __VERIFIER_assert(x == 0 || x == 2); pthread_rwlock_unlock(&l); return 0; }
         int main(void) { pthread_t t, u; pthread_create(&t, 0, w, 0); pthread_create(&u, 0, r, 0); r(0);
             pthread_join(t, 0); pthread_join(u, 0); return 0; }",
    );
    safe(
        &[Assertion],
        "pthread_rwlock_t l;
         int main(void) {
             __VERIFIER_assert(pthread_rwlock_rdlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == 0);
             __VERIFIER_assert(pthread_rwlock_trywrlock(&l) == 16);
             pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l);
             __VERIFIER_assert(pthread_rwlock_trywrlock(&l) == 0 && pthread_rwlock_tryrdlock(&l) == 16);
             return 0;
         }",
    );
}

#[test]
fn semaphores_count() {
    safe(
        &[Assertion, Deadlock, Race],
        "sem_t items; int data;
         void *produce(void *a) { data = 5; sem_post(&items); return 0; }
         int main(void) { pthread_t t; int n; sem_init(&items, 0, 0);
             __VERIFIER_assert(sem_trywait(&items) == -1);
             pthread_create(&t, 0, produce, 0); sem_wait(&items); __VERIFIER_assert(data == 5);
             sem_getvalue(&items, &n); __VERIFIER_assert(n == 0); return 0; }",
    );
    violates(Deadlock, "sem_t s; int main(void) { sem_init(&s, 0, 1); sem_wait(&s); sem_wait(&s); return 0; }");
}

#[test]
fn barriers_hold_everybody_back() {
    safe(
        &[Assertion, Deadlock, Race],
        "pthread_barrier_t b; int x[2], serial;
         void round_of(int me) { x[me]++; if (pthread_barrier_wait(&b) == -1) __atomic_fetch_add(&serial, 1, 5);
             __VERIFIER_assert(x[0] == x[1]); pthread_barrier_wait(&b); }
         void *f(void *a) { round_of(1); round_of(1); return 0; }
         int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0);
             round_of(0); round_of(0); pthread_join(t, 0); __VERIFIER_assert(serial == 2); return 0; }",
    );
    violates(
        Deadlock,
        "pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b); return 0; }",
    );
}

#[test]
fn spin_locks() {
    safe(
        &[Assertion, Race, Deadlock],
        "pthread_spinlock_t l; int x;
         void *f(void *a) { pthread_spin_lock(&l); x++; pthread_spin_unlock(&l); return 0; }
         int main(void) { pthread_t t; pthread_spin_init(&l, 0); pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0);
             __VERIFIER_assert(x == 2 && pthread_spin_trylock(&l) == 0 && pthread_spin_trylock(&l) == 16); return 0; }",
    );
}

#[test]
fn once_is_once() {
    safe(
        &[Assertion, Race, Deadlock],
        "pthread_once_t o; int n;
         void init(void) { n++; }
         void *f(void *a) { pthread_once(&o, init); __VERIFIER_assert(n == 1); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }",
    );
}

#[test]
fn thread_specific_data_and_destructors() {
    safe(
        &[Assertion, Deadlock],
        "pthread_key_t k; int destroyed;
         void destroy(void *p) { destroyed += (int)(long)p; }
         void *f(void *a) { __VERIFIER_assert(pthread_getspecific(k) == 0); pthread_setspecific(k, a);
             __VERIFIER_assert(pthread_getspecific(k) == a); if (a == (void *)2) pthread_exit(0); return 0; }
         int main(void) { pthread_t t; pthread_key_create(&k, destroy); pthread_setspecific(k, (void *)9);
             pthread_create(&t, 0, f, (void *)1); pthread_join(t, 0); __VERIFIER_assert(destroyed == 1);
             pthread_create(&t, 0, f, (void *)2); pthread_join(t, 0); __VERIFIER_assert(destroyed == 3);
             __VERIFIER_assert(pthread_getspecific(k) == (void *)9); return 0; }",
    );
}

#[test]
fn c11_threads() {
    safe(
        &[Assertion, Race, Deadlock],
        "typedef unsigned long thrd_t; typedef union { char s[40]; long a; } mtx_t; typedef union { char s[48]; long long a; } cnd_t;
         int thrd_create(thrd_t *, int (*)(void *), void *); int thrd_join(thrd_t, int *); int mtx_init(mtx_t *, int);
         int mtx_lock(mtx_t *); int mtx_trylock(mtx_t *); int mtx_unlock(mtx_t *); int cnd_init(cnd_t *);
         int cnd_wait(cnd_t *, mtx_t *); int cnd_signal(cnd_t *); typedef int once_flag; void call_once(once_flag *, void (*)(void));
         mtx_t m; cnd_t c; int x, n; once_flag o; void once(void) { n++; }
         int f(void *a) { call_once(&o, once); mtx_lock(&m); x = 1; cnd_signal(&c); mtx_unlock(&m); return -3; }
         int main(void) { thrd_t t; int r; mtx_init(&m, 0); cnd_init(&c); thrd_create(&t, f, 0);
             mtx_lock(&m); while (!x) cnd_wait(&c, &m); __VERIFIER_assert(mtx_trylock(&m) == 1); mtx_unlock(&m);
             call_once(&o, once); thrd_join(t, &r); __VERIFIER_assert(r == -3 && n == 1); return 0; }",
    );
}

#[test]
fn thread_locals_are_private() {
    safe(
        &[Assertion, Race, Deadlock],
        "_Thread_local int a = 3; __thread int b[2] = { 1, 2 }; static __thread int *p;
         void *f(void *x) { __VERIFIER_assert(a == 3 && b[1] == 2 && p == 0); a++; b[1] += a; p = &b[1];
             __VERIFIER_assert(*p == 6); return 0; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0);
             __VERIFIER_assert(a == 4 && b[1] == 6); return 0; }",
    );
}

#[test]
fn atomic_sections_by_name() {
    let program = |name: &str| {
        format!(
            "int x; void {name}(void) {{ int old = x; x = old + 1; }}
             void *f(void *a) {{ {name}(); return 0; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {name}(); pthread_join(t, 0);
                 __VERIFIER_assert(x == 2); return 0; }}"
        )
    };
    safe(&[Assertion], &program("__VERIFIER_atomic_bump"));
    violates(Assertion, &program("bump"));
}
