// expect[race]: unsafe
// why: the part that is read is that of the next thread, which still runs
#include <pthread.h>
#include <stdlib.h>

#define MOST 3

extern int __VERIFIER_nondet_int(void);

struct part {
    pthread_t thread;
    int done;
};

static struct part parts[MOST + 1];

static void *work(void *arg)
{
    struct part *own = arg;
    own->done++;
    return 0;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), sum = 0;
    if (n < 0 || n > MOST)
        return 0;
    for (int i = 0; i < n; i++) {
        parts[i].done = 0;
        pthread_create(&parts[i].thread, 0, work, &parts[i]);
    }
    for (int i = 0; i < n; i++) {
        pthread_join(parts[i].thread, 0);
        sum += parts[i + 1].done;
    }
    return sum;
}
