// expect[tso]: safe
// expect[pso]: safe
// property: basic
// engines: bmc
// why: a read takes each byte from the youngest own store that has it
#include <assert.h>
#include <pthread.h>

union { unsigned int word; unsigned char byte[4]; } u;
unsigned int r;

static void *thread1(void *arg)
{
    u.word = 0x01020304;
    u.byte[1] = 9;
    r = u.word;
    return 0;
}

int main(void)
{
    pthread_t t1;
    pthread_create(&t1, 0, thread1, 0);
    pthread_join(t1, 0);
    assert(r == 0x01020904);
    return 0;
}
