/* Threads: creation, joining, ending, thread-specific data, and initialisation that happens once. */

enum { KEYS = 16, DESTRUCTOR_ROUNDS = 4 };

static u32 n_keys;
static word destructors[KEYS];
static _Thread_local word values[KEYS];

static void run_destructors(void)
{
    u32 n = __atomic_load_n(&n_keys, ACQUIRE);
    int is_dirty = 1;
    for (int round = 0; round < DESTRUCTOR_ROUNDS && is_dirty; round++) {
        is_dirty = 0;
        for (u32 key = 0; key < n; key++) {
            word destructor = __atomic_load_n(&destructors[key], RELAXED);
            word value = values[key];
            if (value != 0 && destructor != 0) {
                is_dirty = 1;
                values[key] = 0;
                ((void (*)(word))destructor)(value);
            }
        }
    }
}

static word run_with_destructors(word start, word arg)
{
    word result = ((word (*)(word))start)(arg);
    run_destructors();
    return result;
}

/* Who was detached, by handle. */
enum { THREADS = 1025 };
static unsigned char is_detached[THREADS];

static void detach(word thread)
{
    if (thread >= THREADS)
        __ravel_unsupported("more than 1024 threads of which some are detached");
    __atomic_store_n(&is_detached[thread], 1, RELEASE);
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

/* The handle is there before anybody can look for it. */
int pthread_create(word *thread, void *attributes, word start, word arg)
{
    __ravel_atomic_begin();
    if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        *thread = __ravel_start(run_with_destructors, start, arg);
    else
        *thread = __ravel_start(start, arg);
    __ravel_atomic_end();
    if (__ravel_uses("pthread_attr_setdetachstate") && attributes && *(u32 *)attributes == 1)
        detach(*thread);
    return 0;
}

int pthread_join(word thread, word *result)
{
    if (__ravel_uses("pthread_detach") || __ravel_uses("pthread_attr_setdetachstate"))
        if (thread < THREADS && __atomic_load_n(&is_detached[thread], ACQUIRE))
            return EINVAL;
    word value = __ravel_join(thread);
    if (result)
        *result = value;
    return 0;
}

void pthread_exit(word result)
{
    if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        run_destructors();
    __ravel_exit_thread(result);
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

int pthread_key_delete(u32 key)
{
    __atomic_store_n(&destructors[key], 0, RELAXED);
    return 0;
}

int pthread_setspecific(u32 key, word value)
{
    if (key >= KEYS)
        return EINVAL;
    values[key] = value;
    return 0;
}

word pthread_getspecific(u32 key)
{
    if (key >= KEYS)
        return 0;
    return values[key];
}

/* 0 not yet, 1 running, 2 done. */
int pthread_once(u32 *control, word initialise)
{
    u32 old;
    __ravel_await(control, old, old != 1, old == 0 ? 1 : old, ACQ_REL);
    if (old == 0) {
        ((void (*)(void))initialise)();
        __atomic_store_n(control, 2, RELEASE);
    }
    return 0;
}

static _Thread_local int error_number;

int *__errno_location(void)
{
    return &error_number;
}
