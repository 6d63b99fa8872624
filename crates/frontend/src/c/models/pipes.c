/* What the program itself writes and reads: pipes, pairs of sockets, counters (eventfd). How many bytes are on their way is followed, which ones is not, but for counters.
 * What is written arrives whole, and what is read is all that has arrived and has room. */

/* Of an end that is read: the bytes that have arrived, or the count, and whether nobody can write any more. */
static u32 arrived[N_FILES];
enum { CLOSED = 0x40000000, BYTES = 0x3fffffff, ROOM = 65536, ATOMIC = 4096 };

/* What can be read of a file that the program writes itself. */
enum { NOTHING, STREAM_OF_BYTES, COUNT_AT_ONCE, COUNT_BY_ONE };
static u8 reads[N_FILES];

/* The end to which it goes what is written, and the other way round, plus one; an end that is gone. */
static u8 goes_to[N_FILES], comes_from[N_FILES];
enum { GONE = 255, PEEK = 2, STREAM_SOCKET = 1 };

static int has_pipes(void)
{
    return __ravel_uses("pipe") || __ravel_uses("pipe2") || __ravel_uses("socketpair") || __ravel_uses("eventfd");
}

/* Who makes copies of numbers may read and write by others than these. */
static int follows_pipes(void)
{
    return has_pipes()
        && !(__ravel_uses("dup") || __ravel_uses("dup2") || __ravel_uses("dup3") || __ravel_uses("fork") || __ravel_uses("vfork")
             || __ravel_uses("sendmsg") || __ravel_uses("recvmsg") || __ravel_uses("fdopen")
             || __ravel_uses("shutdown"));
}

/* Files of which reads and writes say that they would wait, instead of waiting (O_NONBLOCK and its like). */
enum { NOT_WAITING = 0x800, NOT_WAITING_NOW = 0x40 };
static u8 never_waits[N_FILES];

static void set_waiting(int file, int waits)
{
    if (follows_pipes() && file >= 0 && file < N_FILES)
        __atomic_store_n(&never_waits[file], !waits, RELAXED);
}

/* What waits and may be ended there is not followed: where threads are cancelled nobody waits. */
static int does_not_wait(int file, int flags)
{
    if (__ravel_uses("pthread_cancel") || (flags & NOT_WAITING_NOW) != 0)
        return 1;
    if (__ravel_uses("fcntl") || __ravel_uses("pipe2") || __ravel_uses("socketpair") || __ravel_uses("eventfd"))
        return __atomic_load_n(&never_waits[file], RELAXED);
    return 0;
}

static int what_it_reads(int file)
{
    if (!follows_pipes() || file < 0 || file >= N_FILES)
        return NOTHING;
    return __atomic_load_n(&reads[file], RELAXED);
}

static int where_it_goes(int file)
{
    if (!follows_pipes() || file < 0 || file >= N_FILES)
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
    if (!follows_pipes())
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
    if (!follows_pipes() || file < 0)
        return;
    __atomic_store_n(&arrived[file], start, RELAXED);
    __atomic_store_n(&reads[file], by_one ? COUNT_BY_ONE : COUNT_AT_ONCE, RELAXED);
    __atomic_store_n(&goes_to[file], (u8)(file + 1), RELAXED);
}

static void close_end(int file)
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
        __atomic_store_n(&comes_from[file], 0, RELAXED);
        __atomic_store_n(&reads[file], NOTHING, RELAXED);
    }
}

int raise(int number);
enum { SIGPIPE_NUMBER = 13, WITHOUT_SIGNAL = 0x4000 };

/* Adds to what has arrived; says how much that is. Who writes where nobody can read any more gets a signal. */
static long put_in(int file, int to, const void *from, word n, int flags)
{
    u32 old;
    if (to == GONE && (flags & WITHOUT_SIGNAL) == 0)
        raise(SIGPIPE_NUMBER);
    if (to == GONE || __ravel_choice()) {
        set_error();
        return -1;
    }
    if (__atomic_load_n(&reads[to - 1], RELAXED) != STREAM_OF_BYTES) {
        if (n < 8)
            return fail_with(EINVAL);
        u64 more = *(const u64 *)from;
        if (more > BYTES)
            __ravel_unsupported("so large a count in `eventfd`");
        __ravel_rmw(&arrived[to - 1], old, old + (u32)more, RELEASE);
        return 8;
    }
    word taken = n;
    if (n > ATOMIC) {
        taken = (word)__ravel_input_long();
        __ravel_assume(taken >= 1 && taken <= n);
    }
    if (taken > ROOM || does_not_wait(file, flags))
        __ravel_rmw(&arrived[to - 1], old, old + (u32)taken, RELEASE);
    else
        __ravel_await(&arrived[to - 1], old, (old & BYTES) + (u32)taken <= ROOM, old + (u32)taken, RELEASE);
    return (long)taken;
}

/* Takes what has arrived; says how much that is. */
static long take_out(int file, int kind, void *to, word n, int flags)
{
    u32 old;
    if (__ravel_choice()) {
        set_error();
        return -1;
    }
    if (kind != STREAM_OF_BYTES) {
        u32 all = kind == COUNT_AT_ONCE ? BYTES : 1;
        if (n < 8)
            return fail_with(EINVAL);
        if (does_not_wait(file, flags)) {
            __ravel_try(&arrived[file], old, old != 0, old - (old < all ? old : all), ACQUIRE);
            if (old == 0)
                return fail_with(EAGAIN);
        } else
            __ravel_await(&arrived[file], old, old != 0, old - (old < all ? old : all), ACQUIRE);
        *(u64 *)to = old < all ? old : all;
        return 8;
    }
    if (n == 0)
        return 0;
    if (does_not_wait(file, flags)) {
        __ravel_try(&arrived[file], old, old != 0, old - ((old & BYTES) < n ? old & BYTES : (u32)n), ACQUIRE);
        if (old == 0)
            return fail_with(EAGAIN);
    } else
        __ravel_await(&arrived[file], old, old != 0, old - ((old & BYTES) < n ? old & BYTES : (u32)n), ACQUIRE);
    word taken = (old & BYTES) < n ? (word)(old & BYTES) : n;
    for (word i = 0; i < taken; i++)
        ((unsigned char *)to)[i] = __ravel_approximate_byte();
    return (long)taken;
}
