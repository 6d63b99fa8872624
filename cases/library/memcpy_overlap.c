// expect: unsafe at 9
// expect[memsafety]: unsafe at 9
// why: memcpy between places that overlap is undefined
#include <string.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    char text[8] = "abcdef";
    memcpy(text + 1, text, __VERIFIER_nondet_int() ? 3 : 1);
    return 0;
}
