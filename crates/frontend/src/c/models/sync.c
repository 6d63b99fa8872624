/* Read-write locks, semaphores and barriers, each with its state in the word at offset 0. */

/* A read-write lock counts its readers, or has the highest bit and the writer's handle. */
enum { WRITER = 0x40000000 };

int pthread_rwlock_init(void *lock, void *attributes)
{
    __atomic_store_n((u32 *)lock, 0, RELEASE);
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
    __ravel_rmw((u32 *)lock, old, old < WRITER ? old + 1 : old, ACQUIRE);
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
    __ravel_await((u32 *)lock, old, old == 0, WRITER, ACQUIRE);
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_trywrlock(void *lock)
{
    u32 old;
    __ravel_rmw((u32 *)lock, old, old == 0 ? WRITER : old, ACQUIRE);
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
    __atomic_store_n((u32 *)semaphore, value, RELEASE);
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
    __ravel_rmw((u32 *)semaphore, old, old > 0 ? old - 1 : 0, ACQUIRE);
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
