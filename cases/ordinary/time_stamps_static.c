// expect: unsafe
// why: (race) localtime returns a pointer to one static struct, which the other thread's call overwrites while this one reads it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 2

static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;

static void log_stamp(const char *what)
{
    time_t now = time(NULL);
    struct tm *tm = localtime(&now);

    if (tm == NULL)
        return;
    int minutes = tm->tm_hour * 60 + tm->tm_min;
    pthread_mutex_lock(&out);
    printf("[%d] %s\n", minutes, what);
    pthread_mutex_unlock(&out);
}

static void *worker(void *arg)
{
    log_stamp(arg);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    char *names[THREADS] = { "indexer", "crawler" };

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&t[i], NULL, worker, names[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return EXIT_SUCCESS;
}
