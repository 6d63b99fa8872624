// expect: unsafe
// why: (race) `running` is a plain volatile int that main clears while the worker polls it; volatile is no synchronisation
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int running = 1;

struct heartbeat {
    int beats;
    int limit;
};

static void *beat(void *arg)
{
    struct heartbeat *h = arg;
    while (running && h->beats < h->limit) {
        h->beats++;
        usleep(500);
    }
    return NULL;
}

int main(void)
{
    struct heartbeat h = { 0, 10 };
    pthread_t t;

    if (pthread_create(&t, NULL, beat, &h) != 0) {
        perror("pthread_create");
        return EXIT_FAILURE;
    }
    usleep(2000);
    running = 0;
    pthread_join(t, NULL);
    printf("%d beats\n", h.beats);
    return EXIT_SUCCESS;
}
