// expect: safe
// property: assert
// engines: impact
// knobs: impact.order=lockstep impact.dependence=outcomes impact.invariants=guessed
//
// A producer puts ones into a queue, as often as it likes and a zero at last, and a consumer adds up what it takes out. Who puts something in and who takes something out commute while the queue is
// not empty, so each element is taken out as soon as it is there, and nothing has to be known of those in between.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

static void assume(int holds)
{
    if (!holds)
        abort();
}

long *queue;
long size, front, back, count, sum;

void put(long value)
{
    __VERIFIER_atomic_begin();
    assume(0 <= back && back < size);
    assume(queue[back] == value);
    back++;
    __VERIFIER_atomic_end();
}

void *produce(void *arg)
{
    for (long i = 0; i < count; i++)
        put(1);
    put(0);
    return 0;
}

void *consume(void *arg)
{
    long value = 1;
    while (value != 0) {
        __VERIFIER_atomic_begin();
        assume(front < back && 0 <= front && front < size);
        value = queue[front];
        front++;
        __VERIFIER_atomic_end();
        sum += value;
    }
    return 0;
}

int main(void)
{
    pthread_t producer, consumer;
    size = __VERIFIER_nondet_long();
    assume(0 <= size && size < 1000000);
    queue = malloc(size * sizeof(long));
    for (long i = 0; i < size; i++)
        queue[i] = __VERIFIER_nondet_long();
    front = back = __VERIFIER_nondet_long();
    count = __VERIFIER_nondet_long();
    assume(0 <= count);
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    assert(sum == count);
    return 0;
}
