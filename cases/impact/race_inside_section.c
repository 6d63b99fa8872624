// expect: unsafe at 30
// property: race
// engines: explicit bmc impact
//
// The race shows only while the section lasts, whose steps are one action for the reduction: it is not left out once the reader has
// come to its access.
#include <pthread.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

int seen, published;
pthread_t publisher;

void *wait_for_publisher(void *arg)
{
    pthread_join(publisher, 0);
    return 0;
}

void *look(void *arg)
{
    seen = published;
    return 0;
}

void publish(void)
{
    __VERIFIER_atomic_begin();
    published = published;
    __VERIFIER_atomic_end();
}

int main(void)
{
    pthread_t waiting, looking;
    publisher = pthread_self();
    pthread_create(&waiting, 0, wait_for_publisher, 0);
    pthread_create(&looking, 0, look, 0);
    publish();
    pthread_exit(0);
}
