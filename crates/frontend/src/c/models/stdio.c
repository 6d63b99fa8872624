/* Streams. What is printed is gone, but it is read first; what comes in is an input. A stream is an object that ends when it is
 * closed, the library's own and so never lost; the standard ones are always there. */

extern void *stdin;
extern void *stdout;
extern void *stderr;
extern void *__stdinp;
extern void *__stdoutp;
extern void *__stderrp;

/* Streams are objects of ours: their number, what was put back, and their indicators. */
enum { EOF = -1, STREAM = 64, NUMBER_AT = 8, PUSHED_AT = 16, INDICATORS_AT = 24 };

static int is_standard(void *file)
{
    return file == stdin || file == stdout || file == stderr || file == __stdinp || file == __stdoutp || file == __stderrp;
}

/* The indicators of the end and of errors, where the program asks for them. A stream has none at first; who reads or writes in vain sets one, and they stay until
 * they are cleared. */
enum { AT_END = 1, FAILED = 2 };
static int standard_indicators[3];

static int asks_for_indicators(void)
{
    return __ravel_uses("feof") || __ravel_uses("ferror");
}

static int *indicators_of(void *file)
{
    if (file == stdin || file == __stdinp)
        return &standard_indicators[0];
    if (file == stdout || file == __stdoutp)
        return &standard_indicators[1];
    if (file == stderr || file == __stderrp)
        return &standard_indicators[2];
    return (int *)((char *)file + INDICATORS_AT);
}

static void set_indicators(void *file, int which)
{
    int old;
    if (asks_for_indicators())
        __ravel_rmw(indicators_of(file), old, old | which, RELAXED);
}

static void clear_indicators(void *file, int which)
{
    int old;
    if (asks_for_indicators())
        __ravel_rmw(indicators_of(file), old, old & ~which, RELAXED);
}

/* Streams lock themselves, so their use is no data race; one that is null or closed is an invalid access. */
static void use_stream(void *file)
{
    if (!is_standard(file))
        __atomic_load_n((unsigned char *)file, RELAXED);
}

/* What nobody guards: the standard streams where functions use them unlocked. */
static unsigned char unlocked[3];

static void use_unlocked(void *file)
{
    if (file == stdin || file == __stdinp)
        unlocked[0] = 1;
    else if (file == stdout || file == __stdoutp)
        unlocked[1] = 1;
    else if (file == stderr || file == __stderrp)
        unlocked[2] = 1;
    else
        *(unsigned char *)file = 0;
}

static void set_error(void)
{
    if (__ravel_uses("__errno_location")) {
        int number = __ravel_input_int();
        __ravel_assume(number > 0);
        *__errno_location() = number;
    }
}

/* What is called where there is no memory. */
static void set_out_of_memory(void)
{
    if (__ravel_uses("__errno_location"))
        *__errno_location() = ENOMEM;
}

/* 0, or -1 and an error number. */
static int zero_or_error(void)
{
    if (__ravel_choice()) {
        set_error();
        return -1;
    }
    return 0;
}

/* What a function that prints returns: how much, or something negative. */
static int or_negative(int n)
{
    may_wait_or_not();
    if (__ravel_choice()) {
        set_error();
        n = __ravel_input_int();
        __ravel_assume(n < 0);
    }
    return n;
}

/* What is printed by a format may fail to be written, or for the format. */
static void note_printed(void *file, int result)
{
    if (result < 0 && __ravel_choice())
        set_indicators(file, FAILED);
}

static void note_printed_out(int result)
{
    note_printed(stdout, result);
}

static void note_printed_as_error(int result)
{
    note_printed(stderr, result);
}

/* What is read by a format may come to the end behind all that it asks for, but there is a cause if nothing was read. */
static void note_scanned(void *file, int result)
{
    int which = (__ravel_choice() ? AT_END : 0) | (__ravel_choice() ? FAILED : 0);
    __ravel_assume(result != EOF || which != 0);
    set_indicators(file, which);
}

static void note_scanned_in(int result)
{
    note_scanned(stdin, result);
}

/* Reading by a format may fail. */
static void may_fail_to_scan(void)
{
    may_wait_or_not();
    if (__ravel_choice())
        set_error();
}

static void read_text(const char *text)
{
    for (word i = 0; text[i] != 0; i++)
        ;
}

static void read_text_up_to(const char *text, word limit)
{
    for (word i = 0; i < limit && text[i] != 0; i++)
        ;
}

static void read_bytes(const void *from, word n)
{
    for (word i = 0; i < n; i++)
        (void)((const unsigned char *)from)[i];
}

/* Some text that fits, which is not a function of anything that is modelled. */
static word input_text(char *to, word room)
{
    word n = 0;
    while (n + 1 < room && __ravel_choice()) {
        char c = (char)__ravel_input_byte();
        __ravel_assume(c != 0);
        to[n] = c;
        n++;
    }
    to[n] = 0;
    return n;
}

