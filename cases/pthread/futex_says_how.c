// expect[assert]: unsafe
// why: A wait with a timeout may end for four reasons, and none of them says that the word has changed.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint is_done;

static void *finish(void *arg) {
    atomic_store(&is_done, 1);
    syscall(SYS_futex, &is_done, FUTEX_WAKE, 1, 0, 0, 0);
    return arg;
}

int main(void) {
    pthread_t thread;
    struct timespec second = { 1, 0 };
    pthread_create(&thread, 0, finish, 0);
    long result = syscall(SYS_futex, &is_done, FUTEX_WAIT, 0, &second, 0, 0);
    if (result == -1) {
        assert(errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR);
        if (errno == EAGAIN) assert(is_done == 1);
    }
    assert(result == 0 || is_done == 1);
    pthread_join(thread, 0);
    return 0;
}
