/* Condition variables. The 64 bits at offset 0 are the set of waiting threads, by handle: waiting sets one's own bit while
 * the mutex is given back, waking clears it. So a signal reaches a thread that waits, whichever the scheduler likes,
 * and none that comes later. A spurious wake-up is a choice made at the start: to wake without a signal is to give
 * the mutex back and take it again.
 *
 * Whoever has been woken does not look at the condition variable again, which the one who woke it may have destroyed. So where that
 * may be, each thread has a word of its own that says that it waits.
 *
 * Where misuse is asked about, the word at offset 8 is DEAD if the condition variable was destroyed, and that at offset 16 says which
 * mutex those use who wait, unless the program's text shows that it is always the same one. */

static u32 *fate_at(void *condition)
{
    return (u32 *)((char *)condition + 8);
}

static int conditions_die(void)
{
    return __ravel_may_be_dead("pthread_cond_destroy") || __ravel_may_be_dead("cnd_destroy") || __ravel_may_be_unset();
}

static void condition_lives(void *condition)
{
    if (conditions_die())
        __ravel_misuse(__atomic_load_n(fate_at(condition), RELAXED) != 0,
            "use of a condition variable that was destroyed or never initialised");
}

static word *partner_at(void *condition)
{
    return (word *)((char *)condition + 16);
}

static void relock(void *mutex)
{
    must_be_mutex(take(mutex, owner(), mutexes_die()));
    __ravel_mark_locked(mutex);
}

/* Who waits, as a bit of its set. */
static u64 own_bit(void)
{
    word self = __ravel_self();
    if (self > 64)
        __ravel_unsupported("condition variables with more than 64 threads");
    return (u64)1 << ((self - 1) & 63);
}

static int conditions_end(void)
{
    return __ravel_may_end("pthread_cond_destroy") || __ravel_uses("cnd_destroy") || __ravel_uses("pthread_cancel");
}

/* Whether a thread waits at a condition variable or a barrier, by handle. */
enum { WAITERS = 65, CANCELLED = 2 };
static u32 is_waiting[WAITERS];

/* Where threads wait that may be cancelled, by handle. */
static word waits_at[WAITERS];

/* Who is cancelled where it waits is no longer among those whom a signal may reach, takes the mutex back and leaves. */
static void cancel_wait(word thread)
{
    if (__ravel_has_axioms())
        __ravel_unsupported("threads that are cancelled, under axioms");
    u64 *condition = thread < WAITERS ? (u64 *)__atomic_load_n(&waits_at[thread], RELAXED) : 0;
    /* Who was woken already may not be there any more, nor the condition variable. */
    if (condition && __atomic_load_n(&is_waiting[thread], ACQUIRE) == 1) {
        u64 bit = (u64)1 << ((thread - 1) & 63);
        u64 waiting;
        __ravel_rmw(condition, waiting, waiting & ~bit, RELAXED);
        if ((waiting & bit) != 0)
            __atomic_store_n(&is_waiting[thread], CANCELLED, RELEASE);
    }
}

/* Lets a set of threads go on. */
static void release(u64 set)
{
    while (set != 0) {
        __atomic_store_n(&is_waiting[__builtin_ctzll(set) + 1], 0, RELEASE);
        set &= set - 1;
    }
}

/* Nobody is cancelled here any more. */
static void end_waiting(void)
{
    if (__ravel_uses("pthread_cancel"))
        __atomic_store_n(&waits_at[__ravel_self()], 0, RELAXED);
}

static void begin_waiting(void *condition, void *mutex, u64 bit)
{
    u64 waiting;
    u32 state = 1;
    begin_together();
    if (__ravel_uses("pthread_cancel") && cancel_state == 0) {
        if (__atomic_load_n(&is_cancelled[__ravel_self()], ACQUIRE) != 0) {
            state = CANCELLED;
            bit = 0;
        }
        __atomic_store_n(&waits_at[__ravel_self()], (word)condition, RELAXED);
    }
    if (conditions_end())
        __atomic_store_n(&is_waiting[__ravel_self()], state, RELAXED);
    __ravel_rmw((u64 *)condition, waiting, waiting | bit, RELAXED);
    if (__ravel_asks_misuse() && __ravel_may_change_partner()) {
        __ravel_misuse(waiting != 0 && __atomic_load_n(partner_at(condition), RELAXED) != (word)mutex,
            "wait with another mutex than those who wait on the same condition variable");
        __atomic_store_n(partner_at(condition), (word)mutex, RELAXED);
    }
    __ravel_mark_unlocked(mutex);
    __ravel_mark_waits(condition);
    __atomic_store_n((u32 *)mutex, 0, RELEASE);
    end_together();
}

static void wake_without_signal(void *condition, void *mutex)
{
    __ravel_mark_unlocked(mutex);
    __ravel_mark_waits(condition);
    __atomic_store_n((u32 *)mutex, 0, SEQ_CST);
    must_be_mutex(take(mutex, owner(), mutexes_die()));
    __ravel_mark_woken_early(condition);
    __ravel_mark_locked(mutex);
}

