/* Signals. None comes from outside; one that a thread sends to itself runs its handler at once, unless it is blocked. */

/* Sets of signals are 128 bytes. */
enum { SET_WORDS = 128 / sizeof(word), WORD_BITS = 8 * sizeof(word), N_SIGNALS = 64 };

static int fill_set(word *set, word value)
{
    for (u32 i = 0; i < SET_WORDS; i++)
        set[i] = value;
    return 0;
}

int sigemptyset(word *set)
{
    return fill_set(set, 0);
}

int sigfillset(word *set)
{
    return fill_set(set, (word)-1);
}

static int is_signal(int number)
{
    if (number >= 1 && number <= N_SIGNALS)
        return 1;
    if (__ravel_uses("__errno_location"))
        *__errno_location() = EINVAL;
    return 0;
}

int sigaddset(word *set, int number)
{
    if (!is_signal(number))
        return -1;
    set[(u32)(number - 1) / WORD_BITS] |= (word)1 << (u32)(number - 1) % WORD_BITS;
    return 0;
}

int sigdelset(word *set, int number)
{
    if (!is_signal(number))
        return -1;
    set[(u32)(number - 1) / WORD_BITS] &= ~((word)1 << (u32)(number - 1) % WORD_BITS);
    return 0;
}

int sigismember(const word *set, int number)
{
    if (!is_signal(number))
        return -1;
    return set[(u32)(number - 1) / WORD_BITS] >> (u32)(number - 1) % WORD_BITS & 1;
}

enum { DEFAULT_ACTION = 0, IGNORE_ACTION = 1, SIG_SETMASK_HOW = 2, SIG_UNBLOCK_HOW = 1, SIG_BLOCK_HOW = 0 };
enum { SIGKILL_NUMBER = 9, SIGCHLD_NUMBER = 17, SIGCONT_NUMBER = 18, SIGSTOP_NUMBER = 19, SIGURG_NUMBER = 23, SIGWINCH_NUMBER = 28 };
enum { SA_SIGINFO_FLAG = 4, SA_NODEFER_FLAG = 0x40000000, SA_RESETHAND_FLAG = (int)0x80000000u };

static word actions[N_SIGNALS + 1];
static int action_flags[N_SIGNALS + 1];
static u64 action_masks[N_SIGNALS + 1];
static _Thread_local u64 blocked_signals;

/* A new thread blocks what the one that started it did. That is not followed: who asks before it has said what it blocks itself gets no answer. */
static u8 some_inherit;
static _Thread_local u8 has_own_mask;

static int blocks_signals(void)
{
    return __ravel_uses("pthread_sigmask") || __ravel_uses("sigprocmask");
}

static void note_mask_of_new_thread(void)
{
    if (blocked_signals != 0)
        __atomic_store_n(&some_inherit, 1, RELAXED);
}

static void must_know_mask(void)
{
    if (blocks_signals() && __ravel_self() != 1 && !has_own_mask && __atomic_load_n(&some_inherit, RELAXED))
        __ravel_unsupported("the signals that a thread blocks because its creator did");
}

/* The first 64 signals of a set. */
static u64 signals_of(const word *set)
{
    u64 given = 0;
    for (u32 i = 0; i < 64 / WORD_BITS; i++)
        given |= (u64)set[i] << i * WORD_BITS % 64;
    return given & ~((u64)1 << (SIGKILL_NUMBER - 1) | (u64)1 << (SIGSTOP_NUMBER - 1));
}

static void tell_signals(word *set, u64 signals)
{
    fill_set(set, 0);
    for (u32 i = 0; i < 64 / WORD_BITS; i++)
        set[i] = (word)(signals >> i * WORD_BITS % 64);
}

/* The action of glibc: a handler, a set, flags, and a function that nobody calls. */
struct action {
    word handler;
    word mask[SET_WORDS];
    int flags;
    word restorer;
};

word signal(int number, word handler)
{
    word old;
    if (!is_signal(number) || number == SIGKILL_NUMBER || number == SIGSTOP_NUMBER)
        return (word)(long)fail_with(EINVAL);
    __ravel_rmw(&actions[number], old, handler, SEQ_CST);
    __atomic_store_n(&action_flags[number], 0, RELAXED);
    __atomic_store_n(&action_masks[number], 0, RELAXED);
    return old;
}

