/* What the library models are written with. Intrinsics become single statements of the program model; see
 * lower/intrinsics.rs. The texts are not preprocessed: constants are enumerators, and each file follows this one.
 *
 * Models take words and untyped pointers, never the user's types. Objects of the C library are used by the offsets
 * that its static initialisers use, with every other byte free for us. */

typedef unsigned long word;
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

enum { RELAXED = 0, ACQUIRE = 2, RELEASE = 3, ACQ_REL = 4, SEQ_CST = 5 };
enum { EPERM = 1, EINTR = 4, EBADF = 9, EAGAIN = 11, ENOMEM = 12, EBUSY = 16, EINVAL = 22, ENOSPC = 28, EPIPE = 32, ERANGE = 34, EDEADLK = 35, EOVERFLOW = 75, EAFNOSUPPORT = 97, ETIMEDOUT = 110 };

/* (address, local variable, [condition to wait for,] new value, order): one step that reads and writes. */
void __ravel_await();
/* Likewise, with the handle of who alone can end the wait (0: others can too) before the new value. */
void __ravel_await_owner();
void __ravel_rmw();

/* (address, local variable, condition, new value, order[, order of a failure]): likewise if the condition holds of the old value; else but a read, which is
 * relaxed and synchronises with nobody unless another order is given. */
void __ravel_try();

/* (function, arguments...): the handle of a new thread. */
word __ravel_start();
word __ravel_self(void);
word __ravel_join(word thread);
void __ravel_exit_thread(word result);
/* Ends the process at once. */
void __ravel_end_process(void);
/* Steps between these are one. Where axioms judge executions there are no such steps: what can do without them asks whether they do. */
void __ravel_atomic_begin(void);
void __ravel_atomic_end(void);

int __ravel_has_axioms(void);

/* 0 or 1, as the environment likes. */
int __ravel_choice(void);
int __ravel_input_int(void);
long __ravel_input_long(void);
unsigned char __ravel_input_byte(void);
/* What the function computes, where that is not modelled: any value. Nothing that a user would call wrong may depend on it, so a model that has
 * one neither assumes nor branches on it, but maps it to what is possible. */
int __ravel_approximate_int(void);
long __ravel_approximate_long(void);
unsigned char __ravel_approximate_byte(void);

/* Whether the program mentions a function, and whether it has mutexes other than normal ones. */
int __ravel_uses(const char *function);
int __ravel_uses_mutex_kinds(void);
/* Whether the program makes pipes, pairs of sockets or counters, and whether all that reads and writes them is followed. Who copies numbers of files may read
 * and write by others than these. */
int __ravel_has_pipes(void);
int __ravel_follows_pipes(void);
/* Whether something fails that no cause is modelled for: as the environment likes where calls may fail, else it does not, which the answer names. */
int __ravel_may_fail(const char *what);
/* Whether something is left to run when the program ends: handlers of atexit, destructors. */
int __ravel_runs_at_end(void);

/* Whether locks shall say who holds them, and whether it is asked if the library is misused; if it is, whether an object may be
 * used that a function has destroyed, or that was never initialised, and whether a thread may be joined twice. Where it is
 * asked, it is a violation if a condition holds. */
int __ravel_keeps_owners(void);
int __ravel_asks_misuse(void);
int __ravel_may_be_dead(const char *destroy);
int __ravel_may_be_unset(void);
int __ravel_may_misjoin(void);
/* Whether threads may use handles of others, and find them stored before those run. */
int __ravel_stores_handles_early(void);
int __ravel_may_change_partner(void);
void __ravel_misuse(int condition, const char *what);

/* Whether an object of the thread library may be destroyed, or its memory may end. */
int __ravel_may_end(const char *destroy);
/* An invalid access if the condition holds. */
void __ravel_undefined(int condition);

/* What IEEE 754 says. */
double __ravel_fabs(double x);
double __ravel_sqrt(double x);

void __ravel_mark_locked(void *lock);
void __ravel_mark_read_locked(void *lock);
void __ravel_mark_unlocked(void *lock);
/* What else there is to tell: an attempt at a lock that is held; the steps of a wait on a condition variable, whose end nobody signalled if
 * the address is null; who signals it; the counts of a semaphore, null where there was nothing to take; a barrier. */
void __ravel_mark_busy(void *lock);
void __ravel_mark_waits(void *condition);
void __ravel_mark_woken(void *condition);
void __ravel_mark_woken_early(void *condition);
void __ravel_mark_signals(void *condition);
void __ravel_mark_broadcasts(void *condition);
void __ravel_mark_down(void *semaphore);
void __ravel_mark_up(void *semaphore);
void __ravel_mark_arrives(void *barrier);
void __ravel_mark_passes(void *barrier);
void __ravel_unsupported(const char *what);
void *__ravel_alloc(word size, int zeroed);
/* The second argument is a constant. */
void *__ravel_alloc_aligned(word size, word alignment);
/* An object of the library's own, which is there until it or the process ends; it is never lost. */
void *__ravel_alloc_static(word size);
void __ravel_end_static(void *address);
void __ravel_free(void *address);
void __ravel_assume(int condition);
