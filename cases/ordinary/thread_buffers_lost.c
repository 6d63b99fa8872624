// expect: safe
// expect[all]: unsafe
// why: (memtrack) the key has no destructor, so every thread's buffer is lost when the thread ends; only `all` asks about lost memory
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SIZE 24

static pthread_key_t key;

static char *scratch(void)
{
    char *s = pthread_getspecific(key);
    if (s == NULL) {
        s = calloc(1, SIZE);
        if (s == NULL)
            abort();
        pthread_setspecific(key, s);
    }
    return s;
}

static void *worker(void *arg)
{
    char *s = scratch();
    snprintf(s, SIZE, "worker %d", *(int *)arg);
    puts(s);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int ids[2] = { 1, 2 };

    if (pthread_key_create(&key, NULL) != 0)
        return EXIT_FAILURE;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, &ids[i]) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_key_delete(key);
    return EXIT_SUCCESS;
}