int pthread_cond_wait(void *condition, void *mutex)
{
    may_wait();
    condition_lives(condition);
    int error = check_held(mutex);
    if (error)
        return error;
    if (__ravel_choice()) {
        wake_without_signal(condition, mutex);
    } else {
        u64 bit = own_bit();
        begin_waiting(condition, mutex, bit);
        if (conditions_end()) {
            u32 waits;
            __ravel_await(&is_waiting[__ravel_self()], waits, waits != 1, waits, ACQUIRE);
            end_waiting();
            if (__ravel_uses("pthread_cancel") && waits == CANCELLED) {
                relock(mutex);
                leave_thread((word)-1);
            }
        } else {
            u64 waiting;
            __ravel_await((u64 *)condition, waiting, (waiting & bit) == 0, waiting, ACQUIRE);
        }
        __ravel_mark_woken(condition);
        relock(mutex);
    }
    return 0;
}

/* May stop waiting at any moment, which takes it out of the set. A signal may be consumed although time has run out, so what
 * is returned says nothing about it. */
int pthread_cond_timedwait(void *condition, void *mutex, void *deadline)
{
    u64 bit = own_bit();
    u64 waiting;
    u32 is_signalled = 0;
    may_wait();
    condition_lives(condition);
    int error = check_held(mutex);
    if (error)
        return error;
    if (!is_deadline(deadline))
        return EINVAL;
    begin_waiting(condition, mutex, bit);
    if (conditions_end()) {
        u32 waits;
        begin_together();
        __ravel_rmw(&is_waiting[__ravel_self()], waits, 0, ACQUIRE);
        if (waits != 0)
            __ravel_rmw((u64 *)condition, waiting, waiting & ~bit, ACQUIRE);
        __ravel_mark_woken(waits == 0 ? condition : 0);
        is_signalled = waits == 0;
        end_waiting();
        end_together();
    } else {
        __ravel_rmw((u64 *)condition, waiting, waiting & ~bit, ACQUIRE);
        __ravel_mark_woken((waiting & bit) == 0 ? condition : 0);
    }
    relock(mutex);
    if (!is_signalled)
        may_wait();
    return __ravel_choice() ? ETIMEDOUT : 0;
}

int pthread_cond_clockwait(void *condition, void *mutex, int clock, void *deadline)
{
    return pthread_cond_timedwait(condition, mutex, deadline);
}

/* Of a set, the first one that is also in another, or the first one. */
static u64 first_of(u64 set, u64 liked)
{
    u64 both = set & liked;
    u64 among = both != 0 ? both : set;
    return among & (0 - among);
}

int pthread_cond_signal(void *condition)
{
    u64 waiting;
    u64 rest;
    u64 chosen;
    condition_lives(condition);
    if (__ravel_has_axioms()) {
        /* The first of those from some number on, or else of all: whomever the scheduler likes. */
        u32 from = (u32)__ravel_choice();
        from = from * 2 + (u32)__ravel_choice();
        from = from * 2 + (u32)__ravel_choice();
        from = from * 2 + (u32)__ravel_choice();
        from = from * 2 + (u32)__ravel_choice();
        from = from * 2 + (u32)__ravel_choice();
        u64 liked = ~(u64)0 << from;
        __ravel_rmw((u64 *)condition, waiting, (waiting & liked) != 0
            ? waiting & ~((waiting & liked) & (0 - (waiting & liked))) : waiting & (waiting - 1), ACQ_REL);
        chosen = first_of(waiting, liked);
        __ravel_mark_signals(condition);
    } else {
        __ravel_atomic_begin();
        rest = __atomic_load_n((u64 *)condition, RELAXED);
        while ((rest & (rest - 1)) != 0 && __ravel_choice())
            rest &= rest - 1;
        chosen = rest & (0 - rest);
        __ravel_rmw((u64 *)condition, waiting, waiting & ~chosen, ACQ_REL);
        __ravel_mark_signals(condition);
    }
    if (conditions_end() && chosen != 0)
        __atomic_store_n(&is_waiting[__builtin_ctzll(chosen) + 1], 0, RELEASE);
    if (!__ravel_has_axioms())
        __ravel_atomic_end();
    return 0;
}

int pthread_cond_broadcast(void *condition)
{
    u64 waiting;
    condition_lives(condition);
    if (conditions_end()) {
        begin_together();
        __ravel_rmw((u64 *)condition, waiting, 0, ACQ_REL);
        __ravel_mark_broadcasts(condition);
        release(waiting);
        end_together();
    } else {
        __ravel_rmw((u64 *)condition, waiting, 0, ACQ_REL);
        __ravel_mark_broadcasts(condition);
    }
    return 0;
}

int pthread_cond_init(void *condition, void *attributes)
{
    must_be_unused(condition, (u32)-1);
    must_be_unused((char *)condition + 4, (u32)-1);
    if (conditions_die())
        __atomic_store_n(fate_at(condition), 0, RELAXED);
    *(u64 *)condition = 0;
    set_mark(condition, 12);
    return 0;
}

int pthread_cond_destroy(void *condition)
{
    if (__ravel_asks_misuse()) {
        u32 old;
        __ravel_misuse(__atomic_load_n((u64 *)condition, RELAXED) != 0,
            "destruction of a condition variable that threads wait on");
        __ravel_rmw(fate_at(condition), old, DEAD, RELAXED);
        __ravel_misuse(old != 0, "destruction of a condition variable that was destroyed or never initialised");
        clear_mark(condition, 12);
    }
    return 0;
}

int pthread_condattr_init(void *attributes)
{
    return 0;
}

int pthread_condattr_destroy(void *attributes)
{
    return 0;
}

int pthread_condattr_setclock(void *attributes, int clock)
{
    return 0;
}

int pthread_condattr_setpshared(void *attributes, int is_shared)
{
    return 0;
}
