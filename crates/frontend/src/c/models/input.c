/* What streams are read by: characters, lines. Where nothing comes, or no more, the stream says why, if the program asks. */

static int input_character(void *file)
{
    may_wait_or_not();
    int c = __ravel_input_int();
    __ravel_assume(c >= -1 && c <= 255);
    if (c == EOF) {
        int fails = __ravel_choice();
        if (fails)
            set_error();
        set_indicators(file, fails ? FAILED : AT_END);
    }
    return c;
}

/* A character, or the end. */
int fgetc(void *file)
{
    use_stream(file);
    if (__ravel_uses("ungetc")) {
        int c = take_pushed(file);
        if (c >= 0)
            return c;
    }
    return input_character(file);
}

int getchar(void)
{
    return fgetc(stdin);
}

int getchar_unlocked(void)
{
    use_unlocked(stdin);
    return fgetc(stdin);
}

int getc(void *file)
{
    return fgetc(file);
}

int getc_unlocked(void *file)
{
    use_unlocked(file);
    return fgetc(file);
}

/* A line, or what fits of it. At the end of input nothing is written; after an error the text is not ended. */
char *fgets(char *to, int room, void *file)
{
    may_wait_or_not();
    int n = 0;
    unsigned char c = 0;
    use_stream(file);
    check_pushed(file);
    if (room <= 0)
        return 0;
    if (__ravel_choice()) {
        set_indicators(file, AT_END);
        return 0;
    }
    while (n + 1 < room && c != '\n' && (n == 0 || __ravel_choice())) {
        c = __ravel_input_byte();
        to[n] = (char)c;
        n++;
    }
    if (__ravel_choice()) {
        set_error();
        set_indicators(file, FAILED);
        return 0;
    }
    /* A line that does not end and for which there was room is the last one. */
    if (n + 1 < room && c != '\n')
        set_indicators(file, AT_END);
    to[n] = 0;
    return to;
}

char *gets(char *to)
{
    word n = 0;
    check_pushed(stdin);
    if (__ravel_choice()) {
        set_indicators(stdin, __ravel_choice() ? AT_END : FAILED);
        return 0;
    }
    while (__ravel_choice()) {
        unsigned char c = __ravel_input_byte();
        __ravel_assume(c != '\n');
        to[n] = (char)c;
        n++;
    }
    if (n > 0 && __ravel_choice())
        set_indicators(stdin, AT_END);
    to[n] = 0;
    return to;
}

/* A line of any length, in a block that grows. */
long getline(char **line, word *room, void *file)
{
    long n = __ravel_input_long();
    use_stream(file);
    check_pushed(file);
    char *to = *line;
    word size = *room;
    if (__ravel_choice()) {
        /* There may be room for a line before it shows that there is none. */
        if (!to && __ravel_choice()) {
            *line = realloc(0, 120);
            *room = 120;
        }
        set_error();
        set_indicators(file, __ravel_choice() ? AT_END : FAILED);
        return -1;
    }
    __ravel_assume(n > 0 && n < (long)((word)-1 >> 2));
    if (!to || size < (word)n + 1) {
        size = (word)n + 1;
        to = realloc(to, size);
        *line = to;
        *room = size;
    }
    unsigned char c = 0;
    for (long i = 0; i < n; i++) {
        c = __ravel_input_byte();
        __ravel_assume(c != '\n' || i == n - 1);
        to[i] = (char)c;
    }
    if (c != '\n')
        set_indicators(file, AT_END);
    to[n] = 0;
    return n;
}
