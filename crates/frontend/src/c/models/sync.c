/* Read-write locks, semaphores and barriers, each with its state in the word at offset 0. */

/* A read-write lock counts its readers, or has a high bit and, where it is asked for, the writer's handle. A wait for readers
 * tells nobody alone who could end it. */
enum { WRITER = 0x40000000 };

static u32 writer(void)
{
    if (__ravel_keeps_owners())
        return WRITER + (u32)__ravel_self();
    return WRITER;
}

static int rwlocks_die(void)
{
    return __ravel_may_be_dead("pthread_rwlock_destroy") || __ravel_may_be_unset();
}

static void must_be_rwlock(u32 old)
{
    if (rwlocks_die())
        __ravel_misuse(old > WRITER + HANDLES, "use of a read-write lock that was destroyed or never initialised");
}

int pthread_rwlock_init(void *lock, void *attributes)
{
    __atomic_store_n((u32 *)lock, 0, RELEASE);
    return 0;
}

int pthread_rwlock_destroy(void *lock)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_rmw((u32 *)lock, old, DEAD, RELAXED);
        __ravel_misuse(old > WRITER + HANDLES, "destruction of a read-write lock that was destroyed or never initialised");
        __ravel_misuse(old != 0 && old <= WRITER + HANDLES, "destruction of a read-write lock that is held");
    }
    return 0;
}

int pthread_rwlockattr_init(void *attributes)
{
    return 0;
}

int pthread_rwlockattr_destroy(void *attributes)
{
    return 0;
}

int pthread_rwlockattr_setkind_np(void *attributes, int preference)
{
    return 0;
}

int pthread_rwlockattr_setpshared(void *attributes, int is_shared)
{
    return 0;
}

int pthread_rwlock_rdlock(void *lock)
{
    u32 old;
    if (rwlocks_die())
        __ravel_await_owner((u32 *)lock, old, old < WRITER || old > WRITER + HANDLES, old - WRITER,
            old < WRITER ? old + 1 : old, ACQUIRE);
    else
        __ravel_await_owner((u32 *)lock, old, old < WRITER, old - WRITER, old + 1, ACQUIRE);
    must_be_rwlock(old);
    __ravel_mark_read_locked(lock);
    return 0;
}

int pthread_rwlock_tryrdlock(void *lock)
{
    u32 old;
    __ravel_rmw((u32 *)lock, old, old < WRITER ? old + 1 : old, ACQUIRE);
    must_be_rwlock(old);
    if (old >= WRITER)
        return EBUSY;
    __ravel_mark_read_locked(lock);
    return 0;
}

int pthread_rwlock_timedrdlock(void *lock, void *deadline)
{
    if (__ravel_choice())
        return pthread_rwlock_tryrdlock(lock) ? ETIMEDOUT : 0;
    return pthread_rwlock_rdlock(lock);
}

int pthread_rwlock_wrlock(void *lock)
{
    u32 old;
    u32 me = writer();
    if (rwlocks_die())
        __ravel_await_owner((u32 *)lock, old, old == 0 || old > WRITER + HANDLES, old > WRITER ? old - WRITER : 0,
            old == 0 ? me : old, ACQUIRE);
    else
        __ravel_await_owner((u32 *)lock, old, old == 0, old > WRITER ? old - WRITER : 0, me, ACQUIRE);
    must_be_rwlock(old);
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_trywrlock(void *lock)
{
    u32 old;
    u32 me = writer();
    __ravel_rmw((u32 *)lock, old, old == 0 ? me : old, ACQUIRE);
    must_be_rwlock(old);
    if (old != 0)
        return EBUSY;
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_timedwrlock(void *lock, void *deadline)
{
    if (__ravel_choice())
        return pthread_rwlock_trywrlock(lock) ? ETIMEDOUT : 0;
    return pthread_rwlock_wrlock(lock);
}

int pthread_rwlock_unlock(void *lock)
{
    u32 old;
    __ravel_mark_unlocked(lock);
    __ravel_rmw((u32 *)lock, old, old >= WRITER || old == 0 ? 0 : old - 1, ACQ_REL);
    must_be_rwlock(old);
    if (__ravel_asks_misuse()) {
        u32 me = writer();
        __ravel_misuse(old == 0, "unlock of a read-write lock that nobody holds");
        __ravel_misuse(old >= WRITER && old != me, "unlock of a read-write lock that another thread writes under");
    }
    return 0;
}

static int fail_with(int number)
{
    if (__ravel_uses("__errno_location"))
        *__errno_location() = number;
    return -1;
}

int sem_init(void *semaphore, int is_shared, u32 value)
{
    if (__ravel_asks_misuse())
        __ravel_misuse(value > 0x7fffffff, "a semaphore with a value above SEM_VALUE_MAX");
    __atomic_store_n((u32 *)semaphore, value, RELEASE);
    return 0;
}

enum { SEM_VALUE_MAX = 0x7fffffff, SEM_DEAD = 0x80000001 };

static void semaphore_lived(u32 old)
{
    if (__ravel_may_be_dead("sem_destroy") || __ravel_may_be_unset())
        __ravel_misuse(old > SEM_VALUE_MAX, "use of a semaphore that was destroyed or never initialised");
}

int sem_destroy(void *semaphore)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_rmw((u32 *)semaphore, old, SEM_DEAD, RELAXED);
        __ravel_misuse(old > SEM_VALUE_MAX, "destruction of a semaphore that was destroyed or never initialised");
    }
    return 0;
}

