// expect[race]: safe
// why: the second lock is only tried; who counts holds both, however often it had to try
#include <pthread.h>

extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    for (;;) {
        pthread_mutex_lock(first);
        if (pthread_mutex_trylock(second) == 0)
            return;
        pthread_mutex_unlock(first);
    }
}

static void *to_the_right(void *arg)
{
    take_both(&left, &right);
    moved++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return 0;
}

static void *to_the_left(void *arg)
{
    take_both(&right, &left);
    moved--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return 0;
}

int main(void)
{
    pthread_t thread;
    while (__VERIFIER_nondet_int()) {
        pthread_create(&thread, 0, to_the_right, 0);
        pthread_create(&thread, 0, to_the_left, 0);
    }
    return 0;
}
