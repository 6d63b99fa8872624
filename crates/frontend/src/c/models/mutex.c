/* Mutexes and spin locks. Initialising is a plain write: whoever uses the lock at the same time races with it. Unlocking a mutex lets all stores reach memory, as POSIX says and atomic exchanges do; unlocking a spin
 * lock is a plain release. The word at offset 0 is 0 when free. Where kinds of mutexes are used it is the owner's handle when
 * taken, else 1, so that it does not tell threads apart; a recursive mutex counts further locks at offset 4; the kind
 * is where the static initialisers put it. */

enum { NORMAL = 0, RECURSIVE = 1, ERROR_CHECKING = 2 };

static u32 *count_at(void *mutex)
{
    return (u32 *)((char *)mutex + 4);
}

static u32 owner(void)
{
    if (__ravel_uses_mutex_kinds())
        return (u32)__ravel_self();
    return 1;
}

static u32 *kind_at(void *mutex)
{
    return (u32 *)((char *)mutex + (sizeof(word) == 8 ? 16 : 12));
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
    u32 old;
    u32 me = owner();
    if (__ravel_uses_mutex_kinds()) {
        int again = lock_again(mutex);
        if (again >= 0)
            return again;
    }
    __ravel_await((u32 *)mutex, old, old == 0, me, ACQUIRE);
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
    if (old != 0)
        return EBUSY;
    __ravel_mark_locked(mutex);
    return 0;
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
    return pthread_mutex_trylock(mutex) ? ETIMEDOUT : 0;
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
    __atomic_store_n((u32 *)mutex, 0, SEQ_CST);
    return 0;
}

int pthread_mutex_init(void *mutex, u32 *attributes)
{
    *(u32 *)mutex = 0;
    if (__ravel_uses_mutex_kinds()) {
        *count_at(mutex) = 0;
        *kind_at(mutex) = attributes ? *attributes : NORMAL;
    }
    return 0;
}

int pthread_mutex_destroy(void *mutex)
{
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
    *(u32 *)lock = 0;
    return 0;
}

int pthread_spin_destroy(void *lock)
{
    return 0;
}

int pthread_spin_lock(void *lock)
{
    u32 old;
    __ravel_await((u32 *)lock, old, old == 0, 1, ACQUIRE);
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_spin_trylock(void *lock)
{
    u32 old;
    __ravel_try((u32 *)lock, old, old == 0, 1, ACQUIRE);
    if (old != 0)
        return EBUSY;
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_spin_unlock(void *lock)
{
    __ravel_mark_unlocked(lock);
    __atomic_store_n((u32 *)lock, 0, RELEASE);
    return 0;
}
