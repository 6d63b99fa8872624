// expect: safe
// why: the handler sets a lock-free atomic flag, which is all that a handler may touch; the workers look at it
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKERS 2

static atomic_int stop_requested;

static void on_signal(int sig)
{
    (void)sig;
    atomic_store(&stop_requested, 1);
}

struct worker {
    pthread_t thread;
    int id;
    int rounds;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    while (!atomic_load(&stop_requested) && w->rounds < 5) {
        w->rounds++;
        usleep(1000);
    }
    return NULL;
}

int main(void)
{
    struct worker workers[WORKERS];
    struct sigaction sa;

    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_signal;
    sigemptyset(&sa.sa_mask);
    if (sigaction(SIGTERM, &sa, NULL) != 0) {
        perror("sigaction");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < WORKERS; i++) {
        workers[i].id = i;
        workers[i].rounds = 0;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            abort();
    }
    raise(SIGTERM);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        printf("worker %d: %d rounds\n", workers[i].id, workers[i].rounds);
    }
    return EXIT_SUCCESS;
}
