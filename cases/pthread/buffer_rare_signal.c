// expect: unsafe
// property: deadlock
// why: the last item may leave the buffer half full, which nobody is told
#include <assert.h>
#include <pthread.h>

#define SIZE 2
#define N 3
static int buffer[SIZE];
static int count, head, tail, sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;

static void put(int value)
{
    pthread_mutex_lock(&lock);
    while (count == SIZE)
        pthread_cond_wait(&not_full, &lock);
    buffer[tail] = value;
    tail = (tail + 1) % SIZE;
    count++;
    if (count == SIZE) pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (count == 0)
        pthread_cond_wait(&not_empty, &lock);
    int value = buffer[head];
    head = (head + 1) % SIZE;
    count--;
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return value;
}

static void *producer(void *unused)
{
    for (int i = 1; i <= N; i++)
        put(i);
    return 0;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < N; i++)
        sum += take();
    return 0;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&p, 0, producer, 0);
    pthread_create(&c, 0, consumer, 0);
    pthread_join(p, 0);
    pthread_join(c, 0);
    assert(sum == N * (N + 1) / 2);
    assert(count == 0);
    return 0;
}
