// expect[assert]: unknown
// why: each thread opens the file for itself and is kept out by the other's lock, which is not followed
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int n;

static void *add(void *arg)
{
    int file = open("lock", O_RDWR | O_CREAT, 0600);

    if (file < 0 || flock(file, LOCK_EX) != 0)
        _exit(1);
    n++;
    flock(file, LOCK_UN);
    close(file);
    return arg;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(n == 2);
    return 0;
}
