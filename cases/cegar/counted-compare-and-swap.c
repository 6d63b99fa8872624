// expect: safe
// property: basic
// property: reach,assert
// engines: cegar
// why: any number of threads take the next ticket by compare and swap; those who failed and those who did not stand at one place, so what is known there holds of either kind, which paths do not teach and the text of the program does
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

volatile unsigned next_ticket;

int swap_if(unsigned expected, unsigned wanted) {
    int has_swapped = 0;
    __VERIFIER_atomic_begin();
    if (next_ticket == expected) {
        next_ticket = wanted;
        has_swapped = 1;
    }
    __VERIFIER_atomic_end();
    return has_swapped;
}

void *taker(void *arg) {
    (void)arg;
    unsigned mine;
    do {
        mine = next_ticket;
        if (mine == 0u - 1)
            return 0;
    } while (!swap_if(mine, mine + 1));
    assert(next_ticket > mine);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (;;)
        pthread_create(&thread, 0, taker, 0);
}
