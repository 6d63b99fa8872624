/* The system: files by number, sockets, processes, clocks, signals. What it says is an input; what it is given is read. */

static long count_or_error(word most)
{
    may_wait();
    long n = __ravel_input_long();
    __ravel_assume(n >= -1 && (n < 0 || (word)n <= most));
    if (n < 0)
        set_error();
    return n;
}

/* A new file number, or -1. */
static int new_file(void)
{
    if (__ravel_choice()) {
        set_error();
        return -1;
    }
    return take_number();
}

long send(int file, const void *from, word n, int flags)
{
    read_bytes(from, n);
    if (__ravel_follows_pipes()) {
        int to = where_it_goes(file);
        if (to != 0) {
            may_wait();
            return put_in(file, to, from, n, flags);
        }
    }
    return count_or_error(n);
}

long write(int file, const void *from, word n)
{
    return send(file, from, n, 0);
}

long sendto(int file, const void *from, word n, int flags, const void *address, u32 size)
{
    if (address)
        read_bytes(address, size);
    return send(file, from, n, flags);
}

static long read_with(int file, void *to, word n, int flags)
{
    if (__ravel_follows_pipes()) {
        int kind = what_it_reads(file);
        if (kind != NOTHING) {
            may_wait();
            return take_out(file, kind, to, n, flags);
        }
    }
    long taken = count_or_error(n);
    if (__ravel_has_pipes() && !__ravel_follows_pipes())
        for (long i = 0; i < taken; i++)
            ((unsigned char *)to)[i] = __ravel_approximate_byte();
    else if (taken > 0)
        input_bytes(to, (word)taken);
    return taken;
}

long read(int file, void *to, word n)
{
    return read_with(file, to, n, 0);
}

long recv(int file, void *to, word n, int flags)
{
    if (what_it_reads(file) != NOTHING && (flags & PEEK) != 0)
        __ravel_unsupported("`recv` that leaves what it reads");
    return read_with(file, to, n, flags);
}

static void write_address(void *address, u32 *size)
{
    if (address) {
        u32 room = *size;
        u32 n = (u32)__ravel_input_int();
        __ravel_assume(n <= 128);
        input_bytes(address, n < room ? n : room);
        *size = n;
    }
}

long recvfrom(int file, void *to, word n, int flags, void *address, u32 *size)
{
    write_address(address, size);
    return read_with(file, to, n, flags);
}

int open(const char *path, int flags, ...)
{
    may_wait();
    read_text(path);
    return new_file();
}

int open64(const char *path, int flags, ...)
{
    return open(path, flags);
}

int creat(const char *path, u32 mode)
{
    return open(path, 0);
}

int close(int file)
{
    may_wait();
    int is_own = close_end(file);
    if (!give_number(file))
        return fail_with(EBADF);
    if (__ravel_follows_pipes() && is_own)
        return fails_by_itself() ? -1 : 0;
    return zero_or_error();
}

int fsync(int file)
{
    may_wait();
    return zero_or_error();
}

enum { SEEK_SET = 0 };

long lseek(int file, long offset, int whence)
{
    long at = __ravel_input_long();
    __ravel_assume(at >= -1);
    __ravel_assume(whence != SEEK_SET || at == offset || at == -1);
    if (at == -1)
        set_error();
    return at;
}

/* What the first files are is chosen before the process starts. */
extern u32 __terminals;

int isatty(int file)
{
    int is_terminal;
    if (file >= 0 && file < 3 && (__atomic_load_n(&replaced, RELAXED) >> file & 1) == 0)
        is_terminal = __terminals >> file & 1;
    else
        is_terminal = __ravel_choice();
    if (!is_terminal)
        set_error();
    return is_terminal;
}

int dup(int file)
{
    return new_file();
}

int socket(int domain, int type, int protocol)
{
    return new_file();
}

int listen(int file, int length)
{
    return zero_or_error();
}

int shutdown(int file, int how)
{
    return zero_or_error();
}

int bind(int file, const void *address, u32 size)
{
    read_bytes(address, size);
    return zero_or_error();
}

int connect(int file, const void *address, u32 size)
{
    may_wait();
    return bind(file, address, size);
}

int accept(int file, void *address, u32 *size)
{
    may_wait();
    write_address(address, size);
    return new_file();
}

int setsockopt(int file, int level, int name, const void *value, u32 size)
{
    read_bytes(value, size);
    return zero_or_error();
}

