// expect: safe
// why: each thread converts the time with localtime_r into its own struct; lines are written under a lock
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 2

static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;
static int lines;

static void log_stamp(const char *what, int id)
{
    char stamp[32];
    struct tm tm;
    time_t now = time(NULL);

    if (localtime_r(&now, &tm) == NULL)
        return;
    if (strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &tm) == 0)
        return;
    pthread_mutex_lock(&out);
    lines++;
    printf("%s worker %d %s\n", stamp, id, what);
    pthread_mutex_unlock(&out);
}

static void *worker(void *arg)
{
    int id = *(int *)arg;
    log_stamp("starts", id);
    log_stamp("ends", id);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    int ids[THREADS];

    for (int i = 0; i < THREADS; i++) {
        ids[i] = i;
        if (pthread_create(&t[i], NULL, worker, &ids[i]) != 0)
            abort();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return lines <= 2 * THREADS ? EXIT_SUCCESS : EXIT_FAILURE;
}
