// expect[rc11]: safe
// expect[imm]: safe
// expect[tso.cat]: safe
// expect[aarch64]: safe
// expect[power]: safe
// property: reach,assert
// engines: bmc
// why: the library's mutex is an acquiring update and a releasing one
#include <assert.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(count == 2);
    return 0;
}
