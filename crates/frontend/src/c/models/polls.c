/* Waiting for several files at once: poll, select, epoll; and files that are only there to be waited for. */

struct polled {
    int file;
    short events;
    short found;
};

/* Errors, the other side's end and files that are not open are told of unasked. */
enum { NOT_ASKED = 0x38, CAN_BE_READ = 0x2051, IS_WRONG = 0x28, READABLE = 0x41, AT_ITS_END = 0x10 };

/* What is there to be read is told, and so is the end behind it; neither is there in what is empty. */
static short found_of_pipe(int file, short events, short found)
{
    u32 now = __atomic_load_n(&arrived[file], RELAXED);
    found &= ~IS_WRONG;
    if (now == 0)
        return (short)(found & ~CAN_BE_READ);
    if ((now & BYTES) != 0)
        return (short)(found | (events & READABLE));
    return (short)((found & events & READABLE) != 0 ? found : found | AT_ITS_END);
}

/* Without signals from outside it fails for want of memory only. */
int poll(struct polled *files, word n, int timeout)
{
    int count = 0;
    may_wait();
    for (word i = 0; i < n; i++) {
        short found = (short)__ravel_input_int();
        short events = files[i].events;
        found = files[i].file < 0 ? 0 : (short)(found & (events | NOT_ASKED));
        if (__ravel_follows_pipes() && what_it_reads(files[i].file) != NOTHING)
            found = found_of_pipe(files[i].file, events, found);
        files[i].found = found;
        count += found != 0;
    }
    if (__ravel_may_fail("poll")) {
        set_error();
        return -1;
    }
    /* Without an end of its time it waits for something. */
    __ravel_assume(timeout >= 0 || count != 0);
    return count;
}

/* Sets of files for select are 128 bytes; those that stay in are any of those that were in. Yields how many. */
static int narrow_set(word *set, int n)
{
    int count = 0;
    if (set) {
        word n_words = ((word)n + 8 * sizeof(word) - 1) / (8 * sizeof(word));
        for (word i = 0; i < n_words; i++) {
            word kept = set[i] & (word)__ravel_input_long();
            set[i] = kept;
            count += __builtin_popcountl(kept);
        }
    }
    return count;
}

/* What is empty cannot be read. */
static void leave_out_empty(word *set, int n)
{
    if (set && __ravel_follows_pipes())
        for (int file = 0; file < n && file < N_FILES; file++)
            if (is_empty_pipe(file))
                set[file / (8 * sizeof(word))] &= ~((word)1 << file % (8 * sizeof(word)));
}

static int select_until(int n, word *in, word *out, word *other, const struct seconds *time)
{
    may_wait();
    if (n < 0 || n > 1024)
        return fail_with(EINVAL);
    if (time) {
        (void)time->whole;
        (void)time->part;
    }
    if (zero_or_error())
        return -1;
    leave_out_empty(in, n);
    int found = narrow_set(in, n);
    found += narrow_set(out, n);
    found += narrow_set(other, n);
    /* Without an end of its time it waits for something. */
    __ravel_assume(time || found != 0);
    return found;
}

int select(int n, word *in, word *out, word *other, struct seconds *time)
{
    int found = select_until(n, in, out, other, time);
    if (time && found >= 0) {
        time->whole = __ravel_input_long();
        time->part = __ravel_input_long();
    }
    return found;
}

int pselect(int n, word *in, word *out, word *other, const struct seconds *time, const void *mask)
{
    return select_until(n, in, out, other, time);
}

int epoll_create(int size)
{
    return new_file();
}

int epoll_create1(int flags)
{
    return new_file();
}

int eventfd(u32 start, int flags)
{
    int file = new_file();
    make_counter(file, start, flags & 1);
    set_waiting(file, (flags & NOT_WAITING) == 0);
    return file;
}

int timerfd_create(int clock, int flags)
{
    return new_file();
}

enum { EVENT = 12, EPOLL_DATA = 4, WATCHED = 16 };

/* What is watched, with the data that comes back. Twelve bytes each. */
static u64 watched_data[WATCHED];
static int watched_file[WATCHED];
static int watched_by[WATCHED];
static u32 n_watched;

int epoll_ctl(int poll, int how, int file, const unsigned char *event)
{
    if (zero_or_error())
        return -1;
    u64 data = how == 2 ? 0 : *(const u64 *)(event + EPOLL_DATA);
    __ravel_atomic_begin();
    u32 n = __atomic_load_n(&n_watched, RELAXED);
    for (u32 i = 0; i < n; i++)
        if (__atomic_load_n(&watched_file[i], RELAXED) == file && __atomic_load_n(&watched_by[i], RELAXED) == poll)
            __atomic_store_n(&watched_by[i], -1, RELAXED);
    if (how != 2) {
        if (n >= WATCHED)
            __ravel_unsupported("more than 16 files that `epoll` has watched");
        __atomic_store_n(&watched_data[n], data, RELAXED);
        __atomic_store_n(&watched_file[n], file, RELAXED);
        __atomic_store_n(&watched_by[n], poll, RELAXED);
        __atomic_store_n(&n_watched, n + 1, RELEASE);
    }
    __ravel_atomic_end();
    return 0;
}

/* Events of different files that are watched, in any order. */
int epoll_wait(int poll, unsigned char *events, int room, int time)
{
    may_wait();
    int n = __ravel_input_int();
    __ravel_assume(n >= -1 && n <= room);
    if (n < 0) {
        set_error();
        return -1;
    }
    __ravel_assume(time >= 0 || n != 0);
    u32 seen = 0;
    for (int i = 0; i < n; i++) {
        u32 at = (u32)__ravel_input_int();
        __ravel_assume(at < WATCHED && (seen >> at & 1) == 0);
        seen |= (u32)1 << at;
        __ravel_atomic_begin();
        u32 n_now = __atomic_load_n(&n_watched, ACQUIRE);
        int by = __atomic_load_n(&watched_by[at], RELAXED);
        u64 data = __atomic_load_n(&watched_data[at], RELAXED);
        int file = __atomic_load_n(&watched_file[at], RELAXED);
        __ravel_atomic_end();
        __ravel_assume(at < n_now && by == poll);
        u32 what = (u32)__ravel_input_int();
        if (is_empty_pipe(file))
            what &= ~CAN_BE_READ;
        *(u32 *)(events + i * EVENT) = what;
        *(u64 *)(events + i * EVENT + EPOLL_DATA) = data;
    }
    return n;
}
