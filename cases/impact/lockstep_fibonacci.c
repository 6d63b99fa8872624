// expect: safe
// property: assert
// engines: impact
// knobs: impact.order=lockstep impact.invariants=guessed
// why: both threads go the same way through numbers that nobody knows, and round by round these are equal
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int rounds;
static int high, low, other_high, other_low;

static int sum(int a, int b) {
    if (b > 0 ? a > INT_MAX - b : a < INT_MIN - b)
        exit(0);
    return a + b;
}

static void *one(void *arg) {
    for (int i = 0; i < rounds; i++) {
        int next = sum(high, low);
        low = high;
        high = next;
    }
    return arg;
}

static void *other(void *arg) {
    for (int i = 0; i < rounds; i++) {
        int next = sum(other_high, other_low);
        other_low = other_high;
        other_high = next;
    }
    return arg;
}

int main(void) {
    rounds = __VERIFIER_nondet_int();
    high = __VERIFIER_nondet_int();
    low = __VERIFIER_nondet_int();
    other_high = high;
    other_low = low;
    pthread_t threads[2];
    pthread_create(&threads[0], 0, one, 0);
    pthread_create(&threads[1], 0, other, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(high == other_high);
    return 0;
}
