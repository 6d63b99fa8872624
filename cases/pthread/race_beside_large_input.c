// expect[race]: unsafe
// why: the sum of large inputs is nobody's business; what races does so whatever they are
#include <pthread.h>

extern unsigned long __VERIFIER_nondet_ulong(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum, n;

static void *adder(void *arg)
{
    unsigned long more = __VERIFIER_nondet_ulong();
    pthread_mutex_lock(&lock);
    sum = sum * 31 + more;
    n++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, adder, 0);
    pthread_create(&two, 0, adder, 0);
    unsigned long seen = n;
    pthread_join(one, 0);
    pthread_join(two, 0);
    return seen <= 2 && sum == 5 ? 0 : 1;
}