int sigaction(int number, const struct action *new, struct action *old)
{
    if (!is_signal(number) || (new && (number == SIGKILL_NUMBER || number == SIGSTOP_NUMBER)))
        return fail_with(EINVAL);
    if (old) {
        old->handler = __atomic_load_n(&actions[number], SEQ_CST);
        tell_signals(old->mask, __atomic_load_n(&action_masks[number], RELAXED));
        old->flags = __atomic_load_n(&action_flags[number], RELAXED);
    }
    if (new) {
        for (u32 i = 0; i < SET_WORDS; i++)
            (void)new->mask[i];
        __atomic_store_n(&action_masks[number], signals_of(new->mask), RELAXED);
        __atomic_store_n(&action_flags[number], new->flags, RELAXED);
        __atomic_store_n(&actions[number], new->handler, SEQ_CST);
    }
    return 0;
}

static int is_harmless(int number)
{
    return number == SIGCHLD_NUMBER || number == SIGCONT_NUMBER || number == SIGURG_NUMBER || number == SIGWINCH_NUMBER;
}

int raise(int number)
{
    if (!is_signal(number))
        return -1;
    must_know_mask();
    if (blocked_signals >> (number - 1) & 1)
        __ravel_unsupported("a signal that is sent while it is blocked");
    word handler = __atomic_load_n(&actions[number], SEQ_CST);
    int flags = __atomic_load_n(&action_flags[number], RELAXED);
    if (handler == IGNORE_ACTION || (handler == DEFAULT_ACTION && is_harmless(number)))
        return 0;
    if (handler == DEFAULT_ACTION)
        __ravel_end_process();
    if (flags & SA_RESETHAND_FLAG)
        __atomic_store_n(&actions[number], DEFAULT_ACTION, SEQ_CST);
    if (flags & SA_SIGINFO_FLAG)
        __ravel_unsupported("a handler of signals that is told more than their number");
    u64 outer = blocked_signals;
    blocked_signals |= __atomic_load_n(&action_masks[number], RELAXED);
    if ((flags & SA_NODEFER_FLAG) == 0)
        blocked_signals |= (u64)1 << (number - 1);
    ((void (*)(int))handler)(number);
    blocked_signals = outer;
    return 0;
}

int pthread_kill(word thread, int number)
{
    must_be_told(thread);
    if (number == 0)
        return __ravel_choice() ? 3 : 0;
    if (thread != __ravel_self())
        __ravel_unsupported("`pthread_kill` of another thread");
    return raise(number) == 0 ? 0 : EINVAL;
}

int kill(int process, int number)
{
    if (number == 0)
        return zero_or_error();
    if (process != process_number || __ravel_uses("pthread_create") || __ravel_uses("thrd_create"))
        __ravel_unsupported("`kill` of another process, or with several threads");
    return raise(number);
}

int pthread_sigmask(int how, const word *set, word *old)
{
    u64 before = blocked_signals;
    if (how != SIG_BLOCK_HOW && how != SIG_UNBLOCK_HOW && how != SIG_SETMASK_HOW && set)
        return EINVAL;
    if (old)
        must_know_mask();
    if (set) {
        u64 given = signals_of(set);
        has_own_mask |= how == SIG_SETMASK_HOW;
        if (how == SIG_BLOCK_HOW)
            blocked_signals = before | given;
        else if (how == SIG_UNBLOCK_HOW)
            blocked_signals = before & ~given;
        else
            blocked_signals = given;
    }
    if (old)
        tell_signals(old, before);
    return 0;
}

int sigprocmask(int how, const word *set, word *old)
{
    return pthread_sigmask(how, set, old);
}

/* Whoever waits for a signal waits for one that does not come. */
int pause(void)
{
    __ravel_unsupported("waiting for a signal (`pause`)");
    return -1;
}

int sigwait(const word *set, int *number)
{
    __ravel_unsupported("waiting for a signal (`sigwait`)");
    return 0;
}

int sigsuspend(const word *set)
{
    __ravel_unsupported("waiting for a signal (`sigsuspend`)");
    return -1;
}

int siginterrupt(int number, int flag)
{
    return is_signal(number) ? 0 : -1;
}
