// expect: unsafe
// why: (use after free) the new settings are swapped in atomically, but the old ones are freed at once while a reader may still look at them
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct config {
    int timeout_ms;
    int retries;
};

static _Atomic(struct config *) current;

static struct config *config_new(int timeout_ms, int retries)
{
    struct config *c = malloc(sizeof *c);
    if (c == NULL) {
        perror("malloc");
        exit(EXIT_FAILURE);
    }
    c->timeout_ms = timeout_ms;
    c->retries = retries;
    return c;
}

static void config_publish(struct config *fresh)
{
    struct config *old = atomic_exchange(&current, fresh);
    free(old);
}

static void *worker(void *arg)
{
    int budget = 0;
    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct config *c = atomic_load(&current);
        budget += c->timeout_ms * c->retries;
    }
    printf("budget %d ms\n", budget);
    return NULL;
}

int main(void)
{
    pthread_t t[2];

    atomic_store(&current, config_new(100, 3));
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, NULL) != 0)
            exit(EXIT_FAILURE);
    config_publish(config_new(200, 2));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(atomic_load(&current));
    return 0;
}
