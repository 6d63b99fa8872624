/* C11 <threads.h>, on the same ground as POSIX threads. */

enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2, thrd_timedout = 4 };
enum { mtx_recursive = 1 };

static word run_after_create(word start, word arg)
{
    await_stored();
    int result = ((int (*)(word))start)(arg);
    if (__ravel_uses("pthread_key_create") || __ravel_uses("tss_create"))
        run_destructors();
    return (word)(long)result;
}

/* The end of the call happens before the beginning of the thread, which finds its handle. */
int thrd_create(word *thread, word start, word arg)
{
    if (__ravel_uses("pthread_sigmask") || __ravel_uses("sigprocmask"))
        note_mask_of_new_thread();
    begin_together();
    word created = __ravel_start(run_after_create, start, arg);
    if (created >= THREADS)
        __ravel_unsupported("more than 1024 threads of C11");
    *thread = created;
    __atomic_store_n(&is_stored[created], 1, RELEASE);
    end_together();
    return thrd_success;
}

int thrd_join(word thread, int *result)
{
    may_join(thread);
    word value = __ravel_join(thread);
    if (__ravel_uses("pthread_cancel") || __ravel_uses("pthread_kill"))
        has_joined(thread);
    if (result)
        *result = (int)value;
    return thrd_success;
}

void thrd_exit(int result)
{
    pthread_exit((word)(long)result);
}

word thrd_current(void)
{
    return __ravel_self();
}

int thrd_equal(word a, word b)
{
    return a == b;
}

int thrd_detach(word thread)
{
    pthread_detach(thread);
    return thrd_success;
}

int nanosleep();

/* A signal may end it early; errors are other negative numbers. */
int thrd_sleep(void *duration, void *remaining)
{
    int error;
    if (nanosleep(duration, remaining) == 0)
        return 0;
    error = __ravel_input_int();
    __ravel_assume(error < 0);
    return error;
}

int mtx_init(void *mutex, int type)
{
    u32 kind = (type & mtx_recursive) ? RECURSIVE : NORMAL;
    return pthread_mutex_init(mutex, &kind);
}

void mtx_destroy(void *mutex)
{
    pthread_mutex_destroy(mutex);
}

int mtx_lock(void *mutex)
{
    return pthread_mutex_lock(mutex) ? thrd_error : thrd_success;
}

/* May fail for no reason. */
int mtx_trylock(void *mutex)
{
    if (__ravel_choice())
        return thrd_busy;
    return pthread_mutex_trylock(mutex) ? thrd_busy : thrd_success;
}

int mtx_timedlock(void *mutex, void *deadline)
{
    int error = pthread_mutex_timedlock(mutex, deadline);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int mtx_unlock(void *mutex)
{
    return pthread_mutex_unlock(mutex) ? thrd_error : thrd_success;
}

int cnd_init(void *condition)
{
    return pthread_cond_init(condition, 0);
}

void cnd_destroy(void *condition)
{
    pthread_cond_destroy(condition);
}

int cnd_wait(void *condition, void *mutex)
{
    return pthread_cond_wait(condition, mutex) ? thrd_error : thrd_success;
}

int cnd_timedwait(void *condition, void *mutex, void *deadline)
{
    int error = pthread_cond_timedwait(condition, mutex, deadline);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

int cnd_signal(void *condition)
{
    return pthread_cond_signal(condition);
}

int cnd_broadcast(void *condition)
{
    return pthread_cond_broadcast(condition);
}

int tss_create(u32 *key, word destructor)
{
    return pthread_key_create(key, destructor);
}

void tss_delete(u32 key)
{
    pthread_key_delete(key);
}

word tss_get(u32 key)
{
    return pthread_getspecific(key);
}

int tss_set(u32 key, word value)
{
    return pthread_setspecific(key, value) ? thrd_error : thrd_success;
}

void call_once(u32 *flag, word initialise)
{
    pthread_once(flag, initialise);
}
