// expect[sc]: safe
// expect[tso]: safe
// expect[rc11]: safe
// engines: declarative
// why: a mutex of the library that remembers who holds it: nobody unlocks what another one holds, and nobody is inside beside another
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int crit;

static void *first(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        crit = 1;
        int c = crit;
        assert(c == 1);
        crit = 0;
        pthread_mutex_unlock(&lock);
    }
}

static void *second(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        crit = 2;
        int c = crit;
        assert(c == 2);
        crit = 0;
        pthread_mutex_unlock(&lock);
    }
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, 0, first, 0);
    pthread_create(&other, 0, second, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
