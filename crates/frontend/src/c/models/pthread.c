/* Threads: creation, joining, ending, thread-specific data, and initialisation that happens once. */

enum { KEYS = 16, DESTRUCTOR_ROUNDS = 4 };

static u32 n_keys;
static word destructors[KEYS];
static _Thread_local word values[KEYS];

/* The keys that have a value and a destructor, as a set. */
static u32 keys_in_use(u32 n)
{
    u32 set = 0;
    for (u32 key = 0; key < n; key++) {
        if (values[key] != 0 && __atomic_load_n(&destructors[key], RELAXED) != 0)
            set |= (u32)1 << key;
    }
    return set;
}

/* In any order; again if some have got a new value. */
static void run_destructors(void)
{
    u32 n = __atomic_load_n(&n_keys, ACQUIRE);
    u32 left = keys_in_use(n);
    for (int round = 0; round < DESTRUCTOR_ROUNDS && left != 0; round++) {
        while (left != 0) {
            u32 rest = left;
            while ((rest & (rest - 1)) != 0 && __ravel_choice())
                rest &= rest - 1;
            u32 key = (u32)__builtin_ctz(rest);
            left &= ~((u32)1 << key);
            word destructor = __atomic_load_n(&destructors[key], RELAXED);
            word value = values[key];
            if (value != 0 && destructor != 0) {
                values[key] = 0;
                ((void (*)(word))destructor)(value);
            }
        }
        left = keys_in_use(n);
    }
}

static word run_with_destructors(word start, word arg)
{
    word result = ((word (*)(word))start)(arg);
    run_destructors();
    return result;
}

/* What became of threads, by handle. Bytes, as states that are remembered have all of them. A handle may have been read next to pointers, of which it is
   none: the narrower number says so (see points_to.rs). */
enum { THREADS = 1025, JOINABLE = 0, DETACHED = 1, JOINED = 2, GONE_BY_JOIN = 3 };
static u8 fate[THREADS];

static int may_be_detached(void)
{
    return __ravel_uses("pthread_detach") || __ravel_uses("thrd_detach") || __ravel_uses("pthread_attr_setdetachstate");
}

static void detach(word thread)
{
    u8 old;
    if (thread >= THREADS)
        __ravel_unsupported("more than 1024 threads of which some are detached");
    __ravel_rmw(&fate[(u32)thread], old, DETACHED, ACQ_REL);
    __ravel_misuse(old == DETACHED, "a thread is detached twice");
    __ravel_misuse(old >= JOINED, "a thread is detached that was joined");
}

/* Nobody is told anything from outside once joined. */
static void must_be_told(word thread)
{
    if (__ravel_asks_misuse()) {
        __ravel_misuse(thread == 0, "what is cancelled or signalled was never a thread");
        if (thread >= THREADS)
            __ravel_unsupported("more than 1024 threads of which some are cancelled or signalled");
        __ravel_misuse(__atomic_load_n(&fate[(u32)thread], RELAXED) == GONE_BY_JOIN, "a thread is cancelled or signalled that was joined");
    }
}

static void may_join(word thread)
{
    if (__ravel_asks_misuse() && (__ravel_uses("pthread_cancel") || __ravel_uses("pthread_kill") || may_be_detached() || __ravel_may_misjoin())) {
        u8 old;
        __ravel_misuse(thread == 0, "what is joined was never a thread");
        __ravel_misuse(thread == __ravel_self(), "a thread joins itself");
        if (thread >= THREADS)
            __ravel_unsupported("more than 1024 threads that are joined");
        __ravel_rmw(&fate[(u32)thread], old, JOINED, ACQ_REL);
        __ravel_misuse(old == DETACHED, "a thread is joined that was detached");
        __ravel_misuse(old >= JOINED, "a thread is joined twice");
    }
}

/* Until the join comes to its end the handle names the thread. */
static void has_joined(word thread)
{
    if (__ravel_asks_misuse())
        __atomic_store_n(&fate[(u32)thread], GONE_BY_JOIN, RELEASE);
}

int pthread_attr_init(u32 *attributes)
{
    if (__ravel_uses("pthread_attr_setdetachstate") || __ravel_uses("pthread_attr_getdetachstate"))
        *attributes = 0;
    return 0;
}