/* Two new file numbers. */
int pipe(int *files)
{
    if (zero_or_error())
        return -1;
    files[0] = take_number();
    files[1] = take_number();
    connect_ends(files[1], files[0]);
    return 0;
}

int pipe2(int *files, int flags)
{
    if (pipe(files) != 0)
        return -1;
    set_waiting(files[0], (flags & NOT_WAITING) == 0);
    set_waiting(files[1], (flags & NOT_WAITING) == 0);
    return 0;
}

int socketpair(int domain, int type, int protocol, int *files)
{
    if (pipe(files) != 0)
        return -1;
    if ((type & 15) != STREAM_SOCKET)
        __ravel_unsupported("a pair of sockets that keeps messages apart");
    connect_ends(files[0], files[1]);
    set_waiting(files[0], (type & NOT_WAITING) == 0);
    set_waiting(files[1], (type & NOT_WAITING) == 0);
    return 0;
}

int remove(const char *path)
{
    may_wait_or_not();
    read_text(path);
    return zero_or_error();
}

int unlink(const char *path)
{
    return remove(path);
}

int rmdir(const char *path)
{
    return remove(path);
}

int chdir(const char *path)
{
    return remove(path);
}

int mkdir(const char *path, u32 mode)
{
    return remove(path);
}

int chmod(const char *path, u32 mode)
{
    return remove(path);
}

int access(const char *path, int mode)
{
    return remove(path);
}

int rename(const char *from, const char *to)
{
    read_text(to);
    return remove(from);
}

int system(const char *command)
{
    may_wait();
    if (command)
        read_text(command);
    return __ravel_input_int();
}

/* The environment says the same whenever it is asked; of names that are literals it is known which are the same. */
enum { ENVIRONMENT = 64 };
static u32 is_asked[ENVIRONMENT];
static char *answers[ENVIRONMENT];
static u32 is_one_asked;
static u32 is_other_asked;

static char *getenv_numbered(u32 number)
{
    __ravel_atomic_begin();
    if (__atomic_load_n(&is_other_asked, RELAXED) != 0)
        __ravel_unsupported("`getenv` beside a call with a name that is no literal");
    if (__atomic_load_n(&is_asked[number], RELAXED) == 0) {
        __atomic_store_n(&answers[number], __ravel_choice() ? 0 : system_text(), RELAXED);
        __atomic_store_n(&is_asked[number], 1, RELAXED);
    }
    __atomic_store_n(&is_one_asked, 1, RELAXED);
    char *answer = __atomic_load_n(&answers[number], RELAXED);
    __ravel_atomic_end();
    return answer;
}

static int is_environment_changing(void)
{
    return __ravel_uses("setenv") || __ravel_uses("putenv") || __ravel_uses("unsetenv");
}

static char *getenv_changing(const char *name);

char *getenv(const char *name)
{
    u32 old;
    if (is_environment_changing())
        return getenv_changing(name);
    read_text(name);
    __ravel_rmw(&is_other_asked, old, 1, RELAXED);
    if (old != 0 || __atomic_load_n(&is_one_asked, RELAXED) != 0)
        __ravel_unsupported("`getenv` of a name that is no literal, beside other calls");
    return __ravel_choice() ? 0 : system_text();
}

char *getcwd(char *to, word room)
{
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    if (!to)
        __ravel_unsupported("`getcwd` into a block of its own");
    if (room < 2)
        return 0;
    to[0] = '/';
    input_text(to + 1, room - 1);
    return to;
}

/* A name that does not fit may be cut without an end. */
int gethostname(char *to, word room)
{
    if (room == 0 || zero_or_error())
        return -1;
    input_text(to, room);
    if (__ravel_choice())
        to[room - 1] = 'a';
    return 0;
}

char *strerror(int number)
{
    return system_text();
}

void openlog(const char *name, int options, int facility)
{
    if (name)
        read_text(name);
}

void closelog(void)
{
}

char *setlocale(int category, const char *name)
{
    if (name)
        read_text(name);
    return __ravel_choice() ? 0 : system_text();
}

/* The number of the process is chosen before it starts. */
extern int process_number;

int getpid(void)
{
    int number = process_number;
    __ravel_assume(number > 0);
    return number;
}

int getppid(void)
{
    int number = __ravel_input_int();
    __ravel_assume(number >= 0);
    return number;
}

