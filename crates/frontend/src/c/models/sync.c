/* Read-write locks, semaphores and barriers, each with its state in the word at offset 0. An attempt that fails, and looking at
 * the value of a semaphore, synchronise with nobody; initialising is a plain write. */

/* A read-write lock counts its readers, or has the highest bit and the writer's handle. */
enum { WRITER = 0x40000000 };

int pthread_rwlock_init(void *lock, void *attributes)
{
    *(u32 *)lock = 0;
    return 0;
}

int pthread_rwlock_destroy(void *lock)
{
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
    __ravel_await((u32 *)lock, old, old < WRITER, old + 1, ACQUIRE);
    __ravel_mark_read_locked(lock);
    return 0;
}

int pthread_rwlock_tryrdlock(void *lock)
{
    u32 old;
    __ravel_try((u32 *)lock, old, old < WRITER, old + 1, ACQUIRE);
    if (old >= WRITER)
        return EBUSY;
    __ravel_mark_read_locked(lock);
    return 0;
}

int pthread_rwlock_timedrdlock(void *lock, void *deadline)
{
    return pthread_rwlock_tryrdlock(lock) ? ETIMEDOUT : 0;
}

int pthread_rwlock_wrlock(void *lock)
{
    u32 old;
    __ravel_await((u32 *)lock, old, old == 0, WRITER, ACQUIRE);
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_trywrlock(void *lock)
{
    u32 old;
    __ravel_try((u32 *)lock, old, old == 0, WRITER, ACQUIRE);
    if (old != 0)
        return EBUSY;
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_timedwrlock(void *lock, void *deadline)
{
    return pthread_rwlock_trywrlock(lock) ? ETIMEDOUT : 0;
}

int pthread_rwlock_clockrdlock(void *lock, int clock, void *deadline)
{
    return pthread_rwlock_timedrdlock(lock, deadline);
}

int pthread_rwlock_clockwrlock(void *lock, int clock, void *deadline)
{
    return pthread_rwlock_timedwrlock(lock, deadline);
}

int pthread_rwlock_unlock(void *lock)
{
    u32 old;
    __ravel_mark_unlocked(lock);
    __ravel_rmw((u32 *)lock, old, old >= WRITER || old == 0 ? 0 : old - 1, ACQ_REL);
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
    *(u32 *)semaphore = value;
    return 0;
}

int sem_destroy(void *semaphore)
{
    return 0;
}

int sem_wait(void *semaphore)
{
    u32 old;
    __ravel_await((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    return 0;
}

int sem_trywait(void *semaphore)
{
    u32 old;
    __ravel_try((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    return old > 0 ? 0 : fail_with(EAGAIN);
}

int sem_timedwait(void *semaphore, void *deadline)
{
    u32 old;
    __ravel_try((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    return old > 0 ? 0 : fail_with(ETIMEDOUT);
}

int sem_clockwait(void *semaphore, int clock, void *deadline)
{
    return sem_timedwait(semaphore, deadline);
}

int sem_post(void *semaphore)
{
    u32 old;
    __ravel_rmw((u32 *)semaphore, old, old + 1, ACQ_REL);
    return 0;
}

int sem_getvalue(void *semaphore, int *value)
{
    u32 now;
    __ravel_try((u32 *)semaphore, now, 0, now, RELAXED);
    *value = (int)now;
    return 0;
}

/* A barrier has its size at offset 8. The 64 bits at offset 0 are the set of waiting threads, by handle, below, and how many
 * they are above. The last to arrive clears them all, and whoever waits goes on when its own bit is clear: a slow
 * one may be overtaken by any number of further rounds. */
enum { BARRIER_THREADS = 48 };

static u32 *size_at(void *barrier)
{
    return (u32 *)((char *)barrier + 8);
}

int pthread_barrier_init(void *barrier, void *attributes, u32 count)
{
    if (count == 0)
        return EINVAL;
    *(u64 *)barrier = 0;
    *size_at(barrier) = count;
    return 0;
}

int pthread_barrier_destroy(void *barrier)
{
    return 0;
}

int pthread_barrier_wait(void *barrier)
{
    word self = __ravel_self();
    u64 bit = (u64)1 << ((self - 1) & 63);
    u64 one = (u64)1 << BARRIER_THREADS;
    u64 count = __atomic_load_n(size_at(barrier), RELAXED);
    u64 old;
    u64 now;
    if (self > BARRIER_THREADS)
        __ravel_unsupported("barriers with more than 48 threads");
    __ravel_rmw((u64 *)barrier, old, (old >> BARRIER_THREADS) + 1 == count ? 0 : (old | bit) + one, ACQ_REL);
    if ((old >> BARRIER_THREADS) + 1 == count)
        return -1;
    __ravel_await((u64 *)barrier, now, (now & bit) == 0, now, ACQUIRE);
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
