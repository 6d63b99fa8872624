/* More of stdlib.h: quotients, numbers with a point, random numbers, and the environment where the program changes it. */

struct quotient {
    int whole, rest;
};

struct long_quotient {
    long whole, rest;
};

struct quotient div(int a, int b)
{
    struct quotient result = { a / b, a % b };
    return result;
}

struct long_quotient ldiv(long a, long b)
{
    struct long_quotient result = { a / b, a % b };
    return result;
}

/* A number without a fraction and an exponent is exact up to 2^53; where the text ends is exact always. */
double strtod(const char *text, char **end)
{
    const char *at = skip_spaces(text);
    const char *start;
    int is_negative = *at == '-';
    u64 n = 0;
    int is_exact = 1;
    int n_digits = 0;
    if (*at == '-' || *at == '+')
        at++;
    if (*at == 'i' || *at == 'I' || *at == 'n' || *at == 'N' || (*at == '0' && (at[1] == 'x' || at[1] == 'X')))
        __ravel_unsupported("`strtod` of infinity, nan or a number in base 16");
    while (isdigit(*at)) {
        if (n > 900000000000000)
            is_exact = 0;
        else
            n = 10 * n + (u64)(*at - '0');
        n_digits++;
        at++;
    }
    if (*at == '.') {
        start = at;
        at++;
        while (isdigit(*at)) {
            is_exact &= *at == '0';
            n_digits++;
            at++;
        }
        if (n_digits == 0)
            at = start;
    }
    if (n_digits == 0) {
        if (end)
            *end = (char *)text;
        return 0;
    }
    if (*at == 'e' || *at == 'E') {
        start = at;
        at++;
        if (*at == '-' || *at == '+')
            at++;
        if (isdigit(*at)) {
            is_exact = 0;
            while (isdigit(*at))
                at++;
        } else {
            at = start;
        }
    }
    if (end)
        *end = (char *)at;
    if (!is_exact)
        __ravel_unsupported("`strtod` of a number with a fraction, an exponent or many digits");
    return is_negative ? -(double)n : (double)n;
}

float strtof(const char *text, char **end)
{
    return (float)strtod(text, end);
}

double atof(const char *text)
{
    return strtod(text, 0);
}

/* Any number from 0 up to, but not, 1. */
static double real48(void)
{
    u64 n = (u64)__ravel_input_long() & ((u64)1 << 48) - 1;
    return (double)n / 281474976710656.0;
}

double drand48(void)
{
    use_state48();
    return real48();
}

double erand48(unsigned short *state)
{
    for (int i = 0; i < 3; i++)
        state[i] = (unsigned short)__ravel_input_int();
    return real48();
}

u32 arc4random(void)
{
    return (u32)__ravel_input_int();
}

u32 arc4random_uniform(u32 bound)
{
    u32 n = (u32)__ravel_input_int();
    __ravel_assume(bound == 0 ? n == 0 : n < bound);
    return n;
}

/* A program that changes its environment: what is asked for and what is set, by name. A value of null is one that is not there; what nobody
 * has asked for yet is chosen then. */
enum { VARIABLES = 16 };
static char unasked;
static char *variable_names[VARIABLES];
static char *variable_values[VARIABLES];
static u32 n_variables;

static char *copy_of(const char *text, word n)
{
    char *copy = __ravel_alloc_static(n + 1);
    for (word i = 0; i < n; i++)
        copy[i] = text[i];
    copy[n] = 0;
    return copy;
}

/* The place of a variable. */
static u32 find_variable(const char *name)
{
    u32 n = __atomic_load_n(&n_variables, ACQUIRE);
    for (u32 i = 0; i < n; i++)
        if (strcmp(__atomic_load_n(&variable_names[i], ACQUIRE), name) == 0)
            return i;
    if (n >= VARIABLES)
        __ravel_unsupported("more than 16 variables of an environment that changes");
    __atomic_store_n(&variable_names[n], copy_of(name, strlen(name)), RELEASE);
    __atomic_store_n(&variable_values[n], &unasked, RELEASE);
    __atomic_store_n(&n_variables, n + 1, RELEASE);
    return n;
}

static char *variable_value(u32 at)
{
    char *value = __atomic_load_n(&variable_values[at], ACQUIRE);
    if (value == &unasked) {
        value = __ravel_choice() ? 0 : system_text();
        __atomic_store_n(&variable_values[at], value, RELEASE);
    }
    return value;
}

static char *getenv_changing(const char *name)
{
    __ravel_atomic_begin();
    char *value = variable_value(find_variable(name));
    __ravel_atomic_end();
    return value;
}

int setenv(const char *name, const char *value, int replaces)
{
    for (word i = 0; name[i] != 0; i++)
        if (name[i] == '=')
            return fail_with(EINVAL);
    if (name[0] == 0)
        return fail_with(EINVAL);
    char *copy = copy_of(value, strlen(value));
    __ravel_atomic_begin();
    u32 at = find_variable(name);
    if (replaces || variable_value(at) == 0)
        __atomic_store_n(&variable_values[at], copy, RELEASE);
    __ravel_atomic_end();
    return 0;
}

int unsetenv(const char *name)
{
    __ravel_atomic_begin();
    __atomic_store_n(&variable_values[find_variable(name)], 0, RELEASE);
    __ravel_atomic_end();
    return 0;
}

/* The text itself becomes a part of the environment. */
int putenv(char *text)
{
    word n = 0;
    while (text[n] != 0 && text[n] != '=')
        n++;
    char *name = copy_of(text, n);
    __ravel_atomic_begin();
    __atomic_store_n(&variable_values[find_variable(name)], text[n] == 0 ? 0 : text + n + 1, RELEASE);
    __ravel_atomic_end();
    return 0;
}