/* Any text that fits, where what it is follows from arguments and is not computed. */
static void approximate_text(char *to, word room)
{
    for (word i = 0; i + 1 < room; i++)
        to[i] = (char)__ravel_approximate_byte();
    to[room - 1] = 0;
}

/* Some text that belongs to the system. */
static char *system_text(void)
{
    word n = (word)__ravel_input_long();
    __ravel_assume(n < ((word)-1 >> 2));
    char *text = __ravel_alloc_static(n + 1);
    text[n] = 0;
    return text;
}

/* What was called to write and could not. */
static int write_failed(void *file)
{
    set_error();
    set_indicators(file, FAILED);
    return EOF;
}

/* Something that is not negative, or EOF. Callers that look at more get any number of that kind (calls/results.rs). */
int fputs(const char *text, void *file)
{
    use_stream(file);
    read_text(text);
    may_wait_or_not();
    return __ravel_choice() ? write_failed(file) : __ravel_choice();
}

int puts(const char *text)
{
    return fputs(text, stdout);
}

int fputs_unlocked(const char *text, void *file)
{
    use_unlocked(file);
    return fputs(text, file);
}

void perror(const char *text)
{
    may_wait_or_not();
    if (text)
        read_text(text);
    note_printed(stderr, -1);
}

int fputc(int c, void *file)
{
    use_stream(file);
    may_wait_or_not();
    return __ravel_choice() ? write_failed(file) : (unsigned char)c;
}

int putchar(int c)
{
    return fputc(c, stdout);
}

int putchar_unlocked(int c)
{
    use_unlocked(stdout);
    return putchar(c);
}

int putc(int c, void *file)
{
    return fputc(c, file);
}

int putc_unlocked(int c, void *file)
{
    use_unlocked(file);
    return fputc(c, file);
}

word fwrite(const void *from, word size, word n, void *file)
{
    word written = (word)__ravel_input_long();
    use_stream(file);
    read_bytes(from, size * n);
    if (size == 0)
        return 0;
    __ravel_assume(written <= n);
    if (written < n)
        write_failed(file);
    return written;
}

word fwrite_unlocked(const void *from, word size, word n, void *file)
{
    use_unlocked(file);
    return fwrite(from, size, n, file);
}

/* What `ungetc` has put back into a stream, plus one. There is room for one character, and only functions for single ones take it. */
static int pushed_standard;

static int *pushed_of(void *file)
{
    return is_standard(file) ? &pushed_standard : (int *)((char *)file + PUSHED_AT);
}

static int take_pushed(void *file)
{
    int old;
    __ravel_rmw(pushed_of(file), old, 0, RELAXED);
    return old - 1;
}

static void check_pushed(void *file)
{
    if (__ravel_uses("ungetc") && __atomic_load_n(pushed_of(file), RELAXED) != 0)
        __ravel_unsupported("reading more than a character after `ungetc`");
}

word fread(void *to, word size, word n, void *file)
{
    word taken = (word)__ravel_input_long();
    use_stream(file);
    check_pushed(file);
    if (size == 0 || n == 0)
        return 0;
    __ravel_assume(taken <= size * n);
    input_bytes(to, taken);
    if (taken < size * n) {
        set_error();
        set_indicators(file, __ravel_choice() ? AT_END : FAILED);
    }
    return taken / size;
}

/* Numbers of files. A new file gets the least that is free, in the whole process; streams have one too, kept where programs use numbers. Standard
 * streams have the first three. */
enum { N_FILES = 64 };
static u64 open_files = 7;

static int uses_numbers(void)
{
    return __ravel_uses("open") || __ravel_uses("open64") || __ravel_uses("creat") || __ravel_uses("dup") || __ravel_uses("pipe")
        || __ravel_uses("pipe2") || __ravel_uses("socket") || __ravel_uses("accept") || __ravel_uses("accept4")
        || __ravel_uses("socketpair") || __ravel_uses("epoll_create") || __ravel_uses("epoll_create1") || __ravel_uses("eventfd")
        || __ravel_uses("timerfd_create") || __ravel_uses("mkstemp") || __ravel_uses("fileno") || __ravel_uses("fdopen");
}

static int take_number(void)
{
    u64 old;
    __ravel_rmw(&open_files, old, old | (old + 1), RELAXED);
    if (~old == 0)
        __ravel_unsupported("more than 64 open files");
    return __builtin_ctzll(~old);
}

/* Which of the first three files are no longer what they were at the start. */
static u32 replaced;

static void note_replaced(u64 bit)
{
    u32 before;
    if (__ravel_uses("isatty") && bit < 8)
        __ravel_rmw(&replaced, before, before | (u32)bit, RELAXED);
}

/* Whether it was taken. */
static int give_number(int number)
{
    u64 old;
    u64 bit = number >= 0 && number < N_FILES ? (u64)1 << number : 0;
    __ravel_rmw(&open_files, old, old & ~bit, RELAXED);
    note_replaced(bit);
    return (old & bit) != 0;
}

