/* Mutexes and spin locks. Initialising is a plain write: whoever uses the lock at the same time races with it. Unlocking a mutex lets all
 * stores reach memory, as POSIX says and atomic exchanges do; unlocking a spin lock is a plain release. The word at offset 0 is 0 when free.
 * Where somebody asks about deadlocks or misuse, or kinds of mutexes are used, it is the owner's handle when taken, else 1, so that it
 * does not tell threads apart; a recursive mutex counts further locks at offset 4; the kind is where the static initialisers put it.
 *
 * Memory that is zero counts as initialised, as it does on Linux. What was destroyed is DEAD; no object in use has a word
 * above HANDLES where an owner is kept, so that memory that nobody has written may be noticed. Whoever waits for a lock
 * goes on if it is such a word, to say so. */

enum { HANDLES = 0xffff, DEAD = 0x7fffffff };

enum { NORMAL = 0, RECURSIVE = 1, ERROR_CHECKING = 2 };

static u32 *count_at(void *mutex)
{
    return (u32 *)((char *)mutex + 4);
}

static u32 owner(void)
{
    if (__ravel_keeps_owners())
        return (u32)__ravel_self();
    return 1;
}

static int mutexes_die(void)
{
    return __ravel_may_be_dead("pthread_mutex_destroy") || __ravel_may_be_dead("mtx_destroy");
}

/* Waits until a lock is free, or is none. */
static u32 take(void *lock, u32 me, int may_die)
{
    u32 old;
    if (__ravel_may_be_unset())
        __ravel_await_owner((u32 *)lock, old, old == 0 || old > HANDLES, old, old == 0 ? me : old, ACQUIRE);
    else if (may_die)
        __ravel_await_owner((u32 *)lock, old, old == 0 || old == DEAD, old, old == 0 ? me : old, ACQUIRE);
    else
        __ravel_await_owner((u32 *)lock, old, old == 0, old, me, ACQUIRE);
    return old;
}

static void must_be_mutex(u32 old)
{
    if (__ravel_may_be_unset())
        __ravel_misuse(old > HANDLES, "use of a mutex that was destroyed or never initialised");
    else if (mutexes_die())
        __ravel_misuse(old == DEAD, "use of a mutex that was destroyed");
}

static void must_be_spin_lock(u32 old)
{
    if (__ravel_may_be_unset())
        __ravel_misuse(old > HANDLES, "use of a spin lock that was destroyed or never initialised");
    else if (__ravel_may_be_dead("pthread_spin_destroy"))
        __ravel_misuse(old == DEAD, "use of a spin lock that was destroyed");
}

static u32 *kind_at(void *mutex)
{
    return (u32 *)((char *)mutex + (sizeof(word) == 8 ? 16 : 12));
}

/* Whether a thread may wait with a mutex: what it must not do with one that it does not hold, or holds more than once. Only one that
 * checks errors says so itself. */
static int check_held(void *mutex)
{
    if (__ravel_uses_mutex_kinds()) {
        u32 kind = __atomic_load_n(kind_at(mutex), RELAXED) & 3;
        if (kind == ERROR_CHECKING && __atomic_load_n((u32 *)mutex, RELAXED) != (u32)__ravel_self())
            return EPERM;
        if (kind == RECURSIVE && __atomic_load_n(count_at(mutex), RELAXED) != 0) {
            __ravel_misuse(1, "wait with a recursive mutex that the thread has locked more than once");
            __ravel_unsupported("a wait with a recursive mutex that the thread has locked more than once");
        }
    }
    if (__ravel_asks_misuse())
        __ravel_misuse(__atomic_load_n((u32 *)mutex, RELAXED) != (u32)__ravel_self(),
            "wait with a mutex that the thread does not hold");
    return 0;
}

/* Initialising leaves a mark at some offset, and whoever finds one initialises a second time; but for programs with objects in memory of any value. */
enum { MARK = 0x4d41524b };

static void set_mark(void *object, word offset)
{
    if (__ravel_asks_misuse() && !__ravel_may_be_unset()) {
        u32 *mark = (u32 *)((char *)object + offset);
        __ravel_misuse(__atomic_load_n(mark, RELAXED) == MARK, "initialisation of what is initialised already");
        __atomic_store_n(mark, MARK, RELAXED);
    }
}

/* Nor is initialised what is in use, however it was made: the word at offset 0 is not zero then, nor beyond what a lock can hold. */
static void must_be_unused(void *object, u32 most)
{
    if (__ravel_asks_misuse() && !__ravel_may_be_unset()) {
        u32 now = __atomic_load_n((u32 *)object, RELAXED);
        __ravel_misuse(now != 0 && now <= most, "initialisation of what is in use");
    }
}

static void clear_mark(void *object, word offset)
{
    if (__ravel_asks_misuse() && !__ravel_may_be_unset())
        __atomic_store_n((u32 *)((char *)object + offset), 0, RELAXED);
}

/* What locking a mutex that one already holds gives; -1 if one does not hold it, or has to wait for oneself. */
static int lock_again(void *mutex)
{
    u32 kind = __atomic_load_n(kind_at(mutex), RELAXED) & 3;
    if (kind != RECURSIVE && kind != ERROR_CHECKING)
        return -1;
    if (__atomic_load_n((u32 *)mutex, RELAXED) != (u32)__ravel_self())
        return -1;
    if (kind == ERROR_CHECKING)
        return EDEADLK;
    u32 *count = count_at(mutex);
    __atomic_store_n(count, __atomic_load_n(count, RELAXED) + 1, RELAXED);
    return 0;
}

