// expect[race]: unsafe
// engines: explicit
// why: bit-fields that follow each other are one memory location, also where they lie in different bytes
#include <pthread.h>

struct { unsigned a : 20; unsigned b : 20; unsigned c : 20; } s;

static void *first(void *arg)
{
    (void)arg;
    s.a = 1;
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    s.c = 2;
    pthread_join(t, 0);
    return 0;
}
