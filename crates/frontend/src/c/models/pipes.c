/* What the program itself writes and reads: pipes, pairs of sockets, counters (eventfd). How many bytes are on their way is followed, which ones is not, but for counters.
 * What is written arrives whole, and what is read is all that has arrived and has room. Both fail for a cause: the other end is gone, or nothing can be read or written and
 * the file does not wait. */

/* Of an end that is read: the bytes that have arrived, or the count, and whether nobody can write or read any more. Linux gives a pipe so much room; POSIX promises no
 * more than what is written at once. */
static u32 arrived[N_FILES];
enum { CLOSED = 0x40000000, UNREAD = (int)0x80000000u, BYTES = 0x3fffffff, ROOM = 65536, ATOMIC = 4096 };

/* What can be read of a file that the program writes itself. */
enum { NOTHING, STREAM_OF_BYTES, COUNT_AT_ONCE, COUNT_BY_ONE };
static u8 reads[N_FILES];

/* The end to which it goes what is written, and the other way round, plus one; an end that is gone. */
static u8 goes_to[N_FILES], comes_from[N_FILES];
enum { GONE = 255, PEEK = 2, STREAM_SOCKET = 1 };

/* Files of which reads and writes say that they would wait, instead of waiting (O_NONBLOCK and its like). */
enum { NOT_WAITING = 0x800, NOT_WAITING_NOW = 0x40 };
static u8 never_waits[N_FILES];

static void set_waiting(int file, int waits)
{
    if (__ravel_follows_pipes() && file >= 0 && file < N_FILES)
        __atomic_store_n(&never_waits[file], !waits, RELAXED);
}

static int does_not_wait(int file, int flags)
{
    if ((flags & NOT_WAITING_NOW) != 0)
        return 1;
    if (__ravel_uses("fcntl") || __ravel_uses("pipe2") || __ravel_uses("socketpair") || __ravel_uses("eventfd"))
        return __atomic_load_n(&never_waits[file], RELAXED);
    return 0;
}

/* Who waits may be cancelled there, which is not followed. */
static void must_not_wait(void)
{
    __ravel_unsupported("waiting for a pipe or its like in a program that cancels threads");
}

static int what_it_reads(int file)
{
    if (!__ravel_follows_pipes() || file < 0 || file >= N_FILES)
        return NOTHING;
    return __atomic_load_n(&reads[file], RELAXED);
}

static int where_it_goes(int file)
{
    if (!__ravel_follows_pipes() || file < 0 || file >= N_FILES)
        return 0;
    return __atomic_load_n(&goes_to[file], RELAXED);
}

/* Whether nothing can be read, and there is no end to be seen. */
static int is_empty_pipe(int file)
{
    return what_it_reads(file) != NOTHING && __atomic_load_n(&arrived[file], RELAXED) == 0;
}

static void connect_ends(int from, int to)
{
    if (!__ravel_follows_pipes())
        return;
    __atomic_store_n(&arrived[to], 0, RELAXED);
    __atomic_store_n(&reads[to], STREAM_OF_BYTES, RELAXED);
    set_waiting(from, 1);
    set_waiting(to, 1);
    __atomic_store_n(&goes_to[from], (u8)(to + 1), RELAXED);
    __atomic_store_n(&comes_from[to], (u8)(from + 1), RELAXED);
}

static void make_counter(int file, u32 start, int by_one)
{
    if (!__ravel_follows_pipes() || file < 0)
        return;
    __atomic_store_n(&arrived[file], start, RELAXED);
    __atomic_store_n(&reads[file], by_one ? COUNT_BY_ONE : COUNT_AT_ONCE, RELAXED);
    __atomic_store_n(&goes_to[file], (u8)(file + 1), RELAXED);
}

/* Whether it was one. */
static int close_end(int file)
{
    int to = where_it_goes(file);
    int kind = what_it_reads(file);
    u32 old;
    if (to != 0) {
        if (to != GONE && to != file + 1) {
            __ravel_rmw(&arrived[to - 1], old, old | CLOSED, RELEASE);
            __atomic_store_n(&comes_from[to - 1], 0, RELAXED);
        }
        __atomic_store_n(&goes_to[file], 0, RELAXED);
    }
    if (kind != NOTHING) {
        int from = __atomic_load_n(&comes_from[file], RELAXED);
        if (from != 0)
            __atomic_store_n(&goes_to[from - 1], GONE, RELAXED);
        __ravel_rmw(&arrived[file], old, old | UNREAD, RELEASE);
        __atomic_store_n(&comes_from[file], 0, RELAXED);
        __atomic_store_n(&reads[file], NOTHING, RELAXED);
    }
    return to != 0 || kind != NOTHING;
}