int pthread_mutex_lock(void *mutex)
{
    u32 me = owner();
    if (__ravel_uses_mutex_kinds()) {
        int again = lock_again(mutex);
        if (again >= 0)
            return again;
    }
    must_be_mutex(take(mutex, me, mutexes_die()));
    __ravel_mark_locked(mutex);
    return 0;
}

int pthread_mutex_trylock(void *mutex)
{
    u32 old;
    u32 me = owner();
    if (__ravel_uses_mutex_kinds()) {
        int again = lock_again(mutex);
        if (again >= 0)
            return again == 0 ? 0 : EBUSY;
    }
    __ravel_try((u32 *)mutex, old, old == 0, me, ACQUIRE);
    must_be_mutex(old);
    if (old != 0) {
        __ravel_mark_busy(mutex);
        return EBUSY;
    }
    __ravel_mark_locked(mutex);
    return 0;
}

/* Whether a time is one; it is read in any case. */
static int is_deadline(void *deadline)
{
    long whole = ((long *)deadline)[0];
    long part = ((long *)deadline)[1];
    return part >= 0 && part < 1000000000;
}

/* Whoever waits until some time is never stuck, and nobody can tell how long it waits. So it is one look at the lock, at
 * whatever moment: it is free and taken, or it is not and time has run out. The same holds for all that wait until some time. */
int pthread_mutex_timedlock(void *mutex, void *deadline)
{
    if (__ravel_uses_mutex_kinds()) {
        int again = lock_again(mutex);
        if (again >= 0)
            return again;
    }
    int is_time = is_deadline(deadline);
    if (pthread_mutex_trylock(mutex) == 0)
        return 0;
    return is_time ? ETIMEDOUT : EINVAL;
}

int pthread_mutex_clocklock(void *mutex, int clock, void *deadline)
{
    return pthread_mutex_timedlock(mutex, deadline);
}

int pthread_mutex_unlock(void *mutex)
{
    if (__ravel_uses_mutex_kinds()) {
        u32 kind = __atomic_load_n(kind_at(mutex), RELAXED) & 3;
        if (kind == RECURSIVE || kind == ERROR_CHECKING) {
            if (__atomic_load_n((u32 *)mutex, RELAXED) != (u32)__ravel_self())
                return EPERM;
            u32 *count = count_at(mutex);
            u32 n = __atomic_load_n(count, RELAXED);
            if (kind == RECURSIVE && n > 0) {
                __atomic_store_n(count, n - 1, RELAXED);
                return 0;
            }
        }
    }
    __ravel_mark_unlocked(mutex);
    if (__ravel_asks_misuse()) {
        u32 old;
        u32 me = owner();
        __ravel_rmw((u32 *)mutex, old, 0, SEQ_CST);
        must_be_mutex(old);
        __ravel_misuse(old != me, "unlock of a mutex that the thread does not hold");
        return 0;
    }
    __atomic_store_n((u32 *)mutex, 0, SEQ_CST);
    return 0;
}

int pthread_mutex_init(void *mutex, u32 *attributes)
{
    must_be_unused(mutex, HANDLES);
    *(u32 *)mutex = 0;
    set_mark(mutex, 8);
    if (__ravel_uses_mutex_kinds()) {
        *count_at(mutex) = 0;
        *kind_at(mutex) = attributes ? *attributes : NORMAL;
    }
    return 0;
}

int pthread_mutex_destroy(void *mutex)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_rmw((u32 *)mutex, old, DEAD, RELAXED);
        __ravel_misuse(old > HANDLES, "destruction of a mutex that was destroyed or never initialised");
        __ravel_misuse(old != 0 && old <= HANDLES, "destruction of a mutex that is held");
        clear_mark(mutex, 8);
    }
    return 0;
}

int pthread_mutexattr_init(u32 *attributes)
{
    *attributes = NORMAL;
    return 0;
}

int pthread_mutexattr_destroy(u32 *attributes)
{
    return 0;
}

int pthread_mutexattr_settype(u32 *attributes, u32 kind)
{
    if (kind > 3)
        return EINVAL;
    *attributes = kind;
    return 0;
}

int pthread_mutexattr_gettype(u32 *attributes, u32 *kind)
{
    *kind = *attributes;
    return 0;
}

int pthread_mutexattr_setpshared(u32 *attributes, int is_shared)
{
    return 0;
}

int pthread_mutexattr_setprotocol(u32 *attributes, int protocol)
{
    return 0;
}

int pthread_spin_init(void *lock, int is_shared)
{
    must_be_unused(lock, HANDLES);
    *(u32 *)lock = 0;
    return 0;
}

int pthread_spin_destroy(void *lock)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_rmw((u32 *)lock, old, DEAD, RELAXED);
        __ravel_misuse(old > HANDLES, "destruction of a spin lock that was destroyed or never initialised");
        __ravel_misuse(old != 0 && old <= HANDLES, "destruction of a spin lock that is held");
    }
    return 0;
}

int pthread_spin_lock(void *lock)
{
    must_be_spin_lock(take(lock, owner(), __ravel_may_be_dead("pthread_spin_destroy")));
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_spin_trylock(void *lock)
{
    u32 old;
    u32 me = owner();
    __ravel_try((u32 *)lock, old, old == 0, me, ACQUIRE);
    must_be_spin_lock(old);
    if (old != 0) {
        __ravel_mark_busy(lock);
        return EBUSY;
    }
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_spin_unlock(void *lock)
{
    if (__ravel_asks_misuse())
        __ravel_misuse(__atomic_load_n((u32 *)lock, RELAXED) != owner(), "unlock of a spin lock that the thread does not hold");
    __ravel_mark_unlocked(lock);
    __atomic_store_n((u32 *)lock, 0, RELEASE);
    return 0;
}