static void *new_stream_of(int number)
{
    char *stream = __ravel_alloc_static(STREAM);
    __atomic_store_n((int *)(stream + NUMBER_AT), number, RELAXED);
    if (__ravel_uses("ungetc"))
        __atomic_store_n((int *)(stream + PUSHED_AT), 0, RELAXED);
    if (asks_for_indicators())
        __atomic_store_n(indicators_of(stream), 0, RELAXED);
    return stream;
}

static void *new_stream(void)
{
    may_wait_or_not();
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    return new_stream_of(uses_numbers() ? take_number() : 0);
}

static int number_of(void *file)
{
    if (file == stdin || file == __stdinp)
        return 0;
    if (file == stdout || file == __stdoutp)
        return 1;
    if (file == stderr || file == __stderrp)
        return 2;
    return __atomic_load_n((int *)((char *)file + NUMBER_AT), RELAXED);
}

void *fopen(const char *path, const char *mode)
{
    read_text(path);
    read_text(mode);
    return new_stream();
}

void *fopen64(const char *path, const char *mode)
{
    return fopen(path, mode);
}

void *fdopen(int file, const char *mode)
{
    read_text(mode);
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    return new_stream_of(file);
}

void *popen(const char *command, const char *mode)
{
    return fopen(command, mode);
}

void *tmpfile(void)
{
    return new_stream();
}

int fclose(void *file)
{
    may_wait_or_not();
    use_stream(file);
    if (uses_numbers())
        give_number(number_of(file));
    if (!is_standard(file))
        __ravel_end_static(file);
    return zero_or_error();
}

int pclose(void *file)
{
    fclose(file);
    return __ravel_input_int();
}

/* Of all streams that are flushed at once nobody says which one failed. */
static int some_failed;

int fflush(void *file)
{
    may_wait_or_not();
    if (file)
        use_stream(file);
    if (!__ravel_choice())
        return 0;
    set_error();
    if (file)
        set_indicators(file, FAILED);
    else if (__ravel_uses("ferror"))
        __atomic_store_n(&some_failed, 1, RELAXED);
    return EOF;
}

int feof(void *file)
{
    int answer = __ravel_input_int();
    use_stream(file);
    __ravel_assume((answer != 0) == ((__atomic_load_n(indicators_of(file), RELAXED) & AT_END) != 0));
    return answer;
}

int ferror(void *file)
{
    int answer = __ravel_input_int();
    use_stream(file);
    int is_set = (__atomic_load_n(indicators_of(file), RELAXED) & FAILED) != 0;
    __ravel_assume((answer != 0) == is_set || (answer != 0 && __atomic_load_n(&some_failed, RELAXED) != 0));
    return answer;
}

void clearerr(void *file)
{
    use_stream(file);
    clear_indicators(file, AT_END | FAILED);
}

int fileno(void *file)
{
    use_stream(file);
    return number_of(file);
}

static void drop_pushed(void *file)
{
    if (__ravel_uses("ungetc") && (!is_standard(file) || file == stdin || file == __stdinp))
        __atomic_store_n(pushed_of(file), 0, RELAXED);
}

/* Who finds the place is not at the end any more, and what was put back is gone. */
int fseek(void *file, long offset, int whence)
{
    may_wait_or_not();
    use_stream(file);
    if (__ravel_choice()) {
        if (__ravel_choice())
            set_indicators(file, FAILED);
        set_error();
        return -1;
    }
    drop_pushed(file);
    clear_indicators(file, AT_END);
    return 0;
}

/* The place is the system's to say after `fseek`, as to the end of a file; else it follows from what was read and written, which is not computed. */
long ftell(void *file)
{
    use_stream(file);
    if (!__ravel_uses("fseek"))
        return (long)((word)__ravel_approximate_long() >> 1) - 1;
    long at = __ravel_input_long();
    __ravel_assume(at >= -1);
    return at;
}

void rewind(void *file)
{
    may_wait_or_not();
    use_stream(file);
    if (__ravel_may_fail("rewind")) {
        set_error();
        clear_indicators(file, FAILED);
        return;
    }
    drop_pushed(file);
    clear_indicators(file, AT_END | FAILED);
}

int setvbuf(void *file, char *buffer, int mode, word size)
{
    use_stream(file);
    if (buffer)
        __ravel_unsupported("a stream with a buffer of the program's own");
    return zero_or_error();
}

void setbuf(void *file, char *buffer)
{
    setvbuf(file, buffer, 0, 0);
}

void setlinebuf(void *file)
{
    use_stream(file);
}

int ungetc(int c, void *file)
{
    int old;
    use_stream(file);
    if (c == EOF)
        return EOF;
    if (is_standard(file) && file != stdin && file != __stdinp)
        __ravel_unsupported("`ungetc` to a stream that is written");
    __ravel_rmw(pushed_of(file), old, old != 0 ? old : 1 + (unsigned char)c, RELAXED);
    if (old != 0)
        __ravel_unsupported("`ungetc` of more than one character");
    clear_indicators(file, AT_END);
    return (unsigned char)c;
}
