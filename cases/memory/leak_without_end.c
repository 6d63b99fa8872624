// expect[memsafety]: unsafe
// engines: explicit
// why: each round loses a block, and there may be any number of rounds: what is near is found although no path has an end
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    do {
        malloc(8);
    } while (__VERIFIER_nondet_int());
    return 0;
}