int sem_wait(void *semaphore)
{
    u32 old;
    __ravel_await((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    semaphore_lived(old);
    return 0;
}

int sem_trywait(void *semaphore)
{
    u32 old;
    __ravel_rmw((u32 *)semaphore, old, old > 0 ? old - 1 : 0, ACQUIRE);
    semaphore_lived(old);
    return old > 0 ? 0 : fail_with(EAGAIN);
}

int sem_timedwait(void *semaphore, void *deadline)
{
    u32 old;
    if (__ravel_choice()) {
        __ravel_rmw((u32 *)semaphore, old, old > 0 ? old - 1 : 0, ACQUIRE);
        return old > 0 ? 0 : fail_with(ETIMEDOUT);
    }
    return sem_wait(semaphore);
}

int sem_clockwait(void *semaphore, int clock, void *deadline)
{
    return sem_timedwait(semaphore, deadline);
}

int sem_post(void *semaphore)
{
    u32 old;
    __ravel_rmw((u32 *)semaphore, old, old + 1, ACQ_REL);
    semaphore_lived(old);
    if (__ravel_asks_misuse())
        __ravel_misuse(old == SEM_VALUE_MAX, "a post that takes a semaphore above SEM_VALUE_MAX");
    return 0;
}

int sem_getvalue(void *semaphore, int *value)
{
    *value = (int)__atomic_load_n((u32 *)semaphore, RELAXED);
    return 0;
}

/* A barrier has its size at offset 4; the word counts arrivals in its low half and, above, rounds modulo 4. */
enum { ARRIVALS = 0xffff, ROUND = 0x10000, ROUNDS = 0x30000 };

int pthread_barrier_init(void *barrier, void *attributes, u32 count)
{
    __ravel_misuse(count == 0, "a barrier for no threads");
    if (count == 0)
        return EINVAL;
    __atomic_store_n((u32 *)barrier, 0, RELAXED);
    __atomic_store_n((u32 *)((char *)barrier + 4), count, RELEASE);
    return 0;
}

int pthread_barrier_destroy(void *barrier)
{
    return 0;
}

int pthread_barrier_wait(void *barrier)
{
    u32 count = __atomic_load_n((u32 *)((char *)barrier + 4), RELAXED);
    u32 old;
    u32 now;
    __ravel_rmw((u32 *)barrier, old, (old & ARRIVALS) + 1 == count ? ((old & ROUNDS) + ROUND) & ROUNDS : old + 1, ACQ_REL);
    if ((old & ARRIVALS) + 1 == count)
        return -1;
    __ravel_await((u32 *)barrier, now, (now & ROUNDS) != (old & ROUNDS), now, ACQUIRE);
    return 0;
}

int pthread_barrierattr_init(void *attributes)
{
    return 0;
}

int pthread_barrierattr_destroy(void *attributes)
{
    return 0;
}