int pthread_attr_setdetachstate(u32 *attributes, int state)
{
    if (state != 0 && state != 1)
        return EINVAL;
    *attributes = (u32)state;
    return 0;
}

int pthread_attr_getdetachstate(u32 *attributes, int *state)
{
    *state = (int)*attributes;
    return 0;
}

/* Around what is one step if that is possible, and right if it is not. */
static void begin_together(void)
{
    if (!__ravel_has_axioms())
        __ravel_atomic_begin();
}

static void end_together(void)
{
    if (!__ravel_has_axioms())
        __ravel_atomic_end();
}

/* Whether the handle of a thread is where it belongs. */
static u8 is_stored[THREADS];

static void await_stored(void)
{
    u8 old;
    __ravel_await(&is_stored[__ravel_self()], old, old == 1, old, ACQUIRE);
}

static word run_when_stored(word start, word arg)
{
    await_stored();
    word result = ((word (*)(word))start)(arg);
    if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        run_destructors();
    return result;
}

/* POSIX promises the handle to the caller alone, and a thread that looks for it too early races. Where threads use handles of others it is stored
   before the new thread runs, as glibc does; the answer says so. */
static void note_mask_of_new_thread(void);

int pthread_create(word *thread, void *attributes, word start, word arg)
{
    if (__ravel_uses("pthread_sigmask") || __ravel_uses("sigprocmask"))
        note_mask_of_new_thread();
    if (__ravel_stores_handles_early()) {
        begin_together();
        word created = __ravel_start(run_when_stored, start, arg);
        if (created >= THREADS)
            __ravel_unsupported("more than 1024 threads that may use the handles of others");
        *thread = created;
        __atomic_store_n(&is_stored[created], 1, RELEASE);
        end_together();
    } else if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        *thread = __ravel_start(run_with_destructors, start, arg);
    else
        *thread = __ravel_start(start, arg);
    if (__ravel_uses("pthread_attr_setdetachstate") && attributes && *(u32 *)attributes == 1)
        detach(*thread);
    return 0;
}

int pthread_join(word thread, word *result)
{
    may_join(thread);
    if (!__ravel_asks_misuse() && may_be_detached())
        if (thread < THREADS && __atomic_load_n(&fate[(u32)thread], ACQUIRE) == DETACHED)
            return EINVAL;
    word value = __ravel_join(thread);
    if (__ravel_uses("pthread_cancel") || __ravel_uses("pthread_kill"))
        has_joined(thread);
    if (result)
        *result = value;
    return 0;
}

static void run_cleanups(void);
static void leave_once(void);
static void enter_once(u32 *control);
static _Thread_local u32 *once_under_way;
static _Thread_local int cancel_state;

static void leave_thread(word result)
{
    /* Who leaves is not cancelled any more. */
    if (__ravel_uses("pthread_cancel"))
        cancel_state = 1;
    if (__ravel_uses("pthread_cancel") && once_under_way)
        leave_once();
    if (__ravel_uses("__pthread_register_cancel"))
        run_cleanups();
    /* After the last thread the process ends as if by exit. */
    if (__ravel_runs_at_end() && __ravel_self() == 1)
        __ravel_unsupported("the first thread leaving by `pthread_exit`, where something runs at the end of the program");
    if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        run_destructors();
    __ravel_exit_thread(result);
}

void pthread_exit(word result)
{
    if (__ravel_uses("pthread_once") || __ravel_uses("call_once")) {
        if (once_under_way)
            __ravel_unsupported("a thread that leaves in the routine of a call of once");
    }
    leave_thread(result);
}

static u8 is_cancelled[THREADS];
static _Thread_local int cancel_type;

static void cancel_wait(word thread);

/* A thread that is cancelled ends at its next call that can notice it: sleeping, reading, writing, printing, waiting at a condition variable and their like. */
int pthread_cancel(word thread)
{
    must_be_told(thread);
    if (thread >= THREADS)
        __ravel_unsupported("more than 1024 threads of which some are cancelled");
    begin_together();
    __atomic_store_n(&is_cancelled[(u32)thread], 1, RELEASE);
    if (__ravel_uses("pthread_cond_wait"))
        cancel_wait(thread);
    end_together();
    return 0;
}

