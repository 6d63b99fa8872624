// expect: unsafe
// why: (race) a request that is too long returns its buffer on the error path and again at the end, so two threads get the same buffer
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFERS 4
#define SIZE 8

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char storage[BUFFERS][SIZE];
static char *available[2 * BUFFERS];
static int n_available;

static void pool_put(char *b)
{
    pthread_mutex_lock(&lock);
    available[n_available++] = b;
    pthread_mutex_unlock(&lock);
}

static char *pool_get(void)
{
    char *b = NULL;
    pthread_mutex_lock(&lock);
    if (n_available > 0)
        b = available[--n_available];
    pthread_mutex_unlock(&lock);
    return b;
}

static int handle(const char *request)
{
    char *b = pool_get();
    int rc = 0;

    if (b == NULL)
        return -1;
    if (strlen(request) >= SIZE) {
        pool_put(b);
        rc = -1;
    } else {
        strcpy(b, request);
        printf("handled %s\n", b);
    }
    pool_put(b);
    return rc;
}

static void *worker(void *arg)
{
    if (handle(arg) != 0)
        fprintf(stderr, "bad request\n");
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    char *requests[3] = { "status", "a request that is too long", "reload" };

    for (int i = 0; i < BUFFERS; i++)
        pool_put(storage[i]);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&t[i], NULL, worker, requests[i]) != 0)
            exit(EXIT_FAILURE);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return EXIT_SUCCESS;
}
