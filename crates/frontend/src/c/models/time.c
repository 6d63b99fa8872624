/* Clocks. Those of the day give any time, as they may be set; the others never go back. */

/* Far enough for almost a million years, and not so far that a program cannot add a few more; one comparison, which engines like. */
enum { END_OF_TIME_32 = 0x70000000, FURTHER = sizeof(long) == 8 ? 14 : 0 };
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

struct calendar {
    int second, minute, hour, day, month, year, weekday, yearday, is_summer;
    long offset;
    const char *zone;
};

static void input_calendar(struct calendar *to)
{
    int second = __ravel_input_int();
    int minute = __ravel_input_int();
    int hour = __ravel_input_int();
    int day = __ravel_input_int();
    int month = __ravel_input_int();
    int weekday = __ravel_input_int();
    int yearday = __ravel_input_int();
    __ravel_assume(second >= 0 && second <= 60 && minute >= 0 && minute < 60 && hour >= 0 && hour < 24);
    __ravel_assume(day >= 1 && day <= 31 && month >= 0 && month < 12);
    __ravel_assume(weekday >= 0 && weekday < 7 && yearday >= 0 && yearday < 366);
    to->second = second;
    to->minute = minute;
    to->hour = hour;
    to->day = day;
    to->month = month;
    to->year = __ravel_input_int();
    to->weekday = weekday;
    to->yearday = yearday;
    to->is_summer = __ravel_input_int();
    to->offset = __ravel_input_long();
    to->zone = "UTC";
}

struct calendar *localtime_r(const long *time, struct calendar *to)
{
    (void)*time;
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    input_calendar(to);
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
    input_calendar(time);
    return __ravel_input_long();
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

/* Some text that fits; if it does not, 0 and any bytes. */
word strftime(char *to, word room, const char *format, const struct calendar *time)
{
    read_text(format);
    read_calendar(time);
    if (room == 0)
        return 0;
    if (__ravel_choice()) {
        input_bytes(to, room);
        return 0;
    }
    return input_text(to, room);
}

double difftime(long end, long start)
{
    return (double)end - (double)start;
}
