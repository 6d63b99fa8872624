// expect: safe
// property: reach
// options: --data-model ilp32
// engines: impact
// knobs: impact.order=lockstep impact.dependence=outcomes impact.invariants=guessed
//
// The greatest of all numbers is found by one thread, and by two that look at a part each: whether a number is greater than all so far is the same question for both, and who of the two asks first does not matter.
typedef unsigned long pthread_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *arg);
int pthread_join(pthread_t thread, void **result);
void *malloc(unsigned int size);
void abort(void);
void reach_error(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

int *heights;
int highest, peak;
int middle, size;

void assume(int holds)
{
    if (!holds)
        abort();
}

void *survey(void *arg)
{
    for (int i = 0; i < size; i++) {
        __VERIFIER_atomic_begin();
        if (heights[i] > highest)
            highest = heights[i];
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *survey_west(void *arg)
{
    for (int i = 0; i < middle; i++) {
        __VERIFIER_atomic_begin();
        if (heights[i] > peak)
            peak = heights[i];
        __VERIFIER_atomic_end();
    }
    return 0;
}

void *survey_east(void *arg)
{
    for (int i = middle; i < size; i++) {
        __VERIFIER_atomic_begin();
        if (heights[i] > peak)
            peak = heights[i];
        __VERIFIER_atomic_end();
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    size = __VERIFIER_nondet_int();
    middle = __VERIFIER_nondet_int();
    assume(0 <= middle && middle < size && size < 1000);
    heights = malloc(sizeof(int) * (unsigned int)size);
    assume(heights != 0);
    for (int i = 0; i < size; i++)
        heights[i] = __VERIFIER_nondet_int();
    pthread_create(&threads[0], 0, survey, 0);
    pthread_create(&threads[1], 0, survey_west, 0);
    pthread_create(&threads[2], 0, survey_east, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    pthread_join(threads[2], 0);
    if (highest != peak)
        reach_error();
    return 0;
}
