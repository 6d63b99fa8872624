// expect: unsafe
// property: misuse
// engines: explicit bmc
// why: both threads wait on one member of a structure, each with another of its mutexes
#include <pthread.h>

struct gate {
    pthread_mutex_t in, out;
    pthread_cond_t moved;
    int is_open;
};

static struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static void *enter(void *arg)
{
    struct gate *g = arg;
    pthread_mutex_lock(&g->in);
    pthread_cond_wait(&g->moved, &g->in);
    pthread_mutex_unlock(&g->in);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, enter, &gate);
    pthread_mutex_lock(&gate.out);
    pthread_cond_wait(&gate.moved, &gate.out);
    pthread_mutex_unlock(&gate.out);
    pthread_join(t, NULL);
    return 0;
}