/* Texts that string.h has besides the common ones. */
char *strsep(char **text, const char *marks)
{
    char *start = *text;
    char *at = start;
    if (!start)
        return 0;
    while (*at != 0) {
        for (word i = 0; marks[i] != 0; i++)
            if (*at == marks[i]) {
                *at = 0;
                *text = at + 1;
                return start;
            }
        at++;
    }
    *text = 0;
    return start;
}

word strlcat(char *to, const char *from, word room)
{
    word n = 0;
    word m = strlen(from);
    while (n < room && to[n] != 0)
        n++;
    if (n == room)
        return room + m;
    for (word i = 0; i < m && n + i + 1 < room; i++)
        to[n + i] = from[i];
    to[n + m < room ? n + m : room - 1] = 0;
    return n + m;
}

char *stpncpy(char *to, const char *from, word n)
{
    word i = 0;
    while (i < n && from[i] != 0) {
        to[i] = from[i];
        i++;
    }
    char *end = to + i;
    for (; i < n; i++)
        to[i] = 0;
    return end;
}

char *strcasestr(const char *text, const char *part)
{
    word n = strlen(part);
    for (;; text++) {
        if (strncasecmp(text, part, n) == 0)
            return (char *)text;
        if (*text == 0)
            return 0;
    }
}

void *memccpy(void *to, const void *from, int c, word n)
{
    for (word i = 0; i < n; i++) {
        unsigned char byte = ((const unsigned char *)from)[i];
        ((unsigned char *)to)[i] = byte;
        if (byte == (unsigned char)c)
            return (unsigned char *)to + i + 1;
    }
    return 0;
}

void *memmem(const void *text, word n, const void *part, word m)
{
    for (word i = 0; m <= n && i <= n - m; i++)
        if (memcmp((const unsigned char *)text + i, part, m) == 0)
            return (unsigned char *)text + i;
    return 0;
}

void explicit_bzero(void *to, word n)
{
    memset(to, 0, n);
}

char *strsignal(int number)
{
    return system_text();
}

/* The one of GNU, which yields the text, not a number. */
char *strerror_r(int number, char *to, word room)
{
    if (room == 0 || __ravel_choice())
        return system_text();
    input_text(to, room);
    return to;
}

int __xpg_strerror_r(int number, char *to, word room)
{
    int error = zero_or_number();
    if (room > 0)
        input_text(to, room);
    return error;
}

int isascii(int c)
{
    return c >= 0 && c < 128;
}

/* Dates as texts of 26 bytes, which all threads share where nobody gives room for them. */
static char date_text[26];

char *asctime_r(const struct calendar *time, char *to)
{
    read_calendar(time);
    for (int i = 0; i < 24; i++)
        to[i] = (char)(' ' + __ravel_approximate_byte() % 95);
    to[24] = 10;
    to[25] = 0;
    return to;
}

char *asctime(const struct calendar *time)
{
    return asctime_r(time, date_text);
}

char *ctime_r(const long *time, char *to)
{
    struct calendar date;
    return localtime_r(time, &date) ? asctime_r(&date, to) : 0;
}

char *ctime(const long *time)
{
    return ctime_r(time, date_text);
}

int clock_getres(int clock, struct seconds *to)
{
    if (clock < 0 || clock >= N_CLOCKS)
        return fail_with(EINVAL);
    if (to) {
        to->whole = 0;
        to->part = 1;
    }
    return 0;
}

long timegm(struct calendar *time)
{
    return mktime(time);
}

void tzset(void)
{
}

/* Whoever prints would wait for it, which is not followed. */
void flockfile(void *file)
{
    use_stream(file);
    if (__ravel_uses("pthread_create") || __ravel_uses("thrd_create"))
        __ravel_unsupported("a stream that the program locks itself, beside other threads");
}

void funlockfile(void *file)
{
    use_stream(file);
}

/* `pthread_cleanup_push` of glibc: a frame in the block of the text, which names the routine, its argument and the frame before. The checker adds the second and
   the third argument. Whoever leaves the thread runs the routines, the last one first. */
static _Thread_local word *cleanups;

static void run_cleanups_above(word *least)
{
    while (cleanups != least) {
        word *frame = cleanups;
        cleanups = (word *)frame[2];
        ((void (*)(word))frame[0])(frame[1]);
    }
}

static void run_cleanups(void)
{
    run_cleanups_above(0);
}

/* The routines that were there when the routine of a call of once began. */
static _Thread_local word *cleanups_before_once;

static void enter_once(u32 *control)
{
    if (once_under_way)
        __ravel_unsupported("a call of once in the routine of another, where threads leave");
    once_under_way = control;
    if (__ravel_uses("__pthread_register_cancel"))
        cleanups_before_once = cleanups;
}

/* Who is cancelled there undoes what the routine pushed, then the call. */
static void leave_once(void)
{
    if (__ravel_uses("__pthread_register_cancel"))
        run_cleanups_above(cleanups_before_once);
    __atomic_store_n(once_under_way, 0, RELEASE);
    once_under_way = 0;
}

int __sigsetjmp_cancel(void *place, int saves_mask)
{
    return 0;
}

void __pthread_register_cancel(word *frame, word routine, word argument)
{
    frame[0] = routine;
    frame[1] = argument;
    frame[2] = (word)cleanups;
    cleanups = frame;
}

void __pthread_unregister_cancel(word *frame)
{
    cleanups = (word *)frame[2];
}

void __pthread_unwind_next(void *place)
{
}
