// expect[rc11]: safe
// expect[aarch64]: safe
// expect[tso]: safe
// property: basic,race
// engines: portfolio
// A bounded queue under a lock, with condition variables: no race, so that weak models allow nothing that interleavings do not show, loops that wait included.
#include <assert.h>
#include <pthread.h>

enum { SIZE = 2, ITEMS = 3 };

static int items[SIZE], n, first, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static void *producer(void *unused)
{
    for (int item = 1; item <= ITEMS; item++) {
        pthread_mutex_lock(&lock);
        while (n == SIZE)
            pthread_cond_wait(&not_full, &lock);
        items[(first + n++) % SIZE] = item;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    for (int taken = 0; taken < ITEMS; taken++) {
        pthread_mutex_lock(&lock);
        while (n == 0)
            pthread_cond_wait(&not_empty, &lock);
        sum += items[first];
        first = (first + 1) % SIZE;
        n--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, 0);
    assert(sum == ITEMS * (ITEMS + 1) / 2);
    return 0;
}
