/* Clocks. Those of the day give any time, as they may be set; the others never go back. */

/* Up to the year 2208, so that nanoseconds fit a number of 64 bits, and a few seconds more one of 32; one comparison, which engines like. */
enum { END_OF_TIME_32 = 0x70000000, FURTHER = sizeof(long) == 8 ? 2 : 0 };
static int is_time(long seconds)
{
    return (unsigned long)seconds < (unsigned long)END_OF_TIME_32 << FURTHER;
}

long time(long *to)
{
    long now = __ravel_input_long();
    __ravel_assume(now == -1 || is_time(now));
    if (to)
        *to = now;
    return now;
}

static long last_clock;

long clock(void)
{
    long now = __ravel_input_long();
    long last;
    if (__ravel_choice())
        return -1;
    __ravel_rmw(&last_clock, last, now >= last ? now : last, RELAXED);
    return now >= last ? now : last;
}

struct seconds {
    long whole;
    long part;
};

/* Steady clocks by number: the latest time that somebody saw. */
enum { CLOCK_REALTIME = 0, CLOCK_REALTIME_COARSE = 5, N_CLOCKS = 12 };
static struct seconds latest[N_CLOCKS];

int clock_gettime(int clock, struct seconds *to)
{
    long whole = __ravel_input_long();
    long part = __ravel_input_long();
    __ravel_assume(is_time(whole) && part >= 0 && part < 1000000000);
    if (clock < 0 || clock >= N_CLOCKS) {
        if (__ravel_uses("__errno_location"))
            *__errno_location() = EINVAL;
        return -1;
    }
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) {
        __ravel_atomic_begin();
        long last = __atomic_load_n(&latest[clock].whole, RELAXED);
        long last_part = __atomic_load_n(&latest[clock].part, RELAXED);
        if (whole < last || (whole == last && part < last_part)) {
            whole = last;
            part = last_part;
        }
        __atomic_store_n(&latest[clock].whole, whole, RELAXED);
        __atomic_store_n(&latest[clock].part, part, RELAXED);
        __ravel_atomic_end();
    }
    to->whole = whole;
    to->part = part;
    return 0;
}

/* 0 says that there is no such clock. */
int timespec_get(struct seconds *to, int base)
{
    if (base != 1 || __ravel_choice())
        return 0;
    clock_gettime(CLOCK_REALTIME, to);
    return base;
}

int gettimeofday(struct seconds *to, void *zone)
{
    long part = __ravel_input_long();
    __ravel_assume(part >= 0 && part < 1000000);
    if (zone)
        __ravel_unsupported("`gettimeofday` with a time zone");
    long whole = __ravel_input_long();
    __ravel_assume(is_time(whole));
    to->whole = whole;
    to->part = part;
    return 0;
}

/* Sleeping takes no time; a signal may end it early. */
int usleep(u32 time)
{
    may_wait();
    return __ravel_choice() ? fail_with(EINTR) : 0;
}

u32 sleep(u32 time)
{
    may_wait();
    u32 left = (u32)__ravel_input_int();
    __ravel_assume(left <= time);
    return left;
}

int nanosleep(const struct seconds *time, struct seconds *left)
{
    long whole = time->whole;
    long part = time->part;
    may_wait();
    if (part < 0 || part >= 1000000000 || whole < 0)
        return fail_with(EINVAL);
    if (!__ravel_choice())
        return 0;
    fail_with(EINTR);
    if (left) {
        long whole_left = __ravel_input_long();
        long part_left = __ravel_input_long();
        __ravel_assume(whole_left >= 0 && part_left >= 0 && part_left < 1000000000);
        __ravel_assume(whole_left < whole || (whole_left == whole && part_left <= part));
        left->whole = whole_left;
        left->part = part_left;
    }
    return -1;
}

int clock_nanosleep(int clock, int flags, const struct seconds *time, struct seconds *left)
{
    if (time->part < 0 || time->part >= 1000000000 || time->whole < 0)
        return EINVAL;
    if (nanosleep(time, flags == 0 ? left : 0) == 0)
        return 0;
    return EINTR;
}

struct calendar {
    int second, minute, hour, day, month, year, weekday, yearday, is_summer;
    long offset;
    const char *zone;
};

/* A number below a bound, from an approximation. */
static int any_below(u32 bound)
{
    return (int)((u32)__ravel_approximate_int() % bound);
}

/* Some date; which one is not computed. */
static void any_calendar(struct calendar *to)
{
    to->second = any_below(61);
    to->minute = any_below(60);
    to->hour = any_below(24);
    to->day = 1 + any_below(31);
    to->month = any_below(12);
    to->year = __ravel_approximate_int();
    to->weekday = any_below(7);
    to->yearday = any_below(366);
    to->is_summer = __ravel_approximate_int();
    to->offset = __ravel_approximate_long();
    to->zone = "UTC";
}

/* There is no date only where the year does not fit. */
struct calendar *localtime_r(const long *time, struct calendar *to)
{
    long seconds = *time;
    if (sizeof(long) == 8 && seconds >> 55 != 0 && seconds >> 55 != -1 && __ravel_choice()) {
        set_error();
        return 0;
    }
    any_calendar(to);
    return to;
}

struct calendar *gmtime_r(const long *time, struct calendar *to)
{
    return localtime_r(time, to);
}

/* Shared by all threads, and not guarded. */
static struct calendar broken_down;

struct calendar *localtime(const long *time)
{
    return localtime_r(time, &broken_down);
}

struct calendar *gmtime(const long *time)
{
    return localtime_r(time, &broken_down);
}

long mktime(struct calendar *time)
{
    read_bytes(time, 9 * sizeof(int));
    any_calendar(time);
    return __ravel_approximate_long();
}

static void read_calendar(const struct calendar *time)
{
    (void)time->second;
    (void)time->minute;
    (void)time->hour;
    (void)time->day;
    (void)time->month;
    (void)time->year;
    (void)time->weekday;
    (void)time->yearday;
    (void)time->is_summer;
}

/* Any text that fits, which is not computed; 0 if it does not fit. */
word strftime(char *to, word room, const char *format, const struct calendar *time)
{
    read_text(format);
    read_calendar(time);
    if (room == 0)
        return 0;
    approximate_text(to, room);
    return (word)__ravel_approximate_long() % room;
}

double difftime(long end, long start)
{
    return (double)end - (double)start;
}
