// expect: safe
// property: assert
// engines: impact
// knobs: impact.order=lockstep impact.invariants=guessed
// why: what one thread finds less the other one finds more, at the first place where two texts of any length differ
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int length;
static int *left, *right;
static int forward, backward;

static int *any_text(void) {
    int *text = malloc(sizeof(int) * (size_t)length);
    for (int i = 0; i < length; i++) {
        text[i] = __VERIFIER_nondet_int();
        if (text[i] < 0 || text[i] > 255)
            exit(0);
    }
    return text;
}

static void *compare(void *arg) {
    for (int i = 0; i < length; i++) {
        if (left[i] != right[i]) {
            forward = left[i] - right[i];
            break;
        }
    }
    return arg;
}

static void *compare_back(void *arg) {
    for (int i = 0; i < length; i++) {
        if (right[i] != left[i]) {
            backward = right[i] - left[i];
            break;
        }
    }
    return arg;
}

int main(void) {
    length = __VERIFIER_nondet_int();
    if (length < 0 || length > 1000000)
        return 0;
    left = any_text();
    right = any_text();
    pthread_t threads[2];
    pthread_create(&threads[0], 0, compare, 0);
    pthread_create(&threads[1], 0, compare_back, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
    assert(forward == -backward);
    return 0;
}
