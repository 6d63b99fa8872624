// expect: safe
// why: each thread has a buffer behind a key, and the key's destructor frees it; main frees its own
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 32

static pthread_key_t buffer_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void)
{
    if (pthread_key_create(&buffer_key, free) != 0)
        abort();
}

static char *thread_buffer(void)
{
    pthread_once(&key_once, make_key);
    char *b = pthread_getspecific(buffer_key);
    if (b == NULL) {
        b = malloc(SIZE);
        if (b == NULL || pthread_setspecific(buffer_key, b) != 0)
            abort();
    }
    return b;
}

static const char *describe(int code)
{
    char *b = thread_buffer();
    snprintf(b, SIZE, "error code %d", code);
    return b;
}

static void *worker(void *arg)
{
    int code = *(int *)arg;
    puts(describe(code));
    puts(describe(code + 1));
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int codes[2] = { 10, 20 };

    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], NULL, worker, &codes[i]) != 0)
            abort();
    puts(describe(0));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(thread_buffer());
    pthread_setspecific(buffer_key, NULL);
    pthread_key_delete(buffer_key);
    return 0;
}