extern u32 user_number;
extern u32 group_number;
extern u32 __effective_user_number;

u32 getuid(void)
{
    return user_number;
}

u32 geteuid(void)
{
    return __effective_user_number;
}

u32 getgid(void)
{
    return group_number;
}

/* What stays the same while the process runs, by name; but for limits that can be set, processors and free memory. */
enum { N_LIMITS = 256, ARG_MAX = 0, CHILD_MAX = 1, OPEN_MAX = 4, PAGE_SIZE = 30, PROCESSORS = 83, FREE_PAGES = 86 };
/* More than any machine has. */
enum { MOST_PROCESSORS = 8192, MOST_PAGES = 1 << 30 };
extern long __system_limits[N_LIMITS];

int getpagesize(void);

long sysconf(int name)
{
    long value = __ravel_input_long();
    if (name < 0 || name >= N_LIMITS)
        return fail_with(EINVAL);
    if (name == PAGE_SIZE)
        return getpagesize();
    if (name != CHILD_MAX && name != OPEN_MAX && (name < PROCESSORS || name > FREE_PAGES))
        value = __system_limits[name];
    if (name == PROCESSORS || name == PROCESSORS + 1)
        __ravel_assume(value > 0 && value <= MOST_PROCESSORS);
    else if (name > PROCESSORS + 1 && name <= FREE_PAGES)
        __ravel_assume(value > 0 && value <= MOST_PAGES);
    else
        __ravel_assume(value >= -1 && (name == ARG_MAX || value <= 0x7fffffff));
    return value;
}

int sched_yield(void)
{
    return 0;
}

int pthread_yield(void)
{
    return 0;
}

void thrd_yield(void)
{
}

u32 alarm(u32 time)
{
    if (time != 0 && (__ravel_uses("signal") || __ravel_uses("sigaction")))
        __ravel_unsupported("`alarm` in a program with handlers of signals");
    return (u32)__ravel_input_int();
}

enum { PR_SET_NAME = 15 };

int prctl(int option, word argument, ...)
{
    if (option != PR_SET_NAME)
        __ravel_unsupported("`prctl` other than of a name");
    read_text_up_to((const char *)argument, 16);
    return 0;
}

/* 0, or an error number. */
static int zero_or_number(void)
{
    int error = 0;
    if (__ravel_choice()) {
        error = __ravel_input_int();
        __ravel_assume(error > 0);
    }
    return error;
}

int pthread_setname_np(word thread, const char *name)
{
    read_text(name);
    return zero_or_number();
}

int pthread_getname_np(word thread, char *to, word room)
{
    int error = zero_or_number();
    if (error == 0) {
        __ravel_assume(room > 0);
        input_text(to, room < 16 ? room : 16);
    }
    return error;
}

int pthread_setconcurrency(int level)
{
    return zero_or_number();
}

int pthread_setschedparam(word thread, int policy, const int *parameters)
{
    (void)*parameters;
    return zero_or_number();
}

int pthread_setaffinity_np(word thread, word size, const void *set)
{
    read_bytes(set, size);
    return zero_or_number();
}

/* Attributes are ours to use from their third word on; the first is the detach state. */
static int set_attribute(u32 *attributes)
{
    attributes[2] = 0;
    return 0;
}

int pthread_attr_destroy(u32 *attributes)
{
    return set_attribute(attributes);
}

int pthread_attr_setstacksize(u32 *attributes, word size)
{
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setguardsize(u32 *attributes, word size)
{
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setscope(u32 *attributes, int scope)
{
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setschedpolicy(u32 *attributes, int policy)
{
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setschedparam(u32 *attributes, const int *parameters)
{
    (void)*parameters;
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setinheritsched(u32 *attributes, int inherit)
{
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_attr_setaffinity_np(u32 *attributes, word size, const void *set)
{
    read_bytes(set, size);
    set_attribute(attributes);
    return zero_or_number();
}

int pthread_setcancelstate(int state, int *old)
{
    if (state != 0 && state != 1)
        return EINVAL;
    if (old)
        *old = cancel_state;
    cancel_state = state;
    return 0;
}

int pthread_setcanceltype(int type, int *old)
{
    if (type != 0 && type != 1)
        return EINVAL;
    if (type == 1 && __ravel_uses("pthread_cancel"))
        __ravel_unsupported("a thread that may be cancelled at any moment");
    if (old)
        *old = cancel_type;
    cancel_type = type;
    return 0;
}
