// expect[assert]: unsafe
// engines: explicit bmc
// why: a thread may join one that was started after it
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_t younger;
static sem_t is_started;
static int value;

static void *sets(void *unused)
{
    value = 1;
    return unused;
}

static void *waits(void *unused)
{
    sem_wait(&is_started);
    pthread_join(younger, 0);
    assert(value == 0);
    return unused;
}

int main(void)
{
    pthread_t elder;
    sem_init(&is_started, 0, 0);
    pthread_create(&elder, 0, waits, 0);
    pthread_create(&younger, 0, sets, 0);
    sem_post(&is_started);
    pthread_join(elder, 0);
    return 0;
}
