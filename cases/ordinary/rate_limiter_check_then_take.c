// expect: unsafe
// why: (assert) the test for tokens and the taking are two atomic steps: two clients may both see the last token
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT 2

static atomic_int tokens = LIMIT;
static atomic_int admitted;

static bool take_token(void)
{
    if (atomic_load(&tokens) > 0) {
        atomic_fetch_sub(&tokens, 1);
        return true;
    }
    return false;
}

static void *client(void *arg)
{
    int requests = *(int *)arg;
    for (int i = 0; i < requests; i++) {
        if (take_token())
            atomic_fetch_add(&admitted, 1);
        else
            fprintf(stderr, "too many requests\n");
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int requests[3] = { 2, 1, 1 };

    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, client, &requests[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(atomic_load(&admitted) <= LIMIT);
    return EXIT_SUCCESS;
}