int raise(int number);
enum { SIGPIPE_NUMBER = 13, WITHOUT_SIGNAL = 0x4000 };

/* What fails for no cause that is modelled, as for want of memory. */
static int fails_by_itself(void)
{
    if (__ravel_may_fail("reading and writing pipes of its own")) {
        set_error();
        return 1;
    }
    return 0;
}

/* Nobody can read any more: a signal, unless it is not wanted, and an error. */
static long nobody_reads(int flags)
{
    if ((flags & WITHOUT_SIGNAL) == 0)
        raise(SIGPIPE_NUMBER);
    return fail_with(EPIPE);
}

/* Adds to what has arrived; says how much that is. */
static long put_in(int file, int to, const void *from, word n, int flags)
{
    u32 old;
    if (to == GONE)
        return nobody_reads(flags);
    if (fails_by_itself())
        return -1;
    if (to == file + 1) {
        if (n < 8)
            return fail_with(EINVAL);
        u64 more = *(const u64 *)from;
        if (more > BYTES)
            __ravel_unsupported("so large a count in `eventfd`");
        __ravel_rmw(&arrived[to - 1], old, old + (u32)more, RELEASE);
        if ((old & BYTES) + more > BYTES)
            __ravel_unsupported("so large a count in `eventfd`");
        return 8;
    }
    word taken = n;
    if (n > ATOMIC) {
        taken = (word)__ravel_input_long();
        __ravel_assume(taken >= 1 && taken <= n);
    }
    if (does_not_wait(file, flags)) {
        /* There may be less room than Linux has. A pair of sockets, which are read too, promises none behind what has arrived. */
        u32 room = __ravel_choice() ? ROOM : what_it_reads(file) == NOTHING ? ATOMIC : 0;
        __ravel_try(&arrived[to - 1], old, (old & BYTES) == 0 || (old & BYTES) + taken <= room, old + (u32)taken, RELEASE);
        if ((old & UNREAD) == 0 && (old & BYTES) != 0 && (old & BYTES) + taken > room)
            return fail_with(EAGAIN);
    } else if (__ravel_uses("pthread_cancel")) {
        __ravel_try(&arrived[to - 1], old, (old & BYTES) == 0 || (old & BYTES) + taken <= ROOM, old + (u32)taken, RELEASE);
        if ((old & UNREAD) == 0 && (old & BYTES) != 0 && (old & BYTES) + taken > ROOM)
            must_not_wait();
    } else
        __ravel_await(&arrived[to - 1], old, (old & BYTES) == 0 || (old & BYTES) + taken <= ROOM || (old & UNREAD) != 0, old + (u32)taken, RELEASE);
    if ((old & UNREAD) != 0)
        return nobody_reads(flags);
    return (long)taken;
}

/* Takes what has arrived; says how much that is. */
static long take_out(int file, int kind, void *to, word n, int flags)
{
    u32 old;
    if (fails_by_itself())
        return -1;
    if (kind != STREAM_OF_BYTES) {
        u32 all = kind == COUNT_AT_ONCE ? BYTES : 1;
        if (n < 8)
            return fail_with(EINVAL);
        if (does_not_wait(file, flags) || __ravel_uses("pthread_cancel")) {
            __ravel_try(&arrived[file], old, (old & ~UNREAD) != 0, old - ((old & BYTES) < all ? old & BYTES : all), ACQUIRE);
            if ((old & ~UNREAD) == 0) {
                if (!does_not_wait(file, flags))
                    must_not_wait();
                return fail_with(EAGAIN);
            }
        } else
            __ravel_await(&arrived[file], old, (old & ~UNREAD) != 0, old - ((old & BYTES) < all ? old & BYTES : all), ACQUIRE);
        *(u64 *)to = (old & BYTES) < all ? old & BYTES : all;
        return 8;
    }
    if (n == 0)
        return 0;
    if (does_not_wait(file, flags) || __ravel_uses("pthread_cancel")) {
        __ravel_try(&arrived[file], old, (old & ~UNREAD) != 0, old - ((old & BYTES) < n ? old & BYTES : (u32)n), ACQUIRE);
        if ((old & ~UNREAD) == 0) {
            if (!does_not_wait(file, flags))
                must_not_wait();
            return fail_with(EAGAIN);
        }
    } else
        __ravel_await(&arrived[file], old, (old & ~UNREAD) != 0, old - ((old & BYTES) < n ? old & BYTES : (u32)n), ACQUIRE);
    word taken = (old & BYTES) < n ? (word)(old & BYTES) : n;
    for (word i = 0; i < taken; i++)
        ((unsigned char *)to)[i] = __ravel_approximate_byte();
    return (long)taken;
}
