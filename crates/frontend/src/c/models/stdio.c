/* Streams. What is printed is gone, but it is read first; what comes in is an input. A stream is an object that ends when it is
 * closed, the library's own and so never lost; the standard ones are always there. */

extern void *stdin;
extern void *stdout;
extern void *stderr;
extern void *__stdinp;
extern void *__stdoutp;
extern void *__stderrp;

enum { EOF = -1, STREAM = 64 };

static int is_standard(void *file)
{
    return file == stdin || file == stdout || file == stderr || file == __stdinp || file == __stdoutp || file == __stderrp;
}

/* Streams lock themselves, so their use is no data race; one that is null or closed is an invalid access. */
static void use_stream(void *file)
{
    if (!is_standard(file))
        __atomic_load_n((unsigned char *)file, RELAXED);
}

static void set_error(void)
{
    if (__ravel_uses("__errno_location")) {
        int number = __ravel_input_int();
        __ravel_assume(number > 0);
        *__errno_location() = number;
    }
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
    if (__ravel_choice()) {
        set_error();
        n = __ravel_input_int();
        __ravel_assume(n < 0);
    }
    return n;
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

/* Some text that belongs to the system. */
static char *system_text(void)
{
    word n = (word)__ravel_input_long();
    __ravel_assume(n < ((word)-1 >> 2));
    char *text = __ravel_alloc_static(n + 1);
    text[n] = 0;
    return text;
}

int puts(const char *text)
{
    read_text(text);
    return or_negative(0);
}

int fputs(const char *text, void *file)
{
    use_stream(file);
    read_text(text);
    return or_negative(0);
}

int fputs_unlocked(const char *text, void *file)
{
    return fputs(text, file);
}

void perror(const char *text)
{
    if (text)
        read_text(text);
}

int putchar(int c)
{
    return __ravel_choice() ? EOF : (unsigned char)c;
}

int putchar_unlocked(int c)
{
    return putchar(c);
}

int fputc(int c, void *file)
{
    use_stream(file);
    return putchar(c);
}

int putc(int c, void *file)
{
    return fputc(c, file);
}

int putc_unlocked(int c, void *file)
{
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
        set_error();
    return written;
}

word fwrite_unlocked(const void *from, word size, word n, void *file)
{
    return fwrite(from, size, n, file);
}

word fread(void *to, word size, word n, void *file)
{
    word taken = (word)__ravel_input_long();
    use_stream(file);
    if (size == 0 || n == 0)
        return 0;
    __ravel_assume(taken <= size * n);
    input_bytes(to, taken);
    if (taken < size * n)
        set_error();
    return taken / size;
}

static void *new_stream(void)
{
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    return __ravel_alloc_static(STREAM);
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
    return new_stream();
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
    use_stream(file);
    if (!is_standard(file))
        __ravel_end_static(file);
    return __ravel_choice() ? EOF : 0;
}

int pclose(void *file)
{
    fclose(file);
    return __ravel_input_int();
}

int fflush(void *file)
{
    if (file)
        use_stream(file);
    return __ravel_choice() ? EOF : 0;
}

int feof(void *file)
{
    use_stream(file);
    return __ravel_input_int();
}

int ferror(void *file)
{
    use_stream(file);
    return __ravel_input_int();
}

void clearerr(void *file)
{
    use_stream(file);
}

int fileno(void *file)
{
    use_stream(file);
    int number = __ravel_input_int();
    __ravel_assume(number >= -1);
    return number;
}

int fseek(void *file, long offset, int whence)
{
    use_stream(file);
    return zero_or_error();
}

long ftell(void *file)
{
    long at = __ravel_input_long();
    use_stream(file);
    __ravel_assume(at >= -1);
    return at;
}

void rewind(void *file)
{
    use_stream(file);
}

int setvbuf(void *file, char *buffer, int mode, word size)
{
    use_stream(file);
    if (buffer)
        __ravel_unsupported("a stream with a buffer of the program's own");
    return __ravel_choice() ? EOF : 0;
}

void setbuf(void *file, char *buffer)
{
    setvbuf(file, buffer, 0, 0);
}

void setlinebuf(void *file)
{
    use_stream(file);
}

/* A character, or the end. */
int getchar(void)
{
    int c = __ravel_input_int();
    __ravel_assume(c >= -1 && c <= 255);
    return c;
}

int getchar_unlocked(void)
{
    return getchar();
}

int fgetc(void *file)
{
    use_stream(file);
    return getchar();
}

int getc(void *file)
{
    return fgetc(file);
}

int getc_unlocked(void *file)
{
    return fgetc(file);
}

/* A line, or what fits of it. At the end of input nothing is written; after an error the text is not ended. */
char *fgets(char *to, int room, void *file)
{
    int n = 0;
    unsigned char c = 0;
    use_stream(file);
    if (room <= 0 || __ravel_choice())
        return 0;
    while (n + 1 < room && c != '\n' && (n == 0 || __ravel_choice())) {
        c = __ravel_input_byte();
        to[n] = (char)c;
        n++;
    }
    if (__ravel_choice()) {
        set_error();
        return 0;
    }
    to[n] = 0;
    return to;
}

char *gets(char *to)
{
    word n = 0;
    if (__ravel_choice())
        return 0;
    while (__ravel_choice()) {
        unsigned char c = __ravel_input_byte();
        __ravel_assume(c != '\n');
        to[n] = (char)c;
        n++;
    }
    to[n] = 0;
    return to;
}

/* A line of any length, in a block that grows. */
long getline(char **line, word *room, void *file)
{
    long n = __ravel_input_long();
    use_stream(file);
    char *to = *line;
    word size = *room;
    if (__ravel_choice()) {
        set_error();
        return -1;
    }
    __ravel_assume(n > 0 && n < (long)((word)-1 >> 2));
    if (!to || size < (word)n + 1) {
        size = (word)n + 1;
        to = realloc(to, size);
        *line = to;
        *room = size;
    }
    for (long i = 0; i < n; i++) {
        unsigned char c = __ravel_input_byte();
        __ravel_assume(c != '\n' || i == n - 1);
        to[i] = (char)c;
    }
    to[n] = 0;
    return n;
}
