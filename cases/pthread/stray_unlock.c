// expect: unsafe at 44
// property: assert
// engines: bmc explicit
// why: the first thread's round is not idle, since it gives back a lock that somebody else has taken meanwhile
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int turn;
int inside;

void *poller(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int seen = turn;
        pthread_mutex_unlock(&lock);
        if (seen == 2)
            break;
    }
    pthread_mutex_lock(&lock);
    inside++;
    inside--;
    pthread_mutex_unlock(&lock);
    return 0;
}

void *stray(void *unused)
{
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t first;
    pthread_t second;
    pthread_create(&first, 0, poller, 0);
    pthread_create(&second, 0, stray, 0);
    pthread_mutex_lock(&lock);
    inside++;
    turn = 2;
    int seen = inside;
    assert(seen == 1);
    inside--;
    pthread_mutex_unlock(&lock);
    return 0;
}
