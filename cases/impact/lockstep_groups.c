// expect: safe
// property: reach
// options: --data-model ilp32
// engines: impact
// knobs: impact.order=lockstep impact.dependence=outcomes impact.invariants=guessed
//
// One thread adds up an array, two others its first and its second part. The two do one after the other what the first does, so they are a group that takes turns with it.
typedef unsigned long pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *arg);
int pthread_join(pthread_t thread, void **result);
void *malloc(unsigned int size);
void abort(void);
void reach_error(void);
int __VERIFIER_nondet_int(void);

unsigned int *numbers;
unsigned int whole, first, second;
int middle, size;

void assume(int holds)
{
    if (!holds)
        abort();
}

void *add_all(void *arg)
{
    for (int i = 0; i < size; i++)
        whole = whole + numbers[i];
    return 0;
}

void *add_first(void *arg)
{
    for (int i = 0; i < middle; i++)
        first = first + numbers[i];
    return 0;
}

void *add_second(void *arg)
{
    for (int i = middle; i < size; i++)
        second = second + numbers[i];
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    size = __VERIFIER_nondet_int();
    middle = __VERIFIER_nondet_int();
    assume(0 <= middle && middle <= size && size < 1000);
    numbers = malloc(sizeof(unsigned int) * (unsigned int)size);
    assume(numbers != 0);
    for (int i = 0; i < size; i++)
        numbers[i] = (unsigned int)__VERIFIER_nondet_int();
    pthread_create(&threads[0], 0, add_all, 0);
    pthread_create(&threads[1], 0, add_first, 0);
    pthread_create(&threads[2], 0, add_second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    if (whole != first + second)
        reach_error();
    return 0;
}
