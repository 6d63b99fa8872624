/* Read-write locks, semaphores and barriers, each with its state in the word at offset 0. An attempt that fails, and looking at
 * the value of a semaphore, synchronise with nobody; initialising is a plain write. */

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
    must_be_unused(lock, WRITER + HANDLES);
    *(u32 *)lock = 0;
    set_mark(lock, 8);
    return 0;
}

int pthread_rwlock_destroy(void *lock)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_rmw((u32 *)lock, old, DEAD, RELAXED);
        __ravel_misuse(old > WRITER + HANDLES, "destruction of a read-write lock that was destroyed or never initialised");
        __ravel_misuse(old != 0 && old <= WRITER + HANDLES, "destruction of a read-write lock that is held");
        clear_mark(lock, 8);
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

/* PTHREAD_RWLOCK_PREFER_WRITER_NP is like the default; the third kind lets readers wait for writers that wait. */
int pthread_rwlockattr_setkind_np(void *attributes, int preference)
{
    if (preference < 0 || preference > 2)
        return EINVAL;
    if (preference == 2)
        __ravel_unsupported("a read-write lock that prefers writers");
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
    __ravel_try((u32 *)lock, old, old < WRITER, old + 1, ACQUIRE);
    must_be_rwlock(old);
    if (old >= WRITER) {
        __ravel_mark_busy(lock);
        return EBUSY;
    }
    __ravel_mark_read_locked(lock);
    return 0;
}

int pthread_rwlock_timedrdlock(void *lock, void *deadline)
{
    int is_time = is_deadline(deadline);
    if (pthread_rwlock_tryrdlock(lock) == 0)
        return 0;
    return is_time ? ETIMEDOUT : EINVAL;
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
    __ravel_try((u32 *)lock, old, old == 0, me, ACQUIRE);
    must_be_rwlock(old);
    if (old != 0) {
        __ravel_mark_busy(lock);
        return EBUSY;
    }
    __ravel_mark_locked(lock);
    return 0;
}

int pthread_rwlock_timedwrlock(void *lock, void *deadline)
{
    int is_time = is_deadline(deadline);
    if (pthread_rwlock_trywrlock(lock) == 0)
        return 0;
    return is_time ? ETIMEDOUT : EINVAL;
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

enum { SEM_VALUE_MAX = 0x7fffffff, SEM_DEAD = 0x80000001 };

int sem_init(void *semaphore, int is_shared, u32 value)
{
    if (value > SEM_VALUE_MAX)
        return fail_with(EINVAL);
    *(u32 *)semaphore = value;
    set_mark(semaphore, 8);
    return 0;
}

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
        clear_mark(semaphore, 8);
    }
    return 0;
}

int sem_wait(void *semaphore)
{
    u32 old;
    if (__ravel_uses("pthread_cancel"))
        waits_for_others();
    __ravel_await((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    __ravel_mark_down(semaphore);
    semaphore_lived(old);
    return 0;
}

int sem_trywait(void *semaphore)
{
    u32 old;
    __ravel_try((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    __ravel_mark_down(old > 0 ? semaphore : 0);
    semaphore_lived(old);
    return old > 0 ? 0 : fail_with(EAGAIN);
}

int sem_timedwait(void *semaphore, void *deadline)
{
    u32 old;
    int is_time = is_deadline(deadline);
    __ravel_try((u32 *)semaphore, old, old > 0, old - 1, ACQUIRE);
    __ravel_mark_down(old > 0 ? semaphore : 0);
    semaphore_lived(old);
    return old > 0 ? 0 : fail_with(is_time ? ETIMEDOUT : EINVAL);
}

int sem_clockwait(void *semaphore, int clock, void *deadline)
{
    return sem_timedwait(semaphore, deadline);
}

int sem_post(void *semaphore)
{
    u32 old;
    __ravel_rmw((u32 *)semaphore, old, old == SEM_VALUE_MAX ? old : old + 1, ACQ_REL);
    __ravel_mark_up(semaphore);
    semaphore_lived(old);
    if (__ravel_asks_misuse())
        __ravel_misuse(old == SEM_VALUE_MAX, "a post that takes a semaphore above SEM_VALUE_MAX");
    if (old == SEM_VALUE_MAX)
        return fail_with(EOVERFLOW);
    return 0;
}

int sem_getvalue(void *semaphore, int *value)
{
    u32 now;
    __ravel_try((u32 *)semaphore, now, 0, now, RELAXED);
    semaphore_lived(now);
    *value = (int)now;
    return 0;
}

/* A barrier has its size at offset 8. The 64 bits at offset 0 are the set of waiting threads, by handle, below, and how many
 * they are above. The last to arrive clears them all, and whoever waits goes on when its own bit is clear: a slow
 * one may be overtaken by any number of further rounds. Where the barrier may be gone by then, the last one tells each by its own word. */
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
    set_mark(barrier, 12);
    return 0;
}

int pthread_barrier_destroy(void *barrier)
{
    if (__ravel_asks_misuse()) {
        __ravel_misuse(*size_at(barrier) == 0, "destruction of a barrier that was destroyed or never initialised");
        *size_at(barrier) = 0;
        clear_mark(barrier, 12);
    }
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
    if (__ravel_asks_misuse())
        __ravel_misuse(count == 0, "use of a barrier that was destroyed or never initialised");
    if (self > BARRIER_THREADS)
        __ravel_unsupported("barriers with more than 48 threads");
    if (__ravel_may_end("pthread_barrier_destroy")) {
        u32 waits;
        begin_together();
        /* Nobody else writes it before this thread has arrived. */
        __atomic_store_n(&is_waiting[self], 1, RELAXED);
        __ravel_rmw((u64 *)barrier, old, (old >> BARRIER_THREADS) + 1 == count ? 0 : (old | bit) + one, ACQ_REL);
        __ravel_mark_arrives(barrier);
        if ((old >> BARRIER_THREADS) + 1 == count) {
            __atomic_store_n(&is_waiting[self], 0, RELAXED);
            release(old & (one - 1));
            end_together();
            return -1;
        }
        end_together();
        __ravel_await(&is_waiting[self], waits, waits == 0, waits, ACQUIRE);
        __ravel_mark_passes(barrier);
        return 0;
    }
    __ravel_rmw((u64 *)barrier, old, (old >> BARRIER_THREADS) + 1 == count ? 0 : (old | bit) + one, ACQ_REL);
    __ravel_mark_arrives(barrier);
    if ((old >> BARRIER_THREADS) + 1 == count)
        return -1;
    __ravel_await((u64 *)barrier, now, (now & bit) == 0, now, ACQUIRE);
    __ravel_mark_passes(barrier);
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
