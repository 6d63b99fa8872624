// expect: unsafe
// property: deadlock
// why: a failure returns with the lock taken
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used;
static int reserve(int n)
{
    pthread_mutex_lock(&lock);
    if (used + n > 3)
        return -1;
    used += n;
    pthread_mutex_unlock(&lock);
    return 0;
}
static void *user(void *arg)
{
    reserve(2);
    reserve(1);
    return 0;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, user, 0);
    pthread_create(&t, 0, user, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(used == 2);
    return 0;
}
