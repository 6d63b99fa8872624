// expect[race]: safe
// expect[assert]: safe
// engines: explicit
// why: a bit-field of width zero, and any other member, begins a new memory location
#include <assert.h>
#include <pthread.h>

struct { unsigned a : 20; unsigned : 0; unsigned b : 20; char c; unsigned char d : 4; } s;

static void *first(void *arg)
{
    (void)arg;
    s.a = 1;
    return 0;
}

static void *last(void *arg)
{
    (void)arg;
    s.d = 3;
    return 0;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, first, 0);
    pthread_create(&u, 0, last, 0);
    s.b = 2;
    s.c = 5;
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(s.a == 1 && s.b == 2 && s.c == 5 && s.d == 3);
    return 0;
}
