/* Futexes, which programs reach by `syscall(SYS_futex, …)`: waiting, if a word has the expected value, until somebody wakes whoever waits there. Who waits at which word is a table of ours;
 * whom of several a call wakes is left to the scheduler, and whoever waits may come back without having been woken, as the manual allows.
 * Each call is one step, which orders memory like a lock that all of them take; the answer says so where races are asked about. */

enum { FUTEXES = 8 };
static word futex_at[FUTEXES];
static u64 futex_waiters[FUTEXES];

/* The row of a word; whoever asks is alone. */
static u32 futex_row(word at)
{
    u32 row = 0;
    while (row < FUTEXES) {
        word known = __atomic_load_n(&futex_at[row], RELAXED);
        if (known == 0) {
            __atomic_store_n(&futex_at[row], at, RELAXED);
            return row;
        }
        if (known == at)
            return row;
        row++;
    }
    __ravel_unsupported("more than 8 futexes");
    return 0;
}

static int futex_error(int number)
{
    if (__ravel_uses("__errno_location"))
        *__errno_location() = number;
    return -1;
}

/* Time may run out at any moment; a call that wakes may have reached whom it runs out for. */
static int futex_wait(u32 *at, u32 expected, void *timeout)
{
    u64 bit = own_bit();
    u64 waiting;
    u32 row = 0;
    int is_noisy = timeout == 0 && __ravel_choice();
    __ravel_atomic_begin();
    u32 found = __atomic_load_n(at, RELAXED);
    if (found == expected && !is_noisy) {
        row = futex_row((word)at);
        __ravel_rmw(&futex_waiters[row], waiting, waiting | bit, RELAXED);
    }
    __ravel_atomic_end();
    if (found != expected)
        return futex_error(EAGAIN);
    if (is_noisy)
        return __ravel_choice() ? futex_error(EINTR) : 0;
    if (timeout != 0) {
        __ravel_rmw(&futex_waiters[row], waiting, waiting & ~bit, RELAXED);
        return (waiting & bit) == 0 ? 0 : futex_error(__ravel_choice() ? ETIMEDOUT : EINTR);
    }
    __ravel_await(&futex_waiters[row], waiting, (waiting & bit) == 0, waiting, RELAXED);
    return 0;
}

static int futex_wake(u32 *at, int number)
{
    int woken = 0;
    if (number < 1)
        __ravel_unsupported("waking fewer than one thread at a futex");
    __ravel_atomic_begin();
    u32 row = futex_row((word)at);
    u64 rest = __atomic_load_n(&futex_waiters[row], RELAXED);
    while (rest != 0 && woken < number) {
        u64 among = rest;
        if (number < 64)
            while ((among & (among - 1)) != 0 && __ravel_choice())
                among &= among - 1;
        rest &= ~(among & (0 - among));
        woken++;
    }
    __atomic_store_n(&futex_waiters[row], rest, RELAXED);
    __ravel_atomic_end();
    return woken;
}

/* `syscall(SYS_futex, …)`: FUTEX_WAIT and FUTEX_WAKE, and those with a set of bits if it has all of them. Whether a futex is private and which clock is meant makes no difference here. Other operations are refused where they are reached,
 * and all of them under axioms. */
int system_futex(u32 *at, int operation, u32 value, void *timeout, void *other, u32 bits)
{
    enum { WAIT = 0, WAKE = 1, WAIT_BITSET = 9, WAKE_BITSET = 10, FLAGS = 128 | 256 };
    int plain = operation & ~FLAGS;
    if (__ravel_has_axioms())
        __ravel_unsupported("futexes under axioms");
    if (plain == WAIT || plain == WAIT_BITSET && bits == ~(u32)0)
        return futex_wait(at, value, timeout);
    if (plain == WAKE || plain == WAKE_BITSET && bits == ~(u32)0)
        return futex_wake(at, (int)value);
    __ravel_unsupported("an operation on a futex other than waiting and waking");
    return 0;
}
