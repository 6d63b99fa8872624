// expect: unsafe
// why: (race) double-checked locking on a plain pointer: the first test reads it without the lock while another thread writes it
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct settings {
    int verbose;
    int workers;
};

static struct settings *settings;
static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings_read(void)
{
    struct settings *s = malloc(sizeof *s);
    if (s == NULL)
        abort();
    s->verbose = getenv("VERBOSE") != NULL;
    s->workers = 4;
    return s;
}

static const struct settings *settings_get(void)
{
    if (settings == NULL) {
        pthread_mutex_lock(&settings_lock);
        if (settings == NULL)
            settings = settings_read();
        pthread_mutex_unlock(&settings_lock);
    }
    return settings;
}

static void *worker(void *arg)
{
    const struct settings *s = settings_get();
    if (s->verbose)
        printf("worker %d of %d\n", *(int *)arg, s->workers);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int ids[2] = { 1, 2 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, &ids[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(settings);
    return 0;
}