static void may_end_here(void)
{
    if (cancel_state == 0) {
        word me = __ravel_self();
        if (me < THREADS && __atomic_load_n(&is_cancelled[(u32)me], ACQUIRE) != 0)
            leave_thread((word)-1);
    }
}

/* Who waits for another thread may be cancelled meanwhile, which is not followed. */
static void waits_for_others(void)
{
    may_end_here();
    __ravel_unsupported("waiting for others in a program that cancels threads");
}

/* Whatever goes to the outside or comes from there is where a thread that was cancelled ends. */
static void may_wait(void)
{
    if (__ravel_uses("pthread_cancel"))
        may_end_here();
}

/* With streams and names of files it may be: POSIX leaves it open. */
static void may_wait_or_not(void)
{
    if (__ravel_uses("pthread_cancel") && __ravel_choice())
        may_end_here();
}

void pthread_testcancel(void)
{
    may_wait();
}

word pthread_self(void)
{
    return __ravel_self();
}

int pthread_equal(word a, word b)
{
    return a == b;
}

int pthread_detach(word thread)
{
    detach(thread);
    return 0;
}

/* The same as pthread_self, for annotated programs. */
u32 __VERIFIER_tid(void)
{
    return (u32)__ravel_self();
}

int pthread_key_create(u32 *key, word destructor)
{
    u32 n;
    __ravel_rmw(&n_keys, n, n + 1, ACQ_REL);
    if (n >= KEYS)
        __ravel_unsupported("more than 16 keys of thread-specific data");
    __atomic_store_n(&destructors[n], destructor, RELAXED);
    *key = n;
    return 0;
}

static u32 deleted[KEYS];

static void key_lives(u32 key)
{
    if (__ravel_asks_misuse()) {
        __ravel_misuse(key >= KEYS || key >= __atomic_load_n(&n_keys, RELAXED), "use of a key that was not made");
        if (__ravel_uses("pthread_key_delete") || __ravel_uses("tss_delete"))
            __ravel_misuse(__atomic_load_n(&deleted[key], RELAXED) != 0, "use of a key that was deleted");
    }
}

int pthread_key_delete(u32 key)
{
    key_lives(key);
    __atomic_store_n(&destructors[key], 0, RELAXED);
    if (__ravel_asks_misuse())
        __atomic_store_n(&deleted[key], 1, RELAXED);
    return 0;
}

int pthread_setspecific(u32 key, word value)
{
    key_lives(key);
    if (key >= KEYS)
        return EINVAL;
    values[key] = value;
    return 0;
}

word pthread_getspecific(u32 key)
{
    key_lives(key);
    if (key >= KEYS)
        return 0;
    return values[key];
}

/* 0 not yet, 2 done; else running, with who runs it, where it is asked for, above. */
enum { ONCE_RUNNING = 1, ONCE_DONE = 2, ONCE_OWNER = 4 };

/* Whether a thread may leave while it runs the routine. */
static int may_leave_once(void)
{
    return __ravel_uses("pthread_cancel") || __ravel_uses("pthread_exit") || __ravel_uses("thrd_exit");
}

/* A call whose routine is cancelled counts as none: who comes next runs the routine. */
int pthread_once(u32 *control, word initialise)
{
    u32 old;
    u32 me = __ravel_keeps_owners() ? ONCE_RUNNING + ONCE_OWNER * (u32)__ravel_self() : ONCE_RUNNING;
    if (__ravel_asks_misuse())
        __ravel_misuse(__atomic_load_n(control, RELAXED) == me, "the routine of a call of once calls it again");
    __ravel_await_owner(control, old, (old & ONCE_RUNNING) == 0, old / ONCE_OWNER, old == 0 ? me : old, ACQ_REL);
    if (old == 0) {
        if (may_leave_once())
            enter_once(control);
        ((void (*)(void))initialise)();
        if (may_leave_once())
            once_under_way = 0;
        __atomic_store_n(control, ONCE_DONE, RELEASE);
    }
    return 0;
}

static _Thread_local int error_number;

int *__errno_location(void)
{
    return &error_number;
}
