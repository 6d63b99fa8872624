/* The process: what it is started with, and how it ends. */

/* A text of at most so many characters. It is chosen how long it is, and a character when it is read. */
static char *any_text(word length)
{
    word n = __ravel_input_byte();
    __ravel_assume(n <= length);
    char *text = __ravel_alloc_static(n + 1);
    text[n] = 0;
    return text;
}

/* What main is given: its name, some texts, and a null pointer behind them. */
static int argument_count(int most)
{
    int n = __ravel_input_byte();
    __ravel_assume(n >= 1 && n <= most + 1);
    return n;
}

static char **argument_list(int count)
{
    char **list = __ravel_alloc_static(((word)count + 1) * sizeof(char *));
    list[count] = 0;
    return list;
}

static void put_argument(char **list, int at, char *text)
{
    list[at] = text;
}

static void any_argument(char **list, int count, int at, word length)
{
    if (at < count)
        list[at] = any_text(length);
}

/* What the system has written into variables when the process starts. */
char **environ;
char *program_invocation_name;
char *program_invocation_short_name;
char *tzname[2];

static void start_environ(char **list)
{
    environ = list;
}

static void start_invocation_name(char *name)
{
    program_invocation_name = name;
}

static void start_short_name(char *name)
{
    program_invocation_short_name = name;
}

static void start_zone_names(word length)
{
    tzname[0] = any_text(length);
    tzname[1] = any_text(length);
}

/* Handlers run when the process ends, the last one first; one that is added meanwhile runs next. */
enum { HANDLERS = 32 };
static word handlers[HANDLERS];
static u32 n_handlers;

int atexit(word handler)
{
    u32 n;
    __ravel_rmw(&n_handlers, n, n + 1, ACQ_REL);
    if (n >= HANDLERS)
        __ravel_unsupported("more than 32 handlers of `atexit`");
    __atomic_store_n(&handlers[n], handler, RELAXED);
    return 0;
}

static void run_exit_handlers(void)
{
    while (1) {
        u32 n;
        __ravel_rmw(&n_handlers, n, n == 0 ? 0 : n - 1, ACQ_REL);
        if (n == 0)
            return;
        ((void (*)(void))__atomic_load_n(&handlers[n - 1], RELAXED))();
    }
}
