// expect: safe
// expect[all]: unsafe
// why: (overflow) the delay doubles with every attempt and has no maximum: with RETRIES=30 the int overflows; only `all` asks about overflow
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_RETRIES 5

struct task {
    int retries;
    int total_delay;
};

static int try_send(void)
{
    return rand() % 4 == 0;
}

static void *sender(void *arg)
{
    struct task *t = arg;
    int delay_ms = 10;

    for (int i = 0; i < t->retries; i++) {
        if (try_send())
            return NULL;
        t->total_delay = delay_ms;
        delay_ms *= 2;
    }
    fprintf(stderr, "gave up, last delay %d ms\n", t->total_delay);
    return NULL;
}

int main(void)
{
    const char *text = getenv("RETRIES");
    long retries = text != NULL ? strtol(text, NULL, 10) : DEFAULT_RETRIES;
    pthread_t thread;

    if (retries < 0 || retries > 100) {
        fprintf(stderr, "RETRIES must be 0 to 100\n");
        return EXIT_FAILURE;
    }
    struct task t = { (int)retries, 0 };
    if (pthread_create(&thread, NULL, sender, &t) != 0)
        return EXIT_FAILURE;
    pthread_join(thread, NULL);
    return EXIT_SUCCESS;
}
