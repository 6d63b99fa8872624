// expect: safe
// property: reach
// options: --data-model ilp32
// engines: impact
// knobs: impact.order=lockstep impact.dependence=outcomes impact.invariants=guessed
//
// A producer puts tickets into a queue, as often as it likes, and a consumer takes them out. Who puts something in and who takes something out commute while the queue is not empty, so each ticket is
// taken out as soon as it is there, and nothing has to be known of those in between.
typedef unsigned long pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *arg);
int pthread_join(pthread_t thread, void **result);
void *malloc(unsigned int size);
void abort(void);
void reach_error(void);
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

enum { TICKET = 7 };
int *queue;
int size, front, back, taken = TICKET;

void assume(int holds)
{
    if (!holds)
        abort();
}

void *produce(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_begin();
        assume(0 <= back && back < size);
        assume(queue[back] == TICKET);
        back++;
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *consume(void *arg)
{
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_begin();
        assume(front < back && 0 <= front && front < size);
        taken = queue[front];
        front++;
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void)
{
    pthread_t producer, consumer;
    size = __VERIFIER_nondet_int();
    assume(0 <= size && size < 1000);
    queue = malloc(sizeof(int) * (unsigned int)size);
    assume(queue != 0);
    for (int i = 0; i < size; i++)
        queue[i] = __VERIFIER_nondet_int();
    front = __VERIFIER_nondet_int();
    back = front;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, 0);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    if (taken != TICKET)
        reach_error();
    return 0;
}
